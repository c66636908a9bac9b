//! Which part of a value stands at a path, or at a place of the text?

use crate::{
    Span,
    value::{Kind, Node, Value},
};

impl<'v> Node<'v> {
    /// The part at a JSON Pointer (RFC 6901), such as `/steps/0/id`; the whole at the empty path.
    #[must_use]
    pub fn pointer(self, path: &str) -> Option<Self> {
        if path.is_empty() {
            return Some(self);
        }
        path.strip_prefix('/')?.split('/').try_fold(self, |node, token| match node.kind() {
            Kind::Object => node.get(&token.replace("~1", "/").replace("~0", "~")),
            Kind::Array => {
                let canonical = token == "0" || !token.starts_with('0');
                node.item(token.parse().ok().filter(|_| canonical)?)
            }
            _ => None,
        })
    }
}

/// Makes the JSON Pointer `path` one token longer.
pub(crate) fn push_token(path: &mut String, token: &str) {
    path.push('/');
    path.push_str(&token.replace('~', "~0").replace('/', "~1"));
}

impl Value<'_> {
    /// JSON Pointer of the innermost part whose place in the text covers `span`.
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

    /// Objects with a key that stands twice: JSON Pointer of the object, the key, and where the
    /// later one stands.
    #[must_use]
    pub fn duplicate_keys(&self) -> Vec<(String, String, Span)> {
        use crate::value::SlotKind;
        let mut found = Vec::new();
        let mut seen: Vec<(u64, usize)> = Vec::new();
        for (index, slot) in self.slots.iter().enumerate() {
            if slot.kind != SlotKind::Object {
                continue;
            }
            let object = Node { value: self, index };
            seen.clear();
            seen.extend(
                object.members().map(|(key, _)| (hash(key.str().unwrap_or_default()), key.index)),
            );
            if seen.len() < 2 {
                continue;
            }
            seen.sort_unstable();
            for pair in seen.windows(2) {
                let [(first, a), (second, b)] = *pair else { continue };
                if first == second && self.content(a) == self.content(b) {
                    let later = Node { value: self, index: b };
                    found.push((self.path_of(index), self.content(b).to_owned(), later.span()));
                }
            }
        }
        found.sort_by_key(|(_, _, span)| *span);
        found
    }

    /// JSON Pointer of the slot at `index`.
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

/// FNV-1a: keys are short, and equal hashes are compared in full.
fn hash(key: &str) -> u64 {
    key.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}
