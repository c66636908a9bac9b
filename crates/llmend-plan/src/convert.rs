//! Conversion between plans and workflows.
//!
//! A step becomes a node, and a dependency an edge from the earlier step. A field that the other side
//! lacks is kept in its metadata under the field's name, and restored on the way back.

use std::collections::BTreeMap;

use llmend_json::{Diagnostic, Severity};
use serde_json::Value;

use crate::{
    Edge, Locations, Map, Node, NodeKind, NodeType, Plan, Position, Step, Workflow, code,
    locations::ItemLocations,
};

/// A plan converted to a workflow.
#[derive(Clone, Debug, PartialEq)]
pub struct ConvertedPlan {
    /// The workflow. Its nodes are the plan's steps, in the same order.
    pub workflow: Workflow,
    /// Origin of each edge: the index of the dependent step and the index of the dependency in it.
    pub edges: Vec<(usize, usize)>,
}

/// The error of a workflow that a plan cannot express.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("workflow cannot be converted to a plan: {}", .reasons.first().map(|row| row.message.as_str()).unwrap_or_default())]
pub struct ToPlanError {
    /// Every reason, at least one. Paths point into the canonical workflow.
    pub reasons: Vec<Diagnostic>,
}

impl Plan {
    /// Converts the plan to a workflow. A step with a tool becomes a tool node, a step without one
    /// an AI step.
    ///
    /// ```
    /// use llmend_plan::{Edge, Plan, Step};
    ///
    /// let boil = Step { id: "boil".into(), tool: Some("kettle".into()), ..Step::default() };
    /// let pour = Step { id: "pour".into(), depends_on: vec!["boil".into()], ..Step::default() };
    /// let plan = Plan { steps: vec![boil, pour], ..Plan::default() };
    /// let workflow = plan.to_workflow().workflow;
    /// assert_eq!(workflow.edges, [Edge::new("boil", "pour")]);
    /// assert_eq!(workflow.to_plan()?, plan);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn to_workflow(&self) -> ConvertedPlan {
        let mut metadata = self.metadata.clone();
        put(&mut metadata, "version", text(self.version.as_deref()));
        put(&mut metadata, "constraints", texts(&self.constraints));
        put(&mut metadata, "success_criteria", texts(&self.success_criteria));
        put(&mut metadata, "notes", text(self.notes.as_deref()));
        let mut edges = Vec::new();
        let mut sources = Vec::new();
        for (at, step) in self.steps.iter().enumerate() {
            for (nth, earlier) in step.depends_on.iter().enumerate() {
                edges.push(Edge::new(earlier.as_str(), step.id.as_str()));
                sources.push((at, nth));
            }
        }
        let workflow = Workflow {
            objective: self.objective.clone(),
            nodes: self.steps.iter().map(node).collect(),
            edges,
            metadata,
            ..Workflow::default()
        };
        ConvertedPlan { workflow, edges: sources }
    }
}

impl ConvertedPlan {
    /// Returns the locations of the workflow, given those of the plan.
    #[must_use]
    pub fn locations(&self, plan: &Locations) -> Locations {
        let mut locations = Locations { root: plan.root.clone(), ..Locations::default() };
        let steps = plan.lists.get("steps").map(Vec::as_slice).unwrap_or_default();
        locations.lists.insert("nodes".to_owned(), steps.iter().map(node_places).collect());
        let edges = self.edges.iter().map(|(step, nth)| {
            let item = steps.get(*step);
            let part = item.and_then(|item| item.parts.get(&format!("/depends_on/{nth}")));
            let whole = part.or(item.and_then(|item| item.whole.as_ref())).cloned();
            ItemLocations { whole, ..ItemLocations::default() }
        });
        locations.lists.insert("edges".to_owned(), edges.collect());
        locations
    }
}

/// Fields of a step and their names in a node.
const RENAMED: [(&str, &str); 4] = [
    ("/title", "/name"),
    ("/inputs", "/arguments"),
    ("/expected_output", "/expected_outcome"),
    ("/description", "/prompt"),
];

fn node_places(step: &ItemLocations) -> ItemLocations {
    let mut node = step.clone();
    add_renamed(&mut node.parts);
    add_renamed(&mut node.order);
    node
}

