//! Repairs that are graver than their rule: comments that stand for content which was left out, a
//! scalar in backticks, a comma in place of what an object or list lacks, strings that may have taken
//! what belongs to the structure around them, and a number at a cut, which may lack digits.

use crate::{
    Class, Repair, Rule, Span,
    extract::last,
    judge::words::{
        correction::{self, Means},
        omission, word,
    },
    parser::{Window, quote},
};

/// How much of a comment is read, in bytes.
const REACH: usize = 120;
/// How much of a string that is cut off is read, in bytes.
const STRING_REACH: usize = 1000;
/// Least width of lines that a program wraps, and how much shorter than others one of them may be, in
/// characters.
const WRAPPED_WIDTH: usize = 30;
const WRAPPED_RAGS: usize = 15;
/// How far before a comment the start of its line is searched for, in bytes.
const LINE_REACH: usize = 120;

/// Returns the class of `repair`. A comment in the place of content is a loss. A number in backticks may
/// be one or a text, and an object that begins with a comma may end there.
pub(crate) fn class_of(window: &Window<'_>, repair: &Repair) -> Class {
    match repair.rule {
        Rule::LineComment | Rule::BlockComment | Rule::HashComment | Rule::HtmlComment
            if stands_for_content(window, repair) =>
        {
            Class::Loss
        }
        Rule::DashComment if corrects(window, repair) => Class::Guess,
        Rule::MissingEndQuote | Rule::RawNewline if has_gap(window, repair) => Class::Loss,
        Rule::RawNewline if is_continued(window, repair) => Class::Guess,
        Rule::MissingComma if is_indexed(window, repair) => Class::Guess,
        Rule::EqualsSign if assigns_property(window, repair) => Class::Guess,
        Rule::BacktickQuotes if holds_scalar(window, repair) => Class::Guess,
        Rule::ExtraComma if begins_container(window, repair) => Class::Guess,
        Rule::MissingEndQuote | Rule::CutString if ends_in_structure(window, repair) => {
            Class::Guess
        }
        Rule::MissingEndQuote | Rule::CutString if ends_in_member(window, repair) => Class::Guess,
        Rule::RawNewline if is_wrapped(window, repair) || parts_items(window, repair) => {
            Class::Guess
        }
        Rule::CutString if has_structure(window, repair) => Class::Guess,
        Rule::BareKey if is_last_label(window, repair) => Class::Guess,
        Rule::NeedlessEscape if may_be_pattern(window, repair) => Class::Guess,
        Rule::MissingColon | Rule::EqualsSign if begins_with_colon(window, repair) => Class::Guess,
        Rule::Concatenation if is_implied(window, repair) => Class::Guess,
        _ => repair.class(),
    }
}

/// Returns whether a bracket that was added at the end may be missing where a comma is: before a container,
/// behind a value of another kind.
pub(crate) fn may_close_earlier(window: &Window<'_>, repairs: &[Repair]) -> bool {
    let closes = repairs.iter().any(|repair| repair.rule == Rule::MissingCloser);
    let is_gap = |repair: &Repair| {
        let before = window.before(repair.span.start, LINE_REACH).trim_end();
        let after = window.near(repair.span.end, LINE_REACH).trim_start();
        let is_next = |open, close| before.ends_with(close) && after.starts_with(open);
        repair.rule == Rule::MissingComma
            && after.starts_with(['[', '{'])
            && !is_next('[', ']')
            && !is_next('{', '}')
    };
    closes && repairs.iter().any(is_gap)
}

/// Returns whether a string has a break between two lines with a prefix, which may be pieces of one.
pub(crate) fn may_be_pieces(repairs: &[Repair]) -> bool {
    let has = |rule| repairs.iter().any(|repair| repair.rule == rule);
    has(Rule::LinePrefix) && has(Rule::RawNewline)
}

/// Returns whether the text is cut off right behind a number, which may lack digits.
pub(crate) fn is_cut_behind_number(window: &Window<'_>, repairs: &[Repair]) -> bool {
    repairs.last().is_some_and(|last| {
        let digit = window.byte_before(last.span.start).is_some_and(|last| last.is_ascii_digit());
        last.rule == Rule::MissingCloser && digit && window.byte(last.span.end).is_none()
    })
}

