//! Repair of string content.

use std::borrow::Cow;

use crate::{
    ErrorKind, Rule, Span,
    judge::{
        string::{
            backslash::{self, BackslashMode, ahead},
            doubled::is_doubled,
        },
        words::interjection::seam::{self, Seam},
    },
    parser::{
        Parser, Stop, Window,
        quote::Style,
        string_token::StringToken,
        window::{legal_escape, plain_run},
    },
    sink::Content,
};

/// Spare capacity for a few repairs of a string.
const EDITED: usize = 16;

/// Where the content of a repaired string is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ContentKind {
    Plain,
    Escaped,
    Repaired,
}

impl ContentKind {
    pub(crate) fn is_plain(self) -> bool {
        self != Self::Repaired
    }

    pub(crate) fn of<'m>(self, token: &StringToken, scratch: &'m str) -> Content<'m> {
        match self {
            Self::Plain => Content::Plain(token.inside),
            Self::Escaped => Content::Escaped(token.inside),
            Self::Repaired => Content::Repaired(scratch),
        }
    }
}

impl Parser<'_> {
    /// Repairs the content of a string. `base` is its offset.
    pub(super) fn repair_inside(
        &mut self,
        text: &str,
        base: usize,
        style: Style,
        raw: bool,
    ) -> Result<ContentKind, Stop> {
        let bytes = text.as_bytes();
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        let (mut inside, mut how, mut doubled) = (ContentKind::Plain, None, None);
        let (mut plain, mut at) = (0, 0);
        while let Some(&byte) = bytes.get(at) {
            if byte >= b' ' && byte != b'"' && byte != b'\\' {
                at = plain_run(bytes, at, b'"', b'"');
                continue;
            }
            let (rule, length, replacement): (Rule, usize, Cow<'static, str>) = match byte {
                b'"' if style == Style::Double
                    && *doubled.get_or_insert_with(|| is_doubled(text)) =>
                {
                    (Rule::InnerQuotes, 2, "\\\"".into())
                }
                b'"' => (style.rule().unwrap_or(Rule::InnerQuotes), 1, "\\\"".into()),
                b'\n' => match seam::at(text, at) {
                    None => (Rule::RawNewline, 1, "\\n".into()),
                    Some(Seam::Until(end)) => (Rule::Interjection, end - at, "".into()),
                    Some(Seam::Unclear) => {
                        self.scratch = scratch;
                        let detail = "cannot tell whether two texts were joined in this string";
                        return Err(Stop::new(ErrorKind::Ambiguous, Span::at(base + at), detail));
                    }
                },
                b'\r' => (Rule::RawCarriageReturn, 1, "\\r".into()),
                b'\t' => (Rule::RawTab, 1, "\\t".into()),
                b'\\' => {
                    let (mode, is_script) = if let Some(how) = how {
                        how
                    } else {
                        *how.insert((self.mode_of(text, raw), backslash::has_plain_line(text)))
                    };
                    match escape(text, at, style, mode, raw, is_script) {
                        Escape::Legal(length) => {
                            inside = if inside == ContentKind::Plain {
                                ContentKind::Escaped
                            } else {
                                inside
                            };
                            at += length;
                            continue;
                        }
                        Escape::Edit(rule, length, replacement) => (rule, length, replacement),
                    }
                }
                control => (Rule::RawControl, 1, format!("\\u{control:04x}").into()),
            };
            if inside != ContentKind::Repaired {
                scratch.reserve(text.len() + EDITED);
                inside = ContentKind::Repaired;
            }
            scratch.push_str(text.get(plain..at).unwrap_or_default());
            scratch.push_str(&replacement);
            if let Err(stop) = self.edit(rule, base + at, base + at + length, replacement) {
                self.scratch = scratch;
                return Err(stop);
            }
            at += length;
            plain = at;
        }
        if inside == ContentKind::Repaired {
            scratch.push_str(text.get(plain..).unwrap_or_default());
        }
        self.scratch = scratch;
        Ok(inside)
    }
}

