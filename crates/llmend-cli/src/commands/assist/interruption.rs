//! The end of a conversation by Ctrl-C or a signal.

use std::{
    io,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        mpsc::{Sender, channel},
    },
    thread,
};

use super::lock::SessionLock;
use crate::{attempts::wait, output::write_stdout};

/// What is left to do at the end, also at a sudden one.
#[derive(Debug, Default)]
pub(super) struct Latest {
    /// What is written to standard output.
    pub(super) text: String,
    /// The lock of the session, which is released.
    pub(super) lock: Option<SessionLock>,
}

/// The latest state, which the conversation and the interruption share.
pub(super) type SharedLatest = Arc<Mutex<Latest>>;

/// Returns the latest state, alone.
pub(super) fn latest(shared: &SharedLatest) -> MutexGuard<'_, Latest> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes the latest workflow when the person presses Ctrl-C, or a signal ends the process, and ends it.
///
/// It waits for the state: a change that is being saved is saved. Once this returns, no signal is missed.
pub(super) fn on_interruption(shared: SharedLatest) {
    let (ready, is_ready) = channel();
    thread::spawn(move || {
        if let Ok(Ok(status)) = wait(interrupted(ready)) {
            let mut latest = latest(&shared);
            latest.lock = None;
            // Whoever read it may be gone as well.
            let _ = write_stdout(&[&latest.text]);
            std::process::exit(status);
        }
    });
    // An error means that there is nothing to wait for.
    let _ = is_ready.recv();
}

/// Waits for Ctrl-C, the termination signal or the end of the terminal. Returns the exit status, as shells have
/// it. Says when it has begun to listen.
#[cfg(unix)]
async fn interrupted(ready: Sender<()>) -> io::Result<i32> {
    use futures_util::future::select_all;
    use tokio::signal::unix::{SignalKind, signal};

    let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
    let signals = kinds.map(|kind| Ok((kind, signal(kind)?)));
    let signals: Vec<_> = signals.into_iter().collect::<io::Result<_>>()?;
    let _ = ready.send(());
    let received = signals.into_iter().map(|(kind, mut signal)| {
        Box::pin(async move {
            signal.recv().await;
            128 + kind.as_raw_value()
        })
    });
    Ok(select_all(received).await.0)
}

/// Waits for Ctrl-C. Returns the exit status, as shells have it. Says when it has begun to listen.
#[cfg(windows)]
async fn interrupted(ready: Sender<()>) -> io::Result<i32> {
    let mut pressed = tokio::signal::windows::ctrl_c()?;
    let _ = ready.send(());
    pressed.recv().await;
    Ok(130)
}
