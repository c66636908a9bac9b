//! Terminal trees.
//!
//! Consecutive nodes are on consecutive lines. Branches are indented below their fork, with their
//! labels; the node where they join continues at the level of the fork. A node that does not simply
//! follow the node above it lists its predecessors, and says if it has none.

use std::fmt::Write as _;

use std::collections::HashSet;

use llmend_json::{Diagnostic, Severity};

use llmend_plan::{NodeType, Output, Workflow};

use crate::{
    Annotations, label,
    scene::{Scene, Shape},
};

mod dominators;

/// Maximum indentation; deeper lines state their level.
const DEEPEST: usize = 24;
/// Maximum names and codes listed on a line; the others are counted.
const LISTED: usize = 3;

/// Draws `workflow` as a tree. The line of a node with findings ends with a sign (`✗`, `!`, `i`) and
/// the codes; findings about the whole workflow follow at the end.
///
/// ```
/// use llmend_draw::{Annotations, tree};
/// use llmend_plan::{Plan, Step};
///
/// let step = |id: &str, on: &[&str]| Step {
///     id: id.into(),
///     tool: Some("search".into()),
///     depends_on: on.iter().map(|on| on.to_string()).collect(),
///     ..Step::default()
/// };
/// let steps = vec![step("a", &[]), step("b", &["a"]), step("c", &["a"]), step("d", &["b", "c"])];
/// let plan = Plan { objective: Some("Find out".into()), steps, ..Plan::default() };
/// assert_eq!(
///     tree(&plan.to_workflow().workflow, &Annotations::default()),
///     "Find out\n├─ a · search\n│  ├─ b · search\n│  └─ c · search  ← a\n└─ d · search  ← b, c\n",
/// );
/// ```
#[must_use]
pub fn tree(workflow: &Workflow, annotations: &Annotations) -> String {
    let mut text = label::heading(workflow) + "\n";
    let scene = Scene::new(workflow);
    if scene.shapes.is_empty() {
        text += "└─ (no nodes)\n";
    }
    let writer = Writer::new(workflow, &scene, annotations);
    print(&writer.grow(), &mut text);
    for row in annotations.of_whole() {
        let _ = writeln!(text, "{} {}", sign(row.severity), label::finding(row));
    }
    text
}

/// What a line is about.
#[derive(Clone, Copy)]
enum Subject {
    /// All shapes.
    Root,
    /// A shape.
    Shape(usize),
    /// An outgoing line of a shape.
    Branch(usize),
}

/// A line and its children.
struct Entry {
    text: String,
    subject: Subject,
    below: Vec<usize>,
}

/// The lines; the first one is a root that is not printed.
struct Entries(Vec<Entry>);

impl Entries {
    fn add(&mut self, above: usize, subject: Subject, text: String) -> usize {
        let at = self.0.len();
        self.0.push(Entry { text, subject, below: Vec::new() });
        if let Some(above) = self.0.get_mut(above) {
            above.below.push(at);
        }
        at
    }

    /// Returns the shape that the next line below `above` seems to follow.
    fn shape_above(&self, above: usize) -> Option<usize> {
        let above = self.0.get(above)?;
        let mut before = above.below.iter().rev().filter_map(|at| self.0.get(*at));
        let shape = |entry: &Entry| match entry.subject {
            Subject::Shape(shape) => Some(shape),
            Subject::Root | Subject::Branch(_) => None,
        };
        before.find_map(shape).or(match above.subject {
            Subject::Shape(shape) | Subject::Branch(shape) => Some(shape),
            Subject::Root => None,
        })
    }
}

/// Pending work.
enum Task {
    /// Write a shape and its successors below `above`.
    Follow { above: usize, shape: usize },
    /// Write the successors of a shape below its line.
    Below { line: usize, shape: usize },
}

struct Writer<'s, 'w> {
    workflow: &'w Workflow,
    scene: &'s Scene<'w>,
    annotations: &'s Annotations,
    /// The immediate dominator of each shape.
    behind: Vec<usize>,
    /// The shapes that each shape dominates immediately; the last entry is for the root.
    children: Vec<Vec<usize>>,
    /// The outgoing lines of each shape.
    leaving: Vec<Vec<usize>>,
    /// The lines whose findings each shape shows: its outgoing lines, and incoming lines of missing nodes.
    shown_lines: Vec<Vec<usize>>,
    /// The predecessors of each shape, without those of back edges.
    waits_for: Vec<Vec<usize>>,
}

