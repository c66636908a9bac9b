//! Complete parts of a value that is still arriving.

use crate::{Error, Kind, Node, Options, Parsed, State, Stream, Value, value::push_token};

/// Maximum depth of parts that are returned separately; deeper parts are returned with the one
/// around them.
const MAX_LEVELS: usize = 16;

/// Returns the parts of a value while its text arrives, each as soon as it is complete and before
/// the part around it. The value as a whole is returned at the end.
///
/// Under [`Choice::First`](crate::Choice::First), a part is available once it is closed; under
/// [`Choice::Best`](crate::Choice::Best), all are available at the end. Parts nested more than 16
/// levels deep are returned with the part around them.
///
/// ```
/// use llmend_json::{Choice, Node, Options, StreamParts};
///
/// let mut parts = StreamParts::new(Options { choice: Choice::First, ..Options::default() });
/// parts.push(b"Trip: {'city': 'Oslo', 'days': [1, 2], 'gui");
/// let mut found = Vec::new();
/// while let Some(part) = parts.next_part_with(|path, node| format!("{path} {node}")) {
///     found.push(part);
/// }
/// assert_eq!(found, [r#"/city "Oslo""#, "/days/0 1", "/days/1 2", "/days [1,2]"]);
/// # Ok::<(), llmend_json::Error>(())
/// ```
pub struct StreamParts {
    stream: Stream,
    cursor: Cursor,
}

