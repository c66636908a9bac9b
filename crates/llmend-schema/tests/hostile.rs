//! Schemas and values that are expensive to evaluate.

use std::fmt::Write;

use llmend_json::{Options as Reading, Value};
use llmend_schema::{Coerced, Error, Options, Schema, coerce, validate};
use serde_json::{Value as Json, json};

fn read(text: &str) -> Value<'_> {
    let options = Reading { max_depth: usize::MAX, ..Reading::default() };
    llmend_json::parse_with(text, &options).unwrap().value
}

fn fit(schema: &Json, text: &str) -> Coerced {
    let schema = Schema::new(schema).unwrap();
    coerce(&read(text), &schema, &Options::default())
}

fn codes(coerced: &Coerced) -> Vec<&str> {
    coerced.violations.iter().map(|row| row.code).collect()
}

#[test]
fn too_deep_values_are_a_violation() {
    let schema =
        Schema::new(&json!({"items": {"$ref": "#"}, "type": ["array", "integer"]})).unwrap();
    for depth in [513, 10_000, 100_000] {
        let text = "[".repeat(depth) + &"]".repeat(depth);
        let value = read(&text);
        let coerced = coerce(&value, &schema, &Options::default());
        assert_eq!(codes(&coerced), ["limit/depth"]);
        assert_eq!(validate(&value, &schema)[0].code, "limit/depth");
    }
}

#[test]
fn the_deepest_allowed_value_is_coerced_on_a_small_stack() {
    let tree = json!({
        "$ref": "#/$defs/node",
        "$defs": {"node": {
            "type": "object",
            "properties": {"n": {"type": "integer"}, "in": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]}},
            "required": ["n"],
        }},
    });
    for leaf in ["{\"n\": \"1\"}", "{\"n\": \"x\"}", "{}"] {
        let text = "{\"n\": \"1\", \"in\": ".repeat(511) + leaf + &"}".repeat(511);
        let coerced = fit(&tree, &text);
        let fitted = leaf.contains("\"1\"");
        assert_eq!(coerced.violations.is_empty(), fitted, "{leaf}: {:?}", codes(&coerced));
    }
}

#[test]
fn too_deep_schemas_are_an_error() {
    let mut schema = json!({});
    for _ in 0..600 {
        schema = json!({"items": schema});
    }
    assert!(matches!(Schema::new(&schema), Err(Error::Depth(_))));
    let mut schema = json!({"type": "integer"});
    for _ in 0..200 {
        schema = json!({"items": schema});
    }
    let text = "[".repeat(200) + "\"1\"" + &"]".repeat(200);
    assert_eq!(codes(&fit(&schema, &text)), [""; 0]);
}

/// Returns a schema with `count` definitions, created by `make`.
fn defined(count: usize, make: impl Fn(usize) -> Json) -> Json {
    let definitions: serde_json::Map<String, Json> =
        (0..count).map(|at| (format!("d{at}"), make(at))).collect();
    json!({"$ref": "#/$defs/d0", "$defs": definitions})
}

#[test]
fn chained_and_multiplying_references_terminate() {
    let next = |at: usize, count: usize| format!("#/$defs/d{}", (at + 1) % count);
    for count in [1, 2, 30] {
        let ring = defined(count, |at| json!({"$ref": next(at, count)}));
        let coerced = fit(&ring, "[1]");
        assert!(coerced.coercions.is_empty());
    }
    let long = defined(20_000, |at| json!({"$ref": next(at, 20_000)}));
    assert!(matches!(Schema::new(&long), Err(Error::Work)));
    let nested = defined(20_000, |at| json!({"items": {"$ref": next(at, 20_000)}}));
    assert!(matches!(Schema::new(&nested), Err(Error::Work)));
    for keyword in ["allOf", "anyOf", "oneOf"] {
        let double = defined(40, |at| match at {
            39 => json!({"type": "integer"}),
            _ => json!({keyword: [{"$ref": next(at, 40)}, {"$ref": next(at, 40)}]}),
        });
        assert!(matches!(Schema::new(&double), Err(Error::Work)), "{keyword}");
    }
    let wide = defined(2_000, |at| json!({"properties": {"a": {"$ref": next(at, 2_000)}}}));
    let _ = Schema::new(&wide);
}

#[test]
fn deeply_failing_unions_are_reported_once() {
    let arms = json!({
        "anyOf": [
            {"type": "object", "properties": {"a": {"$ref": "#"}, "x": {"type": "integer"}}, "required": ["a"]},
            {"type": "object", "properties": {"a": {"$ref": "#"}, "y": {"type": "integer"}}, "required": ["a"]},
            {"type": "integer"},
        ]
    });
    for leaf in ["true", "\"7\"", "\"no\"", "null"] {
        let text = "{\"a\": ".repeat(400) + leaf + &"}".repeat(400);
        let coerced = fit(&arms, &text);
        assert!(coerced.violations.len() < 10, "{leaf}: {}", coerced.violations.len());
        // The seven is a string, and one branch expects a number.
        assert_eq!(coerced.violations.is_empty(), leaf == "\"7\"", "{leaf}");
    }
}

