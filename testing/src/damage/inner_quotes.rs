//! Unescaped quotes inside strings, and missing delimiters.

use super::tokens::{Mean, Quote, set_text};
use super::work::{Kind, Stage, Work};
use crate::data::Data;
use crate::random::Random;
use crate::words::{self, capital, noun, plain};

pub(crate) const KINDS: &[Kind] = &[
    Kind::new("inner-quotes-word", "unescaped_quotes", Stage::Local, |w, r| {
        inner(w, r, true, word)
    }),
    Kind::new("inner-quotes-at-end", "unescaped_quotes", Stage::Local, |w, r| {
        inner(w, r, true, at_end)
    }),
    Kind::new("inner-quotes-at-start", "unescaped_quotes", Stage::Local, |w, r| {
        inner(w, r, true, at_start)
    }),
    Kind::new("inner-quotes-at-both-ends", "unescaped_quotes", Stage::Local, |w, r| {
        inner(w, r, false, at_both_ends)
    }),
    Kind::new("inch-mark", "unescaped_quotes", Stage::Local, |w, r| inner(w, r, true, inch)),
    Kind::new("html-attribute", "unescaped_quotes", Stage::Local, |w, r| inner(w, r, true, html)),
    Kind::new("dialogue", "unescaped_quotes", Stage::Local, |w, r| inner(w, r, false, dialogue)),
    Kind::new("inner-quotes-then-comma", "unescaped_quotes", Stage::Local, |w, r| {
        inner(w, r, false, then_comma)
    }),
    Kind::new("inner-quotes-listed", "unescaped_quotes", Stage::Local, |w, r| {
        inner(w, r, false, listed)
    }),
    Kind::new("inner-quotes-then-colon", "unescaped_quotes", Stage::Local, |w, r| {
        inner(w, r, false, then_colon)
    }),
    Kind::new("inner-sql", "tool_args", Stage::Local, |w, r| inner(w, r, false, sql)),
    Kind::new("inner-json", "tool_args", Stage::Local, |w, r| inner(w, r, false, json)),
    Kind::new("inner-code", "tool_args", Stage::Local, |w, r| inner(w, r, false, code)),
    Kind::new("inner-code-raw-lines", "tool_args", Stage::Local, inner_raw_lines),
    Kind::new("inner-paragraphs", "unescaped_quotes", Stage::Local, |w, r| {
        inner(w, r, false, paragraphs)
    }),
    Kind::new("inner-markdown", "tool_args", Stage::Local, |w, r| inner(w, r, false, markdown)),
    Kind::new("inner-csv", "tool_args", Stage::Local, |w, r| inner(w, r, false, csv)),
    Kind::new("inner-configuration", "tool_args", Stage::Local, |w, r| {
        inner(w, r, false, configuration)
    }),
    Kind::new("inner-log", "tool_args", Stage::Local, |w, r| inner(w, r, false, log)),
    Kind::new("inner-shell", "tool_args", Stage::Local, |w, r| inner(w, r, false, shell)),
    Kind::new("several-inner-quotes", "unescaped_quotes", Stage::Local, several),
    Kind::new("inner-quotes-in-parentheses", "unescaped_quotes", Stage::Local, |w, r| {
        inner(w, r, true, parentheses)
    }),
    Kind::new("inner-quotes-half-escaped", "unescaped_quotes", Stage::Local, half_escaped),
    Kind::new("stray-quote-at-end", "unescaped_quotes", Stage::Local, stray_quote),
    Kind::new("inner-quote-in-key", "unescaped_quotes", Stage::Local, quote_in_key),
    Kind::new("missing-end-quote", "missing_quote", Stage::Local, missing_end_quote),
    Kind::new("missing-end-quote-line", "missing_quote", Stage::Local, missing_end_quote_line),
    Kind::new("missing-start-quote", "missing_quote", Stage::Local, missing_start_quote),
    Kind::new("missing-start-quote-item", "missing_quote", Stage::Local, missing_start_quote_item),
    Kind::new("missing-end-quote-of-key", "missing_quote", Stage::Local, missing_end_quote_of_key),
    Kind::new(
        "missing-start-quote-of-key",
        "missing_quote",
        Stage::Local,
        missing_start_quote_of_key,
    ),
];

