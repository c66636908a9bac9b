//! The classification of unquoted values: literals, numbers, code and text.

mod code;
mod number;

use crate::{
    judge::{
        string::emphasis,
        words::{correction, date, expression::is_expression},
    },
    sink::Literal,
};
use code::{is_code, wrapper};
use number::number;
pub(crate) use number::{in_groups, is_strict};

/// The kind of an unquoted value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum BareValue {
    /// A literal, in the spelling of JSON or another language.
    Literal(Literal),
    /// `NaN` and the like, which JSON cannot represent.
    NotANumber,
    /// A number in JSON notation.
    Number,
    /// A number in another notation, with its JSON notation.
    ForeignNumber(String),
    /// A number with thousands separators, with its JSON notation.
    Thousands(String),
    /// A number with a decimal comma and no separators, with its JSON notation.
    DecimalComma(String),
    /// A number that is cut off (`1e`), with its complete part.
    PartialNumber(String),
    /// A number or literal between Markdown marks of this length.
    Emphasized(usize),
    /// Text that begins like a number.
    NumberText,
    /// An expression.
    Expression,
    /// A reference to be filled in.
    Template,
    /// A date of Python, in ISO 8601.
    Date(String),
    /// Code.
    Code,
    /// A symbol of Ruby: a colon and a name.
    Symbol,
    /// A type wrapper around one argument, which is at this range of the text.
    Wrapper(usize, usize),
    /// Text.
    Text,
    /// Several readings are possible.
    Unclear,
}

/// Classifies `text`, which is trimmed and not empty, and ends where its container continues.
pub(crate) fn classify(text: &str) -> BareValue {
    if let Some(literal) = literal(text) {
        return BareValue::Literal(literal);
    }
    if let Some(half) = half_width(text) {
        // Only where the text is nothing else.
        return match classify(&half) {
            BareValue::Number => BareValue::ForeignNumber(half),
            value @ (BareValue::Literal(_) | BareValue::ForeignNumber(_)) => value,
            _ => BareValue::Text,
        };
    }
    if let Some(value) = without_hyphens(text) {
        return value;
    }
    if not_a_number(text) {
        return BareValue::NotANumber;
    }
    if has_member_behind(text) || correction::is_taken_back(text) {
        return BareValue::Unclear;
    }
    if let Some(word) = number(text) {
        return word;
    }
    if text.starts_with("~~~") {
        // A row of signs stands for what was left out.
        return BareValue::Unclear;
    }
    if let Some(mark) = emphasis::around(text) {
        return emphasized(text, mark.len());
    }
    if text.len() > 2 && text.starts_with('`') && text.ends_with('`') {
        return emphasized(text, 1);
    }
    if let Some((start, end)) = wrapper(text) {
        return BareValue::Wrapper(start, end);
    }
    if text.starts_with("{{") || text.starts_with("${") {
        return if text.ends_with('}') { BareValue::Template } else { BareValue::Unclear };
    }
    if let Some(date) = date::iso(text) {
        return BareValue::Date(date);
    }
    if is_code(text) {
        return BareValue::Code;
    }
    if is_symbol(text) {
        return BareValue::Symbol;
    }
    if is_expression(text) {
        return BareValue::Expression;
    }
    if is_height(text) {
        return BareValue::NumberText;
    }
    if text.starts_with([')', ',', ':', '|', '&', '*', '\\'])
        || text.starts_with("->")
        || has_stray_end(text)
    {
        return BareValue::Unclear;
    }
    if text.contains('"')
        || text.contains(['{', '}', '[', ']']) && !text.contains("://")
        || has_pair(text)
        || has_two_numbers(text)
    {
        return BareValue::Unclear;
    }
    let first = text
        .trim_start_matches(['-', '+', '$', '€', '£', '¥', '#', '~', '≈', '<', '>', '.'])
        .as_bytes()
        .first();
    if first.is_some_and(u8::is_ascii_digit) { BareValue::NumberText } else { BareValue::Text }
}

/// Returns the literal that `text` spells in any language or case.
pub(crate) fn literal(text: &str) -> Option<Literal> {
    match text {
        "true" | "True" | "TRUE" | "!0" | "np.True_" => Some(Literal::True),
        "false" | "False" | "FALSE" | "!1" | "np.False_" => Some(Literal::False),
        "null" | "Null" | "NULL" | "None" | "NONE" | "none" | "nil" | "Nil" => Some(Literal::Null),
        _ => None,
    }
}

