//! Tags and special tokens: everything that begins with `<`.

use std::borrow::Cow;

use llmend_json::Span;

use crate::input::{Input, Read};

/// What the reading of a tag costs, in bytes of plain reading.
const TAG_COST: usize = 16;
/// Maximum length of a tag, in bytes.
const MAX_LENGTH: usize = 400;
/// Maximum length of the name of a tag, in bytes.
const MAX_TAG_NAME: usize = 64;
/// The bars of special tokens.
const BARS: [char; 2] = ['|', '｜'];
/// The token that `MiniMax` M3 writes before each tag.
pub(crate) const PREFIX_TOKEN: &str = "]<]minimax[>[";

/// A tag or special token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tag<'t> {
    pub(crate) span: Span,
    pub(crate) closing: bool,
    /// The name without its namespace.
    pub(crate) name: &'t str,
    /// What follows the name: `=VALUE` or attributes.
    pub(crate) rest: &'t str,
    pub(crate) form: Form,
}

/// How a tag is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// `<name …>`
    Tag,
    /// `<|name|>`, and `<|name>` or `<name|>` of Gemma.
    Token,
    /// `<|open|>name …<|sep|>`
    Xtml,
}

impl<'t> Tag<'t> {
    /// Reads the tag at `at`. Returns `None` if there is none.
    pub(crate) fn at(input: Input<'t>, at: usize) -> Read<Option<Self>> {
        let start = at;
        let at = if input.byte(at) == Some(b']') && input.starts(at, PREFIX_TOKEN)? {
            at + PREFIX_TOKEN.len()
        } else {
            at
        };
        match input.byte(at) {
            Some(b'<') => {}
            None if start < at || !input.complete => return Err(input.end()),
            _ => return Ok(None),
        }
        input.count(TAG_COST);
        let Some((inner, end)) = end_of_tag(input, at)? else { return Ok(None) };
        let inner = input.slice(at + 1, inner);
        let tag = Self::of_inner(inner, Span::new(start, end));
        match tag {
            Some(tag) if tag.form == Form::Token && matches!(tag.name, "open" | "close") => {
                Self::xtml(input, tag).map(|xtml| xtml.or(Some(tag)))
            }
            tag => Ok(tag),
        }
    }

