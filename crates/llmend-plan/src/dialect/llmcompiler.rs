//! Text plans of LLMCompiler and `ReWOO`.
//!
//! LLMCompiler numbers its calls (`2. math("$1 * 2", precise=True)`) and ends with `join()`, which is not
//! a step; `ReWOO` names its results (`#E2 = Search[who wrote #E1]`). References `$1` and `#E1` become
//! dependencies. A line `Thought: …` or `Plan: …` describes the next step.
//!
//! Positional arguments get the names of the required properties of the tool's schema, in order, if the
//! catalog has the tool and enough names; otherwise they form a list under `args`. The text in the
//! brackets of `ReWOO` is one string, under the only required property or else under `input`.

use std::collections::HashSet;

use llmend_json::{Class, Diagnostic, Severity, Span};
use serde_json::Value;

use crate::{
    Map, Plan, Step, code,
    findings::{Findings, shown},
    read::{
        context::{Context, ListItem},
        steps,
    },
    reference::{Syntax, references},
};

/// A call in the text.
struct Call<'t> {
    id: &'t str,
    tool: &'t str,
    /// Text between the brackets; `None` if they are not closed.
    inside: Option<Span>,
    /// The whole call.
    span: Span,
    style: Style,
    /// Description from the preceding line.
    about: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Compiler,
    Rewoo,
}

/// Returns whether `text` contains a call outside of `json`, the spans of its JSON.
pub(super) fn fits(text: &str, json: &[Span]) -> bool {
    let calls = calls(text);
    let first = calls.iter().find(|call| call.inside.is_some());
    first.is_some_and(|call| {
        !json.iter().any(|span| span.start < call.span.start && span.end > call.span.start)
    })
}

/// Reads a plan.
pub(super) fn read(text: &str, context: &mut Context<'_>) -> Plan {
    context.findings.note_text("", Span::new(0, text.len()));
    let mut calls = calls(text);
    let steps_without_a_call = numbered_lines(text, &calls, context);
    for call in &calls {
        check_line(text, call, context);
    }
    calls.extend(steps_without_a_call);
    calls.sort_by_key(|call| call.span.start);
    calls.retain(|call| !matches!(call.tool, "join" | "finish"));
    let ids: HashSet<&str> = calls.iter().map(|call| call.id).collect();
    let items: Vec<ListItem<Step>> = calls
        .iter()
        .take(context.options.max_items)
        .enumerate()
        .map(|(at, call)| {
            let path = format!("/steps/{at}");
            context.item(
                |step: &Step| steps::label(&path, &step.id),
                |context, findings| step(text, call, &path, &ids, context, findings),
            )
        })
        .collect();
    if calls.len() > items.len() {
        let message = format!("too many calls (limit {})", items.len());
        context.findings.push(
            Diagnostic::new(code::TOO_MANY, Severity::Error, message).at(Span::new(0, text.len())),
        );
    }
    let given = items.len();
    let (steps, locations) = steps::keep_valid(items, context);
    if steps.is_empty() {
        context.report_no_steps(Span::new(0, text.len()), "", given);
    }
    context.lists.insert("steps".to_owned(), locations);
    Plan { steps, ..Plan::default() }
}

/// Reports a second `ReWOO` call on the line of `call`.
fn check_line(text: &str, call: &Call<'_>, context: &mut Context<'_>) {
    let end = call.span.end;
    let rest = text.get(end..).and_then(|rest| rest.lines().next()).unwrap_or_default();
    if let Some(next) = rewoo_call(text, end, rest).filter(|_| call.style == Style::Rewoo) {
        let message = "second call on the same line";
        context
            .findings
            .push(Diagnostic::new(code::UNREADABLE_LINE, Severity::Error, message).at(next.span));
    }
}

/// Returns the numbered lines that are not calls and whose number no call has: steps that would be lost.
/// Lines with the number of a call are prose about it and are ignored.
fn numbered_lines<'t>(
    text: &'t str,
    calls: &[Call<'t>],
    context: &mut Context<'_>,
) -> Vec<Call<'t>> {
    let ids: HashSet<&str> =
        calls.iter().filter(|call| call.style == Style::Compiler).map(|call| call.id).collect();
    let (mut lost, mut at, mut next) = (Vec::new(), 0, calls.iter().peekable());
    while !ids.is_empty() && at < text.len() {
        let rest = text.get(at..).unwrap_or_default();
        let line = rest.lines().next().unwrap_or_default();
        let past = at + rest.find('\n').map_or(rest.len(), |end| end + 1);
        let start = at + line.len() - line.trim_start().len();
        // A call may go on over several lines.
        let within = next.next_if(|call| call.span.start < past);
        at = within.map_or(past, |call| past.max(call.span.end));
        let Some(id) = number(line).filter(|_| within.is_none()) else { continue };
        let span = Span::new(start, start + line.trim().len());
        if ids.contains(id) {
            let message = "ignored line with the number of a call";
            let row = Diagnostic::new(code::LEFT_ASIDE, Severity::Warning, message);
            context.findings.push(row.at(span));
        } else {
            let (tool, inside, about) = ("", None, None);
            lost.push(Call { id, tool, inside, span, style: Style::Compiler, about });
        }
    }
    lost
}

