//! Elements of XML around a value, of which others have as much to say.

use crate::extract::{reasoning, remnant::Remnant, wrapper};

/// Names of elements that are one of the arguments of a call.
const PARAMETERS: &[&str] = &["parameter", "param", "arg", "argument"];

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
pub(super) fn judge(before: &str, after: &str) -> Option<Remnant> {
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
