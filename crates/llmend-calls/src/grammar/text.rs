//! Text in the place of arguments: `key=value` or `key: value` for each, values in parentheses, or
//! the value of the one parameter.

use std::borrow::Cow;

use llmend_json::{Builder, Class, Diagnostic, Severity, Span};

use super::{
    literal::{self, Literals},
    pythonic,
};
use crate::{
    found::{Arguments, Context, Found},
    input::{Input, Read, Stop},
    name,
    tools::{Kinds, Parameter, Tool},
    untyped,
};

/// What separates values.
const SEPARATORS: [char; 5] = [',', ';', '，', '、', '；'];

/// Reads the text at `span` as the arguments of `written`. Quotes around all of it are no part of
/// a value where it is not `verbatim`.
pub(crate) fn read<'t>(
    input: Input<'t>,
    written: impl Into<Cow<'t, str>>,
    span: Span,
    verbatim: bool,
    context: Context<'_>,
) -> Read<Found<'t>> {
    let written = written.into();
    let text = span.of(input.text).trim();
    if matches!(text, "" | "None") {
        return Ok(Found::new(written, Arguments::empty(span.end), span));
    }
    let tool = name::resolve(&written, context.tools).tool.ok_or(Stop::Other)?;
    let start = span.start + span.of(input.text).find(text).unwrap_or_default();
    let trimmed = Span::new(start, start + text.len());
    if let Some(found) = in_parentheses(input, &written, trimmed, tool, context)? {
        return Ok(found);
    }
    let within = input.until(trimmed.end);
    if let Some(key) = Key::at(within, start, tool).filter(|key| key.parameter.is_some()) {
        return Pairs::new(within, trimmed, tool, key.sign).read(written, context);
    }
    let Some(only) = only(tool) else { return Err(not_json(trimmed)) };
    if !verbatim && let Some(found) = quoted(input, &written, trimmed, only) {
        return Ok(found);
    }
    let mut builder = Builder::of_text("");
    builder.begin_object(Span::at(0));
    let (text, kinds) = (span.of(input.text), only.kinds);
    let text = if kinds.is_text() { text } else { text.trim() };
    let raw = untyped::Raw { key: &only.name, key_span: span, text, span, kinds, optional: false };
    let read = untyped::write(&mut builder, span.start, raw, context.options);
    builder.end();
    let mut found = Found::new(written, Arguments::built(builder, span), span);
    (found.class, found.repairs) = (read.class, read.repairs);
    if may_be_several(text, tool) || holds_key(input, trimmed, tool) {
        found.class = Some(Class::Guess);
        found.diagnostics.push(one_of_several(&only.name, trimmed));
    }
    Ok(found)
}

/// Returns the parameter that text alone gives: the one that a call must have, or else the only
/// one, or the only one for text.
fn only(tool: &Tool) -> Option<&Parameter> {
    let all = &tool.parameters;
    let single = |wanted: &dyn Fn(&&Parameter) -> bool| {
        let mut found = all.iter().filter(wanted);
        found.next().filter(|_| found.next().is_none())
    };
    if all.iter().any(|one| one.required) {
        return single(&|one| one.required);
    }
    single(&|_| true).or_else(|| single(&|one| one.kinds.is_text()))
}

/// Returns whether text is as good a list of arguments by position: `cats, 5`.
fn may_be_several(text: &str, tool: &Tool) -> bool {
    let parts: Vec<_> = text.split(',').map(str::trim).collect();
    let fits = |(part, one): (&&str, &Parameter)| {
        !one.kinds.has(Kinds::STRING)
            && one.kinds != Kinds::ANY
            && (part.parse::<f64>().is_ok() || matches!(*part, "true" | "false" | "True" | "False"))
    };
    (2..=tool.parameters.len()).contains(&parts.len())
        && parts.iter().zip(&tool.parameters).skip(1).any(fits)
}

/// Reads text that is one string in quotes.
fn quoted<'t>(
    input: Input<'t>,
    written: &Cow<'t, str>,
    span: Span,
    only: &Parameter,
) -> Option<Found<'t>> {
    if !matches!(input.byte(span.start), Some(b'"' | b'\'')) {
        return None;
    }
    let mut builder = Builder::of_text("");
    builder.begin_object(Span::at(0));
    builder.key(&only.name, Span::at(0));
    let (input, base, mut repairs) = (input.until(span.end), span.start, Vec::new());
    let mut literals = Literals { input, builder: &mut builder, base, repairs: &mut repairs };
    literals.read(base).ok().filter(|end| *end == span.end)?;
    builder.end();
    if literal::class(&repairs) == Some(Class::Guess) {
        return None;
    }
    let mut found = Found::new(written.clone(), Arguments::built(builder, span), span);
    found.class = literal::class(&repairs);
    found.repairs = repairs;
    Some(found)
}

