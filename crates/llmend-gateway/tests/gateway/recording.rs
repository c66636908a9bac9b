//! Recording of exchanges, and that nothing is recorded by default.

use llmend_model_server::{Answer, ModelServer, Reply, Step, Turn};
use serde_json::{Value, json};

use crate::responses::{message, response, text_stream};
use crate::rig::{
    CHAT, DONE, Rig, chunk, events, offers_tool, rig, rig_with, wants_city, wants_words,
};

const MEMORY: &str = "[gateway.recording]\nstore = \"memory\"";

async fn recording(turns: impl IntoIterator<Item = Turn>) -> Rig {
    rig_with(MEMORY, ModelServer::scripted(turns)).await
}

/// The exchanges that are kept, the newest first.
async fn list(rig: &Rig) -> Vec<Value> {
    rig.get("/v1/exchanges").await.json()["exchanges"].as_array().unwrap().clone()
}

/// The newest exchange, with its parts.
async fn newest(rig: &Rig) -> Value {
    let id = list(rig).await[0]["id"].clone();
    rig.get(&format!("/v1/exchanges/{id}")).await.json()
}

#[tokio::test]
async fn nothing_is_recorded_by_default() {
    let rig = rig([Answer::text("{'city': 'Oslo'}").into()]).await;
    assert_eq!(rig.chat(&wants_city(false)).await.status, 200);
    let got = rig.get("/v1/exchanges").await.json();
    let expected = json!({"recording": "off", "dropped": 0, "trouble": null, "exchanges": [],
        "next": null});
    assert_eq!(got, expected);
    let got = rig.get("/v1/exchanges/1").await;
    assert_eq!((got.status, &got.json()["error"]), (404, &json!("recording is off")));
    assert!(rig.get("/metrics").await.body.contains("llmend_recorded_total 0\n"));
}

#[tokio::test]
async fn records_have_the_original_and_the_delivered_text() {
    let answer = Answer::text("Sure: {'city': 'Oslo', 'days': '3'}").usage(11, 7);
    let rig = recording([answer.clone().into(), answer.into()]).await;
    for stream in [false, true] {
        let got = rig.chat(&wants_city(stream)).await;
        let kept = newest(&rig).await;
        assert_eq!(Some(kept["request_id"].as_str().unwrap()), got.header("x-request-id"));
        let known = [
            ("endpoint", json!("chat")),
            ("model", json!("m")),
            ("status", json!(200)),
            ("outcome", json!("repaired")),
            ("class", json!("notation")),
            ("attempts", json!(1)),
            ("tokens_in", json!(11)),
            ("tokens_out", json!(7)),
        ];
        for (name, expected) in known {
            assert_eq!(kept[name], expected, "{stream} {name}: {kept}");
        }
        let at = kept["at"].as_str().unwrap();
        assert!(at.starts_with("20") && at.ends_with('Z') && at.len() == 24, "{at}");
        let part = &kept["parts"][0];
        assert_eq!(part["text"], "Sure: {'city': 'Oslo', 'days': '3'}");
        assert_eq!(part["json"], "{\"city\": \"Oslo\", \"days\": 3}");
        assert_eq!((&part["kind"], &part["policy"]), (&json!("content"), &json!("standard")));
        assert_eq!(part["schema"]["required"], json!(["city"]));
        assert_eq!(part["coercions"][0]["kind"], "number-from-text");
        let quotes = part["repairs"].as_array().unwrap();
        let quotes = quotes.iter().find(|row| row["rule"] == "single-quotes").unwrap();
        assert_eq!((&quotes["start"], &quotes["class"]), (&json!(7), &json!("notation")));
        let count = part["repairs"].as_array().unwrap().len() + 1;
        assert_eq!(kept["repairs"], json!(count));
        assert_eq!(part["clipped"], false);
    }
}

