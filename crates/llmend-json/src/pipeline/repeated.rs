//! What keys that an object has twice say of its value.

use super::{
    conclusion::{ReadOutcome, check_class},
    read::read,
};
use crate::{
    Class, Diagnostic, Error, Options, Report, RuleSet, Search, Severity, Span, Value,
    repair::Sources, value::build::Tape,
};

/// The code of the warning for a duplicate key.
pub(crate) const DUPLICATE_KEY: &str = "value/duplicate-key";

/// Adds the warnings for duplicate keys.
pub(crate) fn note_duplicates(
    report: &mut Report,
    rows: impl IntoIterator<Item = Diagnostic>,
    text: &str,
    max_class: Class,
) -> Result<(), Error> {
    let known = report.diagnostics.len();
    report.diagnostics.extend(rows);
    if report.diagnostics.len() == known { Ok(()) } else { doubt(report, text, max_class) }
}

/// Makes a repaired value with a duplicate key a guess: where a text has faults, that key may begin
/// another record. In valid JSON it is what was written.
pub(crate) fn doubt(report: &mut Report, text: &str, max_class: Class) -> Result<(), Error> {
    report.class = report.class.map(|class| class.max(Class::Guess));
    check_class(text, report, max_class)
}

/// Returns a warning for each duplicate key of an object. A value without any is marked so: while it
/// was read, keys were only compared by a few bits of their hashes.
pub(crate) fn duplicates(value: &mut Value<'_>) -> Vec<Diagnostic> {
    if !value.may_repeat_keys() {
        return Vec::new();
    }
    let rows = value.duplicate_keys().into_iter().map(|(path, key, span)| {
        Diagnostic::new(
            DUPLICATE_KEY,
            Severity::Warning,
            format!("duplicate key \"{key}\"; parsers keep the last value"),
        )
        .at(span)
        .on(path)
    });
    let rows: Vec<_> = rows.collect();
    if rows.is_empty() {
        value.mark_distinct_keys();
    }
    rows
}

/// Returns a warning for each duplicate key in `output`, located in the text that `report` is
/// about.
pub(super) fn duplicates_of_output(output: &str, report: &Report) -> Vec<Diagnostic> {
    let strict = Options {
        rules: RuleSet::NONE,
        search: Search::Off,
        max_depth: usize::MAX,
        max_bytes: usize::MAX,
        ..Options::default()
    };
    let Ok(ReadOutcome { built, sink, .. }) =
        read::<Tape>(output, &strict, false, &mut |_, _| None)
    else {
        return Vec::new();
    };
    let mut value = sink.finish(output, Span::default(), &built, false);
    let mut sources = Sources::new(report.candidate.span, &report.repairs);
    let mut rows: Vec<Diagnostic> = value.iter_mut().flat_map(duplicates).collect();
    let mut in_order: Vec<&mut Diagnostic> = rows.iter_mut().collect();
    in_order.sort_by_key(|row| row.span);
    for row in in_order {
        row.span = row.span.map(|span| sources.of(span));
    }
    rows
}

#[cfg(test)]
mod tests {
    use crate::{
        Choice, Class, Events, Options, Stream, parse_to_serde_with, parse_with, repair_with,
    };

    #[test]
    fn a_repaired_value_with_a_duplicate_key_is_a_guess() {
        for (text, class) in [
            (r#"{"a": 1, "a": 2}"#, None),
            (r#"Here: {"a": 1, "a": 2}"#, None),
            (r#"{"a": 1, "a": 2,}"#, Some(Class::Guess)),
            (r#"[{"a": 1, "b": 2}, {"a": 1, "a": 2},]"#, Some(Class::Guess)),
            (r#"{"a": {"a": 1}, "b": {"a": 2},}"#, Some(Class::Notation)),
            // Equal at both ends and in length.
            (r#"{"2026-01-01T00:00:00": 1, "2026-01-11T00:00:00": 2,}"#, Some(Class::Notation)),
            (r#"{"a": 1, "b": 2, "a"}"#, Some(Class::Guess)),
        ] {
            for choice in [Choice::Best, Choice::First] {
                let options = Options { choice, ..Options::default() };
                let parsed = parse_with(text, &options).expect(text).report.class;
                let repaired = repair_with(text, &options).expect(text).report.class;
                let serde = parse_to_serde_with(text, &options).expect(text).1.class;
                let mut stream = Stream::new(options.clone());
                stream.push(text.as_bytes());
                let streamed = stream.finish().expect(text).report.class;
                let mut events = Events::new(options);
                events.push(text.as_bytes());
                let evented = events.finish().expect(text).1.class;
                let all = [parsed, repaired, serde, streamed, evented];
                assert_eq!(all, [class; 5], "{text}");
            }
        }
    }

    #[test]
    fn a_limit_on_classes_refuses_it() {
        let options = Options { max_class: Class::Completion, ..Options::default() };
        let code = |text| parse_with(text, &options).map_err(|error| error.code()).err();
        assert_eq!(code("{'a': 1, 'a': 2}"), Some("repair/class"));
        assert_eq!(code("{'a': 1, 'b': 2}"), None);
    }
}
