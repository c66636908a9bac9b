//! Whole chat completions, read and rewritten.

use llmend::json::{Node, Value};

use super::choice::{
    Delivered, arguments, beside, calls, choices, finish, is_read, legacy, text, word,
};
use super::rewrite::{ChoiceRewriter, Heads};
use crate::answer::completion::{CallForm, Completion};
use crate::protocol::ResponseRewrite;
use crate::splice::Splice;

/// Reads what the model wrote in each choice.
pub(crate) fn completions(value: &Value<'_>) -> Vec<Completion> {
    choices(value.root()).into_iter().map(|(choice, node)| written_choice(choice, node)).collect()
}

fn message(choice: Node<'_>) -> Option<Node<'_>> {
    super::choice::message_of(choice, Delivered::Whole)
}

fn written_choice(choice: u32, node: Node<'_>) -> Completion {
    let message = message(node);
    let member = |key: &str| message.and_then(|message| message.get(key));
    let listed = listed(node);
    let others = listed.iter().enumerate();
    let is_last_read = listed.last().is_some_and(|call| call.function.is_some_and(is_read));
    let written = Completion {
        choice,
        content: member("content").map(text).unwrap_or_default(),
        refusal: member("refusal").map(text).unwrap_or_default(),
        others: others.filter_map(|(at, call)| call.function.is_none().then_some(at)).collect(),
        call_form: form(node),
        calls: listed.iter().map(called).collect(),
        finish: finish(node),
        ..Completion::default()
    };
    if is_last_read { written.with_last_read() } else { written }
}

/// A call of a choice.
struct Listed<'v> {
    /// The function with its arguments, or `None` if it calls something else.
    function: Option<Node<'v>>,
    /// A custom tool, of which only the name is read.
    custom: Option<Node<'v>>,
}

