//! Whether a value has a key that the caller expects.

/// How far into a value the expected keys are searched for, in bytes.
const KEYS_REACH: usize = 2_048;
/// Maximum number of expected keys that are searched for.
const MAX_KEYS: usize = 64;

/// Returns whether a value has an expected key near its start: the name, perhaps quoted, before a
/// colon or an equals sign.
pub(super) fn has_expected_key(value: &str, expected: &[String]) -> bool {
    let near = value.as_bytes();
    let near = near.get(..KEYS_REACH).unwrap_or(near);
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    expected.iter().take(MAX_KEYS).filter(|key| !key.is_empty()).any(|key| {
        memchr::memmem::find_iter(near, key.as_bytes()).any(|at| {
            let before = at.checked_sub(1).and_then(|at| near.get(at));
            let after = near.get(at + key.len()..).unwrap_or_default();
            let mut after = after.iter().skip_while(|byte| {
                matches!(byte, b'"' | b'\'' | b'`') || byte.is_ascii_whitespace()
            });
            before.is_none_or(|byte| !is_name(byte)) && matches!(after.next(), Some(b':' | b'='))
        })
    })
}
