//! Words right before a call which say that it is not made: it is shown, forbidden, asked about, or
//! an earlier one. Words that only may say so make a call a guess.

use llmend_json::Span;

use super::{
    Event, Machine, Mode,
    block::{Block, mentioned_call},
    lead::{EXAMPLES, Lead},
};
use crate::{
    input::{Input, Read, Stop},
    marks::{Role, role},
    tag::Tag,
};

/// What may come before the word for an example at the beginning of a line that shows one.
const BEFORE_EXAMPLE: &[&str] = &["for ", "zum ", "par ", "por ", "per ", "bij", "на"];
/// What a line says that ends with a colon and shows the form of a call.
const SHOWN: &[&str] = &[
    "call looks like",
    "calls look like",
    "call would look",
    "call is written",
    "calls are written",
    "example of a call",
    "example of a tool call",
    "example of a function call",
    "example call",
    "example tool call",
    "sample call",
    "syntax is",
    "format is",
];
/// Questions for leave.
const QUESTIONS: &[&str] = &[
    "should i ",
    "shall i ",
    "may i ",
    "want me to ",
    "like me to ",
    "okay to ",
    "ok to ",
    "soll ich ",
    "darf ich ",
    "dois-je ",
    "puis-je ",
    "¿debo ",
    "¿puedo ",
    "devo ",
    "posso ",
    "要我",
    "是否要",
    "しましょうか",
    "할까요",
];
/// Words that forbid, and those of two words.
const NEVER: &[&str] =
    &["never", "don't", "don’t", "won't", "won’t", "mustn't", "shouldn't", "wouldn't"];
const NOT: &[&str] = &["do", "will", "must", "should", "would"];
/// What is forbidden, or would be done.
const MAKING: &[&str] =
    &["run", "call", "execute", "write", "use", "send", "invoke", "make", "emit", "output", "do"];
/// The same in other languages.
const FORBIDDEN: &[&str] = &[
    "nicht ausführen",
    "nicht aufrufen",
    "ne pas exécuter",
    "n'exécutez pas",
    "no ejecutes",
    "nunca ejecutes",
    "не выполняй",
    "не вызывай",
    "不要调用",
    "不要运行",
    "不要执行",
    "请勿",
    "切勿",
    "実行しないで",
    "呼び出さないで",
];
/// Words with which a line begins that makes depend on the user what follows.
const CONDITIONS: &[&str] = &["if", "once", "unless", "wenn", "falls", "sobald"];
const USERS: &[&str] = &["you", "du", "sie", "ihr"];
/// What the last clause says of an earlier call.
const EARLIER: &[&str] =
    &["call was", "calls were", "call i made", "calls i made", "previous call", "pasted"];
/// Elements that quote what is in them.
const QUOTING: &[&str] =
    &["example", "examples", "sample", "pre", "code", "samp", "quote", "blockquote", "td"];
/// What ends a clause.
const ENDS: [char; 10] = [',', '.', ';', ':', '!', '?', '，', '。', '；', '：'];
/// How much of a line is read, in bytes.
const MAX_LINE: usize = 300;

impl Machine {
    /// Returns whether the words before a block without a call yet say that its call is not made, or
    /// the block follows one of which they say it.
    pub(super) fn is_withheld(&self, block: &Block, input: Input<'_>) -> bool {
        let start = block.fence.unwrap_or(block.opener.start);
        let judged = || is_withheld(Lead::at(input, start)) || self.follows_withheld(input, start);
        block.calls == 0 && *block.withheld.get_or_init(judged)
    }

    /// Leaves a call as text, with its marks, since it is not made.
    pub(super) fn withhold(&mut self, block: &Block, span: Span, input: Input<'_>) -> Read<()> {
        let end = behind_closers(input, span.end)?;
        (self.mode, self.line) = (Mode::Text, false);
        self.at = block.fence.unwrap_or(block.opener.start);
        self.prose.add(input.slice(self.at, end));
        self.text(end);
        (self.withheld_to, self.bare_from, self.reported) = (end, end, true);
        self.events.push(Event::Finding(Box::new(mentioned_call(span))));
        Ok(())
    }

    /// Returns whether nothing but white space is between a call that is text and this place.
    pub(super) fn follows_withheld(&self, input: Input<'_>, at: usize) -> bool {
        self.withheld_to > 0 && input.slice(self.withheld_to.min(at), at).trim().is_empty()
    }
}

/// Returns the offset behind the marks that close a call which ends at `at`.
fn behind_closers(input: Input<'_>, at: usize) -> Read<usize> {
    let mut end = at;
    loop {
        let next = input.skip_space(end);
        if next == input.len() && !input.complete {
            return Err(Stop::More);
        }
        match Tag::at(input, next)? {
            Some(tag) if tag.closing || role(&tag) == Some(Role::Close) => end = tag.span.end,
            _ => return Ok(end),
        }
    }
}

/// Returns whether what is before a call says that it is not made.
pub(super) fn is_withheld(lead: Lead<'_>) -> bool {
    let line = lead.line();
    if quotes(line) || begins_comment(lead.own_words()) {
        return true;
    }
    // What is before a tag is of another text, such as the reasoning.
    let line = line.rsplit('>').next().unwrap_or(line);
    let line = line.get(line.ceil_char_boundary(line.len().saturating_sub(MAX_LINE))..);
    let line = line.unwrap_or_default().trim().to_lowercase();
    let is_within = !lead.own_words().is_empty();
    is_example(&line, is_within) || is_asked(&line, is_within) || is_denied(&line)
}

