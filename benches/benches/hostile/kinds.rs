//! Texts that make parsers slow or overflow their stacks.
//!
//! The kinds that the tests use come from `llmend-testing`: one piece repeated
//! to any size, and two of them in turns. Those added here have an opening that
//! first puts the parser into the state where the piece hurts.

use llmend_testing::hostile;

/// A kind of text that is cheap to make and expensive to parse.
#[derive(Debug, Clone)]
pub(crate) struct Kind {
    /// The kind's name in a table.
    pub(crate) name: String,
    source: Source,
}

#[derive(Debug, Clone, Copy)]
enum Source {
    /// A kind of `llmend-testing`.
    Piece(&'static str),
    /// Two kinds of `llmend-testing`, the second in an open string.
    Mixture(&'static str, &'static str),
    /// An opening, and a piece that is repeated.
    Opened(&'static str, &'static str),
    /// An opening, a piece that is repeated in the first half, and a closing; the second half is
    /// white space.
    Tailed(&'static str, &'static str, &'static str),
}

impl Kind {
    /// Returns a text of this kind of `bytes` bytes, or up to one piece less.
    pub(crate) fn text(&self, bytes: usize) -> String {
        match self.source {
            Source::Piece(piece) => hostile::hostile(piece, bytes),
            Source::Mixture(first, second) => hostile::mixture(first, second, bytes),
            Source::Opened(opening, unit) => {
                let count = bytes.saturating_sub(opening.len()) / unit.len();
                let mut text = String::with_capacity(bytes);
                text.push_str(opening);
                for _ in 0..count {
                    text.push_str(unit);
                }
                text
            }
            Source::Tailed(opening, unit, closing) => {
                let count = (bytes / 2).saturating_sub(opening.len() + closing.len()) / unit.len();
                let mut text = format!("{opening}{}{closing}", unit.repeat(count));
                text.push_str(&" ".repeat(bytes - text.len()));
                text
            }
        }
    }
}

/// Returns all kinds: each piece alone, each piece in an open string after an array of items, some
/// pairs that interfere, and those with an opening or with trailing white space.
pub(crate) fn kinds() -> Vec<Kind> {
    let pieces = || hostile::KINDS.iter().map(|(piece, _)| *piece);
    let alone = pieces().map(|piece| Kind { name: piece.to_owned(), source: Source::Piece(piece) });
    let in_string = pieces().map(|piece| ("items", piece));
    let mixed = in_string.chain(PAIRS.iter().copied()).map(|(first, second)| Kind {
        name: format!("{first} + {second}"),
        source: Source::Mixture(first, second),
    });
    let opened = OPENED.iter().map(|&(name, opening, unit)| Kind {
        name: name.to_owned(),
        source: Source::Opened(opening, unit),
    });
    let tailed = TAILED.iter().map(|&(name, opening, unit, closing)| Kind {
        name: format!("{name}, then space"),
        source: Source::Tailed(opening, unit, closing),
    });
    alone.chain(mixed).chain(opened).chain(tailed).collect()
}

const PAIRS: &[(&str, &str)] = &[
    ("brackets", "quotes"),
    ("members", "quoted-commas"),
    ("commas", "quotes"),
    ("prose-with-braces", "fences"),
    ("fence-lines", "members-in-string"),
    ("tool-calls", "backslashes"),
    ("documents", "inner-quotes"),
    ("wrong-closers", "mixed-closers"),
];

/// Name, opening, piece.
const OPENED: &[(&str, &str, &str)] = &[
    // Depth.
    ("{'a':[", "", "{'a':["),
    ("{a:", "", "{a:"),
    ("(", "[", "("),
    ("cb(", "", "cb("),
    ("{{", "{\"a\": ", "{{"),
    ("[ after prose", "Here you are: ", "["),
    // Closers.
    ("]} in an object", "{\"a\": 1", "]}"),
    ("{]", "", "{]"),
    ("[1}, in an array", "[", "[1},"),
    // Quotes.
    ("\" in a string", "{\"a\": \"", "\""),
    ("' in a string", "{'a': '", "'"),
    ("“", "{", "“"),
    ("\",", "", "\","),
    ("\", in a string", "{\"a\": \"b ", "\", "),
    ("\",\" in an array", "[\"", "\",\""),
    ("\": in a string", "{\"a\": \"b ", "\": "),
    ("inner quotes", "{\"a\": \"b", " \"c\" d, e"),
    ("inner quotes in each member", "{", "\"a\": \"b \"c\", d\", "),
    ("inner quotes before a closer", "{\"a\": \"b", "\"} "),
    ("quoted pairs in a string", "{\"a\": \"b", ", \"c\": \"d "),
    ("open strings", "[", "\"a, "),
    ("open strings on lines", "[", "\"a,\n"),
    ("spaced concatenation", "[\"a\"", " + \"b\""),
    ("adjacent literals", "[\"a\"", " \"b\""),
    ("triple quotes", "[", "\"\"\"a"),
    // Backslashes.
    ("\\ in a string", "{\"a\": \"", "\\"),
    ("\\\" in a string", "{\"a\": \"", "\\\""),
    ("\\q in a string", "{\"a\": \"", "\\q"),
    ("\\ud800 in a string", "{\"a\": \"", "\\ud800"),
    ("escaped text", "", "{\\\"a\\\": "),
    ("literal \\n between tokens", "[", "1,\\n"),
    // Comments.
    ("/", "[", "/"),
    ("// on lines", "[", "//\n"),
    ("/*", "[", "/*"),
    ("/**/", "[", "/**/"),
    ("#", "[", "# "),
    // Finding the value.
    ("``` on lines", "", "```\n"),
    ("```json {", "", "```json\n{\n"),
    ("see {this and [that", "", "see {this and [that "),
    ("{\"a\": in prose", "", "see {\"a\": "),
    ("citations", "", "as said [1] "),
    ("many documents", "", "{\"a\":1} "),
    ("different documents", "", "{\"a\":1,} {b:2} "),
    ("<think>{", "", "<think>{"),
    ("<tool_call>", "", "<tool_call>{"),
    ("[TOOL_CALLS]", "", "[TOOL_CALLS]["),
    ("<", "", "<"),
    ("&quot;", "{", "&quot;"),
    ("a: 1 without braces", "", "a: 1\n"),
    ("\"a\": 1, without braces", "", "\"a\": 1, "),
    // Space, numbers, words, punctuation.
    ("space in an array", "[", " "),
    ("line ends in an object", "{\"a\": 1", "\n"),
    ("no-break space", "[", "\u{a0}"),
    ("digits in an array", "[", "7"),
    ("digits and signs", "[", "1-"),
    ("digits and commas", "[", "1,000,"),
    ("numbers without commas", "[", "1 "),
    ("e", "[1", "e"),
    (".", "[", "."),
    ("...,", "[", "...,"),
    (",", "[", ","),
    (", in an object", "{", ","),
    (":", "{", ":"),
    ("\"a\":", "{", "\"a\":"),
    ("words in an object", "{\"a\": ", "word "),
    ("one word", "[", "a"),
    ("tru", "[", "tru"),
    ("1 + in an array", "[", "1 + "),
    ("f(", "[", "f("),
    ("trailing commas", "[", "{\"a\":1,},"),
    ("missing commas", "[", "{\"a\":1}\n"),
    ("missing values", "{", "\"a\":,"),
    ("repeated keys", "{", "\"a\":1,"),
    // Everything at once.
    ("mixture", "", "{'a': \"b \"c\", d\", // e\n```json\n[1 2}, \\u00 <think> tru"),
    ("mixture in a string", "{\"a\": \"", "x\", \"y\": [ \"z\" ] } // \\ ' \n"),
];

/// Name, opening, piece, closing: texts that make the parser look for the end across white space.
const TAILED: &[(&str, &str, &str, &str)] = &[
    ("ends of an object", "{\"a\": \"z\" q ", "\"} x\n", "\"}"),
    ("objects in a string", "", "{\"a\":\"z\" y \" w\"} x\n", ""),
    ("open strings", "", "\"a\": \"b\n", "\"}"),
    ("single quotes in a fence", "```json\n", "'x' ", "\"}"),
    ("members after the end", "{\"a\": \"z\" q ", "\"}, b: c\n", "\"}"),
];

#[cfg(test)]
mod tests {
    use super::kinds;

    #[test]
    fn the_size_is_kept_and_the_names_differ() {
        let kinds = kinds();
        for (at, kind) in kinds.iter().enumerate() {
            let text = kind.text(10_000);
            assert!(text.len() <= 10_000 && text.len() > 9_900, "{}", kind.name);
            assert!(kinds[..at].iter().all(|other| other.name != kind.name), "{}", kind.name);
        }
    }
}
