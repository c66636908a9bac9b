//! Throughput next to `serde_json::Value` on valid text of the same size, for
//! valid text and for thirteen defects. See the crate's documentation.

// Sizes become floating point numbers to be divided; none is near 2^52.
#![allow(clippy::cast_precision_loss)]

use std::collections::HashMap;
use std::time::{Duration, Instant};

use llmend_benches::arguments::Arguments;
use llmend_benches::case::Case;
use llmend_benches::contestant::{self, Contestant, Verdict};
use llmend_benches::contestants;
use llmend_benches::defect::Defect;
use llmend_benches::document::Document;
use llmend_benches::measure::{Effort, Subject, compare, geometric_mean};
use llmend_benches::node::Layout;
use llmend_benches::table::{Table, bytes};

const SIZES: [usize; 3] = [1_000, 100_000, 10_000_000];

/// Runs that would take longer than this with quadratic growth are skipped.
const PATIENCE: Duration = Duration::from_mins(4);

fn main() {
    let arguments = Arguments::read();
    assert_default_features();
    let mut contestants = contestants::all();
    let baseline = contestants.remove(0);
    let labels: Vec<_> = contestants.iter().map(|it| label(it.as_ref())).collect();
    let chosen = arguments.chosen(&labels.iter().map(String::as_str).collect::<Vec<_>>());
    let chosen: Vec<bool> = labels.iter().map(|label| chosen.contains(&label.as_str())).collect();
    let mut chosen = chosen.iter();
    contestants.retain(|_| *chosen.next().unwrap_or(&false));

    let defects = arguments.chosen(&Defect::ALL.map(Defect::name));
    let sizes = SIZES.map(bytes);
    let sizes = arguments.chosen(&sizes.each_ref().map(String::as_str));
    let mut bench = Bench {
        effort: arguments.effort,
        baseline,
        contestants,
        defects: Defect::ALL.into_iter().filter(|it| defects.contains(&it.name())).collect(),
        reasons: Vec::new(),
        took: HashMap::new(),
    };
    let sizes = SIZES.into_iter().filter(|&size| sizes.contains(&bytes(size).as_str()));
    // Without `--bench` nothing is timed, so the smallest size is enough.
    let sizes: Vec<_> =
        sizes.take(if arguments.effort.is_some() { usize::MAX } else { 1 }).collect();

    let results: Vec<_> = sizes.iter().map(|&size| bench.size(size)).collect();
    if arguments.markdown {
        print!("{}", bench.summary(&results).markdown());
        return;
    }
    for result in &results {
        println!(
            "\n# {}: throughput / throughput of serde_json::Value on valid text\n",
            bytes(result.size)
        );
        println!("{}", bench.details(result).plain());
    }
    println!(
        "# all sizes: valid (geometric mean of both layouts), right of {}, broken (geometric mean of the right ones)\n",
        bench.defects.len()
    );
    print!("{}", bench.summary(&results).plain());
    if arguments.why && !bench.reasons.is_empty() {
        println!("\n# what was not right\n\n{}", bench.reasons.join("\n"));
    }
}

/// The baseline is `serde_json` with default features. In a workspace, Cargo builds it with the
/// union of all requested features, so this has to be checked.
fn assert_default_features() {
    let text = r#"{"b":1.00000000000000000001,"a":2}"#;
    let value: serde_json::Value = serde_json::from_str(text).expect("valid JSON");
    assert_eq!(
        value.to_string(),
        r#"{"a":2,"b":1.0}"#,
        "serde_json was built with preserve_order or arbitrary_precision: the baseline would not be the one that is quoted"
    );
}

fn label(contestant: &dyn Contestant) -> String {
    format!("{} → {}", contestant.name(), contestant.output().name())
}

/// A cell of a table.
#[derive(Debug, Clone, Copy)]
enum Cell {
    Ratio(f64),
    /// Correct, but not timed.
    Right,
    Wrong,
    Refused,
    /// Correct at a smaller size, and too slow here.
    Slow,
    /// Not a repair library.
    None,
}

impl Cell {
    fn show(self) -> String {
        match self {
            Cell::Ratio(ratio) => format!("{ratio:.2}"),
            Cell::Right => "right".to_owned(),
            Cell::Wrong => "wrong".to_owned(),
            Cell::Refused => "refused".to_owned(),
            Cell::Slow => "slow".to_owned(),
            Cell::None => "–".to_owned(),
        }
    }
}

/// All cells of one size, with a column for each contestant.
struct Sized {
    size: usize,
    /// Throughput of the baseline for each layout, in bytes per second.
    absolute: Vec<f64>,
    valid: Vec<Vec<Cell>>,
    broken: Vec<Vec<Cell>>,
}

impl Sized {
    fn right(&self, contestant: usize) -> usize {
        self.broken
            .iter()
            .filter(|row| matches!(row[contestant], Cell::Ratio(_) | Cell::Right))
            .count()
    }
}

fn mean_of(rows: &[Vec<Cell>], contestant: usize) -> String {
    let ratios = rows.iter().filter_map(|row| match row[contestant] {
        Cell::Ratio(ratio) => Some(ratio),
        _ => None,
    });
    let ratios: Vec<_> = ratios.collect();
    if ratios.is_empty() { "–".to_owned() } else { format!("{:.2}", geometric_mean(&ratios)) }
}

