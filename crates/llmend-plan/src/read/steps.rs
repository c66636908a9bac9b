//! Reading lists of steps.

use std::collections::{HashMap, HashSet};

use llmend_json::{Kind, Node};
use serde_json::Value;

use crate::{
    NodeType, OnBadStep, Step, Strictness, code,
    findings::{Findings, shown},
    locations::ItemLocations,
    object::{Names, Object, Part, Presence},
    read::{
        context::{Context, Fate, ListItem},
        gap, json_text, quoted_call,
    },
    reference,
};

/// Names of the fields of a step.
pub(crate) struct StepFields {
    pub(crate) id: Names,
    pub(crate) title: Names,
    pub(crate) description: Names,
    pub(crate) tool: Names,
    pub(crate) inputs: Names,
    pub(crate) depends_on: Names,
    pub(crate) expected_output: Names,
    /// The steps that depend on this one; see [`Successors`](crate::read::successors::Successors).
    pub(crate) successors: Names,
}

impl StepFields {
    /// The canonical names, and those that models use.
    pub(crate) const CANONICAL: Self = Self {
        id: &["id", "step_id", "stepId", "task_id", "taskId", "number"],
        title: &["title", "name"],
        description: &["description", "instruction", "task", "details", "content"],
        tool: &["tool", "tool_name", "action", "function", "agent_name", "agent"],
        inputs: &["inputs", "args", "arguments", "parameters", "params", "input"],
        depends_on: &[
            "depends_on",
            "dependsOn",
            "dependencies",
            "deps",
            "needs",
            "after",
            "requires",
            "prerequisites",
            "predecessors",
            "blocked_by",
            "blocked_by_task_ids",
            "blockedBy",
            "dependent_task_ids",
            "dependency_task_ids",
            "depends_on_task_ids",
            "prerequisite_task_ids",
            "parent_task_ids",
            "previous_task_ids",
            "required_task_ids",
            "upstream_task_ids",
        ],
        expected_output: &["expected_output", "expected_outcome", "expectedOutput"],
        successors: &[],
    };

    /// The names of the dependencies, where the context of a step is a list of other steps.
    pub(crate) const WITH_CONTEXT: Names = &["depends_on", "context"];

    /// Returns the names for `item`. Its `step` is the id if it is a number, and the description if it
    /// is a string; its `name` is the tool if the item is a bare call.
    fn of(&self, item: Node<'_>) -> Self {
        let lacks = |names: &[&str]| !names.iter().any(|name| item.get(name).is_some());
        let mut fields = Self { ..*self };
        match item.get("step").map(Node::kind) {
            Some(Kind::Number) if lacks(self.id) => fields.id = &["id", "step"],
            Some(Kind::String) if lacks(self.description) => {
                fields.description = &["description", "step"];
            }
            _ => {}
        }
        if self.title.contains(&"name") && lacks(self.tool) && is_bare_call(item) {
            fields.title = &["title"];
            fields.tool = &["tool", "name"];
        }
        fields
    }

    pub(crate) fn all(&self) -> [Names; 8] {
        [
            self.id,
            self.title,
            self.description,
            self.tool,
            self.inputs,
            self.depends_on,
            self.expected_output,
            self.successors,
        ]
    }
}

/// Returns whether `item` is a tool call without an envelope, such as
/// `{"name": "search", "arguments": {"q": "x"}}`. A title is a phrase and has no arguments.
fn is_bare_call(item: Node<'_>) -> bool {
    let in_tool_name = |at: char| at.is_alphanumeric() || "_-.:/".contains(at);
    let name = item.get("name").and_then(Node::str).unwrap_or_default();
    let arguments = ["arguments", "args", "parameters", "params", "input"];
    let takes = |field: &&str| item.get(field).is_some_and(|it| it.kind() == Kind::Object);
    !name.is_empty() && name.chars().all(in_tool_name) && arguments.iter().any(takes)
}

/// Returns the names by which the items may refer to each other: their ids, or without these their
/// titles.
pub(crate) fn names<'v>(list: &Part<'v>, ids: StepIds) -> HashSet<&'v str> {
    let names = match ids {
        StepIds::Given => StepFields::CANONICAL.id,
        StepIds::Numbered => StepFields::CANONICAL.title,
    };
    let of_item = |item: Node<'v>| names.iter().find_map(|name| item.get(name));
    list.node.items().filter_map(of_item).filter_map(name_of).collect()
}

/// Returns the text of a name, which may be a number.
pub(crate) fn name_of(node: Node<'_>) -> Option<&str> {
    node.str().or_else(|| node.number())
}