impl Parser<'_> {
    /// Returns how the backslashes of a string are read. Once one string has shown that formulas
    /// are written without escapes, commands in the others are text, too, and so are paths and what
    /// no text contains once one has shown it of other words. Once one has shown that Markdown's
    /// marks are escaped, those in the others are escaped as well.
    fn mode_of(&mut self, text: &str, raw: bool) -> BackslashMode {
        let mode = if raw { BackslashMode::Literal } else { backslash::backslash_mode(text) };
        self.formulas |= mode == BackslashMode::Formula;
        self.backslashes |= !raw && matches!(mode, BackslashMode::ByWord | BackslashMode::Literal);
        self.paths |= !raw && mode == BackslashMode::Literal;
        // One byte is found faster than two.
        self.markdown |=
            mode == BackslashMode::Escapes && text.contains('_') && text.contains("\\_");
        match mode {
            BackslashMode::Escapes if self.paths && backslash::is_path(text) => {
                BackslashMode::Literal
            }
            BackslashMode::Escapes if self.formulas => BackslashMode::Formula,
            BackslashMode::Escapes if self.markdown => BackslashMode::Markdown,
            BackslashMode::Escapes if self.backslashes && backslash::is_path_and_no_list(text) => {
                BackslashMode::Literal
            }
            BackslashMode::Escapes if self.backslashes => BackslashMode::Plain,
            mode => mode,
        }
    }

    /// Returns whether the backslashes of a string with legal escapes, whose content is from `start` to
    /// `end`, may be text because of other strings.
    #[cold]
    pub(super) fn may_be_literal(&mut self, window: &Window<'_>, start: usize, end: usize) -> bool {
        let known = self.formulas || self.backslashes;
        let text = window.slice(Span::new(start, end));
        if known {
            self.stats.escapes = true;
            return true;
        }
        let may_be = ahead::escapes(text);
        self.stats.escapes |= may_be.text;
        !self.looked_ahead && may_be.any()
    }

    /// Learns from the strings behind one that ends at `end` how its backslashes were written, if
    /// `text`, its content, leaves that open.
    pub(super) fn look_ahead(&mut self, window: &Window<'_>, text: &str, end: usize) {
        if self.looked_ahead || !self.budget.may_read_ahead() || !ahead::escapes(text).any() {
            return;
        }
        let (shown, read) = ahead::shown(window, end, self.stack.len());
        self.budget.read_ahead(read);
        self.looked_ahead = !window.is_starved();
        self.formulas |= shown.formulas;
        self.backslashes |= shown.words;
        self.paths |= shown.paths;
    }
}

/// What happens to a backslash and the characters after it.
enum Escape {
    /// It is kept, with this many bytes.
    Legal(usize),
    /// This many bytes are replaced.
    Edit(Rule, usize, Cow<'static, str>),
}

/// Decides about the backslash at `at` of a string's content.
fn escape(
    text: &str,
    at: usize,
    style: Style,
    mode: BackslashMode,
    raw: bool,
    is_script: bool,
) -> Escape {
    let next = text.get(at + 1..).and_then(|rest| rest.chars().next());
    let legal = legal_escape(text, at);
    let literal = || Escape::Edit(Rule::LiteralBackslash, 1, "\\\\".into());
    let Some(next) = next else { return literal() };
    if raw {
        return if next == '"' { Escape::Legal(2) } else { literal() };
    }
    if style.is_escaped() && text.get(at..).is_some_and(|rest| rest.starts_with("\\\\")) {
        return Escape::Edit(Rule::EscapedQuotes, 1, "".into());
    }
    let text_by_word = |length: usize| {
        if backslash::is_text(text, at) { literal() } else { Escape::Legal(length) }
    };
    let escapes =
        matches!(mode, BackslashMode::Escapes | BackslashMode::Markdown | BackslashMode::Plain);
    match (mode, legal, next) {
        (BackslashMode::Literal, Some(length), '\\') if backslash::opens_server(text, at) => {
            Escape::Edit(Rule::LiteralBackslash, length, "\\\\\\\\".into())
        }
        (_, Some(length), '"' | '\\') => Escape::Legal(length),
        (BackslashMode::Escapes | BackslashMode::Markdown, Some(length), _) => {
            Escape::Legal(length)
        }
        (BackslashMode::Markdown, None, '*' | '#' | '[' | ']' | '(' | ')' | '.' | '-' | '&') => {
            Escape::Edit(Rule::NeedlessEscape, 1, "".into())
        }
        (BackslashMode::ByWord, Some(length), _) => text_by_word(length),
        (BackslashMode::Plain, Some(_), _) if backslash::is_plain(text, at) => literal(),
        (BackslashMode::Plain, Some(length), _) => Escape::Legal(length),
        (BackslashMode::Formula, Some(_), _) if backslash::is_command(text, at) => literal(),
        (BackslashMode::Formula, Some(length), _) => Escape::Legal(length),
        (BackslashMode::Literal, _, _) => literal(),
        (BackslashMode::ByWord | BackslashMode::Formula, None, '_' | '$')
            if backslash::is_text(text, at) =>
        {
            literal()
        }
        (_, None, '\'' | '_' | '$' | '`') => Escape::Edit(Rule::NeedlessEscape, 1, "".into()),
        (_, None, '\n' | '\r') => match backslash::continued_length(text, at, is_script) {
            Some(length) => Escape::Edit(Rule::ContinuedLine, length, "".into()),
            None => literal(),
        },
        (_, None, _) if escapes && backslash::is_needless(text, at) => {
            Escape::Edit(Rule::NeedlessEscape, 1, "".into())
        }
        (_, None, _) if escapes && backslash::surrogate(text, at) => {
            Escape::Edit(Rule::LoneSurrogate, 6, "\u{fffd}".into())
        }
        (_, None, 'x' | 'U' | 'u') if escapes => match backslash::foreign(text, at) {
            Some((character, length)) => {
                let mut out = String::new();
                let _ = super::escape::escape_into(character.encode_utf8(&mut [0; 4]), &mut out);
                Escape::Edit(Rule::ForeignEscape, length, out.into())
            }
            None => literal(),
        },
        (_, None, _) => literal(),
    }
}
