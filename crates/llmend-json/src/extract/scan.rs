//! What does the scan come by, and who looks at it?

use crate::{
    Error, ErrorKind, Options, Origin, Span,
    extract::{Build, Failed, Found, Start, attempt, choice, layer, reasoning, unbraced, wrapper},
    parser::{Budget, Stop, Window},
};

/// Bytes that failed tries may cost, as a multiple of the text.
const FAILED_SHARE: usize = 4;
/// What a failed try costs by itself, in bytes.
const FAILED_BASE: usize = 256;

/// Furthest that one looks back for the start of a line, in bytes.
const LINE_REACH: usize = 80;

/// How far before a first member another one would have been seen, in bytes.
const MEMBER_REACH: usize = 200;

/// One forward scan over a text.
pub(crate) struct Scan<'t, B: Build> {
    pub(crate) window: Window<'t>,
    pub(crate) options: &'t Options,
    pub(crate) at: usize,
    pub(crate) found: Vec<Found<B>>,
    /// What all of them are read into.
    pub(crate) sink: B,
    pub(crate) failed: Option<Failed>,
    /// Whether JSON was seen inside reasoning.
    pub(crate) drafts: bool,
    /// Whether a fence was seen with nothing in it.
    pub(crate) empty_block: bool,
    /// Whether a fence was seen at the end of the text, with nothing after it.
    pub(crate) unclosed_block: bool,
    failed_bytes: usize,
    /// Bytes that judgements may still look at.
    pub(crate) budget: Budget,
    pub(crate) layers: usize,
}

impl<'t, B: Build> Scan<'t, B> {
    pub(crate) fn new(text: &'t str, options: &'t Options) -> Self {
        Self {
            window: Window::whole(text),
            options,
            at: 0,
            found: Vec::new(),
            sink: B::for_text(text.len().min(super::ROOM)),
            failed: None,
            drafts: false,
            empty_block: false,
            unclosed_block: false,
            failed_bytes: 0,
            budget: Budget::new(0),
            layers: 0,
        }
    }

    /// Collects the candidates. `Err` only where a limit was met.
    pub(crate) fn run(&mut self) -> Result<(), Stop> {
        self.at = self.window.skip_space(0);
        while let Some(byte) = self.next_mark() {
            let went = match byte {
                b'{' | b'[' | 0xEF => self.bracket(),
                b'`' | b'~' => self.fence(),
                b'<' => self.tag(),
                b'"' => self.line_start_quote(),
                0xE2 => {
                    self.skip_marks();
                    Ok(())
                }
                _ => {
                    self.thought();
                    Ok(())
                }
            };
            match went {
                // What comes after the first does not matter to those who take the first.
                Err(_)
                    if self.options.choice == crate::Choice::First && self.first_is_settled() =>
                {
                    break;
                }
                went => went?,
            }
        }
        if self.found.is_empty() && !self.is_serious() {
            self.whole_text()?;
        }
        Ok(())
    }

    /// Goes to the next byte that may begin something.
    fn next_mark(&mut self) -> Option<u8> {
        let bytes = self.window.text.as_bytes();
        let mut at = self.at;
        while let Some(&byte) = bytes.get(at) {
            let found = match byte {
                b'{' | b'[' | b'<' => true,
                b'`' | b'~' => bytes.get(at + 1) == Some(&byte) && bytes.get(at + 2) == Some(&byte),
                b'"' => at_line_start(bytes, at),
                b'T' | b'R' | b'*' => {
                    at_line_start(bytes, at) && reasoning::is_label(&self.window, at)
                }
                0xE2 => reasoning::mark(&self.window, at).is_some(),
                0xEF => {
                    self.window.starts_with(at, "｛".as_bytes())
                        || self.window.starts_with(at, "［".as_bytes())
                }
                _ => false,
            };
            if found {
                self.at = at;
                return Some(byte);
            }
            at += 1;
        }
        self.at = at;
        None
    }

