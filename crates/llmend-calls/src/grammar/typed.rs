//! `call:NAME{K:V,…}` with bare keys, and strings in special quotes.

use llmend_json::{Builder, Rule, Span};

use super::{json, literal};
use crate::{
    found::{Arguments, Context, Found, repair},
    input::{Input, Read, Stop},
    name,
    tools::{Kinds, Tool},
};

/// What begins a call.
pub(crate) const CALL: &str = "call:";
/// The quotes of strings.
const QUOTES: [&str; 2] = ["<|\"|>", "<escape>"];
/// Maximum nesting depth.
const DEPTH: usize = 64;

/// Reads the call at `at`, and returns it with its end.
pub(crate) fn read<'t>(
    input: Input<'t>,
    at: usize,
    context: Context<'_>,
) -> Read<(Found<'t>, usize)> {
    let start = at;
    let at = input.skip_blanks(at + CALL.len());
    let brace = match input.from(at).find(['{', '(', '\n', '<']) {
        Some(offset) if matches!(input.byte(at + offset), Some(b'{' | b'(')) => at + offset,
        None => return Err(input.end()),
        _ => return Err(Stop::Other),
    };
    let written = input.slice(at, brace).trim();
    if written.is_empty() {
        return Err(Stop::Other);
    }
    let tool = name::resolve(written, context.tools).tool;
    let mut reader =
        Reader { input, tool, base: brace, builder: Builder::of_text(""), repairs: Vec::new() };
    let kinds = |key: &str| {
        tool.and_then(|tool| tool.parameter(key)).map_or(Kinds::ANY, |parameter| parameter.kinds)
    };
    let close = if input.byte(brace) == Some(b'(') { b')' } else { b'}' };
    let end = reader.object(brace, close, DEPTH, &kinds)?;
    let arguments = Arguments::built(reader.builder, Span::new(brace, end));
    let mut found = Found::new(written, arguments, Span::new(start, end));
    found.class = literal::class(&reader.repairs);
    found.repairs = reader.repairs;
    Ok((found, end))
}

struct Reader<'c, 't> {
    input: Input<'t>,
    tool: Option<&'c Tool>,
    base: usize,
    builder: Builder<'t>,
    repairs: Vec<llmend_json::Repair>,
}

