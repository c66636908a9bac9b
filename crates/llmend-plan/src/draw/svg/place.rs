//! Where in the picture is everything, in pixels?

use crate::draw::{
    label::{self, Words},
    scene::{Line, Scene, Shape},
    svg::{
        across,
        rows::{Grid, Item, Route},
        text,
    },
};

/// Height of a shape that says what it does, and of one that does not.
const HEIGHTS: (f64, f64) = (60.0, 44.0);
/// Least width of a shape.
const NARROW: f64 = 96.0;
/// Between two shapes of a row.
const BESIDE: f64 = 28.0;
/// Height of a label, and its space to the left and right of the text.
pub(super) const LABEL: (f64, f64) = (18.0, 7.0);
/// Between two rows.
const BELOW: f64 = 38.0;
/// How far to the side a line leads for a pixel more of space between rows, and most pixels more.
const ASLANT: (f64, f64) = (16.0, 60.0);
/// Between a row of shapes and its labels.
const TO_LABELS: f64 = 18.0;
/// Around everything.
const MARGIN: f64 = 28.0;
/// Between lines that go along the edge of the picture, and how many of these have a way of their own.
const ASIDE: (f64, usize) = (10.0, 12);

/// A shape with its place.
pub(super) struct Placed {
    /// What it says.
    pub(super) words: Words,
    /// Its middle from the left.
    pub(super) x: f64,
    /// Its top.
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// Part of a route that goes straight down, or up.
#[derive(Clone, Copy)]
pub(super) struct Straight {
    pub(super) x: f64,
    pub(super) start: f64,
    pub(super) end: f64,
}

/// A line with its way.
pub(super) struct Way {
    /// From the bottom of one shape to the top of the other.
    pub(super) straights: Vec<Straight>,
    /// The middle of its label.
    pub(super) label: Option<(f64, f64)>,
}

/// Everything with its place.
pub(super) struct Places {
    /// By the index of the shape.
    pub(super) shapes: Vec<Placed>,
    /// By the index of the line.
    pub(super) ways: Vec<Way>,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// Gives everything in `scene` a place, below a head of the picture that is `head` pixels high.
pub(super) fn place(scene: &Scene<'_>, head: f64) -> Places {
    let grid = Grid::new(scene);
    let mut shapes: Vec<Placed> = scene.shapes.iter().map(|shape| sized(*shape)).collect();
    let widths: Vec<f64> = grid.items.iter().map(|item| width(*item, &shapes, scene)).collect();
    let middles = across::place(&grid, &widths);
    let right = middles.iter().zip(&widths).map(|(x, width)| x + width / 2.0).fold(0.0, f64::max);
    let lanes = grid.routes.iter().filter(|route| route.aside).count().min(ASIDE.1);
    let drawing = Drawing {
        bands: bands(&grid, &shapes, &middles, MARGIN + head),
        right: MARGIN + right,
        grid,
        middles,
    };
    for (at, shape) in shapes.iter_mut().enumerate() {
        let (top, bottom) = drawing.band_of(at);
        shape.x = drawing.middle_of(at);
        shape.y = f64::midpoint(top, bottom) - shape.height / 2.0;
    }
    let ways = drawing.ways(scene, &shapes);
    let height = drawing.bands.last().map_or(MARGIN + head, |band| band.1) + MARGIN;
    let lanes = ASIDE.0 * f64::from(u32::try_from(lanes).unwrap_or_default());
    let width = drawing.right + lanes + MARGIN;
    let mut places = Places { shapes, ways, width, height };
    spread(scene, &mut places);
    places
}

/// What is known before the lines are.
struct Drawing {
    grid: Grid,
    /// By the index of the item, from the leftmost one.
    middles: Vec<f64>,
    /// The top and the bottom of each row.
    bands: Vec<(f64, f64)>,
    /// Where the items end, and lines that go along the edge begin.
    right: f64,
}

impl Drawing {
    fn band_of(&self, item: usize) -> (f64, f64) {
        let row = self.grid.row_of.get(item).copied().unwrap_or_default();
        self.bands.get(row).copied().unwrap_or_default()
    }

    fn middle_of(&self, item: usize) -> f64 {
        MARGIN + self.middles.get(item).copied().unwrap_or_default()
    }

