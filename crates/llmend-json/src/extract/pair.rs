//! Whether a value is the answer to an input that the text gives with it, as an example of a prompt.

use crate::{
    Origin, Span,
    extract::standing::{INTRODUCTION_REACH, has_word, introduction, words::FINALS},
    parser::Window,
};

/// Signs between an input and its answer.
const ARROWS: &[&str] = &["->", "→", "=>", "⇒"];
/// Labels of lines with an input, in lower case.
const INPUTS: &[&str] = &[
    "input", "text", "sentence", "query", "question", "q", "request", "user", "human", "customer",
    "eingabe", "frage", "nutzer", "entrada", "entrée", "pregunta", "输入", "用户",
];
/// Most lines between an input and its answer.
const PAIR_LINES: usize = 4;
/// Returns whether the value at `span` is the answer to an input that the text gives: behind an
/// arrow, or in a line with a label below a line with an input.
pub(crate) fn is_pair(window: &Window<'_>, span: Span, origin: Origin) -> bool {
    let before = window.before(span.start, INTRODUCTION_REACH).trim_end();
    let line = before.rsplit('\n').next().unwrap_or_default();
    if let Some(input) = ARROWS.iter().find_map(|arrow| line.strip_suffix(arrow)) {
        return !input.trim().is_empty() && !has_word(&input.to_lowercase(), FINALS);
    }
    let label = introduction(window, span.start, origin);
    if label.is_empty() || label.split_whitespace().count() > 2 {
        return false;
    }
    let mut above =
        before.rsplit('\n').skip_while(|line| !line.to_lowercase().contains(label.trim()));
    let lines = above.by_ref().skip(1).take(PAIR_LINES).take_while(|line| !line.trim().is_empty());
    lines.into_iter().any(|line| {
        let (name, input) = line.split_once([':', '：']).unwrap_or_default();
        let name = name.trim_matches(['*', '#', ' ', '-']).to_lowercase();
        let input = input.trim_matches(['*', ' ']);
        let quoted = input.len() > 2 && input.starts_with('"') && input.ends_with('"');
        quoted || (INPUTS.contains(&name.as_str()) && !input.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::is_pair;
    use crate::{Origin, Span, parser::Window};

    #[test]
    fn answers_to_an_input_in_the_text() {
        for (before, pair) in [
            ("\"two eggs\" -> ", true),
            ("two eggs => ", true),
            ("-> ", false),
            ("Final answer -> ", false),
            ("Input: two eggs\nOutput: ", true),
            ("**Input:** two eggs\n**Output:** ", true),
            ("Input: two eggs\n\nOutput: ", false),
            ("Input:\nOutput: ", false),
            ("Note: two eggs\nOutput: ", false),
            ("Recipe: \"two eggs\"\nJSON: ", true),
            ("Output: ", false),
            ("Input: two eggs\nThe final output is: ", false),
        ] {
            let text = format!("{before}{{}}");
            let span = Span::new(before.len(), text.len());
            assert_eq!(is_pair(&Window::whole(&text), span, Origin::Bare), pair, "{before}");
        }
    }
}
