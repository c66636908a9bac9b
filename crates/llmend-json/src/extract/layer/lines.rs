//! Prefixes that every line of a value has: line numbers, the marks of quotations, differences,
//! tables and comments, and the times and names of a log.

use crate::{Span, parser::Window};

/// How far before a bracket the prefix of its line may start, in bytes.
const PREFIX_REACH: usize = 96;
/// How much of the line of a bracket is read, in bytes.
const LINE_REACH: usize = 400;
/// Most marks in a row that make a prefix.
const MARKS: usize = 3;

/// What may begin each line: marks of quotations, lists, comments, differences and frames.
const SIGNS: &str = ">|+-*#/•│┃║▌▐▎┊";
/// Lines of a box that are compared.
const BOX_LINES: usize = 64;

/// Names of streams and of speakers before each line of what they say.
const STREAMS: &[&str] = &[
    "stdout",
    "stderr",
    "remote",
    "out",
    "output",
    "data",
    "log",
    "info",
    "INFO",
    "DEBUG",
    "assistant",
    "Assistant",
    "AI",
    "Bot",
    "bot",
];

/// The prefix of the line of a bracket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Prefix {
    /// The number of the line, if it has one.
    number: Option<u64>,
    /// Location of what follows the number, or of the whole prefix.
    mark: Span,
}

/// Returns the prefix of the line of the bracket at `at`, if the next line has one of the same form
/// and the value is still open there.
pub(super) fn prefix_at(window: &Window<'_>, at: usize) -> Option<Prefix> {
    // Most brackets begin a line or follow a key or a sentence.
    let before = window.byte_before(at)?;
    let may_end = matches!(before, b'>' | b'|' | b'+' | b'-' | b'*' | b':' | b'.' | b')')
        || matches!(before, b'=' | b']' | b'#' | b'/' | b'Z')
        || before.is_ascii_alphanumeric()
        || !before.is_ascii();
    if !may_end {
        return None;
    }
    let line = window.line_before(at, PREFIX_REACH)?;
    let is_word = before.is_ascii_alphabetic();
    if is_word && !line.trim_start().starts_with(|c: char| c == '[' || c.is_ascii_digit()) {
        return None;
    }
    let is_start = |rest: &str| rest.is_empty() || crate::extract::wrapper::is_assignment(rest);
    let begins = |mark: &Span| line.get(mark.end..).is_some_and(|rest| is_start(rest.trim()));
    let numbered = numbered(line).filter(|(_, mark)| begins(mark));
    let marked = || {
        let mark = marked(line).or_else(|| piped(line)).filter(begins);
        mark.or_else(|| logged(line)).or_else(|| repeated(window, line, at))
    };
    let (number, mark) = numbered.map_or_else(
        || marked().map(|mark| (None, mark)),
        |(number, mark)| Some((Some(number), mark)),
    )?;
    let start = at - line.len();
    let prefix = Prefix { number, mark: Span::new(start + mark.start, start + mark.end) };
    let inside = window.line_after(at, LINE_REACH);
    let next = at + inside.len();
    if window.byte(next) != Some(b'\n') || !is_open(inside) {
        return None;
    }
    let next = window.line_after(next + 1, LINE_REACH);
    prefix.following().length(window, next).map(|_| prefix)
}

/// Returns the prefix that `before`, the beginning of the line at `at`, is.
pub(crate) fn prefix_of(before: &str, at: usize) -> Option<Prefix> {
    let is_all = |mark: &Span| mark.end == before.len();
    let placed = |mark: Span| Span::new(at + mark.start, at + mark.end);
    if let Some((number, mark)) = numbered(before).filter(|(_, mark)| is_all(mark)) {
        return Some(Prefix { number: Some(number), mark: placed(mark) });
    }
    let mark = marked(before).or_else(|| piped(before)).filter(is_all);
    let mark = mark.or_else(|| logged(before))?;
    Some(Prefix { number: None, mark: placed(mark) })
}

