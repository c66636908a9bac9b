//! Several values in a text, of which one or all are the answer.

use super::{Kind, Made, nested, sibling, small, write};
use crate::data::{Data, quoted};
use crate::random::Random;
use crate::words::{self, noun};

pub(super) const KINDS: &[Kind] = &[
    Kind { name: "object-then-list", make: object_then_list },
    Kind { name: "two-in-a-call", make: two_in_a_call },
    Kind { name: "equal-calls", make: equal_calls },
    Kind { name: "code-then-output", make: code_then_output },
    Kind { name: "draft-then-final", make: draft_then_final },
    Kind { name: "format-then-answer", make: format_then_answer },
    Kind { name: "reasoning-wrapper", make: reasoning_wrapper },
    Kind { name: "self-correction", make: self_correction },
    Kind { name: "strict-then-broken", make: strict_then_broken },
    Kind { name: "schema-then-answer", make: schema_then_answer },
    Kind { name: "mentioned-and-displayed", make: mentioned_and_displayed },
];

/// `{"key":"value"}[1,2,3]`
fn object_then_list(r: &mut Random) -> Made {
    let object = small(r);
    let list = match r.below(3) {
        0 => Data::List((0..r.between(2, 4)).map(|_| Data::number(r.below(99))).collect()),
        1 => Data::List((0..r.between(2, 4)).map(|_| Data::text(noun(r))).collect()),
        _ => Data::List(vec![small(r), small(r)]),
    };
    let mut both = vec![object, list];
    if r.chance(40) {
        both.reverse();
    }
    let gap = r.pick(&["", " ", "\n", "\n\n", ", "]);
    let text = format!("{}{gap}{}", write(r, &both[0]), write(r, &both[1]));
    Made::unclear(text, vec![Data::List(both)])
}

fn call(r: &mut Random) -> Data {
    Data::Map(vec![
        ("name".to_owned(), Data::text(r.pick(words::TOOLS))),
        ("arguments".to_owned(), small(r)),
    ])
}

const CALL_TAGS: &[&str] = &["tool_call", "function_call", "tool_calls", "functioncall"];

fn two_in_a_call(r: &mut Random) -> Made {
    let calls: Vec<Data> = (0..r.between(2, 3)).map(|_| call(r)).collect();
    let (tag, gap, line) =
        (r.pick(CALL_TAGS), r.pick(&["", "\n", ", ", " ", ";\n"]), r.pick(&["", "\n"]));
    let inner: Vec<String> = calls.iter().map(|call| write(r, call)).collect();
    let text = format!("<{tag}>{line}{}{line}</{tag}>", inner.join(gap));
    Made::value(text, Data::List(calls))
}

fn equal_calls(r: &mut Random) -> Made {
    let one = call(r);
    let count = r.between(2, 3);
    let (tag, gap, line) = (r.pick(CALL_TAGS), r.pick(&["", "\n", "\n\n"]), r.pick(&["", "\n"]));
    let text: Vec<String> =
        (0..count).map(|_| format!("<{tag}>{line}{}{line}</{tag}>", write(r, &one))).collect();
    Made::unclear(text.join(gap), vec![Data::List(vec![one; count])])
}

/// Code that holds a literal, and then what it prints.
fn code_then_output(r: &mut Random) -> Made {
    let (literal, answer) = (small(r), nested(r));
    let name = noun(r);
    let inner = write(r, &literal);
    let code = match r.below(4) {
        0 => format!("```python\n{name} = {inner}\nprint(run({name}))\n```"),
        1 => format!("```python\nimport json\n\ndata = {inner}\nprint(json.dumps(f(data)))\n```"),
        2 => format!("```js\nconst {name} = {inner};\nconsole.log({name});\n```"),
        _ => format!("```javascript\nlet {name} = {inner};\nrun({name});\n```"),
    };
    let out = write(r, &answer);
    let label = r.pick(&["Output:", "**Output:**", "Result:", "The output is:", "It prints:"]);
    let out = if r.chance(50) { format!("```\n{out}\n```") } else { out };
    Made::value(format!("{}\n\n{code}\n\n{label}\n{out}", words::sentence(r)), answer)
}

