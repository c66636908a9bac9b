//! A value with each guess marked in its place.

use std::fmt::Write as _;

use llmend::{
    Coercion,
    json::{Class, Repair, Report, parse},
    model::masked,
};

use super::{Color, counted, edits, summary::tally, visible};
use crate::outcome::Fit;

/// Lines of a value that are shown whole; of a longer one, those around the marks.
const WHOLE_LINES: usize = 30;
/// Lines that are shown on either side of a mark in a long value.
const AROUND: usize = 2;
/// Marks that are shown; the rest are counted.
const MARKS: usize = 40;
/// Characters of a line that are shown.
const LINE_CHARS: usize = 120;
/// Characters of a replaced text that are shown.
const BEFORE_CHARS: usize = 40;

/// A guess at a place of the value.
struct Guess {
    /// JSON Pointer, if the place is known.
    path: Option<String>,
    note: String,
}

/// Returns the value, indented, with each guess behind the line that it is about. `text` is the answer, which
/// repairs refer to.
pub(crate) fn guesses(
    json: &str,
    text: &str,
    (report, fit): (&Report, Option<&Fit>),
    color: Color,
) -> String {
    marked(json, &found(text, report, fit), color)
}

/// Returns a whole value without marks: JSON indented, and another text as it is.
pub(crate) fn unmarked(text: &str, color: Color) -> String {
    let is_json = serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
    let shown = parse(text).ok().filter(|_| is_json).map(|parsed| format!("{:#}", parsed.value));
    let lines: Vec<_> = shown.as_deref().unwrap_or(text).lines().map(Line::of).collect();
    written(&lines, color)
}

fn marked(json: &str, found: &[Guess], color: Color) -> String {
    let Ok(value) = parse(json) else { return visible(&masked(json), LINE_CHARS) };
    let shown = format!("{:#}", value.value);
    let mut lines: Vec<Line<'_>> = shown.lines().map(Line::of).collect();
    let mut elsewhere = Vec::new();
    let places = parse(&shown);
    for guess in found.iter().take(MARKS) {
        let place =
            places.as_ref().ok().zip(guess.path.as_deref()).and_then(|(shown_value, path)| {
                let node = shown_value.value.root().pointer(path)?;
                Some(shown.get(..node.span().start)?.matches('\n').count())
            });
        match place.and_then(|at| lines.get_mut(at)) {
            Some(line) => line.notes.push(&guess.note),
            None => elsewhere.push(guess),
        }
    }
    fold(&mut lines);
    let mut out = written(&lines, color);
    for Guess { path, note } in elsewhere {
        let path = path.as_deref().filter(|path| !path.is_empty());
        let place = path.map_or_else(String::new, |path| format!(" at {path}"));
        let _ = writeln!(out, "{}", mark(&format!("{note}{}", visible(&place, LINE_CHARS)), color));
    }
    if found.len() > MARKS {
        let _ = writeln!(out, "and {} not shown", counted(found.len() - MARKS, "more place"));
    }
    out
}

/// Returns the guesses among the repairs and coercions.
fn found(text: &str, report: &Report, fit: Option<&Fit>) -> Vec<Guess> {
    let parsed = parse(text).ok();
    let of_repair = |repair: &Repair| {
        let before = text.get(repair.span.start..repair.span.end).unwrap_or_default();
        Guess {
            path: parsed.as_ref().map(|parsed| parsed.value.path_at(repair.span)),
            note: note(repair.class(), repair.rule.name(), &edits::repaired(repair), before),
        }
    };
    let of_coercion = |coercion: &Coercion| Guess {
        path: Some(coercion.path.clone()),
        note: note(
            coercion.class,
            coercion.kind.name(),
            &edits::coerced(coercion),
            &coercion.before,
        ),
    };
    let repairs = report.repairs.iter().filter(|repair| repair.class() >= Class::Guess);
    let coercions = fit.into_iter().flat_map(|fit| &fit.coercions);
    let coercions = coercions.filter(|coercion| coercion.class >= Class::Guess);
    repairs.map(of_repair).chain(coercions.map(of_coercion)).collect()
}

/// Returns the number of guesses among repairs and coercions.
pub(crate) fn guessed(report: &Report, fit: Option<&Fit>) -> usize {
    let repairs = report.repairs.iter().map(Repair::class);
    let coercions = fit.into_iter().flat_map(|fit| &fit.coercions).map(|coercion| coercion.class);
    repairs.chain(coercions).filter(|class| *class >= Class::Guess).count()
}

fn note(class: Class, name: &str, what: &str, before: &str) -> String {
    let before = if before.is_empty() {
        String::new()
    } else {
        format!(", was `{}`", visible(&masked(before), BEFORE_CHARS))
    };
    format!("{}: {name}, {}{before}", class.as_str(), masked(what))
}

/// A line of the value.
struct Line<'l> {
    text: &'l str,
    indent: usize,
    notes: Vec<&'l str>,
    is_shown: bool,
}

impl<'l> Line<'l> {
    fn of(text: &'l str) -> Self {
        let indent = text.len() - text.trim_start().len();
        Self { text, indent, notes: Vec::new(), is_shown: true }
    }
}

