//! Characters at which something may begin, and their handling.

use super::{AfterValue, Phase, Scan};
use crate::{
    Choice, Origin, Span,
    extract::{Build, comment, layer, mention, reasoning, scalar, turn, unbraced, wrapper},
    parser::{Stop, Window},
};

/// How far back the start of a line is searched for, in bytes.
const LINE_REACH: usize = 80;

/// How far back another member is searched for before a first member, in bytes.
const MEMBER_REACH: usize = 200;

impl<'o, B: Build> Scan<'o, B> {
    /// Advances to the next byte that may begin something. Returns whether there is one.
    pub(super) fn next_mark(&mut self, window: &Window<'_>) -> bool {
        let bytes = window.text.as_bytes();
        let mut at = self.state.at;
        let all = self.options.choice == Choice::All;
        let may_begin =
            |byte: u8| MAY_BEGIN[usize::from(byte)] || (all && scalar::begins_word(byte));
        while !self.state.given_up {
            let rest = bytes.get(at - window.base..).unwrap_or_default();
            let Some(plain) = rest.iter().position(|&byte| may_begin(byte)) else {
                at += rest.len();
                break;
            };
            at += plain;
            let found = match window.byte(at).unwrap_or_default() {
                b'{' | b'<' => true,
                // A terminal's color is no bracket.
                b'[' => window.byte_before(at) != Some(0x1B),
                b'(' => {
                    wrapper::opens_keyed(window, at) || wrapper::constructed(window, at).is_some()
                }
                b'`' => window.starts_with(at, b"```"),
                b'~' => window.starts_with(at, b"~~~"),
                byte if matches!(byte, b'"' | b'\'') || scalar::begins_word(byte) => {
                    at_line_start(window, at)
                }
                b'/' => at_line_start(window, at) && comment::end(window, at).is_some(),
                b'T' | b'R' => at_line_start(window, at) && reasoning::is_label(window, at),
                b'*' | b'#' => {
                    at_line_start(window, at)
                        && (reasoning::is_label(window, at)
                            || reasoning::section(window, at).is_some())
                }
                0xE2 => reasoning::mark(window, at).is_some(),
                0xEF => {
                    window.starts_with(at, "｛".as_bytes())
                        || window.starts_with(at, "［".as_bytes())
                }
                _ => false,
            };
            if found || window.is_starved() {
                self.state.at = at;
                return !window.is_starved();
            }
            at += 1;
        }
        self.state.at = at.max(if self.state.given_up { window.end() } else { 0 });
        false
    }

