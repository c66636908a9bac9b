//! The two corpora of texts collected by hand, read from fixtures.

use crate::case::{Case, Verdict};
use crate::data::Data;

/// Single small defects.
#[must_use]
pub fn defects() -> Vec<Case> {
    load(include_str!("../fixtures/defects.jsonl"))
}

/// Complete answers in shapes that models write.
#[must_use]
pub fn dev() -> Vec<Case> {
    load(include_str!("../fixtures/dev.jsonl"))
}

/// Reads cases from JSON lines.
///
/// # Panics
/// When a line is not a case: the fixtures are part of this crate.
#[must_use]
pub fn load(lines: &str) -> Vec<Case> {
    lines.lines().filter(|line| !line.trim().is_empty()).map(case).collect()
}

fn case(line: &str) -> Case {
    let row = Data::read(line).unwrap_or_else(|error| panic!("{error} in {line}"));
    let text = |key: &str| row.get(key).and_then(Data::as_text).unwrap_or_default().to_owned();
    let verdict = match text("verdict").as_str() {
        "value" => Verdict::Value,
        "error" => Verdict::Error,
        "ambiguous" => Verdict::Ambiguous,
        other => panic!("no verdict {other:?} in {line}"),
    };
    let accept = match row.get("accept") {
        Some(Data::List(items)) => items.clone(),
        _ => Vec::new(),
    };
    Case {
        id: text("id"),
        shape: text("shape"),
        kinds: Vec::new(),
        input: text("input"),
        expected: row.get("expected").filter(|_| verdict != Verdict::Error).cloned(),
        verdict,
        accept,
        note: text("note"),
        valid_json: row.get("valid_json") == Some(&Data::Bool(true)),
        cut: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::{Answer, Outcome, judge};

    #[test]
    fn both_corpora_load() {
        assert_eq!(defects().len(), 184);
        assert_eq!(dev().len(), 197);
    }

    #[test]
    fn valid_cases_say_so() {
        // The flag was set by a parser that also accepts `NaN` and lone surrogates.
        for case in defects().into_iter().chain(dev()) {
            assert!(case.valid_json || Data::read(&case.input).is_err(), "{}", case.id);
        }
    }

    #[test]
    fn the_expected_value_is_right() {
        for case in defects().into_iter().chain(dev()) {
            let right = case.expected.clone().map_or(Answer::Refused(String::new()), Answer::Value);
            assert_eq!(judge(&case, &right), Outcome::Right, "{}", case.id);
        }
    }
}
