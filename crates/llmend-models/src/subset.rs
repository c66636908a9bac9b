//! The schemas that providers enforce.
//!
//! A provider that constrains a model to a schema takes only a part of JSON Schema, and refuses a
//! request with any other. What can be removed without forbidding an answer is removed, and told in
//! the description instead: answers are validated anyway. A schema that would forbid more without one
//! of its keywords is not enforced.

use std::borrow::Cow;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::wrapping::Members;
use refs::Refs;

mod refs;

/// The part of JSON Schema that a provider enforces.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Subset {
    /// Whether an object has to require all of its members. None may allow others.
    requires_all: bool,
    /// Whether a schema may contain itself.
    is_recursive: bool,
    /// Whether `type` may be a list.
    has_type_lists: bool,
    /// The keywords for limits that it takes.
    limits: &'static [&'static str],
    /// The values of `format` that it takes.
    formats: &'static [&'static str],
    /// The greatest value of `minItems` that it takes.
    most_min_items: u64,
}

/// OpenAI's strict mode, and that of most providers with its form.
pub(crate) const OPENAI: Subset = Subset {
    requires_all: true,
    is_recursive: true,
    has_type_lists: true,
    limits: &[
        "pattern",
        "format",
        "multipleOf",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "minItems",
        "maxItems",
    ],
    formats: &[
        "date-time",
        "time",
        "date",
        "duration",
        "email",
        "hostname",
        "ipv4",
        "ipv6",
        "uuid",
    ],
    most_min_items: u64::MAX,
};

/// Anthropic's structured outputs.
pub(crate) const ANTHROPIC: Subset = Subset {
    requires_all: false,
    is_recursive: false,
    has_type_lists: true,
    limits: &["pattern", "format", "minItems"],
    formats: &[
        "date-time",
        "time",
        "date",
        "duration",
        "email",
        "hostname",
        "uri",
        "ipv4",
        "ipv6",
        "uuid",
    ],
    most_min_items: 1,
};

/// Cerebras' strict mode.
pub(crate) const CEREBRAS: Subset = Subset {
    requires_all: true,
    is_recursive: false,
    has_type_lists: false,
    limits: &[],
    formats: &[],
    most_min_items: 0,
};

/// Keywords without which a schema would forbid more, or that are all that it has.
const NEEDED: [&str; 6] = [
    "allOf",
    "patternProperties",
    "prefixItems",
    "additionalItems",
    "$dynamicRef",
    "$recursiveRef",
];

/// Keywords that allow and forbid nothing.
const ANNOTATIONS: [&str; 10] = [
    "$schema",
    "$id",
    "$anchor",
    "$comment",
    "default",
    "example",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
];

/// The greatest depth of a schema that is enforced.
const MOST_DEPTH: usize = 48;

/// Parts of a regular expression that no provider takes: lookaround, word boundaries and references.
const COMPLEX: [&str; 4] = ["(?", "\\b", "\\B", "\\1"];

impl Subset {
    /// Returns a schema that the provider enforces and that allows whatever `schema` allows. `None` if
    /// there is none.
    pub(crate) fn enforceable(&self, schema: &RawValue) -> Option<Box<RawValue>> {
        let mut refs = Refs::default();
        let text = self.node(schema, &mut refs, 0)?;
        if !self.is_recursive && refs.is_circular() {
            return None;
        }
        RawValue::from_string(text).ok()
    }

    /// Rewrites a schema. Members keep their order, since a model writes in that order.
    fn node(&self, schema: &RawValue, refs: &mut Refs, depth: usize) -> Option<String> {
        let Members(members) =
            serde_json::from_str(schema.get()).ok().filter(|_| depth < MOST_DEPTH)?;
        let has = |name: &str| members.iter().any(|(known, _)| known == name);
        if !(has("type") || has("anyOf") || has("oneOf") || has("$ref")) {
            return None;
        }
        let mut node = Node { dropped: Vec::new(), kept: Vec::new() };
        for (name, value) in &members {
            let is_definitions = matches!(&**name, "$defs" | "definitions");
            // Beside a reference no provider takes anything else.
            if has("$ref") && name != "$ref" && !is_definitions {
                continue;
            }
            self.member(name, value, &mut node, refs, depth)?;
        }
        let is_object = value_of(&members, "type").is_some_and(|kind| is_kind(&kind, "object"));
        (!is_object || self.is_closed(&members)).then(|| node.text())
    }

