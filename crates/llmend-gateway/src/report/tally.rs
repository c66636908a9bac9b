//! Aggregation of exchanges into a report.

use std::collections::{BTreeMap, HashMap};

use llmend::Class;

use super::cost::{PriceOf, amount, cost, total};
use super::{ClassCount, FindingReport, ModelReport, OutcomeCount, Period, Report, Row};
use crate::recording::{Outcome, moment};

/// Maximum number of models in a report.
const MAX_MODELS: usize = 50;

/// Maximum number of periods, and the possible lengths of a period in seconds.
const MAX_PERIODS: u64 = 72;
const LENGTHS: [u64; 3] = [3_600, 86_400, 604_800];

/// Counts so far.
#[derive(Debug, Default)]
pub(super) struct Tally {
    first: Option<u64>,
    last: Option<u64>,
    all: ModelTally,
    models: HashMap<String, ModelTally>,
    /// By hour since 1970.
    hours: BTreeMap<u64, BTreeMap<Outcome, u64>>,
}

#[derive(Debug, Default)]
struct ModelTally {
    outcomes: BTreeMap<Outcome, u64>,
    classes: BTreeMap<Class, u64>,
    /// Exchanges and occurrences, by name and class.
    findings: BTreeMap<(String, Option<Class>), (u64, u64)>,
    calls: u64,
    calls_from_text: u64,
    calls_unread: u64,
    attempts: u64,
    asked_again: u64,
    tokens_in: u64,
    tokens_out: u64,
    tokens_untold: u64,
    durations: Vec<u64>,
}

impl Tally {
    /// Adds an exchange.
    pub(super) fn add(&mut self, row: &Row) {
        let at = row.summary.at_ms;
        self.first = Some(self.first.map_or(at, |first| first.min(at)));
        self.last = self.last.max(Some(at));
        self.all.add(row);
        self.models.entry(row.summary.model.clone()).or_default().add(row);
        *self.hours.entry(at / 3_600_000).or_default().entry(row.summary.outcome).or_default() += 1;
    }

    /// Returns the report, with what the tokens cost.
    pub(super) fn report(self, price_of: &PriceOf<'_>) -> Report {
        let cost_of = |(model, tally): &(String, ModelTally)| {
            price_of(model).map(|price| cost(&price, tally.tokens_in, tally.tokens_out))
        };
        // The currency of the sum is written as that of the first.
        let mut tallies: Vec<(String, ModelTally)> = self.models.into_iter().collect();
        tallies.sort_by(|(a, one), (b, other)| {
            (other.durations.len(), a).cmp(&(one.durations.len(), b))
        });
        let paid =
            tallies.iter().filter(|(_, tally)| (tally.tokens_in, tally.tokens_out) != (0, 0));
        let all = ModelReport {
            cost: total(paid.map(cost_of)).as_ref().map(amount),
            ..self.all.report(String::new())
        };
        let exchanges = all.exchanges;
        let more = tallies.len().saturating_sub(MAX_MODELS);
        tallies.truncate(MAX_MODELS);
        let of_model = |one: (String, ModelTally)| {
            let cost = cost_of(&one).as_ref().map(amount);
            ModelReport { cost, ..one.1.report(one.0) }
        };
        let models = tallies.into_iter().map(of_model).collect();
        Report {
            exchanges,
            first: self.first.map(moment::text),
            last: self.last.map(moment::text),
            all,
            models,
            more_models: more as u64,
            times: periods(&self.hours),
        }
    }
}

impl ModelTally {
    fn add(&mut self, row: &Row) {
        let summary = &row.summary;
        *self.outcomes.entry(summary.outcome).or_default() += 1;
        if let Some(class) = summary.class {
            *self.classes.entry(class).or_default() += 1;
        }
        for finding in &row.findings {
            let key = (finding.name.clone(), finding.class);
            let (exchanges, count) = self.findings.entry(key).or_default();
            *exchanges += 1;
            *count = count.saturating_add(finding.count.into());
        }
        self.calls = self.calls.saturating_add(summary.calls.all.into());
        self.calls_from_text = self.calls_from_text.saturating_add(summary.calls.from_text.into());
        self.calls_unread = self.calls_unread.saturating_add(summary.calls.unread.into());
        self.attempts = self.attempts.saturating_add(summary.attempts.into());
        self.asked_again += u64::from(summary.attempts > 1);
        self.tokens_in = self.tokens_in.saturating_add(summary.tokens_in.unwrap_or(0));
        self.tokens_out = self.tokens_out.saturating_add(summary.tokens_out.unwrap_or(0));
        let has_usage = summary.tokens_in.is_some() || summary.tokens_out.is_some();
        self.tokens_untold += u64::from(!has_usage);
        self.durations.push(summary.duration_ms);
    }