/// A block that is introduced as a draft or example, and the final value, in a block or not.
fn draft_then_final(r: &mut Random) -> Made {
    let answer = nested(r);
    let draft = small(r);
    let fence = |r: &mut Random, value: &Data| format!("```json\n{}\n```", write(r, value));
    let first = r.pick(&["First draft:", "Draft:", "Initial attempt:", "My first attempt:"]);
    let last =
        r.pick(&["Final:", "**Final answer:**", "Final answer:", "## Final", "Final result:"]);
    let draft = if r.chance(60) { fence(r, &draft) } else { write(r, &draft) };
    let out = if r.chance(50) { fence(r, &answer) } else { write(r, &answer) };
    Made::value(format!("{first}\n{draft}\n\n{last}\n{out}"), answer)
}

/// The asked-for form in a block, and then the answer.
fn format_then_answer(r: &mut Random) -> Made {
    let answer = small(r);
    let Data::Map(members) = &answer else { return Made::value(String::new(), answer) };
    let form: Vec<(String, Data)> = members
        .iter()
        .map(|(key, value)| {
            let hole = match value {
                Data::Number(_) => "<number>",
                Data::Bool(_) => "<true or false>",
                _ => "<string>",
            };
            (key.clone(), Data::text(hole))
        })
        .collect();
    let form = write(r, &Data::Map(form));
    let label = r.pick(&["The format:", "Expected format:", "The template is:", "Format:"]);
    let last = r.pick(&["Answer:", "The answer:", "My answer:", "Filled in:", "Output:"]);
    let out = write(r, &answer);
    let form = if r.chance(60) { format!("```json\n{form}\n```") } else { form };
    let out = if r.chance(50) { format!("```json\n{out}\n```") } else { out };
    Made::value(format!("{label}\n{form}\n\n{last}\n{out}"), answer)
}

