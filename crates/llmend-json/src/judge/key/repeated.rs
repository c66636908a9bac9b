//! Keys that an object already has.

use crate::{
    Span,
    parser::{Window, quote},
};

/// How far back its members may begin, in bytes.
const REACH: usize = 1000;
/// Longest key that is compared, in bytes.
const KEY_REACH: usize = 80;

/// Where an object already has a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repeated {
    /// It is the first one: another record may begin.
    First,
    Later,
}

/// Returns where the object whose members begin at `start` already has the key at `at`, unless both are of
/// the same member.
pub(crate) fn repeated<'w>(
    window: &Window<'w>,
    start: usize,
    at: usize,
    budget: &mut usize,
) -> Option<Repeated> {
    if at - start > REACH {
        return None;
    }
    *budget = budget.saturating_sub((at - start) / 4);
    let name = name_at(window, at)?;
    let members = window.before(at, at - start);
    let place = find(members, name)?;
    let before = members.get(..place)?;
    let line = |text: &'w str| text.lines().next().unwrap_or_default().trim_matches([' ', ',']);
    if line(members.get(place..)?) == line(window.near(at, KEY_REACH)) {
        return None;
    }
    let first = !before.contains([':', '{', '[']);
    Some(if first { Repeated::First } else { Repeated::Later })
}

/// Returns whether the object that ends at `end` begins with the key at `at`.
pub(crate) fn begins_with(window: &Window<'_>, end: usize, at: usize, budget: &mut usize) -> bool {
    members_of(window, end)
        .is_some_and(|start| repeated(window, start, at, budget) == Some(Repeated::First))
}

/// Returns whether the object that ends at `end` begins with a key of the same name as the one at `at`.
pub(crate) fn has_same_first_key(window: &Window<'_>, end: usize, at: usize) -> bool {
    let first = members_of(window, end).map(|start| window.skip_space(start));
    first.is_some_and(|first| {
        let name = name_at(window, first);
        name.is_some() && name == name_at(window, at)
    })
}

/// Returns where the members of the object that ends at `end` begin.
fn members_of(window: &Window<'_>, end: usize) -> Option<usize> {
    let before = window.before(end, REACH);
    let mut depth = 0_usize;
    let opening = before.bytes().rposition(|byte| {
        match byte {
            b'}' | b']' => depth += 1,
            b'{' | b'[' => depth = depth.saturating_sub(1),
            _ => {}
        }
        byte == b'{' && depth == 0
    })?;
    Some(end - before.len() + opening + 1)
}

/// Returns the name of the key at `at`, without its marks, one of which may be missing.
fn name_at<'w>(window: &Window<'w>, at: usize) -> Option<&'w str> {
    let start = quote::opening(window, at).map_or(at, |delimiter| at + delimiter.open);
    let is_inside = |c: char| !quote::is_mark(c) && !matches!(c, '\n' | ',' | '{' | '[' | '\\');
    let length = window.short_word(start, KEY_REACH, is_inside);
    let inside = window.slice(Span::new(start, start + length));
    let closed = window.character(start + length).is_some_and(quote::is_mark)
        && window.byte(window.skip_space(start + length + 1)) == Some(b':');
    let name = if closed { inside } else { inside.split(':').next().unwrap_or_default() };
    (!name.trim().is_empty()).then_some(name.trim_end())
}

/// Returns where `name` is a key of `members`, the text of an object from its first member on. One of the
/// key's marks may be missing.
fn find(members: &str, name: &str) -> Option<usize> {
    memchr::memmem::find(members.as_bytes(), name.as_bytes())?;
    let (mut at, mut depth, mut last, mut begins) = (0, 0_usize, ' ', true);
    while let Some(character) = members.get(at..)?.chars().next() {
        let mut length = character.len_utf8();
        let inside = at + length;
        let is_mark = quote::is_mark(character) && !last.is_alphanumeric();
        let start = if is_mark { inside } else { at };
        let closed = is_mark && !begins;
        if depth == 0 && !last.is_alphanumeric() && is_key(members.get(start..)?, name, closed) {
            return Some(at);
        }
        match character {
            '{' | '[' | '(' => depth += 1,
            '}' | ']' | ')' => depth = depth.checked_sub(1)?,
            _ if is_mark => length += content(members.get(inside..)?, closing(character))?,
            _ => {}
        }
        at += length;
        begins = matches!(character, ',' | ';' | '\n') || (begins && character.is_whitespace());
        last = members.get(..at)?.chars().next_back().unwrap_or(' ');
    }
    None
}

/// Returns whether `text` begins with `name`, its closing mark, which has to be there if it is `closed`,
/// and a colon.
fn is_key(text: &str, name: &str, closed: bool) -> bool {
    let Some(after) = text.strip_prefix(name) else { return false };
    let behind = after.strip_prefix(quote::is_mark);
    let behind = if closed { behind } else { Some(behind.unwrap_or(after)) };
    behind.is_some_and(|behind| behind.trim_start().starts_with(':'))
}

/// Returns the length of a string with its closing `mark`.
fn content(text: &str, mark: char) -> Option<usize> {
    let mut escaped = false;
    let end = text.find(|c| {
        let ends = c == mark && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    })?;
    Some(end + mark.len_utf8())
}

/// Returns the mark that closes what `mark` opens.
const fn closing(mark: char) -> char {
    match mark {
        '“' | '„' => '”',
        '‘' => '’',
        '«' => '»',
        mark => mark,
    }
}

#[cfg(test)]
mod tests {
    use super::{Repeated, repeated};
    use crate::parser::Window;

    #[test]
    fn keys_that_stand_twice() {
        use Repeated::{First, Later};
        for (text, expected) in [
            (r#"{"id": 1, "s": "one" |"id": 2"#, Some(First)),
            ("{\n  \"id\": 1\n  |\"id\" : 2", Some(First)),
            (r#"{"id": 1, "s": "one" |"s": 2"#, Some(Later)),
            (r#"{"id": 1, "s": "one" |"t": 2"#, None),
            (r#"{"id": {"s": 1} |"s": 2"#, None),
            (r#"{"a": "s: 1, \"s\": 2" |"s": 2"#, None),
            (r#"{"ids": 1 |"id": 2"#, None),
            (r#"{"a": "id" |"id": 2"#, None),
            ("{'id': 1 |'id': 2", Some(First)),
            ("{id: 1, v: it's |id: 2", Some(First)),
            ("{id\": 1 |\"id\": 2", Some(First)),
            ("{\"id: 1, \"v\": 2 |\"id\": 2", Some(First)),
            ("{\"id: 1, \"v\": 2 |\"v\": 2", Some(Later)),
            ("{v: 1, id: 2 |id: 3", Some(Later)),
            ("{v: 1, id: 2 |id: 2", None),
            ("{“id”: 1 |“id”: 2", Some(First)),
            ("{\"a:b\": 1 |\"a:c\": 2", None),
            ("{\"a:b\": 1 |\"a:b\": 2", Some(First)),
            ("{\"id\": 1 |\"id: 2", Some(First)),
            (r#"{"a": [1, 2], "b": 3 |"b": 2"#, Some(Later)),
        ] {
            let at = text.find('|').expect(text);
            let text = text.replace('|', "");
            let found = repeated(&Window::whole(&text), 1, at, &mut 10_000);
            assert_eq!(found, expected, "{text}");
        }
        let long = format!(r#"{{"id": 1, "s": "{}" "id": 2"#, "x".repeat(1000));
        let at = long.rfind("\"id").expect("a key");
        assert_eq!(repeated(&Window::whole(&long), 1, at, &mut 10_000), None);
    }
}
