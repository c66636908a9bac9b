//! Lines with keys next to the line of a value that has one.

use crate::extract::{
    reasoning,
    record::pair::{Pair, labeled},
    remnant::Remnant,
    standing::{
        self,
        words::{FINAL_LABELS, SKETCH_LABELS},
    },
    turn, wrapper,
};

/// Marks around a value, on its line.
pub(super) const MARKS: &[char] = &['`', '\'', '"', '*'];
/// Labels of what a tool is given.
const INPUTS: &[&str] = &["input", "entrée", "entrada", "eingabe", "arguments", "argumente"];

/// Judges a value after the key of its line by the lines next to it.
pub(super) fn judge(before: &str, after: &str) -> Option<Remnant> {
    let (above, line) = before.rsplit_once('\n').unwrap_or(("", before));
    let (rest, below) = after.split_once('\n').unwrap_or((after, ""));
    let own = labeled(line)?;
    let is_bare = own.value.is_empty();
    if !own.value.trim_matches(MARKS).is_empty()
        || !rest.trim_matches(MARKS).trim_matches([',', ';', '\r', ' ']).is_empty()
    {
        return None;
    }
    let is_code = || line.starts_with([' ', '\t']) && above.lines().any(opens_body);
    if own.separator == '=' && (above.lines().any(is_section) || is_code()) {
        return Some(Remnant::Part);
    }
    let lines = [nearest(above.rsplit('\n')), nearest(below.split('\n'))];
    let neighbors = lines.into_iter().flatten().filter_map(|(line, apart)| {
        let other = labeled(line)?;
        let is_other = (other.bullet, other.separator) == (own.bullet, own.separator)
            && other.key != own.key
            && (!other.value.is_empty() || heads_block(other, below))
            && !is_reasoning(own, other)
            && !(turn::is_speaker(own.key) && turn::is_speaker(other.key))
            && !(is_version(own.key) && is_version(other.key));
        if !is_other {
            return None;
        }
        if is_bare && !apart && own.separator != '→' && own.is_name() && other.is_name() {
            return Some(strength(own, other));
        }
        is_as_good(own, other, apart).then_some(Remnant::Doubtful)
    });
    neighbors.max()
}

/// Returns the first line of `lines` that is not blank, and whether a blank one comes before it.
fn nearest<'t>(lines: impl Iterator<Item = &'t str>) -> Option<(&'t str, bool)> {
    let mut lines = lines.take(2).enumerate();
    lines.find(|(_, line)| !line.trim().is_empty()).map(|(at, line)| (line, at > 0))
}

/// Returns whether a line is the reason for the value, and not a field beside it.
fn is_reasoning(own: Pair<'_>, other: Pair<'_>) -> bool {
    let is_field = own.bullet.is_some() && own.is_small() && other.is_small();
    reasoning::is_word(other.key) && !is_field
}

/// Returns whether the line `other`, which may be `apart`, is as much of a field as `own`, although
/// their notation proves little.
fn is_as_good(own: Pair<'_>, other: Pair<'_>, apart: bool) -> bool {
    let announces = own.key.split(' ').any(is_answer) || standing::names_answer(own.key);
    let alike = own.is_small() == other.is_small() && (!apart || own.is_small());
    alike && !announces && !is_sentence(other)
}

fn is_answer(word: &str) -> bool {
    wrapper::announces(word) || standing::names_answer(word)
}

fn is_sentence(pair: Pair<'_>) -> bool {
    pair.value.ends_with(['.', '!', '?', ':'])
}

/// Returns whether a line begins the body of a class, which has more members than the value.
fn opens_body(line: &str) -> bool {
    line.starts_with("class ") && line.trim_end().ends_with([':', '{'])
}

/// Returns whether a line is the header of a section of TOML or an INI file.
fn is_section(line: &str) -> bool {
    let name = line.trim().strip_prefix('[').and_then(|line| line.strip_suffix(']'));
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    name.is_some_and(|name| {
        name.trim_matches(['[', ']']).starts_with(char::is_alphabetic)
            && name.trim_matches(['[', ']']).chars().all(is_name)
    })
}

/// Returns whether the key on the first line of `below` has its value on the next, indented or as a
/// list.
fn heads_block(key: Pair<'_>, below: &str) -> bool {
    let mut lines = below.split('\n');
    let first = lines.next().and_then(labeled);
    let inside = lines.next().unwrap_or_default();
    first == Some(key) && (inside.starts_with("  ") || inside.starts_with("- "))
}

/// Returns how much the line `other` says that `own` is one of several.
fn strength(own: Pair<'_>, other: Pair<'_>) -> Remnant {
    // A call in code is no member, and what a tool is given is all of it.
    let is_call = own.separator == '=' && other.value.contains('(');
    let is_input = INPUTS.iter().any(|name| own.key.eq_ignore_ascii_case(name));
    let are_small = own.is_small() && other.is_small();
    if is_answer(own.key) || is_call || is_input || (is_sentence(other) && !are_small) {
        Remnant::Doubtful
    } else {
        Remnant::Part
    }
}

/// Returns whether a key names a value before or after a change.
fn is_version(key: &str) -> bool {
    let key = key.to_lowercase();
    SKETCH_LABELS.contains(&key.as_str()) || FINAL_LABELS.contains(&key.as_str())
}
