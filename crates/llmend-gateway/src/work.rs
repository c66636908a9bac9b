//! How is work done that may take long, where nobody else may wait for it?

use std::time::Duration;

use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::failure::Failure;

/// Bytes up to which an answer is repaired at once: that takes less than to hand it to another thread
/// would be worth.
const AT_ONCE: usize = 64 << 10;

/// Does work on an answer of `size` bytes, for `limit` at most.
pub(crate) async fn run<T: Send + 'static>(
    size: usize,
    limit: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Failure> {
    if size <= AT_ONCE {
        return Ok(work());
    }
    match timeout(limit, spawn_blocking(work)).await {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(_)) => Err(Failure::new(
            500,
            "gateway_error",
            "internal",
            "the gateway failed to read the answer",
        )),
        Err(_) => {
            let message = format!("to repair the answer took longer than {} ms", limit.as_millis());
            Err(Failure::repair("limit/time", message))
        }
    }
}
