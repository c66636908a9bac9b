//! Random scalars, and how Python and JavaScript write values.

use std::fmt::Write;

use crate::data::{Data, quoted};
use crate::random::Random;
use crate::words;

pub(super) fn text(r: &mut Random) -> String {
    match r.below(20) {
        0..6 => words::phrase(r),
        6..10 => words::sentence(r),
        10 => words::path(r),
        11 => words::url(r),
        12 => words::foreign(r),
        13..15 => words::tricky(r),
        15 => format!("{}\n{}", words::code_line(r), words::code_line(r)),
        16 => words::code_line(r),
        17 => r.between(0, 99_999).to_string(),
        18 => r
            .pick(&["true", "null", "None", "007", "1e5", "", "[]", "{}", "[1, 2]", "-"])
            .to_owned(),
        _ => words::identifier(r),
    }
}

/// Returns whether a text without quotes may mean null, or nothing.
pub(super) fn is_like_null(text: &str) -> bool {
    matches!(text.trim(), "" | "null" | "None" | "nil" | "undefined" | "N/A" | "-" | "NaN")
}

pub(super) fn integer(r: &mut Random) -> String {
    match r.below(12) {
        0 => "9007199254740993".to_owned(),
        1 => format!("-{}", r.between(1, 500)),
        2 => "0".to_owned(),
        _ => r.below(3_000).to_string(),
    }
}

pub(super) fn number(r: &mut Random) -> String {
    match r.below(8) {
        0 => r.below(500).to_string(),
        1 => format!("-{}.5", r.below(90)),
        2 => "1e3".to_owned(),
        _ => format!("{}.{:02}", r.below(5_000), r.between(1, 99)),
    }
}

/// Writes a value as Python does.
pub(super) fn python(value: &Data, r: &mut Random) -> String {
    let quote = if r.chance(50) { '\'' } else { '"' };
    let mut out = String::new();
    python_to(&mut out, value, quote);
    out
}

fn python_to(out: &mut String, value: &Data, quote: char) {
    match value {
        Data::Null => out.push_str("None"),
        Data::Bool(true) => out.push_str("True"),
        Data::Bool(false) => out.push_str("False"),
        Data::Number(text) => out.push_str(text),
        Data::Text(text) => python_text(out, text, quote),
        Data::List(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                python_to(out, item, quote);
            }
            out.push(']');
        }
        Data::Map(members) => {
            out.push('{');
            for (at, (key, value)) in members.iter().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                python_text(out, key, quote);
                out.push_str(": ");
                python_to(out, value, quote);
            }
            out.push('}');
        }
    }
}

/// Writes a string as `repr` does: in the preferred quotes, or in the others if it has only those.
fn python_text(out: &mut String, text: &str, quote: char) {
    let other = if quote == '"' { '\'' } else { '"' };
    let quote = if text.contains(quote) && !text.contains(other) { other } else { quote };
    out.push(quote);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\\' => out.push_str("\\\\"),
            c if c == quote => {
                out.push('\\');
                out.push(c);
            }
            c if c < ' ' => {
                let _ = write!(out, "\\x{:02x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push(quote);
}

/// Writes a value as JavaScript does, with bare keys.
pub(super) fn javascript(value: &Data) -> String {
    match value {
        Data::List(items) => {
            let items: Vec<_> = items.iter().map(javascript).collect();
            format!("[{}]", items.join(", "))
        }
        Data::Map(members) => {
            let members: Vec<_> = members
                .iter()
                .map(|(key, value)| format!("{key}: {}", javascript(value)))
                .collect();
            format!("{{{}}}", members.join(", "))
        }
        Data::Text(text) => quoted(text),
        other => other.write(),
    }
}

/// Writes a value with bare keys, and strings between special quotes.
pub(super) fn special(value: &Data, quote: &str) -> String {
    match value {
        Data::List(items) => {
            let items: Vec<_> = items.iter().map(|item| special(item, quote)).collect();
            format!("[{}]", items.join(","))
        }
        Data::Map(members) => {
            let members: Vec<_> = members
                .iter()
                .map(|(key, value)| format!("{key}:{}", special(value, quote)))
                .collect();
            format!("{{{}}}", members.join(","))
        }
        Data::Text(text) => format!("{quote}{text}{quote}"),
        other => other.write(),
    }
}
