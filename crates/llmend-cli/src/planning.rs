//! How is a plan read and checked, and what is written of it?

use std::{error::Error as _, path::PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use llmend::{
    Dialect, Fixes, PlanningError, Review, ReviewOptions,
    draw::{Format, draw_reviewed},
    json::{self, Diagnostic, Severity},
    plan::{self, Catalog, Document, NodeType, OnBadStep, Reviewed, write},
    review_plan_with,
};

use crate::{
    answer::{Answer, Layout},
    engine::Engine,
    exit::{Exit, Failure},
    files::{Unusable, load},
    input::{Source, decode, lossy},
    render::Colour,
};

/// What can be written of a plan, for the page of help.
pub(crate) const FORMS: &str = "\
What is written: plan, workflow, openmanus, gomind, clickweave-steps, clickweave-graph, patch,
clickweave-patch, anton-result, openai-tool-calls, anthropic-tool-use, mcp-tools-call, markdown;
or a picture: tree, mermaid, dot, svg";

/// What a plan is held against, and what becomes of what is wrong with it.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "How the plan is read")]
pub(crate) struct PlanArguments {
    /// How it is written: auto, canonical, openmanus, gomind, workflow, clickweave-steps,
    /// clickweave-graph, openai-tool-calls, anthropic-tool-use, mcp-tools-call, llmcompiler, markdown
    #[arg(long, value_name = "DIALECT", default_value = Dialect::Auto.as_str(), value_parser = dialects(), hide_possible_values = true, verbatim_doc_comment)]
    pub(crate) dialect: Dialect,
    #[command(flatten)]
    pub(crate) checks: CheckArguments,
}

/// What a plan is checked for, whatever its dialect.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "How the plan is read")]
pub(crate) struct CheckArguments {
    /// A file with the tools that there are: the answer to `tools/list` of MCP, a `tools` array,
    /// or a map from names to schemas. Without one any name goes
    #[arg(long, verbatim_doc_comment, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub(crate) catalog: Option<PathBuf>,
    /// What becomes of a step that cannot be used [default: drop for Clickweave, else fail]
    #[arg(long, value_name = "ACTION", value_parser = on_bad_step())]
    on_bad_step: Option<OnBadStep>,
    /// Refuse steps of a type; again for more, or with commas
    #[arg(long, value_name = "KIND", value_delimiter = ',', ignore_case = true, value_parser = kinds())]
    disable: Vec<NodeType>,
    /// Put right what safely can be: a dependency that is not declared, is the step's own, or
    /// is spelt in another case
    #[arg(long, verbatim_doc_comment)]
    fix: bool,
}

/// A plan that was read.
#[derive(Debug)]
pub(crate) struct Found {
    /// How it was read.
    pub(crate) dialect: Dialect,
    /// What it says.
    pub(crate) document: Document,
    /// How many findings were put right.
    pub(crate) put_right: usize,
}

/// What is written of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// It in a dialect.
    Dialect(Dialect),
    /// A picture of it.
    Picture(Format),
}

impl CheckArguments {
    /// The options; a catalog that cannot be had ends the command.
    pub(crate) fn options(
        &self,
        dialect: Dialect,
        engine: &Engine,
        colour: Colour,
    ) -> Result<ReviewOptions, Box<Unusable>> {
        let catalog = self.catalog(colour)?;
        let disabled = self.disable.iter().copied().collect();
        let on_bad_step = self.on_bad_step;
        Ok(ReviewOptions {
            text: engine.options.clone(),
            plan: plan::Options { dialect, on_bad_step, disabled, catalog, ..Default::default() },
            fixes: if self.fix { Fixes::Made } else { Fixes::Offered },
        })
    }

    fn catalog(&self, colour: Colour) -> Result<Option<Catalog>, Box<Unusable>> {
        let Some(path) = &self.catalog else { return Ok(None) };
        let read = |node: json::Node<'_>| {
            Catalog::from_node(node).map_err(|error| {
                let mut row = Diagnostic::new(error.code(), Severity::Error, error.to_string());
                if let Some(path) = error.path() {
                    row.span = node.pointer(path).map(json::Node::span);
                }
                Box::new(row)
            })
        };
        load(path, "catalog", colour, read).map(Some)
    }
}

