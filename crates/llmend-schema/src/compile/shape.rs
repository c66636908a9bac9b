//! What is wanted at a place, all that holds there taken together?
//!
//! A place may be described by several nodes at once: `allOf`, a reference with words beside it, an
//! arm of a union with what stands around the union. A shape is such a set of nodes, merged: what
//! coercion aims at. Whether a value *fits* is still asked of each node.

use std::collections::HashMap;

use llmend_json::{Decimal, Node};
use serde_json::Value as Json;

use crate::compile::raw::{Id, Raw};
use crate::compile::types::Types;
use crate::compile::words::{Word, Words};
use crate::fold::folded;
use crate::instance::{Part, canonical};
use crate::slip::Name;

/// Number of a shape.
pub(crate) type ShapeId = u32;

/// Most shapes; what goes beyond is validated, and not coerced.
const MOST_SHAPES: usize = 50_000;
/// Most nodes that are merged into one.
const MOST_MERGED: usize = 256;

/// A node that holds at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Holds {
    pub(crate) id: Id,
    pub(crate) choice: Choice,
}

/// Whether a node's list of choices still has to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Choice {
    Open,
    Made,
}

/// What is wanted at a place.
#[derive(Debug)]
pub(crate) struct Shape {
    pub(crate) holds: Vec<Holds>,
    pub(crate) goal: Goal,
}

/// How a value is brought there.
#[derive(Debug)]
pub(crate) enum Goal {
    /// One of these.
    Union { arms: Vec<ShapeId>, tags: Option<Tags> },
    /// `then` if the value fits the node `when` once it fits `made`, else `other`; both ask for all
    /// that `made` does.
    Either { when: Id, made: ShapeId, then: ShapeId, other: ShapeId },
    /// This.
    Plain(Box<Plain>),
    /// Not at all.
    Opaque,
}

/// What tells the arms of a union from each other: the values of one property that is literal in
/// all of them.
#[derive(Debug)]
pub(crate) struct Tags {
    pub(crate) property: String,
    /// By the value as JSON writes it, numbers as they mean.
    exact: HashMap<String, Vec<ShapeId>>,
    /// By the text of the value, folded; none where several values look alike.
    folded: HashMap<String, Vec<ShapeId>>,
}

impl Tags {
    /// The arms that a value speaks for: those that have it, or else those that it spells otherwise.
    pub(crate) fn arms(&self, value: Node<'_>) -> Option<&[ShapeId]> {
        let text = value.str().or_else(|| value.number())?;
        let arms = self.exact.get(&canonical(value)).or_else(|| self.folded.get(&folded(text)))?;
        Some(arms)
    }
}

/// A value of known types.
#[derive(Debug)]
pub(crate) struct Plain {
    pub(crate) types: Types,
    pub(crate) words: Option<Words>,
    pub(crate) format: Option<String>,
    pub(crate) properties: Vec<Property>,
    pub(crate) by_name: HashMap<String, usize>,
    /// By the folded name.
    pub(crate) by_spelling: HashMap<String, Vec<usize>>,
    /// By another name, folded.
    pub(crate) by_alias: HashMap<String, Vec<usize>>,
    /// Whether members without a name here are forbidden.
    pub(crate) closed: bool,
    /// The first node that names properties, and the one that forbids all others.
    pub(crate) named_by: Option<Id>,
    pub(crate) closed_by: Option<Id>,
    /// What members without a name here are, if anything is said of them.
    pub(crate) rest: Option<ShapeId>,
    /// What members are whose key a pattern of a node matches: node, place in its list, shape.
    pub(crate) patterns: Vec<(Id, usize, ShapeId)>,
    pub(crate) prefix: Vec<ShapeId>,
    pub(crate) items: Option<ShapeId>,
}

/// A property of an object.
#[derive(Debug)]
pub(crate) struct Property {
    pub(crate) name: Name,
    /// Other names, folded.
    pub(crate) aliases: Vec<String>,
    pub(crate) shape: ShapeId,
    pub(crate) required: bool,
    pub(crate) default: Option<Json>,
    /// The values, where there is a list of them.
    pub(crate) literal: bool,
}

