//! Random schemas, in shapes that are common in practice.

use std::rc::Rc;

use super::instance;
use super::model::{
    Condition, Draft, Extra, Form, Model, Property, Record, Text, Type, UnionStyle, Word, Wording,
};
use super::names::{self, Style, folded};
use crate::data::Data;
use crate::random::Random;
use crate::words;

/// A model by chance.
pub(crate) fn model(r: &mut Random) -> Model {
    let draft = *r.one(&[
        Draft::Four,
        Draft::Six,
        Draft::Seven,
        Draft::Seven,
        Draft::Nineteen,
        Draft::Twenty,
        Draft::Twenty,
        Draft::Twenty,
    ]);
    let wording =
        Wording { nullable_by_union: r.chance(40), described: r.chance(40), anchors: r.chance(10) };
    let style = *r.one(&[Style::Snake, Style::Snake, Style::Camel, Style::Kebab, Style::Pascal]);
    let mut grower =
        Grower { style, named: Vec::new(), complete: Vec::new(), budget: r.between(3, 30) };
    let root = match r.below(100) {
        0..8 => grower.list(r, 0),
        8..12 => grower.union(r, 0),
        12..16 => scalar(r),
        _ => Rc::new(Type::Record(grower.record(r, 0))),
    };
    Model { draft, root, named: grower.named, wording }
}

struct Grower {
    style: Style,
    named: Vec<(String, Rc<Type>)>,
    /// The named types that may be used again: a circle that is required would have no end.
    complete: Vec<usize>,
    budget: usize,
}

impl Grower {
    fn any(&mut self, r: &mut Random, depth: usize) -> Rc<Type> {
        self.budget = self.budget.saturating_sub(1);
        if depth >= 4 || self.budget == 0 {
            return scalar(r);
        }
        match r.below(100) {
            0..52 => scalar(r),
            52..66 => Rc::new(Type::Record(self.record(r, depth))),
            66..80 => self.list(r, depth),
            80..84 => {
                let value = self.plain(r, depth + 1);
                let pattern = if r.chance(40) { Some("^[a-z][a-z0-9_]*$") } else { None };
                Rc::new(Type::Map { value, pattern })
            }
            84..87 => Rc::new(Type::Tuple(vec![scalar(r), scalar(r)])),
            87..93 => self.union(r, depth),
            93..97 => self.named(r, depth),
            _ => Rc::new(Type::Free),
        }
    }

    /// A type that is not nullable by itself, and no union.
    fn plain(&mut self, r: &mut Random, depth: usize) -> Rc<Type> {
        loop {
            let found = self.any(r, depth);
            if !matches!(*found, Type::Nullable(_) | Type::Union { .. } | Type::Free) {
                return found;
            }
            self.budget += 1;
        }
    }

    fn list(&mut self, r: &mut Random, depth: usize) -> Rc<Type> {
        let item = self.any(r, depth + 1);
        let low = if r.chance(30) { r.between(1, 3) } else { 0 };
        let high = if r.chance(30) { Some(low + r.between(1, 4)) } else { None };
        let unique = r.chance(10) && matches!(*item, Type::Text(_) | Type::Integer { .. });
        Rc::new(Type::List { item, low, high, unique })
    }

    fn record(&mut self, r: &mut Random, depth: usize) -> Record {
        let size = if depth == 0 { r.between(1, 8) } else { r.between(1, 5) };
        let mut record = Record {
            properties: Vec::new(),
            extra: match r.below(10) {
                0..4 => Extra::Unsaid,
                4 => Extra::Allowed,
                5..9 => Extra::Forbidden,
                _ => Extra::Typed(Rc::new(Type::Text(Text::default()))),
            },
            split: r.chance(8),
            condition: None,
        };
        for _ in 0..size {
            let value = self.any(r, depth + 1);
            self.add(r, &mut record, value);
        }
        if r.chance(8) {
            self.condition(r, &mut record);
        }
        record
    }

    /// Adds a property under a name that is like no other one of the record.
    fn add(&self, r: &mut Random, record: &mut Record, value: Rc<Type>) {
        let name = loop {
            let name = names::property(r, self.style);
            if record.properties.iter().all(|known| folded(&known.name) != folded(&name)) {
                break name;
            }
        };
        let default = if r.chance(12) { instance::default(&value, r) } else { None };
        record.properties.push(Property { name, value, required: r.chance(70), default });
    }

    fn condition(&self, r: &mut Random, record: &mut Record) {
        let kinds =
            ["card", "transfer", "cash"].map(|text| Word { text: text.to_owned(), title: None });
        let at = record.properties.len();
        self.add(r, record, Rc::new(Type::Word(kinds.to_vec())));
        self.add(r, record, Rc::new(Type::Integer { low: Some(0), high: None, step: None }));
        for property in &mut record.properties[at..] {
            property.default = None;
        }
        record.properties[at].required = true;
        record.properties[at + 1].required = false;
        record.condition = Some(Condition {
            when: record.properties[at].name.clone(),
            is: "card".to_owned(),
            then: record.properties[at + 1].name.clone(),
        });
    }

    fn union(&mut self, r: &mut Random, depth: usize) -> Rc<Type> {
        let style = *r.one(&[
            UnionStyle::Tagged,
            UnionStyle::Tagged,
            UnionStyle::Discriminated,
            UnionStyle::Shapes,
            UnionStyle::Kinds,
        ]);
        let arms = match style {
            UnionStyle::Kinds => {
                let text = Rc::new(Type::Text(Text::default()));
                let whole = Rc::new(Type::Integer { low: None, high: None, step: None });
                let list = |item: &Rc<Type>| {
                    Rc::new(Type::List { item: Rc::clone(item), low: 0, high: None, unique: false })
                };
                match r.below(4) {
                    0 => vec![text, whole],
                    1 => vec![whole, Rc::new(Type::Boolean)],
                    2 => vec![list(&text), text],
                    _ => vec![Rc::clone(&whole), list(&whole)],
                }
            }
            UnionStyle::Shapes => self.shapes(r, depth),
            UnionStyle::Tagged | UnionStyle::Discriminated => self.tagged(r, depth),
        };
        Rc::new(Type::Union { arms, style })
    }

