//! Which parts of a value are complete, while its text arrives?

use crate::{Error, Kind, Node, Options, Parsed, State, Stream, Value, value::push_token};

/// Most levels of containers whose parts are given one by one: what lies deeper comes with what it
/// stands in.
const MOST_LEVELS: usize = 16;

/// Gives the parts of a value while the text arrives, each as soon as it is complete, and each
/// before what it stands in. The value as a whole comes with the end.
///
/// Under [`Choice::First`](crate::Choice::First) a part comes as soon as it is closed; under
/// [`Choice::Best`](crate::Choice::Best) all come at the end. Parts that are nested more than 16
/// levels deep come with the part around them.
///
/// ```
/// use llmend_json::{Choice, Node, Options, StreamParts};
///
/// let mut parts = StreamParts::new(Options { choice: Choice::First, ..Options::default() });
/// parts.push(b"Trip: {'city': 'Oslo', 'days': [1, 2], 'gui");
/// let mut told = Vec::new();
/// while let Some(part) = parts.next_part_with(|path, node| format!("{path} {node}")) {
///     told.push(part);
/// }
/// assert_eq!(told, [r#"/city "Oslo""#, "/days/0 1", "/days/1 2", "/days [1,2]"]);
/// # Ok::<(), llmend_json::Error>(())
/// ```
pub struct StreamParts {
    stream: Stream,
    cursor: Cursor,
}

impl StreamParts {
    /// A stream of which nothing has arrived.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self { stream: Stream::new(options), cursor: Cursor::default() }
    }

    /// Takes the next bytes of the text: see [`Stream::push`].
    pub fn push(&mut self, chunk: &[u8]) {
        self.stream.push(chunk);
    }

    /// The next part that is complete, if there is one, as `read` reads it: its JSON Pointer
    /// (RFC 6901) in the value, and the part.
    pub fn next_part_with<R>(&mut self, read: impl FnOnce(&str, Node<'_>) -> R) -> Option<R> {
        let view = self.stream.view();
        let root = view.root()?;
        let node = self.cursor.next(root, |node| view.state(node))?;
        Some(read(&self.cursor.given, node))
    }

    /// The text is complete: the parts that were not given yet, as `read` reads them, and what the
    /// text says as a whole.
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

/// How far the parts of a value were given.
#[derive(Debug, Default)]
struct Cursor {
    /// Where the value begins, once it was seen.
    root: Option<usize>,
    levels: Vec<Level>,
    /// JSON Pointer of the innermost level.
    path: String,
    /// JSON Pointer of the part that was given last.
    given: String,
}

/// A container whose parts are given.
#[derive(Debug)]
struct Level {
    container: usize,
    /// Where its next part stands; of an object, the key of that.
    next: usize,
    items: usize,
    /// Length of the path of what it stands in.
    path: usize,
}

impl Cursor {
    /// The next part that is complete; its path is in `given`.
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
                // The value as a whole is not given here.
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
            let descends = is_container(part) && self.levels.len() < MOST_LEVELS;
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

    /// Goes on to the part after `part`, to which the path leads now; its length was that which is
    /// given back.
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
            // Of a container that is entered, the end is known when it is left.
            level.next = value.after(part.index);
        }
        length
    }

    fn enter(&mut self, container: usize, path: usize) {
        self.levels.push(Level { container, next: container + 1, items: 0, path });
    }

    /// The value was copied, and begins at `root` now.
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

    /// The parts of `text`, as they come in chunks of so many bytes, and at the end.
    fn parts(text: &str, chunk: usize, choice: Choice) -> (Vec<String>, Vec<String>) {
        let mut parts = StreamParts::new(Options { choice, ..Options::default() });
        let mut told = Vec::new();
        let read = |path: &str, node: crate::Node<'_>| format!("{path} {node}");
        for piece in text.as_bytes().chunks(chunk) {
            parts.push(piece);
            while let Some(part) = parts.next_part_with(read) {
                told.push(part);
            }
        }
        let rest = parts.finish_with(read).map(|(rest, _)| rest).unwrap_or_default();
        (told, rest)
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
                let (told, rest) = parts(text, chunk, Choice::First);
                let all: Vec<String> = told.into_iter().chain(rest).collect();
                assert_eq!(all, expected, "{text} in chunks of {chunk}");
                let (told, rest) = parts(text, chunk, Choice::Best);
                assert_eq!((told, rest), (Vec::new(), all), "{text}");
            }
        }
    }

    #[test]
    fn a_part_comes_as_soon_as_it_is_closed() {
        let (told, rest) = parts(r#"{"a": {"b": [1, 2]}, "c": "x"#, 1, Choice::First);
        assert_eq!(told, ["/a/b/0 1", "/a/b/1 2", "/a/b [1,2]", r#"/a {"b":[1,2]}"#]);
        assert_eq!(rest, [r#"/c "x""#]);
    }

    #[test]
    fn what_lies_deep_comes_with_what_it_stands_in() {
        let text = format!("{}1{}", "[".repeat(40), "]".repeat(40));
        let (told, rest) = parts(&text, 7, Choice::First);
        let all: Vec<String> = told.into_iter().chain(rest).collect();
        assert_eq!(all.len(), super::MOST_LEVELS);
        assert_eq!(all[0], format!("{} {}", "/0".repeat(16), &text[16..65]));
    }
}
