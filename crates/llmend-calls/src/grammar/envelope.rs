//! Calls in a JSON value: the names of keys, and what may be around a call.

mod keys;

use std::collections::BTreeSet;

use llmend_json::{Kind, Node, Span};

use crate::{Notation, Tool, Tools, input::Input, name};
use keys::{ARGUMENT_KEYS, CALL_KEYS, ID_KEYS, NAME_KEYS, NOISE, OUTER_KEYS, PSEUDO, RESULTS};

/// Maximum depth to which envelopes are opened.
const DEPTH: usize = 12;

/// A call in a value.
#[derive(Clone, Debug)]
pub(crate) struct Candidate<'v> {
    pub(crate) name: &'v str,
    pub(crate) arguments: Parts<'v>,
    pub(crate) id: Option<&'v str>,
    pub(crate) span: Span,
    /// Whether it has a key for the name and one for the arguments.
    pub(crate) explicit: bool,
    /// Whether members that no call has stand beside it.
    pub(crate) beside: bool,
    /// Whether its arguments are inside of another object.
    pub(crate) inner: bool,
}

/// The arguments of a candidate.
#[derive(Clone, Debug)]
pub(crate) enum Parts<'v> {
    Node(Node<'v>),
    /// Members beside the name.
    Members(Vec<(Node<'v>, Node<'v>)>),
    None,
    /// It is something else, in a list of calls.
    Other,
}

impl<'v> Candidate<'v> {
    /// Creates a call with a key for its name and one for its arguments.
    fn new(name: &'v str, arguments: Parts<'v>, span: Span) -> Self {
        let (explicit, beside, inner) = (true, false, false);
        Self { name, arguments, id: None, span, explicit, beside, inner }
    }

    /// Returns what is no call in a list of calls.
    fn other(node: Node<'v>) -> Self {
        Self::new("", Parts::Other, node.span())
    }
}

/// What surrounds the calls in a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Envelope(Option<&'static str>);

impl Envelope {
    /// Returns the notation of an envelope that only calls have.
    pub(crate) fn notation(self) -> Option<&'static Notation> {
        self.0.and_then(Notation::named)
    }
}

/// Returns the key of the name in the JSON call at `at` and the span of the name, if they are the
/// first member, as soon as the text tells them.
pub(crate) fn name_ahead(input: Input<'_>, at: usize) -> Option<(&str, Span)> {
    let text = input.from(at);
    let text = text.strip_prefix('[').unwrap_or(text).trim_start().strip_prefix('{')?;
    let (key, text) = text.trim_start().strip_prefix('"')?.split_once('"')?;
    let text = text.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
    let (name, _) = text.split_once('"')?;
    let start = input.len() - text.len();
    let plain = NAME_KEYS.contains(&key) && !name.contains('\\');
    plain.then(|| (key, Span::new(start, start + name.len())))
}

/// Returns whether `path` is that of the arguments in the JSON of a call: in an object, or in the
/// first object of a list.
pub(crate) fn is_arguments(path: &str) -> bool {
    let path = path.strip_prefix("/0").unwrap_or(path);
    path.strip_prefix('/').is_some_and(|key| ARGUMENT_KEYS.contains(&key))
}

/// Collects the calls in `node`. Returns `None` if it is something else: a definition, a result, or
/// other data.
///
/// The last item of a list that is `cut` off may be anything.
pub(crate) fn calls<'v>(
    node: Node<'v>,
    tools: &Tools,
    cut: bool,
    found: &mut Vec<Candidate<'v>>,
) -> Option<Envelope> {
    if !cut {
        return collect(node, tools, None, found, DEPTH);
    }
    // The list may be in an envelope.
    let inner = first_of(node, CALL_KEYS, Some);
    let (list, notation) = inner.map_or((node, None), |(key, list)| (list, Some(of_key(key))));
    if list.kind() != Kind::Array {
        return collect(node, tools, None, found, DEPTH);
    }
    let count = list.len();
    for (at, item) in list.items().enumerate() {
        let read = collect(item, tools, None, found, DEPTH);
        if read.is_none() && at + 1 < count {
            return None;
        }
    }
    (!found.is_empty()).then_some(Envelope(notation))
}

