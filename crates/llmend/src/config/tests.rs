//! Tests of settings and their errors.

use std::time::Duration;

use super::{
    BadSetting, BadSettings, Configuration, Currency, PriceSetting, RepairMode, SETTINGS, Setting,
    SettingInput, Settings, Source, Switch, Trust, table,
};

fn variable(variable: &str) -> Source {
    Source::Environment { variable: variable.to_owned() }
}

fn given(name: &str, value: &str, source: Source) -> SettingInput {
    SettingInput { name: name.to_owned(), value: Some(value.to_owned()), source }
}

fn in_project(name: &str, value: &str) -> SettingInput {
    given(name, value, Source::ProjectFile { file: "p/llmend.toml".to_owned(), line: 3 })
}

fn in_own_file(name: &str, value: &str) -> SettingInput {
    given(name, value, Source::UserFile { file: "u/llmend.toml".to_owned(), line: 4 })
}

fn repairing(ours: Option<&str>, theirs: Option<&str>) -> Result<RepairMode, BadSetting> {
    RepairMode::read(|name| match name {
        "LLMEND_REPAIR" => ours.map(Into::into),
        "OPENMANUS_PLANNING_REPAIR" => theirs.map(Into::into),
        _ => None,
    })
}

#[test]
fn repair_is_on_unless_it_is_disabled() {
    // S0-36: on by default. S0-37: off by the original's variable, and by ours.
    for (ours, theirs, expected) in [
        (None, None, RepairMode::On),
        (None, Some("0"), RepairMode::Off),
        (None, Some("1"), RepairMode::On),
        (Some("0"), None, RepairMode::Off),
        (Some("off"), None, RepairMode::Off),
        (Some("No"), None, RepairMode::Off),
        (Some("FALSE"), None, RepairMode::Off),
        (Some("yes"), None, RepairMode::On),
        (Some("on"), None, RepairMode::On),
        (Some(" true "), None, RepairMode::On),
        (Some("0"), Some("1"), RepairMode::Off),
        (Some("1"), Some("0"), RepairMode::On),
    ] {
        assert_eq!(repairing(ours, theirs), Ok(expected), "{ours:?} {theirs:?}");
    }
}

#[test]
fn anything_else_is_an_error_that_names_the_variable() {
    for (ours, theirs, name) in [
        (Some("nope"), None, "LLMEND_REPAIR"),
        (Some(""), None, "LLMEND_REPAIR"),
        (Some("2"), Some("0"), "LLMEND_REPAIR"),
        (None, Some("disabled"), "OPENMANUS_PLANNING_REPAIR"),
        (Some("1"), Some("maybe"), "OPENMANUS_PLANNING_REPAIR"),
    ] {
        let error = repairing(ours, theirs).expect_err("no such value");
        assert_eq!(error.place, variable(name));
        let value = if name == "LLMEND_REPAIR" { ours } else { theirs }.unwrap_or_default();
        let words = format!(
            "invalid value {value:?} for {name}: expected 1, true, yes, on, 0, false, no or off"
        );
        assert_eq!(error.to_string(), words);
    }
}

#[test]
fn asking_again_is_on_and_its_limits_are_read() {
    // S1-29, S1-30: on by default, and as often as the preset says, which is twice. S1-33: by a program.
    let settings = Settings::default();
    assert_eq!((settings.retry_enabled, settings.retry_max), (Switch::On, None));
    assert_eq!(settings.preset, "standard");
    // S3-21
    assert_eq!(settings.max_repair_attempts, 3);

    let read = |name: &'static str, value: &'static str| {
        let given = SETTINGS.iter().flat_map(move |setting| {
            let look_up = move |wanted: &'static str| (wanted == name).then(|| value.into());
            setting.given_by(&look_up).collect::<Vec<_>>()
        });
        Configuration::resolve(given).map(|found| found.settings)
    };
    // S1-31, S1-32: the originals' names, read as 1 and 0 are meant.
    let off = Settings { parse_retry_enabled: Switch::Off, ..Settings::default() };
    for value in ["0", "false", "no", "off"] {
        assert_eq!(read("GOMIND_PLAN_RETRY_ENABLED", value), Ok(off.clone()), "{value}");
    }
    assert_eq!(read("GOMIND_PLAN_RETRY_ENABLED", "1"), Ok(Settings::default()));
    assert!(read("GOMIND_PLAN_RETRY_ENABLED", "enabled").is_err());
    for (name, all, parsing) in [
        ("LLMEND_RETRY_MAX", Some(7), None),
        ("LLMEND_PARSE_RETRY_MAX", None, Some(7)),
        ("GOMIND_PLAN_RETRY_MAX", None, Some(7)),
    ] {
        let settings = read(name, "7").unwrap();
        assert_eq!((settings.retry_max, settings.parse_retry_max), (all, parsing), "{name}");
        assert!(read(name, "seven").is_err(), "{name}");
    }
    assert_eq!(read("LLMEND_DEADLINE", "1.5").unwrap().deadline, Some(Duration::from_millis(1500)));
}

