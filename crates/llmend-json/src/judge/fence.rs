//! Closing fences of code blocks.

use crate::parser::Window;

/// Longest line that is read, in bytes.
const REACH: usize = 16;
/// How much of the text after a fence is read, in bytes.
const TAIL_REACH: usize = 512;

/// Returns whether only a closing fence is between `at` and the end of the line.
pub(crate) fn closes(window: &Window<'_>, at: usize) -> bool {
    let line = window.line_after(at, REACH).trim();
    line.starts_with("```") && line.bytes().all(|byte| byte == b'`')
}

/// Returns whether the fence at `at`, on a line of its own, ends a block and is not part of a
/// longer text.
pub(crate) fn closes_block(window: &Window<'_>, at: usize) -> bool {
    let own = window.line_before(at, REACH).is_some_and(|before| before.trim().is_empty());
    if !own || !closes(window, at) {
        return false;
    }
    let rest = window.near(at + window.run(at, |byte| byte == b'`'), TAIL_REACH);
    !["\",", "\"}", "\"]", "\":", "```"].iter().any(|sign| rest.contains(sign))
}

#[cfg(test)]
mod tests {
    use super::{closes, closes_block};
    use crate::parser::Window;

    #[test]
    fn fences() {
        for (text, line, block) in [
            ("\n```", true, true),
            ("\n````\nThat is all.", true, true),
            ("\n``` ", true, true),
            ("\n```json", false, false),
            ("\n``", false, false),
            ("\n```\nmore\n```\n", true, false),
            ("\n```\nmore\", \"b\": 1}", true, false),
            ("x ```", true, false),
        ] {
            let window = Window::whole(text);
            let at = text.find('`').unwrap();
            assert_eq!(closes(&window, at), line, "{text:?}");
            assert_eq!(closes_block(&window, at), block, "{text:?}");
        }
    }
}
