//! The translation of a YAML document to JSON text.

use std::{collections::HashSet, ops::Range};

use granit_parser::{Event, Parser, ScalarStyle, StructureStyle};

use super::scalar::{Plain, plain};
use crate::{
    Span,
    judge::yaml::{Outline, is_capital, is_name, is_sentence, is_worded},
    parser::escape::escape_into,
};

/// A YAML document as JSON.
#[derive(Debug, Default)]
pub(super) struct Document {
    pub(super) json: String,
    /// Each key and value in order: its start in `json`, and its span in the YAML text.
    pub(super) places: Vec<(usize, Span)>,
    pub(super) outline: Outline,
}

const KEY: &str = "expected a string as a key";

/// Why a text is no YAML document that JSON can express.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// Offset in the YAML text.
    pub(super) at: usize,
    pub(super) detail: &'static str,
}

/// An open container.
#[derive(Debug)]
enum Level {
    Sequence { items: usize, place: usize },
    Mapping { keys: HashSet<String>, place: usize, flow: bool, key: bool, is_item: bool },
}

/// Translates the YAML document `text`, whose outermost container must be in block notation. If
/// `cut`, the text may end too early. A fault comes with the outline of what was read before it.
pub(super) fn translate(text: &str, cut: bool) -> Result<Document, Box<(Fault, Outline)>> {
    let mut writer =
        Writer { text, cut, out: Document::default(), levels: Vec::new(), documents: 0, last: 0 };
    match writer.run() {
        Ok(()) => Ok(writer.out),
        Err(fault) => Err(Box::new((fault, writer.out.outline))),
    }
}

/// Writes JSON while YAML is read.
struct Writer<'t> {
    text: &'t str,
    cut: bool,
    out: Document,
    levels: Vec<Level>,
    documents: usize,
    /// End of the last scalar or flow container.
    last: usize,
}