    /// Records without a name in common, of which each requires all that it has.
    fn shapes(&mut self, r: &mut Random, depth: usize) -> Vec<Rc<Type>> {
        let mut all = Record::closed();
        for _ in 0..r.between(4, 6) {
            let value = if depth > 2 { scalar(r) } else { self.plain(r, depth + 2) };
            self.add(r, &mut all, value);
        }
        for property in &mut all.properties {
            property.required = true;
            property.default = None;
        }
        let rest = all.properties.split_off(2);
        let arm = |properties| Rc::new(Type::Record(Record { properties, ..Record::closed() }));
        vec![arm(all.properties), arm(rest)]
    }

    fn tagged(&mut self, r: &mut Random, depth: usize) -> Vec<Rc<Type>> {
        let tag = (*r.one(&["type", "kind", "action"])).to_owned();
        let mut tags: Vec<String> = Vec::new();
        let size = r.between(2, 4);
        while tags.len() < size {
            let word = if r.chance(50) { r.pick(words::TOOLS) } else { words::noun(r) };
            if !tags.iter().any(|known| known == word) {
                tags.push(word.to_owned());
            }
        }
        let arm = |grower: &mut Self, r: &mut Random, word: String| {
            let mut record = grower.record(r, depth + 2);
            record.split = false;
            record.condition = None;
            record.properties.retain(|known| folded(&known.name) != folded(&tag));
            let value = Rc::new(Type::Constant(Data::Text(word)));
            let first = Property { name: tag.clone(), value, required: true, default: None };
            record.properties.insert(0, first);
            Rc::new(Type::Record(record))
        };
        tags.into_iter().map(|word| arm(self, r, word)).collect()
    }

    /// A type with a name: a tree, a chain, or one that is used twice.
    fn named(&mut self, r: &mut Random, depth: usize) -> Rc<Type> {
        if !self.complete.is_empty() && r.chance(50) {
            return Rc::new(Type::Named(*r.one(&self.complete)));
        }
        let index = self.named.len();
        let name = names::property(r, Style::Pascal);
        self.named.push((format!("{name}{index}"), Rc::new(Type::Free)));
        let itself = Rc::new(Type::Named(index));
        let mut record = self.record(r, depth + 2);
        record.split = false;
        let more = match r.below(3) {
            0 => Some(Rc::new(Type::List { item: itself, low: 0, high: None, unique: false })),
            1 => Some(Rc::new(Type::Nullable(itself))),
            _ => None,
        };
        if let Some(more) = more {
            self.add(r, &mut record, more);
            if let Some(last) = record.properties.last_mut() {
                last.default = None;
            }
        }
        self.named[index].1 = Rc::new(Type::Record(record));
        self.complete.push(index);
        Rc::new(Type::Named(index))
    }
}

impl Record {
    fn closed() -> Self {
        Self { properties: Vec::new(), extra: Extra::Forbidden, split: false, condition: None }
    }
}

fn scalar(r: &mut Random) -> Rc<Type> {
    let found = Rc::new(match r.below(100) {
        0..18 => integer(r),
        18..28 => Type::Number { low: bound(r, -10), high: bound(r, 900) },
        28..40 => Type::Boolean,
        40..56 => Type::Text(Text::default()),
        56..62 => {
            let low = if r.chance(50) { Some(r.between(1, 6)) } else { None };
            Type::Text(Text { form: None, low, high: Some(r.between(12, 60)) })
        }
        62..75 => {
            let forms =
                [Form::Date, Form::DateTime, Form::Uuid, Form::Uri, Form::Email, Form::Code];
            Type::Text(Text { form: Some(*r.one(&forms)), low: None, high: None })
        }
        75..93 => Type::Word(words_of(r)),
        93..96 => Type::Level(vec![1, 2, 3, 5, 10]),
        _ => Type::Constant(match r.below(4) {
            0 => Data::number(r.between(1, 3)),
            1 => Data::Bool(true),
            _ => Data::text(words::identifier(r)),
        }),
    });
    if r.chance(14) { Rc::new(Type::Nullable(found)) } else { found }
}

fn bound(r: &mut Random, near: i64) -> Option<i64> {
    if r.chance(40) { Some(near) } else { None }
}

fn integer(r: &mut Random) -> Type {
    let (low, high) = match r.below(6) {
        0 => (Some(0), Some(10)),
        1 => (Some(1), Some(100_000)),
        2 => (Some(0), None),
        3 => (Some(-50), Some(50)),
        _ => (None, None),
    };
    let step = if r.chance(8) { Some(5) } else { None };
    Type::Integer { low, high, step }
}

fn words_of(r: &mut Random) -> Vec<Word> {
    let words = names::set(r);
    let titled = r.chance(15);
    let title = |r: &mut Random| {
        if titled { Some(words::capital(&words::plain(r, 3))) } else { None }
    };
    let mut all: Vec<Word> = Vec::new();
    for text in words {
        let title = title(r);
        let like = |known: &Word| title.is_some() && known.title == title;
        let title = if all.iter().any(like) { None } else { title };
        all.push(Word { text, title });
    }
    all
}
