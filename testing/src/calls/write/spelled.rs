//! Calls whose arguments are written one by one.

use super::super::{Call, values};
use super::Pen;
use crate::data::Data;

impl Pen<'_> {
    pub(super) fn pythonic_group(
        &mut self,
        calls: &[Call],
        [open, close, left, right, between]: [&str; 5],
    ) {
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

    pub(super) fn raw(&mut self, value: &Data) {
        match value {
            Data::Text(text) => self.inner(text),
            Data::List(_) | Data::Map(_) => self.json(value),
            other => self.put(&other.write()),
        }
    }

    pub(super) fn inner(&mut self, text: &str) {
        let start = self.written.text.len();
        self.put(text);
        self.written.inner.push(start..start + text.len());
    }

    /// Writes a value between tags. Line feeds at both its ends need two more.
    pub(super) fn framed(&mut self, value: &Data, framed: bool) {
        let is_framed = |text: &str| text.starts_with('\n') || text.ends_with('\n');
        let framed = framed || matches!(value, Data::Text(text) if is_framed(text));
        self.put(if framed { "\n" } else { "" });
        self.raw(value);
        self.put(if framed { "\n" } else { "" });
    }

    pub(super) fn xml_group(&mut self, calls: &[Call], marks: [&str; 8], lines: &str) {
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

    pub(super) fn pairs_group(&mut self, calls: &[Call], marks: [&str; 9], lines: bool) {
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

    pub(super) fn tool_tags(&mut self, calls: &[Call]) {
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

    pub(super) fn elements(&mut self, calls: &[Call]) {
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

    pub(super) fn element(&mut self, key: &str, value: &Data) {
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

    pub(super) fn lines(&mut self, calls: &[Call]) {
        for (at, call) in calls.iter().enumerate() {
            self.put(if at > 0 { "\n" } else { "" });
            self.open("Action: ");
            self.name(&call.name);
            self.open("\nAction Input: ");
            self.json(&Data::Map(call.arguments.clone()));
            self.done();
        }
    }

    pub(super) fn special(&mut self, calls: &[Call], [open, close, quote]: [&str; 3]) {
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

    pub(super) fn harmony(&mut self) {
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
