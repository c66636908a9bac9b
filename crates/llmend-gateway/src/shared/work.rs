//! Long work, done where nothing else waits.
//!
//! The work itself is bounded by `repair_work_in_all`, which is counted. The time limit is for
//! those who wait. Abandoned work continues to its end and keeps its permit, so that new work
//! cannot pile up behind it.

use std::sync::Arc;

use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::OwnedSemaphorePermit;
use tokio::task::{block_in_place, spawn_blocking};
use tokio::time::timeout;

use crate::error::{Failure, Retry};
use crate::shared::Shared;

/// Most bytes that are repaired at once, which takes less than handing them to another thread.
pub(crate) const AT_ONCE: usize = 64 << 10;

/// The bytes of a response that take as long as one byte of a schema.
const OF_A_SCHEMA: usize = 16;

/// Returns the work for `text` bytes of a response or a request with `schemas` bytes of schemas.
pub(crate) const fn weight(text: usize, schemas: usize) -> usize {
    text.saturating_add(schemas.saturating_mul(OF_A_SCHEMA))
}

/// Does work of some [`weight`]. Fails after a time limit.
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
    // More threads than processors would not be faster, and use more memory.
    let Ok(worker) = timeout(limit, Arc::clone(&shared.workers).acquire_owned()).await else {
        let message = "too many large responses in repair; try again";
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
            Err(Failure::new(500, "gateway_error", "internal", "the gateway failed internally"))
        }
        Err(_) => {
            let message =
                format!("reading and repairing took longer than {} ms", limit.as_millis());
            Err(Failure::repair("limit/time", message))
        }
    }
}

/// Does work of some [`weight`] in place, where it cannot be handed to another thread. Other tasks
/// of this thread are moved instead.
pub(crate) fn in_place<T>(weight: usize, work: impl FnOnce() -> T) -> T {
    let is_one_of_many = Handle::try_current()
        .is_ok_and(|runtime| runtime.runtime_flavor() == RuntimeFlavor::MultiThread);
    if weight > AT_ONCE && is_one_of_many { block_in_place(work) } else { work() }
}
