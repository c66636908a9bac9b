//! What clients need, as they were measured: one test a row of that table.

use llmend_model_server::{Answer, ModelServer, Reply, Step};
use serde_json::{Value, json};

use crate::rig::{DONE, chunk, events, offers_tool, rig, rig_with, wants_city, wants_words};

#[tokio::test]
async fn held_content_and_each_call_come_in_one_delta() {
    let rig = rig([
        Answer::text("```json\n{'city': 'Oslo'}\n```").into(),
        events(&[
            chunk(&json!({"role": "assistant", "tool_calls": [{"index": 0, "id": "a", "type": "function",
                "function": {"name": "run", "arguments": "{'path'"}}]}), None),
            chunk(&json!({"tool_calls": [{"index": 0, "function": {"arguments": ": 'x'}"}}]}), None),
            chunk(&json!({"tool_calls": [{"index": 1, "id": "b", "type": "function",
                "function": {"name": "run", "arguments": "{path: \"y\"}"}}]}), None),
            chunk(&json!({}), Some("tool_calls")),
            DONE.to_owned(),
        ]),
    ])
    .await;
    let got = rig.chat(&wants_city(true)).await;
    let contents: Vec<String> = got
        .events()
        .iter()
        .filter_map(|event| event["choices"][0]["delta"]["content"].as_str().map(str::to_owned))
        .collect();
    assert_eq!(contents, ["{\"city\": \"Oslo\"}"]);
    assert_eq!(got.events().last(), Some(&json!("[DONE]")));

    let got = rig.chat(&offers_tool(true)).await;
    let events = got.events();
    let calls: Vec<&Value> =
        events.iter().filter_map(|event| event["choices"][0]["delta"].get("tool_calls")).collect();
    let expected = [
        json!([{"index": 0, "id": "a", "type": "function", "function": {"name": "run", "arguments": "{\"path\": \"x\"}"}}]),
        json!([{"index": 1, "id": "b", "type": "function", "function": {"name": "run", "arguments": "{\"path\": \"y\"}"}}]),
    ];
    assert_eq!(calls, expected.iter().collect::<Vec<_>>());
    assert_eq!(got.finishes(), ["tool_calls"]);
}

#[tokio::test]
async fn no_event_without_data_and_no_ping_is_passed() {
    let rig = rig([events(&[
        "data:\n\n".to_owned(),
        "event: ping\n\n".to_owned(),
        "event: ping\ndata: {\"type\": \"ping\"}\n\n".to_owned(),
        ": a comment\n\n".to_owned(),
        chunk(&json!({"content": "{'city': 'Oslo'}"}), None),
        chunk(&json!({}), Some("stop")),
        DONE.to_owned(),
    ])])
    .await;
    let got = rig.chat(&wants_city(true)).await;
    assert!(!got.body.contains("ping") && !got.body.contains("data:\n"), "{}", got.body);
    assert!(got.body.starts_with(": a comment\n\n"), "{}", got.body);
    assert_eq!(got.content(), "{\"city\": \"Oslo\"}");
}

#[tokio::test]
async fn every_chunk_has_its_required_members() {
    // The first of them flows, the rest is held back.
    let rig = rig([events(&[
        "data: {\"choices\":[{\"delta\":{\"reasoning_content\":\"hm\"}}]}\n\n".to_owned(),
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"{}\"}}]}\n\n".to_owned(),
        "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
            .to_owned(),
        DONE.to_owned(),
    ])])
    .await;
    let mut request = wants_city(true);
    request["response_format"] = json!({"type": "json_object"});
    let got = rig.chat(&request).await;
    let events = got.events();
    assert!(events.len() >= 4, "{events:?}");
    for event in events.iter().filter(|event| event.is_object()) {
        for key in ["id", "object", "created", "model"] {
            assert!(!event[key].is_null(), "{key} in {event}");
        }
        assert_eq!(event["choices"][0]["index"], 0, "{event}");
    }
    assert!(got.body.contains("\"reasoning_content\":\"hm\""));
    assert_eq!((got.content().as_str(), got.finishes()), ("{}", vec!["stop".to_owned()]));
}

