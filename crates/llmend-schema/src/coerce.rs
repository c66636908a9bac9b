//! How is a value made to fit?
//!
//! One walk over the value, with the shape that is wanted at each place. What fits is taken over as
//! it stands. What does not is handed to the target that is wanted, one a file. What is only tried,
//! as the arms of a union are, is taken off again; what was found out is remembered, so that no
//! part is tried twice.

mod array;
mod boolean;
mod condition;
mod document;
mod emphasis;
mod enumeration;
mod expression;
mod extra;
mod format;
mod integer;
mod keys;
mod mention;
mod missing;
mod null;
mod number;
mod object;
mod reading;
mod record;
mod scalar;
mod string;
mod union;
mod wrapper;

use std::collections::{HashMap, HashSet};
use std::hash::DefaultHasher;

use llmend_json::{Builder, Kind, Span, Value, Written};

use crate::compile::{Choice, Goal, Plain, Shape, ShapeId};
use crate::instance::Part;
use crate::verdict::Judge;
use crate::violation::{at_most, explained, too_deep, too_much};
use crate::wording::unsure;
use crate::{Coerced, Emphasis, OnExtra, Options, OtherSpelling, Schema, Violation, repeated};
use document::{At, Document, Documents};
use reading::Refusal;
use record::Draft;

/// Makes `value` fit `schema`, as far as that needs no invention, and says what was changed.
///
/// A value that validates is not touched. The result is validated again: it is a success if and
/// only if there is no violation. There may be one of a value that validates: two keys that mean
/// one property, where others are allowed, say different things; or a coercion is of a graver class
/// than the options allow.
#[must_use]
pub fn coerce(value: &Value<'_>, schema: &Schema, options: &Options) -> Coerced {
    if let Some(violation) = too_deep(value, schema, options) {
        return untouched(value, vec![violation]);
    }
    let compiled = schema.compiled();
    let restless = options.emphasis == Emphasis::Strip
        || options.on_extra == OnExtra::Fail
        || (options.on_other_spelling == OtherSpelling::Rename
            && compiled.spellings.may_be_in(value));
    if !restless && !value.may_repeat_keys() {
        let mut judge = Judge::new(&compiled.nodes, options.work(value));
        if judge.validates(&compiled.validator, value.root()) {
            return untouched(value, Vec::new());
        }
        if judge.exhausted() {
            return untouched(value, vec![too_much(value)]);
        }
    }
    let documents = Documents::default();
    let mut walk = Walk::new(value, schema, options, &documents);
    walk.fit(0, At { node: value.root(), document: None });
    let Walk { builder, drafts, violations, judge, .. } = walk;
    if judge.exhausted() {
        return untouched(value, vec![too_much(value)]);
    }
    let Some(fitted) = builder.finish() else { return untouched(value, vec![too_much(value)]) };
    let mut violations = last_word(&fitted, schema, options, violations);
    let coercions: Vec<_> = drafts.into_iter().map(|draft| draft.finished(&fitted)).collect();
    let graver = coercions.iter().filter(|coercion| coercion.class > options.max_class);
    violations.extend(graver.map(|coercion| unsure(coercion, options.max_class)));
    let violations = at_most(violations, &fitted);
    Coerced { value: fitted, coercions, violations }
}

/// A value as it came.
fn untouched(value: &Value<'_>, violations: Vec<Violation>) -> Coerced {
    Coerced { value: value.clone().into_owned(), coercions: Vec::new(), violations }
}

