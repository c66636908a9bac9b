//! Tests of reading requests.

use super::{Bounds, HeaderOptions, Inspection, OutputRequest, parse, read};
use crate::answer::expectation::{Expectation, Schemas};
use crate::calls::offered::OfferedTools;
use crate::config::{Limits, Policy, When};
use crate::protocol::Protocol;

fn request_with(body: &str, headers: &HeaderOptions, policy: &Policy) -> (OutputRequest, String) {
    let limits = Limits::default();
    let value = parse(body, &limits).unwrap();
    let schemas = Schemas::default();
    let offered = &OfferedTools::default();
    let notation = policy.emulate_tools.notation("m");
    let limits = &limits;
    let schemas = &schemas;
    let bounds = Bounds { policy, limits, schemas, offered, notation, output_limit: None };
    let (request, on) = read(Protocol::Chat, body, &value, headers, bounds).unwrap();
    (request, on.into_owned())
}

fn request(body: &str) -> (OutputRequest, String) {
    request_with(body, &HeaderOptions::default(), &Policy::default())
}

#[test]
fn the_request_decides_what_is_inspected() {
    let schema =
        r#""response_format":{"type":"json_schema","json_schema":{"schema":{"type":"object"}}}"#;
    // (members, how content is validated, whether calls are inspected)
    let rows = [
        ("", None, false),
        (r#""response_format":{"type":"text"}"#, None, false),
        // A call in the place of JSON is an error.
        (r#""response_format":{"type":"json_object"}"#, Some("json"), true),
        (schema, Some("schema"), true),
        (r#""response_format":{"type":"json_schema"}"#, Some("json"), true),
        (r#""tools":[]"#, None, false),
        (r#""tools":[{"type":"function","function":{"name":"a"}}]"#, None, true),
    ];
    for (members, content, calls) in rows {
        let comma = if members.is_empty() { "" } else { "," };
        let body = format!("{{\"model\":\"m\",\"unknown\": 1.50{comma}{members}}}");
        let (request, on) = request(&body);
        let kind = request.content.as_ref().map(|expected| match expected {
            Expectation::Json => "json",
            Expectation::Schema(_) => "schema",
        });
        assert_eq!((kind, request.calls.is_some()), (content, calls), "{members}");
        // Everything else is forwarded unchanged.
        assert_eq!(on, body);
    }
}

#[test]
fn the_plugin_of_the_gateway_is_not_forwarded() {
    let rows = [
        (r#"{"plugins":[{"id":"response-healing"}],"model":"m"}"#, r#"{"model":"m"}"#),
        (
            r#"{"model":"m","plugins":[{"id":"web"},{"id":"response-healing"}]}"#,
            r#"{"model":"m","plugins":[{"id":"web"}]}"#,
        ),
        (r#"{"model":"m","plugins":[{"id":"web"}]}"#, r#"{"model":"m","plugins":[{"id":"web"}]}"#),
    ];
    for (body, expected) in rows {
        assert_eq!(request(body).1, expected, "{body}");
    }
}

#[test]
fn inspection_follows_the_policy_the_plugin_and_the_header() {
    let format = r#""response_format":{"type":"json_object"}"#;
    let plain = format!("{{\"model\":\"m\",{format}}}");
    let healed =
        format!("{{\"model\":\"m\",{format},\"plugins\":[{{\"id\":\"response-healing\"}}]}}");
    let policy = |repair| Policy { repair, ..Policy::default() };
    let wish = |repair| HeaderOptions { repair, ..HeaderOptions::default() };
    let rows = [
        (&plain, When::Always, None, true),
        (&plain, When::Asked, None, false),
        (&healed, When::Asked, None, true),
        (&plain, When::Asked, Some(Inspection::On), true),
        (&plain, When::Always, Some(Inspection::Off), false),
        (&healed, When::Never, Some(Inspection::On), false),
    ];
    for (body, when, inspection, expected) in rows {
        let (request, _) = request_with(body, &wish(inspection), &policy(when));
        assert_eq!(!request.is_nothing(), expected, "{body} {when:?} {inspection:?}");
    }
}

#[test]
fn only_bad_calls_in_the_history_are_repaired() {
    let body = |arguments: &str| {
        format!(
            "{{\"model\":\"m\", \"tools\":[{{\"function\":{{\"name\":\"f\"}}}}],\"messages\":[{{\"role\":\"assistant\",\
             \"tool_calls\":[{{\"id\":\"1\",\"function\":{{\"name\":\"f\",\"arguments\":{arguments}}}}}]}}]}}"
        )
    };
    let rows = [
        (r#""{'a': 1,}""#, r#""{\"a\": 1}""#, 1),
        (r#""{\"a\": [1""#, r#""{\"a\": [1]}""#, 1),
        (r#"{"a": 1}"#, r#""{\"a\":1}""#, 1),
        (r#""""#, r#""{}""#, 1),
        (r#""{ \"a\":1 }""#, r#""{ \"a\":1 }""#, 0),
        (r#""never JSON""#, r#""never JSON""#, 0),
    ];
    for (arguments, expected, count) in rows {
        let (request, on) = request(&body(arguments));
        assert_eq!(on, body(expected));
        assert_eq!(request.history, count, "{arguments}");
    }
}

#[test]
fn malformed_requests_are_refused() {
    let limits = Limits { depth: 5, ..Limits::default() };
    for (body, code) in [
        ("", "invalid_json"),
        ("{", "invalid_json"),
        ("{'model': 'm'}", "invalid_json"),
        ("[]", "value/shape"),
        (r#"{"model":"a","model":"b"}"#, "value/duplicate-key"),
        ("{\"model\":[[[[[[[[1]]]]]]]]}", "limit/depth"),
    ] {
        let failure = parse(body, &limits).unwrap_err();
        assert_eq!((failure.status, failure.code.as_str()), (400, code), "{body}");
    }
}

#[test]
fn an_unusable_schema_is_a_warning_unless_it_is_in_the_header() {
    let body = r#"{"model":"m","response_format":{"type":"json_schema","json_schema":{"schema":{"type":"objekt"}}}}"#;
    let (found, _) = request(body);
    assert!(matches!(found.content, Some(Expectation::Json)));
    assert_eq!(found.doubts.len(), 1);

    let headers = HeaderOptions { schema: Some("{".to_owned()), ..HeaderOptions::default() };
    let limits = Limits::default();
    let value = parse(r#"{"model":"m"}"#, &limits).unwrap();
    let (policy, schemas) = (Policy::default(), Schemas::default());
    let bounds = Bounds {
        policy: &policy,
        limits: &limits,
        schemas: &schemas,
        offered: &OfferedTools::default(),
        notation: None,
        output_limit: None,
    };
    let read = read(Protocol::Chat, "", &value, &headers, bounds);
    assert_eq!(read.unwrap_err().code, "schema/unusable");
}
