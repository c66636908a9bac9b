//! How far from the left does each item of a row stand?
//!
//! Each row is laid again and again below or above the one before: as near as can be to what its
//! items are joined to, without a change of their order and without overlaps. That is a monotone
//! regression, which pooling neighbours solves in one pass.

use crate::{
    draw::svg::{
        rows::{Grid, Item},
        straight::straighten,
    },
    graph::Arrow,
};

/// How often all rows are laid, down and up in turn.
const SWEEPS: usize = 14;

/// The middle of each item, from an edge that is at 0 for the leftmost one. `widths` are those of the
/// items, with the space that they want on both sides.
pub(super) fn place(grid: &Grid, widths: &[f64]) -> Vec<f64> {
    // Where the items stand when nothing is between them, from the middle.
    let mut close = vec![0.0; widths.len()];
    for row in &grid.rows {
        let width = |item: &usize| widths.get(*item).copied().unwrap_or_default();
        let mut x = -row.iter().map(width).sum::<f64>() / 2.0;
        for item in row {
            set(&mut close, *item, x + width(item) / 2.0);
            x += width(item);
        }
    }
    let mut middles = close.clone();
    for sweep in 0..SWEEPS {
        let look = match sweep {
            _ if sweep + 4 >= SWEEPS => Look::Both,
            _ if sweep % 2 == 0 => Look::Up,
            _ => Look::Down,
        };
        for step in 0..grid.rows.len() {
            let at = if sweep % 2 == 0 { step } else { grid.rows.len() - 1 - step };
            let Some(row) = grid.rows.get(at) else { continue };
            let wanted = row.iter().map(|item| wanted(grid, *item, &middles, look));
            let close = row.iter().map(|item| close.get(*item).copied().unwrap_or_default());
            let laid = laid(&wanted.zip(close).collect::<Vec<_>>());
            for (item, x) in row.iter().zip(laid) {
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

/// Which of the items that one is joined to count.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Look {
    Up,
    Down,
    Both,
}

/// Where `item` would stand for itself, and how much that matters.
fn wanted(grid: &Grid, item: usize, middles: &[f64], look: Look) -> (f64, f64) {
    let above = grid.graph.before(item).filter(|_| look != Look::Down);
    let below = grid.graph.after(item).filter(|_| look != Look::Up);
    let joins = above.map(|arrow| (arrow.from, arrow)).chain(below.map(|arrow| (arrow.to, arrow)));
    let (mut sum, mut weights) = (0.0, 0.0);
    for (other, arrow) in joins {
        let weight = pull(grid, item, arrow);
        sum += weight * middles.get(other).copied().unwrap_or_default();
        weights += weight;
    }
    if weights > 0.0 {
        (sum / weights, weights)
    } else {
        (middles.get(item).copied().unwrap_or_default(), 0.5)
    }
}

/// How much `item` is drawn by what an arrow joins it to. A line wants most to be straight where
/// nothing but it is; shapes follow the flow, and hardly what leads back.
fn pull(grid: &Grid, item: usize, arrow: Arrow) -> f64 {
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

/// Where an item is wanted and how much that matters, and where it stands in the close row.
type Wish = ((f64, f64), f64);

/// Where the items of a row come to stand: each is wanted at a place with a weight, and stands at
/// another when the row is close. Distances never get less than those of the close row.
fn laid(row: &[Wish]) -> Vec<f64> {
    // Blocks of items that stand close: the sum and the weight of how far they are moved, and how
    // many they are.
    let mut blocks: Vec<(f64, f64, usize)> = Vec::new();
    for ((wanted, weight), close) in row {
        let mut block = ((wanted - close) * weight, *weight, 1);
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
    moved.zip(row).map(|(moved, (_, close))| close + moved).collect()
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
    fn a_row_is_laid_without_overlaps() {
        let rows: [(&[Wish], &[f64]); 4] = [
            // Each where it wants to be.
            (&[((-10.0, 1.0), -5.0), ((20.0, 1.0), 5.0)], &[-10.0, 20.0]),
            // Both want the same place.
            (&[((0.0, 1.0), -5.0), ((0.0, 1.0), 5.0)], &[-5.0, 5.0]),
            // One matters more.
            (&[((0.0, 3.0), -5.0), ((0.0, 1.0), 5.0)], &[-2.5, 7.5]),
            // The wrong way around.
            (&[((30.0, 1.0), -5.0), ((-30.0, 1.0), 5.0)], &[-5.0, 5.0]),
        ];
        for (row, expected) in rows {
            let laid = laid(row);
            let near = |(one, other): (&f64, &f64)| (one - other).abs() < 1e-9;
            assert!(laid.iter().zip(expected).all(near), "{laid:?} for {expected:?}");
        }
    }
}
