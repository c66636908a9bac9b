//! The table of repair rules, their classes, and sets of rules.
//!
//! The table generates the enum, the names, the set type, `llmend rules`, `--rule` and
//! `--no-rule`, and docs/reference/rules.md.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use crate::{choice, nearest};

choice! {
    /// How certain a reading is, from harmless to severe. A result has the worst class of its
    /// repairs.
    #[derive(PartialOrd, Ord)]
    Class {
        /// The same value in another notation.
        Notation = "notation",
        /// The only sensible reading of an incomplete text.
        Completion = "completion",
        /// The likeliest of several readings.
        Guess = "guess",
        /// Meaningful text was removed or replaced.
        Loss = "loss",
    }
}

macro_rules! has_tag {
    (cut cut) => {
        true
    };
    (trivia trivia) => {
        true
    };
    ($wanted:ident $($tag:ident)?) => {
        false
    };
}

macro_rules! rules {
    ($(
        $(#[doc = $doc:literal])+
        $variant:ident $name:literal $class:ident $([$tag:ident])? $before:literal => $after:literal;
    )+) => {
        /// A kind of repair.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        #[repr(u8)]
        pub enum Rule {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl Rule {
            /// All rules, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// Returns the name that flags and reports use.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// Returns the class of a repair by this rule.
            #[must_use]
            #[inline]
            pub const fn class(self) -> Class {
                const CLASSES: &[Class] = &[$(Class::$class,)+];
                CLASSES[self as usize]
            }

            /// Returns the description, one or two sentences.
            #[must_use]
            pub const fn doc(self) -> &'static str {
                match self { $(Self::$variant => concat!($($doc, "\n",)+).trim_ascii(),)+ }
            }

            /// Returns the smallest text that needs this rule alone, and the repaired text.
            #[must_use]
            pub const fn example(self) -> (&'static str, &'static str) {
                match self { $(Self::$variant => ($before, $after),)+ }
            }

            /// Returns whether the rule repairs a token that is cut off with the text.
            #[must_use]
            pub const fn is_cut(self) -> bool {
                match self { $(Self::$variant => has_tag!(cut $($tag)?),)+ }
            }

            /// Returns whether the rule removes white space or a comment between tokens.
            pub(crate) const fn is_trivia(self) -> bool {
                match self { $(Self::$variant => has_tag!(trivia $($tag)?),)+ }
            }
        }
    };
}

rules! {
    // White space and comments.
    /// Removes invisible or unusual white space between tokens (a byte order mark, a no-break or
    /// zero-width space, a form feed), and tags of HTML that only format (`<br>`, `<b>`).
    OddWhitespace "odd-whitespace" Notation [trivia] "{\u{a0}\"a\": 1}" => "{\"a\": 1}";
    /// Removes the two characters `\n` (or `\t`, `\r`) between tokens, where they mean white space.
    EscapedWhitespace "escaped-whitespace" Notation [trivia] "{\\n\"a\": 1\\n}" => "{\"a\": 1}";
    /// Removes a comment from `//` to the end of the line.
    LineComment "line-comment" Notation [trivia] "{\"a\": 1 // one\n}" => "{\"a\": 1 \n}";
    /// Removes a comment between `/*` and `*/`.
    BlockComment "block-comment" Notation [trivia] "{/* one */\"a\": 1}" => "{\"a\": 1}";
    /// Removes a comment from `#` to the end of the line.
    HashComment "hash-comment" Notation [trivia] "{\"a\": 1 # one\n}" => "{\"a\": 1 \n}";
    /// Removes a comment from `--` to the end of the line.
    DashComment "dash-comment" Notation [trivia] "{\"a\": 1 -- one\n}" => "{\"a\": 1 \n}";
    /// Removes a comment between `<!--` and `-->`.
    HtmlComment "html-comment" Notation [trivia] "{\"a\": 1 <!-- one -->}" => "{\"a\": 1 }";

    // Separators.
    /// Removes a comma before a closing bracket.
    TrailingComma "trailing-comma" Notation "[1, 2,]" => "[1, 2]";
    /// Removes a comma with nothing before it.
    ExtraComma "extra-comma" Notation "[1,, 2]" => "[1, 2]";
    /// Removes a bullet or a number before an item or member (`- "a"`, `1. "a"`).
    Bullet "bullet" Notation "[- \"a\"]" => "[\"a\"]";
    /// Inserts a comma between two complete members or items.
    MissingComma "missing-comma" Completion "[1 2]" => "[1, 2]";
    /// Replaces a semicolon between members or items, or another sign before a key (`|`, `.`), with a
    /// comma.
    Semicolon "semicolon" Notation "[1; 2]" => "[1, 2]";
    /// Inserts a colon between a key and its value.
    MissingColon "missing-colon" Completion "{\"a\" 1}" => "{\"a\": 1}";
    /// Replaces another sign (`=`, `=>`, `>`, `;`, `::`) between a key and its value with a colon.
    EqualsSign "equals-sign" Notation "{\"a\" = 1}" => "{\"a\" : 1}";
    /// Replaces full-width punctuation with the ASCII mark.
    FullWidth "full-width" Notation "[1，2]" => "[1,2]";

    // Strings: delimiters.
    /// Replaces single quotes around a string with double quotes.
    SingleQuotes "single-quotes" Notation "['a']" => "[\"a\"]";
    /// Replaces typographic quotes or guillemets around a string with double quotes.
    SmartQuotes "smart-quotes" Notation "[“a”]" => "[\"a\"]";
    /// Replaces backticks around a string with double quotes.
    BacktickQuotes "backtick-quotes" Notation "[`a`]" => "[\"a\"]";
    /// Replaces triple quotes around a string with double quotes.
    TripleQuotes "triple-quotes" Notation "[\"\"\"a\"\"\"]" => "[\"a\"]";
    /// Replaces doubled quotes (`""a""`), or those of TeX, around a string with plain ones.
    DoubledQuotes "doubled-quotes" Notation "[\"\"a\"\"]" => "[\"a\"]";
    /// Replaces escaped quotes (`\"a\"`), or the quote tokens of a chat template, around a string with
    /// double quotes.
    EscapedQuotes "escaped-quotes" Notation "[\\\"a\\\"]" => "[\"a\"]";
    /// Replaces the quotes of a string that opens with one kind and closes with another, that alone has
    /// doubled quotes, or that has one quote too many.
    MismatchedQuotes "mismatched-quotes" Guess "[\"a”]" => "[\"a\"]";
    /// Removes the prefix of a Python string (`u''`, `b''`, `r''`, `f''`).
    StringPrefix "string-prefix" Notation "[u\"a\"]" => "[\"a\"]";
    /// Joins string literals that are connected by `+` or adjacent.
    Concatenation "concatenation" Notation "[\"a\" + \"b\"]" => "[\"ab\"]";
    /// Inserts the missing quote at the end of a string.
    MissingEndQuote "missing-end-quote" Completion "{\"a\": \"b, \"c\": 1}" => "{\"a\": \"b\", \"c\": 1}";
    /// Inserts the missing quote at the end of a string in a list, where a comma may also belong to
    /// the string.
    EndQuoteInList "end-quote-in-list" Guess "[[\"a, 2], [\"b\", 3]]" => "[[\"a\", 2], [\"b\", 3]]";
    /// Inserts the missing quote at the start of a string.
    MissingStartQuote "missing-start-quote" Guess "[a\", \"b\"]" => "[\"a\", \"b\"]";

    // Strings: contents.
    /// Escapes a line feed inside a string as `\n`.
    RawNewline "raw-newline" Notation "[\"a\nb\"]" => "[\"a\\nb\"]";
    /// Escapes a carriage return inside a string as `\r`.
    RawCarriageReturn "raw-carriage-return" Notation "[\"a\rb\"]" => "[\"a\\rb\"]";
    /// Escapes a tab inside a string as `\t`.
    RawTab "raw-tab" Notation "[\"a\tb\"]" => "[\"a\\tb\"]";
    /// Escapes any other control character inside a string as `\u`.
    RawControl "raw-control" Notation "[\"a\u{1}b\"]" => "[\"a\\u0001b\"]";
    /// Escapes a quote inside a string.
    InnerQuotes "inner-quotes" Guess "[\"say \"hi\" now\"]" => "[\"say \\\"hi\\\" now\"]";
    /// Removes an unneeded backslash: `\'`, `\_`, `\$` and the like.
    NeedlessEscape "needless-escape" Notation "[\"it\\'s\"]" => "[\"it's\"]";
    /// Removes a backslash at the end of a line inside a string, and the line break, as JavaScript and
    /// Python do. Where other lines end without one, the backslash stays.
    ContinuedLine "continued-line" Guess "[\"rep\\\nort\"]" => "[\"report\"]";
    /// Replaces `\xHH` and `\UHHHHHHHH` with the character they mean in other languages.
    ForeignEscape "foreign-escape" Notation "[\"\\x41\"]" => "[\"A\"]";
    /// Escapes a backslash that is not a JSON escape, as in paths, regexes and LaTeX.
    LiteralBackslash "literal-backslash" Guess "[\"\\d+\"]" => "[\"\\\\d+\"]";
    /// Replaces half of a surrogate pair with the replacement character.
    LoneSurrogate "lone-surrogate" Loss "[\"\\ud83d!\"]" => "[\"\u{fffd}!\"]";
    /// Removes Markdown emphasis around a whole string, a quoted key or a bracket.
    Emphasis "emphasis" Notation "{**\"a\"**: 1}" => "{\"a\": 1}";

    // Unquoted values and keys.
    /// Adds quotes around a key, or removes the brackets around one (`["a"] = 1`).
    BareKey "bare-key" Notation "{a: 1}" => "{\"a\": 1}";
    /// Replaces a literal of another language or case (`True`, `None`, `nil`) with JSON's.
    ForeignLiteral "foreign-literal" Notation "[True]" => "[true]";
    /// Adds quotes around unquoted words.
    BareString "bare-string" Guess "{\"a\": hello}" => "{\"a\": \"hello\"}";
    /// Rewrites a number in another notation (`+5`, `.5`, `0x1F`, `1_000`, `10n`) with the same value.
    NumberFormat "number-format" Notation "[+5]" => "[5]";
    /// Removes the separators in `1,234,567`, and replaces the decimal comma in `3,75`, where no member
    /// can start.
    ThousandsSeparator "thousands-separator" Guess "{\"a\": 1,234}" => "{\"a\": 1234}";
    /// Quotes a quantity, date, version, range or code that begins like a number, verbatim.
    NumberAsText "number-as-text" Guess "{\"a\": 45%}" => "{\"a\": \"45%\"}";
    /// Quotes a reference in braces (`{{step-1.price}}`, `${x}`).
    BareTemplate "bare-template" Guess "{\"a\": {{x.y}}}" => "{\"a\": \"{{x.y}}\"}";
    /// Quotes a piece of code (a call, a function, an object's representation), verbatim.
    CodeAsText "code-as-text" Guess "{\"a\": f(1, 2)}" => "{\"a\": \"f(1, 2)\"}";
    /// Turns a block of indented text after `|` or `>` into a string.
    BlockText "block-text" Guess "{\"a\": |\n  x\n}" => "{\"a\": \"x\"\n}";
    /// Replaces a type wrapper (`ObjectId("…")`, `NumberLong(2)`) with its argument, and a date that Python
    /// printed (`{'a': datetime.date(2024, 1, 2)}`) with the one in ISO 8601, and removes a type before a
    /// value (`[]string{…}`, `Point {…}`).
    TypeWrapper "type-wrapper" Notation "[NumberLong(2)]" => "[2]";
    /// Quotes an expression, verbatim. It is never computed.
    ExpressionAsText "expression-as-text" Loss "{\"a\": 2 * 3}" => "{\"a\": \"2 * 3\"}";

    // Brackets.
    /// Inserts the missing closing brackets at the end of the text. A guess right behind a number, which
    /// may lack digits.
    MissingCloser "missing-closer" Completion "[1, 2" => "[1, 2]";
    /// Inserts a closing bracket missing inside the value, where the rest of the text needs it.
    UnclosedInside "unclosed-inside" Guess "{\"a\": [1, \"b\": 2}" => "{\"a\": [1], \"b\": 2}";
    /// Replaces a closing bracket of the wrong kind, or a bracket or parenthesis before members.
    WrongCloser "wrong-closer" Guess "[1, 2}" => "[1, 2]";
    /// Removes a closing bracket that closes nothing.
    StrayCloser "stray-closer" Guess "[{\"a\": 1}}, 2]" => "[{\"a\": 1}, 2]";
    /// Adds braces around members.
    MissingBraces "missing-braces" Completion "\"a\": 1, \"b\": 2" => "{\"a\": 1, \"b\": 2}";
    /// Adds brackets around a list.
    MissingBrackets "missing-brackets" Guess "1, 2, 3" => "[1, 2, 3]";
    /// Inserts the opening brace that a prefilled answer lacks.
    MissingOpener "missing-opener" Completion "\"a\": 1}" => "{\"a\": 1}";
    /// Replaces the doubled braces of a template with plain ones.
    DoubledBraces "doubled-braces" Notation "{{\"a\": 1}}" => "{\"a\": 1}";
    /// Removes parentheses around a single value.
    Parentheses "parentheses" Notation "[(1)]" => "[1]";
    /// Turns a tuple into an array.
    Tuple "tuple" Notation "[(1, 2)]" => "[[1, 2]]";
    /// Turns a set into an array.
    Set "set" Notation "[{1, 2}]" => "[[1, 2]]";
    /// Turns brackets or parentheses around keys and values (`["a" => 1]`, `(a=1)`) into an object.
    KeyedList "keyed-list" Notation "[\"a\" => 1]" => "{\"a\" : 1}";
    /// Turns a key and value in an array into an object.
    PairInArray "pair-in-array" Guess "[\"a\": 1]" => "[{\"a\": 1}]";

    // Missing and superfluous parts.
    /// Inserts null for a member without a value.
    MissingValue "missing-value" Guess "{\"a\": , \"b\": 2}" => "{\"a\": null , \"b\": 2}";
    /// Replaces `NaN`, `Infinity` and `undefined` with null.
    NotANumber "not-a-number" Loss "[NaN]" => "[null]";
    /// Removes three dots that stand for omitted content.
    Ellipsis "ellipsis" Loss "[1, 2,...]" => "[1, 2]";
    /// Removes an annotation after a value: a note in brackets, a footnote mark, a citation, a remark
    /// behind an arrow.
    Annotation "annotation" Guess "{\"a\": \"x\" (a note)}" => "{\"a\": \"x\" }";
    /// Removes text that interrupts a value between two lines: prose, a heading, reasoning, a token of
    /// a chat template, what a program printed, the end of a code block and the start of the next, or a line
    /// in a string that says that the text goes on. Also removes what could not be
    /// decoded between tokens (`<unk>`, U+FFFD).
    Interjection "interjection" Guess "{\"a\": 1,\nNow the next one:\n\"b\": 2}" => "{\"a\": 1,\n\n\"b\": 2}";
    /// Removes an item of a list that cannot be read, or replaces it by null. Requires the option
    /// `on_bad_item`.
    UnreadableItem "unreadable-item" Loss "[1, 2 * 3, 4]" => "[1, 4]";
    /// Removes what Markdown strikes out between tokens.
    Strikethrough "strikethrough" Guess "{\"a\": ~~1~~ 2}" => "{\"a\":  2}";
    /// Removes a key that is written again before its value.
    RepeatedKey "repeated-key" Guess "{\"a\": \"a\": 1}" => "{\"a\":  1}";
    /// Removes words inside a value where only structure is allowed.
    StrayText "stray-text" Loss "{\"a\": 1, NOTE \"b\": 2}" => "{\"a\": 1, \"b\": 2}";

    // Text that is cut off.
    /// Closes a string that is cut off.
    CutString "cut-string" Completion [cut] "[\"hel" => "[\"hel\"]";
    /// Completes a literal that is cut off.
    CutLiteral "cut-literal" Completion [cut] "[tru" => "[true]";
    /// Removes the incomplete end of a number that is cut off.
    CutNumber "cut-number" Guess [cut] "[12." => "[12]";
    /// Removes half an escape where the text is cut off.
    CutEscape "cut-escape" Loss [cut] "[\"x\\u20" => "[\"x\"]";
    /// Removes a key without its value where the text is cut off.
    CutMember "cut-member" Loss [cut] "{\"a\": 1, \"b\":" => "{\"a\": 1}";
    /// Removes endless repetition before the place where the text is cut off.
    CutRepetition "cut-repetition" Loss [cut] "[\"a\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n" => "[\"a\"]";

    // The whole text.
    /// Combines several values in a row into one array.
    SeveralDocuments "several-documents" Guess "{\"a\": 1}\n{\"a\": 2}" => "[{\"a\": 1},{\"a\": 2}]";
    /// Undoes one layer of backslash escapes over the whole value, also where each quote is `\u0022`.
    EscapedDocument "escaped-document" Notation "{\\\"a\\\": 1}" => "{\"a\": 1}";
    /// Undoes one layer of HTML entities over the whole value.
    EntityDocument "entity-document" Notation "{&quot;a&quot;: 1}" => "{\"a\": 1}";
    /// Undoes the quoting of a CSV field around the whole value.
    CsvDocument "csv-document" Notation "\"{\"\"a\"\": 1}\"" => "{\"a\": 1}";
    /// Removes the prefix that every line of the value has: a line number, or the mark of a quotation,
    /// a difference or a table.
    LinePrefix "line-prefix" Notation "1 | {\n2 |   \"a\": 1\n3 | }" => "{\n  \"a\": 1\n}";
    /// Decodes a value as a whole: a tokenizer's signs for white space, quotes that were read in another
    /// character set, quoted-printable, percent-encoding, the colors of a terminal in visible signs, white space
    /// as editors show it, the marks of broken lines, the notation of LaTeX.
    MissingDecoding "missing-decoding" Completion "{Ġ\"a\":Ġ1}" => "{ \"a\": 1}";
    /// Joins the pieces of a streamed answer from the events of a captured stream, in the formats of
    /// common APIs, in short objects or as they are, or from the lines of a log. Of lines that each repeat
    /// all that had arrived, takes the last.
    EventStream "event-stream" Completion "data: {\"delta\": \"{\\\"a\\\": \"}\n\ndata: {\"delta\": \"1}\"}\n\ndata: [DONE]" => "{\"a\": 1}";
    /// Removes the marks of the lines of a difference, and the lines that it marks as removed.
    Difference "difference" Guess " {\n-  \"a\": 1\n+  \"a\": 2\n }" => "{\n  \"a\": 2\n}";
    /// Translates a YAML mapping or sequence, in a code block or as the whole text, where there is no JSON.
    YamlDocument "yaml-document" Completion "a:\n- 1\nb: 2" => "{\"a\": [1], \"b\": 2}";
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The error for an unknown rule name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownRule {
    /// The unknown name.
    pub name: String,
    /// The rule with the most similar name, if any.
    pub nearest: Option<Rule>,
}

impl fmt::Display for UnknownRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown rule `{}`", self.name)?;
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

/// A set of rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct RuleSet(u128);

const _: () = assert!(Rule::ALL.len() <= 128, "RuleSet has a bit for each rule");

impl RuleSet {
    /// The empty set: strict JSON.
    pub const NONE: Self = Self(0);

    /// Returns the set of all rules.
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

    /// Returns this set with `rule` added.
    #[must_use]
    pub const fn with(self, rule: Rule) -> Self {
        Self(self.0 | 1 << rule as u8)
    }

    /// Returns this set with `rule` removed.
    #[must_use]
    pub const fn without(self, rule: Rule) -> Self {
        Self(self.0 & !(1 << rule as u8))
    }

    /// Returns whether the set contains `rule`.
    #[must_use]
    pub const fn contains(self, rule: Rule) -> bool {
        self.0 >> rule as u8 & 1 == 1
    }

    /// Returns whether the set is empty.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the rules of the set, in the order of the table.
    pub fn iter(self) -> impl Iterator<Item = Rule> {
        Rule::ALL.iter().copied().filter(move |rule| self.contains(*rule))
    }
}

impl FromIterator<Rule> for RuleSet {
    fn from_iter<I: IntoIterator<Item = Rule>>(rules: I) -> Self {
        rules.into_iter().fold(Self::NONE, Self::with)
    }
}

/// Serializes the names of the rules.
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
    fn names_are_unique_and_round_trip() {
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
    fn sets_contain_added_rules() {
        let set = RuleSet::NONE.with(Rule::Tuple).with(Rule::Set).without(Rule::Tuple);
        assert!(set.contains(Rule::Set) && !set.contains(Rule::Tuple));
        assert_eq!(set.iter().collect::<Vec<_>>(), [Rule::Set]);
        assert_eq!(RuleSet::all().iter().count(), Rule::ALL.len());
    }
}
