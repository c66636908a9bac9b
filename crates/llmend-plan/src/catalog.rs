//! Which tools may a plan use, and what do they take?

use std::collections::BTreeMap;

use llmend_json::Node;
use llmend_schema::{Schema, check_numbers};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Map, check::Listed, object::below, schemas::Schemas};

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
    /// Each tool under its name.
    pub tools: BTreeMap<String, Tool>,
    /// Those of the tools' schemas that were compiled.
    #[serde(skip)]
    schemas: Schemas,
}

/// What is known of a tool.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Tool {
    /// What it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// JSON Schema of what it is given; nothing where anything goes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Value>,
    /// JSON Schema of what it gives, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
    /// What it can do, each under its name, where one tool can do several things: the agents of
    /// `GoMind`, whose steps name one in the metadata `capability`. Empty where it does one thing.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub capabilities: BTreeMap<String, Signature>,
}

/// What one capability of a tool takes and gives.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Signature {
    /// What it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// JSON Schema of what it is given; nothing where anything goes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Value>,
    /// JSON Schema of what it gives, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
}

/// Why a value is no catalog of tools.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CatalogError {
    /// Something is not as it must be.
    #[error("`{path}` of the catalog is to be {expected}")]
    Expected {
        /// JSON Pointer into the value.
        path: String,
        /// What it is to be.
        expected: &'static str,
    },
    /// A name stands twice.
    #[error("`{path}` of the catalog names the tool `{name}` a second time")]
    Twice {
        /// JSON Pointer to the later one.
        path: String,
        /// The name.
        name: String,
    },
    /// It is an answer that says why there are no tools.
    #[error("this is an error that a server sent, no catalog: {message}")]
    Answer {
        /// What the server said.
        message: String,
    },
}

/// Every code that a catalog may give.
pub(crate) const CODES: [Listed; 3] = [
    Listed::error("catalog/wrong-type", "something in the catalog of tools is not as it must be"),
    Listed::error("catalog/duplicate-tool", "the catalog names a tool twice"),
    Listed::error("catalog/error-answer", "in place of the catalog stands an error of a server"),
];

impl CatalogError {
    /// The stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        let [expected, twice, answer] = CODES;
        match self {
            Self::Expected { .. } => expected.code,
            Self::Twice { .. } => twice.code,
            Self::Answer { .. } => answer.code,
        }
    }

    /// JSON Pointer to what it is about, if it is about a part.
    #[must_use]
    pub fn path(&self) -> Option<&str> {
        match self {
            Self::Expected { path, .. } | Self::Twice { path, .. } => Some(path),
            Self::Answer { .. } => None,
        }
    }
}

/// Names under which a description of a tool keeps the schema of what it is given.
const ARGUMENTS: [&str; 6] =
    ["arguments", "parameters", "inputSchema", "input_schema", "args", "schema"];
