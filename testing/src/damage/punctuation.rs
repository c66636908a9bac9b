//! Damage to commas and colons, and missing values.

use super::tokens::{Layout, Mean, Quote, Role};
use super::work::{Kind, Stage, Work};
use crate::data::Data;
use crate::random::Random;

pub(crate) const KINDS: &[Kind] = &[
    Kind::new("trailing-comma", "commas", Stage::Local, trailing_comma),
    Kind::new("trailing-comma-everywhere", "commas", Stage::Local, trailing_commas),
    Kind::new("comma-after-root", "commas", Stage::Local, comma_after_root),
    Kind::new("double-comma", "commas", Stage::Local, double_comma),
    Kind::new("leading-comma", "commas", Stage::Local, leading_comma),
    Kind::new("missing-comma-member", "commas", Stage::Local, missing_comma_member),
    Kind::new("missing-comma-newline", "commas", Stage::Local, missing_comma_newline),
    Kind::new("missing-comma-items", "commas", Stage::Local, missing_comma_items),
    Kind::new("missing-comma-objects", "commas", Stage::Local, missing_comma_containers),
    Kind::new("no-commas-at-all", "commas", Stage::Style, no_commas),
    Kind::new("semicolon", "commas", Stage::Local, semicolon),
    Kind::new("semicolons-everywhere", "commas", Stage::Style, semicolons),
    Kind::new("missing-colon", "missing_value", Stage::Local, missing_colon),
    Kind::new("equals-for-colon", "unquoted", Stage::Style, |w, r| colons(w, r, &["=", " = "])),
    Kind::new("arrow-for-colon", "unquoted", Stage::Style, |w, r| colons(w, r, &["=>", " => "])),
    Kind::new("one-equals", "unquoted", Stage::Local, one_equals),
    Kind::new("missing-value", "missing_value", Stage::Local, missing_value),
    Kind::new("missing-value-and-comma", "missing_value", Stage::Local, missing_value_and_comma),
    Kind::new("key-only", "missing_value", Stage::Local, key_only),
    Kind::new("ellipsis-at-end", "ellipsis", Stage::Local, ellipsis_at_end),
    Kind::new("ellipsis-between-items", "ellipsis", Stage::Local, ellipsis_between),
];

fn trailing_comma(w: &mut Work, r: &mut Random) -> bool {
    let Some(i) = w.spot(r, |w, i| w.is_filled_close(i) && w.free(i - 1, i)) else { return false };
    let close = &mut w.tokens[i];
    close.before = format!(",{}", close.before);
    w.lock(i - 1, i);
    true
}

fn trailing_commas(w: &mut Work, _: &mut Random) -> bool {
    let places: Vec<usize> =
        (0..w.len()).filter(|&i| w.is_filled_close(i) && w.free(i - 1, i)).collect();
    for &i in &places {
        let close = &mut w.tokens[i];
        close.before = format!(",{}", close.before);
    }
    for &i in &places {
        w.lock(i - 1, i);
    }
    !places.is_empty()
}

fn comma_after_root(w: &mut Work, r: &mut Random) -> bool {
    if !w.root_is_container() || !w.tail.is_empty() || w.open_end {
        return false;
    }
    r.pick(&[",", ";", ", "]).clone_into(&mut w.tail);
    true
}

fn double_comma(w: &mut Work, r: &mut Random) -> bool {
    let place = w.spot(r, |w, i| w.role(i) == Some(Role::Comma) && w.free(i - 1, i + 1));
    let Some(i) = place else { return false };
    w.tokens[i].text = (*r.pick(&[",,", ", ,", ",,,"])).to_owned();
    w.lock(i - 1, i + 1);
    true
}

fn leading_comma(w: &mut Work, r: &mut Random) -> bool {
    let place = w.spot(r, |w, i| {
        w.role(i) == Some(Role::Open) && w.free(i, i + 1) && w.role(i + 1) != Some(Role::Close)
    });
    let Some(i) = place else { return false };
    w.tokens[i].text.push(',');
    w.lock(i, i + 1);
    true
}

