//! A client that leaves takes the upstream along, and nobody is asked again for it.

use std::time::{Duration, Instant};

use llmend_model_server::{Answer, ModelServer, Reply, Step, Turn};
use serde_json::{Value, json};

use crate::rig::{CHAT, Rig, chunk, events, offers_tool, rig_with, wants_city, wants_words};

/// How often each way to leave is taken: one that is slow now and then, on a busy machine, is not slow.
const ROUNDS: usize = 9;

/// Half of the times have to be within this, measured where the upstream notices (a requirement).
const SOON: Duration = Duration::from_millis(100);

/// An answer that begins, and goes no further.
fn begun() -> Turn {
    Reply::events(chunk(&json!({"content": "{"}), None)).then(Step::Hang).into()
}

/// One that is no answer: the model would be asked again.
fn refused(stream: bool) -> Turn {
    if stream {
        let finish = chunk(&json!({}), Some("stop"));
        return events(&[chunk(&json!({"content": "Sorry."}), None), finish]);
    }
    Answer::text("Sorry.").into()
}

/// Asks, leaves when the upstream was asked `requests` times, and takes the time until it notices.
async fn leave(rig: &Rig, path: &str, request: &Value, requests: usize) -> Duration {
    let before = rig.upstream.requests().len();
    let body = request.to_string();
    let stream = rig.send(&(rig.head("POST", path, "", body.len()) + &body)).await;
    rig.upstream.arrived(before + requests).await;
    let left = Instant::now();
    drop(stream);
    rig.upstream.left(before + requests - 1).await;
    left.elapsed()
}

#[tokio::test]
async fn a_disconnect_cancels_the_upstream_call_without_retries() {
    let hang = || Turn::from(Reply::hang());
    // (where, what, what the upstream does)
    let rows = [
        (CHAT, wants_city(false), vec![hang()]),
        (CHAT, wants_city(true), vec![begun()]),
        (CHAT, wants_words(true), vec![begun()]),
        (CHAT, offers_tool(false), vec![hang()]),
        ("/v1/embeddings", wants_words(false), vec![hang()]),
        // While the model is asked again.
        (CHAT, wants_city(false), vec![refused(false), hang()]),
        (CHAT, wants_city(true), vec![refused(true), hang()]),
    ];
    for (path, request, turns) in rows {
        let requests = turns.len();
        let mut script: Vec<Turn> = turns.iter().cycle().take(requests * ROUNDS).cloned().collect();
        script.push(Answer::text("{\"city\": \"Oslo\"}").into());
        let server = ModelServer::scripted(script);
        let rig = rig_with("[gateway.policy]\nreasks = 5", server).await;
        let mut times = Vec::new();
        for _ in 0..ROUNDS {
            times.push(leave(&rig, path, &request, requests).await);
        }
        times.sort_unstable();
        assert!(times[ROUNDS / 2] <= SOON, "{path} {request}: {times:?}");
        // Whatever was on its way has come before an answer that was asked for later.
        assert_eq!(rig.chat(&wants_city(false)).await.status, 200, "{path} {request}");
        assert_eq!(rig.upstream.requests().len(), requests * ROUNDS + 1, "{path} {request}");
    }
}
