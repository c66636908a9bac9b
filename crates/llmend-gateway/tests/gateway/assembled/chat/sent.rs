//! Answers of chat completions, whole and as a stream.

use serde_json::{Map, Value, json};

use super::super::both_ways::schema;
use super::super::dice::Dice;
use crate::rig::DONE;

/// One answer, whole and as a stream.
#[derive(Debug)]
pub(super) struct Case {
    pub(super) request: Value,
    pub(super) whole: Value,
    pub(super) stream: String,
    /// Whether every client can read the stream as it is, so that it passes unchanged.
    pub(super) is_plain: bool,
}

/// What is drawn of an answer.
#[derive(Clone, Copy, Debug)]
struct Kind {
    /// Whether tools are offered, so that calls are inspected.
    offers_tools: bool,
    /// Whether the answer is valid.
    is_sound: bool,
}

impl Kind {
    fn words(self, dice: &mut Dice) -> String {
        if self.is_sound { dice.object() } else { dice.words() }
    }
}

/// How the pieces of calls say which call they belong to.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Numbers {
    Counted,
    Sparse,
    /// All of them 0.
    Zero,
    Missing,
}

/// A choice: its message, and the pieces of that.
struct SentChoice {
    message: Map<String, Value>,
    deltas: Vec<Value>,
    finish: Value,
    is_plain: bool,
}

fn request(dice: &mut Dice, choices: usize) -> Value {
    let mut request = json!({"model": "m", "messages": [{"role": "user", "content": "A city?"}]});
    let wanted = dice.below(8);
    if wanted != 1 && wanted != 0 {
        let format =
            json!({"type": "json_schema", "json_schema": {"name": "city", "schema": schema()}});
        let any = json!({"type": "json_object"});
        request["response_format"] = if dice.one_in(4) { any } else { format };
    }
    if wanted != 2 && wanted != 0 {
        let function = json!({"name": "run", "parameters": schema()});
        request["tools"] = json!([{"type": "function", "function": function},
            {"type": "custom", "custom": {"name": "sql"}}]);
    }
    // Some servers send more or fewer choices than requested.
    if choices > 1 && !dice.one_in(5) {
        request["n"] = json!(choices);
    }
    if dice.one_in(2) {
        request["stream_options"] = json!({"include_usage": true});
    }
    request
}

/// The text of a message, as text or as a list of parts, and its pieces.
fn send_text(dice: &mut Dice, sent: &mut SentChoice, kind: Kind) {
    let text = kind.words(dice);
    let pieces = dice.pieces(&text);
    if !dice.one_in(3) {
        sent.deltas.extend(pieces.iter().map(|piece| json!({ "content": piece })));
        sent.message.insert("content".to_owned(), json!(text));
        return;
    }
    let part = |text: &str| json!({"type": "text", "text": text});
    let thinking = json!({"type": "thinking", "thinking": [{"type": "text", "text": "{'"}]});
    let mut parts: Vec<Value> = pieces.chunks(5).map(|pieces| part(&pieces.concat())).collect();
    let at = dice.below(parts.len() + 1);
    if !dice.one_in(4) {
        parts.insert(at, thinking);
    }
    for one in &parts {
        let pieces = one["text"].as_str().map(|text| dice.pieces(text));
        match pieces {
            Some(pieces) => {
                sent.deltas.extend(pieces.iter().map(|piece| json!({"content": [part(piece)]})));
            }
            None => sent.deltas.push(json!({ "content": [one] })),
        }
    }
    sent.message.insert("content".to_owned(), json!(parts));
}

