//! What plan does an answer hold, and what is to be said of it?
//!
//! Documents come and go as the JSON of their canonical form, with the word for what they are.

use llmend::{
    Diagnostic, Review, ReviewOptions,
    draw::{self, Annotations, Format},
    json::Relocate as _,
    plan::{
        self, Catalog as Tools, Document, DocumentKind, Extent, Finding, Options as Settings,
        Workflow,
    },
    review_patch_with, review_plan_with,
};
use pyo3::{exceptions::PyValueError, prelude::*, types::PyType};
use serde::{Serialize, de::DeserializeOwned};

use crate::{
    options::{Chosen, Kept, chosen, kept, named, shown},
    place::counted,
    record::{ReportRow, rows},
    refusal,
    text::{Text, work},
};

/// How a plan is read, and which tools there are.
///
/// `on_bad_step` says what becomes of a step that cannot be used (`fail`, `drop`, `bridge`), `disabled` which
/// types of nodes are refused, `on_near_tool="rename"` that a slip of a tool's name is put right.
///
/// >>> import llmend
/// >>> options = llmend.PlanOptions(catalog=llmend.Catalog({"search": None}), on_near_tool="rename")
/// >>> llmend.Plan.read("{steps: [{id: 'a', tool: 'serch'}]}", options=options).steps[0]["tool"]
/// 'search'
#[pyclass(frozen, eq, module = "llmend", from_py_object)]
#[derive(Clone, PartialEq)]
pub(crate) struct PlanOptions {
    settings: Settings,
}

#[pymethods]
impl PlanOptions {
    #[new]
    #[pyo3(signature = (
        *, dialect = "auto", strictness = None, on_bad_step = None, disabled = Vec::new(),
        catalog = None, on_near_tool = "suggest", max_items = None,
    ))]
    fn new(
        dialect: &str,
        strictness: Option<&str>,
        on_bad_step: Option<&str>,
        disabled: Vec<String>,
        catalog: Option<Catalog>,
        on_near_tool: &str,
        max_items: Option<usize>,
    ) -> PyResult<Self> {
        let usual = Settings::default();
        let settings = Settings {
            dialect: named(dialect)?,
            strictness: strictness.map(named).transpose()?,
            on_bad_step: on_bad_step.map(named).transpose()?,
            disabled: disabled.iter().map(|kind| named(kind)).collect::<PyResult<_>>()?,
            catalog: catalog.map(|catalog| catalog.tools),
            on_near_tool: named(on_near_tool)?,
            most_items: max_items.unwrap_or(usual.most_items),
        };
        Ok(Self { settings })
    }

    fn __repr__(&self) -> PyResult<String> {
        shown("PlanOptions", &self.settings)
    }

    /// How the same is made anew, in another process.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Kept<'py>> {
        kept(slf, &slf.get().settings)
    }

    #[classmethod]
    fn _of_kept(_class: &Bound<'_, PyType>, settings: &str) -> PyResult<Self> {
        Ok(Self { settings: from_json(settings)? })
    }
}

/// The tools that there are: the answer to `tools/list` of MCP, a `tools` array for OpenAI or Anthropic, or a
/// map from each tool's name to the schema of its arguments, or the text of one.
///
/// >>> import llmend
/// >>> catalog = llmend.Catalog([{"name": "search", "inputSchema": {"type": "object"}}])
/// >>> catalog.names, catalog.nearest("serch")
/// (['search'], 'search')
#[pyclass(frozen, eq, module = "llmend", from_py_object)]
#[derive(Clone, PartialEq)]
pub(crate) struct Catalog {
    tools: Tools,
}

#[pymethods]
impl Catalog {
    /// `tools` is the answer to `tools/list` of MCP, a `tools` array, or a map from names to schemas,
    /// or the text of one.
    #[new]
    fn new(tools: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = tools.py();
        let text = match tools.extract::<String>() {
            Ok(text) => text,
            Err(_) => py.import("json")?.call_method1("dumps", (tools,))?.extract()?,
        };
        let tools = Tools::read(&from_json(&text)?).map_err(|error| {
            let mut row = Diagnostic::new(error.code(), llmend::Severity::Error, error.to_string());
            row.path = error.path().map(str::to_owned);
            refusal::of_rows(py, error.to_string(), vec![row])
        })?;
        Ok(Self { tools })
    }

    fn __repr__(&self) -> PyResult<String> {
        shown("Catalog", &self.tools.tools.keys().collect::<Vec<_>>())
    }

    /// How the same is made anew, in another process.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Kept<'py>> {
        kept(slf, &slf.get().tools)
    }

    #[classmethod]
    fn _of_kept(_class: &Bound<'_, PyType>, settings: &str) -> PyResult<Self> {
        Ok(Self { tools: from_json(settings)? })
    }

    /// The names of the tools, sorted.
    #[getter]
    fn names(&self) -> Vec<&str> {
        self.tools.tools.keys().map(String::as_str).collect()
    }

    /// The one tool whose name `name` is a slip of.
    fn nearest(&self, name: &str) -> Option<&str> {
        self.tools.nearest(name)
    }
}

