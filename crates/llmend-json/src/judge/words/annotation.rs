//! Annotations after a value: notes in brackets, footnote marks, citations, arrows with a remark.

use crate::{
    judge::{
        key::opens_key,
        words::{citation, word},
    },
    parser::{Spacing, Window, quote, trivia},
    sink::Container,
};

/// Longest annotation, in bytes.
const REACH: usize = 120;
/// Maximum number of words of a remark.
const WORDS: usize = 6;
/// Beginning of a citation as chat programs write it.
pub(crate) const CITATION: &str = ":contentReference[";
/// Types after `as`.
const TYPES: &[&str] = &["string", "number", "boolean", "integer", "str", "const", "any"];

/// Returns the end of what is said at `at` about the value that ends at `last`, in a container of kind `top`. A
/// container may have a note in parentheses, and a record, behind which no list belongs, one in brackets.
pub(crate) fn behind(window: &Window<'_>, last: usize, at: usize, top: Container) -> Option<usize> {
    let mark = window.character_before(last)?;
    if matches!(mark, '}' | ']' | ')') {
        let next = window.character(at + 1);
        let words = next.is_some_and(char::is_alphabetic);
        let note = match window.character(at) {
            Some('(') => words,
            Some('[') => next == Some('^') || (mark == '}' && words && at > last),
            Some('<') => window.starts_with(at, b"<sup>"),
            Some(sign) => matches!(sign, '¹' | '²' | '³' | '†' | '‡' | '【'),
            None => false,
        };
        let top = Some(top).filter(|_| mark != '}');
        return end(window, usize::MAX, at, top).filter(|_| note);
    }
    let remark = top == Container::Object && quote::is_mark(mark) && at > last;
    end(window, last, at, Some(top)).or_else(|| words(window, at).filter(|_| remark))
}

/// Returns whether the bracket at `at`, behind an item that ends at `last`, may open a note instead of a list:
/// words, a footnote, or a number that touches the string that it is for.
pub(crate) fn opens(window: &Window<'_>, last: usize, at: usize) -> bool {
    window.byte(at) == Some(b'[')
        && match window.character(at + 1) {
            Some('^') => true,
            Some('0'..='9') => at == last && window.byte(at - 1) == Some(b'"'),
            next => next.is_some_and(char::is_alphabetic),
        }
}

/// Returns the end of the annotations at `at`, after a value in a container of kind `top` that ends
/// at `last`, if the container continues or ends after them. `usize::MAX` stands for a number, whose
/// signs may be operators.
pub(crate) fn end(
    window: &Window<'_>,
    last: usize,
    at: usize,
    top: Option<Container>,
) -> Option<usize> {
    let string = last != usize::MAX && window.character_before(last).is_some_and(quote::is_mark);
    let list = top == Some(Container::Array);
    let mut end = at;
    while let Some(length) = one(window, end, &Place { touches: end == last, string, list }) {
        end += length;
        let next = trivia::skip(window, end, Spacing::Plain);
        match window.character(next)? {
            ',' | '}' | ']' | ')' | '，' | '｝' => return Some(end),
            _ if opens_key(window, next) => return Some(end),
            _ => end = next,
        }
    }
    None
}

/// Returns the end of the words at `at`, after a string in an object, if the next member or a closing
/// bracket follows them: `"Bern" I think, "b": 1`. Words that are operators are none.
pub(crate) fn words(window: &Window<'_>, at: usize) -> Option<usize> {
    let line = window.line_after(at, REACH);
    let length = line.find([',', '}', ']', '"', '\'', '{', '[', '(', ':', '\\'])?;
    let words = line.get(..length)?.trim_end();
    let plain = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '.' | '!' | '?');
    let few = (1..=WORDS).contains(&words.split(' ').count());
    let first = words.split(' ').next().unwrap_or_default();
    if !words.starts_with(char::is_alphabetic)
        || !few
        || !words.chars().all(plain)
        || matches!(first, "or" | "and" | "if" | "in" | "is")
    {
        return None;
    }
    let next = at + length;
    let sound = match window.byte(next)? {
        b',' => opens_key(window, window.skip_space(next + 1)),
        b'}' => true,
        _ => false,
    };
    sound.then_some(at + words.len())
}

/// Where an annotation is.
struct Place {
    /// Whether the value ends right before it.
    touches: bool,
    /// Whether the value is a string.
    string: bool,
    /// Whether the value is an item, and another one may follow without a comma.
    list: bool,
}

