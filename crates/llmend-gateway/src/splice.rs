//! How is a JSON text changed in a few places, with all else byte for byte as it was?

use std::borrow::Cow;

use llmend::json::{Error, Node, Options, Policy, Span, Value, parse_with};

/// Reads a JSON text that a program wrote, and so strictly.
pub(crate) fn strict(text: &str, depth: usize) -> Result<Value<'_>, Error> {
    let mut options = Options::policy(Policy::Strict);
    (options.max_depth, options.max_bytes) = (depth, usize::MAX);
    parse_with(text, &options).map(|parsed| parsed.value)
}

/// A text as a JSON string.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A member that is text.
pub(crate) fn text<'v>(node: Node<'v>, key: &str) -> Option<&'v str> {
    node.get(key)?.str()
}

/// Edits of a text, made all at once. No two of them overlap.
#[derive(Debug)]
pub(crate) struct Splice<'t> {
    text: &'t str,
    edits: Vec<(Span, String)>,
}

impl<'t> Splice<'t> {
    pub(crate) const fn new(text: &'t str) -> Self {
        Self { text, edits: Vec::new() }
    }

    /// Puts `json` in the place of a part.
    pub(crate) fn replace(&mut self, part: Node<'_>, json: impl Into<String>) {
        self.edits.push((part.span(), json.into()));
    }

    /// Puts an item at the end of an array.
    pub(crate) fn append(&mut self, array: Node<'_>, json: String) {
        let at = array.span().end.saturating_sub(1);
        let json = if array.is_empty() { json } else { format!(",{json}") };
        self.edits.push((Span::new(at, at), json));
    }

    /// Takes members out of an object, and puts others in. Once for each object.
    pub(crate) fn members(&mut self, object: Node<'_>, without: &[&str], with: &[(&str, String)]) {
        // What is kept ends here: what is left out goes with the comma before it.
        let mut kept_end = None;
        // The first of the members that are left out before any is kept: they go with the comma behind.
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
        let added: Vec<String> =
            with.iter().map(|(key, json)| format!("{}:{json}", quoted(key))).collect();
        if !added.is_empty() {
            let comma = if kept_end.is_some() { "," } else { "" };
            let at = object.span().start + 1;
            self.edits.push((Span::new(at, at), added.join(",") + comma));
        }
    }

    fn remove(&mut self, start: usize, end: usize) {
        self.edits.push((Span::new(start, end), String::new()));
    }

    /// The text with all edits made.
    pub(crate) fn finish(mut self) -> Cow<'t, str> {
        if self.edits.is_empty() {
            return self.text.into();
        }
        // Stable: what is put in at one place keeps its order.
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
    use super::{Splice, strict};

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
    fn members_go_with_one_comma_each() {
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
    fn members_come_with_one_comma_each() {
        let with = [("x", "7"), ("y", "[8]")];
        assert_eq!(edited("{}", &[], &with), r#"{"x":7,"y":[8]}"#);
        assert_eq!(edited(r#"{"a":1}"#, &[], &with), r#"{"x":7,"y":[8],"a":1}"#);
        assert_eq!(edited(r#"{"a":1}"#, &["a"], &with), r#"{"x":7,"y":[8]}"#);
        assert_eq!(edited(r#"{"a":1,"b":2}"#, &["b"], &with), r#"{"x":7,"y":[8],"a":1}"#);
    }

    #[test]
    fn all_else_stays_as_it_was() {
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
