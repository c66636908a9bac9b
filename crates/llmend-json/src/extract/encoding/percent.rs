//! Values in percent-encoding, as in the address or the body of a request: `args=%7B%22a%22%3A1%7D`.

use super::{
    Sign,
    octets::{self, Octets},
};

/// The signs of opening brackets.
const OPENING: [&str; 4] = ["%7B", "%7b", "%5B", "%5b"];

/// Returns the signs of the values in `text` that are encoded, unless brackets are elsewhere in it.
pub(super) fn signs(text: &str) -> Option<Vec<Sign>> {
    let (mut signs, mut at) = (Vec::new(), 0);
    while let Some(start) = next_value(text, at) {
        let rest = text.get(start..).unwrap_or_default();
        let length = rest.find(ends_value).unwrap_or(rest.len());
        let between = text.get(at..start)?;
        if between.contains(['{', '[']) {
            return None;
        }
        at = start + length;
        of_value(text.get(..at)?, start, at == text.len(), &mut signs)?;
    }
    let is_alone = !text.get(at..)?.contains(['{', '[']);
    (is_alone && !signs.is_empty()).then_some(signs)
}

/// Returns where the next encoded value begins.
fn next_value(text: &str, at: usize) -> Option<usize> {
    let opens = |place: &usize| OPENING.iter().any(|sign| starts_with(text, *place, sign));
    memchr::memchr_iter(b'%', text.as_bytes().get(at..)?).map(|found| at + found).find(opens)
}

fn starts_with(text: &str, at: usize, sign: &str) -> bool {
    text.as_bytes().get(at..).is_some_and(|rest| rest.starts_with(sign.as_bytes()))
}

/// Returns whether a character cannot be in an encoded value.
fn ends_value(c: char) -> bool {
    c.is_whitespace() || matches!(c, '"' | '<' | '>' | '{' | '}' | '[' | ']' | '`' | '\\')
}

/// Adds the signs of the value from `start` to the end of `text`. Returns `None` if it has others.
fn of_value(text: &str, start: usize, is_end: bool, signs: &mut Vec<Sign>) -> Option<()> {
    let plus = is_form(text.get(start..)?);
    let mut at = start;
    while let Some(found) = memchr::memchr2(b'%', b'+', text.as_bytes().get(at..)?) {
        let place = at + found;
        let rest = text.as_bytes().get(place..)?;
        if rest.starts_with(b"+") {
            at = place + 1;
            if plus {
                signs.push(Sign::new(place, at, " "));
            }
            continue;
        }
        match octets::read(rest, |_| 0) {
            Octets::Character(meant, length) => {
                at = place + length;
                signs.push(Sign::new(place, at, meant));
            }
            Octets::Cut if is_end => {
                signs.push(Sign::new(place, text.len(), ""));
                break;
            }
            _ => return None,
        }
    }
    Some(())
}

/// Returns whether a plus sign stands for a space in an encoded value, as in a form: one is where a
/// value of JSON begins, and no space is written otherwise.
fn is_form(value: &str) -> bool {
    let signs = ["%3A", "%2C", "%0A", "%7B", "%5B", ":", ","];
    let is_before = |place: usize| {
        let before = value.get(place.saturating_sub(3)..place).unwrap_or_default();
        let before = before.to_ascii_uppercase();
        signs.iter().any(|sign| before.ends_with(sign))
    };
    memchr::memchr_iter(b'+', value.as_bytes()).any(is_before) && !value.contains("%20")
}

#[cfg(test)]
mod tests {
    use super::{super::tests::applied, signs};

    #[test]
    fn decoded_texts() {
        for (text, expected) in [
            ("%7B%22a%22%3A1%7D", Some("{\"a\":1}")),
            ("x://y?args=%7b%22a%22%3a%22%C3%B8%22%7d", Some("x://y?args={\"a\":\"ø\"}")),
            ("f=q&args=%5B1%2C2%5D&x=%20", Some("f=q&args=[1,2]&x= ")),
            ("args=%7B%22a%22:%20%22b+c%22%7D then 5%", Some("args={\"a\": \"b+c\"} then 5%")),
            ("args=%7B%22a%22%3A+%22b+c%22%7D", Some("args={\"a\": \"b c\"}")),
            ("args=%5b%0a++1%0A%5D", Some("args=[\n  1\n]")),
            // The text is cut off in a sign.
            ("args=%7B%22a%22%3A%22b%C3", Some("args={\"a\":\"b")),
            ("args=%7B%22a%22%3A%22b%", Some("args={\"a\":\"b")),
            ("args=%7B%22a%22%3A%22b%C3 and", None),
            ("args=%7B%22a%zz", None),
            // Other brackets are there.
            ("{\"u\": \"?args=%7B%22a%22%3A1%7D\"", None),
            ("%7B%22a%22%3A1%7D [1]", None),
            ("100%, or 50%20", None),
            ("", None),
        ] {
            let found = applied(text, signs(text));
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }
}
