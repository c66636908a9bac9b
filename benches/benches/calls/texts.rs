//! The texts that are timed.

use llmend_calls::Tools;

const TOOLS: &str = r#"{
    "f": {"properties": {"a": {"type": "string"}, "b": {"type": "integer"}}},
    "search_documents": {"properties": {"query": {"type": "string"}, "limit": {"type": "integer"},
        "tags": {"type": "array", "items": {"type": "string"}}, "exact": {"type": "boolean"}}, "required": ["query"]},
    "write_file": {"properties": {"path": {"type": "string"}, "content": {"type": "string"}}, "required": ["path", "content"]}
}"#;

/// Returns the tools that all texts use.
pub(crate) fn tools() -> Tools {
    Tools::from_text(TOOLS).expect("the tools are valid")
}

const PROSE: &str = "The harbour office keeps its ledgers on paper, and a clerk copies them once a week. \
    Most entries are short: a name, a berth, two dates. Where a date is missing (3 of 40), it's taken \
    from the pilot's own book; see \"Returns\" for those. Prices are < 5 marks in winter.\n";

fn prose(size: usize) -> String {
    PROSE.repeat(size.div_ceil(PROSE.len()))
}

const CALL: &str = "<tool_call>\n{\"name\": \"search_documents\", \"arguments\": {\"query\": \"berths free in winter\", \"limit\": 20, \"tags\": [\"harbour\", \"price\"]}}\n</tool_call>\n";
const TAGGED: &str = "<tool_call>\n<function=search_documents>\n<parameter=query>\nberths free in winter\n</parameter>\n<parameter=limit>\n20\n</parameter>\n</function>\n</tool_call>\n";

/// Returns the texts that arrive in pieces, of about `size` bytes.
pub(crate) fn streams(size: usize) -> Vec<(&'static str, String)> {
    let mixed = |call: &str| {
        let unit = format!("{PROSE}\n{call}\n");
        unit.repeat(size.div_ceil(unit.len()).max(1))
    };
    // One call has 20 KB; longer texts have several.
    let source = "fn main() {\n    println!(\"harbour < {}\", 1);\n}\n";
    let long = source.repeat(20_000_usize.min(size.max(1)).div_ceil(source.len()));
    let count = size.div_ceil(long.len()).max(1);
    let quoted = long.replace('"', "\\\"").replace('\n', "\\n");
    let json = format!(
        "<tool_call>\n{{\"name\": \"write_file\", \"arguments\": {{\"path\": \"a.rs\", \"content\": \"{quoted}\"}}}}\n</tool_call>\n"
    );
    let tagged = format!(
        "<tool_call>\n<function=write_file>\n<parameter=path>\na.rs\n</parameter>\n<parameter=content>\n{long}\n</parameter>\n</function>\n</tool_call>\n"
    );
    vec![
        ("prose", prose(size)),
        ("JSON calls in prose", mixed(CALL)),
        ("tagged calls in prose", mixed(TAGGED)),
        ("long calls, JSON", json.repeat(count)),
        ("long calls, tagged", tagged.repeat(count)),
        (
            "one call, JSON",
            format!(
                "<tool_call>\n{{\"name\": \"write_file\", \"arguments\": {{\"path\": \"a.rs\", \"content\": \"{}\"}}}}\n</tool_call>\n",
                quoted.repeat(count)
            ),
        ),
        (
            "one call, tagged",
            format!(
                "<tool_call>\n<function=write_file>\n<parameter=path>\na.rs\n</parameter>\n<parameter=content>\n{}\n</parameter>\n</function>\n</tool_call>\n",
                long.repeat(count)
            ),
        ),
    ]
}

/// Arguments of about 400 bytes.
const QUERY: &str = "berths that are free in winter for boats of more than twelve metres, with water and power, \
    on the north quay or the inner basin, at a price below forty marks a week, that were not let to \
    members in the last two years, and those that are reserved but not yet paid for by the end of March, in order \
    of price and then of length, without those under repair or closed for dredging";

