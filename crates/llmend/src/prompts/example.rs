//! Example answers for a schema.

use llmend_json::{Kind, Node, Options, Policy, parse_with};
use llmend_schema::Schema;

use crate::{FitOptions, config::RepairMode, fit_with};

/// The maximum nesting of schemas, references included.
const MAX_LEVELS: usize = 12;
/// The maximum length of an example in bytes.
const MAX_BYTES: usize = 2_000;

/// Returns an answer that fits `schema`, a JSON Schema as text, with members in the schema's order:
/// the schema's own example (`examples`, `example`, `default`) if it has one, or else one generated
/// from its parts. `None` if no fitting example of at most 2,000 bytes is found.
///
/// ```
/// let schema = r#"{"type": "object", "properties": {
///     "city": {"type": "string", "examples": ["Oslo"]}, "days": {"type": "integer", "minimum": 1}
/// }}"#;
/// assert_eq!(llmend::prompts::example(schema).unwrap(), r#"{"city":"Oslo","days":1}"#);
/// ```
#[must_use]
pub fn example(schema: &str) -> Option<String> {
    let compiled = Schema::from_text(schema).ok()?;
    let text = parse_with(schema, &Options::policy(Policy::Strict)).ok()?;
    let mut maker = Maker { root: text.value.root(), out: String::new() };
    maker.value(maker.root, MAX_LEVELS)?;
    let fitted = fit_with(&maker.out, &compiled, &FitOptions::from(RepairMode::Off)).ok()?;
    fitted.violations.is_empty().then_some(maker.out)
}

/// A writer of an example.
struct Maker<'s> {
    root: Node<'s>,
    out: String,
}

impl<'s> Maker<'s> {
    /// Writes a value for `schema`, with at most `levels` levels of recursion. `None` if there is
    /// none within the limits.
    fn value(&mut self, schema: Node<'s>, levels: usize) -> Option<()> {
        let levels = levels.checked_sub(1)?;
        if let Some(given) = given(schema) {
            return self.push(&given.to_string());
        }
        if let Some(target) = schema.get("$ref").and_then(Node::str) {
            let target = self.root.pointer(target.strip_prefix('#')?)?;
            return self.value(target, levels);
        }
        for union in ["anyOf", "oneOf", "allOf"] {
            if let Some(arms) = schema.get(union) {
                return self.arm(arms, levels);
            }
        }
        match kind(schema)? {
            "object" => self.object(schema, levels),
            "array" => self.array(schema, levels),
            "string" => self.push(text(schema)?),
            "integer" | "number" => self.push(number(schema)),
            "boolean" => self.push("true"),
            "null" => self.push("null"),
            _ => None,
        }
    }

    /// Writes a value for the first subschema of a union that has one, preferring any other to
    /// null.
    fn arm(&mut self, arms: Node<'s>, levels: usize) -> Option<()> {
        let is_null = |arm: &Node<'_>| arm.get("type").and_then(Node::str) == Some("null");
        let start = self.out.len();
        for arm in arms.items().filter(|arm| !is_null(arm)) {
            if self.value(arm, levels).is_some() {
                return Some(());
            }
            self.out.truncate(start);
        }
        None
    }

    /// Writes an object of every property that has an example. `None` if a required one has none.
    fn object(&mut self, schema: Node<'s>, levels: usize) -> Option<()> {
        let required = |name: &str| {
            let mut names = schema.get("required").into_iter().flat_map(Node::items);
            names.any(|required| required.str() == Some(name))
        };
        self.push("{")?;
        let mut separator = "";
        for (name, part) in schema.get("properties").into_iter().flat_map(Node::members) {
            let start = self.out.len();
            let written = self.push(separator).and_then(|()| self.push(&name.to_string()));
            let written = written.and_then(|()| self.push(":"));
            match written.and_then(|()| self.value(part, levels)) {
                Some(()) => separator = ",",
                None if name.str().is_some_and(required) => return None,
                None => self.out.truncate(start),
            }
        }
        self.push("}")
    }

    /// Writes one item, or as many as required.
    fn array(&mut self, schema: Node<'s>, levels: usize) -> Option<()> {
        const MOST: usize = 3;
        let least =
            schema.get("minItems").and_then(Node::number).and_then(|text| text.parse().ok());
        let count = least.unwrap_or(1_usize).max(1);
        let fixed = schema.get("prefixItems").filter(|items| items.kind() == Kind::Array);
        let item = schema.get("items").filter(|items| items.kind() == Kind::Object);
        self.push("[")?;
        if let Some(items) = fixed {
            for (at, item) in items.items().enumerate() {
                self.push(if at == 0 { "" } else { "," })?;
                self.value(item, levels)?;
            }
        } else if let Some(item) = item.filter(|_| count <= MOST) {
            for at in 0..count {
                self.push(if at == 0 { "" } else { "," })?;
                self.value(item, levels)?;
            }
        }
        self.push("]")
    }

