//! Test cases of the systems that llmend unites.
//!
//! `fixtures/originals/` has a line for each case, identified by its system: B0 is `OpenManus`, B1
//! `GoMind`, B2 anton, B3 Clickweave, B4 the MCP reasoning server. Where `docs/reference/requirements.md`
//! differs from the original, `otherwise` gives the expected result.

#![cfg(feature = "llmend")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use llmend_json::{Diagnostic, Severity};
use llmend_plan::{
    Catalog, Dialect, Document, Error, Gaps, OnBadStep, Options, Output, Workflow, check_workflow,
    read_partial, read_patch, review, review_patch,
};
use serde_json::{Value, json};

/// The rows of a file. Each has an id of its own, and only keys that are looked at.
fn rows(name: &str, keys: &[&str]) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/originals").join(name);
    let text = fs::read_to_string(&path).expect("a file of fixtures");
    let rows: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("a row")).collect();
    let mut ids: Vec<&str> = rows.iter().map(|row| row["id"].as_str().expect("an id")).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), rows.len(), "an id stands twice in {name}");
    for row in &rows {
        for key in row.as_object().expect("an object").keys() {
            assert!(
                ["id", "about", "otherwise"].contains(&&**key) || keys.contains(&&**key),
                "{key}"
            );
        }
    }
    rows
}

fn text<'r>(row: &'r Value, key: &str) -> &'r str {
    row[key].as_str().unwrap_or_default()
}

/// The codes of warnings and errors, in their order.
fn codes(rows: &[Diagnostic]) -> String {
    let rows = rows.iter().filter(|row| row.severity >= Severity::Warning);
    rows.map(|row| &*row.code).collect::<Vec<_>>().join(" ")
}

