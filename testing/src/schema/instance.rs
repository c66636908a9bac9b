//! Random valid instances, with the type of each part.

use std::rc::Rc;

use super::model::{Extra, Form, Model, Property, Record, Text, Type, UnionStyle};
use super::names;
use crate::data::Data;
use crate::random::Random;
use crate::words;

/// A part of an instance, with its schema.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    /// Index of the member or item at each level.
    pub(crate) positions: Vec<usize>,
    /// The same as a JSON Pointer.
    pub(crate) path: String,
    /// The type, without names and null.
    pub(crate) of: Rc<Type>,
    pub(crate) nullable: bool,
    /// Relation to its parent.
    pub(crate) role: Role,
    /// Part of the closest enclosing union without a discriminator.
    pub(crate) union: Option<String>,
}

/// Relation of a part to its parent.
#[derive(Clone, Debug)]
pub(crate) enum Role {
    Root,
    Item,
    /// A property.
    Property {
        name: String,
        required: bool,
        default: Option<Data>,
        record: Rc<Type>,
    },
    /// A member that the schema does not name.
    Entry,
}

/// A valid instance of a model, and its parts from the root on.
pub(crate) fn of(model: &Model, r: &mut Random) -> (Data, Vec<Site>) {
    let budget = r.between(4, 60);
    let mut maker = Maker { model, budget, sites: Vec::new() };
    let at = At { positions: Vec::new(), path: String::new(), role: Role::Root, union: None };
    let data = maker.value(&model.root, at, r);
    (data, maker.sites)
}

/// Returns a default value for a property of a simple type.
pub(crate) fn default(of: &Type, r: &mut Random) -> Option<Data> {
    Some(match of {
        Type::Integer { low, high, step } => integer(*low, *high, *step, r),
        Type::Boolean => Data::Bool(r.chance(50)),
        Type::Word(words) => Data::text(r.one(words).text.as_str()),
        Type::Text(text) if text.is_free() => Data::text(words::noun(r)),
        Type::Nullable(_) => Data::Null,
        _ => return None,
    })
}

struct Maker<'m> {
    model: &'m Model,
    budget: usize,
    sites: Vec<Site>,
}

/// Position of the next value.
struct At {
    positions: Vec<usize>,
    path: String,
    role: Role,
    union: Option<String>,
}

impl At {
    fn below(&self, position: usize, key: &str, role: Role) -> Self {
        let mut positions = self.positions.clone();
        positions.push(position);
        Self { positions, path: pointer(&self.path, key), role, union: self.union.clone() }
    }
}

/// Returns the pointer to a member or item.
pub(crate) fn pointer(parent: &str, key: &str) -> String {
    format!("{parent}/{}", key.replace('~', "~0").replace('/', "~1"))
}

