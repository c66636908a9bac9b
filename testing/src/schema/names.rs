//! Names of properties and enum values, in several styles.

use crate::random::Random;
use crate::words;

/// A naming style.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Snake,
    Camel,
    Pascal,
    Kebab,
    Spaced,
    Title,
    Upper,
}

impl Style {
    pub(crate) const ALL: [Self; 7] = [
        Self::Snake,
        Self::Camel,
        Self::Pascal,
        Self::Kebab,
        Self::Spaced,
        Self::Title,
        Self::Upper,
    ];

    /// Joins lower-case words.
    pub(crate) fn join(self, parts: &[String]) -> String {
        let capitals = || parts.iter().map(|part| words::capital(part));
        match self {
            Self::Snake => parts.join("_"),
            Self::Kebab => parts.join("-"),
            Self::Spaced => parts.join(" "),
            Self::Upper => parts.join("_").to_uppercase(),
            Self::Pascal => capitals().collect(),
            Self::Title => capitals().collect::<Vec<_>>().join(" "),
            Self::Camel => {
                let rest: String = capitals().skip(1).collect();
                parts.first().cloned().unwrap_or_default() + &rest
            }
        }
    }
}

/// Returns the lower-case words of a name in any style. Digits belong to the word before them.
pub(crate) fn parts(name: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut previous = ' ';
    for c in name.chars() {
        let starts = !previous.is_alphanumeric() || (c.is_uppercase() && previous.is_lowercase());
        if c.is_alphanumeric() {
            if starts {
                parts.push(String::new());
            }
            if let Some(part) = parts.last_mut() {
                part.extend(c.to_lowercase());
            }
        }
        previous = c;
    }
    parts
}

/// Folds a name: ignores case, separators and accents.
pub(crate) fn folded(name: &str) -> String {
    without_accents(name)
        .chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// Removes the accents of Western European letters.
pub(crate) fn without_accents(name: &str) -> String {
    const PAIRS: &[(char, &str)] = &[
        ('é', "e"),
        ('è', "e"),
        ('ê', "e"),
        ('à', "a"),
        ('á', "a"),
        ('ç', "c"),
        ('ñ', "n"),
        ('ó', "o"),
        ('ö', "o"),
        ('ü', "u"),
        ('ä', "a"),
        ('É', "E"),
    ];
    let plain =
        |c: char| PAIRS.iter().find(|(accented, _)| *accented == c).map(|(_, plain)| *plain);
    name.chars().map(|c| plain(c).map_or_else(|| c.to_string(), str::to_owned)).collect()
}

const ACCENTED: &[&str] = &["prénom", "número", "größe", "année", "código", "états", "über"];

/// Returns a property name in the style of its schema.
pub(crate) fn property(r: &mut Random, style: Style) -> String {
    let mut words: Vec<String> = Vec::new();
    if r.chance(3) {
        words.push((*r.one(ACCENTED)).to_owned());
    } else {
        let lists = [words::KEYS, words::COUNT_KEYS, words::FLAG_KEYS, words::LIST_KEYS];
        if r.chance(55) {
            words.push(words::noun(r).to_owned());
        }
        let key = r.pick(r_list(&lists, r.clone().below(lists.len())));
        words.extend(parts(key));
    }
    style.join(&words)
}

fn r_list<'l>(lists: &[&'l [&'static str]], at: usize) -> &'l [&'static str] {
    lists[at]
}

/// Sets of enum values as in real schemas, including values that contain others, that differ in
/// case alone, or that look like booleans, numbers or null.
const SETS: &[&[&str]] = &[
    &["red", "green", "blue", "dark_blue"],
    &["IN_PROGRESS", "DONE", "BLOCKED"],
    &["low", "medium", "high"],
    &["très bien", "bien", "passable"],
    &["café", "thé", "eau"],
    &["español", "français", "português", "english"],
    &["inProgress", "notStarted", "cancelled"],
    &["new-york", "san-francisco", "los-angeles"],
    &["buy", "sell", "hold"],
    &["yes", "no", "n/a"],
    &["1", "2", "3"],
    &["m", "M"],
    &["none", "some", "all"],
    &["Spam", "Not Spam"],
    &["text/plain", "text/html", "application/json"],
    &["A+", "A", "A-", "B+"],
    &["GET", "POST", "DELETE"],
    &["refund_request", "technical_issue", "account_question", "other"],
    &["true", "false", "unknown"],
];

/// Returns the values of an enum.
pub(crate) fn set(r: &mut Random) -> Vec<String> {
    if r.chance(60) {
        return r.one(SETS).iter().map(|&word| word.to_owned()).collect();
    }
    let style = *r.one(&Style::ALL);
    let size = r.between(2, 6);
    let mut words: Vec<String> = Vec::new();
    for _ in 0..size {
        let (first, second) = (r.pick(words::ADJECTIVES).to_owned(), words::noun(r).to_owned());
        let word = if r.chance(50) { style.join(&[first, second]) } else { style.join(&[second]) };
        if words.iter().all(|known| folded(known) != folded(&word)) {
            words.push(word);
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_style_has_the_same_parts() {
        let words = ["dark".to_owned(), "blue".to_owned(), "sea".to_owned()];
        for style in Style::ALL {
            let name = style.join(&words);
            assert_eq!(folded(&name), "darkbluesea", "{name}");
            if style != Style::Upper {
                assert_eq!(parts(&name), words, "{name}");
            }
        }
        assert_eq!(folded("Prénom"), "prenom");
    }
}
