//! Gaps that omitted items leave in the graph.
//!
//! A dropped item takes its edges with it. A bridged item has its predecessors connected to its
//! successor, but only if it is linear: what an omitted branch would have decided is unknown.

use std::collections::{HashMap, HashSet};

use crate::{
    Edge, Node, OnBadStep, Step, code,
    findings::shown,
    locations::{ItemLocations, Location},
    read::context::Context,
};

/// Drops or bridges the dependencies on omitted steps. `omitted` maps each to its own dependencies.
pub(crate) fn in_plan(
    steps: &mut [Step],
    locations: &mut [ItemLocations],
    omitted: &HashMap<String, Vec<String>>,
    context: &mut Context<'_>,
) {
    let next = |id: &str| match omitted.get(id).map(Vec::as_slice) {
        Some([one]) => Next::One(one),
        Some([]) => Next::None,
        Some(_) => Next::Several,
        None => Next::Kept,
    };
    let followed = follow(omitted.keys().map(String::as_str), next);
    for (step, item) in steps.iter_mut().zip(locations) {
        if !step.depends_on.iter().any(|earlier| omitted.contains_key(earlier)) {
            continue;
        }
        let mut kept: Vec<(String, Option<Location>)> = Vec::new();
        let mut seen: HashSet<String> = HashSet::new();
        for (at, earlier) in std::mem::take(&mut step.depends_on).into_iter().enumerate() {
            let place = item.parts.remove(&format!("/depends_on/{at}"));
            let meant = if omitted.contains_key(&earlier) {
                let end = end(&followed, &earlier, &step.id);
                replacement(&earlier, end, place.as_ref().or(item.whole.as_ref()), context)
            } else {
                Some(earlier)
            };
            if let Some(meant) = meant.filter(|meant| seen.insert(meant.clone())) {
                kept.push((meant, place));
            }
        }
        for (at, (earlier, place)) in kept.into_iter().enumerate() {
            step.depends_on.push(earlier);
            item.parts.extend(place.map(|place| (format!("/depends_on/{at}"), place)));
        }
    }
}

/// The next item on the path that bridges an omitted item.
#[derive(Clone, Copy)]
enum Next<'i> {
    /// The item is kept: the path ends here.
    Kept,
    /// There is none.
    None,
    /// The only next item, which may be omitted too.
    One(&'i str),
    /// There are several: the item is not linear.
    Several,
}

/// Returns the first kept item after each of `ids`. Each item is visited once.
fn follow<'i>(
    ids: impl Iterator<Item = &'i str>,
    next: impl Fn(&str) -> Next<'i>,
) -> HashMap<&'i str, Next<'i>> {
    let mut ends: HashMap<&str, Next<'_>> = HashMap::new();
    for id in ids {
        let (mut path, mut at) = (vec![id], id);
        let mut passed = HashSet::from([id]);
        let end = loop {
            if let Some(end) = ends.get(at) {
                break *end;
            }
            match next(at) {
                Next::One(onward) if matches!(next(onward), Next::Kept) => break Next::One(onward),
                Next::One(onward) if passed.insert(onward) => {
                    path.push(onward);
                    at = onward;
                }
                Next::One(_) => break Next::None,
                end => break end,
            }
        };
        for passed in path {
            ends.insert(passed, end);
        }
    }
    ends
}

/// Returns the first kept item after `gone`, unless that is `from` itself.
fn end<'i>(followed: &HashMap<&str, Next<'i>>, gone: &str, from: &str) -> Next<'i> {
    match followed.get(gone) {
        Some(Next::One(onward)) if *onward == from => Next::None,
        Some(end) => *end,
        None => Next::None,
    }
}

/// Returns the replacement of a reference to an omitted item, and reports a warning.
fn replacement(
    gone: &str,
    end: Next<'_>,
    place: Option<&Location>,
    context: &mut Context<'_>,
) -> Option<String> {
    let gone = shown(gone);
    let (message, target) = match (context.policy, end) {
        (OnBadStep::Bridge, Next::One(onward)) => (
            format!("`{gone}` was omitted; bridged to `{}`", shown(onward)),
            Some(onward.to_owned()),
        ),
        (OnBadStep::Bridge, Next::Several) => {
            (format!("`{gone}` was omitted; not bridged, since it is not linear"), None)
        }
        _ => (format!("`{gone}` was omitted, and so is the reference to it"), None),
    };
    let code = if target.is_some() { code::BRIDGED } else { code::LEFT_OUT };
    let row = llmend_json::Diagnostic::new(code, llmend_json::Severity::Warning, message);
    context.findings.push(match place {
        Some(place) => llmend_json::Diagnostic { path: place.path.clone(), ..row.at(place.span) },
        None => row,
    });
    target
}

/// An edge and its position in the source.
pub(crate) type LocatedEdge = (Edge, ItemLocations);

/// Drops or bridges the edges of omitted nodes, and drops the edges of unknown nodes.
pub(crate) fn in_workflow(
    nodes: &[Node],
    omitted: &HashSet<String>,
    edges: Vec<LocatedEdge>,
    context: &mut Context<'_>,
) -> Vec<LocatedEdge> {
    if context.policy == OnBadStep::Fail {
        return edges;
    }
    let ids: HashSet<&str> = nodes.iter().map(|node| node.id.as_str()).collect();
    let gone = |id: &str| !ids.contains(id) && omitted.contains(id);
    let mut after: HashMap<String, Vec<Edge>> = HashMap::new();
    for (edge, _) in edges.iter().filter(|(edge, _)| gone(&edge.from)) {
        after.entry(edge.from.clone()).or_default().push(edge.clone());
    }
    let next = |id: &str| match after.get(id).map(Vec::as_slice) {
        _ if !gone(id) => Next::Kept,
        Some([one]) if one.output.is_none() => Next::One(one.to.as_str()),
        Some([]) | None => Next::None,
        Some(_) => Next::Several,
    };
    let followed = follow(omitted.iter().map(String::as_str).filter(|id| gone(id)), next);
    let existing: HashSet<Edge> = edges.iter().map(|(edge, _)| edge.clone()).collect();
    let (mut kept, mut bridges): (Vec<LocatedEdge>, HashSet<Edge>) = (Vec::new(), HashSet::new());
    for (mut edge, locations) in edges {
        if gone(&edge.from) {
            // The edges into the omitted node are bridged or reported below.
            continue;
        }
        let place = locations.parts.get("/to").or(locations.whole.as_ref());
        if gone(&edge.to) {
            let end = end(&followed, &edge.to, &edge.from);
            let Some(meant) = replacement(&edge.to, end, place, context) else { continue };
            edge.to = meant;
            if existing.contains(&edge) || !bridges.insert(edge.clone()) {
                continue;
            }
        }
        let unknown = [&edge.from, &edge.to].into_iter().find(|id| !ids.contains(id.as_str()));
        match unknown {
            Some(id) => dangling(id, &edge, place, context),
            None => kept.push((edge, locations)),
        }
    }
    kept
}

fn dangling(id: &str, edge: &Edge, place: Option<&Location>, context: &mut Context<'_>) {
    let (from, to) = (shown(&edge.from), shown(&edge.to));
    let message = format!("edge `{from}` → `{to}` is omitted: unknown node `{}`", shown(id));
    let row =
        llmend_json::Diagnostic::new(code::DANGLING_EDGE, llmend_json::Severity::Warning, message);
    context.findings.push(match place {
        Some(place) => llmend_json::Diagnostic { path: place.path.clone(), ..row.at(place.span) },
        None => row,
    });
}
