//! Contestants and their outputs.

use serde_json::Value;

/// Output type of a contestant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// A value of the contestant's own type.
    Own,
    /// A `serde_json::Value`.
    Serde,
    /// JSON text.
    Text,
}

impl Output {
    /// Returns the output's name in a table.
    pub fn name(self) -> &'static str {
        match self {
            Output::Own => "own value",
            Output::Serde => "serde value",
            Output::Text => "text",
        }
    }
}

/// A parser or repair library in one of its modes.
pub trait Contestant {
    /// Returns the name of the crate, with the mode if it has several for one output.
    fn name(&self) -> &'static str;

    /// Returns the output type.
    fn output(&self) -> Output;

    /// Returns whether it accepts text that is not JSON. Others are timed on valid text only.
    fn repairs(&self) -> bool;

    /// Parses the text and drops the result; this is timed.
    fn run(&self, text: &str);

    /// Does the same and converts the result to a `serde_json::Value`, which is checked.
    fn answer(&self, text: &str) -> Result<Value, String>;
}

/// Assessment of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The expected value, so it may be timed.
    Right,
    /// Another value, with the first difference.
    Wrong(String),
    /// An error or invalid JSON, with the reason.
    Refused(String),
}

/// Runs a contestant and compares its answer.
pub fn check(contestant: &dyn Contestant, text: &str, wanted: &Value) -> Verdict {
    match contestant.answer(text) {
        Ok(value) if value == *wanted => Verdict::Right,
        Ok(value) => Verdict::Wrong(difference(wanted, &value)),
        Err(reason) => Verdict::Refused(reason),
    }
}

/// Describes the first difference between two values.
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

/// Implements [`Contestant`] by a parsing function, which is both timed and checked, and a
/// conversion.
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

/// Parses text output strictly.
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
