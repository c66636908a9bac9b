//! Construction of values from parts of others.

use std::borrow::Cow;

use crate::{
    Span,
    sink::{Container, Sink},
    value::{
        BORROWED, Kind, Node, Slot, SlotKind, Tail, Value,
        build::{Open, Tape, narrow},
    },
};

/// Builds a value in the order of its text. Parts of another value are taken over with their spans
/// and the text of their numbers; new parts are written with a given span.
///
/// Within an object, each value must be preceded by a key.
///
/// ```
/// use llmend_json::Builder;
///
/// let parsed = llmend_json::parse(r#"{"n": "1.50", "rest": [1, 2.0]}"#)?;
/// let root = parsed.value.root();
/// let mut builder = Builder::new(&parsed.value);
/// builder.begin_object(root.span());
/// for (key, value) in root.members() {
///     builder.take(key);
///     match value.str() {
///         Some(digits) => builder.number(digits, value.span()),
///         None => builder.take(value),
///     }
/// }
/// builder.end();
/// let built = builder.finish().ok_or("not one value")?;
/// assert_eq!(built.to_string(), r#"{"n":1.50,"rest":[1,2.0]}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Builder<'v> {
    /// The value whose parts can be taken over, if there is one.
    base: Option<&'v Value<'v>>,
    /// The text that spans refer to.
    text: &'v str,
    tape: Tape,
    /// Ends of the open containers in the text.
    ends: Vec<usize>,
}

/// A position of a [`Builder`] to rewind to.
#[derive(Clone, Debug)]
pub struct Written {
    slots: usize,
    copied: usize,
    pieces: usize,
    open: usize,
}

impl Written {
    /// Returns the index that the next part will have: see [`Value::node`].
    #[must_use]
    pub const fn index(&self) -> usize {
        self.slots
    }
}

impl<'v> Builder<'v> {
    /// Creates a builder of a value whose spans refer to the text of `base`.
    #[must_use]
    pub fn new(base: &'v Value<'_>) -> Self {
        Self { base: Some(base), text: base.text(), tape: Tape::default(), ends: Vec::new() }
    }

    /// Creates a builder of a value whose spans refer to `text`.
    #[must_use]
    pub fn of_text(text: &'v str) -> Self {
        Self { base: None, text, tape: Tape::default(), ends: Vec::new() }
    }

    /// Writes a value or key with its contents. Parts of the base are taken over unchanged; parts
    /// of another value are copied, and keep their spans.
    pub fn take(&mut self, node: Node<'_>) {
        let of_base = self.base.is_some_and(|base| {
            std::ptr::eq(
                std::ptr::from_ref(node.value).cast::<u8>(),
                std::ptr::from_ref(base).cast(),
            )
        });
        self.append(node, of_base, |span| span);
    }

    /// Copies a value or key of another text, with spans mapped by `place`.
    pub fn take_placed(&mut self, node: Node<'_>, place: impl FnMut(Span) -> Span) {
        self.append(node, false, place);
    }

    fn append(&mut self, node: Node<'_>, verbatim: bool, mut place: impl FnMut(Span) -> Span) {
        let value = node.value;
        let (start, end) = (node.index, value.after(node.index));
        let here = narrow(self.tape.slots.len());
        self.note_key(node);
        for index in start..end {
            let Some(&slot) = value.slots.get(index) else { return };
            let span = place(Span::new(slot.start as usize, slot.end as usize));
            let kept_marks = slot.kind == SlotKind::Object || (verbatim && slot.data == BORROWED);
            let data = match slot.kind {
                SlotKind::Array | SlotKind::Object => slot.data - narrow(start) + here,
                SlotKind::Null | SlotKind::True | SlotKind::False => BORROWED,
                SlotKind::Number | SlotKind::String if verbatim && slot.data == BORROWED => {
                    BORROWED
                }
                SlotKind::Number | SlotKind::String => {
                    self.tape.piece(|out| out.push_str(value.content(index)))
                }
            };
            self.tape.slots.push(Slot {
                start: narrow(span.start),
                end: narrow(span.end),
                data,
                kind: slot.kind,
                marks: if kept_marks { slot.marks } else { (0, 0) },
            });
        }
    }

