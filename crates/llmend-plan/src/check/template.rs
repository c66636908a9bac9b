//! References to the results of other steps.

use std::collections::HashSet;

use serde_json::Value;

use crate::{
    Fix,
    check::{
        CodeRow, Finding,
        subject::{Subject, token},
    },
    code::Elsewhere,
    graph::{Arrow, Graph, names::shown},
    reference::{self, Reference, Syntax},
};

mod path;
mod syntax;

/// Code of a reference to a step that is not a dependency.
pub(crate) const UNDECLARED: &str = "plan/undeclared-dependency";

pub(super) const CODES: [CodeRow; 4] = [
    CodeRow::error("plan/template-syntax", "a reference to a step's result is malformed")
        .elsewhere(Elsewhere::Unreported)
        .standalone(),
    CodeRow::error(
        "plan/template-step",
        "a reference names an unknown step, or one without a result",
    )
    .elsewhere(Elsewhere::Unreported),
    CodeRow::error(UNDECLARED, "a step refers to a step that it does not depend on")
        .elsewhere(Elsewhere::Unreported)
        .standalone(),
    CodeRow::warning(
        "plan/template-path",
        "a reference names a field that the result probably does not have",
    )
    .elsewhere(Elsewhere::Unreported)
    .standalone(),
];

pub(super) fn check(subject: &Subject<'_>, found: &mut Vec<Finding>) {
    let mut undeclared = Vec::new();
    for (at, item) in subject.items.iter().enumerate() {
        for (field, text) in &item.texts {
            check_text(subject, at, &format!("/{field}"), text, (found, &mut undeclared));
        }
        let Some((field, arguments)) = item.arguments else { continue };
        // Arguments may be nested deeply, so the walk does not recurse.
        let mut open: Vec<(String, &Value)> = arguments
            .iter()
            .rev()
            .map(|(name, value)| (format!("/{field}/{}", token(name)), value))
            .collect();
        while let Some((path, value)) = open.pop() {
            match value {
                Value::String(text) => {
                    check_text(subject, at, &path, text, (found, &mut undeclared));
                }
                Value::Array(items) => {
                    let inner = items.iter().enumerate().rev();
                    open.extend(inner.map(|(nth, value)| (format!("{path}/{nth}"), value)));
                }
                Value::Object(map) => {
                    let inner = map.iter().rev();
                    open.extend(
                        inner.map(|(name, value)| (format!("{path}/{}", token(name)), value)),
                    );
                }
                _ => {}
            }
        }
    }
    declare(subject, undeclared, found);
}

/// A reference to a step that is not a dependency.
struct Undeclared {
    at: usize,
    to: usize,
    path: String,
}

/// Checks a string of the item `at`.
fn check_text(
    subject: &Subject<'_>,
    at: usize,
    part: &str,
    text: &str,
    (found, undeclared): (&mut Vec<Finding>, &mut Vec<Undeclared>),
) {
    if !text.contains(['{', '$', '#']) {
        return;
    }
    let path = || subject.path(at, part);
    for malformed in syntax::malformed(text, |id| subject.names.ignoring_case(id).is_some()) {
        let finding = CODES[0].at(path(), malformed.message).help(Some(malformed.help));
        found.push(if malformed.certain { finding } else { finding.only_warning() });
    }
    for reference in reference::references(text) {
        let Some(to) = subject.names.get(reference.step) else {
            if is_meant(subject, &reference, text) {
                let message = format!("reference to unknown step `{}`", shown(reference.step));
                let help = subject.names.advice(reference.step);
                found.push(CODES[1].at(path(), message).help(help));
            }
            continue;
        };
        let name = shown(reference.step);
        if to == at {
            let message = format!("step `{name}` refers to its own result");
            found.push(CODES[1].at(path(), message));
            continue;
        }
        if subject.items.get(to).is_some_and(|item| !item.has_result) {
            let message = format!("reference to control node `{name}`, which has no result");
            found.push(CODES[1].at(path(), message));
            continue;
        }
        if let Some(doubt) = missing_field(subject, to, &reference) {
            found.push(CODES[3].at(path(), doubt.0).help(doubt.1));
        }
        let waits = subject.waits.as_ref().and_then(|waits| waits.named.get(at));
        if waits.is_some_and(|named| !named.contains(&to)) {
            undeclared.push(Undeclared { at, to, path: path() });
        }
    }
}

/// Returns whether text that names no step is a reference nevertheless: `$5` is money, and `${HOME}` a
/// shell variable.
fn is_meant(subject: &Subject<'_>, reference: &Reference<'_>, text: &str) -> bool {
    let first = subject.items.first().map(|item| item.id).unwrap_or_default();
    match reference.syntax {
        Syntax::Template => true,
        Syntax::Dollar => first.parse::<u32>().is_ok() && reference::only(text).is_some(),
        Syntax::Evidence => first.strip_prefix('E').is_some_and(|rest| rest.parse::<u32>().is_ok()),
        Syntax::Braced => false,
    }
}

