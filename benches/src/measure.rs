//! How long does it take, and how sure is that?

use std::time::{Duration, Instant};

use cpu_time::ThreadTime;

/// How much time a measurement may take.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// Pairs of samples to take.
    pub rounds: usize,
    /// A sample is repeated until it takes about this long.
    pub sample: Duration,
    /// After three rounds, no further one begins once this much has passed.
    pub budget: Duration,
}

impl Effort {
    /// For figures that are quoted.
    pub const FULL: Effort =
        Effort { rounds: 15, sample: Duration::from_millis(8), budget: Duration::from_secs(6) };
    /// For a look while working.
    pub const QUICK: Effort =
        Effort { rounds: 5, sample: Duration::from_millis(2), budget: Duration::from_millis(900) };
}

/// Something that is run and timed, with the bytes that it reads.
pub struct Subject<'a> {
    /// One run.
    pub run: &'a dyn Fn(),
    /// Bytes read by one run.
    pub bytes: usize,
}

/// What a pair of subjects showed.
#[derive(Debug, Clone, Copy)]
pub struct Comparison {
    /// The median of the rounds' ratios: throughput of the subject divided by
    /// that of the baseline.
    pub ratio: f64,
    /// The subject's median throughput, in bytes a second.
    pub throughput: f64,
    /// The baseline's median throughput, in bytes a second.
    pub baseline: f64,
}

/// Times two subjects in turns and compares their throughput. What counts is
/// the time for which the thread was running. Each round's ratio is of two
/// samples taken right after one another, so that what slows the machine for a
/// while slows both; the order changes with each round.
pub fn compare(baseline: &Subject<'_>, subject: &Subject<'_>, effort: Effort) -> Comparison {
    let baseline_runs = runs_in(baseline, effort.sample);
    let subject_runs = runs_in(subject, effort.sample);
    let began = Instant::now();
    let mut ratios = Vec::new();
    let mut throughputs = Vec::new();
    let mut baselines = Vec::new();
    for round in 0..effort.rounds {
        if round >= 3 && began.elapsed() > effort.budget {
            break;
        }
        let (of_baseline, of_subject) = if round % 2 == 0 {
            let first = throughput(baseline, baseline_runs);
            (first, throughput(subject, subject_runs))
        } else {
            let first = throughput(subject, subject_runs);
            (throughput(baseline, baseline_runs), first)
        };
        ratios.push(of_subject / of_baseline);
        throughputs.push(of_subject);
        baselines.push(of_baseline);
    }
    Comparison {
        ratio: median(&mut ratios),
        throughput: median(&mut throughputs),
        baseline: median(&mut baselines),
    }
}

/// How many runs fill a sample, found by trying; this also warms up.
fn runs_in(subject: &Subject<'_>, sample: Duration) -> u32 {
    let mut runs = 1;
    while runs < 1 << 24 {
        let took = time(subject, runs);
        if took >= sample {
            break;
        }
        // Within a factor of ten the count can be told from what was seen.
        let short = sample.as_nanos() / took.as_nanos().max(1) + 1;
        runs *= u32::try_from(short).map_or(10, |short| short.clamp(2, 10));
    }
    runs
}

fn throughput(subject: &Subject<'_>, runs: u32) -> f64 {
    subject.bytes as f64 * f64::from(runs) / time(subject, runs).as_secs_f64()
}

fn time(subject: &Subject<'_>, runs: u32) -> Duration {
    let start = ThreadTime::now();
    for _ in 0..runs {
        (subject.run)();
    }
    start.elapsed()
}

/// The middle of the numbers; of an even count, the mean of the two middle ones.
pub fn median(numbers: &mut [f64]) -> f64 {
    numbers.sort_by(f64::total_cmp);
    let half = numbers.len() / 2;
    if numbers.is_empty() {
        f64::NAN
    } else if numbers.len().is_multiple_of(2) {
        f64::midpoint(numbers[half - 1], numbers[half])
    } else {
        numbers[half]
    }
}

/// The geometric mean; not a number if there are none.
pub fn geometric_mean(numbers: &[f64]) -> f64 {
    let sum: f64 = numbers.iter().map(|number| number.ln()).sum();
    (sum / numbers.len() as f64).exp()
}

/// The exponent `e` for which `time = constant · size^e` fits best: the slope
/// of the least-squares line through the points on logarithmic axes.
pub fn exponent(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let logs = || points.iter().map(|(size, time)| (size.ln(), time.ln()));
    let mean_x = logs().map(|(x, _)| x).sum::<f64>() / count;
    let mean_y = logs().map(|(_, y)| y).sum::<f64>() / count;
    let across: f64 = logs().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    let along: f64 = logs().map(|(x, _)| (x - mean_x).powi(2)).sum();
    across / along
}

#[cfg(test)]
mod tests {
    use super::{exponent, geometric_mean, median};

    #[test]
    fn middle_and_mean() {
        assert!((median(&mut [3.0, 1.0, 2.0]) - 2.0).abs() < 1e-12);
        assert!((median(&mut [4.0, 1.0, 2.0, 3.0]) - 2.5).abs() < 1e-12);
        assert!((geometric_mean(&[1.0, 4.0]) - 2.0).abs() < 1e-12);
        assert!(geometric_mean(&[]).is_nan());
    }

    #[test]
    fn the_exponent_of_a_square_is_two() {
        let points: Vec<_> =
            [1.0, 2.0, 4.0, 8.0].map(|size: f64| (size, 3.0 * size * size)).to_vec();
        assert!((exponent(&points) - 2.0).abs() < 1e-12);
    }
}
