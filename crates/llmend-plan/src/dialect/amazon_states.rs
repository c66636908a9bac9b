//! State machines in Amazon States Language.
//!
//! A state becomes a node with the state's name as its id: a `Task` a tool node, a `Choice` an If or a
//! Switch, a `Map` a loop over its items, any other state a tool node with the type as its tool. The
//! machines in a `Parallel` or `Map` state become part of the flow. What a state catches and retries is
//! kept as metadata.

use std::collections::HashSet;

use llmend_json::{Kind, Node};

use crate::{
    Condition, Map, NodeKind, Operator, Output, ValueRef, Workflow, code,
    findings::{Findings, shown},
    locations::below,
    object::{
        Names, Object, Part,
        Presence::{Nullable, Required},
    },
    read::{
        assembly::{Assembly, Successor, metadata, place},
        context::Context,
        list, steps,
    },
};

mod choice;

const START: Names = &["StartAt", "startAt", "start_at"];
const STATES: Names = &["States", "states"];
const COMMENT: Names = &["Comment", "comment"];
const MACHINE: [Names; 3] = [START, STATES, COMMENT];
/// Fields of a machine that are kept as metadata.
const MACHINE_KEPT: &[Names] = &[&["TimeoutSeconds"], &["Version"], &["QueryLanguage"]];

const TYPE: Names = &["Type", "type"];
const NEXT: Names = &["Next", "next"];
const END: Names = &["End", "end"];
const RESOURCE: Names = &["Resource", "resource"];
const ARGUMENTS: Names = &["Parameters", "Arguments", "parameters", "arguments"];
const TIMEOUT: Names = &["TimeoutSeconds"];
const CHOICES: Names = &["Choices", "choices"];
const DEFAULT: Names = &["Default", "default"];
const BRANCHES: Names = &["Branches", "branches"];
const PROCESSOR: Names = &["ItemProcessor", "Iterator", "itemProcessor", "iterator"];
/// Fields of a state that are kept as metadata.
const KEPT: &[Names] = &[
    &["InputPath"],
    &["OutputPath"],
    &["ResultPath"],
    &["ResultSelector"],
    &["Assign"],
    &["Output"],
    &["Retry"],
    &["Catch"],
    &["HeartbeatSeconds"],
    &["HeartbeatSecondsPath"],
    &["TimeoutSecondsPath"],
    &["Credentials"],
    &["QueryLanguage"],
    &["ItemsPath"],
    &["Items"],
    &["ItemSelector"],
    &["ItemReader"],
    &["ItemBatcher"],
    &["ResultWriter"],
    &["MaxConcurrency"],
    &["MaxConcurrencyPath"],
    &["ToleratedFailureCount"],
    &["ToleratedFailurePercentage"],
    &["Label"],
];
/// Fields of states without a tool that say what they do.
const DOING: &[Names] = &[
    &["Seconds"],
    &["SecondsPath"],
    &["Timestamp"],
    &["TimestampPath"],
    &["Result"],
    &["Error"],
    &["ErrorPath"],
    &["Cause"],
    &["CausePath"],
];

/// Returns whether a value is a state machine.
pub(super) fn fits(node: Node<'_>) -> bool {
    let has = |names: Names, kind: Kind| {
        names.iter().any(|name| node.get(name).is_some_and(|it| it.kind() == kind))
    };
    has(START, Kind::String) && has(STATES, Kind::Object)
}

/// Names of fields with which a wrapped machine is found.
pub(super) const MARKS: Names = START;

/// A machine that is still to be read.
struct Machine<'v> {
    object: Object<'v>,
    /// The node to which its last states lead.
    exit: Option<String>,
}

/// A state that was read.
struct State<'v> {
    node: Option<crate::Node>,
    arrows: Vec<Successor>,
    /// Where the state leads after its own machines, if it has some.
    inner: Vec<Machine<'v>>,
    /// The end of its loop.
    end: Option<String>,
}

