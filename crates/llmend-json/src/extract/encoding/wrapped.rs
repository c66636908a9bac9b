//! Texts whose long lines were broken by a program that marked each break: with a backslash at the end of
//! the line, or an arrow at the beginning of the next one.

use super::Sign;

/// Marks before the rest of a line, perhaps with a space behind them.
const MARKS: [char; 4] = ['↪', '↳', '⤷', '⮡'];
/// Fewest breaks.
const FEWEST: usize = 2;

/// Returns the breaks in `text`, if every line but one is broken so.
pub(super) fn breaks(text: &str) -> Option<Vec<Sign>> {
    let text = text.trim_end();
    behind_lines(text).or_else(|| before_lines(text)).filter(|signs| signs.len() >= FEWEST)
}

/// Returns the breaks marked at the end of each line but the last.
fn behind_lines(text: &str) -> Option<Vec<Sign>> {
    let mut signs = Vec::new();
    for (at, _) in text.match_indices('\n') {
        let line = text.get(..at)?;
        let line = line.strip_suffix('\r').unwrap_or(line);
        let content = line.strip_suffix('\\').filter(|line| !line.ends_with('\\'))?;
        signs.push(Sign::new(content.len(), at + 1, ""));
    }
    Some(signs)
}

/// Returns the breaks marked at the beginning of each line but the first.
fn before_lines(text: &str) -> Option<Vec<Sign>> {
    let mut signs = Vec::new();
    for (at, _) in text.match_indices('\n') {
        let rest = text.get(at + 1..)?;
        let behind = rest.strip_prefix(MARKS)?;
        let behind = behind.strip_prefix(' ').unwrap_or(behind);
        signs.push(Sign::new(at, at + 1 + rest.len() - behind.len(), ""));
    }
    Some(signs)
}

#[cfg(test)]
mod tests {
    use super::{super::tests::applied, breaks};

    #[test]
    fn broken_lines() {
        for (text, expected) in [
            ("{\"a\": tr\\\nue, \"b\\\n\": 1}\n", Some("{\"a\": true, \"b\": 1}\n")),
            ("{\"a\": \"x\\\r\ny\", \\\r\n\"b\": 1}", Some("{\"a\": \"xy\", \"b\": 1}")),
            ("{\"a\"\n↪ : 1, \"\n↪ b\": 2}", Some("{\"a\": 1, \"b\": 2}")),
            ("{\"a\": 1,\\\n\"b\": 2,\n\"c\": 3}", None),
            ("{\"a\": 1,\\\n\"b\": 2}", None),
            ("{\"a\": \"x\\\\\n\", \\\n\"b\": 2}", None),
            ("{\"a\": 1}", None),
        ] {
            let found = applied(text, breaks(text));
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }
}
