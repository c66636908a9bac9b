//! Whether several values are no answer as they are: the reader has to choose, or others said them.

use crate::{
    Origin, Span,
    extract::{
        code::CODE_REACH,
        denial, listing, rival,
        standing::{element_before, introduction, words::TOOLS},
        turn,
    },
    parser::Window,
};

/// Words between two values of which the reader has to choose.
const CHOICES: &[&str] =
    &["or", "vs", "versus", "alternatively", "oder", "ou", "oppure", "或", "或者"];

/// Returns whether the values are no answer as they are: alternatives of which the reader has to
/// choose, or what several speakers or tools said.
pub(crate) fn are_alternatives(
    window: &Window<'_>,
    values: impl Iterator<Item = (Span, Origin)>,
) -> bool {
    let mut last: Option<Span> = None;
    let mut first = None;
    let (mut named, mut said) = (true, true);
    for (span, origin) in values {
        if let Some(last) = last {
            let between = window.slice(Span::new(last.end.min(span.start), span.start));
            if offers_another(between)
                || is_conflict(window, between, span)
                || (!listing::are_listed(window, last, span)
                    && rival::are_rivals(window, last, between, span))
            {
                return true;
            }
        }
        last = Some(span);
        first = first.or(last);
        if !named && !said {
            continue;
        }
        let introduction = introduction(window, span.start, origin);
        let tag = element_before(window, span);
        named &= rival::ALTERNATIVES.iter().any(|word| introduction.contains(word) || tag == *word);
        let speaker = introduction.trim_matches([':', '*', ' ', '#']);
        said &= turn::is_speaker(speaker) || TOOLS.contains(&speaker);
    }
    let outside = first.zip(last).map(|(first, last)| {
        (window.before(first.start, denial::REACH), window.near(last.end, denial::REACH))
    });
    // What is near the last value is read with what is after it.
    let far = last.map_or(0, |last| window.rest(last.end).len().saturating_sub(denial::REACH));
    let end = window.before(window.end(), far.min(denial::REACH));
    named
        || said
        || outside.is_some_and(|(before, after)| denial::is_undecided(before, after))
        || denial::is_undecided("", end)
}

/// Returns whether the text between two values begins with a word for another possibility.
fn offers_another(between: &str) -> bool {
    if between.trim() == "/" {
        return true;
    }
    let is_mark =
        |c: char| c.is_whitespace() || matches!(c, ',' | ';' | ':' | '*' | '`' | '~' | '(');
    let words = between.trim_start_matches(is_mark);
    let word =
        words.split(|c: char| c.is_whitespace() || matches!(c, ',' | ':' | '.' | '*')).next();
    word.is_some_and(|word| CHOICES.iter().any(|choice| word.eq_ignore_ascii_case(choice)))
}

/// Returns whether only the mark between the versions of a conflict is before the value at `span`.
fn is_conflict(window: &Window<'_>, between: &str, span: Span) -> bool {
    let after = window.line_after(window.skip_space(span.end), CODE_REACH);
    between.trim() == "=======" && after.starts_with(">>>>>>>")
}

#[cfg(test)]
mod tests {
    use super::are_alternatives;
    use crate::{Origin, Span, parser::Window};

    #[test]
    fn values_of_which_the_reader_has_to_choose() {
        for (text, alternatives) in [
            ("[1]\nor\n[2]", true),
            ("[1] / [2]", true),
            ("[1]\n**oder**\n[2]", true),
            ("[1]\nand\n[2]", false),
            ("[1]\norders:\n[2]", false),
            ("Option A:\n[1]\nOption B:\n[2]", true),
            ("Option A:\n[1]\nSummary:\n[2]", false),
            ("User:\n[1]\nAssistant:\n[2]", true),
            ("Observation:\n[1]\nObservation:\n[2]", true),
            ("<option>\n[1]\n</option>\n<option>\n[2]\n</option>", true),
            ("<<<<<<< HEAD\n[1]\n=======\n[2]\n>>>>>>> main", true),
            ("[1]\n[2]\nBoth readings are possible.", true),
            ("[1]\nThe evening export says something else about it:\n[2]", false),
            ("[1]\nThe evening export says something else about it:\n[1]", true),
            ("[1]\nIf it was parked:\n[1]", true),
            ("[1] Otherwise: [1]", true),
            ("[1] ought to be [1]", true),
            ("1. [1]\n2. [1]", false),
            ("[1]\nAssistant B:\n[1]", true),
        ] {
            let values =
                text.match_indices('[').map(|(at, _)| (Span::new(at, at + 3), Origin::Bare));
            assert_eq!(are_alternatives(&Window::whole(text), values), alternatives, "{text}");
        }
    }
}
