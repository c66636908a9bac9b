//! Another whole answer in the place of one that cannot be used.

use crate::error::Failure;
use crate::retry::request::another;
use crate::retry::{Retrier, answer};
use crate::stream::rewriter::Rewriter;
use crate::upstream::{Clock, begins_events};

/// Another answer, as it arrived.
pub(crate) enum AnotherAnswer {
    Whole(String),
    /// As a stream, which some servers always send.
    Events(Vec<u8>),
}

impl Retrier {
    /// Asks for another whole answer, or returns why there is none.
    pub(crate) async fn another(
        &self,
        refusal: &Failure,
        clock: &mut Clock,
    ) -> Result<AnotherAnswer, String> {
        let wish = if self.request.takes_json_alone() {
            "as JSON, and do not call a tool"
        } else {
            "and call a tool that is offered"
        };
        let why = &refusal.message;
        let words = format!("Your last answer cannot be used: {why}. Answer again, {wish}.");
        let body = str::from_utf8(&self.body).ok();
        let depth = self.options.limits.depth;
        let body = body.and_then(|body| another(self.request.protocol, body, &words, depth));
        let body = body.ok_or("the request cannot be asked again")?;
        let (is_events, body) = self.send(body, clock).await.map_err(|error| error.message)?;
        if is_events || begins_events(&body) {
            return Ok(AnotherAnswer::Events(body));
        }
        let body = String::from_utf8(body).map_err(|_| "the answer is not UTF-8")?;
        Ok(AnotherAnswer::Whole(body))
    }

    /// Reads another answer as a stream.
    pub(crate) fn stream_of_another(&self, another: &AnotherAnswer) -> Result<Rewriter, Failure> {
        match another {
            AnotherAnswer::Whole(body) => self.stream_of(body),
            AnotherAnswer::Events(events) => {
                let mut stream = self.stream();
                stream.push(events);
                stream.finish();
                Ok(stream)
            }
        }
    }

    /// Returns another answer as a whole response. A stream that was not asked for becomes one if it
    /// holds only text.
    pub(crate) fn whole_of_another(&self, another: AnotherAnswer) -> Result<String, String> {
        let events = match another {
            AnotherAnswer::Whole(body) => return Ok(body),
            AnotherAnswer::Events(events) => events,
        };
        let protocol = self.request.protocol;
        let text = answer::text_of_events(&events, protocol, &self.options.limits);
        text.map(|text| protocol.adapter().of_text(&text, &self.defaults))
            .map_err(|failure| failure.message.clone())
    }
}
