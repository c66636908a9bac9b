//! Outcomes without what looks like an API key in what is said of them.

use llmend::{
    Coercion, Violation,
    asking::without_keys as findings_without_keys,
    json::{Repair, Report},
    model::masked,
};

use crate::outcome::{Answer, Failure, Fit};

/// Returns the outcome of asking a model without keys that the model wrote, but for those in its value.
pub(crate) fn without_keys(outcome: Result<Answer<'_>, Failure>) -> Result<Answer<'_>, Failure> {
    match outcome {
        Ok(mut answer) => {
            mask_report(&mut answer.report);
            answer.fit.iter_mut().for_each(mask_fit);
            Ok(answer)
        }
        Err(mut failure) => {
            findings_without_keys(&mut failure.diagnostics);
            failure.report.iter_mut().for_each(|report| mask_report(report));
            failure.fit.iter_mut().for_each(|fit| mask_fit(fit));
            Err(failure)
        }
    }
}

fn mask(text: &mut String) {
    *text = masked(text);
}

fn mask_report(report: &mut Report) {
    findings_without_keys(&mut report.diagnostics);
    for Repair { replacement, .. } in &mut report.repairs {
        *replacement = masked(replacement).into();
    }
}

fn mask_fit(fit: &mut Fit) {
    for Coercion { path, before, after, .. } in &mut fit.coercions {
        [path, before, after].into_iter().for_each(mask);
    }
    for Violation { path, message, found, hint, .. } in &mut fit.violations {
        [path, message, found].into_iter().chain(hint).for_each(mask);
    }
}
