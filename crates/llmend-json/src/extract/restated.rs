//! Words behind a scalar that put another one in its place: `42` in a block, and then `Sorry, it should be
//! 43.`

use crate::{
    Span,
    extract::stated,
    judge::words::correction::{self, Means},
    parser::Window,
};

/// How far behind a value such words are searched for, in bytes.
const REACH: usize = 300;
/// Verbs for what a value has to be.
const MODALS: &[&str] =
    &["should", "must", "ought", "soll", "sollte", "muss", "devrait", "debería", "dovrebbe"];

/// What words behind a scalar say of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Restated {
    /// The scalar at this span takes its place.
    As(Span),
    /// It may be another one.
    Doubtful,
}

/// How a sentence speaks of a value before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Manner {
    /// It begins with words that take it back.
    TakesBack,
    /// It is the title of a correction.
    Title,
    /// It hesitates, or says what the value has to be.
    Hesitates,
}

/// Returns what the words behind the scalar at `span` say of it. `is_known` tells whether a word is a value
/// that the caller expects.
pub(super) fn behind(
    window: &Window<'_>,
    span: Span,
    is_known: impl Fn(&str) -> bool,
) -> Option<Restated> {
    let after = window.near(span.end, REACH);
    let old = without_quotes(window.slice(span));
    let (mut taken_back, mut doubtful) = (false, false);
    for sentence in sentences(after) {
        let manner = manner(sentence);
        let others: Vec<&str> = values(sentence, &is_known)
            .into_iter()
            .filter(|value| without_quotes(value) != old)
            .collect();
        if let [one] = others[..] {
            let replaces = match manner {
                Some(Manner::TakesBack | Manner::Title) => ends_clause(sentence, one),
                Some(Manner::Hesitates) => taken_back && ends_clause(sentence, one),
                None => taken_back && sentence.trim_matches(is_mark) == one.trim_matches(is_mark),
            };
            if replaces {
                let start = span.end + (one.as_ptr().addr() - after.as_ptr().addr());
                return Some(Restated::As(Span::new(start, start + one.len())));
            }
        }
        let takes_back = manner == Some(Manner::TakesBack);
        taken_back |= takes_back;
        doubtful |= takes_back || (manner.is_some() && !others.is_empty());
    }
    let is_other = |other: Span| without_quotes(window.slice(other)) != old;
    let other = || stated::answer(window, span.end).is_some_and(is_other);
    (doubtful || other()).then_some(Restated::Doubtful)
}

fn without_quotes(value: &str) -> &str {
    value.trim_matches('"')
}

/// Returns the sentences of a text.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let ends = |line: &str| {
        let ends = line.match_indices(['.', '!', '?', '。', '！']).map(|(at, end)| at + end.len());
        let is_end = |at: &usize| line.get(*at..).is_some_and(|rest| !rest.starts_with(is_inside));
        ends.filter(is_end).collect::<Vec<_>>()
    };
    text.lines().flat_map(move |line| {
        let ends = ends(line);
        let starts: Vec<usize> = std::iter::once(0).chain(ends.iter().copied()).collect();
        let ends = ends.into_iter().chain([line.len()]);
        starts.into_iter().zip(ends).filter_map(|(start, end)| line.get(start..end))
    })
}

/// Returns whether `c` goes on with a word.
fn is_inside(c: char) -> bool {
    c.is_alphanumeric()
}

/// Returns whether `c` is a mark around words and values.
fn is_mark(c: char) -> bool {
    c.is_whitespace()
        || matches!(c, '*' | '`' | '_' | '$' | '(' | ')' | ',' | ';' | ':')
        || matches!(c, '.' | '!' | '?' | '#' | '>' | '-' | '–' | '—' | '。' | '，' | '：')
}

fn manner(sentence: &str) -> Option<Manner> {
    let text = sentence.trim_start_matches(is_mark);
    if correction::begins(text, &[Means::Corrects, Means::Retracts]) {
        return Some(Manner::TakesBack);
    }
    if correction::is_title(text) {
        return Some(Manner::Title);
    }
    let lower = text.to_lowercase();
    let first = lower.split([' ', ',', ':', '–', '—']).next().unwrap_or_default();
    let pauses =
        lower.get(first.len()..).is_some_and(|rest| rest.trim_start().starts_with(is_pause));
    let hesitates = pauses && correction::begins(text, &[Means::Hesitates]);
    let is_modal = |word: &str| MODALS.contains(&word);
    (hesitates || lower.split_whitespace().any(is_modal)).then_some(Manner::Hesitates)
}

