//! Texts of labels.

/// Returns the lines of a label, without quotes and entities.
pub(super) fn lines(raw: &str) -> Vec<String> {
    let text = unquoted(raw.trim());
    let text = text.replace("\\n", "\n");
    let mut lines = Vec::new();
    for line in split_breaks(&text) {
        let line = decoded(&without_tags(&line));
        let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
        if !line.is_empty() {
            lines.push(line);
        }
    }
    lines
}

/// Removes the quotes of `"text"` and of a Markdown string, "`text`".
fn unquoted(text: &str) -> &str {
    let inner = ['"', '\''].iter().find_map(|quote| {
        let inner = text.strip_prefix(*quote)?.strip_suffix(*quote)?;
        (!inner.contains(*quote)).then_some(inner)
    });
    let inner = inner.unwrap_or(text).trim();
    inner.strip_prefix('`').and_then(|text| text.strip_suffix('`')).unwrap_or(inner)
}

/// Splits a text at line ends and `<br/>`.
fn split_breaks(text: &str) -> Vec<String> {
    let (mut lines, mut line, mut rest) = (Vec::new(), String::new(), text);
    while let Some(one) = rest.chars().next() {
        if one == '\n' {
            lines.push(std::mem::take(&mut line));
        } else if let Some(tag) = tag(rest).filter(|tag| name(tag).eq_ignore_ascii_case("br")) {
            lines.push(std::mem::take(&mut line));
            rest = rest.get(tag.len()..).unwrap_or_default();
            continue;
        } else {
            line.push(one);
        }
        rest = rest.get(one.len_utf8()..).unwrap_or_default();
    }
    lines.push(line);
    lines
}

/// Tags that only set how a text looks.
const TAGS: [&str; 14] = [
    "b", "i", "u", "strong", "em", "small", "sub", "sup", "code", "span", "div", "p", "font",
    "center",
];

fn without_tags(text: &str) -> String {
    let (mut plain, mut rest) = (String::new(), text);
    while let Some(one) = rest.chars().next() {
        let length = if let Some(tag) =
            tag(rest).filter(|tag| TAGS.iter().any(|known| name(tag) == *known))
        {
            tag.len()
        } else {
            plain.push(one);
            one.len_utf8()
        };
        rest = rest.get(length..).unwrap_or_default();
    }
    plain
}

/// Returns the tag at the start of `text`.
fn tag(text: &str) -> Option<&str> {
    const LONGEST: usize = 200;
    if !text.starts_with('<') {
        return None;
    }
    let end = text.bytes().take(LONGEST).position(|byte| byte == b'>')?;
    text.get(..=end)
}

fn name(tag: &str) -> &str {
    let inner = tag.trim_matches(['<', '>', '/']);
    inner.split(|one: char| !one.is_alphanumeric()).next().unwrap_or_default()
}

/// Replaces `#35;`, `#quot;` and `&amp;`.
fn decoded(text: &str) -> String {
    let (mut plain, mut rest) = (String::new(), text);
    while let Some(one) = rest.chars().next() {
        if let Some((decoded, length)) = entity(rest) {
            plain.push(decoded);
            rest = rest.get(length..).unwrap_or_default();
        } else {
            plain.push(one);
            rest = rest.get(one.len_utf8()..).unwrap_or_default();
        }
    }
    plain
}

/// Returns the character of the entity at the start of `text`, and the length of the entity.
fn entity(text: &str) -> Option<(char, usize)> {
    const LONGEST: usize = 10;
    let inner = text.strip_prefix("&#").or_else(|| text.strip_prefix(['#', '&']))?;
    let end = inner.bytes().take(LONGEST).position(|byte| byte == b';')?;
    let name = inner.get(..end)?;
    let code = || match name.strip_prefix(['x', 'X']) {
        Some(digits) if text.starts_with("&#") => u32::from_str_radix(digits, 16).ok(),
        _ => name.parse().ok(),
    };
    let found = match name {
        "quot" => '"',
        "apos" => '\'',
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "nbsp" => ' ',
        "semi" => ';',
        "colon" => ':',
        "lpar" => '(',
        "rpar" => ')',
        "num" => '#',
        _ => code().and_then(char::from_u32)?,
    };
    Some((found, text.len() - inner.len() + end + 1))
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn labels_become_text() {
        let rows: [(&str, &[&str]); 12] = [
            ("Fetch data", &["Fetch data"]),
            ("\"Fetch (all) data\"", &["Fetch (all) data"]),
            ("\"`**Fetch** it`\"", &["**Fetch** it"]),
            ("Fetch<br/>data", &["Fetch", "data"]),
            ("Fetch<br>data\\nnow", &["Fetch", "data", "now"]),
            ("<b>Fetch</b> it", &["Fetch it"]),
            ("#quot;a#quot; #35;1", &["\"a\" #1"]),
            ("a &amp; b &lt; c", &["a & b < c"]),
            ("a < b and b > c", &["a < b and b > c"]),
            ("#1; first", &["\u{1} first"]),
            ("  ", &[]),
            ("It's here", &["It's here"]),
        ];
        for (raw, expected) in rows {
            assert_eq!(lines(raw), expected, "{raw}");
        }
    }
}