    /// Notes a string that may be a key.
    fn note_key(&mut self, node: Node<'_>) {
        if node.kind() == Kind::String {
            self.tape.note_key(node.str().unwrap_or_default());
        }
    }

    /// Begins an array at `span`.
    pub fn begin_array(&mut self, span: Span) {
        self.tape.open(Container::Array, span.start);
        self.ends.push(span.end);
    }

    /// Begins an object at `span`.
    pub fn begin_object(&mut self, span: Span) {
        self.tape.open(Container::Object, span.start);
        self.ends.push(span.end);
    }

    /// Ends the innermost array or object.
    pub fn end(&mut self) {
        if let Some(end) = self.ends.pop() {
            self.tape.close(end);
        }
    }

    /// Writes a key.
    pub fn key(&mut self, key: &str, span: Span) {
        self.tape.note_key(key);
        self.tape.copied(SlotKind::String, span, key);
    }

    /// Writes null.
    pub fn null(&mut self, span: Span) {
        self.tape.slot(SlotKind::Null, span, BORROWED);
    }

    /// Writes a boolean.
    pub fn bool(&mut self, value: bool, span: Span) {
        let kind = if value { SlotKind::True } else { SlotKind::False };
        self.tape.slot(kind, span, BORROWED);
    }

    /// Writes a number in JSON notation.
    pub fn number(&mut self, digits: &str, span: Span) {
        self.tape.copied(SlotKind::Number, span, digits);
    }

    /// Writes a string with the unescaped `text`.
    pub fn string(&mut self, text: &str, span: Span) {
        self.tape.note_key(text);
        self.tape.copied(SlotKind::String, span, text);
    }

    /// Returns the current position.
    #[must_use]
    pub fn written(&self) -> Written {
        Written {
            slots: self.tape.slots.len(),
            copied: self.tape.copied.len(),
            pieces: self.tape.pieces.len(),
            open: self.ends.len(),
        }
    }

    /// Undoes everything written since `to`. Containers that were open then must not have been
    /// ended.
    pub fn rewind(&mut self, to: &Written) {
        self.tape.slots.truncate(to.slots);
        self.tape.copied.truncate(to.copied);
        self.tape.pieces.truncate(to.pieces);
        self.tape.open.truncate(to.open);
        self.ends.truncate(to.open);
    }

    /// Returns the value; `None` unless exactly one value was written, with a key for each member.
    #[must_use]
    pub fn finish(mut self) -> Option<Value<'static>> {
        while !self.ends.is_empty() {
            self.end();
        }
        let value = Value {
            text: Cow::Owned(self.text.to_owned()),
            slots: self.tape.slots,
            copied: self.tape.copied,
            pieces: self.tape.pieces,
            tail: Tail::default(),
        };
        let one = !value.slots.is_empty() && value.after(0) == value.slots.len();
        (one && (0..value.slots.len()).all(|index| value.has_keys(index))).then_some(value)
    }
}

impl<'v> Node<'v> {
    /// Returns this part as a value of its own. Its text is this part's span of the text, and its
    /// spans are counted from there.
    ///
    /// ```
    /// let parsed = llmend_json::parse("{'a': {'b': 'x'}}")?;
    /// let part = parsed.value.root().get("a").ok_or("there")?.to_value();
    /// assert_eq!(part.text(), "{'b': 'x'}");
    /// assert_eq!(part.to_string(), r#"{"b":"x"}"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn to_value(self) -> Value<'v> {
        let span = self.span();
        let mut builder = Builder::new(self.value);
        let place = |part: Span| {
            let near = |at: usize| at.clamp(span.start, span.end) - span.start;
            Span::new(near(part.start), near(part.end))
        };
        builder.append(self, true, place);
        Value {
            text: Cow::Borrowed(span.of(&self.value.text)),
            slots: builder.tape.slots,
            copied: builder.tape.copied,
            pieces: builder.tape.pieces,
            tail: Tail::default(),
        }
    }
}