#[tokio::test]
async fn a_call_always_has_an_index_an_id_and_text_for_arguments() {
    let rig = rig([events(&[
        chunk(&json!({"tool_calls": [{"function": {"name": "run", "arguments": {"path": "x", "times": 1.0}}}]}), None),
        chunk(&json!({}), Some("tool_calls")),
        DONE.to_owned(),
    ])])
    .await;
    let got = rig.chat(&offers_tool(true)).await;
    let call = got
        .events()
        .into_iter()
        .find_map(|event| event["choices"][0]["delta"].get("tool_calls").cloned())
        .unwrap();
    assert_eq!(call[0]["index"], 0);
    assert!(call[0]["id"].as_str().unwrap().starts_with("call_"), "{call}");
    let arguments = call[0]["function"]["arguments"].as_str().unwrap();
    assert_eq!(
        serde_json::from_str::<Value>(arguments).unwrap(),
        json!({"path": "x", "times": 1.0})
    );
}

#[tokio::test]
async fn there_is_one_finish_reason() {
    let rig = rig([
        // None, but the mark of the end.
        events(&[chunk(&json!({"content": "{\"city\":\"Oslo\"}"}), None), DONE.to_owned()]),
        // Two.
        events(&[
            chunk(&json!({"content": "{\"city\":\"Oslo\"}"}), None),
            chunk(&json!({}), Some("stop")),
            chunk(&json!({}), Some("stop")),
            DONE.to_owned(),
        ]),
        // One that no client knows.
        Answer::text("{\"city\":\"Oslo\"}").finish("eos").into(),
    ])
    .await;
    for _ in 0..3 {
        let got = rig.chat(&wants_city(true)).await;
        assert_eq!(
            (got.content().as_str(), got.finishes()),
            ("{\"city\":\"Oslo\"}", vec!["stop".to_owned()])
        );
    }
}

#[tokio::test]
async fn truncation_is_reported() {
    let cut = Answer::text("{\"city\": \"Oslo\", \"da").cut_off();
    let rig = rig([cut.clone().into(), cut.into()]).await;
    let got = rig.chat(&wants_city(true)).await;
    assert_eq!(
        (got.content().as_str(), got.finishes()),
        ("{\"city\": \"Oslo\"}", vec!["length".to_owned()])
    );
    let whole = rig.chat(&wants_city(false)).await.json();
    assert_eq!(whole["choices"][0]["finish_reason"], "length");
    assert_eq!(whole["choices"][0]["message"]["content"], "{\"city\": \"Oslo\"}");
}

#[tokio::test]
async fn calls_end_with_tool_calls() {
    let answer = Answer::call("run", "{\"path\": \"x\"}").finish("stop");
    let rig = rig([answer.clone().into(), answer.into()]).await;
    assert_eq!(rig.chat(&offers_tool(true)).await.finishes(), ["tool_calls"]);
    let whole = rig.chat(&offers_tool(false)).await.json();
    assert_eq!(whole["choices"][0]["finish_reason"], "tool_calls");
}

#[tokio::test]
async fn a_broken_connection_is_an_error_without_an_end() {
    let begun = Reply::events(chunk(&json!({"content": "{\"city\":"}), None));
    let rig = rig([
        begun.clone().into(),
        begun.clone().then(Step::Cut).into(),
        begun.clone().into(),
        begun.then(Step::Cut).into(),
    ])
    .await;
    for request in [wants_city(true), wants_city(true), wants_words(true), wants_words(true)] {
        let got = rig.chat(&request).await;
        assert!(got.is_whole, "{got:?}");
        let last = got.events().pop().unwrap();
        assert_eq!(last["error"]["type"], "upstream_error", "{last}");
        assert_eq!(got.finishes(), [""; 0]);
    }
}

#[tokio::test]
async fn an_error_within_a_stream_is_passed() {
    let error = "data: {\"error\": {\"message\": \"overloaded\", \"code\": 529}}\n\n";
    let rig = rig([
        events(&[chunk(&json!({"content": "{"}), None), error.to_owned(), DONE.to_owned()]),
        events(&["event: error\ndata: {\"message\": \"overloaded\"}\n\n".to_owned()]),
    ])
    .await;
    assert_eq!(rig.chat(&wants_city(true)).await.body, error);
    let got = rig.chat(&wants_city(true)).await;
    assert_eq!(got.events()[0]["error"]["message"], "overloaded");
}

#[tokio::test]
async fn an_unrepairable_answer_is_refused_without_client_retries() {
    let rig =
        rig([Answer::text("I cannot do that.").into(), Answer::text("I cannot do that.").into()])
            .await;
    let got = rig.chat(&wants_city(false)).await;
    assert_eq!((got.status, got.header("x-should-retry")), (422, Some("false")));
    let error = &got.json()["error"];
    assert_eq!(error["type"], "repair_error");
    assert_eq!(error["code"], "extract/no-json");
    assert_eq!(error["param"], "choices[0].message.content");
    assert!(error["message"].as_str().unwrap().contains("contains no JSON"), "{error}");

    let got = rig.chat(&wants_city(true)).await;
    assert_eq!(got.status, 200);
    let events = got.events();
    assert_eq!((events.len(), &events[0]["error"]["type"]), (1, &json!("repair_error")));
    // The one place within a stream where Vercel's SDK looks whether it should ask again.
    assert_eq!(events[0]["error"]["code"], "422");
    assert_eq!(events[0]["error"]["reason"], "extract/no-json");
}