/// Adds what is known of the fields of a step under their names in a node.
fn add_renamed<T: Clone>(known: &mut BTreeMap<String, T>) {
    let mut added = Vec::new();
    for (path, what) in known.iter() {
        for (theirs, ours) in RENAMED {
            if let Some(tail) =
                path.strip_prefix(theirs).filter(|tail| tail.is_empty() || tail.starts_with('/'))
            {
                added.push((format!("{ours}{tail}"), what.clone()));
            }
        }
    }
    known.extend(added);
}

fn node(step: &Step) -> Node {
    let mut metadata = step.metadata.clone();
    let (kind, description) = if let Some(tool) = &step.tool {
        let (tool, arguments) = (tool.clone(), step.inputs.clone());
        (NodeKind::Tool { tool, arguments }, step.description.clone())
    } else {
        put(
            &mut metadata,
            "inputs",
            (!step.inputs.is_empty()).then(|| Value::Object(step.inputs.clone())),
        );
        (task(step, &mut metadata), None)
    };
    let mut node = Node::new(step.id.as_str(), kind);
    node.name.clone_from(&step.title);
    node.description = description;
    node.expected_outcome.clone_from(&step.expected_output);
    node.enabled = take(&mut metadata, "enabled", Value::as_bool).unwrap_or(true);
    node.timeout_ms = take(&mut metadata, "timeout_ms", Value::as_u64);
    node.retries = take(&mut metadata, "retries", small).unwrap_or_default();
    node.position = take(&mut metadata, "position", position);
    node.metadata = metadata;
    node
}

/// Returns the node kind of a step without a tool.
fn task(step: &Step, metadata: &mut Map) -> NodeKind {
    let name =
        |value: &Value| value.as_str().filter(|name| *name == "ai_transform").map(str::to_owned);
    let prompt = step.description.clone().or_else(|| step.title.clone()).unwrap_or_default();
    if metadata.contains_key("kind")
        && metadata.contains_key("input_ref")
        && take(metadata, "type", name).is_some()
    {
        let owned = |value: &Value| value.as_str().map(str::to_owned);
        return NodeKind::AiTransform {
            kind: take(metadata, "kind", owned).unwrap_or_default(),
            input_ref: take(metadata, "input_ref", owned).unwrap_or_default(),
            output_schema: metadata.remove("output_schema"),
        };
    }
    NodeKind::AiStep {
        prompt,
        allowed_tools: take(metadata, "allowed_tools", strings),
        max_tool_calls: take(metadata, "max_tool_calls", small),
    }
}

impl Workflow {
    /// Converts the workflow to a plan: an edge becomes a dependency. Fails if the workflow has
    /// control flow, duplicate ids or edges to unknown nodes.
    pub fn to_plan(&self) -> Result<Plan, ToPlanError> {
        let reasons = self.plan_obstacles();
        if !reasons.is_empty() {
            return Err(ToPlanError { reasons });
        }
        let mut metadata = self.metadata.clone();
        put(&mut metadata, "id", text(self.id.as_deref()));
        put(&mut metadata, "name", text(self.name.as_deref()));
        let mut earlier: std::collections::HashMap<&str, Vec<String>> =
            std::collections::HashMap::new();
        for edge in &self.edges {
            earlier.entry(edge.to.as_str()).or_default().push(edge.from.clone());
        }
        let steps = self.nodes.iter().map(|node| Step {
            depends_on: earlier.remove(node.id.as_str()).unwrap_or_default(),
            ..step(node)
        });
        Ok(Plan {
            steps: steps.collect(),
            objective: self.objective.clone(),
            version: take(&mut metadata, "version", |value| value.as_str().map(str::to_owned)),
            constraints: take(&mut metadata, "constraints", strings).unwrap_or_default(),
            success_criteria: take(&mut metadata, "success_criteria", strings).unwrap_or_default(),
            notes: take(&mut metadata, "notes", |value| value.as_str().map(str::to_owned)),
            metadata,
        })
    }

