//! Validation of the configuration.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::net::SocketAddr;

use llmend::config::RepairMode;
use llmend_models::SecretString;

use super::path::plain_path;
use super::route::path_pattern;
use super::upstream::base_url;
use super::{
    Config, EmulateTools, Level, Limits, ModelSettings, PathProtocol, Policy, PolicyConfig,
    Recording, Route, TextCalls, Timers, UpstreamSettings,
};
use crate::config::key::KeyHash;

/// A validated configuration, with the keys of the upstreams.
#[derive(Clone, Debug)]
pub struct Settings {
    pub(crate) listen: SocketAddr,
    pub(crate) keys: Vec<KeyHash>,
    pub(crate) allowed_hosts: Vec<String>,
    pub(crate) allowed_origins: Vec<String>,
    /// In the order of their names.
    pub(crate) upstreams: Vec<UpstreamSettings>,
    pub(crate) routes: Vec<Route>,
    /// Policy for models without a route.
    pub(crate) policy: Policy,
    /// `LLMEND_REPAIR=0` disables repairs for all routes.
    pub(crate) repairing: RepairMode,
    pub(crate) limits: Limits,
    pub(crate) timers: Timers,
    pub(crate) recording: Recording,
    pub(crate) models: ModelSettings,
}

/// A problem with a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Path of the key at fault: `gateway.routes[0].upstream`.
    pub path: String,
    /// Description of the problem, and how to fix it.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.message)
    }
}

impl Settings {
    /// Validates `config`. `look_up` returns the value of an environment variable, and is asked for the API
    /// keys of the upstreams. The error lists every problem, not only the first.
    pub fn new(
        config: &Config,
        look_up: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Self, Vec<Problem>> {
        let mut problems = Problems::default();
        let keys = keys(config, &mut problems);
        if config.keys.is_empty() && !config.listen.ip().is_loopback() {
            let message = format!(
                "{} accepts requests from other machines, but there are no client keys: listen on 127.0.0.1, \
                 or add a key to `keys`",
                config.listen
            );
            problems.add("gateway.listen", message);
        }
        let upstreams = upstreams(config, look_up_text(&look_up), &mut problems);
        let policy = Policy::default().with(&config.policy);
        check_policy(&policy, "gateway.policy", &mut problems);
        let routes = routes(config, policy, &mut problems);
        check_numbers(config, &mut problems);
        let repairing = RepairMode::read(&look_up).unwrap_or_else(|error| {
            problems.add(error.name.clone(), error.to_string());
            RepairMode::default()
        });
        let recording = config.recording.resolve().unwrap_or_else(|(key, message)| {
            problems.add(format!("gateway.recording.{key}"), message);
            Recording::default()
        });
        let models =
            ModelSettings::new(config.headers.as_ref(), &config.models, |path, message| {
                problems.add(path, message);
            });
        let settings = Self {
            listen: config.listen,
            keys,
            allowed_hosts: config.allowed_hosts.clone(),
            allowed_origins: config.allowed_origins.clone(),
            upstreams,
            routes,
            policy,
            repairing,
            limits: config.limits,
            timers: config.timers,
            recording,
            models,
        };
        if problems.0.is_empty() { Ok(settings) } else { Err(problems.0) }
    }

    /// Returns the upstream for `model`, its index and the policy. `None` if no route matches and there is
    /// not exactly one upstream.
    pub(crate) fn route(&self, model: &str) -> Option<(&UpstreamSettings, usize, Policy)> {
        let named = self.routes.iter().find(|route| route.matches(model));
        let (index, policy) = match named {
            Some(route) => (route.upstream, route.policy),
            None if self.upstreams.len() == 1 => (0, self.policy),
            None => return None,
        };
        self.upstreams.get(index).map(|upstream| (upstream, index, policy))
    }
}

impl Settings {
    /// Returns the protocol of a path that a route maps, and the part of it that stands for the model.
    pub(crate) fn mapped(&self, path: &str) -> Option<(PathProtocol, Deployment)> {
        let path = path.strip_prefix("/v1").filter(|rest| rest.starts_with('/')).unwrap_or(path);
        let mut routes = self.routes.iter().enumerate();
        routes.find_map(|(route, known)| {
            let (protocol, model) = known.mapped(path)?;
            Some((protocol, Deployment { route, model: model.to_owned() }))
        })
    }