/// Returns the calls of a choice.
fn listed(choice: Node<'_>) -> Vec<Listed<'_>> {
    let message = message(choice);
    match form(choice) {
        CallForm::Tools => {
            let calls = message.into_iter().flat_map(calls);
            calls
                .map(|call| Listed { function: call.get("function"), custom: call.get("custom") })
                .collect()
        }
        CallForm::Function => {
            vec![Listed { function: message.and_then(legacy), custom: None }]
        }
    }
}

/// Returns how the calls are written. If both forms are there, the list counts.
fn form(choice: Node<'_>) -> CallForm {
    let is_legacy = message(choice)
        .is_some_and(|message| calls(message).next().is_none() && legacy(message).is_some());
    if is_legacy { CallForm::Function } else { CallForm::Tools }
}

/// Returns the name of what is called, and the arguments of a function.
fn called(call: &Listed<'_>) -> (String, String) {
    let name = call.function.or(call.custom).and_then(|it| word(it, "name"));
    (name.unwrap_or_default().to_owned(), call.function.map(arguments).unwrap_or_default())
}

/// Writes the response with its repaired parts. Without repairs every byte stays.
pub(super) fn rewrite(rewrite: &ResponseRewrite<'_>) -> String {
    let ResponseRewrite { body, value, parts, finish: ends, defaults, report } = *rewrite;
    let root = value.root();
    let mut defaults = defaults.clone();
    defaults.learn(root);
    let mut splice = Splice::new(body);
    let written = completions(value);
    let mut heads = Heads::default();
    for (number, choice) in choices(root) {
        for (call, at) in message(choice).into_iter().flat_map(calls).zip(0..) {
            heads.note(number, at, call);
        }
    }
    let mut rewriter =
        ChoiceRewriter::new(Delivered::Whole, parts, &written, ends, &heads, &defaults);
    for (number, choice) in choices(root) {
        rewriter.choice(number, choice, &mut splice);
    }
    let mut with: Vec<(&str, String)> = defaults.missing(root, "chat.completion");
    with.extend(report.map(|report| ("llmend", report.to_string())));
    splice.members(root, &[], &with);
    splice.finish().into_owned()
}

/// Writes the response with the indices that events need.
pub(crate) fn numbered(body: &str, root: Node<'_>) -> String {
    let mut splice = Splice::new(body);
    for (number, choice) in choices(root) {
        let without = beside(choice, Delivered::Whole);
        splice.members(choice, without.as_slice(), &[("index", number.to_string())]);
        for (call, at) in message(choice).into_iter().flat_map(calls).zip(0..) {
            splice.members(call, &[], &[("index", usize::to_string(&at))]);
        }
    }
    splice.finish().into_owned()
}

#[cfg(test)]
mod tests {
    use super::{completions, rewrite};
    use crate::answer::completion::{Completion, FinishChanges};
    use crate::answer::part::{Cut, Edits, Location, Origin, PartKind, Repaired, ResponsePart};
    use crate::config::Limits;
    use crate::protocol::{Protocol, ResponseDefaults, ResponseRewrite};

    fn part(kind: PartKind, json: Option<&str>) -> ResponsePart {
        let json = json.map(str::to_owned);
        let (done, edits) = (Vec::new(), Edits::default());
        let repaired = Repaired { json, class: None, cut: Cut::Whole, done, edits };
        let place = Location { choice: 0, kind, path: String::new() };
        ResponsePart { place, origin: Origin::Protocol, text: String::new(), outcome: Ok(repaired) }
    }

    fn done(body: &str, parts: &[ResponsePart], cut_off: &[u32]) -> String {
        let ends = FinishChanges { cut_off: cut_off.to_vec(), ..FinishChanges::default() };
        let limits = Limits::default();
        let value = Protocol::Chat.parse(body, &limits).unwrap();
        let defaults = ResponseDefaults { id: "i".to_owned(), created: 7, model: "m".to_owned() };
        rewrite(&ResponseRewrite {
            body,
            value: &value,
            parts,
            finish: &ends,
            defaults: &defaults,
            report: None,
        })
    }

    const HEAD: &str = r#""id": "1", "object":"chat.completion","created":1.0,"model":"m","#;

    #[test]
    fn unrepaired_parts_stay_byte_for_byte() {
        let body = format!(
            "{{ {HEAD}\"choices\":[{{\"index\":0,\"message\":{{\"role\":\"assistant\",\"content\":\"{{}}\\u0041\"}},\
             \"logprobs\": 1.50, \"finish_reason\":\"stop\"}}]}}\n"
        );
        assert_eq!(done(&body, &[part(PartKind::Content, None)], &[]), body);
        assert_eq!(
            done(&body, &[part(PartKind::Content, Some("[\"b\"]"))], &[]),
            body.replace("{}\\u0041", "[\\\"b\\\"]")
        );
        assert!(done(&body, &[], &[0]).contains("\"finish_reason\":\"length\""));
    }

    #[test]
    fn missing_members_are_added() {
        let body = r#"{"choices":[{"message":{"tool_calls":[{"function":{"name":"f","arguments":{"a": 1.0}}},{"id":"x","type":"function","function":{"name":"g"}}]}}]}"#;
        let call = |index, name: &str| PartKind::Call { index, name: name.to_owned() };
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
            (r#"{"error":false}"#, 502, "no `choices`"),
            (
                r#"{"choices":[{"message":{"tool_calls":{"id":"a"}}}]}"#,
                502,
                "not a chat completion",
            ),
            (r#"{"choices":[{"message":{"tool_calls":[null]}}]}"#, 502, "not a chat completion"),
            (r#"{"choices":[{"message":{"tool_calls":[{}]}}]}"#, 502, "not a chat completion"),
            (
                r#"{"choices":[{"message":{"tool_calls":[{"name":"f","arguments":"{}"}]}}]}"#,
                502,
                "not a chat completion",
            ),
            (r#"{"error":{"message":"x","code":200}}"#, 502, "x"),
            (r#"{"choices":[{"error":{"message":"full","code":503}}]}"#, 503, "full"),
            ("<html>", 502, "not valid JSON"),
            ("{}", 502, "no `choices`"),
            (r#"{"choices":[]}"#, 502, "no `choices`"),
        ] {
            let failure = Protocol::Chat.parse(body, &limits).unwrap_err();
            assert_eq!(failure.status, status, "{body}");
            assert!(failure.message.contains(message), "{failure:?}");
        }
        let value = Protocol::Chat.parse(r#"{"error":null,"choices":[{}]}"#, &limits).unwrap();
        assert_eq!(completions(&value), [Completion::default()]);
    }
}
