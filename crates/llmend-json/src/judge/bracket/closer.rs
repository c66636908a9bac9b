//! Closing brackets that do not match the innermost container.

use crate::{
    judge::continuation::{Halt, Lookahead, continuation},
    parser::{Frame, Spacing, Window},
    sink::Container,
};

/// The meaning of a mismatched closing bracket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Closing {
    /// It closes an outer container. This many inner ones were left open.
    Unclosed(usize),
    /// It closes the innermost container, with the wrong bracket.
    Wrong,
    /// It closes nothing.
    Stray,
    /// Several readings are equally likely.
    Unclear,
}

/// Maximum number of tokens that count in favor of an unsound reading.
const ENOUGH: u32 = 12;
/// Tokens after which a reading is sound.
const LIMIT: u32 = 160;

/// Judges the closing bracket of `kind` that ends at `after`, with `stack` open.
pub(crate) fn closing(
    window: &Window<'_>,
    after: usize,
    kind: Option<Container>,
    stack: &[Frame],
    spacing: Spacing,
    budget: &mut usize,
) -> Closing {
    if *budget == 0 {
        return Closing::Unclear;
    }
    let mut readings: Vec<(Closing, usize, i64)> = Vec::with_capacity(3);
    let depth = stack.len();
    if let Some(inner) = stack.iter().rev().position(|frame| Some(frame.kind) == kind)
        && inner > 0
    {
        let missing = i64::try_from(inner).unwrap_or(i64::MAX / 8);
        readings.push((Closing::Unclosed(inner), depth - inner - 1, 1 - 2 * missing));
    }
    readings.push((Closing::Wrong, depth - 1, -2));
    readings.push((Closing::Stray, depth, -4));
    let mut best: Option<(Closing, i64)> = None;
    let mut second = i64::MIN;
    for (reading, open, prior) in readings {
        let rest = stack.get(..open).unwrap_or_default();
        let found = continuation(window, after, &Lookahead::value(rest, LIMIT, spacing), budget);
        let clean = 2 * i64::from(found.clean.min(ENOUGH));
        let sound = match found.halt {
            Halt::End => 40,
            Halt::Limit => 34,
            Halt::InString => clean + 2,
            Halt::Unclosed => clean + 4,
            Halt::Mismatch | Halt::Beyond => clean,
        };
        let score = sound + prior;
        match best {
            Some((_, top)) if score <= top => second = second.max(score),
            _ => {
                second = second.max(best.map_or(i64::MIN, |(_, top)| top));
                best = Some((reading, score));
            }
        }
    }
    match best {
        Some((reading, score)) if score > second => reading,
        // All readings come to the same value.
        _ if ends_in_closers(window, after, depth) => Closing::Stray,
        _ => Closing::Unclear,
    }
}

/// Most of a text that is only closing brackets, in bytes.
const CLOSERS_REACH: usize = 32;

/// Returns whether nothing but closing brackets is left from `after` on, enough for all that is open.
fn ends_in_closers(window: &Window<'_>, after: usize, depth: usize) -> bool {
    let rest = window.near(after, CLOSERS_REACH);
    let closers = rest.bytes().filter(|byte| matches!(byte, b'}' | b']')).count();
    closers >= depth
        && rest.len() < CLOSERS_REACH
        && window.at_end
        && rest.chars().all(|c| matches!(c, '}' | ']') || c.is_whitespace())
}

#[cfg(test)]
mod tests {
    use super::{Closing, closing};
    use crate::{
        parser::{Frame, Opened, Spacing, Window},
        sink::Container,
    };

    #[test]
    fn mismatched_closers() {
        for (open, closer, rest, expected) in [
            ("{[", '}', "", Closing::Unclosed(1)),
            ("[", '}', "", Closing::Wrong),
            ("[", ')', "", Closing::Wrong),
            ("[", '}', ",{\"a\":2}]", Closing::Stray),
            ("{[{", ']', ", \"n\": 1}", Closing::Unclosed(1)),
            ("{", ']', "}}", Closing::Stray),
            ("{", ']', "}} so", Closing::Unclear),
            ("{[{[", '}', "\n}, {\"s\": 1}], \"n\": 1}", Closing::Wrong),
        ] {
            let stack: Vec<Frame> = open
                .chars()
                .map(|c| {
                    let kind = if c == '{' { Container::Object } else { Container::Array };
                    Frame::new(kind, Opened::Plain)
                })
                .collect();
            let kind = match closer {
                '}' => Some(Container::Object),
                ']' => Some(Container::Array),
                _ => None,
            };
            let mut budget = 10_000;
            let found = closing(&Window::whole(rest), 0, kind, &stack, Spacing::Plain, &mut budget);
            assert_eq!(found, expected, "{open} {closer} {rest}");
        }
    }
}
