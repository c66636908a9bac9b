//! Values whose parts are alike: lists of records, and deep trees of objects and lists.

use crate::data::Data;
use crate::random::Random;
use crate::words::{self, noun, phrase, sentence};

/// What the values at one place have in common.
enum Shape {
    Id,
    Text,
    Number,
    Flag,
    Words,
    Numbers,
    Map(Vec<(String, Shape)>),
    List { item: Box<Shape>, low: usize, high: usize },
}

/// A list of 2 to 30 records, alone or as a member.
pub(super) fn records(r: &mut Random) -> Data {
    let mut fields = scalars(r, 2, 5);
    if r.chance(45) {
        let at = r.below(fields.len() + 1);
        let inner = match r.below(4) {
            0 => ("tags".to_owned(), Shape::Words),
            1 => ("points".to_owned(), Shape::Numbers),
            2 => ("origin".to_owned(), Shape::Map(scalars(r, 1, 3))),
            _ => ("parts".to_owned(), list(Shape::Map(scalars(r, 1, 3)), 1, 3)),
        };
        fields.insert(at, inner);
    }
    let (low, high) = *r.one(&[(2, 4), (2, 6), (5, 12), (12, 30)]);
    let rows = list(Shape::Map(fields), low, high).value(r);
    match r.below(5) {
        0..=2 => rows,
        3 => Data::Map(vec![
            ("items".to_owned(), rows),
            ("total".to_owned(), Data::number(r.below(90))),
        ]),
        _ => Data::Map(vec![("status".to_owned(), Data::text("ok")), ("records".to_owned(), rows)]),
    }
}

/// Objects in lists in objects, 3 to 6 levels deep.
pub(super) fn nested(r: &mut Random) -> Data {
    let levels = r.between(3, 6);
    let tree = Shape::Map(tree(r, levels));
    if r.chance(25) { list(tree, 2, 3).value(r) } else { tree.value(r) }
}

/// The members of an object that is `levels` deep.
fn tree(r: &mut Random, levels: usize) -> Vec<(String, Shape)> {
    let mut members = scalars(r, 1, 3);
    if levels < 2 {
        return members;
    }
    let branches = if levels < 4 { r.between(1, 2) } else { 1 };
    for _ in 0..branches {
        let key = fresh(r, &members, words::LIST_KEYS);
        let inner = match r.below(6) {
            0 | 1 => Shape::Map(tree(r, levels - 1)),
            2 if levels == 2 => Shape::Words,
            3 if levels == 3 => list(Shape::Numbers, 1, 3),
            _ if levels == 2 => Shape::Map(tree(r, 1)),
            _ => list(Shape::Map(tree(r, levels - 2)), 1, 3),
        };
        let at = r.below(members.len() + 1);
        members.insert(at, (key, inner));
    }
    members
}

fn list(item: Shape, low: usize, high: usize) -> Shape {
    Shape::List { item: Box::new(item), low, high }
}

fn scalars(r: &mut Random, low: usize, high: usize) -> Vec<(String, Shape)> {
    let mut members = Vec::new();
    if r.chance(60) {
        members.push(("id".to_owned(), Shape::Id));
    }
    for _ in 0..r.between(low, high) {
        let (keys, shape) = match r.below(8) {
            0..=4 => (words::KEYS, Shape::Text),
            5 | 6 => (words::COUNT_KEYS, Shape::Number),
            _ => (words::FLAG_KEYS, Shape::Flag),
        };
        let key = fresh(r, &members, keys);
        members.push((key, shape));
    }
    members
}

/// A key that `used` does not have.
fn fresh(r: &mut Random, used: &[(String, Shape)], from: &[&str]) -> String {
    let key = r.pick(from);
    if used.iter().any(|(other, _)| other == key) {
        format!("{}_{}", noun(r), used.len())
    } else {
        key.to_owned()
    }
}

impl Shape {
    fn value(&self, r: &mut Random) -> Data {
        match self {
            Self::Id => Data::number(r.between(1, 9000)),
            Self::Text if r.chance(3) => Data::Null,
            Self::Text => Data::Text(text(r)),
            Self::Number if r.chance(40) => {
                Data::Number(format!("{}.{}", r.below(90), r.between(1, 99)))
            }
            Self::Number => Data::number(r.below(5000)),
            Self::Flag => Data::Bool(r.chance(50)),
            Self::Words => {
                Data::List((0..r.between(2, 4)).map(|_| Data::Text(phrase(r))).collect())
            }
            Self::Numbers => Data::List((0..3).map(|_| Data::number(r.below(500))).collect()),
            Self::Map(members) => Data::Map(
                members.iter().map(|(key, shape)| (key.clone(), shape.value(r))).collect(),
            ),
            Self::List { item, low, high } => {
                Data::List((0..r.between(*low, *high)).map(|_| item.value(r)).collect())
            }
        }
    }
}

/// A string, often with commas, colons, quotes or brackets inside.
fn text(r: &mut Random) -> String {
    match r.below(12) {
        0..=3 => sentence(r),
        4 | 5 => phrase(r),
        6 => r.pick(words::NAMES).to_owned(),
        7 => format!("{} said \"{}\", then left", r.pick(words::NAMES), noun(r)),
        8 => format!("{}, {}: {}", noun(r), phrase(r), r.between(1, 90)),
        9 => format!("2026-{:02}-{:02}T{:02}:30", r.between(1, 12), r.between(1, 28), r.below(24)),
        10 => format!("{} [{}] {{{}}}", noun(r), r.between(1, 9), noun(r)),
        _ => format!("the \"{}\"", noun(r)),
    }
}
