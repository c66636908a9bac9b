//! `llmend ask`: an answer from a model that fits a schema.

use std::{num::NonZeroU32, path::PathBuf, time::Duration};

use llmend::{
    Fitted, Value,
    asking::{Ask, AskError, Ledger, Validity, ValueAnswer},
    json::{Diagnostic, Severity},
    model::starred,
};

use crate::{
    approval::{Approval, approved},
    attempts::{Attempts, attempts, wait},
    dry_run::dry_run,
    exit::{Exit, UsageError},
    flags::{CoercionFlags, EngineFlags, ModelFlags, OutputFlags},
    input::read_prompt,
    masking::without_keys,
    models::{OpenModels, open_models, options},
    outcome::{Answer, Failure, Fit, Layout},
    output::eprint_block,
    presentation::{Presentation, ResultKind, Stdout},
    render::{Color, Named, explain::warnings},
    schemas::load_text,
};

const EXAMPLES: &str = "\
Examples:
  llmend ask --schema city.json --model ollama:llama3 'Where is the Vigeland park?'
  llmend ask --schema city.json --model openai:gpt-4o - < prompt.txt
  llmend ask --schema s.json --provider openai --base-url http://127.0.0.1:8080/v1 --model m 'Go on'
  llmend ask --schema s.json --model replay:trip.jsonl --report json 'A trip, please'
  llmend ask --schema s.json --model openai:gpt-4o --samples 5 'A trip, please'

The model gets the schema and an example. If its answer does not fit, it is asked again for the parts that
are wrong. Attempts are printed to standard error; a report lists them in `ledger`.
Exit status: 0 answer fits, 1 no usable answer, 2 usage error, 3 model unreachable.";

/// The code of a part on which samples differ.
const DISAGREEMENT: &str = "ask/disagreement";

