//! Calls in the form of older clients: `functions` and `function_call`.

use llmend_model_server::{Answer, ModelServer};
use serde_json::{Value, json};

use crate::rig::{DONE, chunk, events, rig, rig_with};

fn offers_function(stream: bool) -> Value {
    json!({"model": "m", "stream": stream, "messages": [{"role": "user", "content": "Run it."}],
        "functions": [{"name": "run", "parameters": {"type": "object",
            "properties": {"path": {"type": "string"}, "times": {"type": "integer"}}, "required": ["path"]}}]})
}

#[tokio::test]
async fn a_call_is_repaired_whole_and_streamed() {
    let broken = || Answer::call("run", "{'path': 'x', times: '2'}").into();
    let rig = rig([broken(), broken()]).await;
    let expected = json!({"name": "run", "arguments": "{\"path\": \"x\", \"times\": 2}"});
    let got = rig.chat(&offers_function(false)).await.json();
    let choice = &got["choices"][0];
    assert_eq!(choice["message"]["function_call"], expected);
    assert_eq!(choice["finish_reason"], "function_call");
    assert!(choice["message"].get("tool_calls").is_none(), "{got}");
    let got = rig.chat(&offers_function(true)).await;
    let calls: Vec<Value> = got
        .events()
        .iter()
        .filter_map(|event| event["choices"][0]["delta"].get("function_call").cloned())
        .collect();
    assert_eq!(calls, [expected]);
    assert_eq!(got.finishes(), ["function_call"]);
}

#[tokio::test]
async fn a_call_that_is_sound_passes_byte_for_byte() {
    let stream = [
        chunk(
            &json!({"role": "assistant", "function_call": {"name": "run", "arguments": ""}}),
            None,
        ),
        chunk(&json!({"function_call": {"arguments": "{\"path\":"}}), None),
        chunk(&json!({"function_call": {"arguments": "\"x\"}"}}), None),
        chunk(&json!({}), Some("function_call")),
        DONE.to_owned(),
    ];
    let rig = rig([Answer::call("run", "{\"path\":\"x\"}").into(), events(&stream)]).await;
    let got = rig.chat(&offers_function(false)).await;
    assert_eq!(got.header("x-llmend-repair"), Some("unchanged"));
    assert!(got.body.contains(r#""arguments":"{\"path\":\"x\"}""#), "{}", got.body);
    assert_eq!(rig.chat(&offers_function(true)).await.body, stream.concat());
}

#[tokio::test]
async fn half_a_call_is_refused_with_its_path() {
    let cut = Answer::call("run", "{\"path\": \"/tm").cut_off();
    let rig = rig([cut.clone().into(), cut.into()]).await;
    for stream in [false, true] {
        let got = rig.chat(&offers_function(stream)).await;
        let error = if stream { got.events().remove(0) } else { got.json() }["error"].clone();
        assert_eq!(error["type"], "repair_error");
        assert_eq!(error["param"], "choices[0].message.function_call.arguments");
    }
}

#[tokio::test]
async fn the_history_and_retries_use_the_older_form_too() {
    let turns =
        [Answer::call("run", "{'times': 2}").into(), Answer::text("{\"path\": \"x\"}").into()];
    let rig = rig_with("[gateway.policy]\nreasks = 1", ModelServer::scripted(turns)).await;
    let mut request = offers_function(false);
    request["messages"] = json!([
        {"role": "user", "content": "Run it."},
        {"role": "assistant", "content": null, "function_call": {"name": "run", "arguments": "{'path': 'y',"}},
        {"role": "function", "name": "run", "content": "done"},
    ]);
    let got = rig.chat(&request).await.json();
    let arguments = got["choices"][0]["message"]["function_call"]["arguments"].as_str().unwrap();
    let arguments: Value = serde_json::from_str(arguments).unwrap();
    assert_eq!(arguments, json!({"path": "x"}));
    let seen = rig.upstream.requests();
    let arguments = &seen[0].json()["messages"][1]["function_call"]["arguments"];
    assert_eq!(*arguments, json!("{\"path\": \"y\"}"));
    // The functions stay known, and may not be called.
    let again = seen[1].json();
    assert_eq!((&again["function_call"], again["functions"].is_array()), (&json!("none"), true));
    assert!(again.get("tool_choice").is_none(), "{again}");
}
