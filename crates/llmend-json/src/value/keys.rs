//! May a key stand twice in one object? Asked where no value is built.

use crate::{
    Span,
    extract::Build,
    parser::{Window, escape::unescape},
    sink::{Container, Content, Literal, Sink},
};

/// A sink that keeps a hash of each key of the open objects, and nothing else.
#[derive(Debug, Default)]
pub(crate) struct Keys {
    hashes: Vec<u64>,
    /// Where the keys of each open container begin.
    open: Vec<usize>,
    repeated: bool,
}

/// Most keys of an object that are compared one with the other.
const FEW: usize = 12;

/// Of each value, whether two keys of one object have the same hash.
impl Build for Keys {
    type Built = bool;

    fn for_text(_: usize) -> Self {
        Self::default()
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
        self.open.push(self.hashes.len());
    }

    fn becomes_array(&mut self) {}

    #[inline]
    fn close(&mut self, _: usize) {
        let from = self.open.pop().unwrap_or_default();
        if !self.repeated && self.hashes.len() > from + 1 {
            self.repeated = self.hashes.get_mut(from..).is_some_and(Self::check);
        }
        self.hashes.truncate(from);
    }

    #[inline]
    fn key(&mut self, window: &Window<'_>, _: Span, content: Content<'_>) {
        self.hashes.push(match content {
            Content::Plain(inside) => hash(window.slice(inside)),
            Content::Escaped(inside) => escaped(window.slice(inside)),
            Content::Mended(text) => escaped(text),
        });
    }

    fn drop_key(&mut self) {
        self.hashes.pop();
    }

    fn string(&mut self, _: &Window<'_>, _: Span, _: Content<'_>) {}
    fn number(&mut self, _: &Window<'_>, _: Span, _: Content<'_>) {}
    fn literal(&mut self, _: Literal, _: Span) {}
}

fn escaped(text: &str) -> u64 {
    let mut out = String::new();
    unescape(text, &mut out);
    hash(&out)
}

/// Eight bytes at a time: the hash is only asked whether a closer look is worth it.
#[inline]
fn hash(text: &str) -> u64 {
    let mut hash = text.len() as u64;
    for chunk in text.as_bytes().chunks(8) {
        let mut eight = [0; 8];
        for (place, byte) in eight.iter_mut().zip(chunk) {
            *place = *byte;
        }
        hash =
            (hash.rotate_left(5) ^ u64::from_le_bytes(eight)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
    hash
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
