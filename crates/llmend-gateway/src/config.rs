//! What is the gateway told: where it listens, whom it asks, what it may do?
//!
//! All of it is plain data, the section `[gateway]` of `llmend.toml`. [`Config::from_toml`] reads it,
//! and [`Settings::new`] holds it against itself and the environment: every problem at once.
//!
//! ```
//! use llmend_gateway::{Config, Settings};
//!
//! let config = Config::from_toml(r#"
//!     [gateway]
//!     listen = "127.0.0.1:8787"
//!
//!     [gateway.upstreams.local]
//!     base_url = "http://127.0.0.1:11434/v1"
//!
//!     [[gateway.routes]]
//!     model = "llama*"
//!     upstream = "local"
//!     policy = { level = "lenient" }
//! "#)?;
//! let settings = Settings::new(&config, |_| None).expect("it is sound");
//! assert_eq!(settings.upstreams.len(), 1);
//!
//! let error = Config::from_toml("[gateway.limits]\nbody_byte = 1").unwrap_err();
//! assert!(error.to_string().contains("did you mean `body_bytes`?"));
//! # Ok::<(), llmend_gateway::ConfigError>(())
//! ```

pub(crate) mod key;
mod limits;
mod policy;
mod read;
mod recording;
mod route;
mod settings;
mod upstream;

use serde::Deserialize;
use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};

pub use limits::{Limits, Timers};
pub use policy::{Level, OnTruncation, Policy, PolicyConfig, When};
pub use read::ConfigError;
pub use recording::{Recording, RecordingConfig, Store};
pub(crate) use route::matches;
pub use route::{Route, RouteConfig};
pub use settings::{Problem, Settings};
pub use upstream::{UpstreamConfig, UpstreamSettings};

/// The section `[gateway]`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Where it listens. Without keys it has to be an address of this machine alone.
    pub listen: SocketAddr,
    /// Who may ask. Nobody has to say who they are if there is none.
    pub keys: Vec<ClientKey>,
    /// Names besides those of this machine under which it may be asked where it has no keys, as in the
    /// header `Host` and without a port.
    pub allowed_hosts: Vec<String>,
    /// Websites that may ask where it has no keys, as in the header `Origin`. Every other may not.
    pub allowed_origins: Vec<String>,
    /// The servers that it asks, by a name of your own.
    pub upstreams: BTreeMap<String, UpstreamConfig>,
    /// Which model is to be had where, and how its answers are treated. The first that fits holds. A
    /// model that none fits goes to the only upstream, if there is only one.
    pub routes: Vec<RouteConfig>,
    /// How answers are treated where a route does not say otherwise.
    pub policy: PolicyConfig,
    /// Limits of what is taken in.
    pub limits: Limits,
    /// Limits of time.
    pub timers: Timers,
    /// What is kept of the exchanges.
    pub recording: RecordingConfig,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 8787)),
            keys: Vec::new(),
            allowed_hosts: Vec::new(),
            allowed_origins: Vec::new(),
            upstreams: BTreeMap::new(),
            routes: Vec::new(),
            policy: PolicyConfig::default(),
            limits: Limits::default(),
            timers: Timers::default(),
            recording: RecordingConfig::default(),
        }
    }
}

/// A key with which a client may ask. The key itself stands nowhere.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClientKey {
    /// Whose it is, for people who read the configuration.
    pub name: String,
    /// The SHA-256 of the key, as 64 hexadecimal digits: `printf %s "$KEY" | sha256sum`.
    pub sha256: String,
}
