//! Dialects of whole documents.

use std::fmt::Write;

use super::tokens::{Layout, Mean, Quote, Role, Token, is_name, text_of};
use super::work::{Kind, Stage, Work};
use crate::data::{Data, quoted};
use crate::random::Random;

pub(crate) const KINDS: &[Kind] = &[
    Kind::new("python-repr", "single_quotes", Stage::Style, python_repr),
    Kind::new("single-quotes", "single_quotes", Stage::Style, single_quotes),
    Kind::new("single-quotes-raw-apostrophe", "single_quotes", Stage::Style, raw_apostrophes),
    Kind::new("javascript-object", "unquoted", Stage::Style, javascript),
    Kind::new("backticks-everywhere", "single_quotes", Stage::Style, |w, _| delimit(w, "`", "`")),
    Kind::new("smart-quotes", "cjk", Stage::Style, |w, _| delimit(w, "“", "”")),
    Kind::new("smart-single-quotes", "cjk", Stage::Style, |w, _| delimit(w, "‘", "’")),
    Kind::new("guillemets", "cjk", Stage::Style, |w, _| delimit(w, "«", "»")),
    Kind::new("smart-quotes-and-full-width", "cjk", Stage::Style, smart_and_wide),
    Kind::new("full-width-colons-and-commas", "cjk", Stage::Style, |w, _| {
        full_width(w, &[':', ','])
    }),
    Kind::new("full-width-everything", "cjk", Stage::Style, full_width_all),
    Kind::new("doubled-quotes", "single_quotes", Stage::Style, |w, _| delimit(w, "\"\"", "\"\"")),
    Kind::new("doubled-single-quotes", "single_quotes", Stage::Style, |w, _| {
        delimit(w, "''", "''")
    }),
    Kind::new("bare-keys", "unquoted", Stage::Style, bare_keys),
    Kind::new("bare-keys-with-marks", "unquoted", Stage::Style, bare_keys_with_marks),
    Kind::new("bare-keys-and-words", "unquoted", Stage::Style, bare_all),
    Kind::new("bare-lines", "yamlish", Stage::Style, bare_lines),
    Kind::new("bold-keys", "markup_wrap", Stage::Style, bold_keys),
    Kind::new("no-break-spaces", "cjk", Stage::Style, |w, r| spaces(w, r, "\u{a0}")),
    Kind::new("ideographic-spaces", "cjk", Stage::Style, |w, r| spaces(w, r, "\u{3000}")),
    Kind::new("zero-width-spaces", "cjk", Stage::Style, |w, r| spaces(w, r, "\u{200b}")),
    Kind::new("doubled-outer-braces", "template", Stage::Style, doubled_braces),
    Kind::new("literal-newlines", "raw_newline", Stage::Style, literal_newlines),
];

/// Spells every string anew. False, with nothing changed, when one of them cannot be.
fn respell(w: &mut Work, spell: impl Fn(&Token, &str) -> Option<String>) -> bool {
    let mut spelled = Vec::new();
    for (i, token) in w.tokens.iter().enumerate() {
        if let Some(text) = text_of(token) {
            let Some(text) = spell(token, text) else { return false };
            spelled.push((i, text));
        }
    }
    let any = !spelled.is_empty();
    for (i, text) in spelled {
        w.tokens[i].text = text;
        w.tokens[i].quote = Quote::Other;
    }
    any
}

/// Only texts without any mark that could be taken for a delimiter: the marks would close them.
fn delimit(w: &mut Work, left: &str, right: &str) -> bool {
    let marks = ['"', '\'', '`', '“', '”', '‘', '’', '«', '»', '\\'];
    respell(w, |_, text| {
        let plain = !text.contains(marks) && !text.is_empty() && !text.chars().any(|c| c < ' ');
        plain.then(|| format!("{left}{text}{right}"))
    })
}

