//! The distinction between escapes and literal backslashes in a string.
//!
//! Only needed for strings with at least one escape that JSON does not define.

pub(crate) mod ahead;
mod commands;

use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::parser::window::legal_escape;
use commands::{COMMANDS, FORMULA, OPERATORS, SHORT, is_one};

/// How the backslashes of a string are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BackslashMode {
    /// As escapes, except those that JSON does not define.
    Escapes,
    /// As text, except doubled ones and escaped quotes.
    Literal,
    /// As escapes. Those of Markdown lose their backslash, too.
    Markdown,
    /// As text in words with an escape that JSON does not define, as escapes elsewhere.
    ByWord,
    /// As text at the start of a `LaTeX` command, as escapes elsewhere.
    Formula,
    /// As escapes, except those that text does not contain.
    Plain,
}

/// Longest part of a word that is read on either side, in bytes.
pub(crate) const WORD_REACH: usize = 200;

/// Returns how the backslashes of `content`, the inside of a string, are read.
pub(crate) fn backslash_mode(content: &str) -> BackslashMode {
    let start = content.trim_start_matches(['"', '\'', '(', ' ']);
    let drive = is_drive(start);
    let open = (content.len() - content.trim_end_matches('\\').len()) % 2 == 1;
    if drive && open {
        // A path that ends with its separator.
        return BackslashMode::Literal;
    }
    if !has_unknown(content, |_| true) {
        return BackslashMode::Escapes;
    }
    let path =
        drive || start.starts_with("\\\\") || start.starts_with(".\\") || start.starts_with("..\\");
    // Python escapes apostrophes, which proves nothing.
    let unknown = has_unknown(content, |byte| byte != b'\'');
    if path && unknown {
        return BackslashMode::Literal;
    }
    // `\(` or `\[` beside a command is `LaTeX`, too.
    let known = |commands: &'static [&'static str]| {
        has_command(content, |at| is_one(commands, letters(content, at)))
    };
    if known(FORMULA)
        || (has_unknown(content, |byte| b"()[]{}|,;!".contains(&byte))
            && (known(COMMANDS) || known(OPERATORS)))
        || has_command_in_dollars(content)
    {
        return BackslashMode::Formula;
    }
    let word = has_unknown(content, |byte| byte.is_ascii_alphanumeric());
    if word || (unknown && has_control(content)) {
        return BackslashMode::ByWord;
    }
    // `\_` is escaped where the others are.
    if has_unknown(content, |byte| byte == b'_')
        && has_unknown(content, |byte| b"*#".contains(&byte))
    {
        return BackslashMode::Markdown;
    }
    BackslashMode::Escapes
}

/// Returns whether the legal escape at `at` is text in a formula.
pub(crate) fn is_command(content: &str, at: usize) -> bool {
    let command = letters(content, at);
    is_one(COMMANDS, command)
        || is_control(content, at)
        || (command.len() > 1
            && content.get(at + 1 + command.len()..).is_some_and(|rest| rest.starts_with('{')))
}

/// Returns whether the legal escape at `at` is text where another string has shown that backslashes
/// are: no text contains its character, or it begins a command.
pub(crate) fn is_plain(content: &str, at: usize) -> bool {
    is_control(content, at) || is_long_command(content, at)
}

/// Returns whether the legal escape at `at` is text in a string read by word.
pub(crate) fn is_text(content: &str, at: usize) -> bool {
    if is_command(content, at) {
        return true;
    }
    // A comma inside a repetition, as in `\w{2,}`, is part of the word.
    let stop = |place: usize, c: char| {
        let bounds = c == ',' && is_in_repetition(content, place);
        c.is_whitespace() || (matches!(c, '"' | '\'' | ',' | ';' | '`') && !bounds)
    };
    let near = |place: usize| {
        (place.min(content.len())..=content.len())
            .find(|&end| content.is_char_boundary(end))
            .unwrap_or(0)
    };
    let start = near(at.saturating_sub(WORD_REACH));
    let before = content.get(start..at).unwrap_or_default();
    let from = before
        .char_indices()
        .rev()
        .find(|&(place, c)| stop(start + place, c))
        .map_or(start, |(place, c)| start + place + c.len_utf8());
    let rest = content.get(at..near(at + WORD_REACH)).unwrap_or_default();
    let to = rest
        .char_indices()
        .find(|&(place, c)| stop(at + place, c))
        .map_or(at + rest.len(), |(place, _)| at + place);
    let word = content.get(from..to).unwrap_or_default();
    if is_drive(word) {
        // Names follow the separators of a path. At its end is an escape.
        return content.as_bytes().get(at + 2).is_some_and(u8::is_ascii_alphanumeric);
    }
    has_unknown(word, |byte| byte.is_ascii_alphanumeric()) || has_control(word)
}

