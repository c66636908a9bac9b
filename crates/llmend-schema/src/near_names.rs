//! Warnings about members that resemble missing properties.

use std::collections::HashSet;

use llmend_json::{Diagnostic, Node, Severity, Value, push_token};

use crate::compile::{BranchChoice, Goal, Plain, Shape, ShapeId, Types};
use crate::evaluate::Evaluator;
use crate::fold::folded;
use crate::instance::Instance;
use crate::quote::clipped;
use crate::validate::depth_violation;
use crate::{Options, Schema};

/// Maximum number of warnings.
const MAX_WARNINGS: usize = 100;

/// Work budget in steps: warnings must not cost more than validation.
const MAX_WORK: usize = 10_000_000;

/// Returns a warning, `schema/near-name`, for each member of a valid value whose key differs only
/// in case, accents or separators from a missing optional property, such as `nickName` for
/// `nick_name`. Such members are allowed and therefore not renamed, but code that reads the value
/// into a type finds the property missing. The path is that of the member, the span that of its
/// key.
///
/// Objects that are maps, whose members are described by `additionalProperties` or
/// `patternProperties`, are skipped. There are at most 100 warnings, and the search stops after ten
/// million steps of work.
///
/// ```
/// use llmend_schema::{Schema, near_names};
///
/// let schema = Schema::from_text(r#"{"properties": {"nick_name": {"type": "string"}}}"#)?;
/// let parsed = llmend_json::parse(r#"{"nickName": "Ada"}"#)?;
/// let warnings = near_names(&parsed.value, &schema);
/// assert_eq!(warnings[0].code, "schema/near-name");
/// assert_eq!(warnings[0].help.as_deref(), Some("rename it to `nick_name` if that is intended"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn near_names(value: &Value<'_>, schema: &Schema) -> Vec<Diagnostic> {
    let options = Options { max_work_in_all: Some(MAX_WORK), ..Options::default() };
    let compiled = schema.compiled();
    if depth_violation(value, schema, &options).is_some() {
        return Vec::new();
    }
    let evaluator = Evaluator::new(&compiled.nodes, options.work(value));
    let mut search = Search {
        evaluator,
        shapes: &compiled.shapes,
        open: Vec::new(),
        steps: Vec::new(),
        warnings: vec![],
    };
    search.open.push((value.root(), 0, None));
    while let Some((node, shape, step)) = search.open.pop() {
        if search.warnings.len() >= MAX_WARNINGS || !search.evaluator.spend(1 + node.len()) {
            break;
        }
        if let Some(plain) = search.expected(shape, node) {
            search.within(plain, node, step);
        }
    }
    search.warnings.sort_by_key(|row| row.span.map(|span| span.start));
    search.warnings
}

/// Index of a step from a container to a part of it.
type Step = usize;

