//! Did a stream that passes untouched come to its end?
//!
//! It passes byte for byte, each event as soon as it is whole. If it breaks off, the client is told so:
//! three of the usual ones take a cut connection for the end.

use llmend_models::sse::{Decoder, Delta, Error, Options};
use memchr::memmem;
use serde::de::IgnoredAny;

use crate::answer::usage::UsageCounts;
use crate::error::Failure;
use crate::protocol::Protocol;
use crate::stream::frames::{Content, Frames};

/// A stream that passes.
#[derive(Clone, Debug)]
pub(crate) struct Passthrough {
    protocol: Protocol,
    frames: Frames,
    decoder: Decoder,
    sight: Sight,
    used: UsageCounts,
    failure: Option<Failure>,
    out: Vec<u8>,
}

/// What is known of how a stream goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sight {
    /// It is looked at.
    Clear,
    /// It told of an error, which every client raises.
    Failed,
    /// It said that it ends.
    Ended,
    /// It cannot be looked at any more: an event was too large.
    Lost,
}

/// An event that is longer is passed on in pieces and not looked at, so that memory is bounded.
const MOST_HELD: usize = 1 << 20;

impl Passthrough {
    pub(crate) fn new(protocol: Protocol) -> Self {
        let decoder =
            Decoder::new(protocol.adapter().dialect(), Options { max_event_bytes: MOST_HELD });
        Self {
            protocol,
            frames: Frames::default(),
            decoder,
            sight: Sight::Clear,
            used: UsageCounts::default(),
            failure: None,
            out: Vec::new(),
        }
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.frames.push(bytes);
        self.decoder.push(bytes);
        self.look();
        while let Some(frame) = self.frames.next_frame() {
            // Whatever the decoder takes the stream for: this mark is the end of it.
            let is_end = memmem::find(&frame.raw, b"[DONE]").is_some()
                && matches!(frame.content(), Content::Done);
            if is_end && self.sight == Sight::Clear {
                self.sight = Sight::Ended;
            }
            self.out.extend_from_slice(&frame.raw);
        }
        if self.frames.partial().len() > MOST_HELD {
            let rest = self.frames.rest();
            self.out.extend_from_slice(&rest.raw);
        }
    }

    fn look(&mut self) {
        while let Some(delta) = self.decoder.next_delta() {
            match delta {
                Ok(Delta::Error(error)) => {
                    self.sight = Sight::Failed;
                    self.failure = Some(Failure::upstream("upstream_error", error.message));
                }
                Ok(Delta::Usage(usage)) => {
                    self.used.input = usage.input_tokens.or(self.used.input);
                    self.used.output = usage.output_tokens.or(self.used.output);
                }
                Err(Error::TooLarge { .. }) => self.sight = Sight::Lost,
                _ => {}
            }
        }
    }

    /// The end of the bytes, which is that of the answer or is not.
    pub(crate) fn finish(&mut self) {
        let rest = self.frames.rest();
        self.decoder.finish();
        self.look();
        let is_whole = match rest.content() {
            // An event whose blank line was left out.
            Content::Data(data) => serde_json::from_str::<IgnoredAny>(&data).is_ok(),
            Content::Garbled | Content::Error(_) => false,
            Content::Nothing | Content::Empty | Content::Done => true,
        };
        let is_complete = self.decoder.is_complete() || self.sight != Sight::Clear;
        if is_whole || is_complete {
            self.out.extend_from_slice(&rest.raw);
        }
        if !is_complete {
            if is_whole && !rest.raw.is_empty() {
                self.out.extend_from_slice(b"\n\n");
            }
            let message = "the upstream's stream ended before the answer did";
            self.fail(&Failure::upstream("stream/unexpected-end", message));
        }
    }

    /// The stream broke off. What had come of an event is not passed on: it would be taken for whole.
    pub(crate) fn fail(&mut self, failure: &Failure) {
        self.frames.rest();
        self.out.extend_from_slice(self.protocol.adapter().error_event(failure).as_bytes());
        self.failure = Some(failure.clone());
    }

    /// Why it ended without an answer, if it did.
    pub(crate) const fn failure(&self) -> Option<&Failure> {
        self.failure.as_ref()
    }

    /// What the events told of usage.
    pub(crate) const fn used(&self) -> UsageCounts {
        self.used
    }

    pub(crate) fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.out)
    }
}

#[cfg(test)]
mod tests {
    use super::Passthrough;
    use crate::protocol::Protocol;

    fn passed(body: &[u8], size: usize) -> String {
        let mut watched = Passthrough::new(Protocol::Chat);
        for piece in body.chunks(size) {
            watched.push(piece);
        }
        watched.finish();
        String::from_utf8(watched.take()).unwrap()
    }

    #[test]
    fn what_is_complete_passes_byte_for_byte() {
        let finish = r#"data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#;
        for body in [
            "data: [DONE]\n\n".to_owned(),
            format!(": hi\r\n\r\n{finish}\r\n\r\ndata: [DONE]\r\n\r\n"),
            format!("{finish}\n\n"),
            // The last blank line is left out.
            finish.to_owned(),
            format!("data:\n\nevent: ping\n\ndata: never JSON\n\n{finish}\n\n"),
            format!("{finish}\n\n{}", "\n".repeat(99)),
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
    fn what_breaks_off_ends_with_an_error() {
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
                assert!(rest.contains("ended before the answer"), "{rest}");
            }
        }
    }
}
