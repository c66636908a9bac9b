//! Do references to what other steps give stand up?

use std::collections::HashSet;

use serde_json::Value;

use crate::{
    Fix,
    check::{
        Finding, Listed,
        subject::{Subject, token},
    },
    graph::{Arrow, Graph, names::shown},
    reference::{self, Reference, Syntax},
};

mod path;
mod syntax;

/// The code of a reference to a step that is not declared.
pub(crate) const UNDECLARED: &str = "plan/undeclared-dependency";

pub(super) const CODES: [Listed; 4] = [
    Listed::error("plan/template-syntax", "a reference to a step's answer is malformed"),
    Listed::error(
        "plan/template-step",
        "a reference names a step that there is not, or that gives nothing",
    ),
    Listed::error(UNDECLARED, "a step refers to one that it does not depend on"),
    Listed::warning(
        "plan/template-path",
        "a reference asks for a part that an answer likely does not have",
    ),
];

pub(super) fn check(subject: &Subject<'_>, found: &mut Vec<Finding>) {
    let mut undeclared = Vec::new();
    for (at, item) in subject.items.iter().enumerate() {
        for (field, text) in &item.texts {
            one(subject, at, &format!("/{field}"), text, (found, &mut undeclared));
        }
        let Some((field, arguments)) = item.arguments else { continue };
        // Arguments may be nested deeply; they are walked without recursion.
        let mut open: Vec<(String, &Value)> = arguments
            .iter()
            .rev()
            .map(|(name, value)| (format!("/{field}/{}", token(name)), value))
            .collect();
        while let Some((path, value)) = open.pop() {
            match value {
                Value::String(text) => one(subject, at, &path, text, (found, &mut undeclared)),
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

/// A reference to a step that is not waited for.
struct Undeclared {
    at: usize,
    to: usize,
    path: String,
}

/// Looks at one text of the item `at`.
fn one(
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
    for fault in syntax::faults(text, |id| subject.names.ignoring_case(id).is_some()) {
        let finding = CODES[0].at(path(), fault.message).help(Some(fault.help));
        found.push(if fault.certain { finding } else { finding.only_warning() });
    }
    for reference in reference::references(text) {
        let Some(to) = subject.names.get(reference.step) else {
            if is_meant(subject, &reference, text) {
                let message = format!("there is no step `{}`", shown(reference.step));
                let help = subject.names.advice(reference.step);
                found.push(CODES[1].at(path(), message).help(help));
            }
            continue;
        };
        let name = shown(reference.step);
        if to == at {
            let message = format!("`{name}` refers to its own answer");
            found.push(CODES[1].at(path(), message));
            continue;
        }
        if subject.items.get(to).is_some_and(|item| !item.gives) {
            let message = format!("`{name}` directs the flow, and gives nothing to refer to");
            found.push(CODES[1].at(path(), message));
            continue;
        }
        if let Some(doubt) = implausible(subject, to, &reference) {
            found.push(CODES[3].at(path(), doubt.0).help(doubt.1));
        }
        let waits = subject.waits.as_ref().and_then(|waits| waits.named.get(at));
        if waits.is_some_and(|named| !named.contains(&to)) {
            undeclared.push(Undeclared { at, to, path: path() });
        }
    }
}

/// Whether what names no step was meant as a reference all the same: `$5` is money, and `${HOME}`
/// is a variable of a shell.
fn is_meant(subject: &Subject<'_>, reference: &Reference<'_>, text: &str) -> bool {
    let first = subject.items.first().map(|item| item.id).unwrap_or_default();
    match reference.syntax {
        Syntax::Template => true,
        Syntax::Dollar => first.parse::<u32>().is_ok() && reference::only(text).is_some(),
        Syntax::Evidence => first.strip_prefix('E').is_some_and(|rest| rest.parse::<u32>().is_ok()),
        Syntax::Braced => false,
    }
}

/// Why the answer of `to` likely does not have the part that is asked for.
fn implausible(
    subject: &Subject<'_>,
    to: usize,
    reference: &Reference<'_>,
) -> Option<(String, Option<String>)> {
    let item = subject.items.get(to)?;
    let schema = subject.catalog()?.output(item.tool?, item.capability)?;
    let miss = path::miss(schema, reference.field)?;
    let (step, name) = (shown(reference.step), shown(miss.name));
    let message = format!("what `{step}` gives has no `{name}`, as far as its tool says");
    Some((message, miss.near.map(|near| format!("did you mean `{}`?", shown(near)))))
}

/// Reports what is not declared. To declare it is safe where it closes no circle, whatever else is
/// declared at the same time.
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
        let message = format!("it refers to `{}`, and does not depend on it", shown(name));
        let safe = components.of.get(at) != components.of.get(to);
        let help = if safe {
            format!("add `{}` to `depends_on`", shown(name))
        } else {
            format!(
                "`{}` waits for this step, directly or not: one of both references is wrong",
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
                // To declare both would close a circle.
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
                // Money, and variables of a shell.
                (r#"[{"id": "a", "inputs": {"x": "$5 for ${HOME} and #E1"}}]"#, ""),
                (
                    r#"[{"id": "1"}, {"id": "2", "depends_on": ["1"], "inputs": {"x": "$1", "y": "$3"}}]"#,
                    "plan/template-step@/steps/1/inputs/y",
                ),
                (
                    r##"[{"id": "E1"}, {"id": "E2", "depends_on": ["E1"], "inputs": {"x": "#E1 #E7"}}]"##,
                    "plan/template-step@/steps/1/inputs/x",
                ),
                // What the tool gives is known.
                (
                    r#"[{"id": "a", "tool": "search", "inputs": {"query": "x"}}, {"id": "b", "depends_on": ["a"], "inputs": {"x": "{{a.response.price}} {{a.response.prize}}"}}]"#,
                    "plan/template-path@/steps/1/inputs/x",
                ),
            ],
        );
        crate::check::tests::of_flows(&super::CODES, &[("a b", "a>b", "")]);
    }
}
