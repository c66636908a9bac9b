//! Block text as in YAML.

use std::borrow::Cow;

use crate::{
    Rule, Span,
    parser::{Parser, Stop, Window, escape::escape_into},
    sink::{Content, Sink},
};

/// How far back the start of a line is searched for, in bytes.
const LINE_REACH: usize = 400;

impl Parser<'_> {
    /// Parses indented text after `|` or `>`. Returns whether there was one.
    pub(super) fn block_text(
        &mut self,
        window: &Window<'_>,
        sink: &mut dyn Sink,
    ) -> Result<bool, Stop> {
        let start = self.at;
        let head = window.rest(start);
        let first_line = window.line_after(start, 16);
        if !matches!(first_line.trim(), "|" | "|-" | "|+" | ">" | ">-" | ">+")
            || !head.get(first_line.len()..).is_some_and(|rest| rest.starts_with('\n'))
        {
            return Ok(false);
        }
        let own = window
            .rest(self.line_start(window))
            .bytes()
            .take_while(|&b| b == b' ' || b == b'\t')
            .count();
        let mut lines: Vec<&str> = Vec::new();
        let mut end = start + first_line.len();
        let mut indent = None;
        for line in head.get(first_line.len() + 1..).unwrap_or_default().split('\n') {
            let depth = line.bytes().take_while(|&b| b == b' ' || b == b'\t').count();
            if !line.trim().is_empty() && depth <= own {
                break;
            }
            end += 1 + line.len();
            if !line.trim().is_empty() {
                indent.get_or_insert(depth);
            }
            lines.push(line.get(depth.min(indent.unwrap_or(depth))..).unwrap_or_default());
        }
        if indent.is_none() {
            return Ok(false);
        }
        let joint = if first_line.trim().starts_with('|') { "\n" } else { " " };
        let text = lines.join(joint);
        let mut escaped = String::new();
        let _ = escape_into(text.trim_end(), &mut escaped);
        sink.string(window, Span::new(start, end), Content::Repaired(&escaped));
        self.edit(Rule::BlockText, start, end, Cow::Owned(format!("\"{escaped}\"")))?;
        self.finished(end);
        Ok(true)
    }

    /// Returns the start of the current line.
    fn line_start(&self, window: &Window<'_>) -> usize {
        let line = window.line_before(self.at, LINE_REACH).unwrap_or_default();
        self.at - line.len()
    }
}