/// Reads values in parentheses, as in a call of Python whose name stands apart.
fn in_parentheses<'t>(
    input: Input<'t>,
    written: &Cow<'t, str>,
    span: Span,
    tool: &Tool,
    context: Context<'_>,
) -> Read<Option<Found<'t>>> {
    let within = input.until(span.end);
    let text = span.of(input.text);
    let next = within.skip_space(span.start + 1);
    let is_value = matches!(within.byte(next), Some(b'"' | b'\'' | b'-' | b'0'..=b'9'));
    if !(text.starts_with('(') && text.ends_with(')'))
        || !(is_value || Key::at(within, next, tool).is_some_and(|key| key.parameter.is_some()))
    {
        return Ok(None);
    }
    match pythonic::in_parentheses(within, tool, span.start, context) {
        Ok((mut found, end)) if end == span.end => {
            found.name.clone_from(written);
            Ok(Some(found))
        }
        Err(stop @ Stop::Unreadable(_)) => Err(stop),
        _ => Ok(None),
    }
}

/// A key before a value.
#[derive(Clone, Copy, Debug)]
struct Key<'c> {
    name: Span,
    /// `=` or `:`.
    sign: u8,
    /// Offset of the value.
    value: usize,
    /// The parameter of this name.
    parameter: Option<&'c Parameter>,
}

impl<'c> Key<'c> {
    /// Returns the key at `at`, perhaps behind the mark of a list, and in quotes.
    fn at(input: Input<'_>, at: usize, tool: &'c Tool) -> Option<Self> {
        let mut at = input.skip_space(at);
        for bullet in ["- ", "* ", "• "] {
            if input.from(at).starts_with(bullet) {
                at = input.skip_blanks(at + bullet.len());
            }
        }
        let quote = input.byte(at).filter(|byte| matches!(byte, b'"' | b'\'' | b'`'));
        let start = at + usize::from(quote.is_some());
        let is_name = |c: &char| c.is_alphanumeric() || matches!(c, '_' | '-');
        let length: usize = input.from(start).chars().take_while(is_name).map(char::len_utf8).sum();
        let name = Span::new(start, start + length);
        let mut end = name.end;
        if let Some(quote) = quote {
            if input.byte(end) != Some(quote) {
                return None;
            }
            end += 1;
        }
        let sign_at = input.skip_blanks(end);
        let rest = input.from(sign_at);
        let (sign, length_of_sign) = match rest.chars().next()? {
            '=' => (b'=', 1),
            ':' => (b':', 1),
            '：' => (b':', '：'.len_utf8()),
            _ => return None,
        };
        // `==` compares, and `://` begins an address.
        if length == 0 || ["==", "://", "::"].iter().any(|other| rest.starts_with(other)) {
            return None;
        }
        let parameter = tool.near_parameter(name.of(input.text));
        Some(Self { name, sign, value: input.skip_blanks(sign_at + length_of_sign), parameter })
    }
}

/// A reader of pairs of keys and values, up to the end of its input.
struct Pairs<'c, 't> {
    input: Input<'t>,
    span: Span,
    tool: &'c Tool,
    /// The sign behind each key.
    sign: u8,
    builder: Builder<'t>,
    found: Found<'t>,
}

impl<'c, 't> Pairs<'c, 't> {
    fn new(input: Input<'t>, span: Span, tool: &'c Tool, sign: u8) -> Self {
        let mut builder = Builder::of_text("");
        builder.begin_object(Span::at(0));
        let found = Found::new("", Arguments::empty(span.end), span);
        Self { input, span, tool, sign, builder, found }
    }

