//! A key with a value on a line, in the notations of configuration files, code and lists.

/// Longest key, in bytes and in words.
const KEY_REACH: usize = 40;
const KEY_WORDS: usize = 3;
/// What stands between a key and its value, and how it is noted.
const SEPARATORS: &[(&str, char)] =
    &[("->", '→'), ("=>", '→'), ("→", '→'), (":", ':'), ("：", ':'), ("=", '=')];

/// A line with a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::extract) struct Pair<'t> {
    /// The mark of an item of a list: a bullet, or a dot for a number.
    pub(super) bullet: Option<char>,
    pub(in crate::extract) key: &'t str,
    /// A colon, an equals sign or an arrow.
    pub(super) separator: char,
    pub(in crate::extract) value: &'t str,
}

/// Reads a line with a key of one word.
pub(in crate::extract) fn pair(line: &str) -> Option<Pair<'_>> {
    labeled(line).filter(Pair::is_name)
}

/// Reads a line with a key of a few words.
pub(super) fn labeled(line: &str) -> Option<Pair<'_>> {
    let line = line.trim();
    let (bullet, rest) = without_bullet(line);
    let (key, separator, value) = split(rest)?;
    let key = key.trim().trim_matches(['*', '`', '"', '\'']);
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ' ');
    let is_key = !key.is_empty()
        && key.len() <= KEY_REACH
        && key.split(' ').count() <= KEY_WORDS
        && key.chars().all(is_part)
        && !key.starts_with(|c: char| c.is_ascii_digit());
    // An address or an operator is no pair.
    (is_key && !value.starts_with(['/', ':', '=', '>'])).then(|| Pair {
        bullet,
        key,
        separator,
        value: value.trim_start_matches('*').trim(),
    })
}

/// Splits a line at its first separator.
fn split(line: &str) -> Option<(&str, char, &str)> {
    line.char_indices().find_map(|(at, _)| {
        let (key, from) = line.split_at(at);
        SEPARATORS.iter().find_map(|(sign, separator)| {
            from.strip_prefix(sign).map(|value| (key, *separator, value))
        })
    })
}

/// Returns the mark of an item of a list, and what follows it.
fn without_bullet(line: &str) -> (Option<char>, &str) {
    let behind = line.trim_start_matches(|c: char| c.is_ascii_digit());
    if behind.len() < line.len()
        && let Some(rest) = behind.strip_prefix(['.', ')'])
    {
        return (Some('.'), rest.trim_start());
    }
    let bullet = line.chars().next().filter(|c| matches!(c, '-' | '*' | '•'));
    // Two asterisks are emphasis.
    match bullet {
        Some(bullet) if !line.starts_with("**") => {
            (Some(bullet), line.trim_start_matches([bullet, ' ']))
        }
        _ => (None, line),
    }
}

impl Pair<'_> {
    /// Returns whether the key is one word.
    pub(super) fn is_name(&self) -> bool {
        !self.key.contains(' ')
    }

    /// Returns whether the key is written as names in programs are.
    pub(in crate::extract) fn is_small(&self) -> bool {
        self.key.starts_with(char::is_lowercase)
    }
}
