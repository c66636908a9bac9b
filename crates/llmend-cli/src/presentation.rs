//! Presentation of outcomes: the value or report on standard output, the rest on standard error.

use std::path::Path;

use llmend::{Coercion, Schema, json::Report};

use crate::{
    engine::Engine,
    exit::Exit,
    input::{Source, decode, lossy},
    outcome::{Answer, Failure, Fit, Layout, ReadPlan},
    output::{eprint, eprint_block, write_stdout},
    render::{
        Color, Named,
        explain::{explain, refusal, warnings},
        ledger::{Spending, spent},
        report::ReportObject,
        summary::summary,
    },
    schemas::load,
};

/// What is written, and how.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    /// Whether the input is shown on standard error with each change marked.
    pub(crate) explain: bool,
    /// The format of the report that replaces the value, if one is wanted.
    pub(crate) report: Option<ReportFormat>,
    /// Whether JSON is indented.
    pub(crate) pretty: bool,
    /// Whether the summary is omitted.
    pub(crate) quiet: bool,
}

/// The format of a report.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ReportFormat {
    /// One JSON object.
    Json,
}

/// What is written to standard output if there is a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stdout {
    /// The value.
    Value,
    /// Nothing: the caller has the value already.
    Nothing,
}

/// The kind of result that is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResultKind {
    /// A value.
    Value,
    /// A value that fits a schema.
    Fit,
    /// A plan.
    Plan,
}

/// How results are presented.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Presentation<'a> {
    pub(crate) output: Output,
    pub(crate) stdout: Stdout,
    pub(crate) kind: ResultKind,
    pub(crate) engine: &'a Engine,
    pub(crate) color: Color,
}

impl Presentation<'_> {
    /// Reads the text at `source`, and presents what `read` makes of it.
    pub(crate) fn present<F>(&self, source: &Source, read: F) -> Exit
    where
        F: for<'t> FnOnce(&'t str, Layout) -> Result<Answer<'t>, Failure>,
    {
        let name = source.name();
        let bytes = match source.read(self.engine.options.max_bytes) {
            Ok(bytes) => bytes,
            Err(failure) => return self.failure(Named { name: &name, text: "" }, &failure),
        };
        let text = match decode(&bytes) {
            Ok(text) => text,
            Err(failure) => {
                let text = lossy(&bytes, &failure);
                return self.failure(Named { name: &name, text: &text }, &failure);
            }
        };
        let named = Named { name: &name, text };
        self.outcome(named, &read(text, self.layout()), None)
    }

    /// Presents an outcome, with what it took if a model was asked.
    pub(crate) fn outcome(
        &self,
        named: Named<'_>,
        outcome: &Result<Answer<'_>, Failure>,
        spending: Option<Spending<'_>>,
    ) -> Exit {
        match outcome {
            Ok(answer) => self.value(named, answer, spending),
            Err(failure) => self.refused(named, failure, spending),
        }
    }

    /// Loads the schema, reads the text at `source`, and presents what `read` makes of both.
    pub(crate) fn present_with<F>(&self, schema: &Path, source: &Source, read: F) -> Exit
    where
        F: for<'t> FnOnce(&'t str, Layout, &Schema) -> Result<Answer<'t>, Failure>,
    {
        match load(schema, self.color) {
            Ok(schema) => self.present(source, |text, layout| read(text, layout, &schema)),
            Err(unusable) => self.failure(unusable.named(), &unusable.failure),
        }
    }

    /// Returns the layout of the value. A report keeps it, so that applying the repairs to the text gives the
    /// value.
    pub(crate) fn layout(&self) -> Layout {
        if self.output.pretty && self.output.report.is_none() {
            Layout::Indented
        } else {
            Layout::Kept
        }
    }

    fn value(
        &self,
        source: Named<'_>,
        answer: &Answer<'_>,
        spending: Option<Spending<'_>>,
    ) -> Exit {
        self.stderr().answer(source, answer);
        self.stderr().spent(spending);
        let written = if self.output.report.is_some() {
            let object = ReportObject::of_answer(answer).with_spending(spending);
            write_stdout(&[&self.report(&object)])
        } else if self.stdout == Stdout::Nothing {
            Ok(())
        } else {
            // An unchanged text keeps its own line end.
            let end = if answer.json.ends_with('\n') { "" } else { "\n" };
            write_stdout(&[&answer.json, end])
        };
        self.stderr().after(source, written, Exit::Value)
    }

    /// Presents a failure.
    pub(crate) fn failure(&self, source: Named<'_>, failure: &Failure) -> Exit {
        self.refused(source, failure, None)
    }

    fn refused(
        &self,
        source: Named<'_>,
        failure: &Failure,
        spending: Option<Spending<'_>>,
    ) -> Exit {
        self.stderr().failure(source, failure);
        self.stderr().spent(spending);
        let object = ReportObject::of_failure(failure).with_spending(spending);
        let object = match self.kind {
            ResultKind::Value => object,
            ResultKind::Fit => object.with_schema(),
            ResultKind::Plan => object.with_plan(),
        };
        let written = match self.output.report {
            None => failure.picture.as_ref().map_or(Ok(()), |picture| write_stdout(&[picture])),
            Some(_) => write_stdout(&[&self.report(&object)]),
        };
        self.stderr().after(source, written, failure.exit)
    }

    pub(crate) fn stderr(&self) -> Stderr<'_> {
        let Output { explain, quiet, .. } = self.output;
        Stderr { explain, quiet, engine: self.engine, color: self.color }
    }

    fn report(&self, object: &ReportObject<'_>) -> String {
        if self.output.pretty { object.to_lines() } else { object.to_line() }
    }
}

