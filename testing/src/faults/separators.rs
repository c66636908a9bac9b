//! What separates members and items.

use super::{
    Class, Group, Layout, Meaning, Part, among, item, member, scalar, some_keys, spelled, written,
};
use crate::data::{Data, quoted};
use crate::random::Random;
use crate::words::{noun, plain};

pub(super) const CLASSES: &[Class] = &[
    Class::new("comment-touches-scalar", touching_comment),
    Class::new("full-width-around-bare-keys", full_width),
    Class::new("two-colons", two_colons),
    Class::new("marks-of-direction", direction),
    Class::new("no-comma-after-number-in-list", no_comma_in_list),
    Class::new("no-comma-after-word", no_comma_after_word),
    Class::new("comma-in-string-then-number", comma_in_string),
    Class::new("no-comma-between-tuples", tuples_without_comma),
    Class::ambiguous("alternatives", alternatives),
    Class::new("note-in-parentheses", note),
    Class::new("dot-after-string", dot),
];

fn touching_comment(r: &mut Random, layout: Layout) -> Group {
    let keys = some_keys(r, 3);
    let place = r.below(3);
    let parts = keys.iter().enumerate().map(|(at, key)| {
        let value = match r.below(3) {
            0 => Data::Bool(r.chance(50)),
            1 => Data::Null,
            _ => Data::number(r.below(9000)),
        };
        let part = member(key, &value, layout);
        if at != place {
            return part;
        }
        let words = plain(r, 2);
        let comment = match r.below(4) {
            0 => format!("// {words}\n"),
            1 => format!("//{words}\n"),
            2 => format!("# {words}\n"),
            _ => format!("/* {words} */"),
        };
        let text = part.text.clone();
        if at < 2 && r.chance(50) {
            let after = if comment.ends_with('\n') { comment } else { format!("{comment} ") };
            Part { comma: format!(",{after}"), ..part }
        } else {
            Part { text: format!("{text}{comment}"), ..part }
        }
    });
    Group::map(parts.collect())
}

fn full_width(r: &mut Random, layout: Layout) -> Group {
    let keys = some_keys(r, 3);
    let quotes = r.chance(50);
    let mut parts: Vec<Part> = keys
        .iter()
        .enumerate()
        .map(|(at, key)| {
            let value = match r.below(4) {
                0 => Data::Bool(r.chance(50)),
                1 => Data::number(r.below(900)),
                _ => Data::text(noun(r)),
            };
            let name = if at == 0 && quotes { quoted(key) } else { (*key).to_owned() };
            spelled(format!("{name}：{}", value.write()), key, value).then("，")
        })
        .collect();
    if r.chance(30) {
        parts.rotate_left(1);
    }
    let full = layout == Layout::Compact && r.chance(30);
    let (open, close) = if full { ("{", "｝") } else { ("{", "}") };
    Group { open, close, ..Group::map(parts) }
}

fn two_colons(r: &mut Random, _: Layout) -> Group {
    let keys = some_keys(r, 3);
    let bare = r.chance(40);
    let colon = *r.one(&[":: ", "::", " :: "]);
    let parts = keys.iter().map(|key| {
        let value = scalar(r);
        let name = if bare { (*key).to_owned() } else { quoted(key) };
        spelled(format!("{name}{colon}{}", value.write()), key, value)
    });
    Group::map(parts.collect())
}

fn direction(r: &mut Random, layout: Layout) -> Group {
    let key = some_keys(r, 1)[0];
    let (open, close) = *r.one(&[
        ("\u{200f}", "\u{200f}"),
        ("\u{200e}", ""),
        ("", "\u{200f}"),
        ("\u{202a}", "\u{202c}"),
        ("\u{2066}", "\u{2069}"),
        ("\u{202b}", "\u{202c}"),
    ]);
    let value = match r.below(3) {
        0 => Data::Bool(true),
        1 => Data::number(format!("-{}.5", r.below(90))),
        _ => Data::number(r.below(900)),
    };
    let part = written(key, &format!("{open}{}{close}", value.write()), value, layout);
    among(r, layout, key, part, true)
}

