//! The rows of a table from the objects of its lines.

use std::path::Path;

use llmend::{
    Class, Repair,
    json::{OffsetUnit, Offsets, Relocate as _, Rule, Span},
};
use llmend_arrow::{Problem, Row, table::TableError, table::write_table};
use serde::Deserialize;

use crate::{
    commands::batch::unfinished::{Unfinished, UnfinishedError},
    outcome::{Answer, Failure},
};

/// The object of the row of a null.
pub(super) const NULL: &str = r#""status":"null""#;

/// The object of a line.
#[derive(Deserialize)]
struct Object {
    status: String,
    #[serde(default)]
    json: Option<String>,
    #[serde(default)]
    truncated: bool,
    #[serde(default)]
    class: Option<String>,
    #[serde(default)]
    repairs: Vec<RepairObject>,
    #[serde(default)]
    error: Option<ErrorObject>,
}

#[derive(Deserialize)]
struct RepairObject {
    rule: String,
    start: usize,
    end: usize,
    replacement: String,
}

#[derive(Deserialize)]
struct ErrorObject {
    code: String,
    message: String,
    start: Option<usize>,
    end: Option<usize>,
}

/// Counts the offsets of an outcome in characters of the answer, as those in a table are.
pub(super) fn relocate(text: &str, outcome: &mut Result<Answer<'_>, Failure>) {
    let offsets = Offsets::new(text, OffsetUnit::CodePoint);
    let mut to = |at| offsets.at(at);
    match outcome {
        Ok(answer) => answer.report.repairs.relocate(&mut to),
        Err(failure) => {
            if let Some(report) = &mut failure.report {
                report.repairs.relocate(&mut to);
            }
            failure.diagnostics.relocate(&mut to);
        }
    }
}

/// Writes the table, with a row for each answer.
pub(super) fn finish(
    mut unfinished: Unfinished,
    input: &Path,
    column: &str,
    into: &str,
) -> Result<(), Failure> {
    let output = unfinished.output().to_owned();
    write_table(input, column, &output, into, |index| {
        let number = usize::try_from(index).unwrap_or(usize::MAX).saturating_add(1);
        let failed = |error: &dyn std::fmt::Display| TableError::Write {
            path: output.clone(),
            reason: error.to_string(),
        };
        let line = unfinished.object(number).map_err(|error| failed(&error))?;
        let object = serde_json::from_slice(&line).map_err(|error| failed(&error))?;
        Ok(row(object))
    })
    .map_err(|error| super::prompts::failure(&error))?;
    unfinished.remove().map_err(|error: UnfinishedError| super::failure(&error))
}

fn row(object: Object) -> Option<Row> {
    const KNOWN: [&str; 4] = ["unchanged", "extracted", "repaired", "coerced"];
    let Object { status, json, truncated, class, repairs, error } = object;
    if status == "null" {
        return None;
    }
    let class = class.and_then(|class| Class::ALL.iter().copied().find(|it| it.as_str() == class));
    let repair = |repair: RepairObject| {
        let rule = Rule::ALL.iter().copied().find(|rule| rule.name() == repair.rule)?;
        let span = Span::new(repair.start, repair.end);
        Some(Repair { rule, span, replacement: repair.replacement.into() })
    };
    Some(Row {
        value: json,
        status: KNOWN.into_iter().find(|known| *known == status).unwrap_or("refused"),
        class,
        truncated,
        repairs: repairs.into_iter().filter_map(repair).collect(),
        error: error.map(|error| {
            let ErrorObject { code, message, start, end } = error;
            Problem { code, message, place: start.zip(end) }
        }),
    })
}
