//! `llmend stream`: what JSON is in this answer, while it is being written?

use std::{
    borrow::Cow,
    io::{self, IsTerminal, Read, Write},
    num::NonZeroUsize,
};

use llmend::{
    FitOptions, FitParts, Schema,
    json::{Error, Event, Events, Options, Report, State, Stream, parse_with},
};

use crate::{
    answer::{Answer, Layout, Voice},
    engine::EngineArguments,
    exit::{Exit, Failure},
    fitting::{SchemaArguments, fitted},
    input::{Source, decode, lossy, too_long, unreadable},
    output::{deliver, undelivered},
    render::{Colour, Named, event, growth::Growth, report::Object, view},
    schemas::load,
};

const EXAMPLES: &str = "\
Examples:
  llmend stream --chunk 20 answer.txt         as if it arrived 20 bytes at a time
  some-model | llmend stream                  on a terminal: the value is written as it grows
  some-model | llmend stream | some-program   elsewhere: a line of JSON whenever it has changed
  some-model | llmend stream --events         a line for each thing that happens, without the rest
  llmend stream --choice best answer.txt      nothing before the end, but the best value
  some-model | llmend stream --schema s.json --events   and what does not fit, as soon as it is known

A line of --views is an object: \"value\" is the value so far, and \"state\" tells whether it is
complete, partial (there may be more) or pending (more has arrived, and waits until it is clear
what it means). \"open\" lists the parts that are not complete, each with its JSON Pointer and its
state. What a line has shown stays in all later ones.

A line of --events has \"event\" and, of the part that it is about, \"path\": `opened` (with \"kind\":
object, array or string), `grew` (a string, by \"text\"), `completed` (a scalar, with \"value\" unless it
is a string), `closed` (an object or array, with all that it holds), `repeated` (the key stood there
before, and its old value counts no more). `repaired` has the members of a repair in a report.
With --schema, `fitted` has \"coercions\" and \"violations\" of a part that is complete, if there are
any: a member, an item, and then what they stand in.

The last line of both is {\"final\": REPORT}, with the object that `llmend repair --report json` writes
under the same --choice and --schema. What is shown before is what the text says: only \"final\" has
the value as it was made to fit.
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
    schema: SchemaArguments,
    #[command(flatten)]
    engine: EngineArguments,
}

/// Does it.
pub(crate) fn run(arguments: &Arguments, colour: Colour) -> Result<Exit, clap::Error> {
    let mut engine = arguments.engine.engine()?;
    let wanted = match &arguments.schema.schema {
        None => None,
        Some(path) => match load(path, colour).map_err(|none| none.say(colour)) {
            Ok(schema) => {
                engine.options.hints = schema.hints();
                Some(Wanted { options: arguments.schema.coercing.options(&engine), schema })
            }
            Err(exit) => return Ok(exit),
        },
    };
    let voice = Voice { explain: false, quiet: arguments.quiet, engine: &engine, colour };
    let stream = || Stream::new(engine.options.clone());
    let watch = if arguments.events {
        let parts = wanted.as_ref().map(|wanted| Box::new(wanted.parts()));
        Watch::Events { events: Events::new(engine.options.clone()), parts }
    } else if arguments.views || !io::stdout().is_terminal() {
        Watch::Views { stream: stream(), last: String::new() }
    } else {
        Watch::Growth { stream: stream(), growth: Growth::default() }
    };
    Ok(follow(watch, arguments, wanted.as_ref(), &voice))
}

/// What the value has to fit.
struct Wanted {
    schema: Schema,
    options: FitOptions,
}

impl Wanted {
    fn parts(&self) -> FitParts {
        FitParts::new(self.options.clone(), self.schema.clone())
    }
}

/// Follows the text to its end, and ends the command.
fn follow(
    mut watch: Watch,
    arguments: &Arguments,
    wanted: Option<&Wanted>,
    voice: &Voice<'_>,
) -> Exit {
    let options = &voice.engine.options;
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
        Ok(text) => (Cow::Borrowed(text), watch.finish(text, wanted, options)),
        Err((text, failure)) => (Cow::Owned(text), (watch.refusal(&failure, wanted), Err(failure))),
    };
    let source = Named { name: &name, text: &text };
    let written = deliver(&[&last]);
    match result {
        Ok(answer) => {
            if written.is_ok() {
                voice.of_answer(source, &answer);
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
    /// What happens to the value, and what does not fit.
    Events { events: Events, parts: Option<Box<FitParts>> },
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
            Self::Events { events, parts } => {
                events.push(piece);
                let mut news: String = events.drain().map(|event| event::line(&event)).collect();
                if let Some(parts) = parts {
                    parts.push(piece);
                    while let Some(part) = parts.next_part() {
                        news.push_str(&event::of_part(&part));
                    }
                }
                news
            }
        }
    }

    /// The text is complete: what there is to write, and the answer or the reason why there is none.
    fn finish<'t>(
        self,
        text: &'t str,
        wanted: Option<&Wanted>,
        options: &Options,
    ) -> (String, Result<Answer<'t>, Failure>) {
        let (mut news, report) = match self {
            Self::Views { stream, .. } => (String::new(), stream.finish().map(|it| it.report)),
            Self::Growth { stream, mut growth } => {
                let (shown, report) = match stream.finish() {
                    Ok(parsed) => {
                        let rest = growth.grow(parsed.value.root(), |_| State::Complete);
                        (rest + "\n", Ok(parsed.report))
                    }
                    Err(error) => (line_end(&growth), Err(error)),
                };
                return (shown, answer(text, report, wanted));
            }
            Self::Events { events, parts } => {
                let news = events.finish().map(|(mut rest, report)| {
                    rest.extend(report.repairs.into_iter().map(Event::Repaired));
                    rest.iter().map(event::line).collect()
                });
                let mut news: String = news.unwrap_or_default();
                if let Some(Ok((rest, _))) = parts.map(|parts| parts.finish()) {
                    news.extend(rest.iter().map(event::of_part));
                }
                // What was told is not kept; for the whole report the text is read again.
                (news, parse_with(text, options).map(|it| it.report))
            }
        };
        let read = answer(text, report, wanted);
        news.push_str(&last_line(read.as_ref(), wanted));
        (news, read)
    }

    /// What there is to write if the text could not be read to its end.
    fn refusal(&self, failure: &Failure, wanted: Option<&Wanted>) -> String {
        match self {
            Self::Growth { growth, .. } => line_end(growth),
            _ => last_line(Err(failure), wanted),
        }
    }
}

/// The answer that `text` is, with this report; as it is made to fit, if it has to.
fn answer<'t>(
    text: &'t str,
    report: Result<Report, Error>,
    wanted: Option<&Wanted>,
) -> Result<Answer<'t>, Failure> {
    let report = report.map_err(|error| Failure::from(&error))?;
    match wanted {
        Some(Wanted { schema, options }) => fitted(text, schema, options, Layout::Kept),
        None => Ok(Answer { json: report.output(text), report, fit: None, plan: None }),
    }
}

/// The last line that a program reads.
fn last_line(read: Result<&Answer<'_>, &Failure>, wanted: Option<&Wanted>) -> String {
    let object = match read {
        Ok(answer) => Object::of_answer(answer),
        Err(failure) => Object::of_failure(failure),
    };
    if wanted.is_some() { object.with_schema().to_last_line() } else { object.to_last_line() }
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
