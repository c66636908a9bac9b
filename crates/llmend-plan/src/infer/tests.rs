//! Tests of the inference.

use llmend_json::{Severity, Span};

use super::*;
use crate::{
    NodeKind,
    locations::{ItemLocations, Location},
    sketch,
};

/// Returns the inferred edges and the codes of the inferences, with `!` after warnings.
fn inferred(nodes: &str, edges: &str) -> (String, String) {
    let inference = infer(sketch::workflow(nodes, edges), Locations::default());
    let codes = inference.diagnostics.iter().map(|row| {
        let mark = if row.severity == Severity::Warning { "!" } else { "" };
        format!("{}{mark}", row.code.strip_prefix("infer/").unwrap())
    });
    (sketch::edges(&inference.workflow), codes.collect::<Vec<_>>().join(" "))
}

fn check(rows: &[(&str, &str, &str, &str)]) {
    for (nodes, edges, expected, codes) in rows {
        let found = inferred(nodes, edges);
        assert_eq!((found.0.as_str(), found.1.as_str()), (*expected, *codes), "{nodes} | {edges}");
    }
}

#[test]
fn labeled_edges_are_kept() {
    // S3-55: nothing is inferred if the workflow is complete.
    let rows = [
        ("a b", "a>b"),
        ("a L b E:L c", "a>L L-body>b b>E E>L L-done>c"),
        ("I a b c", "I-true>a I-false>b a>c b>c"),
        ("S:x,y a b c", "S-=x>a S-=y>b S-default>c"),
        // The calculator loop: nine nodes and nine edges.
        (
            "n1 Ln2 n3 n4 n5 n6 n7 En8:Ln2 n9",
            "n1>Ln2 Ln2-body>n3 n3>n4 n4>n5 n5>n6 n6>n7 n7>En8 En8>Ln2 Ln2-done>n9",
        ),
        // The inner loop is done at the end of the outer one.
        ("L M a F:M E:L b", "L-body>M M-body>a a>F F>M M-done>E E>L L-done>b"),
    ];
    for (nodes, edges) in rows {
        assert_eq!(inferred(nodes, edges), (edges.to_owned(), String::new()), "{nodes} | {edges}");
    }
}

#[test]
fn labels_of_loops_follow_the_structure() {
    check(&[
        // S3-52: the structure decides, in both orders.
        ("L a E:L b", "L>a L>b a>E E>L", "L-body>a L-done>b a>E E>L", "loop-label loop-label"),
        ("L a E:L b", "L>b L>a a>E E>L", "L-done>b L-body>a a>E E>L", "loop-label loop-label"),
        // The structure does not decide: neither leads back, and the order is a guess.
        ("L a b", "L>a L>b", "L-body>a L-done>b", "loop-label! loop-label!"),
        // One labeled and one unlabeled: never a second body.
        ("L a E:L b", "L-body>a L>b a>E E>L", "L-body>a L-done>b a>E E>L", "loop-label"),
        ("L a E:L b", "L>a L-done>b a>E E>L", "L-body>a L-done>b a>E E>L", "loop-label"),
        // An empty loop. With nothing after it, it is certain.
        ("a L E:L", "a>L L>E E>L", "a>L L-body>E E>L", "loop-label"),
        ("L E:L b", "L>b L>E E>L", "L-done>b L-body>E E>L", "loop-label! loop-label"),
        // Nested, without labels, and with a node after the inner loop.
        (
            "a L M b F:M c E:L d",
            "a>L L>d L>M M>b M>c b>F F>M c>E E>L",
            "a>L L-done>d L-body>M M-body>b M-done>c b>F F>M c>E E>L",
            "loop-label loop-label loop-label loop-label",
        ),
        // Three edges, or two with one label, are left to the checks.
        ("L a b c", "L>a L>b L>c", "L>a L>b L>c", ""),
        ("L a b", "L-body>a L-body>b", "L-body>a L-body>b", ""),
    ]);
}

#[test]
fn a_label_by_order_is_a_warning() {
    let inference = infer(sketch::workflow("I a b", "I>a I>b"), Locations::default());
    assert_eq!(
        inference.diagnostics[1].message,
        "labeled edge `I` → `b` false by order; which edge is the true branch is unknown"
    );
    assert_eq!(inference.diagnostics[1].path.as_deref(), Some("/edges/1"));
}

