//! How is a result shown? One format a file; none of them decides anything.

pub(crate) mod checks;
pub(crate) mod coercions;
mod edits;
pub(crate) mod event;
pub(crate) mod explain;
pub(crate) mod growth;
#[cfg(feature = "gateway")]
pub(crate) mod journal;
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

/// Whether text for people carries colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Colour {
    /// Text alone.
    Plain,
    /// With ANSI escapes.
    Ansi,
}

impl Colour {
    /// Colours if standard error is a terminal that takes them and nobody objects.
    pub(crate) fn of_stderr() -> Self {
        let refused = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let dumb = env::var_os("TERM").is_some_and(|value| value == "dumb");
        if io::stderr().is_terminal() && !refused && !dumb { Self::Ansi } else { Self::Plain }
    }
}

/// Columns of the terminal that standard error is, if it is one; whatever the variable `COLUMNS`
/// says, if it says anything.
pub(crate) fn width() -> Option<usize> {
    let told = env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let seen = || {
        let (width, _) = terminal_size::terminal_size_of(io::stderr())?;
        Some(usize::from(width.0))
    };
    told.or_else(seen).filter(|columns| *columns > 0)
}

/// A text together with what a person calls it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Named<'a> {
    /// The file's name.
    pub(crate) name: &'a str,
    /// What stands in it.
    pub(crate) text: &'a str,
}

/// How sure a reading of `class` is, in a few words.
pub(crate) const fn meaning(class: Class) -> &'static str {
    match class {
        Class::Notation => "the same value, written otherwise",
        Class::Completion => "one sensible reading of what was left out or cut off",
        Class::Guess => "the likeliest of several readings",
        Class::Loss => "something that carried meaning was left out or replaced",
    }
}

/// `text` in at most `limit` characters and on one line, with what a terminal would act upon
/// shown as an escape.
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

/// Whether a terminal shows nothing for `c`, or acts upon it.
fn hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{a0}' | '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202f}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// `1 repair`, `2 repairs`, `1,200 repairs`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    format!("{} {noun}{}", grouped(count), if count == 1 { "" } else { "s" })
}

/// The digits of `count` in groups of three.
pub(crate) fn grouped(count: usize) -> String {
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
    fn what_a_terminal_would_act_upon_is_shown() {
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
