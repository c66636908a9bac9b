//! Values in code of another language: literals that it assigns, and JSON in its strings, in a
//! heredoc, in the body of an HTTP message or in a script element.

use crate::{
    Origin, Span,
    extract::{Build, FoundValue, wrapper},
    parser::Window,
};

/// How much of the code around a literal is read, in bytes.
pub(super) const CODE_REACH: usize = 400;
/// Marks around a string, longer ones first.
const QUOTES: &[&str] = &["'''", "\"\"\"", "'", "\"", "`"];
/// Methods of HTTP requests.
const METHODS: &[&str] = &["POST ", "PUT ", "PATCH ", "GET ", "DELETE "];

/// What ends JSON in code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    Mark(&'static str),
    /// A word at the start of a line.
    Word,
    /// The end of the block.
    Block,
}

/// Returns the start of the only JSON in the code from `start` on that does not stand for itself.
pub(super) fn embedded(code: &Window<'_>, start: usize) -> Option<usize> {
    let text = code.rest(start);
    // Words in braces are a part of the string.
    let is_value = |at: usize| {
        let inside = text.get(at + 1..).unwrap_or_default().trim_start();
        inside.starts_with(|c: char| {
            matches!(c, '"' | '\'' | '\\' | '{' | '[' | '-') || c.is_ascii_digit()
        })
    };
    let is_start = |&(at, _): &(usize, &str)| is_value(at) && ending(code, start + at).is_some();
    let mut places = text.match_indices(['{', '[']).filter(is_start);
    let (at, _) = places.next()?;
    places.next().is_none().then_some(start + at)
}

/// Returns whether the value at `span` is the whole of a string, a heredoc, a body or an element.
pub(super) fn is_embedded(code: &Window<'_>, span: Span) -> bool {
    let after = code.rest(span.end).trim_start_matches([' ', '\t', '\r', '\n', ';']);
    match ending(code, span.start) {
        None => false,
        Some(Ending::Mark(mark)) => after.starts_with(mark),
        Some(Ending::Word) => after.starts_with(char::is_alphabetic),
        Some(Ending::Block) => after.is_empty() || after.starts_with(['`', '~', '#']),
    }
}

/// Returns what ends the JSON at `at` if code introduces it.
fn ending(code: &Window<'_>, at: usize) -> Option<Ending> {
    let before = code.before(at, CODE_REACH);
    let head = before.trim_end();
    let line = head.rsplit('\n').next().unwrap_or_default();
    let is_code = |line: &str| line.contains(char::is_alphabetic) && !line.starts_with("```");
    let rest = before.get(head.len()..).unwrap_or_default();
    if line.contains("<<") && rest.contains('\n') {
        return Some(Ending::Word);
    }
    if let Some(quote) = QUOTES.iter().find(|quote| line.ends_with(**quote)) {
        let left = line.strip_suffix(quote).filter(|left| is_code(left))?;
        return (!left.ends_with(*quote)).then_some(Ending::Mark(quote));
    }
    if line.ends_with('>') && line.trim_start().starts_with("<script") {
        return Some(Ending::Mark("</script>"));
    }
    let mut headers = head.rsplit('\n').map(str::trim).take_while(|line| !line.is_empty());
    let is_http = |line: &str| {
        line.contains("HTTP/") || METHODS.iter().any(|method| line.starts_with(method))
    };
    (rest.matches('\n').count() > 1 && headers.any(is_http)).then_some(Ending::Block)
}

/// Returns whether a value in a block is a literal that the code after it uses, or JSON in code.
pub(super) fn is_literal<B: Build>(window: &Window<'_>, found: &FoundValue<B>) -> bool {
    if found.origin != Origin::Fence {
        return false;
    }
    let line = window.line_before(found.span.start, CODE_REACH).unwrap_or_default();
    let after = window.near(found.span.end, CODE_REACH);
    let end = after.find("```").or_else(|| after.find("~~~")).unwrap_or(after.len());
    let is_used = || after.get(..end).is_some_and(|code| code.contains(char::is_alphabetic));
    // What a variable is set to may be the answer.
    let is_part = || line.contains(char::is_alphabetic) && !line.trim_end().ends_with('=');
    (wrapper::is_assignment(line) && is_used())
        || is_embedded(window, found.span)
        || (is_part() && is_in_program(window, found.span))
}

