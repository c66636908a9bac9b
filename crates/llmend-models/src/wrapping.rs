//! Schemas wrapped in an object, for servers that accept no others, and answers unwrapped again.
//!
//! The arguments of a tool are an object, and OpenAI and others accept a schema only if it
//! describes one. Any other schema becomes that of the only member of an object.

use std::borrow::Cow;
use std::fmt;

use llmend_json::Kind;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The member that holds the answer.
pub(crate) const MEMBER: &str = llmend_model::ANSWER_MEMBER;

/// The keywords that keep their place at the root, since references lead there.
const ROOT: [&str; 3] = ["$schema", "$defs", "definitions"];

/// References that lead to them.
const TO_DEFINITIONS: [&str; 2] = ["#/$defs/", "#/definitions/"];

/// The members of an object, in order and as written.
pub(crate) struct Members<'t>(pub(crate) Vec<(Cow<'t, str>, &'t RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry::<String, &RawValue>()? {
                    members.push((Cow::Owned(member.0), member.1));
                }
                Ok(Members(members))
            }
        }
        from.deserialize_map(InOrder)
    }
}

/// Returns the schema of an object whose only member has this schema.
pub(crate) fn wrapped(schema: &str) -> Result<Box<RawValue>, serde_json::Error> {
    let mut outer = String::new();
    let mut inner = String::new();
    match serde_json::from_str::<Members<'_>>(schema) {
        Ok(Members(members)) => {
            for (name, value) in members {
                let to = match &*name {
                    // It would change what all references are relative to.
                    "$id" => continue,
                    name if ROOT.contains(&name) => &mut outer,
                    _ => &mut inner,
                };
                let name = serde_json::to_string(&name)?;
                to.extend([",", &name, ":", &moved(value.get())]);
            }
            inner = format!("{{{}}}", inner.trim_start_matches(','));
        }
        // `true` and `false` are schemas too.
        Err(_) => schema.trim().clone_into(&mut inner),
    }
    RawValue::from_string(format!(
        r#"{{"type":"object","properties":{{"{MEMBER}":{inner}}},"required":["{MEMBER}"],"additionalProperties":false{outer}}}"#
    ))
}

/// Returns a part of a schema with its references to places other than definitions led one level
/// down.
fn moved(part: &str) -> Cow<'_, str> {
    const REFERENCE: &str = "\"$ref\"";
    let mut out = String::new();
    let mut rest = part;
    while let Some(at) = rest.find(REFERENCE) {
        let (before, after) = rest.split_at(at + REFERENCE.len());
        out.push_str(before);
        rest = after;
        let value = after.trim_start().strip_prefix(':').map(str::trim_start);
        let Some(target) = value.and_then(|value| value.strip_prefix('"')) else { continue };
        let stays = TO_DEFINITIONS.iter().any(|place| target.starts_with(place));
        if let Some(pointer) = target.strip_prefix('#').filter(|_| !stays) {
            out.extend([":\"#/properties/", MEMBER]);
            rest = pointer;
        }
    }
    if out.is_empty() {
        return Cow::Borrowed(part);
    }
    Cow::Owned(out + rest)
}

/// Returns an answer with the object around it removed. `None` if there is none: a server that does
/// not enforce the schema may send the bare value.
///
/// What is around the object is kept, since it says how the value is meant.
pub(crate) fn unwrapped(answer: &str) -> Option<String> {
    let parsed = llmend_json::parse(answer).ok()?;
    let root = parsed.value.root();
    let value = root.get(MEMBER).filter(|_| root.kind() == Kind::Object && root.len() == 1)?;
    let (whole, part) = (root.span(), value.span());
    let is_here = answer.get(whole.start..)?.starts_with('{');
    let parts = (answer.get(..whole.start)?, answer.get(part.start..part.end)?);
    let after = answer.get(whole.end..).filter(|_| is_here)?;
    Some(format!("{}{}{after}", parts.0, parts.1))
}

#[cfg(test)]
mod tests {
    use super::{unwrapped, wrapped};

    #[test]
    fn a_schema_becomes_that_of_a_member() {
        let around = |inner: &str, root: &str| {
            format!(
                r#"{{"type":"object","properties":{{"answer":{inner}}},"required":["answer"],"additionalProperties":false{root}}}"#
            )
        };
        let rows = [
            (r#"{"type": "array", "items": {}}"#, r#"{"type":"array","items":{}}"#, ""),
            ("true", "true", ""),
            ("{}", "{}", ""),
            // What a reference leads to is found where it is then.
            (
                r##"{"items": {"$ref": "#/$defs/A"}, "$defs": {"A": {"items": {"$ref" : "#"}}}}"##,
                r##"{"items":{"$ref": "#/$defs/A"}}"##,
                r##","$defs":{"A": {"items": {"$ref":"#/properties/answer"}}}"##,
            ),
            (
                r##"{"items": {"$ref": "#/items"}, "$id": "x"}"##,
                r##"{"items":{"$ref":"#/properties/answer/items"}}"##,
                "",
            ),
            // A member may have that name, and another document is elsewhere.
            (
                r#"{"properties": {"$ref": {}}, "not": {"$ref": "b.json"}}"#,
                r#"{"properties":{"$ref": {}},"not":{"$ref": "b.json"}}"#,
                "",
            ),
        ];
        for (schema, inner, root) in rows {
            let found = wrapped(schema).unwrap();
            let squeezed = |text: &str| text.replace(' ', "");
            assert_eq!(squeezed(found.get()), squeezed(&around(inner, root)), "{schema}");
        }
    }

    #[test]
    fn an_answer_is_unwrapped_as_the_model_wrote_it() {
        let rows = [
            (r#"{"answer": [1.0, 2]}"#, Some("[1.0, 2]")),
            ("{'answer': [{a: 1,},],}", Some("[{a: 1,},]")),
            ("Here:\n```json\n{\"answer\": [1]}\n```", Some("Here:\n```json\n[1]\n```")),
            // Cut off: what is there stays open.
            (r#"{"answer": [1, {"a": "b"#, Some(r#"[1, {"a": "b"#)),
            ("[1, 2]", None),
            (r#"{"answer": 1, "also": 2}"#, None),
            (r#"{"other": 1}"#, None),
            ("no", None),
        ];
        for (answer, expected) in rows {
            assert_eq!(unwrapped(answer).as_deref(), expected, "{answer}");
        }
    }
}
