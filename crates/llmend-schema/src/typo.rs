//! Typo detection in keys and enum values.
//!
//! A name counts as a typo of a known name only if it is not more likely to be another name.

use crate::fold::{folded, spaced, words};

/// Prefixes and suffixes that turn words into opposites or other words.
const BEGINNINGS: [(&str, &str); 17] = [
    ("max", "min"),
    ("pre", "pro"),
    ("pre", "post"),
    ("hyper", "hypo"),
    ("inter", "intra"),
    ("inter", "intro"),
    ("intra", "intro"),
    ("in", "im"),
    ("ante", "anti"),
    ("macro", "micro"),
    ("homo", "hetero"),
    ("mono", "multi"),
    ("sub", "super"),
    ("endo", "exo"),
    ("en", "ex"),
    ("em", "ex"),
    ("under", "upper"),
];
const ENDINGS: [(&str, &str); 4] = [("er", "ee"), ("or", "ee"), ("less", "ful"), ("ed", "ing")];

/// Maximum number of letters of a name that is compared.
const MAX_LETTERS: usize = 64;
/// Names that are rejected by a quick check per step of work.
const QUICK_CHECKS_PER_STEP: usize = 64;

/// A name with precomputed data for comparisons.
#[derive(Clone, Debug)]
pub(crate) struct Name {
    /// The name as written.
    pub(crate) text: String,
    pub(crate) folded: String,
    /// Letters and digits of `folded`.
    letters: Vec<char>,
    /// Digits and symbols of `folded`, which must match exactly.
    fixed: String,
    /// Bit set of the letters, by code point modulo 64.
    set: u64,
    /// The folded words.
    words: Vec<Vec<char>>,
}

impl Name {
    pub(crate) fn new(text: &str) -> Self {
        let folded = folded(text);
        let letters: Vec<char> = folded.chars().filter(|c| c.is_alphanumeric()).collect();
        let set = letters.iter().fold(0, |set, letter| set | 1 << (u32::from(*letter) % 64));
        Self {
            text: text.to_owned(),
            fixed: folded.chars().filter(|c| !c.is_alphabetic()).collect(),
            words: words(&spaced(text)).iter().map(|word| word.chars().collect()).collect(),
            folded,
            letters,
            set,
        }
    }

    /// Returns whether the names differ by at most one edit per four letters.
    fn is_near(&self, other: &Self) -> bool {
        is_within(&self.letters, &other.letters, self.most(other))
    }

    /// Returns whether the names may be near, by a quick check.
    fn may_be_near(&self, other: &Self) -> bool {
        let most = self.most(other);
        // An edit removes a letter, adds one, or both.
        let differing = (self.set ^ other.set).count_ones() as usize;
        self.letters.len().abs_diff(other.letters.len()) <= most && differing <= 2 * most
    }

    /// Returns the maximum number of edits between near names.
    fn most(&self, other: &Self) -> usize {
        self.letters.len().max(other.letters.len()) / 4
    }
}

/// Returns the index of the only name in `known` that `written` is a typo of; `None` if a second one
/// is near too. Comparisons are charged to `pay`.
pub(crate) fn find<'n>(
    written: &Name,
    known: impl Iterator<Item = &'n Name>,
    spend: &mut dyn FnMut(usize) -> bool,
) -> Option<usize> {
    if written.letters.is_empty() || written.letters.len() > MAX_LETTERS {
        return None;
    }
    let mut found: Option<(usize, &Name)> = None;
    for (at, name) in known.enumerate() {
        if at % QUICK_CHECKS_PER_STEP == 0 && !spend(1) {
            return None;
        }
        if name.letters.len() > MAX_LETTERS || !written.may_be_near(name) {
            continue;
        }
        if !spend(1) {
            return None;
        }
        if !written.is_near(name) {
            continue;
        }
        if found.is_some() {
            return None;
        }
        found = Some((at, name));
    }
    found.filter(|(_, name)| is_typo(written, name)).map(|(at, _)| at)
}

/// Returns whether `written` is a typo of `intended`, which it is near to: numbers and symbols agree, and
/// each word is a typo of its counterpart.
fn is_typo(written: &Name, intended: &Name) -> bool {
    let most = written.most(intended);
    if written.fixed != intended.fixed {
        return false;
    }
    if written.words.len() != intended.words.len() {
        // Joined words hide their boundaries, so only one edit is allowed.
        return edits(&written.letters, &intended.letters, most.min(1)).is_some();
    }
    let mut left = most;
    written.words.iter().zip(&intended.words).all(|(written, intended)| {
        let own = (written.len().max(intended.len()) / 4).max(1);
        let Some(made) = edits(written, intended, own.min(left)) else { return false };
        left -= made;
        true
    })
}

