//! Superfluous quotes at the edges of a string: `"a""`.

/// Longest number of inches, in bytes.
const INCHES_LENGTH: usize = 4;

/// The place of a superfluous quote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Edge {
    Start,
    End,
}

/// Returns where the only unescaped quote in the content `text` of a string is, if it is at an edge.
/// Quotes of quotations come in pairs, so it belongs to the marks of the string, unless it is an inch
/// mark.
pub(crate) fn stray_mark(text: &str) -> Option<Edge> {
    let (edge, rest) = match (text.strip_prefix('"'), text.strip_suffix('"')) {
        (Some(rest), _) => (Edge::Start, rest),
        (None, Some(rest)) if !rest.ends_with('\\') && !ends_in_inches(rest) => (Edge::End, rest),
        _ => return None,
    };
    (!rest.trim().is_empty() && !has_quote(rest)).then_some(edge)
}

/// Returns whether a quote that is not escaped is in `text`.
fn has_quote(text: &str) -> bool {
    let mut escaped = false;
    text.bytes().any(|byte| {
        let quote = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        quote
    })
}

/// Returns whether `text` ends in a number of inches.
fn ends_in_inches(text: &str) -> bool {
    let number = |c: char| c.is_ascii_digit() || matches!(c, '.' | '/' | '½' | '¼' | '¾');
    let before = text.trim_end_matches(number);
    let inches = text.get(before.len()..).unwrap_or_default();
    let apart = |c: char| c.is_whitespace() || matches!(c, 'x' | '×' | '\'' | '′' | '(' | '-');
    !inches.is_empty()
        && inches.len() <= INCHES_LENGTH
        && !(inches.starts_with('0') && inches.len() > 1)
        && before.chars().next_back().is_none_or(apart)
}

#[cfg(test)]
mod tests {
    use super::{Edge, stray_mark};

    #[test]
    fn quotes_at_an_edge() {
        for (text, expected) in [
            ("\"a", Some(Edge::Start)),
            ("a\"", Some(Edge::End)),
            ("a.\"", Some(Edge::End)),
            ("5\"", None),
            ("5.5\"", None),
            ("6'2\"", None),
            ("doc_3\"", Some(Edge::End)),
            ("01067\"", Some(Edge::End)),
            ("\"say \\\"a\\\"", Some(Edge::Start)),
            ("a\\\"", None),
            ("\"a\"", None),
            ("say \"a\"", None),
            ("a \" b", None),
            ("\"", None),
            ("a", None),
        ] {
            assert_eq!(stray_mark(text), expected, "{text}");
        }
    }
}
