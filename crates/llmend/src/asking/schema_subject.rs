//! Values of a JSON Schema as the subject of the loop.

use std::{fmt, sync::Arc};

use llmend_json::{Class, Diagnostic, Node, Report, Severity, Span};
use llmend_schema::{Coercion, Schema};

use super::{
    Ending, Evaluation, FailedAnswer, FailureKind, PartSchema, Subject, Topic,
    feedback::MOST_FINDINGS, messages, parts,
};
use crate::{
    Error, FitOptions, Fitted, fit_with,
    model::{Output, Shape},
    outcome::{needs_second_look, unsure_reason},
};

/// A check of a value that fits its schema.
type Check = Arc<dyn Fn(&Fitted) -> Vec<Diagnostic> + Send + Sync>;

/// A value that fits a schema.
#[derive(Clone)]
pub struct SchemaSubject {
    schema: Schema,
    shape: Shape,
    options: FitOptions,
    check: Option<Check>,
}

impl SchemaSubject {
    /// Creates the subject of a schema. The model is shown it with its members in alphabetical
    /// order.
    #[must_use]
    pub fn new(schema: Schema) -> Self {
        let text = schema.as_json().to_string();
        Self {
            schema,
            shape: Shape::new("answer", text),
            options: FitOptions::default(),
            check: None,
        }
    }

    /// Creates the subject of a schema given as text, which the model is shown verbatim, since a
    /// model writes members in the schema's order.
    pub fn of_text(text: &str) -> Result<Self, llmend_schema::Error> {
        let mut subject = Self::new(Schema::from_text(text)?);
        text.trim().clone_into(&mut subject.shape.schema);
        Ok(subject)
    }

    /// Returns the schema as the model is shown it.
    #[must_use]
    pub(crate) fn schema_text(&self) -> &str {
        &self.shape.schema
    }

    /// Sets the name of the schema: see [`Shape::name`].
    ///
    /// ```
    /// use llmend::asking::{SchemaSubject, Topic as _};
    ///
    /// let subject = SchemaSubject::of_text(r#"{"type": "integer"}"#)?.named("days");
    /// assert_eq!(subject.output().shape().unwrap().name, "days");
    /// # Ok::<(), llmend::schema::Error>(())
    /// ```
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.shape.name = name.into();
        self
    }

    /// Sets the options for reading an answer.
    ///
    /// ```
    /// use llmend::{CoerceMode, FitOptions, asking::{Ending, SchemaSubject, Subject as _}};
    ///
    /// let options = FitOptions { coerce: CoerceMode::Off, ..FitOptions::default() };
    /// let subject = SchemaSubject::of_text(r#"{"type": "integer"}"#)?.fitting(options);
    /// assert!(subject.read("'3'", Ending::Complete).failure.is_some());
    /// # Ok::<(), llmend::schema::Error>(())
    /// ```
    #[must_use]
    pub fn fitting(mut self, options: FitOptions) -> Self {
        self.options = options;
        self
    }

    /// Sets a check for what no schema expresses, replacing the previous one.
    ///
    /// ```
    /// use llmend::{Diagnostic, Severity, asking::{Ending, SchemaSubject, Subject as _}};
    ///
    /// let subject = SchemaSubject::of_text(r#"{"type": "integer"}"#)?.checked(|fitted| {
    ///     match fitted.value.to_string().as_str() {
    ///         "0" => vec![Diagnostic::new("trip/too-short", Severity::Error, "expected at least one day")],
    ///         _ => Vec::new(),
    ///     }
    /// });
    /// assert!(subject.read("0", Ending::Complete).failure.is_some());
    /// assert!(subject.read("3", Ending::Complete).failure.is_none());
    /// # Ok::<(), llmend::schema::Error>(())
    /// ```
    #[must_use]
    pub fn checked(
        mut self,
        check: impl Fn(&Fitted) -> Vec<Diagnostic> + Send + Sync + 'static,
    ) -> Self {
        self.check = Some(Arc::new(check));
        self
    }

    fn judged(&self, answer: &str, fitted: Fitted, ending: Ending) -> Evaluation<Fitted> {
        let mut findings: Vec<Diagnostic> =
            fitted.violations.iter().map(Diagnostic::from).collect();
        let doubt = doubted(&fitted.report, &fitted.coercions, ending);
        let mut failure = (!findings.is_empty()).then_some(FailureKind::Schema);
        if let Some((kind, row)) = doubt {
            findings.push(row);
            failure = Some(kind);
        }
        if failure.is_none()
            && let Some(check) = &self.check
        {
            findings.extend(check(&fitted));
            let is_wrong = findings.iter().any(|row| row.severity == Severity::Error);
            failure = is_wrong.then_some(FailureKind::Schema);
        }
        findings.extend(fitted.report.diagnostics.iter().cloned());
        Evaluation {
            failure,
            findings,
            json: Some(fitted.json(answer).into_owned()),
            own: None,
            class: fitted.class(),
            repairs: fitted.report.repairs.len() + fitted.coercions.len(),
            value: Some(fitted),
        }
    }
}

