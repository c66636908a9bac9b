//! Whether a value in prose may be an answer, or is words of a sentence.

use crate::{
    Origin, Rule, Span,
    extract::{Build, FoundValue, comment, standing},
    parser::{ValueStats, Window},
};

/// Returns whether a value in prose may be an answer. A citation, a set in a sentence or a name in
/// braces is not.
pub(crate) fn is_candidate<B: Build>(window: &Window<'_>, found: &FoundValue<B>) -> bool {
    let inside = window.slice(found.span);
    let empty = inside
        .trim_matches(|c: char| matches!(c, '[' | ']' | '{' | '}') || c.is_whitespace())
        .is_empty();
    if empty && found.origin != Origin::Fence {
        // An empty container in code or prose means nothing. On its own it is an answer.
        let line = Line::around(window, found.span);
        let rest = window.rest(found.span.end).trim_start_matches([';', ')', '`']);
        let is_last = || rest.trim_start_matches(['.', ' ', '\n']).is_empty();
        let is_final = || standing::is_final(window, found.span.start, found.origin);
        let stated = || found.repairs.is_empty() && line.before.ends_with([':', '：']);
        let alone = line.is_done()
            && (line.before.is_empty()
                || ((found.is_wrapped() || is_final() || stated()) && is_last()));
        return alone || comment::is_all_around(window, found.span);
    }
    if inside.starts_with('(') && found.stats.solid == 0 && !inside.contains([',', '"', '\'']) {
        // A remark in parentheses.
        return false;
    }
    if inside.starts_with(char::is_alphabetic) && !Line::around(window, found.span).is_done() {
        // A call in a sentence.
        return false;
    }
    let is_layer = |rule: Rule| matches!(rule, Rule::LinePrefix | Rule::Difference);
    if found.origin == Origin::Escaped && found.repairs.iter().any(|repair| is_layer(repair.rule)) {
        return true;
    }
    if found.is_wrapped() || found.stats.solid > 0 && found.stats.members > 0 {
        let is_open = found.stats.words > 0 || standing::is_form(inside);
        if is_open && is_sketch(window, found.span, inside) {
            return false;
        }
        let spoken = !found.is_wrapped()
            && found.stats.bare_keys > 0
            && is_spoken(Line::around(window, found.span).before, inside);
        return (found.stats.words <= 4 * (found.stats.solid + found.stats.members) && !spoken)
            || found.is_wrapped();
    }
    let line = Line::around(window, found.span);
    let alone = line.before.is_empty() && line.is_done();
    let introduced = line.introduces() && line.is_done();
    if found.stats.members > 0 {
        // Unquoted keys and values in a sentence are words in braces.
        return alone || introduced || line.before.is_empty();
    }
    let solid = found.stats.solid;
    let quoted = inside.contains('"') || solid > 0;
    let nested = inside.get(1..).is_some_and(|rest| rest.contains(['[', '{']));
    if found.stats.words as usize > solid as usize + inside.matches(',').count() / 2 {
        return alone && inside.contains(',');
    }
    let many = inside.contains(',');
    if line.before.is_empty() && many && quoted {
        return true;
    }
    let strict = found.repairs.is_empty();
    let stated = strict && many && !line.after.contains('?') && states_list(line.before, inside);
    // A list of strings behind a sentence that has ended is not a part of it, as numbers may be.
    let apart = strict
        && line.is_done()
        && line.before.ends_with(['.', '!', '?'])
        && inside.starts_with("[\"");
    // The text goes on with what it says of the list.
    let first = line.first && inside.matches(',').count() > 1;
    let explained = first && strict && line.after.starts_with(['—', '–', '-', '(']);
    let is_final = || strict && standing::is_final(window, found.span.start, found.origin);
    (alone && (many || quoted || nested || line.first || is_final()))
        || explained
        || (introduced && (many || quoted))
        || stated
        || apart
}

/// Returns whether braces in a sentence hold words, up to a colon, and no string: `{so far: none}`.
fn is_spoken(before: &str, inside: &str) -> bool {
    let key = inside.split(':').next().unwrap_or_default();
    before.ends_with(char::is_alphanumeric)
        && !inside.contains(['"', '\''])
        && key.trim_matches(['{', ' ']).contains(' ')
}

/// Returns whether a sentence states a list that it goes on behind: of strings, introduced by a
/// colon, a verb or a word for the answer, or of several numbers, introduced by a verb.
fn states_list(before: &str, inside: &str) -> bool {
    let verb = standing::ends_with_verb(before.trim_end_matches([':', '：']));
    if inside.starts_with("[\"") {
        return verb || before.ends_with([':', '：', '→']) || standing::ends_with_answer(before);
    }
    verb && inside.starts_with('[') && inside.matches(',').count() >= 2
}

