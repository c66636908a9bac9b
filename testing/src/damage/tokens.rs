//! Documents as tokens, each with its spelling and, separately, its meaning.

use std::fmt::Write;

use crate::data::{Data, push_escaped, quoted};
use crate::random::Random;

/// What a token does in the grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Open,
    Close,
    Key,
    Colon,
    Comma,
    Scalar,
}

/// What a token contributes to the value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Mean {
    /// Punctuation.
    Nothing,
    Key(String),
    Value(Data),
    /// Nothing is here, and a key before it goes too.
    Absent,
}

/// How a string is delimited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quote {
    Double,
    Other,
}

#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) role: Role,
    /// For brackets: an array's. For all others: the parent is an array.
    pub(crate) list: bool,
    pub(crate) depth: usize,
    /// The bracket at the other end, for brackets; the parent's opening bracket for all others.
    pub(crate) link: usize,
    /// White space and whatever else stands before the token.
    pub(crate) before: String,
    pub(crate) text: String,
    pub(crate) mean: Mean,
    /// Other meanings that are as good.
    pub(crate) others: Vec<Mean>,
    pub(crate) quote: Quote,
    /// Damaged, or so near to a damage that another one would make the value a matter of opinion.
    pub(crate) locked: bool,
}

/// White space between tokens.
#[derive(Clone, Debug)]
pub(crate) enum Layout {
    Compact,
    Spaced,
    Pretty { indent: &'static str, inline_lists: bool },
}

impl Layout {
    pub(crate) fn any(r: &mut Random) -> Self {
        match r.below(10) {
            0 | 1 => Self::Compact,
            2..=5 => Self::Spaced,
            6 | 7 => Self::Pretty { indent: "  ", inline_lists: r.chance(40) },
            8 => Self::Pretty { indent: "    ", inline_lists: r.chance(40) },
            _ => Self::Pretty { indent: "\t", inline_lists: false },
        }
    }

    pub(crate) fn pretty(r: &mut Random) -> Self {
        Self::Pretty { indent: r.pick(&["  ", "    ", "\t"]), inline_lists: r.chance(30) }
    }
}

/// The spelling of strings in an undamaged document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spelling {
    /// Characters beyond ASCII as `\u` escapes.
    pub(crate) ascii: bool,
    /// `\/` for `/`.
    pub(crate) slashes: bool,
}

impl Spelling {
    pub(crate) fn any(r: &mut Random) -> Self {
        Self { ascii: r.chance(12), slashes: r.chance(4) }
    }

    pub(crate) fn spell(self, text: &str) -> String {
        let mut out = String::from("\"");
        for c in text.chars() {
            if self.ascii && !c.is_ascii() {
                let mut units = [0; 2];
                for unit in c.encode_utf16(&mut units) {
                    let _ = write!(out, "\\u{unit:04x}");
                }
            } else if self.slashes && c == '/' {
                out.push_str("\\/");
            } else {
                push_escaped(&mut out, c);
            }
        }
        out.push('"');
        out
    }
}

struct Writer<'a> {
    tokens: Vec<Token>,
    layout: &'a Layout,
    spelling: Spelling,
    depth: usize,
    inline: usize,
}

/// Writes `value` down.
pub(crate) fn tokens(value: &Data, layout: &Layout, spelling: Spelling) -> Vec<Token> {
    let mut writer = Writer { tokens: Vec::new(), layout, spelling, depth: 0, inline: 0 };
    writer.value(value, String::new(), 0, false);
    writer.tokens
}

