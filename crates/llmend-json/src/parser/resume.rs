//! Does the machine come to the same when its text arrives in pieces?

use crate::{
    Options, Value,
    extract::budget,
    parser::{Flow, Machine, Window},
    value::build::Tape,
};

/// Reads `text` in pieces of `step` bytes or a few more.
fn in_pieces(text: &str, step: usize) -> Option<Value<'_>> {
    let options = Options::default();
    let mut machine = Machine::new(&options, 0);
    machine.budget = budget(text.len());
    let mut tape = Tape::default();
    let mut end = 0;
    loop {
        end =
            (end + step..=text.len()).find(|&end| text.is_char_boundary(end)).unwrap_or(text.len());
        let window = Window::part(text.get(..end)?, 0, end == text.len());
        if machine.run(&window, &mut tape).ok()? == Flow::Done {
            return tape.finish(text);
        }
        if end == text.len() {
            return None;
        }
    }
}

#[test]
fn pieces_of_any_size_give_the_same_value() {
    for text in [
        r#"{"a": [1, -2.5e3, true, false, null], "b": {"c": "d\n\"é\" 😀"}, "": []}"#,
        "[[[[\"deep\"]]], {\"k\": \"v\"}, \"plain text with words\"]",
        "{\"steps\": [{\"id\": 1, \"tool\": \"copy\"}, {\"id\": 2, \"tool\": \"check\"}]}",
        "{'a': 'it''s', 'b': [1, 2,], c: True}",
    ] {
        let Ok(whole) = crate::parse(text) else { continue };
        for step in [1, 2, 3, 7, 20] {
            let value = in_pieces(text, step);
            assert!(value.as_ref() == Some(&whole.value), "{text} by {step}: {value:?}");
        }
    }
}
