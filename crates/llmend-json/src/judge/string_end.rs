//! Where does a string end whose first closing mark does not settle it?
//!
//! The end of a string is where its container goes on. Each mark that could close it is weighed by
//! what follows, in the order of the text:
//!
//! 1. brackets that were opened inside the string and not closed speak against an end;
//! 2. an even number of marks inside means that they pair up, and that this one is either the end
//!    or opens another pair: where the container goes on cleanly, it is the end;
//! 3. an odd number (an inch mark, a stray quote) needs a continuation that is clean for longer;
//! 4. where the mark opens a key, the string's own end mark may have been forgotten;
//! 5. where an odd reading and a later one are both clean, nobody can tell.

use crate::{
    Span,
    judge::{
        fence, first_mark,
        follow::{Ahead, Follow, From, Halt, Keys, inside_word, read},
        scene::{KeyStyle, Role, Scene},
    },
    parser::{Delimiter, Spacing, Window, quote, trivia},
    sink::Container,
};

mod unmarked;

/// Where a string ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// At a mark of `length` bytes at `at`; `contested` if it was not the first.
    Mark { at: usize, length: usize, contested: bool },
    /// At `at`, where a mark is missing.
    Unmarked { at: usize },
    /// With the text, which was cut off at `at`.
    Cut { at: usize },
    /// There are several readings.
    Unclear,
}

/// Tokens that an end of even parity needs in an object, a clean end apart.
const OBJECT_LIMIT: u32 = 5;
/// The same in an array, where a comma and a string prove little.
const ARRAY_LIMIT: u32 = 9;
/// Marks that are weighed after a reading was put aside.
const PATIENCE: usize = 512;

/// How good a reading is that was put aside, from worst to best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Quality {
    Odd,
    Even,
    OddClean,
    EvenClean,
}

/// A reading that was put aside, in case no better one comes.
#[derive(Clone, Copy)]
struct Aside {
    ending: Ending,
    quality: Quality,
}

impl Aside {
    const fn at(&self) -> usize {
        match self.ending {
            Ending::Mark { at, .. } | Ending::Unmarked { at } | Ending::Cut { at } => at,
            Ending::Unclear => 0,
        }
    }
}

/// What speaks for an end at a mark.
#[derive(Clone, Copy)]
struct Weight {
    /// The container goes on after it.
    fits: bool,
    /// It does so cleanly.
    clean: bool,
    /// The one mark before it stands for inches.
    inch: bool,
}

/// Judges where the string ends whose inside starts at `start`.
pub(crate) fn string_end(
    window: &Window<'_>,
    start: usize,
    delimiter: Delimiter,
    scene: &Scene<'_>,
    budget: &mut usize,
) -> Ending {
    let mut walk = Walk {
        window,
        scene,
        delimiter,
        start,
        marks: 0,
        balance: Balance::default(),
        aside: None,
        patience: PATIENCE,
        json_inside: false,
        path: false,
        strict: None,
        inch: false,
        triple: false,
        escaped_lines: false,
        plain_lines: false,
        line_end: None,
    };
    walk.run(budget)
}

#[expect(clippy::struct_excessive_bools, reason = "each is one thing seen inside the string")]
struct Walk<'w, 's> {
    window: &'w Window<'w>,
    scene: &'w Scene<'s>,
    delimiter: Delimiter,
    start: usize,
    /// Marks inside the string so far.
    marks: usize,
    balance: Balance,
    aside: Option<Aside>,
    patience: usize,
    /// Whether the inside has shown a key of its own.
    json_inside: bool,
    /// Whether an escape was seen that only a path, a regex or the like has.
    path: bool,
    /// Whether it closes strictly, once that was asked.
    strict: Option<bool>,
    /// Whether the only mark inside stands behind a digit, as an inch mark does.
    inch: bool,
    /// Whether a text in triple quotes is open inside.
    triple: bool,
    /// Whether the inside has line ends as escapes, and as they are.
    escaped_lines: bool,
    plain_lines: bool,
    /// The first line end inside after which a closing fence stands.
    line_end: Option<usize>,
}

/// Brackets that were opened inside the string and not closed there.
#[derive(Clone, Copy, Debug, Default)]
struct Balance {
    braces: u32,
    brackets: u32,
    /// They count in an array alone, where a comma and a quote prove little.
    parentheses: u32,
}

impl Balance {
    fn see(&mut self, byte: u8) {
        match byte {
            b'{' => self.braces += 1,
            b'}' => self.braces = self.braces.saturating_sub(1),
            b'[' => self.brackets += 1,
            b']' => self.brackets = self.brackets.saturating_sub(1),
            b'(' => self.parentheses += 1,
            b')' => self.parentheses = self.parentheses.saturating_sub(1),
            _ => {}
        }
    }

