//! What does an object hold under the names that a dialect knows?
//!
//! A problem is recorded and never stops the reading, so that all of them are found at once.

use llmend_json::{Carried, Diagnostic, Kind, Lost, Node, Severity, Span, nearest, preview};

use crate::{Map, code};

/// Characters of a name that a message shows.
const SHOWN_CHARS: usize = 100;

/// Whether a field must be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presence {
    /// It must be there.
    Required,
    /// It may be absent; null is of the wrong type.
    Optional,
    /// It may be absent, and null means that it is.
    Nullable,
}

/// What was found so far.
#[derive(Debug, Default)]
pub(crate) struct Findings(Vec<Diagnostic>);

impl Findings {
    pub(crate) fn push(&mut self, row: Diagnostic) {
        self.0.push(row);
    }

    /// All findings in the order of the text, and whether there is an error among them.
    pub(crate) fn finish(mut self) -> (Vec<Diagnostic>, bool) {
        self.0.sort_by_key(|row| row.span.map(|span| span.start));
        let failed = self.0.iter().any(|row| row.severity == Severity::Error);
        (self.0, failed)
    }

    fn wrong_type(&mut self, path: &str, node: Node<'_>, expected: &str) {
        let message = match path {
            "" => format!("the plan is to be {expected}, not {}", a(node.kind())),
            path => format!("`{}` is to be {expected}, not {}", shown(path), a(node.kind())),
        };
        self.push(
            Diagnostic::new(code::WRONG_TYPE, Severity::Error, message).at(node.span()).on(path),
        );
    }
}

/// A kind of value with its article.
fn a(kind: Kind) -> String {
    match kind {
        Kind::Null => "null".to_owned(),
        Kind::Array | Kind::Object => format!("an {}", kind.as_str()),
        _ => format!("a {}", kind.as_str()),
    }
}

fn shown(text: &str) -> &str {
    preview(text, SHOWN_CHARS)
}

/// The JSON Pointer of `token` below `path`.
fn below(path: &str, token: &str) -> String {
    format!("{path}/{}", token.replace('~', "~0").replace('/', "~1"))
}

/// A member whose name the dialect does not know.
pub(crate) struct Unknown<'v> {
    pub(crate) name: &'v str,
    pub(crate) value: Node<'v>,
    pub(crate) path: String,
    /// Of its name.
    pub(crate) span: Span,
    /// The absent field that its name is a slip of.
    pub(crate) meant: Option<&'static str>,
}

impl Unknown<'_> {
    /// The finding about it.
    pub(crate) fn finding(&self, severity: Severity, fate: &str) -> Diagnostic {
        let message = format!("`{}` is no field that is known here{fate}", shown(self.name));
        let row = Diagnostic::new(code::UNKNOWN_FIELD, severity, message)
            .at(self.span)
            .on(self.path.as_str());
        match self.meant {
            Some(name) => row.help(format!("did you mean `{name}`?")),
            None => row,
        }
    }
}

/// An object that is being read.
#[derive(Clone)]
pub(crate) struct Object<'v> {
    node: Node<'v>,
    path: String,
}

impl<'v> Object<'v> {
    /// The object at `path`, if it is one.
    pub(crate) fn new(node: Node<'v>, path: String, findings: &mut Findings) -> Option<Self> {
        if node.kind() == Kind::Object {
            return Some(Self { node, path });
        }
        findings.wrong_type(&path, node, "an object");
        None
    }

    pub(crate) fn span(&self) -> Span {
        self.node.span()
    }

    /// JSON Pointer of the member `name`.
    pub(crate) fn path_of(&self, name: &str) -> String {
        below(&self.path, name)
    }

