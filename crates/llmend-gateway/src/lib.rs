//! An OpenAI-compatible gateway that repairs structured answers and tool calls.
//!
//! This crate is llmend's whole line behind an endpoint. It forwards requests to an upstream, inspects the
//! answers to those that ask for JSON or offer tools, and passes everything else byte for byte. Instances
//! share no state, so several can run side by side.
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

mod agree;
mod answer;
mod calls;
pub mod config;
mod emulation;
mod endpoints;
mod error;
mod http;
mod metrics;
mod protocol;
mod recording;
mod repair;
pub mod report;
mod retry;
mod server;
mod shared;
mod splice;
mod stream;
mod upstream;

pub use config::{Config, ConfigError, Problem, Settings};
pub use server::Gateway;
