//! What the tokens of models cost.

use llmend::config::{CostSetting, PriceSetting};
use llmend::model::Usage;

/// Returns the price of a model by its name in requests, if it is known.
pub type PriceOf<'p> = dyn Fn(&str) -> Option<PriceSetting> + 'p;

/// Returns what these tokens cost.
pub(super) fn cost(price: &PriceSetting, input: u64, output: u64) -> CostSetting {
    let sum = price.price.of(&Usage { input, output, estimated: false });
    CostSetting { sum, currency: price.currency.clone() }
}

/// Returns the sum of all costs. `None` if one is unknown, they have several currencies, or there are none.
pub(super) fn total(costs: impl IntoIterator<Item = Option<CostSetting>>) -> Option<CostSetting> {
    costs.into_iter().reduce(|sum, one| {
        let (sum, one) = (sum?, one?);
        (sum.currency == one.currency)
            .then(|| CostSetting { sum: sum.sum.saturating_add(one.sum), ..sum })
    })?
}

/// Formats a cost with its currency.
pub(super) fn amount(cost: &CostSetting) -> String {
    cost.currency.amount(cost.sum)
}

#[cfg(test)]
mod tests {
    use llmend::config::{Configuration, CostSetting, Setting};

    use super::{amount, cost, total};

    fn of(text: &str) -> Option<CostSetting> {
        let setting = Setting::named("budget_cost").unwrap().given_as_flag(text);
        Configuration::resolve([setting]).ok()?.settings.budget_cost
    }

    #[test]
    fn only_known_costs_in_one_currency_are_added() {
        for (costs, expected) in [
            (&[][..], None),
            (&["0.5 EUR"], Some("0.5 EUR")),
            (&["$0.5", "0.25 USD"], Some("$0.75")),
            (&["$0.5", "0.25 EUR"], None),
            (&["$0.5", "0.25"], None),
            (&["$0.5", "unknown"], None),
            (&["unknown", "$0.5"], None),
        ] {
            let found = total(costs.iter().map(|text| of(text)));
            assert_eq!(found.as_ref().map(amount).as_deref(), expected, "{costs:?}");
        }
    }

    #[test]
    fn tokens_cost_what_the_price_says() {
        let setting = Setting::named("price").unwrap().given_as_flag("2.50/10 EUR");
        let price = Configuration::resolve([setting]).unwrap().settings.price.unwrap();
        assert_eq!(amount(&cost(&price, 1_000, 200)), "0.0045 EUR");
    }
}
