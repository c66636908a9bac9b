//! Construction of values while text is read.

use std::borrow::Cow;

use crate::{
    Span,
    extract::Build,
    parser::{Window, escape::unescape},
    sink::{Container, Content, Literal, Sink},
    value::{
        BORROWED, KEYS_ALIKE, Slot, SlotKind, Tail, Value,
        keys::{KeyHashes, hash},
    },
};

/// A sink that builds one or more [`Value`]s.
#[derive(Debug, Default)]
pub(crate) struct Tape {
    pub(crate) slots: Vec<Slot>,
    pub(super) open: Vec<Open>,
    pub(crate) copied: String,
    pub(crate) pieces: Vec<(u32, u32)>,
    /// End of the values that are kept.
    kept: Mark,
}

/// An open container.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    /// Index of its slot.
    pub(super) index: u32,
    pub(super) keys: KeyHashes,
}

/// A position to rewind to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Mark {
    slots: u32,
    copied: u32,
    pieces: u32,
}

/// A value on a tape.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TapeValue {
    start: Mark,
    end: Mark,
}

impl TapeValue {
    /// Returns the index of its root.
    pub(crate) const fn root(self) -> usize {
        self.start.slots as usize
    }
}

/// Nesting depth to reserve initially.
const USUAL_DEPTH: usize = 8;
/// Bytes of copied text to reserve with the first copy.
const FIRST_COPIED: usize = 256;

/// Narrows an offset or index. They fit: `max_bytes` is at most `u32::MAX`, and a slot needs at
/// least a byte of text.
#[inline]
pub(super) fn narrow(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX - 1)
}

impl Tape {
    fn mark(&self) -> Mark {
        Mark {
            slots: narrow(self.slots.len()),
            copied: narrow(self.copied.len()),
            pieces: narrow(self.pieces.len()),
        }
    }

    /// Returns the indexes of the open containers, outermost first.
    pub(crate) fn open_slots(&self) -> impl Iterator<Item = usize> {
        self.open.iter().map(|open| open.index as usize)
    }

    /// Returns the index of the slot at which the incomplete item of the outermost open array begins
    /// or will begin.
    pub(crate) fn item_in_progress(&self) -> Option<usize> {
        let index = |open: &Open| open.index as usize;
        let is_array = |open: &&Open| {
            self.slots.get(index(open)).is_some_and(|slot| slot.kind == SlotKind::Array)
        };
        let mut open = self.open.iter().skip_while(|open| !is_array(open));
        open.next()?;
        Some(open.next().map_or(self.slots.len(), index))
    }

    /// Returns the index of the root of the value being read.
    pub(crate) fn root_in_progress(&self) -> usize {
        self.kept.slots as usize
    }

    /// Undoes everything written after `mark`.
    fn rewind(&mut self, mark: Mark) {
        self.slots.truncate(mark.slots as usize);
        self.copied.truncate(mark.copied as usize);
        self.pieces.truncate(mark.pieces as usize);
        self.open.clear();
    }

    #[inline]
    pub(super) fn slot(&mut self, kind: SlotKind, span: Span, data: u32) {
        self.marked(kind, span, data, (0, 0));
    }

    #[inline]
    fn marked(&mut self, kind: SlotKind, span: Span, data: u32, marks: (u8, u8)) {
        let (start, end) = (narrow(span.start), narrow(span.end));
        self.slots.push(Slot { start, end, data, kind, marks });
    }

    /// Writes a string or number whose content is a range of the source.
    #[inline(always)]
    fn borrowed(&mut self, kind: SlotKind, window: &Window<'_>, span: Span, inner: Span) {
        let open = u8::try_from(inner.start - span.start);
        let close = u8::try_from(span.end - inner.end);
        if let (Ok(open), Ok(close)) = (open, close) {
            self.marked(kind, span, BORROWED, (open, close));
        } else {
            self.copied(kind, span, window.slice(inner));
        }
    }

    /// Writes a string or number with a copy of its content.
    #[cold]
    pub(super) fn copied(&mut self, kind: SlotKind, span: Span, content: &str) {
        let data = self.piece(|out| out.push_str(content));
        self.slot(kind, span, data);
    }

