//! When are two names the same but for how they are written?

/// Marks that tell names apart, as `C++` from `C#`; any other mark is punctuation.
const TELLING: &str = "+#&<>=%$€@^~|";

/// The letters and digits of a name, in lower case and without accents: `Due-Date`, `dueDate` and
/// `due_date` are one. What stands between two digits, or is the sign of a number, is kept: `1.5`
/// is not `15`, and `-5` is not `5`. A name of nothing else stays as it is.
pub(crate) fn folded(name: &str) -> String {
    let mut letters = String::new();
    let mut mark = None;
    for character in name.trim().chars().flat_map(char::to_lowercase).map(plain) {
        if !character.is_alphanumeric() && !TELLING.contains(character) {
            mark = mark.or(Some(character));
            continue;
        }
        let after_digit = letters.ends_with(|before: char| before.is_numeric());
        if let Some(mark) = mark.filter(|_| character.is_numeric()) {
            match mark {
                '-' | '−' if letters.is_empty() => letters.push('-'),
                '.' | ',' | ':' | '/' if letters.is_empty() || after_digit => letters.push(mark),
                _ if after_digit => letters.push('-'),
                _ => {}
            }
        }
        mark = None;
        letters.push(character);
    }
    if letters.is_empty() { name.trim().to_owned() } else { letters }
}

/// A word of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Said {
    /// Folded.
    pub(crate) word: String,
    /// Whether punctuation stands between it and the word before.
    pub(crate) cut_off: bool,
}

/// The words of a text. A number is one, with its sign and what stands within it: `-2.5`, `1/2`.
pub(crate) fn said(text: &str) -> Vec<Said> {
    let mut all = Vec::new();
    let mut word = String::new();
    let mut cut_off = false;
    let mut next_cut_off = false;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let digit_next = characters.peek().is_some_and(|next| next.is_numeric());
        let within_number = matches!(character, '.' | ',' | ':' | '/' | '-' | '–')
            && word.ends_with(|before: char| before.is_numeric());
        let sign = matches!(character, '-' | '−' | '.') && word.is_empty();
        if character.is_alphanumeric() {
            if word.is_empty() {
                cut_off = std::mem::take(&mut next_cut_off);
            }
            word.extend(character.to_lowercase().map(plain));
        } else if digit_next && (within_number || sign) {
            if word.is_empty() {
                cut_off = std::mem::take(&mut next_cut_off);
            }
            word.push(if character == '−' { '-' } else { character });
        } else if !matches!(character, '\'' | '’') {
            if !word.is_empty() {
                all.push(Said { word: std::mem::take(&mut word), cut_off });
            }
            next_cut_off |= CUTTING.contains(character);
        }
    }
    if !word.is_empty() {
        all.push(Said { word, cut_off });
    }
    all
}

/// Punctuation that parts a text.
const CUTTING: &str = ":.,;!?\"()*`\n—–";

/// The words of a text, each folded.
pub(crate) fn words(text: &str) -> Vec<String> {
    said(text).into_iter().map(|said| said.word).collect()
}

/// A name with its words apart: `darkBlue` is two.
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

/// A Latin letter without its accent. A combining mark is no letter, and goes by itself.
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
