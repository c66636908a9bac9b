//! Coercion of values to a schema.
//!
//! A single pass over the value, guided by the shape expected at each part. Parts that fit are
//! taken over unchanged; the others are handled by one module per target type. Attempts, such as
//! those for the branches of a union, are undone, and their results are cached so that no part is
//! tried twice.

mod array;
mod attempt;
mod bare;
mod boolean;
mod condition;
mod conversion;
mod document;
mod doubt;
mod emphasis;
mod enumeration;
mod expression;
mod extra;
mod format;
mod integer;
pub(crate) mod keys;
mod missing;
mod null;
mod number;
mod object;
mod record;
mod scalar;
mod string;
mod union;
mod wrapper;

use std::collections::{HashMap, HashSet};
use std::hash::DefaultHasher;

use llmend_json::{Builder, Kind, Span, Value};

use crate::compile::{BranchChoice, Goal, Plain, Shape, ShapeId};
use crate::evaluate::Evaluator;
use crate::instance::Instance;
use crate::message::unsure;
use crate::validate::{depth_violation, diagnose_all, truncate, work_violation};
use crate::{
    Coerced, Emphasis, OnExtra, Options, OtherSpelling, Schema, Violation, duplicate_keys,
};
use conversion::Refusal;
use document::{Document, Documents, SourceNode};
use record::PendingCoercion;

/// Coerces `value` to `schema` without inventing data, and lists the changes.
///
/// A value that validates is not changed. The result is validated again: coercion succeeded if and
/// only if there are no violations. A valid value may still have violations: if two keys with
/// different values stand for one property of an open object, or if a coercion's class is worse
/// than the options allow.
///
/// ```
/// use llmend_schema::{CoercionKind, Options, Schema, coerce};
///
/// let schema = Schema::from_text(r#"{"type": "array", "items": {"enum": ["red", "green"]}}"#)?;
/// let parsed = llmend_json::parse(r#"["Red", "blue"]"#)?;
/// let coerced = coerce(&parsed.value, &schema, &Options::default());
/// assert_eq!(coerced.coercions[0].kind, CoercionKind::EnumSpelling);
/// assert_eq!(coerced.violations[0].path, "/1");
/// assert_eq!(coerced.violations[0].message, r#""blue" is not one of the allowed values"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn coerce(value: &Value<'_>, schema: &Schema, options: &Options) -> Coerced {
    if let Some(violation) = depth_violation(value, schema, options) {
        return untouched(value, vec![violation]);
    }
    let compiled = schema.compiled();
    let must_walk = options.emphasis == Emphasis::Strip
        || options.on_extra == OnExtra::Fail
        || (options.on_other_spelling == OtherSpelling::Rename
            && compiled.spellings.may_be_in(value));
    if !must_walk && !value.may_repeat_keys() {
        let mut evaluator = Evaluator::new(&compiled.nodes, options.work(value));
        if evaluator.validates(&compiled.validator, value.root()) {
            return untouched(value, Vec::new());
        }
        if evaluator.exhausted() {
            return untouched(value, vec![work_violation(value)]);
        }
    }
    let documents = Documents::default();
    let mut coercer = Coercer::new(value, schema, options, &documents);
    coercer.fit(0, SourceNode { node: value.root(), document: None });
    let Coercer { builder, pending, violations, evaluator, .. } = coercer;
    if evaluator.exhausted() {
        return untouched(value, vec![work_violation(value)]);
    }
    let Some(fitted) = builder.finish() else {
        return untouched(value, vec![work_violation(value)]);
    };
    let mut violations = final_violations(&fitted, schema, options, violations);
    let coercions: Vec<_> =
        pending.into_iter().map(|coercion| coercion.finished(&fitted)).collect();
    let worse = coercions.iter().filter(|coercion| coercion.class > options.max_class);
    violations.extend(worse.map(|coercion| unsure(coercion, options.max_class)));
    let violations = truncate(violations, &fitted);
    Coerced { value: fitted, coercions, violations }
}

