use std::{
    collections::{BTreeMap, HashMap},
    fmt,
    marker::PhantomData,
};

use serde::{
    Deserialize,
    de::{DeserializeOwned, IgnoredAny, MapAccess, Visitor},
};

use super::reader::MAX_LEVELS;
use crate::ErrorKind;

#[derive(Debug, PartialEq, Deserialize)]
struct Plain {
    id: String,
    #[serde(default)]
    tags: Vec<String>,
    limit: Option<u8>,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Strict {
    a: i32,
}

#[derive(Debug, PartialEq, Deserialize)]
enum Choice {
    Unit,
    New(u8),
    Tuple(u8, String),
    Struct { x: bool },
}

#[derive(Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
enum Color {
    Red,
    Blue,
}

#[derive(Debug, PartialEq, Deserialize)]
struct Newtype(f64);

#[derive(Debug, PartialEq, Deserialize)]
struct Unit;

#[derive(Debug, PartialEq, Deserialize)]
#[serde(untagged)]
enum Untagged {
    Number(i64),
    Text(String),
    Many(Vec<Untagged>),
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(tag = "type")]
enum Tagged {
    Point { x: i8 },
}

#[derive(Debug, PartialEq, Deserialize)]
struct Flat {
    a: u8,
    #[serde(flatten)]
    rest: BTreeMap<String, serde_json::Value>,
}

/// Members in their order, duplicates kept.
#[derive(Debug, PartialEq)]
struct Pairs<T>(Vec<(String, T)>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Pairs<T> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Collect<T> {
            type Value = Pairs<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs<T>, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }
        deserializer.deserialize_map(Collect(PhantomData))
    }
}

fn check<T: DeserializeOwned + PartialEq + fmt::Debug>(text: &str, expected: T) {
    let parsed = crate::parse(text).expect(text);
    assert_eq!(parsed.value.deserialize::<T>(), Ok(expected), "{text}");
}

