//! Serialization of values to JSON text.

use std::fmt;

use crate::{
    parser::escape::escape_into,
    value::{BORROWED, Node, SlotKind, Value},
};

/// One level of indentation.
const INDENT: &str = "  ";

/// Writes compact JSON, or indented JSON with `{:#}`.
impl fmt::Display for Node<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(*self, f.alternate(), f)
    }
}

impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.root().fmt(f)
    }
}

impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// An open container.
struct Level {
    end: usize,
    object: bool,
    /// Number of slots written at this level; in an object, every second one is a value.
    written: usize,
}

fn write(node: Node<'_>, pretty: bool, out: &mut dyn fmt::Write) -> fmt::Result {
    let value = node.value;
    let last = value.after(node.index);
    let mut levels: Vec<Level> = Vec::new();
    let mut at = node.index;
    loop {
        while let Some(level) = levels.last()
            && at >= level.end
        {
            let (object, empty) = (level.object, level.written == 0);
            levels.pop();
            if pretty && !empty {
                line(out, levels.len())?;
            }
            out.write_char(if object { '}' } else { ']' })?;
        }
        if at >= last {
            return Ok(());
        }
        let depth = levels.len();
        if let Some(level) = levels.last_mut() {
            let is_value = level.object && level.written % 2 == 1;
            if is_value {
                out.write_str(if pretty { ": " } else { ":" })?;
            } else {
                if level.written > 0 {
                    out.write_char(',')?;
                }
                if pretty {
                    line(out, depth)?;
                }
            }
            level.written += 1;
        }
        let Some(slot) = value.slots.get(at) else { return Ok(()) };
        match slot.kind {
            SlotKind::Null => out.write_str("null")?,
            SlotKind::True => out.write_str("true")?,
            SlotKind::False => out.write_str("false")?,
            SlotKind::Number => out.write_str(value.content(at))?,
            // The content of a string in plain quotes needs no escapes.
            SlotKind::String if slot.data == BORROWED && slot.marks == (1, 1) => {
                out.write_char('"')?;
                out.write_str(value.content(at))?;
                out.write_char('"')?;
            }
            SlotKind::String => {
                out.write_char('"')?;
                escape_into(value.content(at), out)?;
                out.write_char('"')?;
            }
            SlotKind::Array | SlotKind::Object => {
                let object = slot.kind == SlotKind::Object;
                out.write_char(if object { '{' } else { '[' })?;
                levels.push(Level { end: slot.data as usize, object, written: 0 });
            }
        }
        at += 1;
    }
}

fn line(out: &mut dyn fmt::Write, depth: usize) -> fmt::Result {
    out.write_char('\n')?;
    (0..depth).try_for_each(|_| out.write_str(INDENT))
}
