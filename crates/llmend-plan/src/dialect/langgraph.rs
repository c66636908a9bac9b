//! Graphs of `LangGraph` and `LangChain`.
//!
//! A node becomes a tool node that runs the function of its name. The conditional edges of a node become
//! a Switch behind it, with a case for each label, since in a workflow no node both works and branches;
//! what its function decides is not in the graph. `__end__` is no node, so a branch that ends the flow has
//! no edge, and neither is `__start__`, unless conditional edges lead from it.

use std::collections::{HashMap, HashSet};

use llmend_json::{Kind, Node};

use crate::{
    Case, Condition, Literal, Map, NodeKind, Operator, Output, ValueRef, Workflow, code,
    findings::{Findings, shown},
    locations::{Location, below},
    object::{
        Names, Object, Part,
        Presence::{Nullable, Required},
    },
    read::{
        assembly::{self, Assembly, metadata, place, report},
        context::Context,
        list, steps,
    },
};

const NODES: Names = &["nodes"];
const EDGES: Names = &["edges"];
const NAME: Names = &["name"];
const GRAPH: [Names; 3] = [NODES, EDGES, NAME];
const ID: Names = &["id", "name"];
const TYPE: Names = &["type"];
const DATA: Names = &["data"];

const SOURCE: Names = &["source", "from"];
const TARGET: Names = &["target", "to"];
const LABEL: Names = &["data", "label", "condition"];
const CONDITIONAL: Names = &["conditional"];

/// Names of the start and of the end, in JSON and as models write them.
const STARTS: [&str; 2] = ["__start__", "START"];
const ENDS: [&str; 2] = ["__end__", "END"];

/// The most nodes and edges that are inspected to detect the dialect.
const INSPECTED: usize = 16;

/// Returns whether a value is a graph of `LangGraph`: it has nodes and edges, and marks its start or its
/// end, or states which edges are conditional.
pub(super) fn fits(node: Node<'_>) -> bool {
    let list = |name: &str| node.get(name).filter(|it| it.kind() == Kind::Array);
    let (Some(nodes), Some(edges)) = (list("nodes"), list("edges")) else { return false };
    let marked = nodes.items().take(INSPECTED).any(|it| {
        let id = it.str().or_else(|| it.get("id")?.str());
        id.is_some_and(|id| STARTS.contains(&id) || ENDS.contains(&id))
    });
    let typed = nodes.items().take(INSPECTED).any(|it| {
        let data = it.get("data");
        let kind = it.get("type").and_then(Node::str);
        matches!(kind, Some("runnable" | "schema")) && data.is_some()
    });
    let edges = || edges.items().take(INSPECTED);
    let leads = edges().any(|it| {
        let source = it.get("source").or_else(|| it.item(0)).and_then(Node::str);
        it.get("conditional").is_some_and(|it| it.bool().is_some())
            || source.is_some_and(|source| STARTS.contains(&source))
    });
    let of_ours = nodes.items().take(INSPECTED).any(|it| it.get("tool").is_some());
    !of_ours && (marked || typed || leads)
}

/// Names of the list of nodes, with which a wrapped graph is found.
pub(super) const MARKS: Names = NODES;

/// An edge of the graph.
struct GraphEdge {
    from: String,
    to: String,
    /// The label, if the edge has one.
    label: Option<String>,
    conditional: bool,
    place: Location,
}

/// Reads a workflow.
pub(super) fn read(node: Node<'_>, context: &mut Context<'_>) -> Option<Workflow> {
    let (strictness, findings) = (context.strictness, &mut context.findings);
    let root = list::unwrap(node, &[MARKS], strictness, findings);
    let whole = place(&root);
    let object = Object::new(root, strictness, findings)?;
    let name = object.text(NAME, Nullable, findings);
    let kept = metadata(&object, &GRAPH, &[], findings);
    let nodes = object.list(NODES, Required, "array of nodes", findings)?;
    let edges = object.list(EDGES, Nullable, "array of edges", findings);
    if !context.has_room(&nodes) || edges.as_ref().is_some_and(|edges| !context.has_room(edges)) {
        return None;
    }
    let edges: Vec<GraphEdge> = edges
        .iter()
        .flat_map(Part::items)
        .filter_map(|it| {
            let item = context.item(
                |_: &Option<GraphEdge>| steps::label(&it.path, ""),
                |context, findings| edge(&it, context, findings),
            );
            item.value
        })
        .collect();
    let routed: HashSet<&str> =
        edges.iter().filter(|it| it.conditional).map(|it| it.from.as_str()).collect();
    let ids: HashSet<&str> = nodes.node.items().filter_map(id_of).collect();
    let mut assembly = Assembly::default();
    for it in nodes.items() {
        let it = Part::item(it.node, it.path);
        let id = id_of(it.node).unwrap_or_default();
        if STARTS.contains(&id) || ENDS.contains(&id) {
            continue;
        }
        let item = context.item(
            |_: &Option<crate::Node>| steps::label(&it.path, id),
            |context, findings| one(&it, context, findings),
        );
        assembly.item(id, item, context);
    }
    let routers = routers(&edges, &routed, &ids, &mut assembly, context);
    connect(&edges, &routers, &mut assembly, context);
    let flow = assembly.finish(&whole, context);
    Some(Workflow { name, metadata: kept, ..flow })
}

