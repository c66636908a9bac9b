//! Known forms of plans that are not read.
//!
//! A form is named only where reading failed, so that no plan is refused for looking like one.

use llmend_json::{Diagnostic, Kind, Node, Severity, Span};

use crate::{Document, ParsedDocument, code};

/// Marks of forms that are text; the first row all of whose marks are in the text names it.
const TEXTS: [(&str, &[&str]); 16] = [
    ("a BPMN diagram", &["<bpmn"]),
    ("a BPMN diagram", &["omg.org/spec/BPMN"]),
    ("a DMN decision table", &["omg.org/spec/DMN"]),
    ("a PlantUML diagram", &["@startuml"]),
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

/// First words of diagrams that are not read.
const OPENERS: [(&str, &str); 13] = [
    ("a Mermaid sequence diagram", "sequenceDiagram"),
    ("a Mermaid state diagram", "stateDiagram"),
    ("a Mermaid class diagram", "classDiagram"),
    ("a Mermaid entity diagram", "erDiagram"),
    ("a Mermaid Gantt chart", "gantt"),
    ("a Mermaid user journey", "journey"),
    ("a Mermaid mind map", "mindmap"),
    ("a Mermaid timeline", "timeline"),
    ("a Mermaid Git graph", "gitGraph"),
    ("a Mermaid pie chart", "pie"),
    ("a Graphviz graph", "digraph "),
    ("a Graphviz graph", "strict digraph "),
    ("an XML document", "<?xml"),
];

/// Openers that are words of prose as well, and count only in a fence.
const WORDS: [&str; 5] = ["gantt", "journey", "mindmap", "timeline", "pie"];

/// Returns the finding that `text` is in a known form of plan that is not read, if it is.
///
/// ```
/// let row = llmend_plan::unread_form("sequenceDiagram\n  A->>B: hello").expect("a diagram");
/// assert_eq!(row.message, "this is a Mermaid sequence diagram, which is not read as a plan");
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
    let named = marked.map(|(form, _)| *form).or_else(|| diagram(text));
    named.or_else(|| is_yaml(text).then_some("YAML"))
}

/// Returns the form of the diagram in a text.
fn diagram(text: &str) -> Option<&'static str> {
    let (mut is_mermaid, mut is_fenced) = (false, false);
    for line in text.lines().map(str::trim) {
        if let Some(language) = line.strip_prefix("```") {
            is_mermaid |= language == "mermaid";
            is_fenced = !is_fenced;
        }
        let known = OPENERS.iter().find(|(_, opener)| {
            let is_word = WORDS.contains(opener);
            let rest = line.strip_prefix(opener);
            rest.is_some_and(|rest| {
                !is_word || is_fenced && !rest.starts_with(char::is_alphanumeric)
            })
        });
        if let Some((form, _)) = known {
            return Some(form);
        }
    }
    is_mermaid.then_some("a Mermaid diagram")
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
    let all = |name: &str| {
        let mut items = node.items().take(16);
        node.kind() == Kind::Array && !node.is_empty() && items.all(|it| it.get(name).is_some())
    };
    let api = node.get("apiVersion").and_then(Node::str);
    let values = || node.members().map(|(_, value)| value).take(16);
    Some(match () {
        () if node.get("openapi").is_some() => "an OpenAPI description",
        () if is("specVersion", Kind::String) && is("states", Kind::Array) => {
            "a Serverless Workflow definition"
        }
        () if node.get("document").is_some_and(|it| it.get("dsl").is_some()) => {
            "a Serverless Workflow definition"
        }
        () if is("initial", Kind::String) && is("states", Kind::Object) => "an XState machine",
        () if all("wires") => "a Node-RED flow",
        () if api.is_some_and(|api| api.starts_with("argoproj.io/")) => "an Argo workflow",
        () if is("cwlVersion", Kind::String) => "a CWL workflow",
        () if node.get("jobs").is_some_and(|jobs| {
            jobs.members().take(16).any(|(_, job)| job.get("runs-on").is_some())
        }) =>
        {
            "a GitHub Actions workflow"
        }
        () if is_logic_app(node) || node.get("definition").is_some_and(is_logic_app) => {
            "an Azure logic app"
        }
        () if node.kind() == Kind::Object
            && !node.is_empty()
            && values().all(|it| it.get("class_type").is_some()) =>
        {
            "a ComfyUI workflow"
        }
        () => return None,
    })
}

fn is_logic_app(node: Node<'_>) -> bool {
    let is = |name: &str| node.get(name).is_some_and(|it| it.kind() == Kind::Object);
    is("triggers") && is("actions")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_named() {
        let rows = [
            ("stateDiagram-v2\n [*] --> Still", Some("a Mermaid state diagram")),
            ("Sure:\n```mermaid\npie title Pets\n\"Dogs\": 3\n```", Some("a Mermaid pie chart")),
            ("```mermaid\nsequenceDiagram\nA->>B: x\n```", Some("a Mermaid sequence diagram")),
            ("```mermaid\nxychart-beta\n```", Some("a Mermaid diagram")),
            ("pie is nice", None),
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
                r#"{"document": {"dsl": "1.0.0"}, "do": []}"#,
                Some("a Serverless Workflow definition"),
            ),
            (r#"[{"id": "1", "type": "inject", "wires": [["2"]]}]"#, Some("a Node-RED flow")),
            (r#"{"3": {"class_type": "KSampler", "inputs": {}}}"#, Some("a ComfyUI workflow")),
            (r#"{"initial": "a", "states": {"a": {}}}"#, Some("an XState machine")),
            (
                r#"{"on": "push", "jobs": {"a": {"runs-on": "x", "steps": []}}}"#,
                Some("a GitHub Actions workflow"),
            ),
            (
                r#"{"apiVersion": "argoproj.io/v1alpha1", "kind": "Workflow"}"#,
                Some("an Argo workflow"),
            ),
            (r#"{"cwlVersion": "v1.2", "class": "Workflow", "steps": {}}"#, Some("a CWL workflow")),
            (
                r#"{"definition": {"triggers": {}, "actions": {"a": {}}}}"#,
                Some("an Azure logic app"),
            ),
            (r#"{"jobs": {"a": {"steps": []}}}"#, None),
            (r#"{"apiVersion": "v1", "actions": {}}"#, None),
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