/// Returns the number of a line `2. …` that does not end the plan.
fn number(line: &str) -> Option<&str> {
    let (id, rest) = line.trim_start().split_once('.')?;
    let is_number = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit());
    let says = rest.trim().trim_end_matches('.');
    let ends = ["", "join", "finish"].iter().any(|end| says.eq_ignore_ascii_case(end));
    (is_number && rest.starts_with(char::is_whitespace) && !ends).then_some(id)
}

fn step(
    text: &str,
    call: &Call<'_>,
    path: &str,
    ids: &HashSet<&str>,
    context: &Context<'_>,
    findings: &mut Findings,
) -> Step {
    findings.note_text("", call.span);
    if call.tool.is_empty() {
        let message = "expected a tool call";
        findings.error(code::UNREADABLE_LINE, path, call.span, message);
        return Step { id: call.id.to_owned(), ..Step::default() };
    }
    let mut tool = call.tool.to_owned();
    context.admit_tool(&mut tool, &format!("{path}/tool"), call.span, findings);
    let step = Step { id: call.id.to_owned(), description: call.about.clone(), ..Step::default() };
    let Some(inside) = call.inside else {
        let message = "unclosed bracket in a call";
        findings.error(code::UNREADABLE_LINE, path, call.span, message);
        return Step { tool: Some(tool), ..step };
    };
    findings.note_text("/inputs", inside);
    let schema =
        context.options.catalog.as_ref().and_then(|catalog| catalog.arguments(&tool, None));
    let required = schema.and_then(|schema| schema.get("required")).and_then(Value::as_array);
    let required: Vec<&str> = required.into_iter().flatten().filter_map(Value::as_str).collect();
    let written = inside.of(text);
    if let Some(name) = repeated(written).filter(|_| call.style == Style::Compiler) {
        let message = format!("duplicate argument `{}`", shown(name));
        findings.error(code::UNREADABLE_LINE, path, inside, message);
    }
    if let Some(word) = bare_word(written).filter(|_| call.style == Style::Compiler) {
        let message = format!("read the unquoted `{}` as text", shown(word));
        findings.warn(code::UNQUOTED, path, inside, message);
    }
    let mut inputs = match call.style {
        Style::Compiler => arguments(written, &required),
        Style::Rewoo => {
            let name = if let [only] = required.as_slice() { only } else { "input" };
            Map::from_iter([(name.to_owned(), Value::from(written.trim()))])
        }
    };
    if call.style == Style::Compiler {
        let order = order(written, &required, &inputs);
        findings.locations.order.insert("/inputs".to_owned(), order);
    }
    context.fit(&tool, &Map::new(), &mut inputs, "/inputs", findings);
    let (mut depends_on, mut seen) = (Vec::<String>::new(), HashSet::new());
    for found in references(written) {
        let ours = match found.syntax {
            Syntax::Template => false,
            Syntax::Dollar | Syntax::Braced => call.style == Style::Compiler,
            Syntax::Evidence => call.style == Style::Rewoo,
        };
        // `$5` may be a price, so only references to existing steps are dependencies.
        if ours && ids.contains(found.step) && seen.insert(found.step) {
            let span = Span::new(inside.start + found.span.start, inside.start + found.span.end);
            findings.note_text(format!("/depends_on/{}", depends_on.len()), span);
            depends_on.push(found.step.to_owned());
        }
    }
    Step { tool: Some(tool), inputs, depends_on, ..step }
}

/// Returns all calls in `text`, in order.
fn calls(text: &str) -> Vec<Call<'_>> {
    let (mut calls, mut about, mut at) = (Vec::new(), None, 0);
    while at < text.len() {
        let line = text.get(at..).and_then(|rest| rest.lines().next()).unwrap_or_default();
        if let Some(mut call) = compiler_call(text, at, line).or_else(|| rewoo_call(text, at, line))
        {
            let before = line.get(..call.span.start.saturating_sub(at)).and_then(description);
            call.about = before.or(about.take());
            at = call.span.end.max(at + 1);
            calls.push(call);
        } else if let Some(text) = description(line) {
            about = Some(text);
        }
        let rest = text.get(at..).unwrap_or_default();
        at += rest.find('\n').map_or(rest.len(), |end| end + 1);
    }
    calls
}

