//! Pictures: of what was read, in each format, and of what is wrong.

use crate::process::{examples, root, run};

const FORMATS: [(&str, &str); 4] = [
    ("tree", "└─ "),
    ("mermaid", "flowchart TD\n"),
    ("dot", "digraph workflow {\n"),
    ("svg", "<svg "),
];

fn flow(name: &str) -> String {
    root().join("examples/workflows").join(name).display().to_string()
}

#[test]
fn a_workflow_is_drawn_in_each_format() {
    // S3-60
    let refund = flow("refund.json");
    for (format, mark) in FORMATS {
        let drawn = run(&format!("workflow draw --to {format} {refund}"), "").expect(0);
        assert!(drawn.stdout.contains(mark), "{format}: {}", drawn.stdout);
        for also in ["plan --to", "workflow convert --to"] {
            assert_eq!(
                run(&format!("{also} {format} {refund}"), "").expect(0).stdout,
                drawn.stdout
            );
        }
    }
    let tree = run(&format!("workflow draw {refund}"), "").expect(0).stdout;
    assert_eq!(run(&format!("workflow draw --to tree {refund}"), "").stdout, tree);
    // In a report it is a text like any other form.
    let report = run(&format!("workflow draw --report json {refund}"), "").expect(0).json();
    assert_eq!(report["json"].as_str(), Some(tree.as_str()));
    run("workflow draw --to png", "").expect(2);
    run("workflow draw --to plan", "").expect(2);
    run(&format!("workflow draw {}", flow("none.json")), "").expect(3);
}

#[test]
fn a_picture_shows_what_is_wrong() {
    let faulty = "{steps: [{id: 'a', tool: 7}, {id: 'b', tool: 'x', depends_on: ['a', 'c']}, {id: 'd', tool: 'x', depends_on: ['d']}]}";
    let drawn = run("workflow draw", faulty).expect(1);
    let lines: Vec<&str> = drawn.stdout.lines().collect();
    assert_eq!(
        lines,
        [
            "Plan",
            "├─ a · AI step  ✗ plan/wrong-type",
            "├─ d · x  (start)  ✗ plan/self-dependency",
            "│  └─ ↺ d",
            "├─ c · missing",
            "└─ b · x  ← a, c  ✗ plan/unknown-dependency",
        ],
    );
    assert!(drawn.stderr.contains("plan/unknown-dependency"), "{}", drawn.stderr);
    // What safely can be put right is drawn as it is then.
    assert!(
        !run("workflow draw --fix", "{steps: [{id: 'a', depends_on: ['a']}]}")
            .expect(0)
            .stdout
            .contains('↺')
    );
    for (format, _) in FORMATS {
        for command in ["plan", "workflow convert", "workflow draw"] {
            let drawn = run(&format!("{command} --to {format}"), faulty).expect(1);
            assert!(
                drawn.stdout.contains("plan/wrong-type"),
                "{command} --to {format}: {}",
                drawn.stdout
            );
        }
    }
    // There is no picture where nothing could be read, nor of what is no plan.
    for nothing in ["no plan", "{}", "", "{'remove_nodes': ['a']}"] {
        assert_eq!(run("workflow draw", nothing).expect(1).stdout, "", "{nothing}");
    }
}

#[test]
fn what_a_patch_makes_is_drawn() {
    let patch = examples().join("patch.txt").display().to_string();
    let flow = flow("newsletter.json");
    let drawn = run(&format!("patch --bridge --to tree {flow} {patch}"), "").expect(0);
    assert!(drawn.stdout.contains("├─ draft"), "{}", drawn.stdout);
    // Without the bridge the flow begins twice, and the picture shows where.
    let drawn = run(&format!("patch --to tree {flow} {patch}"), "").expect(1);
    assert!(drawn.stdout.contains("✗ workflow/several-entries"), "{}", drawn.stdout);
}
