//! Judgment of what is a call. A false call is worse than a missed one: it runs.

use crate::notation::Family;

/// How the text marks a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Marking {
    /// A code fence for a programming language.
    Code,
    /// Nothing but its form.
    Bare,
    /// A code fence for JSON or without a language.
    Fence,
    /// A list of calls in brackets, `[f(a=1)]`, which only calls look like.
    List,
    /// A label at the start of a line.
    Label,
    /// An envelope that only calls have.
    Envelope,
    /// A tag.
    Tag,
    /// A token of a chat template, a fence for calls, or a recipient.
    Token,
}

/// What is known of the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Name {
    /// A tool is offered under it.
    Offered,
    /// Tools are offered, and none under it.
    Unknown,
    /// It is a placeholder of documentation.
    Placeholder,
    /// No tools are given.
    Unchecked,
}

/// What is around the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Surroundings {
    /// Nothing, or one short line before or after.
    Alone,
    /// Prose before, and nothing after.
    Before,
    /// Prose after, and nothing before.
    After,
    /// Prose.
    Prose,
    /// A code span, a code block, a table, or text on both sides of the same line.
    Quoted,
}

/// Why a call that is taken for one may be something else, which makes it a guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Doubt {
    /// It stands in code.
    Code,
    /// It is an element whose name is a word.
    Word,
    /// Other members stand beside it.
    Record,
    /// It has no key for its arguments.
    Flat,
    /// It stands beside prose.
    Prose,
    /// Its label may be that of a list or a record.
    Label,
    /// The line before it announces an example.
    Example,
    /// The clause before it may deny it.
    Denied,
}

/// What an unmarked call looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Structure {
    /// It has a place for the name and one for the arguments.
    Explicit,
    /// It has both, and members that no call has beside them.
    Record,
    /// Its arguments stand beside the name, or have no names.
    Flat,
    /// It is an element.
    Element,
}

impl Doubt {
    /// Returns why an unmarked call may be something else, if anything speaks for that.
    pub(crate) fn of(
        marking: Marking,
        family: Family,
        structure: Structure,
        prose: bool,
    ) -> Option<Self> {
        match structure {
            _ if marking == Marking::Code => Some(Self::Code),
            Structure::Element => Some(Self::Word),
            Structure::Record => Some(Self::Record),
            Structure::Flat if family == Family::Json => Some(Self::Flat),
            _ => prose.then_some(Self::Prose),
        }
    }

    /// Returns why, as a sentence without its end.
    pub(crate) const fn reason(self) -> &'static str {
        match self {
            Self::Code => "the call has no marks and stands in code, so it may be an example",
            Self::Word => "the call is an element whose name is a word, so it may be markup",
            Self::Record => "other members stand beside the call, so it may be a record of one",
            Self::Flat => "the call has no marks and no key for its arguments, so it may be data",
            Self::Prose => "the call has no marks and stands beside prose",
            Self::Label => "the call stands in a text that may use `Action:` in another sense",
            Self::Example => "the line before the call announces an example",
            Self::Denied => "the words before the call may say that it is not made",
        }
    }
}

/// Everything the judgment looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Evidence {
    pub(crate) marking: Marking,
    pub(crate) name: Name,
    /// Whether the text has a place for the name and one for the arguments, as only calls have.
    pub(crate) explicit: bool,
    /// Whether the arguments are those that the tool declares.
    pub(crate) fits: bool,
    pub(crate) surroundings: Surroundings,
}

impl Evidence {
    /// Returns the evidence of a call between marks, which needs no other.
    pub(crate) const fn marked(marking: Marking, name: Name) -> Self {
        Self { marking, name, explicit: true, fits: true, surroundings: Surroundings::Alone }
    }
}

/// The judgment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Call,
    /// It is meant as a call and cannot be one.
    Refuse,
    /// It is text.
    Text,
}

/// Judges whether a text is a call.
pub(crate) fn judge(evidence: Evidence) -> Verdict {
    let Evidence { marking, name, explicit, fits, surroundings } = evidence;
    // Between paragraphs a message of an API is an example.
    let marked = marking > Marking::Envelope
        || (marking == Marking::Envelope && surroundings != Surroundings::Prose);
    match (name, surroundings) {
        (Name::Placeholder, _) => Verdict::Text,
        (_, Surroundings::Quoted) => Verdict::Text,
        (Name::Unknown, _) if marked => Verdict::Refuse,
        (Name::Unknown, Surroundings::Alone) if marking == Marking::Label => Verdict::Refuse,
        (Name::Unknown, Surroundings::Alone) if explicit => Verdict::Refuse,
        (Name::Unknown, _) => Verdict::Text,
        (Name::Unchecked, _) if marked => Verdict::Call,
        (Name::Unchecked, _) => Verdict::Text,
        (Name::Offered, _) if marked || marking == Marking::Label => Verdict::Call,
        (Name::Offered, Surroundings::Alone) if explicit || fits => Verdict::Call,
        (Name::Offered, Surroundings::Before) if explicit && fits => Verdict::Call,
        (Name::Offered, Surroundings::After) if marking == Marking::List && fits => Verdict::Call,
        // A block of code that is explained is an example.
        (Name::Offered, Surroundings::After) if marking == Marking::Bare && explicit && fits => {
            Verdict::Call
        }
        (Name::Offered, _) => Verdict::Text,
    }
}

