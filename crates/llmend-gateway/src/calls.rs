//! Tool calls out of text: what a request allows, and what the texts of an answer hold.
//!
//! A server that does not know its model's notation hands calls on as text. They are read before
//! anything else is made of an answer, and written as the calls that the protocol has.

use std::sync::Arc;

use llmend::CoerceMode;
use llmend::calls::{Accept, Notation, Options, Tools};

use crate::calls::offered::{OfferedTool, OfferedTools, tools_text};
use crate::calls::tool_input::ToolInput;
use crate::config::{Level, Limits, OnTruncation, Policy, TextCalls};
use crate::repair::{RepairOptions, fit_options};

mod arguments_alone;
mod closed;
pub(crate) mod context;
pub(crate) mod ids;
pub(crate) mod native;
pub(crate) mod offered;
pub(crate) mod parts;
pub(crate) mod past;
pub(crate) mod raw_text;
pub(crate) mod reader;
pub(crate) mod segment;
pub(crate) mod signs;
pub(crate) mod tool_input;

/// How the calls in the texts of an answer are read.
#[derive(Clone, Debug)]
pub(crate) struct CallReading {
    pub(crate) tools: Arc<Tools>,
    /// The names of the tools that take a text.
    pub(crate) text_tools: Vec<String>,
    pub(crate) options: Options,
    pub(crate) parallel: Parallel,
    pub(crate) pace: Pace,
    /// The tool that has to be called.
    pub(crate) demanded: Option<String>,
    /// The names of the offered tools that may not be called now.
    pub(crate) withheld: Vec<String>,
    /// Whether a call that is cut off is closed.
    pub(crate) closes: bool,
}

/// When a streamed call is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pace {
    /// As it becomes certain. What is wrong with it later ends the stream with an error.
    AtOnce,
    /// When the answer is complete, since something may be asked again or give way.
    AtTheEnd,
}

/// What the reading of calls is bound to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReadingBounds<'a> {
    pub(crate) limits: &'a Limits,
    pub(crate) offered: &'a OfferedTools,
    /// The notation in which the model was told to call.
    pub(crate) notation: Option<&'static Notation>,
}

/// Whether the model has to call a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum ToolChoice {
    /// It may.
    #[default]
    Auto,
    /// It may not.
    None,
    /// It has to, whichever tool.
    Required,
    /// It has to call this tool.
    Named(String),
}

impl ToolChoice {
    /// Whether a call is demanded.
    pub(crate) const fn is_demand(&self) -> bool {
        matches!(self, Self::Required | Self::Named(_))
    }
}

/// Whether the answer to a request may call tools of the client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ToolUse {
    #[default]
    Allowed,
    /// Tools are offered, and may not be called now.
    Forbidden,
    /// No tools are offered.
    NotOffered,
}

/// How many tools an answer may call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Parallel {
    #[default]
    Many,
    One,
}

impl CallReading {
    /// Whether calls of a tool are not wanted: it is another one than that which has to be called, or
    /// may not be called now.
    pub(crate) fn is_other(&self, name: &str) -> bool {
        self.demanded.as_ref().is_some_and(|demanded| demanded != name) || self.is_withheld(name)
    }

    /// Whether a tool is offered and may not be called now.
    pub(crate) fn is_withheld(&self, name: &str) -> bool {
        self.withheld.iter().any(|known| known == name)
    }

    /// Returns what a tool takes.
    pub(crate) fn input_of(&self, name: &str) -> ToolInput {
        let takes_text = self.text_tools.iter().any(|known| known == name);
        if takes_text { ToolInput::Text } else { ToolInput::Arguments }
    }

    /// Returns how calls are read in the answer to a request, or `None` if they are not.
    pub(crate) fn of(
        tools: &[OfferedTool<'_>],
        choice: &ToolChoice,
        parallel: Parallel,
        policy: &Policy,
        bounds: ReadingBounds<'_>,
    ) -> Result<Option<Self>, String> {
        let accept = match policy.calls {
            TextCalls::Auto => Accept::Auto,
            TextCalls::Marked => Accept::Marked,
            TextCalls::Never => return Ok(None),
        };
        let ReadingBounds { notation, .. } = bounds;
        let is_unmarked = notation.is_some_and(|notation| notation.openers.is_empty());
        let accept = if is_unmarked { Accept::Auto } else { accept };
        // Nothing is changed at this level.
        let is_strict = policy.level == Level::Strict;
        if tools.is_empty() || *choice == ToolChoice::None || is_strict {
            return Ok(None);
        }
        let text_tools = tools.iter().filter(|tool| tool.input == ToolInput::Text);
        let text_tools = text_tools.map(|tool| tool.name.to_owned()).collect();
        let tools = bounds.offered.get(&tools_text(tools))?;
        let fit = fit_options(RepairOptions { level: policy.level, limits: *bounds.limits });
        let schema = match fit.coerce {
            CoerceMode::On(schema) => schema,
            CoerceMode::Off => llmend::schema::Options::default(),
        };
        let options = Options { accept, notation, json: fit.text, schema, ..Options::default() };
        let may_ask = policy.reasks > 0 || policy.on_truncated_call != OnTruncation::Refuse;
        // Where one call is allowed, one that the server finds itself goes before.
        let waits = may_ask || parallel == Parallel::One;
        let pace = if waits { Pace::AtTheEnd } else { Pace::AtOnce };
        let demanded = match choice {
            ToolChoice::Named(name) => Some(name.clone()),
            ToolChoice::Auto | ToolChoice::None | ToolChoice::Required => None,
        };
        let closes = policy.on_truncated_call == OnTruncation::Allow;
        let withheld = Vec::new();
        Ok(Some(Self { tools, text_tools, options, parallel, pace, demanded, withheld, closes }))
    }
}
