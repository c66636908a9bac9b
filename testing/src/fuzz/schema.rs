//! Coercion of any text to any schema: the result validates, or its violations are reported.

use llmend_schema::{OnBadItem, OnExtra, Options, Schema, Units, coerce, validate};

use crate::promises::Broken;
use crate::schema::check;

/// Levels of a schema or text up to which the oracle, which recurses, is asked.
const MAX_DEPTH: usize = 100;

/// The first line is the schema, and the rest is the text.
pub(super) fn check(input: &str) -> Result<(), Broken> {
    let Some((first, text)) = input.split_once('\n') else { return Ok(()) };
    let near = llmend_json::Options { max_depth: MAX_DEPTH, ..llmend_json::Options::default() };
    let Ok((json, _)) = llmend_json::parse_to_serde_with(first, &near) else { return Ok(()) };
    let Ok(schema) = Schema::new(&json) else { return Ok(()) };
    let Ok(parsed) = llmend_json::parse_with(text, &near) else { return Ok(()) };
    let before = parsed.value.to_string();
    let coerced = coerce(&parsed.value, &schema, &Options::default());
    check::always(&json, &before, &coerced).map_err(broken)?;
    again(&schema, &coerced.value, coerced.violations.is_empty())?;
    let lossy = Options {
        on_bad_item: OnBadItem::Drop,
        on_extra: OnExtra::Drop,
        units: Units::Strip,
        ..Options::default()
    };
    let coerced = coerce(&parsed.value, &schema, &lossy);
    check::fits(&json, &coerced).map_err(broken)?;
    again(&schema, &coerced.value, coerced.violations.is_empty())
}

/// What fits is not touched again, and the function that only validates has nothing against it. (Two keys
/// for one property are a violation although what is left may validate.)
fn again(schema: &Schema, value: &llmend_json::Value<'_>, fits: bool) -> Result<(), Broken> {
    if !fits {
        return Ok(());
    }
    if let Some(violation) = validate(value, schema).first() {
        return Err(broken(format!("{value} fits, and not: {}", violation.message)));
    }
    let twice = coerce(value, schema, &Options::default());
    if !twice.coercions.is_empty() || !twice.violations.is_empty() {
        return Err(broken(format!("{value} fits, and is touched again")));
    }
    Ok(())
}

fn broken(why: String) -> Broken {
    Broken { promise: "schema", why }
}