/// Returns whether the `context` of `item` is a list of other steps, as in `CrewAI`, and it states its
/// dependencies nowhere else.
pub(crate) fn context_is_steps(item: Node<'_>, names: &HashSet<&str>) -> bool {
    let stated = StepFields::CANONICAL.depends_on.iter().any(|name| item.get(name).is_some());
    let context = item.get("context").filter(|it| it.kind() == Kind::Array && !it.is_empty());
    let known = |it: Node<'_>| name_of(it).is_some_and(|name| names.contains(name));
    !stated && context.is_some_and(|it| it.items().all(known))
}

/// The origin of step ids.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum StepIds {
    /// The source has ids.
    Given,
    /// No step has an id: steps are numbered from 1, as models count.
    Numbered,
}

/// Returns the origin of the ids of `list`: steps are numbered if none has an id, and each is a string
/// or has a known field.
pub(crate) fn ids(list: &Part<'_>, fields: &StepFields, strictness: Strictness) -> StepIds {
    let nameless = |item: Node<'_>| match item.kind() {
        Kind::String => true,
        Kind::Object => {
            let fields = fields.of(item);
            let has = |names: &[&str]| names.iter().any(|name| item.get(name).is_some());
            !has(fields.id) && fields.all().into_iter().any(has)
        }
        _ => false,
    };
    let mut items = list.node.items();
    let numbered = strictness == Strictness::Lenient && list.node.item(0).is_some();
    if numbered && items.all(nameless) { StepIds::Numbered } else { StepIds::Given }
}

/// Reports that steps were numbered, with a warning if their references may count from 0.
pub(crate) fn report_numbered(
    message: &str,
    list: &Part<'_>,
    steps: &[Step],
    context: &mut Context<'_>,
) {
    let (path, span) = (&list.path, list.span());
    if may_count_from_zero(steps) {
        let message = format!("{message}; references by number may count from 0");
        context.findings.warn(code::NUMBERED, path, span, message);
    } else {
        context.findings.remark(code::NUMBERED, path, span, message);
    }
}

/// Returns whether the references of numbered steps may count from 0: all of them would then still
/// refer to an earlier step.
pub(crate) fn may_count_from_zero(steps: &[Step]) -> bool {
    let mut any = false;
    for step in steps {
        let Ok(number) = step.id.parse::<usize>() else { continue };
        let named = step.depends_on.iter().map(String::as_str).chain(referred(step));
        for to in named.filter_map(|name| name.parse::<usize>().ok()) {
            any = true;
            if to.saturating_add(1) >= number {
                return false;
            }
        }
    }
    any
}

/// Returns the steps to which the inputs of `step` refer, in order.
pub(crate) fn referred(step: &Step) -> Vec<&str> {
    let mut found = Vec::new();
    let mut open: Vec<&Value> = step.inputs.values().rev().collect();
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) => {
                found.extend(reference::references(text).into_iter().map(|found| found.step));
            }
            Value::Array(items) => open.extend(items.iter().rev()),
            Value::Object(map) => open.extend(map.values().rev()),
            _ => {}
        }
    }
    found
}

/// Reads the steps of `list`, and drops or bridges the dependencies on omitted ones.
pub(crate) fn read<'v>(
    list: &Part<'v>,
    items: impl Iterator<Item = Part<'v>>,
    context: &mut Context<'_>,
    step: impl Fn(&Part<'v>, &Context<'_>, &mut Findings) -> Step,
) -> Vec<Step> {
    if !context.has_room(list) {
        return Vec::new();
    }
    let items: Vec<ListItem<Step>> = items
        .map(|it| {
            let it = Part::item(it.node, it.path);
            let path = it.path.clone();
            context.item(
                |step: &Step| label(&path, &step.id),
                |context, findings| step(&it.noted(findings), context, findings),
            )
        })
        .collect();
    let given = items.len();
    let (steps, locations) = keep_valid(items, context);
    if steps.is_empty() && context.dialect.needs_steps() {
        context.report_no_steps(list.span(), &list.path, given);
    }
    context.lists.insert("steps".to_owned(), locations);
    steps
}

/// Returns the label of the item at `path` for a warning: its index in the list, and its id if it has
/// one.
pub(crate) fn label(path: &str, id: &str) -> String {
    let mut tokens = path.rsplit('/');
    let (at, list) = (tokens.next().unwrap_or_default(), tokens.next().unwrap_or_default());
    let list = if list.is_empty() { "the list" } else { list };
    match id {
        "" => format!("{list}[{at}]"),
        id => format!("{list}[{at}] (`{}`)", shown(id)),
    }
}

