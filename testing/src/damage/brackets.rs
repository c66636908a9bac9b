//! Damage to brackets.

use super::tokens::{Mean, Role};
use super::work::{Kind, Stage, Work};
use crate::data::Data;
use crate::random::Random;
use crate::words;

pub(crate) const KINDS: &[Kind] = &[
    Kind::new("missing-closers-at-end", "brackets", Stage::Cut, missing_closers_at_end),
    Kind::new("missing-inner-closer", "brackets", Stage::Local, missing_inner_closer),
    Kind::new("missing-bracket-mid", "brackets", Stage::Local, missing_bracket_mid),
    Kind::new("missing-brace-between-objects", "brackets", Stage::Local, missing_brace_mid),
    Kind::new("missing-closing-line", "brackets", Stage::Local, missing_closing_line),
    Kind::new("wrong-closer", "brackets", Stage::Local, wrong_closer),
    Kind::new("stray-closer-mid", "brackets", Stage::Local, stray_closer_mid),
    Kind::new("stray-brace-in-array", "brackets", Stage::Local, stray_brace_in_array),
    Kind::new("root-closed-early", "brackets", Stage::Local, root_closed_early),
    Kind::new("extra-closer-at-end", "brackets", Stage::Local, extra_closer_at_end),
    Kind::new("missing-outer-braces", "brackets", Stage::Local, missing_outer_braces),
    Kind::new("lost-opening-brace", "multi", Stage::Local, lost_opening_brace),
    Kind::new("pairs-in-array", "brackets", Stage::Local, pairs_in_array).planting(plant_pairs),
    Kind::new("python-tuple", "single_quotes", Stage::Local, |w, r| round_list(w, r, "(", ")"))
        .planting(plant_list),
    Kind::new("python-set", "single_quotes", Stage::Local, |w, r| round_list(w, r, "{", "}"))
        .planting(plant_list),
];

fn plant_pairs(members: &mut Vec<(String, Data)>, r: &mut Random) {
    let size = r.between(2, 4);
    let items = (0..size)
        .map(|i| {
            let key = format!("{}_{i}", words::noun(r));
            Data::Map(vec![(key, super::document::number(r))])
        })
        .collect();
    members.push(("pairs".to_owned(), Data::List(items)));
}

fn plant_list(members: &mut Vec<(String, Data)>, r: &mut Random) {
    let size = r.between(2, 5);
    let words = r.chance(50);
    let item =
        |r: &mut Random| if words { Data::text(words::noun(r)) } else { Data::number(r.below(90)) };
    members.push(("group".to_owned(), Data::List((0..size).map(|_| item(r)).collect())));
}

/// How many closers stand at the very end.
fn closers_at_end(w: &Work) -> usize {
    w.tokens.iter().rev().take_while(|t| t.role == Role::Close).count()
}

/// The text ends behind the last value. How many closers are left makes no difference to the value
/// as long as those that are left fit.
fn missing_closers_at_end(w: &mut Work, r: &mut Random) -> bool {
    let all = closers_at_end(w);
    let n = w.len();
    if all == 0 || n <= all || !w.tail.is_empty() || w.open_start || !w.free(n - all - 1, n - 1) {
        return false;
    }
    let gone = r.between(1, all);
    let keep_space = r.chance(30);
    for token in &mut w.tokens[n - gone..] {
        token.text.clear();
        if !keep_space {
            token.before.clear();
        }
    }
    w.lock(n - all - 1, n - 1);
    w.open_end = true;
    w.cut = Some(true);
    true
}

/// `{"a":[1,2}`: the outer closer shows that the inner one is missing.
fn missing_inner_closer(w: &mut Work, r: &mut Random) -> bool {
    let place = w.spot(r, |w, i| {
        w.is_filled_close(i)
            && w.role(i + 1) == Some(Role::Close)
            && w.tokens[i].list != w.tokens[i + 1].list
            && w.free(i - 1, i + 1)
    });
    let Some(i) = place else { return false };
    w.tokens[i].text.clear();
    w.lock(i - 1, i + 1);
    true
}

