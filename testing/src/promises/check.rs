//! Checks of all promises on a text, under given options.

use std::borrow::Cow;

use llmend_json::{
    Choice, ErrorKind, Options, Origin, Policy, Repair, Repaired, Rule, RuleSet, Search, Span,
    Status, apply, parse_to_serde_with, parse_with, repair_with,
};

use super::broken::{Broken, holds};
use super::{account, depth_of, is_valid_json};
use crate::case::Case;
use crate::data::Data;

/// Checks G1 to G4, G6 and G8 to G10 on one text, and the limits of G7.
///
/// # Errors
/// The first promise that is broken.
pub fn check_all(text: &str, options: &Options) -> Result<(), Broken> {
    let valid = is_valid_json(text);
    let result = repair_with(text, options);
    if valid {
        let fits = text.len() <= options.max_bytes && depth_of(text) <= options.max_depth;
        if !fits {
            return check_limits(text, options);
        }
        unchanged("G1", text, options)?;
    }
    strict(text, valid, options)?;
    let Ok(repaired) = &result else {
        return holds("G2", parse_with(text, options).is_err(), || {
            "repair refused and parse did not".to_owned()
        });
    };
    let out = repaired.text.as_ref();
    holds("G2", is_valid_json(out), || format!("not JSON: {out}"))?;
    holds("G7", depth_of(out) <= options.max_depth + 1, || {
        format!("deeper than the limit: {}", depth_of(out))
    })?;
    agree(text, out, options)?;
    // A list made of several documents is one level deeper than each of them.
    if depth_of(out) <= options.max_depth {
        unchanged("G3", out, options)?;
    }
    repairs(text, repaired, options)?;
    account::accounted(text, repaired)?;
    cut(text, repaired)
}

/// Checks a text under every policy and each choice of one value.
///
/// # Errors
/// The first promise that is broken, with the policy.
pub fn check_policies(text: &str) -> Result<(), Broken> {
    for policy in Policy::ALL {
        for choice in [Choice::Best, Choice::First, Choice::Last] {
            let mut options = Options::policy(policy);
            options.choice = choice;
            check_all(text, &options).map_err(|broken| Broken {
                why: format!("{} ({policy}, {})", broken.why, choice.as_str()),
                ..broken
            })?;
        }
    }
    Ok(())
}

/// Checks a generated case: all promises, and that a cut is flagged and nothing else is.
///
/// # Errors
/// The first promise that is broken.
pub fn check_case(case: &Case) -> Result<(), Broken> {
    let options = Options::default();
    check_all(&case.input, &options)?;
    match (case.cut, repair_with(&case.input, &options)) {
        (Some(true), Ok(repaired)) => holds("G9", repaired.report.truncated(), || {
            "the text was cut off, and nothing says so".to_owned()
        }),
        _ => Ok(()),
    }
}

fn unchanged(promise: &'static str, text: &str, options: &Options) -> Result<(), Broken> {
    let repaired = repair_with(text, options)
        .map_err(|error| Broken { promise, why: format!("valid JSON is refused: {error}") })?;
    holds(promise, repaired.text == text, || format!("valid JSON becomes {}", repaired.text))?;
    holds(promise, matches!(repaired.text, Cow::Borrowed(_)), || {
        "valid JSON is copied".to_owned()
    })?;
    holds(promise, repaired.report.repairs.is_empty(), || {
        format!("repairs of valid JSON: {:?}", repaired.report.repairs)
    })?;
    holds(promise, repaired.report.status == Status::Unchanged, || {
        format!("status {:?}", repaired.report.status)
    })?;
    holds(promise, repaired.report.class.is_none(), || {
        format!("class {:?}", repaired.report.class)
    })?;
    holds(promise, !repaired.report.truncated(), || "valid JSON is said to be cut off".to_owned())
}

/// Valid JSON beyond a limit is refused with the code of that limit.
fn check_limits(text: &str, options: &Options) -> Result<(), Broken> {
    let kind = repair_with(text, options).err().map(|error| error.kind());
    let named = matches!(kind, Some(ErrorKind::Depth | ErrorKind::Bytes));
    // With a search, the depth limit may be met inside a candidate that is then given up.
    holds("G7", named || options.search == Search::On && kind.is_some(), || {
        format!("beyond a limit, and the result is {kind:?}")
    })
}

/// G10: the empty rule set without a search is the oracle.
fn strict(text: &str, valid: bool, options: &Options) -> Result<(), Broken> {
    let mut bare = options.clone();
    bare.rules = RuleSet::NONE;
    bare.search = Search::Off;
    let accepted = repair_with(text, &bare).is_ok();
    holds("G10", accepted == valid, || format!("strict says {accepted}, the oracle says {valid}"))
}

