//! Literals of Python and JavaScript.

use llmend_json::{Builder, Class, Repair, Rule, Span};

use super::escape::{is_escaped, unescape};
use crate::{
    found::repair,
    input::{Input, Read, Stop},
};

/// Maximum nesting depth of a literal.
const DEPTH: usize = 64;

/// A reader of literals, which writes them into a value and records repairs.
pub(crate) struct Literals<'b, 't> {
    pub(crate) input: Input<'t>,
    pub(crate) builder: &'b mut Builder<'t>,
    /// Start of the value's text.
    pub(crate) base: usize,
    pub(crate) repairs: &'b mut Vec<Repair>,
}

impl Literals<'_, '_> {
    fn place(&self, start: usize, end: usize) -> Span {
        Span::new(start.saturating_sub(self.base), end.saturating_sub(self.base))
    }

    /// Reads the literal at `at`, and returns its end.
    pub(crate) fn read(&mut self, at: usize) -> Read<usize> {
        self.value(at, DEPTH)
    }

    fn value(&mut self, at: usize, depth: usize) -> Read<usize> {
        let Some(depth) = depth.checked_sub(1) else { return Err(Stop::Other) };
        let at = self.input.skip_space(at);
        let end = match self.input.need(at)? {
            b'"' | b'\'' | b'`' => self.string(at)?,
            b'[' => self.items(at, b']', depth)?,
            b'(' => self.items(at, b')', depth)?,
            b'{' => self.braces(at, depth)?,
            b'-' | b'+' | b'.' | b'0'..=b'9' => self.number(at)?,
            b'$' => self.reference(at)?,
            _ => self.word(at)?,
        };
        self.must_end(at, end)?;
        Ok(end)
    }

    /// Refuses an expression: a literal that something other than a separator follows.
    fn must_end(&self, start: usize, end: usize) -> Read<()> {
        let next = self.input.skip_space(end);
        match self.input.byte(next) {
            None if !self.input.complete => Err(Stop::More),
            None | Some(b',' | b')' | b']' | b'}' | b':' | b';' | b'#') => Ok(()),
            Some(_) => Err(expression(Span::new(start, (next + 1).min(self.input.len())))),
        }
    }

    /// Reads the items of a list, tuple or set up to `close`.
    fn items(&mut self, open: usize, close: u8, depth: usize) -> Read<usize> {
        self.builder.begin_array(self.place(open, open));
        let mut at = open + 1;
        loop {
            at = self.input.skip_space(at);
            match self.input.need(at)? {
                byte if byte == close => break,
                b',' => at += 1,
                _ => at = self.value(at, depth)?,
            }
        }
        self.builder.end();
        Ok(at + 1)
    }

    /// Reads a dict, an object of JavaScript, or a set.
    fn braces(&mut self, open: usize, depth: usize) -> Read<usize> {
        let first = self.input.skip_space(open + 1);
        if self.input.need(first)? != b'}' && !self.has_keys(first)? {
            return self.items(open, b'}', depth);
        }
        self.builder.begin_object(self.place(open, open));
        let mut at = open + 1;
        loop {
            at = self.input.skip_space(at);
            match self.input.need(at)? {
                b'}' => break,
                b',' => at += 1,
                _ => {
                    at = self.key(at)?;
                    at = self.input.skip_space(at);
                    if self.input.need(at)? != b':' {
                        return Err(expression(Span::new(open, at)));
                    }
                    at = self.value(at + 1, depth)?;
                }
            }
        }
        self.builder.end();
        Ok(at + 1)
    }

    /// Returns whether a key and a colon are at `at`.
    fn has_keys(&self, at: usize) -> Read<bool> {
        let mut scratch = Builder::of_text("");
        let mut repairs = Vec::new();
        let mut copy = Literals {
            input: self.input,
            builder: &mut scratch,
            base: self.base,
            repairs: &mut repairs,
        };
        let end = match copy.key(at) {
            Ok(end) => self.input.skip_space(end),
            Err(Stop::More) => return Err(Stop::More),
            Err(_) => return Ok(false),
        };
        Ok(self.input.need(end)? == b':')
    }

