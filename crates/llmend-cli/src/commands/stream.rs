//! `llmend stream`: what JSON is in this answer, while it is being written?

use std::{
    borrow::Cow,
    io::{self, IsTerminal, Read, Write},
    num::NonZeroUsize,
};

use llmend::json::{Event, Events, Options, Report, State, Stream, parse_with};

use crate::{
    answer::Voice,
    engine::EngineArguments,
    exit::{Exit, Failure},
    input::{Source, decode, lossy, too_long, unreadable},
    output::{deliver, undelivered},
    render::{Colour, Named, event, growth::Growth, report::Object, view},
};

const EXAMPLES: &str = "\
Examples:
  llmend stream --chunk 20 answer.txt         as if it arrived 20 bytes at a time
  some-model | llmend stream                  on a terminal: the value is written as it grows
  some-model | llmend stream | some-program   elsewhere: a line of JSON whenever it has changed
  some-model | llmend stream --events         a line for each thing that happens, without the rest
  llmend stream --choice best answer.txt      nothing before the end, but the best value

A line of --views is an object: \"value\" is the value so far, and \"state\" tells whether it is
complete, partial (there may be more) or pending (more has arrived, and waits until it is clear
what it means). \"open\" lists the parts that are not complete, each with its JSON Pointer and its
state. What a line has shown stays in all later ones.

A line of --events has \"event\" and, of the part that it is about, \"path\": `opened` (with \"kind\":
object, array or string), `grew` (a string, by \"text\"), `completed` (a scalar, with \"value\" unless it
is a string), `closed` (an object or array, with all that it holds), `repeated` (the key stood there
before, and its old value counts no more). `repaired` has the members of a repair in a report.

The last line of both is {\"final\": REPORT}, with the object that `llmend repair --report json` writes
under the same --choice.
Exit status: 0 a value, 1 refused, 2 misused, 3 input or output failed.";

/// Most bytes of a chunk, if nothing else is said: a pipe holds no more.
const ROOM: usize = 1 << 16;

/// Read a model's answer while it is being written
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, mut_arg("choice", |choice| choice.default_value("first")))]
pub(crate) struct Arguments {
    #[command(flatten)]
    source: Source,
    /// Bytes that are read before the next look at the value [default: as many as are there]
    #[arg(long, value_name = "BYTES")]
    chunk: Option<NonZeroUsize>,
    /// Write the value as a line of JSON whenever it has changed; the default, but on a terminal
    #[arg(long, help_heading = "What is shown")]
    views: bool,
    /// Write a line of JSON for each thing that happens to a part of the value
    #[arg(long, conflicts_with = "views", help_heading = "What is shown")]
    events: bool,
    /// Leave out the summary
    #[arg(long, short, help_heading = "What is shown")]
    quiet: bool,
    #[command(flatten)]
    engine: EngineArguments,
}

/// Does it.
pub(crate) fn run(arguments: &Arguments, colour: Colour) -> Result<Exit, clap::Error> {
    let engine = arguments.engine.engine()?;
    let voice = Voice { explain: false, quiet: arguments.quiet, engine: &engine, colour };
    let stream = || Stream::new(engine.options.clone());
    let watch = if arguments.events {
        Watch::Events(Events::new(engine.options.clone()))
    } else if arguments.views || !io::stdout().is_terminal() {
        Watch::Views { stream: stream(), last: String::new() }
    } else {
        Watch::Growth { stream: stream(), growth: Growth::default() }
    };
    Ok(follow(watch, arguments, &engine.options, &voice))
}

/// Follows the text to its end, and ends the command.
fn follow(mut watch: Watch, arguments: &Arguments, options: &Options, voice: &Voice<'_>) -> Exit {
    let name = arguments.source.name();
    let mut bytes = Vec::new();
    let read = match read(arguments, options.max_bytes, &mut bytes, &mut watch) {
        Ok(()) => decode(&bytes).map_err(|failure| (lossy(&bytes, &failure), failure)),
        Err(Stop::Input(failure)) => Err((String::new(), failure)),
        Err(Stop::Output(failure)) => {
            return voice.after(Named { name: &name, text: "" }, Err(failure), Exit::Io);
        }
    };
    let (text, (last, result)) = match read {
        Ok(text) => (Cow::Borrowed(text), watch.finish(text, options)),
        Err((text, failure)) => (Cow::Owned(text), (watch.refusal(&failure), Err(failure))),
    };
    let source = Named { name: &name, text: &text };
    let written = deliver(&[&last]);
    match result {
        Ok(report) => {
            if written.is_ok() {
                voice.of_value(source, &report);
            }
            voice.after(source, written, Exit::Value)
        }
        Err(failure) => {
            voice.of_failure(source, &failure);
            voice.after(source, written, failure.exit)
        }
    }
}