/// A call and its pieces, which have no number yet.
fn call(
    dice: &mut Dice,
    at: usize,
    sent: &mut SentChoice,
    numbers: Numbers,
    kind: Kind,
) -> (Value, Vec<Value>) {
    if dice.one_in(4) {
        let input = dice.pick(&["select 1", "{'a': 1", ""]);
        let call = json!({"id": format!("c{at}"), "type": "custom", "custom": {"name": "sql", "input": input}});
        let mut begun = call.clone();
        begun["custom"]["input"] = json!("");
        let pieces = dice.pieces(input);
        let rest = pieces.iter().map(|piece| json!({"custom": {"input": piece}}));
        return (call, [vec![begun], rest.collect()].concat());
    }
    let arguments = kind.words(dice);
    let object = serde_json::from_str::<Value>(&arguments).ok();
    let object = object.filter(|_| kind.offers_tools && !kind.is_sound && dice.one_in(6));
    let mut call = json!({"id": format!("c{at}"), "type": "function",
        "function": {"name": "run", "arguments": arguments}});
    let mut begun = call.clone();
    let mut rest = Vec::new();
    if let Some(object) = object {
        sent.is_plain = false;
        call["function"]["arguments"] = object.clone();
        begun["function"]["arguments"] = object;
    } else if !dice.one_in(3) {
        begun["function"]["arguments"] = json!("");
        let pieces = dice.pieces(&arguments);
        rest.extend(pieces.iter().map(|piece| json!({"function": {"arguments": piece}})));
    }
    if dice.one_in(3) {
        let extra = json!({"signature": format!("s{at}")});
        call["extra_content"] = extra.clone();
        let of = if dice.one_in(2) { &mut begun } else { rest.last_mut().unwrap_or(&mut begun) };
        of["extra_content"] = extra;
    }
    // Where nothing else says which call it is, the id does.
    if kind.offers_tools && !kind.is_sound && matches!(numbers, Numbers::Counted | Numbers::Sparse)
    {
        let last = rest.last_mut();
        match (dice.below(8), last) {
            (0, Some(last)) => last["id"] = begun["id"].take(),
            (1, Some(last)) => last["id"] = begun["id"].clone(),
            (2, _) => {
                call.as_object_mut().unwrap().remove("id");
                begun.as_object_mut().unwrap().remove("id");
            }
            _ => {}
        }
        let is_plain =
            rest.iter().all(|piece| piece.get("id").is_none()) && begun.get("id").is_some();
        sent.is_plain &= is_plain;
    }
    (call, [vec![begun], rest].concat())
}

fn send_calls(dice: &mut Dice, sent: &mut SentChoice, kind: Kind) {
    use Numbers::{Counted, Missing, Sparse, Zero};
    let numbers = dice.pick(&[Counted, Counted, Counted, Sparse, Zero, Missing]);
    // Calls that are not inspected pass unchanged.
    let numbers = if kind.offers_tools && !kind.is_sound { numbers } else { Counted };
    sent.is_plain &= numbers == Counted;
    let mut calls = Vec::new();
    let mut lists = Vec::new();
    for at in 0..dice.pick(&[1, 1, 2, 3]) {
        let (call, mut pieces) = call(dice, at, sent, numbers, kind);
        calls.push(call);
        for piece in &mut pieces {
            match numbers {
                Counted => piece["index"] = json!(at),
                Sparse => piece["index"] = json!(2 * at + 1),
                Zero => piece["index"] = json!(0),
                Missing => {}
            }
        }
        lists.push(pieces);
    }
    let mut pieces: Vec<Value> = if matches!(numbers, Counted | Sparse) && dice.one_in(2) {
        // In turn, but begun in order.
        let begun: Vec<Value> = lists.iter_mut().map(|pieces| pieces.remove(0)).collect();
        [begun, dice.merged(lists)].concat()
    } else {
        lists.concat()
    };
    while !pieces.is_empty() {
        let count = dice.pick(&[1, 1, 1, 2, 3]).min(pieces.len());
        sent.deltas.push(json!({"tool_calls": pieces.drain(..count).collect::<Vec<_>>()}));
    }
    sent.message.insert("tool_calls".to_owned(), calls.into());
}

