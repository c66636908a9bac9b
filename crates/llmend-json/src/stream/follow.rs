//! Where is the machine in the value that is shown?

use crate::{
    Choice,
    extract::{Build, FoundValue},
    parser::Window,
    sink::Container,
    stream::{feed::Feed, partial::Partial},
};

/// What is known of the value that is being read, besides what its sink was told.
#[derive(Debug, Default)]
pub(super) struct Follow {
    /// Whether it is certain to be the answer.
    pub(super) settled: bool,
    /// The innermost container that is open, and whether a key of it awaits its value.
    pub(super) inside: Option<(Container, bool)>,
    /// The string that is being written.
    pub(super) string: Option<Partial>,
    /// The one before it, for its storage.
    spare: Option<Partial>,
}

impl Follow {
    /// Whether all that has arrived since the last time is inside the string that is being written:
    /// then there is nothing to do for the machine.
    pub(super) fn is_inside_string(&mut self, window: &Window<'_>) -> bool {
        let Some(string) = self.string.as_mut().filter(|string| !string.waits) else {
            return false;
        };
        string.advance(window);
        !string.waits
    }

    /// Keeps up with the machine.
    pub(super) fn advance<B: Build>(&mut self, feed: &Feed<B>) {
        if let Some(failed) = feed.scan.failure() {
            // What was read stays, and so does a string, if that is what could not be read.
            self.string = self.string.take().filter(|string| string.opener == failed.step as usize);
            self.inside = failed.inside;
            return;
        }
        let scan = &feed.scan;
        let window = feed.window();
        let attempt = scan.attempt().filter(|_| scan.first().is_none());
        self.settled |= scan.is_alone();
        if feed.choice() == Choice::First {
            self.settled |= scan.first().is_some()
                || attempt.is_some_and(|attempt| attempt.is_accepted_first(&window))
                || scan.judged().is_some_and(FoundValue::is_accepted_first);
        }
        let Some(parser) = attempt.map(|attempt| &attempt.parser).filter(|_| self.settled) else {
            (self.inside, self.string) = (None, None);
            return;
        };
        self.inside = parser.checkpoint().inside();
        if self.string.as_ref().is_none_or(|string| string.opener != parser.at) {
            self.spare = self.string.take().or(self.spare.take());
            self.string = Partial::opened(parser, &window, &mut self.spare);
        }
        if let Some(string) = &mut self.string {
            string.advance(&window);
        }
    }
}