/// Reads the text to its end into `bytes`, and writes what there is to tell of it on the way.
fn read(
    arguments: &Arguments,
    limit: usize,
    bytes: &mut Vec<u8>,
    watch: &mut Watch,
) -> Result<(), Stop> {
    let (mut input, known) = arguments.source.open().map_err(Stop::Input)?;
    let is_beyond = |length: u64| usize::try_from(length).is_ok_and(|length| length > limit);
    if known.is_some_and(is_beyond) {
        return Err(Stop::Input(too_long(limit)));
    }
    let chunk = arguments.chunk.map(NonZeroUsize::get);
    // A chunk that is longer than the text may be is never full.
    let mut buffer = vec![0; chunk.unwrap_or(ROOM).min(limit.saturating_add(1))];
    let mut out = io::stdout().lock();
    loop {
        let read = match chunk {
            None => some(&mut input, &mut buffer),
            Some(_) => full(&mut input, &mut buffer),
        };
        let name = || arguments.source.name();
        let length = read.map_err(|error| Stop::Input(unreadable(&name(), &error)))?;
        let piece = buffer.get(..length).unwrap_or_default();
        if piece.is_empty() {
            return Ok(());
        }
        bytes.extend_from_slice(piece);
        if bytes.len() > limit {
            return Err(Stop::Input(too_long(limit)));
        }
        let news = watch.push(piece);
        if !news.is_empty() {
            out.write_all(news.as_bytes())
                .and_then(|()| out.flush())
                .map_err(|error| Stop::Output(undelivered(&error)))?;
        }
    }
}

/// Why reading ended before the end.
enum Stop {
    Input(Failure),
    Output(Failure),
}

/// A text that is followed, and how it is shown.
enum Watch {
    /// The value, as one line of JSON.
    Views { stream: Stream, last: String },
    /// The value, indented, for a person.
    Growth { stream: Stream, growth: Growth },
    /// What happens to the value.
    Events(Events),
}

impl Watch {
    /// Takes the next bytes, and gives what there is to write.
    fn push(&mut self, piece: &[u8]) -> String {
        match self {
            Self::Views { stream, last } => {
                stream.push(piece);
                match view::line(&stream.view()) {
                    Some(line) if line != *last => {
                        last.clone_from(&line);
                        line
                    }
                    _ => String::new(),
                }
            }
            Self::Growth { stream, growth } => {
                stream.push(piece);
                let view = stream.view();
                view.root()
                    .map(|root| growth.grow(root, |node| view.state(node)))
                    .unwrap_or_default()
            }
            Self::Events(events) => {
                events.push(piece);
                events.drain().map(|event| event::line(&event)).collect()
            }
        }
    }

    /// The text is complete: what there is to write, and the report of the value or the reason why
    /// there is none.
    fn finish(self, text: &str, options: &Options) -> (String, Result<Report, Failure>) {
        let (mut news, read) = match self {
            Self::Views { stream, .. } => (String::new(), stream.finish()),
            Self::Growth { stream, mut growth } => {
                return match stream.finish() {
                    Ok(parsed) => {
                        let rest = growth.grow(parsed.value.root(), |_| State::Complete);
                        (rest + "\n", Ok(parsed.report))
                    }
                    Err(error) => (line_end(&growth), Err(Failure::from(&error))),
                };
            }
            Self::Events(events) => {
                let news = events.finish().map(|(mut rest, report)| {
                    rest.extend(report.repairs.into_iter().map(Event::Repaired));
                    rest.iter().map(event::line).collect()
                });
                // What was told is not kept; for the whole report the text is read again.
                (news.unwrap_or_default(), parse_with(text, options))
            }
        };
        let read = read.map(|parsed| parsed.report).map_err(|error| Failure::from(&error));
        news.push_str(&match &read {
            Ok(report) => Object::of_value(report, &report.output(text), None).to_last_line(),
            Err(failure) => Object::of_failure(failure).to_last_line(),
        });
        (news, read)
    }

    /// What there is to write if the text could not be read to its end.
    fn refusal(&self, failure: &Failure) -> String {
        match self {
            Self::Growth { growth, .. } => line_end(growth),
            _ => Object::of_failure(failure).to_last_line(),
        }
    }
}

/// The end of the line on a terminal, so that what is said next begins one.
fn line_end(growth: &Growth) -> String {
    String::from(if growth.has_begun() { "\n" } else { "" })
}

/// As many bytes as are there, and one at least, but at the end of the input.
fn some(input: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match input.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

/// As many bytes as `buffer` holds, or all that are left.
fn full(input: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut length = 0;
    while let Some(rest) = buffer.get_mut(length..).filter(|rest| !rest.is_empty()) {
        match some(input, rest)? {
            0 => break,
            read => length += read,
        }
    }
    Ok(length)
}
