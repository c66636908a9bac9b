//! Calls of functions with literals, as in Python and JavaScript.

mod arguments;
mod quoted;
mod unquoted;
mod unreadable;

pub(super) use unreadable::closing;

use super::{json, named::name_at};
use crate::{
    found::{Body, Context, Found},
    input::{Input, Read, Stop},
    name,
    notation::{Family, Notation},
    tools::Tool,
};

/// Words before a call.
const WORDS: &[&str] = &["await ", "return ", "const ", "let ", "var "];
/// Functions around a call that only show its result.
const SHOWING: &[&str] = &["print", "console.log"];
/// Names that end a plan and are no tools.
const PSEUDO: &[&str] = &["join"];
/// Maximum number of calls in a row.
pub(crate) const MAX_CALLS: usize = 1000;
/// What the reading of a byte of a call costs, in bytes of plain reading.
const CALL_COST: usize = 8;
/// Maximum nesting of functions that show the result of a call.
const MAX_SHOWING: usize = 2;
/// Maximum nesting of lists of calls.
const MAX_LISTS: usize = 3;

/// Reads the calls at `at`: in brackets, or one after the other.
pub(crate) fn read<'t>(input: Input<'t>, at: usize, context: Context<'_>) -> Read<Body<'t>> {
    let list = input.need(at)? == b'[';
    let mut calls = Calls {
        body: Body::new(Family::Pythonic, Vec::new(), at),
        lists: usize::from(list),
        numbered: false,
    };
    let mut next = if list { at + 1 } else { at };
    loop {
        next = skip_between(input, next);
        // A plan may think between its steps.
        while calls.numbered && input.starts(next, "Thought:")? {
            next = input.skip_space(input.line_end(next));
        }
        match input.byte(next) {
            Some(b']') if calls.lists > 0 => {
                calls.lists -= 1;
                next += 1;
                if calls.lists == 0 {
                    calls.body.end = next;
                    break;
                }
                continue;
            }
            Some(b'[') if list && calls.lists < MAX_LISTS => {
                calls.lists += 1;
                next += 1;
                continue;
            }
            _ => {}
        }
        match calls.take(input, next, context)? {
            Some(end) => next = end,
            None => break,
        }
        let count = calls.body.calls.len();
        if count > MAX_CALLS || (!list && !continues(input, calls.body.end)?) {
            break;
        }
    }
    calls.finish(input, list)
}

/// Calls that are being read.
struct Calls<'t> {
    body: Body<'t>,
    /// Number of open brackets.
    lists: usize,
    /// Whether they are the steps of a plan.
    numbered: bool,
}

impl<'t> Calls<'t> {
    /// Takes the call at `at`, and returns its end; `None` if the calls end before it.
    fn take(&mut self, input: Input<'t>, at: usize, context: Context<'_>) -> Read<Option<usize>> {
        let start = match number(input, at)? {
            Some(after) if self.lists == 0 => {
                self.numbered = true;
                after
            }
            _ => at,
        };
        match quoted::read(input, start, context)
            .and_then(|found| found.map_or_else(|| call(input, start, context, MAX_SHOWING), Ok))
        {
            Ok((found, end)) => {
                input.count(CALL_COST * (end - start));
                let pseudo = PSEUDO.contains(&found.name.as_ref())
                    && context.tools.named(&found.name).is_none();
                if !pseudo {
                    self.body.calls.push(found);
                }
                self.body.end = end;
                Ok(Some(end))
            }
            Err(stop @ (Stop::Cut | Stop::Other)) if !self.body.calls.is_empty() => {
                self.end_before(matches!(stop, Stop::Cut), input, at);
                Ok(None)
            }
            // The calls beside it are good.
            Err(Stop::Unreadable(row)) => {
                let Some(found) = unreadable::read(input, start, &row, context)? else {
                    return Err(Stop::Unreadable(row));
                };
                let end = found.span.end;
                input.count(CALL_COST * (end - start));
                self.body.calls.push(found);
                self.body.end = end;
                Ok(Some(end))
            }
            Err(stop) => Err(stop),
        }
    }

