//! The strategy `fields`: ask only for the parts that do not fit.

use llmend_json::{Diagnostic, Kind, Node};
use serde_json::{Map, Value as Json};

use super::{Row, full};
use crate::asking::{
    FailedAnswer, FailureKind, PartSchema, Task, Topic,
    feedback::{feedback, fenced},
    merge::{Merge, MergedAnswer, RejectedAnswer, RequestBody, RetryContext, part},
    messages,
    splice::{self, Change},
    subject::Ending,
};
use crate::{
    model::{Output, Role, Shape},
    prompts,
};

pub(super) const ROW: Row = Row { applies, question, join };

/// The maximum number of requested parts: with more, the whole is the shorter request.
const MOST_FIELDS: usize = 24;

/// The maximum number of findings considered: each is located in the whole.
const MOST_FINDINGS: usize = 200;

/// The name of the object of the parts.
const SHAPE: &str = "corrections";

/// The maximum length of a member name that every provider accepts.
const NAME_CHARS: usize = 64;

/// A part that does not fit.
struct Field {
    /// JSON Pointer into the failed answer.
    path: String,
    /// The name in the request and in its answer.
    name: String,
    /// What is asked for.
    wanted: Wanted,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    /// A value, new or in place of another.
    Value,
    /// Removal of the member.
    Nothing,
}

/// Returns the outermost parts that contain every finding. `None` if they are unknown, or are most
/// of the whole.
fn fields(topic: &dyn Topic, failed: &FailedAnswer) -> Option<Vec<Field>> {
    if matches!(failed.kind, FailureKind::Truncation | FailureKind::Loss) {
        return None;
    }
    let json = failed.json.as_deref()?;
    let parsed = splice::read(json).ok()?;
    let root = parsed.value.root();
    let mut places = Vec::new();
    for row in failed.faults() {
        places.extend(places_of(topic, root, row)?);
        if places.len() > MOST_FINDINGS {
            return None;
        }
    }
    places.sort_by(|one, other| one.0.cmp(&other.0));
    let outermost = outermost(places);
    let bytes = outermost.iter().filter_map(|(path, _)| root.pointer(path));
    let bytes: usize = bytes.map(|node| node.span().end - node.span().start).sum();
    if outermost.is_empty() || outermost.len() > MOST_FIELDS || bytes * 2 > json.len() {
        return None;
    }
    Some(named(topic, outermost))
}

/// Returns the places where a finding can be corrected.
fn places_of(topic: &dyn Topic, root: Node<'_>, row: &Diagnostic) -> Option<Vec<(String, Wanted)>> {
    let path = row.path.as_deref().filter(|_| topic.is_local(row))?;
    if row.code == "schema/required" {
        let node = root.pointer(path)?;
        let missing = topic.missing(path, node);
        let below = |name: &String| {
            let token = name.replace('~', "~0").replace('/', "~1");
            (format!("{path}/{token}"), Wanted::Value)
        };
        return (!missing.is_empty()).then(|| missing.iter().map(below).collect());
    }
    if path.is_empty() {
        return None;
    }
    let wanted = if topic.is_forbidden(root, row) { Wanted::Nothing } else { Wanted::Value };
    if root.pointer(path).is_some() {
        return Some(vec![(path.to_owned(), wanted)]);
    }
    // A missing member is added to its object by name.
    let (head, _) = path.rsplit_once('/')?;
    let is_object = root.pointer(head)?.kind() == Kind::Object;
    (is_object && wanted == Wanted::Value).then(|| vec![(path.to_owned(), wanted)])
}

