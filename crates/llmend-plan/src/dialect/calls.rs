//! Common parts of the tool call dialects.
//!
//! A call is a step with a tool and inputs. It has no field for dependencies: all calls of a message may
//! run at once, except those whose inputs refer to another call's result.

use std::collections::HashSet;

use llmend_json::{Diagnostic, Kind, Node, Search, Severity};

use crate::{
    Map, Plan, Step,
    check::UNDECLARED,
    findings::{Findings, shown},
    losses::Losses,
    object::{
        Names, Object, Part,
        Presence::{Nullable, Required},
    },
    read::{
        context::Context,
        json_text,
        steps::{self, StepIds},
    },
};

/// Field names of a call.
pub(super) struct CallFields {
    pub(super) id: Names,
    pub(super) name: Names,
    pub(super) arguments: Names,
    /// Other known fields, which are ignored.
    pub(super) ignored: &'static [Names],
}

/// Reads the calls `items` of `list` as steps.
pub(super) fn read<'v>(
    list: &Part<'v>,
    items: Vec<Part<'v>>,
    fields: &CallFields,
    inner: impl Fn(&Part<'v>) -> Option<Part<'v>>,
    context: &mut Context<'_>,
) -> Vec<Step> {
    let named = |it: &Part<'_>| {
        fields.id.iter().any(|name| it.node.get(name).is_some_and(|id| !id.is_null()))
    };
    let ids = if items.iter().any(named) { StepIds::Given } else { StepIds::Numbered };
    let any = !items.is_empty();
    let mut steps = steps::read(list, items.into_iter(), context, |it, context, findings| {
        step(it, ids, fields, &inner, context, findings)
    });
    if ids == StepIds::Numbered && any {
        steps::report_numbered(
            "no call has an `id`; calls are numbered from 1",
            list,
            &steps,
            context,
        );
    }
    add_dependencies(&mut steps, context);
    steps
}

/// Adds a dependency for each reference.
pub(super) fn add_dependencies(steps: &mut [Step], context: &mut Context<'_>) {
    let implied = implied(steps);
    let mut locations = context.lists.get_mut("steps").map(Vec::as_mut_slice).unwrap_or_default();
    for (step, earlier) in steps.iter_mut().zip(implied) {
        let mut place = None;
        if let Some((first, rest)) = std::mem::take(&mut locations).split_first_mut() {
            (place, locations) = (Some(first), rest);
        }
        for (nth, id) in earlier.iter().enumerate() {
            let message = format!("added dependency on `{}`, which the inputs refer to", shown(id));
            let row = Diagnostic::new(UNDECLARED, Severity::Info, message);
            let Some(place) = place.as_mut() else { continue };
            context.findings.push(place.shown(row, "/inputs"));
            let inputs = place.parts.get("/inputs").or(place.whole.as_ref()).cloned();
            place.parts.extend(inputs.map(|inputs| (format!("/depends_on/{nth}"), inputs)));
        }
        step.depends_on = earlier;
    }
}

/// Returns the other steps that each step refers to in its inputs, without duplicates.
fn implied(steps: &[Step]) -> Vec<Vec<String>> {
    let ids: HashSet<&str> = steps.iter().map(|step| step.id.as_str()).collect();
    let of_step = |step: &Step| {
        let mut seen = HashSet::new();
        let others = steps::referred(step).into_iter();
        let others = others.filter(|name| ids.contains(name) && *name != step.id);
        others.filter(|name| seen.insert(*name)).map(str::to_owned).collect()
    };
    steps.iter().map(of_step).collect()
}

fn step<'v>(
    it: &Part<'v>,
    ids: StepIds,
    fields: &CallFields,
    inner: impl Fn(&Part<'v>) -> Option<Part<'v>>,
    context: &Context<'_>,
    findings: &mut Findings,
) -> Step {
    let Some(outer) = Object::new(it.clone(), context.strictness, findings) else {
        return Step::default();
    };
    let id = match ids {
        StepIds::Given => outer.name(fields.id, Required, findings).unwrap_or_default(),
        StepIds::Numbered => steps::number(&it.path).to_string(),
    };
    let call = inner(it).and_then(|call| Object::new(call, context.strictness, findings));
    let call = call.unwrap_or_else(|| outer.clone());
    let tool = call.text(fields.name, Required, findings);
    let mut inputs = inputs(&call, fields.arguments, findings);
    let mut tool = tool;
    if let Some(tool) = &mut tool {
        context.admit_type(crate::NodeType::Tool, it, findings);
        let named = call.find(fields.name).unwrap_or_else(|| it.clone());
        context.admit_tool(tool, &named.path, named.span(), findings);
        context.fit(tool, &Map::new(), &mut inputs, "/inputs", findings);
    }
    let known = [&[fields.id, fields.name, fields.arguments], fields.ignored].concat();
    for member in outer.unknown(&known) {
        findings.push(member.finding(Severity::Warning, "; ignored"));
    }
    Step { id, tool, inputs, ..Step::default() }
}

/// Reads the arguments: an object, or a text that contains one.
fn inputs(call: &Object<'_>, names: Names, findings: &mut Findings) -> Map {
    let text = call.find(names).filter(|it| it.node.kind() == Kind::String);
    let Some(it) = text else { return call.map(names, Nullable, findings) };
    let canonical = "/inputs".to_owned();
    json_text::members(&Part { canonical, ..it }.noted(findings), Search::On, findings)
}

/// Joins the texts beside the calls, as the plan's notes.
pub(super) fn notes<'v>(texts: impl Iterator<Item = Node<'v>>) -> Option<String> {
    let texts: Vec<&str> = texts.filter_map(Node::str).filter(|text| !text.is_empty()).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

/// Restricts a plan to what calls can represent.
pub(crate) fn restrict(plan: &mut Plan, losses: &mut Losses) {
    losses.take(&mut plan.version, "/version");
    losses.take(&mut plan.objective, "/objective");
    losses.list(&mut plan.constraints, "/constraints");
    losses.list(&mut plan.success_criteria, "/success_criteria");
    losses.map(&mut plan.metadata, "/metadata");
    if plan.notes.as_deref() == Some("") {
        losses.take(&mut plan.notes, "/notes");
    }
    let implied = implied(&plan.steps);
    for ((at, step), implied) in plan.steps.iter_mut().enumerate().zip(implied) {
        losses.need(step.tool.as_ref(), &format!("/steps/{at}/tool"));
        losses.take(&mut step.title, &format!("/steps/{at}/title"));
        losses.take(&mut step.description, &format!("/steps/{at}/description"));
        losses.flag(&mut step.depends_on, implied, &format!("/steps/{at}/depends_on"));
        losses.take(&mut step.expected_output, &format!("/steps/{at}/expected_output"));
        losses.map(&mut step.metadata, &format!("/steps/{at}/metadata"));
    }
}
