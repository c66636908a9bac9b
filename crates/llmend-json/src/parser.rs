//! The recovering parser, with an explicit stack.
//!
//! [`Parser::run`] is the whole grammar: a switch over what may come next. Strict JSON is handled
//! by its fast paths (see [`strict`]). Every deviation goes to a cold function in the file of its
//! construct, which consults a judgment (see [`crate::judge`]), records its repair in the [`log`],
//! and continues.
//!
//! The parser keeps its position in the text. A step that needs bytes that have not arrived is
//! undone: the parser stops with [`Flow::More`] at the start of the token, and continues when
//! called with a longer window (see [`resume`]).

use crate::{
    EmphasisInValues, ErrorKind, Rule, Span,
    options::Settings,
    sink::{Container, Literal, Sink},
};

mod after;
mod bare;
mod block;
mod budget;
mod closer;
mod colon;
mod comma;
mod cut;
pub(crate) mod escape;
mod inside;
mod join;
mod key;
mod keyed;
mod layout;
mod log;
mod parenthesis;
mod quick;
pub(crate) mod quote;
mod resume;
mod scalar;
pub(crate) mod space;
mod state;
mod strict;
mod string;
mod string_token;
pub(crate) mod trivia;
pub(crate) mod window;

pub(crate) use budget::Budget;
pub(crate) use log::Log;
pub(crate) use quote::Delimiter;
pub(crate) use resume::Checkpoint;
use resume::PendingStep;
pub(crate) use state::{Deviation, Flow, Frame, GrammarState, Opened, Stop, ValueStats, parent};
pub(crate) use strict::{closes, content, starts_value};
pub(crate) use trivia::Spacing;
pub(crate) use window::{Window, is_separator, is_space, plain_run};

/// The recovering parser.
#[expect(clippy::struct_excessive_bools, reason = "independent observations")]
pub(crate) struct Parser<'o> {
    pub(crate) options: Settings<'o>,
    /// Options needed by strict tokens.
    max_depth: usize,
    emphasis_in_values: EmphasisInValues,
    pub(crate) stack: Vec<Frame>,
    pub(crate) state: GrammarState,
    /// Start of the next token.
    pub(crate) at: usize,
    /// End of the last token that belongs to the value.
    pub(crate) last_end: usize,
    /// The comma before the awaited key or item.
    pub(crate) comma: Option<Span>,
    pub(crate) log: Log,
    /// Where the text was cut off.
    pub(crate) cut: Option<usize>,
    pub(crate) stats: ValueStats,
    /// What counts as white space between tokens.
    pub(crate) spacing: Spacing,
    /// Work budget of the judgments.
    pub(crate) budget: Budget,
    /// Content of the current token after repairs.
    pub(crate) scratch: String,
    /// Start of the value.
    pub(crate) start: usize,
    /// Where the text is cut if the current member has no value.
    pub(crate) member: usize,
    /// The mark behind the key that is removed with the one before it: Markdown emphasis, or a bracket.
    pub(crate) around_key: Option<(Rule, Span)>,
    /// Start of the prefix of the current string.
    pub(crate) prefix: Option<usize>,
    /// Whether a string contained unescaped quotes.
    pub(crate) inner_quotes: bool,
    /// Whether a colon was missing.
    pub(crate) lacks_colons: bool,
    /// Whether a string contained a formula with unescaped backslashes.
    pub(crate) formulas: bool,
    /// Whether a string contained other unescaped backslashes.
    pub(crate) backslashes: bool,
    /// Whether a string was a path with unescaped backslashes.
    pub(crate) paths: bool,
    /// Whether the rest of the value was searched for such strings.
    pub(crate) looked_ahead: bool,
    /// Whether an underscore in a string or a bracket between tokens was escaped as in Markdown, so that its
    /// other signs are in strings, too.
    pub(crate) markdown: bool,
    /// Whether adjacent literals of a member were joined, as Python does.
    pub(crate) joins_beside: bool,
    /// Closing parentheses around the current value, the outermost first.
    pub(crate) parentheses: Vec<usize>,
    /// The position before the step that failed.
    pub(crate) failed: Option<Checkpoint>,
    /// State of a step that waits for more text.
    pending: PendingStep,
    /// Number of closing brackets missing, counted at the first dedent.
    missing_closers: Option<usize>,
}

impl<'o> Parser<'o> {
    /// Creates a parser that reads one value from `at` on.
    pub(crate) fn new(options: &Settings<'o>, at: usize) -> Self {
        Self {
            options: options.clone(),
            max_depth: options.max_depth,
            emphasis_in_values: options.emphasis,
            stack: Vec::with_capacity(16),
            state: GrammarState::Value,
            at,
            last_end: at,
            comma: None,
            log: Log::new(options),
            cut: None,
            stats: ValueStats::default(),
            spacing: Spacing::Plain,
            budget: Budget::new(at),
            scratch: String::new(),
            start: at,
            member: at,
            around_key: None,
            prefix: None,
            inner_quotes: false,
            lacks_colons: false,
            formulas: false,
            backslashes: false,
            paths: false,
            looked_ahead: false,
            markdown: false,
            joins_beside: false,
            parentheses: Vec::new(),
            failed: None,
            pending: PendingStep::default(),
            missing_closers: None,
        }
    }

