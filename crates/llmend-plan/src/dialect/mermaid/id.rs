//! Ids of nodes.

use crate::dialect::mermaid::{link, shape};

/// Parses the id at the start of `text`, and returns it with its length. Models write ids with spaces.
pub(super) fn parse(text: &str) -> Option<(&str, usize)> {
    if let Some(inner) = text.strip_prefix('"') {
        let end = inner.get(..inner.find('\n').unwrap_or(inner.len()))?.find('"')?;
        return Some((inner.get(..end)?, end + 2)).filter(|(id, _)| !id.is_empty());
    }
    let (mut end, mut is_apart) = (0, false);
    for (at, one) in text.char_indices() {
        let rest = text.get(at..)?;
        if matches!(one, ' ' | '\t') {
            is_apart = true;
            continue;
        }
        let is_cross = is_apart && rest.starts_with(['x', 'o'])
            || rest.starts_with(['<', '-', '=', '~', '→', '⟶', '—', '–', '➔']);
        let is_id = is_apart && link::has_id(rest);
        if one.is_whitespace()
            || matches!(one, ';' | '&' | '|' | '"' | ',' | ']' | ')' | '}')
            || rest.starts_with(":::")
            || rest.starts_with("%%")
            || shape::opens(rest)
            || is_cross && link::starts(rest)
            || is_id
        {
            break;
        }
        is_apart = false;
        end = at + one.len_utf8();
    }
    let id = text.get(..end)?;
    (!id.is_empty()).then_some((id, end))
}
