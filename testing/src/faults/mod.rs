//! Records, lists and rows with one fault that models make, by class of fault.
//!
//! A class makes the parts of one container. The document around it, its neighbors and its layout
//! are made here, so that each fault is seen in many places.

use std::collections::BTreeSet;

use crate::case::{Case, Verdict};
use crate::data::{Data, quoted};
use crate::random::Random;
use crate::words::{noun, plain, sentence};

mod ends;
mod keys;
mod separators;
mod strings;
mod text;

/// A class of faults.
pub struct Class {
    /// Its name.
    pub name: &'static str,
    /// Whether a refusal is fine, too.
    ambiguous: bool,
    make: fn(&mut Random, Layout) -> Group,
}

impl Class {
    const fn new(name: &'static str, make: fn(&mut Random, Layout) -> Group) -> Self {
        Self { name, ambiguous: false, make }
    }

    const fn ambiguous(name: &'static str, make: fn(&mut Random, Layout) -> Group) -> Self {
        Self { name, ambiguous: true, make }
    }
}

/// Returns all classes.
#[must_use]
pub fn classes() -> Vec<&'static Class> {
    [strings::CLASSES, separators::CLASSES, keys::CLASSES, ends::CLASSES, text::CLASSES]
        .into_iter()
        .flatten()
        .collect()
}

/// Generates `count` different cases of each class.
#[must_use]
pub fn cases(seed: u64, count: usize) -> Vec<Case> {
    let mut all = Vec::new();
    for class in classes() {
        let mut seen = BTreeSet::new();
        let made = (0..20 * count).map(|index| case(class, seed, index));
        all.extend(made.filter(|case| seen.insert(case.input.clone())).take(count));
    }
    all
}

/// Generates the case of `class` with this index.
#[must_use]
pub fn case(class: &'static Class, seed: u64, index: usize) -> Case {
    let mut r = Random::for_case(seed ^ 0x66_6175, index);
    let layout = *r.one(&[Layout::Compact, Layout::Spaced, Layout::Lines, Layout::Spaced]);
    let group = (class.make)(&mut r, layout);
    let (input, values) = document(&mut r, &group, layout);
    let mut values = values.into_iter();
    Case {
        id: format!("{}-{seed}-{index}", class.name),
        shape: class.name.to_owned(),
        kinds: vec![class.name],
        input,
        expected: values.next(),
        verdict: if class.ambiguous { Verdict::Ambiguous } else { Verdict::Value },
        accept: values.collect(),
        note: String::new(),
        valid_json: false,
        cut: None,
    }
}

/// White space between parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    Compact,
    Spaced,
    Lines,
}

impl Layout {
    const fn colon(self) -> &'static str {
        if matches!(self, Self::Compact) { ":" } else { ": " }
    }

    fn gap(self, depth: usize) -> String {
        match self {
            Self::Compact => String::new(),
            Self::Spaced => " ".to_owned(),
            Self::Lines => format!("\n{}", "  ".repeat(depth)),
        }
    }
}

/// What a part means.
#[derive(Clone)]
enum Meaning {
    Member(String, Data),
    Item(Data),
    Nothing,
}

/// A member or an item as it is written, and what it means.
struct Part {
    text: String,
    /// What separates it from the next part.
    comma: String,
    meaning: Meaning,
    others: Vec<Meaning>,
}

/// A sound member.
fn member(key: &str, value: &Data, layout: Layout) -> Part {
    written(key, &value.write(), value.clone(), layout)
}

/// A member whose value is written as `text`.
fn written(key: &str, text: &str, value: Data, layout: Layout) -> Part {
    spelled(format!("{}{}{text}", quoted(key), layout.colon()), key, value)
}

/// A member that is written as `text`.
fn spelled(text: String, key: &str, value: Data) -> Part {
    let meaning = Meaning::Member(key.to_owned(), value);
    Part { text, comma: ",".to_owned(), meaning, others: Vec::new() }
}

