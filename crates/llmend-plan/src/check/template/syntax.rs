//! Is something meant as a reference that is none?

/// Something that looks like a reference and is none.
#[derive(Debug, PartialEq)]
pub(super) struct Fault {
    /// Whether it names a step, so that nothing else can be meant.
    pub(super) certain: bool,
    pub(super) message: String,
    pub(super) help: String,
}

/// How references are written.
const FORM: &str = "a reference is written as {{step.field.field}}";

/// Characters of a reference that a message shows.
const SHOWN: usize = 60;

/// All malformed references in `text`: braces that are not closed, or with anything but names and
/// dots between them, and single braces around a step that there is.
pub(super) fn faults(text: &str, is_step: impl Fn(&str) -> bool) -> Vec<Fault> {
    let mut found = Vec::new();
    let mut at = 0;
    // Looked for once: else each opening would look through the whole rest.
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

fn double(inner: &str, is_step: impl Fn(&str) -> bool) -> Option<Fault> {
    if is_path(inner.trim()) {
        return None;
    }
    let shown = llmend_json::preview(inner, SHOWN);
    let message = format!("`{{{{{shown}}}}}` is no reference to a step's answer");
    Some(Fault { certain: is_step(head(inner)), message, help: FORM.to_owned() })
}

fn unclosed(inner: &str, is_step: impl Fn(&str) -> bool) -> Fault {
    let certain = is_step(head(inner));
    let shown = llmend_json::preview(inner, SHOWN);
    let message = format!("`{{{{{shown}` is not closed by `}}}}`");
    Fault { certain, message, help: FORM.to_owned() }
}

/// `{step.field}`, where a step of that name exists.
fn single(rest: &str, before: &str, is_step: impl Fn(&str) -> bool) -> Option<Fault> {
    let inner = rest.strip_prefix('{')?;
    let inner = inner.get(..inner.find(|one: char| !(is_word(one) || one == '.'))?)?;
    let closed = rest.get(inner.len() + 1..)?.starts_with('}');
    if !closed || before.ends_with(['{', '$']) || !inner.contains('.') || !is_path(inner) {
        return None;
    }
    let shown = llmend_json::preview(inner, SHOWN);
    let message = format!("`{{{shown}}}` has single braces, and is not replaced");
    is_step(head(inner)).then(|| Fault { certain: true, message, help: FORM.to_owned() })
}

/// The name with which it starts.
fn head(inner: &str) -> &str {
    let inner = inner.trim_start();
    inner.get(..inner.find(|one: char| !is_word(one)).unwrap_or(inner.len())).unwrap_or_default()
}

fn is_path(inner: &str) -> bool {
    inner.split('.').all(|part| !part.is_empty() && part.chars().all(is_word))
}

fn is_word(one: char) -> bool {
    one.is_alphanumeric() || matches!(one, '_' | '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malformed_references_are_told() {
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
            let found = faults(text, |id| id == "s1");
            let certain: Vec<bool> = found.iter().map(|fault| fault.certain).collect();
            assert_eq!(certain, expected, "{text}");
        }
    }

    #[test]
    fn many_openings_are_looked_at_once() {
        let text = "{{".repeat(200_000);
        assert_eq!(faults(&text, |_| false).len(), 1);
    }
}
