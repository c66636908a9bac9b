//! How is a patch asked for, and what does it make of the answer?

use llmend_json::{Kind, Node, Options};

use super::{Row, full};
use crate::asking::{
    Failed, FailureKind, Task, Topic,
    feedback::{excerpts, feedback},
    question::{Joined, Misfit, Question, Turn},
    splice::{self, Change},
    subject::Ending,
};
use crate::{
    model::{Output, Shape},
    prompts,
};

pub(super) const ROW: Row = Row { applies, question, join };

/// Most operations of a patch.
const MOST_OPERATIONS: usize = 200;

/// Most bytes that are read for a patch: each operation reads the whole.
const MOST_WORK: usize = 500_000_000;

/// The form of the answer, its plan in front.
const SCHEMA: &str = r#"{"type":"object","properties":{"plan":{"type":"array","items":{"type":"string"}},"patch":{"type":"array","items":{"type":"object","properties":{"op":{"enum":["add","remove","replace"]},"path":{"type":"string"},"value":{}},"required":["op","path"]}}},"required":["plan","patch"]}"#;

fn applies(topic: &dyn Topic, failed: &Failed) -> bool {
    !matches!(failed.kind, FailureKind::Truncation | FailureKind::Loss)
        && (failed.json.is_some() || topic.own_patch(failed).is_some())
}

fn question(topic: &dyn Topic, task: &Task, failed: &Failed, turn: Turn) -> Question {
    let feedback = feedback(failed, &excerpts(topic, failed, turn.shown), turn.shown);
    let (demand, output) = match topic.own_patch(failed) {
        Some(words) => (words, Output::Json),
        None => (prompts::RETRY_PATCH.fill(&[]), Output::Schema(Shape::new("patch", SCHEMA))),
    };
    Question { messages: task.with("", &[feedback, demand].join("\n\n")), output }
}

fn join(
    topic: &dyn Topic,
    failed: &Failed,
    answer: &str,
    ending: Ending,
) -> Result<Joined, Misfit> {
    if topic.own_patch(failed).is_some() {
        return if ending == Ending::Complete { Ok(Joined::Patch) } else { Err(Misfit::cut()) };
    }
    let Some(json) = failed.json.as_deref() else {
        return full::join(topic, failed, answer, ending);
    };
    let mut options = Options::default();
    options.hints.keys = ["plan", "patch", "op", "path", "value"].map(str::to_owned).to_vec();
    let parsed =
        llmend_json::parse_with(answer, &options).map_err(|error| Misfit::of_json(&error))?;
    let Some(operations) = operations(parsed.value.root()) else {
        // It is the whole, written again.
        return full::join(topic, failed, answer, ending);
    };
    if ending != Ending::Complete || parsed.report.truncated() {
        return Err(Misfit::cut());
    }
    let most = (MOST_WORK / json.len().max(1)).min(MOST_OPERATIONS);
    if operations.len() > most {
        let count = operations.len();
        let message = format!("the patch has {count} operations, and the limit is {most}");
        return Err(Misfit::new("ask/patch", message));
    }
    let merged = operations.iter().zip(0..).try_fold(
        json.to_owned(),
        |json, (operation, number): (_, usize)| {
            carried_out(&json, *operation).map_err(|message| {
                Misfit::new("ask/patch", format!("operation {number} of the patch: {message}"))
            })
        },
    )?;
    Ok(Joined::Answer(merged, Ending::Complete))
}

/// The operations of an answer: a list under `patch`, a list, or one alone. `None` if it is no patch.
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

fn carried_out(json: &str, operation: Node<'_>) -> Result<String, String> {
    let text = |key: &str| operation.get(key).and_then(Node::str);
    let path = text("path").ok_or("its `path` is no text")?;
    let value = operation.get("value").map(|value| value.to_string());
    let needed = || value.as_deref().ok_or("it has no `value`");
    let change = match text("op") {
        Some("add") => Change::Add(needed()?),
        Some("replace") => Change::Replace(needed()?),
        Some("remove") => Change::Remove,
        _ => return Err("its `op` is neither add, remove nor replace".to_owned()),
    };
    splice::changed(json, path, change)
}