    fn key(&mut self, at: usize) -> Read<usize> {
        if matches!(self.input.need(at)?, b'"' | b'\'') {
            return self.string(at);
        }
        let word = |byte: &u8| {
            byte.is_ascii_alphanumeric()
                || matches!(byte, b'_' | b'-' | b'.' | b'$')
                || *byte >= 0x80
        };
        let length = self.input.from(at).bytes().take_while(|byte| word(byte)).count();
        if length == 0 {
            return Err(Stop::Other);
        }
        self.builder.key(self.input.slice(at, at + length), self.place(at, at + length));
        Ok(at + length)
    }

    fn number(&mut self, at: usize) -> Read<usize> {
        let rest = self.input.from(at);
        let inside = |(offset, byte): &(usize, u8)| {
            let sign = matches!(byte, b'+' | b'-')
                && (*offset == 0 || matches!(rest.as_bytes().get(offset - 1), Some(b'e' | b'E')));
            sign || byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'_')
        };
        let length = rest.bytes().enumerate().take_while(inside).count();
        if length == rest.len() && !self.input.complete {
            return Err(Stop::More);
        }
        let span = Span::new(at, at + length);
        // Most readers take a number beyond all bounds for infinity, which JSON does not have.
        let is_finite = |digits: &String| digits.parse::<f64>().is_ok_and(f64::is_finite);
        let digits = json_number(rest.get(..length).unwrap_or_default())
            .filter(is_finite)
            .ok_or_else(|| expression(Span::new(at, self.input.line_end(at))))?;
        self.builder.number(&digits, self.place(span.start, span.end));
        Ok(span.end)
    }

    /// Reads a word: a literal of Python or JSON. Any other is a variable, which is refused.
    fn word(&mut self, at: usize) -> Read<usize> {
        let Some(span) = self.input.name(at)? else {
            return Err(expression(Span::new(at, at + 1)));
        };
        let place = self.place(span.start, span.end);
        let word = span.of(self.input.text);
        if matches!(self.input.byte(span.end), Some(b'"' | b'\''))
            && matches!(
                word.to_ascii_lowercase().as_str(),
                "r" | "b" | "u" | "rb" | "br" | "f" | "rf" | "fr"
            )
        {
            return self.prefixed(span);
        }
        match word {
            "True" | "true" | "TRUE" => self.builder.bool(true, place),
            "False" | "false" | "FALSE" => self.builder.bool(false, place),
            "None" | "null" | "NULL" | "nil" | "undefined" => self.builder.null(place),
            _ => {
                return Err(Stop::unreadable(
                    format!("expected literal, found name `{word}`"),
                    span,
                    "Write the value itself: names and expressions are not evaluated.",
                ));
            }
        }
        Ok(span.end)
    }

    /// Reads a reference to an earlier result, `$1`, as text. With a name behind the sign it is a
    /// variable, which is refused.
    fn reference(&mut self, at: usize) -> Read<usize> {
        let inside =
            |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.' | '{' | '}');
        let rest = self.input.from(at);
        let end = rest.find(|c| !inside(c)).unwrap_or(rest.len());
        if end == rest.len() && !self.input.complete {
            return Err(Stop::More);
        }
        let (text, span) = (rest.get(..end).unwrap_or_default(), Span::new(at, at + end));
        if !text.trim_start_matches(['$', '{']).starts_with(|c: char| c.is_ascii_digit()) {
            return Err(expression(span));
        }
        self.repairs.push(repair(Rule::BareString, span, format!("\"{text}\"")));
        self.builder.string(text, self.place(span.start, span.end));
        Ok(span.end)
    }

    /// Reads a string with a prefix of Python.
    fn prefixed(&mut self, prefix: Span) -> Read<usize> {
        let letters = prefix.of(self.input.text).to_ascii_lowercase();
        let (end, text) = self.pieces(prefix.end, letters.contains('r'))?;
        // JSON has no bytes.
        if letters.contains('b') || (letters.contains('f') && text.contains('{')) {
            return Err(expression(Span::new(prefix.start, end)));
        }
        self.builder.string(&text, self.place(prefix.start, end));
        Ok(end)
    }

    fn string(&mut self, at: usize) -> Read<usize> {
        let (end, text) = self.pieces(at, false)?;
        // A template of JavaScript is an expression.
        if self.input.byte(at) == Some(b'`') && text.contains("${") {
            return Err(expression(Span::new(at, end)));
        }
        self.builder.string(&text, self.place(at, end));
        Ok(end)
    }

    /// Reads adjacent string literals, also those that `+` connects.
    fn pieces(&mut self, at: usize, raw: bool) -> Read<(usize, String)> {
        let mut text = String::new();
        let mut end = self.piece(at, raw, &mut text)?;
        loop {
            let mut next = self.input.skip_space(end);
            match self.input.byte(next) {
                None if !self.input.complete => return Err(Stop::More),
                Some(b'+') => next = self.input.skip_space(next + 1),
                _ => {}
            }
            if !matches!(self.input.byte(next), Some(b'"' | b'\'')) {
                return Ok((end, text));
            }
            self.repairs.push(repair(Rule::Concatenation, Span::new(end, next), ""));
            end = self.piece(next, raw, &mut text)?;
        }
    }

    /// Reads one string literal.
    fn piece(&mut self, at: usize, raw: bool, text: &mut String) -> Read<usize> {
        let quote = self.input.need(at)?;
        let triple = [quote; 3];
        let rest = self.input.text.as_bytes().get(at..).unwrap_or_default();
        if rest.len() < 3 && !self.input.complete {
            return Err(Stop::More);
        }
        let (open, long) = if rest.starts_with(&triple) { (3, true) } else { (1, false) };
        let end =
            if long { self.long_end(at + 3, &triple)? } else { self.short_end(at + 1, quote)? };
        let content = self.input.slice(at + open, end);
        if !long && quote != b'`' && content.contains('\n') {
            for (offset, _) in content.match_indices('\n') {
                let place = at + open + offset;
                self.repairs.push(repair(Rule::RawNewline, Span::new(place, place + 1), "\\n"));
            }
        }
        unescape(content, raw, text);
        Ok(end + open)
    }

    fn long_end(&self, at: usize, quotes: &[u8]) -> Read<usize> {
        let bytes = self.input.text.as_bytes();
        let mut from = at;
        loop {
            let rest = bytes.get(from..).unwrap_or_default();
            let Some(found) = memchr::memmem::find(rest, quotes) else {
                return Err(self.input.end());
            };
            let end = from + found;
            if !is_escaped(bytes, at, end) {
                return Ok(end);
            }
            from = end + 1;
        }
    }

    /// Returns the offset of the quote that ends the string. A quote that no separator follows is
    /// part of the text.
    fn short_end(&mut self, at: usize, quote: u8) -> Read<usize> {
        let bytes = self.input.text.as_bytes();
        let mut from = at;
        let mut inner: Vec<usize> = Vec::new();
        loop {
            let Some(found) = memchr::memchr(quote, bytes.get(from..).unwrap_or_default()) else {
                return Err(self.input.end());
            };
            let end = from + found;
            from = end + 1;
            if is_escaped(bytes, at, end) {
                continue;
            }
            if self.ends_string(end + 1)? {
                break;
            }
            inner.push(end);
        }
        for place in inner {
            let written = if quote == b'"' { "\\\"" } else { "\\'" };
            self.repairs.push(repair(Rule::InnerQuotes, Span::new(place, place + 1), written));
        }
        Ok(from - 1)
    }

    /// Returns whether what is at `at` may follow a string.
    fn ends_string(&self, at: usize) -> Read<bool> {
        let next = self.input.skip_space(at);
        Ok(match self.input.byte(next) {
            None => {
                if !self.input.complete {
                    return Err(Stop::More);
                }
                true
            }
            Some(b')' | b']' | b'}' | b'+' | b'%' | b':' | b'#') => true,
            Some(b'.') => next == at && self.input.from(next + 1).starts_with(char::is_alphabetic),
            Some(b'"' | b'\'') => next > at || matches!(self.input.byte(at), Some(b'"' | b'\'')),
            // After a comma a value, a keyword or the end follows.
            Some(b',') => {
                let after = self.input.skip_space(next + 1);
                match self.input.byte(after) {
                    None if !self.input.complete => return Err(Stop::More),
                    None
                    | Some(
                        b'"'
                        | b'\''
                        | b'['
                        | b'{'
                        | b'('
                        | b')'
                        | b']'
                        | b'}'
                        | b'-'
                        | b'$'
                        | b'0'..=b'9',
                    ) => true,
                    Some(_) => match self.input.name(after)? {
                        Some(word) => {
                            let behind = self.input.skip_space(word.end);
                            let is_literal = matches!(
                                word.of(self.input.text),
                                "True" | "False" | "None" | "true" | "false" | "null"
                            );
                            is_literal
                                || matches!(
                                    self.input.byte(behind),
                                    Some(b'=' | b':' | b'"' | b'\'' | b',' | b')')
                                )
                        }
                        None => false,
                    },
                }
            }
            Some(_) => false,
        })
    }
}