#[tokio::test]
async fn calls_are_recorded_with_their_tools_and_unchanged_answers_as_such() {
    let rig = recording([
        Answer::call("run", "{path: 'x'}").into(),
        Answer::text("{\"city\": \"Oslo\"}").into(),
    ])
    .await;
    rig.chat(&offers_tool(false)).await;
    let kept = newest(&rig).await;
    let part = &kept["parts"][0];
    assert_eq!((&part["kind"], &part["tool"]), (&json!("call"), &json!("run")));
    assert_eq!(part["json"], "{\"path\": \"x\"}");
    assert_eq!(part["schema"]["required"], json!(["path"]));

    rig.chat(&wants_city(true)).await;
    let kept = newest(&rig).await;
    assert_eq!((&kept["outcome"], &kept["class"]), (&json!("unchanged"), &Value::Null));
    assert_eq!(kept["parts"][0]["json"], kept["parts"][0]["text"]);
}

#[tokio::test]
async fn every_protocol_is_recorded() {
    let call = || Answer::call("run", "{\"n\": \"3\"}").usage(1, 2).into();
    let whole = response("completed", &json!([message("{n: 3}")]));
    let rows: [(&str, Value, [Turn; 2]); 2] = [
        (
            "responses",
            json!({"model": "m", "input": "?", "text": {"format": {"type": "json_object"}}}),
            [
                Reply::json(200, whole.to_string()).into(),
                Reply::events(text_stream(&["{n: ", "3}"], "completed")).into(),
            ],
        ),
        (
            "messages",
            json!({"model": "m", "max_tokens": 9, "messages": [],
                "tools": [{"name": "run", "input_schema": {"properties": {"n": {"type": "integer"}}}}]}),
            [call(), call()],
        ),
    ];
    for (endpoint, mut request, turns) in rows {
        let rig = recording(turns).await;
        for stream in [false, true] {
            request["stream"] = json!(stream);
            let path = format!("/v1/{endpoint}");
            let got = rig.ask("POST", &path, "", &request.to_string()).await;
            assert_eq!(got.status, 200, "{got:?}");
            let kept = newest(&rig).await;
            let known = [
                ("endpoint", json!(endpoint)),
                ("outcome", json!("repaired")),
                ("tokens_in", json!(1)),
                ("tokens_out", json!(2)),
            ];
            for (name, expected) in known {
                assert_eq!(kept[name], expected, "{stream} {name}: {kept}");
            }
            let json: Value =
                serde_json::from_str(kept["parts"][0]["json"].as_str().unwrap()).unwrap();
            assert_eq!(json, json!({"n": 3}), "{kept}");
        }
    }
}

#[tokio::test]
async fn uninspected_answers_are_recorded_without_texts() {
    let rig = recording([
        Answer::text("The secret is out.").into(),
        Answer::text("The secret is out.").usage(5, 6).into(),
    ])
    .await;
    for stream in [false, true] {
        rig.chat(&wants_words(stream)).await;
        let kept = newest(&rig).await;
        assert_eq!((&kept["outcome"], &kept["parts"]), (&json!("passthrough"), &json!([])));
        assert!(!kept.to_string().contains("secret"), "{kept}");
    }
    assert_eq!(list(&rig).await[0]["tokens_out"], 6);
}

#[tokio::test]
async fn the_newest_exchanges_are_listed_in_pages() {
    let text = "[gateway.recording]\nstore = \"memory\"\nkeep = 3";
    let turns = (0..5).map(|_| Answer::text("{\"city\": \"Oslo\"}").into());
    let rig = rig_with(text, ModelServer::scripted(turns)).await;
    for _ in 0..5 {
        rig.chat(&wants_city(false)).await;
    }
    let ids: Vec<u64> = list(&rig).await.iter().map(|row| row["id"].as_u64().unwrap()).collect();
    assert_eq!(ids, [5, 4, 3]);
    let page = rig.get("/v1/exchanges?limit=2").await.json();
    assert_eq!((&page["exchanges"][1]["id"], &page["next"]), (&json!(4), &json!(4)));
    let page = rig.get("/v1/exchanges?limit=2&before=4").await.json();
    assert_eq!((&page["exchanges"][0]["id"], &page["next"]), (&json!(3), &Value::Null));
    for path in ["/v1/exchanges/2", "/v1/exchanges/6", "/v1/exchanges/0", "/v1/exchanges/x"] {
        let got = rig.get(path).await;
        assert_eq!((got.status, &got.json()["status"]), (404, &json!(404)), "{path}");
    }
    let got = rig.get("/v1/exchanges?limit=none").await;
    assert_eq!((got.status, got.json()["details"].is_array()), (400, true));
    assert!(rig.get("/metrics").await.body.contains("llmend_recorded_total 5\n"));
}