    /// Goes past reasoning between marks of a model's own, if it opens here.
    fn skip_marks(&mut self) -> bool {
        let Some(end) = reasoning::mark(&self.window, self.at) else { return false };
        self.drafts |=
            memchr::memchr(b'{', self.window.slice(Span::new(self.at, end)).as_bytes()).is_some();
        self.at = end;
        true
    }

    /// A bracket stands in the open text.
    fn bracket(&mut self) -> Result<(), Stop> {
        if self.skip_marks() {
            return Ok(());
        }
        if let Some(end) = wrapper::marker(&self.window, self.at) {
            self.at = end;
            return self.value_in(Origin::Wrapper);
        }
        let origin = wrapper::origin(&self.window, self.at);
        self.value(origin)
    }

    /// A value stands in a wrapper, if one starts here at all.
    pub(crate) fn value_in(&mut self, origin: Origin) -> Result<(), Stop> {
        let at = self.window.skip_space(self.at);
        match self.window.byte(at) {
            Some(b'{' | b'[') => {
                self.at = at;
                self.value(origin)
            }
            _ => Ok(()),
        }
    }

    /// Tries the value at the bracket here, and goes past it.
    pub(crate) fn value(&mut self, origin: Origin) -> Result<(), Stop> {
        let at = self.at;
        if let Some(kind) = layer::kind_at(&self.window, at)
            && self.layers < layer::MOST
        {
            self.layers += 1;
            if let Some(found) =
                layer::attempt_layered(&self.window, at, kind, self.options, &mut self.sink)?
            {
                self.at = found.span.end;
                self.keep(found);
                return Ok(());
            }
        }
        match attempt::<B>(
            &self.window,
            at,
            Start::Value,
            origin,
            self.options,
            &mut self.budget,
            &mut self.sink,
        ) {
            Ok(found) => {
                self.at = found.span.end.max(at + 1);
                self.keep(found);
            }
            Err(failed) => self.fail(failed)?,
        }
        Ok(())
    }

    /// Keeps a value, if it may be an answer.
    pub(crate) fn keep(&mut self, found: Found<B>) {
        if !choice::is_candidate(&self.window, &found) {
            self.failed_bytes += found.span.len() + FAILED_BASE;
            if self.failed_bytes > self.failures_allowed() {
                self.at = self.window.end();
            }
            return;
        }
        self.sink.keep();
        self.found.push(found);
    }

    /// Bytes that tries may cost which come to nothing. With more, this is prose with brackets all
    /// over, and no more of it is tried.
    fn failures_allowed(&self) -> usize {
        FAILED_SHARE * (self.window.text.len() + (1 << 12))
    }

    /// Takes note of a try that gave no value, and decides where to go on.
    pub(crate) fn fail(&mut self, failed: Failed) -> Result<(), Stop> {
        if matches!(failed.stop.kind, ErrorKind::Depth | ErrorKind::Repairs) {
            return Err(failed.stop);
        }
        self.failed_bytes += failed.at.saturating_sub(failed.start) + failed.cost + FAILED_BASE;
        if failed.is_serious() {
            self.at = choice::end_of_failed(&self.window, &failed);
        } else if self.failed_bytes > self.failures_allowed() {
            self.at = self.window.end();
        } else {
            self.at = failed.start + 1;
        }
        let better = match &self.failed {
            None => true,
            Some(old) => {
                failed.is_serious() && (!old.is_serious() || failed.wrapped && !old.wrapped)
            }
        };
        if better {
            self.failed = Some(failed);
        }
        Ok(())
    }

    /// A quote at the start of a line: members without their braces?
    fn line_start_quote(&mut self) -> Result<(), Stop> {
        if self.layers < layer::MOST
            && let Some(kind) = layer::csv_at(&self.window, self.at)
        {
            self.layers += 1;
            if let Some(found) =
                layer::attempt_layered(&self.window, self.at, kind, self.options, &mut self.sink)?
            {
                self.at = found.span.end;
                self.keep(found);
                return Ok(());
            }
        }
        let before = self
            .window
            .slice(Span::new(self.at.saturating_sub(MEMBER_REACH).max(self.window.base), self.at));
        if !self.found.is_empty()
            || before.contains("\":")
            || !unbraced::starts_member(&self.window, self.at)
        {
            self.at += 1;
            return Ok(());
        }
        match attempt::<B>(
            &self.window,
            self.at,
            Start::Member,
            Origin::Unbraced,
            self.options,
            &mut self.budget,
            &mut self.sink,
        ) {
            Ok(found) => {
                self.at = found.span.end.max(self.at + 1);
                self.keep(found);
            }
            Err(failed) => self.fail(failed)?,
        }
        Ok(())
    }

