//! How a text is read where JSON was asked for as well.

use std::sync::Arc;

use llmend::calls::Accept;

use crate::answer::expectation::Expectation;
use crate::calls::CallReading;
use crate::calls::context::ConvertContext;
use crate::repair::repair;

/// Returns how a text is read. If JSON was asked for, marked calls count, and unmarked ones if a call
/// is demanded or the text is not that JSON.
pub(crate) fn reading_for(text: &str, context: &ConvertContext<'_>) -> Option<Arc<CallReading>> {
    let reading = context.request.reading.as_ref()?;
    let Some(wanted) = &context.request.content else { return Some(Arc::clone(reading)) };
    let read = |reading: &CallReading| {
        let calls = llmend::calls::read(text, &reading.tools, &reading.options).calls;
        calls.into_iter().next()
    };
    let mut marked = CallReading::clone(reading);
    marked.options.accept = Accept::Marked;
    if read(&marked).is_some() {
        return Some(Arc::new(marked));
    }
    let is_demanded = context.request.choice.is_demand();
    let call = read(reading)?;
    let is_call = is_demanded || !is_answer(text, call.span.of(text), wanted, context);
    is_call.then(|| Arc::clone(reading))
}

/// Whether a text with an unmarked call is the JSON that was asked for: it fits, and the schema
/// speaks of one of its members. A schema that fits anything says nothing of calls.
fn is_answer(text: &str, call: &str, wanted: &Expectation, context: &ConvertContext<'_>) -> bool {
    let Expectation::Schema(schema) = wanted else { return false };
    let Ok(parsed) = llmend::json::parse(call) else { return false };
    let named = schema.hints().keys;
    let mut keys = parsed.value.root().members().filter_map(|(key, _)| key.str());
    keys.any(|key| named.iter().any(|name| name.as_str() == key))
        && repair(text, wanted, context.options).is_ok()
}
