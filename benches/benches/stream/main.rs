//! Cost per byte of text that arrives in chunks, with a view of the value after each: for valid
//! text and for the thirteen defects, at two sizes, in comparison with two peers. See the crate's
//! documentation.

// Sizes become floating point numbers to be divided; none is near 2^52.
#![allow(clippy::cast_precision_loss)]

mod memory;

use llmend_benches::arguments::Arguments;
use llmend_benches::case::Case;
use llmend_benches::contestant::{Verdict, check};
use llmend_benches::defect::Defect;
use llmend_benches::document::Document;
use llmend_benches::engine::shown;
use llmend_benches::follower::{Follower, JITER, JSON_STREAM_PARSER, LLMEND, LLMEND_EVENTS};
use llmend_benches::measure::{Comparison, Effort, Subject, compare};
use llmend_benches::node::Layout;
use llmend_benches::table::{Table, bytes};

const SIZES: [usize; 2] = [100_000, 1_000_000];

/// Chunk sizes in bytes, each with the limit in nanoseconds per byte.
const BARS: [(usize, f64); 2] = [(20, 30.0), (4, 50.0)];

/// Limit for the cost per byte at the larger size, relative to the smaller.
const GROWTH: f64 = 1.3;

/// Parsers that start over for each chunk are run for as many chunks as the smaller text has; the
/// rest is extrapolated.
const READINGS: usize = 200;

fn main() {
    if memory::measure_if_asked() {
        return;
    }
    let arguments = Arguments::read();
    let mut names = Layout::ALL.map(Layout::name).to_vec();
    names.extend(Defect::ALL.map(Defect::name));
    let names = arguments.chosen(&names);
    let documents = SIZES.map(|size| Document::generate(size, Layout::Pretty));
    let mut rows = Vec::new();
    for layout in Layout::ALL.into_iter().filter(|it| names.contains(&it.name())) {
        let cases = SIZES.map(|size| {
            let document = Document::generate(size, layout);
            Case { text: document.text(), wanted: document.value() }
        });
        rows.push(Row::measure(layout.name(), &cases, true, arguments.effort));
    }
    for defect in Defect::ALL.into_iter().filter(|it| names.contains(&it.name())) {
        let cases = documents.each_ref().map(|document| defect.apply(document));
        rows.push(Row::measure(defect.name(), &cases, false, arguments.effort));
    }
    let table = table(&rows);
    if arguments.markdown {
        print!("{}", table.markdown());
        return;
    }
    println!("\n# nanoseconds a byte, with a look at the value after each chunk\n");
    print!("{}", table.plain());
    if arguments.effort.is_some() {
        println!("\n{}", verdict(&rows));
        println!("\n{}", memory::table().plain());
    }
}

/// Cost of one parser with one chunk size, at both text sizes.
#[derive(Clone, Copy)]
enum Cell {
    /// Not timed, with the reason.
    Not(&'static str),
    Cost {
        /// Nanoseconds per byte.
        small: f64,
        large: f64,
        /// Median of the ratios of the two.
        growth: f64,
    },
}

impl Cell {
    fn of(comparison: Comparison) -> Self {
        Self::Cost {
            small: 1e9 / comparison.baseline,
            large: 1e9 / comparison.throughput,
            growth: 1.0 / comparison.ratio,
        }
    }

    fn show(self) -> Vec<String> {
        match self {
            Self::Not(why) => vec![why.to_owned(), why.to_owned(), why.to_owned()],
            Self::Cost { small, large, growth } => {
                vec![show(small), show(large), format!("{growth:.2}")]
            }
        }
    }
}

/// Formats a number with three significant digits.
fn show(cost: f64) -> String {
    if cost < 100.0 { format!("{cost:.1}") } else { format!("{cost:.0}") }
}

/// One kind of text.
struct Row {
    name: &'static str,
    /// Share of the smaller text that is visible while it arrives.
    shown: f64,
    /// One for each of [`columns`].
    cells: Vec<Cell>,
}

/// The parsers and their chunk sizes.
fn columns() -> Vec<(Follower, usize)> {
    let ours = BARS.map(|(chunk, _)| (LLMEND, chunk));
    ours.into_iter().chain([(LLMEND_EVENTS, 20), (JSON_STREAM_PARSER, 20), (JITER, 20)]).collect()
}

impl Row {
    fn measure(
        name: &'static str,
        cases: &[Case; 2],
        is_valid: bool,
        effort: Option<Effort>,
    ) -> Self {
        eprintln!("{name}");
        let cell = |(follower, chunk): (Follower, usize)| {
            if !is_valid && !follower.repairs {
                return Cell::Not("–");
            }
            for case in cases {
                match check(&follower.contestant(chunk), &case.text, &case.wanted) {
                    Verdict::Right => {}
                    Verdict::Wrong(why) | Verdict::Refused(why) => {
                        eprintln!("  {}: {why}", follower.name);
                        return Cell::Not("wrong");
                    }
                }
            }
            let Some(effort) = effort else { return Cell::Not("right") };
            let [small, large] = cases.each_ref().map(|case| {
                let readings = case.text.len() / chunk;
                let every = if follower.rereads { readings.div_ceil(READINGS) } else { 1 };
                let text = case.text.as_str();
                (move || (follower.run)(text, chunk, every), case.text.len() / every)
            });
            let small = Subject { run: &small.0, bytes: small.1 };
            let large = Subject { run: &large.0, bytes: large.1 };
            Cell::of(compare(&small, &large, effort))
        };
        let shown = shown(&cases[0].text, BARS[0].0);
        Self { name, shown, cells: columns().into_iter().map(cell).collect() }
    }
}

fn table(rows: &[Row]) -> Table {
    let mut header = vec![String::new(), "shown".to_owned()];
    for (follower, chunk) in columns() {
        let [small, large] = SIZES.map(bytes);
        header.push(format!("{}, {chunk} B, {small}", follower.name));
        header.extend([large, "growth".to_owned()]);
    }
    let mut table = Table::new(1, &header.iter().map(String::as_str).collect::<Vec<_>>());
    for row in rows {
        let name = [row.name.to_owned(), format!("{:.0} %", row.shown * 100.0)].into_iter();
        table.row(name.chain(row.cells.iter().flat_map(|cell| cell.show())).collect());
    }
    table
}

/// Returns the summary: the highest cost, and whether it exceeds the limit.
fn verdict(rows: &[Row]) -> String {
    let mut text = String::from("verdict:");
    for ((chunk, bar), column) in BARS.into_iter().zip(0..) {
        let costs = rows.iter().filter_map(|row| match row.cells.get(column) {
            Some(&Cell::Cost { small, large, growth }) => {
                Some((row.name, small.max(large), growth))
            }
            _ => None,
        });
        let costs: Vec<_> = costs.collect();
        let over = costs.iter().filter(|(_, cost, _)| *cost > bar).count();
        let worst = costs.iter().max_by(|left, right| left.1.total_cmp(&right.1));
        let grown = costs.iter().max_by(|left, right| left.2.total_cmp(&right.2));
        if let Some((worst, grown)) = worst.zip(grown) {
            text.push_str(&format!(
                "\n  chunks of {chunk} B: at most {:.1} ns a byte ({}; the bar is {bar}, {over} of {} rows over it), growth at most {:.2} ({}; the bar is {GROWTH})",
                worst.1, worst.0, costs.len(), grown.2, grown.0,
            ));
        }
    }
    text
}
