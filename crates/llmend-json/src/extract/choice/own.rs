//! The model's own answer, among answers to inputs in the text and turns that it wrote for others.

use crate::{
    Span,
    extract::{
        Build, FoundValue,
        candidate::LINE_REACH,
        pair,
        standing::{self, introduction},
        turn,
    },
    parser::Window,
};

/// Returns the number of values before another one's turn, in a text that begins with its answer.
/// What follows is what the model made of a turn that it wrote itself.
pub(super) fn own_turn<B: Build>(window: &Window<'_>, found: &[FoundValue<B>]) -> usize {
    let by_other = |one: &FoundValue<B>| standing::is_said_by_other(window, one.span);
    let skipped = found.iter().take_while(|one| by_other(one)).count();
    let found = found.get(skipped..).unwrap_or_default();
    let ends = |pair: &[FoundValue<B>]| match pair {
        [one, next] if one.span.end <= next.span.start => {
            turn::begins_in(window.slice(Span::new(one.span.end, next.span.start)))
        }
        _ => false,
    };
    // A conversation may end with the answer.
    let ends_finally = || found.last().is_some_and(|last| is_called_final(window, last));
    let begins = found.len() > 1
        && !ends_finally()
        && found.first().is_some_and(|first| is_first(window, first));
    let last = begins.then(|| found.windows(2).position(ends)).flatten();
    skipped + last.map_or(found.len(), |last| last + 1)
}

/// Returns whether the text begins with a value, perhaps in a block.
fn is_first<B: Build>(window: &Window<'_>, found: &FoundValue<B>) -> bool {
    let before = window.before(found.span.start, LINE_REACH).trim();
    let language = before.trim_start_matches(['`', '~']);
    before.is_empty()
        || before.ends_with("[/INST]")
        || (language.len() < before.len()
            && language.bytes().all(|byte| byte.is_ascii_alphanumeric()))
        || is_label(before)
}

/// Returns whether the label of a value says that it is the final one.
fn is_called_final<B: Build>(window: &Window<'_>, found: &FoundValue<B>) -> bool {
    introduction(window, found.span.start, found.origin).contains("final")
}

/// Most words of a label.
const LABEL_WORDS: usize = 4;

/// Returns whether a text is only a label of the answer.
fn is_label(text: &str) -> bool {
    (text == "assistant" || text.ends_with([':', '：']))
        && text.split_whitespace().count() <= LABEL_WORDS
        && !turn::begins_in(text)
}

/// Returns whether the last value is the answer to the input that the text asks for, behind examples
/// of a prompt: `Now your input:`.
pub(super) fn follows_examples<B: Build>(window: &Window<'_>, found: &[FoundValue<B>]) -> bool {
    let [.., before, last] = found else { return false };
    let between = window.slice(Span::new(before.span.end.min(last.span.start), last.span.start));
    let asks = |line: &str| {
        let line = line.trim_matches(['*', '#', ' ']).to_lowercase();
        let word = line.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
        line.ends_with(':') && ASKING.contains(&word)
    };
    between.lines().any(asks) && found.iter().all(|one| pair::is_pair(window, one.span, one.origin))
}

/// First words of the line before the input that a text asks for.
const ASKING: &[&str] =
    &["now", "your", "actual", "real", "jetzt", "nun", "maintenant", "ahora", "теперь", "现在"];

/// Returns whether the text begins or ends its values with one that is no answer to an input in the
/// text, as the others may be.
pub(super) fn has_own_answer<B: Build>(window: &Window<'_>, found: &[FoundValue<B>]) -> bool {
    let is_own = |one: &FoundValue<B>| {
        standing::is_displayed(window, one.span) && !pair::is_pair(window, one.span, one.origin)
    };
    found.first().is_some_and(|first| is_first(window, first) && is_own(first))
        || found.last().is_some_and(is_own)
}
