//! Whether the chosen values are only a part of what was meant.

use crate::{
    Origin, Span,
    extract::{
        Build, FoundValue, beside,
        choice::Selection,
        code, comment,
        denial::{self, Denial, Looks},
        items, neighbor, record,
        remnant::{self, Remnant},
        standing, unread,
    },
    parser::Window,
};

/// Longest value that may be a form, in bytes.
const FORM_REACH: usize = 2_048;
/// How much of the text behind a value is searched for closing brackets, in bytes.
const CLOSER_REACH: usize = 1 << 14;

/// Returns whether a value without its opening brace is an item of a list whose beginning is
/// missing: its own brace closes it, and a bracket closes more than was opened.
fn is_in_lost_list<B: Build>(window: &Window<'_>, found: &FoundValue<B>) -> bool {
    let after = window.near(found.span.end, CLOSER_REACH).trim_start();
    found.origin == Origin::Unbraced
        && window.slice(found.span).ends_with('}')
        && after.strip_prefix([',', ']']).is_some_and(|rest| {
            after.starts_with(']') || rest.contains("],") || rest.contains("]\n")
        })
}

/// Returns whether the values at `span` are the last items of a list, of which others come before
/// them, perhaps in another block. The bracket that closes it may have been read as a stray one.
fn are_last_items(window: &Window<'_>, span: Span) -> bool {
    let values = window.slice(span);
    let stray = values.starts_with('{') && values.ends_with(']');
    let before = window.before(span.start, denial::REACH);
    // A list that begins a line there is not closed.
    let open = || {
        let line = before.starts_with('[').then_some(0).or_else(|| before.rfind("\n["));
        let list = line.and_then(|at| before.get(at..)).unwrap_or_default();
        remnant::opener(list, &[]).is_some()
    };
    (stray || window.byte(window.skip_space(span.end)) == Some(b']'))
        && (before.trim_end().ends_with(',') || open())
}

/// Returns whether a block ends and another begins inside a string of a value in a block, so that
/// what is between them is not a part of it.
fn crosses_blocks<B: Build>(window: &Window<'_>, found: &FoundValue<B>) -> bool {
    if found.origin != Origin::Fence || found.repairs.is_empty() {
        return false;
    }
    let text = window.slice(found.span);
    let mut fences = memchr::memmem::find_iter(text.as_bytes(), b"\n```").map(|at| {
        let line = text.get(at + 1..).unwrap_or_default().lines().next().unwrap_or_default();
        (found.span.start + at, line.trim_end().trim_start_matches('`').is_empty())
    });
    let (Some((at, true)), Some((_, false))) = (fences.next(), fences.next()) else { return false };
    !found.repairs.iter().any(|repair| repair.span.start <= at + 1 && at + 1 < repair.span.end)
}

/// Returns whether members in a block go on with what stands open before the block.
fn continues_before<B: Build>(window: &Window<'_>, found: &FoundValue<B>) -> bool {
    if found.origin != Origin::Fence || window.slice(found.span).starts_with(['{', '[']) {
        return false;
    }
    let outside = denial::before_block(window.before(found.span.start, denial::REACH));
    outside.is_some_and(|outside| outside.ends_with([',', '{', '[']))
}

/// Returns whether a value that a token of a chat template cuts off goes on in a later turn, which
/// closes a bracket that it did not open.
fn goes_on<B: Build>(window: &Window<'_>, found: &FoundValue<B>) -> bool {
    let after = window.near(found.span.end, CLOSER_REACH);
    let cut = found.cut.is_some() && after.trim_start().starts_with("<|");
    cut && remnant::closer(after, &[]).is_some()
}

/// Returns whether more than the end of a block is behind a value on its line, or a comma and more.
fn goes_on_behind(window: &Window<'_>, span: Span) -> bool {
    let line = window.line_after(span.end, denial::REACH);
    let next = window.byte(window.skip_space(span.end + line.len()));
    let is_item = line.trim() == "," && next.is_some_and(|byte| !matches!(byte, b'`' | b'~'));
    is_item || line.trim_matches([' ', '`', '~', ';', ',']).contains(|c: char| !c.is_whitespace())
}