/// Blanks the comma; both neighbors are whole, so that the place of the comma is plain to see.
/// Two strings never touch: `"a""b"` could be one string with doubled quotes.
fn blank_comma(w: &mut Work, i: usize) {
    w.tokens[i].text.clear();
    if w.tokens[i + 1].before.is_empty() {
        w.tokens[i + 1].before.push(' ');
    }
    w.lock(i - 1, i + 1);
}

fn between_members(w: &Work, i: usize) -> bool {
    w.role(i) == Some(Role::Comma) && !w.tokens[i].list && w.free(i - 1, i + 1) && w.is_key(i + 1)
}

fn missing_comma_member(w: &mut Work, r: &mut Random) -> bool {
    let place = w.spot(r, |w, i| between_members(w, i) && !w.tokens[i + 1].before.contains('\n'));
    place.is_some_and(|i| {
        blank_comma(w, i);
        true
    })
}

fn missing_comma_newline(w: &mut Work, r: &mut Random) -> bool {
    let place = w.spot(r, |w, i| between_members(w, i) && w.tokens[i + 1].before.contains('\n'));
    place.is_some_and(|i| {
        blank_comma(w, i);
        true
    })
}

/// Between scalars of an array. A number before a negative number would read as a subtraction.
fn missing_comma_items(w: &mut Work, r: &mut Random) -> bool {
    let place = w.spot(r, |w, i| {
        w.role(i) == Some(Role::Comma)
            && w.tokens[i].list
            && w.free(i - 1, i + 1)
            && w.role(i - 1) == Some(Role::Scalar)
            && w.role(i + 1) == Some(Role::Scalar)
            && w.tokens[i - 1].quote == Quote::Double
            && w.tokens[i + 1].quote == Quote::Double
            && !w.tokens[i + 1].text.starts_with('-')
    });
    let Some(i) = place else { return false };
    blank_comma(w, i);
    true
}

fn missing_comma_containers(w: &mut Work, r: &mut Random) -> bool {
    let place = w.spot(r, |w, i| {
        w.role(i) == Some(Role::Comma)
            && w.tokens[i].list
            && w.free(i - 1, i + 1)
            && w.role(i - 1) == Some(Role::Close)
            && w.role(i + 1) == Some(Role::Open)
    });
    let Some(i) = place else { return false };
    w.tokens[i].text.clear();
    w.lock(i - 1, i + 1);
    true
}

fn no_commas(w: &mut Work, _: &mut Random) -> bool {
    let commas: Vec<usize> = (0..w.len()).filter(|&i| w.role(i) == Some(Role::Comma)).collect();
    let lines = commas
        .iter()
        .all(|&i| w.tokens[i + 1].before.contains('\n') && !w.tokens[i + 1].text.starts_with('-'));
    if commas.is_empty() || !lines {
        return false;
    }
    for i in commas {
        w.tokens[i].text.clear();
        w.lock(i - 1, i + 1);
    }
    true
}

fn semicolon(w: &mut Work, r: &mut Random) -> bool {
    let place = w.spot(r, |w, i| w.role(i) == Some(Role::Comma) && w.free(i - 1, i + 1));
    let Some(i) = place else { return false };
    ";".clone_into(&mut w.tokens[i].text);
    w.lock(i - 1, i + 1);
    true
}

fn semicolons(w: &mut Work, _: &mut Random) -> bool {
    let mut any = false;
    for token in w.tokens.iter_mut().filter(|t| t.role == Role::Comma) {
        ";".clone_into(&mut token.text);
        token.locked = true;
        any = true;
    }
    any
}

