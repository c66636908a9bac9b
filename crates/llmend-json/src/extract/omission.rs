//! Comments that stand for content which was left out.

use crate::{Class, Repair, Rule, parser::Window};

/// How much of a comment is read, in bytes.
const REACH: usize = 120;
/// How far before a comment the start of its line is searched for, in bytes.
const LINE_REACH: usize = 120;

/// Words that say that something was left out.
const WORDS: &[&str] = &[
    "...",
    "…",
    "same as",
    "omitted",
    "remaining",
    "rest of",
    "truncated",
    "unchanged",
    "brevity",
    "and so on",
    "abbreviated",
    "more items",
    "more entries",
    "continues",
    "etc.",
];

/// Returns the class of `repair`. A comment in the place of content is a loss.
pub(crate) fn class_of(window: &Window<'_>, repair: &Repair) -> Class {
    let is_comment = matches!(
        repair.rule,
        Rule::LineComment | Rule::BlockComment | Rule::HashComment | Rule::HtmlComment
    );
    if is_comment && stands_for_content(window, repair) {
        return Class::Loss;
    }
    repair.class()
}

#[cold]
fn stands_for_content(window: &Window<'_>, repair: &Repair) -> bool {
    let comment = window.slice(repair.span);
    let end = (0..=comment.len().min(REACH)).rev().find(|&end| comment.is_char_boundary(end));
    let comment = comment.get(..end.unwrap_or(0)).unwrap_or_default().to_ascii_lowercase();
    if !WORDS.iter().any(|word| comment.contains(word)) {
        return false;
    }
    let before = window.before(repair.span.start, LINE_REACH);
    let line = before.rsplit('\n').next().unwrap_or_default().trim_end();
    line.trim().is_empty() || line.ends_with(['{', '['])
}

#[cfg(test)]
mod tests {
    use super::class_of;
    use crate::{Class, Repair, Rule, Span, parser::Window};

    #[test]
    fn comments_for_content() {
        for (text, expected) in [
            ("{/* same as before */}", Class::Loss),
            ("[\n  1,\n  /* ... 40 more */\n  2]", Class::Loss),
            ("[1, /* ... */ 2]", Class::Notation),
            ("{\"a\": 1, /* same as before */ \"b\": 2}", Class::Notation),
            ("{/* the name */\"a\": 1}", Class::Notation),
        ] {
            let start = text.find("/*").expect(text);
            let end = text.find("*/").expect(text) + 2;
            let span = Span::new(start, end);
            let repair = Repair { rule: Rule::BlockComment, span, replacement: "".into() };
            assert_eq!(class_of(&Window::whole(text), &repair), expected, "{text}");
        }
    }
}
