//! How is an answer that was held back given, as it came or written anew?

use llmend::model::Usage;
use serde_json::{Value, json};

use super::calls::CallHead;
use super::event::{Form, event};
use super::{Stream, Told};
use crate::decide::{Part, call_json, content_json};
use crate::frames::{Content, Frame, Frames};
use crate::reask::Settled;
use crate::request::Report;
use crate::settle::{CallForm, Ends, Phase, Written, is_changed, report};
use crate::splice::quoted;
use crate::usage::with_more;

impl Stream {
    /// Gives the answer that was settled, and reads what has come behind it.
    pub(crate) fn give(&mut self, settled: &Settled) {
        let Settled { parts, ends, attempts, usage } = settled;
        let report = (self.asked.report == Report::Field).then(|| report(parts, *attempts));
        let is_repaired = is_changed(parts);
        let is_told_so = |written: &Written| {
            let word = written.finish.as_ref().map(|finish| finish.word.as_str());
            word == Some(written.finish_word(ends))
        };
        let has_ids = self.written.iter().all(|written| self.has_ids(written));
        let is_as_it_came = self.form == Form::Good
            && !is_repaired
            && report.is_none()
            && has_ids
            && self.written.iter().all(is_told_so);
        let held = std::mem::take(&mut self.held);
        self.more = *usage;
        if is_as_it_came {
            self.out.extend_from_slice(&held);
        } else {
            self.write(parts, ends, report.as_ref());
        }
        let mut tail = Frames::default();
        tail.push(&std::mem::take(&mut self.tail));
        while let Some(frame) = tail.next_frame() {
            let frame = self.with_usage(frame.raw);
            self.out.extend_from_slice(&frame);
        }
        self.phase = Phase::Given;
        self.read_frames();
    }

    /// An event with what all attempts used, if it tells of that.
    pub(super) fn with_usage(&self, raw: Vec<u8>) -> Vec<u8> {
        let frame = Frame { raw };
        let depth = self.reach.limits.depth;
        match frame.content() {
            Content::Data(data) if self.more != Usage::default() => {
                let told = with_more(&data, &self.more, depth);
                told.map_or(frame.raw, |data| event(&data).into_bytes())
            }
            _ => frame.raw,
        }
    }

    /// Whether each call has the name by which its result will be told.
    fn has_ids(&self, written: &Written) -> bool {
        let has_id =
            |index| self.call_head(written.choice, index).is_some_and(|head| head.id.is_some());
        let is_told = |index| written.others.contains(&index) || has_id(index);
        written.call_form == CallForm::Function || (0..written.calls.len()).all(is_told)
    }

    fn call_head(&self, choice: u32, index: usize) -> Option<&CallHead> {
        self.calls.iter().find(|call| call.choice == choice && call.index as usize == index)
    }

    /// Writes the answer anew.
    fn write(&mut self, parts: &[Part], ends: &Ends, report: Option<&Value>) {
        let mut out = String::new();
        let report = report.map(|report| ("llmend".to_owned(), report.to_string()));
        let mut last = String::new();
        for (written, left) in self.written.iter().zip((0..self.written.len()).rev()) {
            let choice = written.choice;
            let delta = self.written_delta(written, parts);
            if !delta.is_empty() {
                out.push_str(&self.defaults.event(choice, &delta.into(), None));
            }
            if let (CallForm::Function, [(name, arguments)]) =
                (written.call_form, written.calls.as_slice())
            {
                let arguments = call_json(parts, choice, 0).unwrap_or(arguments);
                let call = json!({"function_call": {"name": name, "arguments": arguments}});
                out.push_str(&self.defaults.event(choice, &call, None));
            } else if !written.calls.is_empty() {
                let calls = written.calls.iter().enumerate();
                let calls: Vec<String> = calls
                    .map(|(index, (name, arguments))| {
                        let json = call_json(parts, choice, index).unwrap_or(arguments);
                        self.written_call(choice, index, name, json)
                    })
                    .collect();
                // Members that only the upstream understands stay as they were written.
                let event = self.defaults.event(choice, &json!({"tool_calls": []}), None);
                let calls = format!("\"tool_calls\":[{}]", calls.join(","));
                out.push_str(&event.replacen("\"tool_calls\":[]", &calls, 1));
            }
            let mut beside: Vec<_> = report.iter().cloned().collect();
            // What is told once is told at the end, where a provider does.
            let target = if left == 0 { &mut last } else { &mut out };
            if left == 0 {
                beside.extend(self.beside.iter().cloned());
            }
            let finish = Some(written.finish_word(ends));
            self.defaults.write_event(choice, &json!({}), finish, &beside, target);
        }
        let last = self.with_usage(last.into_bytes());
        self.out.extend_from_slice(out.as_bytes());
        self.out.extend_from_slice(&last);
    }

    /// What a choice says besides its calls.
    fn written_delta(&self, written: &Written, parts: &[Part]) -> serde_json::Map<String, Value> {
        let mut delta = serde_json::Map::new();
        if !self.roles.contains(&written.choice) {
            delta.insert("role".to_owned(), json!("assistant"));
        }
        if !written.reasoning.is_empty() {
            delta.insert("reasoning_content".to_owned(), json!(written.reasoning));
        }
        let content = content_json(parts, written.choice).unwrap_or(&written.content);
        if !content.is_empty() {
            delta.insert("content".to_owned(), json!(content));
        }
        if self.told == Told::Later && !written.refusal.is_empty() {
            delta.insert("refusal".to_owned(), json!(written.refusal));
        }
        delta
    }

    fn written_call(&self, choice: u32, index: usize, name: &str, arguments: &str) -> String {
        let head = self.call_head(choice, index);
        let member = |(key, json): &(String, String)| format!(",{}:{json}", quoted(key));
        if let Some(head) = head.filter(|head| !head.raw.is_empty()) {
            // A call of no function, piece by piece as it came.
            let pieces = head.raw.iter().map(|piece| {
                let members: String = piece.iter().map(member).collect();
                format!("{{\"index\":{index}{members}}}")
            });
            return pieces.collect::<Vec<_>>().join(",");
        }
        let id = head.and_then(|head| head.id.clone());
        let id = id.unwrap_or_else(|| self.defaults.call_id(choice, index));
        let more = head.map(|head| head.more.as_slice()).unwrap_or_default();
        let more: String = more.iter().map(member).collect();
        format!(
            "{{\"index\":{index},\"id\":{},\"type\":\"function\",\"function\":{{\"name\":{},\"arguments\":{}}}{more}}}",
            quoted(&id),
            quoted(name),
            quoted(arguments)
        )
    }
}