/// Returns the length of the annotation at `at`. Marks that could be operators or punctuation of
/// their own must directly follow the value, or follow a string.
fn one(window: &Window<'_>, at: usize, place: &Place) -> Option<usize> {
    let Place { touches, string, list } = *place;
    let line = window.line_after(at, REACH);
    match line.chars().next()? {
        '(' => enclosed(line, '(', ')').or_else(|| quoting(line)),
        '[' => enclosed(line, '[', ']').filter(|length| is_note(line.get(1..length - 1), list)),
        '【' => enclosed(line, '【', '】'),
        mark if is_picture(mark) => {
            let rest = line.trim_start_matches(|c| is_picture(c) || c == '\u{fe0f}');
            let plain = |c: char| c.is_alphabetic() || matches!(c, ' ' | '-' | '.' | '!' | '?');
            let words = rest.len() - rest.trim_start_matches(plain).len();
            Some(line.len() - rest.len() + rest.get(..words)?.trim_end().len())
        }
        '<' if line.starts_with("<sup>") && (string || !touches) => {
            Some(line.find("</sup>")? + "</sup>".len())
        }
        'c' if line.starts_with("citeturn") => {
            let rest = line.trim_start_matches(|c: char| c.is_ascii_alphanumeric());
            Some(line.len() - rest.len())
        }
        citation::MARK => citation::length(line),
        ':' if line.starts_with(CITATION) => Some(line.find('}')? + 1),
        mark @ ('†' | '‡' | '§' | '¹' | '²' | '³') => Some(mark.len_utf8()),
        '*' if touches || string && ends_part(line.trim_start_matches('*')) => {
            Some(line.bytes().take_while(|&byte| byte == b'*').count())
        }
        mark @ ('*' | '_') if spaced(window, at) => emphasized(line, mark),
        '^' if string => {
            let digits = line.bytes().skip(1).take_while(u8::is_ascii_digit).count();
            (digits > 0).then_some(1 + digits)
        }
        '.' if touches && !line.starts_with("..") => Some(1),
        stop @ ('。' | '．') if touches || spaced(window, at) => Some(stop.len_utf8()),
        // In TypeScript, `!` says that a value is not null.
        '!' | '?' if touches => Some(1),
        '-' if string && !touches && line.starts_with("- ") => {
            let words = line.get(1..)?.trim_start();
            let length = remark(line);
            let sound = line.get(..length)?.chars().all(|c| !"(+*/=\'".contains(c));
            (words.starts_with(char::is_alphabetic) && sound).then_some(length)
        }
        '←' | '⟵' => Some(remark(line)),
        '→' => {
            let words = line.trim_start_matches(['→', ' ']);
            let whole = remark(line) == line.len() && !list;
            (whole && words.starts_with(char::is_alphabetic)).then(|| line.trim_end().len())
        }
        '<' if line.starts_with("<-") => {
            let words = line.trim_start_matches(['<', '-']).trim_start();
            words.starts_with(char::is_alphabetic).then(|| remark(line))
        }
        dash @ ('–' | '—') if !touches => {
            let words = line.get(dash.len_utf8()..)?.trim_start();
            words.starts_with(char::is_alphabetic).then(|| remark(line))
        }
        'a' if !touches => {
            let word = line.strip_prefix("as ")?;
            TYPES.iter().find(|name| word.starts_with(**name)).map(|name| 3 + name.len())
        }
        _ => None,
    }
}

/// Returns the length of the note between `open` and `close` at the start of `line`, if nothing in it is
/// structure.
fn enclosed(line: &str, open: char, close: char) -> Option<usize> {
    let inside = line.strip_prefix(open)?;
    let length = inside.find(close)?;
    let note = inside.get(..length)?;
    let sound = note.chars().all(|c| !r#""({[\"#.contains(c));
    (sound && note.contains(char::is_alphanumeric))
        .then_some(open.len_utf8() + length + close.len_utf8())
}

/// Returns the length of the note in parentheses at the start of `line` that begins with a word and has
/// quotations: `(or "b")`.
fn quoting(line: &str) -> Option<usize> {
    let mut quoted = false;
    let mut before = '(';
    for (at, character) in line.char_indices().skip(1) {
        match character {
            '"' if !quoted && !matches!(before, ' ' | '/') => return None,
            '"' => quoted = !quoted,
            ')' if !quoted => return (at > 1).then_some(at + 1),
            '(' | '{' | '[' | '\\' | ':' => return None,
            _ if at == 1 && !character.is_alphabetic() => return None,
            _ => {}
        }
        before = character;
    }
    None
}

/// Returns whether `note`, between brackets, is a footnote or words. In a list, one word may be a list
/// of its own.
fn is_note(note: Option<&str>, list: bool) -> bool {
    let Some(note) = note else { return false };
    let is_number = |part: &str| {
        let part = part.trim();
        (1..=3).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    let numbered =
        if list { is_number(note) } else { note.split([',', '-', '–']).all(is_number) };
    let share = !list && is_share(note);
    let footnote = note.starts_with('^') || numbered || share || note.contains('†');
    if word::literal(note).is_some() {
        return false;
    }
    let plain =
        |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '.' | '\'' | '?' | '!' | '_');
    let named = |name: &str| name.contains(|c: char| c.is_ascii_digit());
    let several_names = !list && note.split(',').all(named);
    let words = note.starts_with(char::is_alphabetic)
        && note.chars().all(|c| {
            plain(c) || (c == ',' && several_names) || (!list && matches!(c, ':' | '#' | '/'))
        });
    let several = note.split_whitespace().nth(1).is_some();
    footnote
        || (words
            && (several
                || note == "sic"
                || note.ends_with('.')
                || (!list && note.chars().nth(1).is_some())))
}

/// Returns the length of the words between marks of emphasis at the start of `line`.
fn emphasized(line: &str, mark: char) -> Option<usize> {
    let words = line.trim_start_matches(mark);
    let marks = line.len() - words.len();
    let length = words.find(mark)?;
    let inside = words.get(..length)?;
    let plain = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '.' | '\'' | '?' | '!');
    let closed = words.get(length..)?.chars().take_while(|&c| c == mark).count() == marks;
    let sound = inside.len() > 2
        && inside.starts_with(char::is_alphabetic)
        && !inside.ends_with(' ')
        && inside.chars().all(plain);
    (closed && sound).then_some(length + 2 * marks)
}