/// All shapes that can be reached from the root's, which is shape 0.
pub(crate) fn shapes(nodes: &[Raw]) -> Vec<Shape> {
    let mut merging = Merging { nodes, known: HashMap::new(), open: Vec::new() };
    let _ = merging.shape([Holds { id: 0, choice: Choice::Open }]);
    let mut shapes = Vec::new();
    while let Some(holds) = merging.open.get(shapes.len()).cloned() {
        let goal = if shapes.len() >= MOST_SHAPES || holds.len() > MOST_MERGED {
            Goal::Opaque
        } else {
            merging.goal(&holds)
        };
        shapes.push(Shape { holds, goal });
    }
    for at in 0..shapes.len() {
        let found = match shapes.get(at).map(|shape| &shape.goal) {
            Some(Goal::Union { arms, .. }) => tags(arms, &shapes),
            _ => continue,
        };
        if let Some(Shape { goal: Goal::Union { tags, .. }, .. }) = shapes.get_mut(at) {
            *tags = found;
        }
    }
    shapes
}

/// The property that is required and literal in all arms that are objects, if there is one.
fn tags(arms: &[ShapeId], shapes: &[Shape]) -> Option<Tags> {
    let plain = |id: &ShapeId| match shapes.get(*id as usize).map(|shape| &shape.goal) {
        Some(Goal::Plain(plain)) => Some(plain),
        _ => None,
    };
    // An arm that takes no objects is not meant by one.
    let takes_objects = |arm: &&ShapeId| plain(arm).is_none_or(|plain| plain.types.object());
    let objects: Vec<&ShapeId> = arms.iter().filter(takes_objects).collect();
    let first = plain(objects.first()?)?;
    let literal = |plain: &Plain, name: &str| -> Option<&[Word]> {
        let property = plain.properties.get(*plain.by_name.get(name)?)?;
        let Goal::Plain(value) = &shapes.get(property.shape as usize)?.goal else { return None };
        Some(&value.words.as_ref().filter(|_| property.required)?.all)
    };
    first.properties.iter().find_map(|property| {
        let property = &property.name.text;
        let mut exact: HashMap<String, Vec<ShapeId>> = HashMap::new();
        let mut folded: HashMap<String, Vec<ShapeId>> = HashMap::new();
        let mut first: HashMap<&str, String> = HashMap::new();
        let mut unclear: Vec<&str> = Vec::new();
        for arm in &objects {
            for word in literal(plain(arm)?, property)? {
                let (value, name) = (written(&word.value), word.name.folded.as_str());
                if *first.entry(name).or_insert_with(|| value.clone()) != value {
                    unclear.push(name);
                }
                exact.entry(value).or_default().push(**arm);
                folded.entry(name.to_owned()).or_default().push(**arm);
            }
        }
        for name in unclear {
            folded.insert(name.to_owned(), Vec::new());
        }
        Some(Tags { property: property.clone(), exact, folded })
    })
}

/// A value as `canonical` writes it.
fn written(value: &Json) -> String {
    let number = value.as_number().and_then(|number| Decimal::parse(&number.to_string()));
    number.map_or_else(|| value.to_string(), |number| number.to_string())
}

/// Merges nodes into shapes.
struct Merging<'n> {
    nodes: &'n [Raw],
    known: HashMap<Vec<Holds>, ShapeId>,
    open: Vec<Vec<Holds>>,
}

