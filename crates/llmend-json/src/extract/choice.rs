//! The choice of the answer among the candidates.

use std::ops::Range;

use crate::{
    Class, Origin, Rule, Span,
    extract::{
        Build, FailedAttempt, FoundValue, beginning,
        correction::Corrections,
        decision, listing,
        neighbor::is_between,
        scalar,
        standing::{self, Standing},
    },
    judge::bracket::outer::closes_outer,
    parser::{ValueStats, Window, escape::unescape},
};

mod concluded;
mod equal;
mod expected;
mod own;
mod row;

use concluded::concludes;
use expected::has_expected_key;
use own::{follows_examples, has_own_answer, own_turn};
use row::Row;

/// The candidates that make up the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Selection {
    /// Ascending indexes into the candidates. Several form an array.
    pub(crate) picked: Vec<usize>,
    /// Class of the choice, if there was one to make.
    pub(crate) class: Option<Class>,
}

impl Selection {
    /// Returns the selected candidates among `found`.
    pub(crate) fn parts<'f, B: Build>(
        &'f self,
        found: &'f [FoundValue<B>],
    ) -> impl DoubleEndedIterator<Item = &'f FoundValue<B>> {
        self.picked.iter().filter_map(|&at| found.get(at))
    }

    /// Returns the span from the first to the last selected candidate.
    pub(crate) fn span<B: Build>(&self, found: &[FoundValue<B>]) -> Option<Span> {
        let (first, last) = (self.parts(found).next()?, self.parts(found).next_back()?);
        Some(Span::new(first.span.start, last.span.end))
    }

    /// Returns whether the candidate at index `at` is selected.
    pub(crate) fn holds(&self, at: usize) -> bool {
        self.picked.binary_search(&at).is_ok()
    }
}

/// Returns the start of what looks like a value with members: the outermost bracket around the
/// first bracket on a line of its own, or else around the first that contains a quote or another
/// bracket.
pub(super) fn first_value(text: &str) -> Option<usize> {
    let brackets = || text.match_indices(['{', '[']).map(|(at, _)| at);
    let starts_line = |at: &usize| {
        text.get(..*at).is_some_and(|before| before.trim_end_matches([' ', '\t']).ends_with('\n'))
    };
    let is_nested = |at: &usize| inside(text, *at).starts_with(['"', '\'', '{', '[', '“']);
    let value = brackets().find(starts_line).or_else(|| brackets().find(is_nested))?;
    Some(outermost(text, value))
}

/// Returns the text after the bracket at `at`.
fn inside(text: &str, at: usize) -> &str {
    text.get(at + 1..).unwrap_or_default().trim_start()
}

/// Returns the first bracket still open at `at` whose content begins like a value, or `at`.
fn outermost(text: &str, at: usize) -> usize {
    let mut open = Vec::new();
    for (place, bracket) in text.get(..at).unwrap_or_default().match_indices(['{', '[', '}', ']']) {
        match bracket {
            "{" | "[" => open.push(place),
            _ => drop(open.pop()),
        }
    }
    let begins = |place: &usize| {
        let rest = inside(text, *place);
        rest.starts_with(|c: char| {
            matches!(c, '"' | '\'' | '{' | '[' | '“' | '-') || c.is_ascii_digit()
        }) || ["true", "false", "null"].iter().any(|word| rest.starts_with(word))
    };
    open.into_iter().find(begins).unwrap_or(at)
}

/// The extent of a value that cannot be parsed, according to its brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FailureExtent {
    /// It ends with its last closing bracket, at this offset.
    Closed(usize),
    /// Its last closing bracket is missing. It ends with the text or block.
    Open(usize),
}

impl FailureExtent {
    pub(crate) const fn end(self) -> usize {
        match self {
            Self::Closed(end) | Self::Open(end) => end,
        }
    }
}

pub(crate) fn extent_of_failed(window: &Window<'_>, failed: &FailedAttempt) -> FailureExtent {
    let mut depth = failed.depth.max(1);
    let mut at = failed.at.max(failed.start + 1);
    while let Some(byte) = window.byte(at) {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return FailureExtent::Closed(at + 1);
                }
            }
            b'`' if window.starts_with(at, b"```") => return FailureExtent::Open(at),
            _ => {}
        }
        at += 1;
    }
    FailureExtent::Open(at)
}

