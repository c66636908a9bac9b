//! JSON Pointers.

use llmend_json::push_token;

/// Returns the pointer extended by one token.
pub(crate) fn join(pointer: &str, token: &str) -> String {
    let mut longer = pointer.to_owned();
    push_token(&mut longer, token);
    longer
}
