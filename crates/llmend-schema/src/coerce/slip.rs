//! Is a name a slip of the pen of another, and not a name of something else?

use crate::fold::{folded, spaced, words};

/// Beginnings that make words opposites of each other.
const OPPOSITES: [(&str, &str); 20] = [
    ("max", "min"),
    ("in", "de"),
    ("in", "ex"),
    ("im", "ex"),
    ("im", "em"),
    ("pre", "post"),
    ("en", "dis"),
    ("over", "under"),
    ("hyper", "hypo"),
    ("inter", "intra"),
    ("inter", "intro"),
    ("intro", "extro"),
    ("intra", "extra"),
    ("ante", "anti"),
    ("ante", "post"),
    ("macro", "micro"),
    ("homo", "hetero"),
    ("mono", "poly"),
    ("sub", "super"),
    ("endo", "exo"),
];

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
        && is_of_the_pen(&one, &other)
}

/// Whether a pen slips from `meant` to `said`: letters are left out, written twice, or swapped. One
/// that is put in or takes the place of another is more often another word (`adapt` for `adopt`,
/// `hostel` for `hotel`), so it counts as two of one edit for every four letters.
fn is_of_the_pen(said: &str, meant: &str) -> bool {
    let (said, meant): (Vec<char>, Vec<char>) = (said.chars().collect(), meant.chars().collect());
    let most = said.len().max(meant.len()) / 4;
    // By rows of `said`: the least price of each beginning of `meant`.
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=meant.len()).collect();
    for (i, letter) in said.iter().enumerate() {
        let last = i.checked_sub(1).and_then(|at| said.get(at));
        let extra = if last == Some(letter) { 1 } else { 2 };
        let of = |row: &[usize], at: usize| row.get(at).copied().unwrap_or(usize::MAX / 2);
        let mut row = vec![of(&above, 0) + extra];
        for (j, asked) in meant.iter().enumerate() {
            let replaced = of(&above, j) + if letter == asked { 0 } else { 2 };
            let added = of(&above, j + 1) + extra;
            let left_out = of(&row, j) + 1;
            let swapped = match j.checked_sub(1) {
                Some(k) if last == Some(asked) && meant.get(k) == Some(letter) => {
                    of(&before, k) + 1
                }
                _ => usize::MAX,
            };
            row.push(replaced.min(added).min(left_out).min(swapped));
        }
        before = std::mem::replace(&mut above, row);
    }
    above.last().is_some_and(|least| *least <= most)
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
            ("committment", "commitment", true),
            ("seperately", "separately", true),
            ("hypertension", "hypotension", false),
            ("hyperglycemia", "hypoglycemia", false),
            ("intervenous", "intravenous", false),
            ("antidate", "antedate", false),
            ("Australia", "Austria", false),
            ("adapt", "adopt", false),
            ("adept", "adopt", false),
            ("hostel", "hotel", false),
            ("mortal", "moral", false),
        ] {
            assert_eq!(is_slip(said, meant), expected, "{said} for {meant}");
        }
    }
}
