//! The explanation on standard error: the input with each repair and problem marked in place.

use annotate_snippets::{Element, Group, Level, Renderer};
use llmend::{
    Coercion, Violation,
    json::{Diagnostic, Report, Severity, line_column},
};

use crate::{
    outcome::Failure,
    render::{
        Color, Named,
        annotate::{extent, marked, origin, trimmed},
        counted, edits, grouped,
        summary::found,
        visible,
        window::{Mark, Weight},
    },
};

/// Findings with one code that are shown; the rest are counted.
const SHOWN_ALIKE: usize = 4;
/// Problems of one text that are shown; the rest are counted.
const SHOWN_PROBLEMS: usize = 50;
/// The maximum length of an expectation beside a mark; a longer one stands below.
const SHOWN_EXPECTED: usize = 60;
/// Characters of a message that are shown.
const SHOWN_MESSAGE: usize = 600;
/// The code of ignored text around the value, which is marked with the location of the value.
const SURROUNDINGS: &str = "extract/surroundings";

/// Renders the input with every repair, coercion and finding marked.
pub(crate) fn explain(
    source: Named<'_>,
    report: &Report,
    coercions: &[Coercion],
    color: Color,
) -> String {
    let mut out = String::new();
    push(&mut out, &candidate(source, report), color);
    push(&mut out, &edits::repairs(source, &report.repairs), color);
    push(&mut out, &edits::coercions(source, coercions), color);
    let rows = report.diagnostics.iter().filter(|row| row.code != SURROUNDINGS);
    alike(&mut out, source, rows, color);
    out
}

/// Renders `rows` in place. Of many with one code, the rest are counted.
pub(super) fn alike<'d>(
    out: &mut String,
    source: Named<'_>,
    rows: impl Iterator<Item = &'d Diagnostic>,
    color: Color,
) {
    let mut codes: Vec<(&str, usize)> = Vec::new();
    for row in rows {
        let at = codes.iter().position(|(code, _)| *code == row.code).unwrap_or_else(|| {
            codes.push((&row.code, 0));
            codes.len() - 1
        });
        codes[at].1 += 1;
        if codes[at].1 <= SHOWN_ALIKE {
            push(out, &problem(source, row, None), color);
        }
    }
    for (code, count) in codes.into_iter().filter(|(_, count)| *count > SHOWN_ALIKE) {
        let title = format!("{} more of this kind", grouped(count - SHOWN_ALIKE));
        push(out, &[Group::with_title(Level::NOTE.primary_title(title).id(code))], color);
    }
}

/// Renders the problems of a text without a value in place, up to a limit.
pub(crate) fn refusal(source: Named<'_>, failure: &Failure, color: Color) -> String {
    let mut out = String::new();
    let violations = failure.fit.as_ref().map(|fit| fit.violations.as_slice()).unwrap_or_default();
    for (at, row) in failure.diagnostics.iter().take(SHOWN_PROBLEMS).enumerate() {
        let hint = failure.hint.clone().filter(|_| at == 0);
        let row = Diagnostic { help: hint.or_else(|| row.help.clone()), ..row.clone() };
        push(&mut out, &problem(source, &row, violations.get(at)), color);
    }
    let rest = failure.diagnostics.get(SHOWN_PROBLEMS..).unwrap_or_default();
    if !rest.is_empty() {
        let title = format!(
            "{} not shown; use `--report json` to see all",
            counted(rest.len(), "more problem")
        );
        push(&mut out, &[Group::with_title(Level::NOTE.primary_title(title))], color);
    }
    out
}

/// Renders the warnings and errors among `diagnostics`.
pub(crate) fn warnings(source: Named<'_>, diagnostics: &[Diagnostic], color: Color) -> String {
    let mut out = String::new();
    alike(&mut out, source, diagnostics.iter().filter(|row| row.severity > Severity::Info), color);
    out
}

/// Renders `groups` as one block, and appends it.
pub(super) fn push(out: &mut String, groups: &[Group<'_>], color: Color) {
    let renderer = match color {
        Color::Plain => Renderer::plain(),
        Color::Ansi => Renderer::styled(),
    };
    if groups.is_empty() {
        return;
    }
    if !out.is_empty() {
        out.push('\n');
    }
    let block = renderer.render(groups);
    let mut above = None;
    for line in block.lines() {
        // The location and the snippet below it both start with an empty line.
        if above != Some(line) {
            out.push_str(line);
            out.push('\n');
        }
        above = Some(line);
    }
}

/// Renders where the value was found, unless it is the whole text, and what was ignored around it.
fn candidate<'a>(source: Named<'a>, report: &Report) -> Vec<Group<'a>> {
    let Some(found) = found(report) else { return Vec::new() };
    let span = report.candidate.span;
    let (first, _) = line_column(source.text, span.start);
    let (last, _) = line_column(source.text, span.end);
    let lines =
        if first == last { format!("line {first}") } else { format!("lines {first} to {last}") };
    let title = Level::INFO.primary_title(format!("{found}, {lines}"));
    let ignored = report.diagnostics.iter().filter(|row| row.code == SURROUNDINGS);
    let marks = ignored.filter_map(|row| row.span).map(|span| {
        let span = trimmed(source.text, span);
        Mark {
            span,
            head: "ignored".to_owned(),
            tail: extent(source, span).map_or_else(String::new, |extent| format!(", {extent}")),
            weight: Weight::Main,
        }
    });
    let mut groups = vec![Group::with_title(title).element(origin(source, span))];
    groups.extend(marked(source, marks.collect(), &Level::INFO));
    groups
}

