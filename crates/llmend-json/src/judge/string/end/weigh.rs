//! The evidence that a string ends at a mark.

use crate::{
    Span,
    judge::{
        continuation::{Continuation, Halt},
        string::{
            context::Role,
            end::{EndSearch, Ending},
        },
    },
    sink::Container,
};

/// Quality of a deferred reading, from worst to best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Quality {
    Odd,
    Even,
    OddClean,
    EvenClean,
}

/// A reading that is taken if no better one follows.
#[derive(Clone, Copy)]
pub(super) struct Fallback {
    pub(super) ending: Ending,
    pub(super) quality: Quality,
}

impl Fallback {
    const fn at(&self) -> usize {
        match self.ending {
            Ending::Mark { at, .. } | Ending::Unmarked { at } | Ending::Cut { at } => at,
            Ending::Unclear => 0,
        }
    }
}

/// The evidence for an end at a mark.
#[derive(Clone, Copy)]
pub(super) struct Evidence {
    /// The container continues after it.
    pub(super) fits: bool,
    /// The container continues cleanly after it.
    pub(super) clean: bool,
    /// The only mark before it is an inch mark.
    pub(super) inch: bool,
}

impl EndSearch<'_, '_> {
    /// Weighs the evidence for an end at the mark that ends at `at`, given how the text continues.
    pub(super) fn weigh(&self, at: usize, continuation: Continuation) -> Evidence {
        let (odd, array) = (self.is_odd(), self.in_array());
        let clean = continuation.is_clean();
        let fits = match (self.context.role, self.context.stack.last().map(|frame| frame.kind)) {
            (Role::Key, _) => continuation.clean >= 1 || continuation.halt == Halt::Unclosed,
            (Role::Value, None) => clean,
            (Role::Value, Some(Container::Object)) => match continuation.halt {
                Halt::Unclosed => true,
                Halt::Beyond => false,
                _ => clean || continuation.clean >= 3,
            },
            (Role::Value, Some(Container::Array)) => match continuation.halt {
                Halt::Unclosed => true,
                Halt::Beyond => false,
                Halt::InString => !odd && continuation.clean >= 1,
                _ => clean || continuation.clean >= 2,
            },
        };
        let known = fits && self.known_key_follows(at);
        let cut = continuation.halt == Halt::Unclosed && continuation.clean >= 1;
        let continues = continuation.clean >= if array { 1 } else { 3 };
        let inch = odd
            && self.balance.is_even()
            && self.marks == 1
            && self.inch
            && continues
            && (!array || continuation.halt == Halt::InString);
        Evidence { fits, clean: clean || known || cut, inch }
    }

    /// Returns whether the key after the comma at `at` is a known key of the value.
    fn known_key_follows(&self, at: usize) -> bool {
        if self.context.keys.is_empty() {
            return false;
        }
        let comma = self.window.skip_space(at);
        let quote = self.window.skip_space(comma + 1);
        let inside = quote + 1;
        self.window.byte(comma) == Some(b',')
            && self.window.byte(quote) == Some(b'"')
            && self.context.keys.iter().any(|known| {
                self.window.starts_with(inside, known.as_bytes())
                    && self.window.byte(inside + known.len()) == Some(b'"')
            })
    }

    /// Accepts a reading, or defers it.
    pub(super) fn accept_or_defer(
        &mut self,
        reading: Fallback,
        evidence: Evidence,
    ) -> Option<Ending> {
        let Fallback { ending, quality } = reading;
        let array = self.in_array();
        let steady = self.balance.is_even() && !(array && self.balance.parentheses > 0);
        // In an array, the first quote of `join(", ")` looks like an end, too.
        let code = array && self.marks == 0 && !steady;
        let even_clean = quality == Quality::EvenClean
            && !code
            && (!self.json_inside || self.at_line_end(reading.at()));
        if !self.is_odd() && (steady || even_clean) {
            return Some(match self.fallback {
                Some(fallback) if fallback.quality == Quality::OddClean && !self.json_inside => {
                    Ending::Unclear
                }
                Some(fallback) if fallback.quality == Quality::EvenClean => Ending::Unclear,
                _ if self.member_inside => Ending::Unclear,
                _ => ending,
            });
        }
        let sound = evidence.clean || evidence.inch;
        if self.is_odd() && sound && steady && !self.json_inside && self.fallback.is_none() {
            return Some(ending);
        }
        if self.fallback.is_none_or(|fallback| fallback.quality < quality) {
            self.fallback = Some(reading);
        }
        None
    }

    pub(super) const fn quality(&self, evidence: Evidence) -> Quality {
        match (self.is_odd(), evidence.clean) {
            (false, true) => Quality::EvenClean,
            (true, true) => Quality::OddClean,
            (false, false) => Quality::Even,
            (true, false) => Quality::Odd,
        }
    }

    /// Returns whether the text before `at` ends a line, as a file does.
    fn at_line_end(&self, at: usize) -> bool {
        let inside = self.window.slice(Span::new(self.start, at));
        inside.ends_with("\\n") || inside.ends_with('\n')
    }

    /// Decides about the deferred reading once no better one has followed.
    pub(super) fn evaluate(&self, fallback: Fallback) -> Ending {
        let sure = match fallback.quality {
            Quality::EvenClean => !self.json_inside || self.at_line_end(fallback.at()),
            Quality::OddClean => !self.json_inside,
            Quality::Even | Quality::Odd => false,
        };
        if sure { fallback.ending } else { Ending::Unclear }
    }
}
