//! Tools of a catalog as the reader of tool calls takes them.

use std::{collections::BTreeMap, sync::Arc};

use llmend_calls::Tools;
use llmend_json::{Kind, Node};
use serde_json::Value;

/// The names of the parameters of each tool in the order of the source, which a JSON value does not
/// keep. Not part of the value of a catalog, so all are equal.
#[derive(Clone, Debug, Default)]
pub(crate) struct ParameterOrder(Arc<BTreeMap<String, Vec<String>>>);

impl PartialEq for ParameterOrder {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl ParameterOrder {
    /// Returns the order in the catalog `node`, whose tools have their schema in one of the `fields`.
    pub(crate) fn of(node: Node<'_>, fields: &[&str]) -> Self {
        let mut node = node;
        for name in ["result", "tools"] {
            if let Some(inner) = node.get(name).filter(|it| it.kind() != Kind::String) {
                node = inner;
            }
        }
        let named = |item: Node<'_>| {
            let tool = item.get("function").unwrap_or(item);
            Some((tool.get("name")?.str()?.to_owned(), parameters(tool, fields)))
        };
        let keyed = |(name, tool): (Node<'_>, Node<'_>)| {
            Some((name.str()?.to_owned(), parameters(tool, fields)))
        };
        let order = if node.kind() == Kind::Array {
            node.items().filter_map(named).collect()
        } else {
            node.members().filter_map(keyed).collect()
        };
        Self(Arc::new(order))
    }
}

/// Returns the names of the parameters of a tool: of the schema in one of its `fields`, or of the
/// schema that it is.
fn parameters(tool: Node<'_>, fields: &[&str]) -> Vec<String> {
    let schema = fields.iter().find_map(|name| tool.get(name)).unwrap_or(tool);
    let properties = schema.get("properties").into_iter().flat_map(Node::members);
    properties.filter_map(|(name, _)| name.str()).map(str::to_owned).collect()
}

/// Returns the tools of these names and schemas. A tool whose schema cannot be used takes any arguments.
pub(crate) fn tools<'c>(
    schemas: impl Iterator<Item = (&'c str, Option<&'c Value>)>,
    order: &ParameterOrder,
) -> Tools {
    let one = |(name, schema): (&str, Option<&Value>)| {
        let known = order.0.get(name).map(Vec::as_slice).unwrap_or_default();
        let name = Value::from(name);
        let open = format!("{{\"name\":{name}}}");
        let full = schema.map(|schema| {
            let schema = ordered(schema, known);
            format!("{{\"name\":{name},\"parameters\":{schema}}}")
        });
        (full.unwrap_or_else(|| open.clone()), open)
    };
    let texts: Vec<(String, String)> = schemas.map(one).collect();
    let list = |texts: Vec<&str>| Tools::from_text(&format!("[{}]", texts.join(",")));
    let all = list(texts.iter().map(|(full, _)| full.as_str()).collect());
    let usable = |full: &String| Tools::from_text(full).is_ok();
    all.or_else(|_| {
        let usable = texts.iter().map(|(full, open)| if usable(full) { full } else { open });
        list(usable.map(String::as_str).collect())
    })
    .unwrap_or_default()
}

/// Writes `schema` with its properties in the order `known`; the rest follow, required ones first.
fn ordered(schema: &Value, known: &[String]) -> String {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return schema.to_string();
    };
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    let mut names: Vec<&str> = Vec::with_capacity(properties.len());
    let first = known.iter().map(String::as_str).chain(required.filter_map(Value::as_str));
    for name in first.chain(properties.keys().map(String::as_str)) {
        if properties.contains_key(name) && !names.contains(&name) {
            names.push(name);
        }
    }
    let member = |name: &str, value: &Value| format!("{}:{value}", Value::from(name));
    let part = |name: &str| properties.get(name).map(|value| member(name, value));
    let properties: Vec<String> = names.into_iter().filter_map(part).collect();
    let rest = schema.as_object().into_iter().flatten().filter(|(name, _)| *name != "properties");
    let properties = format!("\"properties\":{{{}}}", properties.join(","));
    let all: Vec<String> =
        std::iter::once(properties).chain(rest.map(|(name, value)| member(name, value))).collect();
    format!("{{{}}}", all.join(","))
}

#[cfg(test)]
mod tests {
    use llmend_calls::{Options, read};
    use serde_json::json;

    use crate::Catalog;

    const SCHEMA: &str = r#"{"type": "object", "properties":
        {"to": {"type": "string"}, "body": {"type": "string"}, "copy": {"type": "string"}},
        "required": ["to"]}"#;

    #[test]
    fn positional_arguments_follow_the_order_of_the_source() {
        for catalog in [
            format!(r#"[{{"name": "send", "parameters": {SCHEMA}}}]"#),
            format!(
                r#"{{"tools": [{{"type": "function", "function": {{"name": "send", "parameters": {SCHEMA}}}}}]}}"#
            ),
            format!(
                r#"{{"jsonrpc": "2.0", "result": {{"tools": [{{"name": "send", "inputSchema": {SCHEMA}}}]}}}}"#
            ),
            format!(r#"{{"send": {SCHEMA}}}"#),
            format!(r#"{{"send": {{"description": "Sends.", "arguments": {SCHEMA}}}}}"#),
        ] {
            let parsed = llmend_json::parse(&catalog).unwrap();
            let tools = Catalog::from_node(parsed.value.root()).unwrap().offered();
            let reading = read("[send('a', 'b')]", &tools, &Options::default());
            assert_eq!(
                reading.calls[0].arguments.to_string(),
                r#"{"to":"a","body":"b"}"#,
                "{catalog}"
            );
        }
    }

    #[test]
    fn a_tool_with_an_unusable_schema_takes_any_arguments() {
        let tools = json!({"send": {"type": "nonsense"}, "get": {"type": "object"}, "any": null});
        let tools = Catalog::read(&tools).unwrap().offered();
        assert_eq!(tools.names().collect::<Vec<_>>(), ["any", "get", "send"]);
        assert_eq!(read("[send(x=1)]", &tools, &Options::default()).calls.len(), 1);
    }
}
