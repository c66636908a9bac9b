//! Patches of plans.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::{
    Edge, Plan, Step,
    graph::names::{IdIndex, shown},
    patch::outcome::{Gaps, PatchError, PatchFindings, PatchOutcome, THERE, TWICE, UNFIT, UNKNOWN},
};

/// A patch of a [`Plan`], applied in the order of its fields.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PlanPatch {
    /// Ids of steps to remove, together with the dependencies on them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remove_steps: Vec<String>,
    /// Steps that replace those of the same id.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub update_steps: Vec<Step>,
    /// Steps to add.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub add_steps: Vec<Step>,
    /// Dependencies to remove.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remove_dependencies: Vec<Dependency>,
    /// Dependencies to add.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub add_dependencies: Vec<Dependency>,
}

/// A dependency of one step on another.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dependency {
    /// Id of the dependent step.
    pub step: String,
    /// Id of the step that must finish first.
    pub on: String,
}

impl PlanPatch {
    /// Returns whether the patch changes nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Applies `patch` to a copy of `plan`: all of it, or nothing. With [`Gaps::Bridge`], a step that
/// depended on a removed step inherits the dependencies of that step.
///
/// ```
/// use llmend_plan::{Gaps, Plan, PlanPatch, apply_to_plan};
///
/// let plan: Plan = serde_json::from_value(serde_json::json!({
///     "steps": [{"id": "a"}, {"id": "b", "depends_on": ["a"]}, {"id": "c", "depends_on": ["b"]}],
/// }))?;
/// let patch = PlanPatch { remove_steps: vec!["b".into()], ..PlanPatch::default() };
/// let after = apply_to_plan(&plan, &patch, Gaps::Bridge)?.or(plan);
/// assert_eq!(after.steps[1].depends_on, ["a"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn apply_to_plan(
    plan: &Plan,
    patch: &PlanPatch,
    gaps: Gaps,
) -> Result<PatchOutcome<Plan>, PatchError> {
    if patch.is_empty() {
        return Ok(PatchOutcome::NoChange);
    }
    let mut findings = PatchFindings::default();
    check(plan, patch, &mut findings);
    let diagnostics = findings.finish()?;
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
    let mut added: HashMap<&str, Vec<&str>> = HashMap::new();
    for (step, on) in pairs(&patch.add_dependencies) {
        added.entry(step).or_default().push(on);
    }
    for step in &mut changed.steps {
        let Step { id, depends_on, .. } = step;
        depends_on.retain(|on| !gone.contains(&(id.as_str(), on.as_str())));
        extend(depends_on, added.remove(id.as_str()).unwrap_or_default());
    }
    Ok(PatchOutcome::new(plan, changed, removed, diagnostics))
}

fn pairs(dependencies: &[Dependency]) -> impl Iterator<Item = (&str, &str)> {
    dependencies.iter().map(|it| (it.step.as_str(), it.on.as_str()))
}

/// Adds the dependencies that are missing.
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
    let dependencies: HashMap<&str, &[String]> =
        out.iter().map(|step| (step.id.as_str(), step.depends_on.as_slice())).collect();
    plan.steps = steps;
    for step in &mut plan.steps {
        let Step { id, depends_on, .. } = step;
        let (removed_here, kept): (Vec<String>, Vec<String>) =
            std::mem::take(depends_on).into_iter().partition(|on| gone.contains(on.as_str()));
        *depends_on = kept;
        if gaps == Gaps::Bridge {
            let inherited = inherited(&removed_here, &dependencies);
            extend(depends_on, inherited.into_iter().filter(|on| *on != id.as_str()));
        }
        removed.extend(removed_here.into_iter().map(|on| Edge::new(on, id.as_str())));
    }
}

/// Returns the dependencies of removed steps, past all other removed steps.
fn inherited<'w>(
    removed: &'w [String],
    dependencies: &HashMap<&str, &'w [String]>,
) -> Vec<&'w str> {
    let (mut inherited, mut seen) = (Vec::new(), HashSet::new());
    let mut open: Vec<&str> = removed.iter().rev().map(String::as_str).collect();
    while let Some(on) = open.pop() {
        if !seen.insert(on) {
            continue;
        }
        match dependencies.get(on) {
            Some(earlier) => open.extend(earlier.iter().rev().map(String::as_str)),
            None => inherited.push(on),
        }
    }
    inherited
}

