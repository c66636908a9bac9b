//! Answers in YAML: what is read, with which types and places, and what only looks like it.

use llmend_json::{
    Choice, Class, ErrorKind, Options, Rule, Stream, extract, parse, parse_with, repair,
};

fn block(yaml: &str) -> String {
    format!("Here it is:\n\n```yaml\n{yaml}\n```\n\nAnything else?")
}

#[test]
fn blocks_are_read_by_the_core_schema() {
    for (yaml, json) in [
        ("answer: 42", r#"{"answer":42}"#),
        ("- a\n- b", r#"["a","b"]"#),
        ("---\na: 1", r#"{"a":1}"#),
        // YAML 1.1 would have true, false, 10 and a date.
        (
            "a: yes\nb: off\nc: 012\nd: 2024-01-02",
            r#"{"a":"yes","b":"off","c":12,"d":"2024-01-02"}"#,
        ),
        ("v: 1.10\nw: 1.2.3\nx: \"1.10\"\ny: 0x1F", r#"{"v":1.10,"w":"1.2.3","x":"1.10","y":31}"#),
        (
            "a: ~\nb: null\nc:\nd: ''\ne: 'null'",
            r#"{"a":null,"b":null,"c":null,"d":"","e":"null"}"#,
        ),
        (
            "t: 12:30\nu: http://x.y/z\np: C:\\new\nq: 50%",
            r#"{"t":"12:30","u":"http://x.y/z","p":"C:\\new","q":"50%"}"#,
        ),
        ("200: OK\n404: gone", r#"{"200":"OK","404":"gone"}"#),
        ("a: |\n  one\n  two\nb: >-\n  one\n  two", r#"{"a":"one\ntwo\n","b":"one two"}"#),
        ("a: x # a note\n# more\nb: 'it''s'", r#"{"a":"x","b":"it's"}"#),
        ("a:\n- n: 1\n  m: [x, {y: 2}]\n- {}", r#"{"a":[{"n":1,"m":["x",{"y":2}]},{}]}"#),
        // A fence in block text is no end.
        ("a: |\n  ```sh\n  ls\n  ```\nb: 1", r#"{"a":"```sh\nls\n```\n","b":1}"#),
        ("\"a b\": \"\\u00e9\\n\"", "{\"a b\":\"é\\n\"}"),
    ] {
        let text = block(yaml);
        let parsed = parse(&text).unwrap_or_else(|error| panic!("{error}: {yaml}"));
        assert_eq!(parsed.value.to_string(), json, "{yaml}");
        assert_eq!(parsed.report.class, Some(Class::Completion), "{yaml}");
        assert!(parsed.report.repairs.iter().all(|repair| repair.rule == Rule::YamlDocument));
        let indented = text.replace('\n', "\n   ");
        if !yaml.contains(['|', '>']) && !yaml.starts_with("---") {
            assert_eq!(parse(&indented).expect(yaml).value.to_string(), json, "{indented}");
        }
    }
}

#[test]
fn blocks_that_cannot_be_read_are_refused() {
    for yaml in [
        // Anchors, aliases, merges and tags.
        "a: &x 1\nb: *x",
        "a: &a [1]\nb: &b [*a, *a]\nc: [*b, *b]",
        "a: {x: 1}\nb:\n  <<: {y: 2}",
        "a: !!str 1",
        "a: !include x.yaml",
        // Keys.
        "a: 1\na: 2",
        "a:\n  b: 1\n  b: 1",
        "true: 1",
        "? [a]\n: 1",
        "~: 1",
        // Several documents.
        "a: 1\n---\nb: 2",
        // No mapping or sequence.
        "just words",
        "a: {{ template }}",
        "a: {name}",
        "a: .inf",
        // A comment or a value.
        "color: #fff",
        "tag: x #y",
        // Errors of syntax.
        "a: Foo: bar",
        "a: \"x",
        "a: [1, 2",
        "a:\n\t- 1",
    ] {
        let text = block(yaml);
        let error = parse(&text).expect_err(yaml);
        assert_eq!(error.kind(), ErrorKind::Unexpected, "{yaml}: {error}");
        assert!(error.span().is_some_and(|span| span.start >= text.find("```").unwrap_or(0)));
    }
}

#[test]
fn whole_texts_are_read_if_they_evidently_are_yaml() {
    for (text, json) in [
        (
            "name: x\ntags: [a, b]\nsteps:\n  - id: 1\n",
            r#"{"name":"x","tags":["a","b"],"steps":[{"id":1}]}"#,
        ),
        ("- id: 1\n  n: x\n- id: 2\n  n: y", r#"[{"id":1,"n":"x"},{"id":2,"n":"y"}]"#),
        ("# Config\nserver:\n  host: a\n  port: 80", r#"{"server":{"host":"a","port":80}}"#),
        ("---\nname: x\nlist:\n- a\n", r#"{"name":"x","list":["a"]}"#),
        ("name: x\ncode: |\n  a\n  b\n", r#"{"name":"x","code":"a\nb\n"}"#),
        ("pros:\n- cheap\n- fast\ncons:\n- slow", r#"{"pros":["cheap","fast"],"cons":["slow"]}"#),
        ("<think>Is it [1]?</think>\nname: x\nlist:\n  - a", r#"{"name":"x","list":["a"]}"#),
        ("```\nname: x\nlist:\n  - a\n```", r#"{"name":"x","list":["a"]}"#),
        // The JSON is a part of it.
        (
            "steps:\n  - {\"id\": 1}\n  - {\"id\": 2}\nname: x",
            r#"{"steps":[{"id":1},{"id":2}],"name":"x"}"#,
        ),
        (
            "steps:\n- tool: search\n  args: {\"q\": \"x\"}\n- tool: open",
            r#"{"steps":[{"tool":"search","args":{"q":"x"}},{"tool":"open"}]}"#,
        ),
        ("# config\na: 1\nb:\n  c: []", r#"{"a":1,"b":{"c":[]}}"#),
        ("a: 1\nb:\n  c: [1, 2, {d: 3}]", r#"{"a":1,"b":{"c":[1,2,{"d":3}]}}"#),
        (
            "env:\n  - name: X\n    value: \"{\\\"a\\\": 1}\"",
            r#"{"env":[{"name":"X","value":"{\"a\": 1}"}]}"#,
        ),
        (
            "<think>k</think>\nplan:\n  - id: a\n    on: []\n  - id: b\n    on: [a]",
            r#"{"plan":[{"id":"a","on":[]},{"id":"b","on":["a"]}]}"#,
        ),
        ("```\na: 1\nb:\n  c: {\"d\": 2}\n```", r#"{"a":1,"b":{"c":{"d":2}}}"#),
        ("```\nusers:\n  - ann\n```", r#"{"users":["ann"]}"#),
        ("```\nfirst name: x\nlist:\n  - a\n```", r#"{"first name":"x","list":["a"]}"#),
        ("``` yaml\na: 1\n```", r#"{"a":1}"#),
        ("\"a\": 1\n\"b\":\n  - 2", r#"{"a":1,"b":[2]}"#),
        (
            "StartAt: A\nStates:\n  A:\n    Type: Task",
            r#"{"StartAt":"A","States":{"A":{"Type":"Task"}}}"#,
        ),
    ] {
        let parsed = parse(text).unwrap_or_else(|error| panic!("{error}: {text}"));
        assert_eq!(parsed.value.to_string(), json, "{text}");
        assert_eq!(parsed.report.class, Some(Class::Completion), "{text}");
    }
}

#[test]
fn prose_is_no_yaml() {
    for text in [
        "Note: something",
        "key: value",
        "Note: this is important.\nSummary: all is fine.",
        "Note: see below\nSummary:\n- It is cheap.\n- It is fast.",
        "Pros:\n- Cheap: it costs little\n- Fast: it takes a day",
        "pros:\n- It is cheap to run.\n- It works very well.\ncons:\n- It is slow.",
        "- Note: this\n- Summary: that",
        "- note: this\n- remember: that",
        "todo:\n- buy milk",
        "Here are the results:\npros:\n- a\ncons:\n- b",
        "name: x\nlist:\n- a\n\nHope this helps!",
        "name: x\nlist:\n- a\n\nNote: I assumed this.",
        "try:\n  foo()\nexcept:\n  bar()",
        "class A:\n  x: int\n  y: str",
        "if x:\n  y: 1\nelse:\n  y: 2",
        "user:\n  hi there\nassistant:\n  hello",
        "- apples\n- pears",
        "name: x\n<think>hm</think>\nlist:\n  - a",
        "```\nName: x\nList:\n  - a\n```",
        "```bash\nname: x\nlist:\n  - a\n```",
    ] {
        let read = parse(text).map(|parsed| parsed.value.to_string());
        assert!(read.is_err(), "{text}: {read:?}");
    }
}

#[test]
fn json_comes_before_yaml() {
    for (text, json, class) in [
        ("```yaml\na: 1\n```\n```json\n{\"b\": 2}\n```", r#"{"b":2}"#, Some(Class::Guess)),
        ("```yaml\n{\"b\": 2}\n```", r#"{"b":2}"#, None),
        ("thoughts: I will do it\nanswer: {\"b\": 2}", r#"{"b":2}"#, None),
        ("Result: {\"b\": 2}", r#"{"b":2}"#, None),
        ("args: {\"b\": 2, \"c\": 3}", r#"{"b":2,"c":3}"#, None),
        // It may be a value of YAML that cannot be read.
        (
            "Here it is:\n\nsteps:\n- tool: search\n  args: {\"q\": \"x\"}\n- tool: open",
            r#"{"q":"x"}"#,
            Some(Class::Guess),
        ),
        ("<think>\n```yaml\na: 1\n```\n</think>\n{\"b\": 2}", r#"{"b":2}"#, None),
    ] {
        let parsed = parse(text).unwrap_or_else(|error| panic!("{error}: {text}"));
        assert_eq!(
            (parsed.value.to_string().as_str(), parsed.report.class),
            (json, class),
            "{text}"
        );
    }
}

#[test]
fn places_are_those_of_the_yaml() {
    let text = block(
        "# A plan\nname: \"Ada\"\nsteps:\n  - id: 1\n    run: make all\n  - id: 2\n    run: |\n      x\nlast: 0x10",
    );
    let parsed = parse(&text).expect("read");
    let root = parsed.value.root();
    for (pointer, source) in [
        ("/name", "\"Ada\""),
        ("/steps/0/id", "1"),
        ("/steps/0/run", "make all"),
        ("/steps/1", "id: 2\n    run: |\n      x"),
        ("/last", "0x10"),
    ] {
        let node = root.pointer(pointer).expect(pointer);
        assert_eq!(node.span().of(&text), source, "{pointer}");
    }
    let candidate = parsed.report.candidate.span.of(&text);
    assert!(candidate.starts_with("name:") && candidate.ends_with("0x10"), "{candidate}");
    let repaired = repair(&text).expect("repaired");
    assert_eq!(repaired.text, parsed.value.to_string().replace(':', ": ").replace(',', ", "));
    assert!(extract(&text, &Options::default()).is_ok());
}

#[test]
fn a_block_that_is_not_closed_is_cut_off() {
    let parsed = parse("```yaml\nname: x\nlist:\n  - a\n  - b").expect("read");
    assert!(parsed.report.truncated());
    for text in
        ["```yaml\nname: x\nlist:", "```yaml\nname: x\nlist:\n  - a\nna", "```yaml\nname: \"x"]
    {
        assert!(parse(text).is_err(), "{text}");
    }
}

#[test]
fn streams_end_in_what_the_whole_text_gives() {
    for text in [
        block("name: Ada\nlist:\n  - 😀\n  - {a: 1}"),
        "steps:\n  - {\"id\": 1}\n  - {\"id\": 2}\nname: x".to_owned(),
        block("a: &x 1"),
        "name: x\nlist:\n- a\n\nHope this helps!".to_owned(),
    ] {
        for choice in Choice::ALL {
            let options = Options { choice, ..Options::default() };
            let whole = parse_with(&text, &options);
            for size in [1, 3, 8] {
                let mut stream = Stream::new(options.clone());
                for chunk in text.as_bytes().chunks(size) {
                    stream.push(chunk);
                    stream.view();
                }
                match (&whole, stream.finish()) {
                    (Ok(whole), Ok(streamed)) => {
                        assert_eq!(whole.value.to_string(), streamed.value.to_string(), "{text}");
                        assert_eq!(whole.report, streamed.report, "{text}");
                    }
                    (Err(whole), Err(streamed)) => assert_eq!(whole, &streamed, "{text}"),
                    (whole, streamed) => panic!("{text}: {whole:?} {streamed:?}"),
                }
            }
        }
    }
}

#[test]
fn depth_is_limited() {
    let deep = format!("a: {}1{}", "[".repeat(60), "]".repeat(60));
    let options = Options { max_depth: 20, ..Options::default() };
    assert_eq!(parse_with(&block(&deep), &options).unwrap_err().kind(), ErrorKind::Depth);
    assert!(parse(&block(&deep)).is_ok());
    assert!(parse(&block(&format!("a: {}", "[".repeat(100_000)))).is_err());
    assert!(parse(&block(&"- ".repeat(100_000))).is_err());
}
