//! Schemas and values that are expensive to evaluate.

use serde_json::{Map, Value, json};

/// A schema and a text, each as large as asked for.
pub struct Hostile {
    /// Its name.
    pub name: &'static str,
    /// The schema, and the text that is held against it; the number is how wide or deep they are.
    pub make: fn(usize) -> (Value, String),
    /// How wide or deep they are at their worst.
    pub size: usize,
}

/// All of them.
pub const ALL: &[Hostile] = &[
    Hostile { name: "references in a circle", make: circle, size: 1_000 },
    Hostile { name: "a reference to itself", make: itself, size: 1 },
    Hostile { name: "a chain of references", make: chain, size: 5_000 },
    Hostile { name: "references that double", make: doubling, size: 30 },
    Hostile { name: "allOf that doubles", make: all_of_doubling, size: 25 },
    Hostile { name: "anyOf that doubles", make: any_of_doubling, size: 25 },
    Hostile { name: "many arms over many items", make: arms, size: 1_000 },
    Hostile { name: "many arms like one another", make: alike, size: 1_000 },
    Hostile { name: "arms in arms over a tree", make: tree, size: 12 },
    Hostile { name: "a pattern that goes back", make: pattern, size: 40 },
    Hostile { name: "a pattern that goes back, with lookahead", make: fancy_pattern, size: 40 },
    Hostile { name: "a pattern that grows", make: counted_pattern, size: 1_000 },
    Hostile { name: "a deep value", make: deep_value, size: 10_000 },
    Hostile { name: "a deep value of a recursive type", make: deep_recursion, size: 10_000 },
    Hostile { name: "a deep schema", make: deep_schema, size: 10_000 },
    Hostile { name: "a deep allOf", make: deep_all_of, size: 10_000 },
    Hostile { name: "JSON in a string in a string", make: strings, size: 16 },
    Hostile { name: "brackets in a string", make: brackets, size: 100_000 },
    Hostile { name: "an enum of many words", make: words, size: 10_000 },
    Hostile { name: "a long answer for an enum", make: long_answer, size: 100_000 },
    Hostile { name: "many words for many items", make: words_for_items, size: 1_000 },
    Hostile { name: "many words spelled otherwise", make: words_spelled_otherwise, size: 5_000 },
    Hostile { name: "slips of words that begin alike", make: near_misses_of_words, size: 5_000 },
    Hostile { name: "slips of keys that begin alike", make: near_misses_of_keys, size: 300 },
    Hostile { name: "a list or an object, nested", make: list_or_object, size: 14 },
    Hostile { name: "many required", make: required, size: 10_000 },
    Hostile { name: "many slips in many keys", make: slips, size: 2_000 },
    Hostile { name: "many keys for one property", make: one_property, size: 10_000 },
    Hostile { name: "unique items", make: unique, size: 20_000 },
    Hostile { name: "wrappers in wrappers", make: wrappers, size: 400 },
    Hostile { name: "a number of many digits", make: digits, size: 1_000_000 },
    Hostile { name: "many violations", make: violations, size: 50_000 },
    Hostile { name: "unevaluated properties in depth", make: unevaluated, size: 200 },
];

/// Drops a schema that may be deep: dropping it level by level would need as many stack frames.
pub fn gone(schema: Value) {
    let mut open = vec![schema];
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(members) => open.extend(members.into_iter().map(|(_, value)| value)),
            _ => {}
        }
    }
}

fn circle(size: usize) -> (Value, String) {
    let named: Map<String, Value> = (0..size)
        .map(|i| (format!("d{i}"), json!({"$ref": format!("#/$defs/d{}", (i + 1) % size)})))
        .collect();
    (json!({"$ref": "#/$defs/d0", "$defs": named}), "{\"a\": [1, 2]}".to_owned())
}

fn itself(_: usize) -> (Value, String) {
    (json!({"anyOf": [{"$ref": "#"}, {"allOf": [{"$ref": "#"}]}]}), "\"7\"".to_owned())
}

