//! The requests of the latency benchmark.

/// What is asked, by the name of the model, and what the answer that comes through has to hold. The gateway
/// writes calls itself, so that one beside it may pass them as text.
const CASES: [Case; 7] = [
    Case {
        name: "passthrough",
        body: r#"{"model":"words","messages":[{"role":"user","content":"Hello."}]}"#,
        expected: "Good morning",
    },
    Case {
        name: "validated",
        body: r#"{"model":"valid","messages":[USER],"response_format":SCHEMA}"#,
        expected: r#"\"city\":"#,
    },
    Case {
        name: "repaired",
        body: r#"{"model":"broken","messages":[USER],"response_format":SCHEMA}"#,
        expected: r#"\"city\":"#,
    },
    Case {
        name: "calls",
        body: r#"{"model":"calls","messages":[USER],"tools":TOOLS}"#,
        expected: r#""tool_calls""#,
    },
    Case {
        name: "streamed",
        body: r#"{"model":"words","stream":true,"messages":[USER]}"#,
        expected: "[DONE]",
    },
    Case {
        name: "streamed, repaired",
        body: r#"{"model":"broken","stream":true,"messages":[USER],"response_format":SCHEMA}"#,
        expected: "[DONE]",
    },
    Case {
        name: "streamed, calls",
        body: r#"{"model":"calls","stream":true,"messages":[USER],"tools":TOOLS}"#,
        expected: r#""tool_calls""#,
    },
];

const USER: &str = r#"{"role":"user","content":"Hello."}"#;
const SCHEMA: &str = r#"{"type":"json_schema","json_schema":{"name":"trip","schema":{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer"},"sights":{"type":"array","items":{"type":"string"}}},"required":["city","days"]}}}"#;
const TOOLS: &str = r#"[{"type":"function","function":{"name":"get_weather","parameters":{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer"}},"required":["city"]}}}]"#;

/// A request.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    body: &'static str,
    /// What the answer that comes through has to hold.
    pub(crate) expected: &'static str,
}

impl Case {
    pub(crate) fn body(&self) -> String {
        self.body.replace("USER", USER).replace("SCHEMA", SCHEMA).replace("TOOLS", TOOLS)
    }
}

pub(crate) fn cases() -> impl Iterator<Item = Case> {
    CASES.into_iter()
}
