//! What each notation has room for.

use super::forms::{pairs, xml};

/// What a notation has room for.
#[expect(clippy::struct_excessive_bools, reason = "independent places")]
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// Prose before the calls.
    pub before: bool,
    /// Prose between calls.
    pub between: bool,
    /// Prose after the calls.
    pub after: bool,
    /// Prose is at most a short line, and on one side only.
    pub short: bool,
    /// Several calls.
    pub many: bool,
    /// Names are identifiers.
    pub identifiers: bool,
    /// Strings stand without quotes.
    pub raw: bool,
}

/// Returns what a notation has room for.
#[must_use]
pub fn room(notation: &str) -> Room {
    let (prose, many) = match notation {
        "json" | "openai" | "anthropic" => ("s", true),
        "mcp" | "gemini" | "named" => ("s", false),
        "gigachat" => ("b", false),
        "muse" => ("", false),
        "compiler" | "javascript" | "raven" | "pythonic" => ("", true),
        "llama-json" | "mistral" | "functools" | "sarashina" | "mistral-named" | "functionary"
        | "qwen-agent" | "inkling" | "tool-code" => ("b", true),
        "react" => ("bm", true),
        "granite" | "function-call-tag" | "tool-calls-tag" | "nemotron" | "internlm"
        | "command-r7b" | "apertus" | "deepseek" | "kimi" | "plamo" | "olmo" | "lfm"
        | "kimi-k3" => ("ba", true),
        _ => ("bma", true),
    };
    let pythonic = matches!(
        notation,
        "pythonic" | "olmo" | "lfm" | "raven" | "tool-code" | "compiler" | "javascript"
    );
    Room {
        before: prose.contains(['b', 's']),
        between: prose.contains('m'),
        after: prose.contains('a'),
        short: prose == "s",
        many,
        identifiers: pythonic
            || matches!(notation, "tool-tag" | "minimax-m3" | "gemma" | "functiongemma"),
        raw: is_raw(notation),
    }
}

fn is_raw(notation: &str) -> bool {
    xml(notation).is_some()
        || pairs(notation).is_some()
        || matches!(notation, "tool-tag" | "minimax-m3" | "minicpm" | "kimi-k3")
}