/// Adds the edges, except those that mark the start or the end.
fn connect(
    edges: &[GraphEdge],
    routers: &HashMap<&str, String>,
    assembly: &mut Assembly,
    context: &mut Context<'_>,
) {
    for it in edges {
        let (from, output) = match routers.get(it.from.as_str()) {
            Some(router) if it.conditional => {
                let name = it.label.clone().unwrap_or_else(|| it.to.clone());
                (router.as_str(), Some(Output::SwitchCase { name }))
            }
            _ => (it.from.as_str(), None),
        };
        let is_marker =
            STARTS.contains(&from) && !routers.contains_key(from) || ENDS.contains(&it.to.as_str());
        if is_marker {
            let message = format!(
                "omitted edge `{}` → `{}`, which marks the start or the end of the flow",
                shown(&it.from),
                shown(&it.to)
            );
            report(context, code::END_MARKER, llmend_json::Severity::Info, &it.place, message);
            if STARTS.contains(&from) {
                assembly.entry(&it.to, &it.place);
            }
            continue;
        }
        if !it.conditional
            && let Some(label) = &it.label
        {
            let message =
                format!("label `{}` of an edge that is not conditional is ignored", shown(label));
            report(context, code::NOT_IN_FLOW, llmend_json::Severity::Warning, &it.place, message);
        }
        assembly.edge(from, &it.to, output, &it.place, context);
    }
}

/// Adds a Switch for the conditional edges of each node, and returns its id by that of the node.
fn routers<'e>(
    edges: &'e [GraphEdge],
    routed: &HashSet<&'e str>,
    ids: &HashSet<&str>,
    assembly: &mut Assembly,
    context: &mut Context<'_>,
) -> HashMap<&'e str, String> {
    let mut labels: HashMap<&str, Vec<String>> = HashMap::new();
    for it in edges.iter().filter(|it| it.conditional) {
        let label = it.label.clone().unwrap_or_else(|| it.to.clone());
        let labels = labels.entry(&it.from).or_default();
        if !labels.contains(&label) {
            labels.push(label);
        }
    }
    let mut routers: HashMap<&str, String> = HashMap::new();
    for it in edges.iter().filter(|it| routed.contains(it.from.as_str())) {
        let Some(labels) = labels.remove(it.from.as_str()) else { continue };
        let is_start = STARTS.contains(&it.from.as_str());
        let id = if is_start {
            it.from.clone()
        } else {
            assembly.free_id(&format!("{}_route", it.from), ids)
        };
        let cases = labels.into_iter().map(|name| {
            let left = ValueRef::Variable { name: format!("{}.route", it.from) };
            let value = ValueRef::Literal { value: Literal::Text(name.clone()) };
            let condition = Condition { left, operator: Operator::Equals, right: Some(value) };
            Case { name, condition }
        });
        let kind = NodeKind::Switch { cases: cases.collect() };
        let node = crate::Node::new(id.as_str(), kind);
        let why = format!(
            "the conditional edges of `{}`, whose function is not in the graph",
            shown(&it.from)
        );
        assembly.added(node, &it.place, &why, context);
        if !is_start {
            assembly.edge(&it.from, &id, None, &it.place, context);
        }
        routers.insert(&it.from, id);
    }
    routers
}

/// Returns the id of a node, which may be all of it.
fn id_of(node: Node<'_>) -> Option<&str> {
    let own = |node: &Node<'_>| matches!(node.kind(), Kind::String | Kind::Number);
    let node = Some(node).filter(own).or_else(|| ID.iter().find_map(|name| node.get(name)))?;
    node.str().or_else(|| node.number())
}

/// Reads a node: an object, or only its name.
fn one(it: &Part<'_>, context: &Context<'_>, findings: &mut Findings) -> Option<crate::Node> {
    if let Some(name) = it.node.str() {
        return Some(function(name, name.to_owned(), it, context, findings));
    }
    let object = Object::new(it.clone(), context.strictness, findings)?;
    let id = object.name(ID, Required, findings)?;
    let data = object.find(DATA);
    let name = data.as_ref().and_then(|data| data.node.get("name").or(Some(data.node))?.str());
    let name = name.filter(|name| !name.is_empty()).unwrap_or(&id).to_owned();
    let mut node = function(&id, name, it, context, findings);
    node.metadata = metadata(&object, &[ID], &[TYPE, DATA], findings);
    Some(node)
}

fn function(
    id: &str,
    name: String,
    it: &Part<'_>,
    context: &Context<'_>,
    findings: &mut Findings,
) -> crate::Node {
    let mut tool = name;
    context.admit_tool(&mut tool, &it.path, it.span(), findings);
    let node = assembly::tool(id, tool, Map::new());
    context.admit_type(node.node_type(), it, findings);
    node
}

/// Reads an edge: an object, or a pair of names.
fn edge(it: &Part<'_>, context: &Context<'_>, findings: &mut Findings) -> Option<GraphEdge> {
    let place = place(it);
    if it.node.kind() == Kind::Array && it.node.len() == 2 {
        let end = |at: usize| {
            let node = it.node.item(at)?;
            node.str().or_else(|| node.number()).map(str::to_owned)
        };
        let (from, to) = (end(0), end(1));
        if let (Some(from), Some(to)) = (from, to) {
            return Some(GraphEdge { from, to, label: None, conditional: false, place });
        }
    }
    let object = Object::new(it.clone(), context.strictness, findings)?;
    let from = object.name(SOURCE, Required, findings);
    let to = object.name(TARGET, Required, findings);
    let label = object.find(LABEL).filter(|it| !it.node.is_null());
    let label = label.and_then(|it| it.name(object.strictness, findings));
    let conditional = object.bool(CONDITIONAL, findings).unwrap_or_default();
    for member in object.unknown(&[SOURCE, TARGET, LABEL, CONDITIONAL]) {
        let message = format!("`{}` of an edge is ignored", shown(member.name));
        findings.warn(code::NOT_IN_FLOW, &below(object.path(), member.name), member.span, message);
    }
    Some(GraphEdge { from: from?, to: to?, label, conditional, place })
}
