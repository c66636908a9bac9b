//! Inference of labels, application of patches, and checks of large plans.

#![cfg(feature = "llmend")]

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};

use llmend_json::{Diagnostic, Severity};
use llmend_plan::{
    Change, Edge, Gaps, Locations, Node, NodeKind, Options, Patch, Plan, Step, Update, Workflow,
    apply, apply_to_plan, check_plan, check_workflow, diff, diff_plans, infer,
};
use llmend_testing::plan::erased::{self, Case, Closing};
use llmend_testing::plan::large::{self, Large};
use llmend_testing::plan::pairs;

/// Sixteen cases in a row on each of four threads, until all are done.
fn each(cases: usize, check: impl Fn(usize) -> Result<(), String> + Sync) {
    let faults: Vec<String> = std::thread::scope(|scope| {
        let check = &check;
        let parts: Vec<_> = (0..4)
            .map(|part| {
                scope.spawn(move || {
                    (0..cases)
                        .skip(part)
                        .step_by(4)
                        .filter_map(|at| check(at).err())
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        parts.into_iter().flat_map(|part| part.join().unwrap()).collect()
    });
    assert!(
        faults.is_empty(),
        "{} faults\n{}",
        faults.len(),
        faults.iter().take(3).cloned().collect::<Vec<_>>().join("\n\n")
    );
}

/// The edges of a workflow, and how often each stands there.
fn counted(workflow: &Workflow) -> BTreeMap<&Edge, usize> {
    let mut edges = BTreeMap::new();
    for edge in &workflow.edges {
        *edges.entry(edge).or_default() += 1;
    }
    edges
}

/// The nodes that warnings are about: the sources of the edges, and the loops of the ends.
fn doubted(workflow: &Workflow, rows: &[Diagnostic]) -> HashSet<String> {
    let mut doubted = HashSet::new();
    for row in rows.iter().filter(|row| row.severity == Severity::Warning) {
        if row.code == llmend_plan::infer::START {
            // Where the flow starts is not known: then nothing of it is.
            doubted.extend(workflow.nodes.iter().map(|node| node.id.clone()));
        }
        let mut parts = row.path.as_deref().unwrap_or_default().split('/').skip(1);
        let (list, at) = (parts.next(), parts.next().and_then(|at| at.parse::<usize>().ok()));
        let id = match (list, at) {
            (Some("edges"), Some(at)) => workflow.edges[at].from.clone(),
            (Some("nodes"), Some(at)) => workflow.nodes[at].id.clone(),
            _ => panic!("a finding about nothing: {row:?}"),
        };
        if let Some(NodeKind::EndLoop { loop_id }) =
            workflow.nodes.iter().find(|node| node.id == id).map(|node| &node.kind)
        {
            doubted.insert(loop_id.clone());
        }
        doubted.insert(id);
    }
    doubted
}

/// What is wrong with what was inferred of a case: whatever differs from what was meant has to be
/// about a node that a warning is about.
fn wrong(case: &Case) -> Result<(), String> {
    let inferred = infer(case.written.clone(), Locations::default());
    let (found, meant) = (counted(&inferred.workflow), counted(&case.meant));
    let doubted = doubted(&inferred.workflow, &inferred.diagnostics);
    let loops: HashMap<&str, &str> = case
        .meant
        .nodes
        .iter()
        .filter_map(|node| match &node.kind {
            NodeKind::EndLoop { loop_id } => Some((node.id.as_str(), loop_id.as_str())),
            _ => None,
        })
        .collect();
    let silent = |edge: &&Edge| {
        let from = edge.from.as_str();
        !doubted.contains(from) && !loops.get(from).is_some_and(|of| doubted.contains(*of))
    };
    let differ = found.keys().filter(|edge| meant.get(*edge) != found.get(*edge));
    let differ = differ.chain(meant.keys().filter(|edge| meant.get(*edge) != found.get(*edge)));
    let differ: Vec<&Edge> = differ.copied().filter(silent).collect();
    let text = |what: &str| {
        let lines = |workflow: &Workflow| {
            workflow
                .edges
                .iter()
                .map(|edge| {
                    format!(
                        "{}-{}>{}",
                        edge.from,
                        edge.output.as_ref().map(ToString::to_string).unwrap_or_default(),
                        edge.to
                    )
                })
                .collect::<Vec<_>>()
                .join(" ")
        };
        let rows: Vec<_> = inferred
            .diagnostics
            .iter()
            .map(|row| format!("{:?} {} {}", row.severity, row.code, row.message))
            .collect();
        format!(
            "{what}\n{:?}\nmeant {}\nwritten {}\ninferred {}\n{}",
            case.manner,
            lines(&case.meant),
            lines(&case.written),
            lines(&inferred.workflow),
            rows.join("\n")
        )
    };
    if !differ.is_empty() {
        return Err(text(&format!("wrong without a warning: {differ:?}")));
    }
    // What the structure decides is decided: every edge of every loop, unless nothing happens in it,
    // or one has to find out where the flow starts.
    let decided = case.manner.closing == Closing::Proper || !case.starts_with_loop;
    let undecided = inferred.diagnostics.iter().find(|row| {
        let of_a_loop =
            !matches!(&*row.code, llmend_plan::infer::IF_LABEL | llmend_plan::infer::SWITCH_LABEL);
        of_a_loop
            && row.severity == Severity::Warning
            && row.code != llmend_plan::infer::DONE_INTO_END
            && {
                let ids = self::doubted(&inferred.workflow, std::slice::from_ref(row));
                ids.is_disjoint(&case.empty_loops)
            }
    });
    match undecided.filter(|_| decided) {
        Some(row) => Err(text(&format!("not decided: {row:?}"))),
        None => Ok(()),
    }
}

#[test]
fn labels_are_right_or_come_with_a_warning() {
    // S3-50…S3-55: ten thousand structured programs, written as models write them.
    let unknown_starts = AtomicUsize::new(0);
    each(10_000, |index| {
        let case = erased::case(31, index);
        let found = infer(case.written.clone(), Locations::default()).diagnostics;
        let guessed = found.iter().any(|row| row.code == llmend_plan::infer::START);
        unknown_starts.fetch_add(usize::from(guessed), Ordering::Relaxed);
        wrong(&case)
    });
    // Of some programs that start with a loop which has others in it, and all of whose bodies lead
    // straight back, one cannot tell the outermost. That is no excuse for many.
    let unknown = unknown_starts.into_inner();
    assert!(unknown < 400, "{unknown} programs are said to start anywhere");
}

#[test]
fn what_is_inferred_of_a_program_has_no_findings() {
    // S3-56: unless something was not known, a program that was written badly is a valid one again.
    each(2_000, |index| {
        let case = erased::case(32, index);
        let inferred = infer(case.written.clone(), Locations::default());
        let warned = inferred.diagnostics.iter().any(|row| row.severity == Severity::Warning);
        let found = check_workflow(&inferred.workflow, &Options::default());
        match found.first() {
            // Two branches without a step between them are two edges to one node.
            Some(first) if !warned => Err(format!("{index}: {first:?}")),
            _ => Ok(()),
        }
    });
}

/// Nodes and edges of a workflow, as sets.
fn sets(workflow: &Workflow) -> (BTreeMap<&str, &Node>, BTreeSet<&Edge>) {
    (workflow.nodes.iter().map(|node| (&*node.id, node)).collect(), workflow.edges.iter().collect())
}

/// The steps of a plan, each with what it waits for as a set.
fn steps(plan: &Plan) -> BTreeMap<&str, (Step, BTreeSet<&str>)> {
    let bare = |step: &Step| Step { depends_on: Vec::new(), ..step.clone() };
    let steps = plan.steps.iter();
    steps
        .map(|step| (&*step.id, (bare(step), step.depends_on.iter().map(String::as_str).collect())))
        .collect()
}

#[test]
fn a_patch_leads_from_any_workflow_to_any_other() {
    // S3-14, S3-29…S3-34: ten thousand pairs.
    each(10_000, |index| {
        let (before, after) = pairs::workflows(41, index);
        let patch = diff(&before, &after);
        let found =
            apply(&before, &patch, Gaps::Leave).map_err(|error| format!("{index}: {error}"))?;
        let found = found.or(before.clone());
        if sets(&found) != sets(&after) {
            return Err(format!("{index}: {before:?}\n{patch:?}\n{found:?}\n{after:?}"));
        }
        // By the operations of RFC 6902 too; each patch on a tenth of the pairs.
        if index % 10 == 0 {
            let operations = patch.to_json_patch(&before).map_err(|error| error.to_string())?;
            let other = Patch::from_json_patch(&before, &operations);
            let other = other.map_err(|error| format!("{index}: {error}"))?;
            let found = apply(&before, &other, Gaps::Leave).map_err(|error| error.to_string())?;
            if sets(&found.or(before)) != sets(&after) {
                return Err(format!("{index}: {operations}"));
            }
        }
        Ok(())
    });
}

#[test]
fn a_patch_leads_from_any_plan_to_any_other() {
    each(10_000, |index| {
        let (before, after) = pairs::plans(42, index);
        let patch = diff_plans(&before, &after);
        let found = apply_to_plan(&before, &patch, Gaps::Leave);
        let found = found.map_err(|error| format!("{index}: {error}"))?.or(before.clone());
        if steps(&found) == steps(&after) { Ok(()) } else { Err(format!("{index}: {patch:?}")) }
    });
}

#[test]
fn a_patch_with_one_bad_entry_changes_nothing() {
    // S3-14, S3-15: each list with an entry too many; what came is borrowed, and cannot change.
    each(10_000, |index| {
        let (before, after) = pairs::workflows(43, index);
        let good = diff(&before, &after);
        let nowhere = || Edge::new("nowhere", "n0");
        let twice = Node::new("twice", NodeKind::EndLoop { loop_id: String::new() });
        let unknown = Change { id: "nowhere".into(), ..Change::default() };
        let unknown = Update::Change(Box::new(unknown));
        let bad = [
            Patch {
                remove_nodes: [good.remove_nodes.clone(), vec!["nowhere".into()]].concat(),
                ..good.clone()
            },
            Patch {
                remove_edges: [good.remove_edges.clone(), vec![nowhere()]].concat(),
                ..good.clone()
            },
            Patch { add_edges: [good.add_edges.clone(), vec![nowhere()]].concat(), ..good.clone() },
            Patch {
                update_nodes: [good.update_nodes.clone(), vec![unknown.clone()]].concat(),
                ..good.clone()
            },
            Patch {
                add_nodes: [good.add_nodes.clone(), vec![twice.clone(); 2]].concat(),
                ..good.clone()
            },
        ];
        match bad.iter().find(|patch| apply(&before, patch, Gaps::Bridge).is_ok()) {
            Some(applied) => Err(format!("{index}: {applied:?}")),
            None => Ok(()),
        }
    });
}

#[test]
fn large_plans_are_checked_on_a_small_stack() {
    // 100,000 steps in each shape, and loops 10,000 deep.
    let work = || {
        for kind in &large::KINDS {
            let large = (kind.make)(200_000);
            match &large {
                Large::Plan(plan) => assert!(check_plan(plan, &Options::default()).len() < 500_000),
                Large::Workflow(workflow) => {
                    let found = check_workflow(workflow, &Options::default());
                    assert!(found.len() < 500_000, "{}", kind.name);
                    let inferred = infer(workflow.clone(), Locations::default());
                    assert_eq!(inferred.workflow.nodes.len(), workflow.nodes.len());
                }
            }
        }
        let deep = llmend_testing::plan::structured::nested_loops(10_000);
        assert_eq!(check_workflow(&deep, &Options::default()), []);
        let mut erased = deep.clone();
        for edge in &mut erased.edges {
            edge.output = None;
        }
        let inferred = infer(erased, Locations::default());
        assert_eq!(inferred.workflow, deep);
        assert!(inferred.diagnostics.iter().all(|row| row.severity == Severity::Info));
    };
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(work);
    thread.unwrap().join().unwrap();
}
