//! Connections, from the first request to the end.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Extension, Request};
use axum::response::Response;
use futures_core::Stream;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, mpsc};

use crate::reply::{Reply, Step};
use crate::script::{Seen, State};

/// Maximum size of a request, in bytes.
const MAX_REQUEST_BYTES: usize = 64 << 20;

/// Accepts connections forever.
pub(crate) async fn accept(listener: &TcpListener, state: &Arc<State>) {
    loop {
        if let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(serve(stream, Arc::clone(state)));
        }
    }
}

/// Serves a connection until either side closes it, or a script cuts it off.
async fn serve(stream: TcpStream, state: Arc<State>) {
    // Otherwise small chunks would be delayed.
    let _ = stream.set_nodelay(true);
    let cut = Arc::new(Notify::new());
    let router =
        Router::new().fallback(handle).layer(Extension(Arc::clone(&cut))).layer(Extension(state));
    let connection = hyper::server::conn::http1::Builder::new()
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    tokio::select! {
        // A client that left is an error here, and was recorded where it was noticed.
        _ = connection => {}
        () = cut.notified() => {}
    }
}

async fn handle(
    Extension(state): Extension<Arc<State>>,
    Extension(cut): Extension<Arc<Notify>>,
    request: Request,
) -> Response {
    let (number, reply) = state.take_turn(seen(request).await);
    let mut watch = Watch { state: Some(state), number };
    for step in &reply.before {
        match step {
            Step::Send(_) => {}
            Step::Wait(gate) => gate.opened().await,
            Step::Hang => std::future::pending().await,
            Step::Cut => {
                watch.state = None;
                cut.notify_one();
                std::future::pending::<()>().await;
            }
        }
    }
    respond(reply, watch, cut)
}

async fn seen(request: Request) -> Seen {
    let (head, body) = request.into_parts();
    let body = axum::body::to_bytes(body, MAX_REQUEST_BYTES).await.unwrap_or_default();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Seen {
        method: head.method.to_string(),
        path: head.uri.path().to_owned(),
        query: head.uri.query().unwrap_or_default().to_owned(),
        headers: head
            .headers
            .iter()
            .map(|(name, value)| (name.as_str().to_owned(), text(value.as_bytes())))
            .collect(),
        body: text(&body),
    }
}

/// Returns the head of the reply, with a body that a task fills.
fn respond(reply: Reply, watch: Watch, cut: Arc<Notify>) -> Response {
    let (sender, receiver) = mpsc::channel(1);
    let mut response = Response::builder().status(reply.status);
    for (name, value) in &reply.headers {
        response = response.header(name, value);
    }
    tokio::spawn(play(reply.body, sender, watch, cut));
    response.body(Body::from_stream(Chunks(receiver))).unwrap_or_else(|_| {
        let mut response = Response::new(Body::from("the script has a head that cannot be sent"));
        *response.status_mut() = axum::http::StatusCode::INTERNAL_SERVER_ERROR;
        response
    })
}

/// Runs the steps of a body until they are done or the client has left.
async fn play(steps: Vec<Step>, sender: mpsc::Sender<Bytes>, mut watch: Watch, cut: Arc<Notify>) {
    for step in steps {
        let is_gone = match step {
            Step::Send(bytes) => sender.send(bytes.into()).await.is_err(),
            Step::Wait(gate) => tokio::select! {
                () = gate.opened() => false,
                () = sender.closed() => true,
            },
            Step::Hang => {
                sender.closed().await;
                true
            }
            Step::Cut => {
                // Earlier chunks must be sent first: they are once there is room again.
                let _ = sender.reserve().await;
                watch.state = None;
                cut.notify_one();
                sender.closed().await;
                return;
            }
        };
        if is_gone {
            return;
        }
    }
    watch.state = None;
}

/// Records that the client left, unless the reply was complete.
struct Watch {
    state: Option<Arc<State>>,
    number: usize,
}

impl Drop for Watch {
    fn drop(&mut self) {
        if let Some(state) = self.state.take() {
            state.note_left(self.number);
        }
    }
}

struct Chunks(mpsc::Receiver<Bytes>);

impl Stream for Chunks {
    type Item = Result<Bytes, std::convert::Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(context).map(|chunk| chunk.map(Ok))
    }
}
