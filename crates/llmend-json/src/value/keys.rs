//! Detection of possible duplicate keys while text is read.

use crate::{
    Span,
    extract::Build,
    parser::{Window, escape::unescape},
    sink::{Container, Content, Literal, Sink},
};

/// A bit set of key hashes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct KeyHashes([u64; 4]);

impl KeyHashes {
    /// Adds a key with this hash; returns whether an earlier key may be equal.
    #[inline]
    pub(crate) fn repeat(&mut self, hash: u64) -> bool {
        let [.., place, one, other] = hash.to_le_bytes();
        let Some(seen) = self.0.get_mut(usize::from(place & 3)) else { return true };
        let bits = (1 << (one & 63)) | (1 << (other & 63));
        let repeat = *seen & bits == bits;
        *seen |= bits;
        repeat
    }
}

/// A sink that keeps only hashes of the keys of open objects, for text output without a value.
#[derive(Debug, Default)]
pub(crate) struct Keys {
    hashes: Vec<u64>,
    open: Vec<Open>,
    repeated: bool,
}

/// An open container.
#[derive(Debug)]
struct Open {
    /// Index of its first key.
    from: usize,
    seen: KeyHashes,
    /// Whether two keys may be equal.
    alike: bool,
}

/// Keys and nesting depth to reserve initially.
const USUAL_KEYS: usize = 32;
const USUAL_DEPTH: usize = 8;

/// Maximum number of keys that are compared pairwise.
const FEW: usize = 12;

/// For each value, whether two keys of one object have the same hash.
impl Build for Keys {
    type Built = bool;

    fn for_text(_: usize) -> Self {
        Self {
            hashes: Vec::with_capacity(USUAL_KEYS),
            open: Vec::with_capacity(USUAL_DEPTH),
            repeated: false,
        }
    }

    fn begin(&mut self) {
        self.hashes.clear();
        self.open.clear();
        self.repeated = false;
    }

    fn end(&mut self) -> bool {
        self.repeated
    }

    fn keep(&mut self) {}

    fn adopt(&mut self, _: Self, built: bool, _: &str, _: impl FnMut(Span) -> Span) -> bool {
        built
    }
}

impl Keys {
    fn check(keys: &mut [u64]) -> bool {
        if keys.len() <= FEW {
            return keys
                .iter()
                .enumerate()
                .any(|(at, key)| keys.get(at + 1..).is_some_and(|rest| rest.contains(key)));
        }
        keys.sort_unstable();
        keys.windows(2).any(|pair| pair.first() == pair.last())
    }
}

impl Sink for Keys {
    #[inline]
    fn open(&mut self, _: Container, _: usize) {
        self.open.push(Open { from: self.hashes.len(), seen: KeyHashes::default(), alike: false });
    }

    fn becomes(&mut self, _: Container) {}

    #[inline]
    fn close(&mut self, _: usize) {
        let Some(Open { from, alike, .. }) = self.open.pop() else { return };
        if alike && !self.repeated {
            self.repeated = self.hashes.get_mut(from..).is_some_and(Self::check);
        }
        self.hashes.truncate(from);
    }

    #[inline]
    fn key(&mut self, window: &Window<'_>, _: Span, content: Content<'_>) {
        let hash = match content {
            Content::Plain(inside) => hash(window.bytes(inside)),
            Content::Escaped(inside) => escaped(window.slice(inside)),
            Content::Repaired(text) => escaped(text),
        };
        self.hashes.push(hash);
        if let Some(open) = self.open.last_mut() {
            open.alike |= open.seen.repeat(hash);
        }
    }

    fn drop_key(&mut self) {
        self.hashes.pop();
    }

    fn string(&mut self, _: &Window<'_>, _: Span, _: Content<'_>) {}
    fn number(&mut self, _: &Window<'_>, _: Span, _: Content<'_>) {}
    fn literal(&mut self, _: Literal, _: Span) {}
}

#[cold]
fn escaped(text: &str) -> u64 {
    let mut out = String::new();
    unescape(text, &mut out);
    hash(out.as_bytes())
}

/// Hashes the length and both ends of a key. A collision only causes a closer comparison.
#[inline]
pub(crate) fn hash(key: &[u8]) -> u64 {
    let mix =
        |hash: u64, word: u64| (hash.rotate_left(5) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let length = key.len() as u64;
    if let (Some(first), Some(last)) = (key.first_chunk(), key.last_chunk()) {
        return mix(mix(length, u64::from_le_bytes(*first)), u64::from_le_bytes(*last));
    }
    if let (Some(first), Some(last)) = (key.first_chunk(), key.last_chunk()) {
        let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
        return mix(length, u64::from(first) << 32 | u64::from(last));
    }
    mix(length, key.iter().fold(0, |word, byte| (word << 8) | u64::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::Keys;
    use crate::{
        Span,
        extract::Build,
        parser::Window,
        sink::{Container, Content, Sink},
    };

    #[test]
    fn keys_that_repeat() {
        for (keys, expected) in
            [("a b c", false), ("a b a", true), ("a b c d e f g h i j k l m a", true), ("", false)]
        {
            let window = Window::whole(keys);
            let mut sink = Keys::default();
            sink.open(Container::Object, 0);
            let mut at = 0;
            for key in keys.split(' ') {
                sink.key(&window, Span::default(), Content::Plain(Span::new(at, at + key.len())));
                at += key.len() + 1;
            }
            sink.close(0);
            assert_eq!(sink.end(), expected, "{keys}");
        }
    }
}