/// Tags of code blocks with programs.
const LANGUAGES: &[&str] = &[
    "python",
    "py",
    "javascript",
    "js",
    "jsx",
    "typescript",
    "ts",
    "tsx",
    "java",
    "go",
    "rust",
    "rs",
    "bash",
    "sh",
    "ruby",
    "rb",
    "c",
    "cpp",
    "csharp",
    "cs",
    "php",
    "css",
    "html",
    "sql",
    "swift",
    "kotlin",
];

/// Returns whether the code block around `span` says that it is a program.
fn is_in_program(window: &Window<'_>, span: Span) -> bool {
    let before = window.before(span.start, CODE_REACH);
    let tag = before.rfind("```").and_then(|at| before.get(at + 3..)?.split('\n').next());
    tag.is_some_and(|tag| LANGUAGES.iter().any(|name| tag.trim().eq_ignore_ascii_case(name)))
}

/// Returns whether the braces at `span` are a block of a program or a style sheet: a header is before them on
/// the line, and a semicolon ends what is in them.
pub(super) fn is_block(window: &Window<'_>, span: Span) -> bool {
    let header = window.line_before(span.start, CODE_REACH).unwrap_or_default().trim();
    let inside = window.slice(span).strip_prefix('{').and_then(|text| text.strip_suffix('}'));
    let is_header = header.ends_with(|c: char| c.is_alphanumeric() || matches!(c, ')' | ']' | '*'));
    is_header && inside.is_some_and(|text| text.trim_end().ends_with(';') && !text.contains('"'))
}

/// Returns whether a value is assigned in a line of indented code, which goes on behind it, or is
/// JSON in the code of a block.
pub(super) fn is_in_code<B: Build>(window: &Window<'_>, found: &FoundValue<B>) -> bool {
    let line = window.line_before(found.span.start, CODE_REACH).unwrap_or_default();
    let is_assigned = line.starts_with([' ', '\t'])
        && wrapper::is_assignment(line)
        && window.near(found.span.end, CODE_REACH).contains(char::is_alphabetic);
    is_assigned || (found.origin == Origin::Fence && is_embedded(window, found.span))
}

#[cfg(test)]
mod tests {
    use super::{embedded, is_block, is_embedded};
    use crate::{Span, parser::Window};

    #[test]
    fn blocks_of_code() {
        for (code, expected) in [
            ("body ‹{ margin: 0; }›", true),
            ("a:hover ‹{ opacity: .8; }›", true),
            ("for (const a of b) ‹{ a.c = 'd'; }›", true),
            ("x = ‹{ a: 1; }›", false),
            ("Here it is: ‹{ a: 1; }›", false),
            ("Here it is ‹{ a: 1 }›", false),
            ("‹{ a: 1; }›", false),
        ] {
            let (start, end) = (code.find('‹').expect(code), code.find('›').expect(code) - 3);
            let plain = code.replace(['‹', '›'], "");
            assert_eq!(is_block(&Window::whole(&plain), Span::new(start, end)), expected, "{code}");
        }
    }

    #[test]
    fn json_in_code() {
        for (code, expected) in [
            ("curl -X POST x \\\n  -d '‹[1]›'", true),
            ("INSERT INTO t VALUES (1, '‹[1]›'::jsonb);", true),
            ("x = json.loads('''\n‹[1]›\n''')\nprint(f\"{x}\")", true),
            ("const x = JSON.parse(`‹[1]›`);", true),
            ("let x = r\"‹[1]›\";", true),
            ("cat > x <<'EOF'\n‹[1]›\nEOF\njq . x", true),
            ("POST /x HTTP/1.1\nHost: y\n\n‹[1]›", true),
            ("HTTP/1.1 200 OK\r\nServer: y\r\n\r\n‹[1]›\n", true),
            ("<script type=\"application/json\">\n‹[1]›\n</script>", true),
            // A literal of the language itself, or words in braces.
            ("x = ‹[1]›", false),
            ("if (x) ‹[1]›", false),
            ("'‹[1]›'", false),
            ("f(\"a\" ‹[1]›)", false),
            ("f('‹[1]›, 2')", false),
            ("<div>\n‹[1]›\n</div>", false),
            ("GET /x\nHost: ‹[1]›", false),
        ] {
            let (start, end) = (code.find('‹').expect(code), code.find('›').expect(code) - 3);
            let plain = code.replace(['‹', '›'], "");
            let window = Window::whole(&plain);
            assert_eq!(is_embedded(&window, Span::new(start, end)), expected, "{code}");
            assert!(!expected || embedded(&window, 0) == Some(start), "{code}");
        }
        assert_eq!(embedded(&Window::whole("f('[1]')\ng('[2]')"), 0), None);
    }
}
