//! Which of several values the text behind them chooses: `I recommend option B`.

use crate::{
    Span,
    extract::{denial::REACH, listing},
    parser::Window,
};

/// Words of a choice, in lower case.
const CHOICES: &[&str] = &[
    "choose",
    "chose",
    "chosen",
    "recommend",
    "recommended",
    "recommendation",
    "pick",
    "picked",
    "prefer",
    "preferred",
    "select",
    "selected",
    "go with",
    "going with",
    "went with",
    "opt for",
    "winner",
    "choice",
    "decision",
    "empfehle",
    "empfohlen",
    "nehme",
    "wähle",
    "choisis",
    "recommande",
    "elijo",
    "recomiendo",
];
/// Words by which a value is told from the others: its place.
const PLACES: &[&str] = &["first", "second", "third", "fourth"];
/// Words that turn a choice into its opposite.
const NEGATIONS: &[&str] = &["against", "not", "don't", "never", "instead"];
/// How much of a value is searched for its name, in bytes.
const NAME_REACH: usize = 200;
/// Most words between the choice and the name.
const CLAUSE: usize = 8;

/// Returns the index of the one of `values` that the text behind the last one chooses.
pub(super) fn chosen(window: &Window<'_>, values: &[Span]) -> Option<usize> {
    let after = window.near(values.last()?.end, REACH).to_lowercase();
    let words = words(&after);
    let clause = CHOICES.iter().find_map(|choice| {
        let choice: Vec<&str> = choice.split(' ').collect();
        let at = words.windows(choice.len()).position(|few| few == choice)?;
        words.get(at + choice.len()..)
    })?;
    let clause = clause.get(..CLAUSE.min(clause.len()))?;
    if clause.iter().any(|word| NEGATIONS.contains(word)) {
        return None;
    }
    let place = PLACES.iter().position(|place| clause.contains(place));
    place.filter(|place| *place < values.len()).or_else(|| {
        let named = clause.windows(2).find(|pair| matches!(pair, [_, name] if is_name(name)))?;
        let is_named = |&at: &usize| values.get(at).is_some_and(|&span| bears(window, span, named));
        let mut all = (0..values.len()).filter(is_named);
        all.next().filter(|_| all.next().is_none())
    })
}

/// Returns whether a word is a number or a letter that tells values apart.
fn is_name(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
        || (word.len() == 1 && word.bytes().all(|byte| byte.is_ascii_lowercase()))
}

/// Returns whether the label before the value at `span`, or the value itself, has the name in it.
fn bears(window: &Window<'_>, span: Span, name: &[&str]) -> bool {
    let has = |text: &str| words(&text.to_lowercase()).windows(name.len()).any(|few| few == name);
    let value = window.near(span.start, NAME_REACH.min(span.len()));
    let is_number =
        |label: &str| name.last().is_some_and(|name| label.trim_matches(['.', ')', '(']) == *name);
    let label = listing::label(window, span);
    label.is_some_and(|label| has(label) || is_number(label)) || has(value)
}

/// Returns the words of a text, without signs.
fn words(text: &str) -> Vec<&str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '\''))
        .filter(|word| !word.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::chosen;
    use crate::{Span, parser::Window};

    #[test]
    fn values_that_are_chosen() {
        for (text, expected) in [
            ("1. {}\n2. {}\nThe second page has it, so I choose option 2.", Some(1)),
            ("Option A: {}\nOption B: {}\nI'd go with Option A.", Some(0)),
            ("{}\nor\n{}\nI recommend the first one.", Some(0)),
            ("Plan A\n{}\nPlan B\n{}\n**Recommended: Plan B**, since it is shorter.", Some(1)),
            ("Option A: {}\nOption B: {}\nI'd recommend against option B.", None),
            ("Option A: {}\nOption B: {}\nWhich one do you choose?", None),
            ("{}\n{}\nI recommend option B.", None),
            ("Option 1: {}\nOption 2: {}\nMy final choice is Option 2.", Some(1)),
        ] {
            let spans: Vec<Span> =
                text.match_indices("{}").map(|(at, _)| Span::new(at, at + 2)).collect();
            assert_eq!(chosen(&Window::whole(text), &spans), expected, "{text}");
        }
    }
}
