//! Reading the plan in an answer.
//!
//! The stages are extraction and repair, the guard against large removals, strict parsing, and the
//! plan's schema. The names and the meaning of the functions are those of the `OpenManus` planning
//! documents, except that a retry asks the model again, since the same text would fail the same
//! way.

use llmend_json::{
    Diagnostic, Node, Options, Origin, Parsed, Report, Rule, RuleSet, Severity, Span, line_column,
};
use llmend_plan::{Dialect, Document, ParsedPlan, Plan};

use crate::{
    config::RepairMode,
    metrics::{self, Counter, parse_counted},
    outcome::needs_second_look,
    planning_error::{Attempts, Cause, PlanErrorKind, PlanningError},
    stopwatch::Stopwatch,
};

/// The default number of retries.
pub const DEFAULT_MAX_RETRIES: u32 = 2;

/// How a plan was read.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Meta {
    /// The changes to the text in its order, each once: `extract: fence` and the like, then the
    /// names of the rules. Empty if the text was the plan itself.
    pub notes: Vec<String>,
    /// The dialect of the plan.
    pub dialect: Dialect,
    /// Every repair with its place, and how far the plan can be trusted.
    pub report: Report,
    /// Warnings and remarks on the plan itself.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads the `OpenManus` plan in `text`: the one function that most callers need.
///
/// There is no model to ask again, so that one attempt is made whatever `max_retries` is, and the
/// error says so; [`parse_with_retries`] takes a model. A plan that may lack something (content was
/// discarded, or the answer was cut off and more than one closer is missing) is an error of the
/// kind [`PlanErrorKind::RepairFailed`], which contains it.
///
/// ```
/// let answer = "```json\n{“version”: \"1.0\", \"objective\": \"Demo\", \"steps\": [],}\n```";
/// let plan = llmend::parse_plan_text(answer, llmend::DEFAULT_MAX_RETRIES)?;
/// assert_eq!((plan.version.as_deref(), plan.objective.as_deref()), (Some("1.0"), Some("Demo")));
/// # Ok::<(), llmend::PlanningError>(())
/// ```
pub fn parse_plan_text(text: &str, max_retries: u32) -> Result<Plan, PlanningError> {
    let attempts = if max_retries == 0 { Attempts::One } else { Attempts::NoModel };
    attempt(text).map_err(|error| error.after(attempts))
}

/// Reads the `OpenManus` plan in `payload`, and asks again if there is none: at most `max_retries`
/// times, with the error of the last answer. `ask` returns the next answer, or `None` to give up.
///
/// ```
/// let mut answers = ["Sorry!", r#"{"version": "1", "objective": "Demo", "steps": []}"#].into_iter();
/// let first = answers.next().unwrap_or_default();
/// let plan = llmend::parse_with_retries(first, 2, |error| {
///     assert_eq!(error.kind(), llmend::PlanErrorKind::RepairFailed);
///     answers.next().map(str::to_owned)
/// })?;
/// assert_eq!(plan.objective.as_deref(), Some("Demo"));
/// # Ok::<(), llmend::PlanningError>(())
/// ```
pub fn parse_with_retries(
    payload: &str,
    max_retries: u32,
    mut ask: impl FnMut(&PlanningError) -> Option<String>,
) -> Result<Plan, PlanningError> {
    let mut outcome = attempt(payload);
    for made in 1..=max_retries {
        let error = match outcome {
            Err(error) if error.kind() != PlanErrorKind::BadSetting => {
                error.after(Attempts::Made(made))
            }
            settled => return settled,
        };
        let Some(answer) = ask(&error) else { return Err(error) };
        Counter::Retry.count();
        outcome = attempt(&answer);
    }
    outcome.map_err(|error| error.after(Attempts::Made(max_retries.saturating_add(1))))
}

/// Reads the `OpenManus` plan in `payload`, and reports every change. A plan that may lack
/// something is returned too, as the report then says.
///
/// ```
/// let payload = "Here you go: {\"version\": \"1\", \"objective\": \"Demo\", \"steps\": [],} // done";
/// let (plan, meta) = llmend::parse_plan_payload(payload)?;
/// assert_eq!(plan.objective.as_deref(), Some("Demo"));
/// assert_eq!(meta.notes, ["extract: bare", "trailing-comma"]);
/// # Ok::<(), llmend::PlanningError>(())
/// ```
pub fn parse_plan_payload(payload: &str) -> Result<(Plan, Meta), PlanningError> {
    counted(|| {
        let repair = RepairMode::from_env()?;
        run(payload, &repair.options(), Dialect::OpenManus)
    })
}