/// Names under which it keeps the schema of what it gives.
const OUTPUT: [&str; 5] = ["output", "outputSchema", "output_schema", "returns", "response"];
/// Members that only a JSON Schema has.
const OF_A_SCHEMA: [&str; 9] = [
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
    /// Reads a catalog: the answer to `tools/list` of MCP (with or without its envelope), a `tools`
    /// array for `OpenAI` or Anthropic, or a map from each tool's name to a JSON Schema of its
    /// arguments, to a description with `arguments` and `output`, or to null.
    ///
    /// A catalog comes from a program, not from a model: what does not fit is an error.
    pub fn read(value: &Value) -> Result<Self, CatalogError> {
        if let Some(error) = value.get("error").filter(|_| value.get("jsonrpc").is_some()) {
            let message = error.get("message").and_then(Value::as_str).unwrap_or("no message");
            return Err(CatalogError::Answer { message: message.to_owned() });
        }
        let mut at = (value, String::new());
        for name in ["result", "tools"] {
            // A map of tools may have one that is called `tools`, but no list under that name.
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
            (_, path) => Err(expected(path, "a list of tools, or a map from names to tools")),
        }
    }

    /// Reads the catalog that a part of a value is. A number of more digits than can be kept is an
    /// error: rounded, it would be another bound of an argument.
    pub fn from_node(node: Node<'_>) -> Result<Self, CatalogError> {
        if let Err(llmend_schema::Error::Schema { path, .. }) = check_numbers(node) {
            return Err(expected(path, "a number of no more digits than can be kept"));
        }
        Self::read(&node.to_serde().value)
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
                return Err(expected(format!("{path}/name"), "the name of a tool"));
            };
            let tool = described(map, &path)?;
            if tools.insert(name.to_owned(), tool).is_some() {
                return Err(CatalogError::Twice { path, name: name.to_owned() });
            }
        }
        Ok(Self { tools, schemas: Schemas::default() })
    }

    fn of_map(map: &Map, path: &str) -> Result<Self, CatalogError> {
        let mut tools = BTreeMap::new();
        for (name, value) in map {
            let path = below(path, name);
            let tool = match value {
                Value::Null | Value::Bool(true) => Tool::default(),
                Value::String(description) => {
                    Tool { description: Some(description.clone()), ..Tool::default() }
                }
                Value::Object(map) if is_description(map) => described(map, &path)?,
                Value::Object(_) => Tool { arguments: Some(value.clone()), ..Tool::default() },
                _ => return Err(expected(path, "a JSON Schema, a description of a tool, or null")),
            };
            tools.insert(name.clone(), tool);
        }
        Ok(Self { tools, schemas: Schemas::default() })
    }

    /// The tool of that name.
    #[must_use]
    pub fn tool(&self, name: &str) -> Option<&Tool> {
        self.tools.get(name)
    }

    /// The one tool whose name `name` is a slip of.
    #[must_use]
    pub fn nearest(&self, name: &str) -> Option<&str> {
        llmend_json::nearest(name, self.tools.keys().map(String::as_str))
    }

    /// JSON Schema of what the tool `name` is given, for its capability if it has several.
    #[must_use]
    pub fn arguments(&self, name: &str, capability: Option<&str>) -> Option<&Value> {
        let tool = self.tool(name)?;
        match capability.and_then(|capability| tool.capabilities.get(capability)) {
            Some(signature) => signature.arguments.as_ref(),
            None => tool.arguments.as_ref(),
        }
    }

    /// The same, compiled; if it cannot be used, the reason.
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

    /// JSON Schema of what the tool `name` gives, for its capability if it has several.
    #[must_use]
    pub fn output(&self, name: &str, capability: Option<&str>) -> Option<&Value> {
        let tool = self.tool(name)?;
        match capability.and_then(|capability| tool.capabilities.get(capability)) {
            Some(signature) => signature.output.as_ref(),
            None => tool.output.as_ref(),
        }
    }
}

/// Whether it describes a tool, and is no JSON Schema itself.
fn is_description(map: &Map) -> bool {
    let has = |names: &[&str]| names.iter().any(|name| map.contains_key(*name));
    !has(&OF_A_SCHEMA)
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
            inner.tools.into_iter().map(|(name, tool)| (name, one(tool))).collect()
        }
        Some(Value::Array(items)) => {
            let inner = Catalog::of_list(items, &format!("{path}/capabilities"))?;
            inner.tools.into_iter().map(|(name, tool)| (name, one(tool))).collect()
        }
        Some(_) => return Err(expected(format!("{path}/capabilities"), "a list or a map")),
    };
    Ok(Tool { description, arguments, output, capabilities })
}

fn one(tool: Tool) -> Signature {
    Signature { description: tool.description, arguments: tool.arguments, output: tool.output }
}

fn signature(map: &Map, path: &str) -> Result<Signature, CatalogError> {
    let description = match map.get("description") {
        None | Some(Value::Null) => None,
        Some(Value::String(text)) => Some(text.clone()),
        Some(_) => return Err(expected(format!("{path}/description"), "a text")),
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
