//! Which members bear the name of an absent property in another spelling?

use std::collections::HashSet;

use llmend_json::{Diagnostic, Node, Severity, Value, push_token};

use crate::clip::clipped;
use crate::compile::{Choice, Goal, Plain, Shape, ShapeId, Types};
use crate::fold::folded;
use crate::instance::Part;
use crate::verdict::Judge;
use crate::violation::too_deep;
use crate::{Options, Schema};

/// Most members that are told of.
const MOST_TOLD: usize = 100;

/// Most steps of work: what only warns may not cost more than what decides.
const MOST_WORK: usize = 10_000_000;

/// A warning, `schema/near-name`, for each member of a value that fits, whose key differs only in
/// case, accents or separators from an optional property that is absent: `nickName` beside an
/// optional `nick_name`. Such a member may stand where others are allowed, so it is not renamed; but
/// who reads the value into a type finds the property empty. The path is that of the member, the
/// span that of its key.
///
/// Nothing is told of an object that is a map: whose other members are described by
/// `additionalProperties` or `patternProperties`. At most 100 members are told of, and none beyond
/// ten million steps of work.
#[must_use]
pub fn near_names(value: &Value<'_>, schema: &Schema) -> Vec<Diagnostic> {
    let options = Options { max_work_in_all: Some(MOST_WORK), ..Options::default() };
    let compiled = schema.compiled();
    if too_deep(value, schema, &options).is_some() {
        return Vec::new();
    }
    let judge = Judge::new(&compiled.nodes, options.work(value));
    let mut search = Search {
        judge,
        shapes: &compiled.shapes,
        open: Vec::new(),
        steps: Vec::new(),
        told: vec![],
    };
    search.open.push((value.root(), 0, None));
    while let Some((node, shape, step)) = search.open.pop() {
        if search.told.len() >= MOST_TOLD || !search.judge.pay(1 + node.len()) {
            break;
        }
        if let Some(plain) = search.wanted(shape, node) {
            search.within(plain, node, step);
        }
    }
    search.told.sort_by_key(|row| row.span.map(|span| span.start));
    search.told
}

/// The number of a step from a container to a part of it.
type Step = usize;

struct Search<'s, 'v> {
    judge: Judge<'s>,
    shapes: &'s [Shape],
    /// Containers that are still to be looked at, what is wanted of each, and how it was reached.
    open: Vec<(Node<'v>, ShapeId, Option<Step>)>,
    /// The step before, and the key or the number of the item.
    steps: Vec<(Option<Step>, Token<'v>)>,
    told: Vec<Diagnostic>,
}

#[derive(Clone, Copy)]
enum Token<'v> {
    Key(&'v str),
    Item(usize),
}

impl<'s, 'v> Search<'s, 'v> {
    /// What is wanted of a part, where the choices that the schema leaves are made by the part: of a
    /// union, by the only arm that it fits.
    fn wanted(&mut self, shape: ShapeId, node: Node<'v>) -> Option<&'s Plain> {
        let shapes = self.shapes;
        let part = Part::Node(node);
        let mut id = shape;
        let mut seen = HashSet::new();
        while seen.insert(id) {
            match &shapes.get(id as usize)?.goal {
                Goal::Plain(plain) => return plain.words.is_none().then_some(&**plain),
                Goal::Opaque => return None,
                Goal::Either { when, then, other, .. } => {
                    id = if self.judge.fits(*when, part) { *then } else { *other };
                }
                Goal::Union { arms, .. } => {
                    let mut fitting = arms.iter().filter(|arm| self.fits(**arm, part));
                    let (Some(only), None) = (fitting.next(), fitting.next()) else { return None };
                    id = *only;
                }
            }
        }
        None
    }

    fn fits(&mut self, shape: ShapeId, part: Part<'_>) -> bool {
        let Some(shape) = self.shapes.get(shape as usize) else { return false };
        shape.holds.iter().all(|holds| match holds.choice {
            Choice::Open => self.judge.fits(holds.id, part),
            Choice::Made => self.judge.own(holds.id, part),
        })
    }

    /// Tells of the members of an object, and opens what is within an object or a list.
    fn within(&mut self, plain: &'s Plain, node: Node<'v>, step: Option<Step>) {
        let mut unnamed = Vec::new();
        let mut present = HashSet::new();
        for (key, value) in node.members() {
            let name = key.str().unwrap_or_default();
            let asked = if let Some(at) = plain.by_name.get(name) {
                present.insert(*at);
                plain.properties.get(*at).map(|property| property.shape)
            } else {
                unnamed.push((key, name));
                plain.rest.filter(|_| plain.patterns.is_empty())
            };
            self.enter(asked, value, step, Token::Key(name));
        }
        if !unnamed.is_empty() && present.len() < plain.properties.len() && self.is_open(plain) {
            for (key, name) in unnamed {
                self.tell(plain, &present, key, name, step);
            }
        }
        let mut prefix = plain.prefix.iter().copied();
        for (at, item) in node.items().enumerate() {
            let asked = prefix.next().or(plain.items);
            self.enter(asked, item, step, Token::Item(at));
        }
    }

    fn enter(
        &mut self,
        asked: Option<ShapeId>,
        node: Node<'v>,
        step: Option<Step>,
        token: Token<'v>,
    ) {
        if let Some(asked) = asked.filter(|_| !node.is_empty()) {
            self.open.push((node, asked, Some(self.steps.len())));
            self.steps.push((step, token));
        }
    }

    /// Whether an object may have members that nothing is said of.
    fn is_open(&self, plain: &Plain) -> bool {
        let said = plain.rest.and_then(|rest| self.shapes.get(rest as usize));
        let anything = said.is_none_or(|said| match &said.goal {
            Goal::Plain(rest) => rest.types == Types::ALL && rest.words.is_none(),
            _ => false,
        });
        anything && !plain.closed && plain.patterns.is_empty()
    }

    /// Tells of a member, if its key spells one absent property and no other one.
    fn tell(
        &mut self,
        plain: &Plain,
        present: &HashSet<usize>,
        key: Node<'v>,
        name: &str,
        step: Option<Step>,
    ) {
        if self.told.len() >= MOST_TOLD || !self.judge.pay(1 + name.len() / 8) {
            return;
        }
        let Some([only]) = plain.by_spelling.get(&folded(name)).map(Vec::as_slice) else { return };
        let Some(property) = plain.properties.get(*only) else { return };
        if present.contains(only) {
            return;
        }
        let wanted = clipped(property.name.text.as_str());
        let message = format!(
            "`{}` is not the property `{wanted}`, which is absent: it is kept as another member",
            clipped(name)
        );
        let mut path = self.path(step);
        push_token(&mut path, name);
        let row = Diagnostic::new("schema/near-name", Severity::Warning, message)
            .on(path)
            .at(key.span())
            .help(format!("write `{wanted}` if that is meant"));
        self.told.push(row);
    }

    /// JSON Pointer of the part that a step leads to.
    fn path(&self, step: Option<Step>) -> String {
        let mut tokens = Vec::new();
        let mut at = step;
        while let Some((before, token)) = at.and_then(|at| self.steps.get(at)) {
            tokens.push(*token);
            at = *before;
        }
        let mut path = String::new();
        for token in tokens.into_iter().rev() {
            match token {
                Token::Key(key) => push_token(&mut path, key),
                Token::Item(at) => push_token(&mut path, &at.to_string()),
            }
        }
        path
    }
}
