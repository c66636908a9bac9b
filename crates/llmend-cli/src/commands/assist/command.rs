//! Commands of the person, on lines that begin with `/`.

use std::fmt::Write as _;

use llmend::json::preview;

use super::workflow_file::Existing;

/// What a line that begins with `/` asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Command<'l> {
    /// Return to the workflow before the last change.
    Undo,
    /// Show the workflow.
    Show,
    /// Write the workflow to a file, by default the one that it was read from.
    Save(Option<&'l str>, Existing),
    /// List the commands.
    Help,
    /// End the conversation.
    Quit,
}

/// How each command is written, and what it does.
const COMMANDS: [(&str, &str); 6] = [
    ("/undo", "return to the workflow before the last change"),
    ("/show", "draw the workflow"),
    ("/save [FILE]", "write the workflow, by default to the file that it was read from"),
    ("/save! [FILE]", "the same, and replace a file with something else in it"),
    ("/help", "list these commands"),
    ("/quit, /exit", "end the conversation, as Ctrl-D does"),
];

/// Returns the command on a line, or what is wrong with it. `None` if it is a message.
pub(super) fn command(line: &str) -> Option<Result<Command<'_>, String>> {
    let line = line.trim().strip_prefix('/')?;
    let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    let file = (!rest.is_empty()).then_some(rest);
    let found = match name {
        "undo" => Command::Undo,
        "show" => Command::Show,
        "save" => return Some(Ok(Command::Save(file, Existing::Kept))),
        "save!" => return Some(Ok(Command::Save(file, Existing::Replaced))),
        "help" => Command::Help,
        "quit" | "exit" => Command::Quit,
        _ => return Some(Err(unknown(name))),
    };
    Some(if rest.is_empty() { Ok(found) } else { Err(format!("/{name} takes no argument")) })
}

fn unknown(name: &str) -> String {
    let known = COMMANDS.map(|(written, _)| written).join(", ");
    format!("unknown command /{}; the commands are {known}", preview(name, 40))
}

/// Returns what each command does, one a line.
pub(super) fn help() -> String {
    let mut text = String::new();
    for (written, about) in COMMANDS {
        let _ = writeln!(text, "  {written:<13}  {about}");
    }
    text + "Any other line is a message to the model."
}

#[cfg(test)]
mod tests {
    use super::{COMMANDS, Command, Existing, command, help};

    #[test]
    fn commands_begin_with_a_slash() {
        for (line, expected) in [
            ("Add a step", None),
            ("/undo", Some(Ok(Command::Undo))),
            (" /show ", Some(Ok(Command::Show))),
            ("/save", Some(Ok(Command::Save(None, Existing::Kept)))),
            ("/save my flow.json", Some(Ok(Command::Save(Some("my flow.json"), Existing::Kept)))),
            ("/save! flow.json", Some(Ok(Command::Save(Some("flow.json"), Existing::Replaced)))),
            ("/help", Some(Ok(Command::Help))),
            ("/quit", Some(Ok(Command::Quit))),
            ("/exit", Some(Ok(Command::Quit))),
            ("/undo it", Some(Err("/undo takes no argument".to_owned()))),
        ] {
            assert_eq!(command(line), expected, "{line}");
        }
    }

    #[test]
    fn what_is_no_command_lists_those_that_are() {
        let expected =
            "the commands are /undo, /show, /save [FILE], /save! [FILE], /help, /quit, /exit";
        for line in ["/", "/undoo", "/tmp/flow.json"] {
            let Some(Err(message)) = command(line) else { panic!("{line}") };
            assert!(message.ends_with(expected), "{message}");
        }
        for (written, about) in COMMANDS {
            let line =
                help().lines().find(|line| line.trim().starts_with(written)).map(str::to_owned);
            assert!(line.is_some_and(|line| line.ends_with(about)), "{written}");
            let name = written.split([' ', ',']).next().unwrap_or_default();
            assert!(matches!(command(name), Some(Ok(_))), "{name}");
        }
    }
}
