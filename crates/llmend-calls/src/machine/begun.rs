//! The call that is being read, before it is complete.

use std::borrow::Cow;

use llmend_json::Class;

use super::{Machine, Mode, between::skip_between, block::mark};
use crate::{
    evidence::Marking,
    found::Context,
    grammar::{
        channel::{self, Message},
        envelope, named, parameters, typed,
    },
    input::Input,
    marks::{Role, role},
    progress::{Begun, Place},
    tag::Tag,
};

/// How far the beginning of a call is searched for its name, in bytes.
const MAX_BEGINNING: usize = 1 << 10;

/// The tag in which prompts define tools, and some models call them.
const DEFINITIONS: &str = "<tools>";

impl Machine {
    /// Returns the marked call that is being read, once nothing but a cut can make it none, and its
    /// name is certain: an offered tool's. `known` is how much of the text was there before.
    pub(crate) fn begun(
        &self,
        known: usize,
        input: Input<'_>,
        context: Context<'_>,
    ) -> Option<Begun> {
        let waits = known.saturating_sub(self.at) < MAX_BEGINNING;
        if !waits || self.fence.is_some() || self.in_reasoning {
            return None;
        }
        let (written, place) = match &self.mode {
            // Prose before it may mention the mark, and definitions of tools look like calls until
            // they end.
            Mode::Block(block)
                if block.marking >= Marking::Tag
                    && block.opener.of(input.text) != DEFINITIONS
                    && (block.calls > 0
                        || input.line_before(block.opener.start).trim().is_empty())
                    && !self.is_withheld(block, input) =>
            {
                self.begun_in_block(input, context)?
            }
            Mode::Text => self.begun_message(input)?,
            _ => return None,
        };
        let resolved = crate::name::resolve(&written, context.tools);
        let tool = resolved.tool.filter(|_| resolved.class < Some(Class::Guess))?;
        let is_id = matches!((&self.mode, place), (Mode::Block(_), Place::BehindName(_)));
        let id = named::id_of_name(&written).filter(|_| is_id).map(str::to_owned);
        Some(Begun { name: tool.name.clone(), id, place })
    }

    /// Returns the name of the call in a block, and where its arguments are.
    fn begun_in_block<'t>(
        &self,
        input: Input<'t>,
        context: Context<'_>,
    ) -> Option<(Cow<'t, str>, Place)> {
        let mut at = skip_between(input, self.at).ok()?;
        while let Ok(Some(tag)) = mark(input, at, context) {
            at = skip_between(input, tag.span.end).ok()?;
        }
        if let Ok(Some(tag)) = Tag::at(input, at) {
            if tag.closing {
                return None;
            }
            if role(&tag) == Some(Role::Head) {
                let is_json = input.byte(input.skip_space(tag.span.end)) == Some(b'{');
                let json = Place::BehindName(tag.span.end);
                return Some((
                    tag.given_name()?,
                    if is_json { json } else { Place::Parameters(at) },
                ));
            }
            return parameters::is_tool(&tag, context)
                .then(|| (tag.name.into(), Place::Parameters(at)));
        }
        if matches!(input.byte(at), Some(b'{' | b'[')) {
            let (_, name) = envelope::name_ahead(input, at).filter(|(key, _)| *key == "name")?;
            return Some((name.of(input.text).into(), Place::InCall(at)));
        }
        let is_typed = input.from(at).starts_with(typed::CALL);
        let from = if is_typed { at + typed::CALL.len() } else { at };
        let name = named::name_at(input, from, context).ok()??;
        let behind = input.skip_space(name.end);
        let place = match input.byte(behind)? {
            b'{' | b'(' if is_typed => Place::Whole,
            b'{' => Place::BehindName(name.end),
            b'(' => Place::Whole,
            b'<' => match role(&Tag::at(input, behind).ok()??)? {
                Role::Key => Place::Pairs(name.end),
                // The name in the call itself counts.
                Role::Payload => {
                    let at = input.skip_space(Tag::at(input, behind).ok()??.span.end);
                    let (_, name) = envelope::name_ahead(input, at)?;
                    return Some((name.of(input.text).into(), Place::InCall(at)));
                }
                Role::Separator => Self::behind_separator(input, behind, name.end)?,
                _ => return None,
            },
            _ if input.from(behind).starts_with("[ARGS]") => Place::BehindName(name.end),
            _ => return None,
        };
        Some((name.of(input.text).into(), place))
    }

    /// Returns where the arguments behind a name and the separator at `at` are.
    fn behind_separator(input: Input<'_>, at: usize, name: usize) -> Option<Place> {
        let next = input.skip_space(Tag::at(input, at).ok()??.span.end);
        let is_key = |tag: Tag<'_>| matches!(role(&tag), Some(Role::Key));
        match input.byte(next)? {
            b'<' => {
                let key = Tag::at(input, next).ok()?.is_some_and(is_key);
                Some(if key { Place::Pairs(name) } else { Place::Whole })
            }
            _ => Some(Place::BehindName(name)),
        }
    }

    /// Returns the recipient of the message whose header is at this place.
    fn begun_message<'t>(&self, input: Input<'t>) -> Option<(Cow<'t, str>, Place)> {
        let tag = Tag::at(input, self.at).ok()?.filter(|tag| role(tag) == Some(Role::Header))?;
        let header = channel::header(input, tag.span.start).ok()??;
        let Message::Call(name) = header.message else { return None };
        let at = input.skip_space(header.body.at);
        (input.byte(at) == Some(b'{')).then(|| (name.into(), Place::BehindName(at)))
    }
}
