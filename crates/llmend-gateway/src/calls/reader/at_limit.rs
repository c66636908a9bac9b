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

#[cfg(test)]
mod tests {
    use super::mark_at_end;

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
