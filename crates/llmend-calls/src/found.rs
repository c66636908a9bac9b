//! Results of the grammars: names and arguments, not yet matched with the tools.

use std::borrow::Cow;

use llmend_json::{Builder, Class, Diagnostic, Repair, Rule, Severity, Span, Value};

use crate::{Notation, Options, evidence::Doubt, notation::Family, tools::Tools};

/// What a grammar knows besides the text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context<'c> {
    pub(crate) tools: &'c Tools,
    pub(crate) options: &'c Options,
}

/// A call as it was read.
#[derive(Clone, Debug)]
pub(crate) struct Found<'t> {
    pub(crate) name: Cow<'t, str>,
    pub(crate) arguments: Arguments,
    pub(crate) id: Option<String>,
    pub(crate) span: Span,
    pub(crate) repairs: Vec<Repair>,
    /// Class of the reading besides the repairs.
    pub(crate) class: Option<Class>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Why the arguments cannot be read, among calls that can.
    pub(crate) unreadable: Option<Box<Diagnostic>>,
    /// Whether the text names both the function and the arguments, as only calls do.
    pub(crate) explicit: bool,
    /// Whether members that no call has stand beside it.
    pub(crate) beside: bool,
}

/// The arguments of a call, with the offset of their text.
#[derive(Clone, Debug)]
pub(crate) struct Arguments {
    pub(crate) value: Value<'static>,
    pub(crate) span: Span,
}

impl Arguments {
    /// Returns the empty object at `at`.
    pub(crate) fn empty(at: usize) -> Self {
        let mut builder = Builder::of_text("");
        builder.begin_object(Span::at(0));
        builder.end();
        Self::built(builder, Span::at(at))
    }

    /// Returns what `builder` has built from the text at `span`.
    pub(crate) fn built(builder: Builder<'_>, span: Span) -> Self {
        let value = builder.finish().unwrap_or_else(|| {
            let mut builder = Builder::of_text("");
            builder.null(Span::at(0));
            builder.finish().unwrap_or_else(unreachable_value)
        });
        Self { value, span }
    }
}

/// A builder that has written one null has a value.
fn unreachable_value() -> Value<'static> {
    unreachable!("one value was written")
}

/// Calls that a grammar has read.
#[derive(Clone, Debug)]
pub(crate) struct Body<'t> {
    pub(crate) calls: Vec<Found<'t>>,
    pub(crate) end: usize,
    pub(crate) family: Family,
    /// The notation, where the text itself tells it.
    pub(crate) notation: Option<&'static Notation>,
    /// Whether only calls look like this: `tool_calls`, `"type": "tool_use"`.
    pub(crate) envelope: bool,
    /// Whether the text is cut off behind the calls.
    pub(crate) is_cut: bool,
}

impl<'t> Body<'t> {
    pub(crate) fn new(family: Family, calls: Vec<Found<'t>>, end: usize) -> Self {
        Self { calls, end, family, notation: None, envelope: false, is_cut: false }
    }
}

impl<'t> Found<'t> {
    pub(crate) fn new(name: impl Into<Cow<'t, str>>, arguments: Arguments, span: Span) -> Self {
        Self {
            name: name.into(),
            arguments,
            id: None,
            span,
            repairs: Vec::new(),
            class: None,
            diagnostics: Vec::new(),
            unreadable: None,
            explicit: true,
            beside: false,
        }
    }

    /// Makes arguments without a name unreadable: no tool can be meant, and no form is to be filled
    /// in.
    pub(crate) fn refuse_without_name(&mut self) {
        let arguments = self.arguments.value.root();
        if self.name.trim().is_empty() && self.unreadable.is_none() && !arguments.is_empty() {
            let message = "expected the name of a tool, found none";
            let row = Diagnostic::new("calls/unreadable", Severity::Error, message)
                .at(self.span)
                .help("Write the name of an offered tool.");
            (self.name, self.unreadable) = (Cow::Borrowed(""), Some(Box::new(row)));
        }
    }

    /// Makes the call a guess.
    pub(crate) fn doubt(&mut self, doubt: Doubt) {
        self.class = self.class.max(Some(Class::Guess));
        let row = Diagnostic::new("calls/unmarked", Severity::Warning, doubt.reason())
            .at(self.span)
            .class(Class::Guess)
            .help("Check that it was meant.");
        self.diagnostics.push(row);
    }
}

/// Records a repair that a grammar made.
pub(crate) fn repair(rule: Rule, span: Span, replacement: impl Into<Cow<'static, str>>) -> Repair {
    Repair { rule, span, replacement: replacement.into() }
}

/// Creates the remark on what stood around the arguments.
pub(crate) fn unwrapped(frame: &str, span: Span) -> Diagnostic {
    let message = format!("read the arguments inside of {frame}");
    Diagnostic::new("calls/unwrapped", Severity::Info, message).at(span)
}
