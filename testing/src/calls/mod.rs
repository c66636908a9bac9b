//! Answers with tool calls in every notation, and the same answers with damage.
//!
//! A case is plain data: tools, calls and prose. Writing it in a notation is a second step, so a
//! failing case can be made smaller and written again.

mod damage;
mod grow;
mod shrink;
mod values;
mod write;

use crate::data::Data;
use crate::random::Random;

pub use damage::{Damaged, damaged};
pub use shrink::shrink;
pub use write::{Written, room};

/// The type of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    /// A string.
    Text,
    /// An integer.
    Integer,
    /// A number.
    Number,
    /// A boolean.
    Boolean,
    /// One of some words.
    Word(Vec<String>),
    /// A list.
    List(Box<Type>),
    /// An object.
    Record(Vec<Property>),
    /// The type, or null.
    Nullable(Box<Type>),
}

/// A parameter of a tool, or a member of an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Property {
    /// The name.
    pub name: String,
    /// The type.
    pub of: Type,
    /// Whether it must be there.
    pub required: bool,
}

/// A tool.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// The name.
    pub name: String,
    /// The parameters.
    pub parameters: Vec<Property>,
}

/// A call.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The name of the tool.
    pub name: String,
    /// The arguments, in order.
    pub arguments: Vec<(String, Data)>,
}

/// Tools, calls and prose, and how they are written.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Stable name: seed and index.
    pub id: String,
    /// The name of the notation.
    pub notation: &'static str,
    /// The tools.
    pub tools: Vec<Tool>,
    /// The calls.
    pub calls: Vec<Call>,
    /// Prose before, between and after the calls, one more than there are calls; empty if none.
    pub prose: Vec<String>,
    /// Seed of everything that the notation leaves open: white space, kinds of quotes.
    pub style: u64,
}

impl Answer {
    /// Generates the answer with this index in a notation.
    #[must_use]
    pub fn generate(notation: &'static str, seed: u64, index: usize) -> Self {
        let salt = notation
            .bytes()
            .fold(seed, |sum, byte| sum.wrapping_mul(131).wrapping_add(u64::from(byte)));
        let mut r = Random::for_case(salt, index);
        grow::answer(notation, format!("{notation}-{seed}-{index}"), &mut r)
    }

    /// Returns the tools as a list in OpenAI's form.
    #[must_use]
    pub fn tools_json(&self) -> String {
        Data::List(self.tools.iter().map(grow::declaration).collect()).write()
    }

    /// Writes the answer.
    #[must_use]
    pub fn write(&self) -> Written {
        write::write(self, None)
    }

    /// Returns the prose without the notation, with single blanks.
    #[must_use]
    pub fn text(&self) -> String {
        squeezed(&self.prose.join(" "))
    }
}

/// Returns the words of a text with single blanks between them.
#[must_use]
pub fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
