//! Arguments that arrive as JSON.

use llmend_json::{Choice, Event, Events, Kind, Search};
use llmend_schema::validate;

use super::{Uncertain, begin_member};
use crate::{
    Options,
    grammar::{envelope, json, named},
    input::{Input, Stop},
    tools::Tool,
};

/// An object that is arriving.
pub(super) struct Members {
    /// Where the JSON is searched for, or how far it was read.
    at: usize,
    /// The path of the arguments in the JSON, once they have begun.
    path: Option<String>,
    events: Option<Events>,
    member: Member,
}

/// The member that is arriving.
enum Member {
    None,
    /// A string that is delivered as it arrives.
    Text,
    /// A value that is delivered when it is complete.
    Held(Held),
}

/// A value as far as it has arrived.
#[derive(Default)]
struct Held {
    json: String,
    /// The open containers, and the number of their items.
    open: Vec<(Kind, usize)>,
}

impl std::fmt::Debug for Members {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Members").field("at", &self.at).finish_non_exhaustive()
    }
}

impl Members {
    /// Reads arguments in the JSON of a call at `at`.
    pub(super) fn in_call(at: usize, options: &Options) -> Self {
        let events = Some(Events::new(llmend_json::Options {
            choice: Choice::First,
            search: Search::On,
            ..options.json.clone()
        }));
        Self { at, path: None, events, member: Member::None }
    }

    /// Reads arguments behind the name that ends at `at`.
    pub(super) fn behind_name(at: usize) -> Self {
        Self { at, path: Some(String::new()), events: None, member: Member::None }
    }

    pub(super) fn advance(
        &mut self,
        input: Input<'_>,
        tool: &Tool,
        options: &Options,
        out: &mut String,
    ) -> Result<(), Uncertain> {
        if self.events.is_none() {
            match named::separated(input, self.at) {
                Err(Stop::More) => return Ok(()),
                Ok(Some((at, _))) if input.byte(at) == Some(b'{') => {
                    self.events = Self::in_call(at, options).events;
                    self.at = at;
                }
                _ => return Err(Uncertain),
            }
        }
        let Some(mut events) = self.events.take() else { return Err(Uncertain) };
        let end = certain_end(input, self.at);
        events.push(input.slice(self.at, end).as_bytes());
        self.at = end;
        events.drain().try_for_each(|event| self.take(&event, tool, out))?;
        self.events = Some(events);
        Ok(())
    }

