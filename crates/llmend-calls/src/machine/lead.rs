//! What is before a mark and says that the call behind it is only shown: words for an example, a
//! denial, a question, the beginning of a quotation in program text or markup.

use crate::input::Input;

/// Words for an example, in several languages.
pub(super) const EXAMPLES: &[&str] = &[
    "example",
    "for instance",
    "e.g.",
    "beispiel",
    "exemple",
    "ejemplo",
    "exemplo",
    "esempio",
    "voorbeeld",
    "пример",
    "例如",
    "示例",
    "例えば",
    "例：",
    "예를 들",
    "예시",
];
/// Another one, which says less at the beginning of a line.
const SAMPLE: &str = "sample";
/// Most lines of a paragraph that are searched for the word for an example.
const EXAMPLE_LINES: usize = 64;

/// Words of a clause that takes back what it introduces, or makes it depend on something, by
/// language.
const DENIALS: &[&[&str]] = &[
    &[
        "never", "not", "don't", "don’t", "won't", "won’t", "can't", "mustn't", "avoid", "instead",
        "rather", "against", "would", "i'd", "once", "if", "should", "may", "shall", "usage",
        "syntax", "bad", "wrong",
    ],
    &[
        "nie", "niemals", "nicht", "statt", "hätte", "würde", "sobald", "wenn", "soll", "darf",
        "falsch",
    ],
    &["jamais", "n'envoyez", "n'appelle"],
    &["no", "nunca", "debes", "non", "mai", "não"],
    &["не", "никогда"],
];
/// The same in scripts without blanks between words.
const DENIALS_INSIDE: &[&str] =
    &["不要", "不会", "不能", "请勿", "切勿", "别", "しない", "ません", "されたら", "않", "마세요"];
/// Words that begin a line and make depend on something what follows.
const CONDITIONS: &[&str] =
    &["once", "if", "unless", "sobald", "wenn", "falls", "si", "если", "se"];
/// What ends a clause.
const ENDS: [char; 10] = [',', '.', ';', ':', '!', '?', '，', '。', '；', '：'];
/// What opens a quotation on the line before it, in program text and markup.
const OPENERS: &[&str] = &[
    "\"\"\"",
    "'''",
    "\"",
    "'",
    "`",
    "“",
    "„",
    "«",
    "「",
    "----",
    "<<EOF",
    "{verbatim}",
    "{% raw %}",
];

/// The text before a mark.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lead<'t> {
    /// On the line of the mark.
    own: &'t str,
    /// The last line above that is not blank.
    above: &'t str,
}

impl<'t> Lead<'t> {
    pub(super) fn at(input: Input<'t>, at: usize) -> Self {
        let own = input.line_before(at);
        let before = input.slice(0, at - own.len()).trim_end();
        Self { own, above: input.line_before(before.len()) }
    }

    /// The words before the mark on its line, or else the line above.
    pub(super) fn line(self) -> &'t str {
        if self.own.trim().is_empty() { self.above } else { self.own }
    }

    /// The words before the mark on its line.
    pub(super) fn own_words(self) -> &'t str {
        self.own.trim()
    }

    /// Returns whether the line above announces an example.
    pub(super) fn announces_example(self) -> bool {
        let line = self.above.trim_end_matches(['*', '_', ' ']);
        line.ends_with([':', '：']) && names_example(line)
    }

    /// Returns whether the line above ends with a colon.
    pub(super) fn introduces(self) -> bool {
        self.above.ends_with([':', '：'])
    }

    /// Returns whether the clause right before the mark may deny the call: `Never write`.
    pub(super) fn denies(self) -> bool {
        let line = self.line();
        let first = line.split_whitespace().next().unwrap_or_default().to_lowercase();
        if line.trim_end().ends_with(['?', '？']) || CONDITIONS.contains(&first.as_str()) {
            return true;
        }
        let line = line.trim_end_matches(|c| ENDS.contains(&c) || matches!(c, ' ' | '*'));
        let line = line.to_lowercase();
        let clause = line.rsplit(ENDS).next().unwrap_or(&line);
        let is_gap = |c: char| c.is_whitespace() || matches!(c, '"' | '*' | '(' | ')');
        let denies = |word| DENIALS.iter().any(|words| words.contains(&word));
        clause.split(is_gap).any(denies) || DENIALS_INSIDE.iter().any(|part| clause.contains(part))
    }

    /// Returns whether what stands right before the mark is no part of a sentence: the sign of a
    /// comment, an assignment, or the beginning of a string or an element.
    pub(super) fn sets_off(self) -> bool {
        let words = self.own.trim();
        if words.is_empty() {
            // A fence is the end of a code block: the beginning of one is read as such.
            let is_fence = self.above.trim_start().starts_with("```");
            let opens = !is_fence && OPENERS.iter().any(|opener| self.above.ends_with(opener));
            return opens || opens_element(self.above);
        }
        let is_bullet = matches!(words, "-" | "*" | "•" | "**" | "→" | "…");
        let signs_alone = !words.chars().any(char::is_alphanumeric) && words.is_ascii();
        (signs_alone && !is_bullet) || words.ends_with('=') || opens_element(words)
    }
}