    /// Whether some server may take a path for one that a route maps.
    pub(crate) fn is_mapped(&self, path: &str) -> bool {
        let (plain, written) = (plain_path(path), path.to_lowercase());
        self.routes.iter().any(|route| route.is_at(&plain) || route.is_at(&written))
    }

    /// Returns the upstream of a route, its index and the policy.
    pub(crate) fn route_at(&self, at: usize) -> Option<(&UpstreamSettings, usize, Policy)> {
        let Route { upstream, policy, .. } = self.routes.get(at)?;
        self.upstreams.get(*upstream).map(|found| (found, *upstream, *policy))
    }
}

/// The route of a path, and the model that the path names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Deployment {
    pub(crate) route: usize,
    pub(crate) model: String,
}

#[derive(Default)]
struct Problems(Vec<Problem>);

impl Problems {
    fn add(&mut self, path: impl Into<String>, message: impl Into<String>) {
        self.0.push(Problem { path: path.into(), message: message.into() });
    }
}

fn look_up_text(
    look_up: &impl Fn(&str) -> Option<OsString>,
) -> impl Fn(&str) -> Option<SecretString> {
    move |name| look_up(name)?.into_string().ok().filter(|text| !text.is_empty()).map(Into::into)
}

fn keys(config: &Config, problems: &mut Problems) -> Vec<KeyHash> {
    let mut keys = Vec::new();
    for (key, at) in config.keys.iter().zip(0..) {
        match KeyHash::from_hex(&key.sha256) {
            Some(hash) => keys.push(hash),
            // The value may be the key itself, so the message does not repeat it.
            None => problems.add(
                format!("gateway.keys[{at}].sha256"),
                "expected a SHA-256 hash of 64 hexadecimal digits: create one with `printf %s \"$KEY\" | sha256sum`",
            ),
        }
    }
    keys
}

fn upstreams(
    config: &Config,
    key: impl Fn(&str) -> Option<SecretString>,
    problems: &mut Problems,
) -> Vec<UpstreamSettings> {
    if config.upstreams.is_empty() {
        problems.add("gateway.upstreams", "expected at least one upstream, found none");
    }
    let mut found = Vec::new();
    for (name, upstream) in &config.upstreams {
        let path = format!("gateway.upstreams.{name}");
        let key = upstream.api_key_env.as_deref().and_then(|variable| {
            let key = key(variable);
            if key.is_none() {
                let message = format!("environment variable `{variable}` contains no key");
                problems.add(format!("{path}.api_key_env"), message);
            }
            key
        });
        if upstream.api_key_env.is_none() && !upstream.passthrough.is_empty() {
            let message =
                "expected a key for these paths: name an environment variable in `api_key_env`";
            problems.add(format!("{path}.passthrough"), message);
        }
        match base_url(&upstream.base_url) {
            Ok(base_url) => found.push(UpstreamSettings {
                name: name.clone(),
                base_url,
                key,
                passthrough: upstream.passthrough.clone(),
            }),
            Err(message) => problems.add(format!("{path}.base_url"), message),
        }
    }
    found
}