/// An item that is written as `text`.
fn item(text: impl Into<String>, value: Data) -> Part {
    Part {
        text: text.into(),
        comma: ",".to_owned(),
        meaning: Meaning::Item(value),
        others: Vec::new(),
    }
}

impl Part {
    /// Separates it from the next part by `comma`.
    fn then(mut self, comma: impl Into<String>) -> Self {
        self.comma = comma.into();
        self
    }

    /// Adds a value that is as good.
    fn or(mut self, value: Data) -> Self {
        self.others.push(match &self.meaning {
            Meaning::Member(key, _) => Meaning::Member(key.clone(), value),
            _ => Meaning::Item(value),
        });
        self
    }
}

/// A container as it is written.
struct Group {
    open: &'static str,
    close: &'static str,
    parts: Vec<Part>,
    /// Whether the text ends with it.
    last: bool,
    /// What follows it there.
    tail: String,
    /// Whether it stands alone behind an opening fence.
    fenced: bool,
}

impl Group {
    fn map(parts: Vec<Part>) -> Self {
        Self { open: "{", close: "}", parts, last: false, tail: String::new(), fenced: false }
    }

    fn list(parts: Vec<Part>) -> Self {
        Self { open: "[", close: "]", ..Self::map(parts) }
    }

    /// Ends the text with `tail` instead of the closing bracket.
    fn ending(self, tail: impl Into<String>) -> Self {
        Self { close: "", last: true, tail: tail.into(), ..self }
    }

    /// Returns its value, and those that are as good.
    fn values(&self) -> Vec<Data> {
        let most = self.parts.iter().map(|part| part.others.len()).max().unwrap_or(0);
        let chosen = |at: usize| {
            let (mut items, mut members) = (Vec::new(), Vec::new());
            for part in &self.parts {
                let meaning = at.checked_sub(1).and_then(|at| part.others.get(at));
                match meaning.unwrap_or(&part.meaning).clone() {
                    Meaning::Member(key, value) => members.push((key, value)),
                    Meaning::Item(value) => items.push(value),
                    Meaning::Nothing => {}
                }
            }
            if self.open == "{" { Data::Map(members) } else { Data::List(items) }
        };
        (0..=most).map(chosen).collect()
    }

    fn write(&self, layout: Layout, depth: usize) -> String {
        let mut out = self.open.to_owned();
        let last = self.parts.len().saturating_sub(1);
        for (at, part) in self.parts.iter().enumerate() {
            if layout == Layout::Lines || at > 0 {
                out.push_str(&layout.gap(depth + 1));
            }
            out.push_str(&part.text);
            if at < last || !self.close.is_empty() && part.comma.contains('\n') {
                out.push_str(&part.comma);
            }
        }
        if layout == Layout::Lines && !self.close.is_empty() {
            out.push_str(&layout.gap(depth));
        }
        out + self.close + &self.tail
    }
}

/// Places `group` in a document. Returns the text, its value, and values that are as good.
fn document(r: &mut Random, group: &Group, layout: Layout) -> (String, Vec<Data>) {
    let values = group.values();
    let rows = group.open == "[";
    if group.fenced {
        let line = if layout == Layout::Compact { "" } else { "\n" };
        return (format!("```json{line}{}", group.write(layout, 0)), values);
    }
    let (text, values) = match r.below(if rows { 2 } else { 4 }) {
        0 if !rows => (group.write(layout, 0), values),
        0 | 1 => {
            let key = *r.one(&["data", "result", "record"]);
            let number = (!group.last).then(|| r.below(900));
            let before = r.below(90);
            let tail = number.map_or(String::new(), |n| {
                format!(",{}\"total\"{}{n}{}}}", layout.gap(1), layout.colon(), layout.gap(0))
            });
            let text = format!(
                "{{{}\"rank\"{}{before},{}\"{key}\"{}{}{tail}",
                layout.gap(1),
                layout.colon(),
                layout.gap(1),
                layout.colon(),
                group.write(layout, 1)
            );
            let wrap = |value| {
                let mut members =
                    vec![("rank".to_owned(), Data::number(before)), (key.to_owned(), value)];
                members.extend(number.map(|n| ("total".to_owned(), Data::number(n))));
                Data::Map(members)
            };
            (text, values.into_iter().map(wrap).collect())
        }
        _ => listed(r, group, values, layout),
    };
    if group.last || r.chance(70) {
        return (text, values);
    }
    let around =
        [("```json\n", "\n```"), ("Here is the result:\n\n", "\n\nThat is all."), ("", "\n")];
    let (before, after) = *r.one(&around);
    (format!("{before}{text}{after}"), values)
}

