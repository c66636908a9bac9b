//! Validation of the entries of a patch.

use std::collections::{HashMap, HashSet};

use crate::{
    Change, Edge, Node, Patch, Update, Workflow,
    graph::names::{IdIndex, shown},
    patch::{
        change,
        outcome::{PatchFindings, THERE, TWICE, UNFIT, UNKNOWN},
    },
};

/// Reports every entry of `patch` that cannot be applied to `workflow`.
pub(super) fn check(workflow: &Workflow, patch: &Patch, findings: &mut PatchFindings) {
    let mut check = EntryCheck {
        names: IdIndex::new(workflow.nodes.iter().map(|node| node.id.as_str()).collect()),
        nodes: &workflow.nodes,
        removed: HashSet::new(),
        added: HashSet::new(),
        findings,
    };
    check.removed(patch);
    check.updated(patch);
    check.added(patch);
    check.edges(workflow, patch);
    check.inserted(patch);
}

struct EntryCheck<'s> {
    names: IdIndex<'s>,
    nodes: &'s [Node],
    removed: HashSet<&'s str>,
    added: HashSet<&'s str>,
    findings: &'s mut PatchFindings,
}

impl<'s> EntryCheck<'s> {
    /// Reports an unknown node.
    fn unknown(&mut self, path: String, id: &str) {
        let advice = self.names.advice(id).map(|advice| format!("; {advice}")).unwrap_or_default();
        self.findings.violation(UNKNOWN, path, format!("unknown node `{}`{advice}", shown(id)));
    }

    fn twice(&mut self, path: String, what: &str, id: &str) {
        self.findings.violation(TWICE, path, format!("{what} `{}` twice", shown(id)));
    }

    fn removed(&mut self, patch: &'s Patch) {
        for (at, id) in patch.remove_nodes.iter().enumerate() {
            let path = format!("/remove_nodes/{at}");
            if self.names.get(id).is_none() {
                self.unknown(path, id);
            } else if !self.removed.insert(id) {
                self.twice(path, "the patch removes", id);
            }
        }
    }

    fn updated(&mut self, patch: &Patch) {
        let mut seen = HashSet::new();
        for (at, update) in patch.update_nodes.iter().enumerate() {
            let id = update.id();
            let path = match update {
                Update::Replace(_) => format!("/update_nodes/{at}/replace/id"),
                Update::Change(_) => format!("/update_nodes/{at}/change/id"),
            };
            let Some(node) = self.names.get(id).and_then(|node| self.nodes.get(node)) else {
                self.unknown(path, id);
                continue;
            };
            if self.removed.contains(id) {
                let message = format!("the patch both removes and updates `{}`", shown(id));
                self.findings.violation(UNFIT, path, message);
            } else if !seen.insert(id.to_owned()) {
                self.twice(path, "the patch updates", id);
            } else if let Update::Change(change) = update
                && let Some(message) = unfit(change, node)
            {
                self.findings.violation(UNFIT, format!("/update_nodes/{at}/change"), message);
            }
        }
    }

    fn added(&mut self, patch: &'s Patch) {
        let adds = patch.add_nodes.iter().enumerate().map(|entry| ("add_nodes", entry));
        let appends = patch.append_nodes.iter().enumerate().map(|entry| ("append_nodes", entry));
        for (list, (at, node)) in adds.chain(appends) {
            let path = format!("/{list}/{at}/id");
            let id = node.id.as_str();
            if id.is_empty() {
                if list == "add_nodes" {
                    self.findings.violation(UNFIT, path, "the node has no id".to_owned());
                }
            } else if self.names.get(id).is_some() && !self.removed.contains(id) {
                let message = format!("node `{}` already exists", shown(id));
                self.findings.violation(TWICE, path, message);
            } else if !self.added.insert(id) {
                self.twice(path, "the patch adds", id);
            }
        }
    }

    /// Returns whether a node of this id exists once the patch is applied.
    fn stays(&self, id: &str) -> bool {
        self.added.contains(id) || (self.names.get(id).is_some() && !self.removed.contains(id))
    }

    fn edges(&mut self, workflow: &Workflow, patch: &Patch) {
        let mut known: HashMap<&Edge, bool> =
            workflow.edges.iter().map(|edge| (edge, true)).collect();
        for (at, edge) in patch.remove_edges.iter().enumerate() {
            let path = format!("/remove_edges/{at}");
            match known.get_mut(edge) {
                Some(stays @ true) => *stays = false,
                Some(false) => self.twice(path, "the patch removes the edge", &name(edge)),
                None => {
                    let message = format!("unknown edge `{}`", name(edge));
                    self.findings.violation(UNKNOWN, path, message);
                }
            }
        }
        let mut seen = HashSet::new();
        for (at, edge) in patch.add_edges.iter().enumerate() {
            for (part, id) in [("from", &edge.from), ("to", &edge.to)] {
                if !self.stays(id) {
                    self.unknown(format!("/add_edges/{at}/{part}"), id);
                }
            }
            let path = format!("/add_edges/{at}");
            let gone = self.removed.contains(edge.from.as_str())
                || self.removed.contains(edge.to.as_str());
            if !seen.insert(edge) {
                self.twice(path, "the patch adds the edge", &name(edge));
            } else if known.get(edge) == Some(&true) && !gone {
                let message = format!("edge `{}` already exists", name(edge));
                self.findings.warning(THERE, path, message);
            }
        }
    }

    fn inserted(&mut self, patch: &Patch) {
        let mut seen = HashSet::new();
        for (at, insertion) in patch.insert_before.iter().enumerate() {
            let (node, before) = (insertion.node.as_str(), insertion.before.as_str());
            if !self.added.contains(node) {
                let message = format!("`{}` is not added by this patch", shown(node));
                self.findings.violation(UNFIT, format!("/insert_before/{at}/node"), message);
            } else if !seen.insert(node) {
                self.twice(format!("/insert_before/{at}/node"), "the patch inserts", node);
            }
            if !self.stays(before) {
                self.unknown(format!("/insert_before/{at}/before"), before);
            } else if node == before {
                let message = format!("cannot insert `{}` before itself", shown(node));
                self.findings.violation(UNFIT, format!("/insert_before/{at}/before"), message);
            }
        }
    }
}

/// Returns why `change` cannot be applied to `node`.
fn unfit(change: &Change, node: &Node) -> Option<String> {
    let nothing = Change { id: change.id.clone(), ..Change::default() };
    if *change == nothing {
        return Some(format!("the update of `{}` changes nothing", shown(&node.id)));
    }
    change::kind_after(change, node).err()
}

/// Formats an edge for a message.
fn name(edge: &Edge) -> String {
    let label = edge.output.as_ref().map(|output| format!(" ({output})")).unwrap_or_default();
    format!("{} → {}{label}", shown(&edge.from), shown(&edge.to))
}
