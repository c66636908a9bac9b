//! Accounting of edits: each does what its rule says, and together they give the output.
//!
//! The engine is not consulted: the output is reconstructed from the text and the record of edits,
//! and each edit is compared with the purpose of its rule.

use llmend_json::{Class, Diagnostic, Repair, Repaired, Rule, Span};

use super::broken::{Broken, holds};
use super::oracle::is_valid_json;

/// Checks G8 on one result.
///
/// # Errors
/// The edit that is not accounted for.
pub(super) fn accounted(text: &str, repaired: &Repaired<'_>) -> Result<(), Broken> {
    let report = &repaired.report;
    let whole = report.candidate.span;
    let mut out = String::new();
    let mut at = whole.start;
    for repair in &report.repairs {
        out.push_str(&text[at..repair.span.start]);
        out.push_str(&repair.replacement);
        at = repair.span.end;
        one(repair.span.of(text), repair)?;
    }
    out.push_str(&text[at..whole.end]);
    holds("G8", out == repaired.text, || {
        format!("text and record give {out}, the output is {}", repaired.text)
    })?;
    let gravest = report.repairs.iter().map(|repair| repair.rule.class()).max();
    holds("G8", report.class >= gravest, || {
        format!("class {:?}, and a rule of class {gravest:?} was followed", report.class)
    })?;
    for around in [Span::new(0, whole.start), Span::new(whole.end, text.len())] {
        let told =
            |row: &Diagnostic| row.code == "extract/surroundings" && row.span == Some(around);
        let silent = around.of(text).trim().is_empty();
        holds("G8", silent || report.diagnostics.iter().any(told), || {
            format!("what was left out at {around:?} is not told")
        })?;
    }
    Ok(())
}

/// What `inserted` says, if it is a JSON string.
fn said(inserted: &str) -> Option<String> {
    serde_json::from_str(inserted).ok()
}

/// One edit: letters and digits go, and come, only where the rule is for that.
fn one(removed: &str, repair: &Repair) -> Result<(), Broken> {
    let inserted = repair.replacement.as_ref();
    let broken = |what: &str| {
        let why = format!("{} {what}: {removed:?} becomes {inserted:?}", repair.rule);
        Err(Broken { promise: "G8", why })
    };
    let kept = within(&letters(removed), &letters(inserted))
        || within(&letters(&undone(removed)), &letters(&undone(inserted)));
    if !kept && !may_drop(repair.rule, removed, inserted) {
        return broken("drops text");
    }
    let had = within(&letters(inserted), &letters(removed))
        || within(&letters(&undone(inserted)), &letters(&undone(removed)))
        || said(inserted).is_some_and(|said| within(&letters(&said), &letters(removed)));
    if !had && !may_put_in(repair.rule, removed, inserted) {
        return broken("invents text");
    }
    Ok(())
}

/// Whether the rule is for taking `removed` away, or for saying it with other letters.
fn may_drop(rule: Rule, removed: &str, inserted: &str) -> bool {
    let goes_from = |marks: &[&str]| {
        inserted.trim().is_empty() && marks.iter().any(|mark| removed.trim().starts_with(mark))
    };
    match rule {
        Rule::EscapedWhitespace => {
            removed.chars().all(|c| "\\nrt".contains(c) || c.is_whitespace())
        }
        Rule::LineComment => goes_from(&["//"]) && !removed.trim().contains('\n'),
        Rule::HashComment => goes_from(&["#"]) && !removed.trim().contains('\n'),
        Rule::DashComment => goes_from(&["--"]) && !removed.trim().contains('\n'),
        Rule::BlockComment => goes_from(&["/*"]),
        Rule::HtmlComment => goes_from(&["<!--"]),
        Rule::BacktickQuotes => removed.starts_with("```") && inserted == "\"",
        Rule::Annotation => {
            let words = |c: char| c.is_alphanumeric() || " -.!?".contains(c);
            goes_from(&["(", "[", "【", "as ", "←", "<-", "–", "—", "-"])
                || (goes_from(&["%", ";", "'"]) && !removed.contains('\n'))
                || (inserted.is_empty() && removed.chars().all(words))
        }
        Rule::Bullet => {
            inserted.is_empty() && removed.trim().len() <= 8 && !removed.contains(['"', '{', '['])
        }
        // The colors of a terminal.
        Rule::OddWhitespace => goes_from(&["\u{1b}["]) && !removed.contains(['"', '{', '}', ',']),
        Rule::StringPrefix => removed.len() <= 2 && inserted.is_empty(),
        Rule::TypeWrapper => {
            let is_type = |c: char| c.is_alphanumeric() || " _.:!*[]{(".contains(c);
            is_date(removed)
                || inserted.is_empty()
                    && (removed.chars().all(is_type) || removed.trim_end().ends_with(['"', '\'']))
        }
        Rule::Strikethrough => goes_from(&["~~"]),
        Rule::RepeatedKey => inserted.is_empty() && !removed.contains(['{', '[', ',']),
        Rule::ForeignLiteral => is_literal(inserted),
        Rule::NumberFormat => is_number(inserted),
        Rule::CutLiteral => is_literal(inserted) && begins_literal(removed),
        Rule::CutNumber => is_number(inserted) && removed.starts_with(inserted),
        Rule::ForeignEscape | Rule::EscapedDocument => removed.starts_with('\\'),
        Rule::EntityDocument => removed.starts_with('&'),
        Rule::MissingDecoding => removed.starts_with(['Ġ', 'Ċ', 'ĉ', '▁', '<', 'â']),
        Rule::MismatchedQuotes => removed.starts_with('&') && inserted == "\"",
        Rule::LinePrefix => inserted.is_empty() && !removed.contains(['\n', '"', '{', '}']),
        Rule::Difference => {
            inserted.is_empty()
                && removed.lines().all(|line| line.starts_with(['-', '+', ' ', '\\']))
        }
        // What is between two pieces, perhaps of one token, or an escape in one.
        Rule::EventStream => {
            inserted.trim().is_empty() || removed.starts_with('\\') || removed.contains('\n')
        }
        Rule::Interjection => inserted.is_empty(),
        Rule::SeveralDocuments => matches!(inserted, "[" | "," | "]"),
        _ => rule.class() == Class::Loss,
    }
}

