//! Detection of numbers that 64 bits may not hold.

use std::mem;

use crate::parser::window::{HIGHS, ONES};

/// Number of consecutive digits and points that 64 bits always hold.
const HELD: usize = 15;

/// Returns whether `json` may contain a number with an exponent or with more digits than 64 bits hold,
/// so that readers of JSON may round it. Strings may cause false positives.
///
/// ```
/// assert!(llmend_json::may_hold_long_number("[1.2345678901234567]"));
/// assert!(llmend_json::may_hold_long_number("[1e400]"));
/// assert!(!llmend_json::may_hold_long_number(r#"{"price": 12.5, "te": 1}"#));
/// ```
#[must_use]
pub fn may_hold_long_number(json: &str) -> bool {
    let bytes = json.as_bytes();
    // A longer run contains one of these positions.
    let mut positions = bytes.iter().enumerate().skip(HELD).step_by(HELD + 1);
    positions.any(|(at, byte)| is_part(*byte) && run_around(bytes, at) > HELD)
        || has_exponent(bytes)
}

const fn is_part(byte: u8) -> bool {
    byte.is_ascii_digit() || byte == b'.'
}

/// Returns the number of digits and points around `at`, where one is.
fn run_around(bytes: &[u8], at: usize) -> usize {
    let (before, behind) = bytes.split_at(at);
    let count = |byte: &&u8| is_part(**byte);
    before.iter().rev().take_while(count).count() + behind.iter().take_while(count).count()
}

/// Returns whether a digit or point is followed by the letter of an exponent. Eight bytes at a time, since
/// that letter is the most frequent one of texts.
fn has_exponent(bytes: &[u8]) -> bool {
    let (words, rest) = bytes.as_chunks();
    // Whether the last byte before is a digit or point, as the high bit of a byte.
    let mut before = 0;
    for word in words {
        let word = u64::from_le_bytes(*word);
        let parts = parts(word);
        if equal(word | (ONES * 0x20), b'e') & ((parts << 8) | before) != 0 {
            return true;
        }
        before = parts >> 56;
    }
    let mut before = before != 0;
    rest.iter().any(|byte| mem::replace(&mut before, is_part(*byte)) && matches!(byte, b'e' | b'E'))
}

/// Sets the high bit of each byte of `word` that is a digit or point.
const fn parts(word: u64) -> u64 {
    let low = word & !HIGHS;
    // From the limit on, the addition reaches the high bit.
    let (from_0, above_9) = (low + ONES * (0x80 - 0x30), low + ONES * (0x80 - 0x3A));
    ((from_0 & !above_9) | equal(word, b'.')) & !word & HIGHS
}

/// Sets the high bit of each byte of `word` that equals `byte`, which is ASCII, and of no other.
const fn equal(word: u64, byte: u8) -> u64 {
    let difference = (word & !HIGHS) ^ (ONES * byte as u64);
    !(difference + ONES * 0x7F) & !word & HIGHS
}

#[cfg(test)]
mod tests {
    use super::{is_part, may_hold_long_number, parts};

    #[test]
    fn numbers_at_any_place() {
        for (number, expected) in [
            ("123456789012345", false),
            ("1234567890123456", true),
            ("0.1234567890123", false),
            ("0.12345678901234", true),
            ("-1e5", true),
            ("1.E5", true),
            ("\"e5\"", false),
            ("12, 34567890123456", false),
        ] {
            for before in 0..300 {
                let json = format!("{}[{number}]", " ".repeat(before));
                assert_eq!(may_hold_long_number(&json), expected, "{number} behind {before}");
            }
        }
        for byte in 0..=255 {
            let found = parts(u64::from_le_bytes([b'x', b'5', b'y', byte, b'/', b':', b'.', 0x80]));
            let expected = [b'x', b'5', b'y', byte, b'/', b':', b'.', 0x80].map(is_part);
            assert_eq!(found.to_le_bytes().map(|byte| byte != 0), expected, "{byte}");
        }
        assert!(!may_hold_long_number(""));
        assert!(!may_hold_long_number("1"));
    }
}
