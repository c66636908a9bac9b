//! Characters written as the octets of their UTF-8, each as a mark and two hexadecimal digits: `%C3%A9`
//! or `=C3=A9`.

/// What a mark begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Octets {
    /// A character, and the length of what is written for it.
    Character(char, usize),
    /// The beginning of a character, up to the end of the text.
    Cut,
    /// Something else.
    Other,
}

/// Returns what the mark at the start of `bytes` begins. `joint` is the length of what may be between two
/// octets of a character.
pub(super) fn read(bytes: &[u8], joint: impl Fn(&[u8]) -> usize) -> Octets {
    let Some(mark) = bytes.first() else { return Octets::Other };
    let (mut octets, mut count, mut at) = ([0; 4], 0, 0);
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        let octet = match *rest {
            [sign, high, low, ..] if sign == *mark => digit(high).zip(digit(low)),
            // Half of an octet.
            [sign] if sign == *mark => return Octets::Cut,
            [sign, high] if sign == *mark && digit(high).is_some() => return Octets::Cut,
            [] => return Octets::Cut,
            _ => None,
        };
        let (Some((high, low)), Some(place)) = (octet, octets.get_mut(count)) else {
            return Octets::Other;
        };
        *place = high << 4 | low;
        (count, at) = (count + 1, at + 3);
        let known = octets.get(..count).unwrap_or_default();
        match std::str::from_utf8(known) {
            Ok(text) => {
                return text.chars().next().map_or(Octets::Other, |c| Octets::Character(c, at));
            }
            Err(error) if error.error_len().is_some() => return Octets::Other,
            Err(_) => at += joint(bytes.get(at..).unwrap_or_default()),
        }
    }
}

fn digit(byte: u8) -> Option<u8> {
    Some(match byte {
        b'0'..=b'9' => byte - b'0',
        b'A'..=b'F' => byte - b'A' + 10,
        b'a'..=b'f' => byte - b'a' + 10,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::{
        Octets::{Character, Cut, Other},
        read,
    };

    #[test]
    fn characters() {
        for (text, expected) in [
            ("%7B%22", Character('{', 3)),
            ("%7b", Character('{', 3)),
            ("%C3%A9x", Character('é', 6)),
            ("=E2=82=AC", Character('€', 9)),
            ("=F0=9F=98=80", Character('😀', 12)),
            ("=C3-=A9", Character('é', 7)),
            ("%C3", Cut),
            ("%C3%", Cut),
            ("%C", Cut),
            ("%", Cut),
            ("%C3x", Other),
            ("%C3%41", Other),
            ("%E9 ", Other),
            ("%zz", Other),
            ("%z", Other),
            ("", Other),
        ] {
            let joint = |rest: &[u8]| usize::from(rest.starts_with(b"-"));
            assert_eq!(read(text.as_bytes(), joint), expected, "{text}");
        }
    }
}