/// Returns the literal that `text`, which is cut off, begins.
pub(crate) fn partial_literal(text: &str) -> Option<Literal> {
    [
        ("true", Literal::True),
        ("True", Literal::True),
        ("false", Literal::False),
        ("False", Literal::False),
        ("null", Literal::Null),
        ("None", Literal::Null),
    ]
    .into_iter()
    .find(|(word, _)| !text.is_empty() && word.len() > text.len() && word.starts_with(text))
    .map(|(_, literal)| literal)
}

/// Returns whether `text` is a number of feet and inches: `5'9"`.
pub(crate) fn is_height(text: &str) -> bool {
    let number = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_digit())
            && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
    };
    let parts = text.strip_suffix('"').and_then(|text| text.split_once('\''));
    parts.is_some_and(|(feet, inches)| number(feet) && number(inches.trim_start()))
}

/// Returns whether a number or literal is in `text` before a sign or word that joins it to what
/// follows: `1 and`, `true |`, `4\`.
fn has_stray_end(text: &str) -> bool {
    let words = [" and", " or", " comma", " then"];
    let scalar = words.into_iter().find_map(|word| text.strip_suffix(word)).unwrap_or(text);
    let sign = |c: char| "\\|/&)>^=@`;?→•·–".contains(c);
    let arrow = scalar.strip_suffix("->").unwrap_or(scalar);
    let scalar = arrow.trim_end_matches(sign).trim_end();
    scalar.len() < text.len() && (literal(scalar).is_some() || is_strict(scalar))
}

/// Classifies `text`, which is between Markdown marks of `length` bytes.
fn emphasized(text: &str, length: usize) -> BareValue {
    match classify(text.get(length..text.len() - length).unwrap_or_default()) {
        // What is struck out is no value.
        _ if text.starts_with('~') => BareValue::Text,
        BareValue::Literal(_) | BareValue::Number | BareValue::ForeignNumber(_) => {
            BareValue::Emphasized(length)
        }
        BareValue::Text | BareValue::NumberText => BareValue::Text,
        _ => BareValue::Unclear,
    }
}

/// Returns `text` in ASCII, if all of it is and some is full-width: `９．５`, `ｔｒｕｅ`.
fn half_width(text: &str) -> Option<String> {
    let narrow = |c: char| match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xFEE0),
        _ => c.is_ascii().then_some(c),
    };
    if text.is_ascii() { None } else { text.chars().map(narrow).collect() }
}

/// Returns the literal or number that `text` is without the invisible characters in it: soft hyphens
/// and spaces without width.
fn without_hyphens(text: &str) -> Option<BareValue> {
    let invisible =
        |c: char| matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}');
    if text.is_ascii() || !text.contains(invisible) {
        return None;
    }
    let visible = text.replace(invisible, "");
    match classify(&visible) {
        BareValue::Number => Some(BareValue::ForeignNumber(visible)),
        value @ (BareValue::Literal(_) | BareValue::ForeignNumber(_)) => Some(value),
        _ => None,
    }
}

fn not_a_number(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    matches!(unsigned, "NaN" | "nan" | "Infinity" | "infinity" | "inf" | "Inf")
        || matches!(text, "undefined" | "void 0" | "undef")
}

/// Returns whether `text` is a colon and a name.
fn is_symbol(text: &str) -> bool {
    text.strip_prefix(':').is_some_and(|name| {
        name.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_alphanumeric() || c == '_')
    })
}

/// Returns whether `text` contains a key and a colon, which makes it ambiguous.
fn has_pair(text: &str) -> bool {
    text.match_indices(": ")
        .any(|(at, _)| text.get(..at).is_some_and(|before| !before.ends_with(':')))
        || text.ends_with(':')
}

/// Returns whether a name and a colon follow a number or literal: `1 next:2`, a member whose comma is
/// missing.
fn has_member_behind(text: &str) -> bool {
    let Some((scalar, rest)) = text.split_once(' ') else { return false };
    let name = rest.trim_start().split(':').next().unwrap_or_default();
    let is_plain = |name: &str| {
        name.starts_with(char::is_alphabetic)
            && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
    };
    (literal(scalar).is_some() || is_strict(scalar)) && name.len() < rest.len() && is_plain(name)
}

