//! A text that arrives in pieces gives what the whole text gives, however it is cut.

mod call_support;

use llmend_calls::{CallEvent, CallStream, Options, Tools, read};
use llmend_testing::random::Random;

/// What a text gives, as one text to compare.
fn whole(text: &str, tools: &Tools) -> String {
    let reading = read(text, tools, &Options::default());
    let calls: Vec<_> =
        reading.calls.iter().map(|call| format!("{}{}", call.name, call.arguments)).collect();
    let refused =
        reading.refused.iter().map(|refused| &refused.diagnostic.message).collect::<Vec<_>>();
    format!("{calls:?} {refused:?} {:?} {:?} {:?}", reading.text, reading.reasoning, reading.cut)
}

/// What the same text gives in pieces of `size` bytes or a little more.
fn streamed(text: &str, tools: &Tools, size: usize) -> String {
    let mut stream = CallStream::new(tools.clone(), Options::default());
    let mut events = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end =
            (size.min(rest.len())..=rest.len()).find(|end| rest.is_char_boundary(*end)).unwrap();
        events.extend(stream.push(&rest[..end]));
        rest = &rest[end..];
    }
    let (last, reading) = stream.finish();
    events.extend(last);
    let (mut prose, mut reasoning) = (String::new(), String::new());
    let mut calls: Vec<String> = Vec::new();
    let mut refused = Vec::new();
    let mut open: Option<String> = None;
    let mut abandoned = None;
    let mut taken_back = false;
    for event in events {
        match event {
            CallEvent::Text(text) => prose.push_str(&text),
            CallEvent::Reasoning(text) => reasoning.push_str(&text),
            CallEvent::AllReasoning => {
                reasoning.push_str(prose.trim_matches(['\n', '\r']));
                prose.clear();
                calls.clear();
                refused.clear();
            }
            CallEvent::Started { index, name, .. } => {
                assert_eq!(index, calls.len());
                assert!(open.is_none(), "two calls are open");
                taken_back |= abandoned.take() == Some(index);
                open = Some(name);
            }
            CallEvent::Arguments { delta, .. } => open.as_mut().unwrap().push_str(&delta),
            CallEvent::Done { call, .. } => {
                let text = open.take().unwrap();
                assert_eq!(text, format!("{}{}", call.name, call.arguments));
                calls.push(text);
            }
            CallEvent::Abandoned { index } => {
                open = None;
                abandoned = Some(index);
            }
            CallEvent::Refused(one) => {
                // The call that was delivered in part is the refused one.
                abandoned = None;
                refused.push(one.diagnostic.message);
            }
        }
    }
    assert!(open.is_none(), "a call is left open");
    assert_eq!(prose, reading.text);
    // What was delivered of a call is taken back only where the call is none.
    taken_back |= abandoned.is_some() && reading.cut.is_none();
    let taken_back = if taken_back { "a call was taken back: " } else { "" };
    format!("{taken_back}{calls:?} {refused:?} {prose:?} {reasoning:?} {:?}", reading.cut)
}

#[test]
fn pieces_of_any_size_give_what_the_whole_gives() {
    let mut report = String::new();
    for (fixture, tools) in call_support::fixtures() {
        let text = fixture["text"].as_str().unwrap();
        let expected = whole(text, &tools);
        for size in [1, 3, 7, 20] {
            let found = streamed(text, &tools, size);
            if found != expected {
                report.extend([format!("{} at {size}:\n  {expected}\n  {found}\n", fixture["id"])]);
                break;
            }
        }
    }
    assert!(report.is_empty(), "{report}");
}

