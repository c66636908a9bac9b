//! Conversations that go on from a file.

use std::fs;

use super::{FLOW, REMOVE};
use crate::{
    asking::{run_at, texts},
    process::{Run, Scratch, command},
};

/// Adds a node behind the only one that is left.
const ADD: &str = r#"{"add_nodes": [{"id": "c", "type": "tool", "tool": "t"}], "add_edges": [{"from": "a", "to": "c"}]}"#;

/// Talks in a session about a workflow.
fn talk(answers: &[&str], scratch: &Scratch, workflow: &str, stdin: &str) -> Run {
    let session = scratch.path().join("s.json");
    let workflow = match workflow {
        "" => String::new(),
        name => format!("--workflow {}", scratch.path().join(name).display()),
    };
    let line = format!("assist --session {} {workflow}", session.display());
    run_at(&texts(answers), &line, &[], stdin)
}

fn nodes(run: &Run) -> Option<usize> {
    run.json()["nodes"].as_array().map(Vec::len)
}

#[test]
fn a_session_goes_on_with_the_workflow_from_which_it_was_begun() {
    let scratch = Scratch::new();
    scratch.file("flow.json", FLOW);
    fs::create_dir(scratch.path().join("sub")).expect("a folder");
    talk(&[REMOVE], &scratch, "flow.json", "Drop b.\n").expect(0);
    // The file has both nodes; the session has what was accepted.
    for workflow in ["flow.json", "sub/../flow.json", ""] {
        assert_eq!(
            nodes(&talk(&[], &scratch, workflow, "/show\n").expect(0)),
            Some(1),
            "{workflow}"
        );
    }
    let run = talk(&[ADD], &scratch, "flow.json", "Add c.\n").expect(0);
    assert_eq!(nodes(&run), Some(2));
    // What is saved in the file is no change by somebody else, and the session knows where that is.
    let run = talk(&[], &scratch, "", "/undo\n/save\n").expect(0);
    assert_eq!(
        fs::read_to_string(scratch.path().join("flow.json")).expect("a workflow"),
        run.stdout
    );
    assert_eq!(nodes(&talk(&[], &scratch, "flow.json", "/undo\n").expect(0)), Some(2));
    assert_eq!(nodes(&talk(&[], &scratch, "flow.json", "/show\n").expect(0)), Some(2));
}

