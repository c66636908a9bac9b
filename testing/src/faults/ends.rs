//! Where strings and containers end.

use super::{Class, Group, Layout, among, item, member, scalar, some_keys, spelled, written};
use crate::data::{Data, quoted};
use crate::random::Random;
use crate::words::{noun, plain};

pub(super) const CLASSES: &[Class] = &[
    Class::new("no-end-quote-before-parenthesis", |r, _| rows(r, "(", ")")),
    Class::new("no-end-quote-before-bracket", |r, _| rows(r, "[", "]")),
    Class::new("no-end-quote-before-next-list", next_list),
    Class::new("inches-in-tuples", tuple_inches),
    Class::new("tuple-without-its-end", open_tuple),
    Class::new("row-without-its-start", open_row),
    Class::new("other-quote-at-end", other_quote),
    Class::new("wrong-closer-after-comma", wrong_closer),
    Class::new("doubled-braces-and-bare-quote", doubled_braces),
];

/// Rows of which one has a string without its end quote, at its end or inside.
fn rows(r: &mut Random, open: &str, close: &str) -> Group {
    let count = r.between(2, 4);
    let broken = r.below(count);
    let number = r.chance(40);
    let gap = *r.one(&["", "\n"]);
    let parts = (0..count).map(|at| {
        let mut values = vec![Data::text(noun(r)), Data::text(noun(r))];
        let mut texts: Vec<String> = values.iter().map(Data::write).collect();
        if at == broken {
            texts[1].pop();
        }
        if number {
            values.push(Data::number(r.below(90)));
            texts.push(values[2].write());
        }
        item(format!("{gap}{open}{}{close}", texts.join(", ")), Data::List(values))
    });
    Group::list(parts.collect())
}

fn next_list(r: &mut Random, layout: Layout) -> Group {
    let keys = some_keys(r, 2);
    let list =
        |r: &mut Random| Data::List((0..r.between(1, 3)).map(|_| Data::text(noun(r))).collect());
    let (first, second) = (list(r), list(r));
    let text = first.write();
    let text = format!("{}]", &text[..text.len() - 2]);
    Group::map(vec![written(keys[0], &text, first, layout), member(keys[1], &second, layout)])
}

fn tuple_inches(r: &mut Random, _: Layout) -> Group {
    let more = r.chance(50);
    let parts = (0..r.between(2, 3)).map(|_| {
        let height = format!("{}'{}\"", r.between(4, 6), r.below(12));
        let name = Data::text(noun(r));
        let number = Data::number(r.below(90));
        let tail = if more { format!(", {}", number.write()) } else { String::new() };
        let text = format!("({}, \"{height}\"{tail})", name.write());
        let values = [name, Data::Text(height)].into_iter().chain(more.then_some(number));
        item(text, Data::List(values.collect()))
    });
    Group::list(parts.collect())
}

fn open_tuple(r: &mut Random, _: Layout) -> Group {
    let count = r.between(2, 4);
    let broken = r.below(count);
    let parts = (0..count).map(|at| {
        let values = vec![Data::text(noun(r)), Data::number(r.below(90))];
        let close = if at == broken { "" } else { ")" };
        item(format!("({}, {}{close}", values[0].write(), values[1].write()), Data::List(values))
    });
    Group::list(parts.collect())
}

/// `[[1, 2], 3, 4], [5, 6]]`
fn open_row(r: &mut Random, _: Layout) -> Group {
    let count = r.between(3, 5);
    let broken = r.between(1, count - 1);
    let words = r.chance(50);
    let width = r.between(2, 3);
    let parts = (0..count).map(|at| {
        let values: Vec<Data> = (0..width)
            .map(|_| if words { Data::text(noun(r)) } else { Data::number(r.below(90)) })
            .collect();
        let texts: Vec<String> = values.iter().map(Data::write).collect();
        let open = if at == broken { "" } else { "[" };
        item(format!("{open}{}]", texts.join(", ")), Data::List(values))
    });
    Group::list(parts.collect())
}

fn other_quote(r: &mut Random, layout: Layout) -> Group {
    let key = some_keys(r, 1)[0];
    let value = plain(r, 2);
    let (open, close) = *r.one(&[("\"", "'"), ("'", "\""), ("\"", "”"), ("“", "\"")]);
    let text = format!("{open}{value}{close}");
    match r.below(4) {
        0 => {
            let other = Data::text(noun(r));
            let next = Data::text(noun(r));
            let parts = vec![
                item(other.write(), other),
                item(text, Data::text(&value)),
                item(next.write(), next),
            ];
            Group::list(parts)
        }
        1 => {
            let other = Data::text(noun(r));
            let tuple = format!("({}, {text})", other.write());
            let first = item(tuple, Data::List(vec![other.clone(), Data::text(&value)]));
            let second =
                item(format!("({}, 2)", other.write()), Data::List(vec![other, Data::number(2)]));
            Group::list(vec![first, second])
        }
        _ => {
            let part = written(key, &text, Data::text(&value), layout);
            among(r, layout, key, part, true)
        }
    }
}

fn wrong_closer(r: &mut Random, layout: Layout) -> Group {
    let keys = some_keys(r, 2);
    let value = scalar(r);
    let text = format!("{}{}{},]", quoted(keys[0]), layout.colon(), value.write());
    Group::map(vec![spelled(text, keys[0], value)])
}

/// `{{"id": 1, "n": "12" wide"}}`
fn doubled_braces(r: &mut Random, layout: Layout) -> Group {
    let count = r.between(2, 3);
    let broken = r.below(count);
    let parts = (0..count).map(|at| {
        let words = noun(r);
        let value = if at == broken {
            format!("{}\" {words}", r.between(10, 90))
        } else {
            words.to_owned()
        };
        let id = r.below(90);
        let text =
            format!("{{{{\"id\"{}{id}, \"n\"{}\"{value}\"}}}}", layout.colon(), layout.colon());
        let members =
            vec![("id".to_owned(), Data::number(id)), ("n".to_owned(), Data::Text(value))];
        item(text, Data::Map(members))
    });
    Group::list(parts.collect())
}
