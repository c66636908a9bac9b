//! What does a record say, line by line?
//!
//! A record is JSON Lines: one exchange a line, in the order in which the answers came.
//!
//! ```text
//! {"model": "openai:gpt-4o", "capabilities": {"output": "json-schema"}, "request": {…}, "response": {…}}
//! {"model": "openai:gpt-4o", "request": {…}, "error": {…}}
//! {"response": {"text": "{\"a\": 1}"}}
//! ```
//!
//! Either `response` or `error` is there. The rest may be left out, as a person does who writes one: an
//! exchange without a `request` is an answer to whatever is asked. Blank lines are skipped. A key that is
//! not known is an error, since a misspelt `request` would match anything.
//!
//! # Which requests match
//!
//! Those with the same messages, in the same order, and with the same wish for an output. The limits of
//! tokens and time and the temperature do not count: they are what is left of a budget.

use llmend_model::{Capabilities, ChatError, ChatRequest, ChatResponse, Message, Output};
use serde::{Deserialize, Serialize};

use crate::scrub::Scrubber;

/// Characters that a difference shows on either side.
const SHOWN_CHARS: usize = 60;

/// One call to a model, and what came of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Exchange {
    /// The name of the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// What the model was known to be able to do when it was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<Capabilities>,
    /// What was asked. `None` matches whatever is asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<ChatRequest>,
    /// The answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response: Option<ChatResponse>,
    /// Why there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ChatError>,
}

impl Exchange {
    /// An exchange as it may be kept.
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

    /// What came of it. `None` if the record says neither, or both.
    pub(crate) fn outcome(&self) -> Option<Result<&ChatResponse, &ChatError>> {
        match (&self.response, &self.error) {
            (Some(response), None) => Some(Ok(response)),
            (None, Some(error)) => Some(Err(error)),
            _ => None,
        }
    }

    /// Where a request differs from the one that was recorded, in words. `None` if it matches.
    pub(crate) fn difference(&self, asked: &ChatRequest, scrubber: &Scrubber) -> Option<String> {
        let recorded = self.request.as_ref()?;
        let (theirs, ours) = (&recorded.messages, &asked.messages);
        for (number, (theirs, ours)) in theirs.iter().zip(ours).enumerate() {
            if let Some(difference) = message_difference(theirs, ours, scrubber) {
                return Some(format!("message {} {difference}", number + 1));
            }
        }
        if theirs.len() != ours.len() {
            return Some(format!("it has {} messages, not {}", ours.len(), theirs.len()));
        }
        output_difference(&recorded.output, &asked.output, scrubber)
    }
}

fn message_difference(theirs: &Message, ours: &Message, scrubber: &Scrubber) -> Option<String> {
    if theirs.role != ours.role {
        return Some(
            format!("is of the {:?}, not of the {:?}", ours.role, theirs.role).to_lowercase(),
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
        .map(|difference| format!("the wish for an output {difference}"))
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
    Some(format!("goes on from character {} with {ours:?}, not with {theirs:?}", same + 1))
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
                Some("message 2 goes on from character 8 with \"moon\", not with \"world\""),
            ),
            (other_role, Some("message 1 is of the user, not of the system")),
            (longer, Some("it has 3 messages, not 2")),
            (shaped, Some("the wish for an output goes on from character")),
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
