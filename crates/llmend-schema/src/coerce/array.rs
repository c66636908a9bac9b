//! What becomes of the items of a list, and of what stands where a list is wanted?

use llmend_json::{Kind, Node};

use super::document::At;
use super::{Walk, null};
use crate::compile::{Goal, Plain, Shape, ShapeId, Way};
use crate::fold::folded;
use crate::{CoercionKind, OnBadItem};

impl<'s, 'v> Walk<'s, 'v> {
    /// Writes a list, each item as the schema wants it.
    pub(super) fn array(&mut self, plain: &'s Plain, at: At<'v>) {
        self.builder.begin_array(at.span());
        let mut kept = 0;
        for (index, item) in at.node.items().enumerate() {
            kept += usize::from(self.item(plain, at.of(item), kept, index));
        }
        self.builder.end();
    }

    /// Writes one item at the place `to`; false if it was left out.
    fn item(&mut self, plain: &'s Plain, at: At<'v>, to: usize, index: usize) -> bool {
        let Some(asked) = plain.prefix.get(index).copied().or(plain.items) else {
            self.take(at);
            return true;
        };
        let length = self.path.len();
        self.step_in(&to.to_string());
        let kept = self.item_here(plain, asked, at, index);
        self.path.truncate(length);
        kept
    }

    fn item_here(&mut self, plain: &'s Plain, asked: ShapeId, at: At<'v>, index: usize) -> bool {
        if self.options.on_bad_item == OnBadItem::Fail {
            self.fit(asked, at);
            return true;
        }
        if self.attempt_or_undo(|walk| walk.fit(asked, at)) || self.judge.exhausted() {
            return true;
        }
        let null = crate::instance::Part::Null;
        let shape = self.shapes.get(asked as usize);
        let nullable = shape.is_some_and(|shape| self.fits(shape, null));
        match self.options.on_bad_item {
            OnBadItem::Null if nullable => {
                self.note_item(CoercionKind::NulledItem, at, index);
                self.builder.null(at.span());
                true
            }
            // Where the place says what an item is, the next one would take its meaning.
            OnBadItem::Drop if index >= plain.prefix.len() => {
                self.note_left_out(CoercionKind::DroppedItem, at, Some(index));
                false
            }
            _ => {
                self.fit(asked, at);
                true
            }
        }
    }

    /// Makes an object into a list: one with the keys 0, 1, 2 and so on, one that has the list as
    /// its only member, or one that is the only item.
    pub(super) fn array_from_object(
        &mut self,
        shape: &'s Shape,
        plain: &'s Plain,
        at: At<'v>,
    ) -> bool {
        if is_counted(at.node) {
            return self.attempt_or_undo(|walk| walk.counted(plain, at));
        }
        let wrapped =
            self.wrapped(plain.items, at).filter(|inner| inner.node.kind() == Kind::Array);
        if let Some(inner) = wrapped
            && self.attempt_or_undo(|walk| {
                walk.note(CoercionKind::Unwrapped, at);
                walk.fit_inner(shape, inner, |walk| walk.array(plain, inner));
            })
        {
            return true;
        }
        self.single_item(plain, at)
    }

    fn counted(&mut self, plain: &'s Plain, at: At<'v>) {
        self.note(CoercionKind::ArrayFromObject, at);
        self.builder.begin_array(at.span());
        let mut kept = 0;
        for (index, (_, value)) in at.node.members().enumerate() {
            kept += usize::from(self.item(plain, at.of(value), kept, index));
        }
        self.builder.end();
    }

    /// Makes a value into the one item of a list.
    pub(super) fn single_item(&mut self, plain: &'s Plain, at: At<'v>) -> bool {
        let Some(asked) = plain.prefix.first().copied().or(plain.items) else { return false };
        // Several items in one string, or nothing at all, are no item.
        let several =
            at.node.str().is_some_and(|text| is_list(text) && !self.is_listed(asked, text));
        if at.node.is_null() || several || plain.prefix.len() > 1 || self.is_nothing(asked, at) {
            return false;
        }
        self.attempt_or_undo(|walk| {
            walk.note(CoercionKind::SingleItem, at);
            walk.builder.begin_array(at.span());
            let length = walk.path.len();
            walk.step_in("0");
            walk.enclosing(at, |walk| walk.fit(asked, at));
            walk.builder.end();
            walk.path.truncate(length);
        })
    }

    /// Whether a string says that there is nothing, and is not one of the values of `asked`.
    pub(super) fn is_nothing(&self, asked: ShapeId, at: At<'v>) -> bool {
        let Some(text) = at.node.str().filter(|text| null::says_nothing(text)) else {
            return false;
        };
        !self.is_listed(asked, text)
    }

    /// Whether a text is one of the values of `asked`, as it is or spelt otherwise.
    fn is_listed(&self, asked: ShapeId, text: &str) -> bool {
        let goal = self.shapes.get(asked as usize).map(|shape| &shape.goal);
        let Some(Goal::Plain(plain)) = goal else { return false };
        plain.words.as_ref().is_some_and(|words| {
            let found = words.found(Way::Folded, folded(text)).iter();
            found.filter_map(|at| words.all.get(*at)).any(|word| word.value.is_string())
        })
    }

    /// The only member of an object, if its key means nothing to those who want `asked`.
    pub(super) fn wrapped(&self, asked: Option<ShapeId>, at: At<'v>) -> Option<At<'v>> {
        let (key, inner) = self.in_wrapper(at)?;
        let known = asked
            .and_then(|asked| self.shapes.get(asked as usize))
            .is_some_and(|shape| matches!(&shape.goal, Goal::Plain(plain) if is_known(plain, key)));
        (!known).then_some(inner)
    }
}

/// Whether a key is a property, or spells one.
pub(super) fn is_known(plain: &Plain, key: &str) -> bool {
    let folded = folded(key);
    plain.by_name.contains_key(key)
        || plain.by_spelling.contains_key(&folded)
        || plain.by_alias.contains_key(&folded)
}

/// Whether the keys of an object are 0, 1, 2 and so on.
fn is_counted(node: Node<'_>) -> bool {
    let mut members = node.members().enumerate().peekable();
    members.peek().is_some()
        && members.all(|(at, (key, _))| key.str().is_some_and(|key| key == at.to_string()))
}

/// Marks between items that are parted by nothing else.
const PARTING: [char; 8] = ['\n', '\t', ';', ',', '|', '•', '·', '、'];
/// Words between items.
const JOINING: [&str; 5] = [" and ", " or ", " & ", " / ", " + "];

/// Whether a text is a list of its own, so that to take it for one item would hide the others: it
/// has lines, more than one mark between items, several tags, or few words on both sides of one.
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
        && counts().max().is_some_and(|most| most <= MOST_WORDS)
        && counts().min().is_some_and(|least| least <= FEW_WORDS)
}

/// Words with which a sentence goes on, and no item begins.
const GOING_ON: [&str; 26] = [
    "with", "without", "which", "who", "whose", "that", "but", "because", "since", "so", "if",
    "when", "while", "where", "though", "although", "as", "then", "please", "to", "for", "in",
    "on", "at", "by", "from",
];

fn goes_on(part: &str) -> bool {
    part.split_whitespace().next().is_some_and(|word| GOING_ON.contains(&word))
}

/// Most words of an item, and words of the shortest one, where a single mark is between two.
const MOST_WORDS: usize = 4;
const FEW_WORDS: usize = 2;

#[cfg(test)]
mod tests {
    use super::is_list;

    #[test]
    fn lists_are_told_from_items() {
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
