//! Answers that repeat each other, in whole or in part, as strict JSON without white space.

use crate::{
    Span,
    extract::{choice::are_adjacent, listing},
    parser::Window,
};

/// Returns whether all answers are equal, or the last one, which is cut off if `cut`, begins as the others are.
pub(super) fn are_one(mut answers: impl DoubleEndedIterator<Item = String>, cut: bool) -> bool {
    let Some(last) = answers.next_back() else { return false };
    let mut others = answers.peekable();
    let Some(first) = others.peek().cloned() else { return true };
    let begins = || cut && first.starts_with(last.trim_end_matches(['}', ']', '"']));
    (last == first || begins()) && others.all(|answer| answer == first)
}

/// Returns whether the last value repeats an earlier one, apart from the others, and so decides for
/// it.
pub(super) fn is_repeated(
    window: &Window<'_>,
    spans: &[Span],
    outputs: impl DoubleEndedIterator<Item = String>,
) -> bool {
    let apart = matches!(spans, [.., one, next]
        if !are_adjacent(window, *one, *next) && !listing::are_listed(window, *one, *next));
    let mut earlier = outputs.rev();
    let Some(last) = earlier.next().filter(|_| apart) else { return false };
    let (same, other): (Vec<String>, Vec<String>) = earlier.partition(|one| *one == last);
    !same.is_empty() && !other.is_empty()
}

/// Returns whether each value is the one before it with more members or items, or a longer last
/// string.
pub(super) fn is_growing(mut outputs: impl Iterator<Item = String>) -> bool {
    let Some(mut last) = outputs.next() else { return false };
    outputs.all(|next| {
        let pairs = last.chars().zip(next.chars());
        let same = pairs.take_while(|(one, other)| one == other).map(|(c, _)| c.len_utf8()).sum();
        let grown =
            last.split_at_checked(same).zip(next.get(same..)).is_some_and(|((open, end), more)| {
                end.trim_start_matches('"').bytes().all(|byte| matches!(byte, b'}' | b']'))
                    && !more.starts_with(['}', ']'])
                    && (more.starts_with(',') || end.starts_with('"') || open.ends_with(['{', '[']))
            });
        last = next;
        grown
    })
}

#[cfg(test)]
mod tests {
    use super::{are_one, is_growing};

    #[test]
    fn repeated_answers() {
        for (answers, cut, expected) in [
            ([r#"{"a":1}"#, r#"{"a":1}"#].as_slice(), false, true),
            (&[r#"{"a":1}"#, r#"{"a":2}"#], false, false),
            (&[r#"{"a":"xy","b":1}"#, r#"{"a":"x"}"#], true, true),
            (&[r#"{"a":"xy","b":1}"#, r#"{"a":"x"}"#], false, false),
            (&[r#"{"a":1}"#, r#"{"a":2}"#, r#"{"a":1}"#], true, false),
            (&[r#"{"a":1}"#], true, true),
            (&[], false, false),
        ] {
            let answers = answers.iter().map(|answer| (*answer).to_owned());
            assert_eq!(are_one(answers, cut), expected);
        }
    }

    #[test]
    fn values_that_grow() {
        for (values, growing) in [
            (&["{\"a\":1}", "{\"a\":1,\"b\":2}"][..], true),
            (&["[]", "[{\"a\":1}]", "[{\"a\":1},{\"a\":2}]"], true),
            (&["{\"a\":\"B\"}", "{\"a\":\"Boil\"}", "{\"a\":\"Boil\",\"b\":1}"], true),
            (&["{\"a\":1}", "{\"a\":12}"], false),
            (&["{\"a\":1}", "{\"a\":1}"], false),
            (&["{\"a\":1}", "{\"b\":1,\"a\":1}"], false),
        ] {
            let outputs = values.iter().map(|value| (*value).to_owned());
            assert_eq!(is_growing(outputs), growing, "{values:?}");
        }
    }
}