/// Reads and checks the plan in `text`, and writes it.
pub(crate) fn planned<'t>(
    text: &'t str,
    options: &ReviewOptions,
    target: Option<Target>,
    layout: Layout,
) -> Result<Answer<'t>, Failure> {
    let review = review_plan_with(text, options).map_err(|error| failure(&error))?;
    presented(review, target, layout)
}

/// The answer that a review comes to, or every reason why it is to be refused.
pub(crate) fn presented(
    review: Review,
    target: Option<Target>,
    layout: Layout,
) -> Result<Answer<'static>, Failure> {
    let Review { reviewed, mut report } = review;
    let written = written(&reviewed, target, layout);
    let Reviewed { value: document, dialect, mut diagnostics, put_right, places, .. } = reviewed;
    let (text, rows) = match written {
        Ok((text, lost)) => (Some(text), lost),
        Err(reasons) => (None, reasons),
    };
    diagnostics.extend(rows.into_iter().map(|row| places.locate(row)));
    let found = Found { dialect, document, put_right };
    let (errors, others): (Vec<_>, Vec<_>) =
        diagnostics.into_iter().partition(|row| row.severity == Severity::Error);
    report.diagnostics.extend(others);
    match text {
        Some(text) if errors.is_empty() => {
            Ok(Answer { json: text.into(), report, fit: None, plan: Some(found) })
        }
        text => Err(Failure {
            report: Some(Box::new(report)),
            plan: Some(Box::new(found)),
            picture: text.filter(|_| matches!(target, Some(Target::Picture(_)))),
            ..Failure::new(Exit::Refused, errors)
        }),
    }
}

/// What was reviewed, in the form that was asked for; where none was, a plan as a plan, and a
/// workflow as a workflow; and what that form cannot carry.
fn written(
    reviewed: &Reviewed<Document>,
    target: Option<Target>,
    layout: Layout,
) -> Result<(String, Vec<Diagnostic>), Vec<Diagnostic>> {
    const PLAN: Target = Target::Dialect(Dialect::Canonical);
    let document = &reviewed.value;
    let dialect = match (target, document) {
        // As it was read, whatever its own dialect admits: a plan without steps may be one.
        (None | Some(PLAN), Document::Plan(_)) => return Ok(canonical(document, layout)),
        (Some(Target::Picture(format)), _) => match draw_reviewed(reviewed, format) {
            Some(text) => return Ok((text, Vec::new())),
            None => return Err(vec![another(document)]),
        },
        (Some(Target::Dialect(dialect)), _) => dialect,
        (None, Document::Workflow(_)) => Dialect::Workflow,
        (None, other) => return Err(vec![another(other)]),
    };
    let layout = match layout {
        Layout::Kept => plan::Layout::Compact,
        Layout::Indented => plan::Layout::Indented,
    };
    write(document, dialect, layout)
        .map(|written| {
            let mut rows = written.lost;
            rows.extend(unsound(reviewed, dialect));
            (written.text, rows)
        })
        .map_err(|error| error.reasons)
}

/// Why the workflow that is written of a plan would be refused. A flat list of steps says no edges:
/// the next step follows.
fn unsound(reviewed: &Reviewed<Document>, dialect: Dialect) -> Vec<Diagnostic> {
    match (&reviewed.value, dialect) {
        (Document::Plan(plan), Dialect::Workflow | Dialect::ClickweaveGraph)
            if !reviewed.has_errors() =>
        {
            plan::check_plan_as_workflow(plan, &reviewed.places)
        }
        _ => Vec::new(),
    }
}

/// What to say of a document that is neither a plan nor a workflow.
fn another(document: &Document) -> Diagnostic {
    let message = format!("this is {}, not a plan", document.what());
    let row = Diagnostic::new(plan::code::ANOTHER_DOCUMENT, Severity::Error, message).on("");
    row.help(match document {
        Document::Patch(_) => "`llmend patch` applies it.",
        _ => "`--to anton-result` writes it.",
    })
}

/// The canonical form as it stands. Its keys are all texts, so that nothing can fail.
fn canonical(document: &Document, layout: Layout) -> (String, Vec<Diagnostic>) {
    let text = match layout {
        Layout::Kept => serde_json::to_string(document),
        Layout::Indented => serde_json::to_string_pretty(document),
    };
    (text.unwrap_or_default(), Vec::new())
}