/// Whether the rule is for putting in letters that were not there.
fn may_put_in(rule: Rule, removed: &str, inserted: &str) -> bool {
    match rule {
        Rule::ForeignLiteral => is_literal(inserted),
        Rule::CutLiteral => is_literal(inserted) && begins_literal(removed),
        Rule::MissingValue | Rule::NotANumber => letters(inserted) == "null",
        Rule::NumberFormat => is_number(inserted),
        // The zeros of a month or day.
        Rule::TypeWrapper => is_date(removed),
        Rule::ForeignEscape | Rule::EventStream => removed.starts_with('\\'),
        Rule::EscapedDocument => removed.starts_with("\\u"),
        _ => false,
    }
}

/// Whether the text is a date as Python represents it.
fn is_date(text: &str) -> bool {
    text.starts_with("datetime") && text.ends_with(')')
}

fn is_literal(text: &str) -> bool {
    matches!(text, "true" | "false" | "null")
}

/// Whether the text is the beginning of a literal, of JSON's or of another language.
fn begins_literal(text: &str) -> bool {
    const LITERALS: [&str; 6] = ["true", "false", "null", "none", "nil", "undefined"];
    LITERALS.iter().any(|whole| whole.starts_with(&text.to_lowercase()))
}

fn is_number(text: &str) -> bool {
    text.starts_with(|c: char| c == '-' || c.is_ascii_digit()) && is_valid_json(text)
}

/// The letters and digits of a text.
fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

/// Whether the characters of `part` stand in `text`, in order.
fn within(part: &str, text: &str) -> bool {
    let mut rest = text.chars();
    part.chars().all(|c| rest.any(|other| other == c))
}

/// A text without JSON's escapes of white space and control characters.
fn undone(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        match (c, rest.clone().next()) {
            ('\\', Some('n' | 'r' | 't' | 'b' | 'f')) => drop(rest.next()),
            ('\\', Some('\\')) => drop(rest.next()),
            ('\\', Some('u')) if rest.as_str().starts_with("u00") => drop(rest.nth(4)),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_beyond_its_rule_is_seen() {
        let edit = |rule, replacement: &str| Repair {
            rule,
            span: Span::new(0, 0),
            replacement: replacement.to_owned().into(),
        };
        for (removed, rule, replacement, kept) in [
            ("\"", Rule::SingleQuotes, "\"", true),
            ("'a", Rule::SingleQuotes, "\"", false),
            ("'", Rule::SingleQuotes, "\"a", false),
            ("// b", Rule::LineComment, "", true),
            ("// b\nc", Rule::LineComment, "", false),
            ("# b", Rule::LineComment, "", false),
            ("True", Rule::ForeignLiteral, "true", true),
            ("Truly", Rule::ForeignLiteral, "truly", false),
            ("\n", Rule::RawNewline, "\\n", true),
            ("\u{1}", Rule::RawControl, "\\u0001", true),
            ("\n", Rule::RawNewline, "n", false),
            ("tru", Rule::CutLiteral, "true", true),
            ("No", Rule::CutLiteral, "null", true),
            ("x", Rule::CutLiteral, "null", false),
            ("12e", Rule::CutNumber, "12", true),
            ("12e", Rule::CutNumber, "1", true),
            ("12e", Rule::CutNumber, "2", false),
            ("a, ", Rule::TrailingComma, "", false),
            ("NOTE", Rule::StrayText, "", true),
            ("12 | ", Rule::LinePrefix, "", true),
            ("\"}\n\ndata: {\"text\": \"", Rule::EventStream, "", true),
            ("\\u00e9", Rule::EventStream, "é", true),
            ("data: {\"text\": \"a", Rule::EventStream, "b", false),
            ("12 | \"a\"", Rule::LinePrefix, "", false),
            ("12) ", Rule::Bullet, "", true),
            ("- \"a", Rule::Bullet, "", false),
            ("]string{", Rule::TypeWrapper, "", true),
            ("f(1, 2), g(", Rule::TypeWrapper, "", false),
            ("% note", Rule::Annotation, "", true),
        ] {
            let outcome = one(removed, &edit(rule, replacement));
            assert_eq!(outcome.is_ok(), kept, "{rule}: {removed} to {replacement}");
        }
    }
}
