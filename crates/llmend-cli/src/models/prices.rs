//! Prices of models, and the currency in which they are counted.

use llmend::{
    asking::{KnownModel, Price},
    config::{Configuration, Currency, PriceSetting},
};
use llmend_models::ModelSpec;

use super::{escalated, of_escalated, spec};
use crate::exit::UsageError;

/// The prices of the models that are asked, as far as they are known.
#[derive(Clone, Debug, Default)]
pub(crate) struct Prices {
    /// That of the model that is asked first.
    pub(crate) first: Option<Price>,
    /// That of the model for the last attempt; `None` also if there is no such model.
    pub(crate) escalation: Option<Price>,
    /// The currency of the prices and of the budget.
    pub(crate) currency: Currency,
}

impl Prices {
    /// Returns the prices that are set, or else list prices. Fails if they and the budget have different
    /// currencies.
    pub(crate) fn of(found: &Configuration) -> Result<Self, UsageError> {
        let (first, escalation) = (first(found), escalation(found));
        let currency = currency(found, first.as_ref(), escalation.as_ref())?;
        let price = |setting: Option<PriceSetting>| setting.map(|setting| setting.price);
        Ok(Self { first: price(first), escalation: price(escalation), currency })
    }

    /// Returns the higher price of each direction. `None` if no price is known.
    pub(crate) fn dearest(&self) -> Option<Price> {
        let prices = [self.first, self.escalation].into_iter().flatten();
        prices.reduce(|one, other| Price {
            input: one.input.max(other.input),
            output: one.output.max(other.output),
        })
    }
}

/// Returns the price of the model that is asked first.
fn first(found: &Configuration) -> Option<PriceSetting> {
    found.settings.price.clone().or_else(|| listed(&spec(found).ok()?))
}

/// Returns the price of the model for the last attempt, if there is one: a file may set a price for other
/// commands.
fn escalation(found: &Configuration) -> Option<PriceSetting> {
    found.settings.escalate.as_ref()?;
    let own = || of_escalated(found)?.settings.price;
    found.settings.escalate_price.clone().or_else(own).or_else(|| {
        let first = spec(found).ok()?;
        listed(&escalated(found, &first).ok()??.0)
    })
}

/// Returns the currency of the budget and of all prices.
fn currency(
    found: &Configuration,
    first: Option<&PriceSetting>,
    escalation: Option<&PriceSetting>,
) -> Result<Currency, UsageError> {
    let named = |price: Option<&PriceSetting>| price.cloned().unwrap_or_default().currency;
    let (first, escalation) = (named(first), named(escalation));
    if !first.agrees_with(&escalation) {
        return Err(UsageError(format!(
            "the price of the model is in {first}, that of the --escalate model in {escalation}; give both in \
             one currency with --price and --escalate-price"
        )));
    }
    let prices = first.or(escalation);
    let budget = found.settings.budget_cost.clone().unwrap_or_default().currency;
    if !budget.agrees_with(&prices) {
        return Err(UsageError(format!(
            "the cost budget is in {budget}, the price of the model in {prices}; give both in one currency \
             with --budget-cost and --price"
        )));
    }
    Ok(budget.or(prices))
}

/// Returns what is known of a model at its own provider.
pub(super) fn known(spec: &ModelSpec) -> Option<KnownModel> {
    match spec {
        ModelSpec::Remote { provider, base_url: None, model } => {
            KnownModel::named(provider.name, model)
        }
        _ => None,
    }
}

/// Returns the list price of a model at its own provider.
fn listed(spec: &ModelSpec) -> Option<PriceSetting> {
    let known = known(spec)?;
    Some(PriceSetting { price: known.price, currency: Currency::dollar() })
}

#[cfg(test)]
mod tests {
    use llmend::config::{Configuration, Setting};

    use super::{Price, Prices};

    fn prices(settings: &[(&str, &str)]) -> Result<Prices, String> {
        let given = settings
            .iter()
            .map(|(name, value)| Setting::named(name).expect("a setting").given_as_flag(*value));
        let found = Configuration::resolve(given).expect("valid settings");
        Prices::of(&found).map_err(|error| error.0)
    }

    #[test]
    fn a_model_that_is_not_asked_has_no_price() {
        let of = |input: u64, output: u64| {
            Some(Price { input: input * 1_000_000, output: output * 1_000_000 })
        };
        let (first, dear) = (("price", "1/2"), ("escalate_price", "9/8 EUR"));
        let asked = ("escalate", "ollama:l");
        for (settings, expected) in [
            (&[][..], (None, None, None, "")),
            (&[first], (of(1, 2), None, of(1, 2), "")),
            (&[first, dear], (of(1, 2), None, of(1, 2), "")),
            (&[first, dear, asked], (of(1, 2), of(9, 8), of(9, 8), "EUR")),
            (&[dear, asked], (None, of(9, 8), of(9, 8), "EUR")),
            (&[("price", "1/9 €"), dear, asked], (of(1, 9), of(9, 8), of(9, 9), "EUR")),
        ] {
            let found = prices(settings).expect("prices");
            let dearest = found.dearest();
            let found = (found.first, found.escalation, dearest, found.currency.code());
            assert_eq!(found, expected, "{settings:?}");
        }
        let two = prices(&[("price", "$1/2"), dear, asked]).expect_err("two currencies");
        assert!(two.contains("is in $, that of the --escalate model in EUR"), "{two}");
    }
}
