//! Fitting the parts of a value while its text arrives.

use std::collections::HashSet;

use llmend_json::{Builder, Node, Parsed, StreamParts};
use llmend_schema::{Coerced, Schema, Subschemas};

use crate::{
    Error, FitOptions, Fitted,
    fit::{CoerceMode, hinted, of_parsed},
};

/// Fits each part of a value to its schema as soon as the part is complete: a member of an object,
/// an item of a list, and finally their containers.
///
/// With [`Choice::First`](crate::Choice::First) a part is available as soon as it is closed; with
/// [`Choice::Best`](crate::Choice::Best) all parts come at the end. Whatever depends on the whole
/// value, such as the matching branch of a union, is reported at the end. For the items of one
/// list, use [`FitStream`](crate::FitStream).
///
/// ```
/// use llmend::{Choice, FitOptions, FitParts, Options, Schema};
///
/// let schema = Schema::from_text(r#"{"type": "object", "properties": {
///     "city": {"type": "string"},
///     "stay": {"type": "object", "properties": {"days": {"type": "integer"}}, "required": ["days"]},
///     "note": {"type": "string"}
/// }, "required": ["city"]}"#)?;
/// let text = Options { choice: Choice::First, ..Options::default() };
/// let mut parts = FitParts::new(FitOptions { text, ..FitOptions::default() }, schema);
/// parts.push(b"Sure: {'city': 'Oslo', 'stay': {'days': 'a few'}, 'note': 'It ra");
/// assert!(parts.next_part().is_some_and(|city| city.path == "/city" && city.fitted.violations.is_empty()));
/// let days = parts.next_part().unwrap();
/// assert_eq!(days.fitted.violations[0].path, "/stay/days");
/// # Ok::<(), llmend::Error>(())
/// ```
pub struct FitParts {
    parts: StreamParts,
    judge: Judge,
}

/// A complete part, fitted to its schema.
#[derive(Clone, Debug)]
pub struct FittedPart {
    /// The JSON Pointer in the value, with the keys of the text.
    pub path: String,
    /// The fitted part. The paths of its coercions and violations are those in the whole value.
    /// What was reported for a part within it is not repeated.
    pub fitted: Coerced,
}

impl FitParts {
    /// Creates an empty stream.
    #[must_use]
    pub fn new(options: FitOptions, schema: Schema) -> Self {
        let parts = StreamParts::new(hinted(&options.text, &schema));
        let judge =
            Judge { places: Subschemas::new(schema), coerce: options.coerce, told: HashSet::new() };
        Self { parts, judge }
    }

    /// Takes the next bytes of the text, which may end within a character.
    pub fn push(&mut self, chunk: &[u8]) {
        self.parts.push(chunk);
    }

    /// Returns the next complete part that the schema describes, if any.
    pub fn next_part(&mut self) -> Option<FittedPart> {
        let Self { parts, judge } = self;
        loop {
            let part = parts.next_part_with(|path, node| judge.part(path, node))?;
            if part.is_some() {
                return part;
            }
        }
    }

    /// Ends the text. Returns the remaining parts, and what [`fit_with`] returns for the whole
    /// text.
    ///
    /// [`fit_with`]: crate::fit_with
    pub fn finish(self) -> Result<(Vec<FittedPart>, Fitted), Error> {
        let Self { parts, mut judge } = self;
        let (rest, parsed) = parts.finish_with(|path, node| judge.part(path, node))?;
        let Parsed { value, report } = parsed;
        let fitted = of_parsed(value, report, judge.places.schema(), &judge.coerce);
        Ok((rest.into_iter().flatten().collect(), fitted))
    }
}

/// The schemas of all parts, and what was reported.
struct Judge {
    places: Subschemas,
    coerce: CoerceMode,
    /// The path and kind of everything reported.
    told: HashSet<(String, String)>,
}

impl Judge {
    /// Fits a part to its schema. It becomes a value of its own that keeps its places in the text.
    fn part(&mut self, path: &str, node: Node<'_>) -> Option<FittedPart> {
        let schema = self.places.at(path)?;
        let around = llmend_json::parse("null").ok()?.value;
        let mut builder = Builder::new(&around);
        builder.take(node);
        let mut fitted = self.coerce.coerced(builder.finish()?, schema);
        let told = &mut self.told;
        let mut is_new = |inner: &mut String, kind: &str| {
            inner.insert_str(0, path);
            told.insert((inner.clone(), kind.to_owned()))
        };
        fitted.coercions.retain_mut(|row| is_new(&mut row.path, row.kind.name()));
        fitted.violations.retain_mut(|row| is_new(&mut row.path, &row.message));
        Some(FittedPart { path: path.to_owned(), fitted })
    }
}
