//! The formats in which the events of a stream have pieces of an answer.

use crate::{Kind, Node, Span};

/// Which API sends such chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// Chat completions of `OpenAI`, and its older completions.
    Completions,
    /// Responses of `OpenAI`.
    Responses,
    /// Messages of Anthropic.
    Messages,
    /// Content of Gemini.
    Content,
    /// Lines of Ollama.
    Lines,
}

/// What a piece belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Track {
    Text,
    Arguments,
}

/// A piece of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Delta {
    pub(super) track: Track,
    /// Number of the answer, of several to the same question.
    pub(super) answer: u64,
    /// Number of the call or block within the answer.
    pub(super) part: u64,
    /// The content of the string.
    pub(super) span: Span,
}

/// The data of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// A chunk in a known format, with its pieces.
    Chunk(Format, Vec<Delta>),
    /// Strings at some of [`PLACES`], by their index, or that of [`ONLY`].
    Strings(Vec<(usize, Span)>),
    /// A value without such strings.
    Value,
}

/// Where programs put a piece of text in events of their own. The empty path is the data itself.
pub(super) const PLACES: &[&[&str]] = &[
    &[],
    &["text"],
    &["delta"],
    &["token"],
    &["content"],
    &["response"],
    &["chunk"],
    &["message", "content"],
    &["delta", "text"],
    &["delta", "content"],
    &["token", "text"],
];

/// The place of the only member of an object, whatever its key.
pub(super) const ONLY: usize = PLACES.len();

/// Types of the events of Anthropic's messages.
const MESSAGES: &[&str] = &[
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
];

/// Returns what the data of an event is.
pub(super) fn reading(node: Node<'_>) -> Reading {
    let chunk =
        completions(node).or_else(|| typed(node)).or_else(|| content(node)).or_else(|| lines(node));
    if let Some((format, deltas)) = chunk {
        return Reading::Chunk(format, deltas);
    }
    let at = |path: &[&str]| path.iter().try_fold(node, |node, key| node.get(key)).and_then(inner);
    let places = PLACES.iter().enumerate();
    let mut strings: Vec<_> = places.filter_map(|(place, path)| Some((place, at(path)?))).collect();
    if strings.is_empty() && node.len() == 1 {
        let only = node.members().next().and_then(|(_, value)| inner(value));
        strings.extend(only.map(|span| (ONLY, span)));
    }
    if strings.is_empty() && !(node.kind() == Kind::Object && node.is_empty()) {
        return Reading::Value;
    }
    Reading::Strings(strings)
}

/// Returns the span of the content of a string.
fn inner(node: Node<'_>) -> Option<Span> {
    node.str()?;
    let span = node.span();
    Some(Span::new(span.start + 1, span.end - 1))
}

/// Returns the number at `key`.
fn number(node: Node<'_>, key: &str) -> u64 {
    let number = node.get(key).and_then(Node::number);
    number.and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// Returns the items of the array at `key`.
fn items<'v>(node: Node<'v>, key: &str) -> impl Iterator<Item = Node<'v>> {
    let list = node.get(key).filter(|list| list.kind() == Kind::Array);
    list.into_iter().flat_map(Node::items)
}

/// `{"choices": [{"delta": {"content": "…"}}]}`
fn completions(node: Node<'_>) -> Option<(Format, Vec<Delta>)> {
    let named = node.get("object").and_then(Node::str) == Some("chat.completion.chunk");
    let list = node.get("choices").filter(|list| list.kind() == Kind::Array)?;
    let is_piece = |choice: Node<'_>| {
        choice.get("delta").is_some_and(|delta| delta.kind() == Kind::Object)
            || (choice.get("text").and_then(Node::str).is_some()
                && choice.get("finish_reason").is_some())
    };
    if !(named || (!list.is_empty() && list.items().all(is_piece))) {
        return None;
    }
    let mut deltas = Vec::new();
    for choice in list.items() {
        let answer = number(choice, "index");
        let mut add = |track, part, node: Option<Node<'_>>| {
            let span = node.and_then(inner);
            deltas.extend(span.map(|span| Delta { track, answer, part, span }));
        };
        add(Track::Text, 0, choice.get("text"));
        let Some(delta) = choice.get("delta") else { continue };
        add(Track::Text, 0, delta.get("content"));
        for part in items(delta, "content") {
            add(Track::Text, 0, part.get("text"));
        }
        let arguments = |call: Node<'_>| call.get("function")?.get("arguments").map(Node::index);
        let legacy = delta.get("function_call").and_then(|call| call.get("arguments"));
        add(Track::Arguments, 0, legacy);
        for call in items(delta, "tool_calls").filter(|call| arguments(*call).is_some()) {
            let function = call.get("function");
            let text = function.and_then(|function| function.get("arguments"));
            add(Track::Arguments, number(call, "index"), text);
        }
    }
    Some((Format::Completions, deltas))
}

