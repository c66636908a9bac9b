//! Suggestions for misspelled names.

/// Longest name that is compared, in characters.
const LONGEST: usize = 64;

/// Returns the name among `known` that `name` most likely misspells.
///
/// Case and separators are ignored, and one edit is allowed for every four characters. Returns
/// `None` if no name is near enough or several are equally near.
///
/// ```
/// let known = ["steps", "notes"];
/// assert_eq!(llmend_json::nearest("setps", known), Some("steps"));
/// assert_eq!(llmend_json::nearest("tasks", known), None);
/// ```
pub fn nearest<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let wanted = folded(name)?;
    let mut best: Option<(usize, &str)> = None;
    let mut tied = false;
    for candidate in known {
        let Some(other) = folded(candidate) else { continue };
        let most = wanted.len().max(other.len()) / 4;
        if wanted.len().abs_diff(other.len()) > most {
            continue;
        }
        let distance = distance(&wanted, &other);
        if distance > most {
            continue;
        }
        match best {
            Some((least, _)) if distance > least => {}
            Some((least, _)) if distance == least => tied = true,
            _ => (best, tied) = (Some((distance, candidate)), false),
        }
    }
    best.filter(|_| !tied).map(|(_, candidate)| candidate)
}

/// Returns the number of edits between two names: insertions, deletions, replacements and swaps of
/// neighbors. Case and separators are ignored. `None` if a name is too long to compare or has no
/// letters.
///
/// ```
/// assert_eq!(llmend_json::edits("setps", "Steps"), Some(1));
/// ```
#[must_use]
pub fn edits(one: &str, other: &str) -> Option<usize> {
    Some(distance(&folded(one)?, &folded(other)?))
}

/// Returns the letters and digits of `name` in lower case, if there are any and not too many.
fn folded(name: &str) -> Option<Vec<char>> {
    let short = name.chars().nth(LONGEST).is_none();
    let letters: Vec<char> = name
        .chars()
        .take(LONGEST)
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect();
    (short && !letters.is_empty()).then_some(letters)
}

/// Returns the number of insertions, deletions, replacements and swaps of neighbors between two
/// names (Damerau–Levenshtein, each letter edited once).
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before = vec![0; b.len() + 1];
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1; b.len() + 1];
        for (j, y) in b.iter().enumerate() {
            let swapped = i > 0 && j > 0 && a.get(i - 1) == Some(y) && b.get(j - 1) == Some(x);
            let mut least = (above[j] + usize::from(x != y)).min(above[j + 1] + 1).min(row[j] + 1);
            if swapped {
                least = least.min(before[j - 1] + 1);
            }
            row[j + 1] = least;
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

#[cfg(test)]
mod tests {
    use super::{distance, nearest};

    #[test]
    fn typos_are_recognized_and_other_names_are_not() {
        let known =
            ["id", "title", "tool", "steps", "depends_on", "notes", "expected_output", "metadata"];
        for (name, expected) in [
            ("setps", Some("steps")),
            ("step", Some("steps")),
            ("Steps", Some("steps")),
            ("dependsOn", Some("depends_on")),
            ("depends-on", Some("depends_on")),
            ("dependson", Some("depends_on")),
            ("note", Some("notes")),
            ("ID", Some("id")),
            ("tol", Some("tool")),
            ("expectd_outptu", Some("expected_output")),
            ("ids", None),
            ("ix", None),
            ("tasks", None),
            ("dependencies", None),
            ("priority", None),
            ("", None),
            ("__", None),
        ] {
            assert_eq!(nearest(name, known), expected, "{name}");
        }
        assert_eq!(nearest(&"steps".repeat(1000), known), None);
    }

    #[test]
    fn ties_give_no_suggestion() {
        assert_eq!(nearest("inputx", ["inputs", "inputz"]), None);
        assert_eq!(nearest("inputs", ["inputs", "inputz"]), Some("inputs"));
    }

    #[test]
    fn distances() {
        for (a, b, expected) in
            [("", "", 0), ("abc", "", 3), ("abc", "acb", 1), ("abcd", "abxd", 1), ("ca", "abc", 3)]
        {
            let letters = |text: &str| text.chars().collect::<Vec<_>>();
            assert_eq!(distance(&letters(a), &letters(b)), expected, "{a} {b}");
            assert_eq!(distance(&letters(b), &letters(a)), expected, "{b} {a}");
        }
    }
}
