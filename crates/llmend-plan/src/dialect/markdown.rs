//! Markdown lists.
//!
//! The items of a numbered list or a checklist become steps: `**Title**: description`, or a title alone.
//! Indented lines belong to the description. The first heading is the objective. A list states the order
//! of its steps but no dependencies, so steps have none but those that an item names: `(depends on 1)`.

use std::fmt::Write as _;

use llmend_json::{Diagnostic, Severity, Span};
use serde_json::Value;

use crate::{
    Plan, Step, code,
    losses::Losses,
    read::{
        context::{Context, ListItem},
        quoted_call, steps,
    },
};

/// The content of an item's first line.
struct Line<'t> {
    number: Option<&'t str>,
    done: Option<bool>,
    text: &'t str,
}

/// An item of the list.
struct Entry<'t> {
    line: Line<'t>,
    /// Indented lines.
    more: Vec<&'t str>,
    span: Span,
}

/// Returns whether `text` contains a list of steps.
pub(super) fn fits(text: &str) -> bool {
    let (_, entries, _) = entries(text);
    entries.len() > 1 || entries.iter().any(|entry| entry.line.done.is_some())
}

/// Reads a plan.
pub(super) fn read(text: &str, context: &mut Context<'_>) -> Plan {
    context.findings.note_text("", Span::new(0, text.len()));
    let (objective, entries, rest) = entries(text);
    if let Some(span) = rest {
        let message = "ignored another list, which starts here";
        context
            .findings
            .push(Diagnostic::new(code::LEFT_ASIDE, Severity::Warning, message).at(span));
    }
    if entries.len() > context.options.max_items {
        let message =
            format!("too many items: {} (limit {})", entries.len(), context.options.max_items);
        let row = Diagnostic::new(code::TOO_MANY, Severity::Error, message);
        context.findings.push(row.at(Span::new(0, text.len())));
        return Plan::default();
    }
    let numbered = entries.iter().all(|entry| entry.line.number.is_some());
    let given = entries.len();
    let items: Vec<ListItem<Step>> = entries
        .iter()
        .enumerate()
        .map(|(at, entry)| {
            let path = format!("/steps/{at}");
            context.item(
                |step: &Step| steps::label(&path, &step.id),
                |context, findings| {
                    findings.note_text("", entry.span);
                    let id = entry.line.number.filter(|_| numbered);
                    let step = step(entry, id.map_or_else(|| (at + 1).to_string(), str::to_owned));
                    if let (Some(text), None) = (&step.title, &step.description) {
                        quoted_call::check(text, &path, entry.span, context, findings);
                    }
                    if context.options.disabled.contains(&crate::NodeType::AiStep) {
                        let message = "step type `ai_step` is disabled";
                        findings.error(code::DISABLED_TYPE, &path, entry.span, message);
                    }
                    step
                },
            )
        })
        .collect();
    let (steps, locations) = steps::keep_valid(items, context);
    if steps.is_empty() {
        context.report_no_steps(Span::new(0, text.len()), "", given);
    }
    context.lists.insert("steps".to_owned(), locations);
    Plan { objective: objective.map(str::to_owned), steps, ..Plan::default() }
}

fn step(entry: &Entry<'_>, id: String) -> Step {
    let (text, named) = split_dependencies(entry.line.text);
    let (title, first) = parts(text);
    let more = entry.more.iter().copied();
    let (of_lines, more): (Vec<_>, Vec<_>) = more.partition(|line| dependencies(line).is_some());
    let of_lines = of_lines.into_iter().filter_map(dependencies).flatten();
    let mut depends_on: Vec<String> = Vec::new();
    for name in named.into_iter().chain(of_lines) {
        if !depends_on.iter().any(|known| known == name) {
            depends_on.push(name.to_owned());
        }
    }
    let lines: Vec<&str> = first.into_iter().chain(more).collect();
    let mut step = Step { id, title: Some(title.to_owned()), depends_on, ..Step::default() };
    step.description = (!lines.is_empty()).then(|| lines.join("\n"));
    if let Some(done) = entry.line.done {
        step.metadata.insert("done".to_owned(), Value::Bool(done));
    }
    step
}

/// Splits off `(depends on 1, 2)` at the end of a text, and returns the numbers.
fn split_dependencies(text: &str) -> (&str, Vec<&str>) {
    let split = || {
        let close = if text.ends_with(']') { ('[', ']') } else { ('(', ')') };
        let (before, inner) = text
            .strip_suffix(['.', ';'])
            .unwrap_or(text)
            .strip_suffix(close.1)?
            .rsplit_once(close.0)?;
        let before = before.trim_end();
        (!before.is_empty()).then_some((before, dependencies(inner)?))
    };
    split().unwrap_or((text, Vec::new()))
}

