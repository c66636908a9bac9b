//! How each notation is written: what stands around the calls, and how arguments look.
//!
//! A slot is `{name}`, `{arguments}` or `{number}`, which counts calls from 0, and in the elements of
//! arguments `{key}`, `{value}` or `{type}`. What ends a model's turn is left out, since a server adds it.

use super::arguments::Arguments::{self, Elements, Json, JsonText, Keywords, Typed};

/// How calls are written in a notation.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Form {
    /// The name of the notation.
    pub(super) notation: &'static str,
    /// Before the first call, between two, and behind the last.
    pub(super) around: [&'static str; 3],
    pub(super) call: &'static str,
    pub(super) arguments: Arguments,
}

macro_rules! forms {
    ($($name:literal [$before:literal, $between:literal, $after:literal] $call:literal $arguments:expr;)+) => {
        pub(super) const FORMS: &[Form] = &[$(Form {
            notation: $name,
            around: [$before, $between, $after],
            call: $call,
            arguments: $arguments,
        },)+];
    };
}

/// A list of one element for each parameter, with strings as they are and anything else as JSON.
const fn elements(element: &'static str) -> Arguments {
    Elements { string: element, other: element }
}

forms! {
    "json" ["", "\n", ""] r#"{"name": "{name}", "arguments": {arguments}}"# Json;
    "hermes" ["", "\n", ""]
        "<tool_call>\n{\"name\": \"{name}\", \"arguments\": {arguments}}\n</tool_call>" Json;
    "llama-json" ["<|python_tag|>", "; ", ""]
        r#"{"name": "{name}", "parameters": {arguments}}"# Json;
    "granite" ["<|tool_call|>[", ", ", "]"] r#"{"name": "{name}", "arguments": {arguments}}"# Json;
    "function-call-tag" ["", "\n", ""]
        r#"<function_call> {"name": "{name}", "arguments": {arguments}}"# Json;
    "mistral" ["[TOOL_CALLS] [", ", ", "]"]
        r#"{"name": "{name}", "arguments": {arguments}}"# Json;
    "tool-calls-tag" ["<tool_calls>[", ", ", "]</tool_calls>"]
        r#"{"name": "{name}", "arguments": {arguments}}"# Json;
    "nemotron" ["<TOOLCALL>[", ", ", "]</TOOLCALL>"]
        r#"{"name": "{name}", "arguments": {arguments}}"# Json;
    "functools" ["functools[", ", ", "]"] r#"{"name": "{name}", "arguments": {arguments}}"# Json;
    "internlm" ["", "", ""]
        "<|action_start|><|plugin|>\n{\"name\": \"{name}\", \"parameters\": {arguments}}<|action_end|>"
        Json;
    "command-r7b" ["<|START_ACTION|>[", ", ", "]<|END_ACTION|>"]
        r#"{"tool_call_id": "{number}", "tool_name": "{name}", "parameters": {arguments}}"# Json;
    "apertus" ["<|tools_prefix|>[", ", ", "]<|tools_suffix|>"] r#"{"{name}": {arguments}}"# Json;
    "gigachat" ["", "\n", ""]
        "<|message_sep|>\n\nfunction call<|role_sep|>\n{\"name\": \"{name}\", \"arguments\": {arguments}}"
        Json;
    "longcat-json" ["", "\n", ""]
        r#"<longcat_tool_call>{"name": "{name}", "arguments": {arguments}}</longcat_tool_call>"#
        Json;
    "tools-tag" ["", "\n", ""]
        r#"<tools>{"name": "{name}", "arguments": {arguments}}</tools>"# Json;
    "inkling" ["", "", ""]
        r#"<|message_model|>{name}<|content_invoke_tool_json|>{"name": "{name}", "args": {arguments}}<|end_message|>"#
        Json;
    "openai" [r#"{"tool_calls": ["#, ", ", "]}"]
        r#"{"id": "call_{number}", "type": "function", "function": {"name": "{name}", "arguments": {arguments}}}"#
        JsonText;
    "mcp" ["", "\n", ""]
        r#"{"jsonrpc": "2.0", "id": {number}, "method": "tools/call", "params": {"name": "{name}", "arguments": {arguments}}}"#
        Json;
    "anthropic" ["", "\n", ""]
        r#"{"type": "tool_use", "id": "toolu_{number}", "name": "{name}", "input": {arguments}}"#
        Json;
    "gemini" ["", "\n", ""] r#"{"functionCall": {"name": "{name}", "args": {arguments}}}"# Json;

    "named" ["", "\n", ""] "{name}\n{arguments}" Json;
    "mistral-named" ["", "", ""] "[TOOL_CALLS]{name}[ARGS]{arguments}" Json;
    "deepseek" ["<｜tool▁calls▁begin｜>", "", "<｜tool▁calls▁end｜>"]
        "<｜tool▁call▁begin｜>{name}<｜tool▁sep｜>{arguments}<｜tool▁call▁end｜>" Json;
    "kimi" ["<|tool_calls_section_begin|>", "", "<|tool_calls_section_end|>"]
        "<|tool_call_begin|>functions.{name}:{number}<|tool_call_argument_begin|>{arguments}<|tool_call_end|>"
        Json;
    "function-tag" ["", "\n", ""] "<function={name}>{arguments}</function>" Json;
    "functionary" ["", "\n", ""] ">>>{name}\n{arguments}" Json;
    "qwen-agent" ["", "\n", ""] "✿FUNCTION✿: {name}\n✿ARGS✿: {arguments}" Json;
    "plamo" ["<|plamo:begin_tool_requests:plamo|>", "", "<|plamo:end_tool_requests:plamo|>"]
        "<|plamo:begin_tool_request:plamo|><|plamo:begin_tool_name:plamo|>{name}<|plamo:end_tool_name:plamo|><|plamo:begin_tool_arguments:plamo|>{arguments}<|plamo:end_tool_arguments:plamo|><|plamo:end_tool_request:plamo|>"
        Json;

    "pythonic" ["[", ", ", "]"] "{name}({arguments})" Keywords;
    "olmo" ["<function_calls>", "\n", "</function_calls>"] "{name}({arguments})" Keywords;
    "lfm" ["<|tool_call_start|>[", ", ", "]<|tool_call_end|>"] "{name}({arguments})" Keywords;
    "raven" ["Call: ", "; ", ""] "{name}({arguments})" Keywords;
    "tool-code" ["```tool_code\n", "\n", "\n```"] "print(default_api.{name}({arguments}))" Keywords;

    "tool-tag" ["", "\n", ""] "<{name}>{arguments}</{name}>" elements("<{key}>{value}</{key}>");
    "qwen-coder" ["", "\n", ""]
        "<tool_call>\n<function={name}>\n{arguments}</function>\n</tool_call>"
        elements("<parameter={key}>\n{value}\n</parameter>\n");
    "seed-oss" ["", "\n", ""]
        "<seed:tool_call>\n<function={name}>\n{arguments}</function>\n</seed:tool_call>"
        elements("<parameter={key}>{value}</parameter>\n");
    "minimax" ["<minimax:tool_call>\n", "", "</minimax:tool_call>"]
        "<invoke name=\"{name}\">\n{arguments}</invoke>\n"
        elements("<parameter name=\"{key}\">{value}</parameter>\n");
    "anthropic-xml" ["<function_calls>\n", "", "</function_calls>"]
        "<invoke name=\"{name}\">\n{arguments}</invoke>\n"
        elements("<parameter name=\"{key}\">{value}</parameter>\n");
    "dsml" ["<｜DSML｜function_calls>\n", "", "</｜DSML｜function_calls>"]
        "<｜DSML｜invoke name=\"{name}\">\n{arguments}</｜DSML｜invoke>\n"
        Elements {
            string: "<｜DSML｜parameter name=\"{key}\" string=\"true\">{value}</｜DSML｜parameter>\n",
            other: "<｜DSML｜parameter name=\"{key}\" string=\"false\">{value}</｜DSML｜parameter>\n",
        };
    "gcml" ["<｜GCML｜function_calls>\n", "", "</｜GCML｜function_calls>"]
        "<｜GCML｜invoke name=\"{name}\">\n{arguments}</｜GCML｜invoke>\n"
        Elements {
            string: "<｜GCML｜parameter name=\"{key}\" string=\"true\">{value}</｜GCML｜parameter>\n",
            other: "<｜GCML｜parameter name=\"{key}\" string=\"false\">{value}</｜GCML｜parameter>\n",
        };
    "step" ["<｜tool_calls_begin｜>", "", "<｜tool_calls_end｜>"]
        "<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name=\"{name}\">{arguments}</steptml:invoke><｜tool_call_end｜>"
        elements("<steptml:parameter name=\"{key}\">{value}</steptml:parameter>");
    "minicpm" ["", "\n", ""] "<function name=\"{name}\">{arguments}</function>"
        elements("<param name=\"{key}\">{value}</param>");
    "dots" ["<dots_function_call>\n", "", "</dots_function_call>"]
        "<invoke name=\"{name}\">\n{arguments}</invoke>\n"
        elements("<parameter name=\"{key}\">{value}</parameter>\n");
    "muse" ["", "", ""]
        "<|start|>assistant to={name}<|message|><atem:function_calls><atem:invoke name=\"{name}\">{arguments}</atem:invoke></atem:function_calls><|eom|>"
        elements("<atem:parameter name=\"{key}\">{value}</atem:parameter>");
    "kimi-k3" ["<|open|>tools<|sep|>", "", "<|close|>tools<|sep|>"]
        "<|open|>call tool=\"{name}\" index=\"{number}\"<|sep|>{arguments}<|close|>call<|sep|>"
        elements("<|open|>argument key=\"{key}\" type=\"{type}\"<|sep|>{value}<|close|>argument<|sep|>");

    "glm" ["", "\n", ""] "<tool_call>{name}\n{arguments}</tool_call>"
        elements("<arg_key>{key}</arg_key>\n<arg_value>{value}</arg_value>\n");
    "hunyuan" ["<tool_calls>\n", "", "</tool_calls>"]
        "<tool_call>{name}<tool_sep>\n{arguments}</tool_call>\n"
        elements("<arg_key>{key}</arg_key>\n<arg_value>{value}</arg_value>\n");
    "longcat" ["", "\n", ""] "<longcat_tool_call>{name}\n{arguments}</longcat_tool_call>"
        elements("<longcat_arg_key>{key}</longcat_arg_key>\n<longcat_arg_value>{value}</longcat_arg_value>\n");
    "k2-horizon" ["<ifm|tool_calls>", "", "</ifm|tool_calls>"]
        "<ifm|tool_call>{name}{arguments}</ifm|tool_call>"
        elements("<ifm|arg_key>{key}</ifm|arg_key><ifm|arg_type>{type}</ifm|arg_type><ifm|arg_value>{value}</ifm|arg_value>");

    "harmony" ["", "<|start|>assistant", ""]
        "<|channel|>commentary to=functions.{name} <|constrain|>json<|message|>{arguments}<|call|>"
        Json;

    "react" ["", "\n", ""] "Action: {name}\nAction Input: {arguments}" Json;

    "gemma" ["", "", ""] "<|tool_call>call:{name}{arguments}<tool_call|>" Typed("<|\"|>");
    "functiongemma" ["", "", ""]
        "<start_function_call>call:{name}{arguments}<end_function_call>" Typed("<escape>");
}
