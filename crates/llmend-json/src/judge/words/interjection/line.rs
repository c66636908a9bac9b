//! Grades of a line that may be prose.

use crate::{
    judge::words::{
        correction::{self, Means},
        notice, word,
    },
    parser::quote,
};

/// How clearly a line is no part of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Grade {
    /// Several words. They may be an item.
    Words,
    /// A sentence.
    Sentence,
    /// Words and a colon. They may be a key.
    Title,
    /// In brackets or between rulers, or a ruler.
    Heading,
}

/// Marks of rulers and around headings.
const RULERS: [char; 7] = ['-', '=', '*', '~', '_', '─', '—'];
/// Parts of words that say that a text goes on.
const NOTES: &[&str] = &[
    "continu",
    "continú",
    "cont.",
    "cont'd",
    "fortsetzung",
    "suite",
    "ciąg dalszy",
    "devam",
    "продолж",
    "续",
    "続",
    "previous message",
];

/// Returns the grade of `line`, which is trimmed, if it may be prose.
pub(super) fn grade(line: &str) -> Option<Grade> {
    if line.contains(['"', '{', '}', '\\', '`', '“', '”']) {
        return None;
    }
    if is_heading(line) || is_remark(line) || is_prompt(line) {
        return Some(Grade::Heading);
    }
    let line = line.trim_start_matches(|c: char| {
        RULERS.contains(&c) || matches!(c, '>' | '•' | '…' | '.' | ' ')
    });
    let first = line.chars().next()?;
    if !first.is_alphabetic() || line.contains(['[', ']', '=']) {
        return None;
    }
    let words = words(line);
    let last = line.chars().next_back()?;
    let colons = line.matches([':', '：']).count();
    match last {
        ':' | '：' if words >= 2 || is_note(line) => Some(Grade::Title),
        '.' | '!' | '?' | '…' | '。' | '！' | '？' if words >= 3 || !first.is_ascii() => {
            Some(Grade::Sentence)
        }
        ',' | ';' | '，' => None,
        _ if words >= 3 && colons == 0 => Some(Grade::Words),
        _ => None,
    }
}

/// Longest text behind a comma, in bytes.
const LOOSE_REACH: usize = 120;

/// Returns whether `text`, on the line of a member, contains neither a member nor a value of its own: words
/// without quotes, commas, digits and literals, or anything in parentheses or brackets that has words.
pub(super) fn is_loose(text: &str) -> bool {
    let enclosed = within(text, '(', ')').or_else(|| within(text, '[', ']'));
    let inside = enclosed.unwrap_or(text);
    let marks = |c: char| {
        quote::is_mark(c)
            || matches!(
                c,
                '\'' | '`' | '{' | '}' | '[' | ']' | '=' | '\\' | '«' | '»' | '「' | '」'
            )
    };
    let has_words = inside.contains(|c: char| c.is_alphabetic());
    let is_value =
        |word: &str| word::literal(word).is_some() || matches!(word, "NaN" | "undefined");
    let plain =
        !text.contains([':', '：', ',', ';']) && !text.contains(|c: char| c.is_ascii_digit());
    !text.is_empty()
        && text.len() <= LOOSE_REACH
        && !inside.contains(marks)
        && !inside.split(' ').any(is_value)
        && if enclosed.is_some() { has_words } else { plain }
}

/// Returns the text between `open` and `close`.
fn within(text: &str, open: char, close: char) -> Option<&str> {
    text.strip_prefix(open)?.strip_suffix(close)
}

/// Labels of remarks.
const REMARKS: &[&str] =
    &["Note", "NOTE", "NB", "Remark", "Hinweis", "Anmerkung", "Remarque", "Nota", "Caveat"];

/// Returns whether a line is a remark behind its label: `Note: the age is an estimate`.
fn is_remark(line: &str) -> bool {
    let label = line.split_once(':').filter(|(label, _)| REMARKS.contains(label));
    label.is_some_and(|(_, text)| words(text) >= 3 && !text.ends_with([',', ';']))
}

