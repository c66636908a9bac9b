//! Who may ask, with whose key, and where to.

use llmend_gateway::{Config, Settings};
use llmend_model_server::{Answer, ModelServer, Reply, Turn};
use serde_json::json;

use crate::rig::{CHAT, Got, Rig, UPSTREAM_KEY, rig, rig_of, rig_with, wants_city, wants_words};

/// The hash of `secret`.
const KEYS: &str = "keys = [{ name = \"me\", sha256 = \"2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b\" }]";

async fn closed(turns: impl IntoIterator<Item = Turn>) -> Rig {
    let server = ModelServer::scripted(turns);
    let text = format!(
        "[gateway]\n{KEYS}\n[gateway.upstreams.main]\nbase_url = \"{}/v1\"\napi_key_env = \"UPSTREAM_KEY\"\n\
         passthrough = [\"/embeddings\"]",
        server.url()
    );
    rig_of(&text, server).await
}

async fn ask(rig: &Rig, path: &str, headers: &str) -> Got {
    rig.ask("POST", path, headers, &wants_words(false).to_string()).await
}

#[tokio::test]
async fn without_a_known_key_only_health_is_reported() {
    let rig = closed([Answer::text("hi").into()]).await;
    for path in [CHAT, "/v1/models", "/v1/files", "/metrics"] {
        for headers in ["", "authorization: Bearer wrong\r\n", "x-api-key: wrong\r\n"] {
            let got = ask(&rig, path, headers).await;
            assert_eq!(got.status, 401, "{path} {headers}");
            assert_eq!(got.json()["error"]["type"], "authentication_error");
            assert!(!got.body.contains("wrong"));
        }
    }
    assert_eq!(rig.get("/healthz").await.status, 200);
    assert_eq!(rig.upstream.requests().len(), 0);
    let got = ask(&rig, CHAT, "authorization: Bearer secret\r\n").await;
    assert_eq!(got.status, 200);
}

#[tokio::test]
async fn client_keys_are_not_forwarded_and_the_upstream_key_opens_models_only() {
    let rig = closed([Answer::text("hi").into(), Reply::json(200, "{}").into()]).await;
    let key = "authorization: Bearer secret\r\nx-api-key: secret\r\n";
    assert_eq!(ask(&rig, CHAT, key).await.status, 200);
    assert_eq!(ask(&rig, "/v1/embeddings", key).await.status, 200);
    // Files are not on the list: neither key goes there.
    for path in [
        "/v1/files",
        "/v1/organization/admin_api_keys",
        "/v1/embeddings/../files",
        "/v1/embeddings/..;/files",
        "/v1/embeddings/%252e%252e/files",
        "/v1/embeddings/x",
    ] {
        let got = ask(&rig, path, key).await;
        assert!(matches!(got.status, 400 | 404), "{path}: {}", got.status);
    }
    let seen = rig.upstream.requests();
    assert_eq!(seen.len(), 2);
    for request in seen {
        assert_eq!(
            request.header("authorization"),
            Some(format!("Bearer {UPSTREAM_KEY}").as_str())
        );
        assert!(!format!("{:?}", request.headers).contains("secret"), "{request:?}");
    }
}

#[tokio::test]
async fn without_configured_paths_the_upstream_key_opens_models_only() {
    let server = ModelServer::scripted([
        Answer::text("hi").into(),
        Reply::json(200, "{}").into(),
        Reply::json(200, "{}").into(),
    ]);
    let text = format!(
        "[gateway.upstreams.main]\nbase_url = \"{}/v1\"\napi_key_env = \"UPSTREAM_KEY\"",
        server.url()
    );
    let rig = rig_of(&text, server).await;
    let mine = "authorization: Bearer mine\r\n";
    assert_eq!(ask(&rig, CHAT, mine).await.status, 200);
    assert_eq!(ask(&rig, "/v1/files", mine).await.status, 200);
    assert_eq!(ask(&rig, "/v1/files", "").await.status, 200);
    let ours = format!("Bearer {UPSTREAM_KEY}");
    let sent: Vec<Option<String>> = rig
        .upstream
        .requests()
        .iter()
        .map(|request| request.header("authorization").map(str::to_owned))
        .collect();
    // One of both, and never both; files with the client's own alone.
    assert_eq!(sent, [Some(ours), Some("Bearer mine".to_owned()), None]);
}

