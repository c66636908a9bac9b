//! Texts made in one piece, which are more or less than one damaged document.

use super::document::{members, small};
use super::tokens::{Layout, Spelling, render, tokens};
use crate::case::Verdict;
use crate::data::Data;
use crate::random::Random;
use crate::words::{self, capital, noun, plain, sentence};

/// A whole text and what it should become.
pub(crate) struct Whole {
    pub(crate) input: String,
    pub(crate) expected: Option<Data>,
    pub(crate) accept: Vec<Data>,
    pub(crate) verdict: Verdict,
    pub(crate) cut: Option<bool>,
}

/// A kind of text that is made in one piece.
pub(crate) struct Form {
    pub(crate) name: &'static str,
    pub(crate) shape: &'static str,
    pub(crate) make: fn(&mut Random) -> Whole,
}

const fn form(name: &'static str, shape: &'static str, make: fn(&mut Random) -> Whole) -> Form {
    Form { name, shape, make }
}

pub(crate) const FORMS: &[Form] = &[
    form("lines-of-json", "multi", |r| several(r, "", "\n", "")),
    form("documents-side-by-side", "multi", |r| several(r, "", "", "")),
    form("documents-with-commas", "multi", |r| several(r, "", ", ", "")),
    form("documents-with-prose", "multi", |r| {
        several(r, "First:\n", "\n\nand then:\n\n", "\n\nThat is all.")
    }),
    form("documents-with-rules", "multi", |r| several(r, "", "\n---\n", "")),
    form("several-fences", "multi", |r| several(r, "```json\n", "\n```\nand\n```json\n", "\n```")),
    form("several-tool-calls", "tagged", |r| {
        several(r, "<tool_call>\n", "\n</tool_call>\n<tool_call>\n", "\n</tool_call>")
    }),
    form("repeated-document", "multi", repeated),
    form("correction", "multi", correction),
    form("escaped-document", "over_escaped", |r| escaped(r, 1)),
    form("twice-escaped-document", "over_escaped", |r| escaped(r, 2)),
    form("stringified-document", "over_escaped", stringified),
    form("html-entities", "over_escaped", html_entities),
    form("csv-doubled", "over_escaped", csv_doubled),
    form("escaped-with-newlines", "over_escaped", escaped_with_newlines),
    form("pairs-by-line", "yamlish", pairs_by_line),
    form("block-scalar", "yamlish", block_scalar),
    form("fence-in-brackets", "fence", fence_in_brackets),
    form("root-list-of-numbers", "multi", root_list),
    form("prose-only", "no_json", |r| nothing(prose_only(r))),
    form("blank", "no_json", |r| nothing(r.pick(&["", " ", "\n\n", " \t\n "]).to_string())),
    form("code-only", "no_json", |r| nothing(code_only(r))),
    form("empty-fence", "no_json", |r| {
        nothing(r.pick(&["```json\n```", "```\n\n```", "```json\n\n```\n"]).to_string())
    }),
    form("table-only", "no_json", table_only),
    form("reasoning-only", "no_json", |r| nothing(reasoning_only(r))),
];

fn value(input: String, expected: Data) -> Whole {
    Whole {
        input,
        expected: Some(expected),
        accept: Vec::new(),
        verdict: Verdict::Value,
        cut: Some(false),
    }
}

fn nothing(input: String) -> Whole {
    Whole { input, expected: None, accept: Vec::new(), verdict: Verdict::Error, cut: None }
}

fn spell(value: &Data, r: &mut Random) -> String {
    let layout = Layout::any(r);
    render(&tokens(value, &layout, Spelling { ascii: false, slashes: false }))
}

fn compact(value: &Data) -> String {
    render(&tokens(value, &Layout::Spaced, Spelling { ascii: false, slashes: false }))
}

/// Members whose texts have no marks, so that a change of the marks changes no text.
fn simple(r: &mut Random) -> Data {
    let mut found: Vec<(String, Data)> = Vec::new();
    for _ in 0..r.between(1, 4) {
        let value = match r.below(6) {
            0 => Data::number(r.below(500)),
            1 => Data::Bool(r.chance(50)),
            2 => Data::List(vec![Data::text(noun(r)), Data::text(noun(r))]),
            3 => Data::Map(vec![(noun(r).to_owned(), Data::number(r.below(9)))]),
            _ => {
                let count = r.between(1, 4);
                Data::Text(plain(r, count))
            }
        };
        let key = format!("{}{}", r.pick(words::KEYS), found.len());
        found.push((key, value));
    }
    Data::Map(found)
}

/// All of them, in a list: none is said to be the right one.
fn several(r: &mut Random, left: &str, between: &str, right: &str) -> Whole {
    let size = r.between(2, 3);
    let documents: Vec<Data> = (0..size)
        .map(|i| {
            let Data::Map(mut found) = small(r) else {
                unreachable!("small documents are objects")
            };
            found.push(("n".to_owned(), Data::number(i + 1)));
            Data::Map(found)
        })
        .collect();
    let texts: Vec<String> = documents.iter().map(compact).collect();
    value(format!("{left}{}{right}", texts.join(between)), Data::List(documents))
}

fn repeated(r: &mut Random) -> Whole {
    let document = small(r);
    let text = spell(&document, r);
    let glue = r.pick(&["", "\n", "\n\n"]);
    let accept = vec![Data::List(vec![document.clone(), document.clone()])];
    Whole { accept, verdict: Verdict::Ambiguous, ..value(format!("{text}{glue}{text}"), document) }
}

