use serde_json::{Value as Json, json};

use super::{MAX_LEVELS, SerdeLossKind, SerdeSink};
use crate::{
    Span,
    extract::Build,
    parser::Window,
    sink::{Container, Content, Literal, Sink},
};

/// What `text` becomes, and what that could not carry.
fn check(text: &str, expected: &Json, lost: &[(SerdeLossKind, &str, &str)]) {
    let parsed = crate::parse(text).expect(text);
    let converted = parsed.value.to_serde();
    assert_eq!(&converted.value, expected, "{text}");
    let found: Vec<_> = converted
        .lost
        .iter()
        .map(|lost| (lost.what, lost.path.as_str(), lost.span.of(text)))
        .collect();
    assert_eq!(found, lost, "{text}");
    assert_eq!(converted.unlisted, 0, "{text}");
}

#[test]
fn what_serde_json_can_carry_arrives_without_loss() {
    for text in [
        "null",
        "true",
        "-7",
        "1.0",
        "18446744073709551615",
        "-9223372036854775808",
        r#""a\n\"é\"""#,
        "[]",
        "{}",
        r#"{"a":[1,{"b":[]},{}],"b":{"a":null},"c":"x"}"#,
        "[[[]],[[0.5]],false]",
    ] {
        check(text, &serde_json::from_str(text).expect(text), &[]);
    }
}

