//! Other spellings of enum values and constants.

use crate::data::Data;
use crate::random::Random;
use crate::schema::model::Type;
use crate::schema::names::{self, Style, folded};
use crate::schema::work::{Change, Kind, Spot};
use crate::words;

pub(super) const KINDS: &[Kind] = &[
    Kind::new("word-in-capitals", |spot, _| spelled(spot, |word| Some(word.to_uppercase()))),
    Kind::new("word-in-small-letters", |spot, _| spelled(spot, |word| Some(word.to_lowercase()))),
    Kind::new("word-with-a-capital", |spot, _| {
        spelled(spot, |word| Some(words::capital(&word.to_lowercase())))
    }),
    Kind::new("word-in-another-style", |spot, r| {
        let style = *r.one(&Style::ALL);
        spelled(spot, |word| {
            let parts = names::parts(word);
            (parts.len() > 1).then(|| style.join(&parts))
        })
    }),
    Kind::new("word-without-accents", |spot, _| {
        spelled(spot, |word| Some(names::without_accents(word)))
    }),
    Kind::new("word-with-punctuation", |spot, r| {
        let (before, after) = *r.one(&[("", "."), ("\"", "\""), ("'", "'"), ("", "!"), (" ", " ")]);
        lettered(spot, |word| Some(format!("{before}{word}{after}")))
    }),
    Kind::new("word-emphasized", |spot, _| lettered(spot, |word| Some(format!("**{word}**")))),
    Kind::new("word-by-title", by_title),
    Kind::new("word-in-a-sentence", in_a_sentence),
    Kind::new("word-with-a-slip", with_a_slip),
];

/// The word that stands there, and the others of the enum.
fn word<'s>(spot: &'s Spot<'_>) -> Option<(&'s str, Vec<&'s str>)> {
    let word = spot.data.as_text()?;
    let others = match spot.of() {
        Type::Constant(_) => Vec::new(),
        Type::Word(words) => {
            words.iter().map(|known| known.text.as_str()).filter(|known| *known != word).collect()
        }
        _ => return None,
    };
    Some((word, others))
}

/// Another spelling that is the same but for what folding takes away, and is so of this word alone.
fn spelled(spot: &Spot<'_>, spell: impl Fn(&str) -> Option<String>) -> Option<Change> {
    let (word, others) = word(spot)?;
    let fold = folded(word);
    let made = spell(word).filter(|made| made != word && folded(made) == fold)?;
    let is_clear = !fold.is_empty() && others.iter().all(|other| folded(other) != fold);
    is_clear.then_some(Change::Value(Data::Text(made)))
}

/// The same for words that have letters: marks around a digit may belong to it.
fn lettered(spot: &Spot<'_>, spell: impl Fn(&str) -> Option<String>) -> Option<Change> {
    spelled(spot, |word| word.chars().any(char::is_alphabetic).then(|| spell(word)).flatten())
}

fn by_title(spot: &Spot<'_>, _: &mut Random) -> Option<Change> {
    let Type::Word(words) = spot.of() else { return None };
    let text = spot.data.as_text()?;
    let title = words.iter().find(|word| word.text == text)?.title.clone()?;
    Some(Change::Value(Data::Text(title)))
}

/// A sentence that names this word and no other one. Longer words that hold shorter ones are allowed.
fn in_a_sentence(spot: &Spot<'_>, r: &mut Random) -> Option<Change> {
    let (word, others) = word(spot)?;
    let (before, after) = *r.one(&[
        ("The answer is ", "."),
        ("I would say: ", ""),
        ("My choice would be ", ", given the weather."),
        ("", " (as asked above)"),
        ("Answer: **", "**"),
    ]);
    let surroundings = names::parts(&format!("{before} {after}"));
    let tokens = |text: &str| names::parts(text);
    let is_clear = folded(word).len() > 2
        && tokens(word).iter().any(|token| token.chars().any(char::is_alphabetic))
        && others.iter().all(|other| {
            let other = tokens(other);
            !other.iter().all(|token| tokens(word).contains(token))
                || names::parts(word).len() > other.len()
        })
        && (others.iter().chain([&word]))
            .all(|known| tokens(known).iter().all(|token| !surroundings.contains(token)));
    is_clear.then(|| Change::Value(Data::Text(format!("{before}{word}{after}"))))
}

/// One letter is missing or stands twice, in a word that is long enough and like no other one.
fn with_a_slip(spot: &Spot<'_>, r: &mut Random) -> Option<Change> {
    let (word, others) = word(spot)?;
    let made = slip(word, r)?;
    let is_clear = others.iter().all(|other| distance(&folded(other), &folded(&made)) > 3);
    is_clear.then_some(Change::Value(Data::Text(made)))
}

/// The word with one slip; nothing for words of less than six letters.
pub(crate) fn slip(word: &str, r: &mut Random) -> Option<String> {
    let mut letters: Vec<char> = word.chars().collect();
    let count = letters.iter().filter(|c| c.is_alphabetic()).count();
    // The first letter is seldom the wrong one.
    let at = r.find(&letters, |i, c| i > 1 && c.is_alphabetic())?;
    if r.chance(50) {
        letters.remove(at);
    } else {
        letters.insert(at, letters[at]);
    }
    (count >= 6).then(|| letters.into_iter().collect())
}

/// How many letters must be changed, put in or left out.
pub(crate) fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut corner = i;
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let kept = corner + usize::from(from != *to);
            corner = row[j + 1];
            row[j + 1] = kept.min(corner + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::distance;

    #[test]
    fn distances_are_edits() {
        for (a, b, expected) in [("", "abc", 3), ("harbour", "habour", 1), ("kitten", "sitting", 3)]
        {
            assert_eq!(distance(a, b), expected, "{a} {b}");
        }
    }
}