/// `{"type": "content_block_delta", "delta": {"text": "…"}}` and
/// `{"type": "response.output_text.delta", "delta": "…"}`
fn typed(node: Node<'_>) -> Option<(Format, Vec<Delta>)> {
    let kind = node.get("type").and_then(Node::str)?;
    let delta = node.get("delta");
    let of = |track, part, node: Option<Node<'_>>| {
        let span = node.and_then(inner);
        span.map(|span| Delta { track, answer: 0, part, span })
    };
    if MESSAGES.contains(&kind) {
        let part = number(node, "index");
        let at = |key| delta.filter(|_| kind == "content_block_delta").and_then(|d| d.get(key));
        let deltas =
            [of(Track::Text, part, at("text")), of(Track::Arguments, part, at("partial_json"))];
        return Some((Format::Messages, deltas.into_iter().flatten().collect()));
    }
    let name = kind.strip_prefix("response.")?;
    let track = match name {
        "output_text.delta" => Some(Track::Text),
        "function_call_arguments.delta" => Some(Track::Arguments),
        _ => None,
    };
    let part = number(node, "output_index");
    let deltas = track.and_then(|track| of(track, part, delta));
    Some((Format::Responses, deltas.into_iter().collect()))
}

/// `{"candidates": [{"content": {"parts": [{"text": "…"}]}}]}`
fn content(node: Node<'_>) -> Option<(Format, Vec<Delta>)> {
    let list = node.get("candidates").filter(|list| list.kind() == Kind::Array)?;
    let parts = |one: Node<'_>| one.get("content").is_some_and(|c| c.get("parts").is_some());
    let is_piece = |one: Node<'_>| parts(one) || one.get("finishReason").is_some();
    if list.is_empty() || !list.items().all(is_piece) {
        return None;
    }
    let mut deltas = Vec::new();
    for one in list.items() {
        let answer = number(one, "index");
        let Some(content) = one.get("content") else { continue };
        let is_thought = |part: &Node<'_>| part.get("thought").and_then(Node::bool) == Some(true);
        let text = items(content, "parts").filter(|part| !is_thought(part));
        let spans = text.filter_map(|part| part.get("text").and_then(inner));
        deltas.extend(spans.map(|span| Delta { track: Track::Text, answer, part: 0, span }));
    }
    Some((Format::Content, deltas))
}

/// `{"model": "…", "message": {"content": "…"}, "done": false}`
fn lines(node: Node<'_>) -> Option<(Format, Vec<Delta>)> {
    let done = node.get("done").and_then(Node::bool)?;
    node.get("model").or_else(|| node.get("created_at"))?;
    let message = node.get("message").and_then(|message| message.get("content"));
    let span = message.or_else(|| node.get("response")).and_then(inner)?;
    // A line that is done and has text is a whole answer.
    (!done || span.is_empty()).then_some(())?;
    Some((Format::Lines, vec![Delta { track: Track::Text, answer: 0, part: 0, span }]))
}

#[cfg(test)]
mod tests {
    use super::{Format, PLACES, Reading, Track, reading};

