//! Is a name a slip of the pen of another, and not a name of something else?

use crate::fold::{folded, spaced, words};

/// Beginnings that make words opposites of each other.
const OPPOSITES: [(&str, &str); 6] =
    [("max", "min"), ("in", "de"), ("in", "ex"), ("pre", "post"), ("en", "dis"), ("over", "under")];

/// Whether `said`, which is near `meant` by edit distance, is a slip of it: with the same first
/// letter and the same numbers, no opposite, and no word in it changed by more than a slip.
pub(crate) fn is_slip(said: &str, meant: &str) -> bool {
    let (one, other) = (folded(said), folded(meant));
    let numbers = |name: &str| -> String { name.chars().filter(|c| !c.is_alphabetic()).collect() };
    // `incomplete` is no slip of `complete`.
    let longer = one != other && (one.ends_with(&other) || other.ends_with(&one));
    let opposite = OPPOSITES.iter().any(|(this, that)| {
        (one.starts_with(this) && other.starts_with(that))
            || (one.starts_with(that) && other.starts_with(this))
    });
    one.chars().next() == other.chars().next()
        && numbers(&one) == numbers(&other)
        && !longer
        && !opposite
        && words_alike(said, meant)
}

/// Whether each word is a slip of the one at its place, where there are as many: `value_min` is
/// two letters of nine from `value_max`, and another thing.
fn words_alike(said: &str, meant: &str) -> bool {
    let (one, other) = (words(&spaced(said)), words(&spaced(meant)));
    one.len() != other.len()
        || one.iter().zip(&other).all(|(one, other)| {
            one_edit(one, other) || llmend_json::nearest(one, [other.as_str()]).is_some()
        })
}

/// Whether two words are equal, or differ by one letter or by two that are swapped.
fn one_edit(one: &str, other: &str) -> bool {
    let (mut one, mut other): (Vec<char>, Vec<char>) =
        (one.chars().collect(), other.chars().collect());
    let before = one.iter().zip(&other).take_while(|(a, b)| a == b).count();
    let (mut one, mut other) = (one.split_off(before), other.split_off(before));
    while !one.is_empty() && !other.is_empty() && one.last() == other.last() {
        one.pop();
        other.pop();
    }
    match (one.as_slice(), other.as_slice()) {
        ([] | [_], [] | [_]) => true,
        ([a, b], [c, d]) => a == d && b == c,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::is_slip;

    #[test]
    fn slips_are_told_from_other_names() {
        for (said, meant, expected) in [
            ("compleeted", "completed", true),
            ("pedning", "pending", true),
            ("sal-urgent", "sail-urgent", true),
            ("orchad-62", "orchard-62", true),
            ("duedate", "due_date", true),
            ("orchard-63", "orchard-62", false),
            ("step1", "step2", false),
            ("min_value", "max_value", false),
            ("valueMin", "valueMax", false),
            ("start_date", "state_date", false),
            ("incomplete", "complete", false),
            ("increase", "decrease", false),
            ("cut", "but", false),
        ] {
            assert_eq!(is_slip(said, meant), expected, "{said} for {meant}");
        }
    }
}
