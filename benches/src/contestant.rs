//! What is timed, and how is it asked for its answer?

use serde_json::Value;

use crate::{engine, peers};

/// What a contestant makes of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// A value of its own type.
    Own,
    /// A `serde_json::Value`.
    Serde,
    /// JSON text.
    Text,
}

impl Output {
    /// The output's name in a table.
    pub fn name(self) -> &'static str {
        match self {
            Output::Own => "own value",
            Output::Serde => "serde value",
            Output::Text => "text",
        }
    }
}

/// A parser or repairer in one of its modes.
pub trait Contestant {
    /// The crate's name, and its mode if it has several of one output.
    fn name(&self) -> &'static str;

    /// What it makes.
    fn output(&self) -> Output;

    /// Whether it claims to read text that is not JSON. Those that do not are
    /// timed on valid text only.
    fn repairs(&self) -> bool;

    /// Reads the text and drops what was made: this is what is timed.
    fn run(&self, text: &str);

    /// Does the same, and shows the outcome as a `serde_json::Value`: this is
    /// what is checked, with the same question for everyone.
    fn answer(&self, text: &str) -> Result<Value, String>;
}

/// Everyone, with `serde_json` itself first.
pub fn all() -> Vec<Box<dyn Contestant>> {
    let mut all = peers::all();
    all.extend(engine::all());
    all
}

/// What a contestant made of a text, compared with what was wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The wanted value: it may be timed.
    Right,
    /// Another value; says where the first difference is.
    Wrong(String),
    /// An error, or text that is not JSON; says which.
    Refused(String),
}

/// Asks a contestant for its answer and compares it.
pub fn check(contestant: &dyn Contestant, text: &str, wanted: &Value) -> Verdict {
    match contestant.answer(text) {
        Ok(value) if value == *wanted => Verdict::Right,
        Ok(value) => Verdict::Wrong(difference(wanted, &value)),
        Err(reason) => Verdict::Refused(reason),
    }
}

/// Where two different values first differ, and how.
fn difference(wanted: &Value, got: &Value) -> String {
    let mut path = String::from("$");
    let (mut wanted, mut got) = (wanted, got);
    loop {
        let (key, of_wanted, of_got) = match (wanted, got) {
            (Value::Object(left), Value::Object(right)) => {
                let keys = left.keys().chain(right.keys().filter(|key| !left.contains_key(*key)));
                let mut keys = keys.filter(|&key| left.get(key) != right.get(key));
                let Some(key) = keys.next() else { break };
                (format!(".{key}"), left.get(key), right.get(key))
            }
            (Value::Array(left), Value::Array(right)) => {
                let mut places = 0..left.len().max(right.len());
                let Some(at) = places.find(|&at| left.get(at) != right.get(at)) else { break };
                (format!("[{at}]"), left.get(at), right.get(at))
            }
            _ => break,
        };
        path.push_str(&key);
        match (of_wanted, of_got) {
            (Some(left), Some(right)) => (wanted, got) = (left, right),
            (Some(_), None) => return format!("{path} is missing"),
            _ => return format!("{path} is too much"),
        }
    }
    let short = |value: &Value| -> String { value.to_string().chars().take(160).collect() };
    format!("{path} is {} instead of {}", short(got), short(wanted))
}

/// Makes a [`Contestant`] of a function that reads and one that shows; the
/// same reading function is timed and checked.
macro_rules! contestant {
    ($type:ident, $name:literal, $output:expr, repairs: $repairs:literal, $read:expr, $show:expr) => {
        struct $type;

        impl $crate::contestant::Contestant for $type {
            fn name(&self) -> &'static str {
                $name
            }

            fn output(&self) -> $crate::contestant::Output {
                $output
            }

            fn repairs(&self) -> bool {
                $repairs
            }

            fn run(&self, text: &str) {
                drop(std::hint::black_box($read(std::hint::black_box(text))));
            }

            fn answer(&self, text: &str) -> Result<serde_json::Value, String> {
                let made = $read(text).map_err(|error| error.to_string())?;
                $show(made)
            }
        }
    };
}

pub(crate) use contestant;

/// How text output is shown: strictly, or not at all.
pub(crate) fn strict(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| format!("the output is not JSON: {error}"))
}

#[cfg(test)]
mod tests {
    use super::difference;
    use serde_json::json;

    #[test]
    fn the_first_difference_is_named() {
        let wanted = json!({"a": [1, {"b": "x"}], "c": null});
        for (got, told) in [
            (json!({"a": [1, {"b": "y"}], "c": null}), "$.a[1].b is \"y\" instead of \"x\""),
            (json!({"a": [1], "c": null}), "$.a[1] is missing"),
            (json!({"a": [1, {"b": "x"}], "c": null, "d": 1}), "$.d is too much"),
            (json!([]), "$ is [] instead of {\"a\":[1,{\"b\":\"x\"}],\"c\":null}"),
        ] {
            assert_eq!(difference(&wanted, &got), told);
        }
    }
}
