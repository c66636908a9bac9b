//! `llmend stream`: the JSON in an answer as it arrives.

use std::{
    borrow::Cow,
    io::{self, IsTerminal, Read, Write},
    num::NonZeroUsize,
};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use llmend::{
    FitOptions, FitParts, FitText, Schema,
    json::{Choice, Error, Event, Events, Options, Report, State, Stream, parse_with},
};

use crate::{
    exit::{Exit, UsageError},
    fitting::{answered, fitted, unread},
    flags::{EngineFlags, SchemaFlags, SourceFlags, ToolFlags},
    input::{decode, lossy, too_long, unreadable},
    outcome::{Answer, Failure, Layout},
    output::{stdout_failed, write_stdout},
    presentation::Stderr,
    render::{Color, Named, event, growth::Growth, report::ReportObject, view},
    schemas::load,
};

mod calls;
mod values;

use values::ValueLines;

const EXAMPLES: &str = "\
Examples:
  llmend stream --chunk 20 answer.txt         simulate 20 bytes arriving at a time
  some-model | llmend stream                  on a terminal, write the value as it grows
  some-model | llmend stream | some-program   else, write a line of JSON per change
  some-model | llmend stream --events         write a line per event
  llmend stream --choice best answer.txt      write the best value at the end
  some-model | llmend stream --choice all     write each of several values as it closes
  some-model | llmend stream --choice all --schema item.json    fit each of them to the schema of one
  some-model | llmend stream --schema s.json --events   report violations as they occur
  some-model | llmend stream --as calls --tools tools.json   write a line per event of a tool call

A line of --views is an object: \"value\" is the value so far, and \"state\" is complete, partial (more may
follow) or pending (more has arrived, but its meaning is not clear yet). \"open\" lists the incomplete
parts, each with its JSON Pointer and state. What a line shows stays in all later lines.

With --choice all, a line is written for each value once it is complete: its \"index\" and \"value\", or on a
terminal the value alone. With --schema, which is the schema of one value then, it is the value that fits,
with its \"coercions\" and \"violations\" if there are any, and \"final\" has the list of all.

A line of --events has \"event\" and the \"path\" of a part: `opened` (with \"kind\": object, array or
string), `grew` (a string, by \"text\"), `completed` (a scalar, with \"value\" unless it is a string),
`closed` (an object or array), `repeated` (a duplicate key, which replaces the earlier value).
`repaired` has the members of a repair in a report. With --schema, `fitted` has the \"coercions\" and
\"violations\" of a complete part, if there are any.

A line of --as calls has \"event\": `text` and `reasoning` (with \"text\"), `started` (a call, with its
\"index\", \"name\" and \"id\"), `arguments` (with the next part of their JSON text as \"delta\"), `done` (with
the \"call\"), `abandoned` (the started call is none), `refused` (with the reason), and `all-reasoning`
(what came so far was reasoning, and its calls drafts). \"final\" is the report of `llmend calls`.

The last line of all is {\"final\": REPORT}, with the object that `llmend repair --report json` writes
for the same --choice and --schema. With --schema, the lines of --views have its names and types; what
may still be converted or renamed is shown once it is complete. Those of --events, and what is shown on a
terminal, have the text's own.
Exit status: 0 value, 1 refused, 2 usage error, 3 input or output failed.";

/// The default maximum of bytes per chunk: the capacity of a pipe.
const ROOM: usize = 1 << 16;

/// Read a model's answer while it arrives
#[derive(Debug, clap::Args)]
#[command(
    after_help = EXAMPLES,
    mut_args(|arg| match arg.get_id().as_str() {
        "choice" => arg.default_value("first"),
        "tools" | "marked" | "notation" | "in_reasoning" => arg.requires("form"),
        _ => arg,
    })
)]
pub(crate) struct StreamArguments {
    #[command(flatten)]
    source: SourceFlags,
    /// The number of bytes to read at a time [default: as many as are available]
    #[arg(long, value_name = "BYTES")]
    chunk: Option<NonZeroUsize>,
    /// Write the value as a line of JSON on every change; the default unless on a terminal
    #[arg(long, help_heading = "Output")]
    views: bool,
    /// Write a line of JSON for each event
    #[arg(long, conflicts_with = "views", help_heading = "Output")]
    events: bool,
    /// Read the tool calls in the answer, and write a line of JSON for each event: calls
    #[arg(
        long = "as",
        value_name = "FORM",
        value_parser = forms(),
        hide_possible_values = true,
        conflicts_with_all = ["views", "events", "schema"],
        help_heading = "Output"
    )]
    form: Option<StreamForm>,
    /// Do not print the summary
    #[arg(long, short, help_heading = "Output")]
    quiet: bool,
    #[command(flatten)]
    schema: SchemaFlags,
    #[command(flatten)]
    tools: ToolFlags,
    #[command(flatten)]
    engine: EngineFlags,
}

/// What is read beside values.
#[derive(Clone, Copy, Debug)]
enum StreamForm {
    /// Tool calls.
    Calls,
}