impl<'t> Reader<'_, 't> {
    fn place(&self, start: usize, end: usize) -> Span {
        Span::new(start.saturating_sub(self.base), end.saturating_sub(self.base))
    }

    fn object(
        &mut self,
        open: usize,
        close: u8,
        depth: usize,
        kinds: &dyn Fn(&str) -> Kinds,
    ) -> Read<usize> {
        let Some(depth) = depth.checked_sub(1) else { return Err(Stop::Other) };
        self.builder.begin_object(self.place(open, open));
        let mut at = open + 1;
        let mut separated = true;
        loop {
            at = self.input.skip_space(at);
            match self.input.need(at)? {
                byte if byte == close => break,
                b',' => {
                    separated = true;
                    at += 1;
                }
                _ => {
                    let (key, end) = self.key(at)?;
                    if !std::mem::take(&mut separated) {
                        self.repairs.push(repair(Rule::MissingComma, Span::at(at), ","));
                    }
                    let own = self.place(at, end);
                    self.builder.key(&key, own);
                    at = self.value(end, depth, kinds(&key))?;
                }
            }
        }
        self.builder.end();
        Ok(at + 1)
    }

    /// Reads the key at `at`, and returns it with the offset after its colon.
    fn key(&mut self, at: usize) -> Read<(String, usize)> {
        if let Some((text, end)) = self.quoted(at)? {
            let colon = self.input.skip_space(end);
            return if self.input.need(colon)? == b':' {
                Ok((text, colon + 1))
            } else {
                Err(Stop::Other)
            };
        }
        let ends = [':', '{', '}', '[', ']', '<', '\n'];
        let Some(offset) = self.input.from(at).find(ends) else {
            return Err(self.input.end());
        };
        // What is no key is what is left of a broken value or of the end of the call.
        if self.input.byte(at + offset) != Some(b':') {
            return Err(Stop::unreadable(
                "expected `,` or the end of the arguments",
                Span::new(at, at + offset),
                "Separate the arguments with commas, and close the brackets.",
            ));
        }
        let key = self.input.slice(at, at + offset).trim().trim_matches(['"', '\'']);
        Ok((key.to_owned(), at + offset + 1))
    }

    /// Reads a string in special or plain quotes.
    fn quoted(&mut self, at: usize) -> Read<Option<(String, usize)>> {
        for quote in QUOTES {
            if self.input.starts(at, quote)? {
                let start = at + quote.len();
                let Some(end) = self.closing(start, quote)? else { return Err(self.input.end()) };
                let text = self.input.slice(start, end);
                self.inspect(Span::new(start, end), quote)?;
                return Ok(Some((text.to_owned(), end + quote.len())));
            }
        }
        Ok(None)
    }

    /// Refuses a string that holds both quotes and marks of calls: it was not closed, and ran into
    /// the next call.
    fn inspect(&self, span: Span, quote: &str) -> Read<()> {
        if !span.of(self.input.text).contains(quote) {
            return Ok(());
        }
        json::next_tag(self.input.until(span.end), span.start).map_or(Ok(()), |mark| {
            Err(Stop::unreadable(
                "expected the end of a string, found the mark of a call",
                mark,
                "Close the string.",
            ))
        })
    }

    /// Returns the offset of the quote that ends a string: one that a separator or a key follows.
    fn closing(&self, from: usize, quote: &str) -> Read<Option<usize>> {
        let mut at = from;
        while let Some(end) = self.input.find(at, quote) {
            let next = self.input.skip_space(end + quote.len());
            match self.input.byte(next) {
                None if !self.input.complete => return Err(Stop::More),
                None | Some(b',' | b'}' | b']' | b')' | b':') => return Ok(Some(end)),
                _ if self.is_key(next, quote)? => return Ok(Some(end)),
                _ => at = end + quote.len(),
            }
        }
        Ok(None)
    }

    /// Returns whether a key is at `at`, where a comma is missing: a declared one, or one that a
    /// string follows.
    fn is_key(&self, at: usize, quote: &str) -> Read<bool> {
        let word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        let end = at + self.input.from(at).bytes().take_while(word).count();
        if end == at || self.input.need(end)? != b':' {
            return Ok(false);
        }
        let name = self.input.slice(at, end);
        let declared = self.tool.is_some_and(|tool| tool.parameter(name).is_some());
        Ok(declared || self.input.starts(self.input.skip_space(end + 1), quote)?)
    }

    fn value(&mut self, at: usize, depth: usize, kinds: Kinds) -> Read<usize> {
        let Some(depth) = depth.checked_sub(1) else { return Err(Stop::Other) };
        let at = self.input.skip_space(at);
        match self.input.need(at)? {
            b'{' => return self.object(at, b'}', depth, &|_| Kinds::ANY),
            b'[' => {
                self.builder.begin_array(self.place(at, at));
                let mut next = at + 1;
                loop {
                    next = self.input.skip_space(next);
                    match self.input.need(next)? {
                        b']' => break,
                        b',' => next += 1,
                        _ => next = self.value(next, depth, Kinds::ANY)?,
                    }
                }
                self.builder.end();
                return Ok(next + 1);
            }
            _ => {}
        }
        if let Some((text, end)) = self.quoted(at)? {
            let own = self.place(at, end);
            self.builder.string(&text, own);
            return Ok(end);
        }
        self.bare(at, kinds)
    }

    /// Reads a string in plain quotes.
    fn string(&mut self, at: usize, quote: &str) -> Read<usize> {
        match self.literal(self.input, at) {
            // A key without quotes behind the string looks like a part of it.
            Err(Stop::Cut) => match self.closing(at + 1, quote)? {
                Some(end) => self.literal(self.input.until(end + 1), at),
                None => Err(Stop::Cut),
            },
            end => end,
        }
    }

    fn literal(&mut self, input: Input<'t>, at: usize) -> Read<usize> {
        let (base, builder, repairs) = (self.base, &mut self.builder, &mut self.repairs);
        literal::Literals { input, builder, base, repairs }.read(at)
    }

    /// Reads a number, a literal, a string in plain quotes, or unquoted text.
    fn bare(&mut self, at: usize, kinds: Kinds) -> Read<usize> {
        let first = self.input.need(at)?;
        if matches!(first, b'"' | b'\'') {
            return self.string(at, if first == b'"' { "\"" } else { "'" });
        }
        let Some(length) = self.input.from(at).find([',', '}', ']', ')', '\n']) else {
            return Err(self.input.end());
        };
        // A value that runs into a mark is not closed.
        if let Some(mark) = json::next_tag(self.input.until(at + length), at) {
            return Err(Stop::unreadable(
                "expected the end of the arguments, found the mark of a call",
                mark,
                "Close the brackets of the arguments.",
            ));
        }
        if length == 0 {
            return Err(Stop::unreadable(
                "expected value",
                Span::new(at, at + 1),
                "Write a value.",
            ));
        }
        let end = at + length;
        let text = self.input.slice(at, end).trim_end();
        let own = self.place(at, at + text.len());
        let number = |text: &str| {
            llmend_json::parse_with(
                text,
                &llmend_json::Options::policy(llmend_json::Policy::Strict),
            )
            .is_ok_and(|parsed| parsed.value.root().number().is_some())
        };
        let declared = kinds != Kinds::ANY;
        match text {
            "null" | "None" => self.builder.null(own),
            _ if text.contains('(') => return Err(literal::expression(Span::new(at, end))),
            _ if kinds.is_text() => {
                self.repairs.push(repair(
                    Rule::BareString,
                    Span::new(at, at + text.len()),
                    text.to_owned(),
                ));
                self.builder.string(text, own);
            }
            "true" | "True" => self.builder.bool(true, own),
            "false" | "False" => self.builder.bool(false, own),
            _ if declared && !kinds.has(Kinds::STRING) && !number(text) => {
                return Err(literal::expression(Span::new(at, end)));
            }
            _ if number(text) => self.builder.number(text, own),
            _ => {
                self.repairs.push(repair(
                    Rule::BareString,
                    Span::new(at, at + text.len()),
                    text.to_owned(),
                ));
                self.builder.string(text, own);
            }
        }
        Ok(end)
    }
}
