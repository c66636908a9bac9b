//! Answers that are only the arguments of the tool that has to be called.

use llmend::calls::{Call, CallToWrite, Notation, read};
use llmend::json::{Kind, Relocate, Span, parse_with};
use llmend::{Class, Diagnostic, Severity};

use crate::calls::CallReading;
use crate::config::PLAIN;

/// Returns the call that a text means which is an object of the arguments of the demanded tool: all of
/// its members are declared, and it fits.
pub(super) fn arguments_alone(text: &str, reading: &CallReading) -> Option<Box<Call>> {
    let name = reading.demanded.as_ref()?;
    let tool = reading.tools.iter().find(|tool| tool.name == *name)?;
    let parsed = parse_with(text, &reading.options.json).ok()?;
    let root = parsed.value.root();
    let is_declared = |key: &str| tool.parameters.iter().any(|one| one.name == key);
    let mut keys = root.members().map(|(key, _)| key.str().unwrap_or_default());
    let is_it = root.kind() == Kind::Object && !root.is_empty() && keys.all(is_declared);
    if !is_it || parsed.report.truncated() || parsed.report.class >= Some(Class::Loss) {
        return None;
    }
    let mut call = written_anew(name, root, reading)?;
    if !call.violations.is_empty() {
        return None;
    }
    let span = Span::new(0, text.len());
    call.relocate(&mut |at| at.min(text.len()));
    (call.span, call.notation, call.id) = (span, PLAIN, None);
    let message = "the answer is only the arguments of the tool that has to be called";
    let row = Diagnostic::new("calls/arguments-alone", Severity::Warning, message);
    call.diagnostics.push(row.at(span).class(Class::Guess));
    call.class = call.class.max(Some(Class::Guess));
    Some(call)
}

/// Returns the call that a marked object means which names a tool and nothing else. It lacks what the
/// tool requires, which says more than that it is no call.
pub(super) fn name_alone(source: &str, reading: &CallReading) -> Option<Box<Call>> {
    let json = source.get(source.find('{')?..=source.rfind('}')?)?;
    let parsed = parse_with(json, &reading.options.json).ok()?;
    let mut members = parsed.value.root().members();
    let (Some((key, name)), None) = (members.next(), members.next()) else { return None };
    let name = name.str().filter(|_| key.str() == Some("name"))?;
    reading.tools.iter().find(|tool| tool.name == name)?;
    let none = llmend::json::parse("{}").ok()?.value;
    let call = written_anew(name, none.root(), reading)?;
    (!call.violations.is_empty()).then_some(call)
}

/// Returns a call as it is read where a model writes it in a usual notation.
pub(super) fn written_anew(
    name: &str,
    arguments: llmend::json::Node<'_>,
    reading: &CallReading,
) -> Option<Box<Call>> {
    let whole = Notation::named("hermes")?.write(&[CallToWrite { name, arguments }])?;
    read(&whole, &reading.tools, &reading.options).calls.into_iter().next().map(Box::new)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use llmend::calls::{Options, Tools};

    use super::arguments_alone;
    use crate::calls::{CallReading, Pace, Parallel};

    #[test]
    fn a_name_alone_is_a_call_that_lacks_its_arguments() {
        let tools = Tools::from_text(
            r#"[{"name": "run", "parameters": {"properties": {"path": {"type": "string"}},
                "required": ["path"]}}]"#,
        );
        let reading = CallReading {
            tools: Arc::new(tools.unwrap()),
            text_tools: Vec::new(),
            options: Options::default(),
            parallel: Parallel::Many,
            pace: Pace::AtTheEnd,
            demanded: None,
            withheld: Vec::new(),
            closes: false,
        };
        for (text, expected) in [
            (
                "<tool_call>{\"name\": \"run\"}</tool_call>",
                Some("missing required property `path`"),
            ),
            ("<tool_call>{\"name\": \"erase\"}</tool_call>", None),
            ("<tool_call>{\"city\": \"run\"}</tool_call>", None),
            ("<tool_call>run the file</tool_call>", None),
        ] {
            let call = super::name_alone(text, &reading);
            let found = call.map(|call| call.violations[0].message.clone());
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn arguments_alone_are_a_call_of_the_demanded_tool() {
        let tools = Tools::from_text(
            r#"[{"name": "run", "parameters": {"properties": {"path": {"type": "string"},
                "times": {"type": "integer"}}, "required": ["path"]}}]"#,
        );
        let reading = CallReading {
            tools: Arc::new(tools.unwrap()),
            text_tools: Vec::new(),
            options: Options::default(),
            parallel: Parallel::Many,
            pace: Pace::AtTheEnd,
            demanded: Some("run".to_owned()),
            withheld: Vec::new(),
            closes: false,
        };
        for (text, expected) in [
            (r#"{"path": "a"}"#, Some(r#"{"path":"a"}"#)),
            ("```json\n{'path': 'a', 'times': '2'}\n```", Some(r#"{"path":"a","times":2}"#)),
            (r#"{"times": 2}"#, None),
            (r#"{"path": "a", "city": "Oslo"}"#, None),
            (r#"{"path": "a"#, None),
            ("{}", None),
            ("[1]", None),
            ("No.", None),
        ] {
            let call = arguments_alone(text, &reading);
            let found = call.map(|call| call.arguments.to_string());
            assert_eq!(found.as_deref(), expected, "{text}");
        }
        let reading = CallReading { demanded: None, ..reading };
        assert!(arguments_alone(r#"{"path": "a"}"#, &reading).is_none());
    }
}
