//! Results of calls as text, where the server knows no tools.

use llmend_model_server::{Answer, ModelServer, Seen};
use serde_json::json;

use super::client::{PROTOCOLS, Protocol, run};
use crate::rig::rig_with;

#[tokio::test]
async fn results_are_written_in_the_order_of_their_calls() {
    let arguments = |path: &str| json!({ "path": path });
    for protocol in PROTOCOLS {
        let user = json!({"role": "user", "content": "Go."});
        let conversation = match protocol {
            Protocol::Chat => {
                let call = |id: &str| {
                    json!({"id": id, "type": "function", "function": {"name": "run",
                        "arguments": arguments(id).to_string()}})
                };
                let result = |id: &str| json!({"role": "tool", "tool_call_id": id, "content": format!("ran {id}")});
                json!([user, {"role": "assistant", "tool_calls": [call("one"), call("two")]},
                    result("two"), result("one")])
            }
            Protocol::Responses => {
                let call = |id: &str| {
                    json!({"type": "function_call", "call_id": id, "name": "run",
                        "arguments": arguments(id).to_string()})
                };
                let result = |id: &str| {
                    json!({"type": "function_call_output", "call_id": id,
                        "output": format!("ran {id}")})
                };
                json!([user, call("one"), call("two"), result("two"), result("one")])
            }
            Protocol::Messages => {
                let call = |id: &str| json!({"type": "tool_use", "id": id, "name": "run", "input": arguments(id)});
                let result = |id: &str| {
                    json!({"type": "tool_result", "tool_use_id": id,
                        "content": format!("ran {id}")})
                };
                json!([user, {"role": "assistant", "content": [call("one"), call("two")]},
                    {"role": "user", "content": [result("two"), result("one")]}])
            }
        };
        let upstream = ModelServer::answering(|_: &Seen| Answer::text("Done.").into());
        let rig = rig_with("[gateway.policy]\nemulate_tools = \"hermes\"", upstream).await;
        let mut request = protocol.request(&[run()], false);
        let key = if protocol == Protocol::Responses { "input" } else { "messages" };
        request[key] = conversation;
        let got = rig.ask("POST", protocol.path(), "", &request.to_string()).await;
        assert_eq!(got.status, 200, "{}", got.body);
        let sent = rig.seen().json()[key].to_string();
        let places = ["ran one", "ran two"].map(|result| sent.find(result).unwrap());
        assert!(places[0] < places[1], "{protocol:?}: {sent}");
    }
}
