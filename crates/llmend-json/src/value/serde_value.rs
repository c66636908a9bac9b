//! Conversion to `serde_json::Value`.

use serde::Serialize;
use serde_json::{Map, Value as Json};

use crate::{
    Span,
    value::{Node, SlotKind, Value, pointer::push_token},
};

mod number;
mod sink;
#[cfg(test)]
mod tests;

use number::{is_another, number};
pub(crate) use sink::SerdeSink;

/// Maximum nesting depth: a deeper `serde_json::Value` would overflow the thread's stack when it is
/// dropped.
pub(crate) const MAX_LEVELS: usize = 1024;

/// Maximum total length of the listed paths, in bytes. Paths are as long as their places are deep,
/// so hostile text could make them many times its own length.
const MAX_LISTED: usize = 16 << 20;

/// Kind of information that a `serde_json::Value` cannot represent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum SerdeLossKind {
    /// Notation of a number, and digits of a fraction beyond the precision of a 64-bit float:
    /// `1.50` becomes `1.5`.
    NumberText,
    /// Value of a number: its integer part exceeds 64 bits, `1e400` becomes null, or `1e-400`
    /// becomes 0.
    Number,
    /// Earlier value of a duplicate key; the last one is kept.
    DuplicateKey,
    /// Order of an object's members; they are sorted by key.
    Order,
    /// Values below 1,024 levels, which are replaced by null.
    Depth,
}

impl SerdeLossKind {
    /// Returns the name used in reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NumberText => "number-text",
            Self::Number => "number",
            Self::DuplicateKey => "duplicate-key",
            Self::Order => "order",
            Self::Depth => "depth",
        }
    }
}

/// Information that was lost in the conversion to a `serde_json::Value`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SerdeLoss {
    /// Kind of the information.
    pub what: SerdeLossKind,
    /// JSON Pointer of the number, member, object or replaced value, relative to the converted
    /// part.
    pub path: String,
    /// Span in the source text; for a duplicate key, that of the later key.
    pub span: Span,
}

/// A `serde_json::Value` with a list of what it could not represent.
#[derive(Clone, Debug, PartialEq)]
pub struct SerdeValue {
    /// The value.
    pub value: Json,
    /// Lost information in the order of the text. The order of an object is listed once.
    pub lost: Vec<SerdeLoss>,
    /// Number of losses that are not listed, because the listed paths exceed 16 MiB.
    pub unlisted: usize,
}

impl Value<'_> {
    /// Converts the value to a `serde_json::Value`, and lists what that cannot represent.
    ///
    /// ```
    /// use llmend_json::SerdeLossKind;
    ///
    /// let parsed = llmend_json::parse("{price: 1.50, 'id': 12345678901234567890123}")?;
    /// let converted = parsed.value.to_serde();
    /// assert_eq!(converted.value["price"], 1.5);
    /// let lost: Vec<_> = converted.lost.iter().map(|lost| (lost.what, lost.path.as_str())).collect();
    /// assert_eq!(
    ///     lost,
    ///     [(SerdeLossKind::Order, ""), (SerdeLossKind::NumberText, "/price"), (SerdeLossKind::Number, "/id")],
    /// );
    /// # Ok::<(), llmend_json::Error>(())
    /// ```
    #[must_use]
    pub fn to_serde(&self) -> SerdeValue {
        self.root().to_serde()
    }
}

impl Node<'_> {
    /// Converts this part to a `serde_json::Value`: see [`Value::to_serde`].
    #[must_use]
    pub fn to_serde(self) -> SerdeValue {
        let mut converter =
            Converter { node: self, levels: Vec::new(), lost: Vec::new(), listed: 0, unlisted: 0 };
        let value = converter.run();
        let Converter { mut lost, unlisted, .. } = converter;
        lost.sort_by_key(|lost| (lost.span.start, lost.path.len()));
        SerdeValue { value, lost, unlisted }
    }
}

/// An open container.
struct Level<'v> {
    /// Index of its slot.
    index: usize,
    /// Index one past its last descendant.
    end: usize,
    content: Content<'v>,
}

enum Content<'v> {
    Array(Vec<Json>),
    Object {
        map: Map<String, Json>,
        /// The distinct keys, in the order of the text.
        keys: Vec<&'v str>,
        /// Slot of the current key.
        key: usize,
        /// Whether a key is expected next.
        between: bool,
    },
}

