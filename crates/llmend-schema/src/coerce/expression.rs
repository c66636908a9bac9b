//! Detection of arithmetic in place of numbers.

use llmend_json::{Kind, Node};

use crate::coerce::conversion::Refusal;

/// Keys under which models write an expression.
const KEYS: [&str; 6] = ["expression", "expr", "$expr", "formula", "calculation", "calculate"];

/// Returns whether a text is arithmetic: operands with operators between them.
pub(crate) fn is_expression(text: &str) -> bool {
    let text = text.trim().trim_start_matches('=');
    let mut operands = 0;
    let mut numbers = 0;
    let mut operators = 0;
    let mut certain = false;
    let mut rest = text.char_indices().peekable();
    let mut wants_operand = true;
    while let Some((at, character)) = rest.next() {
        match character {
            ' ' => {}
            '(' | ')' => certain = true,
            _ if character.is_alphanumeric()
                || matches!(character, '_' | '$' | '{' | '}' | '.') =>
            {
                if !wants_operand {
                    return false;
                }
                operands += 1;
                numbers += usize::from(character.is_ascii_digit());
                while let Some((_, next)) = rest.peek() {
                    if next.is_alphanumeric()
                        || matches!(next, '_' | '.' | '{' | '}' | '$' | '[' | ']')
                    {
                        rest.next();
                    } else {
                        break;
                    }
                }
                wants_operand = false;
            }
            '*' | '×' | '÷' | '^' | '+' | '-' | '−' | '/' | '%' => {
                if wants_operand && !matches!(character, '-' | '+') {
                    return false;
                }
                operators += usize::from(!wants_operand);
                let spaced = text.get(..at).is_some_and(|before| before.ends_with(' '));
                certain |= matches!(character, '*' | '×' | '÷' | '^' | '+') && !wants_operand;
                certain |= spaced && numbers > 0;
                certain |= character == '/' && numbers == 1 && operators == 1;
                wants_operand = true;
            }
            _ => return false,
        }
    }
    let slashes = text.matches('/').count();
    certain && !wants_operand && operands > 1 && operators > 0 && slashes < 2
}

/// Returns whether an object describes a computation.
pub(crate) fn is_computation(node: Node<'_>) -> bool {
    if node.kind() != Kind::Object {
        return false;
    }
    let keys: Vec<&str> = node.members().take(4).filter_map(|(key, _)| key.str()).collect();
    match keys.as_slice() {
        [only] => KEYS.contains(&only.to_ascii_lowercase().as_str()),
        [_, ..] => {
            keys.iter().any(|key| matches!(*key, "operator" | "operation" | "op"))
                && keys.iter().any(|key| {
                    matches!(*key, "operands" | "left" | "right" | "args" | "a" | "b" | "values")
                })
        }
        [] => false,
    }
}

/// Returns the refusal of an expression.
pub(crate) fn refusal() -> Refusal {
    Refusal::coded(
        "schema/expression",
        "write the number itself, or let a step compute it: expressions are not evaluated",
    )
}

#[cfg(test)]
mod tests {
    use super::{is_computation, is_expression};

    #[test]
    fn arithmetic_is_distinguished_from_other_text() {
        for (text, expected) in [
            ("100 * price", true),
            ("100*2", true),
            ("60*60*24", true),
            ("1200 - 450", true),
            ("1/2", true),
            ("(a + b) * 2", true),
            ("=A1+B1", true),
            ("price * quantity", true),
            ("{{step-1.total}}", false),
            ("03/04/2024", false),
            ("2024-01-02", false),
            ("3-5", false),
            ("-5", false),
            ("12 apples", false),
            ("well-known", false),
            ("3,14", false),
            ("N/A", false),
            ("50%", false),
            ("*", false),
            ("", false),
        ] {
            assert_eq!(is_expression(text), expected, "{text}");
        }
    }

    #[test]
    fn computations_are_distinguished_from_other_objects() {
        for (text, expected) in [
            (r#"{"expression": "100 * price"}"#, true),
            (r#"{"operator": "*", "operands": [100, "price"]}"#, true),
            (r#"{"value": 7}"#, false),
            (r#"{"op": "add"}"#, false),
            ("{}", false),
            ("[1]", false),
        ] {
            let parsed = llmend_json::parse(text).unwrap();
            assert_eq!(is_computation(parsed.value.root()), expected, "{text}");
        }
    }
}
