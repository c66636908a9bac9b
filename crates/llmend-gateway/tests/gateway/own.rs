//! llmend's own endpoints: JSON in, value and report out.

use serde_json::{Value, json};

use crate::rig::{Got, Rig, rig, rig_with};

async fn ask(rig: &Rig, path: &str, body: &Value) -> Got {
    rig.ask("POST", path, "", &body.to_string()).await
}

#[tokio::test]
async fn a_text_is_repaired() {
    let rig = rig([]).await;
    let got = ask(&rig, "/v1/repair", &json!({"text": "Sure: {'a': 1.50,}"})).await;
    let body = got.json();
    assert_eq!(
        (got.status, &body["json"], &body["value"]),
        (200, &json!("{\"a\": 1.50}"), &json!({"a": 1.5}))
    );
    assert_eq!((&body["status"], &body["class"]), (&json!("repaired"), &json!("notation")));
    assert_eq!(body["candidate"], json!({"start": 6, "end": 18, "origin": "bare"}));
    let rules: Vec<&str> = body["repairs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["rule"].as_str().unwrap())
        .collect();
    assert!(rules.contains(&"single-quotes") && rules.contains(&"trailing-comma"), "{rules:?}");
    assert_eq!(rig.upstream.requests().len(), 0);
}

#[tokio::test]
async fn a_value_is_coerced_or_refused_with_every_violation() {
    let rig = rig([]).await;
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}, "s": {"type": "string"}}});
    let got =
        ask(&rig, "/v1/repair", &json!({"text": "{'n': '3'}", "schema": schema})).await.json();
    assert_eq!(
        (&got["json"], &got["coercions"][0]["kind"]),
        (&json!("{\"n\": 3}"), &json!("number-from-text"))
    );

    // S1-18: JSON with error, details and status, and partial results.
    let got =
        ask(&rig, "/v1/repair", &json!({"text": "{'n': 'x', 's': []}", "schema": schema})).await;
    let body = got.json();
    assert_eq!((got.status, &body["status"]), (422, &json!(422)));
    assert!(
        body["error"].as_str().unwrap().starts_with("the value does not match the schema"),
        "{body}"
    );
    assert_eq!(body["details"].as_array().unwrap().len(), 2, "{body}");
    assert_eq!(body["violations"][0]["path"], "/n");
}

#[tokio::test]
async fn failures_have_an_error_details_and_a_status() {
    // S1-18
    let rig = rig_with(
        "[gateway.limits]\nbody_bytes = 1000",
        llmend_model_server::ModelServer::scripted([]),
    )
    .await;
    let rows = [
        ("/v1/repair", json!({"text": "no JSON"}), 422, "cannot read a value"),
        ("/v1/repair", json!({"txt": "{}"}), 400, "did you mean `text`?"),
        ("/v1/repair", json!({"text": "{}", "policy": "harsh"}), 400, "expected one of strict"),
        ("/v1/repair", json!({"text": "{}", "schema": {"type": "objekt"}}), 400, "invalid schema"),
        ("/v1/repair", json!({"text": "x".repeat(2000)}), 413, "limit of 1000 bytes"),
        ("/v1/plan", json!({"text": "no plan"}), 422, "cannot read a plan"),
        ("/v1/plan", json!({"text": "{}", "dialect": "anton"}), 400, "unknown dialect `anton`"),
        ("/v1/workflow/check", json!({"workflow": 7}), 422, "cannot read a workflow"),
        ("/v1/workflow/check", json!({"workflow": {"steps": []}, "draw": "png"}), 400, "svg"),
        (
            "/v1/workflow/patch",
            json!({"workflow": {"steps": [{"id": "a"}]}, "patch": {"remove_steps": ["b"]}}),
            422,
            "cannot apply the patch",
        ),
        // An unreadable step would be lost silently.
        (
            "/v1/workflow/patch",
            json!({"workflow": {"steps": [{"id": "a"}, {"tool": "x"}]}, "patch": {"add_steps": [{"id": "b"}]}}),
            422,
            "cannot read the workflow",
        ),
    ];
    for (path, body, status, part) in rows {
        let got = ask(&rig, path, &body).await;
        let failure = got.json();
        assert_eq!(
            (got.status, &failure["status"]),
            (status, &json!(status)),
            "{path} {body}: {failure}"
        );
        let text = failure["error"].as_str().unwrap();
        assert!(text.contains(part), "{path} {body}: {text}");
        assert!(!failure["details"].as_array().unwrap().is_empty(), "{failure}");
    }
}

