//! `LiteLLM`'s proxy beside the gateway, before the same upstream.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How long it may take to start.
const PATIENCE: Duration = Duration::from_mins(2);

/// The proxy, which ends with this.
pub(crate) struct Proxy {
    process: Child,
    folder: PathBuf,
    pub(crate) address: SocketAddr,
}

/// Starts the proxy with one worker.
pub(crate) fn start(program: &str, upstream: SocketAddr) -> Proxy {
    let folder = std::env::temp_dir().join(format!("llmend-latency-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let config = folder.join("config.yaml");
    let text = format!(
        "model_list:\n  - model_name: \"*\"\n    litellm_params:\n      model: \"openai/*\"\n      \
         api_base: \"http://{upstream}/v1\"\n      api_key: \"none\"\n"
    );
    std::fs::write(&config, text).expect("a file");
    let free = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = free.local_addr().expect("an address");
    drop(free);
    let process = Command::new(program)
        .args(["--host", "127.0.0.1", "--port", &address.port().to_string(), "--config"])
        .arg(&config)
        .env("LITELLM_LOCAL_MODEL_COST_MAP", "True")
        .env("LITELLM_LOG", "ERROR")
        // It listens on this machine alone, for as long as this takes.
        .env("LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY", "true")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("a program that starts");
    let proxy = Proxy { process, folder, address };
    let until = Instant::now() + PATIENCE;
    while TcpStream::connect(address).is_err() {
        assert!(Instant::now() < until, "{program} does not listen");
        thread::sleep(Duration::from_millis(200));
    }
    proxy
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
