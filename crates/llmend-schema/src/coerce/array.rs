//! Coercion to arrays.

use llmend_json::{Kind, Node};

use super::document::SourceNode;
use super::{Coercer, null};
use crate::compile::{Goal, MatchBy, Plain, Shape, ShapeId};
use crate::fold::folded;
use crate::{CoercionKind, OnBadItem};

impl<'s, 'v> Coercer<'s, 'v> {
    /// Coerces the items of an array.
    pub(super) fn array(&mut self, plain: &'s Plain, at: SourceNode<'v>) {
        self.builder.begin_array(at.span());
        let mut kept = 0;
        for (index, item) in at.node.items().enumerate() {
            kept += usize::from(self.item(plain, at.of(item), kept, index));
        }
        self.builder.end();
    }

    /// Writes an item at the index `to`; returns false if it was removed, and records that.
    fn item(&mut self, plain: &'s Plain, at: SourceNode<'v>, to: usize, index: usize) -> bool {
        let Some(target) = plain.prefix.get(index).copied().or(plain.items) else {
            self.take(at);
            return true;
        };
        let length = self.path.len();
        self.step_in(&to.to_string());
        let kept = self.item_here(plain, target, at, index);
        self.path.truncate(length);
        if !kept {
            // The path of what is removed is the original one.
            self.step_in(&index.to_string());
            self.note_removed(CoercionKind::DroppedItem, at, Some(index));
            self.path.truncate(length);
        }
        kept
    }

    fn item_here(
        &mut self,
        plain: &'s Plain,
        target: ShapeId,
        at: SourceNode<'v>,
        index: usize,
    ) -> bool {
        if self.options.on_bad_item == OnBadItem::Fail {
            self.fit(target, at);
            return true;
        }
        if self.attempt_or_undo(|coercer| coercer.fit(target, at)) || self.evaluator.exhausted() {
            return true;
        }
        let null = crate::instance::Instance::Null;
        let shape = self.shapes.get(target as usize);
        let nullable = shape.is_some_and(|shape| self.fits(shape, null));
        match self.options.on_bad_item {
            OnBadItem::Null if nullable => {
                self.note_item(CoercionKind::NulledItem, at, index);
                self.builder.null(at.span());
                true
            }
            // Items of `prefixItems` would change their meaning.
            OnBadItem::Drop if index >= plain.prefix.len() => false,
            _ => {
                self.fit(target, at);
                true
            }
        }
    }

    /// Converts an object to an array: one with the keys 0, 1, 2 and so on, one whose only member
    /// is the array, or a single item.
    pub(super) fn array_from_object(
        &mut self,
        shape: &'s Shape,
        plain: &'s Plain,
        at: SourceNode<'v>,
    ) -> bool {
        if is_counted(at.node) {
            return self.attempt_or_undo(|coercer| coercer.counted(plain, at));
        }
        let wrapped =
            self.wrapped(shape, plain.items, at).filter(|inner| inner.node.kind() == Kind::Array);
        if let Some(inner) = wrapped
            && self.attempt_or_undo(|coercer| {
                coercer.note(CoercionKind::Unwrapped, at);
                coercer.fit_inner(shape, inner, |coercer| coercer.array(plain, inner));
            })
        {
            return true;
        }
        self.single_item(plain, at)
    }

    fn counted(&mut self, plain: &'s Plain, at: SourceNode<'v>) {
        self.note(CoercionKind::ArrayFromObject, at);
        self.builder.begin_array(at.span());
        let mut kept = 0;
        for (index, (_, value)) in at.node.members().enumerate() {
            kept += usize::from(self.item(plain, at.of(value), kept, index));
        }
        self.builder.end();
    }

    /// Wraps a value in an array as its only item.
    pub(super) fn single_item(&mut self, plain: &'s Plain, at: SourceNode<'v>) -> bool {
        let Some(target) = plain.prefix.first().copied().or(plain.items) else { return false };
        // Several items in one string, or a placeholder, are not an item.
        let several =
            at.node.str().is_some_and(|text| is_list(text) && !self.is_listed(target, text));
        if at.node.is_null() || several || plain.prefix.len() > 1 || self.is_placeholder(target, at)
        {
            return false;
        }
        self.attempt_or_undo(|coercer| {
            coercer.note(CoercionKind::SingleItem, at);
            coercer.builder.begin_array(at.span());
            let length = coercer.path.len();
            coercer.step_in("0");
            coercer.enclosing(at, |coercer| coercer.fit(target, at));
            coercer.builder.end();
            coercer.path.truncate(length);
        })
    }

