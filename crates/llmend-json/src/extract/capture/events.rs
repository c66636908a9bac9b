//! The lines of a captured stream: fields of events, comments, and what a log puts before them.

use crate::{
    Span,
    extract::layer::lines::{self, Prefix},
    parser::Window,
};

/// How far the first field is searched for on its line, in bytes.
const REACH: usize = 120;
/// The fields of an event.
const FIELDS: [&str; 4] = ["data:", "event:", "id:", "retry:"];
/// The data of the event that ends a stream.
const END: &str = "[DONE]";
/// How an answer of HTTP begins.
const HTTP: &[u8] = b"HTTP/";

/// The data in one line of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Payload {
    /// The data without white space around it.
    pub(super) span: Span,
    /// The data up to the end of the line.
    pub(super) raw: Span,
    /// Whether it is the first line of data in its event.
    pub(super) begins: bool,
}

/// What a line of a stream is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line<'t> {
    Data(&'t str),
    Other,
}

/// Reads a line of a stream.
fn line(text: &str) -> Option<Line<'_>> {
    if text.starts_with(':') {
        return Some(Line::Other);
    }
    let field = FIELDS.iter().find(|field| text.starts_with(**field))?;
    let value = text.get(field.len()..)?;
    let value = value.strip_prefix(' ').unwrap_or(value);
    Some(if *field == "data:" { Line::Data(value) } else { Line::Other })
}

/// Returns where the lines begin: behind the head of an answer of HTTP, if there is one.
fn start(window: &Window<'_>) -> Option<usize> {
    let first = window.skip_space(window.base);
    if !window.starts_with(first, HTTP) {
        return Some(first);
    }
    let mut at = first;
    loop {
        let end = window.find(at, usize::MAX, |bytes| memchr::memchr(b'\n', bytes))?;
        if window.slice(Span::new(at, end)).trim().is_empty() {
            return Some(window.skip_space(end));
        }
        at = end + 1;
    }
}

/// Returns the prefix of a log before the field in the line at `at`.
fn prefix(window: &Window<'_>, at: usize) -> Option<Prefix> {
    // A value is none.
    if window.byte(at) == Some(b'{') {
        return None;
    }
    let text = window.line_after(at, REACH);
    let before_field = |colon: usize| {
        let to_colon = text.get(..=colon)?;
        FIELDS.iter().find_map(|field| to_colon.strip_suffix(field))
    };
    let before = memchr::memchr_iter(b':', text.as_bytes()).find_map(before_field)?;
    lines::prefix_of(before, at).filter(|_| !before.is_empty())
}

/// Returns whether the text begins with a line of a stream.
pub(super) fn begin(window: &Window<'_>) -> bool {
    let Some(at) = start(window) else { return false };
    window.byte(at) == Some(b':')
        || FIELDS.iter().any(|field| window.starts_with(at, field.as_bytes()))
        || prefix(window, at).is_some()
}

/// Returns the data of the first events, as far as it has arrived, unless a log puts something before
/// the lines.
pub(super) fn first<'w>(window: &'w Window<'_>) -> impl Iterator<Item = Payload> + 'w {
    let begins = |&at: &usize| {
        window.byte(at) == Some(b':')
            || FIELDS.iter().any(|field| window.starts_with(at, field.as_bytes()))
    };
    let mut next = start(window).filter(begins);
    std::iter::from_fn(move || {
        loop {
            let at = next.take()?;
            let end = window.find(at, usize::MAX, |bytes| memchr::memchr(b'\n', bytes));
            let text = window.slice(Span::new(at, end.unwrap_or(window.end())));
            if end.is_none() && !window.at_end {
                return None;
            }
            next = end.map(|end| end + 1);
            match line(text) {
                Some(Line::Data(data)) => return Some(payload(at, text, data, true)),
                None if !text.trim().is_empty() => return None,
                _ => {}
            }
        }
    })
}

/// Returns the payload `data` at the end of the line `text` at `at`.
fn payload(at: usize, text: &str, data: &str, begins: bool) -> Payload {
    let end = at + text.trim_end_matches(['\r', '\n']).len();
    let from = at + text.len() - data.len();
    let data = data.trim_end();
    let start = from + data.len() - data.trim_start().len();
    Payload {
        span: Span::new(start, (from + data.len()).max(start)),
        raw: Span::new(from.min(end), end),
        begins,
    }
}