impl Writer<'_> {
    fn push(
        &mut self,
        role: Role,
        list: bool,
        link: usize,
        before: String,
        text: String,
        mean: Mean,
    ) -> usize {
        let (depth, quote) = (self.depth, Quote::Double);
        self.tokens.push(Token {
            role,
            list,
            depth,
            link,
            before,
            text,
            mean,
            others: Vec::new(),
            quote,
            locked: false,
        });
        self.tokens.len() - 1
    }

    fn line(&self, last: bool) -> String {
        match self.layout {
            Layout::Pretty { indent, .. } if self.inline == 0 => {
                format!("\n{}", indent.repeat(self.depth - usize::from(last)))
            }
            _ => String::new(),
        }
    }

    fn gap(&self) -> String {
        match self.layout {
            Layout::Compact => String::new(),
            Layout::Pretty { .. } if self.inline == 0 => self.line(false),
            _ => " ".to_owned(),
        }
    }

    fn value(&mut self, value: &Data, before: String, parent: usize, list: bool) {
        let text = match value {
            Data::List(items) => {
                let flat = items.iter().all(|v| !matches!(v, Data::List(_) | Data::Map(_)));
                let inline =
                    flat && matches!(self.layout, Layout::Pretty { inline_lists: true, .. });
                return self.container(before, true, inline, items.len(), |w, i, open, gap| {
                    w.value(&items[i], gap, open, true);
                });
            }
            Data::Map(members) => {
                return self.container(before, false, false, members.len(), |w, i, open, gap| {
                    let (key, value) = &members[i];
                    let spelled = w.spelling.spell(key);
                    w.push(Role::Key, false, open, gap, spelled, Mean::Key(key.clone()));
                    w.push(Role::Colon, false, open, String::new(), ":".into(), Mean::Nothing);
                    let before = if matches!(w.layout, Layout::Compact) { "" } else { " " };
                    w.value(value, before.into(), open, false);
                });
            }
            Data::Text(text) => self.spelling.spell(text),
            other => other.write(),
        };
        self.push(Role::Scalar, list, parent, before, text, Mean::Value(value.clone()));
    }

    fn container(
        &mut self,
        before: String,
        list: bool,
        inline: bool,
        size: usize,
        item: impl Fn(&mut Self, usize, usize, String),
    ) {
        let (left, right) = if list { ("[", "]") } else { ("{", "}") };
        let open = self.push(Role::Open, list, 0, before, left.into(), Mean::Nothing);
        self.depth += 1;
        self.inline += usize::from(inline);
        for i in 0..size {
            if i > 0 {
                self.push(Role::Comma, list, open, String::new(), ",".into(), Mean::Nothing);
            }
            let gap = if i > 0 { self.gap() } else { self.line(false) };
            item(self, i, open, gap);
        }
        let before = if size > 0 { self.line(true) } else { String::new() };
        self.inline -= usize::from(inline);
        self.depth -= 1;
        let close = self.push(Role::Close, list, open, before, right.into(), Mean::Nothing);
        self.tokens[open].link = close;
    }
}

/// The text of the tokens.
pub(crate) fn render(tokens: &[Token]) -> String {
    tokens.iter().flat_map(|t| [t.before.as_str(), t.text.as_str()]).collect()
}

enum Frame {
    List(Vec<Data>),
    Map(Vec<(String, Data)>, Option<String>),
}

impl Frame {
    fn add(&mut self, value: Data) {
        match self {
            Self::List(items) => items.push(value),
            Self::Map(members, key) => {
                if let Some(key) = key.take() {
                    members.push((key, value));
                }
            }
        }
    }

    fn finish(self) -> Data {
        match self {
            Self::List(items) => Data::List(items),
            Self::Map(members, _) => Data::Map(members),
        }
    }
}

/// The value of the tokens, which may end early. `choice[i]` picks among the other meanings of
/// token `i`; 0 is the wanted one. A key without a value goes.
pub(crate) fn value(tokens: &[Token], choice: &[usize]) -> Option<Data> {
    let mut stack: Vec<Frame> = Vec::new();
    let mut root = None;
    let mut attach = |stack: &mut Vec<Frame>, value: Data| match stack.last_mut() {
        Some(frame) => frame.add(value),
        None => root = Some(value),
    };
    for (i, token) in tokens.iter().enumerate() {
        let mean = match choice.get(i) {
            None | Some(0) => &token.mean,
            Some(n) => &token.others[n - 1],
        };
        match (token.role, mean) {
            (Role::Open, _) => {
                stack.push(if token.list {
                    Frame::List(Vec::new())
                } else {
                    Frame::Map(Vec::new(), None)
                });
            }
            (Role::Close, _) => {
                if let Some(frame) = stack.pop() {
                    attach(&mut stack, frame.finish());
                }
            }
            (_, Mean::Key(name)) => {
                if let Some(Frame::Map(_, key)) = stack.last_mut() {
                    *key = Some(name.clone());
                }
            }
            (_, Mean::Value(value)) => attach(&mut stack, value.clone()),
            (_, Mean::Absent) => {
                if let Some(Frame::Map(_, key)) = stack.last_mut() {
                    *key = None;
                }
            }
            (_, Mean::Nothing) => {}
        }
    }
    while let Some(frame) = stack.pop() {
        attach(&mut stack, frame.finish());
    }
    root
}

