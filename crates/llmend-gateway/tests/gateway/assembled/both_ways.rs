//! Requests for the same answer, whole and as a stream.

use std::collections::{BTreeMap, VecDeque};
use std::panic::UnwindSafe;
use std::sync::{Arc, Mutex};

use llmend_model_server::{ModelServer, Reply, Turn};
use serde_json::{Value, json};

use super::dice::Dice;
use crate::rig::{Got, Rig, rig_with};

/// The schema of texts and of the arguments of calls.
pub(crate) fn schema() -> Value {
    json!({"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
        "required": ["city"]})
}

/// Gateways of several policies.
pub(crate) struct BothWays {
    rigs: Vec<(Rig, Arc<Mutex<VecDeque<Turn>>>)>,
}

const POLICIES: [&str; 6] = [
    "",
    "reasks = 1",
    "on_truncation = \"refuse\"",
    "on_truncation = \"reask\"\non_truncated_call = \"allow\"\nreasks = 2",
    "on_truncated_call = \"allow\"\nlevel = \"lenient\"",
    "level = \"strict\"",
];

/// The whole answer and the streams.
#[derive(Debug)]
pub(crate) struct Both {
    pub(crate) whole: Got,
    pub(crate) streamed: Got,
    /// The stream made from a whole answer of the upstream.
    pub(crate) unasked: Got,
}

/// The outcomes of seeds, and the seeds that failed.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    counts: BTreeMap<&'static str, usize>,
    failed: Vec<(u64, String)>,
}

impl Both {
    /// Whether JSON alone was asked for and the answer that was `sent` holds a call instead, which no
    /// client gets. A stream of which something was sent is not asked for again.
    pub(crate) fn has_unexpected_call(&self, sent: &Value) -> bool {
        const CALLS: [&str; 5] = [
            "\"type\":\"function_call\"",
            "\"type\":\"custom_tool_call\"",
            "\"type\":\"tool_use\"",
            "\"tool_calls\":[",
            "\"function_call\":{",
        ];
        let Self { whole, streamed, unasked } = self;
        let has_call = |text: &str| CALLS.iter().any(|call| text.contains(call));
        let is_replaced = || has_call(&sent.to_string()) && !has_call(&whole.body);
        let is_unexpected = |got: &Got| got.body.contains("is unexpected: expected JSON");
        if !is_unexpected(whole) && !is_replaced() {
            return false;
        }
        for got in [streamed, unasked] {
            assert!(is_unexpected(got) || !is_unexpected(whole), "{}", got.body);
            assert!(!has_call(&got.body), "{}", got.body);
        }
        true
    }
}

impl Tally {
    /// Checks the outcome of a seed: `check` names it, or panics.
    pub(crate) fn take(
        &mut self,
        seed: u64,
        sent: (&Value, &str),
        both: &Both,
        check: impl FnOnce() -> &'static str + UnwindSafe,
    ) {
        if let Ok(word) = std::panic::catch_unwind(check) {
            *self.counts.entry(word).or_default() += 1;
            return;
        }
        let ((whole, stream), Both { whole: got, streamed, unasked }) = (sent, both);
        let shown = format!(
            "whole: {whole}\n\nbecame {}: {}\n\nand as a stream: {}\n\nstream: {stream}\nbecame: {}",
            got.status, got.body, unasked.body, streamed.body
        );
        self.failed.push((seed, shown));
    }

    /// Checks that no seed failed, and that each outcome was frequent enough to mean something.
    pub(crate) fn check(&self, words: &[&str]) {
        let seeds: Vec<u64> = self.failed.iter().map(|(seed, _)| *seed).collect();
        if let Some((seed, shown)) = self.failed.first() {
            panic!(
                "these seeds differ: {seeds:?}. The first, reproducible with `Dice::new({seed})`:\n{shown}"
            );
        }
        let all: usize = self.counts.values().sum();
        for word in words {
            let count = self.counts.get(word).copied().unwrap_or_default();
            assert!(count > all / 20, "{word}: {:?}", self.counts);
        }
    }
}

/// The events of a stream, which have to be named as they say. Lines may end in any way.
pub(crate) fn events(got: &Got) -> Vec<Value> {
    let body = got.body.replace("\r\n", "\n").replace('\r', "\n");
    let named = body.split("\n\n").map(|event| event.trim_start_matches('\n'));
    let named = named.filter(|event| !event.is_empty() && !event.starts_with(':'));
    let read = |event: &str| {
        let (name, data) = event.split_once("\ndata: ").unwrap();
        let data: Value = serde_json::from_str(data).unwrap();
        assert_eq!(name.strip_prefix("event: "), data["type"].as_str(), "{event}");
        data
    };
    named.map(read).collect()
}

impl BothWays {
    pub(crate) async fn new() -> Self {
        let mut rigs = Vec::new();
        for policy in POLICIES {
            let turns = Arc::new(Mutex::new(VecDeque::new()));
            let theirs = Arc::clone(&turns);
            let upstream = ModelServer::answering(move |_| {
                theirs.lock().unwrap().pop_front().unwrap_or_else(|| Reply::status(500).into())
            });
            rigs.push((rig_with(&format!("[gateway.policy]\n{policy}"), upstream).await, turns));
        }
        Self { rigs }
    }

    /// Requests the same answer whole and as a stream. `again` is the model's answer to retries.
    pub(crate) async fn ask(
        &self,
        path: &str,
        request: &Value,
        (whole, stream): (&Value, &str),
        again: &Value,
        dice: &mut Dice,
    ) -> Both {
        let (rig, turns) = &self.rigs[dice.below(self.rigs.len())];
        let report = if dice.one_in(4) { "x-llmend-report: true\r\n" } else { "" };
        let again = Turn::from(Reply::json(200, again.to_string()));
        let mut found = Vec::new();
        let at_once = || Turn::from(Reply::json(200, whole.to_string()));
        for turn in [at_once(), dice.chunks(stream), at_once()] {
            let mut request = request.clone();
            request["stream"] = json!(!found.is_empty());
            *turns.lock().unwrap() = [turn, again.clone(), again.clone(), again.clone()].into();
            found.push(rig.ask("POST", path, report, &request.to_string()).await);
        }
        let found: [Got; 3] = found.try_into().unwrap();
        let [whole, streamed, unasked] = found;
        Both { whole, streamed, unasked }
    }
}
