//! The tools that a request offers, as the reader of calls takes them.

use std::sync::{Arc, LazyLock};

use llmend::calls::Tools;
use llmend::json::{Node, Value as Parsed};
use serde_json::Value;

use crate::answer::cache::Cache;
use crate::calls::tool_input::{TEXT_SCHEMA, ToolInput};
use crate::splice::{strict, text};

/// Recently compiled lists of tools by their text.
#[derive(Debug, Default)]
pub(crate) struct OfferedTools(Cache<Arc<Tools>>);

impl OfferedTools {
    /// Returns the tools of a list, or why they cannot be used.
    pub(crate) fn get(&self, text: &str) -> Result<Arc<Tools>, String> {
        self.0.get(text, |text| match Tools::from_text(text) {
            Ok(tools) => Ok(Arc::new(tools)),
            Err(error) => without_bad_schemas(text).map(Arc::new).ok_or_else(|| error.to_string()),
        })
    }

    /// Returns how many bytes have to be compiled before the tools can be used.
    pub(crate) fn new_bytes(&self, text: &str) -> usize {
        self.0.new_bytes(text)
    }
}

/// A tool that a request offers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OfferedTool<'v> {
    pub(crate) name: &'v str,
    pub(crate) description: Option<&'v str>,
    /// The schema of the arguments.
    pub(crate) schema: Option<Node<'v>>,
    pub(crate) input: ToolInput,
    /// How the text is written that the tool takes.
    pub(crate) format: Option<Node<'v>>,
}

/// [`TEXT_SCHEMA`], parsed.
static PARSED_TEXT_SCHEMA: LazyLock<Option<Parsed<'static>>> =
    LazyLock::new(|| strict(TEXT_SCHEMA, 9).ok());

impl<'v> OfferedTool<'v> {
    /// Reads a tool whose schema is the member `schema`.
    pub(crate) fn of(tool: Node<'v>, schema: &str) -> Option<Self> {
        Some(Self {
            name: text(tool, "name")?,
            description: text(tool, "description"),
            schema: tool.get(schema),
            input: ToolInput::Arguments,
            format: None,
        })
    }

    /// Reads a tool that takes a text.
    pub(crate) fn of_text(tool: Node<'v>) -> Option<Self> {
        let schema = PARSED_TEXT_SCHEMA.as_ref().map(Parsed::root);
        let (input, format) = (ToolInput::Text, tool.get("format"));
        Some(Self { schema, input, format, ..Self::of(tool, "")? })
    }
}

/// Writes the tools as a list in one form, whatever the protocol.
pub(crate) fn tools_text(tools: &[OfferedTool<'_>]) -> String {
    let tool = |OfferedTool { name, schema, .. }: &OfferedTool<'_>| {
        let schema = schema.map(|schema| format!(",\"parameters\":{schema}")).unwrap_or_default();
        format!("{{\"name\":{}{schema}}}", Value::from(*name))
    };
    let tools: Vec<String> = tools.iter().map(tool).collect();
    format!("[{}]", tools.join(","))
}

/// Reads the tools without the schemas that cannot be used. The upstream may be able to use them.
fn without_bad_schemas(text: &str) -> Option<Tools> {
    let mut list: Vec<Value> = serde_json::from_str(text).ok()?;
    for tool in &mut list {
        if Tools::from_text(&Value::from(vec![tool.clone()]).to_string()).is_err() {
            tool.as_object_mut()?.remove("parameters");
        }
    }
    Tools::from_text(&Value::from(list).to_string()).ok()
}

#[cfg(test)]
mod tests {
    use super::{OfferedTool, OfferedTools, tools_text};
    use crate::calls::tool_input::ToolInput;
    use crate::splice::strict;

    #[test]
    fn a_bad_schema_does_not_hide_the_other_tools() {
        let rows = [
            (r#"[{"name":"a"},{"name":"b","parameters":{"type":"object"}}]"#, Some("a b")),
            (r#"[{"name":"a","parameters":{"type":"objekt"}},{"name":"b"}]"#, Some("a b")),
            (r#"[{"name":"a","parameters":{"type":"object"}},{"name":"a"}]"#, None),
        ];
        for (text, expected) in rows {
            let found = OfferedTools::default().get(text);
            let names = found.map(|tools| tools.names().collect::<Vec<_>>().join(" "));
            assert_eq!(names.ok().as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn tools_are_written_in_one_form() {
        let schema = strict(r#"{"type": "object"}"#, 9).unwrap();
        let (input, format) = (ToolInput::Arguments, None);
        let tool =
            |name, schema| OfferedTool { name, description: Some("d"), schema, input, format };
        let text = tools_text(&[tool("a \"b\"", Some(schema.root())), tool("c", None)]);
        assert_eq!(text, r#"[{"name":"a \"b\"","parameters":{"type":"object"}},{"name":"c"}]"#);
    }
}
