//! Reading lists of edges.

use llmend_json::{Diagnostic, Kind, Severity};

use crate::{
    Edge, Output, code,
    findings::{Findings, shown},
    object::{Names, Object, Part, Presence::Required},
    read::{
        condition::folded,
        context::{Context, Fate},
        gap::LocatedEdge,
        steps,
    },
};

const FROM: Names = &["from", "source"];
const TO: Names = &["to", "target"];
const OUTPUT: Names = &["output", "label", "when"];

/// Reads the edges of `list`.
pub(crate) fn read(list: &Part<'_>, context: &mut Context<'_>) -> Vec<LocatedEdge> {
    if !context.has_room(list) {
        return Vec::new();
    }
    let mut edges = Vec::new();
    for it in list.items() {
        let it = Part::item(it.node, it.path);
        let from = it.node.get("from").and_then(llmend_json::Node::str).unwrap_or_default();
        let item = context.item(
            |_: &Option<Edge>| steps::label(&it.path, from),
            |context, findings| one(it.clone(), context, findings),
        );
        if let Some(edge) = item.value.filter(|_| item.fate == Fate::Kept) {
            edges.push((edge, item.locations));
        }
    }
    edges
}

fn one(it: Part<'_>, context: &Context<'_>, findings: &mut Findings) -> Option<Edge> {
    let object = Object::new(it, context.strictness, findings)?;
    let from = object.name(FROM, Required, findings);
    let to = object.name(TO, Required, findings);
    let output = object.find(OUTPUT).filter(|it| !it.node.is_null());
    let wanted = output.is_some();
    let output = output.and_then(|it| label(&it.noted(findings), &object, findings));
    for member in object.unknown(&[FROM, TO, OUTPUT]) {
        let severity = match member.meant {
            Some(_) => Severity::Error,
            None => Severity::Warning,
        };
        findings.push(member.finding(severity, "; an edge has no such field"));
    }
    (output.is_some() || !wanted).then_some(())?;
    Some(Edge { from: from?, to: to?, output })
}

const TYPE: Names = &["type"];
const NAME: Names = &["name", "case"];

/// Reads a label: `{"type": "IfTrue"}`, or just its name.
fn label(it: &Part<'_>, around: &Object<'_>, findings: &mut Findings) -> Option<Output> {
    if it.node.kind() == Kind::String {
        let name = it.text(findings)?;
        return from_name(&name, None).or_else(|| report_unknown(&name, it, findings));
    }
    let object = Object::new(it.clone(), around.strictness, findings)?;
    let tag = object.field(TYPE, Required, findings)?;
    let name = tag.text(findings)?;
    let is_case = folded(&name) == "switchcase";
    let case = is_case.then(|| object.name(NAME, Required, findings)).flatten();
    let known: &[Names] = if is_case { &[TYPE, NAME] } else { &[TYPE] };
    object.forbid_unknown(known, findings);
    if is_case && case.is_none() {
        return None;
    }
    from_name(&name, case).or_else(|| report_unknown(&name, &tag, findings))
}

fn from_name(name: &str, case: Option<String>) -> Option<Output> {
    Some(match (folded(name).as_str(), case) {
        ("iftrue" | "true" | "then" | "yes", None) => Output::IfTrue,
        ("iffalse" | "false" | "else" | "no", None) => Output::IfFalse,
        ("switchdefault" | "default", None) => Output::SwitchDefault,
        ("loopbody" | "body", None) => Output::LoopBody,
        ("loopdone" | "done" | "exit", None) => Output::LoopDone,
        (_, Some(name)) => Output::SwitchCase { name },
        _ => return None,
    })
}

/// Help for an unknown label.
const LABELS: &str = "Use `if_true`, `if_false`, `switch_default`, `loop_body`, `loop_done`, or {\"type\": \"switch_case\", \"name\": …} for a case.";

fn report_unknown(name: &str, it: &Part<'_>, findings: &mut Findings) -> Option<Output> {
    let message = format!("unknown edge label `{}`", shown(name));
    let row = Diagnostic::new(code::UNKNOWN_OUTPUT, Severity::Error, message).help(LABELS);
    findings.push(row.at(it.span()).on(it.path.as_str()));
    None
}