/// Returns whether a comment corrects the value before it.
#[cold]
fn corrects(window: &Window<'_>, repair: &Repair) -> bool {
    let comment = window.slice(repair.span).trim_start_matches(['-', ' ']);
    correction::begins(comment, &[Means::Corrects, Means::Retracts, Means::Hesitates])
}

/// Returns whether the string that is repaired here has the note of a program in it that left out what
/// follows: its end is not known.
#[cold]
fn has_gap(window: &Window<'_>, repair: &Repair) -> bool {
    let before = window.before(repair.span.start, STRING_REACH);
    let string = last::after(b'"', before);
    let line = window.line_after(repair.span.end, LINE_REACH);
    [string, line].into_iter().any(|text| {
        // The first byte of three dots, too.
        let bytes = text.as_bytes();
        let sign = memchr::memchr3(b'[', b'<', b'(', bytes);
        let note = sign.or_else(|| memchr::memchr(0xE2, bytes)).and_then(|at| text.get(at..));
        note.is_some_and(|note| omission::is_in_note(&note.to_ascii_lowercase()))
    })
}

/// Returns whether the line that follows in a string only says that it goes on: `(cont.)`.
#[cold]
fn is_continued(window: &Window<'_>, repair: &Repair) -> bool {
    let line = window.line_after(repair.span.end, LINE_REACH).trim();
    let inside = line.strip_prefix(['(', '[']).and_then(|line| line.strip_suffix([')', ']']));
    let start = inside.and_then(|inside| inside.get(..4));
    start.is_some_and(|start| start.eq_ignore_ascii_case("cont"))
}

/// Returns whether a list of one number is before the object that a comma was missing before: its index.
#[cold]
fn is_indexed(window: &Window<'_>, repair: &Repair) -> bool {
    if window.byte_before(repair.span.start) != Some(b']') {
        return false;
    }
    let before = window.before(repair.span.start, LINE_REACH);
    let index = before.strip_suffix(']').and_then(|before| before.rsplit('[').next());
    window.near(repair.span.end, LINE_REACH).trim_start().starts_with('{')
        && index.is_some_and(|index| {
            !index.is_empty() && index.bytes().all(|byte| byte.is_ascii_digit())
        })
}

/// Returns whether the key before an equals sign is the property of a variable, as in code.
#[cold]
fn assigns_property(window: &Window<'_>, repair: &Repair) -> bool {
    let before = window.before(repair.span.start, LINE_REACH).trim_end();
    let key = before.rsplit(|c: char| c.is_whitespace() || c == '{').next().unwrap_or_default();
    key.contains('.') && !key.contains(['"', '\''])
}

/// Returns whether a number or literal follows the opening backtick.
#[cold]
fn holds_scalar(window: &Window<'_>, repair: &Repair) -> bool {
    let inside = window.near(repair.span.start, REACH).trim_start_matches('`');
    let scalar = inside.split('`').next().unwrap_or_default();
    word::is_strict(scalar) || word::literal(scalar).is_some()
}

/// Returns whether the line break in a string may be that of a program that wraps lines, in place of a
/// space: it is within a sentence, in lines of one width, and the next word would not have fit.
#[cold]
fn is_wrapped(window: &Window<'_>, repair: &Repair) -> bool {
    let before = window.before(repair.span.start, STRING_REACH);
    let mut lines = before.rsplit('\n');
    let (Some(line), Some(above)) = (lines.next(), lines.next()) else { return false };
    let next = window.near(repair.span.end, REACH);
    if !line.ends_with(|c: char| c.is_alphanumeric() || c == ',')
        || !next.starts_with(|c: char| c.is_lowercase() || c.is_ascii_digit())
    {
        return false;
    }
    let length = |line: &str| line.chars().count();
    let word = next.split([' ', '\n', '"']).next().map_or(0, length);
    let (one, other) = (length(line), length(above));
    one >= WRAPPED_WIDTH && one.abs_diff(other) <= WRAPPED_RAGS && one + 1 + word > other
}

/// Returns whether the string that ends here took a sign with it that may belong to what is around it.
#[cold]
fn ends_in_structure(window: &Window<'_>, repair: &Repair) -> bool {
    let last = window.character_before(repair.span.start);
    last.is_some_and(|last| matches!(last, ',' | ':' | ';' | '}' | ']' | '{' | '['))
}