#[tokio::test]
async fn failures_are_recorded_with_their_code() {
    let rig = recording([
        Answer::text("Sorry.").into(),
        Answer::text("{\"city\": 7, \"days\": [").cut_off().into(),
        Reply::json(500, "{\"error\": {\"message\": \"no\"}}").into(),
        Reply::events(chunk(&json!({"content": "{\"ci"}), None)).into(),
        Reply::events(chunk(&json!({"content": "{\"ci"}), None)).then(Step::Cut).into(),
        Reply::events(chunk(&json!({"content": "Hel"}), None)).into(),
        Reply::cut().into(),
    ])
    .await;
    // (streaming, what is asked, status, outcome, code, how many parts)
    let rows = [
        (false, wants_city(false), 422, "refused", "extract/no-json", 1),
        (true, wants_city(true), 200, "refused", "", 1),
        (false, wants_city(false), 500, "failed", "upstream_error", 0),
        (true, wants_city(true), 200, "failed", "stream/unexpected-end", 0),
        (true, wants_city(true), 200, "failed", "connection", 0),
        (true, wants_words(true), 200, "failed", "stream/unexpected-end", 0),
        (false, wants_city(false), 502, "failed", "connection", 0),
    ];
    for (stream, request, status, outcome, code, parts) in rows {
        let got = rig.chat(&request).await;
        assert_eq!(got.status, status, "{stream} {got:?}");
        let kept = newest(&rig).await;
        assert_eq!(
            (&kept["status"], &kept["outcome"]),
            (&json!(status), &json!(outcome)),
            "{kept}"
        );
        assert!(kept["code"].as_str().unwrap().contains(code), "{kept}");
        assert_eq!(kept["parts"].as_array().unwrap().len(), parts, "{kept}");
        if parts == 1 {
            assert_eq!(kept["parts"][0]["json"], Value::Null);
            assert!(!kept["parts"][0]["diagnostics"].as_array().unwrap().is_empty(), "{kept}");
        }
    }
    // A request that reaches no upstream is recorded; one without a model is not.
    rig.ask("POST", CHAT, "x-llmend-schema: {\r\n", &wants_city(false).to_string()).await;
    assert_eq!((&newest(&rig).await["outcome"], list(&rig).await.len()), (&json!("rejected"), 8));
    rig.ask("POST", CHAT, "", "{}").await;
    assert_eq!(list(&rig).await.len(), 8);
}

#[tokio::test]
async fn disconnected_clients_are_recorded() {
    let hanging = Reply::events(chunk(&json!({"content": "{\"ci"}), None)).then(Step::Hang);
    let rig = recording([Reply::hang().into(), hanging.into()]).await;
    for (number, stream) in [(0, false), (1, true)] {
        let body = wants_city(stream).to_string();
        let request = rig.head("POST", CHAT, "", body.len()) + &body;
        let client = rig.send(&request).await;
        rig.upstream.arrived(number + 1).await;
        drop(client);
        rig.upstream.left(number).await;
        let kept = newest(&rig).await;
        assert_eq!(kept["outcome"], "client-gone", "{kept}");
        assert_eq!(kept["attempts"], 1);
    }
}

