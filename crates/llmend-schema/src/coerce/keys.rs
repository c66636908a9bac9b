//! Which property is each key of an object meant for?

use std::collections::{HashMap, HashSet};

use crate::CoercionKind;
use crate::compile::Plain;
use crate::fold::folded;
use crate::slip::{self, Name};

/// What a key of an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Claim {
    /// The property with this number, and how the key was recognised if it is not the name.
    Property(usize, Option<CoercionKind>),
    /// No property.
    Free,
    /// The same property as the key with this number.
    Again(usize),
}

/// Most keys and properties that slips of the pen are looked for among.
const MOST_COMPARED: usize = 100;

/// Gives each key its property, one to one: exact names first, then spellings and other names.
///
/// A member that may stand under a key of its own, as `is_free` says of the one with a number, is
/// only renamed where the property is required: whether another member is wrong decides nothing.
pub(crate) fn claims(
    plain: &Plain,
    keys: &[&str],
    mut is_free: impl FnMut(usize) -> bool,
) -> Vec<Claim> {
    let mut claims = vec![Claim::Free; keys.len()];
    let mut taken: HashMap<usize, usize> = HashMap::new();
    for (at, key) in keys.iter().enumerate() {
        if let Some(property) = plain.by_name.get(*key) {
            let claim = match taken.get(property) {
                Some(first) => Claim::Again(*first),
                None => Claim::Property(*property, None),
            };
            taken.entry(*property).or_insert(at);
            put(&mut claims, at, claim);
        }
    }
    if taken.len() == keys.len() {
        return claims;
    }
    let exact = taken.clone();
    for (at, key) in keys.iter().enumerate() {
        if claims.get(at) != Some(&Claim::Free) {
            continue;
        }
        let Some((property, kind)) = spelling(plain, key) else { continue };
        let required = plain.properties.get(property).is_some_and(|property| property.required);
        if !required && is_free(at) {
            continue;
        }
        let claim = match (taken.get(&property), exact.contains_key(&property)) {
            // What has the name has it for sure; where other keys may stand, this is one.
            (Some(_), true) if !plain.closed => Claim::Free,
            (Some(first), _) => Claim::Again(*first),
            (None, _) => Claim::Property(property, Some(kind)),
        };
        taken.entry(property).or_insert(at);
        put(&mut claims, at, claim);
    }
    claims
}

/// The property that a key spells otherwise, if it is only one.
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

/// Gives the keys that are a slip of a property that no key has that property, if no two are of the
/// same. To be called only where other keys are forbidden.
pub(crate) fn slips(
    plain: &Plain,
    keys: &[&str],
    claims: &mut [Claim],
    pay: &mut dyn FnMut(usize) -> bool,
) {
    let taken: HashSet<usize> = claims
        .iter()
        .filter_map(|claim| match claim {
            Claim::Property(property, _) => Some(*property),
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
    if keys.len() > MOST_COMPARED || plain.properties.len() > MOST_COMPARED || absent.is_empty() {
        return;
    }
    let mut meant: HashMap<usize, Vec<usize>> = HashMap::new();
    for (at, key) in keys.iter().enumerate().filter(|(at, _)| claims.get(*at) == Some(&Claim::Free))
    {
        let found = slip::meant(&Name::new(key), absent.iter().map(|(_, name)| *name), pay);
        if let Some((property, _)) = found.and_then(|found| absent.get(found)) {
            meant.entry(*property).or_default().push(at);
        }
    }
    for (property, keys) in meant {
        if let [only] = keys.as_slice() {
            put(claims, *only, Claim::Property(property, Some(CoercionKind::KeyTypo)));
        }
    }
}

fn put(claims: &mut [Claim], at: usize, claim: Claim) {
    if let Some(place) = claims.get_mut(at) {
        *place = claim;
    }
}
