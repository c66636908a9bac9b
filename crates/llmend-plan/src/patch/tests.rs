//! Tests of patches.

use serde_json::{Value, json};

use super::*;
use crate::{Plan, Step, Workflow, sketch};

fn patch(value: Value) -> Patch {
    serde_json::from_value(value).unwrap()
}

fn tool(id: &str) -> Value {
    json!({"id": id, "type": "tool", "tool": "click"})
}

/// Returns the ids and edges after a patch, or the codes and paths of its violations.
fn patched(nodes: &str, edges: &str, patch: &Patch, gaps: Gaps) -> String {
    let before = sketch::workflow(nodes, edges);
    match apply(&before, patch, gaps) {
        Ok(PatchOutcome::NoChange) => "no change".to_owned(),
        Ok(PatchOutcome::Changed(changed)) => {
            let ids: Vec<_> = changed.value.nodes.iter().map(|node| node.id.as_str()).collect();
            format!("{} | {}", ids.join(" "), sketch::edges(&changed.value))
        }
        Err(error) => {
            let rows = error.violations.iter();
            let rows = rows.map(|row| format!("{}@{}", row.code, row.path.as_deref().unwrap()));
            rows.collect::<Vec<_>>().join(" ")
        }
    }
}

#[test]
fn fields_are_applied_in_order() {
    // S3-29…S3-33, S3-65: remove, update, add, remove edges, add edges.
    let whole = json!({
        "remove_nodes": ["b"],
        "update_nodes": [{"change": {"id": "c", "tool": "type", "arguments": {"text": "x"}}}],
        "add_nodes": [tool("b"), tool("d")],
        "remove_edges": [{"from": "a", "to": "c"}],
        "add_edges": [{"from": "a", "to": "b"}, {"from": "b", "to": "d"}],
    });
    let rows = [
        (json!({}), "no change"),
        (whole, "a c b d | a>b b>d"),
        (json!({"remove_nodes": ["b"]}), "a c | a>c"),
        (
            json!({"add_nodes": [tool("d")], "add_edges": [{"from": "c", "to": "d"}]}),
            "a b c d | a>b b>c a>c c>d",
        ),
        // Appended nodes get new ids.
        (
            json!({"append_nodes": [tool(""), tool("x"), tool("")]}),
            "a b c n4 x n5 | a>b b>c a>c c>n4 n4>x x>n5",
        ),
        (json!({"remove_nodes": ["c"], "append_nodes": [tool("x")]}), "a b x | a>b b>x"),
        (
            json!({"add_nodes": [tool("x"), tool("y")], "insert_before": [{"node": "x", "before": "c"}, {"node": "y", "before": "c"}]}),
            "a b c x y | a>b b>x a>x x>y y>c",
        ),
        (json!({"update_nodes": [{"replace": tool("a")}]}), "no change"),
        (
            json!({"add_edges": [{"from": "a", "to": "b"}, {"from": "c", "to": "a"}]}),
            "a b c | a>b b>c a>c c>a",
        ),
    ];
    for (value, expected) in rows {
        assert_eq!(
            patched("a b c", "a>b b>c a>c", &patch(value.clone()), Gaps::Leave),
            expected,
            "{value}"
        );
    }
}

#[test]
fn bridges_gaps_of_nodes_without_branches() {
    let rows = [
        ("a b c", "a>b b>c", vec!["b"], "a c | a>c"),
        ("a b c d", "a>b b>c c>d", vec!["c", "b"], "a d | a>d"),
        ("I a b c", "I-true>a I-false>b a>c b>c", vec!["a"], "I b c | I-false>b b>c I-true>c"),
        ("a I b c", "a>I I-true>b I-false>c", vec!["I"], "a b c | "),
        ("a b", "a>b", vec!["b"], "a | "),
        // A bridge would be a self-loop, and removed nodes form a cycle.
        ("a b", "a>b b>a", vec!["b"], "a | "),
        ("a b c", "a>b b>c c>b", vec!["b", "c"], "a | "),
    ];
    for (nodes, edges, gone, expected) in rows {
        let patch = patch(json!({"remove_nodes": gone}));
        assert_eq!(patched(nodes, edges, &patch, Gaps::Bridge), expected, "{nodes} | {edges}");
    }
}