/// Returns whether white space precedes `at`.
fn spaced(window: &Window<'_>, at: usize) -> bool {
    window.character_before(at).is_some_and(char::is_whitespace)
}

/// Returns whether a note is how certain the value is: `0.98`, `98%`.
fn is_share(note: &str) -> bool {
    let (number, most) = match note.strip_suffix('%') {
        Some(number) => (number.trim_end(), 100),
        None if note.contains('.') => (note, 1),
        None => return false,
    };
    // Not by `f64`: a WebAssembly module that reads no other needs no tables to read one.
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    let mut digits = whole.bytes().chain(part.bytes()).peekable();
    if digits.peek().is_none() || !digits.all(|byte| byte.is_ascii_digit()) {
        return false;
    }
    let whole = whole.trim_start_matches('0');
    whole.is_empty()
        || whole.parse::<u8>().is_ok_and(|count| {
            count < most || (count == most && part.bytes().all(|byte| byte == b'0'))
        })
}

/// Returns whether `text` begins with what ends a member or item.
fn ends_part(text: &str) -> bool {
    text.trim_start().starts_with([',', '}', ']'])
}

/// Returns whether `character` is a picture, such as a check mark or a star.
pub(crate) const fn is_picture(character: char) -> bool {
    matches!(character, '\u{2600}'..='\u{27bf}' | '\u{2b00}'..='\u{2bff}' | '\u{1f300}'..='\u{1faff}')
}

/// Returns the length of the words up to the next mark of structure.
fn remark(line: &str) -> usize {
    line.find([',', '}', ']', '"', '{', '[']).unwrap_or(line.len())
}

#[cfg(test)]
mod tests {
    use super::{behind, end, opens, words};
    use crate::{parser::Window, sink::Container};

    /// Checks what is left behind the note at `|`, if there is one.
    #[test]
    fn notes_behind_values() {
        use Container::{Array, Object};
        for (top, text, expected) in [
            (Array, "[{}| (late), 1]", Some(", 1]")),
            (Array, "[{}| [common]\n]", Some("\n]")),
            (Array, "[{}|[true],{}]", None),
            (Array, "[{}|[^1],{}]", Some(",{}]")),
            (Array, "[[]| [common], 1]", None),
            (Array, "[{}| (1, 2)]", None),
            (Object, "{\"a\": \"Bern\"| I think, \"b\": 1}", Some(", \"b\": 1}")),
            (Object, "{\"a\": 5| I think, \"b\": 1}", None),
            (Object, "{\"a\": \"x\"| [doc_4, doc_9]}", Some("}")),
        ] {
            let last = text.find('|').expect(text);
            let text = text.replace('|', "");
            let window = Window::whole(&text);
            let found = behind(&window, last, window.skip_space(last), top);
            assert_eq!(found.and_then(|end| text.get(end..)), expected, "{text}");
        }
    }

    #[test]
    fn brackets_that_open_notes() {
        for (text, expected) in [
            ("\"a\"|[2]", true),
            ("\"a\"| [2]", false),
            ("5|[2]", false),
            ("5| [^2]", true),
            ("5| [see x]", true),
            ("5| [\"x\"]", false),
            ("5| {}", false),
        ] {
            let last = text.find('|').expect(text);
            let text = text.replace('|', "");
            let window = Window::whole(&text);
            assert_eq!(opens(&window, last, window.skip_space(last)), expected, "{text}");
        }
    }