/// `{"a":[1,2,"b":3}`: a key and a colon cannot stand in an array. The last item is no string, since
/// `"x", "b": 3` in an array can also be a pair that wants braces of its own.
fn missing_bracket_mid(w: &mut Work, r: &mut Random) -> bool {
    let place = w.spot(r, |w, i| {
        w.is_filled_close(i)
            && w.tokens[i].list
            && w.role(i + 1) == Some(Role::Comma)
            && w.is_key(i + 2)
            && w.free(i - 1, i + 3)
            && (w.role(i - 1) == Some(Role::Close) || w.string(i - 1).is_none())
    });
    let Some(i) = place else { return false };
    w.tokens[i].text.clear();
    if !w.tokens[i].before.contains('\n') {
        w.tokens[i].before.clear();
    }
    w.lock(i - 1, i + 3);
    true
}

/// `[{"a":1,{"a":2}]`: a brace cannot stand where a key belongs.
fn missing_brace_mid(w: &mut Work, r: &mut Random) -> bool {
    let place = w.spot(r, |w, i| {
        w.is_filled_close(i)
            && !w.tokens[i].list
            && w.role(i + 1) == Some(Role::Comma)
            && w.role(i + 2) == Some(Role::Open)
            && !w.tokens[i + 2].list
            && w.free(i - 1, i + 3)
    });
    let Some(i) = place else { return false };
    w.tokens[i].text.clear();
    w.lock(i - 1, i + 3);
    true
}

/// A line that closes a container is left out, its comma with it or not. By the brackets alone, the
/// members behind it could as well be inside; the lines and columns of the others tell.
fn missing_closing_line(w: &mut Work, r: &mut Random) -> bool {
    let on_line = |w: &Work, i: usize| w.tokens[i].before.contains('\n');
    let place = w.spot(r, |w, i| {
        let open = w.tokens[i].link;
        let closes = w.role(i) == Some(Role::Close) && i > open + 1 && open > 0;
        let member = w.role(i + 1) == Some(Role::Comma)
            && w.role(i + 2).is_some()
            && on_line(w, i + 2)
            && (w.is_key(i + 2)
                || (w.role(i + 2) == Some(Role::Open)
                    && !w.tokens[i].list
                    && !w.tokens[i + 2].list));
        let closer = w.role(i + 1) == Some(Role::Close) && on_line(w, i + 1);
        closes && on_line(w, i) && (member || closer) && w.free(i - 1, i + 2)
    });
    let Some(i) = place else { return false };
    let gone = if w.role(i + 1) == Some(Role::Comma) && r.chance(50) { i + 1 } else { i };
    for token in &mut w.tokens[i..=gone] {
        token.text.clear();
        token.before.clear();
    }
    if (i..w.len()).all(|k| w.role(k) == Some(Role::Close)) {
        // Nothing but closers follows: any of them may be the one that is missing.
        w.cut = None;
    }
    w.lock(i - 1, i + 2);
    true
}

fn wrong_closer(w: &mut Work, r: &mut Random) -> bool {
    let Some(i) = w.spot(r, |w, i| w.is_filled_close(i) && w.free(i - 1, i)) else { return false };
    let other = match (w.tokens[i].list, r.below(4)) {
        (_, 0) => ")",
        (true, _) => "}",
        (false, _) => "]",
    };
    other.clone_into(&mut w.tokens[i].text);
    let end = (i + 2).min(w.len() - 1);
    w.lock(i - 1, end);
    true
}

/// `{"a":{"b":1}},"c":2}`. Only right below the root: deeper down, the surplus brace could as well
/// close the parent, and the members behind it would change their place.
fn stray_closer_mid(w: &mut Work, r: &mut Random) -> bool {
    let place = w.spot(r, |w, i| {
        w.role(i) == Some(Role::Close)
            && w.tokens[i].depth == 1
            && w.role(i + 1) == Some(Role::Comma)
            && w.is_key(i + 2)
            && w.free(i, i + 3)
    });
    let Some(i) = place else { return false };
    let same = w.tokens[i].text.clone();
    w.tokens[i].text.push_str(&same);
    w.lock(i, i + 3);
    true
}

/// `[{"a":1}},{"a":2}]`
fn stray_brace_in_array(w: &mut Work, r: &mut Random) -> bool {
    let place = w.spot(r, |w, i| {
        w.role(i) == Some(Role::Close)
            && !w.tokens[i].list
            && w.role(i + 1) == Some(Role::Comma)
            && w.tokens[i + 1].list
            && w.role(i + 2) == Some(Role::Open)
            && w.free(i, i + 2)
    });
    let Some(i) = place else { return false };
    w.tokens[i].text.push('}');
    w.lock(i, i + 2);
    true
}

