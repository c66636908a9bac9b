//! Why a value is none of the alternatives of a union.

use llmend_json::Node;

use crate::Violation;
use crate::compile::Id;
use crate::evaluate::{Evaluator, missing};
use crate::instance::Instance;
use crate::quote::MAX_LISTED;

/// Deepest nesting at which the alternatives of a union are explained by all of their parts.
const MAX_EXPLAINED: usize = 32;

impl Evaluator<'_> {
    /// Returns, for each alternative but the one that was `meant`, the first thing about the value that
    /// does not fit; `None` if nothing is known but that its type differs.
    pub(crate) fn why_not(
        &mut self,
        branches: &[Id],
        meant: Option<Id>,
        node: Node<'_>,
    ) -> Option<String> {
        let mut reasons = Vec::new();
        for (at, branch) in branches.iter().take(MAX_LISTED).enumerate() {
            // An alternative whose constants differ was not meant either.
            let is_other = Some(*branch) != meant
                && (meant.is_none() || self.likeness(*branch, node).is_some());
            if is_other
                && self.takes_kind(*branch, node.kind(), 0)
                && let Some(reason) =
                    self.misfit(*branch, node).or_else(|| self.first_violation(*branch, node))
            {
                reasons.push(format!("alternative {}: {reason}", at + 1));
            }
        }
        (!reasons.is_empty()).then(|| reasons.join("; "))
    }

    /// Adds to the violation of the alternative that was `meant` why the value is none of the others. Deep in
    /// a value, it is left out.
    #[inline(never)]
    pub(crate) fn explain_others(
        &mut self,
        branches: &[Id],
        meant: Id,
        node: Node<'_>,
        row: &mut Violation,
    ) {
        if self.nested > MAX_EXPLAINED {
            return;
        }
        if let Some(others) = self.why_not(branches, Some(meant), node) {
            let hint = row.hint.take().map(|hint| format!("{hint}; ")).unwrap_or_default();
            row.hint = Some(format!("{hint}or {others}"));
        }
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

    /// Returns the first violation of an alternative by a value. A union inside of it is not explained.
    fn first_violation(&mut self, branch: Id, node: Node<'_>) -> Option<String> {
        if self.explains || self.nested > MAX_EXPLAINED {
            return None;
        }
        self.explains = true;
        let rows = self.with_share(|evaluator| {
            let (mut path, mut rows) = (String::new(), Vec::new());
            evaluator.diagnose(branch, node, &mut path, &mut rows);
            rows
        });
        self.explains = false;
        let first = rows?.into_iter().next()?;
        Some(match first.path.as_str() {
            "" => first.message,
            path => format!("`{path}`: {}", first.message),
        })
    }
}
