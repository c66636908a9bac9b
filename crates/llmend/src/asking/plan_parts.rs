//! The tools that parts of a plan belong to, and what they declare of these parts.

use std::collections::BTreeMap;

use llmend_json::Node;
use llmend_plan::{Catalog, Dialect, Tool};
use serde_json::{Value as Json, json};

use super::{PartSchema, parts};

/// The members that hold the arguments of a step, in any dialect.
const ARGUMENTS: [&str; 6] = ["inputs", "input", "arguments", "parameters", "params", "args"];

/// The member for a capability of a tool, which some dialects have in the metadata.
const CAPABILITY: [&str; 2] = ["/capability", "/metadata/capability"];

/// The step around a part.
pub(super) struct Step<'v> {
    /// JSON Pointer to the step.
    head: String,
    node: Node<'v>,
    /// The name of its tool.
    pub(super) name: &'v str,
}

/// Returns the innermost step around `path` whose tool is in the catalog.
pub(super) fn step<'v>(catalog: &Catalog, root: Node<'v>, path: &str) -> Option<Step<'v>> {
    let mut head = path;
    loop {
        if let Some(node) = root.pointer(head) {
            let keys = Dialect::ALL.into_iter().flat_map(Dialect::tool_names);
            let mut names = keys.filter_map(|key| node.get(key)?.str());
            if let Some(name) = names.find(|name| catalog.tool(name).is_some()) {
                return Some(Step { head: head.to_owned(), node, name });
            }
        }
        head = head.rsplit_once('/')?.0;
    }
}

/// Returns the schema of the part at `path`: an argument as its tool declares it, or the name of a
/// tool.
pub(super) fn part(catalog: &Catalog, root: Node<'_>, path: &str) -> Option<PartSchema> {
    let (_, last) = path.rsplit_once('/')?;
    if Dialect::ALL.into_iter().flat_map(Dialect::tool_names).any(|key| *key == last) {
        let names: Vec<&String> = catalog.tools.keys().collect();
        return Some(PartSchema { schema: json!({ "enum": names }), ..PartSchema::default() });
    }
    let (declared, rest) = argument(catalog, root, path)?;
    let mut part = parts::part(declared, rest)?;
    // Tools of one catalog may differ in it.
    part.definitions.remove("$schema");
    if !rest.is_empty() {
        part.schema = or_reference(part.schema);
    }
    Some(part)
}

/// Returns whether a tool forbids the argument, or the part of one, at `path`.
pub(super) fn is_forbidden(catalog: &Catalog, root: Node<'_>, path: &str) -> bool {
    argument(catalog, root, path).is_some_and(|(declared, rest)| parts::forbids(declared, rest))
}

/// Returns the schema of the arguments of the step around `path`, and the rest of the path in them.
fn argument<'c, 'p>(
    catalog: &'c Catalog,
    root: Node<'_>,
    path: &'p str,
) -> Option<(&'c Json, &'p str)> {
    let step = step(catalog, root, path)?;
    let below = path.strip_prefix(step.head.as_str())?;
    let mut start = 0;
    below.split('/').skip(1).find(|token| {
        start += "/".len() + token.len();
        ARGUMENTS.contains(token)
    })?;
    let capability = CAPABILITY.iter().find_map(|path| step.node.pointer(path)?.str());
    Some((catalog.arguments(step.name, capability)?, below.get(start..)?))
}

/// Returns the schema of an argument, in place of which a reference to the result of an earlier
/// step may stand.
fn or_reference(schema: Json) -> Json {
    let is_text = schema.get("type").is_some_and(|kind| kind == "string");
    if is_text && schema.as_object().is_some_and(|members| members.len() == 1) {
        return schema;
    }
    json!({"anyOf": [schema, {"type": "string", "pattern": r"^\{\{.+\}\}$"}]})
}

/// Returns the tools that the parts at `paths` belong to. `None` if one of them belongs to no known
/// tool, or to the choice of one.
pub(super) fn concerned<'p>(
    catalog: &Catalog,
    root: Node<'_>,
    paths: impl Iterator<Item = Option<&'p str>>,
) -> Option<Catalog> {
    let mut tools: BTreeMap<String, Tool> = BTreeMap::new();
    for path in paths {
        let step = step(catalog, root, path?)?;
        tools.insert(step.name.to_owned(), catalog.tool(step.name)?.clone());
    }
    let mut narrowed = Catalog::default();
    narrowed.tools = tools;
    (!narrowed.tools.is_empty()).then_some(narrowed)
}

#[cfg(test)]
mod tests {
    use llmend_plan::Catalog;
    use serde_json::{Value as Json, json};

    use super::{super::splice, part};

    #[test]
    fn a_part_has_the_schema_that_its_tool_declares() {
        let catalog = Catalog::read(&json!({"tools": [
            {"name": "search", "inputSchema": {
                "type": "object",
                "properties": {
                    "query": {"type": "string"},
                    "most": {"type": "integer"},
                    "when": {"$ref": "#/$defs/Day"}
                },
                "$defs": {"Day": {"type": "string", "format": "date"}}
            }},
            {"name": "book"}
        ]}))
        .unwrap();
        let plan = r#"{"steps": [
            {"id": "a", "tool": "search", "inputs": {"query": 1, "most": "x", "when": "y"}},
            {"id": "b", "tool": "book", "inputs": {"days": "x"}},
            {"step_id": "c", "agent_name": "search", "metadata": {"parameters": {"most": "x"}}}
        ]}"#;
        let read = splice::read(plan).unwrap();
        let reference = json!({"type": "string", "pattern": r"^\{\{.+\}\}$"});
        let most = json!({"anyOf": [{"type": "integer"}, reference]});
        let when = json!({"anyOf": [{"$ref": "#/$defs/Day"}, reference]});
        let rows: [(&str, Option<(Json, bool)>); 8] = [
            ("/steps/0/inputs/query", Some((json!({"type": "string"}), false))),
            ("/steps/0/inputs/most", Some((most.clone(), false))),
            ("/steps/0/inputs/when", Some((when, true))),
            ("/steps/0/inputs/other", None),
            ("/steps/1/inputs/days", None),
            ("/steps/1/tool", Some((json!({"enum": ["book", "search"]}), false))),
            ("/steps/2/metadata/parameters/most", Some((most, false))),
            ("/steps/0/id", None),
        ];
        for (path, expected) in rows {
            let found = part(&catalog, read.value.root(), path);
            let found = found.map(|part| (part.schema, !part.definitions.is_empty()));
            assert_eq!(found, expected, "{path}");
        }
    }
}