/// Spells `text` with every quote as it is and everything else escaped.
fn bare_quotes(text: &str) -> String {
    let escaped = crate::data::quoted(text);
    let inside = &escaped[1..escaped.len() - 1];
    format!("\"{}\"", inside.replace("\\\"", "\""))
}

/// Gives a string a text with quotes in it and leaves them unescaped. Texts in which a quote stands
/// beside a comma go to members only, and only where the next thing is a closer or a quoted key: in
/// an array of strings `"a "b", c", "d"` has two readings. The neighbors are locked, so that never
/// does another damage blur the end of the string.
fn inner(w: &mut Work, r: &mut Random, in_lists: bool, make: fn(&mut Random) -> String) -> bool {
    let place = w.spot(r, |w, i| {
        let list = w.tokens[i].list;
        w.is_string(i) && if list { in_lists } else { w.ends_plainly(i) }
    });
    let Some(i) = place else { return false };
    let text = make(r);
    w.respell(i, bare_quotes(&text), Data::Text(text), Vec::new());
    w.lock(i - 1, i + 2);
    true
}

fn count_plain(r: &mut Random) -> String {
    let count = r.between(1, 4);
    plain(r, count)
}

fn quote(r: &mut Random) -> String {
    match r.below(3) {
        0 => format!("\"{}\"", r.pick(words::NAMES)),
        1 => format!("\"{} {}\"", noun(r), noun(r)),
        _ => format!("\"{}\"", noun(r)),
    }
}

fn word(r: &mut Random) -> String {
    let (a, b) = (count_plain(r), count_plain(r));
    match r.below(4) {
        0 => format!("{a} {} {b}", quote(r)),
        1 => format!("The {} {a}, {b}.", quote(r)),
        2 => format!(
            "{} {a} the so-called {} and the {} of {b}",
            r.pick(words::NAMES),
            quote(r),
            quote(r)
        ),
        _ => format!("{} 写着{}的{b}", words::foreign(r), quote(r)),
    }
}

fn at_end(r: &mut Random) -> String {
    match r.below(3) {
        0 => format!("{} said {}", r.pick(words::NAMES), quote(r)),
        1 => format!("{}: {}", capital(&count_plain(r)), quote(r)),
        _ => format!("{} {} and {}", count_plain(r), quote(r), quote(r)),
    }
}

fn at_start(r: &mut Random) -> String {
    format!("{} {}", quote(r), count_plain(r))
}

fn at_both_ends(r: &mut Random) -> String {
    format!("{} {} {}", quote(r), count_plain(r), quote(r))
}

fn inch(r: &mut Random) -> String {
    match r.below(4) {
        0 => format!("{}\" {}", r.between(5, 90), noun(r)),
        1 => format!("{} {}\" {}", noun(r), r.between(5, 90), noun(r)),
        2 => format!("{}'{}\" tall", r.between(4, 6), r.between(1, 11)),
        _ => format!(
            "a {}.{}\" {} for {}",
            r.between(1, 30),
            r.between(1, 9),
            noun(r),
            r.pick(words::NAMES)
        ),
    }
}

fn html(r: &mut Random) -> String {
    match r.below(3) {
        0 => format!("<a href=\"{}\">{}</a>", words::url(r), noun(r)),
        1 => format!(
            "<div class=\"{}\" id=\"{}\">{}</div>",
            noun(r),
            words::identifier(r),
            words::sentence(r)
        ),
        _ => format!(
            "<p>{} <img src=\"/{}.png\" alt=\"{}\"/> {}</p>",
            noun(r),
            noun(r),
            count_plain(r),
            noun(r)
        ),
    }
}

fn dialogue(r: &mut Random) -> String {
    let (a, b) = (r.pick(words::NAMES), r.pick(words::NAMES));
    match r.below(4) {
        0 => format!(
            "{a}: \"{}?\"\n{b}: \"{}.\"",
            capital(&count_plain(r)),
            capital(&count_plain(r))
        ),
        1 => format!(
            "\"{}?\" asked {a}. \"{}.\"",
            capital(&count_plain(r)),
            capital(&count_plain(r))
        ),
        2 => format!(
            "{a} said: \"{}.\" Then {b} said: \"{}!\"",
            capital(&count_plain(r)),
            capital(noun(r))
        ),
        _ => format!(
            "\"{},\" said {a}, \"{}.\" And {b} left.",
            capital(&count_plain(r)),
            count_plain(r)
        ),
    }
}

