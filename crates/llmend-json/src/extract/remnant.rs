//! What is left around a value: signs that it is a part of something larger.
//!
//! A value that was found inside a text may be a fragment of what was meant: a string ended too
//! early, or the value around it cannot be read. Then the text before it has a bracket or a member
//! that is not closed, or the text behind it goes on with a member, a quote or a closing bracket.

use crate::{
    Span,
    extract::{code, last, neighbor::is_between, scalar::is_scalar},
    parser::Window,
};

/// How much of the text around a value is inspected on each side, in bytes.
const REACH: usize = 1 << 14;
/// Most open brackets that are inspected.
const OPENERS: usize = 8;
/// Most lines of code that are inspected after a value.
const CODE_LINES: usize = 64;
/// Longest key that is recognized, in bytes.
const KEY_REACH: usize = 80;

/// What the surroundings of a value say about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Remnant {
    /// It may be a part.
    Doubtful,
    /// It is a part: something that belongs to it was left behind.
    Part,
}

/// Judges the value at `span` by the text around it. `others` are the spans of values outside of
/// it, in the order of the text; they are complete and prove nothing.
pub(super) fn judge(
    window: &Window<'_>,
    span: Span,
    fenced: bool,
    others: &[Span],
) -> Option<Remnant> {
    let (before, after) = sides(window, span, fenced);
    if before.ends_with("\\boxed{") && after.starts_with('}') {
        return None;
    }
    if code::is_block(window, span) {
        return Some(Remnant::Part);
    }
    let opener = opener(before, &inside(before, span.start - before.len(), others));
    let closer = closer(after, &inside(after, span.end, others));
    let open = opener.and_then(|at| left_before(before.get(at..).unwrap_or_default(), closer));
    let behind = left_after(after, closer, quotes_before(window, span));
    let changed = is_changed(before, after).then_some(Remnant::Part).max(is_item_of(before));
    let list = before.trim_end_matches(is_between);
    let list_end = span.start - (before.len() - list.len());
    // Another candidate is no part, and was not chosen.
    let list = if others.iter().any(|other| other.end == list_end) { "" } else { list };
    let before = key_before(before).max(list_before(list));
    open.max(before).max(behind).max(changed)
}

/// Calls that change the value of a variable.
const CHANGES: &[&str] =
    &[".append(", ".push(", ".update(", ".extend(", ".add(", ".set(", ".insert(", ".pop("];

/// Judges a value that code makes a part of the value of a variable: `x["a"] = `, `x.push(`. If the
/// variable was set before, its value has other parts.
fn is_item_of(before: &str) -> Option<Remnant> {
    let (above, line) = before.rsplit_once('\n').unwrap_or(("", before));
    let line = line.trim();
    let call = CHANGES.iter().find_map(|call| line.strip_suffix(call));
    let item = || {
        let target = line.strip_suffix('=')?.trim_end().strip_suffix(']')?;
        target.rfind('[').and_then(|at| target.get(..at))
    };
    let name = call.or_else(item)?.split(['[', '.']).next()?;
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    if name.is_empty() || !name.chars().all(is_name) {
        return None;
    }
    let sets = |line: &str| {
        line.split_whitespace().any(|word| word.trim_end_matches(':') == name) && line.contains('=')
    };
    Some(if above.lines().any(sets) { Remnant::Part } else { Remnant::Doubtful })
}

/// Returns whether code after a value changes the variable that the value was assigned to.
fn is_changed(before: &str, after: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or_default();
    let Some(left) = line.trim_end().strip_suffix('=') else { return false };
    let name = left.split_whitespace().last().unwrap_or_default().trim_end_matches(':');
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.');
    if name.is_empty() || !name.chars().all(is_name) {
        return false;
    }
    after.lines().take(CODE_LINES).any(|line| {
        let Some(rest) = line.trim_start().strip_prefix(name) else { return false };
        let assigns = || {
            let target = rest.split('=').next().unwrap_or_default().trim_end();
            target.len() < rest.trim_end().len() && !target.ends_with(['!', '<', '>'])
        };
        CHANGES.iter().any(|call| rest.starts_with(call))
            || (rest.starts_with(['[', '.']) && assigns())
            || rest.trim_start().starts_with("+=")
    })
}