/// Runs each row, and tells all that do not give what they are to give.
fn each(rows: &[Value], run: impl Fn(&Value) -> Result<(), String>) {
    let mut faults = String::new();
    for row in rows {
        if let Err(fault) = run(row) {
            let _ = writeln!(faults, "{}: {fault}", row["id"]);
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, found: &T, wanted: &T) -> Result<(), String> {
    if found == wanted {
        Ok(())
    } else {
        Err(format!("{what}\n  found  {found:?}\n  wanted {wanted:?}"))
    }
}

#[test]
fn values_are_found_and_repaired() {
    // S0-47, S1-41, S4-24: the cases that the originals test, by their ids.
    each(&rows("values.jsonl", &["text", "json", "span", "refused", "message"]), |row| {
        let written = text(row, "text");
        match (llmend_json::parse(written), row.get("refused")) {
            (Ok(parsed), None) => {
                same("value", &parsed.value.to_serde().value, &row["json"])?;
                let span = parsed.report.candidate.span;
                let wanted = row.get("span").cloned().unwrap_or(json!([span.start, span.end]));
                same("span", &json!([span.start, span.end]), &wanted)
            }
            (Err(error), Some(code)) => {
                same("code", &error.code(), &code.as_str().unwrap_or_default())?;
                let most = row["message"].as_u64().unwrap_or(u64::MAX);
                let length = u64::try_from(error.to_string().len()).unwrap_or(u64::MAX);
                if length < most { Ok(()) } else { Err(format!("a message of {length} bytes")) }
            }
            (Ok(parsed), Some(_)) => Err(format!("a value: {}", parsed.value)),
            (Err(error), None) => Err(error.to_string()),
        }
    });
}

/// A node as Clickweave writes it: `n1` is a tool, `n2:Loop`, `n3:EndLoop=n2`, `n4:Switch=a,b`; a
/// variable stands in brackets: `n5:If(n1.found)`.
fn node(word: &str) -> Value {
    let (id, rest) = word.split_once(':').unwrap_or((word, "Tool"));
    let (rest, argument) = rest.split_once('=').unwrap_or((rest, ""));
    let (kind, variable) = match rest.split_once('(') {
        Some((kind, name)) => (kind, Some(name.trim_end_matches(')'))),
        None => (rest, None),
    };
    let literal = json!({"type": "Literal", "value": {"type": "Bool", "value": true}});
    let left = variable.map_or(literal.clone(), |name| json!({"type": "Variable", "name": name}));
    let condition = json!({"left": left, "operator": "Equals", "right": literal});
    let mut node = match kind {
        "Tool" => json!({"tool_name": "click", "arguments": {}}),
        "AiStep" => json!({"prompt": "look"}),
        "If" => json!({"condition": condition}),
        "Loop" => json!({"exit_condition": condition, "max_iterations": 20}),
        "EndLoop" if argument.is_empty() => json!({}),
        "EndLoop" => json!({"loop_id": argument}),
        "Switch" => {
            let cases =
                argument.split(',').map(|name| json!({"name": name, "condition": condition}));
            json!({"cases": cases.collect::<Vec<_>>()})
        }
        _ => json!({}),
    };
    node["step_type"] = json!(kind);
    if !id.is_empty() {
        node["id"] = json!(id);
    }
    node
}

/// An edge: `n1>n2`, `n2-LoopBody>n3`, `n4-SwitchCase=a>n5`.
fn edge(word: &str) -> Value {
    let (from, to) = word.split_once('>').expect(word);
    let (from, label) = from.split_once('-').unwrap_or((from, ""));
    let (label, name) = label.split_once('=').unwrap_or((label, ""));
    match (label, name) {
        ("", _) => json!({"from": from, "to": to}),
        (label, "") => json!({"from": from, "to": to, "output": {"type": label}}),
        (label, name) => json!({"from": from, "to": to, "output": {"type": label, "name": name}}),
    }
}

fn edges(workflow: &Workflow) -> String {
    let words = workflow.edges.iter().map(|edge| {
        let label = match &edge.output {
            None => String::new(),
            Some(Output::IfTrue) => "-IfTrue".to_owned(),
            Some(Output::IfFalse) => "-IfFalse".to_owned(),
            Some(Output::LoopBody) => "-LoopBody".to_owned(),
            Some(Output::LoopDone) => "-LoopDone".to_owned(),
            Some(Output::SwitchDefault) => "-SwitchDefault".to_owned(),
            Some(Output::SwitchCase { name }) => format!("-SwitchCase={name}"),
        };
        format!("{}{label}>{}", edge.from, edge.to)
    });
    words.collect::<Vec<_>>().join(" ")
}

/// What the model is to have written.
fn answer(row: &Value) -> String {
    if let Some(raw) = row.get("raw") {
        return raw.to_string();
    }
    let words = |key: &str| text(row, key).split_whitespace();
    match row.get("steps") {
        Some(_) => json!({"steps": words("steps").map(|word| node(&format!(":{word}"))).collect::<Vec<_>>()}),
        None => json!({
            "nodes": words("nodes").map(node).collect::<Vec<_>>(),
            "edges": words("edges").map(edge).collect::<Vec<_>>(),
        }),
    }
    .to_string()
}

fn options(row: &Value) -> Options {
    let off = row["off"].as_array().into_iter().flatten();
    let off = off.map(|name| name.as_str().and_then(|name| name.parse().ok()).expect("a type"));
    Options {
        disabled: off.collect(),
        on_bad_step: row["policy"].as_str().map(|name| name.parse::<OnBadStep>().expect(name)),
        dialect: row["dialect"].as_str().map_or(Dialect::Auto, |name| name.parse().expect(name)),
        catalog: row.get("catalog").map(|catalog| Catalog::read(catalog).expect("a catalog")),
        ..Options::default()
    }
}

#[test]
fn workflows_are_read_inferred_and_checked() {
    // S3-39, S3-41, S3-48…S3-56, S3-66: each case of the originals' validator and inference.
    let keys = [
        "nodes", "edges", "steps", "raw", "off", "policy", "then", "left", "found", "refused",
        "checked",
    ];
    each(&rows("workflows.jsonl", &keys), |row| {
        let (answer, options) = (answer(row), options(row));
        if row.get("checked").is_some() {
            let parsed = llmend_json::parse(&answer).map_err(|error| error.to_string())?;
            let fail = Options { on_bad_step: Some(OnBadStep::Fail), ..options };
            let read = read_partial(&parsed.value, &fail);
            let Some(Document::Workflow(workflow)) = read.value else { return Err(answer) };
            let found = check_workflow(&workflow, &fail).into_iter().map(|it| it.diagnostic);
            let found: Vec<Diagnostic> = read.diagnostics.into_iter().chain(found).collect();
            return same("findings", &codes(&found).as_str(), &text(row, "checked"));
        }
        let reviewed = match review(&answer, &options) {
            Ok(reviewed) => reviewed,
            Err(error) => return refused(row, &error),
        };
        let Document::Workflow(workflow) = &reviewed.value else {
            return Err("no workflow".into());
        };
        same("edges", &edges(workflow).as_str(), &text(row, "then"))?;
        if row.get("left").is_some() {
            let left: Vec<&str> = workflow.nodes.iter().map(|node| node.id.as_str()).collect();
            same("nodes", &left.join(" ").as_str(), &text(row, "left"))?;
        }
        same("findings", &codes(&reviewed.diagnostics).as_str(), &text(row, "found"))
    });
}

fn refused(row: &Value, error: &Error) -> Result<(), String> {
    let first = error.diagnostics().iter().find(|row| row.severity == Severity::Error);
    let code = first.map_or(error.code(), |row| &*row.code);
    same("refused", &code, &text(row, "refused"))
}

#[test]
fn plans_are_checked_for_all_at_once() {
    // S0-20…S0-23, S1-09, S1-10, S1-12, S1-15
    each(&rows("plans.jsonl", &["plan", "found", "dialect", "catalog"]), |row| {
        let found = match review(&row["plan"].to_string(), &options(row)) {
            Ok(reviewed) => reviewed.diagnostics,
            Err(error) => error.diagnostics().to_vec(),
        };
        same("findings", &codes(&found).as_str(), &text(row, "found"))
    });
}

#[test]
fn patches_are_merged_as_the_originals_do() {
    // S3-14, S3-15, S3-29…S3-34, S3-65: into three tools in a row.
    let keys = ["patch", "policy", "bridge", "then", "nodes", "found", "checked", "refused"];
    each(&rows("patches.jsonl", &keys), |row| {
        let tools = ["n1", "n2", "n3"].map(|id| json!({"id": id, "type": "tool", "tool": "click"}));
        let before: Workflow = serde_json::from_value(json!({
            "nodes": tools,
            "edges": [{"from": "n1", "to": "n2"}, {"from": "n2", "to": "n3"}],
        }))
        .expect("a workflow");
        let written = row["patch"].to_string();
        let parsed = llmend_json::parse(&written).map_err(|error| error.to_string())?;
        let mut options = options(row);
        options.on_bad_step.get_or_insert(OnBadStep::Fail);
        let read = match read_patch(&parsed.value, &options) {
            Ok(read) => read,
            Err(error) => return refused(row, &error),
        };
        let gaps = if row.get("bridge").is_some() { Gaps::Bridge } else { Gaps::Leave };
        let reviewed = match review_patch(&before, &read.value, gaps, &options) {
            Ok(reviewed) => reviewed,
            Err(error) => {
                return same("refused", &&*error.violations[0].code, &text(row, "refused"));
            }
        };
        same("edges", &edges(&reviewed.value).as_str(), &text(row, "then"))?;
        let nodes = u64::try_from(reviewed.value.nodes.len()).unwrap_or_default();
        same("nodes", &nodes, &row["nodes"].as_u64().unwrap_or(nodes))?;
        same("reading", &codes(&read.diagnostics).as_str(), &text(row, "found"))?;
        let errors: Vec<Diagnostic> = reviewed
            .diagnostics
            .into_iter()
            .filter(|row| row.severity == Severity::Error)
            .collect();
        same("findings", &codes(&errors).as_str(), &text(row, "checked"))
    });
}
