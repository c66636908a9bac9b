//! Typing of values by the schema, for notations without types.

use llmend_json::{Builder, Class, Decimal, Diagnostic, Node, Parsed, Repair, Severity, Span};

use crate::{Options, tools::Kinds};

/// How the text of a value was read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Untyped {
    pub(crate) repairs: Vec<Repair>,
    pub(crate) class: Option<Class>,
    /// Whether the value was left out: an empty text where no string is allowed.
    pub(crate) omitted: bool,
}

/// The text of a value, and what is known of its parameter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Raw<'t> {
    pub(crate) key: &'t str,
    pub(crate) key_span: Span,
    pub(crate) text: &'t str,
    /// Location of the text.
    pub(crate) span: Span,
    pub(crate) kinds: Kinds,
    /// Whether an empty text may mean that there is no value.
    pub(crate) optional: bool,
}

/// Writes a value into `builder`, whose text begins at `base`.
pub(crate) fn write(
    builder: &mut Builder<'_>,
    base: usize,
    raw: Raw<'_>,
    options: &Options,
) -> Untyped {
    let Raw { text, span, kinds, optional, .. } = raw;
    let mut result = Untyped::default();
    let trimmed = text.trim();
    let place = within(span, base);
    let write_key = |builder: &mut Builder<'_>| builder.key(raw.key, within(raw.key_span, base));
    if kinds.is_text() {
        write_key(builder);
        if kinds.has(Kinds::NULL) && matches!(trimmed, "null" | "None") {
            builder.null(place);
        } else {
            builder.string(text, place);
        }
        return result;
    }
    if trimmed.is_empty() && !kinds.has(Kinds::STRING) && optional {
        result.omitted = true;
        return result;
    }
    write_key(builder);
    let declared = kinds != Kinds::ANY;
    match trimmed {
        "null" | "None" if declared && kinds.has(Kinds::NULL) => builder.null(place),
        "true" | "True" | "TRUE" if declared && kinds.has(Kinds::BOOLEAN) => {
            builder.bool(true, place);
        }
        "false" | "False" | "FALSE" if declared && kinds.has(Kinds::BOOLEAN) => {
            builder.bool(false, place);
        }
        digits if declared && is_number(digits, kinds) => builder.number(digits, place),
        _ if trimmed.starts_with(['{', '[', '('])
            && (kinds.has(Kinds::ARRAY) || kinds.has(Kinds::OBJECT)) =>
        {
            let lead = text.len() - text.trim_start().len();
            if let Some(read) = container(trimmed, kinds, declared, options) {
                let start = span.start + lead;
                builder.take_placed(read.value.root(), |part| within(moved(part, start), base));
                result.class = read.report.class;
                result.repairs = read.report.repairs;
                for repair in &mut result.repairs {
                    repair.span = moved(repair.span, start);
                }
                if !declared {
                    // The text may as well be meant as text.
                    result.class = result.class.max(Some(Class::Guess));
                }
            } else {
                builder.string(text, place);
            }
        }
        _ => builder.string(text, place),
    }
    result
}

/// Writes a value that the text says is JSON. Returns false if it is not, without a repair.
pub(crate) fn write_json(
    builder: &mut Builder<'_>,
    base: usize,
    raw: Raw<'_>,
    options: &Options,
) -> bool {
    let Ok(Some(parsed)) = llmend_json::parse_at(raw.text, 0, true, &options.json) else {
        return false;
    };
    let rest = raw.text.get(parsed.report.candidate.span.end..).unwrap_or_default();
    if parsed.report.class.is_some() || !rest.trim().is_empty() {
        return false;
    }
    let start = raw.span.start.saturating_sub(base);
    builder.key(raw.key, within(raw.key_span, base));
    builder.take_placed(parsed.value.root(), |part| moved(part, start));
    true
}

/// Returns `span` as counted from `base`.
fn within(span: Span, base: usize) -> Span {
    Span::new(span.start.saturating_sub(base), span.end.saturating_sub(base))
}

