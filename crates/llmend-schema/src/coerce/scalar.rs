//! What becomes of a scalar that does not fit?

use llmend_json::{Class, Kind};

use super::document::At;
use super::reading::{Reading, Refusal, Scalar};
use super::{Walk, boolean, emphasis, enumeration, format, integer, null, number, string};
use crate::clip::quoted;
use crate::compile::{Bound, Plain, Shape, Words};
use crate::instance::Part;
use crate::{CoercionKind, Emphasis};

impl<'s, 'v> Walk<'s, 'v> {
    /// Writes what a scalar is read as; if nothing, the scalar, and why.
    pub(super) fn scalar(&mut self, shape: &'s Shape, plain: &'s Plain, at: At<'v>) {
        let part = Part::Node(at.node);
        if self.options.emphasis == Emphasis::Strip && self.fits(shape, part) {
            return self.strip(shape, plain, at);
        }
        let mut refusal = None;
        for reading in self.readings(plain, part) {
            match reading {
                Ok(reading) if self.fits(shape, reading.to.part()) => {
                    self.note(reading.kind, at);
                    self.write(&reading.to, at.span());
                    return;
                }
                // What is of the type already is not read as anything.
                Ok(reading)
                    if part.digits().is_some_and(|it| reading.to.part().digits() == Some(it)) => {}
                // What is read but not allowed is told by what is not allowed of it.
                Ok(reading) => refusal = refusal.or_else(|| self.not_allowed(shape, &reading)),
                Err(reason) => {
                    refusal = refusal.filter(|old: &Refusal| old.code.is_some()).or(Some(reason));
                }
            }
        }
        if self.container(shape, plain, at) {
            return;
        }
        if plain.types.object() && at.node.kind() == Kind::String && refusal.is_none() {
            refusal = Some(Refusal::new("write the object itself"));
        }
        self.fail(shape, at, refusal);
    }

    /// All that a scalar may be read as, in the order of what is likelier.
    fn readings(&mut self, plain: &Plain, part: Part<'_>) -> Vec<Result<Reading, Refusal>> {
        let types = plain.types;
        if let Some(words) = &plain.words {
            let null = part.text().filter(|_| types.null()).and_then(null::read).map(Ok);
            let truth = Self::truth(words, part);
            return self.word(words, part).into_iter().chain(truth).chain(null).collect();
        }
        if let Some(text) = part.text() {
            return self.of_text(plain, text);
        }
        let mut readings = Vec::new();
        if let Some(digits) = part.digits() {
            if types.integer() && !types.number() {
                readings.push(
                    integer::whole(digits).map(|digits| {
                        Reading::new(Scalar::Number(digits), CoercionKind::WholeNumber)
                    }),
                );
            }
            if types.boolean() && matches!(digits, "0" | "1") {
                readings.push(boolean::read(digits));
            }
        }
        // What is of a type that is wanted, and does not fit, is not let through as a text.
        let typed = match part.digits() {
            Some(digits) => types.number() || (types.integer() && integer::whole(digits).is_ok()),
            None => types.kind(part.kind()),
        };
        if types.string() && !typed {
            readings.push(string::read(part));
        }
        readings
    }

    /// A value of an enumeration that a scalar means, if it says anything.
    fn word(&mut self, words: &Words, part: Part<'_>) -> Option<Result<Reading, Refusal>> {
        let said = match part.text() {
            Some(text) => text.to_owned(),
            None => {
                part.digits().map(str::to_owned).or_else(|| part.bool().map(|v| v.to_string()))?
            }
        };
        // Each letter is looked at a few times.
        if !self.judge.pay(8 + said.len() / 8) {
            return None;
        }
        let judge = &mut self.judge;
        let mut pay = |steps| judge.pay(steps);
        let meant = enumeration::read(&said, words, self.options.near, &mut pay);
        Some(meant.and_then(|(at, kind)| {
            let word = words.all.get(at).and_then(|word| scalar(&word.value));
            let to = word.ok_or_else(|| Refusal::new("write one of the values as it is given"))?;
            let kind = if part.text().is_none() { CoercionKind::TextFromScalar } else { kind };
            Ok(Reading::new(to, kind))
        }))
    }

