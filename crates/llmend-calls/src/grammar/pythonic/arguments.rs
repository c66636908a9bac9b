//! The arguments of a call, in parentheses.

use llmend_json::{Builder, Diagnostic, Repair, Rule, Span};

use super::unquoted;
use crate::{
    found::{Arguments, Context, Found, repair},
    grammar::literal::{self, Literals},
    input::{Input, Read, Stop},
    tools::{Kinds, Parameter, Tool},
};

/// A reader of the arguments of one call.
pub(super) struct Reader<'c, 't> {
    input: Input<'t>,
    /// The name, as it is written.
    written: &'t str,
    tool: Option<&'c Tool>,
    /// Whether tools were given.
    are_given: bool,
    /// Offset of the opening parenthesis.
    open: usize,
    builder: Builder<'t>,
    repairs: Vec<Repair>,
    diagnostics: Vec<Diagnostic>,
    /// Number of arguments without a name.
    position: usize,
}

impl<'c, 't> Reader<'c, 't> {
    pub(super) fn new(
        input: Input<'t>,
        written: &'t str,
        tool: Option<&'c Tool>,
        open: usize,
        context: Context<'c>,
    ) -> Self {
        let mut builder = Builder::of_text(input.slice(open, open));
        builder.begin_object(Span::at(0));
        Self {
            input,
            written,
            tool,
            are_given: context.tools.are_given(),
            open,
            builder,
            repairs: Vec::new(),
            diagnostics: Vec::new(),
            position: 0,
        }
    }

    /// Reads the arguments of the call that begins at `start`. Returns the call and its end.
    pub(super) fn read(mut self, start: usize) -> Read<(Found<'t>, usize)> {
        let input = self.input;
        let mut next = self.open + 1;
        loop {
            next = input.skip_space(next);
            next = match input.need(next)? {
                b')' => break,
                b',' => next + 1,
                b'#' => input.line_end(next),
                b'{' if self.position == 0 => match self.only_object(next, start)? {
                    Some(read) => return Ok(read),
                    None => self.argument(next)?,
                },
                _ => self.argument(next)?,
            };
        }
        self.builder.end();
        let end = next + 1;
        let arguments = Arguments::built(self.builder, Span::new(self.open, end));
        let mut found = Found::new(self.written, arguments, Span::new(start, end));
        found.class = literal::class(&self.repairs);
        found.repairs = self.repairs;
        found.diagnostics = self.diagnostics;
        found.explicit = self.position == 0;
        Ok((found, end))
    }

    /// Reads an object at `at` that holds all arguments, as in JavaScript.
    fn only_object(&self, at: usize, start: usize) -> Read<Option<(Found<'t>, usize)>> {
        let Some((arguments, repairs, end)) = object(self.input, at, self.tool)? else {
            return Ok(None);
        };
        let close = self.input.skip_space(end);
        if self.input.need(close)? != b')' {
            return Ok(None);
        }
        let mut found = Found::new(self.written, arguments, Span::new(start, close + 1));
        found.class = literal::class(&repairs);
        found.repairs = repairs;
        Ok(Some((found, close + 1)))
    }

    /// Reads the argument at `at`, and returns its end.
    fn argument(&mut self, at: usize) -> Read<usize> {
        let tool = self.tool;
        if let Some((key, value)) = keyword(self.input, at)? {
            let text = key.of(self.input.text);
            self.builder.key(text, self.place(key));
            return self.value(value, tool.and_then(|tool| tool.near_parameter(text)));
        }
        let parameter = tool.and_then(|tool| tool.parameters.get(self.position));
        self.position += 1;
        let place = self.place(Span::at(at));
        match parameter {
            Some(parameter) => self.builder.key(&parameter.name, place),
            // The tool is unknown, and the call refused for that.
            None if tool.is_none() && self.are_given => {
                self.builder.key(&self.position.to_string(), place);
            }
            None => {
                return Err(Stop::unreadable(
                    format!("argument {} of `{}` has no name", self.position, self.written),
                    Span::new(at, at + 1),
                    "Write the arguments with their names.",
                ));
            }
        }
        self.value(at, parameter)
    }

    /// Reads the value at `at`, and returns its end.
    fn value(&mut self, at: usize, parameter: Option<&Parameter>) -> Read<usize> {
        let input = self.input;
        let written = self.builder.written();
        let mut literals = Literals {
            input,
            builder: &mut self.builder,
            base: self.open,
            repairs: &mut self.repairs,
        };
        let row = match literals.read(at) {
            Err(Stop::Unreadable(row)) => row,
            end => return end,
        };
        let takes_text = parameter.is_some_and(|one| one.kinds.has(Kinds::STRING));
        let is_listed = |text: &str| {
            let lists = |(tool, one): (&Tool, &Parameter)| tool.lists(&one.name, text);
            self.tool.zip(parameter).is_some_and(lists)
        };
        let Some(span) = unquoted::find(input, at, is_listed).filter(|_| takes_text) else {
            return Err(Stop::Unreadable(row));
        };
        self.builder.rewind(&written);
        let text = span.of(input.text);
        self.builder.string(text, self.place(span));
        self.repairs.push(repair(Rule::BareString, span, format!("\"{text}\"")));
        self.diagnostics.push(unquoted::finding(text, span));
        Ok(span.end)
    }

    fn place(&self, span: Span) -> Span {
        Span::new(span.start - self.open, span.end - self.open)
    }
}

/// Returns the name of a keyword argument at `at`, and the offset of its value.
fn keyword(input: Input<'_>, at: usize) -> Read<Option<(Span, usize)>> {
    let quoted = matches!(input.byte(at), Some(b'"' | b'\'' | b'[' | b'{' | b'('));
    if quoted {
        return Ok(None);
    }
    let Some(word) = input.name(at)? else { return Ok(None) };
    let equals = input.skip_space(word.end);
    match input.need(equals)? {
        b'=' if input.need(equals + 1)? != b'=' => Ok(Some((word, equals + 1))),
        b':' => Ok(Some((word, equals + 1))),
        _ => Ok(None),
    }
}

/// Reads an object at `at` that holds all arguments, as in JavaScript.
fn object(
    input: Input<'_>,
    at: usize,
    tool: Option<&Tool>,
) -> Read<Option<(Arguments, Vec<llmend_json::Repair>, usize)>> {
    let mut builder = Builder::of_text("");
    let mut repairs = Vec::new();
    let mut literals = Literals { input, builder: &mut builder, base: at, repairs: &mut repairs };
    let end = literals.read(at)?;
    let arguments = Arguments::built(builder, Span::new(at, end));
    let root = arguments.value.root();
    let fits = tool.is_none_or(|tool| {
        let first = tool.parameters.first();
        let takes_object =
            first.is_some_and(|first| first.kinds != Kinds::ANY && first.kinds.has(Kinds::OBJECT));
        !takes_object || tool.takes(root.members().filter_map(|(key, _)| key.str()))
    });
    Ok(fits.then_some((arguments, repairs, end)))
}