/// Returns the kept steps, with their dependencies resolved and those on omitted steps dropped or bridged.
pub(crate) fn keep_valid(
    items: Vec<ListItem<Step>>,
    context: &mut Context<'_>,
) -> (Vec<Step>, Vec<ItemLocations>) {
    let (mut steps, mut locations, mut omitted) = (Vec::new(), Vec::new(), HashMap::new());
    for item in items {
        if item.fate == Fate::Kept {
            steps.push(item.value);
            locations.push(item.locations);
        } else if !item.value.id.is_empty() {
            omitted.insert(item.value.id, item.value.depends_on);
        }
    }
    let ids: HashSet<String> = steps.iter().map(|step| step.id.clone()).collect();
    omitted.retain(|id, _| !ids.contains(id));
    if context.strictness == Strictness::Lenient {
        let known = |name: &str| ids.contains(name) || omitted.contains_key(name);
        for (step, item) in steps.iter_mut().zip(&mut locations) {
            resolve_all(&mut step.depends_on, item, known);
        }
        for earlier in omitted.values_mut().flatten() {
            resolve(earlier, |name| ids.contains(name));
        }
    }
    if context.policy != OnBadStep::Fail {
        gap::in_plan(&mut steps, &mut locations, &omitted, context);
    }
    (steps, locations)
}

/// Resolves dependencies to ids of steps; see [`split`] and [`resolve`].
pub(crate) fn resolve_all(
    depends_on: &mut Vec<String>,
    locations: &mut ItemLocations,
    known: impl Fn(&str) -> bool + Copy,
) {
    split(depends_on, locations, known);
    for earlier in depends_on {
        resolve(earlier, known);
    }
}

/// Resolves dependencies to the id of the only step that has this title.
pub(crate) fn resolve_titles(steps: &mut [Step]) {
    let ids: HashSet<String> = steps.iter().map(|step| step.id.clone()).collect();
    let mut titled: HashMap<String, Option<String>> = HashMap::new();
    for step in steps.iter() {
        if let Some(title) = &step.title {
            let only = titled.entry(title.clone());
            only.and_modify(|id| *id = None).or_insert(Some(step.id.clone()));
        }
    }
    for earlier in steps.iter_mut().flat_map(|step| &mut step.depends_on) {
        if let Some(Some(id)) = titled.get(earlier.as_str()).filter(|_| !ids.contains(earlier)) {
            earlier.clone_from(id);
        }
    }
}

/// Splits a single dependency `a, b` into `a` and `b`, if such steps exist.
fn split(
    depends_on: &mut Vec<String>,
    locations: &mut ItemLocations,
    known: impl Fn(&str) -> bool,
) {
    let [one] = depends_on.as_slice() else { return };
    let names: Vec<String> = one.split(',').map(|name| name.trim().to_owned()).collect();
    if known(one) || names.len() < 2 || !names.iter().all(|name| known(name)) {
        return;
    }
    if let Some(place) = locations.parts.get("/depends_on/0").cloned() {
        let parts = (1..names.len()).map(|at| (format!("/depends_on/{at}"), place.clone()));
        locations.parts.extend(parts);
    }
    *depends_on = names;
}

/// Resolves references such as `{{a.response.x}}`, `$1` and `#E1` to the id of the step, if it exists.
fn resolve(earlier: &mut String, known: impl Fn(&str) -> bool) {
    if known(earlier) {
        return;
    }
    let meant = match reference::only(earlier) {
        Some(found) => Some(found.step)
            .into_iter()
            .chain(found.step.strip_prefix('E'))
            .find(|step| known(step)),
        None => earlier.split_once('.').map(|(step, _)| step).filter(|step| known(step)),
    };
    if let Some(meant) = meant {
        *earlier = meant.to_owned();
    }
}

/// Reads a canonical step.
pub(crate) fn canonical(
    it: &Part<'_>,
    ids: StepIds,
    fields: &StepFields,
    context: &Context<'_>,
    findings: &mut Findings,
) -> Step {
    let (number, fields) = (number(&it.path), &fields.of(it.node));
    if let Some(text) = it.node.str().filter(|_| ids == StepIds::Numbered) {
        it.clone().noted(findings);
        context.admit_type(NodeType::AiStep, it, findings);
        quoted_call::check(text, &it.path, it.span(), context, findings);
        let description = Some(text.to_owned());
        return Step { id: number.to_string(), description, ..Step::default() };
    }
    let Some(object) = Object::new(it.clone(), context.strictness, findings) else {
        return Step::default();
    };
    let mut step = Step {
        id: match ids {
            StepIds::Numbered => number.to_string(),
            StepIds::Given => {
                object.name(fields.id, Presence::Required, findings).unwrap_or_default()
            }
        },
        title: object.text(fields.title, Presence::Nullable, findings),
        description: object.text(fields.description, Presence::Nullable, findings),
        tool: object.text(fields.tool, Presence::Nullable, findings),
        inputs: json_text::map(&object, fields.inputs, findings),
        depends_on: depends_on(&object, fields.depends_on, findings),
        expected_output: object.text(fields.expected_output, Presence::Nullable, findings),
        metadata: object.metadata(&fields.all(), findings),
    };
    admit(&mut step, &object, fields, it, context, findings);
    step
}