impl Value<'_> {
    /// Returns whether the slot at `index` has a key before each value, if it is an object.
    fn has_keys(&self, index: usize) -> bool {
        let object = self.slots.get(index).filter(|slot| slot.kind == SlotKind::Object);
        let Some(end) = object.map(|slot| slot.data as usize) else { return true };
        let mut at = index + 1;
        while at < end {
            if self.slots.get(at).is_none_or(|key| key.kind != SlotKind::String) || at + 1 >= end {
                return false;
            }
            at = self.after(at + 1);
        }
        true
    }
}

impl Tape {
    /// Notes a string that may be a key of the innermost container, and marks the object if an
    /// equal key may precede it.
    fn note_key(&mut self, key: &str) {
        let Some(Open { index, keys }) = self.open.last_mut() else { return };
        let alike = keys.repeat(super::keys::hash(key.as_bytes()));
        if alike
            && let Some(slot) = self.slots.get_mut(*index as usize)
            && slot.kind == SlotKind::Object
        {
            slot.marks = super::KEYS_ALIKE;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Builder;
    use crate::{Span, parse};

    #[test]
    fn what_is_taken_is_equal_and_keeps_its_places() {
        for text in ["1.50", "\"a\\n\"", "{'a': [1, {}, 'x'], \"b\": null}", "[true, false, [[]]]"]
        {
            let parsed = parse(text).unwrap();
            let mut builder = Builder::new(&parsed.value);
            builder.take(parsed.value.root());
            let built = builder.finish().unwrap();
            assert_eq!(built, parsed.value, "{text}");
            let spans = |value: &crate::Value<'_>| -> Vec<Span> {
                (0..value.slots.len())
                    .filter_map(|at| value.node(at))
                    .map(crate::Node::span)
                    .collect()
            };
            assert_eq!(spans(&built), spans(&parsed.value), "{text}");
        }
    }

    #[test]
    fn parts_of_another_text_are_copied() {
        let (outer, inner) = (parse(r#"{"a": "x"}"#).unwrap(), parse("[1, 'two']").unwrap());
        let mut builder = Builder::new(&outer.value);
        builder.begin_array(outer.value.root().span());
        builder.take_placed(inner.value.root(), |_| Span::new(6, 9));
        builder.take(inner.value.root());
        builder.end();
        let built = builder.finish().unwrap();
        assert_eq!(built.to_string(), r#"[[1,"two"],[1,"two"]]"#);
        assert_eq!(built.root().item(0).unwrap().item(1).unwrap().span(), Span::new(6, 9));
    }

    #[test]
    fn a_rewind_takes_off_what_was_tried() {
        let parsed = parse("[1]").unwrap();
        let mut builder = Builder::new(&parsed.value);
        builder.begin_array(Span::new(0, 3));
        builder.number("1", Span::new(1, 2));
        let written = builder.written();
        builder.begin_object(Span::at(2));
        builder.key("k", Span::at(2));
        builder.string("v", Span::at(2));
        builder.rewind(&written);
        builder.bool(true, Span::at(2));
        builder.null(Span::at(2));
        builder.end();
        assert_eq!(builder.finish().unwrap().to_string(), "[1,true,null]");
    }

    #[test]
    fn what_is_not_one_value_is_none() {
        let parsed = parse("[1]").unwrap();
        let finish = |write: &dyn Fn(&mut Builder<'_>)| {
            let mut builder = Builder::new(&parsed.value);
            write(&mut builder);
            builder.finish().map(|value| value.to_string())
        };
        assert_eq!(finish(&|_| ()), None);
        assert_eq!(finish(&|b| (b.null(Span::at(0)), b.null(Span::at(0))).0), None);
        let lone_key = |b: &mut Builder<'_>| {
            b.begin_object(Span::at(0));
            b.key("a", Span::at(0));
        };
        assert_eq!(finish(&lone_key), None);
        assert_eq!(finish(&|b| b.begin_object(Span::at(0))).as_deref(), Some("{}"));
    }

    #[test]
    fn keys_that_repeat_are_seen() {
        let parsed = parse("{}").unwrap();
        let mut builder = Builder::new(&parsed.value);
        builder.begin_object(Span::at(0));
        for _ in 0..2 {
            builder.key("a", Span::at(0));
            builder.null(Span::at(0));
        }
        builder.end();
        assert_eq!(builder.finish().unwrap().duplicate_keys().len(), 1);
    }
}