/// Returns the description of the next step, if the line is one.
fn description(line: &str) -> Option<String> {
    let line = line.trim();
    let text = line.strip_prefix("Thought:").or_else(|| line.strip_prefix("Plan:"))?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// Parses `2. search(q="x")`, alone on its line.
fn compiler_call<'t>(text: &'t str, at: usize, line: &'t str) -> Option<Call<'t>> {
    let trimmed = line.trim_start();
    let start = at + line.len() - trimmed.len();
    let (id, rest) = trimmed.split_once('.')?;
    let number = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit());
    let (tool, _) = rest.trim_start().split_once('(').filter(|_| number)?;
    let is_name = !tool.is_empty() && tool.chars().all(is_name);
    let open = is_name.then(|| start + trimmed.find('(').unwrap_or_default())?;
    let inside = closed(text, open);
    let end = inside.map_or(at + line.len(), |inside| inside.end + 1);
    let after = text.get(end..).and_then(|rest| rest.lines().next()).unwrap_or_default().trim();
    let alone = after.is_empty() || after.starts_with('<') || after.starts_with('#');
    alone.then_some(Call {
        id,
        tool,
        inside,
        span: Span::new(start, end),
        style: Style::Compiler,
        about: None,
    })
}

/// Parses `#E2 = Search[who wrote #E1]`, anywhere on its line.
fn rewoo_call<'t>(text: &'t str, at: usize, line: &'t str) -> Option<Call<'t>> {
    for (start, _) in line.match_indices("#E") {
        let rest = line.get(start + 1..)?;
        let digits = rest.bytes().skip(1).take_while(u8::is_ascii_digit).count();
        let (id, call) = rest.split_at_checked(digits + 1)?;
        let numbered = digits > 0;
        let Some(call) = call.trim_start().strip_prefix('=') else { continue };
        let Some((tool, _)) = call.trim_start().split_once('[').filter(|_| numbered) else {
            continue;
        };
        if tool.is_empty() || !tool.chars().all(is_name) {
            continue;
        }
        let open = at + line.len() - call.len() + call.find('[').unwrap_or_default();
        let inside = closed(text, open);
        let end = inside.map_or(at + line.len(), |inside| inside.end + 1);
        let span = Span::new(at + start, end);
        return Some(Call { id, tool, inside, span, style: Style::Rewoo, about: None });
    }
    None
}

fn is_name(one: char) -> bool {
    one.is_alphanumeric() || matches!(one, '_' | '-' | '.')
}

/// Returns the span between the bracket at `open` and its closing bracket.
fn closed(text: &str, open: usize) -> Option<Span> {
    let mut brackets = Brackets::default();
    let rest = text.get(open..)?;
    for (at, one) in rest.char_indices() {
        brackets.pass(one);
        if brackets.depth() == 0 && brackets.is_code() {
            return Some(Span::new(open + 1, open + at));
        }
        // A call ends before the next one starts.
        if one == '\n' && starts_call(rest.get(at + 1..).unwrap_or_default()) {
            return None;
        }
    }
    None
}

fn starts_call(rest: &str) -> bool {
    let line = rest.lines().next().unwrap_or_default().trim_start();
    let number = line
        .split_once('.')
        .is_some_and(|(id, _)| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit()));
    number || line.starts_with("#E") || line.starts_with("Plan:")
}

/// Nesting of brackets and quotes. A quote within a word is an apostrophe.
#[derive(Default)]
struct Brackets {
    open: Vec<char>,
    quote: Option<char>,
    escaped: bool,
    last: Option<char>,
}

impl Brackets {
    fn pass(&mut self, one: char) {
        let after_word = self.last.replace(one).is_some_and(char::is_alphanumeric);
        match (self.quote, one) {
            _ if std::mem::take(&mut self.escaped) => {}
            (Some(_), '\\') => self.escaped = true,
            (Some(quote), _) if one == quote => self.quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') if !after_word => self.quote = Some(one),
            (None, '(' | '[' | '{') => self.open.push(one),
            (None, ')' | ']' | '}') => {
                self.open.pop();
            }
            _ => {}
        }
    }

    fn depth(&self) -> usize {
        self.open.len()
    }

    fn is_code(&self) -> bool {
        self.quote.is_none()
    }
}

/// Splits a text that is all one call into the name and what is between the brackets.
pub(super) fn only_call(text: &str) -> Option<(&str, &str)> {
    let (name, _) = text.split_once('(')?;
    let starts = name.starts_with(|one: char| one.is_alphabetic() || one == '_');
    let inside = closed(text, name.len()).filter(|_| starts && name.chars().all(is_name))?;
    (inside.end + 1 == text.len()).then(|| (name, inside.of(text)))
}

