//! What would a provider's server have done? It answers as a script says, over real HTTP.
//!
//! A script has a turn for each request, in order: an [`Answer`], which is written in the form of the
//! provider whose path was asked, whole or as a stream; or a [`Reply`], which says the status, the
//! headers and each chunk, with pauses and cuts. The server notes what it was sent and who left before
//! the end of a reply.
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
//! It runs on a thread of its own until it is dropped, so that it serves tests with any runtime or with
//! none, and does not mind when a test holds its own clock.

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

/// A server on a port of its own, of this machine only. Dropping it stops it.
#[derive(Debug)]
pub struct ModelServer {
    address: SocketAddr,
    state: Arc<State>,
    /// Dropped with the server, which tells the thread to end.
    _stop: oneshot::Sender<()>,
}

impl ModelServer {
    /// A server that takes one turn after another. A request beyond the last one is answered with the
    /// status 500, and counts as a request.
    ///
    /// # Panics
    ///
    /// If no port can be had.
    pub fn scripted(turns: impl IntoIterator<Item = Turn>) -> Self {
        Self::start(Script::Turns(turns.into_iter().collect()))
    }

    /// A server that answers what `answer` makes of each request.
    ///
    /// # Panics
    ///
    /// If no port can be had.
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

    /// Where it is, without a slash at the end: `http://127.0.0.1:4711`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What it was sent so far, in order.
    #[must_use]
    pub fn requests(&self) -> Vec<Seen> {
        self.state.requests()
    }

    /// How many turns of the script were not taken.
    #[must_use]
    pub fn turns_left(&self) -> usize {
        self.state.turns_left()
    }

    /// Waits until this many requests have come, with their bodies.
    pub async fn arrived(&self, count: usize) {
        self.state.until(|progress| progress.arrived >= count).await;
    }

    /// Waits until the client of this request, counted from 0, has left before the end of the reply.
    pub async fn left(&self, request: usize) {
        self.state.until(|progress| progress.left.contains(&request)).await;
    }

    /// Whether the client of this request, counted from 0, was seen to leave before the end of the reply.
    #[must_use]
    pub fn has_left(&self, request: usize) -> bool {
        self.state.has_left(request)
    }
}
