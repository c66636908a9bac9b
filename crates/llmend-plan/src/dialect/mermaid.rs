//! Mermaid flowcharts.
//!
//! A node becomes a step for a model, with its text as the task, or a tool node if its text names a tool
//! of the catalog or is a call. A node whose edges have labels decides: an If for yes and no, else a
//! Switch. Subgraphs become part of the flow. What only sets how a chart looks is ignored.

use llmend_json::{Severity, Span};

use crate::{
    Map, NodeKind, Output, Workflow, code,
    dialect::llmcompiler,
    findings::{Findings, shown},
    locations::Location,
    read::{
        assembly::{Assembly, report},
        context::Context,
        steps,
    },
};

mod chart;
mod decision;
mod diagram;
mod drawn;
mod groups;
mod id;
mod label;
mod link;
mod shape;

use chart::{Chart, ChartEdge, ChartNode};
use groups::Groups;

/// Returns where `text` holds a flowchart.
pub(super) fn find(text: &str) -> Option<Span> {
    diagram::find(text).map(|found| found.whole)
}

/// Reads a workflow.
pub(super) fn read(text: &str, context: &mut Context<'_>) -> Workflow {
    let whole = Location { path: None, span: Span::new(0, text.len()) };
    context.findings.note_text("", whole.span);
    let Some(found) = diagram::find(text) else {
        report(context, code::EMPTY, Severity::Error, &whole, "the text has no flowchart");
        return Workflow::default();
    };
    let chart = chart::parse(text, found.body, context.options.max_items);
    for span in found.others {
        warn(context, code::LEFT_ASIDE, span, "another diagram is ignored");
    }
    report_statements(&chart, context);
    let groups = Groups::new(&chart);
    let edges = flattened(&chart, &groups, context);
    let mut out: Vec<Vec<usize>> = vec![Vec::new(); chart.nodes.len()];
    for (at, edge) in edges.iter().enumerate() {
        if let Some(out) = chart.index.get(edge.from).and_then(|from| out.get_mut(*from)) {
            out.push(at);
        }
    }
    let mut assembly = Assembly::default();
    let mut outputs: Vec<Option<Output>> = vec![None; edges.len()];
    for (at, (node, out)) in chart.nodes.iter().zip(&out).enumerate() {
        if groups.of(node.id).is_some() {
            continue;
        }
        let path = format!("/nodes/{at}");
        let labels: Vec<Option<String>> =
            out.iter().map(|at| label_of(&chart, &edges, *at)).collect();
        let id = chart.drawn.id(node.id);
        let mut own = Vec::new();
        let item = context.item(
            |_: &Option<crate::Node>| steps::label(&path, &id),
            |context, findings| {
                let (read, labels) = one(&chart, node, (&labels, &path), context, findings)?;
                own = labels;
                Some(read)
            },
        );
        if chart.drawn.is_drawn && node.shape == shape::Shape::Flag {
            continue;
        }
        assembly.item(&id, item, context);
        for (at, output) in out.iter().zip(own) {
            if let Some(slot) = outputs.get_mut(*at) {
                *slot = output;
            }
        }
    }
    connect(&chart, &edges, outputs, &mut assembly, context);
    let name = found.title.map(str::to_owned).filter(|title| !title.is_empty());
    Workflow { name, ..assembly.finish(&whole, context) }
}

/// Adds the edges with their labels.
fn connect(
    chart: &Chart<'_>,
    edges: &[ChartEdge<'_>],
    outputs: Vec<Option<Output>>,
    assembly: &mut Assembly,
    context: &mut Context<'_>,
) {
    for (edge, output) in edges.iter().zip(outputs) {
        if let (None, Some(label)) = (&output, text_of(edge.label)) {
            let message = format!(
                "label `{}` of an edge is ignored: its node does not decide",
                shown(&label)
            );
            warn(context, code::NOT_IN_FLOW, edge.span, message);
        }
        let place = Location { path: None, span: edge.span };
        let (from, to) = (chart.drawn.id(edge.from), chart.drawn.id(edge.to));
        assembly.edge(&from, &to, output, &place, context);
    }
}

/// Returns the label of an edge.
fn label_of(chart: &Chart<'_>, edges: &[ChartEdge<'_>], at: usize) -> Option<String> {
    let drawn = chart.drawn.is_drawn.then(|| chart.drawn.label(at)).flatten();
    drawn.or_else(|| text_of(edges.get(at)?.label))
}

