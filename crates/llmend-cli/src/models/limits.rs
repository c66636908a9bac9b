//! The limits and retries of the settings.

use llmend::{
    asking::{AskOptions, FurtherModel, Preset, Retries, Strategy},
    config::{Configuration, Settings, Source, Switch},
};

use super::{ChosenModels, Prices};
use crate::exit::UsageError;

/// Returns the limits and retries that the settings ask for.
pub(crate) fn options(models: &ChosenModels) -> Result<AskOptions, UsageError> {
    let settings = &models.settings().settings;
    let preset = settings
        .preset
        .parse::<Preset>()
        .map_err(|error| UsageError(format!("preset: {error}")))?;
    match preset {
        // Without a number in the name, the setting gives it.
        Preset::ClickweaveAssistant(_) if !settings.preset.contains(':') => assistant(models),
        preset => limited(AskOptions::preset(preset), models.settings(), models),
    }
}

/// Returns the limits and retries of an assistant.
pub(crate) fn assistant(models: &ChosenModels) -> Result<AskOptions, UsageError> {
    let found = models.settings();
    let attempts = found.settings.max_repair_attempts;
    let (own, all) = (found.source("max_repair_attempts"), found.source("retry_max"));
    if [own, all].iter().all(|source| matches!(source, Source::Flag { .. })) {
        return Err("--max-json-retries and --max-repair-attempts cannot be used together".into());
    }
    // Two settings mean the same: the one with precedence counts. If both have the same, the assistant's own
    // does.
    let (own, all) = (precedence(own), precedence(all));
    let mut found = found.clone();
    if own > 0 && all <= own {
        found.settings.retry_max = Some(attempts.saturating_sub(1));
    }
    limited(AskOptions::preset(Preset::ClickweaveAssistant(attempts)), &found, models)
}

/// Returns the rank of a source: a higher one overrides a lower one.
const fn precedence(source: &Source) -> u8 {
    match source {
        Source::Default => 0,
        Source::UserFile { .. } => 1,
        Source::ProjectFile { .. } => 2,
        Source::Environment { .. } => 3,
        Source::Flag { .. } => 4,
    }
}

/// Whether a flag says how often to retry.
fn has_flag(found: &Configuration) -> bool {
    let names = ["retry_max", "max_repair_attempts"];
    names.iter().any(|name| matches!(found.source(name), Source::Flag { .. }))
}

/// Returns the limits with the number of the settings for all retries.
fn bounded(settings: &Settings, of_preset: Retries) -> Retries {
    settings.retry_max.map_or(of_preset, |most| of_preset.limited(most))
}

/// Returns the limits of retries: one for all, and one for those after answers that cannot be parsed.
fn retries(settings: &Settings, of_preset: Retries) -> Retries {
    if settings.retry_enabled == Switch::Off {
        return Retries::of(0);
    }
    let all = bounded(settings, of_preset);
    let parsing = match settings.parse_retry_enabled {
        Switch::On => settings.parse_retry_max,
        Switch::Off => Some(0),
    };
    match (settings.retry_max, parsing) {
        (_, None) => all,
        (None, Some(parsing)) => all.with_parsing(parsing),
        (Some(most), Some(parsing)) => Retries { parsing: parsing.min(most), ..all },
    }
}

/// Applies to `options` what the settings say of one model.
fn tuned(mut options: AskOptions, settings: &Settings) -> AskOptions {
    if let Some(temperature) = settings.temperature {
        options.temperature = Some(temperature);
        options.validation_temperature = None;
    }
    options.system.clone_from(&settings.system);
    options.budget.answer_tokens = settings.answer_tokens.or(options.budget.answer_tokens);
    options
}

/// Applies the limits in the settings to `options`.
fn limited(
    preset: AskOptions,
    found: &Configuration,
    models: &ChosenModels,
) -> Result<AskOptions, UsageError> {
    let settings = &found.settings;
    let mut options = tuned(preset.clone(), settings);
    options.further = models.escalated().map(|own| {
        let own = tuned(preset, own);
        FurtherModel {
            temperature: own.temperature,
            validation_temperature: own.validation_temperature,
            system: own.system,
            answer_tokens: own.budget.answer_tokens,
        }
    });
    // A flag overrides what files and the environment say besides.
    let limits = if has_flag(found) { bounded } else { retries };
    options.retries = limits(settings, options.retries);
    if let Some(strategies) = &settings.ladder {
        options.ladder.strategies.clone_from(strategies);
    }
    let prices = models.prices()?;
    options.budget.tokens = settings.budget_tokens.or(options.budget.tokens);
    let cost = settings.budget_cost.as_ref().map(|budget| budget.sum);
    options.budget.cost = cost.or(options.budget.cost);
    options.budget.time = settings.deadline.or(options.budget.time);
    if options.budget.cost.is_some() && prices.first.is_none() {
        return Err(
            "--budget-cost requires --price, as in --price 0.15/0.60: the model has no list \
                    price"
                .into(),
        );
    }
    escalating(options, found, &prices)
}

/// Adds the attempt of the other model to `options`, if there is one.
fn escalating(
    mut options: AskOptions,
    found: &Configuration,
    prices: &Prices,
) -> Result<AskOptions, UsageError> {
    if found.settings.escalate.is_none() {
        // A file may have them for other commands, but a flag belongs to this one.
        for name in ["escalate_price", "escalate_api_key_env"] {
            if let Source::Flag { flag } = found.source(name) {
                return Err(UsageError(format!(
                    "{flag} requires --escalate: there is no other model to ask"
                )));
            }
        }
        return Ok(options);
    }
    if options.budget.cost.is_some() && prices.escalation.is_none() {
        return Err("--budget-cost with --escalate requires --escalate-price".into());
    }
    options.ladder.on_last = Some(Strategy::Escalate);
    Ok(options)
}

#[cfg(test)]
mod tests {
    use llmend::{
        asking::Retries,
        config::{Settings, Switch},
    };

    use super::retries;

    #[test]
    fn the_limit_of_all_retries_and_that_after_parse_failures_both_hold() {
        let gomind = Retries { total: 3, parsing: 2, validation: 1 };
        let of = |total, parsing, validation| Retries { total, parsing, validation };
        for (all, parsing, expected) in [
            (None, None, gomind),
            (None, Some(4), of(5, 4, 1)),
            (None, Some(0), of(1, 0, 1)),
            (Some(1), None, of(1, 1, 1)),
            (Some(1), Some(4), of(1, 1, 1)),
            (Some(4), Some(1), of(4, 1, 4)),
            (Some(4), Some(0), of(4, 0, 4)),
            (Some(0), Some(4), of(0, 0, 0)),
        ] {
            let mut settings = Settings::default();
            (settings.retry_max, settings.parse_retry_max) = (all, parsing);
            assert_eq!(retries(&settings, gomind), expected, "{all:?} {parsing:?}");
            settings.parse_retry_enabled = Switch::Off;
            assert_eq!(retries(&settings, gomind).parsing, 0, "{all:?} {parsing:?}");
            settings.retry_enabled = Switch::Off;
            assert_eq!(retries(&settings, gomind), Retries::of(0), "{all:?} {parsing:?}");
        }
        // Anton asks again after parse failures alone, whatever the limit.
        let anton = of(2, 2, 0);
        let mut settings = Settings::default();
        (settings.retry_max, settings.parse_retry_max) = (Some(4), Some(1));
        assert_eq!(retries(&settings, anton), of(4, 1, 0));
    }
}
