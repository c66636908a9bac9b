//! Valid documents that look broken: strict JSON with long keys, code and quotes in strings,
//! numbers of any size and unusual white space, all of which must be returned unchanged.

use crate::case::{Case, Verdict};
use crate::data::Data;
use crate::random::Random;
use crate::sources::SOURCES;
use crate::words;

/// Generates `count` documents. Equal seeds give equal cases, and case `i` does not depend on
/// `count`.
#[must_use]
pub fn cases(seed: u64, count: usize) -> Vec<Case> {
    (0..count).map(|index| case(seed, index)).collect()
}

/// Generates the case with this index.
///
/// # Panics
/// When the generator writes something that is not JSON.
#[must_use]
pub fn case(seed: u64, index: usize) -> Case {
    let input = text(&mut Random::for_case(seed ^ 0x76_616c, index));
    let expected = Data::read(&input).unwrap_or_else(|error| panic!("{error} in {input}"));
    Case {
        id: format!("valid-{seed}-{index}"),
        shape: "valid".to_owned(),
        kinds: Vec::new(),
        input,
        expected: Some(expected),
        verdict: Verdict::Value,
        accept: Vec::new(),
        note: String::new(),
        valid_json: true,
        cut: Some(false),
    }
}

/// Generates a valid document.
#[must_use]
pub fn text(r: &mut Random) -> String {
    let spacing = r.below(5);
    let mut writer = Writer { out: String::new(), spacing, budget: r.between(1, 40) };
    writer.space(r);
    match r.below(100) {
        0..6 => writer.deep(r),
        6..12 => writer.scalar(r),
        _ => writer.container(r, 0),
    }
    writer.space(r);
    writer.out
}

struct Writer {
    out: String,
    spacing: usize,
    budget: usize,
}

impl Writer {
    fn space(&mut self, r: &mut Random) {
        match self.spacing {
            0 => {}
            1 => self.out.push_str(if r.chance(50) { " " } else { "" }),
            2 => self.out.push_str(r.pick(&["", "\n", "\n  ", " "])),
            3 => self.out.push_str(r.pick(&["", "\r\n\t", "\t", "  ", "\n\n\n"])),
            _ => {
                let size = if r.chance(3) { r.below(200) } else { r.below(3) };
                for _ in 0..size {
                    self.out.push(*r.one(&[' ', '\n', '\t', '\r']));
                }
            }
        }
    }

    fn deep(&mut self, r: &mut Random) {
        let depth = r.between(20, 400);
        let mut closers = String::new();
        for _ in 0..depth {
            if r.chance(50) {
                self.out.push('[');
                closers.push(']');
            } else {
                self.out.push('{');
                self.string(r);
                self.out.push(':');
                closers.push('}');
                // Long keys at every level would add up to a megabyte.
                self.budget = 1;
            }
            self.space(r);
        }
        self.scalar(r);
        self.out.extend(closers.chars().rev());
    }

    fn value(&mut self, r: &mut Random, depth: usize) {
        if depth < 8 && self.budget > 0 && r.chance(35) {
            self.container(r, depth);
        } else {
            self.scalar(r);
        }
    }

    fn container(&mut self, r: &mut Random, depth: usize) {
        let list = r.chance(35);
        self.out.push(if list { '[' } else { '{' });
        self.space(r);
        let size = if r.chance(10) { 0 } else { r.between(1, 6) };
        let mut last_key: Option<String> = None;
        for i in 0..size {
            if i > 0 {
                self.out.push(',');
                self.space(r);
            }
            if !list {
                let start = self.out.len();
                match &last_key {
                    Some(key) if r.chance(8) => self.out.push_str(key),
                    _ => self.key(r),
                }
                last_key = Some(self.out[start..].to_owned());
                self.space(r);
                self.out.push(':');
                self.space(r);
            }
            self.budget = self.budget.saturating_sub(1);
            self.value(r, depth + 1);
            self.space(r);
        }
        self.out.push(if list { ']' } else { '}' });
    }

    fn scalar(&mut self, r: &mut Random) {
        match r.below(10) {
            0..=5 => self.string(r),
            6 | 7 => self.number(r),
            _ => self.out.push_str(r.pick(&["true", "false", "null"])),
        }
    }

