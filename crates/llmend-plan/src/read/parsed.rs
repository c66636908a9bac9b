//! Parsed documents.

use llmend_json::Diagnostic;

use crate::{Dialect, Document, Error, Locations, Plan, Workflow, findings};

/// A plan and how it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct ParsedPlan {
    /// The plan.
    pub plan: Plan,
    /// The dialect; never [`Dialect::Auto`].
    pub dialect: Dialect,
    /// Warnings and infos in text order; no errors. Paths point into the source value.
    pub diagnostics: Vec<Diagnostic>,
    /// Positions of the parts of the plan in the source text.
    pub locations: Locations,
}

/// A document and how it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct ParsedDocument<T> {
    /// The document.
    pub value: T,
    /// The dialect; never [`Dialect::Auto`].
    pub dialect: Dialect,
    /// Warnings and infos in text order, and errors if it was read partially. Paths point into the
    /// source value.
    pub diagnostics: Vec<Diagnostic>,
    /// Positions of its parts in the source text.
    pub locations: Locations,
}

impl<T> ParsedDocument<T> {
    /// Returns whether a part of the document could not be read.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        findings::has_errors(&self.diagnostics)
    }
}

impl ParsedDocument<Option<Document>> {
    /// Returns the document if it has no errors.
    pub fn whole(self) -> Result<ParsedDocument<Document>, Error> {
        let failed = self.has_errors();
        let Self { value, dialect, diagnostics, locations } = self;
        match value.filter(|_| !failed) {
            Some(value) => Ok(ParsedDocument { value, dialect, diagnostics, locations }),
            None => Err(Error::Unreadable { dialect, diagnostics }),
        }
    }
}

impl ParsedDocument<Document> {
    /// Returns the workflow. A plan is converted, together with its locations.
    pub fn into_workflow(self) -> Result<ParsedDocument<Workflow>, Error> {
        let Self { value, dialect, diagnostics, locations } = self;
        match value {
            Document::Workflow(value) => {
                Ok(ParsedDocument { value, dialect, diagnostics, locations })
            }
            Document::Plan(plan) => {
                let converted = plan.to_workflow();
                let locations = converted.locations(&locations);
                Ok(ParsedDocument { value: converted.workflow, dialect, diagnostics, locations })
            }
            other => Err(Error::unexpected(dialect, &other, "a workflow", diagnostics)),
        }
    }
}
