//! Words, literals and code in place of JSON values.

use super::inner_quotes::plant_text;
use super::tokens::{Mean, Quote, Role, is_name};
use super::work::{Kind, Stage, Work};
use crate::case::Verdict;
use crate::data::Data;
use crate::random::Random;
use crate::words::{self, capital, noun, plain};

pub(crate) const KINDS: &[Kind] = &[
    Kind::new("bare-word", "unquoted", Stage::Local, bare_word),
    Kind::new("bare-words", "unquoted", Stage::Local, bare_words),
    Kind::new("bare-list", "unquoted", Stage::Local, bare_list),
    Kind::new("bare-url", "unquoted", Stage::Local, bare_url),
    Kind::new("bare-path", "unquoted", Stage::Local, bare_path),
    Kind::new("bare-grade", "unquoted", Stage::Local, bare_grade),
    Kind::new("one-bare-key", "unquoted", Stage::Local, one_bare_key),
    Kind::new("numeric-key", "unquoted", Stage::Local, numeric_key),
    Kind::new("python-literals", "single_quotes", Stage::Local, |w, _| {
        literals(w, "True", "False", "None")
    })
    .planting(plant_literals),
    Kind::new("upper-literals", "unquoted", Stage::Local, |w, _| {
        literals(w, "TRUE", "FALSE", "NULL")
    })
    .planting(plant_literals),
    Kind::new("not-a-number", "unquoted", Stage::Local, not_a_number),
    Kind::new("undefined", "unquoted", Stage::Local, undefined),
    Kind::new("concatenation", "concat", Stage::Local, concatenation),
    Kind::new("adjacent-strings", "concat", Stage::Local, adjacent),
    Kind::new("triple-quotes", "raw_newline", Stage::Local, triple),
    Kind::new("string-prefix", "single_quotes", Stage::Local, prefix),
    Kind::new("backticks", "single_quotes", Stage::Local, backticks),
    Kind::new("mixed-quotes", "single_quotes", Stage::Local, mixed_quotes),
    Kind::new("smart-quotes-around-one", "cjk", Stage::Local, smart_around_one),
    Kind::new("stray-word", "missing_quote", Stage::Local, stray_word),
    Kind::new("escaped-delimiters", "over_escaped", Stage::Local, escaped_delimiters),
    Kind::new("call", "single_quotes", Stage::Local, call),
    Kind::new("mongo-wrapper", "single_quotes", Stage::Local, mongo),
    Kind::new("object-representation", "single_quotes", Stage::Local, representation),
    Kind::new("template", "template", Stage::Local, template),
    Kind::new("shell-value", "unquoted", Stage::Local, shell),
];

fn ambiguous(w: &mut Work, done: bool) -> bool {
    if done && w.verdict == Verdict::Value {
        w.verdict = Verdict::Ambiguous;
    }
    done
}

fn member_place(w: &Work, r: &mut Random) -> Option<usize> {
    w.spot(r, |w, i| w.is_member(i) && w.ends_plainly(i))
}

fn member(w: &mut Work, r: &mut Random, spelled: &str, mean: &str) -> bool {
    let Some(i) = member_place(w, r) else { return false };
    w.respell(i, spelled, Data::text(mean), Vec::new());
    w.lock(i, i + 2);
    true
}

fn bare_word(w: &mut Work, r: &mut Random) -> bool {
    let Some(i) = w.spot(r, Work::is_scalar) else { return false };
    let word = match r.below(3) {
        0 => capital(noun(r)),
        1 => format!("{}_{}", noun(r), noun(r)),
        _ => noun(r).to_owned(),
    };
    w.respell(i, &*word, Data::text(&*word), Vec::new());
    true
}

fn bare_words(w: &mut Work, r: &mut Random) -> bool {
    let count = r.between(2, 5);
    let words = plain(r, count);
    member(w, r, &words, &words)
}

