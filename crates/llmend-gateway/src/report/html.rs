//! How does a report look in a browser?
//!
//! One file that needs nothing else: no script, no font, no picture from elsewhere, and a policy that
//! forbids them. Names of models are text of others, and stand in it as text.

use std::fmt::Write as _;

use llmend::Class;

use super::plot::{Part, bar, columns};
use super::{FindingReport, ModelReport, OutcomeCount, Report, Time};
use crate::recording::Outcome;

/// What the page looks like.
const STYLE: &str = include_str!("style.css");

/// Outcomes as a picture tells them apart: the class of the colour, the words, and which ones they are.
const GROUPS: [(&str, &str, &[Outcome]); 6] = [
    ("unchanged", "as it came", &[Outcome::Unchanged]),
    ("repaired", "repaired", &[Outcome::Repaired]),
    ("truncated", "cut off, given as such", &[Outcome::Truncated]),
    ("refused", "refused", &[Outcome::Refused]),
    ("none", "no answer", &[Outcome::Failed, Outcome::Rejected, Outcome::ClientGone]),
    ("passed", "not looked at", &[Outcome::Passthrough]),
];

/// Most findings that the picture of all models shows.
const MOST_SHOWN: usize = 15;

/// The report as a page. `journal` is what its heading calls the file.
pub fn html(report: &Report, journal: &str) -> String {
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title} · llmend</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>What models broke</h1>\n<p class=\"sub\"><bdi>{title}</bdi>",
        title = escaped(journal)
    );
    if let (Some(first), Some(last)) = (&report.first, &report.last) {
        let _ = write!(out, " · {} to {} (UTC)", minute(first), minute(last));
    }
    out.push_str("</p>\n");
    if report.exchanges == 0 {
        out.push_str("<p>There is no exchange here that counts.</p>\n");
    } else {
        tiles(&mut out, &report.all);
        over_models(&mut out, report);
        over_time(&mut out, report);
        over_findings(&mut out, &report.all);
        model_table(&mut out, report);
        details(&mut out, report);
    }
    out.push_str("</main>\n</body>\n</html>\n");
    out
}

/// Text between tags or in an attribute. What a page must not hold at all is replaced.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if c.is_control() || turns(c) => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// Whether a character turns the direction of a text around, and so makes a name look like another one.
const fn turns(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A moment without its seconds.
fn minute(moment: &str) -> String {
    let (day, time) = moment.split_once('T').unwrap_or((moment, ""));
    escaped(&format!("{day} {}", time.get(..5).unwrap_or_default()))
}

/// A number in groups of three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (digit, left) in digits.chars().zip((1..=digits.len()).rev()) {
        out.push(digit);
        if left > 1 && left % 3 == 1 {
            out.push(',');
        }
    }
    out
}

/// How many of a hundred, with one digit behind the point, rounded to the nearest.
fn percent(count: u64, of: u64) -> String {
    if of == 0 {
        return "–".to_owned();
    }
    let tenths = (u128::from(count) * 2000 + u128::from(of)) / (u128::from(of) * 2);
    format!("{}.{} %", tenths / 10, tenths % 10)
}

fn tiles(out: &mut String, all: &ModelReport) {
    let looked = all.looked_at();
    let of_looked_at =
        |count| (percent(count, looked), format!("{} of those looked at", grouped(count)));
    let of_all = |count| (percent(count, all.exchanges), format!("{} of all", grouped(count)));
    let given = |outcome| of_looked_at(all.came_to(outcome));
    let rows = [
        ("exchanges", (grouped(all.exchanges), format!("{} looked at", grouped(looked)))),
        ("as they came", given(Outcome::Unchanged)),
        ("repaired", given(Outcome::Repaired)),
        ("cut off, given as such", given(Outcome::Truncated)),
        ("refused", given(Outcome::Refused)),
        ("asked again", of_all(all.asked_again)),
        ("no answer", of_all(group(&all.outcomes, GROUPS[4].2))),
        ("tokens", (grouped(all.tokens_out), format!("written, {} read", grouped(all.tokens_in)))),
        ("time", (format!("{} ms", grouped(all.median_ms)), "median".to_owned())),
    ];
    out.push_str("<dl class=\"tiles\">\n");
    for (name, (value, beside)) in rows {
        let _ = writeln!(
            out,
            "<div><dt>{name}</dt><dd>{value}</dd><dd class=\"sub\">{beside}</dd></div>"
        );
    }
    out.push_str("</dl>\n");
}

fn group(outcomes: &[OutcomeCount], group: &[Outcome]) -> u64 {
    outcomes.iter().filter(|row| group.contains(&row.outcome)).map(|row| row.count).sum()
}