#[test]
fn a_public_address_requires_keys() {
    let settings = |listen: &str, keys: &str| {
        let text = format!(
            "[gateway]\nlisten = \"{listen}\"\n{keys}\n[gateway.upstreams.main]\nbase_url = \"http://a/v1\""
        );
        Settings::new(&Config::from_toml(&text).unwrap(), |_| None)
    };
    for listen in ["0.0.0.0:0", "[::]:0", "192.0.2.1:80", "[2001:db8::1]:80"] {
        let problems = settings(listen, "").unwrap_err();
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert_eq!(problems[0].path, "gateway.listen", "{problems:?}");
        assert!(settings(listen, KEYS).is_ok(), "{listen}");
    }
    for listen in ["127.0.0.1:0", "[::1]:0", "127.9.9.9:0"] {
        assert!(settings(listen, "").is_ok(), "{listen}");
    }
}

#[tokio::test]
async fn errors_and_metrics_contain_no_key() {
    let page = "<html><title>no</title></html>";
    let rig = closed([
        Reply::cut().into(),
        Reply::status(500).text(page).into(),
        Reply::json(200, "{").into(),
        Reply::events("data: {\n\n").into(),
        Answer::text("I would rather not.").into(),
    ])
    .await;
    let key =
        "authorization: Bearer secret\r\nx-api-key: other-secret\r\napi-key: other-secret\r\n";
    let mut responses = Vec::new();
    for request in [
        wants_words(false),
        wants_city(false),
        wants_city(false),
        wants_city(true),
        wants_city(false),
    ] {
        let got = rig.ask("POST", CHAT, key, &request.to_string()).await;
        responses.push(format!("{:?} {}", got.headers, got.body));
    }
    for headers in ["authorization: Bearer wrong-secret\r\n", key] {
        for path in ["/metrics", "/v1/models", "/v1/files", "/openapi.json", "/nothing"] {
            let got = rig.ask("GET", path, headers, "").await;
            responses.push(format!("{:?} {}", got.headers, got.body));
        }
    }
    let responses = responses.join("\n");
    assert!(
        responses.contains("repair_error") && responses.contains("upstream_error"),
        "{responses}"
    );
    for planted in ["secret", UPSTREAM_KEY, "Bearer s"] {
        assert!(!responses.contains(planted), "{planted} in {responses}");
    }
    // What is written when something is wrong with the gateway itself.
    let config = Config::from_toml(&format!(
        "[gateway]\n{KEYS}\n[gateway.upstreams.main]\nbase_url = \"http://a/v1\"\napi_key_env = \"UPSTREAM_KEY\""
    ));
    let look_up = |name: &str| (name == "UPSTREAM_KEY").then(|| UPSTREAM_KEY.into());
    let settings = Settings::new(&config.unwrap(), look_up).unwrap();
    let shown = format!("{settings:?}");
    assert!(shown.contains("main") && !shown.contains(UPSTREAM_KEY), "{shown}");
    assert!(!shown.contains("2bb80d537b1da3e3"), "{shown}");
}

#[tokio::test]
async fn without_keys_websites_are_rejected() {
    let rig = rig([]).await;
    let body = wants_words(false).to_string();
    let raw = |host: &str, kind: &str, more: &str| {
        format!(
            "POST {CHAT} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n{kind}{more}content-length: {}\r\n\r\n{body}",
            body.len()
        )
    };
    let json = "content-type: application/json\r\n";
    let here = rig.address.to_string();
    let rows = [
        (raw("evil.example", json, ""), 403),
        (raw(&format!("127.0.0.1.evil.example:{}", rig.address.port()), json, ""), 403),
        (raw(&here, json, "origin: https://evil.example\r\n"), 403),
        (raw(&here, json, "origin: null\r\n"), 403),
        (raw(&here, "content-type: text/plain\r\n", ""), 415),
        (raw(&here, "", ""), 415),
    ];
    for (request, status) in rows {
        let got = Got::read(rig.send(&request).await).await;
        assert_eq!(got.status, status, "{request}");
        assert!(
            got.headers.iter().all(|(name, _)| !name.starts_with("access-control-")),
            "{got:?}"
        );
    }
    // What a browser asks before it sends JSON is not granted.
    let preflight = format!(
        "OPTIONS {CHAT} HTTP/1.1\r\nhost: {here}\r\nconnection: close\r\norigin: https://evil.example\r\n\
         access-control-request-method: POST\r\n\r\n"
    );
    assert_eq!(Got::read(rig.send(&preflight).await).await.status, 403);
    assert_eq!(rig.upstream.requests().len(), 0);
}

