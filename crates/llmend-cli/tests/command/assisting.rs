//! `llmend assist`: what is said, what is taken over, and what is not.

use llmend_model_server::{Answer, ModelServer};

use crate::{
    asking::{run_at, texts},
    process::{Run, Scratch, command, finish},
};

mod commands;
mod sessions;

pub(crate) const FLOW: &str = r#"{"nodes": [{"id": "a", "type": "tool", "tool": "t"}, {"id": "b", "type": "tool", "tool": "t"}], "edges": [{"from": "a", "to": "b"}]}"#;

/// What removes a node that there is.
const REMOVE: &str = r#"{"remove_nodes": ["b"]}"#;

fn assist(server: &ModelServer, arguments: &str, stdin: &[u8]) -> Run {
    let scratch = Scratch::new();
    let flow = scratch.file("flow.json", FLOW);
    let flags = "--provider openai --model m";
    let flow = flow.display();
    let url = server.url();
    let mut command =
        command(&format!("assist --workflow {flow} {flags} --base-url {url}/v1 {arguments}"));
    command.stdin(std::process::Stdio::piped());
    finish(command.spawn().expect("it starts"), stdin)
}

#[test]
fn a_line_of_invalid_utf8_is_reported_and_the_others_go_on() {
    let server = texts(&["One.", REMOVE]);
    let run = assist(&server, "", b"first\nsec\xffond\ndrop b\n").expect(1);
    assert_eq!(server.requests().len(), 2);
    assert!(run.stderr.contains("input/utf8") && run.stderr.contains("line 2"), "{}", run.stderr);
    assert_eq!(run.json()["nodes"].as_array().map(Vec::len), Some(1));
    let server = texts(&["Yes."]);
    let run = assist(&server, "--max-bytes 1000", &[&[b'x'; 1001][..], b"\nshort\n"].concat());
    assert_eq!(server.requests().len(), 1);
    assert!(run.expect(1).stderr.contains("longer than the limit of 1000 bytes"));
}

#[test]
fn words_of_a_model_do_nothing_to_a_terminal() {
    let server = texts(&["\u{1b}[2J\u{1b}]0;pwn\u{7}Hi\r\u{1b}[1A\n\u{202e}there"]);
    let run = assist(&server, "Hello", b"").expect(0);
    assert!(run.stderr.contains("Hi") && run.stderr.contains("\n there"), "{:?}", run.stderr);
    let obeyed = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
    assert!(!run.stderr.contains(obeyed), "{:?}", run.stderr);
}

