//! A validator of strict JSON that can be resumed at any byte.
//!
//! It follows brackets, separators and quotes only. Words and escapes are left to [`Data::read`].
//!
//! [`Data::read`]: crate::data::Data::read

/// Deepest nesting.
const DEEPEST: u32 = 60;

/// What may come next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Value,
    ValueOrEnd,
    Key,
    KeyOrEnd,
    Colon,
    CommaOrEnd,
    Text { key: bool, escape: bool },
    Word,
}

/// The state before a byte.
#[derive(Clone, Copy, Debug)]
pub(super) struct State {
    next: Next,
    depth: u32,
    /// One bit for each open bracket, the innermost last; set for lists.
    lists: u64,
}

impl State {
    pub(super) const START: Self = Self { next: Next::Value, depth: 0, lists: 0 };

    pub(super) const fn in_text(self) -> bool {
        matches!(self.next, Next::Text { .. })
    }

    /// Whether the text may end here.
    pub(super) const fn may_end(self) -> bool {
        self.depth == 0 && matches!(self.next, Next::CommaOrEnd | Next::Word)
    }

    /// Returns the state behind `byte`, or `None` if it cannot stand here.
    pub(super) fn step(self, byte: u8) -> Option<Self> {
        match self.next {
            Next::Text { key, escape } => self.in_string(byte, key, escape),
            Next::Word if byte.is_ascii_alphanumeric() || b"+-.".contains(&byte) => Some(self),
            Next::Word => self.to(Next::CommaOrEnd).step(byte),
            _ if byte.is_ascii_whitespace() => Some(self),
            Next::Value => self.value(byte),
            Next::ValueOrEnd if byte == b']' => self.close(byte),
            Next::ValueOrEnd => self.value(byte),
            Next::KeyOrEnd if byte == b'}' => self.close(byte),
            Next::Key | Next::KeyOrEnd => {
                (byte == b'"').then(|| self.to(Next::Text { key: true, escape: false }))
            }
            Next::Colon => (byte == b':').then(|| self.to(Next::Value)),
            Next::CommaOrEnd if byte == b',' && self.depth > 0 => {
                Some(self.to(if self.in_list() { Next::Value } else { Next::Key }))
            }
            Next::CommaOrEnd => self.close(byte),
        }
    }

    /// Returns the state behind `bytes`.
    pub(super) fn run(self, bytes: &[u8]) -> Option<Self> {
        bytes.iter().try_fold(self, |state, &byte| state.step(byte))
    }

    const fn to(self, next: Next) -> Self {
        Self { next, ..self }
    }

    const fn in_list(self) -> bool {
        self.lists & 1 == 1
    }

    fn in_string(self, byte: u8, key: bool, escape: bool) -> Option<Self> {
        match byte {
            b'"' if !escape => Some(self.to(if key { Next::Colon } else { Next::CommaOrEnd })),
            0..b' ' => None,
            _ => Some(self.to(Next::Text { key, escape: byte == b'\\' && !escape })),
        }
    }

    fn value(self, byte: u8) -> Option<Self> {
        match byte {
            b'{' => self.open(false, Next::KeyOrEnd),
            b'[' => self.open(true, Next::ValueOrEnd),
            b'"' => Some(self.to(Next::Text { key: false, escape: false })),
            b'-' => Some(self.to(Next::Word)),
            _ => byte.is_ascii_alphanumeric().then(|| self.to(Next::Word)),
        }
    }

    fn open(self, list: bool, next: Next) -> Option<Self> {
        let lists = self.lists << 1 | u64::from(list);
        (self.depth < DEEPEST).then_some(Self { next, depth: self.depth + 1, lists })
    }

    fn close(self, byte: u8) -> Option<Self> {
        let wanted = if self.in_list() { b']' } else { b'}' };
        let outer = Self {
            next: Next::CommaOrEnd,
            depth: self.depth.checked_sub(1)?,
            lists: self.lists >> 1,
        };
        (byte == wanted).then_some(outer)
    }
}

#[cfg(test)]
mod tests {
    use super::State;

    #[test]
    fn structure_is_strict() {
        let is_whole = |text: &str| State::START.run(text.as_bytes()).is_some_and(State::may_end);
        for text in ["1", "[]", "{}", " [1, \"a\"] ", r#"{"a": [{"b\"": -1e3}, null], "c": {}}"#] {
            assert!(is_whole(text), "{text}");
        }
        for text in [
            "",
            "[",
            "[1,]",
            "[1 2]",
            "{\"a\"}",
            "{\"a\": }",
            "{1: 2}",
            "[}",
            "[]]",
            "1, 2",
            "{\"a\": 1,}",
            "\"a",
            "\"a\nb\"",
            "[1]]",
            "{\"a\": 1: 2}",
        ] {
            assert!(!is_whole(text), "{text}");
        }
    }
}
