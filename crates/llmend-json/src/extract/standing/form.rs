//! Values that only show a form.

use std::sync::LazyLock;

use memchr::memmem::Finder;

/// Returns whether `c` may be in the name of a choice.
fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | '/')
}

/// Returns whether the strings of a value are only places to fill in.
pub(crate) fn is_form(value: &str) -> bool {
    let mut holes = 0;
    for at in memchr::memchr_iter(b':', value.as_bytes()) {
        let rest = value.get(at + 1..).unwrap_or_default().trim_start();
        let Some((string, _)) = rest.strip_prefix('"').and_then(|string| string.split_once('"'))
        else {
            continue;
        };
        if !is_hole(string) {
            return false;
        }
        holes += 1;
    }
    holes > 0
}

/// Returns whether a string is a place to fill in.
fn is_hole(string: &str) -> bool {
    let tagged = || string.starts_with('<') && string.ends_with('>') && !string.contains("</");
    let bracketed = || string.starts_with('[') && string.ends_with(']');
    let blank = || string.len() > 2 && string.chars().all(|c| c == '_');
    let yours = || {
        string.starts_with("YOUR_") || string.starts_with("your ") || string.ends_with(" goes here")
    };
    let slot = || string.starts_with("{{") && string.ends_with("}}");
    let named = || {
        matches!(string, "..." | "…" | "string" | "number" | "boolean" | "integer" | "YYYY-MM-DD")
    };
    let dated = || {
        string.len() > 3
            && string.chars().all(|c| "YMDHS:-/. T".contains(c))
            && string.contains("MM")
    };
    let choice = || {
        string.contains('|')
            && string.split('|').all(|word| !word.is_empty() && word.chars().all(is_name))
    };
    tagged() || named() || dated() || choice() || bracketed() || blank() || yours() || slot()
}

/// Names of types, and what stands for anything, in place of a value.
const TYPES: &[&str] = &[
    "...",
    "…",
    "string",
    "str",
    "number",
    "integer",
    "int",
    "float",
    "boolean",
    "bool",
    "date",
    "datetime",
    "timestamp",
    "any",
    "unknown",
];

/// Returns whether nothing in an object is data: each value is the name of a type, dots or a place to
/// fill in, without quotes.
pub(crate) fn is_sketch(value: &str) -> bool {
    // What begins like a string or number is data, unless the text has a bar or, by its first byte, a block.
    let has_sign = memchr::memchr2(b'|', 0xE2, value.as_bytes()).is_some();
    let is_data = |c: char| !has_sign && matches!(c, '"' | '\'' | '-' | '0'..='9');
    let mut holes = 0;
    for at in memchr::memchr_iter(b':', value.as_bytes()) {
        let rest = value.get(at + 1..).unwrap_or_default().trim_start();
        if rest.starts_with(is_data) {
            return false;
        }
        let tag = if rest.starts_with('<') { rest.find('>') } else { None };
        let end = match tag {
            Some(close) => close + 1,
            None => rest.find([',', ';', '\n', ']']).unwrap_or(rest.len()),
        };
        let words = rest.get(..end).unwrap_or_default();
        let word = words.trim_end_matches(['}', ' ', '[', ']', '?']);
        let choice = || {
            rest.starts_with(['\'', '"']) && (words.contains("' | '") || words.contains("\" | \""))
        };
        let types = || {
            let is_type = |word: &str| word == "null" || TYPES.contains(&word);
            word.split('|').map(str::trim).all(is_type)
        };
        let several = || words.contains('|') && (choice() || types());
        let blank = || {
            let behind = rest.get(end..).unwrap_or_default().trim_start_matches([' ', '\t']);
            word.starts_with('<')
                && word.ends_with('>')
                && !word.contains("</")
                && (behind.is_empty() || behind.starts_with([',', '}', ']', '\n', '\r']))
        };
        let drawn = || !word.is_ascii() && word.contains('█');
        if TYPES.contains(&word) || several() || blank() || drawn() {
            holes += 1;
        } else if !rest.starts_with(['{', '[', '}']) || rest.starts_with("{{") {
            return false;
        }
    }
    holes > 0
}

/// Keys of which a JSON Schema of an object has one.
static SCHEMA_KEYS: LazyLock<[Finder<'static>; 2]> =
    LazyLock::new(|| [Finder::new("\"$schema\""), Finder::new("\"properties\"")]);

/// Returns whether a value is a JSON Schema of an object.
pub(crate) fn is_schema(value: &str) -> bool {
    let has = |key: &Finder<'_>| key.find(value.as_bytes()).is_some();
    let [schema, properties] = &*SCHEMA_KEYS;
    let says = has(schema) || (has(properties) && value.contains("\"object\""));
    says && value.contains("\"type\"")
}

#[cfg(test)]
mod tests {
    use super::{is_form, is_schema, is_sketch};

    #[test]
    fn sketches() {
        for (value, expected) in [
            ("{\"a\": string, \"b\": [{\"c\": number}]}", true),
            ("{\"a\": ..., \"b\": ...}", true),
            ("{\"a\": <from 1 to 10>, \"b\": <a word, or two>}", true),
            ("{\"a\": ██, \"b\": █}", true),
            ("{\"a\": , \"b\": }", false),
            ("[\"so: <think>x</think>\",]", false),
            ("{\"a\": , \"b\": 1}", false),
            ("{\"a\": string | null, \"b\": number}", true),
            // References of a plan.
            ("{\"a\": {{x}}, \"b\": {{y}}}", false),
            ("{\n  a: string;\n  b?: number;\n}", true),
            ("{ a: string; b: 'x' | 'y'; c: D[] }", false),
            ("{\n  a: string;\n  b: 'x' | 'y';\n}", true),
            ("{\"a\": \"{{x}}\"}", false),
            ("{\"a\": \"string\"}", false),
            ("{\"a\": string, \"b\": 1}", false),
            ("{\"a\": \"10:30\", \"b\": date}", false),
            ("{\"a\": 1}", false),
            ("[]", false),
        ] {
            assert_eq!(is_sketch(value), expected, "{value}");
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
    }
}