#[test]
fn wide_unions_over_long_arrays_terminate() {
    let arm = |at: usize| {
        json!({
            "type": "object",
            "properties": {"kind": {"const": format!("kind-{at}")}, "value": {"type": "integer"}},
            "required": ["kind", "value"],
        })
    };
    let open = |at: usize| json!({"type": "object", "properties": {format!("p{at}"): {"type": "integer"}}, "required": [format!("p{at}")]});
    let shapes: [&dyn Fn(usize) -> Json; 4] = [
        &arm,
        &open,
        &|at| json!({"type": "integer", "minimum": at * 10, "maximum": at * 10 + 1}),
        &|at| json!({"const": format!("word-{at}")}),
    ];
    let items: [&dyn Fn(usize) -> String; 4] = [
        &|at| format!("{{\"kind\": \"Kind {at}\", \"value\": \"{at}\"}}"),
        &|at| format!("{{\"p{at}\": \"{at}\"}}"),
        &|at| format!("\"{}\"", at * 10),
        &|at| format!("\"no such {at}\""),
    ];
    for keyword in ["anyOf", "oneOf"] {
        for shape in shapes {
            let arms: Vec<Json> = (0..1_000).map(shape).collect();
            let schema = Schema::new(&json!({"items": {keyword: arms}})).unwrap();
            for item in items {
                let mut text = String::from("[");
                for at in 0..1_000 {
                    let _ = write!(text, "{}{}", if at > 0 { "," } else { "" }, item(at));
                }
                text.push(']');
                let value = read(&text);
                let coerced = coerce(&value, &schema, &Options::default());
                let valid = validate(&coerced.value, &schema).is_empty();
                assert_eq!(valid, coerced.violations.is_empty());
            }
        }
    }
}

#[test]
fn patterns_are_matched_in_bounded_time() {
    let text = format!("\"{}b\"", "a".repeat(50_000));
    for pattern in ["^(a+)+$", "^(a|aa)+$", "(.*)*x", "^(?=(a+)+$)a", "^(a*)*\\1c$"] {
        let schema = json!({"type": "string", "pattern": pattern});
        let coerced = fit(&schema, &text);
        assert_eq!(coerced.violations.len(), 1, "{pattern}");
    }
    let many = format!("[{}]", vec![text.as_str(); 100].join(","));
    let schema = json!({"items": {"type": "string", "pattern": "^(?=(a+)+$)a"}});
    assert!(!fit(&schema, &many).violations.is_empty());
}

#[test]
fn nested_json_strings_terminate() {
    let mut text = String::from("7");
    for _ in 0..12 {
        text = serde_json::to_string(&format!("[{text}]")).unwrap();
    }
    let schema = json!({"type": ["array", "integer"], "items": {"$ref": "#"}});
    let coerced = fit(&schema, &text);
    assert_eq!(coerced.violations, []);
    assert_eq!(coerced.coercions.len(), 12);
    let nothing = json!({"type": "array", "items": {"$ref": "#"}});
    assert!(!fit(&nothing, "5").violations.is_empty());
}

#[test]
fn long_values_are_linear() {
    let schema = json!({"items": {"type": "object", "properties": {"n": {"type": "integer"}, "w": {"enum": ["a", "b"]}}, "required": ["n"]}});
    let text = format!("[{}]", vec!["{\"n\": \"1\", \"w\": \"A\"}"; 50_000].join(","));
    let coerced = fit(&schema, &text);
    assert_eq!((coerced.violations.len(), coerced.coercions.len()), (0, 100_000));
}

#[test]
fn multiplying_paths_exceed_the_budget() {
    for (keyword, leaf) in [("oneOf", "true"), ("oneOf", "7"), ("allOf", "7")] {
        let next = |at: usize| json!({"$ref": format!("#/$defs/d{}", at + 1)});
        let chain = defined(40, |at| match at {
            39 => json!({"type": "integer"}),
            _ => json!({"properties": {"a": {keyword: [next(at), next(at)]}}}),
        });
        let schema = Schema::new(&chain).unwrap();
        // Two paths from each level to the next: 10¹² to the last.
        let text = "{\"a\": ".repeat(39) + leaf + &"}".repeat(39);
        let value = read(&text);
        let coerced = coerce(&value, &schema, &Options::default());
        assert_eq!(codes(&coerced), ["limit/work"], "{keyword} {leaf}");
        assert_eq!(validate(&value, &schema)[0].code, "limit/work", "{keyword} {leaf}");
    }
}

#[test]
fn work_may_be_bounded_for_any_size() {
    let schema = Schema::new(&json!({"items": {"type": "integer"}})).unwrap();
    let text = format!("[{}]", vec!["\"1\""; 10_000].join(","));
    let value = read(&text);
    for (most, expected) in [
        (None, vec![]),
        (Some(1_000_000), vec![]),
        (Some(10_000), vec!["limit/work"]),
        (Some(0), vec!["limit/work"]),
    ] {
        let options = Options { max_work_in_all: most, ..Options::default() };
        assert_eq!(codes(&coerce(&value, &schema, &options)), expected, "{most:?}");
    }
}
