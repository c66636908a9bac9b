//! JSON documents embedded in strings.

use std::cell::OnceCell;

use llmend_json::{Class, Node, Options, RuleSet, Search, Span, Value};

/// JSON read from a string.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) value: Value<'static>,
    /// Class of the repairs, if any were needed.
    pub(crate) class: Option<Class>,
    place: TextPosition,
    next: Documents,
}

/// Position of a document in the caller's text.
#[derive(Clone, Copy, Debug)]
enum TextPosition {
    /// Verbatim from this offset.
    From(usize),
    /// Within this span, with escapes.
    Within(Span),
}

/// A linked list of documents, which can grow while its elements are borrowed.
#[derive(Debug, Default)]
pub(crate) struct Documents(OnceCell<Box<Document>>);

impl Documents {
    /// Adds a document at the end and returns it.
    pub(crate) fn add(&self, document: Document) -> Option<&Document> {
        self.0.set(Box::new(document)).ok()?;
        self.0.get().map(|document| &**document)
    }
}

impl Drop for Documents {
    /// Drops iteratively, since the list may be longer than the stack is deep.
    fn drop(&mut self) {
        let mut next = self.0.take();
        while let Some(mut document) = next {
            next = document.next.0.take();
        }
    }
}

impl Document {
    /// Reads the JSON in a string at `span`. `place` is the offset of its content if it appears
    /// verbatim in the text.
    pub(crate) fn read(content: &str, place: Option<usize>, span: Span) -> Option<Self> {
        let trimmed = content.trim_start();
        let fenced = trimmed.starts_with("```");
        if !fenced && !trimmed.starts_with(['{', '[']) {
            return None;
        }
        // The whole string must be the value: JSON within prose is what the prose is about.
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
            place: place.map_or(TextPosition::Within(span), TextPosition::From),
            next: Documents::default(),
        })
    }

    /// Reads JSON from the schema, such as a default, for an empty span.
    pub(crate) fn of_schema(json: &str, at: Span) -> Option<Self> {
        let options = Options { rules: RuleSet::NONE, search: Search::Off, ..Options::default() };
        let parsed = llmend_json::parse_with(json, &options).ok()?;
        let (value, place) = (parsed.value.into_owned(), TextPosition::Within(at));
        Some(Self { value, class: None, place, next: Documents::default() })
    }

    /// Creates a document from a value made of the part at `span`.
    pub(crate) fn of_value(value: Value<'static>, span: Span) -> Self {
        Self { value, class: None, place: TextPosition::Within(span), next: Documents::default() }
    }

    /// Returns the position of a part in the caller's text.
    pub(crate) fn place(&self, span: Span) -> Span {
        match self.place {
            TextPosition::From(offset) => Span::new(offset + span.start, offset + span.end),
            TextPosition::Within(whole) => whole,
        }
    }

    /// Returns the end of the list.
    pub(crate) const fn next(&self) -> &Documents {
        &self.next
    }
}

/// A part of the caller's value, or of a document embedded in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SourceNode<'v> {
    pub(crate) node: Node<'v>,
    pub(crate) document: Option<&'v Document>,
}

impl<'v> SourceNode<'v> {
    /// Returns another part of the same document.
    pub(crate) const fn of(self, node: Node<'v>) -> Self {
        Self { node, ..self }
    }

    /// Returns its span in the caller's text.
    pub(crate) fn span(self) -> Span {
        self.place(self.node.span())
    }

    /// Maps a span of its document to the caller's text.
    pub(crate) fn place(self, span: Span) -> Span {
        self.document.map_or(span, |document| document.place(span))
    }

    /// Returns a key that identifies the part.
    pub(crate) fn key(self) -> (usize, usize) {
        (std::ptr::from_ref(self.node.value()).addr(), self.node.index())
    }

    /// Returns the offset of a string's content in the caller's text, if it appears verbatim.
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
                TextPosition::From(offset) => Some(offset + start),
                TextPosition::Within(_) => None,
            },
        }
    }
}
