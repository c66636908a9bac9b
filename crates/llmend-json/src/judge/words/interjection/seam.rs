//! Seams in strings: lines that say that a text goes on, where two answers were joined.

use super::{LINE_REACH, line};

/// Where two texts were joined in the middle of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seam {
    /// A line between empty ones says that the text goes on, and ends here with the empty lines.
    Until(usize),
    /// It cannot be told what belongs to the seam.
    Unclear,
}

/// Fewest characters at the end of a text that another one repeats when it goes on.
const OVERLAP: usize = 3;

/// Returns the seam at the line break at `at` in a string, before a line that says that a text goes on.
pub(crate) fn at(text: &str, at: usize) -> Option<Seam> {
    let mut end = text.len().min(at + 2 * LINE_REACH);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let rest = text.get(at..end).unwrap_or_default().trim_start();
    // The block may have ended before it.
    let block = rest.strip_prefix("```\n");
    let inside = || text.get(..at).is_some_and(|before| before.contains("```"));
    if block.is_some_and(|rest| rest.contains("\n```json\n")) && !inside() {
        return Some(Seam::Unclear);
    }
    let is_block = block.is_some();
    let rest = block.map_or(rest, str::trim_start);
    let line = rest.split('\n').next().unwrap_or_default();
    if line.len() == rest.len() || line.len() > LINE_REACH || !line::is_note_alone(line.trim()) {
        return None;
    }
    let behind = rest.get(line.len()..).unwrap_or_default();
    let more = behind.trim_start_matches(['\r', '\n']);
    let apart = |gap: &str| gap.matches('\n').count() > 1;
    let above = text.get(at..).unwrap_or_default();
    let above = above.get(..above.len() - above.trim_start().len()).unwrap_or_default();
    let below = behind.get(..behind.len() - more.len()).unwrap_or_default();
    let before = text.get(..at).unwrap_or_default();
    let first = more.char_indices().nth(OVERLAP).and_then(|(end, _)| more.get(..end));
    let repeats = first.is_some_and(|first| {
        before.get(line_start(before)..).is_some_and(|line| line.contains(first))
    });
    let sure = !is_block && apart(above) && apart(below) && !repeats && !more.starts_with(' ');
    let until = at + above.len() + line.len() + below.len();
    Some(if sure { Seam::Until(until) } else { Seam::Unclear })
}

/// Returns where the last line of `text` begins.
fn line_start(text: &str) -> usize {
    text.rfind('\n').map_or(0, |at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::{Seam, at as seam};

    #[test]
    fn seams() {
        for (text, expected) in [
            ("Coi|\n\nContinuing from where I left off:\n\nmbra", Some(Some("mbra"))),
            ("La |\n\n[continúa]\n\ntormenta", Some(Some("tormenta"))),
            ("a|\n\n<|continue|>\n\nb", Some(Some("b"))),
            // It may be a line of the text, or repeat what was written before.
            ("a|\n[continued]\nb", Some(None)),
            ("the old |\n\n[continued]\n\nthe old man", Some(None)),
            ("a|\n\nand so on\n\nb", None),
            ("a|\n\n[continued]", None),
        ] {
            let at = text.find('|').expect(text);
            let text = text.replacen('|', "", 1);
            let found = seam(&text, at).map(|seam| match seam {
                Seam::Until(end) => Some(&text[end..]),
                Seam::Unclear => None,
            });
            assert_eq!(found, expected, "{text}");
        }
    }
}
