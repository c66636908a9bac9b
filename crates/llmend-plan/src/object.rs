//! Objects with the fields of a dialect.

use llmend_json::{Diagnostic, Kind, Node, SerdeLoss, SerdeLossKind, Severity, Span, nearest};

use crate::{
    Map, Strictness, code,
    findings::{Findings, shown},
    locations::below,
};

/// Nesting levels of inputs whose locations are recorded; deeper values are reported at the innermost
/// recorded one.
const PLACED_LEVELS: usize = 8;

/// Maximum bytes of recorded paths below inputs: a constant, and some for each byte of their text. With
/// long keys, the paths could be many times as long as the text.
const PLACED_BYTES: usize = 4096;
const PLACED_RATIO: usize = 16;

/// The names of a field: the canonical one, then those accepted in lenient mode.
pub(crate) type Names = &'static [&'static str];

/// Whether a field is required.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presence {
    /// Required.
    Required,
    /// Optional; null has the wrong type.
    Optional,
    /// Optional; null counts as absent.
    Nullable,
}

/// A part of the model's value, with its paths in the value and in the canonical form.
#[derive(Clone)]
pub(crate) struct Part<'v> {
    pub(crate) node: Node<'v>,
    /// JSON Pointer in the model's value.
    pub(crate) path: String,
    /// JSON Pointer in the canonical item.
    pub(crate) canonical: String,
}

impl<'v> Part<'v> {
    /// Creates the part for a whole item.
    pub(crate) fn item(node: Node<'v>, path: String) -> Self {
        Self { node, path, canonical: String::new() }
    }

    pub(crate) fn span(&self) -> Span {
        self.node.span()
    }

    /// Records its location.
    pub(crate) fn noted(self, findings: &mut Findings) -> Self {
        findings.note(self.canonical.as_str(), &self.path, self.span());
        self
    }

    /// Returns the items of an array.
    pub(crate) fn items(&self) -> impl Iterator<Item = Self> + use<'v> {
        let (path, canonical) = (self.path.clone(), self.canonical.clone());
        self.node.items().enumerate().map(move |(at, node)| {
            let token = at.to_string();
            Self { node, path: below(&path, &token), canonical: below(&canonical, &token) }
        })
    }

    /// Returns the values of the members of an object.
    pub(crate) fn members(&self) -> impl Iterator<Item = Self> + use<'v> {
        let (path, canonical) = (self.path.clone(), self.canonical.clone());
        self.node.members().map(move |(key, node)| {
            let token = key.str().unwrap_or_default();
            Self { node, path: below(&path, token), canonical: below(&canonical, token) }
        })
    }

    /// Returns the string, or reports another type.
    pub(crate) fn text(&self, findings: &mut Findings) -> Option<String> {
        if self.node.str().is_none() {
            findings.wrong_type(&self.path, self.node, "string");
        }
        self.node.str().map(str::to_owned)
    }

    /// Returns the name: a string, or in lenient mode a number.
    pub(crate) fn name(&self, strictness: Strictness, findings: &mut Findings) -> Option<String> {
        match self.node.number().filter(|_| strictness == Strictness::Lenient) {
            Some(number) => Some(number.to_owned()),
            None => self.text(findings),
        }
    }

    /// Returns the non-negative integer, or reports another value.
    pub(crate) fn count<T: std::str::FromStr>(&self, findings: &mut Findings) -> Option<T> {
        let number = self.node.number().and_then(|digits| digits.parse().ok());
        if number.is_none() {
            findings.wrong_type(&self.path, self.node, "non-negative integer");
        }
        number
    }

    /// Records the locations of the part and of its descendants, within the limits.
    pub(crate) fn note_below(&self, findings: &mut Findings) {
        let mut left = PLACED_BYTES.saturating_add(self.span().len().saturating_mul(PLACED_RATIO));
        let mut open = vec![(self.clone(), 0)];
        while let Some((it, level)) = open.pop() {
            left = left.saturating_sub(it.path.len());
            let children = it.node.len().saturating_mul(it.path.len());
            if level < PLACED_LEVELS && children <= left {
                open.extend(it.items().chain(it.members()).map(|it| (it, level + 1)));
                it.note_order(findings);
            }
            it.noted(findings);
        }
    }

    /// Records the order of an object's keys, unless they are sorted as the plan's are.
    fn note_order(&self, findings: &mut Findings) {
        let keys: Vec<&str> = self.node.members().filter_map(|(key, _)| key.str()).collect();
        if !keys.is_sorted() {
            let keys = keys.into_iter().map(str::to_owned).collect();
            findings.locations.order.insert(self.canonical.clone(), keys);
        }
    }

    /// Returns the value as the plan represents it.
    pub(crate) fn carried(&self, findings: &mut Findings) -> serde_json::Value {
        self.note_below(findings);
        carried(self.node, &self.path, findings)
    }
}

