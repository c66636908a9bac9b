//! Edits of JSON text that keep every other byte.

use std::borrow::Cow;

use llmend::json::{Error, Node, Options, Policy, Rule, Span, Value, parse_with};

/// Parses JSON strictly.
pub(crate) fn exact(text: &str, depth: usize) -> Result<Value<'_>, Error> {
    read(text, depth, &[])
}

/// Parses what programs write around a model's words: strictly, but for what programs are known to
/// write and to read. Half of a surrogate pair reads as U+FFFD and `NaN` or `-Infinity` as null.
/// Neither is changed in the text.
pub(crate) fn strict(text: &str, depth: usize) -> Result<Value<'_>, Error> {
    read(text, depth, &LET_BE)
}

/// The rules that [`strict`] allows.
const LET_BE: [Rule; 2] = [Rule::LoneSurrogate, Rule::NotANumber];

/// Whether a text that [`strict`] accepts contains half of a surrogate pair.
pub(crate) fn has_half(text: &str, depth: usize) -> bool {
    escapes_a_surrogate(text)
        && read(text, depth, &[Rule::NotANumber]).is_err()
        && strict(text, depth).is_ok()
}

/// Whether the text contains what looks like the escape of a surrogate, including whole pairs.
fn escapes_a_surrogate(text: &str) -> bool {
    let text = text.as_bytes();
    let is_one = |at: usize| matches!(text.get(at + 1..at + 3), Some([b'u', b'd' | b'D']));
    memchr::memchr_iter(b'\\', text).any(is_one)
}

fn read<'t>(text: &'t str, depth: usize, rules: &[Rule]) -> Result<Value<'t>, Error> {
    let mut options = Options::policy(Policy::Strict);
    (options.max_depth, options.max_bytes) = (depth, usize::MAX);
    options.rules = rules.iter().fold(options.rules, |known, rule| known.with(*rule));
    parse_with(text, &options).map(|parsed| parsed.value)
}

/// Splits off a byte order mark. Returns the text and the mark.
pub(crate) fn without_mark(text: &str) -> (&str, &str) {
    let end = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let (mark, rest) = text.split_at(end);
    (rest, mark)
}

/// Writes a JSON string.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Writes an object of `text` with other values for some of its members.
pub(crate) fn with(text: &str, object: Node<'_>, values: &[(&str, &str)]) -> String {
    let members = object.members().map(|(key, value)| {
        let other = values.iter().find(|(known, _)| key.str() == Some(known));
        let value = other.map_or_else(|| value.span().of(text), |(_, other)| other);
        format!("{}:{value}", key.span().of(text))
    });
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}

/// Writes an object of `text` without some of its members, and with other ones, new ones last.
pub(crate) fn changed(
    text: &str,
    object: Node<'_>,
    without: &[&str],
    with: &[(&str, String)],
) -> String {
    let other = |name: &str| with.iter().find(|(known, _)| *known == name).map(|(_, json)| json);
    let kept = object.members().filter_map(|(key, value)| {
        let name = key.str().unwrap_or_default();
        let known = || value.span().of(text);
        (!without.contains(&name)).then(|| {
            format!("{}:{}", key.span().of(text), other(name).map_or_else(known, String::as_str))
        })
    });
    let new = with.iter().filter(|(name, _)| without.contains(name) || object.get(name).is_none());
    let new = new.map(|(name, json)| format!("{}:{json}", quoted(name)));
    format!("{{{}}}", kept.chain(new).collect::<Vec<_>>().join(","))
}

/// Returns a member that is a string.
pub(crate) fn text<'v>(node: Node<'v>, key: &str) -> Option<&'v str> {
    node.get(key)?.str()
}

/// Edits of a text that are applied together. No two of them overlap.
#[derive(Debug)]
pub(crate) struct Splice<'t> {
    text: &'t str,
    edits: Vec<(Span, String)>,
}

impl<'t> Splice<'t> {
    pub(crate) const fn new(text: &'t str) -> Self {
        Self { text, edits: Vec::new() }
    }

    /// Replaces a value with `json`.
    pub(crate) fn replace(&mut self, part: Node<'_>, json: impl Into<String>) {
        self.edits.push((part.span(), json.into()));
    }

    /// Appends an item to an array.
    pub(crate) fn append(&mut self, array: Node<'_>, json: String) {
        let at = array.span().end.saturating_sub(1);
        let json = if array.is_empty() { json } else { format!(",{json}") };
        self.edits.push((Span::new(at, at), json));
    }

