//! Lookup of enum values.

use std::collections::{HashMap, HashSet};

use llmend_json::Decimal;
use serde_json::Value as Json;

use crate::compile::raw_schema::RawSchema;
use crate::fold::{folded, spaced, words};
use crate::instance::Instance;
use crate::typo::Name;

/// An enum value.
#[derive(Clone, Debug)]
pub(crate) struct EnumValue {
    pub(crate) value: Json,
    /// The text of a string, or the digits of a number.
    pub(crate) name: Name,
    /// Aliases, folded.
    aliases: Vec<String>,
}

impl EnumValue {
    pub(crate) fn new(value: &Json) -> Self {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        Self { value: value.clone(), name: Name::new(&text), aliases: Vec::new() }
    }

    /// Returns the enum values of a subschema, with its aliases if there is only one value.
    pub(crate) fn all(raw: &RawSchema) -> Option<Vec<Self>> {
        let mut all: Vec<Self> = raw.values.as_ref()?.iter().map(Self::new).collect();
        if let [only] = all.as_mut_slice() {
            let names = raw.aliases.iter().chain(&raw.title).chain(&raw.description);
            only.aliases.extend(names.map(|name| folded(name)));
        }
        Some(all)
    }

    /// Returns the sequences of words that spell the value in a longer text: its words separately,
    /// and joined.
    fn spellings(&self) -> Vec<Vec<String>> {
        if !self.value.is_string() {
            return Vec::new();
        }
        let apart = words(&spaced(&self.name.text));
        let one = apart.concat();
        match apart.len() {
            0 => Vec::new(),
            1 => vec![apart],
            _ => vec![apart, vec![one]],
        }
    }
}

/// How a text matches a value, most certain first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum MatchBy {
    Exact,
    /// Ignoring case.
    Case,
    Folded,
    /// By an alias, folded.
    Alias,
}

/// The values of an enum, indexed.
#[derive(Debug, Default)]
pub(crate) struct EnumValues {
    pub(crate) all: Vec<EnumValue>,
    by_text: HashMap<(MatchBy, String), Vec<usize>>,
    by_number: HashMap<Decimal, usize>,
    /// Spellings in a longer text, by their first word.
    by_start: HashMap<String, Vec<(usize, Vec<String>)>>,
}

impl EnumValues {
    pub(crate) fn new(all: Vec<EnumValue>) -> Self {
        let mut values = Self::default();
        for (at, value) in all.iter().enumerate() {
            let mut add = |by, text: String| {
                values.by_text.entry((by, text)).or_default().push(at);
            };
            // Numbers are compared by value, not as text.
            if !value.value.is_number() {
                add(MatchBy::Exact, value.name.text.clone());
                add(MatchBy::Case, value.name.text.to_lowercase());
                add(MatchBy::Folded, value.name.folded.clone());
            }
            let aliases: HashSet<&String> = value.aliases.iter().collect();
            for alias in aliases {
                add(MatchBy::Alias, alias.clone());
            }
            if let Some(number) = value.value.as_number() {
                let number = Decimal::parse(&number.to_string());
                number.map(|number| values.by_number.entry(number).or_insert(at));
            }
            for spelling in value.spellings() {
                let start = spelling.first().cloned().unwrap_or_default();
                values.by_start.entry(start).or_default().push((at, spelling));
            }
        }
        values.all = all;
        values
    }

    /// Returns the indexes of the values that `text` matches.
    pub(crate) fn found(&self, by: MatchBy, text: String) -> &[usize] {
        self.by_text.get(&(by, text)).map_or(&[], Vec::as_slice)
    }

    /// Returns whether any value is a number.
    pub(crate) fn has_numbers(&self) -> bool {
        !self.by_number.is_empty()
    }

    /// Returns the index of the value equal to a number.
    pub(crate) fn number(&self, digits: &str) -> Option<usize> {
        self.by_number.get(&Decimal::parse(digits)?).copied()
    }

    /// Returns the indexes and spellings of the values whose spelling starts with `word`.
    pub(crate) fn starting(&self, word: &str) -> &[(usize, Vec<String>)] {
        self.by_start.get(word).map_or(&[], Vec::as_slice)
    }

    /// Returns whether an instance is one of the values.
    pub(crate) fn has(&self, instance: Instance<'_>) -> bool {
        self.all.iter().any(|value| instance.equals(&value.value))
    }
}