#[test]
fn inserting_before_a_loop_keeps_its_back_edge() {
    let patch =
        patch(json!({"add_nodes": [tool("x")], "insert_before": [{"node": "x", "before": "L"}]}));
    let found = patched("a L b E:L", "a>L L-body>b b>E E>L", &patch, Gaps::Leave);
    assert_eq!(found, "a L b E x | a>x L-body>b b>E E>L x>L");
}

#[test]
fn an_invalid_entry_rejects_the_whole_patch() {
    let good = json!({"remove_nodes": ["b"]});
    let rows = [
        (json!({"remove_nodes": ["b", "x"]}), "patch/unknown@/remove_nodes/1"),
        (json!({"remove_nodes": ["b", "b"]}), "patch/twice@/remove_nodes/1"),
        (
            json!({"update_nodes": [{"replace": tool("x")}]}),
            "patch/unknown@/update_nodes/0/replace/id",
        ),
        (json!({"update_nodes": [{"change": {"id": "a"}}]}), "patch/unfit@/update_nodes/0/change"),
        (
            json!({"update_nodes": [{"change": {"id": "I", "tool": "x"}}]}),
            "patch/unfit@/update_nodes/0/change",
        ),
        (
            json!({"update_nodes": [{"change": {"id": "a", "tool": "x", "kind": {"type": "tool", "tool": "y"}}}]}),
            "patch/unfit@/update_nodes/0/change",
        ),
        (
            json!({"update_nodes": [{"change": {"id": "a", "name": "x"}}, {"change": {"id": "a", "name": "y"}}]}),
            "patch/twice@/update_nodes/1/change/id",
        ),
        (
            json!({"remove_nodes": ["a"], "update_nodes": [{"replace": tool("a")}]}),
            "patch/unfit@/update_nodes/0/replace/id",
        ),
        (json!({"add_nodes": [tool("a")]}), "patch/twice@/add_nodes/0/id"),
        (json!({"add_nodes": [tool("x"), tool("x")]}), "patch/twice@/add_nodes/1/id"),
        (json!({"add_nodes": [tool("")]}), "patch/unfit@/add_nodes/0/id"),
        (json!({"remove_edges": [{"from": "b", "to": "a"}]}), "patch/unknown@/remove_edges/0"),
        (
            json!({"remove_edges": [{"from": "a", "to": "b", "output": {"type": "if_true"}}]}),
            "patch/unknown@/remove_edges/0",
        ),
        (
            json!({"add_edges": [{"from": "x", "to": "y"}]}),
            "patch/unknown@/add_edges/0/from patch/unknown@/add_edges/0/to",
        ),
        (
            json!({"remove_nodes": ["b"], "add_edges": [{"from": "a", "to": "b"}]}),
            "patch/unknown@/add_edges/0/to",
        ),
        (
            json!({"add_nodes": [tool("x")], "insert_before": [{"node": "x", "before": "y"}, {"node": "a", "before": "b"}]}),
            "patch/unknown@/insert_before/0/before patch/unfit@/insert_before/1/node",
        ),
    ];
    for (value, expected) in rows {
        assert_eq!(
            patched("a b I", "a>b", &patch(value.clone()), Gaps::Leave),
            expected,
            "{value}"
        );
        // A valid entry beside it is not applied either.
        let mut both = patch(value.clone());
        both.append_nodes = patch(json!({"append_nodes": [tool("z")]})).append_nodes;
        assert!(apply(&sketch::workflow("a b I", "a>b"), &both, Gaps::Leave).is_err(), "{value}");
    }
    assert_eq!(patched("a b I", "a>b", &patch(good), Gaps::Leave), "a I | ");
}

#[test]
fn removed_edges_are_listed() {
    let before = sketch::workflow("a b c", "a>b b>c a>c");
    let patch = patch(json!({"remove_nodes": ["b"]}));
    let changed = apply(&before, &patch, Gaps::Leave).unwrap().changed().unwrap();
    assert_eq!(changed.removed_edges, before.edges[..2]);
    assert_eq!(PatchOutcome::<Workflow>::NoChange.or(before.clone()), before);
}

fn plan(steps: Value) -> Plan {
    Plan { steps: serde_json::from_value(steps).unwrap(), ..Plan::default() }
}

