//! Measurement of time, with its uncertainty.

use std::time::{Duration, Instant};

use cpu_time::ThreadTime;

/// Effort of a measurement.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// Number of pairs of samples.
    pub rounds: usize,
    /// Approximate duration of a sample, reached by repetition.
    pub sample: Duration,
    /// Time after which no further round begins, once there were three.
    pub budget: Duration,
}

impl Effort {
    /// Effort for published figures.
    pub const FULL: Effort =
        Effort { rounds: 15, sample: Duration::from_millis(8), budget: Duration::from_secs(6) };
    /// Effort for quick checks.
    pub const QUICK: Effort =
        Effort { rounds: 5, sample: Duration::from_millis(2), budget: Duration::from_millis(900) };
}

/// A function to time, with the number of bytes that it reads.
pub struct Subject<'a> {
    /// Runs it once.
    pub run: &'a dyn Fn(),
    /// Bytes read per run.
    pub bytes: usize,
}

/// Result of a comparison.
#[derive(Debug, Clone, Copy)]
pub struct Comparison {
    /// Median ratio of the subject's throughput to the baseline's.
    pub ratio: f64,
    /// Median throughput of the subject, in bytes per second.
    pub throughput: f64,
    /// Median throughput of the baseline, in bytes per second.
    pub baseline: f64,
}

/// Times two subjects alternately and compares their throughput by the CPU time of the thread. Each
/// ratio is that of two consecutive samples, so that temporary slowdowns affect both; the order
/// alternates.
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

/// Returns the number of runs that fill a sample, found by trial, which also warms up.
fn runs_in(subject: &Subject<'_>, sample: Duration) -> u32 {
    let mut runs = 1;
    while runs < 1 << 24 {
        let took = time(subject, runs);
        if took >= sample {
            break;
        }
        // The count can be extrapolated by a factor of ten.
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

/// Returns the median; of an even number, the mean of the two middle ones.
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

/// Returns the geometric mean; NaN without numbers.
pub fn geometric_mean(numbers: &[f64]) -> f64 {
    let sum: f64 = numbers.iter().map(|number| number.ln()).sum();
    (sum / numbers.len() as f64).exp()
}

/// Returns the exponent `e` of the best fit `time = constant · size^e`: the slope of the
/// least-squares line on logarithmic axes.
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
