//! Circles of modules that use each other.
//!
//! Only `use` lines and paths that begin with `crate`, `self` or `super` are read. A module and the modules inside
//! it may use each other: a parent lists its children, and a child takes what it shares from its parent.

use std::collections::{BTreeMap, BTreeSet};

use syn::visit::{self, Visit};
use syn::{ItemMod, ItemUse, UseTree};

use super::is_test_file;
use crate::finding::Finding;
use crate::tree::Tree;

/// A module path below the crate root; the root is empty.
type Module = Vec<String>;

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut crates: BTreeMap<&str, Vec<(&str, &str)>> = BTreeMap::new();
    for file in tree.files.iter().filter(|file| file.is_rust() && !is_test_file(&file.path)) {
        if let Some((root, inside)) = file.path.split_once("/src/")
            && !inside.starts_with("bin/")
        {
            crates.entry(root).or_default().push((inside, &file.text));
        }
    }
    let mut findings = Vec::new();
    for (root, files) in crates {
        for circle in circles(&files) {
            let message = format!("modules use each other in a circle: {}", circle.join(", "));
            findings.push(Finding::error(root, None, message));
        }
    }
    findings
}

/// The circles among the files of one crate, which are given by their paths below `src/`.
fn circles(files: &[(&str, &str)]) -> Vec<Vec<String>> {
    let read: Vec<(Module, Paths)> = files
        .iter()
        .filter_map(|(path, text)| Some((module(path), Paths::of(text).ok()?)))
        .collect();
    let names: BTreeSet<&Module> = read.iter().map(|(module, _)| module).collect();
    let exports: BTreeMap<&Module, &Paths> = read.iter().map(|(m, paths)| (m, paths)).collect();
    let mut arrows: BTreeMap<&Module, BTreeSet<&Module>> = BTreeMap::new();
    for (from, paths) in &read {
        for path in &paths.used {
            let target = resolve(from, path, &exports, 0).and_then(|to| names.get(&to).copied());
            if let Some(to) = target.filter(|to| !to.starts_with(from) && !from.starts_with(to)) {
                arrows.entry(from).or_default().insert(to);
            }
        }
    }
    components(&arrows)
        .into_iter()
        .map(|circle| circle.into_iter().map(|module| module.join("::")).collect())
        .collect()
}

/// `a/b.rs` is `a::b`.
fn module(path: &str) -> Module {
    let path = path.strip_suffix(".rs").unwrap_or(path);
    let path = path.strip_suffix("/mod").unwrap_or(path);
    match path {
        "lib" | "main" => Module::new(),
        path => path.split('/').map(str::to_owned).collect(),
    }
}

/// The module that has what `path` names, behind the names under which it is handed on.
fn resolve(
    from: &Module,
    path: &[String],
    modules: &BTreeMap<&Module, &Paths>,
    depth: usize,
) -> Option<Module> {
    let mut at = from.clone();
    let mut rest = path;
    match rest.first()?.as_str() {
        "crate" => (at, rest) = (Module::new(), &rest[1..]),
        "self" => rest = &rest[1..],
        "super" => {
            while rest.first().is_some_and(|part| part == "super") {
                at.pop()?;
                rest = &rest[1..];
            }
        }
        first => {
            // A module beside the line that names it; all else is another crate's.
            at.push(first.to_owned());
            if !modules.contains_key(&at) {
                return None;
            }
            rest = &rest[1..];
        }
    }
    while let Some(part) = rest.first() {
        at.push(part.clone());
        if !modules.contains_key(&at) {
            at.pop();
            break;
        }
        rest = &rest[1..];
    }
    let handed_on = rest.first().and_then(|name| modules.get(&at)?.exported.get(name));
    match handed_on {
        Some(path) if depth < 8 => resolve(&at, path, modules, depth + 1),
        _ => Some(at),
    }
}

/// The paths that a file uses.
#[derive(Debug, Default)]
struct Paths {
    used: Vec<Vec<String>>,
    /// Names that it hands on to other modules, each with the path behind it.
    exported: BTreeMap<String, Vec<String>>,
}

impl Paths {
    fn of(text: &str) -> syn::Result<Self> {
        let mut paths = Self::default();
        paths.visit_file(&syn::parse_file(text)?);
        Ok(paths)
    }