    fn read(mut self, written: Cow<'t, str>, context: Context<'_>) -> Read<Found<'t>> {
        let mut at = self.span.start;
        let mut given: Vec<&str> = Vec::new();
        while at < self.span.end {
            let key = Key::at(self.input, at, self.tool)
                .filter(|key| key.sign == self.sign)
                .ok_or_else(|| not_json(self.span))?;
            let name = key.parameter.map_or(key.name.of(self.input.text), |one| &one.name);
            if given.contains(&name) {
                return Err(not_json(self.span));
            }
            at = self.value(&key, context)?;
            given.push(name);
        }
        self.builder.end();
        self.found.name = written;
        self.found.arguments = Arguments::built(self.builder, self.span);
        self.found.class = self.found.class.max(literal::class(&self.found.repairs));
        Ok(self.found)
    }

    /// Reads the value of `key`, and returns the offset behind it and its separator.
    fn value(&mut self, key: &Key<'_>, context: Context<'_>) -> Read<usize> {
        let input = self.input;
        let end = match input.byte(key.value) {
            Some(quote @ (b'"' | b'\'')) => self.end_of_string(key.value, quote),
            Some(b'[' | b'{') => pythonic::closing(input, key.value),
            _ => None,
        };
        let base = self.span.start;
        let place = |span: Span| Span::new(span.start - base, span.end - base);
        if let Some(end) = end {
            self.builder.key(key.name.of(input.text), place(key.name));
            let repairs = &mut self.found.repairs;
            let within = input.until(end);
            Literals { input: within, builder: &mut self.builder, base, repairs }
                .read(key.value)?;
            return Ok(self.behind(end));
        }
        let end = self.end_of_words(key.value);
        let span = Span::new(key.value, end);
        let text = span.of(input.text).trim_end();
        let kinds = key.parameter.map_or(Kinds::ANY, |one| one.kinds);
        let is_all = key.name.start == self.span.start && end == self.span.end;
        let evaluates = key.sign == b'=' && is_expression(text, kinds);
        // As the only text it may be program text.
        if evaluates && !(is_all && kinds.is_text()) {
            return Err(literal::expression(span));
        }
        let optional = key.parameter.is_some_and(|one| !one.required);
        let (name, key_span) = (key.name.of(input.text), key.name);
        let raw = untyped::Raw { key: name, key_span, text, span, kinds, optional };
        let read = untyped::write(&mut self.builder, base, raw, context.options);
        self.found.class = self.found.class.max(read.class);
        self.found.repairs.extend(read.repairs);
        if read.omitted {
            self.found.diagnostics.push(untyped::omitted(name, span));
        }
        if evaluates || holds_key(input, span, self.tool) {
            self.found.class = Some(Class::Guess);
            self.found.diagnostics.push(one_of_several(name, span));
        }
        Ok(self.behind(end))
    }

    /// Returns the end of the string at `open`: the quote that a separator follows.
    fn end_of_string(&self, open: usize, quote: u8) -> Option<usize> {
        let bytes = self.input.text.as_bytes();
        let ends = |at: &usize| {
            bytes.get(*at) == Some(&quote)
                && bytes.get(at - 1) != Some(&b'\\')
                && matches!(
                    self.input.byte(self.input.skip_blanks(at + 1)),
                    None | Some(b',' | b';' | b'\n' | b'\r')
                )
        };
        (open + 1..self.input.len()).find(ends).map(|at| at + 1)
    }

    /// Returns the end of words at `at`: the end of their line, or a separator before another key.
    fn end_of_words(&self, at: usize) -> usize {
        let line = self.input.line_end(at);
        let mut commas =
            self.input.slice(at, line).match_indices(SEPARATORS).map(|(offset, _)| at + offset);
        let before_key = |comma: &usize| {
            let length = self.input.from(*comma).chars().next().map_or(1, char::len_utf8);
            Key::at(self.input, comma + length, self.tool).is_some_and(|key| {
                key.sign == self.sign && (self.sign == b'=' || key.parameter.is_some())
            })
        };
        commas.find(before_key).unwrap_or(line)
    }

    /// Returns the offset behind a value that ends at `end`, and its separator.
    fn behind(&self, end: usize) -> usize {
        let next = self.input.skip_space(end);
        match self.input.from(next).chars().next() {
            Some(c) if SEPARATORS.contains(&c) => self.input.skip_space(next + c.len_utf8()),
            _ => next,
        }
    }
}

/// Returns whether a program would evaluate `text`, the value of a keyword.
fn is_expression(text: &str, kinds: Kinds) -> bool {
    let calls = text.match_indices('(').any(|(at, _)| {
        text.get(..at).is_some_and(|before| before.ends_with(char::is_alphanumeric))
    });
    calls || (!kinds.has(Kinds::STRING) && text.contains(['*', '/', '+']))
}

/// Returns whether a declared key and its sign stand behind a word of the text.
fn holds_key(input: Input<'_>, span: Span, tool: &Tool) -> bool {
    let within = input.until(span.end);
    let blanks = span.of(input.text).match_indices([' ', '|']);
    blanks.map(|(at, _)| span.start + at + 1).any(|at| {
        Key::at(within, at, tool).is_some_and(|key| {
            let name = key.name.of(input.text);
            key.parameter.is_some_and(|one| one.name == name) && key.name.start == at
        })
    })
}

/// Refuses text that is not the value of one parameter.
pub(crate) fn not_json(span: Span) -> Stop {
    Stop::unreadable(
        "expected arguments as JSON, found text",
        span,
        "Write the arguments as a JSON object.",
    )
}

/// Creates the finding for text that may hold several arguments.
fn one_of_several(parameter: &str, span: Span) -> Diagnostic {
    one_argument(format!("read all of the text as the one argument `{parameter}`"), span)
        .help("Check that it is not several arguments.")
}

/// Creates the finding for text that is read as one argument by a guess.
pub(super) fn one_argument(message: impl Into<String>, span: Span) -> Diagnostic {
    Diagnostic::new("calls/one-argument", Severity::Warning, message).at(span).class(Class::Guess)
}