#[test]
fn scalars() {
    check("true", true);
    check("255", 255_u8);
    check("-128", -128_i8);
    check("-0", 0_i64);
    check("-0", -0.0_f64);
    check("18446744073709551615", u64::MAX);
    check("-9223372036854775808", i64::MIN);
    check("340282366920938463463374607431768211455", u128::MAX);
    check("-170141183460469231731687303715884105728", i128::MIN);
    check("5", 5.0_f64);
    check("0.1", 0.1_f64);
    check("0.1", 0.1_f32);
    check("1e-400", 0.0_f64);
    check(r#""a\tb""#, "a\tb".to_owned());
    check(r#""é""#, 'é');
    check("null", ());
    check("null", Unit);
    check("null", None::<u8>);
    check("1", Some(1_u8));
    check("1.5", Newtype(1.5));
}

#[test]
fn containers() {
    check("[]", Vec::<u8>::new());
    check("[1, null]", vec![Some(1_u8), None]);
    check(r#"[1, "a", [true]]"#, (1_u8, "a".to_owned(), [true]));
    check(
        r#"{"id": "x", "other": {"deep": [1]}}"#,
        Plain { id: "x".to_owned(), tags: vec![], limit: None },
    );
    check(
        r#"{"limit": 3, "id": "", "tags": ["t"]}"#,
        Plain { id: String::new(), tags: vec!["t".to_owned()], limit: Some(3) },
    );
    check(
        r#"{"b": 1, "a": 2, "b": 3}"#,
        Pairs(vec![("b".to_owned(), 1), ("a".to_owned(), 2), ("b".to_owned(), 3)]),
    );
    check(r#"{"b": 1, "b": 3}"#, BTreeMap::from([("b".to_owned(), 3)]));
    check(
        r#"{"a": 1, "b": [2.5], "c": "x"}"#,
        Flat {
            a: 1,
            rest: BTreeMap::from([
                ("b".to_owned(), serde_json::json!([2.5])),
                ("c".to_owned(), serde_json::json!("x")),
            ]),
        },
    );
    check(
        r#"[1, {"a": 12345678901234567890}]"#,
        serde_json::json!([1, {"a": 12_345_678_901_234_567_890_u64}]),
    );
}

#[test]
fn enums() {
    check(r#""Unit""#, Choice::Unit);
    check(r#"{"Unit": null}"#, Choice::Unit);
    check(r#"{"New": 7}"#, Choice::New(7));
    check(r#"{"Tuple": [7, "x"]}"#, Choice::Tuple(7, "x".to_owned()));
    check(r#"{"Struct": {"x": true}}"#, Choice::Struct { x: true });
    check(
        r#"[1, "a", [2]]"#,
        vec![
            Untagged::Number(1),
            Untagged::Text("a".to_owned()),
            Untagged::Many(vec![Untagged::Number(2)]),
        ],
    );
    check(r#"{"type": "Point", "x": 3}"#, Tagged::Point { x: 3 });
}

#[test]
fn keys_of_other_types() {
    check(
        r#"{"1": "a", "-2": "b"}"#,
        BTreeMap::from([(1_i32, "a".to_owned()), (-2, "b".to_owned())]),
    );
    check(r#"{"true": 1}"#, HashMap::from([(true, 1)]));
    check(r#"{"Red": 1, "Blue": 2}"#, BTreeMap::from([(Color::Red, 1), (Color::Blue, 2)]));
    check(r#"{"x": 1}"#, BTreeMap::from([('x', 1)]));
    check(r#"{"x": 1}"#, BTreeMap::from([(Some("x".to_owned()), 1)]));
}

#[test]
fn texts_are_borrowed() {
    let parsed = crate::parse(r#"{"name": "Oslo", "note": "a\tb"}"#).expect("valid");
    let map: BTreeMap<&str, &str> = parsed.value.deserialize().expect("two texts");
    assert_eq!(map, BTreeMap::from([("name", "Oslo"), ("note", "a\tb")]));
    let bytes: BTreeMap<&str, &[u8]> = parsed.value.deserialize().expect("two texts");
    assert_eq!(bytes["name"], b"Oslo");
    let note: &str =
        parsed.value.root().get("note").expect("it is there").deserialize().expect("a text");
    assert_eq!(note, "a\tb");
}

/// What the message says after the kind's own sentence, and the text at its place.
fn refuse<T: DeserializeOwned + fmt::Debug>(text: &str, message: &str, place: &str) {
    let parsed = crate::parse(text).expect(text);
    let error = parsed.value.deserialize::<T>().expect_err(text);
    assert_eq!(error.kind(), ErrorKind::Shape, "{text}");
    assert_eq!(error.message().split_once(": ").map(|(_, rest)| rest), Some(message), "{text}");
    assert_eq!(error.span().map(|span| span.of(text)), Some(place), "{text}");
    assert!(error.line_column().is_some(), "{text}");
}

#[test]
fn what_does_not_fit_is_named_with_path_and_place() {
    refuse::<u8>("256", "number 256 is out of range, expected u8", "256");
    refuse::<i64>(
        "9223372036854775808",
        "number 9223372036854775808 is out of range, expected i64",
        "9223372036854775808",
    );
    refuse::<u64>("-1", "number -1 is out of range, expected u64", "-1");
    refuse::<u32>("5.0", "expected u32, found floating point `5.0`", "5.0");
    refuse::<u32>("1e2", "expected u32, found floating point `100.0`", "1e2");
    refuse::<f64>("1e400", "number 1e400 is out of range, expected f64", "1e400");
    refuse::<f32>("1e300", "number 1e300 is out of range, expected f32", "1e300");
    refuse::<String>("12", "expected a string, found 12", "12");
    refuse::<u8>(r#""12""#, r#"expected u8, found string "12""#, r#""12""#);
    refuse::<bool>("null", "expected a boolean, found null", "null");
    refuse::<(u8, u8)>("[1, 2, 3]", "array has 3 items, 1 more than expected", "[1, 2, 3]");
    refuse::<(u8, u8)>("[1]", "invalid length 1, expected a tuple of size 2", "[1]");
    refuse::<Vec<u8>>("[1, {}]", "expected u8, found object at `/1`", "{}");
    refuse::<Plain>(r#"{"tags": []}"#, "missing field `id`", r#"{"tags": []}"#);
    refuse::<Plain>(r#"["x", [], 1]"#, "expected struct Plain, found array", r#"["x", [], 1]"#);
    refuse::<Vec<Plain>>(
        r#"[{"id": "a", "tags": ["b", 1]}]"#,
        "expected a string, found 1 at `/0/tags/1`",
        "1",
    );
    refuse::<Plain>(
        r#"{"id": "a", "id": "b"}"#,
        "duplicate field `id`",
        r#"{"id": "a", "id": "b"}"#,
    );
    refuse::<Vec<Strict>>(
        r#"[{"a": 1}, {"b/": 1}]"#,
        "unknown field `b/`, expected one of `a` at `/1/b~1`",
        r#""b/""#,
    );
    refuse::<BTreeMap<u8, u8>>(
        r#"{"x": [[1]]}"#,
        r#"expected u8, found string "x" at `/x`"#,
        r#""x""#,
    );
    refuse::<BTreeMap<u8, u8>>(
        r#"{"+1": 1}"#,
        r#"expected u8, found string "+1" at `/+1`"#,
        r#""+1""#,
    );
    refuse::<Choice>(
        r#""Other""#,
        "unknown variant `Other`, expected one of `Unit`, `New`, `Tuple`, `Struct`",
        r#""Other""#,
    );
    refuse::<Choice>(r#"{"Unit": [1]}"#, "expected unit, found array at `/Unit`", "[1]");
    refuse::<Choice>(r#"{"New": -1}"#, "number -1 is out of range, expected u8 at `/New`", "-1");
    refuse::<Choice>(
        r#"{"Struct": [true]}"#,
        "expected struct variant Choice::Struct, found array at `/Struct`",
        "[true]",
    );
    refuse::<Choice>("3", "expected enum Choice, found 3", "3");
    refuse::<Choice>(
        r#"{"New": 1, "Unit": 2}"#,
        "expected a variant name or an object with a single variant, found object",
        r#"{"New": 1, "Unit": 2}"#,
    );
}

#[test]
fn a_message_does_not_repeat_a_long_text() {
    let text = format!("\"{}\"", "x".repeat(1 << 20));
    let error =
        crate::parse(&text).expect("valid").value.deserialize::<u8>().expect_err("it is a text");
    assert!(error.message().len() < 300, "{}", error.message().len());
}

/// A type that recurses, as those do that could overflow the stack.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Tree {
    Leaf(IgnoredAny),
}

#[derive(Debug, Deserialize)]
struct Nested(Vec<Nested>);

#[derive(Debug, Deserialize)]
struct Linked {
    next: Option<Box<Linked>>,
}

impl Nested {
    fn levels(&self) -> usize {
        std::iter::successors(Some(self), |outer| outer.0.first()).count()
    }
}

impl Linked {
    fn levels(&self) -> usize {
        std::iter::successors(Some(self), |outer| outer.next.as_deref()).count()
    }
}

/// Runs `test` where the stack is as small as that of a spawned thread.
fn on_a_small_stack(test: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(test).expect("a thread");
    thread.join().expect("no panic and no overflow");
}

#[test]
fn depth_is_an_error_and_not_an_overflow() {
    on_a_small_stack(|| {
        let options = crate::Options { max_depth: 200_000, ..crate::Options::default() };
        for (levels, fits) in [(MAX_LEVELS, true), (MAX_LEVELS + 1, false), (200_000, false)] {
            let text = "[".repeat(levels) + &"]".repeat(levels);
            let parsed = crate::parse_with(&text, &options).expect("within the limit");
            let nested = parsed.value.deserialize::<Nested>();
            assert_eq!(nested.ok().map(|nested| nested.levels()), fits.then_some(levels));
            assert_eq!(parsed.value.deserialize::<serde_json::Value>().is_ok(), fits, "{levels}");
            assert_eq!(parsed.value.deserialize::<Tree>().is_ok(), fits, "{levels}");
            assert!(parsed.value.deserialize::<IgnoredAny>().is_ok(), "{levels}");

            let text = "{\"next\":".repeat(levels) + "null" + &"}".repeat(levels);
            let parsed = crate::parse_with(&text, &options).expect("within the limit");
            let linked = parsed.value.deserialize::<Linked>();
            assert_eq!(linked.ok().map(|linked| linked.levels()), fits.then_some(levels));
            let error = parsed.value.deserialize::<BTreeMap<u8, u8>>().expect_err("no number");
            assert_eq!(error.message().matches("next").count(), 2);
        }
    });
}

#[test]
fn what_is_ignored_may_be_of_any_depth() {
    on_a_small_stack(|| {
        let options = crate::Options { max_depth: 200_000, ..crate::Options::default() };
        let text = format!(
            "{{\"skipped\": {}1{}, \"id\": \"x\"}}",
            "[".repeat(100_000),
            "]".repeat(100_000)
        );
        let parsed = crate::parse_with(&text, &options).expect("within the limit");
        assert_eq!(parsed.value.deserialize::<Plain>().map(|plain| plain.id), Ok("x".to_owned()));
    });
}
