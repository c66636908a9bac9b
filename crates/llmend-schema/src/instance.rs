//! How does the validator see a value?
//!
//! `jsonschema` validates any representation of JSON that says how it looks. So the flat tape is
//! validated as it stands, without a copy, and its numbers with all of their digits.

use std::borrow::Cow;
use std::collections::HashSet;

use jsonschema::JsonType;
use jsonschema::json::{Array, Json, JsonNumber, Node as Instance, NodeIdentity, Object};
use llmend_json::{Decimal, Items, Kind, Members, Node};
use serde_json::{Number, Value};

use crate::meter::Meter;

/// The representation: llmend's own value.
pub(crate) struct Tape;

/// A part of a value, or a scalar that is to take its place.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part<'v> {
    Node(Node<'v>),
    /// One of which it is counted what the validator looks at.
    Counted(Node<'v>, &'v Meter),
    Text(&'v str),
    Number(&'v str),
    Bool(bool),
    Null,
}

impl<'v> Part<'v> {
    pub(crate) fn kind(self) -> Kind {
        match self {
            Self::Node(node) | Self::Counted(node, _) => node.kind(),
            Self::Text(_) => Kind::String,
            Self::Number(_) => Kind::Number,
            Self::Bool(_) => Kind::Bool,
            Self::Null => Kind::Null,
        }
    }

    pub(crate) fn text(self) -> Option<&'v str> {
        match self {
            Self::Node(node) | Self::Counted(node, _) => node.str(),
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn digits(self) -> Option<&'v str> {
        match self {
            Self::Node(node) | Self::Counted(node, _) => node.number(),
            Self::Number(digits) => Some(digits),
            _ => None,
        }
    }

    pub(crate) fn bool(self) -> Option<bool> {
        match self {
            Self::Node(node) | Self::Counted(node, _) => node.bool(),
            Self::Bool(value) => Some(value),
            _ => None,
        }
    }

    pub(crate) fn node(self) -> Option<Node<'v>> {
        match self {
            Self::Node(node) | Self::Counted(node, _) => Some(node),
            _ => None,
        }
    }

    /// A list or an object of this kind; nothing once too much was looked at.
    fn opened(self, kind: Kind) -> Option<Opened<'v>> {
        let meter = match self {
            Self::Counted(_, meter) => Some(meter),
            _ => None,
        };
        let node = self.node().filter(|node| node.kind() == kind)?;
        Opened::may_go_on(meter).then_some(Opened { node, meter })
    }

    /// Whether it is the JSON value `expected`; numbers by what they mean.
    pub(crate) fn equals(self, expected: &Value) -> bool {
        match expected {
            Value::Null => self.kind() == Kind::Null,
            Value::Bool(value) => self.bool() == Some(*value),
            Value::String(text) => self.text() == Some(text),
            Value::Number(number) => self.digits().is_some_and(|digits| {
                Decimal::parse(digits) == Decimal::parse(&number.to_string())
            }),
            Value::Array(items) => self.node().is_some_and(|node| {
                node.kind() == Kind::Array
                    && node.len() == items.len()
                    && node.items().zip(items).all(|(ours, theirs)| Part::Node(ours).equals(theirs))
            }),
            Value::Object(map) => self.node().is_some_and(|node| {
                node.kind() == Kind::Object
                    && node.len() == map.len()
                    && node.members().all(|(key, value)| {
                        map.get(key.str().unwrap_or_default())
                            .is_some_and(|theirs| Part::Node(value).equals(theirs))
                    })
            }),
        }
    }
}

/// A text that two values share exactly if JSON Schema holds them for equal.
pub(crate) fn canonical(node: Node<'_>) -> String {
    let mut out = String::new();
    write_canonical(node, &mut out);
    out
}

/// Recurses as deep as the value, whose depth was checked.
fn write_canonical(node: Node<'_>, out: &mut String) {
    match node.kind() {
        Kind::Number => {
            let digits = node.number().unwrap_or_default();
            match Decimal::parse(digits) {
                Some(number) => out.push_str(&number.to_string()),
                None => out.push_str(digits),
            }
        }
        Kind::Array => {
            out.push('[');
            for item in node.items() {
                write_canonical(item, out);
                out.push(',');
            }
            out.push(']');
        }
        Kind::Object => {
            let mut members: Vec<_> =
                node.members().map(|(key, value)| (key.to_string(), value)).collect();
            members.sort_by(|a, b| a.0.cmp(&b.0));
            out.push('{');
            for (key, value) in members {
                out.push_str(&key);
                out.push(':');
                write_canonical(value, out);
                out.push(',');
            }
            out.push('}');
        }
        _ => out.push_str(&node.to_string()),
    }
}

impl Json for Tape {
    type Node<'a> = Part<'a>;
    type PreparedKey = String;
    type StringBuffer = ();

    // A lookup goes through the members, so one pass over them is as good as a lookup.
    const KEYS_PER_LOOKUP: usize = 1 << 20;

    fn prepare_key(key: &str) -> String {
        key.to_owned()
    }

    fn with_string_node<T>((): &mut (), string: &str, f: impl FnOnce(Part<'_>) -> T) -> T {
        f(Part::Text(string))
    }
}

impl<'v> Instance<'v, Tape> for Part<'v> {
    type Object = Opened<'v>;
    type Array = Opened<'v>;
    type Number = Digits<'v>;

