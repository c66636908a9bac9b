//! Records on lines of their own, of which one lacks its closing brackets.

use crate::{
    Span,
    judge::key::is_name,
    parser::{Frame, Opened, Window},
    sink::Container,
};

/// Longest line that is read, in bytes.
const REACH: usize = 1000;

/// Returns whether the next record begins at `next`, so that the one on the line before, which consists
/// of objects and whose last value ends at `last`, ends there without its closing brackets: both lines
/// begin with a brace and the same key. With the same first value, the answer may have begun again.
pub(crate) fn begins(window: &Window<'_>, last: usize, next: usize, stack: &[Frame]) -> bool {
    let objects = |frame: &Frame| frame.kind == Container::Object && frame.opened == Opened::Plain;
    let gap = window.slice(Span::new(last, next));
    let line_break = gap.strip_prefix("\r\n").or_else(|| gap.strip_prefix('\n'));
    if window.byte(next) != Some(b'{') || !stack.iter().all(objects) {
        return false;
    }
    let Some(indentation) = line_break else { return false };
    let Some(before) = window.line_before(last, REACH) else { return false };
    let Some(before) = before.strip_prefix(indentation) else { return false };
    let after = window.line_after(next, REACH);
    let key = first_key(before);
    let member = before.split(',').next().unwrap_or_default();
    key.is_some() && key == first_key(after) && !after.starts_with(member)
}

/// Returns the key at the start of the object at the start of `line`, with its quotes.
fn first_key(line: &str) -> Option<&str> {
    let key = line.strip_prefix('{')?.split_once(':')?.0.trim();
    is_name(key).then_some(key)
}

#[cfg(test)]
mod tests {
    use super::begins;
    use crate::{
        parser::{Frame, Opened, Window},
        sink::Container,
    };

    #[test]
    fn records_without_an_end() {
        for (text, depth, expected) in [
            ("{\"a\": 1|\n{\"a\": 2}", 1, true),
            ("{\"a\": 1, \"b\": {\"c\": 1|\r\n{ \"a\" : 2}", 2, true),
            ("  {a: 1|\n  {a: 2}", 1, true),
            ("x\n{\"a\": 1|\n{\"a\": 2}", 1, true),
            ("{\"a\": 1|\n  {\"a\": 2}", 1, false),
            ("{\"a\": 1|\n{\"b\": 2}", 1, false),
            ("{\"a\": 1|,\n{\"a\": 2}", 1, false),
            ("{\"a\": 1| {\"a\": 2}", 1, false),
            ("{\n\"a\": 1|\n{\"a\": 2}", 1, false),
            ("{\"a\": 1|\n{\"a\"", 1, false),
            ("{\"a\": 1|\n{\"a\": 10}", 1, false),
            ("{\"a\": 1, \"b\": 2|\n{\"a\": 1, \"b\": 20}", 1, false),
        ] {
            let last = text.find('|').expect(text);
            let text = text.replace('|', "");
            let next = text.rfind('{').expect(&text);
            let stack = vec![Frame::new(Container::Object, Opened::Plain); depth];
            assert_eq!(begins(&Window::whole(&text), last, next, &stack), expected, "{text:?}");
            let list = [Frame::new(Container::Array, Opened::Plain)];
            assert!(!begins(&Window::whole(&text), last, next, &list), "{text:?}");
        }
    }
}