fn no_comma_in_list(r: &mut Random, _: Layout) -> Group {
    let mut parts: Vec<Part> = (0..r.between(1, 2))
        .map(|_| Data::text(noun(r)))
        .map(|word| item(word.write(), word).then(" "))
        .collect();
    let number = Data::number(r.below(90));
    parts.push(item(number.write(), number));
    let list = Group::list(parts);
    if r.chance(50) { list.ending("") } else { list }
}

fn no_comma_after_word(r: &mut Random, layout: Layout) -> Group {
    let keys = some_keys(r, 2);
    let (first, second) = (Data::text(noun(r)), Data::text(noun(r)));
    let word = first.as_text().unwrap_or_default().to_owned();
    let second = if r.chance(30) { Data::number(r.below(90)) } else { second };
    let mut parts =
        vec![written(keys[0], &word, first, layout).then(" "), member(keys[1], &second, layout)];
    if r.chance(30) {
        parts.insert(0, member("first", &scalar(r), layout));
    }
    Group::map(parts)
}

fn comma_in_string(r: &mut Random, _: Layout) -> Group {
    let words = plain(r, 2);
    let number = Data::number(r.below(90));
    let words = Part {
        others: vec![Meaning::Item(Data::text(&words))],
        ..item(format!("\"{words},\""), Data::Text(format!("{words},"))).then("")
    };
    let mut parts = vec![words, item(number.write(), number)];
    if r.chance(50) {
        let first = Data::number(r.below(90));
        parts.insert(0, item(first.write(), first));
    }
    // The space of a layout would be a space after the comma.
    Group::list(vec![]).joined(parts)
}

impl Group {
    /// Writes `parts` without white space between them.
    fn joined(self, mut parts: Vec<Part>) -> Self {
        if let Some(last) = parts.last_mut() {
            last.comma.clear();
        }
        let mut whole = item(String::new(), Data::Null).then("");
        whole.meaning = Meaning::Nothing;
        for part in &mut parts {
            whole.text += &std::mem::take(&mut part.text);
            whole.text += &std::mem::take(&mut part.comma);
        }
        Self { parts: [whole].into_iter().chain(parts).collect(), ..self }
    }
}

fn tuples_without_comma(r: &mut Random, _: Layout) -> Group {
    let width = r.between(1, 2);
    let count = r.between(2, 4);
    let gap = *r.one(&[" ", "\n", ""]);
    let parts = (0..count).map(|_| {
        let mut values = vec![Data::text(noun(r))];
        values.extend((0..width).map(|_| Data::number(r.below(90))));
        let texts: Vec<String> = values.iter().map(Data::write).collect();
        item(format!("({})", texts.join(", ")), Data::List(values)).then(gap)
    });
    Group::list(parts.collect())
}

fn alternatives(r: &mut Random, layout: Layout) -> Group {
    let key = some_keys(r, 1)[0];
    let (a, b) = (noun(r), noun(r));
    let joint = *r.one(&["|", " | "]);
    let part = written(key, &format!("\"{a}\"{joint}\"{b}\""), Data::text(a), layout)
        .or(Data::Text(format!("{a}\"{joint}\"{b}")))
        .or(Data::Text(format!("{a}{joint}{b}")))
        .or(Data::Text(format!("\"{a}\"{joint}\"{b}\"")))
        .or(Data::List(vec![Data::text(a), Data::text(b)]));
    among(r, layout, key, part, true)
}

fn note(r: &mut Random, layout: Layout) -> Group {
    let key = some_keys(r, 1)[0];
    let (value, words) = (plain(r, 2), plain(r, 2));
    let text = format!("\"{value}\" ({words})");
    let both = Data::Text(format!("{value} ({words})"));
    if r.chance(30) {
        let other = Data::text(noun(r));
        let part = item(text, Data::text(&value)).or(both);
        return Group::list(vec![part, item(other.write(), other)]);
    }
    let part = written(key, &text, Data::text(&value), layout).or(both);
    among(r, layout, key, part, true)
}

fn dot(r: &mut Random, layout: Layout) -> Group {
    let key = some_keys(r, 1)[0];
    let value = plain(r, 3);
    let both = Data::Text(format!("{value}."));
    let text = format!("\"{value}\".");
    if r.chance(30) {
        let other = Data::text(noun(r));
        let part = item(text, Data::text(&value)).or(both);
        return Group::list(vec![part, item(other.write(), other)]);
    }
    let part = written(key, &text, Data::text(&value), layout).or(both);
    among(r, layout, key, part, true)
}
