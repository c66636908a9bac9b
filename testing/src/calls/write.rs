//! Answers in each notation.

mod enveloped;
mod forms;
mod room;
mod spelled;

use std::ops::Range;

use self::forms::{json, named, pairs, pythonic, xml};
pub use self::room::room;
use super::{Answer, Call};
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
