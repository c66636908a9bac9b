//! A scripted server in place of a provider's, over real HTTP.
//!
//! A script has a turn for each request, in order: an [`Answer`], written in the form of the
//! requested provider, complete or as a stream; or a [`Reply`] with its status, headers and chunks,
//! including pauses and cuts. The server records its requests, and the clients that left before the
//! end of a reply.
//!
//! ```
//! use llmend_model_server::{Answer, ModelServer, Reply};
//!
//! let server = ModelServer::scripted([
//!     Reply::status(503).into(),
//!     Answer::text("{\"a\": 1}").into(),
//! ]);
//! assert!(server.url().starts_with("http://127.0.0.1:"));
//! // … a client asks twice …
//! assert_eq!(server.requests().len(), 0);
//! assert_eq!(server.turns_left(), 2);
//! ```
//!
//! It runs on a thread of its own until it is dropped, so it serves tests with any async runtime or
//! none, and tests that control their clock.

mod answer;
mod connection;
mod form;
mod reply;
mod scenario;
mod script;

use std::net::SocketAddr;
use std::sync::Arc;
use std::thread;

use tokio::net::TcpListener;
use tokio::sync::oneshot;

pub use answer::Answer;
pub use form::Form;
pub use reply::{Gate, Reply, Step};
pub use scenario::Scenarios;
use script::{Script, State};
pub use script::{Seen, Turn};

/// A server on a local port of its own, stopped on drop.
#[derive(Debug)]
pub struct ModelServer {
    address: SocketAddr,
    state: Arc<State>,
    /// Dropped with the server, which ends the thread.
    _stop: oneshot::Sender<()>,
}

impl ModelServer {
    /// Starts a server that replies with one turn after another. Further requests get the status
    /// 500, and are counted too.
    ///
    /// # Panics
    ///
    /// If no port is available.
    pub fn scripted(turns: impl IntoIterator<Item = Turn>) -> Self {
        Self::start(Script::Turns(turns.into_iter().collect()))
    }

    /// Starts a server that replies to each request with the result of `answer`.
    ///
    /// # Panics
    ///
    /// If no port is available.
    pub fn answering(answer: impl Fn(&Seen) -> Turn + Send + 'static) -> Self {
        Self::start(Script::Function(Box::new(answer)))
    }

    fn start(script: Script) -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        listener.set_nonblocking(true).expect("a listener that does not block");
        let address = listener.local_addr().expect("the address of a listener");
        let state = Arc::new(State::new(script));
        let (stop, stopped) = oneshot::channel();
        let served = Arc::clone(&state);
        thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_io()
                .build()
                .expect("a runtime");
            runtime.block_on(async {
                let listener = TcpListener::from_std(listener).expect("a listener");
                tokio::select! {
                    () = connection::accept(&listener, &served) => {}
                    _ = stopped => {}
                }
            });
        });
        Self { address, state, _stop: stop }
    }

    /// Returns the base URL without a trailing slash, such as `http://127.0.0.1:4711`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the requests so far, in order.
    #[must_use]
    pub fn requests(&self) -> Vec<Seen> {
        self.state.requests()
    }

    /// Returns the number of unused turns.
    #[must_use]
    pub fn turns_left(&self) -> usize {
        self.state.turns_left()
    }

    /// Waits for this many complete requests.
    pub async fn arrived(&self, count: usize) {
        self.state.until(|progress| progress.arrived >= count).await;
    }

    /// Waits until the client of the request with this index has left before the end of the reply.
    pub async fn left(&self, request: usize) {
        self.state.until(|progress| progress.left.contains(&request)).await;
    }

    /// Returns whether the client of the request with this index left before the end of the reply.
    #[must_use]
    pub fn has_left(&self, request: usize) -> bool {
        self.state.has_left(request)
    }
}
