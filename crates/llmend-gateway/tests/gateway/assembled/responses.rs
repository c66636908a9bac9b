//! `/v1/responses`, assembled by the events of its items and parts.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::both_ways::{Both, BothWays, Tally, events, schema};
use super::dice::Dice;
use crate::responses::{message, response};

const CASES: u64 = 1000;

/// One answer, whole and as a stream.
#[derive(Clone, Debug)]
struct Case {
    request: Value,
    whole: Value,
    stream: String,
    /// By how much the numbers of the items grow in the events.
    step: usize,
    /// Whether the last event repeats the output.
    is_sent_at_end: bool,
}

/// An item of the output and its events.
struct SentItem {
    item: Value,
    events: Vec<Value>,
}

fn request(dice: &mut Dice) -> Value {
    let mut request = json!({"model": "m", "input": "A city?"});
    let wanted = dice.below(8);
    if wanted != 1 && wanted != 0 {
        let format = json!({"type": "json_schema", "name": "city", "schema": schema()});
        let any = json!({"type": "json_object"});
        request["text"] = json!({ "format": if dice.one_in(4) { any } else { format } });
    }
    if wanted != 2 && wanted != 0 {
        let of_function = json!({"type": "function", "name": "run", "parameters": schema()});
        request["tools"] = json!([of_function, {"type": "custom", "name": "sql"}]);
    }
    request
}

/// A message of these texts. `is_sent` is false if only the last event contains it.
fn sent_message(dice: &mut Dice, texts: &[String], index: usize, is_sent: bool) -> SentItem {
    let part = |text: &str| json!({"type": "output_text", "text": text, "annotations": []});
    let content: Vec<Value> = texts.iter().map(|text| part(text)).collect();
    let phase = dice.pick(&[Value::Null, Value::Null, json!("commentary"), json!("final_answer")]);
    let item = |content: &[Value]| {
        json!({"id": format!("msg_{index}"), "type": "message", "role": "assistant", "phase": phase,
            "content": content})
    };
    let whole = item(&content);
    let mut events = vec![
        json!({"type": "response.output_item.added", "output_index": index, "item": item(&[])}),
    ];
    let mut is_said = true;
    for (text, number) in texts.iter().zip(0..) {
        let event = |kind: &str, key: &str, value: Value| {
            let mut event = json!({"type": format!("response.{kind}"), "item_id": "msg", "output_index": index,
                "content_index": number});
            event[key] = value;
            event
        };
        let shape = dice.below(6);
        let mut pieces = dice.pieces(text);
        if shape < 2 {
            let begun =
                if dice.one_in(4) && !pieces.is_empty() { pieces.remove(0) } else { String::new() };
            events.push(event("content_part.added", "part", part(&begun)));
        }
        if shape < 3 {
            let grows = |piece| event("output_text.delta", "delta", json!(piece));
            events.extend(pieces.into_iter().map(grows));
        }
        if shape == 0 || shape == 3 {
            events.push(event("output_text.done", "text", json!(text)));
        }
        if shape == 0 || shape == 4 {
            events.push(event("content_part.done", "part", part(text)));
        }
        // Empty texts need an event too.
        is_said &= shape < 5 && !text.is_empty();
    }
    if !is_said || dice.one_in(2) {
        let done =
            json!({"type": "response.output_item.done", "output_index": index, "item": whole});
        events.push(done);
    }
    SentItem { item: whole, events: if is_sent { events } else { Vec::new() } }
}

