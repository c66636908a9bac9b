//! Prices of models, and the currency in which they are counted.

use llmend::{
    asking::Price,
    config::{Currency, PriceSetting},
};

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
    /// Returns the prices of the model that is asked first and of the one for the last attempt. Fails if they
    /// and the budget have different currencies.
    pub(super) fn of(
        budget: &Currency,
        first: Option<PriceSetting>,
        escalation: Option<PriceSetting>,
    ) -> Result<Self, String> {
        let currency = currency(budget, first.as_ref(), escalation.as_ref())?;
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

/// Returns the currency of the budget and of all prices.
fn currency(
    budget: &Currency,
    first: Option<&PriceSetting>,
    escalation: Option<&PriceSetting>,
) -> Result<Currency, String> {
    let named = |price: Option<&PriceSetting>| price.cloned().unwrap_or_default().currency;
    let (first, escalation) = (named(first), named(escalation));
    if !first.agrees_with(&escalation) {
        return Err(format!(
            "the price of the model is in {first}, that of the --escalate model in {escalation}; give both in \
             one currency with --price and --escalate-price"
        ));
    }
    let prices = first.or(escalation);
    if !budget.agrees_with(&prices) {
        return Err(format!(
            "the cost budget is in {budget}, the price of the model in {prices}; give both in one currency \
             with --budget-cost and --price"
        ));
    }
    Ok(budget.clone().or(prices))
}

#[cfg(test)]
mod tests {
    use llmend::config::{Configuration, Setting};

    use super::{Price, Prices};
    use crate::{configuration::ModelSettings, models::ChosenModels};

    fn prices(settings: &[(&str, &str)]) -> Result<Prices, String> {
        let given = settings
            .iter()
            .map(|(name, value)| Setting::named(name).expect("a setting").given_as_flag(*value));
        let first = Configuration::resolve(given).expect("valid settings");
        let escalation = first.settings.escalate.is_some().then(Configuration::default);
        ChosenModels::of(ModelSettings { first, escalation }).prices().map_err(|error| error.0)
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
