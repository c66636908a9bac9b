//! Why could no value be had?

use std::fmt;

use crate::{
    Rule, Span,
    span::{line_column, preview},
};

/// Characters of the text that an error about a missing value shows (S4-11, S4-29).
pub const PREVIEW_CHARS: usize = 100;

/// What went wrong, for callers that act on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Nothing but white space.
    Empty,
    /// No candidate for a value.
    NoJson,
    /// A fence with nothing in it.
    EmptyBlock,
    /// A fence that opens and holds nothing that begins a value.
    UnclosedBlock,
    /// JSON stands only inside reasoning.
    ReasoningOnly,
    /// A rule that is switched off would have been needed.
    Refused(Rule),
    /// An operator between operands: it is never computed.
    Expression,
    /// More than one reading, and none that clearly wins.
    Ambiguous,
    /// The text does not go on as JSON there.
    Unexpected,
    /// The text ends before the value does, and no rule may complete it.
    UnexpectedEnd,
    /// More than 30 % of the candidate would have been lost.
    UnsafeDelta,
    /// Nested deeper than the limit.
    Depth,
    /// More bytes than the limit.
    Bytes,
    /// More repairs than the limit.
    Repairs,
    /// The bytes are not UTF-8.
    Utf8,
    /// The value does not fit the type that was asked for.
    Shape,
}

impl ErrorKind {
    /// The stable code, as reports and outside tools see it.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Empty => "extract/empty",
            Self::NoJson => "extract/no-json",
            Self::EmptyBlock => "extract/empty-block",
            Self::UnclosedBlock => "extract/unclosed-block",
            Self::ReasoningOnly => "extract/reasoning-only",
            Self::Refused(_) => "repair/refused",
            Self::Expression => "syntax/expression",
            Self::Ambiguous => "syntax/ambiguous",
            Self::Unexpected => "syntax/unexpected",
            Self::UnexpectedEnd => "syntax/unexpected-end",
            Self::UnsafeDelta => "repair/unsafe-delta",
            Self::Depth => "limit/depth",
            Self::Bytes => "limit/bytes",
            Self::Repairs => "limit/repairs",
            Self::Utf8 => "input/utf8",
            Self::Shape => "value/shape",
        }
    }

    /// What the reader can do about it, in one sentence.
    #[must_use]
    pub const fn help(self) -> &'static str {
        match self {
            Self::Empty => "Ask the model again: it wrote nothing.",
            Self::NoJson => "Ask for a raw JSON value, with no words around it.",
            Self::EmptyBlock => "Ask the model to put the JSON value inside the code block.",
            Self::UnclosedBlock => {
                "The answer was probably cut off: raise the token limit, or ask the model to go on."
            }
            Self::ReasoningOnly => "Ask for the final value after the reasoning.",
            Self::Refused(_) => "Switch the rule on, or choose a wider policy.",
            Self::Expression => {
                "Expressions are never computed: ask for a literal, or for a step that computes it."
            }
            Self::Ambiguous => "Ask the model to write this part again as strict JSON.",
            Self::Unexpected => "Ask the model to correct the JSON at this place.",
            Self::UnexpectedEnd => {
                "The answer was cut off: raise the token limit, or ask the model to go on."
            }
            Self::UnsafeDelta => {
                "Too much of the text would have been dropped: ask the model for JSON alone."
            }
            Self::Depth => "Raise `max_depth` if nesting this deep is meant.",
            Self::Bytes => "Raise `max_bytes` if a text this long is meant.",
            Self::Repairs => "The text is probably not JSON at all.",
            Self::Utf8 => "Decode the bytes to UTF-8 first.",
            Self::Shape => "Compare the value with the type that is asked for.",
        }
    }
}

