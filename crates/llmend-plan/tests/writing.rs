//! Round trips: what was written reads back, less what was listed as lost.

use llmend_plan::{
    Case, Change, Condition, Dialect, Document, Edge, FileChange, Insertion, Layout, Literal, Map,
    Node, NodeKind, NotWritable, Operator, Options, Output, Patch, Plan, Position, Step,
    TaskResult, TaskStatus, Update, ValueRef, Workflow, read_text, review, write, write_reviewed,
};
use proptest::{collection::vec, option, prelude::*};
use serde_json::{Value, json};

/// Reading what was written gives what was kept, and what was not kept is listed.
fn check(document: &Document, dialect: Dialect) -> Result<(), NotWritable> {
    for layout in [Layout::Compact, Layout::Indented] {
        let written = write(document, dialect, layout)?;
        let options = Options { dialect, ..Options::default() };
        let read = read_text(&written.text, &options).unwrap_or_else(|error| {
            panic!("{dialect}: {error} {:#?}\n{}", error.diagnostics(), written.text)
        });
        assert_eq!(read.value, written.kept, "{dialect}: {}", written.text);
        let (before, after) = (whole(document, &written.kept), json(&written.kept));
        let differing = differences(&before, &after);
        let lost: Vec<&str> = written.lost.iter().filter_map(|row| row.path.as_deref()).collect();
        for path in &differing {
            let listed = lost.iter().any(|lost| {
                path == lost
                    || path.starts_with(&format!("{lost}/"))
                    || lost.starts_with(&format!("{path}/"))
            });
            assert!(listed, "{dialect}: {path} is lost, and only {lost:?} is listed");
        }
        assert_eq!(differing.is_empty(), lost.is_empty(), "{dialect}: {differing:?} {lost:?}");
    }
    Ok(())
}

fn json(document: &Document) -> Value {
    serde_json::to_value(document).expect("a document is JSON")
}

/// The document, in the shape of what was kept.
fn whole(document: &Document, kept: &Document) -> Value {
    match (document, kept) {
        (Document::Plan(plan), Document::Workflow(_)) => json(&plan.to_workflow().workflow.into()),
        (Document::Workflow(workflow), Document::Plan(_)) => {
            json(&workflow.to_plan().expect("it was written").into())
        }
        _ => json(document),
    }
}

/// Paths under which the two differ.
fn differences(before: &Value, after: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![(String::new(), Some(before), Some(after))];
    while let Some((path, before, after)) = open.pop() {
        match (before, after) {
            (Some(Value::Object(before)), Some(Value::Object(after))) => {
                let mut names: Vec<&String> = before.keys().chain(after.keys()).collect();
                names.sort();
                names.dedup();
                for name in names {
                    let token = name.replace('~', "~0").replace('/', "~1");
                    open.push((format!("{path}/{token}"), before.get(name), after.get(name)));
                }
            }
            (Some(Value::Array(before)), Some(Value::Array(after))) => {
                for at in 0..before.len().max(after.len()) {
                    open.push((format!("{path}/{at}"), before.get(at), after.get(at)));
                }
            }
            (before, after) if before == after => {}
            _ => found.push(path),
        }
    }
    found
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-zA-Z][a-zA-Z ]{0,8}[a-z]",
        1 => Just(String::new()),
        1 => "[ -~]{1,12}",
        1 => "[äß日\"\\\\\n{}\\[\\]*#. -]{1,8}",
        1 => prop::sample::select(vec!["{{step-1.response.x}}", "$1", "**a**: b", "[ ] a", "1. b", "true", "5 * 3"]).prop_map(str::to_owned),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1.0e6..1.0e6_f64).prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::from),
            vec((text(), inner), 0..3)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn map() -> impl Strategy<Value = Map> {
    let name = prop_oneof![
        3 => "[a-z]{1,6}",
        1 => text(),
        1 => prop::sample::select(vec!["namespace", "capability", "parameters", "plan_id", "done", "timeout_ms", "a/b~c"]).prop_map(str::to_owned),
    ];
    vec((name, value()), 0..3).prop_map(|members| members.into_iter().collect())
}

/// Ids of a plan's steps: what a reference would be read as is not among them.
const IDS: [&str; 8] = ["s1", "n2", "boil-water", "a b", "x/y", "ß", "E1", "Z_9"];

