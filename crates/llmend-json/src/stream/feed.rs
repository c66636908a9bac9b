//! Chunked input.

use std::sync::Arc;

use crate::{
    Choice, Class, Error, ErrorKind, OnBadItem, Options, Repair, Span,
    extract::{Attempt, Build, INITIAL_CAPACITY, Scan, Surroundings, capture, choice::Selection},
    limits, line_column,
    options::Settings,
    parser::{Stop, Window, is_space},
    pipeline::{self, DeliveredRepairs, ReadOutcome},
    retry_threshold::RetryThreshold,
    stream::follow::Follow,
};

/// Bytes of text kept for looking back: a line or two.
const BEHIND: usize = 1 << 10;
/// Minimum number of bytes dropped at once, so that the rest is not moved for each byte.
const PIECE: usize = 1 << 16;

/// A text that arrives in chunks, and the scan that follows it.
pub(super) struct Feed<B: Build> {
    pub(super) scan: Scan<'static, B>,
    /// The text so far, in whole characters, without what was dropped.
    pub(super) text: String,
    dropped: Dropped,
    /// Bytes of an incomplete character.
    half: Vec<u8>,
    options: Arc<Options>,
    /// Number of bytes that have arrived.
    bytes: usize,
    delivered: DeliveredRepairs,
    fault: Option<Fault>,
    frame: Frame,
    retry: RetryThreshold,
}

/// Whether the text may be a captured stream, all of which is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Frame {
    Unknown,
    Possible,
    None,
}

/// Summary of the dropped text.
#[derive(Clone, Copy, Debug, Default)]
struct Dropped {
    bytes: usize,
    lines: usize,
    /// Characters after the last line break.
    column: usize,
    /// Whether there was other text than white space before and after the value.
    surroundings: Surroundings,
}

/// Why reading stopped.
enum Fault {
    /// Invalid UTF-8 at this offset.
    Utf8(usize),
    /// A limit was reached, or the chosen value is invalid.
    Stop(Stop),
}

impl<B: Build> Feed<B> {
    pub(super) fn new(options: Options) -> Self {
        let options = Arc::new(options);
        Self {
            scan: Scan::new(Settings::Shared(Arc::clone(&options)), INITIAL_CAPACITY),
            text: String::new(),
            dropped: Dropped::default(),
            half: Vec::new(),
            options,
            bytes: 0,
            delivered: DeliveredRepairs::default(),
            fault: None,
            frame: Frame::Unknown,
            retry: RetryThreshold::default(),
        }
    }

    /// Also keeps values in sentences, for a choice by fitting.
    pub(super) fn by_fitting(self) -> Self {
        Self { scan: self.scan.by_fitting(), ..self }
    }

    /// Returns the offset of the kept text.
    pub(super) fn base(&self) -> usize {
        self.dropped.bytes
    }