/// Returns the places that are not within another one. For several requests at one place, a value
/// wins.
fn outermost(sorted: Vec<(String, Wanted)>) -> Vec<(String, Wanted)> {
    let mut out: Vec<(String, Wanted)> = Vec::new();
    for (path, wanted) in sorted {
        let is_within = |(outer, _): &(String, Wanted)| {
            path.strip_prefix(outer.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        match out.iter_mut().find(|outer| is_within(outer)) {
            Some((outer, kept)) if *outer == path && wanted == Wanted::Value => *kept = wanted,
            Some(_) => {}
            None => out.push((path, wanted)),
        }
    }
    out
}

/// Gives each part a name that every provider accepts. The name is made from the path if possible,
/// unless a token of it is a model's own word, since names occur in the schema of the request.
fn named(topic: &dyn Topic, places: Vec<(String, Wanted)>) -> Vec<Field> {
    let mut fields: Vec<Field> = Vec::new();
    for ((path, wanted), number) in places.into_iter().zip(1..) {
        let name = path.trim_start_matches('/').replace('/', ".");
        let is_ours =
            |token: &str| token.bytes().all(|byte| byte.is_ascii_digit()) || topic.is_known(token);
        let is_fine = !name.is_empty()
            && path.split('/').skip(1).all(is_ours)
            && name.len() <= NAME_CHARS
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'))
            && fields.iter().all(|field| field.name != name);
        let name = if is_fine { name } else { format!("field_{number}") };
        fields.push(Field { path, name, wanted });
    }
    fields
}

fn applies(topic: &dyn Topic, failed: &FailedAnswer) -> bool {
    fields(topic, failed).is_some()
}

fn question(
    topic: &dyn Topic,
    task: &Task,
    failed: &FailedAnswer,
    turn: RetryContext,
) -> RequestBody {
    let Some(fields) = fields(topic, failed) else {
        return (full::ROW.question)(topic, task, failed, turn);
    };
    let schema = schema(topic, failed, &fields);
    let names: Vec<String> = fields
        .iter()
        .map(|field| {
            let path = field.path.escape_debug().to_string();
            match field.wanted {
                Wanted::Value => messages::wanted(&field.name, &path),
                Wanted::Nothing => messages::unwanted(&field.name, &path),
            }
        })
        .collect();
    let names = fenced("names", &names.join("\n"));
    let demand = prompts::RETRY_FIELDS.fill(&[("names", &names), ("schema", &schema)]);
    let after = [feedback(failed, "", turn.shown), demand].join("\n\n");
    let output = Output::Schema(Shape::new(SHAPE, schema));
    let mut messages = task.with("", &after);
    let rules = messages.first_mut().filter(|message| message.role == Role::System);
    if let Some(rules) = rules
        && let Some(narrowed) = topic.narrowed(&rules.content, failed)
    {
        rules.content = narrowed;
    }
    RequestBody { messages, output }
}

/// Returns the schema of an object that has the parts as members, in order.
fn schema(topic: &dyn Topic, failed: &FailedAnswer, fields: &[Field]) -> String {
    let parsed = failed.json.as_deref().and_then(|json| splice::read(json).ok());
    let mut definitions: Map<String, Json> = Map::new();
    let mut properties = Vec::new();
    for field in fields {
        let part = match (field.wanted, &parsed) {
            (Wanted::Value, Some(parsed)) => topic.part(parsed.value.root(), &field.path),
            (Wanted::Value, None) => None,
            (Wanted::Nothing, _) => Some(PartSchema {
                schema: serde_json::json!({"type": "null"}),
                ..PartSchema::default()
            }),
        };
        let part = part.filter(|part| define(&mut definitions, &part.definitions));
        let schema = part.map_or_else(|| Json::Object(Map::new()), |part| part.schema);
        properties.push(format!("{}:{schema}", Json::from(field.name.as_str())));
    }
    let names: Json = fields.iter().map(|field| field.name.as_str()).collect();
    let mut text = format!(
        r#"{{"type":"object","properties":{{{}}},"required":{names},"additionalProperties":false"#,
        properties.join(",")
    );
    for (holder, held) in &definitions {
        text.extend([",", &Json::from(holder.as_str()).to_string(), ":", &held.to_string()]);
    }
    text.push('}');
    text
}

/// Adds the definitions of a part, unless another part has different ones of the same names.
fn define(known: &mut Map<String, Json>, own: &Map<String, Json>) -> bool {
    let holds = |holder: &str, name: &str| known.get(holder).and_then(|held| held.get(name));
    let differs = own.iter().filter_map(|(holder, held)| Some((holder, held.as_object()?))).any(
        |(holder, held)| {
            held.iter().any(|(name, own)| holds(holder, name).is_some_and(|other| other != own))
        },
    );
    if differs {
        return false;
    }
    for (holder, held) in own {
        match (known.get_mut(holder), held) {
            (Some(Json::Object(known)), Json::Object(held)) => {
                known.extend(held.iter().map(|(name, own)| (name.clone(), own.clone())));
            }
            (Some(_), _) => {}
            (None, held) => {
                known.insert(holder.clone(), held.clone());
            }
        }
    }
    true
}

/// Merges the parts. An answer with none of them is rejected: nothing shows that it is the whole
/// again, and merging it would lose all that was right.
fn join(
    topic: &dyn Topic,
    failed: &FailedAnswer,
    answer: &str,
    ending: Ending,
) -> Result<Merge, RejectedAnswer> {
    let (Some(json), Some(fields)) = (failed.json.as_deref(), fields(topic, failed)) else {
        return full::join(topic, failed, answer, ending);
    };
    let before = splice::read(json).map_err(|error| RejectedAnswer::of_json(&error))?;
    let parsed = part(answer, ending, fields.iter().map(|field| field.name.clone()))?;
    let given = given(&fields, before.value.root(), parsed.value.root());
    if given.is_empty() {
        return Err(RejectedAnswer::new("ask/not-given", messages::not_given(fields.len())));
    }
    let merged = merged(json, before.value.root(), &given)?;
    Ok(Merge::Answer(MergedAnswer::merged(merged, &parsed.report, Vec::new())))
}

/// Returns the failed answer with the given parts merged. Removals shift the items after them, so
/// that they come last, from the end of the text backwards.
fn merged(
    json: &str,
    root: Node<'_>,
    given: &[(&Field, Node<'_>)],
) -> Result<String, RejectedAnswer> {
    let mut merged = json.to_owned();
    let mut going = Vec::new();
    for (field, node) in given {
        let there = root.pointer(&field.path);
        let value = node.to_string();
        let change = match there {
            Some(there) if field.wanted == Wanted::Nothing && node.is_null() => {
                going.push((there.span().start, field));
                continue;
            }
            Some(_) => Change::Replace(&value),
            None => Change::Add(&value),
        };
        merged = splice::changed(&merged, &field.path, change).map_err(not_merged)?;
    }
    going.sort_unstable_by_key(|(start, _)| std::cmp::Reverse(*start));
    for (_, field) in going {
        merged = splice::changed(&merged, &field.path, Change::Remove).map_err(not_merged)?;
    }
    Ok(merged)
}

fn not_merged(message: String) -> RejectedAnswer {
    RejectedAnswer::new("ask/not-merged", message)
}

/// Returns the parts that an answer gives: by their names or paths, in the requested object or in
/// one under its name, or in their places if it is the whole again.
fn given<'f, 'v>(
    fields: &'f [Field],
    before: Node<'_>,
    answer: Node<'v>,
) -> Vec<(&'f Field, Node<'v>)> {
    let among = |find: &dyn Fn(&Field) -> Option<Node<'v>>| -> Vec<(&'f Field, Node<'v>)> {
        fields.iter().filter_map(|field| Some((field, find(field)?))).collect()
    };
    let named =
        |root: Node<'v>| among(&|field| root.get(&field.name).or_else(|| root.get(&field.path)));
    let found = named(answer);
    if !found.is_empty() {
        return found;
    }
    let found = answer.get(SHAPE).map(named).unwrap_or_default();
    if !found.is_empty() {
        return found;
    }
    among(&|field| at_its_place(before, answer, &field.path))
}

/// Returns the node of `answer` at the place of `path` in `before`. Items of a list whose length
/// changed cannot be matched.
fn at_its_place<'v>(before: Node<'_>, answer: Node<'v>, path: &str) -> Option<Node<'v>> {
    let heads = path.match_indices('/').filter_map(|(at, _)| path.get(..at));
    for head in heads {
        let (was, is) = (before.pointer(head)?, answer.pointer(head)?);
        if was.kind() != is.kind() || (was.kind() == Kind::Array && was.len() != is.len()) {
            return None;
        }
    }
    answer.pointer(path)
}
