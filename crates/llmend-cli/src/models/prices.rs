//! Prices of models, and the currency in which they are counted.

use llmend::{
    asking::KnownModel,
    config::{Configuration, Currency, PriceSetting},
};
use llmend_models::ModelSpec;

use super::{escalated, of_escalated, spec};
use crate::exit::UsageError;

/// Returns the price of the model that is asked first: the one that is set, or its list price.
pub(crate) fn price(found: &Configuration) -> Option<PriceSetting> {
    found.settings.price.clone().or_else(|| listed(&spec(found).ok()?))
}

/// Returns the price of the model for the last attempt.
pub(crate) fn escalate_price(found: &Configuration) -> Option<PriceSetting> {
    let own = || of_escalated(found)?.settings.price;
    found.settings.escalate_price.clone().or_else(own).or_else(|| {
        let first = spec(found).ok()?;
        listed(&escalated(found, &first).ok()??.0)
    })
}

/// Returns the currency of the budget and of all prices.
pub(super) fn currency(found: &Configuration) -> Result<Currency, UsageError> {
    let named = |price: Option<PriceSetting>| price.unwrap_or_default().currency;
    let other = found.settings.escalate.as_ref().and_then(|_| escalate_price(found));
    let (first, other) = (named(price(found)), named(other));
    if !first.agrees_with(&other) {
        return Err(UsageError(format!(
            "the price of the model is in {first}, that of the --escalate model in {other}; give both in one \
             currency with --price and --escalate-price"
        )));
    }
    let prices = first.or(other);
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
