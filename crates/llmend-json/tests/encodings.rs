//! Texts that carry the value in an encoding or in pieces, with their values and classes.

mod reading;

use llmend_json::{Options, Rule, Status, Stream, parse, parse_with, repair};
use reading::*;

/// Checks the result of each text, that its edits give it, and that a stream ends in it.
#[track_caller]
fn check(rows: &[(&str, Reading)]) {
    for (text, expected) in rows {
        let found = parse(text);
        compare(text, &found, expected);
        if let Ok(parsed) = &found {
            let output = parsed.report.output(text);
            let strict: serde_json::Value = serde_json::from_str(&output).expect(&output);
            assert_eq!(strict, parsed.value.to_serde().value, "{text}");
            for two in parsed.report.repairs.windows(2) {
                assert!(two[0].span.end <= two[1].span.start, "{text}: {two:?}");
            }
        }
        for size in [1, 7] {
            let mut stream = Stream::new(Options::default());
            text.as_bytes().chunks(size).for_each(|chunk| stream.push(chunk));
            match (&found, stream.finish()) {
                (Ok(whole), Ok(read)) => {
                    assert_eq!(read.value.to_string(), whole.value.to_string(), "{text}");
                    assert_eq!(read.report, whole.report, "{text}");
                }
                (Err(whole), Err(error)) => assert_eq!(whole.code(), error.code(), "{text}"),
                (whole, read) => panic!("{text}: {whole:?}, {read:?}"),
            }
        }
    }
}

