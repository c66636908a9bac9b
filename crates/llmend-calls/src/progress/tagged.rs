//! Arguments that arrive as elements: one for each parameter, or one for each key and value.

use std::borrow::Cow;

use llmend_json::{Builder, Span};
use llmend_schema::validate;

use super::{Uncertain, begin_member};
use crate::{
    Options,
    grammar::{
        frame, pairs, parameters,
        slot::{Slot, is_named},
        value_end::{self, Around},
    },
    input::{Input, Read, Stop},
    marks::{Role, role},
    tag::Tag,
    tools::{Kinds, Tool},
    untyped,
};

/// Elements that are arriving.
#[derive(Debug)]
pub(super) struct Tagged {
    form: Form,
    /// Name of the tag that opens the call.
    head: String,
    /// Everything before this offset was read.
    at: usize,
    /// Keys of the values before this one.
    keys: Vec<Cow<'static, str>>,
    value: Option<Value>,
    /// Bytes that were read to find the ends of values.
    work: usize,
    /// Length of the text when the end of the value was searched for last.
    tried: usize,
}

/// How the arguments are written.
#[derive(Clone, Copy, Debug)]
pub(super) enum Form {
    /// Elements behind the tag of this offset.
    Parameters {
        head: usize,
    },
    Pairs,
}

/// The value that is arriving.
#[derive(Clone, Debug)]
struct Value {
    key: String,
    /// Offset of the tag that opens it, and its name.
    tag: (usize, String),
    /// Whether that tag names the parameter.
    is_named: bool,
    start: usize,
    /// Whether it is delivered as it arrives.
    is_text: bool,
    /// How far it was delivered, if it has begun.
    delivered: Option<usize>,
    /// No tag before this offset is of the notation.
    searched: usize,
}

/// Work to find the ends of values, as a multiple of the text.
const WORK_SHARE: usize = 16;
/// Work to find the ends of values in any text.
const WORK_FLOOR: usize = 1 << 14;
/// How much text without a tag may arrive before the end of a value is searched for again.
const MAX_UNTRIED: usize = 32;
const CDATA: &str = "<![CDATA[";

impl Tagged {
    pub(super) fn new(form: Form, at: usize) -> Self {
        Self { form, head: String::new(), at, keys: Vec::new(), value: None, work: 0, tried: 0 }
    }

    pub(super) fn advance(
        &mut self,
        input: Input<'_>,
        tool: &Tool,
        options: &Options,
        out: &mut String,
    ) -> Result<(), Uncertain> {
        loop {
            let mut value = match self.value.take() {
                Some(value) => value,
                None => match self.open(input, tool) {
                    Ok(value) => value,
                    Err(Stop::More) => return Ok(()),
                    Err(_) => return Err(Uncertain),
                },
            };
            if !self.read(&mut value, input, tool, options, out)? {
                self.value = Some(value);
                return Ok(());
            }
            self.keys.push(value.key.into());
        }
    }

    /// Opens the next value.
    fn open(&mut self, input: Input<'_>, tool: &Tool) -> Read<Value> {
        if let Form::Parameters { head } = self.form
            && self.at == head
        {
            let tag = Tag::at(input, head)?.ok_or(Stop::Other)?;
            tag.name.clone_into(&mut self.head);
            self.at = tag.span.end;
        }
        // Without its end there is no tag.
        if memchr::memchr(b'>', input.from(self.at).as_bytes()).is_none() {
            return Err(Stop::More);
        }
        let at = parameters::skip(input, self.at)?;
        let tag = Tag::at(input, at)?.filter(|tag| !tag.closing).ok_or(Stop::Other)?;
        let (key, start) = match self.form {
            Form::Parameters { .. } => {
                let key = parameters::key(&tag).ok_or(Stop::Other)?;
                // Line feeds behind the tag may belong to it.
                if input.slice(tag.span.end, input.len()).trim_start().is_empty() {
                    return Err(Stop::More);
                }
                (key.into_owned(), frame::start(input, &tag))
            }
            Form::Pairs if role(&tag) == Some(Role::Separator) => {
                self.at = tag.span.end;
                return self.open(input, tool);
            }
            Form::Pairs if role(&tag) == Some(Role::Key) => {
                let found = pairs::key(input, &tag)?;
                (found.name.to_owned(), found.start)
            }
            Form::Pairs => return Err(Stop::Other),
        };
        let text = input.from(start);
        if CDATA.starts_with(text.trim_start()) {
            return Err(Stop::More);
        }
        // Whether this line feed belongs to the tag is known at the end of the value.
        let framed = matches!(self.form, Form::Parameters { .. })
            && start == tag.span.end
            && text.starts_with(['\n', '\r']);
        let declared = tool.parameter(&key).is_some() && !self.keys.iter().any(|own| *own == key);
        if !declared || framed || text.trim_start().starts_with(CDATA) {
            return Err(Stop::Other);
        }
        let is_text = tool.parameter(&key).is_some_and(|one| one.is_free_text);
        let tag_name = tag.name.to_owned();
        let is_named = is_named(&tag);
        Ok(Value {
            key,
            tag: (at, tag_name),
            is_named,
            start,
            is_text,
            delivered: None,
            searched: start,
        })
    }

