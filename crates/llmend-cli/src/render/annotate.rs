//! Source snippets with marks.

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Snippet};
use llmend::json::{Span, line_column};

use crate::render::{
    Named, visible, width,
    window::{Mark, Room, Weight, Window, windows},
};

/// Characters of a file name that are shown.
const SHOWN_NAME: usize = 600;

/// Says up to which line `span` extends, if it spans several.
pub(super) fn extent(source: Named<'_>, span: Span) -> Option<String> {
    let inside = span.of(source.text).trim_end_matches(['\n', '\r']);
    inside
        .contains('\n')
        .then(|| format!("up to line {}", line_column(source.text, span.start + inside.len()).0))
}

/// Renders the parts of the text around `marks`.
pub(super) fn marked<'a>(
    source: Named<'a>,
    marks: Vec<Mark>,
    level: &Level<'a>,
) -> impl Iterator<Item = Group<'a>> {
    windows(source.text, marks, Room::of(width()))
        .into_iter()
        .map(|window| group(window, level.clone()))
}

/// Trims white space from both ends of `span`, unless nothing else is left.
pub(super) fn trimmed(text: &str, span: Span) -> Span {
    let part = span.of(text);
    let start = span.start + (part.len() - part.trim_start().len());
    let end = start + part.trim().len();
    if start < end { Span::new(start, end) } else { span }
}

/// Returns the location of `span` for the line above a snippet.
pub(super) fn origin(source: Named<'_>, span: Span) -> Origin<'_> {
    let (line, column) = line_column(source.text, span.start);
    Origin::path(visible(source.name, SHOWN_NAME)).line(line).char_column(column)
}

/// Renders a window with its marks. Of equal labels on one line, only the last is shown, with a count.
fn group(window: Window, level: Level<'_>) -> Group<'_> {
    let mut annotations = Vec::with_capacity(window.marks.len());
    for (at, mark) in window.marks.iter().enumerate() {
        let line_end = window.text.get(mark.span.start..).and_then(|rest| rest.find('\n'));
        let alike = |other: &&Mark| other.head == mark.head && other.tail == mark.tail;
        let on_line =
            |other: &&Mark| line_end.is_none_or(|end| other.span.start <= mark.span.start + end);
        let later = window.marks.iter().skip(at + 1).take_while(on_line).filter(alike).count();
        let line_start = window
            .text
            .get(..mark.span.start)
            .and_then(|rest| rest.rfind('\n'))
            .map_or(0, |end| end + 1);
        let earlier = window
            .marks
            .iter()
            .take(at)
            .filter(|other| other.span.start >= line_start)
            .filter(alike)
            .count();
        let kind = match mark.weight {
            Weight::Main => AnnotationKind::Primary,
            Weight::Side => AnnotationKind::Context,
        };
        let annotation = kind.span(mark.span.start..mark.span.end);
        annotations.push(match (later, earlier) {
            (0, 0) => annotation.label(format!("{}{}", mark.head, mark.tail)),
            (0, _) => annotation.label(format!("{} ×{}{}", mark.head, earlier + 1, mark.tail)),
            _ => annotation,
        });
    }
    Group::with_level(level).element(
        Snippet::source(window.text).line_start(window.line).fold(false).annotations(annotations),
    )
}