    /// Ends the calls before what is none at `at`.
    fn end_before(&mut self, cut: bool, input: Input<'t>, at: usize) {
        if self.lists == 0 && !cut {
            return;
        }
        if cut && input.skip_space(at) < input.len() {
            // Another call begins and is cut off.
            self.body.is_cut = true;
            self.body.end = input.len();
        } else if let Some(last) = self.body.calls.last_mut() {
            // The closing bracket is missing.
            last.diagnostics.push(json::unclosed_list(self.body.end));
        }
    }

    fn finish(self, input: Input<'t>, list: bool) -> Read<Body<'t>> {
        let Self { mut body, numbered, .. } = self;
        if body.calls.iter().all(|found| found.unreadable.is_some()) {
            let first = body.calls.into_iter().find_map(|found| found.unreadable);
            return Err(first.map_or(Stop::Other, Stop::Unreadable));
        }
        let spanned = |found: &Found<'_>| found.span.of(input.text);
        if numbered {
            body.calls.iter_mut().for_each(|call| call.explicit = true);
            body.notation = Notation::named("compiler");
        } else if body.calls.iter().all(|found| spanned(found).contains("({")) && !list {
            body.notation = Notation::named("javascript");
        }
        Ok(body)
    }
}

/// Returns whether another call may follow at `at`, outside of brackets.
fn continues(input: Input<'_>, at: usize) -> Read<bool> {
    let next = skip_between(input, at);
    if next == input.len() {
        return if input.complete { Ok(false) } else { Err(Stop::More) };
    }
    let separated = input.slice(at, next).contains(['\n', ';', ',']);
    Ok(separated)
}

/// Skips white space and separators between calls.
fn skip_between(input: Input<'_>, mut at: usize) -> usize {
    loop {
        at = input.skip_space(at);
        match input.byte(at) {
            Some(b',' | b';') => at += 1,
            _ => return at,
        }
    }
}

/// Returns the offset after the number of a step, `1. `.
fn number(input: Input<'_>, at: usize) -> Read<Option<usize>> {
    let digits = input.from(at).bytes().take_while(u8::is_ascii_digit).count();
    let dot = at + digits;
    if digits == 0 || digits > 3 {
        return Ok(None);
    }
    Ok(input.starts(dot, ". ")?.then_some(dot + 2))
}

fn call<'t>(
    input: Input<'t>,
    at: usize,
    context: Context<'_>,
    showing: usize,
) -> Read<(Found<'t>, usize)> {
    let mut start = at;
    for word in WORDS {
        if input.starts(start, word)? {
            start = input.skip_space(start + word.len());
        }
    }
    let Some(mut span) = name_at(input, start, context)? else {
        return Err(other_or_end(input, start));
    };
    let mut open = input.skip_blanks(span.end);
    // `result = f(…)`
    if input.byte(open) == Some(b'=') && input.byte(open + 1) != Some(b'=') {
        let mut value = input.skip_space(open + 1);
        if input.starts(value, "await ")? {
            value = input.skip_space(value + "await ".len());
        }
        let Some(function) = name_at(input, value, context)? else {
            return Err(other_or_end(input, value));
        };
        span = function;
        open = input.skip_blanks(span.end);
    }
    if input.need(open)? != b'(' {
        return Err(Stop::Other);
    }
    let written = span.of(input.text);
    let tool = name::resolve(written, context.tools).tool;
    if SHOWING.contains(&written) && tool.is_none() && showing > 0 {
        let (found, end) = call(input, input.skip_space(open + 1), context, showing - 1)?;
        let close = input.skip_space(end);
        return match input.need(close)? {
            b')' => Ok((found, close + 1)),
            _ => Err(Stop::Other),
        };
    }
    arguments::Reader::new(input, written, tool, open, context).read(start)
}

