//! Grades of a line that may be prose.

use crate::judge::words::{
    correction::{self, Means},
    notice,
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
const NOTES: &[&str] = &["continu", "cont.", "cont'd", "fortsetzung", "suite", "previous message"];

/// Returns the grade of `line`, which is trimmed, if it may be prose.
pub(super) fn grade(line: &str) -> Option<Grade> {
    if line.contains(['"', '{', '}', '\\', '`', '“', '”']) {
        return None;
    }
    if is_heading(line) || is_remark(line) {
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

/// Labels of remarks.
const REMARKS: &[&str] =
    &["Note", "NOTE", "NB", "Remark", "Hinweis", "Anmerkung", "Remarque", "Nota", "Caveat"];

/// Returns whether a line is a remark behind its label: `Note: the age is an estimate`.
fn is_remark(line: &str) -> bool {
    let label = line.split_once(':').filter(|(label, _)| REMARKS.contains(label));
    label.is_some_and(|(_, text)| words(text) >= 3 && !text.ends_with([',', ';']))
}

/// Returns whether a line is in brackets or between rulers, or a ruler.
fn is_heading(line: &str) -> bool {
    let inside = line.trim_matches(RULERS);
    let marks = line.len() - inside.len();
    if marks >= 3 {
        let same = |c: char| line.starts_with(c) && line.ends_with(c);
        let title = marks >= 4 && inside.contains(char::is_alphanumeric);
        return RULERS.into_iter().any(same)
            && (inside.is_empty() || title && !inside.contains([',', ':']));
    }
    let within = |open, close| line.strip_prefix(open).and_then(|line| line.strip_suffix(close));
    if let Some(inside) = within('(', ')').or_else(|| within('（', '）')) {
        let text = words(inside) >= 2 || is_note(inside);
        return text && inside.contains(char::is_alphabetic) && !is_tuple(inside);
    }
    within('[', ']').is_some_and(|inside| is_note(inside) && !inside.contains([',', '[']))
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
    let inside = line.trim_matches(|c: char| RULERS.contains(&c) || "()[]….: ".contains(c));
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
            ("(so it is)", Some(Heading)),
            ("(a, b)", None),
            ("(maybe)", None),
            ("[continued from page 1]", Some(Heading)),
            ("[red, blue]", None),
            ("[red blue]", None),
            ("And the countries:", Some(Title)),
            ("Part 2/2:", Some(Title)),
            ("name:", None),
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
