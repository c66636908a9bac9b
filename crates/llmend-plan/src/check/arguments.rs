//! Tool arguments against the schemas of the catalog.

use std::collections::HashSet;

use llmend_schema::{Schema, Violation, validate};
use serde_json::Value;

use crate::{
    Map, OnExtraArgument, arguments,
    check::{CodeRow, Finding, expression, subject::Subject},
    graph::names::shown,
    reference,
};

pub(super) const CODES: [CodeRow; 2] = [
    CodeRow::error("plan/arguments", "the arguments of a step do not match its tool's schema")
        .local()
        .standalone(),
    CodeRow::warning("plan/tool-schema", "a tool's schema cannot be used").standalone(),
];

pub(super) fn check(subject: &Subject<'_>, found: &mut Vec<Finding>) {
    let Some(catalog) = subject.catalog() else { return };
    let mut unusable: HashSet<(&str, Option<&str>)> = HashSet::new();
    for (at, item) in subject.items.iter().enumerate() {
        let (Some(tool), Some((field, arguments))) = (item.tool, item.arguments) else { continue };
        let schema = match catalog.compiled(tool, item.capability) {
            Some(Ok(schema)) => schema,
            Some(Err(reason)) => {
                if unusable.insert((tool, item.capability)) {
                    let message =
                        format!("the schema of tool `{}` cannot be used: {reason}", shown(tool));
                    found.push(CODES[1].at(subject.path(at, "/tool"), message));
                }
                continue;
            }
            None => continue,
        };
        for violation in violations(arguments, &schema) {
            let path = subject.path(at, &format!("/{field}{}", violation.path));
            let message = format!("`{field}` of `{}`: {}", shown(tool), violation.message);
            found.push(CODES[0].at(path, message).help(violation.hint));
        }
    }
}

/// Returns the violations of `schema` by `arguments`. A reference to another step's result may have any
/// type, and arithmetic is reported by another check.
fn violations(arguments: &Map, schema: &Schema) -> Vec<Violation> {
    let value = Value::Object(arguments.clone());
    let text = value.to_string();
    // serde_json writes valid JSON, and values nested too deeply were rejected earlier.
    let Ok(parsed) = llmend_json::parse(&text) else { return Vec::new() };
    let mut violations = validate(&parsed.value, schema);
    violations.retain(|it| {
        let part = value.pointer(&it.path);
        let about_keys = matches!(it.code, "schema/required" | "schema/extra" | "schema/key");
        let json = schema.as_json();
        about_keys || !part.is_some_and(|part| refers(part) || is_arithmetic(part, &it.path, json))
    });
    if !violations.is_empty() {
        explain(&mut violations, arguments, schema);
    }
    violations
}

/// Replaces messages by the reasons why coercion failed, if known.
fn explain(violations: &mut [Violation], arguments: &Map, schema: &Schema) {
    let tried = arguments::coerce_arguments(arguments, schema, OnExtraArgument::Keep).violations;
    for violation in violations {
        let same = |it: &&Violation| it.path == violation.path && it.code == violation.code;
        if let Some(why) = tried.iter().find(same) {
            violation.message.clone_from(&why.message);
            violation.hint = why.hint.clone().or(violation.hint.take());
        }
    }
}

/// Returns whether the argument `part` is arithmetic where the schema expects a number.
fn is_arithmetic(part: &Value, path: &str, json: &Value) -> bool {
    let name = path.strip_prefix('/').map(llmend_json::unescape_token);
    let properties = json.get("properties");
    let wanted = name.and_then(|name| properties?.get(name));
    wanted.is_some_and(|wanted| expression::hides_one(part, wanted))
}

/// Returns whether a string in `value` is replaced by another step's result.
fn refers(value: &Value) -> bool {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) if reference::only(text).is_some() => return true,
            Value::Array(items) => open.extend(items),
            Value::Object(map) => open.extend(map.values()),
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    #[test]
    fn rows() {
        crate::check::tests::of_plans(
            &super::CODES,
            &[
                (r#"[{"id": "a", "tool": "search", "inputs": {"query": "x", "most": 3}}]"#, ""),
                (
                    r#"[{"id": "a", "tool": "search", "inputs": {"most": "3"}}]"#,
                    "plan/arguments@/steps/0/inputs plan/arguments@/steps/0/inputs/most",
                ),
                (
                    r#"[{"id": "b", "tool": "search"}, {"id": "a", "depends_on": ["b"], "tool": "search", "inputs": {"query": "{{b.response.price}}", "most": "{{b.response.price}}"}}]"#,
                    "plan/arguments@/steps/0/inputs",
                ),
                (
                    r#"[{"id": "a", "tool": "search", "inputs": {"query": "x", "qery": 1, "order": "up"}}]"#,
                    "plan/arguments@/steps/0/inputs/order plan/arguments@/steps/0/inputs/qery",
                ),
                (
                    r#"[{"id": "a", "tool": "agent", "metadata": {"capability": "sell"}, "inputs": {}}]"#,
                    "plan/arguments@/steps/0/inputs",
                ),
            ],
        );
    }
}
