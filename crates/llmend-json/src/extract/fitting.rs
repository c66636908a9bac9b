//! The choice among candidates by what the caller expects of the value.
//!
//! What the caller knows, such as a schema, decides before how a candidate is introduced: if the
//! usual choice does not fit, the only one that does is the answer. Of several, the usual choice
//! among them is, or the last one introduced as the answer. If that one fits only by a guess and
//! another one, introduced no worse, needs none, that other one is. Values in sentences count only
//! where nothing else fits, and a scalar that the text states, if one is asked for. Words behind a
//! scalar may put another one in its place.

use crate::{
    Class, Span,
    extract::{
        FoundValue, Scan,
        choice::{self, Selection},
        correction, plain,
        restated::{self, Restated},
        standing::{self, Standing},
    },
    parser::Window,
    value::build::{Tape, TapeValue},
};

/// How well a value is what a caller expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fit {
    /// It is not.
    No,
    /// It is after a change that is a guess.
    Guessed,
    /// It is as it was written, or in another notation.
    Sure,
}

impl From<bool> for Fit {
    fn from(fits: bool) -> Self {
        if fits { Self::Sure } else { Self::No }
    }
}

/// Most candidates among which fitting decides. More are a list.
const MAX_FITTED: usize = 32;

/// Chooses among the candidates of `scan` by `fits`, which tells how well the values at some span are
/// what is expected. Returns `None` if the usual choice stands.
pub(crate) fn choose(
    window: &Window<'_>,
    scan: &mut Scan<'_, Tape>,
    mut fits: impl FnMut(&Tape, Span, &[TapeValue]) -> Fit,
) -> Option<Selection> {
    let asks_scalar = plain::allows(&scan.options);
    let count = scan.found.len() + scan.mentioned.len();
    if count > MAX_FITTED || (count < 2 && scan.mentioned.is_empty() && !asks_scalar) {
        return None;
    }
    let all: Vec<usize> = (0..scan.found.len()).collect();
    let usual = best(window, scan, &all);
    let of_usual = usual.as_ref().map_or(Fit::No, |usual| grade(scan, usual, &mut fits));
    if let Some(usual) = usual.as_ref().filter(|_| asks_scalar && of_usual > Fit::No)
        && let Some(restated) = restated(window, scan, usual, &mut fits)
    {
        return Some(restated);
    }
    if of_usual == Fit::Sure {
        return None;
    }
    let is_whole = |at: &usize| scan.found.get(*at).is_some_and(|one| !one.in_failure);
    let graded = all.into_iter().filter(is_whole).map(|at| (at, grade(scan, &only(at), &mut fits)));
    let mut fitting: Vec<(usize, Fit)> = graded.filter(|(_, fit)| *fit > Fit::No).collect();
    let (chosen, of_chosen) = match usual {
        Some(usual) if of_usual > Fit::No => (usual, of_usual),
        _ if fitting.is_empty() => return mentioned(window, scan, fits),
        _ => {
            let among: Vec<usize> = fitting.iter().map(|(at, _)| *at).collect();
            let chosen = best(window, scan, &among)?;
            let fit = grade(scan, &chosen, &mut fits);
            (chosen, fit)
        }
    };
    if of_chosen < Fit::Sure {
        fitting.retain(|(_, fit)| *fit == Fit::Sure);
        let sure: Vec<usize> = fitting.into_iter().map(|(at, _)| at).collect();
        let surer = one_of(window, scan, &surer(window, &scan.found, &chosen, sure));
        if surer.is_some() {
            return surer;
        }
    }
    match of_chosen {
        _ if of_usual > Fit::No => None,
        Fit::No => {
            let mut left = chosen.picked.clone();
            left.retain(|&at| !is_taken_back(window, &scan.found, at, &chosen));
            one_of(window, scan, &left)
        }
        _ => Some(Selection { class: Some(Class::Guess), ..chosen }),
    }
}

/// Returns the usual choice among the candidates at the indexes `among`.
fn best(window: &Window<'_>, scan: &Scan<'_, Tape>, among: &[usize]) -> Option<Selection> {
    let is_among = |at: usize| among.binary_search(&at).is_ok();
    let keys = &scan.options.hints.keys;
    (!among.is_empty()).then(|| choice::best(window, &scan.found, keys, is_among))
}

