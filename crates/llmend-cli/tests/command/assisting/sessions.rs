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
