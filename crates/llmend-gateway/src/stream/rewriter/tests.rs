//! Rewriting does not depend on how the stream is cut into pieces.

use std::sync::Arc;

use proptest::prelude::*;

use super::Rewriter;
use crate::answer::expectation::Schemas;
use crate::answer::final_answer::FinalAnswer;
use crate::calls::offered::OfferedTools;
use crate::config::{Level, Limits, Policy};
use crate::protocol::request::{Bounds, HeaderOptions, parse, read};
use crate::protocol::{Protocol, ResponseDefaults};
use crate::repair::RepairOptions;
use crate::repair::decide::{Decision, RetriesLeft};
use crate::stream::phase::Phase;

/// A stream of an answer to a request for a city, with a tool on offer.
fn stream() -> Rewriter {
    let body = r#"{"model": "m", "stream": true, "response_format": {"type": "json_object"},
        "tools": [{"function": {"name": "f", "parameters": {"type": "object"}}}]}"#;
    let (limits, policy, schemas) = (Limits::default(), Policy::default(), Schemas::default());
    let value = parse(body, &limits).unwrap();
    let bounds = Bounds {
        policy: &policy,
        limits: &limits,
        schemas: &schemas,
        offered: &OfferedTools::default(),
        notation: None,
        output_limit: None,
    };
    let (request, _) =
        read(Protocol::Chat, body, &value, &HeaderOptions::default(), bounds).unwrap();
    let reach = RepairOptions { level: Level::Standard, limits };
    Rewriter::new(Arc::new(request), reach, ResponseDefaults::default())
}

/// What a client gets of these bytes in pieces of these sizes.
fn passed(body: &[u8], sizes: &[usize]) -> String {
    let mut stream = stream();
    let mut out = Vec::new();
    let mut rest = body;
    for size in sizes.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (piece, more) = rest.split_at((*size).clamp(1, rest.len()));
        stream.push(piece);
        evaluate(&mut stream);
        out.extend(stream.take());
        rest = more;
    }
    stream.finish();
    evaluate(&mut stream);
    stream.finish();
    out.extend(stream.take());
    assert_eq!(stream.phase(), Phase::Ended);
    String::from_utf8(out).unwrap()
}

fn evaluate(stream: &mut Rewriter) {
    if stream.phase() == Phase::Complete {
        match stream.evaluation().run(&Policy::default(), RetriesLeft::default()) {
            (parts, Decision::Answer { cut_off }) => {
                stream.deliver(&FinalAnswer::at_once(parts, cut_off));
            }
            (
                _,
                Decision::Refuse(failure)
                | Decision::Again { refusal: failure }
                | Decision::Reask { refusal: failure, .. },
            ) => stream.fail(&failure),
        }
    }
}

/// An event of the form that clients read.
fn event(delta: &str, finish: &str) -> String {
    format!(
        "data: {{\"id\":\"i\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\
         \"choices\":[{{\"index\":0,\"delta\":{delta},\"finish_reason\":{finish}}}]}}\n\n"
    )
}