/// Messages about a result on standard error.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stderr<'a> {
    /// Whether the input is shown with each change marked.
    pub(crate) explain: bool,
    /// Whether the summary is omitted.
    pub(crate) quiet: bool,
    pub(crate) engine: &'a Engine,
    pub(crate) color: Color,
}

impl Stderr<'_> {
    /// Prints the explanation and the summary of an answer. Warnings about a plan are always shown.
    pub(crate) fn answer(&self, source: Named<'_>, answer: &Answer<'_>) {
        let Answer { report, fit, plan, .. } = answer;
        if plan.is_some() && !self.explain && !self.quiet {
            eprint_block(&warnings(source, &report.diagnostics, self.color));
        }
        self.result(source, report, fit.as_ref(), plan.as_ref());
    }

    fn result(
        &self,
        source: Named<'_>,
        report: &Report,
        fit: Option<&Fit>,
        plan: Option<&ReadPlan>,
    ) {
        if self.explain {
            eprint_block(&explain(source, report, coercions(fit), self.color));
        }
        if !self.quiet {
            let mut line = summary(source, report, fit, plan);
            if let Some(source) = &self.engine.disabled_by {
                line.push_str("; repair is disabled by ");
                line.push_str(source);
            }
            eprint(&line);
        }
    }

    /// Prints why there is no value.
    pub(crate) fn failure(&self, source: Named<'_>, failure: &Failure) {
        let mut blocks = vec![refusal(source, failure, self.color)];
        match &failure.report {
            Some(report) if self.explain => {
                let fit = failure.fit.as_deref();
                blocks.insert(0, explain(source, report, coercions(fit), self.color));
            }
            Some(report) => blocks.push(warnings(source, &report.diagnostics, self.color)),
            None => {}
        }
        let disabled_by = self.engine.disabled_by.as_ref();
        if let Some(source) = disabled_by.filter(|_| failure.exit == Exit::Refused) {
            blocks.push(format!("llmend: repair is disabled by {source}"));
        }
        blocks.retain(|block| !block.is_empty());
        eprint_block(&blocks.join("\n"));
    }

    /// Prints what asking the model took.
    fn spent(&self, spending: Option<Spending<'_>>) {
        if let Some(line) = spending.filter(|_| !self.quiet).and_then(spent) {
            eprint(&line);
        }
    }

    /// Returns `exit`, unless writing failed, which is reported.
    pub(crate) fn after(
        &self,
        source: Named<'_>,
        written: Result<(), Failure>,
        exit: Exit,
    ) -> Exit {
        match written {
            Ok(()) => exit,
            Err(undelivered) => {
                eprint_block(&refusal(source, &undelivered, self.color));
                undelivered.exit
            }
        }
    }
}

fn coercions(fit: Option<&Fit>) -> &[Coercion] {
    fit.map(|fit| fit.coercions.as_slice()).unwrap_or_default()
}

/// Writes `text` to standard output. Returns the exit status.
pub(crate) fn finish(text: &str, color: Color) -> Exit {
    match write_stdout(&[text]) {
        Ok(()) => Exit::Value,
        Err(failure) => {
            eprint_block(&refusal(Named { name: "<stdout>", text: "" }, &failure, color));
            failure.exit
        }
    }
}
