//! The tools that a model was offered.

mod kinds;
mod normalize;
mod plain;

use std::sync::OnceLock;

use llmend_json::{Diagnostic, ErrorRow, ErrorTopic, Kind, Node, Search, Severity};
use llmend_schema::{KnownNames, NameMatch, Schema, Subschemas};
use serde_json::Value as Json;

pub use kinds::Kinds;

/// The tools that a model was offered.
///
/// ```
/// use llmend_calls::Tools;
///
/// let tools = Tools::from_text(r#"{"get_time": {"properties": {"zone": {"type": "string"}}}}"#)?;
/// assert_eq!(tools.names().collect::<Vec<_>>(), ["get_time"]);
/// # Ok::<(), llmend_calls::ToolsError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Tools {
    all: Vec<Tool>,
    names: KnownNames,
    /// Whether tools were given, perhaps none.
    given: bool,
}

/// A tool: a name and the schema of its arguments.
#[derive(Clone, Debug)]
pub struct Tool {
    /// The name.
    pub name: String,
    /// The schema of the arguments, an object.
    pub schema: Schema,
    /// The declared parameters, in the order of the schema.
    pub parameters: Vec<Parameter>,
    /// Types in the schema that are unknown, and allow any value.
    pub unknown_types: Vec<String>,
    parameter_names: KnownNames,
    /// Whether nothing but its members decides whether an object fits.
    pub(crate) is_plain: bool,
    /// The schemas of the parameters, compiled on first use.
    parameter_schemas: Vec<OnceLock<Option<Schema>>>,
}

/// A declared parameter of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The name.
    pub name: String,
    /// The kinds of values that the schema allows.
    pub kinds: Kinds,
    /// Whether a call must have it.
    pub required: bool,
    /// Whether any string is a value of it, and nothing else.
    pub(crate) is_free_text: bool,
}

/// The error for tools that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ToolsError {
    /// The text is not JSON.
    #[error("invalid tools: {0}")]
    Json(String),
    /// The JSON has none of the known forms.
    #[error(
        "invalid tools: expected a list of tools in the form of OpenAI, Anthropic, MCP or Gemini, or an \
         object with a JSON Schema for each name; found {0}"
    )]
    Form(String),
    /// The schema of a tool is invalid.
    #[error("invalid schema of tool `{name}`: {error}")]
    Schema {
        /// The name of the tool.
        name: String,
        /// What is invalid.
        error: String,
    },
    /// Two tools with different schemas have the same name.
    #[error("two different tools are named `{0}`")]
    Duplicate(String),
}

impl ToolsError {
    /// Returns the error as other languages show it.
    #[must_use]
    pub fn row(&self) -> ErrorRow {
        let (code, message) = ("tools/unusable", self.to_string());
        let row = Diagnostic::new(code, Severity::Error, message.clone());
        ErrorRow::new(ErrorTopic::Schema, code, message, vec![row])
    }
}

/// Keys of the schema of a tool's arguments.
const SCHEMA_KEYS: &[&str] = &[
    "parameters",
    "input_schema",
    "inputSchema",
    "parametersJsonSchema",
    "parameters_json_schema",
];
/// Keys of lists of tools.
const LIST_KEYS: &[&str] = &["tools", "functionDeclarations", "function_declarations", "functions"];

impl Tools {
    /// Reads the tools in a JSON text.
    ///
    /// Accepted are OpenAI's `tools` (of both interfaces) and `functions`, Anthropic's tools with
    /// `input_schema`, MCP's with `inputSchema`, Gemini's `functionDeclarations`, each as a list or
    /// in the object that holds the list, and an object with a JSON Schema for each name.
    pub fn from_text(text: &str) -> Result<Self, ToolsError> {
        let options = llmend_json::Options {
            search: Search::Off,
            rules: llmend_json::RuleSet::NONE,
            ..llmend_json::Options::default()
        };
        let parsed = llmend_json::parse_with(text, &options)
            .map_err(|error| ToolsError::Json(error.message().clone()))?;
        Self::from_node(parsed.value.root())
    }

    /// Reads the tools in a part of a value, in the same forms.
    pub fn from_node(node: Node<'_>) -> Result<Self, ToolsError> {
        let mut tools = Self { given: true, ..Self::default() };
        tools.add_all(node)?;
        tools.names = KnownNames::new(tools.all.iter().map(|tool| tool.name.as_str()));
        Ok(tools)
    }

    fn add_all(&mut self, node: Node<'_>) -> Result<(), ToolsError> {
        match node.kind() {
            Kind::Array => node.items().try_for_each(|item| self.add_all(item)),
            Kind::Object => {
                if let Some(list) = LIST_KEYS.iter().find_map(|key| node.get(key)) {
                    return self.add_all(list);
                }
                let declared = node.get("function").filter(|one| one.kind() == Kind::Object);
                let declared = declared.unwrap_or(node);
                if let Some(name) = declared.get("name").and_then(Node::str) {
                    let schema = SCHEMA_KEYS.iter().find_map(|key| declared.get(key));
                    return self.add(name, schema);
                }
                let is_schema = |(_, part): (Node<'_>, Node<'_>)| part.kind() == Kind::Object;
                if node.members().all(is_schema) {
                    return node.members().try_for_each(|(name, schema)| {
                        self.add(name.str().unwrap_or_default(), Some(schema))
                    });
                }
                // A built-in tool of a provider has a type alone.
                match node.get("type").and_then(Node::str) {
                    Some(name) if !matches!(name, "function" | "object") => self.add(name, None),
                    _ => Err(ToolsError::Form(
                        llmend_json::preview(&node.to_string(), 80).to_owned(),
                    )),
                }
            }
            _ => Err(ToolsError::Form(llmend_json::preview(&node.to_string(), 80).to_owned())),
        }
    }