/// A member with an unknown name.
pub(crate) struct Unknown<'v> {
    pub(crate) name: &'v str,
    pub(crate) value: Node<'v>,
    pub(crate) path: String,
    /// Span of its name.
    pub(crate) span: Span,
    /// The missing field whose name is similar.
    pub(crate) meant: Option<&'static str>,
}

impl Unknown<'_> {
    /// Returns the finding about it.
    pub(crate) fn finding(&self, severity: Severity, fate: &str) -> Diagnostic {
        let message = format!("unknown field `{}`{fate}", shown(self.name));
        let row = Diagnostic::new(code::UNKNOWN_FIELD, severity, message)
            .at(self.span)
            .on(self.path.as_str());
        match self.meant {
            Some(name) => row.help(format!("did you mean `{name}`?")),
            None => row,
        }
    }
}

/// An object to read fields from.
#[derive(Clone)]
pub(crate) struct Object<'v> {
    it: Part<'v>,
    pub(crate) strictness: Strictness,
}

impl<'v> Object<'v> {
    /// Returns the object, or reports another type.
    pub(crate) fn new(
        it: Part<'v>,
        strictness: Strictness,
        findings: &mut Findings,
    ) -> Option<Self> {
        if it.node.kind() == Kind::Object {
            return Some(Self { it: it.noted(findings), strictness });
        }
        findings.wrong_type(&it.path, it.node, "object");
        None
    }