fn bare_list(w: &mut Work, r: &mut Random) -> bool {
    let place = w.spot(r, |w, i| {
        let close = w.tokens[i].link;
        w.role(i) == Some(Role::Open)
            && w.tokens[i].list
            && close > i + 1
            && w.free(i, close)
            && (i + 1..close).all(|k| w.role(k) == Some(Role::Comma) || w.string(k).is_some())
    });
    let Some(i) = place else { return false };
    let close = w.tokens[i].link;
    for k in (i + 1..close).step_by(2) {
        let word = noun(r);
        w.respell(k, word, Data::text(word), Vec::new());
    }
    w.lock(i, close);
    true
}

fn bare_url(w: &mut Work, r: &mut Random) -> bool {
    let url = words::url(r);
    member(w, r, &url, &url)
}

fn bare_path(w: &mut Work, r: &mut Random) -> bool {
    let path = words::path(r);
    member(w, r, &path, &path)
}

fn bare_grade(w: &mut Work, r: &mut Random) -> bool {
    let text = r.pick(&[
        "A+",
        "B-",
        "12B",
        "UTC+2",
        "n/a",
        "3rd",
        "ada@example.org",
        "@home",
        "left-to-right",
    ]);
    member(w, r, text, text)
}

fn one_bare_key(w: &mut Work, r: &mut Random) -> bool {
    let place = w.spot(r, |w, i| {
        i > 0
            && w.is_key(i)
            && w.free(i - 1, i + 2)
            && matches!(&w.tokens[i].mean, Mean::Key(key) if is_name(key))
    });
    let Some(i) = place else { return false };
    let token = &mut w.tokens[i];
    token.text = token.text.trim_matches('"').to_owned();
    token.quote = Quote::Other;
    w.lock(i - 1, i + 2);
    true
}

fn numeric_key(w: &mut Work, r: &mut Random) -> bool {
    let Some(i) = w.spot(r, |w, i| i > 0 && w.is_key(i) && w.free(i - 1, i + 2)) else {
        return false;
    };
    let key = r.below(3000).to_string();
    let token = &mut w.tokens[i];
    token.text.clone_from(&key);
    token.mean = Mean::Key(key);
    token.quote = Quote::Other;
    w.lock(i - 1, i + 2);
    true
}

fn plant_literals(members: &mut Vec<(String, Data)>, r: &mut Random) {
    members.push(("enabled".to_owned(), Data::Bool(r.chance(50))));
    if r.chance(60) {
        members.push(("parent".to_owned(), Data::Null));
    }
}

fn literals(w: &mut Work, yes: &str, no: &str, none: &str) -> bool {
    let mut any = false;
    for i in 0..w.len() {
        let word = match &w.tokens[i].mean {
            Mean::Value(Data::Bool(true)) => yes,
            Mean::Value(Data::Bool(false)) => no,
            Mean::Value(Data::Null) => none,
            _ => continue,
        };
        if i > 0 && w.is_scalar(i) {
            word.clone_into(&mut w.tokens[i].text);
            w.tokens[i].locked = true;
            any = true;
        }
    }
    any
}

fn not_a_number(w: &mut Work, r: &mut Random) -> bool {
    let Some(i) = w.spot(r, Work::is_scalar) else { return false };
    let word = r.pick(&["NaN", "Infinity", "-Infinity", "nan", "NaN"]);
    w.respell(i, word, Data::Null, vec![Data::text(word)]);
    true
}

fn undefined(w: &mut Work, r: &mut Random) -> bool {
    let Some(i) = w.spot(r, Work::is_member) else { return false };
    let word = r.pick(&["undefined", "nil", "undefined"]);
    w.respell(i, word, Data::Null, Vec::new());
    if word == "undefined" {
        w.tokens[i].others = vec![Mean::Absent];
    }
    true
}

fn concatenation(w: &mut Work, r: &mut Random) -> bool {
    let Some(i) = member_place(w, r) else { return false };
    let (a, b) = (format!("{}, ", plain(r, 2)), plain(r, 2));
    let glue = r.pick(&[" + ", "+", " +\n    "]);
    w.respell(i, format!("\"{a}\"{glue}\"{b}\""), Data::Text(format!("{a}{b}")), Vec::new());
    w.lock(i, i + 2);
    true
}

