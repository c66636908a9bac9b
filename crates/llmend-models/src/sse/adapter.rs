//! Deltas from asynchronous streams and readers.
//!
//! No runtime is needed: the traits are those of `futures-core` and `futures-io`. The body of a
//! `reqwest` response is a stream (`bytes_stream`), and so is a tokio reader in `tokio_util`'s
//! `ReaderStream`.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_core::Stream;
use futures_io::AsyncRead;
use pin_project_lite::pin_project;

use super::decoder::{Counts, Decoder, Options};
use super::delta::Delta;
use super::dialect::Dialect;
use super::error::Error;

/// The number of chunks without a delta after which the task yields: comments may come without end.
const CHUNKS_A_TURN: usize = 32;

/// The number of bytes requested from a reader at once.
const READ_BYTES: usize = 8 * 1024;

/// An error of a stream of deltas.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StreamError<E> {
    /// The bytes could not be received. Nothing follows.
    #[error("{0}")]
    Transport(E),
    /// The bytes could not be decoded.
    #[error(transparent)]
    Decode(#[from] Error),
}

/// Decodes the deltas in a stream of byte chunks, cut anywhere.
///
/// ```
/// use futures::{StreamExt, executor::block_on, stream};
/// use llmend_models::sse::{Delta, Dialect, Options, deltas};
///
/// let body = stream::iter([
///     Ok::<_, std::io::Error>("{\"message\": {\"content\": \"Hel"),
///     Ok("lo\"}, \"done\": false}\n{\"done\": true, \"done_reason\": \"stop\"}\n"),
/// ]);
/// let mut text = String::new();
/// block_on(async {
///     let mut deltas = deltas(body, Dialect::Ollama, Options::default());
///     while let Some(delta) = deltas.next().await {
///         if let Delta::Content { text: piece, .. } = delta? {
///             text.push_str(&piece);
///         }
///     }
///     Ok::<_, llmend_models::sse::StreamError<std::io::Error>>(())
/// })?;
/// assert_eq!(text, "Hello");
/// # Ok::<(), llmend_models::sse::StreamError<std::io::Error>>(())
/// ```
pub fn deltas<S, B, E>(stream: S, dialect: Dialect, options: Options) -> Deltas<S>
where
    S: Stream<Item = Result<B, E>>,
    B: AsRef<[u8]>,
{
    Deltas { stream, decoder: Decoder::new(dialect, options), ended: false }
}

/// Decodes the deltas in the bytes of a reader.
///
/// ```
/// use futures::{StreamExt, executor::block_on};
/// use llmend_models::sse::{Delta, Dialect, Options, deltas_from_reader};
///
/// let body: &[u8] = b"{\"message\": {\"content\": \"Hello\"}, \"done\": true}\n";
/// let deltas = deltas_from_reader(body, Dialect::Ollama, Options::default());
/// let deltas: Vec<_> = block_on(deltas.collect());
/// assert!(matches!(&deltas[0], Ok(Delta::Content { text, .. }) if text == "Hello"));
/// ```
pub fn deltas_from_reader<R: AsyncRead>(
    reader: R,
    dialect: Dialect,
    options: Options,
) -> Deltas<Chunks<R>> {
    deltas(Chunks { reader, buffer: Vec::new() }, dialect, options)
}

pin_project! {
    /// The stream that [`deltas`] returns. It ends with the bytes, after a transport error, and
    /// after any decode error but [`Error::Malformed`].
    #[derive(Debug)]
    #[must_use = "a stream does nothing unless it is polled"]
    pub struct Deltas<S> {
        #[pin]
        stream: S,
        decoder: Decoder,
        ended: bool,
    }
}

impl<S> Deltas<S> {
    /// Returns the counts so far.
    pub fn counts(&self) -> Counts {
        self.decoder.counts()
    }
}

impl<S, B, E> Stream for Deltas<S>
where
    S: Stream<Item = Result<B, E>>,
    B: AsRef<[u8]>,
{
    type Item = Result<Delta, StreamError<E>>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut this = self.project();
        for _ in 0..CHUNKS_A_TURN {
            if let Some(delta) = this.decoder.next_delta() {
                // Too large an event ends the reading.
                *this.ended |= matches!(delta, Err(Error::TooLarge { .. }));
                return Poll::Ready(Some(delta.map_err(StreamError::Decode)));
            }
            if *this.ended {
                return Poll::Ready(None);
            }
            match ready!(this.stream.as_mut().poll_next(context)) {
                Some(Ok(bytes)) => this.decoder.push(bytes.as_ref()),
                Some(Err(error)) => {
                    *this.ended = true;
                    return Poll::Ready(Some(Err(StreamError::Transport(error))));
                }
                None => {
                    *this.ended = true;
                    this.decoder.finish();
                }
            }
        }
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

pin_project! {
    /// The bytes of a reader as a stream of chunks of at most 8 KiB.
    #[derive(Debug)]
    #[must_use = "a stream does nothing unless it is polled"]
    pub struct Chunks<R> {
        #[pin]
        reader: R,
        buffer: Vec<u8>,
    }
}

impl<R: AsyncRead> Stream for Chunks<R> {
    type Item = io::Result<Vec<u8>>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.project();
        this.buffer.resize(READ_BYTES, 0);
        Poll::Ready(match ready!(this.reader.poll_read(context, this.buffer)) {
            Ok(0) => None,
            Ok(read) => Some(Ok(this.buffer[..read].to_vec())),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
            Err(error) => Some(Err(error)),
        })
    }
}
