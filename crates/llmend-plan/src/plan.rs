//! The canonical plan: steps with dependencies.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A JSON object with arbitrary keys, sorted by key.
pub type Map = serde_json::Map<String, Value>;

/// Steps with dependencies, toward an objective: the canonical form into which every dialect is
/// read.
///
/// In JSON, fields keep the order given here. Absent and empty fields are omitted, except for
/// `steps`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Version of the plan or of its format, as the author uses it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The goal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub objective: Option<String>,
    /// Constraints on how the goal is reached.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub constraints: Vec<String>,
    /// Criteria by which the goal counts as reached.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub success_criteria: Vec<String>,
    /// The steps.
    pub steps: Vec<Step>,
    /// Free-form notes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// Fields of the source for which the canonical form has none.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map,
}

/// One step of a [`Plan`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Name by which other steps refer to this one.
    pub id: String,
    /// Short title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Name of the tool to use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Arguments of the tool.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub inputs: Map,
    /// Ids of the steps that must finish first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<String>,
    /// The expected result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_output: Option<String>,
    /// Fields of the source for which the canonical form has none.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map,
}

impl Plan {
    /// Returns the canonical form as a JSON object.
    ///
    /// ```
    /// let plan = llmend_plan::Plan { objective: Some("Demo".to_owned()), ..Default::default() };
    /// assert_eq!(serde_json::Value::from(plan.to_map()), serde_json::json!({"objective": "Demo", "steps": []}));
    /// ```
    #[must_use]
    pub fn to_map(&self) -> Map {
        let mut map = Map::new();
        put_text(&mut map, "version", self.version.as_deref());
        put_text(&mut map, "objective", self.objective.as_deref());
        put_texts(&mut map, "constraints", &self.constraints);
        put_texts(&mut map, "success_criteria", &self.success_criteria);
        map.insert("steps".to_owned(), self.steps.iter().map(Step::to_map).collect());
        put_text(&mut map, "notes", self.notes.as_deref());
        put_map(&mut map, "metadata", &self.metadata);
        map
    }
}

impl Step {
    /// Returns the canonical form as a JSON object.
    #[must_use]
    pub fn to_map(&self) -> Map {
        let mut map = Map::new();
        put_text(&mut map, "id", Some(&self.id));
        put_text(&mut map, "title", self.title.as_deref());
        put_text(&mut map, "description", self.description.as_deref());
        put_text(&mut map, "tool", self.tool.as_deref());
        put_map(&mut map, "inputs", &self.inputs);
        put_texts(&mut map, "depends_on", &self.depends_on);
        put_text(&mut map, "expected_output", self.expected_output.as_deref());
        put_map(&mut map, "metadata", &self.metadata);
        map
    }
}

fn put_text(map: &mut Map, name: &str, text: Option<&str>) {
    if let Some(text) = text {
        map.insert(name.to_owned(), Value::from(text));
    }
}

fn put_texts(map: &mut Map, name: &str, texts: &[String]) {
    if !texts.is_empty() {
        map.insert(name.to_owned(), Value::from(texts));
    }
}

fn put_map(map: &mut Map, name: &str, inner: &Map) {
    if !inner.is_empty() {
        map.insert(name.to_owned(), Value::from(inner.clone()));
    }
}
