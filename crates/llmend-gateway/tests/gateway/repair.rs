//! What is repaired, and what is said of it.

use llmend_model_server::{Answer, ModelServer, Reply};
use serde_json::{Value, json};

use crate::rig::{CHAT, offers_tool, rig, rig_with, wants_city, wants_words};

/// Texts of a model, and what a client gets of each.
const CITIES: [(&str, &str); 5] = [
    ("{\"city\":\"Oslo\"}", "{\"city\":\"Oslo\"}"),
    ("Sure!\n```json\n{\"city\": \"Oslo\"}\n```\nAnything else?", "{\"city\": \"Oslo\"}"),
    ("{'city': 'Oslo', 'days': 3,}", "{\"city\": \"Oslo\", \"days\": 3}"),
    ("{\"City\": \"Oslo\", \"days\": \"3\"}", "{\"city\": \"Oslo\", \"days\": 3}"),
    ("<think>{\"city\": \"Rome\"}?</think>{\"city\": \"Oslo\"}", "{\"city\": \"Oslo\"}"),
];

#[tokio::test]
async fn the_content_matches_its_schema_whole_and_streamed() {
    let turns =
        CITIES.iter().flat_map(|(text, _)| [Answer::text(text).into(), Answer::text(text).into()]);
    let rig = rig(turns).await;
    for (text, expected) in CITIES {
        let whole = rig.chat(&wants_city(false)).await;
        assert_eq!(whole.json()["choices"][0]["message"]["content"], expected, "{text}");
        let streamed = rig.chat(&wants_city(true)).await;
        assert_eq!(streamed.content(), expected, "{text}");
        assert_eq!(streamed.finishes(), ["stop"], "{text}");
    }
}

#[tokio::test]
async fn arguments_match_the_schema_of_their_tool() {
    let rows = [
        ("{\"path\": \"x\"}", "{\"path\": \"x\"}"),
        ("{'path': 'x', 'times': '2'}", "{\"path\": \"x\", \"times\": 2}"),
        ("```json\n{\"path\": \"x\"}\n```", "{\"path\": \"x\"}"),
        ("\"{\\\"path\\\": \\\"x\\\"}\"", "{\"path\":\"x\"}"),
    ];
    let turns = rows
        .iter()
        .flat_map(|(text, _)| [Answer::call("run", text).into(), Answer::call("run", text).into()]);
    let rig = rig(turns).await;
    for (text, expected) in rows {
        let whole = rig.chat(&offers_tool(false)).await.json();
        let call = &whole["choices"][0]["message"]["tool_calls"][0];
        let json = |text: &Value| serde_json::from_str::<Value>(text.as_str().unwrap()).unwrap();
        let expected: Value = serde_json::from_str(expected).unwrap();
        assert_eq!(json(&call["function"]["arguments"]), expected, "{text}");
        let streamed = rig.chat(&offers_tool(true)).await;
        let arguments: String = streamed
            .events()
            .iter()
            .filter_map(|event| {
                let call = &event["choices"][0]["delta"]["tool_calls"][0];
                call["function"]["arguments"].as_str().map(str::to_owned)
            })
            .collect();
        assert_eq!(serde_json::from_str::<Value>(&arguments).unwrap(), expected, "{text}");
    }
}

#[tokio::test]
async fn half_a_call_is_never_completed() {
    let texts = ["{\"path\": \"x\", \"times\": 1", "{\"path\": \"/tm"];
    let turns = texts.iter().flat_map(|text| {
        let cut = Answer::call("run", text).cut_off();
        [cut.clone().into(), cut.into(), Answer::call("run", text).into()]
    });
    let rig = rig(turns).await;
    for text in texts {
        let got = rig.chat(&offers_tool(false)).await;
        assert_eq!(
            (got.status, &got.json()["error"]["code"]),
            (422, &json!("truncated")),
            "{text}"
        );
        let got = rig.chat(&offers_tool(true)).await;
        assert_eq!(got.events()[0]["error"]["reason"], "truncated", "{text}");
        // Also where the provider says that it is complete.
        assert_eq!(rig.chat(&offers_tool(false)).await.status, 422, "{text}");
    }
}

