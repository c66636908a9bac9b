//! Reading lists of nodes.

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

/// The origin of node ids.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum NodeIds {
    /// Every node has an id.
    Given,
    /// Nodes without an id are numbered: `n1`, `n2` and so on by list position.
    Numbered,
    /// Ids may be empty.
    Optional,
}

/// Reads the nodes of `list`, and returns them with the ids of omitted ones.
pub(crate) fn read(
    list: &Part<'_>,
    name: &str,
    ids: NodeIds,
    loop_id: LoopId,
    context: &mut Context<'_>,
) -> (Vec<Node>, HashSet<String>) {
    if !context.has_room(list) {
        return (Vec::new(), HashSet::new());
    }
    let (mut nodes, mut locations, mut omitted) = (Vec::new(), Vec::new(), HashSet::new());
    for (at, it) in list.items().enumerate() {
        let it = Part::item(it.node, it.path);
        let id = id(&it, at, ids);
        let called = id.clone().unwrap_or_default();
        let item = context.item(
            |_: &Option<Node>| steps::label(&it.path, &called),
            |context, findings| one(&it, id.as_deref(), ids, loop_id, context, findings),
        );
        match item.value.filter(|_| item.fate == Fate::Kept) {
            Some(node) => {
                nodes.push(node);
                locations.push(item.locations);
            }
            None => {
                omitted.insert(called);
            }
        }
    }
    omitted.remove("");
    context.lists.insert(name.to_owned(), locations);
    (nodes, omitted)
}

fn id(it: &Part<'_>, at: usize, ids: NodeIds) -> Option<String> {
    let given = (it.node.kind() == Kind::Object)
        .then(|| node::ID.iter().find_map(|name| it.node.get(name)))
        .flatten();
    let given = given.and_then(|node| node.str().or_else(|| node.number())).map(str::to_owned);
    given.or_else(|| (ids == NodeIds::Numbered).then(|| format!("n{}", at + 1)))
}

fn one(
    it: &Part<'_>,
    id: Option<&str>,
    ids: NodeIds,
    loop_id: LoopId,
    context: &Context<'_>,
    findings: &mut Findings,
) -> Option<Node> {
    let node = node::read(it, loop_id, context, findings);
    if ids == NodeIds::Given && id.is_none() && it.node.kind() == Kind::Object {
        let message = format!("`{}` has no `id`", shown(&it.path));
        findings.error(code::MISSING_FIELD, &format!("{}/id", it.path), it.span(), message);
    }
    Some(Node { id: id.unwrap_or_default().to_owned(), ..node? })
}
