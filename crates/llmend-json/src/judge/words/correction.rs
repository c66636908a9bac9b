//! Words that take back or replace the value before them, and what each of them means.

use std::sync::LazyLock;

use crate::judge::words::phrases::Phrases;

/// What words say of the value before them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Means {
    /// Another value takes its place.
    Corrects,
    /// It is wrong, or another one is better. A value of the same form takes its place.
    Retracts,
    /// At the beginning of a remark: it may be taken back.
    Hesitates,
}

/// Words by what they mean, in lower case.
const PHRASES: &[(Means, &[&str])] = &[
    (
        Means::Corrects,
        &[
            "corrected",
            "correction",
            "corrections",
            "final answer",
            "final version",
            "fixed version",
            "updated version",
            "correct:",
            "edit:",
            "revised",
            "instead:",
            "amended",
            "erratum",
            "errata",
            // In other languages.
            "korrigiert",
            "korrektur",
            "berichtigt",
            "richtig ist",
            "richtig wäre",
            "richtig muss es",
            "corrigé",
            "corrección",
            "corregida",
            "corregido",
            "corretta",
            "corretto",
            "correzione",
            "correção",
            "corrigida",
            "corrigido",
            "gecorrigeerd",
            "verbeterde versie",
            "poprawiona",
            "poprawiony",
            "poprawka",
            "opraveno",
            "rättad",
            "düzeltme",
            "düzeltilmiş",
            "исправлено",
            "исправленн",
            "виправлен",
            "更正",
            "修正",
            "订正",
            "訂正",
            "수정",
            "정정",
            "تصحيح",
            "सुधार",
        ],
    ),
    (
        Means::Retracts,
        &[
            "wait",
            "actually",
            "sorry",
            "oops",
            "hmm",
            "mistake",
            "misread",
            "scratch that",
            "strike that",
            "take that back",
            "take it back",
            "on second thought",
            "let me fix",
            "let me try again",
            "wrong",
            "not right",
            "incomplete",
            "should be:",
            "should have been:",
            "i meant",
            "double check",
            "double-check",
            "double-checking",
            "check again",
            "checking again",
            "recheck",
            "on reflection",
            "my bad",
            "start over",
            "starting over",
            "start again",
            "starting again",
            "mixed up",
            "swapping",
            "swapped",
            "hold on",
            "disregard",
            "ignore the above",
            "ignore that",
            "ignore my",
            "updated",
            "improved",
            "no good",
            "second pass",
            "third pass",
            "second attempt",
            "third attempt",
            "second try",
            "one to send",
            "one to use",
            "apologies",
            "i apologize",
            // In other languages.
            "moment",
            "entschuldigung",
            "falsch",
            "stimmt nicht",
            "nein,",
            "désolé",
            "pardon",
            "perdón",
            "lo siento",
            "me equivoqué",
            "scusa",
            "ho sbagliato",
            "desculp",
            "fout",
            "przepraszam",
            "pomyli",
            "yanlış",
            "извините",
            "ошиб",
            "помил",
            "等一下",
            "抱歉",
            "不对",
            "更正一下",
            "すみません",
            "間違",
            "죄송",
            "잘못",
            "عذرا",
            "क्षमा",
        ],
    ),
    (
        Means::Hesitates,
        &[
            "no", "rather", "i mean", "hm", "scratch", "hold", "well", "let", "ah", "oh", "uh",
            "um", "nein", "warte", "non",
        ],
    ),
];

/// Beginnings of the words that name a correction in the title of a value, in lower case.
const STEMS: &[&str] = &[
    "again",
    "amend",
    "better",
    "correct",
    "disregard",
    "errat",
    "fix",
    "ignor",
    "improv",
    "incomplete",
    "instead",
    "precise",
    "rather",
    "rectif",
    "redo",
    "replac",
    "retract",
    "revis",
    "rewrit",
    "scratch",
    "strike",
    "updat",
    // In other languages.
    "berichtig",
    "besser",
    "ersetz",
    "genauer",
    "korrig",
    "korrektur",
    "stattdessen",
    "überarbeit",
    "vergiss",
    "corrig",
    "oubli",
    "plutôt",
    "remplac",
    "correc",
    "corrij",
    "mejor",
    "reempla",
    "corrett",
    "meglio",
    "sostitu",
    "исправ",
    "поправ",
    "точнее",
    "更正",
    "修正",
    "修改",
    "改为",
    "訂正",
    "수정",
    "정정",
];
/// Words for what a value takes the place of. A title with one of them names the old value, unless it begins
/// with a word that rejects that: `This replaces my old answer:`, `Ignore the previous one:`.
const EARLIER: &[&str] = &[
    "before", "earlier", "former", "old", "original", "previous", "prior", "frühere", "vorher",
    "avant", "antes",
];
/// Verbs that say so at the end of a title.
const ENDED: &[&str] = &["was", "were", "war", "était", "era"];
/// Beginnings of words that reject what was said.
const REJECTS: &[&str] = &["disregard", "ignor", "vergiss", "oubli"];
/// Most words of a title without a colon.
const TITLE_WORDS: usize = 6;

static ALL: LazyLock<Phrases<Means, 2>> = LazyLock::new(|| Phrases::new(PHRASES));

/// Returns what follows each phrase of one of these meanings that `text` begins with.
pub(crate) fn beginnings<'t>(meanings: &[Means], text: &'t [u8]) -> impl Iterator<Item = &'t [u8]> {
    ALL.beginning(text, |means| meanings.contains(&means)).map(|(_, rest)| rest)
}