const REASONING: &[(&str, &str)] = &[
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|begin_of_thought|>\n", "\n<|end_of_thought|>\n\n<|begin_of_solution|>\n"),
    ("analysis", "assistantfinal"),
    ("<reasoning_content>", "</reasoning_content>"),
    ("<scratchpad>", "</scratchpad>"),
    ("<reason>", "</reason>"),
    ("<thought_process>", "</thought_process>"),
    ("<|thinking|>", "<|/thinking|>"),
    ("<chain_of_thought>", "</chain_of_thought>"),
    ("<antThinking>", "</antThinking>"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<seed:think>", "</seed:think>"),
    ("<thinking_process>", "</thinking_process>"),
    ("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"),
    ("<reflection>", "</reflection>"),
    ("<planning>", "</planning>"),
];

fn reasoning_wrapper(r: &mut Random) -> Made {
    let answer = small(r);
    let draft = sibling(r, &answer);
    let (open, close) = r.one(REASONING);
    let draft = write(r, &draft);
    let thought = match r.below(4) {
        0 => format!("{} Maybe {draft}? {}", words::sentence(r), words::sentence(r)),
        1 => format!("{}\n```json\n{draft}\n```\nNo.", words::sentence(r)),
        2 => draft,
        _ => format!("We need JSON like {draft}.\nBut {}", words::sentence(r)),
    };
    let out = write(r, &answer);
    let out = if r.chance(40) { format!("```json\n{out}\n```") } else { out };
    let line = r.pick(&["", "\n", "\n\n"]);
    Made::value(format!("{open}{thought}{close}{line}{out}"), answer)
}

/// Two values of one form, between which the text corrects itself.
fn self_correction(r: &mut Random) -> Made {
    let answer = small(r);
    let first = sibling(r, &answer);
    let words = r.pick(&[
        "Wait, that's wrong.",
        "Actually, let me fix that:",
        "Sorry, I made a mistake. It should be:",
        "Correction:",
        "Oops, the last value is off. Corrected:",
        "Hmm, no. Let me redo this:",
        "On second thought:",
        "Let me correct that.",
        "I misread the question. Here is the right one:",
        "Scratch that.",
    ]);
    let fenced = r.chance(50);
    let mut one = |value: &Data| {
        let text = write(r, value);
        if fenced { format!("```json\n{text}\n```") } else { text }
    };
    Made::value(format!("{}\n\n{words}\n\n{}", one(&first), one(&answer)), answer)
}

/// The valid answer, and then a damaged copy of its form.
fn strict_then_broken(r: &mut Random) -> Made {
    let answer = small(r);
    let Data::Map(members) = &answer else { return Made::value(String::new(), answer) };
    let text = write(r, &answer);
    let pairs: Vec<String> =
        members.iter().map(|(key, value)| format!("{}: {}", quoted(key), value.write())).collect();
    let inner = pairs.join(", ");
    let broken = match r.below(6) {
        0 => format!("\\boxed{{\\{{{inner}\\}}}}"),
        1 => format!("$\\boxed{{{{{inner}}}}}$"),
        2 => format!("```latex\n\\boxed{{\\{{{inner}\\}}}}\n```"),
        3 => format!("So: {{{}, ...}}", pairs[0]),
        4 => format!("{{{inner}, \"note\": }}"),
        _ => {
            let pairs: Vec<String> =
                pairs.iter().map(|pair| pair.replace("true", "True").replace('"', "'")).collect();
            format!("In Python: {{{}}}", pairs.join(", "))
        }
    };
    let text = if r.chance(40) { format!("```json\n{text}\n```") } else { text };
    Made::value(format!("{text}\n\n{} {broken}", words::sentence(r)), answer)
}

/// A value in a sentence, and the answer on lines of its own.
fn mentioned_and_displayed(r: &mut Random) -> Made {
    let answer = super::nested(r);
    let other = small(r);
    let other = super::written(&other, &crate::damage::tokens::Layout::Spaced);
    let text = super::pretty(r, &answer);
    let (a, b) = (noun(r), noun(r));
    let sentence = match r.below(5) {
        0 => format!("I used {other} before, since the {a} was so."),
        1 => format!("For example, {other} would be wrong."),
        2 => format!("(I considered {other} as well, but not the {a}.)"),
        3 => format!("Something like {other} does not fit the {a} of the {b}."),
        _ => format!("The {a} could be {other} but is not."),
    };
    let input = if r.chance(50) {
        format!("{sentence}\n\n{text}")
    } else {
        format!("{text}\n\n{sentence}")
    };
    Made::value(input, answer)
}

/// The schema, and then the answer.
fn schema_then_answer(r: &mut Random) -> Made {
    let answer = small(r);
    let Data::Map(members) = &answer else { return Made::value(String::new(), answer) };
    let properties: Vec<(String, Data)> = members
        .iter()
        .map(|(key, value)| {
            let kind = match value {
                Data::Number(_) => "number",
                Data::Bool(_) => "boolean",
                _ => "string",
            };
            (key.clone(), Data::Map(vec![("type".to_owned(), Data::text(kind))]))
        })
        .collect();
    let required = members.iter().map(|(key, _)| Data::text(key.as_str())).collect();
    let mut schema = vec![
        ("type".to_owned(), Data::text("object")),
        ("properties".to_owned(), Data::Map(properties)),
    ];
    if r.chance(60) {
        schema.push(("required".to_owned(), Data::List(required)));
    }
    if r.chance(30) {
        let url = "https://json-schema.org/draft/2020-12/schema";
        schema.insert(0, ("$schema".to_owned(), Data::text(url)));
    }
    let (schema, out) = (write(r, &Data::Map(schema)), write(r, &answer));
    let label = r.pick(&["The schema:", "Given this schema:", "Schema:", "", "I was asked for:"]);
    let last = r.pick(&["The answer:", "Here is the output:", "", "JSON:"]);
    let fence = r.below(3);
    let schema = if fence > 0 { format!("```json\n{schema}\n```") } else { schema };
    let out = if fence > 1 { format!("```json\n{out}\n```") } else { out };
    Made::value(format!("{label}\n{schema}\n\n{last}\n{out}"), answer)
}