/// No value could be had. One word wide: the details are behind a box, so that the `Ok` side of
/// a result stays small.
#[derive(Clone, PartialEq, Eq)]
pub struct Error(Box<Inner>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Inner {
    kind: ErrorKind,
    span: Option<Span>,
    place: Option<(usize, usize)>,
    detail: String,
}

impl Error {
    /// An error of `kind` at `span` of `text`, with `detail` in place of the kind's own sentence
    /// where it is not empty.
    #[must_use]
    pub(crate) fn new(kind: ErrorKind, text: &str, span: Option<Span>, detail: &str) -> Self {
        let detail = match kind {
            ErrorKind::NoJson
            | ErrorKind::EmptyBlock
            | ErrorKind::UnclosedBlock
            | ErrorKind::ReasoningOnly => preview(text.trim(), PREVIEW_CHARS).to_owned(),
            _ => detail.to_owned(),
        };
        let place = span.map(|span| line_column(text, span.start));
        Self(Box::new(Inner { kind, span, place, detail }))
    }

    /// A value that does not fit the type that was asked for.
    pub(crate) fn shape(detail: String) -> Self {
        Self(Box::new(Inner { kind: ErrorKind::Shape, span: None, place: None, detail }))
    }

    /// The same error with its place worked out in `text`, at `span`.
    pub(crate) fn located(mut self, text: &str, span: Span) -> Self {
        self.0.span = Some(span);
        self.0.place = Some(line_column(text, span.start));
        self
    }

    /// The same error with its place told by somebody who knows more of the text.
    pub(crate) fn placed(mut self, span: Span, place: Option<(usize, usize)>) -> Self {
        (self.0.span, self.0.place) = (Some(span), place);
        self
    }

    /// What went wrong.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The stable code, such as `syntax/expression`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.0.kind.code()
    }

    /// Where in the caller's text, in bytes, if it is about a place.
    #[must_use]
    pub fn span(&self) -> Option<Span> {
        self.0.span
    }

    /// Line and column of the place, both from 1, the column in characters.
    #[must_use]
    pub fn line_column(&self) -> Option<(usize, usize)> {
        self.0.place
    }

    /// The sentence without the place.
    #[must_use]
    pub fn message(&self) -> String {
        let mut out = match self.0.kind {
            ErrorKind::Empty => "the text is empty".to_owned(),
            ErrorKind::NoJson => "no JSON value was found in the text".to_owned(),
            ErrorKind::EmptyBlock => "the text has a code block, but it is empty".to_owned(),
            ErrorKind::UnclosedBlock => {
                "the text opens a code block, but ends before a JSON value begins".to_owned()
            }
            ErrorKind::ReasoningOnly => {
                "the only JSON in the text stands inside the reasoning, none after it".to_owned()
            }
            ErrorKind::Refused(rule) => {
                format!("the rule `{}` would mend this, but it is switched off", rule.name())
            }
            ErrorKind::Expression => "a value is an expression, not a literal".to_owned(),
            ErrorKind::Ambiguous => "there are several readings, and none clearly wins".to_owned(),
            ErrorKind::Unexpected => "the text does not go on as JSON here".to_owned(),
            ErrorKind::UnexpectedEnd => "the text ends before its value does".to_owned(),
            ErrorKind::UnsafeDelta => {
                "the repair would drop more than it may: unsafe repair delta".to_owned()
            }
            ErrorKind::Depth => "the value is nested deeper than the limit".to_owned(),
            ErrorKind::Bytes => "the text is longer than the limit".to_owned(),
            ErrorKind::Repairs => "the text needs more repairs than the limit".to_owned(),
            ErrorKind::Utf8 => "the bytes are not UTF-8".to_owned(),
            ErrorKind::Shape => "the value does not have the shape that was asked for".to_owned(),
        };
        if !self.0.detail.is_empty() {
            out.push_str(match self.0.kind {
                ErrorKind::NoJson
                | ErrorKind::EmptyBlock
                | ErrorKind::UnclosedBlock
                | ErrorKind::ReasoningOnly => "; its first characters are: ",
                _ => ": ",
            });
            out.push_str(&self.0.detail);
        }
        out
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message())?;
        if let Some((line, column)) = self.0.place {
            write!(f, " (line {line}, column {column})")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Error({}: {self})", self.code())
    }
}

impl std::error::Error for Error {}
