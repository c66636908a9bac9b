//! Checks of coerced answers.

use std::collections::HashSet;

use llmend_json::{Class, Span};
use llmend_schema::{Coerced, CoercionKind, Options, Schema, coerce, validate};

use super::Case;
use super::oracle::Oracle;
use crate::data::Data;

/// Outcome for a damaged answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The expected value.
    Right,
    /// A refusal, or a violation at another place.
    Missed(String),
    /// A broken promise.
    Broken(String),
}

/// Parses the answer and coerces it with default options.
///
/// # Errors
/// Why the schema or the answer cannot be read.
pub fn coerced(case: &Case) -> Result<Coerced, String> {
    let schema = Schema::new(&case.schema).map_err(|error| error.to_string())?;
    let parsed = llmend_json::parse(&case.text).map_err(|error| error.to_string())?;
    Ok(coerce(&parsed.value, &schema, &Options::default()))
}

/// Checks that a valid answer is returned unchanged, without coercions and violations.
///
/// # Errors
/// What was done to it.
pub fn valid(case: &Case) -> Result<(), String> {
    let coerced = coerced(case)?;
    if let Some(violation) = coerced.violations.first() {
        return Err(format!("a violation at {:?}: {}", violation.path, violation.message));
    }
    if let Some(coercion) = coerced.coercions.first() {
        return Err(format!("{} at {:?}", coercion.kind.name(), coercion.path));
    }
    let (found, wanted) = (coerced.value.to_string(), case.instance.write());
    if found == wanted { Ok(()) } else { Err(format!("{found}\ninstead of {wanted}")) }
}

/// Checks that an unchanged value is valid if and only if the oracle accepts it.
///
/// # Errors
/// On what the two disagree.
pub fn judged(case: &Case) -> Result<(), String> {
    let schema = Schema::new(&case.schema).map_err(|error| error.to_string())?;
    let parsed = llmend_json::parse(&case.text).map_err(|error| error.to_string())?;
    let violations = validate(&parsed.value, &schema);
    match (Oracle::new(&case.schema)?.check(&case.text), violations.first()) {
        (Ok(()), Some(violation)) => Err(format!("{:?}: {}", violation.path, violation.message)),
        (Err(why), None) => Err(format!("no violation, but {why}")),
        _ => Ok(()),
    }
}

/// What holds of every outcome, right or not: what has no violations validates; what differs is on
/// record, and nothing else is; without being asked for it, nothing is lost.
///
/// # Errors
/// Which of these is broken.
pub fn always(schema: &serde_json::Value, value: &str, coerced: &Coerced) -> Result<(), String> {
    fits(schema, coerced)?;
    let found = coerced.value.to_string();
    let changed = Data::read(&found) != Data::read(value);
    match coerced.coercions.first() {
        None if changed => return Err(format!("{found} is not {value}, and nothing is on record")),
        Some(coercion) if !changed => {
            return Err(format!("{} is on record, and nothing changed", coercion.kind.name()));
        }
        _ => {}
    }
    let loss = coerced.coercions.iter().find(|coercion| coercion.class == Class::Loss);
    loss.map_or(Ok(()), |loss| Err(format!("a loss at {:?}", loss.path)))
}

/// Checks that a value without violations validates.
///
/// # Errors
/// What the oracle says of it.
pub fn fits(schema: &serde_json::Value, coerced: &Coerced) -> Result<(), String> {
    if !coerced.violations.is_empty() {
        return Ok(());
    }
    let found = coerced.value.to_string();
    Oracle::new(schema)?.check(&found).map_err(|why| format!("{found} is a success: {why}"))
}

