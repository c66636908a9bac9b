//! The tables of notations: their marks, and what stands between the parts of a call.

/// JSON notations: opener, closer, keys of name and arguments, whether several calls are a list.
pub(super) fn json(
    notation: &str,
) -> Option<(&'static str, &'static str, &'static str, &'static str, bool)> {
    Some(match notation {
        "hermes" => ("<tool_call>\n", "\n</tool_call>", "name", "arguments", false),
        "llama-json" => ("<|python_tag|>", "<|eom_id|>", "name", "parameters", false),
        "granite" => ("<|tool_call|>", "", "name", "arguments", true),
        "function-call-tag" => ("<function_call> ", "", "name", "arguments", false),
        "mistral" => ("[TOOL_CALLS] ", "</s>", "name", "arguments", true),
        "tool-calls-tag" => ("<tool_calls>", "</tool_calls>", "name", "arguments", true),
        "nemotron" => ("<TOOLCALL>", "</TOOLCALL>", "name", "arguments", true),
        "functools" => ("functools", "", "name", "arguments", true),
        "internlm" => {
            ("<|action_start|><|plugin|>\n", "<|action_end|>", "name", "parameters", false)
        }
        "command-r7b" => ("<|START_ACTION|>", "<|END_ACTION|>", "tool_name", "parameters", true),
        "apertus" => ("<|tools_prefix|>", "<|tools_suffix|>", "", "", true),
        "gigachat" => {
            ("<|message_sep|>\n\nfunction call<|role_sep|>\n", "</s>", "name", "arguments", false)
        }
        "sarashina" => ("<|tool_calls|>", "", "name", "arguments", true),
        "longcat-json" => {
            ("<longcat_tool_call>", "</longcat_tool_call>", "name", "arguments", false)
        }
        "tools-tag" => ("<tools>", "</tools>", "name", "arguments", false),
        _ => return None,
    })
}

/// Named notations: opener and closer of all calls, then of one: before the name, before the
/// arguments, after the arguments; between calls.
pub(super) fn named(notation: &str) -> Option<[&'static str; 6]> {
    Some(match notation {
        "named" => ["", "", "", "\n", "", "\n"],
        "mistral-named" => ["", "</s>", "[TOOL_CALLS]", "[ARGS]", "", ""],
        "deepseek" => [
            "<｜tool▁calls▁begin｜>",
            "<｜tool▁calls▁end｜>",
            "<｜tool▁call▁begin｜>",
            "<｜tool▁sep｜>",
            "<｜tool▁call▁end｜>",
            "",
        ],
        "kimi" => [
            "<|tool_calls_section_begin|>",
            "<|tool_calls_section_end|>",
            "<|tool_call_begin|>functions.",
            ":0<|tool_call_argument_begin|>",
            "<|tool_call_end|>",
            "",
        ],
        "function-tag" => ["", "", "<function=", ">", "</function>", "\n"],
        "functionary" => ["", "", ">>>", "\n", "", "\n"],
        "qwen-agent" => ["", "\n✿RESULT✿", "✿FUNCTION✿: ", "\n✿ARGS✿: ", "", "\n"],
        "plamo" => [
            "<|plamo:begin_tool_requests:plamo|>",
            "<|plamo:end_tool_requests:plamo|>",
            "<|plamo:begin_tool_request:plamo|><|plamo:begin_tool_name:plamo|>",
            "<|plamo:end_tool_name:plamo|><|plamo:begin_tool_arguments:plamo|>",
            "<|plamo:end_tool_arguments:plamo|><|plamo:end_tool_request:plamo|>",
            "",
        ],
        _ => return None,
    })
}

/// Pythonic notations: opener, closer, before and after all calls, between calls.
pub(super) fn pythonic(notation: &str) -> Option<[&'static str; 5]> {
    Some(match notation {
        "pythonic" => ["", "", "[", "]", ", "],
        "olmo" => ["<function_calls>", "</function_calls>", "", "", "\n"],
        "lfm" => ["<|tool_call_start|>", "<|tool_call_end|>", "[", "]", ", "],
        "raven" => ["Call: ", " <bot_end>", "", "", "; "],
        "tool-code" => ["```tool_code\n", "\n```", "", "", "\n"],
        "compiler" => ["", "", "", "<END_OF_PLAN>", "\n"],
        "javascript" => ["", "", "", ";", ";\n"],
        _ => return None,
    })
}