    /// Yes or no, where that is among the values.
    fn truth(words: &Words, part: Part<'_>) -> Option<Result<Reading, Refusal>> {
        let said = part.text().or_else(|| part.digits())?;
        boolean::read(said).ok().filter(|reading| words.has(reading.to.part())).map(Ok)
    }

    /// All that a string may be read as.
    fn of_text(&self, plain: &Plain, text: &str) -> Vec<Result<Reading, Refusal>> {
        let types = plain.types;
        let mut readings = Vec::new();
        if let Some(format) = plain.format.as_ref().filter(|_| types.string()) {
            readings.push(format::read(format, text));
        }
        if types.number() {
            readings.push(number::read(text, self.options.units));
        } else if types.integer() {
            readings.push(integer::read(text, self.options.units));
        }
        if types.boolean() {
            readings.push(boolean::read(text));
        }
        if types.null() {
            readings.extend(null::read(text).map(Ok));
        }
        let strips = types.string() && self.options.emphasis == Emphasis::Strip;
        if let Some(inner) = emphasis::stripped(text).filter(|_| strips) {
            let inner = Scalar::Text(inner.to_owned());
            readings.push(Ok(Reading::new(inner, CoercionKind::Emphasis)));
        }
        readings
    }

    /// Why what a scalar was read as may not stand there.
    fn not_allowed(&mut self, shape: &Shape, reading: &Reading) -> Option<Refusal> {
        let part = reading.to.part();
        shape.holds.iter().find_map(|holds| {
            let raw = self.judge.raw(holds.id)?;
            let broken = |bound: &&Bound| part.digits().is_some_and(|it| !bound.allows(it));
            if let Some(bound) = raw.bounds.iter().find(broken) {
                let (asked, wrong) = bound.words();
                let (read, limit) = (quoted(part), &bound.text);
                let message = format!("it is a string, and read as {read} it is {wrong} {limit}");
                return Some(Refusal::new(format!("write {asked} {limit}")).since(message));
            }
            let local = raw.local.as_ref()?.iter_errors(part).next()?;
            let keyword = local.kind().keyword();
            let hint = format!("read as {} it would violate `{keyword}`", quoted(part));
            Some(Refusal::new(hint))
        })
    }

    /// Takes the emphasis off a free string that fits, if it fits without too.
    fn strip(&mut self, shape: &'s Shape, plain: &'s Plain, at: At<'v>) {
        let inner =
            at.node.str().and_then(emphasis::stripped).map(|text| Scalar::Text(text.to_owned()));
        match inner {
            Some(inner) if plain.words.is_none() && self.fits(shape, inner.part()) => {
                self.note(CoercionKind::Emphasis, at);
                self.write(&inner, at.span());
            }
            _ => self.take(at),
        }
    }

    /// Makes a scalar into a list or an object: by what a string holds, or by what is around it.
    fn container(&mut self, shape: &'s Shape, plain: &'s Plain, at: At<'v>) -> bool {
        let (types, free) = (plain.types, plain.words.is_none());
        if !free || !(types.array() || types.object()) {
            return false;
        }
        self.held(shape, plain, at)
            || (types.array() && self.single_item(plain, at))
            || (types.object() && self.single_property(plain, at))
    }

    /// Makes a string into the JSON that it holds.
    fn held(&mut self, shape: &'s Shape, plain: &'s Plain, at: At<'v>) -> bool {
        if at.node.kind() != Kind::String {
            return false;
        }
        let Some(document) = self.document(at) else { return false };
        let inner = At { node: document.value.root(), document: Some(document) };
        let class = document.class.map_or(Class::Notation, |class| class.max(Class::Notation));
        let whole = self.attempt_or_undo(|walk| {
            walk.note_with(CoercionKind::JsonInString, class, at);
            walk.fit_inner(shape, inner, |walk| walk.plain(shape, plain, inner));
        });
        if whole || self.trying > 0 {
            return whole;
        }
        // The string holds what was meant, and that is what does not fit.
        let meant = match inner.node.kind() {
            Kind::Object => plain.types.object(),
            Kind::Array => plain.types.array(),
            _ => false,
        };
        if meant {
            self.note_with(CoercionKind::JsonInString, class, at);
            self.plain(shape, plain, inner);
        }
        meant
    }
}

/// A value of the schema as a scalar, if it is one.
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