/// Fewest letters of a command that text seldom has behind a line feed or tab: `\nu` is a line that
/// begins with `u`.
const COMMAND: usize = 3;

/// Returns whether the escape at `at` begins a command of LaTeX that is more than two letters.
fn is_long_command(content: &str, at: usize) -> bool {
    let command = letters(content, at);
    command.len() >= COMMAND && is_one(COMMANDS, command)
}

/// Returns whether the doubled backslash at `at` begins the name of a server in a path, whose other
/// separators are single: `\\server\docs`.
pub(crate) fn opens_server(content: &str, at: usize) -> bool {
    let path = content.get(at..).and_then(|path| path.strip_prefix("\\\\")).unwrap_or_default();
    let Some((server, rest)) = path.split_once('\\') else { return false };
    let is_host = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_');
    let is_name = !server.is_empty() && server.chars().all(is_host) && !is_one(FORMULA, server);
    at == 0 && is_name && !rest.starts_with('\\')
}

/// Returns whether `content` is a path that begins with a drive, and nothing else.
pub(crate) fn is_path(content: &str) -> bool {
    is_drive(content) && !content.contains(char::is_whitespace)
}

/// Returns whether `content` is nothing but a path that begins with a drive, and no list: `A:\n` may begin one.
pub(crate) fn is_path_and_no_list(content: &str) -> bool {
    let is_separator = |(at, _)| content.as_bytes().get(at + 1) != Some(&b'n');
    is_path(content) && content.match_indices('\\').any(is_separator)
}

/// Returns whether `word` begins with a drive, as a path does.
fn is_drive(word: &str) -> bool {
    word.as_bytes().first().is_some_and(u8::is_ascii_alphabetic) && word.get(1..3) == Some(":\\")
}

/// Returns whether the escape at `at` means a backspace or a form feed. In a string with literal
/// backslashes it is literal, too: text contains no such characters, but regexes, paths and
/// formulas contain words that begin with these letters.
pub(crate) fn is_control(content: &str, at: usize) -> bool {
    matches!(content.as_bytes().get(at + 1), Some(b'b' | b'f'))
}

/// Returns whether `content` contains such an escape.
fn has_control(content: &str) -> bool {
    has_command(content, |at| is_control(content, at))
}

