//! How are connections taken, and how do they end?

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use crate::config::Settings;
use crate::http::router::router;
use crate::http::shared::{Shared, Stage};
use crate::recording::Recorder;

/// A gateway that was started, and takes connections once it is [run](Self::run).
pub struct Gateway {
    shared: Arc<Shared>,
    listener: TcpListener,
    stage: watch::Sender<Stage>,
}

/// How long those that were told to end may take to do so.
const FAREWELL: Duration = Duration::from_secs(5);

/// The longest that is waited after a connection could not be taken: there is no room for more files.
const REST: Duration = Duration::from_millis(50);

impl Gateway {
    /// Listens where `settings` say. It needs a runtime of tokio's.
    pub async fn bind(settings: Settings) -> io::Result<Self> {
        let listener = TcpListener::bind(settings.listen).await?;
        let (stage, seen) = watch::channel(Stage::Running);
        let shared = Shared::new(settings, seen).map_err(io::Error::other)?;
        Ok(Self { shared: Arc::new(shared), listener, stage })
    }

    /// Why one that is told to do what `settings` say could not keep what it is to keep: the journal
    /// cannot be opened. Nothing is left behind of what was tried.
    pub fn check(settings: &Settings) -> Result<(), String> {
        Recorder::check(&settings.recording)
    }

    /// Where it listens: with the port that it was given, if any was welcome.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Answers until `stop` is ready. Then `/readyz` says no, no more connections are taken, what runs
    /// may come to its end, and what still runs after the time for that is ended with an error.
    pub async fn run(self, stop: impl Future<Output = ()>) {
        let Self { shared, listener, stage } = self;
        let service = TowerToHyperService::new(router(&shared));
        let graceful = GracefulShutdown::new();
        let timers = shared.settings.timers;
        let mut builder = http1::Builder::new();
        builder
            .timer(TokioTimer::new())
            .header_read_timeout(timers.client())
            .max_buf_size(shared.settings.limits.head_bytes);
        let take = async |listener: &TcpListener| loop {
            match listener.accept().await {
                Ok((stream, _)) => {
                    let service = service.clone();
                    tokio::spawn(serve(stream, builder.clone(), service, graceful.watcher()));
                }
                Err(_) => sleep(REST).await,
            }
        };
        tokio::select! {
            () = take(&listener) => {}
            () = stop => {}
        }
        stage.send_replace(Stage::Draining);
        // A balancer has to see that this one is not ready before it is gone.
        tokio::select! {
            () = take(&listener) => {}
            () = sleep(timers.lame_duck()) => {}
        }
        drop(listener);
        let drained = graceful.shutdown();
        tokio::pin!(drained);
        if timeout(timers.drain(), &mut drained).await.is_err() {
            stage.send_replace(Stage::Ending);
            // What cannot even be told to end is left to the end of the process.
            let _ = timeout(FAREWELL, &mut drained).await;
        }
        shared.recorder.close(FAREWELL).await;
    }
}

impl fmt::Debug for Gateway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gateway").field("settings", &self.shared.settings).finish_non_exhaustive()
    }
}

/// Serves one connection until either side ends it.
async fn serve(
    stream: TcpStream,
    builder: http1::Builder,
    service: TowerToHyperService<axum::Router>,
    watcher: Watcher,
) {
    // Answers are written in small pieces, each of which somebody waits for.
    let _ = stream.set_nodelay(true);
    let connection = builder.serve_connection(TokioIo::new(stream), service);
    // A client that left in the middle is an error here, and counted where it was noticed.
    let _ = watcher.watch(connection).await;
}