/// Returns the text before and after the value that may belong to it: in its block, its tag, and
/// not farther than the next block.
fn sides<'w>(window: &Window<'w>, span: Span, fenced: bool) -> (&'w str, &'w str) {
    let before = window.before(span.start, REACH);
    let ends = ["```", "~~~", "</", "|>"].map(|mark| last::end_of(mark, before));
    let start = ends.into_iter().flatten().max().unwrap_or(0);
    let after = window.near(span.end, REACH);
    let [fence, tilde, tag, token] = ["```", "~~~", "</", "<|"].map(|mark| first(after, mark));
    let nearest = || [fence, tilde, tag, token].into_iter().flatten().min();
    let ends = if fenced { fence.or(tilde).or_else(nearest) } else { nearest() };
    (
        before.get(start..).unwrap_or_default(),
        after.get(..ends.unwrap_or(after.len())).unwrap_or_default(),
    )
}

/// Returns the start of the first `mark` in `text`.
fn first(text: &str, mark: &str) -> Option<usize> {
    let first = *mark.as_bytes().first()?;
    let mut starts = memchr::memchr_iter(first, text.as_bytes());
    starts.find(|&start| text.get(start..).is_some_and(|text| text.starts_with(mark)))
}

/// Returns the parts of `text`, which starts at `start`, that are in `others`, in its own offsets.
fn inside(text: &str, start: usize, others: &[Span]) -> Vec<Span> {
    let end = start + text.len();
    let overlaps = |span: &&Span| span.start < end && span.end > start;
    let own = |span: &Span| {
        Span::new(span.start.saturating_sub(start), span.end.min(end).saturating_sub(start))
    };
    others.iter().filter(overlaps).map(own).collect()
}

/// Returns the brackets of `text` outside of `skipped`, without those that prose mentions.
fn brackets<'t>(text: &'t str, skipped: &'t [Span]) -> impl Iterator<Item = (usize, u8)> + 't {
    let bytes = text.as_bytes();
    let mut skipped = skipped.iter().peekable();
    bytes.iter().enumerate().filter_map(move |(at, &byte)| {
        if !matches!(byte, b'{' | b'[' | b'}' | b']') {
            return None;
        }
        while skipped.next_if(|span| span.end <= at).is_some() {}
        let hidden = skipped.peek().is_some_and(|span| span.start <= at);
        (!hidden && !is_mention(bytes, at)).then_some((at, byte))
    })
}

/// Returns whether the bracket at `at` is alone between two equal quotes.
fn is_mention(text: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|at| text.get(at));
    matches!(before, Some(b'"' | b'\'' | b'`')) && text.get(at + 1) == before
}

/// Returns the last bracket of `text` that is not closed in it.
pub(super) fn opener(text: &str, skipped: &[Span]) -> Option<usize> {
    let mut open = Vec::new();
    for (at, byte) in brackets(text, skipped) {
        match byte {
            b'{' | b'[' => open.push(at),
            _ => drop(open.pop()),
        }
    }
    // A bracket of prose that is never closed does not hide one before it.
    let begins = |at: &&usize| has_member(text.get(**at + 1..).unwrap_or_default());
    open.iter().rev().take(OPENERS).find(begins).or(open.last()).copied()
}

/// Returns the first bracket of `text` that closes nothing in it.
pub(super) fn closer(text: &str, skipped: &[Span]) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in brackets(text, skipped) {
        match byte {
            b'{' | b'[' => depth += 1,
            _ if depth == 0 => return Some(at),
            _ => depth -= 1,
        }
    }
    None
}

