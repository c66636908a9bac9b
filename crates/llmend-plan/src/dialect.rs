//! In which form is the plan written?

use std::{fmt, str::FromStr};

use llmend_json::{Node, UnknownName};
use serde::Serialize;

use crate::{OnBadStep, Plan, object::Findings};

pub(crate) mod canonical;
pub(crate) mod openmanus;

/// The form in which a plan is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Dialect {
    /// The first dialect whose required fields are all there: `openmanus`, else `canonical`.
    #[default]
    Auto,
    /// llmend's own: `steps` with an `id` each is all that is required, null is as good as absent,
    /// and fields that it does not know become metadata.
    Canonical,
    /// The plan of `OpenManus`: `version`, `objective` and `steps` are required, of each step all
    /// fields but `depends_on` and `inputs`; unknown fields are forbidden; `steps` may be empty.
    #[serde(rename = "openmanus")]
    OpenManus,
}

impl Dialect {
    /// All dialects.
    pub const ALL: [Self; 3] = [Self::Auto, Self::Canonical, Self::OpenManus];

    /// The name that flags and configuration use.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Canonical => "canonical",
            Self::OpenManus => "openmanus",
        }
    }

    /// What becomes of a bad step where nothing is said.
    #[must_use]
    pub const fn on_bad_step(self) -> OnBadStep {
        OnBadStep::Fail
    }

    /// The dialect that `node` is written in, as far as its fields tell.
    pub(crate) fn of(node: Node<'_>) -> Self {
        if openmanus::fits(node) { Self::OpenManus } else { Self::Canonical }
    }

    /// Reads `node` and records what is wrong with it; then the plan is not to be used.
    pub(crate) fn read(self, node: Node<'_>, findings: &mut Findings) -> Plan {
        match self {
            Self::Auto => Self::of(node).read(node, findings),
            Self::Canonical => canonical::read(node, findings),
            Self::OpenManus => openmanus::read(node, findings),
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Dialect {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        Self::ALL
            .into_iter()
            .find(|dialect| dialect.as_str() == name)
            .ok_or_else(|| UnknownName(name.to_owned()))
    }
}