impl<'n> Merging<'n> {
    fn raw(&self, id: Id) -> Option<&'n Raw> {
        self.nodes.get(id as usize)
    }

    /// The shape of a place where these nodes hold, and all that they refer to.
    fn shape(&mut self, nodes: impl IntoIterator<Item = Holds>) -> ShapeId {
        let mut holds: Vec<Holds> = nodes.into_iter().collect();
        let mut at = 0;
        while let Some(raw) = holds.get(at).and_then(|holds| self.raw(holds.id)) {
            for id in &raw.all {
                if !holds.iter().any(|known| known.id == *id) && holds.len() <= MOST_MERGED {
                    holds.push(Holds { id: *id, choice: Choice::Open });
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
        self.shape(ids.iter().map(|id| Holds { id: *id, choice: Choice::Open }))
    }

    fn goal(&mut self, holds: &[Holds]) -> Goal {
        let choosing = holds.iter().enumerate().find_map(|(at, holds)| {
            let raw = self.raw(holds.id)?;
            let choice = raw.any.is_some() || raw.one.is_some() || raw.condition.is_some();
            (choice && holds.choice == Choice::Open).then_some((at, raw))
        });
        let Some((at, raw)) = choosing else { return self.plain(holds, None) };
        let made: Vec<Holds> = holds
            .iter()
            .enumerate()
            .map(|(place, holds)| {
                let choice = if place == at { Choice::Made } else { holds.choice };
                Holds { choice, ..*holds }
            })
            .collect();
        if let Some(words) =
            raw.any.as_ref().or(raw.one.as_ref()).and_then(|arms| self.words_of(arms))
        {
            return self.plain(&made, Some(words));
        }
        let mut arm = |ids: Vec<Id>| {
            let more = ids.into_iter().map(|id| Holds { id, choice: Choice::Open });
            self.shape(made.iter().copied().chain(more))
        };
        if let Some(arms) = raw.any.as_ref().or(raw.one.as_ref()) {
            let arms = arms.iter().map(|id| arm(vec![*id])).collect();
            return Goal::Union { arms, tags: None };
        }
        match raw.condition {
            Some(condition) => Goal::Either {
                when: condition.when,
                made: arm(Vec::new()),
                then: arm(condition.then.into_iter().collect()),
                other: arm(condition.other.into_iter().collect()),
            },
            None => Goal::Opaque,
        }
    }

    /// The values of a union of which each arm is a list of scalars.
    fn words_of(&self, arms: &[Id]) -> Option<Vec<Word>> {
        let mut words = Vec::new();
        for id in arms {
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
            words.extend(Word::all(raw).unwrap_or_default());
        }
        Some(words)
    }

    fn plain(&mut self, holds: &[Holds], words: Option<Vec<Word>>) -> Goal {
        let raws: Vec<&Raw> = holds.iter().filter_map(|holds| self.raw(holds.id)).collect();
        if raws.iter().any(|raw| raw.never) {
            return Goal::Opaque;
        }
        let types = raws.iter().fold(Types::ALL, |types, raw| types.and(raw.types));
        let mut words = words.or_else(|| {
            let values = raws.iter().find_map(|raw| raw.values.as_ref())?;
            Some(values.iter().map(Word::new).collect())
        });
        if let Some(words) = &mut words {
            words.retain(|word| {
                let part = scalar(&word.value);
                raws.iter().all(|raw| part.is_none_or(|part| raw.takes(part)))
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
            words: words.map(Words::new),
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

    /// The first default among the nodes, and those that they refer to.
    fn default(&self, nodes: &[Id]) -> Option<Json> {
        let mut open = nodes.to_vec();
        let mut at = 0;
        while let Some(raw) = open.get(at).filter(|_| at < MOST_MERGED).and_then(|id| self.raw(*id))
        {
            if let Some(default) = &raw.default {
                return Some(default.clone());
            }
            open.extend(raw.all.iter().copied());
            at += 1;
        }
        None
    }

    /// The first node that names properties, and the first that forbids all others.
    fn named_by(&self, holds: &[Holds]) -> (Option<Id>, Option<Id>) {
        let first = |is: &dyn Fn(&Raw) -> bool| {
            let mut all = holds.iter().map(|holds| holds.id);
            all.find(|id| self.raw(*id).is_some_and(is))
        };
        let closes = |raw: &Raw| {
            raw.additional.and_then(|id| self.raw(id)).is_some_and(|further| further.never)
        };
        (first(&|raw| !raw.properties.is_empty()), first(&closes))
    }

    fn properties(&mut self, raws: &[&Raw]) -> (Vec<Property>, bool) {
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
                let matched =
                    raw.patterns.iter().filter(|(pattern, _)| pattern.is_valid(Part::Text(name)));
                let before = nodes.len();
                nodes.extend(matched.map(|(_, id)| *id));
                if nodes.len() == before {
                    nodes.extend(raw.additional);
                }
            }
            let described: Vec<&Raw> = nodes.iter().filter_map(|id| self.raw(*id)).collect();
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

    fn items(&mut self, raws: &[&Raw]) -> (Vec<ShapeId>, Option<ShapeId>) {
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

/// A value of an enumeration as a part, if it is a scalar that is not a number: numbers need a
/// place for their digits.
fn scalar(value: &Json) -> Option<Part<'_>> {
    match value {
        Json::Null => Some(Part::Null),
        Json::Bool(value) => Some(Part::Bool(*value)),
        Json::String(text) => Some(Part::Text(text)),
        _ => None,
    }
}
