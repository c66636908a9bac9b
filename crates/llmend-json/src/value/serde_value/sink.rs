//! Construction of `serde_json::Value`s while text is read.

use std::mem;

use serde_json::{Map, Value as Json};

use super::{MAX_LEVELS, number};
use crate::{
    Span,
    extract::Build,
    parser::{Window, escape::unescape},
    sink::{Container, Content, Literal, Sink},
};

/// A sink that builds a `serde_json::Value`.
#[derive(Debug, Default)]
pub(crate) struct SerdeSink {
    /// Container of the next value.
    top: Level,
    /// Containers around `top`, outermost first.
    outer: Vec<Level>,
    /// Number of open containers below the depth limit.
    buried: usize,
    repeats_keys: bool,
}

/// A value that was built.
#[derive(Debug)]
pub(crate) struct BuiltJson {
    /// `None` if nothing was read.
    pub(crate) value: Option<Json>,
    /// Whether a later member replaced another one of an object.
    pub(crate) repeats_keys: bool,
}

/// An open container, or the root.
#[derive(Debug)]
enum Level {
    Root(Option<Json>),
    Array(Vec<Json>),
    /// With the current key, if a value is expected.
    Object(Map<String, Json>, Option<String>),
}

impl Default for Level {
    fn default() -> Self {
        Self::Root(None)
    }
}

impl Build for SerdeSink {
    type Built = BuiltJson;

    fn for_text(_: usize) -> Self {
        Self::default()
    }

    fn begin(&mut self) {
        *self = Self::default();
    }

    fn end(&mut self) -> BuiltJson {
        loop {
            if let Level::Root(value) = &mut self.top {
                return BuiltJson { value: value.take(), repeats_keys: self.repeats_keys };
            }
            self.close(0);
        }
    }

    fn keep(&mut self) {}

    fn adopt(
        &mut self,
        _: Self,
        built: BuiltJson,
        _: &str,
        _: impl FnMut(Span) -> Span,
    ) -> BuiltJson {
        built
    }
}

impl SerdeSink {
    #[inline]
    fn push(&mut self, value: Json) {
        if self.buried > 0 {
            return;
        }
        match &mut self.top {
            Level::Array(items) => items.push(value),
            Level::Object(map, key) => {
                if let Some(key) = key.take() {
                    self.repeats_keys |= map.insert(key, value).is_some();
                }
            }
            Level::Root(root) => *root = Some(value),
        }
    }
}

#[inline]
fn text(window: &Window<'_>, content: Content<'_>) -> String {
    match content {
        Content::Plain(inner) => window.slice(inner).to_owned(),
        Content::Escaped(inner) => unescaped(window.slice(inner)),
        Content::Repaired(text) => unescaped(text),
    }
}

fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    unescape(text, &mut out);
    out
}

impl Level {
    #[inline]
    fn empty(kind: Container) -> Self {
        match kind {
            Container::Array => Self::Array(Vec::new()),
            Container::Object => Self::Object(Map::new(), None),
        }
    }
}

impl Sink for SerdeSink {
    #[inline]
    fn open(&mut self, kind: Container, _: usize) {
        if self.outer.len() >= MAX_LEVELS {
            self.buried += 1;
            return;
        }
        self.outer.push(mem::replace(&mut self.top, Level::empty(kind)));
    }

    fn becomes(&mut self, kind: Container) {
        if self.buried == 0 {
            self.top = Level::empty(kind);
        }
    }

    #[inline]
    fn close(&mut self, _: usize) {
        if self.buried > 0 {
            self.buried -= 1;
            if self.buried == 0 {
                self.push(Json::Null);
            }
            return;
        }
        let Some(outer) = self.outer.pop() else { return };
        match mem::replace(&mut self.top, outer) {
            Level::Array(items) => self.push(Json::Array(items)),
            Level::Object(map, _) => self.push(Json::Object(map)),
            Level::Root(_) => {}
        }
    }

    #[inline]
    fn key(&mut self, window: &Window<'_>, _: Span, content: Content<'_>) {
        if self.buried == 0
            && let Level::Object(_, key) = &mut self.top
        {
            *key = Some(text(window, content));
        }
    }

    fn drop_key(&mut self) {
        if self.buried == 0
            && let Level::Object(_, key) = &mut self.top
        {
            *key = None;
        }
    }

    #[inline]
    fn string(&mut self, window: &Window<'_>, _: Span, content: Content<'_>) {
        if self.buried == 0 {
            self.push(Json::String(text(window, content)));
        }
    }

    #[inline]
    fn number(&mut self, window: &Window<'_>, _: Span, content: Content<'_>) {
        let digits = match content {
            Content::Plain(inner) | Content::Escaped(inner) => window.slice(inner),
            Content::Repaired(text) => text,
        };
        self.push(number(digits).map_or(Json::Null, Json::Number));
    }

    #[inline]
    fn literal(&mut self, literal: Literal, _: Span) {
        self.push(match literal {
            Literal::Null => Json::Null,
            Literal::True => Json::Bool(true),
            Literal::False => Json::Bool(false),
        });
    }
}
