//! Coercion of scalars.

use llmend_json::{Class, Kind};

use super::conversion::{Conversion, Refusal, Scalar};
use super::document::SourceNode;
use super::{Coercer, boolean, emphasis, enumeration, format, integer, null, number, string};
use crate::compile::{Bound, EnumValues, Plain, Shape};
use crate::instance::Instance;
use crate::quote::quoted;
use crate::{CoercionKind, Emphasis};

impl<'s, 'v> Coercer<'s, 'v> {
    /// Writes the first conversion of a scalar that fits; if none does, the scalar with a
    /// violation.
    pub(super) fn scalar(&mut self, shape: &'s Shape, plain: &'s Plain, at: SourceNode<'v>) {
        let instance = Instance::Node(at.node);
        if self.options.emphasis == Emphasis::Strip && self.fits(shape, instance) {
            return self.strip(shape, plain, at);
        }
        let mut refusal = None;
        for conversion in self.conversions(plain, instance) {
            match conversion {
                Ok(conversion) if self.fits(shape, conversion.to.instance()) => {
                    self.note(conversion.kind, at);
                    self.write(&conversion.to, at.span());
                    return;
                }
                // A value that already has the type is not converted.
                Ok(conversion)
                    if instance
                        .digits()
                        .is_some_and(|it| conversion.to.instance().digits() == Some(it)) => {}
                // A conversion that is not allowed is reported by the violated keyword.
                Ok(conversion) => {
                    refusal = refusal.or_else(|| self.not_allowed(shape, &conversion));
                }
                Err(reason) => {
                    refusal = refusal.filter(|old: &Refusal| old.code.is_some()).or(Some(reason));
                }
            }
        }
        if self.container(shape, plain, at) {
            return;
        }
        if plain.types.object() && at.node.kind() == Kind::String && refusal.is_none() {
            refusal = Some(Refusal::new("write the object itself, not a string"));
        }
        self.fail(shape, at, refusal);
    }

    /// Returns the possible conversions of a scalar, most likely first.
    fn conversions(
        &mut self,
        plain: &Plain,
        instance: Instance<'_>,
    ) -> Vec<Result<Conversion, Refusal>> {
        let types = plain.types;
        if let Some(values) = &plain.enum_values {
            let null = instance.text().filter(|_| types.null()).and_then(null::read).map(Ok);
            let truth = Self::enum_boolean(values, instance);
            return self
                .enum_value(values, instance)
                .into_iter()
                .chain(truth)
                .chain(null)
                .collect();
        }
        if let Some(text) = instance.text() {
            return self.of_text(plain, text);
        }
        let mut conversions = Vec::new();
        if let Some(digits) = instance.digits() {
            if types.integer() && !types.number() {
                conversions.push(integer::whole(digits).map(|digits| {
                    Conversion::new(Scalar::Number(digits), CoercionKind::WholeNumber)
                }));
            }
            if types.boolean() && matches!(digits, "0" | "1") {
                conversions.push(boolean::read(digits));
            }
        }
        // A value of an expected type that does not fit is not turned into a string.
        let typed = match instance.digits() {
            Some(digits) => types.number() || (types.integer() && integer::whole(digits).is_ok()),
            None => types.kind(instance.kind()),
        };
        if types.string() && !typed {
            conversions.push(string::read(instance));
        }
        conversions
    }

    /// Returns the enum value that a scalar stands for.
    fn enum_value(
        &mut self,
        values: &EnumValues,
        instance: Instance<'_>,
    ) -> Option<Result<Conversion, Refusal>> {
        let text = match instance.text() {
            Some(text) => text.to_owned(),
            None => instance
                .digits()
                .map(str::to_owned)
                .or_else(|| instance.bool().map(|v| v.to_string()))?,
        };
        // Each letter is read a few times.
        if !self.evaluator.spend(8 + text.len() / 8) {
            return None;
        }
        let evaluator = &mut self.evaluator;
        let mut spend = |steps| evaluator.spend(steps);
        let found = enumeration::read(&text, values, self.options.near, &mut spend);
        Some(found.and_then(|(at, kind)| {
            let value = values.all.get(at).and_then(|word| scalar(&word.value));
            let to =
                value.ok_or_else(|| Refusal::new("write one of the allowed values exactly"))?;
            let kind = if instance.text().is_none() { CoercionKind::TextFromScalar } else { kind };
            Ok(Conversion::new(to, kind))
        }))
    }

    /// Returns the boolean that a scalar stands for, if it is one of the enum values.
    fn enum_boolean(
        values: &EnumValues,
        instance: Instance<'_>,
    ) -> Option<Result<Conversion, Refusal>> {
        let text = instance.text().or_else(|| instance.digits())?;
        boolean::read(text).ok().filter(|conversion| values.has(conversion.to.instance())).map(Ok)
    }