/// Parses the arguments of a call. Those without a name need the names that `schema` requires.
pub(super) fn call_arguments(inside: &str, schema: Option<&Value>) -> Option<Map> {
    let required = schema.and_then(|schema| schema.get("required")).and_then(Value::as_array);
    let required: Vec<&str> = required.into_iter().flatten().filter_map(Value::as_str).collect();
    let nameless = split(inside).into_iter().filter(|it| keyword(it).is_none()).count();
    (nameless <= required.len()).then(|| arguments(inside, &required))
}

/// Returns the first duplicate argument name.
fn repeated(inside: &str) -> Option<&str> {
    let mut seen = HashSet::new();
    let names = split(inside).into_iter().filter_map(keyword).map(|(name, _)| name);
    names.into_iter().find(|name| !seen.insert(*name))
}

/// Returns the first argument that is a word without quotes, as the name of a variable would be.
fn bare_word(inside: &str) -> Option<&str> {
    let values = split(inside).into_iter().map(|it| keyword(it).map_or(it, |(_, value)| value));
    let is_word = |value: &&str| {
        value.starts_with(char::is_alphabetic)
            && value.chars().all(is_name)
            && literal(value).is_string()
    };
    values.into_iter().find(is_word)
}

/// Parses the arguments of a call.
fn arguments(inside: &str, required: &[&str]) -> Map {
    let (mut named, mut nameless) = (Map::new(), Vec::new());
    for argument in split(inside) {
        match keyword(argument) {
            Some((name, value)) => {
                named.insert(name.to_owned(), literal(value));
            }
            None => nameless.push(literal(argument)),
        }
    }
    let free: Vec<&&str> = required.iter().filter(|name| !named.contains_key(**name)).collect();
    if nameless.len() <= free.len() {
        named.extend(free.into_iter().map(|name| (*name).to_owned()).zip(nameless));
    } else if !nameless.is_empty() {
        named.insert("args".to_owned(), Value::Array(nameless));
    }
    named
}

/// Returns the names of the arguments in the order of the call.
fn order(inside: &str, required: &[&str], made: &Map) -> Vec<String> {
    let named: Vec<&str> = split(inside).into_iter().filter_map(keyword).map(|it| it.0).collect();
    let is_free = |name: &&str| !named.contains(name) && made.contains_key(*name);
    let mut free = required.iter().copied().filter(is_free);
    let names = split(inside).into_iter().map(|argument| match keyword(argument) {
        Some((name, _)) => name,
        None => free.next().unwrap_or("args"),
    });
    names.map(str::to_owned).collect()
}

/// Splits `inside` at its outermost commas.
fn split(inside: &str) -> Vec<&str> {
    let (mut parts, mut start, mut brackets) = (Vec::new(), 0, Brackets::default());
    for (at, one) in inside.char_indices() {
        if one == ',' && brackets.depth() == 0 && brackets.is_code() {
            parts.extend(inside.get(start..at));
            start = at + 1;
        }
        brackets.pass(one);
    }
    parts.extend(inside.get(start..));
    parts.into_iter().map(str::trim).filter(|part| !part.is_empty()).collect()
}

/// Parses `name=value`.
fn keyword(argument: &str) -> Option<(&str, &str)> {
    let (name, value) = argument.split_once('=')?;
    let name = name.trim();
    let mut chars = name.chars();
    let is_name = chars.next().is_some_and(|first| first.is_alphabetic() || first == '_')
        && chars.all(|one| one.is_alphanumeric() || one == '_');
    (is_name && !value.starts_with('=')).then(|| (name, value.trim()))
}

/// Parses a Python or JSON literal; anything else is a string.
fn literal(text: &str) -> Value {
    match text {
        "True" | "true" => return Value::Bool(true),
        "False" | "false" => return Value::Bool(false),
        "None" | "null" => return Value::Null,
        _ => {}
    }
    if let Ok(number) = text.parse::<serde_json::Number>() {
        return Value::Number(number);
    }
    // Parsed as the only item of a list, since a string with brackets alone might be taken for prose.
    let list = text.starts_with(['"', '\'', '[', '{']).then(|| format!("[{text}]"));
    let parsed = list.and_then(|list| {
        let parsed = llmend_json::parse(&list).ok()?;
        let whole = parsed.report.candidate.span == Span::new(0, list.len());
        let sure = whole && parsed.report.class != Some(Class::Loss);
        let only =
            parsed.value.root().item(0).filter(|_| sure && parsed.value.root().len() == 1)?;
        Some(only.to_serde().value)
    });
    parsed.unwrap_or_else(|| Value::from(text))
}
