//! Streams that pass unchanged, and whether they came to their end.
//!
//! Every event passes byte for byte as soon as it is complete. If the stream breaks off, the client
//! gets an error, since some clients take a cut connection for the end. If it ends without the mark
//! for which clients wait, they get it.

use llmend_models::sse::{Decoder, Delta, Error, Options, SseFrames};
use memchr::memmem;
use serde::de::IgnoredAny;

use crate::answer::usage::UsageCounts;
use crate::error::Failure;
use crate::protocol::Protocol;
use crate::stream::frame::{Content, Frame, number_behind};

/// A stream that passes unchanged.
#[derive(Clone, Debug)]
pub(crate) struct Passthrough {
    protocol: Protocol,
    frames: SseFrames,
    decoder: Decoder,
    reading: Reading,
    used: UsageCounts,
    failure: Option<Failure>,
    /// The last event that was sent.
    last: Frame,
    /// Whether the event came that marks the end of messages.
    has_stop: bool,
    out: Vec<u8>,
}

/// What is known of the end of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reading {
    /// It is read along.
    Clear,
    /// It reported an error, which every client raises.
    Failed,
    /// It reported its end.
    Ended,
    /// It is not read any more, since an event was too large.
    Lost,
}

/// Longer events are passed in pieces and not read, so that memory is bounded.
const MOST_HELD: usize = 1 << 20;

/// Most levels of an event that is read for its number.
const MOST_DEPTH: usize = 256;

impl Passthrough {
    pub(crate) fn new(protocol: Protocol) -> Self {
        let decoder =
            Decoder::new(protocol.profile().dialect, Options { max_event_bytes: MOST_HELD });
        Self {
            protocol,
            frames: SseFrames::default(),
            decoder,
            reading: Reading::Clear,
            used: UsageCounts::default(),
            failure: None,
            last: Frame { raw: Vec::new() },
            has_stop: false,
            out: Vec::new(),
        }
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.frames.push(bytes);
        self.decoder.push(bytes);
        self.read_along();
        while let Some(raw) = self.frames.next_frame() {
            let frame = Frame { raw };
            // This mark is the end, whatever the decoder takes the stream for.
            let is_end = memmem::find(&frame.raw, b"[DONE]").is_some()
                && matches!(frame.content(), Content::Done);
            if is_end && self.reading == Reading::Clear {
                self.reading = Reading::Ended;
            }
            self.has_stop |= is_stop(&frame);
            self.out.extend_from_slice(&frame.raw);
            if self.protocol == Protocol::Responses {
                self.last = frame;
            }
        }
        if self.frames.partial_len() > MOST_HELD {
            self.out.append(&mut self.frames.rest());
        }
    }

    fn read_along(&mut self) {
        while let Some(delta) = self.decoder.next_delta() {
            match delta {
                Ok(Delta::Error(error)) => {
                    self.reading = Reading::Failed;
                    self.failure = Some(Failure::upstream("upstream_error", error.message));
                }
                Ok(Delta::Usage(usage)) => {
                    self.used.input = usage.input_tokens.or(self.used.input);
                    self.used.output = usage.output_tokens.or(self.used.output);
                }
                Err(Error::TooLarge { .. }) => self.reading = Reading::Lost,
                _ => {}
            }
        }
    }

    /// Notes the end of the bytes. A stream that did not report its end gets an error.
    pub(crate) fn finish(&mut self) {
        let rest = Frame { raw: self.frames.rest() };
        self.decoder.finish();
        self.read_along();
        let is_whole = match rest.content() {
            // An event without its blank line.
            Content::Data(data) => serde_json::from_str::<IgnoredAny>(&data).is_ok(),
            Content::Garbled | Content::Error(_) => false,
            Content::Nothing | Content::Empty | Content::Done => true,
        };
        let mark = self.protocol.adapter().end_mark();
        let has_mark = match self.protocol {
            Protocol::Chat => rest.content() == Content::Done,
            Protocol::Messages => self.has_stop || is_stop(&rest),
            Protocol::Responses => true,
        };
        let is_complete = self.decoder.is_complete() || self.reading != Reading::Clear;
        if is_whole || is_complete {
            self.out.extend_from_slice(&rest.raw);
        }
        let lacks_mark = !has_mark && self.reading == Reading::Clear;
        if is_complete && !lacks_mark {
            return;
        }
        if is_whole && !rest.raw.is_empty() && !rest.is_line_end() {
            self.out.extend_from_slice(b"\n\n");
        }
        if is_complete {
            self.out.extend_from_slice(mark.as_bytes());
        } else {
            let message = "the upstream's stream ended before the response was complete";
            self.fail(&Failure::upstream("stream/unexpected-end", message));
        }
    }

