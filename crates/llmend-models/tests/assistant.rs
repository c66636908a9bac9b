//! A conversation about a workflow, over real HTTP to the scripted server.

mod rig;

use llmend::asking::{Callbacks, FailureKind, GiveUpReason, LoopError, Validity};
use llmend::assistant::{Assistant, Reply, Turn};
use llmend::plan::Document;
use llmend_model_server::{Answer, Form, ModelServer};
use rig::{model, server};

/// Fetch, then send.
const FLOW: &str = r#"{"nodes": [{"id": "fetch", "type": "tool", "tool": "http"}, {"id": "send", "type": "tool", "tool": "mail"}], "edges": [{"from": "fetch", "to": "send"}]}"#;

/// An `If` with one branch.
const ONE_BRANCH: &str = r#"{"add_nodes": [{"id": "ok", "type": "if", "condition": {"left": {"type": "variable", "name": "fetch.rows"}, "operator": "is_empty"}}], "remove_edges": [{"from": "fetch", "to": "send"}], "add_edges": [{"from": "fetch", "to": "ok"}, {"from": "ok", "to": "send", "output": {"type": "if_true"}}]}"#;

/// The same with both.
const BOTH_BRANCHES: &str = r#"{"add_nodes": [{"id": "ok", "type": "if", "condition": {"left": {"type": "variable", "name": "fetch.rows"}, "operator": "is_empty"}}, {"id": "warn", "type": "tool", "tool": "mail"}], "remove_edges": [{"from": "fetch", "to": "send"}], "add_edges": [{"from": "fetch", "to": "ok"}, {"from": "ok", "to": "warn", "output": {"type": "if_true"}}, {"from": "ok", "to": "send", "output": {"type": "if_false"}}]}"#;

fn flow() -> Document {
    llmend::review_plan(FLOW).expect("it reads").reviewed.value
}

fn texts(texts: &[&str]) -> ModelServer {
    server(texts.iter().map(|text| Answer::text(text).into()))
}

async fn say(
    assistant: &mut Assistant,
    server: &ModelServer,
    message: &str,
) -> Result<Turn, Box<LoopError>> {
    assistant.say(&model(server, Form::OpenAi), message, &mut Callbacks::new()).await
}

/// The contents of the messages of a request, and whose they are.
fn messages(server: &ModelServer, request: usize) -> Vec<(String, String)> {
    let json = server.requests()[request].json();
    let text = |value: &serde_json::Value| value.as_str().expect("a text").to_owned();
    let of = |message: &serde_json::Value| (text(&message["role"]), text(&message["content"]));
    json["messages"].as_array().expect("messages").iter().map(of).collect()
}

fn nodes(document: Option<&Document>) -> usize {
    let Some(Document::Workflow(workflow)) = document else { panic!("{document:?}") };
    workflow.nodes.len()
}

#[tokio::test]
async fn a_patch_that_breaks_the_whole_is_corrected_on_the_second_call() {
    // S3-14, S3-15: what comes of the patch is checked. S3-16: with the error, again. S3-58.
    let server = texts(&[ONE_BRANCH, BOTH_BRANCHES]);
    let mut assistant = Assistant::about(flow());
    let turn = say(&mut assistant, &server, "Warn me if there is nothing.").await.unwrap();
    assert_eq!((server.requests().len(), turn.validity), (2, Validity::Valid));
    assert!(matches!(turn.reply, Reply::Patch(_)));
    // S3-24, S2-25: the retry names what was wrong, and still has the task.
    let retry = messages(&server, 1).pop().expect("a message").1;
    assert!(retry.contains("workflow/missing-branch"), "{retry}");
    assert!(retry.contains("Warn me if there is nothing."), "{retry}");
    // Nothing changes before it is accepted.
    assert_eq!(nodes(assistant.document()), 2);
    assert!(assistant.accept(&turn));
    assert_eq!(nodes(assistant.document()), 4);
}

#[tokio::test]
async fn the_attempts_are_those_of_the_original() {
    // S3-18…S3-22: none checked; checked, nobody asked; N - 1 asked. S3-17: then handed back, marked.
    let rows = [
        (0, 1, Validity::Unchecked),
        (1, 1, Validity::Invalid),
        (2, 2, Validity::Invalid),
        (3, 3, Validity::Invalid),
        (7, 7, Validity::Invalid),
    ];
    for (attempts, calls, validity) in rows {
        let server = ModelServer::answering(|_| Answer::text(ONE_BRANCH).into());
        let mut assistant = Assistant::about(flow()).attempts(attempts);
        let turn = say(&mut assistant, &server, "Warn me.").await.unwrap();
        assert_eq!((server.requests().len(), turn.validity), (calls, validity), "{attempts}");
        let Reply::Patch(proposal) = &turn.reply else { panic!("{:?}", turn.reply) };
        assert_eq!(proposal.json, ONE_BRANCH);
        assert_eq!(nodes(turn.document()), 3, "the patch as it is");
        // What is marked invalid is not taken over.
        assert_eq!(assistant.accept(&turn), validity == Validity::Unchecked, "{attempts}");
    }
    // S3-21: three is what there is where nothing is said.
    let server = ModelServer::answering(|_| Answer::text(ONE_BRANCH).into());
    let mut assistant = Assistant::about(flow());
    say(&mut assistant, &server, "Warn me.").await.unwrap();
    assert_eq!(server.requests().len(), 3);
}

