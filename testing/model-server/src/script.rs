//! The script's next turn, and the record of requests.

use std::collections::{BTreeSet, VecDeque};
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tokio::sync::watch;

use crate::{Answer, Form, Reply};

/// A scripted reaction to a request.
#[derive(Clone, Debug)]
pub enum Turn {
    /// Answer in the form of the path, complete or as a stream.
    Answer(Answer),
    /// Send exactly this reply.
    Reply(Reply),
}

impl From<Answer> for Turn {
    fn from(answer: Answer) -> Self {
        Self::Answer(answer)
    }
}

impl From<Reply> for Turn {
    fn from(reply: Reply) -> Self {
        Self::Reply(reply)
    }
}

/// A received request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Method, such as `POST`.
    pub method: String,
    /// Path, starting with a slash.
    pub path: String,
    /// Query string; empty without one.
    pub query: String,
    /// Headers, with lower-case names.
    pub headers: Vec<(String, String)>,
    /// Body, with invalid UTF-8 replaced.
    pub body: String,
}

impl Seen {
    /// Returns a header by its lower-case name.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Returns the body as JSON; `null` if it is invalid.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_default()
    }

    /// Returns whether a stream was requested, in any form.
    #[must_use]
    pub fn asks_for_stream(&self) -> bool {
        match self.json().get("stream").and_then(Value::as_bool) {
            Some(stream) => stream,
            // Ollama streams by default; Gemini has a separate path.
            None => self.path.contains(":stream") || Form::of_path(&self.path) == Form::Ollama,
        }
    }
}

pub(crate) enum Script {
    Turns(VecDeque<Turn>),
    Function(Box<dyn Fn(&Seen) -> Turn + Send>),
}

impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Turns(turns) => f.debug_tuple("Turns").field(turns).finish(),
            Self::Function(_) => f.write_str("Function"),
        }
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Progress {
    pub(crate) arrived: usize,
    pub(crate) left: BTreeSet<usize>,
}

#[derive(Debug)]
pub(crate) struct State {
    script: Mutex<Script>,
    requests: Mutex<Vec<Seen>>,
    progress: watch::Sender<Progress>,
}

impl State {
    pub(crate) fn new(script: Script) -> Self {
        Self {
            script: Mutex::new(script),
            requests: Mutex::default(),
            progress: watch::Sender::new(Progress::default()),
        }
    }

    /// Records a request; returns its index and the reaction.
    pub(crate) fn take_turn(&self, seen: Seen) -> (usize, Reply) {
        let turn = match &mut *lock(&self.script) {
            Script::Turns(turns) => turns.pop_front(),
            Script::Function(answer) => Some(answer(&seen)),
        };
        let reply = match turn {
            Some(Turn::Answer(answer)) => answer.reply_to(&seen),
            Some(Turn::Reply(reply)) => reply,
            None => Reply::status(500).text("the script has no turn for this request"),
        };
        let mut requests = lock(&self.requests);
        let number = requests.len();
        requests.push(seen);
        drop(requests);
        self.progress.send_modify(|progress| progress.arrived += 1);
        (number, reply)
    }

    pub(crate) fn note_left(&self, request: usize) {
        self.progress.send_modify(|progress| {
            progress.left.insert(request);
        });
    }

    pub(crate) fn has_left(&self, request: usize) -> bool {
        self.progress.borrow().left.contains(&request)
    }

    pub(crate) fn requests(&self) -> Vec<Seen> {
        lock(&self.requests).clone()
    }

    pub(crate) fn turns_left(&self) -> usize {
        match &*lock(&self.script) {
            Script::Turns(turns) => turns.len(),
            Script::Function(_) => 0,
        }
    }

    pub(crate) async fn until(&self, reached: impl FnMut(&Progress) -> bool) {
        let mut progress = self.progress.subscribe();
        // The sender lives as long as `self`, so this cannot fail.
        let _ = progress.wait_for(reached).await;
    }
}

/// A test that failed while holding the lock reports its own panic.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
