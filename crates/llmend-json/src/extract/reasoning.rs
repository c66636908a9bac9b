//! Reasoning in a text. Its drafts are never chosen.

use crate::{Span, parser::Window};

/// A reasoning tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    /// Opens reasoning that ends at `end`.
    Opens { end: usize, json: bool },
    /// Closes reasoning that was never opened.
    ClosesOnly { end: usize },
}

/// Longest tag that is recognized, in bytes.
const TAG_REACH: usize = 40;

/// Words that label a line of reasoning, or are in the name of its tag.
const LABELS: &[&str] = &["thought", "thoughts", "thinking", "reasoning"];
/// Other words of the names of reasoning tags. A tag `reason` is a parameter of a call.
const WORDS: &[&str] = &[
    "think",
    "rationale",
    "scratchpad",
    "analysis",
    "reflection",
    "monologue",
    "planning",
    "brainstorm",
    "draft",
    "cot",
];
/// Words of the names of tags that contain the result of reasoning.
const RESULTS: &[&str] = &["result", "results", "output", "answer", "final", "json", "data"];

/// Returns whether `name` is that of a reasoning tag: `think`, `seed:think`, `thought_process`,
/// `antThinking`.
pub(super) fn is_reasoning(name: &str) -> bool {
    let has = |known: &[&str]| {
        words(name).any(|word| known.iter().any(|known| word.eq_ignore_ascii_case(known)))
    };
    name.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-' | b':'))
        && (has(LABELS) || has(WORDS))
        && !has(RESULTS)
}

/// Returns whether `label` labels reasoning: `Thought`.
pub(super) fn is_word(label: &str) -> bool {
    LABELS.iter().chain(WORDS).any(|known| label.eq_ignore_ascii_case(known))
}

/// Returns whether reasoning has drafts of JSON.
fn has_json(window: &Window<'_>, reasoning: Span) -> bool {
    memchr::memchr2(b'{', b'[', window.bytes(reasoning)).is_some()
}

/// Returns the words of a name. A capital after a small letter begins one.
fn words(name: &str) -> impl Iterator<Item = &str> {
    let bytes = name.as_bytes();
    let starts = move |at: usize| {
        let before = at.checked_sub(1).and_then(|at| bytes.get(at));
        before.is_some_and(u8::is_ascii_lowercase)
            && bytes.get(at).is_some_and(u8::is_ascii_uppercase)
    };
    let mut last = 0;
    let mut ends: Vec<usize> = (0..name.len()).filter(|&at| starts(at)).collect();
    ends.push(name.len());
    ends.into_iter()
        .filter_map(move |end| name.get(std::mem::replace(&mut last, end)..end))
        .flat_map(|part| part.split(['_', '-', ':']))
}

/// Returns the reasoning tag at `at`, if there is one.
pub(super) fn tag(window: &Window<'_>, at: usize) -> Option<Tag> {
    if window.starts_with(at, CHANNEL.as_bytes()) {
        return channel(window, at + CHANNEL.len());
    }
    if window.byte(at + 1) == Some(b'|') {
        let opens = |end| Tag::Opens { end, json: has_json(window, Span::new(at, end)) };
        return mark(window, at).map(opens).or_else(|| token(window, at));
    }
    let closes = window.byte(at + 1) == Some(b'/');
    let start = at + 1 + usize::from(closes);
    let after = window.find(start, TAG_REACH, |bytes| memchr::memchr(b'>', bytes))? + 1;
    let name = window.slice(Span::new(start, after - 1));
    // Behind another tag, a reason is a parameter of a call.
    let is_reason = || name.eq_ignore_ascii_case("reason") && !closes && !follows_tag(window, at);
    if !is_reasoning(name) && !is_reason() && (closes || !is_folded(window, name, after)) {
        return None;
    }
    if closes {
        return Some(Tag::ClosesOnly { end: after });
    }
    let close = format!("</{name}>");
    let found = window.find(after, usize::MAX, |bytes| find_ignoring_case(bytes, close.as_bytes()));
    let end = found.map_or(window.end(), |place| place + close.len());
    Some(Tag::Opens { end, json: has_json(window, Span::new(after, end)) })
}

