//! Containers closed according to indentation.
//!
//! An indented text expresses its structure twice, by brackets and by columns. If a closing bracket
//! is missing, the columns show where. They prove nothing by themselves: valid JSON may be indented
//! in any way, so balanced brackets are never questioned.

use crate::{
    Span,
    judge::key::opens_key,
    parser::{Frame, Window},
    sink::Container,
};

/// How far back the start of a line is searched for, in bytes.
const REACH: usize = 256;

/// Returns how many of the open containers end before the line that begins at `next`, according to
/// its indentation: each level is indented by the same step, and this line is less indented than
/// the innermost container, or as its line if it is on one, and exactly as an outer one that can
/// contain it. The value before it ends at `last`.
pub(crate) fn closed_before(
    window: &Window<'_>,
    last: usize,
    next: usize,
    stack: &[Frame],
) -> Option<usize> {
    let (top, outer) = stack.split_last()?;
    let run = line_break(window.slice(Span::new(last, next)))?;
    let line = indentation(window, last)?;
    let on_line = top.run <= 1 && run == line.run;
    let inner = match top.run {
        // The innermost container is on one line, which is as deep as this one.
        _ if on_line => run + 1,
        0 => line.run,
        // The line before belongs to the container itself, or closes one in it.
        known if known as usize == line.run || line.closes => known as usize,
        _ => return None,
    };
    let holder = outer.iter().rposition(|frame| frame.run as usize == run)?;
    let fits = run < inner && (on_line || is_even(outer, inner));
    let is_held = match (window.byte(next)?, outer.get(holder)?.kind) {
        (b'{', kind) => kind == Container::Array,
        (_, kind) => kind == Container::Object && opens_key(window, next),
    };
    (fits && is_held).then(|| stack.len() - 1 - holder)
}

/// Returns the length of the white space at the end of `gap`, if that is a line break and an
/// indentation, behind at most a comma. The comma may have a line of its own, as deep as the next: a
/// closing bracket was before it.
fn line_break(gap: &str) -> Option<usize> {
    let line = memchr::memrchr(b'\n', gap.as_bytes())?;
    let start = line - usize::from(gap.get(..line)?.ends_with('\r'));
    let (before, space) = gap.split_at_checked(start)?;
    let indentation = gap.get(line + 1..)?;
    let is_alone = before.strip_suffix(',').is_some_and(|line| line.is_empty() || line == space);
    let is_indented = indentation.bytes().all(|byte| matches!(byte, b' ' | b'\t'));
    (is_indented && (before.is_empty() || is_alone)).then_some(space.len())
}

/// Returns whether each level is indented deeper than the one around it by the same step. `inner`
/// is the white space of the innermost level.
fn is_even(outer: &[Frame], inner: usize) -> bool {
    let known = |(at, frame): (usize, &Frame)| (frame.run > 0).then_some((at, frame.run as usize));
    let mut levels = outer.iter().enumerate().filter_map(known).chain([(outer.len(), inner)]);
    let Some(mut last) = levels.next() else { return false };
    let mut step = None;
    levels.all(|(at, run)| {
        let (depth, width) = (at - last.0, run.saturating_sub(last.1));
        last = (at, run);
        let own = width / depth;
        width > 0 && width.is_multiple_of(depth) && *step.get_or_insert(own) == own
    })
}

/// The start of a line.
struct Indentation {
    /// Length of its white space, including the line break before it.
    run: usize,
    /// Whether its first character is a closing bracket.
    closes: bool,
}

/// Returns the start of the line that contains the character before `at`.
fn indentation(window: &Window<'_>, at: usize) -> Option<Indentation> {
    let before = window.before(at, REACH);
    let end = memchr::memrchr(b'\n', before.as_bytes())?;
    let line = before.get(end + 1..)?;
    let text = line.trim_start_matches([' ', '\t']);
    let carriage = usize::from(before.get(..end)?.ends_with('\r'));
    Some(Indentation {
        run: line.len() - text.len() + 1 + carriage,
        closes: text.starts_with(['}', ']']),
    })
}

