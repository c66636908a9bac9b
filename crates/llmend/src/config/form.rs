//! Parsers of setting values.

use std::{fmt, time::Duration};

use llmend_json::{Options, Policy};
use serde::Serialize;

use super::{CostSetting, Currency, PriceSetting};
use crate::asking::{Preset, Price, Strategy};

/// Whether a text is searched for its value and repaired.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RepairMode {
    /// It is.
    #[default]
    On,
    /// It is not: the text is strict JSON, or an error.
    Off,
}

impl RepairMode {
    /// Returns the engine's options: the defaults, or the policy `strict`.
    #[must_use]
    pub fn options(self) -> Options {
        match self {
            Self::On => Options::default(),
            Self::Off => Options::policy(Policy::Strict),
        }
    }
}

/// Whether something is on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Switch {
    /// On.
    On,
    /// Off.
    #[default]
    Off,
}

/// What [`switch`] accepts.
pub(super) const SWITCH: &str = "1, true, yes, on, 0, false, no or off";

pub(super) fn switch(text: &str) -> Option<Switch> {
    match text.to_ascii_lowercase().as_str() {
        "1" | "true" | "yes" | "on" => Some(Switch::On),
        "0" | "false" | "no" | "off" => Some(Switch::Off),
        _ => None,
    }
}

pub(super) fn repair_mode(text: &str) -> Option<RepairMode> {
    Some(match switch(text)? {
        Switch::On => RepairMode::On,
        Switch::Off => RepairMode::Off,
    })
}

/// What [`retries`] accepts.
pub(super) const RETRIES: &str = "a whole number from 0 to 100";

pub(super) fn retries(text: &str) -> Option<u32> {
    whole(text).and_then(|number| u32::try_from(number).ok()).filter(|number| *number <= 100)
}

/// What [`attempts`] accepts.
pub(super) const ATTEMPTS: &str = "a whole number from 0 to 10";

pub(super) fn attempts(text: &str) -> Option<u32> {
    whole(text).and_then(|number| u32::try_from(number).ok()).filter(|number| *number <= 10)
}

/// What [`tokens`] accepts.
pub(super) const TOKENS: &str = "a whole number from 1";

pub(super) fn tokens(text: &str) -> Option<u64> {
    whole(text).filter(|number| *number > 0)
}

/// Parses the token limit of one answer.
pub(super) fn answer_tokens(text: &str) -> Option<u32> {
    tokens(text)?.try_into().ok()
}

/// What [`money`] accepts.
pub(super) const MONEY: &str =
    "an amount above 0 with at most six decimals, such as 0.05, $0.05 or 0.05 EUR";

/// Parses a sum, with a currency on either side.
pub(super) fn money(text: &str) -> Option<CostSetting> {
    let (sum, currency) = amount(text).filter(|(sum, _)| *sum > 0)?;
    Some(CostSetting { sum, currency })
}

/// What [`price`] accepts.
pub(super) const PRICE: &str = "the prices of a million input and output tokens, such as 0.15/0.60, $0.15/0.60 or 0.15/0.60 EUR";

/// Parses two prices, with a currency on any side of either. Two currencies must be the same.
pub(super) fn price(text: &str) -> Option<PriceSetting> {
    let (input, output) = text.split_once('/')?;
    let ((input, one), (output, other)) = (amount(input)?, amount(output)?);
    let currency = one.agrees_with(&other).then(|| one.or(other))?;
    Some(PriceSetting { price: Price { input, output }, currency })
}

/// Parses a number with a currency before or after it.
fn amount(text: &str) -> Option<(u64, Currency)> {
    let is_digit = |c: char| c.is_ascii_digit();
    let (start, end) = (text.find(is_digit)?, text.rfind(is_digit)? + 1);
    let (before, after) = (text.get(..start)?.trim(), text.get(end..)?.trim());
    let (before, after) = (Currency::parse(before)?, Currency::parse(after)?);
    let currency = before.agrees_with(&after).then(|| before.or(after))?;
    Some((millionths(text.get(start..end)?)?, currency))
}

