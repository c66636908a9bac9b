//! Conversion of all offsets of a record to another unit.

use crate::{Diagnostic, OffsetUnit, Offsets, Repair, Report, Span};

/// A record with byte offsets, which can be converted to another unit all at once.
///
/// ```
/// use llmend_json::{OffsetUnit, Relocate};
///
/// let text = "é {'a': 1}";
/// let mut report = llmend_json::parse(text)?.report;
/// assert_eq!(report.candidate.span.start, 3);
/// report.convert_offsets(text, OffsetUnit::CodePoint);
/// assert_eq!(report.candidate.span.start, 2);
/// # Ok::<(), llmend_json::Error>(())
/// ```
pub trait Relocate {
    /// Replaces every offset with the result of `to`.
    fn relocate(&mut self, to: &mut impl FnMut(usize) -> usize);

    /// Replaces every byte offset in `text` with one in `unit`.
    fn convert_offsets(&mut self, text: &str, unit: OffsetUnit) {
        let offsets = Offsets::new(text, unit);
        self.relocate(&mut |at| offsets.at(at));
    }
}

impl Relocate for usize {
    fn relocate(&mut self, to: &mut impl FnMut(usize) -> usize) {
        *self = to(*self);
    }
}

impl Relocate for Span {
    fn relocate(&mut self, to: &mut impl FnMut(usize) -> usize) {
        self.start.relocate(to);
        self.end.relocate(to);
    }
}

impl<T: Relocate> Relocate for Option<T> {
    fn relocate(&mut self, to: &mut impl FnMut(usize) -> usize) {
        if let Some(place) = self {
            place.relocate(to);
        }
    }
}

impl<T: Relocate> Relocate for [T] {
    fn relocate(&mut self, to: &mut impl FnMut(usize) -> usize) {
        for row in self {
            row.relocate(to);
        }
    }
}

impl Relocate for Repair {
    fn relocate(&mut self, to: &mut impl FnMut(usize) -> usize) {
        self.span.relocate(to);
    }
}

impl Relocate for Diagnostic {
    fn relocate(&mut self, to: &mut impl FnMut(usize) -> usize) {
        self.span.relocate(to);
        if let Some(edit) = &mut self.edit {
            edit.start.relocate(to);
            edit.end.relocate(to);
        }
    }
}

impl Relocate for Report {
    fn relocate(&mut self, to: &mut impl FnMut(usize) -> usize) {
        self.cut.relocate(to);
        self.candidate.span.relocate(to);
        self.repairs.relocate(to);
        self.diagnostics.relocate(to);
    }
}

#[cfg(test)]
mod tests {
    use super::Relocate;
    use crate::{Diagnostic, Edit, OffsetUnit, Severity, Span, parse};

    #[test]
    fn all_offsets_of_a_report_are_converted() {
        let text = "日本: {'é': 1, 'é': [2, ü";
        let mut report = parse(text).unwrap().report;
        let bytes = report.clone();
        report.convert_offsets(text, OffsetUnit::CodePoint);
        let counted = |span: Span| {
            let upto = |at: usize| text.get(..at).unwrap().chars().count();
            Span::new(upto(span.start), upto(span.end))
        };
        assert_eq!(report.candidate.span, counted(bytes.candidate.span));
        assert_eq!(report.cut, bytes.cut.map(|at| counted(Span::at(at)).start));
        assert!(report.cut.is_some() && !report.repairs.is_empty());
        for (moved, before) in report.repairs.iter().zip(&bytes.repairs) {
            assert_eq!(moved.span, counted(before.span));
        }
        assert!(report.diagnostics.iter().any(|row| row.span.is_some()));
        for (moved, before) in report.diagnostics.iter().zip(&bytes.diagnostics) {
            assert_eq!(moved.span, before.span.map(counted));
        }
    }

    #[test]
    fn offsets_of_an_edit_are_converted() {
        let edit = Edit { start: 4, end: 6, replacement: String::new() };
        let mut row = Diagnostic::new("value/any", Severity::Info, "any").at(Span::new(4, 8));
        row.edit = Some(edit);
        row.relocate(&mut |at| at / 2);
        assert_eq!(row.span, Some(Span::new(2, 4)));
        assert_eq!(row.edit.map(|edit| (edit.start, edit.end)), Some((2, 3)));
    }
}