/// Returns whether an arrow or another sign that joins nothing is between two numbers, of which the
/// second may replace the first or be an item of its own.
fn has_two_numbers(text: &str) -> bool {
    let signs = ["->", "→", "=>", "||", "|", "!", "@", "&", ";"];
    let halves = signs.into_iter().find_map(|sign| text.split_once(sign));
    halves.is_some_and(|(one, other)| is_strict(one.trim()) && is_strict(other.trim()))
}

#[cfg(test)]
mod tests {
    use super::{BareValue, classify};
    use crate::sink::Literal;

    #[test]
    fn decimal_commas() {
        for (text, expected) in [
            ("48.210,77", BareValue::Thousands("48210.77".to_owned())),
            ("1 249,00", BareValue::Thousands("1249.00".to_owned())),
            ("12’500.5", BareValue::Thousands("12500.5".to_owned())),
            ("-3,75", BareValue::DecimalComma("-3.75".to_owned())),
            ("0,750", BareValue::DecimalComma("0.750".to_owned())),
            ("03,75", BareValue::NumberText),
            ("1234,567", BareValue::Unclear),
        ] {
            assert_eq!(classify(text), expected, "{text}");
        }
    }

    #[test]
    fn digits_in_groups() {
        for (text, expected) in [
            ("4202 31 00", BareValue::NumberText),
            ("0087 1234 5567", BareValue::NumberText),
            ("255 128 0", BareValue::NumberText),
            ("030 1234", BareValue::NumberText),
            ("12 05", BareValue::NumberText),
            ("12 500", BareValue::Thousands("12500".to_owned())),
            ("12 34", BareValue::Unclear),
            ("1 2.5 3", BareValue::Unclear),
            ("0. 85", BareValue::Unclear),
            ("12.0 %", BareValue::NumberText),
            ("1,2 l/ha", BareValue::NumberText),
        ] {
            assert_eq!(classify(text), expected, "{text}");
        }
    }

    #[test]
    fn words_with_odd_signs() {
        for (text, expected) in [
            ("3 >", BareValue::Unclear),
            ("null||", BareValue::Unclear),
            ("true ->", BareValue::Unclear),
            ("1 || 2", BareValue::Unclear),
            ("~~~ cut ~~~", BareValue::Unclear),
            ("tr\u{ad}ue", BareValue::Literal(Literal::True)),
            ("1\u{200b}2", BareValue::ForeignNumber("12".to_owned())),
            ("Donau\u{ad}dampf", BareValue::Text),
            ("45%", BareValue::NumberText),
            ("12+", BareValue::NumberText),
        ] {
            assert_eq!(classify(text), expected, "{text}");
        }
    }

