//! Writing of documents with a defect.

use crate::defect::Defect;
use crate::node::{Layout, Node};
use crate::random::Random;

/// Depth of a record's members: document, `items`, record.
const RECORD_DEPTH: usize = 3;

/// Writes values as text, with the current defect.
pub(crate) struct Writer {
    out: String,
    layout: Layout,
    /// Defect of the current record; none in valid text.
    habit: Option<Defect>,
    depth: usize,
    random: Random,
}

impl Writer {
    fn new(layout: Layout) -> Self {
        Self { out: String::new(), layout, habit: None, depth: 0, random: Random::new(7) }
    }

    /// Returns the valid text of a document.
    pub(crate) fn valid(head: &[(String, Node)], records: &[Node], layout: Layout) -> String {
        Self::with_habits(head, records, layout, |_| None)
    }

    /// Returns the length that a record adds to the valid text.
    pub(crate) fn record_length(record: &Node, layout: Layout) -> usize {
        let mut writer = Self::new(layout);
        writer.depth = RECORD_DEPTH - 1;
        writer.line();
        writer.node(record);
        writer.out.len() + 1
    }

    /// Returns the text of a document with the defects that `habit` chooses: first for the head,
    /// and then for each record.
    pub(crate) fn with_habits(
        head: &[(String, Node)],
        records: &[Node],
        layout: Layout,
        mut habit: impl FnMut(&mut Random) -> Option<Defect>,
    ) -> String {
        let mut writer = Self::new(layout);
        writer.habit = habit(&mut writer.random);
        writer.open('{');
        for (key, value) in head {
            writer.line();
            writer.member(key, value);
            writer.out.push(',');
        }
        writer.line();
        writer.key("items");
        writer.open('[');
        let last = records.len() - 1;
        for (index, record) in records.iter().enumerate() {
            writer.line();
            writer.habit = habit(&mut writer.random);
            writer.node(record);
            writer.comma(index == last);
        }
        writer.close(']');
        writer.comma(true);
        writer.close('}');
        writer.out
    }

    fn has(&self, defect: Defect) -> bool {
        self.habit == Some(defect)
    }

    fn node(&mut self, node: &Node) {
        match node {
            Node::Null => self.word("null", "None"),
            Node::Bool(true) => self.word("true", "True"),
            Node::Bool(false) => self.word("false", "False"),
            Node::Number(text) => self.out.push_str(text),
            Node::Text(text) => self.text(text),
            Node::Array(items) => self.array(items),
            Node::Object(members) => self.object(members),
        }
    }

    fn array(&mut self, items: &[Node]) {
        if items.is_empty() {
            self.out.push_str("[]");
            return;
        }
        self.open('[');
        for (index, item) in items.iter().enumerate() {
            self.line();
            self.node(item);
            self.comma(index == items.len() - 1);
        }
        self.close(']');
    }

    fn object(&mut self, members: &[(String, Node)]) {
        self.open('{');
        let last = members.len() - 1;
        // A record lacks one comma, and has a comment after one member and before another; nested
        // objects are unchanged.
        let (without_comma, behind, before) = if self.depth == RECORD_DEPTH {
            (self.random.below(last), self.random.below(last), self.random.below(members.len()))
        } else {
            (usize::MAX, usize::MAX, usize::MAX)
        };
        for (index, (key, value)) in members.iter().enumerate() {
            self.line();
            if index == before && self.has(Defect::Comments) {
                let remark = self.random.pick(REMARKS);
                self.out.extend(["/* ", remark, " */ "]);
            }
            self.member(key, value);
            if !(index == without_comma && self.has(Defect::MissingComma)) {
                self.comma(index == last);
            }
            if index == behind && self.has(Defect::Comments) {
                let remark = self.random.pick(REMARKS);
                self.out.extend([" // ", remark]);
            }
        }
        self.close('}');
    }

    fn member(&mut self, key: &str, value: &Node) {
        self.key(key);
        self.node(value);
    }

    fn key(&mut self, key: &str) {
        if self.has(Defect::BareKeys) {
            self.out.push_str(key);
        } else {
            self.text(key);
        }
        self.out.push_str(if self.layout == Layout::Pretty { ": " } else { ":" });
    }

    /// Writes a comma between members, and after the last one if that is the defect.
    fn comma(&mut self, last: bool) {
        if !last || self.has(Defect::TrailingComma) {
            self.out.push(',');
        }
    }

    fn word(&mut self, json: &str, python: &str) {
        self.out.push_str(if self.has(Defect::PythonLiterals) { python } else { json });
    }

    /// Writes a string. Single quotes follow Python's `repr`: a text with apostrophes and without
    /// double quotes is written in double quotes.
    fn text(&mut self, text: &str) {
        let (open, close) = match self.habit {
            Some(Defect::SmartQuotes) => ('“', '”'),
            Some(Defect::SingleQuotes) if text.contains('"') || !text.contains('\'') => {
                ('\'', '\'')
            }
            _ => ('"', '"'),
        };
        self.out.push(open);
        for char in text.chars() {
            match char {
                '\\' => self.out.push_str("\\\\"),
                '\n' if !self.has(Defect::RawNewline) => self.out.push_str("\\n"),
                '\'' if open == '\'' => self.out.push_str("\\'"),
                '"' if open != '\'' && !self.has(Defect::InnerQuotes) => self.out.push_str("\\\""),
                _ => self.out.push(char),
            }
        }
        self.out.push(close);
    }

    fn open(&mut self, bracket: char) {
        self.out.push(bracket);
        self.depth += 1;
    }

    fn close(&mut self, bracket: char) {
        self.depth -= 1;
        self.line();
        self.out.push(bracket);
    }

    fn line(&mut self) {
        if self.layout == Layout::Pretty {
            self.out.push('\n');
            for _ in 0..self.depth {
                self.out.push_str("  ");
            }
        }
    }
}

const REMARKS: &[&str] = &[
    "taken from the last answer",
    "the user's own choice",
    "optional, see the handbook",
    "TODO: check with billing",
    "in milliseconds",
    "must match the catalogue entry",
];
