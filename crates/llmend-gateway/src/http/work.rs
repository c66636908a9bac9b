//! How is work done that may take long, where nobody else may wait for it?
//!
//! Nothing of it has a clock: the work itself is bounded by `repair_work_in_all`, which is counted. The time is
//! for those who wait. What nobody waits for any more goes on to its end, and until then keeps its place
//! among the requests that are answered at once, so that new ones cannot pile up behind it.

use std::sync::Arc;

use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::OwnedSemaphorePermit;
use tokio::task::{block_in_place, spawn_blocking};
use tokio::time::timeout;

use crate::error::{Failure, Retry};
use crate::http::shared::Shared;

/// Bytes up to which an answer is repaired at once: that takes less than to hand it to another thread
/// would be worth.
pub(crate) const AT_ONCE: usize = 64 << 10;

/// How many bytes of an answer take as long as one of a schema, to compile it or to look for a slip among its
/// words.
const OF_A_SCHEMA: usize = 16;

/// How much there is to do: an answer or a request of `text` bytes, with schemas of `schemas`.
pub(crate) const fn weight(text: usize, schemas: usize) -> usize {
    text.saturating_add(schemas.saturating_mul(OF_A_SCHEMA))
}

/// Does work of some [`weight`]. Who asked is told after a time that it takes too long.
pub(crate) async fn run<T: Send + 'static>(
    shared: &Shared,
    room: Option<Arc<OwnedSemaphorePermit>>,
    weight: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Failure> {
    if weight <= AT_ONCE {
        return Ok(work());
    }
    let limit = shared.settings.timers.repair();
    // More at once than there are processors would take no less time, and more memory.
    let Ok(worker) = timeout(limit, Arc::clone(&shared.workers).acquire_owned()).await else {
        let message = "the gateway repairs as many large answers as it can at once: ask again";
        let failure = Failure::new(503, "gateway_error", "busy", message);
        return Err(failure.retrying(Retry::After(1)));
    };
    let working = spawn_blocking(move || {
        let done = work();
        drop((worker, room));
        done
    });
    match timeout(limit, working).await {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(_)) => {
            Err(Failure::new(500, "gateway_error", "internal", "the gateway failed to read it"))
        }
        Err(_) => {
            let message =
                format!("to read and repair it took longer than {} ms", limit.as_millis());
            Err(Failure::repair("limit/time", message))
        }
    }
}

/// Does work of some [`weight`] in its place, where it cannot be handed to another thread. What else runs
/// on this one is handed over instead.
pub(crate) fn in_place<T>(weight: usize, work: impl FnOnce() -> T) -> T {
    let is_one_of_many = Handle::try_current()
        .is_ok_and(|runtime| runtime.runtime_flavor() == RuntimeFlavor::MultiThread);
    if weight > AT_ONCE && is_one_of_many { block_in_place(work) } else { work() }
}
