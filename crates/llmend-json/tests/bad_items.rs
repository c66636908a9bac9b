//! Items of lists that cannot be read: left out or null where the caller asks for it.

use llmend_json::{
    Choice, Class, Events, OnBadItem, Options, Rule, Span, Stream, parse_with, repair_with,
};

fn asking(on_bad_item: OnBadItem) -> Options {
    Options { on_bad_item, ..Options::default() }
}

/// Texts, and their values without the bad items and with null in their place.
const ROWS: &[(&str, &str, &str)] = &[
    (r#"[{"a":1}, {"a": 2*3}, {"a":3}]"#, r#"[{"a":1},{"a":3}]"#, r#"[{"a":1},null,{"a":3}]"#),
    ("[1, 2 * 3, 4]", "[1,4]", "[1,null,4]"),
    ("[2*3, 4*5]", "[]", "[null,null]"),
    ("[1, 2*3,\n 4*5\n]", "[1]", "[1,null,null]"),
    (r#"[{"a":1}, {"a": x * 2}]"#, r#"[{"a":1}]"#, r#"[{"a":1},null]"#),
    (
        "[{\"a\":1}\n, {\"a\": 2*3}\n, {\"a\":3}]",
        r#"[{"a":1},{"a":3}]"#,
        r#"[{"a":1},null,{"a":3}]"#,
    ),
    // The innermost list counts.
    (
        r#"{"rows": [{"a": [1, 2*3]}], "n": 2}"#,
        r#"{"rows":[{"a":[1]}],"n":2}"#,
        r#"{"rows":[{"a":[1,null]}],"n":2}"#,
    ),
    (r#"[{"a":{"b": t * 2}},{"a":{"b": 3}}]"#, r#"[{"a":{"b":3}}]"#, r#"[null,{"a":{"b":3}}]"#),
    // The rest is repaired as ever.
    (
        "So:\n```json\n[{'a':1,}, {\"a\": 2*3}, {a:3\n```",
        r#"[{"a":1},{"a":3}]"#,
        r#"[{"a":1},null,{"a":3}]"#,
    ),
    (
        r#"[{"a": 1 2 3 : : }, {"a": é * 2}, {"a": "😀"}]"#,
        r#"[{"a":"😀"}]"#,
        r#"[null,null,{"a":"😀"}]"#,
    ),
];

/// Texts whose bad item has no certain end.
const UNCERTAIN: &[&str] = &[
    r#"{"a": 2*3}"#,
    r#"[{"a": 2*3}"#,
    r#"[{"a": 2*3, {"a": 3}]"#,
    r#"[{"a": "x, {"b": "}, ]"}, {"a": 1}]"#,
    "[1, 2 *\n3, 4]",
    r#"[{"a": 2*3}; {"a": 3}]"#,
    r#"[{"a": 2*3}, "b": 3]"#,
];

#[test]
fn bad_items_are_dropped_or_become_null() {
    for (text, dropped, nulled) in ROWS {
        assert!(parse_with(text, &Options::default()).is_err(), "{text}");
        for (action, json) in [(OnBadItem::Drop, dropped), (OnBadItem::Null, nulled)] {
            let parsed =
                parse_with(text, &asking(action)).unwrap_or_else(|e| panic!("{e}: {text}"));
            assert_eq!(&parsed.value.to_string(), json, "{text}");
            assert_eq!(parsed.report.class, Some(Class::Loss), "{text}");
            let bad = |rule| rule == Rule::UnreadableItem;
            assert!(parsed.report.repairs.iter().any(|repair| bad(repair.rule)), "{text}");
            let repaired = repair_with(text, &asking(action)).expect(text);
            assert_eq!(repaired.text.replace([' ', '\n'], ""), *json, "{text}");
        }
    }
}

#[test]
fn a_report_tells_the_place() {
    let text = r#"Here: [{"a":1}, {"a": 2*3}, {"a":3}]"#;
    let parsed = parse_with(text, &asking(OnBadItem::Null)).expect("read");
    let [bad] = parsed.report.repairs.as_slice() else { panic!("{:?}", parsed.report) };
    assert_eq!((bad.rule, bad.span.of(text)), (Rule::UnreadableItem, "{\"a\": 2*3}"));
    let last = parsed.value.root().pointer("/2/a").expect("an item");
    assert_eq!(last.span(), Span::new(33, 34));
}

#[test]
fn an_item_without_a_certain_end_is_refused() {
    for text in UNCERTAIN {
        let before = parse_with(text, &Options::default()).map(|parsed| parsed.value.to_string());
        for action in [OnBadItem::Drop, OnBadItem::Null] {
            let read = parse_with(text, &asking(action)).map(|parsed| parsed.value.to_string());
            assert_eq!(read, before, "{text}");
        }
    }
}

#[test]
fn what_can_be_read_stays_the_same() {
    for text in ["[1, 2]", "[{'a': 1}, {b: 2}", "{\"a\": [1,, 2]}", "no JSON"] {
        let whole = parse_with(text, &Options::default()).map(|parsed| parsed.report);
        assert_eq!(parse_with(text, &asking(OnBadItem::Drop)).map(|parsed| parsed.report), whole);
    }
}

#[test]
fn streams_end_in_the_same_and_take_nothing_back() {
    let texts = ROWS.iter().map(|row| row.0).chain(UNCERTAIN.iter().copied());
    for text in texts {
        for choice in Choice::ALL {
            let options = Options { choice, ..asking(OnBadItem::Drop) };
            let whole = parse_with(text, &options);
            for size in [1, 4, 9] {
                let mut stream = Stream::new(options.clone());
                let mut events = Events::new(options.clone());
                let mut items: Vec<String> = Vec::new();
                for chunk in text.as_bytes().chunks(size) {
                    stream.push(chunk);
                    events.push(chunk);
                    let view = stream.view();
                    let shown = view.root().into_iter().flat_map(llmend_json::Node::items);
                    let shown: Vec<String> = shown.map(|item| item.to_string()).collect();
                    assert!(shown.starts_with(&items), "{text}: {items:?} {shown:?}");
                    items = shown;
                    assert!(stream.take_repairs().is_empty());
                }
                let (streamed, events) = (stream.finish(), events.finish());
                assert_eq!(events.is_ok(), whole.is_ok(), "{text}");
                match (&whole, &streamed) {
                    (Ok(whole), Ok(streamed)) => {
                        assert_eq!(whole.value.to_string(), streamed.value.to_string(), "{text}");
                        assert_eq!(whole.report, streamed.report, "{text}");
                        let all = whole.value.root().items().map(|item| item.to_string());
                        assert!(all.collect::<Vec<_>>().starts_with(&items), "{text}");
                    }
                    (Err(whole), Err(streamed)) => assert_eq!(whole, streamed, "{text}"),
                    other => panic!("{text}: {other:?}"),
                }
            }
        }
    }
}

#[test]
fn many_bad_items_take_linear_time() {
    let row = "{\"a\": 2*3}, {\"a\": 1}, ";
    let text = format!("[{}{{\"a\": 1}}]", row.repeat(4_000));
    let parsed = parse_with(&text, &asking(OnBadItem::Drop)).expect("read");
    assert_eq!(parsed.value.root().items().count(), 4_001);
}
