//! On which node or edge does a finding lie?

use std::collections::BTreeMap;

use llmend_json::{Diagnostic, Severity};

use crate::Places;

/// The findings about a workflow, each at the node or the edge that it is about.
///
/// ```
/// use llmend_json::{Diagnostic, Severity};
/// use llmend_plan::draw::Marks;
///
/// let row = Diagnostic::new("plan/unknown-tool", Severity::Error, "no such tool").on("/nodes/2/tool");
/// let marks = Marks::new([row]);
/// assert_eq!(marks.of_node(2).len(), 1);
/// assert_eq!(marks.worst(), Some(Severity::Error));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    nodes: BTreeMap<usize, Vec<Diagnostic>>,
    edges: BTreeMap<usize, Vec<Diagnostic>>,
    whole: Vec<Diagnostic>,
}

/// A part of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Node(usize),
    Edge(usize),
    Whole,
}

impl Marks {
    /// Those whose paths lead into the canonical form (`/nodes/2/tool`, `/edges/0`, `/steps/1`), as
    /// checks make them.
    #[must_use]
    pub fn new(findings: impl IntoIterator<Item = Diagnostic>) -> Self {
        Self::by(findings, |row| canonical(row.path.as_deref()))
    }

    /// Those that a review made, which stand in the model's text. `places` says where the nodes and
    /// edges stand there. A finding goes to the smallest part around it; one that stands nowhere goes
    /// by its path.
    #[must_use]
    pub fn located(findings: impl IntoIterator<Item = Diagnostic>, places: &Places) -> Self {
        let list = if places.lists.contains_key("nodes") { "nodes" } else { "steps" };
        let (nodes, edges) = (places.starts(list), places.starts("edges"));
        Self::by(findings, |row| {
            let Some(span) = row.span else { return canonical(row.path.as_deref()) };
            match (nodes.around(span), edges.around(span)) {
                (Some((node, wide)), Some((_, narrow))) if wide <= narrow => Part::Node(node),
                (_, Some((edge, _))) => Part::Edge(edge),
                (Some((node, _)), None) => Part::Node(node),
                (None, None) => Part::Whole,
            }
        })
    }

    fn by(
        findings: impl IntoIterator<Item = Diagnostic>,
        part: impl Fn(&Diagnostic) -> Part,
    ) -> Self {
        let mut marks = Self::default();
        for row in findings {
            match part(&row) {
                Part::Node(at) => marks.nodes.entry(at).or_default().push(row),
                Part::Edge(at) => marks.edges.entry(at).or_default().push(row),
                Part::Whole => marks.whole.push(row),
            }
        }
        marks
    }

    /// The findings about the node of that index.
    #[must_use]
    pub fn of_node(&self, at: usize) -> &[Diagnostic] {
        self.nodes.get(&at).map(Vec::as_slice).unwrap_or_default()
    }

    /// The findings about the edge of that index.
    #[must_use]
    pub fn of_edge(&self, at: usize) -> &[Diagnostic] {
        self.edges.get(&at).map(Vec::as_slice).unwrap_or_default()
    }

    /// The findings about neither a node nor an edge.
    #[must_use]
    pub fn of_whole(&self) -> &[Diagnostic] {
        &self.whole
    }

    /// All findings: of the nodes, of the edges, and the others.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.nodes.values().chain(self.edges.values()).flatten().chain(&self.whole)
    }

    /// How much the worst finding matters.
    #[must_use]
    pub fn worst(&self) -> Option<Severity> {
        self.iter().map(|row| row.severity).max()
    }
}

/// How much the worst of `findings` matters.
pub(super) fn worst(findings: &[Diagnostic]) -> Option<Severity> {
    findings.iter().map(|row| row.severity).max()
}

/// The part that a canonical path leads into.
fn canonical(path: Option<&str>) -> Part {
    let mut names = path.unwrap_or_default().split('/').skip(1);
    let list = names.next();
    match (list, names.next().and_then(|index| index.parse().ok())) {
        (Some("nodes" | "steps"), Some(at)) => Part::Node(at),
        (Some("edges"), Some(at)) => Part::Edge(at),
        _ => Part::Whole,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_to_parts() {
        let rows = [
            (Some("/nodes/3"), Part::Node(3)),
            (Some("/steps/0/depends_on/1"), Part::Node(0)),
            (Some("/edges/12/output"), Part::Edge(12)),
            (Some("/nodes"), Part::Whole),
            (Some("/nodes/-1"), Part::Whole),
            (Some("/name/0"), Part::Whole),
            (Some(""), Part::Whole),
            (None, Part::Whole),
        ];
        for (path, expected) in rows {
            assert_eq!(canonical(path), expected, "{path:?}");
        }
    }

    #[test]
    fn a_finding_in_the_text_is_at_the_step_that_stands_there() {
        let answer = r#"Here: {"tasks": [7, {"id": "a", "tool": "x"}, {"id": "b", "tool": "y", "deps": ["b"]}]}"#;
        let options =
            crate::Options { on_bad_step: Some(crate::OnBadStep::Drop), ..Default::default() };
        let reviewed = crate::review(answer, &options).unwrap();
        let row =
            reviewed.diagnostics.iter().find(|row| row.code == "plan/self-dependency").unwrap();
        // The path is that of the model's list, of which the first item is no step.
        assert_eq!(row.path.as_deref(), Some("/tasks/2/deps/0"));
        let marks = Marks::located(reviewed.diagnostics, &reviewed.places);
        assert_eq!(marks.of_node(1).len(), 1, "{marks:?}");
        assert_eq!(marks.of_node(1)[0].code, "plan/self-dependency");
    }
}
