//! The checks of the fuzz targets: one function per target, from bytes to the broken promise.
//!
//! The targets in `fuzz/` and the replay in `tests/fuzz_replay.rs` call the same functions, so that what
//! a fuzzer finds is what a test then guards.
//!
//! | target | input | checks |
//! |---|---|---|
//! | [`repair`] | any text | every promise, under every policy, both choices and tight limits |
//! | [`strict`] | any text | without rules and search, exactly what the oracle accepts is accepted (G10) |
//! | [`typed`] | any text | types, values and places agree with what `serde_json` reads from the output |
//! | [`structured`] | a recipe | every promise, on a generated document that was edited, broken around its strings or cut off |
//! | [`stream`] | any text | fed in chunks, it comes to what the whole text gives (G10); views and events take nothing back |
//! | [`schema`] | a schema in one line, and a text | the value validates, or it is said why not; what differs is on record |
//! | [`growth`] | five pieces with bars between | work grows with the length of a text in which pieces are repeated (G7) |

mod recipe;
mod schema;
mod typed;

use llmend_json::{Choice, EmphasisInValues, Error, Options, Policy, RuleSet, Search};
use llmend_json::{parse_with, repair_with};

use crate::hostile::Parts;
use crate::promises::{
    self, Broken, atomic, check_all, check_policies, depth_of, is_valid_json, open_places, told,
};
use crate::random::Random;
use crate::stream::{Chunks, check_end, check_events, check_views};

pub use recipe::Recipe;