/// Returns the number at the start of a line and the span of what follows it up to the content.
fn numbered(line: &str) -> Option<(u64, Span)> {
    let start = line.len() - line.trim_start_matches([' ', '\t']).len();
    let start = start + usize::from(line.get(start..)?.starts_with(['L', 'l']));
    let digits = line.get(start..)?.bytes().take_while(u8::is_ascii_digit).count();
    let number = line.get(start..start + digits)?.parse().ok()?;
    let end = start + digits;
    let rest = line.get(end..)?;
    let is_space = |c: char| matches!(c, ' ' | '\t');
    let is_mark = |c: char| matches!(c, '|' | ':' | '.' | ')' | '→' | '>' | '│' | '┃' | '-' | '+');
    let gap = rest.len() - rest.trim_start_matches(is_space).len();
    let marks: usize =
        rest.get(gap..)?.chars().take(MARKS).take_while(|c| is_mark(*c)).map(char::len_utf8).sum();
    // The white space before the content belongs to the content, except for one character.
    let space = if marks == 0 { 0 } else { gap + marks };
    let length = space + usize::from(rest.get(space..)?.starts_with(is_space));
    (length > 0).then_some((number, Span::new(end, end + length)))
}

/// Returns the span of the marks at the start of a line.
fn marked(line: &str) -> Option<Span> {
    let start = line.len() - line.trim_start_matches([' ', '\t']).len();
    let rest = line.get(start..)?;
    let mark = rest.chars().next().filter(|c| SIGNS.contains(*c))?;
    // Quotations in quotations have white space between their marks.
    let is_mark = |c: char| c == mark || (mark == '>' && c == ' ');
    let run = rest.get(..rest.find(|c| !is_mark(c)).unwrap_or(rest.len()))?.trim_end();
    let marks = run.matches(mark).count();
    let end = start + run.len();
    let space = usize::from(line.get(end..)?.starts_with([' ', '\t']));
    (marks <= MARKS && (mark != '/' || marks > 1)).then_some(Span::new(0, end + space))
}

/// Returns the span of the name of a process and the bar behind it.
fn piped(line: &str) -> Option<Span> {
    let (name, rest) = line.split_once(['|', '│'])?;
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '@' | ':');
    let name = name.trim();
    let is_name = name.starts_with(char::is_alphabetic) && name.chars().all(is_part);
    is_name.then(|| Span::new(0, line.len() - rest.len() + usize::from(rest.starts_with(' '))))
}

/// Returns whether the text before a value on its line is the beginning of a line of a log.
pub(crate) fn is_logged(line: &str) -> bool {
    logged(line).is_some()
}

/// Returns the span of the time or the name in brackets that a line of a log starts with.
fn logged(line: &str) -> Option<Span> {
    let start = line.trim_start();
    let digits = start.split(|c: char| !c.is_ascii_digit()).filter(|run| !run.is_empty()).count();
    let named = start.starts_with('[') && start.contains(']');
    let timed = start.starts_with(|c: char| c.is_ascii_digit()) && digits >= 3;
    let is_text = |c: char| c.is_whitespace() || !matches!(c, '"' | '{' | '}' | '=' | '\'');
    // Some write a comma before the fraction of a second.
    let is_plain = |part: &str| part.starts_with(|c: char| c.is_ascii_digit());
    let listed = start.split(',').skip(1).any(|part| !is_plain(part));
    let stream = start.trim_end().strip_suffix(':').is_some_and(|name| STREAMS.contains(&name));
    (start.ends_with([' ', '\t', ':', ']'])
        && (named || timed || stream)
        && !listed
        && start.chars().all(is_text))
    .then(|| Span::new(0, line.len()))
}

/// Lines after that of a bracket that must repeat its prefix.
const REPEATED: usize = 2;

/// Returns the span of the text before the bracket at `at` on its line, if the next lines begin with
/// it and items, members or brackets follow it there.
fn repeated(window: &Window<'_>, line: &str, at: usize) -> Option<Span> {
    let mark = line.trim_end();
    let is_text = |c: char| !matches!(c, '"' | '{' | '}' | '=' | '\'');
    // A word before a colon usually introduces the value, and a stream would have to wait.
    let is_record = mark.ends_with('|') || mark.contains(|c: char| c.is_ascii_digit());
    let ends = mark.ends_with(['|', ':', ']', '-', '>', ')']);
    if !is_record || !ends || !mark.chars().all(is_text) {
        return None;
    }
    let mut place = at + window.line_after(at, LINE_REACH).len() + 1;
    for _ in 0..REPEATED {
        let next = window.line_after(place, LINE_REACH);
        let content = next.get(equal_form(mark, next)?..)?.trim();
        if !content.starts_with(['"', '\'', '{', '[', '}', ']']) {
            return None;
        }
        place += next.len() + 1;
    }
    Some(Span::new(0, line.len()))
}