/// What is wrong with the result, all of it: found by validating it, and in the words of the walk
/// where that knows more.
fn last_word(
    fitted: &Value<'_>,
    schema: &Schema,
    options: &Options,
    walked: Vec<Violation>,
) -> Vec<Violation> {
    if let Some(violation) = too_deep(fitted, schema, options) {
        return vec![violation];
    }
    let mut judge = Judge::new(&schema.compiled().nodes, options.work(fitted));
    judge.only_named = options.on_extra == OnExtra::Fail;
    let root = Part::Node(fitted.root());
    let valid = judge.validates(&schema.compiled().validator, fitted.root())
        && (!judge.only_named || judge.fits(0, root));
    if valid && walked.is_empty() {
        let mut told = Vec::new();
        repeated::tell(fitted, &mut told);
        return told;
    }
    let found = if valid { Vec::new() } else { explained(fitted, schema, &mut judge) };
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
        let told = match row.keyword.as_str() {
            // Of one object, several keys may be missing.
            "required" => known.contains(&about(&row)),
            "additionalProperties" => paths.contains(&row.path),
            _ if repeated.contains(&row.path) => true,
            _ => places.contains(&by_place(&row)),
        };
        let within = all.iter().any(|other| {
            matches!(row.keyword.as_str(), "anyOf" | "oneOf")
                && (other.path == row.path || other.path.starts_with(&format!("{}/", row.path)))
        });
        if !told && !within {
            all.push(row);
        }
    }
    repeated::tell(fitted, &mut all);
    all
}

/// The walk.
struct Walk<'s, 'v> {
    judge: Judge<'s>,
    shapes: &'s [Shape],
    options: &'s Options,
    base: &'v Value<'v>,
    builder: Builder<'v>,
    /// JSON Pointer of the place in the fitted value.
    path: String,
    drafts: Vec<Draft>,
    violations: Vec<Violation>,
    /// Where the next text that was read from a string is put.
    documents: &'v Documents,
    /// What was read from strings, by the string's key; nothing where it holds no JSON.
    read: HashMap<(usize, usize), Option<&'v Document>>,
    /// The arm of a union that a part was found to be.
    arms: HashMap<(ShapeId, usize, usize), Option<ShapeId>>,
    /// Whether the condition at a part holds, by what is asked of the part besides.
    conditions: HashMap<(ShapeId, usize, usize), bool>,
    /// What is being fitted at the moment, so that nothing is wrapped in itself without end.
    busy: HashSet<(ShapeId, usize, usize)>,
    /// What a list or an object is being put around at the moment.
    enclosed: Vec<(usize, usize)>,
    /// How many attempts this is within; a failure in one is not told.
    trying: usize,
    failed: bool,
    score: u32,
    /// Of what the current attempt wrote.
    written: DefaultHasher,
}

/// How far a walk has come.
struct Mark {
    built: Written,
    drafts: usize,
    violations: usize,
    score: u32,
    written: DefaultHasher,
    /// Length of the path.
    path: usize,
}

/// What came of an attempt.
#[derive(Clone, Copy, Debug)]
struct Attempt {
    fits: bool,
    score: u32,
    /// Equal if what was written is.
    result: u64,
}

impl<'s, 'v> Walk<'s, 'v> {
    fn new(
        value: &'v Value<'v>,
        schema: &'s Schema,
        options: &'s Options,
        documents: &'v Documents,
    ) -> Self {
        let compiled = schema.compiled();
        let mut judge = Judge::new(&compiled.nodes, options.work(value));
        judge.only_named = options.on_extra == OnExtra::Fail;
        Self {
            judge,
            shapes: &compiled.shapes,
            options,
            base: value,
            builder: Builder::new(value),
            path: String::new(),
            drafts: Vec::new(),
            violations: Vec::new(),
            documents,
            read: HashMap::new(),
            arms: HashMap::new(),
            conditions: HashMap::new(),
            busy: HashSet::new(),
            enclosed: Vec::new(),
            trying: 0,
            failed: false,
            score: 0,
            written: DefaultHasher::new(),
        }
    }

    /// Writes what becomes of the part `at` where `shape` is wanted.
    fn fit(&mut self, shape: ShapeId, at: At<'v>) {
        if self.trying > 0 && self.failed {
            return;
        }
        if !self.judge.enter() {
            self.failed = true;
            return;
        }
        self.fit_here(shape, at);
        self.judge.leave();
    }

