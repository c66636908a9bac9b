//! Dependencies that a step states of the steps behind it, as Airflow does: `downstream_task_ids`.
//!
//! They are read only if they name steps, since such words have other meanings too.

use std::collections::{HashMap, HashSet};

use llmend_json::{Kind, Node};

use crate::{
    Step, Strictness, code,
    findings::{Findings, shown},
    object::{Names, Part},
    read::steps::{StepFields, StepIds, name_of},
};

/// Names of the list of steps that depend on a step.
pub(crate) const NAMES: Names = &[
    "downstream_task_ids",
    "_downstream_task_ids",
    "downstreamTaskIds",
    "downstream_tasks",
    "downstream_ids",
    "downstream",
    "child_task_ids",
    "next_task_ids",
    "following_task_ids",
    "subsequent_task_ids",
    "successor_task_ids",
    "successor_ids",
    "successors",
    "dependents",
    "required_by",
    "blocks",
    "unblocks",
];

/// The steps that state what depends on them, by the name of the dependent step.
pub(crate) struct Successors<'v> {
    /// Names of all steps.
    names: HashSet<&'v str>,
    /// Of each step, the names of those before it with the places that state them.
    before: HashMap<&'v str, Vec<(&'v str, Part<'v>)>>,
}

impl<'v> Successors<'v> {
    /// Finds them in `list`, whose steps have these names.
    pub(crate) fn find(
        list: &Part<'v>,
        names: &HashSet<&'v str>,
        ids: StepIds,
        strictness: Strictness,
    ) -> Self {
        let mut found = Self { names: HashSet::new(), before: HashMap::new() };
        if ids != StepIds::Given || strictness == Strictness::Strict {
            return found;
        }
        found.names.clone_from(names);
        for item in list.items() {
            let named = name_in(item.node).zip(found.stated(&item));
            let Some((from, stated)) = named else { continue };
            for (to, place) in stated {
                found.before.entry(to).or_default().push((from, place));
            }
        }
        found
    }

    /// Returns whether `item` states the steps behind it.
    pub(crate) fn states(&self, item: &Part<'v>) -> bool {
        self.stated(item).is_some()
    }

    /// Returns the names in the field, if all of it is names and one of them, if any, is that of a step.
    fn stated(&self, item: &Part<'v>) -> Option<Vec<(&'v str, Part<'v>)>> {
        if self.names.is_empty() {
            return None;
        }
        let field = NAMES.iter().find_map(|name| Some((name, item.node.get(name)?)));
        let (name, node) = field?;
        let field = Part::item(node, format!("{}/{name}", item.path));
        let parts: Vec<Part<'v>> = match node.kind() {
            Kind::Null => Vec::new(),
            Kind::Array => field.items().collect(),
            _ => vec![field],
        };
        let named = parts.into_iter().map(|it| Some((name_in(it.node)?, it)));
        let named: Vec<_> = named.collect::<Option<_>>()?;
        (named.is_empty() || named.iter().any(|(name, _)| self.names.contains(name)))
            .then_some(named)
    }

    /// Adds what other steps state to the dependencies of `step`, and reports the unknown steps that it
    /// states itself.
    pub(crate) fn add(&self, step: &mut Step, item: &Part<'v>, findings: &mut Findings) {
        for (name, place) in self.stated(item).unwrap_or_default() {
            if !self.names.contains(name) {
                let message = format!("dependency from unknown step `{}`", shown(name));
                findings.error(code::UNKNOWN_DEPENDENCY, &place.path, place.span(), message);
            }
        }
        let Some(before) = self.before.get(step.id.as_str()) else { return };
        let mut known: HashSet<String> = step.depends_on.iter().cloned().collect();
        for (from, place) in before {
            if known.insert((*from).to_owned()) {
                let canonical = format!("/depends_on/{}", step.depends_on.len());
                findings.note(canonical, &place.path, place.span());
                step.depends_on.push((*from).to_owned());
            }
        }
    }
}

/// Returns the name of a step, which may be an object with an id.
fn name_in(node: Node<'_>) -> Option<&str> {
    let id = StepFields::CANONICAL.id.iter().find_map(|id| node.get(id));
    name_of(id.unwrap_or(node))
}