/// Returns the value unchanged.
fn untouched(value: &Value<'_>, violations: Vec<Violation>) -> Coerced {
    Coerced { value: value.clone().into_owned(), coercions: Vec::new(), violations }
}

/// Validates the result. Violations that the pass found are preferred where they are more specific.
fn final_violations(
    fitted: &Value<'_>,
    schema: &Schema,
    options: &Options,
    walked: Vec<Violation>,
) -> Vec<Violation> {
    if let Some(violation) = depth_violation(fitted, schema, options) {
        return vec![violation];
    }
    let mut evaluator = Evaluator::new(&schema.compiled().nodes, options.work(fitted));
    evaluator.only_named = options.on_extra == OnExtra::Fail;
    let root = Instance::Node(fitted.root());
    let valid = evaluator.validates(&schema.compiled().validator, fitted.root())
        && (!evaluator.only_named || evaluator.fits(0, root));
    if valid && walked.is_empty() {
        let mut violations = Vec::new();
        duplicate_keys::report(fitted, &mut violations);
        return violations;
    }
    let found = if valid { Vec::new() } else { diagnose_all(fitted, schema, &mut evaluator) };
    let about = |row: &Violation| (row.path.clone(), row.keyword.clone(), row.message.clone());
    let by_place = |row: &Violation| (row.path.clone(), row.keyword.clone());
    let known: HashSet<_> = walked.iter().map(about).collect();
    let places: HashSet<_> = walked.iter().map(by_place).collect();
    let paths: HashSet<String> = walked.iter().map(|row| row.path.clone()).collect();
    let twice = |row: &&Violation| row.code == "schema/duplicate-key";
    let repeated: HashSet<String> =
        walked.iter().filter(twice).map(|row| row.path.clone()).collect();
    let mut all = walked;
    for row in found {
        let reported = match row.keyword.as_str() {
            // Several keys of one object may be missing.
            "required" => known.contains(&about(&row)),
            "additionalProperties" => paths.contains(&row.path),
            _ if repeated.contains(&row.path) => true,
            _ => places.contains(&by_place(&row)),
        };
        let within = all.iter().any(|other| {
            matches!(row.keyword.as_str(), "anyOf" | "oneOf")
                && (other.path == row.path || other.path.starts_with(&format!("{}/", row.path)))
        });
        if !reported && !within {
            all.push(row);
        }
    }
    duplicate_keys::report(fitted, &mut all);
    all
}

/// The state of a pass.
struct Coercer<'s, 'v> {
    evaluator: Evaluator<'s>,
    shapes: &'s [Shape],
    options: &'s Options,
    base: &'v Value<'v>,
    builder: Builder<'v>,
    /// JSON Pointer of the current part of the coerced value.
    path: String,
    pending: Vec<PendingCoercion>,
    violations: Vec<Violation>,
    /// Storage for the next document that is read from a string.
    documents: &'v Documents,
    /// Documents read from strings, by the string's key; `None` where a string holds no JSON.
    read: HashMap<(usize, usize), Option<&'v Document>>,
    /// The branch chosen for a part.
    branches: HashMap<(ShapeId, usize, usize), Option<ShapeId>>,
    /// Whether the condition at a part is met.
    conditions: HashMap<(ShapeId, usize, usize), bool>,
    /// Parts in progress, so that nothing is wrapped in itself endlessly.
    busy: HashSet<(ShapeId, usize, usize)>,
    /// Parts around which a container is being built.
    enclosed: Vec<(usize, usize)>,
    /// Nesting of attempts; violations are not recorded within one.
    attempts: usize,
    failed: bool,
    cost: u32,
    /// Hash of the output of the current attempt.
    written: DefaultHasher,
}