/// Returns whether words follow a value in a block on its line, which are no comment.
fn has_words_behind<B: Build>(window: &Window<'_>, found: &FoundValue<B>) -> bool {
    let line = window.line_after(found.span.end, denial::REACH);
    let inside = line.split(['`', '~']).next().unwrap_or_default();
    let words = inside.trim_matches([' ', '\t', '\r', ';', ',', '.', ')']);
    let is_mark = words.is_empty() || words.starts_with("</") || comment::are_comments(words, true);
    found.origin == Origin::Fence && !is_mark
}

/// Returns whether none of the selected values has data in it.
pub(crate) fn are_sketches<B: Build>(
    window: &Window<'_>,
    found: &[FoundValue<B>],
    selection: &Selection,
) -> bool {
    selection.parts(found).all(|part| {
        !part.repairs.is_empty()
            && part.span.len() <= FORM_REACH
            && standing::is_sketch(window.slice(part.span))
    })
}

/// Returns how strongly the text says that the only value is no answer. Another value behind it may be
/// what is talked of.
pub(crate) fn denial<B: Build>(
    window: &Window<'_>,
    found: &[FoundValue<B>],
    selection: &Selection,
) -> Option<Denial> {
    let span = selection.span(found)?;
    if found.iter().any(|other| other.span.end <= span.start || other.span.start >= span.end) {
        return None;
    }
    let before = window.before(span.start, denial::REACH);
    let after = window.near(span.end, denial::REACH);
    let looks = match window.slice(span) {
        value if value.len() > FORM_REACH => Looks::Data,
        value if standing::is_form(value) => Looks::Form,
        value if standing::is_schema(value) => Looks::Schema,
        _ => Looks::Data,
    };
    if standing::is_struck(window, span) {
        return Some(Denial::Denied);
    }
    let in_code = selection.parts(found).any(|part| code::is_in_code(window, part));
    let code = in_code.then_some(Denial::Doubtful);
    denial::judge(before, after, looks, standing::is_cited(window, span)).max(code)
}

/// Returns whether items are left behind between the selected values.
pub(crate) fn skips_items<B: Build>(
    window: &Window<'_>,
    found: &[FoundValue<B>],
    selection: &Selection,
) -> bool {
    let spans: Vec<Span> = selection.parts(found).map(|part| part.span).collect();
    items::are_between(window, &spans)
}

/// Judges the selected values by the text around them. What begins at `taken_back` before them was
/// taken back.
pub(crate) fn around<B: Build>(
    window: &Window<'_>,
    found: &[FoundValue<B>],
    selection: &Selection,
    taken_back: Option<usize>,
) -> Option<Remnant> {
    let span = selection.span(found)?;
    let fenced = selection.parts(found).next_back()?.origin == Origin::Fence;
    let outside =
        |other: &&FoundValue<B>| other.span.end <= span.start || other.span.start >= span.end;
    let mut others: Vec<Span> = found.iter().filter(outside).map(|other| other.span).collect();
    if let Some(start) = taken_back.filter(|&start| start < span.start) {
        others.insert(0, Span::new(start, span.start));
    }
    let first = selection.parts(found).next()?;
    let example = standing::is_example(window, first).then_some(Remnant::Doubtful);
    let record = record::judge(window, first.span, first.origin);
    let spans: Vec<Span> = selection.parts(found).map(|part| part.span).collect();
    let crosses = |part: &FoundValue<B>| crosses_blocks(window, part) || goes_on(window, part);
    let open = is_in_lost_list(window, first)
        || continues_before(window, first)
        || are_last_items(window, span)
        || items::are_around(window, &spans)
        || unread::adjoins(window, span, &others);
    if open || selection.parts(found).any(crosses) {
        return Some(Remnant::Part);
    }
    let shown = || standing::is_displayed(window, first.span);
    let alone = match first.origin {
        Origin::Bare | Origin::Wrapper => others.is_empty(),
        Origin::Fence => (others.is_empty() && !shown()) || goes_on_behind(window, span),
        _ => false,
    };
    let beside = if alone { beside::judge(window, span) } else { None };
    // Each of them is only mentioned.
    let mentioned =
        found.len() > 1 && found.iter().all(|one| standing::is_in_passing(window, one.span));
    let adjoins = || neighbor::adjoins(window, span, &others);
    let goes_on = || selection.parts(found).any(|part| has_words_behind(window, part));
    let beside = beside.max((mentioned || adjoins() || goes_on()).then_some(Remnant::Doubtful));
    remnant::judge(window, span, fenced, &others).max(record).max(example).max(beside)
}
