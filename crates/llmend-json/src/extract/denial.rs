//! What the text around the only value says against it: that it was taken back, that it repeats the
//! input, or that it is a form or an example and the answer cannot be given.

use std::sync::LazyLock;

/// How far before and behind a value the text is read, in bytes.
pub(crate) const REACH: usize = 300;

/// How strongly a text says that a value is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Denial {
    /// It may be none.
    Doubtful,
    /// It is none.
    Denied,
}

/// What a phrase says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Says {
    /// The value is the reader's own input.
    Echo,
    /// The value only shows a form.
    Form,
    /// The value is a piece to be put into something larger.
    Piece,
    /// The writer cannot answer.
    Lacks,
    /// The writer asks for something, or for the form to be filled in.
    Asks,
    /// The value was wrong.
    Wrong,
    /// The value must not be used.
    TakenBack,
}

/// Phrases and what they say, in lower case. Letters beyond ASCII are compared as they are.
const PHRASES: &[(&str, Says)] = &[
    ("you sent", Says::Echo),
    ("your input", Says::Echo),
    ("your request", Says::Echo),
    ("the following request", Says::Echo),
    ("parameters were", Says::Echo),
    ("ihre anfrage", Says::Echo),
    ("ihre eingabe", Says::Echo),
    ("votre demande", Says::Echo),
    ("su solicitud", Says::Echo),
    ("example", Says::Form),
    ("sample", Says::Form),
    ("dummy", Says::Form),
    ("made-up", Says::Form),
    ("made up", Says::Form),
    ("would look", Says::Form),
    ("would return", Says::Form),
    ("i'd return", Says::Form),
    ("template", Says::Form),
    ("skeleton", Says::Form),
    ("blank form", Says::Form),
    ("placeholder", Says::Form),
    ("schema", Says::Form),
    ("structure", Says::Form),
    ("format", Says::Form),
    ("beispiel", Says::Form),
    ("vorlage", Says::Form),
    ("exemple", Says::Form),
    ("ejemplo", Says::Form),
    ("only this part", Says::Piece),
    ("insert the following", Says::Piece),
    ("replace the line", Says::Piece),
    ("last part of", Says::Piece),
    ("first part of", Says::Piece),
    ("next part of", Says::Piece),
    ("can't", Says::Lacks),
    ("can’t", Says::Lacks),
    ("cannot", Says::Lacks),
    ("couldn't", Says::Lacks),
    ("could not", Says::Lacks),
    ("unable", Says::Lacks),
    ("won't", Says::Lacks),
    ("don't have", Says::Lacks),
    ("do not have", Says::Lacks),
    ("don't know", Says::Lacks),
    ("do not know", Says::Lacks),
    ("haven't", Says::Lacks),
    ("have no access", Says::Lacks),
    ("no file was", Says::Lacks),
    ("was empty", Says::Lacks),
    ("isn't possible", Says::Lacks),
    ("not possible", Says::Lacks),
    ("no result", Says::Lacks),
    ("there is no", Says::Lacks),
    ("rather not", Says::Lacks),
    ("keine", Says::Lacks),
    ("unbekannt", Says::Lacks),
    ("nicht möglich", Says::Lacks),
    ("ne peux pas", Says::Lacks),
    ("no puedo", Says::Lacks),
    ("please share", Says::Asks),
    ("please send", Says::Asks),
    ("please provide", Says::Asks),
    ("please paste", Says::Asks),
    ("please upload", Says::Asks),
    ("please attach", Says::Asks),
    ("please fill", Says::Asks),
    ("send me", Says::Asks),
    ("once you", Says::Asks),
    ("could you resend", Says::Asks),
    ("replace the", Says::Asks),
    ("replace your", Says::Asks),
    ("with your data", Says::Asks),
    ("with your own", Says::Asks),
    ("would you like", Says::Asks),
    ("sobald sie", Says::Asks),
    ("bitte geben sie", Says::Asks),
    ("bitte senden sie", Says::Asks),
    ("setzen sie", Says::Asks),
    ("füllen sie", Says::Asks),
    ("that's wrong", Says::Wrong),
    ("that is wrong", Says::Wrong),
    ("this is wrong", Says::Wrong),
    ("correction:", Says::Wrong),
    ("belongs to another", Says::Wrong),
    ("on second thought", Says::Wrong),
    ("stimmt nicht", Says::Wrong),
    ("i made it up", Says::Wrong),
    ("disregard the", Says::TakenBack),
    ("disregard that", Says::TakenBack),
    ("disregard this", Says::TakenBack),
    ("disregard my", Says::TakenBack),
    ("ignore my previous", Says::TakenBack),
    ("ignore this list", Says::TakenBack),
    ("ignore this answer", Says::TakenBack),
    ("ignore the json", Says::TakenBack),
    ("ignore the above", Says::TakenBack),
    ("do not use this", Says::TakenBack),
    ("don't use this", Says::TakenBack),
    ("nicht verwenden", Says::TakenBack),
];