#[test]
fn quoted_printable() {
    check(&[
        (
            "Content-Transfer-Encoding: quoted-printable\n\n{\"=C3=A9t=C3=A9\": \"a=3Db\"}",
            Ok((r#"{"été": "a=b"}"#, COMPLETION)),
        ),
        (
            "--=_b1\nContent-Type: application/json\nContent-Transfer-Encoding: quoted-printable\n\n{\"c\": \"=C3=A9\"}\n--=_b1--\n",
            Ok((r#"{"c": "é"}"#, COMPLETION)),
        ),
        // Lines that go on, also within a key or a character.
        (
            "{\"s\": \"=C3=A9 a=\nnd\", \"t=\nags\": =\n\n[1]}",
            Ok((r#"{"s": "é and", "tags": [1]}"#, GUESS)),
        ),
        // Equals signs at the end of the short lines of a program.
        (
            "{\"sql\": \"WHERE a =\n1 AND b =\n2\", \"n\": 1}",
            Ok((r#"{"sql": "WHERE a =\n1 AND b =\n2", "n": 1}"#, NOTATION)),
        ),
        (
            "[{\"id\": 1, \"n\": \"N=C3=\n=BA\", \"o\": tr=\nue}]",
            Ok((r#"[{"id": 1, "n": "Nú", "o": true}]"#, COMPLETION)),
        ),
        ("{\"a\": 1,=20\n \"b\": 2=20\n}=20\n", Ok((r#"{"a": 1, "b": 2}"#, COMPLETION))),
        // A value that can be read as it is.
        (
            "Voici :\n\n{\"n\": \"Kon=C3=A9\", \"v\": \"Orl=C3=A9ans\"}",
            Ok((r#"{"n": "Koné", "v": "Orléans"}"#, GUESS)),
        ),
        (
            "```json\n{\"n\": \"Kon=C3=A9\", \"v\": \"Orl=C3=A9ans\"}\n```",
            Ok((r#"{"n": "Koné", "v": "Orléans"}"#, GUESS)),
        ),
        // The text is cut off.
        (
            "Content-Transfer-Encoding: quoted-printable\n\n{\"n\": \"J=C3=BCrgen\", \"o\": \"K=C3=B6l=C3",
            Ok((r#"{"n": "Jürgen", "o": "Köl"}"#, COMPLETION)),
        ),
        // Only the text around it shows it, or that it cannot be read otherwise.
        ("Voil=C3=A0, le r=C3=A9sultat :\n{\"u\": \"b?c=3D1\"}", Ok((r#"{"u": "b?c=1"}"#, GUESS))),
        ("{\"m\": =\n1281.6, \"u\": \"V/m\"}", Ok((r#"{"m": 1281.6, "u": "V/m"}"#, COMPLETION))),
        // Nothing says that these are encoded, or only a string does.
        (
            "So: {\"h\": \"x\nContent-Transfer-Encoding: quoted-printable\n\", \"b\": \"=3D\"}",
            Ok((
                r#"{"h": "x\nContent-Transfer-Encoding: quoted-printable\n", "b": "=3D"}"#,
                NOTATION,
            )),
        ),
        (
            "{\"n\": \"Kon=C3=A9\", \"v\": \"Orl=C3=A9ans\"}",
            Ok((r#"{"n": "Kon=C3=A9", "v": "Orl=C3=A9ans"}"#, PLAIN)),
        ),
        (
            "It is {\"n\": \"Kon=C3=A9\", \"x\": \"a=b, =C3=A9\"}",
            Ok((r#"{"n": "Kon=C3=A9", "x": "a=b, =C3=A9"}"#, PLAIN)),
        ),
        ("It is {\"q\": \"a=3D1\"}", Ok((r#"{"q": "a=3D1"}"#, PLAIN))),
        ("It is {\"n\": \"Kon=C3=A9\"}", Ok((r#"{"n": "Kon=C3=A9"}"#, GUESS))),
    ]);
}

#[test]
fn percent_encoding() {
    check(&[
        (
            "%7B%22a%22%3A1%2C%22n%22%3A%22gr%C3%BCn%22%7D",
            Ok((r#"{"a": 1, "n": "grün"}"#, COMPLETION)),
        ),
        ("x://f?args=%7B%22c%22%3A%22Oslo%22%7D", Ok((r#"{"c": "Oslo"}"#, COMPLETION))),
        ("tool=q&args=%7B%22a%22%3A%7B%22b%22%3A1%7D%7D&n=1", Ok((r#"{"a": {"b": 1}}"#, GUESS))),
        ("args=%7B%22a%22%3A+%22b+c%22%7D", Ok((r#"{"a": "b c"}"#, COMPLETION))),
        (
            "args=%7B%22c%22%3A%22Oslo%22%2C%22d%22%3A3%2C%22uni",
            Ok((r#"{"c": "Oslo", "d": 3}"#, LOSS)),
        ),
        ("args=%7B%22c%22%3A%22Troms%C3", Ok((r#"{"c": "Troms"}"#, COMPLETION))),
        ("It is 100%7 or %7B", Err("extract/no-json")),
        (
            "{\"u\": \"x?args=%7B%22a%22%3A1%7D\"}",
            Ok((r#"{"u": "x?args=%7B%22a%22%3A1%7D"}"#, PLAIN)),
        ),
        (
            "See {'u': 'x?args=%7B%22a%22%3A1%7D'}",
            Ok((r#"{"u": "x?args=%7B%22a%22%3A1%7D"}"#, NOTATION)),
        ),
        ("\"%7B%22a%22%3A1%7D\"", Ok((r#""%7B%22a%22%3A1%7D""#, PLAIN))),
    ]);
}

#[test]
fn escapes_of_code_units() {
    check(&[
        (
            r"{\u0022a\u0022: \u0022d\u0027A\u0022, \u0022b\u0022: [1]}",
            Ok((r#"{"a": "d'A", "b": [1]}"#, NOTATION)),
        ),
        (
            r#"var p = "{\u0022q\u0022: \u0022a \u003C 5\u0022}";"#,
            Ok((r#"{"q": "a < 5"}"#, NOTATION)),
        ),
        (r"[\u0022a\u0022, \u0022b\u0022]", Ok((r#"["a", "b"]"#, NOTATION))),
        (
            r"{\u0022a\u0022: \u0022say \\\u0022é\\\u0022\u0022}",
            Ok((r#"{"a": "say \"é\""}"#, NOTATION)),
        ),
        (
            r"{\u0022a\u0022: \u0022say \u005C\u0022x\u005C\u0022\u0022}",
            Ok((r#"{"a": "say \"x\""}"#, NOTATION)),
        ),
        (
            "[\n  {\n    \\u0022a\\u0022: 1\n  },\n  {\n    \\u0022a\\u0022: 2\n  }\n]",
            Ok((r#"[{"a": 1}, {"a": 2}]"#, NOTATION)),
        ),
        (r"\u007b\u0022a\u0022: 1\u007d", Ok((r#"{"a": 1}"#, NOTATION))),
        (
            r"{\u0022a\u0022: 7, \u0022t\u0022: [\u0022a\u0022, \u0022b\u0022], \u0022own",
            Ok((r#"{"a": 7, "t": ["a", "b"]}"#, LOSS)),
        ),
        (r#"{"a": "\u0022b\u0022, \u007b"}"#, Ok((r#"{"a": "\"b\", {"}"#, PLAIN))),
    ]);
}

#[test]
fn entities() {
    check(&[
        (
            "{&ldquo;a&rdquo;: &ldquo;b&rdquo;, &ldquo;c&rdquo;: 6}",
            Ok((r#"{"a": "b", "c": 6}"#, NOTATION)),
        ),
        ("{&laquo;a&raquo;: 1}", Ok((r#"{"a": 1}"#, NOTATION))),
        (
            "{\"a\": \"&quot;b&quot; &ldquo;c&rdquo;\"}",
            Ok((r#"{"a": "&quot;b&quot; &ldquo;c&rdquo;"}"#, PLAIN)),
        ),
    ]);
}

#[test]
fn wrong_character_sets() {
    check(&[
        ("{Â \"l\":Â \"77-B\",Â \"f\":Â trueÂ }", Ok((r#"{"l": "77-B", "f": true}"#, COMPLETION))),
        ("{Â\u{a0}\"l\":Â\u{a0}1}", Ok((r#"{"l": 1}"#, COMPLETION))),
        (
            "{\u{93}w\u{94}: \u{93}4 East\u{94}, \u{93}b\u{94}: 2}",
            Ok((r#"{"w": "4 East", "b": 2}"#, COMPLETION)),
        ),
        ("{\"a\": \"Â b\u{93}\"}", Ok(("{\"a\": \"Â b\u{93}\"}", PLAIN))),
    ]);
}

#[test]
fn signs_of_tokenizers() {
    check(&[
        ("HereĠisĠit:Ċ```jsonĊ{ĊĠĠ\"a\":Ġ\"bĠc\"Ċ}Ċ```", Ok((r#"{"a": "b c"}"#, COMPLETION))),
        ("▁Here▁it▁is:<0x0A>{\"a\":▁[1,▁2]}", Ok((r#"{"a": [1, 2]}"#, COMPLETION))),
        ("{\"a\":\"ĠbĠcĠ\"}", Ok((r#"{"a":"ĠbĠcĠ"}"#, PLAIN))),
    ]);
}

#[test]
fn colors() {
    check(&[
        (
            "␛[1;39m{\n  ␛[0m␛[34;1m\"t\"␛[0m:␛[0m ␛[0;39m92␛[0m\n␛[1;39m}␛[0m",
            Ok((r#"{"t": 92}"#, COMPLETION)),
        ),
        (
            "^[[1;39m[\n  ^[[0;32m\"x\"^[[0m^[[1;39m,\n  ^[[0;39m7.5^[[0m\n]^[[0m",
            Ok((r#"["x", 7.5]"#, COMPLETION)),
        ),
        (
            "[1;39m{\n  [0m[34;1m\"l\"[0m: [1;39m[\n    [0;39m12[0m,\n  [1;39m][0m\n[1;39m}[0m",
            Ok((r#"{"l": [12]}"#, GUESS)),
        ),
        // What is left of a color, in strings.
        (
            "{\"size\": \"pool [0m, 5m, \"b\": \"x [0m]\"}",
            Ok((r#"{"size":"pool , 5m","b":"x ]"}"#, GUESS)),
        ),
        ("{\"a\": \"[31mb[0m ^[[0m\"}", Ok((r#"{"a": "[31mb[0m ^[[0m"}"#, PLAIN))),
    ]);
}

#[test]
fn pieces_in_a_log() {
    check(&[
        (
            "[chunk 1] {\"d\": \"A\n[chunk 2] mox\", \"m\": \n[chunk 3] 500}",
            Ok((r#"{"d": "Amox", "m": 500}"#, COMPLETION)),
        ),
        (
            "12:04:01.311 delta=\"{\\\"d\\\": \\\"a\\\"\"\n12:04:03.311 delta=\", \\\"e\\\": 1}\"",
            Ok((r#"{"d": "a", "e": 1}"#, COMPLETION)),
        ),
        (
            "on_token: '{\"especi'\non_token: 'e\": [-3'\non_token: '4.61]}'",
            Ok((r#"{"especie": [-34.61]}"#, COMPLETION)),
        ),
        (
            "event: token\ndata: {\"t\": \"{\\\"a\\\": \\\"A\"}\n\nevent: token\ndata: {\"t\": \"b\\\"}\"}\n\nevent: end\ndata: {}",
            Ok((r#"{"a": "Ab"}"#, COMPLETION)),
        ),
        (
            "(part 1/2)\n{\"s\": 1, \"\n(part 2/2)\npm\": [2]}",
            Ok((r#"{"s": 1, "pm": [2]}"#, GUESS)),
        ),
        (
            "<chunk n=\"0\">{\"j\": [0, 1</chunk>\n<chunk n=\"1\">.57, 2]}</chunk>",
            Ok((r#"{"j": [0, 1.57, 2]}"#, COMPLETION)),
        ),
        (
            "000> {\"i\": \"978\", \"\n001> title\": \"x\"}",
            Ok((r#"{"i": "978", "title": "x"}"#, COMPLETION)),
        ),
        // Pieces are missing, or nothing shows that they are pieces.
        ("{\"k\": \"[1\"}\n{\"k\": \"2]\"}", Ok((r#"[{"k": "[1"}, {"k": "2]"}]"#, GUESS))),
        ("Q: \"{\"\nQ: \"}\"", Err("extract/no-json")),
        ("001> {\"a\": \"b\n002> c\"}", Ok((r#"{"a": "b\nc"}"#, GUESS))),
        ("[chunk 1] {\"a\": \"b\n[chunk 4] c\"}", Err("syntax/ambiguous")),
        ("[09:01:07] {\"a\": \"b\n[09:01:08] c\"}", Err("syntax/ambiguous")),
        ("[09:01:07] {\"a\": 1,\n[09:01:08] \"b\": 2}", Ok((r#"{"a": 1, "b": 2}"#, NOTATION))),
        ("[chunk 1] {\"a\": 1}\n[chunk 2] {\"a\": 2}", Ok((r#"[{"a": 1}, {"a": 2}]"#, GUESS))),
    ]);
}

#[test]
fn growing_snapshots() {
    check(&[
        (
            "{\"l\": \"n\n{\"l\": \"nl\", \"s\":\n{\"l\": \"nl\", \"s\": {\"o\": 1\n{\"l\": \"nl\", \"s\": {\"o\": 1}}",
            Ok((r#"{"l": "nl", "s": {"o": 1}}"#, COMPLETION)),
        ),
        (
            "{\"c\": \r{\"c\": \"D\", \"f\r{\"c\": \"D\", \"f\": 7}",
            Ok((r#"{"c": "D", "f": 7}"#, COMPLETION)),
        ),
        (
            "stream> {\"s\": \"T\nstream> {\"s\": \"Two\nstream> {\"s\": \"Two\", \"i\": 0}\nstream closed (3 frames)",
            Ok((r#"{"s": "Two", "i": 0}"#, COMPLETION)),
        ),
    ]);
}

#[test]
fn parts_with_doubled_backslashes() {
    check(&[
        (
            r#"[{"s": "a"}, {\\"s\\": \\"b\\", \\"t\\": 1}, {"s": "c"}]"#,
            Ok((r#"[{"s": "a"}, {"s": "b", "t": 1}, {"s": "c"}]"#, NOTATION)),
        ),
        (r#"[{"s": "C:\\"}, {"s": "b\\\"c"}]"#, Ok((r#"[{"s": "C:\\"}, {"s": "b\\\"c"}]"#, PLAIN))),
    ]);
}

#[test]
fn a_disabled_rule_is_named() {
    let rules = Options::default().rules.without(Rule::MissingDecoding);
    let options = Options { rules, ..Options::default() };
    let error = parse_with("%7B%22a%22%3A1%7D", &options).unwrap_err();
    assert_eq!(error.code(), "repair/refused");
    assert!(error.to_string().contains("missing-decoding"), "{error}");
    // What can be read without the rule is read.
    let text = "Voici :\n\n{\"n\": \"Kon=C3=A9\", \"v\": \"Orl=C3=A9ans\"}";
    let parsed = parse_with(text, &options).unwrap();
    assert_eq!(parsed.value.to_string(), r#"{"n":"Kon=C3=A9","v":"Orl=C3=A9ans"}"#);
    assert_eq!(parsed.report.class, GUESS);
}

#[test]
fn spans_are_in_the_encoded_text() {
    let text = "x://f?args=%7B%22city%22%3A%22%C3%85s%22%7D&n=1";
    let parsed = parse(text).unwrap();
    let root = parsed.value.root();
    assert_eq!(root.span().of(text), "%7B%22city%22%3A%22%C3%85s%22%7D");
    assert_eq!(root.get("city").unwrap().span().of(text), "%22%C3%85s%22");
    assert_eq!(parsed.report.candidate.span, root.span());
}

#[test]
fn valid_json_is_never_decoded() {
    for text in [
        r#"{"a": "=C3=A9=C3=A9", "b": "%7B%22a%22%3A1%7D", "c": "&quot;x&quot;"}"#,
        r#"{"a": "\u0022b\u0022", "c": "[31md[0m", "d": "ĠĠĠ▁"}"#,
        r#"["Content-Transfer-Encoding: quoted-printable", "=C3=A9=C3=A9"]"#,
        r#""%7B%22a%22%3A1%7D""#,
    ] {
        let repaired = repair(text).unwrap();
        assert_eq!(repaired.text, text);
        assert_eq!(repaired.report.status, Status::Unchanged, "{text}");
    }
}
