//! Case-, accent- and separator-insensitive folding of names.

/// ASCII symbols that distinguish names, such as `C++` and `C#`; other ASCII punctuation separates
/// words.
const TELLING: &str = "+#&<>=%$@^~|";
/// Check marks, which confirm what is beside them and distinguish nothing.
const AFFIRMING: &str = "✅✓✔☑";

/// Returns whether a character distinguishes names, which includes symbols and emoji such as `≠`,
/// `♯` and `❌`.
fn is_telling(mark: char) -> bool {
    match mark {
        mark if mark.is_ascii() || mark.is_alphanumeric() => TELLING.contains(mark),
        mark if mark.is_whitespace() || AFFIRMING.contains(mark) => false,
        '¡' | '§' | '¨' | '«' | '¯' | '´'..='¸' | '»' | '¿' | '\u{ad}' | '−' => false,
        // Combining accents, general and CJK punctuation, and variation selectors.
        '\u{300}'..='\u{36f}' | '\u{2000}'..='\u{206f}' | '\u{3000}'..='\u{303f}' => false,
        '\u{fe00}'..='\u{fe0f}' | '\u{ff00}'..='\u{ff65}' => false,
        _ => true,
    }
}

/// Folds a name to its letters and digits, in lower case and without accents: `Due-Date`, `dueDate`
/// and `due_date` fold to the same text. Punctuation is kept where it carries meaning: between
/// digits, as the sign of a number, or at either end of the name. `1.5` differs from `15`, `-5`
/// from `5` and `A-` from `A`. A name without letters and digits is returned as it is.
pub(crate) fn folded(name: &str) -> String {
    let name = name.trim();
    let mut letters = String::new();
    let mut marks = String::new();
    for character in name.chars().flat_map(char::to_lowercase).map(plain) {
        if character.is_alphanumeric() || is_telling(character) {
            letters.extend(kept(letters.chars().next_back(), &marks, character));
            marks.clear();
            letters.push(character);
        } else {
            marks.push(character);
        }
    }
    if letters.is_empty() {
        return name.to_owned();
    }
    // Punctuation at both ends encloses the name.
    let fixed = |mark: &char| AT_THE_END.contains(*mark) && !name.starts_with(*mark);
    letters.extend(marks.chars().map(sign).find(fixed));
    letters
}

/// Punctuation that distinguishes names at their start, as in `!a` and `--verbose`.
const AT_THE_BEGINNING: &str = "-.!/\\";
/// Punctuation that distinguishes names at their end, as in the grades `A-` and `A*`.
const AT_THE_END: &str = "-*";

/// Returns what is kept of the punctuation between `before` and `next`.
fn kept(before: Option<char>, marks: &str, next: char) -> Option<char> {
    let last = sign(marks.chars().next_back()?);
    let single = marks.chars().nth(1).is_none();
    match before {
        None => AT_THE_BEGINNING.contains(last).then_some(last),
        Some(_) if !next.is_numeric() => None,
        Some(digit) if digit.is_numeric() => {
            Some(if single && ".,:/".contains(last) { last } else { '-' })
        }
        // `step-1` equals `step 1`, but `x = -1` differs from `x = 1`.
        Some(before) => {
            let signs = !single || !before.is_alphanumeric();
            (signs && matches!(last, '-' | '.')).then_some(last)
        }
    }
}

/// Normalizes minus signs and en dashes to a hyphen.
const fn sign(mark: char) -> char {
    if matches!(mark, '−' | '–') { '-' } else { mark }
}

/// A word of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TextWord {
    /// The folded word.
    pub(crate) word: String,
    /// Whether punctuation precedes the word.
    pub(crate) cut_off: bool,
    /// Whether the word begins a sentence or a line.
    pub(crate) begins: bool,
}

/// Splits a text into words. A number is one word, with its sign and inner punctuation: `-2.5`,
/// `1/2`.
pub(crate) fn text_words(text: &str) -> Vec<TextWord> {
    let mut all = Vec::new();
    let mut word = String::new();
    let (mut cut_off, mut begins) = (false, true);
    let mut characters = text.chars().peekable();
    let mut end = |word: &mut String, cut_off: &mut bool, begins: &mut bool| {
        if !word.is_empty() {
            let word = std::mem::take(word);
            all.push(TextWord { word, cut_off: *cut_off, begins: *begins });
            (*cut_off, *begins) = (false, false);
        }
    };
    while let Some(character) = characters.next() {
        let digit_next = characters.peek().is_some_and(|next| next.is_numeric());
        let within_number = matches!(character, '.' | ',' | ':' | '/' | '-' | '–')
            && word.ends_with(|before: char| before.is_numeric());
        let sign = matches!(character, '-' | '−' | '.') && word.is_empty();
        if character.is_alphanumeric() {
            word.extend(character.to_lowercase().map(plain));
        } else if digit_next && (within_number || sign) {
            word.push(if character == '−' { '-' } else { character });
        } else if !matches!(character, '\'' | '’') {
            end(&mut word, &mut cut_off, &mut begins);
            cut_off |= CUTTING.contains(character);
            begins |= ENDING.contains(character);
        }
    }
    end(&mut word, &mut cut_off, &mut begins);
    all
}