/// Returns whether the object at `span`, whose first brace is missing, is an item of a list: a comma follows
/// it.
pub(crate) fn may_be_item(window: &Window<'_>, span: Span, repairs: &[Repair]) -> bool {
    let opens =
        |repair: &Repair| repair.rule == Rule::MissingOpener && repair.span.start == span.start;
    repairs.first().is_some_and(opens) && window.byte(window.skip_space(span.end)) == Some(b',')
}

/// Returns whether the string that ends here ends as members do, behind a comma: `kelp, b: true`.
#[cold]
fn ends_in_member(window: &Window<'_>, repair: &Repair) -> bool {
    let before = window.before(repair.span.start, REACH);
    let Some((_, member)) = before.rsplit_once(',') else { return false };
    member.split_once(':').is_some_and(|(key, value)| {
        let value = value.trim();
        is_name(key.trim()) && (word::is_strict(value) || word::literal(value).is_some())
    })
}

/// Returns whether `text` is a name, as keys are.
fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
}

/// Returns whether the key is words or begins with a capital, and it and a scalar end the text, behind keys
/// in quotes: they may be about the value, which is cut off: `{"a": 1, Confidence: 0.9`.
#[cold]
fn is_last_label(window: &Window<'_>, repair: &Repair) -> bool {
    if !window.at_end || window.end() - repair.span.end > REACH {
        return false;
    }
    let rest = window.near(repair.span.end, REACH);
    let line = rest.trim_end().trim_end_matches("```").trim_end();
    let before = window.before(repair.span.start, STRING_REACH);
    let label = line.split(':').next().unwrap_or_default();
    !line.contains(['"', '{', '}', '[', ']', ',', '\n'])
        && label.len() < line.len()
        && (label.trim().contains(' ') || label.starts_with(char::is_uppercase))
        && before.contains("\":")
}

/// Returns whether the line break in the string of a list may be one between two items: it is the first one,
/// behind a comma, and the next line is indented and ends the string.
#[cold]
fn parts_items(window: &Window<'_>, repair: &Repair) -> bool {
    let before = window.before(repair.span.start, REACH);
    let Some((outside, line)) = before.rsplit_once('"') else { return false };
    let next = window.line_after(repair.span.end, REACH);
    line.trim_end().ends_with(',')
        && !line.contains(['\n', '('])
        && outside.trim_end().ends_with(['[', ','])
        && next.starts_with([' ', '\t'])
        && next.contains('"')
}

/// Returns whether a line of the string that is cut off ends as lines of JSON do.
#[cold]
fn has_structure(window: &Window<'_>, repair: &Repair) -> bool {
    let before = window.before(repair.span.start, STRING_REACH);
    let string = last::after(b'"', before);
    let Some((lines, _)) = string.rsplit_once('\n') else { return false };
    lines.lines().any(|line| line.trim_end().ends_with([',', '}', ']', '{', '[']))
}

/// Returns whether a backslash in a string is removed before a sign that patterns and formulas escape, too.
fn may_be_pattern(window: &Window<'_>, repair: &Repair) -> bool {
    let before = window.character_before(repair.span.start);
    match window.byte(repair.span.end) {
        Some(b'.' | b'-' | b'(' | b')' | b'#') => true,
        // Between tokens, it escapes a bracket of the value.
        Some(b'[' | b']') => before.is_some_and(|c| c.is_alphanumeric() || c == '"'),
        _ => false,
    }
}

/// Returns whether the string behind a missing colon begins with one: its opening mark may close the key.
#[cold]
fn begins_with_colon(window: &Window<'_>, repair: &Repair) -> bool {
    let value = window.near(repair.span.end, REACH).trim_start();
    value.trim_start_matches(quote::is_mark).starts_with(':')
}

/// Returns whether nothing says that two strings are one: a comma and a colon may be missing instead.
#[cold]
fn is_implied(window: &Window<'_>, repair: &Repair) -> bool {
    window.slice(repair.span).chars().all(|c| c == ' ' || quote::is_mark(c))
}

/// Returns whether the comma follows an opening bracket and ends a line.
#[cold]
fn begins_container(window: &Window<'_>, repair: &Repair) -> bool {
    matches!(window.byte_before(repair.span.start), Some(b'{' | b'['))
        && window.line_after(repair.span.end, LINE_REACH).trim().is_empty()
}