/// Escapes of characters that text does not contain.
static CONTROLS: LazyLock<[Finder<'static>; 2]> =
    LazyLock::new(|| [Finder::new(r"\b"), Finder::new(r"\f")]);

/// Returns the escapes of control characters in a text that letters follow, as they do in `\frac` and
/// `\beta`.
pub(crate) fn control_commands(text: &str) -> impl Iterator<Item = usize> {
    let is_letter = |at: usize| text.as_bytes().get(at).is_some_and(u8::is_ascii_lowercase);
    let is_escape = move |at: &usize| {
        let before = text.get(..*at).unwrap_or_default();
        (before.len() - before.trim_end_matches('\\').len()).is_multiple_of(2) && is_letter(at + 2)
    };
    CONTROLS.iter().flat_map(|finder| finder.find_iter(text.as_bytes())).filter(is_escape)
}

/// Returns whether a path may begin before the first backslash of a string, given the text `before`
/// it and the byte `next` after it.
pub(crate) fn may_open_path(before: &str, next: u8) -> bool {
    match before.trim_start_matches(['"', '\'', '(', ' ']).as_bytes() {
        [] => next == b'\\',
        [b'.'] | [b'.', b'.'] => true,
        [drive, b':'] => drive.is_ascii_alphabetic(),
        _ => false,
    }
}

/// Returns whether the comma at `at` is inside a repetition: `{2,}`, `{1,3}`, `{,3}`.
fn is_in_repetition(content: &str, at: usize) -> bool {
    let before =
        content.get(..at).unwrap_or_default().trim_end_matches(|c: char| c.is_ascii_digit());
    let after =
        content.get(at + 1..).unwrap_or_default().trim_start_matches(|c: char| c.is_ascii_digit());
    before.ends_with('{') && after.starts_with('}')
}

/// Returns whether `content` contains a backslash that is not escaped and counts.
fn has_command(content: &str, mut counts: impl FnMut(usize) -> bool) -> bool {
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', content.as_bytes().get(at..).unwrap_or_default())
    {
        at += found;
        if counts(at) {
            return true;
        }
        at += 2;
    }
    false
}

/// Returns whether a command that begins like no escape is between the dollar signs of a formula.
fn has_command_in_dollars(content: &str) -> bool {
    let bytes = content.as_bytes();
    let Some(last) = memchr::memrchr(b'$', bytes) else { return false };
    let mut signs = memchr::memchr_iter(b'$', bytes).enumerate().peekable();
    let mut is_open = false;
    has_command(content, |at| {
        while let Some((index, sign)) = signs.next_if(|&(_, sign)| sign < at) {
            let before = sign.checked_sub(1).and_then(|before| bytes.get(before));
            is_open = before == Some(&b'$') || (before != Some(&b'\\') && index % 2 == 0);
        }
        is_open
            && at < last
            && letters(content, at).len() > 1
            && is_unknown(content, at, |byte| byte.is_ascii_alphabetic())
    })
}

/// Returns the letters after the backslash at `at`.
fn letters(content: &str, at: usize) -> &str {
    let rest = content.get(at + 1..).unwrap_or_default();
    rest.get(..rest.bytes().take_while(u8::is_ascii_alphabetic).count()).unwrap_or_default()
}

/// Returns whether `content` has a backslash that is no escape, before a byte that counts.
fn has_unknown(content: &str, counts: impl Fn(u8) -> bool) -> bool {
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', content.as_bytes().get(at..).unwrap_or_default())
    {
        at += found;
        if is_unknown(content, at, &counts) {
            return true;
        }
        at += 2;
    }
    false
}

/// Returns whether the backslash at `at` is no escape, before a byte that counts.
pub(crate) fn is_unknown(content: &str, at: usize, counts: impl Fn(u8) -> bool) -> bool {
    let next = content.as_bytes().get(at + 1).copied().unwrap_or(b' ');
    let known = legal_escape(content, at).is_some()
        || foreign(content, at).is_some()
        || surrogate(content, at);
    !known && counts(next)
}

/// Returns whether the backslash at `at` is before a typographic quote, or a small letter beyond
/// ASCII within a word, which no escape and no path begins with.
pub(crate) fn is_needless(content: &str, at: usize) -> bool {
    let Some(next) = content.get(at + 1..).and_then(|rest| rest.chars().next()) else {
        return false;
    };
    let before = content.get(..at).and_then(|before| before.chars().next_back());
    let quote = matches!(next, '“' | '”' | '„' | '‟' | '‘' | '’' | '‚' | '«' | '»' | '‹' | '›');
    quote || (!next.is_ascii() && next.is_lowercase() && before.is_some_and(char::is_lowercase))
}

/// Returns whether a line of `content` before the last ends without a backslash. Then those at the ends of
/// others are those of a script.
pub(crate) fn has_plain_line(content: &str) -> bool {
    let ends = memchr::memchr_iter(b'\n', content.as_bytes());
    let mut lines = ends.map(|end| content.get(..end));
    lines.any(|line| line.is_some_and(|line| !line.trim_end_matches('\r').ends_with('\\')))
}

/// Returns the length of the backslash at `at` and the line end after it, which a continued line leaves
/// out. In a script, it does so before its first line only.
pub(crate) fn continued_length(content: &str, at: usize, is_script: bool) -> Option<usize> {
    let rest = content.get(at + 1..)?;
    let next = rest.strip_prefix('\r').unwrap_or(rest);
    let next = next.strip_prefix('\n').unwrap_or(next);
    (at == 0 || !is_script).then_some(1 + rest.len() - next.len())
}

/// Returns whether a well-formed `\u` escape of a lone surrogate is at `at`.
pub(crate) fn surrogate(content: &str, at: usize) -> bool {
    content.as_bytes().get(at + 1) == Some(&b'u')
        && crate::parser::escape::hex4(content, at + 2)
            .is_some_and(|code| (0xD800..0xE000).contains(&code))
}

/// Returns the character that `\xHH`, `\UHHHHHHHH` or `\u{H…}` at `at` means, and the length of the
/// escape.
pub(crate) fn foreign(content: &str, at: usize) -> Option<(char, usize)> {
    if let Some(braced) = content.get(at + 1..).and_then(|rest| rest.strip_prefix("u{")) {
        let length =
            braced.bytes().take(7).position(|byte| byte == b'}').filter(|&length| length > 0)?;
        let hex = braced.get(..length)?;
        let character = char::from_u32(u32::from_str_radix(hex, 16).ok()?)?;
        return hex.bytes().all(|b| b.is_ascii_hexdigit()).then_some((character, hex.len() + 4));
    }
    let digits = match content.as_bytes().get(at + 1)? {
        b'x' => 2,
        b'U' => 8,
        _ => return None,
    };
    let hex = content.get(at + 2..at + 2 + digits)?;
    if !hex.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let character = char::from_u32(u32::from_str_radix(hex, 16).ok()?)?;
    Some(utf8_bytes(content, at).unwrap_or((character, 2 + digits)))
}

/// Returns the character whose bytes in UTF-8 are written at `at`, as in a literal of bytes: `\xc3\xbc`.
fn utf8_bytes(content: &str, at: usize) -> Option<(char, usize)> {
    let byte = |index: usize| {
        let hex = content.get(at + 4 * index..at + 4 * index + 4)?.strip_prefix("\\x")?;
        u8::from_str_radix(hex, 16).ok()
    };
    let length = match byte(0)? {
        0xC2..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF4 => 4,
        _ => return None,
    };
    let bytes: Vec<u8> = (0..length).map(byte).collect::<Option<_>>()?;
    let character = std::str::from_utf8(&bytes).ok()?.chars().next()?;
    Some((character, 4 * length))
}

#[cfg(test)]
mod tests {
    use super::{
        BackslashMode, backslash_mode, continued_length, has_plain_line, is_command, is_needless,
        is_path_and_no_list, is_plain, is_text, opens_server,
    };

    #[test]
    fn backslash_modes() {
        for (content, expected) in [
            (r"it\'s \_ok\_", BackslashMode::Escapes),
            (r"pays \$5", BackslashMode::Escapes),
            (r"a\_b \*c\*", BackslashMode::Markdown),
            (r"\*c\*", BackslashMode::Escapes),
            (r"caf\xe9", BackslashMode::Escapes),
            (r"\ud83d", BackslashMode::Escapes),
            (r"C:\Users\new", BackslashMode::Literal),
            (r"\\server\new\docs", BackslashMode::Literal),
            (r"\d+\t", BackslashMode::ByWord),
            (r"\alpha + \frac{1}{2}", BackslashMode::Formula),
            (r"\sqrt{2}.\nNext", BackslashMode::Formula),
            (r"src\main\new", BackslashMode::ByWord),
            (r"C:\temp\_x", BackslashMode::Literal),
            (r"\\srv\_a\b", BackslashMode::Literal),
            (r"..\node\.bin\tsc", BackslashMode::Literal),
            (r"'\b[0-9]+\b|\$'", BackslashMode::ByWord),
            (r"\.local\b", BackslashMode::ByWord),
            (r"1\. one\n2\. two", BackslashMode::Escapes),
            (r"Evaluate $\int_0^1 x\,dx$", BackslashMode::Formula),
            (r"\(\log x\)", BackslashMode::Formula),
            (r"$$\vdots$$", BackslashMode::Formula),
            (r"$5 or \int\x", BackslashMode::ByWord),
            (r"src\int\x", BackslashMode::ByWord),
            (r"see \\alpha, \d", BackslashMode::ByWord),
        ] {
            assert_eq!(backslash_mode(content), expected, "{content}");
        }
    }

    #[test]
    fn servers_in_paths() {
        for (content, expected) in [
            (r"\\srv04\docs", true),
            (r"\\srv04\\docs", false),
            (r"\\alpha + \sqrt{x}", false),
            (r"\\alpha\sqrt{x}", false),
            (r"\\srv04", false),
        ] {
            assert_eq!(opens_server(content, 0), expected, "{content}");
        }
    }

    #[test]
    fn needless_backslashes() {
        for (content, at, expected) in [
            (r"caf\é", 3, true),
            (r"\„hi\“", 0, true),
            (r"\d", 0, false),
            (r"Ordner\Übung", 6, false),
            (r"\日", 0, false),
            (r"x\", 1, false),
        ] {
            assert_eq!(is_needless(content, at), expected, "{content}");
        }
    }

    #[test]
    fn continued_lines() {
        for (content, at, expected) in [
            ("rep\\\nort", 3, Some(2)),
            ("rep\\\r\nort", 3, Some(3)),
            ("rep \\\n  ort", 4, Some(2)),
            ("rep\\\nort \\\nx", 3, Some(2)),
            ("a\\\n", 1, Some(2)),
            ("\\\na\nb", 0, Some(2)),
            ("cc \\\n  a.c\nld", 3, None),
            ("cc \\\r\n  a.c\r\nld", 3, None),
        ] {
            let is_script = has_plain_line(content);
            assert_eq!(continued_length(content, at, is_script), expected, "{content:?}");
        }
    }

    #[test]
    fn legal_escapes_that_are_text() {
        for (content, at, expected) in [
            (r"\alpha + \frac", 9, true),
            (r"\d+\t", 3, true),
            (r"re \d+ then\nnext", 11, false),
            (r"C: see D:\x\new", 11, true),
            (r"\sigma\nis big", 6, true),
            (r"\b\w{2,}\b", 8, true),
            (r"\b[a-z]{1,3}\d\b", 0, true),
            // A backspace is never meant.
            (r"a,\b \w", 2, true),
            (r"grep '\bx\b' \d", 6, true),
            (r"- \d\n- D:\new\b.txt\n", 10, true),
            (r"- \d\n- D:\new\b.txt\n", 20, false),
        ] {
            assert_eq!(is_text(content, at), expected, "{content}");
        }
    }

    #[test]
    fn paths_and_lists() {
        for (content, expected) in [
            (r"C:\temp\new", true),
            (r"C:\new", false),
            (r"A:\nOne\nTwo", false),
            (r"B:\tone two", false),
        ] {
            assert_eq!(is_path_and_no_list(content), expected, "{content}");
        }
    }

    #[test]
    fn legal_escapes_that_are_text_beside_others() {
        for (content, at, expected) in [
            (r"\bfoo", 0, true),
            (r"\frac{1}{2}", 0, true),
            (r"a{}\nb{}", 3, false),
            (r"\times 3", 0, true),
            (r"a\nu", 1, false),
        ] {
            assert_eq!(is_plain(content, at), expected, "{content}");
        }
    }

    #[test]
    fn escapes_that_begin_a_command() {
        for (content, at, expected) in [
            (r"\sqrt{2}.\nNext", 9, false),
            (r"p \lor \neg q", 7, true),
            (r"\sigma\theta", 6, true),
            (r"\sigma\textsl{x}", 6, true),
            (r"\sigma\bigcup", 6, true),
            (r"x \notin \emptyset", 2, true),
            (r"\sigma\tag{1}", 6, true),
            (r"\sigma\note it", 6, false),
        ] {
            assert_eq!(is_command(content, at), expected, "{content}");
        }
    }
}
