//! The document being damaged: its tokens, the text around it, and the expected value.

use super::tokens::{Layout, Mean, Quote, Role, Token, text_of};
use crate::case::Verdict;
use crate::data::Data;
use crate::random::Random;

/// A document while it is being damaged.
#[derive(Clone, Debug)]
pub(crate) struct Work {
    pub(crate) tokens: Vec<Token>,
    pub(crate) layout: Layout,
    /// Stands right behind the document: surplus closers, a comma.
    pub(crate) tail: String,
    /// Stands before the document.
    pub(crate) prefix: String,
    /// Stands behind the document and its tail.
    pub(crate) suffix: String,
    pub(crate) verdict: Verdict,
    pub(crate) cut: Option<bool>,
    /// Sets of tokens without which the meaning is as good.
    pub(crate) without: Vec<Vec<usize>>,
    /// The document does not end by itself: nothing but the end of a fence may follow.
    pub(crate) open_end: bool,
    /// The document does not begin by itself: nothing but the start of a fence may precede.
    pub(crate) open_start: bool,
}

impl Work {
    pub(crate) fn len(&self) -> usize {
        self.tokens.len()
    }

    pub(crate) fn role(&self, i: usize) -> Option<Role> {
        self.tokens.get(i).map(|t| t.role)
    }

    /// Whether all tokens of the range exist and none is locked.
    pub(crate) fn free(&self, from: usize, to: usize) -> bool {
        to < self.tokens.len() && self.tokens[from..=to].iter().all(|t| !t.locked)
    }

    pub(crate) fn lock(&mut self, from: usize, to: usize) {
        let end = (to + 1).min(self.tokens.len());
        for token in &mut self.tokens[from..end] {
            token.locked = true;
        }
    }

    /// A token that `wanted` accepts.
    pub(crate) fn spot(
        &self,
        r: &mut Random,
        wanted: impl Fn(&Self, usize) -> bool,
    ) -> Option<usize> {
        let places: Vec<usize> = (0..self.len()).filter(|&i| wanted(self, i)).collect();
        if places.is_empty() { None } else { Some(places[r.below(places.len())]) }
    }

    /// A free scalar with a free token on both sides, inside a container.
    pub(crate) fn is_scalar(&self, i: usize) -> bool {
        i > 0 && self.role(i) == Some(Role::Scalar) && self.free(i - 1, i + 1)
    }

    /// A free scalar that is the value of a member.
    pub(crate) fn is_member(&self, i: usize) -> bool {
        self.is_scalar(i) && !self.tokens[i].list
    }

    /// A string in double quotes, free with its neighbors.
    pub(crate) fn is_string(&self, i: usize) -> bool {
        self.is_scalar(i) && self.string(i).is_some()
    }

    /// The text of a value in double quotes.
    pub(crate) fn string(&self, i: usize) -> Option<&str> {
        let token = &self.tokens[i];
        if token.role == Role::Scalar && token.quote == Quote::Double {
            text_of(token)
        } else {
            None
        }
    }

    /// A key in double quotes.
    pub(crate) fn is_key(&self, i: usize) -> bool {
        self.tokens.get(i).is_some_and(|t| t.role == Role::Key && t.quote == Quote::Double)
    }

    /// Whether a scalar is followed by a closer or by a comma and then a quoted key: the places
    /// where a reader sees that the value is over.
    pub(crate) fn ends_plainly(&self, i: usize) -> bool {
        match self.role(i + 1) {
            Some(Role::Close) => true,
            Some(Role::Comma) => self.is_key(i + 2) && self.free(i + 2, i + 2),
            _ => false,
        }
    }

    /// Gives a scalar a spelling and a meaning, and locks it with its neighbors.
    pub(crate) fn respell(
        &mut self,
        i: usize,
        text: impl Into<String>,
        mean: Data,
        others: Vec<Data>,
    ) {
        let token = &mut self.tokens[i];
        token.text = text.into();
        token.mean = Mean::Value(mean);
        token.others = others.into_iter().map(Mean::Value).collect();
        token.quote = Quote::Other;
        self.lock(i - 1, i + 1);
    }

    /// Whether the root is an object with at least `size` members.
    pub(crate) fn root_members(&self, size: usize) -> bool {
        let root = &self.tokens[0];
        let keys = self.tokens.iter().filter(|t| t.role == Role::Key && t.depth == 1).count();
        root.role == Role::Open && !root.list && keys >= size
    }

    pub(crate) fn root_is_container(&self) -> bool {
        self.tokens[0].role == Role::Open
    }

    /// Whether a closer has something before it in its container.
    pub(crate) fn is_filled_close(&self, i: usize) -> bool {
        i > 0 && self.role(i) == Some(Role::Close) && self.role(i - 1) != Some(Role::Open)
    }
}

/// When a kind of damage is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    /// Changes the spelling of the whole document; at most one.
    Style,
    /// Changes one place.
    Local,
    /// Cuts the document off; at most one.
    Cut,
    /// Puts the document into a fence or a wrapper; at most one.
    Wrap,
    /// Puts text around it; at most one.
    Around,
    /// Reasoning before everything; at most one.
    Think,
}

type Plant = fn(&mut Vec<(String, Data)>, &mut Random);

/// One kind of damage.
pub struct Kind {
    /// Its name.
    pub name: &'static str,
    /// The family it belongs to.
    pub shape: &'static str,
    pub(crate) stage: Stage,
    /// Does the damage; false when the document has no place for it.
    pub(crate) apply: fn(&mut Work, &mut Random) -> bool,
    /// Adds members to the root that give the damage a place.
    pub(crate) plant: Option<Plant>,
}

impl Kind {
    pub(crate) const fn new(
        name: &'static str,
        shape: &'static str,
        stage: Stage,
        apply: fn(&mut Work, &mut Random) -> bool,
    ) -> Self {
        Self { name, shape, stage, apply, plant: None }
    }

    pub(crate) const fn planting(mut self, plant: Plant) -> Self {
        self.plant = Some(plant);
        self
    }
}