    /// Reads what is between the angle brackets.
    fn of_inner(inner: &'t str, span: Span) -> Option<Self> {
        let (closing, plain) = inner.strip_prefix('/').map_or((false, inner), |name| (true, name));
        if let Some((name, rest)) = plain_parts(plain) {
            return Some(Self { span, closing, name, rest, form: Form::Tag });
        }
        let mut rest = inner;
        let mut closing = false;
        let mut form = Form::Tag;
        if let Some(after) = rest.strip_prefix('/') {
            (rest, closing) = (after, true);
        }
        if let Some(after) = rest.strip_prefix(BARS) {
            rest = after;
            // Phi writes `<|/tool_call|>`.
            if let Some(after) = rest.strip_prefix('/') {
                (rest, closing) = (after, true);
            }
            match rest.strip_suffix(BARS) {
                Some(name) => (rest, form) = (name, Form::Token),
                None if rest.contains(BARS) => {}
                None => form = Form::Token,
            }
        } else if let Some(name) = rest.strip_suffix('|').filter(|name| !name.contains(['|', ' ']))
        {
            (rest, closing, form) = (name, true, Form::Token);
        }
        if form == Form::Token {
            // `plamo:begin_tool_name:plamo`
            let name =
                rest.split(':').nth(1).filter(|_| rest.starts_with("plamo:")).unwrap_or(rest);
            return (!name.is_empty()).then_some(Self { span, closing, name, rest: "", form });
        }
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        // A namespace: `ns:name`, `ifm|name`, `DSML｜ name`.
        let head = rest.find(['=', '"']).map_or(rest, |end| rest.get(..end).unwrap_or(rest));
        let first_word = head.split(' ').next().unwrap_or(head);
        let local = match (head.rfind(BARS), first_word.rfind(':')) {
            (Some(bar), _) => head.get(bar..).map(|part| part.trim_start_matches(BARS)),
            (None, Some(colon)) => head.get(colon + 1..),
            (None, None) => Some(head),
        }?;
        let prefix = head.len() - local.len();
        let local = rest.get(prefix..)?.trim_start();
        let end = local
            .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '▁')))
            .unwrap_or(local.len());
        let (name, rest) = local.split_at(end);
        // Hunyuan adds a suffix to each name, which is no namespace: `tool_call:xyz`.
        let namespace = head.get(..prefix).unwrap_or_default().trim_end_matches(':');
        if HUNYUAN.contains(&namespace) {
            return Some(Self { span, closing, name: namespace, rest: "", form });
        }
        let begins = name.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_');
        let separated = rest.is_empty() || rest.starts_with(['=', ' ', '"', '\'', '\t']);
        (begins && separated).then_some(Self { span, closing, name, rest, form })
    }

    /// Reads `name …<|sep|>` after `<|open|>` or `<|close|>`.
    fn xtml(input: Input<'t>, token: Self) -> Read<Option<Self>> {
        const SEPARATOR: &str = "<|sep|>";
        let at = token.span.end;
        let bound = input.len().min(at + MAX_LENGTH);
        let Some(end) = input.find(at, SEPARATOR).filter(|end| *end <= bound) else {
            return if bound == input.len() { Err(input.end()) } else { Ok(None) };
        };
        let inner = input.slice(at, end);
        if inner.split('"').step_by(2).any(|outside| outside.contains('<')) {
            return Ok(None);
        }
        let name_end = inner.find(' ').unwrap_or(inner.len());
        let (name, rest) = inner.split_at(name_end);
        let span = Span::new(token.span.start, end + SEPARATOR.len());
        Ok(Some(Self { span, closing: token.name == "close", name, rest, form: Form::Xtml }))
    }

    /// Returns the value of an attribute.
    pub(crate) fn attribute(&self, name: &str) -> Option<&'t str> {
        let mut rest = self.rest;
        loop {
            let equals = rest.find('=')?;
            let (before, after) = rest.split_at(equals);
            let key = before.trim().rsplit(char::is_whitespace).next().unwrap_or_default();
            let after = after.get(1..)?.trim_start();
            let (value, next) = if let Some(quote @ ('"' | '\'')) = after.chars().next() {
                let inside = after.get(1..)?;
                let end = inside.find(quote).unwrap_or(inside.len());
                (inside.get(..end)?, inside.get(end + 1..).unwrap_or_default())
            } else {
                let end = after.find(char::is_whitespace).unwrap_or(after.len());
                after.split_at(end)
            };
            if key.eq_ignore_ascii_case(name) {
                return Some(value);
            }
            rest = next;
        }
    }

    /// Returns the name that the tag gives to a function or parameter: `=NAME`, or the attribute
    /// `name`, `tool` or `key`.
    pub(crate) fn given_name(&self) -> Option<Cow<'t, str>> {
        if let Some(value) = self.rest.trim_start().strip_prefix('=') {
            return Some(value.trim().trim_matches(['"', '\'']).into());
        }
        if self.form == Form::Tag
            && let Some((name, _)) =
                self.rest.strip_prefix(" name=\"").and_then(|rest| rest.split_once('"'))
        {
            return Some(name.trim().into());
        }
        let name =
            ["name", "tool", "key"].into_iter().find_map(|name| self.attribute(name))?.trim();
        if self.form == Form::Xtml && name.contains('&') {
            return Some(name.replace("&quot;", "\"").replace("&amp;", "&").into());
        }
        Some(name.into())
    }

    /// Returns the name in lower case and with plain underscores.
    pub(crate) fn plain_name(&self) -> Cow<'t, str> {
        if self.name.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase()) {
            return self.name.into();
        }
        let plain = |c: char| if c == '▁' { '_' } else { c.to_ascii_lowercase() };
        self.name.chars().map(plain).collect::<String>().into()
    }

    /// Returns whether the name is `name`, with any case and form of underscore.
    pub(crate) fn is(&self, name: &str) -> bool {
        self.name == name || (self.name.len() >= name.len() && self.plain_name() == name)
    }
}

/// Returns the name and what follows it in a tag of the plainest kinds: `name`, `name=value`,
/// `name key="value"`.
fn plain_parts(inner: &str) -> Option<(&str, &str)> {
    let bytes = inner.as_bytes();
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let end = bytes.iter().take_while(|byte| is_name(byte)).count();
    let begins = bytes.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
    let sound = match bytes.get(end) {
        None => true,
        Some(b'=') => bytes.last().is_some_and(|last| last.is_ascii() && !b"/|".contains(last)),
        // A bar before the first value would end a namespace.
        Some(b' ') => {
            let mut keys = bytes.iter().skip(end).take_while(|byte| !matches!(byte, b'=' | b'"'));
            keys.all(|byte| byte.is_ascii() && *byte != b'|') && bytes.last() == Some(&b'"')
        }
        _ => false,
    };
    (begins && sound).then(|| inner.split_at(end))
}

/// Returns whether a tag that is cut off begins at `at`.
pub(crate) fn is_cut(input: Input<'_>, at: usize) -> bool {
    let rest = input.from(at);
    input.complete
        && rest.starts_with('<')
        && !rest.contains(['>', '\n'])
        && rest.len() < MAX_LENGTH
}

/// How a tag that names a function begins.
const FUNCTION: &str = "function=";
/// Names that take a suffix after a colon.
const HUNYUAN: [&str; 6] = ["tool_call", "tool_calls", "arg_key", "arg_value", "tool_sep", "think"];

