//! Texts while they arrive, in the names and types of a schema.

use llmend::{FitOptions, FitText, FittedEvent};
use llmend_json::{Choice, OffsetWalker, Options};

use crate::{UNIT, fit::Schema, refusal::Refusal, stream::EventRow};

/// The events of a text that arrives, as its value fits a schema.
pub(crate) struct FitEvents {
    /// `None` once the text is complete.
    value: Option<FitText>,
    text: Vec<u8>,
    walker: OffsetWalker,
}

impl Schema {
    /// Begins to read a text that arrives. Its first value is the answer.
    pub(crate) fn stream(&self, options: &str) -> Result<FitEvents, Refusal> {
        let options = self.options(options)?;
        let text = Options { choice: Choice::First, ..options.text };
        let value = FitText::new(FitOptions { text, ..options }, self.compiled.clone());
        Ok(FitEvents { value: Some(value), text: Vec::new(), walker: OffsetWalker::new(UNIT) })
    }
}

impl FitEvents {
    /// Reads the next piece of text in UTF-8, which may end within a character. Returns the JSON of its events; nothing
    /// if there are none.
    pub(crate) fn push(&mut self, piece: &[u8]) -> Option<String> {
        let value = self.value.as_mut()?;
        self.text.extend_from_slice(piece);
        value.push(piece);
        let found = value.fitted_events();
        let repairs = value.take_repairs();
        let Self { text, walker, .. } = self;
        let repairs =
            repairs.into_iter().map(|row| EventRow::repaired(row, |at| walker.at(at, text)));
        written(found.into_iter().map(row).chain(repairs).collect())
    }

    /// Ends the text. Returns the JSON of the remaining events, which are none if the text cannot be read: the value
    /// and the report, or the reason, are those of the whole text.
    pub(crate) fn finish(&mut self) -> Option<String> {
        let (found, _) = self.value.take()?.finish_with_events().ok()?;
        written(found.into_iter().map(row).collect())
    }

    /// Frees the text and its parser.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn free(&mut self) {
        (self.value, self.text) = (None, Vec::new());
    }

    /// Takes the whole text.
    pub(crate) fn take_text(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.text)
    }
}

fn written(rows: Vec<EventRow>) -> Option<String> {
    if rows.is_empty() { None } else { serde_json::to_string(&rows).ok() }
}

/// Returns the row of an event.
fn row(event: FittedEvent) -> EventRow {
    use llmend_json::Kind::{Array, Object, String};
    match event {
        FittedEvent::Opened { path, kind: Object } => EventRow::of(0, &path, None),
        FittedEvent::Opened { path, kind: Array } => EventRow::of(1, &path, None),
        FittedEvent::Opened { path, .. } => EventRow::of(2, &path, None),
        FittedEvent::Grew { text, .. } => EventRow::of(3, "", Some(text)),
        FittedEvent::Closed { kind: String, .. } => EventRow::of(4, "", None),
        FittedEvent::Completed { path, json } => EventRow::of(5, &path, Some(json)),
        FittedEvent::Closed { .. } => EventRow::of(6, "", None),
        FittedEvent::Replaced { json, .. } => EventRow::of(9, "", Some(json)),
    }
}