/// Notations with an element for each parameter: opener and closer of all calls; before and after
/// the name; after the call; before and after a key; after a value; line feeds.
#[expect(clippy::too_many_lines, reason = "a table")]
pub(super) fn xml(notation: &str) -> Option<([&'static str; 8], &'static str)> {
    Some(match notation {
        "qwen-coder" => (
            [
                "<tool_call>\n",
                "\n</tool_call>",
                "<function=",
                ">",
                "</function>",
                "<parameter=",
                ">",
                "</parameter>",
            ],
            "framed",
        ),
        "seed-oss" => (
            [
                "<seed:tool_call>\n",
                "\n</seed:tool_call>",
                "<function=",
                ">",
                "</function>",
                "<parameter=",
                ">",
                "</parameter>",
            ],
            "lines",
        ),
        "minimax" => (
            [
                "<minimax:tool_call>\n",
                "\n</minimax:tool_call>",
                "<invoke name=\"",
                "\">",
                "</invoke>",
                "<parameter name=\"",
                "\">",
                "</parameter>",
            ],
            "lines",
        ),
        "anthropic-xml" => (
            [
                "<function_calls>\n",
                "\n</function_calls>",
                "<invoke name=\"",
                "\">",
                "</invoke>",
                "<parameter name=\"",
                "\">",
                "</parameter>",
            ],
            "lines",
        ),
        "dots" => (
            [
                "<dots_function_call>\n",
                "\n</dots_function_call>",
                "<invoke name=\"",
                "\">",
                "</invoke>",
                "<parameter name=\"",
                "\">",
                "</parameter>",
            ],
            "lines",
        ),
        "dsml" => (
            [
                "<｜DSML｜function_calls>\n",
                "\n</｜DSML｜function_calls>",
                "<｜DSML｜invoke name=\"",
                "\">",
                "</｜DSML｜invoke>",
                "<｜DSML｜parameter name=\"",
                "\" string=\"STRING\">",
                "</｜DSML｜parameter>",
            ],
            "lines",
        ),
        "gcml" => (
            [
                "<｜GCML｜function_calls>\n",
                "\n</｜GCML｜function_calls>",
                "<｜GCML｜invoke name=\"",
                "\">",
                "</｜GCML｜invoke>",
                "<｜GCML｜parameter name=\"",
                "\" string=\"STRING\">",
                "</｜GCML｜parameter>",
            ],
            "lines",
        ),
        "step" => (
            [
                "<｜tool_calls_begin｜>",
                "<｜tool_calls_end｜>",
                "<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name=\"",
                "\">",
                "</steptml:invoke><｜tool_call_end｜>",
                "<steptml:parameter name=\"",
                "\">",
                "</steptml:parameter>",
            ],
            "",
        ),
        "minicpm" => (
            [
                "",
                "",
                "<function name=\"",
                "\">",
                "</function>",
                "<param name=\"",
                "\">",
                "</param>",
            ],
            "",
        ),
        "muse" => (
            [
                "<atem:function_calls>",
                "</atem:function_calls>",
                "<atem:invoke name=\"",
                "\">",
                "</atem:invoke>",
                "<atem:parameter name=\"",
                "\">",
                "</atem:parameter>",
            ],
            "",
        ),
        "kimi-k3" => (
            [
                "<|open|>tools<|sep|>",
                "<|close|>tools<|sep|>",
                "<|open|>call tool=\"",
                "\" index=\"1\"<|sep|>",
                "<|close|>call<|sep|>",
                "<|open|>argument key=\"",
                "\" type=\"TYPE\"<|sep|>",
                "<|close|>argument<|sep|>",
            ],
            "",
        ),
        _ => return None,
    })
}

/// Notations with an element for each key: opener and closer of all calls; before and after the
/// name; after the call; around a key; around a value; line feeds.
pub(super) fn pairs(notation: &str) -> Option<([&'static str; 9], bool)> {
    Some(match notation {
        "glm" => (
            [
                "",
                "",
                "<tool_call>",
                "",
                "</tool_call>",
                "<arg_key>",
                "</arg_key>",
                "<arg_value>",
                "</arg_value>",
            ],
            true,
        ),
        "hunyuan" => (
            [
                "<tool_calls>\n",
                "\n</tool_calls>",
                "<tool_call>",
                "<tool_sep>",
                "</tool_call>",
                "<arg_key>",
                "</arg_key>",
                "<arg_value>",
                "</arg_value>",
            ],
            true,
        ),
        "longcat" => (
            [
                "",
                "",
                "<longcat_tool_call>",
                "",
                "</longcat_tool_call>",
                "<longcat_arg_key>",
                "</longcat_arg_key>",
                "<longcat_arg_value>",
                "</longcat_arg_value>",
            ],
            true,
        ),
        "k2-horizon" => (
            [
                "<ifm|tool_calls>",
                "</ifm|tool_calls>",
                "<ifm|tool_call>",
                "",
                "</ifm|tool_call>",
                "<ifm|arg_key>",
                "</ifm|arg_key><ifm|arg_type>TYPE</ifm|arg_type>",
                "<ifm|arg_value>",
                "</ifm|arg_value>",
            ],
            false,
        ),
        _ => return None,
    })
}
