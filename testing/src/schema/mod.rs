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

/// A schema and an answer.
#[derive(Clone, Debug)]
pub struct Case {
    /// Stable name: generator, seed and index.
    pub id: String,
    /// The schema.
    pub schema: Value,
    /// The answer, as strict JSON in any layout.
    pub text: String,
    /// The valid instance from which the answer was made.
    pub instance: Data,
    /// The damage.
    pub damages: Vec<Damage>,
}

/// A case under construction.
pub(crate) struct Pair {
    pub(crate) schema: Value,
    oracle: OnceCell<Oracle>,
    pub(crate) instance: Data,
    pub(crate) sites: Vec<instance::Site>,
}

/// Maximum number of pairs that the generator discards.
const TRIES: usize = 20_000;

impl Pair {
    /// A schema and an instance that should be valid.
    pub(crate) fn grow(r: &mut Random) -> Self {
        let model = grow::model(r);
        let schema = write::schema(&model, r);
        let (instance, sites) = instance::of(&model, r);
        Self { schema, oracle: OnceCell::new(), instance, sites }
    }

    /// Checks that it is.
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

    /// Returns whether the oracle accepts another instance; never for an unchecked pair.
    pub(crate) fn accepts(&self, data: &Data) -> bool {
        self.oracle.get().is_some_and(|oracle| oracle.accepts(&data.write()))
    }
}

/// Generates a schema with a valid instance that has a place for a kind of damage.
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

/// Generates the valid answer with this index.
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