/// Returns whether a line is the prompt of a program that shows a text page by page: `lines 17-32/130`.
fn is_prompt(line: &str) -> bool {
    let is_range = |c: char| c.is_ascii_digit() || matches!(c, '-' | '/' | '%' | ' ');
    line.strip_prefix("lines ").is_some_and(|range| {
        let is_number = |c: char| c.is_ascii_digit();
        range.starts_with(is_number) && range.contains('-') && range.chars().all(is_range)
    })
}

/// Returns whether a line is in brackets or between rulers, or a ruler.
fn is_heading(line: &str) -> bool {
    if is_broken_ruler(line) || is_page(line) {
        return true;
    }
    let inside = line.trim_matches(RULERS);
    let marks = line.len() - inside.len();
    if marks >= 3 {
        let same = |c: char| line.starts_with(c) && line.ends_with(c);
        let title = marks >= 4 && inside.contains(char::is_alphanumeric);
        return RULERS.into_iter().any(same)
            && (inside.is_empty() || title && !inside.contains([',', ':']));
    }
    if let Some(inside) = within(line, '(', ')').or_else(|| within(line, '（', '）')) {
        let text = words(inside) >= 2 || is_note(inside);
        return text && inside.contains(char::is_alphabetic) && !is_tuple(inside);
    }
    within(line, '[', ']').is_some_and(|inside| is_note(inside) && !inside.contains([',', '[']))
}

/// Returns whether a line is a ruler with gaps: `— — —`.
fn is_broken_ruler(line: &str) -> bool {
    let marks = line.chars().filter(|c| RULERS.contains(c)).count();
    marks >= 3 && line.chars().all(|c| RULERS.contains(&c) || c == ' ')
}

/// Names of the pages and parts of a text, in lower case.
const PAGES: &[&str] = &[
    "page",
    "part",
    "seite",
    "teil",
    "partie",
    "página",
    "parte",
    "pagina",
    "strona",
    "część",
    "страница",
    "часть",
    "sayfa",
    "ページ",
];

/// Returns whether a line numbers a page or part of several: `Page 2/3`, `Seite 2 von 3`.
fn is_page(line: &str) -> bool {
    let line = line.trim_start_matches(['*', '#', ' ']).to_lowercase();
    let Some(rest) = PAGES.iter().find_map(|name| line.strip_prefix(name)) else { return false };
    let rest = rest.trim_start();
    let rest = rest.trim_end_matches(['*', ' ']);
    let (first, last) =
        rest.split_at(rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len()));
    let last = ["/", "of ", "von ", "de ", "sur ", "di ", "из "]
        .iter()
        .find_map(|joint| last.trim_start().strip_prefix(joint))
        .unwrap_or_default()
        .trim();
    let digits =
        |text: &str| (1..=4).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    digits(first) && digits(last)
}

/// Returns whether `line`, which follows a bracket, is a note up to the other bracket.
pub(super) fn is_note_in_brackets(line: &str) -> bool {
    line.strip_suffix(']')
        .is_some_and(|inside| is_note(inside) && !inside.contains([',', '[', '"']))
}

/// Words that say in brackets that a text is cut off, beside those of any notice.
const CUTS: &[&str] = &["token", "limit", "gekürzt"];

/// Returns whether `line`, in brackets, says that a text is cut off.
pub(super) fn is_notice(line: &str) -> bool {
    let bare = line.trim_end_matches(['.', '…']);
    let inside = [('[', ']'), ('(', ')'), ('<', '>')]
        .into_iter()
        .find_map(|(open, close)| bare.strip_prefix(open)?.strip_suffix(close));
    inside.is_some_and(|inside| {
        let lower = inside.to_ascii_lowercase();
        words(inside) <= 12
            && (is_note(inside)
                || notice::says_cut(&lower)
                || CUTS.iter().any(|cut| lower.contains(cut)))
    })
}