/// Returns whether nothing but white space is between the tag at `at` and one before it.
fn follows_tag(window: &Window<'_>, at: usize) -> bool {
    window.before(at, TAG_REACH).trim_end().ends_with('>')
}

/// Longest title of what a page folds away, in bytes.
const SUMMARY_REACH: usize = 120;

/// Returns whether the tag with this name, which ends at `after`, folds reasoning away:
/// `<details><summary>My reasoning</summary>`.
fn is_folded(window: &Window<'_>, name: &str, after: usize) -> bool {
    let summary = window.near(window.skip_space(after), SUMMARY_REACH);
    let title = || summary.strip_prefix("<summary>")?.split_once("</summary>");
    name.eq_ignore_ascii_case("details")
        && title().is_some_and(|(title, _)| title.split(' ').any(is_reasoning))
}

/// Returns the reasoning that the token at `at` opens or closes: `<|begin_of_thought|>`,
/// `<|START_THINKING|>`, `<|think|>`.
fn token(window: &Window<'_>, at: usize) -> Option<Tag> {
    let end = |at: usize| window.find(at, TAG_REACH, |bytes| memchr::memmem::find(bytes, b"|>"));
    let close = end(at + 2)?;
    let (ends, name) = end_and_name(window.slice(Span::new(at + 2, close)));
    if !is_reasoning(name) {
        return None;
    }
    let after = close + 2;
    if ends {
        return Some(Tag::ClosesOnly { end: after });
    }
    let mut place = after;
    let end = loop {
        let next = |bytes: &[u8]| memchr::memmem::find(bytes, b"<|");
        let Some(open) = window.find(place, usize::MAX, next) else { break window.end() };
        place = open + 2;
        let Some(close) = end(place) else { continue };
        let (ends, other) = end_and_name(window.slice(Span::new(place, close)));
        if ends && other.eq_ignore_ascii_case(name) {
            break close + 2;
        }
    };
    Some(Tag::Opens { end, json: has_json(window, Span::new(after, end)) })
}

/// Returns whether a token ends something, and the name of what it begins or ends.
fn end_and_name(token: &str) -> (bool, &str) {
    const BEGINS: [&str; 6] = ["begin_of_", "start_of_", "begin_", "start_", "begin-", "start-"];
    const ENDS: [&str; 4] = ["end_of_", "end_", "end-", "/"];
    let without = |prefixes: &[&str]| {
        prefixes.iter().find_map(|prefix| {
            let start = token.get(..prefix.len())?;
            start.eq_ignore_ascii_case(prefix).then(|| token.get(prefix.len()..))?
        })
    };
    match without(&ENDS) {
        Some(name) => (true, name),
        None => (false, without(&BEGINS).unwrap_or(token)),
    }
}

/// Returns the end of the analysis at `at` that an answer without its channel tokens begins with:
/// `analysisWe need …assistantfinal`, or with each word on a line of its own; or of the thoughts as a
/// terminal shows them: `Thinking...` and `...done thinking.`
pub(super) fn analysis(window: &Window<'_>, at: usize) -> Option<usize> {
    const OPEN: &[u8] = b"analysis";
    const THINKING: &[u8] = b"Thinking...\n";
    const DONE: &[u8] = b"...done thinking.";
    const FINAL: &[u8] = b"assistantfinal";
    const LINE: &[u8] = b"\nfinal\n";
    if window.starts_with(at, THINKING) {
        let end = window.find(at, usize::MAX, |bytes| memchr::memmem::find(bytes, DONE))?;
        return Some(end + DONE.len());
    }
    if !window.starts_with(at, OPEN) {
        return None;
    }
    let apart = match window.byte(at + OPEN.len())? {
        b'\n' => true,
        b'A'..=b'Z' | b'{' | b'[' => false,
        _ => return None,
    };
    let find = |close| {
        let place = window.find(at, usize::MAX, |bytes| memchr::memmem::find(bytes, close))?;
        Some(place + close.len())
    };
    let line = find(LINE).filter(|_| apart);
    find(FINAL).into_iter().chain(line).min()
}

