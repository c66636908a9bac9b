//! An outline of a Rust file: its functions, tests and calls.
//!
//! The file is read as token trees, so brackets match, and words in strings and comments are
//! not taken for code. Macros are not expanded.

use std::ops::RangeInclusive;

use proc_macro2::{Delimiter, Group, LexError, TokenStream, TokenTree};

/// Lines, counted from 1.
pub(crate) type Lines = RangeInclusive<usize>;

/// A name in the code and the line it stands on.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Mention {
    pub(crate) name: String,
    pub(crate) line: usize,
}

/// A function with a body.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Function {
    pub(crate) name: String,
    /// From `fn` to the closing brace.
    pub(crate) lines: Lines,
}

/// The outline of one file.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    pub(crate) functions: Vec<Function>,
    /// Test modules and test functions, from the first comment or attribute above them.
    pub(crate) tests: Vec<Lines>,
    /// Macros that are called: `todo` for `todo!()`.
    pub(crate) macros: Vec<Mention>,
    /// Methods that are called without arguments: `unwrap` for `x.unwrap()`.
    pub(crate) methods: Vec<Mention>,
    /// The lines of `#[ignore]`.
    pub(crate) ignored: Vec<usize>,
}

impl Outline {
    pub(crate) fn of(text: &str) -> Result<Self, LexError> {
        let mut outline = Self::default();
        outline.visit(text.parse::<TokenStream>()?);
        let lines: Vec<&str> = text.lines().collect();
        for test in &mut outline.tests {
            let start = *test.start();
            let above = lines[..start.saturating_sub(1).min(lines.len())].iter().rev();
            let lead = above.take_while(|line| belongs_to_what_follows(line)).count();
            *test = start - lead..=*test.end();
        }
        Ok(outline)
    }

    pub(crate) fn is_test(&self, line: usize) -> bool {
        self.tests.iter().any(|lines| lines.contains(&line))
    }

    fn visit(&mut self, stream: TokenStream) {
        let trees: Vec<TokenTree> = stream.into_iter().collect();
        for at in 0..trees.len() {
            self.record(&trees[at..]);
            if let TokenTree::Group(group) = &trees[at] {
                self.visit(group.stream());
            }
        }
    }

    /// Records what begins at the first of `trees`, of which there is at least one.
    fn record(&mut self, trees: &[TokenTree]) {
        match trees {
            [TokenTree::Ident(keyword), TokenTree::Ident(name), rest @ ..] if keyword == "fn" => {
                if let Some(end) = end_of_item(rest) {
                    let lines = keyword.span().start().line..=end;
                    self.functions.push(Function { name: name.to_string(), lines });
                }
            }
            [TokenTree::Ident(name), TokenTree::Punct(bang), TokenTree::Group(_), ..]
                if bang.as_char() == '!' =>
            {
                self.macros.push(Mention::of(name));
            }
            [TokenTree::Punct(dot), TokenTree::Ident(name), TokenTree::Group(arguments), ..]
                if dot.as_char() == '.' && arguments.stream().is_empty() =>
            {
                self.methods.push(Mention::of(name));
            }
            [TokenTree::Punct(hash), TokenTree::Group(attribute), rest @ ..]
                if hash.as_char() == '#' && attribute.delimiter() == Delimiter::Bracket =>
            {
                self.attribute(attribute, rest);
            }
            _ => {}
        }
    }

    fn attribute(&mut self, attribute: &Group, rest: &[TokenTree]) {
        let words = identifiers(attribute.stream());
        let has = |word: &str| words.iter().any(|found| found == word);
        let line = attribute.span_open().start().line;
        match words.first().map(String::as_str) {
            Some("ignore") => self.ignored.push(line),
            Some("cfg_attr") if has("ignore") => self.ignored.push(line),
            Some("test") => self.tests.extend(end_of_item(rest).map(|end| line..=end)),
            Some("cfg") if has("test") && !has("not") => {
                self.tests.extend(end_of_item(rest).map(|end| line..=end));
            }
            _ => {}
        }
    }
}

impl Mention {
    fn of(name: &proc_macro2::Ident) -> Self {
        Self { name: name.to_string(), line: name.span().start().line }
    }
}

