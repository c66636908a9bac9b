//! What does a part of an answer say, and what had to be done to it?

use llmend::json::{ErrorKind, Kind, Origin, Repair, Report, Rule, Span, repair_with};
use llmend::{
    BadSchema, Class, Coercing, Coercion, Diagnostic, Error, FitOptions, Options, Schema, Status,
    fit_with,
};

use crate::config::{Level, Limits};
use crate::repair::expectation::Expectation;
use crate::splice::exact;

pub(crate) mod decide;
pub(crate) mod evaluate;
pub(crate) mod expectation;

/// How far a repair may go, and within which limits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach {
    pub(crate) level: Level,
    pub(crate) limits: Limits,
}

/// A part of an answer that is what was asked for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Mended {
    /// What it says, as JSON; nothing if the text does already, which then stays as it stands.
    pub(crate) json: Option<String>,
    /// How sure that is.
    pub(crate) class: Option<Class>,
    /// Whether the text breaks off.
    pub(crate) cut: Cut,
    /// What was done, by name: rules, then coercions, each with its class.
    pub(crate) done: Vec<(&'static str, Class)>,
    /// What was done, with its places.
    pub(crate) edits: Edits,
}

/// What was done to a text, with its places, and what there is to tell of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Edits {
    /// The bytes that were read as the value.
    pub(crate) candidate: Option<Span>,
    pub(crate) repairs: Vec<Repair>,
    pub(crate) coercions: Vec<Coercion>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl Mended {
    /// A text that is what was asked for as it stands.
    fn as_it_stands() -> Self {
        let (json, class, done) = (None, None, Vec::new());
        Self { json, class, cut: Cut::Whole, done, edits: Edits::default() }
    }
}

/// Whether a text breaks off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Cut {
    /// It is whole.
    Whole,
    /// It lacks nothing but brackets at its end.
    Open,
    /// It breaks off inside of something.
    Inside,
}

/// A part of an answer that is not what was asked for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fault {
    pub(crate) kind: FaultKind,
    /// What was found; the first says why.
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// What is wrong with a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum FaultKind {
    /// It holds no JSON.
    NoJson,
    /// It cannot be read.
    Syntax,
    /// It breaks off, and that may not be mended.
    Truncated,
    /// It does not fit its schema.
    Schema,
    /// A limit was reached.
    Limit,
}

impl FaultKind {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::NoJson => "no-json",
            Self::Syntax => "syntax",
            Self::Truncated => "truncated",
            Self::Schema => "schema",
            Self::Limit => "limit",
        }
    }
}

/// Makes of `text` what was asked for.
pub(crate) fn mend(text: &str, wanted: &Expectation, reach: Reach) -> Result<Mended, Fault> {
    match wanted {
        Expectation::Json => mend_json(text, reach),
        Expectation::Schema(schema) => mend_to(text, schema, reach),
    }
}

/// Makes of the arguments of a call what its tool takes. Servers leave them out where there are none.
pub(crate) fn mend_arguments(
    text: &str,
    wanted: &Expectation,
    reach: Reach,
) -> Result<Mended, Fault> {
    if text.trim().is_empty() && reach.level != Level::Strict {
        let nothing = mend("{}", wanted, reach)?;
        let json = nothing.json.unwrap_or_else(|| "{}".to_owned());
        let done = vec![("no-arguments", Class::Completion)];
        return Ok(Mended { json: Some(json), class: Some(Class::Completion), done, ..nothing });
    }
    mend(text, wanted, reach)
}

fn options(reach: Reach) -> Options {
    let mut options = match reach.level {
        Level::Strict => Options::policy(llmend::Policy::Strict),
        Level::Standard => Options::policy(llmend::Policy::Standard),
        Level::Lenient => Options::policy(llmend::Policy::Lenient),
    };
    (options.max_depth, options.max_bytes) = (reach.limits.depth, reach.limits.answer_bytes);
    options
}

fn mend_json(text: &str, reach: Reach) -> Result<Mended, Fault> {
    let repaired = repair_with(text, &options(reach)).map_err(|error| fault(&error.into()))?;
    if stands(&repaired.report, &[]) {
        return Ok(Mended::as_it_stands());
    }
    let is_object = exact(&repaired.text, reach.limits.depth)
        .is_ok_and(|value| value.root().kind() == Kind::Object);
    if !is_object && repaired.report.candidate.origin != Origin::Whole {
        // A list in a sentence is more often part of the sentence than the answer.
        let code = ErrorKind::NoJson.code();
        let message = "a JSON object was asked for, and the text around this holds none";
        let row = Diagnostic::new(code, llmend::Severity::Error, message);
        return Err(Fault {
            kind: FaultKind::NoJson,
            diagnostics: vec![row.at(repaired.report.candidate.span)],
        });
    }
    Ok(mended(repaired.text.into_owned(), repaired.report, Vec::new()))
}

