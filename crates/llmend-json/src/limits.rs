//! Limits on the size of a text and of its report.

use crate::{Error, ErrorKind, Options};

/// Maximum number of diagnostics reported for one text.
pub(crate) const MAX_DIAGNOSTICS: usize = 64;

/// Returns the maximum length of a text in bytes. Offsets are stored as `u32`.
pub(crate) fn max_bytes(options: &Options) -> usize {
    options.max_bytes.min(u32::MAX as usize - 1)
}

/// Returns the error `limit/bytes` if a text of `bytes` bytes is too long.
pub(crate) fn check_size(bytes: usize, options: &Options) -> Result<(), Error> {
    let limit = max_bytes(options);
    if bytes <= limit {
        return Ok(());
    }
    let detail = format!("{bytes} bytes (limit {limit})");
    Err(Error::new(ErrorKind::Bytes, "", None, &detail))
}
