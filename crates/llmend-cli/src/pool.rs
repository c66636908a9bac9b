//! How is work spread over all cores, and how do the results stay in order?

use std::{
    io,
    sync::{
        Arc, Mutex,
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    thread,
};
#[cfg(feature = "table")]
use std::{sync::mpsc::RecvTimeoutError, time::Duration};

/// Jobs that are under way for each worker. It bounds the memory: whoever makes the jobs waits
/// until the oldest result was taken.
const UNDER_WAY: usize = 4;

/// The results, in the order of the jobs.
pub(crate) struct Ordered<R> {
    /// Where each result will arrive.
    results: Receiver<Receiver<R>>,
    /// Where the oldest result will arrive, once that is known.
    oldest: Option<Receiver<R>>,
}

/// A job, and where its result goes.
type Task<J, R> = (J, SyncSender<R>);

/// Where jobs are handed in.
pub(crate) struct Jobs<J, R> {
    tasks: SyncSender<Task<J, R>>,
    results: SyncSender<Receiver<R>>,
}

#[cfg(feature = "table")]
/// What there is after a while.
pub(crate) enum Wait<R> {
    Result(R),
    /// It is still worked on.
    NotYet,
    NoMore,
}

/// Nobody takes the results any more.
pub(crate) struct Abandoned;

impl<J, R> Jobs<J, R> {
    /// Hands in a job. Waits while too many are under way.
    pub(crate) fn submit(&self, job: J) -> Result<(), Abandoned> {
        let (sender, receiver) = sync_channel(1);
        self.results.send(receiver).map_err(|_| Abandoned)?;
        self.tasks.send((job, sender)).map_err(|_| Abandoned)
    }
}

impl<R> Ordered<R> {
    /// The next result, if it is there already.
    pub(crate) fn ready(&mut self) -> Option<R> {
        if self.oldest.is_none() {
            self.oldest = self.results.try_recv().ok();
        }
        let result = self.oldest.as_ref()?.try_recv().ok()?;
        self.oldest = None;
        Some(result)
    }

    #[cfg(feature = "table")]
    /// The next result, if it is there within `patience`.
    pub(crate) fn wait_for(&mut self, patience: Duration) -> Wait<R> {
        let oldest = match self.oldest.take() {
            Some(oldest) => oldest,
            None => match self.results.recv_timeout(patience) {
                Ok(oldest) => oldest,
                Err(RecvTimeoutError::Timeout) => return Wait::NotYet,
                Err(RecvTimeoutError::Disconnected) => return Wait::NoMore,
            },
        };
        match oldest.recv_timeout(patience) {
            Ok(result) => Wait::Result(result),
            Err(RecvTimeoutError::Timeout) => {
                self.oldest = Some(oldest);
                Wait::NotYet
            }
            Err(RecvTimeoutError::Disconnected) => Wait::NoMore,
        }
    }

    /// The next result. Waits for it; `None` once there is no more.
    pub(crate) fn wait(&mut self) -> Option<R> {
        let oldest = match self.oldest.take() {
            Some(oldest) => oldest,
            None => self.results.recv().ok()?,
        };
        oldest.recv().ok()
    }
}

/// Has `workers` threads do `work` on the jobs that `make` hands in from a thread of its own.
///
/// The threads are not joined: when the caller loses interest, `submit` says so to `make`, which
/// may be waiting for input that never comes.
pub(crate) fn ordered<J, R, M, W>(workers: usize, make: M, work: W) -> io::Result<Ordered<R>>
where
    J: Send + 'static,
    R: Send + 'static,
    M: FnOnce(&Jobs<J, R>) + Send + 'static,
    W: Fn(J) -> R + Send + Sync + 'static,
{
    let (task_sender, task_receiver) = sync_channel::<Task<J, R>>(workers);
    let (result_sender, results) = sync_channel(workers * UNDER_WAY);
    let tasks = Arc::new(Mutex::new(task_receiver));
    let work = Arc::new(work);
    for _ in 0..workers {
        let (tasks, work) = (Arc::clone(&tasks), Arc::clone(&work));
        thread::Builder::new().name("worker".to_owned()).spawn(move || {
            loop {
                // The lock is held while one worker waits, and never while one works.
                let Ok(Ok((job, result))) = tasks.lock().map(|tasks| tasks.recv()) else { return };
                // A result that nobody waits for is of no use.
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
    fn whoever_makes_the_jobs_learns_that_nobody_wants_them() {
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
