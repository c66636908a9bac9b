//! The error for a text that gives no value, with stable codes and advice.

use std::fmt;

use crate::{
    Class, Rule, Span,
    span::{line_column, preview},
};

/// Number of characters of the text that an error about a missing value shows.
pub const PREVIEW_CHARS: usize = 100;

/// The category of an [`Error`], for callers that act on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text is empty or only white space.
    Empty,
    /// The text contains no JSON value.
    NoJson,
    /// The only code block is empty.
    EmptyBlock,
    /// A code block is opened and holds no start of a value.
    UnclosedBlock,
    /// The only JSON is inside the reasoning.
    ReasoningOnly,
    /// The only value found is a part of something larger that cannot be read.
    Part,
    /// A disabled rule would repair the text.
    Refused(Rule),
    /// A value is an expression. Expressions are never computed.
    Expression,
    /// Several readings are equally likely.
    Ambiguous,
    /// A token that no rule can repair.
    Unexpected,
    /// The text ends inside the value, and no rule may complete it.
    UnexpectedEnd,
    /// The repair would discard more than 30 % of the candidate.
    UnsafeDelta,
    /// The class of the repairs, or of the choice of the value, is worse than `max_class`.
    Class(Class),
    /// The value is nested deeper than `max_depth`.
    Depth,
    /// The text is longer than `max_bytes`.
    Bytes,
    /// The text needs more repairs than `max_repairs`.
    Repairs,
    /// The bytes are not UTF-8.
    Utf8,
    /// The value does not match the requested type.
    Shape,
}

impl ErrorKind {
    /// Returns the stable code that reports show.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Empty => "extract/empty",
            Self::NoJson => "extract/no-json",
            Self::EmptyBlock => "extract/empty-block",
            Self::UnclosedBlock => "extract/unclosed-block",
            Self::ReasoningOnly => "extract/reasoning-only",
            Self::Part => "syntax/part",
            Self::Refused(_) => "repair/refused",
            Self::Expression => "syntax/expression",
            Self::Ambiguous => "syntax/ambiguous",
            Self::Unexpected => "syntax/unexpected",
            Self::UnexpectedEnd => "syntax/unexpected-end",
            Self::UnsafeDelta => "repair/unsafe-delta",
            Self::Class(_) => "repair/class",
            Self::Depth => "limit/depth",
            Self::Bytes => "limit/bytes",
            Self::Repairs => "limit/repairs",
            Self::Utf8 => "input/utf8",
            Self::Shape => "value/shape",
        }
    }

    /// Returns advice in one sentence.
    #[must_use]
    pub const fn help(self) -> &'static str {
        match self {
            Self::Empty => "The model wrote nothing: ask again.",
            Self::NoJson => "Ask for JSON only.",
            Self::EmptyBlock => "Ask for the JSON value inside the code block.",
            Self::UnclosedBlock => {
                "The answer was probably cut off: raise the token limit or ask the model to continue."
            }
            Self::ReasoningOnly => "Ask for the final value after the reasoning.",
            Self::Part => "Ask for the whole value, as strict JSON.",
            Self::Refused(_) => "Enable the rule or choose a wider policy.",
            Self::Expression => {
                "Expressions are never computed: ask for a literal or add a step that computes it."
            }
            Self::Ambiguous => "Ask the model to rewrite this part as strict JSON.",
            Self::Unexpected => "Ask the model to correct the JSON here.",
            Self::UnexpectedEnd => {
                "The answer was cut off: raise the token limit or ask the model to continue."
            }
            Self::UnsafeDelta => "Too much text would be lost: ask the model for JSON only.",
            Self::Class(_) => "Ask again, or allow a worse class by `max_class`.",
            Self::Depth => "Raise `max_depth`.",
            Self::Bytes => "Raise `max_bytes`.",
            Self::Repairs => "Check that the text is JSON, or raise `max_repairs`.",
            Self::Utf8 => "Encode the text as UTF-8.",
            Self::Shape => "Compare the value with the requested type.",
        }
    }
}