fn chain(size: usize) -> (Value, String) {
    let link = |i: usize| {
        let of = if i + 1 == size {
            json!({"type": "integer"})
        } else {
            json!({"$ref": format!("#/$defs/d{}", i + 1)})
        };
        (format!("d{i}"), of)
    };
    let named: Map<String, Value> = (0..size).map(link).collect();
    (json!({"$ref": "#/$defs/d0", "$defs": named}), "\"42\"".to_owned())
}

/// Each definition has two properties of the next one.
fn doubling(size: usize) -> (Value, String) {
    named(
        size,
        |next| json!({"type": "object", "properties": {"a": next.clone(), "b": next}, "required": ["a", "b"]}),
    )
}

fn all_of_doubling(size: usize) -> (Value, String) {
    named(size, |next| json!({"allOf": [next.clone(), next]}))
}

fn any_of_doubling(size: usize) -> (Value, String) {
    named(size, |next| json!({"anyOf": [next.clone(), next]}))
}

fn named(size: usize, of: impl Fn(Value) -> Value) -> (Value, String) {
    let mut named: Map<String, Value> = (0..size)
        .map(|i| (format!("d{i}"), of(json!({"$ref": format!("#/$defs/d{}", i + 1)}))))
        .collect();
    named.insert(format!("d{size}"), json!({"type": "integer"}));
    (json!({"$ref": "#/$defs/d0", "$defs": named}), "\"many\"".to_owned())
}

fn arms(size: usize) -> (Value, String) {
    let arm = |i: usize| {
        json!({"type": "object", "properties": {format!("k{i}"): {"type": "integer"}},
               "required": [format!("k{i}")], "additionalProperties": false})
    };
    let arms: Vec<Value> = (0..size).map(arm).collect();
    let items: Vec<String> = (0..size).map(|i| format!("{{\"K{i}\": \"{i}\"}}")).collect();
    (json!({"type": "array", "items": {"anyOf": arms}}), format!("[{}]", items.join(", ")))
}

fn alike(size: usize) -> (Value, String) {
    let arm = |i: usize| {
        json!({"type": "object", "properties": {"kind": {"type": "string"},
               "size": {"type": "integer", "minimum": i}}, "required": ["kind", "size"]})
    };
    let arms: Vec<Value> = (0..size).map(arm).collect();
    let items: Vec<&str> = vec!["{\"Kind\": 1, \"Size\": \"x\"}"; size];
    (json!({"type": "array", "items": {"oneOf": arms}}), format!("[{}]", items.join(", ")))
}

/// A recursive union of four arms over a binary tree in which every leaf is wrong.
fn tree(size: usize) -> (Value, String) {
    let arm = |name: &str| {
        json!({"type": "object", "properties": {"l": {"$ref": "#/$defs/t"}, "r": {"$ref": "#/$defs/t"},
               name: {"type": "integer"}}, "required": ["l", "r"]})
    };
    let schema = json!({"$ref": "#/$defs/t", "$defs": {"t": {"anyOf": [
        arm("a"), arm("b"), arm("c"), {"type": "integer"}
    ]}}});
    let mut text = "\"leaf\"".to_owned();
    for _ in 0..size {
        text = format!("{{\"l\": {text}, \"r\": {text}}}");
    }
    (schema, text)
}

fn pattern(size: usize) -> (Value, String) {
    (json!({"type": "string", "pattern": "^(a+)+$"}), format!("\"{}b\"", "a".repeat(size)))
}

/// Lookahead needs a matcher that goes back.
fn fancy_pattern(size: usize) -> (Value, String) {
    let pattern = "^(?=(a|aa)+$)(a|a)*(?!b)\\1$";
    (json!({"type": "string", "pattern": pattern}), format!("\"{}b\"", "a".repeat(size)))
}