/// Returns whether a sentence has an open bracket in it that was read as an object, whose first key
/// are the words of the sentence up to a colon.
pub(crate) fn is_sentence<B: Build>(window: &Window<'_>, found: &FoundValue<B>) -> bool {
    let start = found.span.start;
    let face = || ends_with_eyes(window.line_before(start, LINE_REACH).unwrap_or("…"));
    (found.cut.is_some() || face()) && is_in_sentence(window, start, found.origin, &found.stats)
}

/// Returns whether the bracket at `start` is in a sentence whose next words, up to a colon, were
/// read as a key.
pub(crate) fn is_in_sentence(
    window: &Window<'_>,
    start: usize,
    origin: Origin,
    stats: &ValueStats,
) -> bool {
    if stats.bare_keys == 0 || origin.is_wrapped() {
        return false;
    }
    let before = window.line_before(start, LINE_REACH).unwrap_or("…");
    let inside = window.near(start + 1, LINE_REACH);
    let key = inside.find(':').and_then(|colon| inside.get(..colon)).unwrap_or_default();
    (before.trim_end().ends_with(char::is_alphanumeric) || ends_with_eyes(before))
        && key.split_whitespace().count() > 2
}

/// Returns whether the mark that ends `before` and the bracket behind it are a face: `Arr! :{`.
fn ends_with_eyes(before: &str) -> bool {
    let face = before.strip_suffix([':', ';', '=']);
    face.is_some_and(|rest| rest.is_empty() || rest.ends_with([' ', '\t']))
}

/// Returns whether a sentence mentions a form with three dots in place of its content.
fn is_sketch(window: &Window<'_>, span: Span, inside: &str) -> bool {
    if inside.len() > LINE_REACH || !inside.contains("...") && !inside.contains('…') {
        return false;
    }
    let line = Line::around(window, span);
    let introduced = line.before.is_empty() || line.before.ends_with([':', '=', '：']);
    !introduced && !line.is_done()
}

/// The line around a value, without the value.
struct Line<'w> {
    before: &'w str,
    after: &'w str,
    first: bool,
}

/// Maximum length of such a line, in bytes.
pub(super) const LINE_REACH: usize = 400;

/// Marks after which an answer begins as if on a line of its own.
const BEGINNINGS: &[&str] = &["[/THINK]", "◁/think▷", "|>", "assistantfinal"];

/// Returns the line before a value; nothing if it is a comment, or a tag is closed right before the
/// value.
fn without_mark(line: &str) -> &str {
    let line = line.trim();
    let closed = line.ends_with('>') && line.rfind('<') == line.rfind("</");
    if closed
        || comment::are_comments(line, false)
        || BEGINNINGS.iter().any(|mark| line.ends_with(mark))
    {
        ""
    } else {
        line
    }
}

impl<'w> Line<'w> {
    fn around(window: &Window<'w>, span: Span) -> Self {
        Self {
            before: window.line_before(span.start, LINE_REACH).map_or("…", without_mark),
            after: window.line_after(span.end, LINE_REACH).trim(),
            first: span.start <= LINE_REACH
                && window.slice(Span::new(window.base, span.start)).trim().is_empty(),
        }
    }

    /// Returns whether the line introduces the value.
    fn introduces(&self) -> bool {
        let before = self.before.trim_end_matches('`').trim_end();
        before.ends_with([':', '=', '：'])
    }

    /// Returns whether only punctuation or a note in parentheses follows on the line.
    fn is_done(&self) -> bool {
        let note = self.after.strip_prefix('(').and_then(|note| note.strip_suffix([')', '.']));
        let after = if note.is_some() { "" } else { self.after };
        after.chars().all(|c| matches!(c, '.' | ';' | ',' | ')' | '`' | '*'))
    }
}

#[cfg(test)]
mod tests {
    use super::{is_spoken, states_list};

    #[test]
    fn words_in_braces() {
        for (before, inside, spoken) in [
            ("the list", "{so far: none}", true),
            ("the list:", "{so far: none}", false),
            ("the list", "{so: far}", false),
            ("the list", "{so far: \"none\"}", false),
            ("the list", "{'so far': none}", false),
            ("", "{so far: none}", false),
        ] {
            assert_eq!(is_spoken(before, inside), spoken, "{before} {inside}");
        }
    }

    #[test]
    fn lists_in_sentences() {
        for (before, inside, states) in [
            ("The names are", "[\"a\", \"b\"]", true),
            ("The names:", "[\"a\", \"b\"]", true),
            ("That is the answer", "[\"a\", \"b\"]", true),
            ("I compared", "[\"a\", \"b\"]", false),
            ("The sizes are", "[1, 2, 3]", true),
            ("The sizes are", "[1, 2]", false),
            ("The sizes:", "[1, 2, 3]", false),
            ("The sizes are:", "[1, 2, 3]", true),
            ("The size is", "{1, 2, 3}", false),
        ] {
            assert_eq!(states_list(before, inside), states, "{before} {inside}");
        }
    }
}
