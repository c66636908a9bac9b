//! What a candidate is by its introduction and content: the final value, or only a form, an
//! example, a schema, or a literal of some code.

use crate::{
    Origin, Span,
    extract::{
        Build, FoundValue, code,
        layer::lines,
        neighbor::{begins_value, opener},
    },
    parser::Window,
};

mod form;
mod introduction;
mod verdict;
pub(super) mod words;

pub(crate) use form::{is_form, is_schema, is_sketch};
pub(super) use introduction::{INTRODUCTION_REACH, has_word, introduction};
pub(crate) use introduction::{
    ends_with_answer, ends_with_verb, names_answer, names_conclusion, names_source,
};
use introduction::{is_own, label, subject, without_manner};
use words::{CALL_INPUTS, CITATIONS, FINAL_LABELS, FINALS, SKETCH_LABELS, SKETCHES, TOOLS};

/// The standing of a candidate among several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Standing {
    /// A form, an example, a draft, a schema, or a literal in code that uses it.
    Sketch,
    /// The answer to an input in the text, where another value is the answer to the question.
    Pair,
    /// Nothing says what it is.
    Value,
    /// Introduced as the answer.
    Final,
}

/// How much of a value is inspected, in bytes.
const VALUE_REACH: usize = 2_048;

/// Returns the standing of `found`. `displayed` says whether another value begins a line, so that
/// one in a sentence is only mentioned.
pub(crate) fn of<B: Build>(
    window: &Window<'_>,
    found: &FoundValue<B>,
    displayed: bool,
) -> Standing {
    if is_sketched_inside(window, found) {
        return Standing::Sketch;
    }
    around(window, found, displayed)
}

/// Returns whether the content of a value says that it is no answer: a form, a schema, a sketch.
pub(crate) fn is_sketched_inside<B: Build>(window: &Window<'_>, found: &FoundValue<B>) -> bool {
    let near = beginning(window, found.span);
    is_form(near) || is_schema(near) || (!found.repairs.is_empty() && is_sketch(near))
}

/// Returns the standing of `found` by what is around it: see [`of`].
pub(crate) fn around<B: Build>(
    window: &Window<'_>,
    found: &FoundValue<B>,
    displayed: bool,
) -> Standing {
    let introduction = introduction(window, found.span.start, found.origin);
    let introduction = without_manner(&introduction);
    let has = |words: &[&str]| has_word(&introduction, words);
    let is_no_answer = || {
        code::is_literal(window, found)
            || (is_struck(window, found.span) || is_commented(window, found.span))
            || is_remark(window, found.span)
            || is_cited(window, found.span)
            || is_said_by_other(window, found.span)
            || is_answered(window, found.span)
            || verdict::is_rejected(window, found.span, &introduction)
            || (displayed
                && (is_mention(window, found.span)
                    || is_quoted(window, found.span)
                    || is_inline_code(window, found.span)
                    || is_logged(window, found.span)
                    || (introduction.is_empty() && is_inline(window, found))))
    };
    let named = introduction.trim_end_matches([':', '：', '*', ' ', 's', '`']);
    let label = label(&introduction);
    let element = element_before(window, found.span).replace('_', " ");
    let is_tool =
        TOOLS.iter().any(|name| named.ends_with(name) || element.trim_end_matches('s') == *name);
    if is_no_answer() {
        Standing::Sketch
    } else if has(CALL_INPUTS) || is_data_element(window, found.span) {
        Standing::Final
    } else if let Some(subject) = subject(&introduction)
        && has_word(subject, FINALS)
        && !has_word(subject, SKETCHES)
    {
        Standing::Final
    } else if has(SKETCHES)
        || is_tool
        || SKETCH_LABELS.contains(&label)
        || (displayed && ends_with_verb(&introduction) && !is_displayed(window, found.span))
    {
        Standing::Sketch
    } else if has(FINALS) || FINAL_LABELS.contains(&label) || is_own(label, &introduction) {
        Standing::Final
    } else {
        Standing::Value
    }
}

/// Returns whether the value at `at` is introduced as the answer.
pub(crate) fn is_final(window: &Window<'_>, at: usize, origin: Origin) -> bool {
    let introduction = introduction(window, at, origin);
    has_word(&introduction, FINALS) && !has_word(&introduction, SKETCHES)
}

/// Returns whether what begins at `at` is introduced as a form, an example or a draft.
pub(crate) fn is_sketched(window: &Window<'_>, at: usize, origin: Origin) -> bool {
    has_word(&introduction(window, at, origin), SKETCHES)
}

/// Returns whether the value at `span` is struck through.
pub(crate) fn is_struck(window: &Window<'_>, span: Span) -> bool {
    let line = window.line_before(span.start, INTRODUCTION_REACH).unwrap_or_default().trim();
    line.ends_with("~~") && window.starts_with(window.skip_space(span.end), b"~~")
}

/// Returns whether the value at `span` is commented out.
fn is_commented(window: &Window<'_>, span: Span) -> bool {
    let line = window.line_before(span.start, INTRODUCTION_REACH).unwrap_or_default().trim();
    line.starts_with("//") || line.starts_with('#')
}

