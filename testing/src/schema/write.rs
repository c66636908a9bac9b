//! Writing of schemas in a draft.

use serde_json::{Map, Value, json};

use super::model::{Draft, Extra, Form, Model, Property, Record, Text, Type, UnionStyle, Word};
use crate::data::Data;
use crate::random::Random;

/// The schema as JSON.
pub(crate) fn schema(model: &Model, r: &mut Random) -> Value {
    let mut writer = Writer { model, r: r.clone() };
    let mut root = writer.of(&model.root);
    let named: Map<String, Value> = (model.named.iter())
        .map(|(name, of)| {
            let mut written = writer.of(of);
            if writer.is_anchored()
                && let Some(written) = written.as_object_mut()
            {
                written.insert("$anchor".to_owned(), json!(name));
            }
            (name.clone(), written)
        })
        .collect();
    if let Some(object) = root.as_object_mut() {
        if model.draft < Draft::Twenty || r.chance(50) {
            object.insert("$schema".to_owned(), json!(model.draft.address()));
        }
        if !named.is_empty() {
            object.insert(model.draft.definitions().to_owned(), Value::Object(named));
        }
    }
    root
}

/// A value as `serde_json` has it.
pub(crate) fn plain(data: &Data) -> Value {
    serde_json::from_str(&data.write()).unwrap_or(Value::Null)
}

impl Draft {
    fn address(self) -> &'static str {
        match self {
            Self::Four => "http://json-schema.org/draft-04/schema#",
            Self::Six => "http://json-schema.org/draft-06/schema#",
            Self::Seven => "http://json-schema.org/draft-07/schema#",
            Self::Nineteen => "https://json-schema.org/draft/2019-09/schema",
            Self::Twenty => "https://json-schema.org/draft/2020-12/schema",
        }
    }

    fn definitions(self) -> &'static str {
        if self < Self::Nineteen { "definitions" } else { "$defs" }
    }
}

struct Writer<'m> {
    model: &'m Model,
    r: Random,
}

