//! The table of notations: which models use each, and how it looks.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A family of notations. Each has one grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    /// A JSON object or list of objects.
    Json,
    /// A name, then a JSON object.
    Named,
    /// Calls of functions, as in Python or JavaScript.
    Pythonic,
    /// An element for each parameter.
    Parameters,
    /// An element for each key and each value.
    Pairs,
    /// A message with a recipient in its header.
    Channel,
    /// Labelled lines.
    Lines,
    /// A name and an object with strings in special quotes.
    Typed,
}

impl Family {
    /// All families.
    pub const ALL: [Self; 8] = [
        Self::Json,
        Self::Named,
        Self::Pythonic,
        Self::Parameters,
        Self::Pairs,
        Self::Channel,
        Self::Lines,
        Self::Typed,
    ];

    /// Returns the name that reports use.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Named => "named",
            Self::Pythonic => "pythonic",
            Self::Parameters => "parameters",
            Self::Pairs => "pairs",
            Self::Channel => "channel",
            Self::Lines => "lines",
            Self::Typed => "typed",
        }
    }

    /// Returns a description in one sentence.
    #[must_use]
    pub const fn doc(self) -> &'static str {
        match self {
            Self::Json => "A JSON object or list of objects with the name and the arguments.",
            Self::Named => "The name, then the arguments as a JSON object.",
            Self::Pythonic => {
                "Calls of functions with literals as arguments, as in Python or JavaScript."
            }
            Self::Parameters => "An element for each parameter, whose text is the value.",
            Self::Pairs => "An element for each key and an element for each value.",
            Self::Channel => "A message whose header names the tool.",
            Self::Lines => "A line with the name, and a line with the arguments.",
            Self::Typed => "A name and an object with bare keys and strings in special quotes.",
        }
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A notation of tool calls.
#[derive(Debug, PartialEq, Eq)]
pub struct Notation {
    /// The name that reports use.
    pub name: &'static str,
    /// The family, which has the grammar.
    pub family: Family,
    /// What the models write before the calls; empty if nothing marks them.
    pub openers: &'static [&'static str],
    /// Models that use it.
    pub models: &'static str,
    /// A call of `get_time` with the argument `zone`.
    pub example: &'static str,
}

impl Serialize for Notation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
    }
}

impl<'de> Deserialize<'de> for &'static Notation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let unknown = || de::Error::custom(format_args!("unknown notation {name:?}"));
        Notation::named(&name).ok_or_else(unknown)
    }
}

macro_rules! notations {
    ($($name:literal $family:ident [$($opener:literal),*] $models:literal $example:literal;)+) => {
        /// The known notations, by family. The first of a family stands for what has no row.
        pub const NOTATIONS: &[Notation] = &[$(Notation {
            name: $name,
            family: Family::$family,
            openers: &[$($opener),*],
            models: $models,
            example: $example,
        },)+];
    };
}

