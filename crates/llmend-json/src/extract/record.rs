//! Records around a value: lines with keys, and elements of XML, of which the value is one.

use crate::{
    Origin, Span,
    extract::{
        reasoning,
        remnant::Remnant,
        standing::{
            self,
            words::{FINAL_LABELS, SKETCH_LABELS},
        },
        turn, wrapper,
    },
    parser::Window,
};

/// How much of the text around a value is inspected on each side, in bytes.
const REACH: usize = 2_048;
/// Longest key of a line, in bytes.
const KEY_REACH: usize = 40;
/// Names of elements that are one of the arguments of a call.
const PARAMETERS: &[&str] = &["parameter", "param", "arg", "argument"];

/// Judges the value at `span` by the record that it is in.
pub(crate) fn judge(window: &Window<'_>, span: Span, origin: Origin) -> Option<Remnant> {
    let (before, after) = (window.before(span.start, REACH), window.near(span.end, REACH));
    if origin == Origin::Unbraced {
        // Members without braces follow another member.
        let above = before.strip_suffix('\n').and_then(|above| above.rsplit('\n').next());
        let pair = above.and_then(pair).filter(|pair| !pair.value.is_empty());
        return pair.filter(|pair| is_small(pair.key)).map(|_| Remnant::Part);
    }
    if let Some(call) = arguments(before) {
        return Some(call);
    }
    if before.trim_end().ends_with('>') {
        element(before.trim_end(), after.trim_start())
    } else if before.trim_end_matches([' ', '\t']).ends_with([':', '=']) {
        line(before, after)
    } else {
        None
    }
}

/// A line with a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pair<'t> {
    /// The mark of an item of a list.
    bullet: Option<char>,
    pub(super) key: &'t str,
    separator: char,
    pub(super) value: &'t str,
}

/// Reads a line with a key of one word.
pub(super) fn pair(line: &str) -> Option<Pair<'_>> {
    let line = line.trim();
    let bullet = line.chars().next().filter(|c| matches!(c, '-' | '*' | '•'));
    let rest = bullet.map_or(line, |_| line.trim_start_matches(['-', '*', '•', ' ']));
    let end = rest.find([':', '='])?;
    let key = rest.get(..end)?.trim().trim_matches(['*', '`', '"']);
    let is_key = !key.is_empty()
        && key.len() <= KEY_REACH
        && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
        && !key.starts_with(|c: char| c.is_ascii_digit());
    let value = rest.get(end + 1..)?;
    let separator = rest.get(end..)?.chars().next()?;
    // An address or an operator is no pair.
    (is_key && !value.starts_with(['/', ':', '=', '>'])).then_some(Pair {
        bullet,
        key,
        separator,
        value: value.trim(),
    })
}

/// Judges a value after the key of its line by the lines next to it.
fn line(before: &str, after: &str) -> Option<Remnant> {
    let (above, line) = before.rsplit_once('\n').unwrap_or(("", before));
    let (rest, below) = after.split_once('\n').unwrap_or((after, ""));
    let own = pair(line).filter(|own| own.value.is_empty())?;
    if !rest.trim_matches([',', ';', '\r', ' ']).is_empty() {
        return None;
    }
    let is_code = || line.starts_with([' ', '\t']) && above.lines().any(opens_body);
    if own.separator == '=' && (above.lines().any(is_section) || is_code()) {
        return Some(Remnant::Part);
    }
    let above = above.rsplit('\n').next().unwrap_or_default();
    let next = below.split('\n').next().unwrap_or_default();
    let neighbours = [above, next].into_iter().filter_map(pair).filter(|other| {
        (other.bullet, other.separator) == (own.bullet, own.separator)
            && other.key != own.key
            && (!other.value.is_empty() || heads_block(*other, below))
            && !reasoning::is_word(other.key)
            && !(turn::is_speaker(own.key) && turn::is_speaker(other.key))
            && !(is_version(own.key) && is_version(other.key))
    });
    neighbours.map(|other| strength(own, other)).max()
}

/// Returns whether a line begins the body of a class, which has more members than the value.
fn opens_body(line: &str) -> bool {
    line.starts_with("class ") && line.trim_end().ends_with([':', '{'])
}

/// Returns whether a line is the header of a section of TOML or an INI file.
fn is_section(line: &str) -> bool {
    let name = line.trim().strip_prefix('[').and_then(|line| line.strip_suffix(']'));
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    name.is_some_and(|name| {
        name.trim_matches(['[', ']']).starts_with(char::is_alphabetic)
            && name.trim_matches(['[', ']']).chars().all(is_name)
    })
}

