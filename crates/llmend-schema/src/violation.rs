//! In which ways does a value not fit?

use llmend_json::{Diagnostic, Relocate, Severity, Span, Value};
use serde::{Serialize, Serializer, ser::SerializeStruct};

use crate::clip::clipped;
use crate::compile::OPAQUE;
use crate::explain::MOST_TOLD;
use crate::instance::Part;
use crate::meter::Meter;
use crate::options::MOST_DEPTH;
use crate::verdict::Judge;
use crate::wording::{Place, of_validator};
use crate::{Options, Schema, repeated};

/// One way in which a value does not fit its schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Stable code, such as `schema/type`.
    pub code: &'static str,
    /// JSON Pointer into the value. Of a member that is missing: of the object that lacks it.
    pub path: String,
    /// JSON Pointer into the schema, to the keyword. Of a member that only `OnExtra::Fail` forbids:
    /// where `additionalProperties` would stand.
    pub schema_path: String,
    /// The keyword of the schema that is violated; empty if it is none of the schema's.
    pub keyword: String,
    /// What is wrong, in one sentence.
    pub message: String,
    /// What the schema asks for there, in a few words.
    pub expected: String,
    /// What stands there, as JSON of at most 100 characters.
    pub found: String,
    /// What to do about it, if there is something to say.
    pub hint: Option<String>,
    /// Where it stands in the caller's text, if it stands there.
    pub span: Option<Span>,
}

impl From<&Violation> for Diagnostic {
    fn from(violation: &Violation) -> Self {
        let mut row = Self::new(violation.code, Severity::Error, violation.message.clone())
            .on(violation.path.clone());
        row.span = violation.span;
        row.help = violation.advice();
        row
    }
}

impl Relocate for Violation {
    fn relocate(&mut self, to: &mut impl FnMut(usize) -> usize) {
        self.span.relocate(to);
    }
}

impl Violation {
    /// Whether the message or the hint says what is expected.
    #[must_use]
    pub fn tells_expected(&self) -> bool {
        let tells = |text: &str| text.contains(&self.expected);
        tells(&self.message) || self.hint.as_deref().is_some_and(tells)
    }

    /// What to do about it, with what is expected: what a person or a model needs besides the
    /// message.
    #[must_use]
    pub fn advice(&self) -> Option<String> {
        let expected = (!self.tells_expected()).then(|| format!("expected: {}", self.expected));
        match (expected, &self.hint) {
            (Some(expected), Some(hint)) => Some(format!("{expected}; {hint}")),
            (expected, hint) => expected.or_else(|| hint.clone()),
        }
    }
}

impl Serialize for Violation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut row = serializer.serialize_struct("Violation", 10)?;
        row.serialize_field("code", self.code)?;
        row.serialize_field("path", &self.path)?;
        row.serialize_field("schema_path", &self.schema_path)?;
        row.serialize_field("keyword", &self.keyword)?;
        row.serialize_field("message", &self.message)?;
        row.serialize_field("expected", &self.expected)?;
        row.serialize_field("found", &self.found)?;
        row.serialize_field("hint", &self.hint)?;
        row.serialize_field("start", &self.span.map(|span| span.start))?;
        row.serialize_field("end", &self.span.map(|span| span.end))?;
        row.end()
    }
}

/// Most steps of work where nobody says how many there may be.
const MOST_WORK: usize = 100_000_000;

/// All ways in which `value` does not fit `schema`. Nothing is changed. Of more than 1,000 the first
/// are told, and after them one with the code `limit/violations`. What takes more than a hundred million
/// steps of work is the violation `limit/work`.
#[must_use]
pub fn validate(value: &Value<'_>, schema: &Schema) -> Vec<Violation> {
    let options = Options { max_work_in_all: Some(MOST_WORK), ..Options::default() };
    if let Some(violation) = too_deep(value, schema, &options) {
        return vec![violation];
    }
    let compiled = schema.compiled();
    let judge = &mut Judge::new(&compiled.nodes, options.work(value));
    if !value.may_repeat_keys() && judge.validates(&compiled.validator, value.root()) {
        return Vec::new();
    }
    let mut violations = explained(value, schema, judge);
    repeated::tell(value, &mut violations);
    at_most(violations, value)
}

