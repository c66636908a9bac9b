//! Tools from files and from lines of a batch.

use std::{path::Path, sync::Arc};

use llmend::{
    calls::{Tools, ToolsError},
    json::{Diagnostic, Kind, Node, Severity},
};

use crate::{
    cache::Cache,
    exit::Exit,
    files::{self, Unusable},
    outcome::Failure,
    render::Color,
};

/// Reads the tools in the file at `path`.
pub(crate) fn load(path: &Path, color: Color) -> Result<Tools, Box<Unusable>> {
    files::load(path, "list of tools", color, |node| {
        Tools::from_node(node).map_err(|error| problem(&error))
    })
}

fn problem(error: &ToolsError) -> Box<Diagnostic> {
    let help = match error {
        ToolsError::Schema { .. } => "Write the arguments of the tool as a JSON Schema.",
        _ => "Write the tools as the request to the model had them.",
    };
    Box::new(Diagnostic::new("tools/unusable", Severity::Error, error.to_string()).help(help))
}

/// A cache of the tools in the lines of a batch. Safe to share between threads.
#[derive(Default)]
pub(crate) struct ToolsCache(Cache<Result<Arc<Tools>, Box<Diagnostic>>>);

impl ToolsCache {
    /// Reads the tools in the member `name` of a line, as JSON or as JSON text, or finds them in the cache.
    /// There are none if the member is null.
    pub(crate) fn named(
        &self,
        name: &str,
        member: Option<Node<'_>>,
    ) -> Result<Arc<Tools>, Failure> {
        let node = member.ok_or_else(|| {
            let message = format!("the line has no member `{name}`");
            Failure::plain(Exit::Refused, "input/tools", message)
        })?;
        let read = match (node.kind(), node.str()) {
            (Kind::Null, _) => return Ok(Arc::default()),
            (_, Some(text)) => self.0.get(text.to_owned(), |text| of(Tools::from_text(text))),
            _ => self.0.get(node.to_string(), |_| of(Tools::from_node(node))),
        };
        read.map_err(|problem| Failure::new(Exit::Refused, vec![*problem]))
    }
}

fn of(tools: Result<Tools, ToolsError>) -> Result<Arc<Tools>, Box<Diagnostic>> {
    tools.map(Arc::new).map_err(|error| problem(&error))
}

#[cfg(test)]
mod tests {
    use llmend::json::parse;

    use super::ToolsCache;

    #[test]
    fn tools_of_a_line_are_json_or_its_text() {
        let cache = ToolsCache::default();
        for (line, expected) in [
            (r#"{"t": [{"name": "a"}]}"#, Ok(1)),
            (r#"{"t": "[{\"name\": \"a\"}, {\"name\": \"b\"}]"}"#, Ok(2)),
            (r#"{"t": []}"#, Ok(0)),
            (r#"{"t": null}"#, Ok(0)),
            (r#"{"t": 7}"#, Err("tools/unusable")),
            (r#"{"t": "no JSON"}"#, Err("tools/unusable")),
            (r#"{"t": {"a": {"type": 7}}}"#, Err("tools/unusable")),
            (r#"{"u": []}"#, Err("input/tools")),
        ] {
            let value = parse(line).expect("JSON").value;
            let found = cache.named("t", value.root().get("t"));
            let found = found.map(|tools| tools.iter().count());
            let code = |failure: &crate::outcome::Failure| {
                failure.reason().map(|row| row.code.to_string()).unwrap_or_default()
            };
            match expected {
                Ok(count) => assert_eq!(found.expect(line), count, "{line}"),
                Err(expected) => assert_eq!(code(&found.expect_err(line)), expected, "{line}"),
            }
        }
    }
}