    fn report(mut self, model: String) -> ModelReport {
        self.durations.sort_unstable();
        let mut findings: Vec<FindingReport> = self
            .findings
            .into_iter()
            .map(|((name, class), (exchanges, count))| FindingReport {
                name,
                class,
                exchanges,
                count,
            })
            .collect();
        findings
            .sort_by(|a, b| (b.exchanges, b.count, &a.name).cmp(&(a.exchanges, a.count, &b.name)));
        let classes = self.classes.into_iter();
        ModelReport {
            model,
            exchanges: self.durations.len() as u64,
            outcomes: counts(&self.outcomes),
            classes: classes.map(|(class, count)| ClassCount { class, count }).collect(),
            findings,
            calls: self.calls,
            calls_from_text: self.calls_from_text,
            calls_unread: self.calls_unread,
            attempts: self.attempts,
            asked_again: self.asked_again,
            tokens_in: self.tokens_in,
            tokens_out: self.tokens_out,
            cost: None,
            tokens_untold: self.tokens_untold,
            median_ms: percentile(&self.durations, 50),
            p95_ms: percentile(&self.durations, 95),
        }
    }
}

fn counts(outcomes: &BTreeMap<Outcome, u64>) -> Vec<OutcomeCount> {
    outcomes.iter().map(|(&outcome, &count)| OutcomeCount { outcome, count }).collect()
}

/// Returns a percentile of sorted values by the nearest-rank method; 0 if there are none.
fn percentile(sorted: &[u64], percent: usize) -> u64 {
    let at = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
    sorted.get(at).copied().unwrap_or(0)
}

/// Merges hours into the shortest periods that stay within the maximum number. Periods without exchanges are
/// included. If there are too many weeks, only the last ones are included.
fn periods(hours: &BTreeMap<u64, BTreeMap<Outcome, u64>>) -> Vec<Period> {
    let (Some((&first, _)), Some((&last, _))) = (hours.first_key_value(), hours.last_key_value())
    else {
        return Vec::new();
    };
    let count = |seconds: &u64| last * 3_600 / seconds - first * 3_600 / seconds + 1;
    let longest = LENGTHS[LENGTHS.len() - 1];
    let seconds =
        LENGTHS.into_iter().find(|seconds| count(seconds) <= MAX_PERIODS).unwrap_or(longest);
    let end = last * 3_600 / seconds;
    let begin = (first * 3_600 / seconds).max((end + 1).saturating_sub(MAX_PERIODS));
    let mut periods: BTreeMap<u64, BTreeMap<Outcome, u64>> =
        (begin..=end).map(|number| (number, BTreeMap::new())).collect();
    for (hour, outcomes) in hours {
        let Some(period) = periods.get_mut(&(hour * 3_600 / seconds)) else { continue };
        for (outcome, count) in outcomes {
            *period.entry(*outcome).or_default() += count;
        }
    }
    let period = |(number, outcomes): (u64, BTreeMap<Outcome, u64>)| Period {
        from: moment::text(number * seconds * 1000),
        seconds,
        outcomes: counts(&outcomes),
    };
    periods.into_iter().map(period).collect()
}

#[cfg(test)]
mod tests {
    use llmend::Class;

    use super::percentile;
    use crate::recording::{CallCounts, Finding, Outcome, Summary};
    use crate::report::{FindingReport, Report, Row, of};

    fn row(model: &str, at_ms: u64, outcome: Outcome, findings: &[(&str, u32)]) -> Row {
        let finding = |&(name, count): &(&str, u32)| {
            let class = (!name.contains('/')).then_some(Class::Notation);
            Finding { name: name.to_owned(), class, count }
        };
        let summary = Summary {
            id: 1,
            at_ms,
            request_id: String::new(),
            endpoint: "chat".to_owned(),
            model: model.to_owned(),
            status: Some(200),
            outcome,
            code: None,
            class: (!findings.is_empty()).then_some(Class::Guess),
            attempts: if outcome == Outcome::Refused { 3 } else { 1 },
            repairs: 0,
            calls: CallCounts::default(),
            tokens_in: (outcome != Outcome::Refused).then_some(10),
            tokens_out: (outcome != Outcome::Refused).then_some(5),
            duration_ms: at_ms,
        };
        Row { summary, findings: findings.iter().map(finding).collect() }
    }

    fn some() -> Report {
        of([
            row("b", 1, Outcome::Repaired, &[("single-quotes", 4), ("trailing-comma", 1)]),
            row("a", 2, Outcome::Unchanged, &[]),
            row("b", 3, Outcome::Repaired, &[("single-quotes", 2)]),
            row("b", 4, Outcome::Refused, &[("schema/type", 2)]),
            row("c", 5, Outcome::Passthrough, &[]),
        ])
    }

