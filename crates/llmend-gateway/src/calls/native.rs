//! Calls that the server found beside calls of the text.

use llmend::calls::Call;

use crate::agree::agree;
use crate::answer::from_text::TextCall;
use crate::protocol::request::OutputRequest;
use crate::repair::{RepairOptions, repair_arguments};

/// A call that the server found, as far as it has arrived.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct NativeCall {
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

impl NativeCall {
    /// Returns the call as the client gets it: with repaired arguments.
    pub(crate) fn repaired(mut self, request: &OutputRequest, options: RepairOptions) -> Self {
        let schema = request.calls.as_ref().map(|calls| calls.of(&self.name));
        let repaired =
            schema.and_then(|wanted| repair_arguments(&self.arguments, wanted, options).ok()?.json);
        if let Some(json) = repaired {
            self.arguments = json;
        }
        self
    }

    /// Whether a call of the text is the same.
    pub(crate) fn is(&self, call: &Call, depth: usize) -> bool {
        self.name == call.name && agree(&call.arguments.to_string(), &self.arguments, depth)
    }
}

impl SentCalls {
    /// Whether a call of the server is one of those `sent`. Each of them is met once: a tool may be
    /// called twice.
    pub(crate) fn has(
        &mut self,
        native: &NativeCall,
        sent: &[TextCall],
        request: &OutputRequest,
        options: RepairOptions,
    ) -> bool {
        let native = native.clone().repaired(request, options);
        let is_it = |(at, one): &(usize, &TextCall)| {
            !self.doubled.contains(at) && native.is(&one.call, options.limits.depth)
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