/// Returns whether `text` begins with words of one of these meanings.
pub(crate) fn begins(text: &str, meanings: &[Means]) -> bool {
    beginnings(meanings, text.as_bytes()).any(|rest| {
        let rest = text.get(text.len() - rest.len()..);
        rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    })
}

/// Returns whether a line between two values is a title that names a correction: it ends with a colon or is
/// short, and one of its words begins like those.
pub(crate) fn is_title(line: &str) -> bool {
    let line = line.trim_matches(|c: char| matches!(c, '*' | '#' | '_' | '>') || c.is_whitespace());
    let lower = line.to_lowercase();
    let words = || lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let titled = line.ends_with([':', '：']) || words().count() <= TITLE_WORDS;
    let begins = |word: &str, stems: &[&str]| stems.iter().any(|stem| word.starts_with(stem));
    let rejects = words().next().is_some_and(|word| begins(word, REJECTS));
    titled
        && words().any(|word| begins(word, STEMS))
        && (rejects || !words().any(|word| EARLIER.contains(&word)))
        && !words().next_back().is_some_and(|word| ENDED.contains(&word))
}

/// Returns whether a line names the second or a later version: `v2:`, `Version 2`.
pub(crate) fn is_later_version(line: &str) -> bool {
    let lower = line.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let first = words.next().unwrap_or_default();
    let number = match first.strip_prefix('v').filter(|rest| !rest.starts_with("ersion")) {
        Some(number) => number,
        None if matches!(first, "version" | "versión" | "versione") => words.next().unwrap_or(""),
        None => return false,
    };
    number.parse::<u32>().is_ok_and(|number| number > 1) && words.next().is_none()
}

/// Returns whether words in parentheses inside the unquoted `text` take back what is before them, and
/// another value is behind them, or a part of it is struck out: `76 (sorry, 75) 75`, `75 ~~76~~`.
pub(super) fn is_taken_back(text: &str) -> bool {
    let all = text.starts_with("~~") && text.ends_with("~~") && !text.contains('"');
    let struck = text.split("~~").nth(1).filter(|_| text.matches("~~").count() > 1);
    if !all && struck.is_some_and(|struck| !struck.is_empty() && struck.trim() == struck) {
        return true;
    }
    let Some((_, rest)) = text.split_once('(') else { return false };
    let Some((words, value)) = rest.rsplit_once(')') else { return false };
    let first = words.split(' ').next().unwrap_or_default();
    let pauses = first.ends_with([',', ':', ';', '!', '.', '…', '-', '—', '–']);
    pauses && !value.trim().is_empty() && begins(words, &[Means::Hesitates, Means::Retracts])
}

#[cfg(test)]
mod tests {
    use super::{Means, PHRASES, beginnings, begins, is_later_version, is_taken_back, is_title};

    #[test]
    fn every_phrase_is_found() {
        for (means, phrases) in PHRASES {
            for phrase in *phrases {
                let text = phrase.to_ascii_uppercase();
                let is_whole = beginnings(&[*means], text.as_bytes()).any(<[u8]>::is_empty);
                assert!(is_whole && begins(&text, &[*means]), "{phrase}");
            }
        }
    }

    #[test]
    fn values_taken_back_in_parentheses() {
        for (text, expected) in [
            ("76 (sorry, birthday in December, so 75) 75", true),
            ("5 (no, wait: 6) 6", true),
            ("75 ~~76~~", true),
            ("Songs (No Doubt) live", false),
            ("x ~~ y ~~ z", false),
            ("76 (sorry)", false),
            ("76 (of them 12 new) kg", false),
            ("f(x) 2", false),
        ] {
            assert_eq!(is_taken_back(text), expected, "{text}");
        }
    }

    #[test]
    fn titles_of_corrections() {
        for (line, expected) in [
            ("Let me revise:", true),
            ("**Revision:**", true),
            ("### Amended", true),
            ("Better:", true),
            ("Ignore the above:", true),
            ("Instead, use:", true),
            ("With the fix:", true),
            ("Replace it with:", true),
            ("To be precise:", true),
            ("I have to retract this, since the second line was not in the table at all:", true),
            ("Checking again, I get:", true),
            ("Rectification :", true),
            ("Genauer:", true),
            ("Plutôt :", true),
            ("Mejor:", true),
            ("更正：", true),
            ("Ignore the previous one:", true),
            ("This replaces the old one:", false),
            ("Before the fix it was", false),
            ("My mistake in the last one that I fixed was:", false),
            ("That corrects my earlier answer of", false),
            ("Here is the next one:", false),
            ("Prefixes:", false),
            ("This row is the one that they had to replace in the second year of the war.", false),
        ] {
            assert_eq!(is_title(line), expected, "{line}");
        }
    }

    #[test]
    fn later_versions() {
        for (line, expected) in [
            ("v2:", true),
            ("**Version 3**", true),
            ("v1:", false),
            ("Version:", false),
            ("v2 of the file:", false),
            ("vector 2", false),
        ] {
            assert_eq!(is_later_version(line), expected, "{line}");
        }
    }

    #[test]
    fn first_words() {
        use Means::{Corrects, Hesitates, Retracts};
        for (text, meanings, expected) in [
            ("wait, no", &[Retracts][..], true),
            ("Waiter", &[Retracts], false),
            ("no, that", &[Retracts], false),
            ("no, that", &[Retracts, Hesitates], true),
            ("Nobody", &[Retracts, Hesitates], false),
            ("Correction: 2", &[Corrects], true),
            ("désolé, 2", &[Retracts], true),
            ("désol", &[Retracts], false),
        ] {
            assert_eq!(begins(text, meanings), expected, "{text}");
        }
    }
}