fn then_comma(r: &mut Random) -> String {
    format!("{} {}, {}", count_plain(r), quote(r), count_plain(r))
}

fn listed(r: &mut Random) -> String {
    match r.below(2) {
        0 => format!("{} {}, {} and {} {}", count_plain(r), quote(r), quote(r), quote(r), noun(r)),
        _ => format!("{} ({}, {}) {}", count_plain(r), quote(r), quote(r), noun(r)),
    }
}

fn then_colon(r: &mut Random) -> String {
    format!("the {} {}: {}", noun(r), quote(r), count_plain(r))
}

fn sql(r: &mut Random) -> String {
    let (a, b, t) = (noun(r), noun(r), noun(r));
    match r.below(3) {
        0 => format!("SELECT \"{a}\", \"{b}\" FROM \"{t}\" WHERE {a} = 'x'"),
        1 => format!("INSERT INTO \"{t}\" (\"{a}\", \"{b}\") VALUES ({}, 2)", r.below(90)),
        _ => format!(
            "SELECT COUNT(*) AS \"{a}\" FROM {t} WHERE {b} > {} ORDER BY \"{a}\"",
            r.below(90)
        ),
    }
}

fn json(r: &mut Random) -> String {
    let (a, b) = (noun(r), words::identifier(r));
    match r.below(4) {
        0 => format!("{{\"{a}\":{}}}", r.below(90)),
        1 => format!("{{\"{a}\": \"{b}\", \"n\": {}}}", r.below(90)),
        2 => {
            format!("{{\n  \"{a}\": \"{b}\",\n  \"list\": [\"{}\", \"{}\"]\n}}\n", noun(r), noun(r))
        }
        _ => format!("[{{\"{a}\": {{\"{b}\": [1, 2]}}}}]"),
    }
}

fn code(r: &mut Random) -> String {
    let (a, b) = (noun(r), noun(r));
    match r.below(7) {
        0 => format!("const {a} = {{{b}: \"c\", d: [1, 2]}};\nmodule.exports = {a};"),
        1 => {
            format!("import os\n\ndef {a}():\n    print(\"{b}\")\n    return os.environ[\"{b}\"]\n")
        }
        2 => format!("fn {a}() {{\n    println!(\"{b} {{}}\", {});\n}}\n", r.below(9)),
        3 => format!("echo \"${a}\" | grep \"{b}\" > out.txt"),
        4 => format!("if ({a} == \"{b}\") {{ return \"{}\"; }}", noun(r)),
        5 => format!("#include \"{a}.h\"\nint main(void) {{ puts(\"{b}\\n\"); return 0; }}\n"),
        _ => format!("[{a}](\"{}\") and ![{b}](\"x.png\")", words::url(r)),
    }
}

fn paragraphs(r: &mut Random) -> String {
    let size = r.between(2, 5);
    let mut out = String::new();
    for i in 0..size {
        let glue = if i == 0 { "" } else { r.pick(&[" ", "\n\n", "\n"]) };
        let text = match r.below(3) {
            0 => words::sentence(r),
            1 => format!(
                "{} called it {}, which {} denied.",
                r.pick(words::NAMES),
                quote(r),
                r.pick(words::NAMES)
            ),
            _ => format!("The {} read {}; {} laughed.", noun(r), quote(r), r.pick(words::NAMES)),
        };
        out.push_str(glue);
        out.push_str(&text);
    }
    format!("{out} In short: {} or {}?", quote(r), quote(r))
}

fn markdown(r: &mut Random) -> String {
    format!(
        "# {}\n\n- **{}**: the {} one\n- `{}`: see {}\n\n> {}\n\n| {} | {} |\n|---|---|\n| {} | {} |\n",
        capital(noun(r)),
        noun(r),
        quote(r),
        words::path(r),
        quote(r),
        quote(r),
        noun(r),
        noun(r),
        quote(r),
        r.below(90)
    )
}