    fn ways(&self, scene: &Scene<'_>, shapes: &[Placed]) -> Vec<Way> {
        let mut aside = (0..ASIDE.1).cycle();
        let lines = scene.lines.iter().zip(&self.grid.routes);
        let ways = lines.map(|(line, route)| {
            let mut way = Way { straights: Vec::new(), label: None };
            let Some((from, to)) = shapes.get(line.from).zip(shapes.get(line.to)) else {
                return way;
            };
            let mut passed = self.bends(route, &mut way);
            if route.aside {
                let lane = aside.next().unwrap_or_default();
                let along = self.along(line, route, lane);
                if line.label.is_some() && way.label.is_none() {
                    way.label = Some((along.x, f64::midpoint(along.start, along.end)));
                }
                passed.push(along);
            }
            if route.back {
                passed.reverse();
                for straight in &mut passed {
                    std::mem::swap(&mut straight.start, &mut straight.end);
                }
            }
            let bottom = from.y + from.height;
            way.straights.push(Straight { x: from.x, start: bottom, end: bottom });
            way.straights.extend(passed);
            way.straights.push(Straight { x: to.x, start: to.y, end: to.y });
            way
        });
        ways.collect()
    }

    /// The straight parts in the rows that a line passes, from the top downwards.
    fn bends(&self, route: &Route, way: &mut Way) -> Vec<Straight> {
        let bends = route.bends.iter().map(|item| {
            let (start, end) = self.band_of(*item);
            let x = self.middle_of(*item);
            if matches!(self.grid.items.get(*item), Some(Item::Label(_))) {
                way.label = Some((x, f64::midpoint(start, end)));
            }
            Straight { x, start, end }
        });
        bends.collect()
    }

    /// The straight part along the edge of the picture.
    fn along(&self, line: &Line, route: &Route, lane: usize) -> Straight {
        let lane = f64::from(u32::try_from(lane).unwrap_or_default());
        let (from, to) = (self.band_of(line.from), self.band_of(line.to));
        let (start, end) =
            if route.back { (to.0, from.1) } else { (from.1 + TO_LABELS, to.0 - TO_LABELS) };
        Straight { x: self.right + ASIDE.0 * lane, start, end }
    }
}

fn sized(shape: Shape<'_>) -> Placed {
    let words = label::words(shape);
    let title = text::width(&words.title, 13.0) * 1.08;
    let detail = text::width(&words.detail, 11.0);
    let kind = text::width(words.kind, 9.5) * 1.1;
    // Forks are pointed on both sides, tasks round.
    let sides = 36.0;
    Placed {
        x: 0.0,
        y: 0.0,
        width: (title.max(detail).max(kind) + sides).max(NARROW).round(),
        height: if words.detail.is_empty() { HEIGHTS.1 } else { HEIGHTS.0 },
        words,
    }
}

/// How wide an item is, with the space that it wants on both sides.
fn width(item: Item, shapes: &[Placed], scene: &Scene<'_>) -> f64 {
    match item {
        Item::Shape(at) => shapes.get(at).map_or(NARROW, |shape| shape.width) + BESIDE,
        Item::Bend(_) => 18.0,
        Item::Label(of) => {
            let label = scene.lines.get(of).and_then(|line| line.label.as_deref());
            text::width(label.unwrap_or_default(), 11.0) + 2.0 * LABEL.1 + 12.0
        }
    }
}

/// The top and the bottom of each row. Where lines lead far to the side there is more space above it.
fn bands(grid: &Grid, shapes: &[Placed], middles: &[f64], top: f64) -> Vec<(f64, f64)> {
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
                bottom + if labels { TO_LABELS } else { BELOW } + (aside / ASLANT.0).min(ASLANT.1)
            }
        };
        bands.push((y, y + height));
        above = Some(y + height);
    }
    bands
}

/// Spreads the ends of lines over the sides of their shapes, in the order of where they go.
fn spread(scene: &Scene<'_>, places: &mut Places) {
    let mut starts: Vec<Vec<(f64, usize)>> = vec![Vec::new(); places.shapes.len()];
    let mut ends = starts.clone();
    for (at, (line, way)) in scene.lines.iter().zip(&places.ways).enumerate() {
        let [_, second, ..] = way.straights.as_slice() else { continue };
        let [.., before, _] = way.straights.as_slice() else { continue };
        if let Some(list) = starts.get_mut(line.from) {
            list.push((second.x, at));
        }
        if let Some(list) = ends.get_mut(line.to) {
            list.push((before.x, at));
        }
    }
    for (shape, (mut starts, mut ends)) in places.shapes.iter().zip(starts.into_iter().zip(ends)) {
        for (shift, line) in shifts(&mut starts, shape.width) {
            let way = places.ways.get_mut(line).and_then(|way| way.straights.first_mut());
            if let Some(straight) = way {
                straight.x += shift;
            }
        }
        for (shift, line) in shifts(&mut ends, shape.width) {
            let way = places.ways.get_mut(line).and_then(|way| way.straights.last_mut());
            if let Some(straight) = way {
                straight.x += shift;
            }
        }
    }
}

/// How far from the middle of a side of that width each line starts.
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
