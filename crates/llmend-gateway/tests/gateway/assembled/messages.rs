//! `/v1/messages`, assembled by its blocks.

use serde_json::{Value, json};

use super::both_ways::{Both, BothWays, Tally, events, schema};
use super::dice::Dice;

const CASES: u64 = 1000;

/// One answer, whole and as a stream.
#[derive(Debug)]
struct Case {
    request: Value,
    whole: Value,
    stream: String,
}

/// A block and its events.
struct SentBlock {
    block: Value,
    events: Vec<Value>,
}

fn request(dice: &mut Dice) -> Value {
    let mut request = json!({"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "A city?"}]});
    let wanted = dice.below(8);
    if wanted != 1 && wanted != 0 {
        request["output_format"] = json!({"type": "json_schema", "schema": schema()});
    }
    if wanted != 2 && wanted != 0 {
        request["tools"] = json!([{"name": "run", "input_schema": schema()},
            {"type": "web_search_20250305", "name": "web_search"}]);
    }
    request
}

/// Makes a block from its start, its pieces, and its final form.
fn sent_block(index: usize, begun: &Value, pieces: Vec<Value>, block: Value) -> SentBlock {
    let start = json!({"type": "content_block_start", "index": index, "content_block": begun});
    let delta = |delta| json!({"type": "content_block_delta", "index": index, "delta": delta});
    let stop = json!({"type": "content_block_stop", "index": index});
    let deltas = pieces.into_iter().map(delta).collect();
    SentBlock { block, events: [vec![start], deltas, vec![stop]].concat() }
}

fn sent_text(dice: &mut Dice, text: &str, index: usize) -> SentBlock {
    let block = |text: &str| json!({"type": "text", "text": text});
    let mut pieces = dice.pieces(text);
    let begun = match dice.below(6) {
        0 => std::mem::take(&mut pieces).concat(),
        1 if !pieces.is_empty() => pieces.remove(0),
        _ => String::new(),
    };
    let delta = |piece| json!({"type": "text_delta", "text": piece});
    sent_block(index, &block(&begun), pieces.into_iter().map(delta).collect(), block(text))
}

/// A tool use. Its input comes in the start of the block, in pieces, or both. Invalid JSON is a string in the
/// whole answer, as servers that imitate the form send it.
fn sent_call(dice: &mut Dice, arguments: &str, index: usize) -> SentBlock {
    let block = |input: Value| json!({"type": "tool_use", "id": format!("toolu_{index}"), "name": "run", "input": input});
    let object = serde_json::from_str::<Value>(arguments).ok().filter(Value::is_object);
    let is_nothing = arguments.trim().is_empty();
    let input = object.unwrap_or_else(|| if is_nothing { json!({}) } else { json!(arguments) });
    let mut pieces = if is_nothing { Vec::new() } else { dice.pieces(arguments) };
    pieces.insert(0, String::new());
    let begun = match dice.below(6) {
        // All of it at once.
        0 => {
            pieces.clear();
            input.clone()
        }
        1 => input.clone(),
        2 if pieces.len() > 1 => dice.pick(&[json!(""), Value::Null]),
        _ => json!({}),
    };
    let delta = |piece| json!({"type": "input_json_delta", "partial_json": piece});
    sent_block(index, &block(begun), pieces.into_iter().map(delta).collect(), block(input))
}

/// A block that is neither.
fn sent_other(dice: &mut Dice, index: usize) -> SentBlock {
    if dice.one_in(2) {
        let block = |thinking: &str, signature: &str| json!({"type": "thinking", "thinking": thinking, "signature": signature});
        let pieces = vec![
            json!({"type": "thinking_delta", "thinking": "{'"}),
            json!({"type": "signature_delta", "signature": "s"}),
        ];
        return sent_block(index, &block("", ""), pieces, block("{'", "s"));
    }
    let block = |input: Value| json!({"type": "server_tool_use", "id": "srv", "name": "web_search", "input": input});
    let delta = |piece: &str| json!({"type": "input_json_delta", "partial_json": piece});
    let pieces = vec![delta("{\"query\":"), delta("\"x\"}")];
    sent_block(index, &block(json!({})), pieces, block(json!({"query": "x"})))
}

fn case(dice: &mut Dice) -> Case {
    let mut sent: Vec<SentBlock> = Vec::new();
    for text in dice.texts() {
        if dice.one_in(3) {
            sent.push(sent_other(dice, sent.len()));
        }
        if !dice.one_in(8) {
            sent.push(sent_text(dice, &text, sent.len()));
        }
    }
    for _ in 0..dice.pick(&[0, 0, 0, 1, 1, 2]) {
        let arguments = dice.words();
        sent.push(sent_call(dice, &arguments, sent.len()));
    }
    let blocks: Vec<Value> = sent.iter().map(|sent| sent.block.clone()).collect();
    let stop =
        dice.pick(&["end_turn", "end_turn", "tool_use", "max_tokens", "pause_turn", "refusal"]);
    let message = |blocks: &[Value], stop: &Value, output: u64| {
        json!({"id": "msg", "type": "message", "role": "assistant", "model": "m", "content": blocks,
            "stop_reason": stop, "stop_sequence": null,
            "usage": {"input_tokens": 5, "output_tokens": output}})
    };
    let start = json!({"type": "message_start", "message": message(&[], &Value::Null, 1)});
    let mut usage = json!({"output_tokens": 7});
    if dice.one_in(3) {
        usage["input_tokens"] = json!(5);
    }
    let ended = |stop: &str| {
        json!({"type": "message_delta", "usage": usage,
        "delta": {"stop_reason": stop, "stop_sequence": null}})
    };
    let mut lists = vec![vec![start]];
    lists.extend(sent.into_iter().map(|sent| sent.events));
    if dice.one_in(6) {
        // The last finish reason holds, also if more of the answer comes between.
        let at = dice.below(lists.len()) + 1;
        lists
            .insert(at, vec![ended(dice.pick(&["end_turn", "tool_use", "max_tokens", "refusal"]))]);
    }
    lists.push(vec![ended(stop)]);
    if !dice.one_in(8) {
        lists.push(vec![json!({"type": "message_stop"})]);
    }
    let mut events = Vec::new();
    for event in lists.concat() {
        events.push(event);
        if dice.one_in(9) && events.len() > 1 {
            events.push(json!({"type": "never_heard_of", "x": [1.50, "é"]}));
        }
    }
    let stream = written(dice, &events);
    Case { request: request(dice), whole: message(&blocks, &json!(stop), 7), stream }
}

/// The events as a stream, whose lines end in either way.
fn written(dice: &mut Dice, events: &[Value]) -> String {
    let end = dice.pick(&["\n", "\r\n"]);
    let named = events.iter().map(|event| {
        let name = event["type"].as_str().unwrap();
        format!("event: {name}{end}data: {event}{end}{end}")
    });
    named.collect::<Vec<_>>().concat()
}

/// The message that a client puts together. The pieces of an input take the place of what it began with.
fn together(events: &[Value]) -> Value {
    let mut message = events[0]["message"].clone();
    let mut inputs: Vec<String> = Vec::new();
    for event in &events[1..] {
        let index = usize::try_from(event["index"].as_u64().unwrap_or_default()).unwrap();
        match event["type"].as_str().unwrap() {
            "content_block_start" => {
                assert_eq!(index, inputs.len());
                message["content"].as_array_mut().unwrap().push(event["content_block"].clone());
                inputs.push(String::new());
            }
            "content_block_delta" => {
                let (block, delta) = (&mut message["content"][index], &event["delta"]);
                for key in ["text", "thinking", "signature"] {
                    if let Some(piece) = delta[key].as_str() {
                        block[key] = json!(block[key].as_str().unwrap().to_owned() + piece);
                    }
                }
                inputs[index] += delta["partial_json"].as_str().unwrap_or_default();
            }
            "content_block_stop" if !inputs[index].is_empty() => {
                let input = serde_json::from_str(&inputs[index]);
                // It was not inspected, so it is as the model wrote it.
                message["content"][index]["input"] = input.unwrap_or_else(|_| json!(inputs[index]));
            }
            "message_delta" => {
                for (key, value) in event["delta"].as_object().unwrap() {
                    message[key] = value.clone();
                }
                for (key, value) in event["usage"].as_object().unwrap() {
                    message["usage"][key] = value.clone();
                }
                if let Some(report) = event.get("llmend") {
                    message["llmend"] = report.clone();
                }
            }
            _ => {}
        }
    }
    message
}

fn check(case: &Case, both: &Both) -> &'static str {
    let Both { whole, streamed, unasked } = both;
    if case.request.get("tools").is_none() && both.has_unexpected_call(&case.whole) {
        return "unexpected";
    }
    if whole.status != 200 {
        assert_eq!(whole.status, 422);
        for got in [streamed, unasked] {
            let events = events(got);
            let last = events.last().unwrap();
            assert_eq!((&last["type"], &last["error"]), (&json!("error"), &whole.json()["error"]));
        }
        return "refused";
    }
    if ["output_format", "tools"].iter().any(|key| case.request.get(key).is_some()) {
        assert_eq!(together(&events(unasked)), whole.json());
    } else {
        assert_eq!(unasked.body, whole.body);
    }
    let sent = case.whole.to_string();
    // A stream without its last event gets it.
    let mark = "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";
    let has_mark = case.stream.contains("event: message_stop");
    let stream = format!("{}{}", case.stream, if has_mark { "" } else { mark });
    if whole.body == sent && streamed.body == stream {
        return "as it came";
    }
    assert_eq!(together(&events(streamed)), whole.json());
    if whole.body != sent {
        return "repaired";
    }
    // A text of which a part may have been the beginning of a call came in other pieces. Nothing
    // else did.
    assert!(case.request.get("tools").is_some());
    let is_piece = |event: &&str| event.contains("\"text_delta\"");
    let others = |stream: &str| {
        stream.split_inclusive("\n\n").filter(|event| !is_piece(event)).collect::<String>()
    };
    assert_eq!(others(&streamed.body), others(&stream));
    "in other pieces"
}

#[tokio::test]
async fn a_streamed_message_equals_the_whole_one() {
    let ways = BothWays::new().await;
    let mut tally = Tally::default();
    for seed in 0..CASES {
        let mut dice = Dice::new(seed);
        let case = case(&mut dice);
        let words = dice.words();
        let again = json!({"type": "message", "content": [{"type": "text", "text": words}],
            "stop_reason": "end_turn", "usage": {"input_tokens": 3, "output_tokens": 4}});
        let sent = (&case.whole, case.stream.as_str());
        let both = ways.ask("/v1/messages", &case.request, sent, &again, &mut dice).await;
        tally.take(seed, sent, &both, || check(&case, &both));
    }
    tally.check(&["as it came", "repaired", "refused"]);
}