impl<'s, 'v> Coercer<'s, 'v> {
    fn new(
        value: &'v Value<'v>,
        schema: &'s Schema,
        options: &'s Options,
        documents: &'v Documents,
    ) -> Self {
        let compiled = schema.compiled();
        let mut evaluator = Evaluator::new(&compiled.nodes, options.work(value));
        evaluator.only_named = options.on_extra == OnExtra::Fail;
        Self {
            evaluator,
            shapes: &compiled.shapes,
            options,
            base: value,
            builder: Builder::new(value),
            path: String::new(),
            pending: Vec::new(),
            violations: Vec::new(),
            documents,
            read: HashMap::new(),
            branches: HashMap::new(),
            conditions: HashMap::new(),
            busy: HashSet::new(),
            enclosed: Vec::new(),
            attempts: 0,
            failed: false,
            cost: 0,
            written: DefaultHasher::new(),
        }
    }

    /// Coerces the part `at` to a shape, and writes it.
    fn fit(&mut self, shape: ShapeId, at: SourceNode<'v>) {
        if self.attempts > 0 && self.failed {
            return;
        }
        if !self.evaluator.enter() {
            self.failed = true;
            return;
        }
        self.fit_here(shape, at);
        self.evaluator.leave();
    }

    fn fit_here(&mut self, id: ShapeId, at: SourceNode<'v>) {
        let Some(shape) = self.shapes.get(id as usize) else { return self.take(at) };
        let instance = Instance::Node(at.node);
        let fits = self.fits(shape, instance);
        if fits && self.options.emphasis == Emphasis::Keep && !self.renames(at) {
            return self.take(at);
        }
        let (value, index) = at.key();
        if !self.busy.insert((id, value, index)) {
            return self.fail(shape, at, None);
        }
        match &shape.goal {
            Goal::Union { branches, tags } if fits && self.renames(at) => {
                match self.fitting_branch(tags.as_ref(), branches, at) {
                    Some(branch) => self.fit(branch, at),
                    None => self.take(at),
                }
            }
            Goal::Plain(plain) if fits && plain.enum_values.is_some() => self.take(at),
            Goal::Union { .. } | Goal::Opaque if fits => self.take(at),
            Goal::Either { .. } if fits && !self.renames(at) => self.take(at),
            Goal::Opaque => self.fail(shape, at, None),
            Goal::Union { branches, tags } => {
                let branches = union::tagged(tags.as_ref(), at).unwrap_or(branches);
                self.union(id, shape, branches, at);
            }
            Goal::Either { when, made, then, other } => {
                let chosen = if self.condition(*when, *made, at) { then } else { other };
                self.fit(*chosen, at);
            }
            Goal::Plain(plain) => self.plain(shape, plain, at),
        }
        self.busy.remove(&(id, value, index));
    }

    /// Returns whether members of a part that fits may have to be renamed.
    fn renames(&self, at: SourceNode<'v>) -> bool {
        self.options.on_other_spelling == OtherSpelling::Rename
            && matches!(at.node.kind(), Kind::Object | Kind::Array)
    }

    /// Coerces a part to known types: one that does not fit, or one that does but may contain
    /// emphasis.
    fn plain(&mut self, shape: &'s Shape, plain: &'s Plain, at: SourceNode<'v>) {
        let kind = at.node.kind();
        match kind {
            Kind::Object if plain.types.object() && plain.enum_values.is_none() => {
                self.object(shape, plain, at);
            }
            Kind::Array if plain.types.array() && plain.enum_values.is_none() => {
                self.array(plain, at);
            }
            Kind::Object | Kind::Array => self.other_container(shape, plain, at),
            _ => self.scalar(shape, plain, at),
        }
    }

    /// Returns whether `instance` fits a shape.
    fn fits(&mut self, shape: &Shape, instance: Instance<'_>) -> bool {
        shape.holds.iter().all(|holds| match holds.choice {
            BranchChoice::Pending => self.evaluator.fits(holds.id, instance),
            BranchChoice::Made => self.evaluator.fits_own(holds.id, instance),
        })
    }

    /// Writes a part that replaces another: unchanged if it fits, or else by `repair`.
    fn fit_inner(&mut self, shape: &Shape, inner: SourceNode<'v>, repair: impl FnOnce(&mut Self)) {
        if self.fits(shape, Instance::Node(inner.node)) {
            self.take(inner);
        } else {
            repair(self);
        }
    }

