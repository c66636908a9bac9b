//! A strict JSON parser that shares no code with the engine.

use serde::Deserialize;
use serde::de::IgnoredAny;

/// Returns whether `text` is JSON under RFC 8259, with numbers of any size, any depth, and no lone
/// surrogates.
///
/// `serde_json` skips the value without recursion and without decoding escapes; surrogates are
/// checked here.
#[must_use]
pub fn is_valid_json(text: &str) -> bool {
    let mut reader = serde_json::Deserializer::from_str(text);
    IgnoredAny::deserialize(&mut reader).is_ok()
        && reader.end().is_ok()
        && surrogates_are_paired(text)
}

/// Returns the code unit of a `\uXXXX` escape at `at`.
fn unit(text: &str, at: usize) -> Option<u32> {
    let hex = text.get(at..at + 6)?.strip_prefix("\\u")?;
    u32::from_str_radix(hex, 16).ok()
}

/// In valid JSON, a backslash only occurs in strings, at the start of an escape.
fn surrogates_are_paired(text: &str) -> bool {
    let mut at = 0;
    while let Some(step) = text.get(at..).and_then(|rest| rest.find('\\')) {
        at += step;
        at += match unit(text, at) {
            None => 2,
            Some(high) if (0xd800..0xdc00).contains(&high) => match unit(text, at + 6) {
                Some(low) if (0xdc00..0xe000).contains(&low) => 12,
                _ => return false,
            },
            Some(low) if (0xdc00..0xe000).contains(&low) => return false,
            Some(_) => 6,
        };
    }
    true
}

/// Returns the nesting depth of valid JSON; 0 for a scalar.
#[must_use]
pub fn depth_of(text: &str) -> usize {
    let (mut depth, mut most, mut in_string) = (0_usize, 0, false);
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' if in_string => {
                bytes.next();
            }
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => {
                depth += 1;
                most = most.max(depth);
            }
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oracle_is_strict() {
        for text in [
            "0",
            " [] ",
            "\"\\ud83d\\ude00\"",
            "1e999999",
            "\"\\\\ud83d\"",
            "{\"a\":{\"b\":[-0.0e-1]}}",
            "\"\u{7f}\"",
        ] {
            assert!(is_valid_json(text), "{text}");
        }
        for text in [
            "",
            "01",
            "[1,]",
            "\"\\ud83d\"",
            "\"\\ude00\\ud83d\"",
            "\"\\ud83d\\u0041\"",
            "\"\t\"",
            "NaN",
            "\u{feff}1",
            "1 2",
            "\"\\x\"",
        ] {
            assert!(!is_valid_json(text), "{text}");
        }
    }

    #[test]
    fn the_oracle_has_no_limit_of_depth() {
        let deep = "[".repeat(300_000) + &"]".repeat(300_000);
        assert!(is_valid_json(&deep));
        assert_eq!(depth_of(&deep), 300_000);
        assert_eq!(depth_of(r#"{"[[[": ["}", {"a": 1}]}"#), 3);
    }
}
