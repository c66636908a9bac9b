//! Messages, one a line.

use std::io::{self, BufRead, Read as _};

use crate::{
    input::{STDIN, decode, too_long, unreadable},
    outcome::Failure,
};

/// Reads the next line of at most `max_bytes`, without its end; `None` at the end of the input. A longer line
/// and one that is not UTF-8 are errors, after which the next line can be read.
pub(super) fn line(input: &mut impl BufRead, max_bytes: usize) -> Result<Option<String>, Failure> {
    let broken = |error: io::Error| unreadable(STDIN, &error);
    let most = u64::try_from(max_bytes).unwrap_or(u64::MAX).saturating_add(1);
    let mut bytes = Vec::new();
    input.by_ref().take(most).read_until(b'\n', &mut bytes).map_err(broken)?;
    if bytes.is_empty() {
        return Ok(None);
    }
    if bytes.pop_if(|byte| *byte == b'\n').is_none() && bytes.len() > max_bytes {
        input.skip_until(b'\n').map_err(broken)?;
        return Err(too_long(max_bytes));
    }
    decode(&bytes).map(|text| Some(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn each_line_is_read_separately() {
        let mut input: &[u8] = b"one\n\ntw\xffo\nthree\r\nfar too long\nend";
        let mut found = Vec::new();
        loop {
            match line(&mut input, 6) {
                Ok(None) => break,
                Ok(Some(text)) => found.push(text),
                Err(failure) => found.push(failure.diagnostics[0].code.to_string()),
            }
        }
        assert_eq!(found, ["one", "", "input/utf8", "three\r", "limit/bytes", "end"]);
    }
}