fn step() -> impl Strategy<Value = Step> {
    let texts =
        (option::of(text()), option::of(text()), option::of("[a-z_]{1,8}"), option::of(text()));
    let names =
        [&IDS[..], &["{{s1.response.x}}", "#E1", "$1", "s1, n2", "s1, x", "nowhere"]].concat();
    let depends_on = vec(prop::sample::select(names).prop_map(str::to_owned), 0..3);
    (texts, map(), depends_on, map()).prop_map(
        |((title, description, tool, expected_output), inputs, depends_on, metadata)| Step {
            id: String::new(),
            title,
            description,
            tool,
            inputs,
            depends_on,
            expected_output,
            metadata,
        },
    )
}

fn plan() -> impl Strategy<Value = Plan> {
    let texts = (option::of(text()), option::of(text()), option::of(text()));
    let lists = (vec(text(), 0..3), vec(text(), 0..2));
    (texts, lists, vec(step(), 1..6), map()).prop_map(
        |((version, objective, notes), (constraints, success_criteria), mut steps, metadata)| {
            for (step, id) in steps.iter_mut().zip(IDS) {
                id.clone_into(&mut step.id);
            }
            Plan { version, objective, constraints, success_criteria, steps, notes, metadata }
        },
    )
}

/// A plan with what the strict dialects need.
fn full_plan() -> impl Strategy<Value = Plan> {
    plan().prop_map(|mut plan| {
        plan.version.get_or_insert_default();
        plan.objective.get_or_insert_default();
        for step in &mut plan.steps {
            step.title.get_or_insert_with(|| "T".to_owned());
            step.description.get_or_insert_default();
            step.tool.get_or_insert_with(|| "t".to_owned());
            step.expected_output.get_or_insert_default();
        }
        plan
    })
}

fn condition() -> impl Strategy<Value = Condition> {
    let literal = prop_oneof![
        any::<bool>().prop_map(Literal::Bool),
        any::<i32>().prop_map(|number| Literal::Number(number.into())),
        text().prop_map(Literal::Text),
    ];
    let reference = prop_oneof![
        text().prop_map(|name| ValueRef::Variable { name }),
        literal.prop_map(|value| ValueRef::Literal { value }),
    ];
    let right = reference.clone();
    (reference, prop::sample::select(Operator::ALL.to_vec()), right).prop_map(
        |(left, operator, right)| {
            // What an empty text says beside such an operator is nothing.
            let nothing = ValueRef::Literal { value: Literal::Text(String::new()) };
            Condition {
                left,
                operator,
                right: (!operator.is_unary() || right != nothing).then_some(right),
            }
        },
    )
}

fn kind() -> impl Strategy<Value = NodeKind> {
    let allowed = option::of(vec("[a-z]{1,5}", 0..3));
    prop_oneof![
        ("[a-z_]{1,8}", map()).prop_map(|(tool, arguments)| NodeKind::Tool { tool, arguments }),
        (text(), allowed, option::of(any::<u32>())).prop_map(
            |(prompt, allowed_tools, max_tool_calls)| {
                NodeKind::AiStep { prompt, allowed_tools, max_tool_calls }
            }
        ),
        (text(), text(), option::of(map())).prop_map(|(kind, input_ref, schema)| {
            NodeKind::AiTransform { kind, input_ref, output_schema: schema.map(Value::Object) }
        }),
        condition().prop_map(|condition| NodeKind::If { condition }),
        vec((text(), condition()), 0..3).prop_map(|cases| NodeKind::Switch {
            cases: cases.into_iter().map(|(name, condition)| Case { name, condition }).collect(),
        }),
        (condition(), any::<u32>()).prop_map(|(exit_condition, max_iterations)| NodeKind::Loop {
            exit_condition,
            max_iterations
        }),
        prop::sample::select(IDS.to_vec())
            .prop_map(|id| NodeKind::EndLoop { loop_id: id.to_owned() }),
    ]
}

fn node() -> impl Strategy<Value = Node> {
    let texts = (option::of(text()), option::of(text()), option::of(text()));
    let numbers = (any::<bool>(), option::of(any::<u64>()), prop_oneof![Just(0), any::<u32>()]);
    let position =
        option::of((-1.0e4..1.0e4_f64, -1.0e4..1.0e4_f64).prop_map(|(x, y)| Position { x, y }));
    (kind(), texts, numbers, position, map()).prop_map(
        |(
            kind,
            (name, description, expected_outcome),
            (enabled, timeout_ms, retries),
            position,
            metadata,
        )| {
            Node {
                name,
                description,
                enabled,
                timeout_ms,
                retries,
                expected_outcome,
                position,
                metadata,
                ..Node::new("", kind)
            }
        },
    )
}

fn output() -> impl Strategy<Value = Option<Output>> {
    option::of(prop_oneof![
        Just(Output::IfTrue),
        Just(Output::IfFalse),
        text().prop_map(|name| Output::SwitchCase { name }),
        Just(Output::SwitchDefault),
        Just(Output::LoopBody),
        Just(Output::LoopDone),
    ])
}

