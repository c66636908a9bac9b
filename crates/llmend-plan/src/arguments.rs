//! Do the arguments of a step fit what its tool takes?

use llmend_json::Node;
use serde_json::Value;

use crate::{Map, findings::Findings};

/// Makes `inputs` fit `schema`, the JSON Schema of what the tool is given. `given` is what the model
/// wrote, and its path, where it wrote JSON.
///
/// Each coercion is a finding. What cannot be made to fit stays as it is: whether arguments are
/// right is for the checks to say.
pub(crate) fn fit(
    _inputs: &mut Map,
    _schema: &Value,
    _given: Option<(Node<'_>, &str)>,
    _findings: &mut Findings,
) {
}
