//! Plans and workflows as the subject of the loop.

use llmend_json::{Diagnostic, EmphasisInValues, Node};
use llmend_plan::{Catalog, Dialect, Document, Extent, Gaps, listing};
use serde_json::Value as Json;

use super::{
    Ending, Evaluation, FailedAnswer, FailureKind, PartSchema, Subject, Topic,
    feedback::fenced,
    plan_parts,
    schema_subject::{doubted, unreadable},
    splice,
};
use crate::{
    PlanErrorKind, PlanningError, Review, ReviewOptions, model::Output,
    patching::review_patch_with, prompts, reviewing::review_plan_with,
};

/// A plan or workflow, or a change of one.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanSubject {
    /// How an answer is read and checked.
    pub options: ReviewOptions,
    /// The document to change, and what to do with gaps. The answer is then a patch of it, and is
    /// checked by its result.
    pub changing: Option<(Document, Gaps)>,
}

impl PlanSubject {
    /// Strips emphasis around values, if asked for.
    pub(super) fn with_emphasis(mut self, emphasis: EmphasisInValues) -> Self {
        if emphasis == EmphasisInValues::Strip {
            self.options.text.emphasis = emphasis;
        }
        self
    }

    fn judged(
        &self,
        answer: &str,
        read: Result<Review, PlanningError>,
        ending: Ending,
    ) -> Evaluation<Review> {
        match read {
            Ok(review) => self.reviewed(answer, review, ending),
            Err(error) if error.kind() == PlanErrorKind::SchemaFailed => {
                let json = error.report().map(|report| report.output(answer).into_owned());
                let findings = error.diagnostics();
                let doubt = error.report().and_then(|report| doubted(report, &[], ending));
                let failure = doubt.map_or(FailureKind::Schema, |(kind, _)| kind);
                let json = json.filter(|_| self.changing.is_none());
                Evaluation { json, ..Evaluation::unreadable(failure, findings) }
            }
            Err(error) => {
                unreadable(FailureKind::of_code(error.code()), error.diagnostics(), ending)
            }
        }
    }

    fn reviewed(&self, answer: &str, review: Review, ending: Ending) -> Evaluation<Review> {
        let mut findings = review.reviewed.diagnostics.clone();
        let mut failure = review.reviewed.has_errors().then_some(match review.reviewed.extent {
            Extent::Whole => FailureKind::Structure,
            Extent::Partial => FailureKind::Schema,
        });
        if let Some((kind, row)) = doubted(&review.report, &[], ending) {
            findings.push(row);
            failure = Some(kind);
        }
        // The result of a patch has paths in the canonical form, and none in the patch.
        let is_own = self.changing.is_none()
            && !review.reviewed.dialect.is_text()
            && review.reviewed.dialect != Dialect::Patch;
        Evaluation {
            failure,
            findings,
            json: is_own.then(|| review.report.output(answer).into_owned()),
            own: match (&review.reviewed.value, review.reviewed.extent, &self.changing) {
                (Document::Workflow(workflow), Extent::Whole, None) => {
                    serde_json::to_string(workflow).ok()
                }
                _ => None,
            },
            class: review.report.class,
            repairs: review.report.repairs.len(),
            // A document that was only partially read must not be used, even without validation.
            value: (review.reviewed.extent == Extent::Whole).then_some(review),
        }
    }

    fn catalog(&self) -> Option<&Catalog> {
        self.options.plan.catalog.as_ref()
    }

    /// Describes the tool of the step that contains a path.
    fn tool(&self, root: Node<'_>, path: &str) -> Option<String> {
        let catalog = self.catalog()?;
        let name = plan_parts::step(catalog, root, path)?.name;
        let tool = serde_json::to_string(catalog.tool(name)?).ok()?;
        Some(format!("{}: {tool}", Json::from(name)))
    }
}

impl Topic for PlanSubject {
    fn output(&self) -> Output {
        if self.options.plan.dialect.is_text() { Output::Text } else { Output::Json }
    }

    fn excerpt(&self, failed: &FailedAnswer) -> Vec<String> {
        let mut rows: Vec<String> = Vec::new();
        let Some(catalog) = self.catalog() else { return rows };
        let parsed = failed.json.as_deref().and_then(|json| splice::read(json).ok());
        for finding in failed.faults() {
            let row = if finding.code == "plan/unknown-tool" {
                let names: Json = catalog.tools.keys().map(String::as_str).collect();
                Some(format!("available tools: {names}"))
            } else {
                let path = finding.path.as_deref().unwrap_or_default();
                parsed.as_ref().and_then(|parsed| self.tool(parsed.value.root(), path))
            };
            rows.extend(row.filter(|row| !rows.contains(row)));
        }
        rows
    }

    fn part(&self, root: Node<'_>, path: &str) -> Option<PartSchema> {
        plan_parts::part(self.catalog()?, root, path)
    }

    fn is_forbidden(&self, root: Node<'_>, finding: &Diagnostic) -> bool {
        let path = finding.path.as_deref().filter(|_| finding.code == "plan/arguments");
        let catalog = self.catalog();
        path.zip(catalog)
            .is_some_and(|(path, catalog)| plan_parts::is_forbidden(catalog, root, path))
    }

    fn narrowed(&self, instructions: &str, failed: &FailedAnswer) -> Option<String> {
        let catalog = self.catalog()?;
        let parsed = splice::read(failed.json.as_deref()?).ok()?;
        let faults = failed.faults();
        let paths =
            faults.map(|row| row.path.as_deref().filter(|_| row.code != "plan/unknown-tool"));
        let concerned = plan_parts::concerned(catalog, parsed.value.root(), paths)?;
        let (all, few) = (prompts::catalog(catalog), prompts::catalog(&concerned));
        instructions.contains(&all).then(|| instructions.replacen(&all, &few, 1))
    }

    fn is_known(&self, name: &str) -> bool {
        let is_in_catalog = |catalog: &Catalog| {
            serde_json::to_string(catalog)
                .is_ok_and(|catalog| catalog.contains(&Json::from(name).to_string()))
        };
        Dialect::ALL.iter().any(|dialect| dialect.field_names().contains(&name))
            || self.catalog().is_some_and(is_in_catalog)
    }

    fn is_local(&self, finding: &Diagnostic) -> bool {
        listing::is_local(&finding.code)
    }

    fn own_patch(&self, failed: &FailedAnswer) -> Option<String> {
        let workflow = failed.own.as_deref()?;
        let form = prompts::FORM_WORKFLOW_PATCH.fill(&[]);
        let workflow = fenced("workflow", workflow);
        Some(prompts::RETRY_WORKFLOW_PATCH.fill(&[("workflow", &workflow), ("form", &form)]))
    }
}

impl Subject for PlanSubject {
    type Value = Review;

    fn read(&self, answer: &str, ending: Ending) -> Evaluation<Review> {
        let read = match &self.changing {
            Some((document, gaps)) => review_patch_with(document, answer, *gaps, &self.options),
            None => review_plan_with(answer, &self.options),
        };
        self.judged(answer, read, ending)
    }

    fn patched(&self, before: &Review, answer: &str) -> Option<Evaluation<Review>> {
        let read = review_patch_with(&before.reviewed.value, answer, Gaps::Leave, &self.options);
        Some(self.judged(answer, read, Ending::Complete))
    }
}
