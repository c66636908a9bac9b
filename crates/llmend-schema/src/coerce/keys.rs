//! Matching of keys to properties.

use std::collections::{HashMap, HashSet};

use crate::CoercionKind;
use crate::compile::Plain;
use crate::fold::folded;
use crate::typo::{self, Name};

/// Match of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyMatch {
    /// The property with this index, and the coercion if the key is not its name.
    Property(usize, Option<CoercionKind>),
    /// Not a property.
    Unknown,
    /// The same property as the key at this index.
    Duplicate(usize),
}

/// Maximum number of keys and of properties compared for typos.
const MAX_COMPARED: usize = 100;

/// Matches keys to properties one to one: exact names first, then spellings and aliases.
///
/// A member that is allowed under its own key, as `is_free` returns for its index, is renamed only
/// if the property is required, so that a match never depends on whether other members are valid.
pub(crate) fn match_keys(
    plain: &Plain,
    keys: &[&str],
    mut is_free: impl FnMut(usize) -> bool,
) -> Vec<KeyMatch> {
    let mut key_matches = vec![KeyMatch::Unknown; keys.len()];
    let mut taken: HashMap<usize, usize> = HashMap::new();
    for (at, key) in keys.iter().enumerate() {
        if let Some(property) = plain.by_name.get(*key) {
            let key_match = match taken.get(property) {
                Some(first) => KeyMatch::Duplicate(*first),
                None => KeyMatch::Property(*property, None),
            };
            taken.entry(*property).or_insert(at);
            put(&mut key_matches, at, key_match);
        }
    }
    if taken.len() == keys.len() {
        return key_matches;
    }
    let exact = taken.clone();
    for (at, key) in keys.iter().enumerate() {
        if key_matches.get(at) != Some(&KeyMatch::Unknown) {
            continue;
        }
        let Some((property, kind)) = spelling(plain, key) else { continue };
        let required = plain.properties.get(property).is_some_and(|property| property.required);
        if !required && is_free(at) {
            continue;
        }
        let key_match = match (taken.get(&property), exact.contains_key(&property)) {
            // An exact name takes precedence; in an open object, the other key is a member of its
            // own.
            (Some(_), true) if !plain.closed => KeyMatch::Unknown,
            (Some(first), _) => KeyMatch::Duplicate(*first),
            (None, _) => KeyMatch::Property(property, Some(kind)),
        };
        taken.entry(property).or_insert(at);
        put(&mut key_matches, at, key_match);
    }
    key_matches
}

/// Returns the only property that a key is another spelling of.
fn spelling(plain: &Plain, key: &str) -> Option<(usize, CoercionKind)> {
    let folded = folded(key);
    match plain.by_spelling.get(&folded).map(Vec::as_slice) {
        Some([only]) => return Some((*only, CoercionKind::KeySpelling)),
        Some([_, _, ..]) => return None,
        _ => {}
    }
    match plain.by_alias.get(&folded).map(Vec::as_slice) {
        Some([only]) => Some((*only, CoercionKind::KeyAlias)),
        _ => None,
    }
}

/// Matches keys that are typos to missing properties, unless two are typos of the same one. Only
/// for objects that allow no additional members.
pub(crate) fn match_typos(
    plain: &Plain,
    keys: &[&str],
    key_matches: &mut [KeyMatch],
    spend: &mut dyn FnMut(usize) -> bool,
) {
    let taken: HashSet<usize> = key_matches
        .iter()
        .filter_map(|key_match| match key_match {
            KeyMatch::Property(property, _) => Some(*property),
            _ => None,
        })
        .collect();
    let absent: Vec<(usize, &Name)> = plain
        .properties
        .iter()
        .enumerate()
        .filter(|(at, _)| !taken.contains(at))
        .map(|(at, property)| (at, &property.name))
        .collect();
    if keys.len() > MAX_COMPARED || plain.properties.len() > MAX_COMPARED || absent.is_empty() {
        return;
    }
    let mut typos: HashMap<usize, Vec<usize>> = HashMap::new();
    for (at, key) in
        keys.iter().enumerate().filter(|(at, _)| key_matches.get(*at) == Some(&KeyMatch::Unknown))
    {
        let found = typo::find(&Name::new(key), absent.iter().map(|(_, name)| *name), spend);
        if let Some((property, _)) = found.and_then(|found| absent.get(found)) {
            typos.entry(*property).or_default().push(at);
        }
    }
    for (property, keys) in typos {
        if let [only] = keys.as_slice() {
            put(key_matches, *only, KeyMatch::Property(property, Some(CoercionKind::KeyTypo)));
        }
    }
}

fn put(key_matches: &mut [KeyMatch], at: usize, key_match: KeyMatch) {
    if let Some(place) = key_matches.get_mut(at) {
        *place = key_match;
    }
}
