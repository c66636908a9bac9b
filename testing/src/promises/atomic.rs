//! Clean strings are never parsed again, and nesting never overflows the stack.

use llmend_json::{Options, parse_with, repair_with};

use super::broken::Broken;
use crate::random::Random;

/// The places in valid JSON, outside of strings, right behind the last value of a container that is
/// not empty.
fn ends_of_containers(text: &str) -> Vec<usize> {
    let (mut in_string, mut escaped, mut last, mut places) = (false, false, b' ', Vec::new());
    for (at, byte) in text.bytes().enumerate() {
        if in_string {
            in_string = escaped || byte != b'"';
            escaped = !escaped && byte == b'\\';
            last = b'"';
            continue;
        }
        match byte {
            b' ' | b'\n' | b'\r' | b'\t' => continue,
            b']' | b'}' if !matches!(last, b'[' | b'{') => places.push(at),
            b'"' => in_string = true,
            _ => {}
        }
        last = byte;
    }
    places
}

/// Checks G5 on a valid text: it is damaged outside of its strings, in a way that can be undone to the
/// byte, and must come back as it was.
///
/// # Errors
/// The damage after which it did not.
pub fn atomic(valid: &str, r: &mut Random) -> Result<(), Broken> {
    let places = ends_of_containers(valid);
    let Some(&last) = places.last() else { return Ok(()) };
    let whole = valid.trim_matches([' ', '\n', '\r', '\t']);
    let comma = |text: &str, at: usize| format!("{},{}", &text[..at], &text[at..]);
    let one = places[r.below(places.len())];
    let all = places.iter().rev().fold(valid.to_owned(), |text, &at| comma(&text, at));
    // A fence that stands in the text could close the fence around it only for a careless reader.
    let damages = [
        ("a trailing comma at the end", comma(valid, last), valid),
        ("a trailing comma", comma(valid, one), valid),
        ("trailing commas everywhere", all, valid),
        ("a fence around it", format!("```json\n{whole}\n```"), whole),
        ("prose around it", format!("Here it is:\n\n{whole}\n\nThat is all."), whole),
        ("a tag around it", format!("<tool_call>\n{whole}\n</tool_call>"), whole),
    ];
    for (name, damaged, wanted) in damages {
        let found = repair_with(&damaged, &Options::default());
        let kept = match &found {
            // A value without members is rightly doubted among prose.
            Err(_) => name == "prose around it" && !whole.starts_with('{'),
            Ok(repaired) => {
                repaired.text.trim_matches([' ', '\n', '\r', '\t'])
                    == wanted.trim_matches([' ', '\n', '\r', '\t'])
            }
        };
        if !kept {
            let got =
                found.map_or_else(|error| error.to_string(), |repaired| repaired.text.into_owned());
            return Err(Broken { promise: "G5", why: format!("{name}: {damaged}\nbecomes {got}") });
        }
    }
    Ok(())
}

/// Checks the stack's part of G7: whatever the depth, parse, clone, compare, print and drop need no
/// more than two megabytes of stack. A failure ends the process, as a stack that overflows does.
///
/// # Errors
/// When no thread could be had.
pub fn on_a_small_stack(text: &str, options: &Options) -> Result<(), Broken> {
    let work = || {
        if let Ok(parsed) = parse_with(text, options) {
            let twin = parsed.value.clone();
            let same = twin == parsed.value && twin.to_string() == parsed.value.to_string();
            drop(parsed);
            drop(twin);
            return same;
        }
        true
    };
    let same = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(2 << 20).spawn_scoped(scope, work);
        thread.ok().and_then(|thread| thread.join().ok())
    });
    match same {
        Some(true) => Ok(()),
        _ => Err(Broken { promise: "G7", why: "a clone differs, or the thread failed".to_owned() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_of_containers() {
        assert_eq!(ends_of_containers(r#"{"a]": [1, "}"], "b": {}}"#), [14, 25 - 1]);
        assert_eq!(ends_of_containers("[] "), Vec::<usize>::new());
    }
}