#[test]
fn back_edges_are_rerouted_through_the_end() {
    check(&[
        // S3-53: the label of a branch is kept.
        (
            "L a I b E:L c",
            "L-body>a a>I I-true>b b>E I-false>L E>L L-done>c",
            "L-body>a a>I I-true>b b>E I-false>E E>L L-done>c",
            "rerouted",
        ),
        // The loop leads to its own end: that edge is removed.
        (
            "a L b c d E:L",
            "a>L L>b b>c c>d d>L L>E",
            "a>L L-body>b b>c c>d d>E E>L",
            "done-into-end loop-label rerouted back-edge",
        ),
        // Two back edges, one edge from the end.
        (
            "a L b I c d E:L f",
            "a>L L-body>b b>I I-true>c I-false>d c>L d>L L-done>f E>L",
            "a>L L-body>b b>I I-true>c I-false>d c>E d>E L-done>f E>L",
            "rerouted rerouted",
        ),
        // To both the loop and its end: the first is removed.
        (
            "a L b E:L c",
            "a>L L-body>b b>E b>L E>L L-done>c",
            "a>L L-body>b b>E E>L L-done>c",
            "rerouted",
        ),
        // The label of a node that does not branch is removed.
        ("a L b E:L", "a>L L-body>b b-done>L E>L", "a>L L-body>b b>E E>L", "rerouted"),
        // The done edge of the inner loop leads straight back to the outer one.
        (
            "a L M b F:M E:L c",
            "a>L L>M L>c M>b b>M M>L",
            "a>L L-body>M L-done>c M-body>b b>F M-done>E E>L F>M",
            "loop-label loop-label loop-label loop-label rerouted rerouted back-edge back-edge",
        ),
        // The edge into the loop is not a back edge.
        ("a L b E:L", "a>L L-body>b b>E E>L", "a>L L-body>b b>E E>L", ""),
    ]);
}

#[test]
fn edges_onward_from_the_end_move_to_the_loop() {
    check(&[
        ("L a E:L b", "L>a a>E E>L E>b", "L-body>a a>E E>L L-done>b", "loop-label onward-from-end"),
        ("L a E:L b", "L-body>a a>E E>b", "L-body>a a>E L-done>b E>L", "onward-from-end back-edge"),
        // The loop has that edge already.
        (
            "L a E:L b",
            "L-body>a L-done>b a>E E>L E>b",
            "L-body>a L-done>b a>E E>L",
            "onward-from-end",
        ),
        // To another node than the done edge: left to the checks.
        ("L a E:L b c", "L-body>a L-done>b a>E E>L E>c", "L-body>a L-done>b a>E E>L E>c", ""),
        // Back to the start of the body.
        (
            "x L a E:L b",
            "x>L L-body>a L-done>b a>E E>a",
            "x>L L-body>a L-done>b a>E E>L",
            "onward-from-end! back-edge",
        ),
        // A labeled edge into the loop's own end.
        (
            "L a E:L b",
            "L-body>a a>E L-done>E E>b E>L",
            "L-body>a a>E L-done>b E>L",
            "done-into-end! onward-from-end",
        ),
        (
            "x L a E:L",
            "x>L L-body>a a>E E-body>L E>L",
            "x>L L-body>a a>E E>L",
            "back-edge back-edge",
        ),
    ]);
}

#[test]
fn flat_plans_get_their_loops() {
    // S3-49, S3-54: nodes in a line.
    check(&[
        (
            "n1 Ln2 n3 n4 E",
            "n1>Ln2 Ln2>n3 n3>n4 n4>E",
            "n1>Ln2 Ln2-body>n3 n3>n4 n4>E E>Ln2",
            "end-loop-pair loop-label back-edge",
        ),
        (
            "n1 Ln2 n3 n4 E:Ln2",
            "n1>Ln2 Ln2>n3 n3>n4 n4>E",
            "n1>Ln2 Ln2-body>n3 n3>n4 n4>E E>Ln2",
            "loop-label back-edge",
        ),
        (
            "n1 Ln2 n3 E n5",
            "n1>Ln2 Ln2>n3 n3>E E>n5",
            "n1>Ln2 Ln2-body>n3 n3>E Ln2-done>n5 E>Ln2",
            "end-loop-pair loop-label onward-from-end back-edge",
        ),
        // Nested loops, and loops in sequence.
        (
            "L M a F E b",
            "L>M M>a a>F F>E E>b",
            "L-body>M M-body>a a>F M-done>E L-done>b E>L F>M",
            "end-loop-pair end-loop-pair loop-label loop-label onward-from-end onward-from-end back-edge back-edge",
        ),
        (
            "L a E M b F",
            "L>a a>E E>M M>b b>F",
            "L-body>a a>E L-done>M M-body>b b>F E>L F>M",
            "end-loop-pair end-loop-pair loop-label loop-label onward-from-end back-edge back-edge",
        ),
        // No edges at all.
        ("L a E", "", "L-body>a a>E E>L", "linear-edges! end-loop-pair loop-label back-edge"),
        ("a b", "", "", ""),
    ]);
}

