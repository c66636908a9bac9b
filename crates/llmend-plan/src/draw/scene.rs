//! What is to be drawn: which shapes, and which lines between them?

use std::collections::HashMap;

use crate::{Edge, Node, Workflow, draw::label, graph, graph::Graph, infer::Pairs, layout};

/// Something that lines start and end at.
#[derive(Clone, Copy)]
pub(super) enum Shape<'w> {
    /// A node.
    Node(&'w Node),
    /// An id that an edge names and no node has.
    Missing(&'w str),
}

/// An edge between two shapes.
pub(super) struct Line {
    /// Index of the shape where it starts.
    pub(super) from: usize,
    /// Index of the shape where it leads.
    pub(super) to: usize,
    /// What stands at it.
    pub(super) label: Option<String>,
}

/// The shapes and the lines of a picture.
pub(super) struct Scene<'w> {
    /// The nodes by their index, then the missing ones.
    pub(super) shapes: Vec<Shape<'w>>,
    /// The edges by their index.
    pub(super) lines: Vec<Line>,
    /// The arrows that lead down; each knows its line.
    pub(super) down: Graph,
    /// The shapes, each after all that lead down to it.
    pub(super) order: Vec<usize>,
    /// For each shape how many layers are above its own.
    pub(super) depth: Vec<usize>,
}

impl<'w> Scene<'w> {
    /// The scene of a workflow.
    pub(super) fn new(workflow: &'w Workflow) -> Self {
        let mut shapes: Vec<Shape<'w>> = workflow.nodes.iter().map(Shape::Node).collect();
        let mut index = graph::index(workflow.nodes.iter().map(|node| node.id.as_str()));
        let edges = workflow.edges.iter();
        let lines: Vec<Line> = edges.map(|edge| line(edge, &mut index, &mut shapes)).collect();
        let pairs = Pairs::named(&workflow.nodes);
        let down = layout::leading_down(shapes.len(), &index, &pairs, &workflow.edges);
        let mut depth = vec![0; shapes.len()];
        let mut order = Vec::with_capacity(shapes.len());
        for (shape, own) in layout::depths(&down) {
            order.push(shape);
            if let Some(slot) = depth.get_mut(shape) {
                *slot = own;
            }
        }
        Self { shapes, lines, down, order, depth }
    }

    /// How many layers are above the one of `shape`.
    pub(super) fn depth_of(&self, shape: usize) -> usize {
        self.depth.get(shape).copied().unwrap_or_default()
    }

    /// Whether a line leads back up, or to where it starts.
    pub(super) fn leads_back(&self, line: &Line) -> bool {
        self.depth_of(line.to) <= self.depth_of(line.from)
    }
}

fn line<'w>(
    edge: &'w Edge,
    index: &mut HashMap<&'w str, usize>,
    shapes: &mut Vec<Shape<'w>>,
) -> Line {
    let mut end = |id: &'w str| {
        *index.entry(id).or_insert_with(|| {
            shapes.push(Shape::Missing(id));
            shapes.len() - 1
        })
    };
    Line { from: end(&edge.from), to: end(&edge.to), label: label::of_edge(edge) }
}
