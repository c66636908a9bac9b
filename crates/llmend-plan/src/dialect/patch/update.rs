//! Updates of nodes in a patch.
//!
//! Models write an update as a whole node, as the members that change, or as either below the id. A
//! whole node is a change too, unless it is under `replace`: what it does not state stays.

use llmend_json::{Diagnostic, Kind, Node, Severity};

use crate::{
    Change, Map, NodeKind, NodeType, Update, code,
    findings::Findings,
    object::{
        Names, Object, Part,
        Presence::{Nullable, Required},
    },
    read::{
        condition::{self, folded},
        context::Context,
        json_text,
        node::{self, LoopId},
    },
};

/// Keys under which a replacing node is written.
const REPLACE: [&str; 4] = ["replace", "replacement", "with", "new_node"];
/// Keys under which the changing members are written.
const CHANGE: [&str; 9] =
    ["change", "changes", "fields", "set", "update", "updates", "node", "values", "properties"];

/// Reads an update. `key` is the id under which it is written, if updates are written so.
pub(super) fn read(
    it: &Part<'_>,
    key: Option<String>,
    context: &Context<'_>,
    findings: &mut Findings,
) -> Option<Update> {
    let Some((name, inner, id)) = inner(it.node) else {
        let it = Part { canonical: "/change".to_owned(), ..it.clone().noted(findings) };
        return Some(Update::Change(Box::new(change(&it, key, context, findings)?)));
    };
    let replaces = REPLACE.contains(&name);
    let outer = it.clone().noted(findings);
    let path = format!("{}/{name}", outer.path);
    let canonical = if replaces { "/replace" } else { "/change" }.to_owned();
    let inner = Part { node: inner, path, canonical };
    let id = id.map(|(key, node)| Part {
        node,
        path: format!("{}/{key}", outer.path),
        canonical: format!("{}/id", inner.canonical),
    });
    let id = match (id, key) {
        (Some(id), key) => {
            let stated = id.clone().noted(findings).name(context.strictness, findings)?;
            Some(agreed(key, stated, &outer, findings))
        }
        (None, key) => key,
    };
    if !replaces {
        return Some(Update::Change(Box::new(change(&inner, id, context, findings)?)));
    }
    let mut node = node::read(&inner, LoopId::Inferred, context, findings)?;
    node.id = agreed(id, node.id, &inner, findings);
    if node.id.is_empty() {
        let message = "missing field `id` in the replacing node";
        findings.error(code::MISSING_FIELD, &format!("{}/id", inner.path), inner.span(), message);
    }
    Some(Update::Replace(Box::new(node)))
}

/// An id with its key.
type Id<'v> = Option<(&'v str, Node<'v>)>;

/// Returns the object in which the update is written, with its key and the id beside it.
fn inner(node: Node<'_>) -> Option<(&str, Node<'_>, Id<'_>)> {
    let members = || node.members().filter_map(|(key, value)| Some((key.str()?, value)));
    let id = members().find(|(key, _)| node::ID.contains(key));
    let (name, inner) = members().find(|(key, value)| {
        value.kind() == Kind::Object && (REPLACE.contains(key) || CHANGE.contains(key))
    })?;
    (node.len() == 1 + usize::from(id.is_some())).then_some((name, inner, id))
}

/// Returns the id that is stated beside an object and perhaps in it.
fn agreed(outer: Option<String>, inner: String, it: &Part<'_>, findings: &mut Findings) -> String {
    let Some(outer) = outer else { return inner };
    if !inner.is_empty() && inner != outer {
        let message = "the id differs from the one beside it; a node cannot be renamed";
        findings.error(code::WRONG_TYPE, &format!("{}/id", it.path), it.span(), message);
    }
    outer
}

const TYPE: Names = &["type", "step_type", "stepType", "nodeType"];
const KIND: Names = &["kind", "node_type"];
const METADATA: Names = &["metadata"];

/// Fields of a change.
const FIELDS: [Names; 24] = [
    node::ID,
    TYPE,
    KIND,
    METADATA,
    node::NAME,
    node::DESCRIPTION,
    node::TOOL,
    node::ARGUMENTS,
    node::PROMPT,
    node::ALLOWED,
    node::MAX_CALLS,
    node::INPUT,
    node::SCHEMA,
    node::CONDITION,
    EXIT,
    node::MOST,
    node::CASES,
    node::LOOP,
    node::ENABLED,
    node::TIMEOUT,
    node::RETRIES,
    node::OUTCOME,
    node::POSITION,
    TRANSFORM,
];
/// Here `condition` is a field of its own, since the type of the node may not be stated.
const EXIT: Names = &["exit_condition"];
const TRANSFORM: Names = &["transform"];