fn csv(r: &mut Random) -> String {
    let mut out = "id,name,note\n".to_owned();
    for i in 1..=r.between(2, 4) {
        let row = format!("{i},{},\"{}, {}\"\n", quote(r), noun(r), noun(r));
        out.push_str(&row);
    }
    out
}

fn configuration(r: &mut Random) -> String {
    let (a, b, c) = (noun(r), noun(r), noun(r));
    match r.below(3) {
        0 => {
            format!("[{a}]\nname = \"{b}\"\ntags = [\"{c}\", \"{a}\"]\nport = {}\n", r.below(9000))
        }
        1 => format!("{a}:\n  name: \"{b}\"\n  args: [\"--{c}\", \"{}\"]\n", r.below(90)),
        _ => format!("<{a} name=\"{b}\" kind=\"{c}\">\n  <item n=\"{}\"/>\n</{a}>\n", r.below(90)),
    }
}

fn log(r: &mut Random) -> String {
    let (a, b) = (noun(r), noun(r));
    format!(
        "10:{:02} INFO {a}: loaded \"{b}.json\"\n10:{:02} WARN {b}: expected \"{}\", found \"{}\" (line {})",
        r.below(60),
        r.below(60),
        noun(r),
        noun(r),
        r.below(400)
    )
}

fn shell(r: &mut Random) -> String {
    let (a, b) = (noun(r), noun(r));
    match r.below(3) {
        0 => {
            format!("git commit -m \"{} the {a}\" && git push origin \"{b}\"", r.pick(words::VERBS))
        }
        1 => format!("grep -rn \"{a}\" src | awk -F\":\" '{{print $1}}' | sort -u"),
        _ => format!("python -c \"print('{a}')\"; for f in *.{b}; do echo \"$f\"; done"),
    }
}

/// Two or three members of one document, each with quotes of its own.
fn several(w: &mut Work, r: &mut Random) -> bool {
    let makers: [fn(&mut Random) -> String; 6] = [word, at_end, inch, parentheses, html, at_start];
    let mut done = 0;
    for _ in 0..r.between(2, 3) {
        let make = *r.one(&makers);
        done += usize::from(inner(w, r, true, make));
    }
    done > 1
}

fn inner_raw_lines(w: &mut Work, r: &mut Random) -> bool {
    let Some(i) = w.spot(r, |w, i| w.is_string(i) && !w.tokens[i].list && w.ends_plainly(i)) else {
        return false;
    };
    let text = match r.below(3) {
        0 => format!("key: {}\nlist:\n  - \"{}\"\n  - b: {{c: 1}}\n", noun(r), noun(r)),
        1 => format!("print(\"{}\")\nprint(\"{} {}\")\n", noun(r), noun(r), noun(r)),
        _ => format!("# {}\n\nUse \"{}\" for {}.\n", capital(noun(r)), noun(r), noun(r)),
    };
    w.respell(i, format!("\"{text}\""), Data::Text(text), Vec::new());
    w.lock(i - 1, i + 2);
    true
}

fn parentheses(r: &mut Random) -> String {
    format!("{} ({}) {}", count_plain(r), quote(r), count_plain(r))
}

fn half_escaped(w: &mut Work, r: &mut Random) -> bool {
    let Some(i) = w.spot(r, |w, i| w.is_string(i) && w.ends_plainly(i)) else { return false };
    let (a, b, c, d) = (count_plain(r), noun(r), noun(r), count_plain(r));
    let spelled = format!("\"{a} \"{b}\" and \\\"{c}\\\" {d}\"");
    w.respell(i, spelled, Data::Text(format!("{a} \"{b}\" and \"{c}\" {d}")), Vec::new());
    w.lock(i - 1, i + 2);
    true
}

fn stray_quote(w: &mut Work, r: &mut Random) -> bool {
    let Some(i) = w.spot(r, |w, i| w.is_string(i) && w.ends_plainly(i)) else { return false };
    let text = count_plain(r);
    w.respell(i, format!("\"{text}\"\""), Data::Text(format!("{text}\"")), vec![Data::Text(text)]);
    w.lock(i - 1, i + 2);
    true
}