/// Returns why a value should not be used although it could be read.
pub(super) fn doubted(
    report: &Report,
    coercions: &[Coercion],
    ending: Ending,
) -> Option<(FailureKind, Diagnostic)> {
    let at = report.cut.map(Span::at);
    let row = |code: &'static str, message: String| {
        let row = Diagnostic::new(code, Severity::Error, message);
        at.map_or(row.clone(), |at| row.at(at))
    };
    if ending == Ending::Interrupted {
        let row = row("value/truncated", messages::BROKEN_OFF.to_owned());
        return Some((FailureKind::Truncation, row));
    }
    let is_cut = report.truncated() && (ending == Ending::Length || needs_second_look(report));
    if is_cut {
        return Some((
            FailureKind::Truncation,
            row("value/truncated", unsure_reason(report, coercions)),
        ));
    }
    (report.class == Some(Class::Loss))
        .then(|| (FailureKind::Loss, row("value/loss", unsure_reason(report, &[]))))
}

/// Returns the evaluation of a text without a value.
pub(super) fn unreadable<V>(
    kind: FailureKind,
    findings: Vec<Diagnostic>,
    ending: Ending,
) -> Evaluation<V> {
    // A broken-off answer is not to blame for how it ends.
    let is_cut = ending != Ending::Complete && kind == FailureKind::Syntax;
    Evaluation::unreadable(if is_cut { FailureKind::Truncation } else { kind }, findings)
}

impl Topic for SchemaSubject {
    fn output(&self) -> Output {
        Output::Schema(self.shape.clone())
    }

    fn excerpt(&self, failed: &FailedAnswer) -> Vec<String> {
        // One row for each schema: all items of a list share one.
        let mut rows: Vec<(String, &str, usize)> = Vec::new();
        let paths = failed.faults().filter_map(|row| row.path.as_deref());
        for path in paths.filter(|path| !path.is_empty()).take(MOST_FINDINGS) {
            let part = parts::part(self.schema.as_json(), path);
            let Some(PartSchema { schema, .. }) = part else { continue };
            let schema = schema.to_string();
            match rows.iter_mut().find(|(known, ..)| *known == schema) {
                Some((_, first, more)) => *more += usize::from(*first != path),
                None => rows.push((schema, path, 0)),
            }
        }
        let row = |(schema, path, more): (String, &str, usize)| match more {
            0 => format!("at {}: {schema}", path.escape_debug()),
            more => format!("at {} and {more} more: {schema}", path.escape_debug()),
        };
        rows.into_iter().map(row).collect()
    }

    fn part(&self, _root: Node<'_>, path: &str) -> Option<PartSchema> {
        parts::part(self.schema.as_json(), path)
    }

    fn missing(&self, path: &str, node: Node<'_>) -> Vec<String> {
        let names = parts::required(self.schema.as_json(), path);
        names.into_iter().filter(|name| node.get(name).is_none()).collect()
    }

    fn is_known(&self, name: &str) -> bool {
        self.shape.schema.contains(&serde_json::Value::from(name).to_string())
    }

    fn is_local(&self, finding: &Diagnostic) -> bool {
        finding.path.is_some()
    }
}

impl Subject for SchemaSubject {
    type Value = Fitted;

    fn read(&self, answer: &str, ending: Ending) -> Evaluation<Fitted> {
        match fit_with(answer, &self.schema, &self.options) {
            Ok(fitted) => self.judged(answer, fitted, ending),
            Err(Error::Json(error)) => {
                unreadable(FailureKind::of_json(error.kind()), vec![(&error).into()], ending)
            }
            Err(error) => {
                unreadable(FailureKind::of_code(error.code()), error.diagnostics(), ending)
            }
        }
    }
}

impl fmt::Debug for SchemaSubject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SchemaSubject")
            .field("shape", &self.shape)
            .field("options", &self.options)
            .field("check", &self.check.is_some())
            .finish_non_exhaustive()
    }
}
