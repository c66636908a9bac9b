//! What does a model answer, whoever's server it runs on?

use crate::form::Form;
use crate::reply::Reply;
use crate::script::Seen;

/// Characters of a piece of a stream.
const PIECE_CHARS: usize = 8;

/// An answer, to be written in the form of whoever is asked.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    pub(crate) pieces: Vec<String>,
    pub(crate) calls: Vec<(String, String)>,
    pub(crate) finish: Option<String>,
    pub(crate) is_cut_off: bool,
    /// Whether the call is told as that of a function, before there were tools.
    pub(crate) is_function: bool,
    pub(crate) usage: (u64, u64),
}

impl Answer {
    /// Words, which a stream has in pieces of eight characters. It says that it used 11 tokens of a
    /// question and 7 of an answer.
    #[must_use]
    pub fn text(text: &str) -> Self {
        let chars: Vec<char> = text.chars().collect();
        let pieces = chars.chunks(PIECE_CHARS).map(|piece| piece.iter().collect()).collect();
        Self { pieces, usage: (11, 7), ..Self::default() }
    }

    /// A call of a tool. Where a provider writes arguments as an object, those that are no JSON are `{}`;
    /// Anthropic's form has them as text then, as servers have that imitate it.
    #[must_use]
    pub fn call(name: &str, arguments: &str) -> Self {
        Self::text("").and_call(name, arguments)
    }

    /// With one more call of a tool.
    #[must_use]
    pub fn and_call(mut self, name: &str, arguments: &str) -> Self {
        self.calls.push((name.to_owned(), arguments.to_owned()));
        self
    }

    /// Cut off at the limit of tokens.
    #[must_use]
    pub fn cut_off(mut self) -> Self {
        self.is_cut_off = true;
        self
    }

    /// With a word of its own for the reason to stop.
    #[must_use]
    pub fn finish(mut self, word: &str) -> Self {
        self.finish = Some(word.to_owned());
        self
    }

    /// With other numbers of tokens, of the question and of the answer.
    #[must_use]
    pub fn usage(mut self, input: u64, output: u64) -> Self {
        self.usage = (input, output);
        self
    }

    /// The whole answer in a form.
    #[must_use]
    pub fn whole(&self, form: Form) -> Reply {
        form.whole(self)
    }

    /// The answer as a stream in a form.
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