/// A document that was checked, and how it was come by.
#[pyclass(frozen, module = "llmend._llmend")]
pub(crate) struct Reviewed {
    review: Review,
    text: String,
}

#[derive(Serialize)]
struct ReviewRow<'r> {
    kind: DocumentKind,
    document: &'r Document,
    extent: &'static str,
    unsure: bool,
    dialect: &'static str,
    diagnostics: Vec<Diagnostic>,
    fixes: usize,
    report: ReportRow,
}

impl Reviewed {
    /// A review of what `text` says.
    pub(crate) const fn new(review: Review, text: String) -> Self {
        Self { review, text }
    }
}

#[pymethods]
impl Reviewed {
    /// The rows of all that there is to tell.
    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let Review { reviewed, report } = &self.review;
        let mut diagnostics = reviewed.diagnostics.clone();
        diagnostics.relocate(&mut counted(&self.text));
        let row = ReviewRow {
            kind: reviewed.value.kind(),
            document: &reviewed.value,
            extent: match reviewed.extent {
                Extent::Whole => "whole",
                Extent::Part => "part",
            },
            unsure: self.review.is_unsure(),
            dialect: reviewed.dialect.as_str(),
            diagnostics,
            fixes: reviewed.fixes.len(),
            report: ReportRow::new(report.clone(), &self.text),
        };
        rows(py, &row)
    }

    /// A picture of it, with what was found.
    fn draw(&self, py: Python<'_>, format: &str) -> PyResult<String> {
        let format: Format = named(format)?;
        let reviewed = &self.review.reviewed;
        let drawn = py.detach(|| draw::draw_reviewed(reviewed, format));
        drawn.ok_or_else(|| no_workflow(&reviewed.value))
    }
}

/// The plan or workflow in a text, inferred and checked.
#[pyfunction]
#[pyo3(signature = (text, *, options = None, policy = None, fixes = "offer"))]
pub(crate) fn review(
    py: Python<'_>,
    text: Text<'_>,
    options: Option<PlanOptions>,
    policy: Option<Chosen>,
    fixes: &str,
) -> PyResult<Reviewed> {
    let options = reviewing(py, options, policy, fixes)?;
    let text = text.read(py)?;
    let review = work(py, &text, move |text| review_plan_with(text, &options))?;
    let review = review.map_err(|error| refusal::of_plan(py, &error, &text))?;
    Ok(Reviewed { review, text: text.into_owned() })
}

/// What the patch in a text makes of a document, inferred and checked.
#[pyfunction]
#[pyo3(signature = (document, text, *, gaps = "leave", options = None, policy = None, fixes = "offer"))]
pub(crate) fn apply(
    py: Python<'_>,
    document: (String, String),
    text: Text<'_>,
    gaps: &str,
    options: Option<PlanOptions>,
    policy: Option<Chosen>,
    fixes: &str,
) -> PyResult<Reviewed> {
    let gaps = named(gaps)?;
    let options = reviewing(py, options, policy, fixes)?;
    let document = read(&document)?;
    let text = text.read(py)?;
    let review = work(py, &text, move |text| review_patch_with(&document, text, gaps, &options))?;
    let review = review.map_err(|error| refusal::of_plan(py, &error, &text))?;
    // What was found has places in the patch only where it is about the patch.
    Ok(Reviewed { review, text: text.into_owned() })
}

/// The rows of what is wrong with a document.
#[pyfunction]
#[pyo3(signature = (document, *, options = None))]
pub(crate) fn check<'py>(
    py: Python<'py>,
    document: (String, String),
    options: Option<PlanOptions>,
) -> PyResult<Bound<'py, PyAny>> {
    let found = py.detach(|| read(&document).map(|document| found(&document, options)))?;
    rows(py, &found.into_iter().map(|finding| finding.diagnostic).collect::<Vec<_>>())
}

/// A document with all that can safely be put right put right, and how many findings that were.
#[pyfunction]
#[pyo3(signature = (document, *, options = None))]
pub(crate) fn fix<'py>(
    py: Python<'py>,
    document: (String, String),
    options: Option<PlanOptions>,
) -> PyResult<(Bound<'py, PyAny>, usize)> {
    let (document, made) = py.detach(|| {
        let mut document = read(&document)?;
        let found = found(&document, options);
        let made = document.fix(found.iter().filter_map(|finding| finding.fix.as_ref()));
        PyResult::Ok((document, made))
    })?;
    Ok((rows(py, &document)?, made))
}

/// The rows of the patch that makes one document of another.
#[pyfunction]
pub(crate) fn diff<'py>(
    py: Python<'py>,
    before: (String, String),
    after: (String, String),
) -> PyResult<Bound<'py, PyAny>> {
    let documents = py.detach(|| PyResult::Ok((read(&before)?, read(&after)?)))?;
    match documents {
        (Document::Plan(before), Document::Plan(after)) => {
            rows(py, &py.detach(|| plan::diff_plans(&before, &after)))
        }
        (Document::Workflow(before), Document::Workflow(after)) => {
            rows(py, &py.detach(|| plan::diff(&before, &after)))
        }
        (one, other) => {
            let (one, other) = (one.what(), other.what());
            Err(PyValueError::new_err(format!("there is no patch from {one} to {other}")))
        }
    }
}