#[test]
fn what_serde_json_cannot_carry_is_listed() {
    use SerdeLossKind::{DuplicateKey, Number, NumberText, Order};
    for (text, expected, lost) in [
        ("1.50", json!(1.5), vec![(NumberText, "", "1.50")]),
        ("-0", json!(-0.0), vec![(NumberText, "", "-0")]),
        ("[1, 1e2]", json!([1, 100.0]), vec![(NumberText, "/1", "1e2")]),
        ("[1e400]", json!([null]), vec![(Number, "/0", "1e400")]),
        ("[1e-400]", json!([0.0]), vec![(Number, "/0", "1e-400")]),
        ("[0e-400]", json!([0.0]), vec![(NumberText, "/0", "0e-400")]),
        ("[1E30]", json!([1e30]), vec![(NumberText, "/0", "1E30")]),
        (
            r#"{"id": 12345678901234567890123}"#,
            json!({"id": 12_345_678_901_234_567_890_123.0}),
            vec![(Number, "/id", "12345678901234567890123")],
        ),
        (
            "[0.12345678901234567890]",
            json!([0.123_456_789_012_345_68]),
            vec![(NumberText, "/0", "0.12345678901234567890")],
        ),
        (r#"{"a": 1, "a": 2}"#, json!({"a": 2}), vec![(DuplicateKey, "/a", "\"a\"")]),
        (
            r#"{"a": 1, "a": 2, "a": [3]}"#,
            json!({"a": [3]}),
            vec![(DuplicateKey, "/a", "\"a\""), (DuplicateKey, "/a", "\"a\"")],
        ),
        (
            r#"{"b": 1, "a": {"y/": 1, "x~": 1.50}}"#,
            json!({"a": {"x~": 1.5, "y/": 1}, "b": 1}),
            vec![
                (Order, "", r#"{"b": 1, "a": {"y/": 1, "x~": 1.50}}"#),
                (Order, "/a", r#"{"y/": 1, "x~": 1.50}"#),
                (NumberText, "/a/x~0", "1.50"),
            ],
        ),
        (
            r#"{"b": 1, "c": 1, "b": 2}"#,
            json!({"b": 2, "c": 1}),
            vec![(DuplicateKey, "/b", "\"b\"")],
        ),
    ] {
        check(text, &expected, &lost);
    }
}

/// `levels` arrays, one within the other.
fn nested(levels: usize) -> String {
    "[".repeat(levels) + &"]".repeat(levels)
}

fn levels_of(mut value: &Json) -> usize {
    let mut levels = 0;
    while let Json::Array(items) = value {
        levels += 1;
        let Some(inner) = items.first() else { break };
        value = inner;
    }
    levels
}

#[test]
fn too_deep_values_become_null() {
    let options = crate::Options { max_depth: 100_000, ..crate::Options::default() };
    for (levels, lost) in [(MAX_LEVELS, 0), (MAX_LEVELS + 1, 1), (100_000, 1)] {
        let text = nested(levels);
        let parsed = crate::parse_with(&text, &options).expect("within the limit");
        let converted = parsed.value.to_serde();
        assert_eq!(levels_of(&converted.value), MAX_LEVELS, "{levels}");
        assert_eq!(converted.lost.len(), lost, "{levels}");
        for lost in converted.lost {
            assert_eq!((lost.what, lost.path.len()), (SerdeLossKind::Depth, 2 * MAX_LEVELS));
            assert_eq!(lost.span, Span::new(MAX_LEVELS, text.len() - MAX_LEVELS));
        }
    }
}

#[test]
fn the_list_of_losses_does_not_outgrow_memory() {
    let key = "k".repeat(1 << 20);
    let text = format!("{{\"{key}\": [{}]}}", vec!["1.50"; 100].join(","));
    let converted = crate::parse(&text).expect("valid").value.to_serde();
    assert_eq!(converted.lost.len() + converted.unlisted, 100);
    assert!(converted.lost.iter().map(|lost| lost.path.len()).sum::<usize>() < 18 << 20);
}

#[test]
fn a_part_is_converted_with_paths_of_its_own() {
    let text = r#"{"a": {"b": [1.50]}}"#;
    let parsed = crate::parse(text).expect("valid");
    let converted = parsed.value.root().get("a").expect("it is there").to_serde();
    assert_eq!(converted.value, json!({"b": [1.5]}));
    assert_eq!(converted.lost.iter().map(|lost| lost.path.as_str()).collect::<Vec<_>>(), ["/b/0"]);
}

/// What the machine tells a sink, over the text `key "a\"b" 12 1.50`.
fn feed(sink: &mut SerdeSink, events: &str) {
    let window = Window::whole(r#"key "a\"b" 12 1.50"#);
    let at = Span::at(0);
    for event in events.chars() {
        match event {
            '[' => sink.open(Container::Array, 0),
            '{' => sink.open(Container::Object, 0),
            ']' | '}' => sink.close(0),
            'k' => sink.key(&window, at, Content::Plain(Span::new(0, 3))),
            'm' => sink.key(&window, at, Content::Repaired(r"m\u0065nded")),
            'd' => sink.drop_key(),
            'a' => sink.becomes(Container::Array),
            's' => sink.string(&window, at, Content::Escaped(Span::new(5, 9))),
            'n' => sink.number(&window, at, Content::Plain(Span::new(11, 13))),
            'f' => sink.number(&window, at, Content::Plain(Span::new(14, 18))),
            'x' => sink.number(&window, at, Content::Repaired("1e400")),
            '0' => sink.literal(Literal::Null, at),
            't' => sink.literal(Literal::True, at),
            _ => sink.literal(Literal::False, at),
        }
    }
}

#[test]
fn the_sink_builds_values() {
    for (events, expected) in [
        ("", None),
        ("s", Some(json!("a\"b"))),
        ("[n0tffx]", Some(json!([12, null, true, 1.5, 1.5, null]))),
        ("{knms}", Some(json!({"key": 12, "mended": "a\"b"}))),
        ("{knk0}", Some(json!({"key": null}))),
        ("{kd}", Some(json!({}))),
        ("{knkd}", Some(json!({"key": 12}))),
        ("{an[]{}}", Some(json!([12, [], {}]))),
        ("{k[{k[n", Some(json!({"key": [{"key": [12]}]}))),
        ("{k{k", Some(json!({"key": {}}))),
    ] {
        let mut sink = SerdeSink::default();
        feed(&mut sink, events);
        assert_eq!(sink.end().value, expected, "{events}");
    }
}

#[test]
fn the_sink_replaces_too_deep_values_by_null() {
    for below in ["[[n]]", "{k[n]md}", "[{ans}0{kd}]"] {
        let mut sink = SerdeSink::default();
        feed(&mut sink, &"[".repeat(MAX_LEVELS));
        feed(&mut sink, below);
        feed(&mut sink, "n");
        feed(&mut sink, &"]".repeat(MAX_LEVELS));
        let mut value = sink.end().value.expect("there is a value");
        for _ in 1..MAX_LEVELS {
            value = value.get_mut(0).expect("one level less").take();
        }
        assert_eq!(value, json!([null, 12]), "{below}");
    }
}