/// Judges `text`, which starts with an open bracket and ends at the value. `closer` says whether
/// something behind the value closes it.
fn left_before(text: &str, closer: Option<usize>) -> Option<Remnant> {
    let inside = text.get(1..).unwrap_or_default();
    if has_member(inside) {
        let part = closer.is_some() || !has_words(inside);
        return Some(if part { Remnant::Part } else { Remnant::Doubtful });
    }
    // Items of a list, of which the value is the next.
    let (first, items) = inside.split_once(',').unwrap_or_default();
    if text.starts_with('[') && is_scalar(first.trim()) && items.trim_end().ends_with(['"', ',']) {
        return Some(Remnant::Part);
    }
    // Brackets with nothing but the value before its rest surround it.
    let first = inside.trim().is_empty();
    closer.map(|_| if first { Remnant::Part } else { Remnant::Doubtful })
}

/// Returns whether `inside`, the beginning of items or members, has words outside of quotes: prose,
/// after a bracket that nothing closes.
fn has_words(inside: &str) -> bool {
    !inside.contains("\":")
        && inside.split('"').step_by(2).any(|part| part.contains(char::is_alphabetic))
}

/// Judges the text before a value by the quoted key that it ends with. Another member before that
/// key proves that the value is one of several.
fn key_before(text: &str) -> Option<Remnant> {
    // The arrow alone introduces a result.
    let is_key = |text: &&str| {
        text.trim_end().ends_with(|c: char| c.is_alphanumeric() || "\"'_".contains(c))
    };
    if let Some(members) = text.trim_end().strip_suffix("=>").filter(is_key) {
        let another = members.contains("=>") || members.contains(':');
        return Some(if another { Remnant::Part } else { Remnant::Doubtful });
    }
    let key = text.trim_end().strip_suffix(':')?.trim_end().strip_suffix('"')?;
    let key = key.get(key.rfind('\n').map_or(0, |at| at + 1)..)?;
    let start = key.rfind('"').filter(|start| key.len() - start <= KEY_REACH)?;
    let is_name = key.get(start..)?.contains(char::is_alphanumeric);
    let another = key.get(..start).is_some_and(|line| line.trim_end().ends_with(','));
    is_name.then_some(if another { Remnant::Part } else { Remnant::Doubtful })
}

/// Judges the text before a value, without separators at its end, by the list that it ends with. A list of several items that
/// begins a line is a value as much as what directly follows it.
fn list_before(list: &str) -> Option<Remnant> {
    list.strip_suffix(']')?;
    let start = list.rfind('[')?;
    let line = list.get(list.get(..start)?.rfind('\n').map_or(0, |at| at + 1)..start)?;
    let many = list.get(start..)?.contains(',');
    (line.trim().is_empty() && many).then_some(Remnant::Part)
}

/// Returns whether the content of a bracket begins like items or members: with a quote, or a key
/// and its colon, or with a quoted key anywhere.
fn has_member(inside: &str) -> bool {
    let content = inside.trim_start();
    if content.starts_with(['"', '“']) && !content.get(1..).unwrap_or_default().starts_with(is_end)
    {
        return true;
    }
    let key = content.find(':').filter(|&colon| colon <= KEY_REACH);
    let is_name = |key: &str| !key.is_empty() && !key.contains(['\n', '"', '.', ',', ')', '}']);
    if let Some(colon) = key
        && content.get(..colon).is_some_and(|key| is_name(key) && key.split(' ').count() <= 3)
        && content.get(colon + 1..).is_some_and(|rest| rest.contains(','))
    {
        return true;
    }
    inside.match_indices("\":").any(|(at, _)| {
        inside
            .get(..at)
            .and_then(|key| key.rsplit('\n').next())
            .is_some_and(|line| line.contains('"'))
    })
}

/// Returns whether a quotation has ended before `c`.
fn is_end(c: char) -> bool {
    c.is_whitespace() || matches!(c, ',' | '.' | ';' | ':' | ')' | '}' | ']')
}

/// Returns whether the number of quotes before the value on its line is odd, so that one after it
/// may close a quotation.
fn quotes_before(window: &Window<'_>, span: Span) -> bool {
    let line = window.line_before(span.start, REACH).unwrap_or_default();
    line.matches(['"', '“', '”']).count() % 2 == 1
}