/// Renders a finding with its location, message and help, and the expectation of a violation.
fn problem<'a>(
    source: Named<'a>,
    row: &Diagnostic,
    violation: Option<&Violation>,
) -> Vec<Group<'a>> {
    let level = match row.severity {
        Severity::Info => Level::INFO,
        Severity::Warning => Level::WARNING,
        Severity::Error => Level::ERROR,
    };
    let title =
        level.clone().primary_title(visible(&row.message, SHOWN_MESSAGE)).id(row.code.to_string());
    let mut groups = vec![Group::with_title(title)];
    let expected = violation.filter(|_| row.span.is_some()).and_then(expected);
    if let Some(span) = row.span {
        let span = trimmed(source.text, span);
        let label: Vec<String> = expected.iter().cloned().chain(extent(source, span)).collect();
        let (head, tail) = (String::new(), label.join(", "));
        let mark = Mark { span, head, tail, weight: Weight::Main };
        groups = groups.into_iter().map(|title| title.element(origin(source, span))).collect();
        groups.extend(marked(source, vec![mark], &level));
    }
    let mut notes: Vec<Element<'_>> = Vec::new();
    if let Some(path) = row.path.as_deref().filter(|path| !path.is_empty()) {
        notes.push(Level::NOTE.message(format!("at {}", visible(path, SHOWN_MESSAGE))).into());
    }
    // The mark already shows the expectation.
    let help = match (&expected, violation) {
        (Some(_), Some(violation)) => violation.hint.as_ref(),
        _ => row.help.as_ref(),
    };
    if let Some(help) = help {
        notes.push(Level::HELP.message(visible(help, SHOWN_MESSAGE)).into());
    }
    if let Some(last) = groups.pop() {
        groups.push(last.elements(notes));
    }
    groups
}

/// Returns the expectation of a violation if it is short and neither the message nor the hint says it.
fn expected(violation: &Violation) -> Option<String> {
    let fits = violation.expected.chars().count() <= SHOWN_EXPECTED;
    (fits && !violation.mentions_expected())
        .then(|| format!("expected: {}", visible(&violation.expected, SHOWN_EXPECTED)))
}

#[cfg(test)]
mod tests {
    use llmend::{
        CoercionKind, Span,
        json::{Candidate, Repair, Rule, Status},
    };
    use proptest::prelude::*;

    use super::*;
    use crate::exit::Exit;

    /// Texts of short and long lines, of characters that are wide, narrow, absent or dangerous.
    fn texts() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            4 => "[a-z\"'{}\\[\\],: ]{0,20}",
            2 => Just("\n".to_owned()),
            1 => "\\PC{0,6}",
            1 => prop::sample::select(vec![
                "\r\n", "\t", "\u{1b}[31m", "\u{202e}", "\u{0}", "日本語", "👩‍👩‍👧", "é", "\u{301}", "\u{200b}", "\u{9b}",
            ])
            .prop_map(ToOwned::to_owned),
            1 => "[a-z]{150,200}",
        ];
        prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
    }

    /// Disjoint spans in order, on character boundaries of `text`.
    fn spans(text: &str, cuts: &[prop::sample::Index]) -> Vec<Span> {
        let mut at: Vec<usize> =
            cuts.iter().map(|cut| text.floor_char_boundary(cut.index(text.len() + 1))).collect();
        at.sort_unstable();
        at.chunks_exact(2).map(|pair| Span::new(pair[0], pair[1])).collect()
    }

    fn is_harmless(shown: &str) -> bool {
        let hostile =
            |c: char| (c.is_control() && c != '\n') || ('\u{202a}'..='\u{202e}').contains(&c);
        !shown.contains(hostile)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

        #[test]
        fn every_report_on_every_text_renders(
            text in texts(),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..140),
            replacement in texts(),
            rules in prop::collection::vec(prop::sample::select(Rule::ALL), 70),
            kinds in prop::collection::vec(prop::sample::select(CoercionKind::ALL), 70),
        ) {
            let source = Named { name: "a\u{1b}b.txt", text: &text };
            let spans = spans(&text, &cuts);
            let repairs: Vec<Repair> = spans
                .iter()
                .zip(rules)
                .map(|(span, rule)| Repair { rule, span: *span, replacement: replacement.clone().into() })
                .collect();
            let diagnostics: Vec<Diagnostic> = spans
                .iter()
                .map(|span| Diagnostic::new("a/b", Severity::Warning, replacement.clone()).at(*span).on(&text))
                .collect();
            let report = Report {
                status: Status::Repaired,
                class: None,
                cut: spans.first().map(|span| span.end),
                candidate: Candidate { span: Span::new(0, text.len()), origin: llmend::json::Origin::Fence },
                repairs,
                diagnostics: diagnostics.clone(),
            };
            let coercions: Vec<Coercion> = spans
                .iter()
                .zip(kinds)
                .enumerate()
                .map(|(at, (span, kind))| Coercion {
                    kind,
                    class: kind.class(),
                    path: text.clone(),
                    span: (at % 5 > 0).then_some(*span),
                    before: text.clone(),
                    after: replacement.clone(),
                    index: None,
                })
                .collect();
            let plain = explain(source, &report, &coercions, Color::Plain);
            prop_assert!(is_harmless(&plain), "{plain:?}");
            let failure = Failure::new(Exit::Refused, diagnostics).hint(replacement);
            let plain = refusal(source, &failure, Color::Plain);
            prop_assert!(is_harmless(&plain), "{plain:?}");
            let bare = |shown: &str| shown.replace(['\u{1b}', '\n'], "").len();
            prop_assert!(bare(&refusal(source, &failure, Color::Ansi)) >= bare(&plain));
            explain(source, &report, &coercions, Color::Ansi);
        }
    }
}