/// Places `group` among sound records.
fn listed(r: &mut Random, group: &Group, values: Vec<Data>, layout: Layout) -> (String, Vec<Data>) {
    let before: Vec<Data> = (0..r.below(3)).map(|_| like(r, group)).collect();
    let after: Vec<Data> =
        (0..if group.last { 0 } else { r.below(3) }).map(|_| like(r, group)).collect();
    let sound = |value: &Data| match value {
        Data::Map(members) => {
            let parts = members.iter().map(|(key, value)| member(key, value, layout)).collect();
            Group::map(parts).write(layout, 1)
        }
        other => other.write(),
    };
    let mut texts: Vec<String> = before.iter().map(sound).collect();
    texts.push(group.write(layout, 1));
    texts.extend(after.iter().map(sound));
    let gap = layout.gap(1);
    let start = if layout == Layout::Lines { gap.clone() } else { String::new() };
    let close = if group.last {
        String::new()
    } else {
        format!("{}]", if layout == Layout::Lines { "\n" } else { "" })
    };
    let text = format!("[{start}{}{close}", texts.join(&format!(",{gap}")));
    let list = |value: Data| {
        Data::List(before.iter().cloned().chain([value]).chain(after.iter().cloned()).collect())
    };
    (text, values.into_iter().map(list).collect())
}

/// A sound record with the members of `group`.
fn like(r: &mut Random, group: &Group) -> Data {
    let parts = group.values().swap_remove(0);
    let Data::Map(members) = parts else { return parts };
    let other = |r: &mut Random, value: &Data| match value {
        Data::Text(_) => Data::Text(plain(r, 2)),
        Data::Number(_) => Data::number(r.below(500)),
        other => other.clone(),
    };
    Data::Map(members.iter().map(|(key, value)| (key.clone(), other(r, value))).collect())
}

const KEYS: &[&str] = &[
    "id",
    "name",
    "title",
    "note",
    "price",
    "in_stock",
    "summary",
    "city",
    "reason",
    "answer",
    "confidence",
    "author",
    "text",
    "status",
];

/// `count` different keys.
fn some_keys(r: &mut Random, count: usize) -> Vec<&'static str> {
    let mut keys: Vec<&'static str> = Vec::new();
    while keys.len() < count {
        let key = *r.one(KEYS);
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys
}

/// A sound scalar.
fn scalar(r: &mut Random) -> Data {
    match r.below(8) {
        0 | 1 => Data::number(r.below(2000)),
        2 => Data::number(format!("{}.{}", r.below(90), r.between(1, 99))),
        3 => Data::Bool(r.chance(50)),
        4 => Data::Text(sentence(r)),
        5 => Data::text(noun(r)),
        _ => Data::Text(plain(r, 3)),
    }
}

/// A record of sound members, with `part` somewhere among them. `last` is whether it may be last.
fn among(r: &mut Random, layout: Layout, key: &str, part: Part, last: bool) -> Group {
    let count = r.between(1, 3);
    let mut parts: Vec<Part> = some_keys(r, 6)
        .into_iter()
        .filter(|other| *other != key)
        .take(count)
        .map(|key| member(key, &scalar(r), layout))
        .collect();
    let place = r.below(parts.len() + usize::from(last));
    parts.insert(place, part);
    Group::map(parts)
}