fn quote_in_key(w: &mut Work, r: &mut Random) -> bool {
    let Some(i) = w.spot(r, |w, i| w.is_key(i) && w.free(i - 1, i + 2)) else { return false };
    let (a, b) = (noun(r), noun(r));
    let token = &mut w.tokens[i];
    token.text = format!("\"{a}\"{b}\"");
    token.mean = Mean::Key(format!("{a}\"{b}"));
    token.others = vec![Mean::Key(format!("{a}{b}"))];
    w.lock(i - 1, i + 2);
    true
}

/// Words without any mark that could end them early.
fn words_only(r: &mut Random) -> String {
    let count = r.between(1, 4);
    capital(&plain(r, count))
}

/// `"city": "Bergen, "n": 1`, and before a closer. The text has no marks but words and commas, so
/// that the quote of the next key is the only sign, and a sufficient one.
fn missing_end_quote(w: &mut Work, r: &mut Random) -> bool {
    let Some(i) = w.spot(r, |w, i| {
        w.is_string(i) && !w.tokens[i].list && w.ends_plainly(i) && w.free(i, i + 2)
    }) else {
        return false;
    };
    let text =
        if r.chance(25) { format!("{}, {}", words_only(r), words_only(r)) } else { words_only(r) };
    w.respell(i, format!("\"{text}"), Data::Text(text), Vec::new());
    w.lock(i - 1, i + 3);
    true
}

/// The same at the end of a line, in an object or an array.
fn missing_end_quote_line(w: &mut Work, r: &mut Random) -> bool {
    let place = w.spot(r, |w, i| {
        let next = if w.role(i + 1) == Some(super::tokens::Role::Comma) { i + 2 } else { i + 1 };
        w.is_string(i) && next < w.len() && w.free(i, next) && w.tokens[next].before.contains('\n')
    });
    let Some(i) = place else { return false };
    let text = words_only(r);
    w.respell(i, format!("\"{text}"), Data::Text(text), Vec::new());
    w.lock(i - 1, i + 3);
    true
}

fn missing_start_quote(w: &mut Work, r: &mut Random) -> bool {
    let Some(i) = w.spot(r, |w, i| w.is_string(i) && !w.tokens[i].list && w.ends_plainly(i)) else {
        return false;
    };
    let text = words_only(r);
    w.respell(i, format!("{text}\""), Data::Text(text), Vec::new());
    w.lock(i - 1, i + 3);
    true
}

fn missing_start_quote_item(w: &mut Work, r: &mut Random) -> bool {
    let Some(i) = w.spot(r, |w, i| w.is_string(i) && w.tokens[i].list) else { return false };
    let text = noun(r).to_owned();
    w.respell(i, format!("{text}\""), Data::Text(text), Vec::new());
    w.lock(i - 1, i + 2);
    true
}

fn plain_key(w: &Work, i: usize) -> bool {
    let Mean::Key(key) = &w.tokens[i].mean else { return false };
    w.is_key(i) && w.free(i - 1, i + 2) && super::tokens::is_name(key)
}

fn missing_end_quote_of_key(w: &mut Work, r: &mut Random) -> bool {
    let Some(i) = w.spot(r, |w, i| i > 0 && plain_key(w, i)) else { return false };
    w.tokens[i].text.pop();
    w.tokens[i].quote = Quote::Other;
    w.lock(i - 1, i + 2);
    true
}

fn missing_start_quote_of_key(w: &mut Work, r: &mut Random) -> bool {
    let Some(i) = w.spot(r, |w, i| i > 0 && plain_key(w, i)) else { return false };
    w.tokens[i].text.remove(0);
    w.tokens[i].quote = Quote::Other;
    w.lock(i - 1, i + 2);
    true
}

/// Gives some string of the document this text, properly escaped.
pub(crate) fn plant_text(w: &mut Work, r: &mut Random, text: &str) -> Option<usize> {
    let i = w.spot(r, Work::is_string)?;
    set_text(&mut w.tokens[i], text);
    Some(i)
}