#[test]
fn plan_patches_are_applied() {
    let before = plan(
        json!([{"id": "a"}, {"id": "b", "depends_on": ["a"]}, {"id": "c", "depends_on": ["b"]}]),
    );
    let run = |value: Value, gaps| {
        let patch: PlanPatch = serde_json::from_value(value).unwrap();
        apply_to_plan(&before, &patch, gaps).map(|it| it.or(before.clone()).steps)
    };
    let steps = |value: Value| plan(value).steps;
    let rows: [(Value, Gaps, Vec<Step>); 5] = [
        (json!({}), Gaps::Leave, before.steps.clone()),
        (json!({"remove_steps": ["b"]}), Gaps::Leave, steps(json!([{"id": "a"}, {"id": "c"}]))),
        (
            json!({"remove_steps": ["b"]}),
            Gaps::Bridge,
            steps(json!([{"id": "a"}, {"id": "c", "depends_on": ["a"]}])),
        ),
        (
            json!({"update_steps": [{"id": "a", "title": "x"}], "add_steps": [{"id": "d", "depends_on": ["c"]}]}),
            Gaps::Leave,
            steps(
                json!([{"id": "a", "title": "x"}, {"id": "b", "depends_on": ["a"]}, {"id": "c", "depends_on": ["b"]}, {"id": "d", "depends_on": ["c"]}]),
            ),
        ),
        (
            json!({"remove_dependencies": [{"step": "c", "on": "b"}], "add_dependencies": [{"step": "c", "on": "a"}]}),
            Gaps::Leave,
            steps(
                json!([{"id": "a"}, {"id": "b", "depends_on": ["a"]}, {"id": "c", "depends_on": ["a"]}]),
            ),
        ),
    ];
    for (value, gaps, expected) in rows {
        assert_eq!(run(value.clone(), gaps), Ok(expected), "{value}");
    }
    let bad = [
        json!({"remove_steps": ["x"]}),
        json!({"remove_steps": ["a", "a"]}),
        json!({"update_steps": [{"id": "x"}]}),
        json!({"add_steps": [{"id": "a"}]}),
        json!({"add_steps": [{"id": "x"}, {"id": "x"}]}),
        json!({"add_steps": [{"id": "x", "depends_on": ["y"]}]}),
        json!({"remove_dependencies": [{"step": "a", "on": "b"}]}),
        json!({"add_dependencies": [{"step": "a", "on": "x"}]}),
        json!({"remove_steps": ["a"], "update_steps": [{"id": "a"}]}),
    ];
    for value in bad {
        assert_eq!(run(value.clone(), Gaps::Leave).unwrap_err().violations.len(), 1, "{value}");
    }
}

#[test]
fn json_patch_round_trips() {
    let before = sketch::workflow("a b c", "a>b b>c");
    let after = sketch::workflow("a c d", "a>c c>d");
    let operations = diff(&before, &after).to_json_patch(&before).unwrap();
    let patch = Patch::from_json_patch(&before, &operations).unwrap();
    assert_eq!(apply(&before, &patch, Gaps::Leave).unwrap().or(before.clone()), after);
    let rows = [
        (json!({}), outcome::JSON_PATCH, ""),
        (json!([{"op": "remove", "path": "/nodes/7"}]), outcome::JSON_PATCH, "/0"),
        (
            json!([{"op": "test", "path": "/nodes/0/id", "value": "a"}, {"op": "fly", "path": ""}]),
            outcome::JSON_PATCH,
            "/1",
        ),
        (json!([{"op": "remove", "path": "/nodes/0/id"}]), outcome::JSON_PATCH, "/0"),
        (json!([{"op": "add", "path": "/objective", "value": "x"}]), outcome::NOT_CARRIED, ""),
        (
            json!([{"op": "replace", "path": "/nodes/0/id", "value": "b"}]),
            outcome::JSON_PATCH,
            "/nodes",
        ),
    ];
    for (operations, code, path) in rows {
        let error = Patch::from_json_patch(&before, &operations).unwrap_err();
        let row = &error.violations[0];
        assert_eq!((&*row.code, row.path.as_deref()), (code, Some(path)), "{operations}");
    }
    let plan = plan(json!([{"id": "a"}]));
    let operations =
        json!([{"op": "add", "path": "/steps/-", "value": {"id": "b", "depends_on": ["a"]}}]);
    let patch = PlanPatch::from_json_patch(&plan, &operations).unwrap();
    assert_eq!(patch.add_steps.len(), 1);
    assert!(
        PlanPatch::from_json_patch(&plan, &json!([{"op": "add", "path": "/notes", "value": "x"}]))
            .is_err()
    );
}

