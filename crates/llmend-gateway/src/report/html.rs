//! HTML page of a report.
//!
//! One file that needs nothing else: no script, font or picture from elsewhere, and a content security
//! policy that forbids them. Names of models come from clients and are escaped.

use std::borrow::Borrow;

use askama::Template;
use llmend::Class;

use super::escape::escaped;
use super::plot::{Segment, bar, columns};
use super::{FindingReport, ModelReport, OutcomeCount, Period, Report};
use crate::recording::Outcome;

const STYLE: &str = include_str!("style.css");

/// Outcomes as the charts group them: CSS class, label, members.
const GROUPS: [(&str, &str, &[Outcome]); 6] = [
    ("unchanged", "unchanged", &[Outcome::Unchanged]),
    ("repaired", "repaired", &[Outcome::Repaired]),
    ("truncated", "truncated", &[Outcome::Truncated]),
    ("refused", "refused", &[Outcome::Refused]),
    ("none", "no answer", &[Outcome::Failed, Outcome::Rejected, Outcome::ClientGone]),
    ("passed", "not inspected", &[Outcome::Passthrough]),
];

/// Columns of the table of models, as [`numbers`] fills them.
const HEADS: [&str; 15] = [
    "exchanges",
    "unchanged",
    "repaired",
    "truncated",
    "refused",
    "failed",
    "rejected",
    "client disconnected",
    "not inspected",
    "attempts",
    "retried",
    "input tokens",
    "output tokens",
    "median ms",
    "95th percentile ms",
];

/// Maximum number of findings in the picture of all models.
const MAX_SHOWN: usize = 15;

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'r> {
    journal: &'r str,
    report: &'r Report,
    history: Option<History>,
}

/// The picture of exchanges over time, and the texts around it.
struct History {
    unit: &'static str,
    highest: u64,
    picture: String,
    first: String,
    last: String,
}

/// Renders the report as a page. `journal` is the name of the file in its heading.
pub fn html(report: &Report, journal: &str) -> String {
    let page = Page { journal, report, history: history(&report.times) };
    // Writing to a string cannot fail.
    page.render().unwrap_or_default()
}

/// Shortens an RFC 3339 time to minutes.
fn minute(moment: &str) -> String {
    let (day, time) = moment.split_once('T').unwrap_or((moment, ""));
    format!("{day} {}", time.get(..5).unwrap_or_default())
}

/// Formats a number with a comma between groups of three digits.
fn grouped(number: impl Borrow<u64>) -> String {
    let digits = number.borrow().to_string();
    let mut out = String::new();
    for (digit, left) in digits.chars().zip((1..=digits.len()).rev()) {
        out.push(digit);
        if left > 1 && left % 3 == 1 {
            out.push(',');
        }
    }
    out
}

/// Formats a share in percent, rounded to one decimal place.
fn percent(count: impl Borrow<u64>, of: u64) -> String {
    if of == 0 {
        return "–".to_owned();
    }
    let tenths = (u128::from(*count.borrow()) * 2000 + u128::from(of)) / (u128::from(of) * 2);
    format!("{}.{} %", tenths / 10, tenths % 10)
}

/// Returns the tiles at the top of the page: name, value and detail.
fn tiles(all: &ModelReport) -> [(&'static str, String, String); 9] {
    let share = |name, count, of, what: &str| {
        (name, percent(count, of), format!("{} of {} {what}", grouped(count), grouped(of)))
    };
    let inspected = all.inspected();
    let of_inspected = |name, outcome| share(name, all.count(outcome), inspected, "inspected");
    let of_all = |name, count| share(name, count, all.exchanges, "exchanges");
    [
        ("exchanges", grouped(all.exchanges), format!("{} inspected", grouped(inspected))),
        of_inspected("unchanged", Outcome::Unchanged),
        of_inspected("repaired", Outcome::Repaired),
        of_inspected("truncated", Outcome::Truncated),
        of_inspected("refused", Outcome::Refused),
        of_all("retried", all.asked_again),
        of_all("no answer", group(&all.outcomes, GROUPS[4].2)),
        ("tokens", grouped(all.tokens_out), format!("output, {} input", grouped(all.tokens_in))),
        ("duration", format!("{} ms", grouped(all.median_ms)), "median".to_owned()),
    ]
}

/// Counts the exchanges whose outcome is in `group`.
fn group(outcomes: &[OutcomeCount], group: &[Outcome]) -> u64 {
    outcomes.iter().filter(|row| group.contains(&row.outcome)).map(|row| row.count).sum()
}

/// Returns a segment for each group of outcomes; `prefix` begins their titles.
fn segments(outcomes: &[OutcomeCount], all: u64, prefix: &str) -> Vec<Segment> {
    let segment = |&(kind, words, of): &(&'static str, &str, &[Outcome])| {
        let count = group(outcomes, of);
        let title = format!("{prefix}{words}: {} ({})", grouped(count), percent(count, all));
        Segment { kind, title, count }
    };
    GROUPS.iter().map(segment).collect()
}

fn outcome_bar(model: &ModelReport) -> String {
    let segments = segments(&model.outcomes, model.exchanges, "");
    bar(&segments, model.exchanges, &format!("outcomes of {}", model.model))
}

fn finding_bar(finding: &FindingReport, first: &FindingReport) -> String {
    let title = format!("{}: {} exchanges", finding.name, grouped(finding.exchanges));
    let segment = Segment { kind: class_kind(finding), title, count: finding.exchanges };
    bar(&[segment], first.exchanges, &finding.name)
}

/// Returns the picture of exchanges over time, if there are at least two periods.
fn history(times: &[Period]) -> Option<History> {
    let [first, .., last] = times else { return None };
    let sum = |period: &Period| period.outcomes.iter().map(|row| row.count).sum::<u64>();
    let column =
        |period: &Period| segments(&period.outcomes, sum(period), &format!("{}: ", begin(period)));
    let unit = match first.seconds {
        3_600 => "hour",
        86_400 => "day",
        _ => "week",
    };
    let periods: Vec<Vec<Segment>> = times.iter().map(column).collect();
    Some(History {
        unit,
        highest: times.iter().map(sum).max().unwrap_or(0),
        picture: columns(&periods, &format!("exchanges per {unit}")),
        first: begin(first),
        last: begin(last),
    })
}

/// Formats the start of a period; only hours show a time of day.
fn begin(period: &Period) -> String {
    let begin = minute(&period.from);
    if period.seconds == 3_600 {
        return begin;
    }
    begin.split(' ').next().unwrap_or_default().to_owned()
}

fn class_kind(finding: &FindingReport) -> &'static str {
    finding.class.map_or("found", Class::as_str)
}

