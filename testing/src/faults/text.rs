//! Text that follows a value whose end is missing.

use super::{Class, Group, Layout, member, scalar, some_keys, written};
use crate::data::Data;
use crate::random::Random;
use crate::words::{plain, sentence};

pub(super) const CLASSES: &[Class] = &[
    Class::new("words-after-open-value", words),
    Class::new("end-token-in-cut-string", end_token),
    Class::new("emoji-before-cut", emoji),
    Class::new("fence-on-line-of-open-string", fence),
];

fn open(r: &mut Random, layout: Layout) -> Vec<super::Part> {
    some_keys(r, r.clone().between(1, 3))
        .iter()
        .map(|key| member(key, &scalar(r), layout))
        .collect()
}

fn words(r: &mut Random, layout: Layout) -> Group {
    let parts = open(r, layout);
    let tail = match r.below(6) {
        0 => format!("\n\nTotal tokens: {}", r.below(900)),
        1 => format!("\n\nNote: {}", sentence(r)),
        2 => format!("\nNote: {}", sentence(r)),
        3 => format!("\n\n{}", sentence(r)),
        4 => format!("\n\nExplanation: {}\nSource: {}", sentence(r), plain(r, 2)),
        _ => format!("\n\nTokens used: {}, finish reason: length", r.below(900)),
    };
    Group::map(parts).ending(tail)
}

fn end_token(r: &mut Random, layout: Layout) -> Group {
    let mut parts = open(r, layout);
    let value = plain(r, 4);
    let token =
        *r.one(&["<|im_end|>", "<|endoftext|>", "</s>", "<|eot_id|>", "<|end|>", "<end_of_turn>"]);
    let last = format!("\"{value}{token}");
    parts.push(written("last", &last, Data::Text(value), layout));
    Group::map(parts).ending("")
}

fn emoji(r: &mut Random, layout: Layout) -> Group {
    let mut parts = open(r, layout);
    let value = plain(r, 2);
    let cut =
        *r.one(&["\\", "\\u", "\\u2", "\\u26", "\\u260", "\\ud83d", "\\ud83d\\", "\\ud83d\\ude"]);
    let last = format!("\"{value} \\ud83d\\ude00{cut}");
    parts.push(written("last", &last, Data::Text(format!("{value} 😀")), layout));
    Group::map(parts).ending("")
}

fn fence(r: &mut Random, layout: Layout) -> Group {
    let mut parts = open(r, layout);
    let value = plain(r, 2);
    let gap = if layout == Layout::Lines { "\n" } else { "" };
    let tail = *r.one(&["}```", "}\n```", "} ```"]);
    parts.push(written("last", &format!("\"{value}"), Data::Text(value), layout));
    let group = Group::map(parts).ending(format!("{gap}{tail}"));
    Group { fenced: true, ..group }
}
