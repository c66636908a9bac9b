//! The lines of `llmend stream --views`.

use llmend::{
    Coercion, FittedView, Violation,
    json::{Kind, Node, State, View},
};
use serde::Serialize;
use serde_json::json;

/// An incomplete part of the value.
#[derive(Debug, Serialize)]
struct Open {
    /// JSON Pointer.
    path: String,
    state: &'static str,
}

/// Returns the line for `view`, or `None` without a value.
pub(crate) fn line(view: &View<'_>) -> Option<String> {
    let root = view.root()?;
    Some(written(&root.to_string(), view.state(root), &open(view, root)))
}

/// Returns the line for a view in the names and types of a schema.
pub(crate) fn of_fitted(fitted: &FittedView) -> String {
    let state = fitted.open.first().map_or(State::Complete, |(_, state)| *state);
    let row = |(path, state): &(String, State)| Open { path: path.clone(), state: state.as_str() };
    written(&fitted.json, state, &fitted.open.iter().map(row).collect::<Vec<_>>())
}

fn written(value: &str, state: State, open: &[Open]) -> String {
    let (state, open) = (state.as_str(), json!(open));
    format!("{{\"value\":{value},\"state\":\"{state}\",\"open\":{open}}}\n")
}

/// Returns the line for one of several values, and counts it: the value with its index and `rows`, or alone if
/// `bare`.
pub(crate) fn of_value(value: &str, rows: &str, written: &mut usize, bare: bool) -> String {
    let index = *written;
    *written += 1;
    if bare {
        format!("{value}\n")
    } else {
        format!("{{\"index\":{index},\"value\":{value}{rows}}}\n")
    }
}

/// Returns the members of a line for what fitting did; none if the value fits unchanged.
pub(crate) fn rows(coercions: &[Coercion], violations: &[Violation]) -> String {
    if coercions.is_empty() && violations.is_empty() {
        return String::new();
    }
    format!(",\"coercions\":{},\"violations\":{}", json!(coercions), json!(violations))
}

/// Returns the incomplete parts, outermost first. Text arrives from front to back, so each is the last child of
/// the one before.
fn open(view: &View<'_>, root: Node<'_>) -> Vec<Open> {
    let mut open = Vec::new();
    let mut next = Some((String::new(), root));
    while let Some((path, node)) = next.take() {
        let state = view.state(node);
        if state == State::Complete {
            break;
        }
        next = match node.kind() {
            Kind::Array => {
                node.items().enumerate().last().map(|(at, item)| (format!("{path}/{at}"), item))
            }
            Kind::Object => node.members().last().map(|(key, value)| {
                let key = key.str().unwrap_or_default().replace('~', "~0").replace('/', "~1");
                (format!("{path}/{key}"), value)
            }),
            _ => None,
        };
        open.push(Open { path, state: state.as_str() });
    }
    open
}

#[cfg(test)]
mod tests {
    use llmend::json::{Choice, Options, Stream};

    use super::line;

    fn check(text: &str, expected: &str) {
        let mut stream = Stream::new(Options { choice: Choice::First, ..Options::default() });
        stream.push(text.as_bytes());
        assert_eq!(line(&stream.view()).unwrap_or_default().trim_end(), expected, "{text}");
    }

    #[test]
    fn the_parts_that_are_open_are_named() {
        check("Sure: ", "");
        check(
            r#"{"a": 1, "b": ["x", "y"#,
            r#"{"value":{"a":1,"b":["x"]},"state":"partial","open":[{"path":"","state":"partial"},{"path":"/b","state":"partial"}]}"#,
        );
        check(
            r#"{"a/b": {"~": [1, {"c": "so far"#,
            concat!(
                r#"{"value":{"a/b":{"~":[1,{"c":"so far"}]}},"state":"partial","#,
                r#""open":[{"path":"","state":"partial"},{"path":"/a~1b","state":"partial"},"#,
                r#"{"path":"/a~1b/~0","state":"partial"},{"path":"/a~1b/~0/1","state":"partial"},"#,
                r#"{"path":"/a~1b/~0/1/c","state":"partial"}]}"#,
            ),
        );
        check(r#"{"a": 1} and so on"#, r#"{"value":{"a":1},"state":"complete","open":[]}"#);
    }
}
