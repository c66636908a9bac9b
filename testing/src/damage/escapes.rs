//! Damage inside strings: backslashes and raw control characters.

use super::inner_quotes::plant_text;
use super::tokens::{Mean, Role};
use super::work::{Kind, Stage, Work};
use crate::data::Data;
use crate::random::Random;
use crate::words::{self, capital, noun, plain};

pub(crate) const KINDS: &[Kind] = &[
    Kind::new("raw-newline", "raw_newline", Stage::Local, raw_newline),
    Kind::new("raw-tab", "raw_newline", Stage::Local, |w, r| raw(w, r, "\t")),
    Kind::new("raw-crlf", "raw_newline", Stage::Local, |w, r| raw(w, r, "\r\n")),
    Kind::new("raw-control", "raw_newline", Stage::Local, |w, r| raw(w, r, "\u{1}")),
    Kind::new("invalid-escape", "bad_escape", Stage::Local, invalid_escape),
    Kind::new("escaped-apostrophe", "bad_escape", Stage::Local, escaped_apostrophe),
    Kind::new("windows-path", "bad_escape", Stage::Local, windows_path),
    Kind::new("windows-path-trailing", "bad_escape", Stage::Local, windows_path_trailing),
    Kind::new("regex", "bad_escape", Stage::Local, regex),
    Kind::new("latex", "bad_escape", Stage::Local, latex),
    Kind::new("hex-escape", "bad_escape", Stage::Local, hex_escape),
    Kind::new("long-unicode-escape", "bad_escape", Stage::Local, long_unicode_escape),
    Kind::new("lone-surrogate", "bad_escape", Stage::Local, lone_surrogate),
    Kind::new("bad-unicode-escape", "bad_escape", Stage::Local, bad_unicode_escape),
    Kind::new("escaped-underscore-in-key", "bad_escape", Stage::Local, underscore_in_key),
];

fn raw_newline(w: &mut Work, r: &mut Random) -> bool {
    let found =
        w.spot(r, |w, i| w.is_string(i) && w.string(i).is_some_and(|text| text.contains('\n')));
    let found = found.or_else(|| {
        let text = format!("{}\n{}\n", words::code_line(r), words::sentence(r));
        plant_text(w, r, &text)
    });
    let Some(i) = found else { return false };
    w.tokens[i].text = w.tokens[i]
        .text
        .replace("\\\\", "\u{fdd1}")
        .replace("\\n", "\n")
        .replace('\u{fdd1}', "\\\\");
    w.lock(i - 1, i + 1);
    true
}

fn raw(w: &mut Work, r: &mut Random, mark: &str) -> bool {
    let Some(i) = w.spot(r, Work::is_string) else { return false };
    let text = format!("{}{mark}{}", words::sentence(r), plain(r, 3));
    let spelled = format!("\"{text}\"");
    w.respell(i, spelled, Data::Text(text), Vec::new());
    true
}

fn replace(w: &mut Work, r: &mut Random, spelled: &str, text: String, others: Vec<Data>) -> bool {
    let Some(i) = w.spot(r, Work::is_string) else { return false };
    w.respell(i, format!("\"{spelled}\""), Data::Text(text), others);
    true
}

/// Backslashes that Markdown or a shell wants and JSON does not know; the character stays.
fn invalid_escape(w: &mut Work, r: &mut Random) -> bool {
    let (a, b) = (noun(r), noun(r));
    let spelled = match r.below(4) {
        0 => format!("{a}\\_{b} {}", noun(r)),
        1 => format!("{a} costs \\${} per {b}", r.below(90)),
        2 => format!("run \\`{a}\\` for the {b}"),
        _ => format!("{}\\_{a}\\_{b}", noun(r)),
    };
    let text = spelled.replace('\\', "");
    replace(w, r, &spelled.clone(), text, vec![Data::Text(spelled)])
}

fn escaped_apostrophe(w: &mut Work, r: &mut Random) -> bool {
    let spelled = format!("it\\'s {}\\'s {}", r.pick(words::NAMES), noun(r));
    let text = spelled.replace('\\', "");
    replace(w, r, &spelled, text, Vec::new())
}

/// No part starts with `x` and hex digits or with `u`: `\x64` alone could be the letter that it is in C.
/// At least one part of the path starts with a letter that is no escape: were all legal, then the
/// string would be valid JSON, and its tabs and form feeds would stay.
fn windows_parts(r: &mut Random) -> String {
    let legal = ["new", "temp", "build", "reports", "notes", "fonts", "bin", "tools"];
    let illegal =
        ["Users", "data", "Windows", "src", "main", "docs", "Program Files", "AppData", "My Docs"];
    let mut parts = vec![r.pick(&illegal)];
    for _ in 0..r.between(1, 4) {
        parts.push(if r.chance(50) { r.pick(&legal) } else { r.pick(&illegal) });
    }
    let n = parts.len();
    parts.swap(0, r.below(n));
    format!("{}:\\{}", r.pick(&["C", "D", "d", "Z"]), parts.join("\\"))
}

