//! A call that is cut off, closed where it ends.

use llmend::calls::{Call, CallEvent, CallStream, CallToWrite, NOTATIONS, Notation, read};
use llmend::json::{Relocate, Span};

use crate::calls::CallReading;

/// Returns the call in which a text is cut off, with the arguments that are certain, and what the
/// model wrote of it. `None` if no argument is.
pub(super) fn closed(text: &str, reading: &CallReading) -> Option<(Box<Call>, String)> {
    let (name, arguments) = begun(text, reading)?;
    let arguments = llmend::json::parse(&arguments).ok()?.value;
    let marked = |row: &Notation| row.openers.iter().filter_map(|opener| text.rfind(opener)).max();
    let (start, notation) =
        NOTATIONS.iter().filter_map(|row| Some((marked(row)?, row))).max_by_key(|(at, _)| *at)?;
    // Whatever its notation was, it is read as a whole call is.
    let begun = CallToWrite { name: &name, arguments: arguments.root() };
    let whole = Notation::named("hermes")?.write(&[begun])?;
    let mut call = read(&whole, &reading.tools, &reading.options).calls.into_iter().next()?;
    let source = text.get(start..)?.to_owned();
    call.relocate(&mut |at| at.min(source.len()));
    (call.span, call.notation, call.id) = (Span::new(0, source.len()), notation, None);
    Some((Box::new(call), source))
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
            options: Options::default(),
            parallel: Parallel::Many,
            pace: Pace::AtTheEnd,
            demanded: None,
            closes: true,
        };
        for (text, expected) in [
            (
                "<tool_call>\n{\"name\": \"run\", \"arguments\": {\"path\": \"a.",
                Some(r#"{"path":"a."}"#),
            ),
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
            let found = closed(text, &reading).map(|(call, source)| {
                assert!(text.ends_with(&source), "{source}");
                call.arguments.to_string()
            });
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }
}