#[test]
fn arguments_are_delivered_as_they_become_certain() {
    let tools = Tools::from_text(
        r#"{"write_file": {"properties": {"path": {"type": "string"},
            "content": {"type": "string"}, "mode": {"type": "integer"}},
            "required": ["path", "content"]}}"#,
    )
    .unwrap();
    let lines = "if a < b and \\\"c\\\" > [d] {e}: </div>; ".repeat(40);
    let plain = lines.replace("\\\"", "\"");
    for (beginning, content, end) in [
        (
            "<tool_call>\n{\"name\": \"write_file\", \"arguments\": {\"path\": \"a\", \"mode\": 7, \"content\": \"",
            &lines,
            "\"}}\n</tool_call>",
        ),
        (
            "[TOOL_CALLS]write_file[ARGS]{\"path\": \"a\", \"mode\": 7, \"content\": \"",
            &lines,
            "\"}",
        ),
        (
            "<|channel|>commentary to=functions.write_file <|constrain|>json<|message|>{\"path\": \"a\", \"mode\": 7, \"content\": \"",
            &lines,
            "\"}<|call|>",
        ),
        (
            "<tool_call>\n<function=write_file>\n<parameter=path>\na\n</parameter>\n<parameter=mode>\n7\n</parameter>\n<parameter=content>\n",
            &plain,
            "\n</parameter>\n</function>\n</tool_call>",
        ),
        (
            "<function_calls>\n<invoke name=\"write_file\">\n<parameter name=\"path\">a</parameter>\n<parameter name=\"mode\">7</parameter>\n<parameter name=\"content\">",
            &plain,
            "</parameter>\n</invoke>\n</function_calls>",
        ),
        (
            "<write_file>\n<path>a</path>\n<mode>7</mode>\n<content>\n",
            &plain,
            "\n</content>\n</write_file>",
        ),
        (
            "<tool_call>write_file\n<arg_key>path</arg_key>\n<arg_value>a</arg_value>\n<arg_key>mode</arg_key>\n<arg_value>7</arg_value>\n<arg_key>content</arg_key>\n<arg_value>",
            &plain,
            "</arg_value>\n</tool_call>",
        ),
    ] {
        let text = format!("{beginning}{content}{end}");
        let mut stream = CallStream::new(tools.clone(), Options::default());
        let (mut arguments, mut held, mut done) = (String::new(), 0, 0);
        for (at, character) in text.char_indices() {
            let piece = character.to_string();
            for event in stream.push(&piece) {
                match event {
                    CallEvent::Arguments { delta, .. } => arguments.push_str(&delta),
                    CallEvent::Abandoned { .. } => panic!("taken back: {beginning}"),
                    CallEvent::Done { .. } => done += 1,
                    _ => {}
                }
            }
            // What is held back may belong to the end.
            let behind = (at + 1).saturating_sub(beginning.len());
            if behind > 0 && behind < content.len() && arguments.len() < behind {
                held = held.max(behind - arguments.len());
            }
        }
        let (last, reading) = stream.finish();
        for event in last {
            match event {
                CallEvent::Arguments { delta, .. } => arguments.push_str(&delta),
                CallEvent::Done { .. } => done += 1,
                _ => {}
            }
        }
        assert_eq!(done, 1, "{beginning}");
        assert_eq!(arguments, reading.calls[0].arguments.to_string(), "{beginning}");
        assert!(held < 40, "{held} bytes are held back: {beginning}");
    }
}

