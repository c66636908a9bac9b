//! What the text around the only value says against it: that it was taken back, that it repeats the
//! input, or that it is a form or an example and the answer cannot be given.

mod phrases;

use std::cell::LazyCell;

use phrases::{Said, Says};

use crate::extract::last;

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

/// Words that begin the clause behind a value that takes it back.
const CONTRASTS: &[&str] =
    &["but", "however", "though", "although", "aber", "jedoch", "mais", "pero", "ma", "mas", "но"];
/// Words that point at the value before them.
const POINTERS: &[&str] =
    &["this is", "that is", "that's", "these are", "the above", "above is", "das ist", "dies ist"];

/// What a value looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Looks {
    /// Data.
    Data,
    /// A JSON Schema.
    Schema,
    /// All of its strings are places to fill in.
    Form,
}

/// Judges a value by the text before and behind it. `cited` says whether words for an example come
/// right before it.
pub(crate) fn judge(before: &str, after: &str, looks: Looks, cited: bool) -> Option<Denial> {
    let sentence = last_sentence(before);
    let mut introduced = Said::of(sentence);
    if !before.contains(char::is_alphabetic)
        && let Some(pointer) = pointing_sentence(after)
    {
        introduced = Said::of(pointer);
    }
    let behind = Said::of(after);
    let said_before = LazyCell::new(|| Said::of(before));
    let lacks = || behind.has(Says::Lacks) || said_before.has(Says::Lacks);
    let asks = || behind.has(Says::Asks) || said_before.has(Says::Asks);
    let is_quoted = || last::line(before).trim() == ">";
    let delivers = introduced.has(Says::Delivers);
    // A sentence that has ended does not say what the value is.
    let is_told = outside_block(before).ends_with(['.', '!']);
    let is_echo = (introduced.has(Says::Echo) && !delivers && !is_told) || (is_quoted() && lacks());
    let is_example = cited || introduced.has(Says::Example);
    let is_form = looks == Looks::Form;
    let names_form = introduced.has(Says::Form) && !is_manner(sentence);
    let offers = || behind.has(Says::Offers) || said_before.has(Says::Offers);
    let questions = || before.contains('?') || after.trim_end().ends_with(['?', '？']);
    let describes = || said_before.has(Says::Example) && !said_before.has(Says::Delivers);
    let says_form = (names_form && !delivers) || behind.has(Says::Form);
    if (is_form && says_form) || awaits_answer(after) {
        return Some(Denial::Denied);
    }
    let wrong = behind.has(Says::Wrong) || introduced.has(Says::Wrong);
    if behind.has(Says::TakenBack) || (wrong && (lacks() || questions())) {
        return Some(Denial::Denied);
    }
    // What is handed over may be an example or a form that was asked for, until something is missing.
    let shown = looks != Looks::Data || (names_form && !delivers);
    let denied = ((is_echo || shown || is_example) && (lacks() || asks()))
        || (is_form && !delivers && behind.has(Says::Fills))
        || (!delivers && (is_echo || is_form || names_form || is_example) && offers())
        || (is_example && !delivers && questions())
        || (behind.has(Says::Asks) && describes());
    if denied {
        return Some(Denial::Denied);
    }
    let doubtful = cited
        || is_echo
        || is_form
        || (looks == Looks::Schema && says_form)
        || (is_example && !delivers)
        || introduced.has(Says::Piece)
        || wrong
        || (is_in_line(before) && begins_contrast(after));
    doubtful.then_some(Denial::Doubtful)
}

/// Words for the manner of an answer that is given.
const MANNERS: &[&str] = &["in", "im", "into", "to", "following", "matching", "by", "with", "per"];
/// Words for an answer that is not given yet.
const FUTURE: &[&str] = &[
    "should", "must", "will", "i'll", "i’ll", "would", "please", "can", "use", "expect", "soll",
    "return", "respond", "muss", "werde", "würde", "doit", "debe",
];