/// Returns message and help if the result of `to` probably lacks the field of `reference`.
fn missing_field(
    subject: &Subject<'_>,
    to: usize,
    reference: &Reference<'_>,
) -> Option<(String, Option<String>)> {
    let item = subject.items.get(to)?;
    let schema = subject.catalog()?.output(item.tool?, item.capability)?;
    let missing = path::missing(schema, reference.field)?;
    let (step, name) = (shown(reference.step), shown(missing.name));
    let message =
        format!("the result of `{step}` has no field `{name}` according to its tool's schema");
    Some((message, missing.near.map(|near| format!("did you mean `{}`?", shown(near)))))
}

/// Reports undeclared dependencies. A fix is safe if it closes no cycle, even with all other fixes.
fn declare(subject: &Subject<'_>, undeclared: Vec<Undeclared>, found: &mut Vec<Finding>) {
    let Some(waits) = subject.waits.as_ref().filter(|_| !undeclared.is_empty()) else { return };
    let named = waits.named.iter().enumerate();
    let declared = named
        .flat_map(|(to, named)| named.iter().map(move |from| Arrow { from: *from, to, of: 0 }));
    let missing = undeclared.iter().map(|it| Arrow { from: it.to, to: it.at, of: 0 });
    let components = Graph::new(subject.items.len(), declared.chain(missing)).components();
    let mut seen = HashSet::new();
    for Undeclared { at, to, path } in undeclared {
        if !seen.insert((at, to)) {
            continue;
        }
        let name = subject.names.id(to);
        let message =
            format!("reference to `{}`, which is not a dependency of this step", shown(name));
        let safe = components.of.get(at) != components.of.get(to);
        let help = if safe {
            format!("Add `{}` to `depends_on`.", shown(name))
        } else {
            format!(
                "`{}` depends on this step already. Remove one of the two references.",
                shown(name)
            )
        };
        let fix = safe.then(|| Fix::AddDependency { step: at, on: name.to_owned() });
        found.push(CODES[2].at(path, message).help(Some(help)).fix(fix));
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn rows() {
        // S1-12, S1-15
        crate::check::tests::of_plans(
            &super::CODES,
            &[
                (
                    r#"[{"id": "a"}, {"id": "b", "depends_on": ["a"], "inputs": {"x": ["{{a.response.y}}"]}}]"#,
                    "",
                ),
                (
                    r#"[{"id": "a"}, {"id": "b", "inputs": {"x": {"y/z": "is {{a.y}} and {{a.z}}"}}}]"#,
                    "plan/undeclared-dependency@/steps/1/inputs/x/y~1z+fix",
                ),
                // Declaring both would close a cycle.
                (
                    r#"[{"id": "a", "inputs": {"x": "{{b.y}}"}}, {"id": "b", "inputs": {"x": "{{a.y}}"}}]"#,
                    "plan/undeclared-dependency@/steps/0/inputs/x plan/undeclared-dependency@/steps/1/inputs/x",
                ),
                (
                    r#"[{"id": "a", "depends_on": ["b"]}, {"id": "b", "inputs": {"x": "{{a.y}}"}}]"#,
                    "plan/undeclared-dependency@/steps/1/inputs/x",
                ),
                (
                    r#"[{"id": "a", "inputs": {"x": "{{A.y}} {{z.y}} {{a.y}}"}}]"#,
                    "plan/template-step@/steps/0/inputs/x plan/template-step@/steps/0/inputs/x plan/template-step@/steps/0/inputs/x",
                ),
                (
                    r#"[{"id": "a"}, {"id": "b", "description": "use {{a.response"}]"#,
                    "plan/template-syntax@/steps/1/description",
                ),
                // Money, and shell variables.
                (r#"[{"id": "a", "inputs": {"x": "$5 for ${HOME} and #E1"}}]"#, ""),
                (
                    r#"[{"id": "1"}, {"id": "2", "depends_on": ["1"], "inputs": {"x": "$1", "y": "$3"}}]"#,
                    "plan/template-step@/steps/1/inputs/y",
                ),
                (
                    r##"[{"id": "E1"}, {"id": "E2", "depends_on": ["E1"], "inputs": {"x": "#E1 #E7"}}]"##,
                    "plan/template-step@/steps/1/inputs/x",
                ),
                // The tool's output schema is known.
                (
                    r#"[{"id": "a", "tool": "search", "inputs": {"query": "x"}}, {"id": "b", "depends_on": ["a"], "inputs": {"x": "{{a.response.price}} {{a.response.prize}}"}}]"#,
                    "plan/template-path@/steps/1/inputs/x",
                ),
            ],
        );
        crate::check::tests::of_flows(&super::CODES, &[("a b", "a>b", "")]);
    }
}
