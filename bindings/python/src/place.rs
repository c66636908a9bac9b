//! Where does a byte of a text stand, in code points?

use llmend::{Coercion, Diagnostic, Repair, Report, Span, Violation};

/// Bytes between two places that are remembered.
const STRIDE: usize = 1024;

/// Counts code points up to a byte of one text. The text is gone through once, when the first place
/// is asked for, and not at all if all of it is ASCII.
pub(crate) struct Places<'t> {
    text: &'t str,
    /// Code points before each multiple of [`STRIDE`] bytes; nothing where bytes are code points.
    before: Option<Vec<usize>>,
}

impl<'t> Places<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        let before = (!text.is_ascii()).then(|| {
            let counts = text.as_bytes().chunks(STRIDE).map(begun);
            let mut sum = 0;
            let sums = counts.map(|count| {
                sum += count;
                sum
            });
            std::iter::once(0).chain(sums).collect()
        });
        Self { text, before }
    }

    /// The code points before the byte at `offset`.
    pub(crate) fn at(&self, offset: usize) -> usize {
        let Some(before) = &self.before else { return offset };
        let offset = offset.min(self.text.len());
        let stride = offset / STRIDE;
        let rest = self.text.as_bytes().get(stride * STRIDE..offset).unwrap_or_default();
        before.get(stride).copied().unwrap_or_default() + begun(rest)
    }

    fn span(&self, span: Span) -> Span {
        Span::new(self.at(span.start), self.at(span.end))
    }

    pub(crate) fn of_report(&self, report: &mut Report) {
        report.cut = report.cut.map(|at| self.at(at));
        report.candidate.span = self.span(report.candidate.span);
        self.of_repairs(&mut report.repairs);
        self.of_diagnostics(&mut report.diagnostics);
    }

    pub(crate) fn of_repairs(&self, repairs: &mut [Repair]) {
        for repair in repairs {
            repair.span = self.span(repair.span);
        }
    }

    pub(crate) fn of_diagnostics(&self, diagnostics: &mut [Diagnostic]) {
        for row in diagnostics {
            row.span = row.span.map(|span| self.span(span));
            if let Some(edit) = &mut row.edit {
                (edit.start, edit.end) = (self.at(edit.start), self.at(edit.end));
            }
        }
    }

    pub(crate) fn of_coercions(&self, coercions: &mut [Coercion]) {
        for coercion in coercions {
            coercion.span = coercion.span.map(|span| self.span(span));
        }
    }

    pub(crate) fn of_violations(&self, violations: &mut [Violation]) {
        for violation in violations {
            violation.span = violation.span.map(|span| self.span(span));
        }
    }
}

/// How many characters begin in `bytes`.
fn begun(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
}

/// Counts code points in a text that grows, from where it last counted.
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

    fn at(&mut self, offset: usize, text: &[u8]) -> usize {
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