/// The wanted value and those that are as good: every combination of the tokens' other meanings,
/// as long as there are not too many.
pub(crate) fn values(tokens: &[Token]) -> (Option<Data>, Vec<Data>) {
    const MOST: usize = 64;
    let mut choices: Vec<Vec<usize>> = vec![vec![0; tokens.len()]];
    for (i, token) in tokens.iter().enumerate() {
        for other in 1..=token.others.len() {
            for k in 0..choices.len() {
                if choices[k][i] == 0 && choices.len() < MOST {
                    let mut choice = choices[k].clone();
                    choice[i] = other;
                    choices.push(choice);
                }
            }
        }
    }
    let wanted = value(tokens, &choices[0]);
    let others = choices[1..].iter().filter_map(|choice| value(tokens, choice)).collect();
    (wanted, others)
}

/// What is left of a string whose JSON spelling, `spelled` without its opening quote, was cut off:
/// all whole characters, without a half escape and without half a surrogate pair.
pub(crate) fn partial_string(spelled: &str) -> String {
    let mut end = 0;
    let bytes = spelled.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let mut size = if bytes[at] != b'\\' {
            spelled[at..].chars().next().map_or(1, char::len_utf8)
        } else if bytes.get(at + 1) == Some(&b'u') {
            6
        } else {
            2
        };
        let high = spelled
            .get(at + 2..at + 4)
            .is_some_and(|h| size == 6 && ["d8", "d9", "da", "db"].contains(&h));
        size += if high { 6 } else { 0 };
        if at + size > bytes.len() {
            break;
        }
        at += size;
        end = at;
    }
    match Data::read(&format!("\"{}\"", &spelled[..end])) {
        Ok(Data::Text(text)) => text,
        other => unreachable!("{spelled:?} is a piece of a JSON string: {other:?}"),
    }
}

/// Whether a key could stand without quotes in any dialect.
pub(crate) fn is_name(key: &str) -> bool {
    let mut chars = key.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_' || c == '$')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !["true", "false", "null", "NaN", "None", "nil", "undefined"].contains(&key)
}

/// The text of a string token.
pub(crate) fn text_of(token: &Token) -> Option<&str> {
    match &token.mean {
        Mean::Key(text) | Mean::Value(Data::Text(text)) => Some(text),
        _ => None,
    }
}

/// Spells a string token anew with a meaning of its own.
pub(crate) fn set_text(token: &mut Token, text: &str) {
    token.text = quoted(text);
    token.mean = match token.mean {
        Mean::Key(_) => Mean::Key(text.to_owned()),
        _ => Mean::Value(Data::text(text)),
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::damage::document::document;

    #[test]
    fn what_is_written_means_the_value() {
        for seed in 0..2_000 {
            let mut r = Random::new(seed);
            let wanted = document(&mut r);
            let tokens = tokens(&wanted, &Layout::any(&mut r), Spelling::any(&mut r));
            let text = render(&tokens);
            assert_eq!(Data::read(&text).as_ref(), Ok(&wanted), "{text}");
            assert_eq!(value(&tokens, &[]).as_ref(), Some(&wanted));
            for (i, token) in tokens.iter().enumerate() {
                if matches!(token.role, Role::Open | Role::Close) {
                    assert_eq!(tokens[token.link].link, i);
                }
            }
        }
    }

    #[test]
    fn partial_strings() {
        for (spelled, text) in [
            ("abc", "abc"),
            ("a\\", "a"),
            ("a\\n", "a\n"),
            ("a\\u00", "a"),
            ("a\\u00e9", "aé"),
            ("x\\ud83d", "x"),
            ("x\\ud83d\\ude", "x"),
            ("x\\ud83d\\ude00y", "x😀y"),
            ("日本", "日本"),
        ] {
            assert_eq!(partial_string(spelled), text);
        }
    }
}