/// A call, whose arguments may be an object where text is expected.
fn sent_call(dice: &mut Dice, arguments: &str, index: usize, is_sent: bool) -> SentItem {
    let object = serde_json::from_str::<Value>(arguments).ok().filter(Value::is_object);
    let is_as_written =
        |object: &Value| serde_json::to_string(object).is_ok_and(|text| text == arguments);
    let object = object.filter(|object| dice.one_in(4) && is_as_written(object));
    let item = |arguments: Value| {
        json!({"id": format!("fc_{index}"), "type": "function_call", "call_id": format!("call_{index}"),
            "name": "run", "arguments": arguments})
    };
    let whole = item(object.unwrap_or_else(|| json!(arguments)));
    let event = |kind: &str, key: &str, value: Value| {
        let mut event = json!({"type": format!("response.{kind}"), "output_index": index});
        event[key] = value;
        event
    };
    let shape = dice.below(5);
    let begun = if shape == 4 && dice.one_in(2) { arguments } else { "" };
    let mut events = vec![event("output_item.added", "item", item(json!(begun)))];
    if shape < 2 {
        let grows = |piece| event("function_call_arguments.delta", "delta", json!(piece));
        events.extend(dice.pieces(arguments).into_iter().map(grows));
    }
    if shape == 0 || shape == 2 {
        events.push(event("function_call_arguments.done", "arguments", json!(arguments)));
    }
    let done = if shape < 3 && dice.one_in(3) { item(json!("")) } else { whole.clone() };
    if shape > 2 || dice.one_in(2) {
        events.push(event("output_item.done", "item", done));
    }
    SentItem { item: whole, events: if is_sent { events } else { Vec::new() } }
}

/// A message in which the model refuses, in pieces or all at once.
fn sent_refusal(dice: &mut Dice, index: usize, is_sent: bool) -> SentItem {
    let words = "I would rather not.";
    let item = json!({"id": "msg", "type": "message", "role": "assistant",
        "content": [{"type": "refusal", "refusal": words}]});
    let event = |kind: &str, key: &str, value: Value| {
        let mut event = json!({"type": format!("response.{kind}"), "output_index": index,
            "content_index": 0});
        event[key] = value;
        event
    };
    let pieces = dice.pieces(words).into_iter();
    let events = match dice.below(3) {
        0 => pieces.map(|piece| event("refusal.delta", "delta", json!(piece))).collect(),
        1 => vec![event("refusal.done", "refusal", json!(words))],
        _ => vec![event("output_item.done", "item", item.clone())],
    };
    SentItem { item, events: if is_sent { events } else { Vec::new() } }
}

/// An item that is neither.
fn sent_other(dice: &mut Dice, index: usize, is_sent: bool) -> SentItem {
    let item = dice.pick(&[
        json!({"id": "rs", "type": "reasoning", "summary": [{"type": "summary_text", "text": "{'"}]}),
        json!({"id": "ws", "type": "web_search_call", "status": "completed"}),
        json!({"id": "ctc", "type": "custom_tool_call", "call_id": "c", "name": "sql", "input": "{'"}),
    ]);
    let event = |kind: &str| json!({"type": format!("response.{kind}"), "output_index": index, "item": item});
    let mut events = vec![event("output_item.added")];
    events.push(json!({"type": "response.reasoning_summary_text.delta", "output_index": index, "delta": "{'"}));
    events.push(json!({"type": "response.never_heard_of", "x": [1.50, "é"]}));
    events.push(event("output_item.done"));
    SentItem { item, events: if is_sent { events } else { Vec::new() } }
}