/// Events as servers send them, and as they do not.
fn events() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(event(r#"{"content":"{\"a\""}"#, "null")),
        Just(event(r#"{"content":": 1}"}"#, "null")),
        Just(event(r#"{"content":"é"}"#, "null")),
        Just(event(r#"{"reasoning_content":"hm"}"#, "null")),
        Just(event(
            r#"{"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"{}"}}]}"#,
            "null"
        )),
        Just(event(r#"{"tool_calls":[{"function":{"arguments":{"a":1}}}]}"#, "null")),
        Just(event("{}", "\"stop\"")),
        Just(event("{}", "\"length\"")),
        Just("data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\r\n\r\n".to_owned()),
        Just("data: {\"choices\":[],\"usage\":{\"prompt_tokens\":1}}\n\n".to_owned()),
        Just("data: {\"error\":{\"message\":\"no\"}}\n\n".to_owned()),
        Just("data: {\"choices\": 7}\n\n".to_owned()),
        Just(": comment\n\n".to_owned()),
        Just("data: [DONE]\n\n".to_owned()),
        Just("data:\n\n".to_owned()),
        "[ -~\n\r]{0,30}",
    ]
}

/// The data of each event for a client that splits at LF and strips a CR, as some do.
fn by_lines(body: &str) -> Vec<String> {
    let events = body.split("\n\n").flat_map(|part| part.split("\n\r\n"));
    let data = events.map(|event| {
        let lines = event.split('\n').map(|line| line.trim_end_matches('\r'));
        lines.filter_map(|line| line.strip_prefix("data: ")).collect::<Vec<_>>().join("\n")
    });
    data.filter(|data| !data.is_empty()).collect()
}

#[test]
fn no_event_is_glued_to_another_where_lines_end_with_crlf() {
    let rows: [(&[&str], &str); 2] = [
        (&["{'a': ", "1,}"], "{\"a\": 1}"),
        (&["Hi.\n<tool_call>{\"name\":\"f\",", "\"arguments\":{}}</tool_call>"], "Hi."),
    ];
    for (pieces, expected) in rows {
        let delta = |piece: &&str| serde_json::json!({ "content": piece }).to_string();
        let pieces = pieces.iter().map(|piece| event(&delta(piece), "null"));
        let body: String = pieces.chain([event("{}", "\"stop\"")]).collect();
        let body = (body + "data: [DONE]\n\n").replace('\n', "\r\n");
        for size in [1, 2, 3, usize::MAX] {
            let data = by_lines(&passed(body.as_bytes(), &[size]));
            assert_eq!(data.last().map(String::as_str), Some("[DONE]"), "{data:?}");
            let events = data.iter().filter(|data| *data != "[DONE]").map(|data| {
                serde_json::from_str::<serde_json::Value>(data)
                    .unwrap_or_else(|error| panic!("{error} {size}: {data}"))
            });
            let content = |event: serde_json::Value| {
                Some(event["choices"][0]["delta"]["content"].as_str()?.to_owned())
            };
            let content: String = events.filter_map(content).collect();
            assert_eq!(content.trim_end(), expected, "{size}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn any_stream_comes_to_the_same_in_any_pieces(
        events in proptest::collection::vec(events(), 0..12),
        sizes in proptest::collection::vec(1_usize..60, 1..8),
    ) {
        let body = events.concat();
        let whole = passed(body.as_bytes(), &[usize::MAX]);
        prop_assert_eq!(&passed(body.as_bytes(), &sizes), &whole);
        // Each data is JSON or the mark of the end, and what was not complete says so.
        for data in whole.split("\n\n").filter_map(|event| event.strip_prefix("data: ")) {
            let is_json = serde_json::from_str::<serde_json::Value>(data.trim_end()).is_ok();
            prop_assert!(is_json || data.trim() == "[DONE]", "{}", data);
        }
    }

    #[test]
    fn a_sound_answer_passes_byte_for_byte(
        text in "[ a-zé\"\\\\0-9]{0,40}",
        cuts in proptest::collection::vec(1_usize..9, 1..6),
        sizes in proptest::collection::vec(1_usize..60, 1..8),
    ) {
        let answer: Vec<char> = serde_json::json!({ "a": text }).to_string().chars().collect();
        let mut body = event(r#"{"role":"assistant","content":""}"#, "null");
        let mut rest = answer.as_slice();
        for cut in cuts.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (piece, more) = rest.split_at((*cut).min(rest.len()));
            let piece: String = piece.iter().collect();
            body += &event(&serde_json::json!({ "content": piece }).to_string(), "null");
            rest = more;
        }
        body += &event("{}", "\"stop\"");
        body += "data: [DONE]\n\n";
        prop_assert_eq!(passed(body.as_bytes(), &sizes), body);
    }
}
