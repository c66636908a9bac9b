//! Reading a request: what it asks for, and what is forwarded.
//!
//! Each protocol finds its schemas, tools and earlier calls ([`RequestFields`]). What is made of
//! them is the same for all.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use llmend::calls::Notation;
use llmend::json::{Kind, Node, Value, repair_with};
use llmend::{ErrorKind, Options, Policy as TextPolicy};

use self::inspected::{Anew, inspect, inspection, rewritten};
use crate::answer::completion::CallForm;
use crate::answer::expectation::{Expectation, Schemas};
use crate::calls::offered::{OfferedTool, OfferedTools, tools_text};
use crate::calls::{CallReading, Parallel, ToolChoice, ToolUse};
use crate::config::{Level, Limits, Policy};
use crate::error::Failure;
use crate::protocol::Protocol;
use crate::splice::{Splice, exact, quoted, strict};

mod inspected;

/// The plugin by which a request asks for inspection. It is not forwarded.
const PLUGIN: &str = "response-healing";

/// What the headers of a request ask for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct HeaderOptions {
    /// The schema of the content (`x-llmend-schema`).
    pub(crate) schema: Option<String>,
    /// Where the report goes (`x-llmend-report`).
    pub(crate) report: ReportTarget,
    /// Whether to inspect the response (`x-llmend-repair`).
    pub(crate) repair: Option<Inspection>,
}

/// Where the report of the repairs goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ReportTarget {
    /// To headers only.
    #[default]
    Headers,
    /// To a field of the response as well.
    Field,
}

/// Whether a response is inspected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Inspection {
    On,
    Off,
}

/// The members of a request that decide where it goes.
#[derive(Clone, Debug)]
pub(crate) struct Head {
    pub(crate) model: String,
}

/// How the response is delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Delivery {
    Whole,
    Stream,
}

/// Whether a stream ends with its usage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UsageReporting {
    Included,
    Omitted,
}

/// The fields of a request that say what is asked for.
#[derive(Debug, Default)]
pub(crate) struct RequestFields<'v> {
    /// The requested format of the text.
    pub(crate) content: RequestedFormat<'v>,
    /// The offered tools.
    pub(crate) tools: Vec<OfferedTool<'v>>,
    /// The names of those that may be called now, if not all may.
    pub(crate) allowed: Option<Vec<&'v str>>,
    /// The arguments of earlier calls that are strings.
    pub(crate) history: Vec<Node<'v>>,
    /// The number of choices, from 1.
    pub(crate) choices: Option<u32>,
    /// Whether a stream reports its usage.
    pub(crate) usage: Option<UsageReporting>,
    /// Whether a tool has to be called.
    pub(crate) choice: ToolChoice,
    pub(crate) parallel: Parallel,
    /// How the calls of the answer are written.
    pub(crate) call_form: CallForm,
}

impl RequestFields<'_> {
    /// Returns the names of the offered tools that may not be called now.
    fn withheld(&self) -> Vec<&str> {
        let Some(allowed) = &self.allowed else { return Vec::new() };
        let names = self.tools.iter().map(|tool| tool.name);
        names.filter(|name| !allowed.contains(name)).collect()
    }
}

/// The requested format of the text of a response.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum RequestedFormat<'v> {
    #[default]
    Words,
    Json,
    Schema(Node<'v>),
}

/// What a request asks for.
#[derive(Clone, Debug)]
pub(crate) struct OutputRequest {
    pub(crate) protocol: Protocol,
    pub(crate) delivery: Delivery,
    pub(crate) usage: UsageReporting,
    pub(crate) report: ReportTarget,
    /// The number of choices.
    pub(crate) choices: u32,
    /// What the text has to be, or `None` if it is not inspected.
    pub(crate) content: Option<Expectation>,
    /// What the arguments of calls have to be, or `None` if they are not inspected.
    pub(crate) calls: Option<Calls>,
    /// Whether a tool has to be called, if that is checked.
    pub(crate) choice: ToolChoice,
    pub(crate) tool_use: ToolUse,
    /// How calls in the texts are read, or `None` if they stay text.
    pub(crate) reading: Option<Arc<CallReading>>,
    /// How the calls of the answer are written.
    pub(crate) call_form: CallForm,
    /// Warnings about schemas that cannot be used.
    pub(crate) doubts: Vec<String>,
    /// The number of repaired calls in the history.
    pub(crate) history: usize,
    /// The notation in which the model is told to call, if its server knows no tools.
    pub(crate) emulated: Option<&'static Notation>,
    /// The total size of the schemas.
    pub(crate) schema_bytes: usize,
    /// The limit of output tokens to which that of the request was lowered.
    pub(crate) lowered: Option<u32>,
}

