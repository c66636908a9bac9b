//! Fitting a value whose text arrives in pieces.

use llmend_json::{Parsed, Stream, Value, View};
use llmend_schema::Schema;

use crate::{
    Error, FitOptions, Fitted,
    fit::{CoerceMode, hinted, of_parsed},
    fit_view::{FittedView, ViewFitting},
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
    /// What the views in the schema's terms need, once one was asked for.
    fitting: Option<Box<ViewFitting>>,
}

impl FitText {
    /// Creates an empty text.
    #[must_use]
    pub fn new(options: FitOptions, schema: Schema) -> Self {
        let values = Stream::fitting(hinted(&options.text, &schema));
        Self { values, schema, coerce: options.coerce, fitting: None }
    }

    /// Takes the next bytes of the text, which may end within a character.
    pub fn push(&mut self, chunk: &[u8]) {
        self.values.push(chunk);
    }

    /// Returns the value so far.
    pub fn view(&mut self) -> View<'_> {
        self.values.view()
    }

    /// Returns the value so far in the names and types of the schema; `None` if nothing can be shown yet.
    ///
    /// Each part is fitted once, when it is complete, and once more with the part around it.
    ///
    /// ```
    /// use llmend::{Choice, FitOptions, FitText, Options, Schema};
    ///
    /// let schema = r#"{"type": "object", "properties": {
    ///     "city": {"type": "string"}, "days": {"type": "integer"}}, "required": ["city", "days"]}"#;
    /// let text = Options { choice: Choice::First, ..Options::default() };
    /// let options = FitOptions { text, ..FitOptions::default() };
    /// let mut text = FitText::new(options, Schema::from_text(schema)?);
    /// text.push(b"{'Days': '3', 'City': 'Osl");
    /// assert_eq!(text.fitted_view().unwrap().json, r#"{"days":3,"city":"Osl"}"#);
    /// # Ok::<(), llmend::Error>(())
    /// ```
    pub fn fitted_view(&mut self) -> Option<FittedView> {
        let Self { values, schema, coerce, fitting } = self;
        let new = || Box::new(ViewFitting::new(schema.clone(), coerce));
        fitting.get_or_insert_with(new).fit(&values.view())
    }

    /// Ends the text and fits its value.
    pub fn finish(self) -> Result<Fitted, Error> {
        let Self { values, schema, coerce, .. } = self;
        let fits = |value: &Value<'_>| coerce.fits(value, &schema);
        let Parsed { value, report } = counted(values.finish_fitting(fits))?;
        Ok(of_parsed(value, report, &schema, &coerce))
    }
}
