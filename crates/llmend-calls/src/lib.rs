//! Reads the tool calls in the output of language models, in any model's notation.
//!
//! Text and tools go in; calls, and what else was said, come out. The model need not be known: what
//! the text looks like decides. The notations are a table ([`NOTATIONS`]), and each family of them
//! has one grammar. The JSON inside is read and repaired by `llmend-json`, and the arguments are
//! made to fit the tools' schemas by `llmend-schema`. The crate does no I/O.
//!
//! ```
//! use llmend_calls::{Options, Tools, read};
//!
//! let tools = Tools::from_text(
//!     r#"[{"name": "get_weather", "input_schema": {"type": "object",
//!         "properties": {"city": {"type": "string"}}, "required": ["city"]}}]"#,
//! )?;
//! let answer = "I'll check.\n<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}\n</tool_call>";
//! let reading = read(answer, &tools, &Options::default());
//! assert_eq!(reading.calls[0].name, "get_weather");
//! assert_eq!(reading.calls[0].arguments.to_string(), r#"{"city":"Oslo"}"#);
//! assert_eq!(reading.text, "I'll check.");
//! # Ok::<(), llmend_calls::ToolsError>(())
//! ```

mod evidence;
mod fit;
mod found;
mod grammar;
mod input;
mod machine;
mod marks;
mod message;
mod models;
mod name;
mod notation;
mod options;
mod placeholder;
mod progress;
mod read;
mod reading;
mod stream;
mod tag;
mod text;
mod tools;
mod untyped;
mod write;

pub use message::MessageForm;
pub use notation::{Family, NOTATIONS, Notation};
pub use options::{Accept, InReasoning, Options};
pub use read::read;
pub use reading::{Call, Reading, Refused};
pub use stream::{CallEvent, CallStream};
pub use tools::{Kinds, Parameter, Tool, Tools, ToolsError};
pub use write::CallToWrite;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