    /// Removes members from an object, and adds or replaces others. Call it once for each object.
    pub(crate) fn members(&mut self, object: Node<'_>, without: &[&str], with: &[(&str, String)]) {
        let mut added = Vec::new();
        for (key, json) in with {
            match object.get(key).filter(|_| !without.contains(key)) {
                Some(known) => self.replace(known, json.as_str()),
                None => added.push(format!("{}:{json}", quoted(key))),
            }
        }
        // The end of what is kept. A removed member takes the comma before it along.
        let mut kept_end = None;
        // The first member that is removed before any is kept. It takes the comma behind it along.
        let mut leading = None;
        let mut last_end = object.span().start + 1;
        for (key, value) in object.members() {
            let start = key.span().start;
            let end = value.span().end;
            let is_out = key.str().is_some_and(|key| without.contains(&key));
            match (is_out, kept_end) {
                (true, Some(kept)) => {
                    self.remove(last_end.max(kept), end);
                }
                (true, None) => {
                    leading.get_or_insert(start);
                }
                (false, _) => {
                    if let Some(first) = leading.take() {
                        self.remove(first, start);
                    }
                    kept_end = Some(end);
                }
            }
            last_end = end;
        }
        if let Some(first) = leading {
            self.remove(first, last_end);
        }
        if !added.is_empty() {
            let comma = if kept_end.is_some() { "," } else { "" };
            let at = object.span().start + 1;
            self.edits.push((Span::new(at, at), added.join(",") + comma));
        }
    }

    fn remove(&mut self, start: usize, end: usize) {
        self.edits.push((Span::new(start, end), String::new()));
    }

    /// Applies all edits, if there are any.
    pub(crate) fn changed(self) -> Option<String> {
        (!self.edits.is_empty()).then(|| self.finish().into_owned())
    }

    /// Applies all edits.
    pub(crate) fn finish(mut self) -> Cow<'t, str> {
        if self.edits.is_empty() {
            return self.text.into();
        }
        // The sort is stable, so insertions at one place keep their order.
        self.edits.sort_by_key(|(span, _)| span.start);
        let mut out = String::with_capacity(self.text.len());
        let mut at = 0;
        for (span, json) in &self.edits {
            out.push_str(Span::new(at, span.start.max(at)).of(self.text));
            out.push_str(json);
            at = span.end.max(at);
        }
        out.push_str(self.text.get(at..).unwrap_or_default());
        out.into()
    }
}

#[cfg(test)]
mod tests {
    use super::{Splice, changed, exact, has_half, strict, with};

    fn edited(text: &str, without: &[&str], with: &[(&str, &str)]) -> String {
        let value = strict(text, 9).unwrap();
        let mut splice = Splice::new(text);
        let with: Vec<_> = with.iter().map(|(key, json)| (*key, (*json).to_owned())).collect();
        splice.members(value.root(), without, &with);
        let out = splice.finish().into_owned();
        strict(&out, 9).unwrap_or_else(|error| panic!("{text} became {out}: {error}"));
        out
    }