#[tokio::test]
async fn a_request_cannot_choose_its_upstream() {
    let elsewhere = ModelServer::scripted([]);
    let rig = rig([Answer::text("hi").into()]).await;
    let body = json!({"model": "m", "messages": [], "base_url": elsewhere.url(), "api_base": elsewhere.url()});
    let headers = format!(
        "x-llmend-upstream: {0}\r\nx-forwarded-host: {0}\r\nx-base-url: {0}\r\n",
        elsewhere.url()
    );
    assert_eq!(rig.ask("POST", CHAT, &headers, &body.to_string()).await.status, 200);
    assert_eq!((rig.upstream.requests().len(), elsewhere.requests().len()), (1, 0));
    assert_eq!(rig.seen().header("x-forwarded-host"), None);
}

#[tokio::test]
async fn ambiguous_framing_is_rejected() {
    let rig = rig([]).await;
    let head = format!(
        "POST {CHAT} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-type: application/json\r\n",
        rig.address
    );
    for smuggled in [
        "content-length: 5\r\ncontent-length: 6\r\n\r\nhello",
        "transfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n",
        "content-length: +5\r\n\r\nhello",
        "x-a: b\r\n c: d\r\ncontent-length : 5\r\n\r\nhello",
    ] {
        let got = Got::read(rig.send(&format!("{head}{smuggled}")).await).await;
        assert_eq!(got.status, 400, "{smuggled}");
    }
    // With both, the chunks hold, and the length does not go on.
    let both = format!(
        "{head}content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{{}}\r\n0\r\n\r\n"
    );
    assert_eq!(Got::read(rig.send(&both).await).await.status, 400);
    assert_eq!(rig.upstream.requests().len(), 0);
}

#[tokio::test]
async fn cors_headers_of_upstreams_are_not_forwarded() {
    let reply = Reply::json(200, "{\"choices\":[]}")
        .header("access-control-allow-origin", "*")
        .header("set-cookie", "a=b")
        .header("x-llmend-repair", "forged");
    let rig = rig_with("", ModelServer::scripted([reply.into()])).await;
    let got = rig.chat(&wants_words(false)).await;
    assert_eq!((got.header("access-control-allow-origin"), got.header("set-cookie")), (None, None));
    assert_eq!(got.header("x-llmend-repair"), Some("passthrough"));
}

#[tokio::test]
async fn responses_cannot_act_as_the_page() {
    let html = Reply::status(200)
        .header("content-type", "text/html")
        .header("content-security-policy", "script-src *")
        .text("<script>fetch('/v1/exchanges')</script>");
    let rig = rig([html.into(), Answer::text("hi").into()]).await;
    let policies = |got: &Got| -> Vec<String> {
        let of_policy = |(name, _): &&(String, String)| name == "content-security-policy";
        got.headers.iter().filter(of_policy).map(|(_, value)| value.clone()).collect()
    };
    let passed = rig.get("/v1/files").await;
    assert_eq!(policies(&passed), ["script-src *", "sandbox"]);
    let answers = [
        rig.chat(&wants_words(false)).await,
        rig.get("/healthz").await,
        rig.get("/nothing").await,
        rig.get("/v1/rules").await,
        rig.ask("POST", CHAT, "origin: https://evil.example\r\n", "{}").await,
    ];
    for got in &answers {
        assert_eq!(policies(got), ["sandbox"], "{got:?}");
        assert_eq!(got.header("x-content-type-options"), Some("nosniff"), "{got:?}");
    }
    let page = policies(&rig.get("/").await);
    assert!(page.len() == 1 && page[0].contains("script-src 'self'"), "{page:?}");
}

