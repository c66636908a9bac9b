//! Generated schemas as plain data, before they are written in a draft.

use std::rc::Rc;

use crate::data::Data;

/// A schema before it is written: the type of the root, the types that have names, and the draft.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    pub(crate) draft: Draft,
    pub(crate) root: Rc<Type>,
    pub(crate) named: Vec<(String, Rc<Type>)>,
    pub(crate) wording: Wording,
}

/// The drafts that differ in how a type is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Draft {
    Four,
    Six,
    Seven,
    Nineteen,
    Twenty,
}

/// Choices that mean the same, made once for a whole schema.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wording {
    /// `anyOf` with `null` beside it, or a list of types.
    pub(crate) nullable_by_union: bool,
    /// Schemas that are used say what they are for.
    pub(crate) described: bool,
    /// Named types are found by an anchor, where the draft has them.
    pub(crate) anchors: bool,
}

/// One type.
#[derive(Clone, Debug)]
pub(crate) enum Type {
    Integer { low: Option<i64>, high: Option<i64>, step: Option<i64> },
    Number { low: Option<i64>, high: Option<i64> },
    Boolean,
    Text(Text),
    Word(Vec<Word>),
    Level(Vec<i64>),
    Constant(Data),
    List { item: Rc<Type>, low: usize, high: Option<usize>, unique: bool },
    Tuple(Vec<Rc<Type>>),
    Record(Record),
    Map { value: Rc<Type>, pattern: Option<&'static str> },
    Nullable(Rc<Type>),
    Union { arms: Vec<Rc<Type>>, style: UnionStyle },
    Named(usize),
    Free,
}

/// A string with what is known of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Text {
    pub(crate) form: Option<Form>,
    pub(crate) low: Option<usize>,
    pub(crate) high: Option<usize>,
}

/// A form that a string must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Date,
    DateTime,
    Uuid,
    Uri,
    Email,
    /// `pattern`: two letters, a dash and four digits.
    Code,
}

/// One word of an enum, with a title where the words are written one by one.
#[derive(Clone, Debug)]
pub(crate) struct Word {
    pub(crate) text: String,
    pub(crate) title: Option<String>,
}

/// How the arms of a union are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnionStyle {
    /// Records with a property that is constant in each: `oneOf`.
    Tagged,
    /// The same, as `anyOf`, with the discriminator that `OpenAPI` knows.
    Discriminated,
    /// Records of which each requires other properties: `anyOf`.
    Shapes,
    /// Scalars of different types: `anyOf` or a list of types.
    Kinds,
}

/// An object with known properties.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) properties: Vec<Property>,
    pub(crate) extra: Extra,
    /// Written as two parts under `allOf`.
    pub(crate) split: bool,
    /// Where the first property has this word, the second is required.
    pub(crate) condition: Option<Condition>,
}

/// `if` one property has a word `then` another is required.
#[derive(Clone, Debug)]
pub(crate) struct Condition {
    pub(crate) when: String,
    pub(crate) is: String,
    pub(crate) then: String,
}

/// What an object may hold beside its properties.
#[derive(Clone, Debug)]
pub(crate) enum Extra {
    Unsaid,
    Allowed,
    Forbidden,
    Typed(Rc<Type>),
}

/// One property of an object.
#[derive(Clone, Debug)]
pub(crate) struct Property {
    pub(crate) name: String,
    pub(crate) value: Rc<Type>,
    pub(crate) required: bool,
    pub(crate) default: Option<Data>,
}

impl Model {
    /// The type that a name stands for, through any number of names.
    pub(crate) fn resolve(&self, of: &Rc<Type>) -> Rc<Type> {
        let mut found = Rc::clone(of);
        while let Type::Named(index) = *found {
            found = Rc::clone(&self.named[index].1);
        }
        found
    }
}

impl Record {
    pub(crate) fn is_closed(&self) -> bool {
        matches!(self.extra, Extra::Forbidden)
    }

    pub(crate) fn property(&self, name: &str) -> Option<&Property> {
        self.properties.iter().find(|property| property.name == name)
    }
}

impl Text {
    pub(crate) fn is_free(&self) -> bool {
        self.form.is_none() && self.low.is_none() && self.high.is_none()
    }
}