/// Judges the text behind a value, in which the bracket at `closer` closes nothing. `quoted` says
/// whether a quotation may be open before the value.
fn left_after(text: &str, closer: Option<usize>, quoted: bool) -> Option<Remnant> {
    if begins_typed(text) || begins_subscript(text) {
        return Some(Remnant::Part);
    }
    if let Some(member) = member_start(text) {
        let gap = text.get(..member).unwrap_or_default();
        if closer.is_some() || !gap.contains("\n\n") {
            return Some(Remnant::Part);
        }
        return Some(Remnant::Doubtful);
    }
    let line = text.split('\n').next().unwrap_or_default();
    let quotes = line.matches('"').count() - line.matches("\\\"").count();
    match closer {
        Some(at) => {
            let gap = text.get(..at).unwrap_or_default();
            let is_stray = |c: char| matches!(c, '"' | '}' | ']') || c.is_whitespace();
            if gap == "\"" && text.chars().all(is_stray) {
                return Some(Remnant::Doubtful);
            }
            let odd = gap.matches('"').count() % 2 == 1 && !quoted;
            let key = gap.contains("\":");
            Some(if odd || key { Remnant::Part } else { Remnant::Doubtful })
        }
        None if quotes % 2 == 1 && !quoted => {
            // A quote alone behind the value is a slip of the pen.
            let alone = line.trim().trim_matches(['"', '.', ';', ',', ')']).is_empty();
            Some(if alone { Remnant::Doubtful } else { Remnant::Part })
        }
        None => None,
    }
}

/// Returns whether `text`, directly behind a value, is the name of a type and a brace: `[3]int{`.
fn begins_typed(text: &str) -> bool {
    let name =
        text.len() - text.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_').len();
    text.starts_with(char::is_alphabetic)
        && text.get(name..).is_some_and(|rest| rest.starts_with('{'))
}

/// Returns whether `text`, directly behind a value, takes a part of it as code does: `["key"]`.
fn begins_subscript(text: &str) -> bool {
    let key = text.strip_prefix("[\"").and_then(|rest| rest.split_once("\"]"));
    key.is_some_and(|(key, _)| !key.contains(['"', '\n', ',']))
}

/// Returns the start of the member that `text` begins with, after separators or a comment mark.
fn member_start(text: &str) -> Option<usize> {
    let is_separator =
        |c: char| c.is_whitespace() || matches!(c, ',' | ';' | '.' | '|' | '&' | '}' | ']');
    let mut start = text.len() - text.trim_start_matches(is_separator).len();
    let word = |at: usize| {
        let rest = text.get(at..).unwrap_or_default();
        let comment = rest.starts_with("//") || rest.starts_with('#');
        let end = if comment { rest.find('\n')? } else { rest.find(char::is_whitespace)? };
        (comment || rest.starts_with("and ") || rest.starts_with("plus ")).then_some(at + end)
    };
    if let Some(end) = word(start) {
        start = end + text.get(end..)?.len() - text.get(end..)?.trim_start().len();
    }
    let rest = text.get(start..)?;
    let key = rest.strip_prefix('"')?;
    let end = key.find('"').filter(|&end| end > 0 && end <= KEY_REACH)?;
    let value = key.get(end + 1..)?.trim_start().strip_prefix(':')?.trim_start();
    let is_value = value
        .starts_with(|c: char| matches!(c, '"' | '{' | '[' | '-') || c.is_ascii_digit())
        || ["true", "false", "null"].iter().any(|word| value.starts_with(word));
    is_value.then_some(start)
}

#[cfg(test)]
mod tests {
    use super::{Remnant, judge};
    use crate::{Span, parser::Window};

