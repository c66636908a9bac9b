//! Calls that the server found behind calls of the text that were sent.

use crate::agree::agree;
use crate::answer::from_text::TextCall;
use crate::protocol::request::OutputRequest;
use crate::repair::{RepairOptions, repair_arguments};

/// A call that the server found, as far as it has arrived.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct OwnCall {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) arguments: String,
}

/// Tells the server's own calls from those that were sent before, out of the text.
#[derive(Debug, Default)]
pub(crate) struct SentCalls {
    /// The places of the calls that the server found as well.
    doubled: Vec<usize>,
}

impl SentCalls {
    /// Whether a call of the server is one of those `sent`. Each of them is met once: a tool may be
    /// called twice.
    pub(crate) fn has(
        &mut self,
        own: &OwnCall,
        sent: &[TextCall],
        request: &OutputRequest,
        options: RepairOptions,
    ) -> bool {
        let Some(calls) = &request.calls else { return false };
        let Ok(repaired) = repair_arguments(&own.arguments, calls.of(&own.name), options) else {
            return false;
        };
        let json = repaired.json.as_deref().unwrap_or(&own.arguments);
        let is_it = |(at, one): &(usize, &TextCall)| {
            !self.doubled.contains(at)
                && one.call.name == own.name
                && agree(&one.call.arguments.to_string(), json, options.limits.depth)
        };
        let found = sent.iter().enumerate().find(is_it).map(|(at, _)| at);
        self.doubled.extend(found);
        found.is_some()
    }

    /// The number of calls that the server found as well.
    pub(crate) const fn doubled(&self) -> usize {
        self.doubled.len()
    }
}