impl StreamParts {
    /// Creates a stream without any text.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self { stream: Stream::new(options), cursor: Cursor::default() }
    }

    /// Adds a chunk of the text: see [`Stream::push`].
    pub fn push(&mut self, chunk: &[u8]) {
        self.stream.push(chunk);
    }

    /// Returns the result of `read` for the JSON Pointer (RFC 6901) and node of the next complete
    /// part, if there is one.
    pub fn next_part_with<R>(&mut self, read: impl FnOnce(&str, Node<'_>) -> R) -> Option<R> {
        let view = self.stream.view();
        let root = view.root()?;
        let node = self.cursor.next(root, |node| view.state(node))?;
        Some(read(&self.cursor.given, node))
    }

    /// Ends the text. Returns the results of `read` for the remaining parts, and the result for the
    /// whole text.
    pub fn finish_with<R>(
        mut self,
        mut read: impl FnMut(&str, Node<'_>) -> R,
    ) -> Result<(Vec<R>, Parsed<'static>), Error> {
        let parsed = self.stream.finish()?;
        let root = parsed.value.root();
        self.cursor.move_to(root.index);
        let mut rest = Vec::new();
        while let Some(node) = self.cursor.next(root, |_| State::Complete) {
            rest.push(read(&self.cursor.given, node));
        }
        Ok((rest, parsed))
    }
}

/// Position among the parts.
#[derive(Debug, Default)]
struct Cursor {
    /// Index of the value's root, once it is known.
    root: Option<usize>,
    levels: Vec<Level>,
    /// JSON Pointer of the innermost level.
    path: String,
    /// JSON Pointer of the last part returned.
    given: String,
}

/// A container whose parts are being returned.
#[derive(Debug)]
struct Level {
    container: usize,
    /// Index of its next part; in an object, of its key.
    next: usize,
    items: usize,
    /// Length of the path of the part around it.
    path: usize,
}

impl Cursor {
    /// Returns the next complete part, and stores its path in `given`.
    fn next<'v>(&mut self, root: Node<'v>, state: impl Fn(Node<'v>) -> State) -> Option<Node<'v>> {
        let value = root.value;
        let at = |index: usize| Node { value, index };
        if self.root.is_none() {
            self.root = Some(root.index);
            if is_container(root) {
                self.enter(root.index, 0);
            }
        }
        loop {
            let innermost = self.levels.len() == 1;
            let level = self.levels.last_mut()?;
            let container = at(level.container);
            if level.next >= value.after(level.container) {
                // The whole value is not returned here.
                if innermost || state(container) != State::Complete {
                    return None;
                }
                let above = level.path;
                self.levels.pop();
                if let Some(around) = self.levels.last_mut() {
                    around.next = value.after(container.index);
                }
                self.given.clone_from(&self.path);
                self.path.truncate(above);
                return Some(container);
            }
            let part = match container.kind() {
                Kind::Object => at(level.next + 1),
                _ => at(level.next),
            };
            if part.index >= value.after(level.container) {
                return None;
            }
            let is_open = state(part) != State::Complete;
            let descends = is_container(part) && self.levels.len() < MAX_LEVELS;
            if is_open && !descends {
                return None;
            }
            let length = self.step(value, part);
            if descends {
                self.enter(part.index, length);
                continue;
            }
            self.given.clone_from(&self.path);
            self.path.truncate(length);
            return Some(part);
        }
    }

    /// Advances to the part after `part`, whose path is current; returns the previous length of the
    /// path.
    fn step(&mut self, value: &Value<'_>, part: Node<'_>) -> usize {
        let length = self.path.len();
        if let Some(level) = self.levels.last_mut() {
            let key = Node { value: part.value, index: level.next };
            if part.index == level.next {
                push_token(&mut self.path, &level.items.to_string());
            } else {
                push_token(&mut self.path, key.str().unwrap_or_default());
            }
            level.items += 1;
            // The end of an entered container is known when it is left.
            level.next = value.after(part.index);
        }
        length
    }

    fn enter(&mut self, container: usize, path: usize) {
        self.levels.push(Level { container, next: container + 1, items: 0, path });
    }

    /// Adjusts to a copy of the value with its root at `root`.
    fn move_to(&mut self, root: usize) {
        let Some(before) = self.root.replace(root) else {
            self.root = None;
            return;
        };
        for level in &mut self.levels {
            level.container = level.container - before + root;
            level.next = level.next - before + root;
        }
    }
}

fn is_container(node: Node<'_>) -> bool {
    matches!(node.kind(), Kind::Array | Kind::Object)
}

#[cfg(test)]
mod tests {
    use super::StreamParts;
    use crate::{Choice, Options};

    /// Returns the parts of `text` that are returned after chunks of a size, and at the end.
    fn parts(text: &str, chunk: usize, choice: Choice) -> (Vec<String>, Vec<String>) {
        let mut parts = StreamParts::new(Options { choice, ..Options::default() });
        let mut found = Vec::new();
        let read = |path: &str, node: crate::Node<'_>| format!("{path} {node}");
        for piece in text.as_bytes().chunks(chunk) {
            parts.push(piece);
            while let Some(part) = parts.next_part_with(read) {
                found.push(part);
            }
        }
        let rest = parts.finish_with(read).map(|(rest, _)| rest).unwrap_or_default();
        (found, rest)
    }

    #[test]
    fn parts_come_once_and_in_order_however_the_text_is_cut() {
        for (text, expected) in [
            (
                r#"Here: {"a": {"b/c": [1, "x"]}, "d": {}, "e": null} Bye"#,
                &[
                    "/a/b~1c/0 1",
                    r#"/a/b~1c/1 "x""#,
                    r#"/a/b~1c [1,"x"]"#,
                    r#"/a {"b/c":[1,"x"]}"#,
                    "/d {}",
                    "/e null",
                ][..],
            ),
            ("[[[]], 7]", &["/0/0 []", "/0 [[]]", "/1 7"]),
            (
                "{'a': [{'b': 1}, {'b': 2",
                &[
                    "/a/0/b 1",
                    r#"/a/0 {"b":1}"#,
                    "/a/1/b 2",
                    r#"/a/1 {"b":2}"#,
                    r#"/a [{"b":1},{"b":2}]"#,
                ],
            ),
            ("\"text\"", &[]),
            ("{}", &[]),
        ] {
            for chunk in [1, 3, 1_000] {
                let (found, rest) = parts(text, chunk, Choice::First);
                let all: Vec<String> = found.into_iter().chain(rest).collect();
                assert_eq!(all, expected, "{text} in chunks of {chunk}");
                let (found, rest) = parts(text, chunk, Choice::Best);
                assert_eq!((found, rest), (Vec::new(), all), "{text}");
            }
        }
    }

    #[test]
    fn a_part_comes_as_soon_as_it_is_closed() {
        let (found, rest) = parts(r#"{"a": {"b": [1, 2]}, "c": "x"#, 1, Choice::First);
        assert_eq!(found, ["/a/b/0 1", "/a/b/1 2", "/a/b [1,2]", r#"/a {"b":[1,2]}"#]);
        assert_eq!(rest, [r#"/c "x""#]);
    }

    #[test]
    fn deep_parts_are_returned_with_the_part_around_them() {
        let text = format!("{}1{}", "[".repeat(40), "]".repeat(40));
        let (found, rest) = parts(&text, 7, Choice::First);
        let all: Vec<String> = found.into_iter().chain(rest).collect();
        assert_eq!(all.len(), super::MAX_LEVELS);
        assert_eq!(all[0], format!("{} {}", "/0".repeat(16), &text[16..65]));
    }
}
