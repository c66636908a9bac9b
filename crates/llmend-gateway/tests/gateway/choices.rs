//! Assignment of pieces to choices, parts and calls.

use llmend_model_server::{Reply, Turn};
use serde_json::{Value, json};

use crate::rig::{DONE, chunk, events, offers_tool, rig, wants_city};

fn whole(choices: &Value) -> Turn {
    let answer = json!({"id": "c-1", "object": "chat.completion", "created": 1, "model": "m",
        "choices": choices});
    Reply::json(200, answer.to_string()).into()
}

/// An event with these choices.
fn event(choices: &Value) -> String {
    let chunk = json!({"id": "c-1", "object": "chat.completion.chunk", "created": 1, "model": "m",
        "choices": choices});
    format!("data: {chunk}\n\n")
}

/// What the choices of a stream say, by their index.
fn contents(events: &[Value]) -> Vec<String> {
    let mut said = vec![String::new(); 2];
    let choices = events.iter().filter_map(|event| event["choices"].as_array()).flatten();
    for choice in choices {
        let at = usize::try_from(choice["index"].as_u64().unwrap()).unwrap();
        said[at].push_str(choice["delta"]["content"].as_str().unwrap_or_default());
    }
    said
}

const REPAIRED: [&str; 2] = ["{\"city\": \"Oslo\"}", "{\"city\": \"Rome\"}"];

#[tokio::test]
async fn two_whole_choices_with_one_index_are_two_answers() {
    let choice = |city: &str| {
        json!({"index": 0, "finish_reason": "stop",
            "message": {"role": "assistant", "content": format!("{{'city': '{city}'}}")}})
    };
    let turn = || whole(&json!([choice("Oslo"), choice("Rome")]));
    let rig = rig([turn(), turn()]).await;
    let mut request = wants_city(false);
    request["n"] = json!(2);
    let got = rig.chat(&request).await.json();
    let said: Vec<&str> = (0..2)
        .map(|at: usize| got["choices"][at]["message"]["content"].as_str().unwrap())
        .collect();
    assert_eq!(said, REPAIRED);
    // As a stream they need two numbers.
    request["stream"] = json!(true);
    assert_eq!(contents(&rig.chat(&request).await.events()), REPAIRED);
}

#[tokio::test]
async fn choices_without_an_index_are_numbered_by_place() {
    let both = |one: Value, other: Value, finish: Value| {
        event(
            &json!([{"delta": one, "finish_reason": finish}, {"delta": other, "finish_reason": finish}]),
        )
    };
    let text = |text: &str| json!({"content": text});
    let begun = both(text("{'city': "), text("{'city': "), Value::Null);
    let end = both(text("'Oslo'}"), text("'Rome'}"), json!("stop"));
    let alone = event(&json!([{"delta": text("'Rome'}"), "finish_reason": "stop"}]));
    let rig = rig([
        events(&[begun.clone(), end, DONE.to_owned()]),
        events(&[begun, alone, DONE.to_owned()]),
    ])
    .await;
    let mut request = wants_city(true);
    request["n"] = json!(2);
    let got = rig.chat(&request).await;
    assert_eq!(contents(&got.events()), REPAIRED, "{}", got.body);
    // Whose piece is that?
    let got = rig.chat(&request).await;
    let error = &got.events()[0]["error"];
    assert_eq!(error["code"], "stream/malformed", "{}", got.body);
}

#[tokio::test]
async fn a_stream_is_as_long_as_its_longest_choice() {
    // One answer was asked for, and two come.
    let piece = |index: u32, text: &str, finish: Value| {
        event(&json!([{"index": index, "delta": {"content": text}, "finish_reason": finish}]))
    };
    let rig = rig([events(&[
        piece(0, "{'city': ", Value::Null),
        piece(1, "{'city': ", Value::Null),
        piece(0, "'Oslo'}", json!("stop")),
        piece(1, "'Rome'}", json!("stop")),
        DONE.to_owned(),
    ])])
    .await;
    let got = rig.chat(&wants_city(true)).await;
    assert_eq!(contents(&got.events()), REPAIRED, "{}", got.body);
}