/// Returns whether a line of the paragraph before that of `at` begins with the word for an example.
pub(super) fn is_in_example(input: Input<'_>, at: usize) -> bool {
    let mut end = at - input.line_before(at).len();
    for _ in 0..EXAMPLE_LINES {
        if end == 0 {
            return false;
        }
        let line = input.line_before(end - 1);
        let words = line.trim_start_matches(['#', '*', '_', '-', ' ', '(']).to_lowercase();
        if EXAMPLES.iter().chain(&[SAMPLE]).any(|word| words.starts_with(word)) {
            return true;
        }
        if line.trim().is_empty() {
            return false;
        }
        end -= (line.len() + 1).min(end);
    }
    false
}

/// Returns whether a line has the word for an example, not as part of a name: `example.com`.
fn names_example(line: &str) -> bool {
    let line = line.to_lowercase();
    let is_named = |word: &&str| {
        line.match_indices(*word).any(|(at, word)| {
            let rest = line.get(at + word.len()..).unwrap_or_default();
            !rest.starts_with(['.', '/', '@', '_'])
        })
    };
    EXAMPLES.iter().chain(&[SAMPLE]).any(is_named)
}

/// Returns whether a line ends with a tag that opens an element of HTML or another markup.
fn opens_element(line: &str) -> bool {
    let tag = line.strip_suffix('>').and_then(|line| line.rsplit('<').next());
    tag.is_some_and(|tag| {
        let name = tag.split(' ').next().unwrap_or_default();
        name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.chars().all(|c| c.is_ascii_alphanumeric())
            && !matches!(name, "br" | "hr")
    })
}

#[cfg(test)]
mod tests {
    use super::{Lead, is_in_example};
    use crate::input::Input;

    fn lead(text: &str) -> Lead<'_> {
        Lead::at(Input::new(text, true), text.len())
    }

    #[test]
    fn lines_that_announce_an_example() {
        for (text, expected) in [
            ("For example, a call looks like this:\n", true),
            ("**Example:**\n\n", true),
            ("例如，这样写：\n", true),
            ("Here it is:\n", false),
            ("An example is below.\n", false),
            ("PING example.com:\n", false),
            ("오슬로 날씨 예보를 확인합니다:\n", false),
        ] {
            assert_eq!(lead(text).announces_example(), expected, "{text}");
        }
        for (text, expected) in [
            ("Example 1\nQuestion: who?\n", true),
            ("Example 1\n\nQuestion: who?\n", false),
            ("Question: who?\n", false),
        ] {
            assert_eq!(is_in_example(Input::new(text, true), text.len()), expected, "{text}");
        }
    }

    #[test]
    fn clauses_that_may_deny_a_call() {
        for (text, expected) in [
            ("Never write\n", true),
            ("I won't run ", true),
            ("Das würde ich so schreiben:\n", true),
            ("请不要调用下面的工具：\n", true),
            ("Should I run this?\n\n", true),
            ("Once you confirm, I will send this call:\n", true),
            ("I do not know it, so let me search:\n", false),
            ("I look it up:\n", false),
            ("我先查天气：\n", false),
            ("", false),
        ] {
            assert_eq!(lead(text).denies(), expected, "{text}");
        }
    }

    #[test]
    fn what_sets_a_call_off_from_a_sentence() {
        for (text, expected) in [
            ("text = ", true),
            ("The file:\n// ", true),
            ("The log:\n<pre>\n", true),
            ("TEXT = \"\"\"\n", true),
            ("<td>", true),
            ("I look:\n- ", false),
            ("I look.<br>", false),
            ("I look: ", false),
            ("```\ncode\n```\n", false),
            ("", false),
        ] {
            assert_eq!(lead(text).sets_off(), expected, "{text}");
        }
    }
}
