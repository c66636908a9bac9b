//! Random schemas with valid answers, answers that coercion can fix, and answers that it must not.
//!
//! A schema is generated as plain types, and then written in a draft. Its instance knows the type
//! of each part, so that damage can be applied where it matters. The oracle excludes changes that
//! the schema allows as they are, such as `"42"` where a string is valid.

pub mod beyond;
pub mod check;
mod grow;
pub mod hostile;
mod instance;
mod layout;
mod model;
mod names;
pub mod oracle;
pub mod reversible;
mod work;
mod write;

use std::cell::OnceCell;

use serde_json::Value;

use crate::data::Data;
use crate::random::Random;
use crate::schema::layout::Layout;
use crate::schema::oracle::Oracle;

pub use work::Damage;

/// A schema with an answer.
#[derive(Clone, Debug)]
pub struct Case {
    /// Stable name: generator, seed and number.
    pub id: String,
    /// The schema.
    pub schema: Value,
    /// The answer: strict JSON in any layout.
    pub text: String,
    /// The valid instance that the answer is, or was made from.
    pub instance: Data,
    /// What was done to it.
    pub damages: Vec<Damage>,
}

/// A case in the making.
pub(crate) struct Pair {
    pub(crate) schema: Value,
    oracle: OnceCell<Oracle>,
    pub(crate) instance: Data,
    pub(crate) sites: Vec<instance::Site>,
}

/// Pairs that the generator may discard before it finds one.
const TRIES: usize = 20_000;

impl Pair {
    /// A schema with an instance that ought to be valid.
    pub(crate) fn grow(r: &mut Random) -> Self {
        let model = grow::model(r);
        let schema = write::schema(&model, r);
        let (instance, sites) = instance::of(&model, r);
        Self { schema, oracle: OnceCell::new(), instance, sites }
    }

    /// Whether it is.
    ///
    /// # Errors
    /// What the oracle says against the schema or the instance.
    pub(crate) fn check(&self) -> Result<(), String> {
        let (schema, text) = (&self.schema, self.instance.write());
        let oracle = Oracle::new(schema).map_err(|error| format!("{error}\n{schema}"))?;
        oracle.check(&text).map_err(|error| format!("{error}\n{text}\n{schema}"))?;
        let _ = self.oracle.set(oracle);
        Ok(())
    }

    /// Whether the oracle accepts another instance; of a pair that was not checked it accepts none.
    pub(crate) fn accepts(&self, data: &Data) -> bool {
        self.oracle.get().is_some_and(|oracle| oracle.accepts(&data.write()))
    }
}

/// A schema with a valid instance that has a place for a kind of damage, as far as the kind can tell.
pub(crate) fn pair(r: &mut Random, has_place: impl Fn(&Pair, &mut Random) -> bool) -> Pair {
    let mut refusals = Vec::new();
    for _ in 0..TRIES {
        let pair = Pair::grow(r);
        if has_place(&pair, r) {
            match pair.check() {
                Ok(()) => return pair,
                Err(refusal) => refusals.push(refusal),
            }
        }
    }
    panic!("no valid pair: {refusals:?}");
}

/// Case number `index` of valid answers.
#[must_use]
pub fn valid(seed: u64, index: usize) -> Case {
    let mut r = Random::for_case(seed ^ 0x5ca1, index);
    let pair = pair(&mut r, |_, _| true);
    let layout = Layout::any(&mut r);
    Case {
        id: format!("schema-valid-{seed}-{index}"),
        schema: pair.schema,
        text: layout::text(&pair.instance, layout, &mut r),
        instance: pair.instance,
        damages: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oracle_seldom_refuses_what_was_grown() {
        let mut refusals = Vec::new();
        for index in 0..1_000 {
            refusals.extend(Pair::grow(&mut Random::for_case(1, index)).check().err());
        }
        assert!(refusals.len() < 20, "{}: {:?}", refusals.len(), refusals.first());
    }

    #[test]
    fn every_layout_says_the_same() {
        for index in 0..500 {
            let case = valid(2, index);
            assert_eq!(Data::read(&case.text), Ok(case.instance), "{}", case.id);
        }
    }
}
