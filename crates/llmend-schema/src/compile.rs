//! Compilation of schemas.

mod bound;
mod enum_values;
mod envelope;
mod keywords;
mod lower;
mod openapi;
mod raw_schema;
pub(crate) mod reference;
mod schema_error;
mod shape;
mod spellings;
mod types;
mod validator;

use std::collections::HashSet;

use jsonschema::{Draft, Validator};
use serde_json::Value as Json;

pub(crate) use bound::Bound;
pub use bound::check_numbers;
#[cfg(test)]
pub(crate) use enum_values::EnumValue;
pub(crate) use enum_values::{EnumValues, MatchBy};
pub(crate) use envelope::opened;
pub(crate) use keywords::{Evaluated, is_evaluated};
pub(crate) use raw_schema::{Id, RawSchema};
pub(crate) use shape::{BranchChoice, Goal, Plain, Property, Shape, ShapeId, Tags};
pub(crate) use spellings::Spellings;
pub(crate) use types::Types;

use crate::{Error, instance::Tape, options::MAX_DEPTH};

/// Maximum number of subschemas that apply to one part of a value, with references followed.
const MAX_HERE: usize = 100_000;
/// Maximum nesting of references and unions at one part of a value.
const MAX_CHAINED: usize = 64;
/// Maximum nesting of subschemas, with references followed.
const MAX_NESTED: usize = 512;

/// A compiled schema.
pub(crate) struct Compiled {
    pub(crate) validator: Validator<Tape>,
    /// The subschemas; the first is the root.
    pub(crate) nodes: Vec<RawSchema>,
    /// The merged shapes; the first is that of the root.
    pub(crate) shapes: Vec<Shape>,
    pub(crate) spellings: Spellings,
    /// Longest chain of references and unions at one part of a value.
    pub(crate) chained: usize,
}

pub(crate) fn compile(schema: &Json) -> Result<Compiled, Error> {
    if depth(schema) > MAX_DEPTH {
        return Err(Error::Depth(MAX_DEPTH));
    }
    let schema = &openapi::normalize(schema);
    let draft = draft(schema)?;
    envelope::check(schema)?;
    let mut nodes = lower::Lowering::new(schema, draft).run();
    let chained = survey(&mut nodes)?;
    let validator = validator::build(schema, None)
        .map_err(|error| schema_error::schema_error(schema, &error))?;
    let shapes = shape::shapes(&nodes);
    let spellings = Spellings::of(&shapes);
    Ok(Compiled { validator, nodes, shapes, spellings, chained })
}

/// Returns the draft that a schema declares.
fn draft(schema: &Json) -> Result<Draft, Error> {
    match Draft::default().detect(schema) {
        Draft::Unknown => Err(Error::Schema {
            message: "unsupported `$schema`, expected draft 4, 6, 7, 2019-09 or 2020-12".to_owned(),
            path: "/$schema".to_owned(),
        }),
        known => Ok(known),
    }
}

/// Returns the nesting depth, without recursion.
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
        if deepest > MAX_DEPTH {
            open.truncate(before);
            return deepest;
        }
    }
    deepest
}

/// Marks the recursive nodes, and refuses a schema whose references multiply or nest beyond the
/// limits. Returns the longest chain at one part of a value.
fn survey(nodes: &mut [RawSchema]) -> Result<usize, Error> {
    let here = Traversal::over(nodes, |raw| raw.here().collect());
    for id in &here.looping {
        if let Some(raw) = nodes.get_mut(*id) {
            raw.loops = true;
        }
    }
    let all = Traversal::over(nodes, |raw| raw.here().chain(raw.within()).collect());
    if here.largest > MAX_HERE || here.deepest > MAX_CHAINED || all.deepest > MAX_NESTED {
        return Err(Error::Work);
    }
    Ok(here.deepest)
}

/// Properties of the graph of nodes, found by depth-first search.
struct Traversal {
    /// Nodes on a cycle.
    looping: HashSet<usize>,
    /// Length of the longest path.
    deepest: usize,
    /// Largest number of nodes reachable from one, counted once per path.
    largest: usize,
}

/// State of a node during the search.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    New,
    Open,
    Done,
}

impl Traversal {
    fn over(nodes: &[RawSchema], next: impl Fn(&RawSchema) -> Vec<Id>) -> Self {
        let mut traversal = Self { looping: HashSet::new(), deepest: 0, largest: 0 };
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
                    traversal.deepest = traversal.deepest.max(open.len());
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
                    traversal.largest = traversal.largest.max(size);
                    traversal.deepest = traversal.deepest.max(height);
                    continue;
                };
                match marks.get(child as usize) {
                    Some(Mark::New) => entering = Some(child as usize),
                    Some(Mark::Open) => {
                        let from = open.iter().position(|(at, _)| *at == child as usize);
                        let ring = open.iter().skip(from.unwrap_or_default());
                        traversal.looping.extend(ring.map(|(at, _)| *at));
                    }
                    _ => {}
                }
            }
        }
        traversal
    }
}

fn set<T>(list: &mut [T], at: usize, value: T) {
    if let Some(slot) = list.get_mut(at) {
        *slot = value;
    }
}
