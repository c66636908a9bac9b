//! `llmend serve`: the gateway.

use std::ffi::OsString;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use llmend_gateway::config::{RecordingConfig, Store, UpstreamConfig};
use llmend_gateway::{Config, Gateway, Settings};

use crate::configuration::load_with;
use crate::exit::{Exit, UsageError};
use crate::output::eprint;
use crate::prompt_files;

mod probe;

const EXAMPLES: &str = "\
Examples:
  llmend serve --upstream https://api.openai.com/v1
  llmend serve --upstream http://127.0.0.1:11434/v1 --listen 127.0.0.1:9000
  llmend serve --config llmend.toml
  llmend serve --config llmend.toml --check
  llmend serve --config llmend.toml --journal exchanges.db
  llmend serve --config llmend.toml --probe";

/// Serve an OpenAI-compatible endpoint that repairs answers
///
/// Set the base URL of a client to `http://ADDRESS/v1`. Structured answers and tool calls are repaired and
/// validated against their schemas; invalid ones are retried or refused. All other traffic passes unchanged.
/// Without keys in the configuration, the gateway only listens on this machine.
#[derive(Clone, Debug, clap::Args)]
#[command(verbatim_doc_comment, after_help = EXAMPLES)]
pub(crate) struct ServeArguments {
    /// The base URL of the upstream server, up to `/v1`
    #[arg(long, value_name = "URL", value_hint = clap::ValueHint::Url)]
    upstream: Option<String>,
    /// The environment variable with the API key of that server; by default the clients' own
    /// keys are passed on
    #[arg(long, value_name = "NAME", requires = "upstream", verbatim_doc_comment)]
    api_key_env: Option<String>,
    /// A file with a `[gateway]` section (upstreams, routes, policies, limits, keys) and with the
    /// sections `[models.NAME]` and `[headers]` of models
    #[arg(long, verbatim_doc_comment, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    config: Option<PathBuf>,
    /// The address to listen on [default: 127.0.0.1:8787]
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<SocketAddr>,
    /// The number of retries for what cannot be repaired, unless a route sets it
    #[arg(long, value_name = "TIMES")]
    reasks: Option<u32>,
    /// Record exchanges in this file, for `llmend report`
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    journal: Option<PathBuf>,
    /// Keep the last COUNT exchanges, in the journal or else in memory
    #[arg(long, value_name = "COUNT")]
    record: Option<usize>,
    /// Check the configuration and the journal, then exit
    #[arg(long)]
    check: bool,
    /// Ask the gateway that runs with these settings whether it is alive, then exit: status 0 if
    /// it is, 1 if not
    #[arg(long, verbatim_doc_comment, conflicts_with = "check")]
    probe: bool,
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &ServeArguments) -> Result<Exit, UsageError> {
    if arguments.probe {
        return Ok(arguments.address().map_or_else(failed, probe::run));
    }
    let config = match arguments.config() {
        Ok(config) => config,
        Err(failure) => return Ok(failed(failure)),
    };
    prompt_files::replace(&load_with(arguments.config.as_deref())?)?;
    let settings =
        match Settings::new(&config, |name: &str| -> Option<OsString> { std::env::var_os(name) }) {
            Ok(settings) => settings,
            Err(problems) => {
                for problem in problems {
                    eprint(&format!("llmend: {problem}"));
                }
                return Ok(Exit::Refused);
            }
        };
    if arguments.check {
        if let Err(why) = Gateway::check(&settings) {
            eprint(&format!("llmend: cannot open the journal: {why}"));
            return Ok(Exit::Io);
        }
        let Config { upstreams, routes, models, .. } = &config;
        let (upstreams, routes, models) = (upstreams.len(), routes.len(), models.len());
        eprint(&format!(
            "llmend: configuration valid: upstreams {upstreams}, routes {routes}, models {models}"
        ));
        return Ok(Exit::Value);
    }
    Ok(serve(settings))
}

impl ServeArguments {
    /// Merges the file and the flags.
    fn config(&self) -> Result<Config, (Exit, String)> {
        let mut config = match &self.config {
            Some(path) => read(path)?,
            None => Config::default(),
        };
        if let Some(base_url) = &self.upstream {
            let upstream = UpstreamConfig {
                base_url: base_url.clone(),
                api_key_env: self.api_key_env.clone(),
                passthrough: Vec::new(),
            };
            if config.upstreams.insert("upstream".to_owned(), upstream).is_some() {
                let message =
                    "`--upstream` conflicts with the upstream named `upstream` in the file";
                return Err((Exit::Usage, message.to_owned()));
            }
        }
        if self.upstream.is_none() && self.config.is_none() {
            let message = "no upstream given; use `--upstream URL` or `--config FILE`";
            return Err((Exit::Usage, message.to_owned()));
        }
        config.listen = self.listen.unwrap_or(config.listen);
        config.policy.reasks = self.reasks.or(config.policy.reasks);
        self.set_recording(&mut config.recording);
        Ok(config)
    }

    /// Returns the address to listen on. No upstream is needed to know it.
    fn address(&self) -> Result<SocketAddr, (Exit, String)> {
        match (self.listen, &self.config) {
            (Some(listen), _) => Ok(listen),
            (None, Some(path)) => Ok(read(path)?.listen),
            (None, None) => Ok(Config::default().listen),
        }
    }

    /// Applies the recording flags. A count alone records in memory, unless the file says otherwise.
    fn set_recording(&self, recording: &mut RecordingConfig) {
        if let Some(path) = &self.journal {
            recording.journal = Some(path.clone());
            recording.store = Some(Store::File);
        }
        if self.record.is_some() {
            recording.keep = self.record;
            let is_unset = recording.store.is_none() && recording.journal.is_none();
            recording.store = if is_unset { Some(Store::Memory) } else { recording.store };
        }
    }
}

fn failed((exit, message): (Exit, String)) -> Exit {
    eprint(&format!("llmend: {message}"));
    exit
}

fn read(path: &Path) -> Result<Config, (Exit, String)> {
    let name = path.display();
    let text =
        std::fs::read_to_string(path).map_err(|error| (Exit::Io, format!("{name}: {error}")))?;
    Config::from_toml(&text).map_err(|error| (Exit::Refused, format!("{name}: {error}")))
}

fn serve(settings: Settings) -> Exit {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let served = runtime.and_then(|runtime| {
        runtime.block_on(async {
            let gateway = Gateway::bind(settings).await?;
            // Whoever reads the address may send a signal at once.
            let stopped = shutdown()?;
            eprint(&format!("llmend: serving http://{}/v1", gateway.address()?));
            gateway.run(stopped).await;
            Ok(())
        })
    });
    match served {
        Ok(()) => Exit::Value,
        Err(error) => {
            eprint(&format!("llmend: {error}"));
            Exit::Io
        }
    }
}

/// Registers for Ctrl-C and the termination signal. Returns what waits for them.
#[cfg(unix)]
fn shutdown() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};

    let mut interrupted = signal(SignalKind::interrupt())?;
    let mut terminated = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupted.recv() => {}
            _ = terminated.recv() => {}
        }
    })
}

/// Returns what waits for Ctrl-C.
#[cfg(not(unix))]
fn shutdown() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
    })
}
