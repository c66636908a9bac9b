//! Plans, workflows and patches.
//!
//! Documents are exchanged as JSON in the canonical form, together with their kind.

use llmend::{
    Diagnostic, Review, ReviewOptions,
    draw::{Annotations, Format, draw as draw_workflow, draw_reviewed},
    json::Relocate as _,
    plan::{
        self, Catalog as Tools, Document, DocumentKind, Extent, Finding, Options as Settings,
        Workflow,
    },
    review_patch_with, review_plan_with,
};
use pyo3::{exceptions::PyValueError, prelude::*, types::PyType};
use serde::Serialize;

use crate::{
    UNIT,
    options::{
        Count, List, Pickle, PolicyArgument, chosen, counted, from_json, listed, named, pickle,
        repr,
    },
    record::{ReportRow, rows},
    refusal,
    text::{Text, work},
};

/// Options for reading plans.
///
/// `on_bad_step` sets how to handle an invalid step (`fail`, `drop`, `bridge`), `disabled` lists rejected node
/// types, `on_near_tool="rename"` corrects near misses of tool names, `on_extra_argument="drop"` omits arguments that
/// a tool forbids, and `catalog` lists the available tools.
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
        *, dialect = "auto", strictness = None, on_bad_step = None, disabled = None,
        catalog = None, on_near_tool = "suggest", on_extra_argument = "keep", max_items = None,
    ))]
    fn new(
        dialect: &str,
        strictness: Option<&str>,
        on_bad_step: Option<&str>,
        disabled: List<'_>,
        catalog: Option<Catalog>,
        on_near_tool: &str,
        on_extra_argument: &str,
        max_items: Count<'_>,
    ) -> PyResult<Self> {
        let usual = Settings::default();
        let settings = Settings {
            dialect: named("dialect", dialect)?,
            strictness: strictness.map(|name| named("strictness", name)).transpose()?,
            on_bad_step: on_bad_step.map(|name| named("on_bad_step", name)).transpose()?,
            disabled: listed("disabled", "node types", disabled)?
                .iter()
                .map(|kind| named("disabled", kind))
                .collect::<PyResult<_>>()?,
            catalog: catalog.map(|catalog| catalog.tools),
            on_near_tool: named("on_near_tool", on_near_tool)?,
            on_extra_argument: named("on_extra_argument", on_extra_argument)?,
            max_items: counted("max_items", max_items)?.unwrap_or(usual.max_items),
        };
        Ok(Self { settings })
    }

    fn __repr__(&self) -> PyResult<String> {
        repr("PlanOptions", &self.settings)
    }

    /// Pickles the value.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Pickle<'py>> {
        pickle(slf, &slf.get().settings)
    }

    #[classmethod]
    fn _unpickle(_class: &Bound<'_, PyType>, settings: &str) -> PyResult<Self> {
        Ok(Self { settings: from_json(settings)? })
    }
}

/// A catalog of tools: the result of MCP's `tools/list`, a `tools` array for OpenAI or Anthropic, a mapping from
/// each tool's name to the schema of its arguments, or the JSON text of one of these.
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
    /// `tools` is the result of MCP's `tools/list`, a `tools` array, a mapping from names to schemas, or the
    /// JSON text of one of these.
    #[new]
    fn new(tools: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = tools.py();
        let text = match tools.extract::<String>() {
            Ok(text) => text,
            Err(_) => py.import("json")?.call_method1("dumps", (tools,))?.extract()?,
        };
        let tools =
            Tools::read(&from_json(&text)?).map_err(|error| refusal::raised(py, &error.row()))?;
        Ok(Self { tools })
    }

    fn __repr__(&self) -> PyResult<String> {
        repr("Catalog", &self.tools.tools.keys().collect::<Vec<_>>())
    }

    /// Pickles the value.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Pickle<'py>> {
        pickle(slf, &slf.get().tools)
    }

    #[classmethod]
    fn _unpickle(_class: &Bound<'_, PyType>, settings: &str) -> PyResult<Self> {
        Ok(Self { tools: from_json(settings)? })
    }

    /// The names of the tools, sorted.
    #[getter]
    fn names(&self) -> Vec<&str> {
        self.tools.tools.keys().map(String::as_str).collect()
    }

    /// Returns the name of the only tool of which `name` is a near miss.
    fn nearest(&self, name: &str) -> Option<&str> {
        self.tools.nearest(name)
    }
}

/// A checked document and its report.
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
    /// Reviews the document in `text`.
    pub(crate) const fn new(review: Review, text: String) -> Self {
        Self { review, text }
    }
}

#[pymethods]
impl Reviewed {
    /// Returns the row of the review.
    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let Review { reviewed, report } = &self.review;
        let mut diagnostics = reviewed.diagnostics.clone();
        diagnostics.convert_offsets(&self.text, UNIT);
        let row = ReviewRow {
            kind: reviewed.value.kind(),
            document: &reviewed.value,
            extent: match reviewed.extent {
                Extent::Whole => "whole",
                Extent::Partial => "part",
            },
            unsure: self.review.is_unsure(),
            dialect: reviewed.dialect.as_str(),
            diagnostics,
            fixes: reviewed.fixes.len(),
            report: ReportRow::new(report.clone(), &self.text),
        };
        rows(py, &row)
    }

    /// Draws the document with its findings.
    fn draw(&self, py: Python<'_>, format: &str) -> PyResult<String> {
        let format: Format = named("format", format)?;
        let reviewed = &self.review.reviewed;
        let drawn = py.detach(|| draw_reviewed(reviewed, format));
        drawn.ok_or_else(|| no_workflow(&reviewed.value))
    }
}

