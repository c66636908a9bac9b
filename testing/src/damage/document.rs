//! Documents to damage, in shapes that people ask models for.

use crate::data::Data;
use crate::random::Random;
use crate::words::{self, capital, identifier, noun, phrase, sentence};

type Members = Vec<(String, Data)>;

/// A document of some shape.
pub(crate) fn document(r: &mut Random) -> Data {
    match r.below(20) {
        0..=3 => flat(r),
        4 | 5 => plan(r),
        6 | 7 => tool_call(r),
        8 => config(r),
        9 => table(r),
        10 => chat(r),
        11 => deep(r),
        12 => scalars(r),
        13 => foreign(r),
        14 => long_strings(r),
        15 => numbers(r),
        16 => empties(r),
        17 => graph(r),
        18 => verdicts(r),
        _ => mixed(r, 3),
    }
}

/// A small document: an object with a few members.
pub(crate) fn small(r: &mut Random) -> Data {
    let count = r.between(1, 3);
    members(r, count)
}

fn map(members: Vec<(&str, Data)>) -> Data {
    Data::Map(members.into_iter().map(|(k, v)| (k.to_owned(), v)).collect())
}

fn word(r: &mut Random) -> Data {
    Data::text(noun(r))
}

fn count(r: &mut Random, high: usize) -> Data {
    Data::number(r.below(high))
}

/// A string of any sort.
pub(crate) fn text(r: &mut Random) -> Data {
    Data::Text(match r.below(20) {
        0..=5 => sentence(r),
        6..=8 => phrase(r),
        9 | 10 => noun(r).to_owned(),
        11 => words::path(r),
        12 => words::url(r),
        13 => words::foreign(r),
        14 => words::code_line(r),
        15 => format!("{}\n{}", sentence(r), sentence(r)),
        16 => (*r.pick(&["", "yes", "no", "true", "null", "0", "-"])).to_owned(),
        17 => r.pick(words::NAMES).to_owned(),
        _ => words::tricky(r),
    })
}

pub(crate) fn number(r: &mut Random) -> Data {
    Data::Number(match r.below(12) {
        0..=4 => r.below(100).to_string(),
        5 | 6 => r.below(100_000).to_string(),
        7 => format!("0.{:03}", r.below(1000)),
        8 => format!("{}.{}", r.below(500), r.between(1, 99)),
        9 => format!("-{}", r.between(1, 900)),
        10 => format!("{}e{}", r.between(1, 9), r.pick(&["3", "-4", "+2", "10"])),
        _ => format!("{}{:09}", r.between(10, 999_999_999), r.below(1_000_000_000)),
    })
}

fn scalar(r: &mut Random) -> Data {
    match r.below(10) {
        0..=5 => text(r),
        6..=7 => number(r),
        8 => Data::Bool(r.chance(50)),
        _ => Data::Null,
    }
}

fn fresh_key(r: &mut Random, used: &Members, from: &[&str]) -> String {
    for _ in 0..8 {
        let key = match r.below(12) {
            0 => identifier(r),
            1 => format!("{}_{}", r.pick(from), noun(r)),
            _ => (*r.pick(from)).to_owned(),
        };
        if used.iter().all(|(k, _)| *k != key) {
            return key;
        }
    }
    format!("{}_{}", noun(r), used.len())
}

pub(crate) fn members(r: &mut Random, size: usize) -> Data {
    let mut members = Members::new();
    for _ in 0..size {
        let (from, value) = match r.below(8) {
            0..=3 => (words::KEYS, text(r)),
            4 | 5 => (words::COUNT_KEYS, number(r)),
            6 => {
                (words::FLAG_KEYS, if r.chance(80) { Data::Bool(r.chance(60)) } else { Data::Null })
            }
            _ => (words::LIST_KEYS, list_of_words(r)),
        };
        let key = fresh_key(r, &members, from);
        members.push((key, value));
    }
    Data::Map(members)
}

fn list_of_words(r: &mut Random) -> Data {
    let size = r.between(0, 4);
    let numbers = r.chance(30);
    Data::List(
        (0..size).map(|_| if numbers { count(r, 90) } else { Data::Text(phrase(r)) }).collect(),
    )
}

fn flat(r: &mut Random) -> Data {
    let size = r.between(2, 7);
    members(r, size)
}

