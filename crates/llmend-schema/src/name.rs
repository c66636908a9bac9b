//! The name that is meant by a written one.

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

/// Returns the index of the name in `known` that `written` stands for, and how. Returns `None` if it
/// stands for none of them, or for several.
///
/// ```
/// use llmend_schema::{NameMatch, find_name};
///
/// let known = ["get_weather", "send_mail"];
/// assert_eq!(find_name("getWeather", known), Some((0, NameMatch::Spelling)));
/// assert_eq!(find_name("send_mial", known), Some((1, NameMatch::Typo)));
/// assert_eq!(find_name("get_time", known), None);
/// ```
pub fn find_name<'k>(
    written: &str,
    known: impl IntoIterator<Item = &'k str> + Clone,
) -> Option<(usize, NameMatch)> {
    if let Some(at) = known.clone().into_iter().position(|name| name == written) {
        return Some((at, NameMatch::Exact));
    }
    let spelling = folded(written);
    let mut alike =
        known.clone().into_iter().enumerate().filter(|(_, name)| folded(name) == spelling);
    if let Some((at, _)) = alike.next() {
        return alike.next().is_none().then_some((at, NameMatch::Spelling));
    }
    let known: Vec<typo::Name> = known.into_iter().map(typo::Name::new).collect();
    typo::find(&typo::Name::new(written), known.iter(), &mut |_| true)
        .map(|at| (at, NameMatch::Typo))
}