/// Reads a plan like [`parse_plan_payload`], with options and in any dialect. The environment is
/// not read.
///
/// ```
/// use llmend::{Dialect, Options};
///
/// let answer = "{'steps': [{'id': 'a', 'tool': 'search'}]}";
/// let (plan, meta) = llmend::parse_plan_payload_with(answer, &Options::default(), Dialect::Auto)?;
/// assert_eq!(plan.steps.len(), 1);
/// assert!(!meta.report.repairs.is_empty());
/// # Ok::<(), llmend::PlanningError>(())
/// ```
pub fn parse_plan_payload_with(
    payload: &str,
    options: &Options,
    dialect: Dialect,
) -> Result<(Plan, Meta), PlanningError> {
    counted(|| run(payload, options, dialect))
}

/// Makes one attempt, for a caller who gets no report.
fn attempt(text: &str) -> Result<Plan, PlanningError> {
    counted(|| {
        let repair = RepairMode::from_env()?;
        let (plan, meta) = run(text, &repair.options(), Dialect::OpenManus)?;
        if needs_second_look(&meta.report) {
            let document = Document::Plan(plan);
            return Err(Cause::Unsure { document, report: meta.report }.into());
        }
        Ok(plan)
    })
}

/// Counts an attempt and its time.
fn counted<T>(attempt: impl FnOnce() -> Result<T, PlanningError>) -> Result<T, PlanningError> {
    counted_as(attempt, |_| true)
}

/// Counts an attempt and its time. A plan that is not `sound` counts as a failure.
pub(crate) fn counted_as<T>(
    attempt: impl FnOnce() -> Result<T, PlanningError>,
    sound: impl FnOnce(&T) -> bool,
) -> Result<T, PlanningError> {
    let watch = Stopwatch::start();
    let outcome = attempt();
    match &outcome {
        Ok(plan) if !sound(plan) => Counter::SchemaFail.count(),
        Ok(_) => metrics::succeeded(watch.elapsed()),
        Err(error) => {
            if let Some(counter) = error.kind().counter() {
                counter.count();
            }
        }
    }
    outcome
}

fn run(payload: &str, options: &Options, dialect: Dialect) -> Result<(Plan, Meta), PlanningError> {
    let parsed = parse_counted(payload, options).map_err(|error| Cause::json(error, options))?;
    match llmend_plan::read(&parsed.value, dialect) {
        Ok(ParsedPlan { plan, dialect, diagnostics, .. }) => {
            let notes = notes(&parsed.report);
            Ok((plan, Meta { notes, dialect, report: parsed.report, diagnostics }))
        }
        Err(error) => {
            let error = several(payload, &parsed).map_or(error, |row| {
                let dialect = if dialect == Dialect::Auto { Dialect::Canonical } else { dialect };
                llmend_plan::Error::Unreadable { dialect, diagnostics: vec![row] }
            });
            Err(Cause::Schema { error, report: parsed.report }.into())
        }
    }
}

/// The number of documents whose places a message lists.
const SHOWN_PLACES: usize = 5;

/// Returns the finding that several documents are not one plan: that they became an array is not
/// what the writer of any of them should read.
pub(crate) fn several(payload: &str, parsed: &Parsed<'_>) -> Option<Diagnostic> {
    let rule = Rule::SeveralDocuments;
    parsed.report.repairs.iter().find(|repair| repair.rule == rule)?;
    let spans: Vec<Span> = parsed.value.root().items().map(Node::span).collect();
    let places = spans.iter().take(SHOWN_PLACES).map(|span| {
        let (line, column) = line_column(payload, span.start);
        format!("{line}:{column}")
    });
    let places = places.collect::<Vec<_>>().join(", ");
    let more = if spans.len() > SHOWN_PLACES { " and more" } else { "" };
    let count = spans.len();
    let message =
        format!("expected one plan, found {count} documents ({rule}) starting at {places}{more}");
    let row = Diagnostic::new(llmend_plan::code::SEVERAL_DOCUMENTS, Severity::Error, message);
    Some(
        row.at(parsed.report.candidate.span)
            .on("")
            .help("Ask for one plan, or take the first one with the choice `first`."),
    )
}

/// Returns the names of the changes.
fn notes(report: &Report) -> Vec<String> {
    let mut notes = Vec::new();
    if report.candidate.origin != Origin::Whole {
        notes.push(format!("extract: {}", report.candidate.origin.as_str()));
    }
    let mut seen = RuleSet::NONE;
    for repair in &report.repairs {
        if !seen.contains(repair.rule) {
            seen = seen.with(repair.rule);
            notes.push(repair.rule.name().to_owned());
        }
    }
    notes
}
