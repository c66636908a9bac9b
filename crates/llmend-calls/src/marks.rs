//! What tags and tokens mean: where calls begin and end, reasoning, results, turns.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};
use llmend_json::Span;

use crate::tag::{Form, Tag};

/// What a tag or token means to a reader of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// A call or a list of calls follows.
    Open,
    /// Names a function; its parameters follow.
    Head,
    /// Holds the value of a parameter.
    Parameter,
    /// Holds the key of an argument.
    Key,
    /// Holds the type of an argument.
    Type,
    /// Holds the value of an argument.
    Value,
    /// Stands between the name and the arguments.
    Separator,
    /// A whole call follows, whose name may stand before it as well.
    Payload,
    /// Ends calls.
    Close,
    /// Opens reasoning that ends with `close`, or with the closing tag of the same name.
    Reasoning {
        close: Option<&'static str>,
    },
    ReasoningEnd,
    /// Marks text for the user.
    Content,
    /// Ends the answer.
    TurnEnd,
    /// Begins another turn.
    Turn,
    /// Holds the result of a call, which the model cannot know.
    Result,
    /// The header of a message.
    Header,
}

/// Names of tags, and what they mean.
const TAGS: &[(&str, Role)] = &[
    ("tool_call", Role::Open),
    ("tool_calls", Role::Open),
    ("toolcall", Role::Open),
    ("toolcalls", Role::Open),
    ("function_call", Role::Open),
    ("function_calls", Role::Open),
    ("functioncall", Role::Open),
    ("functioncalls", Role::Open),
    ("tool_use", Role::Open),
    ("calls", Role::Open),
    ("longcat_tool_call", Role::Open),
    ("dots_function_call", Role::Open),
    ("tools", Role::Open),
    ("start_function_call", Role::Open),
    ("function", Role::Head),
    ("functionname", Role::Head),
    ("invoke", Role::Head),
    ("invokename", Role::Head),
    ("parameter", Role::Parameter),
    ("param", Role::Parameter),
    ("parametername", Role::Parameter),
    ("paramname", Role::Parameter),
    ("arg_key", Role::Key),
    ("longcat_arg_key", Role::Key),
    ("arg_type", Role::Type),
    ("arg_value", Role::Value),
    ("longcat_arg_value", Role::Value),
    ("tool_sep", Role::Separator),
    ("end_function_call", Role::Close),
    ("think", Role::Reasoning { close: None }),
    ("think_fast", Role::Reasoning { close: None }),
    ("think_faster", Role::Reasoning { close: None }),
    ("thinking", Role::Reasoning { close: None }),
    ("thought", Role::Reasoning { close: None }),
    ("thoughts", Role::Reasoning { close: None }),
    ("reasoning", Role::Reasoning { close: None }),
    ("longcat_think", Role::Reasoning { close: None }),
    ("scratch_pad", Role::Reasoning { close: None }),
    ("scratchpad", Role::Reasoning { close: None }),
    ("reflection", Role::Reasoning { close: None }),
    ("internal_monologue", Role::Reasoning { close: None }),
    ("response", Role::Content),
    ("answer", Role::Content),
    ("tool_response", Role::Result),
    ("tool_responses", Role::Result),
    ("tool_result", Role::Result),
    ("tool_results", Role::Result),
    ("tool_output", Role::Result),
    ("tool_outputs", Role::Result),
    ("function_results", Role::Result),
    ("function_result", Role::Result),
    ("function_response", Role::Result),
    ("function_output", Role::Result),
    ("observation", Role::Result),
    ("eos", Role::TurnEnd),
    ("end_of_turn", Role::TurnEnd),
    ("bot_end", Role::TurnEnd),
    ("end_of_plan", Role::TurnEnd),
    ("longcat_s", Role::TurnEnd),
    ("start_function_response", Role::Result),
    ("start_of_turn", Role::Turn),
];