#[test]
fn a_named_loop_is_kept_if_it_nests() {
    let ends = |nodes: &str, edges: &str| {
        let inference = infer(sketch::workflow(nodes, edges), Locations::default());
        let ends: Vec<String> = inference
            .workflow
            .nodes
            .iter()
            .filter_map(|node| match &node.kind {
                NodeKind::EndLoop { loop_id } => Some(loop_id.clone()),
                _ => None,
            })
            .collect();
        let rows = inference.diagnostics.iter().filter(|row| row.code == PAIR);
        let levels: Vec<Severity> = rows.map(|row| row.severity).collect();
        (ends.join(" "), levels)
    };
    let line = "L>M M>a a>E E>F";
    let (info, warning) = (Severity::Info, Severity::Warning);
    let rows = [
        ("L M a E:M F:L", line, "M L", vec![]),
        ("L M a E F", line, "M L", vec![info, info]),
        // Crossed: the nesting wins, with a warning.
        ("L M a E:L F:M", line, "M L", vec![warning, warning]),
        // The inner loop has no end: left to the checks.
        ("L M a E:L b", "L>M M>a a>E E>b", "L", vec![]),
        ("L a E:x", "L>a a>E", "L", vec![warning]),
        ("a E", "a>E", "", vec![]),
        // In a graph, by the edge, with or against the order of the nodes.
        ("L a E b", "L>a L>b a>E E>L", "L", vec![info]),
        ("E L a b", "L>a L>b a>E E>L", "L", vec![warning]),
        ("L a b E", "L>a L>b a>L", "L", vec![warning]),
    ];
    for (nodes, edges, expected, levels) in rows {
        assert_eq!(ends(nodes, edges), (expected.to_owned(), levels), "{nodes} | {edges}");
    }
}

#[test]
fn branches_are_labeled_and_never_invented() {
    check(&[
        // S3-51
        ("I a b", "I>a I>b", "I-true>a I-false>b", "if-label! if-label!"),
        ("I a b", "I-false>a I>b", "I-false>a I-true>b", "if-label"),
        ("I a b", "I>a I-true>b", "I-false>a I-true>b", "if-label"),
        ("I a", "I>a I>a", "I-true>a I-false>a", "if-label if-label"),
        ("I a", "I>a", "I>a", ""),
        ("I a b c", "I>a I>b I>c", "I>a I>b I>c", ""),
    ]);
}

#[test]
fn cases_are_labeled_with_the_remaining_cases() {
    // S3-66
    check(&[
        ("S:x,y a b", "S-=x>a S>b", "S-=x>a S-=y>b", "switch-label"),
        ("S:x a b", "S-=x>a S>b", "S-=x>a S-default>b", "switch-label"),
        ("S:x,y a b", "S>a S>b", "S-=x>a S-=y>b", "switch-label! switch-label!"),
        (
            "S:x,y a b c",
            "S>a S>b S>c",
            "S-=x>a S-=y>b S-default>c",
            "switch-label! switch-label! switch-label!",
        ),
        ("S:x,y a", "S>a", "S>a", ""),
        ("S:x a b", "S-=z>a S>b", "S-=z>a S>b", ""),
    ]);
}

#[test]
fn a_second_entry_is_uncertain() {
    // A jump into the body: which edge leads back is ambiguous.
    let (edges, codes) = inferred("a L b c E:L d", "a>L a>c L>b b>c c>E E>L L>d");
    assert_eq!(edges, "a>L a>c L-body>b b>c c>E E>L L-done>d");
    assert_eq!(codes, "loop-label! loop-label!");
    // If the flow starts with one of two loops, the structure decides which: from the other, both
    // edges of one loop would lead back.
    let (edges, codes) = inferred("M b F:M L E:L", "L>M M>b b>M M>L");
    assert_eq!(edges, "L-body>M M-body>b b>F M-done>E F>M E>L");
    assert!(!codes.contains('!'), "{codes}");
    // Two equal loops are ambiguous.
    let (_, codes) = inferred("L F:M M E:L", "L>M M>L");
    assert!(codes.starts_with("start! loop-label!"), "{codes}");
}

#[test]
fn findings_are_located_at_the_original_edges() {
    let place = |path: &str, at: usize| {
        ItemLocations::new(Location { path: Some(path.to_owned()), span: Span::new(at, at + 2) })
    };
    let nodes = ["L", "a", "b", "E"].iter().enumerate();
    let nodes = nodes.map(|(at, name)| place(&format!("/steps/{name}"), at * 10)).collect();
    let edges = (0..4).map(|at| place(&format!("/links/{}", at + 1), 100 + at * 10)).collect();
    let locations = Locations {
        root: ItemLocations::default(),
        lists: [("nodes".to_owned(), nodes), ("edges".to_owned(), edges)].into(),
    };
    let inference = infer(sketch::workflow("L a b E:L", "L>E L>a a>b b>L"), locations);
    let found: Vec<_> = inference
        .diagnostics
        .iter()
        .map(|row| (row.code.as_ref(), row.path.as_deref().unwrap(), row.span.unwrap().start))
        .collect();
    assert_eq!(
        found,
        [
            (DONE_INTO_END, "/links/1", 100),
            (LOOP_LABEL, "/links/2", 110),
            (REROUTED, "/links/4", 130),
            (BACK_EDGE, "/steps/E", 30),
        ]
    );
}

#[test]
fn every_inference_is_listed_once() {
    let mut codes: Vec<_> = INFERENCES.iter().map(|(code, _)| code).collect();
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(codes.len(), INFERENCES.len());
}
