//! Phrases by their first bytes, for texts that may begin with any of many.

use std::{iter::successors, mem::replace};

/// Phrases in lower case, each with what it says. None is shorter than `START`, the number of bytes by which
/// they are looked up.
pub(crate) struct Phrases<T, const START: usize> {
    /// The place of the last row of each hash; there is no row at the place `u16::MAX`.
    last: [u16; 1 << BITS],
    /// Each with the place of the row before it that has the same hash.
    rows: Vec<(&'static str, T, u16)>,
}

/// Length of a hash in bits: few phrases share one, and most texts have one of no phrase.
const BITS: u32 = 11;

impl<T: Copy, const START: usize> Phrases<T, START> {
    pub(crate) fn new(table: &[(T, &[&'static str])]) -> Self {
        let (mut last, mut rows) = ([u16::MAX; 1 << BITS], Vec::new());
        for (says, phrases) in table {
            for phrase in *phrases {
                let hash = Self::hash(phrase.as_bytes());
                if let Some(last) = hash.and_then(|hash| last.get_mut(hash)) {
                    let at = u16::try_from(rows.len()).unwrap_or(u16::MAX);
                    rows.push((*phrase, *says, replace(last, at)));
                }
            }
        }
        Self { last, rows }
    }

    /// Returns a hash of the first bytes, the same one for letters of either case.
    fn hash(text: &[u8]) -> Option<usize> {
        let start = text.first_chunk::<START>()?.iter();
        let start = start.fold(0, |start, byte| start << 8 | u32::from(byte | 0x20));
        Some((start.wrapping_mul(0x9E37_79B1) >> (u32::BITS - BITS)) as usize)
    }

    /// Returns what each phrase says that `text` begins with, if that is wanted, and what follows it. Letters
    /// beyond ASCII are compared as they are.
    pub(crate) fn beginning<'t>(
        &self,
        text: &'t [u8],
        is_wanted: impl Fn(T) -> bool,
    ) -> impl Iterator<Item = (T, &'t [u8])> {
        let row = |at: &u16| self.rows.get(usize::from(*at));
        let last = Self::hash(text).and_then(|hash| self.last.get(hash)).and_then(row);
        let same_hash = successors(last, move |(.., before)| row(before));
        same_hash.filter(move |(_, says, _)| is_wanted(*says)).filter_map(|(phrase, says, _)| {
            let (first, rest) = text.split_at_checked(phrase.len())?;
            first.eq_ignore_ascii_case(phrase.as_bytes()).then_some((*says, rest))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Phrases;

    #[test]
    fn what_a_text_begins_with() {
        let phrases = Phrases::<u8, 2>::new(&[(1, &["no", "nominal"]), (2, &["no", "né"])]);
        for (text, wanted, expected) in [
            ("No, it", 1, &[", it"][..]),
            ("NOMINAL", 1, &["", "MINAL"]),
            ("nominal", 2, &["minal"]),
            ("né", 2, &[""]),
            ("nÉ", 2, &[]),
            ("n", 1, &[]),
            ("", 1, &[]),
        ] {
            let found = phrases.beginning(text.as_bytes(), |says| says == wanted);
            let rests: Vec<&[u8]> = found.map(|(_, rest)| rest).collect();
            let expected: Vec<&[u8]> = expected.iter().map(|rest| rest.as_bytes()).collect();
            assert_eq!(rests, expected, "{text}");
        }
    }
}