/// Punctuation that separates clauses.
const CUTTING: &str = ":.,;!?\"()*`\n—–";

/// Punctuation that ends a sentence.
const ENDING: &str = ".!?\n。！？";

/// Returns the folded words of a text.
pub(crate) fn words(text: &str) -> Vec<String> {
    text_words(text).into_iter().map(|word| word.word).collect()
}

/// Separates the words of a camel-case name by spaces: `darkBlue` becomes `dark Blue`.
pub(crate) fn spaced(name: &str) -> String {
    let mut out = String::new();
    let mut before = None;
    for character in name.chars() {
        if character.is_uppercase() && before.is_some_and(char::is_lowercase) {
            out.push(' ');
        }
        out.push(character);
        before = Some(character);
    }
    out
}

/// Removes the accent of a Latin letter. Combining accents are not letters and are dropped
/// elsewhere.
fn plain(character: char) -> char {
    match character {
        'à'..='å' | 'ā' | 'ă' | 'ą' | 'ǎ' => 'a',
        'ç' | 'ć' | 'ĉ' | 'ċ' | 'č' => 'c',
        'ď' | 'đ' => 'd',
        'è'..='ë' | 'ē' | 'ĕ' | 'ė' | 'ę' | 'ě' => 'e',
        'ĝ' | 'ğ' | 'ġ' | 'ģ' => 'g',
        'ì'..='ï' | 'ĩ' | 'ī' | 'ĭ' | 'į' | 'ı' => 'i',
        'ł' | 'ĺ' | 'ļ' | 'ľ' => 'l',
        'ñ' | 'ń' | 'ņ' | 'ň' => 'n',
        'ò'..='ö' | 'ø' | 'ō' | 'ŏ' | 'ő' => 'o',
        'ŕ' | 'ř' => 'r',
        'ś' | 'ŝ' | 'ş' | 'š' | 'ș' => 's',
        'ţ' | 'ť' | 'ț' => 't',
        'ù'..='ü' | 'ũ' | 'ū' | 'ŭ' | 'ů' | 'ű' | 'ų' => 'u',
        'ý' | 'ÿ' => 'y',
        'ź' | 'ż' | 'ž' => 'z',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::{folded, words};

    #[test]
    fn names_fold_and_texts_split() {
        for (name, expected) in [
            ("due_date", "duedate"),
            ("dueDate", "duedate"),
            ("Due-Date", "duedate"),
            ("DUE DATE", "duedate"),
            ("Café", "cafe"),
            ("Cafe\u{301}", "cafe"),
            ("step_2", "step2"),
            ("<=", "<="),
            ("v1.0", "v1.0"),
            ("1.0.", "1.0"),
            ("-5", "-5"),
            ("10_000", "10-000"),
            ("step_1-2", "step1-2"),
            ("日本", "日本"),
            ("A-", "a-"),
            ("A−", "a-"),
            ("A*", "a*"),
            ("**a**.", "a"),
            ("A.", "a"),
            ("done!", "done"),
            ("!done", "!done"),
            ("--verbose", "-verbose"),
            ("- approve", "approve"),
            ("_id", "id"),
            (".net", ".net"),
            ("(a)", "a"),
            ("«a»", "a"),
            ("¿a?", "a"),
            ("✅ a", "a"),
            ("✔\u{fe0f} a", "a"),
            ("❌ a", "❌a"),
            ("≠ 5", "≠5"),
            ("C♯", "c♯"),
            ("5€", "5€"),
            ("x = -1", "x=-1"),
            ("offset -5", "offset-5"),
            ("offset - 5", "offset5"),
            ("x.5", "x5"),
            ("> .5", ">.5"),
            ("1 - 2", "1-2"),
        ] {
            assert_eq!(folded(name), expected, "{name}");
        }
        assert_eq!(words("It isn't DARK-blue, Zoë."), ["it", "isnt", "dark", "blue", "zoe"]);
        assert_eq!(
            words("2.5 of 1/2, or -3 to v1.0."),
            ["2.5", "of", "1/2", "or", "-3", "to", "v1.0"]
        );
        assert_eq!(words(" .. "), [""; 0]);
    }
}
