//! The choice among candidates by what the caller expects of the value.
//!
//! What the caller knows, such as a schema, decides before how a candidate is introduced: if the
//! usual choice does not fit, the only one that does is the answer. Of several, the usual choice
//! among them is, or the last one introduced as the answer. Values in sentences count only here, and a
//! scalar that the text states, if one is asked for and nothing else fits.

use crate::{
    Class, Span,
    extract::{
        FoundValue, Scan,
        choice::{self, Selection},
        plain,
        standing::{self, Standing},
    },
    parser::Window,
    value::build::{Tape, TapeValue},
};

/// Most candidates among which fitting decides. More are a list.
const MAX_FITTED: usize = 32;

/// Chooses among the candidates of `scan` by `fits`, which tells whether the values at some span are
/// what is expected. Returns `None` if the usual choice stands.
pub(crate) fn choose(
    window: &Window<'_>,
    scan: &mut Scan<'_, Tape>,
    mut fits: impl FnMut(&Tape, Span, &[TapeValue]) -> bool,
) -> Option<Selection> {
    let asks_scalar = plain::allows(&scan.options);
    let count = scan.found.len() + scan.mentioned.len();
    if count > MAX_FITTED || (count < 2 && scan.mentioned.is_empty() && !asks_scalar) {
        return None;
    }
    let found = &scan.found;
    let mut fit = |selection: &Selection| {
        let parts: Vec<TapeValue> = selection.parts(found).map(|part| part.built).collect();
        selection.span(found).is_some_and(|span| fits(&scan.sink, span, &parts))
    };
    let keys = &scan.options.hints.keys;
    if !found.is_empty() && fit(&choice::best(window, found, keys, |_| true)) {
        return None;
    }
    let only = |at: usize| Selection { picked: vec![at], class: Some(Class::Guess) };
    let whole = |at: &usize| found.get(*at).is_some_and(|one| !one.in_failure);
    let fitting: Vec<usize> = (0..found.len()).filter(whole).filter(|&at| fit(&only(at))).collect();
    if let [one] = fitting.as_slice() {
        return Some(only(*one));
    }
    if !fitting.is_empty() {
        let best = choice::best(window, found, keys, |at| fitting.contains(&at));
        if best.picked.len() == 1 || fit(&best) {
            return Some(Selection { class: Some(Class::Guess), ..best });
        }
        return last_final(window, best.picked.iter().filter_map(|&at| Some((at, found.get(at)?))))
            .map(only);
    }
    let mentioned: Vec<usize> = (0..scan.mentioned.len())
        .filter(|&at| {
            scan.mentioned.get(at).is_some_and(|one| fits(&scan.sink, one.span, &[one.built]))
        })
        .collect();
    let chosen = match mentioned.as_slice() {
        [] if asks_scalar => {
            let one = scan.stated(window)?;
            return fits(&scan.sink, one.span, &[one.built]).then(|| insert(scan, one));
        }
        [one] => *one,
        several => {
            let all = several.iter().filter_map(|&at| Some((at, scan.mentioned.get(at)?)));
            last_final(window, all)?
        }
    };
    let one = scan.mentioned.remove(chosen);
    Some(insert(scan, one))
}

/// Adds a value to the candidates of `scan`, and chooses it.
fn insert(scan: &mut Scan<'_, Tape>, one: FoundValue<Tape>) -> Selection {
    let at = scan.found.partition_point(|other| other.span.start < one.span.start);
    scan.found.insert(at, one);
    Selection { picked: vec![at], class: Some(Class::Guess) }
}

/// Returns the last of `values` that is introduced as the answer.
fn last_final<'f>(
    window: &Window<'_>,
    values: impl Iterator<Item = (usize, &'f FoundValue<Tape>)>,
) -> Option<usize> {
    values
        .filter(|(_, one)| standing::of(window, one, false) == Standing::Final)
        .last()
        .map(|(at, _)| at)
}