struct Converter<'v> {
    node: Node<'v>,
    levels: Vec<Level<'v>>,
    lost: Vec<SerdeLoss>,
    /// Total length of the paths in `lost`, in bytes.
    listed: usize,
    unlisted: usize,
}

impl<'v> Converter<'v> {
    fn run(&mut self) -> Json {
        let mut at = self.node.index;
        loop {
            if self.takes_key(at) {
                at += 1;
            }
            let mut done = self.value(at);
            at = if done.is_some() { self.node.value.after(at) } else { at + 1 };
            loop {
                if let Some(value) = done
                    && let Some(root) = self.place(value)
                {
                    return root;
                }
                if self.levels.last().is_none_or(|level| at < level.end) {
                    break;
                }
                done = self.close();
            }
        }
    }

    /// Takes the key at `at`, if a key is expected there.
    fn takes_key(&mut self, at: usize) -> bool {
        match self.levels.last_mut().map(|level| &mut level.content) {
            Some(Content::Object { key, between, .. }) if *between => {
                (*key, *between) = (at, false);
                true
            }
            _ => false,
        }
    }

    /// Returns the value at `at`; opens a container and returns `None`.
    fn value(&mut self, at: usize) -> Option<Json> {
        let node = Node { index: at, ..self.node };
        let content = match node.slot().kind {
            SlotKind::Null => return Some(Json::Null),
            SlotKind::True => return Some(Json::Bool(true)),
            SlotKind::False => return Some(Json::Bool(false)),
            SlotKind::String => {
                return Some(Json::String(node.str().unwrap_or_default().to_owned()));
            }
            SlotKind::Number => return Some(self.number(node)),
            _ if self.levels.len() >= MAX_LEVELS => {
                self.lose(SerdeLossKind::Depth, node.span());
                return Some(Json::Null);
            }
            SlotKind::Array => Content::Array(Vec::new()),
            SlotKind::Object => {
                Content::Object { map: Map::new(), keys: Vec::new(), key: at, between: true }
            }
        };
        self.levels.push(Level { index: at, end: self.node.value.after(at), content });
        None
    }

    fn number(&mut self, node: Node<'v>) -> Json {
        let digits = node.number().unwrap_or_default();
        let number = number(digits);
        if number.as_ref().is_none_or(|number| number.to_string() != digits) {
            let what = if is_another(number.as_ref(), digits) {
                SerdeLossKind::Number
            } else {
                SerdeLossKind::NumberText
            };
            self.lose(what, node.span());
        }
        number.map_or(Json::Null, Json::Number)
    }

    /// Adds a complete value to its container; returns it if there is none.
    fn place(&mut self, value: Json) -> Option<Json> {
        match self.levels.last_mut().map(|level| &mut level.content) {
            None => return Some(value),
            Some(Content::Array(items)) => items.push(value),
            Some(Content::Object { map, keys, key, between }) => {
                let (place, name) = (*key, self.node.value.content(*key));
                *between = true;
                if map.insert(name.to_owned(), value).is_none() {
                    keys.push(name);
                } else {
                    let later = Node { index: place, ..self.node };
                    self.lose(SerdeLossKind::DuplicateKey, later.span());
                }
            }
        }
        None
    }

    /// Closes the innermost container.
    fn close(&mut self) -> Option<Json> {
        let Level { index, content, .. } = self.levels.pop()?;
        Some(match content {
            Content::Array(items) => Json::Array(items),
            Content::Object { map, keys, .. } => {
                if !map.keys().map(String::as_str).eq(keys) {
                    self.lose(SerdeLossKind::Order, Node { index, ..self.node }.span());
                }
                Json::Object(map)
            }
        })
    }

    #[cold]
    fn lose(&mut self, what: SerdeLossKind, span: Span) {
        if self.listed >= MAX_LISTED {
            self.unlisted += 1;
            return;
        }
        let path = self.path();
        self.listed += path.len();
        self.lost.push(SerdeLoss { what, path, span });
    }

    /// Returns the JSON Pointer of the next value.
    fn path(&self) -> String {
        let mut path = String::new();
        for level in &self.levels {
            match &level.content {
                Content::Array(items) => push_token(&mut path, &items.len().to_string()),
                Content::Object { key, .. } => push_token(&mut path, self.node.value.content(*key)),
            }
        }
        path
    }
}
