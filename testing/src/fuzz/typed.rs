//! Agreement of types, values and spans with `serde_json` on the repaired text.

use std::collections::BTreeMap;
use std::fmt::Debug;

use llmend_json::{Kind, Node, Options, Value, parse_to_serde_with, parse_with, repair_with};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::promises::{Broken, depth_of};

/// A record as programs have it: optional, nested, renamed and borrowed-or-owned fields.
#[derive(Debug, PartialEq, Deserialize)]
struct Record {
    #[serde(alias = "a", default)]
    name: Option<String>,
    #[serde(alias = "b", default)]
    count: Option<i32>,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    inner: Option<Box<Self>>,
    #[serde(flatten)]
    rest: BTreeMap<String, serde_json::Value>,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Closed {
    a: u8,
    #[serde(default)]
    b: bool,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Choice {
    A,
    B(f64),
    C { a: String },
    D(u8, char),
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(tag = "type")]
enum Tagged {
    A { a: i64 },
    B { b: Option<String> },
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(untagged)]
enum Untagged {
    Flag(bool),
    Whole(i64),
    Broken(f64),
    Text(String),
    List(Vec<Self>),
    Map(BTreeMap<String, Self>),
    Nothing(()),
}

pub(super) fn check(text: &str, options: &Options) -> Result<(), Broken> {
    let Ok(parsed) = parse_with(text, options) else { return Ok(()) };
    let value = &parsed.value;
    places(value, text)?;
    let twin = value.clone();
    holds(twin == *value, || "a clone differs".to_owned())?;
    let shown = value.to_string();
    holds(twin.into_owned().to_string() == shown, || format!("an owned copy of {shown} differs"))?;
    let refused = |error| broken(format!("parse_with gives a value, and another refuses: {error}"));
    let out = repair_with(text, options).map_err(refused)?.text;
    if depth_of(&out) > 100 {
        // Beyond what `serde_json` reads, it is enough that nothing panics.
        drop(value.to_serde());
        drop(value.deserialize::<Untagged>());
        return Ok(());
    }
    let (direct, _) = parse_to_serde_with(text, options).map_err(refused)?;
    let converted = value.to_serde().value;
    holds(direct == converted, || format!("direct {direct}, converted {converted}"))?;
    let out = Comparison { value, out: &out };
    out.compare::<bool>()?;
    out.compare::<u8>()?;
    out.compare::<i64>()?;
    out.compare::<u128>()?;
    out.compare::<String>()?;
    out.compare::<char>()?;
    out.compare::<Option<Vec<i32>>>()?;
    out.compare::<(u8, String)>()?;
    out.compare::<Vec<String>>()?;
    out.compare::<BTreeMap<String, Vec<String>>>()?;
    out.compare::<BTreeMap<i16, Option<bool>>>()?;
    out.compare::<Record>()?;
    out.compare::<Vec<Record>>()?;
    out.compare::<Closed>()?;
    out.compare::<Choice>()?;
    out.compare::<Vec<Choice>>()?;
    out.compare::<Tagged>()?;
    out.compare::<Untagged>()?;
    out.compare::<serde::de::IgnoredAny>()?;
    out.compare::<serde_json::Value>()
}

struct Comparison<'v> {
    value: &'v Value<'v>,
    out: &'v str,
}

impl Comparison<'_> {
    /// What both can read is the same. Either may refuse more than the other: llmend takes `-0` for an
    /// integer and no array for a struct.
    fn compare<T: DeserializeOwned + Shown>(&self) -> Result<(), Broken> {
        let ours = self.value.deserialize::<T>();
        let theirs = serde_json::from_str::<T>(self.out);
        if let (Ok(ours), Ok(theirs)) = (&ours, &theirs) {
            let (ours, theirs) = (ours.shown(), theirs.shown());
            return holds(ours == theirs, || {
                format!("from {}: {ours}, by serde_json {theirs}", self.out)
            });
        }
        if let Err(error) = &ours {
            // An error names a place, and can be shown.
            drop(error.to_string());
        }
        let odd = self.out.contains("-0") || self.out.contains('[');
        holds(ours.is_ok() == theirs.is_ok() || odd, || {
            let (ours, theirs) =
                (ours.err().map(|e| e.to_string()), theirs.err().map(|e| e.to_string()));
            let name = std::any::type_name::<T>();
            format!("{name} from {}: error {ours:?}, by serde_json {theirs:?}", self.out)
        })
    }
}

/// A text that is the same for two values that are, up to the last digits of fractions, which
/// `serde_json` does not always round to the nearest number.
trait Shown {
    fn shown(&self) -> String;
}

impl<T: Debug> Shown for T {
    fn shown(&self) -> String {
        let shown = format!("{self:?}");
        shown.split_inclusive([' ', ',', '(', ')', ']', '}']).map(rounded).collect()
    }
}

/// A number with twelve digits and what follows it; any other piece as it is.
fn rounded(piece: &str) -> String {
    let (number, end) = match piece.char_indices().last() {
        Some((at, c)) if !c.is_ascii_digit() => piece.split_at(at),
        _ => (piece, ""),
    };
    match number.parse::<f64>() {
        Ok(float) if number.contains(['.', 'e', 'E']) && float.is_finite() => {
            format!("{float:.11e}{end}")
        }
        _ => piece.to_owned(),
    }
}

/// Every part has a place in the text, inside of the place of what holds it.
fn places(value: &Value<'_>, text: &str) -> Result<(), Broken> {
    let mut open: Vec<Node<'_>> = vec![value.root()];
    while let Some(node) = open.pop() {
        let span = node.span();
        holds(text.get(span.start..span.end).is_some(), || {
            format!("{node} stands at {span:?}, which is no part of the text")
        })?;
        let inside = |part: Node<'_>| {
            holds(span.contains(part.span()), || {
                format!("{part} at {:?} is outside of {span:?}", part.span())
            })
        };
        match node.kind() {
            Kind::Array => {
                for item in node.items() {
                    inside(item)?;
                    open.push(item);
                }
            }
            Kind::Object => {
                for (key, item) in node.members() {
                    inside(key)?;
                    inside(item)?;
                    holds(key.kind() == Kind::String, || format!("the key {key} is no string"))?;
                    open.push(item);
                }
            }
            _ => {}
        }
    }
    Ok(())
}

fn broken(why: String) -> Broken {
    Broken { promise: "G6", why }
}

fn holds(kept: bool, why: impl FnOnce() -> String) -> Result<(), Broken> {
    if kept { Ok(()) } else { Err(broken(why())) }
}