/// The call in the form of older servers.
fn send_function(dice: &mut Dice, sent: &mut SentChoice, kind: Kind) {
    let arguments = kind.words(dice);
    let mut begun = json!({"name": "run", "arguments": ""});
    sent.deltas.push(json!({ "function_call": begun }));
    let pieces = dice.pieces(&arguments);
    let piece = |piece| json!({"function_call": {"arguments": piece}});
    sent.deltas.extend(pieces.iter().map(piece));
    begun["arguments"] = json!(arguments);
    sent.message.insert("function_call".to_owned(), begun);
}

fn choice(dice: &mut Dice, kind: Kind) -> SentChoice {
    let mut sent = SentChoice {
        message: Map::new(),
        deltas: Vec::new(),
        finish: dice.pick(&[
            json!("stop"),
            json!("stop"),
            json!("stop"),
            json!("length"),
            json!("eos"),
            Value::Null,
        ]),
        is_plain: true,
    };
    sent.message.insert("role".to_owned(), json!("assistant"));
    if dice.one_in(4) {
        sent.message.insert("reasoning_content".to_owned(), json!("hm {"));
        sent.deltas.push(json!({"reasoning_content": "hm {"}));
    }
    match dice.below(9) {
        0..=3 => send_text(dice, &mut sent, kind),
        4 | 5 => send_calls(dice, &mut sent, kind),
        6 => {
            send_text(dice, &mut sent, kind);
            send_calls(dice, &mut sent, kind);
        }
        7 => send_function(dice, &mut sent, kind),
        _ => {
            sent.message.insert("refusal".to_owned(), json!("I will not."));
            sent.deltas.push(json!({"refusal": "I will not."}));
        }
    }
    if kind.is_sound || sent.finish == "stop" && !dice.one_in(4) {
        let of = |key: &str| sent.message.contains_key(key);
        let words = [("tool_calls", of("tool_calls")), ("function_call", of("function_call"))];
        let word = words.into_iter().find_map(|(word, is_called)| is_called.then_some(word));
        sent.finish = json!(word.unwrap_or("stop"));
    }
    match sent.deltas.first_mut() {
        Some(first) if dice.one_in(2) => first["role"] = json!("assistant"),
        _ => sent.deltas.insert(0, json!({"role": "assistant", "content": ""})),
    }
    if dice.one_in(6) {
        let annotations = json!([{"type": "url_citation"}]);
        sent.message.insert("annotations".to_owned(), annotations.clone());
        let last = sent.deltas.len() - 1;
        sent.deltas[last]["annotations"] = annotations;
    }
    sent
}

/// The choices of each event.
fn events(
    dice: &mut Dice,
    choices: &[SentChoice],
    has_index: bool,
    are_asked_for: bool,
) -> Vec<Vec<Value>> {
    let mut lists: Vec<Vec<Value>> = Vec::new();
    for (sent, index) in choices.iter().zip(0..) {
        let event = |delta: &Value| {
            let mut choice = json!({"delta": delta, "finish_reason": null});
            if has_index {
                choice["index"] = json!(usize::to_string(&index).parse::<u64>().unwrap());
            }
            choice
        };
        let mut list: Vec<Value> = sent.deltas.iter().map(event).collect();
        if !dice.one_in(3) {
            list.push(event(&json!({})));
        }
        let last = list.len() - 1;
        list[last]["finish_reason"] = sent.finish.clone();
        lists.push(list);
    }
    // One that nobody asked for has to begin before the others end.
    if has_index && are_asked_for && choices.len() > 1 && dice.one_in(2) {
        return dice.merged(lists).into_iter().map(|choice| vec![choice]).collect();
    }
    // Each event has all choices.
    let longest = lists.iter().map(Vec::len).max().unwrap_or_default();
    let at = |at: usize| {
        let of = |list: &Vec<Value>| list.get(at).cloned();
        let silent = || (!has_index).then(|| json!({"delta": {}, "finish_reason": null}));
        lists.iter().filter_map(|list| of(list).or_else(silent)).collect()
    };
    (0..longest).map(at).collect()
}

