//! What a damaged text may mean: every value that one changed character gives, and which of them a
//! careful reader would take.
//!
//! The reader has no more than the text: its layout, the keys and types that its records share, and
//! that a quote is lost more easily than it appears between two words.

use std::collections::{BTreeMap, BTreeSet};

use super::layout::Style;
use super::sign::{Edit, SIGNS};
use super::strict::State;
use crate::damage::tokens::render;
use crate::data::Data;

/// How well a value can be recovered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Recovery {
    /// It is the best reading.
    Clear,
    /// These are as good.
    Tied(Vec<Data>),
    /// Another reading is better, or the text is valid.
    Lost,
}

/// Signs against a reading, each counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Doubts {
    /// It takes a quote away.
    quote: usize,
    /// The layout of the text is not that of the value.
    layout: usize,
    /// Keys that stand twice in an object, or have structural characters in them.
    keys: usize,
    /// Items of lists that are unlike the others: records with other keys or types.
    sorts: usize,
}

impl Doubts {
    fn of(edit: Edit, text: &str, edited: &str, value: &Data, style: &Style) -> Self {
        let quote = edit.remove && text.as_bytes()[edit.at] == b'"';
        let mut doubts = Self {
            quote: usize::from(quote),
            layout: usize::from(render(&style.write(value)) != edited),
            keys: 0,
            sorts: 0,
        };
        doubts.sort(value);
        doubts
    }

    const fn all(self) -> [usize; 4] {
        [self.quote, self.layout, self.keys, self.sorts]
    }

    /// Whether nothing speaks more for `other`, and something less.
    fn beats(self, other: Self) -> bool {
        self != other && self.all().iter().zip(other.all()).all(|(mine, theirs)| *mine <= theirs)
    }

    /// Returns what values of this sort have in common, and counts doubts about its parts.
    fn sort(&mut self, value: &Data) -> String {
        match value {
            Data::Null => "null".to_owned(),
            Data::Bool(_) => "bool".to_owned(),
            Data::Number(_) => "number".to_owned(),
            Data::Text(_) => "text".to_owned(),
            Data::List(items) => {
                let sorts: BTreeSet<String> = items.iter().map(|item| self.sort(item)).collect();
                self.sorts += sorts.len().saturating_sub(1);
                format!("[{}]", sorts.into_iter().collect::<Vec<_>>().join("|"))
            }
            Data::Map(members) => {
                let keys: BTreeMap<&str, String> =
                    members.iter().map(|(key, value)| (&**key, self.sort(value))).collect();
                let odd = keys.keys().filter(|key| key.contains(SIGNS)).count();
                self.keys += members.len() - keys.len() + odd;
                format!("{keys:?}")
            }
        }
    }
}

/// Returns how well `wanted` can be recovered from `text`, which is `wanted` in `style` but for one
/// character.
pub(super) fn recovery(text: &str, wanted: &Data, style: &Style) -> Recovery {
    let readings = readings(text, style);
    let own = readings.iter().find(|(value, _)| value == wanted).map(|(_, doubts)| *doubts);
    let (Some(own), Err(_)) = (own, Data::read(text)) else { return Recovery::Lost };
    let mut rivals = readings
        .into_iter()
        .filter(|(value, doubts)| value != wanted && !value.same(wanted) && !own.beats(*doubts));
    let mut tied = Vec::new();
    for (value, doubts) in &mut rivals {
        if doubts.beats(own) {
            return Recovery::Lost;
        }
        tied.push(value);
    }
    if tied.is_empty() { Recovery::Clear } else { Recovery::Tied(tied) }
}

/// Whether one changed character makes the text valid.
pub(super) fn is_one_change_away(text: &str) -> bool {
    let mut found = false;
    each_edit(text, |_| found = true);
    found
}

/// Returns the value of each change that makes `text` valid, with the doubts about it.
fn readings(text: &str, style: &Style) -> Vec<(Data, Doubts)> {
    let mut found: Vec<(Data, Doubts)> = Vec::new();
    each_edit(text, |edit| {
        let edited = edit.apply(text);
        let Ok(value) = Data::read(&edited) else { return };
        let doubts = Doubts::of(edit, text, &edited, &value, style);
        match found.iter_mut().find(|(other, _)| *other == value) {
            Some((_, best)) if doubts.beats(*best) => *best = doubts,
            Some(_) => {}
            None => found.push((value, doubts)),
        }
    });
    found
}