/// A target: its name, which is also the name of its folder of seeds, and its check.
pub type Target = (&'static str, fn(&[u8]) -> Result<(), Broken>);

/// Bytes of the shorter text whose work is measured.
const GROWTH_BYTES: usize = 10_000;

/// All targets.
pub const TARGETS: &[Target] = &[
    ("repair", repair),
    ("strict", strict),
    ("typed", typed),
    ("structured", structured),
    ("stream", stream),
    ("schema", schema),
    ("growth", growth),
];

/// The text in `data`; nothing is checked on bytes that are no text.
fn text_of(data: &[u8]) -> Option<&str> {
    llmend_json::decode(data).ok()
}

/// Feeds any text in chunks.
///
/// # Errors
/// Where the stream differs from the whole text, or takes something back.
pub fn stream(data: &[u8]) -> Result<(), Broken> {
    let Some(text) = text_of(data) else { return Ok(()) };
    let seed =
        data.iter().fold(0, |seed: u64, &byte| seed.wrapping_mul(31).wrapping_add(byte.into()));
    let ways = [Chunks::Of(1), Chunks::Of(7), Chunks::Random(seed)];
    let policies = [Policy::Standard, Policy::Lenient, Policy::Conservative, Policy::Strict];
    let check = |chunks| {
        check_end(text, &Options::default(), chunks)?;
        policies.into_iter().try_for_each(|policy| {
            let first = Options { choice: Choice::First, ..Options::policy(policy) };
            check_end(text, &first, chunks)?;
            check_views(text, &first, chunks)?;
            check_events(text, &first, chunks)
        })
    };
    ways.into_iter().try_for_each(check).map_err(|why| Broken { promise: "G10", why })
}

/// Holds the engine to every promise on any text.
///
/// # Errors
/// The first promise that is broken.
pub fn repair(data: &[u8]) -> Result<(), Broken> {
    let Some(text) = text_of(data) else { return Ok(()) };
    check_policies(text)?;
    let tight = Options { max_depth: 3, max_closers: 2, max_repairs: 5, ..Options::default() };
    // A search that is off and rules that are on: the text is the value, broken or not.
    let whole = Options { search: Search::Off, ..Options::default() };
    for (name, options) in [("tight limits", tight), ("no search", whole)] {
        check_all(text, &options)
            .map_err(|broken| Broken { why: format!("{} ({name})", broken.why), ..broken })?;
    }
    without_emphasis(text)
}

/// Marks of emphasis are taken off strings on request, off those of valid JSON too, one pair at a time.
/// Everything else is as it always is.
fn without_emphasis(text: &str) -> Result<(), Broken> {
    let options = Options { emphasis: EmphasisInValues::Strip, ..Options::policy(Policy::Lenient) };
    let name = |broken: Broken| Broken { why: format!("{} (emphasis)", broken.why), ..broken };
    if !text.contains(['*', '_']) {
        return check_all(text, &options).map_err(name);
    }
    match repair_with(text, &options) {
        Ok(repaired) if !is_valid_json(&repaired.text) => {
            Err(name(Broken { promise: "G2", why: format!("not JSON: {}", repaired.text) }))
        }
        _ => Ok(()),
    }
}

/// Holds the empty rule set without a search to the oracle, in every function that reads.
///
/// # Errors
/// G10, if they do not accept the same.
pub fn strict(data: &[u8]) -> Result<(), Broken> {
    let Some(text) = text_of(data) else { return Ok(()) };
    let valid = is_valid_json(text);
    let options = Options { max_depth: usize::MAX, ..Options::policy(Policy::Strict) };
    let bare = Options { rules: RuleSet::NONE, search: Search::Off, ..Options::default() };
    let bare = Options { max_depth: usize::MAX, choice: Choice::First, ..bare };
    for options in [&options, &bare] {
        let repaired = repair_with(text, options);
        let parsed = parse_with(text, options);
        agrees("repair_with", valid, repaired.as_ref().err())?;
        agrees("parse_with", valid, parsed.as_ref().err())?;
        if repaired.is_ok_and(|repaired| repaired.text != text) {
            return Err(Broken { promise: "G1", why: "valid JSON is changed".to_owned() });
        }
    }
    // A `serde_json` value is less deep than the text may be.
    if !valid || depth_of(text) < 1_000 {
        let direct = llmend_json::parse_to_serde_with(text, &options);
        agrees("parse_to_serde_with", valid, direct.err().as_ref())?;
    }
    // The limit of depth is exact.
    let depth = depth_of(text);
    if valid && depth > 0 {
        let exact = |max_depth| Options { max_depth, ..options.clone() };
        agrees("the depth that is allowed", true, repair_with(text, &exact(depth)).err().as_ref())?;
        agrees("a level less", false, repair_with(text, &exact(depth - 1)).err().as_ref())?;
    }
    Ok(())
}

fn agrees(who: &str, valid: bool, refusal: Option<&Error>) -> Result<(), Broken> {
    if refusal.is_none() == valid {
        return Ok(());
    }
    let why = match refusal {
        Some(error) => format!("{who} refuses what should pass: {error}"),
        None => format!("{who} accepts what should be refused"),
    };
    Err(Broken { promise: "G10", why })
}

/// Compares types, values and places with what `serde_json` reads from the repaired text.
///
/// # Errors
/// G6, if something differs.
pub fn typed(data: &[u8]) -> Result<(), Broken> {
    let Some(text) = text_of(data) else { return Ok(()) };
    for policy in [Policy::Strict, Policy::Standard] {
        typed::check(text, &Options::policy(policy))?;
    }
    Ok(())
}

/// Holds a text against a schema, which is the first line.
///
/// # Errors
/// When a success does not validate, or something differs that is not on record.
pub fn schema(data: &[u8]) -> Result<(), Broken> {
    text_of(data).map_or(Ok(()), schema::check)
}

/// Follows a recipe and holds the engine to every promise on what it makes.
///
/// # Errors
/// The first promise that is broken, with the text.
pub fn structured(data: &[u8]) -> Result<(), Broken> {
    let Some(recipe) = text_of(data).and_then(Recipe::read) else { return Ok(()) };
    let text = recipe.text();
    let check = || {
        check_all(&text, &Options::default())?;
        check_all(&text, &recipe.options)?;
        let mut random = Random::new(data.len() as u64);
        if !is_valid_json(&recipe.document) {
            return Ok(());
        }
        atomic(&recipe.document, &mut random)?;
        let places = open_places(&recipe.document);
        let at = places.get(random.below(places.len()));
        at.map_or(Ok(()), |&at| told(&recipe.document, at, &Options::default()))
    };
    check()
        .map_err(|broken: Broken| Broken { why: format!("{}\nin {text:?}", broken.why), ..broken })
}

/// Repeats pieces, and compares the work on the text with that on one four times as long.
///
/// # Errors
/// G7, if it grows faster than the text.
pub fn growth(data: &[u8]) -> Result<(), Broken> {
    let Some(text) = text_of(data) else { return Ok(()) };
    let parts = Parts::read(text);
    promises::growth(|size| parts.text(size), GROWTH_BYTES, &Options::default())
}
