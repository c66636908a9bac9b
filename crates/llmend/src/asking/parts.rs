//! The part of a JSON Schema that describes one part of a value.

use serde_json::{Map, Value as Json};

use super::PartSchema;

/// The maximum number of schemas visited for one token of a path, and of definitions of a part. It
/// ends circular references.
const MOST_STEPS: usize = 256;

/// The keywords that hold definitions.
const DEFINITIONS: [&str; 2] = ["$defs", "definitions"];

/// Returns the part of `schema` that describes the value at the JSON Pointer `path`, with the
/// definitions that it needs. `None` if that depends on the value, or if a reference does not lead
/// to a definition.
///
/// Several parts are combined under `anyOf`: the result is shown to a model, and its answer is
/// validated against the whole schema anyway.
pub(crate) fn part(schema: &Json, path: &str) -> Option<PartSchema> {
    let mut now = vec![schema];
    for token in path.split('/').skip(1) {
        let token = llmend_json::unescape_token(token);
        let mut next: Vec<&Json> = Vec::new();
        for one in together(schema, &now) {
            if let Some(below) = below(one, &token)?
                && !next.contains(&below)
            {
                next.push(below);
            }
        }
        now = next;
    }
    let found = match now.as_slice() {
        [] => return None,
        [one] => (*one).clone(),
        several => Json::from_iter([("anyOf", several.iter().copied().cloned().collect::<Json>())]),
    };
    let definitions = definitions(schema, &found)?;
    Some(PartSchema { schema: found, definitions })
}

/// Returns the schemas that apply at one place, or some of which may: each with the targets of its
/// references and its subschemas.
fn together<'s>(root: &'s Json, start: &[&'s Json]) -> Vec<&'s Json> {
    let mut found: Vec<&Json> = Vec::new();
    let mut open: Vec<&Json> = start.iter().rev().copied().collect();
    while let Some(one) = open.pop() {
        if found.len() >= MOST_STEPS || found.iter().any(|known| std::ptr::eq(*known, one)) {
            continue;
        }
        found.push(one);
        let Json::Object(members) = one else { continue };
        let branches: Vec<&Json> = ["allOf", "anyOf", "oneOf"]
            .iter()
            .filter_map(|key| members.get(*key)?.as_array())
            .flatten()
            .collect();
        open.extend(branches.into_iter().rev());
        open.extend(["then", "else"].iter().filter_map(|key| members.get(*key)));
        open.extend(members.get("$ref").and_then(Json::as_str).and_then(|to| target(root, to)));
    }
    found
}

/// Returns the target of a reference within the schema.
fn target<'s>(root: &'s Json, reference: &str) -> Option<&'s Json> {
    root.pointer(reference.strip_prefix('#')?)
}

/// Returns the schema of the member or item `token`, if this schema has one. The outer `None` means
/// that it cannot be told here.
#[expect(clippy::option_option, reason = "no schema, and unknown")]
fn below<'s>(schema: &'s Json, token: &str) -> Option<Option<&'s Json>> {
    let get = |key: &str| schema.get(key);
    if let Some(found) = get("properties").and_then(|known| known.get(token)) {
        return Some(Some(found));
    }
    let index: Option<usize> = token.parse().ok();
    let prefix = get("prefixItems").or(get("items")).and_then(Json::as_array);
    let item = index.and_then(|index| {
        let rest = get("items").filter(|items| !items.is_array()).or(get("additionalItems"));
        prefix.and_then(|prefix| prefix.get(index)).or(rest)
    });
    if item.is_some() {
        return Some(item);
    }
    // Only the validator can tell whether a pattern matches.
    if get("patternProperties")
        .is_some_and(|patterns| patterns.as_object().is_some_and(|it| !it.is_empty()))
    {
        return None;
    }
    Some(get("additionalProperties").filter(|more| more.is_object()))
}