/// A document in a dialect, and the rows of what that cannot carry.
#[pyfunction]
#[pyo3(signature = (document, dialect, *, layout = "compact"))]
pub(crate) fn write<'py>(
    py: Python<'py>,
    document: (String, String),
    dialect: &str,
    layout: &str,
) -> PyResult<(String, Bound<'py, PyAny>)> {
    let written = plan::write(&read(&document)?, named(dialect)?, named(layout)?)
        .map_err(|error| refusal::of_rows(py, error.to_string(), error.reasons))?;
    Ok((written.text, rows(py, &written.lost)?))
}

/// A plan as a workflow, or a workflow as a plan.
#[pyfunction]
pub(crate) fn convert<'py>(
    py: Python<'py>,
    document: (String, String),
) -> PyResult<Bound<'py, PyAny>> {
    match read(&document)? {
        Document::Workflow(workflow) => {
            let plan = workflow
                .to_plan()
                .map_err(|error| refusal::of_rows(py, error.to_string(), error.reasons))?;
            rows(py, &plan)
        }
        other => rows(py, &workflow(&other)?),
    }
}

/// A picture of a document, with what checks find.
#[pyfunction]
#[pyo3(signature = (document, format, *, options = None))]
pub(crate) fn draw(
    py: Python<'_>,
    document: (String, String),
    format: &str,
    options: Option<PlanOptions>,
) -> PyResult<String> {
    let format: Format = named(format)?;
    py.detach(|| {
        let document = read(&document)?;
        let annotations = Annotations::new(found(&document, options).into_iter().map(|it| it.diagnostic));
        Ok(draw::draw(&workflow(&document)?, &annotations, format))
    })
}

pub(crate) fn reviewing(
    py: Python<'_>,
    options: Option<PlanOptions>,
    policy: Option<Chosen>,
    fixes: &str,
) -> PyResult<ReviewOptions> {
    Ok(ReviewOptions {
        text: chosen(py, policy)?,
        plan: options.map(|options| options.settings).unwrap_or_default(),
        fixes: named(fixes)?,
    })
}

fn found(document: &Document, options: Option<PlanOptions>) -> Vec<Finding> {
    let settings = options.map(|options| options.settings).unwrap_or_default();
    document.check(&settings)
}

fn workflow(document: &Document) -> PyResult<Workflow> {
    document.to_workflow().ok_or_else(|| no_workflow(document))
}

fn no_workflow(document: &Document) -> PyErr {
    PyValueError::new_err(format!("{} is no workflow", document.what()))
}

pub(crate) fn read((kind, json): &(String, String)) -> PyResult<Document> {
    is_carried(json)?;
    match named(kind)? {
        DocumentKind::Plan => from_json(json).map(Document::Plan),
        DocumentKind::Workflow => from_json(json).map(Document::Workflow),
        DocumentKind::Patch => from_json(json).map(Document::Patch),
        DocumentKind::TaskResult => from_json(json).map(Document::TaskResult),
    }
}

/// Refuses a document with a number that a plan would not carry as it is.
fn is_carried(json: &str) -> PyResult<()> {
    let strict = llmend::Options {
        max_depth: usize::MAX,
        max_bytes: usize::MAX,
        ..llmend::Options::policy(llmend::Policy::Strict)
    };
    // What is no JSON is told of by who reads it.
    let Ok(parsed) = llmend::json::parse_with(json, &strict) else { return Ok(()) };
    let value = &parsed.value;
    let numbers = (0..value.parts()).filter_map(|at| value.node(at)?.number());
    let lost: Vec<_> = numbers.filter(|digits| !is_number_carried(digits)).collect();
    let Some(first) = lost.first() else { return Ok(()) };
    let shown: String = first.chars().take(40).collect();
    let message = format!("a plan carries no number as large as {shown}: write it as a string");
    let told = Diagnostic::new("plan/not-carried", llmend::Severity::Error, message.clone());
    Python::attach(|py| Err(refusal::of_rows(py, message, vec![told])))
}

/// Whether 64 bits hold a number; of a fraction, as nearly as they do any.
fn is_number_carried(digits: &str) -> bool {
    if digits.bytes().all(|byte| byte == b'-' || byte.is_ascii_digit()) {
        return digits.parse::<i64>().is_ok() || digits.parse::<u64>().is_ok();
    }
    digits.parse::<f64>().is_ok_and(f64::is_finite)
}

pub(crate) fn from_json<T: DeserializeOwned>(json: &str) -> PyResult<T> {
    serde_json::from_str(json).map_err(|error| PyValueError::new_err(error.to_string()))
}
