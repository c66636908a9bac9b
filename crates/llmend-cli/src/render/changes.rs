//! The difference between two workflows or plans, part by part.

use std::fmt::Write as _;

use llmend::{model::masked, plan::Document};
use serde_json::{Map, Value};

use super::{Color, visible};

/// The lists of a document: the name of a part, and the members that identify it.
const LISTS: [(&str, &str, &[&str]); 3] = [
    ("steps", "step", &["id"]),
    ("nodes", "node", &["id"]),
    ("edges", "edge", &["from", "to", "label"]),
];
/// Characters of a value that are shown.
const VALUE_CHARS: usize = 160;

/// Returns a line for each part that is added (`+`), removed (`-`) or changed (`~`), with the old and the new
/// value of each member.
pub(crate) fn changes(before: Option<&Document>, after: &Document, color: Color) -> String {
    // A document that cannot be serialized has no parts to compare.
    let object = |document: &Document| match serde_json::to_value(document) {
        Ok(Value::Object(members)) => members,
        _ => Map::new(),
    };
    let (before, after) = (before.map(object).unwrap_or_default(), object(after));
    let mut out = Changes { text: String::new(), color };
    out.members("", &rest(&before), &rest(&after));
    for (list, noun, keys) in LISTS {
        let parts = |document: &Map<String, Value>| {
            document.get(list).and_then(Value::as_array).cloned().unwrap_or_default()
        };
        out.list((noun, keys), &parts(&before), &parts(&after));
    }
    out.text
}

/// Returns the members of a document that are no lists of parts.
fn rest(document: &Map<String, Value>) -> Map<String, Value> {
    let is_list = |name: &String| LISTS.iter().any(|(list, ..)| list == name);
    let rest = document.iter().filter(|(name, _)| !is_list(name));
    rest.map(|(name, value)| (name.clone(), value.clone())).collect()
}

struct Changes {
    text: String,
    color: Color,
}

impl Changes {
    fn list(&mut self, (noun, keys): (&str, &[&str]), before: &[Value], after: &[Value]) {
        let name = |part: &Value| format!("{noun} {}", identity(part, keys));
        let find = |parts: &[Value], part: &Value| {
            parts.iter().find(|other| identity(other, keys) == identity(part, keys)).cloned()
        };
        for part in before.iter().filter(|part| find(after, part).is_none()) {
            self.line('-', &name(part));
        }
        for part in after {
            match find(before, part) {
                None => self.line('+', &format!("{}{}", name(part), contents(part, keys))),
                Some(old) => {
                    let members = |part: &Value| part.as_object().cloned().unwrap_or_default();
                    self.members(&name(part), &members(&old), &members(part));
                }
            }
        }
    }

    /// Shows the members of a part that differ.
    fn members(&mut self, part: &str, before: &Map<String, Value>, after: &Map<String, Value>) {
        let added = after.keys().filter(|name| !before.contains_key(*name));
        for name in before.keys().chain(added) {
            let (old, new) = (before.get(name), after.get(name));
            if old == new {
                continue;
            }
            let value = |value: Option<&Value>| value.map_or_else(|| "nothing".to_owned(), shown);
            let place = if part.is_empty() { String::new() } else { format!("{part}: ") };
            self.line('~', &format!("{place}{name}: {} → {}", value(old), value(new)));
        }
    }

    fn line(&mut self, sign: char, text: &str) {
        let text = visible(&masked(text), 3 * VALUE_CHARS);
        let _ = match (self.color, sign) {
            (Color::Plain, _) => writeln!(self.text, "{sign} {text}"),
            (Color::Ansi, '+') => writeln!(self.text, "\u{1b}[32m{sign} {text}\u{1b}[0m"),
            (Color::Ansi, '-') => writeln!(self.text, "\u{1b}[31m{sign} {text}\u{1b}[0m"),
            (Color::Ansi, _) => writeln!(self.text, "\u{1b}[33m{sign} {text}\u{1b}[0m"),
        };
    }
}

/// Returns what identifies a part: `a`, `a → b`, `a → b (yes)`.
fn identity(part: &Value, keys: &[&str]) -> String {
    let texts: Vec<String> = keys.iter().filter_map(|key| part.get(*key)).map(word).collect();
    match texts.as_slice() {
        [from, to, label] => format!("{from} → {to} ({label})"),
        texts => texts.join(" → "),
    }
}

/// Returns the members of a new part that do not identify it.
fn contents(part: &Value, keys: &[&str]) -> String {
    let members = part.as_object().into_iter().flatten();
    let members = members.filter(|(name, _)| !keys.contains(&name.as_str()));
    let members: Vec<String> =
        members.map(|(name, value)| format!("{name} {}", shown(value))).collect();
    if members.is_empty() { String::new() } else { format!(": {}", members.join(", ")) }
}

fn word(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned)
}

fn shown(value: &Value) -> String {
    visible(&value.to_string(), VALUE_CHARS)
}

#[cfg(test)]
mod tests {
    use llmend::{plan::Document, review_plan};

    use super::{Color, changes};

    fn read(text: &str) -> Document {
        review_plan(text).expect("it reads").reviewed.value
    }

    #[test]
    fn parts_are_compared_by_what_identifies_them() {
        let before = read(
            r#"{"nodes": [{"id": "a", "type": "tool", "tool": "t"}, {"id": "b", "type": "tool", "tool": "t"}],
                "edges": [{"from": "a", "to": "b"}]}"#,
        );
        let after = read(
            r#"{"nodes": [{"id": "a", "type": "tool", "tool": "u"}, {"id": "c", "type": "tool", "tool": "t"}],
                "edges": [{"from": "a", "to": "c"}]}"#,
        );
        let found = changes(Some(&before), &after, Color::Plain);
        for expected in [
            "- node b\n",
            "+ node c: ",
            "~ node a: tool: \"t\" → \"u\"\n",
            "- edge a → b\n",
            "+ edge a → c\n",
        ] {
            assert!(found.contains(expected), "{expected}: {found}");
        }
        assert_eq!(changes(Some(&after), &after, Color::Plain), "");
        let all = changes(None, &after, Color::Plain);
        assert!(all.contains("+ node a: ") && !all.contains("- "), "{all}");
        let colored = changes(Some(&before), &after, Color::Ansi);
        assert!(colored.contains("\u{1b}[31m- node b\u{1b}[0m"), "{colored}");
    }

    #[test]
    fn plans_have_steps_and_a_hostile_id_controls_nothing() {
        let before = read(r#"{"objective": "One", "steps": [{"id": "a", "tool": "t"}]}"#);
        let after = read(
            r#"{"objective": "Two", "steps": [{"id": "a", "tool": "t"}, {"id": "b\u001b[2J", "tool": "t", "depends_on": ["a"]}]}"#,
        );
        let found = changes(Some(&before), &after, Color::Plain);
        assert!(found.contains("~ objective: \"One\" → \"Two\"\n"), "{found}");
        assert!(found.contains("+ step b\\u{1b}[2J: "), "{found}");
        assert!(found.contains("depends_on [\"a\"]"), "{found}");
    }
}
