//! Text width and XML escaping.

/// Estimates the width of `text` in the widest of the usual system fonts at `size` pixels.
pub(super) fn width(text: &str, size: f64) -> f64 {
    text.chars().map(share).sum::<f64>() * size
}

/// Estimates the width of a character, relative to the font size.
fn share(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | '(' | ')' | '['
        | ']' | ' ' => 0.42,
        'f' | 't' | 'r' | '-' | '/' | '"' => 0.5,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 1.02,
        'A'..='Z' | '=' | '+' | '<' | '>' | '#' | '~' | '…' => 0.85,
        '\0'..='\u{2ff}' => 0.68,
        '\u{300}'..='\u{36f}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}' => 0.0,
        '\u{370}'..='\u{10ff}' => 0.8,
        _ => 1.15,
    }
}

/// Escapes `text` for an element or a quoted attribute. Characters that XML does not allow become U+FFFD.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\t' | '\n' => escaped.push(c),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            _ => escaped.push(c),
        }
    }
    escaped
}

/// Formats pixels, rounded to a tenth.
pub(super) fn px(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}
