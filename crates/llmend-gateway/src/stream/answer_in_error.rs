//! The answer in an error with which a stream of a server begins that could not read its calls.

use crate::calls::raw_text::raw_text;
use crate::protocol::ResponseDefaults;
use crate::protocol::request::OutputRequest;
use crate::repair::RepairOptions;

/// Returns the events of the answer in the data of an error, if it holds calls.
pub(super) fn answer_in_error(
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
