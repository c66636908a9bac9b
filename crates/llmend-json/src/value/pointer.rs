//! Which part of a value stands at a path, or at a place of the text?

use crate::{
    Span,
    value::{Kind, Node, Slot, SlotKind, Value},
};

impl Node<'_> {
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
    /// later one stands. The first 32 of them.
    #[must_use]
    pub fn duplicate_keys(&self) -> Vec<(String, String, Span)> {
        let mut found = Vec::new();
        let mut keys: Vec<(&str, usize)> = Vec::new();
        let objects =
            self.slots.iter().enumerate().filter(|(_, slot)| slot.kind == SlotKind::Object);
        for (index, _) in objects {
            if !self.may_repeat(index) {
                continue;
            }
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
                if found.len() == MOST_DUPLICATES {
                    return found;
                }
            }
        }
        found.sort_by_key(|(_, _, span)| *span);
        found
    }

    /// Whether two keys of the object at `index` may be equal: a cheap look at its first few.
    fn may_repeat(&self, index: usize) -> bool {
        let end = self.after(index);
        let mut seen = [&[][..]; FEW];
        // A bit for each way that a key seen so far looks at a glance.
        let mut looks = [0_u64; 4];
        let (mut count, mut at) = (0, index + 1);
        while at + 1 < end {
            let Some(key) = self.slots.get(at).and_then(Slot::borrowed) else { return true };
            let key = self.text.as_bytes().get(key.start..key.end).unwrap_or_default();
            let look = glance(key);
            if let Some(bits) = looks.get_mut(usize::from(look >> 6)) {
                let bit = 1 << (look & 63);
                if *bits & bit != 0 && seen.iter().take(count).any(|other| *other == key) {
                    return true;
                }
                *bits |= bit;
            }
            let Some(place) = seen.get_mut(count) else { return true };
            *place = key;
            count += 1;
            at = self.after(at + 1);
        }
        false
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

/// A number that is the same for equal keys, and mostly another for others.
#[inline]
fn glance(key: &[u8]) -> u8 {
    let (first, last) = (key.first().unwrap_or(&0), key.last().unwrap_or(&0));
    #[expect(clippy::cast_possible_truncation, reason = "its low bits will do")]
    let length = key.len() as u8;
    first.wrapping_mul(31).wrapping_add(last.wrapping_mul(7)).wrapping_add(length.wrapping_mul(59))
}

/// Most duplicate keys that are told of; a text with more has other troubles.
const MOST_DUPLICATES: usize = 32;
/// Most keys of an object that are compared one with the other.
const FEW: usize = 12;
