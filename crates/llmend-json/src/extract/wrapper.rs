//! Tags, markers, assignments and calls around a value.

use crate::{
    Origin, Span,
    judge::{
        key::{keyed, opens_key},
        words::constructor::{Constructor, constructor},
    },
    parser::Window,
};

/// Longest tag that is recognized, in bytes.
const TAG_REACH: usize = 80;

/// How far the strings of a record are searched for JSON, in bytes.
const MESSAGE_REACH: usize = 1 << 12;
/// How JSON and code blocks begin in a string.
const JSON_STARTS: &[&str] = &["{\"", "{\\\"", "{'", "{\n", "{\\n", "[{", "```"];

/// Tags that contain an answer or a call.
const NAMES: &[&str] = &[
    "tool_call",
    "tool_calls",
    "toolcall",
    "tool",
    "tools",
    "tool_use",
    "function",
    "function_call",
    "functioncall",
    "invoke",
    "call",
    "action",
    "json",
    "answer",
    "final",
    "final_answer",
    "output",
    "result",
    "results",
    "response",
    "arguments",
    "parameters",
    "args",
    "data",
    "body",
    "payload",
    "plan",
    "code",
    "pre",
];

/// Returns whether `name` is that of a tag or label that announces an answer or a call.
pub(super) fn announces(name: &str) -> bool {
    let is_known = |word: &str| NAMES.iter().any(|known| word.eq_ignore_ascii_case(known));
    is_known(name) || name.split(['_', '-']).any(is_known)
}

/// Tokens of chat templates that end something. No value follows in them.
const ENDS: &[&[u8]] = &[b"im_end", b"eot_id", b"eom_id", b"eot", b"eom", b"eos", b"return"];

/// Returns the end of the tag at `at` if a value may follow: `<tool_call>`, `<|json|>`.
pub(super) fn tag(window: &Window<'_>, at: usize) -> Option<usize> {
    let first = window.byte(at + 1)?;
    if !(first.is_ascii_alphabetic() || first == b'_' || first == b'|') {
        return None;
    }
    let mark = window.find(at + 1, TAG_REACH, |bytes| memchr::memchr3(b'>', b'<', b'\n', bytes))?;
    if window.byte(mark) != Some(b'>') {
        return None;
    }
    let inside = window.slice(Span::new(at + 1, mark)).as_bytes();
    let name = inside
        .split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_')
        .find(|word| !word.is_empty())?;
    // Tokens of a chat template, or names that announce a value. Any other tag may contain a draft
    // as well as an answer.
    let template = first == b'|' && !name.starts_with(b"end") && !ENDS.contains(&name);
    if !template && !NAMES.iter().any(|known| name.eq_ignore_ascii_case(known.as_bytes())) {
        return None;
    }
    let end = mark + 1;
    matches!(window.byte(window.skip_space(end)), Some(b'{' | b'[')).then_some(end)
}

/// Returns the end of the marker in brackets at `at`: `[TOOL_CALLS]`.
pub(super) fn marker(window: &Window<'_>, at: usize) -> Option<usize> {
    if window.byte(at) != Some(b'[') {
        return None;
    }
    let length = window.run(at + 1, |byte| byte.is_ascii_uppercase() || byte == b'_');
    let end = at + length + 2;
    (length > 2
        && window.byte(end - 1) == Some(b']')
        && matches!(window.byte(window.skip_space(end)), Some(b'{' | b'[')))
    .then_some(end)
}

/// Returns the end of the brace at `at` if it is that of LaTeX's `\boxed{`, and a list is in it, or an object
/// in the notation of LaTeX.
pub(super) fn boxed(window: &Window<'_>, at: usize) -> Option<usize> {
    const BOXED: &str = "\\boxed";
    let is_boxed = window.byte(at) == Some(b'{') && window.before(at, BOXED.len()) == BOXED;
    let next = window.skip_space(at + 1);
    (is_boxed && matches!(window.byte(next), Some(b'[' | b'\\'))).then_some(at + 1)
}

/// Returns how the text before `at` on the same line introduces the value.
pub(super) fn origin(window: &Window<'_>, at: usize) -> Origin {
    let line = window.line_before(at, TAG_REACH).unwrap_or_default().trim();
    if is_assignment(line) { Origin::Wrapper } else { Origin::Bare }
}

/// Returns whether a key in double quotes is at `at`.
fn opens_quoted_key(window: &Window<'_>, at: usize) -> bool {
    window.byte(at) == Some(b'"') && opens_key(window, at)
}

/// Returns whether the parenthesis at `at` opens keys and values of an assigned or returned list, or
/// one that begins a line, where members in quotes may be in it, too.
pub(super) fn opens_keyed(window: &Window<'_>, at: usize) -> bool {
    let Some(line) = window.line_before(at, TAG_REACH).map(str::trim) else { return false };
    let line = line.strip_suffix("array").unwrap_or(line).trim_end();
    let members = || line.is_empty() && opens_quoted_key(window, window.skip_space(at + 1));
    (line.is_empty() || is_assignment(line)) && (keyed::has_arrow(window, at + 1) || members())
}