#[cfg(test)]
mod tests {
    use super::{Doubt, Evidence, Family, Marking, Name, Structure, Surroundings, Verdict, judge};

    #[test]
    fn why_a_call_is_a_guess() {
        use Family::{Json, Parameters, Pythonic};
        use Marking::{Bare, Code, Fence};
        use Structure::{Element, Explicit, Flat, Record};
        for (marking, family, structure, prose, expected) in [
            (Bare, Json, Explicit, false, None),
            (Fence, Json, Explicit, true, Some(Doubt::Prose)),
            (Bare, Json, Record, false, Some(Doubt::Record)),
            (Bare, Json, Flat, false, Some(Doubt::Flat)),
            (Bare, Pythonic, Flat, false, None),
            (Code, Pythonic, Explicit, false, Some(Doubt::Code)),
            (Bare, Parameters, Element, false, Some(Doubt::Word)),
        ] {
            assert_eq!(Doubt::of(marking, family, structure, prose), expected, "{structure:?}");
        }
    }

    #[test]
    fn what_is_a_call() {
        use Marking::{Bare, Code, Envelope, Fence, Label, List, Tag, Token};
        use Name::{Offered, Placeholder, Unchecked, Unknown};
        use Surroundings::{After, Alone, Before, Prose, Quoted};
        for (marking, name, explicit, fits, surroundings, expected) in [
            // Marks count wherever they are, but in quotations.
            (Token, Offered, true, true, Prose, Verdict::Call),
            (Token, Offered, true, true, Quoted, Verdict::Text),
            (Tag, Offered, true, false, Prose, Verdict::Call),
            (Tag, Unknown, true, false, Prose, Verdict::Refuse),
            (Tag, Placeholder, true, true, Alone, Verdict::Text),
            (Tag, Unchecked, true, true, Alone, Verdict::Call),
            (Envelope, Offered, true, true, Before, Verdict::Call),
            (Envelope, Offered, true, true, After, Verdict::Call),
            (Envelope, Offered, true, true, Prose, Verdict::Text),
            (Envelope, Unknown, true, false, Alone, Verdict::Refuse),
            (Label, Offered, true, true, Prose, Verdict::Call),
            (Label, Unknown, true, false, Prose, Verdict::Text),
            // Without marks, the call has to be the answer.
            (Bare, Offered, true, true, Alone, Verdict::Call),
            (Bare, Offered, true, false, Alone, Verdict::Call),
            (Bare, Offered, false, true, Alone, Verdict::Call),
            (Bare, Offered, false, false, Alone, Verdict::Text),
            (Bare, Offered, true, true, Before, Verdict::Call),
            (Bare, Offered, false, true, Before, Verdict::Text),
            (List, Offered, true, true, After, Verdict::Call),
            (List, Offered, true, false, After, Verdict::Text),
            (List, Offered, true, true, Prose, Verdict::Text),
            (Fence, Offered, true, true, After, Verdict::Text),
            (Code, Offered, true, true, After, Verdict::Text),
            (Code, Offered, true, true, Alone, Verdict::Call),
            (Bare, Offered, true, true, After, Verdict::Call),
            (Bare, Offered, false, true, After, Verdict::Text),
            (Bare, Offered, true, false, After, Verdict::Text),
            (List, Unknown, true, true, Prose, Verdict::Text),
            (Bare, Offered, true, true, Prose, Verdict::Text),
            (Bare, Unknown, true, true, Alone, Verdict::Refuse),
            (Bare, Unknown, true, true, Before, Verdict::Text),
            (Bare, Unknown, false, true, Alone, Verdict::Text),
            (Bare, Unchecked, true, true, Alone, Verdict::Text),
            (Fence, Offered, true, true, Before, Verdict::Call),
            (Fence, Offered, true, false, Before, Verdict::Text),
            (Fence, Offered, true, true, Prose, Verdict::Text),
        ] {
            let evidence = Evidence { marking, name, explicit, fits, surroundings };
            assert_eq!(judge(evidence), expected, "{evidence:?}");
        }
    }
}
