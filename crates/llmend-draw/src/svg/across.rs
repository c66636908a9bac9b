//! Horizontal positions of the items of each row.
//!
//! Each row is placed repeatedly, below or above the previous one: as near as possible to the
//! neighbors of its items, without reordering or overlaps. That is an isotonic regression, which
//! pooling adjacent violators solves in one pass.

use llmend_plan::graph::Arrow;

use crate::svg::{
    rows::{Grid, Item},
    straight::straighten,
};

/// Number of passes over all rows, alternating down and up.
const SWEEPS: usize = 14;

/// Returns the horizontal center of each item; the leftmost item starts at 0. `widths` include the
/// margins of the items.
pub(super) fn place(grid: &Grid, widths: &[f64]) -> Vec<f64> {
    // Positions without gaps, relative to the center.
    let mut packed = vec![0.0; widths.len()];
    for row in &grid.rows {
        let width = |item: &usize| widths.get(*item).copied().unwrap_or_default();
        let mut x = -row.iter().map(width).sum::<f64>() / 2.0;
        for item in row {
            set(&mut packed, *item, x + width(item) / 2.0);
            x += width(item);
        }
    }
    let mut middles = packed.clone();
    for sweep in 0..SWEEPS {
        let neighbors = match sweep {
            _ if sweep + 4 >= SWEEPS => Neighbors::Both,
            _ if sweep % 2 == 0 => Neighbors::Up,
            _ => Neighbors::Down,
        };
        for step in 0..grid.rows.len() {
            let at = if sweep % 2 == 0 { step } else { grid.rows.len() - 1 - step };
            let Some(row) = grid.rows.get(at) else { continue };
            let preferred = row.iter().map(|item| preferred(grid, *item, &middles, neighbors));
            let packed = row.iter().map(|item| packed.get(*item).copied().unwrap_or_default());
            let placed = place_row(&preferred.zip(packed).collect::<Vec<_>>());
            for (item, x) in row.iter().zip(placed) {
                set(&mut middles, *item, x);
            }
        }
    }
    straighten(grid, widths, &mut middles);
    let left = middles.iter().zip(widths).map(|(x, width)| x - width / 2.0);
    let left = left.fold(f64::INFINITY, f64::min);
    for x in &mut middles {
        *x -= left;
    }
    middles
}

/// The neighbors that attract an item.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Neighbors {
    Up,
    Down,
    Both,
}

/// Returns the preferred position of `item`, and its weight.
fn preferred(grid: &Grid, item: usize, middles: &[f64], neighbors: Neighbors) -> (f64, f64) {
    let above = grid.graph.before(item).filter(|_| neighbors != Neighbors::Down);
    let below = grid.graph.after(item).filter(|_| neighbors != Neighbors::Up);
    let joins = above.map(|arrow| (arrow.from, arrow)).chain(below.map(|arrow| (arrow.to, arrow)));
    let (mut sum, mut weights) = (0.0, 0.0);
    for (other, arrow) in joins {
        let weight = attraction(grid, item, arrow);
        sum += weight * middles.get(other).copied().unwrap_or_default();
        weights += weight;
    }
    if weights > 0.0 {
        (sum / weights, weights)
    } else {
        (middles.get(item).copied().unwrap_or_default(), 0.5)
    }
}

/// Returns how strongly an arrow attracts `item`. Bends of one line attract each other most, to keep
/// the line straight; back edges hardly attract shapes.
fn attraction(grid: &Grid, item: usize, arrow: Arrow) -> f64 {
    let is_shape = |item: usize| matches!(grid.items.get(item), Some(Item::Shape(_)));
    let back = grid.routes.get(arrow.of).is_some_and(|route| route.back);
    match (is_shape(arrow.from), is_shape(arrow.to)) {
        (true, true) => 4.0,
        (false, false) => 16.0,
        _ if back && is_shape(item) => 0.05,
        _ if back => 0.5,
        _ => 2.0,
    }
}

/// The preferred position of an item with its weight, and its position without gaps.
type Preference = ((f64, f64), f64);

/// Returns the positions of the items of a row that minimize the weighted distance to the preferred
/// ones. Distances are never smaller than those without gaps.
fn place_row(row: &[Preference]) -> Vec<f64> {
    // Blocks of adjacent items: weighted sum of their shifts, sum of weights, and number of items.
    let mut blocks: Vec<(f64, f64, usize)> = Vec::new();
    for ((preferred, weight), packed) in row {
        let mut block = ((preferred - packed) * weight, *weight, 1);
        while let Some(last) = blocks.last() {
            if last.0 / last.1 < block.0 / block.1 {
                break;
            }
            block = (last.0 + block.0, last.1 + block.1, last.2 + block.2);
            blocks.pop();
        }
        blocks.push(block);
    }
    let moved = blocks
        .into_iter()
        .flat_map(|(sum, weight, items)| std::iter::repeat_n(sum / weight, items));
    moved.zip(row).map(|(moved, (_, packed))| packed + moved).collect()
}

fn set(list: &mut [f64], at: usize, value: f64) {
    if let Some(slot) = list.get_mut(at) {
        *slot = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_no_overlaps() {
        let rows: [(&[Preference], &[f64]); 4] = [
            // Each at its preferred position.
            (&[((-10.0, 1.0), -5.0), ((20.0, 1.0), 5.0)], &[-10.0, 20.0]),
            // Both prefer the same position.
            (&[((0.0, 1.0), -5.0), ((0.0, 1.0), 5.0)], &[-5.0, 5.0]),
            // One has more weight.
            (&[((0.0, 3.0), -5.0), ((0.0, 1.0), 5.0)], &[-2.5, 7.5]),
            // The preferred order is reversed.
            (&[((30.0, 1.0), -5.0), ((-30.0, 1.0), 5.0)], &[-5.0, 5.0]),
        ];
        for (row, expected) in rows {
            let placed = place_row(row);
            let near = |(one, other): (&f64, &f64)| (one - other).abs() < 1e-9;
            assert!(placed.iter().zip(expected).all(near), "{placed:?} for {expected:?}");
        }
    }
}
