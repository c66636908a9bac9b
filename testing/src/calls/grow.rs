//! Random tools, calls and prose.

use super::{Answer, Call, Property, Tool, Type, values, write::room};
use crate::data::Data;
use crate::random::Random;
use crate::words;

/// What the notation demands of names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Names {
    /// Letters, digits and `_`.
    Identifiers,
    /// Dashes and dots too.
    Any,
}

pub(super) fn answer(notation: &'static str, id: String, r: &mut Random) -> Answer {
    let room = room(notation);
    let names = if room.identifiers { Names::Identifiers } else { Names::Any };
    let mut tools: Vec<Tool> = Vec::new();
    for _ in 0..r.between(1, 4) {
        let tool = tool(names, r);
        if tools.iter().all(|other| other.name != tool.name) {
            tools.push(tool);
        }
    }
    let count = match r.below(10) {
        _ if !room.many => 1,
        0..6 => 1,
        6..9 => 2,
        _ => 3,
    };
    let calls: Vec<Call> = (0..count).map(|_| call(r.one(&tools), room.raw, r)).collect();
    let mut prose = vec![String::new(); count + 1];
    if room.before && r.chance(50) {
        prose[0] = self::prose(room.short, r);
    }
    if room.between {
        for part in &mut prose[1..count] {
            if r.chance(30) {
                *part = self::prose(false, r);
            }
        }
    }
    // An element that is named by one word is no call between paragraphs.
    let is_word = |call: &Call| call.name.chars().all(char::is_lowercase);
    let is_mark = notation != "tool-tag" || !calls.iter().any(is_word);
    if !is_mark {
        prose[1..].fill(String::new());
    }
    if room.after && is_mark && r.chance(30) {
        prose[count] = self::prose(room.short, r);
    }
    Answer { id, notation, tools, calls, prose, style: r.bits() }
}

fn prose(short: bool, r: &mut Random) -> String {
    let count = if short { 1 } else { r.between(1, 4) };
    let mut out = String::new();
    for at in 0..count {
        if at > 0 {
            out.push_str(if r.chance(60) { " " } else { "\n\n" });
        }
        out.push_str(&words::sentence(r));
    }
    out
}

fn tool(names: Names, r: &mut Random) -> Tool {
    let verb = r.pick(words::TOOLS);
    let name = match r.below(10) {
        0..4 => verb.to_owned(),
        4..6 => format!("{verb}_{}", words::noun(r)),
        6 => format!("{}{}", verb.replace('_', ""), words::capital(words::noun(r))),
        7 if names == Names::Any => format!("{}-{}", verb.replace('_', "-"), words::noun(r)),
        8 if names == Names::Any => format!("{}.{verb}", words::noun(r)),
        _ => format!("{verb}{}", r.between(2, 9)),
    };
    let size = if r.chance(6) { 0 } else { r.between(1, 5) };
    Tool { name, parameters: properties(size, 0, r) }
}

fn properties(size: usize, depth: usize, r: &mut Random) -> Vec<Property> {
    let mut all: Vec<Property> = Vec::new();
    for _ in 0..size {
        let of = kind(depth, r);
        let name = match &of {
            _ if r.chance(5) => {
                r.pick(&["from", "class", "type", "name", "arguments", "input"]).to_owned()
            }
            _ if r.chance(15) => {
                format!("{}_{}", words::noun(r), r.pick(&["id", "url", "to", "max"]))
            }
            _ if r.chance(8) => format!("{}{}", words::noun(r), words::capital(words::noun(r))),
            Type::Integer | Type::Number => r.pick(words::COUNT_KEYS).to_owned(),
            Type::Boolean => r.pick(words::FLAG_KEYS).to_owned(),
            Type::List(_) => r.pick(words::LIST_KEYS).to_owned(),
            _ => r.pick(words::KEYS).to_owned(),
        };
        let folded = |name: &str| name.replace('_', "").to_lowercase();
        if all.iter().all(|other| folded(&other.name) != folded(&name)) {
            all.push(Property { name, of, required: r.chance(50) });
        }
    }
    all
}

