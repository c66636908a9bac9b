//! Turns of a conversation that are written as lines: `User: …`, `Assistant: …`.

use super::{Machine, Mode};
use crate::input::{Input, Read, Stop};

/// Who speaks in a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Speaker {
    User,
    Model,
}

/// Names of speakers.
const SPEAKERS: &[(&str, Speaker)] = &[
    ("user", Speaker::User),
    ("human", Speaker::User),
    ("assistant", Speaker::Model),
    ("model", Speaker::Model),
    ("bot", Speaker::Model),
];

impl Machine {
    /// Reads a line at `at` that names its speaker. Returns whether the answer ends there.
    pub(super) fn turn_line(&mut self, input: Input<'_>, at: usize) -> Read<bool> {
        let Some((speaker, after)) = speaker(input, at)? else { return Ok(false) };
        if self.calls > 0 {
            self.stop();
            return Ok(true);
        }
        // A conversation that is told: what its model calls is not called here.
        let told = match speaker {
            Speaker::User => {
                self.prose.conversation = true;
                false
            }
            Speaker::Model if self.prose.conversation => true,
            Speaker::Model if self.prose.is_empty() => false,
            Speaker::Model => {
                let next = input.skip_blanks(after);
                if next == input.len() && !input.complete {
                    return Err(Stop::More);
                }
                matches!(input.byte(next), Some(b'<' | b'[' | b'{'))
            }
        };
        if told {
            self.mode = Mode::Rest;
        }
        Ok(told)
    }
}

/// Returns the speaker that the line at `at` names, and the offset behind the colon.
fn speaker(input: Input<'_>, at: usize) -> Read<Option<(Speaker, usize)>> {
    let marks = |text: &str| text.bytes().take_while(|byte| b"*#_ ".contains(byte)).count();
    let at = at + marks(input.from(at)).min(MAX_MARKS);
    for (name, speaker) in SPEAKERS {
        let written = input.slice(at, (at + name.len()).min(input.len()));
        if !name.get(..written.len()).is_some_and(|name| name.eq_ignore_ascii_case(written)) {
            continue;
        }
        if written.len() < name.len() {
            if input.complete {
                continue;
            }
            return Err(Stop::More);
        }
        let end = at + name.len();
        let colon = end + marks(input.from(end)).min(MAX_MARKS);
        if colon == input.len() && !input.complete {
            return Err(Stop::More);
        }
        if input.byte(colon) == Some(b':') {
            return Ok(Some((*speaker, colon + 1 + marks(input.from(colon + 1)))));
        }
    }
    Ok(None)
}

/// Maximum length of the marks of Markdown before and behind a name.
const MAX_MARKS: usize = 6;

#[cfg(test)]
mod tests {
    use super::{Speaker, speaker};
    use crate::input::Input;

    #[test]
    fn lines_that_name_their_speaker() {
        for (text, expected) in [
            ("User: hi", Some(Speaker::User)),
            ("**Human:** hi", Some(Speaker::User)),
            ("### assistant: hi", Some(Speaker::Model)),
            ("**Assistant**: hi", Some(Speaker::Model)),
            ("Users: 4", None),
            ("The user: hi", None),
            ("Modeling: hi", None),
            ("user", None),
        ] {
            let read = speaker(Input::new(text, true), 0).unwrap();
            assert_eq!(read.map(|(speaker, _)| speaker), expected, "{text}");
        }
    }
}