impl Writer<'_> {
    fn run(&mut self) -> Result<(), Fault> {
        for event in Parser::new_from_str(self.text) {
            let (event, span) = event.map_err(|error| Fault {
                at: error.marker().byte_offset().unwrap_or(0).min(self.text.len()),
                detail: "expected YAML",
            })?;
            let span = span.byte_range().unwrap_or(self.last..self.last);
            self.take(&event, span)?;
        }
        if self.out.json.is_empty() {
            return Err(Fault { at: 0, detail: "expected a YAML mapping or sequence" });
        }
        Ok(())
    }

    fn take(&mut self, event: &Event<'_>, span: Range<usize>) -> Result<(), Fault> {
        let fault = |detail| Err(Fault { at: span.start, detail });
        if event.tag().is_some() {
            return fault("expected a value without a YAML tag");
        }
        if event.anchor_id().is_some() || event.is_alias() {
            return fault("expected a value without YAML anchors and aliases");
        }
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    return fault("expected a single YAML document");
                }
            }
            Event::SequenceStart(style, ..) => self.open(*style, true, span.start)?,
            Event::MappingStart(style, ..) => self.open(*style, false, span.start)?,
            Event::SequenceEnd | Event::MappingEnd => self.close(&span),
            Event::Scalar(value, style, ..) => self.scalar(value, *style, &span)?,
            _ => {}
        }
        Ok(())
    }

    fn open(&mut self, style: StructureStyle, list: bool, start: usize) -> Result<(), Fault> {
        let flow = style == StructureStyle::Flow;
        if self.levels.is_empty() {
            if flow {
                let detail = "expected a YAML mapping or sequence in block notation";
                return Err(Fault { at: start, detail });
            }
            self.out.outline.is_list = list;
        }
        let is_item = matches!(self.levels.last(), Some(Level::Sequence { .. }));
        if flow {
            self.out.outline.flows += 1;
        } else {
            self.out.outline.mappings += usize::from(!list && !self.levels.is_empty());
            self.out.outline.sequences += usize::from(list);
        }
        self.before_value(start)?;
        if list && self.levels.len() == 1 && is_item {
            self.out.outline.bare_items += 1;
        }
        let place = self.out.places.len();
        self.place(start, start);
        self.out.json.push(if list { '[' } else { '{' });
        self.levels.push(if list {
            Level::Sequence { items: 0, place }
        } else {
            Level::Mapping {
                keys: HashSet::new(),
                place,
                flow,
                key: false,
                is_item: is_item && !flow,
            }
        });
        Ok(())
    }

    fn close(&mut self, span: &Range<usize>) {
        // The end of a container in block notation is where the next token begins.
        let is_flow = self.text.get(span.clone()).is_some_and(|end| end == "]" || end == "}");
        if is_flow {
            self.last = span.end;
        }
        let place = match self.levels.pop() {
            Some(Level::Sequence { place, .. }) => {
                self.out.json.push(']');
                place
            }
            Some(Level::Mapping { place, keys, is_item, .. }) => {
                self.out.json.push('}');
                self.out.outline.records += usize::from(is_item && keys.len() > 1);
                place
            }
            None => return,
        };
        if let Some((_, span)) = self.out.places.get_mut(place) {
            span.end = self.last.max(span.start);
        }
    }

    fn scalar(
        &mut self,
        value: &str,
        style: ScalarStyle,
        span: &Range<usize>,
    ) -> Result<(), Fault> {
        let fault = |detail| Err(Fault { at: span.start, detail });
        let is_plain = style == ScalarStyle::Plain;
        let source = self.text.get(span.clone()).unwrap_or_default();
        let end = span.start + source.trim_end().len();
        if self.levels.is_empty() {
            return fault("expected a YAML mapping or sequence");
        }
        if let Some(Level::Mapping { key, .. }) = self.levels.last()
            && !key
        {
            return self.key(value, is_plain, span.start, end);
        }
        if is_plain && self.is_like_comment(end) {
            return fault("expected a comment or a quoted string: # may belong to the value");
        }
        if is_plain && source.is_empty() {
            let in_flow = matches!(self.levels.last(), Some(Level::Mapping { flow: true, .. }));
            let rest = self.text.get(end..).unwrap_or_default();
            if in_flow || self.cut && rest.trim_start_matches([':', '-']).trim().is_empty() {
                return fault("expected a value");
            }
        }
        if matches!(self.levels.as_slice(), [Level::Sequence { .. }]) {
            self.out.outline.bare_items += 1;
        }
        self.before_value(span.start)?;
        self.place(span.start, end);
        self.last = self.last.max(end);
        let meaning = if is_plain { plain(value) } else { Plain::Text };
        let is_block = matches!(style, ScalarStyle::Literal | ScalarStyle::Folded);
        self.out.outline.blocks += usize::from(is_block);
        self.out.outline.solid += usize::from(meaning != Plain::Text || !is_plain);
        match meaning {
            Plain::Null => self.out.json.push_str("null"),
            Plain::Bool(true) => self.out.json.push_str("true"),
            Plain::Bool(false) => self.out.json.push_str("false"),
            Plain::Number(number) => self.out.json.push_str(&number),
            Plain::NotANumber => return fault("expected a number that JSON has"),
            Plain::Text => {
                self.out.outline.sentences += usize::from(is_plain && is_sentence(value));
                self.string(value);
            }
        }
        Ok(())
    }

    /// Writes a key. A whole number as a key is the string of its digits.
    fn key(&mut self, name: &str, is_plain: bool, start: usize, end: usize) -> Result<(), Fault> {
        let fault = |detail| Err(Fault { at: start, detail });
        let is_digits = |name: &str| name.bytes().all(|byte| byte.is_ascii_digit());
        if is_plain && plain(name) != Plain::Text && (name.is_empty() || !is_digits(name)) {
            return fault(KEY);
        }
        if is_plain && name == "<<" {
            return fault("expected a key: YAML's merge is not read");
        }
        let flow = matches!(self.levels.last(), Some(Level::Mapping { flow: true, .. }));
        self.out.outline.keys += usize::from(!flow);
        let count = match name {
            name if flow || is_name(name) => None,
            name if is_capital(name) => Some(&mut self.out.outline.capital_keys),
            name if is_worded(name) => Some(&mut self.out.outline.worded_keys),
            _ => Some(&mut self.out.outline.odd_keys),
        };
        if let Some(count) = count {
            *count += 1;
        }
        let Some(Level::Mapping { keys, key, .. }) = self.levels.last_mut() else { return Ok(()) };
        if !keys.insert(name.to_owned()) {
            return fault("expected each key once");
        }
        *key = true;
        if keys.len() > 1 {
            self.out.json.push_str(", ");
        }
        self.place(start, end);
        self.string(name);
        self.out.json.push_str(": ");
        self.last = self.last.max(end);
        Ok(())
    }

    /// Prepares for a value at `start`.
    fn before_value(&mut self, start: usize) -> Result<(), Fault> {
        match self.levels.last_mut() {
            Some(Level::Sequence { items, place }) => {
                *items += 1;
                self.out.outline.items += usize::from(*place == 0);
                if *items > 1 {
                    self.out.json.push_str(", ");
                }
            }
            Some(Level::Mapping { key, .. }) => {
                let keyed = std::mem::take(key);
                return if keyed { Ok(()) } else { Err(Fault { at: start, detail: KEY }) };
            }
            None => {}
        }
        Ok(())
    }

    fn place(&mut self, start: usize, end: usize) {
        self.out.places.push((self.out.json.len(), Span::new(start, end.max(start))));
    }

    fn string(&mut self, text: &str) {
        self.out.json.push('"');
        // Writing to a string cannot fail.
        let _ = escape_into(text, &mut self.out.json);
        self.out.json.push('"');
    }

    /// Returns whether a `#` that touches a word follows on the line, as in `color: #fff`.
    fn is_like_comment(&self, end: usize) -> bool {
        let rest = self.text.get(end..).unwrap_or_default();
        let rest = rest.trim_start_matches([' ', '\t', ':', '-']);
        rest.strip_prefix('#')
            .is_some_and(|rest| rest.starts_with(|c: char| !c.is_whitespace() && c != '#'))
    }
}
