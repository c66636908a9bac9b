//! Conversations that go on from a file.

use std::fs;

use super::{FLOW, REMOVE};
use crate::{
    asking::{run_at, texts},
    process::{Run, Scratch},
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
