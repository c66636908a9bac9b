//! What is inside a string.

use super::{Class, Group, Layout, among, item, member, scalar, some_keys, spelled, written};
use crate::data::Data;
use crate::random::Random;
use crate::words::{noun, plain, sentence};

pub(super) const CLASSES: &[Class] = &[
    Class::new("comment-mark-in-inner-quotes", comment_mark),
    Class::new("inner-quotes-before-bare-key", before_bare_key),
    Class::new("inner-quotes-and-comma-in-list", comma_in_list),
    Class::new("formula-judged-by-document", formulas),
    Class::new("escaped-letter", escaped_letter),
    Class::new("backslash-at-line-end", line_end),
    Class::new("triple-backtick-value", triple_backticks),
    Class::new("inches-at-end", inches),
];

fn comment_mark(r: &mut Random, layout: Layout) -> Group {
    let key = some_keys(r, 1)[0];
    let mark = *r.one(&["//", "#", "--", "/*", "# ", "// ", "-- "]);
    let word = if r.chance(60) { noun(r) } else { "" };
    let joint = *r.one(&[" ", ", ", ". "]);
    let value = format!("{} \"{mark}{word}\"{joint}{}", plain(r, 2), plain(r, 2));
    let part = written(key, &format!("\"{value}\""), Data::text(&value), layout);
    among(r, layout, key, part, true)
}

fn before_bare_key(r: &mut Random, layout: Layout) -> Group {
    let keys = some_keys(r, 3);
    let value = format!("{} \"{}\" {}", noun(r), noun(r), plain(r, 2));
    let first = if r.chance(50) {
        spelled(format!("{}{}\"{value}\"", keys[0], layout.colon()), keys[0], Data::text(&value))
    } else {
        written(keys[0], &format!("\"{value}\""), Data::text(&value), layout)
    };
    let mut parts = vec![first];
    for key in &keys[1..] {
        let value = scalar(r);
        parts.push(spelled(format!("{key}{}{}", layout.colon(), value.write()), key, value));
    }
    Group::map(parts)
}

fn comma_in_list(r: &mut Random, _: Layout) -> Group {
    let value = format!("{} \"{}\", {}", plain(r, 2), noun(r), plain(r, 2));
    let mut parts = vec![item(format!("\"{value}\""), Data::text(&value))];
    for _ in 0..r.below(3) {
        let other = Data::Text(plain(r, 3));
        let place = r.below(parts.len() + 1);
        parts.insert(place, item(other.write(), other));
    }
    Group::list(parts)
}

/// Commands that begin like an escape of JSON, and ones that do not.
const LEGAL: &[&str] =
    &["\\frac{1}{2}", "\\beta", "\\neq 3", "\\times", "\\theta", "\\rho", "\\bar{x}", "\\text{if}"];
const ILLEGAL: &[&str] = &["\\cos x", "\\sum_{i}", "\\alpha", "\\sqrt{2}", "\\cdot", "\\leq 4"];

fn formulas(r: &mut Random, layout: Layout) -> Group {
    let keys = some_keys(r, 3);
    let formula =
        |r: &mut Random, commands: &[&str]| format!("{} {} {}", noun(r), r.pick(commands), noun(r));
    let mut texts = vec![formula(r, LEGAL), formula(r, ILLEGAL)];
    if r.chance(50) {
        texts.swap(0, 1);
    }
    if r.chance(40) {
        texts.push(formula(r, LEGAL));
    }
    let parts = texts
        .iter()
        .zip(keys)
        .map(|(text, key)| written(key, &format!("\"{text}\""), Data::text(text), layout));
    Group::map(parts.collect())
}

fn escaped_letter(r: &mut Random, layout: Layout) -> Group {
    let key = some_keys(r, 1)[0];
    let (before, after) = (plain(r, 2), plain(r, 1));
    let (text, value) = match r.below(4) {
        0 => {
            let letter = *r.one(&["é", "ü", "ß", "ñ", "ø"]);
            (format!("{before}\\{letter} {after}"), format!("{before}{letter} {after}"))
        }
        1 => (format!("{before} \\„{after}\\“ x"), format!("{before} „{after}“ x")),
        2 => (format!("{before} \\«{after}\\» x"), format!("{before} «{after}» x")),
        _ => (format!("{before} \\“{after}\\” x"), format!("{before} “{after}” x")),
    };
    let part = written(key, &format!("\"{text}\""), Data::Text(value), layout);
    among(r, layout, key, part, true)
}

fn line_end(r: &mut Random, layout: Layout) -> Group {
    let key = some_keys(r, 1)[0];
    let (before, after) = (sentence(r), sentence(r));
    let line = *r.one(&["\n", "\r\n"]);
    let text = format!("\"{before} \\{line}{after}\"");
    let part = written(key, &text, Data::Text(format!("{before} {after}")), layout)
        .or(Data::Text(format!("{before} {line}{after}")));
    among(r, layout, key, part, true)
}

fn triple_backticks(r: &mut Random, layout: Layout) -> Group {
    let key = *r.one(&["code", "snippet", "content"]);
    let body = format!("print(\"{}\")\n{} = [{}]", noun(r), noun(r), r.below(9));
    let body = if r.chance(40) { body.replace('\n', " ; ") } else { body };
    let (text, values) = if r.chance(50) {
        (format!("```{body}```"), vec![body])
    } else {
        let tag = *r.one(&["", "python", "js"]);
        let values = vec![
            format!("{body}\n"),
            body.clone(),
            format!("\n{body}\n"),
            format!("{tag}\n{body}\n"),
            format!("```{tag}\n{body}\n```"),
        ];
        (format!("```{tag}\n{body}\n```"), values)
    };
    let mut values = values.into_iter().map(Data::Text);
    let first = values.next().unwrap_or(Data::Null);
    let part = values.fold(written(key, &text, first, layout), super::Part::or);
    among(r, layout, key, part, true)
}

fn inches(r: &mut Random, layout: Layout) -> Group {
    let key = *r.one(&["height", "size", "width"]);
    let height = format!("{}'{}\"", r.between(4, 6), r.below(12));
    let part = written(key, &format!("\"{height}\""), Data::text(&height), layout);
    if r.chance(60) {
        return among(r, layout, key, part, true);
    }
    let other = member("name", &Data::text(noun(r)), layout);
    Group::map(if r.chance(50) { vec![part, other] } else { vec![other, part] })
}
