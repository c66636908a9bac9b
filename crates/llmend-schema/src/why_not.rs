//! Why a value is none of the alternatives of a union.

use llmend_json::Node;

use crate::compile::Id;
use crate::evaluate::{Evaluator, missing};
use crate::instance::Instance;
use crate::quote::MAX_LISTED;

impl Evaluator<'_> {
    /// Returns, for each alternative, the first thing about the value that does not fit; `None` if
    /// nothing is known but that its type differs.
    pub(crate) fn why_not(&mut self, branches: &[Id], node: Node<'_>) -> Option<String> {
        let mut reasons = Vec::new();
        for (at, branch) in branches.iter().take(MAX_LISTED).enumerate() {
            if self.takes_kind(*branch, node.kind(), 0)
                && let Some(reason) = self.misfit(*branch, node)
            {
                reasons.push(format!("alternative {}: {reason}", at + 1));
            }
        }
        (!reasons.is_empty()).then(|| reasons.join("; "))
    }

    /// Returns the first misfit of a value with one alternative: a property that is missing, or one
    /// whose value does not fit.
    fn misfit(&mut self, branch: Id, node: Node<'_>) -> Option<String> {
        let mut open = vec![branch];
        let mut at = 0;
        while let Some(raw) = open.get(at).and_then(|id| self.raw(*id)) {
            at += 1;
            if at > MAX_LISTED || !self.spend(1 + node.len()) {
                return None;
            }
            if let Some(first) = missing(raw, node, node.len()).first() {
                return Some(format!("missing required property `{first}`"));
            }
            for (key, value) in node.members() {
                let key = key.str().unwrap_or_default();
                let Some(&property) = raw.by_name.get(key) else { continue };
                if !self.fits(property, Instance::Node(value)) {
                    let expected = self.raw(property).map(|raw| self.expected(raw))?;
                    return Some(format!("`{key}` has to be {expected}"));
                }
            }
            open.extend(raw.all.iter().copied());
        }
        None
    }
}