fn moved(span: Span, by: usize) -> Span {
    Span::new(span.start + by, span.end + by)
}

/// Creates the finding for an empty value that was left out.
pub(crate) fn omitted(key: &str, span: Span) -> Diagnostic {
    let message = format!("omitted the empty value of the optional parameter `{key}`");
    Diagnostic::new("calls/empty-value", Severity::Info, message).at(span)
}

/// Reads an array or object that makes up the whole of `text`.
fn container<'t>(
    text: &'t str,
    kinds: Kinds,
    declared: bool,
    options: &Options,
) -> Option<Parsed<'t>> {
    let strict = llmend_json::Options::policy(llmend_json::Policy::Strict);
    // Without a schema only what cannot be anything else is read as JSON.
    let options = if declared { &options.json } else { &strict };
    let read = llmend_json::parse_at(text, 0, true, options).ok().flatten()?;
    let whole =
        text.get(read.report.candidate.span.end..).is_none_or(|rest| rest.trim().is_empty());
    let fits = kinds.allows(Node::kind(read.value.root()));
    (whole && fits && read.report.cut.is_none()).then_some(read)
}

/// Returns whether `text` is a JSON number of the allowed kinds.
fn is_number(text: &str, kinds: Kinds) -> bool {
    let Some(number) = Decimal::parse(text) else { return false };
    let whole = number.is_integer() && !text.contains(['e', 'E']);
    kinds.has(Kinds::FRACTION) || (kinds.has(Kinds::INTEGER) && whole)
}

#[cfg(test)]
mod tests {
    use llmend_json::{Builder, Span};
    use serde_json::json;

    use super::{Raw, write};
    use crate::{Options, tools::Kinds};

    #[test]
    fn the_schema_decides_and_not_the_look() {
        let either = json!({"type": ["integer", "string"]});
        let maybe = json!({"type": ["string", "null"]});
        for (schema, text, expected) in [
            (json!({"type": "string"}), "007", r#"{"k":"007"}"#),
            (json!({"type": "string"}), "true", r#"{"k":"true"}"#),
            (json!({"type": "string"}), " {\"a\": 1} ", r#"{"k":" {\"a\": 1} "}"#),
            (json!({"type": "string"}), "null", r#"{"k":"null"}"#),
            (maybe.clone(), "None", r#"{"k":null}"#),
            (maybe, "42", r#"{"k":"42"}"#),
            (either.clone(), "42", r#"{"k":42}"#),
            (either.clone(), "042", r#"{"k":"042"}"#),
            (either, "4.2", r#"{"k":"4.2"}"#),
            (json!({"type": "number"}), "1e5", r#"{"k":1e5}"#),
            (json!({"type": "integer"}), "123456789012345678901", r#"{"k":123456789012345678901}"#),
            (json!({"type": "boolean"}), "False", r#"{"k":false}"#),
            (json!({"type": "integer"}), "", "{}"),
            (json!({"type": "array"}), "['a', 1]", r#"{"k":["a",1]}"#),
            (json!({"type": "object"}), "{'a': True}", r#"{"k":{"a":true}}"#),
            (json!({}), "007", r#"{"k":"007"}"#),
            (json!({}), "42", r#"{"k":"42"}"#),
            (json!({}), "[1, 2]", r#"{"k":[1,2]}"#),
            (json!({}), "[a, b]", r#"{"k":"[a, b]"}"#),
        ] {
            let kinds = Kinds::of(&schema, &schema);
            let mut builder = Builder::of_text(text);
            builder.begin_object(Span::at(0));
            let span = Span::new(0, text.len());
            let raw = Raw { key: "k", key_span: Span::at(0), text, span, kinds, optional: true };
            write(&mut builder, 0, raw, &Options::default());
            builder.end();
            assert_eq!(builder.finish().unwrap().to_string(), expected, "{schema} {text}");
        }
    }
}