struct Bench {
    effort: Option<Effort>,
    baseline: Box<dyn Contestant>,
    contestants: Vec<Box<dyn Contestant>>,
    defects: Vec<Defect>,
    /// Descriptions of incorrect answers.
    reasons: Vec<String>,
    /// Duration of one answer at the previous size, by contestant and row.
    took: HashMap<(usize, &'static str), (usize, Duration)>,
}

impl Bench {
    fn size(&mut self, size: usize) -> Sized {
        let mut result = Sized { size, absolute: vec![], valid: vec![], broken: vec![] };
        for layout in Layout::ALL {
            let document = Document::generate(size, layout);
            let case = Case { text: document.text(), wanted: document.value() };
            if let Some(effort) = self.effort {
                let subject =
                    Subject { run: &|| self.baseline.run(&case.text), bytes: case.text.len() };
                result.absolute.push(compare(&subject, &subject, effort).throughput);
            }
            let row = self.row(layout.name(), &case.text, &case, |_| true);
            result.valid.push(row);
        }
        let document = Document::generate(size, Layout::Pretty);
        let valid = document.text();
        for defect in self.defects.clone() {
            let case = defect.apply(&document);
            let row = self.row(defect.name(), &valid, &case, |it| it.repairs());
            result.broken.push(row);
        }
        result
    }

    /// Measures one text with all contestants that `takes_part` accepts.
    fn row(
        &mut self,
        name: &'static str,
        valid: &str,
        case: &Case,
        takes_part: impl Fn(&dyn Contestant) -> bool,
    ) -> Vec<Cell> {
        eprintln!("{}, {name}", bytes(valid.len()));
        let cells = (0..self.contestants.len()).map(|at| {
            if takes_part(self.contestants[at].as_ref()) {
                self.cell(at, name, valid, case)
            } else {
                Cell::None
            }
        });
        cells.collect()
    }

    fn cell(&mut self, at: usize, name: &'static str, valid: &str, case: &Case) -> Cell {
        let contestant = self.contestants[at].as_ref();
        if let Some(&(size, took)) = self.took.get(&(at, name)) {
            let growth = valid.len() as f64 / size as f64;
            if took.mul_f64(growth * growth) > PATIENCE {
                return Cell::Slow;
            }
        }
        let size = valid.len();
        let start = Instant::now();
        let verdict = contestant::check(contestant, &case.text, &case.wanted);
        self.took.insert((at, name), (size, start.elapsed()));
        match verdict {
            Verdict::Wrong(difference) => {
                self.because(at, name, size, &difference);
                return Cell::Wrong;
            }
            Verdict::Refused(reason) => {
                self.because(at, name, size, &reason);
                return Cell::Refused;
            }
            Verdict::Right => {}
        }
        let Some(effort) = self.effort else {
            return Cell::Right;
        };
        let baseline = Subject { run: &|| self.baseline.run(valid), bytes: size };
        let subject = Subject { run: &|| contestant.run(&case.text), bytes: case.text.len() };
        Cell::Ratio(compare(&baseline, &subject, effort).ratio)
    }

    fn because(&mut self, at: usize, name: &str, size: usize, reason: &str) {
        let who = label(self.contestants[at].as_ref());
        self.reasons.push(format!("{who}, {name}, {}: {reason}", bytes(size)));
    }

    /// Measures one size: a row for each text.
    fn details(&self, result: &Sized) -> Table {
        let labels: Vec<_> = self.contestants.iter().map(|it| label(it.as_ref())).collect();
        let mut header = vec![""];
        header.extend(labels.iter().map(String::as_str));
        let mut table = Table::new(1, &header);
        for (at, (layout, row)) in Layout::ALL.iter().zip(&result.valid).enumerate() {
            let speed = result.absolute.get(at).map(|it| format!(" (1.00 = {:.0} MB/s)", it / 1e6));
            let name = format!("valid, {}{}", layout.name(), speed.unwrap_or_default());
            table.row(std::iter::once(name).chain(row.iter().map(|cell| cell.show())).collect());
        }
        for (defect, row) in self.defects.iter().zip(&result.broken) {
            let name = std::iter::once(defect.name().to_owned());
            table.row(name.chain(row.iter().map(|cell| cell.show())).collect());
        }
        let everyone = 0..self.contestants.len();
        let right = everyone.clone().map(|at| self.right_cell(at, std::slice::from_ref(result)));
        table.row(
            std::iter::once(format!("right of {}", self.defects.len())).chain(right).collect(),
        );
        let means = everyone.map(|at| mean_of(&result.broken, at));
        table.row(
            std::iter::once("geometric mean of the right ones".to_owned()).chain(means).collect(),
        );
        table
    }

    /// Returns a row for each contestant, as quoted in the README.
    fn summary(&self, results: &[Sized]) -> Table {
        let mut header = vec!["reader".to_owned(), "makes".to_owned()];
        header.extend(results.iter().map(|it| format!("valid, {}", bytes(it.size))));
        header.push(format!("right of {}", self.defects.len()));
        header.extend(results.iter().map(|it| format!("broken, {}", bytes(it.size))));
        let mut table = Table::new(2, &header.iter().map(String::as_str).collect::<Vec<_>>());
        for (at, contestant) in self.contestants.iter().enumerate() {
            let mut row = vec![contestant.name().to_owned(), contestant.output().name().to_owned()];
            row.extend(results.iter().map(|it| mean_of(&it.valid, at)));
            row.push(self.right_cell(at, results));
            row.extend(results.iter().map(|it| mean_of(&it.broken, at)));
            table.row(row);
        }
        table
    }

    /// Formats one number, or one for each size if they differ.
    fn right_cell(&self, at: usize, results: &[Sized]) -> String {
        if !self.contestants[at].repairs() {
            return Cell::None.show();
        }
        let mut counts: Vec<_> = results.iter().map(|it| it.right(at).to_string()).collect();
        if counts.windows(2).all(|pair| pair[0] == pair[1]) {
            counts.truncate(1);
        }
        counts.join("/")
    }
}
