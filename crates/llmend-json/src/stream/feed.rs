//! How does a text arrive in chunks, and when is it read?

use std::sync::Arc;

use crate::{
    Choice, Error, Options,
    extract::{Build, ROOM, Scan},
    options::Settings,
    parser::{Stop, Window},
    pipeline::{self, Read},
};

/// A text that arrives in chunks, and the scan that follows it.
pub(super) struct Feed<B: Build> {
    pub(super) scan: Scan<'static, B>,
    /// All that has arrived, in whole characters.
    pub(super) text: String,
    /// The first bytes of a character whose others have not arrived.
    half: Vec<u8>,
    options: Arc<Options>,
    /// Bytes that have arrived.
    bytes: usize,
    fault: Option<Fault>,
}

/// Why nothing more is read.
enum Fault {
    /// The byte at this offset begins no character.
    Utf8(usize),
    /// The limit was met, or the value that was taken cannot be read.
    Stop(Stop),
}

impl<B: Build> Feed<B> {
    pub(super) fn new(options: Options) -> Self {
        let options = Arc::new(options);
        Self {
            scan: Scan::new(Settings::Shared(Arc::clone(&options)), ROOM),
            text: String::new(),
            half: Vec::new(),
            options,
            bytes: 0,
            fault: None,
        }
    }

    /// Takes the next bytes of the text, and reads on as far as they go.
    pub(super) fn push(&mut self, chunk: &[u8]) {
        self.bytes += chunk.len();
        if self.has_failed() {
            return;
        }
        self.take(chunk);
        let window = Window::part(&self.text, 0, false);
        if let Err(stop) = self.scan.run(&window) {
            self.fault.get_or_insert(Fault::Stop(stop));
        }
    }

    /// The text is complete: the candidates, the choice, and the report.
    pub(super) fn finish(mut self) -> Result<(String, Read<B>), Error> {
        if self.fault.is_none() && !self.half.is_empty() {
            self.fault = Some(Fault::Utf8(self.text.len()));
        }
        if let Some(Fault::Utf8(at)) = self.fault {
            return Err(pipeline::not_utf8(at));
        }
        pipeline::check_size(self.bytes, &self.options)?;
        if let Some(Fault::Stop(stop)) = self.fault {
            return Err(stop.into_error(&self.text));
        }
        let window = Window::whole(&self.text);
        self.scan.run(&window).map_err(|stop| stop.into_error(&self.text))?;
        let read = pipeline::conclude(&self.text, self.scan, &self.options)?;
        Ok((self.text, read))
    }

    /// Whether nothing more is read.
    pub(super) fn has_failed(&self) -> bool {
        self.fault.is_some() || self.bytes > self.limit()
    }

    pub(super) fn choice(&self) -> Choice {
        self.options.choice
    }

    fn limit(&self) -> usize {
        pipeline::most_bytes(&self.options)
    }

    /// Adds the whole characters of `chunk` to the text.
    fn take(&mut self, mut chunk: &[u8]) {
        while let Some((&byte, rest)) = chunk.split_first().filter(|_| !self.half.is_empty()) {
            self.half.push(byte);
            match std::str::from_utf8(&self.half) {
                Ok(character) => {
                    self.text.push_str(character);
                    self.half.clear();
                }
                Err(error) if error.error_len().is_some() => {
                    self.fault = Some(Fault::Utf8(self.text.len()));
                    return;
                }
                Err(_) => {}
            }
            chunk = rest;
        }
        let mut at = chunk.len();
        if let Err(error) = std::str::from_utf8(chunk) {
            at = error.valid_up_to();
            if error.error_len().is_some() {
                self.fault = Some(Fault::Utf8(self.text.len() + at));
            } else {
                self.half.extend_from_slice(chunk.get(at..).unwrap_or_default());
            }
        }
        self.text.push_str(
            chunk.get(..at).and_then(|whole| std::str::from_utf8(whole).ok()).unwrap_or_default(),
        );
    }
}
