//! Patches, llmend's own and Clickweave's.
//!
//! Both are read by the same rules, since models mix their keys. Unknown keys are errors, since a patch
//! of unknown keys would otherwise count as empty. The canonical patch is written by serde.

use llmend_json::{Diagnostic, Kind, Node, Severity};

use crate::{
    Change, Insertion, Map, Patch, Update, code,
    findings::Findings,
    locations::ItemLocations,
    object::{
        Names, Object, Part,
        Presence::{Nullable, Required},
    },
    read::{
        context::{Context, Fate},
        edges, list,
        node::{self, LoopId},
        nodes::{self, NodeIds},
        steps,
    },
};

const REMOVE_NODES: Names = &["remove_nodes", "remove_node_ids"];
const UPDATE: Names = &["update_nodes", "update"];
const ADD_NODES: Names = &["add_nodes"];
const APPEND: Names = &["append_nodes", "add"];
const REMOVE_EDGES: Names = &["remove_edges"];
const ADD_EDGES: Names = &["add_edges"];
const INSERT: Names = &["insert_before"];
/// Fields of a patch.
pub(crate) const ALL: [Names; 7] =
    [REMOVE_NODES, UPDATE, ADD_NODES, APPEND, REMOVE_EDGES, ADD_EDGES, INSERT];

/// Reads a patch.
pub(super) fn read(node: Node<'_>, context: &mut Context<'_>) -> Option<Patch> {
    let (strictness, findings) = (context.strictness, &mut context.findings);
    let root = list::unwrap(node, &ALL, strictness, findings);
    let object = Object::new(root, strictness, findings)?;
    for member in object.unknown(&ALL) {
        findings.push(member.finding(Severity::Error, " in a patch"));
    }
    let mut list = |names, expected| object.list(names, Nullable, expected, findings);
    let removed = list(REMOVE_NODES, "array of ids");
    let updated = list(UPDATE, "array of changes");
    let added = list(ADD_NODES, "array of nodes");
    let appended = list(APPEND, "array of steps");
    let cut = list(REMOVE_EDGES, "array of edges");
    let drawn = list(ADD_EDGES, "array of edges");
    let inserted = list(INSERT, "array of insertions");
    for list in [&added, &appended].into_iter().flatten() {
        forbid_position(list, findings);
    }
    let given = [&removed, &updated, &added, &appended, &cut, &drawn, &inserted];
    let given: usize = given.into_iter().flatten().map(|list| list.node.len()).sum();
    let mut nodes = |list: Option<Part<'_>>, name: &str, ids| {
        let read = |list| nodes::read(&list, name, ids, LoopId::Required, context).0;
        list.map(read).unwrap_or_default()
    };
    let add_nodes = nodes(added, "add_nodes", NodeIds::Given);
    let append_nodes = nodes(appended, "append_nodes", NodeIds::Optional);
    let patch = Patch {
        remove_nodes: each(removed.as_ref(), "remove_nodes", context, |it, context, findings| {
            it.clone().noted(findings).name(context.strictness, findings)
        }),
        update_nodes: each(updated.as_ref(), "update_nodes", context, update),
        add_nodes,
        append_nodes,
        remove_edges: edges(cut, "remove_edges", context),
        add_edges: edges(drawn, "add_edges", context),
        insert_before: each(inserted.as_ref(), "insert_before", context, insertion),
    };
    if patch.is_empty() && given > 0 {
        context.report_no_steps(object.span(), object.path(), given);
    }
    Some(patch)
}

/// Keys with which models position a node from within. As metadata, they would have no effect.
const POSITIONS: [&str; 4] = ["insert_before", "insertBefore", "insert_after", "insertAfter"];

/// Reports nodes that state their own position, which belongs beside them.
fn forbid_position(list: &Part<'_>, findings: &mut Findings) {
    for it in list.items() {
        let said = POSITIONS.iter().find_map(|name| Some((name, it.node.get(name)?)));
        let Some((name, node)) = said else { continue };
        let message = format!("unexpected `{name}` in a node");
        let path = format!("{}/{name}", it.path);
        let row = Diagnostic::new(code::UNKNOWN_FIELD, Severity::Error, message);
        let help = "Write `\"insert_before\": [{\"node\": …, \"before\": …}]` beside the nodes, or use edges.";
        findings.push(row.at(node.span()).on(path).help(help));
    }
}

/// Reads each item of a list on its own.
fn each<'v, T>(
    list: Option<&Part<'v>>,
    name: &str,
    context: &mut Context<'_>,
    read: impl Fn(&Part<'v>, &Context<'_>, &mut Findings) -> Option<T>,
) -> Vec<T> {
    let (mut values, mut locations) = (Vec::new(), Vec::new());
    let Some(list) = list.filter(|list| context.has_room(list)) else { return values };
    for it in list.items() {
        let it = Part::item(it.node, it.path);
        let path = it.path.clone();
        let id = node::ID.iter().find_map(|name| it.node.get(name)?.str()).unwrap_or_default();
        let item = context.item(
            |_: &Option<T>| steps::label(&path, id),
            |context, findings| read(&it, context, findings),
        );
        if let Some(value) = item.value.filter(|_| item.fate == Fate::Kept) {
            values.push(value);
            locations.push(item.locations);
        }
    }
    context.lists.insert(name.to_owned(), locations);
    values
}