    /// Those of `text`.
    fn of(text: &str) -> Self {
        let mut open = Self::default();
        text.bytes().for_each(|byte| open.see(byte));
        open
    }

    const fn is_even(self) -> bool {
        self.braces == 0 && self.brackets == 0
    }
}

impl Walk<'_, '_> {
    fn run(&mut self, budget: &mut usize) -> Ending {
        let mut at = self.start;
        while let Some(byte) = self.window.byte(at) {
            if *budget == 0 || self.window.is_starved() {
                return Ending::Unclear;
            }
            let plain = self.window.run(at, is_plain);
            *budget = budget.saturating_sub(1 + plain / 4);
            if plain > 0 {
                at += plain;
                continue;
            }
            if let Some(length) = self.delimiter.style.closes(self.window, at) {
                if !(self.delimiter.style.is_apostrophe() && inside_word(self.window, at, length)) {
                    if let Some(ending) = self.mark(at, length, budget) {
                        return ending;
                    }
                    self.count(at);
                }
                at += length;
                continue;
            }
            match byte {
                b'\\' => {
                    if let Some(ending) = self.escape(at, budget) {
                        return ending;
                    }
                    at += 1 + self.window.character(at + 1).map_or(0, char::len_utf8);
                    continue;
                }
                b'\n' => {
                    if let Some(ending) = self.line(at) {
                        return ending;
                    }
                }
                b'{' | b'}' | b'[' | b']' | b'(' | b')' => self.balance.see(byte),
                b'"' if self.delimiter.style != quote::Style::Double && self.marks == 0 => {
                    if let Some(ending) = self.forgotten(at, 1, budget) {
                        return ending;
                    }
                }
                _ => {}
            }
            at += 1;
        }
        self.at_text_end(budget)
    }

    /// Counts the mark at `at` as one inside the string, unless it is none of a pair there.
    fn count(&mut self, at: usize) {
        let before = self.window.slice(Span::new(self.start, at));
        // A source's own escaped quote, whose backslash is escaped here.
        if before.ends_with("\\\\") && self.delimiter.style == quote::Style::Double {
            return;
        }
        // Three in a row open or close a text of their own, whose quotes pair up inside.
        let third = before.ends_with("\"\"")
            && !before.ends_with("\"\"\"")
            && self.window.byte(at + 1) != Some(b'"');
        if third && (self.triple || self.marks.is_multiple_of(2)) {
            self.triple = !self.triple;
            self.marks -= 2.min(self.marks);
            return;
        }
        self.inch = self.marks == 0 && before.ends_with(|c: char| c.is_ascii_digit());
        self.marks += 1;
    }

    /// A line of the text ends at `at`.
    fn line(&mut self, at: usize) -> Option<Ending> {
        // A text whose own line ends are escaped does not go on past a plain one.
        if self.escaped_lines
            && !self.plain_lines
            && let Some(aside) = self.aside.filter(|aside| aside.quality >= Quality::OddClean)
        {
            return Some(aside.ending);
        }
        self.plain_lines = true;
        if self.line_end.is_none() && fence::closes(self.window, at + 1) {
            self.line_end = Some(at);
        }
        None
    }

    /// Whether the marks inside do not pair up.
    const fn is_odd(&self) -> bool {
        self.marks % 2 == 1
    }

    fn in_array(&self) -> bool {
        self.scene.stack.last().is_some_and(|frame| frame.kind == Container::Array)
    }

    /// Weighs the mark at `at`.
    fn mark(&mut self, at: usize, length: usize, budget: &mut usize) -> Option<Ending> {
        if let Some(ending) = self.forgotten(at, length, budget) {
            return Some(ending);
        }
        let ending = Ending::Mark { at, length, contested: self.marks > 0 };
        let after = at + length;
        if self.delimiter.style == quote::Style::Double
            && self.window.byte(trivia::skip(self.window, after, Spacing::Plain)) == Some(b':')
            && self.is_odd()
        {
            self.json_inside |= self.scene.role == Role::Value;
        }
        let follow = self.follow(after, budget);
        let weight = self.weigh(after, follow);
        if let Some(aside) = self.aside {
            self.patience -= 1;
            if self.patience == 0 {
                return Some(self.settle(aside));
            }
        }
        if self.marks == 0
            && first_mark::ends(
                self.window,
                Span::new(self.start, at),
                after,
                self.delimiter,
                self.scene,
                budget,
            )
        {
            return Some(ending);
        }
        if !weight.fits && !weight.inch {
            return None;
        }
        // Nothing inside yet, and the next token fits: the plain case. Later, a colon and a value.
        if self.scene.role == Role::Key
            && (self.marks == 0 || (follow.clean >= 2 && self.marks < 4))
        {
            return Some(ending);
        }
        self.take(Aside { ending, quality: self.quality(weight) }, weight)
    }

