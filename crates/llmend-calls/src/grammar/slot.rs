//! What a tag is to the value of a parameter before it.

use std::borrow::Cow;

use super::value_end::Around;
use crate::{
    input::Input,
    marks::{Role, role},
    tag::{Form, Tag},
    tools::Tool,
};

/// Returns whether a tag that opens a value names the parameter: `<parameter=NAME>`.
pub(crate) fn is_named(tag: &Tag<'_>) -> bool {
    role(tag) == Some(Role::Parameter)
}

/// What decides where the value of a parameter ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot<'c, 't> {
    pub(crate) input: Input<'t>,
    /// Name of the tag that opens the value.
    pub(crate) tag: &'c str,
    /// Whether the tag names the parameter: `<parameter=NAME>`.
    pub(crate) is_named: bool,
    pub(crate) key: &'c str,
    /// Name of the tag that opens the call.
    pub(crate) head: &'c str,
    pub(crate) tool: Option<&'c Tool>,
    /// Names of the parameters before it.
    pub(crate) given: &'c [Cow<'t, str>],
}

impl Slot<'_, '_> {
    /// Returns what `other` is to the value.
    pub(crate) fn around(&self, other: &Tag<'_>) -> Around {
        if other.closing { self.around_closing(other) } else { self.around_opening(other) }
    }

    fn around_closing(&self, other: &Tag<'_>) -> Around {
        let closes_parameter = role(other) == Some(Role::Close)
            && ["parameter", "param", "argument", "parametername", "paramname"]
                .contains(&other.name);
        if other.name == self.tag {
            Around::Closes
        } else if closes_parameter || (self.is_named && other.name == self.key) {
            Around::ClosesWrongly
        } else if other.name == self.head
            || matches!(role(other), Some(Role::Close | Role::TurnEnd))
            || (!self.is_named && matches!(other.name, "parameters" | "arguments"))
        {
            Around::Frame
        } else {
            Around::Text
        }
    }

    fn around_opening(&self, other: &Tag<'_>) -> Around {
        let is_given = |name: &str| self.given.iter().any(|given| given == name);
        match role(other) {
            // A name that is not declared, or was given before, may be part of the value.
            Some(Role::Parameter) if self.is_named => {
                let declared = other.given_name().is_some_and(|name| {
                    let known = self.tool.is_none_or(|tool| {
                        tool.parameters.is_empty() || tool.parameter(&name).is_some()
                    });
                    known && name != self.key && !is_given(&name)
                });
                if declared { Around::Opens } else { Around::MayOpen }
            }
            Some(Role::Head | Role::Open | Role::TurnEnd | Role::Turn) => Around::Frame,
            _ if !self.is_named && other.name == self.tag && other.rest.is_empty() => Around::Opens,
            _ if !self.is_named
                && other.rest.is_empty()
                && self.tool.is_some_and(|tool| tool.parameter(other.name).is_some()) =>
            {
                if is_given(other.name) { Around::MayOpen } else { Around::Opens }
            }
            // Text has no token of a template before its tags.
            _ if !self.is_named && self.input.byte(other.span.start) == Some(b']') => {
                Around::MayOpen
            }
            // An element that is not declared, right behind the end of this value.
            None if !self.is_named
                && other.form == Form::Tag
                && other.rest.is_empty()
                && self
                    .input
                    .slice(0, other.span.start)
                    .trim_end()
                    .ends_with(&closer(self.tag)) =>
            {
                Around::MayOpen
            }
            _ => Around::Text,
        }
    }
}

fn closer(name: &str) -> String {
    format!("</{name}>")
}
