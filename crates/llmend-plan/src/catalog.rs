//! The catalog of tools that a plan may use.

use std::collections::BTreeMap;

use llmend_json::{Diagnostic, ErrorRow, ErrorTopic, Node, Severity, push_token};
use llmend_schema::{Schema, check_numbers};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    Map,
    code::CodeRow,
    offered::{self, ParameterOrder},
    schemas::SchemaCache,
};

/// The tools that a plan may use, by name.
///
/// ```
/// use llmend_plan::Catalog;
///
/// let catalog = Catalog::read(&serde_json::json!({
///     "tools": [{"name": "search", "inputSchema": {"type": "object", "required": ["query"]}}]
/// }))?;
/// assert!(catalog.tool("search").is_some());
/// assert_eq!(catalog.nearest("serach"), Some("search"));
/// # Ok::<(), llmend_plan::CatalogError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Catalog {
    /// Tools by name.
    pub tools: BTreeMap<String, Tool>,
    /// Compiled schemas of the tools.
    #[serde(skip)]
    schemas: SchemaCache,
    /// The order of the parameters of the tools, if known.
    #[serde(skip)]
    order: ParameterOrder,
}

/// A tool.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Tool {
    /// What it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// JSON Schema of the arguments; absent if any arguments are allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Value>,
    /// JSON Schema of the output, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
    /// Capabilities by name, for a tool with several, such as the agents of `GoMind`, whose steps
    /// name one in the metadata `capability`. Empty for other tools.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub capabilities: BTreeMap<String, Signature>,
}

/// The signature of one capability of a tool.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Signature {
    /// What it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// JSON Schema of the arguments; absent if any arguments are allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Value>,
    /// JSON Schema of the output, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
}

/// An error in a catalog of tools.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CatalogError {
    /// A part has the wrong type.
    #[error("invalid tool catalog: expected {expected}{}", at(path))]
    Expected {
        /// JSON Pointer into the value.
        path: String,
        /// The expected type.
        expected: &'static str,
    },
    /// Two tools have the same name.
    #[error("invalid tool catalog: duplicate tool `{name}` at `{path}`")]
    Twice {
        /// JSON Pointer to the second tool.
        path: String,
        /// Name of the tool.
        name: String,
    },
    /// The value is a JSON-RPC error response.
    #[error("expected a tool catalog, found an error response: {message}")]
    Answer {
        /// Message of the error response.
        message: String,
    },
}

/// Formats the place of an error; empty for the catalog itself.
fn at(path: &str) -> String {
    if path.is_empty() { String::new() } else { format!(" at `{path}`") }
}

/// Codes of catalog errors.
pub(crate) const CODES: [CodeRow; 3] = [
    CodeRow::error("catalog/wrong-type", "a part of the tool catalog has the wrong type"),
    CodeRow::error("catalog/duplicate-tool", "the tool catalog has two tools of one name"),
    CodeRow::error("catalog/error-answer", "the tool catalog is an error response of a server"),
];

impl CatalogError {
    /// Returns the stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        let [expected, twice, answer] = CODES;
        match self {
            Self::Expected { .. } => expected.code,
            Self::Twice { .. } => twice.code,
            Self::Answer { .. } => answer.code,
        }
    }

    /// Returns the JSON Pointer to the invalid part, if the error is about a part.
    #[must_use]
    pub fn path(&self) -> Option<&str> {
        match self {
            Self::Expected { path, .. } | Self::Twice { path, .. } => Some(path),
            Self::Answer { .. } => None,
        }
    }

    /// Returns the error as other languages show it.
    #[must_use]
    pub fn row(&self) -> ErrorRow {
        let (code, message) = (self.code(), self.to_string());
        let mut row = Diagnostic::new(code, Severity::Error, message.clone());
        row.path = self.path().map(str::to_owned);
        ErrorRow::new(ErrorTopic::Plan, code, message, vec![row])
    }
}

/// Fields of a tool description that hold the schema of the arguments.
const ARGUMENTS: [&str; 6] =
    ["arguments", "parameters", "inputSchema", "input_schema", "args", "schema"];
