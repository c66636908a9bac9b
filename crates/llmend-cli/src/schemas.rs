//! Which schema is asked for: that of a file, or the one that a line of a batch holds?

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
    exit::{Exit, Failure},
    files::{self, Unusable},
    render::Colour,
};

/// Most schemas of a batch that are kept.
const MOST_KEPT: usize = 256;
/// Most bytes of their texts.
const MOST_BYTES_KEPT: usize = 16 << 20;

/// Reads and compiles the schema in the file at `path`.
pub(crate) fn load(path: &Path, colour: Colour) -> Result<Schema, Box<Unusable>> {
    files::load(path, "schema", colour, of_node)
}

#[cfg(any(feature = "models", feature = "table"))]
/// The text of the schema in the file at `path`, with its members in the order in which they stand.
pub(crate) fn load_text(path: &Path, colour: Colour) -> Result<String, Box<Unusable>> {
    files::load(path, "schema", colour, |node| of_node(node).map(|_| node.to_string()))
}

/// Compiles the schema that `node` is. The problem has its place in the text of `node`.
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

/// The schemas that the lines of a batch hold, each compiled once. Safe to share between threads.
#[derive(Default)]
pub(crate) struct Compiled {
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    by_text: HashMap<String, Result<Schema, Box<Diagnostic>>>,
    bytes: usize,
}

impl Compiled {
    /// The schema that the member `name` of a line is.
    pub(crate) fn named(&self, name: &str, member: Option<Node<'_>>) -> Result<Schema, Failure> {
        let bad = |message| Failure::plain(Exit::Refused, "input/schema", message);
        let node = member.ok_or_else(|| bad(format!("the field `{name}` is not there")))?;
        if !matches!(node.kind(), Kind::Object | Kind::Bool) {
            let kind = node.kind().as_str();
            return Err(bad(format!("the field `{name}` is no schema: it is of type {kind}")));
        }
        self.compiled(node).map_err(|problem| Failure::new(Exit::Refused, vec![*problem]))
    }

    fn compiled(&self, node: Node<'_>) -> Result<Schema, Box<Diagnostic>> {
        let text = node.to_string();
        if let Some(known) = self.kept().by_text.get(&text) {
            return known.clone();
        }
        // Compiled without the lock: two threads may both do it, and nobody waits. Its place in
        // the line is no place in the answer.
        let compiled =
            of_node(node).map_err(|problem| Box::new(Diagnostic { span: None, ..*problem }));
        self.keep(text, compiled.clone());
        compiled
    }

    /// Keeps a schema. Where there is no more room, all others go: a batch has few schemas, or a
    /// new one in each line.
    fn keep(&self, text: String, compiled: Result<Schema, Box<Diagnostic>>) {
        let mut kept = self.kept();
        let full = kept.by_text.len() >= MOST_KEPT || kept.bytes + text.len() > MOST_BYTES_KEPT;
        if full {
            *kept = Kept::default();
        }
        if text.len() <= MOST_BYTES_KEPT && !kept.by_text.contains_key(&text) {
            kept.bytes += text.len();
            kept.by_text.insert(text, compiled);
        }
    }

    /// What is kept stays whole also where a thread that held it met a fault.
    fn kept(&self) -> std::sync::MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use llmend::json::parse;

    use super::{Compiled, MOST_KEPT};

    #[test]
    fn a_schema_is_compiled_once_and_few_are_kept() {
        let compiled = Compiled::default();
        let line = parse(r#"{"s": {"type": "integer"}}"#).expect("JSON").value;
        for _ in 0..3 {
            assert!(compiled.named("s", line.root().get("s")).is_ok());
        }
        assert_eq!(compiled.kept().by_text.len(), 1);
        for n in 0..MOST_KEPT * 2 {
            let line = format!(r#"{{"s": {{"maximum": {n}}}}}"#);
            let line = parse(&line).expect("JSON").value;
            assert!(compiled.named("s", line.root().get("s")).is_ok());
            let kept = compiled.kept();
            assert!(kept.by_text.len() <= MOST_KEPT);
            assert_eq!(kept.bytes, kept.by_text.keys().map(String::len).sum::<usize>());
        }
    }

    #[test]
    fn a_schema_that_cannot_be_used_is_told_each_time() {
        let compiled = Compiled::default();
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
