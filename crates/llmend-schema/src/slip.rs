//! Which known name is a name a slip of the pen of, and is it not one of something else?
//!
//! The one judgement for keys and for values of an enumeration.

use crate::fold::{folded, spaced, words};

/// Beginnings and endings that make words of one first letter opposites of each other.
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

/// Longest name that is compared, in letters: longer ones are no slip of a known name.
const LONGEST: usize = 64;
/// Names that are passed over at a glance in one step of work.
const AT_A_GLANCE: usize = 64;

/// A name, with what is asked of it again and again.
#[derive(Clone, Debug)]
pub(crate) struct Name {
    /// As it is written.
    pub(crate) text: String,
    pub(crate) folded: String,
    /// The letters and digits of `folded`.
    letters: Vec<char>,
    /// What else there is in `folded`, and the digits again: none of it slips.
    fixed: String,
    /// Which letters there are, by their numbers modulo 64.
    set: u64,
    /// Its words, folded.
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

    /// Whether one edit for every four letters makes this the other.
    fn is_near(&self, other: &Self) -> bool {
        is_within(&self.letters, &other.letters, self.most(other))
    }

    /// Whether that is so at a glance.
    fn may_be_near(&self, other: &Self) -> bool {
        let most = self.most(other);
        // An edit takes one letter away, puts one in, or does both.
        let differing = (self.set ^ other.set).count_ones() as usize;
        self.letters.len().abs_diff(other.letters.len()) <= most && differing <= 2 * most
    }

    /// Most edits between two names that are near.
    fn most(&self, other: &Self) -> usize {
        self.letters.len().max(other.letters.len()) / 4
    }
}

/// The place of the one name among `known` that `said` is a slip of. None is, where a second one is
/// near too. What is compared is paid for.
pub(crate) fn meant<'n>(
    said: &Name,
    known: impl Iterator<Item = &'n Name>,
    pay: &mut dyn FnMut(usize) -> bool,
) -> Option<usize> {
    if said.letters.is_empty() || said.letters.len() > LONGEST {
        return None;
    }
    let mut found: Option<(usize, &Name)> = None;
    for (at, name) in known.enumerate() {
        if at % AT_A_GLANCE == 0 && !pay(1) {
            return None;
        }
        if name.letters.len() > LONGEST || !said.may_be_near(name) {
            continue;
        }
        if !pay(1) {
            return None;
        }
        if !said.is_near(name) {
            continue;
        }
        if found.is_some() {
            return None;
        }
        found = Some((at, name));
    }
    found.filter(|(_, name)| is_slip(said, name)).map(|(at, _)| at)
}

/// Whether `said`, which is near `meant`, is a slip of it: with the same numbers and marks, and with
/// each word a slip of the one at its place.
fn is_slip(said: &Name, meant: &Name) -> bool {
    let most = said.most(meant);
    if said.fixed != meant.fixed {
        return false;
    }
    if said.words.len() != meant.words.len() {
        // Words that ran together hide what each of them says, so one edit is all that may be.
        return edits(&said.letters, &meant.letters, most.min(1)).is_some();
    }
    let mut left = most;
    said.words.iter().zip(&meant.words).all(|(said, meant)| {
        let own = (said.len().max(meant.len()) / 4).max(1);
        let Some(made) = edits(said, meant, own.min(left)) else { return false };
        left -= made;
        true
    })
}

/// How many slips make `meant` what was `said`, if they are at most `most`: none with another first
/// letter, and none of an opposite, or of a word with a piece put before it.
fn edits(said: &[char], meant: &[char], most: usize) -> Option<usize> {
    if said == meant {
        return Some(0);
    }
    // `incomplete` is no slip of `complete`, but `ccomplete` is.
    let doubled = matches!(said, [one, other, ..] if one == other);
    let longer = (said.ends_with(meant) && !doubled) || meant.ends_with(said);
    let is_slip = said.first() == meant.first() && !longer && !are_opposites(said, meant);
    Some(price(said, meant)).filter(|price| is_slip && *price <= most)
}

fn are_opposites(said: &[char], meant: &[char]) -> bool {
    let begins = |word: &[char], piece: &str| {
        piece.chars().count() <= word.len()
            && piece.chars().eq(word.iter().copied().take(piece.len()))
    };
    let ends = |word: &[char], piece: &str| {
        piece.chars().rev().eq(word.iter().rev().copied().take(piece.len()))
    };
    let either = |pairs: &[(&str, &str)], has: &dyn Fn(&[char], &str) -> bool| {
        pairs.iter().any(|(one, other)| {
            (has(said, one) && has(meant, other)) || (has(said, other) && has(meant, one))
        })
    };
    either(&BEGINNINGS, &begins) || either(&ENDINGS, &ends)
}

/// What it costs a pen to slip from `meant` to `said`. A letter that is left out, written twice, or
/// swapped with the next one costs one edit. Another letter is more often another word (`adapt` for
/// `adopt`, `contract` for `contact`, `employer` for `employee`), and costs three.
fn price(said: &[char], meant: &[char]) -> usize {
    // By rows of `said`: the least price of each beginning of `meant`.
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=meant.len()).collect();
    let of = |row: &[usize], at: usize| row.get(at).copied().unwrap_or(usize::MAX / 2);
    for (i, letter) in said.iter().enumerate() {
        let last = i.checked_sub(1).and_then(|at| said.get(at));
        let extra = if last == Some(letter) { 1 } else { 3 };
        let mut row = vec![of(&above, 0) + extra];
        for (j, asked) in meant.iter().enumerate() {
            let replaced = of(&above, j) + if letter == asked { 0 } else { 3 };
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
    of(&above, meant.len())
}

/// Whether at most `most` letters have to be put in, taken out, replaced, or swapped with their
/// neighbour. Only what may be so near is looked at.
fn is_within(one: &[char], other: &[char], most: usize) -> bool {
    /// Further than any two names of 64 letters are.
    const FAR: u8 = 128;
    let (one, other) = without_ends(one, other);
    if one.is_empty() || other.is_empty() || most == 0 {
        return one.len().max(other.len()) <= most;
    }
    let most = most.min(LONGEST);
    let of = |row: &[u8], at: usize| row.get(at).copied().unwrap_or(FAR);
    let mut before = [FAR; LONGEST + 1];
    let mut above = [FAR; LONGEST + 1];
    for (cell, at) in above.iter_mut().zip(0..).take(most + 1) {
        *cell = at;
    }
    for (i, x) in one.iter().enumerate() {
        let mut row = [FAR; LONGEST + 1];
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

/// What differs, between a common beginning and a common end.
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
    use super::{Name, is_within, meant};

    fn is_slip(said: &str, known: &[&str]) -> bool {
        let known: Vec<Name> = known.iter().map(|name| Name::new(name)).collect();
        meant(&Name::new(said), known.iter(), &mut |_| true).is_some()
    }

    #[test]
    fn slips_are_told_from_other_names() {
        for (said, meant, expected) in [
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
            assert_eq!(is_slip(said, &[meant]), expected, "{said} for {meant}");
        }
    }

    #[test]
    fn two_that_are_near_are_none() {
        assert!(is_slip("pedning", &["completed", "pending"]));
        assert!(!is_slip("stale_dat", &["stale_data", "state_data"]));
        assert!(!is_slip(&"steps".repeat(1000), &["steps"]));
    }

    #[test]
    fn what_cannot_be_paid_for_is_not_compared() {
        let known = [Name::new("pending")];
        assert_eq!(meant(&Name::new("pedning"), known.iter(), &mut |_| false), None);
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