#[tokio::test]
async fn a_patch_that_cannot_be_applied_is_handed_back_too() {
    let unknown = r#"{"remove_nodes": ["nope"]}"#;
    let server = texts(&[unknown, unknown]);
    let mut assistant = Assistant::about(flow()).attempts(2);
    let turn = say(&mut assistant, &server, "Drop it.").await.unwrap();
    let Reply::Patch(proposal) = &turn.reply else { panic!("{:?}", turn.reply) };
    assert_eq!((proposal.json.as_str(), &proposal.review), (unknown, &None));
    assert_eq!((turn.validity, turn.document()), (Validity::Invalid, None));
    assert_eq!(turn.findings[0].code, "patch/unknown");
    assert!(!assistant.accept(&turn));
}

#[tokio::test]
async fn words_are_words_and_broken_json_is_not() {
    // S3-12, S3-13: words are not checked, whatever the attempts.
    for attempts in [0, 1, 3] {
        let server = texts(&["Which address do you mean?"]);
        let mut assistant = Assistant::about(flow()).attempts(attempts);
        let turn = say(&mut assistant, &server, "Send it.").await.unwrap();
        assert_eq!(turn.reply, Reply::Words("Which address do you mean?".to_owned()));
        assert_eq!((turn.validity, turn.document()), (Validity::Valid, None));
        assert!(!assistant.accept(&turn));
    }
    // S3-16: JSON that cannot be read is asked for again, and the attempts end in an error.
    let broken = r#"{"add_nodes": [{"id": "x", "retries": 3 * n}]}"#;
    let server = texts(&[broken, BOTH_BRANCHES]);
    let turn = say(&mut Assistant::about(flow()), &server, "Warn me.").await.unwrap();
    assert_eq!((server.requests().len(), turn.validity), (2, Validity::Valid));
    let server = texts(&[broken, broken]);
    let error =
        say(&mut Assistant::about(flow()).attempts(2), &server, "Warn me.").await.unwrap_err();
    assert_eq!((&error.why, error.failure()), (&GiveUpReason::Retries, Some(FailureKind::Syntax)));
    // A later answer that cannot be read does not undo the earlier proposal.
    let server = texts(&[ONE_BRANCH, broken]);
    let turn = say(&mut Assistant::about(flow()).attempts(2), &server, "Warn me.").await.unwrap();
    assert_eq!((turn.validity, nodes(turn.document())), (Validity::Invalid, 3));
}

#[tokio::test]
async fn a_whole_workflow_can_be_given_where_there_is_none() {
    let server = texts(&[r#"{"remove_nodes": ["a"]}"#, &format!("Here:\n```json\n{FLOW}\n```")]);
    let mut assistant = Assistant::new();
    let turn = say(&mut assistant, &server, "Fetch it and send it.").await.unwrap();
    assert_eq!(server.requests().len(), 2, "there is nothing yet that a patch could change");
    assert!(matches!(turn.reply, Reply::Whole(_)));
    assert!(assistant.accept(&turn));
    assert_eq!(nodes(assistant.document()), 2);
    // The next question has the workflow as it is now, as data.
    let server = texts(&["Fine."]);
    say(&mut assistant, &server, "Thanks.").await.unwrap();
    let last = messages(&server, 0).pop().expect("a message").1;
    assert!(last.contains("<workflow-") && last.contains("\"fetch\""), "{last}");
}

#[tokio::test]
async fn the_window_of_past_exchanges_is_bounded() {
    let server = ModelServer::answering(|_| Answer::text("Why?").into());
    let mut assistant = Assistant::about(flow()).window(2);
    for number in 0..5 {
        say(&mut assistant, &server, &format!("question {number}")).await.unwrap();
    }
    let last = messages(&server, 4);
    let roles: Vec<&str> = last.iter().map(|(role, _)| role.as_str()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "user", "assistant", "user"]);
    assert_eq!([&last[1].1, &last[3].1], ["question 2", "question 3"]);
    assert!(last[5].1.contains("question 4"));
    // A long message is clipped when it is shown again.
    let long = "x".repeat(50_000);
    say(&mut assistant, &server, &long).await.unwrap();
    say(&mut assistant, &server, "And?").await.unwrap();
    assert!(messages(&server, 6)[3].1.len() < 5_000);
}