#[test]
fn every_finding_is_listed_once() {
    let mut codes: Vec<_> = outcome::FINDINGS.iter().map(|(code, _)| code).collect();
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(codes.len(), outcome::FINDINGS.len());
}

#[test]
fn errors_of_a_json_patch_name_the_operation() {
    let workflow = sketch::workflow("a b", "a>b");
    let rows = [
        (
            json!([{"op": "replace", "path": "/nodes/9/tool", "value": "y"}]),
            "/0",
            "operation 0 failed: ",
        ),
        (
            json!([{"op": "test", "path": "/nodes/0/id", "value": "a"}, {"op": "test", "path": "/nodes/0/id", "value": "b"}]),
            "/1",
            "operation 1 failed: ",
        ),
        (
            json!([{"op": "remove", "path": "/edges/0"}, {"op": "replace", "path": "/nodes/0/tool"}]),
            "/1",
            "operation 1 is invalid: missing field `value`",
        ),
        (json!([{"op": "paint", "path": ""}]), "/0", "operation 0 is invalid: "),
        (
            json!([{"op": "remove", "path": "/edges/0"}, {"op": "remove", "path": "/nodes/0/tool"}]),
            "/1",
            "operation 1 leaves the canonical form: missing field `tool`",
        ),
        // The second operation makes up for the first one, and the third one is at fault.
        (
            json!([{"op": "remove", "path": "/nodes/0/tool"}, {"op": "add", "path": "/nodes/0/tool", "value": "t"}, {"op": "add", "path": "/nodes/1/tool", "value": 7}]),
            "/2",
            "operation 2 leaves the canonical form: ",
        ),
    ];
    for (operations, path, message) in rows {
        let error = Patch::from_json_patch(&workflow, &operations).unwrap_err();
        let [row] = error.violations.as_slice() else { panic!("{operations}: {error:?}") };
        assert_eq!((&*row.code, row.path.as_deref()), ("patch/json-patch", Some(path)));
        assert!(row.message.starts_with(message), "{operations}: {}", row.message);
    }
}

#[test]
fn the_difference_of_documents_lists_what_a_patch_cannot_say() {
    use crate::{Document, diff_documents};
    let plan = |value: Value| -> Document { serde_json::from_value::<Plan>(value).unwrap().into() };
    let before =
        json!({"objective": "o", "steps": [{"id": "a"}, {"id": "b", "depends_on": ["a"]}]});
    let rows = [
        (
            json!({"objective": "o", "steps": [{"id": "a"}, {"id": "b", "depends_on": ["a"]}]}),
            json!({}),
            "patch/no-change",
        ),
        (
            json!({"objective": "p", "steps": [{"id": "a"}, {"id": "b"}]}),
            json!({"update_steps": [{"id": "b"}]}),
            "patch/not-carried",
        ),
        (
            json!({"objective": "o", "steps": [{"id": "b", "depends_on": ["a"]}, {"id": "a"}]}),
            json!({}),
            "patch/not-carried",
        ),
        (json!({"objective": "o", "steps": [{"id": "a"}]}), json!({"remove_steps": ["b"]}), ""),
    ];
    for (after, patch, codes) in rows {
        let found = diff_documents(&plan(before.clone()), &plan(after.clone())).unwrap();
        let rows: Vec<_> = found.diagnostics.iter().map(|row| &*row.code).collect();
        assert_eq!(rows.join(" "), codes, "{after}");
        let got = serde_json::to_value(&found.patch).unwrap();
        if codes != "patch/not-carried" || after["steps"][0]["id"] == "b" {
            assert_eq!(got, patch, "{after}");
        }
    }
    let twice = plan(json!({"steps": [{"id": "a"}, {"id": "a"}]}));
    assert!(diff_documents(&plan(before.clone()), &twice).is_err());
    let flow: Document = sketch::workflow("a b", "a>b").into();
    let other: Document = sketch::workflow("a c", "a>c").into();
    let found = diff_documents(&flow, &other).unwrap();
    let patch = serde_json::to_value(&found.patch).unwrap();
    assert_eq!(patch["remove_nodes"], json!(["b"]));
    assert_eq!(patch["add_edges"], json!([{"from": "a", "to": "c"}]));
}