#[cold]
fn stands_for_content(window: &Window<'_>, repair: &Repair) -> bool {
    let before = window.before(repair.span.start, LINE_REACH);
    let line = last::line(before).trim_end();
    if !line.trim().is_empty() && !line.ends_with(['{', '[']) {
        return false;
    }
    let comment = window.slice(repair.span);
    let end = (0..=comment.len().min(REACH)).rev().find(|&end| comment.is_char_boundary(end));
    let comment = comment.get(..end.unwrap_or(0)).unwrap_or_default().to_ascii_lowercase();
    omission::is_in_comment(&comment)
}

#[cfg(test)]
mod tests {
    use super::{class_of, is_cut_behind_number, may_be_item, may_close_earlier};
    use crate::{Class, Repair, Rule, Span, parser::Window};

    #[test]
    fn graver_repairs() {
        for (text, rule, expected) in [
            ("{\"a\": <`2>`}", Rule::BacktickQuotes, Class::Guess),
            ("{\"a\": <`true`>}", Rule::BacktickQuotes, Class::Guess),
            ("{\"a\": <`x2`>}", Rule::BacktickQuotes, Class::Notation),
            ("{\"a\": 1 <-- no, 2>\n}", Rule::DashComment, Class::Guess),
            ("{\"a\": 1 <-- see note>\n}", Rule::DashComment, Class::Notation),
            ("[\"so [truncated]<>, 2]", Rule::MissingEndQuote, Class::Loss),
            ("[\"so<\n>… 12 lines hidden …\nend\"]", Rule::RawNewline, Class::Loss),
            ("[\"so [2 lines abbreviated]<>, 2]", Rule::MissingEndQuote, Class::Loss),
            ("[\"so [2 skipped]<>, 2]", Rule::MissingEndQuote, Class::Guess),
            ("[\"so<\n>(cont.)\nend\"]", Rule::RawNewline, Class::Guess),
            ("[[0]<> {}]", Rule::MissingComma, Class::Guess),
            ("[\"a<\\>.b\"]", Rule::NeedlessEscape, Class::Guess),
            ("[\"<\\>[x\"]", Rule::NeedlessEscape, Class::Guess),
            ("{\"a\": <\\>[1]}", Rule::NeedlessEscape, Class::Notation),
            ("[\"a<\\>_b\"]", Rule::NeedlessEscape, Class::Notation),
            ("[[]<> {}]", Rule::MissingComma, Class::Completion),
            ("{ el.target <=> 'x' }", Rule::EqualsSign, Class::Guess),
            ("{ target <=> 'x' }", Rule::EqualsSign, Class::Notation),
            ("{\"a\": {<,>\n\"b\": 1}", Rule::ExtraComma, Class::Guess),
            ("{\"a\": {<,> \"b\": 1}", Rule::ExtraComma, Class::Notation),
            ("[1, <,>\n 2]", Rule::ExtraComma, Class::Notation),
            ("{\"a\": \"x<>, \"b\": 1}", Rule::MissingEndQuote, Class::Completion),
            ("{\"a\": \"x}<>, \"b\": 1}", Rule::MissingEndQuote, Class::Guess),
            ("{\"a\": \"x,<>, \"b\": 1}", Rule::MissingEndQuote, Class::Guess),
            ("[\"x]<>", Rule::CutString, Class::Guess),
            ("{\"a\": \"x, b: true<>}", Rule::MissingEndQuote, Class::Guess),
            ("{\"a\": \"x, b: 5<>", Rule::CutString, Class::Guess),
            ("{\"a\": \"x, see: it<>}", Rule::MissingEndQuote, Class::Completion),
            ("{\"a\": \"at the end: 5<>}", Rule::MissingEndQuote, Class::Completion),
            ("{\"a\": 1, <>Confidence: 0.9", Rule::BareKey, Class::Guess),
            ("{\"a\": null <>Total tokens: 512\n", Rule::BareKey, Class::Guess),
            ("{\"a\": 1, <>b: 2}", Rule::BareKey, Class::Notation),
            ("{\"a\": 1, <>b: [2", Rule::BareKey, Class::Notation),
            ("{a: 1, <>B: 2", Rule::BareKey, Class::Notation),
            ("{\"a\": 1, <>b: 2", Rule::BareKey, Class::Notation),
            ("[\"a,<\n>  it\"]", Rule::RawNewline, Class::Guess),
            ("[1, \"a,<\n>  it\", 2]", Rule::RawNewline, Class::Guess),
            ("[\"a,<\n>it\"]", Rule::RawNewline, Class::Notation),
            ("[\"f(a,<\n>  b)\"]", Rule::RawNewline, Class::Notation),
            ("{\"x\": \"a,<\n>  it\"}", Rule::RawNewline, Class::Notation),
            ("{\"m\"<=>\": x\"}", Rule::EqualsSign, Class::Guess),
            ("{\"a\"<>\": x\"}", Rule::MissingColon, Class::Guess),
            ("{\"a\"<> \"x\"}", Rule::MissingColon, Class::Completion),
            ("{\"a\": \"b<\" \">c\" \"d\"}", Rule::Concatenation, Class::Guess),
            ("{\"a\": \"b<\" + \">c\"}", Rule::Concatenation, Class::Notation),
            ("{\"a\": \"b<\"\n  \">c\"}", Rule::Concatenation, Class::Notation),
            // A program may have wrapped the lines.
            (
                "{\"id\": 88, \"severity\": \"high\", \"x\": 1,\n\"text\": \"mutex is not released on the<\n>error path\"}",
                Rule::RawNewline,
                Class::Guess,
            ),
            (
                "{\"id\": 88, \"severity\": \"high\", \"x\": 1,\n\"text\": \"mutex is not released on it.<\n>Error path\"}",
                Rule::RawNewline,
                Class::Notation,
            ),
            ("{\n\"text\": \"two<\n>lines\"}", Rule::RawNewline, Class::Notation),
        ] {
            let (start, end) = (text.find('<').expect(text), text.find('>').expect(text) - 1);
            let plain = text.replace(['<', '>'], "");
            let repair = Repair { rule, span: Span::new(start, end), replacement: "".into() };
            assert_eq!(class_of(&Window::whole(&plain), &repair), expected, "{text}");
        }
    }