/// Returns the data of all events, if each line belongs to one, without the end of the stream.
pub(super) fn all(window: &Window<'_>) -> Option<Vec<Payload>> {
    let first = start(window)?;
    let mut prefix =
        if line(window.rest(first)).is_some() { None } else { Some(prefix(window, first)?) };
    let (mut out, mut at, mut begins) = (Vec::new(), first, true);
    for whole in window.rest(first).split_inclusive('\n') {
        let place = at;
        at += whole.len();
        if whole.trim().is_empty() {
            begins = true;
            continue;
        }
        let mut text = whole;
        if let Some(own) = prefix {
            text = whole.get(own.length(window, whole)?..)?;
            prefix = Some(own.following());
            if text.trim().is_empty() {
                begins = true;
                continue;
            }
        }
        let place = place + whole.len() - text.len();
        match line(text) {
            Some(Line::Data(data)) if data.trim() == END => begins = true,
            Some(Line::Data(data)) => {
                out.push(payload(place, text, data, begins));
                begins = false;
            }
            Some(Line::Other) => begins |= text.starts_with(FIELDS[1]),
            None if text.trim() == END => {}
            None => return None,
        }
    }
    (!out.is_empty()).then_some(out)
}

/// Returns the lines of a text as the data of events, if all but the end of the stream begin with a
/// bracket.
pub(super) fn bare(window: &Window<'_>) -> Option<Vec<Payload>> {
    let first = window.skip_space(window.base);
    let (mut out, mut at) = (Vec::new(), first);
    for text in window.rest(first).split_inclusive('\n') {
        let place = at;
        at += text.len();
        match text.trim() {
            "" | END => {}
            data if data.starts_with('{') => out.push(payload(place, text, text, true)),
            _ => return None,
        }
    }
    (out.len() > 1).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::{all, begin, first};
    use crate::parser::Window;

    #[test]
    fn data_of_events() {
        for (text, expected) in [
            ("data: a\n\ndata:b\n\ndata: [DONE]\n", Some(vec!["a", "b"])),
            ("event: x\r\nid: 7\r\ndata: a \r\nretry: 5\r\n\r\n: ping\r\n", Some(vec!["a"])),
            (": open\n\ndata:  a\ndata: b", Some(vec!["a", "b"])),
            (
                "10:41:07.11 data: a\n10:41:07.12 \n10:41:08.01 event: x\n10:41:08.02 data: b",
                Some(vec!["a", "b"]),
            ),
            ("[12:00:01] data: a\n[12:00:02] data: b\n", Some(vec!["a", "b"])),
            ("1 | event: x\n2 | data: a\n3 |\n4 | data: b", Some(vec!["a", "b"])),
            (
                "HTTP/2 200\ncontent-type: text/event-stream\n\ndata: a\n\ndata: b",
                Some(vec!["a", "b"]),
            ),
            ("data: a\nthen", None),
            ("See data: a", None),
            ("dates: a", None),
            ("event: x\n", None),
            ("10:41 data: a\ndata: b", None),
        ] {
            let window = Window::whole(text);
            let found = all(&window);
            let found: Option<Vec<&str>> = found.map(|payloads| {
                payloads.iter().map(|payload| window.slice(payload.span)).collect()
            });
            assert_eq!(found, expected, "{text}");
            assert!(expected.is_none() || begin(&window), "{text}");
        }
    }

    /// A text is waited for only while it may still be a stream.
    #[test]
    fn beginnings() {
        for (text, begins, starved) in [
            ("da", false, true),
            ("data: {", true, false),
            ("dear", false, true),
            ("dear all\n", false, false),
            (":", true, false),
        ] {
            let window = Window::part(text, 0, false);
            assert_eq!((begin(&window), window.is_starved()), (begins, starved), "{text}");
        }
        for (text, expected, starved) in [
            ("data: {\"a\": 1}\n", "{\"a\": 1}", false),
            ("data: {\"a\": 1", "", true),
            ("event: x\n\n: y\ndata: b\n", "b", false),
            ("Sure: ", "", false),
            ("{\"a\"", "", false),
        ] {
            let window = Window::part(text, 0, false);
            let found = first(&window).next().map(|payload| window.slice(payload.span));
            assert_eq!(found.unwrap_or_default(), expected, "{text}");
            assert_eq!(window.is_starved(), starved, "{text}");
        }
    }
}
