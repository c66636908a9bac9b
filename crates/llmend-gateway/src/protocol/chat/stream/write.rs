//! Rewriting of the events of a chat completion.

use llmend::json::Node;
use serde_json::Value;

use super::ChatStream;
use crate::answer::completion::CallForm;
use crate::answer::part::{PartKind, ResponsePart};
use crate::protocol::chat::choice::{Delivered, pieces};
use crate::protocol::chat::chunk::OBJECT;
use crate::protocol::chat::rewrite::{ChoiceRewriter, Presence};
use crate::protocol::event::{HeldEvent, StreamRewrite, event};
use crate::protocol::request::UsageReporting;
use crate::splice::{Splice, strict};

impl ChatStream {
    /// Whether each inspected call has an id.
    pub(super) fn has_ids(&self, parts: &[ResponsePart]) -> bool {
        let form = |choice| {
            let completion = self.completions.iter().find(|one| one.choice == choice);
            completion.map(|one| one.call_form)
        };
        parts.iter().all(|part| match part.place.kind {
            PartKind::Call { index, .. } if form(part.place.choice) == Some(CallForm::Tools) => {
                self.heads.has_id(part.place.choice, index)
            }
            PartKind::Call { .. } | PartKind::Input { .. } | PartKind::Content => true,
        })
    }

    /// Writes the events that were held back, with the repaired parts.
    pub(super) fn write(&self, held: &[HeldEvent<'_>], rewrite: StreamRewrite<'_>) -> Vec<u8> {
        let choices = ChoiceRewriter::new(
            Delivered::InEvents,
            &rewrite.answer.parts,
            &self.completions,
            &rewrite.answer.ends,
            &self.heads,
            &self.defaults,
        );
        let choices = choices.with_roles(&self.roles).with_calls(&self.checked);
        let mut writer = EventWriter { choices, beside: Vec::new(), report: rewrite.report };
        let mut out = Vec::new();
        let answer_end = held.iter().rposition(|event| !event.is_trailing).map_or(0, |at| at + 1);
        let (answer, behind) = held.split_at(answer_end);
        for event in answer {
            self.write_event(event, &mut writer, &mut out);
        }
        for one in &self.completions {
            let Some((delta, word)) = writer.choices.rest(one.choice) else { continue };
            let report = writer.report.take();
            let end = self.defaults.end(one.choice, &delta, word, report);
            out.extend_from_slice(end.as_bytes());
        }
        for event in behind {
            self.write_event(event, &mut writer, &mut out);
        }
        out
    }

    fn write_event(&self, held: &HeldEvent<'_>, writer: &mut EventWriter<'_>, out: &mut Vec<u8>) {
        let value =
            held.data.as_deref().and_then(|data| Some((data, strict(data, self.depth).ok()?)));
        let Some((data, value)) = value else { return out.extend_from_slice(held.raw) };
        if let Some(data) = self.rewritten(data, value.root(), writer) {
            out.extend_from_slice(event(&self.with_usage(&data).unwrap_or(data)).as_bytes());
        }
    }

    /// Returns the new data of an event, if it still says anything.
    fn rewritten(
        &self,
        data: &str,
        root: Node<'_>,
        writer: &mut EventWriter<'_>,
    ) -> Option<String> {
        let choices = pieces(root).unwrap_or_default();
        let mut splice = Splice::new(data);
        let mut says = Presence::of(choices.is_empty());
        for (number, choice) in choices {
            says = says.max(writer.choices.choice(number, choice, &mut splice));
        }
        let keeps_usage = self.request.usage == UsageReporting::Included;
        let beside = || beside(data, root, keeps_usage);
        let known = writer.beside.iter().map(|(key, json)| (key.as_str(), json.as_str()));
        match (beside().eq(known), says) {
            (true, Presence::Absent) => return None,
            (true, Presence::Present) => {}
            (false, _) => {
                let new = beside().map(|(key, json)| (key.to_owned(), json.to_owned()));
                writer.beside = new.collect();
            }
        }
        let mut with = self.defaults.missing(root, OBJECT);
        with.extend(writer.report.take().map(|report| ("llmend", report.to_string())));
        splice.members(root, if keeps_usage { &[] } else { &["usage"] }, &with);
        Some(splice.finish().into_owned())
    }
}

/// The state of rewriting.
struct EventWriter<'a> {
    choices: ChoiceRewriter<'a>,
    /// The members beside the choices of the last event.
    beside: Vec<(String, String)>,
    /// The report, until it is written.
    report: Option<&'a Value>,
}

/// Returns the members beside the choices of an event, as they are written. Padding is ignored.
fn beside<'v>(
    data: &'v str,
    root: Node<'v>,
    keeps_usage: bool,
) -> impl Iterator<Item = (&'v str, &'v str)> {
    root.members().filter_map(move |(key, value)| {
        let key = key.str()?;
        let is_out = ["choices", "obfuscation"].contains(&key) || key == "usage" && !keeps_usage;
        (!is_out).then(|| (key, value.span().of(data)))
    })
}
