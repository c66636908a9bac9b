//! The tools that a model was offered, and what counts as a call.

use std::path::PathBuf;

use clap::{
    Arg, Command,
    builder::{PossibleValue, StringValueParser, TypedValueParser},
    error::{ContextKind, ContextValue, ErrorKind},
};
use llmend::{
    CoerceMode, FitOptions,
    calls::{Accept, InReasoning, NOTATIONS, Notation, Options, Tools},
    json::nearest,
    schema,
};

use super::choice;
use crate::{files::Unusable, render::Color, tools::load};

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Calls")]
pub(crate) struct ToolFlags {
    /// The tools that the model was offered, in the form of OpenAI, Anthropic, MCP or Gemini, or as
    /// a map from names to schemas. Without tools, only calls between the marks of a notation count
    #[arg(long, verbatim_doc_comment, value_name = "FILE", value_hint = clap::ValueHint::FilePath, group = "wanted")]
    tools: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) calls: CallFlags,
}

/// What counts as a call.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Calls")]
pub(crate) struct CallFlags {
    /// Accept only calls between the marks of a notation; see `llmend notations`
    #[arg(long)]
    marked: bool,
    /// The notation that the model is known to use; see `llmend notations`. Its calls count without
    /// marks, wherever they are
    #[arg(long, verbatim_doc_comment, value_name = "NAME", value_parser = NotationParser, hide_possible_values = true)]
    notation: Option<&'static Notation>,
    /// What to do with calls inside reasoning
    #[arg(long, value_name = "ACTION", default_value = InReasoning::Ignore.as_str(), value_parser = in_reasoning())]
    in_reasoning: InReasoning,
}

impl ToolFlags {
    /// Returns the name of the first of these flags that was given.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let others = self.calls.in_reasoning != InReasoning::Ignore;
        match &self.tools {
            Some(_) => Some("--tools"),
            None if self.calls.marked => Some("--marked"),
            None if self.calls.notation.is_some() => Some("--notation"),
            None => others.then_some("--in-reasoning"),
        }
    }

    /// Loads the tools; none if no file was given.
    pub(crate) fn load(&self, color: Color) -> Result<Tools, Box<Unusable>> {
        self.tools.as_deref().map_or_else(|| Ok(Tools::default()), |path| load(path, color))
    }
}

impl CallFlags {
    /// Returns the options of reading, with these options of fitting.
    pub(crate) fn options(&self, fitting: FitOptions) -> Options {
        let accept = if self.marked { Accept::Marked } else { Accept::Auto };
        let schema = match fitting.coerce {
            CoerceMode::On(options) => options,
            CoerceMode::Off => {
                let max_depth = fitting.text.max_depth;
                let (near, max_class) = (schema::NearMatch::Off, llmend::Class::Notation);
                schema::Options { near, max_class, max_depth, ..schema::Options::default() }
            }
        };
        Options {
            accept,
            notation: self.notation,
            in_reasoning: self.in_reasoning,
            json: fitting.text,
            schema,
        }
    }
}

fn in_reasoning() -> impl TypedValueParser<Value = InReasoning> {
    choice([
        (InReasoning::Ignore.as_str(), "Ignore them: they are drafts"),
        (InReasoning::Accept.as_str(), "Read them like any other"),
    ])
}

/// Parses the name of a notation. The error suggests the nearest name instead of listing all of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NotationParser;

impl TypedValueParser for NotationParser {
    type Value = &'static Notation;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<&'static Notation, clap::Error> {
        let name = StringValueParser::new().parse_ref(command, arg, value)?;
        Notation::named(&name).ok_or_else(|| {
            let mut error = clap::Error::new(ErrorKind::InvalidValue).with_cmd(command);
            if let Some(arg) = arg {
                error.insert(ContextKind::InvalidArg, ContextValue::String(arg.to_string()));
            }
            if let Some(near) = nearest(&name, NOTATIONS.iter().map(|row| row.name)) {
                error.insert(ContextKind::SuggestedValue, ContextValue::String(near.to_owned()));
            }
            error.insert(ContextKind::InvalidValue, ContextValue::String(name));
            error
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(NOTATIONS.iter().map(|row| PossibleValue::new(row.name))))
    }
}
