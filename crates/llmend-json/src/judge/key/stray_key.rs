//! Owners of keys inside an array.

use crate::{
    judge::{
        continuation::{Continuation, Halt, Lookahead, continuation},
        key::repeated::begins_with,
    },
    parser::{Frame, Opened, Spacing, Window, parent},
    sink::Container,
};

/// The owner of a key inside an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// An object of its own: the array is a list of pairs.
    Pair,
    /// An object like the one before it, whose opening brace is missing.
    Object,
    /// The object around the array, whose closing bracket is missing.
    Outer,
}

/// Tokens outside of the array that prove its closing bracket missing.
const OUTER_LIMIT: u32 = 8;
/// Tokens after which the reading with an added brace is accepted.
const OBJECT_LIMIT: u32 = 64;
/// Maximum depth at which a missing brace in a list of objects is looked for.
const DEEP: usize = 64;

/// Returns the owner of the key after the comma at `comma`, in the innermost container of `stack`,
/// an array whose last item ends at `end`.
pub(crate) fn owner(
    window: &Window<'_>,
    end: usize,
    comma: usize,
    stack: &[Frame],
    spacing: Spacing,
    budget: &mut usize,
) -> Owner {
    let sign = window.skip_space(comma);
    let key = if window.byte(sign) == Some(b',') { window.skip_space(sign + 1) } else { sign };
    let behind_object = window.byte(end - 1) == Some(b'}');
    if lacks_brace(window, end, comma, stack, spacing, budget)
        || (behind_object && begins_with(window, end, key, budget))
    {
        return Owner::Object;
    }
    // A list of objects has no pairs, also where the text is cut off.
    let is_outer =
        |found: Continuation| found.is_clean() || (behind_object && found.halt == Halt::Unclosed);
    let outside = outside(window, comma, stack, spacing, budget);
    if outside.is_some_and(is_outer) { Owner::Outer } else { Owner::Pair }
}

/// Returns whether the text after `at` continues in the object around the array.
pub(crate) fn is_of_outer(
    window: &Window<'_>,
    at: usize,
    stack: &[Frame],
    spacing: Spacing,
    budget: &mut usize,
) -> bool {
    outside(window, at, stack, spacing, budget).is_some_and(Continuation::is_clean)
}

/// Returns how the text after `at` continues in the object around the array, if there is one.
fn outside(
    window: &Window<'_>,
    at: usize,
    stack: &[Frame],
    spacing: Spacing,
    budget: &mut usize,
) -> Option<Continuation> {
    let outer = stack.split_last().map(|(_, outer)| outer).unwrap_or_default();
    (parent(stack) == Some(Container::Object))
        .then(|| continuation(window, at, &Lookahead::value(outer, OUTER_LIMIT, spacing), budget))
}

/// Returns whether the key is the first of an object like the one before it.
fn lacks_brace(
    window: &Window<'_>,
    end: usize,
    comma: usize,
    stack: &[Frame],
    spacing: Spacing,
    budget: &mut usize,
) -> bool {
    if window.byte(end - 1) != Some(b'}') || stack.len() > DEEP {
        return false;
    }
    let mut inside = stack.to_vec();
    inside.push(Frame::new(Container::Object, Opened::Plain));
    let outer = stack.split_last().map(|(_, outer)| outer).unwrap_or_default();
    let mut continues = |stack: &[Frame]| {
        continuation(window, comma, &Lookahead::value(stack, OBJECT_LIMIT, spacing), budget)
            .is_clean()
    };
    continues(&inside) && (outer.is_empty() || !continues(outer))
}

#[cfg(test)]
mod tests {
    use super::{Owner, owner};
    use crate::{
        parser::{Frame, Opened, Spacing, Window},
        sink::Container,
    };

    #[test]
    fn keys_in_an_array() {
        for (open, end, rest, expected) in [
            ("[", r#"{"a": 1}"#, r#", "a": 2}]"#, Owner::Object),
            ("{[", r#"{"a": 1}"#, r#", "a": 2}], "b": 3}"#, Owner::Object),
            ("{[", r#"{"a": 1}"#, r#", "b": 2}"#, Owner::Outer),
            ("{[", "1", r#", "b": 2}"#, Owner::Outer),
            ("{[", r#"{"a": 1}"#, r#", "b": 2,"#, Owner::Outer),
            ("{[", "1", r#", "b": 2,"#, Owner::Pair),
            ("{[", "1", r#", "b": 2]}"#, Owner::Pair),
            ("[", "1", r#", "b": 2]"#, Owner::Pair),
            ("[", r#"{"a": 1}"#, r#", "b": 2]"#, Owner::Pair),
        ] {
            let frame = |c| {
                Frame::new(
                    if c == '{' { Container::Object } else { Container::Array },
                    Opened::Plain,
                )
            };
            let stack: Vec<Frame> = open.chars().map(frame).collect();
            let text = format!("{end}{rest}");
            let (window, comma) = (Window::whole(&text), end.len());
            let found = owner(&window, comma, comma, &stack, Spacing::Plain, &mut 10_000);
            assert_eq!(found, expected, "{open} {text}");
        }
    }
}