fn parts(outcomes: &[OutcomeCount], all: u64) -> Vec<Part> {
    GROUPS
        .iter()
        .map(|(kind, words, of)| {
            let count = group(outcomes, of);
            let title = format!("{words}: {} ({})", grouped(count), percent(count, all));
            Part { kind, title, count }
        })
        .collect()
}

fn legend(out: &mut String, all: &ModelReport) {
    out.push_str("<ul class=\"legend\">\n");
    for (kind, words, of) in GROUPS {
        if group(&all.outcomes, of) > 0 {
            let _ = writeln!(out, "<li><i class=\"{kind}\"></i>{words}</li>");
        }
    }
    out.push_str("</ul>\n");
}

fn over_models(out: &mut String, report: &Report) {
    out.push_str("<section>\n<h2>What came of it, by model</h2>\n");
    legend(out, &report.all);
    out.push_str("<div>\n");
    for model in &report.models {
        let picture = bar(
            &parts(&model.outcomes, model.exchanges),
            model.exchanges,
            &format!("outcomes of {}", model.model),
        );
        row(out, &model.model, &picture, &grouped(model.exchanges));
    }
    out.push_str("</div>\n");
    more(out, report);
    out.push_str("</section>\n");
}

fn more(out: &mut String, report: &Report) {
    if report.more_models > 0 {
        let _ = writeln!(out, "<p class=\"sub\">… and {} more models</p>", report.more_models);
    }
}

fn row(out: &mut String, name: &str, picture: &str, number: &str) {
    let name = escaped(name);
    let _ = writeln!(
        out,
        "<div class=\"row\"><div class=\"name\" title=\"{name}\"><bdi>{name}</bdi></div>{picture}<div class=\"number\">{number}</div></div>"
    );
}

fn over_time(out: &mut String, report: &Report) {
    let [first, .., last] = report.times.as_slice() else { return };
    let stretches: Vec<Vec<Part>> = report
        .times
        .iter()
        .map(|time| {
            let all = time.outcomes.iter().map(|row| row.count).sum();
            let mut parts = parts(&time.outcomes, all);
            for part in &mut parts {
                part.title = format!("{}: {}", begin(time), part.title);
            }
            parts
        })
        .collect();
    let most = report.times.iter().map(|time| time.outcomes.iter().map(|row| row.count).sum());
    let most: u64 = most.max().unwrap_or(0);
    let stretch = match first.seconds {
        3_600 => "hour",
        86_400 => "day",
        _ => "week",
    };
    let _ = write!(
        out,
        "<section>\n<h2>When, by the {stretch}</h2>\n<p class=\"sub\">the highest: {}</p>\n\
         <div class=\"when\">{}</div>\n<p class=\"ends sub\"><span>{}</span><span>{}</span></p>\n</section>\n",
        grouped(most),
        columns(&stretches, &format!("exchanges by the {stretch}")),
        begin(first),
        begin(last),
    );
}

/// When a stretch of time begins: a day has no hour.
fn begin(time: &Time) -> String {
    let begin = minute(&time.from);
    if time.seconds == 3_600 {
        return begin;
    }
    begin.split(' ').next().unwrap_or_default().to_owned()
}

/// The class of a colour, and the word for it.
fn kind(class: Option<Class>) -> (&'static str, &'static str) {
    match class {
        Some(Class::Notation) => ("notation", "notation"),
        Some(Class::Completion) => ("completion", "completion"),
        Some(Class::Guess) => ("guess", "guess"),
        Some(Class::Loss) => ("loss", "loss"),
        None => ("found", "not repaired"),
    }
}

fn over_findings(out: &mut String, all: &ModelReport) {
    let Some(most) = all.findings.first().map(|row| row.exchanges) else { return };
    out.push_str(
        "<section>\n<h2>What was wrong</h2>\n<p class=\"sub\">in how many exchanges, by rule, \
         coercion or code, with how sure its repair is</p>\n<div class=\"findings\">\n",
    );
    for finding in all.findings.iter().take(MOST_SHOWN) {
        let (kind, word) = kind(finding.class);
        let title = format!("{}: {} exchanges", finding.name, grouped(finding.exchanges));
        let part = Part { kind, title, count: finding.exchanges };
        let picture = bar(&[part], most, &finding.name);
        let number = format!("{} <span class=\"sub\">{word}</span>", grouped(finding.exchanges));
        row(out, &finding.name, &picture, &number);
    }
    out.push_str("</div>\n</section>\n");
}

