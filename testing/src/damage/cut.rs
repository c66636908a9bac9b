//! Truncated documents.

use super::tokens::{Mean, Quote, Role, partial_string};
use super::work::{Kind, Stage, Work};
use crate::case::Verdict;
use crate::data::Data;
use crate::random::Random;

pub(crate) const KINDS: &[Kind] = &[
    Kind::new("cut-in-string", "truncated", Stage::Cut, |w, r| cut(w, r, in_string)),
    Kind::new("cut-in-key", "truncated", Stage::Cut, |w, r| cut(w, r, in_key)),
    Kind::new("cut-after-key", "truncated", Stage::Cut, |w, r| cut(w, r, after_key)),
    Kind::new("cut-after-colon", "truncated", Stage::Cut, |w, r| cut_before(w, r, after_colon)),
    Kind::new("cut-after-comma", "truncated", Stage::Cut, |w, r| cut_before(w, r, after_comma)),
    Kind::new("cut-after-value", "truncated", Stage::Cut, |w, r| cut(w, r, after_value)),
    Kind::new("cut-after-opener", "truncated", Stage::Cut, |w, r| cut_before(w, r, after_opener)),
    Kind::new("cut-in-number", "truncated", Stage::Cut, |w, r| cut(w, r, in_number)),
    Kind::new("cut-in-literal", "truncated", Stage::Cut, |w, r| cut(w, r, in_literal)),
    Kind::new("cut-in-escape", "truncated", Stage::Cut, in_escape),
    Kind::new("cut-in-white-space", "truncated", Stage::Cut, in_white_space),
    Kind::new("cut-anywhere", "truncated", Stage::Cut, |w, r| {
        cut(w, r, |w, i| !text_of(w, i).is_empty())
    }),
];

fn text_of(w: &Work, i: usize) -> &str {
    &w.tokens[i].text
}

fn is(w: &Work, i: usize, role: Role) -> bool {
    w.role(i) == Some(role)
}

fn in_string(w: &Work, i: usize) -> bool {
    w.string(i).is_some_and(|text| !text.is_empty())
}

fn in_key(w: &Work, i: usize) -> bool {
    w.is_key(i)
}

fn after_key(w: &Work, i: usize) -> bool {
    is(w, i, Role::Colon)
}

fn after_colon(w: &Work, i: usize) -> bool {
    is(w, i - 1, Role::Colon)
}

fn after_comma(w: &Work, i: usize) -> bool {
    is(w, i - 1, Role::Comma)
}

fn after_value(w: &Work, i: usize) -> bool {
    matches!(w.role(i), Some(Role::Comma | Role::Close))
}

fn after_opener(w: &Work, i: usize) -> bool {
    is(w, i - 1, Role::Open)
}

fn in_number(w: &Work, i: usize) -> bool {
    matches!(&w.tokens[i].mean, Mean::Value(Data::Number(n)) if n.len() > 1)
}

fn in_literal(w: &Work, i: usize) -> bool {
    matches!(w.tokens[i].mean, Mean::Value(Data::Bool(_) | Data::Null))
}

fn can_be_cut(w: &Work) -> bool {
    w.root_is_container() && !w.open_end && !w.open_start && w.tail.is_empty()
}

/// Cuts in or right before a token that `wanted` accepts. It stands behind everything that is locked,
/// so that a document with other damages keeps them.
fn cut(w: &mut Work, r: &mut Random, wanted: fn(&Work, usize) -> bool) -> bool {
    let Some(i) = token_to_cut(w, r, wanted) else { return false };
    let boundaries: Vec<usize> = w.tokens[i].text.char_indices().map(|(at, _)| at).collect();
    let inside = boundaries.len() > 1 && matches!(w.role(i), Some(Role::Key | Role::Scalar));
    let at = if inside { boundaries[r.between(1, boundaries.len() - 1)] } else { 0 };
    let keep_space = at > 0 || r.chance(40);
    cut_at(w, i, at, keep_space)
}

/// Cuts right before such a token.
fn cut_before(w: &mut Work, r: &mut Random, wanted: fn(&Work, usize) -> bool) -> bool {
    let Some(i) = token_to_cut(w, r, wanted) else { return false };
    let keep_space = r.chance(40);
    cut_at(w, i, 0, keep_space)
}

fn token_to_cut(w: &Work, r: &mut Random, wanted: fn(&Work, usize) -> bool) -> Option<usize> {
    let start = w.tokens.iter().rposition(|t| t.locked).map_or(1, |i| i + 1);
    let i = w.spot(r, |w, i| i >= start && i > 0 && wanted(w, i))?;
    (can_be_cut(w) && i >= start).then_some(i)
}

