//! Calls of which the words around them say that they are not made.

use llmend_model_server::Answer;
use serde_json::json;

use super::CALL;
use super::client::{PROTOCOLS, asked, run};

/// Whole, and in pieces of this many bytes.
const SIZES: [Option<usize>; 4] = [None, Some(1), Some(3), Some(1000)];

/// Words before a call, and behind it.
const DOUBTED: [(&str, &str); 10] = [
    ("Do not run this: ", ""),
    ("Should I run the following?\n", "\nPlease confirm (yes/no)."),
    ("For example, a call looks like this:\n\n", "\n\nReplace the path."),
    ("A call is written like this:\n", ""),
    ("If you wanted it, I would write:\n\n", "\n\nbut you did not ask."),
    ("My previous call was:\n", "\nIt failed."),
    ("<example>\n", "\n</example>"),
    ("### Example call\n", "\n### Explanation\nThe name comes first."),
    ("Never write\n", ""),
    ("Beispiel:\n\n", "\n\nErsetze den Pfad."),
];

#[tokio::test]
async fn a_call_that_is_not_made_stays_text() {
    for config in ["", "[gateway.policy]\ncalls = \"marked\""] {
        for (before, behind) in DOUBTED {
            for text in
                [format!("{before}{CALL}{behind}"), format!("{before}{CALL}\n{CALL}{behind}")]
            {
                for (protocol, size) in
                    PROTOCOLS.into_iter().flat_map(|one| SIZES.map(|size| (one, size)))
                {
                    let answer = Answer::text(&text).pieces_of(size.unwrap_or(usize::MAX));
                    let request = protocol.request(&[run()], size.is_some());
                    let (_rig, got) = asked(protocol, config, answer, &request).await;
                    let found = protocol.read(&got, size.is_some());
                    let case = format!("{protocol:?} {size:?} {text}: {}", got.body);
                    assert!(!found.is_error && found.calls.is_empty(), "{case}");
                    assert_eq!(found.text, text, "{case}");
                    if size.is_none() {
                        let said = got.header("x-llmend-repair").unwrap();
                        assert!(said.contains("left=calls/mention"), "{said} {case}");
                    }
                }
            }
        }
    }
}

#[tokio::test]
async fn a_call_that_is_announced_is_made() {
    for before in [
        "I'll run this:\n",
        "I'll run this: ",
        "Let me see if the file exists:\n",
        "I should check the file first.\n\n",
        "Let me try this instead:\n",
        "What does the file do?\n",
        "<think>Should I run it?</think>\n",
    ] {
        let text = format!("{before}{CALL}");
        for (protocol, size) in PROTOCOLS.into_iter().flat_map(|one| SIZES.map(|size| (one, size)))
        {
            let answer = Answer::text(&text).pieces_of(size.unwrap_or(usize::MAX));
            let request = protocol.request(&[run()], size.is_some());
            let (_rig, got) = asked(protocol, "", answer, &request).await;
            let found = protocol.read(&got, size.is_some());
            let expected = [("run".to_owned(), json!({"path": "a.py", "times": 2}))];
            assert_eq!(found.calls, expected, "{protocol:?} {size:?} {text}: {}", got.body);
        }
    }
}

#[tokio::test]
async fn what_a_mark_began_with_at_the_limit_is_dropped() {
    for (text, calls, expected) in [
        ("Sure.\n<too".to_owned(), 0, "Sure."),
        ("Sure. [TOOL_C".to_owned(), 0, "Sure."),
        (format!("Hm.\n{CALL}\n</tool_c"), 1, "Hm."),
        ("A table: <tab".to_owned(), 0, "A table: <tab"),
    ] {
        for (protocol, size) in PROTOCOLS.into_iter().flat_map(|one| SIZES.map(|size| (one, size)))
        {
            let answer = Answer::text(&text).pieces_of(size.unwrap_or(usize::MAX)).cut_off();
            let request = protocol.request(&[run()], size.is_some());
            let (_rig, got) = asked(protocol, "", answer, &request).await;
            let found = protocol.read(&got, size.is_some());
            let case = format!("{protocol:?} {size:?} {text}: {}", got.body);
            assert_eq!((found.calls.len(), found.text.trim_end()), (calls, expected), "{case}");
        }
    }
}
