//! The strategy `patch`: ask for a patch and apply it.

use llmend_json::{Diagnostic, Kind, Node, Severity};

use super::{Row, full};
use crate::asking::{
    FailedAnswer, FailureKind, Task, Topic,
    feedback::{excerpts, feedback},
    merge::{Merge, MergedAnswer, RejectedAnswer, RequestBody, RetryContext, part},
    splice::{self, Change},
    subject::Ending,
};
use crate::{
    model::{Output, Shape},
    prompts,
};

pub(super) const ROW: Row = Row { applies, question, join };

/// The maximum number of operations of a patch.
const MOST_OPERATIONS: usize = 200;

/// The maximum number of bytes read for a patch: each operation reads the whole.
const MOST_WORK: usize = 500_000_000;

/// The schema of the answer, its plan first.
const SCHEMA: &str = r#"{"type":"object","properties":{"plan":{"type":"array","items":{"type":"string"}},"patch":{"type":"array","items":{"type":"object","properties":{"op":{"enum":["add","remove","replace"]},"path":{"type":"string"},"value":{}},"required":["op","path"]}}},"required":["plan","patch"]}"#;

fn applies(topic: &dyn Topic, failed: &FailedAnswer) -> bool {
    !matches!(failed.kind, FailureKind::Truncation | FailureKind::Loss)
        && (failed.json.is_some() || topic.own_patch(failed).is_some())
}

fn question(
    topic: &dyn Topic,
    task: &Task,
    failed: &FailedAnswer,
    turn: RetryContext,
) -> RequestBody {
    let feedback = feedback(failed, &excerpts(topic, failed, turn.shown), turn.shown);
    let (demand, output) = match topic.own_patch(failed) {
        Some(words) => (words, Output::Json),
        None => (prompts::RETRY_PATCH.fill(&[]), Output::Schema(Shape::new("patch", SCHEMA))),
    };
    RequestBody { messages: task.with("", &[feedback, demand].join("\n\n")), output }
}

fn join(
    topic: &dyn Topic,
    failed: &FailedAnswer,
    answer: &str,
    ending: Ending,
) -> Result<Merge, RejectedAnswer> {
    if topic.own_patch(failed).is_some() {
        return if ending == Ending::Complete {
            Ok(Merge::Patch)
        } else {
            Err(RejectedAnswer::cut())
        };
    }
    let Some(json) = failed.json.as_deref() else {
        return full::join(topic, failed, answer, ending);
    };
    let names = ["plan", "patch", "op", "path", "value"].map(str::to_owned);
    let parsed = part(answer, ending, names)?;
    // Nothing shows that any other answer is the whole again.
    let operations = operations(parsed.value.root())
        .ok_or_else(|| RejectedAnswer::new("ask/patch", no_patch(parsed.value.root())))?;
    let most = (MOST_WORK / json.len().max(1)).min(MOST_OPERATIONS);
    if operations.len() > most {
        let count = operations.len();
        let message = format!("the patch has {count} operations (limit {most})");
        return Err(RejectedAnswer::new("ask/patch", message));
    }
    let merged = operations.iter().zip(0..).try_fold(
        json.to_owned(),
        |json, (operation, number): (_, usize)| {
            carried_out(&json, *operation).map_err(|message| {
                RejectedAnswer::new(
                    "ask/patch",
                    format!("operation {number} of the patch: {message}"),
                )
            })
        },
    )?;
    let elsewhere = elsewhere(topic, failed, &operations);
    Ok(Merge::Answer(MergedAnswer::merged(merged, &parsed.report, elsewhere)))
}

/// Returns the operations of an answer: a list under `patch`, a list, or a single one. `None` if it
/// is not a patch.
fn operations(root: Node<'_>) -> Option<Vec<Node<'_>>> {
    let list = root.get("patch").unwrap_or(root);
    let items: Vec<Node<'_>> = match list.kind() {
        Kind::Array => list.items().collect(),
        _ => vec![list],
    };
    let is_operation = |item: &Node<'_>| item.get("op").is_some() && item.get("path").is_some();
    let is_patch =
        items.iter().all(is_operation) && (!items.is_empty() || root.get("patch").is_some());
    is_patch.then_some(items)
}

/// Explains why an answer is not a patch, without any words of the model.
fn no_patch(root: Node<'_>) -> &'static str {
    let is_list = |(_, value): (_, Node<'_>)| {
        value.kind() == Kind::Array && !value.is_empty() && operations(value).is_some()
    };
    if root.kind() == Kind::Object && root.members().any(is_list) {
        "the operations are under a name other than `patch`"
    } else {
        "the answer is not a patch"
    }
}

/// Returns a warning for each operation that changes a part without findings, if every finding can
/// be corrected in its own place.
fn elsewhere(topic: &dyn Topic, failed: &FailedAnswer, operations: &[Node<'_>]) -> Vec<Diagnostic> {
    if !failed.faults().all(|row| row.path.is_some() && topic.is_local(row)) {
        return Vec::new();
    }
    let is_within = |inner: &str, outer: &str| {
        inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let paths: Vec<&str> = failed.faults().filter_map(|row| row.path.as_deref()).collect();
    let is_meant = |path: &str| {
        let touches = |found: &&str| is_within(path, found) || is_within(found, path);
        paths.contains(&path) || (!path.is_empty() && paths.iter().any(touches))
    };
    let rows = operations.iter().zip(0..).filter_map(|(operation, number): (_, usize)| {
        let path = operation.get("path").and_then(Node::str).filter(|path| !is_meant(path))?;
        let message = format!("operation {number} of the patch changes a part without findings");
        Some(Diagnostic::new("ask/patch-elsewhere", Severity::Warning, message).on(path))
    });
    rows.collect()
}

fn carried_out(json: &str, operation: Node<'_>) -> Result<String, String> {
    let text = |key: &str| operation.get(key).and_then(Node::str);
    let path = text("path").ok_or("expected a string as `path`")?;
    let value = operation.get("value").map(|value| value.to_string());
    let needed = || value.as_deref().ok_or("missing `value`");
    let change = match text("op") {
        Some("add") => Change::Add(needed()?),
        Some("replace") => Change::Replace(needed()?),
        Some("remove") => Change::Remove,
        _ => return Err("expected `op` add, remove or replace".to_owned()),
    };
    splice::changed(json, path, change)
}
