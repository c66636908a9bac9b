//! `llmend stream --as calls`: the tool calls in an answer as it arrives.

use std::{str, sync::Arc};

use llmend::calls::{CallStream, Options, Tools};

use super::{Stop, StreamArguments, read};
use crate::{
    commands::calls::print,
    exit::Exit,
    input::{decode, lossy},
    output::write_stdout,
    presentation::Stderr,
    render::{
        Named,
        calls::{event, report, report_failure},
    },
};

/// Follows the text to its end, and writes a line for each event. Returns the exit status.
pub(super) fn follow(
    arguments: &StreamArguments,
    tools: Tools,
    options: &Options,
    stderr: &Stderr<'_>,
) -> Exit {
    let name = arguments.source.source().name();
    let mut bytes = Vec::new();
    let mut stream = CallStream::new(Arc::new(tools), options.clone());
    let mut rest = Vec::new();
    let mut push = |piece: &[u8]| -> String {
        rest.extend_from_slice(piece);
        let events = stream.push(&characters(&mut rest));
        events.iter().map(event).collect()
    };
    let failure = match read(arguments, options.json.max_bytes, &mut bytes, &mut push) {
        Ok(()) => decode(&bytes).err(),
        Err(Stop::Input(failure)) => Some(failure),
        Err(Stop::Output(failure)) => {
            return stderr.after(Named { name: &name, text: "" }, Err(failure), Exit::Io);
        }
    };
    if let Some(failure) = failure {
        let text = lossy(&bytes, &failure);
        let source = Named { name: &name, text: &text };
        stderr.failure(source, &failure);
        let written = write_stdout(&["{\"final\":", &report_failure(&failure, None), "}\n"]);
        return stderr.after(source, written, failure.exit);
    }
    let text = String::from_utf8_lossy(&bytes);
    let source = Named { name: &name, text: &text };
    let (events, reading) = stream.finish();
    let events: String = events.iter().map(event).collect();
    let written = write_stdout(&[&events, "{\"final\":", &report(&reading, None), "}\n"]);
    let exit = if written.is_ok() { print(stderr, source, &reading) } else { Exit::Io };
    stderr.after(source, written, exit)
}

/// Takes the complete characters from the start of `bytes`; none after a byte that is not UTF-8.
fn characters(bytes: &mut Vec<u8>) -> String {
    let end = match str::from_utf8(bytes) {
        Ok(text) => text.len(),
        Err(error) => error.valid_up_to(),
    };
    let rest = bytes.split_off(end);
    let taken = std::mem::replace(bytes, rest);
    String::from_utf8(taken).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::characters;

    #[test]
    fn characters_are_taken_whole() {
        let text = "a｜é🜂b";
        let mut rest = Vec::new();
        let mut taken = String::new();
        for byte in text.bytes() {
            rest.push(byte);
            taken.push_str(&characters(&mut rest));
        }
        assert_eq!((taken.as_str(), rest.len()), (text, 0));
        let mut rest = b"a\xffb".to_vec();
        assert_eq!(characters(&mut rest), "a");
        assert_eq!(characters(&mut rest), "");
    }
}