/// Returns the length of the text at the start of `line` that equals `mark` up to the digits of its
/// numbers.
pub(crate) fn equal_form(mark: &str, line: &str) -> Option<usize> {
    let (mark, bytes) = (mark.as_bytes(), line.as_bytes());
    let (mut at, mut place) = (0, 0);
    while let Some(&byte) = mark.get(at) {
        let run = |text: &[u8], from: usize| {
            text.get(from..).unwrap_or_default().iter().take_while(|b| b.is_ascii_digit()).count()
        };
        if byte.is_ascii_digit() {
            let digits = run(bytes, place);
            if digits == 0 {
                return None;
            }
            (at, place) = (at + run(mark, at), place + digits);
        } else if bytes.get(place) == Some(&byte) {
            (at, place) = (at + 1, place + 1);
        } else {
            return None;
        }
    }
    line.is_char_boundary(place).then_some(place)
}

/// Returns whether a line that begins with a bracket leaves it open.
fn is_open(line: &str) -> bool {
    let mut depth = 0_usize;
    for part in line.split('"').step_by(2) {
        for byte in part.bytes() {
            match byte {
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
    }
    depth > 0
}

impl Prefix {
    /// Returns whether a log writes it, which breaks what it is told into lines.
    pub(super) fn is_log(self, window: &Window<'_>) -> bool {
        self.number.is_none() && logged(window.slice(self.mark)).is_some()
    }

    /// Returns the bar at the end of every line, if this is the bar of a box around `text`.
    fn bar(self, window: &Window<'_>, text: &str) -> Option<char> {
        let mark = window.slice(self.mark).trim();
        let bar = mark.chars().next().filter(|c| matches!(c, '│' | '┃' | '|' | '║'))?;
        let lines = text.lines().take(BOX_LINES).filter(|line| !line.is_empty());
        let mut inside = lines.take_while(|line| line.trim_start().starts_with([bar, '{', '[']));
        (mark.len() == bar.len_utf8() && inside.all(|line| line.trim_end().ends_with(bar)))
            .then_some(bar)
    }

    /// Returns the prefix of the next line.
    pub(crate) fn following(self) -> Self {
        Self { number: self.number.map(|number| number.saturating_add(1)), ..self }
    }

    /// Returns the length of this prefix at the start of `line`.
    pub(crate) fn length(self, window: &Window<'_>, line: &str) -> Option<usize> {
        let mut start = 0;
        if let Some(number) = self.number {
            start = line.len() - line.trim_start_matches([' ', '\t']).len();
            start += usize::from(line.get(start..)?.starts_with(['L', 'l']));
            let digits = line.get(start..)?.bytes().take_while(u8::is_ascii_digit).count();
            if line.get(start..start + digits)?.parse() != Ok(number) {
                return None;
            }
            start += digits;
        }
        let (mark, rest) = (window.slice(self.mark), line.get(start..)?);
        if let Some(length) = equal_form(mark, rest) {
            return Some(start + length);
        }
        // The white space of an empty line may be missing.
        let rest = rest.trim_end();
        let length = equal_form(mark.trim_end(), rest).filter(|&length| length == rest.len());
        length.map(|length| start + length)
    }
}

/// The prefixes of the lines after the one at `at`.
pub(super) struct Prefixes {
    /// The spans of the prefixes, ascending.
    pub(super) spans: Vec<Span>,
    /// Where the lines with prefixes end.
    pub(super) end: usize,
}

/// Returns the prefixes of the lines after the one at `at`, which has `prefix`, and the bars at the
/// ends of lines in a box.
pub(super) fn all(window: &Window<'_>, at: usize, prefix: Prefix) -> Prefixes {
    let text = window.rest(at);
    let (mut spans, mut place, mut prefix) = (Vec::new(), 0, prefix);
    let bar = prefix.bar(window, text);
    for line in text.split_inclusive('\n') {
        if place > 0 {
            prefix = prefix.following();
            let Some(length) = prefix.length(window, line) else {
                return Prefixes { spans, end: at + place };
            };
            spans.push(Span::new(at + place, at + place + length));
        }
        let whole = line.trim_end();
        if let Some(content) = bar.and_then(|bar| whole.strip_suffix(bar)) {
            spans.push(Span::new(at + place + content.len(), at + place + whole.len()));
        }
        place += line.len();
    }
    Prefixes { spans, end: at + place }
}

#[cfg(test)]
mod tests {
    use super::{all, prefix_at};
    use crate::{Span, parser::Window};

    /// Checks the lines from the first bracket on without their prefixes.
    #[test]
    fn prefixed_lines() {
        for (text, expected) in [
            ("1 | {\n2 |   \"a\": 1\n3 | }", Some("{\n  \"a\": 1\n}")),
            ("     9\t{\n    10\t}", Some("{\n}")),
            ("1: [\n2:\n3: ]", Some("[\n\n]")),
            ("L1: {\nL2: }", Some("{\n}")),
            ("  1 {\n  2   \"a\": 1}", Some("{\n  \"a\": 1}")),
            ("7. x = {\n8.   \"a\": 1\n9. }", Some("{\n  \"a\": 1\n}")),
            ("   1→{\n   2→}", Some("{\n}")),
            ("> {\n> \"a\": 1\n> }\nDone", Some("{\n\"a\": 1\n}\n")),
            ("+{\n+}", Some("{\n}")),
            ("> > {\n> > }", Some("{\n}")),
            ("│ {     │\n│  \"a\": 1 │\n│ }     │\n└───┘", Some("{     \n \"a\": 1 \n}     \n")),
            ("| {\n|\n| }", Some("{\n\n}")),
            ("[L1] {\n[L2] }", Some("{\n}")),
            ("12:01:07 {\n12:01:08   \"a\": 1\n12:01:08 }", Some("{\n  \"a\": 1\n}")),
            ("# {\n#   \"a\": 1\n# }", Some("{\n  \"a\": 1\n}")),
            ("// {\n// }", Some("{\n}")),
            (
                "2025-03-14 09:12 INFO  {\n2025-03-14 09:13 INFO    \"a\": 1\n2025-03-14 09:13 INFO  }",
                Some("{\n  \"a\": 1\n}"),
            ),
            ("stdout: {\nstdout: }\nstderr: x", Some("{\n}\n")),
            (
                "2025-03-14 09:12:01,114 INFO {\n2025-03-14 09:12:02,115 INFO   \"a\": 1\n2025-03-14 09:12:02,116 INFO }",
                Some("{\n  \"a\": 1\n}"),
            ),
            ("web-1  | {\nweb-1  |   \"a\": 1\nweb-1  | }", Some("{\n  \"a\": 1\n}")),
            ("api.v2 │ [\napi.v2 │ ]", Some("[\n]")),
            ("an item | {\nan item | }", None),
            ("web-1 | {\nweb-2 | }", Some("{\n}")),
            ("10, 20, 30: {\n10, 20, 31: }", None),
            ("name: {\nname: }", None),
            ("so on {\nso on }", None),
            ("/ {\n/ }", None),
            ("a1: {\na2: 5}", None),
            // The next line has another prefix, or none.
            ("1 | {\n3 | }", None),
            ("> {\n  }", None),
            ("- {\n+ }", None),
            ("- {\n  \"a\": 1}", None),
            // The value ends on its line.
            ("- {\"a\": 1}\n- {\"b\": 2}", None),
            ("1. {\"a\": \"{\"}\n2. {}", None),
            // Something else is before it.
            ("1 item: {\n2 }", None),
            ("{\n1 | }", None),
        ] {
            let window = Window::whole(text);
            let at = text.find(['{']).or_else(|| text.find('[')).expect(text);
            let found = prefix_at(&window, at).map(|prefix| {
                let prefixes = all(&window, at, prefix);
                let mut out = String::new();
                let mut from = at;
                for span in prefixes.spans {
                    out.push_str(Span::new(from, span.start).of(text));
                    from = span.end;
                }
                out + Span::new(from, prefixes.end).of(text)
            });
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }
}