/// Reads a workflow.
pub(super) fn read(node: Node<'_>, context: &mut Context<'_>) -> Option<Workflow> {
    let (strictness, findings) = (context.strictness, &mut context.findings);
    let root = list::unwrap(node, &[MARKS], strictness, findings);
    let whole = place(&root);
    let object = Object::new(root, strictness, findings)?;
    let start = object.text(START, Required, findings);
    let starts_at = object.find(START).map(|it| place(&it));
    let objective = object.text(COMMENT, Nullable, findings);
    let mut kept = metadata(&object, &MACHINE, MACHINE_KEPT, findings);
    let names = names(object.node());
    let mut assembly = Assembly::default();
    let mut open = vec![Machine { object, exit: None }];
    while let Some(machine) = open.pop() {
        let inner = states(&machine, &names, &mut assembly, context);
        open.extend(inner.into_iter().rev());
    }
    if let Some((start, at)) = start.as_ref().zip(starts_at) {
        assembly.entry(start, &at);
    }
    if let Some(start) = start.filter(|start| assembly.leads_to(start)) {
        // The start cannot be told from the edges.
        kept.insert("StartAt".to_owned(), start.into());
    }
    let flow = assembly.finish(&whole, context);
    Some(Workflow { objective, metadata: kept, ..flow })
}

/// Returns the names of all states of a machine and of those in it.
fn names(machine: Node<'_>) -> HashSet<&str> {
    let (mut names, mut open) = (HashSet::new(), vec![machine]);
    while let Some(machine) = open.pop() {
        let states = STATES.iter().find_map(|name| machine.get(name));
        for (key, state) in states.into_iter().flat_map(Node::members) {
            names.extend(key.str());
            let branches = BRANCHES.iter().find_map(|name| state.get(name));
            open.extend(branches.into_iter().flat_map(Node::items));
            open.extend(PROCESSOR.iter().find_map(|name| state.get(name)));
        }
    }
    names
}

/// Reads the states of a machine, and returns the machines in them.
fn states<'v>(
    machine: &Machine<'v>,
    names: &HashSet<&str>,
    assembly: &mut Assembly,
    context: &mut Context<'_>,
) -> Vec<Machine<'v>> {
    let mut inner = Vec::new();
    let Some(states) = machine.object.field(STATES, Required, &mut context.findings) else {
        return inner;
    };
    if states.node.kind() != Kind::Object {
        context.findings.wrong_type(&states.path, states.node, "object");
        return inner;
    }
    for (key, node) in states.node.members() {
        let name = key.str().unwrap_or_default();
        let it = Part::item(node, below(&states.path, name));
        let end = assembly.free_id(&format!("{name}_end"), names);
        let item = context.item(
            |_: &State<'_>| steps::label(&it.path, ""),
            |context, findings| state(name, &it, machine, &end, context, findings),
        );
        let crate::read::context::ListItem { value: state, fate, locations } = item;
        let node = crate::read::context::ListItem { value: state.node, fate, locations };
        assembly.item(name, node, context);
        if fate != crate::read::context::Fate::Kept {
            continue;
        }
        for arrow in state.arrows {
            assembly.edge(name, &arrow.to, arrow.output, &arrow.place, context);
        }
        if let Some(end) = state.end {
            let place = place(&it);
            let kind = NodeKind::EndLoop { loop_id: name.to_owned() };
            let node = crate::Node::new(end.as_str(), kind);
            assembly.added(node, &place, "the end of the loop over the items", context);
            assembly.edge(&end, name, None, &place, context);
        }
        inner.extend(state.inner);
    }
    inner
}