/// Parses a decimal number into millionths.
fn millionths(text: &str) -> Option<u64> {
    const DIGITS: usize = 6;
    let (units, rest) = text.split_once('.').unwrap_or((text, "0"));
    let is_number = !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit());
    let rest = Some(rest).filter(|rest| is_number && rest.len() <= DIGITS)?;
    let units = whole(units)?.checked_mul(1_000_000)?;
    units.checked_add(whole(&format!("{rest:0<DIGITS$}"))?)
}

/// What [`seconds`] accepts.
pub(super) const SECONDS: &str = "a number of seconds above 0, up to 86400";

pub(super) fn seconds(text: &str) -> Option<Duration> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let number: f64 = text.parse().ok().filter(|_| plain)?;
    (number > 0.0 && number <= 86_400.0).then(|| Duration::from_secs_f64(number))
}

/// What [`temperature`] accepts.
pub(super) const TEMPERATURE: &str = "a number from 0 to 2";

pub(super) fn temperature(text: &str) -> Option<f64> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    text.parse().ok().filter(|number: &f64| plain && *number <= 2.0)
}

/// What [`ladder`] accepts.
pub(super) const LADDER: &str =
    "strategies separated by commas: fields, patch, full, emphatic, continue or escalate";

pub(super) fn ladder(text: &str) -> Option<Vec<Strategy>> {
    text.split(',').map(|name| name.trim().parse().ok()).collect()
}

/// Headers of requests. Their values may be secrets, which no debug output shows.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Headers(pub Vec<(String, String)>);

impl fmt::Debug for Headers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|(name, _)| name)).finish()
    }
}

/// What [`headers`] accepts.
pub(super) const HEADERS: &str = "lines such as x-team: seven";

pub(super) fn headers(text: &str) -> Option<Headers> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let headers: Option<Vec<_>> = lines
        .map(|line| {
            let (name, value) = line.split_once(':')?;
            let name = name.trim();
            let is_token = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
            let is_name = !name.is_empty() && name.bytes().all(is_token);
            is_name.then(|| (name.to_ascii_lowercase(), value.trim().to_owned()))
        })
        .collect();
    headers.filter(|headers| !headers.is_empty()).map(Headers)
}

fn whole(text: &str) -> Option<u64> {
    // Rust also parses a plus sign, which nobody means.
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

/// What [`text`] accepts.
pub(super) const TEXT: &str = "a non-empty string";

pub(super) fn text(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

/// What [`model`] accepts.
pub(super) const MODEL: &str =
    "a model such as openai:gpt-4o, ollama:llama3 or replay:FILE, without a password";

pub(super) fn model(text: &str) -> Option<String> {
    let url = text.split_once("://").map(|(_, rest)| rest.split('/').next().unwrap_or(rest));
    let has_user = url.is_some_and(|host| host.contains('@'));
    (!text.is_empty() && !has_user).then(|| text.to_owned())
}

/// What [`base_url`] accepts.
pub(super) const BASE_URL: &str = "an http:// or https:// URL without a user";

pub(super) fn base_url(text: &str) -> Option<String> {
    let rest = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"))?;
    (!rest.is_empty() && !rest.contains('@')).then(|| text.to_owned())
}

/// What [`variable`] accepts.
pub(super) const VARIABLE: &str = "the name of an environment variable, not a key";

pub(super) fn variable(text: &str) -> Option<String> {
    let plain = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    let starts = text.bytes().next().is_some_and(|byte| !byte.is_ascii_digit());
    (starts && text.bytes().all(plain)).then(|| text.to_owned())
}

/// What [`preset`] accepts.
pub(super) const PRESET: &str = "standard, gomind, clickweave-planner, clickweave-patcher, clickweave-assistant, anton or openmanus";

pub(super) fn preset(text: &str) -> Option<String> {
    text.parse::<Preset>().is_ok().then(|| text.to_owned())
}
