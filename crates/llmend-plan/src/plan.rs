//! What is a plan?

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Members of an object whose keys are free, sorted by key.
pub type Map = serde_json::Map<String, Value>;

/// Steps with what they depend on, towards an objective: the canonical form, which every dialect
/// is read into.
///
/// As JSON the fields stand in the order given here; absent and empty ones are left out, `steps`
/// excepted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Version of the plan's format or of the plan, as its author means it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// What is to be reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub objective: Option<String>,
    /// What must be observed on the way.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub constraints: Vec<String>,
    /// How one sees that the objective is reached.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub success_criteria: Vec<String>,
    /// What is to be done.
    pub steps: Vec<Step>,
    /// Anything else worth saying.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// What the dialect has no field for.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map,
}

/// One step of a [`Plan`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// The name by which other steps refer to it.
    pub id: String,
    /// What it is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What is to be done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The tool that does it, as free text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// What the tool is given.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub inputs: Map,
    /// Ids of the steps that come before it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<String>,
    /// What comes out of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_output: Option<String>,
    /// What the dialect has no field for.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map,
}

impl Plan {
    /// The canonical form as a plain map, for code that works with maps.
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
    /// The canonical form as a plain map.
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