/// In parentheses, as Python writes them: without, two strings side by side are rather two items.
fn adjacent(w: &mut Work, r: &mut Random) -> bool {
    let Some(i) = member_place(w, r) else { return false };
    let (a, b) = (format!("{} ", plain(r, 2)), plain(r, 2));
    let q = r.pick(&["\"", "'"]);
    let glue = r.pick(&[" ", "\n    "]);
    w.respell(i, format!("({q}{a}{q}{glue}{q}{b}{q})"), Data::Text(format!("{a}{b}")), Vec::new());
    w.lock(i, i + 2);
    true
}

fn triple(w: &mut Work, r: &mut Random) -> bool {
    let Some(i) = member_place(w, r) else { return false };
    let text = match r.below(3) {
        0 => format!("{}\n{}", words::sentence(r), words::sentence(r)),
        1 => format!("{} \"{}\" {}\n", plain(r, 2), noun(r), noun(r)),
        _ => plain(r, 3),
    };
    let q = if r.chance(70) { "\"\"\"" } else { "'''" };
    let text = if q == "'''" { text.replace('\'', "") } else { text };
    w.respell(i, format!("{q}{text}{q}"), Data::Text(text), Vec::new());
    w.lock(i, i + 2);
    true
}

fn prefix(w: &mut Work, r: &mut Random) -> bool {
    let Some(i) = w.spot(r, Work::is_string) else { return false };
    let text = plain(r, 2);
    let q = r.pick(&["'", "\""]);
    let mark = r.pick(&["u", "b", "r"]);
    w.respell(i, format!("{mark}{q}{text}{q}"), Data::Text(text), Vec::new());
    true
}

fn backticks(w: &mut Work, r: &mut Random) -> bool {
    let Some(i) = w.spot(r, Work::is_string) else { return false };
    let text = match r.below(3) {
        0 => format!("{} \"{}\" {}", noun(r), noun(r), noun(r)),
        1 => format!("{}\n{}", plain(r, 3), plain(r, 2)),
        _ => plain(r, 3),
    };
    w.respell(i, format!("`{text}`"), Data::Text(text), Vec::new());
    true
}

/// One value or key in single quotes among double ones.
fn mixed_quotes(w: &mut Work, r: &mut Random) -> bool {
    let Some(i) = w.spot(r, Work::is_string) else { return false };
    let text = match r.below(4) {
        0 => format!("say \"{}\" {}", noun(r), noun(r)),
        1 => format!("{{\"{}\": \"{}\"}}", noun(r), noun(r)),
        2 => format!("it's {}", plain(r, 2)),
        _ => plain(r, 3),
    };
    w.respell(i, format!("'{text}'"), Data::Text(text), Vec::new());
    true
}

/// One value in smart quotes, with straight ones inside now and then.
fn smart_around_one(w: &mut Work, r: &mut Random) -> bool {
    let Some(i) = w.spot(r, Work::is_string) else { return false };
    let text =
        if r.chance(30) { format!("{} \"{}\" {}", noun(r), noun(r), noun(r)) } else { plain(r, 3) };
    let (left, right) = *r.one(&[("“", "”"), ("„", "“"), ("”", "”")]);
    w.respell(i, format!("{left}{text}{right}"), Data::Text(text), Vec::new());
    true
}

/// `["a" STRAY, "b"]`: the word is an item, or nothing, or a reason to refuse.
fn stray_word(w: &mut Work, r: &mut Random) -> bool {
    let Some(i) = w.spot(r, |w, i| w.is_string(i) && w.tokens[i].list) else { return false };
    let word = noun(r).to_uppercase();
    let mut stray = w.tokens[i].clone();
    w.lock(i - 1, i + 1);
    " ".clone_into(&mut stray.before);
    stray.text.clone_from(&word);
    stray.mean = Mean::Value(Data::Text(word));
    stray.others = vec![Mean::Absent];
    (stray.locked, stray.quote) = (true, Quote::Other);
    for token in &mut w.tokens {
        token.link += usize::from(token.link > i);
    }
    w.tokens.insert(i + 1, stray);
    ambiguous(w, true)
}