fn warn(context: &mut Context<'_>, code: &'static str, span: Span, message: impl Into<String>) {
    report(context, code, Severity::Warning, &Location { path: None, span }, message);
}

/// Returns the text of a label on one line.
fn text_of(label: Option<&str>) -> Option<String> {
    let text = label::lines(label?).join(" ");
    (!text.is_empty()).then_some(text)
}

/// Returns the edges between nodes: an edge of a subgraph becomes one of each of its first or last nodes.
fn flattened<'t>(
    chart: &Chart<'t>,
    groups: &Groups<'t>,
    context: &mut Context<'_>,
) -> Vec<ChartEdge<'t>> {
    let mut edges = Vec::new();
    for edge in &chart.edges {
        let (from, to) = (groups.of(edge.from), groups.of(edge.to));
        if from.is_some() || to.is_some() {
            let message = "an edge of a subgraph is read as one of its first or last nodes";
            warn(context, code::NOT_IN_FLOW, edge.span, message);
        }
        let (own_from, own_to) = ([edge.from], [edge.to]);
        for from in from.map_or(own_from.as_slice(), |group| group.last.as_slice()) {
            for to in to.map_or(own_to.as_slice(), |group| group.first.as_slice()) {
                if edges.len() < context.options.max_items {
                    edges.push(ChartEdge { from, to, ..*edge });
                }
            }
        }
    }
    edges
}

fn report_statements(chart: &Chart<'_>, context: &mut Context<'_>) {
    for (span, reason) in &chart.unreadable {
        let place = Location { path: None, span: *span };
        let message = format!("unreadable statement: {reason}");
        report(context, code::UNREADABLE_LINE, Severity::Error, &place, message);
    }
    for (span, what) in &chart.ignored {
        warn(context, code::LEFT_ASIDE, *span, format!("ignored {what}"));
    }
    if chart.is_full {
        let most = context.options.max_items;
        let place = Location { path: None, span: Span::new(0, 0) };
        let message = format!("too many edges (limit {most})");
        report(context, code::TOO_MANY, Severity::Error, &place, message);
    }
    if chart.drawn.is_drawn {
        return;
    }
    if let Some(span) = chart.looks {
        let place = Location { path: None, span };
        let message = "statements that only set how the chart looks are ignored";
        report(context, code::LOOKS, Severity::Info, &place, message);
    }
    for group in &chart.groups {
        let message = format!("subgraph `{}` is read as part of the flow", shown(group.title));
        warn(context, code::NOT_IN_FLOW, group.span, message);
    }
    if let Some(edge) = chart.edges.iter().find(|edge| !edge.is_arrow) {
        warn(
            context,
            code::NOT_IN_FLOW,
            edge.span,
            "lines without a head are read as edges from left to right",
        );
    }
}

