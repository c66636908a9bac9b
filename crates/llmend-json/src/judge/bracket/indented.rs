//! Objects whose braces are missing, while their members are still indented.

use crate::{judge::key::opens_key, parser::Window};

/// Longest line whose indentation is compared, in bytes.
const LINE_REACH: usize = 256;

/// Returns whether the members from `at` on, on lines deeper than that of the key whose colon ends at
/// `key_end`, are those of an object without braces: brackets balance in it, and a member follows that is as
/// indented as the key, or a closing bracket of the container around it. Without blank lines, since the
/// parser compares the white space between members.
pub(crate) fn is_object(
    window: &Window<'_>,
    key_end: usize,
    at: usize,
    budget: &mut usize,
) -> bool {
    let column = |at| window.column(at, LINE_REACH);
    let Some((outer, inner)) = column(key_end).zip(column(at)) else { return false };
    let (mut place, mut depth) = (at - inner, 0_usize);
    loop {
        let line = window.line_after(place, usize::MAX);
        *budget = budget.saturating_sub(1 + line.len() / 4);
        let own = line.len() - line.trim_start().len();
        let start = place + own;
        if depth == 0 && (own < inner || own == line.len()) {
            let member =
                own == outer && window.byte(start) == Some(b'"') && opens_key(window, start);
            let closer = own < outer && matches!(window.byte(start), Some(b'}' | b']'));
            return member || closer;
        }
        let Some(after) = depth_after(line, depth) else { return false };
        let end = place + line.len();
        if window.byte(end) != Some(b'\n') || *budget == 0 {
            return false;
        }
        (place, depth) = (end + 1, after);
    }
}

/// Returns the number of open brackets behind `line`, with `depth` of them before it. Strings are read as
/// strict JSON.
fn depth_after(line: &str, mut depth: usize) -> Option<usize> {
    let (mut inside, mut escaped) = (false, false);
    for byte in line.bytes() {
        match byte {
            b'"' if !escaped => inside = !inside,
            b'{' | b'[' if !inside => depth += 1,
            b'}' | b']' if !inside => depth = depth.checked_sub(1)?,
            _ => {}
        }
        escaped = byte == b'\\' && !escaped;
    }
    (!inside).then_some(depth)
}

#[cfg(test)]
mod tests {
    use super::is_object;
    use crate::parser::Window;

    #[test]
    fn members_without_braces() {
        for (text, expected) in [
            ("{\n  \"a\":|\n    >\"b\": 1,\n    \"c\": [2, {}],\n  \"d\": 3\n}", true),
            ("{\n  \"a\":|\n    >\"b\": 1\n}", true),
            ("{\n  \"a\":|\n    >\"b\": {\n      \"c\": 1\n    }\n  \"d\": 3\n}", true),
            ("{\n  \"a\":|\n    >\"b\":\n      \"c\": 1,\n  \"d\": 3\n}", true),
            // Nothing on a line as deep as the key.
            ("{\n  \"a\":|\n    >\"b\": 1,\n   \"d\": 3\n}", false),
            ("{\n  \"a\":|\n    >\"b\": 1,\n  }\n}", false),
            ("{\n  \"a\":|\n    >\"b\": 1,\n    \"c\": 2", false),
            // A bracket that closes nothing, a blank line, an open string.
            ("{\n  \"a\":|\n    >\"b\": 1},\n  \"d\": 3\n}", false),
            ("{\n  \"a\":|\n    >\"b\": 1,\n\n  \"d\": 3\n}", false),
            ("{\n  \"a\":|\n    >\"b\": \"x,\n  \"d\": 3\n}", false),
        ] {
            let end = text.find('|').expect(text);
            let at = text.find('>').expect(text) - 1;
            let text = text.replace(['|', '>'], "");
            assert_eq!(is_object(&Window::whole(&text), end, at, &mut 10_000), expected, "{text}");
        }
    }
}
