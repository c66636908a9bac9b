//! Line-by-line reading with bounded memory.

use std::io::{self, BufRead};

/// A line of the input, without its end.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// The bytes of the line.
    Bytes(Vec<u8>),
    /// The line exceeded the limit and was skipped.
    TooLong,
}

/// Reads the next line, and returns it with the bytes consumed; `None` at the end of the input.
///
/// Skips a line of more than `limit` bytes without buffering it. The last line needs no line end.
pub(crate) fn next_line(input: &mut impl BufRead, limit: usize) -> io::Result<Option<(Line, u64)>> {
    let mut bytes = Vec::new();
    let mut too_long = false;
    let mut taken = 0_u64;
    loop {
        let available = match input.fill_buf() {
            Ok(available) => available,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if available.is_empty() && taken == 0 {
            return Ok(None);
        }
        let end = available.iter().position(|byte| *byte == b'\n');
        let part = available.get(..end.unwrap_or(available.len())).unwrap_or_default();
        if bytes.len() + part.len() > limit {
            too_long = true;
            bytes = Vec::new();
        }
        if !too_long {
            bytes.extend_from_slice(part);
        }
        let used = part.len() + usize::from(end.is_some());
        input.consume(used);
        taken += used as u64;
        if end.is_some() || used == 0 {
            if bytes.last() == Some(&b'\r') {
                bytes.pop();
            }
            return Ok(Some((if too_long { Line::TooLong } else { Line::Bytes(bytes) }, taken)));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::{Line, next_line};

    fn check(text: &str, limit: usize, expected: &[Option<&str>]) {
        for capacity in [1, 2, 3, 64] {
            let mut input = BufReader::with_capacity(capacity, text.as_bytes());
            let mut lines = Vec::new();
            let mut total = 0;
            while let Some((line, taken)) =
                next_line(&mut input, limit).expect("memory can be read")
            {
                total += taken;
                lines.push(line);
            }
            let expected: Vec<Line> = expected
                .iter()
                .map(|line| {
                    line.map_or(Line::TooLong, |line| Line::Bytes(line.as_bytes().to_vec()))
                })
                .collect();
            assert_eq!(lines, expected, "{text:?} with a buffer of {capacity}");
            assert_eq!(total, text.len() as u64);
        }
    }

    #[test]
    fn lines_end_where_they_end() {
        check("", 9, &[]);
        check("a", 9, &[Some("a")]);
        check("a\n", 9, &[Some("a")]);
        check("a\r\nb\n\nc", 9, &[Some("a"), Some("b"), Some(""), Some("c")]);
    }

    #[test]
    fn a_long_line_is_skipped() {
        check("123456789\nab\n", 5, &[None, Some("ab")]);
        check("12345\n123456", 5, &[Some("12345"), None]);
    }
}