fn edges(list: Option<Part<'_>>, name: &str, context: &mut Context<'_>) -> Vec<crate::Edge> {
    let read = list.map(|list| edges::read(&list, context)).unwrap_or_default();
    let (edges, locations): (Vec<_>, Vec<ItemLocations>) = read.into_iter().unzip();
    context.lists.insert(name.to_owned(), locations);
    edges
}

const CHANGED: Names = &["id", "node_id"];
const KIND: Names = &["kind", "node_type"];
const DESCRIPTION: Names = &["description"];
const ENABLED: Names = &["enabled"];
const TIMEOUT: Names = &["timeout_ms"];
const RETRIES: Names = &["retries"];
const OUTCOME: Names = &["expected_outcome"];
const POSITION: Names = &["position"];
const CHANGE: [Names; 10] = [
    CHANGED,
    KIND,
    node::NAME,
    DESCRIPTION,
    node::TOOL,
    node::ARGUMENTS,
    ENABLED,
    TIMEOUT,
    RETRIES,
    OUTCOME,
];

/// Reads a change: Clickweave's, or the canonical one under `replace` or `change`.
fn update(it: &Part<'_>, context: &Context<'_>, findings: &mut Findings) -> Option<Update> {
    let only = (it.node.len() == 1).then(|| it.node.members().next()).flatten();
    let only = only.and_then(|(key, value)| Some((key.str()?, value)));
    match only.filter(|(_, value)| value.kind() == Kind::Object) {
        Some(("replace", inner)) => {
            let it = inner_part(it, "replace", inner, findings);
            let node = node::read(&it, LoopId::Inferred, context, findings)?;
            if node.id.is_empty() {
                let message = "missing field `id` in the replacing node";
                findings.error(code::MISSING_FIELD, &format!("{}/id", it.path), it.span(), message);
            }
            Some(Update::Replace(Box::new(node)))
        }
        Some(("change", inner)) => {
            let it = inner_part(it, "change", inner, findings);
            Some(Update::Change(Box::new(change(&it, context, findings)?)))
        }
        _ => Some(Update::Change(Box::new(change(it, context, findings)?))),
    }
}

fn inner_part<'v>(it: &Part<'v>, name: &str, node: Node<'v>, findings: &mut Findings) -> Part<'v> {
    let outer = it.clone().noted(findings);
    Part { node, path: format!("{}/{name}", outer.path), canonical: format!("/{name}") }
}

fn change(it: &Part<'_>, context: &Context<'_>, findings: &mut Findings) -> Option<Change> {
    let object = Object::new(it.clone(), context.strictness, findings)?;
    for member in object.unknown(&[&CHANGE[..], &[POSITION]].concat()) {
        findings.push(member.finding(Severity::Error, " in a change"));
    }
    let kind = object.field(KIND, Nullable, findings);
    let stated = kind.is_some();
    let kind = kind.and_then(|it| node::read(&it, LoopId::Required, context, findings));
    let kind = kind.map(|node| node.kind);
    let mut change = Change {
        id: object.name(CHANGED, Required, findings)?,
        name: object.text(node::NAME, Nullable, findings),
        description: object.text(DESCRIPTION, Nullable, findings),
        tool: object.text(node::TOOL, Nullable, findings),
        arguments: arguments(&object, findings),
        enabled: object.bool(ENABLED, findings),
        timeout_ms: object.count(TIMEOUT, findings),
        retries: object.count(RETRIES, findings),
        expected_outcome: object.text(OUTCOME, Nullable, findings),
        position: node::position(&object, findings),
        kind,
    };
    if stated && (change.tool.is_some() || change.arguments.is_some()) {
        let message = "a change sets either `kind`, or `tool` and `arguments`, not both";
        findings.error(code::WRONG_TYPE, object.path(), object.span(), message);
    }
    if let Some(tool) = &mut change.tool {
        let named = object.find(node::TOOL)?;
        let part = object.find(node::ARGUMENTS).map(|it| it.canonical).unwrap_or_default();
        context.admit_tool(tool, &named.path, named.span(), findings);
        if let Some(arguments) = &mut change.arguments {
            context.fit(tool, &Map::new(), arguments, &part, findings);
        }
    }
    if change == (Change { id: change.id.clone(), ..Change::default() }) && !findings.failed() {
        let message = "change has no effect";
        findings.error(code::MISSING_FIELD, object.path(), object.span(), message);
    }
    Some(change)
}

fn arguments(object: &Object<'_>, findings: &mut Findings) -> Option<Map> {
    object.find(node::ARGUMENTS).filter(|it| !it.node.is_null())?;
    Some(object.map(node::ARGUMENTS, Nullable, findings))
}

const INSERTED: Names = &["node"];
const BEFORE: Names = &["before"];

fn insertion(it: &Part<'_>, context: &Context<'_>, findings: &mut Findings) -> Option<Insertion> {
    let object = Object::new(it.clone(), context.strictness, findings)?;
    let node = object.name(INSERTED, Required, findings);
    let before = object.name(BEFORE, Required, findings);
    object.forbid_unknown(&[INSERTED, BEFORE], findings);
    Some(Insertion { node: node?, before: before? })
}