    /// Checks the judgment on the value between the marks `‹` and `›`.
    #[test]
    fn remnants() {
        use Remnant::{Doubtful, Part};
        for (text, expected) in [
            // Nothing is left.
            ("‹{\"a\": 1}›", None),
            ("Sure: ‹{\"a\": 1}›.", None),
            ("The \"a\" is this: ‹{\"a\": 1}› and \"b\" is not.", None),
            ("See {x} and [1]: ‹{\"a\": 1}›", None),
            ("A lone { or [ is fine: ‹{\"a\": 1}›", None),
            ("It opens with \"{\" and closes with \"}\": ‹{\"a\": 1}›", None),
            ("‹{\"a\": 1}›\nClose it with \"}\".", None),
            ("it is \"‹{\"a\": 1}›\" here", None),
            ("‹{\"a\": 1}›\n\n\"a\": the number of items", None),
            ("```json\n‹{\"a\": 1}›\n```\n} else {", None),
            ("<a>‹{\"a\": 1}›</a> x\" }", None),
            // A string or an object ended too early.
            ("‹{\"a\": \"x \"}› please\", \"n\": 1}", Some(Part)),
            ("‹{\"a\": \"x \"}› please\"", Some(Part)),
            ("‹[1, \"x \"]› wide\", 256]", Some(Part)),
            ("‹{\"a\": \"x\"}›; \"b\": \"y\"}", Some(Part)),
            ("‹{\"a\": \"x\"}›\n\"b\": 2", Some(Part)),
            ("‹{\"a\": \"x\"}› and \"b\": 2", Some(Part)),
            ("‹{\"a\": \"x\"}› // then\n\"b\": 2", Some(Part)),
            ("‹{\"a\": \"x\"}›\n\n\"b\": 2", Some(Doubtful)),
            ("‹{\"a\": 1}›\"", Some(Doubtful)),
            ("‹{\"a\": 1}› or so }", Some(Doubtful)),
            // An opening bracket before it is not closed.
            ("{user/id: 5, \"items\": ‹[{\"id\": 1}]›}", Some(Part)),
            ("{user/id: 5, ‹[{\"id\": 1}]›}", Some(Part)),
            ("[\"a\" ‹{\"b\": 1}›", Some(Part)),
            ("Use [\"a\" or this: ‹{\"b\": 1}›", Some(Doubtful)),
            ("{\n‹[\"a\"]›\nb = 1\n}", Some(Part)),
            ("[1, true, \"x\" ‹{\"b\": 1}›", Some(Part)),
            ("[1, see below: ‹{\"b\": 1}›", None),
            // A key before it has no object.
            ("Sure: \"b\": 1, \"a\": ‹{\"c\": 2}›", Some(Part)),
            ("as \"a\": ‹{\"c\": 2}›", Some(Doubtful)),
            ("%h = ( a => 1, b => ‹{\"c\": 2}› )", Some(Part)),
            ("b => ‹{\"c\": 2}›", Some(Doubtful)),
            ("Result:\n=> ‹{\"c\": 2}›", None),
            // Code changes it.
            ("result = ‹{}›\nresult[\"a\"] = 1", Some(Part)),
            ("const out = ‹[]›;\nout.push(1);", Some(Part)),
            ("data = ‹{\"a\": 1}›\nprint(data[\"a\"])", None),
            ("data = ‹{\"a\": 1}›\ndatabase[\"a\"] = 2", None),
            ("data = ‹{\"a\": 1}›\ndata[\"a\"]", None),
            // It is a type.
            ("‹[3]›int{1, 2, 3}", Some(Part)),
            // A list before it is as much of a value.
            ("[1, 2]‹{\"a\": 1}›", Some(Part)),
            ("see [1, 2] ‹{\"a\": 1}›", None),
            ("function f() { return ‹{\"b\": 1}›; }", Some(Doubtful)),
        ] {
            let (start, end) = (text.find('‹').expect(text), text.find('›').expect(text) - 3);
            let plain = text.replace(['‹', '›'], "");
            let span = Span::new(start, end);
            let fenced = text.starts_with("```");
            let found = judge(&Window::whole(&plain), span, fenced, &[]);
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn other_values_prove_nothing() {
        let text = "{\"b\": \"{\"} {\"a\": 1} {\"c\": \"}\"}";
        let span = |part: &str| {
            let at = text.find(part).expect(part);
            Span::new(at, at + part.len())
        };
        let others = [span("{\"b\": \"{\"}"), span("{\"c\": \"}\"}")];
        assert_eq!(judge(&Window::whole(text), span("{\"a\": 1}"), false, &others), None);
    }
}
