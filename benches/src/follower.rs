//! Incremental parsers, and the cost of following a text that arrives in chunks.

use serde_json::Value;

use crate::contestant::{Contestant, Output};
use crate::{engine, peers};

/// A parser that provides the value so far at any time.
#[derive(Debug, Clone, Copy)]
pub struct Follower {
    /// Returns the name of the crate.
    pub name: &'static str,
    /// Returns whether it accepts text that is not JSON.
    pub repairs: bool,
    /// Returns whether it starts over for each chunk.
    pub rereads: bool,
    /// Follows a text in chunks of a size. Parsers that start over run only for every nth chunk.
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

/// llmend, reporting events instead of a value.
pub const LLMEND_EVENTS: Follower = Follower {
    name: "llmend, events",
    run: |text, chunk, _| drop(std::hint::black_box(engine::tell([text], chunk))),
    ..LLMEND
};

/// Parses strict JSON, one character at a time.
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

/// Parses prefixes of strict JSON, from the start each time.
pub const JITER: Follower = Follower {
    name: "jiter",
    repairs: false,
    rereads: true,
    run: peers::reread_with_jiter,
    answer: |text, _| peers::jiter_answer(text),
};

impl Follower {
    /// A follower with a chunk size, as a contestant whose answers can be checked.
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
