//! Defects of documents.

/// A named defect, as frequent as in the output of a model that makes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Defect {
    /// A sentence, a fenced block and another sentence.
    FenceWithProse,
    /// A comma before the closing bracket of every object and array.
    TrailingComma,
    /// Every string in the notation of Python's `repr`.
    SingleQuotes,
    /// Every key without quotes.
    BareKeys,
    /// `True`, `False` and `None` throughout.
    PythonLiterals,
    /// A `//` comment and a `/* */` comment in every record.
    Comments,
    /// A line break inside a string in every record.
    RawNewline,
    /// An unescaped quoted phrase in a string in every record.
    InnerQuotes,
    /// A missing comma between two lines of every record.
    MissingComma,
    /// Curly double quotes around every string and key.
    SmartQuotes,
    /// A text without its last closing brackets.
    MissingClosers,
    /// A text that ends in the middle of the last record's long string.
    Truncated,
    /// A code fence in which each record has one of seven defects.
    Mixed,
}

impl Defect {
    /// All defects, in the order of the tables.
    pub const ALL: [Defect; 13] = [
        Defect::FenceWithProse,
        Defect::TrailingComma,
        Defect::SingleQuotes,
        Defect::BareKeys,
        Defect::PythonLiterals,
        Defect::Comments,
        Defect::RawNewline,
        Defect::InnerQuotes,
        Defect::MissingComma,
        Defect::SmartQuotes,
        Defect::MissingClosers,
        Defect::Truncated,
        Defect::Mixed,
    ];

    /// Defects of the records of a mixed document.
    pub(crate) const MIXED: [Defect; 7] = [
        Defect::TrailingComma,
        Defect::SingleQuotes,
        Defect::BareKeys,
        Defect::PythonLiterals,
        Defect::Comments,
        Defect::RawNewline,
        Defect::MissingComma,
    ];

    /// Returns the defect's name in a table.
    pub fn name(self) -> &'static str {
        match self {
            Defect::FenceWithProse => "fence with prose",
            Defect::TrailingComma => "trailing comma",
            Defect::SingleQuotes => "single quotes",
            Defect::BareKeys => "bare keys",
            Defect::PythonLiterals => "Python literals",
            Defect::Comments => "comments",
            Defect::RawNewline => "raw newline",
            Defect::InnerQuotes => "inner quotes",
            Defect::MissingComma => "missing comma",
            Defect::SmartQuotes => "smart quotes",
            Defect::MissingClosers => "missing closers",
            Defect::Truncated => "truncated",
            Defect::Mixed => "mixed",
        }
    }
}