/// Returns whether a tag of this name, perhaps with a namespace, has attributes.
fn takes_attributes(name: &str) -> bool {
    const NAMES: [&str; 10] = [
        "function",
        "invoke",
        "parameter",
        "param",
        "argument",
        "call",
        "tool",
        "tool_call",
        "function_call",
        "tool_use",
    ];
    let local = name.rsplit([':', '|', '｜']).next().unwrap_or(name);
    local.is_empty() || NAMES.contains(&local)
}

/// Returns where the content of the tag at `at` ends, and the offset behind it; `None` if it does
/// not end as one. The bracket may be missing where arguments follow the name: `<function=NAME{`.
fn end_of_tag(input: Input<'_>, at: usize) -> Read<Option<(usize, usize)>> {
    let mut quote = None;
    let mut named = false;
    let bound = input.len().min(at + MAX_LENGTH);
    for (offset, &byte) in
        input.text.as_bytes().get(at + 1..bound).unwrap_or_default().iter().enumerate()
    {
        match (byte, quote) {
            (b'>', None) => {
                return Ok((offset > 0).then_some((at + offset + 1, at + offset + 2)));
            }
            (b'{', None) if named && input.slice(at + 1, at + offset + 1).starts_with(FUNCTION) => {
                let end = at + offset + 1;
                return Ok((offset > FUNCTION.len()).then_some((end, end)));
            }
            (b'<' | b'\n', None) => return Ok(None),
            // What follows a bracket is the name of a tag or a mark of a token.
            (b' ' | b'\t' | b'=' | b'0'..=b'9', None) if offset == 0 => return Ok(None),
            // Only some names have attributes, so most tags need not be waited for.
            (b' ' | b'\t', None) if !named => {
                if !takes_attributes(input.slice(at + 1, at + 1 + offset)) {
                    return Ok(None);
                }
                named = true;
            }
            _ if !named && offset > MAX_TAG_NAME => return Ok(None),
            (b'=', None) => named = true,
            (b'"', None) if offset > 1 => quote = Some(b'"'),
            (b'\n', Some(_)) => return Ok(None),
            (byte, Some(open)) if byte == open => quote = None,
            _ => {}
        }
    }
    if bound == input.len() && !input.complete {
        return Err(input.end());
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::{Form, Tag};
    use crate::input::Input;

    fn read(text: &str) -> Option<Tag<'_>> {
        Tag::at(Input::new(text, true), 0).unwrap()
    }

    #[test]
    fn tags_of_all_forms() {
        for (text, closing, name, given, form) in [
            ("<tool_call>", false, "tool_call", None, Form::Tag),
            ("</tool_call>", true, "tool_call", None, Form::Tag),
            ("<function=get_weather>", false, "function", Some("get_weather"), Form::Tag),
            ("<functionname=\"f\">", false, "functionname", Some("f"), Form::Tag),
            ("<invoke name=\"f\">", false, "invoke", Some("f"), Form::Tag),
            ("<minimax:tool_call>", false, "tool_call", None, Form::Tag),
            ("<tool_call:abc>", false, "tool_call", None, Form::Tag),
            ("<steptml:invoke name=\"a.b\">", false, "invoke", Some("a.b"), Form::Tag),
            ("<｜DSML｜invoke name=\"f\">", false, "invoke", Some("f"), Form::Tag),
            ("</｜DSML｜invoke>", true, "invoke", None, Form::Tag),
            ("<｜DSML｜ invoke name=\"f\">", false, "invoke", Some("f"), Form::Tag),
            (
                "<｜DSML｜parameter name=\"K\" string=\"true\">",
                false,
                "parameter",
                Some("K"),
                Form::Tag,
            ),
            ("<ifm|arg_key>", false, "arg_key", None, Form::Tag),
            ("<function=f{", false, "function", Some("f"), Form::Tag),
            ("</ifm|arg_key>", true, "arg_key", None, Form::Tag),
            ("<|tool_call|>", false, "tool_call", None, Form::Token),
            ("<|/tool_call|>", true, "tool_call", None, Form::Token),
            ("<|tool_call>", false, "tool_call", None, Form::Token),
            ("<tool_call|>", true, "tool_call", None, Form::Token),
            ("<｜tool▁call▁begin｜>", false, "tool▁call▁begin", None, Form::Token),
            ("<|plamo:begin_tool_name:plamo|>", false, "begin_tool_name", None, Form::Token),
            ("]<]minimax[>[<invoke name=\"f\">", false, "invoke", Some("f"), Form::Tag),
            ("<|open|>call tool=\"f\" index=\"1\"<|sep|>", false, "call", Some("f"), Form::Xtml),
            ("<|close|>argument<|sep|>", true, "argument", None, Form::Xtml),
        ] {
            let tag = read(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(
                (tag.closing, tag.name, tag.given_name().as_deref(), tag.form),
                (closing, name, given, form),
                "{text}"
            );
            assert_eq!(tag.span.end, text.trim_end_matches('{').len(), "{text}");
        }
    }

    #[test]
    fn what_is_no_tag() {
        for text in ["<", "< a>", "<a\nb>", "<1>", "a < b > c", "<>", "<a<b>", "<=>"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
