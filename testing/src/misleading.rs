//! Small texts whose beginning misleads a parser: names in a list that turn out to be keys,
//! brackets that close too early, and strings that end in quotes and backslashes.

use crate::random::Random;

/// What stands between quotes: names, and text that could be several things.
const INSIDES: &[&str] = &[
    "a",
    "b",
    "",
    "name",
    "hello, world",
    "x: y",
    "see [1]",
    "{id}",
    "two\nlines",
    "it's",
    "O'Neil's",
    "say \"hi\" to",
    "12\" wide",
    "C:\\\\",
    "C:\\new\\",
    "\\\"",
    "tab\\t",
    "\\u00e9",
    "\\ud83d\\ude00",
    "\\ud83d",
    "\\d+",
    "日本",
    "a” b",
    "http://a.b/c",
    "ends ",
    "ends,",
    "ends}",
    "----------------------------------------------------------------------------------------",
    "\\n\\n\\n\\n",
    "f(x, [1",
    "{\"k\": 1}",
];

/// What stands between the parts of a container, mostly one comma.
const SEPARATORS: &[&str] = &[
    ", ",
    ", ",
    ", ",
    ",",
    ",\n",
    " ",
    "\n",
    ",,",
    "; ",
    ", // why\n",
    "},",
    "}, ",
    "],",
    "]",
    "}",
];

/// What stands between a key and its value, mostly a colon.
const COLONS: &[&str] = &[": ", ": ", ": ", ":", " : ", " = ", " ", ":\n", "", ", "];

/// Values without parts.
const SCALARS: &[&str] = &[
    "1",
    "-2.5",
    "1,234",
    "true",
    "True",
    "null",
    "NaN",
    "12 kg",
    "tru",
    "yes",
    "...",
    "",
    "1e",
    "0x1F",
    "007",
    "price * 2",
    "{{step-1.price}}",
    "undefined",
    "[]",
    "{}",
    "{{",
    "2024-01-02",
];

/// What a text may stand in.
const AROUND: &[(&str, &str)] = &[
    ("", ""),
    ("", ""),
    ("", ""),
    ("Sure: ", "\nDone."),
    ("```json\n", "\n```"),
    ("```\n", ""),
    ("<json>", "</json>"),
    ("<think>{\"a\": 1}</think>", ""),
    ("See [1] and {x}: ", " {\"z\": 0}"),
    ("", "\n{\"later\": [1]}"),
    ("Draft: {\"a\": 0}\nCorrected: ", ""),
];

/// Text number `index`. The same seed gives the same texts.
#[must_use]
pub fn text(seed: u64, index: usize) -> String {
    let mut random = Random::for_case(seed ^ 0x6d_6973, index);
    let (before, after) = *random.one(AROUND);
    let mut text = before.to_owned();
    let depth = random.between(1, 3);
    container(&mut random, depth, &mut text);
    text.push_str(after);
    if random.chance(25) {
        let end = random.below(text.len());
        text.truncate((0..=end).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0));
    }
    text
}

fn container(r: &mut Random, depth: usize, out: &mut String) {
    let list = r.chance(50);
    out.push_str(if list { "[" } else { r.pick(&["{", "{", "{", "{ ", "{\n  ", "{{"]) });
    let pairs = if list { 30 } else { 90 };
    let mark = *r.one(&["\"", "\"", "\"", "'", "'", "“", "`", "‘"]);
    for at in 0..r.below(5) {
        if at > 0 {
            out.push_str(r.pick(SEPARATORS));
        }
        if r.chance(pairs) {
            if r.chance(85) {
                string(r, mark, out);
            } else {
                out.push_str(r.pick(&["key", "b"]));
            }
            out.push_str(r.pick(COLONS));
        }
        match r.below(10) {
            0..=3 => string(r, mark, out),
            4..=6 if depth > 0 => container(r, depth - 1, out),
            _ => out.push_str(r.pick(SCALARS)),
        }
    }
    let closer = if list { "]" } else { "}" };
    out.push_str(r.pick(&[closer, closer, closer, closer, closer, ",]", ",}", "", "}", "]", "}}"]));
}

fn string(r: &mut Random, mark: &str, out: &mut String) {
    let closing = match mark {
        "“" => "”",
        "‘" => "’",
        mark => mark,
    };
    out.push_str(mark);
    out.push_str(r.pick(INSIDES));
    if r.chance(15) {
        out.push_str(r.pick(INSIDES));
    }
    out.push_str(if r.chance(95) { closing } else { r.pick(&["", "\"", "'", "\n"]) });
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    #[test]
    fn texts_differ_and_repeat() {
        let texts = |seed| (0..200).map(move |index| super::text(seed, index));
        assert!(texts(1).eq(texts(1)));
        let different: HashSet<String> = texts(1).chain(texts(2)).collect();
        assert!(different.len() > 300, "{}", different.len());
    }
}