/// How a text is held against a schema.
pub(crate) fn fit_options(reach: Reach) -> FitOptions {
    let coercing = match reach.level {
        Level::Strict => Coercing::Off,
        Level::Standard | Level::Lenient => Coercing::On(llmend::schema::Options {
            max_depth: reach.limits.depth,
            max_work: reach.limits.repair_work,
            max_work_in_all: Some(reach.limits.repair_work_in_all),
            ..llmend::schema::Options::default()
        }),
    };
    FitOptions { text: options(reach), coercing }
}

fn mend_to(text: &str, schema: &Schema, reach: Reach) -> Result<Mended, Fault> {
    let options = fit_options(reach);
    let fitted = fit_with(text, schema, &options).map_err(|error| fault(&error))?;
    if !fitted.violations.is_empty() {
        let kind = if fitted.report.truncated() { FaultKind::Truncated } else { FaultKind::Schema };
        return Err(Fault { kind, diagnostics: fitted.diagnostics() });
    }
    if stands(&fitted.report, &fitted.coercions) {
        return Ok(Mended::as_it_stands());
    }
    let (json, class) = (fitted.json(text).into_owned(), fitted.class());
    Ok(Mended { class, ..mended(json, fitted.report, fitted.coercions) })
}

/// Whether the text is what was asked for as it stands.
fn stands(report: &Report, coercions: &[Coercion]) -> bool {
    report.repairs.is_empty()
        && coercions.is_empty()
        && (report.status == Status::Unchanged || report.candidate.origin == Origin::Whole)
}

fn mended(json: String, report: Report, coercions: Vec<Coercion>) -> Mended {
    let rules = report.repairs.iter().map(|repair| (repair.rule.name(), repair.class()));
    let kinds = coercions.iter().map(|coercion| (coercion.kind.name(), coercion.class));
    Mended {
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
    use super::{Cut, FaultKind, Reach, mend, mend_arguments};
    use crate::config::{Level, Limits};
    use crate::repair::expectation::{Expectation, Schemas};

    fn reach(level: Level) -> Reach {
        Reach { level, limits: Limits::default() }
    }

    fn city() -> Expectation {
        let schema = r#"{"type": "object", "properties": {"city": {"type": "string"},
            "days": {"type": "integer"}}, "required": ["city"]}"#;
        Expectation::Schema(Schemas::default().get(schema).unwrap())
    }

    #[test]
    fn json_is_repaired_and_what_is_json_stays() {
        // (text, what comes of it; the text itself if it stands as it is)
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
            let result = mend(text, &Expectation::Json, reach(Level::Standard));
            let result = result.map(|mended| mended.json).map_err(|fault| fault.kind);
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
            let result = mend(text, &city(), reach(Level::Standard));
            let result = result.map(|mended| mended.json).map_err(|fault| fault.kind);
            assert_eq!(result, expected.map(|json| json.map(str::to_owned)), "{text}");
        }
    }

    #[test]
    fn strict_changes_nothing() {
        let strict = reach(Level::Strict);
        assert!(mend(r#"{"city": "Oslo"}"#, &city(), strict).is_ok_and(|ok| ok.json.is_none()));
        for text in ["{'city': 'Oslo'}", r#"{"City": "Oslo"}"#, "```\n{\"city\": \"Oslo\"}\n```"] {
            assert!(mend(text, &city(), strict).is_err(), "{text}");
        }
        assert!(mend_arguments("", &Schemas::default().object(), strict).is_err());
    }

    #[test]
    fn where_a_text_breaks_off_is_told() {
        let rows = [
            ("{\"city\": \"Oslo\"}", Cut::Whole),
            ("{\"city\": \"Oslo\"", Cut::Open),
            ("{\"city\": \"Osl", Cut::Inside),
            ("{\"city\": \"Oslo\", \"da", Cut::Inside),
            ("{\"city\": \"Oslo\", \"days\": 1", Cut::Open),
            ("{'city': 'Oslo'}", Cut::Whole),
        ];
        for (text, expected) in rows {
            let mended = mend(text, &city(), reach(Level::Standard)).unwrap();
            assert_eq!(mended.cut, expected, "{text}");
        }
    }

    #[test]
    fn no_arguments_are_none_if_the_tool_takes_none() {
        let object = Schemas::default().object();
        let mended = mend_arguments(" ", &object, reach(Level::Standard)).unwrap();
        assert_eq!(mended.json.as_deref(), Some("{}"));
        let fault = mend_arguments("", &city(), reach(Level::Standard)).unwrap_err();
        assert_eq!(fault.kind, FaultKind::Schema);
    }
}