#[test]
fn a_session_does_not_go_on_with_another_workflow() {
    let scratch = Scratch::new();
    scratch.file("flow.json", FLOW);
    scratch.file("other.json", FLOW);
    talk(&[REMOVE], &scratch, "flow.json", "Drop b.\n").expect(0);
    let run = talk(&[], &scratch, "other.json", "/show\n").expect(2);
    for part in [
        "s.json: the session is about ",
        "/flow.json, not about ",
        "/other.json; leave out --workflow",
    ] {
        assert!(run.stderr.contains(part), "{part}: {}", run.stderr);
    }
    // Nor with the same file if somebody changed it in between.
    scratch.file("flow.json", FLOW.replace(r#""tool": "t""#, r#""tool": "u""#));
    let run = talk(&[], &scratch, "flow.json", "/show\n").expect(2);
    assert!(run.stderr.contains("flow.json was changed outside of the session"), "{}", run.stderr);
    assert_eq!(nodes(&talk(&[], &scratch, "", "/show\n").expect(0)), Some(1));
}

#[test]
fn a_session_without_a_file_takes_none_later() {
    let scratch = Scratch::new();
    scratch.file("flow.json", FLOW);
    talk(&[FLOW], &scratch, "", "Begin.\n").expect(0);
    let run = talk(&[], &scratch, "flow.json", "/show\n").expect(2);
    assert!(run.stderr.contains("a workflow that was not read from a file"), "{}", run.stderr);
    // Without a workflow of its own, it takes that of the file.
    talk(&[], &scratch, "", "/undo\n").expect(0);
    let run = talk(&[REMOVE], &scratch, "flow.json", "Drop b.\n").expect(0);
    assert_eq!(nodes(&run), Some(1));
    assert_eq!(nodes(&talk(&[], &scratch, "flow.json", "/undo\n").expect(0)), Some(2));
}

#[test]
fn a_file_is_not_replaced_by_less_than_it_holds() {
    let scratch = Scratch::new();
    let path = |name: &str| scratch.path().join(name);
    // What somebody wrote since is kept.
    scratch.file("flow.json", FLOW);
    talk(&[REMOVE], &scratch, "flow.json", "Drop b.\n").expect(0);
    let edited = FLOW.replace(r#""tool": "t""#, r#""tool": "u""#);
    scratch.file("flow.json", &edited);
    let run = talk(&[], &scratch, "", "/save\n").expect(2);
    assert!(run.stderr.contains("flow.json was changed outside of the session"), "{}", run.stderr);
    assert_eq!(fs::read_to_string(path("flow.json")).expect("a file"), edited);
    // A plan in Markdown is more than the workflow.
    fs::remove_file(path("s.json")).expect("a session");
    let list = "1. Boil water\n2. Pour tea\n";
    scratch.file("plan.md", list);
    let run = talk(&[], &scratch, "plan.md", "/save\n").expect(2);
    assert!(run.stderr.contains("plan.md is not JSON"), "{}", run.stderr);
    assert_eq!(fs::read_to_string(path("plan.md")).expect("a file"), list);
}

#[cfg(unix)]
#[test]
fn saving_keeps_links_and_permissions_and_follows_no_other_link() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let scratch = Scratch::new();
    let path = |name: &str| scratch.path().join(name);
    scratch.file("flow.json", FLOW);
    fs::set_permissions(path("flow.json"), fs::Permissions::from_mode(0o664)).expect("a mode");
    symlink(path("flow.json"), path("link.json")).expect("a link");
    talk(&[REMOVE], &scratch, "link.json", "Drop b.\n/save\n").expect(0);
    let saved = fs::read_to_string(path("flow.json")).expect("a file");
    assert!(!saved.contains(r#""b""#), "{saved}");
    assert!(path("link.json").is_symlink());
    let mode = fs::metadata(path("flow.json")).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o664);
    let names = fs::read_dir(scratch.path()).expect("a folder").count();
    assert_eq!(names, 3, "nothing else is left in the folder");
}

#[test]
fn a_workflow_on_standard_input_is_read() {
    let run = run_at(&texts(&[REMOVE]), "assist --workflow - Drop", &[], FLOW);
    assert_eq!(nodes(&run.expect(0)), Some(1));
}

#[test]
fn one_process_at_a_time_is_in_a_session() {
    use llmend_model_server::{ModelServer, Reply};

    let scratch = Scratch::new();
    let session = scratch.path().join("s.json");
    let server = ModelServer::scripted([Reply::hang().into()]);
    let line = format!(
        "assist --session {} --provider openai --model m --base-url {}/v1 Hello",
        session.display(),
        server.url()
    );
    let mut first = command(&line).spawn().expect("it starts");
    while server.requests().is_empty() {
        std::thread::yield_now();
    }
    let second = talk(&[], &scratch, "", "/show\n").expect(2);
    let expected =
        "s.json: another process is in this session; end it first, or use another session";
    assert!(second.stderr.contains(expected), "{}", second.stderr);
    first.kill().expect("it is killed");
    first.wait().expect("it ended");
    talk(&[FLOW], &scratch, "", "Begin.\n").expect(0);
    let names = fs::read_dir(scratch.path()).expect("a folder").count();
    assert_eq!(names, 1, "the session alone is left");
}

#[test]
fn what_was_accepted_stays_whatever_the_options_are() {
    let scratch = Scratch::new();
    scratch.file("flow.json", FLOW);
    scratch.file("tools.json", r#"{"tools": [{"name": "other"}]}"#);
    let add = ADD.replace(r#""from": "a""#, r#""from": "b""#);
    talk(&[&add], &scratch, "flow.json", "Add c.\n").expect(0);
    let session = scratch.path().join("s.json");
    let tools = scratch.path().join("tools.json");
    for policy in ["fail", "drop", "bridge"] {
        let line = format!(
            "assist --session {} --catalog {} --on-bad-step {policy}",
            session.display(),
            tools.display()
        );
        let run = run_at(&texts(&[]), &line, &["/show"], "").expect(0);
        assert_eq!(nodes(&run), Some(3), "{policy}");
    }
    // Nor does an undo lead to less.
    let line = format!(
        "assist --session {} --catalog {} --on-bad-step drop",
        session.display(),
        tools.display()
    );
    assert_eq!(nodes(&run_at(&texts(&[]), &line, &["/undo"], "").expect(0)), Some(2));
}

#[test]
fn a_session_that_cannot_be_saved_or_read_is_refused_before_anything_is_asked() {
    let scratch = Scratch::new();
    scratch.file("flow.json", FLOW);
    scratch.file("list.json", "[1, 2]");
    scratch.file("notes.txt", "Buy milk.");
    scratch.file("bytes.bin", b"\xff\xfe\0");
    scratch.file(
        "lossy.json",
        FLOW_IN_SESSION.replace(r#""tool": "t""#, r#""tool": "t", "extra": 1"#),
    );
    scratch.file("empty.json", "");
    fs::create_dir(scratch.path().join("folder")).expect("a folder");
    let foreign = "is not a session of `llmend assist`";
    for (name, expected) in [
        ("nodir/s.json", "there is no folder "),
        ("flow.json", foreign),
        ("list.json", foreign),
        ("notes.txt", foreign),
        ("bytes.bin", foreign),
        ("folder", "s a directory"),
        ("lossy.json", "cannot read the workflow of the session as it was saved"),
    ] {
        let server = texts(&["Hello."]);
        let line = format!("assist --session {}", scratch.path().join(name).display());
        let run = run_at(&server, &line, &["Hello"], "").expect(2);
        assert!(run.stderr.contains(expected), "{name}: {}", run.stderr);
        assert_eq!(server.requests().len(), 0, "{name}");
    }
    let empty = format!("assist --session {}", scratch.path().join("empty.json").display());
    run_at(&texts(&["Hello."]), &empty, &["Hello"], "").expect(0);
}

/// A session as llmend saves it.
const FLOW_IN_SESSION: &str = r#"{"workflow": {"nodes": [{"id": "a", "type": "tool", "tool": "t"}], "edges": []}, "earlier": [], "exchanges": []}"#;

#[test]
fn the_model_is_told_what_was_taken_back_also_after_a_pause() {
    let scratch = Scratch::new();
    scratch.file("flow.json", FLOW);
    talk(&[REMOVE], &scratch, "flow.json", "Drop b.\n/undo\n").expect(0);
    let server = texts(&["Fine.", "Fine."]);
    let line = format!("assist --session {}", scratch.path().join("s.json").display());
    run_at(&server, &line, &[], "What now?\nAnd now?\n").expect(0);
    let said: Vec<String> = server.requests().iter().map(|seen| seen.json().to_string()).collect();
    let told = "The person took back the last change.";
    // Once, where it happened.
    assert_eq!(said.iter().map(|said| said.matches(told).count()).collect::<Vec<_>>(), [1, 1]);
}