    /// Handles what begins at the current position.
    pub(super) fn mark(&mut self, window: &Window<'_>) -> Result<Phase<'o, B>, Stop> {
        match window.byte(self.state.at) {
            Some(b'{' | b'[' | 0xEF) => self.bracket(window),
            Some(b'(') => {
                let name = wrapper::constructed(window, self.state.at);
                let at = name.unwrap_or(self.state.at);
                self.value(window, at, Origin::Wrapper, AfterValue::Search)
            }
            Some(b'`' | b'~') => self.fence(window),
            Some(b'<') => self.tag(window),
            Some(b'"' | b'\'') => self.line_start_quote(window),
            Some(byte) if scalar::begins_word(byte) => {
                if !self.takes_scalar_line(window) {
                    self.state.at += 1;
                }
                Ok(Phase::Search)
            }
            Some(b'/') => self.comment(window),
            Some(0xE2) => {
                self.skip_marks(window);
                Ok(Phase::Search)
            }
            _ => {
                self.skip_reasoning_line(window);
                Ok(Phase::Search)
            }
        }
    }

    /// Skips reasoning between a model's own marks, if it opens here.
    fn skip_marks(&mut self, window: &Window<'_>) -> bool {
        let at = self.state.at;
        let Some(end) = reasoning::mark(window, at) else { return false };
        self.state.drafts |= memchr::memchr(b'{', window.bytes(Span::new(at, end))).is_some();
        self.skip_reasoning(window, end);
        true
    }

    /// Skips reasoning from the current position to `end`. After text, it is not what comes before
    /// the answer.
    fn skip_reasoning(&mut self, window: &Window<'_>, end: usize) {
        let from = self.state.reasoned.max(self.state.first);
        if window.is_blank(from, self.state.at) {
            self.state.reasoned = end;
        }
        self.state.at = end;
    }

    /// Handles a bracket in prose.
    fn bracket(&mut self, window: &Window<'_>) -> Result<Phase<'o, B>, Stop> {
        if self.skip_marks(window) {
            return Ok(Phase::Search);
        }
        let at = self.state.at;
        if let Some(end) = mention::end(window, at).or_else(|| mention::bar(window, at)) {
            self.state.at = end;
            return Ok(Phase::Search);
        }
        if window.byte_before(at) == Some(b'"')
            && let Some(kind) = layer::csv_at(window, at - 1)
        {
            // A field in the middle of a line.
            self.state.at = at - 1;
            if let Some(phase) = self.layered(window, kind, AfterValue::Search)? {
                return Ok(phase);
            }
            self.state.at = at;
        }
        if let Some(end) = wrapper::marker(window, at).or_else(|| wrapper::boxed(window, at)) {
            return self.value_in(window, end);
        }
        self.value(window, at, wrapper::origin(window, at), AfterValue::Search)
    }

    /// Starts a value in the wrapper whose opening part ends at `end`, if a value follows.
    fn value_in(&mut self, window: &Window<'_>, end: usize) -> Result<Phase<'o, B>, Stop> {
        let at = window.skip_space(end);
        if let Some(b'{' | b'[') = window.byte(at) {
            let inner = wrapper::marker(window, at).map(|end| window.skip_space(end));
            return self.value(window, inner.unwrap_or(at), Origin::Wrapper, AfterValue::Search);
        }
        self.state.at = end;
        Ok(Phase::Search)
    }

    /// Handles a quote at the start of a line, which may begin members without braces.
    fn line_start_quote(&mut self, window: &Window<'_>) -> Result<Phase<'o, B>, Stop> {
        let at = self.state.at;
        if let Some(kind) = layer::csv_at(window, at)
            && let Some(phase) = self.layered(window, kind, AfterValue::Search)?
        {
            return Ok(phase);
        }
        if self.options.choice == Choice::All && self.takes_scalar_line(window) {
            return Ok(Phase::Search);
        }
        let near = Span::new(at.saturating_sub(MEMBER_REACH).max(window.base), at);
        let first = self.found.is_empty()
            && [b"\":", b"':"]
                .iter()
                .all(|end| memchr::memmem::find(window.bytes(near), *end).is_none())
            && unbraced::starts_member(window, at)
            && !unbraced::follows_unread(window.before(at, MEMBER_REACH));
        if first {
            return Ok(self.members(at, Origin::Unbraced, AfterValue::Search));
        }
        self.state.at += 1;
        Ok(Phase::Search)
    }

    /// Takes the scalar that is all of the line here, as one of the values that the caller asks for.
    /// Returns whether there is one.
    fn takes_scalar_line(&mut self, window: &Window<'_>) -> bool {
        let Some(span) = scalar::line(window, self.state.at) else { return false };
        let options = self.options.clone();
        let found = self.scalar_at(window, span, &options);
        self.state.at = span.end;
        if let Some(found) = found.filter(|_| !window.is_starved()) {
            self.add(window, found);
        }
        true
    }

    /// Handles a tag: reasoning, a wrapper, or neither.
    fn tag(&mut self, window: &Window<'_>) -> Result<Phase<'o, B>, Stop> {
        const CDATA: &[u8] = b"<![CDATA[";
        let at = self.state.at;
        match reasoning::tag(window, at) {
            Some(reasoning::Tag::Opens { end, json }) => {
                self.state.drafts |= json;
                self.skip_reasoning(window, end);
            }
            Some(reasoning::Tag::ClosesOnly { end }) => {
                self.discard_drafts(window);
                (self.state.at, self.state.reasoned) = (end, end);
            }
            None if window.starts_with(at, b"<!--") => return Ok(self.skip_comment(window)),
            None if window.starts_with(at, CDATA) => {
                return self.value_in(window, at + CDATA.len());
            }
            None => {
                if let Some(turn) = turn::of_other(window, at) {
                    self.state.drafts |= turn.json;
                    self.state.at = turn.end;
                } else if let Some(end) = wrapper::tag(window, at) {
                    return self.value_in(window, end);
                } else {
                    self.state.at += 1;
                }
            }
        }
        Ok(Phase::Search)
    }

    /// Discards all candidates as drafts, since reasoning ends here whose opening tag was in the
    /// prompt. A value already accepted stays.
    fn discard_drafts(&mut self, window: &Window<'_>) {
        let gives = matches!(self.options.choice, Choice::First | Choice::All);
        if window.is_starved() || (gives && self.has_first()) {
            return;
        }
        self.state.drafts |= !self.found.is_empty();
        self.state.failed = None;
        self.state.cut = None;
        self.found.clear();
        self.state.yaml.clear();
        self.first = None;
    }

    /// Skips a comment at the start of a line. A value whose every line is a comment is tried, since
    /// nothing else may be there.
    fn comment(&mut self, window: &Window<'_>) -> Result<Phase<'o, B>, Stop> {
        match layer::prefixed(window, self.state.at) {
            Some(at) => self.value(window, at, Origin::Bare, AfterValue::Search),
            None => Ok(self.skip_comment(window)),
        }
    }

    /// Skips a comment, if it is closed.
    fn skip_comment(&mut self, window: &Window<'_>) -> Phase<'o, B> {
        self.state.at = comment::end(window, self.state.at).unwrap_or(self.state.at + 1);
        Phase::Search
    }

    /// Skips a line or section of reasoning.
    fn skip_reasoning_line(&mut self, window: &Window<'_>) {
        let at = self.state.at;
        let line = || window.find(at, usize::MAX, |bytes| memchr::memchr(b'\n', bytes));
        let is_heading = matches!(window.byte(at), Some(b'*' | b'#'));
        let section = is_heading.then(|| reasoning::section(window, at)).flatten();
        let end = section.or_else(line).unwrap_or(window.end());
        self.state.drafts |=
            memchr::memchr2(b'{', b'[', window.bytes(Span::new(at, end))).is_some();
        self.state.at = end.max(at + 1);
    }
}

/// Whether something may begin with a byte. A table, since every byte of prose is looked up.
const MAY_BEGIN: [bool; 256] = {
    let mut table = [false; 256];
    let mut marks: &[u8] = b"{[(<`~\"'/TR*#\xE2\xEF";
    while let [mark, rest @ ..] = marks {
        table[*mark as usize] = true;
        marks = rest;
    }
    table
};

/// Returns whether only white space is between the start of the line and `at`.
fn at_line_start(window: &Window<'_>, at: usize) -> bool {
    window
        .bytes(Span::new(at.saturating_sub(LINE_REACH).max(window.base), at))
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
