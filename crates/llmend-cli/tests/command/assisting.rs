//! `llmend assist`: what is said, what is taken over, and what is not.

use llmend_model_server::{Answer, ModelServer};

use crate::{
    asking::{run_at, texts},
    process::{Run, Scratch, command, finish},
};

const FLOW: &str = r#"{"nodes": [{"id": "a", "type": "tool", "tool": "t"}, {"id": "b", "type": "tool", "tool": "t"}], "edges": [{"from": "a", "to": "b"}]}"#;

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
        assert_eq!(asked, flag.is_empty(), "{}", run.stdout);
        let written = std::fs::read_to_string(&out).expect("a workflow");
        let written: serde_json::Value = serde_json::from_str(&written).expect("JSON");
        assert_eq!(written["nodes"].as_array().map(Vec::len), Some(nodes), "{flag} {answer:?}");
    }
    // What only adds is taken over.
    let server = texts(&[
        r#"{"add_nodes": [{"id": "c", "type": "tool", "tool": "t"}], "add_edges": [{"from": "b", "to": "c"}]}"#,
    ]);
    let line = format!(
        "$LLMEND assist 'Add c.' --workflow {} --provider openai --model m --base-url {}/v1 > /dev/null",
        flow.display(),
        server.url()
    );
    let shown = on_terminal_saying(&line, &[], "").expect(0).stdout;
    assert!(shown.contains("patch applied") && !shown.contains("[y/N]"), "{shown}");
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
