//! Malformed references.

/// A malformed reference.
#[derive(Debug, PartialEq)]
pub(super) struct Malformed {
    /// Whether it names a step, so that it is certainly a reference.
    pub(super) certain: bool,
    pub(super) message: String,
    pub(super) help: String,
}

const HELP: &str = "Write references as {{step.field.field}}.";

/// Maximum characters of a reference in a message.
const SHOWN: usize = 60;

/// Returns the malformed references in `text`: braces that are not closed, or that contain anything but
/// names and dots, and single braces around an existing step.
pub(super) fn malformed(text: &str, is_step: impl Fn(&str) -> bool) -> Vec<Malformed> {
    let mut found = Vec::new();
    let mut at = 0;
    // Searched once, to keep the work linear.
    let last_close = text.rfind("}}");
    while let Some(start) = text.get(at..).and_then(|rest| rest.find('{')).map(|it| at + it) {
        let rest = text.get(start..).unwrap_or_default();
        let before = text.get(..start).unwrap_or_default();
        let (fault, length) = match rest.strip_prefix("{{") {
            Some(inner) if last_close.is_some_and(|close| close >= start + 2) => {
                let length = inner.find("}}").unwrap_or_default();
                (double(inner.get(..length).unwrap_or_default(), &is_step), length + 4)
            }
            Some(inner) => (Some(unclosed(inner, &is_step)), rest.len()),
            None => (single(rest, before, &is_step), 1),
        };
        found.extend(fault);
        at = start + length;
    }
    found
}

fn double(inner: &str, is_step: impl Fn(&str) -> bool) -> Option<Malformed> {
    if is_path(inner.trim()) {
        return None;
    }
    let shown = llmend_json::preview(inner, SHOWN);
    let message = format!("`{{{{{shown}}}}}` is not a valid reference");
    Some(Malformed { certain: is_step(head(inner)), message, help: HELP.to_owned() })
}

fn unclosed(inner: &str, is_step: impl Fn(&str) -> bool) -> Malformed {
    let certain = is_step(head(inner));
    let shown = llmend_json::preview(inner, SHOWN);
    let message = format!("`{{{{{shown}` has no closing `}}}}`");
    Malformed { certain, message, help: HELP.to_owned() }
}

/// Checks for `{step.field}`, where a step of that name exists.
fn single(rest: &str, before: &str, is_step: impl Fn(&str) -> bool) -> Option<Malformed> {
    let inner = rest.strip_prefix('{')?;
    let inner = inner.get(..inner.find(|c: char| !(is_word(c) || c == '.'))?)?;
    let closed = rest.get(inner.len() + 1..)?.starts_with('}');
    if !closed || before.ends_with(['{', '$']) || !inner.contains('.') || !is_path(inner) {
        return None;
    }
    let shown = llmend_json::preview(inner, SHOWN);
    let message = format!("`{{{shown}}}` has single braces and is not replaced");
    is_step(head(inner)).then(|| Malformed { certain: true, message, help: HELP.to_owned() })
}

/// Returns the name at the start of `inner`.
fn head(inner: &str) -> &str {
    let inner = inner.trim_start();
    inner.get(..inner.find(|c: char| !is_word(c)).unwrap_or(inner.len())).unwrap_or_default()
}

fn is_path(inner: &str) -> bool {
    inner.split('.').all(|part| !part.is_empty() && part.chars().all(is_word))
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malformed_references_are_found() {
        // S1-15
        let rows: [(&str, &[bool]); 12] = [
            ("{{s1.response.x}} and {{ s1 }}", &[]),
            ("{{s1.items[0].x}}", &[true]),
            ("{{s1..x}}", &[true]),
            ("{{s1.response", &[true]),
            ("{{s1.response}", &[true]),
            ("{s1.response.x}", &[true]),
            ("{{}} {{a b}}", &[false, false]),
            ("{{ name | upper }}", &[false]),
            ("{x.y} {s1} ${s1.x}", &[]),
            ("fn f() { a }", &[]),
            ("{{other", &[false]),
            ("{\"a\": {\"b\": 1}}", &[]),
        ];
        for (text, expected) in rows {
            let found = malformed(text, |id| id == "s1");
            let certain: Vec<bool> = found.iter().map(|fault| fault.certain).collect();
            assert_eq!(certain, expected, "{text}");
        }
    }

    #[test]
    fn many_openings_take_linear_time() {
        let text = "{{".repeat(200_000);
        assert_eq!(malformed(&text, |_| false).len(), 1);
    }
}
