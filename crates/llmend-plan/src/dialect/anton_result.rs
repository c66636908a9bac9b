//! Task result of `anton`.
//!
//! The status is never invented: an answer without one is an error.

use llmend_json::{Kind, Node};

use crate::{
    FileChange, TaskResult, TaskStatus, code,
    findings::{Findings, shown},
    object::{
        Names, Object, Part,
        Presence::{Nullable, Required},
    },
    read::{
        condition::folded,
        context::{Context, Fate},
        list, steps,
    },
};

const ID: Names = &["subtask_id"];
const STATUS: Names = &["status"];
const CHANGES: Names = &["changes"];
const ADDED: Names = &["tests_added"];
const PASSED: Names = &["tests_passed"];
const ERROR: Names = &["error"];
const BLOCKERS: Names = &["blockers"];
const USED: Names = &["tools_used"];
const NOTES: Names = &["notes"];
const RESULT: [Names; 9] = [ID, STATUS, CHANGES, ADDED, PASSED, ERROR, BLOCKERS, USED, NOTES];

/// Returns whether `node` is a task result.
pub(super) fn fits(node: Node<'_>) -> bool {
    let others = [CHANGES, ADDED, BLOCKERS];
    node.get("status").is_some_and(|status| status.kind() == Kind::String)
        && others.into_iter().flatten().any(|name| node.get(name).is_some())
}

/// Reads a task result.
pub(super) fn read(node: Node<'_>, context: &mut Context<'_>) -> Option<TaskResult> {
    let (strictness, findings) = (context.strictness, &mut context.findings);
    let root = list::unwrap(node, &[STATUS], strictness, findings);
    let object = Object::new(root, strictness, findings)?;
    let status = object.field(STATUS, Required, findings);
    let status = status.and_then(|it| status_of(&it, findings));
    let result = TaskResult {
        subtask_id: object.name(ID, Nullable, findings),
        // Without a status, an error is reported and no result returned.
        status: status.unwrap_or(TaskStatus::Pending),
        changes: Vec::new(),
        tests_added: object.texts(ADDED, Nullable, findings),
        tests_passed: object.bool(PASSED, findings),
        error: object.text(ERROR, Nullable, findings),
        blockers: object.texts(BLOCKERS, Nullable, findings),
        tools_used: object.texts(USED, Nullable, findings),
        notes: object.text(NOTES, Nullable, findings),
        metadata: object.metadata(&RESULT, findings),
    };
    let list = object.list(CHANGES, Nullable, "array of changed files", findings);
    let changes = list.map(|list| changes(&list, context)).unwrap_or_default();
    status?;
    Some(TaskResult { changes, ..result })
}

fn status_of(it: &Part<'_>, findings: &mut Findings) -> Option<TaskStatus> {
    let name = it.text(findings)?;
    let found = TaskStatus::ALL.into_iter().find(|status| folded(status.as_str()) == folded(&name));
    if found.is_none() {
        let message = format!("unknown task status `{}`", shown(&name));
        let allowed = TaskStatus::ALL.iter().map(|known| known.as_str());
        findings.unknown_word(code::UNKNOWN_STATUS, (&it.path, it.span()), message, allowed);
    }
    found
}

const PATH: Names = &["path"];
const ACTION: Names = &["action"];
const CONTENT: Names = &["content"];
const DIFF: Names = &["diff"];

fn changes(list: &Part<'_>, context: &mut Context<'_>) -> Vec<FileChange> {
    if !context.has_room(list) {
        return Vec::new();
    }
    let (mut changes, mut locations) = (Vec::new(), Vec::new());
    for it in list.items() {
        let it = Part::item(it.node, it.path);
        let path = it.path.clone();
        let item = context.item(
            |_: &Option<FileChange>| steps::label(&path, ""),
            |context, findings| change(it, context, findings),
        );
        if let Some(change) = item.value.filter(|_| item.fate == Fate::Kept) {
            changes.push(change);
            locations.push(item.locations);
        }
    }
    context.lists.insert("changes".to_owned(), locations);
    changes
}

fn change(it: Part<'_>, context: &Context<'_>, findings: &mut Findings) -> Option<FileChange> {
    let object = Object::new(it, context.strictness, findings)?;
    let path = object.text(PATH, Required, findings);
    let action = object.text(ACTION, Required, findings);
    let content = object.text(CONTENT, Nullable, findings);
    let diff = object.text(DIFF, Nullable, findings);
    object.forbid_unknown(&[PATH, ACTION, CONTENT, DIFF], findings);
    Some(FileChange { path: path?, action: action?, content, diff })
}
