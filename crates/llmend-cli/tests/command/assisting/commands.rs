//! Commands of the person in a conversation.

use std::fs;

use super::{FLOW, REMOVE};
use crate::{
    asking::{run_at, texts},
    process::{Scratch, run},
};

#[test]
fn the_commands_are_listed_and_one_ends_the_conversation() {
    let run = run_at(&texts(&[]), "assist", &[], "/help\n").expect(0);
    for command in ["/undo", "/show", "/save [FILE]", "/save! [FILE]", "/help", "/quit, /exit"] {
        assert!(run.stderr.contains(&format!("  {command}")), "{command}: {}", run.stderr);
    }
    let run = run_at(&texts(&[]), "assist", &[], "/help me\n/undoo\n").expect(2);
    assert!(run.stderr.contains("llmend: /help takes no argument\n"), "{}", run.stderr);
    let expected = "llmend: unknown command /undoo; the commands are /undo, /show, /save [FILE], /save! [FILE], /help, /quit, /exit\n";
    assert!(run.stderr.contains(expected), "{}", run.stderr);
    let scratch = Scratch::new();
    let flow = scratch.file("flow.json", FLOW);
    for end in ["/quit", "/exit"] {
        let server = texts(&[REMOVE]);
        let arguments = format!("assist --workflow {}", flow.display());
        let stdin = format!("Drop b.\n{end}\nGo on.\n");
        let run = run_at(&server, &arguments, &[], &stdin).expect(0);
        assert_eq!(server.requests().len(), 1, "{end}");
        assert_eq!(run.json()["nodes"].as_array().map(Vec::len), Some(1), "{end}");
    }
}

#[test]
fn a_command_may_be_the_message_and_goes_to_no_model() {
    let scratch = Scratch::new();
    let flow = scratch.file("flow.json", FLOW);
    for (message, code, expected) in [
        ("/show", 0, "a · t"),
        ("/help", 0, "  /undo"),
        ("/quit", 0, ""),
        ("/undo", 2, "there is no change to undo"),
        ("/shwo", 2, "unknown command /shwo; the commands are "),
        ("/tmp/flow.json is broken", 2, "unknown command /tmp/flow.json"),
        ("/help me", 2, "/help takes no argument"),
        (" ", 2, "the message is empty"),
    ] {
        let server = texts(&["Hello."]);
        let line = format!("assist --workflow {}", flow.display());
        let run = run_at(&server, &line, &[message], "").expect(code);
        assert!(run.stderr.contains(expected), "{message}: {}", run.stderr);
        assert_eq!(server.requests().len(), 0, "{message}");
    }
    let dry = run("assist --model ollama:m --dry-run /show", "").expect(2);
    assert!(dry.stderr.contains("/show is a command, for which no request is sent"), "{dry:?}");
}

#[test]
fn no_file_is_replaced_that_the_session_did_not_write() {
    let scratch = Scratch::new();
    let path = |name: &str| scratch.path().join(name).display().to_string();
    let read = |name: &str| fs::read_to_string(scratch.path().join(name)).expect("a file");
    scratch.file("flow.json", FLOW);
    scratch.file("other.json", "precious");
    let talk = |answers: &[&str], stdin: &str, code: i32| {
        let line = format!("assist --workflow {} --session {}", path("flow.json"), path("s.json"));
        run_at(&texts(answers), &line, &[], stdin).expect(code).stderr
    };
    let said = talk(&[REMOVE], &format!("Drop b.\n/save {}\n", path("other.json")), 2);
    let expected = format!(
        "exists; name another file: /save FILE, or replace it: /save! {}\n",
        path("other.json")
    );
    assert!(said.contains(&expected), "{said}");
    assert_eq!(read("other.json"), "precious");
    talk(&[], &format!("/save! {}\n", path("other.json")), 0);
    assert!(read("other.json").contains(r#""id":"a""#));
    // The session knows its own copy, also in a later run, unless somebody else changed it.
    talk(&[], &format!("/save {0}\n/undo\n/save {0}\n", path("other.json")), 0);
    assert!(read("other.json").contains(r#""id":"b""#));
    scratch.file("other.json", "{}");
    let said = talk(&[], &format!("/save {}\n", path("other.json")), 2);
    assert!(said.contains("other.json was changed outside of the session; "), "{said}");
    // The session itself is no place for the workflow.
    let said = talk(&[], &format!("/save! {}\n", path("s.json")), 2);
    assert!(said.contains("s.json is the file of the session"), "{said}");
    let said = talk(&[], &format!("/save! {}\n", scratch.path().display()), 2);
    assert!(said.contains("is not a regular file"), "{said}");
    assert!(talk(&[], "/save /no/such/folder/f.json\n", 3).contains("/no/such/folder/f.json: "));
}

#[test]
fn what_was_saved_once_is_saved_there_again() {
    let scratch = Scratch::new();
    let file = scratch.path().join("new.json");
    let add = r#"{"add_nodes": [{"id": "c", "type": "tool", "tool": "t"}], "add_edges": [{"from": "b", "to": "c"}]}"#;
    let stdin = format!("Begin.\n/save {}\nAdd c.\n/save\n", file.display());
    let run = run_at(&texts(&[FLOW, add]), "assist", &[], &stdin).expect(0);
    assert_eq!(fs::read_to_string(&file).expect("a workflow"), run.stdout);
    // A workflow from standard input has no file.
    let line = "assist --workflow - /save";
    let run = run_at(&texts(&[]), line, &[], FLOW).expect(2);
    assert!(run.stderr.contains("/save needs a file"), "{}", run.stderr);
}

#[test]
#[cfg(target_os = "linux")]
fn a_person_may_mistype_a_command_and_end_at_a_question() {
    use crate::terminal::on_terminal_saying;

    let scratch = Scratch::new();
    let flow = scratch.file("flow.json", FLOW);
    for (typed, code, requests, told) in [
        ("/shwo\n/show\n/quit\n", 0, 0, false),
        ("Drop b.\n/quit\nGo on.\n", 1, 1, false),
        ("Drop b.\nn\nGo on.\n/quit\n", 1, 2, true),
    ] {
        let server = texts(&[REMOVE, "Fine."]);
        let line = format!(
            "$LLMEND assist --workflow {} --provider openai --model m --base-url {}/v1 > /dev/null",
            flow.display(),
            server.url()
        );
        on_terminal_saying(&line, &[("NO_COLOR", "1")], typed).expect(code);
        let seen = server.requests();
        assert_eq!(seen.len(), requests, "{typed}");
        let last = seen.last().map(|seen| seen.json().to_string()).unwrap_or_default();
        assert_eq!(last.contains("The person declined your last answer"), told, "{typed}: {last}");
    }
}