fn routes(config: &Config, policy: Policy, problems: &mut Problems) -> Vec<Route> {
    let names: BTreeMap<&str, usize> =
        config.upstreams.keys().map(String::as_str).zip(0..).collect();
    let mut routes = Vec::new();
    for (route, at) in config.routes.iter().zip(0..) {
        let Some(&upstream) = names.get(route.upstream.as_str()) else {
            let mut message = format!("unknown upstream `{}`", route.upstream);
            if let Some(near) = llmend::json::nearest(&route.upstream, names.keys().copied()) {
                message = format!("{message}; did you mean `{near}`?");
            }
            problems.add(format!("gateway.routes[{at}].upstream"), message);
            continue;
        };
        let policy = policy.with(&route.policy);
        if route.policy != PolicyConfig::default() {
            check_policy(&policy, &format!("gateway.routes[{at}].policy"), problems);
        }
        let path = match (&route.path, route.protocol) {
            (None, None) => None,
            (Some(path), Some(protocol)) => match path_pattern(path) {
                Ok(pattern) => Some((pattern, protocol)),
                Err(message) => {
                    problems.add(format!("gateway.routes[{at}].path"), message);
                    continue;
                }
            },
            (Some(_), None) | (None, Some(_)) => {
                let message = "`path` and `protocol` belong together: give both or neither";
                problems.add(format!("gateway.routes[{at}]"), message);
                continue;
            }
        };
        routes.push(Route { model: route.model.clone(), path, upstream, policy });
    }
    routes
}

/// Rejects emulated tools whose calls would not be read.
fn check_policy(policy: &Policy, path: &str, problems: &mut Problems) {
    let unread = match policy {
        Policy { level: Level::Strict, .. } => "level = \"strict\"",
        Policy { calls: TextCalls::Never, .. } => "calls = \"never\"",
        _ => return,
    };
    if policy.emulate_tools != EmulateTools::Off {
        let message =
            format!("the model's calls are not read with `{unread}`: remove one of the two");
        problems.add(format!("{path}.emulate_tools"), message);
    }
}