#[tokio::test]
async fn the_policy_decides_on_truncation() {
    let server = ModelServer::scripted([
        Answer::text("{\"city\": \"Osl").cut_off().into(),
        Answer::call("run", "{\"path\": \"x\"").cut_off().into(),
        Answer::text("{'city': 'Oslo'}").into(),
    ]);
    let policy = "[gateway.policy]\non_truncation = \"refuse\"\non_truncated_call = \"allow\"\n\
        [[gateway.routes]]\nmodel = \"strict\"\nupstream = \"main\"\npolicy = { level = \"strict\" }";
    let rig = rig_with(policy, server).await;
    assert_eq!(rig.chat(&wants_city(false)).await.status, 422);
    let got = rig.chat(&offers_tool(false)).await.json();
    assert_eq!(got["choices"][0]["finish_reason"], "length");
    let mut request = wants_city(false);
    request["model"] = json!("strict");
    assert_eq!(rig.chat(&request).await.status, 422);
}

#[tokio::test]
async fn a_schema_may_come_in_a_header() {
    let rig = rig([Answer::text("It is 'Oslo'. {'city': 'Oslo'}").into()]).await;
    let schema = "x-llmend-schema: {\"type\":\"object\",\"required\":[\"city\"]}\r\nx-llmend-report: yes\r\n";
    let got = rig.ask("POST", CHAT, schema, &wants_words(false).to_string()).await;
    let answer = got.json();
    assert_eq!(answer["choices"][0]["message"]["content"], "{\"city\": \"Oslo\"}");
    assert_eq!(answer["llmend"]["attempts"], 1);
    assert_eq!(answer["llmend"]["parts"][0]["path"], "choices[0].message.content");
    let report = got.header("x-llmend-repair").unwrap();
    assert!(report.starts_with("repaired; class=notation; done=single-quotes:"), "{report}");
    assert_eq!(got.header("x-llmend-attempts"), Some("1"));
    // Ours, and nobody else's.
    assert_eq!(rig.seen().header("x-llmend-schema"), None);
}

#[tokio::test]
async fn a_route_may_inspect_on_request_only() {
    let broken = || Answer::text("{'city': 'Oslo'}").into();
    let server = ModelServer::scripted([broken(), broken(), broken()]);
    let rig = rig_with("[gateway.policy]\nrepair = \"asked\"", server).await;
    let content = |got: crate::rig::Got| got.json()["choices"][0]["message"]["content"].clone();
    assert_eq!(content(rig.chat(&wants_city(false)).await), "{'city': 'Oslo'}");
    let mut request = wants_city(false);
    request["plugins"] = json!([{"id": "response-healing"}]);
    assert_eq!(content(rig.chat(&request).await), "{\"city\": \"Oslo\"}");
    assert!(!rig.upstream.requests()[1].body.contains("plugins"));
    let body = wants_city(false).to_string();
    let got = rig.ask("POST", CHAT, "x-llmend-repair: yes\r\n", &body).await;
    assert_eq!(content(got), "{\"city\": \"Oslo\"}");
}

#[tokio::test]
async fn the_forwarded_history_is_repaired() {
    let rig = rig([Answer::text("done").into()]).await;
    let mut request = offers_tool(false);
    request["messages"] = json!([{"role": "assistant", "tool_calls": [
        {"id": "1", "type": "function", "function": {"name": "run", "arguments": "{'path': 'x',"}}]}]);
    let got = rig.chat(&request).await;
    assert_eq!(got.header("x-llmend-repair"), Some("unchanged; history=1"));
    let seen = rig.seen().json();
    assert_eq!(seen["messages"][0]["tool_calls"][0]["function"]["arguments"], "{\"path\": \"x\"}");
}

#[tokio::test]
async fn unknown_members_of_a_call_are_kept() {
    let reply = Reply::events(
        "data: {\"id\":\"1\",\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\
         \"extra_content\":{\"google\":{\"thought_signature\":\"sig\"}},\"function\":{\"name\":\"run\",\"arguments\":\"{path: 'x'}\"}}]}}]}\n\n",
    )
    .text("data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n");
    let rig = rig([reply.into()]).await;
    let got = rig.chat(&offers_tool(true)).await;
    let call = got.events()[0]["choices"][0]["delta"]["tool_calls"][0].clone();
    assert_eq!(call["extra_content"]["google"]["thought_signature"], "sig", "{call}");
    assert_eq!(call["function"]["arguments"], "{\"path\": \"x\"}");
}

#[tokio::test]
async fn a_whole_answer_becomes_the_requested_stream() {
    let whole = json!({"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [
        {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "{'city': 'Oslo'}"}}]});
    let rig = rig([Reply::json(200, whole.to_string()).into()]).await;
    let got = rig.chat(&wants_city(true)).await;
    assert_eq!(got.header("content-type"), Some("text/event-stream"));
    assert_eq!(
        (got.content().as_str(), got.finishes()),
        ("{\"city\": \"Oslo\"}", vec!["stop".to_owned()])
    );
    assert_eq!(got.events().last(), Some(&json!("[DONE]")));
}
