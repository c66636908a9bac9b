//! Configuration: the sections `[gateway]`, `[headers]` and `[models.NAME]` of `llmend.toml`.
//!
//! [`Config::from_toml`] parses the sections into plain data. [`Settings::new`] validates it, reads API keys
//! from the environment and reports every problem at once.
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
//! assert!(Settings::new(&config, |_| None).is_ok());
//! assert_eq!(config.upstreams["local"].base_url, "http://127.0.0.1:11434/v1");
//!
//! let error = Config::from_toml("[gateway.limits]\nbody_byte = 1").unwrap_err();
//! assert!(error.to_string().contains("did you mean `body_bytes`?"));
//! # Ok::<(), llmend_gateway::ConfigError>(())
//! ```

mod error;
pub(crate) mod key;
mod limits;
mod models;
pub(crate) mod path;
mod policy;
mod read;
mod recording;
mod route;
mod settings;
mod upstream;

use llmend::config::Headers;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};

pub use error::ConfigError;
pub use limits::{Limits, Timers};
pub use models::ModelConfig;
pub(crate) use models::ModelSettings;
pub(crate) use policy::PLAIN;
pub use policy::{
    EmulateTools, FailedCalls, Level, OnTruncation, PastCalls, Policy, PolicyConfig, TextCalls,
    When,
};
pub(crate) use recording::Recording;
pub use recording::{RecordingConfig, Store};
pub use route::{PathProtocol, RouteConfig};
pub(crate) use route::{Route, matches};
pub(crate) use settings::Deployment;
pub use settings::{Problem, Settings};
pub use upstream::UpstreamConfig;
pub(crate) use upstream::UpstreamSettings;

/// The section `[gateway]`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Address to listen on. Must be a loopback address if there are no keys.
    pub listen: SocketAddr,
    /// Client keys. Without any, requests are not authenticated.
    pub keys: Vec<ClientKey>,
    /// Additional values of the `Host` header, without a port, that are accepted while there are no keys.
    /// Names of the local machine are always accepted.
    pub allowed_hosts: Vec<String>,
    /// Values of the `Origin` header that are accepted while there are no keys. All others are rejected.
    pub allowed_origins: Vec<String>,
    /// Model servers by name. The names are yours to choose.
    pub upstreams: BTreeMap<String, UpstreamConfig>,
    /// Routes from models to upstreams; the first that matches applies. A model without a route goes to the
    /// only upstream, if there is exactly one.
    pub routes: Vec<RouteConfig>,
    /// Policy for answers where a route does not override it.
    pub policy: PolicyConfig,
    /// Size limits.
    pub limits: Limits,
    /// Time limits.
    pub timers: Timers,
    /// Recording of exchanges.
    pub recording: RecordingConfig,
    /// Headers of every request for a model, from the section `[headers]`.
    #[serde(skip)]
    pub headers: Option<Headers>,
    /// Settings of models, from the sections `[models.NAME]`.
    #[serde(skip)]
    pub models: BTreeMap<String, ModelConfig>,
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
            headers: None,
            models: BTreeMap::new(),
        }
    }
}

/// A client key, stored as a hash.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClientKey {
    /// Owner of the key, for readers of the configuration.
    pub name: String,
    /// SHA-256 of the key as 64 hexadecimal digits: `printf %s "$KEY" | sha256sum`.
    pub sha256: String,
}