impl<'s, 'w> Writer<'s, 'w> {
    fn new(workflow: &'w Workflow, scene: &'s Scene<'w>, annotations: &'s Annotations) -> Self {
        let behind = dominators::dominators(scene);
        let mut children = vec![Vec::new(); scene.shapes.len() + 1];
        for shape in &scene.order {
            push(&mut children, behind.get(*shape).copied().unwrap_or_default(), *shape);
        }
        let mut leaving = vec![Vec::new(); scene.shapes.len()];
        let mut waits_for = leaving.clone();
        let mut shown_lines = leaving.clone();
        let is_node = |shape: usize| matches!(scene.shapes.get(shape), Some(Shape::Node(_)));
        for (at, line) in scene.lines.iter().enumerate() {
            push(&mut leaving, line.from, at);
            push(&mut shown_lines, if is_node(line.from) { line.from } else { line.to }, at);
            if !scene.leads_back(line) {
                push(&mut waits_for, line.to, line.from);
            }
        }
        for list in &mut waits_for {
            let mut seen = HashSet::new();
            list.retain(|from| seen.insert(*from));
        }
        Self { workflow, scene, annotations, behind, children, leaving, shown_lines, waits_for }
    }

    fn grow(&self) -> Vec<Entry> {
        let root = Entry { text: String::new(), subject: Subject::Root, below: Vec::new() };
        let mut entries = Entries(vec![root]);
        let mut tasks = Vec::new();
        let outermost = self.children.last().map(Vec::as_slice).unwrap_or_default();
        match outermost {
            [one] => tasks.push(Task::Follow { above: 0, shape: *one }),
            several => {
                for shape in several {
                    let line = self.add(&mut entries, 0, *shape);
                    tasks.push(Task::Below { line, shape: *shape });
                }
            }
        }
        while let Some(task) = tasks.pop() {
            let (above, mut open) = match task {
                Task::Follow { above, shape } => (above, vec![shape]),
                Task::Below { line, shape } => {
                    (line, self.expand(shape, line, &mut entries, &mut tasks))
                }
            };
            while let Some(shape) = open.pop() {
                let line = self.add(&mut entries, above, shape);
                open.extend(self.expand(shape, line, &mut entries, &mut tasks));
            }
        }
        entries.0
    }

    /// Writes the branches of `shape` below its line and returns its continuation, last shape first.
    fn expand(
        &self,
        shape: usize,
        line: usize,
        entries: &mut Entries,
        tasks: &mut Vec<Task>,
    ) -> Vec<usize> {
        let leaving = self.leaving.get(shape).map(Vec::as_slice).unwrap_or_default();
        let mut taken = HashSet::new();
        let own = |to: usize| {
            self.behind.get(to) == Some(&shape)
                && self.waits_for.get(to).is_some_and(|from| from.as_slice() == [shape])
        };
        let plain: HashSet<usize> = leaving
            .iter()
            .filter_map(|at| self.scene.lines.get(*at).filter(|line| line.label.is_none()))
            .map(|line| line.to)
            .filter(|to| own(*to))
            .collect();
        for at in leaving {
            let Some(edge) = self.scene.lines.get(*at) else { continue };
            let goes_on = matches!(
                self.workflow.edges.get(*at).map(|edge| &edge.output),
                Some(Some(Output::LoopDone))
            );
            let name = || self.scene.text_of(edge.to).title;
            match &edge.label {
                _ if self.scene.leads_back(edge) && self.is_loop_end(shape) => {}
                _ if self.scene.leads_back(edge) => {
                    let label = edge.label.as_deref().map(|label| format!("{label} "));
                    let text = format!("{}↺ {}", label.unwrap_or_default(), name());
                    entries.add(line, Subject::Branch(shape), text);
                }
                Some(_) if goes_on && self.behind.get(edge.to) == Some(&shape) => {}
                Some(label) if own(edge.to) && taken.insert(edge.to) => {
                    let group = entries.add(line, Subject::Branch(shape), label.clone());
                    tasks.push(Task::Follow { above: group, shape: edge.to });
                }
                Some(label) => {
                    entries.add(line, Subject::Branch(shape), format!("{label} → {}", name()));
                }
                None if plain.len() > 1 && own(edge.to) && taken.insert(edge.to) => {
                    let below = self.add(entries, line, edge.to);
                    tasks.push(Task::Below { line: below, shape: edge.to });
                }
                None => {}
            }
        }
        let behind = self.children.get(shape).map(Vec::as_slice).unwrap_or_default();
        behind.iter().rev().copied().filter(|shape| !taken.contains(shape)).collect()
    }

