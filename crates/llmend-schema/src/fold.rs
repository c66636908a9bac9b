//! When are two names the same but for how they are written?

/// Marks that tell names apart, as `C++` from `C#`; any other mark is punctuation.
const TELLING: &str = "+#&<>=%$€@^~|";

/// The letters and digits of a name, in lower case and without accents: `Due-Date`, `dueDate` and
/// `due_date` are one. A name of nothing else stays as it is.
pub(crate) fn folded(name: &str) -> String {
    let letters: String = name
        .chars()
        .flat_map(char::to_lowercase)
        .map(plain)
        .filter(|character| character.is_alphanumeric() || TELLING.contains(*character))
        .collect();
    if letters.is_empty() { name.trim().to_owned() } else { letters }
}

/// The words of a text, each folded.
pub(crate) fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    for character in text.chars() {
        if character.is_alphanumeric() {
            word.extend(character.to_lowercase().map(plain));
        } else if character != '\'' && character != '’' && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
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
            ("日本", "日本"),
        ] {
            assert_eq!(folded(name), expected, "{name}");
        }
        assert_eq!(words("It isn't DARK-blue, Zoë."), ["it", "isnt", "dark", "blue", "zoe"]);
        assert_eq!(words(" .. "), [""; 0]);
    }
}
