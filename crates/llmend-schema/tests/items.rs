//! Policies for items that do not fit.

use llmend_schema::{OnBadItem, Options, Schema, coerce};

/// Returns the value and the codes of its violations.
fn fit(schema: &str, text: &str, on_bad_item: OnBadItem) -> (String, Vec<String>) {
    let schema = Schema::from_text(schema).unwrap();
    let parsed = llmend_json::parse(text).unwrap();
    let options = Options { on_bad_item, ..Options::default() };
    let coerced = coerce(&parsed.value, &schema, &options);
    let wrong = coerced.violations.iter().map(|row| format!("{} {}", row.code, row.path));
    (coerced.value.to_string(), wrong.collect())
}

const POINT: &str =
    r#"{"type":"array","prefixItems":[{"type":"number"},{"type":"number"},{"type":"number"}]}"#;
const NAMED: &str =
    r#"{"type":"array","prefixItems":[{"type":"string"}],"items":{"type":"integer"}}"#;
const MAYBE: &str = r#"{"type":"array","prefixItems":[{"type":["number","null"]}]}"#;
const OLD: &str = r#"{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"integer"},{"type":"integer"}]}"#;

#[test]
fn prefix_items_are_never_removed() {
    for (schema, text, value, wrong) in [
        (POINT, r#"[1,"?",3]"#, r#"[1,"?",3]"#, &["schema/type /1"][..]),
        (OLD, r#"["x",2]"#, r#"["x",2]"#, &["schema/type /0"]),
        (POINT, r#"{"0":1,"1":"?","2":3}"#, r#"{"0":1,"1":"?","2":3}"#, &["schema/type "]),
        // Further items may be removed.
        (NAMED, r#"["a",1,"x",3]"#, r#"["a",1,3]"#, &[]),
        (POINT, r#"[1,"2",3]"#, "[1,2,3]", &[]),
    ] {
        let (found, codes) = fit(schema, text, OnBadItem::Drop);
        assert_eq!(
            (found.as_str(), codes),
            (value, wrong.iter().map(ToString::to_string).collect())
        );
    }
}

#[test]
fn null_keeps_prefix_items_in_place() {
    let (found, wrong) = fit(MAYBE, r#"["?",2]"#, OnBadItem::Null);
    assert_eq!((found.as_str(), wrong), ("[null,2]", Vec::new()));
    let (found, wrong) = fit(POINT, r#"[1,"?",3]"#, OnBadItem::Null);
    assert_eq!((found.as_str(), wrong), (r#"[1,"?",3]"#, vec!["schema/type /1".to_owned()]));
}