    fn add(&mut self, name: &str, schema: Option<Node<'_>>) -> Result<(), ToolsError> {
        let schema = schema.filter(|schema| schema.kind() == Kind::Object);
        let order: Vec<&str> = schema
            .and_then(|schema| schema.get("properties"))
            .into_iter()
            .flat_map(Node::members)
            .filter_map(|(key, _)| key.str())
            .collect();
        let mut json =
            schema.map_or_else(|| serde_json::json!({}), |schema| schema.to_serde().value);
        let unknown_types = normalize::schema(&mut json);
        let error = |error: llmend_schema::Error| ToolsError::Schema {
            name: name.to_owned(),
            error: error.to_string(),
        };
        let compiled = Schema::new(&json).map_err(error)?;
        let required = json.get("required").and_then(Json::as_array);
        let is_required = |name: &str| {
            required.is_some_and(|list| list.iter().any(|one| one.as_str() == Some(name)))
        };
        let parameter = |parameter: &str| Parameter {
            name: parameter.to_owned(),
            kinds: json
                .get("properties")
                .and_then(|all| all.get(parameter))
                .map_or(Kinds::ANY, |part| Kinds::of(part, &json)),
            required: is_required(parameter),
            is_free_text: plain::is_free_text(&json, parameter),
        };
        let parameter_names = KnownNames::new(order.iter().copied());
        let parameters: Vec<_> = order.into_iter().map(parameter).collect();
        if let Some(other) = self.all.iter().find(|tool| tool.name == name) {
            let same = other.schema.as_json() == compiled.as_json();
            return if same { Ok(()) } else { Err(ToolsError::Duplicate(name.to_owned())) };
        }
        self.all.push(Tool {
            name: name.to_owned(),
            is_plain: plain::is_plain_object(&json),
            parameter_schemas: vec![OnceLock::new(); parameters.len()],
            schema: compiled,
            parameters,
            unknown_types,
            parameter_names,
        });
        Ok(())
    }

    /// Returns whether there are no tools.
    pub const fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns whether tools were given, perhaps none. If not, any name is accepted.
    pub(crate) const fn are_given(&self) -> bool {
        self.given
    }

    /// Returns the tools in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Tool> {
        self.all.iter()
    }

    /// Returns the names of the tools in order.
    pub fn names(&self) -> impl Iterator<Item = &str> + Clone {
        self.all.iter().map(|tool| tool.name.as_str())
    }

    /// Returns the tool of exactly this name.
    pub(crate) fn named(&self, name: &str) -> Option<&Tool> {
        self.names.position(name).and_then(|at| self.all.get(at))
    }

    /// Returns the tool that `written` stands for, and how.
    pub(crate) fn find(&self, written: &str) -> Option<(&Tool, NameMatch)> {
        let (at, how) = self.names.find(written)?;
        self.all.get(at).map(|tool| (tool, how))
    }

    /// Returns the name nearest to an unknown one, for a suggestion.
    pub(crate) fn suggestion(&self, written: &str) -> Option<&str> {
        llmend_json::nearest(written, self.names())
    }
}

impl<'t> IntoIterator for &'t Tools {
    type Item = &'t Tool;
    type IntoIter = std::slice::Iter<'t, Tool>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl Tool {
    /// Returns the declared parameter of this name.
    pub(crate) fn parameter(&self, name: &str) -> Option<&Parameter> {
        self.parameter_names.position(name).and_then(|at| self.parameters.get(at))
    }

    /// Returns the schema of the declared parameter of this name, if it says what its values are.
    pub(crate) fn parameter_schema(&self, name: &str) -> Option<&Schema> {
        let cell = self.parameter_schemas.get(self.parameter_names.position(name)?)?;
        let compile = || {
            let mut path = String::new();
            llmend_json::push_token(&mut path, name);
            Subschemas::new(self.schema.clone()).at(&path).cloned()
        };
        cell.get_or_init(compile).as_ref()
    }

    /// Returns whether the schema of a parameter lists this text among its values.
    pub(crate) fn lists(&self, parameter: &str, text: &str) -> bool {
        let schema = self.schema.as_json().get("properties").and_then(|all| all.get(parameter));
        let values = schema.and_then(|schema| schema.get("enum")?.as_array());
        values.is_some_and(|values| values.iter().any(|value| value == text))
    }

    /// Returns the declared parameter that this name stands for.
    pub(crate) fn near_parameter(&self, name: &str) -> Option<&Parameter> {
        let (at, _) = self.parameter_names.find(name)?;
        self.parameters.get(at)
    }

    /// Returns whether an object with these keys may be the arguments: each key is declared, and
    /// each required parameter is there.
    pub(crate) fn takes<'k>(&self, mut keys: impl Iterator<Item = &'k str>) -> bool {
        let declared = |key: &str| self.near_parameter(key).is_some();
        let open = self.schema.as_json().get("properties").is_none();
        let required = self.parameters.iter().filter(|parameter| parameter.required).count();
        let mut count = 0;
        keys.all(|key| {
            count += 1;
            open || declared(key)
        }) && count >= required
    }
}
