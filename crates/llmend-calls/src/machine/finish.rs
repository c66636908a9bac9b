//! The end of a text: what it says against the calls that were read, or why there are none.

use llmend_json::{Diagnostic, Severity, Span};

use super::{Behind, Event, Machine, Mode};
use crate::{Tools, input::Input};

impl Machine {
    /// Reports what the end of the text decides.
    pub(super) fn finish(&mut self, input: Input<'_>, tools: &Tools) {
        if let Mode::Block(block) = &self.mode
            && block.calls == 0
        {
            self.cut(input);
        }
        let escaped = input.text.trim_start().starts_with("&lt;");
        if self.calls == 0 && escaped {
            let row = Diagnostic::new(
                "calls/escaped",
                Severity::Warning,
                "the tags of the text are HTML-escaped",
            )
            .at(Span::new(0, input.len()))
            .help("Undo the escaping if the text holds calls.");
            self.events.push(Event::Finding(Box::new(row)));
        }
        if self.calls == 0 && !self.reported {
            self.mention(input, tools);
        }
        if let Behind::Text(start) = self.behind
            && self.at >= input.len()
            && input.from(start).contains(char::is_alphanumeric)
        {
            let row = Diagnostic::new(
                "calls/text-behind",
                Severity::Warning,
                "text follows the call, as where a text quotes or describes one",
            );
            let row = row.at(Span::new(start, input.len())).help("Check that the call was meant.");
            self.events.push(Event::Finding(Box::new(row)));
        }
        self.mode = Mode::Done;
    }

    /// Reports that the text names a tool in the form of a call and was not read as one.
    fn mention(&mut self, input: Input<'_>, tools: &Tools) {
        let mentions = |name: &str| {
            let at = input.find(0, name)?;
            let end = at + name.len();
            is_form_of_call(input.slice(0, at), input.from(end)).then_some(Span::new(at, end))
        };
        if let Some(span) = tools.names().find_map(mentions) {
            // Behind turns of a conversation a call may be the answer to them.
            let conversation = self.prose.conversation && matches!(self.mode, Mode::Rest);
            let row = Diagnostic::new(
                "calls/mention",
                if conversation { Severity::Warning } else { Severity::Info },
                "the text names a tool in the form of a call, which is not taken for one",
            );
            self.events.push(Event::Finding(Box::new(row.at(span))));
        }
    }
}

/// Returns whether the name of a tool stands between `before` and `after` as in a call: before a
/// bracket, as a string or a value, or alone on a line above one.
fn is_form_of_call(before: &str, after: &str) -> bool {
    after.starts_with(['(', '>', '{', '<', '['])
        || (before.ends_with(['"', '\'', '=', ':', '>', '＂'])
            && !after.starts_with(char::is_alphanumeric))
        || ((before.is_empty() || before.ends_with('\n'))
            && after.trim_start().starts_with(['{', '<']))
}

#[cfg(test)]
mod tests {
    use super::is_form_of_call;

    #[test]
    fn names_in_the_form_of_a_call() {
        for (before, after, form) in [
            ("I would use ", "(city)", true),
            ("<", ">x", true),
            ("{\"name\": \"", "\", 1", true),
            ("tool=", "", true),
            ("tool=", "s", false),
            ("", "\n{\"a\": 1}", true),
            ("Then\n", " <a>", true),
            ("Then ", " <a>", false),
            ("I would use ", ".", false),
        ] {
            assert_eq!(is_form_of_call(before, after), form, "{before}NAME{after}");
        }
    }
}
