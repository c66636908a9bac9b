//! Shutdown of the gateway.

use llmend_model_server::{Gate, ModelServer, Reply, Step};
use serde_json::json;
use tokio::net::TcpStream;

use crate::rig::{CHAT, DONE, Got, chunk, rig_with, wants_words};

#[tokio::test]
async fn running_requests_finish() {
    let gate = Gate::default();
    let reply = Reply::events(chunk(&json!({"content": "a"}), None))
        .then(Step::Wait(gate.clone()))
        .text(chunk(&json!({}), Some("stop")))
        .text(DONE);
    let mut rig = rig_with("", ModelServer::scripted([reply.into()])).await;
    let body = wants_words(true).to_string();
    let stream = rig.send(&(rig.head("POST", CHAT, "", body.len()) + &body)).await;
    rig.upstream.arrived(1).await;
    rig.begin_to_stop();
    // No more connections are taken.
    while TcpStream::connect(rig.address).await.is_ok() {
        tokio::task::yield_now().await;
    }
    gate.open();
    let got = Got::read(stream).await;
    assert!(got.is_whole && got.body.ends_with(DONE), "{got:?}");
    rig.stop().await;
}

#[tokio::test]
async fn readiness_fails_while_draining() {
    let timers = "[gateway.timers]\nlame_duck_ms = 400";
    let mut rig = rig_with(timers, ModelServer::scripted([])).await;
    assert_eq!(rig.get("/readyz").await.status, 200);
    rig.begin_to_stop();
    let mut status = 200;
    while status == 200 {
        status = rig.get("/readyz").await.status;
    }
    assert_eq!(status, 503);
    assert_eq!(rig.get("/healthz").await.status, 200);
    rig.stop().await;
}

#[tokio::test]
async fn requests_that_outlast_the_drain_end_with_an_error() {
    let endless = |first: String| Reply::events(first).then(Step::Hang).into();
    let turns = [endless(chunk(&json!({"content": "a"}), None)), Reply::hang().into()];
    let mut rig = rig_with("[gateway.timers]\ndrain_ms = 40", ModelServer::scripted(turns)).await;
    let ask = |stream: bool| {
        let body = wants_words(stream).to_string();
        rig.head("POST", CHAT, "", body.len()) + &body
    };
    let streamed = rig.send(&ask(true)).await;
    rig.upstream.arrived(1).await;
    let whole = rig.send(&ask(false)).await;
    rig.upstream.arrived(2).await;
    rig.begin_to_stop();
    let got = Got::read(streamed).await;
    assert_eq!(got.events().pop().unwrap()["error"]["code"], "stopping");
    let got = Got::read(whole).await;
    assert_eq!((got.status, &got.json()["error"]["code"]), (503, &json!("stopping")));
    rig.stop().await;
}
