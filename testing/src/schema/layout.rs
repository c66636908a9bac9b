//! Layouts of values: pretty, compact, or with arbitrary white space.

use crate::data::{Data, quoted};
use crate::random::Random;

/// A style of white space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    Compact,
    /// Spaces after colons and commas, as Python writes them.
    Spaced,
    /// Indentation by this many spaces per level.
    Pretty(usize),
    /// Arbitrary white space.
    Odd,
}

impl Layout {
    pub(crate) fn any(r: &mut Random) -> Self {
        match r.below(10) {
            0..3 => Self::Compact,
            3..5 => Self::Spaced,
            5..8 => Self::Pretty(r.between(1, 4)),
            _ => Self::Odd,
        }
    }
}

/// Returns the text of a value.
pub(crate) fn text(data: &Data, layout: Layout, r: &mut Random) -> String {
    let mut writer = Writer { out: String::new(), layout, depth: 0, r };
    writer.gap();
    writer.value(data);
    writer.gap();
    writer.out
}

struct Writer<'r> {
    out: String,
    layout: Layout,
    depth: usize,
    r: &'r mut Random,
}

impl Writer<'_> {
    fn value(&mut self, data: &Data) {
        match data {
            Data::List(items) => {
                self.open('[');
                for (i, item) in items.iter().enumerate() {
                    self.next(i);
                    self.value(item);
                    self.gap();
                }
                self.close(']', items.is_empty());
            }
            Data::Map(members) => {
                self.open('{');
                for (i, (key, value)) in members.iter().enumerate() {
                    self.next(i);
                    self.out.push_str(&quoted(key));
                    self.gap();
                    self.out.push(':');
                    match self.layout {
                        Layout::Compact => {}
                        Layout::Spaced | Layout::Pretty(_) => self.out.push(' '),
                        Layout::Odd => self.gap(),
                    }
                    self.value(value);
                    self.gap();
                }
                self.close('}', members.is_empty());
            }
            scalar => self.out.push_str(&scalar.write()),
        }
    }

    fn open(&mut self, bracket: char) {
        self.out.push(bracket);
        self.depth += 1;
        self.gap();
    }

    fn next(&mut self, index: usize) {
        if index > 0 {
            self.out.push(',');
            if self.layout == Layout::Spaced {
                self.out.push(' ');
            }
        }
        self.line();
        self.gap();
    }

    fn close(&mut self, bracket: char, empty: bool) {
        self.depth -= 1;
        if !empty {
            self.line();
        }
        self.out.push(bracket);
    }

    fn line(&mut self) {
        if let Layout::Pretty(width) = self.layout {
            self.out.push('\n');
            self.out.push_str(&" ".repeat(width * self.depth));
        }
    }

    fn gap(&mut self) {
        if self.layout == Layout::Odd {
            self.out.push_str(self.r.pick(&["", "", "", " ", "\n", "\t", "\r\n", "  \n "]));
        }
    }
}
