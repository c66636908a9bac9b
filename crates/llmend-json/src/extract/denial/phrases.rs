//! The phrases that say what a value is, and the search for them in a text.

use std::sync::LazyLock;

use crate::judge::words::phrases::Phrases;

/// What a phrase says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Says {
    /// The value is the reader's own input, or what a tool returned.
    Echo,
    /// The value is an example.
    Example,
    /// The value only shows a form.
    Form,
    /// The value is a piece to be put into something larger.
    Piece,
    /// The value is handed over.
    Delivers,
    /// The writer cannot answer.
    Lacks,
    /// The writer asks for something.
    Asks,
    /// The writer asks for the form to be filled in.
    Fills,
    /// The writer offers to do more.
    Offers,
    /// The value was wrong.
    Wrong,
    /// The value must not be used.
    TakenBack,
    /// Nothing decides between several values.
    Undecided,
}

/// Phrases by what they say, in lower case. Letters beyond ASCII are compared as they are.
const PHRASES: &[(Says, &[&str])] = &[
    (
        Says::Echo,
        &[
            "you sent",
            "you gave",
            "you pasted",
            "you asked me",
            "you shared",
            "your input",
            "your request",
            "your message",
            "your json",
            "your config",
            "your file",
            "your code",
            "your question",
            "the following request",
            "parameters were",
            "user input",
            "user said",
            "user asked",
            "the input was",
            "i received",
            "i was given",
            "tool returned",
            "tool result",
            "api returned",
            "server returned",
            "ihre anfrage",
            "ihre eingabe",
            "deine anfrage",
            "deine eingabe",
            "votre demande",
            "votre message",
            "su solicitud",
            "tu mensaje",
            "la tua richiesta",
        ],
    ),
    (
        Says::Example,
        &[
            "example",
            "sample",
            "dummy",
            "made-up",
            "made up",
            "fictional",
            "hypothetical",
            "illustrat",
            "would look",
            "would return",
            "would be",
            "would have the form",
            "could look",
            "i'd return",
            "i'd produce",
            "i'll produce",
            "i'll return",
            "i'll reply",
            "i'll respond",
            "i will return",
            "i will respond",
            "我会按照",
            "我会以",
            "something like",
            "for instance",
            "look like",
            "looks like",
            "beispiel",
            "exemple",
            "ejemplo",
            "esempio",
            "exemplo",
            "voorbeeld",
            "пример",
            "fiktiv",
            "例:",
            "例：",
        ],
    ),
    (
        Says::Form,
        &[
            "template",
            "skeleton",
            "blank form",
            "placeholder",
            "schema",
            "structure",
            "format",
            "this form",
            "the form",
            "return only",
            "respond only",
            "ausgabeformat",
            "格式",
            "handlebars",
            "vorlage",
            "plantilla",
            "modèle",
        ],
    ),
    (
        Says::Piece,
        &[
            "only this part",
            "insert the following",
            "replace the line",
            "last part of",
            "first part of",
            "next part of",
        ],
    ),
    (
        Says::Delivers,
        &[
            "here is",
            "here's",
            "here are",
            "below is",
            "this is the result",
            "as requested",
            "i've created",
            "i created",
            "i generated",
            "hier ist",
            "hier sind",
            "voici",
            "aquí",
            "ecco",
            "aqui está",
            "вот",
        ],
    ),
    (
        Says::Lacks,
        &[
            "can't",
            "can’t",
            "cannot",
            "couldn't",
            "could not",
            "unable",
            "won't",
            "don't have",
            "do not have",
            "don't know",
            "do not know",
            "haven't",
            "have no access",
            "no file was",
            "was empty",
            "isn't possible",
            "not possible",
            "impossible",
            "no result",
            "there is no",
            "rather not",
            "i need",
            "not enough",
            "nothing i can",
            "nothing to emit",
            "nothing to extract",
            "nothing to return",
            "nicht erhalten",
            "keine",
            "unbekannt",
            "nicht möglich",
            "kann nicht",
            "kann ich nicht",
            "kenne",
            "fehlt",
            "ne peux pas",
            "impossible de",
            "no puedo",
            "non posso",
            "não posso",
            "не могу",
        ],
    ),
    (
        Says::Asks,
        &[
            "please share",
            "please send",
            "please provide",
            "please paste",
            "please upload",
            "please attach",
            "please type",
            "please enter",
            "send me",
            "share the",
            "once you",
            "as soon as you",
            "your turn",
            "tell me the",
            "tell me your",
            "tell me which",
            "waiting for",
            "which one",
            "just paste",
            "could you resend",
            "sobald",
            "bitte geben sie",
            "bitte senden",
            "bitte gib",
            "schick",
            "envoyez",
            "envoie",
            "envíe",
            "envía",
            "mándame",
            "inviami",
            "пришлите",
            "教えて",
            "请提供",
            "请您先提供",
            "请发送",
            "알려",
        ],
    ),
    (
        Says::Fills,
        &[
            "please fill",
            "fill in",
            "replace the",
            "replace your",
            "replace everything",
            "with your data",
            "with your own",
            "with your values",
            "setzen sie",
            "füllen sie",
        ],
    ),
    (Says::Offers, &["want me to", "would you like", "do you want"]),
    (
        Says::Wrong,
        &[
            "that's wrong",
            "that is wrong",
            "this is wrong",
            "that was wrong",
            "correction:",
            "belongs to another",
            "on second thought",
            "stimmt nicht",
            "i made it up",
            "i made that up",
            "invented",
            "hallucinated",
            "erfunden",
            "inventé",
            "inventado",
            "was about to",
            "i almost",
            "is invalid",
            "a common mistake",
            "don't send",
            "do not send",
            "never send",
            "never write",
        ],
    ),
    (
        Says::TakenBack,
        &[
            "disregard the",
            "disregard that",
            "disregard this",
            "disregard my",
            "ignore my previous",
            "ignore this list",
            "ignore this answer",
            "ignore the json",
            "ignore the above",
            "do not use this",
            "don't use this",
            "nicht verwenden",
            "retracted",
            "i take that back",
            "i retract",
            "zurückgezogen",
        ],
    ),
    (
        Says::Undecided,
        &[
            "can't decide",
            "possible answers",
            "possible readings",
            "possible interpretations",
            "possible results",
            "possible outputs",
            "cannot decide",
            "unable to decide",
            "equally",
            "no basis",
            "both are plausible",
            "are both plausible",
            "both readings",
            "not sure which",
            "confirm which",
            "whichever",
            "unclear which",
            "don't know which",
            "do not know which",
            "don’t know which",
            "which one you",
            "which of the two",
            "which of them",
            "which of these",
            "one decision from you",
            "welche der beiden",
            "nennen sie mir",
            "lequel des deux",
            "laquelle des deux",
            "weiß nicht, welche",
            "nicht sagen, welche",
            "dire laquelle",
            "dire lequel",
            "sais pas laquelle",
            "sais pas lequel",
            "no sé cuál",
            "decir cuál",
            "gleich wahrscheinlich",
            "kann mich nicht entscheiden",
            "igual de probables",
            "igualmente",
            "aussi probable",
        ],
    ),
];

