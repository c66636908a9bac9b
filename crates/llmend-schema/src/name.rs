//! The name that is meant by a written one.

use std::collections::HashMap;

use crate::{fold::folded, typo};

/// How a written name stands for a known one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NameMatch {
    /// The names are equal.
    Exact,
    /// They differ in case, accents or separators.
    Spelling,
    /// The written name is a typo of the known one, and of no other.
    Typo,
}

/// Known names, prepared so that many written ones can be looked up.
///
/// ```
/// use llmend_schema::{NameMatch, KnownNames};
///
/// let names = KnownNames::new(["get_weather", "send_mail"]);
/// assert_eq!(names.find("getWeather"), Some((0, NameMatch::Spelling)));
/// assert_eq!(names.find("send_mial"), Some((1, NameMatch::Typo)));
/// assert_eq!(names.find("get_time"), None);
/// ```
#[derive(Clone, Debug, Default)]
pub struct KnownNames {
    known: Vec<typo::Name>,
    exact: HashMap<String, usize>,
    /// By spelling; `None` where several names are spelled so.
    folded: HashMap<String, Option<usize>>,
}

/// Number of names up to which comparing with each is faster than a hash.
const FEW: usize = 12;

impl KnownNames {
    /// Prepares `names`. Of equal names the first one counts.
    pub fn new<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        let mut all = Self::default();
        for (at, name) in names.into_iter().enumerate() {
            all.exact.entry(name.to_owned()).or_insert(at);
            all.folded.entry(folded(name)).and_modify(|one| *one = None).or_insert(Some(at));
            all.known.push(typo::Name::new(name));
        }
        all
    }

    /// Returns the index of the name that equals `written`.
    pub fn position(&self, written: &str) -> Option<usize> {
        if self.known.len() <= FEW {
            return self.known.iter().position(|name| name.text == written);
        }
        self.exact.get(written).copied()
    }

    /// Returns the index of the name that `written` stands for, and how. Returns `None` if it stands
    /// for none of them, or for several.
    pub fn find(&self, written: &str) -> Option<(usize, NameMatch)> {
        if let Some(at) = self.position(written) {
            return Some((at, NameMatch::Exact));
        }
        if let Some(found) = self.folded.get(&folded(written)) {
            return found.map(|at| (at, NameMatch::Spelling));
        }
        typo::find(&typo::Name::new(written), self.known.iter(), &mut |_| true)
            .map(|at| (at, NameMatch::Typo))
    }
}
