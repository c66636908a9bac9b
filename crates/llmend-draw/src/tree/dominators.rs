//! Immediate dominators of shapes.

use crate::scene::Scene;

/// Returns the immediate dominator of each shape: the nearest shape on every path from the top. The
/// number of shapes stands for the root.
pub(super) fn dominators(scene: &Scene<'_>) -> Vec<usize> {
    let root = scene.shapes.len();
    let mut tree = JumpTree {
        parent: vec![root; root + 1],
        jump: vec![root; root + 1],
        level: vec![0; root + 1],
    };
    for shape in &scene.order {
        let before = scene.down.before(*shape).map(|arrow| arrow.from);
        let parent = before.reduce(|one, other| tree.common_ancestor(one, other)).unwrap_or(root);
        tree.add(*shape, parent);
    }
    tree.parent.truncate(root);
    tree.parent
}

/// A growing tree that finds lowest common ancestors in logarithmic time, by jump pointers.
struct JumpTree {
    parent: Vec<usize>,
    jump: Vec<usize>,
    level: Vec<usize>,
}

impl JumpTree {
    /// Adds a leaf.
    fn add(&mut self, shape: usize, parent: usize) {
        let level = self.level(parent) + 1;
        let jump = self.jump(parent);
        let far = self.jump(jump);
        let even = self.level(parent) + self.level(far) == 2 * self.level(jump);
        let jump = if even { far } else { parent };
        for (list, value) in
            [(&mut self.parent, parent), (&mut self.jump, jump), (&mut self.level, level)]
        {
            if let Some(slot) = list.get_mut(shape) {
                *slot = value;
            }
        }
    }

    /// Returns the lowest common ancestor.
    fn common_ancestor(&self, mut one: usize, mut other: usize) -> usize {
        if self.level(one) < self.level(other) {
            std::mem::swap(&mut one, &mut other);
        }
        while self.level(one) > self.level(other) {
            let jump = self.jump(one);
            one = if self.level(jump) >= self.level(other) { jump } else { self.parent(one) };
        }
        while one != other {
            let (left, right) = (self.jump(one), self.jump(other));
            (one, other) =
                if left == right { (self.parent(one), self.parent(other)) } else { (left, right) };
        }
        one
    }

    fn parent(&self, of: usize) -> usize {
        self.parent.get(of).copied().unwrap_or_default()
    }

    fn jump(&self, of: usize) -> usize {
        self.jump.get(of).copied().unwrap_or_default()
    }

    fn level(&self, of: usize) -> usize {
        self.level.get(of).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch;

    #[test]
    fn finds_immediate_dominators() {
        let rows: [(&str, &str, &[usize]); 5] = [
            ("a b c", "a>b b>c", &[3, 0, 1]),
            ("a b c d", "a>b a>c b>d c>d", &[4, 0, 0, 0]),
            ("a b c", "a>c b>c", &[3, 3, 3]),
            ("a b c d e f", "a>b b>c b>d c>e d>e e>f a>f", &[6, 0, 1, 1, 1, 0]),
            ("L a E:L b", "L-body>a a>E E>L L-done>b", &[4, 0, 1, 0]),
        ];
        for (nodes, edges, expected) in rows {
            let workflow = sketch::workflow(nodes, edges);
            assert_eq!(dominators(&Scene::new(&workflow)), expected, "{edges}");
        }
    }
}
