//! `tools/call` requests of the Model Context Protocol.

use llmend_json::{Kind, Node};
use serde::Serialize;

use crate::{
    Map, Plan, dialect::calls, locations::below, losses::Losses, object::Part,
    read::context::Context,
};

const FIELDS: calls::CallFields = calls::CallFields {
    id: &["id"],
    name: &["tool", "name"],
    arguments: &["inputs", "arguments"],
    ignored: &[&["jsonrpc"], &["method"], &["params"]],
};

const METHOD: &str = "tools/call";

/// Returns whether `node` is such a request, or a list with one.
pub(super) fn fits(node: Node<'_>) -> bool {
    is_call(node) || node.items().any(is_call)
}

fn is_call(node: Node<'_>) -> bool {
    node.get("method").and_then(Node::str) == Some(METHOD)
}

/// Reads the requests as a plan.
pub(super) fn read(node: Node<'_>, context: &mut Context<'_>) -> Plan {
    let list = Part::item(node, String::new()).noted(&mut context.findings);
    if !fits(node) {
        context.findings.wrong_type("", node, "`tools/call` request or list of them");
        return Plan::default();
    }
    let items: Vec<Part<'_>> = match node.kind() {
        Kind::Array => list.items().filter(|it| is_call(it.node)).collect(),
        _ => vec![list.clone()],
    };
    Plan { steps: calls::read(&list, items, &FIELDS, parameters, context), ..Plan::default() }
}

/// Returns the parameters of a request.
fn parameters<'v>(it: &Part<'v>) -> Option<Part<'v>> {
    let node = it.node.get("params")?;
    Some(Part { node, path: below(&it.path, "params"), canonical: String::new() })
}

/// Restricts a plan to what requests can represent.
pub(crate) fn restrict(plan: &mut Plan, losses: &mut Losses) {
    calls::restrict(plan, losses);
    losses.take(&mut plan.notes, "/notes");
}

/// A request.
#[derive(Serialize)]
pub(crate) struct Request<'p> {
    jsonrpc: &'static str,
    id: &'p str,
    method: &'static str,
    params: Params<'p>,
}

#[derive(Serialize)]
struct Params<'p> {
    name: Option<&'p str>,
    arguments: &'p Map,
}

/// Converts a plan to its written form: a list, even of a single request.
pub(crate) fn encode(plan: &Plan) -> Vec<Request<'_>> {
    let requests = plan.steps.iter().map(|step| Request {
        jsonrpc: "2.0",
        id: &step.id,
        method: METHOD,
        params: Params { name: step.tool.as_deref(), arguments: &step.inputs },
    });
    requests.collect()
}
