//! Stand between a program and its models: structured answers and tool calls arrive repaired.
//!
//! This crate is llmend's whole line behind an OpenAI-compatible endpoint. What a client asks goes to an
//! upstream, what that answers is looked at where JSON was asked for or tools were offered, and all else
//! passes byte for byte. It keeps nothing, so that many of it can stand beside each other.
//!
//! ```no_run
//! use llmend_gateway::{Config, Gateway, Settings};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let config = Config::from_toml("[gateway.upstreams.local]\nbase_url = \"http://127.0.0.1:11434/v1\"")?;
//! let settings = Settings::new(&config, |name| std::env::var_os(name)).map_err(|problems| problems[0].to_string())?;
//! let gateway = Gateway::bind(settings).await?;
//! println!("http://{}/v1", gateway.address()?);
//! gateway.run(std::future::pending()).await;
//! # Ok(())
//! # }
//! ```

mod again;
mod chat;
pub mod config;
mod decide;
mod endpoints;
mod exchange;
mod expectation;
mod failure;
mod frames;
mod guard;
mod headers;
mod incoming;
mod key;
mod looked;
mod mend;
mod messages;
mod metrics;
mod protocol;
mod reask;
mod recording;
mod relay;
mod reply;
pub mod report;
mod request;
mod responses;
mod router;
mod seats;
mod server;
mod settle;
mod shared;
mod spelling;
mod splice;
mod texts;
mod typed;
mod upstream;
mod usage;
mod watch;
mod work;

pub use config::{Config, ConfigError, Problem, Settings};
pub use key::KeyHash;
pub use server::Gateway;