    fn push(&mut self, text: &str) -> Option<()> {
        self.out.push_str(text);
        (self.out.len() <= MAX_BYTES).then_some(())
    }
}

/// Returns a value that the schema itself gives.
fn given(schema: Node<'_>) -> Option<Node<'_>> {
    let first = |name| schema.get(name).and_then(|values: Node<'_>| values.item(0));
    let whole = |name| schema.get(name);
    let default = whole("default").filter(|value| !value.is_null());
    first("examples")
        .or_else(|| whole("example"))
        .or_else(|| whole("const"))
        .or(default)
        .or_else(|| first("enum"))
}

/// Returns the type of a schema, the first other than null.
fn kind(schema: Node<'_>) -> Option<&str> {
    let Some(named) = schema.get("type") else {
        let implied = [
            ("properties", "object"),
            ("items", "array"),
            ("pattern", "string"),
            ("minimum", "number"),
        ];
        let implied = implied.into_iter().find(|(keyword, _)| schema.get(keyword).is_some());
        return implied.map(|(_, kind)| kind);
    };
    named.str().or_else(|| named.items().filter_map(Node::str).find(|kind| *kind != "null"))
}

/// Returns a string for a schema. `None` if the schema demands a pattern.
fn text(schema: Node<'_>) -> Option<&'static str> {
    if schema.get("pattern").is_some() {
        return None;
    }
    Some(match schema.get("format").and_then(Node::str) {
        Some("date") => "\"2031-05-17\"",
        Some("time") => "\"09:30:00Z\"",
        Some("date-time") => "\"2031-05-17T09:30:00Z\"",
        Some("email") => "\"somebody@example.org\"",
        Some("uri" | "uri-reference" | "iri") => "\"https://example.org/\"",
        Some("hostname") => "\"example.org\"",
        Some("uuid") => "\"123e4567-e89b-42d3-a456-426614174000\"",
        _ => "\"text\"",
    })
}

/// Returns a number within one of the schema's bounds.
fn number(schema: Node<'_>) -> &str {
    let bound = |name| schema.get(name).and_then(Node::number);
    bound("minimum").or_else(|| bound("multipleOf")).or_else(|| bound("maximum")).unwrap_or("1")
}

#[cfg(test)]
mod tests {
    use super::example;

    #[test]
    fn an_example_is_made_of_what_the_schema_says() {
        let rows = [
            (
                r#"{"type": "object", "examples": [{"a": 1}], "properties": {"b": {}}}"#,
                r#"{"a":1}"#,
            ),
            (
                r#"{"type": "object", "properties": {"z": {"type": "boolean"}, "a": {"type": "null"}}}"#,
                r#"{"z":true,"a":null}"#,
            ),
            (
                r##"{"properties": {"who": {"$ref": "#/$defs/p"}}, "$defs": {"p": {"enum": ["x", "y"]}}}"##,
                r#"{"who":"x"}"#,
            ),
            (
                r#"{"type": "object", "properties": {"when": {"type": ["null", "string"], "format": "date"}}}"#,
                r#"{"when":"2031-05-17"}"#,
            ),
            (
                r#"{"type": "object", "properties": {"l": {"type": "array", "minItems": 2, "items": {"type": "number"}}}}"#,
                r#"{"l":[1,1]}"#,
            ),
            (
                r#"{"anyOf": [{"type": "null"}, {"type": "object", "properties": {"n": {"maximum": 0, "type": "integer"}}}]}"#,
                r#"{"n":0}"#,
            ),
            (
                r#"{"type": "array", "prefixItems": [{"type": "string"}, {"const": 2}]}"#,
                r#"["text",2]"#,
            ),
        ];
        for (schema, expected) in rows {
            assert_eq!(example(schema).as_deref(), Some(expected), "{schema}");
        }
    }

    #[test]
    fn where_none_fits_none_is_shown() {
        let rows = [
            r#"{"type": "string", "pattern": "^[A-Z]{3}$"}"#,
            r#"{"type": "string", "minLength": 30}"#,
            r##"{"properties": {"a": {"$ref": "#"}}, "required": ["a"], "type": "object"}"##,
            r#"{"type": "array", "minItems": 100000, "items": {"type": "string"}}"#,
            r#"{"examples": ["wrong"], "type": "object"}"#,
            r#"{"allOf": [{"required": ["a"]}, {"required": ["b"]}]}"#,
            "not a schema",
        ];
        for schema in rows {
            assert_eq!(example(schema), None, "{schema}");
        }
    }

    #[test]
    fn a_schema_that_refers_to_itself_ends() {
        // Each level would need two of the next one.
        let schema = r##"{"type": "object", "properties": {"l": {"$ref": "#"}, "r": {"$ref": "#"}, "v": {"type": "integer"}}}"##;
        let example = example(schema);
        assert!(example.is_none_or(|example| example.len() <= 2_000));
    }
}
