//! How the rows of each check are run, and what holds for all checks.

use serde_json::json;

use super::*;
use crate::{Catalog, sketch};

fn catalog() -> Catalog {
    Catalog::read(&json!({
        "search": {
            "arguments": {
                "type": "object",
                "properties": {
                    "query": {"type": "string"},
                    "most": {"type": "integer"},
                    "order": {"type": "string", "enum": ["asc", "desc"]},
                },
                "required": ["query"],
                "additionalProperties": false,
            },
            "output": {"type": "object", "properties": {"price": {"type": "number"}}},
        },
        "agent": {"capabilities": {"sell": {"arguments": {"required": ["what"]}}}},
        "click": null,
        "calculator": null,
    }))
    .unwrap()
}

fn shown(found: &[Finding], codes: &[CodeRow]) -> String {
    let of_these = |it: &&Finding| codes.iter().any(|one| one.code == it.diagnostic.code);
    let rows = found.iter().filter(of_these).map(|it| {
        let fix = if it.fix.is_some() { "+fix" } else { "" };
        format!("{}@{}{fix}", it.diagnostic.code, it.diagnostic.path.as_deref().unwrap())
    });
    rows.collect::<Vec<_>>().join(" ")
}

/// Rows of a workflow in two lines, and what one check finds in it: `code@path`, and `+fix` where
/// there is a fix.
pub(super) fn of_flows(codes: &[CodeRow], rows: &[(&str, &str, &str)]) {
    for (nodes, edges, expected) in rows {
        let found = check_workflow(&sketch::workflow(nodes, edges), &Options::default());
        assert_eq!(shown(&found, codes), *expected, "{nodes} | {edges}");
    }
}

/// Rows of a plan's steps, as JSON, and what one check finds in them.
pub(super) fn of_plans(codes: &[CodeRow], rows: &[(&str, &str)]) {
    let options = Options { catalog: Some(catalog()), ..Options::default() };
    for (steps, expected) in rows {
        let plan = Plan { steps: serde_json::from_str(steps).unwrap(), ..Plan::default() };
        // Tools of other checks' rows are not in the catalog.
        let found = check_plan(&plan, &options);
        assert_eq!(shown(&found, codes), *expected, "{steps}");
    }
}

#[test]
fn valid_workflows_have_no_findings() {
    // S3-56: a line, one node, branches that meet, loops with and without a way out, nested ones, and
    // a Switch.
    let rows = [
        ("a b c", "a>b b>c"),
        ("a", ""),
        ("I a b c", "I-true>a I-false>b a>c b>c"),
        ("a L b E:L c", "a>L L-body>b b>E E>L L-done>c"),
        ("a L b E:L", "a>L L-body>b b>E E>L"),
        ("L M a F:M E:L b", "L-body>M M-body>a a>F F>M M-done>E E>L L-done>b"),
        ("S:x,y a b c", "S-=x>a S-=y>b S-default>c"),
    ];
    for (nodes, edges) in rows {
        let found = check_workflow(&sketch::workflow(nodes, edges), &Options::default());
        assert_eq!(found, [], "{nodes} | {edges}");
    }
}

#[test]
fn all_findings_come_at_once() {
    let found =
        check_workflow(&sketch::workflow("I a b L", "I-true>a a>x b>b"), &Options::default());
    let mut codes: Vec<_> = found.iter().map(|it| it.diagnostic.code.as_ref()).collect();
    codes.sort_unstable();
    assert_eq!(
        codes,
        [
            "plan/dangling-edge",
            "workflow/cycle",
            "workflow/loop-without-body",
            "workflow/missing-branch",
            "workflow/orphan",
            "workflow/unpaired-loop",
            "workflow/unreachable",
        ]
    );
}

#[test]
fn a_cycle_is_spelled_out() {
    let steps: Vec<crate::Step> = serde_json::from_value(json!([
        {"id": "a", "depends_on": ["c"]}, {"id": "b", "depends_on": ["a"]}, {"id": "c", "depends_on": ["b"]},
    ]))
    .unwrap();
    let found = check_plan(&Plan { steps, ..Plan::default() }, &Options::default());
    assert_eq!(found[0].diagnostic.message, "dependency cycle: `a` → `b` → `c` → `a`");
}

#[test]
fn fixes_leave_nothing_to_fix() {
    let steps = json!([
        {"id": "a", "depends_on": ["a", "a"]},
        {"id": "b", "depends_on": ["A"], "inputs": {"x": "{{a.y}}"}},
        {"id": "c", "inputs": {"x": "{{b.y}} {{a.y}}"}},
    ]);
    let steps = serde_json::from_value(steps).unwrap();
    let mut plan = Plan { steps, ..Plan::default() };
    let options = Options::default();
    for _ in 0..2 {
        let found = check_plan(&plan, &options);
        let fixes: Vec<Fix> = found.into_iter().filter_map(|it| it.fix).collect();
        fix_plan_all(&mut plan, &fixes);
    }
    assert_eq!(check_plan(&plan, &options), []);
    assert!(plan.steps[0].depends_on.is_empty());
    assert!(plan.steps[1].depends_on.contains(&"a".to_owned()));
    assert_eq!(plan.steps[2].depends_on, ["b", "a"]);

    let mut workflow = sketch::workflow("a b", "A>b");
    let found = check_workflow(&workflow, &options);
    assert_eq!(
        crate::fix_workflow(&mut workflow, found.iter().filter_map(|it| it.fix.as_ref())),
        1
    );
    assert_eq!(check_workflow(&workflow, &options), []);
}

fn fix_plan_all(plan: &mut Plan, fixes: &[Fix]) {
    assert_eq!(crate::fix_plan(plan, fixes), fixes.len());
}

#[test]
fn every_code_is_listed_once() {
    let mut codes: Vec<_> = codes().map(|one| one.code).collect();
    let all = codes.len();
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(codes.len(), all);
    assert!(super::codes().all(|one| !one.about.is_empty() && one.code.contains('/')));
}
