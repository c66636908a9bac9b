//! Answers of a model, independent of the provider.

use crate::form::Form;
use crate::reply::Reply;
use crate::script::Seen;

/// Characters per piece of a stream.
const PIECE_CHARS: usize = 8;

/// An answer, independent of the provider's form.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    pub(crate) pieces: Vec<String>,
    pub(crate) calls: Vec<(String, String)>,
    pub(crate) finish: Option<String>,
    pub(crate) is_cut_off: bool,
    /// Whether the call is written as a function call, the form before tools.
    pub(crate) is_function: bool,
    pub(crate) usage: (u64, u64),
}

impl Answer {
    /// Creates an answer of text, streamed in pieces of eight characters. It reports 11 input and 7
    /// output tokens.
    #[must_use]
    pub fn text(text: &str) -> Self {
        let chars: Vec<char> = text.chars().collect();
        let pieces = chars.chunks(PIECE_CHARS).map(|piece| piece.iter().collect()).collect();
        Self { pieces, usage: (11, 7), ..Self::default() }
    }

    /// Streams the text in pieces of this many bytes, or a few more where a character does not fit.
    #[must_use]
    pub fn pieces_of(mut self, bytes: usize) -> Self {
        let text = self.pieces.concat();
        self.pieces.clear();
        let mut start = 0;
        for (at, _) in text.char_indices().filter(|(at, _)| *at > 0) {
            if at - start >= bytes {
                self.pieces.push(text.get(start..at).unwrap_or_default().to_owned());
                start = at;
            }
        }
        self.pieces.push(text.get(start..).unwrap_or_default().to_owned());
        self
    }

    /// A call of a tool. Where a provider writes arguments as an object, those that are no JSON are `{}`;
    /// Anthropic's form has them as text then, as servers have that imitate it.
    #[must_use]
    pub fn call(name: &str, arguments: &str) -> Self {
        Self::text("").and_call(name, arguments)
    }

    /// Adds a tool call.
    #[must_use]
    pub fn and_call(mut self, name: &str, arguments: &str) -> Self {
        self.calls.push((name.to_owned(), arguments.to_owned()));
        self
    }

    /// Marks the answer as truncated at the token limit.
    #[must_use]
    pub fn cut_off(mut self) -> Self {
        self.is_cut_off = true;
        self
    }

    /// Sets the stop reason.
    #[must_use]
    pub fn finish(mut self, word: &str) -> Self {
        self.finish = Some(word.to_owned());
        self
    }

    /// Sets the numbers of input and output tokens.
    #[must_use]
    pub fn usage(mut self, input: u64, output: u64) -> Self {
        self.usage = (input, output);
        self
    }

    /// Returns the whole answer in a form.
    #[must_use]
    pub fn whole(&self, form: Form) -> Reply {
        form.whole(self)
    }

    /// Returns the answer as a stream in a form.
    #[must_use]
    pub fn stream(&self, form: Form) -> Reply {
        form.stream(self)
    }

    pub(crate) fn reply_to(&self, seen: &Seen) -> Reply {
        let form = Form::of_path(&seen.path);
        let answer = Self { is_function: seen.json()["functions"].is_array(), ..self.clone() };
        if seen.asks_for_stream() { answer.stream(form) } else { answer.whole(form) }
    }

    pub(crate) fn joined(&self) -> String {
        self.pieces.concat()
    }
}