#[test]
fn what_is_taken_over_is_warned_of() {
    // S3-44, S3-51: warnings reach the person, labels that were guessed by order among them.
    let branches = r#"{"add_nodes": [{"id": "c", "type": "if", "condition": {"left": {"type": "variable", "name": "a.rows"}, "operator": "is_empty"}}, {"id": "d", "type": "tool", "tool": "t"}, {"id": "e", "type": "tool", "tool": "t"}], "add_edges": [{"from": "b", "to": "c"}, {"from": "c", "to": "d"}, {"from": "c", "to": "e"}]}"#;
    let run = assist(&texts(&[branches]), "Branch.", b"").expect(0);
    assert!(run.stderr.contains("infer/if-label"), "{}", run.stderr);
    assert!(run.stderr.contains("patch applied"), "{}", run.stderr);
    let run = assist(&texts(&[branches]), "--quiet Branch.", b"").expect(0);
    assert_eq!(run.stderr, "");
    let run = assist(&texts(&[r#"{"remove_nodes": []}"#]), "Nothing.", b"").expect(0);
    assert!(run.stderr.contains("no changes"), "{}", run.stderr);
    assert!(!run.stderr.contains("applied"), "{}", run.stderr);
}

#[test]
fn the_nearer_of_two_settings_of_one_thing_counts() {
    // S3-18…S3-22, S3-23: the number is the assistant's own setting.
    /// Flags, variables, and how often is asked.
    type Row = (&'static str, &'static [(&'static str, &'static str)], usize);

    let rows: [Row; 6] = [
        ("", &[], 3),
        ("--max-repair-attempts 1", &[("GOMIND_PLAN_RETRY_MAX", "4")], 1),
        ("--max-repair-attempts 3", &[("LLMEND_RETRY_MAX", "0")], 3),
        ("", &[("LLMEND_RETRY_MAX", "1")], 2),
        ("", &[("LLMEND_RETRY_MAX", "1"), ("LLMEND_MAX_REPAIR_ATTEMPTS", "4")], 4),
        ("--max-json-retries 1", &[("LLMEND_MAX_REPAIR_ATTEMPTS", "4")], 2),
    ];
    for (arguments, variables, calls) in rows {
        let server = ModelServer::answering(|_| Answer::text(r#"{"remove_nodes": ["z"]}"#).into());
        let url = server.url();
        let mut command = command(&format!(
            "assist Drop. --provider openai --model m --base-url {url}/v1 {arguments}"
        ));
        let scratch = Scratch::new();
        command.arg("--workflow").arg(scratch.file("flow.json", FLOW));
        command.envs(variables.iter().copied());
        finish(command.spawn().expect("it starts"), b"").expect(1);
        assert_eq!(server.requests().len(), calls, "{arguments} {variables:?}");
    }
    let both = "--max-json-retries 1 --max-repair-attempts 1 Drop.";
    let run = assist(&texts(&[]), both, b"").expect(2);
    assert!(run.stderr.contains("cannot be used together"), "{}", run.stderr);
    // The preset of that name has the setting too, and a number of its own counts more.
    let calls = [("clickweave-assistant", 4), ("clickweave-assistant:2", 2)];
    for (preset, expected) in calls {
        let server = ModelServer::answering(|_| Answer::text("not json").into());
        let url = server.url();
        let flags = format!(
            "plan --ask go --provider openai --model m --base-url {url}/v1 --preset {preset}"
        );
        let mut command = command(&flags);
        command.env("LLMEND_MAX_REPAIR_ATTEMPTS", "4");
        finish(command.spawn().expect("it starts"), b"").expect(1);
        assert_eq!(server.requests().len(), expected, "{preset}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_person_is_asked_before_something_is_taken_away() {
    // S2-30: with `--autonomous` nobody is.
    use crate::terminal::on_terminal_saying;

    let scratch = Scratch::new();
    let flow = scratch.file("flow.json", FLOW);
    let rows =
        [("", "y\n", 0, 1), ("", "n\n", 1, 2), ("", "\n", 1, 2), ("--autonomous", "n\n", 0, 1)];
    for (flag, answer, code, nodes) in rows {
        let server = texts(&[REMOVE]);
        let out = scratch.path().join("out.json");
        let line = format!(
            "$LLMEND assist 'Drop b.' {flag} --workflow {} --provider openai --model m --base-url {}/v1 > {}",
            flow.display(),
            server.url(),
            out.display()
        );
        let run = on_terminal_saying(&line, &[], answer).expect(code);
        let reason = run.stdout.contains("removes or changes 2 parts");
        let asked = reason && run.stdout.contains("Apply this change? [y/N]");
        // What changes is shown, part by part, and the workflow that it makes, before the question.
        if let Some(question) = run.stdout.find("[y/N]") {
            for part in ["- node b", "- edge a → b", "└─ a"] {
                let at = run.stdout.find(part).unwrap_or_else(|| panic!("{part}: {}", run.stdout));
                assert!(at < question, "{part}: {}", run.stdout);
            }
        }
        assert_eq!(asked, flag.is_empty(), "{}", run.stdout);
        let written = std::fs::read_to_string(&out).expect("a workflow");
        let written: serde_json::Value = serde_json::from_str(&written).expect("JSON");
        assert_eq!(written["nodes"].as_array().map(Vec::len), Some(nodes), "{flag} {answer:?}");
    }
    // What only adds is asked about too, without reasons; the question is answered once for each message.
    for (flag, typed, applied) in
        [("", "y\n", true), ("", "n\n", false), ("--autonomous", "", true)]
    {
        let server = texts(&[
            r#"{"add_nodes": [{"id": "c", "type": "tool", "tool": "t"}], "add_edges": [{"from": "b", "to": "c"}]}"#,
        ]);
        let line = format!(
            "$LLMEND assist 'Add c.' {flag} --workflow {} --provider openai --model m --base-url {}/v1 > /dev/null",
            flow.display(),
            server.url()
        );
        let run = on_terminal_saying(&line, &[("NO_COLOR", "1")], typed);
        let shown = run.expect(i32::from(!applied)).stdout.replace('\r', "");
        assert_eq!(shown.contains("patch applied"), applied, "{shown}");
        let asked = "└─ c · t\nApply this change? [y/N]";
        assert_eq!(shown.contains(asked), flag.is_empty(), "{shown}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn guesses_in_a_patch_are_shown_before_it_is_applied() {
    use crate::terminal::on_terminal_saying;

    let scratch = Scratch::new();
    let flow = scratch.file("flow.json", FLOW);
    // The text ends within its last string.
    let server = texts(&[r#"{"update_nodes": [{"id": "b", "description": "Send "all" of it"}]}"#]);
    let line = format!(
        "$LLMEND assist 'Say what b does.' --workflow {} --provider openai --model m --base-url {}/v1 > /dev/null",
        flow.display(),
        server.url()
    );
    let shown = on_terminal_saying(&line, &[("NO_COLOR", "1")], "n\n").expect(1).stdout;
    let places = ["← guess: ", "~ node b", "guessed", "Apply this change? [y/N]"]
        .map(|part| shown.find(part).unwrap_or_else(|| panic!("{part}: {shown}")));
    assert!(places.is_sorted(), "{shown}");
}

#[test]
fn a_change_is_shown_part_by_part() {
    let patch = r#"{"remove_nodes": ["b"], "add_nodes": [{"id": "c", "type": "tool", "tool": "u"}], "add_edges": [{"from": "a", "to": "c"}]}"#;
    let run = assist(&texts(&[patch]), "Replace.", b"").expect(0);
    for expected in ["- node b\n", "+ node c: ", "- edge a → b\n", "+ edge a → c\n"] {
        assert!(run.stderr.contains(expected), "{expected}: {}", run.stderr);
    }
    assert!(!run.stderr.contains("remove_nodes"), "{}", run.stderr);
    assert!(run.stderr.contains("llmend: 1 call; 11 tokens in, 7 out"), "{}", run.stderr);
}

/// Runs the command until the model is asked for the second time, and ends it with a signal.
#[cfg(target_os = "linux")]
fn interrupted(signal: &str, code: i32) {
    use llmend_model_server::Reply;

    let scratch = Scratch::new();
    scratch.file("flow.json", FLOW);
    let server = ModelServer::scripted([Answer::text(REMOVE).into(), Reply::hang().into()]);
    let mut command = command(&format!(
        "assist --workflow flow.json --provider openai --model m --base-url {}/v1",
        server.url()
    ));
    command.current_dir(scratch.path()).env("XDG_STATE_HOME", scratch.path().join("state"));
    let mut child = command.stdin(std::process::Stdio::piped()).spawn().expect("it starts");
    let mut pipe = child.stdin.take().expect("a pipe");
    std::io::Write::write_all(&mut pipe, b"Drop b.\nGo on.\n").expect("it reads");
    while server.requests().len() < 2 {
        std::thread::yield_now();
    }
    let process = child.id().to_string();
    let sent = std::process::Command::new("kill").args(["-s", signal, &process]).status();
    assert!(sent.expect("the program `kill`").success());
    let run = finish(child, b"").expect(code);
    assert_eq!(run.json()["nodes"].as_array().map(Vec::len), Some(1), "{signal}");
    // Without `--session` it is saved all the same, and where is said.
    let saved = run.stderr.lines().find_map(|line| line.strip_prefix("llmend: saved in "));
    let (path, _) = saved.and_then(|said| said.split_once("; ")).expect("where it is saved");
    assert!(std::path::Path::new(path).starts_with(scratch.path().join("state/llmend/sessions")));
    let mode = std::fs::metadata(path).expect("the session").permissions();
    assert_eq!(std::os::unix::fs::PermissionsExt::mode(&mode) & 0o777, 0o600);
    let go_on = run_at(&texts(&[]), &format!("assist --session {path}"), &[], "/undo\n").expect(0);
    assert_eq!(go_on.json()["nodes"].as_array().map(Vec::len), Some(2), "{signal}");
}

#[test]
#[cfg(target_os = "linux")]
fn an_interruption_loses_nothing_that_was_accepted() {
    for (signal, code) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        interrupted(signal, code);
    }
}

#[test]
fn the_workflow_is_saved_where_it_came_from_or_elsewhere() {
    let scratch = Scratch::new();
    let flow = scratch.file("flow.json", FLOW);
    let arguments = format!("assist --workflow {}", flow.display());
    let run = run_at(&texts(&[REMOVE]), &arguments, &[], "Drop b.\n/save\n").expect(0);
    assert!(run.stderr.contains(&format!("saved in {}\n", flow.display())), "{}", run.stderr);
    assert_eq!(std::fs::read_to_string(&flow).expect("the workflow"), run.stdout);
    let run = run_at(&texts(&[]), "assist", &[], "/save\n").expect(2);
    assert!(run.stderr.contains("/save needs a file: /save FILE"), "{}", run.stderr);
}

#[test]
fn nothing_is_asked_without_a_terminal() {
    for flag in ["", "--autonomous"] {
        let run = assist(&texts(&[REMOVE]), &format!("{flag} Drop."), b"n\n").expect(0);
        assert_eq!(run.json()["nodes"].as_array().map(Vec::len), Some(1), "{flag}");
    }
    let run = run_at(&texts(&["Hello."]), "assist Hi", &[], "").expect(0);
    assert_eq!(run.stdout, "");
}

#[test]
fn nothing_accepted_is_lost_over_ten_turns_with_a_kill_in_the_middle() {
    const TURNS: usize = 10;
    // Each turn adds a node; the sixth answer hangs until the command is killed.
    let counted = std::sync::atomic::AtomicUsize::new(0);
    let server = ModelServer::answering(move |_| {
        let request = counted.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        if request == TURNS / 2 {
            return llmend_model_server::Reply::hang().into();
        }
        // The hanging answer is asked for again after the kill.
        let turn = if request < TURNS / 2 { request } else { request - 1 };
        let before = if turn == 0 { "b".to_owned() } else { format!("n{}", turn - 1) };
        let node = format!(r#"{{"id": "n{turn}", "type": "tool", "tool": "t"}}"#);
        let edge = format!(r#"{{"from": "{before}", "to": "n{turn}"}}"#);
        Answer::text(&format!(r#"{{"add_nodes": [{node}], "add_edges": [{edge}]}}"#)).into()
    });
    let scratch = Scratch::new();
    scratch.file("flow.json", FLOW);
    let start = |more: &str| {
        let line = format!(
            "assist --session s.json {more} --provider openai --model m --base-url {}/v1",
            server.url()
        );
        let mut command = command(&line);
        command.current_dir(scratch.path()).stdin(std::process::Stdio::piped());
        command.spawn().expect("it starts")
    };
    let turns: Vec<String> = (0..TURNS).map(|turn| format!("Add step {turn}.\n")).collect();
    let mut child = start("--workflow flow.json");
    let mut pipe = child.stdin.take().expect("a pipe");
    std::io::Write::write_all(&mut pipe, turns[..=TURNS / 2].concat().as_bytes()).expect("turns");
    while server.requests().len() <= TURNS / 2 {
        std::thread::yield_now();
    }
    child.kill().expect("it is killed");
    child.wait().expect("it ended");
    let nodes = |text: &str| {
        let value: serde_json::Value = serde_json::from_str(text).expect("JSON");
        let nodes = value.pointer("/workflow/nodes").or(value.get("nodes")).expect("nodes").clone();
        nodes.as_array().expect("a list").len()
    };
    let saved = std::fs::read_to_string(scratch.path().join("s.json")).expect("the session");
    assert_eq!(nodes(&saved), 2 + TURNS / 2, "every accepted patch is saved");
    // The turn that was cut off, and the others.
    let run = finish(start(""), turns[TURNS / 2..].concat().as_bytes()).expect(0);
    assert_eq!(nodes(&run.stdout), 2 + TURNS);
    println!(
        "| turns | accepted before the kill | after | nodes at the end |\n|---|---|---|---|\n| {TURNS} | {} | {} | {} |",
        TURNS / 2,
        TURNS - TURNS / 2,
        nodes(&run.stdout)
    );
}