    /// Returns the path within the arguments; `None` if it is not of a part of them.
    fn within<'p>(&self, path: &'p str) -> Option<&'p str> {
        path.strip_prefix(self.path.as_deref()?)
            .filter(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    fn take(&mut self, event: &Event, tool: &Tool, out: &mut String) -> Result<(), Uncertain> {
        let path = match event {
            Event::Repaired(_) | Event::Repeated { .. } => return Err(Uncertain),
            Event::Opened { path, kind } if self.path.is_none() => {
                if envelope::is_arguments(path) {
                    self.path = Some(path.clone());
                    return if *kind == Kind::Object { Ok(()) } else { Err(Uncertain) };
                }
                return Ok(());
            }
            Event::Opened { path, .. }
            | Event::Grew { path, .. }
            | Event::Completed { path, .. }
            | Event::Closed { path } => path,
        };
        let Some(path) = self.within(path) else { return Ok(()) };
        // The end of the arguments comes with the call.
        if path.is_empty() {
            let opened = matches!(event, Event::Opened { kind: Kind::Object, .. });
            return if opened { Ok(()) } else { Err(Uncertain) };
        }
        match event {
            Event::Opened { kind, .. } => {
                self.begin(path, *kind, tool, out)?;
                if let Member::Held(held) = &mut self.member {
                    held.open(path, *kind);
                }
                Ok(())
            }
            Event::Grew { text, .. } => {
                let held = match &mut self.member {
                    Member::Held(held) => &mut held.json,
                    _ => out,
                };
                llmend_json::push_escaped(held, text);
                Ok(())
            }
            Event::Completed { value: None, .. } => {
                match &mut self.member {
                    Member::Held(held) => held.json.push('"'),
                    _ => out.push('"'),
                }
                self.end(path, tool, out)
            }
            Event::Completed { value: Some(value), .. } => {
                self.begin(path, Kind::Number, tool, out)?;
                if let Member::Held(held) = &mut self.member {
                    held.separate(path);
                    held.json.push_str(value);
                }
                self.end(path, tool, out)
            }
            Event::Closed { .. } => {
                if let Member::Held(held) = &mut self.member {
                    let array = held.open.pop().is_some_and(|(kind, _)| kind == Kind::Array);
                    held.json.push(if array { ']' } else { '}' });
                }
                self.end(path, tool, out)
            }
            Event::Repaired(_) | Event::Repeated { .. } => Err(Uncertain),
        }
    }

    /// Begins a member, if `path` is that of one.
    fn begin(
        &mut self,
        path: &str,
        kind: Kind,
        tool: &Tool,
        out: &mut String,
    ) -> Result<(), Uncertain> {
        let Some(key) = member_key(path) else { return Ok(()) };
        // Arguments with a name may be a call of their own.
        if tool.parameter(&key).is_none() || key == "name" {
            return Err(Uncertain);
        }
        self.member =
            if kind == Kind::String && tool.parameter(&key).is_some_and(|one| one.is_free_text) {
                begin_member(&key, out);
                out.push('"');
                Member::Text
            } else {
                Member::Held(Held::default())
            };
        Ok(())
    }

    /// Ends the member, if `path` is that of one, and delivers what was held if it is valid.
    fn end(&mut self, path: &str, tool: &Tool, out: &mut String) -> Result<(), Uncertain> {
        let Some(key) = member_key(path) else { return Ok(()) };
        if let Member::Held(held) = std::mem::replace(&mut self.member, Member::None) {
            let schema = tool.parameter_schema(&key).ok_or(Uncertain)?;
            let parsed = llmend_json::parse(&held.json).map_err(|_| Uncertain)?;
            if parsed.report.class.is_some() || !validate(&parsed.value, schema).is_empty() {
                return Err(Uncertain);
            }
            begin_member(&key, out);
            out.push_str(&held.json);
        }
        Ok(())
    }
}

impl Held {
    fn open(&mut self, path: &str, kind: Kind) {
        self.separate(path);
        self.json.push(match kind {
            Kind::Array => '[',
            Kind::Object => '{',
            _ => '"',
        });
        if kind != Kind::String {
            self.open.push((kind, 0));
        }
    }

    /// Writes what stands before the value at `path`: a comma, and the key of a member.
    fn separate(&mut self, path: &str) {
        let Some((kind, count)) = self.open.last_mut() else { return };
        if *count > 0 {
            self.json.push(',');
        }
        *count += 1;
        if *kind == Kind::Object {
            self.json.push('"');
            llmend_json::push_escaped(&mut self.json, &last_key(path));
            self.json.push_str("\":");
        }
    }
}

/// Returns the key of a member of the arguments; `None` if `path` is that of a part of one.
fn member_key(path: &str) -> Option<String> {
    let is_member = path.rfind('/') == Some(0);
    is_member.then(|| last_key(path))
}

fn last_key(path: &str) -> String {
    let token = path.rsplit('/').next().unwrap_or_default();
    llmend_json::unescape_token(token)
}

/// Returns how far the text from `at` on certainly belongs to the arguments: up to what may be a
/// mark, and without brackets at the end, which may belong to what is around them.
fn certain_end(input: Input<'_>, at: usize) -> usize {
    let end = json::next_close(input, at).map_or(input.len(), |close| close.start);
    let text = input.slice(at, json::close_begins(input, at).min(end));
    at + text.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '}' | ']')).len()
}
