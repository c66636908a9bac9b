//! The size of the chunks in which a text is read.

use crate::Refusal;

/// Maximum number of chunks of a text.
const MAX_CHUNKS: usize = 100_000;

/// Returns the size of the chunks of a text.
pub(crate) fn chunk_size(text: &str, asked: Option<usize>) -> Result<usize, Refusal> {
    let size = asked.unwrap_or(16);
    if size == 0 || text.len().div_ceil(size) > MAX_CHUNKS {
        let message =
            format!("expected at most {MAX_CHUNKS} chunks: use chunks of more than {size} bytes");
        return Err(Refusal::request("limit/chunks", message).about("chunk_bytes"));
    }
    Ok(size)
}