    /// Starts inside an object whose opening brace is missing.
    pub(crate) fn unbraced(&mut self, sink: &mut dyn Sink) {
        sink.open(Container::Object, self.at);
        self.stack.push(Frame { start: self.at, ..Frame::new(Container::Object, Opened::Nothing) });
        self.state = GrammarState::FirstKey;
    }

    /// Returns the kind of the innermost open container.
    #[inline]
    pub(crate) fn top(&self) -> Option<Container> {
        self.stack.last().map(|frame| frame.kind)
    }

    /// Parses until the value is complete or the window is exhausted.
    pub(crate) fn run<S: Sink>(&mut self, window: &Window<'_>, sink: &mut S) -> Result<Flow, Stop> {
        if self.pending.is_too_early(window) {
            return Ok(Flow::More);
        }
        while self.state != GrammarState::Done {
            let at = window.skip_space(self.at);
            self.at = at;
            let Some(byte) = window.byte(at) else {
                if !window.at_end {
                    return Ok(Flow::More);
                }
                let before = self.checkpoint();
                self.end_of_text(sink).inspect_err(|_| self.failed = Some(before))?;
                break;
            };
            let step = match self.state {
                GrammarState::Value | GrammarState::Item | GrammarState::FirstItem => {
                    self.value(window, byte, sink)
                }
                GrammarState::Key | GrammarState::FirstKey => self.key(window, byte, sink),
                GrammarState::After | GrammarState::Done => self.after(window, byte, sink),
            };
            match step {
                Flow::Done => {}
                Flow::Deviation(deviation) if window.at_end => {
                    self.recover(deviation, window, sink)?;
                }
                Flow::Deviation(deviation) => {
                    if self.recover_if_certain(deviation, window, sink)? == Flow::More {
                        return Ok(Flow::More);
                    }
                }
                Flow::More => {
                    self.pending.postpone_strict(window, self.at);
                    return Ok(Flow::More);
                }
            }
        }
        Ok(Flow::Done)
    }

    /// Recovers from a deviation from strict JSON.
    #[cold]
    fn recover(
        &mut self,
        deviation: Deviation,
        window: &Window<'_>,
        sink: &mut dyn Sink,
    ) -> Result<(), Stop> {
        if self.budget.left == 0 {
            return Err(Stop::new(
                ErrorKind::Ambiguous,
                Span::at(self.at),
                "too much of the text is unclear",
            ));
        }
        self.budget.reach(self.at);
        let byte = window.byte(self.at).unwrap_or_default();
        let before = self.checkpoint();
        let outcome = match deviation {
            Deviation::Braces => self.second_brace(window, sink),
            Deviation::String => self.recover_string(window, sink),
            Deviation::Value => self.recover_value(window, byte, sink),
            Deviation::Key => self.recover_key(window, byte, sink),
            Deviation::After => self.recover_after(window, byte, sink),
            Deviation::Closer => self.recover_closer(window, byte, 1, sink),
            Deviation::Outermost => self.outermost(window, sink),
            Deviation::Early => self.early(window, sink),
            Deviation::Dedent => self.dedent(window, sink),
            Deviation::Row => self.row(window, sink),
            Deviation::Depth => Err(Stop::new(ErrorKind::Depth, Span::at(self.at), "")),
        };
        outcome.map_err(|stop| {
            self.failed = Some(before);
            stop.expecting(before.at, before.state.expected(before.top))
        })
    }

    /// Parses a value that starts with `byte`.
    #[inline]
    fn value<S: Sink>(&mut self, window: &Window<'_>, byte: u8, sink: &mut S) -> Flow {
        match byte {
            b'"' => self.quoted_value(window, sink),
            b'{' => match window.byte(self.at + 1) {
                Some(b'{') => Flow::Deviation(Deviation::Braces),
                None if !window.at_end => Flow::More,
                _ => self.strict_opening(Container::Object, sink),
            },
            b'[' if self.is_after_scalar(window) => Flow::Deviation(Deviation::Row),
            b'[' => self.strict_opening(Container::Array, sink),
            b'-' | b'0'..=b'9' => self.number(window, sink),
            b't' if window.starts_with(self.at, b"true") => {
                self.literal(window, Literal::True, 4, sink)
            }
            b'f' if window.starts_with(self.at, b"false") => {
                self.literal(window, Literal::False, 5, sink)
            }
            b'n' if window.starts_with(self.at, b"null") => {
                self.literal(window, Literal::Null, 4, sink)
            }
            b']' if self.state == GrammarState::FirstItem
                && self.top() == Some(Container::Array) =>
            {
                self.strict_closing(window, byte, sink)
            }
            _ => Flow::Deviation(Deviation::Value),
        }
    }

