//! Who can follow a text while it arrives, and at what price?

use serde_json::Value;

use crate::contestant::{Contestant, Output};
use crate::{engine, peers};

/// A parser that gives the value so far at any moment.
#[derive(Debug, Clone, Copy)]
pub struct Follower {
    /// The crate's name.
    pub name: &'static str,
    /// Whether it reads text that is not JSON.
    pub repairs: bool,
    /// Whether it reads all that has arrived again each time.
    pub rereads: bool,
    /// Follows a text in chunks of so many bytes. Of who reads all again, only
    /// one in so many readings is made.
    pub run: fn(&str, usize, usize),
    answer: fn(&str, usize) -> Result<Value, String>,
}

/// llmend itself.
pub const LLMEND: Follower = Follower {
    name: "llmend",
    repairs: true,
    rereads: false,
    run: |text, chunk, _| drop(std::hint::black_box(engine::follow(text, chunk))),
    answer: |text, chunk| {
        let parsed = engine::follow(text, chunk).map_err(|error| error.to_string())?;
        Ok(parsed.value.to_serde().value)
    },
};

/// llmend, telling what happens in place of a value.
pub const LLMEND_EVENTS: Follower = Follower {
    name: "llmend, events",
    run: |text, chunk, _| drop(std::hint::black_box(engine::tell([text], chunk))),
    ..LLMEND
};

/// Reads strict JSON, a character at a time.
pub const JSON_STREAM_PARSER: Follower = Follower {
    name: "json-stream-parser",
    repairs: false,
    rereads: false,
    run: |text, chunk, _| {
        drop(std::hint::black_box(peers::follow_with_json_stream_parser(text, chunk)));
    },
    answer: |text, chunk| {
        Ok(peers::follow_with_json_stream_parser(text, chunk)?.get_result().clone())
    },
};

/// Reads the beginning of strict JSON; each time from the start.
pub const JITER: Follower = Follower {
    name: "jiter",
    repairs: false,
    rereads: true,
    run: peers::reread_with_jiter,
    answer: |text, _| peers::jiter_answer(text),
};

impl Follower {
    /// The follower, with chunks of so many bytes, as someone whose answers can
    /// be checked.
    pub fn contestant(self, chunk: usize) -> impl Contestant {
        Chunked { follower: self, chunk }
    }
}

struct Chunked {
    follower: Follower,
    chunk: usize,
}

impl Contestant for Chunked {
    fn name(&self) -> &'static str {
        self.follower.name
    }

    fn output(&self) -> Output {
        Output::Own
    }

    fn repairs(&self) -> bool {
        self.follower.repairs
    }

    fn run(&self, text: &str) {
        (self.follower.run)(text, self.chunk, 1);
    }

    fn answer(&self, text: &str) -> Result<Value, String> {
        (self.follower.answer)(text, self.chunk)
    }
}
