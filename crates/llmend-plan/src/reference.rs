//! References to the outputs of other steps.
//!
//! Models write `{{step-1.response.price}}` (`GoMind`), `$1` or `${1}` (LLMCompiler) and `#E1`
//! (`ReWOO`). llmend only finds references; whoever runs the plan substitutes them.

use llmend_json::Span;

/// The syntax of a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Syntax {
    /// `{{step-1.response.price}}`
    Template,
    /// `$1`
    Dollar,
    /// `${1}`, `${step.field}`
    Braced,
    /// `#E1`
    Evidence,
}

/// A reference to the output of another step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reference<'t> {
    /// The syntax.
    pub(crate) syntax: Syntax,
    /// Id of the step: the part before the first dot; `E1` for `#E1`.
    pub(crate) step: &'t str,
    /// The field of its output: the part after the first dot, or empty.
    pub(crate) field: &'t str,
    /// Position in the text, delimiters included.
    pub(crate) span: Span,
}

/// Returns all well-formed references in `text`, in text order.
pub(crate) fn references(text: &str) -> Vec<Reference<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = text.get(at..).and_then(|rest| rest.find(['{', '$', '#'])) {
        let start = at + start;
        match reference_at(text, start) {
            Some(reference) => {
                at = reference.span.end;
                found.push(reference);
            }
            None => at = start + 1,
        }
    }
    found
}

/// Parses the reference that begins at `start`.
fn reference_at(text: &str, start: usize) -> Option<Reference<'_>> {
    let rest = text.get(start..)?;
    let (syntax, inner, length) = if let Some(inner) = rest.strip_prefix("{{") {
        let inner = inner.get(..inner.find("}}")?)?;
        (Syntax::Template, inner, inner.len() + 4)
    } else if let Some(inner) = rest.strip_prefix("${") {
        let inner = inner.get(..inner.find('}')?)?;
        (Syntax::Braced, inner, inner.len() + 3)
    } else if let Some(inner) = rest.strip_prefix('$') {
        let digits = inner.get(..digits(inner))?;
        (Syntax::Dollar, digits, digits.len() + 1)
    } else {
        let inner = rest.strip_prefix("#E")?;
        let digits = digits(inner);
        let inner = rest.get(1..2 + digits).filter(|_| digits > 0)?;
        (Syntax::Evidence, inner, digits + 2)
    };
    let (step, field) = split(inner.trim())?;
    Some(Reference { syntax, step, field, span: Span::new(start, start + length) })
}

fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

/// Splits `step-1.response.price` into step and field; `None` if it is malformed.
fn split(inner: &str) -> Option<(&str, &str)> {
    let word = |part: &str| {
        !part.is_empty()
            && part.chars().all(|one| one.is_alphanumeric() || one == '_' || one == '-')
    };
    if !inner.split('.').all(word) {
        return None;
    }
    Some(inner.split_once('.').unwrap_or((inner, "")))
}

/// Returns the reference that makes up all of `text`, if it is one.
pub(crate) fn only(text: &str) -> Option<Reference<'_>> {
    let text = text.trim();
    reference_at(text, 0).filter(|reference| reference.span.end == text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_references_of_every_syntax() {
        // S1-12: the text is not changed.
        let rows: [(&str, &[(&str, &str)]); 10] = [
            (
                "buy {{step-1.response.id}} for $5.00, see #E2",
                &[("step-1", "response.id"), ("5", ""), ("E2", "")],
            ),
            ("{{step-1.response.price}}", &[("step-1", "response.price")]),
            ("{{ s1 }} and {{s_2.x}}", &[("s1", ""), ("s_2", "x")]),
            ("$1 ${2} ${a.b} #E3", &[("1", ""), ("2", ""), ("a", "b"), ("E3", "")]),
            ("$ #E # { {x} {{}} {{a b}} ${} $x", &[]),
            ("{{a..b}} {{a.}} {{.a}}", &[]),
            ("{{open", &[]),
            ("{{{a}}}", &[("a", "")]),
            ("{{ü.ß}}", &[("ü", "ß")]),
            ("#E12x", &[("E12", "")]),
        ];
        for (text, expected) in rows {
            let found = references(text);
            let pairs: Vec<_> = found.iter().map(|one| (one.step, one.field)).collect();
            assert_eq!(pairs, expected, "{text}");
            for one in found {
                assert!(one.span.of(text).contains(one.step), "{text}");
            }
        }
    }

    #[test]
    fn only_accepts_a_single_reference() {
        assert_eq!(only(" {{a.b}} ").map(|one| one.step), Some("a"));
        assert_eq!(only("$1 $2"), None);
        assert_eq!(only("a"), None);
    }
}