/// Text, value and `serde_json` value are the same, number by number and key by key.
fn agree(text: &str, out: &str, options: &Options) -> Result<(), Broken> {
    let parsed = parse_with(text, options).map_err(|error| Broken {
        promise: "G2",
        why: format!("repair gives text and parse refuses: {error}"),
    })?;
    let shown = parsed.value.to_string();
    if let Ok(wanted) = Data::read(out) {
        let read = Data::read(&shown)
            .map_err(|why| Broken { promise: "G2", why: format!("{why} in {shown}") })?;
        holds("G6", read == wanted, || format!("text {out}, value {shown}"))?;
    }
    if depth_of(out) < 100
        && let Ok(wanted) = serde_json::from_str::<serde_json::Value>(out)
    {
        let (direct, _) = parse_to_serde_with(text, options).map_err(|error| Broken {
            promise: "G2",
            why: format!("parse_to_serde_with refuses: {error}"),
        })?;
        holds("G6", alike(&direct, &wanted), || format!("text {out}, direct value {direct}"))?;
        let converted = parsed.value.to_serde();
        holds("G6", alike(&converted.value, &wanted), || {
            format!("text {out}, converted value {}", converted.value)
        })?;
    }
    Ok(())
}

/// Equality that lets the last digits of a fraction differ: `serde_json` rounds fast, not always to
/// the nearest number.
fn alike(a: &serde_json::Value, b: &serde_json::Value) -> bool {
    use serde_json::Value::{Array, Number, Object};
    match (a, b) {
        (Number(a), Number(b)) => {
            a == b
                || a.as_f64().zip(b.as_f64()).is_some_and(|(a, b)| (a - b).abs() <= a.abs() * 1e-12)
        }
        (Array(a), Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alike(a, b)),
        (Object(a), Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| alike(a, b)))
        }
        _ => a == b,
    }
}

/// G4 and G8.
fn repairs(text: &str, repaired: &Repaired<'_>, options: &Options) -> Result<(), Broken> {
    let report = &repaired.report;
    let candidate = report.candidate.span;
    let in_text = |span: Span| {
        span.start <= span.end
            && span.end <= text.len()
            && text.is_char_boundary(span.start)
            && text.is_char_boundary(span.end)
    };
    holds("G4", in_text(candidate), || format!("candidate {candidate:?} is not in the text"))?;
    for repair in &report.repairs {
        let span = repair.span;
        holds("G4", in_text(span) && candidate.contains(span), || {
            format!("{repair:?} is outside of {candidate:?}")
        })?;
        holds("G4", span.of(text) != repair.replacement, || format!("{repair:?} changes nothing"))?;
        holds("G8", options.rules.contains(repair.rule), || {
            format!("{repair:?} is by a rule that is off")
        })?;
    }
    for pair in report.repairs.windows(2) {
        let [a, b] = pair else { continue };
        let order =
            (a.span.start, a.span.end) <= (b.span.start, b.span.end) && a.span.end <= b.span.start;
        holds("G4", order, || format!("{a:?} and {b:?} are out of order or overlap"))?;
        let removal = |r: &Repair| r.replacement.is_empty();
        let apart = a.rule != b.rule || a.span.end != b.span.start || !removal(a) || !removal(b);
        holds("G7", apart, || format!("{a:?} and {b:?} were not joined"))?;
    }
    let applied = apply(text, candidate, &report.repairs);
    holds("G4", applied == repaired.text, || {
        format!("the repairs give {applied}, the text is {}", repaired.text)
    })?;
    let gravest = report.repairs.iter().map(Repair::class).max();
    holds("G8", report.class >= gravest, || {
        format!("class {:?}, gravest repair {gravest:?}", report.class)
    })?;
    let status = if !report.repairs.is_empty() {
        Status::Repaired
    } else if repaired.text == text {
        Status::Unchanged
    } else {
        Status::Extracted
    };
    holds("G4", report.status == status, || {
        format!("status {:?} where {status:?} is right", report.status)
    })
}

/// G9: closers that the end of the text lacks are a cut, and a cut has a place.
fn cut(text: &str, repaired: &Repaired<'_>) -> Result<(), Broken> {
    let report = &repaired.report;
    if let Some(at) = report.cut {
        holds("G9", text.is_char_boundary(at), || format!("the cut at {at} is not in the text"))?;
    }
    let end = text.trim_end().len();
    let closed = report.candidate.origin != Origin::Unbraced
        && report.repairs.iter().any(|r| r.rule == Rule::MissingCloser && r.span.start >= end);
    holds("G9", !closed || report.truncated(), || {
        "closers were added at the end, and nothing says that it was cut off".to_owned()
    })
}