fn forms() -> impl TypedValueParser<Value = StreamForm> {
    PossibleValuesParser::new(["calls"]).map(|_| StreamForm::Calls)
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &StreamArguments, color: Color) -> Result<Exit, UsageError> {
    let mut engine = arguments.engine.engine()?;
    if let Some(StreamForm::Calls) = arguments.form {
        let tools = match arguments.tools.load(color) {
            Ok(tools) => tools,
            Err(unusable) => return Ok(unusable.print(color)),
        };
        let fitting = arguments.schema.coercing.options(&engine);
        let options = arguments.tools.calls.options(fitting);
        let stderr = Stderr { explain: false, quiet: arguments.quiet, engine: &engine, color };
        return Ok(calls::follow(arguments, tools, &options, &stderr));
    }
    let target = match &arguments.schema.schema {
        None => None,
        Some(path) => match load(path, color).map_err(|none| none.print(color)) {
            Ok(schema) => {
                engine.options.hints = schema.hints();
                Some(FitTarget { options: arguments.schema.coercing.options(&engine), schema })
            }
            Err(exit) => return Ok(exit),
        },
    };
    let stderr = Stderr { explain: false, quiet: arguments.quiet, engine: &engine, color };
    let stream = || Stream::new(engine.options.clone());
    let follower = if arguments.events {
        let parts = target.as_ref().map(|target| Box::new(target.parts()));
        Follower::Events { events: Events::new(engine.options.clone()), parts }
    } else if engine.options.choice == Choice::All {
        let bare = !arguments.views && io::stdout().is_terminal();
        match ValueLines::new(&engine.options, target.as_ref(), bare) {
            Ok(values) => Follower::Values(values),
            Err(failure) => {
                stderr.failure(Named { name: "schema", text: "" }, &failure);
                return Ok(failure.exit);
            }
        }
    } else if arguments.views || !io::stdout().is_terminal() {
        match target.as_ref() {
            None => Follower::Views { stream: stream(), last: String::new() },
            Some(target) => Follower::Fitted { text: Box::new(target.text()), last: String::new() },
        }
    } else {
        Follower::Growth { stream: stream(), growth: Growth::default() }
    };
    Ok(follow(follower, arguments, target.as_ref(), &stderr))
}

/// The schema and the options of fitting.
struct FitTarget {
    schema: Schema,
    options: FitOptions,
}

impl FitTarget {
    fn text(&self) -> FitText {
        FitText::new(self.options.clone(), self.schema.clone())
    }

    fn parts(&self) -> FitParts {
        FitParts::new(self.options.clone(), self.schema.clone())
    }
}

/// Follows the text to its end. Returns the exit status.
fn follow(
    mut follower: Follower,
    arguments: &StreamArguments,
    target: Option<&FitTarget>,
    stderr: &Stderr<'_>,
) -> Exit {
    let options = &stderr.engine.options;
    let name = arguments.source.source().name();
    let mut bytes = Vec::new();
    let mut push = |piece: &[u8]| follower.push(piece);
    let read = match read(arguments, options.max_bytes, &mut bytes, &mut push) {
        Ok(()) => decode(&bytes).map_err(|failure| (lossy(&bytes, &failure), failure)),
        Err(Stop::Input(failure)) => Err((String::new(), failure)),
        Err(Stop::Output(failure)) => {
            return stderr.after(Named { name: &name, text: "" }, Err(failure), Exit::Io);
        }
    };
    let (text, (last, result)) = match read {
        Ok(text) => (Cow::Borrowed(text), follower.finish(text, target, options)),
        Err((text, failure)) => {
            (Cow::Owned(text), (follower.refusal(&failure, target), Err(failure)))
        }
    };
    let source = Named { name: &name, text: &text };
    let written = write_stdout(&[&last]);
    match result {
        Ok(answer) => {
            if written.is_ok() {
                stderr.answer(source, &answer);
            }
            stderr.after(source, written, Exit::Value)
        }
        Err(failure) => {
            stderr.failure(source, &failure);
            stderr.after(source, written, failure.exit)
        }
    }
}

/// Reads the text to its end into `bytes`, and writes on the way what `push` makes of each piece.
fn read(
    arguments: &StreamArguments,
    limit: usize,
    bytes: &mut Vec<u8>,
    push: &mut impl FnMut(&[u8]) -> String,
) -> Result<(), Stop> {
    let (mut input, known) = arguments.source.source().open().map_err(Stop::Input)?;
    let is_beyond = |length: u64| usize::try_from(length).is_ok_and(|length| length > limit);
    if known.is_some_and(is_beyond) {
        return Err(Stop::Input(too_long(limit)));
    }
    let chunk = arguments.chunk.map(NonZeroUsize::get);
    // A chunk longer than the limit would never be full.
    let mut buffer = vec![0; chunk.unwrap_or(ROOM).min(limit.saturating_add(1))];
    let mut out = io::stdout().lock();
    loop {
        let read = match chunk {
            None => some(&mut input, &mut buffer),
            Some(_) => full(&mut input, &mut buffer),
        };
        let name = || arguments.source.source().name();
        let length = read.map_err(|error| Stop::Input(unreadable(&name(), &error)))?;
        let piece = buffer.get(..length).unwrap_or_default();
        if piece.is_empty() {
            return Ok(());
        }
        bytes.extend_from_slice(piece);
        if bytes.len() > limit {
            return Err(Stop::Input(too_long(limit)));
        }
        let news = push(piece);
        if !news.is_empty() {
            out.write_all(news.as_bytes())
                .and_then(|()| out.flush())
                .map_err(|error| Stop::Output(stdout_failed(&error)))?;
        }
    }
}