/// Returns the line of an item's closing brace, or `None` for an item that ends with a semicolon.
fn end_of_item(trees: &[TokenTree]) -> Option<usize> {
    for tree in trees {
        match tree {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                return Some(group.span_close().end().line);
            }
            TokenTree::Punct(punct) if punct.as_char() == ';' => return None,
            _ => {}
        }
    }
    None
}

fn identifiers(stream: TokenStream) -> Vec<String> {
    let mut words = Vec::new();
    for tree in stream {
        match tree {
            TokenTree::Ident(ident) => words.push(ident.to_string()),
            TokenTree::Group(group) => words.extend(identifiers(group.stream())),
            _ => {}
        }
    }
    words
}

fn belongs_to_what_follows(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("//") || line.starts_with("#[")
}

#[cfg(test)]
mod tests {
    use super::Outline;

    fn outline(text: &str) -> Outline {
        Outline::of(text).unwrap()
    }

    #[test]
    fn functions_have_a_name_and_lines() {
        let rows = [
            ("fn a() {}", "a 1-1"),
            ("\npub(crate) const fn a<T: Fn() -> u8>(\n  t: T,\n) -> u8 {\n  t()\n}\n", "a 2-6"),
            ("trait T { fn declared(&self); fn given(&self) {\n} }", "given 1-2"),
            ("fn outer() {\n  fn inner() {}\n}", "outer 1-3, inner 2-2"),
            ("type F = fn(u8) -> u8; struct S {}", ""),
            ("// fn a() {}\nconst A: &str = \"fn b() {}\";", ""),
        ];
        for (text, expected) in rows {
            let functions = outline(text).functions;
            let found: Vec<_> = functions
                .iter()
                .map(|f| format!("{} {}-{}", f.name, f.lines.start(), f.lines.end()))
                .collect();
            assert_eq!(found.join(", "), expected, "{text}");
        }
    }

    #[test]
    fn tests_reach_from_their_comment_to_their_end() {
        let rows: [(&str, &[usize]); 7] = [
            ("fn a() {}\n#[cfg(test)]\nmod tests {\n}\nfn b() {}", &[2, 3, 4]),
            ("fn a() {}\n\n// Why.\n#[test]\nfn b() {}\n", &[3, 4, 5]),
            ("// Why.\n#[should_panic]\n#[test]\nfn b() {}\n", &[1, 2, 3, 4]),
            ("#[cfg(not(test))]\nfn b() {}\n", &[]),
            ("#[cfg(all(test, unix))]\nmod a {\n}\n", &[1, 2, 3]),
            ("#[cfg(test)]\nmod tests;\nfn a() {}", &[]),
            ("proptest! {\n  #[test]\n  fn a() {}\n}", &[2, 3]),
        ];
        for (text, expected) in rows {
            let outline = outline(text);
            let found: Vec<_> =
                (1..=text.lines().count()).filter(|&line| outline.is_test(line)).collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn calls_are_found_and_words_in_strings_are_not() {
        let text = "fn a() {\n  todo!();\n  b(r#\"dbg!(1)\"#); // dbg!(2)\n  vec![c.unwrap()];\n  d.unwrap_or(1);\n}";
        let outline = outline(text);
        let macros: Vec<_> = outline.macros.iter().map(|m| (m.name.as_str(), m.line)).collect();
        assert_eq!(macros, [("todo", 2), ("vec", 4)]);
        let methods: Vec<_> = outline.methods.iter().map(|m| (m.name.as_str(), m.line)).collect();
        assert_eq!(methods, [("unwrap", 4)]);
    }

    #[test]
    fn tests_that_are_switched_off_are_found() {
        let rows: [(&str, &[usize]); 4] = [
            ("#[test]\n#[ignore]\nfn a() {}", &[2]),
            ("#[test]\n#[ignore = \"slow\"]\nfn a() {}", &[2]),
            ("#[cfg_attr(miri, ignore)]\nfn a() {}", &[1]),
            ("fn ignore() { ignore(); }", &[]),
        ];
        for (text, expected) in rows {
            assert_eq!(outline(text).ignored, expected, "{text}");
        }
    }

    #[test]
    fn a_file_that_is_not_rust_is_an_error() {
        assert!(Outline::of("fn a() {").is_err());
    }
}