    #[test]
    fn words_after_a_string() {
        for (text, expected) in [
            ("I think, \"b\": 1", Some(7)),
            ("obviously }", Some(9)),
            ("not Sydney, \"b\": 1", Some(10)),
            ("or so, \"b\": 1", None),
            ("think, b", None),
            ("think \"b\": 1", None),
            ("5 km, \"b\": 1", None),
            ("one two three four five six seven, \"b\": 1", None),
            ("f(x)}", None),
            ("bowl'}", None),
            ("think", None),
        ] {
            assert_eq!(words(&Window::whole(text), 0), expected, "{text}");
        }
    }

    #[test]
    fn dashes_after_a_string() {
        for (text, expected) in [
            ("\"a\" - first, \"b\"", Some(11)),
            ("\"a\" - first}", Some(11)),
            ("\"a\" - f(x)}", None),
            ("\"a\" -first}", None),
            ("\"a\" - 1}", None),
            ("1 - x}", None),
        ] {
            let last = text.find(" - ").or(text.find(" -")).unwrap();
            let object = Some(Container::Object);
            assert_eq!(end(&Window::whole(text), last, last + 1, object), expected, "{text}");
        }
    }

    #[test]
    fn notes_in_a_list() {
        for (text, expected) in [
            (" [to be confirmed], \"b\"]", Some(18)),
            (" [sic], \"b\"]", Some(6)),
            (" [auto], \"b\"]", None),
            (" [a, b], \"b\"]", None),
        ] {
            let list = Some(Container::Array);
            assert_eq!(end(&Window::whole(text), 0, 1, list), expected, "{text}");
        }
    }

    #[test]
    fn annotations_before_structure() {
        for (text, last, expected) in [
            ("(see note), \"b\": 1", 0, Some(10)),
            (" (maybe)}", 0, Some(8)),
            ("(1)]", 0, Some(3)),
            (" ✅, \"b\": 1", 0, Some(4)),
            (" ⚠\u{fe0f}}", 0, Some(7)),
            ("✅ done}", 0, Some(8)),
            ("(maybe) and", 0, None),
            ("(a \"b\")}", 0, Some(7)),
            (" (or \"b\" / \"c)\"), \"d\": 1", 0, Some(16)),
            ("(\"b\")}", 0, None),
            ("(a\"b\")}", 0, None),
            ("(a \"b)}", 0, None),
            ("()}", 0, None),
            (".}", 0, Some(1)),
            ("., \"b\"", 0, Some(1)),
            ("。, \"b\"", 0, Some(3)),
            ("．}", 0, Some(3)),
            ("。}", 1, None),
            ("...]", 0, None),
            (". And", 0, None),
            (" .}", 0, None),
            ("*, \"b\": 1", 0, Some(1)),
            ("***]", 0, Some(3)),
            ("!}", 0, Some(1)),
            (" !}", 0, None),
            ("†, \"b\": 1", 0, Some(3)),
            (" [2][3], \"b\": 1", 0, Some(7)),
            (" [x], \"b\": 1", 0, None),
            (" [^1], \"b\": 1", 0, Some(5)),
            (" [0.98], \"b\": 1", 0, Some(7)),
            (" [1.0], \"b\": 1", 0, Some(6)),
            (" [.98], \"b\": 1", 0, Some(6)),
            (" [98%], \"b\": 1", 0, Some(6)),
            (" [62.5 %], \"b\": 1", 0, Some(9)),
            (" [4.98], \"b\": 1", 0, None),
            (" [120%], \"b\": 1", 0, None),
            (" [1e-3], \"b\": 1", 0, None),
            (" [.], \"b\": 1", 0, None),
            (" [to be confirmed], \"b\": 1", 0, Some(18)),
            (" [auto], \"b\": 1", 0, Some(7)),
            (" [a, b], \"b\": 1", 0, None),
            (" *restated*, \"b\": 1", 0, Some(11)),
            (" _restated_}", 0, Some(11)),
            (" *x}", 0, None),
            (" * x *}", 0, None),
            ("【4†source】}", 0, Some(16)),
            (" as string, \"b\": 1", 0, Some(10)),
            (" as it is}", 0, None),
            (" ← as rated, \"b\": 1", 0, Some(13)),
            (" <- was 3}", 0, Some(9)),
            (" – by phone}", 0, Some(13)),
            (" – 5}", 0, None),
            (" <-- x}", 0, Some(6)),
            (" <- 3}", 0, None),
            (" <!-- x}", 0, None),
            ("maybe}", 0, None),
        ] {
            let at = text.len() - text.trim_start().len();
            let object = Some(Container::Object);
            assert_eq!(end(&Window::whole(text), last, at, object), expected, "{text}");
        }
    }
}
