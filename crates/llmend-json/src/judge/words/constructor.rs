//! Types before a value: calls of constructors with one value or named arguments, and literals of
//! structs, vectors and maps.

use crate::{
    judge::{
        key::{bare_key, keyed},
        words::conversion::last_part,
    },
    parser::{Window, quote},
};

/// Longest name of a type, in bytes.
const REACH: usize = 80;

/// Calls that turn a list or an object into a collection.
const COLLECTIONS: &[&str] = &[
    "array",
    "asarray",
    "tensor",
    "Series",
    "set",
    "Set",
    "frozenset",
    "list",
    "tuple",
    "dict",
    "deque",
    "Counter",
    "OrderedDict",
    "Map",
    "Some",
    "Ok",
    "from",
    "of",
];

/// A type before a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Constructor {
    /// The value begins with the bracket here.
    Value(usize),
    /// Named arguments begin with the parenthesis here.
    Named(usize),
    /// A list begins with the parenthesis here.
    List(usize),
    /// One list or object is in the parenthesis here.
    One(usize),
    /// The items of a set are in the parenthesis here, in braces.
    Set(usize),
}

/// Returns the type before a value that starts at `at`.
pub(crate) fn constructor(window: &Window<'_>, at: usize) -> Option<Constructor> {
    let start = at
        + [&b"new "[..], b"%"]
            .iter()
            .find(|mark| window.starts_with(at, mark))
            .map_or(0, |mark| mark.len());
    if start == at + 1 && window.byte(start) == Some(b'{') {
        return Some(Constructor::Value(start));
    }
    window.character(start).filter(|c| c.is_alphabetic() || *c == '_')?;
    let length = window
        .short_word(start, REACH, |c| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '!'));
    let end = start + length;
    let name = window.slice(crate::Span::new(start, end));
    let last = last_part(name);
    let is_type = last.starts_with(char::is_uppercase);
    match window.byte(end)? {
        b'(' => {
            let inside = window.skip_space(end + 1);
            if let Some(open) = sized(window, inside).filter(|_| is_type) {
                return Some(Constructor::Value(open));
            }
            if (is_type || last == "dict") && keyed::has_argument(window, inside) {
                return Some(Constructor::Named(end));
            }
            let bracket = matches!(window.byte(inside), Some(b'[' | b'{' | b'('));
            if window.byte(inside) == Some(b'{') && matches!(last, "set" | "frozenset") {
                return Some(Constructor::Set(end));
            }
            if bracket && name != "array" && COLLECTIONS.contains(&last) {
                return Some(Constructor::One(end));
            }
            (name == "array").then_some(Constructor::List(end))
        }
        b'[' if name == "vec!" => Some(Constructor::Value(end)),
        b'[' if name == "map" => {
            let inside = window.line_after(end, REACH);
            let kind = inside.find(']')? + 1;
            let rest = inside.get(kind..)?;
            let value = rest.find('{')?;
            is_type_name(rest.get(..value)?).then_some(Constructor::Value(end + kind + value))
        }
        b'{' | b' ' if is_type => {
            let open = window.skip_space(end);
            let first = window.skip_space(open + 1);
            let member = quote::opening(window, first).is_some()
                || bare_key(window, first).is_some()
                || window.byte(first) == Some(b'}');
            (window.byte(open) == Some(b'{') && member).then_some(Constructor::Value(open))
        }
        _ => None,
    }
}

/// Returns the bracket behind the size of a collection, which begins at `at`, as consoles show it:
/// `Array(3) [`.
fn sized(window: &Window<'_>, at: usize) -> Option<usize> {
    let digits = window.run(at, |byte| byte.is_ascii_digit());
    let open = window.skip_space(at + digits + 1);
    (digits > 0
        && window.byte(at + digits) == Some(b')')
        && matches!(window.byte(open), Some(b'[' | b'{')))
    .then_some(open)
}

/// Returns the position of the brace after the type at `at`, which an empty pair of brackets
/// precedes, as in `[]string{`.
pub(crate) fn element_type(window: &Window<'_>, at: usize) -> Option<usize> {
    let length = window.short_word(at, REACH, |c| c.is_alphanumeric() || "_.*[]".contains(c));
    let name = window.slice(crate::Span::new(at, at + length));
    (is_type_name(name) && window.byte(at + length) == Some(b'{')).then_some(at + length)
}

fn is_type_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_alphabetic() || matches!(c, '*' | '['))
        && name.chars().all(|c| c.is_alphanumeric() || "_.*[]".contains(c))
}

#[cfg(test)]
mod tests {
    use super::{Constructor, constructor, element_type};
    use crate::parser::Window;

    #[test]
    fn types_before_values() {
        use Constructor::{List, Named, One, Set, Value};
        for (text, expected) in [
            ("np.array([1])", Some(One(8))),
            ("new Set([1])", Some(One(7))),
            ("frozenset({'x'})", Some(Set(9))),
            ("dict(a=1)", Some(Named(4))),
            ("User(id=1)", Some(Named(4))),
            ("array('a' => 1)", Some(List(5))),
            ("vec![1]", Some(Value(4))),
            ("map[string]int{\"a\": 1}", Some(Value(14))),
            ("User { id: 1 }", Some(Value(5))),
            ("User{}", Some(Value(4))),
            ("Array(3) [1]", Some(Value(9))),
            ("Map(2) {\"a\" => 1}", Some(Value(7))),
            ("f(3) [1]", None),
            ("%{a: 1}", Some(Value(1))),
            ("%User{a: 1}", Some(Value(5))),
            ("%d", None),
            ("f([1])", None),
            ("open(file=1)", None),
            ("User (guest)", None),
            ("User {guest}", None),
            ("map[x]", None),
            ("[1]", None),
            ("array", None),
        ] {
            assert_eq!(constructor(&Window::whole(text), 0), expected, "{text}");
        }
    }

    #[test]
    fn element_types() {
        for (text, expected) in [
            ("string{\"x\"}", Some(6)),
            ("*User{}", Some(5)),
            ("[]int{}", Some(5)),
            ("string", None),
            ("and {x}", None),
            (", {x}", None),
        ] {
            assert_eq!(element_type(&Window::whole(text), 0), expected, "{text}");
        }
    }
}