/// Returns whether the key on the first line of `below` has its value on the next, indented or as a
/// list.
fn heads_block(key: Pair<'_>, below: &str) -> bool {
    let mut lines = below.split('\n');
    let first = lines.next().and_then(pair);
    let inside = lines.next().unwrap_or_default();
    first == Some(key) && (inside.starts_with("  ") || inside.starts_with("- "))
}

/// Returns how much the line `other` says that `own` is one of several.
fn strength(own: Pair<'_>, other: Pair<'_>) -> Remnant {
    let sentence = other.value.ends_with(['.', '!', '?', ':']);
    let announces = wrapper::announces(own.key) || standing::names_answer(own.key);
    // A call in code is no member, and what a tool is given is all of it.
    let is_call = own.separator == '=' && other.value.contains('(');
    let is_input = INPUTS.iter().any(|name| own.key.eq_ignore_ascii_case(name));
    if announces || is_call || is_input || (sentence && !(is_small(own.key) && is_small(other.key)))
    {
        Remnant::Doubtful
    } else {
        Remnant::Part
    }
}

/// Returns whether a key names a value before or after a change.
fn is_version(key: &str) -> bool {
    let key = key.to_lowercase();
    SKETCH_LABELS.contains(&key.as_str()) || FINAL_LABELS.contains(&key.as_str())
}

/// Labels of what a tool is given.
const INPUTS: &[&str] = &["input", "entrée", "entrada", "eingabe", "arguments", "argumente"];

pub(super) fn is_small(key: &str) -> bool {
    key.starts_with(char::is_lowercase)
}

/// Judges a value by the call on its line whose arguments are still open: `f(n=5, options=`.
fn arguments(before: &str) -> Option<Remnant> {
    let line = before.rsplit('\n').next().unwrap_or_default();
    let (name, inside) = line.rsplit_once('(')?;
    let is_call = name.ends_with(|c: char| c.is_alphanumeric() || c == '_');
    let named = inside.trim_end().ends_with(['=', ':', ',']);
    let several = inside.matches(['=', ':']).count() > 1;
    (is_call && named && several && !inside.contains(')')).then_some(Remnant::Part)
}

/// A tag in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Element<'t> {
    name: &'t str,
    opens: bool,
}

/// Returns the tags of `text`.
fn tags(text: &str) -> impl Iterator<Item = Element<'_>> {
    text.split('<').skip(1).filter_map(|part| {
        let inside = part.get(..part.find('>')?)?;
        let opens = !inside.starts_with('/');
        let name = inside.trim_start_matches('/');
        let end = name.find([' ', '=', '/', '\n']).unwrap_or(name.len());
        let name = name.get(..end)?;
        let is_name = name.starts_with(|c: char| c.is_alphabetic());
        (is_name && !inside.ends_with('/')).then_some(Element { name, opens })
    })
}

/// Judges a value between the tags that `before` ends and `after` starts with.
fn element(before: &str, after: &str) -> Option<Remnant> {
    let mut open: Vec<Element<'_>> = Vec::new();
    let mut previous = None;
    for tag in tags(before) {
        previous = if tag.opens { previous } else { Some(tag) };
        match open.iter().rposition(|one| one.name == tag.name) {
            Some(at) if !tag.opens => open.truncate(at),
            _ if tag.opens => open.push(tag),
            _ => {}
        }
    }
    let own = open.pop()?;
    let rest = after.strip_prefix("</")?.strip_prefix(own.name)?;
    let is_parameter = PARAMETERS.iter().any(|name| own.name.eq_ignore_ascii_case(name));
    let is_other = |tag: &Element<'_>| {
        (tag.name != own.name || is_parameter) && !reasoning::is_reasoning(tag.name)
    };
    let next = tags(rest).next().filter(|tag| tag.opens);
    let sibling = rest.trim_start_matches('>').trim_start().strip_prefix('<');
    let content = sibling.and_then(|text| text.strip_prefix(own.name)?.strip_prefix('>'));
    // Another of the same name that holds no value.
    if content.is_some_and(|text| !text.trim_start().starts_with(['{', '['])) {
        return Some(Remnant::Doubtful);
    }
    if !next.into_iter().chain(previous).any(|tag| is_other(&tag)) {
        // The only argument of a call may be all of them.
        return is_parameter.then_some(Remnant::Doubtful);
    }
    let has_parent = open.iter().any(|tag| rest.contains(&format!("</{}", tag.name)));
    let part = has_parent && !wrapper::announces(own.name);
    Some(if part { Remnant::Part } else { Remnant::Doubtful })
}

