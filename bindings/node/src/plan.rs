//! Plans and workflows.

use std::{fmt::Display, str::FromStr};

use llmend::{
    Diagnostic, Review, ReviewOptions,
    json::Relocate as _,
    plan::{Catalog, Dialect, Document, DocumentKind, Extent, NodeType, Options as Settings},
    review_plan_with,
};
use serde::{Deserialize, Serialize};

use crate::{
    UNIT,
    fit::named_or,
    options::{self, named, one_of},
    refusal::{self, Refusal},
    report::ReportRow,
    words::reword,
};

/// Options of reading plans, beside those of the text.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct PlanOptions {
    dialect: Option<String>,
    strictness: Option<String>,
    on_bad_step: Option<String>,
    disabled: Vec<String>,
    catalog: Option<serde_json::Value>,
    on_near_tool: Option<String>,
    on_extra_argument: Option<String>,
    max_items: Option<usize>,
    fixes: Option<String>,
}

impl PlanOptions {
    fn read(&self) -> Result<Settings, Refusal> {
        let usual = Settings::default();
        Ok(Settings {
            dialect: self.dialect.as_deref().map_or(Ok(usual.dialect), |name| {
                one_of("dialect", name, &Dialect::ALL, Dialect::as_str)
            })?,
            strictness: given("strictness", self.strictness.as_deref())?,
            on_bad_step: given("onBadStep", self.on_bad_step.as_deref())?,
            disabled: self
                .disabled
                .iter()
                .map(|name| one_of("disabled", name, &NodeType::ALL, NodeType::as_str))
                .collect::<Result<_, _>>()?,
            catalog: self.catalog.as_ref().map(catalog).transpose()?,
            on_near_tool: named_or("onNearTool", self.on_near_tool.as_deref())?,
            on_extra_argument: named_or("onExtraArgument", self.on_extra_argument.as_deref())?,
            max_items: self.max_items.unwrap_or(usual.max_items),
        })
    }
}

/// Parses the name that an option has as its value, if it has one.
fn given<T: FromStr<Err: Display>>(option: &str, name: Option<&str>) -> Result<Option<T>, Refusal> {
    name.map(|name| named(option, name)).transpose()
}

fn catalog(tools: &serde_json::Value) -> Result<Catalog, Refusal> {
    Catalog::read(tools).map_err(|error| refusal::thrown(error.row()))
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

/// Reads, infers and checks the plan or workflow in a text. Returns the JSON of the review.
pub(crate) fn review(text: &str, options: &str, plan: &str) -> Result<String, Refusal> {
    let given: PlanOptions = options::read(plan)?;
    let fixes = named_or("fixes", given.fixes.as_deref())?;
    let options =
        ReviewOptions { text: options::given(options)?.read()?, plan: given.read()?, fixes };
    let review =
        review_plan_with(text, &options).map_err(|error| refusal::of_plan(&error, text))?;
    Ok(review_row(&review, text))
}

fn review_row(review: &Review, text: &str) -> String {
    let Review { reviewed, report } = review;
    let mut diagnostics = reviewed.diagnostics.clone();
    diagnostics.convert_offsets(text, UNIT);
    reword(&mut diagnostics);
    let row = ReviewRow {
        kind: reviewed.value.kind(),
        document: &reviewed.value,
        extent: match reviewed.extent {
            Extent::Whole => "whole",
            Extent::Partial => "part",
        },
        unsure: review.is_unsure(),
        dialect: reviewed.dialect.as_str(),
        diagnostics,
        fixes: reviewed.fixes.len(),
        report: ReportRow::new(report.clone(), text),
    };
    serde_json::to_string(&row).unwrap_or_default()
}