/// Words before the numbers of the steps on which a step depends.
const DEPENDS: [&str; 13] = [
    "depends on",
    "depends upon",
    "dependent on",
    "dependencies",
    "depends",
    "dependency",
    "deps",
    "requires",
    "needs",
    "blocked by",
    "after",
    "prerequisites",
    "prerequisite",
];

/// Returns the numbers in `depends on: steps 1, 2 and 3`, or `None` if it says anything else.
fn dependencies(text: &str) -> Option<Vec<&str>> {
    let text = text.trim().trim_start_matches(['-', '*', '+', '_', ' ']);
    let rest = DEPENDS.iter().find_map(|word| {
        let (start, rest) = text.split_at_checked(word.len())?;
        start.eq_ignore_ascii_case(word).then_some(rest)
    })?;
    let words = rest.split(|at: char| at.is_whitespace() || ",:;&*_.".contains(at));
    let (mut numbers, fill) = (Vec::new(), ["", "and", "step", "steps", "task", "tasks"]);
    for word in words {
        let number = word.trim_start_matches('#');
        if !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit()) {
            numbers.push(number);
        } else if !fill.iter().any(|known| word.eq_ignore_ascii_case(known)) {
            return None;
        }
    }
    (!numbers.is_empty()).then_some(numbers)
}

/// Splits `**Title**: description` into title and description.
fn parts(text: &str) -> (&str, Option<&str>) {
    let bold = text.strip_prefix("**").and_then(|rest| rest.split_once("**"));
    let Some((title, rest)) = bold.filter(|(title, _)| !title.trim().is_empty()) else {
        return (text, None);
    };
    let (title, rest) = (title.trim(), rest.trim_start());
    let inner = title.strip_suffix(':').map(str::trim_end);
    let after = rest.strip_prefix([':', '-', '–', '—']);
    match (inner, after, rest) {
        (_, None, "") => (inner.unwrap_or(title), None),
        (_, Some(after), _) if after.trim().is_empty() => (inner.unwrap_or(title), None),
        (_, Some(after), _) => (inner.unwrap_or(title), Some(after.trim())),
        (Some(title), None, rest) => (title, Some(rest)),
        // Only the start of a sentence is bold.
        (None, None, _) => (text, None),
    }
}

/// Returns the heading, the items of the first list, and the start of another list.
fn entries(text: &str) -> (Option<&str>, Vec<Entry<'_>>, Option<Span>) {
    let (mut objective, mut entries) = (None, Vec::<Entry<'_>>::new());
    let (mut depth, mut last, mut at) = (None, 0, 0);
    for raw in text.split_inclusive('\n') {
        let (start, line) = (at, raw.trim_end());
        at += raw.len();
        let body = line.trim_start();
        let indent = line.len() - body.len();
        let span = Span::new(start + indent, start + line.len());
        let deeper = depth.is_some_and(|depth| indent > depth + 1);
        match item(body).filter(|_| !deeper) {
            Some(item) => {
                let number = item.number.and_then(|number| number.parse::<u64>().ok());
                let restarts = number.is_some_and(|number| number <= last) && !entries.is_empty();
                let other = entries
                    .first()
                    .is_some_and(|first| first.line.number.is_some() != item.number.is_some());
                if restarts || other {
                    return (objective, entries, Some(span));
                }
                last = number.unwrap_or(last);
                depth.get_or_insert(indent);
                entries.push(Entry { line: item, more: Vec::new(), span });
            }
            None if body.starts_with('#') && entries.is_empty() => {
                let heading = body.trim_start_matches('#');
                let is_heading = heading.starts_with(' ') && !heading.trim().is_empty();
                objective = objective.or(is_heading.then(|| heading.trim()));
            }
            None if body.is_empty() || body.starts_with("```") => {}
            None => {
                if let Some(entry) = entries.last_mut().filter(|_| deeper) {
                    entry.more.push(body);
                    entry.span = Span::new(entry.span.start, span.end);
                }
            }
        }
    }
    (objective, entries, None)
}

/// Parses `3. [x] text` or `- [ ] text`.
fn item(body: &str) -> Option<Line<'_>> {
    let digits = body.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = match digits {
        0 => (None, body.strip_prefix(['-', '*', '+'])?),
        _ => (body.get(..digits), body.get(digits..)?.strip_prefix(['.', ')'])?),
    };
    let rest = rest.strip_prefix([' ', '\t'])?.trim_start();
    let (done, text) = match rest.get(..4) {
        Some("[ ] ") => (Some(false), rest.get(4..)?),
        Some("[x] " | "[X] ") => (Some(true), rest.get(4..)?),
        _ => (None, rest),
    };
    let text = text.trim();
    ((number.is_some() || done.is_some()) && !text.is_empty()).then_some(Line {
        number,
        done,
        text,
    })
}