fn state<'v>(
    name: &str,
    it: &Part<'v>,
    machine: &Machine<'v>,
    end: &str,
    context: &Context<'_>,
    findings: &mut Findings,
) -> State<'v> {
    let mut state = State { node: None, arrows: Vec::new(), inner: Vec::new(), end: None };
    let Some(object) = Object::new(it.clone(), context.strictness, findings) else { return state };
    let Some(kind) = object.text(TYPE, Required, findings) else { return state };
    let mut fields = vec![TYPE, COMMENT];
    let mut extra = Map::new();
    let read = match kind.as_str() {
        "Task" => {
            fields.extend([RESOURCE, ARGUMENTS, TIMEOUT, NEXT, END]);
            task(&object, it, context, &mut extra, findings)
        }
        "Choice" => {
            fields.extend([CHOICES, DEFAULT]);
            choice::read(&object, &mut extra, &mut state.arrows, findings)
        }
        "Map" => {
            fields.extend([PROCESSOR, ARGUMENTS, NEXT, END]);
            state.end = Some(end.to_owned());
            map(&object, end, &mut state, &mut extra, findings)
        }
        "Pass" | "Wait" | "Succeed" | "Fail" | "Parallel" => {
            fields.extend(DOING);
            fields.extend([ARGUMENTS, BRANCHES, NEXT, END]);
            Some(builtin(&kind, &object, &mut extra, findings))
        }
        _ => {
            let path = object.path_of("Type");
            let message = format!("unknown state type `{}`", shown(&kind));
            findings.error(code::UNKNOWN_TYPE, &path, it.span(), message);
            None
        }
    };
    if kind == "Parallel" {
        branches(&object, machine, &mut state, findings);
    } else if kind != "Choice" && kind != "Fail" {
        let output = (kind == "Map").then_some(Output::LoopDone);
        state.arrows.extend(next(&object, machine, kind == "Succeed", output, findings));
    }
    extra.extend(metadata(&object, &fields, KEPT, findings));
    report_catches(&object, findings);
    let node = read.map(|kind| crate::Node {
        description: object.text(COMMENT, Nullable, findings),
        timeout_ms: timeout(&object, findings),
        retries: retries(object.node()),
        metadata: extra,
        ..crate::Node::new(name, kind)
    });
    if let Some(node) = &node {
        context.admit_type(node.node_type(), it, findings);
    }
    State { node, ..state }
}

/// Reads a `Task`.
fn task(
    object: &Object<'_>,
    it: &Part<'_>,
    context: &Context<'_>,
    extra: &mut Map,
    findings: &mut Findings,
) -> Option<NodeKind> {
    let mut tool = object.text(RESOURCE, Required, findings)?;
    let mut arguments = arguments(object, extra, findings);
    context.admit_tool(&mut tool, &object.path_of("Resource"), it.span(), findings);
    context.fit(&tool, extra, &mut arguments, "/arguments", findings);
    Some(NodeKind::Tool { tool, arguments })
}

/// Reads the arguments of a state. An expression instead of an object is kept as metadata.
fn arguments(object: &Object<'_>, extra: &mut Map, findings: &mut Findings) -> Map {
    let Some(it) = object.find(ARGUMENTS) else { return Map::new() };
    let it = Part { canonical: "/arguments".to_owned(), ..it };
    match it.carried(findings) {
        serde_json::Value::Object(map) => map,
        other => {
            extra.insert("Arguments".to_owned(), other);
            Map::new()
        }
    }
}

/// Reads a state that does something of its own.
fn builtin(kind: &str, object: &Object<'_>, extra: &mut Map, findings: &mut Findings) -> NodeKind {
    let mut all = arguments(object, extra, findings);
    for name in DOING.iter().copied().flatten() {
        if let Some(it) = object.part(name, "/arguments") {
            all.insert((*name).to_owned(), it.carried(findings));
        }
    }
    NodeKind::Tool { tool: kind.to_owned(), arguments: all }
}

/// Returns the edge to the next state, or out of the machine.
fn next(
    object: &Object<'_>,
    machine: &Machine<'_>,
    is_end: bool,
    output: Option<Output>,
    findings: &mut Findings,
) -> Option<Successor> {
    if let Some(it) = object.find(NEXT) {
        let to = it.text(findings)?;
        return Some(Successor { to, output, place: place(&it) });
    }
    let end = object.find(END).filter(|it| it.node.bool() == Some(true));
    if end.is_none() && !is_end {
        let message = "the state has neither `Next` nor `End`; read as an end";
        findings.warn(code::MISSING_FIELD, &object.path_of("Next"), object.span(), message);
    }
    let at = end.map_or_else(
        || place(&Part::item(object.node(), object.path().to_owned())),
        |it| place(&it),
    );
    machine.exit.clone().map(|to| Successor { to, output, place: at })
}