fn collect<'v>(
    node: Node<'v>,
    tools: &Tools,
    id: Option<&'v str>,
    found: &mut Vec<Candidate<'v>>,
    depth: usize,
) -> Option<Envelope> {
    let depth = depth.checked_sub(1)?;
    match node.kind() {
        Kind::Array => {
            if let Some(call) = pair(node, tools) {
                found.push(call);
                return Some(Envelope(None));
            }
            let mut envelope = None;
            let mut others = Vec::new();
            for item in node.items() {
                // Text beside calls, as in Anthropic's content.
                if item.get("type").and_then(Node::str) == Some("text") {
                    continue;
                }
                let before = found.len();
                if let Some(own) = collect(item, tools, None, found, depth) {
                    envelope = envelope.max(Some(own.0));
                } else {
                    found.truncate(before);
                    others.push(item);
                }
            }
            // What is no call costs no call that names an offered tool.
            let explicit = |call: &Candidate<'_>| {
                call.explicit && name::resolve(call.name, tools).tool.is_some()
            };
            if !others.is_empty() && !found.iter().any(explicit) {
                return None;
            }
            found.extend(others.into_iter().map(Candidate::other));
            found.sort_by_key(|call| call.span.start);
            envelope.map(Envelope)
        }
        Kind::Object => object(node, tools, id, found, depth),
        _ => None,
    }
}

fn object<'v>(
    node: Node<'v>,
    tools: &Tools,
    outer_id: Option<&'v str>,
    found: &mut Vec<Candidate<'v>>,
    depth: usize,
) -> Option<Envelope> {
    let text = |key: &str| node.get(key).and_then(Node::str);
    // JSON-RPC counts its messages.
    let id = first_of(node, ID_KEYS, |id| id.str().or_else(|| id.number()));
    let id = id.map(|(_, id)| id).or(outer_id);
    if text("type").is_some_and(|kind| kind.contains("result") || kind.ends_with("_output")) {
        return None;
    }
    if node.get("jsonrpc").is_some() || text("method").is_some_and(|method| method.contains('/')) {
        let params = node.get("params").filter(|_| text("method") == Some("tools/call"))?;
        collect(params, tools, id, found, depth)?;
        return Some(Envelope(Some("mcp")));
    }
    let container =
        |inner: Node<'v>| matches!(inner.kind(), Kind::Array | Kind::Object).then_some(inner);
    if let Some((key, inner)) = first_of(node, CALL_KEYS, container) {
        if collect(inner, tools, id, found, depth).is_some() {
            return Some(Envelope(Some(of_key(key))));
        }
        return named(node, tools, id, found).map(|()| Envelope(None));
    }
    if text("type") == Some("tool_use") && node.get("input").is_some() {
        named(node, tools, id, found)?;
        return Some(Envelope(Some("anthropic")));
    }
    if named(node, tools, id, found).is_some() {
        return Some(Envelope(None));
    }
    for key in OUTER_KEYS {
        let inner =
            node.get(key).filter(|inner| matches!(inner.kind(), Kind::Array | Kind::Object));
        // An argument of a tool may be called so too.
        if let Some(inner) = inner {
            let mut within = Vec::new();
            if let Some(envelope) = collect(inner, tools, id, &mut within, depth) {
                found.append(&mut within);
                return Some(envelope);
            }
        }
    }
    by_key(node, tools, found).map(|()| Envelope(None))
}

/// Returns the value of the first of `keys` whose value is wanted, and that key.
fn first_of<'v, T>(
    node: Node<'v>,
    keys: &[&'static str],
    wanted: impl Fn(Node<'v>) -> Option<T>,
) -> Option<(&'static str, T)> {
    let mut first = None;
    for (key, value) in node.members() {
        let Some(key) = key.str() else { continue };
        if let Some(at) = keys.iter().position(|one| *one == key)
            && first.as_ref().is_none_or(|(before, _)| at <= *before)
            && let Some(value) = wanted(value)
        {
            first = Some((at, value));
        }
    }
    first.and_then(|(at, value)| Some((*keys.get(at)?, value)))
}

/// Returns the notation that has this one of the [`CALL_KEYS`].
fn of_key(key: &str) -> &'static str {
    if key == "functionCall" { "gemini" } else { "openai" }
}

