//! What is to change in a plan, and what is it then?

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::{
    Edge, Plan, Step,
    graph::names::{Names, shown},
    patch::outcome::{Found, Gaps, NotApplied, Patched, THERE, TWICE, UNFIT, UNKNOWN},
};

/// A change of a [`Plan`], in the order in which its parts are applied.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PlanPatch {
    /// Ids of steps that go, and with them the dependencies on them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remove_steps: Vec<String>,
    /// Steps that take the place of those of the same id.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub update_steps: Vec<Step>,
    /// Steps that come.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub add_steps: Vec<Step>,
    /// Dependencies that go.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remove_dependencies: Vec<Dependency>,
    /// Dependencies that come.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub add_dependencies: Vec<Dependency>,
}

/// A step that waits for another.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dependency {
    /// Id of the step that waits.
    pub step: String,
    /// Id of the step that comes first.
    pub on: String,
}

impl PlanPatch {
    /// Whether there is nothing to change.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// `plan` as it is once `patch` is applied: all of it, or nothing. With [`Gaps::Bridge`], who waited
/// for a step that goes waits for what that step waited for.
pub fn apply_to_plan(
    plan: &Plan,
    patch: &PlanPatch,
    gaps: Gaps,
) -> Result<Patched<Plan>, NotApplied> {
    if patch.is_empty() {
        return Ok(Patched::NoChange);
    }
    let mut found = Found::default();
    check(plan, patch, &mut found);
    let diagnostics = found.finish()?;
    let mut removed = Vec::new();
    let mut changed = plan.clone();
    remove_steps(&mut changed, patch, gaps, &mut removed);
    let updates: HashMap<&str, &Step> =
        patch.update_steps.iter().map(|step| (step.id.as_str(), step)).collect();
    for step in &mut changed.steps {
        if let Some(other) = updates.get(step.id.as_str()) {
            step.clone_from(other);
        }
    }
    changed.steps.extend(patch.add_steps.iter().cloned());
    let gone: HashSet<(&str, &str)> = pairs(&patch.remove_dependencies).collect();
    let mut come: HashMap<&str, Vec<&str>> = HashMap::new();
    for (step, on) in pairs(&patch.add_dependencies) {
        come.entry(step).or_default().push(on);
    }
    for step in &mut changed.steps {
        let Step { id, depends_on, .. } = step;
        depends_on.retain(|on| !gone.contains(&(id.as_str(), on.as_str())));
        extend(depends_on, come.remove(id.as_str()).unwrap_or_default());
    }
    Ok(Patched::new(plan, changed, removed, diagnostics))
}

fn pairs(dependencies: &[Dependency]) -> impl Iterator<Item = (&str, &str)> {
    dependencies.iter().map(|it| (it.step.as_str(), it.on.as_str()))
}

/// Adds what is not there.
fn extend<'n>(depends_on: &mut Vec<String>, more: impl IntoIterator<Item = &'n str>) {
    let mut there: HashSet<String> = depends_on.iter().cloned().collect();
    for on in more {
        if there.insert(on.to_owned()) {
            depends_on.push(on.to_owned());
        }
    }
}

fn remove_steps(plan: &mut Plan, patch: &PlanPatch, gaps: Gaps, removed: &mut Vec<Edge>) {
    let gone: HashSet<&str> = patch.remove_steps.iter().map(String::as_str).collect();
    let (out, steps): (Vec<Step>, Vec<Step>) =
        std::mem::take(&mut plan.steps).into_iter().partition(|step| gone.contains(&*step.id));
    let waited: HashMap<&str, &[String]> =
        out.iter().map(|step| (step.id.as_str(), step.depends_on.as_slice())).collect();
    plan.steps = steps;
    for step in &mut plan.steps {
        let Step { id, depends_on, .. } = step;
        let (went, stay): (Vec<String>, Vec<String>) =
            std::mem::take(depends_on).into_iter().partition(|on| gone.contains(on.as_str()));
        *depends_on = stay;
        if gaps == Gaps::Bridge {
            let further = further(&went, &waited);
            extend(depends_on, further.into_iter().filter(|on| *on != id.as_str()));
        }
        removed.extend(went.into_iter().map(|on| Edge::new(on, id.as_str())));
    }
}

/// What the steps that went waited for, past all that went.
fn further<'w>(went: &'w [String], waited: &HashMap<&str, &'w [String]>) -> Vec<&'w str> {
    let (mut further, mut seen) = (Vec::new(), HashSet::new());
    let mut open: Vec<&str> = went.iter().rev().map(String::as_str).collect();
    while let Some(on) = open.pop() {
        if !seen.insert(on) {
            continue;
        }
        match waited.get(on) {
            Some(earlier) => open.extend(earlier.iter().rev().map(String::as_str)),
            None => further.push(on),
        }
    }
    further
}

