//! Texts fitted as a whole and in pieces, with equal results.

use llmend::{Choice, FitOptions, FitText, Options, Schema, fit_with};

/// A row of numbers that is the same each time.
struct Draws(u64);

impl Draws {
    fn below(&mut self, count: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % count
    }

    fn of<'t>(&mut self, all: &[&'t str]) -> &'t str {
        all[self.below(all.len())]
    }
}

const SCHEMAS: [&str; 3] = [
    r#"{"type": "object", "required": ["a", "name"], "properties": {
        "a": {"type": "integer"}, "name": {"type": "string"},
        "tags": {"type": "array", "items": {"type": "string"}}, "kind": {"enum": ["red", "green"]}}}"#,
    r#"{"type": "array", "items": {"type": "object", "properties": {"nick_name": {"type": "string"}}}}"#,
    r#"{"type": "string"}"#,
];

fn answer(draws: &mut Draws) -> String {
    let mut text = draws.of(&["", "Sure: ", "```json\n", "[", "{\"data\": "]).to_owned();
    for _ in 0..=draws.below(2) {
        text.push('{');
        for _ in 0..draws.below(5) {
            text.push_str(
                draws.of(&["\"a\"", "a", "'Name'", "\"name\"", "nickName", "\"tags\"", "kind"]),
            );
            text.push_str(": ");
            text.push_str(
                draws.of(&["1", "\"2\"", "3.0", "'x", "\"é\"", "null", "[\"t\"]", "RED", "{}"]),
            );
            text.push_str(draws.of(&[", ", ",", "", ",,"]));
        }
        text.push_str(draws.of(&["}", "}", "}, ", "} and "]));
    }
    text.push_str(draws.of(&["", "", "]", "\n```", "}", " That is all."]));
    text
}

#[test]
fn a_text_in_pieces_fits_as_it_does_as_a_whole() {
    let mut compared = [0; 3];
    for seed in 0..600 {
        let mut draws = Draws(seed);
        let text = answer(&mut draws);
        let schema = Schema::from_text(draws.of(&SCHEMAS)).unwrap();
        let choice = if draws.below(2) == 0 { Choice::First } else { Choice::Best };
        let options =
            FitOptions { text: Options { choice, ..Options::default() }, ..FitOptions::default() };
        let whole = fit_with(&text, &schema, &options);
        let mut pieces = FitText::new(options, schema);
        let mut rest = text.as_bytes();
        while !rest.is_empty() {
            let (piece, after) = rest.split_at((1 + draws.below(9)).min(rest.len()));
            pieces.push(piece);
            let _ = pieces.view().root();
            rest = after;
        }
        match (pieces.finish(), whole) {
            (Ok(pieces), Ok(whole)) => {
                assert_eq!(pieces, whole, "seed {seed}: {text}");
                compared[usize::from(!whole.violations.is_empty())] += 1;
            }
            (Err(pieces), Err(whole)) => {
                assert_eq!(pieces.to_string(), whole.to_string(), "seed {seed}: {text}");
                compared[2] += 1;
            }
            (pieces, whole) => panic!("seed {seed}: {text}\n{pieces:?}\n{whole:?}"),
        }
    }
    assert!(compared.iter().all(|count| *count > 20), "{compared:?}");
}
