//! Content of the frames of an event stream.

use std::borrow::Cow;

use llmend::json::Node;
use llmend_models::sse::{SseFrames, fields};

use crate::splice::strict;

/// One event with its blank line, or comments or blank lines alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) raw: Vec<u8>,
}

/// Returns the number of an event, where events are numbered.
pub(crate) fn number(root: Node<'_>) -> Option<u64> {
    root.get("sequence_number")?.number()?.parse().ok()
}

/// Returns the number behind that of an event.
pub(crate) fn next_number(root: Node<'_>) -> Option<u64> {
    number(root)?.checked_add(1)
}

/// Returns the number behind that of the last of some events.
pub(crate) fn number_behind(events: &[u8], depth: usize) -> Option<u64> {
    let mut frames = SseFrames::default();
    frames.push(events);
    let last = std::iter::from_fn(|| frames.next_frame()).last();
    let frame = Frame { raw: last? };
    let Content::Data(data) = frame.content() else { return None };
    next_number(strict(&data, depth).ok()?.root())
}

/// The content of a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Content<'f> {
    /// No event: comments or blank lines.
    Nothing,
    /// An event without data. Clients fail on it.
    Empty,
    /// The end mark `[DONE]`.
    Done,
    /// The joined `data` fields.
    Data(Cow<'f, str>),
    /// An `error` field, which some servers send and clients ignore.
    Error(String),
    /// Data that is not UTF-8.
    Garbled,
}

impl Frame {
    /// Reads the content. Data lines are joined as the standard says.
    pub(crate) fn content(&self) -> Content<'_> {
        let mut data: Option<Cow<'_, [u8]>> = None;
        for field in fields(&self.raw) {
            let value = match field {
                (b"error", Some(message)) => {
                    return Content::Error(String::from_utf8_lossy(message).trim().to_owned());
                }
                (b"data", value) => value.unwrap_or_default(),
                _ => continue,
            };
            match &mut data {
                Some(data) => {
                    let data = data.to_mut();
                    data.push(b'\n');
                    data.extend_from_slice(value);
                }
                None => data = Some(value.into()),
            }
        }
        let Some(data) = data else {
            return if self.name().is_some() { Content::Empty } else { Content::Nothing };
        };
        let Some(data) = as_text(data) else { return Content::Garbled };
        match data.trim() {
            "" => Content::Empty,
            "[DONE]" => Content::Done,
            _ => Content::Data(data),
        }
    }

    /// Returns the `event` field.
    pub(crate) fn name(&self) -> Option<&str> {
        let names = fields(&self.raw).filter(|(name, _)| name == b"event");
        let name = names.filter_map(|(_, name)| name).last()?;
        str::from_utf8(name).ok().map(str::trim)
    }

    /// Whether it is only line ends, such as more of them at the end of a stream than one.
    pub(crate) fn is_line_end(&self) -> bool {
        !self.raw.is_empty() && self.raw.iter().all(|byte| matches!(byte, b'\n' | b'\r'))
    }

    /// Whether it starts with a byte order mark, which many readers do not skip.
    pub(crate) fn has_mark(&self) -> bool {
        self.raw.starts_with("\u{feff}".as_bytes())
    }
}

/// Converts bytes to text without copying them again.
fn as_text(bytes: Cow<'_, [u8]>) -> Option<Cow<'_, str>> {
    match bytes {
        Cow::Borrowed(bytes) => str::from_utf8(bytes).ok().map(Cow::Borrowed),
        Cow::Owned(bytes) => String::from_utf8(bytes).ok().map(Cow::Owned),
    }
}

#[cfg(test)]
mod tests {
    use super::{Content, Frame};

    #[test]
    fn the_data_of_a_frame_is_joined() {
        let data = Content::Data as fn(_) -> _;
        let data = |text: &'static str| data(text.into());
        let rows: [(&[u8], Content<'_>); 15] = [
            (b"data: {\"a\": 1}\n\n", data("{\"a\": 1}")),
            (b"data:{}\r\n\r\n", data("{}")),
            (b"event: x\ndata: {\ndata: }\n\n", data("{\n}")),
            (b"\xEF\xBB\xBFdata: 1\n\n", data("1")),
            (b": note\n\n", Content::Nothing),
            (b"event: ping\n\n", Content::Empty),
            (b"error: {}\n\n", Content::Error("{}".to_owned())),
            (b"dataset: 1\n\n", Content::Nothing),
            (b"data:\n\n", Content::Empty),
            (b"data\n\n", Content::Empty),
            (b"data: [DONE]\n\n", Content::Done),
            (b"data: \xFF\n\n", Content::Garbled),
            (b"data: {\ndata: \xFF\n\n", Content::Garbled),
            (b"event\nerror\r\ndata: 1\r\n\r", data("1")),
            (b"data: {}\nerror: no\n\n", Content::Error("no".to_owned())),
        ];
        for (raw, expected) in rows {
            assert_eq!(Frame { raw: raw.to_vec() }.content(), expected, "{raw:?}");
        }
        let named = Frame { raw: b"event: ping\ndata: {}\n\n".to_vec() };
        assert_eq!((named.name(), named.has_mark()), (Some("ping"), false));
    }
}