    /// Returns the index of a new piece, written by `fill`.
    pub(super) fn piece(&mut self, fill: impl FnOnce(&mut String)) -> u32 {
        let start = narrow(self.copied.len());
        fill(&mut self.copied);
        self.pieces.push((start, narrow(self.copied.len())));
        narrow(self.pieces.len() - 1)
    }

    #[inline(always)]
    fn text(&mut self, window: &Window<'_>, span: Span, content: Content<'_>) {
        match content {
            Content::Plain(inner) => self.borrowed(SlotKind::String, window, span, inner),
            _ => self.changed(window, span, content),
        }
    }

    /// Writes a string whose content differs from the source.
    #[cold]
    fn changed(&mut self, window: &Window<'_>, span: Span, content: Content<'_>) {
        match content {
            Content::Plain(inner) => self.copied(SlotKind::String, span, window.slice(inner)),
            Content::Escaped(inner) => self.unescaped(span, window.slice(inner)),
            Content::Repaired(text) => self.unescaped(span, text),
        }
    }

    /// Writes a string with the unescaped `text`.
    #[inline(never)]
    fn unescaped(&mut self, span: Span, text: &str) {
        let data = self.piece(|out| {
            out.reserve(if out.is_empty() { text.len().max(FIRST_COPIED) } else { text.len() });
            unescape(text, out);
        });
        self.slot(SlotKind::String, span, data);
    }

    /// Returns the only value of `parts`, or an array at `span` of all of them, which were read
    /// from `text`; in any case an array without the empty ones if `list`. Returns `None` if there is
    /// none, or if one is empty.
    pub(crate) fn finish<'t>(
        mut self,
        text: impl Into<Cow<'t, str>>,
        span: Span,
        parts: &[TapeValue],
        list: bool,
    ) -> Option<Value<'t>> {
        let is_empty = |part: &TapeValue| part.start.slots == part.end.slots;
        if parts.is_empty() || !list && parts.iter().any(is_empty) {
            return None;
        }
        let tape = match parts {
            [only] if !list && only.start == Mark::default() => {
                self.rewind(only.end);
                self
            }
            [only] if !list => {
                let mut tape = Self::default();
                tape.append(&self, *only);
                tape
            }
            _ => {
                let slots: u32 = parts.iter().map(|part| part.end.slots - part.start.slots).sum();
                let mut tape =
                    Self { slots: Vec::with_capacity(slots as usize + 1), ..Self::default() };
                tape.open(Container::Array, span.start);
                for part in parts {
                    tape.append(&self, *part);
                }
                tape.close(span.end);
                tape
            }
        };
        Some(Value {
            text: text.into(),
            slots: tape.slots,
            copied: tape.copied,
            pieces: tape.pieces,
            tail: Tail::default(),
        })
    }

    /// Returns a copy of the value that [`Self::finish`] returns.
    pub(crate) fn copy<'t>(
        &self,
        text: &'t str,
        span: Span,
        parts: &[TapeValue],
    ) -> Option<Value<'t>> {
        let mut all = Self::default();
        let mut copied = Vec::with_capacity(parts.len());
        for part in parts {
            let start = all.mark();
            all.append(self, *part);
            copied.push(TapeValue { start, end: all.mark() });
        }
        all.finish(text, span, &copied, false)
    }

    /// Appends a part of another tape.
    fn append(&mut self, other: &Self, part: TapeValue) {
        let (here, start, end) = (self.mark(), part.start, part.end);
        let slots = other.slots.get(start.slots as usize..end.slots as usize).unwrap_or_default();
        self.slots.extend(slots.iter().map(|slot| Slot {
            data: match slot.kind {
                SlotKind::Array | SlotKind::Object => slot.data - start.slots + here.slots,
                _ if slot.data == BORROWED => BORROWED,
                _ => slot.data - start.pieces + here.pieces,
            },
            ..*slot
        }));
        let pieces = other.pieces.get(start.pieces as usize..end.pieces as usize);
        let moved = |at: u32| at - start.copied + here.copied;
        self.pieces
            .extend(pieces.unwrap_or_default().iter().map(|(from, to)| (moved(*from), moved(*to))));
        self.copied.push_str(
            other.copied.get(start.copied as usize..end.copied as usize).unwrap_or_default(),
        );
    }
}

