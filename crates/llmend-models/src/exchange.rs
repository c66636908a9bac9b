//! The format of a record.
//!
//! A record is JSON Lines: one exchange a line, in the order of the answers.
//!
//! ```text
//! {"model": "openai:gpt-4o", "capabilities": {"output": "json-schema"}, "request": {…}, "response": {…}}
//! {"model": "openai:gpt-4o", "request": {…}, "error": {…}}
//! {"response": {"text": "{\"a\": 1}"}}
//! ```
//!
//! Each line has either `response` or `error`. Everything else is optional, for records written by
//! hand: an exchange without a `request` answers any request. Blank lines are skipped. An unknown
//! key is an error, since a misspelled `request` would match anything.
//!
//! # Matching
//!
//! A request matches if it has the same messages, in the same order, and the same output form.
//! Token limits, time limits and the temperature are ignored, since they depend on what is left of
//! a budget.

use llmend_model::{Capabilities, ChatError, ChatRequest, ChatResponse, Message, Output};
use serde::{Deserialize, Serialize};

use crate::scrub::Scrubber;

/// The number of characters that a difference shows on either side.
const SHOWN_CHARS: usize = 60;

/// A call to a model and its result.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Exchange {
    /// The name of the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The known capabilities of the model when it was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<Capabilities>,
    /// The request. `None` matches any request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<ChatRequest>,
    /// The answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response: Option<ChatResponse>,
    /// The error, if there was no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ChatError>,
}

impl Exchange {
    /// Creates an exchange without secrets.
    pub(crate) fn of(
        model: &str,
        capabilities: Capabilities,
        request: &ChatRequest,
        result: &Result<ChatResponse, ChatError>,
    ) -> Self {
        Self {
            model: Some(model.to_owned()),
            capabilities: Some(capabilities),
            request: Some(request.clone()),
            response: result.as_ref().ok().cloned(),
            error: result.as_ref().err().cloned(),
        }
    }

    /// Returns the result. `None` if the record has neither or both.
    pub(crate) fn outcome(&self) -> Option<Result<&ChatResponse, &ChatError>> {
        match (&self.response, &self.error) {
            (Some(response), None) => Some(Ok(response)),
            (None, Some(error)) => Some(Err(error)),
            _ => None,
        }
    }

    /// Describes how a request differs from the recorded one. `None` if it matches.
    pub(crate) fn difference(&self, asked: &ChatRequest, scrubber: &Scrubber) -> Option<String> {
        let recorded = self.request.as_ref()?;
        let (theirs, ours) = (&recorded.messages, &asked.messages);
        for (number, (theirs, ours)) in theirs.iter().zip(ours).enumerate() {
            if let Some(difference) = message_difference(theirs, ours, scrubber) {
                return Some(format!("message {}: {difference}", number + 1));
            }
        }
        if theirs.len() != ours.len() {
            return Some(format!("expected {} messages, found {}", theirs.len(), ours.len()));
        }
        output_difference(&recorded.output, &asked.output, scrubber)
    }
}

fn message_difference(theirs: &Message, ours: &Message, scrubber: &Scrubber) -> Option<String> {
    if theirs.role != ours.role {
        return Some(
            format!("expected role {:?}, found {:?}", theirs.role, ours.role).to_lowercase(),
        );
    }
    text_difference(&theirs.content, &ours.content, scrubber)
}

fn output_difference(theirs: &Output, ours: &Output, scrubber: &Scrubber) -> Option<String> {
    let scrubbed = |output: &Output| {
        let json = serde_json::to_string(output).unwrap_or_default();
        scrubber.all(&json)
    };
    text_difference(&scrubbed(theirs), &scrubbed(ours), scrubber)
        .map(|difference| format!("output form: {difference}"))
}

/// Compares texts as a record would hold them.
fn text_difference(theirs: &str, ours: &str, scrubber: &Scrubber) -> Option<String> {
    let (theirs, ours) = (scrubber.all(theirs), scrubber.all(ours));
    if theirs == ours {
        return None;
    }
    let same = theirs.chars().zip(ours.chars()).take_while(|(a, b)| a == b).count();
    let behind = |text: &str| text.chars().skip(same).take(SHOWN_CHARS).collect::<String>();
    let (theirs, ours) = (behind(&theirs), behind(&ours));
    Some(format!("differs from character {}: expected {theirs:?}, found {ours:?}", same + 1))
}

#[cfg(test)]
mod tests {
    use llmend_model::{ChatRequest, Message, Output, Shape};

    use super::Exchange;
    use crate::scrub::Scrubber;

    #[test]
    fn a_request_matches_by_its_messages_and_its_output() {
        let request = |text: &str| ChatRequest::new([Message::system("s"), Message::user(text)]);
        let recorded = Exchange { request: Some(request("Hello, world")), ..Exchange::default() };
        let mut limited = request("Hello, world");
        limited.max_output_tokens = Some(7);
        limited.temperature = Some(0.0);
        limited.timeout = Some(std::time::Duration::from_secs(1));
        let mut shaped = request("Hello, world");
        shaped.output = Output::Schema(Shape::new("a", "{}"));
        let mut longer = request("Hello, world");
        longer.messages.push(Message::assistant("x"));
        let other_role = ChatRequest::new([Message::user("s")]);
        let rows = [
            (request("Hello, world"), None),
            (limited, None),
            (
                request("Hello, moon"),
                Some("message 2: differs from character 8: expected \"world\", found \"moon\""),
            ),
            (other_role, Some("message 1: expected role system, found user")),
            (longer, Some("expected 2 messages, found 3")),
            (shaped, Some("output form: differs from character")),
        ];
        for (asked, expected) in rows {
            let found = recorded.difference(&asked, &Scrubber::default());
            match expected {
                None => assert_eq!(found, None),
                Some(part) => assert!(found.clone().unwrap().contains(part), "{found:?}"),
            }
        }
        assert_eq!(Exchange::default().difference(&request("a"), &Scrubber::default()), None);
    }
}
