//! Damage to answers with calls: to their JSON, by the generator of damaged documents, and to what
//! is around it.

use super::{Answer, Written, write};
use crate::random::Random;

/// A damaged answer.
#[derive(Clone, Debug)]
pub struct Damaged {
    /// The answer as it was meant.
    pub answer: Answer,
    /// The text, with the places of the answer before the damage to its frame.
    pub written: Written,
    /// The damage.
    pub kind: &'static str,
    /// The damage to the JSON.
    pub kinds: Vec<&'static str>,
    /// Where the text is cut off.
    pub cut: Option<usize>,
}

/// Generates the damaged answer with this index in a notation.
#[must_use]
pub fn damaged(notation: &'static str, seed: u64, index: usize) -> Damaged {
    let answer = Answer::generate(notation, seed, index);
    let mut r = Random::new(answer.style ^ 0xda_3a9e);
    let whole = answer.write();
    for _ in 0..20 {
        let kind = match r.below(100) {
            0..45 if whole.values > 0 => "json",
            0..45 => "literal",
            45..65 => "cut",
            65..75 => "closer dropped",
            75..83 => "opener dropped",
            83..91 => "closer doubled",
            _ => "quote or bracket dropped",
        };
        let mut damaged = Damaged {
            answer: answer.clone(),
            written: whole.clone(),
            kind,
            kinds: Vec::new(),
            cut: None,
        };
        if apply(&mut damaged, &mut r) && damaged.written.text != whole.text {
            return damaged;
        }
    }
    Damaged { answer, written: whole, kind: "none", kinds: Vec::new(), cut: None }
}

fn apply(damaged: &mut Damaged, r: &mut Random) -> bool {
    let text = damaged.written.text.clone();
    let written = &damaged.written;
    let within =
        |spans: &[std::ops::Range<usize>], at: usize| spans.iter().any(|span| span.contains(&at));
    let inside = |at: usize| within(&written.calls, at) && !within(&written.inner, at);
    match damaged.kind {
        "json" => {
            let value = r.below(damaged.written.values);
            let written = write::write(&damaged.answer, Some((value, r.bits())));
            damaged.kinds.clone_from(&written.kinds);
            damaged.written = written;
            !damaged.kinds.is_empty()
        }
        "literal" => {
            // The first place that is found, of all of a random kind.
            let (from, to) = *r.one(&[
                (")", ",)"),
                ("True", "true"),
                ("False", "FALSE"),
                ("None", "null"),
                ("=", ": "),
                ("=", " = "),
                (", ", ",, "),
                (")", "))"),
                ("(", "(("),
                (", ", " "),
                (":", "="),
                ("}", "}}"),
                ("{", "{{"),
            ]);
            let places: Vec<usize> =
                text.match_indices(from).map(|(at, _)| at).filter(|at| inside(*at)).collect();
            let Some(&at) = places.get(r.below(places.len())) else { return false };
            damaged.written.text = format!("{}{to}{}", &text[..at], &text[at + from.len()..]);
            true
        }
        "cut" => {
            let first = damaged.written.calls.first().map_or(0, |call| call.start);
            let first = first.saturating_sub(12);
            let mut at = r.between(first, text.len().saturating_sub(1));
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            damaged.written.text.truncate(at);
            damaged.cut = Some(at);
            true
        }
        "quote or bracket dropped" => {
            // Without a comma, numbers and strings in a row are others that are as good.
            let marks = ['"', '\'', '{', '}', '[', ']', '(', ')', '<', '>', ':'];
            let places: Vec<usize> =
                text.match_indices(marks).map(|(at, _)| at).filter(|at| inside(*at)).collect();
            let Some(&at) = places.get(r.below(places.len())) else { return false };
            damaged.written.text.remove(at);
            true
        }
        kind => {
            let closes = kind != "opener dropped";
            let marks: Vec<_> =
                damaged.written.marks.iter().filter(|mark| mark.closes == closes).collect();
            let Some(mark) = marks.get(r.below(marks.len())) else { return false };
            let twice = if kind == "closer doubled" {
                text[mark.span.clone()].repeat(2)
            } else {
                String::new()
            };
            damaged.written.text =
                format!("{}{twice}{}", &text[..mark.span.start], &text[mark.span.end..]);
            true
        }
    }
}
