//! Plain values with a strict parser and an equality that ignores notation.

use std::collections::HashMap;
use std::fmt::Write;

/// Nesting beyond this is refused by [`Data::read`], since dropping a value recurses.
const MAX_DEPTH: usize = 4_096;

/// A JSON value. Numbers keep their text, objects their order and their duplicates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Data {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number as it was written.
    Number(String),
    /// A string, decoded.
    Text(String),
    /// An array.
    List(Vec<Data>),
    /// An object.
    Map(Vec<(String, Data)>),
}

impl Data {
    /// A string value.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// A number value with this spelling.
    #[allow(clippy::needless_pass_by_value, reason = "numbers are passed as they are")]
    pub fn number(text: impl ToString) -> Self {
        Self::Number(text.to_string())
    }

    /// Reads one strict JSON text.
    ///
    /// # Errors
    /// A sentence with the byte at which the text stops being JSON.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut reader = Reader { text, at: 0 };
        let value = reader.document()?;
        reader.space();
        if reader.at < text.len() { Err(reader.error("the end")) } else { Ok(value) }
    }

    /// Writes the value as JSON without any white space.
    #[must_use]
    pub fn write(&self) -> String {
        let mut out = String::new();
        self.write_to(&mut out);
        out
    }

    fn write_to(&self, out: &mut String) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Bool(true) => out.push_str("true"),
            Self::Bool(false) => out.push_str("false"),
            Self::Number(text) => out.push_str(text),
            Self::Text(text) => out.push_str(&quoted(text)),
            Self::List(items) => {
                out.push('[');
                for (i, item) in items.iter().enumerate() {
                    if i > 0 {
                        out.push(',');
                    }
                    item.write_to(out);
                }
                out.push(']');
            }
            Self::Map(members) => {
                out.push('{');
                for (i, (key, value)) in members.iter().enumerate() {
                    if i > 0 {
                        out.push(',');
                    }
                    out.push_str(&quoted(key));
                    out.push(':');
                    value.write_to(out);
                }
                out.push('}');
            }
        }
    }

    /// The member `key` of an object; the last of several.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Map(members) => members.iter().rev().find(|(k, _)| k == key).map(|(_, v)| v),
            _ => None,
        }
    }

    /// The text of a string value.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Whether both mean the same: numbers by value (`5` is `5.0`, large integers exactly), objects
    /// without order, the last of duplicate members; `true` is not `1`.
    #[must_use]
    pub fn same(&self, other: &Self) -> bool {
        let mut pairs = vec![(self, other)];
        while let Some(pair) = pairs.pop() {
            match pair {
                (Self::Null, Self::Null) => {}
                (Self::Bool(a), Self::Bool(b)) if a == b => {}
                (Self::Text(a), Self::Text(b)) if a == b => {}
                (Self::Number(a), Self::Number(b)) if same_number(a, b) => {}
                (Self::List(a), Self::List(b)) if a.len() == b.len() => {
                    pairs.extend(a.iter().zip(b));
                }
                (Self::Map(a), Self::Map(b)) => {
                    let a: HashMap<&str, &Self> = a.iter().map(|(k, v)| (k.as_str(), v)).collect();
                    let b: HashMap<&str, &Self> = b.iter().map(|(k, v)| (k.as_str(), v)).collect();
                    if a.len() != b.len() {
                        return false;
                    }
                    for (key, value) in a {
                        let Some(twin) = b.get(key) else { return false };
                        pairs.push((value, twin));
                    }
                }
                _ => return false,
            }
        }
        true
    }
}

/// `text` as a JSON string with its quotes; only what must be escaped is.
#[must_use]
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        push_escaped(&mut out, c);
    }
    out.push('"');
    out
}

/// Writes one character as it must stand in a JSON string.
pub fn push_escaped(out: &mut String, c: char) {
    match c {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\n' => out.push_str("\\n"),
        '\t' => out.push_str("\\t"),
        '\r' => out.push_str("\\r"),
        '\u{8}' => out.push_str("\\b"),
        '\u{c}' => out.push_str("\\f"),
        c if c < ' ' => {
            let _ = write!(out, "\\u{:04x}", c as u32);
        }
        c => out.push(c),
    }
}

