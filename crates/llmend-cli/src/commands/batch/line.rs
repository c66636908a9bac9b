//! One line of a log.

use std::{
    borrow::Cow,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use llmend::{
    FitOptions, ReviewOptions, Schema, calls,
    calls::Tools,
    json::{ErrorKind, Node, Options, Value, parse_with},
};

use crate::{
    exit::Exit,
    fitting::fitted,
    input::{decode, too_long},
    lines::Line,
    outcome::{Answer, Failure, Layout},
    planning::{Target, planned},
    render::{
        calls::{report, report_failure, status},
        report::ReportObject,
        summary::BatchTally,
    },
    schemas::SchemaCache,
    tools::ToolsCache,
};

/// Names of members that are listed.
#[cfg(feature = "models")]
const MOST_NAMES: usize = 20;

/// The task of a worker.
pub(super) struct LineTask {
    pub(super) field: Option<String>,
    pub(super) wanted: Wanted,
    pub(super) options: FitOptions,
    pub(super) strict: Options,
}

/// What is wanted of each answer.
pub(super) enum Wanted {
    /// Any value.
    Value,
    /// A value that fits this schema.
    Schema(Schema),
    /// A value that fits the schema in this member of the line.
    Field { name: String, compiled: SchemaCache },
    /// A plan, written in this form.
    Plan { options: Box<ReviewOptions>, form: Target },
    /// Calls of these tools.
    Calls { options: Box<calls::Options>, tools: OfferedTools },
}

/// The tools that a model was offered.
pub(super) enum OfferedTools {
    /// The same for all lines.
    Given(Arc<Tools>),
    /// Those in this member of the line.
    Field { name: String, cached: ToolsCache },
}

/// What an answer is read by.
enum Basis {
    Nothing,
    Schema(Schema),
    Tools(Arc<Tools>),
}

/// Returns the object of line `number`, with a line end, and its tally.
pub(super) fn answered(task: &LineTask, number: usize, line: &Line) -> (String, BatchTally) {
    guarded(task, number, || object(task, number, line))
}

/// Catches a panic, so that a bug affects one line only.
fn guarded(
    task: &LineTask,
    number: usize,
    make: impl FnOnce() -> (String, BatchTally),
) -> (String, BatchTally) {
    catch_unwind(AssertUnwindSafe(make)).unwrap_or_else(|_| {
        let message = "internal error in llmend; please report it";
        let failure = Failure::plain(Exit::Refused, "internal/fault", message);
        (refused(task, number, &failure), BatchTally::of_bad_line())
    })
}

/// Returns the object of one line, with a line end, and its tally.
fn object(task: &LineTask, number: usize, line: &Line) -> (String, BatchTally) {
    let (answer, basis) = match parts(task, line) {
        Ok(parts) => parts,
        Err(failure) => return (refused(task, number, &failure), BatchTally::of_bad_line()),
    };
    if let (Wanted::Calls { options, .. }, Basis::Tools(tools)) = (&task.wanted, &basis) {
        let reading = calls::read(&answer, tools, options);
        let tally = BatchTally::of_reading(&reading, status(&reading));
        return (report(&reading, Some(number)) + "\n", tally);
    }
    match read(task, &answer, &basis) {
        Ok(answer) => {
            let mut object = ReportObject::of_answer(&answer);
            object.line = Some(number);
            (object.to_line(), BatchTally::of_value(&answer.report, answer.fit.as_ref()))
        }
        Err(failure) => (refused(task, number, &failure), BatchTally::of_refusal()),
    }
}

/// Returns the object of a line without a value.
fn refused(task: &LineTask, number: usize, failure: &Failure) -> String {
    let mut object = ReportObject::of_failure(failure);
    object.line = Some(number);
    match task.wanted {
        Wanted::Calls { .. } => report_failure(failure, Some(number)) + "\n",
        Wanted::Value => object.to_line(),
        Wanted::Schema(_) | Wanted::Field { .. } => object.with_schema().to_line(),
        Wanted::Plan { .. } => object.with_plan().to_line(),
    }
}

/// Reads the value in an answer.
fn read<'t>(task: &LineTask, answer: &'t str, basis: &Basis) -> Result<Answer<'t>, Failure> {
    if let Basis::Schema(schema) = basis {
        return fitted(answer, schema, &task.options, Layout::Kept);
    }
    if let Wanted::Plan { options, form } = &task.wanted {
        return planned(answer, options, Some(*form), Layout::Kept);
    }
    let parsed = parse_with(answer, &task.options.text).map_err(|error| Failure::from(&error))?;
    Ok(Answer { json: parsed.report.output(answer), report: parsed.report, fit: None, plan: None })
}