    /// Takes a reading, or puts it aside.
    fn take(&mut self, reading: Aside, weight: Weight) -> Option<Ending> {
        let Aside { ending, quality } = reading;
        let array = self.in_array();
        let steady = self.balance.is_even() && !(array && self.balance.parentheses > 0);
        // In an array, the first quote of `join(", ")` looks like an end, too.
        let code = array && self.marks == 0 && !steady;
        let even_clean = quality == Quality::EvenClean
            && !code
            && (!self.json_inside || self.at_line_end(reading.at()));
        if !self.is_odd() && (steady || even_clean) {
            return Some(match self.aside {
                Some(aside) if aside.quality == Quality::OddClean && !self.json_inside => {
                    Ending::Unclear
                }
                Some(aside) if aside.quality == Quality::EvenClean => Ending::Unclear,
                _ => ending,
            });
        }
        let sound = weight.clean || weight.inch;
        if self.is_odd() && sound && steady && !self.json_inside && self.aside.is_none() {
            return Some(ending);
        }
        if self.aside.is_none_or(|aside| aside.quality < quality) {
            self.aside = Some(reading);
        }
        None
    }

    const fn quality(&self, weight: Weight) -> Quality {
        match (self.is_odd(), weight.clean) {
            (false, true) => Quality::EvenClean,
            (true, true) => Quality::OddClean,
            (false, false) => Quality::Even,
            (true, false) => Quality::Odd,
        }
    }

    /// Whether the text before `at` ends a line, as a file's does.
    fn at_line_end(&self, at: usize) -> bool {
        let inside = self.window.slice(Span::new(self.start, at));
        inside.ends_with("\\n") || inside.ends_with('\n')
    }

    /// What speaks for an end at the mark that ends at `at`, behind which the text goes on so.
    fn weigh(&self, at: usize, follow: Follow) -> Weight {
        let (odd, array) = (self.is_odd(), self.in_array());
        let clean = follow.is_clean();
        let fits = match (self.scene.role, self.scene.stack.last().map(|frame| frame.kind)) {
            (Role::Key, _) => follow.clean >= 1 || follow.halt == Halt::Unclosed,
            (Role::Value, None) => clean,
            (Role::Value, Some(Container::Object)) => match follow.halt {
                Halt::Unclosed => true,
                Halt::Beyond => false,
                _ => clean || follow.clean >= 3,
            },
            (Role::Value, Some(Container::Array)) => match follow.halt {
                Halt::Unclosed => true,
                Halt::Beyond => false,
                Halt::InString => !odd && follow.clean >= 1,
                _ => clean || follow.clean >= 2,
            },
        };
        let known = fits && self.known_key_follows(at);
        let cut = follow.halt == Halt::Unclosed && follow.clean >= 1;
        let goes_on = follow.clean >= if array { 1 } else { 3 };
        let inch = odd
            && self.balance.is_even()
            && self.marks == 1
            && self.inch
            && goes_on
            && (!array || follow.halt == Halt::InString);
        Weight { fits, clean: clean || known || cut, inch }
    }

    /// Whether the key after the comma at `at` is one that the value is known to have.
    fn known_key_follows(&self, at: usize) -> bool {
        if self.scene.keys.is_empty() {
            return false;
        }
        let comma = self.window.skip_space(at);
        let quote = self.window.skip_space(comma + 1);
        let inside = quote + 1;
        self.window.byte(comma) == Some(b',')
            && self.window.byte(quote) == Some(b'"')
            && self.scene.keys.iter().any(|known| {
                self.window.starts_with(inside, known.as_bytes())
                    && self.window.byte(inside + known.len()) == Some(b'"')
            })
    }

    fn follow(&self, at: usize, budget: &mut usize) -> Follow {
        let limit = if self.in_array() { ARRAY_LIMIT } else { OBJECT_LIMIT };
        let from = if self.scene.role == Role::Key { From::Key } else { From::Value };
        let keys = if self.marks > 0 && self.scene.style == KeyStyle::Quoted {
            Keys::Quoted
        } else {
            Keys::Any
        };
        let Scene { stack, spacing, .. } = *self.scene;
        read(self.window, at, &Ahead { stack, from, limit, spacing, keys }, budget)
    }