/// Returns whether a sentence about a format only says how the answer is given: `the data in the
/// requested format`.
fn is_manner(sentence: &str) -> bool {
    let sentence = sentence.to_lowercase();
    let words = || sentence.split(|c: char| c.is_whitespace() || matches!(c, ',' | ':'));
    let manner = words().any(|word| {
        MANNERS.contains(&word) || word.starts_with("formatt") || word.starts_with("structured")
    });
    manner && !words().any(|word| FUTURE.contains(&word))
}

/// Labels behind which an answer is still to come.
const AWAITED: &[&str] = &[
    "output",
    "answer",
    "assistant",
    "response",
    "result",
    "ausgabe",
    "antwort",
    "ergebnis",
    "réponse",
    "respuesta",
    "salida",
    "risposta",
];

/// Returns whether the text ends with a label for the answer and nothing behind it.
fn awaits_answer(after: &str) -> bool {
    let last = last::line(after.trim_end());
    let label = last.trim_end_matches(['*', ' ']).strip_suffix(':').unwrap_or_default();
    let label = label.trim_matches(['*', '#', ' ']).to_lowercase();
    AWAITED.contains(&label.as_str())
}

/// Returns whether the text before or behind several values says that nothing decides between them.
pub(crate) fn is_undecided(before: &str, after: &str) -> bool {
    Said::of(before).has(Says::Undecided) || Said::of(after).has(Says::Undecided)
}

/// Returns whether words stand before a value on its line.
fn is_in_line(before: &str) -> bool {
    last::line(before).contains(char::is_alphabetic)
}

/// Returns whether the text behind a value goes on with a contrast: `, but …`.
fn begins_contrast(after: &str) -> bool {
    let after = after.trim_start_matches(['`', '"', '*', ')', ',', ' ']);
    let word = after.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    CONTRASTS.contains(&word)
}

/// Returns the first sentence behind a value if it points at it: `This is the schema …`.
fn pointing_sentence(after: &str) -> Option<&str> {
    let text = after.trim_start_matches(['`', '~', '\n', '\r', ' ', '*', '^']);
    let sentence = text.split(['.', '!', '\n']).next()?;
    let points = |words: &&str| {
        sentence.get(..words.len()).is_some_and(|start| start.eq_ignore_ascii_case(words))
    };
    POINTERS.iter().any(points).then_some(sentence)
}

/// Returns the text before the fence that `before` ends with.
pub(super) fn before_block(before: &str) -> Option<&str> {
    let without_tag = before.trim_end().trim_end_matches(|c: char| c.is_ascii_alphanumeric());
    let without_fence = without_tag.trim_end_matches(['`', '~']);
    (without_fence.len() < without_tag.len()).then(|| without_fence.trim_end())
}

/// Returns the text before a value, without the fence of its block.
fn outside_block(before: &str) -> &str {
    before_block(before).unwrap_or_else(|| before.trim_end())
}

