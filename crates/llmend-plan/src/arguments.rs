//! Do the arguments of a step fit what its tool takes?

use llmend_json::{Class, Diagnostic, RuleSet, Search, Severity};
use llmend_schema::{Coerced, Coercion, CoercionKind, Options, Schema, Violation, coerce};
use serde_json::Value;

use crate::{Map, code, findings::Findings, object::below, reference};

/// Most steps of work for the arguments of one step: a plan may have many.
const MOST_WORK: usize = 100_000;

/// Arguments as far as they could be made to fit, by JSON Pointers into them.
#[derive(Debug)]
pub(crate) struct Fitted {
    pub(crate) inputs: Map,
    pub(crate) coercions: Vec<Coercion>,
    pub(crate) violations: Vec<Violation>,
    /// The old and the new name of each argument that was renamed.
    pub(crate) renamed: Vec<(String, String)>,
}

/// Makes `inputs` fit `schema`. An argument that refers to what another step gives stands for a
/// value that is not known yet: it stays as it is, and nothing is wrong with it.
pub(crate) fn fitted(inputs: &Map, schema: &Schema) -> Fitted {
    let referring: Vec<&String> =
        inputs.iter().filter(|(_, value)| refers(value)).map(|(name, _)| name).collect();
    let Some(Coerced { value, mut coercions, mut violations }) = coerced(inputs, schema) else {
        return untouched(inputs);
    };
    let reshaped = coercions.iter().any(|it| it.path.is_empty());
    let Value::Object(mut made) = value.to_serde().value else { return untouched(inputs) };
    // What the references stand for is not known, so neither is what becomes of the whole.
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
        coercions.retain(|it| !within(&it.path) || (is_of_key(it) && it.path == above));
        violations.retain(|it| !within(&it.path));
    }
    Fitted { inputs: made, coercions, violations, renamed }
}

fn untouched(inputs: &Map) -> Fitted {
    let (coercions, violations) = (Vec::new(), Vec::new());
    Fitted { inputs: inputs.clone(), coercions, violations, renamed: Vec::new() }
}

fn coerced(inputs: &Map, schema: &Schema) -> Option<Coerced> {
    let text = Value::Object(inputs.clone()).to_string();
    let strict =
        llmend_json::Options { rules: RuleSet::NONE, search: Search::Off, ..Default::default() };
    let parsed = llmend_json::parse_with(&text, &strict).ok()?;
    let options = Options { max_work: MOST_WORK, ..Options::default() };
    Some(coerce(&parsed.value, schema, &options))
}

/// The old and the new name of each argument whose key was read as another.
fn renamed(coercions: &[Coercion], inputs: &Map, made: &Map) -> Vec<(String, String)> {
    let keys = coercions.iter().filter(|it| is_of_key(it));
    keys.filter_map(|it| {
        let old: String = serde_json::from_str(&it.before).ok()?;
        let new = made.keys().find(|new| below("", new) == it.path)?;
        inputs.contains_key(&old).then(|| (old, new.clone()))
    })
    .collect()
}

/// Whether it is a key that was read as another.
const fn is_of_key(coercion: &Coercion) -> bool {
    matches!(
        coercion.kind,
        CoercionKind::KeySpelling | CoercionKind::KeyAlias | CoercionKind::KeyTypo
    )
}

/// Whether a value, or something within it, refers to what another step gives.
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

/// Makes `inputs` fit `schema`, the JSON Schema of what the tool is given. They stand at the
/// canonical path `part` of the item whose findings and places these are.
///
/// Each coercion is a finding. What does not fit all the same is for the checks to say.
pub(crate) fn fit(inputs: &mut Map, schema: &Schema, part: &str, findings: &mut Findings) {
    let Fitted { inputs: made, coercions, renamed, .. } = fitted(inputs, schema);
    for (old, new) in &renamed {
        findings.places.rename(&below(part, old), &below(part, new));
    }
    for coercion in &coercions {
        let severity = match coercion.class {
            Class::Guess | Class::Loss => Severity::Warning,
            _ => Severity::Info,
        };
        let message = message(coercion);
        let row = Diagnostic::new(code::COERCED_ARGUMENTS, severity, message);
        findings.push(findings.places.shown(row, &format!("{part}{}", coercion.path)));
    }
    *inputs = made;
}

fn message(coercion: &Coercion) -> String {
    let kind = coercion.kind.name();
    let text =
        |json: &str| if json.is_empty() { "nothing".to_owned() } else { format!("`{json}`") };
    format!("{} is read as {} ({kind})", text(&coercion.before), text(&coercion.after))
}

#[cfg(test)]
mod tests {
    use llmend_schema::Schema;
    use serde_json::{Value, json};

    use super::fitted;

    /// Rows of arguments, what becomes of them, and what is found as `kind path`.
    #[test]
    fn arguments_are_made_to_fit() {
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
            // What another step gives may be of any type.
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
            let fitted = fitted(inputs, &schema);
            let coercions =
                fitted.coercions.iter().map(|it| format!("{} {}", it.kind.name(), it.path));
            let violations = fitted.violations.iter().map(|it| format!("{} {}", it.code, it.path));
            let all: Vec<String> = coercions.chain(violations).collect();
            assert_eq!(
                (Value::Object(fitted.inputs), all.join(" ").as_str()),
                (made, found),
                "{given}"
            );
        }
    }

    #[test]
    fn what_the_references_stand_for_decides_of_the_whole() {
        let schema = Schema::new(&json!({
            "type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"],
        }))
        .unwrap();
        for (given, made) in [
            (json!({"plan": {"a": "x"}}), json!({"a": "x"})),
            (json!({"plan": {"a": "{{s.x}}"}}), json!({"plan": {"a": "{{s.x}}"}})),
        ] {
            let Value::Object(inputs) = &given else { panic!("{given}") };
            assert_eq!(Value::Object(fitted(inputs, &schema).inputs), made, "{given}");
        }
    }
}
