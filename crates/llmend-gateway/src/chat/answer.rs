//! What does a whole answer say, and how is it written with what was repaired?

use std::borrow::Cow;

use llmend::json::{Kind, Node, Value};
use llmend_models::sse::FinishReason;

use super::chunk::Defaults;
use crate::decide::{Part, call_json, content_json};
use crate::failure::Failure;
use crate::settle::{CallForm, Ends, Finish, Written};
use crate::splice::{Splice, quoted};

/// The failure that an error object in an answer of status 200 is: every SDK would take it for an
/// answer without choices.
pub(crate) fn error_object(root: Node<'_>) -> Option<Failure> {
    let error = root.get("error").filter(|error| !error.is_null())?;
    let text = |key: &str| error.get(key).and_then(Node::str);
    let message =
        text("message").or_else(|| error.str()).unwrap_or("the upstream told of an error");
    let code =
        error.get("code").map(|code| code.str().map_or_else(|| code.to_string(), str::to_owned));
    let status = code.as_deref().and_then(|code| code.parse().ok());
    let status = status.filter(|status| (400..600).contains(status)).unwrap_or(502);
    let code = code.filter(|code| code != "null").unwrap_or_else(|| "upstream_error".to_owned());
    Some(Failure::new(status, "upstream_error", code, message))
}

/// What the choices of an answer say, as the model wrote it.
pub(crate) fn written(value: &Value<'_>) -> Vec<Written> {
    choices(value).map(|(choice, node)| written_choice(choice, node)).collect()
}

/// The choices by number: their own, or that of their place.
fn choices<'v>(value: &'v Value<'_>) -> impl Iterator<Item = (u32, Node<'v>)> {
    let choices = value.root().get("choices").map(Node::items).into_iter().flatten();
    choices.zip(0..).map(|(choice, at)| {
        let number = choice.get("index").and_then(Node::number);
        (number.and_then(|number| number.parse().ok()).unwrap_or(at), choice)
    })
}

fn written_choice(choice: u32, node: Node<'_>) -> Written {
    let message = node.get("message");
    let member = |key: &str| message.and_then(|message| message.get(key));
    let finish = node.get("finish_reason").and_then(Node::str);
    Written {
        choice,
        content: member("content").map(text).unwrap_or_default(),
        refusal: member("refusal").map(text).unwrap_or_default(),
        calls: functions(node)
            .map(|function| function.map(|function| (name(function), arguments(function))))
            .map(Option::unwrap_or_default)
            .collect(),
        others: functions(node)
            .enumerate()
            .filter_map(|(at, function)| function.is_none().then_some(at))
            .collect(),
        call_form: if legacy(node).is_some() { CallForm::Function } else { CallForm::Tools },
        calls_told: 0,
        reasoning: String::new(),
        finish: finish
            .map(|word| Finish { reason: FinishReason::from_word(word), word: word.to_owned() }),
    }
}

fn calls(choice: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let calls = choice.get("message").and_then(|message| message.get("tool_calls"));
    calls.map(Node::items).into_iter().flatten()
}

/// The call as it was told before there were lists of them.
fn legacy(choice: Node<'_>) -> Option<Node<'_>> {
    let function = choice.get("message")?.get("function_call")?;
    (function.kind() == Kind::Object && calls(choice).next().is_none()).then_some(function)
}

/// What each of the calls is of, in either form: nothing if that is no function.
fn functions(choice: Node<'_>) -> impl Iterator<Item = Option<Node<'_>>> {
    calls(choice).map(|call| call.get("function")).chain(legacy(choice).map(Some))
}

fn name(function: Node<'_>) -> String {
    function.get("name").and_then(Node::str).unwrap_or_default().to_owned()
}

/// The arguments as text, also where a server sends an object.
fn arguments(function: Node<'_>) -> String {
    match function.get("arguments") {
        Some(arguments) if arguments.is_null() => String::new(),
        Some(arguments) => arguments.str().map_or_else(|| arguments.to_string(), str::to_owned),
        None => String::new(),
    }
}

/// The text of a content, also where it is a list of parts.
fn text(content: Node<'_>) -> String {
    match content.str() {
        Some(text) => text.to_owned(),
        None => content.items().filter_map(|part| part.get("text")?.str()).collect(),
    }
}

/// The answer with what was made of its parts; byte for byte as it was where nothing was to be done.
pub(crate) fn rewritten<'t>(
    body: &'t str,
    value: &Value<'_>,
    parts: &[Part],
    ends: &Ends,
    defaults: &Defaults,
    report: Option<&serde_json::Value>,
) -> Cow<'t, str> {
    let mut splice = Splice::new(body);
    for (number, choice) in choices(value) {
        rewrite_choice(number, choice, parts, ends, defaults, &mut splice);
    }
    let root = value.root();
    let mut with: Vec<(&str, String)> = defaults.missing(root, "chat.completion");
    with.extend(report.map(|report| ("llmend", report.to_string())));
    if !with.is_empty() {
        splice.members(root, &[], &with);
    }
    splice.finish()
}

fn rewrite_choice(
    number: u32,
    choice: Node<'_>,
    parts: &[Part],
    ends: &Ends,
    defaults: &Defaults,
    splice: &mut Splice<'_>,
) {
    let content = choice.get("message").and_then(|message| message.get("content"));
    if let (Some(content), Some(json)) = (content, content_json(parts, number)) {
        splice.replace(content, quoted(json));
    }
    if parts.iter().any(|part| part.place.choice == number) {
        for (call, at) in calls(choice).zip(0..) {
            let json = call_json(parts, number, at);
            rewrite_call(call, json, &defaults.call_id(number, at), splice);
        }
        if let Some(function) = legacy(choice) {
            rewrite_function(function, call_json(parts, number, 0), splice);
        }
    }
    let written = written_choice(number, choice);
    let word = written.finish_word(ends);
    let mut with = Vec::new();
    match choice.get("finish_reason") {
        Some(told) if told.str() == Some(word) => {}
        Some(told) => splice.replace(told, quoted(word)),
        None => with.push(("finish_reason", quoted(word))),
    }
    if choice.get("index").is_none() {
        with.push(("index", number.to_string()));
    }
    if !with.is_empty() {
        splice.members(choice, &[], &with);
    }
}

