//! Fitting a value whose text arrives in pieces.

use llmend_json::{Parsed, Stream, Value, View};
use llmend_schema::Schema;

use crate::{
    Error, FitOptions, Fitted,
    fit::{CoerceMode, hinted, of_parsed},
    metrics::counted,
};

/// Parses a text that arrives in pieces, shows the value so far, and fits it to a schema at the
/// end. The result is that of [`fit_with`](crate::fit_with) for the whole text.
///
/// ```
/// use llmend::{FitOptions, FitText, Schema};
///
/// let schema = Schema::from_text(r#"{"properties": {"days": {"type": "integer"}}}"#)?;
/// let mut text = FitText::new(FitOptions::default(), schema);
/// text.push(b"Gladly: {'da");
/// text.push(b"ys': '3'}");
/// let fitted = text.finish()?;
/// assert_eq!(fitted.value.to_string(), r#"{"days":3}"#);
/// # Ok::<(), llmend::Error>(())
/// ```
pub struct FitText {
    values: Stream,
    schema: Schema,
    coerce: CoerceMode,
}

impl FitText {
    /// Creates an empty text.
    #[must_use]
    pub fn new(options: FitOptions, schema: Schema) -> Self {
        let values = Stream::fitting(hinted(&options.text, &schema));
        Self { values, schema, coerce: options.coerce }
    }

    /// Takes the next bytes of the text, which may end within a character.
    pub fn push(&mut self, chunk: &[u8]) {
        self.values.push(chunk);
    }

    /// Returns the value so far.
    pub fn view(&mut self) -> View<'_> {
        self.values.view()
    }

    /// Ends the text and fits its value.
    pub fn finish(self) -> Result<Fitted, Error> {
        let Self { values, schema, coerce } = self;
        let fits = |value: &Value<'_>| coerce.fits(value, &schema);
        let Parsed { value, report } = counted(values.finish_fitting(fits))?;
        Ok(of_parsed(value, report, &schema, &coerce))
    }
}