/// Creates the finding for an expression.
pub(crate) fn expression(span: Span) -> Stop {
    Stop::unreadable(
        "expected literal, found expression",
        span,
        "Write the value itself: names and expressions are not evaluated.",
    )
}

/// Returns a number of Python as JSON writes it.
fn json_number(written: &str) -> Option<String> {
    let digits = written.replace('_', "");
    let digits = digits.strip_prefix('+').unwrap_or(&digits);
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits), |rest| ("-", rest));
    let (mantissa, exponent) = match digits.find(['e', 'E']) {
        Some(at) => (digits.get(..at)?, digits.get(at + 1..)?),
        None => (digits, ""),
    };
    let power = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    let exponent_is_number = power.bytes().all(|byte| byte.is_ascii_digit())
        && (digits.len() == mantissa.len() || !power.is_empty());
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_octal = whole.len() > 1 && whole.starts_with('0');
    if !exponent_is_number
        || is_octal
        || !all_digits(whole)
        || !fraction.is_none_or(all_digits)
        || (whole.is_empty() && fraction.is_none_or(str::is_empty))
    {
        return None;
    }
    let mut out = format!("{sign}{}", if whole.is_empty() { "0" } else { whole });
    if let Some(fraction) = fraction {
        out.push('.');
        out.push_str(if fraction.is_empty() { "0" } else { fraction });
    }
    if digits.len() != mantissa.len() {
        out.push('e');
        out.push_str(exponent);
    }
    Some(out)
}