    #[test]
    fn words() {
        for (text, expected) in [
            ("True", BareValue::Literal(Literal::True)),
            ("NULL", BareValue::Literal(Literal::Null)),
            ("nil", BareValue::Literal(Literal::Null)),
            ("–8 to 5", BareValue::Text),
            ("5'\"", BareValue::Unclear),
            ("-> 1", BareValue::Unclear),
            ("**75**", BareValue::Emphasized(2)),
            ("`75`", BareValue::Emphasized(1)),
            ("`", BareValue::Text),
            ("_true_", BareValue::Emphasized(1)),
            ("**very good**", BareValue::Text),
            ("__init__", BareValue::Text),
            ("~~5~~", BareValue::Text),
            ("**2 * x**", BareValue::Unclear),
            ("1\\", BareValue::Unclear),
            ("1 next:2", BareValue::Unclear),
            ("true next:x", BareValue::Unclear),
            ("foo next:2", BareValue::Text),
            ("4 and", BareValue::Unclear),
            ("1 |", BareValue::Unclear),
            ("d:\\", BareValue::Text),
            ("ｔｒｕｅ", BareValue::Literal(Literal::True)),
            ("０３－１２", BareValue::Text),
            ("ＡＢＣ", BareValue::Text),
            ("１２円", BareValue::Text),
            ("1.234,567", BareValue::Unclear),
            ("1234 5678", BareValue::Unclear),
            ("!0", BareValue::Literal(Literal::True)),
            ("!1", BareValue::Literal(Literal::False)),
            ("3,14,1", BareValue::Unclear),
            ("0. 85", BareValue::Unclear),
            ("100 * price", BareValue::Expression),
            ("1200 - 450", BareValue::Expression),
            ("{{step-1.response.price}}", BareValue::Template),
            ("${x}", BareValue::Template),
            ("datetime.date(2024,1,2)", BareValue::Code),
            ("datetime.date(2024, 1, 2)", BareValue::Date("2024-01-02".to_owned())),
            ("datetime.timedelta(days=1)", BareValue::Code),
            ("<object at 0x7f>", BareValue::Code),
            ("function(){return 1}", BareValue::Code),
            ("/ab+c/", BareValue::Code),
            ("ObjectId(\"5f\")", BareValue::Wrapper(9, 13)),
            ("np.float64(0.25)", BareValue::Wrapper(11, 15)),
            ("new Date(\"2024\")", BareValue::Wrapper(9, 15)),
            ("new Date()", BareValue::Code),
            ("os.environ[\"HOME\"]", BareValue::Code),
            (":admin", BareValue::Symbol),
            (": admin", BareValue::Unclear),
            ("hello world", BareValue::Text),
            ("src/app/main.rs", BareValue::Text),
            ("https://x.y/z?a=1", BareValue::Text),
            ("UTC+2", BareValue::Text),
            ("a: 1", BareValue::Unclear),
            ("300 -> 600", BareValue::Unclear),
            ("a -> b", BareValue::Text),
        ] {
            assert_eq!(classify(text), expected, "{text}");
        }
    }

    #[test]
    fn numbers() {
        let odd = |text: &str| BareValue::ForeignNumber(text.to_owned());
        for (text, expected) in [
            ("NaN", BareValue::NotANumber),
            ("-Infinity", BareValue::NotANumber),
            ("undefined", BareValue::NotANumber),
            ("12", BareValue::Number),
            ("-1.5e3", BareValue::Number),
            ("+5", odd("5")),
            (".5", odd("0.5")),
            ("-.5", odd("-0.5")),
            ("5.", odd("5")),
            ("−412", odd("-412")),
            ("–8.5", odd("-8.5")),
            ("—8.5", odd("-8.5")),
            ("— 8.5", BareValue::Text),
            ("5'9\"", BareValue::NumberText),
            ("12:30 to 13:00", BareValue::NumberText),
            ("９．５", odd("9.5")),
            ("－１2", odd("-12")),
            ("1_000", odd("1000")),
            ("0x1F", odd("31")),
            ("10n", odd("10")),
            ("1,234,567", BareValue::Thousands("1234567".to_owned())),
            ("1e", BareValue::PartialNumber("1".to_owned())),
            ("1.5f", odd("1.5")),
            ("4u", odd("4")),
            ("7i64", odd("7")),
            ("10d", BareValue::NumberText),
            ("98.6F", BareValue::NumberText),
            ("3.2×10^5", odd("3.2e5")),
            ("-1.0 x 10^-3", odd("-1.0e-3")),
            ("3 x 4", BareValue::NumberText),
            ("12 500", BareValue::Thousands("12500".to_owned())),
            ("12,34,567", BareValue::Thousands("1234567".to_owned())),
            ("1.234,56", BareValue::Thousands("1234.56".to_owned())),
            ("+49 30 1234567", BareValue::NumberText),
            ("void 0", BareValue::NotANumber),
            ("3,14", BareValue::DecimalComma("3.14".to_owned())),
            ("007", BareValue::NumberText),
            ("45%", BareValue::NumberText),
            ("$19.99", BareValue::NumberText),
            ("12 kg", BareValue::NumberText),
            ("3-5", BareValue::NumberText),
            ("2024/05/01", BareValue::NumberText),
            ("1.1.1", BareValue::NumberText),
            ("2024-10-18T18:35:22.229Z", BareValue::NumberText),
            ("NumberLong(2)", BareValue::Wrapper(11, 12)),
        ] {
            assert_eq!(classify(text), expected, "{text}");
        }
    }
}
