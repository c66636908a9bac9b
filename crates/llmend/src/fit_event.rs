//! Changes of a value that is still arriving, in the names and types of its schema.

use llmend_json::Kind;

/// A change of what is shown of a value. Paths are JSON Pointers (RFC 6901) in the value as it fits its schema.
///
/// Applied in order, the events since the beginning give [`FittedView::json`](crate::FittedView::json), and in the
/// end [`Fitted::value`](crate::Fitted), both but for the order of members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FittedEvent {
    /// An object, array or string begins.
    Opened {
        /// Path of the part.
        path: String,
        /// Kind of the part.
        kind: Kind,
    },
    /// Text was added to the current string.
    Grew {
        /// Path of the part.
        path: String,
        /// The added text.
        text: String,
    },
    /// A part is shown that is complete. A member that was shown already has another value: its key came again,
    /// perhaps in another spelling.
    Completed {
        /// Path of the part.
        path: String,
        /// The part as strict JSON.
        json: String,
    },
    /// The innermost open part is complete, as it was shown.
    Closed {
        /// Path of the part.
        path: String,
        /// Kind of the part.
        kind: Kind,
    },
    /// The innermost open part, or the whole value if nothing is open, is complete, and not what was shown with
    /// more to it.
    Replaced {
        /// Path of the part.
        path: String,
        /// The part as strict JSON.
        json: String,
    },
}

/// The events that nobody took yet; nothing if nobody listens.
pub(crate) struct Heard(Option<Vec<FittedEvent>>);

impl Heard {
    /// Keeps nothing.
    pub(crate) const DEAF: Self = Self(None);

    /// Keeps all events.
    pub(crate) const ALL: Self = Self(Some(Vec::new()));

    pub(crate) fn is_deaf(&self) -> bool {
        self.0.is_none()
    }

    pub(crate) fn drain(&mut self) -> Vec<FittedEvent> {
        self.0.as_mut().map(std::mem::take).unwrap_or_default()
    }

    pub(crate) fn opened(&mut self, path: &str, kind: Kind) {
        self.add(|| FittedEvent::Opened { path: path.to_owned(), kind });
    }

    pub(crate) fn grew(&mut self, path: &str, text: &str) {
        self.add(|| FittedEvent::Grew { path: path.to_owned(), text: text.to_owned() });
    }

    pub(crate) fn completed(&mut self, path: &str, json: &str) {
        self.add(|| FittedEvent::Completed { path: path.to_owned(), json: json.to_owned() });
    }

    pub(crate) fn closed(&mut self, path: &str, kind: Kind) {
        self.add(|| FittedEvent::Closed { path: path.to_owned(), kind });
    }

    pub(crate) fn replaced(&mut self, path: &str, json: &str) {
        self.add(|| FittedEvent::Replaced { path: path.to_owned(), json: json.to_owned() });
    }

    fn add(&mut self, event: impl FnOnce() -> FittedEvent) {
        if let Some(events) = &mut self.0 {
            events.push(event());
        }
    }
}