/// The rank of a candidate. An expected key counts more than members, members more than how it is
/// introduced, that more than a wrapper, a wrapper more than sound JSON in any notation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(clippy::struct_excessive_bools, reason = "independent criteria")]
struct Rank {
    /// Whether it contains an expected key. False if no keys are expected.
    expected: bool,
    members: bool,
    standing: Standing,
    wrapped: bool,
    sound: bool,
}

impl Rank {
    /// Returns whether candidates of both ranks in a row form one list.
    fn joins(self, next: Self) -> bool {
        self.expected == next.expected && self.standing == next.standing
    }

    /// Returns whether the introduction of this candidate may be that of the next one, too. That of an
    /// example is only if they are `in_lines` without an empty one between them.
    fn introduces(self, next: Self, in_lines: bool) -> bool {
        self.expected == next.expected
            && (self.standing == Standing::Final || (self.standing == Standing::Sketch && in_lines))
            && next.standing == Standing::Value
    }
}

/// Adjacent candidates, which count as one.
struct Series {
    picked: Range<usize>,
    rank: Rank,
    /// Span of the first of them.
    span: Span,
}

impl Series {
    /// Returns whether these are introduced as the answer behind `other`, which is not.
    fn is_final_after(&self, other: &Self) -> bool {
        self.rank.standing > other.rank.standing && self.picked.start >= other.picked.end
    }
}

/// Returns the last of `series` that is introduced as a correction of the one before it.
fn corrected<'s, B: Build>(
    window: &Window<'_>,
    found: &[FoundValue<B>],
    series: impl Iterator<Item = &'s Series>,
) -> Option<&'s Series> {
    let mut corrections = Corrections::new(window);
    let (mut before, mut corrected): (Option<&Series>, _) = (None, None);
    for one in series {
        let last = before.replace(one).and_then(|one| found.get(one.picked.end - 1));
        if corrections.correct(last.map(|last| last.span), one.span) {
            corrected = Some(one);
        }
    }
    corrected
}

/// Chooses among those of `found` whose indexes are `among` the possible ones. `found` is in the
/// order of the text and not empty.
pub(crate) fn best<B: Build>(
    window: &Window<'_>,
    found: &[FoundValue<B>],
    expected: &[String],
    among: impl Fn(usize) -> bool,
) -> Selection {
    if found.len() == 1 {
        return Selection { picked: vec![0], class: None };
    }
    let own = own_turn(window, found);
    let series = series(window, found, expected, |at| at < own && among(at));
    let Some(top) = series.iter().map(|series| series.rank).max() else {
        return Selection { picked: vec![0], class: None };
    };
    let topmost = series.iter().find(|series| series.rank == top).map(|series| series.span);
    // A record is not lost because another one needs no repair.
    let is_whole = |at: usize| found.get(at).is_some_and(|one| one.is_whole(window));
    let same = |series: &&Series| {
        series.rank == top
            || (Rank { sound: top.sound, ..series.rank } == top
                && series.picked.clone().all(is_whole)
                && topmost.is_some_and(|top| beginning::same_key(window, series.span, top)))
    };
    let left: Vec<&Series> = series.iter().filter(same).collect();
    // A wrapped value clearly wins over others in sentences, and the final one over drafts. Any
    // other choice is a guess.
    let rivals = |series: &Series| {
        let rank = series.rank;
        let equal = (rank.expected, rank.members, rank.standing)
            == (top.expected, top.members, top.standing)
            && standing::is_displayed(window, series.span);
        rank != top && (rank.wrapped || !top.wrapped || equal)
    };
    let mentioned = |series: &&Series| standing::is_mention(window, series.span);
    let doubtful = own < found.len()
        || series.iter().any(rivals)
        || (series.len() > 1 && left.first().is_some_and(mentioned));
    let guess = doubtful.then_some(Class::Guess);
    // What is said in parentheses of an earlier value corrects nothing.
    let is_remarked = |series: &Series| standing::is_remark(window, series.span);
    let peers = || {
        let kind = |rank: Rank| (rank.expected, rank.members);
        series.iter().filter(move |series| kind(series.rank) == kind(top))
    };
    if peers().nth(1).is_some()
        && let Some(correction) = corrected(window, found, peers().filter(|one| !is_remarked(one)))
        && !left.last().is_some_and(|last| last.is_final_after(correction))
    {
        return Selection {
            picked: correction.picked.clone().collect(),
            class: Some(Class::Guess),
        };
    }
    let text = window.text;
    let output = |found: &FoundValue<B>| normal(&found.output(text));
    if let Some(last) = whole_of_parts(found, peers(), output) {
        return Selection { picked: vec![last], class: Some(Class::Guess) };
    }
    let picked: Vec<usize> = left.iter().flat_map(|series| series.picked.clone()).collect();
    if picked.len() == 1 {
        return Selection { picked, class: guess };
    }
    let spans: Vec<Span> =
        picked.iter().filter_map(|&at| found.get(at)).map(|one| one.span).collect();
    if let Some(&chosen) = decision::chosen(window, &spans).and_then(|at| picked.get(at)) {
        return Selection { picked: vec![chosen], class: Some(Class::Guess) };
    }
    if let Some(last) = left.last().filter(|_| concludes(window, found, &left)) {
        return Selection { picked: last.picked.clone().collect(), class: Some(Class::Guess) };
    }
    let outputs = || picked.iter().filter_map(|&at| found.get(at)).map(output);
    // Two adjacent values may as well be records.
    if (left.len() == picked.len() || picked.len() > 2)
        && let Some(&last) = picked.last()
        && equal::is_growing(outputs())
    {
        return Selection { picked: vec![last], class: Some(Class::Guess) };
    }
    // Equal answers are one, equal calls are several.
    let is_call = |series: &&Series| standing::is_call(window, series.span);
    let cut = picked.last().and_then(|&at| found.get(at)).is_some_and(|one| one.cut.is_some());
    if equal::are_one(outputs(), cut) && !left.iter().all(is_call) {
        return Selection { picked: picked.into_iter().take(1).collect(), class: guess };
    }
    if let Some(&last) = picked.last()
        && equal::is_repeated(window, &spans, outputs())
    {
        return Selection { picked: vec![last], class: Some(Class::Guess) };
    }
    Selection { picked, class: guess }
}

