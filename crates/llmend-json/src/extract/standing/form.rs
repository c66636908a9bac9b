//! Values that only show a form.

/// Returns whether `c` may be in the name of a choice.
fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | '/')
}

/// Returns whether the strings of a value are only places to fill in.
pub(crate) fn is_form(value: &str) -> bool {
    let (mut holes, mut strings) = (0, 0);
    for (at, _) in value.match_indices(':') {
        let rest = value.get(at + 1..).unwrap_or_default().trim_start();
        let Some(string) = rest.strip_prefix('"') else { continue };
        let Some(end) = string.find('"') else { continue };
        let string = string.get(..end).unwrap_or_default();
        strings += 1;
        let tagged = string.starts_with('<') && string.ends_with('>') && !string.contains("</");
        let bracketed = string.starts_with('[') && string.ends_with(']');
        let blank = string.len() > 2 && string.chars().all(|c| c == '_');
        let yours = string.starts_with("YOUR_")
            || string.starts_with("your ")
            || string.ends_with(" goes here");
        let slot = string.starts_with("{{") && string.ends_with("}}");
        let named = matches!(
            string,
            "..." | "…" | "string" | "number" | "boolean" | "integer" | "YYYY-MM-DD"
        );
        let choice = string.contains('|')
            && string.split('|').all(|word| !word.is_empty() && word.chars().all(is_name));
        holes += usize::from(tagged || named || choice || bracketed || blank || yours || slot);
    }
    holes > 0 && holes == strings
}

/// Returns whether a value is a JSON Schema of an object.
pub(crate) fn is_schema(value: &str) -> bool {
    let has = |key: &str| value.contains(key);
    let says = has("\"$schema\"") || (has("\"properties\"") && has("\"object\""));
    says && has("\"type\"")
}

#[cfg(test)]
mod tests {
    use super::{is_form, is_schema};

    #[test]
    fn forms_and_schemas() {
        for (value, form, schema) in [
            ("{\"a\": \"<string>\", \"b\": \"<number>\"}", true, false),
            ("{\"a\": \"...\", \"b\": 1}", true, false),
            ("{\"a\": \"string\"}", true, false),
            ("{\"a\": \"<b>x</b>\"}", false, false),
            ("{\"a\": \"string\", \"b\": \"x\"}", false, false),
            ("{\"a\": 1}", false, false),
            ("{\"a\": \"x|y|z w\"}", true, false),
            ("{\"a\": \"x || y\"}", false, false),
            ("{\"$schema\": \"http://x\", \"type\": \"object\"}", false, true),
            (
                "{\"type\": \"object\", \"properties\": {\"a\": {\"type\": \"string\"}}}",
                false,
                true,
            ),
            ("{\"type\": \"object\", \"size\": 1}", false, false),
        ] {
            assert_eq!((is_form(value), is_schema(value)), (form, schema), "{value}");
        }
    }
}
