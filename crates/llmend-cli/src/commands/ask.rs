//! `llmend ask`: what does a model answer, in the shape that was asked for?

use std::path::PathBuf;

use llmend::{
    Fitted, Value,
    asking::{Ask, AskError, Validity, ValueAnswer},
    json::{Class, Diagnostic, Severity},
};

use crate::{
    answer::{Answer, Asked, Layout, OutputArguments, Presentation, Shown},
    approval::{Approval, declined},
    attempts::{Attempts, attempts, gave_up, plain, wait},
    engine::EngineArguments,
    exit::{Exit, Failure},
    fitting::{CoercionArguments, Fit},
    input::{Source, decode},
    models::{ModelArguments, opened, options},
    render::{Colour, Named, report::gravest},
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
    let asked = wait(ask.run(model.models(), &prompt, &mut callbacks));
    drop(callbacks);
    let exit = match asked {
        Ok(asked) => told(&presentation, model.name(), asked, arguments.model.approval()),
        Err(failure) => refused(model.name(), "", &failure),
    };
    Ok(model.close(exit, colour))
}

/// Presents what a question came to.
fn told(
    presentation: &Presentation<'_>,
    name: &str,
    asked: Result<ValueAnswer<Value<'static>>, AskError>,
    approval: Approval,
) -> Exit {
    let (text, outcome, ledger) = match asked {
        Ok(answered) => {
            let ValueAnswer {
                value,
                validity,
                report,
                coercions,
                violations,
                findings,
                answer,
                ledger,
                ..
            } = answered;
            let fitted = Fitted { value, report, coercions, violations };
            let outcome = match validity {
                Validity::Invalid => Err(handed_back(fitted, findings)),
                _ => Ok(had(fitted, findings, &answer, presentation.layout())),
            };
            let outcome = outcome.and_then(|answer| approved(answer, approval));
            (answer, outcome, ledger)
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

/// A value that is written, also where it was not to be checked.
fn had(
    mut fitted: Fitted,
    findings: Vec<Diagnostic>,
    answer: &str,
    layout: Layout,
) -> Answer<'static> {
    // The violations stand apart; what the loop found beside the text is told with what was found there.
    let is_said = |row: &Diagnostic| row.severity != Severity::Error;
    for row in findings.into_iter().filter(is_said) {
        if !fitted.report.diagnostics.contains(&row) {
            fitted.report.diagnostics.push(row);
        }
    }
    let json = match layout {
        Layout::Kept => fitted.json(answer).into_owned(),
        Layout::Indented => format!("{:#}", fitted.value),
    };
    let fit = Fit { coercions: fitted.coercions, violations: fitted.violations };
    Answer { json: json.into(), report: fitted.report, fit: Some(fit), plan: None }
}

/// An answer that was guessed only if the person agrees, where there is one to ask.
pub(super) fn approved(answer: Answer<'_>, approval: Approval) -> Result<Answer<'_>, Failure> {
    let class = gravest(&answer.report, answer.fit.as_ref());
    let guessed = class.filter(|class| *class >= Class::Guess);
    let mut reasons: Vec<String> = Vec::new();
    reasons.extend(guessed.map(|_| "the answer was read by a guess".to_owned()));
    let told = |row: &&Diagnostic| row.severity == Severity::Warning;
    let warnings = answer.report.diagnostics.iter().filter(told);
    reasons.extend(warnings.map(|row| plain(&row.message)));
    if approval.given(&reasons) { Ok(answer) } else { Err(declined()) }
}

/// The refusal of the last value, which a preset hands back although it is not what was asked for.
fn handed_back(fitted: Fitted, findings: Vec<Diagnostic>) -> Failure {
    let fit = Fit { coercions: fitted.coercions, violations: fitted.violations };
    // What the report tells of the text is told from there.
    let report = fitted.report;
    let findings = findings.into_iter().filter(|row| !report.diagnostics.contains(row)).collect();
    Failure {
        report: Some(Box::new(report)),
        fit: Some(Box::new(fit)),
        ..Failure::new(Exit::Refused, findings)
    }
}

/// What is asked, from the command line or from standard input.
pub(super) fn prompt(given: &str, max_bytes: usize) -> Result<String, Failure> {
    if given != "-" {
        return asked_for(given.to_owned());
    }
    let bytes = Source::of(std::path::Path::new("-")).read(max_bytes)?;
    decode(&bytes).map(str::to_owned).and_then(asked_for)
}

/// The refusal to ask nothing.
fn asked_for(prompt: String) -> Result<String, Failure> {
    if prompt.trim().is_empty() {
        return Err(Failure::plain(Exit::Usage, "model/no-question", "there is nothing to ask"));
    }
    Ok(prompt)
}
