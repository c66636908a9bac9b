//! Which plan does a value say, and what is wrong with it?

use llmend_json::{Diagnostic, Severity, Value};

use crate::{
    Dialect, Document, Error, Options, Patch, Places, Plan, TaskResult, Workflow, dialect,
};

pub(crate) mod condition;
pub(crate) mod context;
pub(crate) mod edges;
pub(crate) mod gap;
pub(crate) mod list;
pub(crate) mod node;
pub(crate) mod nodes;
pub(crate) mod steps;

use context::Context;

/// A plan, and what is worth knowing of how it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// The plan.
    pub plan: Plan,
    /// How it was read; never [`Dialect::Auto`].
    pub dialect: Dialect,
    /// Warnings and remarks, in the order of the text; no errors. Their paths are those of the
    /// model's own value.
    pub diagnostics: Vec<Diagnostic>,
    /// Where the parts of the plan stand in the text.
    pub places: Places,
}

/// What an answer says, and what is worth knowing of how it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Read<T> {
    /// What it says.
    pub value: T,
    /// How it was read; never [`Dialect::Auto`].
    pub dialect: Dialect,
    /// Warnings and remarks, in the order of the text, and errors where it was read in part. Their
    /// paths are those of the model's own value.
    pub diagnostics: Vec<Diagnostic>,
    /// Where its parts stand in the text.
    pub places: Places,
}

/// Reads the plan that `value` says. All problems are reported at once.
///
/// An unknown key that is a slip of an absent field's name is a problem in every dialect, since
/// leaving it aside would silently leave out what was meant.
///
/// ```
/// use llmend_plan::{Dialect, read};
///
/// let parsed = llmend_json::parse(r#"{"setps": [{"id": "a"}]}"#)?;
/// let problems = read(&parsed.value, Dialect::Canonical).unwrap_err();
/// assert_eq!(problems.diagnostics()[1].help.as_deref(), Some("did you mean `steps`?"));
/// # Ok::<(), llmend_json::Error>(())
/// ```
pub fn read(value: &Value<'_>, dialect: Dialect) -> Result<Reading, Error> {
    read_with(value, &Options { dialect, ..Options::default() })
}

/// Reads the plan that `value` says, in the way that `options` ask for. A workflow without control
/// flow is read as a plan.
///
/// ```
/// use llmend_plan::{OnBadStep, Options, read_with};
///
/// let answer = "{tasks: [{id: 1, tool: 'a'}, {id: 2, tool: 7, needs: [1]}, {id: 3, tool: 'c', needs: [2]}]}";
/// let parsed = llmend_json::parse(answer)?;
/// let options = Options { on_bad_step: Some(OnBadStep::Bridge), ..Options::default() };
/// let reading = read_with(&parsed.value, &options)?;
/// assert_eq!(reading.plan.steps[1].depends_on, ["1"]);
/// assert_eq!(
///     reading.diagnostics[0].message,
///     "tasks[1] (`2`) is left out: `/tasks/1/tool` is to be a string, not a number"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_with(value: &Value<'_>, options: &Options) -> Result<Reading, Error> {
    let Read { value, dialect, diagnostics, places } = read_document(value, options)?;
    let plan = match value {
        Document::Plan(plan) => plan,
        Document::Workflow(workflow) => match workflow.to_plan() {
            Ok(plan) => plan,
            Err(error) => {
                let reasons = error.reasons.into_iter().map(|row| places.locate(row));
                let diagnostics = diagnostics.into_iter().chain(reasons).collect();
                return Err(Error::Unreadable { dialect, diagnostics });
            }
        },
        other => return Err(Error::another(dialect, &other, "a plan", diagnostics)),
    };
    Ok(Reading { plan, dialect, diagnostics, places })
}

/// Reads the workflow that `value` says. A plan is read as a workflow.
///
/// ```
/// use llmend_plan::{NodeType, Options, read_workflow};
///
/// let answer = r#"{"nodes": [{"id": "n1", "step_type": "Tool", "tool_name": "click", "arguments": {}}], "edges": []}"#;
/// let parsed = llmend_json::parse(answer)?;
/// let workflow = read_workflow(&parsed.value, &Options::default())?.value;
/// assert_eq!(workflow.nodes[0].node_type(), NodeType::Tool);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_workflow(value: &Value<'_>, options: &Options) -> Result<Read<Workflow>, Error> {
    read_document(value, options)?.into_workflow()
}

/// Reads the patch that `value` says. Where it has the marks of nothing, it is read as llmend's own, so
/// that an empty object is a patch that changes nothing.
///
/// ```
/// use llmend_plan::{Dialect, Options, read_patch};
///
/// let parsed = llmend_json::parse(r#"{"remove_node_ids": ["n2"], "add_edges": [{"from": "n1", "to": "n3"}]}"#)?;
/// let patch = read_patch(&parsed.value, &Options::default())?.value;
/// assert_eq!(patch.remove_nodes, ["n2"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_patch(value: &Value<'_>, options: &Options) -> Result<Read<Patch>, Error> {
    let dialect = match options.dialect {
        Dialect::Auto => dialect::of_patch(value.root()),
        named => named,
    };
    let options = Options { dialect, ..options.clone() };
    let Read { value, dialect, diagnostics, places } = read_document(value, &options)?;
    match value {
        Document::Patch(value) => Ok(Read { value, dialect, diagnostics, places }),
        other => Err(Error::another(dialect, &other, "a patch", diagnostics)),
    }
}

