//! Answers in each notation.

use std::ops::Range;

use super::{Answer, Call, values};
use crate::case::Case;
use crate::damage;
use crate::damage::tokens::{Layout, Spelling, render, tokens};
use crate::data::Data;
use crate::random::Random;

/// A written answer.
#[derive(Clone, Debug)]
pub struct Written {
    /// The text.
    pub text: String,
    /// The marks of the notation.
    pub marks: Vec<Mark>,
    /// For each call, where its name ends and where it ends; calls in one JSON value end together.
    pub calls: Vec<Range<usize>>,
    /// What is inside strings, with or without quotes.
    pub inner: Vec<Range<usize>>,
    /// Number of JSON values in it.
    pub values: usize,
    /// Other values that the damaged JSON may as well have.
    pub accept: Vec<Data>,
    /// Kinds of damage that were done.
    pub kinds: Vec<&'static str>,
}

/// A mark of the notation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Where it stands.
    pub span: Range<usize>,
    /// Whether it closes something.
    pub closes: bool,
}

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

/// JSON notations: opener, closer, keys of name and arguments, whether several calls are a list.
fn json(notation: &str) -> Option<(&'static str, &'static str, &'static str, &'static str, bool)> {
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
fn named(notation: &str) -> Option<[&'static str; 6]> {
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
fn pythonic(notation: &str) -> Option<[&'static str; 5]> {
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
fn xml(notation: &str) -> Option<([&'static str; 8], &'static str)> {
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
fn pairs(notation: &str) -> Option<([&'static str; 9], bool)> {
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

/// Writes an answer. The JSON value with index `damaged` is damaged if it can be.
pub(super) fn write(answer: &Answer, damaged: Option<(usize, u64)>) -> Written {
    let mut pen = Pen {
        answer,
        written: Written {
            text: String::new(),
            marks: Vec::new(),
            calls: Vec::new(),
            inner: Vec::new(),
            values: 0,
            accept: Vec::new(),
            kinds: Vec::new(),
        },
        r: Random::new(answer.style),
        damaged,
    };
    pen.answer();
    pen.written
}

struct Pen<'a> {
    answer: &'a Answer,
    written: Written,
    r: Random,
    damaged: Option<(usize, u64)>,
}

impl Pen<'_> {
    fn put(&mut self, text: &str) {
        self.written.text.push_str(text);
    }

    /// Writes one line feed or two.
    fn feed(&mut self) {
        let feed = if self.r.chance(50) { "\n" } else { "\n\n" };
        self.put(feed);
    }

    fn mark(&mut self, text: &str, closes: bool) {
        let start = self.written.text.len();
        self.put(text);
        if !text.trim().is_empty() {
            self.written.marks.push(Mark { span: start..start + text.len(), closes });
        }
    }

    fn open(&mut self, text: &str) {
        self.mark(text, false);
    }

    fn close(&mut self, text: &str) {
        self.mark(text, true);
    }

    /// Writes the name of a call, which ends with [`Self::done`].
    fn name(&mut self, name: &str) {
        self.put(name);
        self.begin();
    }

    fn begin(&mut self) {
        let at = self.written.text.len();
        self.written.calls.push(at..usize::MAX);
    }

    /// Ends the calls that have begun.
    fn done(&mut self) {
        let at = self.written.text.len();
        for call in &mut self.written.calls {
            call.end = call.end.min(at);
        }
    }

    fn json(&mut self, value: &Data) {
        let index = self.written.values;
        self.written.values += 1;
        let (layout, spelling) = (Layout::any(&mut self.r), Spelling::any(&mut self.r));
        if let Some((wanted, seed)) = self.damaged
            && wanted == index
            && let Some(case) = self.damage(value, &mut Random::new(seed))
        {
            self.written.accept.extend(case.expected.into_iter().chain(case.accept));
            self.written.kinds.extend(case.kinds);
            self.put(&case.input);
            return;
        }
        let text = render(&tokens(value, &layout, spelling));
        self.code(&text);
    }

    /// Writes JSON or code, and notes what is inside its strings.
    fn code(&mut self, text: &str) {
        let start = self.written.text.len();
        self.put(text);
        let mut open: Option<(usize, u8)> = None;
        let mut escaped = false;
        for (at, byte) in text.bytes().enumerate() {
            match open {
                Some(_) if escaped => escaped = false,
                Some(_) if byte == b'\\' => escaped = true,
                Some((from, quote)) if byte == quote => {
                    self.written.inner.push(start + from + 1..start + at);
                    open = None;
                }
                None if matches!(byte, b'"' | b'\'') => open = Some((at, byte)),
                _ => {}
            }
        }
    }

    /// Damages a value in a way that keeps its meaning, but for the text of arguments.
    fn damage(&self, value: &Data, r: &mut Random) -> Option<Case> {
        let names: Vec<&str> = self.answer.calls.iter().map(|call| call.name.as_str()).collect();
        let encoded = self.answer.notation == "openai";
        (0..40).find_map(|_| {
            let case = damage::of(value, r)?;
            let means = |found: &Data| means(value, found, &names, encoded);
            case.expected.as_ref().is_some_and(means).then_some(case)
        })
    }

    /// Writes a JSON value with calls.
    fn json_of(&mut self, value: &Data, calls: &[Call]) {
        let start = self.written.text.len();
        self.json(value);
        let mut from = start;
        for call in calls {
            let text = &self.written.text;
            from =
                text[from..].find(&call.name).map_or(text.len(), |at| from + at + call.name.len());
            self.written.calls.push(from..text.len());
        }
    }

    fn answer(&mut self) {
        let answer = self.answer;
        if answer.notation == "harmony" {
            return self.harmony();
        }
        let last = answer.calls.len();
        let mut first = 0;
        self.prose_before(&answer.prose[0]);
        for at in 1..=last {
            if at == last || !answer.prose[at].is_empty() {
                self.group(&answer.calls[first..at]);
                first = at;
                if !answer.prose[at].is_empty() {
                    self.feed();
                    self.put(&answer.prose[at]);
                    if at < last {
                        self.feed();
                    }
                }
            }
        }
    }

    fn prose_before(&mut self, prose: &str) {
        if prose.is_empty() {
            return;
        }
        if self.answer.notation == "functionary" {
            self.put(">>>all\n");
        }
        self.put(prose);
        let marked = !room(self.answer.notation).short
            && !matches!(self.answer.notation, "functionary" | "react" | "tool-code" | "tool-tag");
        let alone = self.answer.prose[1..].iter().all(String::is_empty);
        let same_line = marked && alone && self.r.chance(10);
        if same_line {
            self.put(" ");
        } else {
            self.feed();
        }
    }

    /// Writes calls without prose between them.
    fn group(&mut self, calls: &[Call]) {
        let notation = self.answer.notation;
        if let Some((open, close, name, arguments, list)) = json(notation) {
            self.json_group(calls, [open, close, name, arguments], list);
        } else if let Some(marks) = named(notation) {
            self.named_group(calls, marks);
        } else if let Some(marks) = pythonic(notation) {
            self.pythonic_group(calls, marks);
        } else if let Some((marks, lines)) = xml(notation) {
            self.xml_group(calls, marks, lines);
        } else if let Some((marks, lines)) = pairs(notation) {
            self.pairs_group(calls, marks, lines);
        } else {
            match notation {
                "json" => self.bare_json(calls),
                "openai" | "mcp" | "anthropic" | "gemini" => self.envelope(calls),
                "inkling" => self.inkling(calls),
                "tool-tag" => self.tool_tags(calls),
                "minimax-m3" => self.elements(calls),
                "react" => self.lines(calls),
                "gemma" => self.special(calls, ["<|tool_call>", "<tool_call|>", "<|\"|>"]),
                "functiongemma" => {
                    self.special(
                        calls,
                        ["<start_function_call>", "<end_function_call>", "<escape>"],
                    );
                }
                other => panic!("no writer for {other}"),
            }
        }
    }

    fn envelope_of(&mut self, call: &Call, name: &str, arguments: &str) -> Data {
        let given = Data::Map(call.arguments.clone());
        if name.is_empty() {
            return Data::Map(vec![(call.name.clone(), given)]);
        }
        let mut members =
            vec![(name.to_owned(), Data::text(call.name.as_str())), (arguments.to_owned(), given)];
        match self.answer.notation {
            "command-r7b" => members.insert(0, ("tool_call_id".to_owned(), Data::text("0"))),
            "mistral" if self.r.chance(50) => {
                members.push(("id".to_owned(), Data::text("a1B2c3D4e")));
            }
            "llama-json" if self.r.chance(20) => {
                members.insert(0, ("type".to_owned(), Data::text("function")));
            }
            _ => {}
        }
        Data::Map(members)
    }

    fn json_group(
        &mut self,
        calls: &[Call],
        [open, close, name, arguments]: [&str; 4],
        list: bool,
    ) {
        let objects: Vec<Data> =
            calls.iter().map(|call| self.envelope_of(call, name, arguments)).collect();
        let python = self.answer.notation == "sarashina";
        if list {
            self.open(open);
            let value = Data::List(objects);
            if python {
                let text = values::python(&value, &mut self.r);
                for _ in calls {
                    self.begin();
                }
                self.code(&text);
                self.done();
            } else {
                self.json_of(&value, calls);
            }
            self.close(close);
            return;
        }
        let together = self.answer.notation == "llama-json";
        for (at, object) in objects.iter().enumerate() {
            if at == 0 || !together {
                self.put(if at > 0 { "\n" } else { "" });
                self.open(open);
            } else {
                self.put("; ");
            }
            self.json_of(object, &calls[at..=at]);
            if at + 1 == objects.len() || !together {
                self.close(close);
            }
        }
    }

    fn bare_json(&mut self, calls: &[Call]) {
        let objects: Vec<Data> =
            calls.iter().map(|call| self.envelope_of(call, "name", "arguments")).collect();
        let fence = self.r.chance(40);
        if fence {
            let word = self.r.pick(&["```json\n", "```\n", "```tool_call\n"]);
            self.open(word);
        }
        match <[Data; 1]>::try_from(objects) {
            Ok([one]) => self.json_of(&one, calls),
            Err(all) => self.json_of(&Data::List(all), calls),
        }
        if fence {
            self.close("\n```");
        }
    }

    fn envelope(&mut self, calls: &[Call]) {
        let map = |members: Vec<(&str, Data)>| {
            Data::Map(members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
        };
        let name = |call: &Call| Data::text(call.name.as_str());
        let given = |call: &Call| Data::Map(call.arguments.clone());
        let one = |call: &Call| match self.answer.notation {
            "openai" => map(vec![
                ("id", Data::text("call_1")),
                ("type", Data::text("function")),
                (
                    "function",
                    map(vec![("name", name(call)), ("arguments", Data::Text(given(call).write()))]),
                ),
            ]),
            "mcp" => map(vec![
                ("jsonrpc", Data::text("2.0")),
                ("id", Data::number(1)),
                ("method", Data::text("tools/call")),
                ("params", map(vec![("name", name(call)), ("arguments", given(call))])),
            ]),
            "anthropic" => map(vec![
                ("type", Data::text("tool_use")),
                ("id", Data::text("toolu_1")),
                ("name", name(call)),
                ("input", given(call)),
            ]),
            _ => {
                map(vec![("functionCall", map(vec![("name", name(call)), ("args", given(call))]))])
            }
        };
        let mut all: Vec<Data> = calls.iter().map(one).collect();
        let value = match self.answer.notation {
            "openai" => map(vec![("tool_calls", Data::List(all))]),
            _ if all.len() == 1 => all.remove(0),
            _ => Data::List(all),
        };
        self.json_of(&value, calls);
    }

    fn named_group(&mut self, calls: &[Call], marks: [&str; 6]) {
        let [open, close, before, middle, after, between] = marks;
        let old = self.answer.notation == "deepseek" && self.r.chance(40);
        self.open(open);
        for (at, call) in calls.iter().enumerate() {
            if at > 0 {
                self.put(if old { "\n" } else { between });
            }
            self.open(before);
            if old {
                self.open("function<｜tool▁sep｜>");
            }
            self.name(&call.name);
            self.open(if old { "\n```json\n" } else { middle });
            self.json(&Data::Map(call.arguments.clone()));
            self.close(if old { "\n```" } else { "" });
            self.done();
            self.close(after);
        }
        self.close(close);
    }

    fn inkling(&mut self, calls: &[Call]) {
        for call in calls {
            self.open("<|message_model|>");
            self.name(&call.name);
            self.open("<|content_invoke_tool_json|>");
            let value = self.envelope_of(call, "name", "args");
            self.json(&value);
            self.done();
            self.close("<|end_message|>");
        }
    }

    fn pythonic_group(&mut self, calls: &[Call], [open, close, left, right, between]: [&str; 5]) {
        let notation = self.answer.notation;
        self.open(open);
        self.open(left);
        for (at, call) in calls.iter().enumerate() {
            if at > 0 {
                self.put(between);
            }
            if notation == "compiler" {
                self.put(&format!("{}. ", at + 1));
            }
            let print = notation == "tool-code" && self.r.chance(50);
            if print {
                self.open("print(default_api.");
            }
            self.name(&call.name);
            self.put("(");
            let tool = self.answer.tools.iter().find(|tool| tool.name == call.name);
            let positional = notation == "compiler"
                && self.r.chance(50)
                && tool.is_some_and(|tool| {
                    tool.parameters
                        .iter()
                        .zip(&call.arguments)
                        .all(|(one, (name, _))| one.name == *name)
                });
            if notation == "javascript" {
                if !call.arguments.is_empty() {
                    let text = values::javascript(&Data::Map(call.arguments.clone()));
                    self.code(&text);
                }
            } else {
                for (at, (key, value)) in call.arguments.iter().enumerate() {
                    self.put(if at > 0 { ", " } else { "" });
                    if !positional {
                        self.put(&format!("{key}="));
                    }
                    let text = values::python(value, &mut self.r);
                    self.code(&text);
                }
            }
            self.close(")");
            self.done();
            if print {
                self.close(")");
            }
        }
        if notation == "compiler" {
            self.close(&format!("\n{}. join()", calls.len() + 1));
        }
        self.close(right);
        self.close(close);
    }

    fn raw(&mut self, value: &Data) {
        match value {
            Data::Text(text) => self.inner(text),
            Data::List(_) | Data::Map(_) => self.json(value),
            other => self.put(&other.write()),
        }
    }

    fn inner(&mut self, text: &str) {
        let start = self.written.text.len();
        self.put(text);
        self.written.inner.push(start..start + text.len());
    }

    /// Writes a value between tags. Line feeds at both its ends need two more.
    fn framed(&mut self, value: &Data, framed: bool) {
        let is_framed = |text: &str| text.starts_with('\n') || text.ends_with('\n');
        let framed = framed || matches!(value, Data::Text(text) if is_framed(text));
        self.put(if framed { "\n" } else { "" });
        self.raw(value);
        self.put(if framed { "\n" } else { "" });
    }

    fn xml_group(&mut self, calls: &[Call], marks: [&str; 8], lines: &str) {
        let [open, close, before, after, end, key_open, key_close, value_close] = marks;
        let notation = self.answer.notation;
        let feed = if lines.is_empty() { "" } else { "\n" };
        let each = matches!(notation, "qwen-coder" | "seed-oss");
        let framed = lines == "framed" && self.r.chance(85);
        for (at, call) in calls.iter().enumerate() {
            if notation == "muse" {
                self.open(&format!("<|start|>assistant to={}<|message|>", call.name));
            }
            if at == 0 || each {
                self.put(if at > 0 { "\n" } else { "" });
                self.open(open);
            } else {
                self.put(feed);
            }
            self.open(before);
            self.name(&call.name);
            self.open(after);
            self.put(feed);
            for (key, value) in &call.arguments {
                self.open(key_open);
                self.put(key);
                let string = matches!(value, Data::Text(_)).to_string();
                let kind = type_word(value);
                self.open(&key_close.replace("STRING", &string).replace("TYPE", kind));
                match value {
                    Data::Text(text)
                        if notation == "minicpm"
                            && (text.contains('<') || self.r.chance(20))
                            && !text.contains("]]>") =>
                    {
                        self.put("<![CDATA[");
                        self.inner(text);
                        self.put("]]>");
                    }
                    value => self.framed(value, framed),
                }
                self.close(value_close);
                self.put(feed);
            }
            self.done();
            self.close(end);
            if at + 1 == calls.len() || each {
                self.close(close);
            }
            if notation == "muse" {
                self.close("<|eom|>");
            }
        }
    }

    fn pairs_group(&mut self, calls: &[Call], marks: [&str; 9], lines: bool) {
        let [open, close, before, after, end, key_open, key_close, value_open, value_close] = marks;
        let feed = if lines && self.r.chance(70) { "\n" } else { "" };
        self.open(open);
        for (at, call) in calls.iter().enumerate() {
            self.put(if at > 0 { "\n" } else { "" });
            self.open(before);
            self.name(&call.name);
            self.open(after);
            self.put(feed);
            for (key, value) in &call.arguments {
                self.open(key_open);
                self.put(key);
                self.close(&key_close.replace("TYPE", type_word(value)));
                self.put(feed);
                self.open(value_open);
                self.framed(value, false);
                self.close(value_close);
                self.put(feed);
            }
            self.done();
            self.close(end);
        }
        self.close(close);
    }

    fn tool_tags(&mut self, calls: &[Call]) {
        let feed = if self.r.chance(50) { "\n" } else { "" };
        for (at, call) in calls.iter().enumerate() {
            self.put(if at > 0 { "\n" } else { "" });
            self.open(&format!("<{}>", call.name));
            self.begin();
            self.put(feed);
            for (key, value) in &call.arguments {
                self.open(&format!("<{key}>"));
                self.framed(value, false);
                self.close(&format!("</{key}>"));
                self.put(feed);
            }
            self.done();
            self.close(&format!("</{}>", call.name));
        }
    }

    fn elements(&mut self, calls: &[Call]) {
        const P: &str = "]<]minimax[>[";
        self.open(&format!("{P}<tool_call>"));
        for call in calls {
            self.open(&format!("{P}<invoke name=\""));
            self.name(&call.name);
            self.open("\">");
            for (key, value) in &call.arguments {
                self.element(key, value);
            }
            self.done();
            self.close(&format!("{P}</invoke>"));
        }
        self.close(&format!("{P}</tool_call>"));
    }

    fn element(&mut self, key: &str, value: &Data) {
        const P: &str = "]<]minimax[>[";
        self.open(&format!("{P}<{key}>"));
        match value {
            // An empty element is an empty string, so what is empty is written as JSON.
            Data::List(items) if !items.is_empty() => {
                for item in items {
                    self.element("item", item);
                }
            }
            Data::Map(members) if !members.is_empty() => {
                for (key, value) in members {
                    self.element(key, value);
                }
            }
            Data::List(_) | Data::Map(_) => self.put(&value.write()),
            value => self.framed(value, false),
        }
        self.close(&format!("{P}</{key}>"));
    }

    fn lines(&mut self, calls: &[Call]) {
        for (at, call) in calls.iter().enumerate() {
            self.put(if at > 0 { "\n" } else { "" });
            self.open("Action: ");
            self.name(&call.name);
            self.open("\nAction Input: ");
            self.json(&Data::Map(call.arguments.clone()));
            self.done();
        }
    }

    fn special(&mut self, calls: &[Call], [open, close, quote]: [&str; 3]) {
        for call in calls {
            self.open(open);
            self.put("call:");
            self.name(&call.name);
            let text = values::special(&Data::Map(call.arguments.clone()), quote);
            let start = self.written.text.len();
            self.put(&text);
            let quotes: Vec<usize> = text.match_indices(quote).map(|(at, _)| start + at).collect();
            let strings = quotes.chunks_exact(2).map(|pair| pair[0]..pair[1] + quote.len());
            self.written.inner.extend(strings);
            self.done();
            self.close(close);
        }
    }

    fn harmony(&mut self) {
        let answer = self.answer;
        for at in 0..answer.prose.len() {
            if !answer.prose[at].is_empty() {
                let last = at + 1 == answer.prose.len();
                self.put(if at > 0 { "<|start|>assistant" } else { "" });
                self.put(if last {
                    "<|channel|>final<|message|>"
                } else {
                    "<|channel|>commentary<|message|>"
                });
                self.put(&answer.prose[at]);
                self.put(if last { "<|return|>" } else { "<|end|>" });
            }
            if let Some(call) = answer.calls.get(at) {
                let began = !self.written.text.is_empty();
                self.put(if began { "<|start|>assistant" } else { "" });
                self.open("<|channel|>commentary to=functions.");
                self.name(&call.name);
                self.open(" <|constrain|>json<|message|>");
                self.json(&Data::Map(call.arguments.clone()));
                self.done();
                self.close("<|call|>");
            }
        }
    }
}

/// Whether a damaged value means the same: only texts differ, and none that is not an argument's.
fn means(value: &Data, found: &Data, names: &[&str], encoded: bool) -> bool {
    match (value, found) {
        (Data::Text(text), Data::Text(other)) => {
            text == other
                || !(names.contains(&text.as_str()) || FIXED.contains(&text.as_str()) || encoded)
        }
        (Data::List(items), Data::List(others)) => {
            items.len() == others.len()
                && items.iter().zip(others).all(|(item, other)| means(item, other, names, encoded))
        }
        (Data::Map(members), Data::Map(others)) => {
            members.len() == others.len()
                && members.iter().all(|(key, value)| {
                    others
                        .iter()
                        .any(|(other, found)| key == other && means(value, found, names, encoded))
                })
        }
        _ => value.same(found),
    }
}

/// Texts of envelopes.
const FIXED: &[&str] =
    &["function", "tool_use", "tools/call", "2.0", "call_1", "toolu_1", "0", "a1B2c3D4e"];

/// The word for the type of a value.
fn type_word(value: &Data) -> &'static str {
    match value {
        Data::Null => "null",
        Data::Bool(_) => "boolean",
        Data::Number(text) if text.contains(['.', 'e']) => "number",
        Data::Number(_) => "integer",
        Data::Text(_) => "string",
        Data::List(_) => "array",
        Data::Map(_) => "object",
    }
}
