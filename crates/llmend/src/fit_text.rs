//! Does a value fit what was asked for, once the last piece of its text is there?

use llmend_json::{Parsed, Stream, View};
use llmend_schema::Schema;

use crate::{
    Error, FitOptions, Fitted,
    fit::{Coercing, hinted, of_parsed},
    metrics::counted,
};

/// Reads a text that arrives in pieces, each once, shows the value so far, and at the end holds it
/// against a schema: what [`fit_with`](crate::fit_with) makes of the whole text.
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
    coercing: Coercing,
}

impl FitText {
    /// A text of which nothing has arrived.
    #[must_use]
    pub fn new(options: FitOptions, schema: Schema) -> Self {
        let values = Stream::new(hinted(&options.text, &schema));
        Self { values, schema, coercing: options.coercing }
    }

    /// Takes the next bytes of the text. They may be cut anywhere, also within a character.
    pub fn push(&mut self, chunk: &[u8]) {
        self.values.push(chunk);
    }

    /// The value so far, as the text says it.
    pub fn view(&mut self) -> View<'_> {
        self.values.view()
    }

    /// The text is complete: what it says, made to fit.
    pub fn finish(self) -> Result<Fitted, Error> {
        let Self { values, schema, coercing } = self;
        let Parsed { value, report } = counted(values.finish())?;
        Ok(of_parsed(value, report, &schema, &coercing))
    }
}