/// Hides the lines of a long value that are not around a mark and hold none.
fn fold(lines: &mut [Line<'_>]) {
    if lines.len() <= WHOLE_LINES {
        return;
    }
    let marked: Vec<usize> = (0..lines.len()).filter(|at| !lines[*at].notes.is_empty()).collect();
    let last = lines.len() - 1;
    for (at, line) in lines.iter_mut().enumerate() {
        line.is_shown =
            at == 0 || at == last || marked.iter().any(|marked| at.abs_diff(*marked) <= AROUND);
    }
    let shown: Vec<usize> = (0..last).filter(|at| lines[*at].is_shown).collect();
    for at in shown {
        // The lines that begin what it is in.
        let mut indent = lines[at].indent;
        for line in lines[..at].iter_mut().rev() {
            if line.indent < indent {
                (indent, line.is_shown) = (line.indent, true);
            }
        }
    }
}

fn written(lines: &[Line<'_>], color: Color) -> String {
    let mut out = String::new();
    let mut hidden = 0;
    for line in lines {
        if !line.is_shown {
            hidden += 1;
            continue;
        }
        if hidden > 0 {
            let _ = writeln!(out, "{:1$}… {2}", "", line.indent, counted(hidden, "line"));
            hidden = 0;
        }
        let shown = visible(&masked(line.text), LINE_CHARS);
        match line.notes.as_slice() {
            [] => out.push_str(&shown),
            notes => {
                let notes: Vec<String> = tally(notes.iter().copied())
                    .into_iter()
                    .map(|(note, count)| match count {
                        1 => note.to_owned(),
                        _ => format!("{note} ×{count}"),
                    })
                    .collect();
                let _ = write!(out, "{shown}  {}", mark(&notes.join("; "), color));
            }
        }
        out.push('\n');
    }
    out
}

/// Returns a note that stands out, in colors or not.
fn mark(note: &str, color: Color) -> String {
    match color {
        Color::Plain => format!("← {note}"),
        Color::Ansi => format!("\u{1b}[1;33m← {note}\u{1b}[0m"),
    }
}

#[cfg(test)]
mod tests {
    use llmend::{FitOptions, Schema, fit_with};

    use super::{Color, guesses};
    use crate::outcome::Fit;

    const SCHEMA: &str = r#"{"type": "object", "properties": {"city": {"type": "string"},
        "days": {"type": "integer"}, "kind": {"enum": ["museum", "park"]},
        "stops": {"type": "array", "items": {"type": "string"}}}}"#;

    fn shown(text: &str, color: Color) -> String {
        let schema = Schema::from_text(SCHEMA).expect("a schema");
        let fitted = fit_with(text, &schema, &FitOptions::default()).expect("a value");
        let json = fitted.json(text).into_owned();
        let fit = Fit { coercions: fitted.coercions, violations: Vec::new() };
        guesses(&json, text, (&fitted.report, Some(&fit)), color)
    }

    #[test]
    fn each_guess_stands_behind_its_line() {
        let found = shown(r#"{"city": "Oslo", "days": 3, "kind": "musuem"}"#, Color::Plain);
        let lines: Vec<&str> = found.lines().collect();
        assert_eq!(lines[..3], ["{", "  \"city\": \"Oslo\",", "  \"days\": 3,"], "{found}");
        assert!(
            lines[3].starts_with("  \"kind\": \"museum\"  ← guess: ")
                && lines[3].ends_with("was `\"musuem\"`"),
            "{found}"
        );
        let colored = shown(r#"{"kind": "musuem"}"#, Color::Ansi);
        assert!(colored.contains("\"museum\"  \u{1b}[1;33m← guess"), "{colored}");
        // A quote within a string, of which the end is a guess.
        let found = shown(r#"{"city": "the "old" town", "days": 3}"#, Color::Plain);
        assert!(
            found.lines().nth(1).is_some_and(|line| line.contains("town\",  ← guess: ")),
            "{found}"
        );
        assert!(!found.lines().nth(2).is_some_and(|line| line.contains('←')), "{found}");
    }

    #[test]
    fn long_values_are_folded_to_what_matters() {
        let stops = r#""stop", "#.repeat(60);
        let text = format!(r#"{{"stops": [{stops}"end"], "kind": "musuem", "days": 3}}"#);
        let found = shown(&text, Color::Plain);
        assert!(found.lines().count() < 12, "{found}");
        for expected in [
            "{\n  \"stops\": [\n    … 60 lines\n    \"end\"\n  ],\n",
            "← guess",
            "  \"days\": 3\n}\n",
        ] {
            assert!(found.contains(expected), "{expected}: {found}");
        }
        let long = format!(r#"{{"city": "{}", "kind": "musuem"}}"#, "x".repeat(5_000));
        assert!(shown(&long, Color::Plain).len() < 400);
    }

    #[test]
    fn nothing_of_a_value_controls_the_terminal() {
        let found = shown(
            "{\"city\": \"\u{1b}[2J sk-abcdefghijklmnopqrst1234\", \"kind\": \"musuem\"}",
            Color::Plain,
        );
        assert!(!found.contains('\u{1b}') && !found.contains("sk-abc"), "{found}");
    }
}
