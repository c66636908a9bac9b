//! Resolution of references.

use std::collections::HashMap;

use serde_json::Value as Json;

use crate::compile::keywords::is_data;
use crate::pointer::join;

/// The named parts of a schema.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// Pointers of resources, by URI without a fragment.
    resources: HashMap<String, String>,
    /// Pointers of anchors, by URI and name.
    anchors: HashMap<(String, String), String>,
    /// Pointers of dynamic anchors, by name.
    dynamic: HashMap<String, Vec<String>>,
    /// URIs of resources, by pointer.
    bases: HashMap<String, String>,
}

impl Names {
    /// Collects the names in a schema, without recursion.
    pub(crate) fn of(schema: &Json) -> Self {
        let mut names = Self::default();
        names.resources.insert(String::new(), String::new());
        let mut open = vec![(schema, String::new(), String::new())];
        while let Some((part, pointer, mut base)) = open.pop() {
            match part {
                Json::Object(map) => {
                    let text = |key: &str| map.get(key).and_then(Json::as_str);
                    if let Some(id) = text("$id").or_else(|| text("id")) {
                        names.identify(id, &pointer, &mut base);
                    }
                    if let Some(anchor) = text("$anchor") {
                        let key = (base.clone(), anchor.to_owned());
                        names.anchors.insert(key, pointer.clone());
                    }
                    if let Some(anchor) = text("$dynamicAnchor") {
                        let key = (base.clone(), anchor.to_owned());
                        names.anchors.insert(key, pointer.clone());
                        names.dynamic.entry(anchor.to_owned()).or_default().push(pointer.clone());
                    }
                    for (key, value) in map {
                        let nested = value.is_object() || value.is_array();
                        if nested && !is_data(key) {
                            open.push((value, join(&pointer, key), base.clone()));
                        }
                    }
                }
                Json::Array(items) => {
                    for (at, item) in items.iter().enumerate() {
                        open.push((item, join(&pointer, &at.to_string()), base.clone()));
                    }
                }
                _ => {}
            }
        }
        names
    }

    fn identify(&mut self, id: &str, pointer: &str, base: &mut String) {
        let (uri, fragment) = id.split_once('#').unwrap_or((id, ""));
        if uri.is_empty() {
            // Before draft 2019-09, an identifier of only a fragment was an anchor.
            if !fragment.is_empty() {
                self.anchors.insert((base.clone(), fragment.to_owned()), pointer.to_owned());
            }
            return;
        }
        *base = resolve(base, uri);
        self.resources.insert(base.clone(), pointer.to_owned());
        self.bases.insert(pointer.to_owned(), base.clone());
    }

    /// Resolves a reference at `from` to a pointer; `None` if the target is not in this schema.
    pub(crate) fn find(&self, reference: &str, from: &str) -> Option<String> {
        let base = self.base(from);
        let (uri, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let uri = if uri.is_empty() { base.to_owned() } else { resolve(base, uri) };
        let root = self.resources.get(&uri)?;
        let fragment = percent_decoded(fragment);
        if fragment.is_empty() || fragment.starts_with('/') {
            return Some(format!("{root}{fragment}"));
        }
        self.anchors.get(&(uri, fragment)).cloned()
    }

    /// Resolves a dynamic reference, if it is unambiguous.
    pub(crate) fn find_dynamic(&self, reference: &str, from: &str) -> Option<String> {
        let name = reference.rsplit('#').next().unwrap_or_default();
        match self.dynamic.get(name).map(Vec::as_slice) {
            None | Some([]) => self.find(reference, from),
            Some([only]) => Some(only.clone()),
            Some(_) => None,
        }
    }

    /// Returns the base URI of the part at `pointer`.
    fn base(&self, pointer: &str) -> &str {
        let mut at = pointer;
        loop {
            if let Some(base) = self.bases.get(at) {
                return base;
            }
            let Some((above, _)) = at.rsplit_once('/') else { return "" };
            at = above;
        }
    }
}

/// Resolves a URI against `base`. Handles absolute URIs and paths only.
fn resolve(base: &str, uri: &str) -> String {
    let scheme = uri.split_once(':').map_or("", |(scheme, _)| scheme);
    let is_scheme = !scheme.is_empty()
        && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'));
    if is_scheme || base.is_empty() {
        return uri.to_owned();
    }
    let host_end = base.find("://").map_or(0, |at| {
        let from = at + 3;
        base.get(from..).and_then(|rest| rest.find('/')).map_or(base.len(), |slash| from + slash)
    });
    let (host, path) = base.split_at(host_end);
    if uri.starts_with('/') {
        return format!("{host}{uri}");
    }
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    format!("{host}{folder}/{}", uri.strip_prefix("./").unwrap_or(uri))
}

/// Returns a text with its percent escapes replaced.
pub(crate) fn percent_decoded(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let hex = after.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        let byte = hex.filter(|_| first == b'%').and_then(|two| u8::from_str_radix(two, 16).ok());
        bytes.push(byte.unwrap_or(first));
        rest = if byte.is_some() { after.get(2..).unwrap_or_default() } else { after };
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Names;

    #[test]
    fn references_are_followed() {
        let schema = json!({
            "$id": "https://example.com/root.json",
            "$defs": {
                "a/b": {"$anchor": "named"},
                "other": {
                    "$id": "nested/other.json",
                    "$defs": {"leaf": {}},
                    "$dynamicAnchor": "node"
                },
                "old": {"id": "#legacy"},
                "data": {"const": {"$anchor": "none"}}
            }
        });
        let names = Names::of(&schema);
        for (reference, from, expected) in [
            ("#", "/properties/x", Some("")),
            ("#/$defs/old", "", Some("/$defs/old")),
            ("#/$defs/a~1b", "", Some("/$defs/a~1b")),
            ("#/$defs/a%7E1b", "", Some("/$defs/a~1b")),
            ("#named", "", Some("/$defs/a~1b")),
            ("#legacy", "", Some("/$defs/old")),
            ("#none", "", None),
            ("nested/other.json", "", Some("/$defs/other")),
            (
                "https://example.com/nested/other.json#/$defs/leaf",
                "",
                Some("/$defs/other/$defs/leaf"),
            ),
            ("#/$defs/leaf", "/$defs/other/properties/x", Some("/$defs/other/$defs/leaf")),
            ("/root.json#named", "/$defs/other", Some("/$defs/a~1b")),
            ("../root.json", "", None),
            ("https://elsewhere.com/x.json", "", None),
        ] {
            assert_eq!(names.find(reference, from).as_deref(), expected, "{reference} from {from}");
        }
        assert_eq!(names.find_dynamic("#node", "").as_deref(), Some("/$defs/other"));
    }
}
