//! Odd names and odd ends.

use llmend::calls::NOTATIONS;
use llmend_model_server::{Answer, ModelServer, Seen};
use serde_json::{Value, json};

use super::CALL;
use super::client::{PROTOCOLS, Protocol, asked, run};
use crate::rig::{DONE, chunk, events, offers_tool, rig, rig_with};

/// The example of a call in a prompt.
fn shown(seen: &Seen) -> String {
    let mut texts = Vec::new();
    collect(&seen.json(), &mut texts);
    let prompt = texts.into_iter().find(|text| text.contains("in exactly this form")).unwrap();
    let (_, form) = prompt.split_once("the next message contains its result.\n").unwrap();
    form.split("\n\nTo call several")
        .next()
        .unwrap()
        .split("\n\nCall a tool only")
        .next()
        .unwrap()
        .to_owned()
}

fn collect(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(text.clone()),
        Value::Array(all) => all.iter().for_each(|one| collect(one, texts)),
        Value::Object(all) => all.values().for_each(|one| collect(one, texts)),
        _ => {}
    }
}

#[tokio::test]
async fn a_tool_of_any_name_is_called_as_the_prompt_shows() {
    let names = [
        "files.run",
        "run file",
        "läufer",
        "ファイル",
        "a-b_c:d",
        "get/x",
        "run\"it\"",
        "<run>",
        "1st",
    ];
    for row in NOTATIONS.iter().filter(|row| row.is_writable()) {
        for name in names {
            let schema = json!({"type": "object", "required": ["path"],
                "properties": {"path": {"type": "string"}, "große Zahl": {"type": "integer"}}});
            let config = format!("[gateway.policy]\nemulate_tools = \"{}\"", row.name);
            let (protocol, stream) = (Protocol::Chat, false);
            let upstream = ModelServer::answering(|seen| Answer::text(&shown(seen)).into());
            let rig = rig_with(&config, upstream).await;
            let request = protocol.request(&[(name.to_owned(), schema.clone())], stream);
            let got = rig.ask("POST", protocol.path(), "", &request.to_string()).await;
            let found = protocol.read(&got, stream);
            let case = format!("{} {name} {protocol:?} {stream}: {}", row.name, got.body);
            assert_eq!(found.calls.len(), 1, "{case}");
            assert_eq!(found.calls[0].0, name, "{case}");
            assert_eq!(found.calls[0].1["path"], "text", "{case}");
        }
    }
}

#[tokio::test]
async fn prose_that_ends_in_a_mark_is_prose() {
    for text in [
        "Models of this kind write <tool_call>",
        "The tag is called <tool_call>.",
        "It begins with <tool_c",
        "First comes `<tool_call>`",
        "1 <",
        "A list [",
    ] {
        for (protocol, stream) in PROTOCOLS.into_iter().flat_map(|one| [(one, false), (one, true)])
        {
            for size in [1, 1000] {
                let request = protocol.request(&[run()], stream);
                let answer = Answer::text(text).pieces_of(size);
                let (_rig, got) = asked(protocol, "", answer, &request).await;
                let found = protocol.read(&got, stream);
                let case = format!("{text} {protocol:?} {stream} {size}: {}", got.body);
                assert!(!found.is_error, "{case}");
                assert_eq!(
                    (found.calls.len(), found.end.as_str()),
                    (0, protocol.end(false)),
                    "{case}"
                );
            }
        }
    }
}

