//! Code in the place of a value: calls, functions, subscripts and the representations of objects.

use super::is_strict;
use crate::judge::words::conversion;

/// Returns the range of the argument of a type wrapper.
pub(super) fn wrapper(text: &str) -> Option<(usize, usize)> {
    let open = text.find('(')?;
    let name = text.get(..open)?;
    if !conversion::converts(name) || !text.ends_with(')') {
        return None;
    }
    let inside = text.get(open + 1..text.len() - 1)?;
    let argument = inside.trim();
    let quoted = ['"', '\''].into_iter().any(|quote| {
        argument.len() >= 2
            && argument.starts_with(quote)
            && argument.find([quote, '\\']).is_some_and(|first| {
                first == 0
                    && argument.get(1..).and_then(|rest| rest.find([quote, '\\']))
                        == Some(argument.len() - 2)
            })
    });
    if !quoted && !is_strict(argument) {
        return None;
    }
    let start = open + 1 + inside.find(argument)?;
    Some((start, start + argument.len()))
}

/// Returns whether `text` is a call, a function, a regular expression or an object's
/// representation.
pub(super) fn is_code(text: &str) -> bool {
    if text.starts_with('<') && text.ends_with('>') {
        return text.contains(' ');
    }
    if text.starts_with("function") || text.starts_with("lambda ") || text.contains("=>") {
        return true;
    }
    if let Some(rest) = text.strip_prefix('/') {
        let flags = rest.rfind('/').and_then(|at| rest.get(at + 1..));
        return flags.is_some_and(|flags| flags.bytes().all(|b| b"dgimsuvy".contains(&b)))
            && !rest.starts_with('/')
            && rest.rfind('/').is_some_and(|at| {
                rest.get(..at).is_some_and(|body| {
                    body.contains(['+', '*', '\\', '[', '(', '^', '$', '|', '.'])
                })
            });
    }
    if is_subscript(text) {
        return true;
    }
    let Some(open) = text.find('(') else { return false };
    let name = text.get(..open).unwrap_or_default();
    let name = name.strip_prefix("new ").unwrap_or(name);
    !name.is_empty()
        && name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | ':'))
        && text.ends_with([')', '}'])
        && closing_parenthesis(text, open) == Some(text.len() - 1)
}

/// Returns whether `text` is a name with a key in brackets: `os.environ["HOME"]`.
fn is_subscript(text: &str) -> bool {
    let Some((name, key)) = text.split_once('[') else { return false };
    let key = key.strip_suffix(']').unwrap_or_default();
    let inside = key.strip_prefix(['"', '\'']).and_then(|key| key.strip_suffix(['"', '\'']));
    name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'))
        && inside.is_some_and(|key| !key.is_empty() && !key.contains(['"', '\'', '[', ']']))
}

/// Returns the position of the parenthesis that closes the one at `open`.
fn closing_parenthesis(text: &str, open: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (at, byte) in text.bytes().enumerate().skip(open) {
        match byte {
            b'(' => depth += 1,
            b')' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}
