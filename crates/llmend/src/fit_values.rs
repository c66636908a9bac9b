//! Fitting several values, each as soon as it is complete.

use llmend_json::{FoundJson, OnBadItem, Parsed, Value, Values};
use llmend_schema::{Coerced, Schema};

use crate::{
    Error, FitOptions, Fitted,
    fit::{CoerceMode, hinted, of_parsed},
};

/// Fits every value of a text that arrives in pieces to a schema, each as soon as it is complete: records on
/// lines, code blocks, documents in a row.
///
/// Each has its own coercions and violations, with paths that begin at the value and places in the text as
/// it arrived. One that does not fit holds up no other. The option
/// [`choice`](llmend_json::Options::choice) is ignored: it is [`Choice::All`](crate::Choice::All).
///
/// ```
/// use llmend::{FitOptions, FitValues, Schema};
///
/// let step = r#"{"type": "object", "properties": {"id": {"type": "integer"}}}"#;
/// let step = Schema::from_text(step)?;
/// let mut steps = FitValues::new(FitOptions::default(), step)?;
/// steps.push(b"{'id': '1'}\n{'id': 'two'}\n{'id': 3, 'note': 'the last one'}");
/// let first = steps.next_value().unwrap();
/// assert_eq!((first.fitted.value.to_string().as_str(), first.found.json.as_str()), (r#"{"id":1}"#, r#"{"id": "1"}"#));
/// let second = steps.next_value().unwrap();
/// assert_eq!(second.fitted.violations[0].path, "/id");
/// let (rest, all) = steps.finish()?;
/// assert_eq!(rest.len(), 1);
/// assert_eq!(all.violations[0].path, "/1/id");
/// # Ok::<(), llmend::Error>(())
/// ```
pub struct FitValues {
    values: Values,
    item: Schema,
    /// The schema of all values.
    list: Schema,
    coerce: CoerceMode,
}

/// One of several values of a text, fitted to its schema.
#[derive(Clone, Debug)]
pub struct FittedJson {
    /// The value as it was found.
    pub found: FoundJson,
    /// The value as it fits.
    pub fitted: Coerced,
}

impl FitValues {
    /// Creates an empty stream. `schema` is the schema of one value. Fails if the schema of a list of
    /// such values cannot be compiled.
    pub fn new(options: FitOptions, schema: Schema) -> Result<Self, Error> {
        let list = schema.list()?;
        let values = Values::new(hinted(&options.text, &list));
        Ok(Self { values, item: schema, list, coerce: options.coerce })
    }

    /// Takes the next bytes of the text, which may end within a character.
    pub fn push(&mut self, chunk: &[u8]) {
        self.values.push(chunk);
    }

    /// Returns the next complete value, if any. One that does not fit is left out or null if the options of
    /// coercion drop or null bad items; the list at the end says which.
    pub fn next_value(&mut self) -> Option<FittedJson> {
        let Self { values, item, coerce, .. } = self;
        loop {
            let next = values.next_value_with(|found, value| fitted(found, value, item, coerce))?;
            if next.is_some() {
                return next;
            }
        }
    }

    /// Ends the text. Returns the remaining values, and the list of all, with their index before the paths
    /// within each.
    pub fn finish(self) -> Result<(Vec<FittedJson>, Fitted), Error> {
        let Self { values, item, list, coerce } = self;
        let (rest, parsed) =
            values.finish_with(|found, value| fitted(found, value, &item, &coerce))?;
        let Parsed { value, report } = parsed;
        let all = of_parsed(value, report, &list, &coerce);
        Ok((rest.into_iter().flatten().collect(), all))
    }
}

/// Fits a value. One that does not is left out or becomes null if the options say so.
fn fitted(
    found: FoundJson,
    value: Value<'_>,
    schema: &Schema,
    coerce: &CoerceMode,
) -> Option<FittedJson> {
    let mut fitted = coerce.coerced(value, schema);
    if let CoerceMode::On(options) = coerce
        && !fitted.violations.is_empty()
    {
        match options.on_bad_item {
            OnBadItem::Fail => {}
            OnBadItem::Drop => return None,
            OnBadItem::Null => {
                let null = coerce.coerced(llmend_json::parse("null").ok()?.value, schema);
                if null.violations.is_empty() {
                    fitted = null;
                }
            }
        }
    }
    Some(FittedJson { found, fitted })
}
