//! Schemas from files and from lines of a batch.

use std::{
    collections::HashMap,
    path::Path,
    sync::{Mutex, PoisonError},
};

use llmend::{
    Schema,
    json::{Diagnostic, Kind, Node},
    schema,
};

use crate::{
    exit::Exit,
    files::{self, Unusable},
    outcome::Failure,
    render::Color,
};

/// The maximum number of schemas that a batch caches.
const MAX_CACHED: usize = 256;
/// The maximum length of their texts together, in bytes.
const MAX_CACHED_BYTES: usize = 16 << 20;

/// Reads and compiles the schema in the file at `path`.
pub(crate) fn load(path: &Path, color: Color) -> Result<Schema, Box<Unusable>> {
    files::load(path, "schema", color, of_node)
}

#[cfg(any(feature = "models", feature = "table"))]
/// Reads the text of the schema in the file at `path`, with its members in the order of the file.
pub(crate) fn load_text(path: &Path, color: Color) -> Result<String, Box<Unusable>> {
    files::load(path, "schema", color, |node| of_node(node).map(|_| node.to_string()))
}

/// Compiles the schema in `node`. The span of an error refers to the text of `node`.
fn of_node(node: Node<'_>) -> Result<Schema, Box<Diagnostic>> {
    Schema::from_node(node).map_err(|error| {
        let mut row = Diagnostic::from(&error);
        if let schema::Error::Schema { path, .. } = &error
            && !path.is_empty()
        {
            row.span = node.pointer(path).map(Node::span);
        }
        Box::new(row)
    })
}

/// A cache of the schemas in the lines of a batch. Safe to share between threads.
#[derive(Default)]
pub(crate) struct SchemaCache {
    cached: Mutex<Cached>,
}

#[derive(Default)]
struct Cached {
    by_text: HashMap<String, Result<Schema, Box<Diagnostic>>>,
    bytes: usize,
}

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
        let text = node.to_string();
        if let Some(known) = self.cached().by_text.get(&text) {
            return known.clone();
        }
        // Compiled without the lock: two threads may do the same work, but none waits. The span is
        // dropped, since it refers to the line and not to the answer.
        let compiled =
            of_node(node).map_err(|problem| Box::new(Diagnostic { span: None, ..*problem }));
        self.keep(text, compiled.clone());
        compiled
    }

    /// Caches a schema. A full cache is emptied first: a batch has few schemas, or a new one in each line.
    fn keep(&self, text: String, compiled: Result<Schema, Box<Diagnostic>>) {
        let mut cached = self.cached();
        let full =
            cached.by_text.len() >= MAX_CACHED || cached.bytes + text.len() > MAX_CACHED_BYTES;
        if full {
            *cached = Cached::default();
        }
        if text.len() <= MAX_CACHED_BYTES && !cached.by_text.contains_key(&text) {
            cached.bytes += text.len();
            cached.by_text.insert(text, compiled);
        }
    }

    /// Locks the cache, which is consistent even after a panic of another thread.
    fn cached(&self) -> std::sync::MutexGuard<'_, Cached> {
        self.cached.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use llmend::json::parse;

    use super::{MAX_CACHED, SchemaCache};

    #[test]
    fn a_schema_is_compiled_once_and_the_cache_is_bounded() {
        let compiled = SchemaCache::default();
        let line = parse(r#"{"s": {"type": "integer"}}"#).expect("JSON").value;
        for _ in 0..3 {
            assert!(compiled.named("s", line.root().get("s")).is_ok());
        }
        assert_eq!(compiled.cached().by_text.len(), 1);
        for n in 0..MAX_CACHED * 2 {
            let line = format!(r#"{{"s": {{"maximum": {n}}}}}"#);
            let line = parse(&line).expect("JSON").value;
            assert!(compiled.named("s", line.root().get("s")).is_ok());
            let cached = compiled.cached();
            assert!(cached.by_text.len() <= MAX_CACHED);
            assert_eq!(cached.bytes, cached.by_text.keys().map(String::len).sum::<usize>());
        }
    }

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