fn case(dice: &mut Dice) -> Case {
    let step = if dice.one_in(5) { 2 } else { 1 };
    let is_sent = !dice.one_in(8);
    let is_sent_at_end = !is_sent || !dice.one_in(4);
    let mut sent: Vec<SentItem> = Vec::new();
    let mut texts = dice.texts();
    for _ in 0..dice.pick(&[1, 1, 1, 2, 3]) {
        if dice.one_in(3) {
            sent.push(sent_other(dice, sent.len() * step, is_sent));
        }
        let of_this = if dice.one_in(2) { 1.min(texts.len()) } else { texts.len() };
        let of_this: Vec<String> = texts.drain(..of_this).collect();
        if !of_this.is_empty() {
            sent.push(sent_message(dice, &of_this, sent.len() * step, is_sent));
        }
        if dice.one_in(12) {
            sent.push(sent_refusal(dice, sent.len() * step, is_sent));
        }
        if dice.one_in(3) {
            let arguments = dice.words();
            sent.push(sent_call(dice, &arguments, sent.len() * step, is_sent));
        }
    }
    let output: Vec<Value> = sent.iter().map(|sent| sent.item.clone()).collect();
    let status = dice.pick(&["completed", "completed", "completed", "incomplete", "cancelled"]);
    let mut whole = response(status, &json!(output));
    if dice.one_in(4) {
        whole["output_text"] = json!(if dice.one_in(4) { dice.words() } else { together(&output) });
    }
    let mut last = whole.clone();
    if !is_sent_at_end {
        last["output"] = json!([]);
    }
    let lists: Vec<Vec<Value>> = sent.into_iter().map(|sent| sent.events).collect();
    let items = if dice.one_in(4) { dice.merged(lists) } else { lists.concat() };
    let begun =
        json!({"type": "response.created", "response": response("in_progress", &json!([]))});
    let end = json!({"type": format!("response.{status}"), "response": last});
    let events = [vec![begun], items, vec![end]].concat();
    let stream = written(dice, &events);
    Case { request: request(dice), whole, stream, step, is_sent_at_end }
}

/// The events as a stream, whose lines end in either way.
fn written(dice: &mut Dice, events: &[Value]) -> String {
    let (is_numbered, end) = (!dice.one_in(5), dice.pick(&["\n", "\r\n"]));
    let named = events.iter().zip(7..).map(|(event, number)| {
        let mut event = event.clone();
        if is_numbered {
            event["sequence_number"] = json!(number);
        }
        let name = event["type"].as_str().unwrap();
        format!("event: {name}{end}data: {event}{end}{end}")
    });
    named.collect::<Vec<_>>().concat()
}