fn rewrite_call(call: Node<'_>, json: Option<&str>, id: &str, splice: &mut Splice<'_>) {
    // A call of anything else goes as it came.
    let Some(function) = call.get("function") else { return };
    rewrite_function(function, json, splice);
    let mut with = Vec::new();
    if call.get("id").is_none() {
        with.push(("id", quoted(id)));
    }
    if call.get("type").is_none() {
        with.push(("type", quoted("function")));
    }
    if !with.is_empty() {
        splice.members(call, &[], &with);
    }
}

fn rewrite_function(function: Node<'_>, json: Option<&str>, splice: &mut Splice<'_>) {
    let text = json.map_or_else(|| arguments(function), str::to_owned);
    match function.get("arguments") {
        Some(told) if told.str().is_some() && json.is_none() => {}
        Some(told) => splice.replace(told, quoted(&text)),
        None => splice.members(function, &[], &[("arguments", quoted(&text))]),
    }
}

#[cfg(test)]
mod tests {
    use super::{rewritten, written};
    use crate::chat::chunk::Defaults;
    use crate::config::Limits;
    use crate::decide::{Part, Place, PlaceKind};
    use crate::mend::{Cut, Edits, Mended};
    use crate::protocol::Protocol;
    use crate::settle::Ends;

    fn part(kind: PlaceKind, json: Option<&str>) -> Part {
        let json = json.map(str::to_owned);
        let (done, edits) = (Vec::new(), Edits::default());
        let mended = Mended { json, class: None, cut: Cut::Whole, done, edits };
        let place = Place { choice: 0, kind, path: String::new() };
        Part { place, text: String::new(), outcome: Ok(mended) }
    }

    fn done(body: &str, parts: &[Part], cut_off: &[u32]) -> String {
        let ends = Ends { cut_off: cut_off.to_vec(), ..Ends::default() };
        let limits = Limits::default();
        let value = Protocol::Chat.parse(body, &limits).unwrap();
        let defaults = Defaults { id: "i".to_owned(), created: 7, model: "m".to_owned() };
        rewritten(body, &value, parts, &ends, &defaults, None).into_owned()
    }

    const HEAD: &str = r#""id": "1", "object":"chat.completion","created":1.0,"model":"m","#;

    #[test]
    fn what_is_not_repaired_stays_byte_for_byte() {
        let body = format!(
            "{{ {HEAD}\"choices\":[{{\"index\":0,\"message\":{{\"role\":\"assistant\",\"content\":\"{{}}\\u0041\"}},\
             \"logprobs\": 1.50, \"finish_reason\":\"stop\"}}]}}\n"
        );
        assert_eq!(done(&body, &[part(PlaceKind::Content, None)], &[]), body);
        assert_eq!(
            done(&body, &[part(PlaceKind::Content, Some("[\"b\"]"))], &[]),
            body.replace("{}\\u0041", "[\\\"b\\\"]")
        );
        assert!(done(&body, &[], &[0]).contains("\"finish_reason\":\"length\""));
    }

    #[test]
    fn what_clients_need_is_put_in() {
        let body = r#"{"choices":[{"message":{"tool_calls":[{"function":{"name":"f","arguments":{"a": 1.0}}},{"id":"x","type":"function","function":{"name":"g"}}]}}]}"#;
        let call = |index, name: &str| PlaceKind::Call { index, name: name.to_owned() };
        let parts = [part(call(0, "f"), None), part(call(1, "g"), Some("{}"))];
        let out: serde_json::Value = serde_json::from_str(&done(body, &parts, &[])).unwrap();
        assert_eq!(
            (&out["id"], &out["created"], &out["model"]),
            (&"i".into(), &7.into(), &"m".into())
        );
        assert_eq!(out["object"], "chat.completion");
        let choice = &out["choices"][0];
        assert_eq!((&choice["index"], &choice["finish_reason"]), (&0.into(), &"tool_calls".into()));
        let calls = &choice["message"]["tool_calls"];
        assert_eq!(calls[0]["function"]["arguments"], "{\"a\":1.0}");
        assert_eq!(
            (&calls[0]["id"], &calls[0]["type"]),
            (&"call_i_0_0".into(), &"function".into())
        );
        assert_eq!(
            (&calls[1]["function"]["arguments"], &calls[1]["id"]),
            (&"{}".into(), &"x".into())
        );
    }

    #[test]
    fn an_error_object_is_an_error_whatever_its_status_was() {
        let limits = Limits::default();
        for (body, status, message) in [
            (r#"{"error":{"message":"slow down","code":429}}"#, 429, "slow down"),
            (r#"{"error":{"message":"no","code":"bad"}}"#, 502, "no"),
            (r#"{"error":"gone"}"#, 502, "gone"),
            (r#"{"error":{"message":"x","code":200}}"#, 502, "x"),
            ("<html>", 502, "not JSON"),
            ("{}", 502, "`choices`"),
        ] {
            let failure = Protocol::Chat.parse(body, &limits).unwrap_err();
            assert_eq!(failure.status, status, "{body}");
            assert!(failure.message.contains(message), "{failure:?}");
        }
        let value = Protocol::Chat.parse(r#"{"error":null,"choices":[]}"#, &limits).unwrap();
        assert_eq!(written(&value), []);
    }
}
