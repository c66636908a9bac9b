//! Which other steps does a text refer to?
//!
//! Models write `{{step-1.response.price}}` (`GoMind`), `$1` or `${1}` (LLMCompiler) and `#E1`
//! (`ReWOO`). The text stays as it is: what stands in the place of a reference is for whoever runs
//! the plan.

use llmend_json::Span;

/// How a reference is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Syntax {
    /// `{{step-1.response.price}}`
    Template,
    /// `$1`
    Dollar,
    /// `${1}`, `${step.field}`
    Braced,
    /// `#E1`
    Evidence,
}

/// A reference to what another step gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference<'t> {
    /// How it is written.
    pub syntax: Syntax,
    /// What names the step: up to the first dot; of `#E1` it is `E1`.
    pub step: &'t str,
    /// What of its answer is meant: after the first dot, empty if nothing is said.
    pub field: &'t str,
    /// Where it stands in the text, from its first sign to its last.
    pub span: Span,
}

/// All well-formed references in `text`, in their order.
///
/// ```
/// use llmend_plan::reference::references;
///
/// let found = references("buy {{step-1.response.id}} for $5.00, see #E2");
/// let found: Vec<_> = found.iter().map(|one| (one.step, one.field)).collect();
/// assert_eq!(found, [("step-1", "response.id"), ("5", ""), ("E2", "")]);
/// ```
#[must_use]
pub fn references(text: &str) -> Vec<Reference<'_>> {
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

/// The reference that begins at `start`.
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

/// The step and the field of `step-1.response.price`, if it is nothing else.
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

/// The one reference that `text` is, and nothing beside it.
pub(crate) fn only(text: &str) -> Option<Reference<'_>> {
    let text = text.trim();
    reference_at(text, 0).filter(|reference| reference.span.end == text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_of_writing_a_reference_is_known() {
        // S1-12: the text is only looked at.
        let rows: [(&str, &[(&str, &str)]); 9] = [
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
    fn a_text_may_be_nothing_but_a_reference() {
        assert_eq!(only(" {{a.b}} ").map(|one| one.step), Some("a"));
        assert_eq!(only("$1 $2"), None);
        assert_eq!(only("a"), None);
    }
}