/// What the arguments of the tools have to be.
#[derive(Clone, Debug)]
pub(crate) struct Calls {
    known: HashMap<String, Expectation>,
    other: Expectation,
}

impl Calls {
    /// Returns what the arguments of a tool have to be: at least an object.
    pub(crate) fn of(&self, tool: &str) -> &Expectation {
        self.known.get(tool).unwrap_or(&self.other)
    }
}

impl OutputRequest {
    /// Whether JSON is asked for and no tool may be called.
    pub(crate) fn takes_json_alone(&self) -> bool {
        self.content.is_some() && self.tool_use != ToolUse::Allowed
    }

    /// Whether a tool is offered and may not be called now.
    pub(crate) fn withholds(&self, tool: &str) -> bool {
        self.reading.as_ref().is_some_and(|reading| reading.is_withheld(tool))
    }

    /// Whether nothing is inspected.
    pub(crate) const fn is_nothing(&self) -> bool {
        self.content.is_none() && self.calls.is_none()
    }
}

/// Parses the body of a request strictly, since a program wrote it.
pub(crate) fn parse<'t>(body: &'t str, limits: &Limits) -> Result<Value<'t>, Failure> {
    let value = strict(body, limits.depth).map_err(|error| {
        let code = match error.kind() {
            ErrorKind::Depth => error.code(),
            _ => "invalid_json",
        };
        Failure::request(code, format!("invalid JSON body: {error}"))
    })?;
    if value.root().kind() != Kind::Object {
        return Err(Failure::request("value/shape", "expected a JSON object as the body"));
    }
    // Servers differ in which of two members they read.
    let mut keys = std::collections::HashSet::new();
    for (key, _) in value.root().members() {
        let key = key.str().unwrap_or_default();
        if !keys.insert(key.to_owned()) {
            let message = format!("duplicate member `{key}` in the body");
            return Err(Failure::request("value/duplicate-key", message).about(key));
        }
    }
    Ok(value)
}

/// Reads the members that decide where a request goes. Its path may name the model as well.
pub(crate) fn head(root: Node<'_>, deployment: Option<&str>) -> Result<Head, Failure> {
    let Some(model) = root.get("model").and_then(Node::str).or(deployment) else {
        let message = "missing `model`, expected a string";
        return Err(Failure::request("missing_model", message).about("model"));
    };
    Ok(Head { model: model.to_owned() })
}

/// The members of a request that offer tools, also a prompt that the provider stores.
const OFFERS: [&str; 3] = ["tools", "functions", "prompt"];

fn tool_use(root: Node<'_>, choice: &ToolChoice) -> ToolUse {
    let offers =
        |key: &str| root.get(key).is_some_and(|value| !value.is_null() && !value.is_empty());
    match choice {
        _ if !OFFERS.into_iter().any(offers) => ToolUse::NotOffered,
        ToolChoice::None => ToolUse::Forbidden,
        ToolChoice::Auto | ToolChoice::Required | ToolChoice::Named(_) => ToolUse::Allowed,
    }
}

fn delivery(root: Node<'_>) -> Delivery {
    let is_stream = root.get("stream").and_then(Node::bool).unwrap_or(false);
    if is_stream { Delivery::Stream } else { Delivery::Whole }
}

/// Reads what a request asks for, and writes the request to forward: without what is meant for the
/// gateway, and with a history that every server can read.
pub(crate) fn read<'t>(
    protocol: Protocol,
    body: &'t str,
    value: &Value<'_>,
    headers: &HeaderOptions,
    bounds: Bounds<'_>,
) -> Result<(OutputRequest, Cow<'t, str>), Failure> {
    let Bounds { policy, limits, output_limit, .. } = bounds;
    let root = value.root();
    let mut splice = Splice::new(body);
    let is_requested = strip_plugin(root, &mut splice) || headers.schema.is_some();
    let fields = protocol.adapter().request(root);
    let mut request = OutputRequest {
        protocol,
        delivery: delivery(root),
        usage: fields.usage.unwrap_or(UsageReporting::Included),
        report: headers.report,
        choices: fields.choices.unwrap_or(1),
        content: None,
        calls: None,
        choice: ToolChoice::Auto,
        tool_use: tool_use(root, &fields.choice),
        reading: None,
        call_form: fields.call_form,
        doubts: Vec::new(),
        history: 0,
        emulated: None,
        schema_bytes: 0,
        lowered: output_limit.filter(|limit| lower(protocol, root, *limit, &mut splice)),
    };
    let mut anew = Anew::default();
    if inspection(headers, policy, is_requested) == Inspection::On {
        anew = inspect(&fields, headers, bounds, &mut request)?;
        if policy.level != Level::Strict {
            request.history = repair_history(&fields, limits, &mut splice);
        }
    }
    let on = splice.finish();
    let rewritten = rewritten(protocol, &on, &anew, limits);
    Ok((request, rewritten.map_or(on, Cow::Owned)))
}

