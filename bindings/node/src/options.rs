//! Options, as the JSON of an object in camel case.

use std::{cell::RefCell, fmt::Display, str::FromStr};

#[cfg(feature = "full")]
use llmend_json::UnknownChoice;
use llmend_json::{Hints, Options, Policy, Rule, WithoutJson};
use serde::{Deserialize, de::DeserializeOwned};

use crate::refusal::{self, Refusal};

/// Options of repair. What is absent is as in the policy.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(crate) struct TextOptions {
    policy: Option<String>,
    allow: Vec<String>,
    forbid: Vec<String>,
    search: Option<String>,
    choice: Option<String>,
    emphasis: Option<String>,
    guard: Option<String>,
    max_depth: Option<usize>,
    max_bytes: Option<usize>,
    max_repairs: Option<usize>,
    max_closers: Option<usize>,
    max_class: Option<String>,
    on_bad_item: Option<String>,
    keys: Vec<String>,
    words: Vec<String>,
    without_json: Option<String>,
    /// How values are coerced.
    #[cfg(feature = "full")]
    pub(crate) coerce: Option<CoerceOptions>,
}

impl TextOptions {
    /// Returns the options of the engine.
    pub(crate) fn read(&self) -> Result<Options, Refusal> {
        let policy =
            self.policy.as_deref().map_or(Ok(Policy::default()), |name| named("policy", name))?;
        let mut options = Options::policy(policy);
        for name in &self.allow {
            options.rules = options.rules.with(named::<Rule>("allow", name)?);
        }
        for name in &self.forbid {
            options.rules = options.rules.without(named::<Rule>("forbid", name)?);
        }
        set("search", &mut options.search, self.search.as_ref())?;
        set("choice", &mut options.choice, self.choice.as_ref())?;
        set("emphasis", &mut options.emphasis, self.emphasis.as_ref())?;
        set("guard", &mut options.guard, self.guard.as_ref())?;
        set("maxClass", &mut options.max_class, self.max_class.as_ref())?;
        set("onBadItem", &mut options.on_bad_item, self.on_bad_item.as_ref())?;
        options.max_depth = self.max_depth.unwrap_or(options.max_depth);
        options.max_bytes = self.max_bytes.unwrap_or(options.max_bytes);
        options.max_repairs = self.max_repairs.unwrap_or(options.max_repairs);
        options.max_closers = self.max_closers.unwrap_or(options.max_closers);
        let mut without_json = WithoutJson::default();
        set("withoutJson", &mut without_json, self.without_json.as_ref())?;
        options.hints = Hints { keys: self.keys.clone(), words: self.words.clone(), without_json };
        Ok(options)
    }
}

/// Options of coercion.
#[cfg(feature = "full")]
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(crate) struct CoerceOptions {
    mode: Option<String>,
    on_bad_item: Option<String>,
    on_extra: Option<String>,
    units: Option<String>,
    emphasis: Option<String>,
    near: Option<String>,
}

#[cfg(feature = "full")]
impl CoerceOptions {
    /// Returns how values are coerced.
    pub(crate) fn read(&self) -> Result<llmend::CoerceMode, Refusal> {
        let mut options = llmend::schema::Options::default();
        set("coerce.onBadItem", &mut options.on_bad_item, self.on_bad_item.as_ref())?;
        set("coerce.onExtra", &mut options.on_extra, self.on_extra.as_ref())?;
        set("coerce.units", &mut options.units, self.units.as_ref())?;
        set("coerce.emphasis", &mut options.emphasis, self.emphasis.as_ref())?;
        set("coerce.near", &mut options.near, self.near.as_ref())?;
        let mode = self.mode.as_deref().unwrap_or("on");
        Ok(match one_of("coerce.mode", mode, &["on", "off"], |name| name)? {
            "off" => llmend::CoerceMode::Off,
            _ => llmend::CoerceMode::On(options),
        })
    }
}

/// Reads options of a text from JSON.
pub(crate) fn given(json: &str) -> Result<TextOptions, Refusal> {
    read(json)
}

/// Reads options from JSON. The empty text stands for the defaults.
pub(crate) fn read<T: DeserializeOwned + Default>(json: &str) -> Result<T, Refusal> {
    if json.is_empty() {
        return Ok(T::default());
    }
    serde_json::from_str(json).map_err(|error| refusal::of_settings(&error))
}

thread_local! {
    // The options of the last call and their JSON: most calls of a program have the same.
    static KNOWN: RefCell<(String, Options)> = RefCell::default();
}

/// Runs `work` with the options of the engine in `json`.
pub(crate) fn with<R>(
    json: &str,
    work: impl FnOnce(&Options) -> Result<R, Refusal>,
) -> Result<R, Refusal> {
    let is_known = KNOWN.with_borrow(|(known, _)| known == json);
    if !is_known {
        let options = given(json)?.read()?;
        KNOWN.set((json.to_owned(), options));
    }
    KNOWN.with_borrow(|(_, options)| work(options))
}

/// Sets an option by the name that it has as its value, if there is one.
pub(crate) fn set<T: FromStr<Err: Display>>(
    of: &str,
    option: &mut T,
    name: Option<&String>,
) -> Result<(), Refusal> {
    if let Some(name) = name {
        *option = named(of, name)?;
    }
    Ok(())
}

/// Parses the name that an option has as its value.
pub(crate) fn named<T: FromStr<Err: Display>>(option: &str, name: &str) -> Result<T, Refusal> {
    name.parse().map_err(|error| refusal::of_setting(option, &error))
}

/// Finds the name that an option has as its value among those that are known.
#[cfg(feature = "full")]
pub(crate) fn one_of<T: Copy>(
    option: &str,
    name: &str,
    known: &[T],
    as_str: impl Fn(T) -> &'static str,
) -> Result<T, Refusal> {
    UnknownChoice::find(name, known, as_str).map_err(|error| refusal::of_setting(option, &error))
}