    #[test]
    fn strict_reading_accepts_json_only() {
        // (text, whether a reader that lets nothing be reads it, whether half of a pair is in it)
        let rows = [
            (r#"{"a":1}"#, true, false),
            (r#"{"a":"\ud83d\ude00 NaN"}"#, true, false),
            (r#"{"a":"\\ud83d"}"#, true, false),
            (r#"{"a":-Infinity,"b":[NaN]}"#, false, false),
            (r#"{"a":"x \ud83d"}"#, false, true),
            (r#"["\uDE00",Infinity]"#, false, true),
        ];
        for (text, is_exact, half) in rows {
            assert!(strict(text, 9).is_ok(), "{text}");
            assert_eq!(exact(text, 9).is_ok(), is_exact, "{text}");
            assert_eq!(has_half(text, 9), half, "{text}");
        }
        for text in ["{'a':1}", "{\"a\":1,}", "{\"a\":nope}", "{\"a\":\"\\ud83d\"", "", "[1] x"] {
            assert!(strict(text, 9).is_err(), "{text}");
        }
    }

    #[test]
    fn members_are_removed_with_one_comma_each() {
        let rows: [(&str, &[&str], &str); 10] = [
            (r#"{"a":1,"b":2,"c":3}"#, &["a"], r#"{"b":2,"c":3}"#),
            (r#"{"a":1,"b":2,"c":3}"#, &["b"], r#"{"a":1,"c":3}"#),
            (r#"{"a":1,"b":2,"c":3}"#, &["c"], r#"{"a":1,"b":2}"#),
            (r#"{"a":1,"b":2,"c":3}"#, &["a", "b"], r#"{"c":3}"#),
            (r#"{"a":1,"b":2,"c":3}"#, &["b", "c"], r#"{"a":1}"#),
            (r#"{"a":1,"b":2,"c":3}"#, &["a", "c"], r#"{"b":2}"#),
            (r#"{"a":1,"b":2}"#, &["a", "b"], "{}"),
            (r#"{ "a" : 1 , "a" : 2 , "b" : 3 }"#, &["a"], r#"{ "b" : 3 }"#),
            ("{}", &["a"], "{}"),
            (r#"{"a":1}"#, &["b"], r#"{"a":1}"#),
        ];
        for (text, without, expected) in rows {
            assert_eq!(edited(text, without, &[]), expected, "{text} without {without:?}");
        }
    }

    #[test]
    fn members_are_added_with_one_comma_each() {
        let with = [("x", "7"), ("y", "[8]")];
        assert_eq!(edited("{}", &[], &with), r#"{"x":7,"y":[8]}"#);
        assert_eq!(edited(r#"{"a":1}"#, &[], &with), r#"{"x":7,"y":[8],"a":1}"#);
        assert_eq!(edited(r#"{"a":1}"#, &["a"], &with), r#"{"x":7,"y":[8]}"#);
        assert_eq!(edited(r#"{"a":1,"b":2}"#, &["b"], &with), r#"{"x":7,"y":[8],"a":1}"#);
        assert_eq!(edited(r#"{"a":1,"x":2}"#, &["a"], &with), r#"{"y":[8],"x":7}"#);
        assert_eq!(edited(r#"{"x":1,"x":2}"#, &["x"], &with), r#"{"x":7,"y":[8]}"#);
    }

    #[test]
    fn present_members_get_their_new_values() {
        let text = r#" [{"a": 1.50, "b" : "\u0041", "c": [1, 2]}]"#;
        let value = strict(text, 9).unwrap();
        let object = value.root().item(0).unwrap();
        let rows = [
            (&[("b", "null"), ("d", "7")][..], r#"{"a":1.50,"b":null,"c":[1, 2]}"#),
            (&[], r#"{"a":1.50,"b":"\u0041","c":[1, 2]}"#),
        ];
        for (values, expected) in rows {
            assert_eq!(with(text, object, values), expected);
        }
    }

    /// The members that are removed, those that are set, and the object.
    type ChangedRow =
        (&'static [&'static str], &'static [(&'static str, &'static str)], &'static str);

    #[test]
    fn an_object_is_written_with_other_members() {
        let text = r#"{"a": 1.50, "b" : [1, 2], "c": "x"}"#;
        let value = strict(text, 9).unwrap();
        let rows: [ChangedRow; 4] = [
            (&[], &[], r#"{"a":1.50,"b":[1, 2],"c":"x"}"#),
            (&["a", "c"], &[], r#"{"b":[1, 2]}"#),
            (&["a"], &[("c", "2"), ("d", "3")], r#"{"b":[1, 2],"c":2,"d":3}"#),
            (&["a"], &[("a", "2")], r#"{"b":[1, 2],"c":"x","a":2}"#),
        ];
        for (without, with, expected) in rows {
            let with: Vec<_> = with.iter().map(|(key, json)| (*key, (*json).to_owned())).collect();
            assert_eq!(changed(text, value.root(), without, &with), expected);
        }
    }

    #[test]
    fn everything_else_is_unchanged() {
        let text = "{ \"n\" : 1.50,\n \"s\": \"\\u0041\", \"o\": {\"p\": 1} }";
        let value = strict(text, 9).unwrap();
        let mut splice = Splice::new(text);
        let inner = value.root().get("o").unwrap();
        splice.replace(inner.get("p").unwrap(), "22");
        splice.members(value.root(), &["s"], &[]);
        assert_eq!(splice.finish(), "{ \"n\" : 1.50, \"o\": {\"p\": 22} }");
        assert_eq!(Splice::new(text).finish(), text);
    }
}
