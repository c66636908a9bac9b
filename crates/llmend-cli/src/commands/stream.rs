//! `llmend stream`: what JSON is in this answer, while it is being written?

use std::{
    io::{self, IsTerminal, Read, Write},
    num::NonZeroUsize,
};

use llmend::json::{State, Stream};

use crate::{
    answer::{Voice, strict_text},
    engine::{Engine, EngineArguments},
    exit::{Exit, Failure},
    input::{Source, decode, lossy, too_long, unreadable},
    output::{deliver, undelivered},
    render::{Colour, Named, growth::Growth, report::Object, view},
};

const EXAMPLES: &str = "\
Examples:
  llmend stream --chunk 20 answer.txt         as if it arrived 20 bytes at a time
  some-model | llmend stream                  on a terminal: the value is written as it grows
  some-model | llmend stream | some-program   elsewhere: a line of JSON whenever it has changed
  llmend stream --choice best answer.txt      nothing before the end, but the best value

A line of --views is an object: \"value\" is the value so far, and \"state\" tells whether it is
complete, partial (there may be more) or pending (more has arrived, and waits until it is clear
what it means). \"open\" lists the parts that are not complete, each with its JSON Pointer and its
state. What a line has shown stays in all later ones. The last line is {\"final\": REPORT}, with the
object that `llmend repair --report json` writes, under the same --choice.
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
    let screen = if arguments.views || !io::stdout().is_terminal() {
        Screen::Lines { last: String::new() }
    } else {
        Screen::Growth(Growth::default())
    };
    let watch = Watch { stream: Stream::new(engine.options.clone()), bytes: Vec::new(), screen };
    Ok(watch.run(arguments, &engine, &voice))
}

/// Where the value is shown while it grows.
enum Screen {
    /// One JSON object a line, and the last one.
    Lines { last: String },
    /// The indented value, written on.
    Growth(Growth),
}

/// A text that is read, and what has come of it.
struct Watch {
    stream: Stream,
    /// All that was read: the report is made from it.
    bytes: Vec<u8>,
    screen: Screen,
}

impl Watch {
    fn run(mut self, arguments: &Arguments, engine: &Engine, voice: &Voice<'_>) -> Exit {
        let name = arguments.source.name();
        let read = self.read(&arguments.source, arguments.chunk, engine.options.max_bytes);
        let Self { stream, bytes, mut screen } = self;
        let bare = Named { name: &name, text: "" };
        let text = match read {
            Err(Stop::Output(failure)) => return voice.after(bare, Err(failure), Exit::Io),
            Err(Stop::Input(failure)) => return screen.refuse(voice, bare, &failure),
            Ok(()) => match decode(&bytes) {
                Ok(text) => text,
                Err(failure) => {
                    let text = lossy(&bytes, &failure);
                    return screen.refuse(voice, Named { name: &name, text: &text }, &failure);
                }
            },
        };
        let source = Named { name: &name, text };
        match stream.finish() {
            Err(error) => screen.refuse(voice, source, &Failure::from(&error)),
            Ok(parsed) => {
                let last = match &mut screen {
                    Screen::Lines { .. } => {
                        let json = strict_text(text, &parsed.report);
                        Object::of_value(&parsed.report, &json).to_last_line()
                    }
                    Screen::Growth(growth) => {
                        growth.grow(parsed.value.root(), |_| State::Complete) + "\n"
                    }
                };
                let written = deliver(&[&last]);
                if written.is_ok() {
                    voice.of_value(source, &parsed.report);
                }
                voice.after(source, written, Exit::Value)
            }
        }
    }

    /// Reads the text to its end, and shows the value whenever it has changed.
    fn read(
        &mut self,
        source: &Source,
        chunk: Option<NonZeroUsize>,
        limit: usize,
    ) -> Result<(), Stop> {
        let (mut input, known) = source.open().map_err(Stop::Input)?;
        let is_beyond = |length: u64| usize::try_from(length).is_ok_and(|length| length > limit);
        if known.is_some_and(is_beyond) {
            return Err(Stop::Input(too_long(limit)));
        }
        let mut buffer = vec![0; chunk.map_or(ROOM, NonZeroUsize::get).min(ROOM.max(limit))];
        let mut out = io::stdout().lock();
        loop {
            let read = match chunk {
                None => some(&mut input, &mut buffer),
                Some(_) => full(&mut input, &mut buffer),
            };
            let length = read.map_err(|error| Stop::Input(unreadable(&source.name(), &error)))?;
            let piece = buffer.get(..length).unwrap_or_default();
            if piece.is_empty() {
                return Ok(());
            }
            self.bytes.extend_from_slice(piece);
            if self.bytes.len() > limit {
                return Err(Stop::Input(too_long(limit)));
            }
            self.stream.push(piece);
            let news = self.screen.news(&mut self.stream);
            if !news.is_empty() {
                out.write_all(news.as_bytes())
                    .and_then(|()| out.flush())
                    .map_err(|error| Stop::Output(undelivered(&error)))?;
            }
        }
    }
}

/// Why reading ended before the end.
enum Stop {
    Input(Failure),
    Output(Failure),
}

impl Screen {
    /// What is to be written since the last time.
    fn news(&mut self, stream: &mut Stream) -> String {
        let view = stream.view();
        match self {
            Self::Growth(growth) => view
                .root()
                .map(|root| growth.grow(root, |node| view.state(node)))
                .unwrap_or_default(),
            Self::Lines { last } => match view::line(&view) {
                Some(line) if line != *last => {
                    last.clone_from(&line);
                    line
                }
                _ => String::new(),
            },
        }
    }

    /// Says why there is no value, and ends.
    fn refuse(&self, voice: &Voice<'_>, source: Named<'_>, failure: &Failure) -> Exit {
        let last = match self {
            Self::Lines { .. } => Object::of_failure(failure).to_last_line(),
            // What is said does not begin in the middle of a line.
            Self::Growth(growth) => String::from(if growth.has_begun() { "\n" } else { "" }),
        };
        let written = deliver(&[&last]);
        voice.of_failure(source, failure);
        voice.after(source, written, failure.exit)
    }
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