struct Search<'s, 'v> {
    evaluator: Evaluator<'s>,
    shapes: &'s [Shape],
    /// Containers to visit, the shape expected of each, and the step that leads to it.
    open: Vec<(Node<'v>, ShapeId, Option<Step>)>,
    /// The previous step, and the key or index.
    steps: Vec<(Option<Step>, Token<'v>)>,
    warnings: Vec<Diagnostic>,
}

#[derive(Clone, Copy)]
enum Token<'v> {
    Key(&'v str),
    Item(usize),
}

impl<'s, 'v> Search<'s, 'v> {
    /// Returns what is expected of a part, with conditions evaluated, and unions resolved to the
    /// only branch that the part fits.
    fn expected(&mut self, shape: ShapeId, node: Node<'v>) -> Option<&'s Plain> {
        let shapes = self.shapes;
        let instance = Instance::Node(node);
        let mut id = shape;
        let mut seen = HashSet::new();
        while seen.insert(id) {
            match &shapes.get(id as usize)?.goal {
                Goal::Plain(plain) => return plain.enum_values.is_none().then_some(&**plain),
                Goal::Opaque => return None,
                Goal::Either { when, then, other, .. } => {
                    id = if self.evaluator.fits(*when, instance) { *then } else { *other };
                }
                Goal::Union { branches, .. } => {
                    let mut fitting =
                        branches.iter().filter(|branch| self.fits(**branch, instance));
                    let (Some(only), None) = (fitting.next(), fitting.next()) else { return None };
                    id = *only;
                }
            }
        }
        None
    }

    fn fits(&mut self, shape: ShapeId, instance: Instance<'_>) -> bool {
        let Some(shape) = self.shapes.get(shape as usize) else { return false };
        shape.holds.iter().all(|holds| match holds.choice {
            BranchChoice::Pending => self.evaluator.fits(holds.id, instance),
            BranchChoice::Made => self.evaluator.fits_own(holds.id, instance),
        })
    }

    /// Checks the members of an object, and queues nested containers.
    fn within(&mut self, plain: &'s Plain, node: Node<'v>, step: Option<Step>) {
        let mut unnamed = Vec::new();
        for (key, value) in node.members() {
            let name = key.str().unwrap_or_default();
            let target = if let Some(at) = plain.by_name.get(name) {
                plain.properties.get(*at).map(|property| property.shape)
            } else {
                unnamed.push((key, name));
                plain.rest.filter(|_| plain.patterns.is_empty())
            };
            self.enter(target, value, step, Token::Key(name));
        }
        if !unnamed.is_empty() && self.is_open(plain) {
            let names = node.members().filter_map(|(key, _)| key.str());
            let present: HashSet<usize> =
                names.filter_map(|name| plain.by_name.get(name).copied()).collect();
            if present.len() < plain.properties.len() {
                for (key, name) in unnamed {
                    self.check_name(plain, &present, key, name, step);
                }
            }
        }
        if plain.prefix.is_empty() && plain.items.is_none_or(|items| self.names_nothing(items)) {
            return;
        }
        let mut prefix = plain.prefix.iter().copied();
        for (at, item) in node.items().enumerate() {
            let target = prefix.next().or(plain.items);
            self.enter(target, item, step, Token::Item(at));
        }
    }

    /// Returns whether a shape names no members, neither of a part nor of anything in it.
    fn names_nothing(&self, shape: ShapeId) -> bool {
        match self.shapes.get(shape as usize).map(|shape| &shape.goal) {
            Some(Goal::Plain(plain)) => {
                let Plain { properties, rest, prefix, items, .. } = &**plain;
                properties.is_empty() && rest.is_none() && prefix.is_empty() && items.is_none()
            }
            _ => false,
        }
    }

    fn enter(
        &mut self,
        target: Option<ShapeId>,
        node: Node<'v>,
        step: Option<Step>,
        token: Token<'v>,
    ) {
        if let Some(target) = target.filter(|_| !node.is_empty()) {
            self.open.push((node, target, Some(self.steps.len())));
            self.steps.push((step, token));
        }
    }

    /// Returns whether an object may have arbitrary additional members.
    fn is_open(&self, plain: &Plain) -> bool {
        let rest = plain.rest.and_then(|rest| self.shapes.get(rest as usize));
        let anything = rest.is_none_or(|rest| match &rest.goal {
            Goal::Plain(rest) => rest.types == Types::ALL && rest.enum_values.is_none(),
            _ => false,
        });
        anything && !plain.closed && plain.patterns.is_empty()
    }

    /// Warns about a member whose key is another spelling of exactly one missing property.
    fn check_name(
        &mut self,
        plain: &Plain,
        present: &HashSet<usize>,
        key: Node<'v>,
        name: &str,
        step: Option<Step>,
    ) {
        if self.warnings.len() >= MAX_WARNINGS || !self.evaluator.spend(1 + name.len() / 8) {
            return;
        }
        let Some([only]) = plain.by_spelling.get(&folded(name)).map(Vec::as_slice) else { return };
        let Some(property) = plain.properties.get(*only) else { return };
        if present.contains(only) {
            return;
        }
        let expected = clipped(property.name.text.as_str());
        let message = format!(
            "unknown property `{}` resembles the missing property `{expected}`",
            clipped(name)
        );
        let mut path = self.path(step);
        push_token(&mut path, name);
        let row = Diagnostic::new("schema/near-name", Severity::Warning, message)
            .on(path)
            .at(key.span())
            .help(format!("rename it to `{expected}` if that is intended"));
        self.warnings.push(row);
    }

    /// Returns the JSON Pointer of the part that a step leads to.
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