/// Names of special tokens, and what they mean.
const TOKENS: &[(&str, Role)] = &[
    ("tool_call", Role::Open),
    ("tool_calls", Role::Open),
    ("python_tag", Role::Open),
    ("python_start", Role::Open),
    ("action_start", Role::Open),
    ("plugin", Role::Open),
    ("start_action", Role::Open),
    ("tools_prefix", Role::Open),
    ("message_model", Role::Open),
    ("function_call", Role::Open),
    ("message_sep", Role::Open),
    ("tool_call_start", Role::Open),
    ("tool_calls_start", Role::Open),
    ("tool_call_begin", Role::Open),
    ("tool_calls_begin", Role::Open),
    ("tool_calls_section_begin", Role::Open),
    ("begin_tool_requests", Role::Open),
    ("begin_tool_request", Role::Open),
    ("begin_tool_name", Role::Open),
    ("tool_sep", Role::Separator),
    ("role_sep", Role::Separator),
    ("tool_call_argument_begin", Role::Separator),
    ("end_tool_name", Role::Separator),
    ("begin_tool_arguments", Role::Separator),
    ("constrain", Role::Separator),
    ("msg", Role::Separator),
    ("content_invoke_tool_json", Role::Payload),
    ("content_invoke_tool_text", Role::Payload),
    ("tool_call_end", Role::Close),
    ("tool_calls_end", Role::Close),
    ("tool_calls_section_end", Role::Close),
    ("action_end", Role::Close),
    ("end_action", Role::Close),
    ("tools_suffix", Role::Close),
    ("python_end", Role::Close),
    ("end_tool_arguments", Role::Close),
    ("end_tool_request", Role::Close),
    ("end_tool_requests", Role::Close),
    ("end_message", Role::Close),
    ("call", Role::Close),
    ("start_thinking", Role::Reasoning { close: Some("<|END_THINKING|>") }),
    ("inner_prefix", Role::Reasoning { close: Some("<|inner_suffix|>") }),
    ("content_thinking", Role::Reasoning { close: Some("<|end_message|>") }),
    ("end_thinking", Role::ReasoningEnd),
    ("inner_suffix", Role::ReasoningEnd),
    ("start_response", Role::Content),
    ("end_response", Role::Content),
    ("start_text", Role::Content),
    ("end_text", Role::Content),
    ("content_text", Role::Content),
    ("im_end", Role::TurnEnd),
    ("eot_id", Role::TurnEnd),
    ("eom_id", Role::TurnEnd),
    ("eot", Role::TurnEnd),
    ("eom", Role::TurnEnd),
    ("eos", Role::TurnEnd),
    ("end_of_sentence", Role::TurnEnd),
    ("endoftext", Role::TurnEnd),
    ("end_of_text", Role::TurnEnd),
    ("end_of_turn", Role::TurnEnd),
    ("end_of_turn_token", Role::TurnEnd),
    ("content_model_end_sampling", Role::TurnEnd),
    ("end", Role::TurnEnd),
    ("return", Role::TurnEnd),
    ("im_start", Role::Turn),
    ("start_header_id", Role::Turn),
    ("start_of_turn", Role::Turn),
    ("start_of_turn_token", Role::Turn),
    ("user", Role::Turn),
    ("tool_outputs_begin", Role::Result),
    ("tool_output_begin", Role::Result),
    ("start_tool_result", Role::Result),
    ("tool_response", Role::Result),
    ("observation", Role::Result),
    ("assistant", Role::Content),
    ("turn", Role::TurnEnd),
    ("channel", Role::Header),
    ("start", Role::Header),
];