/// Restricts a plan to what a list can represent.
pub(crate) fn restrict(plan: &mut Plan, losses: &mut Losses) {
    losses.take(&mut plan.version, "/version");
    losses.list(&mut plan.constraints, "/constraints");
    losses.list(&mut plan.success_criteria, "/success_criteria");
    losses.take(&mut plan.notes, "/notes");
    losses.map(&mut plan.metadata, "/metadata");
    let checklist = is_checklist(plan);
    for (at, step) in plan.steps.iter_mut().enumerate() {
        let path = format!("/steps/{at}");
        losses.take(&mut step.tool, &format!("{path}/tool"));
        losses.map(&mut step.inputs, &format!("{path}/inputs"));
        losses.list(&mut step.depends_on, &format!("{path}/depends_on"));
        losses.take(&mut step.expected_output, &format!("{path}/expected_output"));
        losses.members(&mut step.metadata, &format!("{path}/metadata"), |name, _| {
            checklist && name == "done"
        });
        let id = (at + 1).to_string();
        if step.id != id {
            losses.lose(&format!("{path}/id"));
            step.id = id;
        }
        if step.title.is_none() && step.description.is_some() {
            // A description without a title would be read as the title.
            losses.lose(&format!("{path}/description"));
            losses.lose(&format!("{path}/title"));
            step.title = step.description.take();
        }
        losses.need(step.title.as_ref(), &format!("{path}/title"));
    }
    if plan.objective.is_some()
        && entries(&encode(&Plan { steps: Vec::new(), ..plan.clone() })).0
            != plan.objective.as_deref()
    {
        losses.take(&mut plan.objective, "/objective");
    }
    for (at, step) in plan.steps.iter().enumerate() {
        let alone = Plan { steps: vec![step.clone()], ..Plan::default() };
        let text = encode(&alone);
        let (_, entries, rest) = entries(&text);
        let again = entries.first().map(|entry| self::step(entry, step.id.clone()));
        if again.as_ref() != Some(step) || entries.len() != 1 || rest.is_some() {
            losses.refuse(&format!("/steps/{at}"), "would be read differently as a list item");
        }
    }
}

fn is_checklist(plan: &Plan) -> bool {
    plan.steps.iter().all(|step| step.metadata.get("done").is_some_and(Value::is_boolean))
}

/// Writes a plan as a list.
pub(crate) fn encode(plan: &Plan) -> String {
    let mut text = String::new();
    if let Some(objective) = &plan.objective {
        let _ = writeln!(text, "# {objective}\n");
    }
    let checklist = is_checklist(plan);
    for (at, step) in plan.steps.iter().enumerate() {
        let done = step.metadata.get("done").and_then(Value::as_bool).unwrap_or_default();
        let mark = match (checklist, done) {
            (true, true) => "- [x]".to_owned(),
            (true, false) => "- [ ]".to_owned(),
            (false, _) => format!("{}.", at + 1),
        };
        let title = step.title.as_deref().unwrap_or_default();
        match &step.description {
            None => {
                let _ = writeln!(text, "{mark} {title}");
            }
            Some(description) => {
                let mut lines = description.split('\n');
                let first = lines.next().unwrap_or_default();
                let _ = writeln!(text, "{mark} **{title}**: {first}");
                for line in lines {
                    let _ = writeln!(text, "      {line}");
                }
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_are_split_off() {
        let rows: &[(&str, &str, &[&str])] = &[
            ("Write (depends on 1)", "Write", &["1"]),
            ("Write (Depends on: 1, 2)", "Write", &["1", "2"]),
            ("Write (after step 1 and step 3)", "Write", &["1", "3"]),
            ("Write [needs #2]", "Write", &["2"]),
            ("**Write**: it (deps: 1,2).", "**Write**: it", &["1", "2"]),
            ("Write (requires tasks 1 & 2)", "Write", &["1", "2"]),
            ("Write (depends on the weather)", "Write (depends on the weather)", &[]),
            ("Write (after 10 minutes)", "Write (after 10 minutes)", &[]),
            ("Write (after 5pm)", "Write (after 5pm)", &[]),
            ("Write (needs 2 people)", "Write (needs 2 people)", &[]),
            ("Write (no dependencies)", "Write (no dependencies)", &[]),
            ("(depends on 1)", "(depends on 1)", &[]),
            ("Write f(x)", "Write f(x)", &[]),
        ];
        for (text, title, numbers) in rows {
            assert_eq!(split_dependencies(text), (*title, numbers.to_vec()), "{text}");
        }
    }
}
