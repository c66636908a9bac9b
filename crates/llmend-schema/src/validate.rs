//! Validation of whole values.

use llmend_json::Value;

use crate::compile::{Evaluated, is_evaluated};
use crate::diagnose::MAX_VIOLATIONS;
use crate::evaluate::Evaluator;
use crate::instance::Instance;
use crate::keyword_message::of_validator;
use crate::message::Location;
use crate::options::MAX_DEPTH;
use crate::quote::clipped;
use crate::work_budget::WorkBudget;
use crate::{Options, Schema, Violation, duplicate_keys};

/// Work budget of [`validate`], in steps.
const MAX_WORK: usize = 100_000_000;

/// Returns all violations of `schema` by `value`, without changing it. At most 1,000 are listed,
/// followed by one with the code `limit/violations`. More than a hundred million steps of work are
/// the violation `limit/work`.
///
/// ```
/// use llmend_schema::{Schema, validate};
///
/// let schema = Schema::from_text(r#"{"properties": {"days": {"type": "integer"}}}"#)?;
/// let parsed = llmend_json::parse(r#"{"days": "3"}"#)?;
/// let violations = validate(&parsed.value, &schema);
/// assert_eq!(violations[0].code, "schema/type");
/// assert_eq!(violations[0].message, "expected integer, found string");
/// assert_eq!(violations[0].path, "/days");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn validate(value: &Value<'_>, schema: &Schema) -> Vec<Violation> {
    let options = Options { max_work_in_all: Some(MAX_WORK), ..Options::default() };
    if let Some(violation) = depth_violation(value, schema, &options) {
        return vec![violation];
    }
    let compiled = schema.compiled();
    let evaluator = &mut Evaluator::new(&compiled.nodes, options.work(value));
    if !value.may_repeat_keys() && evaluator.validates(&compiled.validator, value.root()) {
        return Vec::new();
    }
    let mut violations = diagnose_all(value, schema, evaluator);
    duplicate_keys::report(value, &mut violations);
    truncate(violations, value)
}

/// Returns the violations by a value, found by an evaluator; none for a valid value.
pub(crate) fn diagnose_all(
    value: &Value<'_>,
    schema: &Schema,
    evaluator: &mut Evaluator<'_>,
) -> Vec<Violation> {
    let compiled = schema.compiled();
    let mut violations = Vec::new();
    evaluator.diagnose(0, value.root(), &mut String::new(), &mut violations);
    let is_open = violations.is_empty() || compiled.nodes.iter().any(|raw| raw.opaque);
    let is_valid =
        !evaluator.exhausted() && is_open && evaluator.validates(&compiled.validator, value.root());
    if evaluator.exhausted() {
        violations.push(work_violation(value));
    } else if is_open && !is_valid {
        add_unevaluated(value, schema, &evaluator.budget(), &mut violations);
    }
    violations
}

/// Limits the list to the maximum number of violations.
pub(crate) fn truncate(mut all: Vec<Violation>, value: &Value<'_>) -> Vec<Violation> {
    if all.len() > MAX_VIOLATIONS {
        all.truncate(MAX_VIOLATIONS);
        let message = format!("more than {MAX_VIOLATIONS} violations; only the first are listed");
        all.push(whole_value(value, "limit/violations", &message, "fewer violations"));
    }
    all
}

/// Returns the violation `limit/depth` if the value is nested too deeply to be validated.
pub(crate) fn depth_violation(
    value: &Value<'_>,
    schema: &Schema,
    options: &Options,
) -> Option<Violation> {
    let limit = options.max_depth.min(MAX_DEPTH).min(MAX_FRAMES / schema.compiled().chained);
    let depth = value.depth();
    (depth > limit).then(|| {
        let message = format!("value is nested {depth} levels deep (limit {limit})");
        whole_value(value, "limit/depth", &message, &format!("at most {limit} levels"))
    })
}

/// Maximum number of nested references and levels that fit the validator's stack.
const MAX_FRAMES: usize = 4_096;

/// Returns the violation `limit/work`.
pub(crate) fn work_violation(value: &Value<'_>) -> Violation {
    let message = "validation takes too many steps";
    whole_value(value, "limit/work", message, "a smaller value or a simpler schema")
}

/// Adds the violations that only the validator detects, such as those of `unevaluatedProperties`.
fn add_unevaluated(
    value: &Value<'_>,
    schema: &Schema,
    budget: &WorkBudget,
    out: &mut Vec<Violation>,
) {
    let before = out.len();
    let errors = schema.compiled().validator.iter_errors(Instance::Counted(value.root(), budget));
    for error in errors.take(MAX_VIOLATIONS + 1) {
        let path = error.instance_path().as_str();
        let keyword = error.kind().keyword();
        let diagnosed = !is_evaluated(keyword, Evaluated::ByValidator) && before > 0;
        let node = value.root().pointer(path).filter(|_| !diagnosed);
        let Some(node) = node else { continue };
        let place = Location { pointer: "", instance: Instance::Node(node), path };
        let (code, expected, message) = of_validator(error.kind(), &clipped(node));
        let schema_path = schema.author_pointer(error.schema_path().as_str());
        let row = place.row(code, keyword, &expected, &message);
        out.push(Violation { schema_path, ..row });
    }
    if out.is_empty() {
        let message = "value has properties or items that the schema does not allow";
        out.push(whole_value(value, "schema/other", message, "a valid value"));
    }
}

/// Returns a violation by the whole value.
fn whole_value(value: &Value<'_>, code: &'static str, message: &str, expected: &str) -> Violation {
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