#[tokio::test]
async fn the_other_parts_of_a_content_stay() {
    let thinking = json!({"type": "thinking", "thinking": [{"type": "text", "text": "A city."}]});
    let text = |text: &str| json!({"type": "text", "text": text});
    let list = json!([thinking, text("{'city': "), text("'Oslo'}")]);
    let repaired = json!([thinking, text(REPAIRED[0]), text("")]);
    let sound = json!([thinking, text("{\"city\":"), text(" \"Oslo\"}")]);
    let message = |content: &Value| {
        whole(&json!([{"index": 0, "finish_reason": "stop",
            "message": {"role": "assistant", "content": content}}]))
    };
    let in_pieces = |content: &Value| {
        let parts = content.as_array().unwrap().iter();
        let mut all: Vec<String> =
            parts.map(|part| chunk(&json!({"content": [part]}), None)).collect();
        all.extend([chunk(&json!({}), Some("stop")), DONE.to_owned()]);
        all
    };
    let rig = rig([
        message(&list),
        message(&sound),
        events(&in_pieces(&list)),
        events(&in_pieces(&sound)),
    ])
    .await;
    for expected in [&repaired, &sound] {
        let got = rig.chat(&wants_city(false)).await.json();
        assert_eq!(&got["choices"][0]["message"]["content"], expected);
    }
    let got = rig.chat(&wants_city(true)).await;
    let events = got.events();
    let parts: Vec<&Value> = events
        .iter()
        .filter_map(|event| event["choices"][0]["delta"]["content"].as_array())
        .flatten()
        .collect();
    assert_eq!(parts, [&thinking, &text(REPAIRED[0])], "{}", got.body);
    assert_eq!(rig.chat(&wants_city(true)).await.body, in_pieces(&sound).concat());
}

#[tokio::test]
async fn a_call_whose_first_piece_has_no_id_is_not_lost() {
    let custom = [
        json!({"index": 0, "type": "custom", "custom": {"name": "sql", "input": ""}}),
        json!({"index": 0, "id": "a", "custom": {"input": "select 1"}}),
    ];
    let call = [
        json!({"index": 1, "type": "function"}),
        json!({"index": 1, "function": {"name": "run", "arguments": "{'path'"}}),
        json!({"index": 1, "id": "b", "function": {"arguments": ": 'x'}"}}),
    ];
    let piece = |call: &Value| chunk(&json!({"tool_calls": [call]}), None);
    let mut all: Vec<String> = custom.iter().chain(&call).map(piece).collect();
    all.extend([chunk(&json!({}), Some("tool_calls")), DONE.to_owned()]);
    let rig = rig([events(&all)]).await;
    let got = rig.chat(&offers_tool(true)).await;
    let events = got.events();
    let pieces: Vec<&Value> = events
        .iter()
        .filter_map(|event| event["choices"][0]["delta"]["tool_calls"].as_array())
        .flatten()
        .collect();
    let of = |index: u64, key: &str| -> Vec<&Value> {
        let of = pieces.iter().filter(|piece| piece["index"] == index);
        of.filter_map(|piece| piece.get(key)).collect()
    };
    assert_eq!(of(0, "custom"), [&custom[0]["custom"], &custom[1]["custom"]], "{}", got.body);
    assert_eq!((of(0, "id"), of(1, "id")), (vec![&json!("a")], vec![&json!("b")]));
    assert_eq!(of(0, "type"), [&json!("custom")]);
    let arguments: Vec<&str> =
        of(1, "function").iter().map(|function| function["arguments"].as_str().unwrap()).collect();
    assert_eq!(arguments.concat(), "{\"path\": \"x\"}", "{}", got.body);
}

