//! Which containers does the indentation of a line say are closed before it?
//!
//! A text that is laid out by lines says its structure twice: by brackets, and by columns. Where a
//! closer is missing, the columns say where. They prove nothing by themselves: valid JSON may be
//! indented in any way, so brackets that are all there are never doubted.

use crate::{
    judge::key::opens_key,
    parser::{Frame, Window},
    sink::Container,
};

/// Farthest that the start of a line is looked for, in bytes.
const REACH: usize = 256;

/// How many of the open containers end before the line that begins at `next`, if its indentation
/// says so: it stands less deep than the innermost one's own lines (or, where those are not known,
/// than the line on which the value before it ends, at `last`), and just as deep as the lines of an
/// outer container that can hold it.
pub(crate) fn closed_before(
    window: &Window<'_>,
    last: usize,
    next: usize,
    stack: &[Frame],
) -> Option<usize> {
    let (top, outer) = stack.split_last()?;
    let holds = match window.byte(next)? {
        b'{' => Container::Array,
        _ if opens_key(window, next) => Container::Object,
        _ => return None,
    };
    let (run, first) = indentation(window, next)?;
    let inner = match top.run {
        0 => indentation(window, last)?.0,
        known => known as usize,
    };
    let holder = outer.iter().rposition(|frame| frame.run as usize == run)?;
    let between = outer.get(holder + 1..)?;
    let deeper =
        run < inner && between.iter().all(|frame| frame.run == 0 || run < frame.run as usize);
    let fits = outer.get(holder)?.kind == holds;
    (first && fits && deeper).then(|| stack.len() - 1 - holder)
}

/// White space at the start of the line that holds `at`, its line end counted in, and whether
/// there is nothing else before `at`.
fn indentation(window: &Window<'_>, at: usize) -> Option<(usize, bool)> {
    let before = window.before(at, REACH);
    let end = before.rfind('\n')?;
    let line = before.get(end + 1..)?;
    let text = line.trim_start_matches([' ', '\t']);
    let carriage = before.get(..end)?.ends_with('\r');
    Some((line.len() - text.len() + 1 + usize::from(carriage), text.is_empty()))
}

/// How many closers the text lacks from `at` on, where `depth` containers are open. Strings are
/// read as strict JSON has them, so this is only a count, and no more than one piece of evidence.
pub(crate) fn lacking(window: &Window<'_>, at: usize, depth: usize) -> usize {
    let (mut at, mut depth) = (at, depth);
    while depth > 0 {
        let plain = window.run(at, |byte| !matches!(byte, b'"' | b'{' | b'}' | b'[' | b']' | b'`'));
        at += plain;
        match window.byte(at) {
            Some(b'"') => at = window.scan_string(at + 1).map_or(at, |(end, _)| end),
            Some(b'{' | b'[') => depth += 1,
            Some(b'}' | b']') => depth -= 1,
            Some(b'`') if window.starts_with(at, b"```") => break,
            Some(_) => {}
            None => break,
        }
        at += 1;
    }
    depth
}

#[cfg(test)]
mod tests {
    use super::{closed_before, lacking};
    use crate::{
        parser::{Frame, Opened, Window},
        sink::Container,
    };

    fn stack(frames: &[(char, u32)]) -> Vec<Frame> {
        let frame = |&(open, run): &(char, u32)| {
            let kind = if open == '{' { Container::Object } else { Container::Array };
            Frame { kind, opened: Opened::Plain, run }
        };
        frames.iter().map(frame).collect()
    }

    #[test]
    fn a_line_that_stands_less_deep() {
        let two = [('{', 3), ('{', 5)];
        let three = [('{', 3), ('[', 5), ('{', 7)];
        for (text, frames, expected) in [
            ("\n    \"a\": 1<,\n  >\"b\": 2", &two[..], Some(1)),
            ("\r\n    \"a\": 1<,\r\n  >\"b\": 2", &[('{', 4), ('{', 6)], Some(1)),
            // The line before is as deep, but the innermost container's own lines are deeper.
            ("\n  }<,\n  >\"b\": 2", &two[..], Some(1)),
            // As deep as before, or at a depth that no container has.
            ("\n    \"a\": 1<,\n    >\"b\": 2", &two[..], None),
            ("\n    \"a\": 1<,\n >\"b\": 2", &two[..], None),
            ("\n    \"a\": 1<,\n   >\"b\": 2", &two[..], None),
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
    fn closers_that_the_text_lacks() {
        for (text, depth, expected) in [
            ("\"b\": 2}}", 2, 0),
            ("\"b\": 2} and more }", 2, 0),
            ("\"b\": \"}\"}", 2, 1),
            ("\"b\": [{}, {\"c\": [", 2, 5),
            ("\"b\": 2\n}\n```\n}", 2, 1),
        ] {
            assert_eq!(lacking(&Window::whole(text), 0, depth), expected, "{text}");
        }
    }
}
