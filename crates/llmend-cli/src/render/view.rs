//! What does a program read of a value that is still being written? One line of JSON.

use llmend::json::{Kind, Node, State, View};
use serde::Serialize;

/// A part of the value of which not all is there.
#[derive(Debug, Serialize)]
struct Open {
    /// JSON Pointer.
    path: String,
    state: &'static str,
}

/// The line for `view`, with a line end, if there is anything to see.
pub(crate) fn line(view: &View<'_>) -> Option<String> {
    let root = view.root()?;
    let state = view.state(root).as_str();
    let open = serde_json::to_string(&open(view, root)).unwrap_or_default();
    Some(format!("{{\"value\":{root},\"state\":\"{state}\",\"open\":{open}}}\n"))
}

/// The parts of which not all is there, outermost first. Since a text is written from front to
/// back, each is the last one in the part before it.
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
            r#"{"a": 1, "b": ["#,
            r#"{"value":{"a":1,"b":[]},"state":"partial","open":[{"path":"","state":"partial"},{"path":"/b","state":"partial"}]}"#,
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
