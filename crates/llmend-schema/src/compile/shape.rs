//! Merged subschemas.
//!
//! Several subschemas may apply to one part of a value: `allOf`, a reference with sibling keywords,
//! or a branch of a union with the keywords around it. A shape is the result of merging them, and
//! the target of coercion. Validity is still evaluated for each subschema.

use std::collections::HashMap;

use llmend_json::{Decimal, Node};
use serde_json::Value as Json;

use crate::compile::enum_values::{EnumValue, EnumValues};
use crate::compile::raw_schema::{Id, RawSchema};
use crate::compile::types::Types;
use crate::fold::folded;
use crate::instance::{Instance, canonical};
use crate::typo::Name;

/// Index of a shape.
pub(crate) type ShapeId = u32;

/// Maximum number of shapes; parts beyond are validated but not coerced.
const MAX_SHAPES: usize = 50_000;
/// Maximum number of merged subschemas.
const MAX_MERGED: usize = 256;

/// A subschema that applies to a part of the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Constraint {
    pub(crate) id: Id,
    pub(crate) choice: BranchChoice,
}

/// Whether a branch of the subschema's union has been chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum BranchChoice {
    Pending,
    Made,
}

/// The subschemas that apply to a part of the value, and the goal of coercion.
#[derive(Debug)]
pub(crate) struct Shape {
    pub(crate) holds: Vec<Constraint>,
    pub(crate) goal: Goal,
}

/// The goal of coercion.
#[derive(Debug)]
pub(crate) enum Goal {
    /// One of several shapes.
    Union { branches: Vec<ShapeId>, tags: Option<Tags> },
    /// `then` if the value, once it fits `made`, fits the node `when`; otherwise `other`. Both
    /// include the constraints of `made`.
    Either { when: Id, made: ShapeId, then: ShapeId, other: ShapeId },
    /// A value of known types.
    Plain(Box<Plain>),
    /// A value that cannot be coerced.
    Opaque,
}

/// Discriminator of a union: a property that is constant in all branches.
#[derive(Debug)]
pub(crate) struct Tags {
    pub(crate) property: String,
    /// Branches by the canonical value.
    exact: HashMap<String, Vec<ShapeId>>,
    /// Branches by the folded text; none for texts that several values share.
    folded: HashMap<String, Vec<ShapeId>>,
}

impl Tags {
    /// Returns the branches that a value selects: exactly, or else by another spelling.
    pub(crate) fn branches(&self, value: Node<'_>) -> Option<&[ShapeId]> {
        let text = value.str().or_else(|| value.number())?;
        let branches =
            self.exact.get(&canonical(value)).or_else(|| self.folded.get(&folded(text)))?;
        Some(branches)
    }
}

/// Constraints on a value of known types.
#[derive(Debug)]
pub(crate) struct Plain {
    pub(crate) types: Types,
    pub(crate) enum_values: Option<EnumValues>,
    pub(crate) format: Option<String>,
    pub(crate) properties: Vec<Property>,
    pub(crate) by_name: HashMap<String, usize>,
    /// Properties by folded name.
    pub(crate) by_spelling: HashMap<String, Vec<usize>>,
    /// Properties by folded alias.
    pub(crate) by_alias: HashMap<String, Vec<usize>>,
    /// Whether other members are forbidden.
    pub(crate) closed: bool,
    /// The first node with `properties`, and the first that forbids other members.
    pub(crate) named_by: Option<Id>,
    pub(crate) closed_by: Option<Id>,
    /// Shape of other members, if the schema describes them.
    pub(crate) rest: Option<ShapeId>,
    /// Pattern properties: node, index in its list, and shape.
    pub(crate) patterns: Vec<(Id, usize, ShapeId)>,
    pub(crate) prefix: Vec<ShapeId>,
    pub(crate) items: Option<ShapeId>,
}

/// A property of an object.
#[derive(Debug)]
pub(crate) struct Property {
    pub(crate) name: Name,
    /// Aliases, folded.
    pub(crate) aliases: Vec<String>,
    pub(crate) shape: ShapeId,
    pub(crate) required: bool,
    pub(crate) default: Option<Json>,
    /// Whether the values are listed.
    pub(crate) literal: bool,
}