fn with_ids(mut nodes: Vec<Node>) -> Vec<Node> {
    for (node, id) in nodes.iter_mut().zip(IDS) {
        id.clone_into(&mut node.id);
    }
    nodes
}

fn workflow() -> impl Strategy<Value = Workflow> {
    let edge = (0..8_usize, 0..8_usize, output());
    let texts = (option::of(text()), option::of(text()), option::of(text()));
    (texts, vec(node(), 1..6), vec(edge, 0..8), map()).prop_map(
        |((id, name, objective), nodes, edges, metadata)| {
            let nodes = with_ids(nodes);
            let id_of = |at: usize| nodes[at % nodes.len()].id.clone();
            let edges = edges.into_iter().map(|(from, to, output)| Edge {
                from: id_of(from),
                to: id_of(to),
                output,
            });
            Workflow { id, name, objective, edges: edges.collect(), nodes, metadata }
        },
    )
}

fn patch() -> impl Strategy<Value = Patch> {
    let id = || prop::sample::select(IDS.to_vec()).prop_map(str::to_owned);
    let edge =
        move || (id(), id(), output()).prop_map(|(from, to, output)| Edge { from, to, output });
    let change = (id(), option::of(kind()), text(), option::of(any::<bool>()), option::of(map()))
        .prop_map(|(id, kind, name, enabled, arguments)| {
            let arguments = arguments.filter(|_| kind.is_none());
            Update::Change(Box::new(Change {
                id,
                kind,
                name: Some(name),
                enabled,
                arguments,
                ..Change::default()
            }))
        });
    let replace =
        (id(), node()).prop_map(|(id, node)| Update::Replace(Box::new(Node { id, ..node })));
    let insertion = (id(), id()).prop_map(|(node, before)| Insertion { node, before });
    let nodes = (
        vec(id(), 0..3),
        vec(prop_oneof![change, replace], 0..3),
        vec(node(), 0..3),
        vec(node(), 0..2),
    );
    let edges = (vec(edge(), 0..3), vec(edge(), 0..3), vec(insertion, 0..2));
    (nodes, edges).prop_map(
        |(
            (remove_nodes, update_nodes, add_nodes, append_nodes),
            (remove_edges, add_edges, insert_before),
        )| Patch {
            remove_nodes,
            update_nodes,
            add_nodes: with_ids(add_nodes),
            append_nodes,
            remove_edges,
            add_edges,
            insert_before,
        },
    )
}

fn task_result() -> impl Strategy<Value = TaskResult> {
    let change = (text(), text(), option::of(text()), option::of(text()))
        .prop_map(|(path, action, content, diff)| FileChange { path, action, content, diff });
    let lists = (vec(change, 0..3), vec(text(), 0..3), vec(text(), 0..3), vec(text(), 0..3));
    let texts = (option::of(text()), option::of(text()), option::of(text()));
    let status = prop::sample::select(TaskStatus::ALL.to_vec());
    (status, lists, texts, option::of(any::<bool>()), map()).prop_map(
        |(
            status,
            (changes, tests_added, blockers, tools_used),
            (subtask_id, error, notes),
            tests_passed,
            metadata,
        )| {
            TaskResult {
                subtask_id,
                status,
                changes,
                tests_added,
                tests_passed,
                error,
                blockers,
                tools_used,
                notes,
                metadata,
            }
        },
    )
}