#[test]
fn prose_is_delivered_at_once() {
    // Beginnings of marks, and lines that begin like a call.
    const PROSE: &str = "If a<b then <c, and a < d <= e. An [TOOL box, a ✿ flower >> and >>> more. Go to=func!\n\
        Action plan for the week: f (x) and (y). 1. item 2.5 kg\nThoughts on Final Answers, functools and tools.\n\
        <div class=\"note\">HTML</div> <b>bold</b> | table | `code` * list # head \u{1f600} end. \n\n";
    // The longest mark of a notation; a word at the start of a line may be the name of a tool.
    const LONGEST: usize = "<|plamo:begin_tool_arguments:plamo|>".len();
    let tools = Tools::from_text(r#"{"f": {"properties": {"a": {"type": "integer"}}}}"#).unwrap();
    let text = PROSE.repeat(5);
    let mut stream = CallStream::new(tools, Options::default());
    let (mut pushed, mut delivered, mut most) = (0, 0, 0);
    for character in text.chars() {
        let mut bytes = [0; 4];
        pushed += character.len_utf8();
        for event in stream.push(character.encode_utf8(&mut bytes)) {
            if let CallEvent::Text(text) = event {
                delivered += text.len();
            }
        }
        most = most.max(pushed - delivered);
    }
    let (_, reading) = stream.finish();
    assert_eq!(reading.text, text);
    assert!(most <= LONGEST, "{most} bytes are held back");
}

/// Parts of texts: calls in several notations, whole and cut off, the marks around them, and prose.
const PARTS: &[&str] = &[
    "Words.",
    "I run it:",
    "use <tool_call> and </tool_call> around it",
    "the mark [TOOL_CALLS] begins it, [/TOOL_CALLS] ends it",
    "{\"name\": \"run\", \"arguments\": {\"path\": \"a\"}}",
    "run(path=\"a\")",
    "[run(path=\"a\"), stop()]",
    "<run><path>a</path></run>",
    "<tool_call>{\"name\": \"run\", \"arguments\": {\"path\": \"b\"}}</tool_call>",
    "<tool_call>\n<function=run>\n<parameter=path>\nc\n</parameter>\n</function>\n</tool_call>",
    "[TOOL_CALLS]run[ARGS]{\"path\": \"d\"}",
    "[TOOL_CALLS] [{\"name\": \"run\", \"arguments\": {\"path\": \"e\"}}]",
    "<|tool_call_begin|>functions.run:0<|tool_call_argument_begin|>{\"path\": \"f\"}<|tool_call_end|>",
    "Action: run\nAction Input: {\"path\": \"g\"}",
    ">>>run\n{\"path\": \"h\"}",
    "```json\n{\"name\": \"run\", \"arguments\": {\"path\": \"i\"}}\n```",
    "```tool_call\nrun(path=\"j\")\n```",
    "```python\nprint(1)\n```",
    "```",
    "`<tool_call>`",
    "<tool_call>",
    "</tool_call>",
    "<tool_call>\n{\"name\": \"run\", \"argu",
    "<tool_call>\n{\"name\": \"erase\", \"arguments\": {}}\n</tool_call>",
    "<tool_call>\nrun the file\n</tool_call>",
    "[TOOL_CALLS]",
    "<think>\nI should run it.\n</think>",
    "<think>I should call <tool_call>{\"name\": \"run\", \"arguments\": {\"path\": \"k\"}}</tool_call></think>",
    "</think>",
    "<tool_",
    "{",
];

/// What stands between two parts.
const GAPS: &[&str] = &["", " ", "\n", "\n\n"];

/// How many texts of three parts are tried.
const TEXTS: usize = 8000;

fn tools() -> Tools {
    let text = r#"[{"name": "run", "parameters": {"properties": {"path": {"type": "string"}},
        "required": ["path"]}}, {"name": "stop"}]"#;
    Tools::from_text(text).unwrap()
}

/// Compares a text in pieces with the whole, and adds what differs.
fn compare(text: &str, tools: &Tools, report: &mut Vec<String>) {
    let expected = whole(text, tools);
    for size in [1, 3, 20] {
        let found = streamed(text, tools, size);
        if found != expected {
            report.push(format!("{text:?} at {size}:\n  {expected}\n  {found}"));
            return;
        }
    }
}

#[test]
fn texts_of_two_parts_are_read_alike_in_pieces() {
    let tools = tools();
    let mut report = Vec::new();
    for (one, gap, two) in PARTS.iter().flat_map(|one| {
        GAPS.iter().flat_map(move |gap| PARTS.iter().map(move |two| (one, gap, two)))
    }) {
        compare(&format!("{one}{gap}{two}"), &tools, &mut report);
    }
    assert!(report.is_empty(), "{}\n{}", report.len(), report.join("\n"));
}

#[test]
fn texts_of_three_parts_are_read_alike_in_pieces() {
    let tools = tools();
    let mut report = Vec::new();
    let mut random = Random::new(20);
    for _ in 0..TEXTS {
        let mut text = random.pick(PARTS).to_owned();
        for _ in 0..2 {
            text += random.pick(GAPS);
            text += random.pick(PARTS);
        }
        compare(&text, &tools, &mut report);
    }
    assert!(report.is_empty(), "{}\n{}", report.len(), report.join("\n"));
}
