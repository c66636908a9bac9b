//! Fitting a value whose text arrives in pieces.

use llmend_json::{Parsed, Repair, Stream, Value, View};
use llmend_schema::Schema;

use crate::{
    Error, FitOptions,
    fit::{CoerceMode, hinted, of_parsed},
    fit_event::{FittedEvent, Heard},
    fit_view::{FittedView, Unfolding},
    fitted::Fitted,
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
    /// The value in the schema's terms, once a view or events of it were asked for.
    shown: Option<Box<Unfolding>>,
    heard: Option<Box<Unfolding>>,
}

impl FitText {
    /// Creates an empty text.
    #[must_use]
    pub fn new(options: FitOptions, schema: Schema) -> Self {
        let values = Stream::fitting(hinted(&options.text, &schema));
        Self { values, schema, coerce: options.coerce, shown: None, heard: None }
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
        let Self { values, schema, coerce, shown, .. } = self;
        let new = || Box::new(Unfolding::new(schema.clone(), coerce, Heard::DEAF));
        let shown = shown.get_or_insert_with(new);
        shown.advance(&values.view());
        shown.view()
    }

    /// Returns the changes of [`Self::fitted_view`] since the last call. Their cost is that of the text that arrived:
    /// a view is as long as the value.
    ///
    /// ```
    /// use llmend::{Choice, FitOptions, FitText, FittedEvent, Options, Schema};
    ///
    /// let schema = r#"{"type": "object", "properties": {"days": {"type": "integer"}}, "required": ["days"]}"#;
    /// let text = Options { choice: Choice::First, ..Options::default() };
    /// let options = FitOptions { text, ..FitOptions::default() };
    /// let mut text = FitText::new(options, Schema::from_text(schema)?);
    /// text.push(b"{'Days': '3', 'City': 'Osl");
    /// let days = FittedEvent::Completed { path: "/days".to_owned(), json: "3".to_owned() };
    /// assert_eq!(text.fitted_events().get(1), Some(&days));
    /// # Ok::<(), llmend::Error>(())
    /// ```
    pub fn fitted_events(&mut self) -> Vec<FittedEvent> {
        let Self { values, schema, coerce, heard, .. } = self;
        let new = || Box::new(Unfolding::new(schema.clone(), coerce, Heard::ALL));
        let heard = heard.get_or_insert_with(new);
        heard.advance(&values.view());
        heard.events()
    }

    /// Returns the repairs that later text cannot change, once the answer is certain. Each is returned once, and not
    /// again by [`Self::finish`].
    pub fn take_repairs(&mut self) -> Vec<Repair> {
        self.values.take_repairs()
    }

    /// Ends the text and fits its value.
    pub fn finish(self) -> Result<Fitted, Error> {
        Ok(self.finish_with_events()?.1)
    }

    /// Ends the text and fits its value. Returns the remaining events too, if [`Self::fitted_events`] was called.
    pub fn finish_with_events(self) -> Result<(Vec<FittedEvent>, Fitted), Error> {
        let Self { values, schema, coerce, heard, .. } = self;
        let fits = |value: &Value<'_>| coerce.fits(value, &schema);
        let Parsed { value, report } = counted(values.finish_fitting(fits))?;
        let fitted = of_parsed(value, report, &schema, &coerce);
        let events = heard.map(|mut heard| {
            heard.end(&fitted.value);
            heard.events()
        });
        Ok((events.unwrap_or_default(), fitted))
    }
}
