//! The lines of `llmend stream --views`.

use llmend::json::{FoundJson, Kind, Node, State, View, parse};
use serde::Serialize;

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
    let state = view.state(root).as_str();
    let open = serde_json::to_string(&open(view, root)).unwrap_or_default();
    Some(format!("{{\"value\":{root},\"state\":\"{state}\",\"open\":{open}}}\n"))
}

/// Returns the line for one of several values, and counts it. `bare` is without its index.
pub(crate) fn of_value(found: &FoundJson, written: &mut usize, bare: bool) -> String {
    // On one line, whatever its own layout.
    let value =
        parse(&found.json).map_or_else(|_| found.json.clone(), |parsed| parsed.value.to_string());
    let index = *written;
    *written += 1;
    if bare { format!("{value}\n") } else { format!("{{\"index\":{index},\"value\":{value}}}\n") }
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
