//! Do the parts of a value fit what was asked for, while the text still arrives?

use std::collections::HashSet;

use llmend_json::{Builder, Node, Parsed, StreamParts};
use llmend_schema::{Coerced, Places, Schema};

use crate::{
    Error, FitOptions, Fitted,
    fit::{Coercing, hinted, of_parsed},
};

/// Holds each part of a value against what its schema asks for there, as soon as the part is
/// complete: a member of an object, an item of a list, and at last what they stand in.
///
/// Under [`Choice::First`](crate::Choice::First) a part comes as soon as it is closed; under
/// [`Choice::Best`](crate::Choice::Best) all come at the end. What is only known of the value as a
/// whole, such as which arm of a union it is, is told at the end. For the items of one list there is
/// [`FitStream`](crate::FitStream).
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

/// A part that is complete, held against what is asked for there.
#[derive(Clone, Debug)]
pub struct FittedPart {
    /// JSON Pointer in the value, by its keys as the text has them.
    pub path: String,
    /// What became of it. Its coercions and violations have their paths in the whole value, and
    /// those of a part within it that was told before are not told again.
    pub fitted: Coerced,
}

impl FitParts {
    /// A stream of which nothing has arrived.
    #[must_use]
    pub fn new(options: FitOptions, schema: Schema) -> Self {
        let parts = StreamParts::new(hinted(&options.text, &schema));
        let judge =
            Judge { places: Places::new(schema), coercing: options.coercing, told: HashSet::new() };
        Self { parts, judge }
    }

    /// Takes the next bytes of the text. They may be cut anywhere, also within a character.
    pub fn push(&mut self, chunk: &[u8]) {
        self.parts.push(chunk);
    }

    /// The next part that is complete and of which the schema says something, if there is one.
    pub fn next_part(&mut self) -> Option<FittedPart> {
        let Self { parts, judge } = self;
        loop {
            let part = parts.next_part_with(|path, node| judge.part(path, node))?;
            if part.is_some() {
                return part;
            }
        }
    }

    /// The text is complete: the parts that were not given yet, and what [`fit_with`] makes of the
    /// whole text, with all that is to be said of it.
    ///
    /// [`fit_with`]: crate::fit_with
    pub fn finish(self) -> Result<(Vec<FittedPart>, Fitted), Error> {
        let Self { parts, mut judge } = self;
        let (rest, parsed) = parts.finish_with(|path, node| judge.part(path, node))?;
        let Parsed { value, report } = parsed;
        let fitted = of_parsed(value, report, judge.places.schema(), &judge.coercing);
        Ok((rest.into_iter().flatten().collect(), fitted))
    }
}

/// Holds parts against what is asked for in their places.
struct Judge {
    places: Places,
    coercing: Coercing,
    /// What was told, by its path and its kind.
    told: HashSet<(String, String)>,
}

impl Judge {
    /// A part, held against what is asked for there. It is a value of its own, with the places that
    /// it has in the text.
    fn part(&mut self, path: &str, node: Node<'_>) -> Option<FittedPart> {
        let schema = self.places.at(path)?;
        let around = llmend_json::parse("null").ok()?.value;
        let mut builder = Builder::new(&around);
        builder.take(node);
        let mut fitted = self.coercing.coerced(builder.finish()?, schema);
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
