//! Schemas from files and from lines of a batch.

use std::path::Path;

use llmend::{
    Schema,
    json::{Diagnostic, Kind, Node},
    schema,
};

use crate::{
    cache::Cache,
    exit::Exit,
    files::{self, Unusable},
    outcome::Failure,
    render::Color,
};

/// Reads and compiles the schema in the file at `path`, which may end with `#` and a JSON Pointer.
pub(crate) fn load(path: &Path, color: Color) -> Result<Schema, Box<Unusable>> {
    let (path, pointer) = pointed(path);
    files::load(path, "schema", color, |node| compiled(node, pointer))
}

/// Splits `FILE#/POINTER`, unless a file has this name.
fn pointed(path: &Path) -> (&Path, &str) {
    let text = path.to_str().filter(|_| !path.exists());
    text.and_then(|text| text.rsplit_once('#'))
        .filter(|(_, pointer)| pointer.is_empty() || pointer.starts_with('/'))
        .map_or((path, ""), |(file, pointer)| (Path::new(file), pointer))
}

#[cfg(any(feature = "models", feature = "table"))]
/// Reads the text of the schema in the file at `path`, with its members in the order of the file.
pub(crate) fn load_text(path: &Path, color: Color) -> Result<String, Box<Unusable>> {
    let (path, pointer) = pointed(path);
    files::load(path, "schema", color, |node| {
        let schema = compiled(node, pointer)?;
        let part = node.pointer(pointer).unwrap_or(node);
        // A part refers to the rest of its file, and an envelope is not a schema.
        let whole = pointer.is_empty() && *schema.as_json() == part.to_serde().value;
        Ok(if whole { part.to_string() } else { schema.as_json().to_string() })
    })
}

/// Compiles the schema at `pointer` in `node`. The span of an error refers to the text of `node`.
fn compiled(node: Node<'_>, pointer: &str) -> Result<Schema, Box<Diagnostic>> {
    let schema =
        if pointer.is_empty() { Schema::from_node(node) } else { Schema::at(node, pointer) };
    schema.map_err(|error| {
        let mut row = Diagnostic::from(&error);
        if let schema::Error::Schema { path, .. } = &error
            && !path.is_empty()
        {
            let place = format!("{pointer}{path}");
            row.span = node.pointer(&place).map(Node::span);
        }
        Box::new(row)
    })
}

/// A cache of the schemas in the lines of a batch. Safe to share between threads.
#[derive(Default)]
pub(crate) struct SchemaCache(Cache<Result<Schema, Box<Diagnostic>>>);

impl SchemaCache {
    /// Compiles the schema in the member `name` of a line, or finds it in the cache.
    pub(crate) fn named(&self, name: &str, member: Option<Node<'_>>) -> Result<Schema, Failure> {
        let bad = |message| Failure::plain(Exit::Refused, "input/schema", message);
        let node = member.ok_or_else(|| bad(format!("the line has no member `{name}`")))?;
        if !matches!(node.kind(), Kind::Object | Kind::Bool) {
            let kind = node.kind().as_str();
            return Err(bad(format!(
                "member `{name}` is not a schema: expected object or boolean, found {kind}"
            )));
        }
        self.compiled(node).map_err(|problem| Failure::new(Exit::Refused, vec![*problem]))
    }

    fn compiled(&self, node: Node<'_>) -> Result<Schema, Box<Diagnostic>> {
        // The span is dropped, since it refers to the line and not to the answer.
        self.0.get(node.to_string(), |_| {
            compiled(node, "").map_err(|problem| Box::new(Diagnostic { span: None, ..*problem }))
        })
    }
}

#[cfg(test)]
mod tests {
    use llmend::json::parse;

    use super::SchemaCache;

    #[test]
    fn an_invalid_schema_is_reported_each_time() {
        let compiled = SchemaCache::default();
        for (line, code) in [
            (r#"{"s": {"type": "whatever"}}"#, "schema/unusable"),
            (r#"{"s": {"type": "whatever"}}"#, "schema/unusable"),
            // A bound that would be rounded is another bound.
            (r#"{"s": {"maximum": 0.12345678901234567890}}"#, "schema/unusable"),
            (r#"{"s": "string"}"#, "input/schema"),
            (r#"{"s": [1]}"#, "input/schema"),
            (r#"{"s": null}"#, "input/schema"),
            (r#"{"t": {}}"#, "input/schema"),
            ("[]", "input/schema"),
        ] {
            let value = parse(line).expect("JSON").value;
            let failure = compiled.named("s", value.root().get("s")).expect_err(line);
            assert_eq!(failure.reason().map(|row| row.code.as_ref()), Some(code), "{line}");
            assert!(failure.reason().is_some_and(|row| row.span.is_none()));
        }
    }
}
