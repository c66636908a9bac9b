//! Which plan does a value say, and what is wrong with it?

use llmend_json::{Diagnostic, Value};

use crate::{Dialect, Error, Places, Plan, object::Findings};

/// A plan, and what is worth knowing of how it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// The plan.
    pub plan: Plan,
    /// How it was read; never [`Dialect::Auto`].
    pub dialect: Dialect,
    /// Warnings and remarks, in the order of the text; no errors.
    pub diagnostics: Vec<Diagnostic>,
    /// Where the parts of the plan stand in the text.
    pub places: Places,
}

/// Reads the plan that `value` says. All problems are reported at once.
///
/// Nothing is coerced: a number is no string, and a string is no list of one. An unknown key that
/// is a slip of an absent field's name is a problem in every dialect, since leaving it aside would
/// silently leave out what was meant.
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
    let node = value.root();
    let dialect = match dialect {
        Dialect::Auto => Dialect::of(node),
        named => named,
    };
    let mut findings = Findings::default();
    let plan = dialect.read(node, &mut findings);
    match findings.finish() {
        (diagnostics, false) => {
            Ok(Reading { plan, dialect, diagnostics, places: Places::default() })
        }
        (diagnostics, true) => Err(Error::Unreadable { dialect, diagnostics }),
    }
}