/// A plan as a workflow in a line.
fn line() -> impl Strategy<Value = Workflow> {
    workflow().prop_map(|mut workflow| {
        let pairs = workflow.nodes.iter().zip(workflow.nodes.iter().skip(1));
        workflow.edges =
            pairs.map(|(from, to)| Edge::new(from.id.as_str(), to.id.as_str())).collect();
        workflow
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn plans(plan in plan()) {
        let plan = plan.into();
        prop_assert!(check(&plan, Dialect::Canonical).is_ok());
        let _ = check(&plan, Dialect::Workflow);
        let _ = check(&plan, Dialect::Markdown);
    }

    #[test]
    fn plans_with_all_fields(plan in full_plan()) {
        let plan = plan.into();
        for dialect in [
            Dialect::Canonical, Dialect::OpenManus, Dialect::GoMind, Dialect::OpenAiToolCalls,
            Dialect::AnthropicToolUse, Dialect::McpToolsCall,
        ] {
            prop_assert!(check(&plan, dialect).is_ok(), "{}", dialect);
        }
    }

    #[test]
    fn plans_of_plain_words_as_lists(words in vec(("[A-Z][a-z]{1,9}( [a-z]{1,5}){0,3}", option::of("[A-Z][a-z ]{0,9}[a-z]\\.(\n[a-z]{1,4}){0,2}"), any::<bool>()), 1..6)) {
        let steps = words.into_iter().enumerate().map(|(at, (title, description, done))| Step {
            id: (at + 1).to_string(),
            title: Some(title),
            description,
            metadata: Map::from_iter([("done".to_owned(), json!(done))]),
            ..Step::default()
        });
        let plan = Plan { objective: Some("Demo".to_owned()), steps: steps.collect(), ..Plan::default() };
        let written = write(&plan.clone().into(), Dialect::Markdown, Layout::Compact).expect("plain words");
        prop_assert!(written.lost.is_empty());
        prop_assert!(check(&plan.into(), Dialect::Markdown).is_ok());
    }

    #[test]
    fn workflows(workflow in workflow()) {
        let workflow = workflow.into();
        prop_assert!(check(&workflow, Dialect::Workflow).is_ok());
        prop_assert!(check(&workflow, Dialect::ClickweaveGraph).is_ok());
    }

    #[test]
    fn workflows_in_a_line(workflow in line()) {
        prop_assert!(check(&workflow.into(), Dialect::ClickweaveSteps).is_ok());
    }

    #[test]
    fn patches(patch in patch()) {
        let patch = patch.into();
        prop_assert!(check(&patch, Dialect::Patch).is_ok());
        let _ = check(&patch, Dialect::ClickweavePatch);
    }

    #[test]
    fn patches_that_clickweave_has_words_for(patch in patch()) {
        let patch = Patch { remove_edges: Vec::new(), ..patch };
        prop_assert!(check(&patch.into(), Dialect::ClickweavePatch).is_ok());
    }

    #[test]
    fn task_results(result in task_result()) {
        prop_assert!(check(&result.into(), Dialect::AntonResult).is_ok());
    }
}

#[test]
fn arguments_keep_the_order_of_their_keys() {
    let answer = r#"{"steps": [{"id": "a", "tool": "mail", "inputs": {"to": "me", "body": {"z": 1, "b": 2}}}]}"#;
    let reviewed = review(answer, &Options::default()).expect("a plan");
    let plain = r#"{"to":"me","body":{"z":1,"b":2}}"#;
    for dialect in [
        Dialect::Canonical,
        Dialect::Workflow,
        Dialect::ClickweaveSteps,
        Dialect::ClickweaveGraph,
        Dialect::OpenAiToolCalls,
        Dialect::AnthropicToolUse,
        Dialect::McpToolsCall,
        Dialect::GoMind,
    ] {
        let written = write_reviewed(&reviewed, dialect, Layout::Compact).expect("written");
        let text = written.text.replace('\\', "");
        assert!(text.contains(plain), "{dialect}: {text}");
        let pretty = write_reviewed(&reviewed, dialect, Layout::Indented).expect("written").text;
        let compact: Value = serde_json::from_str(&written.text).expect("JSON");
        assert_eq!(serde_json::from_str::<Value>(&pretty).expect("JSON"), compact, "{dialect}");
    }
}

#[test]
fn arguments_of_calls_keep_their_order() {
    for (answer, expected) in [
        ("1. search(query=\"x\", limit=3)\n2. join()", r#"{"query":"x","limit":3}"#),
        ("1. search(z=1, b=2)\n2. join()", r#"{"z":1,"b":2}"#),
    ] {
        let options = Options { dialect: Dialect::LlmCompiler, ..Options::default() };
        let reviewed = review(answer, &options).expect("a plan");
        let written =
            write_reviewed(&reviewed, Dialect::Canonical, Layout::Compact).expect("written");
        assert!(written.text.contains(expected), "{}", written.text);
    }
}

#[test]
fn what_is_only_read_is_not_written() {
    let step = Step { id: "a".to_owned(), tool: Some("mail".to_owned()), ..Step::default() };
    let plan = Plan { steps: vec![step], ..Plan::default() };
    let documents = [plan.clone().into(), plan.to_workflow().workflow.into()];
    let read_only: Vec<_> = Dialect::ALL.into_iter().filter(|found| !found.is_written()).collect();
    assert!(read_only.contains(&Dialect::Mermaid) && read_only.contains(&Dialect::Calls));
    for (document, dialect) in
        documents.iter().flat_map(|found| read_only.iter().map(move |one| (found, *one)))
    {
        let error = write(document, dialect, Layout::Compact).expect_err("refused");
        assert_eq!(error.reasons[0].message, "this dialect can only be read", "{dialect}");
    }
}
