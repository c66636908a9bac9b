//! How does a value grow as it is read?

use std::borrow::Cow;

use crate::{
    Span,
    parser::{Window, escape::unescape},
    sink::{Container, Content, Literal, Sink},
    value::{BORROWED, Slot, SlotKind, Value},
};

/// The sink that builds a [`Value`].
#[derive(Debug, Default)]
pub(crate) struct Tape {
    slots: Vec<Slot>,
    /// Indexes of the containers that are open.
    open: Vec<u32>,
    copied: String,
    pieces: Vec<(u32, u32)>,
}

/// Offsets and indexes fit: `max_bytes` is at most `u32::MAX`, and a slot needs a byte.
#[inline]
fn narrow(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX - 1)
}

impl Tape {
    /// A tape with room for a text of `bytes` bytes of the usual density.
    pub(crate) fn for_text(bytes: usize) -> Self {
        Self { slots: Vec::with_capacity((bytes / 12).clamp(8, 1 << 16)), ..Self::default() }
    }

    /// Whether nothing was read.
    pub(crate) fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    #[inline]
    fn scalar(&mut self, kind: SlotKind, span: Span, data: u32) {
        self.slots.push(Slot { start: narrow(span.start), end: narrow(span.end), data, kind });
    }

    /// The index of a new piece that `fill` writes.
    fn piece(&mut self, fill: impl FnOnce(&mut String)) -> u32 {
        let start = narrow(self.copied.len());
        fill(&mut self.copied);
        self.pieces.push((start, narrow(self.copied.len())));
        narrow(self.pieces.len() - 1)
    }

    #[inline]
    fn text(&mut self, window: &Window<'_>, span: Span, content: Content<'_>) {
        let data = match content {
            // A plain string with one-byte quotes is a range of the source.
            Content::Plain(inner) if inner.start == span.start + 1 && inner.end + 1 == span.end => {
                BORROWED
            }
            Content::Plain(inner) => self.piece(|out| out.push_str(window.slice(inner))),
            Content::Escaped(inner) => self.piece(|out| unescape(window.slice(inner), out)),
            Content::Mended(text) => self.piece(|out| unescape(text, out)),
        };
        self.scalar(SlotKind::String, span, data);
    }

    /// The value that was read from `text`, or nothing if nothing was read.
    pub(crate) fn finish<'t>(mut self, text: impl Into<Cow<'t, str>>) -> Option<Value<'t>> {
        if self.is_empty() {
            return None;
        }
        let end = self.slots.last().map_or(0, |slot| slot.end);
        while !self.open.is_empty() {
            self.close(end as usize);
        }
        Some(Value {
            text: text.into(),
            slots: self.slots,
            copied: self.copied,
            pieces: self.pieces,
        })
    }
}

impl Sink for Tape {
    #[inline]
    fn open(&mut self, kind: Container, at: usize) {
        self.open.push(narrow(self.slots.len()));
        let kind = match kind {
            Container::Array => SlotKind::Array,
            Container::Object => SlotKind::Object,
        };
        self.scalar(kind, Span::at(at), 0);
    }

    fn becomes_array(&mut self) {
        if let Some(slot) = self.open.last().and_then(|&at| self.slots.get_mut(at as usize)) {
            slot.kind = SlotKind::Array;
        }
    }

    #[inline]
    fn close(&mut self, end: usize) {
        let next = narrow(self.slots.len());
        if let Some(slot) = self.open.pop().and_then(|at| self.slots.get_mut(at as usize)) {
            slot.end = narrow(end);
            slot.data = next;
        }
    }

    #[inline]
    fn key(&mut self, window: &Window<'_>, span: Span, content: Content<'_>) {
        self.text(window, span, content);
    }

    fn drop_key(&mut self) {
        if let Some(slot) = self.slots.pop()
            && slot.data != BORROWED
            && let Some((start, _)) = self.pieces.pop()
        {
            self.copied.truncate(start as usize);
        }
    }

    #[inline]
    fn string(&mut self, window: &Window<'_>, span: Span, content: Content<'_>) {
        self.text(window, span, content);
    }

    #[inline]
    fn number(&mut self, window: &Window<'_>, span: Span, content: Content<'_>) {
        let data = match content {
            Content::Plain(inner) if inner == span => BORROWED,
            Content::Plain(inner) | Content::Escaped(inner) => {
                self.piece(|out| out.push_str(window.slice(inner)))
            }
            Content::Mended(text) => self.piece(|out| out.push_str(text)),
        };
        self.scalar(SlotKind::Number, span, data);
    }

    #[inline]
    fn literal(&mut self, literal: Literal, span: Span) {
        let kind = match literal {
            Literal::Null => SlotKind::Null,
            Literal::True => SlotKind::True,
            Literal::False => SlotKind::False,
        };
        self.scalar(kind, span, BORROWED);
    }
}

impl Value<'_> {
    /// The same value over `text`, each span moved by `place`: for a value that was read from a
    /// rewritten copy of `text`. All contents become copies.
    pub(crate) fn relocated<'t>(
        &self,
        text: &'t str,
        mut place: impl FnMut(Span) -> Span,
    ) -> Value<'t> {
        let mut tape = Tape { slots: Vec::with_capacity(self.slots.len()), ..Tape::default() };
        for (index, slot) in self.slots.iter().enumerate() {
            let data = match slot.kind {
                SlotKind::String | SlotKind::Number => {
                    tape.piece(|out| out.push_str(self.content(index)))
                }
                _ => slot.data,
            };
            let span = place(Span::new(slot.start as usize, slot.end as usize));
            tape.scalar(slot.kind, span, data);
        }
        Value {
            text: Cow::Borrowed(text),
            slots: tape.slots,
            copied: tape.copied,
            pieces: tape.pieces,
        }
    }

    /// One array that holds `values`, which were all read from `text`.
    pub(crate) fn array_of<'t>(text: &'t str, span: Span, values: &[Value<'_>]) -> Value<'t> {
        let mut all = Value {
            text: Cow::Borrowed(text),
            slots: Vec::with_capacity(
                values.iter().map(|value| value.slots.len()).sum::<usize>() + 1,
            ),
            copied: String::new(),
            pieces: Vec::new(),
        };
        let (start, end) = (narrow(span.start), narrow(span.end));
        all.slots.push(Slot { start, end, data: 0, kind: SlotKind::Array });
        for value in values {
            let (slots, pieces, copied) =
                (narrow(all.slots.len()), narrow(all.pieces.len()), narrow(all.copied.len()));
            all.slots.extend(value.slots.iter().map(|slot| Slot {
                data: match slot.kind {
                    SlotKind::Array | SlotKind::Object => slot.data + slots,
                    _ if slot.data == BORROWED => BORROWED,
                    _ => slot.data + pieces,
                },
                ..*slot
            }));
            all.pieces
                .extend(value.pieces.iter().map(|(start, end)| (start + copied, end + copied)));
            all.copied.push_str(&value.copied);
        }
        let next = narrow(all.slots.len());
        if let Some(root) = all.slots.first_mut() {
            root.data = next;
        }
        all
    }
}