/// Returns the number of the item at `path` in its list, from 1.
pub(crate) fn number(path: &str) -> usize {
    let at = path.rsplit('/').next().and_then(|at| at.parse::<usize>().ok());
    at.unwrap_or_default().saturating_add(1)
}

/// Checks the type and the tool of a step.
pub(crate) fn admit(
    step: &mut Step,
    object: &Object<'_>,
    fields: &StepFields,
    it: &Part<'_>,
    context: &Context<'_>,
    findings: &mut Findings,
) {
    let Some(tool) = &mut step.tool else {
        if let Some((text, names)) = only_text(step, fields) {
            let said = object.find(names).unwrap_or_else(|| it.clone());
            quoted_call::check(text, &said.path, said.span(), context, findings);
        }
        return context.admit_type(NodeType::AiStep, it, findings);
    };
    context.admit_type(NodeType::Tool, it, findings);
    let named = object.find(fields.tool).unwrap_or_else(|| it.clone());
    if context.options.catalog.is_none() && step.inputs.is_empty() {
        quoted_call::check(tool, &named.path, named.span(), context, findings);
    }
    context.admit_tool(tool, &named.path, named.span(), findings);
    context.fit(tool, &step.metadata, &mut step.inputs, "/inputs", findings);
}

/// Returns the only text of a step without a tool, with the names of its field.
fn only_text<'s>(step: &'s Step, fields: &StepFields) -> Option<(&'s str, Names)> {
    match (step.title.as_deref(), step.description.as_deref()) {
        (Some(text), None) => Some((text, fields.title)),
        (None, Some(text)) => Some((text, fields.description)),
        _ => None,
    }
    .filter(|_| step.inputs.is_empty())
}

/// Reads the dependencies of a step: a list of ids, or in lenient mode a single id or objects with an
/// id.
pub(crate) fn depends_on(
    object: &Object<'_>,
    names: Names,
    findings: &mut Findings,
) -> Vec<String> {
    let presence = if object.strictness == Strictness::Strict {
        Presence::Optional
    } else {
        Presence::Nullable
    };
    if object.strictness == Strictness::Strict {
        return object.texts(names, presence, findings);
    }
    let Some(found) = object.find(names).filter(|found| !found.node.is_null()) else {
        return Vec::new();
    };
    if matches!(found.node.kind(), Kind::String | Kind::Number) {
        let one = Part { canonical: format!("{}/0", found.canonical), ..found }.noted(findings);
        return one
            .name(object.strictness, findings)
            .into_iter()
            .filter(|name| !name.is_empty())
            .collect();
    }
    let Some(list) = object.list(names, presence, "array of step ids", findings) else {
        return Vec::new();
    };
    let mut earlier = Vec::new();
    for item in list.items() {
        let id = StepFields::CANONICAL.id.iter().find_map(|name| item.node.get(name));
        let inner = match id {
            Some(node) => Part { node, ..item },
            None => item,
        };
        earlier.extend(inner.noted(findings).name(object.strictness, findings));
    }
    earlier
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_may_count_from_zero_unless_one_says_otherwise() {
        let rows = [
            // Of each step, what it depends on.
            ("[[], []]", false),
            (r#"[[], ["1"]]"#, false),
            (r#"[[], ["0"], ["1"]]"#, true),
            (r#"[[], [], ["1"]]"#, true),
            (r#"[[], ["1"], ["1"]]"#, false),
            (r#"[[], ["x"]]"#, false),
        ];
        for (text, expected) in rows {
            let lists: Vec<Vec<String>> = serde_json::from_str(text).unwrap();
            let numbered = (1..).zip(lists);
            let steps: Vec<Step> = numbered
                .map(|(at, depends_on)| Step { id: format!("{at}"), depends_on, ..Step::default() })
                .collect();
            assert_eq!(may_count_from_zero(&steps), expected, "{text}");
        }
    }
}
