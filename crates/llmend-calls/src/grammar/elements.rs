//! Values whose parts are elements: children make an object, `<item>` children a list.

use llmend_json::{Builder, Repair, Rule, Span};
use serde_json::Value as Json;

use crate::{
    found::repair,
    input::Input,
    tag::Tag,
    tools::{Kinds, Tool},
};

/// Maximum depth of elements within a value.
pub(crate) const DEPTH: usize = 16;
/// Maximum depth to which references and unions of a schema are followed.
const SCHEMA_DEPTH: usize = 8;

/// The schema of a part of a value, and the one that its references refer to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part<'c> {
    schema: &'c Json,
    root: &'c Json,
}

impl<'c> Part<'c> {
    /// Returns the schema of a parameter.
    pub(crate) fn of_parameter(tool: &'c Tool, key: &str) -> Option<Self> {
        let root = tool.schema.as_json();
        let name = &tool.near_parameter(key)?.name;
        Some(Self { schema: root.get("properties")?.get(name)?, root })
    }

    /// Returns the schema of a member, or of the items.
    fn of(self, key: Option<&str>, depth: usize) -> Option<Self> {
        let depth = depth.checked_sub(1)?;
        let inner = match key {
            Some(key) => self.schema.get("properties").and_then(|all| all.get(key)),
            None => self.schema.get("items"),
        };
        if let Some(schema) = inner {
            return Some(Self { schema, ..self });
        }
        let target = self.schema.get("$ref").and_then(Json::as_str);
        let target = target.and_then(|target| self.root.pointer(target.strip_prefix('#')?));
        let branches = ["anyOf", "oneOf", "allOf"].into_iter();
        let branches = branches.filter_map(|union| self.schema.get(union)?.as_array()).flatten();
        let mut all = target.into_iter().chain(branches);
        all.find_map(|schema| Self { schema, ..self }.of(key, depth))
    }
}

/// A writer of elements.
pub(crate) struct Elements<'b, 't> {
    pub(crate) builder: &'b mut Builder<'t>,
    /// Start of the value's text.
    pub(crate) base: usize,
    /// Repairs of elements whose closing tag is missing.
    pub(crate) unclosed: Vec<Repair>,
}

impl<'t> Elements<'_, 't> {
    fn place(&self, span: Span) -> Span {
        Span::new(span.start.saturating_sub(self.base), span.end.saturating_sub(self.base))
    }

    /// Writes an empty element as an empty list or object, where the schema says so.
    pub(crate) fn empty(&mut self, span: Span, part: Option<Part<'_>>) -> bool {
        let kinds = part.map_or(Kinds::ANY, |part| Kinds::of(part.schema, part.root));
        let place = self.place(span);
        if kinds.has(Kinds::STRING) {
            return false;
        } else if kinds.has(Kinds::ARRAY) {
            self.builder.begin_array(place);
        } else if kinds.has(Kinds::OBJECT) {
            self.builder.begin_object(place);
        } else {
            return false;
        }
        self.builder.end();
        true
    }

    /// Writes the elements from `at` to the end of `within` as an object or array. Returns false if
    /// there is anything else.
    pub(crate) fn write(
        &mut self,
        within: Input<'t>,
        at: usize,
        part: Option<Part<'_>>,
        depth: usize,
    ) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        let mut at = within.skip_space(at);
        let Ok(Some(first)) = Tag::at(within, at) else { return false };
        let list = first.is("item");
        let span = self.place(Span::new(at, within.len()));
        if list {
            self.builder.begin_array(span);
        } else {
            self.builder.begin_object(span);
        }
        while at < within.len() {
            let Ok(Some(open)) = Tag::at(within, at) else { return false };
            if open.closing || open.is("item") != list || !open.rest.trim().is_empty() {
                return false;
            }
            let key = (!list).then_some(open.name);
            if let Some(key) = key {
                let own = self.place(open.span);
                self.builder.key(key, own);
            }
            let own = part.and_then(|part| part.of(key, SCHEMA_DEPTH));
            let Some(close) = matching(within, open) else {
                // An empty list or object may lack its closing tag.
                let rest = Span::new(open.span.end, within.len());
                self.unclosed.push(repair(Rule::UnclosedInside, Span::at(open.span.end), ""));
                if !rest.of(within.text).trim().is_empty() || !self.empty(rest, own) {
                    return false;
                }
                break;
            };
            let leaf = Span::new(open.span.end, close.start);
            self.child(within.until(close.start), leaf, own, depth);
            at = within.skip_space(close.end);
        }
        self.builder.end();
        true
    }

    /// Writes the value of an element, which `within` ends with.
    fn child(&mut self, within: Input<'t>, leaf: Span, part: Option<Part<'_>>, depth: usize) {
        let written = self.builder.written();
        let unclosed = self.unclosed.len();
        let text = leaf.of(within.text);
        let done = if text.trim().is_empty() {
            self.empty(leaf, part)
        } else {
            self.write(within, leaf.start, part, depth)
        };
        if !done {
            self.builder.rewind(&written);
            self.unclosed.truncate(unclosed);
            let own = self.place(leaf);
            self.builder.string(text, own);
        }
    }
}

/// Returns the closing tag of `open`, with tags of its name inside counted.
fn matching(within: Input<'_>, open: Tag<'_>) -> Option<Span> {
    let mut depth = 0_usize;
    let mut at = open.span.end;
    loop {
        let offset = memchr::memchr2(b'<', b']', within.text.as_bytes().get(at..)?)?;
        at += offset;
        match Tag::at(within, at) {
            Ok(Some(tag)) if tag.name == open.name && tag.closing => {
                if depth == 0 {
                    return Some(tag.span);
                }
                depth -= 1;
                at = tag.span.end;
            }
            Ok(Some(tag)) => {
                depth += usize::from(tag.name == open.name);
                at = tag.span.end;
            }
            _ => at += 1,
        }
    }
}