    fn is_loop_end(&self, shape: usize) -> bool {
        matches!(self.scene.shapes.get(shape), Some(Shape::Node(node)) if node.node_type() == NodeType::EndLoop)
    }

    /// Writes the line of a shape below `above`.
    fn add(&self, entries: &mut Entries, above: usize, shape: usize) -> usize {
        let text = self.text(shape, entries.shape_above(above));
        entries.add(above, Subject::Shape(shape), text)
    }

    /// Formats the line of a shape, which is below that of the shape `above`.
    fn text(&self, shape: usize, above: Option<usize>) -> String {
        let words = self.scene.text_of(shape);
        let mut text = words.title;
        match (self.scene.shapes.get(shape), words.detail.as_str()) {
            (Some(Shape::Node(node)), "") if node.node_type() == NodeType::Tool => {}
            (Some(Shape::Node(node)), tool) if node.node_type() == NodeType::Tool => {
                let _ = write!(text, " · {tool}");
            }
            (_, detail) => text += format!(" · {} {detail}", words.kind).trim_end(),
        }
        if matches!(self.scene.shapes.get(shape), Some(Shape::Node(node)) if !node.enabled) {
            text += " (off)";
        }
        let before = self.waits_for.get(shape).map(Vec::as_slice).unwrap_or_default();
        match (before, above) {
            ([], None) => {}
            // Nothing is known of a missing node.
            ([], Some(_)) if matches!(self.scene.shapes.get(shape), Some(Shape::Missing(_))) => {}
            ([], Some(_)) => text += "  (start)",
            ([one], Some(above)) if *one == above => {}
            _ => {
                let names = before.iter().map(|from| self.scene.text_of(*from).title);
                let _ = write!(text, "  ← {}", listed(names, before.len()));
            }
        }
        let edges = self.shown_lines.get(shape).into_iter().flatten();
        let found = edges.flat_map(|edge| self.annotations.of_edge(*edge));
        let mut seen = HashSet::new();
        let found: Vec<&Diagnostic> = found
            .chain(self.annotations.of_node(shape))
            .filter(|row| seen.insert((row.severity, &row.code)))
            .collect();
        if !found.is_empty() {
            let codes = found.iter().map(|row| {
                format!("{} {}", sign(row.severity), label::clean(&row.code, label::TITLE * 2))
            });
            let _ = write!(text, "  {}", listed(codes, found.len()));
        }
        text
    }
}

fn push(lists: &mut [Vec<usize>], at: usize, value: usize) {
    if let Some(list) = lists.get_mut(at) {
        list.push(value);
    }
}

/// Formats the first few `names` and the number of the others.
fn listed(names: impl Iterator<Item = String>, number: usize) -> String {
    let first: Vec<String> = names.take(LISTED).collect();
    let more = number.saturating_sub(LISTED);
    first.join(", ") + &if more > 0 { format!(" +{more}") } else { String::new() }
}

const fn sign(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "✗",
        Severity::Warning => "!",
        Severity::Info => "i",
    }
}

/// Writes the entries with their branch lines.
fn print(entries: &[Entry], text: &mut String) {
    let below = |at: usize| entries.get(at).map(|entry| entry.below.iter()).unwrap_or_default();
    let mut open = vec![below(0)];
    while let Some(list) = open.last_mut() {
        let Some(at) = list.next() else {
            open.pop();
            continue;
        };
        let level = open.len() - 1;
        for outer in open.iter().take(level).take(DEEPEST) {
            text.push_str(if outer.len() > 0 { "│  " } else { "   " });
        }
        if level > DEEPEST {
            let _ = write!(text, "… {level} ");
        }
        let last = open.last().is_none_or(|list| list.len() == 0);
        text.push_str(if last { "└─ " } else { "├─ " });
        if let Some(entry) = entries.get(*at) {
            text.push_str(&entry.text);
        }
        text.push('\n');
        open.push(below(*at));
    }
}
