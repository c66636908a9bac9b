//! `--explain`: the original, with each repair in its place.

use crate::process::run;

/// What `--explain` says about `text`.
fn check(text: &str) -> String {
    run("repair --explain --quiet", text).expect(0).stderr
}

#[test]
fn repairs_are_marked_in_place() {
    insta::assert_snapshot!(
        "several_repairs",
        check(
            "Sure, here it is:\n```json\n{\n  'city': \"Oslo\",   // the capital\n  'open': True,\n  'tags': ['a', 'b',],\n}\n```\nAnything else?"
        )
    );
}

#[test]
fn a_cut_is_marked_where_it_is() {
    insta::assert_snapshot!("cut_off", check("{\"items\": [{\"id\": 1}, {\"id\": 2, \"na"));
}

#[test]
fn a_long_line_is_shown_in_pieces() {
    let fill =
        |name: &str| (0..40).fold(String::new(), |text, n| text + &format!("\"{name}{n}\": {n}, "));
    let text = format!("{{'first': 1, {}'last': [1, 2,], {}}}", fill("a"), fill("b"));
    insta::assert_snapshot!("long_line", check(&text));
}

#[test]
fn many_repairs_are_summed_up() {
    let text = format!("[\n{}]", "'x', True,\n".repeat(500));
    let shown = check(&text);
    assert!(shown.contains("1,441 more repairs not shown: "), "{shown}");
    assert!(shown.contains("single-quotes ×"), "{shown}");
    assert!(shown.lines().count() < 100, "{shown}");
}

#[test]
fn a_refusal_shows_the_place() {
    let run = run("repair --explain", "{\n  \"net\": 100,\n  \"total\": 100 * 1.25\n}").expect(1);
    insta::assert_snapshot!("refusal", run.stderr);
}

#[test]
fn duplicate_keys_are_a_warning() {
    insta::assert_snapshot!("duplicate_key", check("{\"a\": 1, \"b\": {\"c\": 2, \"c\": 3}}"));
}

#[test]
fn an_unchanged_text_needs_no_explanation() {
    assert_eq!(check("[1]"), "");
}
