//! How are exchanges counted?

use std::collections::{BTreeMap, HashMap};

use llmend::Class;

use super::{ClassCount, FindingReport, ModelReport, OutcomeCount, Report, Row, Time};
use crate::recording::{Outcome, moment};

/// Most models that a report names.
const MOST_MODELS: usize = 50;

/// Most stretches of time that are told apart, and seconds of each kind of stretch.
const MOST_TIMES: u64 = 72;
const STRETCHES: [u64; 3] = [3_600, 86_400, 604_800];

/// What was counted so far.
#[derive(Debug, Default)]
pub(super) struct Tally {
    first: Option<u64>,
    last: Option<u64>,
    all: ModelTally,
    models: HashMap<String, ModelTally>,
    /// By the hour since 1970.
    hours: BTreeMap<u64, BTreeMap<Outcome, u64>>,
}

#[derive(Debug, Default)]
struct ModelTally {
    outcomes: BTreeMap<Outcome, u64>,
    classes: BTreeMap<Class, u64>,
    /// By name and class: in how many exchanges, and how often.
    findings: BTreeMap<(String, Option<Class>), (u64, u64)>,
    attempts: u64,
    asked_again: u64,
    tokens_in: u64,
    tokens_out: u64,
    tokens_untold: u64,
    durations: Vec<u64>,
}

impl Tally {
    /// Counts one more.
    pub(super) fn add(&mut self, row: &Row) {
        let at = row.summary.at_ms;
        self.first = Some(self.first.map_or(at, |first| first.min(at)));
        self.last = self.last.max(Some(at));
        self.all.add(row);
        self.models.entry(row.summary.model.clone()).or_default().add(row);
        *self.hours.entry(at / 3_600_000).or_default().entry(row.summary.outcome).or_default() += 1;
    }

    /// What it comes to.
    pub(super) fn report(self) -> Report {
        let mut models: Vec<ModelReport> =
            self.models.into_iter().map(|(model, tally)| tally.report(model)).collect();
        models.sort_by(|a, b| (b.exchanges, &a.model).cmp(&(a.exchanges, &b.model)));
        let more = models.len().saturating_sub(MOST_MODELS);
        models.truncate(MOST_MODELS);
        Report {
            exchanges: self.all.durations.len() as u64,
            first: self.first.map(moment::text),
            last: self.last.map(moment::text),
            all: self.all.report(String::new()),
            models,
            more_models: more as u64,
            times: times(&self.hours),
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
        self.attempts = self.attempts.saturating_add(summary.attempts.into());
        self.asked_again += u64::from(summary.attempts > 1);
        self.tokens_in = self.tokens_in.saturating_add(summary.tokens_in.unwrap_or(0));
        self.tokens_out = self.tokens_out.saturating_add(summary.tokens_out.unwrap_or(0));
        let is_told = summary.tokens_in.is_some() || summary.tokens_out.is_some();
        self.tokens_untold += u64::from(!is_told);
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
            attempts: self.attempts,
            asked_again: self.asked_again,
            tokens_in: self.tokens_in,
            tokens_out: self.tokens_out,
            tokens_untold: self.tokens_untold,
            median_ms: rank(&self.durations, 50),
            p95_ms: rank(&self.durations, 95),
        }
    }
}

fn counts(outcomes: &BTreeMap<Outcome, u64>) -> Vec<OutcomeCount> {
    outcomes.iter().map(|(&outcome, &count)| OutcomeCount { outcome, count }).collect()
}

/// The least of `sorted` that `percent` of them do not exceed; 0 if there are none.
fn rank(sorted: &[u64], percent: usize) -> u64 {
    let at = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
    sorted.get(at).copied().unwrap_or(0)
}

/// The counts of hours as those of the shortest stretches that are not too many. Those in which nothing
/// happened are told too, for a picture has a place for them. If even weeks are too many, the last
/// ones are told.
fn times(hours: &BTreeMap<u64, BTreeMap<Outcome, u64>>) -> Vec<Time> {
    let (Some((&first, _)), Some((&last, _))) = (hours.first_key_value(), hours.last_key_value())
    else {
        return Vec::new();
    };
    let count = |stretch: &u64| last * 3_600 / stretch - first * 3_600 / stretch + 1;
    let longest = STRETCHES[STRETCHES.len() - 1];
    let seconds =
        STRETCHES.into_iter().find(|stretch| count(stretch) <= MOST_TIMES).unwrap_or(longest);
    let end = last * 3_600 / seconds;
    let begin = (first * 3_600 / seconds).max((end + 1).saturating_sub(MOST_TIMES));
    let mut stretches: BTreeMap<u64, BTreeMap<Outcome, u64>> =
        (begin..=end).map(|number| (number, BTreeMap::new())).collect();
    for (hour, outcomes) in hours {
        let Some(stretch) = stretches.get_mut(&(hour * 3_600 / seconds)) else { continue };
        for (outcome, count) in outcomes {
            *stretch.entry(*outcome).or_default() += count;
        }
    }
    let told = |(number, outcomes): (u64, BTreeMap<Outcome, u64>)| Time {
        from: moment::text(number * seconds * 1000),
        seconds,
        outcomes: counts(&outcomes),
    };
    stretches.into_iter().map(told).collect()
}

#[cfg(test)]
mod tests {
    use llmend::Class;

    use super::rank;
    use crate::recording::{Finding, Outcome, Summary};
    use crate::report::{Report, Row, of};

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
        let came_to = [Outcome::Repaired, Outcome::Refused, Outcome::Unchanged];
        assert_eq!(came_to.map(|outcome| b.came_to(outcome)), [2, 1, 0]);
        assert_eq!((b.looked_at(), report.models[2].looked_at()), (3, 0));
        let rows: Vec<_> =
            b.findings.iter().map(|row| (row.name.as_str(), row.exchanges, row.count)).collect();
        // The most frequent first, and by name where that says nothing.
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
    fn a_report_is_json_in_words() {
        let json = serde_json::to_value(some()).unwrap();
        assert_eq!(json["models"][0]["outcomes"][1]["outcome"], "refused");
        assert_eq!(json["models"][0]["findings"][0]["class"], "notation");
        assert_eq!(of([]).first, None);
    }

    #[test]
    fn percentiles_are_values_that_were_there() {
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
            assert_eq!(rank(sorted, percent), expected, "{sorted:?} {percent}");
        }
    }

    #[test]
    fn times_are_as_fine_as_there_is_room() {
        const HOUR: u64 = 3_600_000;
        // (moments in hours, seconds of a stretch, how many, how many exchanges are in them)
        let rows: [(&[u64], u64, usize, u64); 7] = [
            (&[0], 3_600, 1, 1),
            (&[0, 0, 2], 3_600, 3, 3),
            (&[0, 71], 3_600, 72, 2),
            (&[0, 72], 86_400, 4, 2),
            (&[0, 71 * 24], 86_400, 72, 2),
            (&[0, 72 * 24], 604_800, 11, 2),
            // Two years: the last 72 weeks are told.
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
    fn a_journal_of_many_names_makes_no_endless_report() {
        let report = of((0..60).map(|n| row(&format!("m{n:02}"), n, Outcome::Unchanged, &[])));
        assert_eq!((report.models.len(), report.more_models, report.exchanges), (50, 10, 60));
    }
}