fn windows_path(w: &mut Work, r: &mut Random) -> bool {
    let base = windows_parts(r);
    let path = match r.below(3) {
        0 => format!("{base}\\{}.txt", noun(r)),
        1 => base,
        _ => format!("{base}\\{}.exe /{}", noun(r), noun(r)),
    };
    replace(w, r, &path.clone(), path, Vec::new())
}

/// `"C:\data\", "n": 3`: the next thing must be a quoted key or a closer for the end to be plain.
fn windows_path_trailing(w: &mut Work, r: &mut Random) -> bool {
    let Some(i) = w.spot(r, |w, i| w.is_string(i) && !w.tokens[i].list && w.ends_plainly(i)) else {
        return false;
    };
    let path = format!("{}\\", windows_parts(r));
    w.respell(i, format!("\"{path}\""), Data::Text(path), Vec::new());
    w.lock(i - 1, i + 3);
    true
}

fn regex(w: &mut Work, r: &mut Random) -> bool {
    let a = noun(r);
    let pattern = match r.below(7) {
        0 => format!("^\\d{{2,4}}\\.{a}$"),
        1 => format!("\\b{a}\\s+\\w*"),
        2 => format!("(?<=\\s)\\d+(\\.\\d+)?{a}"),
        3 => format!("{a}\\("),
        4 => format!("[^\\]]+\\{{{a}\\}}"),
        5 => format!("\\$\\{{{a}\\}}\\n\\s*"),
        _ => format!("\\w+@\\w+\\.{a}\\.(com|org)"),
    };
    replace(w, r, &pattern.clone(), pattern, Vec::new())
}

fn latex(w: &mut Work, r: &mut Random) -> bool {
    let a = noun(r);
    let text = match r.below(6) {
        0 => format!("\\alpha + \\beta = {}", r.below(90)),
        1 => format!("The {a} \\(x^2\\) and \\frac{{x-\\mu}}{{\\sigma}}"),
        2 => "\\sum_{i=1}^{n} \\theta_i \\times \\nabla f".to_owned(),
        3 => format!("\\textbf{{{a}}} \\cite{{{a}}} \\ref{{x}}"),
        4 => format!("So \\[ {} \\times {} \\leq x \\]", r.below(9), r.below(9)),
        _ => format!("\\begin{{{a}}} \\item \\rho \\end{{{a}}}"),
    };
    replace(w, r, &text.clone(), text, Vec::new())
}

fn hex_escape(w: &mut Work, r: &mut Random) -> bool {
    let (spelled, text) = match r.below(3) {
        0 => ("caf\\xe9", "café"),
        1 => ("\\x41\\x42", "AB"),
        _ => ("na\\xefve", "naïve"),
    };
    let a = noun(r);
    let spelled = format!("{a} {spelled}");
    replace(w, r, &spelled.clone(), format!("{a} {text}"), vec![Data::Text(spelled)])
}

fn long_unicode_escape(w: &mut Work, r: &mut Random) -> bool {
    let a = noun(r);
    let spelled = format!("{a} \\U0001F600");
    replace(w, r, &spelled.clone(), format!("{a} 😀"), vec![Data::Text(spelled)])
}

fn lone_surrogate(w: &mut Work, r: &mut Random) -> bool {
    let a = noun(r);
    let half = r.pick(&["\\ud83d", "\\udc00", "\\uD83D"]);
    replace(w, r, &format!("{a} {half}!"), format!("{a} \u{fffd}!"), Vec::new())
}

fn bad_unicode_escape(w: &mut Work, r: &mut Random) -> bool {
    let bad = r.pick(&["\\uZZ12", "\\u12", "\\user", "\\u{41}"]);
    let spelled = format!("{} {bad} {}", noun(r), noun(r));
    let meant = spelled.replace("\\u{41}", "A");
    replace(w, r, &spelled.clone(), spelled, vec![Data::Text(meant)])
}

fn underscore_in_key(w: &mut Work, r: &mut Random) -> bool {
    let Some(i) = w.spot(r, |w, i| {
        i > 0 && w.role(i) == Some(Role::Key) && w.is_key(i) && w.free(i - 1, i + 2)
    }) else {
        return false;
    };
    let (a, b) = (noun(r), capital(noun(r)));
    w.tokens[i].text = format!("\"{a}\\_{b}\"");
    w.tokens[i].mean = Mean::Key(format!("{a}_{b}"));
    w.tokens[i].others = vec![Mean::Key(format!("{a}\\_{b}"))];
    w.lock(i - 1, i + 2);
    true
}
