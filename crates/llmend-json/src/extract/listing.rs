//! Whether two values in a row are items of one list, by their bullets or numbers.

use crate::{
    Span,
    extract::{rival, standing::INTRODUCTION_REACH},
    parser::Window,
};

/// Longest line that may be the label of an item, in bytes.
const LABEL_REACH: usize = 100;
/// Marks before an item without a number.
const BULLETS: &[&str] = &["-", "*", "•", "–", "·"];

/// Returns whether the values at `one` and `next` are introduced as items of a list: by bullets, or by
/// labels with ascending numbers.
pub(super) fn are_listed(window: &Window<'_>, one: Span, next: Span) -> bool {
    if next.start < one.end {
        return false;
    }
    let between = window.slice(Span::new(one.end, next.start));
    if BULLETS.contains(&between.trim_matches([' ', '\t', '\r', '\n', ',']))
        && between.contains('\n')
    {
        return true;
    }
    let Some(label) = last_label(between) else { return false };
    let Some(before) = self::label(window, one) else { return false };
    match (number(before), number(label)) {
        (Some((kind, n)), Some((same, next))) => {
            n.checked_add(1) == Some(next)
                && kind.eq_ignore_ascii_case(same)
                && !rival::names_rival(label)
        }
        _ => false,
    }
}

/// Returns the line before the value at `span` if it may be its label.
pub(super) fn label<'w>(window: &Window<'w>, span: Span) -> Option<&'w str> {
    last_label(window.before(span.start, INTRODUCTION_REACH))
}

/// Returns the last line of a text that is no fence of a block, if it may be a label.
fn last_label(before: &str) -> Option<&str> {
    let is_label = |line: &&str| !line.is_empty() && !line.starts_with("```");
    let label = before.rsplit('\n').map(str::trim).find(is_label)?;
    (label.len() <= LABEL_REACH).then_some(label)
}

/// Returns the first number of a label, and the word or sign before it.
fn number(label: &str) -> Option<(&str, u32)> {
    let start = label.find(|c: char| c.is_ascii_digit())?;
    let (before, rest) = label.split_at(start);
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let kind = before.split_whitespace().next_back().unwrap_or_default();
    Some((kind, rest.get(..end)?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::are_listed;
    use crate::{Span, parser::Window};

    #[test]
    fn items_of_a_list() {
        for (text, listed) in [
            ("- {}\n- {}", true),
            ("{} - {}", false),
            ("1. {}\n2. {}", true),
            ("2. {}\n2. {}", false),
            ("[0] {}\n[1] {}", true),
            ("Step 1 – the first\n{}\nStep 2 – the second\n{}", true),
            ("Step 1\n{}\nPart 2\n{}", false),
            ("**File 1**\n```json\n{}\n```\n\n**File 2**\n```json\n{}\n```", true),
            ("Both at once: {}\n2. {}", false),
            ("Option 1: {}\nOption 2: {}", false),
            ("Response 1\n{}\nResponse 2\n{}", false),
            ("| 1 | `{}` |\n| 2 | `{}` |", true),
            ("Sheet `A` (1 of 2):\n{}\nSheet `B` (2 of 2):\n{}", true),
            ("{}\nQuestion 2: and now?\n{}", false),
        ] {
            let spans: Vec<Span> =
                text.match_indices("{}").map(|(at, _)| Span::new(at, at + 2)).collect();
            assert_eq!(are_listed(&Window::whole(text), spans[0], spans[1]), listed, "{text}");
        }
    }
}