fn model_table(out: &mut String, report: &Report) {
    out.push_str(
        "<section>\n<h2>The numbers</h2>\n<div class=\"scroll\" tabindex=\"0\">\n<table>\n<thead><tr><th>model</th>",
    );
    let heads = [
        "exchanges",
        "as it came",
        "repaired",
        "cut off",
        "refused",
        "failed",
        "rejected",
        "client gone",
        "not looked at",
        "asked",
        "asked again",
        "tokens read",
        "tokens written",
        "median ms",
        "95 % within ms",
    ];
    for head in heads {
        let _ = write!(out, "<th>{head}</th>");
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for model in &report.models {
        table_row(out, model, &format!("<bdi>{}</bdi>", escaped(&model.model)));
    }
    out.push_str("</tbody>\n<tfoot>\n");
    table_row(out, &report.all, "all");
    out.push_str("</tfoot>\n</table>\n</div>\n");
    more(out, report);
    if report.all.tokens_untold > 0 {
        let untold = grouped(report.all.tokens_untold);
        let _ = writeln!(out, "<p class=\"sub\">{untold} exchanges tell nothing of tokens.</p>");
    }
    out.push_str("</section>\n");
}

fn table_row(out: &mut String, model: &ModelReport, name: &str) {
    let _ = write!(out, "<tr><th scope=\"row\">{name}</th>");
    let outcomes = [
        Outcome::Unchanged,
        Outcome::Repaired,
        Outcome::Truncated,
        Outcome::Refused,
        Outcome::Failed,
        Outcome::Rejected,
        Outcome::ClientGone,
        Outcome::Passthrough,
    ];
    let rest = [
        model.attempts,
        model.asked_again,
        model.tokens_in,
        model.tokens_out,
        model.median_ms,
        model.p95_ms,
    ];
    let counts = outcomes.map(|outcome| model.came_to(outcome));
    for number in [model.exchanges].into_iter().chain(counts).chain(rest) {
        let _ = write!(out, "<td>{}</td>", grouped(number));
    }
    out.push_str("</tr>\n");
}

fn details(out: &mut String, report: &Report) {
    out.push_str("<section>\n<h2>What each model broke</h2>\n");
    for model in &report.models {
        let _ = writeln!(
            out,
            "<details>\n<summary><bdi>{}</bdi> <span class=\"sub\">{} of {} looked at were repaired, {} refused</span></summary>",
            escaped(&model.model),
            grouped(model.came_to(Outcome::Repaired)),
            grouped(model.looked_at()),
            grouped(model.came_to(Outcome::Refused)),
        );
        if model.findings.is_empty() {
            out.push_str("<p>Nothing.</p>\n");
        } else {
            finding_table(out, &model.findings, model.looked_at());
        }
        out.push_str("</details>\n");
    }
    out.push_str("</section>\n");
}

fn finding_table(out: &mut String, findings: &[FindingReport], looked_at: u64) {
    out.push_str(
        "<div class=\"scroll\" tabindex=\"0\">\n<table>\n<thead><tr><th>rule or code</th><th class=\"word\">class</th>\
         <th>exchanges</th><th>of those looked at</th><th>times</th></tr></thead>\n<tbody>\n",
    );
    for finding in findings {
        let (kind, word) = kind(finding.class);
        let _ = writeln!(
            out,
            "<tr><th scope=\"row\">{}</th><td class=\"word\"><i class=\"{kind}\"></i>{word}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            escaped(&finding.name),
            grouped(finding.exchanges),
            percent(finding.exchanges, looked_at),
            grouped(finding.count),
        );
    }
    out.push_str("</tbody>\n</table>\n</div>\n");
}

#[cfg(test)]
mod tests {
    use super::{escaped, grouped, html, percent};
    use crate::recording::{Finding, Outcome, Summary};
    use crate::report::{Row, of};

    #[test]
    fn numbers_are_written_for_people() {
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
            tokens_in: None,
            tokens_out: None,
            duration_ms: 1,
        }
    }

    #[test]
    fn a_share_says_of_what_it_is_one() {
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
        let looked_at = report.all.looked_at();
        for (name, count, of, words) in [
            ("as they came", 2, looked_at, "of those looked at"),
            ("repaired", 0, looked_at, "of those looked at"),
            ("cut off, given as such", 1, looked_at, "of those looked at"),
            ("refused", 1, looked_at, "of those looked at"),
            ("asked again", 1, 8, "of all"),
            ("no answer", 1, 8, "of all"),
        ] {
            let tile = format!(
                "<dt>{name}</dt><dd>{}</dd><dd class=\"sub\">{count} {words}</dd>",
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
        let text = escaped(name);
        assert!(page.contains(&format!("<bdi>{text}</bdi>")), "{page}");
        assert!(page.contains("default-src 'none'"), "{page}");
        for absent in ["http://", "https://", "url(", "@import", "<link", "<img"] {
            assert!(!page.contains(absent), "{absent}");
        }
    }

    #[test]
    fn nothing_is_a_page_too() {
        let page = html(&of([]), "empty.db");
        assert!(page.contains("no exchange here") && page.ends_with("</html>\n"), "{page}");
    }
}
