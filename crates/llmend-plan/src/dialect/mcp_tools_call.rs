//! How are requests `tools/call` of the Model Context Protocol read and written?

use llmend_json::{Kind, Node};
use serde::Serialize;

use crate::{
    Map, Plan,
    dialect::calls,
    object::{Part, below},
    read::context::Context,
    write::Losses,
};

const FIELDS: calls::Fields = calls::Fields {
    id: &["id"],
    name: &["tool", "name"],
    arguments: &["inputs", "arguments"],
    aside: &[&["jsonrpc"], &["method"], &["params"]],
};

const METHOD: &str = "tools/call";

/// Whether `node` is such a request, or a list with one.
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
        context.findings.wrong_type("", node, "a request `tools/call`, or a list of them");
        return Plan::default();
    }
    let items: Vec<Part<'_>> = match node.kind() {
        Kind::Array => list.items().filter(|it| is_call(it.node)).collect(),
        _ => vec![list.clone()],
    };
    Plan { steps: calls::read(&list, items, &FIELDS, parameters, context), ..Plan::default() }
}

/// The part of a request that says what is called.
fn parameters<'v>(it: &Part<'v>) -> Option<Part<'v>> {
    let node = it.node.get("params")?;
    Some(Part { node, path: below(&it.path, "params"), canonical: String::new() })
}

/// Leaves of the plan what the requests carry.
pub(crate) fn keep(plan: &mut Plan, losses: &mut Losses) {
    calls::keep(plan, losses);
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

/// The requests as they are written: a list, also if there is only one.
pub(crate) fn shape(plan: &Plan) -> Vec<Request<'_>> {
    let requests = plan.steps.iter().map(|step| Request {
        jsonrpc: "2.0",
        id: &step.id,
        method: METHOD,
        params: Params { name: step.tool.as_deref(), arguments: &step.inputs },
    });
    requests.collect()
}
