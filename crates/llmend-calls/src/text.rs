//! Text with the marks taken out of it.

/// Joins pieces of text between marks. Line feeds next to a mark belong to the mark, unless text is
/// on both sides.
#[derive(Clone, Debug)]
pub(crate) struct Trimmed {
    /// White space whose fate is open.
    pending: String,
    /// Whether nothing but white space followed the last mark.
    begins: bool,
    /// Line feeds before the last mark, which separate it from text after the mark.
    before: String,
    /// Whether there is text before the last mark.
    any: bool,
    /// Whether there was a mark.
    marked: bool,
}

impl Default for Trimmed {
    fn default() -> Self {
        Self {
            pending: String::new(),
            begins: true,
            before: String::new(),
            any: false,
            marked: false,
        }
    }
}

impl Trimmed {
    /// Adds a piece, and writes to `out` what is certain.
    pub(crate) fn push(&mut self, piece: &str, out: &mut String) {
        let mut piece = piece;
        if self.begins {
            let text = piece.trim_start();
            let lead = piece.get(..piece.len() - text.len()).unwrap_or_default();
            self.pending.push_str(lead);
            if text.is_empty() {
                return;
            }
            self.begins = false;
            let lead = std::mem::take(&mut self.pending);
            let blanks = if self.marked { lead.trim_start_matches(['\n', '\r']) } else { &lead };
            let feeds = lead.get(..lead.len() - blanks.len()).unwrap_or_default();
            if self.any {
                out.push_str(if feeds.len() > self.before.len() { feeds } else { &self.before });
            }
            out.push_str(blanks);
            self.before.clear();
            piece = text;
        }
        let text = piece.trim_end_matches(['\n', '\r']);
        if !text.is_empty() {
            out.push_str(&self.pending);
            self.pending.clear();
            out.push_str(text);
            self.any = true;
        }
        self.pending.push_str(piece.get(text.len()..).unwrap_or_default());
    }

    /// Notes a mark.
    pub(crate) fn mark(&mut self) {
        if !self.begins {
            self.before = std::mem::take(&mut self.pending);
        }
        self.pending.clear();
        self.begins = true;
        self.marked = true;
    }

    /// Begins another line, if there is text before and after.
    pub(crate) fn break_line(&mut self) {
        self.mark();
        "\n".clone_into(&mut self.before);
    }

    /// Writes the rest.
    pub(crate) fn finish(&mut self, out: &mut String) {
        if !self.begins || !self.marked {
            out.push_str(&self.pending);
        }
        self.pending.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::Trimmed;

    #[test]
    fn line_feeds_next_to_marks_belong_to_them() {
        for (pieces, expected) in [
            (&["a\n\n", "|", "\n\nb\n"][..], "a\n\nb\n"),
            (&["\n", "|", "\nb"], "b"),
            (&[" \n ", "|"], ""),
            (&[" \n "], " \n "),
            (&["a", "|", "\n", "|", "b"], "ab"),
            (&["a\n", "|", "|"], "a"),
            (&["Before. ", "|", " After."], "Before.  After."),
            (&["|", " \n", "|", "\n"], ""),
            (&["\n a ", "\n", "b"], "\n a \nb"),
            (&["a\n", "\n", "|", "\n", " ", "b"], "a\n\n b"),
        ] {
            let mut text = Trimmed::default();
            let mut out = String::new();
            for piece in pieces {
                if *piece == "|" { text.mark() } else { text.push(piece, &mut out) }
            }
            text.finish(&mut out);
            assert_eq!(out, expected, "{pieces:?}");
        }
    }
}