/// Returns whether `c` separates a word from the sentence that it begins.
fn is_pause(c: char) -> bool {
    matches!(c, ',' | ':' | '–' | '—')
}

/// Returns the scalars in a sentence: numbers, literals, strings in quotes and known words.
fn values<'t>(sentence: &'t str, is_known: &impl Fn(&str) -> bool) -> Vec<&'t str> {
    let mut found = Vec::new();
    let mut rest = sentence;
    while let Some(at) = rest.find(|c: char| !is_opening(c)) {
        rest = rest.get(at..).unwrap_or_default();
        let quoted = rest.strip_prefix('"').and_then(|inside| inside.find('"')).map(|end| end + 2);
        let end = quoted.or_else(|| rest.find(ends_word)).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end);
        let word = if quoted.is_some() { word } else { word.trim_end_matches(is_mark) };
        if stated::is_scalar(word) || is_known(word) {
            found.push(word);
        }
        rest = behind;
    }
    found
}

fn ends_word(c: char) -> bool {
    c.is_whitespace() || matches!(c, '：' | '，' | '。')
}

/// Returns whether `c` stands before a value. A minus belongs to it.
fn is_opening(c: char) -> bool {
    is_mark(c) && c != '-'
}

/// Returns whether a value in a sentence is the last word of it, or of a clause.
fn ends_clause(sentence: &str, value: &str) -> bool {
    let end = value.as_ptr().addr() - sentence.as_ptr().addr() + value.len();
    let rest = sentence.get(end..).unwrap_or_default();
    let rest = rest.trim_start_matches(['*', '`', '_', '$', '"']);
    rest.trim().is_empty() || rest.starts_with([',', '.', ';', '!', '。', '，', ')'])
}

#[cfg(test)]
mod tests {
    use super::{Restated, behind};
    use crate::{Span, parser::Window};

    /// Checks what the words behind `42` in a block say: the value in its place, or `?` for a doubt.
    #[test]
    fn scalars_in_the_place_of_others() {
        for (after, expected) in [
            ("Sorry, it should be 43.", Some("43")),
            ("Sorry, it should be 43, not 42.", Some("43")),
            ("Sorry, it should be **43**!", Some("43")),
            ("Wait, 43.", Some("43")),
            ("Oops. It should be 43.", Some("43")),
            ("Hmm, that is wrong.\n\n43", Some("43")),
            ("Correction: 43", Some("43")),
            ("Corrected value: -4.5", Some("-4.5")),
            ("Final answer: 43", Some("43")),
            ("Entschuldigung, richtig ist 43.", Some("43")),
            ("更正：43。", Some("43")),
            ("Sorry, it should be blue.", Some("blue")),
            ("Sorry, it should be \"dark red\".", Some("\"dark red\"")),
            // Another value may be meant.
            ("Sorry, that is wrong.", Some("?")),
            ("Sorry, it took me 3 tries.", Some("?")),
            ("Sorry, line 2 has 5 and line 3 has 6.", Some("?")),
            ("Sorry, it should be 43 or 44.", Some("?")),
            ("No, it is 43.", Some("?")),
            ("It should be 43.", Some("?")),
            ("Es muss 43 sein.", Some("?")),
            ("Answer: 43", Some("?")),
            // Nothing is said against it.
            ("", None),
            ("The answer is 42.", None),
            ("It is 42, and not more.", None),
            ("Let me know if you need 3 more.", None),
            ("Tell me if it should be rounded.", None),
            ("Is this correct?", None),
            ("I summed 40 and 2 from rows 3 to 5.", None),
        ] {
            let text = format!("```json\n42\n```\n{after}");
            let window = Window::whole(&text);
            let found = behind(&window, Span::new(8, 10), |word| word == "blue");
            let found = found.map(|restated| match restated {
                Restated::As(span) => window.slice(span),
                Restated::Doubtful => "?",
            });
            assert_eq!(found, expected, "{after}");
        }
    }
}