/// Returns the start of the type before the parenthesis at `at`, if it constructs a value from named
/// arguments, and begins a line or is assigned or returned.
pub(super) fn constructed(window: &Window<'_>, at: usize) -> Option<usize> {
    let line = window.line_before(at, TAG_REACH)?;
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
    let name = line.len() - line.trim_end_matches(is_name).len();
    let before = line.get(..line.len() - name)?.trim();
    let start = at - name;
    let begins = name > 0 && (before.is_empty() || is_assignment(before));
    let is_record = begins && constructor(window, start) == Some(Constructor::Named(at));
    (is_record && !holds_json(window.near(at, MESSAGE_REACH))).then_some(start)
}

/// Returns whether a string in the arguments that `text` begins with holds JSON, as the content of
/// a message does: `AIMessage(content='{"a": 1}')`.
fn holds_json(text: &str) -> bool {
    let (mut quote, mut escaped) = (None, false);
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match quote {
            _ if escaped => escaped = false,
            Some(_) if c == '\\' => escaped = true,
            Some(own) if own == c => quote = None,
            Some(_) => {
                let rest = text.get(at..).unwrap_or_default();
                if JSON_STARTS.iter().any(|start| rest.starts_with(start)) {
                    return true;
                }
            }
            None => match c {
                '\'' | '"' => quote = Some(c),
                '(' => depth += 1,
                ')' if depth == 1 => return false,
                ')' => depth = depth.saturating_sub(1),
                _ => {}
            },
        }
    }
    false
}

/// Returns whether `before` is the left side of an assignment, the start of a call, or `return`.
pub(super) fn is_assignment(before: &str) -> bool {
    let before = before.trim();
    if matches!(before, "return" | "export default" | "vec!") {
        return true;
    }
    let before = before.strip_prefix("echo ").unwrap_or(before);
    let name = |text: &str| {
        let text = text.trim();
        !text.is_empty()
            && text
                .trim_start_matches(['%', '@'])
                .chars()
                .all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | ':'))
    };
    if let Some(call) = before.strip_suffix('(') {
        // A call may be the argument of another.
        return call.split('(').all(|part| name(part) && !part.ends_with(' '));
    }
    let Some(left) = before.strip_suffix('=') else { return false };
    let left = left.trim_start().strip_prefix("export ").unwrap_or(left);
    let words = ["const ", "let ", "var ", "my ", "our ", "local ", "static ", "final ", "val "];
    let declared = words.into_iter().find_map(|word| left.trim_start().strip_prefix(word));
    // The type of a name may have spaces in it.
    let typed = declared.and_then(|left| left.split_once(':')).map(|(left, _)| left);
    name(typed.or(declared).unwrap_or(left))
}

#[cfg(test)]
mod tests {
    use super::{boxed, holds_json, is_assignment, marker, tag};
    use crate::parser::Window;

    #[test]
    fn assignments() {
        for (before, expected) in [
            ("const x =", true),
            ("result =", true),
            ("return", true),
            ("cb(", true),
            ("window.data =", true),
            ("export const m: Map<string, X[]> =", true),
            ("let n: A | B =", true),
            ("labels: list[str] =", false),
            ("my %h =", true),
            ("echo json_encode(", true),
            ("console.log(JSON.stringify(", true),
            ("see (", false),
            ("see (x (", false),
            ("Here is the result:", false),
            ("the answer =", false),
            ("", false),
        ] {
            assert_eq!(is_assignment(before), expected, "{before}");
        }
    }

    #[test]
    fn records_of_messages() {
        for (text, expected) in [
            ("('Ann', extra={\"a\": 1})", false),
            ("(name='a {b}', age=3)", false),
            ("(content='{\"a\": 1}')", true),
            ("(n=f(1), content='{\"a\": 1}')", true),
            ("(n=f(1)), g(content='{\"a\": 1}')", false),
            ("(content='it\\'s {\\n \"a\": 1}')", true),
            ("(text=\"Sure:\\n```json\\n[]\")", true),
        ] {
            assert_eq!(holds_json(text), expected, "{text}");
        }
    }

    #[test]
    fn tags_and_markers() {
        for (text, expected) in [
            ("<tool_call>{", Some(11)),
            ("<json>\n[", Some(6)),
            ("<|im_start|>{", Some(12)),
            ("<|im_end|>{", None),
            ("<|endoftext|>{", None),
            ("<b>bold</b>", None),
            ("< 3 {", None),
        ] {
            assert_eq!(tag(&Window::whole(text), 0), expected, "{text}");
        }
        for (text, at, expected) in [
            ("\\boxed{[1, 2]}", 6, Some(7)),
            ("\\boxed{ [1]}", 6, Some(7)),
            ("\\boxed{{\"a\": 1}}", 6, None),
            ("\\boxed{7}", 6, None),
            ("boxed{[1]}", 5, None),
        ] {
            assert_eq!(boxed(&Window::whole(text), at), expected, "{text}");
        }
        assert_eq!(marker(&Window::whole("[TOOL_CALLS] [{"), 0), Some(12));
        assert_eq!(marker(&Window::whole("[1, 2]"), 0), None);
    }
}