#[test]
fn each_row_of_the_table_holds_together() {
    for (at, setting) in SETTINGS.iter().enumerate() {
        let Setting { name, variables, default, flag, about, .. } = *setting;
        let ours = format!("LLMEND_{}", name.to_ascii_uppercase());
        assert_eq!(variables.first(), Some(&ours.as_str()), "{name}");
        let mut settings = Settings::default();
        assert!(default.is_empty() || table::put(&mut settings, name, default).is_some(), "{name}");
        assert_eq!(settings, Settings::default(), "{name}: the default is the default");
        assert!(about.ends_with('.') && !about.starts_with(' '), "{name}: {about}");
        let twice = |other: &Setting| other.name == name || (flag.is_some() && other.flag == flag);
        assert!(!SETTINGS[..at].iter().any(twice), "{name}");
    }
}

#[test]
fn the_later_source_counts_and_is_reported() {
    let sources = [
        in_own_file("retry_max", "1"),
        in_project("retry_max", "2"),
        given("retry_max", "3", variable("LLMEND_RETRY_MAX")),
        Setting::named("retry_max").unwrap().given_as_flag("4"),
    ];
    let setting = Setting::named("retry_max").unwrap();
    let told = ["u/llmend.toml:4", "p/llmend.toml:3", "LLMEND_RETRY_MAX", "--max-json-retries"];
    for (count, told) in told.into_iter().enumerate() {
        let found = Configuration::resolve(sources[..=count].iter().cloned()).unwrap();
        let expected = count + 1;
        assert_eq!(found.settings.retry_max, u32::try_from(expected).ok());
        let (text, source) = found.of(setting);
        assert_eq!((text, source.to_string()), (expected.to_string().as_str(), told.to_owned()));
    }
    let nothing = Configuration::default();
    assert_eq!(nothing.of(setting), ("", &Source::Default));
    assert_eq!(nothing.of(Setting::named("preset").unwrap()), ("standard", &Source::Default));
}

fn errors(given: impl IntoIterator<Item = SettingInput>) -> Vec<String> {
    let Err(BadSettings(errors)) = Configuration::resolve(given) else { return Vec::new() };
    errors.iter().map(ToString::to_string).collect()
}

#[test]
fn what_is_no_setting_is_an_error_with_the_nearest_one() {
    let rows = [
        (
            in_own_file("retrymax", "1"),
            "u/llmend.toml:4: unknown setting `retrymax`; did you mean retry_max?",
        ),
        (
            in_project("Preset", "anton"),
            "p/llmend.toml:3: unknown setting `Preset`; did you mean preset?",
        ),
        (
            in_project("color", "red"),
            "p/llmend.toml:3: unknown setting `color`; `llmend config` lists the settings",
        ),
        (
            given("LLMEND_RETRIES_MAX", "1", variable("LLMEND_RETRIES_MAX")),
            "unknown environment variable LLMEND_RETRIES_MAX; did you mean LLMEND_RETRY_MAX?",
        ),
        (
            in_own_file("preset", "antony"),
            "u/llmend.toml:4: invalid value \"antony\" for `preset`: expected standard, gomind, \
             clickweave-planner, clickweave-patcher, clickweave-assistant, anton or openmanus",
        ),
        (
            in_own_file("deadline", "1e3"),
            "u/llmend.toml:4: invalid value \"1e3\" for `deadline`: expected a number of seconds above 0, up to 86400",
        ),
        (
            Setting::named("budget_tokens").unwrap().given_as_flag("0"),
            "invalid value \"0\" for --budget-tokens: expected a whole number from 1",
        ),
        (
            SettingInput { value: None, ..in_own_file("model", "") },
            "u/llmend.toml:4: invalid value for `model`: expected a model such as openai:gpt-4o, ollama:llama3 or \
             replay:FILE, without a password",
        ),
    ];
    for (given, expected) in rows {
        assert_eq!(errors([given]), [expected]);
    }
    // All of them at once, also what something else overrides.
    assert_eq!(
        errors([in_own_file("retry_max", "x"), in_project("retry_max", "1"), in_project("x", "1")])
            .len(),
        2
    );
}

