//! Recording of exchanges.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use llmend_model::{
    BoxFuture, Capabilities, ChatError, ChatModel, ChatRequest, ChatResponse, OnEvent,
};
use secrecy::{ExposeSecret, SecretString};

use crate::exchange::Exchange;
use crate::scrub::{LEAST_WORD_BYTES, Scrubber};

/// A model that records its requests and answers in the format of [`Replay`](crate::Replay).
///
/// A line is written and flushed once its answer is complete. A dropped call leaves no line.
/// Secrets are replaced by `[REDACTED]`: the given ones ([`hiding`](Self::hiding)), and whatever
/// looks like a provider's key.
///
/// A write error does not lose the answer: [`finish`](Self::finish) reports it.
pub struct Recorder<M> {
    model: M,
    scrubber: Scrubber,
    /// Shared with the recorders of other models.
    out: Arc<Mutex<Out>>,
}

struct Out {
    writer: Box<dyn Write + Send>,
    /// The first error. Nothing is written after it, so that a record has no gaps.
    failed: Option<io::Error>,
}

/// Creates or empties a file that only its owner may read.
fn private(file: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let opened = options.open(file)?;
    // An existing regular file keeps its mode, a device must.
    #[cfg(unix)]
    if opened.metadata()?.is_file() {
        opened.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    }
    Ok(opened)
}

impl<M: ChatModel> Recorder<M> {
    /// Records into `writer`.
    pub fn new(model: M, writer: impl Write + Send + 'static) -> Self {
        let out = Arc::new(Mutex::new(Out { writer: Box::new(writer), failed: None }));
        Self { model, scrubber: Scrubber::default(), out }
    }

    /// Records into a file, which is overwritten. Only its owner may read it.
    pub fn create(model: M, file: impl AsRef<Path>) -> io::Result<Self> {
        Ok(Self::new(model, private(file.as_ref())?))
    }

    /// Never writes this secret. A secret of fewer than eight bytes is a placeholder for a key that
    /// a server does not need: it is not removed, since a record without that word could not be
    /// replayed.
    #[must_use]
    pub fn hiding(mut self, secret: SecretString) -> Self {
        self.hide(secret);
        self
    }

    /// Records another model into the same record, without either model's secrets.
    pub fn beside<N: ChatModel>(&self, model: N) -> Recorder<N> {
        Recorder { model, scrubber: self.scrubber.clone(), out: Arc::clone(&self.out) }
    }

    pub(crate) fn hide(&mut self, secret: SecretString) {
        if secret.expose_secret().len() >= LEAST_WORD_BYTES {
            self.scrubber.add(secret);
        }
    }

    pub(crate) fn hide_header(&mut self, name: &str, value: &SecretString) {
        self.scrubber.add_header(name, value.expose_secret());
    }

    /// Returns the model, or the error of writing the record. Of several recorders of one record,
    /// the first to finish reports the error.
    pub fn finish(self) -> io::Result<M> {
        let failed = self.out().failed.take();
        failed.map_or(Ok(self.model), Err)
    }

    fn write(&self, exchange: &Exchange) {
        let mut out = self.out();
        if out.failed.is_none() {
            let line = serde_json::to_string(exchange).map_err(io::Error::from);
            let written = line.and_then(|line| {
                // In a line of JSON, a secret appears in its escaped form.
                writeln!(out.writer, "{}", self.scrubber.all(&line))?;
                out.writer.flush()
            });
            out.failed = written.err();
        }
    }

    fn out(&self) -> MutexGuard<'_, Out> {
        self.out.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(
        &self,
        capabilities: Capabilities,
        request: &ChatRequest,
        result: &Result<ChatResponse, ChatError>,
    ) {
        self.write(&Exchange::of(self.model.name(), capabilities, request, result));
    }
}

impl<M: ChatModel> ChatModel for Recorder<M> {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn capabilities(&self) -> Capabilities {
        self.model.capabilities()
    }

    fn call<'a>(
        &'a self,
        request: &'a ChatRequest,
    ) -> BoxFuture<'a, Result<ChatResponse, ChatError>> {
        Box::pin(async move {
            let capabilities = self.model.capabilities();
            let result = self.model.call(request).await;
            self.note(capabilities, request, &result);
            result
        })
    }

    fn stream<'a>(
        &'a self,
        request: &'a ChatRequest,
        on_event: OnEvent<'a>,
    ) -> BoxFuture<'a, Result<ChatResponse, ChatError>> {
        Box::pin(async move {
            let capabilities = self.model.capabilities();
            let result = self.model.stream(request, on_event).await;
            self.note(capabilities, request, &result);
            result
        })
    }
}

impl<M: fmt::Debug> fmt::Debug for Recorder<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let model = &self.model;
        f.debug_struct("Recorder").field("model", model).finish_non_exhaustive()
    }
}