#[tokio::test]
async fn a_finish_reason_repeated_with_the_usage_is_dropped() {
    let usage = json!({"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7});
    let again = json!({"choices": [{"delta": {}, "finish_reason": "stop"}], "usage": usage});
    let rig = rig([events(&[
        chunk(&json!({"content": REPAIRED[0]}), None),
        chunk(&json!({}), Some("stop")),
        format!("data: {again}\n\n"),
        DONE.to_owned(),
    ])])
    .await;
    let mut request = wants_city(true);
    request["stream_options"] = json!({"include_usage": true});
    let got = rig.chat(&request).await;
    let events = got.events();
    let last = events.iter().find(|event| event["usage"] == usage).unwrap();
    for key in ["id", "object", "created", "model"] {
        assert_eq!(last[key], events[0][key], "{}", got.body);
    }
    assert_eq!(last["choices"], json!([{"index": 0, "delta": {}, "finish_reason": null}]));
    assert_eq!(got.finishes(), ["stop"]);
}

#[tokio::test]
async fn an_answer_without_a_known_end_is_incomplete() {
    // (what the choice contains, its finish reason, the status and the reason for the client)
    let call = |arguments: &str| {
        json!({"tool_calls": [{"id": "c", "type": "function",
            "function": {"name": "run", "arguments": arguments}}]})
    };
    let words = |text: &str| json!({"content": text});
    let rows = [
        // A call that had not begun to say what it passes.
        (call(""), json!("length"), 422, "truncated"),
        (call(""), json!("tool_calls"), 200, "tool_calls"),
        // An error by name, which is no call that can be made.
        (call("{}"), json!("malformed_function_call"), 200, "malformed_function_call"),
        // Nobody says why it ends.
        (words(r#"{"city": "Oslo""#), json!(null), 200, "length"),
        (words(r#"{"city": "Oslo""#), json!("abort"), 200, "length"),
        (words(r#"{"city": "Oslo"}"#), json!("abort"), 200, "abort"),
    ];
    for (said, reason, status, expected) in rows {
        let is_call = said.get("tool_calls").is_some();
        let mut message = said.clone();
        message["role"] = json!("assistant");
        let rig =
            rig([whole(&json!([{"index": 0, "finish_reason": reason, "message": message}]))]).await;
        let mut request = if is_call { offers_tool(false) } else { wants_city(false) };
        if is_call {
            request["tools"][0]["function"]["parameters"] = json!({"type": "object"});
        }
        let got = rig.chat(&request).await;
        assert_eq!(got.status, status, "{said} {reason}: {}", got.body);
        let answer = got.json();
        let found = if status == 200 {
            &answer["choices"][0]["finish_reason"]
        } else {
            &answer["error"]["code"]
        };
        assert_eq!(found, expected, "{said} {reason}: {}", got.body);
    }
}

#[tokio::test]
async fn a_name_in_pieces_is_one_name() {
    let piece = |name: &str, arguments: &str| {
        let function = json!({"name": name, "arguments": arguments});
        chunk(
            &json!({"tool_calls": [{"index": 0, "id": "a", "type": "function", "function": function}]}),
            None,
        )
    };
    // The second piece of the name, and what is passed. `ru` is a tool as well.
    let rows =
        [("n", "{'path': 'x'}"), ("n", r#"{"path": "x"}"#), ("n", "{'path': 'x', 'times': '2'}")];
    for (more, arguments) in rows {
        let mut request = offers_tool(true);
        let mut other = request["tools"][0].clone();
        other["function"] = json!({"name": "ru", "parameters": {"type": "object",
            "properties": {"path": {"type": "integer"}}, "required": ["path"], "additionalProperties": false}});
        request["tools"].as_array_mut().unwrap().push(other);
        let all = [
            piece("ru", ""),
            piece(more, arguments),
            chunk(&json!({}), Some("tool_calls")),
            DONE.to_owned(),
        ];
        let got = rig([events(&all)]).await.chat(&request).await;
        let names: Vec<Value> = functions(&got.events(), "name");
        assert_eq!(names, ["run"], "{arguments}: {}", got.body);
    }
    // One that is said with each piece is one, too.
    let all = [
        piece("run", "{'path':"),
        piece("run", " 'x'}"),
        chunk(&json!({}), Some("tool_calls")),
        DONE.to_owned(),
    ];
    let got = rig([events(&all)]).await.chat(&offers_tool(true)).await;
    assert_eq!(functions(&got.events(), "name"), ["run"], "{}", got.body);
    assert_eq!(functions(&got.events(), "arguments"), [r#"{"path": "x"}"#], "{}", got.body);
}

/// What the calls of a stream say under a key, where they say something.
fn functions(events: &[Value], key: &str) -> Vec<Value> {
    let calls =
        events.iter().filter_map(|event| event["choices"][0]["delta"]["tool_calls"].as_array());
    let found = calls.flatten().filter_map(|call| call["function"].get(key).cloned());
    found.filter(|found| found != "").collect()
}

#[tokio::test]
async fn inspected_is_what_clients_read() {
    let broken =
        json!({"role": "assistant", "content": "{'city': 'Oslo'}", "parsed": {"city": "Rome"}});
    let sound = json!({"role": "assistant", "content": REPAIRED[1]});
    let choice = json!({"index": 0, "finish_reason": "stop", "message": broken, "delta": sound});
    let turn = || whole(&json!([choice]));
    let rig = rig([turn(), turn()]).await;
    let got = rig.chat(&wants_city(false)).await.json();
    let expected = json!({"role": "assistant", "content": REPAIRED[0]});
    assert_eq!(got["choices"][0]["message"], expected, "{got}");
    assert!(got["choices"][0].get("delta").is_none(), "{got}");
    let got = rig.chat(&wants_city(true)).await;
    assert_eq!(contents(&got.events())[0], REPAIRED[0], "{}", got.body);
    assert!(!got.body.contains("message"), "{}", got.body);
}

#[tokio::test]
async fn an_answer_without_choices_and_a_choice_without_an_answer_are_failures() {
    let of_choice = json!([{"index": 0, "error": {"code": 502, "message": "overloaded"},
        "message": {"role": "assistant", "content": "{\"city\": \"Os"}}]);
    for (choices, status, code) in [(json!([]), 502, "bad_answer"), (of_choice, 502, "502")] {
        let got = rig([whole(&choices)]).await.chat(&wants_city(false)).await;
        assert_eq!(
            (got.status, &got.json()["error"]["code"]),
            (status, &json!(code)),
            "{}",
            got.body
        );
        let all = [event(&choices), DONE.to_owned()];
        let got = rig([events(&all)]).await.chat(&wants_city(true)).await;
        let error = got.events().into_iter().rev().find_map(|event| event.get("error").cloned());
        assert_eq!(error.map(|error| error["code"].clone()), Some(json!(code)), "{}", got.body);
    }
}

#[tokio::test]
async fn no_finish_reason_is_invented_after_a_failure() {
    let call = json!({"tool_calls": [{"index": 0, "id": "a", "type": "function",
        "function": {"name": "run", "arguments": "{\"path\": \"x\"}"}}]});
    let rows = [
        ("error: {\"code\": 500, \"message\": \"lost\"}\n\n", "upstream_error", "lost"),
        (
            "data: {\"text\": \"NETWORK ERROR\", \"error_code\": 50001}\n\n",
            "stream/malformed",
            "not a chat completion",
        ),
        (
            "data: {\"object\": \"error\", \"message\": \"lost\"}\n\n",
            "stream/malformed",
            "not a chat completion",
        ),
        ("data: 7\n\n", "stream/malformed", "not a chat completion"),
    ];
    for (event, code, message) in rows {
        let rig = rig([events(&[chunk(&call, None), event.to_owned(), DONE.to_owned()])]).await;
        let got = rig.chat(&offers_tool(true)).await;
        let error = got.events().into_iter().rev().find_map(|event| event.get("error").cloned());
        let error = error.unwrap_or_else(|| panic!("{event}: {}", got.body));
        assert_eq!(error["code"], code, "{event}: {}", got.body);
        assert!(error["message"].as_str().unwrap().contains(message), "{event}: {}", got.body);
        assert_eq!(got.finishes(), Vec::<String>::new(), "{event}: {}", got.body);
    }
    // What is no part of it, and no end either, passes.
    let odd = "data: {\"heartbeat\": 1}\n\n";
    let all = [
        chunk(&call, None),
        odd.to_owned(),
        chunk(&json!({}), Some("tool_calls")),
        DONE.to_owned(),
    ];
    let got = rig([events(&all)]).await.chat(&offers_tool(true)).await;
    assert!(got.body.contains(odd), "{}", got.body);
    assert_eq!(got.finishes(), ["tool_calls"]);
}

#[tokio::test]
async fn an_unread_message_in_a_stream_is_an_error() {
    let message = json!({"role": "assistant", "content": "{'city': 'Oslo'}"});
    let beside = |delta: Value, message: &Value| {
        event(&json!([{"index": 0, "delta": delta, "message": message, "finish_reason": "stop"}]))
    };
    let got =
        rig([events(&[beside(json!({"role": "assistant"}), &message), DONE.to_owned()])]).await;
    let got = got.chat(&wants_city(true)).await;
    assert!(got.body.contains("stream/malformed"), "{}", got.body);
    // One that says again what the pieces said is left out.
    let all = [
        chunk(&json!({"content": "{'city': 'Oslo'}"}), None),
        beside(json!({}), &message),
        DONE.to_owned(),
    ];
    let got = rig([events(&all)]).await.chat(&wants_city(true)).await;
    assert_eq!(contents(&got.events())[0], REPAIRED[0], "{}", got.body);
}

#[tokio::test]
async fn a_second_finish_reason_is_forwarded() {
    let filter = event(&json!([{"index": 0, "delta": {}, "finish_reason": "content_filter",
        "content_filter_results": {"hate": {"filtered": true}}}]));
    for text in [REPAIRED[0], "{'city': 'Oslo'}"] {
        let all = [
            chunk(&json!({"content": text}), None),
            chunk(&json!({}), Some("stop")),
            filter.clone(),
            DONE.to_owned(),
        ];
        let got = rig([events(&all)]).await.chat(&wants_city(true)).await;
        assert_eq!(got.finishes(), ["stop", "content_filter"], "{}", got.body);
        assert!(got.body.contains("filtered"), "{}", got.body);
    }
}

#[tokio::test]
async fn parsed_arguments_hide_no_truncation() {
    let call = |reason: &str| {
        json!({"index": 0, "finish_reason": reason, "message": {"role": "assistant", "tool_calls": [
            {"id": "c", "type": "function", "function": {"name": "run", "arguments": {"path": "/tm"}}}]}})
    };
    for (reason, is_given) in [("length", false), ("tool_calls", true), ("cancelled", false)] {
        let rig = rig([whole(&json!([call(reason)])), whole(&json!([call(reason)]))]).await;
        let got = rig.chat(&offers_tool(false)).await;
        assert_eq!(got.status == 200, is_given, "{reason}: {}", got.body);
        let got = rig.chat(&offers_tool(true)).await;
        let error = got.events().into_iter().rev().find_map(|event| event.get("error").cloned());
        assert_eq!(error.is_none(), is_given, "{reason}: {}", got.body);
    }
}

#[tokio::test]
async fn a_schema_is_read_wherever_servers_take_one() {
    let schema = wants_city(false)["response_format"]["json_schema"]["schema"].clone();
    let answer = json!({"index": 0, "finish_reason": "stop",
        "message": {"role": "assistant", "content": "{\"city\": 7}"}});
    let rows = [
        json!({"response_format": {"type": "json_object", "schema": schema}}),
        json!({"response_format": {"type": "json_schema", "schema": schema}}),
        json!({"guided_json": schema}),
        json!({"structured_outputs": {"json": schema}}),
    ];
    for row in rows {
        let mut request =
            json!({"model": "m", "messages": [{"role": "user", "content": "Where?"}]});
        request.as_object_mut().unwrap().extend(row.as_object().unwrap().clone());
        let got = rig([whole(&json!([answer]))]).await.chat(&request).await.json();
        assert_eq!(got["choices"][0]["message"]["content"], "{\"city\": \"7\"}", "{row}: {got}");
    }
}
