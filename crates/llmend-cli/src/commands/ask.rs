//! `llmend ask`: what does a model answer, in the shape that was asked for?

use std::path::PathBuf;

use llmend::{
    Fitted, Value,
    asking::{Answered, Ask, AskError},
    json::{Diagnostic, Severity},
};

use crate::{
    answer::{Answer, Asked, Layout, OutputArguments, Presentation, Shown},
    asking::{Attempts, attempts, gave_up, wait},
    engine::EngineArguments,
    exit::{Exit, Failure},
    fitting::{CoercionArguments, Fit},
    input::{Source, decode},
    models::{ModelArguments, opened, options},
    render::{Colour, Named},
    schemas::load_text,
};

const EXAMPLES: &str = "\
Examples:
  llmend ask --schema city.json --model ollama:llama3 'Where is the Vigeland park?'
  llmend ask --schema city.json --model openai:gpt-4o - < prompt.txt
  llmend ask --schema s.json --provider openai --base-url http://127.0.0.1:8080/v1 --model m 'Go on'
  llmend ask --schema s.json --model replay:trip.jsonl --report json 'A trip, please'

The model is shown the schema and an example. What does not fit is asked for again, with what was wrong
and no more than that. Standard error tells of each attempt; a report has all of them in `ledger`.
Exit status: 0 an answer that fits, 1 none, 2 misused, 3 the model could not be asked.";

/// Ask a model for an answer that fits a schema
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// What is asked; `-` reads it from standard input
    #[arg(value_name = "PROMPT")]
    prompt: String,
    /// The file with the JSON Schema of the answer
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, group = "wanted")]
    schema: PathBuf,
    #[command(flatten)]
    model: ModelArguments,
    #[command(flatten)]
    coercing: CoercionArguments,
    #[command(flatten)]
    output: OutputArguments,
    #[command(flatten)]
    engine: EngineArguments,
}

/// Does it.
pub(crate) fn run(arguments: &Arguments, colour: Colour) -> Result<Exit, clap::Error> {
    let found = arguments.model.load([])?;
    let asking = options(&found)?;
    let engine = arguments.engine.engine_of(&found)?;
    let output = &arguments.output;
    let presentation = Presentation {
        arguments: output,
        shown: Shown::Value,
        asked: Asked::Fit,
        engine: &engine,
        colour,
    };
    let refused = |name: &str, text: &str, failure: &Failure| {
        presentation.failure(Named { name, text }, failure)
    };
    let schema = match load_text(&arguments.schema, colour) {
        Ok(schema) => schema,
        Err(unusable) => return Ok(presentation.failure(unusable.named(), &unusable.failure)),
    };
    let prompt = match prompt(&arguments.prompt, engine.options.max_bytes) {
        Ok(prompt) => prompt,
        Err(failure) => return Ok(refused("<stdin>", "", &failure)),
    };
    let ask = match Ask::of_text(&schema) {
        Ok(ask) => ask.options(asking).fitting(arguments.coercing.options(&engine)),
        Err(error) => {
            let failure = Failure::plain(Exit::Usage, error.code, error.message);
            return Ok(refused(&arguments.schema.display().to_string(), &schema, &failure));
        }
    };
    let model = match opened(&found) {
        Ok(model) => model,
        Err(failure) => return Ok(refused("--model", "", &failure)),
    };
    let shown = if output.quiet { Attempts::Quiet } else { Attempts::Shown };
    let mut callbacks = attempts(shown);
    let name = model.model().name().to_owned();
    let asked = wait(ask.run(&model.model(), &prompt, &mut callbacks));
    drop(callbacks);
    if let Err(failure) = model.close() {
        return Ok(refused(&name, "", &failure));
    }
    Ok(match asked {
        Ok(asked) => told(&presentation, &name, asked),
        Err(failure) => refused(&name, "", &failure),
    })
}

/// Presents what a question came to.
fn told(
    presentation: &Presentation<'_>,
    name: &str,
    asked: Result<Answered<Value<'static>>, AskError>,
) -> Exit {
    let (text, outcome, ledger) = match asked {
        Ok(answered) => {
            let Answered { value, report, coercions, answer, ledger, .. } = answered;
            let fitted = Fitted { value, report, coercions, violations: Vec::new() };
            let json = match presentation.layout() {
                Layout::Kept => fitted.json(&answer).into_owned(),
                Layout::Indented => format!("{:#}", fitted.value),
            };
            let fit = Fit { coercions: fitted.coercions, violations: Vec::new() };
            let outcome =
                Answer { json: json.into(), report: fitted.report, fit: Some(fit), plan: None };
            (answer, Ok(outcome), ledger)
        }
        Err(AskError::GaveUp(end)) => {
            let failure = gave_up(&end);
            (end.answer, Err(failure), end.ledger)
        }
        Err(error) => {
            let row = Diagnostic::new(error.code().to_owned(), Severity::Error, error.to_string());
            let failure = Failure::new(Exit::Refused, vec![row]);
            (String::new(), Err(failure), error.ledger().clone())
        }
    };
    presentation.outcome(Named { name, text: &text }, &outcome, Some(&ledger))
}

/// What is asked, from the command line or from standard input.
pub(super) fn prompt(given: &str, max_bytes: usize) -> Result<String, Failure> {
    if given != "-" {
        return Ok(given.to_owned());
    }
    let bytes = Source::of(std::path::Path::new("-")).read(max_bytes)?;
    decode(&bytes).map(str::to_owned)
}
