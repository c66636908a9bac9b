//! The shapes of a drawing and the lines between them.

use std::collections::HashMap;

use llmend_plan::{
    Edge, Node, Workflow,
    graph::{self, Graph},
};

use crate::{
    label::{self, ShapeText},
    layout,
    loop_ends::LoopEnds,
};

/// A shape that lines connect.
#[derive(Clone, Copy)]
pub(crate) enum Shape<'w> {
    /// A node.
    Node(&'w Node),
    /// An id that an edge refers to and no node has.
    Missing(&'w str),
}

impl Shape<'_> {
    /// Returns the text of the shape.
    pub(crate) fn text(self) -> ShapeText {
        match self {
            Self::Node(node) => label::of_node(node),
            Self::Missing(id) => {
                let title = label::named(&label::clean(id, label::TITLE));
                ShapeText { kind: "missing", title, detail: String::new() }
            }
        }
    }
}

/// An edge between two shapes.
pub(crate) struct Line {
    /// Index of the source shape.
    pub(crate) from: usize,
    /// Index of the target shape.
    pub(crate) to: usize,
    /// Label of the edge.
    pub(crate) label: Option<String>,
}

/// The shapes and lines of a drawing.
pub(crate) struct Scene<'w> {
    /// The nodes in order, then the missing ones.
    pub(crate) shapes: Vec<Shape<'w>>,
    /// The edges in order.
    pub(crate) lines: Vec<Line>,
    /// The arrows that point down, by line.
    pub(crate) down: Graph,
    /// The shapes in topological order.
    pub(crate) order: Vec<usize>,
    /// The layer of each shape, from the top.
    pub(crate) depth: Vec<usize>,
}

impl<'w> Scene<'w> {
    /// Builds the scene of a workflow.
    pub(crate) fn new(workflow: &'w Workflow) -> Self {
        let mut shapes: Vec<Shape<'w>> = workflow.nodes.iter().map(Shape::Node).collect();
        let mut index = graph::index(workflow.nodes.iter().map(|node| node.id.as_str()));
        let edges = workflow.edges.iter();
        let lines: Vec<Line> = edges.map(|edge| line(edge, &mut index, &mut shapes)).collect();
        let pairs = LoopEnds::new(&workflow.nodes);
        let down = layout::downward(shapes.len(), &index, &pairs, &workflow.edges);
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

    /// Returns the text of the shape with index `shape`.
    pub(crate) fn text_of(&self, shape: usize) -> ShapeText {
        self.shapes.get(shape).copied().unwrap_or(Shape::Missing("")).text()
    }

    /// Returns the layer of `shape`, from the top.
    pub(crate) fn depth_of(&self, shape: usize) -> usize {
        self.depth.get(shape).copied().unwrap_or_default()
    }

    /// Returns whether a line points up, or back to its own shape.
    pub(crate) fn leads_back(&self, line: &Line) -> bool {
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