#[tokio::test]
async fn a_plan_is_read_checked_and_drawn_with_its_warnings() {
    let rig = rig([]).await;
    let text = "```json\n{steps: [{id: 'a', tool: 'search'}, {id: 'b', depends_on: ['a']}]}\n```";
    let got = ask(&rig, "/v1/plan", &json!({"text": text, "draw": "svg"})).await;
    let body = got.json();
    assert_eq!((got.status, &body["valid"]), (200, &json!(true)), "{body}");
    assert_eq!(body["document"]["steps"][1]["depends_on"], json!(["a"]));
    assert!(body["drawing"].as_str().unwrap().starts_with("<svg"), "{body}");

    // S3-44: warnings reach the user, here of a node that Clickweave drops.
    let graph = json!({"nodes": [
        {"id": "n1", "type": "Click", "name": "a"}, {"id": "n2", "type": "Nonsense", "name": "b"}], "edges": []});
    let request = json!({"text": graph.to_string(), "dialect": "clickweave-graph"});
    let body = ask(&rig, "/v1/plan", &request).await.json();
    let rows = body["diagnostics"].as_array().or_else(|| body["details"].as_array()).unwrap();
    assert!(rows.iter().any(|row| row["message"].as_str().unwrap().contains("Nonsense")), "{body}");

    let request = json!({"text": "{steps: [{id: 'a', depends_on: ['z']}]}", "draw": "tree"});
    let got = ask(&rig, "/v1/plan", &request).await;
    assert_eq!((got.status, &got.json()["valid"]), (422, &json!(false)));
    // What was found stands where it is, in the graph that the plan is drawn as.
    let drawing = got.json()["drawing"].as_str().unwrap().to_owned();
    let step = drawing.lines().find(|line| line.contains(" a ")).unwrap_or_default();
    assert!(step.contains("plan/unknown-dependency"), "{drawing}");
}

#[tokio::test]
async fn a_workflow_is_checked_and_patched() {
    let rig = rig([]).await;
    let plan = json!({"steps": [{"id": "a"}, {"id": "b", "depends_on": ["a"]}]});
    let got = ask(&rig, "/v1/workflow/check", &json!({"workflow": plan})).await.json();
    assert_eq!(got["valid"], true, "{got}");
    let circle =
        json!({"steps": [{"id": "a", "depends_on": ["b"]}, {"id": "b", "depends_on": ["a"]}]});
    let got =
        ask(&rig, "/v1/workflow/check", &json!({"workflow": circle, "draw": "mermaid"})).await;
    let body = got.json();
    assert_eq!((got.status, &body["valid"]), (200, &json!(false)));
    assert!(
        body["diagnostics"].as_array().unwrap().iter().any(|row| row["code"] == "plan/cycle"),
        "{body}"
    );

    let request = json!({"workflow": plan, "patch": "Sure: {'remove_steps': ['a']}"});
    let got = ask(&rig, "/v1/workflow/patch", &request).await.json();
    assert_eq!(got["document"]["steps"].as_array().unwrap().len(), 1, "{got}");
}

#[tokio::test]
async fn endpoints_are_documented() {
    let document = rig([]).await.get("/openapi.json").await.json();
    for path in ["/v1/repair", "/v1/plan", "/v1/workflow/check", "/v1/workflow/patch"] {
        let operation = &document["paths"][path]["post"];
        let body = &operation["requestBody"]["content"]["application/json"]["schema"]["$ref"];
        let name = body.as_str().unwrap().trim_start_matches("#/components/schemas/");
        assert!(document["components"]["schemas"][name].is_object(), "{path}: {name}");
        assert!(operation["responses"]["422"].is_object(), "{path}");
    }
    for (path, status) in [("/v1/exchanges", "400"), ("/v1/exchanges/{id}", "404")] {
        let operation = &document["paths"][path]["get"];
        assert!(operation["responses"][status].is_object(), "{path}: {operation}");
        assert!(operation["parameters"][0]["name"].is_string(), "{path}");
    }
}