    fn number(&mut self, r: &mut Random) {
        let digits = |r: &mut Random, most: usize| {
            let size = r.between(1, most);
            (0..size)
                .map(|_| char::from(b'0' + u8::try_from(r.below(10)).unwrap_or(0)))
                .collect::<String>()
        };
        if r.chance(30) {
            self.out.push('-');
        }
        if r.chance(20) {
            self.out.push('0');
        } else {
            let most = if r.chance(10) { 60 } else { 9 };
            let rest = digits(r, most);
            self.out.push(char::from(b'1' + u8::try_from(r.below(9)).unwrap_or(0)));
            if r.chance(70) {
                self.out.push_str(&rest);
            }
        }
        if r.chance(35) {
            let most = if r.chance(10) { 40 } else { 5 };
            self.out.push('.');
            let fraction = digits(r, most);
            self.out.push_str(&fraction);
        }
        if r.chance(20) {
            let exponent = digits(r, 3);
            self.out.push_str(r.pick(&["e", "E", "e+", "E-", "e-", "E+"]));
            self.out.push_str(&exponent);
        }
    }

    fn key(&mut self, r: &mut Random) {
        match r.below(12) {
            0 => self.out.push_str("\"\""),
            1 => {
                let mut text = String::new();
                let size = r.between(60, 400);
                while text.len() < size {
                    text.push_str(&words::tricky(r));
                    text.push_str(r.pick(&[" ", ", ", ": ", "\", \"", "\": ", "{", "\n"]));
                }
                let end = (0..=size).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0);
                self.spell(r, &text[..end]);
            }
            2 => {
                let text = words::tricky(r);
                self.spell(r, &text);
            }
            3 => {
                let text = words::foreign(r);
                self.spell(r, &text);
            }
            4 => self.out.push_str(r.pick(&[
                "\"a:b\"",
                "\"a,b\"",
                "\"{\"",
                "\" \"",
                "\"“k”\"",
                "\"//\"",
                "\"\\\"\"",
                "\"'\"",
            ])),
            _ => {
                let text = words::identifier(r);
                self.spell(r, &text);
            }
        }
    }

    fn string(&mut self, r: &mut Random) {
        if self.budget <= 1 && r.chance(80) {
            let text = words::phrase(r);
            return self.spell(r, &text);
        }
        let text = match r.below(14) {
            0..=3 => words::tricky(r),
            4 => format!("{}, {}: {}", words::tricky(r), words::tricky(r), words::tricky(r)),
            5 | 6 => code(r),
            7 => words::foreign(r),
            8 => odd(r),
            9 => (*r.pick(&[
                "", " ", "\\", "\"", "\\\\", "'", "null", "```", "}", "]", ",", ":", "“", "/",
                "...", "\u{7f}",
            ]))
            .to_owned(),
            10 => Data::Map(vec![(words::tricky(r), Data::Text(words::tricky(r)))]).write(),
            _ => words::sentence(r),
        };
        self.spell(r, &text);
    }

    /// Writes a string with any valid escape for each character.
    fn spell(&mut self, r: &mut Random, text: &str) {
        let escape = if r.chance(15) { r.between(1, 60) } else { 0 };
        self.out.push('"');
        for c in text.chars() {
            if r.chance(escape) {
                let mut units = [0; 2];
                for unit in c.encode_utf16(&mut units) {
                    let hex = if r.chance(50) {
                        format!("\\u{unit:04x}")
                    } else {
                        format!("\\u{unit:04X}")
                    };
                    self.out.push_str(&hex);
                }
            } else if c == '/' && escape > 0 {
                self.out.push_str("\\/");
            } else {
                crate::data::push_escaped(&mut self.out, c);
            }
        }
        self.out.push('"');
    }
}

fn code(r: &mut Random) -> String {
    let (_, text) = r.one(SOURCES);
    let lines: Vec<&str> = text.lines().collect();
    let start = r.below(lines.len());
    let size = r.between(1, 12);
    let end = (start + size).min(lines.len());
    let glue = r.pick(&["\n", "\n", "\r\n", "\t"]);
    lines[start..end].join(glue)
}

/// Rare but legal characters.
fn odd(r: &mut Random) -> String {
    let rare = [
        "\u{0}",
        "\u{1}",
        "\u{8}",
        "\u{b}",
        "\u{c}",
        "\u{1f}",
        "\u{7f}",
        "\u{a0}",
        "\u{200b}",
        "\u{202e}",
        "\u{2028}",
        "\u{3000}",
        "\u{feff}",
        "\u{fffd}",
        "\u{10ffff}",
        "😀",
        "👩‍🔧",
        "｛",
        "＂",
        "：",
        "，",
        "“",
        "’",
        "«",
        "é",
        "e\u{301}",
    ];
    let size = r.between(1, 8);
    (0..size).map(|_| if r.chance(70) { *r.one(&rare) } else { words::noun(r) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_valid_and_repeatable() {
        for index in 0..2_000 {
            assert_eq!(case(9, index).input, case(9, index).input);
        }
    }

    #[test]
    fn the_oracle_agrees() {
        for case in cases(11, 2_000) {
            assert!(crate::promises::is_valid_json(&case.input), "{}", case.input);
        }
    }
}
