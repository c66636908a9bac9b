//! Edits of one part of a JSON text that keep everything else.

use llmend_json::{Kind, Node, Options, Parsed, Policy, parse_with};

/// An edit of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change<'j> {
    /// Replaces the part with this JSON.
    Replace(&'j str),
    /// Adds this JSON as a member, or before an item of a list; `-` is the end of the list.
    Add(&'j str),
    /// Removes the part.
    Remove,
}

/// Parses strict JSON with the places of its parts.
pub(crate) fn read(json: &str) -> Result<Parsed<'_>, llmend_json::Error> {
    let mut strict = Options::policy(Policy::Strict);
    (strict.max_depth, strict.max_bytes) = (usize::MAX, usize::MAX);
    parse_with(json, &strict)
}

/// Returns `json` with the part at the JSON Pointer `path` edited and everything else unchanged.
/// The error says why that is not possible.
pub(crate) fn changed(json: &str, path: &str, change: Change<'_>) -> Result<String, String> {
    let parsed = read(json).map_err(|error| error.to_string())?;
    let root = parsed.value.root();
    match change {
        Change::Replace(new) => {
            let span = found(root, path)?.span();
            Ok(edited(json, span.start, span.end, new))
        }
        Change::Remove => removed(json, root, path),
        Change::Add(new) => added(json, root, path, new),
    }
}

fn edited(json: &str, start: usize, end: usize, new: &str) -> String {
    let part = |from: usize, to: usize| json.get(from..to).unwrap_or_default();
    [part(0, start), new, part(end, json.len())].concat()
}

fn found<'v>(root: Node<'v>, path: &str) -> Result<Node<'v>, String> {
    root.pointer(path).ok_or_else(|| format!("nothing at `{path}`"))
}

/// Splits a path into the path of the container and the part's own token.
fn split(path: &str) -> Result<(&str, String), String> {
    let (head, token) =
        path.rsplit_once('/').ok_or_else(|| format!("`{path}` does not name a part"))?;
    Ok((head, llmend_json::unescape_token(token)))
}

/// Returns the spans of the parts of a container: of an item, or of a key with its value.
fn parts(node: Node<'_>) -> Vec<(usize, usize)> {
    match node.kind() {
        Kind::Array => node.items().map(|item| (item.span().start, item.span().end)).collect(),
        _ => node.members().map(|(key, value)| (key.span().start, value.span().end)).collect(),
    }
}

fn removed(json: &str, root: Node<'_>, path: &str) -> Result<String, String> {
    let place = found(root, path)?;
    let (head, _) = split(path)?;
    let parts = parts(found(root, head)?);
    let at = parts.iter().position(|(start, end)| {
        (*start..*end).contains(&place.span().start) && place.span().end <= *end
    });
    let Some(at) = at else { return Err(format!("nothing at `{path}`")) };
    // With the comma before it, or the one after it for the first part.
    let (start, end) = parts.get(at).copied().unwrap_or_default();
    let start = at.checked_sub(1).and_then(|at| parts.get(at)).map_or(start, |(_, end)| *end);
    let end = if at == 0 { parts.get(1).map_or(end, |(start, _)| *start) } else { end };
    Ok(edited(json, start, end, ""))
}

fn added(json: &str, root: Node<'_>, path: &str, new: &str) -> Result<String, String> {
    if path.is_empty() {
        return Ok(edited(json, root.span().start, root.span().end, new));
    }
    let (head, token) = split(path)?;
    let holder = found(root, head)?;
    match holder.kind() {
        Kind::Array => {
            let count = holder.len();
            let index = if token == "-" { Some(count) } else { index(&token) };
            let index = index
                .filter(|index| *index <= count)
                .ok_or_else(|| format!("index out of range: `{path}` in a list of {count}"))?;
            Ok(insert(json, holder, index, new))
        }
        Kind::Object => {
            if let Some(there) = holder.get(&token) {
                return Ok(edited(json, there.span().start, there.span().end, new));
            }
            let member = format!("{}: {new}", serde_json::Value::from(token));
            Ok(insert(json, holder, holder.len(), &member))
        }
        _ => Err(format!("expected an object or array at `{head}`")),
    }
}