/// Returns whether `line` is no more than a note, between marks or before a colon.
pub(super) fn is_note_alone(line: &str) -> bool {
    let inside = line.trim_matches(|c: char| RULERS.contains(&c) || "()[]<>….: ".contains(c));
    let marked = line.len() > inside.len() + 1 && words(inside) <= 5;
    (marked || (line.ends_with(':') && words(inside) <= 10)) && is_note(inside)
}

/// Returns whether `text` says that a text goes on.
fn is_note(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    NOTES.iter().any(|note| lower.contains(note))
}

/// Returns whether the content of parentheses looks like items.
fn is_tuple(inside: &str) -> bool {
    let mut items = inside.split(',');
    let single = |item: &str| !item.trim().contains(' ');
    inside.contains(',') && items.all(single)
}

/// Returns whether `text`, on the line of a value, takes something back or thinks aloud.
pub(super) fn is_aside(text: &str) -> bool {
    let sound = |c: char| c.is_alphanumeric() || " ,.;'’-—–!?…".contains(c);
    let text = text.trim_start_matches(['-', '—', '–', '…', '.', ' ']);
    words(text) >= 2
        && text.chars().all(sound)
        && correction::begins(text, &[Means::Hesitates, Means::Retracts, Means::Corrects])
}

/// Longest noise, in bytes.
const NOISE_REACH: usize = 24;

/// Returns whether `text` is a token that a model lets slip between others: a sign, or a word of a script
/// other than the Latin one, without a space.
pub(super) fn is_noise(text: &str) -> bool {
    let slips = |c: char| {
        !c.is_ascii_alphanumeric() && !c.is_whitespace() && !r#"{}[]():;,"'`#\*-+•·–—"#.contains(c)
    };
    !text.is_empty() && text.len() <= NOISE_REACH && text.chars().all(slips)
}

/// Returns the number of words. Every four characters of a script without spaces count as two.
fn words(text: &str) -> usize {
    let ideographs =
        text.chars().filter(|c| matches!(c, '\u{3040}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}'));
    text.split_whitespace().count() + ideographs.count() / 2
}

#[cfg(test)]
mod tests {
    use super::{Grade, grade, is_note_alone};

    #[test]
    fn notes() {
        for (line, expected) in [
            ("...continued:", true),
            ("[continuing from previous message]", true),
            ("(continued)", true),
            ("<continue>", true),
            ("--- continued ---", true),
            ("It continued.", false),
            ("(see page 3)", false),
        ] {
            assert_eq!(is_note_alone(line), expected, "{line}");
        }
    }

    #[test]
    fn grades() {
        use Grade::{Heading, Sentence, Title, Words};
        for (line, expected) in [
            ("--- January ---", Some(Heading)),
            ("== General ==", Some(Heading)),
            ("-----", Some(Heading)),
            ("--", None),
            ("— — —", Some(Heading)),
            ("Page 2/2", Some(Heading)),
            ("**Seite 2 von 3**", Some(Heading)),
            ("Room 2", None),
            ("Lesson 1 of 2", Some(Words)),
            ("2024/12345", None),
            ("(so it is)", Some(Heading)),
            ("(a, b)", None),
            ("(maybe)", None),
            ("[continued from page 1]", Some(Heading)),
            ("[red, blue]", None),
            ("[red blue]", None),
            ("And the countries:", Some(Title)),
            ("Part 2/2:", Some(Title)),
            ("name:", None),
            ("lines 17-32/130", Some(Heading)),
            ("lines 1-16", Some(Heading)),
            ("lines 16", None),
            ("lines - 3", Some(Words)),
            ("以下是本周的任务:", Some(Title)),
            ("That is all.", Some(Sentence)),
            ("以上。", Some(Sentence)),
            ("Note: it is an estimate.", Some(Heading)),
            ("Note: it is an estimate", Some(Heading)),
            ("note: it is an estimate", None),
            ("Note: estimate", None),
            ("ok.", None),
            ("now the other ones", Some(Words)),
            ("red and blue,", None),
            ("a = b c d", None),
            ("say \"x\" to him.", None),
        ] {
            assert_eq!(grade(line), expected, "{line}");
        }
    }
}