/// Returns whether a line shows an example, or the form of a call.
fn is_example(line: &str, is_within: bool) -> bool {
    let words = line.trim_start_matches(['#', '*', '_', ' ']);
    let noun = BEFORE_EXAMPLE.iter().find_map(|before| words.strip_prefix(before));
    let begins = EXAMPLES.iter().any(|word| {
        let rest = words.strip_prefix(word).or_else(|| noun?.strip_prefix(word));
        rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '.'))
    });
    let is_heading = line.len() > words.len();
    let introduces = line.trim_end_matches(['*', '_', ' ']).ends_with([':', '：']);
    (begins && (is_heading || introduces || is_within))
        || (introduces && SHOWN.iter().any(|phrase| line.contains(phrase)))
}

/// Returns whether the last sentence asks for leave.
fn is_asked(line: &str, is_within: bool) -> bool {
    let is_question = line.ends_with(['?', '？']) || is_within;
    let words = line.trim_end_matches(['?', '？']);
    let sentence = words.rsplit(['.', '!', '?', '。', '？']).next().unwrap_or(words);
    is_question && QUESTIONS.iter().any(|words| sentence.contains(words))
}

/// Returns whether the last clause forbids the call, makes it depend on the user, or tells of an
/// earlier one.
fn is_denied(line: &str) -> bool {
    let has = |list: &[&str], word: Option<&&str>| word.is_some_and(|word| list.contains(word));
    let mut first = words(line);
    if has(CONDITIONS, first.next().as_ref()) && has(USERS, first.next().as_ref()) {
        return true;
    }
    let line = line.trim_end_matches(|c| ENDS.contains(&c) || matches!(c, ' ' | '*' | '_'));
    let clause = line.rsplit(ENDS).next().unwrap_or(line);
    let spoken: Vec<&str> = words(clause).collect();
    let makes = |at: usize| has(MAKING, spoken.get(at));
    let is_made = |at: usize| match spoken.get(at).copied() {
        Some("would" | "i'd" | "i’d") => makes(at + 1),
        Some(word) if NEVER.contains(&word) => makes(at + 1),
        Some(word) if NOT.contains(&word) => {
            has(&["not", "never"], spoken.get(at + 1)) && makes(at + 2)
        }
        _ => false,
    };
    let says =
        |phrase: &&str| (phrase.is_ascii() || !clause.is_ascii()) && clause.contains(*phrase);
    let is_of_calls = || ["call", "pasted"].iter().any(|word| clause.contains(word));
    (0..spoken.len()).any(is_made)
        || FORBIDDEN.iter().any(says)
        || (is_of_calls() && EARLIER.iter().any(says))
}

/// Returns the words of `text` without quotes, emphasis and parentheses.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_gap = |c: char| c.is_whitespace() || matches!(c, '"' | '*' | '(' | ')');
    text.split(is_gap).filter(|word| !word.is_empty())
}

/// Returns whether a line ends with a tag that opens a quotation.
fn quotes(line: &str) -> bool {
    let tag = line.trim_end().strip_suffix('>').and_then(|line| line.rsplit('<').next());
    tag.is_some_and(|tag| {
        let name = tag.split(' ').next().unwrap_or_default().to_ascii_lowercase();
        QUOTING.contains(&&*name)
    })
}

/// Returns whether the words on the line of a call begin a comment or an assignment.
fn begins_comment(words: &str) -> bool {
    ["//", "#", "<!--", "/*"].contains(&words) || words.ends_with(" =")
}

#[cfg(test)]
mod tests {
    use super::is_withheld;
    use crate::{input::Input, machine::lead::Lead};

    #[test]
    fn words_that_say_that_a_call_is_not_made() {
        for (text, expected) in [
            ("Do not run this: ", true),
            ("Never write\n", true),
            ("I would never call ", true),
            ("I will not send this:\n", true),
            ("If you wanted the weather, I would write:\n\n", true),
            ("If you want, I call it:\n", true),
            ("Should I run the following?\n", true),
            ("Shall I run ", true),
            ("Would you like me to run this?\n\n", true),
            ("For example, a call looks like this:\n", true),
            ("A call is written like this:\n", true),
            ("Here is an example of a tool call:\n\n", true),
            ("**Example**\n\n", true),
            ("### Example call\n", true),
            ("Beispiel:\n\n", true),
            ("例如，这样写：\n", true),
            ("My previous call was:\n", true),
            ("Earlier you pasted\n\n", true),
            ("<example>\n", true),
            ("<pre>", true),
            ("// ", true),
            ("text = ", true),
            ("请不要调用下面的工具：\n", true),
            // Calls that are made.
            ("I'll run this:\n", false),
            ("I'll run this: ", false),
            ("Let me see if the file exists:\n", false),
            ("If that works, I go on. Let me run it:\n", false),
            ("I should check the weather first.\n", false),
            ("I'd like to read the file:\n", false),
            ("Let me try this instead:\n", false),
            ("I do not know it, so let me search:\n", false),
            ("I could not run the tests:\n", false),
            ("My previous call failed, so I call again:\n", false),
            ("What is the weather in Oslo?\n", false),
            ("Let me look at the example file:\n", false),
            ("PING example.com:\n", false),
            ("example.py:\n", false),
            ("Examples are in docs.\n", false),
            ("Let me search for \"foo\"\n", false),
            ("<think>Should I call it?</think>\n", false),
            ("<think>Should I call it?</think>", false),
            ("<answer>\n", false),
            ("오슬로 날씨 예보를 확인합니다:\n", false),
            ("", false),
        ] {
            let lead = Lead::at(Input::new(text, true), text.len());
            assert_eq!(is_withheld(lead), expected, "{text}");
        }
    }
}