impl Writer<'_> {
    fn is_anchored(&self) -> bool {
        self.model.wording.anchors && self.model.draft >= Draft::Nineteen
    }

    fn of(&mut self, of: &Type) -> Value {
        match of {
            Type::Integer { low, high, step } => {
                let mut found = json!({"type": "integer"});
                insert(&mut found, "minimum", low.map(Value::from));
                insert(&mut found, "multipleOf", step.map(Value::from));
                let above = high.filter(|_| self.model.draft > Draft::Four && self.r.chance(30));
                match above {
                    Some(high) => insert(&mut found, "exclusiveMaximum", Some(json!(high + 1))),
                    None => insert(&mut found, "maximum", high.map(Value::from)),
                }
                found
            }
            Type::Number { low, high } => {
                let mut found = json!({"type": "number"});
                insert(&mut found, "minimum", low.map(Value::from));
                insert(&mut found, "maximum", high.map(Value::from));
                found
            }
            Type::Boolean => json!({"type": "boolean"}),
            Type::Text(text) => self::text(text),
            Type::Word(words) => self.words(words),
            Type::Level(levels) if self.r.chance(50) => json!({"enum": levels}),
            Type::Level(levels) => json!({"type": "integer", "enum": levels}),
            Type::Constant(data) => self.constant(data),
            Type::List { item, low, high, unique } => {
                let mut found = json!({"type": "array", "items": self.of(item)});
                insert(&mut found, "minItems", Some(json!(low)).filter(|_| *low > 0));
                insert(&mut found, "maxItems", high.map(Value::from));
                insert(&mut found, "uniqueItems", Some(json!(true)).filter(|_| *unique));
                found
            }
            Type::Tuple(items) => {
                let written: Vec<Value> = items.iter().map(|item| self.of(item)).collect();
                let size = written.len();
                let (items, rest) = if self.model.draft < Draft::Twenty {
                    ("items", "additionalItems")
                } else {
                    ("prefixItems", "items")
                };
                json!({"type": "array", items: written, rest: false, "minItems": size})
            }
            Type::Record(record) => self.record(record),
            Type::Map { value, pattern: None } => {
                json!({"type": "object", "additionalProperties": self.of(value)})
            }
            Type::Map { value, pattern: Some(pattern) } => json!({
                "type": "object",
                "patternProperties": {*pattern: self.of(value)},
                "additionalProperties": false,
            }),
            Type::Nullable(inner) => self.nullable(inner),
            Type::Union { arms, style } => {
                let written: Vec<Value> = arms.iter().map(|arm| self.of(arm)).collect();
                match style {
                    UnionStyle::Tagged => json!({"oneOf": written}),
                    UnionStyle::Discriminated => {
                        json!({"anyOf": written, "discriminator": {"propertyName": tag(arms)}})
                    }
                    UnionStyle::Shapes | UnionStyle::Kinds => json!({"anyOf": written}),
                }
            }
            Type::Named(index) => {
                let name = &self.model.named[*index].0;
                if self.is_anchored() {
                    json!({"$ref": format!("#{name}")})
                } else {
                    json!({"$ref": format!("#/{}/{name}", self.model.draft.definitions())})
                }
            }
            Type::Free if self.model.draft > Draft::Four && self.r.chance(50) => json!(true),
            Type::Free => json!({}),
        }
    }

    fn nullable(&mut self, inner: &Type) -> Value {
        let mut written = self.of(inner);
        if self.model.wording.nullable_by_union || written.get("type").is_none() {
            return json!({"anyOf": [written, {"type": "null"}]});
        }
        if let Some(object) = written.as_object_mut() {
            let of = object.remove("type");
            object.insert("type".to_owned(), json!([of, "null"]));
            if let Some(Value::Array(words)) = object.get_mut("enum") {
                words.push(Value::Null);
            }
            // `const` has no room for a second value.
            if let Some(constant) = object.remove("const") {
                object.insert("enum".to_owned(), json!([constant, null]));
            }
        }
        written
    }

    fn constant(&mut self, data: &Data) -> Value {
        let value = plain(data);
        if self.model.draft == Draft::Four {
            json!({"enum": [value]})
        } else if data.as_text().is_some() && self.r.chance(60) {
            json!({"type": "string", "const": value})
        } else {
            json!({"const": value})
        }
    }

    fn words(&mut self, words: &[Word]) -> Value {
        let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
        if words.iter().any(|word| word.title.is_some()) {
            let one = |word: &Word| {
                let mut one = match self.model.draft {
                    Draft::Four => json!({"enum": [word.text]}),
                    _ => json!({"const": word.text}),
                };
                insert(&mut one, "title", word.title.as_ref().map(|title| json!(title)));
                one
            };
            return json!({"oneOf": words.iter().map(one).collect::<Vec<_>>()});
        }
        if self.r.chance(70) {
            json!({"type": "string", "enum": texts})
        } else {
            json!({"enum": texts})
        }
    }

    fn record(&mut self, record: &Record) -> Value {
        if record.split && record.properties.len() > 1 {
            return self.split(record);
        }
        let mut found = self.part(&record.properties);
        match &record.extra {
            Extra::Unsaid => {}
            Extra::Allowed => insert(&mut found, "additionalProperties", Some(json!(true))),
            Extra::Forbidden => insert(&mut found, "additionalProperties", Some(json!(false))),
            Extra::Typed(of) => {
                let of = self.of(of);
                insert(&mut found, "additionalProperties", Some(of));
            }
        }
        if let (Some(condition), true) = (&record.condition, self.model.draft >= Draft::Seven) {
            let when = json!({
                "properties": {&*condition.when: {"const": condition.is}},
                "required": [condition.when],
            });
            insert(&mut found, "if", Some(when));
            insert(&mut found, "then", Some(json!({"required": [condition.then]})));
        }
        found
    }

    /// The properties in two parts. What a part does not name, the other may; so nothing else is
    /// forbidden, but where the draft can say so of both.
    fn split(&mut self, record: &Record) -> Value {
        let (first, second) = record.properties.split_at(record.properties.len() / 2);
        let parts = [self.part(first), self.part(second)];
        let mut found = json!({"allOf": parts});
        if record.is_closed() && self.model.draft >= Draft::Nineteen {
            insert(&mut found, "unevaluatedProperties", Some(json!(false)));
        }
        found
    }

    fn part(&mut self, properties: &[Property]) -> Value {
        let mut written = Map::new();
        for property in properties {
            let mut of = self.of(&property.value);
            if let Some(object) = of.as_object_mut()
                && (self.model.draft >= Draft::Nineteen || !object.contains_key("$ref"))
            {
                if let Some(default) = &property.default {
                    object.insert("default".to_owned(), plain(default));
                }
                if self.model.wording.described {
                    let words = super::names::parts(&property.name).join(" ");
                    object.insert("description".to_owned(), json!(format!("The {words}.")));
                }
            }
            written.insert(property.name.clone(), of);
        }
        let required: Vec<&str> = (properties.iter().filter(|property| property.required))
            .map(|property| property.name.as_str())
            .collect();
        let mut found = json!({"type": "object", "properties": written});
        // Draft 4 knows no empty list here.
        insert(&mut found, "required", Some(json!(required)).filter(|_| !required.is_empty()));
        found
    }
}

fn insert(found: &mut Value, key: &str, value: Option<Value>) {
    if let (Some(object), Some(value)) = (found.as_object_mut(), value) {
        object.insert(key.to_owned(), value);
    }
}

/// The property that tells the arms of a union apart.
fn tag(arms: &[std::rc::Rc<Type>]) -> &str {
    match arms.first().map(|arm| &**arm) {
        Some(Type::Record(record)) => record.properties.first().map_or("", |tag| &tag.name),
        _ => "",
    }
}

fn text(text: &Text) -> Value {
    let mut found = json!({"type": "string"});
    insert(&mut found, "minLength", text.low.map(Value::from));
    insert(&mut found, "maxLength", text.high.map(Value::from));
    match text.form {
        None => {}
        Some(Form::Code) => insert(&mut found, "pattern", Some(json!("^[A-Z]{2}-[0-9]{4}$"))),
        Some(form) => insert(&mut found, "format", Some(json!(form.name()))),
    }
    found
}

impl Form {
    fn name(self) -> &'static str {
        match self {
            Self::Date => "date",
            Self::DateTime => "date-time",
            Self::Uuid => "uuid",
            Self::Uri => "uri",
            Self::Email => "email",
            Self::Code => "pattern",
        }
    }
}