    /// Returns the kept text.
    pub(super) fn window(&self) -> Window<'_> {
        Window::part(&self.text, self.dropped.bytes, false)
    }

    /// Adds a chunk, and reads as far as possible.
    pub(super) fn push(&mut self, chunk: &[u8], follow: &mut Follow) {
        self.bytes += chunk.len();
        if self.has_failed() {
            return;
        }
        self.take(chunk);
        if follow.is_inside_string(&self.window()) {
            return;
        }
        if !self.is_plain() {
            return;
        }
        let window = Window::part(&self.text, self.dropped.bytes, false);
        if let Err(stop) = self.scan.run(&window) {
            self.fault.get_or_insert(Fault::Stop(stop));
        }
        if self.choice() == Choice::First {
            self.scan.discard_unreported();
        }
        follow.advance(&self.scan, &self.window(), self.choice());
    }

    /// Returns whether the text is certainly no captured stream.
    fn is_plain(&mut self) -> bool {
        let window = Window::part(&self.text, self.dropped.bytes, false);
        if self.frame == Frame::Unknown && !self.retry.is_too_early(&window) {
            let begins = capture::begins(&window, &self.options);
            if begins {
                self.frame = Frame::Possible;
            } else if window.is_starved() {
                self.retry.postpone(&window, 0);
            } else {
                self.frame = Frame::None;
            }
        }
        self.frame == Frame::None
    }

    /// Returns whether reading stopped.
    pub(super) fn has_failed(&self) -> bool {
        self.fault.is_some() || self.bytes > limits::max_bytes(&self.options)
    }

    pub(super) fn options(&self) -> Arc<Options> {
        Arc::clone(&self.options)
    }

    pub(super) fn max_class(&self) -> Class {
        self.options.max_class
    }

    pub(super) fn choice(&self) -> Choice {
        self.options.choice
    }

    pub(super) fn on_bad_item(&self) -> OnBadItem {
        self.options.on_bad_item
    }

    /// Returns the repairs of the answer that later text cannot change. They are not reported again
    /// at the end.
    pub(super) fn take_repairs(&mut self) -> Vec<Repair> {
        let repairs = if let Some(first) = self.scan.first_mut() {
            std::mem::take(&mut first.repairs)
        } else if let Some(attempt) = self.scan.attempt_mut() {
            attempt.parser.log.take_committed()
        } else {
            Vec::new()
        };
        if !repairs.is_empty() {
            let window = Window::part(&self.text, self.dropped.bytes, false);
            self.delivered.add(&window, &repairs);
        }
        repairs
    }

    /// Drops the text of a certain answer that is no longer needed.
    pub(super) fn drop_text(&mut self) {
        let base = self.dropped.bytes;
        let needed = self.scan.needs_from().saturating_sub(BEHIND).max(base) - base;
        if needed < PIECE {
            return;
        }
        let end = (0..=needed).rev().find(|&at| self.text.is_char_boundary(at)).unwrap_or(0);
        self.dropped.surroundings = self.surroundings(self.span_so_far());
        let gone = self.text.get(..end).unwrap_or_default();
        match gone.rfind('\n') {
            Some(last) => {
                self.dropped.lines += memchr::memchr_iter(b'\n', gone.as_bytes()).count();
                self.dropped.column = gone.get(last + 1..).unwrap_or_default().chars().count();
            }
            None => self.dropped.column += gone.chars().count(),
        }
        self.text.drain(..end);
        self.dropped.bytes += end;
    }

    /// Returns the span of the answer so far.
    fn span_so_far(&self) -> Span {
        if let Some(first) = self.scan.first() {
            return first.span;
        }
        Span::new(self.scan.attempt().map_or(0, Attempt::start), usize::MAX)
    }

    /// Returns whether there is other text than white space around `span`, the answer.
    fn surroundings(&self, span: Span) -> Surroundings {
        let base = self.dropped.bytes;
        let from = span.end.max(base) - base;
        let after = self.text.as_bytes().get(from..).unwrap_or_default();
        Surroundings {
            before: self.scan.beginning() < span.start,
            after: self.dropped.surroundings.after || !after.iter().all(|&byte| is_space(byte)),
        }
    }

    /// Ends the text: chooses among the candidates and makes the report.
    pub(super) fn finish(self) -> Result<(String, ReadOutcome<B>), Error> {
        self.finish_by(|_, _| None)
    }

    /// Ends the text. `choose` may choose among the candidates.
    pub(super) fn finish_by(
        mut self,
        mut choose: impl FnMut(&Window<'_>, &mut Scan<'_, B>) -> Option<Selection>,
    ) -> Result<(String, ReadOutcome<B>), Error> {
        if self.fault.is_none() && !self.half.is_empty() && !self.has_failed() {
            self.fault = Some(Fault::Utf8(self.dropped.bytes + self.text.len()));
        }
        if let Some(Fault::Utf8(at)) = self.fault {
            let error = Error::new(ErrorKind::Utf8, "", None, "");
            return Err(error.placed(Span::at(at), self.place(at)));
        }
        limits::check_size(self.bytes, &self.options)?;
        if let Some(Fault::Stop(stop)) = self.fault.take() {
            return Err(self.error(stop));
        }
        let window = Window::part(&self.text, self.dropped.bytes, true);
        let (options, by_fitting) = (&self.options, self.scan.is_by_fitting());
        if self.frame != Frame::None
            && let Some(read) = pipeline::read_framed(&window, options, by_fitting, &mut choose)
        {
            return read.map(|read| (self.text, read));
        }
        if let Err(stop) = self.scan.run(&window) {
            return Err(self.error(stop));
        }
        if let Some(read) = pipeline::read_unframed(&window, &self.scan, options, &mut choose) {
            return read.map(|read| (self.text, read));
        }
        let span = self.span_so_far();
        let known = self.dropped.bytes > 0;
        let (first, around) = (self.scan.beginning(), self.surroundings(span));
        let surroundings =
            |span| if known { around } else { Surroundings::of(&window, first, span) };
        let chosen = choose(&window, &mut self.scan);
        let (options, delivered) = (&self.options, &self.delivered);
        let by_fitting = self.scan.is_by_fitting();
        let read =
            pipeline::conclude(&window, self.scan, chosen, options, delivered, &surroundings);
        let other = pipeline::reread::read(&window, &read, options, by_fitting, &mut choose);
        Ok((self.text, other.unwrap_or(read)?))
    }

    /// Returns the public error for `stop`.
    fn error(&self, stop: Stop) -> Error {
        let bytes = self.dropped.bytes;
        if bytes == 0 {
            return stop.into_error(&self.text);
        }
        let span = stop.span;
        // What the error shows is looked up in the text that is left.
        let here = Span::new(
            span.start.checked_sub(bytes).unwrap_or(usize::MAX),
            span.end.saturating_sub(bytes),
        );
        Stop { span: here, ..stop }.into_error(&self.text).placed(span, self.place(span.start))
    }

    /// Returns line and column of `offset` in the whole text, if it was not dropped.
    fn place(&self, offset: usize) -> Option<(usize, usize)> {
        let Dropped { bytes, lines, column, .. } = self.dropped;
        offset.checked_sub(bytes).map(|at| match line_column(&self.text, at) {
            (1, here) => (lines + 1, column + here),
            (line, here) => (lines + line, here),
        })
    }

    /// Adds the complete characters of `chunk`.
    fn take(&mut self, mut chunk: &[u8]) {
        let end = |feed: &Self| feed.dropped.bytes + feed.text.len();
        while let Some((&byte, rest)) = chunk.split_first().filter(|_| !self.half.is_empty()) {
            self.half.push(byte);
            match std::str::from_utf8(&self.half) {
                Ok(character) => {
                    self.text.push_str(character);
                    self.half.clear();
                }
                Err(error) if error.error_len().is_some() => {
                    self.fault = Some(Fault::Utf8(end(self)));
                    return;
                }
                Err(_) => {}
            }
            chunk = rest;
        }
        let whole = match std::str::from_utf8(chunk) {
            Ok(whole) => whole,
            Err(error) => {
                let (good, bad) = chunk.split_at(error.valid_up_to());
                if error.error_len().is_some() {
                    self.fault = Some(Fault::Utf8(end(self) + good.len()));
                } else {
                    self.half.extend_from_slice(bad);
                }
                std::str::from_utf8(good).unwrap_or_default()
            }
        };
        self.text.push_str(whole);
    }
}
