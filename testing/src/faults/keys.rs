//! Keys and what follows them.

use super::{Class, Group, Layout, Meaning, Part, among, item, member, scalar, some_keys, spelled};
use crate::data::{Data, quoted};
use crate::random::Random;
use crate::words::{noun, plain};

pub(super) const CLASSES: &[Class] = &[
    Class::new("angle-for-colon", angle),
    Class::new("equals-for-colon", equals),
    Class::new("no-colon-before-number", no_colon),
    Class::new("brace-in-key", brace),
    Class::new("bold-member", bold),
    Class::new("no-brace-between-records", run_on),
    Class::ambiguous("second-value-without-key", second_value),
    Class::ambiguous("numbered-items", numbered),
    Class::new("cut-in-long-key", cut_key),
];

fn angle(r: &mut Random, layout: Layout) -> Group {
    let key = some_keys(r, 1)[0];
    let value = scalar(r);
    let part = spelled(format!("{}>{}", quoted(key), value.write()), key, value);
    among(r, layout, key, part, true)
}

fn equals(r: &mut Random, layout: Layout) -> Group {
    let key = some_keys(r, 1)[0];
    let value = scalar(r);
    let sign = *r.one(&["=", " = ", "= ", "=>", " => "]);
    let part = spelled(format!("{}{sign}{}", quoted(key), value.write()), key, value);
    among(r, layout, key, part, true)
}

fn no_colon(r: &mut Random, _: Layout) -> Group {
    let keys = some_keys(r, 2);
    let parts = keys.iter().take(r.between(1, 2)).map(|key| {
        let value = Data::number(r.below(900));
        spelled(format!("{}{}", quoted(key), value.write()), key, value)
    });
    Group::map(parts.collect())
}

fn brace(r: &mut Random, layout: Layout) -> Group {
    let keys = some_keys(r, 2);
    let value = if r.chance(50) {
        Data::List((0..3).map(|_| Data::number(r.below(9))).collect())
    } else {
        scalar(r)
    };
    let first =
        spelled(format!("\"{{\"{}\"{}{}", keys[0], layout.colon(), value.write()), keys[0], value);
    let mut parts = vec![first];
    if r.chance(60) {
        parts.push(member(keys[1], &scalar(r), layout));
    }
    Group::map(parts)
}

fn bold(r: &mut Random, layout: Layout) -> Group {
    let key = some_keys(r, 1)[0];
    let value = scalar(r);
    let text = format!("**{}{}{}**", quoted(key), layout.colon(), value.write());
    among(r, layout, key, spelled(text, key, value), true)
}

/// `[{"i": 1{"i": 2}]`
fn run_on(r: &mut Random, layout: Layout) -> Group {
    let key = some_keys(r, 1)[0];
    let text = r.chance(50);
    let count = r.between(2, 3);
    let parts = (0..count).map(|at| {
        let value = if text { Data::text(noun(r)) } else { Data::number(r.below(90)) };
        let close = if at + 1 < count { "" } else { "}" };
        let record = format!("{{{}{}{}{close}", quoted(key), layout.colon(), value.write());
        item(record, Data::Map(vec![(key.to_owned(), value)])).then("")
    });
    Group::list(parts.collect())
}

/// `{"f1": "young", "very low", "x": 1}`: no value may be invented for what is no name.
fn second_value(r: &mut Random, layout: Layout) -> Group {
    let keys = some_keys(r, 2);
    let (a, b) = (plain(r, 2), plain(r, 2));
    let text = format!("{}{}\"{a}\", \"{b}\"", quoted(keys[0]), layout.colon());
    let list = Data::List(vec![Data::text(&a), Data::text(&b)]);
    let first = spelled(text, keys[0], list).or(Data::Text(format!("{a}\", \"{b}")));
    Group::map(vec![first, member(keys[1], &scalar(r), layout)])
}

fn numbered(r: &mut Random, layout: Layout) -> Group {
    let parts = (0..r.between(2, 4)).map(|at| {
        let value = Data::Map(vec![("a".to_owned(), scalar(r))]);
        let text = format!("{at}{}{}", layout.colon(), value.write());
        let pair = Data::Map(vec![(at.to_string(), value.clone())]);
        Part { others: vec![Meaning::Item(pair)], ..item(text, value) }
    });
    Group::list(parts.collect())
}

fn cut_key(r: &mut Random, layout: Layout) -> Group {
    let keys = some_keys(r, 2);
    let mut parts: Vec<Part> =
        keys.iter().take(r.between(1, 2)).map(|key| member(key, &scalar(r), layout)).collect();
    if let Some(last) = parts.last_mut() {
        let words: Vec<&str> = (0..r.between(1, 18)).map(|_| noun(r)).collect();
        last.text = format!("{},{}\"{}", last.text, layout.gap(1), words.join("_"));
    }
    Group::map(parts).ending("")
}
