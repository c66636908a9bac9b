//! Plan with indexed dependencies, for the checks.

use std::collections::HashSet;

use crate::{
    Options, Plan,
    check::subject::{Subject, SubjectItem, Waits},
    graph::{Arrow, Graph, names::IdIndex},
};

/// A plan with its dependencies as indices.
pub(super) struct PlanView<'p> {
    pub(super) plan: &'p Plan,
    pub(super) subject: Subject<'p>,
}

impl<'p> PlanView<'p> {
    pub(super) fn new(plan: &'p Plan, options: &'p Options) -> Self {
        let names = IdIndex::new(plan.steps.iter().map(|step| step.id.as_str()).collect());
        let mut arrows = Vec::new();
        let mut named = Vec::with_capacity(plan.steps.len());
        for (to, step) in plan.steps.iter().enumerate() {
            let mut earlier = HashSet::new();
            for (of, id) in step.depends_on.iter().enumerate() {
                if let Some(from) = names.get(id) {
                    earlier.insert(from);
                    arrows.push(Arrow { from, to, of });
                }
            }
            named.push(earlier);
        }
        let graph = Graph::new(plan.steps.len(), arrows);
        let subject = Subject {
            list: "steps",
            items: plan.steps.iter().map(SubjectItem::of_step).collect(),
            names,
            waits: Some(Waits { named, graph }),
            edges: plan.steps.iter().map(|step| step.depends_on.len()).sum(),
            options,
        };
        Self { plan, subject }
    }

    /// Returns the dependency graph.
    pub(super) fn graph(&self) -> Option<&Graph> {
        self.subject.waits.as_ref().map(|waits| &waits.graph)
    }
}
