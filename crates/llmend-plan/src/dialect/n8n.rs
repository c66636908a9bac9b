//! Workflows of n8n.
//!
//! A node becomes a tool node with the node's name as its id, since connections refer to names; its type
//! is the tool, and its parameters are the arguments. `If`, `Switch` and `Loop Over Items` become control
//! nodes. A node that only supplies another one, as a model supplies an agent, is kept in the metadata
//! of that node.

use std::collections::{HashMap, HashSet};

use llmend_json::{Kind, Node};

use crate::{
    Map, NodeKind, Position, Workflow, code,
    findings::{Findings, shown},
    locations::below,
    object::{
        Names, Object, Part,
        Presence::{Nullable, Required},
    },
    read::{
        assembly::{Assembly, metadata, place},
        context::{Context, Fate, ListItem},
        list, steps,
    },
};

mod condition;
mod connections;
mod control;

use connections::Connection;
use control::Control;

const NODES: Names = &["nodes"];
const CONNECTIONS: Names = &["connections"];
const ID: Names = &["id"];
const NAME: Names = &["name"];
const WORKFLOW: [Names; 4] = [NODES, CONNECTIONS, ID, NAME];
/// Fields of a workflow that are kept as metadata.
const WORKFLOW_KEPT: &[Names] = &[
    &["active"],
    &["settings"],
    &["pinData"],
    &["staticData"],
    &["meta"],
    &["tags"],
    &["versionId"],
    &["createdAt"],
    &["updatedAt"],
    &["triggerCount"],
    &["isArchived"],
    &["description"],
    &["shared"],
    &["versionCounter"],
    &["templateId"],
];

const TYPE: Names = &["type"];
const PARAMETERS: Names = &["parameters"];
const POSITION: Names = &["position"];
const DISABLED: Names = &["disabled"];
const NOTES: Names = &["notes"];
const FIELDS: [Names; 6] = [NAME, TYPE, PARAMETERS, POSITION, DISABLED, NOTES];
/// Fields of a node that are kept as metadata.
const KEPT: &[Names] = &[
    &["id"],
    &["typeVersion"],
    &["credentials"],
    &["webhookId"],
    &["notesInFlow"],
    &["retryOnFail"],
    &["maxTries"],
    &["waitBetweenTries"],
    &["continueOnFail"],
    &["onError"],
    &["alwaysOutputData"],
    &["executeOnce"],
    &["color"],
    &["extendsCredential"],
    &["rewireOutputLogTo"],
];

/// The most nodes that are inspected to detect the dialect.
const INSPECTED: usize = 16;

/// Returns whether a value is a workflow of n8n: nodes with a type of n8n, or named nodes with types
/// and connections of their main outputs.
pub(super) fn fits(node: Node<'_>) -> bool {
    let text = |it: Node<'_>, name: &str| it.get(name).and_then(Node::str).map(str::to_owned);
    let nodes = || node.get("nodes").into_iter().flat_map(Node::items).take(INSPECTED);
    let connections = node.get("connections").filter(|it| it.kind() == Kind::Object);
    let named = nodes().all(|it| text(it, "name").is_some() && text(it, "type").is_some());
    let typed =
        || nodes().any(|it| text(it, "type").is_some_and(|name| name.contains("n8n-nodes")));
    let main = || {
        let all = connections.into_iter().flat_map(Node::members).take(INSPECTED);
        all.map(|(_, it)| it).any(|it| it.get("main").is_some_and(|it| it.kind() == Kind::Array))
    };
    connections.is_some() && (typed() || nodes().next().is_some() && named && main())
}

/// Names of the list of nodes, with which a wrapped workflow is found.
pub(super) const MARKS: Names = NODES;

/// Returns the names of the nodes that have several outputs.
fn branching(nodes: Node<'_>) -> HashSet<&str> {
    let branches = |it: &Node<'_>| {
        let kind = it.get("type").and_then(Node::str).unwrap_or_default();
        ["if", "switch", "splitInBatches"].contains(&kind.rsplit('.').next().unwrap_or_default())
    };
    nodes.items().filter(branches).filter_map(|it| it.get("name")?.str()).collect()
}