/// Longest heading that is recognized, in bytes.
const HEADING_REACH: usize = 80;

/// Returns where the section of reasoning that a heading begins at `at` ends: at the next heading of the
/// same kind, which names the answer: `## Reasoning` and `## Answer`, `**Thinking:**` and `**Answer:**`.
/// Without one, the answer may be in the section.
pub(super) fn section(window: &Window<'_>, at: usize) -> Option<usize> {
    let (mark, title) = heading(window.near(at, HEADING_REACH))?;
    if !title.split(' ').any(is_reasoning) {
        return None;
    }
    let mut place = at;
    loop {
        let next = |bytes: &[u8]| memchr::memchr(b'\n', bytes);
        place = window.find(place, usize::MAX, next)? + 1;
        let found = heading(window.near(place, HEADING_REACH));
        let Some((_, title)) = found.filter(|(other, _)| *other == mark) else { continue };
        let is_result = |word: &str| RESULTS.iter().any(|known| word.eq_ignore_ascii_case(known));
        return title.split(' ').any(is_result).then_some(place);
    }
}

/// Returns the first character of the heading that `text` begins with, and its title.
fn heading(text: &str) -> Option<(char, &str)> {
    let line = text.split_once('\n').map_or(text, |(line, _)| line).trim();
    let title = line.trim_start_matches('#');
    if title.len() < line.len() {
        return Some(('#', title.trim().trim_end_matches([':', '#'])));
    }
    let title = line.strip_prefix("**")?.trim_end_matches(':').strip_suffix("**")?;
    Some(('*', title.trim_end_matches(':')))
}

/// The token that opens a channel in answers of gpt-oss.
const CHANNEL: &str = "<|channel|>";
/// Tokens that end a message in a channel, or begin the next one.
const ENDS: &[&str] = &["<|end|>", "<|start|>", "<|channel|>", "<|return|>", "<|call|>"];

/// Returns the reasoning in the channel whose name starts at `at`: `analysis<|message|>…<|end|>`.
fn channel(window: &Window<'_>, at: usize) -> Option<Tag> {
    let start = at + window.run(at, |byte| byte == b' ');
    if !window.starts_with(start, b"analysis") {
        return None;
    }
    let first = |bytes: &[u8]| {
        memchr::memmem::find_iter(bytes, "<|").find(|&at| {
            ENDS.iter().any(|end| bytes.get(at..).is_some_and(|b| b.starts_with(end.as_bytes())))
        })
    };
    let end = window.find(start, usize::MAX, first).unwrap_or(window.end());
    Some(Tag::Opens { end, json: has_json(window, Span::new(start, end)) })
}

/// Pairs of reasoning marks that are not tags.
const MARKS: &[(&str, &str)] =
    &[("[THINK]", "[/THINK]"), ("◁think▷", "◁/think▷"), ("<|channel>thought", "<channel|>")];

/// Returns the end of the reasoning that a mark at `at` opens.
pub(super) fn mark(window: &Window<'_>, at: usize) -> Option<usize> {
    let (open, close) = MARKS.iter().find(|(open, _)| window.starts_with(at, open.as_bytes()))?;
    let found = window
        .find(at + open.len(), usize::MAX, |bytes| memchr::memmem::find(bytes, close.as_bytes()));
    Some(found.map_or(window.end(), |place| place + close.len()))
}

/// Returns whether the line at `at` is labeled as reasoning: `Thought:`, `**Thinking**:`.
pub(super) fn is_label(window: &Window<'_>, at: usize) -> bool {
    let start = at + window.run(at, |byte| byte == b'*');
    let end = start + window.run(start, |byte| byte.is_ascii_alphabetic());
    let label = window.slice(Span::new(start, end));
    window.byte(end + window.run(end, |byte| byte == b'*')) == Some(b':')
        && label.starts_with(|c: char| c.is_ascii_uppercase())
        && LABELS.iter().any(|known| label.eq_ignore_ascii_case(known))
}

/// Returns the first position of `mark` in `text`, ignoring ASCII case.
fn find_ignoring_case(text: &[u8], mark: &[u8]) -> Option<usize> {
    memchr::memchr_iter(b'<', text).find(|&at| {
        text.get(at..at + mark.len()).is_some_and(|found| found.eq_ignore_ascii_case(mark))
    })
}

