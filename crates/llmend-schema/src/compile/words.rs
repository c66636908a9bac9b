//! Which values are listed, and how is one of them found?

use std::collections::{HashMap, HashSet};

use llmend_json::Decimal;
use serde_json::Value as Json;

use crate::compile::raw::Raw;
use crate::fold::{folded, spaced, words};
use crate::instance::Part;
use crate::slip::Name;

/// A value of an enumeration.
#[derive(Clone, Debug)]
pub(crate) struct Word {
    pub(crate) value: Json,
    /// What it is written as in a sentence: the text of a string, the digits of a number.
    pub(crate) name: Name,
    /// Other names, folded.
    aliases: Vec<String>,
}

impl Word {
    pub(crate) fn new(value: &Json) -> Self {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        Self { value: value.clone(), name: Name::new(&text), aliases: Vec::new() }
    }

    /// The values that a part of a schema lists, with the names that it gives the only one.
    pub(crate) fn all(raw: &Raw) -> Option<Vec<Self>> {
        let mut all: Vec<Self> = raw.values.as_ref()?.iter().map(Self::new).collect();
        if let [only] = all.as_mut_slice() {
            let names = raw.aliases.iter().chain(&raw.title).chain(&raw.description);
            only.aliases.extend(names.map(|name| folded(name)));
        }
        Some(all)
    }

    /// The words of a string as a longer answer may hold them: apart, or as one.
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

/// How a text may be recognised as a value, the surest way first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Way {
    Exact,
    /// But for capitals.
    Case,
    Folded,
    /// By another name, folded.
    Alias,
}

/// The values of an enumeration.
#[derive(Debug, Default)]
pub(crate) struct Words {
    pub(crate) all: Vec<Word>,
    by_text: HashMap<(Way, String), Vec<usize>>,
    by_number: HashMap<Decimal, usize>,
    /// By the first word, the spellings in a longer answer.
    by_start: HashMap<String, Vec<(usize, Vec<String>)>>,
}

impl Words {
    pub(crate) fn new(all: Vec<Word>) -> Self {
        let mut words = Self::default();
        for (at, word) in all.iter().enumerate() {
            let mut add = |way, text: String| {
                words.by_text.entry((way, text)).or_default().push(at);
            };
            // Numbers are what they mean, not how they look.
            if !word.value.is_number() {
                add(Way::Exact, word.name.text.clone());
                add(Way::Case, word.name.text.to_lowercase());
                add(Way::Folded, word.name.folded.clone());
            }
            let aliases: HashSet<&String> = word.aliases.iter().collect();
            for alias in aliases {
                add(Way::Alias, alias.clone());
            }
            if let Some(number) = word.value.as_number() {
                let number = Decimal::parse(&number.to_string());
                number.map(|number| words.by_number.entry(number).or_insert(at));
            }
            for spelling in word.spellings() {
                let start = spelling.first().cloned().unwrap_or_default();
                words.by_start.entry(start).or_default().push((at, spelling));
            }
        }
        words.all = all;
        words
    }

    /// The places of the values that `text` is in this way.
    pub(crate) fn found(&self, way: Way, text: String) -> &[usize] {
        self.by_text.get(&(way, text)).map_or(&[], Vec::as_slice)
    }

    /// Whether a number is among the values.
    pub(crate) fn has_numbers(&self) -> bool {
        !self.by_number.is_empty()
    }

    /// The place of the number that these digits say.
    pub(crate) fn number(&self, digits: &str) -> Option<usize> {
        self.by_number.get(&Decimal::parse(digits)?).copied()
    }

    /// The places of the values that may be spelt with this word first, and how each goes on.
    pub(crate) fn starting(&self, word: &str) -> &[(usize, Vec<String>)] {
        self.by_start.get(word).map_or(&[], Vec::as_slice)
    }

    /// Whether a scalar is one of the values.
    pub(crate) fn has(&self, part: Part<'_>) -> bool {
        self.all.iter().any(|word| part.equals(&word.value))
    }
}