/// Returns whether the value at `span` is mentioned in a sentence in parentheses.
pub(crate) fn is_remark(window: &Window<'_>, span: Span) -> bool {
    let line = window.line_before(span.start, INTRODUCTION_REACH).unwrap_or_default();
    let Some(open) = line.rfind('(') else { return false };
    let (before, inside) = line.split_at(open);
    let is_call = before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
    // Another value there is no remark.
    let words = inside.split(['{', '[']).next().unwrap_or_default();
    !is_call && !inside.contains(')') && words.contains(char::is_alphabetic)
}

/// Returns whether the value at `span` follows words for an example in a sentence.
pub(crate) fn is_cited(window: &Window<'_>, span: Span) -> bool {
    let line = window.line_before(span.start, INTRODUCTION_REACH).unwrap_or_default();
    let line = line.trim_end().trim_end_matches([',', ':', '：', '`', '"', ' ']).to_lowercase();
    CITATIONS.iter().any(|words| line.ends_with(words))
}

/// Returns whether the value at `span` begins a line.
pub(crate) fn is_displayed(window: &Window<'_>, span: Span) -> bool {
    let line = window.line_before(span.start, INTRODUCTION_REACH);
    line.is_some_and(|line| line.trim().is_empty())
}

/// Returns whether the value at `span` is in the middle of a sentence.
pub(super) fn is_mention(window: &Window<'_>, span: Span) -> bool {
    let before = window.line_before(span.start, INTRODUCTION_REACH).unwrap_or("…").trim_end();
    let after = window.line_after(span.end, INTRODUCTION_REACH).trim_start();
    !is_joined(before)
        && before.ends_with(|c: char| c.is_alphanumeric() || c == ',')
        && after.starts_with(char::is_alphabetic)
}

/// Returns whether the value at `span` is in a line of a log.
fn is_logged(window: &Window<'_>, span: Span) -> bool {
    let before = window.line_before(span.start, INTRODUCTION_REACH).unwrap_or_default();
    before.starts_with(|c: char| c.is_ascii_digit()) && lines::is_logged(before)
}

/// Returns whether the value at `span` is in the middle of a sentence, perhaps as code.
pub(crate) fn is_in_passing(window: &Window<'_>, span: Span) -> bool {
    let before = window.before(span.start, INTRODUCTION_REACH);
    let after = window.line_after(span.end, INTRODUCTION_REACH);
    let code = before.ends_with('`') && after.starts_with('`');
    let words = before.trim_end_matches('`').trim_end_matches(' ');
    code && words.ends_with(|c: char| c.is_alphanumeric() || c == ':')
        && after.trim_start_matches('`').trim_start().starts_with(char::is_alphabetic)
}

/// Returns whether the value at `span` is in a line of a quotation.
fn is_quoted(window: &Window<'_>, span: Span) -> bool {
    let before = window.line_before(span.start, INTRODUCTION_REACH).unwrap_or_default();
    before.trim_start().starts_with('>')
}

/// Returns whether the value at `span` is between backticks in a line.
fn is_inline_code(window: &Window<'_>, span: Span) -> bool {
    let marked = window.character_before(span.start) == Some('`');
    marked && window.byte(span.end) == Some(b'`') && !window.starts_with(span.end, b"```")
}

/// Returns whether the value at `span` is in an instruction, is what a command printed, or is what
/// the answer is said not to be.
pub(crate) fn is_said_by_other(window: &Window<'_>, span: Span) -> bool {
    let before = window.before(span.start, INTRODUCTION_REACH);
    let open = before.rfind("[INST]");
    let instructs = open.is_some() && open > before.rfind("[/INST]");
    let channel = before.rfind("<|channel|>").and_then(|at| before.get(at..));
    let commented = channel.is_some_and(|text| {
        text.starts_with("<|channel|>commentary") && text.trim_end().ends_with("<|message|>")
    });
    let line = before.trim_end().rsplit('\n').next().unwrap_or_default();
    let printed = line.starts_with("$ ") && is_displayed(window, span);
    let negated = line.rsplit(' ').next();
    let speaker = line.split_once(": ").map(|(name, _)| name.trim_matches(['*', ' ']));
    let speaker = speaker.or_else(|| line.strip_suffix(':'));
    let asked = speaker.is_some_and(|name| {
        ["user", "human", "customer", "observation"]
            .iter()
            .any(|other| name.eq_ignore_ascii_case(other))
    });
    let responds = before.trim_end().ends_with("<tool_response>");
    instructs
        || asked
        || responds
        || commented
        || printed
        || negated.is_some_and(|word| word.eq_ignore_ascii_case("not"))
}

/// What the result of a call begins with.
const RESULTS: &[&str] = &["<tool_response", "<tool_result", "<observation", "\nObservation:"];

