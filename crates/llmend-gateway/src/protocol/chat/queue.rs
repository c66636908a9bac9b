//! Events whose text is held back. If it turns out to be only text, they pass as they arrived.

use std::collections::VecDeque;

/// The events of a choice that wait, in order.
#[derive(Debug, Default)]
pub(super) struct Queue(VecDeque<Waiting>);

/// An event that waits.
#[derive(Debug)]
pub(super) struct Waiting {
    /// Its bytes, unless the rest of it was sent.
    pub(super) raw: Option<Vec<u8>>,
    pub(super) has_role: bool,
    /// Whether it ends the choice.
    pub(super) is_end: bool,
    /// What of its text was not sent.
    unsaid: String,
}

/// What sends the next part of a text.
#[derive(Debug)]
pub(super) enum Release<'t> {
    /// An event as it arrived, and the rest of the text.
    Event(Waiting, &'t str),
    /// An event of its own, and the rest of the text.
    Text(&'t str, &'t str),
    /// The events brought something else as well, such as marks.
    Other,
}

impl Queue {
    pub(super) fn push(&mut self, raw: Option<Vec<u8>>, text: &str, has_role: bool, is_end: bool) {
        self.0.push_back(Waiting { raw, has_role, is_end, unsaid: text.to_owned() });
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns what sends the beginning of `text`.
    pub(super) fn next<'t>(&mut self, text: &'t str) -> Release<'t> {
        let Some(front) = self.0.front_mut() else { return Release::Text(text, "") };
        if let Some(rest) = text.strip_prefix(front.unsaid.as_str()) {
            let said = text.get(..text.len() - rest.len()).unwrap_or_default();
            return match self.0.pop_front() {
                Some(front) if front.raw.is_some() => Release::Event(front, rest),
                _ => Release::Text(said, rest),
            };
        }
        match front.unsaid.strip_prefix(text) {
            Some(unsaid) => {
                front.unsaid = unsaid.to_owned();
                front.raw = None;
                Release::Text(text, "")
            }
            None => Release::Other,
        }
    }

    /// Removes all events.
    pub(super) fn clear(&mut self) -> Vec<Waiting> {
        self.0.drain(..).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Queue, Release};

    /// How texts are sent: `=` for an event as it arrived, `+` for a new one, `!` for other events.
    fn sent(events: &[&str], texts: &[&str]) -> String {
        let mut queue = Queue::default();
        for event in events {
            queue.push(Some(event.as_bytes().to_vec()), event, false, false);
        }
        let mut out = String::new();
        for text in texts {
            let mut left = *text;
            while !left.is_empty() {
                left = match queue.next(left) {
                    Release::Event(one, rest) => {
                        out += &format!("={}", String::from_utf8(one.raw.unwrap()).unwrap());
                        rest
                    }
                    Release::Text(text, rest) => {
                        out += &format!("+{text}");
                        rest
                    }
                    Release::Other => {
                        queue.clear();
                        out += "!";
                        left
                    }
                };
            }
        }
        out
    }

    #[test]
    fn events_pass_as_they_arrived_if_they_are_only_text() {
        for (events, texts, expected) in [
            (&["ab", "cd"][..], &["ab", "cd"][..], "=ab=cd"),
            (&["ab", "cd"], &["abcd"], "=ab=cd"),
            (&["ab", "cd"], &["a", "bcd"], "+a+b=cd"),
            (&["ab", "cd"], &["abc", "d"], "=ab+c+d"),
            // A mark was taken out.
            (&["<m>ab"], &["ab"], "!+ab"),
            (&["ab<m>", "cd"], &["ab", "cd"], "+ab!+cd"),
            (&[], &["ab"], "+ab"),
        ] {
            assert_eq!(sent(events, texts), expected, "{events:?} {texts:?}");
        }
    }
}