/// Returns answers of a kilobyte with two calls.
pub(crate) fn answers() -> Vec<(&'static str, String)> {
    let args = format!(
        "{{\"query\": \"{QUERY}\", \"limit\": 20, \"tags\": [\"harbour\", \"price\"], \"exact\": false}}"
    );
    let object = format!("{{\"name\": \"search_documents\", \"arguments\": {args}}}");
    let twice = |text: String| format!("{text}{text}");
    let parameter = |open: &str, close: &str| {
        [
            ("query", QUERY),
            ("limit", "20"),
            ("tags", "[\"harbour\", \"price\"]"),
            ("exact", "false"),
        ]
        .map(|(key, value)| format!("{}{value}{close}\n", open.replace('K', key)))
        .concat()
    };
    let python = format!(
        "search_documents(query=\"{QUERY}\", limit=20, tags=[\"harbour\", \"price\"], exact=False)"
    );
    vec![
        ("json", plain_calls()),
        ("hermes", twice(format!("<tool_call>\n{object}\n</tool_call>\n"))),
        ("mistral", format!("[TOOL_CALLS] [{object}, {object}]</s>")),
        ("mistral-named", twice(format!("[TOOL_CALLS]search_documents[ARGS]{args}"))),
        (
            "kimi",
            format!(
                "<|tool_calls_section_begin|>{}<|tool_calls_section_end|>",
                twice(format!(
                    "<|tool_call_begin|>functions.search_documents:0<|tool_call_argument_begin|>{args}<|tool_call_end|>"
                ))
            ),
        ),
        ("pythonic", format!("[{python}, {python}]")),
        (
            "qwen-coder",
            twice(format!(
                "<tool_call>\n<function=search_documents>\n{}</function>\n</tool_call>\n",
                parameter("<parameter=K>\n", "\n</parameter>")
            )),
        ),
        (
            "minimax",
            format!(
                "<minimax:tool_call>\n{}</minimax:tool_call>",
                twice(format!(
                    "<invoke name=\"search_documents\">\n{}</invoke>\n",
                    parameter("<parameter name=\"K\">", "</parameter>")
                ))
            ),
        ),
        (
            "glm",
            twice(format!(
                "<tool_call>search_documents\n{}</tool_call>\n",
                parameter("<arg_key>K</arg_key>\n<arg_value>", "</arg_value>")
            )),
        ),
        (
            "harmony",
            format!(
                "<|channel|>commentary to=functions.search_documents <|constrain|>json<|message|>{args}<|call|><|start|>assistant<|channel|>commentary to=functions.search_documents <|constrain|>json<|message|>{args}<|call|>"
            ),
        ),
        ("react", twice(format!("Action: search_documents\nAction Input: {args}\n"))),
    ]
}

/// Returns the same calls as plain JSON.
pub(crate) fn plain_calls() -> String {
    let args = format!(
        "{{\"query\": \"{QUERY}\", \"limit\": 20, \"tags\": [\"harbour\", \"price\"], \"exact\": false}}"
    );
    let object = format!("{{\"name\": \"search_documents\", \"arguments\": {args}}}");
    format!("[{object}, {object}]")
}

