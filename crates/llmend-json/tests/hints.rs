//! What is known of a value beforehand settles what the text leaves open, and nothing else.

use llmend_json::{Hints, Options, parse_with};

/// What `text` is read as without hints, and with these.
fn both(text: &str, keys: &[&str], words: &[&str]) -> [String; 2] {
    let owned = |list: &[&str]| list.iter().map(|&one| one.to_owned()).collect();
    let hints = Hints { keys: owned(keys), words: owned(words) };
    [Hints::default(), hints].map(|hints| {
        let options = Options { hints, ..Options::default() };
        parse_with(text, &options)
            .map_or_else(|error| error.code().to_owned(), |parsed| parsed.value.to_string())
    })
}

#[test]
fn an_expected_key_tells_which_value_is_the_answer() {
    for (text, keys, without, with) in [
        (
            r#"First {"note": 1} and then {"city": "Oslo"}."#,
            &["city"][..],
            r#"[{"note":1},{"city":"Oslo"}]"#,
            r#"{"city":"Oslo"}"#,
        ),
        (
            "```json\n{\"example\": true}\n```\nMy answer: {city: 'Oslo', days: 3}",
            &["days", "city"],
            r#"{"example":true}"#,
            r#"{"city":"Oslo","days":3}"#,
        ),
        // A key that only occurs as a value is none.
        (
            r#"{"a": "city"} or {"b": "town"}"#,
            &["city"],
            r#"[{"a":"city"},{"b":"town"}]"#,
            r#"[{"a":"city"},{"b":"town"}]"#,
        ),
        (r#"{"note": 1}"#, &["city"], r#"{"note":1}"#, r#"{"note":1}"#),
    ] {
        assert_eq!(both(text, keys, &[]), [without, with], "{text}");
    }
}

#[test]
fn an_expected_word_is_that_word() {
    for (text, words, without, with) in [
        (
            "{level: None, n: 1}",
            &["None", "Low"][..],
            r#"{"level":null,"n":1}"#,
            r#"{"level":"None","n":1}"#,
        ),
        ("{level: None}", &["Low"], r#"{"level":null}"#, r#"{"level":null}"#),
        ("{unit: 100 * price}", &["100 * price"], "syntax/expression", r#"{"unit":"100 * price"}"#),
        // What is JSON is what it says.
        ("{\"level\": null}", &["null"], r#"{"level":null}"#, r#"{"level":null}"#),
    ] {
        assert_eq!(both(text, &[], words), [without, with], "{text}");
    }
}
