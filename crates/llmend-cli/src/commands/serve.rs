//! `llmend serve`: which gateway is to be run, or is its configuration sound?

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use llmend_gateway::config::{RecordingConfig, Store, UpstreamConfig};
use llmend_gateway::{Config, Gateway, Settings};

use crate::exit::Exit;
use crate::output::say;

/// What its help ends with.
const EXAMPLES: &str = "\
Examples:
  llmend serve --upstream https://api.openai.com/v1
  llmend serve --upstream http://127.0.0.1:11434/v1 --listen 127.0.0.1:9000
  llmend serve --config llmend.toml
  llmend serve --config llmend.toml --check
  llmend serve --config llmend.toml --journal exchanges.db";

/// Serve an OpenAI-compatible endpoint whose answers arrive repaired
///
/// Change the base URL of a client to `http://ADDRESS/v1`: structured answers and tool calls are
/// repaired, held against their schemas, and asked for again or refused where they cannot be; all else
/// passes as it is.
/// Without keys in the configuration it listens on this machine alone.
#[derive(Clone, Debug, clap::Args)]
#[command(verbatim_doc_comment, after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The server that is asked, with its path up to `/v1`
    #[arg(long, value_name = "URL", value_hint = clap::ValueHint::Url)]
    upstream: Option<String>,
    /// The variable of the environment that holds the key of that server; without it the clients'
    /// own keys are passed on
    #[arg(long, value_name = "NAME", requires = "upstream", verbatim_doc_comment)]
    api_key_env: Option<String>,
    /// A file with a section `[gateway]`: upstreams, routes, policies, limits, keys
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    config: Option<PathBuf>,
    /// Where to listen [default: 127.0.0.1:8787]
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<SocketAddr>,
    /// How often a model is asked again for what cannot be repaired, where no route says otherwise
    #[arg(long, value_name = "TIMES")]
    reasks: Option<u32>,
    /// Keep what models wrote and what was made of it in this file, which `llmend report` reads
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    journal: Option<PathBuf>,
    /// Keep the last COUNT exchanges: in the journal, or in memory if there is none
    #[arg(long, value_name = "COUNT")]
    record: Option<usize>,
    /// Test the configuration, and whether the journal can be opened; serve nothing
    #[arg(long)]
    check: bool,
}

/// Does it.
pub(crate) fn run(arguments: &Arguments) -> Exit {
    let config = match arguments.config() {
        Ok(config) => config,
        Err((exit, message)) => {
            say(&format!("llmend: {message}"));
            return exit;
        }
    };
    let settings =
        match Settings::new(&config, |name: &str| -> Option<OsString> { std::env::var_os(name) }) {
            Ok(settings) => settings,
            Err(problems) => {
                for problem in problems {
                    say(&format!("llmend: {problem}"));
                }
                return Exit::Refused;
            }
        };
    if arguments.check {
        if let Err(why) = Gateway::check(&settings) {
            say(&format!("llmend: the journal cannot be opened: {why}"));
            return Exit::Io;
        }
        let (upstreams, routes) = (config.upstreams.len(), config.routes.len());
        say(&format!("llmend: the configuration is sound: upstreams {upstreams}, routes {routes}"));
        return Exit::Value;
    }
    serve(settings)
}

impl Arguments {
    /// What the file and the flags say together.
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
                    "`--upstream` and an upstream of that name in the file exclude each other";
                return Err((Exit::Usage, message.to_owned()));
            }
        }
        if self.upstream.is_none() && self.config.is_none() {
            let message = "nobody can be asked: give `--upstream URL` or `--config FILE`";
            return Err((Exit::Usage, message.to_owned()));
        }
        config.listen = self.listen.unwrap_or(config.listen);
        config.policy.reasks = self.reasks.or(config.policy.reasks);
        self.set_recording(&mut config.recording);
        Ok(config)
    }

    /// What the flags say about what is kept. A count alone means memory, unless the file says more.
    fn set_recording(&self, recording: &mut RecordingConfig) {
        if let Some(path) = &self.journal {
            recording.journal = Some(path.clone());
            recording.store = Some(Store::File);
        }
        if self.record.is_some() {
            recording.keep = self.record;
            let is_unsaid = recording.store.is_none() && recording.journal.is_none();
            recording.store = if is_unsaid { Some(Store::Memory) } else { recording.store };
        }
    }
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
            say(&format!("llmend: serving http://{}/v1", gateway.address()?));
            gateway.run(asked_to_stop()).await;
            Ok(())
        })
    });
    match served {
        Ok(()) => Exit::Value,
        Err(error) => {
            say(&format!("llmend: {error}"));
            Exit::Io
        }
    }
}

/// Until somebody wishes the end: Ctrl-C, or a manager of services.
async fn asked_to_stop() {
    let interrupted = tokio::signal::ctrl_c();
    #[cfg(unix)]
    let terminated = async {
        match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
            Ok(mut signal) => {
                signal.recv().await;
            }
            Err(_) => std::future::pending().await,
        }
    };
    #[cfg(not(unix))]
    let terminated = std::future::pending::<()>();
    tokio::select! {
        _ = interrupted => {}
        () = terminated => {}
    }
}
