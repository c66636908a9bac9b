//! Commas with nothing before or after them.

use super::{Parser, Stop};
use crate::Rule;

impl Parser<'_> {
    /// Removes a comma with nothing before it.
    pub(super) fn extra_comma(&mut self, length: usize) -> Result<(), Stop> {
        self.edit(Rule::ExtraComma, self.at, self.at + length, "")?;
        self.at += length;
        Ok(())
    }

    /// Removes the comma before the end of the container.
    pub(super) fn trailing_comma(&mut self) -> Result<(), Stop> {
        if let Some(comma) = self.comma.take() {
            self.log.withdraw(comma);
            self.edit(Rule::TrailingComma, comma.start, comma.end, "")?;
        }
        Ok(())
    }
}
