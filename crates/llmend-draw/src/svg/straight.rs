//! Vertical alignment of chains.
//!
//! The bends of a line form a chain, and so do steps with one predecessor and one successor. Their items
//! were placed near their preferred positions, slightly offset from each other. A chain is aligned as
//! far as its neighbors in the rows leave room.

use llmend_plan::graph::Arrow;

use crate::svg::rows::{Grid, Item};

/// Number of passes over all chains: aligning one may make room for another.
const PASSES: usize = 3;

/// Moves the centers of the items of each chain to one position. `widths` include the margins of the
/// items.
pub(super) fn straighten(grid: &Grid, widths: &[f64], middles: &mut [f64]) {
    let neighbors = Neighbors::new(grid);
    let mut chains = chains(grid);
    chains.sort_by_key(|chain| std::cmp::Reverse(chain.len()));
    for _ in 0..PASSES {
        for chain in &chains {
            let mut rest = chain.as_slice();
            while !rest.is_empty() {
                rest = straighten_first(rest, &neighbors, widths, middles);
            }
        }
    }
}

/// Aligns as many of the first items of a chain as possible, and returns the others.
fn straighten_first<'c>(
    chain: &'c [usize],
    neighbors: &Neighbors,
    widths: &[f64],
    middles: &mut [f64],
) -> &'c [usize] {
    let (mut from, mut to) = (f64::NEG_INFINITY, f64::INFINITY);
    let mut sum = 0.0;
    let mut taken = 0;
    for (nth, item) in (1_u32..).zip(chain) {
        let (left, right) = neighbors.room(*item, widths, middles);
        if from.max(left) > to.min(right) {
            break;
        }
        (from, to) = (from.max(left), to.min(right));
        sum += middles.get(*item).copied().unwrap_or_default();
        taken = nth;
    }
    let count = usize::try_from(taken).unwrap_or(usize::MAX).max(1);
    let (straight, rest) = chain.split_at(count.min(chain.len()));
    if straight.len() > 1 {
        let middle = (sum / f64::from(taken)).max(from).min(to);
        for item in straight {
            if let Some(slot) = middles.get_mut(*item) {
                *slot = middle;
            }
        }
    }
    rest
}

/// The left and right neighbor of each item.
struct Neighbors(Vec<(Option<usize>, Option<usize>)>);

impl Neighbors {
    fn new(grid: &Grid) -> Self {
        let mut beside = vec![(None, None); grid.items.len()];
        for pair in grid.rows.iter().flat_map(|row| row.windows(2)) {
            let [left, right] = *pair else { continue };
            if let Some(slot) = beside.get_mut(left) {
                slot.1 = Some(right);
            }
            if let Some(slot) = beside.get_mut(right) {
                slot.0 = Some(left);
            }
        }
        Self(beside)
    }

    /// Returns the range to which the center of `item` may be moved.
    fn room(&self, item: usize, widths: &[f64], middles: &[f64]) -> (f64, f64) {
        let width = |item: usize| widths.get(item).copied().unwrap_or_default();
        let middle = |item: usize| middles.get(item).copied().unwrap_or_default();
        let apart = |other: usize| f64::midpoint(width(item), width(other));
        let (left, right) = self.0.get(item).copied().unwrap_or_default();
        (
            left.map_or(f64::NEG_INFINITY, |left| middle(left) + apart(left)),
            right.map_or(f64::INFINITY, |right| middle(right) - apart(right)),
        )
    }
}

/// Returns the chains of two or more items, each from the top.
fn chains(grid: &Grid) -> Vec<Vec<usize>> {
    let joins =
        |item: usize| (one(grid.graph.before(item), grid), one(grid.graph.after(item), grid));
    let joins: Vec<_> = (0..grid.items.len()).map(joins).collect();
    let before = |item: usize| joins.get(item).and_then(|it| it.0).map(|arrow| arrow.from);
    let after = |item: usize| joins.get(item).and_then(|it| it.1).map(|arrow| arrow.to);
    let below = |item: usize| after(item).filter(|next| before(*next) == Some(item));
    let above = |item: usize| before(item).filter(|last| after(*last) == Some(item));
    let firsts = (0..grid.items.len()).filter(|item| above(*item).is_none());
    let chains =
        firsts.map(|first| std::iter::successors(Some(first), |item| below(*item)).collect());
    chains.filter(|chain: &Vec<usize>| chain.len() > 1).collect()
}

/// Returns the only one of `arrows` that may continue a chain. A back edge is a chain of its own, which
/// includes no shape.
fn one(arrows: impl Iterator<Item = Arrow>, grid: &Grid) -> Option<Arrow> {
    let is_shape = |item: usize| matches!(grid.items.get(item), Some(Item::Shape(_)));
    let counts = |arrow: &Arrow| {
        let back = grid.routes.get(arrow.of).is_some_and(|route| route.back);
        !back || !(is_shape(arrow.from) || is_shape(arrow.to))
    };
    let mut arrows = arrows.filter(counts);
    arrows.next().filter(|_| arrows.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{scene::Scene, svg::across};

    #[test]
    fn chains_are_aligned() {
        let rows = [
            ("a b c", "a>b b>c", [0, 1, 2]),
            // A branch of one step beside an empty one.
            ("I a b c", "I-true>a a>b b>c I-false>c", [1, 2, 2]),
            ("L a b E:L d", "L-body>a a>b b>E E>L L-done>d", [1, 2, 3]),
        ];
        for (nodes, edges, [one, two, three]) in rows {
            let workflow = crate::sketch::workflow(nodes, edges);
            let grid = Grid::new(&Scene::new(&workflow));
            // Every second item is twice as wide.
            let widths: Vec<f64> =
                (0..grid.items.len()).map(|at| if at % 2 == 0 { 100.0 } else { 200.0 }).collect();
            let middles = across::place(&grid, &widths);
            let beside = |one: usize, other: usize| (middles[one] - middles[other]).abs() > 1e-9;
            assert!(!beside(one, two) && !beside(two, three), "{edges}: {middles:?}");
            for row in &grid.rows {
                for pair in row.windows(2) {
                    let apart = middles[pair[1]] - middles[pair[0]];
                    assert!(
                        apart + 1e-9 >= f64::midpoint(widths[pair[0]], widths[pair[1]]),
                        "{edges}"
                    );
                }
            }
        }
    }
}