    pub(crate) fn node(&self) -> Node<'v> {
        self.it.node
    }

    pub(crate) fn span(&self) -> Span {
        self.it.span()
    }

    pub(crate) fn path(&self) -> &str {
        &self.it.path
    }

    /// Returns the JSON Pointer of the member `name` in the model's value.
    pub(crate) fn path_of(&self, name: &str) -> String {
        below(&self.it.path, name)
    }

    /// Returns the member `name`, which goes below `canonical`.
    pub(crate) fn part(&self, name: &str, canonical: &str) -> Option<Part<'v>> {
        let node = self.it.node.get(name)?;
        Some(Part { node, path: self.path_of(name), canonical: below(canonical, name) })
    }

    /// Returns the member that holds the field; the canonical name takes precedence.
    pub(crate) fn find(&self, names: Names) -> Option<Part<'v>> {
        let known = if self.strictness == Strictness::Strict { 1 } else { names.len() };
        let (name, node) =
            names.iter().take(known).find_map(|name| Some((name, self.it.node.get(name)?)))?;
        let canonical = below(&self.it.canonical, names.first().unwrap_or(name));
        Some(Part { node, path: self.path_of(name), canonical })
    }

    /// Returns the same and records its location, or reports a missing field.
    pub(crate) fn field(
        &self,
        names: Names,
        presence: Presence,
        findings: &mut Findings,
    ) -> Option<Part<'v>> {
        match self.find(names) {
            Some(found) if presence == Presence::Nullable && found.node.is_null() => None,
            None if presence == Presence::Required => {
                let name = names.first().copied().unwrap_or_default();
                let message = match self.it.path.as_str() {
                    "" => format!("missing field `{name}`"),
                    path => format!("missing field `{name}` in `{path}`"),
                };
                findings.error(code::MISSING_FIELD, &self.path_of(name), self.span(), message);
                None
            }
            found => found.map(|found| found.noted(findings)),
        }
    }

    /// Returns the string in the field.
    pub(crate) fn text(
        &self,
        names: Names,
        presence: Presence,
        findings: &mut Findings,
    ) -> Option<String> {
        self.field(names, presence, findings)?.text(findings)
    }

    /// Returns the name in the field, which may be a number.
    pub(crate) fn name(
        &self,
        names: Names,
        presence: Presence,
        findings: &mut Findings,
    ) -> Option<String> {
        self.field(names, presence, findings)?.name(self.strictness, findings)
    }

    /// Returns the integer in the field.
    pub(crate) fn count<T: std::str::FromStr>(
        &self,
        names: Names,
        findings: &mut Findings,
    ) -> Option<T> {
        self.field(names, Presence::Nullable, findings)?.count(findings)
    }

    /// Returns the boolean in the field.
    pub(crate) fn bool(&self, names: Names, findings: &mut Findings) -> Option<bool> {
        let found = self.field(names, Presence::Nullable, findings)?;
        if found.node.bool().is_none() {
            findings.wrong_type(&found.path, found.node, "boolean");
        }
        found.node.bool()
    }

    /// Returns the array in the field.
    pub(crate) fn list(
        &self,
        names: Names,
        presence: Presence,
        expected: &str,
        findings: &mut Findings,
    ) -> Option<Part<'v>> {
        let found = self.field(names, presence, findings)?;
        if found.node.kind() == Kind::Array {
            return Some(found);
        }
        findings.wrong_type(&found.path, found.node, expected);
        None
    }

    /// Returns the strings in the field.
    pub(crate) fn texts(
        &self,
        names: Names,
        presence: Presence,
        findings: &mut Findings,
    ) -> Vec<String> {
        let list = self.list(names, presence, "array of strings", findings);
        let items = list.iter().flat_map(Part::items);
        items.filter_map(|item| item.noted(findings).text(findings)).collect()
    }

    /// Returns the members of the object in the field.
    pub(crate) fn map(&self, names: Names, presence: Presence, findings: &mut Findings) -> Map {
        let Some(found) = self.field(names, presence, findings) else { return Map::new() };
        let carried = (found.node.kind() == Kind::Object).then(|| found.carried(findings));
        if let Some(serde_json::Value::Object(map)) = carried {
            return map;
        }
        findings.wrong_type(&found.path, found.node, "object");
        Map::new()
    }

    /// Returns the members that no field is read from.
    pub(crate) fn unknown(&self, fields: &[Names]) -> Vec<Unknown<'v>> {
        let known = if self.strictness == Strictness::Strict { 1 } else { usize::MAX };
        let mut absent: Vec<&'static str> = Vec::new();
        let mut used: Vec<&'static str> = Vec::new();
        for names in fields {
            match names.iter().take(known).find(|name| self.it.node.get(name).is_some()) {
                Some(name) => used.push(name),
                None => absent.extend(names.first()),
            }
        }
        let members =
            self.it.node.members().map(|(key, value)| (key, key.str().unwrap_or_default(), value));
        let unknown =
            members.filter(|(_, name, _)| !used.contains(name)).map(|(key, name, value)| Unknown {
                name,
                value,
                path: self.path_of(name),
                span: key.span(),
                meant: nearest(name, absent.iter().copied()),
            });
        unknown.collect()
    }

    /// Reports the members that no field is read from as errors.
    pub(crate) fn forbid_unknown(&self, fields: &[Names], findings: &mut Findings) {
        for member in self.unknown(fields) {
            findings.push(member.finding(Severity::Error, ""));
        }
    }

    /// Returns the metadata of the object, with the members that no field is read from.
    pub(crate) fn metadata(&self, fields: &[Names], findings: &mut Findings) -> Map {
        let given = self.map(METADATA, Presence::Nullable, findings);
        if self.strictness == Strictness::Strict {
            self.forbid_unknown(&[fields, &[METADATA]].concat(), findings);
            return given;
        }
        let mut kept = Map::new();
        for member in self.unknown(&[fields, &[METADATA]].concat()) {
            if member.meant.is_some() {
                findings.push(member.finding(Severity::Error, ""));
            } else if given.contains_key(member.name) {
                findings.push(member.finding(Severity::Error, ", already present in the metadata"));
            } else {
                findings.push(member.finding(Severity::Warning, "; kept as metadata"));
                let canonical = below("/metadata", member.name);
                let it = Part { node: member.value, path: member.path.clone(), canonical };
                kept.insert(member.name.to_owned(), it.carried(findings));
            }
        }
        kept.extend(given);
        kept
    }
}

const METADATA: Names = &["metadata"];

/// Converts a value to the plan's representation, and reports what is not preserved.
pub(crate) fn carried(node: Node<'_>, path: &str, findings: &mut Findings) -> serde_json::Value {
    let converted = node.to_serde();
    // An object is the same in any order of its keys.
    for lost in converted.lost.iter().filter(|lost| lost.what != SerdeLossKind::Order) {
        findings.push(not_carried(lost).at(lost.span).on(format!("{path}{}", lost.path)));
    }
    if converted.unlisted > 0 {
        let message = format!("{} more values are not preserved as written", converted.unlisted);
        findings.push(
            Diagnostic::new(code::NOT_CARRIED, Severity::Error, message).at(node.span()).on(path),
        );
    }
    converted.value
}

fn not_carried(lost: &SerdeLoss) -> Diagnostic {
    let (severity, message) = match lost.what {
        // A rounded number may be a different id, and null is not a number.
        SerdeLossKind::Number => {
            (Severity::Error, "number does not fit in 64 bits; write it as a string")
        }
        SerdeLossKind::NumberText => {
            (Severity::Warning, "number is rounded to the nearest 64-bit number")
        }
        SerdeLossKind::DuplicateKey => (Severity::Warning, "duplicate key; its last value is used"),
        _ => (Severity::Error, "nested too deeply for a plan"),
    };
    Diagnostic::new(code::NOT_CARRIED, severity, message)
}
