//! The end of a conversation by Ctrl-C or a signal.

use std::{
    io,
    sync::{Arc, Mutex, PoisonError},
    thread,
};

use crate::{attempts::wait, output::write_stdout};

/// Writes the latest workflow when the person presses Ctrl-C, or a signal ends the process, and ends it.
///
/// It waits for the lock: a change that is being saved is saved.
pub(super) fn on_interruption(latest: Arc<Mutex<String>>) {
    thread::spawn(move || {
        if let Ok(Ok(status)) = wait(interrupted()) {
            let text = latest.lock().unwrap_or_else(PoisonError::into_inner);
            // Whoever read it may be gone as well.
            let _ = write_stdout(&[&text]);
            std::process::exit(status);
        }
    });
}

/// Waits for Ctrl-C, the termination signal or the end of the terminal. Returns the exit status, as shells have
/// it.
#[cfg(unix)]
async fn interrupted() -> io::Result<i32> {
    use futures_util::future::select_all;
    use tokio::signal::unix::{SignalKind, signal};

    let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
    let signals = kinds.map(|kind| Ok((kind, signal(kind)?)));
    let signals: Vec<_> = signals.into_iter().collect::<io::Result<_>>()?;
    let received = signals.into_iter().map(|(kind, mut signal)| {
        Box::pin(async move {
            signal.recv().await;
            128 + kind.as_raw_value()
        })
    });
    Ok(select_all(received).await.0)
}

/// Waits for Ctrl-C. Returns the exit status, as shells have it.
#[cfg(not(unix))]
async fn interrupted() -> io::Result<i32> {
    tokio::signal::ctrl_c().await.map(|()| 130)
}