/// Fields of a tool description that hold the schema of the output.
const OUTPUT: [&str; 5] = ["output", "outputSchema", "output_schema", "returns", "response"];
/// Members that occur in a JSON Schema and not in a tool description.
const SCHEMA_KEYWORDS: [&str; 9] = [
    "$schema",
    "$ref",
    "type",
    "properties",
    "required",
    "additionalProperties",
    "anyOf",
    "oneOf",
    "allOf",
];

impl Catalog {
    /// Reads a catalog: the result of MCP's `tools/list` (with or without its envelope), a `tools`
    /// array as `OpenAI` and Anthropic take it, or an object that maps each tool's name to the JSON
    /// Schema of its arguments, to a description with `arguments` and `output`, or to null.
    ///
    /// A catalog comes from a program, not from a model, so nothing is repaired: any mismatch is an
    /// error.
    pub fn read(value: &Value) -> Result<Self, CatalogError> {
        if let Some(error) = value.get("error").filter(|_| value.get("jsonrpc").is_some()) {
            let message = error.get("message").and_then(Value::as_str).unwrap_or("no message");
            return Err(CatalogError::Answer { message: message.to_owned() });
        }
        let mut at = (value, String::new());
        for name in ["result", "tools"] {
            // An object that maps names to tools may have a tool named `tools`, but that is no array.
            let inner = at.0.get(name).filter(|inner| name != "tools" || inner.is_array());
            if let Some(inner) =
                inner.filter(|_| name != "result" || value.get("jsonrpc").is_some())
            {
                at = (inner, format!("{}/{name}", at.1));
            }
        }
        match at {
            (Value::Array(items), path) => Self::of_list(items, &path),
            (Value::Object(map), path) => Self::of_map(map, &path),
            (_, path) => {
                Err(expected(path, "an array of tools or an object that maps names to tools"))
            }
        }
    }

    /// Reads a catalog from a parsed node. A number that cannot be represented exactly is an error,
    /// since rounding would change the bound of an argument.
    pub fn from_node(node: Node<'_>) -> Result<Self, CatalogError> {
        if let Err(llmend_schema::Error::Schema { path, .. }) = check_numbers(node) {
            return Err(expected(path, "a number that can be represented exactly"));
        }
        let mut catalog = Self::read(&node.to_serde().value)?;
        catalog.order = ParameterOrder::of(node, &ARGUMENTS);
        Ok(catalog)
    }

    /// Returns the tools in the form that the reader of tool calls takes. Positional arguments get
    /// their names in the order of the source if the catalog was read by [`from_node`](Self::from_node),
    /// and otherwise those of the required ones first.
    #[must_use]
    pub fn offered(&self) -> llmend_calls::Tools {
        let schemas = self.tools.iter();
        let schemas = schemas.map(|(name, tool)| (name.as_str(), tool.arguments.as_ref()));
        offered::tools(schemas, &self.order)
    }

    fn of_list(items: &[Value], path: &str) -> Result<Self, CatalogError> {
        let mut tools = BTreeMap::new();
        for (at, item) in items.iter().enumerate() {
            let path = format!("{path}/{at}");
            let (item, path) = match item.get("function") {
                Some(function) => (function, format!("{path}/function")),
                None => (item, path),
            };
            let Value::Object(map) = item else {
                return Err(expected(path, "an object that describes a tool"));
            };
            let name = map.get("name").and_then(Value::as_str).filter(|name| !name.is_empty());
            let Some(name) = name else {
                return Err(expected(format!("{path}/name"), "a non-empty tool name"));
            };
            let tool = described(map, &path)?;
            if tools.insert(name.to_owned(), tool).is_some() {
                return Err(CatalogError::Twice { path, name: name.to_owned() });
            }
        }
        Ok(Self { tools, ..Self::default() })
    }

    fn of_map(map: &Map, path: &str) -> Result<Self, CatalogError> {
        let mut tools = BTreeMap::new();
        for (name, value) in map {
            let mut path = path.to_owned();
            push_token(&mut path, name);
            let tool = match value {
                Value::Null | Value::Bool(true) => Tool::default(),
                Value::String(description) => {
                    Tool { description: Some(description.clone()), ..Tool::default() }
                }
                Value::Object(map) if is_description(map) => described(map, &path)?,
                Value::Object(_) => Tool { arguments: Some(value.clone()), ..Tool::default() },
                _ => return Err(expected(path, "a JSON Schema, a tool description or null")),
            };
            tools.insert(name.clone(), tool);
        }
        Ok(Self { tools, ..Self::default() })
    }