#[test]
fn values_that_are_out_of_range_are_refused() {
    let rows = [
        ("retry_max", ["101", "-1", "+1", "", "1.0"]),
        ("max_repair_attempts", ["11", "-1", "many", "", "3.5"]),
        ("budget_tokens", ["0", "-5", "1e9", "", "99999999999999999999999"]),
        ("deadline", ["0", "-1", "86401", "NaN", "inf"]),
        ("budget_cost", ["0", "-1", "0.0000001", "1e3", "99999999999999999999"]),
        ("price", ["0.15", "1/", "/1", "1/2/3", "a/b"]),
        ("preset", ["gomind:3", "clickweave-assistant:x", "", "Anton", "none"]),
        ("base_url", ["example.org", "ftp://a", "http://", "https://u:p@h", ""]),
        ("api_key_env", ["sk-123", "my key", "lower", "1A", ""]),
        ("model", ["", " ", "openai+http://u:p@h/v1:m", "openai+https://u@h:m", "\t"]),
    ];
    for (name, values) in rows {
        for value in values {
            assert_eq!(errors([in_own_file(name, value)]).len(), 1, "{name} {value:?}");
        }
    }
}

#[test]
fn a_project_may_not_say_where_things_go() {
    for setting in SETTINGS.iter().filter(|setting| setting.trust == Trust::User) {
        let errors = errors([in_project(setting.name, "https://example.org")]);
        assert!(errors[0].contains("may not set"), "{errors:?}");
    }
    let names: Vec<&str> = SETTINGS
        .iter()
        .filter(|setting| setting.trust == Trust::User)
        .map(|setting| setting.name)
        .collect();
    assert_eq!(
        names,
        ["base_url", "api_key_env", "headers", "refusals", "escalate_api_key_env", "record"]
    );
    // Nor by the name of a model.
    for model in ["openai+http://evil.example/v1:gpt", "replay:/etc/passwd"] {
        for name in ["model", "escalate"] {
            assert!(errors([in_project(name, model)])[0].contains("may not set"), "{model}");
            assert_eq!(errors([in_own_file(name, model)]), Vec::<String>::new());
        }
    }
    assert_eq!(errors([in_project("model", "ollama:llama3")]), Vec::<String>::new());
}

#[test]
fn a_secret_in_the_wrong_place_is_not_shown() {
    let rows = [
        ("api_key_env", "sk-planted-secret"),
        ("base_url", "https://me:planted-secret@host"),
        ("model", "openai+https://planted-secret@host:m"),
    ];
    for (name, value) in rows {
        for given in [in_own_file(name, value), in_project(name, value)] {
            let errors = errors([given]);
            assert_eq!(errors.len(), 1);
            assert!(!errors[0].contains("planted-secret"), "{errors:?}");
        }
    }
}

#[test]
fn money_is_read_in_millionths() {
    let read =
        |name, text| Configuration::resolve([in_own_file(name, text)]).map(|found| found.settings);
    for (text, expected) in [
        ("1", 1_000_000),
        ("0.05", 50_000),
        ("2.5", 2_500_000),
        ("0.000001", 1),
        ("12.345678", 12_345_678),
    ] {
        let budget = read("budget_cost", text).unwrap().budget_cost.unwrap();
        assert_eq!((budget.sum, budget.currency), (expected, Currency::default()), "{text}");
    }
    for (text, expected) in [
        ("0.05 EUR", Some("0.05 EUR")),
        ("eur 0.05", Some("0.05 EUR")),
        ("$0.05", Some("$0.05")),
        ("0.05€", Some("€0.05")),
        ("$0.05 EUR", None),
        ("0 EUR", None),
        ("EUR", None),
    ] {
        let budget = read("budget_cost", text).ok().and_then(|settings| settings.budget_cost);
        let shown = budget.map(|budget| budget.currency.amount(budget.sum));
        assert_eq!(shown.as_deref(), expected, "{text}");
    }
    // What costs nothing has a price too.
    assert_eq!(read("price", "0/0").unwrap().price, Some(PriceSetting::default()));
    assert_eq!(read("preset", "clickweave-assistant:5").unwrap().preset, "clickweave-assistant:5");
}

