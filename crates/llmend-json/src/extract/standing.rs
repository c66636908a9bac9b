//! What a candidate is by its introduction and content: the final value, or only a form, an
//! example, a schema, or a literal of some code.

use crate::{
    Origin, Span,
    extract::{Build, FoundValue, wrapper},
    parser::Window,
};

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

/// How far before a value its introduction is searched for, in bytes.
pub(super) const INTRODUCTION_REACH: usize = 240;
/// How much of a value is inspected, in bytes.
const VALUE_REACH: usize = 2_048;
/// How much of the code after a literal is read, in bytes.
pub(super) const CODE_REACH: usize = 400;

/// Words in the introduction of something that is not the answer.
const SKETCHES: &[&str] = &[
    "draft",
    "initial",
    "preliminary",
    "初步",
    "first attempt",
    "example",
    "format",
    "template",
    "schema",
    "structure",
    "sample",
    "original",
    "input",
    "placeholder",
    "like this",
    "looks like",
    "for instance",
    "typical",
    "would give",
    "considered",
    "first pass",
    "first try",
    "first thought",
    "few-shot",
    "rubric",
    "you sent",
    "you gave",
    "you pasted",
    "you shared",
    "your input",
    "your file",
    "intermediate",
    "for reference",
    "for comparison",
    "to be judged",
    // In other languages.
    "entwurf",
    "beispiel",
    "brouillon",
    "exemple",
    "borrador",
    "ejemplo",
    "черновик",
    "пример",
    "草稿",
    "初稿",
    "示例",
    "格式",
    "下書き",
    "원본",
    "초안",
    "예시",
];
/// Labels of what is not the answer, alone or before a note in parentheses.
const SKETCH_LABELS: &[&str] = &[
    "before",
    "received",
    "wrong",
    "bad",
    "draft",
    "check",
    "self-check",
    "sanity check",
    "validation",
    "usage",
    "old",
    "previous",
    "current",
    "source",
    "was",
    "vorher",
    "alt",
    "avant",
    "antes",
    "было",
    "之前",
    "変更前",
    "例",
];
/// Labels of the answer that stands beside what it replaces, alone or before a note in parentheses.
const FINAL_LABELS: &[&str] = &[
    "after",
    "right",
    "good",
    "new",
    "fixed",
    "cleaned",
    "now",
    "nachher",
    "neu",
    "après",
    "después",
    "стало",
    "之后",
];
/// What a tool said, at the end of an introduction.
pub(super) const TOOLS: &[&str] = &[
    "tool output",
    "tool result",
    "tool response",
    "function output",
    "function result",
    "function response",
    "api response",
    "tool returned",
    "api returned",
    "server returned",
    "and got",
    "observation",
];
/// What is given to a tool is the answer, though other input is not.
const CALL_INPUTS: &[&str] = &["tool input", "action input", "function input"];
/// Words in the introduction of the answer.
pub(super) const FINALS: &[&str] = &[
    "final",
    "answer",
    "output",
    "result",
    "response",
    "prints",
    "filled",
    "solution",
    "approved",
    "accepted",
    "completed",
    "corrected",
    "enriched",
    "translated",
    "updated",
    "conclusion",
    "evaluation:",
    "verdict:",
    "decision:",
    " correct",
    "as requested",
    "machine-readable",
    "use this",
    "i recommend",
    "i'd recommend",
    "i choose",
    "my choice",
    "i'd use",
    "i'd submit",
    "i'd send",
    "one to use",
    "one to send",
    "instance",
    "real data",
    // In other languages.
    "endgültig",
    "ergebnis",
    "antwort",
    "résultat",
    "réponse",
    "resultado",
    "respuesta",
    "итог",
    "ответ",
    "最终",
    "最終",
    "答案",
    "结果",
    "結果",
    "回答",
    "결과",
];
/// Words directly before an example in a sentence.
const CITATIONS: &[&str] = &[
    "e.g.",
    "for example",
    "for instance",
    "such as",
    "something like",
    "look like",
    "looks like",
    "or like",
    "z.b.",
    "z. b.",
    "zum beispiel",
    "par exemple",
    "por ejemplo",
    "例如",
];
/// Verbs that introduce a value in a sentence.
const VERBS: &[&str] = &[
    "is", "are", "be", "was", "as", "get", "gives", "give", "returns", "return", "yields",
    "becomes", "says", "like", "read", "reads", "equals", "ist", "sind", "wäre", "lautet",
    "lauten", "ergibt", "est", "es", "sería", "è",
];
/// Number of words before the verb that name what the value is.
const SUBJECT_WORDS: usize = 4;
/// Returns the standing of `found`. `displayed` says whether another value begins a line, so that
/// one in a sentence is only mentioned.
pub(crate) fn of<B: Build>(
    window: &Window<'_>,
    found: &FoundValue<B>,
    displayed: bool,
) -> Standing {
    let text = window.slice(found.span);
    let near = text.get(..VALUE_REACH.min(text.len())).unwrap_or(text);
    let introduction = introduction(window, found.span.start, found.origin);
    let has = |words: &[&str]| has_word(&introduction, words);
    let is_sketch = || {
        is_form(near)
            || is_schema(near)
            || is_code(window, found)
            || (is_struck(window, found.span) || is_commented(window, found.span))
            || is_remark(window, found.span)
            || is_cited(window, found.span)
            || is_said_by_other(window, found.span)
            || (displayed
                && (is_mention(window, found.span)
                    || is_quoted(window, found.span)
                    || is_inline_code(window, found.span)
                    || (introduction.is_empty() && is_inline(window, found))))
    };
    let named = introduction.trim_end_matches([':', '：', '*', ' ', 's', '`']);
    let label = label(&introduction);
    let element = element_before(window, found.span).replace('_', " ");
    let is_tool =
        TOOLS.iter().any(|name| named.ends_with(name) || element.trim_end_matches('s') == *name);
    if is_sketch() {
        Standing::Sketch
    } else if has(CALL_INPUTS) {
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

/// Returns the first word of an introduction if it is a label: alone, or before a note.
fn label(introduction: &str) -> &str {
    let is_mark = |c: char| !c.is_alphanumeric();
    let text = introduction.split(['(', '–', '—']).next().unwrap_or_default();
    text.trim_matches(is_mark)
}

/// Returns whether a label names what the writer made: `My classification:`.
fn is_own(label: &str, introduction: &str) -> bool {
    label.starts_with("my ") && !ends_with_verb(introduction)
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

/// Returns whether an introduction has one of `words` in it.
pub(super) fn has_word(introduction: &str, words: &[&str]) -> bool {
    words.iter().any(|word| introduction.contains(word))
}

/// Returns the last words before the verb that introduces a value in a sentence.
fn subject(introduction: &str) -> Option<&str> {
    let (clause, verb) = introduction.rsplit_once(' ')?;
    if !VERBS.contains(&verb) {
        return None;
    }
    let (start, _) =
        clause.rmatch_indices([' ', '"', ',']).nth(SUBJECT_WORDS - 1).unwrap_or((0, ""));
    clause.get(start..)
}

/// Returns whether a sentence ends with a verb that introduces a value.
pub(crate) fn ends_with_verb(sentence: &str) -> bool {
    sentence.rsplit(' ').next().is_some_and(|verb| VERBS.contains(&verb))
}

/// Returns whether a sentence ends with a word for the answer.
pub(crate) fn ends_with_answer(sentence: &str) -> bool {
    sentence.rsplit(' ').next().is_some_and(names_answer)
}

/// Returns whether `name`, before a colon, is a word for the answer.
pub(crate) fn names_answer(name: &str) -> bool {
    let name = name.to_lowercase();
    FINALS.iter().any(|word| *word == name)
}

/// Returns the line that introduces the value at `at`, in lower case. A line introduces it with a
/// colon, as a heading, in bold, or with a verb.
pub(super) fn introduction(window: &Window<'_>, at: usize, origin: Origin) -> String {
    let mut before = window.before(at, INTRODUCTION_REACH).trim_end();
    if origin == Origin::Fence {
        // Only the first value of a block is introduced before the block.
        let fence = before.rfind("```").max(before.rfind("~~~")).unwrap_or(before.len());
        let first = before.get(fence..).is_some_and(|inside| !inside.contains(['\n', '}', ']']));
        before = before.get(..if first { fence } else { before.len() }).unwrap_or_default();
        before = before.trim_end();
    }
    let line = before.rsplit('\n').next().unwrap_or_default().trim();
    // Only the end of a long line is about the value.
    let line = line.rsplit(['.', '}', ']', '!', '?']).next().unwrap_or_default();
    // Before a block, a sentence may lack its end.
    let opens_block =
        || line.ends_with(char::is_alphabetic) && line.split_whitespace().nth(2).is_some();
    let names = line.ends_with([':', '：', '→'])
        || line.ends_with("->")
        || line.ends_with("=>")
        || line.starts_with(['#', '='])
        || line.ends_with("**")
        || is_heading(line)
        || (if origin == Origin::Fence { opens_block() } else { ends_with_verb(line) });
    if names { line.to_lowercase() } else { String::new() }
}

/// Returns whether a line is a heading in capitals: `FINAL`, `[planner] FINAL OUTPUT`, `AFTER (a
/// note)`.
fn is_heading(line: &str) -> bool {
    let words = line.split(['(', ']']).find(|part| part.contains(char::is_uppercase));
    words.is_some_and(|words| {
        words.chars().filter(|c| c.is_alphabetic()).count() > 3
            && !words.contains(char::is_lowercase)
            && words.split_whitespace().count() <= HEADING_WORDS
    })
}

/// Most words of a heading in capitals.
const HEADING_WORDS: usize = 3;

/// Returns whether `c` may be in the name of a choice.
fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | '/')
}

/// Returns whether the strings of a value are only places to fill in.
pub(crate) fn is_form(value: &str) -> bool {
    let (mut holes, mut strings) = (0, 0);
    for (at, _) in value.match_indices(':') {
        let rest = value.get(at + 1..).unwrap_or_default().trim_start();
        let Some(string) = rest.strip_prefix('"') else { continue };
        let Some(end) = string.find('"') else { continue };
        let string = string.get(..end).unwrap_or_default();
        strings += 1;
        let tagged = string.starts_with('<') && string.ends_with('>') && !string.contains("</");
        let bracketed = string.starts_with('[') && string.ends_with(']');
        let blank = string.len() > 2 && string.chars().all(|c| c == '_');
        let yours = string.starts_with("YOUR_")
            || string.starts_with("your ")
            || string.ends_with(" goes here");
        let slot = string.starts_with("{{") && string.ends_with("}}");
        let named = matches!(
            string,
            "..." | "…" | "string" | "number" | "boolean" | "integer" | "YYYY-MM-DD"
        );
        let choice = string.contains('|')
            && string.split('|').all(|word| !word.is_empty() && word.chars().all(is_name));
        holes += usize::from(tagged || named || choice || bracketed || blank || yours || slot);
    }
    holes > 0 && holes == strings
}

/// Returns whether a value is a JSON Schema of an object.
pub(crate) fn is_schema(value: &str) -> bool {
    let has = |key: &str| value.contains(key);
    let says = has("\"$schema\"") || (has("\"properties\"") && has("\"object\""));
    says && has("\"type\"")
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
fn is_remark(window: &Window<'_>, span: Span) -> bool {
    let line = window.line_before(span.start, INTRODUCTION_REACH).unwrap_or_default();
    let Some(open) = line.rfind('(') else { return false };
    let (before, inside) = line.split_at(open);
    let is_call = before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
    !is_call && !inside.contains(')') && inside.contains(char::is_alphabetic)
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
    // One word joins it to the value before it.
    let (last, words) = before.rsplit_once(['}', ']']).unwrap_or_default();
    let joined = !last.is_empty() && words.split_whitespace().count() < 2;
    !joined
        && before.ends_with(|c: char| c.is_alphanumeric() || c == ',')
        && after.starts_with(char::is_alphabetic)
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
    let mut lines = before.trim_end().rsplit('\n');
    let line = lines.next().unwrap_or_default();
    // A call whose result is known is not what the text ends with.
    let answered = window.near(span.end, INTRODUCTION_REACH);
    let called = answered.contains("<tool_response") || answered.contains("<tool_result");
    let printed = line.starts_with("$ ") && is_displayed(window, span);
    let negated = line.trim_end().rsplit([' ', '\n']).next();
    instructs
        || commented
        || printed
        || negated.is_some_and(|word| word.eq_ignore_ascii_case("not"))
}

/// Returns whether words that do not introduce it are before a value on its line, as in a log or a
/// table.
fn is_inline<B: Build>(window: &Window<'_>, found: &FoundValue<B>) -> bool {
    let before = window.line_before(found.span.start, INTRODUCTION_REACH).unwrap_or("…");
    let words = before.rsplit(['}', ']']).next().unwrap_or_default();
    let is_word = |word: &&str| word.contains(char::is_alphanumeric);
    let joined = words.len() < before.len() && words.split_whitespace().filter(is_word).count() < 2;
    found.origin == Origin::Bare
        && !joined
        && (before.contains(char::is_alphanumeric) || before.trim_start().starts_with('|'))
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

/// Returns whether a value in a block is a literal that the code after it uses.
fn is_code<B: Build>(window: &Window<'_>, found: &FoundValue<B>) -> bool {
    let line = window.line_before(found.span.start, CODE_REACH).unwrap_or_default();
    if found.origin != Origin::Fence || !wrapper::is_assignment(line) {
        return false;
    }
    let after = window.near(found.span.end, CODE_REACH);
    let end = after.find("```").or_else(|| after.find("~~~")).unwrap_or(after.len());
    after.get(..end).is_some_and(|code| code.contains(char::is_alphabetic))
}

/// Returns whether the value at `span` is assigned in a line of indented code, which goes on behind
/// it.
pub(crate) fn is_in_code(window: &Window<'_>, span: Span) -> bool {
    let line = window.line_before(span.start, CODE_REACH).unwrap_or_default();
    line.starts_with([' ', '\t'])
        && wrapper::is_assignment(line)
        && window.near(span.end, CODE_REACH).contains(char::is_alphabetic)
}

/// Returns whether the value at `span` is the content of a tag that calls a tool.
pub(crate) fn is_call(window: &Window<'_>, span: Span) -> bool {
    let before = window.before(span.start, INTRODUCTION_REACH).trim_end();
    let tag = before.rfind('<').and_then(|at| before.get(at..));
    tag.is_some_and(|tag| {
        let name = tag.to_ascii_lowercase();
        tag.ends_with('>')
            && ["call", "invoke", "function", "tool"].iter().any(|word| name.contains(word))
    })
}

#[cfg(test)]
mod tests {
    use super::{Standing, introduction, is_form, is_mention, is_remark, is_schema};
    use crate::{Origin, Span, parser::Window};

    #[test]
    fn introductions() {
        for (before, origin, expected) in [
            ("Final: ", Origin::Bare, "final:"),
            ("So. The Output:\n", Origin::Bare, " the output:"),
            ("## Final\n```json\n", Origin::Fence, "## final"),
            ("**Answer**\n\n", Origin::Bare, "**answer**"),
            ("The answer is easy.\n", Origin::Bare, ""),
            ("The answer\n```\n", Origin::Fence, ""),
            ("Answer: {\"a\": 1} and\n", Origin::Bare, ""),
        ] {
            let window = Window::whole(before);
            assert_eq!(introduction(&window, before.len(), origin), expected, "{before}");
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

    #[test]
    fn forms_and_schemas() {
        for (value, form, schema) in [
            ("{\"a\": \"<string>\", \"b\": \"<number>\"}", true, false),
            ("{\"a\": \"...\", \"b\": 1}", true, false),
            ("{\"a\": \"string\"}", true, false),
            ("{\"a\": \"<b>x</b>\"}", false, false),
            ("{\"a\": \"string\", \"b\": \"x\"}", false, false),
            ("{\"a\": 1}", false, false),
            ("{\"a\": \"x|y|z w\"}", true, false),
            ("{\"a\": \"x || y\"}", false, false),
            ("{\"$schema\": \"http://x\", \"type\": \"object\"}", false, true),
            (
                "{\"type\": \"object\", \"properties\": {\"a\": {\"type\": \"string\"}}}",
                false,
                true,
            ),
            ("{\"type\": \"object\", \"size\": 1}", false, false),
        ] {
            assert_eq!((is_form(value), is_schema(value)), (form, schema), "{value}");
        }
        assert!(Standing::Sketch < Standing::Value && Standing::Value < Standing::Final);
    }
}
