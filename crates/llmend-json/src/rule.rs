//! Which edits are there, how sure is each, and which of them are allowed?
//!
//! One table defines the rules. It makes the enum, the names, the set type, `llmend rules`,
//! `--rule` and `--no-rule`, and docs/rules.md.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use crate::{UnknownName, nearest};

/// How sure a reading is, from harmless to grave. A result's class is its gravest repair's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// The same value, written otherwise.
    Notation,
    /// One sensible reading, with something left out or cut off.
    Completion,
    /// Several readings; the likeliest was taken.
    Guess,
    /// Text that carried meaning was left out or replaced.
    Loss,
}

impl Class {
    /// All classes, from harmless to grave.
    pub const ALL: [Self; 4] = [Self::Notation, Self::Completion, Self::Guess, Self::Loss];

    /// The word that reports print.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Notation => "notation",
            Self::Completion => "completion",
            Self::Guess => "guess",
            Self::Loss => "loss",
        }
    }
}

impl FromStr for Class {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        Self::ALL
            .into_iter()
            .find(|class| class.as_str() == name)
            .ok_or_else(|| UnknownName(name.to_owned()))
    }
}

impl Serialize for Class {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

macro_rules! rules {
    ($($(#[doc = $doc:literal])+ $variant:ident $name:literal $class:ident $before:literal => $after:literal;)+) => {
        /// One kind of edit.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        #[repr(u8)]
        pub enum Rule {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl Rule {
            /// Every rule, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The name that flags and reports use.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// How sure an edit of this kind is.
            #[must_use]
            #[inline]
            pub const fn class(self) -> Class {
                const CLASSES: &[Class] = &[$(Class::$class,)+];
                CLASSES[self as usize]
            }

            /// What it does, in a sentence or two.
            #[must_use]
            pub const fn doc(self) -> &'static str {
                match self { $(Self::$variant => concat!($($doc, "\n",)+).trim_ascii(),)+ }
            }

            /// The smallest text that needs this rule and no other, and what becomes of it.
            #[must_use]
            pub const fn example(self) -> (&'static str, &'static str) {
                match self { $(Self::$variant => ($before, $after),)+ }
            }
        }
    };
}

rules! {
    // White space and comments.
    /// Invisible or unusual white space between tokens (a byte order mark, a no-break or
    /// zero-width space, a form feed) gives way to nothing.
    OddWhitespace "odd-whitespace" Notation "{\u{a0}\"a\": 1}" => "{\"a\": 1}";
    /// The two characters `\n` (or `\t`, `\r`) between tokens were meant as white space.
    EscapedWhitespace "escaped-whitespace" Notation "{\\n\"a\": 1\\n}" => "{\"a\": 1}";
    /// A comment from `//` to the end of the line goes.
    LineComment "line-comment" Notation "{\"a\": 1 // one\n}" => "{\"a\": 1 \n}";
    /// A comment between `/*` and `*/` goes.
    BlockComment "block-comment" Notation "{/* one */\"a\": 1}" => "{\"a\": 1}";
    /// A comment from `#` to the end of the line goes.
    HashComment "hash-comment" Notation "{\"a\": 1 # one\n}" => "{\"a\": 1 \n}";
    /// A comment from `--` to the end of the line goes.
    DashComment "dash-comment" Notation "{\"a\": 1 -- one\n}" => "{\"a\": 1 \n}";
    /// A comment between `<!--` and `-->` goes.
    HtmlComment "html-comment" Notation "{\"a\": 1 <!-- one -->}" => "{\"a\": 1 }";

    // Separators.
    /// A comma before a closing bracket goes.
    TrailingComma "trailing-comma" Notation "[1, 2,]" => "[1, 2]";
    /// A comma with nothing before it goes.
    ExtraComma "extra-comma" Notation "[1,, 2]" => "[1, 2]";
    /// A comma is put between two complete members or items.
    MissingComma "missing-comma" Completion "[1 2]" => "[1, 2]";
    /// A semicolon between members or items becomes a comma.
    Semicolon "semicolon" Notation "[1; 2]" => "[1, 2]";
    /// A colon is put between a key and its value.
    MissingColon "missing-colon" Completion "{\"a\" 1}" => "{\"a\": 1}";
    /// `=` or `=>` between a key and its value becomes a colon.
    EqualsSign "equals-sign" Notation "{\"a\" = 1}" => "{\"a\" : 1}";
    /// Full-width punctuation becomes the ASCII mark where punctuation belongs.
    FullWidth "full-width" Notation "[1，2]" => "[1,2]";

    // Strings: how they are delimited.
    /// A string in single quotes gets double quotes.
    SingleQuotes "single-quotes" Notation "['a']" => "[\"a\"]";
    /// A string in typographic quotes or guillemets gets straight double quotes.
    SmartQuotes "smart-quotes" Notation "[“a”]" => "[\"a\"]";
    /// A string in backticks gets double quotes.
    BacktickQuotes "backtick-quotes" Notation "[`a`]" => "[\"a\"]";
    /// A string in triple quotes gets plain double quotes.
    TripleQuotes "triple-quotes" Notation "[\"\"\"a\"\"\"]" => "[\"a\"]";
    /// A string whose quotes are written twice gets them once.
    DoubledQuotes "doubled-quotes" Notation "[\"\"a\"\"]" => "[\"a\"]";
    /// A string between escaped quotes (`\"a\"`), or between the quote tokens of a chat template,
    /// gets plain double quotes.
    EscapedQuotes "escaped-quotes" Notation "[\\\"a\\\"]" => "[\"a\"]";
    /// A string that is closed by another quote than the one that opened it, or the only one whose
    /// quotes are doubled, gets plain ones.
    MismatchedQuotes "mismatched-quotes" Guess "[\"a”]" => "[\"a\"]";
    /// The prefix of a Python string (`u''`, `b''`, `r''`, `f''`) goes.
    StringPrefix "string-prefix" Notation "[u\"a\"]" => "[\"a\"]";
    /// Literals joined by `+`, or standing side by side where the language joins them, become one.
    Concatenation "concatenation" Notation "[\"a\" + \"b\"]" => "[\"ab\"]";
    /// A quote is put at the end of a string that was left open.
    MissingEndQuote "missing-end-quote" Completion "{\"a\": \"b, \"c\": 1}" => "{\"a\": \"b\", \"c\": 1}";
    /// A quote is put at the start of a string that has one only at its end.
    MissingStartQuote "missing-start-quote" Guess "[a\", \"b\"]" => "[\"a\", \"b\"]";

    // Strings: what stands inside.
    /// A line feed inside a string becomes `\n`.
    RawNewline "raw-newline" Notation "[\"a\nb\"]" => "[\"a\\nb\"]";
    /// A carriage return inside a string becomes `\r`.
    RawCarriageReturn "raw-carriage-return" Notation "[\"a\rb\"]" => "[\"a\\rb\"]";
    /// A tab inside a string becomes `\t`.
    RawTab "raw-tab" Notation "[\"a\tb\"]" => "[\"a\\tb\"]";
    /// Another control character inside a string becomes its `\u` escape.
    RawControl "raw-control" Notation "[\"a\u{1}b\"]" => "[\"a\\u0001b\"]";
    /// A quote inside a string is escaped.
    InnerQuotes "inner-quotes" Guess "[\"say \"hi\" now\"]" => "[\"say \\\"hi\\\" now\"]";
    /// A backslash that was not needed goes: `\'`, `\_`, `\$` and the like.
    NeedlessEscape "needless-escape" Notation "[\"it\\'s\"]" => "[\"it's\"]";
    /// `\xHH` and `\UHHHHHHHH` become the character that they mean in other languages.
    ForeignEscape "foreign-escape" Notation "[\"\\x41\"]" => "[\"A\"]";
    /// A backslash that JSON does not know, as in paths, regexes and LaTeX, is kept as text.
    LiteralBackslash "literal-backslash" Guess "[\"\\d+\"]" => "[\"\\\\d+\"]";
    /// Half of a surrogate pair becomes the replacement character.
    LoneSurrogate "lone-surrogate" Loss "[\"\\ud83d!\"]" => "[\"\u{fffd}!\"]";
    /// Markdown emphasis around a whole string goes, or around a key in its quotes.
    Emphasis "emphasis" Notation "{**\"a\"**: 1}" => "{\"a\": 1}";

    // Values and keys without quotes.
    /// A key without quotes gets them.
    BareKey "bare-key" Notation "{a: 1}" => "{\"a\": 1}";
    /// A literal of another language or case (`True`, `None`, `nil`) becomes JSON's.
    ForeignLiteral "foreign-literal" Notation "[True]" => "[true]";
    /// A word or words without quotes become a string.
    BareString "bare-string" Guess "{\"a\": hello}" => "{\"a\": \"hello\"}";
    /// A number that JSON spells otherwise (`+5`, `.5`, `0x1F`, `1_000`, `10n`) keeps its value.
    NumberFormat "number-format" Notation "[+5]" => "[5]";
    /// The separators in `1,234,567` go, where no member could start.
    ThousandsSeparator "thousands-separator" Guess "{\"a\": 1,234}" => "{\"a\": 1234}";
    /// A quantity, date, version, range or code that begins like a number becomes text, verbatim.
    NumberAsText "number-as-text" Guess "{\"a\": 45%}" => "{\"a\": \"45%\"}";
    /// A reference in braces (`{{step-1.price}}`, `${x}`) becomes a string.
    BareTemplate "bare-template" Guess "{\"a\": {{x.y}}}" => "{\"a\": \"{{x.y}}\"}";
    /// A piece of code (a call, a function, an object's representation) becomes text, verbatim.
    CodeAsText "code-as-text" Guess "{\"a\": f(1, 2)}" => "{\"a\": \"f(1, 2)\"}";
    /// A block of indented text after `|` or `>` becomes a string.
    BlockText "block-text" Guess "{\"a\": |\n  x\n}" => "{\"a\": \"x\"\n}";
    /// A type's wrapper (`ObjectId("…")`, `NumberLong(2)`) gives way to its argument.
    TypeWrapper "type-wrapper" Notation "[NumberLong(2)]" => "[2]";
    /// An expression becomes text, verbatim. It is never computed.
    ExpressionAsText "expression-as-text" Loss "{\"a\": 2 * 3}" => "{\"a\": \"2 * 3\"}";

    // Brackets.
    /// Brackets that the text never closes are closed where it ends.
    MissingCloser "missing-closer" Completion "[1, 2" => "[1, 2]";
    /// A bracket that was left out in the middle is closed where the rest of the text needs it.
    UnclosedInside "unclosed-inside" Guess "{\"a\": [1, \"b\": 2}" => "{\"a\": [1], \"b\": 2}";
    /// A closing bracket of the wrong kind becomes the right one.
    WrongCloser "wrong-closer" Guess "[1, 2}" => "[1, 2]";
    /// A closing bracket that closes nothing goes.
    StrayCloser "stray-closer" Guess "[{\"a\": 1}}, 2]" => "[{\"a\": 1}, 2]";
    /// Braces are put around members that stand without them.
    MissingBraces "missing-braces" Completion "\"a\": 1, \"b\": 2" => "{\"a\": 1, \"b\": 2}";
    /// Brackets are put around a list that stands without them.
    MissingBrackets "missing-brackets" Guess "1, 2, 3" => "[1, 2, 3]";
    /// The opening brace that a prefilled answer has lost is put back.
    MissingOpener "missing-opener" Completion "\"a\": 1}" => "{\"a\": 1}";
    /// Braces that a template has doubled are written once.
    DoubledBraces "doubled-braces" Notation "{{\"a\": 1}}" => "{\"a\": 1}";
    /// Parentheses around a single value go.
    Parentheses "parentheses" Notation "[(1)]" => "[1]";
    /// A tuple becomes an array.
    Tuple "tuple" Notation "[(1, 2)]" => "[[1, 2]]";
    /// A set becomes an array.
    Set "set" Notation "[{1, 2}]" => "[[1, 2]]";
    /// Key and value pairs in an array become an object each.
    PairInArray "pair-in-array" Guess "[\"a\": 1]" => "[{\"a\": 1}]";

    // What is missing or too much.
    /// A member without a value gets null.
    MissingValue "missing-value" Guess "{\"a\": , \"b\": 2}" => "{\"a\": null , \"b\": 2}";
    /// `NaN`, `Infinity` and `undefined` become null.
    NotANumber "not-a-number" Loss "[NaN]" => "[null]";
    /// Three dots for what was left out go.
    Ellipsis "ellipsis" Loss "[1, 2,...]" => "[1, 2]";
    /// Words inside a value, where only structure may stand, go.
    StrayText "stray-text" Loss "{\"a\": 1, NOTE \"b\": 2}" => "{\"a\": 1, \"b\": 2}";

    // Where the text was cut off.
    /// A string that the text breaks off in is closed there.
    CutString "cut-string" Completion "[\"hel" => "[\"hel\"]";
    /// A literal that the text breaks off in is completed.
    CutLiteral "cut-literal" Completion "[tru" => "[true]";
    /// A number that the text breaks off in loses what makes it no number yet.
    CutNumber "cut-number" Completion "[12." => "[12]";
    /// Half an escape, at the place where the text breaks off, goes.
    CutEscape "cut-escape" Loss "[\"x\\u20" => "[\"x\"]";
    /// A key without its value, at the place where the text breaks off, goes.
    CutMember "cut-member" Loss "{\"a\": 1, \"b\":" => "{\"a\": 1}";
    /// Endless repetition before the place where the text breaks off goes.
    CutRepetition "cut-repetition" Loss "[\"a\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n" => "[\"a\"]";

    // The whole text.
    /// Several values that stand one after the other become one array.
    SeveralDocuments "several-documents" Guess "{\"a\": 1}\n{\"a\": 2}" => "[{\"a\": 1},{\"a\": 2}]";
    /// One layer of backslash escapes over the whole value is undone.
    EscapedDocument "escaped-document" Notation "{\\\"a\\\": 1}" => "{\"a\": 1}";
    /// One layer of HTML entities over the whole value is undone.
    EntityDocument "entity-document" Notation "{&quot;a&quot;: 1}" => "{\"a\": 1}";
    /// The quotes of a CSV field around the whole value are undone.
    CsvDocument "csv-document" Notation "\"{\"\"a\"\": 1}\"" => "{\"a\": 1}";
}

impl Rule {
    /// Whether the rule removes what stands between tokens and says nothing.
    pub(crate) const fn is_trivia(self) -> bool {
        matches!(
            self,
            Self::OddWhitespace
                | Self::EscapedWhitespace
                | Self::LineComment
                | Self::BlockComment
                | Self::HashComment
                | Self::DashComment
                | Self::HtmlComment
        )
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// No rule has that name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownRule {
    /// The name that was given.
    pub name: String,
    /// The rule whose name is nearest, if one is near.
    pub nearest: Option<Rule>,
}

impl fmt::Display for UnknownRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no rule `{}`", self.name)?;
        if let Some(rule) = self.nearest {
            write!(f, "; did you mean `{rule}`?")?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownRule {}

impl FromStr for Rule {
    type Err = UnknownRule;

    fn from_str(name: &str) -> Result<Self, UnknownRule> {
        let wanted = name.trim().to_ascii_lowercase().replace('_', "-");
        Self::ALL.iter().copied().find(|rule| rule.name() == wanted).ok_or_else(|| {
            let near = nearest(name, Self::ALL.iter().map(|rule| rule.name()));
            let nearest = Self::ALL.iter().copied().find(|rule| Some(rule.name()) == near);
            UnknownRule { name: name.to_owned(), nearest }
        })
    }
}

/// Which rules are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct RuleSet(u128);

const _: () = assert!(Rule::ALL.len() <= 128, "RuleSet has a bit for each rule");

impl RuleSet {
    /// No rule: strict JSON.
    pub const NONE: Self = Self(0);

    /// Every rule.
    #[must_use]
    pub const fn all() -> Self {
        let mut set = Self::NONE;
        let mut at = 0;
        while at < Rule::ALL.len() {
            set = set.with(Rule::ALL[at]);
            at += 1;
        }
        set
    }

    /// This set and `rule`.
    #[must_use]
    pub const fn with(self, rule: Rule) -> Self {
        Self(self.0 | 1 << rule as u8)
    }

    /// This set without `rule`.
    #[must_use]
    pub const fn without(self, rule: Rule) -> Self {
        Self(self.0 & !(1 << rule as u8))
    }

    /// Whether `rule` is in the set.
    #[must_use]
    pub const fn contains(self, rule: Rule) -> bool {
        self.0 >> rule as u8 & 1 == 1
    }

    /// Whether the set is empty.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The rules of the set, in the order of the table.
    pub fn iter(self) -> impl Iterator<Item = Rule> {
        Rule::ALL.iter().copied().filter(move |rule| self.contains(*rule))
    }
}

impl FromIterator<Rule> for RuleSet {
    fn from_iter<I: IntoIterator<Item = Rule>>(rules: I) -> Self {
        rules.into_iter().fold(Self::NONE, Self::with)
    }
}

/// The names of its rules.
impl Serialize for RuleSet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter().map(Rule::name))
    }
}

impl<'de> Deserialize<'de> for RuleSet {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let names = Vec::<String>::deserialize(deserializer)?;
        names.iter().map(|name| name.parse::<Rule>().map_err(D::Error::custom)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Rule, RuleSet};

    #[test]
    fn names_are_unique_and_read_back() {
        for (at, rule) in Rule::ALL.iter().enumerate() {
            assert_eq!(rule.name().parse(), Ok(*rule));
            assert!(Rule::ALL[..at].iter().all(|other| other.name() != rule.name()));
            assert!(rule.doc().ends_with('.'), "{rule}");
        }
    }

    #[test]
    fn a_wrong_name_gets_a_suggestion() {
        for (name, nearest) in [
            ("trailing_commas", Some(Rule::TrailingComma)),
            ("trailing-coma", Some(Rule::TrailingComma)),
            ("triling_comma", Some(Rule::TrailingComma)),
            ("singel-quotes", Some(Rule::SingleQuotes)),
            ("barekeys", Some(Rule::BareKey)),
            ("bare", None),
            ("zzzzzzzz", None),
            ("x", None),
            ("", None),
        ] {
            let error = name.parse::<Rule>().expect_err(name);
            assert_eq!((error.name.as_str(), error.nearest), (name, nearest));
        }
    }

    #[test]
    fn sets_hold_what_was_put_in() {
        let set = RuleSet::NONE.with(Rule::Tuple).with(Rule::Set).without(Rule::Tuple);
        assert!(set.contains(Rule::Set) && !set.contains(Rule::Tuple));
        assert_eq!(set.iter().collect::<Vec<_>>(), [Rule::Set]);
        assert_eq!(RuleSet::all().iter().count(), Rule::ALL.len());
    }
}