/// Reads a workflow.
pub(super) fn read(node: Node<'_>, context: &mut Context<'_>) -> Option<Workflow> {
    let (strictness, findings) = (context.strictness, &mut context.findings);
    let root = list::unwrap(node, &[MARKS], strictness, findings);
    let whole = place(&root);
    let object = Object::new(root, strictness, findings)?;
    let id = object.name(ID, Nullable, findings);
    let name = object.text(NAME, Nullable, findings);
    let kept = metadata(&object, &WORKFLOW, WORKFLOW_KEPT, findings);
    let given = object.list(NODES, Required, "array of nodes", findings)?;
    if !context.has_room(&given) {
        return None;
    }
    let connections = object.find(CONNECTIONS);
    let branching = branching(given.node);
    let read = |it: Part<'_>| connections::read(&it, &branching, strictness, context);
    let connections = connections.map(read).unwrap_or_default();
    let names = names(&given);
    let before = before(&connections, &given);
    let supplies = connections::supplies(&connections);
    let mut assembly = Assembly::default();
    let mut controls: HashMap<String, Control> = HashMap::new();
    let mut supplied = supplied(&given, &supplies, context);
    for it in given.items() {
        let it = Part::item(it.node, it.path);
        let name = it.node.get("name").and_then(Node::str).unwrap_or_default();
        if supplies.contains_key(name) || is_note(&it, context) {
            continue;
        }
        let extra = supplied.remove(name).unwrap_or_default();
        let item = context.item(
            |_: &Option<(crate::Node, Control)>| steps::label(&it.path, name),
            |context, findings| one(&it, extra, before.get(name).copied(), context, findings),
        );
        let ListItem { value, fate, locations } = item;
        let (node, control) = value.unzip();
        assembly.item(name, ListItem { value: node, fate, locations }, context);
        if let Some(control) = control.filter(|_| fate == Fate::Kept) {
            if control.is_loop() {
                let end = assembly.free_id(&format!("{name}_end"), &names);
                let kind = NodeKind::EndLoop { loop_id: name.to_owned() };
                let node = crate::Node::new(end.as_str(), kind);
                assembly.added(node, &place(&it), "the end of the loop over the items", context);
            }
            controls.insert(name.to_owned(), control);
        }
    }
    connect(&connections, &controls, &mut assembly, context);
    let flow = assembly.finish(&whole, context);
    Some(Workflow { id, name, metadata: kept, ..flow })
}

fn names<'v>(nodes: &Part<'v>) -> HashSet<&'v str> {
    nodes.node.items().filter_map(|it| it.get("name")?.str()).collect()
}

/// Types of nodes that pass on what they get.
const PASSING: [&str; 5] = [".if", ".switch", ".filter", ".noOp", ".splitInBatches"];

/// The most nodes that pass something on between a node and the one whose output it gets.
const PASSED: usize = 16;

/// Returns the only node whose output each node gets: its `$json`.
fn before<'c>(connections: &'c [Connection], nodes: &Part<'c>) -> HashMap<&'c str, &'c str> {
    let mut before: HashMap<&str, Option<&str>> = HashMap::new();
    for it in connections.iter().filter(|it| it.is_main()) {
        let from = it.from.as_str();
        let only = before.entry(&it.to).or_insert(Some(from));
        if *only != Some(from) {
            *only = None;
        }
    }
    let text = |it: Node<'c>, name: &str| it.get(name).and_then(Node::str);
    let passing: HashSet<&str> = nodes
        .node
        .items()
        .filter(|it| {
            text(*it, "type").is_some_and(|it| PASSING.iter().any(|end| it.ends_with(end)))
        })
        .filter_map(|it| text(it, "name"))
        .collect();
    let only = |to: &str| before.get(to).copied().flatten();
    let source = |to: &str| {
        let mut from = only(to)?;
        for _ in 0..PASSED {
            if !passing.contains(from) {
                return Some(from);
            }
            from = only(from)?;
        }
        None
    };
    before.keys().filter_map(|to| Some((*to, source(to)?))).collect()
}

/// Adds the edges of the main outputs.
fn connect(
    connections: &[Connection],
    controls: &HashMap<String, Control>,
    assembly: &mut Assembly,
    context: &mut Context<'_>,
) {
    for it in connections.iter().filter(|it| it.is_main()) {
        let control = controls.get(&it.from);
        let output = control.and_then(|control| control.output(it.output));
        if it.output > 0 && output.is_none() {
            let message = format!(
                "the edge `{}` → `{}` has no label: output {} of its node is no branch of a workflow",
                shown(&it.from),
                shown(&it.to),
                it.output
            );
            let place = &it.place;
            let path = place.path.clone().unwrap_or_default();
            context.findings.warn(code::NOT_IN_FLOW, &path, place.span, message);
        }
        if it.input > 0 {
            let message =
                format!("input {} of `{}` is read as its only one", it.input, shown(&it.to));
            let path = it.place.path.clone().unwrap_or_default();
            context.findings.remark(code::NOT_IN_FLOW, &path, it.place.span, message);
        }
        assembly.edge(&it.from, &it.to, output, &it.place, context);
    }
}