/// Returns the key of the name, the name, and its tool: the first name that a tool has, or the
/// first. Returns `None` if two keys name two tools.
fn name_in<'v, 't>(
    node: Node<'v>,
    tools: &'t Tools,
) -> Option<(&'static str, &'v str, Option<&'t Tool>)> {
    let mut names = [None; NAME_KEYS.len()];
    for (key, value) in node.members() {
        let at = NAME_KEYS.iter().position(|name| key.str() == Some(name));
        if let Some(name) = at.and_then(|at| names.get_mut(at)) {
            *name = value.str();
        }
    }
    let mut first: Option<(&'static str, &'v str, Option<&'t Tool>)> = None;
    for (key, name) in NAME_KEYS.iter().zip(names) {
        let Some(name) = name else { continue };
        let offered = name::resolve(name, tools).tool;
        match (first, offered) {
            (Some((_, _, Some(one))), Some(other)) => {
                if one.name != other.name && one.parameter(key).is_none() {
                    return None;
                }
            }
            (Some((_, _, None)) | None, Some(_)) | (None, None) => {
                first = Some((*key, name, offered));
            }
            (Some(_), None) => {}
        }
    }
    first
}

/// Returns whether the name or the arguments are given twice, and differ.
fn has_two(node: Node<'_>, name_key: &str) -> bool {
    let count = |wanted: &str| node.members().filter(|(key, _)| key.str() == Some(wanted)).count();
    if node.may_repeat_keys()
        && (count(name_key) > 1 || ARGUMENT_KEYS.iter().any(|key| count(key) > 1))
    {
        return true;
    }
    let is_set = |key: &str, value: Node<'_>| {
        ARGUMENT_KEYS.contains(&key) && value.kind() == Kind::Object && !value.is_empty()
    };
    let sets =
        node.members().filter(|(key, value)| key.str().is_some_and(|key| is_set(key, *value)));
    sets.map(|(_, value)| value.to_string()).collect::<BTreeSet<_>>().len() > 1
}

/// Reads an object with a key for the name.
fn named<'v>(
    node: Node<'v>,
    tools: &Tools,
    id: Option<&'v str>,
    found: &mut Vec<Candidate<'v>>,
) -> Option<()> {
    let (name_key, name, tool) = name_in(node, tools)?;
    if tool.is_none() && PSEUDO.contains(&name.to_ascii_lowercase().as_str()) {
        return Some(());
    }
    let declares = |key: &str| tool.is_some_and(|tool| tool.parameter(key).is_some());
    // Two names or two sets of arguments: nothing tells which is meant. With a result, it is the
    // record of a call that was made.
    let is_result = |key: &str| RESULTS.contains(&key) && !declares(key);
    let has_result = node.members().any(|(key, _)| key.str().is_some_and(is_result));
    if has_result || has_two(node, name_key) {
        return None;
    }
    let filled =
        |value: Node<'v>| (value.kind() != Kind::Null && !value.is_empty()).then_some(value);
    let given =
        first_of(node, ARGUMENT_KEYS, filled).or_else(|| first_of(node, ARGUMENT_KEYS, Some));
    let is_argument = |key: &str| {
        let is_frame = NOISE.contains(&key) || ID_KEYS.contains(&key) || NAME_KEYS.contains(&key);
        declares(key) && !is_frame && !ARGUMENT_KEYS.contains(&key)
    };
    // Some arguments are outside of the set.
    if given.is_some() && node.members().any(|(key, _)| key.str().is_some_and(is_argument)) {
        return None;
    }
    let span = node.span();
    if let Some((_, written)) = given {
        let value = self::given(written, tool);
        let is_known = |key: &str| {
            [NAME_KEYS, ARGUMENT_KEYS, ID_KEYS, NOISE].iter().any(|keys| keys.contains(&key))
        };
        let beside = node.members().any(|(key, _)| key.str().is_some_and(|key| !is_known(key)));
        let is_described = node.get("description").is_some() && lists_types(value);
        if (is_schema(value) || is_described) && !declares("properties") {
            return None;
        }
        let is_arguments =
            matches!(value.kind(), Kind::Object | Kind::String | Kind::Null | Kind::Array)
                || tool.is_some();
        if !is_arguments {
            return None;
        }
        let call = Candidate::new(name, Parts::Node(value), span);
        found.push(Candidate { id, beside, inner: value.span() != written.span(), ..call });
        return Some(());
    }
    // The arguments may stand beside the name.
    let is_rest = |key: &str| key != name_key && !ID_KEYS.contains(&key) && !NOISE.contains(&key);
    let rest: Vec<_> = node
        .members()
        .filter(|(key, _)| {
            key.str().is_some_and(|key| key != name_key && (declares(key) || is_rest(key)))
        })
        .collect();
    let all_declared = rest.iter().all(|(key, _)| key.str().is_some_and(declares));
    let tool = tool?;
    if !all_declared || !tool.takes(rest.iter().filter_map(|(key, _)| key.str())) {
        return None;
    }
    let arguments = if rest.is_empty() { Parts::None } else { Parts::Members(rest) };
    let id = id.filter(|_| !ID_KEYS.iter().any(|key| declares(key)));
    found.push(Candidate { id, explicit: false, ..Candidate::new(name, arguments, span) });
    Some(())
}