#[tokio::test]
async fn usage_is_reported_on_request() {
    let usage = "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[],\"usage\":{\"prompt_tokens\":1}}\n\n";
    let stream = events(&[
        chunk(&json!({"content": "{'city': 'Oslo'}"}), None),
        chunk(&json!({}), Some("stop")),
        usage.to_owned(),
        DONE.to_owned(),
    ]);
    let rig = rig([stream.clone(), stream]).await;
    assert!(!rig.chat(&wants_city(true)).await.body.contains("usage"));
    let mut request = wants_city(true);
    request["stream_options"] = json!({"include_usage": true});
    let got = rig.chat(&request).await;
    assert!(got.body.ends_with(&format!("{usage}{DONE}")), "{}", got.body);
}

#[tokio::test]
async fn members_beside_the_end_survive_rewriting() {
    let end = json!({"id": "c-1", "object": "chat.completion.chunk", "created": 1, "model": "m",
        "choices": [{"index": 0, "delta": {"reasoning_content": "hm"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}, "service_tier": "flex"});
    let turn = || {
        let answer = chunk(&json!({"content": "{'city': 'Oslo'}"}), None);
        events(&[answer, format!("data: {end}\n\n"), DONE.to_owned()])
    };
    let rig = rig([turn(), turn()]).await;
    let mut request = wants_city(true);
    // Not asked for, and asked for.
    for expected in [0, 1] {
        let got = rig.chat(&request).await;
        assert_eq!(got.content(), "{\"city\": \"Oslo\"}");
        let with = |key: &str| -> Vec<Value> {
            got.events().iter().filter_map(|event| event.get(key).cloned()).collect()
        };
        assert_eq!(with("usage"), vec![end["usage"].clone(); expected], "{}", got.body);
        assert!(with("service_tier").contains(&json!("flex")), "{}", got.body);
        request["stream_options"] = json!({"include_usage": true});
    }
}

#[tokio::test]
async fn events_after_the_end_pass_unless_they_add_to_the_answer() {
    let usage = json!({"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7});
    let with_usage = |finish: Value| {
        let chunk = json!({"id": "c-1", "object": "chat.completion.chunk", "created": 1, "model": "m",
            "choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": finish}], "usage": usage});
        format!("data: {chunk}\n\n")
    };
    let annotations = chunk(&json!({"annotations": [{"type": "url_citation"}]}), None);
    let sound = |behind: &[String]| {
        let answer = chunk(&json!({"content": "{\"city\": \"Oslo\"}"}), None);
        [&[answer, chunk(&json!({}), Some("stop"))], behind, &[DONE.to_owned()]].concat()
    };
    let passes = sound(&[annotations, with_usage(Value::Null)]);
    let more = chunk(&json!({"content": "{}"}), None);
    let rig = rig([
        events(&passes),
        events(&sound(&[with_usage(json!("stop"))])),
        events(&sound(&[more])),
    ])
    .await;
    let mut request = wants_city(true);
    request["stream_options"] = json!({"include_usage": true});
    assert_eq!(rig.chat(&request).await.body, passes.concat());
    // It ends once, and the usage is reported too.
    let got = rig.chat(&request).await;
    assert_eq!(got.body, sound(&[with_usage(Value::Null)]).concat());
    let got = rig.chat(&request).await;
    assert!(got.body.contains("after its end") && !got.body.contains("[DONE]"), "{}", got.body);
}

#[tokio::test]
async fn a_custom_tool_call_passes_beside_a_repaired_call() {
    let custom =
        json!({"id": "a", "type": "custom", "custom": {"name": "sql", "input": "select 1"}});
    let call = json!({"id": "b", "type": "function", "function": {"name": "run", "arguments": "{'path': 'x'}"}});
    let pieces = |mut call: Value, index: u32, key: &str, of: &str| {
        let mut rest = json!({"index": index, of: {key: call[of][key]}});
        call["index"] = json!(index);
        call[of][key] = json!("");
        rest[of][key] = json!(rest[of][key].as_str().unwrap());
        [call, rest].map(|piece| chunk(&json!({"tool_calls": [piece]}), None))
    };
    let of_custom = |index| pieces(custom.clone(), index, "input", "custom");
    let of_call = |index| pieces(call.clone(), index, "arguments", "function");
    let end = [chunk(&json!({}), Some("tool_calls")), DONE.to_owned()];
    let sound = [of_custom(0).as_slice(), &end].concat();
    let whole = |calls: [&Value; 2]| {
        Reply::json(
            200,
            json!({"id": "1", "object": "chat.completion", "created": 1, "model": "m",
            "choices": [{"index": 0, "finish_reason": "tool_calls",
                "message": {"role": "assistant", "content": null, "tool_calls": calls}}]})
            .to_string(),
        )
    };
    let rig = rig([
        whole([&custom, &call]).into(),
        whole([&call, &custom]).into(),
        events(&sound),
        events(&[of_custom(0).as_slice(), &of_call(1), &end].concat()),
        events(&[of_call(0).as_slice(), &of_custom(1), &end].concat()),
    ])
    .await;
    let mut request = offers_tool(false);
    request["tools"]
        .as_array_mut()
        .unwrap()
        .push(json!({"type": "custom", "custom": {"name": "sql"}}));
    let repaired = json!("{\"path\": \"x\"}");
    for at in [1, 0] {
        let got = rig.chat(&request).await.json();
        let calls = &got["choices"][0]["message"]["tool_calls"];
        assert_eq!(calls[at]["function"]["arguments"], repaired, "{got}");
        assert_eq!(calls[1 - at], custom);
    }
    request["stream"] = json!(true);
    assert_eq!(rig.chat(&request).await.body, sound.concat());
    for at in [1, 0] {
        let got = rig.chat(&request).await;
        let events = got.events();
        let pieces: Vec<&Value> = events
            .iter()
            .filter_map(|event| event["choices"][0]["delta"]["tool_calls"].as_array())
            .flatten()
            .collect();
        let of = |index: u64| -> Vec<&Value> {
            pieces.iter().copied().filter(|piece| piece["index"] == index).collect()
        };
        assert_eq!(of(at)[0]["function"]["arguments"], repaired, "{}", got.body);
        let raw = of(1 - at);
        assert_eq!((&raw[0]["type"], &raw[0]["id"]), (&json!("custom"), &json!("a")));
        let input: Vec<&str> =
            raw.iter().filter_map(|piece| piece["custom"]["input"].as_str()).collect();
        assert_eq!((input.concat().as_str(), raw.len()), ("select 1", 2), "{}", got.body);
        assert_eq!(got.finishes(), ["tool_calls"]);
    }
}

#[tokio::test]
async fn unknown_members_stay_with_their_call() {
    let call = |id: &str, mark: &str, arguments: &str| {
        json!({"id": id, "type": "function", "function": {"name": "run", "arguments": arguments},
            "extra_content": {"signature": mark}})
    };
    // Without an index, as some servers send them.
    let calls = [call("a", "x", "{'path': 'x'}"), call("b", "y", "{'path': 'y'}")];
    let rig = rig([events(&[
        chunk(&json!({"tool_calls": calls}), None),
        chunk(&json!({}), Some("tool_calls")),
        DONE.to_owned(),
    ])])
    .await;
    let got = rig.chat(&offers_tool(true)).await;
    let events = got.events();
    let calls = events.iter().find_map(|event| event["choices"][0]["delta"].get("tool_calls"));
    let marks: Vec<_> = calls
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .map(|call| call["extra_content"]["signature"].as_str().unwrap_or_default())
        .collect();
    assert_eq!(marks, ["x", "y"], "{}", got.body);
}

#[tokio::test]
async fn truncation_before_the_first_word_is_reported() {
    let cut = || Answer::text("").cut_off().into();
    let allowing = rig([cut(), cut()]).await;
    let got = allowing.chat(&wants_city(false)).await;
    assert_eq!(got.status, 200, "{got:?}");
    assert_eq!(got.json()["choices"][0]["finish_reason"], "length");
    let got = allowing.chat(&wants_city(true)).await;
    assert_eq!((got.content().as_str(), got.finishes()), ("", vec!["length".to_owned()]));

    let turns = ModelServer::scripted([cut()]);
    let refusing = rig_with("[gateway.policy]\non_truncation = \"refuse\"", turns).await;
    let got = refusing.chat(&wants_city(false)).await;
    assert_eq!((got.status, &got.json()["error"]["code"]), (422, &json!("truncated")));
}