    /// Runs `run` while a container is built around the part `at`, or the part is the value of a
    /// map. No wrapper is removed from the part meanwhile, since its key may be meaningful.
    fn enclosing<T>(&mut self, at: SourceNode<'v>, run: impl FnOnce(&mut Self) -> T) -> T {
        self.enclosed.push(at.key());
        let result = run(self);
        self.enclosed.pop();
        result
    }

    /// Takes over a part unchanged and records why it does not fit.
    fn fail(&mut self, shape: &Shape, at: SourceNode<'v>, refusal: Option<Refusal>) {
        self.failed = true;
        if self.attempts > 0 {
            return;
        }
        self.take(at);
        let before = self.violations.len();
        for holds in &shape.holds {
            match (holds.choice, self.evaluator.raw(holds.id)) {
                (BranchChoice::Made, Some(raw)) => {
                    self.evaluator.diagnose_own(raw, at.node, &mut self.path, &mut self.violations);
                }
                _ => {
                    self.evaluator.diagnose(
                        holds.id,
                        at.node,
                        &mut self.path,
                        &mut self.violations,
                    );
                }
            }
        }
        for row in self.violations.iter_mut().skip(before) {
            row.span = row.span.map(|span| at.place(span));
        }
        // Several nodes may report the same violation.
        let mut kept = HashSet::new();
        let mut place = 0;
        self.violations.retain(|row| {
            place += 1;
            place <= before
                || kept.insert((row.path.clone(), row.keyword.clone(), row.message.clone()))
        });
        if let (Some(refusal), Some(row)) = (refusal, self.violations.get_mut(before)) {
            row.code = refusal.code.unwrap_or(row.code);
            let of_text = row.keyword == "type" && at.node.kind() == Kind::String;
            if let Some(message) = refusal.message.filter(|_| of_text) {
                row.message = message;
            }
            if row.code == "schema/ambiguous" {
                row.message = format!("{} is ambiguous", row.found);
            }
            row.hint = Some(refusal.hint);
        }
    }

    /// Coerces an object or array where another type is expected.
    fn other_container(&mut self, shape: &'s Shape, plain: &'s Plain, at: SourceNode<'v>) {
        let types = plain.types;
        let free = plain.enum_values.is_none();
        let made = match at.node.kind() {
            Kind::Object if types.array() && free => self.array_from_object(shape, plain, at),
            Kind::Array if !free => self.enum_from_item(shape, plain, at),
            Kind::Array if types.object() && free => {
                self.object_from_item(shape, plain, at) || self.single_property(plain, at)
            }
            _ => false,
        };
        if made {
            return;
        }
        let refusal = if (types.integer() || types.number()) && expression::is_computation(at.node)
        {
            expression::refusal()
        } else if at.node.kind() == Kind::Array && types.object() {
            Refusal::new("write an object that names each value")
        } else if types.string() {
            Refusal::new("write one string")
        } else {
            Refusal::new(format!("write {} instead", types.list()))
        };
        self.fail(shape, at, Some(refusal));
    }

    /// Returns the JSON document in the string `at`, if it holds one.
    fn document(&mut self, at: SourceNode<'v>) -> Option<&'v Document> {
        if let Some(known) = self.read.get(&at.key()) {
            return *known;
        }
        let content = at.node.str()?;
        if !self.evaluator.spend(content.len()) {
            return None;
        }
        let span = at.span();
        let document = Document::read(content, at.content_start(), span);
        let document = document.and_then(|document| self.keep(document));
        self.read.insert(at.key(), document);
        document
    }

    /// Keeps a document for the rest of the pass.
    fn keep(&mut self, document: Document) -> Option<&'v Document> {
        let kept = self.documents.add(document)?;
        self.documents = kept.next();
        Some(kept)
    }

    /// Writes a value of the schema, such as a default, at an empty span.
    fn take_from_schema(&mut self, json: &serde_json::Value, at: Span) {
        let document = Document::of_schema(&json.to_string(), at);
        if let Some(document) = document.and_then(|document| self.keep(document)) {
            self.take(SourceNode { node: document.value.root(), document: Some(document) });
        } else {
            self.failed = true;
        }
    }
}