/// Reads the object or string on a line.
fn parsed<'l>(task: &LineTask, line: &'l Line) -> Result<Value<'l>, Failure> {
    let bytes = match line {
        Line::Bytes(bytes) => bytes,
        Line::TooLong => return Err(too_long(task.strict.max_bytes)),
    };
    match parse_with(decode(bytes)?, &task.strict) {
        Ok(parsed) => Ok(parsed.value),
        Err(error) if error.kind() == ErrorKind::Empty => {
            Err(bad_line("input/line", "the line is empty".to_owned()))
        }
        Err(error) => Err(bad_line("input/line", format!("the line is not valid JSON: {error}"))),
    }
}

/// Returns the text that a line holds: an answer, or a prompt.
#[cfg(feature = "models")]
pub(super) fn text(task: &LineTask, line: &Line) -> Result<String, Failure> {
    answer(task, &parsed(task, line)?)
}

/// The members of a line.
#[cfg(feature = "models")]
pub(super) enum Members {
    /// The one that is asked for is among them.
    WithField,
    /// Their names, none of which is that.
    Without(Vec<String>),
}

/// Returns the members of a line. `None` if it is no object.
#[cfg(feature = "models")]
pub(super) fn members(task: &LineTask, line: &Line) -> Option<Members> {
    let value = parsed(task, line).ok()?;
    if value.root().kind() != llmend::json::Kind::Object {
        return None;
    }
    let field = task.field.as_deref()?;
    if member(&value, field).is_some() {
        return Some(Members::WithField);
    }
    let names = value.root().members().filter_map(|(key, _)| key.str());
    Some(Members::Without(names.take(MOST_NAMES).map(str::to_owned).collect()))
}

/// Reads the answer in a line, and its schema or tools.
fn parts(task: &LineTask, line: &Line) -> Result<(String, Basis), Failure> {
    let line = parsed(task, line)?;
    let answer = answer(task, &line)?;
    let basis = match &task.wanted {
        Wanted::Value | Wanted::Plan { .. } => Basis::Nothing,
        Wanted::Schema(schema) => Basis::Schema(schema.clone()),
        Wanted::Field { name, compiled } => {
            Basis::Schema(compiled.named(name, member(&line, name))?)
        }
        Wanted::Calls { tools: OfferedTools::Given(tools), .. } => Basis::Tools(tools.clone()),
        Wanted::Calls { tools: OfferedTools::Field { name, cached }, .. } => {
            Basis::Tools(cached.named(name, member(&line, name))?)
        }
    };
    Ok((answer, basis))
}

/// Returns the answer in a line.
fn answer(task: &LineTask, line: &Value<'_>) -> Result<String, Failure> {
    let (holder, what): (_, Cow<'_, str>) = match &task.field {
        None => (Some(line.root()), "the line".into()),
        Some(name) => (member(line, name), format!("member `{name}`").into()),
    };
    let Some(node) = holder else {
        return Err(bad_line("input/field", format!("{what} is missing")));
    };
    node.str().map(ToOwned::to_owned).ok_or_else(|| {
        bad_line(
            "input/field",
            format!("{what} is of the wrong type: expected string, found {}", node.kind().as_str()),
        )
    })
}

/// Finds the member `name` of a line, or resolves it as a JSON Pointer if it starts with `/`.
fn member<'v>(line: &'v Value<'_>, name: &str) -> Option<Node<'v>> {
    let root = line.root();
    root.get(name).or_else(|| root.pointer(name).filter(|_| name.starts_with('/')))
}

fn bad_line(code: &'static str, message: String) -> Failure {
    Failure::plain(Exit::Refused, code, message)
}

#[cfg(test)]
mod tests {
    use llmend::{FitOptions, json::Options};

    use super::{LineTask, Wanted, guarded};

    #[test]
    fn a_panic_affects_one_line() {
        let task = LineTask {
            field: None,
            wanted: Wanted::Value,
            options: FitOptions::default(),
            strict: Options::default(),
        };
        let (object, tally) = guarded(&task, 7, || panic!("on purpose"));
        assert!(object.starts_with(r#"{"line":7,"status":"refused""#), "{object}");
        assert!(object.contains(r#""error":{"code":"internal/fault""#), "{object}");
        assert_eq!(tally.lines(), 1);
    }
}
