//! What stands around the words of a model passes as it came, where clients can read it: byte order marks, numbers
//! that are none, halves of surrogate pairs, streams that are not said to be any.

use llmend_model_server::Reply;
use serde_json::json;

use crate::rig::{CHAT, DONE, chunk, events, offers_tool, rig, wants_city, wants_words};

/// A whole answer whose content is the JSON string `content`, with what Python writes for a probability of none.
fn answer(content: &str) -> String {
    format!(
        "{{\"id\":\"c\",\"object\":\"chat.completion\",\"created\":1,\"model\":\"m\",\"choices\":[{{\"index\":0,\
         \"logprobs\":{{\"content\":[{{\"token\":\"x\",\"logprob\":-Infinity}},{{\"logprob\":NaN}}]}},\
         \"message\":{{\"role\":\"assistant\",\"content\":{content}}},\"finish_reason\":\"stop\"}}]}}"
    )
}

#[tokio::test]
async fn members_around_a_whole_answer_are_kept() {
    // (what is said, what comes of it)
    let rows = [
        (r#""{\"city\": \"Oslo\"}""#, r#""{\"city\": \"Oslo\"}""#),
        (r#""{'city': 'Oslo'}""#, r#""{\"city\": \"Oslo\"}""#),
    ];
    for (said, given) in rows {
        for mark in ["", "\u{feff}"] {
            let rig = rig([Reply::json(200, format!("{mark}{}", answer(said))).into()]).await;
            let got = rig.chat(&wants_city(false)).await;
            assert_eq!((got.status, got.body), (200, format!("{mark}{}", answer(given))));
        }
    }
}

#[tokio::test]
async fn a_lone_surrogate_passes_without_rewriting() {
    let rows = [
        (r#""{\"city\": \"Oslo \ud83d\"}""#, 200, None),
        (r#""{'city': 'Oslo \ud83d'}""#, 502, Some("input/surrogate")),
    ];
    for (said, status, code) in rows {
        let rig = rig([Reply::json(200, answer(said)).into()]).await;
        let got = rig.chat(&wants_city(false)).await;
        assert_eq!(got.status, status, "{got:?}");
        match code {
            Some(code) => assert_eq!(got.json()["error"]["code"], code),
            None => assert_eq!(got.body, answer(said)),
        }
    }
}

/// A chunk whose delta is the JSON text `delta`.
fn raw_chunk(delta: &str, more: &str) -> String {
    format!(
        "data: {{\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{{\"index\":0,\
         \"delta\":{delta}{more},\"finish_reason\":null}}]}}\n\n"
    )
}

#[tokio::test]
async fn members_around_the_content_of_a_stream_are_kept() {
    let probability = ",\"logprobs\":{\"content\":[{\"token\":\"x\",\"logprob\":-Infinity}]}";
    let prose = [
        raw_chunk(r#"{"role":"assistant","content":"hi \ud83d"}"#, probability),
        raw_chunk(r#"{"content":"\ude00"}"#, ""),
    ];
    let sound =
        [raw_chunk(r#"{"role":"assistant","content":"{\"city\": \"\ud83d\"}"}"#, probability)];
    for (request, pieces) in [(offers_tool(true), &prose[..]), (wants_city(true), &sound[..])] {
        let mut stream = pieces.to_vec();
        stream.extend([chunk(&json!({}), Some("stop")), DONE.to_owned()]);
        let rig = rig([events(&stream)]).await;
        let got = rig.chat(&request).await;
        assert_eq!((got.status, got.body), (200, stream.concat()));
    }
}

#[tokio::test]
async fn a_stream_with_a_lone_surrogate_is_not_rewritten() {
    let stream = [
        raw_chunk(r#"{"role":"assistant","content":"{'city': '\ud83d"}"#, ""),
        raw_chunk(r#"{"content":"\ude00'}"}"#, ""),
        chunk(&json!({}), Some("stop")),
        DONE.to_owned(),
    ];
    let rig = rig([events(&stream)]).await;
    let got = rig.chat(&wants_city(true)).await;
    assert_eq!(got.events()[0]["error"]["code"], "input/surrogate", "{got:?}");
    assert!(!got.body.contains('\u{fffd}'));
}

#[tokio::test]
async fn uninspected_requests_are_forwarded_unchanged() {
    let body = "{\"model\":\"m\",\"top_p\":NaN,\"messages\":[{\"role\":\"user\",\"content\":\"x \\ud83d\"}]}";
    for body in [body.to_owned(), format!("\u{feff}{body}")] {
        let rig = rig([Reply::json(200, answer("\"hi\"")).into()]).await;
        let got = rig.ask("POST", CHAT, "", &body).await;
        assert_eq!((got.status, got.body), (200, answer("\"hi\"")));
        assert_eq!(rig.seen().body, body);
    }
}

#[tokio::test]
async fn an_undeclared_stream_is_recognized() {
    let delta = json!({"role": "assistant", "content": "{'city': 'Oslo'}"});
    let stream =
        [": hi\n\n", &chunk(&delta, None), &chunk(&json!({}), Some("stop")), DONE].concat();
    for kind in ["application/json", "text/plain", ""] {
        for begun in ["", "\u{feff}", "\n"] {
            let mut reply = Reply::status(200);
            if !kind.is_empty() {
                reply = reply.header("content-type", kind);
            }
            let rig = rig([reply.text(format!("{begun}{stream}")).into()]).await;
            let got = rig.chat(&wants_city(true)).await;
            assert_eq!(got.header("content-type"), Some("text/event-stream"), "{kind} {got:?}");
            let data = got
                .body
                .replace(": hi\n\n", "")
                .trim_start_matches([' ', '\n', '\u{feff}'])
                .to_owned();
            assert!(data.starts_with("data: {"), "{data}");
            assert_eq!(crate::rig::Got { body: data, ..got }.content(), r#"{"city": "Oslo"}"#);
        }
    }
    // Events that are not inspected keep their names.
    let rig =
        rig([Reply::status(200).header("content-type", "text/plain").text(stream.clone()).into()])
            .await;
    let got = rig.chat(&wants_words(true)).await;
    assert_eq!(
        (got.header("content-type"), got.body.as_str()),
        (Some("text/plain"), stream.as_str())
    );
}
