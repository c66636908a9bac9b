//! Is what stands behind the outermost container around the value, or does the text go on in it?

use crate::{
    Span,
    judge::continuation::{Halt, KeyFilter, TokenReader},
};

/// How much is looked at of what stands around the value, in bytes.
const TAIL_REACH: usize = 512;

impl TokenReader<'_, '_> {
    /// The outermost container is closed: does what follows look like its surroundings?
    pub(super) fn beyond(&mut self, before: usize, character: char) -> Halt {
        let new_line = self.window.slice(Span::new(before, self.at)).contains('\n');
        let continues = match character {
            ',' | ':' | '}' | ']' => true,
            // On a line of its own, a text in quotes may stand behind a value.
            '"' | '\'' => !new_line || self.keys == KeyFilter::Quoted,
            '\\' | '+' => !new_line,
            _ => false,
        };
        if continues {
            return Halt::Beyond;
        }
        if self.keys == KeyFilter::Quoted {
            // Inside of code, brackets and quotes go on; around a value they do not.
            let line = self.window.line_after(self.at, TAIL_REACH);
            let tail = self.window.near(self.at, TAIL_REACH);
            self.scanned += tail.len() / 8;
            let code = if tail.len() < TAIL_REACH {
                tail.trim_end().ends_with(['}', ']', '"'])
            } else {
                tail.contains('"')
            };
            if code || (!new_line && line.contains(['"', '\\'])) {
                return Halt::Beyond;
            }
        }
        Halt::End
    }
}
