//! Words without quotes in the place of a value.

use llmend_json::{Class, Diagnostic, Severity, Span};

use crate::input::Input;

/// Words of expressions.
const OPERATORS: &[&str] =
    &["and", "or", "not", "if", "else", "in", "is", "for", "lambda", "new", "await", "typeof"];

/// Returns the span of words without quotes in the place of a value: several, an address, or a word
/// that the schema lists. Any other word may be the name of a variable.
pub(super) fn find(input: Input<'_>, at: usize, is_listed: impl Fn(&str) -> bool) -> Option<Span> {
    let at = input.skip_blanks(at);
    let rest = input.from(at);
    let length = rest.find([',', ')', '\n']).filter(|end| !rest[*end..].starts_with('\n'))?;
    let text = rest.get(..length)?.trim_end();
    let allowed = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | '.' | '@' | '\'');
    let is_words = text.starts_with(char::is_alphabetic)
        && text.chars().all(allowed)
        && !text.contains(" -")
        && !text.split(' ').any(|word| OPERATORS.contains(&word));
    let is_text = text.contains([' ', '@']) || is_listed(text);
    (is_words && is_text).then(|| Span::new(at, at + text.len()))
}

/// Creates the finding for words without quotes that are read as text.
pub(super) fn finding(text: &str, span: Span) -> Diagnostic {
    let message = format!("read the unquoted `{text}` as text");
    Diagnostic::new("calls/unquoted", Severity::Warning, message)
        .at(span)
        .class(Class::Guess)
        .help("Check that it is not the name of a variable.")
}