#[cfg(test)]
mod tests {
    use super::{Remnant, judge};
    use crate::{Origin, Span, parser::Window};

    #[test]
    fn members_after_another() {
        for (text, expected) in [
            ("user_id: 1\n\"plan\": \"pro\"", Some(Remnant::Part)),
            ("Here it is:\n\"plan\": \"pro\"", None),
            ("Note: so.\n\"plan\": \"pro\"", None),
        ] {
            let span = Span::new(text.find('"').expect(text), text.len());
            assert_eq!(judge(&Window::whole(text), span, Origin::Unbraced), expected, "{text}");
        }
    }

    /// Checks the judgment on the first object of each text.
    #[test]
    fn records() {
        use Remnant::{Doubtful, Part};
        for (text, expected) in [
            ("config: {\"a\": 1}", None),
            ("Here is the config: {\"a\": 1}", None),
            ("name: x\nconfig: {\"a\": 1}", Some(Part)),
            ("config: {\"a\": 1}\nname: x", Some(Part)),
            ("- name: x\n- config: {\"a\": 1}", Some(Part)),
            ("n = 1\nconfig = {\"a\": 1}", Some(Part)),
            ("config: {\"a\": 1}\nlist:\n  - c", Some(Part)),
            ("config: {\"a\": 1}\nlist:\nmore", None),
            ("class A:\n    config = {\"a\": 1}", Some(Part)),
            ("def f():\n    config = {\"a\": 1}", None),
            ("<v>{\"a\": 1}</v><v>x</v>", Some(Doubtful)),
            ("config: {\"a\": 1}\nother: {\"b\": 2}", Some(Part)),
            ("Status: done\nResult: {\"a\": 1}", Some(Doubtful)),
            ("Explanation: it is so.\nHere: {\"a\": 1}", Some(Doubtful)),
            ("Thought: easy\nHere: {\"a\": 1}", None),
            ("User: why?\nAssistant: {\"a\": 1}", None),
            ("stdout: {\"a\": 1}\nstderr: none", None),
            ("user: me\nconfig: {\"a\": 1}", Some(Part)),
            ("AI: {\"a\": 1}\nUser: and then", None),
            ("草稿: 1\n最终: {\"a\": 1}", Some(Doubtful)),
            ("name: x\n\nconfig: {\"a\": 1}", None),
            ("name: x\nAction Input: {\"a\": 1}", None),
            ("x = {\"a\": 1}\nprint(x)", None),
            ("http://x.example\nconfig: {\"a\": 1}", None),
            ("<answer>{\"a\": 1}</answer>", None),
            ("<think>x</think><payload>{\"a\": 1}</payload>", None),
            ("<r><payload>{\"a\": 1}</payload></r>", None),
            ("<item>{\"a\": 1}</item><item>{\"b\": 1}</item>", None),
            ("<note>x</note><payload>{\"a\": 1}</payload>", Some(Doubtful)),
            ("<name>f</name><arguments>{\"a\": 1}</arguments>", Some(Doubtful)),
            ("<f><path>x</path><edit>{\"a\": 1}</edit></f>", Some(Part)),
            ("<f>\n<edit>{\"a\": 1}</edit>\n<path>x</path>\n</f>", Some(Part)),
            (
                "<invoke name=\"f\"><parameter name=\"x\">{\"a\": 1}</parameter></invoke>",
                Some(Doubtful),
            ),
            (
                "<function=f>\n<parameter=x>\n{\"a\": 1}\n</parameter>\n<parameter=y>\n2\n</parameter>\n</function>",
                Some(Part),
            ),
            ("so <b>this</b> {\"a\": 1}", None),
            ("f(n=5, options={\"a\": 1})", Some(Part)),
            ("f({\"a\": 1})", None),
            ("post(url, json={\"a\": 1})", None),
            ("so (as I said, this is it): {\"a\": 1}", None),
        ] {
            let start = text.find('{').expect(text);
            let end = start + "{\"a\": 1}".len();
            assert_eq!(
                judge(&Window::whole(text), Span::new(start, end), Origin::Bare),
                expected,
                "{text}"
            );
        }
    }
}
