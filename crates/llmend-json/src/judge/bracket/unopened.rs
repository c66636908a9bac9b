//! Containers whose opening bracket is missing after a key.

use crate::{
    judge::{bracket::layout::missing_closers, key::opens_key},
    parser::Window,
    sink::Container,
};

/// Longest list that is read, in bytes.
const REACH: usize = 1 << 10;

/// Returns the kind of the container whose first key or item is the string at `at`, after a key and
/// its colon: `"user": "id": 9}` or `"tags": "a", "b"]`. Only on a line of its own is that certain
/// before a stream has shown it as the key's string.
pub(crate) fn kind(window: &Window<'_>, at: usize) -> Option<Container> {
    if opens_key(window, at) {
        return Some(Container::Object);
    }
    let (mut place, mut strings) = (at, 0);
    while place < at + REACH && window.byte(place) == Some(b'"') {
        let (close, _) = window.scan_string(place + 1)?;
        strings += 1;
        let next = window.skip_space(close + 1);
        match window.byte(next)? {
            b',' => place = window.skip_space(next + 1),
            b']' => return (strings > 1).then_some(Container::Array),
            _ => return None,
        }
    }
    None
}

/// Returns whether the brackets of the text close such a container and the `depth` ones around it.
/// The rest of a text that is too long for the budget is not read.
pub(crate) fn is_closed(window: &Window<'_>, at: usize, depth: usize, budget: &mut usize) -> bool {
    let cost = window.rest(at).len() / 4;
    if cost > *budget / 2 {
        return false;
    }
    *budget -= cost;
    missing_closers(window, at, depth + 1, usize::MAX).0 == 0
}

#[cfg(test)]
mod tests {
    use super::{is_closed, kind};
    use crate::{parser::Window, sink::Container};

    #[test]
    fn containers_that_were_not_opened() {
        for (text, expected) in [
            (r#""id": 9}"#, Some(Container::Object)),
            (r#""a", "b"], "c": 1}"#, Some(Container::Array)),
            (r#""a"], "c": 1}"#, None),
            (r#""a", "b": 1}"#, None),
            (r#""a", 1]"#, None),
            (r#""a"}"#, None),
        ] {
            assert_eq!(kind(&Window::whole(text), 0), expected, "{text}");
        }
    }

    #[test]
    fn brackets_that_close_one_more() {
        for (text, depth, expected) in
            [(r#""id": 9}, "b": 1}"#, 1, true), (r#""id": 9, "b": 1}"#, 1, false)]
        {
            assert_eq!(is_closed(&Window::whole(text), 0, depth, &mut 1000), expected, "{text}");
        }
    }
}
