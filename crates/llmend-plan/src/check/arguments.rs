//! Is each tool given what it takes?

use serde_json::Value;

use crate::{
    Map,
    check::{
        Finding, Listed,
        subject::{Subject, token},
    },
    graph::names::shown,
    reference,
};

pub(super) const CODES: [Listed; 1] =
    [Listed::error("plan/arguments", "the arguments of a step do not fit what its tool takes")];

pub(super) fn check(subject: &Subject<'_>, found: &mut Vec<Finding>) {
    let Some(catalog) = subject.catalog() else { return };
    for (at, item) in subject.items.iter().enumerate() {
        let (Some(tool), Some((field, arguments))) = (item.tool, item.arguments) else { continue };
        let Some(schema) = catalog.arguments(tool, item.capability) else { continue };
        for misfit in misfits(arguments, schema) {
            let path = subject.path(at, &format!("/{field}{}", misfit.path));
            let message = format!("`{}` of `{}`: {}", field, shown(tool), misfit.message);
            found.push(CODES[0].at(path, message).help(misfit.help));
        }
    }
}

/// One way in which arguments do not fit.
pub(super) struct Misfit {
    /// JSON Pointer into the arguments.
    path: String,
    message: String,
    help: Option<String>,
}

/// All ways in which `arguments` do not fit `schema`: required ones that are missing, ones that are
/// not allowed, types and choices of the outermost level. A reference to what another step gives
/// stands for a value of any type, and arithmetic is of another check.
fn misfits(arguments: &Map, schema: &Value) -> Vec<Misfit> {
    let mut found = Vec::new();
    let properties = schema.get("properties").and_then(Value::as_object);
    let known = || properties.into_iter().flatten().map(|(name, _)| name.as_str());
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    for name in required.filter_map(Value::as_str).filter(|name| !arguments.contains_key(*name)) {
        let message = format!("`{}` is missing", shown(name));
        found.push(Misfit { path: String::new(), message, help: None });
    }
    for (name, value) in arguments {
        let path = format!("/{}", token(name));
        match properties.and_then(|properties| properties.get(name)) {
            Some(wanted) => {
                if let Some(message) = misfit(value, wanted) {
                    let message = format!("`{}` {message}", shown(name));
                    found.push(Misfit { path, message, help: None });
                }
            }
            None if schema.get("additionalProperties") == Some(&Value::Bool(false)) => {
                let help = llmend_json::nearest(name, known())
                    .map(|near| format!("did you mean `{}`?", shown(near)));
                let message = format!("`{}` is not known", shown(name));
                found.push(Misfit { path, message, help });
            }
            None => {}
        }
    }
    found
}

fn misfit(value: &Value, wanted: &Value) -> Option<String> {
    if stands_for_another(value) || super::expression::hides_one(value, wanted) {
        return None;
    }
    let types: Vec<&str> = match wanted.get("type") {
        Some(Value::String(name)) => vec![name.as_str()],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    if !types.is_empty() && !types.iter().any(|name| is_of(value, name)) {
        return Some(format!("is to be of type {}, not {}", types.join(" or "), kind(value)));
    }
    let choices = wanted.get("enum").and_then(Value::as_array)?;
    let shown_ones =
        || choices.iter().take(12).map(Value::to_string).collect::<Vec<_>>().join(", ");
    (!choices.contains(value)).then(|| format!("is to be one of {}", shown_ones()))
}

/// Whether the value is a text that is replaced by what another step gives.
fn stands_for_another(value: &Value) -> bool {
    value.as_str().is_some_and(|text| reference::only(text).is_some())
}

fn is_of(value: &Value, name: &str) -> bool {
    match name {
        "integer" => {
            value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|it| it.fract() == 0.0)
        }
        other => kind(value) == other,
    }
}

const fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
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