    /// Reads a value as far as it is certain. Returns whether it is complete.
    fn read(
        &mut self,
        value: &mut Value,
        input: Input<'_>,
        tool: &Tool,
        options: &Options,
        out: &mut String,
    ) -> Result<bool, Uncertain> {
        let is_marked = self.next_mark(value, input, tool);
        let found = if is_marked { self.end(value, input, tool)? } else { None };
        let Some((end, next)) = found else {
            if value.is_text {
                let text = input.slice(value.start, value.searched);
                // The line feeds at its end may belong to the tag.
                let text = match self.form {
                    Form::Parameters { .. } => text.trim_end_matches(['\n', '\r']),
                    Form::Pairs => text,
                };
                value.deliver(value.start + text.len(), input, out);
            }
            return Ok(false);
        };
        if value.is_text {
            if value.delivered.is_some_and(|delivered| delivered > end) {
                return Err(Uncertain);
            }
            value.deliver(end, input, out);
            out.push('"');
        } else {
            Self::write(value, Span::new(value.start, end), input, tool, options, out)?;
        }
        self.at = next;
        Ok(true)
    }

    /// Searches on for the first tag of the value that may belong to the notation. Returns whether
    /// it was found.
    fn next_mark(&self, value: &mut Value, input: Input<'_>, tool: &Tool) -> bool {
        let bytes = input.text.as_bytes();
        while let Some(offset) =
            memchr::memchr2(b'<', b']', bytes.get(value.searched..).unwrap_or_default())
        {
            value.searched += offset;
            match Tag::at(input, value.searched) {
                Ok(Some(tag)) if self.around(value, &tag, input, tool) == Around::Text => {
                    value.searched = tag.span.end;
                }
                Ok(Some(_)) => return true,
                Ok(None) => value.searched += 1,
                Err(_) => return false,
            }
        }
        value.searched = input.len();
        false
    }

    /// Returns the end of the value and where reading continues, if they are certain.
    fn end(
        &mut self,
        value: &Value,
        input: Input<'_>,
        tool: &Tool,
    ) -> Result<Option<(usize, usize)>, Uncertain> {
        // The end of a tag may decide it, or much text.
        let new = input.text.as_bytes().get(self.tried..).unwrap_or_default();
        if self.tried > value.searched && new.len() < MAX_UNTRIED && !new.contains(&b'>') {
            return Ok(None);
        }
        self.tried = input.len();
        self.work += input.len() - value.start;
        if self.work > WORK_FLOOR + WORK_SHARE * input.len() {
            return Err(Uncertain);
        }
        let tag = Tag::at(input, value.tag.0).ok().flatten().ok_or(Uncertain)?;
        let from = match self.form {
            Form::Parameters { .. } => tag.span.end,
            Form::Pairs => value.start,
        };
        let around = |other: &Tag<'_>| self.around(value, other, input, tool);
        match value_end::find(input, from, &around) {
            Err(Stop::More) => Ok(None),
            Ok(found) if found.repair.is_none() => {
                let end = match self.form {
                    Form::Parameters { .. } => frame::inside(input, &tag, found.end).end,
                    Form::Pairs => found.end,
                };
                Ok(Some((end, found.next)))
            }
            _ => Err(Uncertain),
        }
    }

    /// Returns what a tag is to the value.
    fn around(&self, value: &Value, other: &Tag<'_>, input: Input<'_>, tool: &Tool) -> Around {
        let slot = Slot {
            input,
            tag: &value.tag.1,
            is_named: value.is_named,
            key: &value.key,
            head: &self.head,
            tool: Some(tool),
            given: &self.keys,
        };
        match self.form {
            Form::Parameters { .. } => slot.around(other),
            Form::Pairs => pairs::around(input, other),
        }
    }

    /// Delivers a complete value that is no text, if it is valid.
    fn write(
        value: &Value,
        span: Span,
        input: Input<'_>,
        tool: &Tool,
        options: &Options,
        out: &mut String,
    ) -> Result<(), Uncertain> {
        let key = value.key.as_str();
        let parameter = tool.parameter(key).ok_or(Uncertain)?;
        let (text, kinds) = (span.of(input.text), parameter.kinds);
        let may_be_elements = kinds.has(Kinds::OBJECT) || kinds.has(Kinds::ARRAY);
        if kinds == Kinds::ANY || (may_be_elements && text.contains('<')) {
            return Err(Uncertain);
        }
        let mut builder = Builder::of_text("");
        builder.begin_object(Span::at(0));
        let key_span = Span::at(span.start);
        let raw = untyped::Raw { key, key_span, text, span, kinds, optional: !parameter.required };
        let read = untyped::write(&mut builder, span.start, raw, options);
        builder.end();
        if read.omitted {
            return Ok(());
        }
        let built = builder.finish().ok_or(Uncertain)?;
        let (_, node) = built.root().members().next().ok_or(Uncertain)?;
        let schema = tool.parameter_schema(key).ok_or(Uncertain)?;
        if read.class.is_some() || !validate(&node.to_value(), schema).is_empty() {
            return Err(Uncertain);
        }
        begin_member(key, out);
        out.push_str(&node.to_string());
        Ok(())
    }
}

impl Value {
    /// Delivers the text up to `end`.
    fn deliver(&mut self, end: usize, input: Input<'_>, out: &mut String) {
        let from = self.delivered.unwrap_or_else(|| {
            begin_member(&self.key, out);
            out.push('"');
            self.start
        });
        if end > from {
            llmend_json::push_escaped(out, input.slice(from, end));
        }
        self.delivered = Some(end.max(from));
    }
}