notations! {
    // JSON.
    "json" Json [] "any, with or without a code fence"
        r#"{"name": "get_time", "arguments": {"zone": "UTC"}}"#;
    "hermes" Json ["<tool_call>"] "Hermes, Qwen 2.5 and 3, Granite 4, QwQ, EXAONE 4, ERNIE 4.5"
        "<tool_call>\n{\"name\": \"get_time\", \"arguments\": {\"zone\": \"UTC\"}}\n</tool_call>";
    "llama-json" Json ["<|python_tag|>"] "Llama 3.1 to 3.3"
        r#"<|python_tag|>{"name": "get_time", "parameters": {"zone": "UTC"}}<|eom_id|>"#;
    "granite" Json ["<|tool_call|>"] "Granite 3, Phi-4-mini"
        r#"<|tool_call|>[{"name": "get_time", "arguments": {"zone": "UTC"}}]"#;
    "function-call-tag" Json ["<function_call>"] "Granite 20B"
        r#"<function_call> {"name": "get_time", "arguments": {"zone": "UTC"}}"#;
    "mistral" Json ["[TOOL_CALLS]"] "Mistral up to tokenizer v10, Mixtral, Nemo"
        r#"[TOOL_CALLS] [{"name": "get_time", "arguments": {"zone": "UTC"}, "id": "a1B2c3D4e"}]</s>"#;
    "tool-calls-tag" Json ["<tool_calls>"] "Jamba, Hunyuan A13B, MiniMax M1"
        r#"<tool_calls>[{"name": "get_time", "arguments": {"zone": "UTC"}}]</tool_calls>"#;
    "nemotron" Json ["<TOOLCALL>"] "Nemotron Nano v2, Ultra"
        r#"<TOOLCALL>[{"name": "get_time", "arguments": {"zone": "UTC"}}]</TOOLCALL>"#;
    "functools" Json ["functools"] "Phi-4-mini, FireFunction v2"
        r#"functools[{"name": "get_time", "arguments": {"zone": "UTC"}}]"#;
    "internlm" Json ["<|action_start|>"] "InternLM 2.5 and 3, Intern-S1"
        "<|action_start|><|plugin|>\n{\"name\": \"get_time\", \"parameters\": {\"zone\": \"UTC\"}}<|action_end|>";
    "command-r7b" Json ["<|START_ACTION|>"] "Command R7B, Command A"
        r#"<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "get_time", "parameters": {"zone": "UTC"}}]<|END_ACTION|>"#;
    "apertus" Json ["<|tools_prefix|>"] "Apertus"
        r#"<|tools_prefix|>[{"get_time": {"zone": "UTC"}}]<|tools_suffix|>"#;
    "gigachat" Json ["<|message_sep|>", "<|function_call|>"] "GigaChat 3"
        "<|message_sep|>\n\nfunction call<|role_sep|>\n{\"name\": \"get_time\", \"arguments\": {\"zone\": \"UTC\"}}</s>";
    "sarashina" Json ["<|tool_calls|>"] "Sarashina 2"
        "<|tool_calls|>[{'name': 'get_time', 'arguments': {'zone': 'UTC'}}]";
    "longcat-json" Json ["<longcat_tool_call>"] "LongCat"
        r#"<longcat_tool_call>{"name": "get_time", "arguments": {"zone": "UTC"}}</longcat_tool_call>"#;
    "tools-tag" Json ["<tools>"] "Qwen 2.5 Coder with a prompt"
        r#"<tools>{"name": "get_time", "arguments": {"zone": "UTC"}}</tools>"#;
    "inkling" Json ["<|message_model|>", "<|content_invoke_tool_json|>"] "Inkling"
        r#"<|message_model|>get_time<|content_invoke_tool_json|>{"name": "get_time", "args": {"zone": "UTC"}}<|end_message|>"#;
    "openai" Json [] "copies of OpenAI messages"
        r#"{"tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "get_time", "arguments": "{\"zone\": \"UTC\"}"}}]}"#;
    "mcp" Json [] "copies of MCP requests"
        r#"{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "get_time", "arguments": {"zone": "UTC"}}}"#;
    "anthropic" Json [] "copies of Anthropic messages"
        r#"{"type": "tool_use", "id": "toolu_1", "name": "get_time", "input": {"zone": "UTC"}}"#;
    "gemini" Json [] "copies of Gemini parts"
        r#"{"functionCall": {"name": "get_time", "args": {"zone": "UTC"}}}"#;

    // A name, then JSON.
    "named" Named [] "GLM-4 9B"
        "get_time\n{\"zone\": \"UTC\"}";
    "mistral-named" Named ["[TOOL_CALLS]"] "Mistral from tokenizer v11, Magistral, Ministral 3"
        r#"[TOOL_CALLS]get_time[ARGS]{"zone": "UTC"}"#;
    "deepseek" Named ["<｜tool▁calls▁begin｜>", "<｜tool▁call▁begin｜>"] "DeepSeek V3, R1, V3.1, V3.2-Exp"
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_time<｜tool▁sep｜>{\"zone\": \"UTC\"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>";
    "kimi" Named ["<|tool_calls_section_begin|>", "<|tool_call_begin|>"] "Kimi K2 to K2.6"
        r#"<|tool_calls_section_begin|><|tool_call_begin|>functions.get_time:0<|tool_call_argument_begin|>{"zone": "UTC"}<|tool_call_end|><|tool_calls_section_end|>"#;
    "function-tag" Named ["<function="] "Functionary 3.1, Llama 3.1 with custom tools"
        r#"<function=get_time>{"zone": "UTC"}</function>"#;
    "functionary" Named [">>>"] "Functionary 3.2"
        ">>>get_time\n{\"zone\": \"UTC\"}";
    "qwen-agent" Named ["✿FUNCTION✿"] "Qwen 1.5 and 2 with Qwen-Agent"
        "✿FUNCTION✿: get_time\n✿ARGS✿: {\"zone\": \"UTC\"}\n✿RESULT✿";
    "plamo" Named ["<|plamo:begin_tool_requests:plamo|>"] "PLaMo 3"
        r#"<|plamo:begin_tool_requests:plamo|><|plamo:begin_tool_request:plamo|><|plamo:begin_tool_name:plamo|>get_time<|plamo:end_tool_name:plamo|><|plamo:begin_tool_arguments:plamo|>{"zone": "UTC"}<|plamo:end_tool_arguments:plamo|><|plamo:end_tool_request:plamo|><|plamo:end_tool_requests:plamo|>"#;

    // Calls as in Python.
    "pythonic" Pythonic ["<|python_start|>"] "Llama 3.2 and 4, ToolACE, xLAM"
        "[get_time(zone=\"UTC\")]";
    "olmo" Pythonic ["<function_calls>"] "Olmo 3"
        "<function_calls>get_time(zone=\"UTC\")</function_calls>";
    "lfm" Pythonic ["<|tool_call_start|>"] "LFM2, LFM2.5"
        "<|tool_call_start|>[get_time(zone=\"UTC\")]<|tool_call_end|>";
    "raven" Pythonic ["Call:"] "Nexus Raven"
        "Call: get_time(zone=\"UTC\") <bot_end>";
    "tool-code" Pythonic ["```tool_code"] "Gemma 2 and 3, Gemini"
        "```tool_code\nprint(default_api.get_time(zone=\"UTC\"))\n```";
    "compiler" Pythonic [] "LLMCompiler"
        "1. get_time(\"UTC\")\n2. join()<END_OF_PLAN>";
    "javascript" Pythonic [] "prompts in JavaScript"
        "get_time({zone: \"UTC\"});";

    // An element for each parameter.
    "tool-tag" Parameters [] "Cline, Roo Code, agent prompts"
        "<get_time><zone>UTC</zone></get_time>";
    "qwen-coder" Parameters ["<tool_call>", "<function="] "Qwen3-Coder, Qwen 3.5, Nemotron 3, Step 3.5, MiMo"
        "<tool_call>\n<function=get_time>\n<parameter=zone>\nUTC\n</parameter>\n</function>\n</tool_call>";
    "seed-oss" Parameters ["<seed:tool_call>"] "Seed-OSS"
        "<seed:tool_call>\n<function=get_time>\n<parameter=zone>UTC</parameter>\n</function>\n</seed:tool_call>";
    "minimax" Parameters ["<minimax:tool_call>"] "MiniMax M2"
        "<minimax:tool_call>\n<invoke name=\"get_time\">\n<parameter name=\"zone\">UTC</parameter>\n</invoke>\n</minimax:tool_call>";
    "minimax-m3" Parameters ["]<]minimax[>[<"] "MiniMax M3"
        "]<]minimax[>[<tool_call>]<]minimax[>[<invoke name=\"get_time\">]<]minimax[>[<zone>UTC]<]minimax[>[</zone>]<]minimax[>[</invoke>]<]minimax[>[</tool_call>";
    "anthropic-xml" Parameters ["<function_calls>", "<invoke "] "Claude"
        "<function_calls>\n<invoke name=\"get_time\">\n<parameter name=\"zone\">UTC</parameter>\n</invoke>\n</function_calls>";
    "dsml" Parameters ["<｜DSML｜"] "DeepSeek V3.2 and V4"
        "<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"get_time\">\n<｜DSML｜parameter name=\"zone\" string=\"true\">UTC</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>";
    "gcml" Parameters ["<｜GCML｜"] "GigaChat 3.5"
        "<｜GCML｜function_calls>\n<｜GCML｜invoke name=\"get_time\">\n<｜GCML｜parameter name=\"zone\" string=\"true\">UTC</｜GCML｜parameter>\n</｜GCML｜invoke>\n</｜GCML｜function_calls>";
    "step" Parameters ["<｜tool_calls_begin｜>", "<｜tool_call_begin｜>"] "Step 3"
        "<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name=\"get_time\"><steptml:parameter name=\"zone\">UTC</steptml:parameter></steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>";
    "minicpm" Parameters ["<function "] "MiniCPM 5"
        "<function name=\"get_time\"><param name=\"zone\">UTC</param></function>";
    "dots" Parameters ["<dots_function_call>"] "dots"
        "<dots_function_call>\n<invoke name=\"get_time\">\n<parameter name=\"zone\">UTC</parameter>\n</invoke>\n</dots_function_call>";
    "muse" Parameters ["<atem:function_calls>"] "Muse"
        "<|start|>assistant to=get_time<|message|><atem:function_calls><atem:invoke name=\"get_time\"><atem:parameter name=\"zone\">UTC</atem:parameter></atem:invoke></atem:function_calls><|eom|>";
    "kimi-k3" Parameters ["<|open|>tools<|sep|>", "<|open|>call "] "Kimi K3"
        "<|open|>tools<|sep|><|open|>call tool=\"get_time\" index=\"1\"<|sep|><|open|>argument key=\"zone\" type=\"string\"<|sep|>UTC<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>";

    // An element for each key and each value.
    "glm" Pairs ["<tool_call>"] "GLM 4.5 to 5, Ling 3, Poolside"
        "<tool_call>get_time\n<arg_key>zone</arg_key>\n<arg_value>UTC</arg_value>\n</tool_call>";
    "hunyuan" Pairs ["<tool_calls>"] "Hunyuan V3, V4"
        "<tool_calls>\n<tool_call>get_time<tool_sep>\n<arg_key>zone</arg_key>\n<arg_value>UTC</arg_value>\n</tool_call>\n</tool_calls>";
    "longcat" Pairs ["<longcat_tool_call>"] "LongCat"
        "<longcat_tool_call>get_time\n<longcat_arg_key>zone</longcat_arg_key>\n<longcat_arg_value>UTC</longcat_arg_value>\n</longcat_tool_call>";
    "k2-horizon" Pairs ["<ifm|tool_calls>", "<ifm|tool_call>"] "K2 Horizon"
        "<ifm|tool_calls><ifm|tool_call>get_time<ifm|arg_key>zone</ifm|arg_key><ifm|arg_type>string</ifm|arg_type><ifm|arg_value>UTC</ifm|arg_value></ifm|tool_call></ifm|tool_calls>";

    // A header that names the tool.
    "harmony" Channel ["<|channel|>", "<|start|>", "to=functions."] "gpt-oss"
        r#"<|channel|>commentary to=functions.get_time <|constrain|>json<|message|>{"zone": "UTC"}<|call|>"#;

    // Labelled lines.
    "react" Lines ["Action:"] "ReAct prompts, LangChain"
        "Action: get_time\nAction Input: {\"zone\": \"UTC\"}";

    // A notation of its own.
    "gemma" Typed ["<|tool_call>"] "Gemma 4"
        "<|tool_call>call:get_time{zone:<|\"|>UTC<|\"|>}<tool_call|>";
    "functiongemma" Typed ["<start_function_call>"] "FunctionGemma"
        "<start_function_call>call:get_time{zone:<escape>UTC<escape>}<end_function_call>";
}

impl Notation {
    /// Returns the notation of this family whose calls begin with `opener`, or the first one of the
    /// family.
    pub(crate) fn of(family: Family, opener: &str) -> &'static Self {
        let begins = |row: &&Notation| {
            row.family == family
                && !opener.is_empty()
                && row.openers.iter().any(|own| opener.starts_with(own))
        };
        let first = NOTATIONS.iter().find(|row| row.family == family);
        NOTATIONS.iter().find(begins).or(first).unwrap_or(&NOTATIONS[0])
    }

    /// Returns the notation of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        NOTATIONS.iter().find(|row| row.name == name)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{NOTATIONS, Notation};
    use crate::{Options, Tools, read};

    #[test]
    fn names_are_unique() {
        let names: HashSet<_> = NOTATIONS.iter().map(|row| row.name).collect();
        assert_eq!(names.len(), NOTATIONS.len());
    }

    #[test]
    fn the_expected_notation_needs_no_marks() {
        let tools = r#"{"get_time": {"properties": {"zone": {"type": "string"}}}}"#;
        let tools = Tools::from_text(tools).unwrap();
        let text = "First the time.\n\n[get_time(zone=\"UTC\")]\n\nThen I shall look for the dates of the trip.";
        let quoted = "You can write `get_time(zone=\"UTC\")` for that.";
        for (text, name, count) in [
            (text, None, 0),
            (text, Some("hermes"), 0),
            (text, Some("pythonic"), 1),
            (quoted, Some("pythonic"), 0),
        ] {
            let notation = name.and_then(Notation::named);
            let reading = read(text, &tools, &Options { notation, ..Options::default() });
            assert_eq!(reading.calls.len(), count, "{name:?}: {text}");
            assert_eq!(reading.class(), None, "{name:?}: {text}");
        }
    }

    #[test]
    fn every_example_is_read_in_its_notation() {
        let tools = Tools::from_text(
            r#"[{"name": "get_time", "parameters": {"type": "object", "properties": {"zone": {"type": "string"}}, "required": ["zone"]}},
                {"name": "get_date", "parameters": {"type": "object", "properties": {"zone": {"type": "string"}}}}]"#,
        )
        .unwrap();
        for row in NOTATIONS {
            let reading = read(row.example, &tools, &Options::default());
            let calls: Vec<_> = reading
                .calls
                .iter()
                .map(|call| (call.name.as_str(), call.arguments.to_string()))
                .collect();
            assert_eq!(
                calls,
                [("get_time", r#"{"zone":"UTC"}"#.to_owned())],
                "{}: {reading:?}",
                row.name
            );
            assert_eq!(reading.text, "", "{}", row.name);
            assert!(reading.is_usable(), "{}: {reading:?}", row.name);
            let found = reading.calls.first().map(|call| call.notation.name);
            assert_eq!(found, Some(row.name));
        }
    }
}