/// Cuts token `i` behind its first `at` bytes.
fn cut_at(w: &mut Work, i: usize, at: usize, keep_space: bool) -> bool {
    w.tokens.truncate(i + 1);
    let number_before = at == 0 && !keep_space && w.role(i - 1) == Some(Role::Scalar);
    let token = &mut w.tokens[i];
    token.text.truncate(at);
    if !keep_space {
        token.before.clear();
    }
    let complete = std::mem::replace(&mut token.mean, Mean::Nothing);
    token.others.clear();
    if at > 0 {
        let Some((mean, others)) = rest(&token.text, &complete, token.quote, token.role) else {
            return false;
        };
        token.mean = mean;
        token.others = others;
    }
    // A number that the text ends with may have had more digits.
    if number_before && let Mean::Value(Data::Number(_)) = w.tokens[i - 1].mean {
        w.tokens[i - 1].others.push(Mean::Absent);
    }
    // A key whose value is gone may also stay with null or an empty string.
    if at == 0
        && matches!(w.role(i - 1), Some(Role::Key | Role::Colon))
        && w.role(i) != Some(Role::Key)
    {
        let token = &mut w.tokens[i];
        token.mean = Mean::Absent;
        token.others = vec![Mean::Value(Data::Null), Mean::Value(Data::text(""))];
        if token.role == Role::Open {
            token.role = Role::Scalar;
        }
    } else if at == 0 {
        // Brackets that were cut off do nothing; the value closes by itself.
        w.tokens[i].role = Role::Comma;
    }
    // Where nothing at all is left, a refusal is as honest as an empty object.
    let nothing =
        matches!(super::tokens::value(&w.tokens, &[]), Some(Data::Map(m)) if m.is_empty());
    let empty = matches!(super::tokens::value(&w.tokens, &[]), Some(Data::List(l)) if l.is_empty());
    if (nothing || empty) && w.verdict == Verdict::Value {
        w.verdict = Verdict::Ambiguous;
    }
    w.cut = Some(true);
    w.open_end = true;
    let end = w.len() - 1;
    w.lock(0, end);
    true
}

/// What the first bytes of a token mean, and what else they may be taken for.
fn rest(text: &str, complete: &Mean, quote: Quote, role: Role) -> Option<(Mean, Vec<Mean>)> {
    match complete {
        Mean::Key(_) => Some((Mean::Absent, Vec::new())),
        Mean::Value(Data::Text(_)) if quote == Quote::Double => {
            let kept = partial_string(&text[1..]);
            let mut others = vec![Mean::Absent];
            let trimmed = kept.trim_end().to_owned();
            if trimmed != kept {
                others.push(Mean::Value(Data::Text(trimmed)));
            }
            if kept.is_empty() {
                others.push(Mean::Value(Data::Null));
            }
            Some((Mean::Value(Data::Text(kept)), others))
        }
        Mean::Value(Data::Number(_)) => {
            let mut number = text;
            while Data::read(number).is_err() && !number.is_empty() {
                number = &number[..number.len() - 1];
            }
            let null = Mean::Value(Data::Null);
            if number.is_empty() {
                return Some((Mean::Absent, vec![null, Mean::Value(Data::number(0))]));
            }
            Some((Mean::Value(Data::number(number)), vec![Mean::Absent, null]))
        }
        Mean::Value(literal @ (Data::Bool(_) | Data::Null)) => {
            Some((Mean::Value(literal.clone()), vec![Mean::Absent, Mean::Value(Data::Null)]))
        }
        _ if role == Role::Scalar => None,
        _ => Some((Mean::Nothing, Vec::new())),
    }
}

/// Behind a backslash, inside `\u00`, or between the halves of a pair.
fn in_escape(w: &mut Work, r: &mut Random) -> bool {
    let start = w.tokens.iter().rposition(|t| t.locked).map_or(1, |i| i + 1);
    if !can_be_cut(w) {
        return false;
    }
    let Some(i) = w.spot(r, |w, i| i >= start && i > 0 && w.string(i).is_some()) else {
        return false;
    };
    let escape = r.pick(&["\\", "\\u", "\\u00", "\\ud83d", "\\ud83d\\ud", "\\u20"]);
    let words = crate::words::plain(r, 3);
    w.tokens[i].text = format!("\"{words} {escape}\"");
    let at = w.tokens[i].text.len() - 1;
    cut_at(w, i, at, true)
}

/// The model lost its way in white space behind a comma, a colon or a bracket.
fn in_white_space(w: &mut Work, r: &mut Random) -> bool {
    let start = w.tokens.iter().rposition(|t| t.locked).map_or(1, |i| i + 1);
    if !can_be_cut(w) {
        return false;
    }
    let Some(i) =
        w.spot(r, |w, i| i >= start && i > 0 && (after_comma(w, i) || after_opener(w, i)))
    else {
        return false;
    };
    let size = r.between(30, 400);
    w.tokens[i].before = r.pick(&[" ", "\n", "\n  ", "\t"]).repeat(size);
    cut_at(w, i, 0, true)
}
