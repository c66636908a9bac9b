//! Known forms of plans that are not read.
//!
//! A form is named only where reading failed, so that no plan is refused for looking like one.

use llmend_json::{Diagnostic, Kind, Node, Severity, Span};

use crate::{Document, ParsedDocument, code};

/// Marks of forms that are text; the first row all of whose marks are in the text names it.
const TEXTS: [(&str, &[&str]); 17] = [
    ("a BPMN diagram", &["<bpmn"]),
    ("a BPMN diagram", &["omg.org/spec/BPMN"]),
    ("a DMN decision table", &["omg.org/spec/DMN"]),
    ("a PlantUML diagram", &["@startuml"]),
    ("a Mermaid diagram", &["```mermaid"]),
    ("a LangGraph program", &["StateGraph(", ".add_edge("]),
    ("a LangGraph program", &["StateGraph(", ".add_node("]),
    ("an Airflow program", &["airflow", "DAG("]),
    ("a Prefect program", &["prefect", "@flow"]),
    ("a CrewAI program", &["Crew(", "Task("]),
    ("a PDDL plan", &["(define", "(:init"]),
    ("a PDDL domain", &["(define", "(:action"]),
    ("a GitHub Actions workflow in YAML", &["jobs:", "runs-on:"]),
    ("an Argo workflow in YAML", &["apiVersion: argoproj.io"]),
    ("an Arazzo description in YAML", &["arazzo:", "workflows:"]),
    ("YAML", &["```yaml"]),
    ("YAML", &["```yml"]),
];

/// First words of diagrams.
const OPENERS: [(&str, &str); 12] = [
    ("a Mermaid diagram", "flowchart "),
    ("a Mermaid diagram", "graph TD"),
    ("a Mermaid diagram", "graph TB"),
    ("a Mermaid diagram", "graph LR"),
    ("a Mermaid diagram", "graph RL"),
    ("a Mermaid diagram", "graph BT"),
    ("a Mermaid diagram", "sequenceDiagram"),
    ("a Mermaid diagram", "stateDiagram"),
    ("a Mermaid diagram", "gantt"),
    ("a Graphviz graph", "digraph "),
    ("a Graphviz graph", "strict digraph "),
    ("an XML document", "<?xml"),
];

/// Returns the finding that `text` is in a known form of plan that is not read, if it is.
///
/// ```
/// let row = llmend_plan::unread_form("flowchart TD\n  A --> B").expect("a diagram");
/// assert_eq!(row.message, "this is a Mermaid diagram, which is not read as a plan");
/// assert!(llmend_plan::unread_form("Sorry, I cannot help.").is_none());
/// ```
#[must_use]
pub fn unread_form(text: &str) -> Option<Diagnostic> {
    Some(finding(of_text(text)?).at(Span::new(0, text.len())))
}

/// Returns the finding that `text`, in which no step could be read, is in a known form of plan that is
/// not read, if it is.
#[must_use]
pub fn unread_text(text: &str, read: &ParsedDocument<Option<Document>>) -> Option<Diagnostic> {
    let is_empty = match &read.value {
        None => true,
        Some(Document::Plan(plan)) => plan.steps.is_empty(),
        Some(_) => false,
    };
    let named = read.diagnostics.iter().any(|row| row.code == code::UNREAD_FORM);
    if is_empty && !named && read.has_errors() { unread_form(text) } else { None }
}

/// Returns the finding that a value is in a known form of plan that is not read, if it is.
pub(crate) fn unread_value(node: Node<'_>) -> Option<Diagnostic> {
    Some(finding(of_value(node)?).at(node.span()))
}

fn finding(form: &str) -> Diagnostic {
    let message = format!("this is {form}, which is not read as a plan");
    let help = "Ask for JSON: `steps`, each with `id`, `tool`, `inputs` and `depends_on`.";
    Diagnostic::new(code::UNREAD_FORM, Severity::Error, message).on("").help(help)
}

fn of_text(text: &str) -> Option<&'static str> {
    let marked = TEXTS.iter().find(|(_, marks)| marks.iter().all(|mark| text.contains(mark)));
    let opened = || {
        let lines = text.lines().map(str::trim_start);
        let found = |line: &str| OPENERS.iter().find(|(_, opener)| line.starts_with(opener));
        lines.filter(|line| !line.is_empty()).find_map(found)
    };
    let named = marked.map(|(form, _)| *form).or_else(|| opened().map(|(form, _)| *form));
    named.or_else(|| is_yaml(text).then_some("YAML"))
}

/// Returns whether the text is a YAML mapping with a list: a key on a line of its own, then an item
/// that is a mapping, with nothing around them but further keys and items.
fn is_yaml(text: &str) -> bool {
    let lines = || text.lines().map(str::trim_end).filter(|line| !line.trim_start().is_empty());
    let is_key = |line: &str| {
        let (name, _) = line.split_once(':').unwrap_or_default();
        let named = |at: char| at.is_alphanumeric() || "_-".contains(at);
        !name.is_empty() && name.chars().all(named)
    };
    let is_item = |line: &str| line.trim_start().strip_prefix("- ").is_some_and(is_key);
    let starts = lines().next().is_some_and(|line| line == "---" || is_key(line) || is_item(line));
    let mut all = lines().filter(|line| *line != "---");
    starts
        && lines().any(is_item)
        && all.all(|line| is_key(line.trim_start()) || line.trim_start().starts_with(['-', '#']))
}

