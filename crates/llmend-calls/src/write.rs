//! Writing of calls and results in a notation, for models that are told to write it.

mod arguments;
mod forms;

use std::borrow::Cow;

use llmend_json::Node;

use self::forms::{FORMS, Form};
use crate::Notation;

/// A call to be written.
#[derive(Clone, Copy, Debug)]
pub struct CallToWrite<'c> {
    /// The name of the tool.
    pub name: &'c str,
    /// The arguments, an object.
    pub arguments: Node<'c>,
}

/// How results of calls are written, where the models of a notation know a form.
const RESULTS: &[(&str, &str)] = &[
    ("hermes", "<tool_response>\n{result}\n</tool_response>"),
    ("qwen-coder", "<tool_response>\n{result}\n</tool_response>"),
    ("glm", "<tool_response>\n{result}\n</tool_response>"),
    ("react", "Observation: {result}"),
    ("tool-code", "```tool_output\n{result}\n```"),
    ("qwen-agent", "✿RESULT✿: {result}"),
];

/// How they are written otherwise.
const RESULT: &str = "Result of {name}:\n{result}";

impl Notation {
    /// Returns whether [`write`](Self::write) can write this notation.
    #[must_use]
    pub fn is_writable(&self) -> bool {
        self.form().is_some()
    }

    /// Writes calls as the models of this notation do. `None` if the notation cannot be written, or
    /// has no way to write one of the names or values.
    ///
    /// ```
    /// use llmend_calls::{CallToWrite, Notation};
    ///
    /// let value = llmend_json::parse(r#"{"zone": "UTC"}"#)?.value;
    /// let call = CallToWrite { name: "get_time", arguments: value.root() };
    /// let text = Notation::named("pythonic").unwrap().write(&[call]).unwrap();
    /// assert_eq!(text, r#"[get_time(zone="UTC")]"#);
    /// # Ok::<(), llmend_json::Error>(())
    /// ```
    #[must_use]
    pub fn write(&self, calls: &[CallToWrite<'_>]) -> Option<String> {
        let Form { around: [before, between, after], call, arguments, .. } = self.form()?;
        let one = |(number, one): (usize, &CallToWrite<'_>)| {
            let name = name_in(call, one.name)?;
            let values = [
                ("name", name.as_ref()),
                ("number", &number.to_string()),
                ("arguments", &arguments.write(one.arguments)?),
            ];
            Some(fill(call, &values))
        };
        let calls: Vec<String> = calls.iter().enumerate().map(one).collect::<Option<_>>()?;
        Some(format!("{before}{}{after}", calls.join(between)))
    }

    /// Writes the result of a call of `name` as the models of this notation know it.
    #[must_use]
    pub fn write_result(&self, name: &str, result: &str) -> String {
        let form = RESULTS.iter().find(|(notation, _)| *notation == self.name);
        fill(form.map_or(RESULT, |(_, form)| form), &[("name", name), ("result", result)])
    }

    fn form(&self) -> Option<&'static Form> {
        FORMS.iter().find(|form| form.notation == self.name)
    }
}

/// Fills the slots of a form. What fills one is not searched for slots.
fn fill(form: &str, values: &[(&str, &str)]) -> String {
    let mut out = String::with_capacity(form.len());
    let mut rest = form;
    while let Some((before, behind)) = rest.split_once('{') {
        out.push_str(before);
        let slot = behind.split_once('}').and_then(|(name, behind)| {
            let (_, value) = values.iter().find(|(known, _)| *known == name)?;
            Some((*value, behind))
        });
        let (value, behind) = slot.unwrap_or(("{", behind));
        out.push_str(value);
        rest = behind;
    }
    out + rest
}

/// Returns a name as it stands in a form: any name in a JSON string, elsewhere a plain one.
fn name_in<'n>(form: &str, name: &'n str) -> Option<Cow<'n, str>> {
    if is_plain(name) {
        return Some(Cow::Borrowed(name));
    }
    let count = |slot: &str| form.matches(slot).count();
    let is_string = count("{name}") == count("\"{name}\"") && form.contains("\": {arguments}");
    let mut escaped = String::new();
    llmend_json::push_escaped(&mut escaped, name);
    (is_string && !name.trim().is_empty()).then_some(Cow::Owned(escaped))
}

/// Whether a name can stand anywhere: in a tag, a string, a line.
fn is_plain(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && name.bytes().all(is_plain)
}

#[cfg(test)]
mod tests {
    use llmend_json::{Options as JsonOptions, Value, parse_with};

    use super::{CallToWrite, FORMS, RESULTS};
    use crate::{NOTATIONS, Notation, Options, Tools, read};