/// Integers compare digit by digit, other numbers as the nearest `f64`, one with the other exactly.
fn same_number(a: &str, b: &str) -> bool {
    let integer = |text: &str| !text.contains(['.', 'e', 'E']);
    match (integer(a), integer(b)) {
        (true, true) => plain_integer(a) == plain_integer(b),
        (false, false) => match (a.parse::<f64>(), b.parse::<f64>()) {
            (Ok(a), Ok(b)) => a.total_cmp(&b).is_eq() || (a == 0.0 && b == 0.0),
            _ => false,
        },
        (true, false) => integer_is_float(a, b),
        (false, true) => integer_is_float(b, a),
    }
}

fn plain_integer(text: &str) -> String {
    let (sign, digits) = text.strip_prefix('-').map_or(("", text), |digits| ("-", digits));
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() { "0".to_owned() } else { format!("{sign}{digits}") }
}

fn integer_is_float(integer: &str, float: &str) -> bool {
    match float.parse::<f64>() {
        Ok(value) if value.is_finite() && value.fract() == 0.0 => {
            plain_integer(&format!("{value:.0}")) == plain_integer(integer)
        }
        _ => false,
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

enum Open {
    List(Vec<Data>),
    Map(Vec<(String, Data)>, String),
}

impl Reader<'_> {
    fn error(&self, wanted: &str) -> String {
        format!("at byte {}: {wanted} was expected", self.at)
    }

    fn peek(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or(0)
    }

    fn space(&mut self) {
        while matches!(self.peek(), b' ' | b'\n' | b'\t' | b'\r') {
            self.at += 1;
        }
    }

    fn take(&mut self, byte: u8) -> bool {
        self.space();
        let found = self.peek() == byte && self.at < self.text.len();
        self.at += usize::from(found);
        found
    }

    fn document(&mut self) -> Result<Data, String> {
        let mut stack: Vec<Open> = Vec::new();
        loop {
            let mut value = if self.take(b'[') {
                if self.take(b']') {
                    Data::List(Vec::new())
                } else {
                    stack.push(Open::List(Vec::new()));
                    continue;
                }
            } else if self.take(b'{') {
                if self.take(b'}') {
                    Data::Map(Vec::new())
                } else {
                    let key = self.key()?;
                    stack.push(Open::Map(Vec::new(), key));
                    continue;
                }
            } else {
                self.scalar()?
            };
            if stack.len() > MAX_DEPTH {
                return Err(format!("deeper than {MAX_DEPTH}"));
            }
            loop {
                match stack.pop() {
                    None => return Ok(value),
                    Some(Open::List(mut items)) => {
                        items.push(value);
                        if self.take(b',') {
                            stack.push(Open::List(items));
                            break;
                        }
                        if !self.take(b']') {
                            return Err(self.error("',' or ']'"));
                        }
                        value = Data::List(items);
                    }
                    Some(Open::Map(mut members, key)) => {
                        members.push((key, value));
                        if self.take(b',') {
                            let key = self.key()?;
                            stack.push(Open::Map(members, key));
                            break;
                        }
                        if !self.take(b'}') {
                            return Err(self.error("',' or '}'"));
                        }
                        value = Data::Map(members);
                    }
                }
            }
        }
    }

    fn key(&mut self) -> Result<String, String> {
        if !self.take(b'"') {
            return Err(self.error("a key"));
        }
        let key = self.string()?;
        if self.take(b':') { Ok(key) } else { Err(self.error("':'")) }
    }

    fn scalar(&mut self) -> Result<Data, String> {
        if self.take(b'"') {
            return self.string().map(Data::Text);
        }
        self.space();
        let rest = &self.text[self.at..];
        let literals =
            [("null", Data::Null), ("true", Data::Bool(true)), ("false", Data::Bool(false))];
        for (word, value) in literals {
            if rest.starts_with(word) {
                self.at += word.len();
                return Ok(value);
            }
        }
        self.number()
    }

    fn digits(&mut self) -> Result<(), String> {
        let start = self.at;
        while self.peek().is_ascii_digit() {
            self.at += 1;
        }
        if self.at == start { Err(self.error("a digit")) } else { Ok(()) }
    }

    fn number(&mut self) -> Result<Data, String> {
        let start = self.at;
        self.at += usize::from(self.peek() == b'-');
        if self.peek() == b'0' {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.peek() == b'.' {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), b'e' | b'E') {
            self.at += 1;
            self.at += usize::from(matches!(self.peek(), b'+' | b'-'));
            self.digits()?;
        }
        Ok(Data::number(&self.text[start..self.at]))
    }

    /// Reads on from behind the opening quote.
    fn string(&mut self) -> Result<String, String> {
        let mut out = String::new();
        loop {
            let rest = &self.text[self.at..];
            let Some(c) = rest.chars().next() else { return Err(self.error("a closing quote")) };
            match c {
                '"' => {
                    self.at += 1;
                    return Ok(out);
                }
                '\\' => {
                    self.at += 1;
                    out.push(self.escape()?);
                }
                c if c < ' ' => return Err(self.error("an escape for a control character")),
                c => {
                    out.push(c);
                    self.at += c.len_utf8();
                }
            }
        }
    }

    fn escape(&mut self) -> Result<char, String> {
        let byte = self.peek();
        self.at += 1;
        Ok(match byte {
            b'"' | b'\\' | b'/' => char::from(byte),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let high = self.hex()?;
                let code = if (0xd800..0xdc00).contains(&high)
                    && self.text[self.at..].starts_with("\\u")
                {
                    self.at += 2;
                    let low = self.hex()?;
                    let pair =
                        0x1_0000 + ((high - 0xd800) << 10) + (low.wrapping_sub(0xdc00) & 0x3ff);
                    if (0xdc00..0xe000).contains(&low) { pair } else { high }
                } else {
                    high
                };
                char::from_u32(code)
                    .ok_or_else(|| self.error("the other half of a surrogate pair"))?
            }
            _ => {
                self.at -= 1;
                return Err(self.error("a legal escape"));
            }
        })
    }

    fn hex(&mut self) -> Result<u32, String> {
        let digits = self.text.get(self.at..self.at + 4).unwrap_or("");
        let code = u32::from_str_radix(digits, 16).ok().filter(|_| !digits.contains('+'));
        let code = code.ok_or_else(|| self.error("four hex digits"))?;
        self.at += 4;
        Ok(code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(a: &str, b: &str) -> bool {
        Data::read(a).unwrap().same(&Data::read(b).unwrap())
    }

    #[test]
    fn equality_is_by_value() {
        for (a, b) in [
            ("5", "5.0"),
            ("0", "-0.0"),
            ("1e3", "1000"),
            ("1e+10", "10000000000.0"),
            (r#"{"a":1,"b":2}"#, r#"{"b":2,"a":1}"#),
            (r#"{"a":1,"a":2}"#, r#"{"a":2}"#),
            (r#""\ud83d\ude00""#, "\"😀\""),
        ] {
            assert!(same(a, b), "{a} is {b}");
        }
        for (a, b) in [
            ("12345678901234567890", "12345678901234567891"),
            ("12345678901234567890", "1.2345678901234567e19"),
            ("1", "true"),
            ("1", "\"1\""),
            ("[]", "{}"),
            ("null", "false"),
            (r#"{"a":1}"#, r#"{"a":1,"b":1}"#),
        ] {
            assert!(!same(a, b), "{a} is not {b}");
        }
    }

    #[test]
    fn reader_is_strict() {
        for text in [
            "",
            "[1,]",
            "{\"a\" 1}",
            "01",
            "1.",
            "+1",
            "'a'",
            "\"\u{1}\"",
            "[1] x",
            "\"\\x\"",
            "\"\\ud83d!\"",
            "\"\\udc00\"",
        ] {
            assert!(Data::read(text).is_err(), "{text}");
        }
        let text = r#"{"a":[1,-2.5e3,true,false,null,"x\n\u00e9"],"":{}}"#;
        assert_eq!(
            Data::read(text).unwrap().write(),
            r#"{"a":[1,-2.5e3,true,false,null,"x\né"],"":{}}"#
        );
    }
}