/// Reads, infers and checks the plan or workflow in a text.
#[pyfunction]
#[pyo3(signature = (text, *, options = None, policy = None, fixes = "offer"))]
pub(crate) fn review(
    py: Python<'_>,
    text: Text<'_>,
    options: Option<PlanOptions>,
    policy: Option<PolicyArgument>,
    fixes: &str,
) -> PyResult<Reviewed> {
    let options = reviewing(py, options, policy, fixes)?;
    let text = text.read(py)?;
    let review = work(py, &text, move |text| review_plan_with(text, &options))?;
    let review = review.map_err(|error| refusal::of_plan(py, &error, &text))?;
    Ok(Reviewed { review, text: text.into_owned() })
}

/// Applies the patch in a text to a document, and infers and checks the result.
#[pyfunction]
#[pyo3(signature = (document, text, *, gaps = "leave", options = None, policy = None, fixes = "offer"))]
pub(crate) fn apply(
    py: Python<'_>,
    document: (String, String),
    text: Text<'_>,
    gaps: &str,
    options: Option<PlanOptions>,
    policy: Option<PolicyArgument>,
    fixes: &str,
) -> PyResult<Reviewed> {
    let gaps = named("gaps", gaps)?;
    let options = reviewing(py, options, policy, fixes)?;
    let document = read(&document)?;
    let text = text.read(py)?;
    let review = work(py, &text, move |text| review_patch_with(&document, text, gaps, &options))?;
    let review = review.map_err(|error| refusal::of_plan(py, &error, &text))?;
    // Only findings about the patch have spans in its text.
    Ok(Reviewed { review, text: text.into_owned() })
}

/// Returns the rows of the findings of a document.
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

/// Applies all safe fixes to a document, and returns it with their number.
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

/// Returns the rows of the patch between two documents.
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
            Err(PyValueError::new_err(format!("cannot diff {one} and {other}")))
        }
    }
}

/// Writes a document in a dialect, and returns it with the rows of what is lost.
#[pyfunction]
#[pyo3(signature = (document, dialect, *, layout = "compact"))]
pub(crate) fn write<'py>(
    py: Python<'py>,
    document: (String, String),
    dialect: &str,
    layout: &str,
) -> PyResult<(String, Bound<'py, PyAny>)> {
    let written =
        plan::write(&read(&document)?, named("dialect", dialect)?, named("layout", layout)?)
            .map_err(|error| refusal::of_rows(py, error.to_string(), error.reasons))?;
    Ok((written.text, rows(py, &written.lost)?))
}

/// Converts a plan to a workflow, or a workflow to a plan.
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

/// Draws a document with the findings of its checks.
#[pyfunction]
#[pyo3(signature = (document, format, *, options = None))]
pub(crate) fn draw(
    py: Python<'_>,
    document: (String, String),
    format: &str,
    options: Option<PlanOptions>,
) -> PyResult<String> {
    let format: Format = named("format", format)?;
    py.detach(|| {
        let document = read(&document)?;
        let annotations =
            Annotations::new(found(&document, options).into_iter().map(|it| it.diagnostic));
        Ok(draw_workflow(&workflow(&document)?, &annotations, format))
    })
}

pub(crate) fn reviewing(
    py: Python<'_>,
    options: Option<PlanOptions>,
    policy: Option<PolicyArgument>,
    fixes: &str,
) -> PyResult<ReviewOptions> {
    Ok(ReviewOptions {
        text: chosen(py, policy)?,
        plan: options.map(|options| options.settings).unwrap_or_default(),
        fixes: named("fixes", fixes)?,
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
    PyValueError::new_err(format!("expected a plan or workflow, found {}", document.what()))
}

pub(crate) fn read((kind, json): &(String, String)) -> PyResult<Document> {
    is_carried(json)?;
    match named("kind", kind)? {
        DocumentKind::Plan => from_json(json).map(Document::Plan),
        DocumentKind::Workflow => from_json(json).map(Document::Workflow),
        DocumentKind::Patch => from_json(json).map(Document::Patch),
        DocumentKind::TaskResult => from_json(json).map(Document::TaskResult),
    }
}

/// Rejects a document with a number that a plan cannot represent.
fn is_carried(json: &str) -> PyResult<()> {
    let strict = llmend::Options {
        max_depth: usize::MAX,
        max_bytes: usize::MAX,
        ..llmend::Options::policy(llmend::Policy::Strict)
    };
    // Invalid JSON is reported by its reader.
    let Ok(parsed) = llmend::json::parse_with(json, &strict) else { return Ok(()) };
    let value = &parsed.value;
    let numbers = (0..value.parts()).filter_map(|at| value.node(at)?.number());
    let lost: Vec<_> = numbers.filter(|digits| !fits_64_bits(digits)).collect();
    let Some(first) = lost.first() else { return Ok(()) };
    let shown: String = first.chars().take(40).collect();
    let message = format!("number {shown} exceeds 64 bits; write it as a string");
    let told = Diagnostic::new("plan/not-carried", llmend::Severity::Error, message.clone());
    Python::attach(|py| Err(refusal::of_rows(py, message, vec![told])))
}

/// Returns whether a number fits 64 bits; a fraction may be rounded.
fn fits_64_bits(digits: &str) -> bool {
    if digits.bytes().all(|byte| byte == b'-' || byte.is_ascii_digit()) {
        return digits.parse::<i64>().is_ok() || digits.parse::<u64>().is_ok();
    }
    digits.parse::<f64>().is_ok_and(f64::is_finite)
}
