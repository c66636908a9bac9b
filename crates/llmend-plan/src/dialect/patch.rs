//! Patches, llmend's own and Clickweave's.
//!
//! Both are read by the same rules, since models mix their keys. Unknown keys are errors, since a patch
//! of unknown keys would otherwise count as empty. The canonical patch is written by serde.

use llmend_json::{Diagnostic, Kind, Node, Severity, unescape_token};

use crate::{
    Insertion, Patch, Strictness, code,
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

mod update;

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
    let updated = updates(&object, findings);
    let mut list = |names, expected| object.list(names, Nullable, expected, findings);
    let removed = list(REMOVE_NODES, "array of ids");
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
            let id = node::ID.iter().find_map(|name| it.node.get(name));
            let named = Part { node: id.unwrap_or(it.node), ..it.clone() };
            named.noted(findings).name(context.strictness, findings)
        }),
        update_nodes: each(updated.as_ref(), "update_nodes", context, |it, context, findings| {
            update::read(it, id_by_key(updated.as_ref(), it), context, findings)
        }),
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

/// Reads the list of updates, which in lenient mode may be an object with the changes of each node by
/// its id, or one update.
fn updates<'v>(object: &Object<'v>, findings: &mut Findings) -> Option<Part<'v>> {
    let is_object = |it: &Part<'_>| it.node.kind() == Kind::Object;
    let lenient = object.strictness == Strictness::Lenient;
    match object.find(UPDATE).filter(|it| lenient && is_object(it)) {
        Some(it) if is_one(it.node) || by_id(it.node) => Some(it.noted(findings)),
        _ => object.list(UPDATE, Nullable, "array of changes", findings),
    }
}

/// Returns whether an object is a single update: it states an id.
fn is_one(node: Node<'_>) -> bool {
    let id = node::ID.iter().find_map(|name| node.get(name));
    id.is_some_and(|it| matches!(it.kind(), Kind::String | Kind::Number))
}

/// Returns whether an object has the changes of each node by its id.
fn by_id(node: Node<'_>) -> bool {
    node.members().all(|(_, value)| value.kind() == Kind::Object)
}

/// Returns the id under which an update is written in an object of updates.
fn id_by_key<'v>(list: Option<&Part<'v>>, it: &Part<'v>) -> Option<String> {
    let list = list.filter(|list| list.node.kind() == Kind::Object && !is_one(list.node))?;
    let token = it.path.strip_prefix(&list.path)?.strip_prefix('/')?;
    Some(unescape_token(token))
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
    let items: Vec<Part<'v>> = match list.node.kind() {
        Kind::Object if is_one(list.node) => vec![list.clone()],
        Kind::Object => list.members().collect(),
        _ => list.items().collect(),
    };
    for it in items {
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

const INSERTED: Names = &["node"];
const BEFORE: Names = &["before"];

fn insertion(it: &Part<'_>, context: &Context<'_>, findings: &mut Findings) -> Option<Insertion> {
    let object = Object::new(it.clone(), context.strictness, findings)?;
    let node = object.name(INSERTED, Required, findings);
    let before = object.name(BEFORE, Required, findings);
    object.forbid_unknown(&[INSERTED, BEFORE], findings);
    Some(Insertion { node: node?, before: before? })
}
