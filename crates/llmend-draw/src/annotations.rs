//! Findings by the node or edge they are about.

use std::collections::BTreeMap;

use llmend_json::{Diagnostic, Severity};

use llmend_plan::Locations;

/// The findings about a workflow, grouped by node and edge.
///
/// ```
/// use llmend_json::{Diagnostic, Severity};
/// use llmend_draw::Annotations;
///
/// let row = Diagnostic::new("plan/unknown-tool", Severity::Error, "no such tool").on("/nodes/2/tool");
/// let annotations = Annotations::new([row]);
/// assert_eq!(annotations.of_node(2).len(), 1);
/// assert_eq!(annotations.worst(), Some(Severity::Error));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Annotations {
    nodes: BTreeMap<usize, Vec<Diagnostic>>,
    edges: BTreeMap<usize, Vec<Diagnostic>>,
    whole: Vec<Diagnostic>,
}

/// The element that a finding is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Element {
    Node(usize),
    Edge(usize),
    Whole,
}

impl Annotations {
    /// Groups findings by their JSON Pointers into the canonical form (`/nodes/2/tool`, `/edges/0`,
    /// `/steps/1`), as checks report them.
    #[must_use]
    pub fn new(findings: impl IntoIterator<Item = Diagnostic>) -> Self {
        Self::by(findings, |row| canonical(row.path.as_deref()))
    }

    /// Groups the findings of a review by their spans in the model's text. `locations` are the review's
    /// locations of nodes and edges. A finding belongs to the smallest element around its span; a finding
    /// without a span is grouped by its path.
    #[must_use]
    pub fn located(findings: impl IntoIterator<Item = Diagnostic>, locations: &Locations) -> Self {
        let list = if locations.lists.contains_key("nodes") { "nodes" } else { "steps" };
        let (nodes, edges) = (locations.item_spans(list), locations.item_spans("edges"));
        Self::by(findings, |row| {
            let Some(span) = row.span else { return canonical(row.path.as_deref()) };
            match (nodes.around(span), edges.around(span)) {
                (Some((node, wide)), Some((_, narrow))) if wide <= narrow => Element::Node(node),
                (_, Some((edge, _))) => Element::Edge(edge),
                (Some((node, _)), None) => Element::Node(node),
                (None, None) => Element::Whole,
            }
        })
    }

    fn by(
        findings: impl IntoIterator<Item = Diagnostic>,
        part: impl Fn(&Diagnostic) -> Element,
    ) -> Self {
        let mut annotations = Self::default();
        for row in findings {
            match part(&row) {
                Element::Node(at) => annotations.nodes.entry(at).or_default().push(row),
                Element::Edge(at) => annotations.edges.entry(at).or_default().push(row),
                Element::Whole => annotations.whole.push(row),
            }
        }
        annotations
    }

    /// Returns the findings about the node with index `at`.
    #[must_use]
    pub fn of_node(&self, at: usize) -> &[Diagnostic] {
        self.nodes.get(&at).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the findings about the edge with index `at`.
    #[must_use]
    pub fn of_edge(&self, at: usize) -> &[Diagnostic] {
        self.edges.get(&at).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the findings about neither a node nor an edge.
    #[must_use]
    pub fn of_whole(&self) -> &[Diagnostic] {
        &self.whole
    }

    /// Iterates over all findings: of nodes, of edges, then of the whole.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.nodes.values().chain(self.edges.values()).flatten().chain(&self.whole)
    }

    /// Returns the highest severity.
    #[must_use]
    pub fn worst(&self) -> Option<Severity> {
        self.iter().map(|row| row.severity).max()
    }
}

/// Returns the highest severity of `findings`.
pub(crate) fn worst(findings: &[Diagnostic]) -> Option<Severity> {
    findings.iter().map(|row| row.severity).max()
}

/// Returns the element that a canonical path points into.
fn canonical(path: Option<&str>) -> Element {
    let mut names = path.unwrap_or_default().split('/').skip(1);
    let list = names.next();
    match (list, names.next().and_then(|index| index.parse().ok())) {
        (Some("nodes" | "steps"), Some(at)) => Element::Node(at),
        (Some("edges"), Some(at)) => Element::Edge(at),
        _ => Element::Whole,
    }
}

#[cfg(test)]
mod tests {
    use llmend_plan::{OnBadStep, Options, review};

    use super::*;

    #[test]
    fn paths_select_elements() {
        let rows = [
            (Some("/nodes/3"), Element::Node(3)),
            (Some("/steps/0/depends_on/1"), Element::Node(0)),
            (Some("/edges/12/output"), Element::Edge(12)),
            (Some("/nodes"), Element::Whole),
            (Some("/nodes/-1"), Element::Whole),
            (Some("/name/0"), Element::Whole),
            (Some(""), Element::Whole),
            (None, Element::Whole),
        ];
        for (path, expected) in rows {
            assert_eq!(canonical(path), expected, "{path:?}");
        }
    }

    #[test]
    fn spans_select_steps() {
        let answer = r#"Here: {"tasks": [7, {"id": "a", "tool": "x"}, {"id": "b", "tool": "y", "deps": ["b"]}]}"#;
        let options = Options { on_bad_step: Some(OnBadStep::Drop), ..Options::default() };
        let reviewed = review(answer, &options).unwrap();
        let row =
            reviewed.diagnostics.iter().find(|row| row.code == "plan/self-dependency").unwrap();
        // The path points into the model's list, whose first item is not a step.
        assert_eq!(row.path.as_deref(), Some("/tasks/2/deps/0"));
        let annotations = Annotations::located(reviewed.diagnostics, &reviewed.locations);
        assert_eq!(annotations.of_node(1).len(), 1, "{annotations:?}");
        assert_eq!(annotations.of_node(1)[0].code, "plan/self-dependency");
    }
}
