//! Repairs, and their application to a text.

use std::borrow::Cow;

use serde::{Serialize, Serializer, ser::SerializeStruct};

use crate::{Class, Rule, Span};

/// One edit: replaces the bytes at `span` of the caller's text with `replacement`.
///
/// An insertion has an empty span, a removal an empty replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// The rule.
    pub rule: Rule,
    /// The replaced bytes of the caller's text.
    pub span: Span,
    /// The new text.
    pub replacement: Cow<'static, str>,
}

impl Repair {
    /// Returns whether this removes the record at `span`, which cannot be read.
    pub(crate) fn removes_record(&self, span: Span) -> bool {
        self.rule == Rule::UnreadableItem && self.span == span && self.replacement.is_empty()
    }

    /// Returns the class of the rule.
    #[must_use]
    pub const fn class(&self) -> Class {
        self.rule.class()
    }
}

impl Serialize for Repair {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut row = serializer.serialize_struct("Repair", 5)?;
        row.serialize_field("rule", self.rule.name())?;
        row.serialize_field("class", self.class().as_str())?;
        row.serialize_field("start", &self.span.start)?;
        row.serialize_field("end", &self.span.end)?;
        row.serialize_field("replacement", &self.replacement)?;
        row.end()
    }
}

/// Applies `repairs` to the part of `original` that `candidate` covers, and returns the result.
///
/// `repairs` must be sorted by start and disjoint, as in every report. Repairs outside of
/// `candidate` are skipped.
///
/// ```
/// let answer = "Sure: {'a': 1}";
/// let repaired = llmend_json::repair(answer)?;
/// let report = &repaired.report;
/// assert_eq!(llmend_json::apply(answer, report.candidate.span, &report.repairs), repaired.text);
/// # Ok::<(), llmend_json::Error>(())
/// ```
#[must_use]
pub fn apply(original: &str, candidate: Span, repairs: &[Repair]) -> String {
    let grown: usize = repairs.iter().map(|repair| repair.replacement.len()).sum();
    let mut out = String::with_capacity(candidate.len() + grown);
    let mut at = candidate.start;
    for repair in repairs {
        if repair.span.start < at || repair.span.end > candidate.end {
            continue;
        }
        out.push_str(Span::new(at, repair.span.start).of(original));
        out.push_str(&repair.replacement);
        at = repair.span.end;
    }
    out.push_str(Span::new(at, candidate.end).of(original));
    out
}

/// Maps spans of repaired text back to the original. Spans must be queried in order.
pub(crate) struct Sources<'r> {
    /// The repairs after the last queried position.
    repairs: &'r [Repair],
    /// End of the repairs before them, in the output and in the original.
    output: usize,
    original: usize,
}

impl<'r> Sources<'r> {
    /// Creates a map for the output of [`apply`].
    pub(crate) const fn new(candidate: Span, repairs: &'r [Repair]) -> Self {
        Self { repairs, output: 0, original: candidate.start }
    }

    /// Returns the span of the original that the token at `span` of the output was made from.
    pub(crate) fn of(&mut self, span: Span) -> Span {
        Span::new(self.byte(span.start).start, self.byte(span.end - 1).end)
    }

    /// Returns the origin of the byte at `offset` of the output: a byte, or the span of a repair.
    fn byte(&mut self, offset: usize) -> Span {
        while let Some((repair, rest)) = self.repairs.split_first() {
            let start = self.output + (repair.span.start - self.original);
            let end = start + repair.replacement.len();
            if offset < start {
                break;
            }
            if offset < end {
                return repair.span;
            }
            (self.output, self.original, self.repairs) = (end, repair.span.end, rest);
        }
        let at = self.original + (offset - self.output);
        Span::new(at, at + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::Sources;
    use crate::Span;

    #[test]
    fn output_spans_map_back_to_the_original() {
        let text = "see {a: 1, /* x */'b': 2, \"c\": 3";
        let repaired = crate::repair(text).unwrap();
        let mut sources = Sources::new(repaired.report.candidate.span, &repaired.report.repairs);
        for (key, expected) in [("\"a\"", "a"), ("\"b\"", "'b'"), ("\"c\"", "\"c\"")] {
            let at = repaired.text.find(key).unwrap();
            assert_eq!(sources.of(Span::new(at, at + key.len())).of(text), expected);
        }
    }

    #[test]
    fn duplicate_keys_have_the_same_span_in_a_text_as_in_a_value() {
        for (text, later) in [
            ("{\"a\"：1, \"a\"：2}", "\"a\""),
            ("{'a'：1, 'a'：2}", "'a'"),
            ("{a：1, a：2}", "a"),
            ("{“a”：1, “a”：2}", "“a”"),
            ("{＂a＂：1, ＂a＂：2}", "＂a＂"),
            ("{＂a＂ ：1, ＂a＂ ：2}", "＂a＂"),
            ("{\"a: 1, \"a: 2}", "\"a"),
        ] {
            let reports = [crate::parse(text).unwrap().report, crate::repair(text).unwrap().report];
            for report in reports {
                let [row] = &report.diagnostics[..] else { panic!("{text}: {report:?}") };
                let start = text.rfind(later).unwrap();
                assert_eq!(row.span, Some(Span::new(start, start + later.len())), "{text}");
            }
        }
    }
}
