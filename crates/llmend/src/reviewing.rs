//! Reading and checking the plan or workflow in an answer.

use llmend_calls::Accept;
use llmend_json::{Candidate, Options, Origin, Report, Search, Span, Status, choice};
use llmend_plan::{
    Dialect, Document, ParsedDocument, Reviewed, apply_fixes, read_partial, read_text_partial,
    review_partial, unread_form, unread_text,
};

use crate::{
    config::RepairMode,
    metrics::parse_counted,
    outcome::needs_second_look,
    planning::{counted_as, several},
    planning_error::{Cause, PlanningError},
};

mod calls;

/// The options of [`review_plan_with`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReviewOptions {
    /// Options for the text. The names of a plan's fields are added to its
    /// [`Hints`](llmend_json::Hints).
    pub text: Options,
    /// Options for the plan, including the available tools.
    pub plan: llmend_plan::Options,
    /// What to do with safe fixes.
    pub fixes: Fixes,
}

choice! {
    /// What to do with the safe fix of a finding.
    #[derive(Default)]
    Fixes {
        /// Attach it to the finding.
        #[default]
        Offered = "offer",
        /// Apply it, and keep it on record.
        Made = "make",
    }
}

impl Fixes {
    /// Applies the safe fixes if asked for.
    pub(crate) fn of(
        self,
        reviewed: Reviewed<Document>,
        options: &llmend_plan::Options,
    ) -> Reviewed<Document> {
        match self {
            Self::Offered => reviewed,
            Self::Made => apply_fixes(reviewed, options),
        }
    }
}

/// A plan or workflow that was checked, with its report.
#[derive(Clone, Debug, PartialEq)]
pub struct Review {
    /// The document and every finding. Do not use a document with errors
    /// ([`Reviewed::has_errors`]): a part of it may not have been read.
    pub reviewed: Reviewed<Document>,
    /// The report on the text. A text in a dialect that is not JSON is read as is.
    pub report: Report,
}

impl Review {
    /// Returns whether the document may lack something that the answer says or was about to say:
    /// content was discarded, or the answer was cut off and more than the last bracket was missing.
    /// For a patch, any cut counts.
    ///
    /// ```
    /// let is_unsure = |answer| llmend::review_plan(answer).map(|review| review.is_unsure());
    /// assert!(is_unsure("{\"steps\": [{\"id\": \"a\", \"inputs\": {\"path\": \"/home")?);
    /// assert!(!is_unsure("{\"steps\": [{\"id\": \"a\", \"inputs\": {\"path\": \"/home\"}}]")?);
    /// assert!(is_unsure("{\"remove_nodes\": [\"a\"]")?);
    /// # Ok::<(), llmend::PlanningError>(())
    /// ```
    #[must_use]
    pub fn is_unsure(&self) -> bool {
        let is_patch = matches!(self.reviewed.dialect, Dialect::Patch | Dialect::ClickweavePatch);
        needs_second_look(&self.report) || is_patch && self.report.truncated()
    }

    /// Returns the document if all of it could be read and nothing may be missing: required of a
    /// document to be changed, as by a patch.
    ///
    /// ```
    /// let answer = "{steps: [{id: 'a', tool: 'search'}, {tool: 'send'}]}";
    /// let error = llmend::review_plan(answer)?.into_whole().unwrap_err();
    /// assert_eq!(error.diagnostics()[0].code, "plan/missing-field");
    /// let error = llmend::review_plan("{steps: [{id: 'a', tool: 'sea")?.into_whole().unwrap_err();
    /// assert_eq!(error.code(), "value/truncated");
    /// # Ok::<(), llmend::PlanningError>(())
    /// ```
    pub fn into_whole(self) -> Result<Document, PlanningError> {
        let is_unsure = self.is_unsure();
        let Self { reviewed, report } = self;
        match reviewed.into_whole() {
            Ok(document) if is_unsure => Err(Cause::Unsure { document, report }.into()),
            Ok(document) => Ok(document),
            Err(error) => Err(Cause::Schema { error, report }.into()),
        }
    }
}

/// Reads the plan or workflow in `answer` in any dialect, infers its control flow and checks it.
/// Reports every finding at once, each with its place in the answer, even if a part of it could not
/// be read.
///
/// An error means that nothing could be read. The default options apply, or those of the policy
/// `strict` with `LLMEND_REPAIR=0`.
///
/// ```
/// let answer = "Sure: {steps: [{id: 'a', tool: 'search'}, {id: 'b', depends_on: ['A', 'c']}]}";
/// let review = llmend::review_plan(answer)?;
/// assert!(review.reviewed.has_errors());
/// let found: Vec<_> = review.reviewed.diagnostics.iter().map(|row| row.span.unwrap().of(answer)).collect();
/// assert_eq!(found, ["'A'", "'c'"]);
/// # Ok::<(), llmend::PlanningError>(())
/// ```
pub fn review_plan(answer: &str) -> Result<Review, PlanningError> {
    let text = RepairMode::from_env()?.options();
    review_plan_with(answer, &ReviewOptions { text, ..ReviewOptions::default() })
}

