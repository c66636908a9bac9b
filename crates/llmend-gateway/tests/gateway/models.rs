//! Settings of models: headers, limits and prices.

use llmend_model_server::{Answer, ModelServer};
use serde_json::json;

use crate::rig::{CHAT, rig_with, wants_city};

const CITY: &str = "{\"city\": \"Oslo\", \"days\": 3}";

#[tokio::test]
async fn a_model_is_asked_with_its_own_headers() {
    let settings = "[headers]\nx-team = \"seven\"\n[models.\"openai:m\"]\n\
                    headers = { X-Team = \"eight\", x-trace = \"a:b\" }\n[gateway.policy]\nreasks = 1\n";
    let bad = "{\"city\": \"Oslo\", \"days\": \"a few\"}";
    let server = ModelServer::answering(move |seen| {
        let text = if seen.body.contains("another") { CITY } else { bad };
        Answer::text(text).into()
    });
    let rig = rig_with(settings, server).await;
    let mut request = wants_city(false);
    // What the client sends under that name is replaced.
    rig.ask("POST", CHAT, "x-team: theirs\r\nx-other: 1\r\n", &request.to_string()).await;
    request["model"] = json!("another");
    rig.chat(&request).await;
    rig.get("/v1/models").await;
    let seen = rig.upstream.requests();
    let sent: Vec<_> =
        seen.iter().map(|seen| (seen.header("x-team"), seen.header("x-trace"))).collect();
    let (own, general) = ((Some("eight"), Some("a:b")), (Some("seven"), None));
    // The retry is sent with the headers of the first request.
    let expected = [vec![own; seen.len() - 2], vec![general; 2]].concat();
    assert!(seen.len() > 3, "{seen:?}");
    assert_eq!(sent, expected);
    assert_eq!(seen[0].header("x-other"), Some("1"));
}

#[tokio::test]
async fn a_limit_above_that_of_the_model_is_lowered_and_reported() {
    let settings = "[models.m]\noutput_limit = 1000\n";
    for (limit, sent, header) in [
        (json!(5000), json!(1000), Some("1000")),
        (json!(1000), json!(1000), None),
        (json!(10), json!(10), None),
        (json!("many"), json!("many"), None),
        (json!(null), json!(null), None),
    ] {
        let rig = rig_with(settings, ModelServer::scripted([Answer::text(CITY).into()])).await;
        let mut request = wants_city(false);
        request["max_completion_tokens"] = limit.clone();
        let got = rig.chat(&request).await;
        assert_eq!(got.header("x-llmend-output-limit"), header, "{limit}");
        assert_eq!(rig.seen().json()["max_completion_tokens"], sent, "{limit}");
    }
    // Nothing is added, and other models have their own limits.
    let rig = rig_with(settings, ModelServer::scripted([Answer::text(CITY).into()])).await;
    let mut request = wants_city(false);
    (request["model"], request["max_tokens"]) = (json!("another"), json!(5000));
    rig.chat(&request).await;
    assert_eq!(rig.seen().json()["max_tokens"], 5000);
}

#[tokio::test]
async fn recorded_exchanges_have_their_cost() {
    let settings = "[models.m]\nprice = \"1/2 EUR\"\n[gateway.recording]\nstore = \"memory\"\n";
    let answer = || Answer::text(CITY).usage(11, 7).into();
    let rig = rig_with(settings, ModelServer::scripted([answer(), answer()])).await;
    rig.chat(&wants_city(false)).await;
    let mut other = wants_city(false);
    other["model"] = json!("another");
    rig.chat(&other).await;
    let kept = rig.get("/v1/exchanges").await.json()["exchanges"].clone();
    assert_eq!((&kept[1]["cost"], &kept[0]["cost"]), (&json!("0.000025 EUR"), &json!(null)));
    let id = kept[1]["id"].clone();
    let whole = rig.get(&format!("/v1/exchanges/{id}")).await.json();
    assert_eq!(whole["cost"], "0.000025 EUR");
}