fn plan(r: &mut Random) -> Data {
    let size = r.between(1, 5);
    let mut steps = Vec::new();
    for i in 0..size {
        let mut step: Vec<(&str, Data)> =
            vec![("id", Data::number(i + 1)), ("name", Data::Text(sentence(r)))];
        if r.chance(60) {
            step.push(("tool", Data::text(r.pick(words::TOOLS))));
        }
        if r.chance(60) {
            step.push(("args", small(r)));
        }
        if r.chance(60) {
            let needs = if i == 0 { vec![] } else { vec![Data::number(r.between(1, i))] };
            step.push(("depends_on", Data::List(needs)));
        }
        if r.chance(40) {
            step.push(("note", if r.chance(50) { Data::Null } else { text(r) }));
        }
        steps.push(map(step));
    }
    let mut plan = vec![("goal", Data::Text(sentence(r))), ("steps", Data::List(steps))];
    if r.chance(50) {
        plan.push(("max_rounds", count(r, 9)));
    }
    map(plan)
}

fn tool_call(r: &mut Random) -> Data {
    let mut arguments = vec![("path", Data::Text(words::path(r)))];
    match r.below(3) {
        0 => arguments.push(("content", Data::Text(lines(r)))),
        1 => arguments.push(("query", text(r))),
        _ => arguments.extend([("pattern", text(r)), ("limit", count(r, 50))]),
    }
    if r.chance(40) {
        arguments.push(("dry_run", Data::Bool(r.chance(50))));
    }
    let call = vec![("name", Data::text(r.pick(words::TOOLS))), ("arguments", map(arguments))];
    match r.below(4) {
        0 => Data::List(vec![map(call)]),
        1 => map(vec![("thought", Data::Text(sentence(r))), ("action", map(call))]),
        _ => map(call),
    }
}

fn lines(r: &mut Random) -> String {
    let size = r.between(2, 6);
    let mut out = String::new();
    for _ in 0..size {
        let line = match r.below(4) {
            0 => words::tricky(r),
            1 => format!("# {}", capital(&phrase(r))),
            2 => sentence(r),
            _ => words::code_line(r),
        };
        out.push_str(&line);
        out.push('\n');
    }
    out
}

fn config(r: &mut Random) -> Data {
    let server = map(vec![
        ("host", Data::Text(format!("{}.example.org", noun(r)))),
        ("port", Data::number(r.between(1024, 9999))),
        ("tls", Data::Bool(r.chance(50))),
    ]);
    let size = r.between(1, 4);
    let limits = members(r, size);
    map(vec![
        ("server", server),
        ("logging", map(vec![("level", word(r)), ("file", Data::Text(words::path(r)))])),
        ("limits", limits),
        ("version", Data::Text(format!("{}.{}.{}", r.below(9), r.below(20), r.below(9)))),
    ])
}

fn table(r: &mut Random) -> Data {
    let size = r.between(2, 6);
    let rows: Vec<Data> = if r.chance(30) {
        (0..size).map(|_| Data::List(vec![word(r), number(r), Data::Bool(r.chance(50))])).collect()
    } else {
        (0..size)
            .map(|i| {
                map(vec![
                    ("id", Data::number(i + 1)),
                    ("city", Data::text(r.pick(words::PLACES))),
                    ("area", number(r)),
                    ("note", text(r)),
                ])
            })
            .collect()
    };
    match r.below(3) {
        0 => Data::List(rows),
        _ => map(vec![("rows", Data::List(rows)), ("total", Data::number(size))]),
    }
}

fn chat(r: &mut Random) -> Data {
    let size = r.between(1, 4);
    let turns = (0..size)
        .map(|i| {
            let role = if i % 2 == 0 { "user" } else { "assistant" };
            let said = if r.chance(40) {
                words::tricky(r)
            } else {
                format!("{} {}", sentence(r), sentence(r))
            };
            map(vec![("role", Data::text(role)), ("content", Data::Text(said))])
        })
        .collect();
    map(vec![("messages", Data::List(turns)), ("model", Data::Text(identifier(r)))])
}