/// Returns the definitions that `part` needs, directly or indirectly, by the names of their
/// holders.
fn definitions(root: &Json, part: &Json) -> Option<Map<String, Json>> {
    let mut out: Map<String, Json> = Map::new();
    // The meaning of the keywords depends on the draft.
    out.extend(root.get("$schema").map(|draft| ("$schema".to_owned(), draft.clone())));
    let mut open: Vec<&Json> = vec![part];
    let mut found: Vec<(&str, String, &Json)> = Vec::new();
    while let Some(one) = open.pop() {
        match one {
            Json::Array(items) => open.extend(items),
            Json::Object(members) => {
                open.extend(members.values());
                let Some(reference) = members.get("$ref") else { continue };
                let (holder, name, definition) = definition(root, reference.as_str()?)?;
                if found.len() >= MOST_STEPS {
                    return None;
                }
                // The part was cloned, so that definitions are compared by name, not by address.
                if !found.iter().any(|(known, other, _)| *known == holder && *other == name) {
                    found.push((holder, name, definition));
                    open.push(definition);
                }
            }
            _ => {}
        }
    }
    for (holder, name, definition) in found {
        let held = out.entry(holder).or_insert_with(|| Json::Object(Map::new()));
        held.as_object_mut()?.insert(name, definition.clone());
    }
    Some(out)
}

/// Returns the definition that a reference leads to: its holder, its name and its schema.
fn definition<'s>(root: &'s Json, reference: &str) -> Option<(&'static str, String, &'s Json)> {
    DEFINITIONS.into_iter().find_map(|holder| {
        let name = reference.strip_prefix("#/")?.strip_prefix(holder)?.strip_prefix('/')?;
        let name = llmend_json::unescape_token(name);
        // A reference into a definition cannot be carried over alone.
        let definition = root.get(holder)?.get(&name)?;
        Some((holder, name, definition))
    })
}

