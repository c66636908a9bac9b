//! Repair of the parts of a response.

use crate::answer::part::{Cut, Edits, Fault, FaultKind, Repaired};
use llmend::json::{ErrorKind, Kind, Origin, Report, Rule, repair_with};
use llmend::{
    BadSchema, Class, CoerceMode, Coercion, Diagnostic, Error, FitOptions, Options, Schema, Status,
    fit_with,
};

use crate::answer::expectation::Expectation;
use crate::config::{Level, Limits};
use crate::splice::exact;

pub(crate) mod decide;
pub(crate) mod evaluate;

/// How far a repair may go, and within which limits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RepairOptions {
    pub(crate) level: Level,
    pub(crate) limits: Limits,
}

/// Repairs `text` into what was asked for.
pub(crate) fn repair(
    text: &str,
    wanted: &Expectation,
    repair_options: RepairOptions,
) -> Result<Repaired, Fault> {
    match wanted {
        Expectation::Json => repair_json(text, repair_options),
        Expectation::Schema(schema) => repair_to_schema(text, schema, repair_options),
    }
}

/// Repairs the arguments of a call. Servers omit them where there are none.
pub(crate) fn repair_arguments(
    text: &str,
    wanted: &Expectation,
    repair_options: RepairOptions,
) -> Result<Repaired, Fault> {
    if text.trim().is_empty() && repair_options.level != Level::Strict {
        let nothing = repair("{}", wanted, repair_options)?;
        let json = nothing.json.unwrap_or_else(|| "{}".to_owned());
        let done = vec![("no-arguments", Class::Completion)];
        return Ok(Repaired { json: Some(json), class: Some(Class::Completion), done, ..nothing });
    }
    repair(text, wanted, repair_options)
}

fn text_options(repair_options: RepairOptions) -> Options {
    let mut options = match repair_options.level {
        Level::Strict => Options::policy(llmend::Policy::Strict),
        Level::Standard => Options::policy(llmend::Policy::Standard),
        Level::Lenient => Options::policy(llmend::Policy::Lenient),
    };
    (options.max_depth, options.max_bytes) =
        (repair_options.limits.depth, repair_options.limits.answer_bytes);
    options
}

fn repair_json(text: &str, repair_options: RepairOptions) -> Result<Repaired, Fault> {
    let repaired =
        repair_with(text, &text_options(repair_options)).map_err(|error| fault(&error.into()))?;
    if is_unchanged(&repaired.report, &[]) {
        return Ok(Repaired::unchanged());
    }
    let is_object = exact(&repaired.text, repair_options.limits.depth)
        .is_ok_and(|value| value.root().kind() == Kind::Object);
    if !is_object && repaired.report.candidate.origin != Origin::Whole {
        // A list within a sentence is more often part of the sentence than the answer.
        let code = ErrorKind::NoJson.code();
        let message = "expected a JSON object, found none in the text";
        let row = Diagnostic::new(code, llmend::Severity::Error, message);
        return Err(Fault {
            kind: FaultKind::NoJson,
            diagnostics: vec![row.at(repaired.report.candidate.span)],
        });
    }
    Ok(from_report(repaired.text.into_owned(), repaired.report, Vec::new()))
}

/// Returns the options for fitting a text to a schema.
pub(crate) fn fit_options(repair_options: RepairOptions) -> FitOptions {
    let coerce = match repair_options.level {
        Level::Strict => CoerceMode::Off,
        Level::Standard | Level::Lenient => CoerceMode::On(llmend::schema::Options {
            max_depth: repair_options.limits.depth,
            max_work: repair_options.limits.repair_work,
            max_work_in_all: Some(repair_options.limits.repair_work_in_all),
            ..llmend::schema::Options::default()
        }),
    };
    FitOptions { text: text_options(repair_options), coerce }
}

fn repair_to_schema(
    text: &str,
    schema: &Schema,
    repair_options: RepairOptions,
) -> Result<Repaired, Fault> {
    let options = fit_options(repair_options);
    let fitted = fit_with(text, schema, &options).map_err(|error| fault(&error))?;
    if !fitted.violations.is_empty() {
        let kind = if fitted.report.truncated() { FaultKind::Truncated } else { FaultKind::Schema };
        return Err(Fault { kind, diagnostics: fitted.diagnostics() });
    }
    if is_unchanged(&fitted.report, &fitted.coercions) {
        return Ok(Repaired::unchanged());
    }
    let (json, class) = (fitted.json(text).into_owned(), fitted.class());
    Ok(Repaired { class, ..from_report(json, fitted.report, fitted.coercions) })
}

/// Whether the text needs no change.
fn is_unchanged(report: &Report, coercions: &[Coercion]) -> bool {
    report.repairs.is_empty()
        && coercions.is_empty()
        && (report.status == Status::Unchanged || report.candidate.origin == Origin::Whole)
}

fn from_report(json: String, report: Report, coercions: Vec<Coercion>) -> Repaired {
    let rules = report.repairs.iter().map(|repair| (repair.rule.name(), repair.class()));
    let kinds = coercions.iter().map(|coercion| (coercion.kind.name(), coercion.class));
    Repaired {
        json: Some(json),
        class: report.class,
        cut: cut(&report),
        done: rules.chain(kinds).collect(),
        edits: Edits {
            candidate: Some(report.candidate.span),
            repairs: report.repairs,
            coercions,
            diagnostics: report.diagnostics,
        },
    }
}

