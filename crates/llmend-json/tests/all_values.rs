//! The choice `all`: every value of an answer, in order, whole and streamed.

use llmend_json::{
    Choice, Class, ErrorKind, OnBadItem, Options, Rule, Span, Stream, Values, parse_to_serde_with,
    parse_with, repair_with,
};

fn all() -> Options {
    Options { choice: Choice::All, ..Options::default() }
}

/// Texts with all of their values.
const ROWS: &[(&str, &str)] = &[
    ("{\"a\": 1}\n{\"a\": 2}\n{\"a\": 3}\n", r#"[{"a":1},{"a":2},{"a":3}]"#),
    ("{\"a\": 1}{\"a\": 2} {\"a\": 1}", r#"[{"a":1},{"a":2},{"a":1}]"#),
    ("[1, 2]\n[3]", "[[1,2],[3]]"),
    ("{\"a\": 1}", r#"[{"a":1}]"#),
    (" [1, 2] ", "[[1,2]]"),
    ("[]", "[[]]"),
    ("So:\n```json\n{\"a\": 1}\n```\nand\n```json\n{'b': 2,}\n```\n", r#"[{"a":1},{"b":2}]"#),
    ("```jsonl\n{\"a\": 1}\n{\"a\": 2}\n```", r#"[{"a":1},{"a":2}]"#),
    ("First {\"a\": 1}. Corrected: {\"a\": 2}", r#"[{"a":1},{"a":2}]"#),
    ("<think>{\"a\": 0}</think>{\"a\": 1}\n{\"a\": 2", r#"[{"a":1},{"a":2}]"#),
    ("```yaml\na: 1\n```\n```yaml\na: 2\n```", r#"[{"a":1},{"a":2}]"#),
];

#[test]
fn all_values_are_an_array() {
    for (text, json) in ROWS {
        let parsed = parse_with(text, &all()).unwrap_or_else(|error| panic!("{error}: {text}"));
        assert_eq!(&parsed.value.to_string(), json, "{text}");
        let repaired = repair_with(text, &all()).expect(text);
        assert_eq!(repaired.text.replace(' ', ""), *json, "{text}");
        let (value, _) = parse_to_serde_with(text, &all()).expect(text);
        assert_eq!(&value.to_string(), json, "{text}");
    }
}

#[test]
fn the_list_itself_is_no_guess() {
    let parsed = parse_with("{\"a\": 1}\n{\"a\": 2}", &all()).expect("read");
    assert_eq!(parsed.report.class, None);
    let parsed = parse_with("{\"a\": 1}\n{\"a\": 2,}", &all()).expect("read");
    assert_eq!(parsed.report.class, Some(Class::Notation));
    let best = parse_with("{\"a\": 1}\n{\"a\": 2}", &Options::default()).expect("read");
    assert_eq!(best.report.class, Some(Class::Guess));
}

#[test]
fn a_record_that_cannot_be_read_is_refused_dropped_or_null() {
    for (text, dropped, nulled) in [
        (
            "{\"a\": 1}\n{\"a\": 2*3}\n{\"a\": 3}",
            r#"[{"a":1},{"a":3}]"#,
            r#"[{"a":1},null,{"a":3}]"#,
        ),
        ("{\"a\": 2*3}\n{\"a\": 3}\n", r#"[{"a":3}]"#, r#"[null,{"a":3}]"#),
        ("```jsonl\n{\"a\": 1}\n{\"a\": 2*3}\n```", r#"[{"a":1}]"#, r#"[{"a":1},null]"#),
        ("{\"a\": 1}\n{\"a\": 2*3}\n{\"a\": 4*5}\n", r#"[{"a":1}]"#, r#"[{"a":1},null,null]"#),
    ] {
        let error = parse_with(text, &all()).expect_err(text);
        assert_eq!(error.kind(), ErrorKind::Expression, "{text}");
        for (on_bad_item, json) in [(OnBadItem::Drop, dropped), (OnBadItem::Null, nulled)] {
            let options = Options { on_bad_item, ..all() };
            let parsed = parse_with(text, &options).unwrap_or_else(|e| panic!("{e}: {text}"));
            assert_eq!(parsed.value.to_string(), json, "{text}");
            assert_eq!(parsed.report.class, Some(Class::Loss), "{text}");
            let mut places = parsed.report.repairs.iter();
            let bad = places.find(|repair| repair.rule == Rule::UnreadableItem).expect("a place");
            assert_eq!(bad.span.of(text), "{\"a\": 2*3}", "{text}");
            assert_eq!(repair_with(text, &options).expect(text).text.replace(' ', ""), json);
        }
    }
    let open = "{\"a\": 1}\n{\"a\": 2*3,\n \"b\": 4}\nmore";
    assert!(parse_with(open, &Options { on_bad_item: OnBadItem::Drop, ..all() }).is_err());
}

#[test]
fn values_are_given_as_they_close() {
    for on_bad_item in OnBadItem::ALL {
        let texts = ROWS.iter().map(|row| row.0).chain(["{\"a\": 1}\n{\"a\": 2*3}\n{\"a\": 3}"]);
        for text in texts {
            let options = Options { on_bad_item, ..all() };
            let whole = parse_with(text, &options);
            for size in [1, 5, 100] {
                let mut values = Values::new(options.clone());
                let mut stream = Stream::new(options.clone());
                let mut given = Vec::new();
                for chunk in text.as_bytes().chunks(size) {
                    values.push(chunk);
                    stream.push(chunk);
                    given.extend(std::iter::from_fn(|| values.next_value()));
                }
                match (&whole, values.finish()) {
                    (Ok(whole), Ok((rest, parsed))) => {
                        given.extend(rest);
                        let json: Vec<_> = given.iter().map(|one| one.json.as_str()).collect();
                        let list = format!("[{}]", json.join(",")).replace(' ', "");
                        assert_eq!(list, whole.value.to_string(), "{text}");
                        assert_eq!(parsed.report, whole.report, "{text}");
                        assert_eq!(stream.finish().map(|it| it.report), Ok(parsed.report));
                    }
                    (Err(whole), Err(error)) => assert_eq!(whole, &error, "{text}"),
                    (whole, _) => panic!("{text}: {whole:?}"),
                }
            }
        }
    }
    let mut values = Values::new(Options::default());
    values.push(b"{\"a\": 1}\n{'a': 2}\n{\"a\"");
    let one = values.next_value().expect("the first");
    assert_eq!((one.json.as_str(), one.candidate.span), ("{\"a\": 1}", Span::new(0, 8)));
    let two = values.next_value().expect("the second");
    assert_eq!((two.json.as_str(), two.repairs.len()), ("{\"a\": 2}", 2));
    assert!(values.next_value().is_none());
}

#[test]
fn a_list_of_scalars_shows_its_items_as_they_come() {
    let list: Vec<String> = (0..300).map(|at| format!("\"item {at}\"")).collect();
    let text = format!("[{}]", list.join(", "));
    let first = Options { choice: Choice::First, ..Options::default() };
    let mut stream = Stream::new(first.clone());
    let mut most = 0;
    for chunk in text.as_bytes().chunks(16) {
        stream.push(chunk);
        let shown = stream.view().root().map_or(0, |root| root.items().count());
        assert!(shown >= most);
        most = shown;
    }
    assert!(most > 295, "{most}");
    for (text, shown, whole) in [
        ("[1, 2, 3]", "[1,2,3]", "[1,2,3]"),
        ("[1, 2] and {\"a\": 3}", "[1,2]", "[1,2]"),
        ("[[1, 2], [3]]", "[[1,2],[3]]", "[[1,2],[3]]"),
        // Citations, words and lists after words may still be no answer.
        ("[1] says {\"a\": 2}", "", "{\"a\":2}"),
        ("[x, y]", "", "[\"x\",\"y\"]"),
        ("So: [1, 2, 3]", "", "[1,2,3]"),
    ] {
        let mut stream = Stream::new(first.clone());
        let mut last = String::new();
        for byte in text.as_bytes().chunks(1) {
            stream.push(byte);
            let view = stream.view();
            let now = view.root().map(|root| root.to_string()).unwrap_or_default();
            assert!(now.len() >= last.len(), "{text}: {last} {now}");
            last = now;
        }
        if !whole.starts_with('{') {
            assert_eq!(last, shown, "{text}");
        }
        assert_eq!(stream.finish().map(|parsed| parsed.value.to_string()).as_deref(), Ok(whole));
        assert_eq!(parse_with(text, &first).expect(text).value.to_string(), whole);
    }
}