    fn as_object(&self) -> Option<Opened<'v>> {
        self.opened(Kind::Object)
    }

    fn as_array(&self) -> Option<Opened<'v>> {
        self.opened(Kind::Array)
    }

    fn as_string(&self) -> Option<Cow<'v, str>> {
        self.text().map(Cow::Borrowed)
    }

    fn as_number(&self) -> Option<Digits<'v>> {
        self.digits().map(Digits)
    }

    fn as_boolean(&self) -> Option<bool> {
        self.bool()
    }

    fn is_null(&self) -> bool {
        self.kind() == Kind::Null
    }

    fn json_type(&self) -> JsonType {
        match self.kind() {
            Kind::Null => JsonType::Null,
            Kind::Bool => JsonType::Boolean,
            Kind::Number => JsonType::Number,
            Kind::String => JsonType::String,
            Kind::Array => JsonType::Array,
            Kind::Object => JsonType::Object,
        }
    }

    fn equals_value(&self, expected: &Value) -> bool {
        self.equals(expected)
    }

    // Asked for errors alone, and what an error is about is looked up by its path: a copy for each
    // would be quadratic. Comparisons, which would ask too, are our own.
    fn to_value(&self) -> Cow<'v, Value> {
        Cow::Owned(Value::Null)
    }

    fn identity(&self) -> Option<NodeIdentity> {
        let node = self.node()?;
        let tag = u32::try_from(node.index()).ok()?;
        Some(NodeIdentity::tagged(std::ptr::from_ref(node.value()).addr(), tag))
    }
}

/// A list or an object that the validator looks into.
pub(crate) struct Opened<'v> {
    node: Node<'v>,
    meter: Option<&'v Meter>,
}

impl<'v> Opened<'v> {
    fn may_go_on(meter: Option<&Meter>) -> bool {
        meter.is_none_or(Meter::count)
    }

    fn part(meter: Option<&'v Meter>, node: Node<'v>) -> Part<'v> {
        meter.map_or(Part::Node(node), |meter| Part::Counted(node, meter))
    }
}

impl<'v> Object<'v, Tape> for Opened<'v> {
    type Node = Part<'v>;
    type MemberName = &'v str;
    type MembersIter = Named<'v>;

    fn len(&self) -> usize {
        self.node.len()
    }

    fn get(&self, key: &String) -> Option<Part<'v>> {
        self.node.get(key).map(|node| Self::part(self.meter, node))
    }

    fn members(&self) -> Named<'v> {
        Named { members: self.node.members(), meter: self.meter }
    }
}

/// Members by name.
pub(crate) struct Named<'v> {
    members: Members<'v>,
    meter: Option<&'v Meter>,
}

impl<'v> Iterator for Named<'v> {
    type Item = (&'v str, Part<'v>);

    fn next(&mut self) -> Option<Self::Item> {
        let (key, value) = self.members.next().filter(|_| Opened::may_go_on(self.meter))?;
        Some((key.str().unwrap_or_default(), Opened::part(self.meter, value)))
    }
}

impl<'v> Array<'v, Tape> for Opened<'v> {
    type Node = Part<'v>;
    type ElementsIter = Elements<'v>;

    fn len(&self) -> usize {
        self.node.len()
    }

    fn elements(&self) -> Elements<'v> {
        Elements { items: self.node.items(), meter: self.meter }
    }

    fn is_unique(&self) -> bool {
        let mut seen = HashSet::new();
        self.node.items().all(|item| seen.insert(canonical(item)))
    }
}

/// Items in order.
pub(crate) struct Elements<'v> {
    items: Items<'v>,
    meter: Option<&'v Meter>,
}

impl<'v> Iterator for Elements<'v> {
    type Item = Part<'v>;

    fn next(&mut self) -> Option<Self::Item> {
        let item = self.items.next().filter(|_| Opened::may_go_on(self.meter))?;
        Some(Opened::part(self.meter, item))
    }
}

/// The digits of a number.
pub(crate) struct Digits<'v>(&'v str);

impl<'v> Digits<'v> {
    pub(crate) const fn new(digits: &'v str) -> Self {
        Self(digits)
    }
}

impl JsonNumber for Digits<'_> {
    fn as_u64(&self) -> Option<u64> {
        self.0.parse().ok()
    }

    fn as_i64(&self) -> Option<i64> {
        self.0.parse().ok()
    }

    fn as_f64(&self) -> Option<f64> {
        self.0.parse().ok()
    }

    fn as_str(&self) -> Cow<'_, str> {
        Cow::Borrowed(self.0)
    }

    fn to_number(&self) -> Cow<'_, Number> {
        let number = self
            .as_u64()
            .map(Number::from)
            .or_else(|| self.as_i64().map(Number::from))
            .or_else(|| Number::from_f64(self.as_f64()?));
        let endless = if self.0.starts_with('-') { f64::MIN } else { f64::MAX };
        Cow::Owned(number.or_else(|| Number::from_f64(endless)).unwrap_or_else(|| Number::from(0)))
    }

    fn is_integer(&self) -> bool {
        let plain = self.0.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
        plain || Decimal::parse(self.0).is_some_and(|number| number.is_integer())
    }

    fn is_written_as_integer(&self) -> bool {
        !self.0.contains(['.', 'e', 'E'])
    }
}
