//! State of reading one document.

use std::collections::BTreeMap;

use llmend_json::{Diagnostic, Severity, Span};

use crate::{
    Dialect, Document, Locations, Map, NodeType, OnBadStep, OnNearTool, Options, ParsedDocument,
    Strictness, arguments, code,
    findings::{Findings, shown},
    locations::ItemLocations,
    object::Part,
};

/// The options and the findings so far.
pub(crate) struct Context<'o> {
    pub(crate) options: &'o Options,
    pub(crate) dialect: Dialect,
    pub(crate) strictness: Strictness,
    pub(crate) policy: OnBadStep,
    /// Findings about the whole document.
    pub(crate) findings: Findings,
    /// Positions of the items of each list.
    pub(crate) lists: BTreeMap<String, Vec<ItemLocations>>,
}

/// An item of a list. Items are read independently, so that an invalid one does not affect others.
pub(crate) struct ListItem<T> {
    pub(crate) value: T,
    /// Whether the item is kept.
    pub(crate) fate: Fate,
    pub(crate) locations: ItemLocations,
}

/// Whether an item is kept.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// The item is part of the document.
    Kept,
    /// The item is invalid and omitted, with a warning.
    Omitted,
}

impl<'o> Context<'o> {
    pub(crate) fn new(options: &'o Options, dialect: Dialect) -> Self {
        Self {
            options,
            dialect,
            strictness: options.strictness.unwrap_or(dialect.strictness()),
            policy: options.on_bad_step.unwrap_or(dialect.on_bad_step()),
            findings: Findings::default(),
            lists: BTreeMap::new(),
        }
    }

    /// Returns the document with all findings and locations.
    pub(crate) fn finish(mut self, value: Option<Document>) -> ParsedDocument<Option<Document>> {
        let root = std::mem::take(&mut self.findings.locations);
        let locations = Locations { root, lists: self.lists };
        ParsedDocument {
            value,
            dialect: self.dialect,
            diagnostics: self.findings.finish(),
            locations,
        }
    }

    /// Returns the result of reading nothing, for this reason.
    pub(crate) fn refuse(mut self, reason: Diagnostic) -> ParsedDocument<Option<Document>> {
        self.findings.push(reason);
        self.finish(None)
    }

    /// Reads one item. Depending on the policy, an error in it is an error of the document or omits the
    /// item; `label` names the item in the warning.
    pub(crate) fn item<T>(
        &mut self,
        label: impl FnOnce(&T) -> String,
        read: impl FnOnce(&Self, &mut Findings) -> T,
    ) -> ListItem<T> {
        let mut findings = Findings::default();
        let value = read(self, &mut findings);
        let mut fate = Fate::Kept;
        if self.policy != OnBadStep::Fail && findings.failed() {
            findings.omit(&label(&value));
            fate = Fate::Omitted;
        }
        let locations = self.findings.absorb(findings);
        ListItem { value, fate, locations }
    }

    /// Checks the number of items of `list` and returns whether it is allowed.
    pub(crate) fn has_room(&mut self, list: &Part<'_>) -> bool {
        let most = self.options.max_items;
        let fits = list.node.items().nth(most).is_none();
        if !fits {
            let message = format!("`{}` has more than {most} items", shown(&list.path));
            self.findings.error(code::TOO_MANY, &list.path, list.span(), message);
        }
        fits
    }

    /// Reports that no step is left.
    pub(crate) fn report_no_steps(&mut self, span: Span, path: &str, given: usize) {
        let (code, message) = match given {
            0 => (code::EMPTY, "the plan has no steps".to_owned()),
            1 => (code::NO_VALID_STEP, "the only step is invalid".to_owned()),
            _ => (code::NO_VALID_STEP, format!("all {given} steps are invalid")),
        };
        self.findings.error(code, path, span, message);
    }

    /// Checks that the node type is not disabled.
    pub(crate) fn admit_type(&self, node_type: NodeType, it: &Part<'_>, findings: &mut Findings) {
        if self.options.disabled.contains(&node_type) {
            let message = format!("steps of type `{node_type}` are disabled");
            findings.error(code::DISABLED_TYPE, &it.path, it.span(), message);
        }
    }

    /// Checks that the tool exists, and corrects its name if the options ask for that.
    pub(crate) fn admit_tool(
        &self,
        tool: &mut String,
        path: &str,
        span: Span,
        findings: &mut Findings,
    ) {
        let Some(catalog) = &self.options.catalog else { return };
        if catalog.tool(tool).is_some() {
            return;
        }
        let near = catalog.nearest(tool).map(str::to_owned);
        let message = format!("unknown tool `{}`", shown(tool));
        match (near, self.options.on_near_tool) {
            (Some(near), OnNearTool::Rename) => {
                let message = format!("{message}; read as `{near}`");
                findings.warn(code::TOOL_RENAMED, path, span, message);
                *tool = near;
            }
            (near, _) => {
                let row = Diagnostic::new(code::UNKNOWN_TOOL, Severity::Error, message);
                let row = row.at(span).on(path);
                findings.push(match near {
                    Some(near) => row.help(format!("did you mean `{near}`?")),
                    None => row,
                });
            }
        }
    }

    /// Coerces the arguments of a tool, at `part` of the item, to its schema.
    pub(crate) fn fit(
        &self,
        tool: &str,
        metadata: &Map,
        inputs: &mut Map,
        part: &str,
        findings: &mut Findings,
    ) {
        let Some(catalog) = &self.options.catalog else { return };
        let capability = metadata.get("capability").and_then(serde_json::Value::as_str);
        // The checks report a schema that cannot be compiled.
        if let Some(Ok(schema)) = catalog.compiled(tool, capability) {
            let on_extra = self.options.on_extra_argument;
            arguments::fit(inputs, &schema, on_extra, part, findings);
        }
    }
}
