//! Parts of something larger that cannot be read as a whole.

use super::{Kind, Made, nested, record, small, write};
use crate::data::{Data, quoted};
use crate::random::Random;
use crate::words::{self, noun};

pub(super) const KINDS: &[Kind] = &[
    Kind { name: "closer-in-string", make: closer_in_string },
    Kind { name: "members-after-separator", make: members_after },
    Kind { name: "members-before", make: members_before },
    Kind { name: "opener-before-object", make: opener_before_object },
    Kind { name: "opener-before-list", make: opener_before_list },
    Kind { name: "unreadable-item", make: unreadable_item },
    Kind { name: "keyed-lines", make: keyed_lines },
    Kind { name: "xml-parameter", make: xml_parameter },
    Kind { name: "braces-of-prose", make: braces_of_prose },
];

/// Text around that says nothing.
const AROUND: &[(&str, &str)] = &[
    ("", ""),
    ("", ""),
    ("Here it is:\n\n", ""),
    ("", "\n\nLet me know if you need more."),
    ("```json\n", "\n```"),
    ("```\n", "\n```\nDone."),
    ("Sure: ", "\n"),
    ("<answer>", "</answer>"),
];

fn around(r: &mut Random, text: &str) -> String {
    let (before, after) = r.one(AROUND);
    format!("{before}{text}{after}")
}

/// `{"hint": "close with "} please", "n": 1}`
fn closer_in_string(r: &mut Random) -> Made {
    let list = r.chance(25);
    let (closer, opener) = if list { ("]", "[") } else { ("}", "{") };
    let words = words::plain(r, 2);
    let inner = match r.below(4) {
        0 => format!("{words} \"{closer} {}", words::plain(r, 1)),
        1 => format!("{words} \"{closer}\" {}", words::plain(r, 1)),
        2 => format!("the {opener}\"{words}\"{closer} {}", noun(r)),
        _ => format!("{words} \"{closer}, {}", words::plain(r, 2)),
    };
    let bare = format!("\"{inner}\"");
    let (before, after) = (r.between(0, 2), r.between(1, 2));
    let all = record(r, before + after);
    let gap = r.pick(&[" ", "", "\n  "]);
    let mut parts: Vec<String> = Vec::new();
    let value = if list {
        let mut values: Vec<Data> = all.iter().map(|(_, value)| value.clone()).collect();
        parts.extend(values.iter().map(Data::write));
        parts.insert(before, bare);
        values.insert(before, Data::Text(inner));
        Data::List(values)
    } else {
        let mut members = all.clone();
        parts.extend(all.iter().map(|(key, value)| format!("{}: {}", quoted(key), value.write())));
        parts.insert(before, format!("\"hint\": {bare}"));
        members.insert(before, ("hint".to_owned(), Data::Text(inner)));
        Data::Map(members)
    };
    let text = format!("{opener}{}{closer}", parts.join(&format!(",{gap}")));
    Made::unclear(around(r, &text), vec![value])
}

/// `{"a": "x"}; "b": "y"}`
fn members_after(r: &mut Random) -> Made {
    let (before, after) = (r.between(1, 2), r.between(1, 3));
    let all = record(r, before + after);
    let member = |(key, value): &(String, Data)| format!("{}: {}", quoted(key), value.write());
    let join = |part: &[(String, Data)]| part.iter().map(member).collect::<Vec<_>>().join(", ");
    let mark = r.pick(&["; ", ";\n", ", ", " ", "\n", ",\n  ", ". ", " and ", " | ", " // then\n"]);
    let end = r.pick(&["}", "\n}", ""]);
    let text = format!("{{{}}}{mark}{}{end}", join(&all[..before]), join(&all[before..]));
    Made::unclear(around(r, &text), vec![Data::Map(all)])
}

/// `"a": 1, {"b": 2}`, `a: 1, "b": [2]}`
fn members_before(r: &mut Random) -> Made {
    let count = r.between(1, 2);
    let own = record(r, count);
    let inner = small(r);
    let key = words::identifier(r);
    let before: Vec<String> =
        own.iter().map(|(key, value)| format!("{}: {}", quoted(key), value.write())).collect();
    let (inside, list) = (write(r, &inner), r.chance(30));
    let inside = if list { format!("[{inside}]") } else { inside };
    let inner = if list { Data::List(vec![inner]) } else { inner };
    let text =
        format!("{}, {}: {inside}{}", before.join(", "), quoted(&key), r.pick(&["}", "\n}"]));
    let mut whole = own;
    whole.retain(|(other, _)| *other != key);
    whole.push((key, inner));
    Made::unclear(around(r, &text), vec![Data::Map(whole)])
}

/// A key that cannot be read.
fn strange_key(r: &mut Random) -> String {
    let (a, b) = (noun(r), noun(r));
    match r.below(6) {
        0 => format!("{a}/{b}"),
        1 => format!("{a} & {b}"),
        2 => format!("@{a}"),
        3 => format!("{a}<{b}>"),
        4 => format!("{a}!{b}"),
        _ => format!("%{a}%"),
    }
}

/// `{user/id: 5, "items": [{"id": 1}]}`
fn opener_before_object(r: &mut Random) -> Made {
    let key = strange_key(r);
    let first = Data::number(r.below(100));
    let nested = nested(r);
    let inside = write(r, &nested);
    let inside = inside.strip_prefix('{').unwrap_or(&inside).trim_start();
    let text = format!("{{{key}: {}, {inside}", first.write());
    let mut whole = vec![(key, first)];
    if let Data::Map(members) = nested {
        whole.extend(members);
    }
    Made::unclear(around(r, &text), vec![Data::Map(whole)])
}

