//! What differs on a terminal: colors, the progress, the note that it waits.

use crate::process::{Run, Scratch, command, run, run_with};

const RED: &str = "\u{1b}[";

#[test]
fn colors_are_a_matter_of_the_flag_where_there_is_no_terminal() {
    let text = "{'a': 1,}";
    assert!(!run("repair --explain", text).expect(0).stderr.contains(RED));
    assert!(!run("repair --explain --color auto", text).expect(0).stderr.contains(RED));
    assert!(!run("repair --explain --color never", text).expect(0).stderr.contains(RED));
    assert!(run("repair --explain --color always", text).expect(0).stderr.contains(RED));
    assert!(run("repair --color always", "no").expect(1).stderr.contains(RED));
    // Who asks for colors on the command line gets them.
    assert!(
        run_with("repair --explain --color always", &[("NO_COLOR", "1")], text)
            .expect(0)
            .stderr
            .contains(RED)
    );
    assert!(!run("repair --color always", "[1]").expect(0).stdout.contains(RED));
}

/// Runs a line of shell, in which `$LLMEND` is the command, on a terminal. All that it shows
/// comes back as standard output.
#[cfg(target_os = "linux")]
fn on_terminal(line: &str, variables: &[(&str, &str)]) -> Run {
    on_terminal_saying(line, variables, "")
}

/// The same, and this is typed.
#[cfg(target_os = "linux")]
pub(crate) fn on_terminal_saying(line: &str, variables: &[(&str, &str)], typed: &str) -> Run {
    use std::process::{Command, Stdio};

    let mut script = Command::new("script");
    script.args(["--quiet", "--return", "--command", line, "/dev/null"]);
    script.env("LLMEND", env!("CARGO_BIN_EXE_llmend"));
    for (name, value) in command("").get_envs() {
        match value {
            Some(value) => script.env(name, value),
            None => script.env_remove(name),
        };
    }
    script.env("TERM", "xterm").envs(variables.iter().copied());
    let child = script
        .stdin(if typed.is_empty() { Stdio::null() } else { Stdio::piped() })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program `script` of util-linux is there");
    crate::process::finish(child, typed.as_bytes())
}

#[test]
#[cfg(target_os = "linux")]
fn a_terminal_gets_colors_unless_it_objects() {
    let scratch = Scratch::new();
    let path = scratch.file("answer.txt", "{'a': 1,}");
    let line = format!("$LLMEND repair --explain {}", path.display());
    assert!(on_terminal(&line, &[]).expect(0).stdout.contains(RED));
    assert!(on_terminal(&line, &[("NO_COLOR", "")]).expect(0).stdout.contains(RED));
    assert!(!on_terminal(&line, &[("NO_COLOR", "1")]).expect(0).stdout.contains(RED));
    assert!(!on_terminal(&line, &[("TERM", "dumb")]).expect(0).stdout.contains(RED));
    assert!(!on_terminal(&format!("{line} --color never"), &[]).expect(0).stdout.contains(RED));
}

#[test]
#[cfg(target_os = "linux")]
fn a_long_run_shows_its_progress_on_a_terminal() {
    let scratch = Scratch::new();
    let log = scratch.file("log.jsonl", "\"[1,]\"\n".repeat(500));
    let out = scratch.path().join("out.jsonl");
    let line = |arguments: &str| {
        format!("$LLMEND batch {arguments} {} > {}", log.display(), out.display())
    };
    let shown = on_terminal(&line(""), &[]).expect(0).stdout;
    assert!(shown.contains("\r[#") || shown.contains("\r[-"), "{shown:?}");
    assert!(shown.contains("\r\u{1b}[K"), "the bar goes at the end: {shown:?}");
    assert!(
        shown.trim_end().ends_with("500 lines: 500 repaired; by class: 500 notation"),
        "{shown:?}"
    );
    assert_eq!(on_terminal(&line("--quiet"), &[]).expect(0).stdout, "");
    let both = on_terminal(&format!("$LLMEND batch {}", log.display()), &[]).expect(0).stdout;
    assert!(!both.contains("\u{1b}[K"), "no bar among the objects");
}

#[test]
#[cfg(target_os = "linux")]
fn waiting_for_the_keyboard_is_announced() {
    let shown = on_terminal("$LLMEND repair", &[]).expect(1).stdout;
    assert!(shown.contains("reading from the terminal"), "{shown:?}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_value_grows_on_a_terminal_and_nothing_is_drawn_twice() {
    let scratch = Scratch::new();
    let path =
        scratch.file("answer.txt", "Sure: {'steps': ['copy it', 'che\u{202e}ck it',], n: 1}");
    for flags in ["", "--chunk 1", "--chunk 7", "--choice best"] {
        let line = format!("$LLMEND stream --quiet {flags} {}", path.display());
        let shown = on_terminal(&line, &[]).expect(0).stdout.replace('\r', "");
        assert_eq!(
            shown,
            "{\n  \"steps\": [\n    \"copy it\",\n    \"che\\u202eck it\"\n  ],\n  \"n\": 1\n}\n",
            "{flags}"
        );
    }
    let lines = on_terminal(&format!("$LLMEND stream --views {}", path.display()), &[]).expect(0);
    assert!(lines.stdout.contains("{\"final\":{"), "{}", lines.stdout);
}

#[test]
#[cfg(target_os = "linux")]
fn a_refusal_begins_a_line_of_its_own_behind_what_was_shown() {
    let scratch = Scratch::new();
    let path = scratch.file("answer.txt", "{\"total\": [1, 100 * 1.25], \"b\": 2}");
    let line = format!("$LLMEND stream --chunk 1 {}", path.display());
    let shown = on_terminal(&line, &[("NO_COLOR", "1")]).expect(1).stdout.replace('\r', "");
    assert!(shown.starts_with("{\n  \"total\": [\n    1\nerror[syntax/expression]"), "{shown}");
}

#[test]
#[cfg(target_os = "linux")]
fn the_steps_of_a_plan_are_shown_as_they_come() {
    use llmend_model_server::{Answer, ModelServer};

    let bad = r#"{"steps": [{"id": "copy", "tool": "x", "depends_on": ["b"]}]}"#;
    let good = r#"{"steps": [{"id": "check", "title": "Look at it", "tool": "x"}]}"#;
    let server = ModelServer::scripted([bad, good].map(|text| Answer::text(text).into()));
    let line = format!(
        "$LLMEND plan --ask go --preset clickweave-planner --provider openai --model m --base-url {}/v1 > /dev/null",
        server.url()
    );
    let shown = on_terminal(&line, &[("NO_COLOR", "1")]).expect(0).stdout;
    let places =
        ["attempt 1", "  copy  x", "plan/unknown-dependency", "attempt 2", "  check  Look at it"]
            .map(|part| shown.find(part).unwrap_or_else(|| panic!("{part}: {shown}")));
    assert!(places.is_sorted(), "{shown}");
    assert_eq!(shown.matches("  copy  x").count(), 1, "{shown}");
}