    /// Returns everything that a plan cannot express.
    fn plan_obstacles(&self) -> Vec<Diagnostic> {
        let reason = |path: String, message: String| {
            Diagnostic::new(code::NOT_A_PLAN, Severity::Error, message).on(path)
        };
        let mut ids: std::collections::HashSet<&str> = std::collections::HashSet::new();
        let mut reasons = Vec::new();
        for (at, node) in self.nodes.iter().enumerate() {
            if node.node_type().is_control() {
                let message = format!("a plan cannot express `{}` nodes", node.node_type());
                reasons.push(reason(format!("/nodes/{at}/type"), message));
            }
            if !ids.insert(&node.id) {
                let message = "duplicate node id".to_owned();
                reasons.push(reason(format!("/nodes/{at}/id"), message));
            }
        }
        for (at, edge) in self.edges.iter().enumerate() {
            if edge.output.is_some() {
                let message = "a plan cannot express edge labels".to_owned();
                reasons.push(reason(format!("/edges/{at}/output"), message));
            }
            if !ids.contains(edge.to.as_str()) {
                let message = "edge leads to an unknown node".to_owned();
                reasons.push(reason(format!("/edges/{at}/to"), message));
            }
        }
        reasons
    }
}

fn step(node: &Node) -> Step {
    let mut metadata = node.metadata.clone();
    let mut step = Step { id: node.id.clone(), title: node.name.clone(), ..Step::default() };
    step.description.clone_from(&node.description);
    step.expected_output.clone_from(&node.expected_outcome);
    put(&mut metadata, "enabled", (!node.enabled).then_some(Value::Bool(false)));
    put(&mut metadata, "timeout_ms", node.timeout_ms.map(Value::from));
    put(&mut metadata, "retries", (node.retries > 0).then(|| Value::from(node.retries)));
    put(
        &mut metadata,
        "position",
        node.position.map(|Position { x, y }| serde_json::json!({"x": x, "y": y})),
    );
    match &node.kind {
        NodeKind::Tool { tool, arguments } => {
            step.tool = Some(tool.clone());
            step.inputs.clone_from(arguments);
        }
        NodeKind::AiStep { prompt, allowed_tools, max_tool_calls } => {
            if !prompt.is_empty() && Some(prompt) != node.name.as_ref() {
                step.description = Some(prompt.clone());
            }
            step.inputs = take(&mut metadata, "inputs", |value| value.as_object().cloned())
                .unwrap_or_default();
            put(
                &mut metadata,
                "allowed_tools",
                allowed_tools.as_ref().map(|tools| Value::from(tools.as_slice())),
            );
            put(&mut metadata, "max_tool_calls", max_tool_calls.map(Value::from));
        }
        NodeKind::AiTransform { kind, input_ref, output_schema } => {
            put(&mut metadata, "type", Some(Value::from(NodeType::AiTransform.as_str())));
            put(&mut metadata, "kind", Some(Value::from(kind.as_str())));
            put(&mut metadata, "input_ref", Some(Value::from(input_ref.as_str())));
            put(&mut metadata, "output_schema", output_schema.clone());
        }
        // `to_plan` refuses workflows that have one of these.
        NodeKind::If { .. }
        | NodeKind::Switch { .. }
        | NodeKind::Loop { .. }
        | NodeKind::EndLoop { .. } => {}
    }
    step.metadata = metadata;
    step
}

fn put(metadata: &mut Map, name: &str, value: Option<Value>) {
    if let Some(value) = value {
        metadata.insert(name.to_owned(), value);
    }
}

/// Removes `name` from the metadata and returns its value, if `read` accepts it.
fn take<T>(metadata: &mut Map, name: &str, read: impl FnOnce(&Value) -> Option<T>) -> Option<T> {
    let value = metadata.get(name).and_then(read)?;
    metadata.remove(name);
    Some(value)
}

fn text(text: Option<&str>) -> Option<Value> {
    text.map(Value::from)
}

fn texts(texts: &[String]) -> Option<Value> {
    (!texts.is_empty()).then(|| Value::from(texts))
}

fn strings(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|item| item.as_str().map(str::to_owned)).collect()
}

fn small(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|number| u32::try_from(number).ok())
}

fn position(value: &Value) -> Option<Position> {
    serde_json::from_value(value.clone()).ok()
}
