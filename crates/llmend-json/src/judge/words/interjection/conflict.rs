//! Marks of a merge conflict, as version control writes them: what is between them are alternatives.

use super::LINE_REACH;
use crate::parser::Window;

/// What the lines begin with.
const MARKS: &[&str] = &["<<<<", "====", "||||", ">>>>"];

/// Returns whether `line` marks one of several alternatives.
pub(super) fn marks(line: &str) -> bool {
    MARKS.iter().any(|marks| line.starts_with(marks))
}

/// Returns whether a line that marks one of several alternatives begins at `at`.
pub(crate) fn is_at(window: &Window<'_>, at: usize) -> bool {
    window.byte_before(at) == Some(b'\n') && marks(window.line_after(at, LINE_REACH))
}