/// A table by the slots of its names.
struct Index([Vec<(&'static str, Role)>; SLOTS]);

/// Number of slots, a power of two: most hold one name or none.
const SLOTS: usize = 256;
static TAG_INDEX: LazyLock<Index> = LazyLock::new(|| Index::new(TAGS));
static TOKEN_INDEX: LazyLock<Index> = LazyLock::new(|| Index::new(TOKENS));

impl Index {
    fn new(table: &[(&'static str, Role)]) -> Self {
        let mut slots = [const { Vec::new() }; SLOTS];
        for row in table {
            if let Some(slot) = slots.get_mut(slot(row.0)) {
                slot.push(*row);
            }
        }
        Self(slots)
    }

    fn get(&self, name: &str) -> Option<Role> {
        let rows = self.0.get(slot(name))?;
        rows.iter().find(|(own, _)| *own == name).map(|(_, role)| *role)
    }
}

/// Returns the slot of a name: its length, its first and its last byte tell most names apart.
fn slot(name: &str) -> usize {
    let byte = |byte: Option<&u8>| byte.map_or(0, |byte| usize::from(*byte));
    let bytes = name.as_bytes();
    (name.len() * 37 + byte(bytes.first()) * 11 + byte(bytes.last()) * 3) % SLOTS
}

/// Returns what `tag` means; `None` if nothing to a reader of calls.
pub(crate) fn role(tag: &Tag<'_>) -> Option<Role> {
    let role = match tag.form {
        Form::Tag if tag.closing && tag.is("s") => Some(Role::TurnEnd),
        Form::Tag => TAG_INDEX
            .get(&tag.plain_name())
            .map(|role| match role {
                // `<tool_call name="NAME">` names the function.
                Role::Open if !tag.rest.is_empty() && tag.attribute("name").is_some() => Role::Head,
                role => role,
            })
            .filter(|role| match role {
                Role::Open if !tag.rest.is_empty() => tag.attribute("id").is_some(),
                // `<function>` without a name holds one; `<invoke>` likewise.
                Role::Head => true,
                Role::Parameter => tag.closing || tag.given_name().is_some(),
                _ => tag.rest.trim().is_empty(),
            }),
        Form::Token => {
            TOKEN_INDEX.get(&tag.plain_name()).or_else(|| is_end(tag).then_some(Role::TurnEnd))
        }
        Form::Xtml => match tag.name {
            "tools" => Some(Role::Open),
            "call" => Some(Role::Head),
            "argument" => Some(Role::Parameter),
            "think" => Some(Role::Reasoning { close: Some("<|close|>think<|sep|>") }),
            _ => Some(Role::Content),
        },
    }?;
    if !tag.closing {
        return Some(role);
    }
    Some(match role {
        Role::Reasoning { .. } => Role::ReasoningEnd,
        Role::Content | Role::TurnEnd | Role::Result => role,
        _ => Role::Close,
    })
}

/// Returns whether an unknown token ends something: `<|end_of_msg|>`, `<|assistant_end|>`.
fn is_end(tag: &Tag<'_>) -> bool {
    tag.name.split(['_', '▁']).any(|word| matches!(word, "end" | "eos" | "eot" | "stop"))
}

/// Marks that are no tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Literal {
    Tag,
    Line,
    Open,
    Reasoning(&'static str),
    ReasoningEnd,
    Result,
    Drop,
    /// The mark of Functionary before a name.
    Arrows,
    /// A recipient without the tokens of its header.
    Recipient,
}

/// Marks that are no tags, and what they mean. Tags and lines are among them since they have to be
/// inspected.
pub(crate) const LITERALS: &[(&str, Literal)] = &[
    ("<", Literal::Tag),
    ("]<]minimax[>[", Literal::Tag),
    ("\n", Literal::Line),
    ("[TOOL_CALLS]", Literal::Open),
    ("TOOL_CALLS]", Literal::Open),
    ("[/TOOL_CALLS]", Literal::Drop),
    (">>>", Literal::Arrows),
    ("[e~[", Literal::Drop),
    ("functools[", Literal::Open),
    ("functools [", Literal::Open),
    ("functools{", Literal::Open),
    ("functools {", Literal::Open),
    ("✿FUNCTION✿", Literal::Open),
    ("✿RESULT✿", Literal::Result),
    ("✿RETURN✿", Literal::Drop),
    ("✿RETURN✿:", Literal::Drop),
    ("[TOOL_RESULTS]", Literal::Result),
    ("[THINK]", Literal::Reasoning("[/THINK]")),
    ("[/THINK]", Literal::ReasoningEnd),
    ("◁think▷", Literal::Reasoning("◁/think▷")),
    ("◁/think▷", Literal::ReasoningEnd),
    ("to=functions.", Literal::Recipient),
];

/// Marks before calls that are neither tags nor tokens.
pub(crate) const CALL_MARKS: [&str; 2] = ["[TOOL_CALLS]", "✿FUNCTION✿"];
/// Marks behind calls that are neither tags nor tokens.
pub(crate) const CLOSING_MARKS: [&str; 1] = ["[/TOOL_CALLS]"];

/// Text between a name and its arguments.
pub(crate) const SEPARATORS: &[&str] = &["[ARGS]", "✿ARGS✿:", "✿ARGS✿", "```json", "```"];

/// Length of the longest of these marks, in bytes: how much of a text may be held back.
pub(crate) const LONGEST: usize = {
    let (mut at, mut longest) = (0, 0);
    while at < LITERALS.len() {
        let length = LITERALS[at].0.len();
        if length > longest {
            longest = length;
        }
        at += 1;
    }
    longest
};

/// Returns the first mark in the text from `from` on, the longest of those that begin there.
pub(crate) fn find(text: &str, from: usize) -> Option<(Span, Literal)> {
    static MARKS: LazyLock<AhoCorasick> = LazyLock::new(|| {
        AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .build(LITERALS.iter().map(|(mark, _)| mark))
            .unwrap_or_else(|_| unreachable!("the marks are few and short"))
    });
    let found = MARKS.find(text.as_bytes().get(from..)?)?;
    let (_, literal) = LITERALS.get(found.pattern().as_usize())?;
    Some((Span::new(from + found.start(), from + found.end()), *literal))
}

/// Returns whether a mark may begin with this byte.
pub(crate) fn may_begin(byte: u8) -> bool {
    const FIRST: [bool; 256] = {
        let mut first = [false; 256];
        let mut at = 0;
        while at < LITERALS.len() {
            first[LITERALS[at].0.as_bytes()[0] as usize] = true;
            at += 1;
        }
        first
    };
    FIRST[usize::from(byte)]
}

/// Returns where text must be held back, since it may be the beginning of a mark.
pub(crate) fn held_back(text: &str, from: usize) -> usize {
    held_before(text, from, LONGEST, |rest| {
        let first = rest.as_bytes().first().copied();
        first.is_some_and(may_begin) && LITERALS.iter().any(|(mark, _)| mark.starts_with(rest))
    })
}

/// Returns the first offset, in the last `reach` bytes of the text from `from` on, at which what
/// follows may begin something; the length of the text if there is none.
pub(crate) fn held_before(
    text: &str,
    from: usize,
    reach: usize,
    begins: impl Fn(&str) -> bool,
) -> usize {
    let mut start = text.len().saturating_sub(reach).max(from);
    while start < text.len() && !text.is_char_boundary(start) {
        start += 1;
    }
    let tail = text.get(start..).unwrap_or_default();
    tail.char_indices()
        .find(|(at, _)| tail.get(*at..).is_some_and(&begins))
        .map_or(text.len(), |(at, _)| start + at)
}

#[cfg(test)]
mod tests {
    use super::held_back;

    #[test]
    fn beginnings_of_marks_are_held_back() {
        for (text, held) in [
            ("so", ""),
            ("so <", "<"),
            ("so [TOOL_", "[TOOL_"),
            ("so [x", ""),
            ("the t", "t"),
            ("the t.", ""),
            ("◁thi", "◁thi"),
        ] {
            assert_eq!(text.get(held_back(text, 0)..), Some(held), "{text}");
        }
    }
}
