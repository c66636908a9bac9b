//! Rows of shapes, labels and bends.
//!
//! The shapes of a layer form a row. If lines that start there have labels, a row of labels follows, so
//! that nothing is drawn over a label. A line has a bend in every row that it passes, which keeps it
//! clear of the other items; a back edge also passes the rows of both its ends, and so goes around them.

use llmend_plan::graph::{Arrow, Graph};

use crate::{
    layout,
    scene::{Line, Scene},
};

/// Maximum bends: a constant, and a number for each shape and line. Lines that need more run along the
/// edge of the image. This keeps the work linear.
const BENDS: (usize, usize) = (4_000, 4);

/// An item of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Item {
    /// A shape, by index.
    Shape(usize),
    /// A bend of a line, by index.
    Bend(usize),
    /// The label of a line, by index.
    Label(usize),
}

/// The route of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Route {
    /// Its items, from top to bottom.
    pub(super) bends: Vec<usize>,
    /// Whether it points up.
    pub(super) back: bool,
    /// Whether it runs along the edge of the image after its bends.
    pub(super) aside: bool,
}

/// The rows of an image.
pub(super) struct Grid {
    /// All items; first the shapes, by index.
    pub(super) items: Vec<Item>,
    /// The items of each row: rows from the top, items from the left.
    pub(super) rows: Vec<Vec<usize>>,
    /// The row of each item.
    pub(super) row_of: Vec<usize>,
    /// The route of each line.
    pub(super) routes: Vec<Route>,
    /// Connections to items of later rows.
    pub(super) graph: Graph,
}

impl Grid {
    /// Assigns the elements of a scene to rows.
    pub(super) fn new(scene: &Scene<'_>) -> Self {
        let first = first_rows(scene);
        let row_of_shape = |shape| first.get(scene.depth_of(shape)).copied().unwrap_or_default();
        let mut new = Self {
            items: (0..scene.shapes.len()).map(Item::Shape).collect(),
            rows: vec![Vec::new(); first.last().map_or(0, |last| last + 1)],
            row_of: (0..scene.shapes.len()).map(row_of_shape).collect(),
            routes: Vec::with_capacity(scene.lines.len()),
            graph: Graph::new(0, []),
        };
        for shape in &scene.order {
            if let Some(row) = new.rows.get_mut(row_of_shape(*shape)) {
                row.push(*shape);
            }
        }
        let mut left = BENDS.0 + BENDS.1 * (scene.shapes.len() + scene.lines.len());
        let mut arrows = Vec::new();
        for (of, line) in scene.lines.iter().enumerate() {
            let back = scene.leads_back(line);
            let (from, to) = (row_of_shape(line.from), row_of_shape(line.to));
            let route = if back {
                new.up(of, line, to..=from, &mut left)
            } else {
                new.down(of, line, from + 1..to, &mut left)
            };
            // A back edge runs beside its ends.
            let (above, below) = if back { (line.to, line.from) } else { (line.from, line.to) };
            let mut at = above;
            for next in route.bends.iter().copied().chain([below]) {
                if at != next {
                    arrows.push(Arrow { from: at, to: next, of });
                }
                at = next;
            }
            new.routes.push(route);
        }
        new.graph = Graph::new(new.items.len(), arrows);
        layout::order(&new.graph, &mut new.rows);
        new
    }

    fn down(
        &mut self,
        of: usize,
        line: &Line,
        rows: std::ops::Range<usize>,
        left: &mut usize,
    ) -> Route {
        let mut bends = Vec::new();
        let aside = *left < rows.len();
        let passed = if aside { rows.start..rows.start } else { rows };
        *left -= passed.len();
        for (nth, row) in passed.enumerate() {
            let label = nth == 0 && line.label.is_some();
            bends.push(self.add(if label { Item::Label(of) } else { Item::Bend(of) }, row));
        }
        Route { bends, back: false, aside }
    }

    fn up(
        &mut self,
        of: usize,
        line: &Line,
        rows: std::ops::RangeInclusive<usize>,
        left: &mut usize,
    ) -> Route {
        let (top, bottom) = (*rows.start(), *rows.end());
        let number = bottom - top + 1;
        if *left < number {
            return Route { bends: Vec::new(), back: true, aside: true };
        }
        *left -= number;
        let item = |row| match line.label {
            Some(_) if row == bottom => Item::Label(of),
            _ => Item::Bend(of),
        };
        let bends = rows.map(|row| self.add(item(row), row)).collect();
        Route { bends, back: true, aside: false }
    }

    fn add(&mut self, item: Item, row: usize) -> usize {
        let at = self.items.len();
        self.items.push(item);
        self.row_of.push(row);
        if let Some(row) = self.rows.get_mut(row) {
            row.push(at);
        }
        at
    }
}

/// Returns the row of the shapes of each layer.
fn first_rows(scene: &Scene<'_>) -> Vec<usize> {
    let layers = scene.depth.iter().max().map_or(0, |deepest| deepest + 1);
    let mut labeled = vec![false; layers];
    for line in &scene.lines {
        if line.label.is_some()
            && !scene.leads_back(line)
            && let Some(slot) = labeled.get_mut(scene.depth_of(line.from))
        {
            *slot = true;
        }
    }
    let mut next = 0;
    let rows = labeled.into_iter().map(|labeled| {
        let row = next;
        next += 1 + usize::from(labeled);
        row
    });
    rows.collect()
}