    fn field(
        &self,
        name: &'static str,
        presence: Presence,
        findings: &mut Findings,
    ) -> Option<Node<'v>> {
        match self.node.get(name) {
            Some(node) if presence == Presence::Nullable && node.is_null() => None,
            None if presence == Presence::Required => {
                let owner = match self.path.as_str() {
                    "" => "the plan".to_owned(),
                    path => format!("`{path}`"),
                };
                let message = format!("{owner} has no `{name}`");
                findings.push(
                    Diagnostic::new(code::MISSING_FIELD, Severity::Error, message)
                        .at(self.node.span())
                        .on(self.path_of(name)),
                );
                None
            }
            node => node,
        }
    }

    /// The text under `name`.
    pub(crate) fn text(
        &self,
        name: &'static str,
        presence: Presence,
        findings: &mut Findings,
    ) -> Option<String> {
        let node = self.field(name, presence, findings)?;
        if node.str().is_none() {
            findings.wrong_type(&self.path_of(name), node, "a string");
        }
        node.str().map(str::to_owned)
    }

    /// The items under `name`, each with its JSON Pointer.
    pub(crate) fn items(
        &self,
        name: &'static str,
        presence: Presence,
        expected: &str,
        findings: &mut Findings,
    ) -> Option<impl Iterator<Item = (String, Node<'v>)> + use<'v>> {
        let node = self.field(name, presence, findings)?;
        let path = self.path_of(name);
        if node.kind() != Kind::Array {
            findings.wrong_type(&path, node, expected);
            return None;
        }
        Some(node.items().enumerate().map(move |(at, item)| (below(&path, &at.to_string()), item)))
    }

    /// The texts under `name`.
    pub(crate) fn texts(
        &self,
        name: &'static str,
        presence: Presence,
        findings: &mut Findings,
    ) -> Vec<String> {
        let mut texts = Vec::new();
        for (path, item) in
            self.items(name, presence, "an array of strings", findings).into_iter().flatten()
        {
            match item.str() {
                Some(text) => texts.push(text.to_owned()),
                None => findings.wrong_type(&path, item, "a string"),
            }
        }
        texts
    }

    /// The members under `name`.
    pub(crate) fn map(
        &self,
        name: &'static str,
        presence: Presence,
        findings: &mut Findings,
    ) -> Map {
        let Some(node) = self.field(name, presence, findings) else { return Map::new() };
        let path = self.path_of(name);
        let carried = (node.kind() == Kind::Object).then(|| carried(node, &path, findings));
        if let Some(serde_json::Value::Object(map)) = carried {
            return map;
        }
        findings.wrong_type(&path, node, "an object");
        Map::new()
    }

    /// The members whose names are not among `known`.
    pub(crate) fn unknown(&self, known: &'static [&'static str]) -> Vec<Unknown<'v>> {
        let mut absent: Vec<&'static str> = known.to_vec();
        let mut unknown = Vec::new();
        for (key, value) in self.node.members() {
            let name = key.str().unwrap_or_default();
            absent.retain(|field| *field != name);
            if !known.contains(&name) {
                unknown.push(Unknown {
                    name,
                    value,
                    path: self.path_of(name),
                    span: key.span(),
                    meant: None,
                });
            }
        }
        for member in &mut unknown {
            member.meant = nearest(member.name, absent.iter().copied());
        }
        unknown
    }
}

/// The value as the plan carries it; what it cannot carry is a finding.
pub(crate) fn carried(node: Node<'_>, path: &str, findings: &mut Findings) -> serde_json::Value {
    let converted = node.to_serde();
    for lost in &converted.lost {
        findings.push(not_carried(lost).at(lost.span).on(format!("{path}{}", lost.path)));
    }
    if converted.unlisted > 0 {
        let message =
            format!("{} more things are not carried as they were written", converted.unlisted);
        findings.push(
            Diagnostic::new(code::NOT_CARRIED, Severity::Warning, message).at(node.span()).on(path),
        );
    }
    converted.value
}

fn not_carried(lost: &Lost) -> Diagnostic {
    let (severity, message) = match lost.what {
        Carried::Order => (Severity::Info, "the keys of this object are sorted in the plan"),
        Carried::NumberText => {
            (Severity::Warning, "this number is carried as the nearest 64-bit number")
        }
        Carried::DuplicateKey => {
            (Severity::Warning, "this key stands twice, and its last value is carried")
        }
        _ => (Severity::Error, "this is nested too deep to be carried in a plan"),
    };
    Diagnostic::new(code::NOT_CARRIED, severity, message)
}