/// Parses a number without leading zeros.
fn index(token: &str) -> Option<usize> {
    let canonical = token == "0" || !token.starts_with('0');
    token.parse().ok().filter(|_| canonical && token.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Inserts a part into a container at this index.
fn insert(json: &str, holder: Node<'_>, index: usize, part: &str) -> String {
    let parts = parts(holder);
    match (parts.get(index), parts.last()) {
        (Some((start, _)), _) => edited(json, *start, *start, &format!("{part}, ")),
        (None, Some((_, end))) => edited(json, *end, *end, &format!(", {part}")),
        (None, None) => {
            let inside = holder.span().start + 1;
            edited(json, inside, inside, part)
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::{Change, changed};

    #[test]
    fn one_part_changes_and_all_else_stays() {
        let text = "{ \"a\": [1, 2.50,  3], \"b/c\": {\"~\": null},\n \"a\": [1e400, {}] }";
        let rows = [
            ("/b~1c/~0", Change::Replace("7"), text.replace("null", "7")),
            ("", Change::Replace("[]"), "[]".to_owned()),
            // A duplicate key means its last occurrence, as everywhere.
            ("/a/0", Change::Replace("1"), text.replace("1e400", "1")),
            ("/a/1", Change::Remove, text.replace(", {}", "")),
            ("/a/0", Change::Remove, text.replace("1e400, ", "")),
            ("/b~1c/~0", Change::Remove, text.replace("\"~\": null", "")),
            ("/b~1c", Change::Remove, text.replace(", \"b/c\": {\"~\": null}", "")),
            ("/a/0", Change::Add("0"), text.replace("1e400", "0, 1e400")),
            ("/a/2", Change::Add("0"), text.replace("{}]", "{}, 0]")),
            ("/a/-", Change::Add("0"), text.replace("{}]", "{}, 0]")),
            ("/a/1/x", Change::Add("[0]"), text.replace("{}", "{\"x\": [0]}")),
            ("/b~1c/q\"", Change::Add("0"), text.replace("null", "null, \"q\\\"\": 0")),
            ("/b~1c/~0", Change::Add("0"), text.replace("null", "0")),
            ("", Change::Add("0"), "0".to_owned()),
        ];
        for (path, change, expected) in rows {
            assert_eq!(changed(text, path, change), Ok(expected), "{path} {change:?}");
        }
    }

    /// Returns the JSON Pointers of all parts except the whole.
    fn paths(value: &Value) -> Vec<String> {
        let mut open = vec![(String::new(), value)];
        let mut found = Vec::new();
        while let Some((path, value)) = open.pop() {
            let below: Vec<(String, &Value)> = match value {
                Value::Array(items) => {
                    items.iter().enumerate().map(|(at, item)| (at.to_string(), item)).collect()
                }
                Value::Object(map) => map
                    .iter()
                    .map(|(key, item)| (key.replace('~', "~0").replace('/', "~1"), item))
                    .collect(),
                _ => Vec::new(),
            };
            for (token, item) in below {
                let path = format!("{path}/{token}");
                found.push(path.clone());
                open.push((path, item));
            }
        }
        found
    }

    #[test]
    fn it_comes_to_what_another_implementation_makes_of_the_value() {
        for text in [
            r#"{"a": [1, {"b": []}, [2, [3]]], "~/": {"": 0, "x y": "\u00e9\n"}, "c": null}"#,
            "[\n  [ ],\n  { },\n  [ 1 , 2 ],\n  { \"k\" : { \"k\" : 1 } }\n]\n",
            "[[[[[1]]]], 0.5, true, \"\\\"]}\"]",
        ] {
            let before: Value = serde_json::from_str(text).unwrap();
            let read = |text: &str| serde_json::from_str::<Value>(text).expect(text);
            for path in paths(&before) {
                let mut expected = before.clone();
                *expected.pointer_mut(&path).unwrap() = Value::from("new");
                let found = changed(text, &path, Change::Replace("\"new\"")).unwrap();
                assert_eq!(read(&found), expected, "replace {path}");

                let (head, token) = path.rsplit_once('/').unwrap();
                let key = llmend_json::unescape_token(token);
                let [mut less, mut more] = [before.clone(), before.clone()];
                match less.pointer_mut(head).unwrap() {
                    Value::Array(items) => drop(items.remove(key.parse().unwrap())),
                    Value::Object(map) => drop(map.remove(&key)),
                    _ => unreachable!("it has parts"),
                }
                assert_eq!(
                    read(&changed(text, &path, Change::Remove).unwrap()),
                    less,
                    "remove {path}"
                );
                match more.pointer_mut(head).unwrap() {
                    Value::Array(items) => items.insert(key.parse().unwrap(), Value::from(7)),
                    Value::Object(map) => drop(map.insert(key, Value::from(7))),
                    _ => unreachable!("it has parts"),
                }
                assert_eq!(
                    read(&changed(text, &path, Change::Add("7")).unwrap()),
                    more,
                    "add {path}"
                );
            }
        }
    }

    #[test]
    fn what_cannot_be_done_is_said() {
        let text = r#"{"a": [1], "b": "x"}"#;
        let rows = [
            ("/c", Change::Replace("1"), "nothing at `/c`"),
            ("/c", Change::Remove, "nothing at `/c`"),
            ("", Change::Remove, "does not name a part"),
            ("/a/2", Change::Add("1"), "in a list of 1"),
            ("/a/01", Change::Add("1"), "in a list of 1"),
            ("/a/+1", Change::Add("1"), "in a list of 1"),
            ("/b/x", Change::Add("1"), "expected an object or array"),
            ("/c/d", Change::Add("1"), "nothing at `/c`"),
            ("c", Change::Add("1"), "does not name a part"),
        ];
        for (path, change, expected) in rows {
            let error = changed(text, path, change).unwrap_err();
            assert!(error.contains(expected), "{path} {change:?}: {error}");
        }
    }
}
