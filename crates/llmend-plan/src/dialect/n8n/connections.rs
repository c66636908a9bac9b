//! Connections of n8n: by source, kind, output, and number.

use std::collections::{HashMap, HashSet};

use llmend_json::{Kind, Node};

use crate::{
    Strictness, code,
    dialect::n8n::deeper,
    findings::Findings,
    locations::{Location, below},
    object::{Object, Part},
    read::context::Context,
};

/// The kind of connections that are the flow.
const MAIN: &str = "main";

/// A connection between two nodes.
pub(super) struct Connection {
    pub(super) from: String,
    pub(super) to: String,
    /// [`MAIN`], or what the source supplies: `ai_tool`.
    pub(super) kind: String,
    /// Number of the output.
    pub(super) output: usize,
    /// Number of the input.
    pub(super) input: u64,
    pub(super) place: Location,
}

impl Connection {
    /// Returns whether the connection is part of the flow.
    pub(super) fn is_main(&self) -> bool {
        self.kind == MAIN
    }
}

/// Reads all connections, in the order of the text. The nodes `branching` have several outputs.
pub(super) fn read(
    it: &Part<'_>,
    branching: &HashSet<&str>,
    strictness: Strictness,
    context: &mut Context<'_>,
) -> Vec<Connection> {
    let mut all = Vec::new();
    if it.node.kind() == Kind::Array && it.node.is_empty() {
        return all;
    }
    // The locations of the object are those of the edges.
    let Some(object) = Object::new(it.clone(), strictness, &mut Findings::default()) else {
        context.findings.wrong_type(&it.path, it.node, "object");
        return all;
    };
    for (key, kinds) in object.node().members() {
        let from = key.str().unwrap_or_default();
        let lists = if branching.contains(from) { Outputs::Several } else { Outputs::One };
        if !matches!(kinds.kind(), Kind::Object | Kind::Null) {
            // Models leave out the kind, of which most flows have only one.
            outputs((from, MAIN), kinds, lists, &deeper(&it.path, &[from]), &mut all, context);
        }
        for (key, of_kind) in kinds.members() {
            let kind = key.str().unwrap_or_default();
            let path = deeper(&it.path, &[from, kind]);
            outputs((from, kind), of_kind, lists, &path, &mut all, context);
        }
    }
    all
}

/// What the items of a list of connections are, where they are no lists themselves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outputs {
    /// Connections of the only output.
    One,
    /// Connections of one output each.
    Several,
}

/// Reads the connections of one kind: a list for each output. Models write those of the only output
/// without a list of their own, or one without any.
fn outputs(
    (from, kind): (&str, &str),
    node: Node<'_>,
    lists: Outputs,
    path: &str,
    all: &mut Vec<Connection>,
    context: &mut Context<'_>,
) {
    if !matches!(node.kind(), Kind::Array | Kind::Null) {
        all.extend(one((from, kind, 0), node, path.to_owned(), context));
    }
    for (output, list) in node.items().enumerate() {
        let path = below(path, &output.to_string());
        // An output without connections may be null.
        if !matches!(list.kind(), Kind::Array | Kind::Null) {
            let output = if lists == Outputs::Several { output } else { 0 };
            all.extend(one((from, kind, output), list, path.clone(), context));
        }
        for (at, to) in list.items().enumerate() {
            let path = below(&path, &at.to_string());
            all.extend(one((from, kind, output), to, path, context));
        }
    }
}

/// Reads a connection.
fn one(
    (from, kind, output): (&str, &str, usize),
    to: Node<'_>,
    path: String,
    context: &mut Context<'_>,
) -> Option<Connection> {
    let Some((name, input)) = target(to) else {
        let message = "expected a connection with a `node`";
        context.findings.error(code::WRONG_TYPE, &path, to.span(), message);
        return None;
    };
    let place = Location { path: Some(path), span: to.span() };
    let (from, to, kind) = (from.to_owned(), name.to_owned(), kind.to_owned());
    Some(Connection { from, to, kind, output, input, place })
}

/// Returns the name of the target and the number of its input.
fn target(node: Node<'_>) -> Option<(&str, u64)> {
    if let Some(name) = node.str() {
        return Some((name, 0));
    }
    let input = node.get("index").and_then(Node::number).and_then(|it| it.parse().ok());
    Some((node.get("node")?.str()?, input.unwrap_or_default()))
}

/// Returns the nodes that only supply others, with what they supply.
pub(super) fn supplies(connections: &[Connection]) -> HashMap<&str, Vec<&Connection>> {
    let main = || connections.iter().filter(|it| it.is_main());
    let in_flow: HashSet<&str> = main().flat_map(|it| [it.from.as_str(), it.to.as_str()]).collect();
    let mut supplies: HashMap<&str, Vec<&Connection>> = HashMap::new();
    for it in connections.iter().filter(|it| !it.is_main() && !in_flow.contains(it.from.as_str())) {
        supplies.entry(&it.from).or_default().push(it);
    }
    supplies
}
