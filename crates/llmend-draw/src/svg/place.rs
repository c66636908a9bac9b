//! Positions of shapes and lines, in pixels.

use crate::{
    label::ShapeText,
    scene::{Line, Scene, Shape},
    svg::{
        across,
        rows::{Grid, Item, Route},
        text,
    },
};

/// Height of a shape with a detail, and without.
const HEIGHTS: (f64, f64) = (60.0, 44.0);
/// Minimum width of a shape.
const MIN_WIDTH: f64 = 96.0;
/// Gap between the shapes of a row.
const SHAPE_GAP: f64 = 28.0;
/// Height of a label, and its padding left and right of the text.
pub(super) const LABEL: (f64, f64) = (18.0, 7.0);
/// Gap between rows.
const ROW_GAP: f64 = 38.0;
/// Horizontal distance of a line that adds a pixel to the gap between rows, and maximum added pixels.
const SLANT: (f64, f64) = (16.0, 60.0);
/// Gap between a row of shapes and its labels.
const LABEL_GAP: f64 = 18.0;
/// Margin of the image.
const MARGIN: f64 = 28.0;
/// Gap between lanes along the edge of the image, and number of lanes.
const LANES: (f64, usize) = (10.0, 12);

/// A shape with its position.
pub(super) struct PlacedShape {
    /// Text of the shape.
    pub(super) words: ShapeText,
    /// Horizontal center.
    pub(super) x: f64,
    /// Top.
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// A vertical part of a line.
#[derive(Clone, Copy)]
pub(super) struct Segment {
    pub(super) x: f64,
    pub(super) start: f64,
    pub(super) end: f64,
}

/// A line with its position.
pub(super) struct Connector {
    /// From the bottom of the source to the top of the target.
    pub(super) segments: Vec<Segment>,
    /// Center of the label.
    pub(super) label: Option<(f64, f64)>,
}

/// All positions.
pub(super) struct Placement {
    /// By shape.
    pub(super) shapes: Vec<PlacedShape>,
    /// By line.
    pub(super) connectors: Vec<Connector>,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// Placement the elements of `scene` below a header of `head` pixels.
pub(super) fn place(scene: &Scene<'_>, head: f64) -> Placement {
    let grid = Grid::new(scene);
    let mut shapes: Vec<PlacedShape> = scene.shapes.iter().map(|shape| sized(*shape)).collect();
    let widths: Vec<f64> = grid.items.iter().map(|item| width(*item, &shapes, scene)).collect();
    let middles = across::place(&grid, &widths);
    let right = middles.iter().zip(&widths).map(|(x, width)| x + width / 2.0).fold(0.0, f64::max);
    let lanes = grid.routes.iter().filter(|route| route.aside).count().min(LANES.1);
    let frame = Frame {
        bands: bands(&grid, &shapes, &middles, MARGIN + head),
        right: MARGIN + right,
        grid,
        middles,
    };
    for (at, shape) in shapes.iter_mut().enumerate() {
        let (top, bottom) = frame.band_of(at);
        shape.x = frame.middle_of(at);
        shape.y = f64::midpoint(top, bottom) - shape.height / 2.0;
    }
    let connectors = frame.connectors(scene, &shapes);
    let height = frame.bands.last().map_or(MARGIN + head, |band| band.1) + MARGIN;
    let lanes = LANES.0 * f64::from(u32::try_from(lanes).unwrap_or_default());
    let width = frame.right + lanes + MARGIN;
    let mut placement = Placement { shapes, connectors, width, height };
    spread(scene, &mut placement);
    placement
}

/// The positions that lines depend on.
struct Frame {
    grid: Grid,
    /// Horizontal center of each item.
    middles: Vec<f64>,
    /// Top and bottom of each row.
    bands: Vec<(f64, f64)>,
    /// Right end of the items, where lanes begin.
    right: f64,
}

impl Frame {
    fn band_of(&self, item: usize) -> (f64, f64) {
        let row = self.grid.row_of.get(item).copied().unwrap_or_default();
        self.bands.get(row).copied().unwrap_or_default()
    }

    fn middle_of(&self, item: usize) -> f64 {
        MARGIN + self.middles.get(item).copied().unwrap_or_default()
    }

    fn connectors(&self, scene: &Scene<'_>, shapes: &[PlacedShape]) -> Vec<Connector> {
        let mut aside = (0..LANES.1).cycle();
        let lines = scene.lines.iter().zip(&self.grid.routes);
        let connectors = lines.map(|(line, route)| {
            let mut connector = Connector { segments: Vec::new(), label: None };
            let Some((from, to)) = shapes.get(line.from).zip(shapes.get(line.to)) else {
                return connector;
            };
            let mut passed = self.bends(route, &mut connector);
            if route.aside {
                let lane = aside.next().unwrap_or_default();
                let along = self.along(line, route, lane);
                if line.label.is_some() && connector.label.is_none() {
                    connector.label = Some((along.x, f64::midpoint(along.start, along.end)));
                }
                passed.push(along);
            }
            if route.back {
                passed.reverse();
                for segment in &mut passed {
                    std::mem::swap(&mut segment.start, &mut segment.end);
                }
            }
            let bottom = from.y + from.height;
            connector.segments.push(Segment { x: from.x, start: bottom, end: bottom });
            connector.segments.extend(passed);
            connector.segments.push(Segment { x: to.x, start: to.y, end: to.y });
            connector
        });
        connectors.collect()
    }