/// Reads a node, and returns it with the labels of its edges.
fn one(
    chart: &Chart<'_>,
    node: &ChartNode<'_>,
    (labels, path): (&[Option<String>], &str),
    context: &Context<'_>,
    findings: &mut Findings,
) -> Option<(crate::Node, Vec<Option<Output>>)> {
    findings.note_text("", node.span);
    let lines = node.label.map(label::lines).unwrap_or_default();
    let id = chart.drawn.id(node.id);
    let (mut read, outputs) = if chart.drawn.is_drawn {
        of_drawing(chart, node, &lines, (labels, path), findings)?
    } else {
        let title = lines.join(" ");
        let question = if title.is_empty() { &id } else { &title };
        let name = Some(title.clone()).filter(|title| !title.is_empty());
        match decision::of(question, node.shape, labels) {
            Some(found) => {
                if found.is_text {
                    let message = format!("the condition of `{}` is kept as text", shown(question));
                    findings.warn(code::TEXT_CONDITION, path, node.span, message);
                }
                (crate::Node { name, ..crate::Node::new(id, found.kind) }, found.outputs)
            }
            None => (step(&id, name, &lines, context), Vec::new()),
        }
    };
    if let NodeKind::Tool { tool, arguments } = &mut read.kind {
        context.admit_tool(tool, path, node.span, findings);
        context.fit(tool, &Map::new(), arguments, "/arguments", findings);
    }
    if context.options.disabled.contains(&read.node_type()) {
        let message = format!("steps of type `{}` are disabled", read.node_type());
        findings.error(code::DISABLED_TYPE, path, node.span, message);
    }
    Some((read, outputs))
}

/// Reads a node of a drawing of llmend.
fn of_drawing(
    chart: &Chart<'_>,
    node: &ChartNode<'_>,
    lines: &[String],
    (labels, path): (&[Option<String>], &str),
    findings: &mut Findings,
) -> Option<(crate::Node, Vec<Option<Output>>)> {
    let id = chart.drawn.id(node.id);
    let title = lines.first().map(String::as_str).unwrap_or_default();
    let detail = lines.get(1).map(String::as_str).unwrap_or_default();
    let given: Vec<String> = labels.iter().flatten().cloned().collect();
    let kind = drawn::kind(node.shape, title, detail, &given)?;
    if drawn::is_shortened(detail) {
        let message = format!("`{}` is shortened in the drawing", shown(detail));
        findings.warn(code::NOT_CARRIED, path, node.span, message);
    }
    let label = |label: &Option<String>| drawn::output(&kind, label.as_deref()?);
    let outputs = labels.iter().map(label).collect();
    // What is shortened is an id, since a name would be in a comment.
    let is_name = |title: &String| {
        *title != id && title != "(no name)" && !drawn::is_shortened(title) && !title.is_empty()
    };
    let name = chart.drawn.name(node.id).or_else(|| Some(title.to_owned()).filter(is_name));
    let enabled = !node.classes.contains(&"off");
    Some((crate::Node { name, enabled, ..crate::Node::new(id, kind) }, outputs))
}

/// Returns the step that a text describes: a call, a tool of the catalog, or a task for a model.
fn step(id: &str, name: Option<String>, lines: &[String], context: &Context<'_>) -> crate::Node {
    let text = name.clone().unwrap_or_else(|| id.to_owned());
    let catalog = context.options.catalog.as_ref();
    let known = |name: &str| catalog.is_some_and(|catalog| catalog.tool(name).is_some());
    let tool = |tool: &str, arguments: Map| NodeKind::Tool { tool: tool.to_owned(), arguments };
    let first = lines.first().map(String::as_str).unwrap_or_default();
    let lead = first.split_once(':').map_or(first, |(lead, _)| lead.trim());
    let candidates = [text.as_str(), first, lead, id];
    let call = llmcompiler::only_call(&text).and_then(|(name, inside)| {
        let schema = catalog.and_then(|catalog| catalog.arguments(name, None));
        Some(tool(name, llmcompiler::call_arguments(inside, schema)?))
    });
    // A word that is nearly the name of a tool is reported as an unknown tool.
    let is_near = |name: &&str| {
        let word = !name.contains(char::is_whitespace);
        word && catalog.is_some_and(|catalog| catalog.nearest(name).is_some())
    };
    let known =
        || candidates.into_iter().find(|name| known(name)).or(Some(text.as_str()).filter(is_near));
    let kind = call.or_else(|| known().map(|name| tool(name, Map::new())));
    let kind = kind.unwrap_or(NodeKind::AiStep {
        prompt: text,
        allowed_tools: None,
        max_tool_calls: None,
    });
    crate::Node { name, ..crate::Node::new(id, kind) }
}