/// Returns the nodes that supply each node, by the kind of their connection, and reports them.
fn supplied(
    nodes: &Part<'_>,
    supplies: &HashMap<&str, Vec<&Connection>>,
    context: &mut Context<'_>,
) -> HashMap<String, Map> {
    let mut supplied: HashMap<String, Map> = HashMap::new();
    for it in nodes.items() {
        let name = it.node.get("name").and_then(Node::str).unwrap_or_default();
        for to in supplies.get(name).into_iter().flatten() {
            let message = format!(
                "`{}` supplies `{}` as `{}`; kept in the metadata of `{}`",
                shown(name),
                shown(&to.to),
                shown(&to.kind),
                shown(&to.to)
            );
            context.findings.warn(code::NOT_IN_FLOW, &it.path, it.span(), message);
            let value = crate::object::carried(it.node, &it.path, &mut context.findings);
            let kinds = supplied.entry(to.to.clone()).or_default();
            let list = kinds.entry(to.kind.clone()).or_insert_with(|| serde_json::json!([]));
            if let Some(list) = list.as_array_mut() {
                list.push(value);
            }
        }
    }
    supplied
}

/// Returns whether a node is a note on the canvas, and reports it.
fn is_note(it: &Part<'_>, context: &mut Context<'_>) -> bool {
    let kind = it.node.get("type").and_then(Node::str).unwrap_or_default();
    if !kind.ends_with(".stickyNote") {
        return false;
    }
    let text = it.node.get("parameters").and_then(|it| it.get("content")).and_then(Node::str);
    let message = format!("ignored note: {}", shown(text.unwrap_or_default()));
    context.findings.warn(code::LEFT_ASIDE, &it.path, it.span(), message);
    true
}

fn one(
    it: &Part<'_>,
    mut extra: Map,
    before: Option<&str>,
    context: &Context<'_>,
    findings: &mut Findings,
) -> Option<(crate::Node, Control)> {
    let object = Object::new(it.clone(), context.strictness, findings)?;
    let id = object.text(NAME, Required, findings);
    let mut tool = object.text(TYPE, Required, findings)?;
    let arguments = object.find(PARAMETERS).filter(|it| !it.node.is_null());
    let arguments = arguments.map(|it| Part { canonical: "/arguments".to_owned(), ..it });
    let (mut kind, control) = if let Some((kind, control)) =
        control::read(&tool, version(it.node), arguments.as_ref(), before, findings)
    {
        // A condition is not all that a control node says.
        if let Some(it) = &arguments {
            extra.insert("parameters".to_owned(), it.carried(findings));
        }
        extra.insert("type".to_owned(), tool.clone().into());
        (kind, control)
    } else {
        let arguments = object.map(PARAMETERS, Nullable, findings);
        findings.locations.rename("/parameters", "/arguments");
        context.admit_tool(&mut tool, &object.path_of("type"), object.span(), findings);
        (NodeKind::Tool { tool, arguments }, Control::None)
    };
    context.admit_type(kind.node_type(), it, findings);
    extra.extend(metadata(&object, &FIELDS, KEPT, findings));
    if let NodeKind::Tool { tool, arguments } = &mut kind {
        context.fit(tool, &extra, arguments, "/arguments", findings);
    }
    let node = crate::Node {
        description: object.text(NOTES, Nullable, findings).filter(|text| !text.is_empty()),
        enabled: !object.bool(DISABLED, findings).unwrap_or_default(),
        retries: retries(it.node),
        position: position(&object, findings),
        metadata: extra,
        ..crate::Node::new(id.clone().unwrap_or_default(), kind)
    };
    id.map(|_| (node, control))
}

/// Returns the version of a node; the newest if it states none.
fn version(node: Node<'_>) -> f64 {
    let version = node.get("typeVersion").and_then(Node::number);
    version.and_then(|it| it.parse().ok()).unwrap_or(f64::MAX)
}

/// Returns the number of retries: three tries are the default.
fn retries(node: Node<'_>) -> u32 {
    let retries = node.get("retryOnFail").and_then(Node::bool).unwrap_or_default();
    let tries = node.get("maxTries").and_then(Node::number).and_then(|it| it.parse::<u32>().ok());
    if retries { tries.unwrap_or(3).saturating_sub(1) } else { 0 }
}

/// Reads a position: `[240, 300]`, or an object.
fn position(object: &Object<'_>, findings: &mut Findings) -> Option<Position> {
    let it = object.field(POSITION, Nullable, findings)?;
    let number = |at: usize, name: &str| {
        let node = it.node.item(at).or_else(|| it.node.get(name))?;
        node.number()?.parse::<f64>().ok().filter(|number| number.is_finite())
    };
    if let (Some(x), Some(y)) = (number(0, "x"), number(1, "y")) {
        Some(Position { x, y })
    } else {
        findings.warn(code::WRONG_TYPE, &it.path, it.span(), "expected two numbers");
        None
    }
}

/// Returns the JSON Pointer below `path` with several tokens.
fn deeper(path: &str, tokens: &[&str]) -> String {
    tokens.iter().fold(path.to_owned(), |path, token| below(&path, token))
}
