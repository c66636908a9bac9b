//! What is in one line of a log, and what is said of it?

use std::{
    borrow::Cow,
    panic::{AssertUnwindSafe, catch_unwind},
};

use llmend::{
    FitOptions, ReviewOptions, Schema,
    json::{ErrorKind, Node, Options, Value, parse_with},
};

use crate::{
    answer::{Answer, Layout},
    exit::{Exit, Failure},
    fitting::fitted,
    input::{decode, too_long},
    lines::Line,
    planning::{Target, planned},
    render::{report::Object, summary::BatchTally},
    schemas::Compiled,
};

/// What a worker needs to know.
pub(super) struct Task {
    pub(super) field: Option<String>,
    pub(super) wanted: Wanted,
    pub(super) options: FitOptions,
    pub(super) strict: Options,
}

/// What the answer of a line has to fit.
pub(super) enum Wanted {
    /// Nothing.
    Value,
    /// This schema.
    Schema(Schema),
    /// The schema that the line holds in this member.
    Field { name: String, compiled: Compiled },
    /// Nothing: it is a plan, and to be written in this form.
    Plan { options: Box<ReviewOptions>, form: Target },
}

/// The object of line `number`, as text with a line end, and how it counts.
pub(super) fn told(task: &Task, number: usize, line: &Line) -> (String, BatchTally) {
    guarded(task, number, || object(task, number, line))
}

/// What `make` makes of a line. A fault of ours in one line must not cost the others theirs.
fn guarded(
    task: &Task,
    number: usize,
    make: impl FnOnce() -> (String, BatchTally),
) -> (String, BatchTally) {
    catch_unwind(AssertUnwindSafe(make)).unwrap_or_else(|_| {
        let message = "the line met a fault in llmend itself; please report it";
        let failure = Failure::plain(Exit::Refused, "internal/fault", message);
        (refused(task, number, &failure), BatchTally::of_bad_line())
    })
}

/// The object of one line, as text with a line end, and how it counts.
fn object(task: &Task, number: usize, line: &Line) -> (String, BatchTally) {
    let (answer, schema) = match held(task, line) {
        Ok(held) => held,
        Err(failure) => return (refused(task, number, &failure), BatchTally::of_bad_line()),
    };
    match read(task, &answer, schema.as_ref()) {
        Ok(answer) => {
            let mut object = Object::of_answer(&answer);
            object.line = Some(number);
            (object.to_line(), BatchTally::of_value(&answer.report, answer.fit.as_ref()))
        }
        Err(failure) => (refused(task, number, &failure), BatchTally::of_refusal()),
    }
}

/// The object of a line that has no value.
fn refused(task: &Task, number: usize, failure: &Failure) -> String {
    let mut object = Object::of_failure(failure);
    object.line = Some(number);
    match task.wanted {
        Wanted::Value => object.to_line(),
        Wanted::Schema(_) | Wanted::Field { .. } => object.with_schema().to_line(),
        Wanted::Plan { .. } => object.with_plan().to_line(),
    }
}

/// The value in an answer.
fn read<'t>(task: &Task, answer: &'t str, schema: Option<&Schema>) -> Result<Answer<'t>, Failure> {
    if let Some(schema) = schema {
        return fitted(answer, schema, &task.options, Layout::Kept);
    }
    if let Wanted::Plan { options, form } = &task.wanted {
        return planned(answer, options, Some(*form), Layout::Kept);
    }
    let parsed = parse_with(answer, &task.options.text).map_err(|error| Failure::from(&error))?;
    Ok(Answer { json: parsed.report.output(answer), report: parsed.report, fit: None, plan: None })
}

/// The answer that a line holds, and the schema that it has to fit.
fn held(task: &Task, line: &Line) -> Result<(String, Option<Schema>), Failure> {
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
            return Err(bad_line("input/line", format!("the line is not JSON: {error}")));
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

/// The text that a line holds as the answer.
fn answer(task: &Task, line: &Value<'_>) -> Result<String, Failure> {
    let (holder, what): (_, Cow<'_, str>) = match &task.field {
        None => (Some(line.root()), "the line, without `--field`,".into()),
        Some(name) => (member(line, name), format!("the field `{name}`").into()),
    };
    let Some(node) = holder else {
        return Err(bad_line("input/field", format!("{what} is not there")));
    };
    node.str()
        .map(ToOwned::to_owned)
        .ok_or_else(|| bad_line("input/field", format!("{what} is not a string")))
}

/// The member `name` of a line; what a JSON Pointer leads to, if it begins with `/`.
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

    use super::{Task, Wanted, guarded};

    #[test]
    fn a_fault_costs_one_line() {
        let task = Task {
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
