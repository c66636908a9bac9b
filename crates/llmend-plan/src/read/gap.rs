//! What becomes of the graph where an item was left out?
//!
//! Dropped, an item takes the edges with it that touch it. Bridged, those before it are joined to
//! the one after it: only where it was linear, since what a branch that is gone would have decided
//! is not known.

use std::collections::{HashMap, HashSet};

use crate::{
    Edge, Node, OnBadStep, Step, code,
    findings::shown,
    places::{ItemPlaces, Place},
    read::context::Context,
};

/// Mends the dependencies on steps that were left out: `left_out` has what those depend on.
pub(crate) fn in_plan(
    steps: &mut [Step],
    places: &mut [ItemPlaces],
    left_out: &HashMap<String, Vec<String>>,
    context: &mut Context<'_>,
) {
    let next = |id: &str| match left_out.get(id).map(Vec::as_slice) {
        Some([one]) => Next::One(one),
        Some([]) => Next::None,
        Some(_) => Next::Several,
        None => Next::Kept,
    };
    let followed = follow(left_out.keys().map(String::as_str), next);
    for (step, item) in steps.iter_mut().zip(places) {
        if !step.depends_on.iter().any(|earlier| left_out.contains_key(earlier)) {
            continue;
        }
        let mut kept: Vec<(String, Option<Place>)> = Vec::new();
        let mut seen: HashSet<String> = HashSet::new();
        for (at, earlier) in std::mem::take(&mut step.depends_on).into_iter().enumerate() {
            let place = item.parts.remove(&format!("/depends_on/{at}"));
            let meant = if left_out.contains_key(&earlier) {
                let end = end(&followed, &earlier, &step.id);
                instead(&earlier, end, place.as_ref().or(item.whole.as_ref()), context)
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

/// What comes after an item that was left out, on the way along which it is bridged.
#[derive(Clone, Copy)]
enum Next<'i> {
    /// It was not left out: the way ends here.
    Kept,
    /// Nothing.
    None,
    /// This, which may be left out too.
    One(&'i str),
    /// More than one: it was not linear.
    Several,
}

/// For each of `ids`, where one gets who goes on until nothing is left out. Each is passed once.
fn follow<'i>(
    ids: impl Iterator<Item = &'i str>,
    next: impl Fn(&str) -> Next<'i>,
) -> HashMap<&'i str, Next<'i>> {
    let mut ends: HashMap<&str, Next<'_>> = HashMap::new();
    for id in ids {
        let (mut way, mut at) = (vec![id], id);
        let mut passed = HashSet::from([id]);
        let end = loop {
            if let Some(end) = ends.get(at) {
                break *end;
            }
            match next(at) {
                Next::One(onward) if matches!(next(onward), Next::Kept) => break Next::One(onward),
                Next::One(onward) if passed.insert(onward) => {
                    way.push(onward);
                    at = onward;
                }
                Next::One(_) => break Next::None,
                end => break end,
            }
        };
        for passed in way {
            ends.insert(passed, end);
        }
    }
    ends
}

/// Where one gets who goes on from `gone`, unless that is where one came from.
fn end<'i>(followed: &HashMap<&str, Next<'i>>, gone: &str, from: &str) -> Next<'i> {
    match followed.get(gone) {
        Some(Next::One(onward)) if *onward == from => Next::None,
        Some(end) => *end,
        None => Next::None,
    }
}

/// What stands in the place of a name whose item was left out, and a warning.
fn instead(
    gone: &str,
    end: Next<'_>,
    place: Option<&Place>,
    context: &mut Context<'_>,
) -> Option<String> {
    let gone = shown(gone);
    let (fate, meant) = match (context.policy, end) {
        (OnBadStep::Bridge, Next::One(onward)) => (
            format!("`{gone}` was left out, and is bridged to `{}`", shown(onward)),
            Some(onward.to_owned()),
        ),
        (OnBadStep::Bridge, Next::Several) => {
            (format!("`{gone}` was left out, was not linear, and is not bridged"), None)
        }
        _ => (format!("`{gone}` was left out, and so is what leads there"), None),
    };
    let code = if meant.is_some() { code::BRIDGED } else { code::LEFT_OUT };
    let row = llmend_json::Diagnostic::new(code, llmend_json::Severity::Warning, fate);
    context.findings.push(match place {
        Some(place) => llmend_json::Diagnostic { path: place.path.clone(), ..row.at(place.span) },
        None => row,
    });
    meant
}

/// An edge, and where it stands.
pub(crate) type Placed = (Edge, ItemPlaces);

/// Mends the edges that touch nodes that were left out, or that there are not.
pub(crate) fn in_workflow(
    nodes: &[Node],
    left_out: &HashSet<String>,
    edges: Vec<Placed>,
    context: &mut Context<'_>,
) -> Vec<Placed> {
    if context.policy == OnBadStep::Fail {
        return edges;
    }
    let ids: HashSet<&str> = nodes.iter().map(|node| node.id.as_str()).collect();
    let gone = |id: &str| !ids.contains(id) && left_out.contains(id);
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
    let followed = follow(left_out.iter().map(String::as_str).filter(|id| gone(id)), next);
    let drawn: HashSet<Edge> = edges.iter().map(|(edge, _)| edge.clone()).collect();
    let (mut kept, mut bridges): (Vec<Placed>, HashSet<Edge>) = (Vec::new(), HashSet::new());
    for (mut edge, places) in edges {
        if gone(&edge.from) {
            // Where it led is joined to what led to its node, or the warnings there say why not.
            continue;
        }
        let place = places.parts.get("/to").or(places.whole.as_ref());
        if gone(&edge.to) {
            let end = end(&followed, &edge.to, &edge.from);
            let Some(meant) = instead(&edge.to, end, place, context) else { continue };
            edge.to = meant;
            if drawn.contains(&edge) || !bridges.insert(edge.clone()) {
                continue;
            }
        }
        let unknown = [&edge.from, &edge.to].into_iter().find(|id| !ids.contains(id.as_str()));
        match unknown {
            Some(id) => dangling(id, &edge, place, context),
            None => kept.push((edge, places)),
        }
    }
    kept
}

fn dangling(id: &str, edge: &Edge, place: Option<&Place>, context: &mut Context<'_>) {
    let (from, to) = (shown(&edge.from), shown(&edge.to));
    let message =
        format!("the edge `{from}` → `{to}` is left out: there is no node `{}`", shown(id));
    let row =
        llmend_json::Diagnostic::new(code::DANGLING_EDGE, llmend_json::Severity::Warning, message);
    context.findings.push(match place {
        Some(place) => llmend_json::Diagnostic { path: place.path.clone(), ..row.at(place.span) },
        None => row,
    });
}
