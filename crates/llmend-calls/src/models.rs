//! The table of models: in which notation each knows best how to call.

use crate::Notation;

/// A part of a model's name, in lower case and without `-`, `_` and blanks, and the notation of such
/// models. The first row that fits applies, so what says more comes first.
const MODELS: &[(&str, &str)] = &[
    ("functiongemma", "functiongemma"),
    ("gemma4", "gemma"),
    ("gemma", "tool-code"),
    ("gemini", "tool-code"),
    ("hermes", "hermes"),
    ("functionary", "functionary"),
    ("toolace", "pythonic"),
    ("raven", "raven"),
    ("firefunction", "functools"),
    ("deepseekv4", "dsml"),
    ("deepseekv3.2exp", "deepseek"),
    ("deepseekv3.2", "dsml"),
    ("deepseek", "deepseek"),
    ("nemotron3", "qwen-coder"),
    ("nemotron", "nemotron"),
    ("kimik3", "kimi-k3"),
    ("kimi", "kimi"),
    ("qwen3coder", "qwen-coder"),
    ("qwen3.5", "qwen-coder"),
    ("qwen3.6", "qwen-coder"),
    ("qwen2.5", "hermes"),
    ("qwen2", "qwen-agent"),
    ("qwen1.5", "qwen-agent"),
    ("qwen", "hermes"),
    ("qwq", "hermes"),
    ("exaone4", "hermes"),
    ("trinity", "hermes"),
    ("ernie4.5", "hermes"),
    ("granite4", "hermes"),
    ("granite3", "granite"),
    ("granite20b", "function-call-tag"),
    ("step3.5", "qwen-coder"),
    ("step3", "step"),
    ("mimo", "qwen-coder"),
    ("seedoss", "seed-oss"),
    ("minimaxm2", "minimax"),
    ("minimaxm1", "tool-calls-tag"),
    ("minicpm5", "minicpm"),
    ("dots.", "dots"),
    ("glm49b", "named"),
    ("glm4:", "named"),
    ("glm", "glm"),
    ("ling3", "glm"),
    ("poolside", "glm"),
    ("hunyuana13b", "tool-calls-tag"),
    ("hunyuan", "hunyuan"),
    ("longcat", "longcat"),
    ("k2horizon", "k2-horizon"),
    ("magistral", "mistral-named"),
    ("devstral", "mistral-named"),
    ("ministral3", "mistral-named"),
    ("mistralsmall3.2", "mistral-named"),
    ("mistral", "mistral"),
    ("mixtral", "mistral"),
    ("ministral", "mistral"),
    ("codestral", "mistral"),
    ("jamba", "tool-calls-tag"),
    ("phi4mini", "functools"),
    ("internlm", "internlm"),
    ("interns1", "internlm"),
    ("commandr7b", "command-r7b"),
    ("commanda", "command-r7b"),
    ("apertus", "apertus"),
    ("gigachat3.5", "gcml"),
    ("gigachat", "gigachat"),
    ("inkling", "inkling"),
    ("plamo3", "plamo"),
    ("olmo3", "olmo"),
    ("lfm2", "lfm"),
    ("llama4", "pythonic"),
    ("llama3.2", "pythonic"),
    ("claude", "anthropic-xml"),
];

impl Notation {
    /// Returns the notation in which a model knows best how to call, by its name as servers and hubs
    /// write it. `None` if it is not in the table.
    ///
    /// ```
    /// use llmend_calls::Notation;
    ///
    /// assert_eq!(Notation::of_model("Qwen/Qwen2.5-7B-Instruct").unwrap().name, "hermes");
    /// assert!(Notation::of_model("my-model").is_none());
    /// ```
    #[must_use]
    pub fn of_model(model: &str) -> Option<&'static Self> {
        let plain: String = model
            .chars()
            .filter(|letter| !matches!(letter, '-' | '_' | ' '))
            .flat_map(char::to_lowercase)
            .collect();
        let row = MODELS.iter().find(|(part, _)| plain.contains(part));
        row.and_then(|(_, notation)| Self::named(notation))
    }
}

#[cfg(test)]
mod tests {
    use super::MODELS;
    use crate::Notation;

    #[test]
    fn names_of_models_are_known_however_they_are_written() {
        for (model, expected) in [
            ("Qwen/Qwen2.5-7B-Instruct", Some("hermes")),
            ("qwen2.5-coder:7b", Some("hermes")),
            ("qwen3-coder:30b", Some("qwen-coder")),
            ("Qwen/Qwen3-Coder-30B-A3B-Instruct", Some("qwen-coder")),
            ("NousResearch/Hermes-3-Llama-3.1-8B", Some("hermes")),
            ("deepseek-r1:14b", Some("deepseek")),
            ("deepseek-ai/DeepSeek-R1-Distill-Qwen-7B", Some("deepseek")),
            ("deepseek-ai/DeepSeek-V3.2", Some("dsml")),
            ("deepseek-ai/DeepSeek-V3.2-Exp", Some("deepseek")),
            ("mistral-nemo", Some("mistral")),
            ("mistralai/Devstral-Small-2507", Some("mistral-named")),
            ("gemma3:4b", Some("tool-code")),
            ("google/gemma-4-27b-it", Some("gemma")),
            ("zai-org/GLM-4.5-Air", Some("glm")),
            ("THUDM/glm-4-9b-chat", Some("named")),
            ("meta-llama/Llama-3.2-3B-Instruct", Some("pythonic")),
            ("nvidia/Llama-3.1-Nemotron-Ultra-253B-v1", Some("nemotron")),
            ("ibm-granite/granite-3.1-8b-instruct", Some("granite")),
            // Plain JSON serves these best.
            ("llama3.1:8b", None),
            ("phi3", None),
            ("m", None),
        ] {
            let found = Notation::of_model(model).map(|notation| notation.name);
            assert_eq!(found, expected, "{model}");
        }
    }

    #[test]
    fn each_row_can_be_reached_and_written() {
        for (at, (part, notation)) in MODELS.iter().enumerate() {
            let known = Notation::named(notation).unwrap_or_else(|| panic!("{notation}"));
            assert!(known.is_writable(), "{notation}");
            let first = MODELS.iter().position(|(other, _)| part.contains(other));
            assert_eq!(first, Some(at), "{part}");
        }
    }
}
