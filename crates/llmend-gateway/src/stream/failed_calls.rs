//! The answer in an error with which a stream of a server begins that could not read its calls.

use crate::calls::raw_text::raw_text;
use crate::protocol::ResponseDefaults;
use crate::protocol::request::OutputRequest;
use crate::repair::RepairOptions;

/// What becomes of an error about calls that the upstream could not read.
#[derive(Debug)]
pub(super) enum FailedCalls {
    /// It is an error.
    Left,
    /// No event came yet, so an error may be read as an answer, which lacks these.
    Readable(ResponseDefaults),
    /// The answer was read in an error, behind which nothing counts.
    Read,
}

impl FailedCalls {
    /// Takes the next event, the data of an error if it is one. Returns the events of the answer that is
    /// read in it.
    pub(super) fn read(
        &mut self,
        error: Option<&str>,
        request: &OutputRequest,
        options: RepairOptions,
    ) -> Option<String> {
        let Self::Readable(defaults) = std::mem::replace(self, Self::Left) else { return None };
        let events = answer_in_error(error?, request, options, &defaults)?;
        *self = Self::Read;
        Some(events)
    }
}

/// Returns the events of the answer in the data of an error, if it holds calls.
fn answer_in_error(
    data: &str,
    request: &OutputRequest,
    options: RepairOptions,
    defaults: &ResponseDefaults,
) -> Option<String> {
    let text = raw_text(data.as_bytes(), request.reading.as_deref()?)?;
    let (adapter, limits) = (request.protocol.adapter(), &options.limits);
    let body = adapter.of_text(&text, defaults);
    let value = request.protocol.parse(&body, limits).ok()?;
    adapter.events(&body, &value, limits.depth)
}