/// Merges all shapes that can be reached from the root, which is shape 0.
pub(crate) fn shapes(nodes: &[RawSchema]) -> Vec<Shape> {
    let mut merging = Merging { nodes, known: HashMap::new(), open: Vec::new() };
    let _ = merging.shape([Constraint { id: 0, choice: BranchChoice::Pending }]);
    let mut shapes = Vec::new();
    while let Some(holds) = merging.open.get(shapes.len()).cloned() {
        let goal = if shapes.len() >= MAX_SHAPES || holds.len() > MAX_MERGED {
            Goal::Opaque
        } else {
            merging.goal(&holds)
        };
        shapes.push(Shape { holds, goal });
    }
    for at in 0..shapes.len() {
        let found = match shapes.get(at).map(|shape| &shape.goal) {
            Some(Goal::Union { branches, .. }) => tags(branches, &shapes),
            _ => continue,
        };
        if let Some(Shape { goal: Goal::Union { tags, .. }, .. }) = shapes.get_mut(at) {
            *tags = found;
        }
    }
    shapes
}

/// Finds a property that is required and constant in all branches that allow objects.
fn tags(branches: &[ShapeId], shapes: &[Shape]) -> Option<Tags> {
    let plain = |id: &ShapeId| match shapes.get(*id as usize).map(|shape| &shape.goal) {
        Some(Goal::Plain(plain)) => Some(plain),
        _ => None,
    };
    // Branches that allow no objects do not matter for objects.
    let takes_objects = |branch: &&ShapeId| plain(branch).is_none_or(|plain| plain.types.object());
    let objects: Vec<&ShapeId> = branches.iter().filter(takes_objects).collect();
    let first = plain(objects.first()?)?;
    let literal = |plain: &Plain, name: &str| -> Option<&[EnumValue]> {
        let property = plain.properties.get(*plain.by_name.get(name)?)?;
        let Goal::Plain(value) = &shapes.get(property.shape as usize)?.goal else { return None };
        Some(&value.enum_values.as_ref().filter(|_| property.required)?.all)
    };
    first.properties.iter().find_map(|property| {
        let property = &property.name.text;
        let mut exact: HashMap<String, Vec<ShapeId>> = HashMap::new();
        let mut folded: HashMap<String, Vec<ShapeId>> = HashMap::new();
        let mut first: HashMap<&str, String> = HashMap::new();
        let mut unclear: Vec<&str> = Vec::new();
        for branch in &objects {
            for listed in literal(plain(branch)?, property)? {
                let (value, name) = (written(&listed.value), listed.name.folded.as_str());
                if *first.entry(name).or_insert_with(|| value.clone()) != value {
                    unclear.push(name);
                }
                exact.entry(value).or_default().push(**branch);
                folded.entry(name.to_owned()).or_default().push(**branch);
            }
        }
        for name in unclear {
            folded.insert(name.to_owned(), Vec::new());
        }
        Some(Tags { property: property.clone(), exact, folded })
    })
}

/// Returns a value in canonical form, as `canonical` does.
fn written(value: &Json) -> String {
    let number = value.as_number().and_then(|number| Decimal::parse(&number.to_string()));
    number.map_or_else(|| value.to_string(), |number| number.to_string())
}

/// Merges subschemas into shapes.
struct Merging<'n> {
    nodes: &'n [RawSchema],
    known: HashMap<Vec<Constraint>, ShapeId>,
    open: Vec<Vec<Constraint>>,
}

