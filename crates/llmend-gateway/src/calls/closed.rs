//! A call that is cut off, closed where it ends.

use llmend::calls::{Call, CallEvent, CallStream, NOTATIONS, Notation};
use llmend::json::{Relocate, Span};

use crate::calls::CallReading;
use crate::calls::arguments_alone::written_anew;

/// Returns the call in which a text is cut off, with the arguments that are certain, and what the
/// model wrote of it. `None` if no argument is. `start` is where the call begins.
pub(super) fn closed(
    text: &str,
    start: usize,
    reading: &CallReading,
) -> Option<(Box<Call>, String)> {
    // What stands before the call on its line keeps a stream from beginning it.
    let own = text.get(start..).unwrap_or_default();
    let (name, arguments) = begun(own, reading).or_else(|| begun(text, reading))?;
    let arguments = llmend::json::parse(&arguments).ok()?.value;
    let (start, notation) = marked(text)?;
    // Whatever its notation was, it is read as a whole call is.
    let mut call = written_anew(&name, arguments.root(), reading)?;
    let source = text.get(start..)?.to_owned();
    call.relocate(&mut |at| at.min(source.len()));
    (call.span, call.notation, call.id) = (Span::new(0, source.len()), notation, None);
    Some((call, source))
}

/// Returns where the last mark of a text is, and its notation: of those with this mark the first whose
/// calls go on as the text does.
fn marked(text: &str) -> Option<(usize, &'static Notation)> {
    let marks = NOTATIONS.iter().rev().flat_map(|row| {
        row.openers.iter().filter_map(move |opener| {
            let at = text.rfind(opener)?;
            let kind = |text: &str| {
                let first = text.trim_start().chars().next();
                first.map(|c| if c.is_alphanumeric() { 'a' } else { c })
            };
            let written = row.example.split_once(opener.trim_end()).map(|(_, rest)| kind(rest));
            let is_like = written == Some(kind(text.get(at + opener.trim_end().len()..)?));
            Some((at, is_like, row))
        })
    });
    let (at, _, row) = marks.max_by_key(|(at, is_like, _)| (*at, *is_like))?;
    Some((at, row))
}

/// Returns the name and the certain arguments of the call in which a text ends.
fn begun(text: &str, reading: &CallReading) -> Option<(String, String)> {
    let mut stream =
        CallStream::new(std::sync::Arc::clone(&reading.tools), reading.options.clone());
    let mut open = None;
    for event in stream.push(text) {
        match event {
            CallEvent::Started { name, .. } => open = Some((name, String::new())),
            CallEvent::Arguments { delta, .. } => {
                if let Some((_, arguments)) = &mut open {
                    arguments.push_str(&delta);
                }
            }
            CallEvent::Done { .. } | CallEvent::Abandoned { .. } | CallEvent::Refused(_) => {
                open = None;
            }
            _ => {}
        }
    }
    open.filter(|(_, arguments)| !arguments.is_empty())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use llmend::calls::{Options, Tools};

    use super::closed;
    use crate::calls::{CallReading, Pace, Parallel};

    #[test]
    fn what_is_certain_of_a_call_that_is_cut_off_is_a_call() {
        let tools = Tools::from_text(
            r#"[{"name": "run", "parameters": {"properties": {"path": {"type": "string"},
                "times": {"type": "integer"}}}}]"#,
        );
        let reading = CallReading {
            tools: Arc::new(tools.unwrap()),
            text_tools: Vec::new(),
            options: Options::default(),
            parallel: Parallel::Many,
            pace: Pace::AtTheEnd,
            demanded: None,
            withheld: Vec::new(),
            closes: true,
        };
        for (text, expected) in [
            (
                "<tool_call>\n{\"name\": \"run\", \"arguments\": {\"path\": \"a.",
                Some(r#"hermes {"path":"a."}"#),
            ),
            (
                "Hm <tool_call>{\"name\": \"run\", \"arguments\": {\"path\": \"a\", \"times\": 1",
                Some(r#"hermes {"path":"a"}"#),
            ),
            ("<function=run>{\"path\": \"a", Some(r#"{"path":"a"}"#)),
            (
                "So:\n<tool_call>\n<function=run>\n<parameter=path>\na.py\n</parameter>\n<parameter=ti",
                Some(r#"{"path":"a.py"}"#),
            ),
            (
                "[TOOL_CALLS]run[ARGS]{\"path\": \"a\", \"times\": 2, \"x",
                Some(r#"{"path":"a","times":2}"#),
            ),
            ("<tool_call>\n{\"name\": \"run\", \"argu", None),
            ("<tool_call>\n{\"name\": \"erase\", \"arguments\": {\"path\": \"a.", None),
            ("No call.", None),
        ] {
            let start = text.find(['<', '[']).unwrap_or(0);
            let found = closed(text, start, &reading).map(|(call, source)| {
                assert!(text.ends_with(&source), "{source}");
                format!("{} {}", call.notation.name, call.arguments)
            });
            let ends = |expected: &str| found.as_ref().is_some_and(|it| it.ends_with(expected));
            assert_eq!(found.is_some(), expected.is_some(), "{text}");
            assert!(expected.is_none_or(ends), "{text}: {found:?}");
        }
    }
}
