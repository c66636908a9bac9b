//! Smaller answers that fail in the same way.

use super::{Answer, Type};
use crate::data::Data;

/// Returns the smallest answer found that still `fails`.
pub fn shrink(answer: &Answer, fails: &dyn Fn(&Answer) -> bool) -> Answer {
    let mut best = answer.clone();
    let mut budget = 600;
    loop {
        let smaller = candidates(&best).into_iter().find(|candidate| {
            budget -= 1;
            budget > 0 && fails(candidate)
        });
        match smaller {
            Some(found) if budget > 0 => best = found,
            _ => return best,
        }
    }
}

fn candidates(answer: &Answer) -> Vec<Answer> {
    let mut out = Vec::new();
    let mut add = |change: &dyn Fn(&mut Answer)| {
        let mut next = answer.clone();
        change(&mut next);
        out.push(next);
    };
    for at in 0..answer.prose.len() {
        if !answer.prose[at].is_empty() {
            add(&|next| next.prose[at].clear());
        }
    }
    if answer.calls.len() > 1 {
        for at in 0..answer.calls.len() {
            add(&|next| {
                next.calls.remove(at);
                next.prose.remove(if at == 0 { 1 } else { at });
            });
        }
    }
    for at in 0..answer.tools.len() {
        let name = &answer.tools[at].name;
        if answer.calls.iter().all(|call| call.name != *name) {
            add(&|next| drop(next.tools.remove(at)));
        }
        for parameter in 0..answer.tools[at].parameters.len() {
            add(&|next| {
                let tool = &mut next.tools[at];
                let gone = tool.parameters.remove(parameter).name;
                let name = tool.name.clone();
                for call in next.calls.iter_mut().filter(|call| call.name == name) {
                    call.arguments.retain(|(key, _)| *key != gone);
                }
            });
        }
    }
    for at in 0..answer.prose.len() {
        for part in halves(&answer.prose[at]) {
            add(&|next| next.prose[at].clone_from(&part));
        }
    }
    for at in 0..answer.calls.len() {
        for argument in 0..answer.calls[at].arguments.len() {
            let (key, value) = &answer.calls[at].arguments[argument];
            let tool = answer.tools.iter().find(|tool| tool.name == answer.calls[at].name);
            let of = tool.and_then(|tool| tool.parameters.iter().find(|one| one.name == *key));
            if of.is_some_and(|one| matches!(one.of, Type::Word(_))) {
                continue;
            }
            for part in smaller(value) {
                add(&|next| next.calls[at].arguments[argument].1 = part.clone());
            }
        }
    }
    out
}

fn halves(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let size = chars.len();
    if size < 2 {
        return Vec::new();
    }
    let mut out = vec![chars[..size / 2].iter().collect(), chars[size / 2..].iter().collect()];
    let piece = (size / 8).max(1);
    let mut at = 0;
    while at < size {
        let end = (at + piece).min(size);
        out.push(chars[..at].iter().chain(&chars[end..]).collect());
        at = end;
    }
    out
}

fn smaller(value: &Data) -> Vec<Data> {
    match value {
        Data::Text(text) => halves(text).into_iter().map(Data::Text).collect(),
        Data::Number(text) if text.len() > 1 => vec![Data::number(1)],
        Data::List(items) => {
            let fewer = (0..items.len()).map(|at| {
                let mut items = items.clone();
                items.remove(at);
                Data::List(items)
            });
            let less = items.iter().enumerate().flat_map(|(at, item)| {
                smaller(item).into_iter().map(move |part| {
                    let mut items = items.clone();
                    items[at] = part;
                    Data::List(items)
                })
            });
            fewer.chain(less).collect()
        }
        Data::Map(members) => members
            .iter()
            .enumerate()
            .flat_map(|(at, (_, item))| {
                smaller(item).into_iter().map(move |part| {
                    let mut members = members.clone();
                    members[at].1 = part;
                    Data::Map(members)
                })
            })
            .collect(),
        _ => Vec::new(),
    }
}