fn python_string(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut out = String::from(quote);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\\' => out.push_str("\\\\"),
            c if c == quote => out.extend(['\\', c]),
            c if c < ' ' => {
                let _ = write!(out, "\\x{:02x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push(quote);
    out
}

/// What `repr` prints.
fn python_repr(w: &mut Work, _: &mut Random) -> bool {
    for token in &mut w.tokens {
        let word = match &token.mean {
            Mean::Value(Data::Bool(true)) => "True",
            Mean::Value(Data::Bool(false)) => "False",
            Mean::Value(Data::Null) => "None",
            _ => continue,
        };
        word.clone_into(&mut token.text);
        token.quote = Quote::Other;
    }
    respell(w, |_, text| Some(python_string(text)))
}

fn single(text: &str) -> String {
    let inside = quoted(text);
    let inside = inside[1..inside.len() - 1].replace("\\\"", "\"");
    format!("'{}'", inside.replace('\'', "\\'"))
}

fn single_quotes(w: &mut Work, _: &mut Random) -> bool {
    respell(w, |_, text| Some(single(text)))
}

/// Apostrophes inside a word stay as they are; no other single or double quote is in the document.
fn raw_apostrophes(w: &mut Work, _: &mut Random) -> bool {
    let mut any = false;
    for token in &w.tokens {
        let chars: Vec<char> = text_of(token).unwrap_or_default().chars().collect();
        for (i, c) in chars.iter().enumerate() {
            let letter = |k: usize| chars.get(k).is_some_and(|c| c.is_alphabetic());
            let inside = i > 0 && letter(i - 1) && letter(i + 1);
            if ['"', '\\', '‘', '’'].contains(c) || (*c == '\'' && !inside) || *c < ' ' {
                return false;
            }
            any |= *c == '\'';
        }
    }
    any && respell(w, |_, text| Some(format!("'{text}'")))
}

fn javascript(w: &mut Work, _: &mut Random) -> bool {
    respell(w, |token, text| match token.role {
        Role::Key if is_name(text) => Some(text.to_owned()),
        _ => Some(single(text)),
    })
}

fn smart_and_wide(w: &mut Work, r: &mut Random) -> bool {
    let signs: &[char] = if r.chance(50) { &[':', ','] } else { &[':'] };
    delimit(w, "“", "”") && full_width(w, signs)
}

fn wide(c: char) -> char {
    char::from_u32(c as u32 + 0xfee0).unwrap_or(c)
}

fn full_width(w: &mut Work, signs: &[char]) -> bool {
    let mut any = false;
    for token in &mut w.tokens {
        let sign = token.text.chars().next().unwrap_or(' ');
        if !matches!(token.role, Role::Key | Role::Scalar) && signs.contains(&sign) {
            token.text = wide(sign).to_string();
            token.locked = true;
            any = true;
        }
    }
    any
}

fn full_width_all(w: &mut Work, _: &mut Random) -> bool {
    delimit(w, "＂", "＂") && full_width(w, &[':', ',', '{', '}', '[', ']'])
}

fn bare_keys_if(w: &mut Work, fits: impl Fn(&str) -> bool) -> bool {
    let mut any = false;
    for token in &mut w.tokens {
        if let Mean::Key(key) = &token.mean
            && fits(key)
        {
            token.text.clone_from(key);
            token.quote = Quote::Other;
            any = true;
        }
    }
    any
}

fn bare_keys(w: &mut Work, _: &mut Random) -> bool {
    let letters =
        |key: &str| is_name(key) || (!key.is_ascii() && key.chars().all(char::is_alphabetic));
    bare_keys_if(w, letters)
}

/// `first name`, `user-id`, `a.b`, `$ref`
fn bare_keys_with_marks(w: &mut Work, r: &mut Random) -> bool {
    let marks = ["-", ".", " ", "_"];
    for token in &mut w.tokens {
        if let Mean::Key(key) = &token.mean
            && is_name(key)
            && r.chance(50)
        {
            let key = match r.below(5) {
                0 => format!("${key}"),
                _ => format!("{key}{}{}", r.pick(&marks), crate::words::noun(r)),
            };
            token.text.clone_from(&key);
            token.mean = Mean::Key(key);
            token.quote = Quote::Other;
        }
    }
    bare_keys_if(w, is_name)
        || w.tokens.iter().any(|t| t.role == Role::Key && t.quote == Quote::Other)
}

fn is_plain_words(text: &str) -> bool {
    let first = text.chars().next().is_some_and(char::is_alphabetic);
    let literal = ["true", "false", "null", "none", "nan", "nil", "undefined", "yes", "no"];
    first
        && text.chars().all(|c| c.is_alphanumeric() || c == ' ' || c == '_')
        && !text.ends_with(' ')
        && !literal.contains(&text.to_lowercase().as_str())
}

/// `{name: Ola, age: 31}`: keys, and words without any mark. All of it stays undamaged otherwise.
fn bare_all(w: &mut Work, _: &mut Random) -> bool {
    let mut any = false;
    for token in &mut w.tokens {
        let Some(text) = text_of(token).map(str::to_owned) else { continue };
        let fits = if token.role == Role::Key { is_name(&text) } else { is_plain_words(&text) };
        if fits {
            token.text = text;
            token.quote = Quote::Other;
            token.locked = true;
            any |= token.role == Role::Scalar;
        }
    }
    any
}

/// One pair a line and no commas: only flat objects without any text that needs marks.
fn bare_lines(w: &mut Work, r: &mut Random) -> bool {
    let last = w.len() - 1;
    let fits = |token: &Token| match (&token.mean, token.role) {
        (Mean::Key(key), _) => is_name(key),
        (Mean::Value(Data::Text(text)), _) => is_plain_words(text),
        (Mean::Value(Data::Number(text)), _) => !text.contains(['e', '-']),
        _ => true,
    };
    let nested = w.tokens[1..last].iter().any(|t| matches!(t.role, Role::Open | Role::Close));
    if nested || !w.root_members(2) || !w.tokens.iter().all(fits) {
        return false;
    }
    let indent = r.pick(&["  ", "    "]);
    for token in &mut w.tokens[1..last] {
        match token.role {
            Role::Comma => token.text.clear(),
            Role::Key => token.before = format!("\n{indent}"),
            _ => {}
        }
        if let Some(text) = text_of(token) {
            token.text = text.to_owned();
        }
        token.quote = Quote::Other;
    }
    "\n".clone_into(&mut w.tokens[last].before);
    w.lock(0, last);
    true
}

fn bold_keys(w: &mut Work, _: &mut Random) -> bool {
    let mut any = false;
    for token in w.tokens.iter_mut().filter(|t| t.role == Role::Key) {
        token.text = format!("**{}**", token.text);
        token.quote = Quote::Other;
        any = true;
    }
    any
}

fn spaces(w: &mut Work, r: &mut Random, space: &str) -> bool {
    let all = r.chance(50);
    let mut any = false;
    for token in &mut w.tokens {
        if token.before.contains(' ') && (all || r.chance(40)) {
            token.before = token.before.replace(' ', space);
            any = true;
        }
    }
    if !any && w.len() > 1 {
        w.tokens[1].before.push_str(space);
        any = true;
    }
    any
}

fn doubled_braces(w: &mut Work, _: &mut Random) -> bool {
    let last = w.len() - 1;
    if !w.root_members(1) {
        return false;
    }
    "{{".clone_into(&mut w.tokens[0].text);
    "}}".clone_into(&mut w.tokens[last].text);
    w.lock(0, 1);
    w.lock(last - 1, last);
    true
}

/// Every line break between tokens is written `\n`.
fn literal_newlines(w: &mut Work, _: &mut Random) -> bool {
    if !matches!(w.layout, Layout::Pretty { .. }) {
        return false;
    }
    let mut any = false;
    for token in &mut w.tokens {
        if token.before.contains('\n') {
            token.before = token.before.replace('\n', "\\n");
            token.locked = true;
            any = true;
        }
    }
    any
}
