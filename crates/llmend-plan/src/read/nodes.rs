//! Which nodes does a list hold?

use std::collections::HashSet;

use llmend_json::Kind;

use crate::{
    Node, code,
    findings::{Findings, shown},
    object::Part,
    read::{
        context::{Context, Fate},
        node::{self, LoopId},
        steps,
    },
};

/// Where the ids of nodes come from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ids {
    /// Each node says its own.
    Given,
    /// `n1` for the first in the list, and so on, where a node says none.
    Numbered,
    /// None is needed.
    Open,
}

/// The nodes of `list`, each read on its own, and the ids of those that are left out.
pub(crate) fn read(
    list: &Part<'_>,
    name: &str,
    ids: Ids,
    loop_id: LoopId,
    context: &mut Context<'_>,
) -> (Vec<Node>, HashSet<String>) {
    if !context.has_room(list) {
        return (Vec::new(), HashSet::new());
    }
    let (mut nodes, mut places, mut left_out) = (Vec::new(), Vec::new(), HashSet::new());
    for (at, it) in list.items().enumerate() {
        let it = Part::item(it.node, it.path);
        let id = id(&it, at, ids);
        let called = id.clone().unwrap_or_default();
        let item = context.item(
            |_: &Option<Node>| steps::label(&it.path, &called),
            |context, findings| one(&it, id.as_deref(), ids, loop_id, context, findings),
        );
        match item.value.filter(|_| item.fate == Fate::Used) {
            Some(node) => {
                nodes.push(node);
                places.push(item.places);
            }
            None => {
                left_out.insert(called);
            }
        }
    }
    left_out.remove("");
    context.lists.insert(name.to_owned(), places);
    (nodes, left_out)
}

fn id(it: &Part<'_>, at: usize, ids: Ids) -> Option<String> {
    let given = (it.node.kind() == Kind::Object)
        .then(|| node::ID.iter().find_map(|name| it.node.get(name)))
        .flatten();
    let given = given.and_then(|node| node.str().or_else(|| node.number())).map(str::to_owned);
    given.or_else(|| (ids == Ids::Numbered).then(|| format!("n{}", at + 1)))
}

fn one(
    it: &Part<'_>,
    id: Option<&str>,
    ids: Ids,
    loop_id: LoopId,
    context: &Context<'_>,
    findings: &mut Findings,
) -> Option<Node> {
    let node = node::read(it, loop_id, context, findings);
    if ids == Ids::Given && id.is_none() && it.node.kind() == Kind::Object {
        let message = format!("`{}` has no `id`", shown(&it.path));
        findings.error(code::MISSING_FIELD, &format!("{}/id", it.path), it.span(), message);
    }
    Some(Node { id: id.unwrap_or_default().to_owned(), ..node? })
}
