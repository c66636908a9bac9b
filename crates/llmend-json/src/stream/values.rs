//! Complete values of a text that is still arriving and has several.

use crate::{
    Candidate, Choice, Error, Options, Parsed, Repair, Value,
    extract::{FoundValue, Scan},
    stream::{feed::Feed, follow::Follow, parsed},
    value::build::Tape,
};

/// One of several values of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundJson {
    /// The value as strict JSON.
    pub json: String,
    /// Where it was found.
    pub candidate: Candidate,
    /// The repairs of it.
    pub repairs: Vec<Repair>,
}

/// Gives every value of a text as soon as it is complete, in order: records on lines, code blocks,
/// documents in a row.
///
/// The option `choice` is ignored: it is [`Choice::All`]. Values in YAML are given at the end.
///
/// ```
/// use llmend_json::{Options, Values};
///
/// let mut values = Values::new(Options::default());
/// values.push(b"{'id': 1}\n{'id': 2}\n{'id'");
/// let ids: Vec<String> = std::iter::from_fn(|| values.next_value()).map(|one| one.json).collect();
/// assert_eq!(ids, [r#"{"id": 1}"#, r#"{"id": 2}"#]);
/// values.push(b": 3}");
/// let (rest, parsed) = values.finish()?;
/// assert_eq!(rest[0].json, r#"{"id": 3}"#);
/// assert_eq!(parsed.value.to_string(), r#"[{"id":1},{"id":2},{"id":3}]"#);
/// # Ok::<(), llmend_json::Error>(())
/// ```
pub struct Values {
    feed: Box<Feed<Tape>>,
    follow: Follow,
    given: usize,
}

impl Values {
    /// Creates a stream without any text.
    #[must_use]
    pub fn new(options: Options) -> Self {
        let options = Options { choice: Choice::All, ..options };
        Self { feed: Box::new(Feed::new(options)), follow: Follow::default(), given: 0 }
    }

    /// Adds a chunk of the text, which may end anywhere, even within a character.
    ///
    /// Errors are returned by [`Self::finish`].
    pub fn push(&mut self, chunk: &[u8]) {
        self.feed.push(chunk, &mut self.follow);
    }

    /// Returns the next complete value, if there is one.
    pub fn next_value(&mut self) -> Option<FoundJson> {
        let Self { feed, given, .. } = self;
        next(feed, given).map(|(_, value)| value)
    }

    /// Returns the result of `read` for the next complete value and its parts, if there is one. The spans of
    /// the parts refer to the text.
    pub fn next_value_with<R>(
        &mut self,
        read: impl FnOnce(FoundJson, Value<'_>) -> R,
    ) -> Option<R> {
        let Self { feed, given, .. } = self;
        let (found, value) = next(feed, given)?;
        Some(read(value, parts(&feed.scan, &feed.text, found)?))
    }

    /// Ends the text. Returns the remaining values, and the result for the whole text: an array.
    pub fn finish(self) -> Result<(Vec<FoundJson>, Parsed<'static>), Error> {
        self.finish_by(|_, text, found| given(found, text))
    }

    /// Ends the text. Returns the results of `read` for the remaining values, and the result for the whole
    /// text.
    pub fn finish_with<R>(
        self,
        mut read: impl FnMut(FoundJson, Value<'_>) -> R,
    ) -> Result<(Vec<R>, Parsed<'static>), Error> {
        self.finish_by(|scan, text, found| {
            let value = given(found, text)?;
            Some(read(value, parts(scan, text, found)?))
        })
    }

    /// Ends the text. Returns what `read` makes of the remaining values.
    fn finish_by<R>(
        self,
        mut read: impl FnMut(&Scan<'_, Tape>, &str, &FoundValue<Tape>) -> Option<R>,
    ) -> Result<(Vec<R>, Parsed<'static>), Error> {
        let (mut rest, known, max_class) = (Vec::new(), self.given, self.feed.max_class());
        let whole = self.feed.finish_by(|window, scan| {
            let left = scan.found.get(known..).unwrap_or_default();
            rest = left.iter().filter_map(|found| read(scan, window.text, found)).collect();
            None
        })?;
        Ok((rest, parsed(whole, max_class)?))
    }
}

/// Returns the next value of `feed` after the first `known` ones.
fn next<'f>(feed: &'f Feed<Tape>, known: &mut usize) -> Option<(&'f FoundValue<Tape>, FoundJson)> {
    while let Some(found) = feed.scan.found.get(*known) {
        *known += 1;
        if let Some(value) = given(found, &feed.text) {
            return Some((found, value));
        }
    }
    None
}

/// Returns a copy of a found value with its parts.
fn parts<'t>(scan: &Scan<'_, Tape>, text: &'t str, found: &FoundValue<Tape>) -> Option<Value<'t>> {
    scan.sink.copy(text, found.span, &[found.built])
}

/// Returns a found value as JSON, unless it is left out.
fn given(found: &FoundValue<Tape>, text: &str) -> Option<FoundJson> {
    if found.repairs.first().is_some_and(|first| first.removes_record(found.span)) {
        return None;
    }
    Some(FoundJson {
        json: found.output(text).into_owned(),
        candidate: Candidate { span: found.span, origin: found.origin },
        repairs: found.repairs.clone(),
    })
}