#[tokio::test]
async fn a_sentence_about_a_mark_is_text_byte_for_byte() {
    let server = ModelServer::answering(|seen| {
        let request = seen.json();
        let said = &request["messages"][0]["content"];
        Answer::text(said.as_str().unwrap()).pieces_of(3).into()
    });
    let rig = rig_with("", server).await;
    let mut wrong = Vec::new();
    for opener in NOTATIONS.iter().flat_map(|row| row.openers) {
        let mark = opener.trim_end();
        for end in [".", "", "!", ").", "”.", "**.", ", then.", "\n", ".\n\nThat is all."] {
            let text = format!("Its calls begin with {mark}{end}");
            for stream in [false, true] {
                let mut request = offers_tool(stream);
                request["messages"][0]["content"] = json!(text);
                let got = rig.chat(&request).await;
                let found = Protocol::Chat.read(&got, stream);
                if found.is_error || !found.calls.is_empty() || found.text != text {
                    wrong.push(format!("{text:?} {stream}: {found:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} {}", wrong.len(), wrong.join("\n"));
}

#[tokio::test]
async fn a_mark_is_a_call_that_is_cut_off_where_it_stands_alone_or_the_limit_was_reached() {
    let begun = "I run it. [TOOL_CALLS]run[ARGS]{\"path\": \"a";
    // (text, whether the limit was reached, whether it is an error)
    let rows = [
        ("[TOOL_CALLS]", false, true),
        ("I run it.\n<|tool_call|>", false, true),
        (begun, false, true),
        ("I run it. <tool_call>", false, false),
        ("I run it. <tool_call>", true, true),
        ("I run it. [TOOL_CALLS]", true, true),
        ("It begins with [TOOL_CALLS].", true, false),
    ];
    for (text, is_cut_off, is_error) in rows {
        for (protocol, stream) in PROTOCOLS.into_iter().flat_map(|one| [(one, false), (one, true)])
        {
            for size in [1, 3, 20] {
                let answer = Answer::text(text).pieces_of(size);
                let answer = if is_cut_off { answer.cut_off() } else { answer };
                let request = protocol.request(&[run()], stream);
                let (_rig, got) = asked(protocol, "", answer, &request).await;
                let found = protocol.read(&got, stream);
                let case =
                    format!("{text} {is_cut_off} {protocol:?} {stream} {size}: {}", got.body);
                assert_eq!(found.is_error, is_error, "{case}");
                assert!(is_error || found.text == text, "{case}");
            }
        }
    }
}

#[tokio::test]
async fn an_error_says_which_call_it_is() {
    let bad = "<tool_call>\n{\"name\": \"run\", \"arguments\": {\"path\": \"a\", \"times\": \"often\"}}\n</tool_call>";
    let unread = "<tool_call>\n{\"name\": \"\", \"arguments\": {\"path\": \"a\"}}\n</tool_call>";
    for (text, index) in [
        (bad.to_owned(), 0),
        (format!("{CALL}\n{bad}"), 1),
        (format!("{CALL}\n{CALL}\n{bad}"), 2),
        (format!("{CALL}\n{unread}"), 1),
    ] {
        for (protocol, stream) in PROTOCOLS.into_iter().flat_map(|one| [(one, false), (one, true)])
        {
            let request = protocol.request(&[run()], stream);
            let (_rig, got) = asked(protocol, "", Answer::text(&text), &request).await;
            assert!(protocol.read(&got, stream).is_error, "{}", got.body);
            // The messages API has no place for it.
            let number = format!("[{index}]");
            assert!(
                protocol == Protocol::Messages || got.body.contains(&number),
                "{index} {protocol:?} {stream}: {}",
                got.body
            );
        }
    }
}

#[tokio::test]
async fn marks_behind_the_end_of_a_stream_are_an_error() {
    let words = |content: &str| chunk(&json!({ "content": content }), None);
    // (what arrives behind the reason to stop, whether it is an error)
    for (late, is_error) in
        [("", false), (" \n", false), ("Bye.", false), (CALL, true), ("<tool_call>", true)]
    {
        let all = [words("Hello."), chunk(&json!({}), Some("stop")), words(late), DONE.to_owned()];
        let rig = rig([events(&all)]).await;
        let got = rig.chat(&offers_tool(true)).await;
        assert_eq!(got.body.contains("after its end"), is_error, "{late}: {}", got.body);
        assert!(!got.body.contains("tool_call>"), "{late}: {}", got.body);
    }
}