fn check(plan: &Plan, patch: &PlanPatch, found: &mut Found) {
    let names = Names::new(plan.steps.iter().map(|step| step.id.as_str()).collect());
    let unknown = |id: &str| {
        let advice = names.advice(id).map(|advice| format!("; {advice}")).unwrap_or_default();
        format!("there is no step `{}`{advice}", shown(id))
    };
    let mut removed = HashSet::new();
    for (at, id) in patch.remove_steps.iter().enumerate() {
        let path = format!("/remove_steps/{at}");
        if names.get(id).is_none() {
            found.violation(UNKNOWN, path, unknown(id));
        } else if !removed.insert(id.as_str()) {
            found.violation(TWICE, path, format!("the patch removes `{}` twice", shown(id)));
        }
    }
    let mut seen = HashSet::new();
    for (at, step) in patch.update_steps.iter().enumerate() {
        let (path, id) = (format!("/update_steps/{at}/id"), step.id.as_str());
        if names.get(id).is_none() {
            found.violation(UNKNOWN, path, unknown(id));
        } else if removed.contains(id) {
            let message = format!("the patch removes `{}`, and changes it too", shown(id));
            found.violation(UNFIT, path, message);
        } else if !seen.insert(id) {
            found.violation(TWICE, path, format!("the patch changes `{}` twice", shown(id)));
        }
    }
    let mut added = HashSet::new();
    for (at, step) in patch.add_steps.iter().enumerate() {
        let (path, id) = (format!("/add_steps/{at}/id"), step.id.as_str());
        if id.is_empty() {
            found.violation(UNFIT, path, "the step has no id".to_owned());
        } else if names.get(id).is_some() && !removed.contains(id) {
            found.violation(TWICE, path, format!("there is a step `{}` already", shown(id)));
        } else if !added.insert(id) {
            found.violation(TWICE, path, format!("the patch adds `{}` twice", shown(id)));
        }
    }
    let stays = |id: &str| added.contains(id) || (names.get(id).is_some() && !removed.contains(id));
    let lists = [("update_steps", &patch.update_steps), ("add_steps", &patch.add_steps)];
    for (list, steps) in lists {
        for (at, step) in steps.iter().enumerate() {
            for (nth, on) in step.depends_on.iter().enumerate().filter(|(_, on)| !stays(on)) {
                found.violation(UNKNOWN, format!("/{list}/{at}/depends_on/{nth}"), unknown(on));
            }
        }
    }
    check_dependencies(plan, patch, stays, unknown, found);
}

fn check_dependencies(
    plan: &Plan,
    patch: &PlanPatch,
    stays: impl Fn(&str) -> bool,
    unknown: impl Fn(&str) -> String,
    found: &mut Found,
) {
    let of_step = |step: &Step| -> Vec<(String, String)> {
        step.depends_on.iter().map(|on| (step.id.clone(), on.clone())).collect()
    };
    let updated: HashSet<&str> = patch.update_steps.iter().map(|step| step.id.as_str()).collect();
    let kept = plan.steps.iter().filter(|step| !updated.contains(step.id.as_str()));
    let steps = kept.chain(&patch.update_steps).chain(&patch.add_steps);
    let there: HashSet<(String, String)> = steps.flat_map(of_step).collect();
    let is_there = |it: &Dependency| there.contains(&(it.step.clone(), it.on.clone()));
    let shown_one = |it: &Dependency| format!("`{}` on `{}`", shown(&it.step), shown(&it.on));
    let mut removed = HashSet::new();
    for (at, it) in patch.remove_dependencies.iter().enumerate() {
        let path = format!("/remove_dependencies/{at}");
        if !is_there(it) {
            let message = format!("there is no dependency of {}", shown_one(it));
            found.violation(UNKNOWN, path, message);
        } else if !removed.insert(it) {
            let message = format!("the patch removes the dependency of {} twice", shown_one(it));
            found.violation(TWICE, path, message);
        }
    }
    let mut added = HashSet::new();
    for (at, it) in patch.add_dependencies.iter().enumerate() {
        for (part, id) in [("step", &it.step), ("on", &it.on)] {
            if !stays(id) {
                found.violation(UNKNOWN, format!("/add_dependencies/{at}/{part}"), unknown(id));
            }
        }
        let path = format!("/add_dependencies/{at}");
        if !added.insert(it) {
            let message = format!("the patch adds the dependency of {} twice", shown_one(it));
            found.violation(TWICE, path, message);
        } else if is_there(it) && !removed.contains(it) {
            let message = format!("the dependency of {} is there already", shown_one(it));
            found.warning(THERE, path, message);
        }
    }
}

/// The patch that makes the steps of `after` of those of `before`, as sets: their order is not told.
/// Both are to have each id once, and dependencies on steps that there are.
#[must_use]
pub fn diff_plans(before: &Plan, after: &Plan) -> PlanPatch {
    let old: HashMap<&str, &Step> = before.steps.iter().map(|it| (it.id.as_str(), it)).collect();
    let new: HashSet<&str> = after.steps.iter().map(|step| step.id.as_str()).collect();
    let is_same = |step: &Step| {
        old.get(step.id.as_str()).is_some_and(|other| {
            // A dependency on a step that goes does so by itself.
            let mut other = (*other).clone();
            other
                .depends_on
                .retain(|on| new.contains(on.as_str()) || !old.contains_key(on.as_str()));
            other == *step
        })
    };
    let removed = before.steps.iter().filter(|step| !new.contains(step.id.as_str()));
    let (known, added): (Vec<&Step>, Vec<&Step>) =
        after.steps.iter().partition(|step| old.contains_key(step.id.as_str()));
    PlanPatch {
        remove_steps: removed.map(|step| step.id.clone()).collect(),
        update_steps: known.into_iter().filter(|step| !is_same(step)).cloned().collect(),
        add_steps: added.into_iter().cloned().collect(),
        ..PlanPatch::default()
    }
}