    #[test]
    fn chunks() {
        use Format::{Completions, Content, Lines, Messages, Responses};
        use Track::{Arguments, Text};
        for (json, format, expected) in [
            (
                r#"{"choices": [{"index": 1, "delta": {"content": "a"}}]}"#,
                Completions,
                vec![(Text, 1, 0, "a")],
            ),
            (r#"{"choices": [{"delta": {}, "finish_reason": "stop"}]}"#, Completions, vec![]),
            (
                r#"{"object": "chat.completion.chunk", "choices": [], "usage": {}}"#,
                Completions,
                vec![],
            ),
            (
                r#"{"choices": [{"delta": {"reasoning_content": "a", "content": null}}]}"#,
                Completions,
                vec![],
            ),
            (
                r#"{"choices": [{"text": "a", "finish_reason": null}]}"#,
                Completions,
                vec![(Text, 0, 0, "a")],
            ),
            (
                r#"{"choices": [{"delta": {"tool_calls": [{"index": 2, "function": {"arguments": "a"}}]}}]}"#,
                Completions,
                vec![(Arguments, 0, 2, "a")],
            ),
            (
                r#"{"type": "response.output_text.delta", "delta": "a"}"#,
                Responses,
                vec![(Text, 0, 0, "a")],
            ),
            (
                r#"{"type": "response.function_call_arguments.delta", "output_index": 1, "delta": "a"}"#,
                Responses,
                vec![(Arguments, 0, 1, "a")],
            ),
            (r#"{"type": "response.output_text.done", "text": "a"}"#, Responses, vec![]),
            (
                r#"{"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "a"}}"#,
                Messages,
                vec![(Text, 0, 1, "a")],
            ),
            (
                r#"{"type": "content_block_delta", "delta": {"partial_json": "a"}}"#,
                Messages,
                vec![(Arguments, 0, 0, "a")],
            ),
            (r#"{"type": "content_block_delta", "delta": {"thinking": "a"}}"#, Messages, vec![]),
            (r#"{"type": "message_delta", "delta": {"stop_reason": "a"}}"#, Messages, vec![]),
            (
                r#"{"candidates": [{"content": {"parts": [{"text": "a", "thought": true}, {"text": "b"}]}}]}"#,
                Content,
                vec![(Text, 0, 0, "b")],
            ),
            (
                r#"{"model": "m", "message": {"content": "a"}, "done": false}"#,
                Lines,
                vec![(Text, 0, 0, "a")],
            ),
        ] {
            let value = crate::parse(json).expect(json).value;
            let Reading::Chunk(found, deltas) = reading(value.root()) else { panic!("{json}") };
            let deltas: Vec<_> = deltas
                .iter()
                .map(|delta| (delta.track, delta.answer, delta.part, delta.span.of(json)))
                .collect();
            assert_eq!((found, deltas), (format, expected), "{json}");
        }
    }

    #[test]
    fn other_data() {
        for (json, expected) in [
            (r#""a""#, Some(vec![(0, "a")])),
            (r#"{"text": "a", "n": 1}"#, Some(vec![(1, "a")])),
            (r#"{"token": {"text": "a"}}"#, Some(vec![(10, "a")])),
            ("{}", Some(vec![])),
            (r#"{"t": "a"}"#, Some(vec![(11, "a")])),
            (r#"{"t": "a", "u": "b"}"#, None),
            (r#"{"text": 1}"#, None),
            (r#"{"choices": [{"message": {"content": "a"}}]}"#, None),
            (r#"{"choices": ["a", "b"]}"#, None),
            (r#"{"candidates": [{"name": "a"}]}"#, None),
            (r#"{"type": "done", "usage": {}}"#, None),
            (r#"{"task": "a", "done": false}"#, None),
            (r#"{"model": "m", "response": "a", "done": true}"#, Some(vec![(5, "a")])),
            ("[1]", None),
        ] {
            let value = crate::parse(json).expect(json).value;
            let found = match reading(value.root()) {
                Reading::Strings(strings) => {
                    Some(strings.iter().map(|(place, span)| (*place, span.of(json))).collect())
                }
                Reading::Value => None,
                Reading::Chunk(..) => panic!("{json}"),
            };
            assert_eq!(found, expected, "{json}");
        }
        assert_eq!(PLACES[10], ["token", "text"]);
    }
}