/// Reviews an answer like [`review_plan`], with options. The environment is not read.
///
/// ```
/// use llmend::{Options, Policy, ReviewOptions};
///
/// let options = ReviewOptions { text: Options::policy(Policy::Strict), ..ReviewOptions::default() };
/// let error = llmend::review_plan_with("{steps: []}", &options).unwrap_err();
/// assert_eq!(error.kind(), llmend::PlanErrorKind::ParseFailed);
/// ```
pub fn review_plan_with(answer: &str, options: &ReviewOptions) -> Result<Review, PlanningError> {
    let ReviewOptions { text, plan, fixes } = options;
    counted_as(
        || {
            let (read, report) = read_answer(answer, text, plan)?;
            match review_partial(read, answer, plan) {
                Ok(reviewed) => Ok(Review { reviewed: fixes.of(reviewed, plan), report }),
                Err(error) => Err(Cause::Schema { error, report }.into()),
            }
        },
        |review| !review.reviewed.has_errors(),
    )
}

/// A document that was read as far as possible, unchecked, with the report on its text.
type Read = (ParsedDocument<Option<Document>>, Report);

/// Reads `answer`: a plan, or the tool calls in any notation.
fn read_answer(
    answer: &str,
    text: &Options,
    plan: &llmend_plan::Options,
) -> Result<Read, PlanningError> {
    match plan.dialect {
        Dialect::Calls => Ok(calls::calls(answer, text, plan, Accept::Auto).plan(answer, plan)),
        // Without a search, the text is JSON or is rejected.
        Dialect::Auto if text.search == Search::On => {
            calls::instead(read_plan(answer, text, plan), answer, text, plan)
        }
        _ => read_plan(answer, text, plan),
    }
}

/// Reads the plan in `answer`.
fn read_plan(
    answer: &str,
    text: &Options,
    plan: &llmend_plan::Options,
) -> Result<Read, PlanningError> {
    let dialect = match plan.dialect {
        Dialect::Auto if text.search == Search::On => Dialect::of_text(answer),
        named => named,
    };
    if dialect.is_text() {
        let report = as_it_stands(answer);
        let options = llmend_plan::Options { dialect, ..plan.clone() };
        return match read_text_partial(answer, &options) {
            Ok(read) => Ok((read, report)),
            Err(error) => Err(Cause::Schema { error, report }.into()),
        };
    }
    let unread = |row| {
        let error =
            llmend_plan::Error::Unreadable { dialect: Dialect::Canonical, diagnostics: vec![row] };
        Cause::Schema { error, report: as_it_stands(answer) }
    };
    let parsed =
        parse_counted(answer, &hinted(text, &FIELDS)).map_err(|error| {
            match unread_form(answer).filter(|_| text.search == Search::On) {
                Some(row) => unread(row),
                None => Cause::json(error, text),
            }
        })?;
    let read = read_partial(&parsed.value, plan);
    if let Some(row) = unread_text(answer, &read).filter(|_| plan.dialect == Dialect::Auto) {
        return Err(unread(row).into());
    }
    match several(answer, &parsed).filter(|_| read.has_errors()) {
        Some(row) => {
            let dialect = match plan.dialect {
                Dialect::Auto => Dialect::Canonical,
                named => named,
            };
            let error = llmend_plan::Error::Unreadable { dialect, diagnostics: vec![row] };
            Err(Cause::Schema { error, report: parsed.report }.into())
        }
        None => Ok((read, parsed.report)),
    }
}

/// Returns the report on a text that is not JSON.
fn as_it_stands(text: &str) -> Report {
    Report {
        status: Status::Extracted,
        class: None,
        cut: None,
        candidate: Candidate { span: Span::new(0, text.len()), origin: Origin::Whole },
        repairs: Vec::new(),
        diagnostics: Vec::new(),
    }
}

/// Fields of plans and workflows that are unlikely to occur elsewhere in an answer.
pub(crate) const FIELDS: [&str; 12] = [
    "steps",
    "tasks",
    "nodes",
    "edges",
    "objective",
    "depends_on",
    "dependencies",
    "success_criteria",
    "expected_output",
    "step_id",
    "agent_name",
    "step_type",
];

/// Returns `options` with expected keys.
pub(crate) fn hinted(options: &Options, keys: &[&str]) -> Options {
    let mut options = options.clone();
    options.hints.keys.extend(keys.iter().map(|key| (*key).to_owned()));
    options
}
