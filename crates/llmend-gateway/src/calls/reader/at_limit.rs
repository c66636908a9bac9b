//! Answers that reached their limit. A mark with which one ends began a call that is cut off; with
//! which any other ends, it is what a sentence is about.

use llmend::calls::NOTATIONS;
use llmend::{Diagnostic, Severity};

/// Returns what is said of a call of which only the mark is there.
pub(super) fn diagnostic() -> Diagnostic {
    Diagnostic::new("calls/truncated", Severity::Error, "the text is cut off inside a call")
}

/// Returns where the mark is with which a text ends.
pub(super) fn mark_at_end(text: &str) -> Option<usize> {
    let text = text.trim_end();
    let openers = NOTATIONS.iter().flat_map(|row| row.openers);
    // Labels and arrows may be anything.
    let marks =
        openers.map(|opener| opener.trim_end()).filter(|mark| mark.ends_with(['>', ']', '✿']));
    let ends = marks.filter(|mark| mark.len() > 3 && text.ends_with(mark));
    ends.map(|mark| text.len() - mark.len()).min()
}

/// Least bytes of a mark that count as its beginning.
const LEAST: usize = 3;

/// Returns where a text ends with the beginning of a mark: of one that opens calls, or, behind a call,
/// of one that closes them.
pub(super) fn begun_mark(text: &str, is_behind_call: bool) -> Option<usize> {
    let openers = NOTATIONS.iter().flat_map(|row| row.openers);
    let marks = openers.map(|opener| opener.trim_end()).filter(|mark| mark.starts_with(['<', '[']));
    let closer = |mark: &str| mark.strip_prefix('<').map(|rest| format!("</{rest}"));
    let starts = marks.flat_map(|mark| {
        let closer = closer(mark).filter(|_| is_behind_call && mark.ends_with('>'));
        [Some(mark.to_owned()), closer].into_iter().flatten()
    });
    starts.filter_map(|mark| begun(text, &mark)).min()
}

/// Returns where a text ends with a part of a mark that is its beginning.
fn begun(text: &str, mark: &str) -> Option<usize> {
    let ends = mark.char_indices().map(|(at, _)| at).filter(|at| *at >= LEAST);
    let longest = ends.filter(|end| text.ends_with(&mark[..*end])).max()?;
    Some(text.len() - longest)
}

#[cfg(test)]
mod tests {
    use super::{begun_mark, mark_at_end};

    #[test]
    fn beginnings_of_marks_at_the_end_of_a_text() {
        for (text, is_behind_call, expected) in [
            ("Sure.\n<too", false, Some(6)),
            ("Sure. <tool_call", false, Some(6)),
            ("Sure. [TOOL_CA", false, Some(6)),
            ("Hm </tool_c", true, Some(3)),
            ("Hm </tool_c", false, None),
            ("Hm <table", false, None),
            ("a <t", false, None),
            ("Sure. <tool_call>", false, None),
            ("", true, None),
        ] {
            assert_eq!(begun_mark(text, is_behind_call), expected, "{text}");
        }
    }

    #[test]
    fn marks_at_the_end_of_a_text() {
        for (text, expected) in [
            ("I run it. <tool_call>\n", Some(10)),
            ("[TOOL_CALLS]", Some(0)),
            ("It is called <tool_call>.", None),
            ("So >>>", None),
            ("", None),
        ] {
            assert_eq!(mark_at_end(text), expected, "{text}");
        }
    }
}
