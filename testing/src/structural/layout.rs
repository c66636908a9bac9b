//! White space in a text that is to be damaged.

use crate::damage::tokens::{Layout, Role, Spelling, Token, tokens};
use crate::data::Data;
use crate::random::Random;

/// White space of a whole text.
pub(super) struct Style {
    pub(super) layout: Layout,
    /// Each item of the outermost list on a line of its own.
    pub(super) rows: bool,
}

impl Style {
    pub(super) fn any(r: &mut Random) -> Self {
        let pretty = |indent| Layout::Pretty { indent, inline_lists: false };
        match r.below(12) {
            0 | 1 => Self { layout: Layout::Compact, rows: false },
            2 | 3 => Self { layout: Layout::Spaced, rows: false },
            4 | 5 => Self { layout: Layout::Spaced, rows: true },
            6 => Self { layout: Layout::Compact, rows: true },
            7..=9 => Self { layout: pretty("  "), rows: false },
            10 => Self { layout: pretty("    "), rows: false },
            _ => Self { layout: pretty("\t"), rows: false },
        }
    }

    /// Writes `value` down. Equal values give equal texts.
    pub(super) fn write(&self, value: &Data) -> Vec<Token> {
        let mut tokens = tokens(value, &self.layout, Spelling { ascii: false, slashes: false });
        if self.rows {
            break_rows(&mut tokens);
        }
        tokens
    }
}

fn break_rows(tokens: &mut [Token]) {
    let outermost = tokens.iter().position(|token| token.role == Role::Open && token.list);
    let Some(open) = outermost.filter(|&open| tokens[open].depth < 2) else { return };
    let (close, depth) = (tokens[open].link, tokens[open].depth);
    let line = |depth: usize| format!("\n{}", "  ".repeat(depth));
    for token in &mut tokens[open + 1..close] {
        if token.role == Role::Open && token.depth == depth + 1 {
            token.before = line(depth + 1);
        }
    }
    if tokens[close - 1].role == Role::Close {
        tokens[close].before = line(depth);
    }
}