/// Most parts of a value that are shown before it. Each is searched for in it.
const MAX_PARTS: usize = 32;

/// Returns the last value if it has each of the others in it, which are its parts. Drafts and
/// adjacent values say nothing.
fn whole_of_parts<'s, B: Build>(
    found: &[FoundValue<B>],
    series: impl Iterator<Item = &'s Series>,
    output: impl Fn(&FoundValue<B>) -> String,
) -> Option<usize> {
    let mut all: Vec<usize> = Vec::new();
    for one in series.filter(|series| series.rank.standing > Standing::Pair) {
        all.extend(one.picked.clone().take(MAX_PARTS + 1));
        if all.len() > MAX_PARTS {
            return None;
        }
    }
    let is_sound = |&at: &usize| found.get(at).is_some_and(FoundValue::is_sound);
    let last = all.pop().filter(|at| !all.is_empty() && is_sound(at))?;
    let whole = output(found.get(last)?);
    let is_part = |&at: &usize| {
        let Some(part) = found.get(at).map(&output) else { return false };
        let members = part.strip_prefix('{').and_then(|part| part.strip_suffix('}'));
        part.len() < whole.len() && whole.contains(members.unwrap_or(&part))
    };
    all.iter().all(is_part).then_some(last)
}

/// Returns strict JSON in a form that can be compared: without white space and escapes.
fn normal(json: &str) -> String {
    let json = without_space(json);
    if !json.contains('\\') {
        return json;
    }
    let mut plain = String::with_capacity(json.len());
    unescape(&json, &mut plain);
    plain
}

/// Returns strict JSON without the white space between its tokens.
fn without_space(json: &str) -> String {
    let (mut inside, mut escaped) = (false, false);
    json.chars()
        .filter(|&c| {
            let keep = inside || !c.is_ascii_whitespace();
            inside ^= c == '"' && !escaped;
            escaped = inside && c == '\\' && !escaped;
            keep
        })
        .collect()
}

/// Returns whether only white space and separators are between the values at `one` and `next`.
pub(crate) fn are_adjacent(window: &Window<'_>, one: Span, next: Span) -> bool {
    window
        .slice(Span::new(one.end.min(next.start), next.start))
        .trim_end_matches(is_between)
        .is_empty()
}