impl Maker<'_> {
    fn is_short(&self, at: &At) -> bool {
        self.budget == 0 || at.positions.len() > 8
    }

    fn value(&mut self, of: &Rc<Type>, mut at: At, r: &mut Random) -> Data {
        self.budget = self.budget.saturating_sub(1);
        let of = self.model.resolve(of);
        let (of, nullable) = match &*of {
            Type::Nullable(inner) => (self.model.resolve(inner), true),
            _ => (of, false),
        };
        let site = |of: &Rc<Type>, at: &At| Site {
            positions: at.positions.clone(),
            path: at.path.clone(),
            of: Rc::clone(of),
            nullable,
            role: at.role.clone(),
            union: at.union.clone(),
        };
        if let Type::Union { arms, style } = &*of {
            if matches!(style, UnionStyle::Shapes | UnionStyle::Kinds) {
                at.union = Some(at.path.clone());
            }
            return self.value(r.one(arms), at, r);
        }
        self.sites.push(site(&of, &at));
        if nullable && (self.is_short(&at) || r.chance(25)) {
            return Data::Null;
        }
        self.typed(&of, &at, r)
    }

    fn typed(&mut self, of: &Rc<Type>, at: &At, r: &mut Random) -> Data {
        match &**of {
            Type::Integer { low, high, step } => integer(*low, *high, *step, r),
            Type::Number { low, high } => number(*low, *high, r),
            Type::Boolean => Data::Bool(r.chance(50)),
            Type::Text(text) => Data::Text(self::text(text, r)),
            Type::Word(words) => Data::text(r.one(words).text.as_str()),
            Type::Level(levels) => Data::number(r.one(levels)),
            Type::Constant(data) => data.clone(),
            Type::List { item, low, high, unique } => {
                self.list(item, *low..=high.unwrap_or(*low + 4), *unique, at, r)
            }
            Type::Tuple(items) => Data::List(
                items
                    .iter()
                    .enumerate()
                    .map(|(i, item)| self.value(item, at.below(i, &i.to_string(), Role::Item), r))
                    .collect(),
            ),
            Type::Record(record) => self.record(of, record, at, r),
            Type::Map { value, .. } => {
                let mut members: Vec<(String, Data)> = Vec::new();
                for _ in 0..if self.is_short(at) { 0 } else { r.below(4) } {
                    let key = words::noun(r).to_owned();
                    if members.iter().all(|(known, _)| *known != key) {
                        let at = at.below(members.len(), &key, Role::Entry);
                        members.push((key, self.value(value, at, r)));
                    }
                }
                Data::Map(members)
            }
            Type::Free => free(r),
            Type::Nullable(_) | Type::Union { .. } | Type::Named(_) => Data::Null,
        }
    }

    fn list(
        &mut self,
        item: &Rc<Type>,
        sizes: std::ops::RangeInclusive<usize>,
        unique: bool,
        at: &At,
        r: &mut Random,
    ) -> Data {
        let least = *sizes.start();
        let size = match r.below(10) {
            _ if self.is_short(at) => least,
            0..3 => least.max(1).min(*sizes.end()),
            _ => r.between(least, *sizes.end()),
        };
        let mut items: Vec<Data> = Vec::new();
        let mut tries = 0;
        while items.len() < size {
            let known = self.sites.len();
            let place = at.below(items.len(), &items.len().to_string(), Role::Item);
            let made = self.value(item, place, r);
            tries += 1;
            if unique && tries < 200 && items.iter().any(|other| other.same(&made)) {
                self.sites.truncate(known);
            } else {
                items.push(made);
            }
        }
        Data::List(items)
    }

    fn record(&mut self, of: &Rc<Type>, record: &Record, at: &At, r: &mut Random) -> Data {
        let mut members: Vec<(String, Data)> = Vec::new();
        let mut card = false;
        let mut properties: Vec<&Property> = record.properties.iter().collect();
        // The property of a condition comes first, so that its value is known.
        let decides = |property: &&Property| {
            record.condition.as_ref().is_none_or(|condition| condition.when != property.name)
        };
        properties.sort_by_key(decides);
        for property in properties {
            let needed = property.required || (card && needs(record, property));
            let wanted = needed || (!self.is_short(at) && r.chance(60));
            if !wanted {
                continue;
            }
            let role = Role::Property {
                name: property.name.clone(),
                required: needed,
                default: property.default.clone(),
                record: Rc::clone(of),
            };
            let place = at.below(members.len(), &property.name, role);
            let is_default = property.default.as_ref().filter(|_| r.chance(60));
            let value = match is_default {
                Some(value) => {
                    let known = self.sites.len();
                    self.value(&property.value, place, r);
                    self.sites.truncate(known + 1);
                    value.clone()
                }
                None => self.value(&property.value, place, r),
            };
            if let Some(condition) = &record.condition {
                card |= condition.when == property.name && value.as_text() == Some(&condition.is);
            }
            members.push((property.name.clone(), value));
        }
        extra(record, &mut members, r);
        Data::Map(members)
    }
}

/// Members that the schema does not name, some of them with names similar to properties.
fn extra(record: &Record, members: &mut Vec<(String, Data)>, r: &mut Random) {
    if record.is_closed() || !r.chance(20) {
        return;
    }
    let key = match r.one(&record.properties) {
        property if r.chance(40) => names::Style::Title.join(&names::parts(&property.name)),
        _ => words::identifier(r),
    };
    if record.property(&key).is_none() && members.iter().all(|(known, _)| *known != key) {
        let value = match record.extra {
            Extra::Typed(_) => Data::Text(text(&Text::default(), r)),
            _ => free(r),
        };
        members.push((key, value));
    }
}

fn needs(record: &Record, property: &Property) -> bool {
    record.condition.as_ref().is_some_and(|condition| condition.then == property.name)
}

/// A small value of any kind that no coercion changes.
fn free(r: &mut Random) -> Data {
    match r.below(6) {
        0 => Data::Null,
        1 => Data::number(r.between(0, 99)),
        2 => Data::List(vec![Data::text("1"), Data::text(words::noun(r))]),
        3 => Data::Map(vec![(words::noun(r).to_owned(), Data::Text(trap(r)))]),
        _ => Data::Text(trap(r)),
    }
}