impl<'n> Merging<'n> {
    fn raw(&self, id: Id) -> Option<&'n RawSchema> {
        self.nodes.get(id as usize)
    }

    /// Returns the shape where these nodes and all that they refer to apply.
    fn shape(&mut self, nodes: impl IntoIterator<Item = Constraint>) -> ShapeId {
        let mut holds: Vec<Constraint> = nodes.into_iter().collect();
        let mut at = 0;
        while let Some(raw) = holds.get(at).and_then(|holds| self.raw(holds.id)) {
            for id in &raw.all {
                if !holds.iter().any(|known| known.id == *id) && holds.len() <= MAX_MERGED {
                    holds.push(Constraint { id: *id, choice: BranchChoice::Pending });
                }
            }
            at += 1;
        }
        holds.sort_unstable();
        holds.dedup_by_key(|holds| holds.id);
        if let Some(id) = self.known.get(&holds) {
            return *id;
        }
        let id = ShapeId::try_from(self.open.len()).unwrap_or(ShapeId::MAX);
        self.known.insert(holds.clone(), id);
        self.open.push(holds);
        id
    }

    fn open_shape(&mut self, ids: &[Id]) -> ShapeId {
        self.shape(ids.iter().map(|id| Constraint { id: *id, choice: BranchChoice::Pending }))
    }

    fn goal(&mut self, holds: &[Constraint]) -> Goal {
        let choosing = holds.iter().enumerate().find_map(|(at, holds)| {
            let raw = self.raw(holds.id)?;
            let choice = raw.any.is_some() || raw.one.is_some() || raw.condition.is_some();
            (choice && holds.choice == BranchChoice::Pending).then_some((at, raw))
        });
        let Some((at, raw)) = choosing else { return self.plain(holds, None) };
        let made: Vec<Constraint> = holds
            .iter()
            .enumerate()
            .map(|(place, holds)| {
                let choice = if place == at { BranchChoice::Made } else { holds.choice };
                Constraint { choice, ..*holds }
            })
            .collect();
        if let Some(values) =
            raw.any.as_ref().or(raw.one.as_ref()).and_then(|branches| self.scalar_values(branches))
        {
            return self.plain(&made, Some(values));
        }
        let mut branch = |ids: Vec<Id>| {
            let more = ids.into_iter().map(|id| Constraint { id, choice: BranchChoice::Pending });
            self.shape(made.iter().copied().chain(more))
        };
        if let Some(branches) = raw.any.as_ref().or(raw.one.as_ref()) {
            let branches = branches.iter().map(|id| branch(vec![*id])).collect();
            return Goal::Union { branches, tags: None };
        }
        match raw.condition {
            Some(condition) => Goal::Either {
                when: condition.when,
                made: branch(Vec::new()),
                then: branch(condition.then.into_iter().collect()),
                other: branch(condition.other.into_iter().collect()),
            },
            None => Goal::Opaque,
        }
    }

    /// Returns the values of a union whose branches are all lists of scalars.
    fn scalar_values(&self, branches: &[Id]) -> Option<Vec<EnumValue>> {
        let mut all = Vec::new();
        for id in branches {
            let raw = self.raw(*id)?;
            let values = raw.values.as_ref()?;
            let plain = raw.all.is_empty()
                && raw.any.is_none()
                && raw.one.is_none()
                && raw.condition.is_none()
                && !values.iter().any(|value| value.is_array() || value.is_object());
            if !plain {
                return None;
            }
            all.extend(EnumValue::all(raw).unwrap_or_default());
        }
        Some(all)
    }

    fn plain(&mut self, holds: &[Constraint], values: Option<Vec<EnumValue>>) -> Goal {
        let raws: Vec<&RawSchema> = holds.iter().filter_map(|holds| self.raw(holds.id)).collect();
        if raws.iter().any(|raw| raw.never) {
            return Goal::Opaque;
        }
        let types = raws.iter().fold(Types::ALL, |types, raw| types.and(raw.types));
        let mut values = values.or_else(|| {
            let values = raws.iter().find_map(|raw| raw.values.as_ref())?;
            Some(values.iter().map(EnumValue::new).collect())
        });
        if let Some(values) = &mut values {
            values.retain(|value| {
                let instance = scalar(&value.value);
                raws.iter().all(|raw| instance.is_none_or(|instance| raw.takes(instance)))
            });
        }
        let (properties, closed) = self.properties(&raws);
        let by_name = properties
            .iter()
            .enumerate()
            .map(|(at, property)| (property.name.text.clone(), at))
            .collect();
        let mut by_spelling: HashMap<String, Vec<usize>> = HashMap::new();
        let mut by_alias: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, property) in properties.iter().enumerate() {
            by_spelling.entry(property.name.folded.clone()).or_default().push(at);
            for alias in &property.aliases {
                by_alias.entry(alias.clone()).or_default().push(at);
            }
        }
        let further: Vec<Id> = raws.iter().filter_map(|raw| raw.additional).collect();
        let rest = (!closed && !further.is_empty()).then(|| self.open_shape(&further));
        let mut patterns = Vec::new();
        for (holds, raw) in holds.iter().zip(&raws) {
            for (at, (_, id)) in raw.patterns.iter().enumerate() {
                patterns.push((holds.id, at, self.open_shape(&[*id])));
            }
        }
        let (prefix, items) = self.items(&raws);
        let (named_by, closed_by) = self.named_by(holds);
        Goal::Plain(Box::new(Plain {
            named_by,
            closed_by,
            types,
            enum_values: values.map(EnumValues::new),
            format: raws.iter().find_map(|raw| raw.format.clone()),
            properties,
            by_name,
            by_spelling,
            by_alias,
            closed,
            rest,
            patterns,
            prefix,
            items,
        }))
    }

    /// Returns the first default of the nodes and their references.
    fn default(&self, nodes: &[Id]) -> Option<Json> {
        let mut open = nodes.to_vec();
        let mut at = 0;
        while let Some(raw) = open.get(at).filter(|_| at < MAX_MERGED).and_then(|id| self.raw(*id))
        {
            if let Some(default) = &raw.default {
                return Some(default.clone());
            }
            open.extend(raw.all.iter().copied());
            at += 1;
        }
        None
    }

    /// Returns the first node with `properties`, and the first that forbids other members.
    fn named_by(&self, holds: &[Constraint]) -> (Option<Id>, Option<Id>) {
        let first = |is: &dyn Fn(&RawSchema) -> bool| {
            let mut all = holds.iter().map(|holds| holds.id);
            all.find(|id| self.raw(*id).is_some_and(is))
        };
        let closes = |raw: &RawSchema| {
            raw.additional.and_then(|id| self.raw(id)).is_some_and(|further| further.never)
        };
        (first(&|raw| !raw.properties.is_empty()), first(&closes))
    }

    fn properties(&mut self, raws: &[&RawSchema]) -> (Vec<Property>, bool) {
        let mut properties: Vec<Property> = Vec::new();
        let mut names: HashMap<&str, Vec<Id>> = HashMap::new();
        let mut order: Vec<&str> = Vec::new();
        for raw in raws {
            for (name, id) in &raw.properties {
                let nodes = names.entry(name).or_default();
                if nodes.is_empty() {
                    order.push(name);
                }
                nodes.push(*id);
            }
        }
        for name in order {
            let mut nodes = names.remove(name).unwrap_or_default();
            for raw in raws.iter().filter(|raw| !raw.by_name.contains_key(name)) {
                let matched = raw
                    .patterns
                    .iter()
                    .filter(|(pattern, _)| pattern.is_valid(Instance::Text(name)));
                let before = nodes.len();
                nodes.extend(matched.map(|(_, id)| *id));
                if nodes.len() == before {
                    nodes.extend(raw.additional);
                }
            }
            let described: Vec<&RawSchema> = nodes.iter().filter_map(|id| self.raw(*id)).collect();
            let mut aliases: Vec<String> = described
                .iter()
                .flat_map(|raw| raw.aliases.iter().chain(&raw.title))
                .map(|alias| folded(alias))
                .collect();
            aliases.dedup();
            properties.push(Property {
                name: Name::new(name),
                aliases,
                required: raws.iter().any(|raw| raw.required.iter().any(|key| key == name)),
                default: self.default(&nodes),
                literal: described.iter().any(|raw| raw.values.is_some()),
                shape: self.open_shape(&nodes),
            });
        }
        let never = |id: Id| self.raw(id).is_some_and(|raw| raw.never);
        let closed = raws.iter().any(|raw| raw.additional.is_some_and(never));
        (properties, closed)
    }

    fn items(&mut self, raws: &[&RawSchema]) -> (Vec<ShapeId>, Option<ShapeId>) {
        let length = raws.iter().map(|raw| raw.prefix.len()).max().unwrap_or(0);
        let prefix = (0..length)
            .map(|at| {
                let nodes: Vec<Id> = raws
                    .iter()
                    .filter_map(|raw| raw.prefix.get(at).copied().or(raw.items))
                    .collect();
                self.open_shape(&nodes)
            })
            .collect();
        let rest: Vec<Id> = raws.iter().filter_map(|raw| raw.items).collect();
        let items = (!rest.is_empty()).then(|| self.open_shape(&rest));
        (prefix, items)
    }
}

/// Returns an enum value as an instance, if it is a scalar but not a number, which would need
/// storage for its digits.
fn scalar(value: &Json) -> Option<Instance<'_>> {
    match value {
        Json::Null => Some(Instance::Null),
        Json::Bool(value) => Some(Instance::Bool(*value)),
        Json::String(text) => Some(Instance::Text(text)),
        _ => None,
    }
}
