//! Instances: values as the validator sees them.
//!
//! `jsonschema` validates any representation of JSON that implements its traits, so the flat value
//! is validated in place, with all digits of its numbers.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashSet;

use jsonschema::JsonType;
use jsonschema::json::{Array, Json, JsonNumber, Node as JsonNode, NodeIdentity, Object};
use llmend_json::{Decimal, Items, Kind, Members, Node};
use serde_json::{Number, Value};

use crate::work_budget::WorkBudget;

/// Marker for the representation by [`Value`](llmend_json::Value).
pub(crate) struct Tape;

/// A part of a value, or a scalar that may take its place.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Instance<'v> {
    Node(Node<'v>),
    /// A part whose visits by the validator are counted.
    Counted(Node<'v>, &'v WorkBudget),
    Text(&'v str),
    Number(&'v str),
    Bool(bool),
    Null,
}

impl<'v> Instance<'v> {
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

    /// Returns the container, if it is of this kind and the budget is not exhausted.
    fn opened(self, kind: Kind) -> Option<Opened<'v>> {
        let budget = match self {
            Self::Counted(_, budget) => Some(budget),
            _ => None,
        };
        let node = self.node().filter(|node| node.kind() == kind)?;
        let rest = RefCell::new(node.members());
        Opened::may_go_on(budget).then_some(Opened { node, budget, rest })
    }

    /// Returns whether the instance equals `expected`; numbers are compared by value.
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
                    && node
                        .items()
                        .zip(items)
                        .all(|(ours, theirs)| Instance::Node(ours).equals(theirs))
            }),
            Value::Object(map) => self.node().is_some_and(|node| {
                node.kind() == Kind::Object
                    && node.len() == map.len()
                    && node.members().all(|(key, value)| {
                        map.get(key.str().unwrap_or_default())
                            .is_some_and(|theirs| Instance::Node(value).equals(theirs))
                    })
            }),
        }
    }
}

/// Returns a text that two values share exactly if they are equal under JSON Schema.
pub(crate) fn canonical(node: Node<'_>) -> String {
    let mut out = String::new();
    write_canonical(node, &mut out);
    out
}

/// Recursion is bounded by the depth of the value, which was checked.
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
    type Node<'a> = Instance<'a>;
    type PreparedKey = String;
    type StringBuffer = ();

    // A lookup is linear, so one pass over the members is as cheap.
    const KEYS_PER_LOOKUP: usize = 1 << 20;

    fn prepare_key(key: &str) -> String {
        key.to_owned()
    }

    fn with_string_node<T>((): &mut (), string: &str, f: impl FnOnce(Instance<'_>) -> T) -> T {
        f(Instance::Text(string))
    }
}

impl<'v> JsonNode<'v, Tape> for Instance<'v> {
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

    // Only errors call this, and their values are looked up by path instead: a copy for each error
    // would be quadratic. Comparisons use `equals_value`.
    fn to_value(&self) -> Cow<'v, Value> {
        Cow::Owned(Value::Null)
    }

    fn identity(&self) -> Option<NodeIdentity> {
        let node = self.node()?;
        let tag = u32::try_from(node.index()).ok()?;
        Some(NodeIdentity::tagged(std::ptr::from_ref(node.value()).addr(), tag))
    }
}

/// A container that the validator reads.
pub(crate) struct Opened<'v> {
    node: Node<'v>,
    budget: Option<&'v WorkBudget>,
    /// The members after the one that was looked up last.
    rest: RefCell<Members<'v>>,
}

impl<'v> Opened<'v> {
    /// Returns the value of a key. A schema mostly lists the keys in the order of the value, so the next lookup
    /// begins where the last one ended, and all of them take one pass.
    fn member(&self, key: &str) -> Option<Node<'v>> {
        if self.node.may_repeat_keys() {
            return self.node.get(key);
        }
        let is_it = |(name, _): &(Node<'v>, Node<'v>)| name.str() == Some(key);
        let mut rest = self.rest.borrow_mut();
        if let Some((_, value)) = rest.find(is_it) {
            return Some(value);
        }
        *rest = self.node.members();
        rest.find(is_it).map(|(_, value)| value)
    }

    fn may_go_on(budget: Option<&WorkBudget>) -> bool {
        budget.is_none_or(WorkBudget::count)
    }

    fn part(budget: Option<&'v WorkBudget>, node: Node<'v>) -> Instance<'v> {
        budget.map_or(Instance::Node(node), |budget| Instance::Counted(node, budget))
    }
}

impl<'v> Object<'v, Tape> for Opened<'v> {
    type Node = Instance<'v>;
    type MemberName = &'v str;
    type MembersIter = Named<'v>;

    fn len(&self) -> usize {
        self.node.len()
    }

    fn get(&self, key: &String) -> Option<Instance<'v>> {
        self.member(key).map(|node| Self::part(self.budget, node))
    }

    fn members(&self) -> Named<'v> {
        Named { members: self.node.members(), budget: self.budget }
    }
}

/// Iterator over members with their names.
pub(crate) struct Named<'v> {
    members: Members<'v>,
    budget: Option<&'v WorkBudget>,
}

impl<'v> Iterator for Named<'v> {
    type Item = (&'v str, Instance<'v>);

    fn next(&mut self) -> Option<Self::Item> {
        let (key, value) = self.members.next().filter(|_| Opened::may_go_on(self.budget))?;
        Some((key.str().unwrap_or_default(), Opened::part(self.budget, value)))
    }
}

impl<'v> Array<'v, Tape> for Opened<'v> {
    type Node = Instance<'v>;
    type ElementsIter = Elements<'v>;

    fn len(&self) -> usize {
        self.node.len()
    }

    fn elements(&self) -> Elements<'v> {
        Elements { items: self.node.items(), budget: self.budget }
    }

    fn is_unique(&self) -> bool {
        let mut seen = HashSet::new();
        self.node.items().all(|item| seen.insert(canonical(item)))
    }
}

/// Iterator over items.
pub(crate) struct Elements<'v> {
    items: Items<'v>,
    budget: Option<&'v WorkBudget>,
}

impl<'v> Iterator for Elements<'v> {
    type Item = Instance<'v>;

    fn next(&mut self) -> Option<Self::Item> {
        let item = self.items.next().filter(|_| Opened::may_go_on(self.budget))?;
        Some(Opened::part(self.budget, item))
    }
}

/// The text of a number.
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

#[cfg(test)]
mod tests {
    use jsonschema::json::{Node as _, Object as _};

    use super::Instance;

    #[test]
    fn members_are_found_in_any_order() {
        for text in
            [r#"{"a": 1, "b": 2, "c": 3, "d": 4}"#, r#"{"a": 1, "b": 2, "a": 3, "c": 4}"#, "{}"]
        {
            let value = llmend_json::parse(text).unwrap().value;
            let object = Instance::Node(value.root()).as_object().unwrap();
            for key in ["a", "b", "c", "d", "c", "x", "b", "b", "a", "d", "x", "x", "a"] {
                let found = object.get(&key.to_owned()).and_then(Instance::digits);
                let expected = value.root().get(key).and_then(llmend_json::Node::number);
                assert_eq!(found, expected, "{key} in {text}");
            }
        }
    }
}
