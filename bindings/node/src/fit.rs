//! Fitting a value to a schema.

use llmend::{
    CoerceMode, Coercion, FitOptions, Fitted, Outcome, Violation, fit_with,
    json::{Node, Offsets, Relocate as _, parse_with},
    schema,
};
use serde::Serialize;

use crate::{
    UNIT, answer,
    last::{self, Found},
    options,
    options::{CoerceOptions, TextOptions, named},
    refusal::{self, Refusal},
    report::ReportRow,
};

/// Returns the options of fitting.
pub(crate) fn fitting(given: &TextOptions) -> Result<FitOptions, Refusal> {
    let text = given.read()?;
    let coerce = given.coerce.as_ref().map(CoerceOptions::read).transpose()?;
    Ok(FitOptions { text, coerce: coerce.unwrap_or_default() })
}

/// A compiled JSON Schema.
pub(crate) struct Schema {
    pub(crate) compiled: schema::Schema,
    is_of_type: bool,
}

impl Schema {
    /// Compiles the schema in a text. One of a type is for a validator that ignores unknown members, so that members
    /// which only differ in spelling are renamed.
    pub(crate) fn new(json: &str, is_of_type: bool) -> Result<Self, Refusal> {
        match schema::Schema::from_text(json) {
            Ok(compiled) => Ok(Self { compiled, is_of_type }),
            Err(error) => Err(refusal::of_any(&error.into(), "")),
        }
    }

    /// Parses the value in a text and makes it fit. Returns its JSON; [`crate::last::take`] has the rest.
    pub(crate) fn fit(&self, text: String, options: &str) -> Result<String, Refusal> {
        last::begin();
        let options = self.options(options)?;
        let fitted = fit_with(&text, &self.compiled, &options)
            .map_err(|error| refusal::of_any(&error, &text))?;
        let json = fitted.json(&text).into_owned();
        keep(fitted, text);
        Ok(json)
    }

    /// Fits a text like [`Self::fit`], from its bytes in UTF-8.
    pub(crate) fn fit_bytes(&self, bytes: Vec<u8>, options: &str) -> Result<String, Refusal> {
        last::begin();
        self.fit(answer::text(bytes)?, options)
    }

    /// Returns the JSON of where the parts at JSON Pointers into the fitted value are, as [`places`] does.
    pub(crate) fn places(
        &self,
        text: &str,
        options: &str,
        pointers: &[String],
    ) -> Result<String, Refusal> {
        let fitted = fit_with(text, &self.compiled, &self.options(options)?)
            .map_err(|error| refusal::of_any(&error, text))?;
        Ok(places_in(fitted.value.root(), text, pointers))
    }

    pub(crate) fn options(&self, json: &str) -> Result<FitOptions, Refusal> {
        let options = fitting(&options::given(json)?)?;
        let coerce = if self.is_of_type { options.coerce.for_a_type() } else { options.coerce };
        Ok(FitOptions { coerce, ..options })
    }
}

/// What was done to the text and to its value.
#[derive(Serialize)]
struct FittedRow {
    #[serde(flatten)]
    report: ReportRow,
    coercions: Vec<Coercion>,
    violations: Vec<Violation>,
}

/// Keeps the report of a fitted value.
fn keep(fitted: Fitted, text: String) {
    let Fitted { report, coercions, mut violations, .. } = fitted;
    let mut outcome = Outcome { value: (), report, coercions };
    let flags = (outcome.is_unsure(), !violations.is_empty());
    let found = Found::of(&outcome.report);
    last::keep(flags, found, text, move |text| {
        let offsets = Offsets::new(text, UNIT);
        outcome.relocate(&mut |at| offsets.at(at));
        violations.relocate(&mut |at| offsets.at(at));
        let (class, doubt) = (outcome.class(), outcome.doubt(UNIT));
        let report = ReportRow::of(outcome.report, class, doubt);
        let row = FittedRow { report, coercions: outcome.coercions, violations };
        serde_json::to_string(&row).unwrap_or_default()
    });
}

/// Returns the JSON of where the parts at JSON Pointers are in a text: an offset and the next one for each.
pub(crate) fn places(text: &str, options: &str, pointers: &[String]) -> Result<String, Refusal> {
    options::with(options, |options| {
        let parsed = parse_with(text, options).map_err(|error| refusal::of_text(&error, text))?;
        Ok(places_in(parsed.value.root(), text, pointers))
    })
}

/// Returns where parts of a value are. A missing one is where the part around it is.
fn places_in(root: Node<'_>, text: &str, pointers: &[String]) -> String {
    let offsets = Offsets::new(text, UNIT);
    let place = |pointer: &String| {
        let outer = pointer.rmatch_indices('/').map(|(end, _)| &pointer[..end]);
        let mut paths = std::iter::once(pointer.as_str()).chain(outer);
        let span = paths.find_map(|path| root.pointer(path)).unwrap_or(root).span();
        [offsets.at(span.start), offsets.at(span.end)]
    };
    let found: Vec<_> = pointers.iter().map(place).collect();
    serde_json::to_string(&found).unwrap_or_default()
}

/// Returns the coercion that the options of calls name.
pub(crate) fn of_calls(given: &FitOptions) -> schema::Options {
    match &given.coerce {
        CoerceMode::On(options) => options.clone(),
        CoerceMode::Off => schema::Options {
            near: schema::NearMatch::Off,
            max_class: llmend::Class::Notation,
            max_depth: given.text.max_depth,
            ..schema::Options::default()
        },
    }
}

/// Parses a name, or returns the default.
pub(crate) fn named_or<T>(option: &str, name: Option<&str>) -> Result<T, Refusal>
where
    T: std::str::FromStr<Err: std::fmt::Display> + Default,
{
    name.map_or(Ok(T::default()), |name| named(option, name))
}