/// Calls `report` with each change of one structural character that makes `text` valid. In a string,
/// only quotes come or go.
fn each_edit(text: &str, mut report: impl FnMut(Edit)) {
    let bytes = text.as_bytes();
    let mut state = State::START;
    for at in 0..=bytes.len() {
        let ends = |state: Option<State>, rest: usize| {
            state.and_then(|state| state.run(&bytes[rest..])).is_some_and(State::may_end)
        };
        let puts = |c: char| text.is_char_boundary(at) && (c == '"' || !state.in_text());
        for &c in SIGNS.iter().filter(|&&c| puts(c)) {
            if ends(state.step(c as u8), at) {
                report(Edit { at, remove: false, put: Some(c) });
            }
        }
        let Some(&byte) = bytes.get(at) else { return };
        let own = char::from(byte);
        if (own == '"' || !state.in_text()) && SIGNS.contains(&own) && ends(Some(state), at + 1) {
            report(Edit { at, remove: true, put: None });
        }
        let swaps = |c: char| c != own && SIGNS.contains(&own) && (c == '"' || !state.in_text());
        for &c in SIGNS.iter().filter(|&&c| swaps(c)) {
            if ends(state.step(c as u8), at + 1) {
                report(Edit { at, remove: true, put: Some(c) });
            }
        }
        match state.step(byte) {
            Some(next) => state = next,
            None => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Recovery, is_one_change_away, recovery};
    use crate::damage::tokens::Layout;
    use crate::data::Data;
    use crate::structural::layout::Style;

    #[test]
    fn texts_are_judged_by_all_their_readings() {
        for (text, wanted, name) in [
            // A brace cannot stand where a key belongs.
            (r#"[{"a": 1, {"a": 2}]"#, r#"[{"a":1},{"a":2}]"#, "clear"),
            (r#"{"a" 1}"#, r#"{"a":1}"#, "clear"),
            (r#"{"a: 1}"#, r#"{"a":1}"#, "clear"),
            (r#"["x, "y"]"#, r#"["x","y"]"#, "clear"),
            // The member may be inside or outside, unless another record shows it.
            (r#"{"a": {"b": 1, "c": 2}"#, r#"{"a":{"b":1},"c":2}"#, "tied"),
            (
                r#"[{"a": {"b": 1, "c": 2}, {"a": {"b": 3}, "c": 4}]"#,
                r#"[{"a":{"b":1},"c":2},{"a":{"b":3},"c":4}]"#,
                "clear",
            ),
            (
                r#"[{"a": {"b": 1, "c": 2}, {"a": {"b": 3, "c": 4}}]"#,
                r#"[{"a":{"b":1},"c":2},{"a":{"b":3,"c":4}}]"#,
                "lost",
            ),
            // The comma is in the string, or stands for its quote.
            (r#"{"a": ,x"}"#, r#"{"a":"x"}"#, "tied"),
            ("[[1, 2]", "[1,2]", "tied"),
            ("[12]", "[1,2]", "lost"),
        ] {
            let style = Style { layout: Layout::Spaced, rows: false };
            let found = match recovery(text, &Data::read(wanted).unwrap(), &style) {
                Recovery::Clear => "clear",
                Recovery::Tied(_) => "tied",
                Recovery::Lost => "lost",
            };
            assert_eq!(found, name, "{text}");
        }
    }

    #[test]
    fn lines_show_what_belongs_together() {
        let style =
            Style { layout: Layout::Pretty { indent: "  ", inline_lists: false }, rows: false };
        let wanted = Data::read(r#"{"a":{"b":1},"c":2}"#).unwrap();
        let text = "{\n  \"a\": {\n    \"b\": 1\n  ,\n  \"c\": 2\n}";
        assert_eq!(recovery(text, &wanted, &style), Recovery::Clear);
    }

    #[test]
    fn one_change_is_told_from_two() {
        for (text, one) in
            [("[1", true), ("[[1", false), (r#"{"a" 1"#, false), (r#"{"a" 1}"#, true)]
        {
            assert_eq!(is_one_change_away(text), one, "{text}");
        }
    }
}
