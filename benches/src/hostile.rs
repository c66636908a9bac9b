//! Which texts make a parser slow, or overflow its stack?
//!
//! Each kind is one unit repeated to any size, behind an opening that puts the
//! parser into the state where the unit hurts.

/// A way to write a text that is cheap to make and dear to read.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    /// The kind's name in a table.
    pub name: &'static str,
    /// What stands once at the start.
    pub opening: &'static str,
    /// What is repeated.
    pub unit: &'static str,
}

impl Kind {
    /// The text of this kind that is `bytes` long, or up to one unit shorter.
    pub fn text(&self, bytes: usize) -> String {
        let count = bytes.saturating_sub(self.opening.len()) / self.unit.len();
        let mut text = String::with_capacity(bytes);
        text.push_str(self.opening);
        for _ in 0..count {
            text.push_str(self.unit);
        }
        text
    }
}

const fn kind(name: &'static str, opening: &'static str, unit: &'static str) -> Kind {
    Kind { name, opening, unit }
}

/// All kinds.
pub const KINDS: &[Kind] = &[
    // Depth.
    kind("[", "", "["),
    kind("{", "", "{"),
    kind("{\"a\":", "", "{\"a\":"),
    kind("[{\"a\":", "", "[{\"a\":"),
    kind("{'a':[", "", "{'a':["),
    kind("{a:", "", "{a:"),
    kind("(", "[", "("),
    kind("cb(", "", "cb("),
    kind("{{", "{\"a\": ", "{{"),
    kind("[ after prose", "Here you are: ", "["),
    // Closers.
    kind("}", "", "}"),
    kind("]} in an object", "{\"a\": 1", "]}"),
    kind("[}", "", "[}"),
    kind("{]", "", "{]"),
    kind("[1}, in an array", "[", "[1},"),
    // Quotes.
    kind("\"", "", "\""),
    kind("\" in a string", "{\"a\": \"", "\""),
    kind("'", "", "'"),
    kind("' in a string", "{'a': '", "'"),
    kind("“", "{", "“"),
    kind("\",", "", "\","),
    kind("\", in a string", "{\"a\": \"b ", "\", "),
    kind("\",\" in an array", "[\"", "\",\""),
    kind("\": in a string", "{\"a\": \"b ", "\": "),
    kind("inner quotes", "{\"a\": \"b", " \"c\" d, e"),
    kind("inner quotes in each member", "{", "\"a\": \"b \"c\", d\", "),
    kind("inner quotes before a closer", "{\"a\": \"b", "\"} "),
    kind("quoted pairs in a string", "{\"a\": \"b", ", \"c\": \"d "),
    kind("open strings", "[", "\"a, "),
    kind("open strings on lines", "[", "\"a,\n"),
    kind("concatenation", "[\"a\"", " + \"b\""),
    kind("adjacent literals", "[\"a\"", " \"b\""),
    kind("triple quotes", "[", "\"\"\"a"),
    // Backslashes.
    kind("\\", "", "\\"),
    kind("\\ in a string", "{\"a\": \"", "\\"),
    kind("\\\" in a string", "{\"a\": \"", "\\\""),
    kind("\\q in a string", "{\"a\": \"", "\\q"),
    kind("\\ud800 in a string", "{\"a\": \"", "\\ud800"),
    kind("escaped text", "", "{\\\"a\\\": "),
    kind("literal \\n between tokens", "[", "1,\\n"),
    // Comments.
    kind("/", "[", "/"),
    kind("//", "", "//"),
    kind("// on lines", "[", "//\n"),
    kind("/*", "[", "/*"),
    kind("/**/", "[", "/**/"),
    kind("#", "[", "# "),
    // Finding the value.
    kind("```", "", "```"),
    kind("``` on lines", "", "```\n"),
    kind("```json", "", "```json\n"),
    kind("```json {", "", "```json\n{\n"),
    kind("~~~", "", "~~~\n"),
    kind("see {this} and [that]", "", "see {this} and [that] "),
    kind("see {this and [that", "", "see {this and [that "),
    kind("{\"a\": in prose", "", "see {\"a\": "),
    kind("citations", "", "as said [1] "),
    kind("many documents", "", "{\"a\":1} "),
    kind("many documents on lines", "", "{\"a\":1}\n"),
    kind("different documents", "", "{\"a\":1,} {b:2} "),
    kind("<think>", "", "<think>"),
    kind("<think>{", "", "<think>{"),
    kind("<tool_call>", "", "<tool_call>{"),
    kind("[TOOL_CALLS]", "", "[TOOL_CALLS]["),
    kind("<", "", "<"),
    kind("&quot;", "{", "&quot;"),
    kind("a: 1 without braces", "", "a: 1\n"),
    kind("\"a\": 1, without braces", "", "\"a\": 1, "),
    // Space, numbers, words, punctuation.
    kind("space", "", " "),
    kind("space in an array", "[", " "),
    kind("line ends", "", "\n"),
    kind("line ends in an object", "{\"a\": 1", "\n"),
    kind("no-break space", "[", "\u{a0}"),
    kind("byte order marks", "", "\u{feff}"),
    kind("digits", "", "7"),
    kind("digits in an array", "[", "7"),
    kind("digits and signs", "[", "1-"),
    kind("digits and commas", "[", "1,000,"),
    kind("numbers without commas", "[", "1 "),
    kind("e", "[1", "e"),
    kind(".", "[", "."),
    kind("...,", "[", "...,"),
    kind(",", "[", ","),
    kind(", in an object", "{", ","),
    kind(":", "{", ":"),
    kind("\"a\":", "{", "\"a\":"),
    kind("words", "", "word "),
    kind("words in an object", "{\"a\": ", "word "),
    kind("one word", "[", "a"),
    kind("tru", "[", "tru"),
    kind("1 + in an array", "[", "1 + "),
    kind("f(", "[", "f("),
    kind("trailing commas", "[", "{\"a\":1,},"),
    kind("missing commas", "[", "{\"a\":1}\n"),
    kind("missing values", "{", "\"a\":,"),
    kind("repeated keys", "{", "\"a\":1,"),
    // Everything at once.
    kind("mixture", "", "{'a': \"b \"c\", d\", // e\n```json\n[1 2}, \\u00 <think> tru"),
    kind("mixture in a string", "{\"a\": \"", "x\", \"y\": [ \"z\" ] } // \\ ' \n"),
];

#[cfg(test)]
mod tests {
    use super::KINDS;

    #[test]
    fn the_size_is_kept_and_the_names_differ() {
        for (at, kind) in KINDS.iter().enumerate() {
            let text = kind.text(10_000);
            assert!(text.len() <= 10_000 && text.len() + kind.unit.len() > 10_000, "{}", kind.name);
            assert!(KINDS[..at].iter().all(|other| other.name != kind.name), "{}", kind.name);
        }
    }
}