fn cut(report: &Report) -> Cut {
    if report.cut.is_none() {
        return Cut::Whole;
    }
    let is_inside = |rule: Rule| rule.is_cut() || rule == Rule::MissingValue;
    if report.repairs.iter().any(|repair| is_inside(repair.rule)) { Cut::Inside } else { Cut::Open }
}

fn fault(error: &Error) -> Fault {
    let kind = match error {
        Error::Json(error) => match error.kind() {
            ErrorKind::Empty
            | ErrorKind::NoJson
            | ErrorKind::EmptyBlock
            | ErrorKind::ReasoningOnly => FaultKind::NoJson,
            ErrorKind::UnexpectedEnd | ErrorKind::UnclosedBlock => FaultKind::Truncated,
            ErrorKind::Depth | ErrorKind::Bytes | ErrorKind::Repairs => FaultKind::Limit,
            _ => FaultKind::Syntax,
        },
        Error::Schema(BadSchema { .. }) | Error::Unfit(_) => FaultKind::Schema,
        _ => FaultKind::Syntax,
    };
    Fault { kind, diagnostics: error.diagnostics() }
}

#[cfg(test)]
mod tests {
    use super::{Cut, FaultKind, RepairOptions, repair, repair_arguments};
    use crate::answer::expectation::{Expectation, Schemas};
    use crate::config::{Level, Limits};

    fn repair_options(level: Level) -> RepairOptions {
        RepairOptions { level, limits: Limits::default() }
    }

    fn city() -> Expectation {
        let schema = r#"{"type": "object", "properties": {"city": {"type": "string"},
            "days": {"type": "integer"}}, "required": ["city"]}"#;
        Expectation::Schema(Schemas::default().get(schema).unwrap())
    }

    #[test]
    fn json_is_repaired_and_valid_json_is_unchanged() {
        // (text, expected; None if it stays unchanged)
        let rows: [(&str, Result<Option<&str>, FaultKind>); 10] = [
            ("{\"a\": 1}", Ok(None)),
            (" {\"a\": 1}\n", Ok(None)),
            ("[1]", Ok(None)),
            ("```json\n{\"a\": 1}\n```", Ok(Some("{\"a\": 1}"))),
            ("Sure: {'a': 1,}", Ok(Some("{\"a\": 1}"))),
            ("I cannot [1] do that.", Err(FaultKind::NoJson)),
            ("Sorry.", Err(FaultKind::NoJson)),
            ("", Err(FaultKind::NoJson)),
            ("{\"a\": 2 * 3}", Err(FaultKind::Syntax)),
            ("[1, 2,]", Ok(Some("[1, 2]"))),
        ];
        for (text, expected) in rows {
            let result = repair(text, &Expectation::Json, repair_options(Level::Standard));
            let result = result.map(|repaired_part| repaired_part.json).map_err(|fault| fault.kind);
            assert_eq!(result, expected.map(|json| json.map(str::to_owned)), "{text}");
        }
    }

    #[test]
    fn a_schema_is_kept_or_the_answer_refused() {
        let rows: [(&str, Result<Option<&str>, FaultKind>); 5] = [
            (r#"{"city": "Oslo"}"#, Ok(None)),
            (r#"{"City": "Oslo", "days": "3"}"#, Ok(Some(r#"{"city": "Oslo", "days": 3}"#))),
            (r#"{"city": "Oslo", "days": "a few"}"#, Err(FaultKind::Schema)),
            ("{}", Err(FaultKind::Schema)),
            ("{\"days\": 3, \"ci", Err(FaultKind::Truncated)),
        ];
        for (text, expected) in rows {
            let result = repair(text, &city(), repair_options(Level::Standard));
            let result = result.map(|repaired_part| repaired_part.json).map_err(|fault| fault.kind);
            assert_eq!(result, expected.map(|json| json.map(str::to_owned)), "{text}");
        }
    }

    #[test]
    fn strict_changes_nothing() {
        let strict = repair_options(Level::Strict);
        assert!(repair(r#"{"city": "Oslo"}"#, &city(), strict).is_ok_and(|ok| ok.json.is_none()));
        for text in ["{'city': 'Oslo'}", r#"{"City": "Oslo"}"#, "```\n{\"city\": \"Oslo\"}\n```"] {
            assert!(repair(text, &city(), strict).is_err(), "{text}");
        }
        assert!(repair_arguments("", &Schemas::default().object(), strict).is_err());
    }

    #[test]
    fn the_cut_of_a_text_is_reported() {
        let rows = [
            ("{\"city\": \"Oslo\"}", Cut::Whole),
            ("{\"city\": \"Oslo\"", Cut::Open),
            ("{\"city\": \"Osl", Cut::Inside),
            ("{\"city\": \"Oslo\", \"da", Cut::Inside),
            ("{\"city\": \"Oslo\", \"days\": 1", Cut::Open),
            ("{'city': 'Oslo'}", Cut::Whole),
        ];
        for (text, expected) in rows {
            let repaired_part = repair(text, &city(), repair_options(Level::Standard)).unwrap();
            assert_eq!(repaired_part.cut, expected, "{text}");
        }
    }

    #[test]
    fn no_arguments_are_none_if_the_tool_takes_none() {
        let object = Schemas::default().object();
        let repaired_part =
            repair_arguments(" ", &object, repair_options(Level::Standard)).unwrap();
        assert_eq!(repaired_part.json.as_deref(), Some("{}"));
        let fault = repair_arguments("", &city(), repair_options(Level::Standard)).unwrap_err();
        assert_eq!(fault.kind, FaultKind::Schema);
    }
}
