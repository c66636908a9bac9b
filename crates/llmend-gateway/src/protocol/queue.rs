//! Events whose text is held back. If it turns out to be only text, they pass as they arrived.

use std::collections::VecDeque;

/// The events that wait, in order. `T` says more of each.
#[derive(Debug)]
pub(crate) struct Queue<T>(VecDeque<Waiting<T>>);

impl<T> Default for Queue<T> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

/// An event that waits.
#[derive(Debug)]
pub(crate) struct Waiting<T> {
    /// Its bytes, unless a part of it was sent.
    pub(crate) raw: Option<Vec<u8>>,
    pub(crate) tag: T,
    /// What of its text may be sent and was not, since the rest is not certain yet.
    pub(crate) released: String,
    /// The rest of its text.
    pending: String,
    /// Whether it waited for another event.
    has_waited: bool,
}

/// What sends the next part of a text.
#[derive(Debug)]
pub(crate) enum Release<'t, T> {
    /// An event, and the rest of the text.
    Event(Waiting<T>, &'t str),
    /// Nothing yet: the next event may complete this one.
    Later,
    /// An event of its own, since there is none.
    Text(&'t str),
    /// The events brought something else as well, such as marks.
    Other,
}

impl<T> Waiting<T> {
    /// What of its text was not sent.
    pub(crate) fn rest(&self) -> String {
        format!("{}{}", self.released, self.pending)
    }
}

impl<T> Queue<T> {
    pub(crate) fn push(&mut self, raw: Option<Vec<u8>>, text: &str, tag: T) {
        let (released, pending) = (String::new(), text.to_owned());
        self.0.push_back(Waiting { raw, tag, released, pending, has_waited: false });
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns what sends the beginning of `text`.
    pub(crate) fn next<'t>(&mut self, text: &'t str) -> Release<'t, T> {
        let Some(front) = self.0.front_mut() else { return Release::Text(text) };
        if let Some(rest) = text.strip_prefix(front.pending.as_str()) {
            let pending = std::mem::take(&mut front.pending);
            front.released.push_str(&pending);
            return match self.0.pop_front() {
                Some(front) => Release::Event(front, rest),
                None => Release::Text(text),
            };
        }
        match front.pending.strip_prefix(text) {
            Some(pending) => {
                front.pending = pending.to_owned();
                front.released.push_str(text);
                Release::Later
            }
            None => Release::Other,
        }
    }

    /// Returns the text that another event did not complete, which is not to wait any longer.
    pub(crate) fn overdue(&mut self) -> Option<String> {
        let front = self.0.front_mut().filter(|front| !front.released.is_empty())?;
        if !front.has_waited {
            front.has_waited = true;
            return None;
        }
        front.raw = None;
        Some(std::mem::take(&mut front.released))
    }

    /// Removes the events at the front that have no text.
    pub(crate) fn without_text(&mut self) -> Option<Waiting<T>> {
        self.0.front().filter(|front| front.pending.is_empty() && front.released.is_empty())?;
        self.0.pop_front()
    }

    /// Removes all events.
    pub(crate) fn clear(&mut self) -> Vec<Waiting<T>> {
        self.0.drain(..).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Queue, Release};

    /// How texts are sent: `=` for an event as it arrived, `+` for a new one, `!` for other events.
    /// An empty text stands for an event that arrives.
    fn sent(events: &[&str], texts: &[&str]) -> String {
        let mut queue = Queue::default();
        for event in events {
            queue.push(Some(event.as_bytes().to_vec()), event, ());
        }
        let mut out = String::new();
        for text in texts {
            let mut left = *text;
            if text.is_empty() {
                out.extend(queue.overdue().map(|released| format!("+{released}")));
            }
            while !left.is_empty() {
                left = match queue.next(left) {
                    Release::Event(one, rest) => {
                        out += if one.raw.is_some() { "=" } else { "+" };
                        out += &one.released;
                        rest
                    }
                    Release::Text(text) => {
                        out += "+";
                        out += text;
                        ""
                    }
                    Release::Later => "",
                    Release::Other => {
                        let released = queue.clear().into_iter().map(|one| one.released);
                        out.extend(
                            released
                                .filter(|released| !released.is_empty())
                                .map(|one| format!("+{one}")),
                        );
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
            (&["ab", "cd"], &["a", "bcd"], "=ab=cd"),
            (&["ab", "cd"], &["a", "", "bcd"], "=ab=cd"),
            (&["ab", "cd"], &["a", "", "", "bcd"], "+a+b=cd"),
            // A mark was taken out.
            (&["<m>ab"], &["ab"], "!+ab"),
            (&["ab<m>", "cd"], &["ab", "cd"], "+ab!+cd"),
            (&[], &["ab"], "+ab"),
        ] {
            assert_eq!(sent(events, texts), expected, "{events:?} {texts:?}");
        }
    }
}
