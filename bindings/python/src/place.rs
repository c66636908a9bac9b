//! Conversion of byte offsets to code points.

use llmend::{Span, asking::OffsetCounter, json::CodePoints};

/// Returns a counter that converts byte offsets of `text` to code points.
pub(crate) fn counted(text: &str) -> OffsetCounter<'_> {
    let points = CodePoints::new(text);
    Box::new(move |at| points.at(at))
}

/// Counts the characters that start in `bytes`.
fn begun(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
}

/// Counts code points in a growing text, incrementally.
#[derive(Default)]
pub(crate) struct Walker {
    bytes: usize,
    characters: usize,
}

impl Walker {
    pub(crate) fn span(&mut self, span: Span, text: &[u8]) -> Span {
        let start = self.at(span.start, text);
        Span::new(start, self.at(span.end, text))
    }

    pub(crate) fn at(&mut self, offset: usize, text: &[u8]) -> usize {
        let offset = offset.min(text.len());
        let between = |from: usize, to: usize| text.get(from..to).map(begun).unwrap_or_default();
        self.characters = if offset < self.bytes {
            self.characters - between(offset, self.bytes)
        } else {
            self.characters + between(self.bytes, offset)
        };
        self.bytes = offset;
        self.characters
    }
}