fn check(plan: &Plan, patch: &PlanPatch, findings: &mut PatchFindings) {
    let names = IdIndex::new(plan.steps.iter().map(|step| step.id.as_str()).collect());
    let unknown = |id: &str| {
        let advice = names.advice(id).map(|advice| format!("; {advice}")).unwrap_or_default();
        format!("unknown step `{}`{advice}", shown(id))
    };
    let mut removed = HashSet::new();
    for (at, id) in patch.remove_steps.iter().enumerate() {
        let path = format!("/remove_steps/{at}");
        if names.get(id).is_none() {
            findings.violation(UNKNOWN, path, unknown(id));
        } else if !removed.insert(id.as_str()) {
            findings.violation(TWICE, path, format!("the patch removes `{}` twice", shown(id)));
        }
    }
    let mut seen = HashSet::new();
    for (at, step) in patch.update_steps.iter().enumerate() {
        let (path, id) = (format!("/update_steps/{at}/id"), step.id.as_str());
        if names.get(id).is_none() {
            findings.violation(UNKNOWN, path, unknown(id));
        } else if removed.contains(id) {
            let message = format!("the patch both removes and updates `{}`", shown(id));
            findings.violation(UNFIT, path, message);
        } else if !seen.insert(id) {
            findings.violation(TWICE, path, format!("the patch updates `{}` twice", shown(id)));
        }
    }
    let mut added = HashSet::new();
    for (at, step) in patch.add_steps.iter().enumerate() {
        let (path, id) = (format!("/add_steps/{at}/id"), step.id.as_str());
        if id.is_empty() {
            findings.violation(UNFIT, path, "the step has no id".to_owned());
        } else if names.get(id).is_some() && !removed.contains(id) {
            findings.violation(TWICE, path, format!("step `{}` already exists", shown(id)));
        } else if !added.insert(id) {
            findings.violation(TWICE, path, format!("the patch adds `{}` twice", shown(id)));
        }
    }
    let stays = |id: &str| added.contains(id) || (names.get(id).is_some() && !removed.contains(id));
    let lists = [("update_steps", &patch.update_steps), ("add_steps", &patch.add_steps)];
    for (list, steps) in lists {
        for (at, step) in steps.iter().enumerate() {
            for (nth, on) in step.depends_on.iter().enumerate().filter(|(_, on)| !stays(on)) {
                findings.violation(UNKNOWN, format!("/{list}/{at}/depends_on/{nth}"), unknown(on));
            }
        }
    }
    check_dependencies(plan, patch, stays, unknown, findings);
}

fn check_dependencies(
    plan: &Plan,
    patch: &PlanPatch,
    stays: impl Fn(&str) -> bool,
    unknown: impl Fn(&str) -> String,
    findings: &mut PatchFindings,
) {
    let of_step = |step: &Step| -> Vec<(String, String)> {
        step.depends_on.iter().map(|on| (step.id.clone(), on.clone())).collect()
    };
    let updated: HashSet<&str> = patch.update_steps.iter().map(|step| step.id.as_str()).collect();
    let kept = plan.steps.iter().filter(|step| !updated.contains(step.id.as_str()));
    let steps = kept.chain(&patch.update_steps).chain(&patch.add_steps);
    let known: HashSet<(String, String)> = steps.flat_map(of_step).collect();
    let exists = |it: &Dependency| known.contains(&(it.step.clone(), it.on.clone()));
    let shown_one = |it: &Dependency| format!("`{}` on `{}`", shown(&it.step), shown(&it.on));
    let mut removed = HashSet::new();
    for (at, it) in patch.remove_dependencies.iter().enumerate() {
        let path = format!("/remove_dependencies/{at}");
        if !exists(it) {
            let message = format!("unknown dependency of {}", shown_one(it));
            findings.violation(UNKNOWN, path, message);
        } else if !removed.insert(it) {
            let message = format!("the patch removes the dependency of {} twice", shown_one(it));
            findings.violation(TWICE, path, message);
        }
    }
    let mut added = HashSet::new();
    for (at, it) in patch.add_dependencies.iter().enumerate() {
        for (part, id) in [("step", &it.step), ("on", &it.on)] {
            if !stays(id) {
                findings.violation(UNKNOWN, format!("/add_dependencies/{at}/{part}"), unknown(id));
            }
        }
        let path = format!("/add_dependencies/{at}");
        if !added.insert(it) {
            let message = format!("the patch adds the dependency of {} twice", shown_one(it));
            findings.violation(TWICE, path, message);
        } else if exists(it) && !removed.contains(it) {
            let message = format!("the dependency of {} already exists", shown_one(it));
            findings.warning(THERE, path, message);
        }
    }
}

/// Returns the patch that turns the steps of `before` into those of `after`. Both are compared as sets,
/// regardless of order, and must have unique ids and no dependencies on unknown steps.
///
/// ```
/// use llmend_plan::{Plan, Step, diff_plans};
///
/// let before = Plan { steps: vec![Step { id: "a".into(), ..Step::default() }], ..Plan::default() };
/// let patch = diff_plans(&before, &Plan::default());
/// assert_eq!(patch.remove_steps, ["a"]);
/// ```
#[must_use]
pub fn diff_plans(before: &Plan, after: &Plan) -> PlanPatch {
    let old: HashMap<&str, &Step> = before.steps.iter().map(|it| (it.id.as_str(), it)).collect();
    let new: HashSet<&str> = after.steps.iter().map(|step| step.id.as_str()).collect();
    let is_same = |step: &Step| {
        old.get(step.id.as_str()).is_some_and(|other| {
            // The dependencies on a removed step are removed with it.
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