/// The workflow or plan that is to be changed. What a check finds in it may be what the patch is
/// for; but all of it is to be read.
pub(crate) fn document(
    source: &Source,
    options: &ReviewOptions,
    engine: &Engine,
) -> Result<Document, Box<Unusable>> {
    let unusable = |failure, text: &str| {
        Box::new(Unusable { name: source.name(), text: text.to_owned(), failure })
    };
    let bytes = source.read(engine.options.max_bytes).map_err(|failure| unusable(failure, ""))?;
    let text = decode(&bytes).map_err(|failure| {
        let text = lossy(&bytes, &failure);
        unusable(failure, &text)
    })?;
    review_plan_with(text, options)
        .and_then(Review::into_whole)
        .map_err(|error| unusable(failure(&error), text))
}

/// The failure to read a plan.
pub(crate) fn failure(error: &PlanningError) -> Failure {
    match error.source().and_then(|source| source.downcast_ref::<json::Error>()) {
        Some(error) => Failure::from(error),
        None => Failure {
            report: error.report().cloned().map(Box::new),
            ..Failure::new(Exit::Refused, error.diagnostics())
        },
    }
}

fn dialects() -> impl TypedValueParser<Value = Dialect> {
    PossibleValuesParser::new(Dialect::ALL.map(Dialect::as_str))
        .try_map(|name| name.parse::<Dialect>())
}

/// Reads what is to be written.
pub(crate) fn targets() -> impl TypedValueParser<Value = Target> {
    let written = |dialect: &Dialect| {
        !matches!(
            dialect,
            Dialect::Auto | Dialect::Canonical | Dialect::LlmCompiler | Dialect::Workflow
        )
    };
    let dialects = Dialect::ALL.into_iter().filter(written).map(Dialect::as_str);
    let names = ["plan", "workflow"].into_iter().chain(dialects);
    let names = names.chain(Format::ALL.map(Format::as_str)).map(PossibleValue::new);
    PossibleValuesParser::new(names).try_map(|name| match (name.as_str(), name.parse()) {
        ("plan", _) => Ok(Target::Dialect(Dialect::Canonical)),
        (_, Ok(format)) => Ok(Target::Picture(format)),
        (name, Err(_)) => name.parse().map(Target::Dialect),
    })
}

/// Reads in which form a picture is drawn.
pub(crate) fn formats() -> impl TypedValueParser<Value = Format> {
    let help = |format| match format {
        Format::Tree => "Lines for a terminal",
        Format::Mermaid => "A flowchart, as code hosts draw it in Markdown",
        Format::Dot => "A graph for Graphviz",
        Format::Svg => "A picture for a browser or a page",
    };
    let values = [Format::Tree, Format::Mermaid, Format::Dot, Format::Svg]
        .map(|format| PossibleValue::new(format.as_str()).help(help(format)));
    PossibleValuesParser::new(values).try_map(|name| name.parse::<Format>())
}

fn on_bad_step() -> impl TypedValueParser<Value = OnBadStep> {
    let help = |policy| match policy {
        OnBadStep::Fail => "There is no plan.",
        OnBadStep::Drop => "It is left out with a warning, and so are the edges that touch it.",
        OnBadStep::Bridge => {
            "It is left out with a warning, and those before it are joined to those after it."
        }
    };
    let values =
        OnBadStep::ALL.map(|policy| PossibleValue::new(policy.as_str()).help(help(policy)));
    PossibleValuesParser::new(values).try_map(|name| name.parse::<OnBadStep>())
}

fn kinds() -> impl TypedValueParser<Value = NodeType> {
    // Clickweave writes `AiStep`, and `ai-step` is how flags are spelt.
    let values = NodeType::ALL.map(|kind| {
        let aliases: &[&str] = match kind {
            NodeType::AiStep => &["ai-step", "aistep"],
            NodeType::AiTransform => &["ai-transform", "aitransform"],
            NodeType::EndLoop => &["end-loop", "endloop"],
            _ => &[],
        };
        PossibleValue::new(kind.as_str()).aliases(aliases)
    });
    let known = values.clone();
    PossibleValuesParser::new(values).try_map(move |name| {
        let at = known.iter().position(|value| value.matches(&name, true));
        at.and_then(|at| NodeType::ALL.get(at).copied()).map_or_else(|| name.parse(), Ok)
    })
}