/// The error for a text that gives no value.
///
/// One word wide: the details are boxed so that results stay small.
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
    /// Creates an error of `kind` at `span` of `text`. An empty `detail` adds nothing to the
    /// message of the kind.
    pub(crate) fn new(kind: ErrorKind, text: &str, span: Option<Span>, detail: &str) -> Self {
        let detail = match kind {
            ErrorKind::NoJson
            | ErrorKind::EmptyBlock
            | ErrorKind::UnclosedBlock
            | ErrorKind::ReasoningOnly => preview(text.trim(), PREVIEW_CHARS).to_owned(),
            ErrorKind::Unexpected => unexpected(text, span, detail),
            _ => detail.to_owned(),
        };
        let place = span.map(|span| line_column(text, span.start));
        Self(Box::new(Inner { kind, span, place, detail }))
    }

    /// Creates an error for a value that does not match the requested type.
    pub(crate) fn shape(detail: String) -> Self {
        Self(Box::new(Inner { kind: ErrorKind::Shape, span: None, place: None, detail }))
    }

    /// Sets the span, and computes line and column from `text`.
    pub(crate) fn located(mut self, text: &str, span: Span) -> Self {
        self.0.span = Some(span);
        self.0.place = Some(line_column(text, span.start));
        self
    }

    /// Moves the location, which is that in a copy, to `text`.
    pub(crate) fn moved(self, text: &str, place: impl FnOnce(Span) -> Span) -> Self {
        match self.0.span {
            Some(span) => self.located(text, place(span)),
            None => self,
        }
    }

    /// Sets the span, line and column.
    pub(crate) fn placed(mut self, span: Span, place: Option<(usize, usize)>) -> Self {
        (self.0.span, self.0.place) = (Some(span), place);
        self
    }

    /// Returns the category.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns the stable code, such as `syntax/expression`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.0.kind.code()
    }

    /// Returns the location in the caller's text in bytes, if known.
    #[must_use]
    pub fn span(&self) -> Option<Span> {
        self.0.span
    }

    /// Returns line and column of the location, both from 1, the column in characters.
    #[must_use]
    pub fn line_column(&self) -> Option<(usize, usize)> {
        self.0.place
    }

    /// Returns the message without the location.
    #[must_use]
    pub fn message(&self) -> String {
        let detail = self.0.detail.as_str();
        let with_preview = |message: &str| match detail {
            "" => message.to_owned(),
            _ => format!("{message} (text starts with \"{detail}\")"),
        };
        let with_detail = |message: &str| match detail {
            "" => message.to_owned(),
            _ => format!("{message}: {detail}"),
        };
        match self.0.kind {
            ErrorKind::Empty => "the text is empty".to_owned(),
            ErrorKind::NoJson => with_preview("no JSON value found"),
            ErrorKind::EmptyBlock => {
                with_preview("expected a JSON value, found an empty code block")
            }
            ErrorKind::UnclosedBlock => {
                with_preview("expected a JSON value, found the end of the text in a code block")
            }
            ErrorKind::ReasoningOnly => {
                with_preview("expected a JSON value after the reasoning, found one only inside it")
            }
            ErrorKind::Part => with_detail("the value found is a part of something larger"),
            ErrorKind::Refused(rule) => {
                with_detail(&format!("rule `{rule}` would repair this but is disabled"))
            }
            ErrorKind::Expression => with_detail("expected a literal, found an expression"),
            ErrorKind::Ambiguous if detail.is_empty() => {
                "ambiguous: several readings are equally likely".to_owned()
            }
            ErrorKind::Ambiguous => with_detail("ambiguous"),
            ErrorKind::Unexpected => format!("unexpected {detail}"),
            ErrorKind::UnexpectedEnd => with_detail("unexpected end of text"),
            ErrorKind::UnsafeDelta => format!("the repair would discard {detail}"),
            ErrorKind::Class(class) => {
                with_detail(&format!("class `{class}` is worse than `max_class` allows"))
            }
            ErrorKind::Depth => with_detail("the value is nested deeper than `max_depth`"),
            ErrorKind::Bytes => with_detail("the text is longer than `max_bytes`"),
            ErrorKind::Repairs => with_detail("the text needs more repairs than `max_repairs`"),
            ErrorKind::Utf8 => "invalid UTF-8".to_owned(),
            ErrorKind::Shape => with_detail("the value does not match the requested type"),
        }
    }
}

/// Returns what was found at `span`, and what was expected there if `expected` says so.
fn unexpected(text: &str, span: Option<Span>, expected: &str) -> String {
    let rest = span.and_then(|span| text.get(span.start..));
    let mut out = match rest.map(|rest| rest.chars().next()) {
        Some(Some(c)) if c.is_control() || c.is_whitespace() => format!("`{}`", c.escape_debug()),
        Some(Some(c)) => format!("`{c}`"),
        Some(None) => "end of text".to_owned(),
        None => "text".to_owned(),
    };
    if !expected.is_empty() {
        out.push_str(", ");
        out.push_str(expected);
    }
    out
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
