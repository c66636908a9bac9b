//! The server: accepting connections and shutting down.

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

use self::router::router;
use crate::config::Settings;
use crate::recording::Recorder;
use crate::shared::{Shared, Stage};

mod guard;
mod router;

/// A bound gateway. It accepts connections once it is [run](Self::run).
pub struct Gateway {
    shared: Arc<Shared>,
    listener: TcpListener,
    stage: watch::Sender<Stage>,
}

/// The time for connections to end once the gateway asks them to.
const FAREWELL: Duration = Duration::from_secs(5);

/// The longest pause after an accept error, such as too many open files.
const REST: Duration = Duration::from_millis(50);

impl Gateway {
    /// Listens at the configured address. Needs a tokio runtime.
    pub async fn bind(settings: Settings) -> io::Result<Self> {
        let listener = TcpListener::bind(settings.listen).await?;
        let (stage, seen) = watch::channel(Stage::Running);
        let shared = Shared::new(settings, seen).map_err(io::Error::other)?;
        Ok(Self { shared: Arc::new(shared), listener, stage })
    }

    /// Checks whether the journal can be opened, and leaves nothing behind.
    ///
    /// # Errors
    ///
    /// Returns why it cannot.
    pub fn check(settings: &Settings) -> Result<(), String> {
        Recorder::check(&settings.recording)
    }

    /// Returns the address it listens at, with the assigned port if the configured one is 0.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until `stop` is ready. Then `/readyz` fails, no connections are accepted, and
    /// requests may finish. What still runs after the configured time ends with an error.
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
        // A load balancer has to notice before the gateway is gone.
        tokio::select! {
            () = take(&listener) => {}
            () = sleep(timers.lame_duck()) => {}
        }
        drop(listener);
        let drained = graceful.shutdown();
        tokio::pin!(drained);
        if timeout(timers.drain(), &mut drained).await.is_err() {
            stage.send_replace(Stage::Ending);
            // Connections that do not end are left to the end of the process.
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

/// Serves one connection until either side closes it.
async fn serve(
    stream: TcpStream,
    builder: http1::Builder,
    service: TowerToHyperService<axum::Router>,
    watcher: Watcher,
) {
    // Responses are written in small pieces that clients wait for.
    let _ = stream.set_nodelay(true);
    let connection = builder.serve_connection(TokioIo::new(stream), service);
    // A client that left is an error here, and was counted where it was noticed.
    let _ = watcher.watch(connection).await;
}