/// `{"a":1},"c":2}`
fn root_closed_early(w: &mut Work, r: &mut Random) -> bool {
    let place = w.spot(r, |w, i| {
        w.is_member(i)
            && w.tokens[i].depth == 1
            && w.role(i + 1) == Some(Role::Comma)
            && w.is_key(i + 2)
            && w.free(i, i + 3)
    });
    let Some(i) = place else { return false };
    w.tokens[i].text.push('}');
    w.lock(i - 2, i + 3);
    true
}

fn extra_closer_at_end(w: &mut Work, r: &mut Random) -> bool {
    if !w.root_is_container()
        || !w.tail.is_empty()
        || w.open_end
        || w.open_start
        || !w.free(w.len() - 1, w.len() - 1)
    {
        return false;
    }
    r.pick(&["}", "]", "}}", "]}", "\n}", " }"]).clone_into(&mut w.tail);
    true
}

/// Without the first brace only pairs as JSON has them show that there was one.
fn has_plain_pairs(w: &Work) -> bool {
    (0..w.len()).all(|i| match w.role(i) {
        Some(Role::Key) => w.is_key(i),
        Some(Role::Colon) => w.tokens[i].text == ":",
        _ => true,
    })
}

/// All keys are quoted and there are at least two: one pair alone could be a line of prose.
fn missing_outer_braces(w: &mut Work, _: &mut Random) -> bool {
    let last = w.len() - 1;
    if !w.root_members(2)
        || !has_plain_pairs(w)
        || !w.tail.is_empty()
        || w.open_end
        || !w.free(0, 1)
        || !w.free(last - 1, last)
    {
        return false;
    }
    w.tokens[0].text.clear();
    w.tokens[last].text.clear();
    w.lock(0, 1);
    w.lock(last - 1, last);
    (w.open_end, w.open_start, w.cut) = (true, true, None);
    true
}

/// What is left of an answer whose first brace was given to the model.
fn lost_opening_brace(w: &mut Work, _: &mut Random) -> bool {
    if !w.root_members(2)
        || !has_plain_pairs(w)
        || !w.tail.is_empty()
        || w.open_end
        || !w.free(0, 1)
    {
        return false;
    }
    w.tokens[0].text.clear();
    w.lock(0, 1);
    w.open_start = true;
    true
}

/// `["a": 1, "b": 2]`: an object each; one object for all is as good, in the list or in place of it.
fn pairs_in_array(w: &mut Work, r: &mut Random) -> bool {
    let is_pair = |w: &Work, open: usize| {
        let close = w.tokens[open].link;
        w.role(open) == Some(Role::Open)
            && !w.tokens[open].list
            && close == open + 4
            && w.free(open, close)
            && w.is_key(open + 1)
            && w.role(open + 3) == Some(Role::Scalar)
    };
    let place = w.spot(r, |w, i| {
        let close = w.tokens[i].link;
        w.role(i) == Some(Role::Open)
            && w.tokens[i].list
            && close > i + 1
            && w.free(i, close)
            && (i + 1..close).step_by(6).all(|open| is_pair(w, open))
    });
    let Some(i) = place else { return false };
    let close = w.tokens[i].link;
    for open in (i + 1..close).step_by(6) {
        for k in [open, open + 4] {
            w.tokens[k].text.clear();
        }
        w.tokens[open + 1].before.clear();
        w.tokens[open + 4].before.clear();
    }
    let one: Vec<usize> =
        (i + 5..close - 1).filter(|k| (k - i - 1) % 6 >= 4 || (k - i - 1) % 6 == 0).collect();
    w.without.push([&[i], &one[..], &[close]].concat());
    w.without.push(one);
    w.lock(i, close);
    true
}

fn round_list(w: &mut Work, r: &mut Random, left: &str, right: &str) -> bool {
    let place = w.spot(r, |w, i| {
        let close = w.tokens[i].link;
        w.role(i) == Some(Role::Open)
            && w.tokens[i].list
            && i > 0
            && close > i + 3
            && w.free(i - 1, close)
            && (i + 1..close).all(|k| matches!(w.role(k), Some(Role::Scalar | Role::Comma)))
            && (i + 1..close).all(|k| w.tokens[k].mean != Mean::Value(Data::Null))
    });
    let Some(i) = place else { return false };
    let close = w.tokens[i].link;
    left.clone_into(&mut w.tokens[i].text);
    right.clone_into(&mut w.tokens[close].text);
    w.lock(i - 1, close);
    true
}
