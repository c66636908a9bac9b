//! Parallel work with ordered results.

use std::{
    io,
    sync::{
        Arc, Mutex,
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    thread,
};

/// Jobs in flight per worker. This bounds memory: the producer waits until the oldest result is taken.
const IN_FLIGHT: usize = 4;

/// The results, in the order of the jobs.
pub(crate) struct Ordered<R> {
    /// Where each result will arrive.
    results: Receiver<Receiver<R>>,
    /// Where the oldest result will arrive, once known.
    oldest: Option<Receiver<R>>,
}

/// A job and the sender for its result.
type Task<J, R> = (J, SyncSender<R>);

/// The queue that takes jobs.
pub(crate) struct Jobs<J, R> {
    tasks: SyncSender<Task<J, R>>,
    results: SyncSender<Receiver<R>>,
}

/// Nobody takes the results any more.
pub(crate) struct Abandoned;

impl<J, R> Jobs<J, R> {
    /// Submits a job. Waits while too many are in flight.
    pub(crate) fn submit(&self, job: J) -> Result<(), Abandoned> {
        let (sender, receiver) = sync_channel(1);
        self.results.send(receiver).map_err(|_| Abandoned)?;
        self.tasks.send((job, sender)).map_err(|_| Abandoned)
    }
}

impl<R> Ordered<R> {
    /// Returns the next result if it is ready.
    pub(crate) fn ready(&mut self) -> Option<R> {
        if self.oldest.is_none() {
            self.oldest = self.results.try_recv().ok();
        }
        let result = self.oldest.as_ref()?.try_recv().ok()?;
        self.oldest = None;
        Some(result)
    }

    /// Waits for the next result; `None` after the last.
    pub(crate) fn wait(&mut self) -> Option<R> {
        let oldest = match self.oldest.take() {
            Some(oldest) => oldest,
            None => self.results.recv().ok()?,
        };
        oldest.recv().ok()
    }
}

/// Runs `work` on `workers` threads, for the jobs that `make` submits from a thread of its own.
///
/// The threads are not joined, since `make` may be waiting for input that never comes. Once the caller drops the
/// results, `submit` fails.
pub(crate) fn ordered<J, R, M, W>(workers: usize, make: M, work: W) -> io::Result<Ordered<R>>
where
    J: Send + 'static,
    R: Send + 'static,
    M: FnOnce(&Jobs<J, R>) + Send + 'static,
    W: Fn(J) -> R + Send + Sync + 'static,
{
    let (task_sender, task_receiver) = sync_channel::<Task<J, R>>(workers);
    let (result_sender, results) = sync_channel(workers * IN_FLIGHT);
    let tasks = Arc::new(Mutex::new(task_receiver));
    let work = Arc::new(work);
    for _ in 0..workers {
        let (tasks, work) = (Arc::clone(&tasks), Arc::clone(&work));
        thread::Builder::new().name("worker".to_owned()).spawn(move || {
            loop {
                // The lock is held while a worker waits, never while it works.
                let Ok(Ok((job, result))) = tasks.lock().map(|tasks| tasks.recv()) else { return };
                // Nobody may be waiting for the result any more.
                let _ = result.send(work(job));
            }
        })?;
    }
    thread::Builder::new()
        .name("reader".to_owned())
        .spawn(move || make(&Jobs { tasks: task_sender, results: result_sender }))?;
    Ok(Ordered { results, oldest: None })
}

#[cfg(test)]
mod tests {
    use std::{thread, time::Duration};

    use super::ordered;

    #[test]
    fn results_come_in_the_order_of_the_jobs() {
        let mut results = ordered(
            3,
            |jobs| {
                for n in 0..500_u64 {
                    assert!(jobs.submit(n).is_ok());
                }
            },
            |n| {
                // The work on later jobs is done before that on earlier ones.
                for _ in 0..(n % 7) * 100 {
                    thread::yield_now();
                }
                n
            },
        )
        .expect("threads start");
        for expected in 0..500 {
            assert_eq!(results.ready().or_else(|| results.wait()), Some(expected));
        }
        assert_eq!(results.wait(), None);
    }

    #[test]
    fn the_producer_stops_when_the_results_are_dropped() {
        let (sender, receiver) = std::sync::mpsc::channel();
        let mut results = ordered(
            2,
            move |jobs| {
                let made = (0..1_000_000).take_while(|n| jobs.submit(*n).is_ok()).count();
                sender.send(made).expect("the test waits for it");
            },
            |n| n,
        )
        .expect("threads start");
        assert_eq!(results.wait(), Some(0));
        drop(results);
        let made = receiver.recv_timeout(Duration::from_mins(1)).expect("it stops");
        assert!(made < 100, "{made} jobs were made for nobody");
    }
}