fn kind(depth: usize, r: &mut Random) -> Type {
    match r.below(100) {
        0..42 => Type::Text,
        42..54 => Type::Integer,
        54..62 => Type::Number,
        62..70 => Type::Boolean,
        70..76 => {
            let words = ["red", "amber", "green", "metric", "imperial", "asc", "desc"];
            let from = r.below(4);
            Type::Word(words[from..from + 3].iter().map(|word| (*word).to_owned()).collect())
        }
        76..82 => Type::Nullable(Box::new(if r.chance(60) { Type::Text } else { Type::Integer })),
        82..92 if depth < 2 => Type::List(Box::new(kind(depth + 1, r))),
        92..100 if depth < 2 => {
            let size = r.between(1, 3);
            Type::Record(properties(size, depth + 1, r))
        }
        _ => Type::Text,
    }
}

fn call(tool: &Tool, raw: bool, r: &mut Random) -> Call {
    let mut arguments = members(&tool.parameters, raw, r);
    if r.chance(20) && arguments.len() > 1 {
        let at = r.below(arguments.len());
        let moved = arguments.remove(at);
        arguments.push(moved);
    }
    Call { name: tool.name.clone(), arguments }
}

fn members(properties: &[Property], raw: bool, r: &mut Random) -> Vec<(String, Data)> {
    let mut all = Vec::new();
    for property in properties {
        if property.required || r.chance(60) {
            all.push((property.name.clone(), value(&property.of, raw, r)));
        }
    }
    all
}

/// Generates a value. A `raw` value stands without quotes where it is a string.
pub(super) fn value(of: &Type, raw: bool, r: &mut Random) -> Data {
    match of {
        Type::Text => Data::Text(values::text(r)),
        Type::Integer => Data::number(values::integer(r)),
        Type::Number => Data::number(values::number(r)),
        Type::Boolean => Data::Bool(r.chance(50)),
        Type::Word(words) => Data::text(r.one(words).as_str()),
        Type::List(item) => {
            let size = r.below(4);
            Data::List((0..size).map(|_| value(item, false, r)).collect())
        }
        Type::Record(properties) => Data::Map(members(properties, false, r)),
        Type::Nullable(_) if r.chance(30) => Data::Null,
        // Without quotes, the word `null` and nothing at all mean null.
        Type::Nullable(inner) => match value(inner, raw, r) {
            Data::Text(text) if raw && values::is_like_null(&text) => Data::text("harbour"),
            other => other,
        },
    }
}

/// Returns the tool as it is declared.
pub(super) fn declaration(tool: &Tool) -> Data {
    let map = |members: Vec<(&str, Data)>| {
        Data::Map(members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
    };
    map(vec![
        ("type", Data::text("function")),
        (
            "function",
            map(vec![
                ("name", Data::text(tool.name.as_str())),
                ("parameters", record(&tool.parameters)),
            ]),
        ),
    ])
}

fn record(properties: &[Property]) -> Data {
    let each = properties.iter().map(|one| (one.name.clone(), schema(&one.of))).collect();
    let required = properties.iter().filter(|one| one.required);
    let required = required.map(|one| Data::text(one.name.as_str())).collect();
    Data::Map(vec![
        ("type".to_owned(), Data::text("object")),
        ("properties".to_owned(), Data::Map(each)),
        ("required".to_owned(), Data::List(required)),
    ])
}

fn schema(of: &Type) -> Data {
    let typed = |name: &str| Data::Map(vec![("type".to_owned(), Data::text(name))]);
    match of {
        Type::Text => typed("string"),
        Type::Integer => typed("integer"),
        Type::Number => typed("number"),
        Type::Boolean => typed("boolean"),
        Type::Word(words) => {
            let words = words.iter().map(|word| Data::text(word.as_str())).collect();
            Data::Map(vec![
                ("type".to_owned(), Data::text("string")),
                ("enum".to_owned(), Data::List(words)),
            ])
        }
        Type::List(item) => Data::Map(vec![
            ("type".to_owned(), Data::text("array")),
            ("items".to_owned(), schema(item)),
        ]),
        Type::Record(properties) => record(properties),
        Type::Nullable(inner) => {
            Data::Map(vec![("anyOf".to_owned(), Data::List(vec![schema(inner), typed("null")]))])
        }
    }
}
