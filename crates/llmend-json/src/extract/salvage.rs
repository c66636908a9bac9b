//! Lists with items that cannot be read, without these items.
//!
//! The parser runs on behind each such item to find all of them. They are then removed in a copy of
//! the text, which is parsed as a whole. Only if the rest was read in the same way with and without
//! them is that the value.

use crate::{
    ErrorKind, OnBadItem, Repair, Rule, Span,
    extract::{
        Build, FailedAttempt, FoundValue, Start, attempt,
        layer::{self, Layer},
    },
    judge::bracket::item,
    options::Settings,
    parser::{Budget, Flow, Log, Parser, Window},
    sink::{Container, Content, Literal, Sink},
};

/// Most items that are left out.
const MAX_ITEMS: usize = 1 << 12;

/// Parses the value that `failed` without the items that cannot be read. Returns `None` if that is
/// not possible.
pub(super) fn without_bad_items<B: Build>(
    window: &Window<'_>,
    failed: &FailedAttempt,
    options: &Settings<'_>,
    sink: &mut B,
) -> Option<FoundValue<B>> {
    let (bad, repairs) = bad_items(window, failed.start, options)?;
    let mut log = Log::new(options);
    for edit in edits(window, &bad, options.on_bad_item) {
        // Each item is a repair of its own, also beside another one.
        log.mark();
        log.record(Rule::UnreadableItem, edit.span, edit.replacement).ok()?;
    }
    let layer = Layer::edited(window, failed.start, log.finish());
    let copy = Window::whole(&layer.text);
    let mut inner = B::for_text(layer.text.len());
    let budget = &mut Budget::new(0);
    let found = attempt(&copy, 0, Start::Value, failed.origin, options, budget, &mut inner).ok()?;
    let read = found.span.end;
    let places = layer.places();
    let all = layer::compose(window.text, &layer, &found.repairs, read);
    let others = all.iter().filter(|repair| repair.rule != Rule::UnreadableItem);
    if !others.eq(repairs.iter()) {
        return None;
    }
    let end = places.of(read);
    let cut = found.cut.map(|cut| places.of(cut).min(end));
    sink.begin();
    Some(FoundValue {
        span: Span::new(failed.start, end),
        repairs: all,
        cut,
        built: sink.adopt(inner, found.built, &layer.text, places.of_spans()),
        ..found
    })
}

/// Returns the items of the value at `at` that cannot be read, and the repairs of the rest.
fn bad_items(
    window: &Window<'_>,
    at: usize,
    options: &Settings<'_>,
) -> Option<(Vec<Span>, Vec<Repair>)> {
    if !matches!(window.byte(at), Some(b'{' | b'[' | b'(')) {
        return None;
    }
    let mut parser = Parser::new(options, at);
    let mut levels = Levels::default();
    let mut bad: Vec<Span> = Vec::new();
    loop {
        let stop = match parser.run(window, &mut levels) {
            Ok(Flow::Done) => break,
            Ok(_) => return None,
            Err(stop) => stop,
        };
        let place = parser.failed.map_or(parser.at, |failed| failed.at);
        let known = bad.last().map_or(at, |last| last.end);
        if matches!(stop.kind, ErrorKind::Depth | ErrorKind::Repairs) || bad.len() == MAX_ITEMS {
            return None;
        }
        let (depth, span) = levels.bad_item(window, place, known)?;
        levels.0.truncate(depth);
        parser.resume_after(depth, span.end);
        bad.push(span);
    }
    let mut repairs = parser.log.finish();
    repairs.retain(|repair| {
        !bad.iter().any(|item| item.start <= repair.span.start && repair.span.end <= item.end)
    });
    (!bad.is_empty()).then_some((bad, repairs))
}

/// Returns the edits that remove or replace the items.
fn edits(window: &Window<'_>, bad: &[Span], action: OnBadItem) -> Vec<Repair> {
    let edit = |span, replacement: &'static str| Repair {
        rule: Rule::UnreadableItem,
        span,
        replacement: replacement.into(),
    };
    if action == OnBadItem::Null {
        return bad.iter().map(|&item| edit(item, "null")).collect();
    }
    let mut gone: Vec<Span> = Vec::with_capacity(bad.len());
    for item in bad {
        let next = window.skip_space(item.end);
        let is_last = window.byte(next) != Some(b',');
        let end = if is_last { item.end } else { window.skip_space(next + 1) };
        // The last items in a row go at once, and take the comma before them along.
        let mut span = Span::new(item.start, end);
        if is_last {
            while let Some(last) = gone.pop_if(|last| last.end == span.start) {
                span.start = last.start;
            }
            span.start = comma_before(window, span.start).unwrap_or(span.start);
        }
        gone.push(span);
    }
    gone.into_iter().map(|span| edit(span, "")).collect()
}

/// Returns the end of what is before the comma before `at`.
fn comma_before(window: &Window<'_>, at: usize) -> Option<usize> {
    let before = window.before(at, usize::from(u8::MAX));
    let kept = before.trim_end().strip_suffix(',')?.trim_end();
    Some(at - (before.len() - kept.len()))
}

/// The open containers while a value is parsed, each with its start.
#[derive(Debug, Default)]
struct Levels(Vec<(Container, usize)>);

impl Levels {
    /// Returns the depth of the innermost list whose current item has a certain end behind `place`,
    /// where the parser failed, and that item. It starts after `known`.
    fn bad_item(&self, window: &Window<'_>, place: usize, known: usize) -> Option<(usize, Span)> {
        (0..self.0.len()).rev().find_map(|at| {
            let (Container::Array, _) = self.0.get(at)? else { return None };
            let start = self.0.get(at + 1).map_or(place, |(_, start)| *start);
            let end = item::end(window, start).filter(|&end| start >= known && place < end)?;
            Some((at + 1, Span::new(start, end)))
        })
    }
}

impl Sink for Levels {
    fn open(&mut self, kind: Container, at: usize) {
        self.0.push((kind, at));
    }

    fn becomes(&mut self, kind: Container) {
        if let Some(last) = self.0.last_mut() {
            last.0 = kind;
        }
    }

    fn close(&mut self, _: usize) {
        self.0.pop();
    }

    fn key(&mut self, _: &Window<'_>, _: Span, _: Content<'_>) {}
    fn drop_key(&mut self) {}
    fn string(&mut self, _: &Window<'_>, _: Span, _: Content<'_>) {}
    fn number(&mut self, _: &Window<'_>, _: Span, _: Content<'_>) {}
    fn literal(&mut self, _: Literal, _: Span) {}
}
