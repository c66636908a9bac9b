//! Tables for terminals and pages.

/// Rows of cells under a header. All columns but the first ones are numbers.
#[derive(Debug, Clone)]
pub struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
    labels: usize,
}

impl Table {
    /// Creates an empty table whose first `labels` columns are text.
    pub fn new(labels: usize, header: &[&str]) -> Self {
        let header = header.iter().map(|&cell| cell.to_owned()).collect();
        Self { header, rows: Vec::new(), labels }
    }

    /// Adds a row with as many cells as the header.
    pub fn row(&mut self, cells: Vec<String>) {
        debug_assert_eq!(cells.len(), self.header.len());
        self.rows.push(cells);
    }

    /// Formats aligned columns, separated by two spaces.
    pub fn plain(&self) -> String {
        let widths = self.widths();
        let mut out = String::new();
        for row in std::iter::once(&self.header).chain(&self.rows) {
            let cells: Vec<_> =
                row.iter().zip(&widths).enumerate().map(|(at, cell)| self.pad(at, cell)).collect();
            out.push_str(cells.join("  ").trim_end());
            out.push('\n');
        }
        out
    }

    /// Formats an aligned Markdown table.
    pub fn markdown(&self) -> String {
        let widths = self.widths();
        let rule = (0..widths.len()).map(|at| {
            if at < self.labels {
                "-".repeat(widths[at].max(3))
            } else {
                format!("{}:", "-".repeat(widths[at].max(3) - 1))
            }
        });
        let rule = format!("| {} |", rule.collect::<Vec<_>>().join(" | "));
        let mut out = String::new();
        for (index, row) in std::iter::once(&self.header).chain(&self.rows).enumerate() {
            let cells: Vec<_> =
                row.iter().zip(&widths).enumerate().map(|(at, cell)| self.pad(at, cell)).collect();
            out.extend(["| ", &cells.join(" | "), " |\n"]);
            if index == 0 {
                out.push_str(&rule);
                out.push('\n');
            }
        }
        out
    }

    fn pad(&self, column: usize, (cell, width): (&String, &usize)) -> String {
        let width = (*width).max(3);
        if column < self.labels { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
    }

    fn widths(&self) -> Vec<usize> {
        let rows = || std::iter::once(&self.header).chain(&self.rows);
        (0..self.header.len())
            .map(|at| rows().map(|row| row[at].chars().count()).max().unwrap_or(0))
            .collect()
    }
}

/// Formats a duration with three digits and a suitable unit.
pub fn seconds(seconds: f64) -> String {
    match seconds {
        s if s < 1e-6 => format!("{:.0} ns", s * 1e9),
        s if s < 1e-3 => format!("{:.1} µs", s * 1e6),
        s if s < 1.0 => format!("{:.2} ms", s * 1e3),
        s => format!("{s:.2} s"),
    }
}

/// Formats a rounded number of bytes, in powers of a thousand.
pub fn bytes(bytes: usize) -> String {
    match bytes {
        0..500 => format!("{bytes} B"),
        500..999_500 => format!("{} KB", (bytes + 500) / 1_000),
        _ => format!("{} MB", (bytes + 500_000) / 1_000_000),
    }
}

#[cfg(test)]
mod tests {
    use super::{Table, bytes, seconds};

    #[test]
    fn columns_are_aligned() {
        let mut table = Table::new(1, &["who", "ratio"]);
        table.row(vec!["µ".into(), "1.0".into()]);
        assert_eq!(table.plain(), "who  ratio\nµ      1.0\n");
        assert_eq!(table.markdown(), "| who | ratio |\n| --- | ----: |\n| µ   |   1.0 |\n");
    }

    #[test]
    fn units_fit() {
        assert_eq!(seconds(0.0123), "12.30 ms");
        assert_eq!(seconds(1.5e-8), "15 ns");
        assert_eq!(bytes(99_700), "100 KB");
        assert_eq!(bytes(10_000_000), "10 MB");
    }
}