/// The phrases by their first byte.
static BY_FIRST: LazyLock<[Vec<&'static (&'static str, Says)>; 256]> = LazyLock::new(|| {
    let mut table = [const { Vec::new() }; 256];
    for row in PHRASES {
        if let Some(rows) = row.0.bytes().next().and_then(|first| table.get_mut(usize::from(first)))
        {
            rows.push(row);
        }
    }
    table
});

/// What is said in a text.
#[derive(Clone, Copy, Debug, Default)]
struct Said(u8);

impl Said {
    /// Reads a text. A phrase begins with a word.
    fn of(text: &str) -> Self {
        let mut said = Self::default();
        let mut in_word = false;
        for (at, byte) in text.bytes().enumerate() {
            let is_word = byte.is_ascii_alphanumeric() || !byte.is_ascii();
            if is_word && !in_word {
                let rows = BY_FIRST.get(usize::from(byte.to_ascii_lowercase()));
                for (phrase, says) in rows.into_iter().flatten() {
                    let found = text.as_bytes().get(at..at + phrase.len());
                    if found.is_some_and(|found| found.eq_ignore_ascii_case(phrase.as_bytes())) {
                        said.0 |= 1 << *says as u8;
                    }
                }
            }
            in_word = is_word;
        }
        said
    }

    const fn has(self, says: Says) -> bool {
        self.0 & (1 << says as u8) != 0
    }
}

/// Judges a value by the text before and behind it. `is_form` says that it has places to fill in.
pub(crate) fn judge(before: &str, after: &str, is_form: bool) -> Option<Denial> {
    let introduced = Said::of(last_sentence(before));
    let all_before = Said::of(before);
    let behind = Said::of(after);
    let lacks = all_before.has(Says::Lacks) || behind.has(Says::Lacks);
    let asks = all_before.has(Says::Asks) || behind.has(Says::Asks);
    let is_quoted = before.rsplit('\n').next().is_some_and(|line| line.trim() == ">");
    let is_echo = introduced.has(Says::Echo) || (is_quoted && lacks);
    let shows_form = is_form || introduced.has(Says::Form);
    if behind.has(Says::TakenBack) || (behind.has(Says::Wrong) && lacks) {
        return Some(Denial::Denied);
    }
    if (is_echo && lacks) || (shows_form && (lacks || asks)) {
        return Some(Denial::Denied);
    }
    let doubtful = is_echo || is_form || introduced.has(Says::Piece) || behind.has(Says::Wrong);
    doubtful.then_some(Denial::Doubtful)
}

/// Returns the text before the fence that `before` ends with.
pub(super) fn before_block(before: &str) -> Option<&str> {
    let without_tag = before.trim_end().trim_end_matches(|c: char| c.is_ascii_alphanumeric());
    let without_fence = without_tag.trim_end_matches(['`', '~']);
    (without_fence.len() < without_tag.len()).then(|| without_fence.trim_end())
}

/// Returns the sentence before a value, without the fence of its block.
fn last_sentence(before: &str) -> &str {
    let text = before_block(before).unwrap_or_else(|| before.trim_end());
    let line = text.rsplit('\n').next().unwrap_or(text);
    let mut sentences = line.rsplit(['.', '!', '?']);
    sentences.find(|sentence| sentence.contains(char::is_alphabetic)).unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::{Denial, judge};

    #[test]
    fn what_is_said_around_a_value() {
        use Denial::{Denied, Doubtful};
        for (before, after, is_form, expected) in [
            ("Here is the JSON:\n", "", false, None),
            ("Here is the data in the requested format:\n", "", false, None),
            ("Here is the JSON Schema that you asked for:\n", "Tell me if it fits.", false, None),
            ("Here it is.\n", "I couldn't find the phone number, so it is null.", false, None),
            ("The report: ", "Note: ignore the trailing spaces.", false, None),
            ("", "\nSorry, please disregard the JSON above. It was a guess.", false, Some(Denied)),
            (
                "",
                "\nCorrection: that town is another one. I couldn't find yours.",
                false,
                Some(Denied),
            ),
            ("", "\nCorrection: the total has no tax.", false, Some(Doubtful)),
            ("You sent me:\n", "\nI can't read it: the service is down.", false, Some(Denied)),
            ("Your input\n```json\n", "\n```\nhas three parts.", false, Some(Doubtful)),
            ("No file was attached. A made-up sample:\n", "", false, Some(Denied)),
            ("A response would look like this:\n", "Please share the text.", false, Some(Denied)),
            ("", "\nReplace the words in brackets.", true, Some(Denied)),
            ("Ihre Anfrage ", " habe ich erhalten.", false, Some(Doubtful)),
            ("> ", "\n\nThat is in the future, so I can't say.", false, Some(Denied)),
            ("Insert the following after line 40:\n```json\n", "\n```", false, Some(Doubtful)),
            (
                "Beispiel: ",
                " Sobald Sie die Rechnung schicken, folgt das Ergebnis.",
                false,
                Some(Denied),
            ),
        ] {
            assert_eq!(judge(before, after, is_form), expected, "{before}…{after}");
        }
    }
}
