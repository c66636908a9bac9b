//! A hash that is the same on every machine and in every version.

/// Returns 64 bits of FNV-1a of a text.
///
/// ```
/// assert_eq!(llmend_model::stable_hash("a"), 0xaf63_dc4c_8601_ec8c);
/// ```
#[must_use]
pub fn stable_hash(text: &str) -> u64 {
    const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    text.bytes().fold(BASIS, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME))
}
