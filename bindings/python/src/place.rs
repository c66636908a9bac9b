//! Where does a byte of a text stand, in code points?

use llmend::{Coercion, Diagnostic, Repair, Report, Span, Violation, json::CodePoints};

/// Turns the places of one text into code points.
pub(crate) struct Places<'t>(CodePoints<'t>);

impl<'t> Places<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self(CodePoints::new(text))
    }

    /// The code points before the byte at `offset`.
    pub(crate) fn at(&self, offset: usize) -> usize {
        self.0.at(offset)
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