    /// A backslash stands at `at`: an escape, or the last character of a path before the end.
    fn escape(&mut self, at: usize, budget: &mut usize) -> Option<Ending> {
        let next = self.window.byte(at + 1)?;
        self.escaped_lines |= next == b'n';
        self.path |= next.is_ascii_alphabetic() && self.window.legal_escape(at).is_none();
        let before = self.window.slice(Span::new(self.start, at));
        let drive = before
            .strip_suffix(':')
            .and_then(|before| before.strip_suffix(|c: char| c.is_ascii_alphabetic()));
        let opens = |c: char| c.is_whitespace() || quote::is_mark(c) || matches!(c, '(' | '=');
        self.path |= next.is_ascii_alphanumeric()
            && !self.window.byte(at + 2).is_some_and(|byte| byte.is_ascii_whitespace())
            && drive.is_some_and(|before| before.is_empty() || before.ends_with(opens));
        let length = self.delimiter.style.closes(self.window, at + 1)?;
        if !self.path || self.marks > 0 || self.closes_strictly(budget) {
            return None;
        }
        let follow = self.follow(at + 1 + length, budget);
        let key = follow.clean >= 3 && follow.halt != Halt::Beyond;
        (follow.is_clean() || key).then_some(Ending::Mark { at: at + 1, length, contested: true })
    }

    /// Whether the string is strict JSON as it stands, and the container goes on cleanly after it:
    /// then every backslash in it is an escape.
    fn closes_strictly(&mut self, budget: &mut usize) -> bool {
        if let Some(known) = self.strict {
            return known;
        }
        let end = match self.delimiter.style {
            quote::Style::Double => self.window.scan_string(self.start),
            _ => None,
        };
        let closes = end.is_some_and(|(end, _)| {
            *budget = budget.saturating_sub((end - self.start) / 8);
            let follow = self.follow(end + 1, budget);
            follow.is_clean() || (follow.halt == Halt::Unclosed && follow.clean > 0)
        });
        self.strict = Some(closes);
        closes
    }

    /// No better reading came than the one that was put aside.
    fn settle(&self, aside: Aside) -> Ending {
        let sure = match aside.quality {
            Quality::EvenClean => !self.json_inside || self.at_line_end(aside.at()),
            Quality::OddClean => !self.json_inside,
            Quality::Even | Quality::Odd => false,
        };
        if sure { aside.ending } else { Ending::Unclear }
    }
}

/// Whether a byte inside a string means nothing to the walk, whatever the string's marks.
#[inline]
const fn is_plain(byte: u8) -> bool {
    PLAIN[byte as usize]
}

const PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let mut byte = 0_u8;
    while byte < u8::MAX {
        plain[byte as usize] = byte.is_ascii_alphanumeric()
            || matches!(byte, b' ' | b'.' | b',' | b':' | b';' | b'-' | b'_' | b'/' | b'=');
        byte += 1;
    }
    plain
};

#[cfg(test)]
mod tests {
    use super::{Ending, string_end};
    use crate::{
        judge::scene::{KeyStyle, Role, Scene},
        parser::{Frame, Opened, Spacing, Window, quote},
        sink::Container,
    };

    const fn mark(at: usize, contested: bool) -> Ending {
        Ending::Mark { at, length: 1, contested }
    }

    #[test]
    fn where_a_string_ends() {
        for (text, expected) in [
            (r#""say "hi" now"}"#, mark(13, true)),
            (r#""x, "b": 1}"#, Ending::Unmarked { at: 2 }),
            (r#""x', "b": 1}"#, mark(2, true)),
            (r#""say 'x', "b": 1}"#, Ending::Unmarked { at: 8 }),
            (r#"'x", "b": 1}"#, mark(2, true)),
            (r#""C:\", "b": 1}"#, mark(4, true)),
            (r#""C:\temp\", "b": 1}"#, mark(9, true)),
            (r#""as f:\tx[\"k\"] in {\"a\", \"b\"}"}"#, mark(34, false)),
            (r#""on C:\temp\"k\"] in"}"#, mark(20, false)),
            (r#""a \"b\", "c": 1}"#, Ending::Unmarked { at: 8 }),
            (r#""6'2\", "c": 1}"#, Ending::Unclear),
            (r#""x"#, Ending::Cut { at: 2 }),
        ] {
            let window = Window::whole(text);
            let stack = [Frame::new(Container::Object, Opened::Plain)];
            let scene = Scene {
                stack: &stack,
                role: Role::Value,
                spacing: Spacing::Plain,
                style: KeyStyle::Quoted,
                keys: &[],
            };
            let delimiter = quote::opening(&window, 0).expect(text);
            let mut budget = 10_000;
            let found = string_end(&window, delimiter.open, delimiter, &scene, &mut budget);
            assert_eq!(found, expected, "{text}");
        }
    }
}
