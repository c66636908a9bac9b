//! Whole responses, read and rewritten.

use llmend::json::{Kind, Node};
use llmend_models::sse::FinishReason;
use serde_json::json;

use crate::answer::completion::{Completion, Finish, FinishChanges};
use crate::answer::part::{PartKind, ResponsePart};
use crate::answer::slot::{
    Extent, Position, Slot, SlotKind, completion as slot_completion, rewrite_slots, texts,
};
use crate::answer::text_parts::{Rank, TextPart, added, replaced};
use crate::protocol::ResponseRewrite;
use crate::splice::{Splice, quoted, text};

/// The type of items that are calls of tools that take a text.
const CUSTOM_CALL: &str = "custom_tool_call";

/// The types of items that are calls of no function and that the client has to answer.
const OTHER_CALLS: [&str; 6] = [
    CUSTOM_CALL,
    "computer_call",
    "local_shell_call",
    "shell_call",
    "apply_patch_call",
    "mcp_approval_request",
];

/// Whether an item is a call that is not inspected and that the client has to answer.
pub(super) fn is_other_call(item: Node<'_>) -> bool {
    text(item, "type").is_some_and(|kind| OTHER_CALLS.contains(&kind))
}

/// Returns the name of such a call, if the item is one.
pub(super) fn other_call(item: Node<'_>) -> Option<&str> {
    is_other_call(item).then(|| text(item, "name").unwrap_or_default())
}

/// Whether an item is a call of a tool that takes a text.
pub(super) fn is_custom_call(item: Node<'_>) -> bool {
    text(item, "type") == Some(CUSTOM_CALL)
}

/// Returns the rank of an item's texts.
pub(super) fn rank(item: Node<'_>) -> Rank {
    match text(item, "phase") {
        Some("commentary") => Rank::Commentary,
        Some("final_answer") => Rank::Answer,
        _ => Rank::Unknown,
    }
}

/// Returns the items of a response with their indices.
pub(super) fn items(response: Node<'_>) -> impl Iterator<Item = (u32, Node<'_>)> {
    (0..).zip(response.get("output").map(Node::items).into_iter().flatten())
}

/// Returns the parts of a message.
pub(super) fn parts(item: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    item.get("content").map(Node::items).into_iter().flatten()
}

/// Returns the slots of a response.
pub(super) fn slots(response: Node<'_>) -> Vec<Slot<'_>> {
    items(response).flat_map(|(at, item)| item_slots(item, at, Extent::Whole)).collect()
}

/// Returns the position of the last part that is not empty.
pub(super) fn last(response: Node<'_>) -> Option<Position> {
    let (at, item) = items(response).filter(|(_, item)| has_content(*item)).last()?;
    let parts = u32::try_from(parts(item).count()).unwrap_or(u32::MAX);
    Some((at, parts.saturating_sub(1)))
}

/// Whether an item is not empty: a message without words is.
pub(super) fn has_content(item: Node<'_>) -> bool {
    let is_blank = |part: Node<'_>| {
        let words = text(part, "text").or_else(|| text(part, "refusal"));
        words.is_some_and(|words| words.trim().is_empty())
    };
    let has_words = text(item, "content").is_some_and(|words| !words.trim().is_empty());
    !is_message(item) || has_words || parts(item).any(|part| !is_blank(part))
}

/// Returns the slots of an item.
pub(super) fn item_slots(item: Node<'_>, at: u32, extent: Extent) -> Vec<Slot<'_>> {
    let is_unfinished = text(item, "status") == Some("incomplete");
    if is_call(item) {
        let name = text(item, "name").unwrap_or_default();
        let call = Slot::of(SlotKind::Call, (at, 0), extent, item, "arguments");
        return vec![Slot { name, is_unfinished, ..call }];
    }
    if !is_message(item) {
        return Vec::new();
    }
    // Some servers write one text in place of the list of parts.
    let is_words = item.get("content").is_some_and(|content| content.kind() == Kind::String);
    let slots: Vec<Slot<'_>> = if is_words {
        vec![Slot::of(SlotKind::Text, (at, 0), extent, item, "content")]
    } else {
        let numbered = (0..).zip(parts(item));
        numbered.filter_map(|(number, part)| part_slot(part, (at, number), extent)).collect()
    };
    slots.into_iter().map(|slot| Slot { rank: rank(item), is_unfinished, ..slot }).collect()
}

