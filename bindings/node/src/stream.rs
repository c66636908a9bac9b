//! Texts while they arrive.

use llmend_json::{
    Choice, Event, Events, Kind, OffsetWalker, Options, Relocate as _, unescape_token,
};
use serde::{Serialize, Serializer, ser::SerializeSeq};

use crate::{UNIT, options, refusal::Refusal};

/// The events of a text that arrives. Its first value is the answer, since the best is unknown before the end.
pub(crate) struct TextEvents {
    /// `None` once the text is complete.
    events: Option<Events>,
    text: Vec<u8>,
    walker: OffsetWalker,
}

impl TextEvents {
    /// Creates a stream without any text.
    pub(crate) fn new(json: &str) -> Result<Self, Refusal> {
        let options = growing(json)?;
        Ok(Self {
            events: Some(Events::new(options)),
            text: Vec::new(),
            walker: OffsetWalker::new(UNIT),
        })
    }

    /// Reads the next piece of text in UTF-8, which may end within a character. Returns the JSON of its events; nothing
    /// if there are none.
    pub(crate) fn push(&mut self, piece: &[u8]) -> Option<String> {
        let events = self.events.as_mut()?;
        self.text.extend_from_slice(piece);
        events.push(piece);
        let found: Vec<Event> = events.drain().collect();
        self.written(found)
    }

    /// Ends the text. Returns the JSON of the remaining events, which are none if the text cannot be read: the value
    /// and the report, or the reason, are those of the whole text.
    pub(crate) fn finish(&mut self) -> Option<String> {
        let (found, _) = self.events.take()?.finish().ok()?;
        self.written(found)
    }

    /// Frees the text and its parser.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn free(&mut self) {
        (self.events, self.text) = (None, Vec::new());
    }

    /// Takes the whole text.
    pub(crate) fn take_text(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.text)
    }

    fn written(&mut self, found: Vec<Event>) -> Option<String> {
        if found.is_empty() {
            return None;
        }
        let Self { text, walker, .. } = self;
        let rows = found.into_iter().map(|event| EventRow::new(event, |at| walker.at(at, text)));
        serde_json::to_string(&rows.collect::<Vec<_>>()).ok()
    }
}

/// Returns the options of a stream in `json`.
pub(crate) fn growing(json: &str) -> Result<Options, Refusal> {
    options::with(json, |options| Ok(Options { choice: Choice::First, ..options.clone() }))
}

/// An event as a list: its number, the key of the part in the container around it (null in a list), and what the
/// package needs of it.
pub(crate) struct EventRow {
    number: u8,
    key: Option<String>,
    text: Option<String>,
    repair: Option<llmend_json::Repair>,
}

impl EventRow {
    /// Creates the row of an event at `path`, which is empty where the part is known.
    pub(crate) fn of(number: u8, path: &str, text: Option<String>) -> Self {
        Self { number, key: key(path), text, repair: None }
    }

    /// Creates the row of a repair. `unit` counts UTF-16 units.
    pub(crate) fn repaired(
        mut repair: llmend_json::Repair,
        mut unit: impl FnMut(usize) -> usize,
    ) -> Self {
        repair.relocate(&mut unit);
        Self { number: 8, key: None, text: None, repair: Some(repair) }
    }

    fn new(event: Event, unit: impl FnMut(usize) -> usize) -> Self {
        match event {
            Event::Opened { path, kind: Kind::Object } => Self::of(0, &path, None),
            Event::Opened { path, kind: Kind::Array } => Self::of(1, &path, None),
            Event::Opened { path, .. } => Self::of(2, &path, None),
            Event::Grew { text, .. } => Self::of(3, "", Some(text)),
            Event::Completed { value: None, .. } => Self::of(4, "", None),
            Event::Completed { path, value } => Self::of(5, &path, value),
            Event::Closed { .. } => Self::of(6, "", None),
            Event::Repeated { path } => Self::of(7, &path, None),
            Event::Repaired(repair) => Self::repaired(repair, unit),
        }
    }
}

/// Returns the last token of a path.
fn key(path: &str) -> Option<String> {
    let (_, token) = path.rsplit_once('/')?;
    Some(unescape_token(token))
}

impl Serialize for EventRow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut row = serializer.serialize_seq(None)?;
        row.serialize_element(&self.number)?;
        if let Some(repair) = &self.repair {
            row.serialize_element(repair)?;
            return row.end();
        }
        if self.key.is_some() || self.text.is_some() {
            row.serialize_element(&self.key)?;
        }
        if let Some(text) = &self.text {
            row.serialize_element(text)?;
        }
        row.end()
    }
}
