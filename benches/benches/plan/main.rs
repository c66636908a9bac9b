//! Growth of the time for inferring, checking and patching large plans and workflows, on a thread
//! with a stack of two megabytes: the ratio of the times for 4 n and n nodes and edges, which is 4
//! if time is linear.

// Sizes become floating point numbers to be divided; none is near 2^52.
#![allow(clippy::cast_precision_loss)]

use std::hint::black_box;
use std::time::Duration;

use cpu_time::ThreadTime;
use llmend_benches::table::{Table, seconds};
use llmend_draw::layout;
use llmend_plan::{Gaps, Locations, Options, apply, apply_to_plan, check_plan, check_workflow};
use llmend_plan::{diff, diff_plans, infer};
use llmend_testing::plan::large::{KINDS, Large};

/// Nodes and edges of the smaller size; the larger is four times as large.
const SIZE: usize = 50_000;

const STACK: usize = 2 << 20;

/// Number of runs, of which the shortest counts.
const RUNS: usize = 5;

fn main() {
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(run);
    if thread.expect("a thread can be started").join().is_err() {
        std::process::exit(1);
    }
}

fn run() {
    let mut table = Table::new(2, &["kind", "work", "size", "n", "4 n", "ratio", "ns per part"]);
    for kind in &KINDS {
        let (small, large) = ((kind.make)(SIZE), (kind.make)(4 * SIZE));
        for (name, work) in WORK {
            let (Some(few), Some(many)) = (shortest(work, &small), shortest(work, &large)) else {
                continue;
            };
            let ratio = many.as_secs_f64() / few.as_secs_f64();
            // Kinds have about as many parts as requested.
            let scale = large.size() as f64 / small.size() as f64 / 4.0;
            table.row(vec![
                kind.name.to_owned(),
                name.to_owned(),
                large.size().to_string(),
                seconds(few.as_secs_f64()),
                seconds(many.as_secs_f64()),
                format!("{:.1}", ratio / scale),
                format!("{:.0}", many.as_secs_f64() * 1e9 / large.size() as f64),
            ]);
        }
    }
    print!("{}", table.plain());
}

type Work = fn(&Large) -> Option<Duration>;

const WORK: [(&str, Work); 4] =
    [("infer", inferred), ("check", checked), ("diff and apply", patched), ("lay out", laid_out)];

fn shortest(work: Work, large: &Large) -> Option<Duration> {
    (0..RUNS).filter_map(|_| work(large)).min()
}

fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let start = ThreadTime::now();
    black_box(work());
    start.elapsed()
}

fn inferred(large: &Large) -> Option<Duration> {
    match large {
        Large::Plan(_) => None,
        Large::Workflow(workflow) => {
            let mut erased = workflow.clone();
            erased.edges.iter_mut().for_each(|edge| edge.output = None);
            Some(timed(|| infer(erased, Locations::default())))
        }
    }
}

fn checked(large: &Large) -> Option<Duration> {
    let options = Options { max_items: usize::MAX, ..Options::default() };
    Some(match large {
        Large::Plan(plan) => timed(|| check_plan(plan, &options)),
        Large::Workflow(workflow) => timed(|| check_workflow(workflow, &options)),
    })
}

/// Removes every second node, and bridges the gaps.
fn patched(large: &Large) -> Option<Duration> {
    Some(match large {
        Large::Plan(plan) => {
            let mut half = plan.clone();
            let mut at = 0;
            half.steps.retain(|_| {
                at += 1;
                at % 2 == 0
            });
            timed(|| apply_to_plan(plan, &diff_plans(plan, &half), Gaps::Leave))
        }
        Large::Workflow(workflow) => {
            let mut half = workflow.clone();
            let mut at = 0;
            half.nodes.retain(|_| {
                at += 1;
                at % 2 == 0
            });
            half.edges.clear();
            timed(|| apply(workflow, &diff(workflow, &half), Gaps::Bridge))
        }
    })
}

fn laid_out(large: &Large) -> Option<Duration> {
    match large {
        Large::Plan(_) => None,
        Large::Workflow(workflow) => Some(timed(|| layout::layered(workflow))),
    }
}