#[tokio::test]
async fn retries_are_recorded_with_the_first_answer() {
    let turns = [
        Answer::text("{\"city\": \"Oslo\", \"days\": \"a few\"}").usage(11, 7).into(),
        Answer::text("{\"days\": 3}").usage(20, 5).into(),
        Answer::text("No.").into(),
        Answer::text("Never.").into(),
    ];
    let text = format!("{MEMORY}\n[gateway.policy]\nreasks = 1");
    let rig = rig_with(&text, ModelServer::scripted(turns)).await;
    rig.chat(&wants_city(false)).await;
    let kept = newest(&rig).await;
    assert_eq!((&kept["attempts"], &kept["outcome"]), (&json!(2), &json!("repaired")));
    assert_eq!((&kept["tokens_in"], &kept["tokens_out"]), (&json!(31), &json!(12)));
    let part = &kept["parts"][0];
    assert!(part["first"]["text"].as_str().unwrap().contains("a few"), "{part}");
    assert!(!part["first"]["diagnostics"].as_array().unwrap().is_empty(), "{part}");
    assert_eq!(part["json"], "{\"city\": \"Oslo\", \"days\": 3}");

    rig.chat(&wants_city(true)).await;
    let kept = newest(&rig).await;
    assert_eq!((&kept["attempts"], &kept["outcome"]), (&json!(2), &json!("refused")));
    assert_eq!(kept["parts"][0]["text"], "No.");
}

#[tokio::test]
async fn long_texts_are_clipped() {
    let text = format!("{MEMORY}\ntext_bytes = 31");
    let long = format!("{{'city': '{}'}}", "ø".repeat(99));
    let turns = [Answer::text(&long).into(), Answer::text("{'city': 'Oslo'}").into()];
    let rig = rig_with(&text, ModelServer::scripted(turns)).await;
    rig.chat(&wants_city(false)).await;
    let part = newest(&rig).await["parts"][0].clone();
    assert_eq!((part["text"].as_str().unwrap(), &part["clipped"]), (&long[..30], &json!(true)));
    assert_eq!((&part["json"], &part["schema"]), (&Value::Null, &Value::Null));
}

#[tokio::test]
async fn exchanges_need_a_key() {
    let hash = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b";
    let closed = format!("{MEMORY}\n[[gateway.keys]]\nname = \"me\"\nsha256 = \"{hash}\"");
    let rig = rig_with(&closed, ModelServer::scripted([])).await;
    let open = recording([]).await;
    for path in ["/v1/exchanges", "/v1/exchanges/1"] {
        let got = rig.get(path).await;
        assert_eq!((got.status, &got.json()["status"]), (401, &json!(401)), "{path}");
        let got = rig.ask("GET", path, "authorization: Bearer secret\r\n", "").await;
        assert_ne!(got.status, 401, "{path}");
        let got = open.ask("GET", path, "origin: https://evil.example\r\n", "").await;
        assert_eq!((got.status, got.json()["error"].is_string()), (403, true), "{path}");
    }
}

#[tokio::test]
async fn no_key_and_no_prompt_is_recorded() {
    let key = "sk-planted-0123456789abcdef";
    let echo = format!("{{\"error\": {{\"message\": \"bad key {key}\", \"code\": \"{key}\"}}}}");
    let rig = recording([
        Answer::text("{'city': 'Oslo'}").into(),
        Reply::json(401, echo.clone()).into(),
        Reply::json(200, echo.clone()).into(),
        events(&[format!("data: {echo}\n\n"), DONE.to_owned()]),
    ])
    .await;
    let headers = format!("authorization: Bearer {key}\r\n");
    for stream in [false, false, false, true] {
        rig.ask("POST", CHAT, &headers, &wants_city(stream).to_string()).await;
    }
    let rows = list(&rig).await;
    assert_eq!(rows.len(), 4);
    for row in rows {
        let kept = rig.get(&format!("/v1/exchanges/{}", row["id"])).await.body;
        assert!(!kept.contains("planted") && !kept.contains("A city?"), "{kept}");
    }
}
