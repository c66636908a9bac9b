//! Excerpts of a long text.

use llmend_json::Span;

/// Returns the text, or its parts around `places` and its two ends, about `most` bytes in all, with
/// a note in place of each omitted part. A text of at most that length is returned unchanged.
pub(crate) fn clipped(text: &str, places: &[Span], most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let mut out = String::with_capacity(most + most / 4);
    let mut at = 0;
    for span in windows(text, places, most) {
        if span.start > at {
            out.push_str(&left_out(span.start - at));
        }
        out.push_str(span.of(text));
        at = span.end;
    }
    if at < text.len() {
        out.push_str(&left_out(text.len() - at));
    }
    out
}

fn left_out(bytes: usize) -> String {
    format!("\n[… {bytes} bytes omitted …]\n")
}

/// Returns the spans to show, in the order of the text and disjoint. Each place gets an equal
/// share, and so do the beginning and the end, which show what the text is and how it stops.
fn windows(text: &str, places: &[Span], most: usize) -> Vec<Span> {
    const MOST_PLACES: usize = 32;
    let share = most / (places.len().min(MOST_PLACES) + 2);
    let around = |span: &Span| {
        let shown = span.end.saturating_sub(span.start).min(share);
        let before = (share - shown) / 2;
        let start = span.start.saturating_sub(before);
        Span::new(start, (start + share).min(text.len()))
    };
    let ends = [Span::new(0, share), Span::new(text.len() - share, text.len())];
    let mut windows: Vec<Span> = places.iter().take(MOST_PLACES).map(around).chain(ends).collect();
    windows.sort_unstable_by_key(|span| (span.start, span.end));
    let mut merged: Vec<Span> = Vec::new();
    for span in windows {
        let span = Span::new(boundary(text, span.start), boundary(text, span.end));
        match merged.last_mut() {
            Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
            _ => merged.push(span),
        }
    }
    merged
}

/// Returns the nearest character boundary at or before `at`.
fn boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default()
}

/// Returns the last `most` bytes of a text, from a character boundary on.
pub(crate) fn tail(text: &str, most: usize) -> &str {
    text.get(boundary(text, text.len().saturating_sub(most))..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{clipped, tail};
    use llmend_json::Span;

    #[test]
    fn what_is_shown_stands_around_the_places() {
        let text = "0123456789".repeat(10);
        let rows: [(&[Span], usize, &str); 6] = [
            (&[], 100, &text),
            (&[], 20, "0123456789\n[… 80 bytes omitted …]\n0123456789"),
            (
                &[Span::new(54, 56)],
                30,
                "0123456789\n[… 40 bytes omitted …]\n0123456789\n[… 30 bytes omitted …]\n0123456789",
            ),
            // Windows that touch become one.
            (&[Span::new(8, 20)], 30, "012345678901234567\n[… 72 bytes omitted …]\n0123456789"),
            // A place beyond the text, and one that is longer than its share.
            (&[Span::new(500, 600)], 30, "0123456789\n[… 80 bytes omitted …]\n0123456789"),
            (&[], 0, "\n[… 100 bytes omitted …]\n"),
        ];
        for (places, most, expected) in rows {
            assert_eq!(clipped(&text, places, most), expected, "{places:?} {most}");
        }
    }

    #[test]
    fn characters_stay_whole() {
        let text = "é".repeat(100);
        let shown = clipped(&text, &[Span::new(99, 101)], 31);
        assert!(shown.contains("omitted") && shown.starts_with("éé"), "{shown}");
        assert_eq!(tail("aéé", 3), "éé");
        assert_eq!(tail("aé", 9), "aé");
    }
}