/// What a client assembles from a stream.
#[derive(Debug, Default)]
struct Together {
    /// What parts and calls begin with and grow by, by their kind, item and part.
    grown: BTreeMap<(&'static str, u64, u64), String>,
    /// What events say that all of one is.
    said: Vec<((&'static str, u64, u64), String)>,
    last: Value,
}

impl Together {
    /// The number of the first event is `first`, where they have any.
    fn of(events: &[Value], first: u64) -> Self {
        let mut together = Self::default();
        let numbers = events.iter().filter_map(|event| event["sequence_number"].as_u64());
        for (number, place) in numbers.zip(first..) {
            assert_eq!(number, place, "the numbers have a gap");
        }
        for event in events {
            together.take(event);
        }
        together
    }

    fn take(&mut self, event: &Value) {
        let item = event["output_index"].as_u64().unwrap_or_default();
        let part = event["content_index"].as_u64().unwrap_or_default();
        let (text, call) = (("text", item, part), ("call", item, 0));
        let words = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        match event["type"].as_str().unwrap().strip_prefix("response.").unwrap_or_default() {
            "content_part.added" => self.grow(text, &event["part"]["text"]),
            "output_text.delta" => self.grow(text, &event["delta"]),
            "function_call_arguments.delta" => self.grow(call, &event["delta"]),
            "output_item.added" => self.grow(call, &event["item"]["arguments"]),
            "output_text.done" => self.said.push((text, words(&event["text"]))),
            "content_part.done" => self.said.push((text, words(&event["part"]["text"]))),
            "function_call_arguments.done" => self.said.push((call, words(&event["arguments"]))),
            "output_item.done" => {
                for (place, said) in contents(&event["item"], item) {
                    self.said.push((place, said));
                }
            }
            "completed" | "incomplete" | "cancelled" => self.last = event.clone(),
            _ => {}
        }
    }

    fn grow(&mut self, place: (&'static str, u64, u64), piece: &Value) {
        let piece = piece.as_str().unwrap_or_default();
        if !piece.is_empty() {
            self.grown.entry(place).or_default().push_str(piece);
        }
    }
}

/// The contents of an item by place. Arguments are text.
fn contents(item: &Value, index: u64) -> Vec<((&'static str, u64, u64), String)> {
    if item["type"] == "function_call" {
        let arguments = &item["arguments"];
        let text = arguments.as_str().map_or_else(|| arguments.to_string(), str::to_owned);
        return vec![(("call", index, 0), text)];
    }
    let parts = item["content"].as_array().into_iter().flatten().zip(0..);
    parts
        .filter_map(|(part, number)| {
            Some((("text", index, number), part["text"].as_str()?.to_owned()))
        })
        .collect()
}

/// All texts of an output.
fn together(output: &[Value]) -> String {
    let parts = output.iter().filter_map(|item| item["content"].as_array()).flatten();
    parts.filter_map(|part| part["text"].as_str()).collect()
}

/// Compares what was assembled with the whole answer.
fn compare(case: &Case, whole: &Value, together: &Together) {
    let items = whole["output"].as_array().unwrap();
    let known = case.whole["output"].as_array().unwrap().len();
    for (item, place) in items.iter().zip(0_usize..) {
        if place < known {
            for (at, words) in contents(item, u64::try_from(place * case.step).unwrap()) {
                let said = together.said.iter().filter(|(known, _)| *known == at);
                let said = said.map(|(_, said)| said).filter(|said| !said.is_empty());
                for found in said.chain(together.grown.get(&at)) {
                    assert_eq!(found, &words, "{at:?}");
                }
                let is_sent = together.grown.contains_key(&at)
                    || together.said.iter().any(|(known, _)| *known == at)
                    || case.is_sent_at_end;
                assert!(is_sent || words.is_empty(), "nothing is sent of {at:?}: {words}");
            }
        } else {
            let words = &contents(item, 0)[0].1;
            assert!(together.grown.values().any(|grown| grown == words), "{words}");
        }
    }
    let last = &together.last["response"];
    assert_eq!(
        together.last["type"],
        json!(format!("response.{}", whole["status"].as_str().unwrap()))
    );
    for key in ["status", "incomplete_details", "usage", "llmend", "output_text"] {
        assert_eq!(last[key], whole[key], "{key}");
    }
    let output = if case.is_sent_at_end { items.as_slice() } else { &items[known..] };
    assert_eq!(last["output"], json!(output));
}

fn check(case: &Case, both: &Both) -> &'static str {
    let Both { whole, streamed, unasked } = both;
    if ["text", "tools"].iter().all(|key| case.request.get(key).is_none()) {
        assert_eq!(unasked.body, whole.body);
        assert_eq!(streamed.body, case.stream);
        return "as it came";
    }
    if case.request.get("tools").is_none() && both.has_unexpected_call(&case.whole) {
        return "unexpected";
    }
    let (events, unasked) = (events(streamed), events(unasked));
    if whole.status != 200 {
        assert_eq!(whole.status, 422);
        for events in [&events, &unasked] {
            let last = events.last().unwrap();
            assert_eq!(last["type"], "error");
            assert_eq!(last["message"], whole.json()["error"]["message"]);
        }
        return "refused";
    }
    let at_once = Case { step: 1, is_sent_at_end: true, ..case.clone() };
    compare(&at_once, &whole.json(), &Together::of(&unasked, 0));
    let sent = case.whole.to_string();
    if whole.body == sent {
        assert_eq!(streamed.body, case.stream);
        return "as it came";
    }
    compare(case, &whole.json(), &Together::of(&events, 7));
    "repaired"
}

#[tokio::test]
async fn a_streamed_response_equals_the_whole_one() {
    let ways = BothWays::new().await;
    let mut tally = Tally::default();
    for seed in 0..CASES {
        let mut dice = Dice::new(seed);
        let case = case(&mut dice);
        let again = response("completed", &json!([message(&dice.words())]));
        let sent = (&case.whole, case.stream.as_str());
        let both = ways.ask("/v1/responses", &case.request, sent, &again, &mut dice).await;
        tally.take(seed, sent, &both, || check(&case, &both));
    }
    tally.check(&["as it came", "repaired", "refused"]);
}
