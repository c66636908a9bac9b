//! Captured streams: the answer in the pieces that their events have.

use llmend_json::{
    Choice, Class, ErrorKind, Events, Options, Origin, Policy, Rule, Stream, Values, parse,
    parse_fitting, parse_with, repair_with,
};

/// Events of chat completions with `pieces`.
fn chat(pieces: &[&str]) -> String {
    let chunk = |piece: &&str| {
        let piece = serde_json::to_string(piece).expect("a string");
        format!(
            "data: {{\"object\":\"chat.completion.chunk\",\"choices\":[{{\"index\":0,\"delta\":{{\"content\":{piece}}}}}]}}\n\n"
        )
    };
    pieces.iter().map(chunk).collect::<String>() + "data: [DONE]\n"
}

/// Returns the value of `text`, after checks of its report, and of streams of any chunks.
fn value_of(text: &str) -> String {
    let parsed = parse(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let value = parsed.value.to_string();
    let report = &parsed.report;
    assert_eq!(llmend_json::parse(&report.output(text)).unwrap().value.to_string(), value);
    assert!(
        report
            .repairs
            .iter()
            .all(|repair| !repair.span.is_empty() || !repair.replacement.is_empty())
    );
    let ordered = report.repairs.windows(2).all(|two| two[0].span.end <= two[1].span.start);
    assert!(ordered, "{text}: {:?}", report.repairs);
    for choice in [Choice::Best, Choice::First, Choice::Last] {
        let options = Options { choice, ..Options::default() };
        let whole = parse_with(text, &options);
        for size in [1, 7, text.len()] {
            let mut stream = Stream::new(options.clone());
            text.as_bytes().chunks(size).for_each(|chunk| stream.push(chunk));
            match (&whole, stream.finish()) {
                (Ok(whole), Ok(parsed)) => {
                    assert_eq!(parsed.value.to_string(), whole.value.to_string(), "{text}");
                    assert_eq!(parsed.report.class, whole.report.class, "{text}");
                    assert_eq!(parsed.report.cut, whole.report.cut, "{text}");
                }
                (Err(whole), Err(error)) => assert_eq!(whole.code(), error.code(), "{text}"),
                (whole, stream) => panic!("{text}: {whole:?}, {stream:?}"),
            }
        }
    }
    value
}

#[test]
fn formats_of_providers() {
    for (text, expected) in [
        (chat(&["", "{\"verb\": \"fah", "ren\", \"", "aux\": \"sein\"", "}"]), r#"{"verb":"fahren","aux":"sein"}"#),
        (chat(&["Here you are:\n\n```json\n{\"x\"", ": [1, 2", ",]}\n```\nAnything else?"]), r#"{"x":[1,2]}"#),
        (
            "data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"index\":0,\"id\":\"k\",\"function\":{\"name\":\"f\",\"arguments\":\"\"}}]}}]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{\\\"depth\\\"\"}}]}}]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\": 4}\"}}]}}]}\n\ndata: {\"choices\":[],\"usage\":{\"total_tokens\":9}}\n\ndata: [DONE]\n".to_owned(),
            r#"{"depth":4}"#,
        ),
        (
            "event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"id\":\"r\"}}\n\nevent: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"delta\":\"[\\\"a\\\", \"}\n\nevent: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"delta\":\"\\\"b\\\"]\"}\n\nevent: response.output_text.done\ndata: {\"type\":\"response.output_text.done\",\"text\":\"[\\\"a\\\", \\\"b\\\"]\"}\n\n".to_owned(),
            r#"["a","b"]"#,
        ),
        (
            "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"content\":[]}}\n\nevent: ping\ndata: {\"type\":\"ping\"}\n\nevent: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"{\\\"no\\\": 1}\"}}\n\nevent: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"text_delta\",\"text\":\"{\\\"yes\\\"\"}}\n\nevent: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"text_delta\",\"text\":\": 2}\"}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n".to_owned(),
            r#"{"yes":2}"#,
        ),
        (
            "data: {\"candidates\": [{\"content\": {\"parts\": [{\"text\": \"{\\\"n\\\"\"}],\"role\": \"model\"}}]}\r\n\r\ndata: {\"candidates\": [{\"content\": {\"parts\": [{\"text\": \": 5}\"}]},\"finishReason\": \"STOP\"}],\"usageMetadata\": {}}\r\n\r\n".to_owned(),
            r#"{"n":5}"#,
        ),
        (
            "{\"model\":\"m\",\"created_at\":\"t\",\"message\":{\"role\":\"assistant\",\"content\":\"{\\\"k\"},\"done\":false}\n{\"model\":\"m\",\"created_at\":\"t\",\"message\":{\"role\":\"assistant\",\"content\":\"\\\": true}\"},\"done\":false}\n{\"model\":\"m\",\"created_at\":\"t\",\"message\":{\"role\":\"assistant\",\"content\":\"\"},\"done\":true,\"eval_count\":9}\n".to_owned(),
            r#"{"k":true}"#,
        ),
    ] {
        assert_eq!(value_of(&text), expected, "{text}");
        let report = parse(&text).unwrap().report;
        assert!(report.repairs.iter().any(|repair| repair.rule == Rule::EventStream), "{text}");
        assert_eq!((report.candidate.origin, report.cut), (Origin::Escaped, None), "{text}");
    }
}

#[test]
fn pieces_in_events_of_programs() {
    for (text, expected) in [
        (
            "data: {\"text\": \"Of course:\\n\"}\n\ndata: {\"text\": \"{\\\"ok\\\": \"}\n\n: keep-alive\n\ndata: {\"text\": \"false}\"}\n\nevent: done\ndata: {}\n",
            r#"{"ok":false}"#,
        ),
        (
            "data: {\"token\": \"{\\\"\"}\ndata: {\"token\": \"id\"}\ndata: {\"token\": \"\\\": 7}\"}\n",
            r#"{"id":7}"#,
        ),
        (
            "{\"content\": \"[1, \", \"stop\": false}\n{\"content\": \"2]\", \"stop\": true}\n",
            "[1,2]",
        ),
        (
            "09:14:01 data: {\"delta\": \"{\\\"a\"}\n09:14:02 \n09:14:02 data: {\"delta\": \"\\\": 0}\"}\n",
            r#"{"a":0}"#,
        ),
        (
            "data: {\"species\": \"Larus\",\n\ndata:  \"eggs\": 3,\n\n: ping\n\ndata:  \"ringed\": true}\n\ndata: [DONE]\n",
            r#"{"species":"Larus","eggs":3,"ringed":true}"#,
        ),
        (
            "id: 1\nevent: out\ndata: {\n\nid: 2\nevent: out\ndata:   \"a\": [\n\nid: 3\nevent: out\ndata:   1]}\n",
            r#"{"a":[1]}"#,
        ),
        // Tokens as they are.
        (
            "data: {\"na\n\ndata: me\": \"Ida\",\n\ndata:  \"n\": 1\n\ndata: 2}\n\ndata: [DONE]\n",
            r#"{"name":"Ida","n":12}"#,
        ),
    ] {
        assert_eq!(value_of(text), expected, "{text}");
        let class = parse(text).unwrap().report.class;
        assert_eq!(class, Some(Class::Completion), "{text}");
    }
}

/// Records of their own are no pieces.
#[test]
fn values_of_their_own() {
    for (text, expected) in [
        (
            "data: {\"id\": 1, \"text\": \"[draft] go\"}\n\ndata: {\"id\": 2, \"text\": \"see {x}\"}\n",
            r#"[{"id":1,"text":"[draft] go"},{"id":2,"text":"see {x}"}]"#,
        ),
        (
            "{\"text\": \"{\\\"a\\\": 1}\"}\n{\"text\": \"{\\\"a\\\": 2}\"}\n",
            r#"[{"text":"{\"a\": 1}"},{"text":"{\"a\": 2}"}]"#,
        ),
        (
            "data: {\"delta\": \"Hel\"}\n\ndata: {\"delta\": \"lo\"}\n\n",
            r#"[{"delta":"Hel"},{"delta":"lo"}]"#,
        ),
        (
            "event: row\ndata: {\"a\": 1}\n\nevent: row\ndata: {\"a\": 2}\n\n",
            r#"[{"a":1},{"a":2}]"#,
        ),
        (
            "{\"task\": \"[ ] wash\", \"done\": false}\n{\"task\": \"[x] cook\", \"done\": true}\n",
            r#"[{"task":"[ ] wash","done":false},{"task":"[x] cook","done":true}]"#,
        ),
        (
            "data: {\"type\": \"content_block_delta\", \"delta\": {\"type\": \"text_delta\", \"text\": \"Sal\"}}\n",
            r#"{"type":"content_block_delta","delta":{"type":"text_delta","text":"Sal"}}"#,
        ),
    ] {
        assert_eq!(value_of(text), expected, "{text}");
    }
}

#[test]
fn a_stream_that_breaks_off_is_cut() {
    let text = chat(&["{\"a\": \"on", "e\", \"b\": \"tw"]);
    let text = text.trim_end().trim_end_matches("data: [DONE]");
    assert_eq!(value_of(text), r#"{"a":"one","b":"tw"}"#);
    assert_eq!(parse(text).unwrap().report.cut, Some(text.len()));
    // In the middle of an event, and in data as it is.
    let broken = text.trim_end().get(..text.trim_end().len() - 9).unwrap();
    assert_eq!(value_of(broken), r#"{"a":"on"}"#);
    assert!(parse(broken).unwrap().report.truncated());
    let raw = "data: {\"a\": 1,\n\ndata: \"b\": [2\n\n";
    assert_eq!(value_of(raw), r#"{"a":1,"b":[2]}"#);
    assert!(parse(raw).unwrap().report.truncated());
}

/// Faults in the joined text are repaired and located as in any other text.
#[test]
fn repairs_and_errors_are_in_the_callers_text() {
    let text = chat(&["{'städ", "te': [\"Köln\",", "],}"]);
    let parsed = parse(&text).unwrap();
    assert_eq!(parsed.value.to_string(), r#"{"städte":["Köln"]}"#);
    let comma = parsed.report.repairs.iter().rfind(|repair| repair.rule == Rule::TrailingComma);
    assert_eq!(comma.map(|repair| repair.span.of(&text)), Some(","));
    let city = parsed.value.root().pointer("/städte/0").unwrap();
    assert_eq!(city.span().of(&text), "\\\"Köln\\\"");
    let wrong = chat(&["{\"a\": 1, \"b\"", ": 2 * 3}"]);
    let error = parse(&wrong).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Expression);
    assert!(error.span().unwrap().of(&wrong).starts_with('2'), "{error}");
    assert_eq!(error.line_column().map(|(line, _)| line), Some(3));
}

#[test]
fn streams_without_a_clear_answer_are_refused() {
    let prose = chat(&["There is ", "nothing to say."]);
    assert_eq!(parse(&prose).unwrap_err().kind(), ErrorKind::NoJson);
    let two = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"[1]\"}},{\"index\":1,\"delta\":{\"content\":\"[2]\"}}]}\n\ndata: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"\\n\"}}]}\n\ndata: [DONE]\n";
    assert_eq!(parse(two).unwrap_err().kind(), ErrorKind::Ambiguous);
    // The line break between two lines of an event belongs to the string, or does not.
    let broken = "data: {\"a\": \"b\ndata: c\"}\n";
    assert_eq!(parse(broken).unwrap_err().kind(), ErrorKind::Ambiguous);
    let log = "08:01:07 {\"a\": \"b\n08:01:08 c\", \"d\": 1}\n";
    assert_eq!(parse(log).unwrap_err().kind(), ErrorKind::Ambiguous);
}

/// The text of an answer is read before the arguments of its calls.
#[test]
fn arguments_beside_text() {
    let text = |words: &str| {
        format!(
            "data: {{\"choices\":[{{\"delta\":{{\"content\":\"{words}\"}}}}]}}\n\ndata: {{\"choices\":[{{\"delta\":{{\"tool_calls\":[{{\"index\":0,\"function\":{{\"arguments\":\"{{\\\"q\\\": 1}}\"}}}}]}}}}]}}\n\n"
        )
    };
    let words = text("Let me look.");
    assert_eq!(parse(&words).unwrap().value.to_string(), r#"{"q":1}"#);
    let both = text("{\\\"a\\\": 2}");
    let parsed = parse(&both).unwrap();
    assert_eq!(
        (parsed.value.to_string().as_str(), parsed.report.class),
        (r#"{"a":2}"#, Some(Class::Guess))
    );
}

#[test]
fn options_apply_to_the_joined_text() {
    let text = chat(&["{\"a\"", ": 1}"]);
    let extract = Options::policy(Policy::Extract);
    let error = repair_with(&text, &extract).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused(Rule::EventStream));
    let only = Options { rules: extract.rules.with(Rule::EventStream), ..extract };
    assert_eq!(repair_with(&text, &only).unwrap().text, "{\"a\": 1}");
    let notation = Options { max_class: Class::Notation, ..Options::default() };
    assert_eq!(parse_with(&text, &notation).unwrap_err().code(), "repair/class");
    let fault = chat(&["{\"a\"", ": 1,}"]);
    assert!(repair_with(&fault, &only).is_err());
    // What fits a schema is chosen among the values of the joined text.
    let several = chat(&["Given {\"max\": 2}", ", I choose [\"a\", \"c\"], in that order."]);
    let fitting = parse_fitting(&several, &Options::default(), |value| {
        value.root().kind() == llmend_json::Kind::Array
    });
    assert_eq!(fitting.unwrap().value.to_string(), r#"["a","c"]"#);
    let (serde, _) = llmend_json::parse_to_serde_with(&text, &Options::default()).unwrap();
    assert_eq!(serde, serde_json::json!({"a": 1}));
}

/// Who asks for all values, or for the events of the first, gets them as for any text.
#[test]
fn other_readers_of_streams() {
    let text = chat(&["{\"a\"", ": [1, \"x\"]}"]);
    let mut events = Events::new(Options { choice: Choice::First, ..Options::default() });
    text.as_bytes().chunks(5).for_each(|chunk| events.push(chunk));
    let mut all: Vec<_> = events.drain().collect();
    all.extend(events.finish().unwrap().0);
    let closed = format!("{all:?}");
    assert_eq!(all.len(), 8, "{closed}");
    let records = "data: {\"a\": 1}\n\ndata: {\"a\": 2}\n\n";
    let mut values = Values::new(Options::default());
    values.push(records.as_bytes());
    assert_eq!(values.next_value().unwrap().json, "{\"a\": 1}");
    let options = Options { choice: Choice::First, ..Options::default() };
    let mut stream = Stream::new(options);
    stream.push(b"data: {\"a\": 1, \"b\": 2}\n");
    assert_eq!(
        stream.view().root().map(|root| root.to_string()).as_deref(),
        Some(r#"{"a":1,"b":2}"#)
    );
}
