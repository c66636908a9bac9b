//! Writing a coerced value with the layout of its text.

use llmend_json::{Kind, Node, Options, Policy, Span, Value, parse_with};

/// Returns `value` as JSON with the white space of `json`, which it was made from. A part whose
/// number of members is unchanged keeps its layout; any other is written compactly.
pub(crate) fn rewritten(json: &str, value: &Value<'_>) -> String {
    let mut strict = Options::policy(Policy::Strict);
    (strict.max_depth, strict.max_bytes) = (usize::MAX, usize::MAX);
    // The engine writes strict JSON. If it did not, there would be no layout to keep.
    let Ok(before) = parse_with(json, &strict) else { return value.to_string() };
    let mut out = String::with_capacity(json.len());
    let mut at = 0;
    for (span, after) in edits(before.value.root(), value.root()) {
        out.push_str(Span::new(at, span.start).of(json));
        out.push_str(&after);
        at = span.end;
    }
    out.push_str(json.get(at..).unwrap_or_default());
    out
}

/// Returns the edits that turn the text of `before` into `after`, in the order of the text.
fn edits(before: Node<'_>, after: Node<'_>) -> Vec<(Span, String)> {
    let mut edits = Vec::new();
    let mut pairs = vec![(before, after)];
    while let Some((before, after)) = pairs.pop() {
        let same_kind = before.kind() == after.kind();
        match before.kind() {
            Kind::Array if same_kind && before.len() == after.len() => {
                pairs.extend(before.items().zip(after.items()));
            }
            Kind::Object if same_kind && before.len() == after.len() => {
                for ((old_key, old), (key, value)) in before.members().zip(after.members()) {
                    pairs.extend([(old_key, key), (old, value)]);
                }
            }
            Kind::Array | Kind::Object => edits.push((before.span(), after.to_string())),
            _ if same_kind && is_same(before, after) => {}
            _ => edits.push((before.span(), after.to_string())),
        }
    }
    edits.sort_by_key(|(span, _)| span.start);
    edits
}

/// Returns whether two scalars of one kind are equal.
fn is_same(before: Node<'_>, after: Node<'_>) -> bool {
    before.bool() == after.bool()
        && before.number() == after.number()
        && before.str() == after.str()
}

#[cfg(test)]
mod tests {
    use llmend_json::parse;

    use super::rewritten;

    #[test]
    fn what_was_not_touched_stands_as_it_stood() {
        for (before, after, expected) in [
            (
                "{ \"a\": \"1\",\n  \"b\": [ 1, 2 ] }\n",
                "{\"a\":1,\"b\":[1,2]}",
                "{ \"a\": 1,\n  \"b\": [ 1, 2 ] }\n",
            ),
            (
                r#"{ "A" : 1, "b\u0041": "\u0041" }"#,
                r#"{"a":1,"bA":"A"}"#,
                r#"{ "a" : 1, "b\u0041": "\u0041" }"#,
            ),
            ("[ [ 1,  2 ], [ 3,  4 ] ]", "[[1],[3,4]]", "[ [1], [ 3,  4 ] ]"),
            ("{ \"plan\": { \"a\": 1 } }", "{\"a\":1,\"b\":2}", "{\"a\":1,\"b\":2}"),
            ("[ {\"a\": \"x\"} ]", "{\"a\":\"x\"}", "{\"a\":\"x\"}"),
            ("[ 1.0, 2 ]", "[1,2]", "[ 1, 2 ]"),
            ("{\"a\": {}, \"b\": null}", "{\"a\":[],\"b\":false}", "{\"a\": [], \"b\": false}"),
            (" \"7\" ", "7", " 7 "),
            (r#"{"a": 1, "a": 2}"#, r#"{"a":1,"b":3}"#, r#"{"a": 1, "b": 3}"#),
        ] {
            let value = parse(after).expect(after).value;
            assert_eq!(rewritten(before, &value), expected);
            assert_eq!(parse(expected).expect(expected).value, value, "{expected}");
        }
    }

    #[test]
    fn depth_takes_no_stack() {
        let deep = |inside: &str| format!("{}{inside}{}", "[".repeat(100_000), "]".repeat(100_000));
        let options = llmend_json::Options { max_depth: usize::MAX, ..Default::default() };
        let after = deep("2");
        let value = llmend_json::parse_with(&after, &options).expect("JSON").value;
        assert_eq!(rewritten(&deep("\"1\""), &value), after);
    }
}
