//! What is logged of an answer without a value. A program of its own: whether a place in the code is
//! listened to is remembered for all threads, those of other tests included, which listen to nothing.

use std::{
    io::{self, Write},
    sync::{Arc, Mutex},
};

use llmend::{
    answers::{Tree, read_with},
    asking::Content,
};

/// A log that can be read.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn logged(answer: &str, content: Content) -> String {
    let log = Log::default();
    let writer = log.clone();
    let subscriber =
        tracing_subscriber::fmt().with_ansi(false).with_writer(move || writer.clone()).finish();
    tracing::subscriber::with_default(subscriber, || {
        let _ = read_with::<Tree>(answer, content);
    });
    let bytes = log.0.lock().unwrap().clone();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn a_failed_extraction_is_a_warning_in_the_log() {
    // S4-14: the error and the first 200 characters, where the log is to hold content.
    let words = "é".repeat(199) + "xyz";
    let log = logged(&words, Content::Logged);
    assert!(log.contains("WARN") && log.contains("mode=\"tree\""), "{log}");
    assert!(log.contains("error=\"no JSON value found"), "{log}");
    assert!(log.contains(&format!("preview=\"{}x\"", "é".repeat(199))), "{log}");
    let log = logged(&words, Content::Hidden);
    assert!(log.contains("WARN") && log.contains("extract/no-json"), "{log}");
    assert!(!log.contains('é'), "{log}");
    // A value that does not fit was extracted.
    assert_eq!(logged("{}", Content::Logged), "");
}
