//! Markdown lists.
//!
//! The items of a numbered list or a checklist become steps: `**Title**: description`, or a title alone.
//! Indented lines belong to the description. So do headings that number steps, `## Step 2: Title`, with the
//! lines below them. The first other heading is the objective. A list states the order of its steps but no
//! dependencies, so steps have none but those that an item names, by number or title: `(depends on 1)`.

use std::{collections::HashMap, fmt::Write as _};

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
    is_heading: bool,
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
    let titles = titles(&entries, numbered);
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
                    let step = step(
                        entry,
                        id.map_or_else(|| (at + 1).to_string(), str::to_owned),
                        &titles,
                    );
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

/// The ids of steps by their titles in lower case; none for a title that stands twice.
type Titles = HashMap<String, Option<String>>;

/// Returns the titles of the items.
fn titles(entries: &[Entry<'_>], numbered: bool) -> Titles {
    let mut titles = Titles::new();
    for (at, entry) in entries.iter().enumerate() {
        let id = entry.line.number.filter(|_| numbered);
        let id = id.map_or_else(|| (at + 1).to_string(), str::to_owned);
        let text = split_dependencies(entry.line.text, &Titles::new()).0;
        let text = text.split([':', '(', '—', '–']).next().unwrap_or_default();
        let title = text.trim_matches([' ', '*', '_', '`']).to_lowercase();
        titles.entry(title).and_modify(|id| *id = None).or_insert(Some(id));
    }
    titles
}

fn step(entry: &Entry<'_>, id: String, titles: &Titles) -> Step {
    let (text, named) = split_dependencies(entry.line.text, titles);
    let (title, first) = parts(text);
    let more = entry.more.iter().copied();
    let (of_lines, more): (Vec<_>, Vec<_>) =
        more.partition(|line| dependencies(line, titles).is_some());
    let of_lines = of_lines.into_iter().filter_map(|line| dependencies(line, titles)).flatten();
    let mut depends_on: Vec<String> = Vec::new();
    for name in named.into_iter().chain(of_lines) {
        if !depends_on.contains(&name) {
            depends_on.push(name);
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

/// Splits off `(depends on 1, 2)` or `— depends on 1` at the end of a text, and returns the ids.
fn split_dependencies<'t>(text: &'t str, titles: &Titles) -> (&'t str, Vec<String>) {
    let bare = text.strip_suffix(['.', ';']).unwrap_or(text);
    // Emphasis is around the brackets as well as their content.
    let marked = bare.trim_end_matches(['*', '_']);
    let marks = bare.len() - marked.len();
    let brackets = |open: char, close: char| {
        let (before, inner) = marked.strip_suffix(close)?.rsplit_once(open)?;
        let end = before.len().saturating_sub(marks);
        let is_around = before.get(end..).is_some_and(|it| Some(it) == bare.get(marked.len()..));
        let before = if is_around { before.get(..end)? } else { before };
        Some((before.trim_end(), dependencies(inner, titles)?))
    };
    let dash = || {
        let (before, inner) = bare.rsplit_once(['—', '–']).or_else(|| bare.rsplit_once(" - "))?;
        Some((before.trim_end(), dependencies(inner, titles)?))
    };
    let split = brackets('(', ')').or_else(|| brackets('[', ']')).or_else(dash);
    split.filter(|(before, _)| !before.is_empty()).unwrap_or((text, Vec::new()))
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

/// Most steps in a range of numbers.
const RANGE: u64 = 100;

/// Returns the ids in `depends on: steps 1, 2 and 3`, where a step may be named by its title and several by
/// a range (`1-3`), or `None` if it says anything else.
fn dependencies(text: &str, titles: &Titles) -> Option<Vec<String>> {
    let text = text.trim().trim_start_matches(['-', '*', '+', '_', ' ']);
    let rest = DEPENDS.iter().find_map(|word| {
        let (start, rest) = text.split_at_checked(word.len())?;
        start.eq_ignore_ascii_case(word).then_some(rest)
    })?;
    let title = rest.trim_matches([' ', ':', '*', '_', '.', '"', '`']).to_lowercase();
    if let Some(id) = titles.get(&title) {
        return id.clone().map(|id| vec![id]);
    }
    let words = rest.split(|at: char| at.is_whitespace() || ",:;&*_.".contains(at));
    let (mut ids, fill) = (Vec::new(), ["", "and", "step", "steps", "task", "tasks"]);
    for word in words {
        let number = word.trim_start_matches('#');
        if is_number(number) {
            ids.push(number.to_owned());
        } else if let Some(range) = range(number) {
            ids.extend(range.map(|number| number.to_string()));
        } else if let Some(id) = titles.get(&word.to_lowercase()).cloned().flatten() {
            ids.push(id);
        } else if !fill.iter().any(|known| word.eq_ignore_ascii_case(known)) {
            return None;
        }
    }
    (!ids.is_empty()).then_some(ids)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit())
}

/// Returns the numbers of a range: `1-3`.
fn range(text: &str) -> Option<std::ops::RangeInclusive<u64>> {
    let (first, last) = text.split_once(['-', '–'])?;
    let (first, last): (u64, u64) = (first.parse().ok()?, last.parse().ok()?);
    (first < last && last - first < RANGE).then_some(first..=last)
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
        let under_heading = entries.last().is_some_and(|entry| entry.line.is_heading);
        let deeper = under_heading || depth.is_some_and(|depth| indent > depth + 1);
        let item = match heading(body) {
            None if under_heading => None,
            None => item(body).filter(|_| !deeper),
            heading => heading.filter(|_| under_heading || entries.is_empty()),
        };
        match item {
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
        is_heading: false,
    })
}

/// Parses `## Step 3: text`.
fn heading(body: &str) -> Option<Line<'_>> {
    let title = body.strip_prefix('#')?.trim_start_matches('#').strip_prefix(' ')?.trim_start();
    let (word, rest) = title.trim_start_matches('*').split_once(' ')?;
    let is_step = ["step", "task"].iter().any(|known| word.eq_ignore_ascii_case(known));
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = rest.split_at_checked(digits)?;
    let rest = rest.trim_start();
    let text = rest.strip_prefix([':', '.', ')', '-', '–', '—'])?.trim_end_matches('*').trim();
    (is_step && !number.is_empty() && !text.is_empty()).then_some(Line {
        number: Some(number),
        done: None,
        text,
        is_heading: true,
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
        let again = entries.first().map(|entry| self::step(entry, step.id.clone(), &Titles::new()));
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
            ("Write *(depends on 1)*", "Write", &["1"]),
            ("**Write** (depends on 1)", "**Write**", &["1"]),
            ("Write _(after step 2)_.", "Write", &["2"]),
            ("Write — depends on 1", "Write", &["1"]),
            ("Write - after steps 1 and 2", "Write", &["1", "2"]),
            ("Write (depends on 1-3)", "Write", &["1", "2", "3"]),
            ("Write (depends on Read the file)", "Write", &["7"]),
            ("Write (depends on A and B)", "Write", &["8", "9"]),
            ("Write (depends on C)", "Write (depends on C)", &[]),
            ("Write — it depends on 1", "Write — it depends on 1", &[]),
            ("Write (after 3-1)", "Write (after 3-1)", &[]),
            ("Write f(x)", "Write f(x)", &[]),
        ];
        let titles =
            [("read the file", Some("7")), ("a", Some("8")), ("b", Some("9")), ("c", None)];
        let titles: Titles = titles
            .into_iter()
            .map(|(title, id)| (title.to_owned(), id.map(str::to_owned)))
            .collect();
        for (text, title, ids) in rows {
            let ids: Vec<String> = ids.iter().map(|id| (*id).to_owned()).collect();
            assert_eq!(split_dependencies(text, &titles), (*title, ids), "{text}");
        }
    }

    #[test]
    fn headings_may_be_steps() {
        let text = "# Launch\n\n## Step 1: A\n\nDo this.\n1. x\n\n## Step 2: B (depends on 1)\nAnd that.\n";
        let (objective, found, rest) = entries(text);
        let titles = titles(&found, true);
        let steps: Vec<Step> = found
            .iter()
            .map(|it| step(it, it.line.number.unwrap_or_default().to_owned(), &titles))
            .collect();
        assert_eq!((objective, rest), (Some("Launch"), None));
        let shown: Vec<_> = steps
            .iter()
            .map(|it| (it.title.as_deref(), it.description.as_deref(), it.depends_on.join(",")))
            .collect();
        assert_eq!(
            shown,
            [
                (Some("A"), Some("Do this.\n1. x"), String::new()),
                (Some("B"), Some("And that."), "1".to_owned()),
            ]
        );
    }
}
