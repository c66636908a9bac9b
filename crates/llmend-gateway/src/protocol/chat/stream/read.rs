//! Collecting what the model wrote from the pieces of a stream.

use llmend::json::Node;
use llmend_models::sse::CallName;

use super::ChatStream;
use super::held::{Form, delta, has_held};
use crate::answer::completion::{CallForm, Completion};
use crate::error::Failure;
use crate::protocol::chat::choice::{
    arguments, call_piece, called, calls, finish, is_numbered, is_read, is_silent, legacy, text,
    word,
};
use crate::protocol::event::behind_the_end;

impl ChatStream {
    /// Collects the choices of an event. Returns whether every client can read their calls.
    pub(super) fn note(&mut self, choices: &[(u32, Node<'_>)]) -> Result<Form, Failure> {
        let is_by_place = choices.iter().any(|(_, choice)| choice.get("index").is_none());
        if is_by_place && choices.len() != *self.by_place.get_or_insert(choices.len()) {
            let why = "its choices have no index";
            return Err(Failure::malformed(why));
        }
        let mut form = Form::Good;
        for &(number, choice) in choices {
            let is_over = self.completion(number).finish.is_some();
            if is_over && has_held(choice, &self.request) {
                return Err(behind_the_end());
            }
            if self.is_message_unread(number, choice) {
                let why = "expected `delta`, found `message`";
                return Err(Failure::malformed(why));
            }
            if let Some(delta) = delta(choice) {
                self.note_text(number, delta);
                form = form.max(self.note_calls(number, delta)?);
                self.note_legacy(number, delta);
            }
            let written = self.completion(number);
            written.finish = match (written.finish.take(), finish(choice)) {
                // A repeated reason can only make the choice less complete.
                (Some(known), Some(new)) if new.is_complete() => Some(known),
                (known, new) => new.or(known),
            };
        }
        Ok(form)
    }

    /// Whether a choice has a message beside an empty piece, and no earlier piece contained
    /// anything.
    fn is_message_unread(&mut self, number: u32, choice: Node<'_>) -> bool {
        let says = |delta: Node<'_>| {
            let members = ["content", "tool_calls", "function_call"].map(|key| delta.get(key));
            members.into_iter().flatten().any(|value| !is_silent(value))
        };
        let Some(delta) = choice.get("delta").filter(|delta| !delta.is_null()) else {
            return false;
        };
        if says(delta) {
            self.spoken.insert(number);
        }
        choice.get("message").is_some_and(says) && !self.spoken.contains(&number)
    }

    fn note_text(&mut self, number: u32, delta: Node<'_>) {
        let is_held = self.request.content.is_some();
        let written = self.completion(number);
        if let Some(content) = delta.get("content").filter(|_| is_held) {
            written.content.push_str(&text(content));
        }
        if let Some(refusal) = word(delta, "refusal") {
            written.refusal.push_str(refusal);
        }
    }

    fn note_calls(&mut self, number: u32, delta: Node<'_>) -> Result<Form, Failure> {
        let mut form = Form::Good;
        for call in calls(delta) {
            if self.request.calls.is_none() {
                let name = called(call).and_then(|called| word(called, "name"));
                self.completion(number).pass_call(name.unwrap_or_default());
                continue;
            }
            let piece = call_piece(&mut self.numbers, number, call);
            let piece = piece.map_err(|error| Failure::malformed(&error))?;
            let at = piece.index as usize;
            if call.get("function").is_some_and(is_read) {
                self.read_calls.push((number, at));
            }
            self.heads.note(number, at, call);
            // Some clients concatenate the ids of all pieces.
            let is_id_repeated = word(call, "id").is_some() && !piece.new_id;
            form = form.max(Form::of(is_numbered(call, at) && !is_id_repeated));
            let written = self.completion(number);
            if written.call_form == CallForm::Function {
                // Both forms were used: the list counts.
                (written.call_form, written.calls) = (CallForm::Tools, Vec::new());
            }
            if written.calls.len() <= at {
                let new = written.calls.len()..=at;
                written.others.extend(new);
                written.calls.resize_with(at + 1, Default::default);
            }
            let Some((name, passed)) = written.calls.get_mut(at) else { continue };
            if piece.name != CallName::Repeated {
                name.push_str(called(call).and_then(|it| word(it, "name")).unwrap_or_default());
            }
            let Some(function) = call.get("function") else { continue };
            written.others.retain(|other| *other != at);
            // Clients concatenate the names of all pieces, and some servers repeat the name in
            // each.
            form = form.max(Form::of(matches!(piece.name, CallName::Absent | CallName::New)));
            passed.push_str(&arguments(function));
        }
        Ok(form)
    }

    fn note_legacy(&mut self, number: u32, delta: Node<'_>) {
        let Some(function) = legacy(delta) else { return };
        let is_passed = self.request.calls.is_none();
        let written = self.completion(number);
        if written.call_form == CallForm::Tools
            && (!written.calls.is_empty() || !written.uninspected_calls.is_empty())
        {
            return;
        }
        written.call_form = CallForm::Function;
        if is_passed {
            written.pass_call(word(function, "name").unwrap_or_default());
            return;
        }
        if written.calls.is_empty() {
            written.calls.push(Default::default());
        }
        if let Some((name, passed)) = written.calls.first_mut() {
            let piece = word(function, "name").unwrap_or_default();
            if name != piece {
                name.push_str(piece);
            }
            passed.push_str(&arguments(function));
        }
    }

    /// Returns what was collected of a choice.
    pub(super) fn completion(&mut self, choice: u32) -> &mut Completion {
        let at = self.completions.iter().position(|one| one.choice == choice);
        let at = at.unwrap_or_else(|| {
            self.completions.push(Completion { choice, ..Completion::default() });
            self.completions.len() - 1
        });
        &mut self.completions[at]
    }
}
