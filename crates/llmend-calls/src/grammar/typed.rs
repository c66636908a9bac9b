//! `call:NAME{K:V,…}` with bare keys, and strings in special quotes.

use llmend_json::{Builder, Rule, Span};

use super::literal;
use crate::{
    found::{Arguments, Context, Found, repair},
    input::{Input, Read, Stop},
    name,
    tools::Kinds,
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
    let brace = match input.from(at).find(['{', '\n', '<']) {
        Some(offset) if input.byte(at + offset) == Some(b'{') => at + offset,
        None if !input.complete => return Err(Stop::More),
        _ => return Err(Stop::Other),
    };
    let written = input.slice(at, brace).trim();
    let tool = name::resolve(written, context.tools).tool;
    let mut reader =
        Reader { input, base: brace, builder: Builder::of_text(""), repairs: Vec::new() };
    let kinds = |key: &str| {
        tool.and_then(|tool| tool.parameter(key)).map_or(Kinds::ANY, |parameter| parameter.kinds)
    };
    let end = reader.object(brace, DEPTH, &kinds)?;
    let arguments = Arguments::built(reader.builder, Span::new(brace, end));
    let mut found = Found::new(written, arguments, Span::new(start, end));
    found.class = literal::class(&reader.repairs);
    found.repairs = reader.repairs;
    Ok((found, end))
}

struct Reader<'t> {
    input: Input<'t>,
    base: usize,
    builder: Builder<'t>,
    repairs: Vec<llmend_json::Repair>,
}

impl Reader<'_> {
    fn place(&self, start: usize, end: usize) -> Span {
        Span::new(start.saturating_sub(self.base), end.saturating_sub(self.base))
    }

    fn object(&mut self, open: usize, depth: usize, kinds: &dyn Fn(&str) -> Kinds) -> Read<usize> {
        let Some(depth) = depth.checked_sub(1) else { return Err(Stop::Other) };
        self.builder.begin_object(self.place(open, open));
        let mut at = open + 1;
        loop {
            at = self.input.skip_space(at);
            match self.input.need(at)? {
                b'}' => break,
                b',' => at += 1,
                _ => {
                    let (key, end) = self.key(at)?;
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
        let Some(offset) = self.input.from(at).find([':', '{', '}', '\n']) else {
            return Err(self.input.end());
        };
        if self.input.byte(at + offset) != Some(b':') {
            return Err(Stop::Other);
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
                return Ok(Some((self.input.slice(start, end).to_owned(), end + quote.len())));
            }
        }
        Ok(None)
    }

    /// Returns the offset of the quote that ends a string: one that a separator follows.
    fn closing(&self, from: usize, quote: &str) -> Read<Option<usize>> {
        let mut at = from;
        while let Some(end) = self.input.find(at, quote) {
            let next = self.input.skip_space(end + quote.len());
            match self.input.byte(next) {
                None if !self.input.complete => return Err(Stop::More),
                None | Some(b',' | b'}' | b']' | b':') => return Ok(Some(end)),
                _ => at = end + quote.len(),
            }
        }
        Ok(None)
    }

    fn value(&mut self, at: usize, depth: usize, kinds: Kinds) -> Read<usize> {
        let Some(depth) = depth.checked_sub(1) else { return Err(Stop::Other) };
        let at = self.input.skip_space(at);
        match self.input.need(at)? {
            b'{' => return self.object(at, depth, &|_| Kinds::ANY),
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

    /// Reads a number, a literal, a string in plain quotes, or unquoted text.
    fn bare(&mut self, at: usize, kinds: Kinds) -> Read<usize> {
        let first = self.input.need(at)?;
        if matches!(first, b'"' | b'\'') {
            let base = self.base;
            let mut literals = literal::Literals {
                input: self.input,
                builder: &mut self.builder,
                base,
                repairs: &mut self.repairs,
            };
            return literals.read(at);
        }
        let Some(length) = self.input.from(at).find([',', '}', ']', '\n']) else {
            return Err(self.input.end());
        };
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
