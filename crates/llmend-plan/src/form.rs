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
    ("a LangGraph program", &["StateGraph(", ".add_edge("]),
    ("a LangGraph program", &["StateGraph(", ".add_node("]),
    ("an Airflow program", &["airflow", "DAG("]),
    ("a Prefect program", &["prefect", "@flow"]),
    ("a CrewAI program", &["Crew(", "Task("]),
    ("a PDDL plan", &["(define", "(:init"]),
    ("a PDDL domain", &["(define", "(:action"]),
    ("a GitHub Actions workflow in YAML", &["jobs:", "runs-on:"]),
    ("an Argo workflow in YAML", &["apiVersion: argoproj.io"]),
    ("a GitLab CI pipeline in YAML", &["stages:", "script:"]),
    ("a Compose file in YAML", &["services:", "image:"]),
    ("an Ansible playbook in YAML", &["hosts:", "tasks:"]),
    ("a Jenkins pipeline", &["pipeline {", "stage("]),
];

/// First words of diagrams that are not read.
const OPENERS: [(&str, &str); 14] = [
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
    ("a Graphviz graph", "strict graph "),
    ("an XML document", "<?xml"),
];

/// Openers that are words of prose as well, and count only in a fence, or alone on the first line.
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
    marked.map(|(form, _)| *form).or_else(|| diagram(text))
}

/// Returns the form of the diagram in a text.
fn diagram(text: &str) -> Option<&'static str> {
    let (mut is_mermaid, mut is_fenced) = (false, false);
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    let is_more = lines().nth(1).is_some();
    for (at, line) in lines().enumerate() {
        if let Some(language) = line.strip_prefix("```") {
            is_mermaid |= language == "mermaid";
            is_fenced = !is_fenced;
        }
        let known = OPENERS.iter().find(|(_, opener)| {
            let is_word = WORDS.contains(opener);
            let rest = line.strip_prefix(opener);
            rest.is_some_and(|rest| {
                let is_alone = at == 0 && is_more && rest.is_empty();
                !is_word || is_alone || is_fenced && !rest.starts_with(char::is_alphanumeric)
            })
        });
        if let Some((form, _)) = known {
            return Some(form);
        }
    }
    is_mermaid.then_some("a Mermaid diagram")
}

/// Returns the form of a value.
fn of_value(node: Node<'_>) -> Option<&'static str> {
    let is = |name: &str, kind: Kind| node.get(name).is_some_and(|it| it.kind() == kind);
    let all = |name: &str| {
        let mut items = node.items().take(16);
        node.kind() == Kind::Array && !node.is_empty() && items.all(|it| it.get(name).is_some())
    };
    let any = |name: &str| node.items().take(16).any(|it| it.get(name).is_some());
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
        () if all("type") && any("wires") => "a Node-RED flow",
        () if all("hosts") && (any("tasks") || any("roles")) => "an Ansible playbook",
        () if is("stages", Kind::Array) && has_values(node, &["script"]) => "a GitLab CI pipeline",
        () if node.get("services").is_some_and(|it| has_values(it, &["image", "build"])) => {
            "a Compose file"
        }
        () if is_drawing(node) => "a drawing of React Flow",
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

/// Returns whether a member of an object is an object with one of these fields.
fn has_values(node: Node<'_>, fields: &[&str]) -> bool {
    let mut values = node.members().map(|(_, value)| value).take(64);
    values.any(|value| fields.iter().any(|field| value.get(field).is_some()))
}

/// Returns whether a value is a graph whose nodes have positions and labels, but nothing that they do.
fn is_drawing(node: Node<'_>) -> bool {
    let all = |list: &str, fields: [&str; 2]| {
        node.get(list).filter(|list| list.kind() == Kind::Array && !list.is_empty()).is_some_and(
            |list| {
                list.items().take(16).all(|it| fields.iter().all(|field| it.get(field).is_some()))
            },
        )
    };
    all("nodes", ["position", "data"]) && all("edges", ["source", "target"])
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
            // YAML is read, or its error is reported.
            ("steps:\n  - id: a\n    tool: x\n  - id: b\n", None),
            ("Sure!\n```yaml\nsteps: *x\n```", None),
            ("stages: [a]\nbuild:\n  script: *x", Some("a GitLab CI pipeline in YAML")),
            ("services:\n  web:\n    image: *x", Some("a Compose file in YAML")),
            ("- hosts: all\n  tasks: *x", Some("an Ansible playbook in YAML")),
            ("pipeline {\n  stages {\n    stage('Build') {}", Some("a Jenkins pipeline")),
            ("gantt\n  title A", Some("a Mermaid Gantt chart")),
            ("mindmap\n  root((A))", Some("a Mermaid mind map")),
            ("mindmap", None),
            ("gantt charts are nice\nindeed", None),
            ("strict graph { a -- b }", Some("a Graphviz graph")),
            ("on: push\njobs:\n  a:\n    runs-on: x", Some("a GitHub Actions workflow in YAML")),
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
            (
                r#"[{"id": "0", "type": "tab"}, {"id": "1", "type": "inject", "wires": [["2"]]}]"#,
                Some("a Node-RED flow"),
            ),
            (r#"[{"hosts": "all", "tasks": []}]"#, Some("an Ansible playbook")),
            (r#"{"stages": ["a"], "build": {"script": ["make"]}}"#, Some("a GitLab CI pipeline")),
            (r#"{"services": {"web": {"image": "x"}}}"#, Some("a Compose file")),
            (
                r#"{"nodes": [{"id": "1", "position": {"x": 0}, "data": {}}], "edges": [{"source": "1", "target": "1"}]}"#,
                Some("a drawing of React Flow"),
            ),
            (r#"{"services": ["web"]}"#, None),
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
