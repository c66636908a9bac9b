//! Comments.

use super::tokens::Role;
use super::work::{Kind, Stage, Work};
use crate::random::Random;
use crate::words::{noun, plain};

pub(crate) const KINDS: &[Kind] = &[
    Kind::new("line-comment", "comments", Stage::Local, |w, r| line(w, r, "//")),
    Kind::new("hash-comment", "comments", Stage::Local, |w, r| line(w, r, "#")),
    Kind::new("dash-comment", "comments", Stage::Local, |w, r| line(w, r, "--")),
    Kind::new("block-comment", "comments", Stage::Local, |w, r| block(w, r, "/*", "*/")),
    Kind::new("html-comment", "comments", Stage::Local, |w, r| block(w, r, "<!--", "-->")),
    Kind::new("comment-on-every-line", "comments", Stage::Local, every_line),
    Kind::new("comment-before-root", "comments", Stage::Local, before_root),
    Kind::new("unclosed-comment-at-end", "comments", Stage::Local, unclosed),
];

fn remark(r: &mut Random) -> String {
    match r.below(8) {
        0 => format!("it's the {}", noun(r)),
        1 => format!("the \"{}\" {}", noun(r), noun(r)),
        2 => format!("{{ {} }} or [{}]", noun(r), noun(r)),
        3 => format!("TODO: {}, {}", noun(r), noun(r)),
        4 => format!("\"{}\": {},", noun(r), r.below(90)),
        _ => plain(r, 3),
    }
}

/// Behind a comma or an opening bracket, or before a closer.
fn is_gap(w: &Work, i: usize) -> bool {
    i > 0
        && w.free(i - 1, i)
        && (matches!(w.role(i - 1), Some(Role::Comma | Role::Open))
            || w.role(i) == Some(Role::Close))
}

fn put_line(w: &mut Work, i: usize, mark: &str, remark: &str) {
    let before = &w.tokens[i].before;
    let space = if before.contains('\n') { before.clone() } else { "\n".to_owned() };
    w.tokens[i].before = format!(" {mark} {remark}{space}");
}

fn line(w: &mut Work, r: &mut Random, mark: &str) -> bool {
    let Some(i) = w.spot(r, is_gap) else { return false };
    // `--` before a closer stands right behind a value: `1 -- x` could also be arithmetic.
    if mark == "--" && w.role(i) == Some(Role::Close) {
        return false;
    }
    let remark = remark(r);
    put_line(w, i, mark, &remark);
    w.lock(i - 1, i);
    true
}

fn every_line(w: &mut Work, r: &mut Random) -> bool {
    let mark = r.pick(&["//", "#"]);
    let places: Vec<usize> = (0..w.len())
        .filter(|&i| {
            w.role(i) == Some(Role::Key) && is_gap(w, i) && w.tokens[i].before.contains('\n')
        })
        .collect();
    for &i in &places {
        let remark = remark(r);
        let space = w.tokens[i].before.clone();
        w.tokens[i].before = format!("{space}{mark} {remark}{space}");
    }
    for &i in &places {
        w.lock(i - 1, i);
    }
    !places.is_empty()
}

fn block(w: &mut Work, r: &mut Random, left: &str, right: &str) -> bool {
    let Some(i) = w.spot(r, |w, i| i > 0 && w.free(i - 1, i) && w.role(i) != Some(Role::Colon))
    else {
        return false;
    };
    let lines = if r.chance(15) { format!("{}\n   ", plain(r, 2)) } else { String::new() };
    let remark = remark(r);
    let space = w.tokens[i].before.clone();
    w.tokens[i].before = format!(" {left} {lines}{remark} {right}{space}");
    w.lock(i - 1, i);
    true
}

fn before_root(w: &mut Work, r: &mut Random) -> bool {
    if !w.root_is_container() || !w.free(0, 0) || w.open_start {
        return false;
    }
    let words = plain(r, 3);
    w.tokens[0].before = match r.below(3) {
        0 => format!("// {words}\n"),
        1 => format!("/* {words} */\n"),
        _ => format!("# {words}\n"),
    };
    w.lock(0, 0);
    true
}

fn unclosed(w: &mut Work, r: &mut Random) -> bool {
    if !w.root_is_container() || w.open_end || !w.tail.is_empty() {
        return false;
    }
    w.tail = format!(" /* {}", plain(r, 3));
    (w.open_end, w.cut) = (true, None);
    true
}