    fn fit_here(&mut self, id: ShapeId, at: At<'v>) {
        let Some(shape) = self.shapes.get(id as usize) else { return self.take(at) };
        let part = Part::Node(at.node);
        let fits = self.fits(shape, part);
        if fits && self.options.emphasis == Emphasis::Keep && !self.renames(at) {
            return self.take(at);
        }
        let (value, index) = at.key();
        if !self.busy.insert((id, value, index)) {
            return self.fail(shape, at, None);
        }
        match &shape.goal {
            Goal::Union { arms, tags } if fits && self.renames(at) => {
                match self.fitting_arm(tags.as_ref(), arms, at) {
                    Some(arm) => self.fit(arm, at),
                    None => self.take(at),
                }
            }
            Goal::Plain(plain) if fits && plain.words.is_some() => self.take(at),
            Goal::Union { .. } | Goal::Opaque if fits => self.take(at),
            Goal::Either { .. } if fits && !self.renames(at) => self.take(at),
            Goal::Opaque => self.fail(shape, at, None),
            Goal::Union { arms, tags } => {
                let arms = union::tagged(tags.as_ref(), at).unwrap_or(arms);
                self.union(id, shape, arms, at);
            }
            Goal::Either { when, made, then, other } => {
                let chosen = if self.condition(*when, *made, at) { then } else { other };
                self.fit(*chosen, at);
            }
            Goal::Plain(plain) => self.plain(shape, plain, at),
        }
        self.busy.remove(&(id, value, index));
    }

    /// Whether what is within a part that fits may bear another name than is wanted.
    fn renames(&self, at: At<'v>) -> bool {
        self.options.on_other_spelling == OtherSpelling::Rename
            && matches!(at.node.kind(), Kind::Object | Kind::Array)
    }

    /// A part that does not fit, where the types that are wanted are known; or one that does, and
    /// may hold emphasis.
    fn plain(&mut self, shape: &'s Shape, plain: &'s Plain, at: At<'v>) {
        let kind = at.node.kind();
        match kind {
            Kind::Object if plain.types.object() && plain.words.is_none() => {
                self.object(shape, plain, at);
            }
            Kind::Array if plain.types.array() && plain.words.is_none() => {
                self.array(plain, at);
            }
            Kind::Object | Kind::Array => self.other_container(shape, plain, at),
            _ => self.scalar(shape, plain, at),
        }
    }

    /// Whether `part` fits all that holds where `shape` is wanted.
    fn fits(&mut self, shape: &Shape, part: Part<'_>) -> bool {
        shape.holds.iter().all(|holds| match holds.choice {
            Choice::Open => self.judge.fits(holds.id, part),
            Choice::Made => self.judge.own(holds.id, part),
        })
    }

    /// Runs `run`, and says what came of it. What it wrote stays, unless the caller goes back.
    fn attempt(&mut self, run: impl FnOnce(&mut Self)) -> Attempt {
        let outer = (self.failed, self.score);
        let written = std::mem::take(&mut self.written);
        (self.failed, self.score) = (false, 0);
        self.trying += 1;
        run(self);
        self.trying -= 1;
        let inner = std::mem::replace(&mut self.written, written);
        let result = std::hash::Hasher::finish(&inner);
        std::hash::Hasher::write_u64(&mut self.written, result);
        let attempt = Attempt { fits: !self.failed, score: self.score, result };
        self.failed = outer.0;
        self.score = outer.1.saturating_add(attempt.score);
        attempt
    }

    /// Runs `run`, and takes off all that it wrote unless that fits.
    fn attempt_or_undo(&mut self, run: impl FnOnce(&mut Self)) -> bool {
        let mark = self.mark();
        let attempt = self.attempt(run);
        if !attempt.fits {
            self.rewind(mark);
        }
        attempt.fits
    }

    /// Runs `run`, takes off all that it wrote, and says what came of it.
    fn rehearse(&mut self, run: impl FnOnce(&mut Self)) -> Attempt {
        let mark = self.mark();
        let attempt = self.attempt(run);
        self.rewind(mark);
        attempt
    }

    /// Where the walk is, to come back to.
    fn mark(&self) -> Mark {
        Mark {
            built: self.builder.written(),
            drafts: self.drafts.len(),
            violations: self.violations.len(),
            score: self.score,
            written: self.written.clone(),
            path: self.path.len(),
        }
    }