/// Returns the number of closing brackets missing from `at` on, with `depth` containers open, and where
/// that is known. At most about `reach` bytes are read. Strings are read as strict JSON, so the count is
/// only a piece of evidence.
pub(crate) fn missing_closers(
    window: &Window<'_>,
    at: usize,
    depth: usize,
    reach: usize,
) -> (usize, usize) {
    let (mut at, mut depth) = (at, depth);
    let last = at.saturating_add(reach);
    // No string that begins before this place has an end.
    let mut unclosed = at;
    while depth > 0 && at < last {
        let plain = window.run(at, |byte| !matches!(byte, b'"' | b'{' | b'}' | b'[' | b']' | b'`'));
        at += plain;
        match window.byte(at) {
            Some(b'"') if at >= unclosed => {
                let (stop, _, closed) = window.scan_string_on(at + 1, false);
                if closed {
                    at = stop;
                } else {
                    unclosed = stop;
                }
            }
            Some(b'{' | b'[') => depth += 1,
            Some(b'}' | b']') => depth -= 1,
            Some(b'`') if window.starts_with(at, b"```") => break,
            Some(_) => {}
            None => break,
        }
        at += 1;
    }
    (depth, at)
}

#[cfg(test)]
mod tests {
    use super::{closed_before, missing_closers};
    use crate::{
        parser::{Frame, Opened, Window},
        sink::Container,
    };

    fn stack(frames: &[(char, u32)]) -> Vec<Frame> {
        let frame = |&(open, run): &(char, u32)| {
            let kind = if open == '{' { Container::Object } else { Container::Array };
            Frame { run, ..Frame::new(kind, Opened::Plain) }
        };
        frames.iter().map(frame).collect()
    }

    #[test]
    fn less_indented_lines() {
        let two = [('{', 3), ('{', 5)];
        let three = [('{', 3), ('[', 5), ('{', 7)];
        for (text, frames, expected) in [
            ("\n    \"a\": 1<,\n  >\"b\": 2", &two[..], Some(1)),
            ("\r\n    \"a\": 1<,\r\n  >\"b\": 2", &[('{', 4), ('{', 6)], Some(1)),
            // The line before is as deep, but the innermost container's own lines are deeper.
            ("\n  }<,\n  >\"b\": 2", &two[..], Some(1)),
            // Steps of different widths, or white space before the line end.
            ("\n      \"a\": 1<,\n  >\"b\": 2", &[('{', 3), ('{', 5), ('{', 8)], None),
            ("\n    \"a\": 1<,  \n  >\"b\": 2", &two[..], None),
            ("\n    \"a\": 1<\n,\n  >\"b\": 2", &two[..], None),
            // The closing bracket before a comma on its own line.
            ("\n    \"a\": 1<\n  ,\n  >\"b\": 2", &two[..], Some(1)),
            ("\n      \"t\": \"x\"<\n  ,\n  >\"n\": 1", &three[..], Some(2)),
            // As deep as before, or at a depth that no container has.
            ("\n    \"a\": 1<,\n    >\"b\": 2", &two[..], None),
            ("\n    \"a\": 1<,\n >\"b\": 2", &two[..], None),
            ("\n    \"a\": 1<,\n   >\"b\": 2", &two[..], None),
            // The innermost container is on one line.
            ("\n  \"x\": {\"a\": 1, \"b\": 2<,\n  >\"c\": 3", &[('{', 3), ('{', 1)], Some(1)),
            ("\n  \"x\": {\"a\": 1, \"b\": 2<,\n    >\"c\": 3", &[('{', 3), ('{', 1)], None),
            // Not at the start of a line.
            ("\n    \"a\": 1<,  >\"b\": 2", &two[..], None),
            ("\n      \"t\": \"x\"<\n    >{", &three[..], Some(1)),
            ("\n      \"t\": \"x\"<\n  >\"n\": 1", &three[..], Some(2)),
            // An object has no place among members, nor a member among items.
            ("\n      \"t\": \"x\"<\n  >{", &three[..], None),
            ("\n      \"t\": \"x\"<\n    >\"n\": 1", &three[..], None),
            // Text that is neither.
            ("\n      \"t\": \"x\"<\n  >more \"n\"", &three[..], None),
            // The innermost container's own depth is that of the item before.
            ("\n    \"late\"<\n  >\"n\": 1", &[('{', 3), ('[', 0)], Some(1)),
        ] {
            let last = text.find('<').unwrap();
            let next = text.find('>').unwrap() - 1;
            let text = text.replace(['<', '>'], "");
            let found = closed_before(&Window::whole(&text), last, next, &stack(frames));
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn missing_closers_are_counted() {
        for (text, depth, expected) in [
            ("\"b\": 2}}", 2, 0),
            ("\"b\": 2} and more }", 2, 0),
            ("\"b\": \"}\"}", 2, 1),
            ("\"b\": [{}, {\"c\": [", 2, 5),
            ("\"b\": 2\n}\n```\n}", 2, 1),
        ] {
            assert_eq!(
                missing_closers(&Window::whole(text), 0, depth, usize::MAX).0,
                expected,
                "{text}"
            );
        }
    }
}