    /// Returns the segments of a line in the rows that it passes, from top to bottom.
    fn bends(&self, route: &Route, connector: &mut Connector) -> Vec<Segment> {
        let bends = route.bends.iter().map(|item| {
            let (start, end) = self.band_of(*item);
            let x = self.middle_of(*item);
            if matches!(self.grid.items.get(*item), Some(Item::Label(_))) {
                connector.label = Some((x, f64::midpoint(start, end)));
            }
            Segment { x, start, end }
        });
        bends.collect()
    }

    /// Returns the segment of a line in a lane along the edge.
    fn along(&self, line: &Line, route: &Route, lane: usize) -> Segment {
        let lane = f64::from(u32::try_from(lane).unwrap_or_default());
        let (from, to) = (self.band_of(line.from), self.band_of(line.to));
        let (start, end) =
            if route.back { (to.0, from.1) } else { (from.1 + LABEL_GAP, to.0 - LABEL_GAP) };
        Segment { x: self.right + LANES.0 * lane, start, end }
    }
}

fn sized(shape: Shape<'_>) -> PlacedShape {
    let words = shape.text();
    let title = text::width(&words.title, 13.0) * 1.08;
    let detail = text::width(&words.detail, 11.0);
    let kind = text::width(words.kind, 9.5) * 1.1;
    // Forks are pointed on both sides, AI steps rounded.
    let sides = 36.0;
    PlacedShape {
        x: 0.0,
        y: 0.0,
        width: (title.max(detail).max(kind) + sides).max(MIN_WIDTH).round(),
        height: if words.detail.is_empty() { HEIGHTS.1 } else { HEIGHTS.0 },
        words,
    }
}

/// Returns the width of an item, with its margins.
fn width(item: Item, shapes: &[PlacedShape], scene: &Scene<'_>) -> f64 {
    match item {
        Item::Shape(at) => shapes.get(at).map_or(MIN_WIDTH, |shape| shape.width) + SHAPE_GAP,
        Item::Bend(_) => 18.0,
        Item::Label(of) => {
            let label = scene.lines.get(of).and_then(|line| line.label.as_deref());
            text::width(label.unwrap_or_default(), 11.0) + 2.0 * LABEL.1 + 12.0
        }
    }
}

/// Returns the top and bottom of each row. Slanted lines add to the gap above it.
fn bands(grid: &Grid, shapes: &[PlacedShape], middles: &[f64], top: f64) -> Vec<(f64, f64)> {
    let middle = |item: usize| middles.get(item).copied().unwrap_or_default();
    let reach = |item: &usize| {
        let far = grid.graph.before(*item).map(|arrow| (middle(arrow.from) - middle(*item)).abs());
        far.fold(0.0, f64::max)
    };
    let mut bands: Vec<(f64, f64)> = Vec::with_capacity(grid.rows.len());
    let mut above = None;
    for row in &grid.rows {
        let heights = row.iter().filter_map(|item| shapes.get(*item)).map(|shape| shape.height);
        let height = heights.fold(LABEL.0, f64::max);
        let labels = height <= LABEL.0;
        let y = match above {
            None => top,
            Some(bottom) => {
                let aside = row.iter().map(reach).fold(0.0, f64::max);
                bottom + if labels { LABEL_GAP } else { ROW_GAP } + (aside / SLANT.0).min(SLANT.1)
            }
        };
        bands.push((y, y + height));
        above = Some(y + height);
    }
    bands
}

/// Spreads the ends of lines over the sides of their shapes, in the order of their targets.
fn spread(scene: &Scene<'_>, placement: &mut Placement) {
    let mut starts: Vec<Vec<(f64, usize)>> = vec![Vec::new(); placement.shapes.len()];
    let mut ends = starts.clone();
    for (at, (line, connector)) in scene.lines.iter().zip(&placement.connectors).enumerate() {
        let [_, second, ..] = connector.segments.as_slice() else { continue };
        let [.., before, _] = connector.segments.as_slice() else { continue };
        if let Some(list) = starts.get_mut(line.from) {
            list.push((second.x, at));
        }
        if let Some(list) = ends.get_mut(line.to) {
            list.push((before.x, at));
        }
    }
    for (shape, (mut starts, mut ends)) in placement.shapes.iter().zip(starts.into_iter().zip(ends))
    {
        for (shift, line) in shifts(&mut starts, shape.width) {
            let connector = placement
                .connectors
                .get_mut(line)
                .and_then(|connector| connector.segments.first_mut());
            if let Some(segment) = connector {
                segment.x += shift;
            }
        }
        for (shift, line) in shifts(&mut ends, shape.width) {
            let connector = placement
                .connectors
                .get_mut(line)
                .and_then(|connector| connector.segments.last_mut());
            if let Some(segment) = connector {
                segment.x += shift;
            }
        }
    }
}

/// Returns the offset of each line from the center of a side of `width` pixels.
fn shifts(lines: &mut [(f64, usize)], width: f64) -> Vec<(f64, usize)> {
    lines.sort_by(|one, other| one.0.total_cmp(&other.0));
    let gaps = f64::from(u32::try_from(lines.len().saturating_sub(1)).unwrap_or(u32::MAX)).max(1.0);
    let step = (width * 0.5 / gaps).min(22.0);
    let first = if lines.len() > 1 { -step * gaps / 2.0 } else { 0.0 };
    let mut shift = first - step;
    let shifted = lines.iter().map(|(_, line)| {
        shift += step;
        (shift, *line)
    });
    shifted.collect()
}