/// Whether nothing of these events overtakes what waits.
fn is_in_order(events: &[Vec<Value>], request: &Value) -> bool {
    let is_held = |(key, value): (&String, &Value)| match key.as_str() {
        "content" => request.get("response_format").is_some() && *value != "",
        "tool_calls" | "function_call" => request.get("tools").is_some(),
        _ => false,
    };
    let is_silent = |(key, value): (&String, &Value)| key == "role" || *value == "";
    let mut waits = false;
    events.iter().all(|choices| {
        let members = || choices.iter().flat_map(|choice| choice["delta"].as_object().unwrap());
        let is_end = choices.iter().any(|choice| !choice["finish_reason"].is_null());
        let holds = is_end || members().any(is_held);
        let flows = members().any(|member| !is_held(member) && !is_silent(member));
        let is_overtaking = waits && !holds || holds && flows;
        waits |= holds;
        !is_overtaking
    })
}

pub(super) fn case(dice: &mut Dice) -> Case {
    let count = dice.pick(&[1, 1, 1, 2, 3]);
    let request = request(dice, count);
    let is_asked_for_all = request.get("n").is_some() || count == 1;
    let kind = Kind { offers_tools: request.get("tools").is_some(), is_sound: dice.one_in(3) };
    let choices: Vec<SentChoice> = (0..count).map(|_| choice(dice, kind)).collect();
    let has_index = kind.is_sound || !dice.one_in(4);
    let has_head = kind.is_sound || !dice.one_in(6);
    let head = |object: &str, choices: Value| {
        let mut root = json!({ "choices": choices, "system_fingerprint": "fp" });
        if has_head {
            for (key, value) in [
                ("id", json!("c-1")),
                ("object", json!(object)),
                ("created", json!(1)),
                ("model", json!("m")),
            ] {
                root[key] = value;
            }
        }
        root
    };
    let whole: Vec<Value> = choices
        .iter()
        .zip(0_u64..)
        .map(|(sent, index)| {
            let mut choice = json!({"message": sent.message, "finish_reason": sent.finish});
            if has_index {
                choice["index"] = json!(index);
            }
            choice
        })
        .collect();
    let mut whole = head("chat.completion", whole.into());
    let sent = events(dice, &choices, has_index, is_asked_for_all);
    let is_in_order = is_in_order(&sent, &request);
    let mut events: Vec<Value> =
        sent.into_iter().map(|choices| head("chat.completion.chunk", choices.into())).collect();
    let is_ended = choices.iter().all(|sent| !sent.finish.is_null());
    let usage = json!({"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18});
    let place = dice.below(5);
    let behind =
        |finish: Value| json!([{"index": 0, "delta": {"content": ""}, "finish_reason": finish}]);
    let event = match place {
        1 => events.pop(),
        2 => Some(head("chat.completion.chunk", json!([]))),
        3 => Some(head("chat.completion.chunk", behind(Value::Null))),
        4 => Some(head("chat.completion.chunk", behind(choices[0].finish.clone()))),
        _ => None,
    };
    let keeps_usage = request.get("stream_options").is_none();
    if let Some(mut event) = event {
        whole["usage"] = usage.clone();
        event["usage"] = usage;
        event["service_tier"] = json!("flex");
        whole["service_tier"] = json!("flex");
        events.push(event);
    }
    let end = dice.pick(&["\n\n", "\n\n", "\r\n\r\n", "\r\r"]);
    let mut stream: Vec<String> =
        events.iter().map(|event| format!("data: {event}{end}")).collect();
    if !is_ended || !dice.one_in(6) {
        stream.push(DONE.replace("\n\n", end));
    }
    let is_plain = choices.iter().all(|sent| sent.is_plain)
        && is_in_order
        && has_index
        && has_head
        && is_asked_for_all
        && !(keeps_usage && place > 0)
        && place < 4;
    Case { request, whole, stream: stream.concat(), is_plain }
}