/// Whether an item is a function call. Servers that imitate the protocol omit the type.
pub(super) fn is_call(item: Node<'_>) -> bool {
    match item.get("type").filter(|kind| !kind.is_null()) {
        Some(kind) => kind.str() == Some("function_call"),
        None => item.get("arguments").is_some() && item.get("name").is_some(),
    }
}

/// Whether an item is a message to the client.
fn is_message(item: Node<'_>) -> bool {
    !is_call(item) && text(item, "type").is_none_or(|kind| kind == "message")
}

/// Whether an item is neither a message nor a function call, so that its texts are not the answer.
pub(super) fn is_besides(item: Node<'_>) -> bool {
    !is_call(item) && !is_message(item)
}

/// Returns the slot of a part that is a text, in the form of responses or of completions.
pub(super) fn part_slot(part: Node<'_>, at: Position, extent: Extent) -> Option<Slot<'_>> {
    let is_text = matches!(text(part, "type"), Some("output_text" | "text"));
    is_text.then(|| Slot::of(SlotKind::Text, at, extent, part, "text"))
}

/// Reads what the model wrote in a whole response.
pub(super) fn completion(response: Node<'_>) -> Completion {
    let other_calls = items(response).filter_map(|(_, item)| other_call(item));
    Completion {
        uninspected_calls: other_calls.map(str::to_owned).collect(),
        refusal: refusal(response),
        ..slot_completion(&slots(response), last(response), finish(response, None))
    }
}

/// Returns the words of all refusals.
pub(super) fn refusal(response: Node<'_>) -> String {
    items(response).map(|(_, item)| item_refusal(item)).collect()
}

/// Returns the words of an item's refusal.
pub(super) fn item_refusal(item: Node<'_>) -> String {
    parts(item).filter_map(|part| text(part, "refusal")).collect()
}

/// Returns why a response ends: the worst of its status, its details and the name of its last
/// event.
pub(super) fn finish(response: Node<'_>, end: Option<End>) -> Option<Finish> {
    let status = text(response, "status");
    // Some servers repeat the response as it was when it began.
    let status = status.filter(|status| end.is_none() || !ON_THE_WAY.contains(status));
    let details = response.get("incomplete_details").and_then(|details| text(details, "reason"));
    let is_incomplete = status == Some("incomplete") || end == Some(End::Incomplete);
    let finish = match (is_incomplete, details) {
        (true, _) => Some(Finish::of(details.unwrap_or("max_output_tokens"))),
        // It is reported as complete, with a reason why it is not.
        (false, Some(details)) if status.is_none_or(|status| status == "completed") => {
            Some(Finish { reason: FinishReason::Length, ..Finish::of(details) })
        }
        (false, _) => status.or(end.map(End::status)).map(Finish::of),
    };
    finish.map(|finish| Finish { is_pending: PENDING.contains(&finish.word.as_str()), ..finish })
}

/// The statuses of a response that is not an answer.
const PENDING: [&str; 4] = ["queued", "in_progress", "cancelled", "failed"];

/// The statuses before an answer.
const ON_THE_WAY: [&str; 2] = ["queued", "in_progress"];

/// How a response ends, by the name of its last event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Completed,
    Incomplete,
    Canceled,
}

impl End {
    /// Reads the name of the last event.
    pub(super) fn from_event(name: &str) -> Option<Self> {
        match name {
            "response.completed" => Some(Self::Completed),
            "response.incomplete" => Some(Self::Incomplete),
            "response.cancelled" => Some(Self::Canceled),
            _ => None,
        }
    }

    const fn status(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Incomplete => "incomplete",
            Self::Canceled => "cancelled",
        }
    }

    /// Whether the status contradicts the name of the event.
    pub(super) fn is_denied_by(self, status: &str) -> bool {
        self != Self::Canceled && ["cancelled", "failed"].contains(&status)
    }
}