/// Reads the members that change.
fn change(
    it: &Part<'_>,
    id: Option<String>,
    context: &Context<'_>,
    findings: &mut Findings,
) -> Option<Change> {
    let object = Object::new(it.clone(), context.strictness, findings)?;
    for member in object.unknown(&FIELDS) {
        findings.push(member.finding(Severity::Error, " in a change"));
    }
    report_nulls(&object, findings);
    let presence = if id.is_some() { Nullable } else { Required };
    let own = object.name(node::ID, presence, findings);
    if id.is_none() && own.is_none() {
        return None;
    }
    let mut change = Change {
        id: agreed(id, own.unwrap_or_default(), it, findings),
        name: object.text(node::NAME, Nullable, findings),
        description: object.text(node::DESCRIPTION, Nullable, findings),
        node_type: node_type(&object, context, findings),
        enabled: object.bool(node::ENABLED, findings),
        timeout_ms: object.count(node::TIMEOUT, findings),
        retries: object.count(node::RETRIES, findings),
        expected_outcome: object.text(node::OUTCOME, Nullable, findings),
        position: node::position(&object, findings),
        metadata: map(&object, METADATA, findings),
        ..Change::default()
    };
    kind(&mut change, &object, context, findings);
    fields(&mut change, &object, findings);
    admit(&mut change, &object, context, findings)?;
    if change == (Change { id: change.id.clone(), ..Change::default() }) && !findings.failed() {
        let message = "change has no effect";
        findings.error(code::MISSING_FIELD, object.path(), object.span(), message);
    }
    Some(change)
}

/// Reports fields that are null: a change cannot clear them, and a whole node may list them so.
fn report_nulls(object: &Object<'_>, findings: &mut Findings) {
    for names in FIELDS {
        let Some(it) = object.find(names).filter(|it| it.node.is_null()) else { continue };
        let name = names.first().copied().unwrap_or_default();
        let message = format!("`{name}` is null and stays as it is");
        let row = Diagnostic::new(code::LEFT_ASIDE, Severity::Warning, message);
        let help = "To clear it, write the whole node under `replace`.";
        findings.push(row.at(it.span()).on(it.path).help(help));
    }
}

/// Reads the type, which `kind` may state too.
fn node_type(
    object: &Object<'_>,
    context: &Context<'_>,
    findings: &mut Findings,
) -> Option<NodeType> {
    let it = object.find(TYPE).filter(|it| !it.node.is_null());
    let it = it.or_else(|| object.find(KIND).filter(|it| named_type(it.node).is_some()))?;
    let name = it.clone().noted(findings).text(findings)?;
    let found = node::type_of(&name, &it, findings)?;
    context.admit_type(found, &it, findings);
    Some(found)
}

/// Returns the type that a string names.
fn named_type(node: Node<'_>) -> Option<NodeType> {
    let name = folded(node.str()?);
    NodeType::ALL.into_iter().find(|known| folded(known.as_str()) == name)
}

/// Reads `kind`: a whole kind, a type, or the kind of a transformation.
fn kind(change: &mut Change, object: &Object<'_>, context: &Context<'_>, findings: &mut Findings) {
    change.transform = object.text(TRANSFORM, Nullable, findings);
    let Some(it) = object.field(KIND, Nullable, findings) else { return };
    match named_type(it.node) {
        Some(found) if change.node_type == Some(found) => {}
        _ if it.node.kind() == Kind::String && change.transform.is_none() => {
            change.transform = it.text(findings);
        }
        _ => {
            let node = node::read(&it, LoopId::Required, context, findings);
            change.kind = node.map(|node| node.kind);
            let tool = object.find(node::TOOL).or_else(|| object.find(node::ARGUMENTS));
            if tool.is_some_and(|it| !it.node.is_null()) {
                let message = "a change sets either `kind`, or `tool` and `arguments`, not both";
                findings.error(code::WRONG_TYPE, object.path(), object.span(), message);
            }
        }
    }
}

/// Reads the fields of a kind.
fn fields(change: &mut Change, object: &Object<'_>, findings: &mut Findings) {
    let given = |names: Names| object.find(names).is_some_and(|it| !it.node.is_null());
    change.tool = object.text(node::TOOL, Nullable, findings);
    if given(node::ARGUMENTS) {
        change.arguments = Some(json_text::map(object, node::ARGUMENTS, findings));
    }
    change.prompt = object.text(node::PROMPT, Nullable, findings);
    if given(node::ALLOWED) {
        change.allowed_tools = Some(object.texts(node::ALLOWED, Nullable, findings));
    }
    change.max_tool_calls = object.count(node::MAX_CALLS, findings);
    change.input_ref = object.text(node::INPUT, Nullable, findings);
    let schema = object.field(node::SCHEMA, Nullable, findings);
    change.output_schema = schema.map(|it| it.carried(findings));
    if given(node::CONDITION) {
        change.condition = condition::read(object, node::CONDITION, findings);
    }
    if given(EXIT) {
        change.exit_condition = condition::read(object, EXIT, findings);
    }
    change.max_iterations = object.count(node::MOST, findings);
    if given(node::CASES) {
        change.cases = node::cases(object, findings);
    }
    change.loop_id = object.name(node::LOOP, Nullable, findings);
}

fn map(object: &Object<'_>, names: Names, findings: &mut Findings) -> Option<Map> {
    object.find(names).filter(|it| !it.node.is_null())?;
    Some(object.map(names, Nullable, findings))
}

/// Checks the tool of a change.
fn admit(
    change: &mut Change,
    object: &Object<'_>,
    context: &Context<'_>,
    findings: &mut Findings,
) -> Option<()> {
    if matches!(change.kind, Some(NodeKind::Tool { .. })) {
        return Some(());
    }
    let Some(tool) = &mut change.tool else { return Some(()) };
    let named = object.find(node::TOOL)?;
    let part = object.find(node::ARGUMENTS).map(|it| it.canonical).unwrap_or_default();
    context.admit_tool(tool, &named.path, named.span(), findings);
    if let Some(arguments) = &mut change.arguments {
        context.fit(tool, &Map::new(), arguments, &part, findings);
    }
    Some(())
}