#[test]
fn settings_of_a_model_are_read() {
    let found = Configuration::resolve([
        in_own_file("temperature", "0.7"),
        in_own_file("headers", "X-Team: seven\nx-trace: a:b"),
        in_own_file("num_ctx", "8192"),
        in_own_file("ladder", "patch, full"),
        in_project("prompts", "prompts/mine"),
    ])
    .unwrap()
    .settings;
    let headers = found.headers.unwrap();
    let expected = [("x-team", "seven"), ("x-trace", "a:b")];
    assert_eq!(headers.0, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
    assert!(!format!("{headers:?}").contains("seven"));
    assert_eq!((found.temperature, found.num_ctx), (Some(0.7), Some(8192)));
    assert_eq!(found.ladder.unwrap().len(), 2);
    for (name, value) in [
        ("temperature", "2.5"),
        ("temperature", "-1"),
        ("temperature", "inf"),
        ("headers", "no colon"),
        ("headers", "two words: x"),
        ("ladder", "fields,all"),
        ("ladder", ""),
        ("num_ctx", "0"),
    ] {
        assert!(Configuration::resolve([in_own_file(name, value)]).is_err(), "{name} {value}");
    }
    // A project's prompts are its own files.
    for path in ["/etc", "../other", "a/../../b"] {
        let errors = Configuration::resolve([in_project("prompts", path)]).unwrap_err();
        assert!(errors.to_string().contains("a project file may not set `prompts`"), "{errors}");
        assert!(Configuration::resolve([in_own_file("prompts", path)]).is_ok(), "{path}");
    }
    assert!(Configuration::resolve([in_project("headers", "a: b")]).is_err());
}

#[test]
fn prices_have_a_currency_on_any_side() {
    let rows = [
        ("0.15/0.60", Some((150_000, 600_000, "0.0012"))),
        ("$0.15/0.60", Some((150_000, 600_000, "$0.0012"))),
        ("$0.15/$0.60", Some((150_000, 600_000, "$0.0012"))),
        ("0.15/0.60 EUR", Some((150_000, 600_000, "0.0012 EUR"))),
        ("0.15 / 0.60 eur", Some((150_000, 600_000, "0.0012 EUR"))),
        ("EUR 1/2", Some((1_000_000, 2_000_000, "0.0012 EUR"))),
        ("1/2€", Some((1_000_000, 2_000_000, "€0.0012"))),
        ("US$1/2", Some((1_000_000, 2_000_000, "US$0.0012"))),
        ("1/2 kr", Some((1_000_000, 2_000_000, "0.0012 kr"))),
        ("$1/2 USD", Some((1_000_000, 2_000_000, "$0.0012"))),
        ("$1/2 EUR", None),
        ("$1/€2", None),
        ("-1/2", None),
        ("1/-2", None),
        ("1/2 euros", None),
        ("1 2/3", None),
        ("1/2/3", None),
        ("1%/2", None),
        ("$/2", None),
        ("1", None),
        ("", None),
    ];
    for (text, expected) in rows {
        let read = |name| Configuration::resolve([in_own_file(name, text)]).ok();
        let settings = read("price").map(|found| found.settings);
        let other = read("escalate_price").and_then(|found| found.settings.escalate_price);
        let found = settings.and_then(|settings| settings.price);
        assert_eq!(found, other, "{text}");
        let found = found
            .map(|found| (found.price.input, found.price.output, found.currency.amount(1_200)));
        let found = found.as_ref().map(|(one, two, amount)| (*one, *two, amount.as_str()));
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn a_symbol_and_a_code_of_one_currency_are_the_same() {
    let of = |text: &str| Currency::parse(text).expect("a currency");
    for (one, other, expected) in [
        ("$", "USD", true),
        ("US$", "usd", true),
        ("$", "US$", true),
        ("€", "eur", true),
        ("£", "GBP", true),
        ("¥", "JPY", true),
        ("EUR", "EUR", true),
        ("kr", "kr", true),
        ("$", "A$", false),
        ("$", "CAD", false),
        ("€", "GBP", false),
        ("kr", "SEK", false),
        ("", "USD", false),
    ] {
        assert_eq!(of(one) == of(other), expected, "{one} {other}");
        let agree = expected || one.is_empty();
        assert_eq!(of(one).agrees_with(&of(other)), agree, "{one} {other}");
    }
}

#[test]
fn amounts_have_no_more_digits_than_they_need() {
    let none = Currency::default();
    for (millionths, expected) in
        [(0, "0"), (1, "0.000001"), (1_200, "0.0012"), (2_500_000, "2.5"), (3_000_000, "3")]
    {
        assert_eq!(none.amount(millionths), expected);
    }
}
