//! Tracking of the parser's position in a visible value.

use crate::{
    Choice,
    extract::{Build, Scan},
    parser::{GrammarState, Window},
    sink::Container,
    stream::partial::{Buffers, Partial},
};

/// State of the value being read, in addition to that of its sink.
#[derive(Debug, Default)]
pub(super) struct Follow {
    /// Whether it is certainly the answer.
    pub(super) certain: bool,
    /// The innermost open container, and whether a key awaits its value.
    pub(super) inside: Option<(Container, bool)>,
    /// The current string.
    pub(super) string: Option<Partial>,
    /// The allocations of the previous string.
    spare: Buffers,
}

impl Follow {
    /// Returns whether all new text is inside the current string, so that the parser need not run.
    pub(super) fn is_inside_string(&mut self, window: &Window<'_>) -> bool {
        let Some(string) = self.string.as_mut().filter(|string| !string.waits) else {
            return false;
        };
        string.advance(window);
        !string.waits
    }

    /// Updates the state after the parser ran.
    pub(super) fn advance<B: Build>(
        &mut self,
        scan: &Scan<'_, B>,
        window: &Window<'_>,
        choice: Choice,
    ) {
        if let Some(failed) = scan.failure() {
            // What was read remains, including a string that could not be completed.
            self.string = self.string.take().filter(|string| string.opener == failed.step as usize);
            self.inside = failed.inside;
            return;
        }
        let attempt = scan.attempt().filter(|_| scan.first().is_none());
        let is_first = || {
            scan.first().is_some()
                || attempt.is_some_and(|attempt| attempt.is_accepted_first(window))
                || scan.judged().is_some_and(|found| scan.accepts(window, found))
        };
        self.certain = self.certain || scan.is_alone() || (choice == Choice::First && is_first());
        let Some(parser) = attempt.map(|attempt| &attempt.parser).filter(|_| self.certain) else {
            (self.inside, self.string) = (None, None);
            return;
        };
        self.inside = parser.checkpoint().inside();
        // What began as the first item may have turned out to be a key.
        let is_key = matches!(parser.state, GrammarState::FirstKey | GrammarState::Key);
        if is_key || self.string.as_ref().is_none_or(|string| string.opener != parser.at) {
            if let Some(ended) = self.string.take() {
                self.spare = ended.into_buffers();
            }
            self.string = Partial::opened(parser, window, &mut self.spare);
        }
        if let Some(string) = &mut self.string {
            string.advance(window);
        }
    }
}