    /// Returns whether a string is a placeholder and not one of the enum values of `target`.
    pub(super) fn is_placeholder(&self, target: ShapeId, at: SourceNode<'v>) -> bool {
        let Some(text) = at.node.str().filter(|text| null::is_placeholder(text)) else {
            return false;
        };
        !self.is_listed(target, text)
    }

    /// Returns whether a text is one of the enum values of `target`, in any spelling.
    fn is_listed(&self, target: ShapeId, text: &str) -> bool {
        let goal = self.shapes.get(target as usize).map(|shape| &shape.goal);
        let Some(Goal::Plain(plain)) = goal else { return false };
        plain.enum_values.as_ref().is_some_and(|values| {
            let found = values.found(MatchBy::Folded, folded(text)).iter();
            found.filter_map(|at| values.all.get(*at)).any(|value| value.value.is_string())
        })
    }

    /// Returns the only member of an object, if its key is not a property of `target`.
    pub(super) fn wrapped(
        &self,
        shape: &Shape,
        target: Option<ShapeId>,
        at: SourceNode<'v>,
    ) -> Option<SourceNode<'v>> {
        let (key, inner) = self.in_wrapper(shape, at)?;
        let known = target
            .and_then(|target| self.shapes.get(target as usize))
            .is_some_and(|shape| matches!(&shape.goal, Goal::Plain(plain) if is_known(plain, key)));
        (!known).then_some(inner)
    }
}

/// Returns whether a key is a property or a spelling of one.
pub(super) fn is_known(plain: &Plain, key: &str) -> bool {
    let folded = folded(key);
    plain.by_name.contains_key(key)
        || plain.by_spelling.contains_key(&folded)
        || plain.by_alias.contains_key(&folded)
}

/// Returns whether the keys of an object are 0, 1, 2 and so on.
fn is_counted(node: Node<'_>) -> bool {
    let mut members = node.members().enumerate().peekable();
    members.peek().is_some()
        && members.all(|(at, (key, _))| key.str().is_some_and(|key| key == at.to_string()))
}

/// Separators between items.
const PARTING: [char; 8] = ['\n', '\t', ';', ',', '|', '•', '·', '、'];
/// Conjunctions between items.
const JOINING: [&str; 5] = [" and ", " or ", " & ", " / ", " + "];

/// Returns whether a text lists several items, so that taking it for one item would hide the
/// others: it has several lines, separators or tags, or few words on both sides of a separator.
fn is_list(text: &str) -> bool {
    let text = text.trim();
    let tags = text.split_whitespace().filter(|word| word.starts_with(['#', '@'])).count();
    if text.contains('\n') || tags > 1 {
        return true;
    }
    let mut parts: Vec<&str> = text.split(PARTING).collect();
    if parts.len() > 2 {
        return true;
    }
    for word in JOINING {
        parts = parts.into_iter().flat_map(|part| part.split(word)).collect();
    }
    if parts.iter().skip(1).any(|part| goes_on(part)) {
        return false;
    }
    let words = |part: &&str| part.split_whitespace().count();
    let counts = || parts.iter().map(words);
    parts.len() > 1
        && counts().max().is_some_and(|most| most <= MAX_WORDS)
        && counts().min().is_some_and(|least| least <= FEW_WORDS)
}

/// Words that continue a sentence rather than begin an item.
const GOING_ON: [&str; 26] = [
    "with", "without", "which", "who", "whose", "that", "but", "because", "since", "so", "if",
    "when", "while", "where", "though", "although", "as", "then", "please", "to", "for", "in",
    "on", "at", "by", "from",
];

fn goes_on(part: &str) -> bool {
    part.split_whitespace().next().is_some_and(|word| GOING_ON.contains(&word))
}

/// Maximum number of words of an item, and of the shortest item, around a single separator.
const MAX_WORDS: usize = 4;
const FEW_WORDS: usize = 2;

#[cfg(test)]
mod tests {
    use super::is_list;

    #[test]
    fn lists_are_distinguished_from_items() {
        for (text, expected) in [
            ("1,2,3", true),
            ("red, green", true),
            ("a; b; c", true),
            ("- one\n- two", true),
            ("red", false),
            ("a long remark, with a comma", false),
            ("a remark, with a comma", false),
            ("new York, los angeles", true),
            ("red | green", true),
            ("#red #green", true),
            ("a and b", true),
            ("salt & pepper", true),
            ("/usr/bin", false),
            ("one #tag of many", false),
            ("Check the door and then close all of the windows", false),
            ("", false),
        ] {
            assert_eq!(is_list(text), expected, "{text}");
        }
    }
}