/// What is wrong with a value, by a judge; of a value that is valid nothing.
pub(crate) fn explained(
    value: &Value<'_>,
    schema: &Schema,
    judge: &mut Judge<'_>,
) -> Vec<Violation> {
    let compiled = schema.compiled();
    let mut violations = Vec::new();
    judge.explain(0, value.root(), &mut String::new(), &mut violations);
    let is_open = violations.is_empty() || compiled.nodes.iter().any(|raw| raw.opaque);
    let is_valid =
        !judge.exhausted() && is_open && judge.validates(&compiled.validator, value.root());
    if judge.exhausted() {
        violations.push(too_much(value));
    } else if is_open && !is_valid {
        unjudged(value, schema, &judge.meter(), &mut violations);
    }
    violations
}

/// As many of the violations as are told.
pub(crate) fn at_most(mut all: Vec<Violation>, value: &Value<'_>) -> Vec<Violation> {
    if all.len() > MOST_TOLD {
        all.truncate(MOST_TOLD);
        let message = format!("there are more than {MOST_TOLD} violations: these are the first");
        all.push(whole(value, "limit/violations", &message, "fewer violations"));
    }
    all
}

/// The violation that a value is nested too deeply to be validated.
pub(crate) fn too_deep(value: &Value<'_>, schema: &Schema, options: &Options) -> Option<Violation> {
    let limit = options.max_depth.min(MOST_DEPTH).min(MOST_FRAMES / schema.compiled().chained);
    let depth = value.depth();
    (depth > limit).then(|| {
        let message = format!("it is nested {depth} levels deep, and the limit is {limit}");
        whole(value, "limit/depth", &message, &format!("at most {limit} levels"))
    })
}

/// References and levels within each other that the validator has the stack for.
const MOST_FRAMES: usize = 4_096;

/// The violation that the work was too much.
pub(crate) fn too_much(value: &Value<'_>) -> Violation {
    let message = "to hold it against the schema takes too many steps";
    whole(value, "limit/work", message, "a smaller value, or a simpler schema")
}

/// Adds what only the validator judges, such as `unevaluatedProperties`, at the part that does not
/// fit.
fn unjudged(value: &Value<'_>, schema: &Schema, meter: &Meter, out: &mut Vec<Violation>) {
    let before = out.len();
    let errors = schema.compiled().validator.iter_errors(Part::Counted(value.root(), meter));
    for error in errors.take(MOST_TOLD + 1) {
        let path = error.instance_path().as_str();
        let keyword = error.kind().keyword();
        let judged = !OPAQUE.contains(&keyword) && before > 0;
        let node = value.root().pointer(path).filter(|_| !judged);
        let Some(node) = node else { continue };
        let place = Place { pointer: "", part: Part::Node(node), path };
        let (code, expected, message) = of_validator(error.kind(), &clipped(node));
        let schema_path = schema.told_as(error.schema_path().as_str());
        let row = place.row(code, keyword, &expected, &message);
        out.push(Violation { schema_path, ..row });
    }
    if out.is_empty() {
        let message = "it does not fit what the schema says of what it does not name";
        out.push(whole(value, "schema/other", message, "a value that validates"));
    }
}

/// A violation of the value as a whole.
fn whole(value: &Value<'_>, code: &'static str, message: &str, expected: &str) -> Violation {
    Violation {
        code,
        path: String::new(),
        schema_path: String::new(),
        keyword: String::new(),
        message: message.to_owned(),
        expected: expected.to_owned(),
        found: clipped(value),
        hint: None,
        span: Some(value.root().span()),
    }
}
