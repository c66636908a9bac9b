//! Complete values of a text that is still arriving and has several.

use crate::{
    Candidate, Choice, Error, Options, Parsed, Repair,
    extract::FoundValue,
    stream::{feed::Feed, follow::Follow, parsed},
    value::build::Tape,
};

/// One of several values of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundJson {
    /// The value as strict JSON.
    pub json: String,
    /// Where it was found.
    pub candidate: Candidate,
    /// The repairs of it.
    pub repairs: Vec<Repair>,
}

/// Gives every value of a text as soon as it is complete, in order: records on lines, code blocks,
/// documents in a row.
///
/// The option `choice` is ignored: it is [`Choice::All`]. Values in YAML are given at the end.
///
/// ```
/// use llmend_json::{Options, Values};
///
/// let mut values = Values::new(Options::default());
/// values.push(b"{'id': 1}\n{'id': 2}\n{'id'");
/// let ids: Vec<String> = std::iter::from_fn(|| values.next_value()).map(|one| one.json).collect();
/// assert_eq!(ids, [r#"{"id": 1}"#, r#"{"id": 2}"#]);
/// values.push(b": 3}");
/// let (rest, parsed) = values.finish()?;
/// assert_eq!(rest[0].json, r#"{"id": 3}"#);
/// assert_eq!(parsed.value.to_string(), r#"[{"id":1},{"id":2},{"id":3}]"#);
/// # Ok::<(), llmend_json::Error>(())
/// ```
pub struct Values {
    feed: Box<Feed<Tape>>,
    follow: Follow,
    given: usize,
}

impl Values {
    /// Creates a stream without any text.
    #[must_use]
    pub fn new(options: Options) -> Self {
        let options = Options { choice: Choice::All, ..options };
        Self { feed: Box::new(Feed::new(options)), follow: Follow::default(), given: 0 }
    }

    /// Adds a chunk of the text, which may end anywhere, even within a character.
    ///
    /// Errors are returned by [`Self::finish`].
    pub fn push(&mut self, chunk: &[u8]) {
        self.feed.push(chunk, &mut self.follow);
    }

    /// Returns the next complete value, if there is one.
    pub fn next_value(&mut self) -> Option<FoundJson> {
        while let Some(found) = self.feed.scan.found.get(self.given) {
            self.given += 1;
            if let Some(value) = given(found, &self.feed.text) {
                return Some(value);
            }
        }
        None
    }

    /// Ends the text. Returns the remaining values, and the result for the whole text: an array.
    pub fn finish(self) -> Result<(Vec<FoundJson>, Parsed<'static>), Error> {
        let (mut rest, known, max_class) = (Vec::new(), self.given, self.feed.max_class());
        let read = self.feed.finish_by(|window, scan| {
            let left = scan.found.get(known..).unwrap_or_default();
            rest = left.iter().filter_map(|found| given(found, window.text)).collect();
            None
        })?;
        Ok((rest, parsed(read, max_class)?))
    }
}

/// Returns a found value as JSON, unless it is left out.
fn given(found: &FoundValue<Tape>, text: &str) -> Option<FoundJson> {
    if found.repairs.first().is_some_and(|first| first.removes_record(found.span)) {
        return None;
    }
    Some(FoundJson {
        json: found.output(text).into_owned(),
        candidate: Candidate { span: found.span, origin: found.origin },
        repairs: found.repairs.clone(),
    })
}