/// Returns how many bytes of schemas have to be compiled first.
pub(crate) fn new_schemas(
    protocol: Protocol,
    value: &Value<'_>,
    headers: &HeaderOptions,
    schemas: &Schemas,
    offered: &OfferedTools,
) -> usize {
    let fields = protocol.adapter().request(value.root());
    let content = match fields.content {
        RequestedFormat::Schema(schema) => Some(schema),
        RequestedFormat::Words | RequestedFormat::Json => None,
    };
    let tools = fields.tools.iter().filter_map(|tool| tool.schema);
    let texts = content.into_iter().chain(tools).map(|schema| schema.to_string());
    let bytes: usize =
        texts.chain(headers.schema.clone()).map(|text| schemas.new_bytes(&text)).sum();
    bytes + offered.new_bytes(&tools_text(&fields.tools))
}

/// What a request is checked against.
#[derive(Clone, Copy)]
pub(crate) struct Bounds<'a> {
    pub(crate) policy: &'a Policy,
    pub(crate) limits: &'a Limits,
    pub(crate) schemas: &'a Schemas,
    pub(crate) offered: &'a OfferedTools,
    /// The notation in which the model is told to call, if its server knows no tools.
    pub(crate) notation: Option<&'static Notation>,
    /// The maximum number of output tokens that the model accepts.
    pub(crate) output_limit: Option<u32>,
}

/// Lowers the limits of output tokens in a request to what the model accepts. Returns whether one was
/// higher. A limit that is no number is the server's to refuse.
fn lower(protocol: Protocol, root: Node<'_>, most: u32, splice: &mut Splice<'_>) -> bool {
    let names = protocol.profile().retry.limits.iter();
    let is_more = |node: &Node<'_>| {
        node.number().and_then(|number| number.parse::<u64>().ok()) > Some(most.into())
    };
    let mut is_lowered = false;
    for limit in names.filter_map(|name| root.get(name)).filter(is_more) {
        splice.replace(limit, most.to_string());
        is_lowered = true;
    }
    is_lowered
}

/// Removes the plugin of the gateway from a request. Returns whether it was there.
fn strip_plugin(root: Node<'_>, splice: &mut Splice<'_>) -> bool {
    let Some(plugins) = root.get("plugins") else { return false };
    let is_ours = |plugin: &Node<'_>| plugin.get("id").and_then(Node::str) == Some(PLUGIN);
    if !plugins.items().any(|plugin| is_ours(&plugin)) {
        return false;
    }
    let others: Vec<String> = plugins
        .items()
        .filter(|plugin| !is_ours(plugin))
        .map(|plugin| plugin.to_string())
        .collect();
    if others.is_empty() {
        splice.members(root, &["plugins"], &[]);
    } else {
        splice.replace(plugins, format!("[{}]", others.join(",")));
    }
    true
}

/// Repairs the arguments of earlier calls, since many servers reject every request after one bad
/// call. Returns how many were repaired.
fn repair_history(fields: &RequestFields<'_>, limits: &Limits, splice: &mut Splice<'_>) -> usize {
    let mut count = 0;
    for &arguments in &fields.history {
        if let Some(repaired) = history_arguments(arguments, limits) {
            splice.replace(arguments, quoted(&repaired));
            count += 1;
        }
    }
    count
}

/// Returns the replacement for arguments that no server can read.
fn history_arguments(arguments: Node<'_>, limits: &Limits) -> Option<String> {
    let Some(text) = arguments.str() else {
        return (arguments.kind() == Kind::Object).then(|| arguments.to_string());
    };
    if text.trim().is_empty() {
        return Some("{}".to_owned());
    }
    if exact(text, limits.depth).is_ok() {
        return None;
    }
    let mut options = Options::policy(TextPolicy::Standard);
    options.max_depth = limits.depth;
    repair_with(text, &options).ok().map(|repaired| repaired.text.into_owned())
}

#[cfg(test)]
mod tests;
