//! The size of the chunks in which a text is read.

use crate::Refusal;

/// Maximum number of chunks of a text.
const MAX_CHUNKS: usize = 100_000;

/// Checks the size of the chunks of a text.
pub(crate) fn check_size(text: &str, size: usize) -> Result<(), Refusal> {
    if size == 0 || text.len().div_ceil(size) > MAX_CHUNKS {
        let message =
            format!("expected at most {MAX_CHUNKS} chunks: use chunks of more than {size} bytes");
        return Err(Refusal::request("limit/chunks", message).about("chunk_bytes"));
    }
    Ok(())
}