/// `["a" {"b":1}`
fn opener_before_list(r: &mut Random) -> Made {
    let items = r.between(1, 3);
    let mut values: Vec<Data> = (0..items).map(|_| Data::text(noun(r))).collect();
    let mut text = format!(
        "[{}",
        values.iter().map(Data::write).collect::<Vec<_>>().join(r.pick(&[", ", ",\n  ", " "]))
    );
    let last = small(r);
    text.push_str(r.pick(&[" ", "", "\n  ", "; ", ",,"]));
    text.push_str(&write(r, &last));
    values.push(last);
    text.push_str(r.pick(&["", "", "\n", "]"]));
    Made::unclear(around(r, &text), vec![Data::List(values)])
}

/// A list of which one item cannot be read.
fn unreadable_item(r: &mut Random) -> Made {
    let count = r.between(2, 4);
    let mut items: Vec<String> = Vec::new();
    for _ in 0..count {
        let item = small(r);
        items.push(write(r, &item));
    }
    let (a, b) = (noun(r), noun(r));
    let bad = match r.below(6) {
        0 => format!("{{\"{a}\": 3 * {b} + (4 - }}"),
        1 => format!("{{\"{a}\": sum(1, 2, \"{b}\": }}"),
        2 => format!("{{\"{a}\" \"{b}\" 4 5}}"),
        3 => format!("{{{a}/{b}: 5, ?: 7}}"),
        4 => format!("{{\"{a}\": price * {}}}", r.between(2, 9)),
        _ => format!("{{== {a} == {b}}}"),
    };
    let at = r.below(items.len() + 1);
    items.insert(at, bad);
    let text = format!("[{}]", items.join(r.pick(&[", ", ",\n  ", ","])));
    Made::unclear(around(r, &text), Vec::new())
}

/// `name: x` and `config: {…}` on lines of their own.
fn keyed_lines(r: &mut Random) -> Made {
    let count = r.between(1, 3);
    let mut members = record(r, count);
    for _ in 0..r.between(1, 2) {
        let key = words::identifier(r);
        if members.iter().all(|(other, _)| *other != key) {
            let at = r.below(members.len() + 1);
            let value = if r.chance(70) { small(r) } else { Data::List(vec![small(r), small(r)]) };
            members.insert(at, (key, value));
        }
    }
    let mark = r.pick(&[": ", " = ", ": "]);
    let bullet = r.pick(&["", "", "- ", "* "]);
    let text: Vec<String> = members
        .iter()
        .map(|(key, value)| {
            let written = match value {
                Data::Text(text) => text.clone(),
                value => value.write(),
            };
            format!("{bullet}{key}{mark}{written}")
        })
        .collect();
    Made::unclear(text.join("\n"), vec![Data::Map(members)])
}

/// A call in XML with several parameters, one of them an object.
fn xml_parameter(r: &mut Random) -> Made {
    let tool = r.pick(words::TOOLS);
    let count = r.between(1, 3);
    let mut members = record(r, count);
    let value = if r.chance(70) { small(r) } else { Data::List(vec![small(r), small(r)]) };
    let at = r.below(members.len() + 1);
    members.insert(at, ("options".to_owned(), value));
    let style = r.below(3);
    let line = r.pick(&["", "\n"]);
    let mut inner = String::new();
    for (key, value) in &members {
        let written = match value {
            Data::Text(text) => text.clone(),
            value => value.write(),
        };
        let element = match style {
            0 => format!("<parameter name=\"{key}\">{written}</parameter>{line}"),
            1 => format!("<parameter={key}>{line}{written}{line}</parameter>{line}"),
            _ => format!("<{key}>{written}</{key}>{line}"),
        };
        inner.push_str(&element);
    }
    let text = match style {
        0 => format!("<invoke name=\"{tool}\">{line}{inner}</invoke>"),
        1 => {
            format!("<tool_call>{line}<function={tool}>{line}{inner}</function>{line}</tool_call>")
        }
        _ => format!("<{tool}>{line}{inner}</{tool}>"),
    };
    let arguments = Data::Map(members);
    let call = |key: &str| {
        Data::Map(vec![("name".to_owned(), Data::text(tool)), (key.to_owned(), arguments.clone())])
    };
    Made::unclear(text, vec![arguments.clone(), call("arguments"), call("parameters")])
}

/// Braces and brackets in a text without any JSON.
fn braces_of_prose(r: &mut Random) -> Made {
    let (a, b, c) = (noun(r), noun(r), noun(r));
    let part = match r.below(9) {
        0 => format!("Put {{{a}: {b}}} where the {c} was."),
        1 => format!("The set {{{a}, {b}, {c}}} is closed."),
        2 => format!("In CSS, `{a} {{ color: {b}; }}` would do."),
        3 => format!("Write `{a}[\"{b}\"]` to get the {c}."),
        4 => format!("It is a {{\"{a}\": ...}} sort of {b}."),
        5 => format!("Call {a}({{{b}: {c}}}) for that."),
        6 => format!("The path /{a}/{{{b}_id}}/{{{c}_id}} takes two ids."),
        7 => format!("Is {a}[{}] the same as {b}[{}]?", r.below(9), r.below(9)),
        _ => format!("func {a}() {{ return {b}[{}] }}", r.below(9)),
    };
    let (first, last) = (words::sentence(r), words::sentence(r));
    let text = match r.below(3) {
        0 => format!("{first} {part} {last}"),
        1 => format!("{first}\n\n{part}\n\n{last}"),
        _ => format!("{part} {last}"),
    };
    Made::unclear(text, Vec::new())
}