    /// A tag opens here: reasoning, a wrapper, or neither.
    fn tag(&mut self) -> Result<(), Stop> {
        match reasoning::tag(&self.window, self.at) {
            Some(reasoning::Tag::Opens { end, json }) => {
                self.drafts |= json;
                self.at = end;
            }
            Some(reasoning::Tag::ClosesOnly { end }) => {
                // The opening tag was in the prompt: all before it was reasoning.
                self.drafts |= !self.found.is_empty();
                self.found.clear();
                self.failed = None;
                self.at = end;
            }
            None if self.window.starts_with(self.at, b"<![CDATA[") => {
                self.at += b"<![CDATA[".len();
                return self.value_in(Origin::Wrapper);
            }
            None => match wrapper::tag(&self.window, self.at) {
                Some(end) => {
                    self.at = end;
                    return self.value_in(Origin::Wrapper);
                }
                None => self.at += 1,
            },
        }
        Ok(())
    }

    /// A line of reasoning.
    fn thought(&mut self) {
        let end = self.window.find(self.at, usize::MAX, |bytes| memchr::memchr(b'\n', bytes));
        let end = end.unwrap_or(self.window.end());
        let line = self.window.slice(Span::new(self.at, end)).as_bytes();
        self.drafts |= memchr::memchr2(b'{', b'[', line).is_some();
        self.at = end.max(self.at + 1);
    }

    /// Nothing was found: is the text as a whole a value without its brackets?
    fn whole_text(&mut self) -> Result<(), Stop> {
        let (window, sink) = (&self.window, &mut self.sink);
        let found = match unbraced::pairs(window, self.options, &mut self.budget, sink) {
            Some(found) => Some(found),
            None => unbraced::list(window, self.options, sink)?,
        };
        self.found.extend(found);
        Ok(())
    }

    /// Under the choice `first`: whether the first candidate is here.
    fn first_is_settled(&self) -> bool {
        self.found.iter().any(|found| found.is_wrapped() || found.seen.members > 0)
    }

    /// Whether something that was meant as JSON could not be read.
    pub(crate) fn is_serious(&self) -> bool {
        self.failed.as_ref().is_some_and(Failed::is_serious)
    }

    /// Why there is no candidate.
    pub(crate) fn nothing(&self) -> Error {
        let text = self.window.text;
        if text.trim().is_empty() {
            return Error::new(ErrorKind::Empty, text, None, "");
        }
        if let Some(failed) = &self.failed
            && (failed.is_serious()
                || matches!(failed.stop.kind, ErrorKind::Refused(_) | ErrorKind::Ambiguous))
        {
            return failed.stop.clone().into_error(text);
        }
        let kind = if self.drafts {
            ErrorKind::ReasoningOnly
        } else if self.unclosed_block {
            ErrorKind::UnclosedBlock
        } else if self.empty_block {
            ErrorKind::EmptyBlock
        } else {
            ErrorKind::NoJson
        };
        Error::new(kind, text, None, "")
    }
}

/// Whether only white space stands between the start of the line and `at`.
fn at_line_start(bytes: &[u8], at: usize) -> bool {
    bytes
        .get(at.saturating_sub(LINE_REACH)..at)
        .unwrap_or_default()
        .iter()
        .rev()
        // The bytes of the usual odd white space count as white space here.
        .find(|&&byte| {
            !matches!(
                byte,
                b' ' | b'\t' | 0xEF | 0xBB | 0xBF | 0xE2 | 0xE3 | 0x80 | 0x8B..=0x8D | 0xC2 | 0xA0
            )
        })
        .is_none_or(|&byte| byte == b'\n')
}
