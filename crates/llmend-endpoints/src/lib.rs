//! What llmend's own HTTP endpoints answer, without a server.
//!
//! Each endpoint is a function from its request to the members of its answer, or to a [`Refusal`]. [`answer`] joins them
//! by their paths, from the JSON of a request to that of the answer: it is what a page asks that has no gateway, and
//! gives the gateway's answers byte for byte.
//!
//! ```
//! use llmend_endpoints::{Settings, answer};
//!
//! let found = answer("/v1/repair", br#"{"text": "{'n': 1,}"}"#, &Settings::default());
//! assert_eq!(found.status, 200);
//! assert!(found.body.contains(r#""json":"{\"n\": 1}""#));
//! ```

mod answer;
mod calls;
mod chunks;
mod members;
mod options;
mod plan;
mod refusal;
mod repair;
mod rules;
mod stream;
mod workflow_check;
mod workflow_patch;

pub use answer::{Answer, answer, request};
pub use calls::{CallsRequest, calls};
pub use options::Settings;
pub use plan::{PlanRequest, plan};
pub use refusal::Refusal;
pub use repair::{RepairRequest, repair};
pub use rules::rules;
pub use stream::{StreamRequest, stream};
pub use workflow_check::{WorkflowCheckRequest, check_workflow};
pub use workflow_patch::{WorkflowPatchRequest, patch_workflow};

/// Compiles and runs the code of README.md with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeCode;
