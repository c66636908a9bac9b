//! The kinds of values that a schema allows.

use llmend_json::Kind;
use serde_json::Value as Json;

/// Maximum depth to which references and unions are followed.
const DEPTH: usize = 16;

/// A set of kinds of JSON values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kinds(u8);

impl Kinds {
    /// The set of all kinds: the schema says nothing.
    pub const ANY: Self = Self(0x7f);
    const NONE: Self = Self(0);
    /// Null.
    pub const NULL: Self = Self(1);
    /// Booleans.
    pub const BOOLEAN: Self = Self(2);
    /// Integers.
    pub const INTEGER: Self = Self(4);
    /// Numbers other than integers.
    pub const FRACTION: Self = Self(8);
    /// Strings.
    pub const STRING: Self = Self(16);
    /// Arrays.
    pub const ARRAY: Self = Self(32);
    /// Objects.
    pub const OBJECT: Self = Self(64);

    /// Returns whether all kinds of `other` are in this set.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns whether a value of this kind is allowed.
    pub const fn allows(self, kind: Kind) -> bool {
        self.0
            & match kind {
                Kind::Null => Self::NULL.0,
                Kind::Bool => Self::BOOLEAN.0,
                Kind::Number => Self::INTEGER.0 | Self::FRACTION.0,
                Kind::String => Self::STRING.0,
                Kind::Array => Self::ARRAY.0,
                Kind::Object => Self::OBJECT.0,
            }
            != 0
    }

    /// Returns whether strings alone, or strings and null, are allowed.
    pub const fn is_text(self) -> bool {
        self.0 & !Self::NULL.0 == Self::STRING.0
    }

    /// Returns the kinds that `schema`, a part of `root`, allows.
    pub(crate) fn of(schema: &Json, root: &Json) -> Self {
        Self::within(schema, root, DEPTH)
    }

    fn within(schema: &Json, root: &Json, depth: usize) -> Self {
        let Some(schema) = schema.as_object().filter(|_| depth > 0) else { return Self::ANY };
        let of = |part: &Json| Self::within(part, root, depth - 1);
        let mut kinds = Self::ANY;
        if let Some(target) = schema.get("$ref").and_then(Json::as_str) {
            let target = target.strip_prefix('#').and_then(|pointer| root.pointer(pointer));
            kinds = kinds.and(target.map_or(Self::ANY, of));
        }
        match schema.get("type") {
            Some(Json::String(name)) => kinds = kinds.and(Self::named(name)),
            Some(Json::Array(names)) => {
                let all = names.iter().filter_map(Json::as_str).map(Self::named);
                kinds = kinds.and(all.fold(Self::NONE, Self::or));
            }
            _ => {}
        }
        if let Some(values) = schema.get("enum").and_then(Json::as_array) {
            kinds = kinds.and(values.iter().map(Self::of_value).fold(Self::NONE, Self::or));
        }
        if let Some(value) = schema.get("const") {
            kinds = kinds.and(Self::of_value(value));
        }
        for key in ["anyOf", "oneOf"] {
            if let Some(parts) = schema.get(key).and_then(Json::as_array) {
                kinds = kinds.and(parts.iter().map(of).fold(Self::NONE, Self::or));
            }
        }
        for part in schema.get("allOf").and_then(Json::as_array).into_iter().flatten() {
            kinds = kinds.and(of(part));
        }
        if kinds == Self::ANY {
            for (key, own) in [
                ("properties", Self::OBJECT),
                ("items", Self::ARRAY),
                ("pattern", Self::STRING),
                ("format", Self::STRING),
            ] {
                if schema.contains_key(key) {
                    return own;
                }
            }
        }
        if schema.get("nullable").and_then(Json::as_bool) == Some(true) {
            kinds = kinds.or(Self::NULL);
        }
        if kinds == Self::NONE { Self::ANY } else { kinds }
    }

    fn named(name: &str) -> Self {
        match name {
            "null" => Self::NULL,
            "boolean" => Self::BOOLEAN,
            "integer" => Self::INTEGER,
            "number" => Self::INTEGER.or(Self::FRACTION),
            "string" => Self::STRING,
            "array" => Self::ARRAY,
            "object" => Self::OBJECT,
            _ => Self::ANY,
        }
    }

    fn of_value(value: &Json) -> Self {
        match value {
            Json::Null => Self::NULL,
            Json::Bool(_) => Self::BOOLEAN,
            Json::Number(number) if number.is_f64() => Self::INTEGER.or(Self::FRACTION),
            Json::Number(_) => Self::INTEGER,
            Json::String(_) => Self::STRING,
            Json::Array(_) => Self::ARRAY,
            Json::Object(_) => Self::OBJECT,
        }
    }

    const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Kinds;

    #[test]
    fn kinds_follow_from_types_values_and_unions() {
        let number = Kinds::INTEGER.or(Kinds::FRACTION);
        for (schema, expected) in [
            (json!({}), Kinds::ANY),
            (json!(true), Kinds::ANY),
            (json!({"type": "string"}), Kinds::STRING),
            (json!({"type": ["string", "null"]}), Kinds::STRING.or(Kinds::NULL)),
            (json!({"type": "number"}), number),
            (json!({"enum": ["a", "b", null]}), Kinds::STRING.or(Kinds::NULL)),
            (json!({"enum": [1, 2]}), Kinds::INTEGER),
            (
                json!({"anyOf": [{"type": "string"}, {"type": "null"}]}),
                Kinds::STRING.or(Kinds::NULL),
            ),
            (json!({"$ref": "#/$defs/a"}), Kinds::ARRAY),
            (json!({"allOf": [{"$ref": "#/$defs/a"}, {}]}), Kinds::ARRAY),
            (json!({"$ref": "#"}), Kinds::ANY),
            (json!({"properties": {}}), Kinds::OBJECT),
            (json!({"type": "integer", "nullable": true}), Kinds::INTEGER.or(Kinds::NULL)),
        ] {
            let root = json!({"$defs": {"a": {"type": "array"}}});
            assert_eq!(Kinds::of(&schema, &root), expected, "{schema}");
        }
    }
}