/// Rejects limits of 0, with which no request could succeed.
fn check_numbers(config: &Config, problems: &mut Problems) {
    let Limits { body_bytes, answer_bytes, in_flight, depth, schema_bytes, head_bytes, .. } =
        config.limits;
    let limits = [
        ("limits.repair_work_in_all", config.limits.repair_work_in_all),
        ("limits.body_bytes", body_bytes),
        ("limits.answer_bytes", answer_bytes),
        ("limits.in_flight", in_flight),
        ("limits.depth", depth),
        ("limits.schema_bytes", schema_bytes),
        ("limits.head_bytes", head_bytes),
    ];
    let Timers { connect_ms, first_byte_ms, idle_ms, total_ms, keep_alive_ms, client_ms, .. } =
        config.timers;
    let timers = [
        ("timers.connect_ms", connect_ms),
        ("timers.first_byte_ms", first_byte_ms),
        ("timers.idle_ms", idle_ms),
        ("timers.total_ms", total_ms),
        ("timers.keep_alive_ms", keep_alive_ms),
        ("timers.client_ms", client_ms),
        ("timers.repair_ms", config.timers.repair_ms),
    ];
    let limits = limits.map(|(name, limit)| (name, limit as u64));
    for (name, limit) in limits.into_iter().chain(timers) {
        if limit == 0 {
            problems.add(format!("gateway.{name}"), "expected at least 1, found 0");
        }
    }
    if config.limits.head_bytes < 8_192 && config.limits.head_bytes > 0 {
        problems.add("gateway.limits.head_bytes", "expected at least 8192");
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::Settings;
    use crate::config::{Config, Level};

    fn environment(name: &str) -> Option<OsString> {
        (name == "SET").then(|| "secret".into())
    }

    fn settings(text: &str) -> Result<Settings, Vec<String>> {
        Settings::new(&Config::from_toml(text).unwrap(), environment)
            .map_err(|problems| problems.iter().map(ToString::to_string).collect())
    }

    const HASH: &str = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b";

    #[test]
    fn every_problem_is_reported_with_its_path() {
        let text = "[gateway]\nlisten = \"0.0.0.0:80\"\n\
            [gateway.upstreams.main]\nbase_url = \"ftp://x\"\napi_key_env = \"UNSET\"\n\
            [gateway.upstreams.other]\nbase_url = \"http://x\"\npassthrough = [\"/files\"]\n\
            [[gateway.routes]]\nmodel = \"*\"\nupstream = \"mian\"\n\
            [gateway.recording]\nkeep = 0\n[gateway.limits]\nin_flight = 0\nhead_bytes = 9\n[gateway.timers]\nidle_ms = 0\n";
        let problems = settings(text).unwrap_err();
        let expected = [
            ("gateway.listen", "there are no client keys"),
            ("gateway.upstreams.main.api_key_env", "UNSET"),
            ("gateway.upstreams.main.base_url", "expected an `http`"),
            ("gateway.upstreams.other.passthrough", "api_key_env"),
            ("gateway.routes[0].upstream", "did you mean `main`?"),
            ("gateway.limits.in_flight", "at least 1, found 0"),
            ("gateway.timers.idle_ms", "at least 1, found 0"),
            ("gateway.limits.head_bytes", "8192"),
            ("gateway.recording.keep", "store = \"off\""),
        ];
        assert_eq!(problems.len(), expected.len(), "{problems:?}");
        for (problem, (path, part)) in problems.iter().zip(expected) {
            assert!(problem.starts_with(path) && problem.contains(part), "{problem}");
        }
        assert!(settings("").unwrap_err()[0].contains("at least one upstream"));
    }

    #[test]
    fn calls_of_emulated_tools_have_to_be_read() {
        let upstream = "[gateway.upstreams.a]\nbase_url = \"http://x\"\n";
        let route = "[[gateway.routes]]\nupstream = \"a\"\npolicy =";
        for (text, expected) in [
            ("[gateway.policy]\nemulate_tools = true".to_owned(), None),
            (
                "[gateway.policy]\nemulate_tools = true\ncalls = \"never\"".to_owned(),
                Some(
                    "gateway.policy.emulate_tools: the model's calls are not read with `calls = \"never\"`",
                ),
            ),
            (
                format!(
                    "[gateway.policy]\nlevel = \"strict\"\n{route} {{ emulate_tools = \"glm\" }}"
                ),
                Some(
                    "gateway.routes[0].policy.emulate_tools: the model's calls are not read with `level",
                ),
            ),
        ] {
            let problems = settings(&format!("{upstream}{text}")).err().unwrap_or_default();
            assert_eq!(problems.len(), usize::from(expected.is_some()), "{text}: {problems:?}");
            assert!(
                problems.iter().zip(expected).all(|(one, part)| one.starts_with(part)),
                "{problems:?}"
            );
        }
    }

    #[test]
    fn an_invalid_hash_is_not_repeated() {
        let text = "[gateway.upstreams.a]\nbase_url = \"http://x\"\n\
            [[gateway.keys]]\nname = \"me\"\nsha256 = \"hunter2\"\n";
        let problems = settings(text).unwrap_err();
        assert!(problems[0].starts_with("gateway.keys[0].sha256"), "{problems:?}");
        assert!(!problems[0].contains("hunter2"));
    }

    #[test]
    fn with_keys_it_may_listen_anywhere_and_secrets_stay_hidden() {
        let text = format!(
            "[gateway]\nlisten = \"0.0.0.0:80\"\n[gateway.upstreams.a]\nbase_url = \"http://x/v1\"\n\
             api_key_env = \"SET\"\n[[gateway.keys]]\nname = \"me\"\nsha256 = \"{HASH}\"\n"
        );
        let settings = settings(&text).unwrap();
        let shown = format!("{settings:?}");
        assert!(!shown.contains("secret") && shown.contains("http://x/v1/"), "{shown}");
        assert_eq!(settings.keys.len(), 1);
    }

    #[test]
    fn the_first_matching_route_applies() {
        let text = "[gateway.upstreams.a]\nbase_url = \"http://a\"\n\
            [gateway.upstreams.b]\nbase_url = \"http://b\"\n\
            [[gateway.routes]]\nmodel = \"x-1\"\nupstream = \"b\"\npolicy = { level = \"strict\" }\n\
            [[gateway.routes]]\nmodel = \"x-*\"\nupstream = \"a\"\n";
        let settings = settings(text).unwrap();
        let found = |model: &str| {
            settings.route(model).map(|(upstream, _, policy)| (upstream.name.clone(), policy.level))
        };
        assert_eq!(found("x-1"), Some(("b".to_owned(), Level::Strict)));
        assert_eq!(found("x-2"), Some(("a".to_owned(), Level::Standard)));
        assert_eq!(found("y"), None);
    }
}
