//! Brackets that are none of a value: those that prose mentions in quotes, and progress bars.
//!
//! An answer that explains its own form contains brackets as words: `it begins with "{": `. The
//! quotation opens where a word may begin and closes where one may end, and the bracket is not
//! closed in it. In a quoted value, by contrast, the first quote after the bracket opens a key or
//! an item, and text follows directly.

use crate::{Span, parser::Window};

/// Most of a quotation that is read on either side of the bracket, in bytes or characters.
const REACH: usize = 48;

/// Returns the end of the quotation that mentions the bracket at `at`, if there is one.
pub(super) fn end(window: &Window<'_>, at: usize) -> Option<usize> {
    let (open, close) = quotation(window, at)?;
    let inside = at + window.short_word(at, REACH, |c| matches!(c, '{' | '[' | '｛' | '［'));
    let is_prose = |c| c != close && c != open && !matches!(c, '}' | ']' | ':' | ',' | '\\' | '\n');
    let last = inside + window.short_word(inside, REACH, is_prose);
    let words = window.slice(Span::new(inside, last));
    if window.character(last) != Some(close) || words.ends_with(char::is_whitespace) {
        return None;
    }
    let end = last + close.len_utf8();
    let alone = words.is_empty();
    // A mark that can only close is proof by itself. A straight quote may also open something.
    ((alone && open != close) || is_closed(window, end, alone)).then_some(end)
}

/// Returns the end of the progress bar at `at`: signs alone between brackets, `[####--]`.
pub(super) fn bar(window: &Window<'_>, at: usize) -> Option<usize> {
    let is_sign = |c| matches!(c, '#' | '=' | '-' | '>' | '.' | '*' | '█' | '▓' | '▒' | '░' | ' ');
    let inside = at + 1 + window.short_word(at + 1, REACH, is_sign);
    let signs = window.slice(Span::new(at + 1, inside));
    (window.byte(inside) == Some(b']') && signs.starts_with(['#', '=', '-', '█', '▓', '░', '.']))
        .then_some(inside + 1)
}

/// Returns the last quotation mark before `at` if it opens a quotation, and the mark that closes
/// it.
fn quotation(window: &Window<'_>, at: usize) -> Option<(char, char)> {
    let line = window.before(at, REACH);
    let is_mark = |&(place, c): &(usize, char)| match c {
        '"' | '“' | '”' | '„' | '`' | '«' | '»' | '「' | '」' | '\n' => true,
        // Words contain apostrophes, so an apostrophe opens a quotation of brackets alone.
        '\'' | '‘' => place + c.len_utf8() == line.len(),
        _ => false,
    };
    let (place, mark) = line.char_indices().rfind(is_mark)?;
    let close = match mark {
        '"' | '\'' | '`' => mark,
        '“' => '”',
        '„' => '“',
        '‘' => '’',
        '«' => '»',
        '「' => '」',
        _ => return None,
    };
    let starts = match window.character_before(at - line.len() + place) {
        None | Some('(' | '（') => true,
        Some(before) => mark != close || before.is_whitespace(),
    };
    let inside = line.get(place + mark.len_utf8()..)?;
    (starts && !inside.starts_with(char::is_whitespace)).then_some((mark, close))
}

/// Returns whether prose continues at `end`, after a quotation. After a quotation of brackets
/// alone, anything may follow except the start of a key. After words, a colon or comma would make
/// them a member or an item.
fn is_closed(window: &Window<'_>, end: usize, alone: bool) -> bool {
    let marks = window.short_word(end, REACH, |c| match c {
        '.' | '!' | '?' | ')' | '）' | '。' => true,
        ':' | ',' | ';' | '：' | '，' => alone,
        _ => false,
    });
    match window.character(end + marks) {
        None => window.at_end,
        Some(next) if !next.is_whitespace() => false,
        Some(_) => {
            let next = window.character(window.skip_space(end + marks));
            alone || !matches!(next, Some(':' | ',' | '=' | '}' | ']' | '"'))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{bar, end};
    use crate::parser::Window;

    /// Checks the length of the quotation from the first bracket of each text, or 0.
    #[test]
    fn mentioned_brackets() {
        for (text, expected) in [
            // Alone in quotes of any kind, before any prose.
            (r#"as in "{": {"a": 1}"#, 2),
            (r#"opens with "{" and"#, 2),
            (r#"(see "{")"#, 2),
            (r#"opens with "[", then"#, 2),
            (r#"opens with "[{"."#, 3),
            (r#""{""#, 2),
            ("opens with '{': {'a': 1}", 2),
            ("opens with `{` and", 2),
            ("opens with “{”: {}", 4),
            ("opens with „{“, then", 4),
            ("opens with «[» and", 3),
            ("以「{」开头：{}", 4),
            ("它是“{“a”: 1}”", 0),
            ("它是“{a”：1}”", 0),
            // Among words.
            (r#"write "if (x) {" here"#, 2),
            (r#"write "{x" here"#, 3),
            ("don't write \"{ so\" here", 5),
            // The quote behind it opens a key or an item.
            (r#"it is "{"a": 1}""#, 0),
            (r#"it is "{"a b": 1}""#, 0),
            (r#"it is "["a", "b"]""#, 0),
            (r#"it is "{ "a": 1 }""#, 0),
            (r#"it is "{""a"": 1}""#, 0),
            (r#"it is "{\"a\": 1}""#, 0),
            (r#"it is "{".": 1}""#, 0),
            ("it is '{'a': 1}'", 0),
            // It is closed in the quotation: a value of its own.
            (r#"it is "{a: 1}" or"#, 0),
            (r#"it is "[1]" or"#, 0),
            (r#"it is "{}""#, 0),
            // Items and members.
            (r#"it is "{a": 1}"#, 0),
            (r#"it is "{a" : 1}"#, 0),
            (r#"it is "[a", "b"]"#, 0),
            // No quotation opens before it, or none closes behind it.
            (r#"the "a" {" b": 1}"#, 0),
            (r#"the "a {b"#, 0),
            (r#"x="{" y"#, 0),
            ("the dogs' {' and", 0),
            ("\"the\n{\" and", 0),
            (r#"{"a": 1}"#, 0),
        ] {
            let at = text.find(['{', '[']).expect(text);
            let found = end(&Window::whole(text), at).map_or(0, |end| end - at);
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn progress_bars() {
        for (text, expected) in [
            ("[####] 100%", Some(6)),
            ("[=====>   ]", Some(11)),
            ("[██░░] 3/6", Some(14)),
            ("[# a\n]", None),
            ("[#1]", None),
            ("[]", None),
            ("[ ]", None),
            ("[-1]", None),
            ("[##", None),
        ] {
            assert_eq!(bar(&Window::whole(text), 0), expected, "{text}");
        }
    }

    #[test]
    fn incomplete_text_is_awaited() {
        for text in ["as in \"{", "as in \"{\"", "as in \"{\":", "as in \"if {x"] {
            let window = Window::part(text, 0, false);
            let at = text.find('{').expect(text);
            assert_eq!(end(&window, at), None, "{text}");
            assert!(window.is_starved(), "{text}");
        }
        let window = Window::part("[##", 0, false);
        assert_eq!(bar(&window, 0), None);
        assert!(window.is_starved());
        let window = Window::part("it is {", 0, false);
        assert_eq!(end(&window, 6), None);
        assert!(!window.is_starved());
    }
}