/// Reads the report of a task that `value` says.
///
/// ```
/// use llmend_plan::{Options, TaskStatus, read_task_result};
///
/// let parsed = llmend_json::parse("{status: 'completed', changes: [], notes: 'done'}")?;
/// let result = read_task_result(&parsed.value, &Options::default())?.value;
/// assert_eq!(result.status, TaskStatus::Completed);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_task_result(value: &Value<'_>, options: &Options) -> Result<Read<TaskResult>, Error> {
    let Read { value, dialect, diagnostics, places } = read_document(value, options)?;
    match value {
        Document::TaskResult(value) => Ok(Read { value, dialect, diagnostics, places }),
        other => Err(Error::another(dialect, &other, "a task result", diagnostics)),
    }
}

/// Reads whatever of all this `value` says.
pub fn read_document(value: &Value<'_>, options: &Options) -> Result<Read<Document>, Error> {
    read_partly(value, options).whole()
}

/// Reads whatever of all this `value` says, as far as it can be read: for who goes on to look for
/// more problems where there are errors already, to report all of them at once. What is malformed
/// is left out or has its fields empty, so that some problems found later follow from these.
///
/// ```
/// use llmend_plan::{Document, Options, read_partly};
///
/// let parsed = llmend_json::parse("{steps: [{id: 'a', tool: 7}, {id: 'b', depends_on: ['c']}]}")?;
/// let read = read_partly(&parsed.value, &Options::default());
/// assert_eq!(read.diagnostics[0].path.as_deref(), Some("/steps/0/tool"));
/// let Some(Document::Plan(plan)) = read.value else { panic!("a plan") };
/// assert_eq!(plan.steps[1].depends_on, ["c"]);
/// # Ok::<(), llmend_json::Error>(())
/// ```
#[must_use]
pub fn read_partly(value: &Value<'_>, options: &Options) -> Read<Option<Document>> {
    let node = value.root();
    let dialect = match options.dialect {
        Dialect::Auto => dialect::of(node),
        named => named,
    };
    let mut context = Context::new(options, dialect);
    let document = dialect::read(node, &mut context);
    context.finish(document)
}

/// Reads whatever of all this `text` says: JSON, which may be broken and stand in prose, or one of
/// the dialects that are no JSON. The engine's default options mend the JSON.
///
/// ```
/// use llmend_plan::{Dialect, Document, Options, read_text};
///
/// let answer = "Plan:\n\n1. Boil water\n2. Pour it over the tea\n";
/// let read = read_text(answer, &Options::default())?;
/// let Document::Plan(plan) = read.value else { panic!("a plan") };
/// assert_eq!(read.dialect, Dialect::Markdown);
/// assert_eq!(plan.steps[1].title.as_deref(), Some("Pour it over the tea"));
/// # Ok::<(), llmend_plan::Error>(())
/// ```
pub fn read_text(text: &str, options: &Options) -> Result<Read<Document>, Error> {
    read_text_partly(text, options)?.whole()
}

/// Reads whatever of all this `text` says, as far as it can be read: [`read_partly`] for a text. An
/// error means that it holds no JSON, in a dialect that is.
pub fn read_text_partly(text: &str, options: &Options) -> Result<Read<Option<Document>>, Error> {
    let dialect = match options.dialect {
        Dialect::Auto => dialect::of_text(text),
        named => named,
    };
    if !dialect.is_text() {
        return match llmend_json::parse(text) {
            Ok(parsed) => Ok(read_partly(&parsed.value, options)),
            Err(error) => Err(Error::NoJson { dialect, error: Box::new(error) }),
        };
    }
    let mut context = Context::new(options, dialect);
    let document = dialect.read_text(text, &mut context);
    Ok(context.finish(Some(document)))
}

impl<T> Read<T> {
    /// Whether a part of it could not be read.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|row| row.severity == Severity::Error)
    }
}

impl Read<Option<Document>> {
    /// The document, if nothing is wrong with it.
    pub fn whole(self) -> Result<Read<Document>, Error> {
        let failed = self.has_errors();
        let Self { value, dialect, diagnostics, places } = self;
        match value.filter(|_| !failed) {
            Some(value) => Ok(Read { value, dialect, diagnostics, places }),
            None => Err(Error::Unreadable { dialect, diagnostics }),
        }
    }
}

impl Read<Document> {
    /// The workflow that it is. A plan becomes one, and its places with it.
    pub fn into_workflow(self) -> Result<Read<Workflow>, Error> {
        let Self { value, dialect, diagnostics, places } = self;
        match value {
            Document::Workflow(value) => Ok(Read { value, dialect, diagnostics, places }),
            Document::Plan(plan) => {
                let converted = plan.to_workflow();
                let places = converted.places(&places);
                Ok(Read { value: converted.workflow, dialect, diagnostics, places })
            }
            other => Err(Error::another(dialect, &other, "a workflow", diagnostics)),
        }
    }
}