    #[test]
    fn each_model_has_its_counts() {
        let report = some();
        assert_eq!(report.exchanges, 5);
        let names: Vec<&str> = report.models.iter().map(|model| model.model.as_str()).collect();
        assert_eq!(names, ["b", "a", "c"]);
        let b = &report.models[0];
        let outcomes = [Outcome::Repaired, Outcome::Refused, Outcome::Unchanged];
        assert_eq!(outcomes.map(|outcome| b.count(outcome)), [2, 1, 0]);
        assert_eq!((b.inspected(), report.models[2].inspected()), (3, 0));
        let rows: Vec<_> =
            b.findings.iter().map(|row| (row.name.as_str(), row.exchanges, row.count)).collect();
        // The most frequent first, then by name.
        assert_eq!(
            rows,
            [("single-quotes", 2, 6), ("schema/type", 1, 2), ("trailing-comma", 1, 1)]
        );
        assert_eq!((b.attempts, b.asked_again), (5, 1));
        assert_eq!((b.tokens_in, b.tokens_out, b.tokens_untold), (20, 10, 1));
        assert_eq!((b.median_ms, b.p95_ms), (3, 4));
        assert_eq!(b.classes.len(), 1);
        assert_eq!((report.all.exchanges, report.all.attempts), (5, 7));
        assert_eq!(report.first.as_deref(), Some("1970-01-01T00:00:00.001Z"));
    }

    #[test]
    fn calls_that_came_as_text_have_a_line() {
        for (counts, expected) in [
            (&[(0, 0, 0)][..], None),
            (&[(5, 0, 0)], None),
            (&[(100, 31, 0), (0, 0, 0)], Some("31 % of calls came as text, all read")),
            (&[(2, 1, 0), (1, 1, 1)], Some("67 % of calls came as text, 1 of 2 not read")),
        ] {
            let calls = |&(all, from_text, unread)| {
                let mut row = row("m", 1, Outcome::Unchanged, &[]);
                row.summary.calls = CallCounts { all, from_text, unread };
                row
            };
            let report = of(counts.iter().map(calls));
            assert_eq!(report.models[0].calls_line().as_deref(), expected, "{counts:?}");
            // What was kept back joins it.
            let kept =
                [2, 1].map(|count| row("m", 1, Outcome::Unchanged, &[("calls/mention", count)]));
            let report = of(counts.iter().map(calls).chain(kept));
            let before = expected.map(|line| format!("{line}; ")).unwrap_or_default();
            let line = report.models[0].calls_line();
            assert_eq!(line, Some(format!("{before}3 kept back as no calls")), "{counts:?}");
            let words = report.models[0].findings.iter().map(FindingReport::class_word);
            assert_eq!(words.collect::<Vec<_>>(), ["kept back"]);
        }
    }

    #[test]
    fn a_report_serializes_to_json() {
        let json = serde_json::to_value(some()).unwrap();
        assert_eq!(json["models"][0]["outcomes"][1]["outcome"], "refused");
        assert_eq!(json["models"][0]["findings"][0]["class"], "notation");
        assert_eq!(of([]).first, None);
    }

    #[test]
    fn percentiles_are_existing_values() {
        let hundred: Vec<u64> = (1..=100).collect();
        let rows: [(&[u64], usize, u64); 7] = [
            (&[], 50, 0),
            (&[7], 50, 7),
            (&[7], 95, 7),
            (&[1, 2], 50, 1),
            (&[1, 2, 3], 50, 2),
            (&hundred, 95, 95),
            (&hundred, 50, 50),
        ];
        for (sorted, percent, expected) in rows {
            assert_eq!(percentile(sorted, percent), expected, "{sorted:?} {percent}");
        }
    }

    #[test]
    fn periods_are_as_short_as_possible() {
        const HOUR: u64 = 3_600_000;
        // (times in hours, seconds of a period, number of periods, exchanges in them)
        let rows: [(&[u64], u64, usize, u64); 7] = [
            (&[0], 3_600, 1, 1),
            (&[0, 0, 2], 3_600, 3, 3),
            (&[0, 71], 3_600, 72, 2),
            (&[0, 72], 86_400, 4, 2),
            (&[0, 71 * 24], 86_400, 72, 2),
            (&[0, 72 * 24], 604_800, 11, 2),
            // Two years: the last 72 weeks are included.
            (&[0, 104 * 168, 104 * 168], 604_800, 72, 2),
        ];
        for (hours, seconds, count, exchanges) in rows {
            let report =
                of(hours.iter().map(|hour| row("m", hour * HOUR, Outcome::Unchanged, &[])));
            let times = &report.times;
            assert_eq!((times[0].seconds, times.len()), (seconds, count), "{hours:?}");
            let sum: u64 = times.iter().flat_map(|time| &time.outcomes).map(|row| row.count).sum();
            assert_eq!(sum, exchanges, "{hours:?}");
        }
    }

    #[test]
    fn the_number_of_models_is_limited() {
        let report = of((0..60).map(|n| row(&format!("m{n:02}"), n, Outcome::Unchanged, &[])));
        assert_eq!((report.models.len(), report.more_models, report.exchanges), (50, 10, 60));
    }
}
