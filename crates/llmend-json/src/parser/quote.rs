//! String delimiters.

use crate::{Rule, parser::Window};

/// The delimiter of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Delimiter {
    /// Length of the opening mark.
    pub(crate) open: usize,
    pub(crate) style: Style,
}

/// The style of the marks around a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// `"…"`
    Double,
    /// `'…'`
    Single,
    /// `` `…` ``
    Backtick,
    /// `“…”` and similar.
    SmartDouble,
    /// `‘…’`
    SmartSingle,
    /// `«…»`, `‹…›`, `「…」`, `『…』`, `` `…´ ``, with the closing mark.
    Paired(char),
    /// `＂…＂`
    FullWidth,
    /// `"""…"""`
    TripleDouble,
    /// `'''…'''`
    TripleSingle,
    /// A code block, with an optional language.
    Block,
    /// `""…""`
    TwiceDouble,
    /// `''…''`
    TwiceSingle,
    /// A code span around a string: `` `"…"` ``
    Span,
    /// Two backticks and two apostrophes, as in TeX.
    Tex,
    /// `\"…\"`
    Escaped,
    /// `\\"…\\"`
    TwiceEscaped,
    /// The quote token of a chat template, `<|"|>`.
    Token,
}

const TOKEN: &str = "<|\"|>";

impl Style {
    /// Returns the rule that replaces the marks with straight double quotes. `None` for those.
    pub(crate) const fn rule(self) -> Option<Rule> {
        Some(match self {
            Self::Double => return None,
            Self::Single => Rule::SingleQuotes,
            Self::Backtick | Self::Span | Self::Block => Rule::BacktickQuotes,
            Self::SmartDouble | Self::SmartSingle | Self::Paired(_) => Rule::SmartQuotes,
            Self::FullWidth => Rule::FullWidth,
            Self::TripleDouble | Self::TripleSingle => Rule::TripleQuotes,
            Self::TwiceDouble | Self::TwiceSingle | Self::Tex => Rule::DoubledQuotes,
            Self::Escaped | Self::TwiceEscaped | Self::Token => Rule::EscapedQuotes,
        })
    }

    /// Returns whether backslashes inside are escaped as well.
    pub(crate) const fn is_escaped(self) -> bool {
        matches!(self, Self::Escaped | Self::TwiceEscaped)
    }

    /// Returns the length of the closing mark of this style at `at`.
    pub(crate) fn closes(self, window: &Window<'_>, at: usize) -> Option<usize> {
        let byte = window.byte(at)?;
        let mark = match self {
            Self::Double => return (byte == b'"').then_some(1),
            Self::Single => return (byte == b'\'').then_some(1),
            Self::Backtick => return (byte == b'`').then_some(1),
            Self::TripleDouble => "\"\"\"",
            Self::TripleSingle => "'''",
            Self::Block => "```",
            Self::Span => "\"`",
            Self::TwiceDouble => "\"\"",
            Self::TwiceSingle | Self::Tex => "''",
            Self::Escaped => "\\\"",
            Self::TwiceEscaped => "\\\\\"",
            Self::Token => TOKEN,
            Self::SmartDouble => {
                let character = window.character(at)?;
                return matches!(character, '”' | '“' | '"' | '„' | '‟' | '″' | '＂')
                    .then(|| character.len_utf8());
            }
            Self::SmartSingle => {
                let character = window.character(at)?;
                return matches!(character, '’' | '‘' | '\'' | '‚' | '‛' | '′' | '´')
                    .then(|| character.len_utf8());
            }
            Self::FullWidth => {
                let character = window.character(at)?;
                return matches!(character, '＂' | '"' | '＇').then(|| character.len_utf8());
            }
            Self::Paired(close) => {
                return (window.character(at)? == close).then(|| close.len_utf8());
            }
        };
        window.starts_with(at, mark.as_bytes()).then_some(mark.len())
    }

    /// Returns whether the mark of `length` bytes at `at` is an apostrophe inside a word, or a quote
    /// in the place of gershayim.
    pub(crate) fn is_inside_word(self, window: &Window<'_>, at: usize, length: usize) -> bool {
        match self {
            Self::Single | Self::SmartSingle => inside_word(window, at, length),
            Self::Double => is_gershayim(window, at),
            _ => false,
        }
    }
}

/// Returns whether the backtick at `at` only marks a value as code, as those around the key do: `` `"a"`: `1` ``.
fn is_marked_scalar(window: &Window<'_>, at: usize) -> bool {
    const REACH: usize = 8;
    let key = window.before(at, REACH).trim_end().strip_suffix(':').map(str::trim_end);
    key.is_some_and(|key| key.ends_with("\"`"))
        && window.byte(at + 1).is_some_and(|byte| byte == b'-' || byte.is_ascii_alphanumeric())
}

