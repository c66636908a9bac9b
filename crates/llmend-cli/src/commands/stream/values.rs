//! `llmend stream --choice all`: a line for each of several values, as it closes.

use llmend::{
    FitValues, FittedJson,
    json::{FoundJson, Options, Values},
};

use super::FitTarget;
use crate::{
    fitting::{answered, unread},
    outcome::{Answer, Failure, Layout},
    render::view,
};

/// The values of a text that arrives, and how many were written.
pub(super) struct ValueLines {
    values: Kind,
    written: usize,
    /// Whether a line is the value alone.
    pub(super) bare: bool,
}

enum Kind {
    /// As they are found.
    Found(Box<Values>),
    /// Each fitted to a schema.
    Fitted(Box<FitValues>),
}

impl ValueLines {
    /// Creates lines without any value, which are fitted to a schema if there is one.
    pub(super) fn new(
        options: &Options,
        target: Option<&FitTarget>,
        bare: bool,
    ) -> Result<Self, Failure> {
        let values = match target {
            None => Kind::Found(Box::new(Values::new(options.clone()))),
            Some(FitTarget { schema, options }) => {
                let values = FitValues::new(options.clone(), schema.clone());
                Kind::Fitted(Box::new(values.map_err(|error| unread(&error))?))
            }
        };
        Ok(Self { values, written: 0, bare })
    }

    /// Takes the next bytes. Returns the lines to write.
    pub(super) fn push(&mut self, piece: &[u8]) -> String {
        let Self { values, written, bare } = self;
        let mut lines = String::new();
        match values {
            Kind::Found(values) => {
                values.push(piece);
                while let Some(one) = values.next_value() {
                    lines.push_str(&found(&one, written, *bare));
                }
            }
            Kind::Fitted(values) => {
                values.push(piece);
                while let Some(one) = values.next_value() {
                    lines.push_str(&fitted(&one, written, *bare));
                }
            }
        }
        lines
    }

    /// Ends the text. Returns the remaining lines, and the answer or the failure.
    pub(super) fn finish(self, text: &str) -> (String, Result<Answer<'_>, Failure>) {
        let Self { values, mut written, bare } = self;
        match values {
            Kind::Found(values) => match values.finish() {
                Ok((rest, parsed)) => {
                    let lines = rest.iter().map(|one| found(one, &mut written, bare)).collect();
                    let (json, report) = (parsed.report.output(text), parsed.report);
                    (lines, Ok(Answer { json, report, fit: None, plan: None }))
                }
                Err(error) => (String::new(), Err(Failure::from(&error))),
            },
            Kind::Fitted(values) => match values.finish() {
                Ok((rest, all)) => {
                    let lines = rest.iter().map(|one| fitted(one, &mut written, bare)).collect();
                    (lines, answered(all, text, Layout::Kept))
                }
                Err(error) => (String::new(), Err(unread(&error))),
            },
        }
    }
}

/// Returns the line for a value as it was found, and counts it.
fn found(found: &FoundJson, written: &mut usize, bare: bool) -> String {
    // On one line, whatever its own layout.
    let value = llmend::json::parse(&found.json)
        .map_or_else(|_| found.json.clone(), |parsed| parsed.value.to_string());
    view::of_value(&value, "", written, bare)
}

/// Returns the line for a value that was fitted to a schema, and counts it.
fn fitted(one: &FittedJson, written: &mut usize, bare: bool) -> String {
    let fitted = &one.fitted;
    let rows = view::rows(&fitted.coercions, &fitted.violations);
    view::of_value(&fitted.value.to_string(), &rows, written, bare)
}
