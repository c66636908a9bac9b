//! Documents of which every line, or every line but some, has a prefix.

use super::{Kind, Made, nested, pretty};
use crate::data::Data;
use crate::random::Random;
use crate::words;

pub(super) const KINDS: &[Kind] = &[
    Kind { name: "line-numbers", make: line_numbers },
    Kind { name: "line-marks", make: line_marks },
    Kind { name: "numbered-strings", make: numbered_strings },
    Kind { name: "some-lines-numbered", make: some_lines },
];

/// Writes line numbers from `first` on in one of the usual forms.
fn numbered(lines: &[&str], first: usize, form: usize) -> Vec<String> {
    lines
        .iter()
        .enumerate()
        .map(|(at, line)| {
            let n = first + at;
            match form {
                0 => format!("{n} | {line}"),
                1 => format!("{n:>6}\t{line}"),
                2 => format!("{n}: {line}"),
                3 => format!("{n:>4}→{line}"),
                4 => format!("{n:>3} {line}"),
                5 => format!("{n:>3}| {line}"),
                6 => format!("L{n}: {line}"),
                7 => format!("{n}. {line}"),
                8 => format!("{n:03}: {line}"),
                _ => format!("{n}\t{line}"),
            }
        })
        .collect()
}

/// Puts the lines where models put them.
fn place(r: &mut Random, lines: &[String]) -> String {
    let text = lines.join("\n");
    match r.below(6) {
        0..=2 => text,
        3 => format!("{text}\n"),
        4 => format!("```json\n{text}\n```"),
        _ => format!("{}\n\n{text}\n\n{}", words::sentence(r), words::sentence(r)),
    }
}

fn document(r: &mut Random) -> (Data, String) {
    let value = match r.below(4) {
        0 => Data::List((0..r.between(2, 4)).map(|_| nested(r)).collect()),
        _ => nested(r),
    };
    let text = pretty(r, &value);
    (value, text)
}

fn line_numbers(r: &mut Random) -> Made {
    let (value, text) = document(r);
    let lines: Vec<&str> = text.lines().collect();
    let first = if r.chance(70) { 1 } else { r.between(2, 120) };
    let form = r.below(10);
    let lines = numbered(&lines, first, form);
    Made::value(place(r, &lines), value)
}

fn line_marks(r: &mut Random) -> Made {
    let (value, text) = document(r);
    let mark = r.pick(&["+ ", "> ", "| ", "- ", ">", "+", ">> ", "│ ", "  > ", "* "]);
    let lines: Vec<String> = text.lines().map(|line| format!("{mark}{line}")).collect();
    Made::value(place(r, &lines), value)
}

/// Strings with brackets, colons and line breaks, none of which may become the answer.
fn numbered_strings(r: &mut Random) -> Made {
    let mut members = super::record(r, 2);
    for key in ["text", "code", "note"] {
        let text = match r.below(3) {
            0 => words::tricky(r),
            1 => format!("{{\"{}\": {}}}", words::noun(r), r.below(9)),
            _ => format!("see [{}, {}] | {}", r.below(9), r.below(9), words::noun(r)),
        };
        let at = r.below(members.len() + 1);
        members.insert(at, (key.to_owned(), Data::Text(text)));
    }
    let value = Data::Map(members);
    let text = pretty(r, &value);
    let lines: Vec<&str> = text.lines().collect();
    let form = r.below(10);
    let lines = numbered(&lines, 1, form);
    Made::value(place(r, &lines), value)
}

/// Some lines lost their number: nothing says which document this is.
fn some_lines(r: &mut Random) -> Made {
    let (value, text) = document(r);
    let lines: Vec<&str> = text.lines().collect();
    let form = *r.one(&[0, 1, 3, 5, 9]);
    let mut all = numbered(&lines, 1, form);
    for _ in 0..r.between(1, 3) {
        let at = r.below(all.len());
        lines[at].clone_into(&mut all[at]);
    }
    Made::unclear(place(r, &all), vec![value])
}