/// Reads the machines of a `Parallel` state, all of which lead to the next state.
fn branches<'v>(
    object: &Object<'v>,
    machine: &Machine<'v>,
    state: &mut State<'v>,
    findings: &mut Findings,
) {
    let after = next(object, machine, false, None, findings);
    let exit = after.map(|arrow| arrow.to);
    let list = object.list(BRANCHES, Required, "array of state machines", findings);
    for it in list.iter().flat_map(Part::items) {
        let it = Part { canonical: String::new(), ..it };
        enter(it, exit.clone(), None, object, state, findings);
    }
}

/// Reads a `Map` state as a loop.
fn map<'v>(
    object: &Object<'v>,
    end: &str,
    state: &mut State<'v>,
    extra: &mut Map,
    findings: &mut Findings,
) -> Option<NodeKind> {
    let processor = object.field(PROCESSOR, Required, findings)?;
    let items = ["ItemsPath", "Items"].iter().find_map(|name| object.node().get(name)?.str());
    let items = items.unwrap_or("$").to_owned();
    let message = format!(
        "`{}` runs its states for each item of `{}`; read as a loop that ends when no item is left",
        shown(object.path()),
        shown(&items)
    );
    findings.warn(code::NOT_IN_FLOW, object.path(), object.span(), message);
    if let Some(it) = object.find(ARGUMENTS) {
        extra.insert("Parameters".to_owned(), it.carried(findings));
    }
    let it = Part { canonical: String::new(), ..processor };
    enter(it, Some(end.to_owned()), Some(Output::LoopBody), object, state, findings);
    let left = ValueRef::Variable { name: items };
    let exit_condition = Condition { left, operator: Operator::IsEmpty, right: None };
    Some(NodeKind::Loop { exit_condition, max_iterations: u32::MAX })
}

/// Enters a machine of a state.
fn enter<'v>(
    it: Part<'v>,
    exit: Option<String>,
    output: Option<Output>,
    around: &Object<'v>,
    state: &mut State<'v>,
    findings: &mut Findings,
) {
    // Its locations are those of its states.
    let Some(object) = Object::new(it, around.strictness, &mut Findings::default()) else {
        let message = "expected a state machine";
        return findings.error(code::WRONG_TYPE, around.path(), around.span(), message);
    };
    for member in object.unknown(&MACHINE) {
        let message = format!("`{}` of an inner state machine is ignored", shown(member.name));
        findings.warn(code::NOT_IN_FLOW, &member.path, member.span, message);
    }
    if let Some(comment) = object.find(COMMENT) {
        let message = "the comment of an inner state machine is ignored";
        findings.warn(code::NOT_IN_FLOW, &comment.path, comment.span(), message);
    }
    if let Some((to, place)) =
        object.find(START).and_then(|it| Some((it.node.str()?.to_owned(), place(&it))))
    {
        state.arrows.push(Successor { to, output, place });
    } else {
        let (path, message) = (object.path_of("StartAt"), "missing field `StartAt`");
        findings.error(code::MISSING_FIELD, &path, object.span(), message);
    }
    state.inner.push(Machine { object, exit });
}

/// Reports where errors lead, which is not part of the flow.
fn report_catches(object: &Object<'_>, findings: &mut Findings) {
    let catches = object.node().get("Catch").into_iter().flat_map(Node::items);
    for (at, catch) in catches.enumerate() {
        let to = catch.get("Next").and_then(Node::str).unwrap_or_default();
        let message = format!(
            "an error leads to `{}`; error handling is kept as metadata and is not part of the flow",
            shown(to)
        );
        let path = below(&object.path_of("Catch"), &at.to_string());
        findings.warn(code::NOT_IN_FLOW, &path, catch.span(), message);
    }
}

/// Returns the number of retries if it is the same for all errors.
fn retries(state: Node<'_>) -> u32 {
    let Some(list) = state.get("Retry").filter(|list| list.len() == 1) else { return 0 };
    let most = list.item(0).map(|it| it.get("MaxAttempts").and_then(Node::number));
    // Three is the default of the language.
    most.map_or(0, |most| most.map_or(3, |most| most.parse().unwrap_or_default()))
}

fn timeout(object: &Object<'_>, findings: &mut Findings) -> Option<u64> {
    let seconds: u64 = object.find(TIMEOUT)?.count(findings)?;
    Some(seconds.saturating_mul(1000))
}
