//! Entities of HTML for what JSON is written with.

use crate::parser::Window;

/// The entities of quotes, and what each stands for.
const QUOTES: &[(&str, &str)] = &[
    ("&quot;", "\""),
    ("&#34;", "\""),
    ("&#x22;", "\""),
    ("&apos;", "'"),
    ("&#39;", "'"),
    ("&#x27;", "'"),
    ("&ldquo;", "“"),
    ("&#8220;", "“"),
    ("&#x201C;", "“"),
    ("&#x201c;", "“"),
    ("&rdquo;", "”"),
    ("&#8221;", "”"),
    ("&#x201D;", "”"),
    ("&#x201d;", "”"),
    ("&bdquo;", "„"),
    ("&#8222;", "„"),
    ("&lsquo;", "‘"),
    ("&#8216;", "‘"),
    ("&rsquo;", "’"),
    ("&#8217;", "’"),
    ("&laquo;", "«"),
    ("&#171;", "«"),
    ("&raquo;", "»"),
    ("&#187;", "»"),
];

/// The other entities.
const ENTITIES: &[(&str, &str)] = &[
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&amp;", "&"),
    ("&nbsp;", "\u{a0}"),
    ("&#160;", "\u{a0}"),
    ("&#58;", ":"),
    ("&colon;", ":"),
    ("&#44;", ","),
    ("&comma;", ","),
    ("&#125;", "}"),
    ("&#x7D;", "}"),
    ("&#x7d;", "}"),
    ("&rbrace;", "}"),
    ("&rcub;", "}"),
    ("&#93;", "]"),
    ("&#x5D;", "]"),
    ("&#x5d;", "]"),
    ("&rbrack;", "]"),
    ("&rsqb;", "]"),
];

/// Those of opening brackets.
const OPENING: &[(&str, &str)] = &[
    ("&#123;", "{"),
    ("&#x7B;", "{"),
    ("&#x7b;", "{"),
    ("&lbrace;", "{"),
    ("&lcub;", "{"),
    ("&#91;", "["),
    ("&#x5B;", "["),
    ("&#x5b;", "["),
    ("&lbrack;", "["),
    ("&lsqb;", "["),
];

/// Returns whether the entity of a quote is at `at`, perhaps escaped twice.
pub(super) fn is_quote(window: &Window<'_>, at: usize) -> bool {
    window.starts_with(at, b"&amp;quot;")
        || QUOTES.iter().any(|(entity, _)| window.starts_with(at, entity.as_bytes()))
}

/// Returns whether the entity of an opening bracket is at `at`.
pub(crate) fn opens(window: &Window<'_>, at: usize) -> bool {
    OPENING.iter().any(|(entity, _)| window.starts_with(at, entity.as_bytes()))
}

/// Returns the length of the entity at the start of `rest`, and what it stands for.
pub(super) fn undo(rest: &str) -> Option<(usize, &'static str)> {
    let mut all = QUOTES.iter().chain(ENTITIES).chain(OPENING);
    let known = all.find(|(entity, _)| rest.starts_with(entity));
    known.map(|(entity, meant)| (entity.len(), *meant))
}

#[cfg(test)]
mod tests {
    use super::{opens, undo};
    use crate::parser::Window;

    #[test]
    fn entities() {
        for (text, meant, opening) in [
            ("&#123;&quot;", Some((6, "{")), true),
            ("&lbrack;", Some((8, "[")), true),
            ("&quot;a", Some((6, "\"")), false),
            ("&#x7D;", Some((6, "}")), false),
            ("&ldquo;a", Some((7, "“")), false),
            ("&eacute;", None, false),
            ("&#1234;", None, false),
        ] {
            assert_eq!(undo(text), meant, "{text}");
            assert_eq!(opens(&Window::whole(text), 0), opening, "{text}");
        }
    }
}
