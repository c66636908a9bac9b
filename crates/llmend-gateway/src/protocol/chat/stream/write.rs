//! How is an answer that was held back given, as it came or with what was made of its parts?

use llmend::json::Node;
use llmend::model::Usage;
use serde_json::Value;

use super::event::{Form, event};
use super::{OBJECT, Stream};
use crate::answer::usage::with_more;
use crate::protocol::chat::choice::{Delivered, pieces};
use crate::protocol::chat::rewrite::{Presence, Retold};
use crate::protocol::request::{Report, Usage as Tells};
use crate::repair::decide::{Part, PlaceKind};
use crate::repair::evaluate::{CallForm, Ends, Phase, Written, is_changed, report};
use crate::retry::Settled;
use crate::splice::{Splice, strict};
use crate::stream::frames::{Content, Frame, Frames};

impl Stream {
    /// Gives the answer that was settled, and reads what has come behind it.
    pub(crate) fn give(&mut self, settled: &Settled) {
        let Settled { parts, ends, attempts, usage } = settled;
        let report = (self.asked.report == Report::Field).then(|| report(parts, *attempts));
        let is_told_so = |written: &Written| {
            let word = written.finish.as_ref().map(|finish| finish.word.as_str());
            word == Some(written.finish_word(ends))
        };
        let is_as_it_came = self.form == Form::Good
            && !is_changed(parts)
            && report.is_none()
            && self.has_ids(parts)
            && self.written.iter().all(is_told_so);
        let held = std::mem::take(&mut self.held);
        self.more = *usage;
        if is_as_it_came {
            self.out.extend_from_slice(&held);
        } else {
            self.retell(&held, parts, ends, report.as_ref());
        }
        let end = |written: &Written| Some((written.choice, written.finish.clone()?));
        self.ended = self.written.iter().filter_map(end).collect();
        self.phase = Phase::Given;
        self.read_frames();
    }

    /// An event with what all attempts used, if it tells of that.
    pub(super) fn with_usage(&self, raw: Vec<u8>) -> Vec<u8> {
        if self.more == Usage::default() {
            return raw;
        }
        let frame = Frame { raw };
        let Content::Data(data) = frame.content() else { return frame.raw };
        let told = with_more(&data, &self.more, self.reach.limits.depth);
        told.map_or(frame.raw, |data| event(&data).into_bytes())
    }

    /// Whether each call that was looked at has the name by which its result will be told.
    fn has_ids(&self, parts: &[Part]) -> bool {
        let form = |choice| {
            let written = self.written.iter().find(|written| written.choice == choice);
            written.map(|written| written.call_form)
        };
        parts.iter().all(|part| match part.place.kind {
            PlaceKind::Call { index, .. } if form(part.place.choice) == Some(CallForm::Tools) => {
                self.heads.has_id(part.place.choice, index)
            }
            PlaceKind::Call { .. } | PlaceKind::Content => true,
        })
    }

    /// Tells what was held back with what was made of it.
    fn retell(&mut self, held: &[u8], parts: &[Part], ends: &Ends, report: Option<&Value>) {
        let retold = Retold::new(
            Delivered::InEvents,
            parts,
            &self.written,
            ends,
            &self.heads,
            &self.defaults,
        );
        let mut teller =
            Teller { retold: retold.with_roles(&self.roles), beside: Vec::new(), report };
        let mut out = Vec::new();
        let (answer, behind) = held.split_at(self.answer_end.min(held.len()));
        for (part, is_answer) in [(answer, true), (behind, false)] {
            let mut frames = Frames::default();
            frames.push(part);
            while let Some(frame) = frames.next_frame() {
                let told = self.retold(frame, &mut teller);
                out.extend(self.with_usage(told));
            }
            if is_answer {
                for written in &self.written {
                    let Some((delta, word)) = teller.retold.rest(written.choice) else { continue };
                    let report = teller.report.take();
                    let end = self.defaults.end(written.choice, &delta, word, report);
                    out.extend_from_slice(end.as_bytes());
                }
            }
        }
        self.out.append(&mut out);
    }

    /// A frame with what was made of its parts; empty if it says nothing any more.
    fn retold(&self, frame: Frame, teller: &mut Teller<'_>) -> Vec<u8> {
        let Content::Data(data) = frame.content() else { return frame.raw };
        // It was read when it came.
        let Ok(value) = strict(&data, self.reach.limits.depth) else { return frame.raw };
        let root = value.root();
        let choices = pieces(root).unwrap_or_default();
        let mut splice = Splice::new(&data);
        let mut says = Presence::of(choices.is_empty());
        for (number, choice) in choices {
            says = says.max(teller.retold.choice(number, choice, &mut splice));
        }
        let keeps_usage = self.asked.usage == Tells::Told;
        let beside = || beside(&data, root, keeps_usage);
        let told = teller.beside.iter().map(|(key, json)| (key.as_str(), json.as_str()));
        match (beside().eq(told), says) {
            (true, Presence::Absent) => return Vec::new(),
            (true, Presence::Present) => {}
            (false, _) => {
                let new = beside().map(|(key, json)| (key.to_owned(), json.to_owned()));
                teller.beside = new.collect();
            }
        }
        let mut with = self.defaults.missing(root, OBJECT);
        with.extend(teller.report.take().map(|report| ("llmend", report.to_string())));
        splice.members(root, if keeps_usage { &[] } else { &["usage"] }, &with);
        event(&splice.finish()).into_bytes()
    }
}

/// An answer that is told event by event.
struct Teller<'a> {
    retold: Retold<'a>,
    /// What stood beside the choices of the last event that was told.
    beside: Vec<(String, String)>,
    /// What was done, until it is told.
    report: Option<&'a Value>,
}

/// What stands beside the choices of an event, by name and as it is written. A padding says nothing.
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
