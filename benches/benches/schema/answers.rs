//! Answers that are timed: an object with an array of objects, in three states.

use llmend_benches::prose;
use llmend_benches::random::Random;
use serde_json::{Value, json};

/// State of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Valid under the schema.
    Valid,
    /// In a code fence after prose, with trailing commas, single-quoted keys, comments, quoted
    /// numbers, `yes` for true, and other spellings of keys and enum values.
    Broken,
    /// Truncated in the middle of the last note.
    CutOff,
}

impl State {
    pub(crate) const ALL: [Self; 3] = [Self::Valid, Self::Broken, Self::CutOff];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Broken => "broken",
            Self::CutOff => "cut off",
        }
    }
}

/// A text and its expected value.
pub(crate) struct Answer {
    pub(crate) text: String,
    pub(crate) wanted: Value,
}

const KINDS: [&str; 3] = ["Tool", "Condition", "Loop"];

/// `peers/baml.py` has the same types.
pub(crate) fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "title": {"type": "string"},
            "steps": {"type": "array", "items": {"$ref": "#/$defs/Step"}},
        },
        "required": ["title", "steps"],
        "$defs": {"Step": {
            "type": "object",
            "properties": {
                "id": {"type": "integer"},
                "name": {"type": "string"},
                "kind": {"type": "string", "enum": KINDS},
                "cost": {"type": "number"},
                "optional": {"type": "boolean"},
                "tags": {"type": "array", "items": {"type": "string"}},
                "notes": {"type": "string"},
                "owner": {"type": ["string", "null"], "default": null},
            },
            "required": ["id", "name", "kind", "cost", "optional", "tags", "notes"],
        }},
    })
}

impl Answer {
    /// Generates an answer of about this size, deterministically.
    pub(crate) fn generate(size: usize, state: State) -> Self {
        let mut random = Random::new(0x7363_6865);
        let head = match state {
            State::Broken => {
                "Here is the plan:\n\n```json\n{\n  'title': 'A plan', // a draft\n  'steps': ["
            }
            _ => "{\n  \"title\": \"A plan\",\n  \"steps\": [",
        };
        let mut text = head.to_owned();
        let mut steps = Vec::new();
        while text.len() < size || steps.is_empty() {
            let step = step(&mut random, steps.len());
            text.push_str(if steps.is_empty() { "\n" } else { ",\n" });
            text.push_str(&written(&step, state, steps.len()));
            steps.push(step);
        }
        match state {
            State::Valid => text.push_str("\n  ]\n}\n"),
            State::Broken => text.push_str(",\n  ],\n}\n```\nTell me if it helps."),
            State::CutOff => {
                if let (Some(cut), Some(last)) = (text.rfind(LAST_WORDS), steps.last_mut()) {
                    text.truncate(cut);
                    cut_note(last);
                }
            }
        }
        Self { text, wanted: json!({"title": "A plan", "steps": steps}) }
    }
}

/// Plain text at the end of every note, so that the text before a cut is plain.
const LAST_WORDS: &str = " as planned before.";

fn cut_note(step: &mut Value) {
    if let Some(note) = step["notes"].as_str() {
        step["notes"] = json!(note.trim_end_matches(LAST_WORDS));
    }
    if let Some(members) = step.as_object_mut() {
        members.remove("owner");
    }
}

fn step(random: &mut Random, index: usize) -> Value {
    let tags: Vec<&str> = ["urgent", "needs review", "eu-west"][..=index % 4 % 3].to_vec();
    json!({
        "id": index + 1,
        "name": format!("step {index}"),
        "kind": KINDS[index % 3],
        "cost": (index % 40) as f64 * 2.5 + 0.25,
        "optional": index.is_multiple_of(2),
        "tags": tags,
        "notes": format!("{} It ends there{LAST_WORDS}", prose::long(random)),
        "owner": if index.is_multiple_of(3) { Value::Null } else { json!("Ada") },
    })
}

fn written(step: &Value, state: State, index: usize) -> String {
    let member = |key: &str| step[key].to_string();
    let lines = if state == State::Broken && index.is_multiple_of(2) {
        vec![
            format!("'id': \"{}\"", member("id")),
            format!("'Name': {}", member("name")),
            format!("'kind': {}", member("kind").to_uppercase()),
            format!("'cost': \"{}\"", member("cost")),
            format!("'optional': {}", if step["optional"] == true { "\"yes\"" } else { "\"no\"" }),
            format!("'tags': {}", member("tags").replace(']', ",]")),
            format!("'notes': {}", member("notes")),
            format!("'owner': {},", member("owner").replace("null", "None")),
        ]
    } else {
        let keys = ["id", "name", "kind", "cost", "optional", "tags", "notes", "owner"];
        keys.map(|key| format!("\"{key}\": {}", member(key))).to_vec()
    };
    format!("    {{\n      {}\n    }}", lines.join(",\n      "))
}
