//! Reproducible random choices.

use llmend_model_server::{Reply, Step, Turn};
use serde_json::json;

/// Chance that is the same each time (`SplitMix64`).
#[derive(Clone, Debug)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        word ^ (word >> 31)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(end).unwrap()).unwrap()
    }

    pub(crate) fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    pub(crate) fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())].clone()
    }

    /// A text in pieces of a few characters each.
    pub(crate) fn pieces(&mut self, text: &str) -> Vec<String> {
        let mut rest: Vec<char> = text.chars().collect();
        let mut pieces = Vec::new();
        while !rest.is_empty() {
            let size = 1 + self.below(9);
            pieces.push(rest.drain(..size.min(rest.len())).collect());
        }
        pieces
    }

    /// A stream that arrives in chunks of any size.
    pub(crate) fn chunks(&mut self, body: &str) -> Turn {
        let mut reply = Reply::events("");
        let mut rest = body.as_bytes();
        while !rest.is_empty() {
            let size = self.pick(&[3, 40, 300, 3000]);
            let (chunk, more) = rest.split_at((1 + self.below(size)).min(rest.len()));
            reply = reply.then(Step::Send(chunk.to_vec()));
            rest = more;
        }
        reply.into()
    }

    /// An object that fits [`super::both_ways::schema`].
    pub(crate) fn object(&mut self) -> String {
        let city = self.pick(&["Oslo", "", "a \"b\" \\ c", "漢 🏔 é", "it's {here}, [there]"]);
        let city = json!(city);
        let space = self.pick(&["", " ", "\n  "]);
        match self.below(3) {
            0 => format!("{{{space}\"city\":{space}{city}}}"),
            1 => format!("{{\"days\":{space}{},{space}\"city\": {city}}}", self.below(9)),
            _ => format!("{space}{{\"city\":{city},{space}\"days\":-{}}}{space}", self.below(9)),
        }
    }

    /// An object as models write it.
    pub(crate) fn faulty_object(&mut self) -> String {
        let object = self.object();
        match self.below(14) {
            0 => format!("```json\n{object}\n```"),
            1 => format!("Here it is: {object}"),
            2 => format!("{object}\nI hope that this helps."),
            3 => object.replace("\"city\"", "'city'"),
            4 => object.replace("\"city\"", "city").replace('}', ",}"),
            5 => object.replace("\"days\":", "\"days\": \"").replace(",\"", "\",\""),
            6 => "{\"City\": \"Oslo\", \"days\": \"3\"}".to_owned(),
            7 => "{\"days\": 3}".to_owned(),
            8 => "{\"city\": 2 * 3}".to_owned(),
            9 => object.trim_end().trim_end_matches('}').to_owned(),
            10 => object.chars().take(object.chars().count() / 2).collect(),
            11 => "{'city': 'Oslo',}".to_owned(),
            12 => format!("{object}{object}"),
            _ => object.replace('"', "\u{201d}"),
        }
    }

    /// What a model may write where an object was wanted.
    pub(crate) fn words(&mut self) -> String {
        match self.below(10) {
            0 => {
                self.pick(&["", " \n", "I would rather not.", "Looking at [1], {soon}."]).to_owned()
            }
            1..=4 => self.object(),
            _ => self.faulty_object(),
        }
    }

    /// One text or more, of which one is what the model was asked for, or all of them are.
    pub(crate) fn texts(&mut self) -> Vec<String> {
        let answer = self.words();
        let aside = self.pick(&["Let me see. ", "There {it} is.", "", "\n"]).to_owned();
        match self.below(7) {
            0..=2 => vec![answer],
            3 => vec![aside, answer],
            4 => vec![answer, aside],
            5 => self.pieces(&answer).chunks(8).map(<[String]>::concat).collect(),
            _ => vec![aside, self.words(), answer],
        }
    }

    /// Puts lists into one, each in its own order.
    pub(crate) fn merged<T>(&mut self, lists: Vec<Vec<T>>) -> Vec<T> {
        let mut rest: Vec<_> = lists.into_iter().map(Vec::into_iter).collect();
        let mut merged = Vec::new();
        while !rest.is_empty() {
            let at = self.below(rest.len());
            match rest[at].next() {
                Some(one) => merged.push(one),
                None => drop(rest.remove(at)),
            }
        }
        merged
    }
}