#[cfg(test)]
mod tests {
    use super::{Tag, analysis, is_label, section, tag};
    use crate::parser::Window;

    #[test]
    fn sections_of_reasoning() {
        for (text, expected) in [
            ("## Reasoning\n{}\n## Answer\n[]", Some("## Answer\n[]")),
            ("# My reasoning:\n{}\n\n# Final JSON\n[]", Some("# Final JSON\n[]")),
            ("**Thinking:**\n{}\n**Answer:**\n[]", Some("**Answer:**\n[]")),
            ("**Thought process**\n{}\n**Result**:\n[]", Some("**Result**:\n[]")),
            ("## Reasoning\n{}\n## Notes\n[]\n## Answer", None),
            ("## Reasoning\n{}\n**Answer:**", None),
            ("## Reasoning\n{}", None),
            ("## Facts\n{}\n## Answer\n[]", None),
            ("**Thinking** is hard.\n{}\n**Answer:**\n[]", None),
        ] {
            assert_eq!(
                section(&Window::whole(text), 0).map(|end| &text[end..]),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn analysis_without_its_tokens() {
        for (text, expected) in [
            ("analysisWe try {}.assistantfinal[]", Some("[]")),
            ("analysis\nWe try {}.\nassistantfinal\n[]", Some("\n[]")),
            ("analysis\nWe try {}.\nfinal\n[]", Some("[]")),
            ("analysisWe try {}.\nfinal\n[]", None),
            ("analysis of it: {}\nassistantfinal", None),
            ("analysis\n{}", None),
        ] {
            let found = analysis(&Window::whole(text), 0);
            assert_eq!(found.map(|end| &text[end..]), expected, "{text}");
        }
    }

    #[test]
    fn labeled_lines() {
        for (text, expected) in [
            ("Thought: {}", true),
            ("**Thinking**: {}", true),
            ("Thoughts: {}", true),
            ("Thoughtful: {}", false),
            ("thought: {}", false),
            ("Analysis: {}", false),
        ] {
            assert_eq!(is_label(&Window::whole(text), 0), expected, "{text}");
        }
    }

    #[test]
    fn reasoning_tags() {
        for (text, expected) in [
            ("<think>a</think>b", Some(Tag::Opens { end: 16, json: false })),
            ("<Thinking>{</THINKING>b", Some(Tag::Opens { end: 22, json: true })),
            ("<think>a {", Some(Tag::Opens { end: 10, json: true })),
            ("</think>b", Some(Tag::ClosesOnly { end: 8 })),
            ("<|channel|>analysis<|message|>{<|end|>b", Some(Tag::Opens { end: 31, json: true })),
            ("<|channel|>final<|message|>{", None),
            ("<|channel>thought\n{a<channel|>{", Some(Tag::Opens { end: 30, json: true })),
            ("<reasoning_content>{</reasoning_content>b", Some(Tag::Opens { end: 40, json: true })),
            ("<antThinking>a</antThinking>b", Some(Tag::Opens { end: 28, json: false })),
            ("<|begin_of_thought|>{<|end_of_thought|>b", Some(Tag::Opens { end: 39, json: true })),
            ("<|START_THINKING|>a<|END_THINKING|>b", Some(Tag::Opens { end: 35, json: false })),
            ("<|think|>a<|/think|>b", Some(Tag::Opens { end: 20, json: false })),
            ("<|end_of_thought|>b", Some(Tag::ClosesOnly { end: 18 })),
            ("<|im_start|>b", None),
            ("<analysis_result>{}</analysis_result>", None),
            ("<thinker>", None),
            (
                "<details><summary>My reasoning</summary>{</details>b",
                Some(Tag::Opens { end: 51, json: true }),
            ),
            ("<details><summary>Result</summary>{</details>b", None),
            ("<reason>{}</reason>", Some(Tag::Opens { end: 19, json: true })),
            ("<b>", None),
        ] {
            assert_eq!(tag(&Window::whole(text), 0), expected, "{text}");
        }
    }
}