fn deep(r: &mut Random) -> Data {
    let depth = r.between(3, 9);
    let mut value = scalar(r);
    for _ in 0..depth {
        value = match r.below(4) {
            0 => Data::List(vec![value]),
            1 => Data::List(vec![value, count(r, 9)]),
            2 => Data::Map(vec![(noun(r).to_owned(), value)]),
            _ => Data::Map(vec![(noun(r).to_owned(), value), (identifier(r), count(r, 9))]),
        };
    }
    map(vec![("tree", value), ("depth", Data::number(depth))])
}

fn scalars(r: &mut Random) -> Data {
    let size = r.between(3, 9);
    let items: Vec<Data> = match r.below(3) {
        0 => (0..size).map(|_| number(r)).collect(),
        1 => (0..size).map(|_| Data::Text(phrase(r))).collect(),
        _ => (0..size).map(|_| scalar(r)).collect(),
    };
    if r.chance(50) {
        Data::List(items)
    } else {
        map(vec![("values", Data::List(items)), ("ok", Data::Bool(true))])
    }
}

fn foreign(r: &mut Random) -> Data {
    let mut members = Members::new();
    for _ in 0..r.between(2, 5) {
        let key = fresh_key(r, &members, words::CJK_KEYS);
        let value = match r.below(4) {
            0 => number(r),
            1 => Data::List((0..r.between(1, 3)).map(|_| Data::Text(words::foreign(r))).collect()),
            _ => Data::Text(words::foreign(r)),
        };
        members.push((key, value));
    }
    Data::Map(members)
}

fn long_strings(r: &mut Random) -> Data {
    let size = r.between(3, 12);
    let body: Vec<String> =
        (0..size).map(|_| if r.chance(20) { words::tricky(r) } else { sentence(r) }).collect();
    let glue = r.pick(&[" ", "\n", "\n\n"]);
    map(vec![
        ("title", Data::Text(capital(&phrase(r)))),
        ("body", Data::Text(body.join(glue))),
        ("code", Data::Text(lines(r))),
        ("pages", count(r, 90)),
    ])
}

fn numbers(r: &mut Random) -> Data {
    let mut members = Members::new();
    for _ in 0..r.between(3, 7) {
        let key = fresh_key(r, &members, words::COUNT_KEYS);
        members.push((key, number(r)));
    }
    Data::Map(members)
}

fn empties(r: &mut Random) -> Data {
    map(vec![
        ("empty", Data::text("")),
        ("list", Data::List(vec![])),
        ("map", Data::Map(vec![])),
        ("nested", Data::List(vec![Data::List(vec![]), Data::Map(vec![]), Data::Null])),
        ("", text(r)),
        ("n", number(r)),
    ])
}

fn graph(r: &mut Random) -> Data {
    let size = r.between(2, 5);
    let nodes = (0..size)
        .map(|i| {
            map(vec![
                ("id", Data::Text(format!("n{i}"))),
                ("label", text(r)),
                ("weight", number(r)),
            ])
        })
        .collect();
    let edges = (1..size)
        .map(|i| Data::List(vec![Data::Text(format!("n{}", i - 1)), Data::Text(format!("n{i}"))]))
        .collect();
    map(vec![("nodes", Data::List(nodes)), ("edges", Data::List(edges))])
}

fn verdicts(r: &mut Random) -> Data {
    let size = r.between(1, 5);
    let rows = (0..size)
        .map(|_| {
            let verdict = Data::text(r.pick(&["yes", "no", "unclear"]));
            map(vec![("verdict", verdict), ("reason", text(r))])
        })
        .collect();
    map(vec![
        ("verdicts", Data::List(rows)),
        ("confidence", Data::Number(format!("0.{}", r.between(1, 99)))),
    ])
}

fn mixed(r: &mut Random, levels: usize) -> Data {
    let mut found = Members::new();
    for _ in 0..r.between(1, 4) {
        let key = fresh_key(r, &found, words::KEYS);
        let value = match r.below(if levels == 0 { 4 } else { 7 }) {
            0..=3 => scalar(r),
            4 => Data::List((0..r.below(4)).map(|_| scalar(r)).collect()),
            5 => Data::List((0..r.between(1, 3)).map(|_| mixed(r, levels - 1)).collect()),
            _ => mixed(r, levels - 1),
        };
        found.push((key, value));
    }
    Data::Map(found)
}