/// Returns the number of edits from `intended` to `written`, if there are at most `most` of them, the
/// first letter agrees, and the words are neither opposites nor differ by a prefix.
fn edits(written: &[char], intended: &[char], most: usize) -> Option<usize> {
    if written == intended {
        return Some(0);
    }
    // `incomplete` is not a typo of `complete`, but `ccomplete` is.
    let doubled = matches!(written, [one, other, ..] if one == other);
    let longer = (written.ends_with(intended) && !doubled) || intended.ends_with(written);
    let is_typo =
        written.first() == intended.first() && !longer && !are_opposites(written, intended);
    Some(edit_cost(written, intended)).filter(|edit_cost| is_typo && *edit_cost <= most)
}

fn are_opposites(written: &[char], intended: &[char]) -> bool {
    let begins = |word: &[char], piece: &str| {
        piece.chars().count() <= word.len()
            && piece.chars().eq(word.iter().copied().take(piece.len()))
    };
    let ends = |word: &[char], piece: &str| {
        piece.chars().rev().eq(word.iter().rev().copied().take(piece.len()))
    };
    let either = |pairs: &[(&str, &str)], has: &dyn Fn(&[char], &str) -> bool| {
        pairs.iter().any(|(one, other)| {
            (has(written, one) && has(intended, other))
                || (has(written, other) && has(intended, one))
        })
    };
    either(&BEGINNINGS, &begins) || either(&ENDINGS, &ends)
}

/// Returns the edit cost from `intended` to `written`. An omitted, doubled or transposed letter costs
/// one. A replaced or added letter costs three, since it more often makes another word (`adapt` for
/// `adopt`, `contract` for `contact`, `employer` for `employee`).
fn edit_cost(written: &[char], intended: &[char]) -> usize {
    // Row by row of `written`: the lowest cost for each prefix of `intended`.
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=intended.len()).collect();
    let of = |row: &[usize], at: usize| row.get(at).copied().unwrap_or(usize::MAX / 2);
    for (i, letter) in written.iter().enumerate() {
        let last = i.checked_sub(1).and_then(|at| written.get(at));
        let extra = if last == Some(letter) { 1 } else { 3 };
        let mut row = vec![of(&above, 0) + extra];
        for (j, target) in intended.iter().enumerate() {
            let replaced = of(&above, j) + if letter == target { 0 } else { 3 };
            let added = of(&above, j + 1) + extra;
            let left_out = of(&row, j) + 1;
            let swapped = match j.checked_sub(1) {
                Some(k) if last == Some(target) && intended.get(k) == Some(letter) => {
                    of(&before, k) + 1
                }
                _ => usize::MAX,
            };
            row.push(replaced.min(added).min(left_out).min(swapped));
        }
        before = std::mem::replace(&mut above, row);
    }
    of(&above, intended.len())
}

/// Returns whether the Damerau–Levenshtein distance is at most `most`. Only the diagonal band that
/// may be so near is computed.
fn is_within(one: &[char], other: &[char], most: usize) -> bool {
    /// Greater than the distance of any two names of 64 letters.
    const FAR: u8 = 128;
    let (one, other) = without_ends(one, other);
    if one.is_empty() || other.is_empty() || most == 0 {
        return one.len().max(other.len()) <= most;
    }
    let most = most.min(MAX_LETTERS);
    let of = |row: &[u8], at: usize| row.get(at).copied().unwrap_or(FAR);
    let mut before = [FAR; MAX_LETTERS + 1];
    let mut above = [FAR; MAX_LETTERS + 1];
    for (cell, at) in above.iter_mut().zip(0..).take(most + 1) {
        *cell = at;
    }
    for (i, x) in one.iter().enumerate() {
        let mut row = [FAR; MAX_LETTERS + 1];
        let (from, to) = ((i + 1).saturating_sub(most), (i + 1 + most).min(other.len()));
        let mut least = FAR;
        for j in from..=to {
            let mut cell = of(&above, j) + 1;
            if let Some(y) = j.checked_sub(1).and_then(|k| other.get(k)) {
                cell = cell.min(of(&above, j - 1) + u8::from(x != y)).min(of(&row, j - 1) + 1);
                let crossed =
                    i > 0 && j > 1 && one.get(i - 1) == Some(y) && other.get(j - 2) == Some(x);
                if crossed {
                    cell = cell.min(of(&before, j - 2) + 1);
                }
            }
            if let Some(place) = row.get_mut(j) {
                *place = cell;
            }
            least = least.min(cell);
        }
        if usize::from(least) > most {
            return false;
        }
        before = std::mem::replace(&mut above, row);
    }
    usize::from(of(&above, other.len())) <= most
}