#[tokio::test]
async fn cross_origin_images_are_rejected() {
    let rig = rig([]).await;
    for site in ["cross-site", "same-site"] {
        let got = rig.ask("GET", "/v1/files", &format!("sec-fetch-site: {site}\r\n"), "").await;
        assert_eq!((got.status, &got.json()["error"]["code"]), (403, &json!("foreign_origin")));
        // Whoever follows a link to the page sees it.
        let got = rig.ask("GET", "/", &format!("sec-fetch-site: {site}\r\n"), "").await;
        assert_eq!(got.status, 200);
    }
    assert_eq!(rig.upstream.requests().len(), 0);
}

#[tokio::test]
async fn an_inspected_path_cannot_be_bypassed_by_spelling() {
    let rig = rig([Answer::text("{'city': 'Oslo',}").into()]).await;
    let body = wants_city(false).to_string();
    let got = rig.ask("POST", &format!("{CHAT}/?a=b"), "", &body).await;
    assert_eq!(got.json()["choices"][0]["message"]["content"], r#"{"city": "Oslo"}"#);
    let seen = rig.seen();
    assert_eq!((seen.path.as_str(), seen.query.as_str()), (CHAT, "a=b"));
    for path in [
        "/v1//chat/completions",
        "/v1/chat//completions",
        "/v1/responses//",
        "/v1//messages",
        "/v1/chat/%63ompletions",
        "/v1/chat%2fcompletions",
        "/v1/%2572esponses",
        "/v1/Messages",
        "/v1/messages;a=b",
        "/v1/v1/messages",
    ] {
        let got = rig.ask("POST", path, "", &body).await;
        assert_eq!(
            (got.status, &got.json()["error"]["code"]),
            (404, &json!("unknown_path")),
            "{path}"
        );
    }
    let got = rig.ask("POST", "/v1/repair/", "", r#"{"text": "[1,]"}"#).await;
    assert_eq!(got.json()["json"], "[1]");
    assert_eq!(rig.upstream.requests().len(), 1);
}

#[tokio::test]
async fn an_upstream_that_repeats_its_key_in_an_error_is_not_repeated() {
    let planted = "planted-in-a-header";
    let says = format!("Incorrect API key: {UPSTREAM_KEY}, {planted}, mine-alone");
    let error = |status: u16| {
        let body = json!({"error": {"message": says, "type": "invalid_request_error"}});
        Reply::json(status, body.to_string()).header("x-seen", UPSTREAM_KEY)
    };
    let plain = || Reply::status(403).text(says.clone());
    for (path, turn) in [
        (CHAT, error(401)),
        (CHAT, error(429)),
        (CHAT, plain()),
        ("/v1/messages", error(401)),
        ("/v1/responses", error(500)),
        ("/v1/embeddings", error(401)),
        ("/v1/embeddings", plain()),
        ("/v1/models", error(401)),
    ] {
        let server = ModelServer::scripted([turn.into()]);
        let text = format!(
            "[headers]\nx-proxy-key = \"{planted}\"\n[gateway.upstreams.main]\nbase_url = \"{}/v1\"\n\
             api_key_env = \"UPSTREAM_KEY\"\npassthrough = [\"/embeddings\"]",
            server.url()
        );
        let rig = rig_of(&text, server).await;
        let got = if path == "/v1/models" {
            rig.get(path).await
        } else {
            ask(&rig, path, "authorization: Bearer mine-alone\r\n").await
        };
        assert!(got.status >= 400 && got.body.contains("Incorrect API key"), "{path}: {got:?}");
        let all = format!("{got:?}");
        assert!(!all.contains(UPSTREAM_KEY), "{path}: {all}");
        let is_sent = path != "/v1/embeddings";
        assert!(!is_sent || !all.contains(planted), "{path}: {all}");
        assert!(
            got.body.contains("[REDACTED]") && got.body.contains("mine-alone"),
            "{path}: {all}"
        );
    }
}
