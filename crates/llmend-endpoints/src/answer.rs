//! Answers by path.

use llmend::Schema;
use llmend::json::nearest;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::{
    Refusal, Settings, calls, check_workflow, patch_workflow, plan, repair, rules, stream,
};

/// The answer to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// HTTP status: 200, 400, 404 or 422.
    pub status: u16,
    /// Body: JSON, or for `/v1/stream` lines of JSON.
    pub body: String,
}

/// Returns the answer of the endpoint at `path`, such as `/v1/repair`, to a request with this body. `/v1/rules` needs
/// none.
pub fn answer(path: &str, body: &[u8], settings: &Settings) -> Answer {
    let compile = |text: &str| Schema::from_text(text).map_err(|error| error.to_string());
    let found = match path {
        "/v1/rules" => Ok(rules().to_string()),
        "/v1/stream" => request(body).and_then(|request| stream(&request, settings)),
        "/v1/repair" => {
            request(body).and_then(|request| written(repair(&request, settings, compile)))
        }
        "/v1/calls" => request(body).and_then(|request| written(calls(&request, settings))),
        "/v1/plan" => request(body).and_then(|request| written(plan(&request, settings))),
        "/v1/workflow/check" => {
            request(body).and_then(|request| written(check_workflow(&request, settings)))
        }
        "/v1/workflow/patch" => {
            request(body).and_then(|request| written(patch_workflow(&request, settings)))
        }
        _ => Err(Refusal::new(404, "unknown_path", "unknown path")),
    };
    match found {
        Ok(body) => Answer { status: 200, body },
        Err(refusal) => Answer { status: refusal.status, body: refusal.into_body().to_string() },
    }
}

fn written(members: Result<Map<String, Value>, Refusal>) -> Result<String, Refusal> {
    members.map(|members| Value::from(members).to_string())
}

/// Parses the body of a request. The refusal suggests a name for an unknown member.
pub fn request<T: DeserializeOwned>(body: &[u8]) -> Result<T, Refusal> {
    serde_json::from_slice(body).map_err(|error| {
        let message = error.to_string();
        let mut names = message.split('`').skip(1).step_by(2);
        let unknown = names.next().filter(|_| message.starts_with("unknown field"));
        let meant = unknown.and_then(|unknown| nearest(unknown, names));
        let message = match meant {
            Some(known) => format!("invalid body: {message}; did you mean `{known}`?"),
            None => format!("invalid body: {message}"),
        };
        Refusal::request("invalid_json", message)
    })
}

#[cfg(test)]
mod tests {
    use super::{Settings, answer};

    #[test]
    fn each_path_answers_or_says_why_not() {
        // (path, body, status, what the answer has)
        let rows = [
            ("/v1/rules", "", 200, r#""name":"trailing-comma""#),
            ("/v1/repair", r#"{"text":"[1,]"}"#, 200, r#""json":"[1]""#),
            ("/v1/repair", r#"{"text":"no"}"#, 422, r#""status":422"#),
            ("/v1/repair", r#"{"text":"1","schema":{"type":"x"}}"#, 400, "schema/unusable"),
            ("/v1/repair", r#"{"text":"1","polcy":"strict"}"#, 400, "did you mean `policy`?"),
            ("/v1/repair", "{", 400, "invalid body"),
            ("/v1/stream", r#"{"text":"[1,]","chunk_bytes":2}"#, 200, "\"end\":2"),
            ("/v1/stream", r#"{"text":"[1,]","chunk_bytes":0}"#, 400, "limit/chunks"),
            ("/v1/calls", r#"{"text":"f()","tools":[{"name":"f"}]}"#, 200, r#""name":"f""#),
            ("/v1/calls", r#"{"text":"f()","tools":7}"#, 400, "bad_tools"),
            ("/v1/plan", r#"{"text":"[{'tool':'a'}]","draw":"svg"}"#, 200, "<svg"),
            ("/v1/plan", r#"{"text":"[]","dialect":"x"}"#, 400, "bad_dialect"),
            ("/v1/workflow/check", r#"{"workflow":[{"tool":"a"}]}"#, 200, r#""valid":true"#),
            ("/v1/workflow/patch", r#"{"workflow":[{"tool":"a"}],"patch":"x"}"#, 422, "\"error\""),
            ("/v1/models", "", 404, "unknown path"),
        ];
        for (path, body, status, has) in rows {
            let found = answer(path, body.as_bytes(), &Settings::default());
            assert_eq!(found.status, status, "{path} {body}: {}", found.body);
            assert!(found.body.contains(has), "{path} {body}: {}", found.body);
        }
    }
}