/// Returns whether the value at `span` is a call whose result follows.
fn is_answered(window: &Window<'_>, span: Span) -> bool {
    let after = window.near(span.end, INTRODUCTION_REACH);
    let line = window.line_before(span.start, INTRODUCTION_REACH).unwrap_or_default();
    let is_input = || has_word(&line.to_lowercase(), CALL_INPUTS);
    (is_call(window, span) || is_input()) && RESULTS.iter().any(|result| after.contains(result))
}

/// Returns whether words that do not introduce it are before a value on its line, as in a log or a
/// table.
fn is_inline<B: Build>(window: &Window<'_>, found: &FoundValue<B>) -> bool {
    let before = window.line_before(found.span.start, INTRODUCTION_REACH).unwrap_or("…");
    found.origin == Origin::Bare
        && !is_joined(before)
        && (before.contains(char::is_alphanumeric) || before.trim_start().starts_with('|'))
}

/// Returns whether a value stands in a line, and at most one word behind it joins the next one to it.
fn is_joined(line: &str) -> bool {
    let Some(close) = line.rfind(['}', ']']) else { return false };
    let (value, words) = line.split_at(close + 1);
    let is_word = |word: &&str| word.contains(char::is_alphanumeric);
    let is_value =
        || opener(value).is_none_or(|at| begins_value(value.get(at..).unwrap_or_default()));
    words.split_whitespace().filter(is_word).count() < 2 && is_value()
}

/// Returns whether a value on its own is only said to be an example or a form.
pub(crate) fn is_example<B: Build>(window: &Window<'_>, found: &FoundValue<B>) -> bool {
    let introduction = introduction(window, found.span.start, found.origin);
    ["like this", "for example", "an example", "e.g."]
        .iter()
        .any(|word| introduction.contains(word))
}

/// Returns the name of the element that begins right before the value at `span`; empty if there is
/// none.
pub(super) fn element_before<'w>(window: &Window<'w>, span: Span) -> &'w str {
    let before = window.before(span.start, INTRODUCTION_REACH).trim_end();
    let tag = before.strip_suffix('>').and_then(|tag| tag.rsplit('<').next());
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    tag.filter(|name| name.chars().all(is_name)).unwrap_or_default()
}

/// Returns the part of the value at `span` that is inspected.
pub(crate) fn beginning<'w>(window: &Window<'w>, span: Span) -> &'w str {
    let text = window.slice(span);
    text.get(..text.floor_char_boundary(VALUE_REACH)).unwrap_or(text)
}

/// Returns whether the value at `span` says that it is a schema.
pub(super) fn says_schema(window: &Window<'_>, span: Span) -> bool {
    is_schema(beginning(window, span))
}

/// Returns whether the value at `span` is the content of an element that says it is a schema.
pub(super) fn is_given_schema(window: &Window<'_>, span: Span) -> bool {
    element_before(window, span).to_ascii_lowercase().ends_with("schema")
}

/// Returns whether the value at `span` is the content of an element that says it is JSON: `<script
/// type="application/json">`.
fn is_data_element(window: &Window<'_>, span: Span) -> bool {
    let before = window.before(span.start, INTRODUCTION_REACH).trim_end();
    let tag = before.strip_suffix('>').and_then(|tag| tag.rsplit('<').next());
    tag.is_some_and(|tag| tag.starts_with("script") && tag.contains("json\""))
}

/// Returns whether the value at `span` is the content of a tag that calls a tool.
pub(crate) fn is_call(window: &Window<'_>, span: Span) -> bool {
    let before = window.before(span.start, INTRODUCTION_REACH).trim_end();
    let tag = before.rfind('<').and_then(|at| before.get(at..));
    tag.is_some_and(|tag| {
        let name = tag.to_ascii_lowercase();
        tag.ends_with('>')
            && ["call", "invoke", "function", "tool", "action"]
                .iter()
                .any(|word| name.contains(word))
    })
}

#[cfg(test)]
mod tests {
    use super::{is_joined, is_mention, is_remark};
    use crate::{Span, parser::Window};

    #[test]
    fn values_joined_to_the_one_before() {
        for (line, joined) in [
            ("{\"a\": 1} and ", true),
            ("[1, 2], ", true),
            ("\"a\": 1}, ", true),
            ("[doc_1] report.pdf ", false),
            ("[see below] ", false),
            ("[1, 2] and then also ", false),
            ("the answer ", false),
        ] {
            assert_eq!(is_joined(line), joined, "{line}");
        }
    }

    #[test]
    fn values_in_sentences() {
        for (text, mention, remark) in [
            ("I used {} since then.", true, false),
            ("For x, {} is wrong.", true, false),
            ("The answer is {}.", false, false),
            ("The answer: {} and so on.", false, false),
            ("(I tried {} as well.)", true, true),
            ("[1] and {} and [2]", false, false),
            ("[1] and then {} and so on", true, false),
            ("({})", false, false),
            ("f(x, {})", false, false),
        ] {
            let window = Window::whole(text);
            let at = text.find('{').expect(text);
            let span = Span::new(at, at + 2);
            let found = (is_mention(&window, span), is_remark(&window, span));
            assert_eq!(found, (mention, remark), "{text}");
        }
    }
}