fn correction(r: &mut Random) -> Whole {
    let (key, n) = (*r.one(words::COUNT_KEYS), r.below(90));
    let wrong = Data::Map(vec![(key.to_owned(), Data::number(n))]);
    let right = Data::Map(vec![(key.to_owned(), Data::number(n + r.between(1, 9)))]);
    let why = r.pick(&[
        "Wait, I forgot the tax. Corrected:",
        "Sorry, that was wrong. Corrected:",
        "Correction:",
        "Final Answer:",
        "Hmm, one more look. Corrected version:",
    ]);
    let input = format!("{}\n\n{why}\n\n{}", compact(&wrong), compact(&right));
    let accept = vec![Data::List(vec![wrong, right.clone()])];
    Whole { accept, verdict: Verdict::Ambiguous, ..value(input, right) }
}

fn escape(text: &str, layers: usize) -> String {
    (0..layers).fold(text.to_owned(), |text, _| text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// `{\"a\": …}`
fn escaped(r: &mut Random, layers: usize) -> Whole {
    let document = simple(r);
    value(escape(&compact(&document), layers), document)
}

/// The same with line breaks as `\n` between the tokens.
fn escaped_with_newlines(r: &mut Random) -> Whole {
    let document = simple(r);
    let layout = Layout::Pretty { indent: "  ", inline_lists: false };
    let text = render(&tokens(&document, &layout, Spelling { ascii: false, slashes: false }));
    value(escape(&text, 1).replace('\n', "\\n"), document)
}

/// One valid JSON string is that string.
fn stringified(r: &mut Random) -> Whole {
    let document = members(r, 2);
    let text = compact(&document);
    value(crate::data::quoted(&text), Data::Text(text))
}

fn html_entities(r: &mut Random) -> Whole {
    let document = simple(r);
    value(compact(&document).replace('"', "&quot;"), document)
}

fn csv_doubled(r: &mut Random) -> Whole {
    let document = simple(r);
    value(format!("\"{}\"", compact(&document).replace('"', "\"\"")), document)
}

/// At least two lines, and every line a pair.
fn pairs_by_line(r: &mut Random) -> Whole {
    let mut found: Vec<(String, Data)> = Vec::new();
    let mut lines = Vec::new();
    for i in 0..r.between(2, 5) {
        let key = format!("{}_{i}", r.pick(words::KEYS));
        let value = match r.below(3) {
            0 => Data::number(r.below(900)),
            1 => Data::Bool(r.chance(50)),
            _ => {
                let count = r.between(1, 3);
                Data::Text(plain(r, count))
            }
        };
        let spelled = value.as_text().map_or_else(|| value.write(), str::to_owned);
        lines.push(format!("{key}: {spelled}"));
        found.push((key, value));
    }
    value(lines.join("\n"), Data::Map(found))
}

fn block_scalar(r: &mut Random) -> Whole {
    let (key, a, b) = (r.pick(words::KEYS), plain(r, 2), plain(r, 3));
    let n = r.below(90);
    let input = format!("{{\n  \"{key}\": |\n    {a}\n    {b}\n  \"n\": {n}\n}}");
    let make = |text: String| {
        Data::Map(vec![((*key).to_owned(), Data::Text(text)), ("n".to_owned(), Data::number(n))])
    };
    let accept = vec![make(format!("{a}\n{b}\n"))];
    Whole { accept, verdict: Verdict::Ambiguous, ..value(input, make(format!("{a}\n{b}"))) }
}

fn fence_in_brackets(r: &mut Random) -> Whole {
    let document = simple(r);
    value(format!("[```json\n{}\n```]", compact(&document)), document)
}

fn root_list(r: &mut Random) -> Whole {
    let items: Vec<Data> = (0..r.between(3, 6)).map(|_| Data::number(r.below(90))).collect();
    let texts: Vec<String> = items.iter().map(Data::write).collect();
    value(texts.join(","), Data::List(items))
}

fn prose_only(r: &mut Random) -> String {
    match r.below(7) {
        0 => "I'm sorry, but I can't help with that request.".to_owned(),
        1 => format!("The set {{1, 2}} is closed under {}; see [3].", noun(r)),
        2 => format!("{} {} See [1].", sentence(r), sentence(r)),
        3 => format!("null and {}", noun(r)),
        4 => format!("Say \"{}\" to {}.", noun(r), r.pick(words::NAMES)),
        5 => format!("Put your {{{}}} here, then {}.", noun(r), noun(r)),
        _ => format!("# {}\n\n- {}\n- {}\n", capital(noun(r)), sentence(r), sentence(r)),
    }
}

fn code_only(r: &mut Random) -> String {
    let (a, b) = (noun(r), noun(r));
    match r.below(3) {
        0 => format!("```python\ndef {a}({b}, n):\n    return {b} + n\n```"),
        1 => format!("```sh\nls -l {a}\n```"),
        _ => format!("```rust\nfn {a}({b}: u32) -> u32 {{\n    {b} + 1\n}}\n```"),
    }
}

fn table_only(r: &mut Random) -> Whole {
    let (a, b, n) = (noun(r), noun(r), r.below(90));
    let pair = Data::Map(vec![(a.to_owned(), Data::number(n))]);
    let row = Data::Map(vec![("key".to_owned(), Data::text(a)), (b.to_owned(), Data::number(n))]);
    let accept = vec![pair, Data::List(vec![row])];
    Whole { accept, ..nothing(format!("| key | {b} |\n|---|---|\n| {a} | {n} |")) }
}

fn reasoning_only(r: &mut Random) -> String {
    match r.below(2) {
        0 => format!("<think>Maybe {{\"{}\": {}}}? {}</think>", noun(r), r.below(9), sentence(r)),
        _ => format!("<think>\n{}\n{{\"{}\": \"{}\"}}\n</think>\n", sentence(r), noun(r), noun(r)),
    }
}
