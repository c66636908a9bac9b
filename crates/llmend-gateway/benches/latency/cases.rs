//! The requests of the latency benchmark.

/// What is asked, by the name of the model, and what the answer that comes through has to hold.
const CASES: [(&str, &str, &str); 5] = [
    (
        "passthrough",
        r#"{"model":"words","messages":[{"role":"user","content":"Hello."}]}"#,
        "Good morning",
    ),
    (
        "validated",
        concat!(r#"{"model":"valid","messages":[],"response_format":"#, "SCHEMA}"),
        r#"\"city\":"#,
    ),
    (
        "repaired",
        concat!(r#"{"model":"broken","messages":[],"response_format":"#, "SCHEMA}"),
        r#"\"city\":"#,
    ),
    ("streamed", r#"{"model":"words","stream":true,"messages":[]}"#, "[DONE]"),
    (
        "streamed, repaired",
        concat!(r#"{"model":"broken","stream":true,"messages":[],"response_format":"#, "SCHEMA}"),
        "[DONE]",
    ),
];

const SCHEMA: &str = r#"{"type":"json_schema","json_schema":{"name":"trip","schema":{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer"},"sights":{"type":"array","items":{"type":"string"}}},"required":["city","days"]}}}"#;

/// The name of each case, the body of the request, and what the answer that comes through has to hold.
pub(crate) fn cases() -> impl Iterator<Item = (&'static str, String, &'static str)> {
    CASES.into_iter().map(|(name, body, expected)| (name, body.replace("SCHEMA", SCHEMA), expected))
}