    #[test]
    fn items_without_their_first_brace() {
        for (text, expected) in [
            ("\"a\": 1},", true),
            ("\"a\": 1}\n , {}]", true),
            ("\"a\": 1}", false),
            ("\"a\": 1}. And", false),
        ] {
            let span = Span::new(0, text.find('}').expect(text) + 1);
            let repair =
                Repair { rule: Rule::MissingOpener, span: Span::at(0), replacement: "{".into() };
            let window = Window::whole(text);
            assert_eq!(may_be_item(&window, span, &[repair]), expected, "{text}");
            assert!(!may_be_item(&window, span, &[]), "{text}");
        }
    }

    #[test]
    fn brackets_that_may_be_missing_elsewhere() {
        for (text, expected) in
            [("[1 <>[2]", true), ("[{} <>[2]", true), ("[[1] <>[2]", false), ("[1 <>2", false)]
        {
            let at = text.find('<').expect(text);
            let plain = text.replace(['<', '>'], "");
            let repair = |rule, at| Repair { rule, span: Span::at(at), replacement: "".into() };
            let comma = repair(Rule::MissingComma, at);
            let closer = repair(Rule::MissingCloser, plain.len());
            let window = Window::whole(&plain);
            assert_eq!(may_close_earlier(&window, &[comma.clone(), closer]), expected, "{text}");
            assert!(!may_close_earlier(&window, &[comma]), "{text}");
        }
    }

    #[test]
    fn numbers_at_a_cut() {
        for (text, expected) in [
            ("{\"price\": 12", true),
            ("[1.25, {\"a\": -3", true),
            ("{\"price\": 12\n", false),
            ("{\"price\": \"12\"", false),
            ("{\"price\": null", false),
        ] {
            let span = Span::at(text.trim_end().len());
            let closer = Repair { rule: Rule::MissingCloser, span, replacement: "".into() };
            assert_eq!(is_cut_behind_number(&Window::whole(text), &[closer]), expected, "{text}");
        }
    }

    #[test]
    fn comments_for_content() {
        for (text, expected) in [
            ("{/* same as before */}", Class::Loss),
            ("[\n  1,\n  /* ... 40 more */\n  2]", Class::Loss),
            ("[1, /* ... */ 2]", Class::Notation),
            ("{\"a\": 1, /* same as before */ \"b\": 2}", Class::Notation),
            ("{/* the name */\"a\": 1}", Class::Notation),
        ] {
            let start = text.find("/*").expect(text);
            let end = text.find("*/").expect(text) + 2;
            let span = Span::new(start, end);
            let repair = Repair { rule: Rule::BlockComment, span, replacement: "".into() };
            assert_eq!(class_of(&Window::whole(text), &repair), expected, "{text}");
        }
    }
}