/// Strips the common prefix and suffix.
fn without_ends<'w>(one: &'w [char], other: &'w [char]) -> (&'w [char], &'w [char]) {
    let alike = |(a, b): &(&char, &char)| a == b;
    let begin = one.iter().zip(other).take_while(alike).count();
    let (one, other) = (one.get(begin..), other.get(begin..));
    let (one, other) = (one.unwrap_or_default(), other.unwrap_or_default());
    let end = one.iter().rev().zip(other.iter().rev()).take_while(alike).count();
    let keep = |word: &'w [char]| word.get(..word.len() - end).unwrap_or_default();
    (keep(one), keep(other))
}

#[cfg(test)]
mod tests {
    use super::{Name, find, is_within};

    fn is_typo(written: &str, known: &[&str]) -> bool {
        let known: Vec<Name> = known.iter().map(|name| Name::new(name)).collect();
        find(&Name::new(written), known.iter(), &mut |_| true).is_some()
    }

    #[test]
    fn typos_are_distinguished_from_other_names() {
        for (written, intended, expected) in [
            ("compleeted", "completed", true),
            ("pedning", "pending", true),
            ("sal-urgent", "sail-urgent", true),
            ("orchad-62", "orchard-62", true),
            ("duedate", "due_date", true),
            ("duedat", "due_date", true),
            ("committment", "commitment", true),
            ("is_complted", "is_completed", true),
            ("usr_adress", "user_address", true),
            ("tidePPage", "tide_page", true),
            ("fetch_age", "fetch_page", false),
            ("orchard-63", "orchard-62", false),
            ("step1", "step2", false),
            ("min_value", "max_value", false),
            ("valueMin", "valueMax", false),
            ("maxprice", "min_price", false),
            ("start_date", "state_date", false),
            ("incomplete", "complete", false),
            ("is_invalid", "is_valid", false),
            ("isInactive", "isActive", false),
            ("has_unused_items", "has_used_items", false),
            ("increase", "decrease", false),
            ("sort_descending", "sort_ascending", false),
            ("is_decrypted", "is_encrypted", false),
            ("price_in_usd", "price_on_usd", false),
            ("cut", "but", false),
            ("hypertension", "hypotension", false),
            ("hyperglycemia", "hypoglycemia", false),
            ("patient_hypertension", "patient_hypotension", false),
            ("intervenous", "intravenous", false),
            ("antidate", "antedate", false),
            ("proscribe", "prescribe", false),
            ("employer", "employee", false),
            ("complement", "compliment", false),
            ("Australia", "Austria", false),
            ("adapt", "adopt", false),
            ("adept", "adopt", false),
            ("hostel", "hotel", false),
            ("mortal", "moral", false),
            ("contract", "contact", false),
            ("A+", "A-", false),
            ("C++", "C#", false),
            ("", "a", false),
        ] {
            assert_eq!(is_typo(written, &[intended]), expected, "{written} for {intended}");
        }
    }

    #[test]
    fn two_near_names_are_ambiguous() {
        assert!(is_typo("pedning", &["completed", "pending"]));
        assert!(!is_typo("stale_dat", &["stale_data", "state_data"]));
        assert!(!is_typo(&"steps".repeat(1000), &["steps"]));
    }

    #[test]
    fn comparisons_stop_when_the_budget_is_spent() {
        let known = [Name::new("pending")];
        assert_eq!(find(&Name::new("pedning"), known.iter(), &mut |_| false), None);
    }

    #[test]
    fn distances_are_bounded() {
        for (one, other, distance) in [
            ("", "", 0),
            ("abc", "acb", 1),
            ("abcd", "abxd", 1),
            ("ca", "abc", 3),
            ("kitten", "sitting", 3),
            ("abcdef", "abdcef", 1),
            ("abcdefgh", "hgfedcba", 7),
        ] {
            let letters = |text: &str| text.chars().collect::<Vec<_>>();
            for most in 0..10 {
                for (a, b) in [(one, other), (other, one)] {
                    let within = is_within(&letters(a), &letters(b), most);
                    assert_eq!(within, distance <= most, "{a} {b} {most}");
                }
            }
        }
    }
}