/// Returns the position of the opening mark of the Python string with a prefix at `at`.
pub(crate) fn prefixed(window: &Window<'_>, at: usize) -> Option<usize> {
    let marks = window.run(at, |byte| b"burfBURF".contains(&byte));
    let quoted = matches!(window.byte(at + marks), Some(b'"' | b'\''));
    ((1..=2).contains(&marks) && quoted).then_some(at + marks)
}

/// Returns the delimiter that opens at `at`.
#[inline]
pub(crate) fn opening(window: &Window<'_>, at: usize) -> Option<Delimiter> {
    match window.byte(at)? {
        quote @ (b'"' | b'\'') if window.byte(at + 1) != Some(quote) => Some(Delimiter {
            open: 1,
            style: if quote == b'"' { Style::Double } else { Style::Single },
        }),
        _ => uncommon_opening(window, at),
    }
}

/// Returns the delimiter that opens at `at` and is not a single straight quote.
fn uncommon_opening(window: &Window<'_>, at: usize) -> Option<Delimiter> {
    let delimiter = |open, style| Some(Delimiter { open, style });
    let matches_at = |word: &str| window.starts_with(at, word.as_bytes());
    match window.byte(at)? {
        b'"' if matches_at("\"\"\"")
            && window.byte(at + 3) != Some(b'"')
            && closes_later(window, at + 3, "\"\"\"") =>
        {
            delimiter(3, Style::TripleDouble)
        }
        b'"' if is_doubled(window, at, b'"') => delimiter(2, Style::TwiceDouble),
        b'"' => delimiter(1, Style::Double),
        b'\'' if matches_at("'''") && closes_later(window, at + 3, "'''") => {
            delimiter(3, Style::TripleSingle)
        }
        b'\'' if is_doubled(window, at, b'\'') => delimiter(2, Style::TwiceSingle),
        b'\'' => delimiter(1, Style::Single),
        b'`' if matches_at("```") || is_marked_scalar(window, at) => None,
        b'`' if matches_at("``") && closes_later(window, at + 2, "''") => delimiter(2, Style::Tex),
        b'`' if matches_at("`\"") && closes_later(window, at + 2, "\"`") => {
            delimiter(2, Style::Span)
        }
        b'`' if ends_with_acute(window, at + 1) => delimiter(1, Style::Paired('´')),
        b'`' => delimiter(1, Style::Backtick),
        b'\\' if matches_at("\\\"") => delimiter(2, Style::Escaped),
        b'\\' if matches_at("\\\\\"") => delimiter(3, Style::TwiceEscaped),
        b'<' if matches_at(TOKEN) => delimiter(TOKEN.len(), Style::Token),
        0x80.. => {
            let character = window.character(at)?;
            let style = match character {
                '“' | '”' | '„' | '‟' | '″' => Style::SmartDouble,
                '‘' | '’' | '‚' | '‛' | '′' | '´' => Style::SmartSingle,
                '«' => Style::Paired('»'),
                '»' => Style::Paired('«'),
                '‹' => Style::Paired('›'),
                '「' => Style::Paired('」'),
                '『' => Style::Paired('』'),
                '＂' | '＇' => Style::FullWidth,
                _ => return None,
            };
            delimiter(character.len_utf8(), style)
        }
        _ => None,
    }
}

/// Returns the delimiter of the code block at `at` that is a value, and the end of its content: the
/// next fence, after which a member or an object ends. The line of the language belongs to the
/// delimiter.
pub(crate) fn block(window: &Window<'_>, at: usize) -> Option<(Delimiter, usize)> {
    let fence = b"```";
    if !window.starts_with(at, fence) {
        return None;
    }
    let line = window.line_after(at + fence.len(), LANGUAGE_REACH);
    let named = line.trim_end().bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'+');
    let open = fence.len() + line.len();
    let tag = named && window.byte(at + open) == Some(b'\n');
    let open = if tag { open + 1 } else { fence.len() };
    let find = |bytes: &[u8]| memchr::memmem::find(bytes, fence);
    let end = window.find(at + open, TRIPLE_REACH, find)?;
    let next = window.skip_space(end + fence.len());
    matches!(window.byte(next), Some(b',' | b'}' | b']'))
        .then_some((Delimiter { open, style: Style::Block }, end))
}

/// Longest name of a language, in bytes.
const LANGUAGE_REACH: usize = 24;

/// Returns whether `character` is a double quote of any kind.
pub(crate) const fn is_double(character: char) -> bool {
    matches!(character, '"' | '“' | '”' | '„' | '‟' | '″' | '＂')
}

/// Returns whether `character` is a quote of any kind.
pub(crate) const fn is_mark(character: char) -> bool {
    matches!(
        character,
        '"' | '\''
            | '`'
            | '“'
            | '”'
            | '„'
            | '‟'
            | '″'
            | '‘'
            | '’'
            | '‚'
            | '‛'
            | '′'
            | '＂'
            | '＇'
    )
}

/// How far the closing marks are searched for, in bytes: enough for a string of several pages.
const TRIPLE_REACH: usize = 1 << 14;