/// The first byte of the letters of East Asia in UTF-8, and of later ones.
const EAST_ASIAN: u8 = 0xE3;

static ALL: LazyLock<Phrases<Says, 4>> = LazyLock::new(|| Phrases::new(PHRASES));

/// What is said in a text.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Said(u16);

impl Said {
    /// Reads a text. A phrase begins with a word, or anywhere in a script without spaces.
    pub(super) fn of(text: &str) -> Self {
        let mut said = Self::default();
        let mut in_word = false;
        for (at, byte) in text.bytes().enumerate() {
            let is_word = byte.is_ascii_alphanumeric() || !byte.is_ascii();
            if is_word
                && (!in_word || byte >= EAST_ASIAN)
                && let Some(text) = text.as_bytes().get(at..)
            {
                for (says, rest) in ALL.beginning(text, |_| true) {
                    // `Here is how …` explains and delivers nothing.
                    if says != Says::Delivers || !rest.starts_with(b" how ") {
                        said.0 |= 1 << says as u8;
                    }
                }
            }
            in_word = is_word;
        }
        said
    }

    pub(super) const fn has(self, says: Says) -> bool {
        self.0 & (1 << says as u8) != 0
    }
}

#[cfg(test)]
mod tests {
    use super::{ALL, PHRASES, Said, Says};

    #[test]
    fn every_phrase_is_found() {
        for (says, phrases) in PHRASES {
            for phrase in *phrases {
                let text = phrase.to_ascii_uppercase();
                let mut found = ALL.beginning(text.as_bytes(), |said| said == *says);
                assert!(found.any(|(_, rest)| rest.is_empty()), "{text}");
                assert!(Said::of(&format!("so, {text}")).has(*says), "{text}");
            }
        }
    }

    #[test]
    fn a_phrase_begins_with_a_word() {
        for (text, says, expected) in [
            ("Here is it", Says::Delivers, true),
            ("Here is how it works", Says::Delivers, false),
            ("where is it", Says::Delivers, false),
            ("请注意格式", Says::Form, true),
            ("sampl", Says::Example, false),
            ("…sample", Says::Example, false),
        ] {
            assert_eq!(Said::of(text).has(says), expected, "{text}");
        }
    }
}