    /// Returns the tool of that name.
    #[must_use]
    pub fn tool(&self, name: &str) -> Option<&Tool> {
        self.tools.get(name)
    }

    /// Returns the name of the only tool of which `name` is a near miss.
    #[must_use]
    pub fn nearest(&self, name: &str) -> Option<&str> {
        llmend_json::nearest(name, self.tools.keys().map(String::as_str))
    }

    /// Returns the JSON Schema of the arguments of the tool `name`, or of its capability.
    #[must_use]
    pub fn arguments(&self, name: &str, capability: Option<&str>) -> Option<&Value> {
        let tool = self.tool(name)?;
        match capability.and_then(|capability| tool.capabilities.get(capability)) {
            Some(signature) => signature.arguments.as_ref(),
            None => tool.arguments.as_ref(),
        }
    }

    /// Returns the compiled JSON Schema of the arguments, or why it cannot be compiled.
    pub(crate) fn compiled(
        &self,
        name: &str,
        capability: Option<&str>,
    ) -> Option<Result<Schema, String>> {
        let capability = capability
            .filter(|it| self.tool(name).is_some_and(|tool| tool.capabilities.contains_key(*it)));
        let json = self.arguments(name, capability)?;
        Some(self.schemas.of(name, capability, json))
    }

    /// Returns the JSON Schema of the output of the tool `name`, or of its capability.
    #[must_use]
    pub fn output(&self, name: &str, capability: Option<&str>) -> Option<&Value> {
        let tool = self.tool(name)?;
        match capability.and_then(|capability| tool.capabilities.get(capability)) {
            Some(signature) => signature.output.as_ref(),
            None => tool.output.as_ref(),
        }
    }
}

/// Returns whether the object describes a tool and is not itself a JSON Schema.
fn is_description(map: &Map) -> bool {
    let has = |names: &[&str]| names.iter().any(|name| map.contains_key(*name));
    !has(&SCHEMA_KEYWORDS)
        && (map.is_empty()
            || has(&ARGUMENTS)
            || has(&OUTPUT)
            || has(&["description", "capabilities"]))
}

fn described(map: &Map, path: &str) -> Result<Tool, CatalogError> {
    let Signature { description, arguments, output } = signature(map, path)?;
    let capabilities = match map.get("capabilities") {
        None | Some(Value::Null) => BTreeMap::new(),
        Some(Value::Object(inner)) => {
            let inner = Catalog::of_map(inner, &format!("{path}/capabilities"))?;
            inner.tools.into_iter().map(|(name, tool)| (name, into_signature(tool))).collect()
        }
        Some(Value::Array(items)) => {
            let inner = Catalog::of_list(items, &format!("{path}/capabilities"))?;
            inner.tools.into_iter().map(|(name, tool)| (name, into_signature(tool))).collect()
        }
        Some(_) => return Err(expected(format!("{path}/capabilities"), "an array or an object")),
    };
    Ok(Tool { description, arguments, output, capabilities })
}

fn into_signature(tool: Tool) -> Signature {
    Signature { description: tool.description, arguments: tool.arguments, output: tool.output }
}

fn signature(map: &Map, path: &str) -> Result<Signature, CatalogError> {
    let description = match map.get("description") {
        None | Some(Value::Null) => None,
        Some(Value::String(text)) => Some(text.clone()),
        Some(_) => return Err(expected(format!("{path}/description"), "a string")),
    };
    Ok(Signature {
        description,
        arguments: schema(map, path, &ARGUMENTS)?,
        output: schema(map, path, &OUTPUT)?,
    })
}

fn schema(map: &Map, path: &str, names: &[&str]) -> Result<Option<Value>, CatalogError> {
    let found = names.iter().find_map(|name| map.get(*name).map(|value| (*name, value)));
    match found {
        None | Some((_, Value::Null)) => Ok(None),
        Some((_, value @ (Value::Object(_) | Value::Bool(_)))) => Ok(Some(value.clone())),
        Some((name, _)) => Err(expected(format!("{path}/{name}"), "a JSON Schema")),
    }
}

fn expected(path: String, expected: &'static str) -> CatalogError {
    CatalogError::Expected { path, expected }
}
