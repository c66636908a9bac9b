//! One line of a log.

use std::{
    borrow::Cow,
    panic::{AssertUnwindSafe, catch_unwind},
};

use llmend::{
    FitOptions, ReviewOptions, Schema,
    json::{ErrorKind, Node, Options, Value, parse_with},
};

use crate::{
    exit::Exit,
    fitting::fitted,
    input::{decode, too_long},
    lines::Line,
    outcome::{Answer, Failure, Layout},
    planning::{Target, planned},
    render::{report::ReportObject, summary::BatchTally},
    schemas::SchemaCache,
};

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
    let (answer, schema) = match parts(task, line) {
        Ok(parts) => parts,
        Err(failure) => return (refused(task, number, &failure), BatchTally::of_bad_line()),
    };
    match read(task, &answer, schema.as_ref()) {
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
        Wanted::Value => object.to_line(),
        Wanted::Schema(_) | Wanted::Field { .. } => object.with_schema().to_line(),
        Wanted::Plan { .. } => object.with_plan().to_line(),
    }
}

/// Reads the value in an answer.
fn read<'t>(
    task: &LineTask,
    answer: &'t str,
    schema: Option<&Schema>,
) -> Result<Answer<'t>, Failure> {
    if let Some(schema) = schema {
        return fitted(answer, schema, &task.options, Layout::Kept);
    }
    if let Wanted::Plan { options, form } = &task.wanted {
        return planned(answer, options, Some(*form), Layout::Kept);
    }
    let parsed = parse_with(answer, &task.options.text).map_err(|error| Failure::from(&error))?;
    Ok(Answer { json: parsed.report.output(answer), report: parsed.report, fit: None, plan: None })
}

/// Reads the answer in a line, and its schema.
fn parts(task: &LineTask, line: &Line) -> Result<(String, Option<Schema>), Failure> {
    let bytes = match line {
        Line::Bytes(bytes) => bytes,
        Line::TooLong => return Err(too_long(task.strict.max_bytes)),
    };
    let line = match parse_with(decode(bytes)?, &task.strict) {
        Ok(parsed) => parsed.value,
        Err(error) if error.kind() == ErrorKind::Empty => {
            return Err(bad_line("input/line", "the line is empty".to_owned()));
        }
        Err(error) => {
            return Err(bad_line("input/line", format!("the line is not valid JSON: {error}")));
        }
    };
    let answer = answer(task, &line)?;
    let schema = match &task.wanted {
        Wanted::Value | Wanted::Plan { .. } => None,
        Wanted::Schema(schema) => Some(schema.clone()),
        Wanted::Field { name, compiled } => Some(compiled.named(name, member(&line, name))?),
    };
    Ok((answer, schema))
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
