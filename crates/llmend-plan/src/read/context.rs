//! What goes along while a document is read?

use std::collections::BTreeMap;

use llmend_json::{Diagnostic, Severity, Span};

use crate::{
    Dialect, Document, Map, NodeType, OnBadStep, OnNearTool, Options, Places, Read, Strictness,
    arguments, code,
    findings::{Findings, shown},
    object::Part,
    places::ItemPlaces,
};

/// The options, and what was found so far.
pub(crate) struct Context<'o> {
    pub(crate) options: &'o Options,
    pub(crate) dialect: Dialect,
    pub(crate) strictness: Strictness,
    pub(crate) policy: OnBadStep,
    /// What was found in the whole.
    pub(crate) findings: Findings,
    /// Where the items of each list stand.
    pub(crate) lists: BTreeMap<String, Vec<ItemPlaces>>,
}

/// An item as it was read: on its own, so that a bad one harms no other.
pub(crate) struct Item<T> {
    pub(crate) value: T,
    /// Whether it is to be used.
    pub(crate) fate: Fate,
    pub(crate) places: ItemPlaces,
}

/// Whether an item is to be used.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It is.
    Used,
    /// It is left out, and said so.
    LeftOut,
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

    /// What came of it all.
    pub(crate) fn finish(mut self, value: Option<Document>) -> Read<Option<Document>> {
        let root = std::mem::take(&mut self.findings.places);
        let places = Places { root, lists: self.lists };
        Read { value, dialect: self.dialect, diagnostics: self.findings.finish(), places }
    }

    /// Reads one item. An error in it is one of the whole, or leaves the item out, as the policy
    /// says; `label` is what a warning calls it.
    pub(crate) fn item<T>(
        &mut self,
        label: impl FnOnce(&T) -> String,
        read: impl FnOnce(&Self, &mut Findings) -> T,
    ) -> Item<T> {
        let mut findings = Findings::default();
        let value = read(self, &mut findings);
        let mut fate = Fate::Used;
        if self.policy != OnBadStep::Fail && findings.failed() {
            findings.leave_out(&label(&value));
            fate = Fate::LeftOut;
        }
        let places = self.findings.absorb(findings);
        Item { value, fate, places }
    }

    /// Whether `items` are not too many to be read.
    pub(crate) fn has_room(&mut self, list: &Part<'_>) -> bool {
        let most = self.options.most_items;
        let fits = list.node.items().nth(most).is_none();
        if !fits {
            let message = format!("`{}` has more than {most} items", shown(&list.path));
            self.findings.error(code::TOO_MANY, &list.path, list.span(), message);
        }
        fits
    }

    /// Says that nothing is left of `list`, which was to have at least one item.
    pub(crate) fn nothing_left(&mut self, span: Span, path: &str, given: usize) {
        let (code, message) = match given {
            0 => (code::EMPTY, "the plan has no steps".to_owned()),
            1 => (code::NO_VALID_STEP, "the one step there is cannot be used".to_owned()),
            _ => (code::NO_VALID_STEP, format!("none of the {given} steps can be used")),
        };
        self.findings.error(code, path, span, message);
    }

    /// Whether a node of that type may be there.
    pub(crate) fn admit_type(&self, node_type: NodeType, it: &Part<'_>, findings: &mut Findings) {
        if self.options.disabled.contains(&node_type) {
            let message = format!("steps of the type `{node_type}` are switched off");
            findings.error(code::DISABLED_TYPE, &it.path, it.span(), message);
        }
    }

    /// Whether there is such a tool; its name is mended where the options ask for it.
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
        let message = format!("there is no tool `{}`", shown(tool));
        match (near, self.options.on_near_tool) {
            (Some(near), OnNearTool::Rename) => {
                let message = format!("{message}; it is read as `{near}`");
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

    /// Makes what a tool is given, at `part` of the item, fit what it takes.
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
        // Of a schema that cannot be used, the checks tell.
        if let Some(Ok(schema)) = catalog.compiled(tool, capability) {
            arguments::fit(inputs, &schema, part, findings);
        }
    }
}