    /// Ends the stream with an error. An incomplete event is dropped, since it would be taken for a
    /// whole one.
    pub(crate) fn fail(&mut self, failure: &Failure) {
        self.frames.rest();
        let number = number_behind(&self.last.raw, MOST_DEPTH).unwrap_or(0);
        let event = self.protocol.adapter().error_event(failure, number);
        self.out.extend_from_slice(event.as_bytes());
        self.failure = Some(failure.clone());
    }

    /// Returns the error that ended the stream.
    pub(crate) const fn failure(&self) -> Option<&Failure> {
        self.failure.as_ref()
    }

    /// Returns the usage that the events reported.
    pub(crate) const fn used(&self) -> UsageCounts {
        self.used
    }

    pub(crate) fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.out)
    }
}

/// Whether an event marks the end of a message. Within a text its name would be escaped.
fn is_stop(frame: &Frame) -> bool {
    memmem::find(&frame.raw, b"\"message_stop\"").is_some()
}

#[cfg(test)]
mod tests {
    use super::Passthrough;
    use crate::protocol::Protocol;

    fn passed(body: &[u8], size: usize) -> String {
        let mut passthrough = Passthrough::new(Protocol::Chat);
        for piece in body.chunks(size) {
            passthrough.push(piece);
        }
        passthrough.finish();
        String::from_utf8(passthrough.take()).unwrap()
    }

    #[test]
    fn a_complete_stream_passes_byte_for_byte() {
        let finish = r#"data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#;
        for body in [
            "data: [DONE]\n\n".to_owned(),
            format!(": hi\r\n\r\n{finish}\r\n\r\ndata: [DONE]\r\n\r\n"),
            // The last blank line is omitted.
            format!("{finish}\n\ndata: [DONE]"),
            format!("data:\n\nevent: ping\n\ndata: never JSON\n\n{finish}\n\ndata: [DONE]\n\n"),
            format!("{finish}\n\ndata: [DONE]\n\n{}", "\n".repeat(99)),
            "data: {\"error\": {\"message\": \"no\"}}\n\n".to_owned(),
            // What begins like a whole answer is none for that.
            "[\n\n\ndata: [DONE]\n\n".to_owned(),
        ] {
            for size in [1, 7, body.len()] {
                assert_eq!(passed(body.as_bytes(), size), body, "{size}");
            }
        }
    }

    #[test]
    fn a_complete_stream_without_the_mark_of_its_end_gets_one() {
        let finish = r#"data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#;
        for (body, gap) in [
            (format!("{finish}\n\n"), ""),
            (format!("{finish}\r\n\r\n"), ""),
            (format!("{finish}\n\n: bye\n\n"), ""),
            (finish.to_owned(), "\n\n"),
        ] {
            for size in [1, 7, body.len()] {
                let expected = format!("{body}{gap}data: [DONE]\n\n");
                assert_eq!(passed(body.as_bytes(), size), expected, "{size}");
            }
        }
    }

    #[test]
    fn a_broken_stream_ends_with_an_error() {
        let begun = "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n";
        for (body, kept) in [
            (begun.to_owned(), begun.to_owned()),
            (format!("{begun}data: {{\"choi"), begun.to_owned()),
            (String::new(), String::new()),
            (begun.trim_end().to_owned(), begun.to_owned()),
        ] {
            for size in [1, 7, 999] {
                let passed = passed(body.as_bytes(), size);
                let rest = passed.strip_prefix(&kept).unwrap_or_else(|| panic!("{passed}"));
                assert!(rest.starts_with("data: {\"error\":{"), "{rest}");
                assert!(rest.contains("ended before the response"), "{rest}");
            }
        }
    }
}
