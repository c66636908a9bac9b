//! Hints: they decide what the text leaves open, and nothing else.

use llmend_json::{Choice, Class, Hints, Options, Policy, Search, Stream, WithoutJson, parse_with};

/// Returns the values of `text` without hints and with `hints`.
fn both(text: &str, keys: &[&str], words: &[&str]) -> [String; 2] {
    let owned = |list: &[&str]| list.iter().map(|&one| one.to_owned()).collect();
    let hints = Hints { keys: owned(keys), words: owned(words), ..Hints::default() };
    [Hints::default(), hints].map(|hints| {
        let options = Options { hints, ..Options::default() };
        parse_with(text, &options)
            .map_or_else(|error| error.code().to_owned(), |parsed| parsed.value.to_string())
    })
}

#[test]
fn an_expected_key_selects_the_answer() {
    for (text, keys, without, with) in [
        (
            r#"First {"note": 1} and then {"city": "Oslo"}."#,
            &["city"][..],
            r#"[{"note":1},{"city":"Oslo"}]"#,
            r#"{"city":"Oslo"}"#,
        ),
        (
            "```json\n{\"example\": true}\n```\nAnd also {city: 'Oslo', days: 3}",
            &["days", "city"],
            r#"{"example":true}"#,
            r#"{"city":"Oslo","days":3}"#,
        ),
        // A key that occurs only as a value does not count.
        (
            r#"{"a": "city"} and {"b": "town"}"#,
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
fn an_expected_word_is_read_as_that_word() {
    for (text, words, without, with) in [
        (
            "{level: None, n: 1}",
            &["None", "Low"][..],
            r#"{"level":null,"n":1}"#,
            r#"{"level":"None","n":1}"#,
        ),
        ("{level: None}", &["Low"], r#"{"level":null}"#, r#"{"level":null}"#),
        ("{unit: 100 * price}", &["100 * price"], "syntax/expression", r#"{"unit":"100 * price"}"#),
        // Valid JSON is never reinterpreted.
        ("{\"level\": null}", &["null"], r#"{"level":null}"#, r#"{"level":null}"#),
    ] {
        assert_eq!(both(text, &[], words), [without, with], "{text}");
    }
}

#[test]
fn a_text_without_json_is_the_value_if_the_options_say_so() {
    let read = |text: &str, without_json: WithoutJson, options: &Options| {
        let hints = Hints { without_json, ..Hints::default() };
        let options = Options { hints, ..options.clone() };
        let whole = parse_with(text, &options);
        // A stream gives the same result.
        let mut stream = Stream::new(options);
        for byte in text.bytes() {
            stream.push(&[byte]);
        }
        let streamed = stream.finish();
        assert_eq!(
            streamed.as_ref().map(|parsed| (&parsed.value, &parsed.report)),
            whole.as_ref().map(|parsed| (&parsed.value, &parsed.report)),
            "{text}"
        );
        whole.map_or_else(|error| error.code().to_owned(), |parsed| parsed.value.to_string())
    };
    let first = Options { choice: Choice::First, ..Options::default() };
    for (text, expected) in [
        ("red", r#""red""#),
        ("  **red**\n", r#""**red**""#),
        ("The answer is \"red\".", r#""The answer is \"red\".""#),
        ("None", r#""None""#),
        // Text meant as JSON is parsed as JSON or refused.
        ("\"red\"", r#""red""#),
        ("true", "true"),
        ("42", "42"),
        ("The answer: {\"a\": 1}", r#"{"a":1}"#),
        ("The answer is {red}", "extract/no-json"),
        ("Either [red or", "extract/no-json"),
        ("", "extract/empty"),
        ("  ", "extract/empty"),
        ("<think>maybe {\"a\": 1}</think>", "extract/reasoning-only"),
    ] {
        for options in [&Options::default(), &first] {
            assert_eq!(read(text, WithoutJson::Text, options), expected, "{text}");
        }
    }
    assert_eq!(read("red", WithoutJson::NoValue, &first), "extract/no-json");
    let strict = Options::policy(Policy::Conservative);
    assert_eq!(read("red", WithoutJson::Text, &strict), "extract/no-json");
    let long = "red ".repeat(300);
    assert_eq!(read(&long, WithoutJson::Text, &first), "extract/no-json");
}

#[test]
fn the_whole_text_may_be_the_value() {
    let mut options = Options { search: Search::Off, ..Options::default() };
    options.hints.without_json = WithoutJson::Text;
    for (text, expected) in [
        ("42", Some("42")),
        ("null", Some("null")),
        ("True", Some("true")),
        ("hello world", Some(r#""hello world""#)),
        ("42 apples", Some(r#""42 apples""#)),
        ("\"x\"", Some(r#""x""#)),
        ("{a: 1}", Some(r#"{"a":1}"#)),
        ("[1, 2", Some("[1,2]")),
        ("[1] and more", None),
        ("say {\"a\": 1}", Some(r#""say {\"a\": 1}""#)),
        ("see [1] for x", Some(r#""see [1] for x""#)),
        ("{\"a\": 1} // one", Some(r#"{"a":1}"#)),
        ("{\"a\": 1};", Some(r#"{"a":1}"#)),
        ("{\"a\": 1} and more", None),
        ("5 // five", Some("5")),
        ("5 // 2", Some(r#""5 // 2""#)),
        ("a: 1\nb:\n  - 2", Some(r#"{"a":1,"b":[2]}"#)),
        ("", None),
    ] {
        let read = parse_with(text, &options).ok().map(|parsed| parsed.value.to_string());
        assert_eq!(read.as_deref(), expected, "{text}");
    }
}

#[test]
fn a_reading_of_a_worse_class_than_allowed_is_refused() {
    for (text, worst) in [
        ("{\"a\": 1}", None),
        ("{a: 1}", Some(Class::Notation)),
        ("{\"a\": \"x", Some(Class::Completion)),
        ("{\"a\": hello there}", Some(Class::Guess)),
    ] {
        for max_class in Class::ALL.iter().copied() {
            let options = Options { max_class, ..Options::default() };
            let allowed = worst <= Some(max_class);
            let read = parse_with(text, &options);
            assert_eq!(read.is_ok(), allowed, "{text} {max_class:?}");
            assert!(allowed || read.is_err_and(|error| error.code() == "repair/class"));
        }
    }
}

#[test]
fn digits_in_groups_are_one_number_where_a_number_may_be_the_value() {
    let mut options = Options::default();
    for (text, list, scalar) in [
        ("12,111", "[12,111]", r#""12,111""#),
        ("1,234,567", "[1,234,567]", r#""1,234,567""#),
        // A list, or a decimal comma.
        ("12, 111", "[12,111]", "[12,111]"),
        ("12,11", "[12,11]", "[12,11]"),
        ("0,111", "[0,111]", "[0,111]"),
    ] {
        for (without_json, expected) in [(WithoutJson::NoValue, list), (WithoutJson::Text, scalar)]
        {
            options.hints.without_json = without_json;
            let read = parse_with(text, &options).map(|parsed| parsed.value.to_string());
            assert_eq!(read.as_deref(), Ok(expected), "{text}");
        }
    }
}