/// Returns the class of repairs.
pub(crate) fn class(repairs: &[Repair]) -> Option<Class> {
    repairs.iter().map(Repair::class).max()
}

#[cfg(test)]
mod tests {
    use llmend_json::{Builder, Span};

    use super::Literals;
    use crate::input::{Input, Stop};

    fn read(text: &str) -> Result<String, String> {
        let mut builder = Builder::of_text(text);
        builder.begin_array(Span::at(0));
        let mut repairs = Vec::new();
        let input = Input::new(text, true);
        let outcome =
            Literals { input, builder: &mut builder, base: 0, repairs: &mut repairs }.read(0);
        builder.end();
        match outcome {
            Ok(_) => Ok(builder.finish().unwrap().root().item(0).unwrap().to_string()),
            Err(Stop::Unreadable(row)) => Err(row.message),
            Err(Stop::Cut) => Err("cut".to_owned()),
            Err(_) => Err("other".to_owned()),
        }
    }

    #[test]
    fn literals_of_both_languages() {
        for (text, expected) in [
            ("'it\\'s'", r#""it's""#),
            ("\"a\" 'b'", r#""ab""#),
            ("'''a\n\"b\"'''", r#""a\n\"b\"""#),
            ("r'\\d+'", r#""\\d+""#),
            ("'\\u00e9\\x41\\U0001F600'", "\"éA😀\""),
            ("'\\d'", r#""\\d""#),
            ("'it's late', b=2", r#""it's late""#),
            ("'say \"hi\", then go'", r#""say \"hi\", then go""#),
            ("-1_000", "-1000"),
            (".5", "0.5"),
            ("5.", "5.0"),
            ("1e3", "1e3"),
            ("True", "true"),
            ("null", "null"),
            ("(1, 2,)", "[1,2]"),
            ("{1, 2}", "[1,2]"),
            ("{'a': {b: [None]}}", r#"{"a":{"b":[null]}}"#),
            ("{}", "{}"),
            ("$1", "\"$1\""),
        ] {
            assert_eq!(read(text).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn expressions_are_refused() {
        for text in
            ["2*3", "date.today()", "x", "'a' % b", "f'{x}'", "1 + 2", "[x]", "'a'.upper()", "007"]
        {
            let error = read(text).unwrap_err();
            assert!(error.starts_with("expected literal"), "{text}: {error}");
        }
        for text in ["'abc", "[1, 2", "{'a': ", "{'a'"] {
            assert_eq!(read(text), Err("cut".to_owned()), "{text}");
        }
    }
}