/// The changes to a response.
pub(super) struct ResponseChanges<'a> {
    pub(super) parts: &'a [ResponsePart],
    /// The new status.
    pub(super) status: Option<&'static str>,
    /// The new texts.
    pub(super) texts: &'a [Option<String>],
    /// The text to add to a response without any.
    pub(super) added: Option<&'a str>,
    /// All texts joined, if they were inspected.
    pub(super) together: Option<String>,
    pub(super) report: Option<&'a serde_json::Value>,
}

/// Joins all texts, if they were inspected.
pub(super) fn together(
    known: &[TextPart],
    parts: &[ResponsePart],
    texts: &[Option<String>],
    added: Option<&str>,
) -> Option<String> {
    let is_inspected = parts.iter().any(|part| part.place.kind == PartKind::Content);
    let words = known.iter().zip(texts);
    let words = words.map(|(known, text)| text.as_deref().unwrap_or(&known.words)).chain(added);
    is_inspected.then(|| words.collect())
}

/// Returns the copy of all texts that some servers add, unless it is empty.
pub(super) fn copy(response: Node<'_>) -> Option<Node<'_>> {
    let is_empty = |copy: &Node<'_>| copy.is_null() || copy.str().is_some_and(str::is_empty);
    response.get("output_text").filter(|copy| !is_empty(copy))
}

/// Writes a response with its repaired parts.
pub(super) fn rewrite(rewrite: &ResponseRewrite<'_>) -> String {
    let ResponseRewrite { body, value, parts, finish: ends, report, .. } = *rewrite;
    let response = value.root();
    let mut splice = Splice::new(body);
    let known = texts(&slots(response));
    let (texts, added) = (replaced(&known, parts), added(&known, parts));
    let together = together(&known, parts, &texts, added);
    let status = status(response, None, ends);
    let changes = ResponseChanges { parts, status, texts: &texts, added, together, report };
    rewrite_response(response, &changes, &mut splice);
    splice.finish().into_owned()
}

/// Applies the changes to a response.
pub(super) fn rewrite_response(
    response: Node<'_>,
    changes: &ResponseChanges<'_>,
    splice: &mut Splice<'_>,
) {
    rewrite_slots(&slots(response), changes.texts, changes.parts, splice);
    if let (Some(json), Some(output)) = (changes.added, response.get("output")) {
        splice.append(output, message(json).to_string());
    }
    if let (Some(words), Some(copy)) = (&changes.together, copy(response))
        && copy.str() != Some(words)
    {
        splice.replace(copy, quoted(words));
    }
    let mut without = Vec::new();
    let mut with: Vec<(&str, String)> = Vec::new();
    if let Some(status) = changes.status {
        without.extend(["status", "incomplete_details"]);
        let is_cut = status == "incomplete";
        let details = if is_cut { json!({"reason": "max_output_tokens"}) } else { json!(null) };
        with.push(("status", quoted(status)));
        with.push(("incomplete_details", details.to_string()));
    }
    with.extend(changes.report.map(|report| ("llmend", report.to_string())));
    if !with.is_empty() {
        splice.members(response, &without, &with);
    }
}

/// The id of an added message.
pub(super) const ADDED: &str = "msg_llmend";

/// Returns a message to add.
pub(super) fn message(words: &str) -> serde_json::Value {
    json!({"id": ADDED, "type": "message", "role": "assistant", "status": "completed",
        "content": [{"type": "output_text", "text": words, "annotations": []}]})
}

/// Returns the new status, if it has to change.
pub(super) fn status(
    response: Node<'_>,
    end: Option<End>,
    ends: &FinishChanges,
) -> Option<&'static str> {
    let is_cut =
        || finish(response, end).is_some_and(|finish| finish.reason == FinishReason::Length);
    let is_reported_cut = text(response, "status") == Some("incomplete")
        && end.is_none_or(|end| end == End::Incomplete);
    match (ends.cut_off.is_empty(), ends.completed.is_empty()) {
        (false, _) if !is_reported_cut => Some("incomplete"),
        (true, false) if is_cut() => Some("completed"),
        _ => None,
    }
}