fn counted_pattern(size: usize) -> (Value, String) {
    let pattern = format!("^((a{{0,{size}}}){{0,{size}}}){{0,{size}}}$");
    (json!({"type": "string", "pattern": pattern}), "\"aaaa\"".to_owned())
}

fn deep_value(size: usize) -> (Value, String) {
    (json!({"type": "array"}), format!("{}{}", "[".repeat(size), "]".repeat(size)))
}

fn deep_recursion(size: usize) -> (Value, String) {
    let schema = json!({"$ref": "#/$defs/n", "$defs": {"n": {"type": "object",
        "properties": {"next": {"anyOf": [{"$ref": "#/$defs/n"}, {"type": "null"}]},
        "value": {"type": "integer"}}, "required": ["next"]}}});
    let text = format!("{}null{}", "{\"value\": \"1\", \"next\": ".repeat(size), "}".repeat(size));
    (schema, text)
}

fn deep_schema(size: usize) -> (Value, String) {
    let mut schema = json!({"type": "integer"});
    for _ in 0..size {
        schema = around("items", schema);
    }
    (schema, "[[[\"1\"]]]".to_owned())
}

fn deep_all_of(size: usize) -> (Value, String) {
    let mut schema = json!({"type": "integer"});
    for _ in 0..size {
        schema = around("allOf", Value::Array(vec![schema]));
    }
    (schema, "\"1\"".to_owned())
}

/// An object with this member. The macro would copy what is inside, level by level.
fn around(key: &str, inner: Value) -> Value {
    Value::Object(Map::from_iter([(key.to_owned(), inner)]))
}