    fn add(&mut self, tree: &UseTree, before: &[String], exports: bool) {
        let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
        let (name, path) = match tree {
            UseTree::Path(path) => return self.add(&path.tree, &with(&path.ident), exports),
            UseTree::Group(group) => {
                return group.items.iter().for_each(|tree| self.add(tree, before, exports));
            }
            UseTree::Name(name) => (name.ident.to_string(), with(&name.ident)),
            UseTree::Rename(rename) => (rename.rename.to_string(), with(&rename.ident)),
            UseTree::Glob(_) => (String::new(), before.to_vec()),
        };
        if exports {
            // A parent that hands on what its child has does not use it.
            self.exported.insert(name, path);
        } else {
            self.used.push(path);
        }
    }
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        let is_test = item.attrs.iter().any(|attribute| {
            attribute.path().is_ident("cfg")
                && attribute.parse_args::<syn::Ident>().is_ok_and(|word| word == "test")
        });
        if !is_test {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        let exports = !matches!(item.vis, syn::Visibility::Inherited);
        self.add(&item.tree, &[], exports);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let parts: Vec<String> = path.segments.iter().map(|part| part.ident.to_string()).collect();
        if ["crate", "super", "self"].contains(&parts[0].as_str()) && parts.len() > 1 {
            self.used.push(parts);
        }
        visit::visit_path(self, path);
    }
}

/// The groups of modules that reach each other.
fn components<'a>(arrows: &BTreeMap<&'a Module, BTreeSet<&'a Module>>) -> Vec<Vec<&'a Module>> {
    let reach: BTreeMap<&Module, BTreeSet<&Module>> =
        arrows.keys().map(|from| (*from, reached(from, arrows))).collect();
    let meets = |a: &Module, b: &Module| reach.get(a).is_some_and(|found| found.contains(b));
    let mut found: Vec<Vec<&Module>> = Vec::new();
    for module in arrows.keys().copied().filter(|module| meets(module, module)) {
        match found.iter_mut().find(|circle| meets(circle[0], module) && meets(module, circle[0])) {
            Some(circle) => circle.push(module),
            None => found.push(vec![module]),
        }
    }
    found
}

fn reached<'a>(
    from: &Module,
    arrows: &BTreeMap<&'a Module, BTreeSet<&'a Module>>,
) -> BTreeSet<&'a Module> {
    let mut seen = BTreeSet::new();
    let mut open: Vec<&Module> = arrows.get(from).into_iter().flatten().copied().collect();
    while let Some(module) = open.pop() {
        if seen.insert(module) {
            open.extend(arrows.get(module).into_iter().flatten());
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::circles;

    #[test]
    fn modules_that_use_each_other_form_a_circle() {
        type Files = [(&'static str, &'static str)];
        let rows: [(&Files, &[&str]); 8] = [
            (&[("a.rs", "use crate::b::B;"), ("b.rs", "use crate::a::A;")], &["a, b"]),
            (&[("a.rs", "use crate::b::B;"), ("b.rs", "")], &[]),
            // Parent and child.
            (&[("a.rs", "mod b; use b::B;"), ("a/b.rs", "use super::A;")], &[]),
            // Behind a name that the root hands on.
            (
                &[
                    ("lib.rs", "pub use a::A; pub use b::B;"),
                    ("a.rs", "use crate::B;"),
                    ("b.rs", "fn f() -> crate::A { crate::A }"),
                ],
                &["a, b"],
            ),
            // Over a third, in groups.
            (
                &[
                    ("a.rs", "use crate::{b::B, x};"),
                    ("b.rs", "use super::c;"),
                    ("c.rs", "fn f() { crate::a::g() }"),
                ],
                &["a, b, c"],
            ),
            // Children of two modules.
            (
                &[
                    ("a.rs", "mod x;"),
                    ("a/x.rs", "use crate::b::y;"),
                    ("b.rs", "mod y;"),
                    ("b/y.rs", "use crate::a::x::X;"),
                ],
                &["a::x, b::y"],
            ),
            // Tests may use what they like.
            (
                &[
                    ("a.rs", "use crate::b::B;"),
                    ("b.rs", "#[cfg(test)] mod tests { use crate::a::A; }"),
                ],
                &[],
            ),
            (&[("a.rs", "use std::fmt; use b::B;"), ("b.rs", "use crate::a::A;")], &[]),
        ];
        for (files, expected) in rows {
            let found: Vec<_> = circles(files).iter().map(|circle| circle.join(", ")).collect();
            assert_eq!(found, expected, "{files:?}");
        }
    }
}