/// Ask a model for an answer that fits a schema
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct AskArguments {
    /// The prompt; `-` reads it from standard input
    #[arg(value_name = "PROMPT")]
    prompt: String,
    /// The JSON Schema of the answer
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, group = "wanted")]
    schema: PathBuf,
    #[command(flatten)]
    model: ModelFlags,
    /// Ask this many times, and take the value that most answers agree on, field by field
    #[arg(long, value_name = "N", default_value = "1", hide_default_value = true, value_parser = clap::value_parser!(u32).range(1..=100), help_heading = "Model")]
    samples: u32,
    /// Print the first request as it would be sent, and send nothing
    #[arg(long, help_heading = "Model")]
    dry_run: bool,
    #[command(flatten)]
    coercing: CoercionFlags,
    #[command(flatten)]
    output: OutputFlags,
    #[command(flatten)]
    engine: EngineFlags,
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &AskArguments, color: Color) -> Result<Exit, UsageError> {
    let found = arguments.model.load([])?;
    let asking = options(&found)?;
    let engine = arguments.engine.engine_with(found.settings())?;
    let output = arguments.output.output();
    let presentation = Presentation {
        output,
        stdout: Stdout::Value,
        kind: ResultKind::Fit,
        engine: &engine,
        color,
    };
    let refused = |name: &str, text: &str, failure: &Failure| {
        presentation.failure(Named { name, text }, failure)
    };
    let schema = match load_text(&arguments.schema, color) {
        Ok(schema) => schema,
        Err(unusable) => return Ok(presentation.failure(unusable.named(), &unusable.failure)),
    };
    let prompt = match read_prompt(&arguments.prompt, engine.options.max_bytes) {
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
    if arguments.dry_run {
        return Ok(dry_run(&presentation, &found, |model| {
            let mut driven = ask.manual_loop(prompt, vec![model]);
            driven.next(Duration::ZERO).map(|first| first.request.clone())
        }));
    }
    let model = match open_models(&found) {
        Ok(model) => model,
        Err(failure) => return Ok(refused("--model", "", &failure)),
    };
    let shown = if output.quiet { Attempts::Quiet } else { Attempts::Shown };
    let mut callbacks = attempts(shown);
    let samples = NonZeroU32::new(arguments.samples).unwrap_or(NonZeroU32::MIN);
    let asked = wait(async {
        match samples.get() {
            1 => ask.run(model.models(), &prompt, &mut callbacks).await,
            _ => ask.run_samples(model.models(), &prompt, samples, &mut callbacks).await,
        }
    });
    drop(callbacks);
    let exit = match asked {
        Ok(asked) => present(&presentation, &model, asked, arguments.model.approval()),
        Err(failure) => refused(model.name(), "", &failure),
    };
    Ok(model.close(exit, color))
}

/// Presents the outcome of asking.
fn present(
    presentation: &Presentation<'_>,
    model: &OpenModels,
    asked: Result<ValueAnswer<Value<'static>>, AskError>,
    approval: Approval,
) -> Exit {
    let Asked { text, outcome, ledger } = Asked::of(asked, model, presentation.layout());
    if let Ok(answer) = &outcome
        && !presentation.output.quiet
    {
        let rows = answer.report.diagnostics.iter();
        let rows: Vec<_> = rows.filter(|row| row.code == DISAGREEMENT).cloned().collect();
        eprint_block(&warnings(Named { name: model.name(), text: "" }, &rows, presentation.color));
    }
    let starred = starred(&text);
    let color = presentation.color;
    let outcome = outcome.and_then(|answer| approved(answer, &text, None, approval, color));
    // The answer is shown around its findings.
    let shown = Named { name: model.name(), text: &starred };
    presentation.outcome(shown, &outcome, Some(model.spending(&ledger)))
}

/// What came of asking.
pub(super) struct Asked {
    /// The last answer of the model.
    pub(super) text: String,
    pub(super) outcome: Result<Answer<'static>, Failure>,
    pub(super) ledger: Ledger,
}

impl Asked {
    pub(super) fn of(
        asked: Result<ValueAnswer<Value<'static>>, AskError>,
        model: &OpenModels,
        layout: Layout,
    ) -> Self {
        match asked {
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
                    Validity::Invalid => Err(rejected(fitted, findings)),
                    _ => Ok(answer_of(fitted, findings, &answer, layout)),
                };
                Self { text: answer, outcome: without_keys(outcome), ledger }
            }
            Err(AskError::GaveUp(end)) => {
                let failure = model.gave_up(&end);
                Self { text: end.answer, outcome: without_keys(Err(failure)), ledger: end.ledger }
            }
            Err(error) => {
                let (code, ledger) = (error.code().to_owned(), error.ledger().clone());
                let row = Diagnostic::new(code, Severity::Error, error.to_string());
                let failure = Failure::new(Exit::Refused, vec![row]);
                Self { text: String::new(), outcome: Err(failure), ledger }
            }
        }
    }
}

/// Returns the answer of a value that is accepted, checked or not.
fn answer_of(
    mut fitted: Fitted,
    findings: Vec<Diagnostic>,
    answer: &str,
    layout: Layout,
) -> Answer<'static> {
    // Violations are separate; other findings of the loop join those of the text.
    let is_no_error = |row: &Diagnostic| row.severity != Severity::Error;
    for row in findings.into_iter().filter(is_no_error) {
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

/// Returns the failure of an invalid value that the preset returns after the last attempt.
fn rejected(fitted: Fitted, findings: Vec<Diagnostic>) -> Failure {
    let fit = Fit { coercions: fitted.coercions, violations: fitted.violations };
    // Findings in the report are shown from there.
    let report = fitted.report;
    let findings = findings.into_iter().filter(|row| !report.diagnostics.contains(row)).collect();
    Failure {
        report: Some(Box::new(report)),
        fit: Some(Box::new(fit)),
        ..Failure::new(Exit::Refused, findings)
    }
}