/// Returns the sentence before a value.
fn last_sentence(before: &str) -> &str {
    let text = outside_block(before);
    let line = last::line(text);
    let mut sentences = line.rsplit(['.', '!', '?']);
    sentences.find(|sentence| sentence.contains(char::is_alphabetic)).unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::{Denial, Looks, judge};

    #[test]
    fn what_is_said_around_a_value() {
        use Denial::{Denied, Doubtful};
        use Looks::{Data, Form, Schema};
        for (before, after, looks, expected) in [
            ("Here is the JSON:\n", "", Data, None),
            ("Here is the data in the requested format:\n", "", Data, None),
            ("Here is the JSON Schema that you asked for:\n", "Tell me if it fits.", Data, None),
            ("Here it is.\n", "I couldn't find the phone number, so it is null.", Data, None),
            ("The report: ", "Note: ignore the trailing spaces.", Data, None),
            ("", "\nSorry, please disregard the JSON above. It was a guess.", Data, Some(Denied)),
            (
                "",
                "\nCorrection: that town is another one. I couldn't find yours.",
                Data,
                Some(Denied),
            ),
            ("", "\nCorrection: the total has no tax.", Data, Some(Doubtful)),
            ("You sent me:\n", "\nI can't read it: the service is down.", Data, Some(Denied)),
            ("Your input\n```json\n", "\n```\nhas three parts.", Data, Some(Doubtful)),
            ("No file was attached. A made-up sample:\n", "", Data, Some(Denied)),
            ("A response would look like this:\n", "Please share the text.", Data, Some(Denied)),
            ("", "\nReplace the words in brackets.", Form, Some(Denied)),
            ("Ihre Anfrage ", " habe ich erhalten.", Data, Some(Doubtful)),
            ("Here is the JSON for your request:\n", "", Data, None),
            ("Un exemple de réponse serait ", " ; envoyez-moi le texte.", Data, Some(Denied)),
            ("Here is an example object:\n", "", Data, None),
            ("An example of a rule is ", ".", Data, Some(Doubtful)),
            ("", "\n\nThis is the schema of the output. Send me the text.", Data, Some(Denied)),
            ("I was about to answer ", ", and I can't check it.", Data, Some(Denied)),
            ("The total is ", ", but it has no tax.", Data, Some(Doubtful)),
            ("~~", "~~ (retracted)", Data, Some(Denied)),
            ("Input: ", "\nOutput:", Data, Some(Denied)),
            ("The JSON should match:\n", "\nSend me the book.", Schema, Some(Denied)),
            ("Please answer in this format:\n", "", Form, Some(Denied)),
            ("A common mistake: ", " is invalid.", Data, Some(Doubtful)),
            ("Which city? An example: ", "", Data, Some(Denied)),
            ("Don't send ", " again. What is your name?", Data, Some(Denied)),
            ("Your file has an error: in ", " is no name. Tell me the name.", Data, Some(Denied)),
            (
                "I'd treat a made-up review so.\n\nReview: fine\n",
                "\nIf so, please paste the reviews.",
                Data,
                Some(Denied),
            ),
            ("Here is the answer:\n", "\nWould you like more?", Data, None),
            ("Here is the data in the requested format:\n", "\nWould you like more?", Data, None),
            ("Result in JSON format:\n", "\nThere is no phone number.", Data, None),
            ("Formatted output:\n", "\nI couldn't read line 3.", Data, None),
            ("I'll reply in this form: ", ". Please attach the file.", Data, Some(Denied)),
            ("Please paste it, and I'll return ", ".", Data, Some(Denied)),
            ("请您先提供列表。收到后我会按照 ", " 的格式返回结果。", Data, Some(Denied)),
            ("Return only valid JSON with these keys: ", ". No Markdown.", Form, Some(Denied)),
            ("Das Ausgabeformat lautet ", ". Bitte schicken Sie das Ticket.", Data, Some(Denied)),
            ("It looks like this:\n", "\nWhich topic do you want?", Data, Some(Denied)),
            ("Here is a sample record:\n", "\nDo you want more?", Data, None),
            ("I can't open links, so I used what you pasted.\n", "", Data, None),
            ("You asked for a sample. It is:\n", "\nReplace the IDs with your own.", Data, None),
            ("Here is a template:\n", "\nReplace the words in brackets.", Form, Some(Doubtful)),
            ("The document:\n", "\nWould you like an example?", Schema, None),
            ("Here is an example:\n", "\nPlease send the text.", Data, Some(Denied)),
            ("", "\nOnly the expected structure is shown.", Form, Some(Denied)),
            ("", "\nThis schema describes one product.", Schema, Some(Doubtful)),
            ("", "\n^ this is the schema that it must satisfy.", Schema, Some(Doubtful)),
            ("Here is the JSON Schema:\n", "\nWould you like an example?", Schema, None),
            ("> ", "\n\nThat is in the future, so I can't say.", Data, Some(Denied)),
            ("Insert the following after line 40:\n```json\n", "\n```", Data, Some(Doubtful)),
            (
                "Beispiel: ",
                " Sobald Sie die Rechnung schicken, folgt das Ergebnis.",
                Data,
                Some(Denied),
            ),
        ] {
            assert_eq!(judge(before, after, looks, false), expected, "{before}…{after}");
        }
        let cited = |after| judge("So, z. B. ", after, Data, true);
        assert_eq!(cited(" and so on."), Some(Doubtful));
        assert_eq!(cited(". What is yours?"), Some(Denied));
    }
}
