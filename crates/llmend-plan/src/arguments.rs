//! Coercion of arguments to the tool's schema.

use llmend_json::{Class, Diagnostic, RuleSet, Search, Severity};
use llmend_schema::{Coerced, Coercion, CoercionKind, OnExtra, Options, Schema, Violation, coerce};
use serde_json::Value;

use crate::{Map, OnExtraArgument, code, findings::Findings, locations::below, reference};

/// Work budget for the arguments of one step: a plan may have many steps.
const MOST_WORK: usize = 100_000;

/// Coerced arguments. Paths are JSON Pointers into them.
#[derive(Debug)]
pub(crate) struct CoercedArguments {
    pub(crate) inputs: Map,
    pub(crate) coercions: Vec<Coercion>,
    pub(crate) violations: Vec<Violation>,
    /// The old and new names of renamed arguments.
    pub(crate) renamed: Vec<(String, String)>,
}

/// Coerces `inputs` to `schema`. An argument that refers to another step's result has a value that is
/// not known yet: it stays as it is and is not a violation.
pub(crate) fn coerce_arguments(
    inputs: &Map,
    schema: &Schema,
    on_extra: OnExtraArgument,
) -> CoercedArguments {
    let referring: Vec<&String> =
        inputs.iter().filter(|(_, value)| refers(value)).map(|(name, _)| name).collect();
    let Some(Coerced { value, mut coercions, mut violations }) =
        coerce_inputs(inputs, schema, on_extra)
    else {
        return untouched(inputs);
    };
    let reshaped = coercions.iter().any(|it| it.path.is_empty());
    let Value::Object(mut made) = value.to_serde().value else { return untouched(inputs) };
    // The values of references are unknown, and so is the reshaped result.
    if reshaped && !referring.is_empty() {
        return untouched(inputs);
    }
    let renamed = if reshaped { Vec::new() } else { renamed(&coercions, inputs, &made) };
    for name in referring {
        let new = renamed.iter().find(|(old, _)| old == name).map_or(name, |(_, new)| new);
        let Some(argument) = made.get_mut(new) else { continue };
        *argument = inputs.get(name).cloned().unwrap_or_default();
        let above = below("", new);
        let within = |path: &str| {
            path.strip_prefix(&above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        coercions.retain(|it| !within(&it.path) || (renames_key(it) && it.path == above));
        violations.retain(|it| !within(&it.path));
    }
    CoercedArguments { inputs: made, coercions, violations, renamed }
}

fn untouched(inputs: &Map) -> CoercedArguments {
    let (coercions, violations) = (Vec::new(), Vec::new());
    CoercedArguments { inputs: inputs.clone(), coercions, violations, renamed: Vec::new() }
}

fn coerce_inputs(inputs: &Map, schema: &Schema, on_extra: OnExtraArgument) -> Option<Coerced> {
    let text = Value::Object(inputs.clone()).to_string();
    let strict =
        llmend_json::Options { rules: RuleSet::NONE, search: Search::Off, ..Default::default() };
    let parsed = llmend_json::parse_with(&text, &strict).ok()?;
    let on_extra = match on_extra {
        OnExtraArgument::Keep => OnExtra::Keep,
        OnExtraArgument::Drop => OnExtra::Drop,
    };
    let options = Options { max_work: MOST_WORK, on_extra, ..Options::default() };
    Some(coerce(&parsed.value, schema, &options))
}

/// Returns the old and new names of the arguments whose key was renamed.
fn renamed(coercions: &[Coercion], inputs: &Map, made: &Map) -> Vec<(String, String)> {
    let keys = coercions.iter().filter(|it| renames_key(it));
    keys.filter_map(|it| {
        let old: String = serde_json::from_str(&it.before).ok()?;
        let new = made.keys().find(|new| below("", new) == it.path)?;
        inputs.contains_key(&old).then(|| (old, new.clone()))
    })
    .collect()
}

/// Returns whether the coercion renamed a key.
const fn renames_key(coercion: &Coercion) -> bool {
    matches!(
        coercion.kind,
        CoercionKind::KeySpelling | CoercionKind::KeyAlias | CoercionKind::KeyTypo
    )
}

/// Returns whether a value contains a reference to another step's result.
fn refers(value: &Value) -> bool {
    let mut open = vec![value];
    while let Some(part) = open.pop() {
        match part {
            Value::String(text) if !reference::references(text).is_empty() => return true,
            Value::Array(items) => open.extend(items),
            Value::Object(map) => open.extend(map.values()),
            _ => {}
        }
    }
    false
}

/// Coerces `inputs` to the tool's schema and reports each coercion. `part` is their canonical path in the
/// item. Violations are left to the checks.
pub(crate) fn fit(
    inputs: &mut Map,
    schema: &Schema,
    on_extra: OnExtraArgument,
    part: &str,
    findings: &mut Findings,
) {
    let CoercedArguments { inputs: made, coercions, renamed, .. } =
        coerce_arguments(inputs, schema, on_extra);
    for (old, new) in &renamed {
        findings.locations.rename(&below(part, old), &below(part, new));
    }
    for coercion in &coercions {
        let row = row(coercion);
        findings.push(findings.locations.shown(row, &format!("{part}{}", coercion.path)));
    }
    *inputs = made;
}

/// Returns the finding that an argument was coerced.
pub(crate) fn row(coercion: &Coercion) -> Diagnostic {
    let severity = match coercion.class {
        Class::Guess | Class::Loss => Severity::Warning,
        _ => Severity::Info,
    };
    Diagnostic::new(code::COERCED_ARGUMENTS, severity, message(coercion))
}

fn message(coercion: &Coercion) -> String {
    let kind = coercion.kind.name();
    if coercion.kind == CoercionKind::DroppedExtra {
        return format!("omitted `{}`, which the tool forbids ({kind})", coercion.before);
    }
    let text =
        |json: &str| if json.is_empty() { "nothing".to_owned() } else { format!("`{json}`") };
    format!("read {} as {} ({kind})", text(&coercion.before), text(&coercion.after))
}

#[cfg(test)]
mod tests {
    use llmend_schema::Schema;
    use serde_json::{Value, json};

    use super::{OnExtraArgument, coerce_arguments};

    /// Rows of arguments, what becomes of them, and what is found as `kind path`.
    #[test]
    fn arguments_are_coerced() {
        let schema = Schema::new(&json!({
            "type": "object",
            "properties": {
                "query": {"type": "string"},
                "most": {"type": "integer", "minimum": 1},
                "order": {"enum": ["up", "down"]},
                "only": {"type": "array", "items": {"type": "string"}},
                "page": {"type": "integer", "default": 1},
            },
            "required": ["query", "page"],
            "additionalProperties": false,
        }))
        .unwrap();
        for (given, made, found) in [
            (json!({"query": "x", "page": 2}), json!({"query": "x", "page": 2}), ""),
            (
                json!({"page": "2", "Query": "x", "order": "UP", "only": "a"}),
                json!({"query": "x", "page": 2, "order": "up", "only": ["a"]}),
                "key-spelling /query single-item /only enum-spelling /order number-from-text /page",
            ),
            (json!({"query": "x"}), json!({"query": "x", "page": 1}), "default /page"),
            (
                json!({"query": "x", "page": 1, "most": 0, "zzz": 1}),
                json!({"query": "x", "page": 1, "most": 0, "zzz": 1}),
                "schema/range /most schema/extra /zzz",
            ),
            (json!({"page": 1}), json!({"page": 1}), "schema/required "),
            (
                json!({"Query": "x", "page": 1, "query": "x"}),
                json!({"query": "x", "page": 1}),
                "duplicate-member /Query",
            ),
            // The result of another step may have any type.
            (
                json!({"page": "{{a.response.page}}", "query": "x", "most": "3"}),
                json!({"page": "{{a.response.page}}", "query": "x", "most": 3}),
                "number-from-text /most",
            ),
            (
                json!({"QUERY": "{{a.x}}", "page": "$1", "only": ["#E1", 5]}),
                json!({"query": "{{a.x}}", "page": "$1", "only": ["#E1", 5]}),
                "key-spelling /query",
            ),
        ] {
            let Value::Object(inputs) = &given else { panic!("{given}") };
            let coerced = coerce_arguments(inputs, &schema, OnExtraArgument::Keep);
            let coercions =
                coerced.coercions.iter().map(|it| format!("{} {}", it.kind.name(), it.path));
            let violations = coerced.violations.iter().map(|it| format!("{} {}", it.code, it.path));
            let all: Vec<String> = coercions.chain(violations).collect();
            assert_eq!(
                (Value::Object(coerced.inputs), all.join(" ").as_str()),
                (made, found),
                "{given}"
            );
        }
    }

    #[test]
    fn references_prevent_reshaping() {
        let schema = Schema::new(&json!({
            "type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"],
        }))
        .unwrap();
        for (given, made) in [
            (json!({"plan": {"a": "x"}}), json!({"a": "x"})),
            (json!({"plan": {"a": "{{s.x}}"}}), json!({"plan": {"a": "{{s.x}}"}})),
        ] {
            let Value::Object(inputs) = &given else { panic!("{given}") };
            let coerced = coerce_arguments(inputs, &schema, OnExtraArgument::Keep);
            assert_eq!(Value::Object(coerced.inputs), made, "{given}");
        }
    }

    #[test]
    fn what_the_tool_forbids_is_dropped_if_the_options_ask_for_it() {
        let schema = |more: bool| {
            Schema::new(&json!({
                "type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"],
                "additionalProperties": more,
            }))
            .unwrap()
        };
        for (given, more, made, found) in [
            (json!({"query": "x", "zzz": 1}), false, json!({"query": "x"}), "dropped-extra /zzz"),
            (
                json!({"query": "x", "zzz": "{{a.b}}"}),
                false,
                json!({"query": "x"}),
                "dropped-extra /zzz",
            ),
            (json!({"qery": "x"}), false, json!({"query": "x"}), "key-typo /query"),
            (json!({"query": "x", "zzz": 1}), true, json!({"query": "x", "zzz": 1}), ""),
        ] {
            let Value::Object(inputs) = &given else { panic!("{given}") };
            let coerced = coerce_arguments(inputs, &schema(more), OnExtraArgument::Drop);
            let rows = coerced.coercions.iter();
            let rows: Vec<_> = rows.map(|it| format!("{} {}", it.kind.name(), it.path)).collect();
            assert_eq!((Value::Object(coerced.inputs), rows.join(" ").as_str()), (made, found));
        }
    }
}
