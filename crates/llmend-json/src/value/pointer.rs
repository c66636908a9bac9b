//! JSON Pointers into values.

use crate::{
    Span,
    value::{KEYS_ALIKE, Kind, Node, Slot, SlotKind, Value},
};

impl Node<'_> {
    /// Returns the part at a JSON Pointer (RFC 6901), such as `/steps/0/id`; the part itself for
    /// the empty path.
    ///
    /// ```
    /// let value = llmend_json::parse(r#"{"steps": [{"id": 7}]}"#)?.value;
    /// let id = value.root().pointer("/steps/0/id").and_then(|id| id.number());
    /// assert_eq!(id, Some("7"));
    /// # Ok::<(), llmend_json::Error>(())
    /// ```
    #[must_use]
    pub fn pointer(self, path: &str) -> Option<Self> {
        if path.is_empty() {
            return Some(self);
        }
        path.strip_prefix('/')?.split('/').try_fold(self, |node, token| match node.kind() {
            Kind::Object => node.get(&unescape_token(token)),
            Kind::Array => {
                let canonical = token == "0" || !token.starts_with('0');
                node.item(token.parse().ok().filter(|_| canonical)?)
            }
            _ => None,
        })
    }
}

/// Appends a key or index to a JSON Pointer (RFC 6901).
///
/// ```
/// let mut path = "/steps".to_owned();
/// llmend_json::push_token(&mut path, "a/b");
/// assert_eq!(path, "/steps/a~1b");
/// ```
pub fn push_token(path: &mut String, token: &str) {
    path.push('/');
    let mut rest = token;
    while let Some(at) = memchr::memchr2(b'~', b'/', rest.as_bytes()) {
        let (run, tail) = rest.split_at(at);
        path.push_str(run);
        path.push_str(if tail.starts_with('~') { "~0" } else { "~1" });
        rest = tail.get(1..).unwrap_or_default();
    }
    path.push_str(rest);
}

/// Returns the key that a token of a JSON Pointer (RFC 6901) stands for.
///
/// ```
/// assert_eq!(llmend_json::unescape_token("a~1b"), "a/b");
/// ```
#[must_use]
pub fn unescape_token(token: &str) -> String {
    token.replace("~1", "/").replace("~0", "~")
}

impl Value<'_> {
    /// Returns the JSON Pointer of the innermost part whose span covers `span`.
    ///
    /// ```
    /// use llmend_json::Span;
    ///
    /// let value = llmend_json::parse(r#"{"steps": ["a", "b"]}"#)?.value;
    /// assert_eq!(value.path_at(Span::new(17, 18)), "/steps/1");
    /// # Ok::<(), llmend_json::Error>(())
    /// ```
    #[must_use]
    pub fn path_at(&self, span: Span) -> String {
        let mut path = String::new();
        let mut node = self.root();
        loop {
            let inner = match node.kind() {
                Kind::Array => node
                    .items()
                    .enumerate()
                    .find(|(_, item)| item.span().contains(span))
                    .map(|(at, item)| (at.to_string(), item)),
                Kind::Object => node
                    .members()
                    .find(|(key, item)| {
                        Span::new(key.span().start, item.span().end.max(key.span().end))
                            .contains(span)
                    })
                    .map(|(key, item)| (key.str().unwrap_or_default().to_owned(), item)),
                _ => None,
            };
            let Some((token, next)) = inner else { return path };
            push_token(&mut path, &token);
            node = next;
        }
    }

    /// Returns the first 32 duplicate keys: the JSON Pointer of the object, the key, and the span
    /// of the later key.
    ///
    /// ```
    /// use llmend_json::Span;
    ///
    /// let value = llmend_json::parse(r#"{"a": {"b": 1, "b": 2}}"#)?.value;
    /// assert_eq!(value.duplicate_keys(), [("/a".to_owned(), "b".to_owned(), Span::new(15, 18))]);
    /// # Ok::<(), llmend_json::Error>(())
    /// ```
    #[must_use]
    pub fn duplicate_keys(&self) -> Vec<(String, String, Span)> {
        let mut found = Vec::new();
        let mut keys: Vec<(&str, usize)> = Vec::new();
        let alike = |slot: &Slot| slot.marks == KEYS_ALIKE && slot.kind == SlotKind::Object;
        for (index, _) in self.slots.iter().enumerate().filter(|(_, slot)| alike(slot)) {
            let object = Node { value: self, index };
            keys.clear();
            keys.extend(object.members().map(|(key, _)| (self.content(key.index), key.index)));
            keys.sort_unstable();
            for pair in keys.windows(2) {
                let [(first, _), (second, at)] = *pair else { continue };
                if first == second {
                    let later = Node { value: self, index: at };
                    found.push((self.path_of(index), second.to_owned(), later.span()));
                }
                if found.len() == MAX_DUPLICATES {
                    return found;
                }
            }
        }
        found.sort_by_key(|(_, _, span)| *span);
        found
    }

    /// Returns the JSON Pointer of the slot at `index`.
    pub(super) fn path_of(&self, index: usize) -> String {
        let mut path = String::new();
        let mut node = self.root();
        while node.index != index {
            let inner = match node.kind() {
                Kind::Array => node
                    .items()
                    .enumerate()
                    .find(|(_, item)| index < self.after(item.index))
                    .map(|(at, item)| (at.to_string(), item)),
                _ => node
                    .members()
                    .find(|(_, item)| index < self.after(item.index))
                    .map(|(key, item)| (key.str().unwrap_or_default().to_owned(), item)),
            };
            let Some((token, next)) = inner else { return path };
            push_token(&mut path, &token);
            node = next;
        }
        path
    }
}

/// Maximum number of duplicate keys returned.
const MAX_DUPLICATES: usize = 32;