/// Reads the arguments in the parentheses at `open`. Returns a call without a name, and its end.
pub(crate) fn in_parentheses<'t>(
    input: Input<'t>,
    tool: &Tool,
    open: usize,
    context: Context<'_>,
) -> Read<(Found<'t>, usize)> {
    arguments::Reader::new(input, "", Some(tool), open, context).read(open)
}

fn other_or_end(input: Input<'_>, at: usize) -> Stop {
    if input.skip_space(at) >= input.len() { input.end() } else { Stop::Other }
}

/// Returns the names of the functions that the text from `at` on calls, without those in arguments.
/// Functions that only show a result are left out.
pub(crate) fn functions<'t>(input: Input<'t>, at: usize, context: Context<'_>) -> Vec<&'t str> {
    let mut names = Vec::new();
    let mut depth = 0_usize;
    let mut quote = None;
    let start = at;
    let mut at = at;
    while let Some(byte) = input.byte(at).filter(|_| names.len() < 16) {
        match (byte, quote) {
            (b'\\', Some(_)) => at += 1,
            (byte, Some(open)) if byte == open => quote = None,
            (_, Some(_)) => {}
            (b'"' | b'\'', None) if depth > 0 => quote = Some(byte),
            (b'[' | b'{', None) if at > start => depth += 1,
            (b'(', None) => {
                let before = input.slice(start, at).trim_end();
                let word = before
                    .rfind(|c: char| {
                        !(c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '-' | '/'))
                    })
                    .map_or(before, |end| {
                        before
                            .get(end..)
                            .unwrap_or_default()
                            .trim_start_matches(|c: char| !c.is_alphanumeric())
                    });
                let spaced =
                    context.tools.names().find(|name| name.contains(' ') && before.ends_with(name));
                let shows = SHOWING.contains(&word) && context.tools.named(word).is_none();
                if depth == 0 && !shows {
                    let word = spaced.map_or(word, |name| {
                        before.get(before.len() - name.len()..).unwrap_or(word)
                    });
                    names.push(word);
                }
                depth += usize::from(!shows);
            }
            (b')' | b']' | b'}', None) => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    names.retain(|name| !PSEUDO.contains(name) || context.tools.named(name).is_some());
    names
}

/// Returns whether a call may begin at `at`: a name and a parenthesis, perhaps behind a bracket.
pub(crate) fn begins(input: Input<'_>, at: usize, context: Context<'_>) -> Read<bool> {
    let mut at = at;
    let mut lists = 0;
    while input.byte(at) == Some(b'[') && lists < MAX_LISTS {
        lists += 1;
        at = input.skip_space(at + 1);
        if at == input.len() {
            return if input.complete { Ok(false) } else { Err(Stop::More) };
        }
    }
    // A string is a call if a tool of its name is offered.
    if matches!(input.byte(at), Some(b'"' | b'\'')) {
        let Some(name) = name_at(input, at + 1, context)? else { return Ok(false) };
        let open = input.skip_blanks(name.end);
        let is_offered = name::resolve(name.of(input.text), context.tools).tool.is_some();
        return Ok(input.need(open)? == b'(' && is_offered);
    }
    for word in WORDS {
        if input.starts(at, word)? {
            at = input.skip_space(at + word.len());
        }
    }
    let at = number(input, at)?.unwrap_or(at);
    let Some(mut span) = name_at(input, at, context)? else { return Ok(false) };
    let mut open = input.skip_blanks(span.end);
    if input.byte(open) == Some(b'=') {
        let mut value = input.skip_space(open + 1);
        if input.starts(value, "await ")? {
            value = input.skip_space(value + "await ".len());
        }
        match name_at(input, value, context)? {
            Some(function) => span = function,
            None => return Ok(false),
        }
        open = input.skip_blanks(span.end);
    }
    if open == input.len() && !input.complete {
        return Err(Stop::More);
    }
    Ok(input.byte(open) == Some(b'('))
}