fn closes_later(window: &Window<'_>, at: usize, mark: &str) -> bool {
    window.find(at, TRIPLE_REACH, |bytes| memchr::memmem::find(bytes, mark.as_bytes())).is_some()
}

/// Returns whether an acute accent closes the string at `at`, which a backtick, its counterpart on many keyboards, opens.
fn ends_with_acute(window: &Window<'_>, at: usize) -> bool {
    let reach = window.find(at, TRIPLE_REACH, |bytes| memchr::memchr(b'`', bytes));
    let reach = reach.map_or(TRIPLE_REACH, |backtick| backtick - at);
    let acute = window.find(at, reach, |bytes| memchr::memmem::find(bytes, "´".as_bytes()));
    acute.is_some_and(|acute| {
        window.byte(window.skip_space(acute + "´".len())).is_none_or(follows_string)
    })
}

/// Returns whether the string at `at` has doubled quotes: two marks, text, two marks, and then what
/// may follow a string.
fn is_doubled(window: &Window<'_>, at: usize, quote: u8) -> bool {
    if window.byte(at + 1) != Some(quote)
        || window.byte(at + 2).is_none_or(|byte| byte == quote || follows_string(byte))
    {
        return false;
    }
    let close = window.find(at + 2, TRIPLE_REACH, |bytes| memchr::memchr(quote, bytes));
    let Some(close) = close else { return false };
    window.byte(close + 1) == Some(quote)
        && window.byte(close + 2) != Some(quote)
        && window.byte(window.skip_space(close + 2)).is_none_or(follows_string)
}

/// Returns whether `byte` may directly follow a string.
const fn follows_string(byte: u8) -> bool {
    matches!(byte, b',' | b':' | b'=' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t' | b')')
}

/// Returns whether the mark at `at` is between two letters or digits, as an apostrophe is.
#[inline]
pub(crate) fn inside_word(window: &Window<'_>, at: usize, length: usize) -> bool {
    if let Some(after) = window.byte(at + length)
        && after.is_ascii()
        && !after.is_ascii_alphanumeric()
    {
        return false;
    }
    window.character_before(at).is_some_and(char::is_alphanumeric)
        && window.character(at + length).is_some_and(char::is_alphanumeric)
}

/// Returns whether the quote at `at` is between two Hebrew letters, as in `צה"ל`: before the last
/// letters of an abbreviation.
fn is_gershayim(window: &Window<'_>, at: usize) -> bool {
    let hebrew = |c: char| matches!(c, '\u{5d0}'..='\u{5ea}');
    window.character(at + 1).is_some_and(hebrew) && window.character_before(at).is_some_and(hebrew)
}

#[cfg(test)]
mod tests {
    use super::{Style, inside_word, is_gershayim, opening};
    use crate::parser::Window;

    #[test]
    fn delimiters() {
        for (text, expected) in [
            ("\"a\"", Some(Style::Double)),
            ("\"\"", Some(Style::Double)),
            ("\"\", 1", Some(Style::Double)),
            ("\"\"a\"\": 1", Some(Style::TwiceDouble)),
            ("\"\"hi\" he said\"", Some(Style::Double)),
            ("\"\"\"a\nb\"\"\"", Some(Style::TripleDouble)),
            ("'a'", Some(Style::Single)),
            ("''a''", Some(Style::TwiceSingle)),
            ("`a`", Some(Style::Backtick)),
            ("`\"a\"`", Some(Style::Span)),
            ("`\"a` said", Some(Style::Backtick)),
            ("```a", None),
            ("``a''", Some(Style::Tex)),
            ("``a", Some(Style::Backtick)),
            ("`a´: 1", Some(Style::Paired('´'))),
            ("`a´", Some(Style::Paired('´'))),
            ("`l´été`", Some(Style::Backtick)),
            ("`a`, `b´", Some(Style::Backtick)),
            ("“a”", Some(Style::SmartDouble)),
            ("«a»", Some(Style::Paired('»'))),
            ("\\\"a\\\"", Some(Style::Escaped)),
            ("\\\\\"a\\\\\"", Some(Style::TwiceEscaped)),
            ("<|\"|>a", Some(Style::Token)),
            ("a", None),
            ("é", None),
        ] {
            let found = opening(&Window::whole(text), 0).map(|delimiter| delimiter.style);
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn quotes_between_hebrew_letters() {
        for (text, expected) in
            [("צה\"ל", true), ("צה\" ל", false), ("צה\",", false), ("a\"ל", false), ("a\"b", false)]
        {
            let at = text.find('"').expect(text);
            assert_eq!(is_gershayim(&Window::whole(text), at), expected, "{text}");
        }
    }

    #[test]
    fn marks_inside_words() {
        for (text, at, expected) in
            [("it's", 2, true), ("the dogs' food", 8, false), ("'a'", 0, false), ("é'é", 2, true)]
        {
            assert_eq!(inside_word(&Window::whole(text), at, 1), expected, "{text}");
        }
    }
}
