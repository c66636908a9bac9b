//! Turns of others in a conversation, between the tokens of a chat template. Their values are no
//! answers.

use crate::{Span, parser::Window};

/// Tokens that begin a turn, and the name of who speaks.
const OPENS: &[&str] =
    &["<|im_start|>", "<start_of_turn>", "<|start_header_id|>", "<|start_of_role|>", "<|"];
/// Those who speak and are not the model.
const OTHERS: &[&str] = &["user", "system", "tool", "human", "observation"];
/// Words for those who speak in a conversation or a log.
const SPEAKERS: &[&str] = &[
    "user",
    "human",
    "assistant",
    "ai",
    "bot",
    "chatbot",
    "model",
    "system",
    "agent",
    "gpt",
    "stdout",
    "stderr",
    "chatgpt",
    "claude",
    "gemini",
    "llm",
    "customer",
    "support",
    "q",
    "a",
    "question",
    "answer",
    "input",
    "output",
    "frage",
    "antwort",
    "eingabe",
    "ausgabe",
    "nutzer",
    "benutzer",
    "assistent",
    "kunde",
    "utilisateur",
    "usuario",
    "asistente",
    "用户",
    "助手",
    "机器人",
    "客服",
    "系统",
];

/// The turn of another one.
pub(super) struct Turn {
    pub(super) end: usize,
    /// Whether it has a value.
    pub(super) json: bool,
}

/// Returns the turn of another one that begins at `at`. It ends with the next turn or the text.
pub(super) fn of_other(window: &Window<'_>, at: usize) -> Option<Turn> {
    let name = name(window, at)?;
    if !OTHERS.contains(&name) {
        return None;
    }
    let mut end = at + 1;
    loop {
        let next = |bytes: &[u8]| memchr::memchr(b'<', bytes);
        end = window.find(end, usize::MAX, next).unwrap_or(window.end());
        if window.byte(end).is_none() || name_at(window, end) {
            break;
        }
        end += 1;
    }
    let json = memchr::memchr2(b'{', b'[', window.bytes(Span::new(at, end))).is_some();
    Some(Turn { end, json })
}

/// Returns whether a turn begins at `at`.
fn name_at(window: &Window<'_>, at: usize) -> bool {
    name(window, at).is_some_and(|name| {
        OTHERS.contains(&name) || matches!(name, "assistant" | "model" | "ai" | "bot")
    })
}

/// Beginnings of lines with which the turn of another one begins, or another task, in lower case.
const HEADINGS: &[&str] = &[
    "### instruction",
    "### input",
    "### user",
    "### human",
    "### question",
    "### anweisung",
    "### eingabe",
    "### instrucción",
    "[inst]",
    "[question]",
    "[user]",
    "<user>",
    "<human>",
    "<question>",
    "<instruction>",
    "user:",
    "human:",
    "instruction:",
    "question:",
    "q:",
];

/// Names of tasks that a text numbers. A second one is another task.
const TASKS: &[&str] =
    &["exercise", "problem", "task", "question", "example", "aufgabe", "exercice"];

/// Returns whether a line is the heading of a second or later task.
fn is_next_task(line: &str) -> bool {
    let line = line.trim_start_matches([' ', '*', '#', '[']).to_lowercase();
    TASKS.iter().filter_map(|task| line.strip_prefix(task)).any(|rest| {
        let number = rest.trim_start().split(|c: char| !c.is_ascii_digit()).next();
        number.and_then(|number| number.parse().ok()).is_some_and(|number: u32| number > 1)
    })
}

/// Tokens behind which a model goes on only with turns that it makes up.
const ENDS: &[&str] = &["<|endoftext|>", "<|end_of_text|>", "<|eot_id|>", "<eos>"];

/// Returns whether the turn of another one, or another task, begins in a text.
pub(super) fn begins_in(text: &str) -> bool {
    let ended = text.trim_start();
    if ended.is_empty() {
        return false;
    }
    if ENDS.iter().any(|token| ended.starts_with(token)) {
        return true;
    }
    let is_token = |(at, _)| {
        let window = Window::whole(text);
        name(&window, at).is_some_and(|name| OTHERS.contains(&name))
    };
    let is_heading = |line: &str| {
        let line = line.trim_start_matches([' ', '\t', '*']);
        HEADINGS.iter().any(|heading| {
            line.get(..heading.len()).is_some_and(|start| start.eq_ignore_ascii_case(heading))
        })
    };
    text.match_indices('<').any(is_token)
        || text.contains("[INST]")
        || text.lines().any(is_heading)
        || text.lines().any(is_next_task)
        // The tokens of the template around the name may be lost.
        || text.lines().any(|line| line.trim() == "assistant")
}

/// Returns the name in or behind the token at `at`.
fn name<'w>(window: &Window<'w>, at: usize) -> Option<&'w str> {
    let open = OPENS.iter().find(|open| window.starts_with(at, open.as_bytes()))?;
    let start = at + open.len();
    let end = start + window.run(start, |byte| byte.is_ascii_lowercase());
    (*open != "<|" || window.starts_with(end, b"|>")).then(|| window.slice(Span::new(start, end)))
}

/// Returns whether `key` names one who speaks in a conversation.
pub(super) fn is_speaker(key: &str) -> bool {
    let key = key.to_lowercase();
    SPEAKERS.iter().any(|word| key == *word || (!word.is_ascii() && key.contains(word)))
}

#[cfg(test)]
mod tests {
    use super::{begins_in, of_other};
    use crate::parser::Window;

    #[test]
    fn texts_in_which_a_turn_begins() {
        for (text, expected) in [
            ("<|im_end|>\n<|im_start|>user\nand then?<|im_end|>\n<|im_start|>assistant\n", true),
            ("\n### Instruction:\nAgain\n### Response:\n", true),
            ("\n[INST] Again [/INST] ", true),
            ("\n**User:** again\n", true),
            ("\n## Exercise 2\nAgain.\n", true),
            ("\nExample 1: again\n", false),
            ("<|im_end|>\n<|im_start|>assistant\n", false),
            ("<|endoftext|>User: again\nAssistant: ", true),
            ("</s><s>[INST] Again [/INST] ", true),
            ("assistant\n\nI hope this helps!assistant\n\n", true),
            ("\nassistant: none\n", false),
            ("\nThe user: none\n", false),
            ("\n### Response:\n", false),
        ] {
            assert_eq!(begins_in(text), expected, "{text}");
        }
    }

    #[test]
    fn turns() {
        for (text, expected) in [
            (
                "<|im_start|>user\n{}<|im_end|>\n<|im_start|>assistant\n[]",
                Some("<|im_start|>assistant\n[]"),
            ),
            ("<start_of_turn>user\nand then?", Some("")),
            ("<|user|>\na < b<|assistant|>{}", Some("<|assistant|>{}")),
            ("<|start_header_id|>tool<|end_header_id|>{}", Some("")),
            ("<|im_start|>assistant\n{}", None),
            ("<user>{}</user>", None),
            ("<|users|>", None),
        ] {
            let found = of_other(&Window::whole(text), 0);
            assert_eq!(found.map(|turn| &text[turn.end..]), expected, "{text}");
        }
    }
}