    /// Takes off all that was written since.
    fn rewind(&mut self, mark: Mark) {
        self.builder.rewind(&mark.built);
        self.drafts.truncate(mark.drafts);
        self.violations.truncate(mark.violations);
        self.path.truncate(mark.path);
        (self.score, self.written) = (mark.score, mark.written);
    }

    /// Writes a part that was found in place of another: as it stands if it fits, or else by
    /// `mend`.
    fn fit_inner(&mut self, shape: &Shape, inner: At<'v>, mend: impl FnOnce(&mut Self)) {
        if self.fits(shape, Part::Node(inner.node)) {
            self.take(inner);
        } else {
            mend(self);
        }
    }

    /// Runs `run` while the part `at` is made into what is put around it: no wrapper is taken off
    /// it at the same time, whose key may be what it is about.
    fn enclosing<T>(&mut self, at: At<'v>, run: impl FnOnce(&mut Self) -> T) -> T {
        self.enclosed.push(at.key());
        let result = run(self);
        self.enclosed.pop();
        result
    }

    /// Takes a part over as it stands, and says why it does not fit.
    fn fail(&mut self, shape: &Shape, at: At<'v>, refusal: Option<Refusal>) {
        self.failed = true;
        if self.trying > 0 {
            return;
        }
        self.take(at);
        let before = self.violations.len();
        for holds in &shape.holds {
            match (holds.choice, self.judge.raw(holds.id)) {
                (Choice::Made, Some(raw)) => {
                    self.judge.explain_own(raw, at.node, &mut self.path, &mut self.violations);
                }
                _ => self.judge.explain(holds.id, at.node, &mut self.path, &mut self.violations),
            }
        }
        for row in self.violations.iter_mut().skip(before) {
            row.span = row.span.map(|span| at.place(span));
        }
        // A place is said once what is wrong with it, however many nodes say so.
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
                row.message = format!("{} may be meant in more than one way", row.found);
            }
            row.hint = Some(refusal.hint);
        }
    }

    /// A part of another kind that is not the value of a scalar: an object or a list, where
    /// something else is wanted.
    fn other_container(&mut self, shape: &'s Shape, plain: &'s Plain, at: At<'v>) {
        let wants = plain.types;
        let free = plain.words.is_none();
        let made = match at.node.kind() {
            Kind::Object if wants.array() && free => self.array_from_object(shape, plain, at),
            Kind::Array if wants.object() && free => {
                self.object_from_item(shape, plain, at) || self.single_property(plain, at)
            }
            _ => false,
        };
        if made {
            return;
        }
        let refusal = if (wants.integer() || wants.number()) && expression::is_computation(at.node)
        {
            expression::refusal()
        } else if at.node.kind() == Kind::Array && wants.object() {
            Refusal::new("name each value: they are not filled in by position")
        } else if wants.string() {
            Refusal::new("write it as one string")
        } else {
            Refusal::new(format!("write {} instead", wants.words()))
        };
        self.fail(shape, at, Some(refusal));
    }

    /// What the string `at` holds, if that is JSON.
    fn document(&mut self, at: At<'v>) -> Option<&'v Document> {
        if let Some(known) = self.read.get(&at.key()) {
            return *known;
        }
        let content = at.node.str()?;
        if !self.judge.pay(content.len()) {
            return None;
        }
        let span = at.span();
        let document = Document::read(content, at.content_start(), span);
        let document = document.and_then(|document| self.keep(document));
        self.read.insert(at.key(), document);
        document
    }

    /// Keeps a document for as long as the walk lasts.
    fn keep(&mut self, document: Document) -> Option<&'v Document> {
        let kept = self.documents.add(document)?;
        self.documents = kept.next();
        Some(kept)
    }

    /// Writes a value of the schema, such as a default, for an empty place of the text.
    fn take_from_schema(&mut self, json: &serde_json::Value, at: Span) {
        let document = Document::of_schema(&json.to_string(), at);
        if let Some(document) = document.and_then(|document| self.keep(document)) {
            self.take(At { node: document.value.root(), document: Some(document) });
        } else {
            self.failed = true;
        }
    }
}
