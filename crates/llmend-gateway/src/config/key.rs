//! Hashes of client keys.

use ring::digest::{SHA256, SHA256_OUTPUT_LEN, digest};
use std::fmt;
use subtle::{Choice, ConstantTimeEq};

/// SHA-256 of a client key.
///
/// Keys are random, so the hash needs no salt.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct KeyHash([u8; SHA256_OUTPUT_LEN]);

impl KeyHash {
    /// Hashes a key.
    fn of(key: &str) -> Self {
        let mut hash = [0; SHA256_OUTPUT_LEN];
        hash.copy_from_slice(digest(&SHA256, key.as_bytes()).as_ref());
        Self(hash)
    }

    /// Parses a hash of 64 hexadecimal digits.
    pub(super) fn from_hex(text: &str) -> Option<Self> {
        let mut hash = [0; SHA256_OUTPUT_LEN];
        let digits = text.as_bytes();
        if digits.len() != 2 * SHA256_OUTPUT_LEN {
            return None;
        }
        for (byte, pair) in hash.iter_mut().zip(digits.chunks_exact(2)) {
            let pair = str::from_utf8(pair).ok().filter(|pair| !pair.contains('+'))?;
            *byte = u8::from_str_radix(pair, 16).ok()?;
        }
        Some(Self(hash))
    }
}

impl fmt::Debug for KeyHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyHash(…)")
    }
}

/// Whether the hash of `key` is known. Compares with every hash in constant time, so that the duration reveals
/// nothing about them.
pub(crate) fn is_known(key: &str, known: &[KeyHash]) -> bool {
    let hash = KeyHash::of(key);
    let found = known.iter().fold(Choice::from(0), |found, one| found | one.0.ct_eq(&hash.0));
    found.into()
}

#[cfg(test)]
mod tests {
    use super::{KeyHash, is_known};

    #[test]
    fn a_key_is_recognized_by_its_hash() {
        // printf %s secret | sha256sum
        let hex = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b";
        let known = [KeyHash::of("another"), KeyHash::from_hex(hex).unwrap()];
        assert!(is_known("secret", &known) && is_known("another", &known));
        for wrong in ["", "secre", "secret ", hex] {
            assert!(!is_known(wrong, &known), "{wrong}");
        }
        assert!(!is_known("secret", &[]));
    }

    #[test]
    fn invalid_hashes_are_rejected() {
        for text in ["", "2bb8", &"g".repeat(64), &"+1".repeat(32), &"é".repeat(32)] {
            assert_eq!(KeyHash::from_hex(text), None, "{text}");
        }
        assert_eq!(KeyHash::from_hex(&"AB".repeat(32)), KeyHash::from_hex(&"ab".repeat(32)));
    }
}
