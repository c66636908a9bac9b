//! What does a string hold that is JSON itself, and where does that stand?

use std::cell::OnceCell;

use llmend_json::{Class, Node, Options, RuleSet, Search, Span, Value};

/// JSON that was read from a string.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) value: Value<'static>,
    /// How sure the reading is, if it took a repair.
    pub(crate) class: Option<Class>,
    place: Place,
    next: Documents,
}

/// Where in the caller's text the text of a document stands.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// Byte for byte from this offset.
    From(usize),
    /// Somehow within this span: there are escapes in it.
    Within(Span),
}

/// The documents that were read so far, one behind the other, so that one more can be added while
/// the others are looked at.
#[derive(Debug, Default)]
pub(crate) struct Documents(OnceCell<Box<Document>>);

impl Documents {
    /// Adds a document to an end; gives it, and the new end.
    pub(crate) fn add(&self, document: Document) -> Option<&Document> {
        self.0.set(Box::new(document)).ok()?;
        self.0.get().map(|document| &**document)
    }
}

impl Drop for Documents {
    /// One after the other: there may be more than the stack has room for.
    fn drop(&mut self) {
        let mut next = self.0.take();
        while let Some(mut document) = next {
            next = document.next.0.take();
        }
    }
}

impl Document {
    /// Reads a string that stands at `span` of a text, given the part of the text between its
    /// marks if that is the string, byte for byte.
    pub(crate) fn read(content: &str, place: Option<usize>, span: Span) -> Option<Self> {
        let trimmed = content.trim_start();
        let fenced = trimmed.starts_with("```");
        if !fenced && !trimmed.starts_with(['{', '[']) {
            return None;
        }
        // The string is the value: a value somewhere in prose is what the prose is about.
        let search = if fenced { Search::On } else { Search::Off };
        let options = Options { search, ..Options::default() };
        let parsed = llmend_json::parse_with(content, &options).ok()?;
        let class = parsed.report.class;
        if class == Some(Class::Loss) {
            return None;
        }
        Some(Self {
            value: parsed.value.into_owned(),
            class,
            place: place.map_or(Place::Within(span), Place::From),
            next: Documents::default(),
        })
    }

    /// Reads JSON of the schema, such as a default, for an empty place of the text.
    pub(crate) fn of_schema(json: &str, at: Span) -> Option<Self> {
        let options = Options { rules: RuleSet::NONE, search: Search::Off, ..Options::default() };
        let parsed = llmend_json::parse_with(json, &options).ok()?;
        let (value, place) = (parsed.value.into_owned(), Place::Within(at));
        Some(Self { value, class: None, place, next: Documents::default() })
    }

    /// A value that was made of what stands at `span`.
    pub(crate) fn of_value(value: Value<'static>, span: Span) -> Self {
        Self { value, class: None, place: Place::Within(span), next: Documents::default() }
    }

    /// Where a part of it stands in the caller's text.
    pub(crate) fn place(&self, span: Span) -> Span {
        match self.place {
            Place::From(offset) => Span::new(offset + span.start, offset + span.end),
            Place::Within(whole) => whole,
        }
    }

    /// The end to which the next document is added.
    pub(crate) const fn next(&self) -> &Documents {
        &self.next
    }
}

/// A part of the caller's value, or of JSON that was read from a string in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At<'v> {
    pub(crate) node: Node<'v>,
    pub(crate) document: Option<&'v Document>,
}

impl<'v> At<'v> {
    /// Another part of the same.
    pub(crate) const fn of(self, node: Node<'v>) -> Self {
        Self { node, ..self }
    }

    /// Where it stands in the caller's text.
    pub(crate) fn span(self) -> Span {
        self.place(self.node.span())
    }

    /// Where a place of its text is in the caller's.
    pub(crate) fn place(self, span: Span) -> Span {
        self.document.map_or(span, |document| document.place(span))
    }

    /// What tells it from all other parts.
    pub(crate) fn key(self) -> (usize, usize) {
        (std::ptr::from_ref(self.node.value()).addr(), self.node.index())
    }

    /// Where the content of a string begins in the caller's text, if it stands there byte for
    /// byte.
    pub(crate) fn content_start(self) -> Option<usize> {
        let content = self.node.str()?;
        let inside = self.node.value().text();
        let span = self.node.span();
        let (start, end) = (span.start + 1, span.end.checked_sub(1)?);
        let verbatim = start <= end && Span::new(start, end).of(inside) == content;
        match self.document {
            _ if !verbatim || content.is_empty() => None,
            None => Some(start),
            Some(document) => match document.place {
                Place::From(offset) => Some(offset + start),
                Place::Within(_) => None,
            },
        }
    }
}
