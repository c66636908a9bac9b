//! How does a schema become something that a value can be held against?

mod envelope;
mod exact;
mod locate;
mod lower;
mod openapi;
mod raw;
mod shape;
mod spellings;
mod types;
mod unusable;
mod validator;
mod words;

use std::collections::HashSet;

use jsonschema::{Draft, Validator};
use serde_json::Value as Json;

pub(crate) use exact::Bound;
pub use exact::check_numbers;
pub(crate) use locate::join;
pub(crate) use lower::OPAQUE;
pub(crate) use raw::{Id, Raw};
pub(crate) use shape::{Choice, Goal, Plain, Property, Shape, ShapeId, Tags};
pub(crate) use spellings::Spellings;
pub(crate) use types::Types;
#[cfg(test)]
pub(crate) use words::Word;
pub(crate) use words::{Way, Words};

use crate::{Error, instance::Tape, options::MOST_DEPTH};

/// Most parts of the schema that hold for one place of a value, references followed.
const MOST_HERE: usize = 100_000;
/// Most references and lists within each other, at one place.
const MOST_CHAINED: usize = 64;
/// Most parts within each other, references followed.
const MOST_NESTED: usize = 512;

/// A schema that was looked through.
pub(crate) struct Compiled {
    pub(crate) validator: Validator<Tape>,
    /// Node 0 is the root.
    pub(crate) nodes: Vec<Raw>,
    /// Shape 0 is the root's.
    pub(crate) shapes: Vec<Shape>,
    pub(crate) spellings: Spellings,
    /// Most references and lists within each other, at one place.
    pub(crate) chained: usize,
}

pub(crate) fn compile(schema: &Json) -> Result<Compiled, Error> {
    if depth(schema) > MOST_DEPTH {
        return Err(Error::Depth(MOST_DEPTH));
    }
    let schema = &openapi::as_drafts_say(schema);
    let draft = draft(schema)?;
    envelope::check(schema)?;
    let mut nodes = lower::Lowering::new(schema, draft).run();
    let chained = survey(&mut nodes)?;
    let validator =
        validator::build(schema, None).map_err(|error| unusable::told(schema, &error))?;
    let shapes = shape::shapes(&nodes);
    let spellings = Spellings::of(&shapes);
    Ok(Compiled { validator, nodes, shapes, spellings, chained })
}

/// The draft that a schema says it is of.
fn draft(schema: &Json) -> Result<Draft, Error> {
    match Draft::default().detect(schema) {
        Draft::Unknown => Err(Error::Schema {
            message: "its `$schema` names no draft from 4 to 2020-12".to_owned(),
            path: "/$schema".to_owned(),
        }),
        known => Ok(known),
    }
}

/// Levels of nesting, counted without recursion.
fn depth(schema: &Json) -> usize {
    let mut open = vec![(schema, 1)];
    let mut deepest = 0;
    while let Some((part, level)) = open.pop() {
        let before = open.len();
        match part {
            Json::Object(map) => open.extend(map.values().map(|value| (value, level + 1))),
            Json::Array(items) => open.extend(items.iter().map(|item| (item, level + 1))),
            _ => continue,
        }
        deepest = deepest.max(level);
        if deepest > MOST_DEPTH {
            open.truncate(before);
            return deepest;
        }
    }
    deepest
}

/// Marks the nodes that depend on themselves, and refuses a schema whose references multiply or
/// nest beyond what can be validated. Gives the longest chain at one place.
fn survey(nodes: &mut [Raw]) -> Result<usize, Error> {
    let here = Walk::over(nodes, |raw| raw.here().collect());
    for id in &here.looping {
        if let Some(raw) = nodes.get_mut(*id) {
            raw.loops = true;
        }
    }
    let all = Walk::over(nodes, |raw| raw.here().chain(raw.within()).collect());
    if here.largest > MOST_HERE || here.deepest > MOST_CHAINED || all.deepest > MOST_NESTED {
        return Err(Error::Work);
    }
    Ok(here.deepest)
}

/// What a walk over the graph of the nodes finds, depth first.
struct Walk {
    /// Nodes from which a way leads back to themselves.
    looping: HashSet<usize>,
    /// Most nodes on one way.
    deepest: usize,
    /// Most nodes below one, each counted as often as ways lead to it.
    largest: usize,
}

/// How far a walk is with a node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    New,
    Open,
    Done,
}

impl Walk {
    fn over(nodes: &[Raw], next: impl Fn(&Raw) -> Vec<Id>) -> Self {
        let mut walk = Self { looping: HashSet::new(), deepest: 0, largest: 0 };
        let mut marks = vec![Mark::New; nodes.len()];
        let mut sizes = vec![1_usize; nodes.len()];
        let mut heights = vec![1_usize; nodes.len()];
        for root in 0..nodes.len() {
            if marks.get(root) != Some(&Mark::New) {
                continue;
            }
            let mut open: Vec<(usize, Vec<Id>)> = Vec::new();
            let mut entering = Some(root);
            loop {
                if let Some(id) = entering.take() {
                    let Some(raw) = nodes.get(id) else { break };
                    set(&mut marks, id, Mark::Open);
                    open.push((id, next(raw)));
                    walk.deepest = walk.deepest.max(open.len());
                }
                let Some((id, children)) = open.last_mut() else { break };
                let id = *id;
                let Some(child) = children.pop() else {
                    open.pop();
                    set(&mut marks, id, Mark::Done);
                    let children = nodes.get(id).map(&next).unwrap_or_default();
                    let of = |all: &[usize]| -> Vec<usize> {
                        let children = children.iter();
                        children.filter_map(|child| all.get(*child as usize)).copied().collect()
                    };
                    let size = of(&sizes).into_iter().fold(1_usize, usize::saturating_add);
                    let height = of(&heights).into_iter().max().unwrap_or(0).saturating_add(1);
                    set(&mut sizes, id, size);
                    set(&mut heights, id, height);
                    walk.largest = walk.largest.max(size);
                    walk.deepest = walk.deepest.max(height);
                    continue;
                };
                match marks.get(child as usize) {
                    Some(Mark::New) => entering = Some(child as usize),
                    Some(Mark::Open) => {
                        let from = open.iter().position(|(at, _)| *at == child as usize);
                        let ring = open.iter().skip(from.unwrap_or_default());
                        walk.looping.extend(ring.map(|(at, _)| *at));
                    }
                    _ => {}
                }
            }
        }
        walk
    }
}

fn set<T>(list: &mut [T], at: usize, value: T) {
    if let Some(slot) = list.get_mut(at) {
        *slot = value;
    }
}