    const TOOLS: &str = r#"[
        {"name": "get_time", "parameters": {"type": "object", "properties": {
            "zone": {"type": "string"}}, "required": ["zone"]}},
        {"name": "now", "parameters": {"type": "object", "properties": {}}},
        {"name": "write_file", "parameters": {"type": "object", "properties": {
            "path": {"type": "string"}, "text": {"type": "string"}, "code": {"type": "string"},
            "mode": {"type": "integer"}, "share": {"type": "number"}, "force": {"type": "boolean"},
            "owner": {"type": ["string", "null"]}, "tags": {"type": "array", "items": {"type": "string"}},
            "more": {"type": "object", "properties": {"depth": {"type": "integer"}, "on": {"type": "boolean"}}}},
            "required": ["path", "text"]}}]"#;

    /// Calls that are written together: name and arguments.
    const CALLS: &[&[(&str, &str)]] = &[
        &[("get_time", r#"{"zone":"UTC"}"#)],
        &[("get_time", r#"{"zone":"UTC"}"#), ("get_time", r#"{"zone":"Europe/Oslo"}"#)],
        &[("now", "{}"), ("get_time", r#"{"zone":"UTC"}"#)],
        &[(
            "write_file",
            r#"{"path":"a b.py","text":"if a < b and \"c\":\n    print('x', {1: [2]})\n","mode":420}"#,
        )],
        &[(
            "write_file",
            r#"{"path":"C:\\tmp\\é.txt","text":"","code":"00417","share":1.50,"force":true}"#,
        )],
        &[(
            "write_file",
            r#"{"path":"a","text":"true","owner":null,"tags":["x","y \"z\""],"more":{"depth":2,"on":false}}"#,
        )],
    ];

    fn value(text: &str) -> Value<'_> {
        parse_with(text, &JsonOptions::default()).unwrap().value
    }

    fn written(notation: &Notation, calls: &[(&str, &str)]) -> String {
        let values: Vec<_> = calls.iter().map(|(_, arguments)| value(arguments)).collect();
        let both = calls.iter().zip(&values);
        let calls: Vec<_> =
            both.map(|((name, _), value)| CallToWrite { name, arguments: value.root() }).collect();
        notation.write(&calls).unwrap()
    }

    #[test]
    fn what_is_written_is_read_as_the_same_calls() {
        let tools = Tools::from_text(TOOLS).unwrap();
        let mut wrong = Vec::new();
        for row in NOTATIONS.iter().filter(|row| row.is_writable()) {
            for calls in CALLS {
                let text = written(row, calls);
                let options = Options { notation: Some(row), ..Options::default() };
                let reading = read(&text, &tools, &options);
                let found: Vec<_> = reading
                    .calls
                    .iter()
                    .map(|call| (call.name.as_str(), call.arguments.to_string()))
                    .collect();
                let expected: Vec<_> = calls
                    .iter()
                    .map(|(name, arguments)| (*name, (*arguments).to_owned()))
                    .collect();
                if found != expected || !reading.text.is_empty() || !reading.is_usable() {
                    wrong.push(format!("{}: {text}\n{reading:?}\n", row.name));
                }
            }
        }
        assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
    }

    #[test]
    fn the_examples_of_the_table_are_what_is_written() {
        for row in NOTATIONS.iter().filter(|row| row.is_writable()) {
            let text = written(row, &[("get_time", r#"{"zone":"UTC"}"#)]);
            // What ends a turn is not written, and neither are ids that a server gives.
            let expected =
                ["<|eom_id|>", "</s>", " <bot_end>", "\n✿RESULT✿", ", \"id\": \"a1B2c3D4e\""]
                    .into_iter()
                    .fold(row.example.to_owned(), |text, end| text.replace(end, ""));
            let numbered = |text: &str| text.replace(['0', '1'], "#");
            assert_eq!(numbered(&text), numbered(&expected), "{}", row.name);
        }
    }

    #[test]
    fn the_tables_name_notations() {
        let names = FORMS.iter().map(|form| form.notation).chain(RESULTS.iter().map(|row| row.0));
        for name in names {
            assert!(Notation::named(name).is_some(), "{name}");
        }
        let unwritable: Vec<_> =
            NOTATIONS.iter().filter(|row| !row.is_writable()).map(|row| row.name).collect();
        assert_eq!(unwritable, ["sarashina", "compiler", "javascript", "minimax-m3"]);
    }

    #[test]
    fn what_a_notation_cannot_say_is_not_written() {
        for (notation, name, arguments, expected) in [
            ("pythonic", "f", r#"{"a-b": 1}"#, None),
            ("pythonic", "f", r#"{"a": {"b-c": null}}"#, Some(r#"[f(a={"b-c": None})]"#)),
            ("qwen-coder", "f", r#"{"a>b": 1}"#, None),
            ("gemma", "f", "{\"a\": \"<|\\\"|>\"}", None),
            // In a JSON string, a name may be any.
            (
                "hermes",
                "f\"",
                "{}",
                Some("<tool_call>\n{\"name\": \"f\\\"\", \"arguments\": {}}\n</tool_call>"),
            ),
            ("json", "a b", "{}", Some(r#"{"name": "a b", "arguments": {}}"#)),
            ("hermes", " ", "{}", None),
            ("qwen-coder", "a b", "{}", None),
            ("inkling", "a b", "{}", None),
            ("pythonic", "1st", "{}", None),
            (
                "json",
                "f",
                r#"{"a>b": 12345678901234567890.50}"#,
                Some(r#"{"name": "f", "arguments": {"a>b": 12345678901234567890.50}}"#),
            ),
            ("minimax-m3", "f", "{}", None),
            // A value is not searched for slots.
            (
                "glm",
                "f",
                r#"{"a": "{key}{value}"}"#,
                Some(
                    "<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>{key}{value}</arg_value>\n</tool_call>",
                ),
            ),
        ] {
            let value = value(arguments);
            let call = CallToWrite { name, arguments: value.root() };
            let text = Notation::named(notation).unwrap().write(&[call]);
            assert_eq!(text.as_deref(), expected, "{notation} {arguments}");
        }
    }

    #[test]
    fn results_are_written_as_the_models_know_them() {
        for (notation, expected) in [
            ("hermes", "<tool_response>\n12:00\n</tool_response>"),
            ("react", "Observation: 12:00"),
            ("json", "Result of get_time:\n12:00"),
        ] {
            let notation = Notation::named(notation).unwrap();
            assert_eq!(notation.write_result("get_time", "12:00"), expected);
        }
    }
}
