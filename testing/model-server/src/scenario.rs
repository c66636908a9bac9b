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
    is_cut_off: bool,
}

impl Scenarios {
    /// Reads `{"NAME": {"content": TEXT, "calls": [ARGUMENTS…], "again": TEXT, "cut_off": BOOL}}`. Each
    /// member may be left out: `content` answers those who offer no tools and `calls` those who do, with
    /// the first tool that they offer; `again` answers every request but the first for a model.
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
    let calls = scenario["calls"].as_array().into_iter().flatten();
    Scenario {
        content: text("content").unwrap_or_default(),
        calls: calls.filter_map(|call| Some(call.as_str()?.to_owned())).collect(),
        again: text("again"),
        is_cut_off: scenario["cut_off"].as_bool().unwrap_or_default(),
    }
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