impl Build for Tape {
    type Built = TapeValue;

    /// Reserves space for a text of average density.
    fn for_text(bytes: usize) -> Self {
        Self {
            slots: Vec::with_capacity((bytes / 12).clamp(8, 1 << 16)),
            open: Vec::with_capacity(USUAL_DEPTH),
            ..Self::default()
        }
    }

    fn begin(&mut self) {
        self.rewind(self.kept);
    }

    fn end(&mut self) -> TapeValue {
        let end = self.slots.last().map_or(0, |slot| slot.end);
        while !self.open.is_empty() {
            self.close(end as usize);
        }
        TapeValue { start: self.kept, end: self.mark() }
    }

    fn keep(&mut self) {
        self.kept = self.mark();
    }

    fn adopt(
        &mut self,
        copy: Self,
        built: TapeValue,
        text: &str,
        mut place: impl FnMut(Span) -> Span,
    ) -> TapeValue {
        let start = self.mark();
        let Some(value) = copy.finish(text, Span::default(), &[built], false) else {
            return TapeValue { start, end: start };
        };
        self.slots.reserve(value.slots.len());
        for (index, slot) in value.slots.iter().enumerate() {
            let data = match slot.kind {
                SlotKind::String | SlotKind::Number => {
                    self.piece(|out| out.push_str(value.content(index)))
                }
                SlotKind::Array | SlotKind::Object => slot.data + start.slots,
                _ => slot.data,
            };
            let span = place(Span::new(slot.start as usize, slot.end as usize));
            let marks = if slot.kind == SlotKind::Object { slot.marks } else { (0, 0) };
            self.marked(slot.kind, span, data, marks);
        }
        TapeValue { start, end: self.mark() }
    }
}

#[inline]
const fn slot_kind(kind: Container) -> SlotKind {
    match kind {
        Container::Array => SlotKind::Array,
        Container::Object => SlotKind::Object,
    }
}

impl Sink for Tape {
    #[inline]
    fn open(&mut self, kind: Container, at: usize) {
        self.open.push(Open { index: narrow(self.slots.len()), keys: KeyHashes::default() });
        self.slot(slot_kind(kind), Span::at(at), 0);
    }

    fn becomes(&mut self, kind: Container) {
        if let Some(slot) =
            self.open.last().and_then(|open| self.slots.get_mut(open.index as usize))
        {
            slot.kind = slot_kind(kind);
        }
    }

    #[inline]
    fn close(&mut self, end: usize) {
        let next = narrow(self.slots.len());
        if let Some(slot) = self.open.pop().and_then(|open| self.slots.get_mut(open.index as usize))
        {
            slot.end = narrow(end);
            slot.data = next;
        }
    }

    #[inline(always)]
    fn key(&mut self, window: &Window<'_>, span: Span, content: Content<'_>) {
        if let Some(open) = self.open.last_mut() {
            let alike = match content {
                Content::Plain(inner) => open.keys.repeat(hash(window.bytes(inner))),
                Content::Escaped(_) | Content::Repaired(_) => true,
            };
            if alike && let Some(slot) = self.slots.get_mut(open.index as usize) {
                slot.marks = KEYS_ALIKE;
            }
        }
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

    #[inline(always)]
    fn string(&mut self, window: &Window<'_>, span: Span, content: Content<'_>) {
        self.text(window, span, content);
    }

    #[inline]
    fn number(&mut self, window: &Window<'_>, span: Span, content: Content<'_>) {
        match content {
            Content::Plain(inner) | Content::Escaped(inner) => {
                self.borrowed(SlotKind::Number, window, span, inner);
            }
            Content::Repaired(text) => self.copied(SlotKind::Number, span, text),
        }
    }

    #[inline]
    fn literal(&mut self, literal: Literal, span: Span) {
        let kind = match literal {
            Literal::Null => SlotKind::Null,
            Literal::True => SlotKind::True,
            Literal::False => SlotKind::False,
        };
        self.slot(kind, span, BORROWED);
    }
}