    /// Rewrites a member of a schema.
    fn member<'s>(
        &self,
        name: &'s str,
        value: &'s RawValue,
        node: &mut Node<'s>,
        refs: &mut Refs,
        depth: usize,
    ) -> Option<()> {
        let kept = match name {
            "type" if value.get().starts_with('[') && !self.has_type_lists => return None,
            "type" | "required" | "title" | "description" | "additionalProperties" => {
                value.get().to_owned()
            }
            "enum" | "const" if is_plain(value) => value.get().to_owned(),
            "$ref" => {
                refs.add(value)?;
                value.get().to_owned()
            }
            "items" => self.node(value, refs, depth + 1)?,
            "properties" => self.each(value, refs, depth, false)?,
            "$defs" | "definitions" => self.each(value, refs, depth, true)?,
            // Exactly one of them becomes at least one of them.
            "anyOf" | "oneOf" if !node.has("anyOf") => {
                node.kept.push(("anyOf", self.alternatives(value, refs, depth)?));
                return Some(());
            }
            _ if NEEDED.contains(&name) => return None,
            _ if ANNOTATIONS.contains(&name) || name.starts_with("x-") => return Some(()),
            _ if self.takes(name, value) => value.get().to_owned(),
            _ => {
                node.dropped.push((name, value));
                return Some(());
            }
        };
        node.kept.push((name, kept));
        Some(())
    }

    /// Rewrites each schema of an object.
    fn each(
        &self,
        schemas: &RawValue,
        refs: &mut Refs,
        depth: usize,
        are_definitions: bool,
    ) -> Option<String> {
        let Members(members) = serde_json::from_str(schemas.get()).ok()?;
        let mut parts = Vec::new();
        for (name, schema) in members {
            let outer = are_definitions.then(|| refs.enter(&name));
            parts.push(format!("{}:{}", quoted(&name), self.node(schema, refs, depth + 1)?));
            outer.map(|outer| refs.enter(&outer));
        }
        Some(format!("{{{}}}", parts.join(",")))
    }

    fn alternatives(&self, schemas: &RawValue, refs: &mut Refs, depth: usize) -> Option<String> {
        let schemas: Vec<&RawValue> = serde_json::from_str(schemas.get()).ok()?;
        let parts: Option<Vec<_>> =
            schemas.into_iter().map(|schema| self.node(schema, refs, depth + 1)).collect();
        Some(format!("[{}]", parts?.join(",")))
    }

    /// Returns whether the provider takes a limit.
    fn takes(&self, name: &str, value: &RawValue) -> bool {
        let value: Value = serde_json::from_str(value.get()).unwrap_or_default();
        let text = value.as_str().unwrap_or_default();
        self.limits.contains(&name)
            && match name {
                "format" => self.formats.contains(&text),
                "pattern" => !COMPLEX.iter().any(|part| text.contains(part)),
                "minItems" => value.as_u64().is_some_and(|least| least <= self.most_min_items),
                _ => true,
            }
    }

    /// Returns whether an object allows no other members than those it names, and requires them if
    /// that is needed.
    fn is_closed(&self, members: &[(Cow<'_, str>, &RawValue)]) -> bool {
        let required = value_of(members, "required").unwrap_or_default();
        let known = value_of(members, "properties").unwrap_or_default();
        let is_required = |name: &String| {
            required.as_array().is_some_and(|names| names.iter().any(|known| known == name))
        };
        let requires_all = known.as_object().is_none_or(|known| known.keys().all(is_required));
        value_of(members, "additionalProperties") == Some(Value::Bool(false))
            && (requires_all || !self.requires_all)
    }
}

/// A schema that is rewritten.
struct Node<'s> {
    kept: Vec<(&'s str, String)>,
    /// What the provider does not take.
    dropped: Vec<(&'s str, &'s RawValue)>,
}

impl Node<'_> {
    fn has(&self, name: &str) -> bool {
        self.kept.iter().any(|(known, _)| *known == name)
    }

    /// Returns the schema, with what was dropped in its description.
    fn text(mut self) -> String {
        if !self.dropped.is_empty() {
            let dropped = self.dropped.iter().map(|(name, value)| (*name, value.get().to_owned()));
            let told = format!("It has to fit {}.", object(dropped));
            match self.kept.iter_mut().find(|(name, _)| *name == "description") {
                Some((_, text)) => {
                    let before: String = serde_json::from_str(text).unwrap_or_default();
                    *text = quoted(format!("{before} {told}").trim_start());
                }
                None => self.kept.push(("description", quoted(&told))),
            }
        }
        object(self.kept.into_iter())
    }
}

