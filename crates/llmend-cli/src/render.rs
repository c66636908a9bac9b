//! Rendering for people and for programs.

mod annotate;
pub(crate) mod calls;
#[cfg(feature = "models")]
pub(crate) mod changes;
pub(crate) mod checks;
pub(crate) mod coercions;
mod edits;
pub(crate) mod event;
pub(crate) mod explain;
pub(crate) mod growth;
#[cfg(feature = "models")]
pub(crate) mod guesses;
#[cfg(feature = "gateway")]
pub(crate) mod journal;
pub(crate) mod ledger;
pub(crate) mod notations;
pub(crate) mod progress;
pub(crate) mod report;
pub(crate) mod summary;
pub(crate) mod table;
pub(crate) mod view;
mod window;

use std::{
    env,
    fmt::Write as _,
    io::{self, IsTerminal},
};

use llmend::json::Class;

/// Whether text for people carries colors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Color {
    /// Text alone.
    Plain,
    /// With ANSI escapes.
    Ansi,
}

impl Color {
    /// Returns `Ansi` if standard error is a terminal with colors and `NO_COLOR` is not set.
    pub(crate) fn of_stderr() -> Self {
        let refused = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let dumb = env::var_os("TERM").is_some_and(|value| value == "dumb");
        if io::stderr().is_terminal() && !refused && !dumb { Self::Ansi } else { Self::Plain }
    }
}

/// Returns the number of columns: from the variable `COLUMNS`, or of the terminal on standard error.
pub(crate) fn width() -> Option<usize> {
    let given = env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let measured = || {
        let (width, _) = terminal_size::terminal_size_of(io::stderr())?;
        Some(usize::from(width.0))
    };
    given.or_else(measured).filter(|columns| *columns > 0)
}

/// A text and its name in messages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Named<'a> {
    /// The file's name.
    pub(crate) name: &'a str,
    /// The contents.
    pub(crate) text: &'a str,
}

/// Describes a class in a few words.
pub(crate) const fn meaning(class: Class) -> &'static str {
    match class {
        Class::Notation => "the same value in another notation",
        Class::Completion => "the only sensible reading of what was omitted or cut off",
        Class::Guess => "the most likely of several readings",
        Class::Loss => "something meaningful was removed or replaced",
    }
}

/// Returns at most `limit` characters of `text` on one line, with control and invisible characters escaped.
pub(crate) fn visible(text: &str, limit: usize) -> String {
    let mut out = String::new();
    for (at, c) in text.chars().enumerate() {
        if at == limit {
            out.push('…');
            break;
        }
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if hidden(c) => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

/// Whether `c` is invisible or controls the terminal.
fn hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{a0}' | '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202f}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// Formats a count with its noun: `1 repair`, `2 repairs`, `1,200 repairs`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    format!("{} {noun}{}", grouped(count), if count == 1 { "" } else { "s" })
}

/// Formats a number with digits in groups of three.
pub(crate) fn grouped(count: impl std::fmt::Display) -> String {
    let digits = count.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{counted, grouped, visible};

    #[test]
    fn control_characters_are_escaped() {
        for (text, limit, expected) in [
            ("plain", 9, "plain"),
            ("a\nb\tc\rd", 9, "a\\nb\\tc\\rd"),
            ("\u{1b}[31mred", 20, "\\u{1b}[31mred"),
            ("right\u{202e}left", 20, "right\\u{202e}left"),
            ("déjà vu", 4, "déjà…"),
            ("déjà", 4, "déjà"),
        ] {
            assert_eq!(visible(text, limit), expected);
        }
    }

    #[test]
    fn numbers_are_grouped() {
        for (count, expected) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")]
        {
            assert_eq!(grouped(count), expected);
        }
        assert_eq!(counted(1, "repair"), "1 repair");
        assert_eq!(counted(0, "repair"), "0 repairs");
    }
}
