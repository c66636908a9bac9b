//! Scenarios, selected by the name of the model.
//!
//! Programs in other languages pass the script as a file, and select a scenario by the name of the
//! model: `fenced/anything` is the scenario `fenced`.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use crate::{Answer, ModelServer, Reply, Seen, Turn};

/// Answers by scenario.
#[derive(Clone, Debug, Default)]
pub struct Scenarios(BTreeMap<String, Scenario>);

#[derive(Clone, Debug, Default)]
struct Scenario {
    content: String,
    calls: Vec<String>,
    again: Option<String>,
    turns: Vec<String>,
    piece_bytes: Option<usize>,
    refuses_tools: bool,
    is_cut_off: bool,
}

impl Scenarios {
    /// Reads `{"NAME": {"content": TEXT, "calls": [ARGUMENTS…], "again": TEXT, "cut_off": BOOL}}`. Each
    /// member may be left out: `content` answers those who offer no tools and `calls` those who do, with
    /// the first tool that they offer; `again` answers every request but the first for a model.
    ///
    /// A model that writes its calls as text has `"turns": [TEXT…]` instead: what it says first, then
    /// after its first answer, and so on, whatever is offered; streamed in pieces of `piece_bytes`. If it
    /// `refuses_tools`, a request that offers some is an error, as servers answer for such models.
    ///
    /// # Errors
    ///
    /// The error in the text.
    pub fn from_json(text: &str) -> Result<Self, String> {
        let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let members = value.as_object().ok_or("the scenarios have to be an object")?;
        let named = members.iter().map(|(name, scenario)| (name.clone(), read(scenario)));
        Ok(Self(named.collect()))
    }

    /// Starts a server that answers by scenario. `GET /asked` returns the number of requests per
    /// model.
    ///
    /// # Panics
    ///
    /// If no port is available.
    #[must_use]
    pub fn serve(self) -> ModelServer {
        let asked = Mutex::new(BTreeMap::<String, u64>::new());
        ModelServer::answering(move |seen| {
            let mut asked = asked.lock().unwrap_or_else(PoisonError::into_inner);
            if seen.method == "GET" && seen.path == "/asked" {
                return Reply::json(200, serde_json::json!(*asked).to_string()).into();
            }
            let request = seen.json();
            let model = request["model"].as_str().unwrap_or_default().to_owned();
            let count = asked.entry(model.clone()).or_default();
            *count += 1;
            self.turn(seen, &request, &model, *count)
        })
    }

    fn turn(&self, seen: &Seen, request: &Value, model: &str, count: u64) -> Turn {
        let name = model.split('/').next().unwrap_or_default();
        let Some(scenario) = self.0.get(name) else {
            let message = format!("there is no scenario `{name}` for {}", seen.path);
            return crate::Form::of_path(&seen.path).error(404, &message).into();
        };
        let tool = offered(request);
        if scenario.refuses_tools && tool.is_some() {
            let message = format!("{model} does not support tools");
            return crate::Form::of_path(&seen.path).error(400, &message).into();
        }
        if let Some(text) = scenario.turns.get(answers(request)).or(scenario.turns.last()) {
            let answer = Answer::text(text);
            return match scenario.piece_bytes {
                Some(bytes) => answer.pieces_of(bytes).into(),
                None => answer.into(),
            };
        }
        let mut answer = match (&scenario.again, tool) {
            (Some(again), _) if count > 1 => return Answer::text(again).into(),
            (_, Some(tool)) => scenario
                .calls
                .iter()
                .fold(Answer::text(""), |answer, arguments| answer.and_call(tool, arguments)),
            (_, None) => Answer::text(&scenario.content),
        };
        if scenario.is_cut_off {
            answer = answer.cut_off();
        }
        answer.into()
    }
}

fn read(scenario: &Value) -> Scenario {
    let text = |key: &str| scenario[key].as_str().map(str::to_owned);
    let texts = |key: &str| {
        let all = scenario[key].as_array().into_iter().flatten();
        all.filter_map(|one| Some(one.as_str()?.to_owned())).collect()
    };
    Scenario {
        content: text("content").unwrap_or_default(),
        calls: texts("calls"),
        again: text("again"),
        turns: texts("turns"),
        piece_bytes: scenario["piece_bytes"].as_u64().and_then(|bytes| bytes.try_into().ok()),
        refuses_tools: scenario["refuses_tools"].as_bool().unwrap_or_default(),
        is_cut_off: scenario["cut_off"].as_bool().unwrap_or_default(),
    }
}

/// Returns the number of answers in the conversation so far.
fn answers(request: &Value) -> usize {
    let messages = request["messages"].as_array().into_iter().flatten();
    messages.filter(|message| message["role"] == "assistant").count()
}

/// Returns the name of the first tool that may be called.
fn offered(request: &Value) -> Option<&str> {
    let choice = &request["tool_choice"];
    if *choice == "none" || choice["type"] == "none" || request["function_call"] == "none" {
        return None;
    }
    let tool = request["tools"].get(0).or_else(|| request["functions"].get(0))?;
    tool["function"]["name"].as_str().or_else(|| tool["name"].as_str())
}