/// Name, opening, and what is repeated.
pub(crate) const HOSTILE: &[(&str, &str, &str)] = &[
    ("<tool_call>", "", "<tool_call>"),
    ("<tool_call>\\n", "", "<tool_call>\n"),
    ("</tool_call>", "", "</tool_call>"),
    ("[f(", "", "[f("),
    ("<function=", "", "<function="),
    ("<function=f>", "", "<function=f>"),
    ("<function=f><parameter=a>", "", "<function=f><parameter=a>"),
    ("nested parameters", "<function=f>", "<parameter=a>"),
    ("parameters closed", "<function=f>", "<parameter=a>1</parameter>"),
    ("closers in a value", "<function=f><parameter=a>", "</parameter>"),
    ("closers and text in a value", "<function=f><parameter=a>", "</parameter> x "),
    ("function closers in a value", "<function=f><parameter=a>", "</function> x"),
    ("<", "", "<"),
    ("<a ", "", "<a "),
    ("</", "", "</"),
    ("< in a value", "<function=f><parameter=a>", "<"),
    ("[TOOL_CALLS]", "", "[TOOL_CALLS]"),
    ("[TOOL_CALLS]f", "", "[TOOL_CALLS]f"),
    ("[TOOL_CALLS][", "", "[TOOL_CALLS]["),
    ("{\"name\": \"f\", ", "", "{\"name\": \"f\", "),
    ("{\"name\": \"f\", in a tag", "<tool_call>", "{\"name\": \"f\", "),
    ("{\"name\": \"f\"} on lines", "", "{\"name\": \"f\"}\n"),
    ("<tool_call>{", "", "<tool_call>{"),
    ("<tool_call>{\"name\": \"f\"", "", "<tool_call>{\"name\": \"f\""),
    ("<tool_call>f{", "", "<tool_call>f{"),
    ("<|channel|>", "", "<|channel|>"),
    ("<|channel|>analysis", "", "<|channel|>analysis"),
    ("<|start|>assistant", "", "<|start|>assistant"),
    ("to=functions.f ", "", "to=functions.f "),
    ("Action: f\\n", "", "Action: f\n"),
    ("Action: f\\nAction Input: {\\n", "", "Action: f\nAction Input: {\n"),
    ("Action Input: ", "Action: f\nAction Input: ", "Action Input: "),
    ("f({", "", "f({"),
    ("f(\\n", "", "f(\n"),
    ("f(a=1), ", "", "f(a=1), "),
    ("f(a=1)\\n", "", "f(a=1)\n"),
    ("f{\\n", "", "f{\n"),
    ("```\\n", "", "```\n"),
    ("```tool_code\\nf(", "", "```tool_code\nf(\n"),
    ("```json\\n{\\n", "", "```json\n{\n"),
    ("` in a line", "", "` <tool_call> "),
    ("<arg_key>", "", "<arg_key>"),
    ("<tool_call>f<arg_key>", "", "<tool_call>f<arg_key>"),
    ("keys", "<tool_call>f", "<arg_key>a</arg_key>"),
    ("values", "<tool_call>f<arg_key>a</arg_key>", "<arg_value>1</arg_value>"),
    ("]<]minimax[>[", "", "]<]minimax[>["),
    (
        "]<]minimax[>[<a>",
        "]<]minimax[>[<tool_call>]<]minimax[>[<invoke name=\"f\">",
        "]<]minimax[>[<a>",
    ),
    ("<|tool_call>call:f{", "", "<|tool_call>call:f{"),
    ("call:f{a:", "<|tool_call>call:f{", "a:{"),
    ("half marks", "", "<|tool_calls_section_beg"),
    ("half marks, full-width", "", "<｜tool▁calls▁begi"),
    ("<tool_", "", "<tool_"),
    ("<invoke name=\"", "", "<invoke name=\""),
    ("<f>", "", "<f>"),
    ("<f><a>", "", "<f><a>"),
    ("<think>", "", "<think>"),
    ("</think>", "", "</think>"),
    ("<think></think>", "", "<think></think>"),
    ("✿FUNCTION✿: f\\n", "", "✿FUNCTION✿: f\n"),
    (">>>f\\n", "", ">>>f\n"),
    (">>>f\\n{\\n", "", ">>>f\n{\n"),
    ("1. f()\\n", "", "1. f()\n"),
    ("calls", "", "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": \"x\"}}</tool_call>\n"),
    (
        "calls that differ in their tools",
        "",
        "<tool_call>{\"name\": \"g\", \"arguments\": {\"a\": \"x\"}}</tool_call>\n",
    ),
    ("line feeds", "", "\n"),
    ("blanks", "", " "),
    ("letters", "", "a"),
];