fn missing_colon(w: &mut Work, r: &mut Random) -> bool {
    let place = w.spot(r, |w, i| {
        w.role(i) == Some(Role::Colon)
            && w.free(i - 1, i + 2)
            && w.is_key(i - 1)
            && w.tokens[i + 1].quote == Quote::Double
    });
    let Some(i) = place else { return false };
    w.tokens[i].text.clear();
    if w.tokens[i + 1].before.is_empty() {
        w.tokens[i + 1].before.push(' ');
    }
    w.lock(i - 1, i + 2);
    true
}

fn colons(w: &mut Work, r: &mut Random, signs: &[&str]) -> bool {
    let sign = r.pick(signs);
    let mut any = false;
    for token in w.tokens.iter_mut().filter(|t| t.role == Role::Colon) {
        (*sign).clone_into(&mut token.text);
        token.locked = true;
        any = true;
    }
    any
}

fn one_equals(w: &mut Work, r: &mut Random) -> bool {
    let place = w.spot(r, |w, i| w.role(i) == Some(Role::Colon) && w.free(i - 1, i + 1));
    let Some(i) = place else { return false };
    (*r.pick(&["=", " =", "=>"])).clone_into(&mut w.tokens[i].text);
    w.lock(i - 1, i + 1);
    true
}

fn drop_value(w: &mut Work, i: usize) {
    let token = &mut w.tokens[i];
    token.text.clear();
    token.before.clear();
    token.mean = Mean::Value(Data::Null);
    token.others = vec![Mean::Value(Data::text("")), Mean::Absent];
    w.lock(i - 2, i + 1);
}

fn missing_value(w: &mut Work, r: &mut Random) -> bool {
    let Some(i) = w.spot(r, |w, i| w.is_member(i) && w.free(i - 2, i) && w.ends_plainly(i)) else {
        return false;
    };
    drop_value(w, i);
    true
}

fn missing_value_and_comma(w: &mut Work, r: &mut Random) -> bool {
    let place = w.spot(r, |w, i| {
        w.is_member(i)
            && w.free(i - 2, i + 3)
            && w.role(i + 1) == Some(Role::Comma)
            && w.is_key(i + 2)
            && w.tokens[i + 2].before.contains('\n')
    });
    let Some(i) = place else { return false };
    drop_value(w, i);
    w.tokens[i + 1].text.clear();
    w.lock(i + 1, i + 3);
    true
}

fn key_only(w: &mut Work, r: &mut Random) -> bool {
    let place = w.spot(r, |w, i| {
        w.is_member(i)
            && w.is_key(i - 2)
            && w.free(i - 2, i)
            && w.ends_plainly(i)
            && w.role(i - 3) == Some(Role::Comma)
    });
    let Some(i) = place else { return false };
    drop_value(w, i);
    w.tokens[i - 1].text.clear();
    w.lock(i - 3, i + 1);
    true
}

fn ellipsis_at_end(w: &mut Work, r: &mut Random) -> bool {
    let Some(i) = w.spot(r, |w, i| w.is_filled_close(i) && w.free(i - 1, i)) else { return false };
    let dots = r.pick(&["...", "…", "..."]);
    let gap = match w.layout {
        Layout::Compact => String::new(),
        Layout::Pretty { .. } if w.tokens[i].before.contains('\n') => {
            format!("{}  ", w.tokens[i].before)
        }
        _ => " ".to_owned(),
    };
    let close = &mut w.tokens[i];
    close.before = format!(",{gap}{dots}{}", close.before);
    w.lock(i - 1, i);
    true
}

fn ellipsis_between(w: &mut Work, r: &mut Random) -> bool {
    let place = w
        .spot(r, |w, i| w.role(i) == Some(Role::Comma) && w.tokens[i].list && w.free(i - 1, i + 1));
    let Some(i) = place else { return false };
    (*r.pick(&[", ...,", ",...,", ", …,"])).clone_into(&mut w.tokens[i].text);
    w.lock(i - 1, i + 1);
    true
}