/// Reads a list of the name of a tool and its arguments.
fn pair<'v>(node: Node<'v>, tools: &Tools) -> Option<Candidate<'v>> {
    let mut items = node.items();
    let (name, value) = (items.next()?.str()?, items.next()?);
    let tool = name::resolve(name, tools).tool?;
    let is_call = items.next().is_none()
        && value.kind() == Kind::Object
        && tool.takes(value.members().filter_map(|(key, _)| key.str()));
    let arguments = Parts::Node(value);
    is_call.then_some(Candidate::new(name, arguments, node.span()))
}

/// Returns the arguments in `value`: those of a tool may be within `arguments`, or in the place of a
/// schema's properties.
pub(crate) fn given<'v>(value: Node<'v>, tool: Option<&Tool>) -> Node<'v> {
    let declares = |key: &str| tool.is_some_and(|tool| tool.parameter(key).is_some());
    let takes = |inner: Node<'_>| {
        inner.kind() == Kind::Object
            && tool.is_some_and(|tool| tool.takes(inner.members().filter_map(|(key, _)| key.str())))
    };
    let only = ["arguments", "parameters"].into_iter().find_map(|key| {
        value.get(key).filter(|inner| value.len() == 1 && !declares(key) && takes(*inner))
    });
    let filled = value
        .get("properties")
        .filter(|inner| is_schema(value) && !declares("properties") && takes(*inner))
        .filter(|inner| !inner.is_empty() && !inner.members().any(|(_, part)| declares_type(part)));
    only.or(filled).unwrap_or(value)
}

/// Returns whether `part` is the schema of a parameter and no value of it.
fn declares_type(part: Node<'_>) -> bool {
    let keys = ["type", "description", "enum", "$ref"];
    part.kind() == Kind::Object && keys.iter().any(|key| part.get(key).is_some())
}

/// Reads an object whose keys are names of tools.
fn by_key<'v>(node: Node<'v>, tools: &Tools, found: &mut Vec<Candidate<'v>>) -> Option<()> {
    let mut any = None;
    for (key, value) in node.members() {
        let name = key.str()?;
        let tool = name::resolve(name, tools).tool?;
        if value.kind() != Kind::Object
            || is_schema(value)
            || !tool.takes(value.members().filter_map(|(key, _)| key.str()))
        {
            return None;
        }
        let span = Span::new(key.span().start, value.span().end);
        let call = Candidate::new(name, Parts::Node(value), span);
        found.push(Candidate { explicit: false, ..call });
        any = Some(());
    }
    any
}

/// Returns whether each member of `node` is the name of a type.
fn lists_types(node: Node<'_>) -> bool {
    const TYPES: [&str; 12] = [
        "string", "str", "text", "integer", "int", "number", "float", "boolean", "bool", "array",
        "list", "object",
    ];
    let is_type = |value: Node<'_>| value.str().is_some_and(|name| TYPES.contains(&name));
    !node.is_empty() && node.members().all(|(_, value)| is_type(value))
}

/// Returns whether `node` is a schema: the call's parameters are declared and not given.
fn is_schema(node: Node<'_>) -> bool {
    let type_name = node.get("type").and_then(Node::str);
    let properties = node.get("properties").is_some_and(|part| part.kind() == Kind::Object);
    properties || (type_name == Some("object") && node.get("required").is_some())
}