fn value_of(members: &[(Cow<'_, str>, &RawValue)], name: &str) -> Option<Value> {
    let (_, value) = members.iter().find(|(known, _)| known == name)?;
    serde_json::from_str(value.get()).ok()
}

/// Returns whether a `type` has this kind.
fn is_kind(kinds: &Value, kind: &str) -> bool {
    kinds == kind || kinds.as_array().is_some_and(|kinds| kinds.iter().any(|known| known == kind))
}

/// Returns whether a value has no members or items but for those of a list.
fn is_plain(value: &RawValue) -> bool {
    let is_scalar = |value: &Value| !(value.is_array() || value.is_object());
    match serde_json::from_str(value.get()) {
        Ok(Value::Array(values)) => values.iter().all(is_scalar),
        Ok(value) => is_scalar(&value),
        Err(_) => false,
    }
}

/// Writes an object of members that are JSON.
fn object<'s>(members: impl Iterator<Item = (&'s str, String)>) -> String {
    let members = members.map(|(name, value)| format!("{}:{value}", quoted(name)));
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use serde_json::value::RawValue;

    use super::{ANTHROPIC, CEREBRAS, OPENAI, Subset};

    fn found(subset: &Subset, schema: &str) -> Option<String> {
        let schema = RawValue::from_string(schema.to_owned()).unwrap();
        subset.enforceable(&schema).map(|found| found.get().replace(": ", ":"))
    }

    /// Returns an object with this member, which it requires.
    fn around(schema: &str) -> String {
        format!(
            r#"{{"type":"object","properties":{{"a":{schema}}},"required":["a"],"additionalProperties":false}}"#
        )
    }

    #[test]
    fn what_each_provider_takes_stays_and_the_rest_is_told() {
        let told = |rest: &str, dropped: &str| {
            let told = Value::from(format!("It has to fit {dropped}.")).to_string();
            Some(format!(r#"{{{rest},"description":{told}}}"#))
        };
        let same = |schema: &str| Some(schema.to_owned());
        let number = r#"{"type":"integer","minimum":1,"maximum":5}"#;
        let text = r#"{"type":"string","minLength":1}"#;
        let list = r#"{"type":"array","items":{"type":"string"},"minItems":2}"#;
        let rows = [
            // A member, and what OpenAI, Anthropic and Cerebras take of it.
            (
                number,
                same(number),
                told(r#""type":"integer""#, r#"{"minimum":1,"maximum":5}"#),
                told(r#""type":"integer""#, r#"{"minimum":1,"maximum":5}"#),
            ),
            (
                text,
                told(r#""type":"string""#, r#"{"minLength":1}"#),
                told(r#""type":"string""#, r#"{"minLength":1}"#),
                told(r#""type":"string""#, r#"{"minLength":1}"#),
            ),
            (
                list,
                same(list),
                told(r#""type":"array","items":{"type":"string"}"#, r#"{"minItems":2}"#),
                told(r#""type":"array","items":{"type":"string"}"#, r#"{"minItems":2}"#),
            ),
            (
                r#"{"type":"string","format":"uri"}"#,
                told(r#""type":"string""#, r#"{"format":"uri"}"#),
                same(r#"{"type":"string","format":"uri"}"#),
                told(r#""type":"string""#, r#"{"format":"uri"}"#),
            ),
            (
                r#"{"type":["string","null"]}"#,
                same(r#"{"type":["string","null"]}"#),
                same(r#"{"type":["string","null"]}"#),
                None,
            ),
        ];
        for (schema, openai, anthropic, cerebras) in rows {
            for (subset, expected) in
                [(&OPENAI, openai), (&ANTHROPIC, anthropic), (&CEREBRAS, cerebras)]
            {
                let expected = expected.map(|schema| around(&schema));
                assert_eq!(found(subset, &around(schema)), expected, "{schema} {subset:?}");
            }
        }
    }

    #[test]
    fn what_no_provider_takes() {
        let string = r#"{"type":"string"}"#;
        let rows = [
            // Dropped in silence, dropped and told, replaced.
            (r#"{"type":"string","default":"a","x-order":1}"#, Some(string.to_owned())),
            (r#"{"oneOf":[{"type":"string"}]}"#, Some(r#"{"anyOf":[{"type":"string"}]}"#.to_owned())),
            (r##"{"$ref":"#/$defs/A","description":"a"}"##, Some(r##"{"$ref":"#/$defs/A"}"##.to_owned())),
            (
                r#"{"type":"string","description":"A \"name\".","not":{"const":""}}"#,
                Some(
                    r#"{"type":"string","description":"A \"name\". It has to fit {\"not\":{\"const\":\"\"}}."}"#
                        .to_owned(),
                ),
            ),
            (
                r#"{"type":"array","items":{"type":"string"},"uniqueItems":true}"#,
                Some(
                    r#"{"type":"array","items":{"type":"string"},"description":"It has to fit {\"uniqueItems\":true}."}"#
                        .to_owned(),
                ),
            ),
            (
                r#"{"oneOf":[{"type":"string"}],"anyOf":[{"type":"null"}]}"#,
                Some(
                    r#"{"anyOf":[{"type":"string"}],"description":"It has to fit {\"anyOf\":[{\"type\":\"null\"}]}."}"#
                        .to_owned(),
                ),
            ),
            // Not without forbidding what is allowed, or without a type.
            (r#"{"allOf":[{"type":"string"}]}"#, None),
            (r#"{"type":"array","prefixItems":[],"items":false}"#, None),
            (r#"{"enum":["a"]}"#, None),
            ("{}", None),
            ("true", None),
            (r#"{"type":"object"}"#, None),
            (r#"{"type":"object","additionalProperties":true}"#, None),
            (r#"{"type":["object","null"]}"#, None),
            (r#"{"type":"object","patternProperties":{},"additionalProperties":false}"#, None),
            (r#"{"type":"array","items":{"type":"object"}}"#, None),
            (r##"{"$ref":"#/properties/b"}"##, None),
            (r#"{"$ref":"b.json"}"#, None),
        ];
        for (schema, expected) in rows {
            for subset in [&OPENAI, &ANTHROPIC] {
                let expected = expected.as_ref().map(|schema| around(schema));
                assert_eq!(found(subset, &around(schema)), expected, "{schema}");
            }
        }
        let optional = around(r#"{"type":"string"}"#).replace(r#"["a"]"#, "[]");
        assert_eq!(found(&OPENAI, &optional), None);
        assert_eq!(found(&ANTHROPIC, &optional), Some(optional));
        let deep = r#"{"anyOf":["#.repeat(100_000);
        let deep = format!("{deep}{}", "]}".repeat(100_000));
        assert_eq!(found(&OPENAI, &deep), None);
    }

    #[test]
    fn a_schema_that_contains_itself_is_taken_by_some() {
        let tree = |reference: &str| {
            format!(
                r##"{{"$ref":"#/$defs/A","$defs":{{"A":{{"anyOf":[{{"type":"null"}},{{"$ref":"{reference}"}}]}},"B":{{"type":"string"}}}}}}"##
            )
        };
        for (reference, circular) in [("#/$defs/A", true), ("#", true), ("#/$defs/B", false)] {
            let tree = tree(reference);
            assert_eq!(found(&OPENAI, &tree), Some(tree.clone()), "{reference}");
            assert_eq!(found(&ANTHROPIC, &tree).is_none(), circular, "{reference}");
        }
    }
}
