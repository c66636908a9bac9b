//! The documentation of the settings is correct.

use llmend_gateway::config::{Limits, Policy, Timers};
use llmend_gateway::{Config, Settings};

const PAGE: &str = include_str!("../../../../docs/guide/gateway.md");
const UNIT: &str = include_str!("../../../../packaging/llmend.service");

fn config() -> Config {
    let toml = PAGE.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    // Settings without a default are commented out.
    Config::from_toml(&toml.replace("# reask_tokens = 20000", "")).unwrap()
}

#[test]
fn documented_values_are_the_defaults() {
    let config = config();
    let Config { listen, keys, allowed_hosts, allowed_origins, .. } = Config::default();
    assert_eq!((config.listen, config.keys.clone()), (listen, keys));
    assert_eq!(
        (config.allowed_hosts.clone(), config.allowed_origins.clone()),
        (allowed_hosts, allowed_origins)
    );
    assert_eq!(config.limits, Limits::default());
    assert_eq!(config.timers, Timers::default());
    assert_eq!(Policy::default().with(&config.policy), Policy::default());
    let settings = Settings::new(&config, |name| (name == "OPENAI_API_KEY").then(|| "k".into()));
    assert!(settings.is_ok(), "{settings:?}");
    assert_eq!(config.routes.len(), 2);
}

#[test]
fn every_limit_and_timer_is_documented() {
    let shown = format!("{:?} {:?} {:?}", Limits::default(), Timers::default(), Policy::default());
    let names = shown.split([' ', '{', ',', '}']).filter_map(|word| word.strip_suffix(':'));
    let names: Vec<&str> = names.collect();
    assert!(names.len() > 15, "{names:?}");
    for name in names {
        assert!(
            PAGE.contains(&format!("\n{name} = ")) || PAGE.contains(&format!("\n# {name} = ")),
            "{name}"
        );
    }
}

#[test]
fn the_service_has_enough_time_to_stop() {
    let timeout = UNIT.lines().find_map(|line| line.strip_prefix("TimeoutStopSec=")).unwrap();
    let Timers { lame_duck_ms, drain_ms, .. } = Timers::default();
    assert!(timeout.parse::<u64>().unwrap() * 1000 > lame_duck_ms + drain_ms + 5_000, "{timeout}");
}