    /// Returns the possible conversions of a string.
    fn of_text(&self, plain: &Plain, text: &str) -> Vec<Result<Conversion, Refusal>> {
        let types = plain.types;
        let mut conversions = Vec::new();
        if let Some(format) = plain.format.as_ref().filter(|_| types.string()) {
            conversions.push(format::read(format, text));
        }
        if types.number() {
            conversions.push(number::read(text, self.options.units));
        } else if types.integer() {
            conversions.push(integer::read(text, self.options.units));
        }
        if types.boolean() {
            conversions.push(boolean::read(text));
        }
        if types.null() {
            conversions.extend(null::read(text).map(Ok));
        }
        let strips = types.string() && self.options.emphasis == Emphasis::Strip;
        if let Some(inner) = emphasis::stripped(text).filter(|_| strips) {
            let inner = Scalar::Text(inner.to_owned());
            conversions.push(Ok(Conversion::new(inner, CoercionKind::Emphasis)));
        }
        conversions
    }

    /// Explains why a conversion is not allowed.
    fn not_allowed(&mut self, shape: &Shape, conversion: &Conversion) -> Option<Refusal> {
        let instance = conversion.to.instance();
        shape.holds.iter().find_map(|holds| {
            let raw = self.evaluator.raw(holds.id)?;
            let broken = |bound: &&Bound| instance.digits().is_some_and(|it| !bound.allows(it));
            if let Some(bound) = raw.bounds.iter().find(broken) {
                let (target, wrong) = bound.phrases();
                let (read, limit) = (quoted(instance), &bound.text);
                let message = format!("the string is read as {read}, which is {wrong} {limit}");
                return Some(Refusal::new(format!("write {target} {limit}")).since(message));
            }
            let local = raw.local.as_ref()?.iter_errors(instance).next()?;
            let keyword = local.kind().keyword();
            let hint = format!(
                "write a value that satisfies `{keyword}`: it is read as {}",
                quoted(instance)
            );
            Some(Refusal::new(hint))
        })
    }

    /// Removes the emphasis around a string that fits, if it also fits without.
    fn strip(&mut self, shape: &'s Shape, plain: &'s Plain, at: SourceNode<'v>) {
        let inner =
            at.node.str().and_then(emphasis::stripped).map(|text| Scalar::Text(text.to_owned()));
        match inner {
            Some(inner) if plain.enum_values.is_none() && self.fits(shape, inner.instance()) => {
                self.note(CoercionKind::Emphasis, at);
                self.write(&inner, at.span());
            }
            _ => self.take(at),
        }
    }

    /// Converts a scalar to an array or object: by the JSON in a string, or by wrapping it.
    fn container(&mut self, shape: &'s Shape, plain: &'s Plain, at: SourceNode<'v>) -> bool {
        let (types, free) = (plain.types, plain.enum_values.is_none());
        if !free || !(types.array() || types.object()) {
            return false;
        }
        self.held(shape, plain, at)
            || (types.array() && self.single_item(plain, at))
            || (types.object() && self.single_property(plain, at))
    }

    /// Replaces an array of one enum value by the value.
    pub(super) fn enum_from_item(
        &mut self,
        shape: &'s Shape,
        plain: &'s Plain,
        at: SourceNode<'v>,
    ) -> bool {
        let mut items = at.node.items();
        let (Some(item), None) = (items.next(), items.next()) else { return false };
        !matches!(item.kind(), Kind::Array | Kind::Object)
            && self.attempt_or_undo(|coercer| {
                coercer.note(CoercionKind::EnumFromItem, at);
                let inner = at.of(item);
                coercer.fit_inner(shape, inner, |coercer| coercer.scalar(shape, plain, inner));
            })
    }

    /// Replaces a string by the JSON that it holds.
    fn held(&mut self, shape: &'s Shape, plain: &'s Plain, at: SourceNode<'v>) -> bool {
        if at.node.kind() != Kind::String {
            return false;
        }
        let Some(document) = self.document(at) else { return false };
        let inner = SourceNode { node: document.value.root(), document: Some(document) };
        let class = document.class.map_or(Class::Notation, |class| class.max(Class::Notation));
        let whole = self.attempt_or_undo(|coercer| {
            coercer.note_with(CoercionKind::JsonInString, class, at);
            coercer.fit_inner(shape, inner, |coercer| coercer.plain(shape, plain, inner));
        });
        if whole || self.attempts > 0 {
            return whole;
        }
        // The string holds a value of the right kind, so its violations are reported.
        let is_intended = match inner.node.kind() {
            Kind::Object => plain.types.object(),
            Kind::Array => plain.types.array(),
            _ => false,
        };
        if is_intended {
            self.note_with(CoercionKind::JsonInString, class, at);
            self.plain(shape, plain, inner);
        }
        is_intended
    }
}

/// Returns a value of the schema as a scalar.
fn scalar(value: &serde_json::Value) -> Option<Scalar> {
    use serde_json::Value as Json;
    Some(match value {
        Json::Null => Scalar::Null,
        Json::Bool(value) => Scalar::Bool(*value),
        Json::Number(number) => Scalar::Number(number.to_string()),
        Json::String(text) => Scalar::Text(text.clone()),
        Json::Array(_) | Json::Object(_) => return None,
    })
}