/// Returns how well the chosen values fit.
fn grade(
    scan: &Scan<'_, Tape>,
    chosen: &Selection,
    fits: &mut impl FnMut(&Tape, Span, &[TapeValue]) -> Fit,
) -> Fit {
    let parts: Vec<TapeValue> = chosen.parts(&scan.found).map(|part| part.built).collect();
    chosen.span(&scan.found).map_or(Fit::No, |span| fits(&scan.sink, span, &parts))
}

fn only(at: usize) -> Selection {
    Selection { picked: vec![at], class: Some(Class::Guess) }
}

/// Chooses one of the candidates at the indexes `among`: the usual choice among them, or the last one
/// introduced as the answer.
fn one_of(window: &Window<'_>, scan: &Scan<'_, Tape>, among: &[usize]) -> Option<Selection> {
    match best(window, scan, among)?.picked.as_slice() {
        [one] => Some(only(*one)),
        several => {
            let all = several.iter().filter_map(|&at| Some((at, scan.found.get(at)?)));
            last_final(window, all).map(only)
        }
    }
}

/// Returns which of the candidates at the indexes `sure`, which fit without a guess, take the place of
/// `chosen`, which does not: those introduced no worse, unless something between both takes them back.
/// Records in a row stay together.
fn surer(
    window: &Window<'_>,
    found: &[FoundValue<Tape>],
    chosen: &Selection,
    mut sure: Vec<usize>,
) -> Vec<usize> {
    let (parts, next) = (chosen.parts(found), chosen.parts(found).skip(1));
    let in_a_row =
        parts.zip(next).all(|(one, next)| choice::are_adjacent(window, one.span, next.span));
    let standing = |one: &FoundValue<Tape>| standing::of(window, one, false);
    let least = chosen.parts(found).map(standing).min();
    sure.retain(|&at| {
        let is_worse = found.get(at).is_none_or(|one| Some(standing(one)) < least);
        !(is_worse || (in_a_row && chosen.holds(at)) || is_taken_back(window, found, at, chosen))
    });
    sure
}

/// Returns whether something between the candidate at the index `at` and the last one that is chosen takes it
/// back.
fn is_taken_back(
    window: &Window<'_>,
    found: &[FoundValue<Tape>],
    at: usize,
    chosen: &Selection,
) -> bool {
    let (one, last) = (found.get(at), chosen.parts(found).next_back());
    one.zip(last).is_some_and(|(one, last)| {
        let start = last.span.start;
        correction::takes_back_before(window, Span::new(one.span.end.min(start), start))
    })
}

/// Chooses the scalar that words behind the chosen one put in its place. If they leave it open, the chosen
/// one is doubtful.
fn restated(
    window: &Window<'_>,
    scan: &mut Scan<'_, Tape>,
    chosen: &Selection,
    fits: &mut impl FnMut(&Tape, Span, &[TapeValue]) -> Fit,
) -> Option<Selection> {
    let [at] = chosen.picked[..] else { return None };
    let span = scan.found.get(at)?.span;
    if matches!(window.byte(span.start), None | Some(b'{' | b'[')) {
        return None;
    }
    let known = &scan.options.hints.words;
    let is_known = |word: &str| known.iter().any(|known| known.eq_ignore_ascii_case(word));
    let restated = restated::behind(window, span, is_known)?;
    if let Restated::As(span) = restated
        && let Some(one) = scan.scalar_or_words(window, span)
        && fits(&scan.sink, one.span, &[one.built]) > Fit::No
    {
        return Some(insert(scan, one));
    }
    Some(only(at))
}

/// Chooses among values in sentences, or else the scalar that the text states.
fn mentioned(
    window: &Window<'_>,
    scan: &mut Scan<'_, Tape>,
    mut fits: impl FnMut(&Tape, Span, &[TapeValue]) -> Fit,
) -> Option<Selection> {
    let mut fits = |scan: &Scan<'_, Tape>, one: &FoundValue<Tape>| {
        fits(&scan.sink, one.span, &[one.built]) > Fit::No
    };
    let is_fitting = |at: &usize| scan.mentioned.get(*at).is_some_and(|one| fits(scan, one));
    let fitting: Vec<usize> = (0..scan.mentioned.len()).filter(is_fitting).collect();
    let chosen = match fitting.as_slice() {
        [] if plain::allows(&scan.options) => {
            let one = scan.stated(window)?;
            return fits(scan, &one).then(|| insert(scan, one));
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