/// Each level doubles the backslashes of the one inside.
fn strings(size: usize) -> (Value, String) {
    let mut text = "{\"a\": 1}".to_owned();
    for _ in 0..size {
        text = crate::data::quoted(&text);
    }
    let schema =
        json!({"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]});
    (schema, text)
}

fn brackets(size: usize) -> (Value, String) {
    (json!({"type": "array", "items": {"type": "array"}}), format!("\"{}\"", "[".repeat(size)))
}

fn words(size: usize) -> (Value, String) {
    let words: Vec<String> = (0..size).map(|i| format!("word_number_{i}")).collect();
    (json!({"type": "string", "enum": words}), "\"the wird number 77x\"".to_owned())
}

fn long_answer(size: usize) -> (Value, String) {
    let words = ["alpha", "beta", "gamma", "delta", "epsilon"];
    (json!({"enum": words}), format!("\"{}\"", "alphb betb gamna ".repeat(size / 17)))
}

fn words_for_items(size: usize) -> (Value, String) {
    let words: Vec<String> = (0..size).map(|i| format!("{i}_words_long_{i}")).collect();
    let items: Vec<String> = (0..size).map(|i| format!("\"{i} wurds lung {i}\"")).collect();
    let schema = json!({"type": "array", "items": {"type": "string", "enum": words}});
    (schema, format!("[{}]", items.join(", ")))
}

fn words_spelled_otherwise(size: usize) -> (Value, String) {
    let words: Vec<String> = (0..1_000).map(|i| format!("word_{}", letters(i))).collect();
    let items: Vec<String> =
        (0..size).map(|i| format!("\"WORD {}\"", letters(i % 1_000))).collect();
    let schema = json!({"type": "array", "items": {"enum": words}});
    (schema, format!("[{}]", items.join(", ")))
}

fn near_misses_of_words(size: usize) -> (Value, String) {
    let words: Vec<String> = (0..200).map(|i| format!("beginning{}", letters(i * 37))).collect();
    let items: Vec<String> =
        (0..size).map(|i| format!("\"begining{}\"", letters(i % 200 * 37))).collect();
    let schema = json!({"type": "array", "items": {"enum": words}});
    (schema, format!("[{}]", items.join(", ")))
}

fn near_misses_of_keys(size: usize) -> (Value, String) {
    let name = |i: usize| letters(i * 37);
    let names: Vec<String> = (0..90).map(|i| format!("beginning{}", name(i))).collect();
    let of: Map<String, Value> = names.iter().map(|name| (name.clone(), json!({}))).collect();
    let members: Vec<String> = (0..90).map(|i| format!("\"begining{}\": {i}", name(i))).collect();
    let item = format!("{{{}}}", members.join(", "));
    let schema = json!({"type": "array", "items": {"type": "object", "properties": of,
                        "required": names, "additionalProperties": false}});
    (schema, format!("[{}]", vec![item; size].join(", ")))
}

/// A number in four letters.
fn letters(number: usize) -> String {
    let letter = |place| "abcdefghijklmnopqrstuvwxyz".chars().nth(number / place % 26);
    [17_576, 676, 26, 1].into_iter().filter_map(letter).collect()
}

fn list_or_object(size: usize) -> (Value, String) {
    let mut schema = json!({"type": "integer"});
    for _ in 0..size {
        schema = json!({"anyOf": [
            {"type": "array", "items": schema},
            {"type": "object", "properties": {"p": schema}, "required": ["p"]},
        ]});
    }
    (schema, "\"none of them\"".to_owned())
}

fn required(size: usize) -> (Value, String) {
    let names: Vec<String> = (0..size).map(|i| format!("property_{i}")).collect();
    let of: Map<String, Value> =
        names.iter().map(|name| (name.clone(), json!({"type": "integer"}))).collect();
    (json!({"type": "object", "properties": of, "required": names}), "{\"a\": 1}".to_owned())
}

fn slips(size: usize) -> (Value, String) {
    let names: Vec<String> = (0..size).map(|i| format!("property_number_{i}")).collect();
    let of: Map<String, Value> =
        names.iter().map(|name| (name.clone(), json!({"type": "integer"}))).collect();
    let members: Vec<String> = (0..size).map(|i| format!("\"propperty_numbr_{i}\": {i}")).collect();
    let schema = json!({"type": "object", "properties": of, "required": names,
                        "additionalProperties": false});
    (schema, format!("{{{}}}", members.join(", ")))
}

fn one_property(size: usize) -> (Value, String) {
    let members: Vec<String> =
        (0..size).map(|i| format!("\"{}Name\": {i}", " ".repeat(i % 90))).collect();
    let schema = json!({"type": "object", "properties": {"name": {"type": "string"}},
                        "required": ["name"], "additionalProperties": false});
    (schema, format!("{{{}}}", members.join(", ")))
}

fn unique(size: usize) -> (Value, String) {
    let items: Vec<String> = (0..size).map(|i| format!("{{\"n\": \"{i}\"}}")).collect();
    let schema = json!({"type": "array", "uniqueItems": true, "items": {"type": "object",
                        "properties": {"n": {"type": "integer"}}}});
    (schema, format!("[{}]", items.join(", ")))
}

fn wrappers(size: usize) -> (Value, String) {
    let schema = json!({"type": "object", "properties": {"a": {"type": "integer"}},
                        "required": ["a"], "additionalProperties": false});
    (schema, format!("{}{{\"a\": 1}}{}", "{\"w\": [".repeat(size / 2), "]}".repeat(size / 2)))
}

fn digits(size: usize) -> (Value, String) {
    (json!({"type": "integer"}), format!("\"{}\"", "7".repeat(size)))
}

fn violations(size: usize) -> (Value, String) {
    let schema = json!({"type": "array", "items": {"type": "integer"}});
    (schema, format!("[{}]", vec!["\"pear\""; size].join(", ")))
}

fn unevaluated(size: usize) -> (Value, String) {
    let mut schema = json!({"properties": {"p": {"type": "integer"}}});
    for i in 0..size {
        schema = json!({"allOf": [schema], "properties": {format!("p{i}"): {"type": "integer"}},
                        "unevaluatedProperties": false});
    }
    (schema, "{\"P\": \"1\", \"zz\": 2}".to_owned())
}