/// Checks the spans and paths of coercions: the text at the span is `before`, and the coerced value
/// has a part at the path.
fn placed(text: &str, coerced: &Coerced) -> Result<(), String> {
    let strings: Vec<_> = (coerced.coercions.iter())
        .filter(|row| row.kind == CoercionKind::JsonInString)
        .filter_map(|row| row.span)
        .collect();
    for row in &coerced.coercions {
        let name = row.kind.name();
        if coerced.value.root().pointer(&row.path).is_none() {
            return Err(format!("{name} is on record at {:?}, where nothing is", row.path));
        }
        let Some(span) = row.span else { continue };
        let Some(found) = text.get(span.start..span.end) else {
            return Err(format!("{name} is on record at {span:?}, which is no place"));
        };
        let around = |outer: &&Span| outer.start <= span.start && span.end <= outer.end;
        let itself = usize::from(row.kind == CoercionKind::JsonInString);
        let is_plain =
            strings.iter().filter(around).count() == itself && !row.before.ends_with('…');
        if is_plain && Data::read(found) != Data::read(&row.before) {
            return Err(format!(
                "{name} is of {:?}, and at its place stands {found:?}",
                row.before
            ));
        }
    }
    Ok(())
}

/// Checks that a damaged answer is fully repaired.
#[must_use]
pub fn reversible(case: &Case) -> Outcome {
    let checked = || {
        let coerced = coerced(case)?;
        always(&case.schema, &plain(&case.text), &coerced)?;
        placed(&case.text, &coerced)?;
        Ok(coerced)
    };
    let coerced: Coerced = match checked() {
        Ok(coerced) => coerced,
        Err(broken) => return Outcome::Broken(broken),
    };
    if let Some(violation) = coerced.violations.first() {
        return Outcome::Missed(format!("{:?}: {}", violation.path, violation.message));
    }
    let found = coerced.value.to_string();
    match Data::read(&found) {
        Ok(value) if value.same(&case.instance) => Outcome::Right,
        _ => Outcome::Missed(format!("a success: {found}")),
    }
}

/// Checks that an answer beyond repair is not coerced, that nothing in it is invented, and that a
/// violation names the place.
#[must_use]
pub fn beyond(case: &Case) -> Outcome {
    let checked = || {
        let coerced = coerced(case)?;
        always(&case.schema, &plain(&case.text), &coerced)?;
        if coerced.violations.is_empty() {
            return Err(format!("a success: {}", coerced.value));
        }
        placed(&case.text, &coerced)?;
        invented(&case.text, &coerced)?;
        Ok(coerced)
    };
    let coerced: Coerced = match checked() {
        Ok(coerced) => coerced,
        Err(broken) => return Outcome::Broken(broken),
    };
    let Some(damage) = case.damages.first() else { return Outcome::Right };
    let names = |path: &str| {
        path == damage.path
            || path.starts_with(&format!("{}/", damage.path))
            || damage.also.iter().any(|also| also == path)
    };
    if coerced.violations.iter().any(|violation| names(&violation.path)) {
        return Outcome::Right;
    }
    let found: Vec<String> = (coerced.violations.iter())
        .map(|violation| format!("{:?}: {}", violation.path, violation.message))
        .collect();
    Outcome::Missed(found.join("; "))
}

/// Returns the text without white space.
fn plain(text: &str) -> String {
    Data::read(text).map_or_else(|_| text.to_owned(), |data| data.write())
}

/// Checks that every scalar is in the text, or was made by a recorded coercion.
fn invented(text: &str, coerced: &Coerced) -> Result<(), String> {
    let known: HashSet<String> =
        Data::read(text).map(|data| scalars(&data)).unwrap_or_default().into_iter().collect();
    let result = Data::read(&coerced.value.to_string())?;
    let recorded = |scalar: &String| {
        coerced.coercions.iter().any(|row| row.after.contains(scalar) || row.after.ends_with('…'))
    };
    match scalars(&result).iter().find(|scalar| !known.contains(*scalar) && !recorded(scalar)) {
        Some(scalar) => Err(format!("{scalar} is invented in {}", coerced.value)),
        None => Ok(()),
    }
}

fn scalars(data: &Data) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![data];
    while let Some(next) = open.pop() {
        match next {
            Data::List(items) => open.extend(items),
            Data::Map(members) => open.extend(members.iter().map(|(_, value)| value)),
            scalar => found.push(scalar.write()),
        }
    }
    found
}