/// `"a": \"x\"`
fn escaped_delimiters(w: &mut Work, r: &mut Random) -> bool {
    let places: Vec<usize> =
        (0..w.len()).filter(|&i| w.is_string(i) && !w.tokens[i].list).collect();
    for &i in &places {
        let count = r.between(1, 3);
        let text = plain(r, count);
        w.tokens[i].text = format!("\\\"{text}\\\"");
        w.tokens[i].mean = Mean::Value(Data::Text(text));
        w.tokens[i].quote = Quote::Other;
    }
    for &i in &places {
        w.lock(i - 1, i + 2);
    }
    !places.is_empty()
}

fn call(w: &mut Work, r: &mut Random) -> bool {
    let spelled = match r.below(6) {
        0 => format!(
            "datetime.date({}, {}, {})",
            r.between(2000, 2030),
            r.between(1, 12),
            r.between(1, 28)
        ),
        1 => format!("datetime.datetime({}, 5, 1, 10, 30)", r.between(2000, 2030)),
        2 => format!("len({})", noun(r)),
        3 => format!("new Date({}, 0, 2)", r.between(2000, 2030)),
        4 => format!("round({}.50)", r.below(90)),
        _ => format!("get_{}({}, n=2)", noun(r), noun(r)),
    };
    let done = member(w, r, &spelled, &spelled);
    ambiguous(w, done)
}

fn mongo(w: &mut Work, r: &mut Random) -> bool {
    let Some(i) = w.spot(r, Work::is_scalar) else { return false };
    let n = r.between(1, 90_000);
    let (spelled, mean) = match r.below(4) {
        0 => (format!("ObjectId(\"{n:024x}\")"), Data::Text(format!("{n:024x}"))),
        1 => (format!("NumberLong({n})"), Data::number(n)),
        2 => (
            format!("ISODate(\"2024-05-{:02}\")", n % 28 + 1),
            Data::Text(format!("2024-05-{:02}", n % 28 + 1)),
        ),
        _ => (format!("NumberDecimal(\"{n}.5\")"), Data::Text(format!("{n}.5"))),
    };
    w.respell(i, spelled, mean, Vec::new());
    true
}

fn representation(w: &mut Work, r: &mut Random) -> bool {
    let a = capital(noun(r));
    let spelled = match r.below(4) {
        0 => format!("<{a} object at 0x7f{:08x}>", r.below(1 << 30)),
        1 => format!("function(){{return {}}}", r.below(90)),
        2 => format!("/{}+\\s*$/", noun(r)),
        _ => format!("<class '{}'>", noun(r)),
    };
    let done = member(w, r, &spelled, &spelled);
    ambiguous(w, done)
}

fn template(w: &mut Work, r: &mut Random) -> bool {
    let spelled = match r.below(3) {
        0 => format!("{{{{step-{}.response.{}}}}}", r.between(1, 9), noun(r)),
        1 => format!("{{{{ {} }}}}", noun(r)),
        _ => format!("{{{{{}.{}[0]}}}}", noun(r), noun(r)),
    };
    member(w, r, &spelled, &spelled)
}

fn shell(w: &mut Work, r: &mut Random) -> bool {
    let spelled = match r.below(3) {
        0 => format!("$HOME/bin/{} --fast", noun(r)),
        1 => format!("${{{}}}", noun(r).to_uppercase()),
        _ => format!("./{}.sh -v", noun(r)),
    };
    let done = member(w, r, &spelled, &spelled);
    ambiguous(w, done)
}

/// An innocent string that has what the other damages might trip over.
pub(crate) fn trap(w: &mut Work, r: &mut Random) {
    let text = words::tricky(r);
    plant_text(w, r, &text);
}
