//! What a person at a terminal is shown before an answer is used.

use crate::{asking::texts, assisting::FLOW, process::Scratch, terminal::on_terminal_saying};

#[test]
fn guesses_are_shown_in_their_places_before_the_question() {
    let scratch = Scratch::new();
    let schema = r#"{"type": "object", "properties": {"city": {"type": "string"}, "kind": {"enum": ["museum", "park"]}}}"#;
    let schema = scratch.file("s.json", schema);
    let server = texts(&[r#"{"city": "Oslo", "kind": "musuem"}"#]);
    let line = format!(
        "$LLMEND ask Where? --schema {} --provider openai --model m --base-url {}/v1 > /dev/null",
        schema.display(),
        server.url()
    );
    let shown = on_terminal_saying(&line, &[("NO_COLOR", "1")], "y\n").expect(0).stdout;
    let shown = shown.replace('\r', "");
    let places = [
        "{\n  \"city\": \"Oslo\",\n  \"kind\": \"museum\"  ← guess: ",
        "was `\"musuem\"`\n}\n",
        "llmend: 1 place guessed\nUse this answer? [y/N]",
    ]
    .map(|part| shown.find(part).unwrap_or_else(|| panic!("{part}: {shown}")));
    assert!(places.is_sorted(), "{shown}");
}

#[test]
fn a_plan_in_another_form_and_a_patch_are_shown_with_their_guesses_and_what_comes_of_them() {
    const STEPS: &str =
        r#"{"steps": [{"id": "a", "tool": "t", "description": "Say "hi" to all"}]}"#;
    let scratch = Scratch::new();
    let flow = scratch.file("flow.json", FLOW);
    let patch = format!("patch {} --ask Go", flow.display());
    let guess = "\"Say \\\"hi\\\" to all\"";
    let rows: [(&str, &str, &[&str]); 4] = [
        ("plan --ask Go", STEPS, &["  \"steps\": [\n", guess, "  ← guess: "]),
        (
            "plan --ask Go",
            r#"{"tasks": [{"name": "a", "action": "t", "details": "Say "hi" to all"}]}"#,
            &[
                "  \"tasks\": [\n",
                "\"details\": ",
                guess,
                "  ← guess: ",
                "\"description\": ",
                guess,
            ],
        ),
        (
            "plan --ask Go --to markdown",
            STEPS,
            &["\"description\": ", guess, "  ← guess: ", "\n1. Say \"hi\" to all\n"],
        ),
        (
            &patch,
            r#"{"update_nodes": [{"id": "b", "description": "Say "hi" to all"}]}"#,
            &[
                "\"update_nodes\": [\n",
                guess,
                "  ← guess: ",
                "\n~ node b: ",
                "Say \\\"hi\\\" to all",
            ],
        ),
    ];
    for (arguments, answer, expected) in rows {
        let server = texts(&[answer]);
        let url = server.url();
        let line = format!(
            "$LLMEND {arguments} --provider openai --model m --base-url {url}/v1 > /dev/null"
        );
        let run = on_terminal_saying(&line, &[("NO_COLOR", "1")], "n\n").expect(1);
        let shown = run.stdout.replace('\r', "");
        let mut rest = shown.as_str();
        for part in expected.iter().chain(&["Use this answer? [y/N]"]) {
            let at = rest.find(part).unwrap_or_else(|| panic!("{arguments}: {part}: {shown}"));
            rest = &rest[at + part.len()..];
        }
    }
}
