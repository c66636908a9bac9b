//! Commands of the person in a conversation.

use super::{FLOW, REMOVE};
use crate::{
    asking::{run_at, texts},
    process::Scratch,
};

#[test]
fn the_commands_are_listed_and_one_ends_the_conversation() {
    let run = run_at(&texts(&[]), "assist", &[], "/help\n").expect(0);
    for command in ["/undo", "/show", "/save [FILE]", "/help", "/quit, /exit"] {
        assert!(run.stderr.contains(&format!("  {command}")), "{command}: {}", run.stderr);
    }
    let run = run_at(&texts(&[]), "assist", &[], "/help me\n/undoo\n").expect(2);
    assert!(run.stderr.contains("llmend: /help takes no argument\n"), "{}", run.stderr);
    let expected = "llmend: unknown command /undoo; the commands are /undo, /show, /save [FILE], /help, /quit, /exit\n";
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
