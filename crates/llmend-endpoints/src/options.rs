//! What a request and the settings allow.

use std::collections::BTreeMap;

use llmend::config::RepairMode;
use llmend::draw::Format;
use llmend::json::{Rule, UnknownRule};
use llmend::plan::{Catalog, Options as PlanOptions};
use llmend::{Dialect, Fixes, Options, Policy, ReviewOptions, schema};
use serde_json::Value;

use crate::Refusal;

/// What applies to all requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Whether texts are repaired.
    pub repairing: RepairMode,
    /// Maximum nesting depth of a text. Default: 128.
    pub max_depth: usize,
    /// Maximum size of a text in bytes. Default: 20 MB.
    pub max_bytes: usize,
    /// Work budget for coercing one value to its schema, in steps, in addition to the steps that its size
    /// allows. Default: 2 million.
    pub max_work: usize,
    /// Total work budget for coercing one value to its schema, in steps, whatever its size. Default: 50 million.
    pub max_work_in_all: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            repairing: RepairMode::On,
            max_depth: 128,
            max_bytes: 20_000_000,
            max_work: 2_000_000,
            max_work_in_all: 50_000_000,
        }
    }
}

/// Rules that a request enables or disables in addition to its policy, by name.
pub(crate) type Rules = BTreeMap<String, bool>;

impl Settings {
    /// Returns the options for a text. Enables no rule while repairs are disabled.
    pub(crate) fn text(
        &self,
        policy: Option<&str>,
        rules: Option<&Rules>,
    ) -> Result<Options, Refusal> {
        let policy = match policy {
            Some(name) => name.parse::<Policy>().map_err(|error| {
                let known = Policy::ALL.map(Policy::as_str).join(", ");
                Refusal::request("bad_policy", format!("{error}; expected one of {known}"))
                    .about("policy")
            })?,
            None => Policy::default(),
        };
        let is_on = self.repairing == RepairMode::On;
        let mut options = Options::policy(if is_on { policy } else { Policy::Strict });
        options.max_depth = self.max_depth;
        options.max_bytes = self.max_bytes;
        for (name, is_allowed) in rules.into_iter().flatten() {
            let rule: Rule = name.parse().map_err(|error: UnknownRule| {
                Refusal::request("bad_rule", error.to_string()).about("rules")
            })?;
            if !is_allowed {
                options.rules = options.rules.without(rule);
            } else if is_on {
                options.rules = options.rules.with(rule);
            }
        }
        Ok(options)
    }

    /// Returns the options for fitting a value to a schema.
    pub(crate) fn schema(&self) -> schema::Options {
        schema::Options {
            max_work: self.max_work,
            max_work_in_all: Some(self.max_work_in_all),
            ..schema::Options::default()
        }
    }
}

/// Options for reading a plan.
#[derive(Clone, Copy, Default)]
pub(crate) struct Planning<'a> {
    pub(crate) policy: Option<&'a str>,
    pub(crate) rules: Option<&'a Rules>,
    pub(crate) dialect: Option<&'a str>,
    pub(crate) catalog: Option<&'a Value>,
    pub(crate) fix: Option<bool>,
}

impl Planning<'_> {
    pub(crate) fn options(&self, settings: &Settings) -> Result<ReviewOptions, Refusal> {
        let dialect = match self.dialect {
            Some(name) => name.parse::<Dialect>().map_err(|_| {
                let known = Dialect::ALL.map(Dialect::as_str).join(", ");
                let message = format!("unknown dialect `{name}`; expected one of {known}");
                Refusal::request("bad_dialect", message).about("dialect")
            })?,
            None => Dialect::Auto,
        };
        let catalog = self.catalog.map(Catalog::read).transpose();
        let catalog = catalog
            .map_err(|error| Refusal::request(error.code(), error.to_string()).about("catalog"))?;
        let plan = PlanOptions { dialect, catalog, ..PlanOptions::default() };
        let fixes = if self.fix == Some(true) { Fixes::Made } else { Fixes::Offered };
        Ok(ReviewOptions { text: settings.text(self.policy, self.rules)?, plan, fixes })
    }
}

/// Parses the format of a drawing.
pub(crate) fn format(name: Option<&str>) -> Result<Option<Format>, Refusal> {
    let parse = |name: &str| {
        name.parse::<Format>()
            .map_err(|error| Refusal::request("bad_format", error.to_string()).about("draw"))
    };
    name.map(parse).transpose()
}