/// Returns the names of the members that every object at `path` requires.
pub(crate) fn required(schema: &Json, path: &str) -> Vec<String> {
    let Some(found) = part(schema, path) else { return Vec::new() };
    let rooted = rooted(found);
    let mut names = Vec::new();
    for one in together(&rooted, &[&rooted]) {
        let own = one.get("required").and_then(Json::as_array).into_iter().flatten();
        for name in own.filter_map(Json::as_str) {
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
    }
    names
}

/// Returns whether `schema` forbids any member of the name at the end of the JSON Pointer `path`.
pub(crate) fn forbids(schema: &Json, path: &str) -> bool {
    let Some((head, token)) = path.rsplit_once('/') else { return false };
    let name = llmend_json::unescape_token(token);
    let Some(found) = part(schema, head) else { return false };
    let rooted = rooted(found);
    let all = together(&rooted, &[&rooted]);
    let is_named = |one: &&Json| {
        let known = one.get("properties").is_some_and(|known| known.get(&*name).is_some());
        // Only the validator can tell whether a pattern matches.
        known || one.get("patternProperties").is_some()
    };
    let is_closed = |one: &&Json| {
        let closes = |key| one.get(key) == Some(&Json::Bool(false));
        closes("additionalProperties") || closes("unevaluatedProperties")
    };
    !all.iter().any(is_named) && all.iter().any(is_closed)
}

/// Returns a part as a schema of its own.
fn rooted(part: PartSchema) -> Json {
    let PartSchema { schema, definitions } = part;
    match schema {
        Json::Object(mut members) => {
            members.extend(definitions);
            Json::Object(members)
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{forbids, part, required};

    #[test]
    fn a_part_is_found_by_its_path() {
        let schema = json!({
            "type": "object",
            "properties": {
                "days": {"type": "integer"},
                "stops": {"type": "array", "items": {"$ref": "#/$defs/Stop"}},
                "pair": {"prefixItems": [{"type": "string"}], "items": {"type": "number"}},
                "either": {"anyOf": [
                    {"properties": {"x": {"type": "string"}}},
                    {"properties": {"x": {"type": "null"}, "y": {}}}
                ]},
                "map": {"additionalProperties": {"type": "boolean"}},
                "by_pattern": {"patternProperties": {"^a": {}}},
                "a/b": {"const": 1}
            },
            "allOf": [{"properties": {"also": {"type": "string"}}}],
            "$defs": {
                "Stop": {"properties": {"place": {"$ref": "#/$defs/Place"}, "next": {"$ref": "#/$defs/Stop"}}, "required": ["place"]},
                "Place": {"type": "string", "minLength": 1},
                "Other": {}
            }
        });
        let rows = [
            ("/days", Some(json!({"type": "integer"})), json!({})),
            ("/a~1b", Some(json!({"const": 1})), json!({})),
            ("/also", Some(json!({"type": "string"})), json!({})),
            (
                "/stops/7/place",
                Some(json!({"$ref": "#/$defs/Place"})),
                json!({"$defs": {"Place": {"type": "string", "minLength": 1}}}),
            ),
            ("/pair/0", Some(json!({"type": "string"})), json!({})),
            ("/pair/5", Some(json!({"type": "number"})), json!({})),
            (
                "/either/x",
                Some(json!({"anyOf": [{"type": "string"}, {"type": "null"}]})),
                json!({}),
            ),
            ("/either/y", Some(json!({})), json!({})),
            ("/map/any", Some(json!({"type": "boolean"})), json!({})),
            ("/by_pattern/a", None, json!({})),
            ("/unknown", None, json!({})),
            ("/days/x", None, json!({})),
        ];
        for (path, expected, definitions) in rows {
            let found = part(&schema, path);
            assert_eq!(found.as_ref().map(|part| &part.schema), expected.as_ref(), "{path}");
            if let Some(found) = found {
                assert_eq!(serde_json::Value::Object(found.definitions), definitions, "{path}");
            }
        }
        // A schema that refers to itself terminates, and brings all that it needs.
        let stop = part(&schema, "/stops/0/next/next/next").unwrap();
        let names: Vec<_> = stop.definitions["$defs"].as_object().unwrap().keys().collect();
        assert_eq!(names, ["Place", "Stop"]);
        assert_eq!(required(&schema, "/stops/0"), ["place"]);
        assert_eq!(required(&schema, "/days"), [""; 0]);
    }

    #[test]
    fn a_member_is_forbidden_where_nothing_names_it() {
        let schema = json!({
            "properties": {
                "open": {"properties": {"a": {}}},
                "closed": {"$ref": "#/$defs/Closed"},
                "pattern": {"patternProperties": {"^x": {}}, "additionalProperties": false},
                "either": {"anyOf": [{"$ref": "#/$defs/Closed"}, {"properties": {"b": {}}}]},
                "list": {"items": {"$ref": "#/$defs/Closed"}}
            },
            "additionalProperties": false,
            "$defs": {"Closed": {"properties": {"a": {}, "c/d": {}}, "additionalProperties": false}}
        });
        for (path, expected) in [
            ("/other", true),
            ("/open", false),
            ("/open/b", false),
            ("/closed/a", false),
            ("/closed/c~1d", false),
            ("/closed/b", true),
            ("/pattern/y", false),
            ("/either/b", false),
            ("/either/c", true),
            ("/list/3/b", true),
            ("/other/a", false),
            ("", false),
        ] {
            assert_eq!(forbids(&schema, path), expected, "{path}");
        }
    }

    #[test]
    fn what_cannot_be_carried_over_is_none() {
        let schema = json!({
            "properties": {
                "tree": {"$ref": "#"},
                "inner": {"$ref": "#/properties/tree"},
                "elsewhere": {"$ref": "other.json"},
                "circle": {"$ref": "#/$defs/Circle"}
            },
            "$defs": {"Circle": {"$ref": "#/$defs/Circle"}}
        });
        for path in ["/tree", "/inner", "/elsewhere"] {
            assert_eq!(part(&schema, path), None, "{path}");
        }
        assert!(part(&schema, "/circle").is_some());
        assert_eq!(part(&schema, "/circle/x"), None);
        // A part is found through a reference to the whole.
        assert!(part(&schema, "/tree/tree/circle").is_some());
    }
}