/// Why reading stopped early.
enum Stop {
    Input(Failure),
    Output(Failure),
}

/// A text that is followed, by form of output.
enum Follower {
    /// The value as a line of JSON.
    Views { stream: Stream, last: String },
    /// The value as a line of JSON, in the names and types of the schema.
    Fitted { text: Box<FitText>, last: String },
    /// A line for each of several values.
    Values(ValueLines),
    /// The indented value on a terminal.
    Growth { stream: Stream, growth: Growth },
    /// Events, and violations of the schema.
    Events { events: Events, parts: Option<Box<FitParts>> },
}

impl Follower {
    /// Takes the next bytes. Returns what to write.
    fn push(&mut self, piece: &[u8]) -> String {
        match self {
            Self::Views { stream, last } => {
                stream.push(piece);
                changed(view::line(&stream.view()), last)
            }
            Self::Fitted { text, last } => {
                text.push(piece);
                changed(text.fitted_view().map(|fitted| view::of_fitted(&fitted)), last)
            }
            Self::Values(values) => values.push(piece),
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

    /// Ends the text. Returns what to write, and the answer or the failure.
    fn finish<'t>(
        self,
        text: &'t str,
        target: Option<&FitTarget>,
        options: &Options,
    ) -> (String, Result<Answer<'t>, Failure>) {
        let (mut news, report) = match self {
            Self::Views { stream, .. } => (String::new(), stream.finish().map(|it| it.report)),
            Self::Fitted { text: fitted, .. } => {
                let read = fitted.finish().map_err(|error| unread(&error));
                let read = read.and_then(|fitted| answered(fitted, text, Layout::Kept));
                return (last_line(read.as_ref(), target), read);
            }
            Self::Values(values) => {
                let bare = values.bare;
                let (mut lines, read) = values.finish(text);
                if !bare {
                    lines.push_str(&last_line(read.as_ref(), target));
                }
                return (lines, read);
            }
            Self::Growth { stream, mut growth } => {
                let (shown, report) = match stream.finish() {
                    Ok(parsed) => {
                        let rest = growth.grow(parsed.value.root(), |_| State::Complete);
                        (rest + "\n", Ok(parsed.report))
                    }
                    Err(error) => (line_end(&growth), Err(error)),
                };
                return (shown, answer(text, report, target));
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
                // Events are not kept; the text is parsed again for the whole report.
                (news, parse_with(text, options).map(|it| it.report))
            }
        };
        let read = answer(text, report, target);
        news.push_str(&last_line(read.as_ref(), target));
        (news, read)
    }

    /// Returns what to write if the text could not be read to its end.
    fn refusal(&self, failure: &Failure, target: Option<&FitTarget>) -> String {
        match self {
            Self::Growth { growth, .. } => line_end(growth),
            Self::Values(ValueLines { bare: true, .. }) => String::new(),
            _ => last_line(Err(failure), target),
        }
    }
}

/// Returns a line, and remembers it, unless it is the `last` one.
fn changed(line: Option<String>, last: &mut String) -> String {
    match line {
        Some(line) if line != *last => {
            last.clone_from(&line);
            line
        }
        _ => String::new(),
    }
}

/// Returns the answer, fitted to the schema if there is one.
fn answer<'t>(
    text: &'t str,
    report: Result<Report, Error>,
    target: Option<&FitTarget>,
) -> Result<Answer<'t>, Failure> {
    let report = report.map_err(|error| Failure::from(&error))?;
    match target {
        Some(FitTarget { schema, options }) => fitted(text, schema, options, Layout::Kept),
        None => Ok(Answer { json: report.output(text), report, fit: None, plan: None }),
    }
}

/// Returns the last line, for a program.
fn last_line(read: Result<&Answer<'_>, &Failure>, target: Option<&FitTarget>) -> String {
    let object = match read {
        Ok(answer) => ReportObject::of_answer(answer),
        Err(failure) => ReportObject::of_failure(failure),
    };
    if target.is_some() { object.with_schema().to_last_line() } else { object.to_last_line() }
}

/// Ends the line on a terminal, so that the next message starts a new one.
fn line_end(growth: &Growth) -> String {
    String::from(if growth.has_begun() { "\n" } else { "" })
}

/// Reads at least one byte, unless at the end of the input.
fn some(input: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match input.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

/// Fills `buffer`, unless the input ends.
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