/// Returns the cost of a model in the table.
fn paid(model: &ModelReport) -> &str {
    model.cost.as_deref().unwrap_or("–")
}

/// Returns the row of a model in the table, in the order of [`HEADS`].
fn numbers(model: &ModelReport) -> [u64; 15] {
    [
        model.exchanges,
        model.count(Outcome::Unchanged),
        model.count(Outcome::Repaired),
        model.count(Outcome::Truncated),
        model.count(Outcome::Refused),
        model.count(Outcome::Failed),
        model.count(Outcome::Rejected),
        model.count(Outcome::ClientGone),
        model.count(Outcome::Passthrough),
        model.attempts,
        model.asked_again,
        model.tokens_in,
        model.tokens_out,
        model.median_ms,
        model.p95_ms,
    ]
}

#[cfg(test)]
mod tests {
    use super::{grouped, html, percent};
    use crate::recording::{CallCounts, Finding, Outcome, Summary};
    use crate::report::escape::escaped;
    use crate::report::{Row, of};

    #[test]
    fn numbers_are_formatted() {
        for (number, expected) in
            [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")]
        {
            assert_eq!(grouped(number), expected);
        }
        let rows = [
            (1, 3, "33.3 %"),
            (2, 3, "66.7 %"),
            (0, 5, "0.0 %"),
            (5, 5, "100.0 %"),
            (1, 2000, "0.1 %"),
            (u64::MAX, u64::MAX, "100.0 %"),
            (0, 0, "–"),
        ];
        for (count, of, expected) in rows {
            assert_eq!(percent(count, of), expected);
        }
    }

    fn summary(name: &str, outcome: Outcome, attempts: u32) -> Summary {
        Summary {
            id: 1,
            at_ms: 1,
            request_id: name.to_owned(),
            endpoint: name.to_owned(),
            model: name.to_owned(),
            status: None,
            outcome,
            code: Some(name.to_owned()),
            class: None,
            attempts,
            repairs: 1,
            calls: CallCounts::default(),
            tokens_in: None,
            tokens_out: None,
            duration_ms: 1,
        }
    }

    #[test]
    fn a_share_names_its_total() {
        let outcomes = [
            (Outcome::Unchanged, 1),
            (Outcome::Unchanged, 1),
            (Outcome::Truncated, 1),
            (Outcome::Refused, 2),
            (Outcome::Passthrough, 1),
            (Outcome::Passthrough, 1),
            (Outcome::Passthrough, 1),
            (Outcome::Failed, 1),
        ];
        let row = |&(outcome, attempts): &(Outcome, u32)| Row {
            summary: summary("m", outcome, attempts),
            findings: Vec::new(),
        };
        let report = of(outcomes.iter().map(row));
        let page = html(&report, "a.db");
        let inspected = report.all.inspected();
        for (name, count, of, words) in [
            ("unchanged", 2, inspected, "inspected"),
            ("repaired", 0, inspected, "inspected"),
            ("truncated", 1, inspected, "inspected"),
            ("refused", 1, inspected, "inspected"),
            ("retried", 1, 8, "exchanges"),
            ("no answer", 1, 8, "exchanges"),
        ] {
            let tile = format!(
                "<dt>{name}</dt><dd>{}</dd><dd class=\"sub\">{count} of {of} {words}</dd>",
                percent(count, of)
            );
            assert!(page.contains(&tile), "{tile}\n{page}");
        }
    }

    #[test]
    fn hostile_names_are_text() {
        let name = "<script>alert(1)</script>\" onload='x' & \u{202e}\u{0}";
        let summary = summary(name, Outcome::Repaired, 1);
        let finding = Finding { name: name.to_owned(), class: None, count: 1 };
        let report = of([Row { summary, findings: vec![finding] }]);
        let page = html(&report, name);
        assert!(!page.contains("<script") && !page.contains("onload='"), "{page}");
        assert!(!page.contains(['\u{0}', '\u{202e}']), "{page}");
        let text = escaped(name).to_string();
        assert!(page.contains(&format!("<bdi>{text}</bdi>")), "{page}");
        assert!(page.contains("default-src 'none'"), "{page}");
        for absent in ["http://", "https://", "url(", "@import", "<link", "<img"] {
            assert!(!page.contains(absent), "{absent}");
        }
    }

    #[test]
    fn a_page_without_exchanges() {
        let page = html(&of([]), "empty.db");
        assert!(page.contains("No exchanges match") && page.ends_with("</html>\n"), "{page}");
    }
}