    /// Parses a key that starts with `byte`.
    #[inline]
    fn key<S: Sink>(&mut self, window: &Window<'_>, byte: u8, sink: &mut S) -> Flow {
        if let Some(key) = self.scan_key(window, self.at) {
            if self.is_dedent(self.gap()) {
                return Flow::Deviation(Deviation::Dedent);
            }
            self.member = self.last_end;
            self.strict_key(window, key, sink);
            return Flow::Done;
        }
        if byte == b'}' && self.state == GrammarState::FirstKey && !self.opened(Opened::Nothing) {
            return self.strict_closing(window, byte, sink);
        }
        Flow::Deviation(Deviation::Key)
    }

    /// Advances past a strict key and its colon, which end at `end`.
    #[inline]
    pub(crate) fn complete_key(&mut self, end: usize) {
        self.stats.members += 1;
        self.stats.solid += 1;
        self.comma = None;
        self.last_end = end;
        self.at = end;
        self.state = GrammarState::Value;
    }

    /// Handles `byte` after a complete value.
    #[inline]
    fn after<S: Sink>(&mut self, window: &Window<'_>, byte: u8, sink: &mut S) -> Flow {
        match (byte, self.top()) {
            (b',', Some(top)) => {
                self.take_comma(top, Span::new(self.at, self.at + 1));
                Flow::Done
            }
            (b'}' | b']', Some(_)) => self.strict_closing(window, byte, sink),
            _ => Flow::Deviation(Deviation::After),
        }
    }

    /// Advances past the comma at `at`, if there is one after a complete value.
    #[inline(always)]
    pub(crate) fn comma_at(&mut self, window: &Window<'_>, at: usize) {
        if let (Some(b','), Some(top)) = (window.byte(at), self.top()) {
            self.take_comma(top, Span::new(at, at + 1));
        }
    }

    /// Advances past a comma.
    #[inline]
    pub(crate) fn take_comma(&mut self, top: Container, comma: Span) {
        self.comma = Some(comma);
        self.at = comma.end;
        self.state = match top {
            Container::Object => GrammarState::Key,
            Container::Array => GrammarState::Item,
        };
    }

    /// Opens a container whose bracket ends at `end`, unless the nesting is too deep.
    pub(crate) fn open(
        &mut self,
        kind: Container,
        opened: Opened,
        end: usize,
        sink: &mut dyn Sink,
    ) -> Result<(), Stop> {
        if self.stack.len() >= self.max_depth {
            return Err(Stop::new(ErrorKind::Depth, Span::at(self.at), ""));
        }
        self.opening(kind, opened, end, sink);
        Ok(())
    }

    #[inline]
    fn opening<S: Sink + ?Sized>(
        &mut self,
        kind: Container,
        opened: Opened,
        end: usize,
        sink: &mut S,
    ) {
        sink.open(kind, self.at);
        self.note_item();
        self.stack.push(Frame { start: end, ..Frame::new(kind, opened) });
        self.comma = None;
        self.log.commit();
        self.at = end;
        self.last_end = end;
        self.state = match kind {
            Container::Object => GrammarState::FirstKey,
            Container::Array => GrammarState::FirstItem,
        };
    }

    /// Closes the innermost container. Its bracket ends at `end`.
    #[inline]
    pub(crate) fn close<S: Sink + ?Sized>(&mut self, end: usize, sink: &mut S) {
        self.stack.pop();
        sink.close(end);
        self.finished(end);
        self.stats.scalars -= 1;
    }

    /// Completes a value that ends at `end`.
    #[inline]
    pub(crate) fn finished(&mut self, end: usize) {
        self.at = end;
        self.last_end = end;
        self.comma = None;
        self.stats.scalars += 1;
        self.log.commit();
        self.state = if self.stack.is_empty() { GrammarState::Done } else { GrammarState::After };
    }

    /// Returns the offset before which text is no longer needed, apart from a line or two.
    pub(crate) fn needs_from(&self) -> usize {
        self.comma.map_or(self.last_end, |comma| comma.start).min(self.last_end).min(self.at)
    }

    /// Returns whether the innermost container was opened this way.
    pub(crate) fn opened(&self, way: Opened) -> bool {
        self.stack.last().is_some_and(|frame| frame.opened == way)
    }

    /// Records a repair, if its rule is allowed.
    pub(crate) fn edit(
        &mut self,
        rule: Rule,
        start: usize,
        end: usize,
        replacement: impl Into<std::borrow::Cow<'static, str>>,
    ) -> Result<(), Stop> {
        self.log.record(rule, Span::new(start, end), replacement.into())
    }
}