fn integer(low: Option<i64>, high: Option<i64>, step: Option<i64>, r: &mut Random) -> Data {
    if low.is_none() && high.is_none() && step.is_none() && r.chance(10) {
        return Data::number(r.pick(&["9007199254740993", "-9223372036854775808", "-0"]));
    }
    let low = low.unwrap_or(-2_000);
    let high = high.unwrap_or(3_000_000);
    let wide = usize::try_from(high - low).unwrap_or(0);
    // Small numbers are more frequent in practice.
    let wide = if r.chance(50) { wide.min(120) } else { wide };
    let found = low + i64::try_from(r.below(wide + 1)).unwrap_or(0);
    let step = step.unwrap_or(1);
    Data::number((found.div_euclid(step) + i64::from(found.rem_euclid(step) > 0)) * step)
}

fn number(low: Option<i64>, high: Option<i64>, r: &mut Random) -> Data {
    let low = low.unwrap_or(-1_000);
    let high = high.unwrap_or(1_000_000);
    let wide = usize::try_from(high - low).unwrap_or(1);
    let whole = low.max(0) + i64::try_from(r.below(wide.min(5_000))).unwrap_or(0);
    let whole = whole.min(high - 1);
    match r.below(6) {
        0 => Data::number(whole),
        1 => Data::number(format!("{whole}.0")),
        2 if high >= 1_000 => Data::number(r.pick(&["1e3", "2.5E2", "1.25e-3"])),
        _ => Data::number(format!("{whole}.{:02}", r.between(1, 99))),
    }
}

/// A string that looks like something else.
pub(crate) fn trap(r: &mut Random) -> String {
    match r.below(24) {
        0 => r.between(0, 99_999).to_string(),
        1 => format!("{}.{:02}", r.between(0, 99), r.between(0, 99)),
        2 => r.pick(&["true", "false", "True", "yes", "no", "on", "off", "0", "1"]).to_owned(),
        3 => r.pick(&["null", "None", "", "N/A", "undefined", "nil", "NaN", "-"]).to_owned(),
        4 => r.pick(&["[1, 2]", "[]", "{}", "[\"a\"]", "[1, 2", "{\"a\": 1}", "{a: 1}"]).to_owned(),
        5 => format!("{{\"{}\": \"{}\"}}", words::noun(r), words::noun(r)),
        6 => r.pick(&["2024-03-14", "03/04/2024", "14 March 2024", "10:30"]).to_owned(),
        7 => r.pick(&["1,234", "$1.50", "50%", "12 apples", "1/2", "007", "1e3"]).to_owned(),
        8 => format!("**{}**", words::noun(r)),
        9 => format!(" {} ", words::phrase(r)),
        10 => format!("\"{}\"", words::noun(r)),
        11 => words::tricky(r),
        12 => words::foreign(r),
        13 => words::path(r),
        14 => words::url(r),
        15 => format!("{}, {}", words::noun(r), words::noun(r)),
        16 => words::code_line(r),
        17 => words::identifier(r),
        18 | 19 => words::phrase(r),
        20 => r.pick(&["red", "not blue", "high", "DONE"]).to_owned(),
        _ => words::sentence(r),
    }
}

fn text(text: &Text, r: &mut Random) -> String {
    let Some(form) = text.form else {
        let low = text.low.unwrap_or(0);
        let high = text.high.unwrap_or(usize::MAX);
        let fits = |text: &String| (low..=high).contains(&text.chars().count());
        let mut tries = (0..20).map(|_| trap(r));
        return tries.find(fits).unwrap_or_else(|| "harbour light".chars().take(high).collect());
    };
    let date =
        format!("20{:02}-{:02}-{:02}", r.between(10, 30), r.between(1, 12), r.between(1, 28));
    match form {
        Form::Date => date,
        Form::DateTime => {
            let zone = r.pick(&["Z", "+02:00", "-05:30", ".250Z"]);
            format!("{date}T{:02}:{:02}:{:02}{zone}", r.below(24), r.below(60), r.below(60))
        }
        Form::Uuid => {
            let bits = format!("{:016x}{:016x}", r.bits(), r.bits());
            let (a, b, c) = (&bits[..8], &bits[8..12], &bits[13..16]);
            format!("{a}-{b}-4{c}-a{}-{}", &bits[17..20], &bits[20..32])
        }
        Form::Uri => words::url(r),
        Form::Email => format!("{}.{}@example.org", words::noun(r), words::noun(r)),
        Form::Code => {
            let letter = |r: &mut Random| *r.one(&['A', 'B', 'K', 'X', 'Z']);
            format!("{}{}-{:04}", letter(r), letter(r), r.below(10_000))
        }
    }
}