/// Returns the form of a value.
fn of_value(node: Node<'_>) -> Option<&'static str> {
    let is = |name: &str, kind: Kind| node.get(name).is_some_and(|it| it.kind() == kind);
    let nodes = || node.get("nodes").into_iter().flat_map(Node::items).take(16);
    let typed = |prefix: &str| {
        nodes()
            .any(|it| it.get("type").and_then(Node::str).is_some_and(|it| it.starts_with(prefix)))
    };
    let ends = ["__start__", "__end__"];
    let has_end =
        || nodes().any(|it| it.get("id").and_then(Node::str).is_some_and(|id| ends.contains(&id)));
    let all = |name: &str| {
        let mut items = node.items().take(16);
        node.kind() == Kind::Array && !node.is_empty() && items.all(|it| it.get(name).is_some())
    };
    let values = || node.members().map(|(_, value)| value).take(16);
    Some(match () {
        () if is("StartAt", Kind::String) && is("States", Kind::Object) => {
            "an Amazon States Language state machine"
        }
        () if node.get("arazzo").is_some() => "an Arazzo description",
        () if node.get("openapi").is_some() => "an OpenAPI description",
        () if typed("n8n-nodes") || typed("@n8n/") => "an n8n workflow",
        () if is("nodes", Kind::Array) && is("connections", Kind::Object) => "an n8n workflow",
        () if typed("runnable") || (is("edges", Kind::Array) && has_end()) => "a LangGraph graph",
        () if is("specVersion", Kind::String) && is("states", Kind::Array) => {
            "a Serverless Workflow definition"
        }
        () if node.get("document").is_some_and(|it| it.get("dsl").is_some()) => {
            "a Serverless Workflow definition"
        }
        () if is("initial", Kind::String) && is("states", Kind::Object) => "an XState machine",
        () if all("wires") => "a Node-RED flow",
        () if node.kind() == Kind::Object
            && !node.is_empty()
            && values().all(|it| it.get("class_type").is_some()) =>
        {
            "a ComfyUI workflow"
        }
        () => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_named() {
        let rows = [
            ("flowchart LR\n a --> b", Some("a Mermaid diagram")),
            ("Here is the plan:\n\n```mermaid\ngraph TD\nA-->B\n```", Some("a Mermaid diagram")),
            ("graph TD\nA-->B", Some("a Mermaid diagram")),
            ("stateDiagram-v2\n [*] --> Still", Some("a Mermaid diagram")),
            ("digraph plan { a -> b }", Some("a Graphviz graph")),
            ("@startuml\n:Read;\n@enduml", Some("a PlantUML diagram")),
            ("<bpmn:process id=\"p\"/>", Some("a BPMN diagram")),
            (
                "<definitions xmlns=\"http://www.omg.org/spec/BPMN/20100524/MODEL\"/>",
                Some("a BPMN diagram"),
            ),
            ("<?xml version=\"1.0\"?><plan/>", Some("an XML document")),
            ("steps:\n  - id: a\n    tool: x\n  - id: b\n", Some("YAML")),
            ("---\n- id: a\n- id: b", Some("YAML")),
            ("Sure!\n```yaml\nsteps:\n```", Some("YAML")),
            ("on: push\njobs:\n  a:\n    runs-on: x", Some("a GitHub Actions workflow in YAML")),
            ("arazzo: 1.0.1\nworkflows:\n- workflowId: w", Some("an Arazzo description in YAML")),
            ("g = StateGraph(S)\ng.add_edge(\"a\", \"b\")", Some("a LangGraph program")),
            ("(define (problem p) (:init (on a b)))", Some("a PDDL plan")),
            ("Sorry, I cannot help.", None),
            ("Note: I cannot help.\n- It is late: very.", None),
            ("First, graph TDs are nice.", None),
            ("", None),
        ];
        for (text, expected) in rows {
            assert_eq!(of_text(text), expected, "{text}");
        }
    }

    #[test]
    fn values_are_named() {
        let rows = [
            (
                r#"{"Comment": "c", "StartAt": "A", "States": {"A": {"Type": "Pass", "End": true}}}"#,
                Some("an Amazon States Language state machine"),
            ),
            (r#"{"arazzo": "1.0.1", "workflows": []}"#, Some("an Arazzo description")),
            (
                r#"{"nodes": [{"name": "S", "type": "n8n-nodes-base.set"}], "connections": {}}"#,
                Some("an n8n workflow"),
            ),
            (
                r#"{"nodes": [{"id": "__start__"}, {"id": "a"}], "edges": []}"#,
                Some("a LangGraph graph"),
            ),
            (
                r#"{"document": {"dsl": "1.0.0"}, "do": []}"#,
                Some("a Serverless Workflow definition"),
            ),
            (r#"[{"id": "1", "type": "inject", "wires": [["2"]]}]"#, Some("a Node-RED flow")),
            (r#"{"3": {"class_type": "KSampler", "inputs": {}}}"#, Some("a ComfyUI workflow")),
            (r#"{"initial": "a", "states": {"a": {}}}"#, Some("an XState machine")),
            (r#"{"steps": []}"#, None),
            (r#"{"nodes": [{"id": "a"}], "edges": []}"#, None),
            ("[1, 2]", None),
            (r#"[{"name": "search", "arguments": {}}]"#, None),
            ("[]", None),
            ("{}", None),
            ("7", None),
        ];
        for (text, expected) in rows {
            let parsed = llmend_json::parse(text).unwrap();
            assert_eq!(of_value(parsed.value.root()), expected, "{text}");
        }
    }
}