/// Groups candidates with only white space and separators between them.
fn series<B: Build>(
    window: &Window<'_>,
    found: &[FoundValue<B>],
    expected: &[String],
    among: impl Fn(usize) -> bool,
) -> Vec<Series> {
    let mut all: Vec<Series> = Vec::new();
    let (mut last, mut before): (Option<Span>, _) = (None, None);
    let displayed =
        found.len() > 1 && found.iter().any(|one| standing::is_displayed(window, one.span));
    let last_is_own = found.len() > 1 && follows_examples(window, found);
    // A record that is a schema describes what else is in a block.
    let is_schema = |one: &FoundValue<B>| standing::says_schema(window, one.span);
    let described = found.len() > 1 && found.iter().any(|one| one.is_wrapped() && !is_schema(one));
    let has_own = last_is_own || (found.len() > 1 && has_own_answer(window, found));
    let mut row = Row::new(has_own);
    for (at, one) in found.iter().enumerate().filter(|(at, _)| among(*at)) {
        let rank = Rank {
            expected: found.len() > 1 && has_expected_key(window.slice(one.span), expected),
            members: one.stats.members > 0
                && !standing::is_given_schema(window, one.span)
                && !(described && is_schema(one)),
            standing: if found.len() < 2 {
                Standing::Value
            } else if last_is_own && at + 1 == found.len() {
                Standing::Final
            } else {
                row.standing(window, found, at, displayed)
            },
            wrapped: one.is_wrapped(),
            sound: one.is_sound(),
        };
        // Words in braces are no record beside one.
        let is_words = |one: &FoundValue<B>| one.stats.bare_keys > 0 && one.stats.solid == 0;
        let words = before.is_some_and(|before: &FoundValue<B>| is_words(before) != is_words(one));
        before = Some(one);
        let adjacent = !words && last.is_some_and(|last| are_adjacent(window, last, one.span));
        let joined =
            adjacent || last.is_some_and(|last| listing::are_listed(window, last, one.span));
        let gap = last.map_or(0, |last| last.end.min(one.span.start));
        let in_lines = || !window.slice(Span::new(gap, one.span.start)).contains("\n\n");
        last = Some(one.span);
        match all.last_mut() {
            // What is in a wrapper is introduced for all values in it, and so is the first of several.
            Some(last)
                if joined
                    && (last.rank.wrapped
                        || last.rank.joins(rank)
                        || (adjacent
                            && last.rank.introduces(rank, in_lines())
                            && beginning::same_key(window, last.span, one.span))) =>
            {
                last.picked.end = at + 1;
                last.rank.members |= rank.members;
                last.rank.sound &= rank.sound;
            }
            _ => all.push(Series { picked: at..at + 1, rank, span: one.span }),
        }
    }
    all
}

/// Returns whether the choice `first` accepts a value with these statistics: it has a quoted member
/// or a number, or is wrapped.
pub(crate) fn is_sound(stats: &ValueStats, origin: Origin) -> bool {
    origin.is_wrapped() || (stats.members > 0 && stats.solid > 0)
}

/// Returns whether the choice `first` accepts the value at `start`, with which the text begins, as a
/// list: it has several items that are not unquoted words. Of a text that was dropped it is known.
pub(crate) fn is_list(window: &Window<'_>, start: usize, stats: &ValueStats) -> bool {
    stats.scalars >= stats.words + 2 && (start < window.base || window.byte(start) == Some(b'['))
}

/// Returns whether more of an enclosing value follows `at`, and no bracket closes that value.
pub(crate) fn is_left_open(window: &Window<'_>, at: usize) -> bool {
    if !matches!(
        window.byte(window.skip_space(at)),
        Some(b',' | b':' | b'"' | b'\'' | b'\\' | b'&')
    ) {
        return false;
    }
    !is_closed(window, at)
}

/// Returns whether another value follows, and then the bracket that closes a list around both.
pub(crate) fn is_item(window: &Window<'_>, span: Span) -> bool {
    let comma = window.skip_space(span.end);
    if window.byte(comma) != Some(b',') {
        return false;
    }
    let next = window.skip_space(comma + 1);
    let begins = |byte: u8| {
        matches!(byte, b'{' | b'[' | b'"')
            || (scalar::begins_word(byte) && scalar::end(window, next).is_some())
    };
    window.byte(next).is_some_and(begins) && is_closed(window, next)
}

/// Returns whether a bracket behind `at` closes one that is open there.
fn is_closed(window: &Window<'_>, at: usize) -> bool {
    closes_outer(window.bytes(Span::new(at, window.end())))
}

/// Chooses the last candidate that counts.
pub(crate) fn last<B: Build>(found: &[FoundValue<B>]) -> Selection {
    let at = found.iter().rposition(FoundValue::counts_as_first).unwrap_or(found.len() - 1);
    Selection { picked: vec![at], class: None }
}

/// The rule that combines several candidates into an array.
pub(crate) const ARRAY_RULE: Rule = Rule::SeveralDocuments;
