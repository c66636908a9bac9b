//! What of an answer is inspected, and what a request is written anew for.

use std::collections::HashMap;
use std::sync::Arc;

use llmend::json::Node;

use super::{
    Bounds, Calls, HeaderOptions, Inspection, OutputRequest, RequestFields, RequestedFormat,
};
use crate::answer::expectation::{Expectation, Schemas};
use crate::calls::offered::OfferedTool;
use crate::calls::{CallReading, Pace, ReadingBounds, ToolChoice};
use crate::config::{Limits, PastCalls, Policy, When};
use crate::emulation::Emulation;
use crate::error::Failure;
use crate::protocol::Protocol;
use crate::splice::strict;

/// Returns whether the answer is inspected.
pub(super) fn inspection(
    headers: &HeaderOptions,
    policy: &Policy,
    is_requested: bool,
) -> Inspection {
    match (headers.repair, policy.repair) {
        (Some(Inspection::Off), _) | (_, When::Never) => Inspection::Off,
        (Some(Inspection::On), _) | (None, When::Always) => Inspection::On,
        (None, When::Asked) if is_requested => Inspection::On,
        (None, When::Asked) => Inspection::Off,
    }
}

/// By what a request is written anew.
#[derive(Debug, Default)]
pub(super) struct Anew {
    emulation: Option<Emulation>,
    /// How calls in the texts of earlier messages are read.
    past: Option<CallReading>,
}

/// Reads what is inspected of the answer.
pub(super) fn inspect(
    fields: &RequestFields<'_>,
    headers: &HeaderOptions,
    bounds: Bounds<'_>,
    request: &mut OutputRequest,
) -> Result<Anew, Failure> {
    let Bounds { policy, limits, schemas, offered, notation, .. } = bounds;
    let mut reader = Reader { limits, schemas, doubts: &mut request.doubts, bytes: 0 };
    request.content = reader.content(fields, headers)?;
    request.calls = reader.calls(fields)?;
    request.schema_bytes = reader.bytes;
    if request.takes_json_alone() {
        // A call would take the place of the JSON.
        let any = || Calls { known: HashMap::new(), other: schemas.object() };
        request.calls.get_or_insert_with(any);
    }
    let RequestFields { tools, choice, parallel, .. } = fields;
    let withheld = fields.withheld();
    let emulation = notation.map(|notation| {
        let mut tools = tools.clone();
        tools.retain(|tool| !withheld.contains(&tool.name));
        Emulation::new(notation, &tools, choice, *parallel, limits.depth)
    });
    request.emulated = emulation.as_ref().map(|emulation| emulation.notation);
    let bounds = ReadingBounds { limits, offered, notation: request.emulated };
    match CallReading::of(tools, choice, *parallel, policy, bounds) {
        Ok(Some(mut reading)) => {
            reading.withheld = withheld.into_iter().map(str::to_owned).collect();
            if request.content.is_some() {
                // Whether a text is the JSON that was asked for shows at its end.
                reading.pace = Pace::AtTheEnd;
            }
            request.reading = Some(Arc::new(reading));
            request.choice = choice.clone();
        }
        Ok(None) => {}
        Err(why) => request.doubts.push(why),
    }
    let reads_past = policy.past_calls == PastCalls::Read;
    // What may be called now says nothing of earlier calls.
    let past = || CallReading::of(tools, &ToolChoice::Auto, *parallel, policy, bounds);
    Ok(Anew { emulation, past: reads_past.then(|| past().ok().flatten()).flatten() })
}

/// Writes a request without tools, or with the calls that stand as text in earlier messages. `None`
/// if there is nothing to write.
pub(super) fn rewritten(
    protocol: Protocol,
    body: &str,
    anew: &Anew,
    limits: &Limits,
) -> Option<String> {
    let value = || strict(body, limits.depth).ok();
    match (&anew.emulation, &anew.past) {
        (Some(emulation), _) => protocol.adapter().emulate(body, value()?.root(), emulation),
        (None, Some(reading)) => protocol.adapter().structured(body, value()?.root(), reading),
        (None, None) => None,
    }
}

struct Reader<'a> {
    limits: &'a Limits,
    schemas: &'a Schemas,
    doubts: &'a mut Vec<String>,
    /// The total size of the schemas.
    bytes: usize,
}

impl Reader<'_> {
    fn content(
        &mut self,
        fields: &RequestFields<'_>,
        headers: &HeaderOptions,
    ) -> Result<Option<Expectation>, Failure> {
        if let Some(text) = &headers.schema {
            self.check_size(text, "x-llmend-schema")?;
            let schema = self
                .schemas
                .get(text)
                .map_err(|why| Failure::request("schema/unusable", why).about("x-llmend-schema"))?;
            return Ok(Some(Expectation::Schema(schema)));
        }
        match fields.content {
            RequestedFormat::Words => Ok(None),
            RequestedFormat::Json => Ok(Some(Expectation::Json)),
            RequestedFormat::Schema(schema) => {
                let known = self.schema(schema, "the answer")?;
                Ok(Some(known.map_or(Expectation::Json, Expectation::Schema)))
            }
        }
    }

    fn calls(&mut self, fields: &RequestFields<'_>) -> Result<Option<Calls>, Failure> {
        if fields.tools.is_empty() {
            return Ok(None);
        }
        let mut known = HashMap::new();
        for OfferedTool { name, schema, .. } in &fields.tools {
            let Some(schema) = schema else { continue };
            if let Some(schema) = self.schema(*schema, name)? {
                known.insert((*name).to_owned(), Expectation::Schema(schema));
            }
        }
        Ok(Some(Calls { known, other: self.schemas.object() }))
    }

    /// Compiles a schema of the request. The upstream may be able to use one that llmend cannot, so
    /// failure is a warning.
    fn schema(&mut self, schema: Node<'_>, of: &str) -> Result<Option<llmend::Schema>, Failure> {
        let text = schema.to_string();
        self.check_size(&text, of)?;
        match self.schemas.get(&text) {
            Ok(schema) => Ok(Some(schema)),
            Err(why) => {
                self.doubts.push(format!("{of}: {why}"));
                Ok(None)
            }
        }
    }

    fn check_size(&mut self, schema: &str, of: &str) -> Result<(), Failure> {
        let limit = self.limits.schema_bytes;
        if schema.len() > limit {
            let message = format!("the schema of {of} has {} bytes (limit {limit})", schema.len());
            return Err(Failure::request("limit/bytes", message).about(of));
        }
        self.bytes += schema.len();
        Ok(())
    }
}
